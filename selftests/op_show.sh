#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# "hcctl op show" names the missing members: the nodes for whose contributions a pending operation
# waits. "hcctl top" also shows the members that wait, and the traffic; on a terminal it draws each
# picture over the previous one.
#
# Scheduling: shared second

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

missing() { json '[.[] | .missing[]] | sort | join(" ")' op show t; }
missing_are() { [[ $(missing) == "$1" ]]; }

# hold NODE..: starts processes that contribute at exactly these nodes, and wait
hold() { background "$here/hc_load" hold t 1 "$@"; }

prepare() {
	check 'add' hcctl fabric add t dim "$1"
	check 'plan' hcctl tree find fabric t apply sink 0
}

test_no_member_is_missing_without_pending_operations() {
	prepare 3
	equal 'pending' '[]' "$(hcctl -j op show t)"
	check 'reduce' hcctl run reduce t op sum type u8 count 1 verify
	equal 'pending' '[]' "$(hcctl -j op show t)"
}

test_op_show_names_the_missing_member() {
	local u nodes
	prepare 3
	for u in 1 5 7; do
		nodes=$(seq 0 7 | grep -v "$u" | tr '\n' ' ')
		# shellcheck disable=SC2086
		hold $nodes
		check "node $u is missing" busywait 5 missing_are "$u"
		stop "$pid"
		check 'the rest is over' busywait 5 missing_are ''
		# The next contributor may not have been notified of the failure yet, and would
		# contribute to the failed operation. So install a new plan.
		check 'plan again' hcctl tree find fabric t apply sink 0
	done
}

# A complete contribution stays when its socket is closed, so only the sink's contribution is
# missing.
test_op_show_names_the_missing_root() {
	prepare 3
	hold 1 2 3 4 5 6 7
	check 'the sink is missing' busywait 5 missing_are 0
	stop "$pid"
	check 'it still is' missing_are 0
	check 'plan again' hcctl tree find fabric t apply sink 0
	check 'that ends it' busywait 5 missing_are ''
}

# generations FILTER: have all waiting members the same generation, and is the jq filter true for
# it?
generations() { json_is true "[.[].waiting[].generation] | unique | length == 1 and .[0] $1" op show t; }

test_failure_of_an_operation_begins_a_new_generation() {
	prepare 2
	hold 0 1 2
	check 'the first generation' busywait 5 generations '== 0'
	stop "$pid"
	check 'the rest is over' busywait 5 missing_are ''
	hold 0 1 2
	check 'a later generation' busywait 5 generations '> 0'
	hcctl op show t | grep -qE '^ +1 +[1-9][0-9]* +[0-9]+ +0 ' || fault "in words: $(hcctl op show t)"
	stop "$pid"
}

test_op_show_names_several_missing_members() {
	prepare 4
	hold 0 1 2 3 4 6 8 9 10 11 12
	check 'they are missing' busywait 5 missing_are '5 7 13 14 15'
	stop "$pid"
}

test_op_show_prints_how_long_members_wait() {
	local before after
	prepare 2
	hold 0 1
	check 'nodes 2 and 3 are missing' busywait 5 missing_are '2 3'
	before=$(json '[.[0].waiting[] | .since_ns] | max' op show t)
	nap 0.3
	after=$(json '[.[0].waiting[] | .since_ns] | max' op show t)
	((after > before)) || fault "the wait does not grow: $before, $after"
	hcctl op show t | grep -qE '^ +1 +[0-9]+ +0 +2  2,3$' || fault "in words: $(hcctl op show t)"
}

test_late_contributor_is_no_longer_missing() {
	prepare 2
	hold 0 1 2
	local first=$pid
	check 'node 3 is missing' busywait 5 missing_are 3
	hold 3
	check 'nobody is missing' busywait 5 missing_are ''
	stop "$first"
}

test_top_shows_which_members_wait_for_which_peer() {
	prepare 2
	hold 0 1 3
	check 'node 2 is missing' busywait 5 missing_are 2
	json_is true 'any(.waiting[]; .wait == "peer" and .peer == 2)' top t interval 50ms ||
		fault "nobody waits for node 2: $(hcctl -j top t interval 50ms)"
	equal 'plans' '[[1,4]]' "$(json '[.plans[] | [.plan, .members]]' top t interval 50ms)"
	hcctl top t interval 50ms | grep -qE '^    plan 1 operation 0: node [0-9] waits for data of node 2, ' ||
		fault "in words: $(hcctl top t interval 50ms)"
	stop "$pid"
}

test_top_shows_rates_of_frames_and_operations() {
	prepare 3
	equal 'at rest' '[0,0,[],[]]' "$(json '[.frames_per_second, .drops_per_second, .links, .nodes]' top t interval 50ms)"
	background hcctl run allreduce t count 10000 iterations 1000000
	busywait 10 json_is true 'any(.[]; .op > 3)' op show t || fault 'no allreduce runs'
	hcctl -j top t interval 1s >"$scratch/top"
	check 'rates' jq -e '.frames_per_second > 0 and (.links | length) >= 14 and (.plans[0].operations_per_second > 0)
		and .host_frames_per_second > 0 and .interval_ns >= 1000000000
		and (([.links[].frames_per_second] | add) - .frames_per_second | fabs) <= (.links | length)
		and ([.links[].bytes_per_second] | . == (sort | reverse))' "$scratch/top"
	equal 'pictures' 3 "$(hcctl -j top t interval 20ms count 3 | wc -l)"
	check 'a broadcast beside' hcctl bcast plan fabric t source 0 apply
	equal 'rows of plans' 1 "$(hcctl top t interval 50ms rows 1 | grep -c '^  plan ')"
	equal 'rows' 2 "$(hcctl top t interval 50ms rows 2 | grep -cE '^  [0-9]+:[0-9] > ')"
	stop "$pid"
}

test_top_restores_the_terminal_at_its_end() {
	local seen=0
	prepare 2
	"$here/hc_tty" 3000 hcctl top t interval 200ms >"$scratch/tty" || seen=$?
	equal 'status after Ctrl-C' 0 "$seen"
	(($(grep -c $'\e\\[H\e\\[J' "$scratch/tty") >= 2)) || fault 'there are no two pictures'
	equal 'the cursor goes once' 1 "$(grep -o $'\e\\[?25l' "$scratch/tty" | wc -l)"
	# The terminal may print "^C" after the escape sequence.
	[[ $(tail -c 8 "$scratch/tty") =~ $'\e[?25h'('^C')?$ ]] || fault "the cursor is not back: $(tail -c 60 "$scratch/tty" | od -c)"
	hcctl top t interval 50ms | grep -q $'\e' && fault 'a pipe gets escape sequences'
	{ sleep 1; hcctl fabric del t; } &
	"$here/hc_tty" 60000 hcctl top t interval 200ms >"$scratch/tty" && fault 'it goes on without a fabric'
	# A fabric is no longer shown once its removal has begun.
	wait $!
	grep -q 'fabric t: no such fabric' <<<"$(tr '[:upper:]' '[:lower:]' <"$scratch/tty")" || fault 'no word of that'
	[[ $(tail -c 6 "$scratch/tty") == $'\e[?25h' ]] || fault 'the cursor is not back'
	refused 'without a fabric' 'no such fabric' hcctl top t
}

# nohup(1) makes a program ignore SIGHUP.
test_top_continues_after_an_ignored_signal() {
	prepare 2
	(trap '' HUP; exec hcctl -j top t interval 300ms count 5) >"$scratch/ignored" &
	jobs+=($!)
	check 'a picture' busywait 10 test -s "$scratch/ignored"
	check 'a hangup' kill -HUP $!
	wait $! || fault 'it did not end well'
	equal 'pictures' 5 "$(wc -l <"$scratch/ignored")"
}

run_tests
