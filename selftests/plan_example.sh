#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of the example program of libhypercube-plan(3), exactly as on the page: its sums are right
# although links fail while it runs.
#
# Scheduling: shared

# shellcheck source=selftests/lib/sums.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/sums.sh"

# plain ROUNDS NODES: prints the expected sums; in each round node u contributes (u + 1) * round
plain() {
	local rounds=$1 nodes=$2 u round each=0
	for ((u = 1; u <= nodes; u++)); do ((each += u)); done
	for ((round = 1; round <= rounds; round++)); do echo "$round $((each * round))"; done
}

# shellcheck disable=SC2034
program=("$here/plan_example") begins='' rounds=1000 apart=50
run_sums
