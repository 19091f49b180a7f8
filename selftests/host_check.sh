#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: host_check.sh BUILD-FOLDER
#
# Checks the test suite itself, without a VM, and prints TAP: all programs exist, and tools/tally,
# which sums results up, distinguishes success from failure.

set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${1:?usage: host_check.sh BUILD-FOLDER}
HC_SCHEDULE=$build/schedule
# shellcheck source=selftests/lib/lib.sh
. "$here/lib/lib.sh"
# shellcheck source=selftests/vm/lib.sh
me=vm . "$here/vm/lib.sh"
number=0 failed=0

result() {
	local status=$? said=ok
	if ((status == 4)); then
		set -- "$1 # SKIP"
	elif ((status)); then
		said='not ok'
		((++failed))
	fi
	echo "$said $((++number)) $1"
}

test_every_listed_program_exists() {
	local name
	for name in $(listed); do
		[[ -x $here/$name || -x $build/$name ]] || { log "no program $name"; return 1; }
	done
}

# tallied LOG WANTED: checks that tools/tally prints WANTED for a log
tallied() {
	local said
	said=$(printf '%b' "$1" | "$here/tools/tally" /dev/stdin | tail -1)
	[[ $said == "$2" ]] || { log "\"$said\", not \"$2\""; return 1; }
}

test_tally_counts_tests_of_group_but_not_group() {
	tallied '1..1\n    1..2\n    ok 1 a\n    ok 2 b\nok 1 group\n' '2 passed, 0 failed'
}

test_tally_counts_failed_test_of_group() {
	tallied '1..1\n    1..2\n    ok 1 a\n    not ok 2 b\nnot ok 1 group\n' '1 passed, 1 failed'
}

test_tally_counts_missing_tests_of_group_as_failed() {
	tallied '1..1\n    1..3\n    ok 1 a\nnot ok 1 group\n' '1 passed, 2 failed'
}

test_tally_counts_only_last_run_of_repeated_group() {
	tallied '1..2\n    1..3\n    not ok 1 a\n# group ended with status 1: once more\n    1..1\n    ok 1 a\nok 1 group\nok 2 b\n' \
		'2 passed, 0 failed' &&
		tallied '1..1\n    1..1\n    not ok 1 a\n# group ended with status 1: once more\n    1..1\n    not ok 1 a\nnot ok 1 group\n' \
			'0 passed, 1 failed'
}

# read_as BYTE: prints how vm/lib.sh interprets a kernel log that ends with an oops at an int3, if
# the byte BYTE precedes the instruction pointer
read_as() {
	local kind=real
	! printf '%s\n' 'Oops: int3: 0000 [#1]' 'RIP: 0010:x+0x1/0x2' "Code: 24 00 $1 <09> 5b cc" 'Code: cc <90>' |
		misread_breakpoint || kind=misread
	echo "$kind"
}

test_runner_distinguishes_real_from_misread_breakpoint() {
	local bad=''
	equal 'none in memory' misread "$(read_as eb)"
	equal 'one in memory' real "$(read_as cc)"
	equal 'no code' real "$(misread_breakpoint <<<'Oops: int3: 0000' && echo misread || echo real)"
	[[ ! $bad ]]
}

# said_as PATTERN TEXT: prints yes if "says" finds PATTERN in TEXT
said_as() { says "$2" "$1" && echo yes || echo no; }

test_refusal_pattern_matches_within_one_line() {
	local bad='' capital=A two=$'hcctl: fabric t: No such plan\ntry: hcctl plan show (t)'
	equal 'any case' yes "$(said_as 'no such PLAN' "$two")"
	equal 'the ends of a line' yes "$(said_as '^hcctl: .* plan$' "$two")"
	equal 'the second line' yes "$(said_as '^try: .*\(t\)$' "$two")"
	equal 'one of several' yes "$(said_as 'nothing|show' "$two")"
	equal 'across lines' no "$(said_as 'plan.*try' "$two")"
	equal 'something else' no "$(said_as 'no such node' "$two")"
	equal 'what has no sense' no "$(said_as '(' "$two")"
	equal 'of nothing' no "$(said_as . '')"
	equal 'the case afterwards' no "$([[ $capital == a ]] && echo yes || echo no)"
	[[ ! $bad ]]
}

# hc_json passes filters that it cannot evaluate to jq.
test_json_path_gives_same_value_as_jq() {
	local bad='' filter here=$build said
	said='[{"a":"x y","b":[1,2,{"c":null}],"drops":{"no-node":7}},{"a":"z","b":[],"drops":{}}]'
	for filter in . length '.[0].a' '.[].b' '.[].b | length' '.[0].b[2].c // 5' '.[0].drops["no-node"]' '.[1].drops["no-node"] // 0' \
		'[.[].a]' '[.[0].a, .[1].b]' '[.[0].a,.[0].drops["no-node"],.[1].c]' '[.[0].b[], .[1].a]' 'map(.a)'; do
		has_path "$filter" || fault "$filter is no path"
		equal "$filter" "$(jq -rc "$filter" <<<"$said")" "$(pick "$filter" <<<"$said")"
	done
	for filter in 'map(.a, .b)' '[.[0].a + 1]' '.[] | .a' '[.a | length, .b]' 'keys'; do
		! has_path "$filter" || fault "$filter is a path"
	done
	[[ ! $bad ]]
}

dissector=$here/../Documentation/wireshark/hypercube.lua

# dissected FILTER FIELD..: prints these fields of the frames for which the filter is true, one
# frame per line
dissected() {
	local fields=()
	for field in "${@:2}"; do fields+=(-e "hypercube.$field"); done
	tshark -X "lua_script:$dissector" -r "${recording:-$here/wireshark/reduction.pcap}" \
		-Y "$1" -T fields "${fields[@]}" 2>/dev/null
}

# In the recording, a 3-cube without link 3:1 and without node 6 adds up 100 u32 in segments of 256
# bytes, and the programs leave. Then node 5 fails and breaks the plan. Afterwards frames search for
# paths; one of them searches for node 5.
test_dissector_decodes_recorded_reduction() {
	command -v tshark >/dev/null || return 4
	local bad=''
	equal 'frames not understood' '' "$(dissected '!hypercube || _ws.malformed || hypercube.bad_length || hypercube.bad_version' seq)"
	equal 'types' '2 3 4 5 10 11 16' "$(dissected hypercube type | sort -n | uniq | paste -sd' ')"
	equal 'operator and type' '1 3 400' "$(dissected hypercube.type==3 oper dtype total | tr '\t' ' ' | sort -u)"
	equal 'bytes to the sink at the last stage' 400 "$(dissected "hypercube.type==3 && hypercube.to==$(sink) && hypercube.stage==2" len | awk '{ n += $1 } END { print n }')"
	equal 'the cause' '1 2' "$(dissected hypercube.end.over==1 end.node end.dim | tr '\t' ' ' | sort -u)"
	equal 'failures, and the generations that end' '0 1,1 2,2 3,3 4,4 5,5 6,6 7,7 8' \
		"$(dissected hypercube.type==5 gen op | tr '\t' ' ' | sort -u | paste -sd,)"
	equal 'the longest walk' '0,2,2,0,1,0,0,2,2,1' "$(dissected hypercube.walk==10 walk.dims | sort -u)"
	equal 'ends of links' '' "$(dissected hypercube from to dim rises |
		awk '{ x = $1 > $2 ? $1 - $2 : $2 - $1 } x != 2 ^ $3 || ($2 > $1) != ($4 == "1" || $4 == "True")')"
	equal 'sequences' '' "$(dissected 'hypercube.seq > 0' from dim seq | sort -n -k1,1 -k2,2 -k3,3 |
		awk 'NR > 1 && $1 == a && $2 == b && $3 != c + 1; { a = $1; b = $2; c = $3 }')"
	[[ ! $bad ]]
}

# recorded TYPE FLAGS REST: writes a capture of one frame: a common header with TYPE and FLAGS (in
# hexadecimal), then REST, of which the last $payload bytes are payload
recorded() {
	local hex n
	n=$(printf %02x $((62 + ${#3} / 2)))
	printf -v hex %s d4c3b2a1020004000000000000000000ffff000001000000 0000000000000000 "${n}000000${n}000000" \
		02680001000002680001000188b5 0100000000000001 "05$1$2" 00 00000001 00010000 00000001 "$(numbers 4 "${payload:-0}" 2 "${walk:-0}" 2 "${hop:-0}")" \
		00000000 00000001 0000000000000000 "$3"
	printf %b "$(fold -w 2 <<<"$hex" | sed 's/^/\\x/' | tr -d '\n')"
}

# said TYPE FLAGS REST FIELD..: makes such a capture, and prints these fields as the dissector shows
# them
said() {
	local recording=-
	recorded "$1" "$2" "$3" | dissected '!hypercube.bad_length' "${@:4}" | tr '\t' ' '
}

# numbers BYTES VALUE ..: prints each value as that many bytes in hexadecimal
numbers() {
	while (($#)); do
		printf "%0$(($1 * 2))x" "$2"
		shift 2
	done
}

# stop_flags NUMBER: prints the flags over, soft, idle and away as the dissector shows them for a
# STOP whose flags are NUMBER; $of has the headers before it
stop_flags() {
	said 10 00 "$of$(numbers 4 7 4 5 2 1 2 2 4 "$1")" end.over end.soft end.idle end.away | sed 's/True/1/g; s/False/0/g'
}

test_dissector_decodes_fields_of_each_frame_type() {
	command -v tshark >/dev/null || return 4
	local bad='' of word
	of=$(numbers 4 1 4 2 8 9)
	equal 'TEST' '6 1' "$(said 01 00 "$(numbers 4 6 4 1)" test.round test.ask | sed s/True/1/)"
	equal 'DATA' '7 3 5 4' "$(said 03 00 "$of$(numbers 8 0 8 7 4 3 8 0 2 0 2 5 4 4 8 0 4 0)" total index block gen)"
	equal 'CREDIT' '1 2 9 4 6' "$(said 06 00 "$of$(numbers 4 4 4 6)" plan epoch op taken gen)"
	equal 'PROBE' '9 1' "$(said 07 00 "$of$(numbers 4 1 4 0)" op probe.flags)"
	equal 'ACK' '3 7' "$(said 04 00 "$of$(numbers 4 3 4 7)" ack.steps gen)"
	equal 'END' '9 7 5 1 2 1' "$(said 05 00 "$of$(numbers 4 7 4 5 2 1 2 2 4 1)" op gen end.status end.node end.dim end.flags | sed s/0x0*1$/1/)"
	equal 'STOP' '9 7 5 1 2' "$(said 10 00 "$of$(numbers 4 7 4 5 2 1 2 2 4 0)" op gen end.status end.node end.dim)"
	equal 'STOP: over, away' '1 0 0 1' "$(stop_flags 17)"
	equal 'STOP: soft' '0 1 0 0' "$(stop_flags 4)"
	equal 'STOP: idle' '0 0 1 0' "$(stop_flags 8)"
	equal 'a cause without a dimension' '1 ' "$(said 05 00 "$of$(numbers 4 0 4 5 2 1 2 65535 4 0)" end.node end.dim)"
	equal 'LSA' 1 "$(said 0a 00 "$(numbers 1 1 7 0)" lsa.sync | sed s/True/1/)"
	equal 'FLOOD' '0x0000000a 11' "$(said 09 04 "$(numbers 4 10 4 11)" flood.tree flood.nr)"
	equal 'a fixed way' '1,0,2 1 258' "$(walk=11 hop=1 said 07 09 "$(numbers 4 258 1 16 1 32 10 0)$of$(numbers 4 1 4 0)" walk.dims way.hop way.nr)"
	of+=$(numbers 6 7 2 5 4 3 4 6 4 4 2 2 2 1)
	equal 'REPAIR: a question' '9 7 5 4 2 1 2' "$(said 0c 00 "$of$(numbers 1 2 1 0 2 0 1 0 3 0)" \
		op repair.attempt repair.master repair.status repair.node repair.dim repair.what)"
	equal 'REPAIR: an answer' '0x00000003 5 1 10 11 12 13 14 15 16' "$(payload=56 said 0c 00 \
		"$of$(numbers 1 5 1 0 2 0 1 1 3 0)$(numbers 8 10 8 11 8 12 8 13 8 14 8 15 8 16)" \
		repair.word repair.what repair.back repair.{ran,placed,nr,offset,prev_nr,prev_offset,fresh} |
		sed 's/True/1/; s/0x0000000000000010/16/; s/0x000000000000000/1/g; s/1a/10/; s/1b/11/')"
	equal 'REPAIR: a place' '6 2 3 1 8,9 10,11 2,1 1,0 0,1 1,3,32,34' "$(payload=96 said 0c 00 \
		"$of$(numbers 1 3 1 2 2 3 1 4 3 0 56 0)$(numbers 4 8 2 10 4 0 1 2 1 1 1 1 3 0 4 9 2 11 4 0 1 1 1 0 1 3 3 0 4 10 4 5)" \
		repair.members repair.ways repair.rings repair.resume way.{seen,next,dim,out,relay} repair.set | sed 's/True/1/g; s/False/0/g')"
	word=$(numbers 8 5 8 3 4 0 4 0 2 0 1 0)
	equal 'DROP' '5 8 10,11' "$(payload=16 said 0e 00 "$word$(numbers 1 8 4 0 8 10 8 11)" task.move task.what task.drop)"
	equal 'LOST' '1 2 3 4 0x0000000f' "$(payload=40 said 0e 00 "$word$(numbers 1 10 4 0 8 1 8 2 8 3 8 4 4 15 4 0)" \
		task.lost.sent task.lost.gave task.lost.taken task.lost.kept task.lost.known)"
	equal 'a LOST that is cut off' '10 ' "$(payload=8 said 0e 00 "$word$(numbers 1 10 4 0 8 1)" task.what task.lost.sent)"
	equal 'a part that is missing' '' "$(said 06 00 "${of::32}" taken)"
	[[ ! $bad ]]
}

# shown EVERY-HOP FILTER: prints for how many frames of the recording FILTER is true, with this
# value of the dissector's preference every_hop
shown() {
	tshark -X "lua_script:$dissector" -r "$here/wireshark/endpoints.pcap" -o "hypercube.every_hop:$1" -Y "$2" \
		2>/dev/null | wc -l
}

# In the recording, node 0 of a 3-cube sends 3000 bytes by TCP to node 7, three links away, after an
# ARP request to all nodes.
test_dissector_shows_each_ethernet_frame_once() {
	command -v tshark >/dev/null || return 4
	local bad=''
	equal 'frames' 43 "$(shown FALSE hypercube)"
	equal 'TCP' 11 "$(shown FALSE tcp)"
	equal 'TCP, where it arrives' 11 "$(shown FALSE 'tcp && hypercube.dst == hypercube.to')"
	equal 'sent again' 0 "$(shown FALSE tcp.analysis.retransmission)"
	equal 'question and answer' 2 "$(shown FALSE arp)"
	equal 'TCP at every hop' 33 "$(shown TRUE tcp)"
	equal 'question at every link of the tree, answer at every hop' 10 "$(shown TRUE arp)"
	equal 'sent again, as it seems' yes "$( (($(shown TRUE tcp.analysis.retransmission) > 5)) && echo yes)"
	[[ ! $bad ]]
}

# sink: prints the node that is the first to send an END in the recording
sink() { dissected hypercube.type==5 from | head -1; }

readarray -t tests < <(functions_of_tests)
echo 'TAP version 13'
echo "1..${#tests[@]}"
for name in "${tests[@]}"; do
	"$name"
	name=${name#test_}
	result "${name//_/ }"
done
((failed == 0))
