#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs measurements within the VM. Prints one JSON object per line on standard output, and progress
# on standard error.
# Usage: guest.sh full | quick PART..
# HC_PROCS="4 8" and HC_ROUNDS=3 replace the numbers of processes and of rounds that the mode has.

set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
mode=${1:?usage: guest.sh full | quick PART..}
case $mode in
full) procs=(4 8 16 64) dims=(10 12) ;;
quick) procs=(16) dims=(10) ;;
*) exit 2 ;;
esac
[[ ! ${HC_PROCS-} ]] || read -ra procs <<<"$HC_PROCS"

say() { echo "== $*" >&2; }
die() { echo "bench: $*" >&2; exit 1; }
now() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }
available() { sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo; }

# shellcheck source=selftests/bench/collectives.sh
. "$here/collectives.sh"
# shellcheck source=selftests/bench/exchanges.sh
. "$here/exchanges.sh"
# shellcheck source=selftests/bench/tasks.sh
. "$here/tasks.sh"
# shellcheck source=selftests/bench/versions.sh
. "$here/versions.sh"
# shellcheck source=selftests/bench/ether.sh
. "$here/ether.sh"
# shellcheck source=selftests/bench/machines.sh
. "$here/machines.sh"
# shellcheck source=selftests/bench/recovery.sh
. "$here/recovery.sh"

# fabric DIM: measures the time to create and to remove a fabric, and the memory that it takes
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

fabrics() {
	local dim
	for dim in "${dims[@]}"; do
		fabric "$dim"
	done
}

mkdir -p /dev/shm /dev/pts
grep -q ' /dev/shm ' /proc/mounts || mount -t tmpfs -o size=2g tmpfs /dev/shm
grep -q ' /dev/pts ' /proc/mounts || mount -t devpts devpts /dev/pts
ip link set lo up

for part in "${@:2}"; do
	case $part in
	fabrics | reduce | collectives | doubling | exchanges | ether | tasks | machines | recovery | versions) "$part" ;;
	*) die "no part $part" ;;
	esac
done
jq -nc --arg shm "${shm[*]}" --arg sm "${sm[*]}" --arg copies "${copies[*]}" \
	--arg tcp "${tcp[*]}" --arg both "${machines_both[*]}" --arg han "${machines_han[*]}" --arg kernel "$(uname -r)" \
	--argjson cpus "$(grep -c ^processor /proc/cpuinfo)" \
	'{ what: "settings", kernel: $kernel, processors: $cpus,
	   peers: { "mpi-shm": $shm, "mpi-sm": $sm, "mpi-copies": $copies, "mpi-tcp": $tcp, "mpi-both": $both, "mpi-han": $han } }'
