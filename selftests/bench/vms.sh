#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `run vms` runs this in each of several virtual machines (selftests/vm/cluster). Measures with 16
# processes on all machines: collectives of a fabric that spans them, and of Open MPI over TCP on
# the same network. The first machine measures, and prints one JSON object per line; the others
# execute the commands that it sends.
# Usage: vms.sh ROUNDS MS

set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
rounds=${1:?} ms=${2:?}
n=${HC_MACHINES:?} me=${HC_MACHINE:?}
each=$((16 / n))
export HCCTL_SSH=$here/../machines/ask
cluster=/tmp/cluster.json

say() { echo "== $*" >&2; }
die() { echo "bench: $*" >&2; exit 1; }

echo Y >/sys/module/hypercube/parameters/trunks
mkdir -p /dev/shm /dev/pts
grep -q ' /dev/shm ' /proc/mounts || mount -t tmpfs -o size=400m tmpfs /dev/shm
grep -q ' /dev/pts ' /proc/mounts || mount -t devpts devpts /dev/pts
ip link set lo up
hostname "m$me"
for ((i = 1; i <= n; i++)); do echo "10.8.0.$i m$i"; done >>/etc/hosts
# Open MPI starts its daemons on another machine by this script. The daemons check that it exists,
# too.
cat >/tmp/agent <<END
#!/bin/sh
machine=\$1
shift
exec "$HCCTL_SSH" "\$machine" "\$*" </dev/null
END
chmod 755 /tmp/agent
if ((me > 1)); then
	busybox nc -ll -p 2222 -e "$here/../machines/answer" &
	until [[ -e /tmp/end ]]; do sleep 0.2; done
	kill %1
	exit
fi

hosts=m1:$each
for ((i = 2; i <= n; i++)); do
	until "$HCCTL_SSH" "m$i" true </dev/null 2>/dev/null; do sleep 0.2; done
	hosts+=,m$i:$each
done
mpi=(mpirun.openmpi --allow-run-as-root --oversubscribe --map-by slot --host "$hosts" --mca plm_rsh_agent /tmp/agent
	--mca plm_rsh_no_tree_spawn 1 --mca pml ob1 --mca mpi_yield_when_idle 1 --mca oob_tcp_if_include 10.8.0.0/24
	--mca btl_tcp_if_include 10.8.0.0/24)
tcp=("${mpi[@]}" --mca btl 'self,tcp')
both=("${mpi[@]}" --mca btl 'self,vader,tcp' --mca btl_vader_single_copy_mechanism cma)
han=("${both[@]}" --mca coll_han_priority 100)

{
	printf '{ "format": "hypercube-cluster", "version": 1, "name": "bench", "dim": 4, "hosts": [
		{ "host": "m1", "local": true, "address": "10.8.0.1" }'
	for ((i = 2; i <= n; i++)); do printf ',\n{ "host": "m%d", "ssh": "m%d", "address": "10.8.0.%d" }' $i $i $i; done
	printf '],\n"plans": [ { "plan": 1, "type": "tree", "with": "sink 0" },
		{ "plan": 2, "type": "bcast", "with": "source 0" }, { "plan": 3, "type": "doubling" } ] }\n'
} >$cluster
hcctl cluster up $cluster >&2 || die 'no cluster'

sizes=8,512,4096,65536,1048576
# fabric NAME PLAN WHAT,..: runs measure_fabric on all machines, for these operations
fabric() {
	local i words="-b $ms -w $3 16 $sizes bench $2 2 $1"
	for ((i = 1; i < n; i++)); do
		"$HCCTL_SSH" "m$((i + 1))" "$here/measure_fabric -a $((i * each)),$each $words" </dev/null &
	done
	# shellcheck disable=SC2086
	"$here/measure_fabric" -a "0,$each" $words && wait
}
# backend NAME: measures all operations with all sizes
backend() {
	local all=reduce,allreduce,bcast,barrier
	local peer=(-n 16 "$here/measure_mpi" -a "0,$each" -b "$ms" -w "$all" 16 "$sizes" "$1" -)
	case $1 in
	fabric) fabric "$1" 1 $all ;;
	doubling) fabric "$1" 3 allreduce,barrier ;;
	mpi-tcp) timeout 600 "${tcp[@]}" "${peer[@]}" ;;
	mpi-both) timeout 600 "${both[@]}" "${peer[@]}" ;;
	mpi-han) timeout 600 "${han[@]}" "${peer[@]}" ;;
	esac
}

backends=(fabric doubling mpi-tcp mpi-both mpi-han)
for ((round = 1; round <= rounds; round++)); do
	for ((i = 0; i < ${#backends[@]}; i++)); do
		# Each round begins with another backend.
		name=${backends[(i + round) % ${#backends[@]}]}
		say "$n virtual machines, round $round of $rounds, $name"
		backend "$name" </dev/null | sed "s/^{\"what\":\"/{\"round\":$round,\"what\":\"vms-/" || die "$name failed"
	done
done
hcctl cluster down $cluster >&2
for ((i = 2; i <= n; i++)); do "$HCCTL_SSH" "m$i" 'touch /tmp/end' </dev/null; done
jq -nc --arg tcp "${tcp[*]}" --arg both "${both[*]}" --arg han "${han[*]}" --arg kernel "$(uname -r)" \
	'{ what: "settings", kernel: $kernel, processors: 1, peers: { "mpi-tcp": $tcp, "mpi-both": $both, "mpi-han": $han } }'
