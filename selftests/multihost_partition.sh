#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Fabrics of which only one partition is on this machine: only its nodes exist. A link to another
# node counts as faulty, with a cause of its own, and has all consequences of a fault.
#
#	nodes 0XX of a 3-cube		0 1 2 3 | 4 5 6 7 are remote
#
# Scheduling: shared

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

test_fabric_add_makes_only_nodes_of_local_partition() {
	check 'add' hcctl fabric add t dim 3 nodes 0XX
	equal 'interfaces' 'tn0 tn1 tn2 tn3' "$(ip -br link | awk '$1 ~ /^tn/ { print $1 }' | sort | xargs)"
	equal 'the part' 0XX "$(json '.[0].subcube' fabric show t)"
	equal 'all nodes' 8 "$(json '.[0].nodes' fabric show t)"
	equal 'nodes elsewhere' '[4,5,6,7]' "$(json '[.[] | select(.remote) | .node]' node show t)"
	equal 'a node elsewhere' '[{"fault":7,"node":6,"remote":true}]' "$(json 'map({node,fault,remote})' node show t 6)"
	equal 'ends of links' '[0,1,2,3]' "$(json '[.[].node] | unique' link show t)"
	equal 'unusable links' 4 "$(json '.[0].links_down' fabric show t)"
	equal 'failed nodes' 0 "$(json '.[0].nodes_failed' fabric show t)"
	check 'del' hcctl fabric del t
	equal 'interfaces' '' "$(ip -br link | awk '$1 ~ /^tn/ { print $1 }')"
	check 'the upper half' hcctl fabric add t dim 3 nodes 1XX
	equal 'interfaces' 'tn4 tn5 tn6 tn7' "$(ip -br link | awk '$1 ~ /^tn/ { print $1 }' | sort | xargs)"
	check 'the whole' hcctl fabric add u dim 3
	equal 'no part' null "$(json '.[0].subcube' fabric show u)"
}

test_mac_addresses_are_same_in_partition_and_whole_fabric() {
	local mac
	check 'whole' hcctl fabric add t dim 3
	mac=$(cat /sys/class/net/tn5/address)
	check 'del' hcctl fabric del t
	check 'part' hcctl fabric add t dim 3 nodes 1X1
	equal 'address' "$mac" "$(cat /sys/class/net/tn5/address)"
	check 'no other' test ! -e /sys/class/net/tn4
}

test_links_to_remote_nodes_count_as_faulty_without_carrier() {
	check 'add' hcctl fabric add t dim 3 nodes 0XX
	busywait 5 json_is 4 '.[0].fault' node show t 3 || fault 'node 3 does not know of its link'
	equal 'state' '["carrier"]' "$(json '.[0].state' link show t 3:2)"
	equal 'an inner link' '[]' "$(json '.[0].state' link show t 3:1)"
	equal 'faults' 4 "$(json '.links | length' fault show t)"
	equal 'DETECT finds none' 0 "$(json '.found' detect t)"
	check 'down' hcctl link set t 3:2 down
	equal 'state' '["down","carrier"]' "$(json '.[0].state' link show t 3:2)"
	check 'clear' hcctl fault clear t
	equal 'state' '["carrier"]' "$(json '.[0].state' link show t 3:2)"
	check 'a route' hcctl route show t 0 3
	check 'a link flaps' hcctl link set t 2:2 flap 20ms/40ms
	busywait 5 json_is '["down","carrier"]' '.[0].state' link show t 2:2 || fault 'it does not'
	check 'del' hcctl fabric del t
}

test_plans_have_only_reachable_local_nodes_as_members() {
	check 'add' hcctl fabric add t dim 3 nodes 0XX
	equal 'members' '[0,1,2,3]' "$(json .members tree find fabric t apply)"
	check 'reduce' hcctl run reduce t plan 1 verify
	check 'allreduce' hcctl run allreduce t plan 1 verify
	check 'a broadcast' hcctl bcast plan fabric t source 2 apply plan 2
	check 'bcast' hcctl run bcast t plan 2 verify
	check 'a doubling' hcctl doubling plan fabric t subcube 0XX apply plan 3
	check 'rings' hcctl ring plan fabric t apply plan 4
	check 'allgather' hcctl run allgather t plan 4 verify
	check 'a node fails' hcctl node set t 1 fail
	equal 'members' '[0,2,3]' "$(json .members tree find fabric t apply)"
	check 'reduce' hcctl run reduce t plan 1 verify
}

# Frames carry the epoch of their plan, so all machines must install a plan with the same epoch.
test_chosen_epoch_must_be_above_that_of_last_plan() {
	check 'add' hcctl fabric add t dim 3 nodes 0XX
	check 'a tree' hcctl tree find fabric t apply epoch 7
	equal 'epoch' 7 "$(json '.[0].epoch' plan show t 1)"
	refused 'not above' "the epoch must be above that of the fabric's last plan, 7" \
		hcctl tree find fabric t apply epoch 7
	check 'the next' hcctl tree find fabric t apply
	equal 'epoch' 8 "$(json '.[0].epoch' plan show t 1)"
}

test_requests_about_remote_nodes_are_refused_with_reason() {
	refused 'length' 'one character for each dimension' hcctl fabric add t dim 3 nodes 0X
	refused 'characters' '0, 1 and X' hcctl fabric add t dim 3 nodes 0X2
	check 'add' hcctl fabric add t dim 3 nodes 0XX
	refused 'node' 'node 5.*lives elsewhere|lives elsewhere' hcctl node set t 5 fail
	refused 'link' 'lives elsewhere' hcctl link set t 5:0 down
	refused 'both ends' 'that end lives on another machine' hcctl link set t 1:2 loss 5%
	check 'one end' hcctl link set t 1:2 loss 5% one-way
	refused 'route' 'lives elsewhere' hcctl route show t 0 5
	refused 'link show' 'lives elsewhere' hcctl link show t 5:0
	equal 'tasks of nodes that are here' '[0,1,2,3]' "$(json '[.nodes[].node]' balance show t)"
	refused 'a round' 'spans machines balances no tasks' hcctl balance run t
	refused 'rounds' 'spans machines balances no tasks' hcctl balance set t threshold 0
}

test_partition_is_saved_and_restored() {
	check 'add' hcctl fabric add t dim 3 nodes 1XX
	check 'down' hcctl link set t 5:2 down
	check 'loss' hcctl link set t 6:2 loss 5% seed 3 one-way
	check 'a tree' hcctl tree find fabric t apply
	hcctl fabric save t >"$scratch/one" || fault 'save failed'
	equal 'the part' 1XX "$(pick .subcube <"$scratch/one")"
	check 'del' hcctl fabric del t
	check 'restore' hcctl fabric restore "$scratch/one"
	hcctl fabric save t >"$scratch/two" || fault 'save failed'
	check 'the same' cmp "$scratch/one" "$scratch/two"
	equal 'nothing to do' '[]' "$(json .changes fabric restore "$scratch/one")"
	check 'another part' hcctl fabric add u dim 3 nodes 0XX
	refused 'another part' 'has other nodes on this machine' hcctl fabric restore "$scratch/one" u
}

test_only_endpoints_of_partition_get_namespaces() {
	check 'add' hcctl fabric add t dim 3 nodes 0X1 netns-each "hp$$-" address 10.77.0.0/24
	check 'ping' ip netns exec "hp$$-1" ping -c 1 -W 5 10.77.0.4
	check 'none elsewhere' test ! -e "/var/run/netns/hp$$-0"
	check 'del' hcctl fabric del t
	check 'gone' test ! -e "/var/run/netns/hp$$-1"
}

run_tests
