#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Measures within the VM: one JSON object a line on standard output, progress on standard error.
# Usage: guest.sh full | quick

set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
sizes=8,4096,65536,1048576
case ${1:?usage: guest.sh full | quick} in
full) procs=(4 8 16 64) rounds=3 budget=1000 dims=(10 12) ;;
quick) procs=(16) rounds=2 budget=500 dims=(10) ;;
*) exit 2 ;;
esac

say() { echo "== $*" >&2; }
die() { echo "bench: $*" >&2; exit 1; }
now() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }
available() { sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo; }

# The peer's best settings of those tried with more processes than processors: it has to yield when
# idle; over shared memory round-robin scheduling and direct copies (CMA) help a lot, over TCP the
# former only harms. coll/sm, which is not Open MPI's own choice, answers small requests sooner.
mpi=(mpirun.openmpi --allow-run-as-root --oversubscribe --mca plm isolated --mca pml ob1
	--mca mpi_yield_when_idle 1)
shm=(chrt -r 1 "${mpi[@]}" --mca btl 'self,vader' --mca btl_vader_single_copy_mechanism cma)
sm=("${shm[@]}" --mca coll_sm_priority 100)
tcp=("${mpi[@]}" --mca btl 'self,tcp' --mca btl_tcp_if_include lo)

# fabric DIM: how long it takes to make and remove, and what it takes of memory
fabric() {
	local begin made gone before after nodes=$((1 << $1)) sizes
	say "a fabric of dimension $1"
	before=$(available)
	begin=$(now)
	hcctl fabric add big dim "$1" || die 'no fabric'
	made=$(now)
	after=$(available)
	sizes=$(hcctl -j fabric show big)
	gone=$(now)
	hcctl fabric del big || die 'the fabric does not go'
	gone=$(($(now) - gone))
	jq -c --argjson dim "$1" --argjson create $((made - begin)) --argjson delete "$gone" \
		--argjson kib $((before - after)) --argjson nodes "$nodes" \
		'(if type == "array" then .[0] else . end) |
		{ what: "fabric", dim: $dim, create_ms: $create, delete_ms: $delete,
		  bytes_per_node: ($kib * 1024 / $nodes | round), node_size, dev_size }' <<<"$sizes"
}

# one BACKEND PROCS: a round of all sizes
one() {
	local peer=(-n "$2" "$here/reduce_mpi" -b "$budget" "$2" "$sizes" "$1" /dev/shm/bench)
	case $1 in
	fabric) "$here/reduce_fabric" -b "$budget" "$2" "$sizes" "bench$2" "$2" ;;
	mpi-shm) timeout 600 "${shm[@]}" "${peer[@]}" ;;
	mpi-sm) timeout 600 "${sm[@]}" "${peer[@]}" ;;
	mpi-tcp) timeout 600 "${tcp[@]}" "${peer[@]}" ;;
	esac
}

merged() { hcctl -j node show "bench$1" | jq '[.[].merged_bytes // 0] | add'; }

# traffic PROCS: bytes merged in an operation of 1 MiB
traffic() {
	local before after operations
	before=$(merged "$1")
	operations=$("$here/reduce_fabric" -b 100 "$1" 1048576 "bench$1" "$1" |
		jq '.samples + 1 + .batch') || die 'reduce_fabric failed'
	after=$(merged "$1")
	jq -nc --argjson p "$1" --argjson n "$operations" --argjson m $((after - before)) \
		'{ what: "traffic", procs: $p, bytes: 1048576, operations: $n,
		   copied_in: ($p * 1048576), merged: ($m / $n), merged_ideal: (($p - 1) * 1048576),
		   copied_out: 1048576 }'
}

mkdir -p /dev/shm /dev/pts
grep -q ' /dev/shm ' /proc/mounts || mount -t tmpfs -o size=2g tmpfs /dev/shm
grep -q ' /dev/pts ' /proc/mounts || mount -t devpts devpts /dev/pts
ip link set lo up

for dim in "${dims[@]}"; do
	fabric "$dim"
done
for p in "${procs[@]}"; do
	dim=0
	while ((1 << dim < p)); do dim=$((dim + 1)); done
	hcctl fabric add "bench$p" dim $dim || die 'no fabric'
	hcctl tree find fabric "bench$p" apply plan "$p" sink 0 >/dev/null || die 'no tree'
done
backends=(fabric mpi-shm mpi-sm mpi-tcp)
for ((round = 1; round <= rounds; round++)); do
	for p in "${procs[@]}"; do
		for ((i = 0; i < ${#backends[@]}; i++)); do
			# Nobody is always first.
			backend=${backends[(i + round) % ${#backends[@]}]}
			say "round $round of $rounds, $p processes, $backend"
			rm -f /dev/shm/bench
			one "$backend" "$p" | sed "s/^{/{\"round\":$round,/" && continue
			[[ $backend != fabric ]] || die "the fabric with $p processes failed"
			# What it measured before stands.
			say "$backend failed"
			echo "{\"what\":\"failure\",\"round\":$round,\"procs\":$p,\"backend\":\"$backend\"}"
		done
	done
done
for p in "${procs[@]}"; do
	traffic "$p"
	hcctl fabric del "bench$p"
done
jq -nc --arg shm "${shm[*]}" --arg sm "${sm[*]}" --arg tcp "${tcp[*]}" --arg kernel "$(uname -r)" \
	--argjson cpus "$(grep -c ^processor /proc/cpuinfo)" --argjson rounds $rounds \
	'{ what: "settings", kernel: $kernel, processors: $cpus, rounds: $rounds,
	   peers: { "mpi-shm": $shm, "mpi-sm": $sm, "mpi-tcp": $tcp } }'
