#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Processes on the nodes of a fabric (hcctl mfi .. place): the nodes to which they are assigned, and
# a relaxation that runs there (demo/groups.c).
#
# Scheduling: alone

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

test_byzantine_node_with_group_of_its_own_is_detected_in_demo() {
	local said
	said=$("$here/demo/groups_guest.sh" dim graph) || fault "the demonstration fails: $said"
	while IFS= read -r line; do log "$line"; done <<<"$said"
}

# hops_agree WHAT: checks that the numbers of hops between the assigned nodes, as the tool prints
# them, are those of the kernel's routes
hops_agree() {
	hcctl -j route show t >"$scratch/ways"
	equal "$1: hops" "$(jq '.place.hops' "$scratch/placed")" "$(jq --slurpfile ways "$scratch/ways" '
		($ways[0] | map({"\(.src) \(.dst)": .hops}) | add) as $hops |
		(.place.processes | map({"\(.process)": .node}) | add) as $node |
		[.place.processes[] | .node as $from | .asks[] | $node["\(.)"] as $to |
			if $from == $to then 0 else $hops["\($from) \($to)"] end] | add' "$scratch/placed")"
}

test_placement_gives_each_healthy_node_processes_of_one_group() {
	check 'add' hcctl fabric add t torus 4x4
	hcctl -j mfi torus 5x5 place fabric t >"$scratch/placed"
	equal 'five groups on 16 nodes: processes on a node' '[1,2]' "$(jq -c '[.place.nodes[].count] | [min, max]' "$scratch/placed")"
	equal 'nodes' 16 "$(jq '[.place.nodes[].node] | unique | length' "$scratch/placed")"
	equal 'groups that share a node' 0 "$(jq '[.groups as $g | .place.nodes[].processes |
		. as $p | [$g[] | select(any(.[]; . as $m | $p | index($m)))] | length | select(. != 1)] | length' "$scratch/placed")"
	hops_agree 'without faults'
	check 'a node fails' hcctl node set t 5 fail
	check 'a link fails' hcctl link set t 0:0 down
	hcctl -j mfi torus 5x5 place fabric t mapping random seed 3 >"$scratch/placed"
	equal 'nodes that are left' 15 "$(jq '[.place.nodes[].node] | unique | length' "$scratch/placed")"
	equal 'processes on the node that failed' 0 "$(jq '[.place.processes[] | select(.node == 5)] | length' "$scratch/placed")"
	hops_agree 'with faults'
	refused 'more groups than nodes' '16 groups need as many nodes: fabric t has 15' hcctl mfi torus 4x4 pattern box place fabric t
	refused 'no fabric' 'nowhere' hcctl mfi torus 5x5 place fabric nowhere
}

test_groups_demo_refuses_invalid_process_lists() {
	check 'add' hcctl fabric add t dim 1
	refused 'no fabric' 'usage: groups' "$here/demo/groups" </dev/null
	refused 'nothing' 'on two nodes' "$here/demo/groups" t </dev/null
	refused 'no line' 'is no PROCESS' "$here/demo/groups" t <<<'1 2'
	refused 'nobody to ask' 'is nobody to ask' "$here/demo/groups" t <<<'0 0 1 x'
	refused 'no such process' 'no process 7' "$here/demo/groups" t <<<$'0 0 1 7\n1 1 1 0'
	refused 'no such node' 'cannot bind' "$here/demo/groups" t <<<$'0 0 1 1\n1 2 1 0'
}

run_tests
