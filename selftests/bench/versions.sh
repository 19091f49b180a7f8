# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Measures another version of the module, with its tool and library, and the present version, in
# turns. Sourced by guest.sh, after collectives.sh.

# Each version has hypercube.ko, hcctl and measure_fabric in a folder of its own.
sides=/bench
# The measurements over the plans of peers_set_up(), as "PLAN NAME WHAT". PLAN is also the plan over
# which measure_fabric runs its barriers.
tried=("1 tree reduce" "1 tree allreduce" "1 tree barrier" "1 tree reduce_scatter" "1 tree allgather" "1 bcast bcast"
	"3 doubling allreduce" "3 doubling barrier" "3 doubling allgather" "3 doubling alltoall"
	"3 doubling reduce_scatter" "4 ring allgather" "4 ring alltoall")
version_sizes=8,4096,65536

unload() {
	local _
	for _ in {1..100}; do
		rmmod hypercube 2>/dev/null && return
		sleep 0.1
	done
	die 'the module does not unload'
}

# load: replaces the loaded module by the one of $side, and makes plans for all numbers of processes
load() {
	unload
	insmod "$sides/$side/hypercube.ko" || die "the module of the $side version does not load"
	# An older version may lack plan types. The measurements that need these fail when common()
	# tries them.
	# shellcheck disable=SC2317
	hcctl() { "$sides/$side/hcctl" "$@" || [[ $2 == plan ]]; }
	peers_set_up
}

# version PROCS MS PLAN NAME WHAT: runs this measurement with the version $side
version() {
	# measure_fabric kills its process group when it fails, so it runs in one of its own.
	setsid -w "$sides/$side/measure_fabric" -b "$2" -l $((32 << 20)) -w "$5" "$1" $version_sizes "bench$1" "$3" 2 "$4"
}

# common: removes from $tried the measurements that one of the two versions cannot run
common() {
	local side words known
	for side in old new; do
		known=()
		load
		for words in "${tried[@]}"; do
			# shellcheck disable=SC2086
			if version "${procs[0]}" 1 $words >/dev/null 2>&1; then
				known+=("$words")
			else
				say "the $side version does not know: ${words#* }"
			fi
		done
		tried=("${known[@]}")
		peers_tear_down
	done
}

# turn SIDE ROUND MS: runs all measurements once, with the version SIDE
turn() {
	local side=$1 p words
	load
	for p in "${procs[@]}"; do
		for words in "${tried[@]}"; do
			# shellcheck disable=SC2086
			version "$p" "$3" $words | sed "s/^{/{\"round\":$2,\"side\":\"$side\",/" ||
				die "the $side version failed: ${words#* } of $p processes"
		done
	done
	peers_tear_down
}

versions() {
	local rounds=${HC_ROUNDS:-$([[ $mode == full ]] && echo 10 || echo 4)} round both
	common
	for ((round = 1; round <= rounds; round++)); do
		both=(old new)
		# The two versions alternate in being first.
		((round % 2)) || both=(new old)
		say "round $round of $rounds: ${both[*]}"
		turn "${both[0]}" "$round" 100
		turn "${both[1]}" "$round" 100
	done
	unset -f hcctl
	unload
	modprobe hypercube
}
