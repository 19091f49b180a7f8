#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Guarded plans: how they are installed, and how "hcctl guard" installs their next epochs after
# faults have broken them.
#
# Scheduling: shared

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

# plan ID FILTER: is the jq filter true for the plan?
plan() { hcctl -j plan show t "$1" | jq -e ".[0] | $2" >/dev/null; }
epoch() { hcctl -j plan show t "$1" | jq '.[0].epoch'; }
broken() { plan "$1" .broken; }

# tree_link ID: prints a link of the plan's first stage, of the node that is the sink's neighbour at
# the last stage. There are trees with the same sink that do not use this link.
tree_link() {
	hcctl -j plan show t "$1" | jq -r 'def toggled(d): if ((. / d) | floor) % 2 == 1 then . - d else . + d end;
		.[0] | .order as $o | .sink | toggled(pow(2; $o[-1])) | "\(.):\($o[0])"'
}

# break_plan ID: takes a link of its tree down
break_plan() {
	check 'down' hcctl link set t "$(tree_link "$1")" down
	check 'broken' busywait 5 broken "$1"
}

# guard: starts "hcctl guard"; it writes a line of JSON for each of its actions to $scratch/guard
guard() {
	hcctl -j guard t >"$scratch/guard" 2>&1 &
	jobs+=($!)
}
did() { jq -e -n "[inputs | select($1)] | length > 0" "$scratch/guard"; }

test_guarded_plan_shows_its_guard_and_recipe() {
	check 'add' hcctl fabric add t dim 4
	check 'apply' hcctl tree find fabric t apply plan 7 sink 3 guard 2500ms method exact
	check 'shown' plan 7 '.guard_ms == 2500 and .recipe == "tree find sink 3 method exact"'
	check 'in text' says "$(hcctl plan show t)" 'guard 2.5s'
	check 'again' hcctl tree find fabric t apply plan 7
	check 'not guarded' plan 7 'has("guard_ms") or has("recipe") | not'
}

test_guard_is_refused_for_unsupported_plans() {
	check 'add' hcctl fabric add t dim 3
	refused 'rings that repair themselves' 'rings that repair themselves need no guard' \
		hcctl ring plan fabric t apply repair guard 1s
	check 'broadcast' hcctl bcast plan fabric t source 0 apply guard 1s
	refused 'a tree behind a broadcast' 'A guarded broadcast goes on as a broadcast' hcctl tree find fabric t apply plan 2 guard 1s
	check 'tree' hcctl tree find fabric t apply guard 1s
	refused 'a broadcast behind a tree' 'A guarded broadcast goes on as a broadcast' \
		hcctl bcast plan fabric t source 0 apply plan 1 guard 1s
	check 'half' hcctl fabric add h dim 3 nodes 0XX
	check 'a tree there' hcctl tree find fabric h subcube 0XX apply guard 1s
	refused 'a user in a fabric that spans machines' 'spans machines no user is entrusted' \
		hcctl plan set h 1 guard-uid 65534
	check 'del' hcctl fabric del h
	refused 'no such plan' 'no such plan: 4' hcctl guard t plan 4 once
	refused 'no such fabric' 'No such fabric' hcctl guard nowhere once
}

test_saved_state_restores_guard_and_recipe() {
	check 'add' hcctl fabric add t dim 3
	check 'apply' hcctl tree find fabric t apply sink 5 guard 7s
	hcctl fabric save t >"$scratch/state"
	check 'in the file' jq -e '.plans[0] | .guard_ms == 7000 and .recipe == "tree find sink 5"' "$scratch/state"
	check 'another' hcctl tree find fabric t apply sink 5
	check 'restore' hcctl fabric restore "$scratch/state"
	check 'restored' plan 1 '.guard_ms == 7000 and .recipe == "tree find sink 5"'
	equal 'differences' 'fabric t: nothing to do' "$(hcctl fabric restore "$scratch/state" dry-run)"
}

test_guard_once_renews_only_broken_guarded_plans() {
	local before
	check 'add' hcctl fabric add t dim 4
	check 'apply' hcctl tree find fabric t apply sink 3 guard 5s
	check 'not guarded' hcctl tree find fabric t apply plan 2 sink 3
	equal 'nothing to do' '' "$(hcctl guard t once)"
	break_plan 1
	before=$(epoch 1)
	check 'renew' says "$(hcctl guard t once)" '^plan 1: broken by link [0-9]+:[0-9]+, epoch [0-9]+ installed, 16 members, in '
	check 'renewed' plan 1 "(.broken | not) and .epoch > $before and .sink == 3 and .guard_ms == 5000
		and .recipe == \"tree find sink 3\""
	check 'the other stays' broken 2
	equal 'nothing to do' '' "$(hcctl guard t once)"
}

test_failed_sink_is_replaced_until_the_node_recovers() {
	check 'add' hcctl fabric add t dim 3
	check 'apply' hcctl tree find fabric t apply sink 3 guard 5s
	check 'fail' hcctl node set t 3 fail
	check 'broken' busywait 5 broken 1
	check 'says so' says "$(hcctl guard t once)" '^plan 1: no tree with sink 3: .*; any other is taken$'
	check 'another' plan 1 '(.broken | not) and .sink != 3 and (.members | length) == 7 and .recipe == "tree find sink 3"'
	check 'ok' hcctl node set t 3 ok
	break_plan 1
	check 'renew' hcctl guard t once
	check 'back' plan 1 '(.broken | not) and .sink == 3 and (.members | length) == 8'
}

test_cut_off_node_is_left_out_until_links_recover() {
	check 'add' hcctl fabric add t dim 3
	check 'apply' hcctl tree find fabric t apply sink 0 guard 5s
	check 'cut off' hcctl link set t 7 down
	check 'broken' busywait 5 broken 1
	check 'renew' hcctl guard t once
	check 'without it' plan 1 '(.broken | not) and .members == [0,1,2,3,4,5,6]'
	check 'all links' hcctl link set t all down
	check 'broken' busywait 5 broken 1
	refused 'none is left' 'plan 1 is not guarded: no tree: ' hcctl guard t once
	check 'clear' hcctl fault clear t
	check 'renew' hcctl guard t once
	check 'all' plan 1 '(.broken | not) and (.members | length) == 8'
}

test_guard_command_makes_named_plans_guarded() {
	check 'add' hcctl fabric add t dim 4
	check 'a part' hcctl tree find fabric t subcube XX1X sink 6 apply plan 2
	check 'all' hcctl tree find fabric t apply plan 3 sink 9
	local order
	order=$(hcctl -j plan show t 3 | jq -c '.[0].order')
	check 'guard' says "$(hcctl guard t plan 2,3 time 1s once)" '^plan 3: guarded for 1s, epoch [0-9]+ installed, 16 members'
	check 'a part' plan 2 '.guard_ms == 1000 and .recipe == "tree find sink 6 subcube XX1X" and (.members | length) == 8'
	check 'all' plan 3 ".guard_ms == 1000 and .recipe == \"tree find sink 9\" and .order == $order"
	break_plan 2
	check 'renew' hcctl guard t once
	check 'the same part' plan 2 '(.broken | not) and .sink == 6 and (.members | length) == 8'
}

test_broken_guarded_broadcast_is_planned_again() {
	check 'add' hcctl fabric add t dim 3
	check 'apply' hcctl bcast plan fabric t source 3 method minimal apply guard 5s
	check 'another' hcctl bcast plan fabric t source 6 apply plan 4
	check 'guard' hcctl guard t plan 4 once
	check 'shown' plan 2 '.type == "bcast" and .guard_ms == 5000 and .recipe == "bcast plan source 3 method minimal"'
	check 'made a guarded one' plan 4 '.source == 6 and .guard_ms == 5000 and .recipe == "bcast plan source 6"'
	check 'down' hcctl link set t 3 down
	check 'broken' busywait 5 broken 2
	check 'says so' says "$(hcctl guard t once)" '^plan 2: no broadcast from node 3: .*; any other is taken$'
	check 'another source' plan 2 '(.broken | not) and .source == 0 and .members == [0,1,2,4,5,6,7]
		and .recipe == "bcast plan source 3 method minimal"'
	check 'clear' hcctl fault clear t
	check 'down' hcctl link set t 0 down
	check 'broken' busywait 5 broken 2
	check 'renew' hcctl guard t once
	check 'the source is back' plan 2 '(.broken | not) and .source == 3 and .members == [1,2,3,4,5,6,7]'
	check 'without' hcctl bcast plan fabric t source 3 without 7 apply plan 5 guard 5s
	check 'without one' plan 5 '.members == [1,2,3,4,5,6] and .recipe == "bcast plan source 3 without 7"'
	refused 'all' 'it is for one source' hcctl bcast plan dim 3 all without 7
	refused 'no such node' 'no such node: 8' hcctl bcast plan dim 3 source 0 without 8
}

test_broken_guarded_rings_are_planned_again() {
	check 'add' hcctl fabric add t dim 3
	check 'apply' hcctl ring plan fabric t width 4 apply guard 5s
	check 'another' hcctl ring plan fabric t apply plan 4
	check 'guard' hcctl guard t plan 4 once
	check 'shown' plan 5 '.type == "ring" and .guard_ms == 5000 and .recipe == "ring plan width 4"'
	check 'made a guarded one' plan 4 '.type == "ring" and .guard_ms == 5000'
	check 'fail' hcctl node set t 6 fail
	check 'broken' busywait 5 broken 5
	check 'renew' hcctl guard t once
	check 'without it' plan 5 '(.broken | not) and .type == "ring" and .members == [0,1,2,3,4,5,7] and .recipe == "ring plan width 4"'
	check 'the other' plan 4 '(.broken | not) and .type == "ring" and (.members | length) == 7'
	check 'results' hcctl run allgather t plan 4 count 7000 random 5 verify
	check 'results' hcctl run alltoall t plan 5 count 700 random 5 verify
	check 'clear' hcctl fault clear t
	check 'without' hcctl ring plan fabric t without 0-1 apply plan 6
	check 'without two' plan 6 '.members == [2,3,4,5,6,7]'
}

test_broken_doubling_plan_becomes_tree_until_links_recover() {
	check 'add' hcctl fabric add t dim 3
	check 'apply' hcctl doubling plan fabric t apply guard 5s
	check 'a part' hcctl doubling plan fabric t subcube X0X apply plan 4
	check 'guard' hcctl guard t plan 4 once
	check 'shown' plan 3 '.type == "doubling" and .guard_ms == 5000 and .recipe == "doubling plan"'
	check 'a part' plan 4 '.type == "doubling" and .recipe == "doubling plan subcube X0X"'
	check 'down' hcctl link set t 0:2 down
	check 'broken' busywait 5 broken 3
	check 'broken' busywait 5 broken 4
	check 'renew' says "$(hcctl guard t once)" '^plan 3: broken by link [04]:2, epoch [0-9]+ installed, 8 members, in '
	check 'a tree' plan 3 '.type == "tree" and (.members | length) == 8 and .recipe == "doubling plan" and (.broken | not)'
	check 'of the part' plan 4 '.type == "tree" and .members == [0,1,4,5] and .recipe == "doubling plan subcube X0X"'
	check 'up' hcctl fault clear t
	break_plan 3
	check 'up' hcctl fault clear t
	check 'renew' hcctl guard t once
	check 'a doubling' plan 3 '.type == "doubling" and (.members | length) == 8 and (.broken | not)'
	check 'fail' hcctl node set t 7 fail
	check 'broken' busywait 5 broken 3
	check 'renew' hcctl guard t once
	check 'without it' plan 3 '.type == "tree" and .members == [0,1,2,3,4,5,6]'
}

# balancing FILTER: is the jq filter true for the state of load balancing: its rounds and its
# topology?
balancing() { hcctl -j balance show t | jq -e "$1" >/dev/null; }
more_rounds() { check 'rounds go on' busywait 10 balancing ".done > $(($(json .done balance show t) + 2))"; }
topology_is_planned() {
	[[ $(hcctl -j balance topology fabric t | jq -c '[.subcube, .depth]') == "$(hcctl -j balance show t | jq -c '[.subcube, .depth]')" ]]
}

test_guard_installs_balance_topology_around_new_faults() {
	local before
	check 'add' hcctl fabric add t dim 3
	equal 'none is applied' '' "$(hcctl guard t once)"
	check 'apply' hcctl balance topology fabric t apply
	check 'tasks' "$here/hc_load" tasks t 3 40
	check 'automatic' hcctl balance set t method mcwa period 20
	guard
	more_rounds
	before=$(json .epoch balance show t)
	check 'down' hcctl link set t 3:1 down
	check 'another' busywait 5 did '.event == "topology" and .topology == "mcwa" and .members == 8'
	check 'applied' balancing ".epoch == $before + 1"
	check 'as planned' topology_is_planned
	more_rounds
	check 'fail' hcctl node set t 6 fail
	check 'without it' busywait 5 did '.event == "topology" and .members == 7'
	more_rounds
	check 'clear' hcctl fault clear t
	check 'all' busywait 5 balancing '.subcube == "XXX"'
	more_rounds
	equal 'nothing to do' '' "$(hcctl guard t once)"
}

# With these faults, the topologies of the methods "mcwa" and "minimal-depth" differ.
test_guard_keeps_method_of_balance_topology() {
	check 'add' hcctl fabric add t dim 4
	check 'fail' hcctl node set t 4,5,7,8 fail
	check 'apply' hcctl balance topology fabric t method minimal-depth apply
	equal 'nothing to do' '' "$(hcctl guard t once)"
	guard
	check 'it listens' busywait 5 balancing '.subcube == "XX10"'
	nap 0.5
	check 'fail' hcctl node set t 0 fail
	check 'the same kind' busywait 5 did '.event == "topology" and .topology == "minimal-depth" and .members == 11'
	check 'as planned' balancing '.subcube == "XX10" and .epoch == 2'
}

test_two_guards_install_only_one_epoch_per_fault() {
	local i before
	check 'add' hcctl fabric add t dim 4
	# If the sink has no faulty link, the tree always uses the sink's link of the last stage.
	check 'apply' hcctl tree find fabric t apply guard 5s
	guard
	cp /dev/null "$scratch/other"
	hcctl -j guard t >"$scratch/other" 2>&1 &
	jobs+=($!)
	for ((i = 1; i <= 5; i++)); do
		before=$(epoch 1)
		check 'down' hcctl link set t "$(tree_link 1)" down
		check 'renewed' busywait 5 plan 1 "(.broken | not) and .epoch > $before"
		equal 'epochs' $((before + 1)) "$(epoch 1)"
		check 'clear' hcctl fault clear t
	done
	check 'by one of them each time' busywait 5 renewed 5
	nap 1.5
	check 'and not again' renewed 5
}
renewed() { [[ $(cat "$scratch/guard" "$scratch/other" | jq -n '[inputs | select(.event == "renewed")] | length') == "$1" ]]; }

test_guard_ends_with_its_fabric_or_by_a_signal() {
	check 'add' hcctl fabric add t dim 3
	check 'apply' hcctl tree find fabric t apply guard 5s
	guard
	local pid=${jobs[-1]}
	break_plan_now
	check 'renewed' busywait 5 did '.event == "renewed" and .plan == 1 and .members == 8'
	kill -TERM "$pid"
	wait "$pid" || fault 'status after a signal'
	check 'the plan stays' plan 1 '(.broken | not) and .guard_ms == 5000'
	guard
	pid=${jobs[-1]}
	# The guard installs a new epoch, which shows that it is running.
	break_plan_now
	check 'renewed' busywait 5 did '.event == "renewed"'
	check 'del' hcctl fabric del t
	! wait "$pid" || fault 'status after the fabric was removed'
	check 'says why' grep -q 'fabric t was removed\|No such fabric' "$scratch/guard"
}
break_plan_now() { check 'down' hcctl link set t "$(tree_link 1)" down; }

# kill_one KIND: eight members of a guarded plan run operations without end (hc_member.c); kills the
# member at node 5, and sets $others to the processes of the others
kill_one() {
	local victim
	check 'add' hcctl fabric add t dim 3
	check 'apply' hcctl tree find fabric t apply sink 3 guard 20s
	guard
	"$here/hc_member" "-$1" t 1 8 1000000 1 5 &
	victim=$!
	rm -f "$scratch/begun"
	HC_BEGUN=$scratch/begun "$here/hc_member" "-$1" t 1 8 1000000 1 0 1 2 3 4 6 7 >"$scratch/sets" &
	others=$!
	check 'all take part' busywait 10 test -s "$scratch/begun"
	kill -KILL $victim
}

test_guard_drops_killed_member_until_a_process_binds_again() {
	local victim others
	kill_one sets
	check 'renewed' busywait 10 did '.event == "renewed" and .cause_node == 5 and .members == 7'
	check 'without it' without_5
	check 'fail' hcctl node set t 5 fail
	check 'ok' hcctl node set t 5 ok
	break_sink
	check 'still without it' without_5
	"$here/hc_load" bind t 5 stay >/dev/null 2>&1 &
	victim=$!
	check 'bound' busywait 10 bound_5
	break_sink
	check 'all' busywait 5 plan 1 '(.broken | not) and (.members | length) == 8'
	kill -KILL $victim
	check 'without it again' busywait 10 without_5
	nap 0.5
	check 'others go on' kill "$others"
	equal 'sums' 'set 0xff set 0xdf' "$(xargs <"$scratch/sets")"
}
without_5() { plan 1 '(.broken | not) and .members == [0,1,2,3,4,6,7] and .recipe == "tree find sink 3"'; }
bound_5() { hcctl -j node show t 5 | jq -e '.[0].bound' >/dev/null; }

test_operations_run_after_large_epoch_steps() {
	check 'add' hcctl fabric add t dim 2
	check 'apply' hcctl tree find fabric t apply guard 5s epoch 1
	check 'far' hcctl tree find fabric t apply guard 5s epoch 2147483647
	check 'farther' hcctl tree find fabric t apply guard 5s epoch 2147483658
	equal 'sums' 'set 0xf right' "$("$here/hc_member" -sets t 1 4 3 1 0 1 2 3 | xargs)"
}

test_all_or_nothing_operation_fails_when_a_member_is_killed() {
	local others
	kill_one strict
	! wait "$others" || fault 'they go on'
	equal 'members that are told' 7 "$(grep -c '^node . round [0-9]*: No route to host: .*(node 5)' "$scratch/sets")"
	grep -v '^set 0xff$' "$scratch/sets" | head -2 | while IFS= read -r line; do log "$line"; done
}

# A user with a grant of a plan guards the plan while members run operations. The guard adds no node
# that was not granted, and does not touch another plan.
test_user_with_grant_guards_only_the_granted_plan() {
	local members
	check 'add' hcctl fabric add t dim 3
	check 'fail' hcctl node set t 7 fail
	check 'apply' hcctl tree find fabric t apply sink 3 guard 20s
	check 'another' hcctl tree find fabric t apply plan 2 sink 3 guard 20s
	check 'ok' hcctl node set t 7 ok
	refused 'by nobody' "$user_may_not" as 1203 hcctl plan set t 1 guard-uid 1203
	check 'give' hcctl plan set t 1 guard-uid 1203
	check 'shown' plan 1 '.guard_uid == 1203 and .guard_members == [0,1,2,3,4,5,6]'
	check 'in text' says "$(hcctl plan show t 1)" 'guard 20s guard-uid 1203'
	check 'saved' jq -e '.plans[0].guard_uid == 1203' <<<"$(hcctl fabric save t)"
	rm -f "$scratch/begun"
	HC_BEGUN=$scratch/begun "$here/hc_member" -sets t 1 7 1000000 1 0 1 2 3 4 5 6 >"$scratch/sets" &
	members=$!
	check 'all take part' busywait 10 test -s "$scratch/begun"
	as 1203 hcctl -j guard t plan 1 >"$scratch/guard" 2>&1 &
	jobs+=($!)
	break_sink
	check 'by this user' did '.event == "renewed" and .plan == 1 and .members == 7'
	break_sink
	check 'without the node that it was not given' plan 1 '.members == [0,1,2,3,4,5,6] and .guard_uid == 1203'
	check 'members go on' kill "$members"
	equal 'sums' 'set 0x7f' "$(sort -u "$scratch/sets" | xargs)"
	check 'the other is broken' busywait 5 broken 2
	refused 'the other' "plan 2 is not guarded: $user_may_not" as 1203 hcctl guard t plan 2 once
	refused 'planned anew' "$user_may_not" as 1203 hcctl tree find fabric t apply sink 3 guard 20s
	refused 'removed' 'not permitted' as 1203 hcctl plan del t 1
	check 'take back' hcctl plan set t 1 guard-uid none
	check 'not shown' plan 1 'has("guard_uid") or has("guard_members") | not'
	check 'not guarded' hcctl tree find fabric t apply plan 3
	refused 'not guarded' 'Only a guarded plan' hcctl plan set t 3 guard-uid 1203
	refused 'no plan' 'no such plan' hcctl plan set t 4 guard-uid 1203
}
user_may_not='.*(not permitted|needs CAP_NET_ADMIN)'

# break_sink: clears the faults of the sink, node 3, and then breaks the plan by taking down a link
# of the sink
break_sink() {
	local dim before
	check 'repaired' hcctl link set t 3 up
	before=$(epoch 1)
	for dim in 0 1 2; do
		hcctl link set t "3:$dim" down
		nap 0.5
		plan 1 "(.broken | not) and .epoch > $before" && return
		hcctl link set t "3:$dim" up
	done
	fault 'no link of node 3 breaks the plan'
}

test_tree_find_without_leaves_out_named_nodes() {
	check 'add' hcctl fabric add t dim 3
	check 'apply' hcctl tree find fabric t apply without 1-2,7
	check 'what is cut off is left out, too' plan 1 '.members == [0,4,5,6]'
	refused 'all' 'no tree' hcctl tree find fabric t without 0-7
	refused 'no such node' 'node 8 is not in a cube of dimension 3' hcctl tree find fabric t without 8
	refused 'beside members' 'node 8 is not in a cube of dimension 3' hcctl tree find fabric t members 0-3 without 8
	refused 'no node' 'without' hcctl tree find fabric t without
	equal 'members of a cube that is not there' '[0,1,2]' "$(hcctl -j tree find dim 2 without 3 | jq -c .members)"
}

# The ledger shares pages with data that members merge: whole segments, or the shares that effective
# helpers send. The results must be as without a ledger.
test_ledger_of_guarded_plan_does_not_change_results() {
	local words how
	check 'add' hcctl fabric add t dim 4
	for how in 'no fault' 'faulty links'; do
		[[ $how == no* ]] || check 'faults' hcctl link set t 1:1,2:2,4:3,8:0,3:2,5:1 down
		equal "senders whose link is faulty, $how" "$([[ $how == no* ]] && echo 0 || echo 1)" \
			"$(hcctl -j tree find fabric t apply sink 0 guard 5s | jq '.faulty | length')"
		for words in 'sum f64' 'prod f32' 'sum u8' 'max i16' 'min f64' 'maxloc u32' 'xor u64'; do
			check "$words, $how" hcctl run allreduce t op "${words% *}" type "${words#* }" count 11000 random 7 verify \
				iterations 3
			check "reduce, $words, $how" hcctl run reduce t op "${words% *}" type "${words#* }" count 11000 random 8 verify
		done
	done
}

run_tests
