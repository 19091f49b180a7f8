#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests the pictures of plans that "hcctl plot" draws: they must be well-formed and complete, and wrong input must be
# refused. Prints TAP.
#	plot_test.sh HCCTL

# shellcheck source=ctl/tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck disable=SC2034
logs=(log)

# count.py FILE.svg NAME=NUMBER..: count the nodes, links, transfers ("edges"), faults ("bad") and so on of a picture.
# Fails if a count is not this number, or if the file is not well-formed.
cat >count.py <<'END'
import math
import re
import sys
import xml.etree.ElementTree as tree

root = tree.parse(sys.argv[1]).getroot()
ns = '{http://www.w3.org/2000/svg}'
groups = list(root.iter(ns + 'g'))
count = {
    'nodes': sum(g.get('class') == 'node' for g in groups),
    'links': sum((g.get('id') or '').startswith('l') and g.get('id') != 'key' for g in groups),
    'edges': sum(g.get('class') == 'edge' for g in groups),
    'bad': sum(g.get('class') == 'fault' for g in groups),
    'panels': sum(g.get('class') in ('nodes', 'dimension') for g in groups),
    'dead': sum('failed' in (g.find(ns + 'title').text or '') for g in groups
                if g.get('class') == 'node'),
}
# "hidden": marks (the numbers on transfers, and the crosses of faults) that overlap a node or another mark
disks = [[float(c.get(k)) for k in ('cx', 'cy', 'r')] for g in groups if g.get('class') == 'node'
         for c in list(g.iter(ns + 'circle'))[-1:]]
marks = [[float(c.get(k)) for k in ('cx', 'cy', 'r')] for c in root.findall(ns + 'circle')
         if 'halo' in c.get('class')]
for g in groups:
    if g.get('class') == 'fault':
        x, y, d = map(float, re.match(r'M(\S+) (\S+)l(\S+) ', g.find(ns + 'path').get('d')).groups())
        marks.append([x + d / 2, y + d / 2, d / 2])
count['marks'] = len(marks)
count['hidden'] = sum(math.hypot(a[0] - b[0], a[1] - b[1]) < max(a[2], b[2])
                      for i, a in enumerate(marks) for b in disks + marks[:i])
painted = [e for e in root.iter() if e.get('class') in ('edge', 'fault', 'node')]
order = ['edge', 'fault', 'node']
assert [e.get('class') for e in painted] == sorted((e.get('class') for e in painted), key=order.index)
dark = 'prefers-color-scheme:dark' in root.find(ns + 'style').text
key = any(g.get('id') == 'key' for g in groups)
ids = [e.get('id') for e in root.iter() if e.get('id')]
assert dark and key and len(ids) == len(set(ids))
for word in sys.argv[2:]:
    name, wanted = word.split('=')
    if count[name] != int(wanted):
        sys.exit(f'{name}: {count[name]}, not {wanted}')
END

# svg WHAT COUNT.. -- WORD..: a test named WHAT: draw the plan that "hcctl WORD.." prints. count.py must find each
# COUNT, for example nodes=8, in the picture.
svg() {
	local what=$1 counts=() bad=0
	shift
	while [[ $1 != -- ]]; do
		counts+=("$1")
		shift
	done
	shift
	{
		"$hcctl" -j "$@" >plan.json 2>/dev/null &&
			"$hcctl" -j plot plan.json -o plan.svg >said &&
			python3 count.py plan.svg "${counts[@]}"
	} >log 2>&1 </dev/null || bad=1
	result $bad "$what: ${counts[*]}"
}

# said FILTER: this filter of jq must be true for what "hcctl -j plot" printed when svg() called it last
said() {
	jq -e "$1" said >log 2>&1
	result $? "it says: $1"
}

# refused STATUS PATTERN PLAN: "hcctl plot" of this plan, in JSON, must exit with STATUS, print a one-line error that
# matches PATTERN, and write no picture
refused() {
	local status=$1 pattern=$2 got bad=0
	printf '%s' "$3" >bad.json
	rm -f bad.svg
	"$hcctl" plot bad.json -o bad.svg >log 2>&1 </dev/null
	got=$?
	((got == status)) && [[ $(wc -l <log) == 1 && ! -e bad.svg ]] || bad=1
	grep -qE -- "^hcctl: $pattern" log || bad=1
	echo "status $got" >>log
	result $bad "refused: $3"
}

# --- how much there is ------------------------------------------------------

svg 'a link' nodes=2 links=1 edges=1 bad=0 -- tree find dim 1
svg 'a square' nodes=4 links=4 edges=3 -- tree find dim 2
svg 'helpers' nodes=8 links=12 edges=8 bad=3 marks=11 hidden=0 -- tree find dim 3 sink 0 fail-link 2:2,4:0,1:1
said '.kind == "tree" and .nodes == 8 and .links == 12 and .faulty_links == 3 and .transfers == 8'
svg 'a detour' nodes=16 links=32 edges=14 bad=6 dead=1 hidden=0 -- \
	tree find dim 4 sink 0 fail-link 2:3,3:2,10:2,2:0,1:1,8:1 fail-node 13
said '.failed_nodes == 1 and .faulty_links == 6'
svg 'a subcube' nodes=16 links=32 edges=7 -- tree find dim 4 subcube XX1X
svg 'one node' nodes=8 links=12 edges=0 -- tree find dim 3 subcube 101
svg 'cut off' nodes=8 edges=3 dead=3 -- tree find dim 3 sink 7 fail-node 1,2,4
svg 'a tree' nodes=64 links=192 edges=63 marks=63 hidden=0 -- tree find dim 6
svg 'a broadcast' nodes=32 links=80 edges=27 dead=4 hidden=0 -- bcast plan dim 5 source 0 fail-node 5,6,9,17
said '.kind == "broadcast" and .transfers == 27'
svg 'a broadcast' nodes=64 edges=60 bad=1 dead=3 marks=61 hidden=0 -- \
	bcast plan dim 6 source 9 fail-node 5,6,17 fail-link 0:3
svg 'a matrix' panels=8 nodes=0 -- tree find dim 7 sink 0 fail-link 3:1,64:2,1:0 fail-node 77
said '.nodes == 128 and .links == 448 and .faulty_links == 3 and .transfers > 120'
svg 'a matrix' panels=9 -- bcast plan dim 8 source 9 fail-node 5,6,17,70,200 fail-link 0:3
# The panels must reach near to the right and the lower border of the picture.
sed '/id="key"/,$d' plan.svg | grep -oE '<rect class="panel" x="[0-9.]+" y="[0-9.]+" width="[0-9.]+" height="[0-9.]+"' | tr -cs '0-9.\n' ' ' |
	awk '{ if ($1 + $3 > right) right = $1 + $3; if ($2 + $4 > bottom) bottom = $2 + $4; }
		END { print right, bottom; exit !(right > 870 && bottom > 790); }' >log
result $? 'a matrix leaves no third of the picture empty'
svg 'a large matrix' panels=13 -- tree find dim 12 fail-node 77
svg 'a large matrix' panels=13 -- balance topology dim 12 fail-node 77
[[ $(stat -c %s plan.svg) -lt 2000000 ]]
result $? 'it is no larger than it must be'

svg 'a balancing topology' nodes=16 links=32 edges=8 dead=4 -- balance topology dim 4 fail-node 5,6,8,10
said '.kind == "topology" and .transfers == 8 and .failed_nodes == 4'
svg 'a subcube alone' nodes=8 edges=0 -- balance topology dim 3
svg 'trees of 64 nodes' nodes=64 links=192 dead=3 bad=1 -- balance topology dim 6 fail-node 1,2,40 fail-link 7:3
svg 'a doubling' nodes=8 links=12 edges=12 -- doubling plan dim 3
said '.kind == "doubling" and .transfers == 24'
svg 'a doubling in a subcube' nodes=16 links=32 edges=12 dead=1 bad=1 hidden=0 -- doubling plan dim 4 fail-node 3 fail-link 0:0
svg 'a matrix of a doubling' panels=9 -- doubling plan dim 8
[[ $(sed '/id="key"/,$d' plan.svg | grep -c 'class="f[0-7]"') == 2048 ]]
result $? 'each node exchanges along each dimension'
svg 'a ring' nodes=8 links=12 edges=8 -- ring plan dim 3
said '.kind == "rings" and .rings == 1 and .transfers == 8'
svg 'rings beside faults' nodes=16 links=32 edges=16 bad=1 dead=1 -- ring plan dim 4 fail-node 5 fail-link 0:0
said '.rings == 2 and .failed_nodes == 1'
svg 'rings that go back the same way' nodes=8 links=12 edges=9 -- ring plan dim 3 method vrt width 4
svg 'a matrix of rings' panels=9 -- ring plan dim 8 method vrt fail-node 3
printf '0 1\n1 2\n2 0\n2 3\n3 4\n9\n' >net
svg 'rings of a network' nodes=5 edges=5 -- ring plan graph net
said '.kind == "rings" and .nodes == 6 and .links == 5 and .rings == 2'

svg 'a spanning tree' nodes=16 links=32 edges=14 dead=1 bad=2 hidden=0 -- \
	span plan dim 4 fail-link 0:0,3:1 fail-node 9
said '.kind == "span" and .transfers == 14 and .dim == 4'
svg 'a matrix of a spanning tree' panels=9 -- span plan dim 8
svg 'a spanning tree of a torus' nodes=25 edges=24 -- span plan torus 5x5
said '.kind == "span" and .nodes == 25 and .transfers == 24 and (has("dim") | not)'
grep -q '<title>step 1: ' plan.svg && [[ $(grep -c ', the sink</title>' plan.svg) == 1 ]]
result $? 'steps and the sink are named'
svg 'a spanning tree around faults' nodes=23 edges=22 -- span plan torus 5x5 fail-node 3,12 fail-link 0--1

# --- the same in words ------------------------------------------------------

"$hcctl" -j tree find dim 3 sink 0 fail-link 2:2,4:0,1:1 >plan.json
"$hcctl" plot plan.json -o a.svg >log && "$hcctl" plot - -o b.svg <plan.json >>log && cmp a.svg b.svg 2>>log
result $? 'the same from a file and from standard input'
"$hcctl" plot plan.json -o c.svg >log && cmp a.svg c.svg 2>>log
result $? 'the same each time'
grep -q 'stage 0: 5 to 7, a part for a helper' a.svg
result $? 'a helper is named'
jq '.fabric = "<&\">"' plan.json >odd.json
"$hcctl" plot odd.json -o odd.svg >log 2>&1 && python3 count.py odd.svg nodes=8 >>log 2>&1
result $? 'odd characters do no harm'
jq '.fabric = "\u00e4" * 20' plan.json >odd.json
"$hcctl" plot odd.json -o odd.svg >log 2>&1 && iconv -f UTF-8 -t UTF-8 odd.svg >odd.txt 2>>log &&
	grep -qF "$(printf 'ä%.0s' {1..15})" odd.txt
result $? 'a long name is cut at a character'

"$hcctl" -j doubling plan dim 3 | "$hcctl" plot - -o twin.svg >log 2>&1
grep -q 'stage 2: 0 and 4' twin.svg
result $? 'an exchange is named once'

# --- dot ---------------------------------------------------------------------

if command -v dot >/dev/null && command -v gvpr >/dev/null; then
	for dim in 1 3 6; do
		"$hcctl" -j tree find dim $dim >plan.json
		"$hcctl" plot plan.json -o plan.dot >log 2>&1 && dot -Tsvg plan.dot >drawn.svg 2>>log &&
			! grep -qi error log
		result $? "graphviz draws dimension $dim"
		n=$((1 << dim)) links=$((dim << (dim - 1)))
		# shellcheck disable=SC2016
		gvpr 'BEG_G { print(nNodes($G), " ", nEdges($G)); }' plan.dot >log 2>&1
		[[ $(<log) == "$n $((links + n - 1))" ]]
		result $? "it counts $n nodes, links and transfers of dimension $dim"
	done
else
	"$hcctl" plot plan.json -o plan.dot >log 2>&1
	[[ $(grep -c -- '->' plan.dot) == 20 && $(grep -c 'tooltip=' plan.dot) == 8 ]]
	result $? 'dot: nodes, links and transfers # no graphviz'
fi

"$hcctl" -j tree find dim 4 sink 0 fail-link 2:3,3:2,10:2,2:0,1:1,8:1 fail-node 13 |
	"$hcctl" plot - -o plan.dot >log 2>&1
bad=0
for words in 'communication tree, hypercube of dimension 4' 'the sink' 'circle: failed' ' faulty' 'stage 3: dimension 3' \
	'to a helper' 'a detour'; do
	grep -q "<TR>.*$words.*</TR>" plan.dot || { echo "no $words" >>log; bad=1; }
done
grep -q 'takes no part\|traffic' plan.dot && bad=1
result $bad 'dot: the key says what there is'

# --- refusals ----------------------------------------------------------------

refused 2 'bad.json:1: not JSON: it ends too soon' ''
refused 2 'bad.json:1: not JSON: ' 'xyz'
refused 2 'invalid plan bad.json: no JSON object' '[1]'
refused 2 'invalid plan bad.json: no JSON object' '12'
refused 2 'bad.json:1: not JSON: it ends too soon' '{"dim":3'
refused 2 'bad.json:1: something follows the JSON document' '{"dim":3}{}'
refused 2 'invalid plan bad.json: "fabric" is no name' '{"dim":3,"fabric":null,"sink":0,"order":[0,1,2]}'
refused 2 'invalid plan bad.json: "dim" is no dimension' '{}'
refused 2 'invalid plan bad.json: "dim" is no dimension' '{"dim":17}'
refused 2 'invalid plan bad.json: "dim" is no dimension' '{"dim":"3"}'
refused 2 'invalid plan bad.json: neither a tree nor a broadcast' '{"dim":3}'
refused 2 'invalid plan bad.json: it is for all sources' '{"dim":3,"pieces":[]}'
refused 2 'invalid plan bad.json: "sink" is no node' '{"dim":3,"sink":8,"order":[0,1,2]}'
refused 2 'invalid plan bad.json: "sink" is no node' '{"dim":3,"sink":-1,"order":[0,1,2]}'
refused 2 'invalid plan bad.json: "sink" is no node' '{"dim":3,"order":[0,1,2]}'
refused 2 'invalid plan bad.json: "order" is no list' '{"dim":3,"sink":0,"order":[0,1,3]}'
refused 2 'invalid plan bad.json: "order" is no list' '{"dim":3,"sink":0,"order":5}'
refused 2 'invalid plan bad.json: "order" is no list' '{"dim":3,"sink":0,"order":[0,1,2,0]}'
refused 2 'invalid plan bad.json: ' '{"dim":3,"sink":0,"order":[0,1,1]}'
refused 2 'invalid plan bad.json: a fault is not' '{"dim":3,"sink":0,"order":[0],"fail_nodes":[8]}'
refused 2 'invalid plan bad.json: a fault is not' '{"dim":3,"sink":0,"order":[0],"fail_links":[{"node":0}]}'
refused 2 'invalid plan bad.json: ' '{"dim":3,"sink":0,"order":[0],"fail_nodes":[0]}'
refused 2 'invalid plan bad.json: no ring' '{"dim":3,"rings":[]}'
refused 2 'invalid plan bad.json: "rings" is no list' '{"dim":3,"rings":[5]}'
refused 2 'invalid plan bad.json: "rings" is no list' '{"dim":3,"rings":[{"level":0,"nodes":[0,-1]}]}'
refused 2 'invalid plan bad.json: a ring goes where no healthy link' '{"dim":3,"rings":[{"level":0,"nodes":[0,3]}]}'
refused 2 'invalid plan bad.json: no such node' '{"dim":3,"rings":[{"level":0,"nodes":[0,8]}]}'
refused 2 'invalid plan bad.json: a ring goes where no healthy link' \
	'{"dim":3,"fail_nodes":[1],"rings":[{"level":0,"nodes":[0,1]}]}'
refused 2 'invalid plan bad.json: "links" is no list' '{"links":[[0]],"rings":[{"level":0,"nodes":[0,1]}]}'
refused 2 'invalid plan bad.json: "links" is no list' '{"links":[[0,65536]],"rings":[{"level":0,"nodes":[0,1]}]}'
refused 2 'invalid plan bad.json: "nodes" is no list' '{"links":[],"nodes":["x"],"rings":[{"level":0,"nodes":[0]}]}'
refused 2 'invalid plan bad.json: "sink" is no node' '{"dim":2,"sink":4,"links":[]}'
refused 2 'invalid plan bad.json: "links" is no list' '{"sink":0,"links":[[1,0]]}'
refused 2 'invalid plan bad.json: "links" is no list' '{"sink":0,"links":[{"node":4096,"parent":0,"step":1}]}'
refused 2 'invalid plan bad.json: "links" make no tree' '{"sink":0,"links":[{"node":1,"parent":1,"step":1}]}'
refused 2 'invalid plan bad.json: "links" make no tree' '{"sink":0,"links":[{"node":1,"parent":2,"step":1},{"node":2,"parent":1,"step":1}]}'
refused 2 'invalid plan bad.json: "links" make no tree' '{"sink":0,"links":[{"node":1,"parent":0,"step":1},{"node":1,"parent":0,"step":1}]}'
refused 2 'invalid plan bad.json: ' '{"sink":0,"links":[{"node":1,"parent":2,"step":1},{"node":2,"parent":3,"step":1},{"node":3,"parent":1,"step":1}]}'
refused 2 'invalid plan bad.json: ' '{"sink":0,"links":[{"node":0,"parent":1,"step":1}]}'
refused 2 'invalid plan bad.json: a node has no link' '{"dim":2,"sink":0,"links":[{"node":3,"parent":0,"step":1}]}'
refused 2 'invalid plan bad.json: ' '{"dim":2,"sink":0,"links":[{"node":1,"parent":0,"step":1}],"fail_links":[{"node":0,"dim":0}]}'
refused 2 'invalid plan bad.json: a node has no "step"' \
	'{"dim":2,"sink":0,"links":[{"node":1,"parent":0,"step":1},{"node":2,"parent":0,"step":1}]}'
refused 2 'invalid plan bad.json: a node has no "step"' \
	'{"sink":0,"links":[{"node":1,"parent":0,"step":1},{"node":2,"parent":1,"step":2}]}'
refused 2 'invalid plan bad.json: a node has no "step"' '{"sink":0,"links":[{"node":1,"parent":0,"step":0}]}'
refused 2 'invalid plan bad.json: "source" is no node' '{"dim":3,"source":8,"sequence":[0]}'
refused 2 'invalid plan bad.json: "sequence" is no list' '{"dim":3,"source":0,"sequence":[3]}'
refused 2 'invalid plan bad.json: "sequence" is no list' '{"dim":1,"source":0,"sequence":[0,0,0]}'

refused 2 'invalid plan bad.json: "base" is no node' '{"dim":3,"base":8,"order":[0]}'
refused 2 'invalid plan bad.json: "order" is no list' '{"dim":3,"base":0,"order":[3]}'
refused 2 'invalid plan bad.json: "order" is no list' '{"dim":3,"base":0}'
refused 2 'invalid plan bad.json: order names a dimension twice' '{"dim":3,"base":0,"order":[1,1]}'
refused 2 'invalid plan bad.json: a link of the subcube' \
	'{"dim":3,"base":0,"order":[0,1],"fail_links":[{"node":0,"dim":1}]}'
refused 2 'invalid plan bad.json: a node of the subcube' '{"dim":3,"base":0,"order":[0,1],"fail_nodes":[3]}'

refused 2 'invalid plan bad.json: "depth" is no' '{"dim":2,"subcube":"XX","parent":{}}'
refused 2 'invalid subcube "X"' '{"dim":2,"subcube":"X","depth":0,"parent":{}}'
refused 2 'invalid plan bad.json: "parent" does not' '{"dim":2,"subcube":"X0","depth":1,"parent":{"3":0}}'
refused 2 'invalid plan bad.json: "parent" does not' '{"dim":2,"subcube":"X0","depth":1,"parent":{"x":0}}'
refused 2 'invalid plan bad.json: "parent" does not' '{"dim":2,"subcube":"X0","depth":1,"parent":[]}'
refused 2 'invalid plan bad.json: the way to the subcube' \
	'{"dim":2,"subcube":"0X","depth":1,"parent":{"2":3,"3":2}}'
refused 2 'invalid plan bad.json: a node that could' '{"dim":2,"subcube":"0X","depth":1,"parent":{"2":0}}'

# wrong STATUS PATTERN WORD..: "hcctl plot WORD.." must exit with STATUS and print a one-line error that matches PATTERN
wrong() {
	local status=$1 pattern=$2 got
	shift 2
	"$hcctl" plot "$@" >log 2>&1 </dev/null
	got=$?
	((got == status)) && [[ $(wc -l <log) == 1 ]] && grep -qE -- "^hcctl: $pattern" log
	result $? "hcctl plot $*: $pattern"
}

wrong 2 'missing NAME of a fabric or PLAN.json'
wrong 2 'missing "-o"' plan.json
wrong 2 'missing value after "-o"' plan.json -o
wrong 2 'invalid file "x.png"' plan.json -o x.png
wrong 2 'invalid file "svg"' plan.json -o svg
wrong 2 'what is "more"' plan.json -o x.svg more
wrong 2 '"-o" is given twice' plan.json -o x.svg -o y.svg
wrong 2 'invalid plan "plan.json"' plan.json -o x.svg plan 1
wrong 2 'invalid fabric name "elevenchars"' elevenchars -o x.svg
wrong 1 'cannot read nothing.json' nothing.json -o x.svg
wrong 1 'cannot read \.: ' . -o x.svg
wrong 1 'cannot write no/x.svg' plan.json -o no/x.svg
if [[ -w /dev/full ]]; then
	ln -s /dev/full full.svg
	wrong 1 'cannot write full.svg: No space' plan.json -o full.svg
fi

echo "1..$nr"
((failed == 0))
