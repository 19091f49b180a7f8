#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Within the VM: runs the operations that `path` counts: each first with some number of operations,
# and then with twice as many. Prints a JSON object for each run.

set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck disable=SC2034
procs=(16)
say() { echo "== $*" >&2; }
die() { echo "path: $*" >&2; exit 1; }
# shellcheck source=selftests/bench/collectives.sh
. "$here/collectives.sh"
# shellcheck source=selftests/bench/ether.sh
. "$here/ether.sh"
# shellcheck source=selftests/bench/machines.sh
. "$here/machines.sh"

# counted WHAT BYTES OPERATIONS COMMAND..: runs COMMAND with OPERATIONS operations, and then with
# twice as many; the argument N is replaced by this number. $before is run before each of the two.
before=:
counted() {
	local n word words
	for n in "$3" $((2 * $3)); do
		words=()
		for word in "${@:4}"; do
			[[ $word != N ]] || word=$n
			words+=("$word")
		done
		$before
		"$here/measure_command" "$1" "$2" "$n" "${words[@]}" || die "$1 failed"
	done
}

# operations WHAT BYTES OPERATIONS PLAN [NAME]: counts collectives WHAT over a plan; in the output
# their name is NAME
operations() {
	"$here/measure_fabric" -n "$3" -w "$1" 16 "$2" bench16 "$4" 2 | sed "s/\"$1\"/\"${5-$1}\"/" || die "$1 failed"
}

# frames_of WAY NAME: counts frames that a packet socket sends to the device at the other end, where
# no process receives them
frames_of() {
	way "$1"
	counted "frame, $2" 64 10000 ip netns exec "$near_ns" "$flow" packets "$near_if" "$(mac "$far_ns" "$far_if")" \
		"$(mac "$near_ns" "$near_if")" N 64
}

echoes() { ip netns exec "$far_ns" "$flow" echo 7000 & listens; }

# trips_of WAY: counts round trips of one byte over TCP
trips_of() {
	machine_way "$1"
	before=echoes
	counted "round trip, $1" 1 1000 ip netns exec "$near_ns" "$flow" pingpong "$address" 7000 N
	before=:
}

collectives_counted() {
	peers_set_up
	operations reduce 8 150 1
	operations allreduce 8 100 1
	operations barrier 8 100 1
	operations bcast 8 50 1
	operations allreduce 65536 30 1
	operations alltoall 65536 2 3
	hcctl tree find fabric bench16 apply plan 1 sink 0 guard 5s >/dev/null || die 'no guarded tree'
	operations allreduce 8 100 1 'allreduce, guarded'
	operations allreduce 65536 30 1 'allreduce, guarded'
	counted 'plan of 16 members' 0 50 "$here/measure_plans" bench16 16 N
	peers_tear_down
}

mkdir -p /dev/shm
ip link set lo up
cat /proc/kallsyms >/out/symbols
collectives_counted
ether_set_up
frames_of veth veth
frames_of hops1 '1 hop'
frames_of hops2 '2 hops'
frames_of hops4 '4 hops'
ether_tear_down
machines_set_up
for name in wire memory trunk; do trips_of "$name"; done
machines_tear_down
