# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Measures collectives of the fabric and of Open MPI. Sourced by guest.sh.

# The fastest settings that were found for Open MPI with more processes than processors: an idle
# process must yield the processor. Over shared memory, round-robin scheduling and direct copies
# (CMA) make it much faster; over TCP, round-robin scheduling makes it slower. coll/sm is faster
# with small contributions, but Open MPI does not choose it by itself.
mpi=(mpirun.openmpi --allow-run-as-root --oversubscribe --mca plm isolated --mca pml ob1
	--mca mpi_yield_when_idle 1)
shm=(chrt -r 1 "${mpi[@]}" --mca btl 'self,vader' --mca btl_vader_single_copy_mechanism cma)
sm=("${shm[@]}" --mca coll_sm_priority 100)
tcp=("${mpi[@]}" --mca btl 'self,tcp' --mca btl_tcp_if_include lo)
backends=(fabric mpi-shm mpi-sm mpi-tcp)
sizes=8,4096,65536,1048576

# The sizes with which operations are measured over more than one plan type
plan_sizes=8,64,512,4096,32768,262144,1048576

# one BACKEND PROCS WHAT,.. MS: measures these operations with all sizes, for MS ms each
one() {
	local what=(-b "$4" -w "$3" "$2" "$sizes")
	local peer=(-n "$2" "$here/measure_mpi" "${what[@]}" "$1" /dev/shm/bench)
	rm -f /dev/shm/bench
	case $1 in
	fabric) "$here/measure_fabric" "${what[@]}" "bench$2" 1 2 ;;
	tree) "$here/measure_fabric" "${what[@]::5}" $plan_sizes "bench$2" 1 2 tree ;;
	doubling) "$here/measure_fabric" "${what[@]::5}" $plan_sizes "bench$2" 3 2 doubling ;;
	mpi-shm) timeout 600 "${shm[@]}" "${peer[@]}" ;;
	mpi-sm) timeout 600 "${sm[@]}" "${peer[@]}" ;;
	mpi-tcp) timeout 600 "${tcp[@]}" "${peer[@]}" ;;
	esac
}

# peers WHAT,.. ROUNDS MS [FUNCTION]: measures these operations with all backends and all numbers of
# processes, in ROUNDS rounds; FUNCTION is called instead of one()
peers() {
	local round p i backend rounds=${HC_ROUNDS:-$2}
	for ((round = 1; round <= rounds; round++)); do
		for p in "${procs[@]}"; do
			for ((i = 0; i < ${#backends[@]}; i++)); do
				# Each round begins with another backend.
				backend=${backends[(i + round) % ${#backends[@]}]}
				say "$1, round $round of $rounds, $p processes, $backend"
				"${4:-one}" "$backend" "$p" "$1" "$3" | sed "s/^{/{\"round\":$round,/" && continue
				[[ $backend == mpi-* ]] || die "$backend with $p processes failed"
				# The results that the backend printed before it failed are kept.
				say "$backend failed"
				jq -nc --arg what "$1" --arg backend "$backend" --argjson round "$round" \
					--argjson procs "$p" \
					'{ what: "failure", of: $what, $round, $procs, $backend }'
			done
		done
	done
}

peers_set_up() {
	local p dim
	for p in "${procs[@]}"; do
		dim=0
		while ((1 << dim < p)); do dim=$((dim + 1)); done
		hcctl fabric add "bench$p" dim $dim || die 'no fabric'
		hcctl tree find fabric "bench$p" apply plan 1 sink 0 >/dev/null || die 'no tree'
		hcctl bcast plan fabric "bench$p" source 0 apply plan 2 >/dev/null || die 'no broadcast plan'
		hcctl doubling plan fabric "bench$p" apply plan 3 >/dev/null || die 'no plan for doubling'
		hcctl ring plan fabric "bench$p" apply plan 4 >/dev/null || die 'no rings'
	done
}

peers_tear_down() {
	local p
	for p in "${procs[@]}"; do
		hcctl fabric del "bench$p"
	done
}

merged() { hcctl -j node show "bench$1" | jq '[.[].merged_bytes // 0] | add'; }

# traffic PROCS: prints the number of bytes that nodes merge in one reduction of 1 MiB
traffic() {
	local before after operations
	before=$(merged "$1")
	operations=$("$here/measure_fabric" -b 100 "$1" 1048576 "bench$1" 1 2 |
		jq '.samples + 1 + .batch') || die 'measure_fabric failed'
	after=$(merged "$1")
	jq -nc --argjson p "$1" --argjson n "$operations" --argjson m $((after - before)) \
		'{ what: "traffic", procs: $p, bytes: 1048576, operations: $n,
		   copied_in: ($p * 1048576), merged: ($m / $n), merged_ideal: (($p - 1) * 1048576),
		   copied_out: 1048576 }'
}

reduce() {
	local p
	peers_set_up
	if [[ $mode == full ]]; then peers reduce 3 800; else peers reduce 2 400; fi
	for p in "${procs[@]}"; do
		traffic "$p"
	done
	peers_tear_down
}

# doubling: compares an allreduce over a tree with one over a plan of recursive doubling, for 4 to
# 16 processes
doubling() {
	local backends=(tree doubling) procs=(4 8 16)
	peers_set_up
	peers barrier,allreduce "$([[ $mode == full ]] && echo 6 || echo 2)" 200
	peers_tear_down
}

collectives() {
	peers_set_up
	peers barrier,allreduce,bcast 2 "$([[ $mode == full ]] && echo 300 || echo 200)"
	peers_tear_down
}
