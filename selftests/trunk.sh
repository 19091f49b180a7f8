#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Trunks between machines: their links, the states of these links and what follows from them;
# datagrams, IP, collectives and tasks across trunks.
#
# Scheduling: shared long cluster

# shellcheck disable=SC2119
# shellcheck source=selftests/lib/pair.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/pair.sh"

test_links_have_carrier_while_their_trunk_is_established() {
	machines 3 0XX 1XX && joined
	equal 'a trunk' '[{"established":true,"links":4,"nodes":"1XX"}]' \
		"$(json_at "$a" 'map({established,links,nodes})' trunk show t)"
	equal 'its other end' '10.9.0.1:26723' "$(json_at "$b" '.[0].peer' trunk show t)"
	equal 'a state' '[]' "$(json_at "$b" '.[0].state' link show t 7:2)"
	equal 'a node elsewhere' 0 "$(json_at "$a" '.[0].fault' node show t 7)"
	check 'del' at "$a" hcctl trunk del t 1
	equal 'at once' '["carrier"]' "$(json_at "$a" '.[0].state' link show t 1:2)"
	down
	equal 'how many have ended' 1 "$(json_at "$b" '.[0].trunks_ended' fabric show t)"
}

test_faults_are_announced_to_the_other_machine() {
	machines 3 0XX 1XX && joined
	there "$b" hcctl -j monitor fabric t >"$scratch/events"
	sleep 0.5
	check 'down' at "$a" hcctl link set t 1:2 down
	busywait 5 is_at '["down"]' "$b" '.[0].state' link show t 5:2 || fault 'the link is not down there'
	busywait 5 grep -q '"node":5,"dim":2.*"down"' "$scratch/events" ||
		fault "nobody is told there: $(<"$scratch/events")"
	check 'up' at "$b" hcctl link set t 5:2 up
	busywait 5 is_at '[]' "$a" '.[0].state' link show t 1:2 || fault 'the link is not up here'
	check 'fail' at "$b" hcctl node set t 6 fail
	busywait 5 is_at '["failed"]' "$a" '.[0].state' link show t 2:2 || fault 'the node is not known to have failed'
	busywait 5 is_at 7 "$a" '.[0].fault' node show t 6 || fault 'it is not known to be lost'
	check 'an inner link' at "$b" hcctl link set t 4:0 down
	busywait 5 is_at 3 "$a" '.[0].fault' node show t 4 || fault 'its fault is not known'
	check 'clear' at "$b" hcctl fault clear t
	busywait 5 is_at 0 "$a" '.[0].fault' node show t 4 || fault 'it is not known to be well'
	up_again
	refused 'the end there' 'that end lives on 10.9.0.2' at "$a" hcctl link set t 1:2 loss 5%
	check 'a loss' at "$b" hcctl link set t 4:2 loss 100% one-way
	equal 'found' 1 "$(json_at "$a" .found detect t)"
	equal 'at this end' '["detected"]' "$(json_at "$a" '.[0].state' link show t 0:2)"
	busywait 5 is_at '["detected"]' "$b" '.[0].state' link show t 4:2 || fault 'not at the other end'
	check 'no loss' at "$b" hcctl link set t 4:2 loss 0 one-way
	equal 'found' 0 "$(json_at "$a" .found detect t)"
	up_again
}

test_ip_traffic_crosses_a_trunk() {
	local u
	machines 3 0XX 1XX && joined
	for u in 0 3; do
		at "$a" ip addr add "10.77.0.$((u + 1))/24" dev "tn$u"
		at "$a" ip link set "tn$u" up
	done
	at "$b" ip addr add 10.77.0.8/24 dev tn7
	at "$b" ip link set tn7 up
	check 'ping' at "$a" ping -c 3 -i 0.2 -W 5 -I tn0 10.77.0.8
	check 'large' at "$a" ping -c 2 -i 0.2 -W 5 -s 20000 -I tn0 10.77.0.8
	sink
	check 'TCP' at "$a" "$here/hc_flow" source 10.77.0.8 5001 1
	busywait 5 grep -q ' bytes' "$scratch/sink" || fault 'nothing came by TCP'
	log "by TCP: $(<"$scratch/sink")"
	at "$b" ethtool -k tn7 | grep -q 'tcp-segmentation-offload: on' || fault 'no segmentation offload'
	equal 'malformed frames' 0 "$(json_at "$b" '[.[].drops.malformed // 0] | add' node show t)"
}

test_tree_collectives_work_across_a_trunk() {
	local first second
	machines 3 0XX 1XX && joined
	trees 5
	first=$(json_at "$a" '.[0] | del(.fault)' plan show t)
	second=$(json_at "$b" '.[0] | del(.fault)' plan show t)
	equal 'the same plan' "$first" "$second"
	members 50 100
	members 20 30000
	log "$(at "$a" hcctl trunk show t)"
}

# plan_both PLAN EPOCH WORDS..: installs the same plan with the same epoch at each machine
# separately ("local")
plan_both() {
	local plan=$1 epoch=$2 ns
	shift 2
	for ns in "$a" "$b"; do
		check "$*" at "$ns" hcctl "$@" apply local plan "$plan" epoch "$epoch"
	done
}

test_all_plan_types_and_datagrams_work_across_a_trunk() {
	machines 3 0XX 1XX && joined
	plan_both 1 5 tree find fabric t
	both gather 1 10 3000
	both scatter 1 10 3000
	plan_both 2 7 doubling plan fabric t
	both sums 2 20 3000
	both exchange 2 10 1000
	both exchange 2 3 70000
	plan_both 3 9 ring plan fabric t
	both gather 3 10 3000
	both exchange 3 10 1000
	plan_both 4 11 bcast plan fabric t source 0
	both bcast 4 10 10000
	both messages 0 50 1000
	both copies 0 50 1000
}

# begin NAMESPACE NAME ROUNDS NODE..: starts members of plans 1 to 4 at these nodes at once; writes
# their output to $scratch/NAME.PLAN
begin() {
	local ns=$1 name=$2 rounds=$3 plan kinds=(sums exchange gather bcast)
	shift 3
	began=()
	for plan in 1 2 3 4; do
		there "$ns" "$here/hc_member" "-${kinds[plan - 1]}" t "$plan" 8 "$rounds" 100 "$@" >"$scratch/$name.$plan"
		began+=("$pid")
	done
}

# all_right: checks that the members that were started with the names a and b end with right results
all_right() {
	local plan
	for plan in 1 2 3 4; do
		busywait 60 grep -q . "$scratch/a.$plan"
		equal "plan $plan here" right "$(<"$scratch/a.$plan")"
		busywait 60 grep -q . "$scratch/b.$plan"
		equal "plan $plan there" right "$(<"$scratch/b.$plan")"
	done
}

is_file_of() { [[ $(wc -c <"$2") == "$1" ]]; }

# Several runs use the same plans, one after the other. In one of them, the members of one machine
# start only after the other machine has probed for them. Another run begins after members were
# killed. A broadcast goes on without a receiver that was killed.
test_later_runs_work_after_late_or_killed_members() {
	local plan waiting
	machines 3 0XX 1XX && joined
	plan_both 1 5 tree find fabric t sink 0
	plan_both 2 7 doubling plan fabric t
	plan_both 3 9 ring plan fabric t
	plan_both 4 11 bcast plan fabric t source 0
	begin "$a" a 3 0 1 2 3
	begin "$b" b 3 4 5 6 7
	all_right
	begin "$a" a 3 0 1 2 3
	sleep 2.2
	begin "$b" b 3 4 5 6 7
	all_right
	begin "$a" a 1000000 0 1 2 3
	waiting=("${began[3]}")
	begin "$b" b 1000000 4 6 7
	waiting+=("${began[3]}")
	HC_BEGUN=$scratch/begun begin "$b" killed 1000000 5
	busywait 60 is_file_of 4 "$scratch/begun" || fault "only $(wc -c <"$scratch/begun") of 4 have begun"
	for plan in 1 2 3 4; do stop "${began[plan - 1]}"; done
	for plan in "${waiting[@]}"; do stop "$plan"; done
	for plan in 1 2 3; do
		busywait 40 ended "$scratch/a.$plan" 4 || fault "plan $plan, here: $(<"$scratch/a.$plan")"
		busywait 40 ended "$scratch/b.$plan" 3 || fault "plan $plan, there: $(<"$scratch/b.$plan")"
	done
	log "$(head -qn1 "$scratch"/a.?)"
	begin "$b" b 3 4 5 6 7
	sleep 2.2
	begin "$a" a 3 0 1 2 3
	all_right
}

test_tasks_migrate_across_a_trunk_and_back() {
	machines 3 0XX 1XX && joined
	check 'tasks' at "$a" "$here/hc_load" tasks t 0 50
	check 'move' at "$a" hcctl balance move t 0:2 20
	busywait 10 is_at 20 "$b" '[.nodes[] | .received] | add' balance show t || fault "there: $(at "$b" hcctl -j balance show t)"
	equal 'what is left' 30 "$(json_at "$a" '[.nodes[] | .queued] | add' balance show t)"
	check 'back' at "$b" hcctl balance move t 4:2 5
	busywait 10 is_at 35 "$a" '[.nodes[] | .queued] | add' balance show t || fault 'they did not come back'
	equal 'in doubt' 0 "$(json_at "$a" '[.nodes[] | .unresolved] | add' balance show t)"
	log "$(at "$b" hcctl -j balance show t)"
	refused 'a round' 'spans machines' at "$a" hcctl balance run t
}

# The two machines have different plans with the same epoch. If members did not detect this, the sum
# would lack a member's contribution, or count it twice.
test_different_plans_with_same_epoch_do_not_mix() {
	machines 3 0XX 1XX && joined
	check 'a tree here' at "$a" hcctl tree find fabric t apply local epoch 5
	check 'another one there' at "$b" hcctl tree find fabric t sink 1 apply local epoch 5
	there "$a" "$here/hc_member" t 1 8 5 10 0 1 2 3 >"$scratch/a"
	there "$b" "$here/hc_member" t 1 8 5 10 4 5 6 7 >"$scratch/b"
	busywait 5 old_frames_come || fault 'no frames of another plan were dropped'
	equal 'ends' '' "$(cat "$scratch/a" "$scratch/b")"
	trees 7
	busywait 10 ended "$scratch/a" 4 || fault "here: $(<"$scratch/a")"
	busywait 10 ended "$scratch/b" 4 || fault "there: $(<"$scratch/b")"
	! grep wrong "$scratch/a" "$scratch/b" || fault 'a sum is wrong'
}

old_frames_come() {
	[[ $(json_at "$a" '[.[].drops["old-epoch"] // 0] | add > 0' node show t) == true ||
		$(json_at "$b" '[.[].drops["old-epoch"] // 0] | add > 0' node show t) == true ]]
}

# A machine that starts again, as after a crash, has another boot id and no state.
test_tasks_migrate_to_a_machine_that_has_restarted() {
	local round
	machines 3 0XX 1XX && joined
	for ((round = 1; round <= 6; round++)); do
		check 'tasks' at "$a" "$here/hc_load" tasks t 0 5
		check 'move' at "$a" hcctl balance move t 0:2 5
		busywait 10 is_at 5 "$b" '[.nodes[] | .received] | add' balance show t ||
			fault "there, round $round: $(at "$a" hcctl -j balance show t)"
		check 'back' at "$b" hcctl balance move t 4:2 2
		busywait 10 is_at $((2 * round)) "$a" '.nodes[0].received' balance show t ||
			fault "here, round $round: $(at "$b" hcctl -j balance show t)"
		check 'del' at "$b" hcctl fabric del t
		busywait 10 is_at 4 "$a" '.[0].links_down' fabric show t || fault 'links are up'
		check 'the part again' at "$b" hcctl fabric add t dim 3 nodes 1XX
		joined
	done
}

# each VALUE FILTER COMMAND..: checks that json_at prints VALUE at each of the three machines,
# within a time limit
each() {
	local ns
	for ns in "$a" "$b" "$c"; do
		busywait 10 is_at "$1" "$ns" "${@:2}" || fault "at $ns: $(at "$ns" hcctl -j "${@:3}")"
	done
}

# three: makes machine a with nodes 0 and 1, c with 2 and 3, and b with the others, and a trunk
# between each two machines
three() {
	machines 3 00X 1XX && namespace c || return
	wire "$a" "$c" 1
	wire "$b" "$c" 2
	check 'a third part' at "$c" hcctl fabric add t dim 3 nodes 01X
	tie "$a" "$b" 0 2
	tie "$a" "$c" 1 1
	tie "$b" "$c" 2 2
	each 0 '.[0].links_down' fabric show t
}

# Nodes 4 and 5 have received two tasks, but their acknowledgments have not arrived: with this seed
# their links need 18 and 32 attempts. Then their machine starts again, without the trunk over which
# the tasks migrated. The probes for the tasks take a path around this trunk, and the new instance
# of the machine does not know these tasks: they are unresolved.
test_tasks_sent_to_earlier_boot_of_machine_are_unresolved() {
	local c='' filter='.nodes | map(select(.node < 2) | [.queued,.moving,.unresolved,.redelivered])'
	three
	check 'no end of waiting' at "$a" hcctl fabric set t stall-timeout forever
	check 'no answers' at "$b" hcctl link set t 4:2,5:2 loss 90% delay 1s seed 39 one-way
	check 'a task' at "$a" "$here/hc_load" tasks t 0 1
	check 'one more' at "$a" "$here/hc_load" tasks t 1 1 repeat
	check 'move' at "$a" hcctl balance move t 0:2,1:2 1
	busywait 10 is_at 2 "$b" '[.nodes[] | .received] | add' balance show t || fault 'they do not come'
	equal 'not answered' '[[0,1,0,0],[0,1,0,0]]' "$(json_at "$a" "$filter" balance show t)"
	there "$a" hcctl -j monitor fabric t >"$scratch/events"
	check 'del' at "$b" hcctl fabric del t
	busywait 10 is_at 2 "$a" '.[0].links_down' fabric show t || fault 'links are up'
	check 'the part again' at "$b" hcctl fabric add t dim 3 nodes 1XX
	tie "$b" "$c" 2 2
	busywait 10 is_at '[[0,0,1,0],[1,0,0,1]]' "$a" "$filter" balance show t ||
		fault "here: $(at "$a" hcctl -j balance show t)"
	busywait 5 grep -q unresolved "$scratch/events" || fault "nobody is told: $(<"$scratch/events")"
	tie "$a" "$b" 0 2
	each 0 '.[0].links_down' fabric show t
	check 'move again' at "$a" hcctl balance move t 1:2 1
	busywait 10 is_at 1 "$b" '[.nodes[] | .received] | add' balance show t || fault 'it does not go again'
}

# Tasks are on one machine and their replicas on another, and the two machines cannot reach each
# other. The nodes of one machine fail, then those of the other, so the tasks are lost, and a node
# must report that.
test_tasks_with_unreachable_replicas_become_unresolved() {
	machines 3 0XX 1XX && joined
	check 'one way' at "$a" hcctl link set t 0:0,0:1 down
	check 'tasks' at "$a" "$here/hc_load" tasks t 0 3 copied
	busywait 10 is_at 3 "$b" '[.nodes[] | .replicas_held] | add' balance show t || fault "there: $(at "$b" hcctl -j balance show t)"
	check 'del' at "$a" hcctl trunk del t 1
	check 'its node' at "$a" hcctl node set t 0 fail
	equal 'here' '[0,3,0]' "$(json_at "$a" '.nodes[] | select(.node == 0) | [.queued,.unresolved,.lost]' balance show t)"
	check 'the keeper' at "$b" hcctl node set t 4 fail
	equal 'there' '[0,3,0]' "$(json_at "$b" '.nodes[] | select(.node == 4) | [.replicas_held,.unresolved,.lost]' balance show t)"
}

# While b has frames for a link, the link becomes spent at b, and a sets it up again, many times. An
# older announcement of the other end's state must never replace a newer one: once the link delivers
# frames, it is up at both ends, and it is also up with the next trunk.
test_both_ends_agree_on_whether_a_link_is_spent() {
	local i
	machines 3 0XX 1XX
	there "$a" hcctl trunk listen t persist
	check 'a trunk' busywait 5 at "$b" hcctl trunk connect t 2 10.9.0.1
	up_again
	for i in {1..8}; do
		check 'nothing gets through' at "$b" hcctl link set t 4:2 loss 100% one-way
		check 'something to say' at "$b" hcctl link set t 5:0 down
		busywait 5 is_at '["spent"]' "$b" '.[0].state' link show t 4:2 || fault 'it is not spent at b'
		((i % 2)) || busywait 5 is_at '["spent"]' "$a" '.[0].state' link show t 0:2 || fault 'nor at a'
		there "$a" hcctl link set t 0:2 up
		check 'nothing to say' at "$b" hcctl link set t 5:0 up
		check 'it delivers' at "$b" hcctl link set t 4:2 loss 0% one-way
		check 'set up' at "$a" hcctl link set t 0:2 up
		up_again
	done
	check 'another trunk' at "$b" hcctl trunk connect t 2 10.9.0.1
	up_again
	sleep 0.5
	up_again
}

run_tests
