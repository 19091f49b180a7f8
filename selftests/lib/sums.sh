# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154
#
# Tests of an example program of the documentation, which runs sums over fabric "t" and prints a
# line for each round. The script that sources this file defines:
#    $program: the program and its arguments, as an array
#    $begins: a regular expression for the beginning of its error messages
#    $rounds: the number of rounds; $apart: the number of rounds between two links that fail
#    plain ROUNDS NODES: prints the expected lines

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

at_round() { (($(wc -l <"$scratch/sums") >= $1)); }
epoch_is_not() { [[ $(json '.[0].epoch' plan show t 1) != "$1" ]]; }
ended() { ! kill -0 "$1" 2>/dev/null; }

# sums ROUNDS: runs the program
sums() { "${program[@]}" t "$1" >"$scratch/sums" 2>"$scratch/said"; }
# right ROUNDS NODES: checks that the program has printed the expected lines
right() { equal 'the sums' "$(plain "$1" "$2")" "$(<"$scratch/sums")"; }

test_sums_without_faults_are_right() {
	check 'add' hcctl fabric add t dim 3
	check 'the program' sums 20
	right 20 8
	equal 'said' '' "$(<"$scratch/said")"
}

# The tree of a cube without faults uses all links of node 0, its root. So the first two links break
# the plan.
test_sums_are_right_while_links_fail() {
	local link round=0 epoch
	: >"$scratch/sums"
	check 'add' hcctl fabric add t dim 3
	background sums "$rounds"
	for link in 0:0 0:1 6:0; do
		((round += apart))
		check "round $round" busywait 60 at_round $round
		epoch=$(json '.[0].epoch' plan show t 1)
		check "$link" hcctl link set t "$link" down
		[[ $link == 6:0 ]] || check "a plan around $link" busywait 60 epoch_is_not "$epoch"
	done
	check 'the end' busywait 120 ended "$pid"
	wait "$pid" || fault "the program ended with status $?"
	right "$rounds" 8
	grep -qE 'went down|has broken the plan' "$scratch/said" || fault "nothing was said: $(<"$scratch/said")"
	tail -20 "$scratch/said" | sed 's/^/# /'
}

test_node_without_healthy_links_is_left_out() {
	check 'add' hcctl fabric add t dim 3
	check 'cut off' hcctl link set t 7:0,7:1,7:2 down
	check 'the program' sums 5
	right 5 7
}

test_missing_fabric_or_permission_is_an_error() {
	refused 'no fabric' "${begins}fabric t: no such fabric" "${program[@]}" t 5
	check 'add' hcctl fabric add t dim 2
	refused 'no right' "${begins}fabric t: .*(not permitted|permission)" as 65534 "${program[@]}" t 5
}

run_sums() {
	run_tests
}
