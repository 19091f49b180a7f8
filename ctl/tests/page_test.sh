#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Pages of plans: whole, alone, and their models say what the plans say; TAP.
#	page_test.sh HCCTL

# shellcheck source=ctl/tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck disable=SC2034
logs=(log)

# checked WHAT PLAN.json: the page of this plan
checked() {
	{
		rm -f page.html
		"$hcctl" -j plot "$2" -o page.html >said.json && python3 "$here/page_check.py" page.html "$2" said.json
	} >log 2>&1 </dev/null
	result $? "$1"
}

# page PLAN-WORD..
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

# --- names ---------------------------------------------------------------------

"$hcctl" -j tree find dim 3 >tree.json
# A name as long as there is room for; no fabric has such a one, but a file may.
for name in '</script><script>alert(1)' '<!--<script>' ']]>&amp;&lt;"' "@MODEL@ @SCRIPT@ '" '\u003c\n'; do
	jq --arg name "$name" '.fabric = $name' tree.json >odd.json
	checked "a name: $name" odd.json
done

# --- refusals --------------------------------------------------------------------

# refused PATTERN PLAN-WORD..: there is no page of that
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

refused 'invalid file "page.html": .* more than 1024 nodes' tree find dim 11
refused 'invalid file "page.html": .* more than 1024 nodes' ring plan dim 11
seq 1 1100 | sed 's/.*/0 &/' >net
refused 'invalid file "page.html": .* more than 1024 nodes' ring plan graph net
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
