#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of the example program of Documentation/python.rst, exactly as on the page: its sums are
# right although links fail while it runs.

# shellcheck source=selftests/lib/sums.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/sums.sh"

# plain ROUNDS NODES: prints the expected sums; in each round a member contributes the round's
# number, and the product of this number and its node's number
plain() {
	local rounds=$1 nodes=$2 round u sum=0
	for ((u = 0; u < nodes; u++)); do ((sum += u)); done
	for ((round = 1; round <= rounds; round++)); do echo "$round $((nodes * round)) $((sum * round))"; done
}

python3 -c 'import hypercube' 2>/dev/null || skip_all 'there is no python3 with numpy: selftests/python/run'
# shellcheck disable=SC2034
program=(python3 "$here/python_example.py") begins='^' rounds=100 apart=20
run_sums
