#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Events: listeners receive events of fabrics, nodes, links, plans and operations.
#
# Scheduling: shared second

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

# seen FILTER: has an event arrived for which the jq filter is true?
seen() { jq -e -n "[inputs | select($1)] | length > 0" "$scratch/events"; }

# listen: starts a monitor that appends its events to $scratch/events
listen() {
	: >"$scratch/events"
	hcctl -j monitor >>"$scratch/events" 2>&1 &
	jobs+=($!)
	# The monitor is ready once it prints an event of the fabric "probe".
	busywait 5 heard_probe
	: >"$scratch/events"
}

heard_probe() {
	hcctl fabric add probe dim 1
	hcctl fabric del probe
	[[ -s $scratch/events ]]
}

expect() { check "$1" busywait 5 seen "$2"; }

test_fabric_add_and_removal_cause_events() {
	listen
	check 'add' hcctl fabric add t dim 2
	expect 'fabric' '.event == "fabric" and .fabric == "t" and .dim == 2'
	check 'del' hcctl fabric del t
	expect 'fabric-del' '.event == "fabric-del" and .fabric == "t"'
}

test_node_and_link_state_changes_cause_events() {
	check 'add' hcctl fabric add t dim 3
	listen
	check 'down' hcctl link set t 5:1 down
	expect 'link' '.event == "link" and .node == 5 and .dim == 1 and .state == ["down"]'
	check 'up' hcctl link set t 5:1 up
	expect 'link' '.event == "link" and .node == 5 and .state == []'
	check 'fail' hcctl node set t 3 fail
	expect 'node' '.event == "node" and .node == 3 and .failed == true'
	check 'silence' hcctl link set t 0:2 loss 100
	check 'detect' hcctl detect t
	expect 'detected' '.event == "link" and .node == 0 and .dim == 2 and .state == ["detected"]'
}

ends() { jq -c -n '[inputs | select(.event == "link") | "\(.node):\(.dim)"] | unique' "$scratch/events"; }
test_fault_clear_causes_events_of_changed_links_and_nodes() {
	check 'add' hcctl fabric add t dim 3
	check 'down' hcctl link set t 5:1 down
	check 'a bad link' hcctl link set t 0:2 loss 5%
	check 'one way' hcctl link set t 6:0 delay 1ms one-way
	check 'the model' hcctl link set t 6:1 model-latency 9us
	check 'flap' hcctl link set t 2:2 flap 20ms/50s
	check 'fail' hcctl node set t 3 fail
	listen
	check 'clear' hcctl fault clear t
	expect 'the fabric' '.event == "fabric" and .fabric == "t" and .nodes_failed == 0'
	expect 'the link' '.event == "link" and .node == 5 and .dim == 1 and .state == []'
	expect 'the bad one' '.event == "link" and .node == 0 and .dim == 2 and .loss_ppm == 0'
	expect 'the node' '.event == "node" and .node == 3 and .failed == false'
	equal 'ends' '["0:2","2:2","4:1","4:2","5:1","6:0","6:1","6:2","7:1"]' "$(ends)"
	equal 'nodes' 1 "$(jq -n '[inputs | select(.event == "node")] | length' "$scratch/events")"
	: >"$scratch/events"
	check 'clear' hcctl fault clear t
	expect 'the fabric' '.event == "fabric" and .fabric == "t"'
	equal 'nothing to mend' '[]' "$(ends)"
}

test_plan_install_break_and_removal_cause_events() {
	check 'add' hcctl fabric add t dim 3
	listen
	check 'plan' hcctl tree find fabric t apply
	expect 'plan' '.event == "plan" and .plan == 1 and .broken == false'
	check 'a fault' hcctl link set t 0:0,2:0,4:0,6:0 down
	expect 'broken' '.event == "plan" and .plan == 1 and .broken == true and .cause_dim == 0'
	check 'removal' hcctl tree del t
	expect 'plan-del' '.event == "plan-del" and .plan == 1'
}

test_break_and_repair_of_rings_cause_events() {
	check 'add' hcctl fabric add t dim 3
	listen
	check 'plan' hcctl ring plan fabric t apply repair
	expect 'plan' '.event == "plan" and .plan == 5 and .broken == false and .repairs == 0'
	check 'a fault' hcctl link set t 0:0 down
	expect 'broken' '.event == "ring-broken" and .plan == 5 and .broken and .cause_dim == 0'
	expect 'repaired' '.event == "ring-repaired" and .plan == 5 and (.broken | not) and .repairs == 1'
	equal 'shown' '[1,false]' "$(json '[.[0].repairs, .[0].broken]' ring show t)"
}

test_operation_completion_and_failure_cause_events() {
	check 'add' hcctl fabric add t dim 3
	check 'plan' hcctl tree find fabric t apply
	listen
	check 'reduce' "$here/hc_load" once t 1
	expect 'completion' '.event == "op" and .plan == 1 and .op == 0 and .status == 0 and .steps == 3'
	background "$here/hc_load" hold t 1 1 2 3
	check 'members wait' busywait 5 json_is true '.[0].waiting | length > 0' op show t
	check 'a fault' hcctl link set t 1:0,1:1,1:2 down
	expect 'failure' '.event == "op" and .status < 0 and has("cause_dim")'
}

test_node_failure_causes_event_that_lists_lost_tasks() {
	check 'add' hcctl fabric add t dim 3
	listen
	check 'tasks' "$here/hc_load" tasks t 5 3
	check 'fail' hcctl node set t 5 fail
	expect 'tasks-lost' '.event == "tasks-lost" and .node == 5 and .reason == "node-failed" and .count == 3 and
		.tasks == [{origin: 5, nr: 1}, {origin: 5, nr: 2}, {origin: 5, nr: 3}]'
	equal 'counted' 3 "$(hcctl -j balance show t | jq '.nodes[5].lost')"
	equal 'in all' 3 "$(hcctl -j stats t | jq .tasks.put)"
}

# Members leave one after another after the last operation. The remaining members are notified, but
# the kernel sends no event of a failure.
test_members_leaving_after_last_operation_cause_no_failure_event() {
	local collective
	check 'add' hcctl fabric add t dim 3
	check 'a tree' hcctl tree find fabric t apply
	check 'a broadcast' hcctl bcast plan fabric t source 3 apply
	listen
	for collective in reduce: allreduce:'method tree' allreduce:'method doubling' bcast:'source 3' gather: scatter: barrier:; do
		# shellcheck disable=SC2086
		check "$collective" hcctl run ${collective/:/ t } iterations 20
	done
	check 'add' hcctl fabric add last dim 1
	expect 'the end' '.event == "fabric" and .fabric == "last"'
	expect 'completions' '.event == "op" and .status == 0'
	! seen '.event == "op" and .status != 0' >/dev/null ||
		fault "failures: $(jq -c 'select(.event == "op" and .status != 0)' "$scratch/events" | head -3)"
}

# A member leaves after others have contributed. The event of the failure comes from the first
# member whose process gets the failure.
test_member_leaving_during_operation_causes_one_failure_event() {
	check 'add' hcctl fabric add t dim 3
	check 'plan' hcctl tree find fabric t apply sink 0
	listen
	background "$here/hc_load" hold t 1 1 2 3
	check 'members wait' busywait 5 json_is true 'any(.[]; .waiting | length > 2)' op show t
	background "$here/hc_load" hold t 1 0
	check 'the sink waits' busywait 5 json_is true 'any(.[].waiting[]; .node == 0)' op show t
	stop "$pid"
	expect 'a failure' '.event == "op" and .error == "Connection reset by peer" and .cause_node == 0'
	equal 'failures' 1 "$(jq -n '[inputs | select(.event == "op" and .status != 0)] | length' "$scratch/events")"
}

heard_link() {
	hcctl link set t 0:0 down
	[[ -s $scratch/events ]]
}

test_monitor_of_one_fabric_receives_only_its_events() {
	check 'add' hcctl fabric add t dim 1
	: >"$scratch/events"
	hcctl -j monitor fabric t >>"$scratch/events" 2>&1 &
	jobs+=($!)
	check 'it listens' busywait 5 heard_link
	: >"$scratch/events"
	check 'another' hcctl fabric add other dim 1
	check 'up' hcctl link set t 0:0 up
	expect 'own' '.fabric == "t" and .event == "link"'
	! seen '.fabric == "other"' >/dev/null || fault 'it heard of another fabric'
}

test_events_stay_in_the_namespace_of_their_fabric() {
	local there
	namespace there || return
	listen
	check 'add there' hcctl -n "$there" fabric add far dim 2
	check 'del there' hcctl -n "$there" fabric del far
	check 'add here' hcctl fabric add near dim 1
	expect 'here' '.event == "fabric" and .fabric == "near"'
	! seen '.fabric == "far"' >/dev/null || fault 'it heard of a fabric elsewhere'
}

run_tests
