#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests the commands of hcctl that plan without a fabric: trees, rings, broadcasts, the maximal fault index and
# balancing. Prints TAP. Needs neither root nor the module.
#	cli_plan_test.sh HCCTL

# shellcheck source=ctl/tests/cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/cli.sh"

# --- trees, offline ---------------------------------------------------------

try 2 - '^hcctl: missing "fabric" or "dim"' tree find
try 2 - '^hcctl: missing "fabric" to apply' tree find dim 3 apply
try 2 - '^hcctl: missing "apply"' tree find fabric hc0 plan 3
try 2 - '^hcctl: missing "apply", without which there is nothing to guard' tree find fabric hc0 guard 5s
try 2 - '^hcctl: missing value after "guard"' tree find fabric hc0 apply guard
try 2 - '^hcctl: invalid guard "5": a time is wanted' tree find fabric hc0 apply guard 5
try 2 - '^hcctl: invalid guard "0": whole milliseconds are wanted' tree find fabric hc0 apply guard 0
try 2 - '^hcctl: invalid guard "1500us": whole milliseconds are wanted' tree find fabric hc0 apply guard 1500us
try 2 - '^hcctl: invalid guard "601s": at most ten minutes' tree find fabric hc0 apply guard 601s
try 2 - '^hcctl: "guard" is given twice' tree find fabric hc0 apply guard 5s guard 6s
try 2 - '^hcctl: plans that belong together cannot be guarded' checked plan fabric hc0 apply guard 5s
long=$(printf '0%.0s' {1..260})
try 2 - '^hcctl: the words are too long for a guarded plan' tree find fabric hc0 apply guard 5s sink 0b"$long"
try 2 - '^hcctl: invalid fabric "hc0"' tree find fabric hc0 dim 3
try 2 - '^hcctl: invalid method "best"' tree find dim 3 method best
try 2 - '^hcctl: link 8:0 is not in a cube of dimension 3$' tree find dim 3 fail-link 8:0
try 2 - '^hcctl: link 0:3 is not in a cube of dimension 3$' tree find dim 3 fail-link 0:3
try 2 - '^hcctl: node 8 is not in a cube of dimension 3$' tree find dim 3 fail-node 8
try 2 - '^hcctl: no tree with sink 8' tree find dim 3 sink 8
try 2 - '^hcctl: invalid subcube "XX"' tree find dim 3 subcube XX
try 2 - '^hcctl: invalid subcube "XXZ"' tree find dim 3 subcube XXZ
try 1 - '^hcctl: no tree with sink 0' tree find dim 3 sink 0 fail-node 0
try 1 - '^hcctl: no tree with sink 0' tree find dim 3 sink 0 fail-link 0:0,0:1,0:2
try 1 - '^\{"error":"no tree with sink 0: ' -j tree find dim 3 sink 0 fail-node 0
try 1 - '^hcctl: no tree: ' tree find dim 3 method find-tree fail-node 0,7
try 0 '^dim 3 .*cost 0 method exact' - tree find dim 3
try 0 'FAULTY' 'warning: cut off from sink 7 and left out: 0$' tree find dim 3 fail-node 1,2,4
try 0 '^\{"dim"' '^\{"warning":"cut off from sink 7 and left out: 0"\}$' -j tree find dim 3 fail-node 1,2,4

json 'keys - ["dim","sink","order","cost","faulty","members","method","clean_sink",
	"faulty_stages","steps","detours","excluded","fail_links","fail_nodes"] == []' tree find dim 3
json '.dim == 3 and .cost == 0 and (.order | sort) == [0,1,2] and .members == [0,1,2,3,4,5,6,7]
	and .method == "exact" and .steps == 3 and .clean_sink' tree find dim 3
# A list is written with commas or by giving the option again; numbers may be decimal, binary or hexadecimal.
for words in 'fail-link 0:0,0:1' 'fail-link 0:0 fail-link 0:1' 'fail-link 1:0,0b10:1' 'fail-link 0x1:0,0x0:1'; do
	# shellcheck disable=SC2086
	json '.sink == 4 and .cost == 0' tree find dim 3 $words
done
# The paper's second example; then a case in which its heuristic (method find-tree) does not find the tree without
# faulty links that exists
json '.sink == 0 and .order == [2,0,1] and .cost == 0' \
	tree find dim 3 method find-tree fail-link 1:1,4:0,5:1
json '.cost > 0 and .sink == 3' tree find dim 3 method find-tree fail-link 0:0,0:1
json '.cost == 0' tree find dim 3 method exhaust fail-link 0:0,0:1
json '(.faulty | length) == 1 and .cost == 1 and .steps == 4 and .faulty_stages == 1' \
	tree find dim 3 sink 0 fail-link 2:2,0b100:0,1:1
json '.members == [1,3,5,7] and .subcube == "XX1" and (.order | sort) == [1,2]' \
	tree find dim 3 subcube XX1
json '.fail_links == [{"node":0,"dim":0},{"node":1,"dim":2},{"node":4,"dim":0},{"node":5,"dim":1}]' \
	tree find dim 3 fail-link 5,1:0
try 2 - '^hcctl: link 8:0 is not in a cube of dimension 3$' tree find dim 3 fail-link 8
echo 'link 5,1:0' >faulty
json '.fail_links | length == 4' tree find dim 3 faults faulty
for word in '**1' 'xx1' 'X*1'; do
	json '.members == [1,3,5,7] and .subcube == "XX1"' tree find dim 3 subcube "$word"
done
json '.members == [0,3,5] and .excluded == [] and (.detours | length) == 2' tree find dim 3 members 0,3,5
json '.members == [4,6] and .order == [1] and .steps == 1' tree find dim 3 members 4,6
json '.members == [1,2,3,4] and .sink == 4' tree find dim 3 members 1-4 sink 4
try 1 - '^hcctl: no tree: a member has failed or is cut off$' tree find dim 3 members 0-4 fail-node 2
try 2 - '^hcctl: no tree with sink 7: the sink is no member$' tree find dim 3 members 0-4 sink 7
try 2 - '^hcctl: node 8 is not in a cube of dimension 3$' tree find dim 3 members 8
try 2 - '^hcctl: invalid members "x"' tree find dim 3 members x
try 2 - '^hcctl: invalid subcube "XX1": the members say' tree find dim 3 members 1 subcube XX1
json '.subcube == "1XX"' doubling plan dim 3 subcube '1**'
json '[.pieces[].piece] | all(test("^[01*]+$"))' bcast plan dim 3 fail-node 0 all
json '.members == [5] and .order == [] and .steps == 0' tree find dim 3 subcube 101
json '.fail_links == [{"node":0,"dim":0}] and .fail_nodes == [2]' \
	tree find dim 3 fail-link 1:0,2:1 fail-node 2
json '.fail_links == [{"node":0,"dim":0}] and .fail_nodes == [2]' \
	bcast plan dim 3 source 7 fail-link 1:0,2:1 fail-node 2
json '.excluded == [0] and .members == [3,5,6,7]' tree find dim 3 fail-node 1,2,4
json '.clean_sink == false and .cost >= 1' tree find dim 3 fail-link 0:0,2:0,4:1,5:1
try 1 - '^hcctl: no tree: ' tree find dim 3 fail-link 0:0,2:0,4:1,5:1 method find-tree

# --- guards, without a module ------------------------------------------------

try 2 - '^hcctl: missing NAME of a fabric' guard
try 2 - '^hcctl: invalid fabric name "a-long-name"' guard a-long-name
try 2 - '^hcctl: what is "5s"' guard hc0 5s
try 2 - '^hcctl: missing value after "plan"' guard hc0 plan
try 2 - '^hcctl: invalid plan "0": at least 1' guard hc0 plan 0
try 2 - '^hcctl: invalid plan "x"' guard hc0 plan 1,x
try 2 - '^hcctl: invalid plan ""' guard hc0 plan 1,
try 2 - '^hcctl: missing "plan": guarded plans have a time' guard hc0 time 5s
try 2 - '^hcctl: invalid time "5"' guard hc0 plan 1 time 5
try 2 - '^hcctl: invalid time "601s": at most ten minutes' guard hc0 plan 1 time 601s
try 2 - '^hcctl: "once" is given twice' guard hc0 once once
try 0 '^Usage: hcctl guard NAME ' - guard help
try 2 - '^hcctl: missing ID of a plan' plan set hc0
try 2 - '^hcctl: missing "guard-uid", without which' plan set hc0 1
try 2 - '^hcctl: missing value after "guard-uid"' plan set hc0 1 guard-uid
try 2 - '^hcctl: invalid plan "0": at least 1' plan set hc0 0 guard-uid 5
try 2 - '^hcctl: invalid guard-uid "nobody-of-this-name": a user' plan set hc0 1 guard-uid nobody-of-this-name
try 2 - '^hcctl: invalid guard-uid "4294967295"' plan set hc0 1 guard-uid 4294967295

# --- MPI programs --------------------------------------------------------------

try 2 - '^hcctl: missing PROGRAM' mpirun
try 2 - '^hcctl: missing PROGRAM' mpirun -n 4 --
try 2 - '^hcctl: missing value after "-n"' mpirun -n
try 2 - '^hcctl: missing value after "--fabric"' mpirun -n 4 --fabric
try 2 - '^hcctl: invalid -n "0": at least 1' mpirun -n 0 true
try 2 - '^hcctl: invalid -n "4097": no fabric has so many nodes' mpirun -n 4097 true
try 2 - '^hcctl: invalid --fabric "a-name-too-long"' mpirun --fabric a-name-too-long true
try 2 - '^hcctl: what is "--np"' mpirun --np 4 true

# --- recursive doubling, offline --------------------------------------------

try 2 - '^hcctl: missing "fabric" or "dim"' doubling plan
try 2 - '^hcctl: missing "fabric" to apply' doubling plan dim 3 apply
try 2 - '^hcctl: missing "apply"' doubling plan fabric hc0 plan 4
try 2 - '^hcctl: invalid subcube "XX"' doubling plan dim 3 subcube XX
try 2 - '^hcctl: invalid subcube "X2X"' doubling plan dim 3 subcube X2X
try 2 - '^hcctl: node 8 is not in a cube of dimension 3$' doubling plan dim 3 fail-node 8
try 2 - '^hcctl: missing "dim"' doubling rule bytes 8
try 2 - '^hcctl: invalid method "best"' run allreduce hc0 method best
try 2 - '^hcctl: invalid method "doubling"' run allreduce hc0 op merge method doubling
try 2 - '^hcctl: what is "method"' run reduce hc0 method tree
try 1 - 'a link of the subcube is faulty: 1:1$' doubling plan dim 3 subcube XX1 fail-link 3:1
try 1 - 'has failed or is cut off: node 6$' doubling plan dim 3 subcube 1XX fail-node 6
try 1 - '^hcctl: no doubling: no node is connected' doubling plan dim 1 fail-link 0:0

# Several rings of all nodes, of which no two share a link
json '.most == 2 and .members == 16 and (.rings | length) == 2' ring plan dim 4 rings 2
# shellcheck disable=SC2016
json '[.rings[].nodes | . as $n | range(length) | [$n[.], $n[(. + 1) % ($n | length)]] | sort] | length == (unique | length)' \
	ring plan dim 6 rings 3
json '(.rings | length) == 1 and .most == 1' ring plan dim 4 rings 2 fail-link 0:0
printf '1 2,3\n2 3\n3 4\n4 1,2\n7 1,2,3,4\n' >five
# shellcheck disable=SC2016
json '.most == 2 and .members == 5 and (.rings | length) == 2 and ([.rings[].nodes | . as $n | range(5) |
	[$n[.], $n[(. + 1) % 5]] | sort] | length == 10 and length == (unique | length) and (flatten | unique) == [1,2,3,4,7])' \
	ring plan graph five rings 2
try 1 - '^hcctl: no ring of all 3 nodes was found$' ring plan graph <(echo '0 1,2') rings 1
try 2 - 'what is "apply"' ring plan graph five rings 2 apply
try 1 - '^hcctl: no ring of all 7 nodes was found$' ring plan dim 3 rings 1 fail-node 1
try 2 - '^hcctl: invalid rings "0"' ring plan dim 3 rings 0
try 2 - 'what is "width"' ring plan dim 4 rings 2 width 3

json '.steps == 11 and .messages == 63 and ([.schedule[][].offset] | sort == [range(1; 64)])' ring shortest dim 6
json '[.schedule[] | [.[].dim] | length == (unique | length) and length <= 7] | all' ring shortest dim 7
try 2 - '^hcctl: missing "dim"' ring shortest

# Links that are written A--B, by the two nodes that they join
json '.fail_links == [{"node":0,"dim":0},{"node":2,"dim":0},{"node":4,"dim":1}]' tree find dim 3 fail-link 0--1,3--2,0b110--4
try 1 - '^hcctl: no link joins nodes 0 and 3$' tree find dim 3 fail-link 0--3
try 1 - '^hcctl: no link joins nodes 1 and 8$' tree find dim 3 fail-link 1--8
try 2 - '^hcctl: invalid fail-link "0--"' tree find dim 3 fail-link 0--
try 2 - '^hcctl: invalid fail-link "0--1--2"' tree find dim 3 fail-link 0--1--2

# Spanning trees: a node with one link left is a leaf, or it is the root.
json '.steps == 4 and .least_steps == 4 and .members == 16' span plan dim 4
json '.steps == 4 and (.links | length) == 15 and .links[0].dim == 3' span plan dim 4 sink 8 fail-link 0:0-2
json '.steps == 5 and .least_steps == 5 and .depth == 5' span plan dim 4 sink 0 fail-link 0:0-2
json '[.links[] | [.node, .parent, .step]] == [[1,0,2],[2,0,1],[3,1,1]]' span plan dim 2 sink 0 parents -,0,0,1
json '.members == 7 and .steps == 3' span plan dim 3 sink 0 without 7
json '.method == "depth" and .depth == 3' span plan dim 3 sink 5 method depth
try 2 - '^hcctl: missing "sink"' span plan dim 2 parents -,0,0,1
try 2 - '^hcctl: invalid parents "-,0,0": for each node' span plan dim 2 sink 0 parents -,0,0
try 2 - '^hcctl: invalid parents "-,0,0,4"' span plan dim 2 sink 0 parents -,0,0,4
try 2 - '^hcctl: invalid parents "-,0,0,": for each' span plan dim 2 sink 0 parents -,0,0,
try 1 - 'with sink 0: a node has no link to the parent' span plan dim 2 sink 0 parents -,0,0,0
try 1 - 'with sink 1: the root has a parent$' span plan dim 2 sink 1 parents -,0,0,1
try 2 - 'there is no node 4$' span plan dim 2 without 4
try 1 - 'with sink 0: it has failed' span plan dim 2 sink 0 fail-node 0

# --- networks that are no hypercubes ------------------------------------------

json '.steps == 5 and .members == 25 and (has("dim") | not)' span plan torus 5x5
json '.members == 24 and [.fail_links[] | [.node, .dim]] == [[0,0]]' span plan torus 5x5 fail-link 0--1 fail-node 12
json '.dim == 3 and .steps == 4' span plan kary 2^3 fail-link 0--1
json '.members == 31 and .steps == 8' span plan tree 2^5
json '.steps == 6' bcast plan torus 5x5 source 0
json '.deliver == 15 and .steps == 16' ring plan torus 4x4 method hamilton
json '.deliver == 17 and .steps == 18' ring plan torus 4x4 method vrt
json '.rings | length == 2' ring plan torus 5x5 rings 2
printf '0 1,2\n1 2\n2 3\n' >net.four
json '.members == 4' span plan graph net.four
printf 'link 0--1\nnode 3\n' >net.faults
json '.members == 3 and .fail_nodes == [3]' span plan graph net.four faults net.faults
try 2 - '^hcctl: a plan is for one network, not "dim" and "torus 5x5"$' span plan torus 5x5 dim 3
try 2 - 'one network, not "torus 5x5" and "ring"$' span plan torus 5x5 ring 4
try 2 - '^hcctl: invalid fabric "t": ' span plan torus 5x5 fabric t
try 2 - '^hcctl: link 0:9 is not in "torus 5x5"$' span plan torus 5x5 fail-link 0:9
try 1 - '^hcctl: no link joins nodes 0 and 6$' span plan torus 5x5 fail-link 0--6
try 2 - '^hcctl: node 25 is not in "torus 5x5"$' span plan torus 5x5 fail-node 25
try 1 - '^hcctl: tree needs a hypercube, and this is another network$' tree find torus 5x5
try 1 - 'needs a hypercube' doubling plan ring 5
try 1 - 'needs a hypercube' checked plan full 5
try 1 - 'needs a hypercube' bcast plan mesh 3x3 all
try 1 - '^hcctl: a topology needs a hypercube' balance topology ring 6
try 0 '^order|order' - tree find kary 2^3
json '.method == "optimal" and .hops == 30 and .final == [2,2,2,2,2,2] and .middle == 2' \
	balance plan ring 6 fail-link 0--5 load 12,0,0,0,0,0
json '[.compared[].method] == ["rid","dem","optimal"] and .taken == "optimal"' \
	balance plan mesh 3x3 load 9,0,0,0,0,0,0,0,9 method auto
json '.move_steps == 5 and .info_steps == 10' balance plan torus 5x5 method dem load "$(seq -s, 0 24)"
try 1 - '^hcctl: mcwa needs a hypercube' balance plan ring 4 load 1,2,3,4 method mcwa
try 1 - '^hcctl: cwa needs a hypercube' balance plan ring 3 load 1,2,3 method cwa
try 2 - '^hcctl: 3 loads for 4 nodes' balance plan graph net.four load 1,2,3
try 1 - '^hcctl: nothing to balance' balance plan ring 4 fail-node 0,2 load 0,1,0,1
seq 0 4096 | awk '{ print $1, $1 + 1 }' >net.many
try 2 - '^hcctl: no such network "graph net.many": it has too many nodes$' span plan graph net.many
printf 'graph x { 0 -- 1 }\n' >net.dot
try 2 - 'gv2gxl of graphviz makes' span plan graph net.dot
head -c 5000 /dev/zero | tr '\0' 1 >net.long
try 2 - '^hcctl: net.long:1: invalid node "1{200}\.\.": ' span plan graph net.long
try 0 '^dim 4 subcube XXX0 base 0 order 1,2,3$' - doubling plan dim 4 fail-link 0:0 fail-node 15
json '.subcube == "1XX" and .base == 4 and .order == [0,1]' doubling plan dim 3 fail-node 0
json '.subcube == "XXX" and .members == 8 and .steps == 3' doubling plan dim 3
json '.subcube == "1X1" and .base == 5 and .members == 2' doubling plan dim 3 subcube 1X1
json '(.rows | length > 0 and all(.[]; (.method == "doubling") ==
	(.latency_percent <= 90 and .back_to_back_percent <= 90))) and (.measured | length > 0)' \
	doubling rule
json '.method == .because[0].method and .because[0].bytes >= .bytes' doubling rule dim 3 bytes 100

# --- rings, offline ---------------------------------------------------------

printf '# a triangle with a tail\n0 1\n1 2 # x\n0x2 0\n\n2 3\n5\n' >net
printf '0 1\n1 x\n' >net.word
printf '0 1\n1 65536\n' >net.large
printf '0 1 2\n' >net.three
printf '4 4\n' >net.self
printf '# nothing\n' >net.empty
printf '1\n2\n' >net.apart
try 2 - '^hcctl: missing "fabric" or "dim"' ring plan
try 2 - '^hcctl: missing "fabric" or "dim"' ring plan width 4
try 2 - 'missing "fabric" to apply' ring plan dim 3 apply
try 2 - '^hcctl: missing "apply"|^hcctl: what is "plan"' ring plan dim 3 plan 4
try 2 - '^hcctl: invalid dim "17"' ring plan dim 17
try 2 - '^hcctl: invalid method "best"' ring plan dim 3 method best
try 2 - '^hcctl: invalid width "1": a ring has at least 2 nodes' ring plan dim 3 width 1
try 2 - '^hcctl: invalid width "x"' ring plan dim 3 width x
try 2 - '^hcctl: invalid method "hamilton": .*no "width"' ring plan dim 3 method hamilton width 4
try 2 - '^hcctl: invalid method "hamilton": ' ring plan graph net width 4 method hamilton
try 2 - '^hcctl: link 0:3 is not in a cube of dimension 3$' ring plan dim 3 fail-link 0:3
try 2 - '^hcctl: node 8 is not in a cube of dimension 3$' ring plan dim 3 fail-node 8
try 2 - '^hcctl: what is "source"' ring plan dim 3 source 1
try 2 - '^hcctl: what is "dim"' ring plan graph net dim 3
try 2 - '^hcctl: what is "fail-node"' ring plan graph net fail-node 3
try 2 - '^hcctl: what is "apply"' ring plan graph net apply
try 2 - '^hcctl: "graph" is given twice' ring plan graph net graph net
# Control characters in names, for example newlines and escape sequences, are printed as octal numbers.
odd=$'g\e[31m\n\x9b\xc2\x9b\xc3\xa4' plain=$'g\\033[31m\\012\\233\\302\\233\xc3\xa4'
cp net "$odd"
[[ $("$hcctl" ring plan graph "$odd") == "graph $plain method "* && $("$hcctl" "$odd" 2>&1) == *"\"$plain\""* ]]
result $? 'control characters in a name'
rm "$odd"
try 2 - '^hcctl: missing value after "graph"' ring plan graph
try 1 - '^hcctl: cannot read nothing: No such' ring plan graph nothing
try 1 - '^hcctl: cannot read \.: ' ring plan graph .
try 2 - '^hcctl: net.word:2: invalid node "x"' ring plan graph net.word
try 2 - '^hcctl: net.large:2: invalid node "65536": a node number from 0 to 65535' ring plan graph net.large
try 2 - '^hcctl: net.three:1: invalid word "2"' ring plan graph net.three
try 2 - '^hcctl: net.self:1: invalid link "4": it joins a node with itself' ring plan graph net.self
try 2 - '^hcctl: invalid graph "net.empty"' ring plan graph net.empty
try 1 - '^hcctl: no rings: no node is connected' ring plan graph net.apart
try 1 - '^hcctl: no rings: no node is connected' ring plan dim 1 fail-node 0
try 1 - '^\{"error":"no rings: ' -j ring plan dim 1 fail-link 0:0
try 0 '^steps 7 to deliver one way, 4 both ways, 8 to acknowledge; at least 7 and 8 in rings, 3 to deliver by 3 ports' - \
	ring plan dim 3
try 0 'and back the same way$' - ring plan dim 3 method vrt
try 0 '^node 2 is 0\.[012] 1\.0$' 'warning: cut off from node [0-3] and left out: 5$' ring plan graph net
try 0 '' 'warning: cut off from node 3 and left out: 0$' ring plan dim 3 fail-node 1,2,4 method vrt
json 'keys - ["dim","method","members","levels","longest","virtual_nodes","deliver","deliver_both_ways","steps","least_deliver",
	"least_steps","least_ports","ports","rings","convergent","excluded","fail_links","fail_nodes"] == []' \
	ring plan dim 3
json '.method == "hamilton" and (.rings | length) == 1 and .rings[0].closed and .rings[0].level == 0
	and (.rings[0].nodes | sort) == [0,1,2,3,4,5,6,7] and .rings[0].parent == null
	and .convergent == [] and .steps == 8 and .deliver_both_ways == 4 and .virtual_nodes == 8' ring plan dim 3
json '.deliver == 1 and .deliver_both_ways == null' ring plan dim 1
json '.deliver_both_ways == null' ring plan dim 3 fail-node 5
json '.deliver_both_ways == 512 and .deliver == 1023' ring plan dim 10
json '[.rings[].nodes] == [[0,1,3,7],[0,2,6,4,5]] and .rings[1].level == 1 and .rings[1].parent == 0
	and .virtual_nodes == 9 and .levels == 2 and .convergent == [{"node":0,"addresses":[
	{"ring":0,"position":0},{"ring":1,"position":0}]}]' ring plan dim 3 method vrt
json '.longest == 3 and .method == "vrt"' ring plan dim 3 width 3
json '.longest == 8 and .method == "hamilton"' ring plan dim 3 width 8
json '.members == 7 and .longest == 6 and (.rings | length) == 2 and .steps == 8' ring plan dim 3 fail-node 5
json '.deliver == 15 and .fail_links == [{"node":0,"dim":0},{"node":0,"dim":1}]' ring plan dim 4 fail-link 0:0,2:1
json '.graph == "net" and .members == 4 and .longest == 3 and .excluded == [5] and .nodes == [0,1,2,3,5]
	and .links == [[0,1],[0,2],[1,2],[2,3]] and .ports == 1' ring plan graph net
json '[.rings[] | .nodes | length] | max == 2' ring plan method vrt width 2 graph net
# Each virtual node is in one ring. Each ring but the first has one node that is in another ring as well, so there
# are as many additional virtual nodes as further rings.
json '([.rings[].nodes | length] | add) == .virtual_nodes and .virtual_nodes == .members + (.rings | length) - 1' \
	ring plan dim 6 fail-node 1,2,9,33 fail-link 0:0,5:3 method vrt

printf 'link 0:0 # one\n\n# more\nlink 0:1\n' >text
printf '{"links":[{"node":0,"dim":0},{"node":0,"dim":1}],"nodes":[]}\n' >good.json
printf '{"links":[{"node":0}]}\n' >bad.json
printf 'link 0:0\nlimk 0:1\n' >bad
json '.sink == 4 and .cost == 0' tree find dim 3 faults text
json '.sink == 4 and .cost == 0' tree find dim 3 faults good.json
try 2 - '^hcctl: bad.json: links\[0\] in line 1: missing key "dim"$' tree find dim 3 faults bad.json
try 2 - '^hcctl: bad:2: invalid line "limk": ' tree find dim 3 faults bad
try 2 - '^\{"error":"bad:2: invalid line ' -j tree find dim 3 faults bad
printf 'link 0:0\nnode 1,x\n' >bad
try 2 - '^hcctl: bad:2: invalid node "x": ' tree find dim 3 faults bad
try 1 - '^hcctl: cannot read nothing' tree find dim 3 faults nothing

# --- broadcasts, offline ----------------------------------------------------

try 2 - '^hcctl: missing "source" or "all"' bcast plan dim 3
try 2 - '^hcctl: missing "fabric" or "dim"' bcast plan source 0
try 2 - '^hcctl: "source" and "all" exclude each other$' bcast plan dim 3 source 0 all
try 2 - '^hcctl: missing "fabric" to apply' bcast plan dim 3 source 0 apply
try 2 - '^hcctl: missing "apply"' bcast plan fabric hc0 source 0 plan 3
try 2 - '^hcctl: invalid apply "all"' bcast plan fabric hc0 all apply
try 2 - '^hcctl: invalid fabric "hc0"' bcast plan fabric hc0 dim 3 all
try 2 - '^hcctl: invalid method "best"' bcast plan dim 3 source 0 method best
try 2 - '^hcctl: invalid method "minimal"' bcast plan dim 3 all method minimal
try 2 - '^hcctl: invalid prime "large"' bcast plan dim 3 source 0 prime large
try 2 - '^hcctl: node 8 is not in a cube of dimension 3$' bcast plan dim 3 source 0 fail-node 8
try 2 - '^hcctl: link 0:3 is not in a cube of dimension 3$' bcast plan dim 3 source 0 fail-link 0:3
try 2 - '^hcctl: no broadcast from node 8' bcast plan dim 3 source 8
try 1 - '^hcctl: no broadcast from node 0: it has failed$' bcast plan dim 3 source 0 fail-node 0
try 1 - 'it is isolated$' bcast plan dim 2 source 0 fail-link 0:0,0:1
try 1 - '^hcctl: no broadcast: no live node$' bcast plan dim 1 all fail-node 0,1
try 0 '^subcube XXX00 sequence 2,3,4 \+ 1,0 \+ 2$' - \
	bcast plan dim 5 source 0 fail-node 5,6,9,17 method broadcast1
try 0 '^ *100 -> 000' - bcast plan dim 3 source 7
try 0 '^unreachable 0$' '^hcctl: warning: cut off from source 7: 0$' \
	bcast plan dim 3 source 7 fail-node 1,2,4
# Four faults in the 4-cube are too many for Broadcast1, but not for the general method.
try 1 '^missed 7$' '^hcctl: broadcast1 does not reach: 7; try: method general$' \
	bcast plan dim 4 source 0 fail-node 3,5,6,9 method broadcast1 prime greedy

json '.dim == 5 and .source == 0 and .subcube == "***00" and .internal == [2,3,4] and
	.external == [1,0] and .extra == [2] and .sequence == [2,3,4,1,0,2] and .steps == 6 and
	.pseudo_faulty == [7] and .covered == 28 and .reachable == 28 and .faults == 4 and
	.lower_bound == 5 and .method == "general" and .missed == [] and .unreachable == []' \
	bcast plan dim 5 source 0 fail-node 5,6,9,17
json '.subcube == "000**" and .steps == 6 and .covered == 28' \
	bcast plan dim 5 source 0 fail-node 5,6,9,17 method broadcast1 prime greedy
json '.steps == 4 and .covered == 15' bcast plan dim 4 source 0 fail-node 1 method minimal
json '.unreachable == [0] and .covered == 4 and .reachable == 4' \
	bcast plan dim 3 source 7 fail-node 1,2,4
json '.steps == 6 and (.pieces | length) > 1 and ([.pieces[].covered] | unique) == [28]' \
	bcast plan dim 5 all fail-node 5,6,9,17
json '([.pieces[] | select(.unreachable == [0])] | length) == 3 and
	([.pieces[] | select(.piece == "000") | .steps] == [0])' \
	bcast plan dim 3 all fail-node 1,2,4
json '.steps == 17 and .covered == 65521' bcast plan dim 16 source 0 \
	fail-node 5,6,9,17,1,2,3,4,60000,3456,23456,12345,54321,8888,9999
json '.covered == 8 and .faults == 2' bcast plan dim 3 source 0 faults text
try 2 - '^hcctl: bad:2: invalid node "x": ' bcast plan dim 3 source 0 faults bad

# --- checked ----------------------------------------------------------------

try 2 - '^hcctl: missing "fabric" or "dim"' checked plan
try 2 - '^hcctl: missing "fabric" to apply' checked plan dim 3 apply
try 2 - '^hcctl: missing "apply"' checked plan fabric hc0 plan 4
try 2 - '^hcctl: missing "apply", without which they are printed anyway' checked plan dim 3 rotated
try 2 - '^hcctl: invalid plan "4294967290": the ids behind it' checked plan fabric hc0 apply plan 4294967290
try 2 - '^hcctl: no trees with sink 8: ' checked plan dim 3 sink 8
try 2 - '^hcctl: what is "fast"\? try: hcctl checked help' checked plan dim 3 fast
try 1 - '^hcctl: no trees with sink 7: ' checked plan dim 3 sink 7 fail-node 7
try 1 - '^hcctl: no trees: ' checked plan dim 1 fail-link 0:0
try 0 '^  links of both 4, nobody could lie unseen$' - checked plan dim 3
try 0 'dim 6 members 64, the best pairs that were tried$' - checked plan dim 6 fail-link 0:0
json '.exact and .unseen == [] and .shared_links == 4 and (.rotated | length) == 3 and
	.trees[0] == {"sink":5,"order":[0,1,2],"steps":3,"relays":[1,3,5,7]} and
	.trees[1] == {"sink":4,"order":[0,1,2],"steps":3,"relays":[0,2,4,6]}' checked plan dim 3 sink 5
json '[.rotated[] | .dimension, .unseen] == [0,[],1,[],2,[]] and
	([.rotated[].trees[].order[0]] == [0,0,1,1,2,2])' checked plan dim 3
json '.rotated | length == 1 and .[0].dimension == 1' checked plan dim 2 fail-node 1,3
json '.unseen != [] and .unseen == (.trees[0].relays - (.trees[0].relays - .trees[1].relays))' \
	checked plan dim 3 fail-link 0:0,3:1,5:2
try 2 - '^hcctl: invalid op "sum": its result depends on the order' run allreduce x op sum type f64 checked
try 2 - '^hcctl: invalid op "merge": its result depends' run reduce x op merge checked
try 2 - '^hcctl: invalid sweep "checked"' run allreduce x sweep checked
try 2 - '^hcctl: what is "checked"' run gather x checked
json '(.exact | not) and .members == 4095' checked plan dim 12 fail-node 7

# --- the maximal fault index --------------------------------------------------

try 2 - '^hcctl: missing "dim", "mesh", "torus", "kary" or "graph"' mfi
try 2 - '^hcctl: missing "dim", "mesh", "torus", "kary" or "graph"' mfi tg 2
try 2 - '^hcctl: "dim, mesh, torus, kary or graph" is given twice' mfi dim 3 mesh 3x3
try 2 - '^hcctl: "dim" is given twice' mfi dim 3 dim 3
try 2 - '^hcctl: invalid dim "0": a dimension from 1 to 12' mfi dim 0
try 2 - '^hcctl: invalid dim "13": a dimension from 1 to 12' mfi dim 13
for size in 5 x5 5x 5x5x5 0x5 5x0 ax5 5,5 -5x5 5x-5 ' 5x5' ''; do
	try 2 - "^hcctl: invalid mesh \"$size\": rows and columns" mfi mesh "$size"
done
try 2 - '^hcctl: invalid torus "64x65": at most 4096 processors' mfi torus 64x65
try 2 - '^hcctl: invalid torus "99999999999999999999x2": at most' mfi torus 99999999999999999999x2
for size in 1^3 5^6 3^0; do
	try 2 - "^hcctl: invalid kary \"${size/^/\\^}\": 2 to 4096 processors" mfi kary "$size"
done
try 2 - '^hcctl: invalid kary "5x5": nodes of an axis and axes are wanted' mfi kary 5x5
try 2 - '^hcctl: invalid pattern "box": only a mesh or torus' mfi kary 3^3 pattern box
try 2 - '^hcctl: missing "fabric" to place' mfi dim 3 place
try 2 - '^hcctl: missing "place", without which no fabric' mfi dim 3 fabric x
try 2 - '^hcctl: missing "place", without which nothing is mapped' mfi dim 3 mapping block
try 2 - '^hcctl: missing "mapping random"' mfi dim 3 place fabric x seed 2
try 2 - '^hcctl: invalid place "set": "set" makes no groups' mfi dim 3 set 1 place fabric x
try 2 - '^hcctl: invalid mapping "rows": groups, block or random' mfi dim 3 place fabric x mapping rows
try 2 - '^hcctl: invalid seed "0": a number from 1 on' mfi dim 3 place fabric x mapping random seed 0
try 2 - '^hcctl: invalid pattern "cross": star, square, box or listed' mfi mesh 3x3 pattern cross
try 2 - '^hcctl: invalid pattern "box": only a mesh or torus' mfi dim 3 pattern box
try 2 - '^hcctl: missing "envs"' mfi mesh 3x3 pattern listed
try 2 - '^hcctl: invalid tg "0"' mfi dim 3 tg 0
try 2 - '^hcctl: invalid tg "4097"' mfi dim 3 tg 4097
try 2 - '^hcctl: invalid method "best"' mfi dim 3 method best
try 2 - '^hcctl: invalid limit "10"' mfi dim 3 limit 10
try 2 - '^hcctl: invalid escape "7"' mfi dim 3 escape 7
try 2 - '^hcctl: invalid escape "set"' mfi dim 3 set 1 escape 2
try 2 - '^hcctl: invalid plot "x.png"' mfi dim 3 plot x.png
try 2 - '^hcctl: missing value after "plot"' mfi dim 3 plot
try 2 - '^hcctl: what is "fast"\? try: hcctl mfi help' mfi dim 3 fast
try 1 - '^hcctl: no processor 8: there are 8$' mfi dim 3 set 1,8
try 1 - '^hcctl: no matrix of 8128 rows' mfi dim 7 tg 2 matrix
try 1 - '^hcctl: no matrix of 0 rows' mfi dim 1 tg 3 matrix
try 1 - '^hcctl: too many sets of 6 faults' mfi dim 7 escape 6
try 1 - '^hcctl: cannot read nothing: No such file' mfi graph nothing
try 1 - '^hcctl: cannot write /nowhere/x.svg' mfi dim 3 plot /nowhere/x.svg
# bad TEXT STATUS STDERR: hcctl mfi with a graph file of this TEXT exits with STATUS, and its error
# matches STDERR
bad() {
	printf '%b' "$1" >graph
	try "$2" - "$3" mfi graph graph
}
bad '' 2 '^hcctl: invalid graph "graph": "link A B'
bad '# nobody\n' 2 '^hcctl: invalid graph "graph": "link A B'
bad 'edge 1 2\n' 2 '^hcctl: graph:1: invalid line "edge": "link A B'
bad '\nlink 1\n' 2 '^hcctl: graph:2: invalid line "link": '
bad 'link\n' 2 '^hcctl: graph:1: invalid line "link": '
bad 'link 1 x\n' 2 '^hcctl: graph:1: invalid node "x": a node number'
bad 'link 1 2,\n' 2 '^hcctl: graph:1: invalid node "": a node number'
bad 'env 1 2 3\n' 2 '^hcctl: graph:1: invalid word "3": nothing more'
bad 'tg 0 1\n' 2 '^hcctl: graph:1: invalid tg "0": a number from 1 on'
bad 'tg many 1\n' 2 '^hcctl: graph:1: invalid tg "many": '
bad 'tg 2\n' 2 '^hcctl: graph:1: invalid line "tg": '
bad 'node # 3\n' 2 '^hcctl: graph:1: invalid line "node": '
printf 'link 1 2\nlink 2 3\n' >path
printf 'env 0 7\n' >far
printf 'link 0 1\n' >linked
try 1 - '^hcctl: path: no environments' mfi graph path pattern listed
try 1 - '^hcctl: far: no processor 7: there are 4' mfi mesh 2x2 envs far
printf 'tg 2 7\n' >far
try 1 - '^hcctl: far: no processor 7: there are 4' mfi mesh 2x2 envs far
try 1 - '^hcctl: linked: links are those of the machine' mfi mesh 2x2 envs linked
try 2 - '^hcctl: invalid envs "far": the file of the graph has them' mfi graph path envs far
try 2 - '^hcctl: invalid pattern "star": "envs" lists' mfi mesh 2x2 pattern star envs far

json 'keys - ["kind","dim","processors","pattern","tg","mfi","exact","bound","proof","nodes",
	"colouring","paper","set","nfg","row","full","groups_by","groups_first_fit","groups_keep_set",
	"groups_minimal","groups_bound","groups"] == []' mfi dim 3
json '.mfi == 2 and .exact and .bound == 2 and .set == [0,7] and .nfg == [1,2,3,4,5,6] and
	.groups == [[0,7],[1,6],[2,5],[3,4]] and .groups_minimal' mfi dim 3
json '.mfi == 16 and .exact and .nodes == 0 and (.groups | length) == 8' mfi dim 7
json '.mfi == 16 and .exact' mfi dim 7 method search
json '.mfi == 256 and .exact' mfi dim 12
json '.mfi == 20 and .paper == 16' mfi dim 8
json '.mfi == 16 and .bound == 28 and (.exact | not)' mfi dim 8 method colouring
json '.mfi >= 16 and .mfi <= 20 and .bound <= 28 and .bound >= 20' mfi dim 8 method search limit 1ms
json '.mfi == 5 and .set == [0,7,14,16,23] and .groups[0] == .set and (.groups | length) == 5' \
	mfi torus 5x5
json '.mfi == 20 and .exact' mfi torus 10x10
json '.mfi == 20 and .exact' mfi torus 10x10 method search
json '.mfi == 5 and .paper == 4 and (.groups | length) == 5' mfi torus 5x5 pattern square
json '.mfi == 9 and .exact' mfi mesh 5x5 pattern square
json '.matrix[0] == {"faults":[0],"row":"TFFFFFF--FF----F----FF--F"} and (.matrix | length) == 25' \
	mfi torus 5x5 matrix
json '.matrix[1] == {"faults":[0,2],"row":"TFT---F--------------F---"} and (.matrix | length) == 300' \
	mfi torus 5x5 tg 2 matrix
json '.escape[2] == {"faults":3,"sets":560,"complete":true,"feasible":60,"escape":4,
	"feasible_escape":0,"first":[0,1,4]} and (.escape | length) == 3' mfi mesh 4x4 escape 3
json '.feasible and .escapes == false and .full == [0,4] and (has("mfi") | not)' mfi mesh 3x3 tg 2 set 1,3
json '(.feasible | not) and .escapes and .escape_dim == 1 and .over[0] == {"processor":0,"faults":3}' \
	mfi mesh 4x4 set 0,1,4
json '.set == [1] and .nfg == [2,3] and .processors == 3' mfi graph path set 1
json '.mfi == 1 and .pattern == "star" and .groups == [[1],[2],[3]]' mfi graph path
printf 'env 1 1,2,3 # as in the paper\nenv 2 1\nenv 3 1,2\nenv 4 3,5\nenv 5 3,7\nenv 6 3,4,5\nenv 7 3,5\n' >figure
json '.mfi == 5 and .colouring == 5 and .exact and .pattern == "listed"' mfi graph figure tg 2
json '.set == [1,3,5] and .feasible and .full == [1,3,4,5,6,7]' mfi graph figure tg 2 set 1,3,5
printf 'env 0 3\n' >listed
json '.mfi == 3 and .kind == "mesh" and .groups == [[0,1,2],[3]]' mfi mesh 2x2 envs listed
try 0 '^mfi 2 \(' - mfi dim 3
try 0 '^3 faults: 560 sets, 60 feasible, 4 could escape' - mfi mesh 4x4 escape 3
try 0 '^not feasible: environment of 0 has 3' - mfi mesh 4x4 set 0,1,4
for shape in 'dim 3' 'dim 7' 'mesh 3x4' 'torus 30x30 limit 10ms' 'graph figure tg 2' 'mesh 4x4 set 0,1,4'; do
	# shellcheck disable=SC2086
	json 'has("set")' mfi $shape plot picture.svg
	python3 -c 'import sys, xml.etree.ElementTree as t
r = t.parse("picture.svg").getroot()
n = sum(g.get("class") == "processor" for g in r.iter("{http://www.w3.org/2000/svg}g"))
sys.exit(n != int(sys.argv[1]))' "$(jq .processors out)" 2>err
	result $? "the picture of $shape has all processors"
done

# --- balancing, offline -----------------------------------------------------

try 2 - '^hcctl: missing command; try: hcctl balance help$' balance
try 2 - '^hcctl: what is "hide"' balance hide
try 2 - '^hcctl: missing NAME of a fabric' balance show
try 2 - '^hcctl: what is "y"' balance show hc0 y
try 2 - '^hcctl: missing "--watch"' balance show hc0 interval 1s
try 2 - '^hcctl: missing "--watch"' balance show hc0 count 2
try 2 - '^hcctl: invalid interval "9ms": 10ms to a day' balance show hc0 --watch interval 9ms
try 2 - '^hcctl: invalid count "0"' balance show hc0 --watch count 0
try 2 - '^hcctl: "--watch" is given twice' balance show hc0 --watch --watch
try 2 - '^hcctl: missing NODE:DIM' balance move hc0
try 2 - '^hcctl: invalid link "x"' balance move hc0 x 1
try 2 - '^hcctl: missing number of tasks' balance move hc0 1:0
try 2 - '^hcctl: invalid number of tasks "0"' balance move hc0 1:0 0
try 2 - '^hcctl: invalid number of tasks "x"' balance move hc0 1:0 x
try 2 - '^hcctl: what is "3"' balance move hc0 1:0 2 3
try 2 - '^hcctl: missing NAME of a fabric' balance run
try 2 - '^hcctl: invalid method "off"' balance run hc0 method off
try 2 - '^hcctl: invalid node "x"' balance run hc0 node x
try 2 - '^hcctl: missing what to set' balance set hc0
try 2 - '^hcctl: invalid method "x"' balance set hc0 method x
try 2 - '^hcctl: invalid threshold "x"' balance set hc0 threshold x
try 2 - '^hcctl: invalid period "0"' balance set hc0 period 0
try 2 - '^hcctl: missing "fabric" or "dim"' balance topology
try 2 - '^hcctl: invalid fabric "hc0"' balance topology fabric hc0 dim 3
try 2 - '^hcctl: invalid dim "17"' balance topology dim 17
try 2 - '^hcctl: invalid method "dem"' balance topology dim 3 method dem
try 2 - '^hcctl: node 8 is not in a cube of dimension 3$' balance topology dim 3 fail-node 8
try 2 - '^hcctl: link 0:3 is not in a cube of dimension 3$' balance topology dim 3 fail-link 0:3
try 1 - '^hcctl: nothing to balance: no node is connected' balance topology dim 2 fail-node 1,2
try 1 - '^hcctl: nothing to balance: no node is connected' balance topology dim 1 fail-node 0,1
try 1 - '^\{"error":"nothing to balance' -j balance topology dim 1 fail-link 0:0
try 0 '^dim 4 subcube X0X1 depth 2 members 12 method mcwa$' - \
	balance topology dim 4 fail-node 0b0101,0b0110,0b1000,0b1010
try 0 '^excluded 0$' 'left out: 0$' balance topology dim 3 fail-node 1,2,4
try 0 '^dim 4 subcube XX01 depth 3 ' 'no largest subcube is adequate: .*, 3, which is more than' \
	balance topology dim 4 fail-node 0,3,12,15
json '.candidates == ["XX11","X0X1","1XX1","00XX","11XX"] and .subcube == "X0X1" and .depth == 2 and
	.parent == {"0":1,"2":3,"4":0,"7":3,"12":13,"13":9,"14":15,"15":11} and .adequate and
	.weight["1"] == 3 and .members == 12 and .excluded == [] and .fail_nodes == [5,6,8,10]' \
	balance topology dim 4 fail-node 5,6,8,10
json '.depth == 0 and .parent == {} and .candidates == ["XXX"] and (.weight | length) == 8' \
	balance topology dim 3 method minimal-depth
json '.adequate == false and .depth == 3' balance topology dim 4 fail-node 0,3,12,15
json '.excluded == [0] and .members == 4' balance topology dim 3 fail-node 1,2,4
json '.members == 65521' balance topology dim 16 \
	fail-node 5,6,9,17,1,2,3,4,60000,3456,23456,12345,54321,8888,9999

try 2 - '^hcctl: missing "load"' balance plan dim 2
try 2 - '^hcctl: missing "fabric" or "dim"' balance plan load 1,2
try 2 - '^hcctl: missing value after "load"' balance plan dim 1 load
try 2 - '^hcctl: 2 loads for 4 nodes: one for each is wanted$' balance plan dim 2 load 0,1
try 2 - '^hcctl: 5 loads for 4 nodes: one for each is wanted$' balance plan dim 2 load 0,1,2,3,4
try 2 - '^hcctl: invalid load "x"' balance plan dim 1 load 0,x
try 2 - '^hcctl: invalid load ""' balance plan dim 1 load 0,
try 2 - '^hcctl: invalid load "-1"' balance plan dim 1 load 0,-1
try 2 - '^hcctl: invalid load "100000001"' balance plan dim 1 load 0,100000001
try 2 - '^hcctl: "load" is given twice' balance plan dim 1 load 0,1 load 0,1
try 2 - '^hcctl: node 3 has failed and cannot have tasks: 7$' balance plan dim 2 load 0,1,2,7 fail-node 3
try 2 - '^hcctl: invalid method "best"' balance plan dim 1 load 0,1 method best
try 2 - '^hcctl: invalid topology "flat"' balance plan dim 1 load 0,1 topology flat
try 2 - '^hcctl: invalid threshold "-1"' balance plan dim 1 load 0,1 threshold -1
try 2 - '^hcctl: invalid hop-cost "-1"' balance plan dim 1 load 0,1 hop-cost -1
try 2 - '^hcctl: invalid hop-cost "nan"' balance plan dim 1 load 0,1 hop-cost nan
try 2 - '^hcctl: invalid hop-cost ""' balance plan dim 1 load 0,1 hop-cost ''
try 1 - '^hcctl: no plan: cwa needs a cube without faults' balance plan dim 2 load 0,1,2,0 fail-node 3 method cwa
try 1 - '^hcctl: nothing to balance' balance plan dim 1 load 1,0 fail-node 1
try 0 'hops 21 \(optimum 21\) imbalance 0 ' - balance plan dim 3 load 19,11,2,9,0,9,10,4 method cwa
try 0 '^excluded 0$' 'left out: 0$' balance plan dim 3 load 9,0,0,4,0,4,0,0 fail-node 1,2,4
json '.final == [8,9,8,8,7,8,8,8] and .hops == 33 and .steps == 9 and .optimum == 21' \
	balance plan dim 3 load 19,11,2,9,0,9,10,4 method dem
json '.moves[0] == {"from":0,"to":4,"tasks":6,"step":1} and (.moves | length) == 7 and .migrations == 18
	and .quota == .final and .final == [8,8,8,8,8,8,8,8]' \
	balance plan dim 3 load 19,11,2,9,0,9,10,4
json '.quota == [9,0,0,2,0,2,2,2]' \
	balance plan dim 3 load 9,0,0,4,0,4,0,0 fail-node 1,2,4
json '.method == "auto" and (.taken | IN("rid", "dem", "mcwa", "optimal"))' \
	balance plan dim 2 load 1,2,3,90 method auto
json '.taken == "rid" and .hops == 0' balance plan dim 2 load 1,2,3,90 method auto hop-cost 1000 threshold 0
json '[.compared[].method] == ["rid", "dem", "mcwa", "optimal"] and .score == ([.compared[].score] | min)
	and all(.compared[]; .distance >= 0) and [.least_score + .compared[].distance] == [.compared[].score]
	and .compared[3].hops == .optimum and .compared[1].imbalance == 2' \
	balance plan dim 3 load 19,11,2,9,0,9,10,4 method auto
try 0 '^  dem +33 +2 +1\.412 +1\.150$' - balance plan dim 3 load 19,11,2,9,0,9,10,4 method auto
try 0 ' score 1\.412 \(least 0\.262\)$' - balance plan dim 3 load 19,11,2,9,0,9,10,4 method dem
# Hops are so expensive that the least score is that of a plan without moves: 90 tasks less the
# mean of 24. The default method moves tasks all the same.
json '.least_score == 66 and .score > 1000' balance plan dim 2 load 1,2,3,90 hop-cost 1000

try 2 - '^hcctl: missing "dim"' balance simulate
try 2 - '^hcctl: missing "faults"' balance simulate dim 3 seed 1
try 2 - '^hcctl: missing "seed"' balance simulate dim 3 faults 0
try 2 - '^hcctl: dim 11: nothing beyond dimension 10' balance simulate dim 11 faults 0 seed 1
try 2 - '^hcctl: 5 faults of 8 nodes: at most half' balance simulate dim 3 faults 0..5 seed 1
try 2 - '^hcctl: invalid faults "3..1"' balance simulate dim 3 faults 3..1 seed 1
try 2 - '^hcctl: invalid faults "x"' balance simulate dim 3 faults x seed 1
try 2 - '^hcctl: invalid faults "1.."' balance simulate dim 3 faults 1.. seed 1
try 2 - '^hcctl: invalid runs "0"' balance simulate dim 3 faults 0 seed 1 runs 0
try 2 - '^hcctl: invalid methods "cwa"' balance simulate dim 3 faults 0 seed 1 methods rid,cwa
try 2 - '^hcctl: invalid methods "rid"' balance simulate dim 3 faults 0 seed 1 methods rid,rid
try 2 - '^hcctl: invalid methods ""' balance simulate dim 3 faults 0 seed 1 methods ''
try 2 - '^hcctl: invalid charge "all"' balance simulate dim 3 faults 0 seed 1 charge all
try 2 - '^hcctl: invalid tau "x"' balance simulate dim 3 faults 0 seed 1 tau x
try 2 - '^hcctl: invalid pick "x"' balance simulate dim 3 faults 0 seed 1 pick x
try 2 - '^hcctl: invalid interval "-1"' balance simulate dim 3 faults 0 seed 1 interval -1
try 2 - '^hcctl: invalid -o "x.png"' balance simulate dim 3 faults 0 seed 1 -o x.png
try 2 - '^hcctl: "-o" is given twice' balance simulate dim 3 faults 0 seed 1 -o x.csv -o y.csv
try 2 - '^hcctl: tasks 10001: at most 10000 is wanted$' balance simulate dim 3 faults 0 seed 1 tasks 10001
try 1 - '^hcctl: cannot write no/x.svg' balance simulate dim 3 faults 0 seed 1 -o no/x.svg
try 0 '^     0   [1-9]\.' - balance simulate dim 3 faults 0..1 runs 3 seed 1 -o sim.csv -o sim.svg
[[ $(wc -l <sim.csv) == 11 && $(grep -c '^<g class="curve' sim.svg) == 10 ]]
result $? 'a table and a picture'
json '(.rows | length) == 10 and all(.rows[]; .speedup > .5 and .speedup <= .bound and .hops_ci95 >= 0)
	and .threshold == 1 and .charge == "local" and .tau == "task" and .pick == "newest"' \
	balance simulate dim 3 faults 0..1 runs 20 seed 1
for words in 'charge phase' 'tau node' 'pick oldest' 'topology minimal-depth' 'threshold 5 interval 3'; do
	# shellcheck disable=SC2086
	json '(.rows | length) == 2' balance simulate dim 4 faults 2 runs 3 seed 1 methods rid,mcwa $words
done
"$hcctl" -j balance simulate dim 4 faults 0..3 runs 6 seed 7 jobs 1 >one 2>err &&
	"$hcctl" -j balance simulate dim 4 faults 0..3 runs 6 seed 7 jobs 3 >out 2>>err && cmp one out 2>>err
result $? 'the same whatever the number of threads'
# A job in the background ignores SIGINT, so SIGTERM is sent instead.
"$hcctl" balance simulate dim 10 faults 0..9 runs 10000 seed 1 -o gone.svg -o gone.csv >out 2>err &
sleep 1
kill -TERM $!
wait $!
[[ $? == 1 && ! -s out && ! -e gone.svg && ! -e gone.csv ]] && grep -q '^hcctl: interrupted after .* nothing is left behind$' err
result $? 'a simulation that is interrupted leaves nothing behind'

echo "1..$nr"
((failed == 0))
