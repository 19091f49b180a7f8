#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: vm_paused.sh [KERNEL]
#
# On the host: runs operations in a virtual machine, and stops the machine for 20 s during them, as
# a suspended or overloaded host does. For the operations only a moment passes, and none of them may
# fail. Prints TAP.

set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kernel=${1:-stock}
said=$(mktemp)
vm=''
# shellcheck disable=SC2317
cleanup() {
	[[ -z $vm ]] || { kill "$vm" && wait "$vm"; } 2>/dev/null
	rm -f "$said"
}
trap cleanup EXIT

# machine: prints the pid of the QEMU that vm/run has started
machine() {
	local pid
	for pid in $(ps -o pid= --ppid "$vm"); do
		[[ $(ps -o comm= -p "$pid") != qemu* ]] || echo "$pid"
	done
}

echo 'TAP version 13'
echo '1..1'
"$here/vm/run" --kernel "$kernel" --no-build --timeout 150 -- /selftests/hc_paused >"$said" 2>&1 &
vm=$!
for _ in {1..1200}; do
	! grep -q 'under way' "$said" || break
	kill -0 "$vm" 2>/dev/null || break
	sleep 0.1
done
qemu=$(machine)
if [[ $qemu ]]; then
	sleep 1.5
	kill -STOP "$qemu"
	sleep 20
	kill -CONT "$qemu"
fi
wait "$vm"
status=$?
vm=''
sed 's/^/# /' "$said"
if [[ $qemu ]] && ((!status)); then
	echo 'ok 1 no operation fails in a machine that was stopped'
else
	echo "not ok 1 no operation fails in a machine that was stopped (status $status)"
	exit 1
fi
