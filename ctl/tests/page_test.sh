#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests the HTML pages of plans that "hcctl plot" writes: a page must be complete, must load nothing from elsewhere,
# and the model in it, which its script draws, must agree with the plan. Prints TAP.
#	page_test.sh HCCTL

# shellcheck source=ctl/tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck disable=SC2034
logs=(log)

# checked WHAT PLAN.json: a test named WHAT: page_check.py must accept the page of this plan
checked() {
	{
		rm -f page.html
		"$hcctl" -j plot "$2" -o page.html >said.json && python3 "$here/page_check.py" page.html "$2" said.json
	} >log 2>&1 </dev/null
	result $? "$1"
}

# page WORD..: a test of the page of the plan that "hcctl WORD.." prints
page() {
	"$hcctl" -j "$@" >plan.json 2>log
	checked "a page of: $*" plan.json
}

page tree find dim 1
page tree find dim 3 sink 0 fail-link 2:2,4:0,1:1
page tree find dim 4 sink 0 fail-link 2:3,3:2,10:2,2:0,1:1,8:1 fail-node 13
page tree find dim 6
page tree find dim 10 fail-node 77 fail-link 3:1,64:2,1:0
page bcast plan dim 3 source 5
page bcast plan dim 5 source 0 fail-node 5,6,9,17
page bcast plan dim 8 source 9 fail-node 5,6,17,70,200 fail-link 0:3
page doubling plan dim 3
page doubling plan dim 4 fail-node 3 fail-link 8:0
page doubling plan dim 7
page ring plan dim 4 fail-node 5 fail-link 0:0
page ring plan dim 3 method vrt width 4
page ring plan dim 8 method vrt fail-node 3
page balance topology dim 4 fail-node 5,6,8,10
page balance topology dim 6 fail-node 1,2,40 fail-link 7:3
printf '0 1\n1 2\n2 0\n2 3\n3 4\n9\n' >net
page ring plan graph net
page span plan dim 4 fail-link 0:0,3:1 fail-node 9
page span plan torus 5x5
page span plan dragonfly 4x2 fail-node 7

# --- names ---------------------------------------------------------------------

"$hcctl" -j tree find dim 3 >tree.json
# Names that could end the script of a page. No fabric can have such a name, but a file of a plan may contain it.
for name in '</script><script>alert(1)' '<!--<script>' ']]>&amp;&lt;"' "@MODEL@ @SCRIPT@ '" '\u003c\n'; do
	jq --arg name "$name" '.fabric = $name' tree.json >odd.json
	checked "a name: $name" odd.json
done

# --- traces ----------------------------------------------------------------------

# event PH ID TS MORE: print an event of a trace, in the JSON of "hcctl trace": a frame on a link (a hop) begins if PH
# is b, and ends if it is e; ID is its name, TS the time in microseconds
event() { printf '{"ph":"%s","cat":"hop","pid":2,"tid":2,"id":"%s","ts":%s,%s}' "$@"; }
{
	printf '{"traceEvents":[{"ph":"M","name":"process_name","pid":1},{"ph":"X","cat":"merge","pid":1,"ts":1,"dur":1},'
	event b h1 1000.5 '"name":"data to 3","args":{"dim":1}' && echo ,
	event b h3 1002.25 '"name":"ctl to 0","args":{"dim":0}' && echo ,
	event e h1 1001.75 '"name":"","args":{"lost":false}' && echo ,
	event e h3 1010 '"name":"","args":{"lost":true}' && echo ']}'
} >trace.json
"$hcctl" -j plot tree.json trace trace.json -o page.html >said.json 2>log
sed -n '/id="model">/{n;p}' page.html | jq -e '.hops == [
	{"from":1,"to":3,"type":"data","begin":0,"end":1250,"lost":false},
	{"from":1,"to":0,"type":"ctl","begin":1750,"end":9500,"lost":true}]' >>log &&
	jq -e '.hops == 2' said.json >>log && python3 "$here/page_check.py" page.html tree.json said.json >>log 2>&1
result $? 'a page with a trace'

# no_trace STATUS PATTERN JSON: with this JSON as the trace, "hcctl plot" must exit with STATUS, print a one-line error
# that matches PATTERN, and write no page
no_trace() {
	local got
	printf '%s' "$3" >bad.json
	rm -f page.html
	"$hcctl" plot tree.json trace bad.json -o page.html >log 2>&1
	got=$?
	((got == $1)) && [[ $(wc -l <log) == 1 && ! -e page.html ]] && grep -qE "^hcctl: $2" log
	result $? "no trace: $3"
}

no_trace 2 'bad.json:1: not JSON: it ends too soon' ''
no_trace 2 'invalid trace bad.json: it has no "traceEvents"' '[]'
no_trace 2 'invalid trace bad.json: it has no "traceEvents"' '{"traceEvents":5}'
no_trace 2 'invalid trace bad.json: an event is no object' '{"traceEvents":[5]}'
no_trace 2 'invalid trace bad.json: nothing was' '{"traceEvents":[]}'
no_trace 2 'invalid trace bad.json: a hop is not in' "{\"traceEvents\":[$(event b h1 1 '"args":{"dim":3}')]}"
no_trace 2 'invalid trace bad.json: a hop is not in' "{\"traceEvents\":[$(event b h1 1 '"args":5')]}"
no_trace 2 'invalid trace bad.json: a hop is not in' "{\"traceEvents\":[$(event b h9 1 '"args":{"dim":0}')]}"
no_trace 2 'invalid trace bad.json: a hop is not in' "{\"traceEvents\":[$(event b h0 1 '"args":{"dim":0}')]}"
no_trace 2 'invalid trace bad.json: a hop is not in' \
	"$(event b h1 1 '"args":{"dim":0}' | sed 's/"pid":2/"pid":9/; s/.*/{"traceEvents":[&]}/')"
for ts in NaN Infinity 1e300 -1 '"1"' null; do
	no_trace 2 'invalid trace bad.json: a hop is not in' "{\"traceEvents\":[$(event b h1 "$ts" '"args":{"dim":0}')]}"
done
no_trace 2 'invalid trace bad.json: a hop ends before' \
	"{\"traceEvents\":[$(event b h1 2 '"args":{"dim":0}'),$(event e h1 1 '"args":{}')]}"
jq -nc '{traceEvents: [range(20001) | {ph: "b", cat: "hop", pid: 1, id: "h\(. + 1)", ts: ., args: {dim: 0}}]}' >long.json
"$hcctl" plot tree.json trace long.json -o page.html >log 2>&1
[[ $? == 2 && ! -e page.html ]] && grep -q 'invalid trace long.json: more hops than' log
result $? 'a trace that is too long'
"$hcctl" plot tree.json trace trace.json -o x.svg >log 2>&1
[[ $? == 2 && ! -e x.svg ]] && grep -q 'invalid file "x.svg": only a page' log
result $? 'a picture plays no trace'
"$hcctl" plot tree.json trace nothing.json -o page.html >log 2>&1
[[ $? == 1 ]] && grep -q 'cannot read nothing.json' log
result $? 'a trace that is not there'

# --- refusals --------------------------------------------------------------------

# refused PATTERN WORD..: for the plan that "hcctl WORD.." prints, "hcctl plot" must exit with status 2, print a
# one-line error that matches PATTERN, and write no page
refused() {
	local pattern=$1 status
	shift
	"$hcctl" -j "$@" >plan.json 2>/dev/null
	rm -f page.html
	"$hcctl" plot plan.json -o page.html >log 2>&1
	status=$?
	((status == 2)) && [[ $(wc -l <log) == 1 && ! -e page.html ]] && grep -qE "^hcctl: $pattern" log
	result $? "refused: $*"
}

refused 'invalid file "page.html": a page has room for 1024 nodes' tree find dim 11
refused 'invalid file "page.html": a page has room for 1024 nodes' ring plan dim 11
seq 1 1100 | sed 's/.*/0 &/' >net
refused 'invalid file "page.html": a page has room for 1024 nodes' ring plan graph net
"$hcctl" plot tree.json -o no/x.html >log 2>&1
[[ $? == 1 ]] && grep -q '^hcctl: cannot write no/x.html' log
result $? 'a folder that is not there'
if [[ -w /dev/full ]]; then
	ln -s /dev/full full.html
	"$hcctl" plot tree.json -o full.html >log 2>&1
	[[ $? == 1 && $(wc -l <log) == 1 ]] && grep -q '^hcctl: cannot write full.html: No space' log
	result $? 'a full disk'
fi

echo "1..$nr"
((failed == 0))
