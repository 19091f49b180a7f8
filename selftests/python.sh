#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# The program of Documentation/python.rst, as it stands there: its sums are right although links fail meanwhile.

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

# What the rounds come to, plainly: a member adds itself and its number, times the round
plain() {
	local rounds=$1 round u members=0 sum=0
	for u in "${@:2}"; do ((++members, sum += u)); done
	for ((round = 1; round <= rounds; round++)); do echo "$round $((members * round)) $((sum * round))"; done
}

at_round() { (($(wc -l <"$scratch/sums") >= $1)); }
epoch_is_not() { [[ $(json '.[0].epoch' plan show t 1) != "$1" ]]; }
ended() { ! kill -0 "$1" 2>/dev/null; }

sums() { python3 "$here/python_example.py" t "$1" >"$scratch/sums" 2>"$scratch/said"; }
# right ROUNDS NODE..: what the program has printed
right() { equal 'the sums' "$(plain "$@")" "$(<"$scratch/sums")"; }

without_faults() {
	check 'add' hcctl fabric add t dim 3
	check 'the program' sums 20
	right 20 {0..7}
	equal 'said' '' "$(<"$scratch/said")"
}

# The tree of a cube without faults uses all links of its lowest node.
links_fail_meanwhile() {
	local rounds=200 link round=0 epoch
	: >"$scratch/sums"
	check 'add' hcctl fabric add t dim 3
	background sums $rounds
	for link in 0:0 0:1 6:0; do
		((round += 20))
		check "round $round" busywait 60 at_round $round
		epoch=$(json '.[0].epoch' plan show t 1)
		check "$link" hcctl link set t "$link" down
		[[ $link == 6:0 ]] || check "a plan around $link" busywait 60 epoch_is_not "$epoch"
	done
	check 'the end' busywait 120 ended "$pid"
	wait "$pid" || fault "the program ended with status $?"
	right $rounds {0..7}
	grep -qE 'went down|has broken the plan' "$scratch/said" || fault "nothing was said: $(<"$scratch/said")"
	tail -20 "$scratch/said" | sed 's/^/# /'
}

a_node_that_is_cut_off_is_left_out() {
	check 'add' hcctl fabric add t dim 3
	check 'cut off' hcctl link set t 7:0,7:1,7:2 down
	check 'the program' sums 5
	right 5 {0..6}
}

what_cannot_be_is_refused() {
	refused 'no fabric' '^fabric t: no such fabric' python3 "$here/python_example.py" t 5
	check 'add' hcctl fabric add t dim 2
	refused 'no right' '^fabric t: .*(not permitted|permission)' as 65534 python3 "$here/python_example.py" t 5
}

python3 -c 'import hypercube' 2>/dev/null || skip_all 'there is no python3 with numpy: selftests/python/run'
run_tests without_faults links_fail_meanwhile a_node_that_is_cut_off_is_left_out what_cannot_be_is_refused
