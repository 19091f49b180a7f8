#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# The program of libhypercube-plan(3), as it stands there: its sums are right although links fail meanwhile.

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

# What the rounds come to, plainly: node u adds (u + 1) * round
plain() {
	local rounds=$1 nodes=$2 u round each=0
	for ((u = 1; u <= nodes; u++)); do ((each += u)); done
	for ((round = 1; round <= rounds; round++)); do echo "$round $((each * round))"; done
}

epoch_is_not() { [[ $(json '.[0].epoch' plan show t 1) != "$1" ]]; }
at_round() { (($(wc -l <"$scratch/sums") >= $1)); }
ended() { ! kill -0 "$1" 2>/dev/null; }

sums() { "$here/plan_example" t "$1" >"$scratch/sums" 2>"$scratch/said"; }
# right ROUNDS NODES: what the program has printed
right() { equal 'the sums' "$(plain "$1" "$2")" "$(<"$scratch/sums")"; }

without_faults() {
	check 'add' hcctl fabric add t dim 3
	check 'the program' sums 20
	right 20 8
	equal 'said' '' "$(<"$scratch/said")"
}

links_fail_meanwhile() {
	local rounds=1500 link round=0 epoch
	check 'add' hcctl fabric add t dim 3
	background sums $rounds
	# The tree of a cube without faults uses all links of its lowest node
	for link in 0:0 0:1 6:0; do
		((round += 50))
		check "round $round" busywait 30 at_round $round
		epoch=$(json '.[0].epoch' plan show t 1)
		check "$link" hcctl link set t "$link" down
		[[ $link == 6:0 ]] || check "a plan around $link" busywait 30 epoch_is_not "$epoch"
	done
	check 'the end' busywait 60 ended "$pid"
	wait "$pid" || fault "the program ended with status $?"
	right $rounds 8
	grep -qE 'went down|has broken the plan' "$scratch/said" || fault "nothing was said: $(<"$scratch/said")"
	tail -20 "$scratch/said" | sed 's/^/# /'
}

a_node_that_is_cut_off_is_left_out() {
	check 'add' hcctl fabric add t dim 3
	check 'cut off' hcctl link set t 7:0,7:1,7:2 down
	check 'the program' sums 5
	right 5 7
}

what_cannot_be_is_refused() {
	refused 'no fabric' 'fabric t: no such fabric' "$here/plan_example" t 5
	check 'add' hcctl fabric add t dim 2
	refused 'no right' 'fabric t: .*(not permitted|permission)' as 65534 "$here/plan_example" t 5
}

run_tests without_faults links_fail_meanwhile a_node_that_is_cut_off_is_left_out what_cannot_be_is_refused
