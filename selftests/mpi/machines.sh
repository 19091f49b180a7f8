#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests "hcctl mpirun --hostfile" in each of two machines: the first one sets up a fabric that spans
# both by "hcctl cluster", and starts programs on both by mpirun's own launcher. The other machine
# executes the commands of the first one. Prints TAP.

set -uo pipefail
me=${HC_MACHINE:?} file=/tmp/cluster.json hosts=/tmp/hosts out=/tmp/out agent=/tmp/agent
export HCCTL_SSH=/selftests/machines/ask
export OMPI_MCA_plm_rsh_agent=$agent OMPI_MCA_op=^avx HYPERCUBE_MPI_STATS=1
every_call='Allreduce Reduce Bcast Barrier Gather Scatter Allgather Allgatherv Alltoall Reduce_scatter Reduce_scatter_block Scan Exscan'
every_call+=' Gatherv Scatterv Alltoallv Alltoallw'

hostname "m$me"
mkdir -p /dev/shm /dev/pts
grep -q ' /dev/shm ' /proc/mounts || mount -t tmpfs -o size=512m tmpfs /dev/shm
grep -q ' /dev/pts ' /proc/mounts || mount -t devpts devpts /dev/pts
ip link set lo up
echo Y >/sys/module/hypercube/parameters/trunks
# Open MPI passes the words of a command separately, as to ssh, and checks on all machines that the
# program is there.
cat >$agent <<'END'
#!/bin/bash
while [[ $1 == -* ]]; do shift; done
exec /selftests/machines/ask "$1" "${*:2}"
END
chmod 755 $agent

if ((me > 1)); then
	busybox nc -ll -p 2222 -e /selftests/machines/answer &
	until [[ -e /tmp/end ]]; do sleep 0.2; done
	kill %1
	exit
fi

ask() { "$HCCTL_SSH" 10.8.0.2 "$1" </dev/null; }
cat >$file <<END
{ "format": "hypercube-cluster", "version": 1, "name": "t", "dim": 2, "keepalive_ms": 8000,
  "hosts": [ { "host": "m1", "local": true, "address": "10.8.0.1" }, { "host": "m2", "ssh": "10.8.0.2" } ] }
END
printf '10.8.0.%d slots=2\n' 1 2 >$hosts

nr=0 failed=0
# check NAME COMMAND..: runs COMMAND; if it fails, prints its output
check() {
	if "${@:2}" >/tmp/log 2>&1; then
		echo "ok $((++nr)) - $1"
	else
		sed 's/^/# /' /tmp/log | tail -60
		echo "not ok $((++nr)) - $1"
		failed=1
	fi
}

answers() {
	local i
	for ((i = 0; i < 120; i++)); do
		ask true && return
		sleep 1
	done
	return 1
}

# program ARG..: runs a program of four ranks, two on each machine
program() { timeout 200 hcctl mpirun -n 4 --fabric t --hostfile $hosts "$@" 2>&1 | tee $out; }

all_calls_are_right() {
	local call
	program conform -r 60 || return
	grep -q '^conform: [0-9]* calls, 0 of [1-9][0-9]* results wrong' $out || return
	for call in $every_call; do
		grep -q "^hypercube: $call  *[1-9][0-9]* in the kernel" $out || { echo "no $call"; return 1; }
	done
}

# With this program, ranks are on both machines, in the order of the file.
ranks_are_on_their_machines() {
	# shellcheck disable=SC2016
	program bash -c 'echo "$OMPI_COMM_WORLD_RANK on $(hostname)"' || return
	[[ $(grep ' on ' $out | sort | tr '\n' ' ') == '0 on m1 1 on m1 2 on m2 3 on m2 ' ]]
}

# with_fault COMMAND: COMMAND is a fault on this machine while a program runs, all whose results are
# right
with_fault() {
	local faults status
	(
		until hcctl plan show t 2>/dev/null | grep -q tree; do sleep 0.05; done
		sleep 3
		eval "$1"
	) &
	faults=$!
	program conform -r 10 -m 20000
	status=$?
	wait $faults
	((status == 0)) && grep -q '^conform: [0-9]* calls, 0 of [1-9][0-9]* results wrong' $out
}
# No path leads to the other machine any more.
ends_without_kernel() {
	with_fault 'hcctl link set t 0:1,1:1 down' && grep -q 'go on without the kernel after [1-9][0-9]*: ' $out &&
		grep -q 'below: a fault has ended the plan' $out
}
# The machines join another trunk in place of the one that has ended, and the guard installs the next
# epochs.
goes_on_in_kernel() {
	with_fault 'hcctl trunk del t 1' && ! grep -q 'without the kernel' $out
}

no_plan_stays() { [[ $(hcctl -j plan show t) == '[]' && $(ask 'hcctl -j plan show t') == '[]' ]]; }

# A fabric that is not there is not made, since the other machine would not have it.
no_fabric_is_made() {
	timeout 60 hcctl mpirun -n 4 --fabric none --hostfile $hosts odd sum 3 2>&1 | tee $out || return
	grep -q 'runs without a fabric: no fabric is there for the hosts of ' $out && ! hcctl fabric show | grep -q none
}

echo 'TAP version 13'
echo '1..8'
check 'the other machine answers' answers
check 'a fabric spans both' hcctl cluster up $file
check 'ranks are on the machines of their nodes' ranks_are_on_their_machines
check 'collectives of two machines are those of the MPI below' all_calls_are_right
check 'they go on without the kernel if both links to the other machine go down' ends_without_kernel
hcctl link set t 0:1,1:1 up
check 'they go on in the kernel if the trunk is joined again' goes_on_in_kernel
check 'no plan stays behind' no_plan_stays
check 'a fabric that is not there is not made for several machines' no_fabric_is_made
ask 'touch /tmp/end'
((failed == 0))
