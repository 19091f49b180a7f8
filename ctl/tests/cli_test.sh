#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests the command line of hcctl: its words, options and error messages. Prints TAP.
# Needs neither root nor the module.
#	cli_test.sh HCCTL

# shellcheck source=ctl/tests/cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/cli.sh"

# --- words ------------------------------------------------------------------

try 2 - '^hcctl: missing object; try: hcctl help$'
try 0 '^Usage: hcctl' - help
try 0 '^Usage: hcctl' - -h
try 0 '^Usage: hcctl' - --help
try 0 '^hcctl [0-9]' - -V
try 0 '^hcctl [0-9]' - --version
try 0 '^\{"version":"[0-9.]+"\}$' - -j -V
try 2 - '^hcctl: what is "foo"\? try: hcctl help$' foo
try 2 - '^hcctl: what is "fabrics"\? try: hcctl help$' fabrics show
try 2 - '^hcctl: what is "nosuch"\? try: hcctl help$' help nosuch
try 2 - '^hcctl: what is "nosuch"\? try: hcctl fabric help$' help fabric nosuch
try 2 - '^hcctl: what is "more"\? try: hcctl fabric help$' help fabric add more
try 2 - '^hcctl: what is ""' ''
try 0 '^Usage: hcctl \[' - he
try 2 - '^hcctl: what is "foo"\? try: hcctl fabric help$' fabric foo
try 2 - '^hcctl: what is "shows"\? try: hcctl fabric help$' fabric shows
try 2 - '^hcctl: what is "list"\? try: hcctl bcast help$' bcast list
try 2 - '^hcctl: missing command; try: hcctl fabric help$' fabric
try 2 - '^hcctl: what is "-x"\?' -x
try 2 - '^hcctl: what is "--jso"\?' --jso fabric show
try 2 - '^hcctl: missing NAME after -n' -n
try 2 - '^hcctl: "-n" is given twice' -n a -n b help
try 2 - '^hcctl: missing FILE after -b' -b
try 2 - '^\{"error":"what is \\"foo\\"\? try: hcctl help"\}$' -j foo
try 2 - '^\{"error":"what is' -jp foo
for object in fabric node link fault detect route tree bcast doubling ring balance plan mfi run op monitor stats plot trace top decode checked trunk cluster guard mpirun; do
	try 0 "^Usage: hcctl $object" - "$object" help
	json '.usage | length > 0' "$object" help
done
# Words that are no objects are refused.
for object in task twig; do
	try 2 - "^hcctl: what is \"$object\"\?" "$object" plan
done

# --- colors -----------------------------------------------------------------

red=$'\e\\[31mFAULTY\e\\[0m'
faulty=(tree find dim 2 sink 0 fail-link '0:0,1:1')
for option in -c -color --color -col -c=always -color=always --color=always; do
	try 0 "$red" . "$option" "${faulty[@]}"
done
for option in -c=never -color=auto --color=auto -co=never; do
	try 0 '[^m]FAULTY  no' . "$option" "${faulty[@]}"
done
try 2 - '^hcctl: what is "-color=red"\?' -color=red help
try 2 - '^hcctl: what is "--color=red"\?' --color=red help
try 2 - '^hcctl: what is "--colour"\?' --colour help
json '.cost >= 1' -c "${faulty[@]}"
"$hcctl" -jc "${faulty[@]}" 2>err | grep $'\e' >>err
! grep $'\e' err
result $? 'JSON has no colors'
"$hcctl" "${faulty[@]}" >one 2>/dev/null
"$hcctl" -c "${faulty[@]}" 2>err | sed $'s/\e\\[[0-9]*m//g' >out
cmp one out >>err
result $? 'colors change nothing else'

# terminal VARIABLE=VALUE..: run hcctl on a terminal, which script(1) provides, with these variables in its
# environment. What it prints goes to the file "out".
terminal() {
	env -u NO_COLOR TERM=xterm "$@" script -qec "$hcctl ${faulty[*]} 2>/dev/null" /dev/null </dev/null | tr -d '\r' >out
}
if command -v script >/dev/null; then
	terminal && grep -q "$red" out
	result $? 'terminals get colors'
	terminal NO_COLOR= && grep -q "$red" out
	result $? 'terminals get colors if NO_COLOR is empty'
	for variable in NO_COLOR=1 TERM=dumb; do
		terminal "$variable" && cmp one out
		result $? "terminals get no colors with $variable"
	done
	env NO_COLOR=1 "$hcctl" -c "${faulty[@]}" 2>err | grep -q "$red"
	result $? '-c wins'
fi

# --- arguments --------------------------------------------------------------

try 2 - '^hcctl: missing NAME of a fabric' fabric add
try 2 - '^hcctl: missing "dim"' fabric add hc0
try 2 - '^hcctl: missing value after "dim"' fabric add hc0 dim
try 2 - '^hcctl: invalid dim "x"' fabric add hc0 dim x
try 2 - '^hcctl: invalid dim "0"' fabric add hc0 dim 0
try 2 - '^hcctl: invalid dim "17"' fabric add hc0 dim 17
try 2 - '^hcctl: dim 13: .* beyond dimension 12' fabric add hc0 dim 13
try 2 - '^hcctl: "dim" is given twice' fabric add hc0 dim 3 dim 4
try 2 - '^hcctl: missing "netns-each" to go with "address"' fabric add hc0 dim 3 address 10.0.0.0/8
try 2 - '^hcctl: invalid netns-each "a/b"' fabric add hc0 dim 3 netns-each a/b
try 2 - '^hcctl: invalid address "10.0.0.0"' fabric add hc0 dim 3 netns-each n address 10.0.0.0
try 2 - '^hcctl: invalid address "10.0.0/8"' fabric add hc0 dim 3 netns-each n address 10.0.0/8
try 2 - '^hcctl: invalid address "fd00::/129"' fabric add hc0 dim 3 netns-each n address fd00::/129
try 2 - 'not enough addresses for 8 nodes' fabric add hc0 dim 3 netns-each n address 10.0.0.0/29
try 2 - '^hcctl: what is "dimension"' fabric add hc0 dimension 3
try 2 - '^hcctl: invalid fabric name "elevenchars"' fabric add elevenchars dim 3
try 2 - '^hcctl: invalid fabric name ""' fabric del ''
try 2 - '^hcctl: what is "more"' fabric del hc0 more
try 2 - '^hcctl: invalid stall-timeout "100us": whole milliseconds' fabric set hc0 stall-timeout 100us
try 2 - '^hcctl: invalid stall-timeout "2.5ms": whole milliseconds' fabric set hc0 stall-timeout 2.5ms
try 2 - '^hcctl: invalid stall-timeout "1": a time' fabric set hc0 stall-timeout 1
try 2 - '^hcctl: invalid stall-timeout "86401s": at most a day is wanted' fabric set hc0 stall-timeout 86401s
try 2 - '^hcctl: missing NODE' node set hc0
try 2 - '^hcctl: invalid node "65536": .* from 0 to 65535' node set hc0 65536 fail
try 2 - '^hcctl: invalid node "-1"' node set hc0 -1 fail
try 2 - '^hcctl: invalid node "0b12"' node set hc0 0b12 fail
try 2 - '^hcctl: invalid node "0x"' node set hc0 0x fail
try 2 - '^hcctl: missing "fail", "ok"' node set hc0 1
try 2 - '^hcctl: missing "fail", "ok"' node set hc0 1,2,0x3
try 2 - '^hcctl: invalid node ""' node set hc0 1, fail
try 2 - '^hcctl: invalid node "x"' node set hc0 1,x fail
try 2 - '^hcctl: invalid node "x"' node show hc0 1,x
try 2 - '^hcctl: what is "2"' node show hc0 1 2
try 2 - '^hcctl: what is "broken"' node set hc0 1 broken
try 2 - '^hcctl: what is "twice"' node set hc0 1 fail twice
try 1 - '^hcctl: no network namespace "no-such"' node set hc0 1 netns no-such
try 2 - '^hcctl: invalid owner "no such user"' node set hc0 1 owner 'no such user'
try 2 - '^hcctl: missing NODE:DIM' link set hc0
try 2 - '^hcctl: invalid link "x": .* NODE is all its links' link set hc0 x down
try 2 - '^hcctl: invalid link "x": ' link show hc0 x
try 2 - '^hcctl: what is "x"' link show hc0 5,3:1 x
try 2 - '^hcctl: missing "down", "up"' link set hc0 5,6
try 2 - '^hcctl: invalid link "5:"' link set hc0 5: down
try 2 - '^hcctl: invalid link "5:x"' link set hc0 5:x down
try 2 - '^hcctl: invalid link ""' link set hc0 5:1, down
try 2 - '^hcctl: missing "down", "up"' link set hc0 5:1
try 2 - '^hcctl: missing "down", "up"' link set hc0 5:1 one-way
try 2 - '^hcctl: missing "down", "up"' link set hc0 5:1,6:0 3:2 one-way
try 2 - '^hcctl: "down" and "up" exclude each other$' link set hc0 5:1 down up
try 2 - '^hcctl: invalid loss "101%": .* up to 100%' link set hc0 5:1 loss 101%
try 2 - '^hcctl: invalid loss "x"' link set hc0 5:1 loss x
try 2 - '^hcctl: invalid loss "0.00001%"' link set hc0 5:1 loss 0.00001%
try 2 - '^hcctl: invalid delay "10"' link set hc0 5:1 delay 10
try 2 - '^hcctl: invalid delay "10h"' link set hc0 5:1 delay 10h
try 2 - '^hcctl: invalid rate "10"' link set hc0 5:1 rate 10
try 2 - '^hcctl: invalid rate "nan"' link set hc0 5:1 rate nan
try 2 - '^hcctl: invalid corrupt "-1%"' link set hc0 5:1 corrupt -1%
try 2 - '^hcctl: invalid duplicate "200"' link set hc0 5:1 duplicate 200
try 2 - '^hcctl: invalid jitter "1"' link set hc0 5:1 delay 1ms jitter 1
try 2 - '^hcctl: invalid seed "4294967296": at most 4294967295 is wanted$' link set hc0 5:1 seed 4294967296
try 2 - '^hcctl: invalid model-bandwidth "fast"' link set hc0 5:1 model-bandwidth fast
try 2 - '^hcctl: invalid flap "50ms"' link set hc0 5:1 flap 50ms
try 2 - '^hcctl: invalid flap "" *' link set hc0 5:1 flap 50ms/
try 2 - '^hcctl: invalid flap "300ms/50ms"' link set hc0 5:1 flap 300ms/50ms
try 2 - '^hcctl: invalid flap "50us/300ms"' link set hc0 5:1 flap 50us/300ms
try 2 - '^hcctl: "delay" is given twice' link set hc0 5:1 delay 1ms delay 2ms
try 2 - '^hcctl: missing NAME of a fabric' trace
try 2 - '^hcctl: missing "-o"' trace hc0 duration 1s
try 2 - '^hcctl: missing "duration" or "-- COMMAND"' trace hc0 -o x.json
try 2 - '^hcctl: missing COMMAND after "--"' trace hc0 -o x.json --
try 2 - '^hcctl: what is "duration"' trace hc0 -o x.json duration 1s -- true
try 2 - '^hcctl: invalid duration "1"' trace hc0 -o x.json duration 1
try 2 - '^hcctl: missing NAME of a fabric' top
try 2 - '^hcctl: what is "more"\? try: hcctl top help' top hc0 more
try 2 - '^hcctl: invalid interval "1": a time' top hc0 interval 1
try 2 - '^hcctl: invalid interval "9ms": 10ms to a day' top hc0 interval 9ms
try 2 - '^hcctl: invalid interval "86401s": 10ms to a day' top hc0 interval 86401s
try 2 - '^hcctl: invalid count "0"' top hc0 count 0
try 2 - '^hcctl: invalid rows "x"' top hc0 rows x
try 2 - '^hcctl: missing "seed"' fault random hc0 links 3
try 2 - '^hcctl: missing "links" or "nodes"' fault random hc0 seed 3
try 2 - '^hcctl: invalid timeout "0"' detect hc0 timeout 0
try 2 - '^hcctl: invalid op "sub"' run reduce hc0 op sub
try 2 - '^hcctl: invalid type "u128"' run reduce hc0 type u128
try 2 - '^hcctl: invalid type "f32"' run reduce hc0 op and type f32
try 2 - '^hcctl: invalid iterations "0"' run reduce hc0 iterations 0
try 2 - '^hcctl: invalid data' run reduce hc0 data f random 1
try 2 - '^hcctl: what is "source"' run allreduce hc0 source 1
try 2 - '^hcctl: what is "op"' run bcast hc0 op sum
try 2 - '^hcctl: invalid source "x"' run bcast hc0 source x
try 2 - '^hcctl: invalid type "record"' run bcast hc0 type record
try 2 - '^hcctl: what is "count"' run barrier hc0 count 1
try 2 - '^hcctl: what is "op"' run gather hc0 op sum
try 2 - '^hcctl: what is "source"' run scatter hc0 source 1
try 2 - '^hcctl: missing "sweep" to go with "from" and "to"' run reduce hc0 from 8
try 2 - '^hcctl: invalid sweep "count"' run reduce hc0 sweep count 3
try 2 - '^hcctl: invalid sweep "data"' run reduce hc0 sweep data f
try 2 - '^hcctl: invalid iterations "4294967295"' run reduce hc0 sweep iterations 4294967295
try 2 - '^hcctl: invalid sweep "details"' run bcast hc0 sweep details
try 2 - '^hcctl: invalid from "0"' run bcast hc0 sweep from 0
try 2 - '^hcctl: missing value after "to"' run bcast hc0 sweep to
try 2 - '^hcctl: what is "sweep"' run barrier hc0 sweep

try 2 - '^hcctl: missing command; try: hcctl plan help' plan
try 2 - '^hcctl: missing NAME of a fabric' plan show
try 2 - '^hcctl: missing NAME of a fabric' plan del
try 2 - '^hcctl: invalid plan "0"' plan show hc0 0
try 2 - '^hcctl: invalid plan "plan"' plan del hc0 plan 2
try 2 - '^hcctl: what is "more"' plan show hc0 1 more
try 2 - '^hcctl: what is "find"\? try: hcctl plan help' plan find hc0

# --- files of states --------------------------------------------------------

# state JSON STATUS STDERR: "hcctl fabric restore" of a file with this JSON must exit with STATUS and print an error
# that matches STDERR. All errors here are found before hcctl talks to the kernel.
state() {
	printf '%s\n' "$1" >state.json
	try "$2" - "$3" fabric restore state.json
}
# with [MEMBERS]: print the JSON of a saved fabric of dimension 3, with these further members of the object
with() { echo '{"format":"hypercube-fabric","version":1,"name":"hc0","dim":3'"${1:+,${1-}}}"; }
try 2 - '^hcctl: missing NAME of a fabric' fabric save
try 2 - '^hcctl: what is "more"' fabric save hc0 more
try 2 - '^hcctl: missing FILE' fabric restore
try 2 - '^hcctl: what is "more"' fabric restore state.json hc0 dry-run more
try 2 - '^hcctl: what is "wet"' fabric restore state.json hc0 wet
try 2 - '^hcctl: invalid fabric name "elevenchars"' fabric restore state.json elevenchars
try 1 - '^hcctl: cannot read nothing: No such file' fabric restore nothing
try 1 - '^hcctl: cannot read \.: ' fabric restore .
try 2 - '^hcctl: standard input:1: not JSON: it ends too soon$' fabric restore -
try 2 - '^hcctl: missing FILE' fault load hc0
try 2 - '^hcctl: what is "more"' fault load hc0 text more
try 1 - '^hcctl: cannot read nothing: No such' fault load hc0 nothing
state '{"format"' 2 '^hcctl: state.json:2: not JSON: it ends too soon$'
state $'{\n"format": x}' 2 '^hcctl: state.json:2: not JSON: '
state '{} {}' 2 '^hcctl: state.json:1: something follows the JSON document'
state null 2 '^hcctl: state.json:.: not JSON: an object is wanted, not null'
state 12 2 '^hcctl: state.json: invalid value "12": an object is wanted$'
state '[]' 2 '^hcctl: state.json: invalid value "\[\]": an object is wanted$'
state '{}' 2 '^hcctl: state.json: missing key "format"$'
state '{"format":"x","version":1,"name":"hc0","dim":3}' 2 'state.json: invalid format "x": "hypercube-fabric" is wanted$'
state "$(with | sed s/dim/din/)" 2 'state.json: invalid key "din": format, version, .* or plans is wanted$'
state "$(with | sed s/3/13/)" 2 'state.json: invalid dim "13": a number from 1 to 12 is wanted$'
state "$(with | sed s/3/-3/)" 2 'state.json: invalid dim "-3": '
state "$(with | sed s/3/3.5/)" 2 'state.json: invalid dim "3.5": '
state "$(with | sed s/hc0/elevenchars/)" 2 'state.json: invalid name "elevenchars": '
state "$(with '"id":65536')" 2 'invalid id "65536": a number from 1 to 65535'
state "$(with '"segment":255')" 2 'invalid segment "255": a number from 256 to 32768'
state "$(with '"stall_timeout":86400001')" 2 'invalid stall_timeout "86400001": '
state "$(with '"nodes":{}')" 2 'invalid nodes "\{\}": an array is wanted$'
state "$(with '"nodes":[3]')" 2 'state.json: nodes\[0\]: invalid value "3": an object is wanted$'
state "$(with '"nodes":[{"node":0},{"node":8}]')" 2 'nodes\[1\]: invalid node "8": a number from 0 to 7'
state "$(with '"nodes":[{"node":1},{"node":1}]')" 2 'nodes\[1\]: invalid node "1": it is there twice$'
state "$(with '"nodes":[{"failed":true}]')" 2 'nodes\[0\]: missing key "node"$'
state "$(with '"nodes":[{"node":1,"failed":1}]')" 2 'invalid failed "1": true or false is wanted$'
state "$(with '"nodes":[{"node":1,"owner":4294967295}]')" 2 'invalid owner "4294967295": '
state "$(with '"nodes":[{"node":1,"netns":"a/b"}]')" 2 'invalid netns "a/b": '
state "$(with '"nodes":[{"node":1,"netns":"a\u001b[2Jb"}]')" 2 'invalid netns "a\\033\[2Jb": '
state "$(with '"nodes":[{"node":1,"netns":"a\u007fb"}]')" 2 'invalid netns "a\\177b": '
state "$(with '"a\nb\u0007":1')" 2 'invalid key "a\\012b\\007": '
state "$(with '"nodes":[{"node":1,"addresses":["10.0.0.1"]}]')" 2 'addresses\[0\]: invalid address "10.0.0.1": '
state "$(with '"nodes":[{"node":1,"addresses":["10.0.0.1/8","10.0.0.1/8"]}]')" 2 'addresses\[1\]: "10.0.0.1/8" is given twice'
state "$(with "\"nodes\":[{\"node\":1,\"addresses\":$(jq -nc '[range(257) | "10.0.\(. / 256 | floor).\(. % 256)/8"]')}]")" 2 \
	'nodes\[0\]: invalid addresses "\[..\]": 256 of them'
state "$(with "\"nodes\":[{}$(printf ',{}%.0s' {1..600000})]")" 2 '^hcctl: state.json: there are too many values$'
printf '{}\0{}' >nul.json
try 2 - '^hcctl: nul.json:1: not text: a byte is 0' fabric restore nul.json
printf 12 >twelve.json
try 2 - '^hcctl: twelve.json: invalid value "12": an object' fabric restore twelve.json
printf '{"a":' >short.json
try 2 - '^hcctl: short.json:1: not JSON: it ends too soon$' fabric restore short.json
state "$(with '"links":[{"node":1,"dim":3}]')" 2 'links\[0\]: invalid dim "3": a dimension of the fabric'
state "$(with '"links":[{"node":1,"dim":0},{"node":0,"dim":0}]')" 2 'links\[1\]: invalid link "0:0": it is there twice$'
state "$(with '"links":[{"node":1,"dim":0,"loss_ppm":1000001}]')" 2 'invalid loss_ppm "1000001": a number from 0 to 1000000'
state "$(with '"links":[{"node":1,"dim":0,"delay_ns":1,"jitter_ns":2}]')" 2 'invalid jitter_ns "1:0": it must not exceed'
state "$(with '"links":[{"node":1,"dim":0,"rate":31999}]')" 2 'invalid rate "1:0": 0 or 32000'
state "$(with '"links":[{"node":1,"dim":0,"flap_down_ms":10}]')" 2 'invalid flap_period_ms "1:0": '
state "$(with '"links":[{"node":1,"dim":0,"down":true,"one_way":true}]')" 2 'invalid one_way "1:0": '
state "$(with '"links":[{"node":1,"dim":0,"model_bandwidth":99999999999999999999}]')" 2 'invalid model_bandwidth '
state "$(with '"plans":[{"plan":1}]')" 2 'plans\[0\]: a plan with the key "type" is wanted$'
state "$(with '"plans":[{"plan":1,"type":"x"}]')" 2 'plans\[0\]: invalid type "x": tree, bcast, doubling, ring or span is wanted$'
state "$(with '"plans":[{"plan":1,"type":"tree","sink":8}]')" 2 'plans\[0\]: invalid sink "8": '
state "$(with '"plans":[{"plan":1,"type":"tree","sink":7}]')" 2 'plans\[0\]: missing key "members"$'
state "$(with '"plans":[{"plan":1,"type":"tree","sink":7,"members":[],"guard_ms":0}]')" 2 'plans\[0\]: invalid guard_ms "0": '
state "$(with '"plans":[{"plan":1,"type":"tree","sink":7,"members":[],"guard_uid":5}]')" 2 'plans\[0\]: missing "guard_ms"'
state "$(with '"plans":[{"plan":1,"type":"tree","sink":7,"members":[],"recipe":"tree find"}]')" 2 'plans\[0\]: invalid recipe "tree find": '
state "$(with '"plans":[{"plan":0,"type":"ring"}]')" 2 'plans\[0\]: invalid plan "0": '
state "$(with '"plans":[{"plan":1,"type":"doubling","base":0,"order":[0,3]}]')" 2 'order: invalid element \[1\] "3": a number from 0 to 2'
state "$(with '"plans":[{"plan":1,"type":"doubling","base":0,"order":[0,1,2,0]}]')" 2 'order: invalid value '
state "$(with '"plans":[{"plan":1,"type":"ring","rings":[{"nodes":[8]}]}]')" 2 'rings\[0\]: invalid element \[0\] "8": '
state "$(with '"plans":[{"plan":1,"type":"ring"},{"plan":1,"type":"ring"}]')" 2 'state.json: invalid plan "1": it is there twice$'

# --- files of clusters ------------------------------------------------------

# cluster JSON STATUS STDERR: "hcctl cluster up" with a file of this JSON must exit with STATUS and print an error
# that matches STDERR. All errors here are found before hcctl connects to a host.
cluster() {
	printf '%s\n' "$1" >cluster.json
	try "$2" - "$3" cluster up cluster.json
}
# spans HOSTS [MEMBERS]: print the JSON of a cluster with a fabric of dimension 2, these HOSTS (JSON objects, each
# put on a line of its own) and these further members of the object
spans() {
	printf '{"format":"hypercube-cluster","version":1,"name":"hc0","dim":2,"hosts":[\n%s]%s}' "${1//\}, \{/\},$'\n'\{}" "${2:+,$2}"
}
two='{"host":"a","local":true,"address":"h"}, {"host":"b","local":true,"address":"h"}'
try 2 - '^hcctl: missing command; try: hcctl cluster help' cluster
for command in up down show check; do
	try 2 - '^hcctl: missing FILE' cluster "$command"
	try 2 - '^hcctl: what is "more"' cluster "$command" cluster.json more
	try 1 - '^hcctl: cannot read nothing: No such file' cluster "$command" nothing
done
try 2 - '^hcctl: missing FILE after -a' -a
try 2 - '^hcctl: "-a" is given twice' -a x --all-hosts y help
try 2 - '^hcctl: missing object' -a cluster.json
try 1 - '^hcctl: cannot read nothing: No such file' --all-hosts nothing fabric show
cluster $'{\n"format": x}' 2 '^hcctl: cluster.json:2: not JSON: '
cluster '{}' 2 '^hcctl: cluster.json: missing key "format"$'
cluster '{"format":"hypercube-fabric","version":1,"name":"hc0","dim":2,"hosts":[]}' 2 'invalid format "hypercube-fabric": "hypercube-cluster" is wanted$'
cluster "$(spans '' | sed 's/"dim":2/"subcube":"XX"/')" 2 'invalid key "subcube": '
cluster "$(spans '')" 2 'invalid hosts "\[..\]": 1 to 1024 of them'
cluster "$(spans '{"name":"a"}')" 2 '^hcctl: cluster.json: hosts\[0\] in line 2: invalid key "name": '
cluster "$(spans "$two, {\"host\":\"a\"}")" 2 'hosts\[2\] in line 4: invalid host "a": it is there twice$'
cluster "$(spans "$two, {\"host\":\"c\"}")" 2 'invalid number of hosts "3": without "subcube" a power of two'
cluster "$(spans "$two, {\"host\":\"c\",\"subcube\":\"XX\"}")" 2 'hosts\[2\] in line 4: invalid host "c": "subcube" is of all hosts, or of none$'
cluster "$(spans '{"host":"a","subcube":"0X"}, {"host":"b","subcube":"X1"}')" 2 'node 1 is of both host a and host b$'
cluster "$(spans '{"host":"a","subcube":"0X"}, {"host":"b","subcube":"11"}')" 2 'node 2 is of no host$'
cluster "$(spans '{"host":"a","subcube":"0XX"}')" 2 'hosts\[0\] in line 2: invalid subcube "0XX"'
cluster "$(spans '{"host":"a","local":true,"ssh":"a"}')" 2 'invalid local "a": it stands without "ssh"$'
cluster "$(spans '{"host":"a","ssh":"-oProxyCommand=x"}')" 2 'invalid ssh "-oProxyCommand=x": a word that does not begin with a dash'
cluster "$(spans '{"host":"a b"}')" 2 'invalid host "a b": '
cluster "$(spans "$two" '"trunks":"some"')" 2 'invalid trunks ".*": "auto" or an array is wanted$'
cluster "$(spans "$two" '"trunks":[{"dim":1,"listen":"a","connect":"c"}]')" 2 'trunks\[0\] in line 3: invalid connect "c": one of the hosts'
cluster "$(spans "$two" '"trunks":[{"dim":0,"listen":"a","connect":"b"}]')" 2 'invalid dim "0": one along which these hosts have links'
cluster "$(spans "$two" '"trunks":[{"dim":1,"listen":"a","connect":"b"},{"dim":1,"listen":"b","connect":"a"}]')" 2 'trunks\[1\] .*: it is there twice$'
cluster "$(spans "$two" '"keepalive_ms":99')" 2 'invalid keepalive_ms "99": a number from 100'
cluster "$(spans "$two" '"nodes":[{"node":4}]')" 2 'nodes\[0\] in line 3: invalid node "4": '
cluster "$(spans "$two" '"links":[{"node":3,"dim":2}]')" 2 'links\[0\] in line 3: invalid dim "2": '
cluster "$(spans "$two" '"plans":[{"plan":1,"type":"x"}]')" 2 'plans\[0\] in line 3: invalid type "x": '
cluster "$(spans "$two" '"plans":[{"plan":1,"type":"tree"},{"plan":1,"type":"ring"}]')" 2 'plans\[1\] .*invalid plan "1": it is there twice$'
# JSON has no comments.
cluster "$(spans '{"name":"a"}' | sed 's|^|/* {{ */|')" 2 '^hcctl: cluster.json:1: not JSON: '

# hcctl runs commands on other hosts with the program that the variable HCCTL_SSH names instead of ssh. This script
# is such a program. It connects to no host: it writes down the host and the command, and answers itself.
cat >ssh <<'END'
#!/bin/sh
for word; do whom=$asked asked=$word; done
echo "$whom: $asked" >>asked
case $whom in
away) echo 'ssh: no route' >&2; exit 255 ;;
odd) echo 'what is that?'; exit 0 ;;
esac
echo '{"error":"no \"module\""}' >&2
exit 1
END
chmod 755 ssh
export HCCTL_SSH=$PWD/ssh
spans '{"host":"a","ssh":"root@x"}, {"host":"away"}' >cluster.json
"$hcctl" cluster show cluster.json >out 2>err
(($? == 1)) && grep -q '^hcctl: a: no "module"$' err && grep -q '^hcctl: away: ssh: no route$' err &&
	(($(grep -c unreachable out) == 2)) && grep -qx "root@x: hcctl -j 'fabric' 'show'" asked
result $? 'hosts say why they do not answer'
"$hcctl" -j cluster show cluster.json >out 2>/dev/null
jq -e 'map(.state) == ["unreachable", "unreachable"]' out >/dev/null
result $? 'hosts that do not answer, in JSON'
"$hcctl" cluster up cluster.json >out 2>err
(($? == 1)) && grep -q '0 of 1 trunks and 0 of 0 plans stand' err
result $? 'what stands is said'
rm -f asked
"$hcctl" -a cluster.json plan show "it's" >out 2>err
(($? == 1)) && grep -qx "root@x: hcctl 'plan' 'show' 'it'\\\\''s'" asked
result $? 'words are quoted for a shell'
spans '{"host":"odd"}' >cluster.json
"$hcctl" cluster show cluster.json >out 2>err
grep -q unreachable out
result $? 'what is no JSON is no answer'
unset HCCTL_SSH

# --- batch ------------------------------------------------------------------

printf '# trees\ntree find dim 2\n\ntree find \\\n  dim 1   # last\n' >commands
try 0 '^dim 2' - -b commands
json 'map(.dim) == [2, 1]' -b commands
printf 'tree find dim 2\nfoo\ntree find dim 1\n' >commands
try 2 '^dim 2' '^hcctl: Command failed commands:2: what is "foo"\?' -b commands
try 2 '^dim 1' '^hcctl: Command failed commands:2: what is "foo"\?' -f -b commands
try 2 '^\]$' '^\{"error":"Command failed commands:2: what is \\"foo\\"\? try: hcctl help"\}$' -j -f -b commands
printf 'link 0:0\nnode 1,x\n' >bad
printf 'tree find dim 3 \\\n faults bad\n' >commands
try 2 - '^hcctl: Command failed commands:1: bad:2: invalid node "x": ' -b commands
printf '\ntree find dim 3 fail-node 1,2,4\n' >commands
try 0 FAULTY '^hcctl: warning: commands:2: cut off from sink 7' -b commands
printf 'help "\n' >commands
try 2 - '^hcctl: Command failed commands:1: an open quote' -b commands
try 1 - '^hcctl: cannot open nothing' -b nothing
try 2 - '^hcctl: what is "fabric"' -b commands fabric show
try 0 - - -b -

# --- without the module -----------------------------------------------------

if [[ ! -d /sys/module/hypercube ]]; then
	try 1 - 'hypercube: module not loaded\? try: modprobe hypercube$' fabric show
	try 1 - '^\{"error":"hypercube: module not loaded\?' -j fabric show
	try 1 - 'hypercube: module not loaded' tree find fabric hc0
	try 1 - 'hypercube: module not loaded' monitor
	try 1 - 'hypercube: module not loaded' balance topology fabric hc0
	try 1 - 'hypercube: module not loaded' plot hc0 -o hc0.svg
fi
try 1 - '^hcctl: no network namespace "no-such"' -n no-such fabric show

echo "1..$nr"
((failed == 0))
