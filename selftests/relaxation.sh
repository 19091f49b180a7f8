#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Error-detecting relaxation (demo/relax.c) on small meshes gives the results that the demonstration
# shows. While no environment has more than one Byzantine cell, each error is detected, whichever
# cells are Byzantine and whatever they do. The program compares with the solution by elimination.
#
# Scheduling: shared long

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

relax=$here/demo/relax

test_relaxation_demonstration_succeeds() {
	local said
	said=$("$here/demo/relax_guest.sh" 4x4) || fault 'the demonstration fails'
	grep -vE '^$|^==' <<<"$said" | while IFS= read -r line; do log "$line"; done
}

# a_liar ROW COL: prints an argument that makes this cell Byzantine in a random way
a_liar() {
	local ways=(value blame faces late)
	echo "$1,$2:${ways[RANDOM % 4]}:$((RANDOM % 100)).$((RANDOM % 1000))1"
}

# The Byzantine cells are random sets that the planner accepts: at most one in each environment.
test_one_byzantine_cell_in_each_environment_is_detected() {
	local round mesh set cell rows cols liars result
	RANDOM=17
	check 'add' hcctl fabric add t dim 5
	for ((round = 0; round < $(scaled 12); round++)); do
		rows=$((2 + RANDOM % 3)) cols=$((2 + RANDOM % 7))
		mesh=${rows}x$cols
		set=$((RANDOM % (rows * cols))),$((RANDOM % (rows * cols)))
		json_is true .feasible mfi mesh "$mesh" pattern box set "$set" || set=${set%,*}
		liars=()
		for cell in ${set//,/ }; do liars+=(-l "$(a_liar $((cell / cols)) $((cell % cols)))"); done
		result=$("$relax" t "$mesh" -c 3 "${liars[@]}") || fault "$mesh: relax ${liars[*]} failed"
		equal "$mesh: vote on ${liars[*]}" noticed "$(pick .vote <<<"$result")"
		equal "$mesh: not accused of ${liars[*]}" '[]' "$(jq -c '.liars - .accused' <<<"$result")"
	done
}

test_wrong_options_are_refused() {
	check 'add' hcctl fabric add t dim 4
	refused 'nothing' 'usage: relax' "$relax"
	refused 'no mesh' 'is no mesh' "$relax" t 4
	refused 'one row' 'is no mesh' "$relax" t 1x4
	refused 'more nodes than any fabric here' 'is no mesh' "$relax" t 17x16
	refused 'rest of a mesh' 'is no mesh' "$relax" t 4x4x4
	refused 'no liar' 'is no ROW,COL:HOW' "$relax" t 4x4 -l 1,1
	refused 'no place' 'is no ROW,COL:HOW' "$relax" t 4x4 -l 1:value
	refused 'no cell' 'has 4 rows of 4' "$relax" t 4x4 -l 4,0:value
	refused 'no way' 'is no way to lie' "$relax" t 4x4 -l 1,1:boldly
	refused 'no value' 'is no value' "$relax" t 4x4 -l 1,1:value:hot
	refused 'too hot' 'is no value' "$relax" t 4x4 -l 1,1:value:101
	refused 'not a number' 'is no value' "$relax" t 4x4 -l 1,1:value:nan
	refused 'a value of who has none' 'tells no value' "$relax" t 4x4 -l 1,1:cover:3
	refused 'two ways at once' 'lies already' "$relax" t 4x4 -l 1,1:value -l 1,1:faces
	refused 'no copies' 'number of copies' "$relax" t 4x4 -c 0
	refused 'half a copy' 'not whole' "$relax" t 4x4 -c 1.5
	refused 'fewer copies at the end' 'more than 2 at the end' "$relax" t 4x4 -c 2 -w 3
	refused 'no epsilon' 'is no epsilon' "$relax" t 4x4 -e 0
	refused 'unknown option' 'usage: relax' "$relax" t 4x4 -x
	refused 'too much' 'is too much' "$relax" t 4x4 more
	refused 'no fabric' 'cannot bind' "$relax" nowhere 4x4
	refused 'a cube too small' 'cannot bind' "$relax" t 8x8
	refused 'more copies than paths' '4 paths lead to cell' "$relax" t 4x4 -c 5
	refused 'no such folder' 'No such file' "$relax" t 2x2 -c 2 -p /nowhere/x.svg
}

run_tests
