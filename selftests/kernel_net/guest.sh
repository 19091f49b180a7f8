#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs the kernel's network tests in the VM, over wires that are two endpoints of a fabric. Prints
# KTAP.
# Usage: guest.sh [--list | TEST..]; $HC_WIRES are the kinds of wires (near far around).

# shellcheck source=selftests/kernel_net/programs.sh
. "$(dirname "${BASH_SOURCE[0]}")/programs.sh"

# The tests, each with its kinds of wires. A script of the kernel runs unchanged: bin/ip gives it
# endpoints instead of a veth pair. Any other name is a function of programs.sh. All tests together
# take less than four minutes.
listed=(
	'near: msg_zerocopy.sh 4 tcp -t 1'
	'far: msg_zerocopy.sh 6 udp -t 1'
	'around: msg_zerocopy.sh 6 tcp -t 1'
	'near: io_uring_zerocopy_tx.sh 4 udp -m 1 -t 1 -n 32'
	'around: io_uring_zerocopy_tx.sh 6 tcp -m 3 -t 1 -n 1'
	'near far around: fib_nexthop_nongw.sh'
	'near around: gre_gso.sh'
	'around: udpgso_bench'
	'near: txtimestamp'
	'near around: udpgro'
	'around: tcp_mmap'
	'far: gro_ipv4'
	'around: gro_ipv6'
	'near: netdevice'
)

# leave_nothing: removes what a failed test may have left
leave_nothing() {
	local name
	for name in $(hcctl -n hc-wires fabric show | awk 'NR > 1 { print $1 }'); do
		hcctl -n hc-wires fabric del "$name"
	done
	for name in $(ip netns list | sed 's/ .*//' | grep -vx hc-wires); do
		ip netns del "$name"
	done
	for name in $(ip -o link show type veth | sed -nE 's/^[0-9]+: ([^:@]+).*/\1/p'); do
		ip link del "$name"
	done
} 2>/dev/null

# as_it_is SCRIPT [ARGUMENT..]: runs a script of the kernel. Its exit status 4 means that it cannot
# run here.
as_it_is() {
	local status=0
	(cd "$net/$(dirname "$1")" && timeout -k 5 "$limit" "./$(basename "$1")" "${@:2}") \
		>"$scratch/said" 2>&1 </dev/null || status=$?
	case $status in
	0) ;;
	4) skip "$(grep -iE 'skip|not found|required' "$scratch/said" | tail -1)" ;;
	124) fault "it did not end within $limit s" ;;
	*) fault "status $status" ;;
	esac
	[[ ! $bad ]] || tail -n 40 "$scratch/said" | sed 's/^/#   /'
}

# one WIRE TEST [ARGUMENT..]: runs a test over a wire of this kind
one() {
	export HC_WIRE=$1
	if [[ $2 == *.sh ]]; then
		as_it_is "${@:2}"
	else
		between_ends "$2"
	fi
	leave_nothing
}

# add_case WIRE TEST [ARGUMENT..]: defines a function for this case, which run_tests finds.
# Characters such as slashes are replaced in its name.
add_case() {
	local name="test $1 ${*:2}"
	name=${name//[^a-zA-Z0-9.]/_}
	eval "$name() { one $*; }"
}

if [[ ${1-} == --list ]]; then
	printf '%s\n' "${listed[@]}"
	exit
fi
PATH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/bin:$PATH
for wire in ${HC_WIRES:=near far around}; do
	for test in "$@"; do
		# shellcheck disable=SC2086
		add_case $wire $test
	done
	(($#)) || for line in "${listed[@]}"; do
		# shellcheck disable=SC2086
		[[ " ${line%%:*} " != *" $wire "* && $wire != veth ]] || add_case $wire ${line#*: }
	done
done
ip netns add hc-wires
# tcpdump switches to this user, so it must exist.
grep -q ^tcpdump: /etc/passwd || echo 'tcpdump:x:65533:65534::/nonexistent:/bin/false' >>/etc/passwd
run_tests
