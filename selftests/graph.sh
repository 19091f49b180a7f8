#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Fabrics that are not hypercubes: tori, meshes, a dragonfly, a complete network, a tree, and a
# network that is read from a file. This script or the tool computes shortest paths and the numbers
# of nodes and links independently of the module.
#
# Scheduling: shared long

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

# ways NETWORK..: makes a fabric, and checks that routing takes a shortest path between each pair of
# nodes, without faults and with faults; then removes the fabric
ways() {
	local all
	check "add $*" hcctl fabric add t "$@"
	for _ in 0 1; do
		all=$(json '[length, ([.[] | select(.reached != .reachable or .hops != .optimum)] | length)]' route show t)
		[[ $all =~ ^\[[1-9][0-9]*,0]$ ]] || fault "$*: of so many ways so many are not shortest: $all"
		log "$*: $all ways"
		check "$*: faults" hcctl fault random t links 3 seed 7
	done
	check 'del' hcctl fabric del t
}

test_route_of_every_pair_is_shortest_with_and_without_faults() {
	printf '0 1,2\n1 2,3\n4 3\n4 5\n5 0\n6 0,5\n' >"$scratch/net"
	ways torus 5x5
	ways mesh 4x5
	ways dragonfly 4x2
	ways full 9
	ways graph "$scratch/net"
	[[ $debug ]] || ways kary 3^3
}

# counted NODES LINKS NETWORK..: checks that the kernel reports these numbers of nodes and links,
# and that each link has the same port at both ends
counted() {
	local nodes=$1 links=$2
	shift 2
	check "add $*" hcctl fabric add t "$@"
	equal "$*: nodes" "$nodes" "$(json '.[0].nodes' fabric show t)"
	equal "$*: ends of links" $((2 * links)) "$(json 'length' link show t)"
	equal "$*: shape" "${*/*\//graph }" "$(json '.[0].shape' fabric show t)"
	hcctl -j link show t | grep -oE '"node":[0-9]+,"dim":[0-9]+,"peer":[0-9]+' | tr -c '0-9\n' ' ' >"$scratch/ends"
	equal "$*: ends that do not meet" 0 "$(awk '{ at[$1, $2] = $3 }
		END { for (e in at) { split(e, k, SUBSEP); n += at[at[e], k[2]] != k[1] } print n + 0 }' "$scratch/ends")"
	check 'del' hcctl fabric del t
}

test_networks_have_expected_links_with_same_port_at_both_ends() {
	counted 25 50 torus 5x5
	counted 24 46 mesh 2x3x4
	counted 31 30 tree 2^5
	counted 36 90 dragonfly 4x2
	counted 16 120 full 16
	counted 7 7 ring 7
	[[ $debug ]] || counted 216 648 torus 6x6x6
}

# The kernel makes a hypercube, with all features of hypercubes, from a table that describes one.
test_table_that_describes_hypercube_makes_a_hypercube() {
	# Another test may have set this parameter, with which the kernel does not recognize
	# hypercubes.
	parameter keep_tables N
	check 'add' hcctl fabric add t kary 2^3
	equal 'dimension' 3 "$(json '.[0].dim' fabric show t)"
	check 'a tree' hcctl tree find fabric t apply
	equal 'fabric' 'dim' "$(hcctl -j fabric save t | grep -oE '"(dim|peers)"' | head -1 | tr -d '"')"
}

test_commands_for_hypercubes_are_refused_on_torus_with_reason() {
	local what='needs a hypercube'
	check 'add' hcctl fabric add t torus 5x5
	refused 'a tree' "$what" hcctl tree find fabric t apply
	refused 'broadcasts of all' "$what" hcctl bcast plan fabric t all
	refused 'the paper'"'"'s broadcasts' "$what" hcctl bcast plan fabric t source 0 method broadcast1
	refused 'a doubling' "$what" hcctl doubling plan fabric t apply
	refused 'checked trees' "$what" hcctl checked plan fabric t apply
	refused 'a topology' "$what" hcctl balance topology fabric t
	refused 'rounds over it' "$what" hcctl balance set t method mcwa
	refused 'a trunk' "$what" hcctl trunk listen t 127.0.0.1:7001
	refused 'its other end' "$what" hcctl trunk connect t 0 127.0.0.1:7001
	refused 'a plan over it' "$what" hcctl balance plan fabric t method mcwa load "$(seq -s, 0 24)"
	refused 'a trace' "$what" hcctl trace t -o "$scratch/trace.json" -- true
	refused 'no such port' 'no such port' hcctl link set t 0:4 down
	refused 'no such number' 'no such dimension' hcctl link show t 0:9
}

test_link_can_be_named_by_its_two_nodes() {
	check 'add' hcctl fabric add t torus 5x5
	check 'down' hcctl link set t 20--0,1--2 down
	equal 'these' '[[0,20],[1,2]]' "$(json '[.[] | select(.state != []) | [.node, .peer] | sort] | unique' link show t)"
	equal 'one' '[7,12]' "$(json '.[0] | [.node, .peer]' link show t 7--12)"
	check 'up' hcctl link set t 0--20 up
	refused 'no neighbors' 'no link joins nodes 0 and 6' hcctl link set t 0--6 down
	refused 'no node' 'no link joins nodes 0 and 25' hcctl link set t 0--25 down
	check 'all links of all nodes' hcctl link set t all down
	equal 'of them' 50 "$(json '[.[] | select(.state != [])] | length / 2' link show t)"
	check 'all up' hcctl link set t all up
	check 'all nodes' hcctl node set t all fail
	equal 'no node is alive' 25 "$(json '[.[] | select(.failed)] | length' node show t)"
	check 'all nodes again' hcctl node set t all ok
}

test_invalid_networks_are_refused_with_reason() {
	refused 'none' 'missing "dim"' hcctl fabric add t
	refused 'two' 'one network' hcctl fabric add t torus 5x5 ring 4
	refused 'a dimension and a network' 'one network' hcctl fabric add t torus 5x5 dim 3
	refused 'too many nodes' 'too many nodes' hcctl fabric add t torus 65x64
	refused 'too many ports' 'more than 16 ports' hcctl fabric add t full 18
	refused 'no lengths' 'lengths are wanted' hcctl fabric add t torus 5y5
	refused 'no links' 'no links' hcctl fabric add t ring 1
	refused 'a part' 'only a hypercube has subcubes' hcctl fabric add t ring 8 nodes 0XX
	printf '0 1\n3 2\n' >"$scratch/net"
	refused 'two parts' 'no links lead from node 0 to a node' hcctl fabric add t graph "$scratch/net"
	printf '0 1\n1 3\n' >"$scratch/net"
	refused 'gaps' 'without gaps' hcctl fabric add t graph "$scratch/net"
	equal 'none is there' 0 "$(json length fabric show)"
}

test_allgather_and_alltoall_run_over_rings_of_torus_and_mesh() {
	check 'add' hcctl fabric add t torus 5x5
	equal 'steps of an allgather both ways' 12 \
		"$(json .steps run allgather t type u64 count 4 random 1 verify)"
	equal 'steps of an alltoall' 24 "$(json .steps run alltoall t type u64 count 4 random 1 verify)"
	check 'del' hcctl fabric del t
	check 'add' hcctl fabric add t mesh 5x5
	check 'rings' hcctl ring plan fabric t apply repair
	equal 'verified' true "$(json .verified run allgather t type u64 count 4 random 1 verify)"
	check 'a node fails' hcctl node set t 12 fail
	check 'the rings are whole again' busywait 10 json_is 1 '.[0].repairs' plan show t
	equal 'members' 24 "$(json .members run allgather t plan 5 type u64 count 4 random 1 verify)"
}

# carried NETWORK..: checks that all collectives of trees work on a spanning tree, in the planned
# number of steps
carried() {
	local up steps
	check "add $*" hcctl fabric add t "$@"
	check "$*: a tree" hcctl span plan fabric t apply
	up=$(json .steps span plan fabric t)
	for steps in "reduce $up" "allreduce $((2 * up))" "gather $up" "scatter $((2 * up))" "reduce_scatter $((2 * up))"; do
		equal "$*: ${steps% *}" "[${steps#* },true]" \
			"$(json '[.steps, .verified]' run "${steps% *}" t plan 6 type u64 count 300 random 1 verify)"
	done
	equal "$*: allgather" true "$(json .verified run allgather t plan 6 type u32 count 64 random 1 verify)"
	equal "$*: runs are merged" true "$(json .verified run allreduce t plan 6 op merge type f64 count 50 random 1 verify)"
	equal "$*: barrier" $((2 * up)) "$(json .steps run barrier t)"
	log "$*: $up steps, at least $(json .least_steps span plan fabric t)"
	check 'del' hcctl fabric del t
}

test_tree_collectives_run_over_spanning_trees_in_planned_steps() {
	carried torus 5x5
	carried mesh 4x5
	carried tree 2^4
	carried ring 9
	carried full 16
	echo '0 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16' >"$scratch/star"
	carried graph "$scratch/star"
	[[ $debug ]] || carried dragonfly 4x2
	[[ $debug ]] || carried torus 6x6x6
	carried dim 4
}

# broadcast NETWORK..: checks that a broadcast plan (a sequence of ports) takes as many steps as its
# sequence has ports
broadcast() {
	local steps
	check "add $*" hcctl fabric add t "$@"
	check "$*: faults" hcctl fault random t links 2 seed 5
	check "$*: a sequence" hcctl bcast plan fabric t source 1 apply
	steps=$(json .steps bcast plan fabric t source 1)
	equal "$*: steps" "[$steps,true]" \
		"$(json '[.steps, .verified]' run bcast t source 1 type u64 count 3000 random 1 verify)"
	equal "$*: that many" "$steps" "$(json '.[0].sequence | length' plan show t)"
	log "$*: $steps steps, at least $(json .lower_bound bcast plan fabric t source 1)"
	check 'del' hcctl fabric del t
}

test_broadcast_reaches_all_nodes_in_planned_steps() {
	broadcast torus 5x5
	broadcast mesh 4x5
	broadcast full 16
	echo '0 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16' >"$scratch/star"
	broadcast graph "$scratch/star"
	[[ $debug ]] || broadcast dragonfly 4x2
	[[ $debug ]] || broadcast kary 3^3
}

# The sink of this cube, node 0, has one link that is up, to node 1, and node 1 has one further link
# that is up. So each order of dimensions uses a faulty link, but there is a spanning tree.
test_spanning_tree_exists_where_no_dimension_order_avoids_faults() {
	check 'add' hcctl fabric add t dim 4
	check 'faults' hcctl link set t 0:1-3,1:2-3 down
	equal 'no order' false "$(json '.cost == 0' tree find fabric t sink 0)"
	check 'a tree' hcctl span plan fabric t sink 0 apply
	equal 'sum' '[6,true]' "$(json '[.steps, .verified]' run reduce t plan 6 op sum type f32 count 1000 random 1 verify)"
	refused 'a faulty link' 'link to the parent is faulty' \
		hcctl span plan fabric t sink 0 parents -,0,0,2,0,4,4,6,0,8,8,10,8,12,12,14 apply
	check 'parents' hcctl span plan fabric t sink 0 parents -,0,-,1,-,-,-,-,-,-,-,-,-,-,-,- apply
	equal 'members' '[0,1,3]' "$(json '.[0].members' plan show t)"
	check 'a link fails' hcctl link set t 1:1 down
	check 'it is broken' busywait 5 json_is true '.[0].broken' plan show t
}

test_guarded_spanning_tree_works_again_after_link_and_node_fail() {
	check 'add' hcctl fabric add t torus 4x4
	check 'a guarded tree' hcctl span plan fabric t apply guard 10s
	hcctl guard t &
	local guard=$!
	check 'a link fails' hcctl link set t "$(json '.links[0] | "\(.node):\(.dim)"' span plan fabric t)" down
	check 'the next epoch' busywait 10 json_is false '.[0].broken' plan show t
	equal 'sum' true "$(json .verified run allreduce t plan 6 op sum type u64 count 100 random 1 verify)"
	check 'a node fails' hcctl node set t 15 fail
	check 'the next one' busywait 10 json_is 15 '.[0].members | length' plan show t
	equal 'sum' true "$(json .verified run allreduce t plan 6 op sum type u64 count 100 random 1 verify)"
	kill "$guard"
	wait "$guard"
}

# When one ring breaks, another ring that shares no link with it still works.
test_edge_disjoint_ring_works_after_another_ring_breaks() {
	local id
	check 'add' hcctl fabric add t torus 5x5
	check 'two rings' hcctl ring plan fabric t rings 2 apply
	for id in 20 21; do
		equal "plan $id" '[12,true]' \
			"$(json '[.steps, .verified]' run allgather t plan $id type u64 count 4 random 1 verify)"
	done
	check 'a link of one' hcctl link set t "$(json '.[0].rings[0].nodes | "\(.[3])--\(.[4])"' plan show t 20)" down
	check 'it is broken' busywait 5 json_is true '.[0].broken' plan show t 20
	equal 'the other one is not' '[false,true]' "[$(json '.[0].broken' plan show t 21),$(json .verified \
		run alltoall t plan 21 type u64 count 4 random 1 verify)]"
	equal 'one is left' '[1,1]' "$(json '[.most, (.rings | length)]' ring plan fabric t rings 2)"
	check 'del' hcctl fabric del t
	check 'add' hcctl fabric add t dim 6
	equal 'of a cube' '[3,3]' "$(json '[.most, (.rings | length)]' ring plan fabric t rings 3 apply plan 7)"
	equal 'plans' '[7,8,9]' "$(json '[.[].plan]' plan show t)"
}

# A member of a ring may have as many peers as its node has ports.
test_rings_of_star_work_with_fifteen_peers_at_one_member() {
	echo '0 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15' >"$scratch/star"
	check 'add' hcctl fabric add t graph "$scratch/star"
	check 'rings' hcctl ring plan fabric t apply
	equal 'verified' true "$(json .verified run allgather t plan 5 type u64 count 300 random 1 verify)"
	equal 'verified' true "$(json .verified run alltoall t plan 5 type u64 count 16 random 1 verify)"
}

# steps NETWORK METHOD DELIVER ACKNOWLEDGE: checks that the planner promises, for rings, DELIVER
# steps until all members have the data and ACKNOWLEDGE steps until all members know that, and that
# an allgather takes as many steps
steps() {
	local planned
	# shellcheck disable=SC2086
	check "add $1" hcctl fabric add t $1
	planned=$(json .deliver ring plan fabric t method "$2" apply repair)
	equal "$1, $2: planned" "[$3,$4]" "$(json '[.deliver, .steps]' ring plan fabric t method "$2")"
	equal "$1, $2" "[$planned,true]" \
		"$(json '[.steps, .verified]' run allgather t plan 5 type u64 count 4 random 1 verify)"
	log "$1, $2: $planned steps"
	check 'del' hcctl fabric del t
}

test_allgather_over_rings_takes_planned_number_of_steps() {
	steps 'torus 4x4' vrt 17 18
	steps 'torus 4x4' hamilton 15 16
	steps 'mesh 5x5' vrt 28 29
	steps 'tree 2^5' vrt 45 46
	[[ $debug ]] || steps 'dragonfly 4x2' vrt 43 44
	[[ $debug ]] || steps 'kary 3^3' hamilton 26 27
}

test_routes_in_torus_with_1024_nodes_are_shortest() {
	local nodes=1024
	check 'add' hcctl fabric add t torus 16x64
	equal 'nodes' $nodes "$(json '.[0].nodes' fabric show t)"
	equal 'the farthest' '[40,40]' "$(json '[.[0].hops, .[0].optimum]' route show t 0 544)"
	check 'a fault' hcctl link set t 0:0 down
	equal 'around it' 2 "$(json '.[0].hops - .[0].optimum + 2' route show t 0 1)"
}

# Make a fabric by the longest possible netlink message: a table of 4,096 nodes with 16 ports each.
test_fabric_is_made_from_largest_possible_table() {
	awk 'BEGIN { for (u = 0; u < 4096; u++) for (k = 1; k < 16; k += 2) print u, (u + k) % 4096 }' >"$scratch/net"
	check 'add' hcctl fabric add t graph "$scratch/net"
	equal 'nodes and ports' '[4096,16]' "$(json '.[0] | [.nodes, .ports]' fabric show t)"
}

test_link_that_loses_all_frames_is_found_by_detect() {
	check 'add' hcctl fabric add t dragonfly 4x2
	check 'nothing comes' hcctl link set t 5:1 loss 100%
	equal 'found' 1 "$(json .found detect t)"
	equal 'around it' 0 "$(json '[.[] | select(.hops != .optimum)] | length' route show t 5)"
	check 'clear' hcctl fault clear t
	equal 'none' 0 "$(json .found detect t)"
}

test_saved_torus_is_restored_with_faults_and_plans() {
	check 'add' hcctl fabric add t torus 4x5
	check 'faults' hcctl fault random t links 2 nodes 1 seed 3
	check 'impair' hcctl link set t all loss 1%
	check 'rings' hcctl ring plan fabric t apply
	check 'a tree' hcctl span plan fabric t apply
	hcctl fabric save t >"$scratch/saved" || fault 'save'
	equal 'nothing to do' '[]' "$(json .changes fabric restore "$scratch/saved" dry-run)"
	check 'del' hcctl fabric del t
	check 'restore' hcctl fabric restore "$scratch/saved"
	check 'the same' cmp "$scratch/saved" <(hcctl fabric save t)
	equal 'shape' 'torus 4x5' "$(json '.[0].shape' fabric show t)"
	check 'another' hcctl fabric add u mesh 4x5
	refused 'it stays that' 'is another network' hcctl fabric restore "$scratch/saved" u
	sed 's/"peers": \[/"peers": [ [ 0, 1 ],/' "$scratch/saved" >"$scratch/bad"
	refused 'a bad table' 'invalid peers' hcctl fabric restore "$scratch/bad" v
}

test_plot_draws_torus_with_rings_and_spanning_trees() {
	local end
	check 'add' hcctl fabric add t torus 4x4
	for end in svg dot html; do
		check "$end" hcctl plot t -o "$scratch/t.$end"
		[[ -s $scratch/t.$end ]] || fault "$end is empty"
	done
	check 'rings' hcctl ring plan fabric t apply
	check 'of the plan' hcctl plot t plan 5 -o "$scratch/t.svg"
	refused 'of no plan' 'neither rings nor a spanning tree' hcctl plot t plan 6 -o "$scratch/t.svg"
	check 'a spanning tree' hcctl span plan fabric t apply
	for end in svg dot html; do
		equal "$end" '["span",16,32,15]' "$(json '[.kind, .nodes, .links, .transfers]' plot t plan 6 -o "$scratch/t.$end")"
	done
	check 'a link fails' hcctl link set t "$(json '.links[0] | "\(.node):\(.dim)"' span plan fabric t)" down
	equal 'as it was' 15 "$(json .transfers plot t plan 6 -o "$scratch/t.svg")"
	grep -q 'broken by a fault' "$scratch/t.svg" || fault 'it is not said to be broken'
	check 'del' hcctl fabric del t
	check 'add' hcctl fabric add t dim 4
	check 'a spanning tree of a cube' hcctl span plan fabric t apply
	equal 'of it' '["span",4,15]' "$(json '[.kind, .dim, .transfers]' plot t plan 6 -o "$scratch/t.svg")"
}

# loads: prints the number of waiting tasks of each node, as a list
loads() { json '[.nodes[].queued] | join(",")' balance show t; }

# After a round of dimension exchange, the tasks are distributed as the planner computes; and so
# they are after the moves of the optimal plan.
test_load_balancing_moves_tasks_as_planned() {
	local load final link count
	check 'add' hcctl fabric add t torus 4x4
	check 'faults' hcctl link set t 0--1,5--9 down
	check 'many tasks' "$here/hc_load" tasks t 0 90
	check 'few' "$here/hc_load" tasks t 6 31
	check 'one' "$here/hc_load" tasks t 15 1
	load=$(loads)
	final=$(json '.final | join(",")' balance plan fabric t load "$load" method dem)
	equal 'steps' 12 "$(json .steps balance run t method dem)"
	equal 'dem' "$final" "$(loads)"
	hcctl -j balance plan fabric t load "$final" | jq -r '.moves[] | "\(.from)--\(.to) \(.tasks)"' >"$scratch/moves"
	[[ -s $scratch/moves ]] || fault 'dem has left nothing to do'
	while read -r link count; do
		check "move $count by $link" hcctl balance move t "$link" "$count"
		busywait 5 json_is 0 '[.nodes[].moving] | add' balance show t || fault 'they do not come'
	done <"$scratch/moves"
	equal 'even' '1 122' "$(loads | tr , '\n' | sort -n | awk '{ n += $1; v[NR] = $1 } END { print v[NR] - v[1], n }')"
}

test_ping_reaches_other_endpoints_with_and_without_faults() {
	local u
	check 'add' hcctl fabric add t torus 3x4 netns-each "gr$$-" address 10.9.0.0/24
	for u in 1 5 11; do
		check "ping $u" ip netns exec "gr$$-0" ping -q -c 1 -W 5 10.9.0.$((u + 1))
	done
	check 'faults' hcctl link set t 0:0,0:1 down
	check 'around' ip netns exec "gr$$-0" ping -q -c 1 -W 5 10.9.0.6
	check 'del' hcctl fabric del t
}

run_tests
