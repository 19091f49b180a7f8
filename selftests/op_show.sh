#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# "hcctl op show" says who is missing: the nodes whose contributions a pending operation wants.

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

missing() { json '[.[] | .missing[]] | sort | join(" ")' op show t; }
missing_are() { [[ $(missing) == "$1" ]]; }

# hold NODE..: contributions of these nodes and no others
hold() { background "$here/hc_load" hold t 1 "$@"; }

prepare() {
	check 'add' hcctl fabric add t dim "$1"
	check 'plan' hcctl tree find fabric t apply sink 0
}

nobody_is_missing_at_rest() {
	prepare 3
	equal 'pending' '[]' "$(hcctl -j op show t)"
	check 'reduce' hcctl run reduce t op sum type u8 count 1 verify
	equal 'pending' '[]' "$(hcctl -j op show t)"
}

one_is_missing() {
	local u nodes
	prepare 3
	for u in 1 5 7; do
		nodes=$(seq 0 7 | grep -v "$u" | tr '\n' ' ')
		# shellcheck disable=SC2086
		hold $nodes
		check "node $u is missing" busywait 5 missing_are "$u"
		stop "$pid"
		check 'the rest is over' busywait 5 missing_are ''
	done
}

# Contributions that are complete outlive their sockets: only the sink's is wanted.
the_sink_is_missing() {
	prepare 3
	hold 1 2 3 4 5 6 7
	check 'the sink is missing' busywait 5 missing_are 0
	stop "$pid"
	check 'it still is' missing_are 0
	check 'plan again' hcctl tree find fabric t apply sink 0
	check 'that ends it' busywait 5 missing_are ''
}

several_are_missing() {
	prepare 4
	hold 0 1 2 3 4 6 8 9 10 11 12
	check 'they are missing' busywait 5 missing_are '5 7 13 14 15'
	stop "$pid"
}

it_is_said_since_when() {
	local before after
	prepare 2
	hold 0 1
	check 'nodes 2 and 3 are missing' busywait 5 missing_are '2 3'
	before=$(json '[.[0].waiting[] | .since_ns] | max' op show t)
	sleep 0.3
	after=$(json '[.[0].waiting[] | .since_ns] | max' op show t)
	((after > before)) || fault "the wait does not grow: $before, $after"
	hcctl op show t | grep -q 'missing 2,3' || fault "in words: $(hcctl op show t)"
}

who_comes_late_is_not_missing_any_more() {
	prepare 2
	hold 0 1 2
	local first=$pid
	check 'node 3 is missing' busywait 5 missing_are 3
	hold 3
	check 'nobody is missing' busywait 5 missing_are ''
	stop "$first"
}

run_tests nobody_is_missing_at_rest one_is_missing the_sink_is_missing several_are_missing \
	it_is_said_since_when who_comes_late_is_not_missing_any_more
