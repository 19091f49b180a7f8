# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Measures the duration of operations of a guarded plan that a fault interrupts, and for comparison
# the time to make another communicator in Open MPI. Sourced by guest.sh, after collectives.sh.

recovery_bytes=65536

# recover FAULTS link|node: measures with this kind and number of faults, in a new fabric
recover() {
	local guard
	hcctl fabric add bench dim 4 || die 'no fabric'
	hcctl tree find fabric bench apply plan 1 sink 0 guard 10s >/dev/null || die 'no tree'
	hcctl guard bench >/dev/null &
	guard=$!
	"$here/measure_recovery" bench 1 4 $recovery_bytes "$1" "$2" || die "recovery of a $2 failed"
	kill "$guard"
	wait "$guard"
	hcctl fabric del bench
}

recovery() {
	local round nodes=40 links=100
	if [[ $mode == quick ]]; then nodes=8 links=20; fi
	say "recovery, $links links"
	recover $links link
	say "recovery, $nodes nodes"
	for ((round = 0; round < nodes; round++)); do recover 1 node; done
	say 'recovery, Open MPI'
	timeout 600 "${shm[@]}" -n 16 "$here/measure_recreate" $recovery_bytes $links || die 'Open MPI failed'
}
