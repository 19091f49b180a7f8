#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# The program of libhypercube-plan(3), as it stands there: its sums are right although links fail meanwhile.

# shellcheck source=selftests/lib/sums.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/sums.sh"

# What the rounds come to, plainly: node u adds (u + 1) * round
plain() {
	local rounds=$1 nodes=$2 u round each=0
	for ((u = 1; u <= nodes; u++)); do ((each += u)); done
	for ((round = 1; round <= rounds; round++)); do echo "$round $((each * round))"; done
}

# shellcheck disable=SC2034
program=("$here/plan_example") begins='' rounds=1000 apart=50
run_sums
