#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests "hcctl decode" with recorded frames, and with files that are no recordings. Prints TAP.
#	decode_test.sh HCCTL
# If the variable HC_RECORDS is set, it names a file to which the printed JSON is appended; schema_test.py reads it.

# shellcheck source=ctl/tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck disable=SC2034
logs=(out err)
export TZ=UTC
# The recording of a fabric of dimension 3 in which link 3:1 and node 6 are faulty. First the nodes reduce 100 elements
# of the type u32 to their sum, in segments of 256 bytes, and the programs end. Then node 5 fails, which breaks the
# plan, and "path" frames search ways through the fabric, one of them to node 5.
good=$here/../../selftests/wireshark/reduction.pcap

# decode STATUS WORD..: run "hcctl WORD..", whose exit status must be STATUS. Its output goes to the files "out" and
# "err".
decode() {
	local status=$1 got
	shift
	"$hcctl" "$@" >out 2>err
	got=$?
	echo "# status $got, wanted $status" >>err
	[[ $1 != -j ]] || record
	((got == status))
}
# record: append each line of the file "out" to the file HC_RECORDS, as the output of decode
record() { [[ ! ${HC_RECORDS-} ]] || sed 's/^/decode\t/' out >>"$HC_RECORDS"; }
# complaints: print the errors and warnings of the last decode, without the line about the status
complaints() { grep -v '^# status' err; }
# captures KIND: write a changed copy of the recording to the file "capture"; decode_captures.py lists the kinds
captures() { python3 "$here/decode_captures.py" "$good" "$@" >capture; }

decode 0 decode "$good" </dev/null && [[ ! $(complaints) ]]
result $? 'a recording'
cp out good.out
[[ $(head -1 out) == '21:58:23.351329 5 > 1 dim 2 data reduce sum u32 plan 1 epoch 1 op 0 stage 0 offset 0 of 400 length 256 step 1' ]]
result $? 'its first line'
[[ $(awk '{ print $7 }' out | sort | uniq -c | tr -s ' \n' ' ') == ' 42 ack 12 data 47 end 6 fault 14 lsa 22 path 11 stop ' ]]
result $? 'its types'
grep -qE '^[0-9:.]+ 0 > 4 dim 2 path .* routed from 2 to 5 walked 8$' out
result $? 'a frame that is routed'

decode 0 -j decode "$good" </dev/null && [[ ! $(complaints) && $(wc -l <out) == $(wc -l <good.out) ]]
result $? 'JSON has a line for each'
jq -es 'map(select(.type == "data" and .to == 0)) | map(.length) | add == 1200' out >/dev/null
result $? 'bytes to the sink'
jq -es 'all(.dim < 3 and .from != .to and .fabric_id == 11953 and .at_s >= 1795903103 and .at_s <= 1795903107 and (has("wrong") | not))' out >/dev/null
result $? 'what JSON says'
jq -r 'select(.type == "data") | "\(.from) > \(.to) dim \(.dim) data \(.collective) \(.operator) \(.data_type) plan \(.plan) epoch \(.epoch) op \(.op) stage \(.stage) offset \(.offset) of \(.total) length \(.length) step \(.step)"' \
	out >fields
diff fields <(grep ' data ' good.out | cut -d ' ' -f 2-) >err
result $? 'JSON and text say the same'

for words in decode 'decode -'; do
	# shellcheck disable=SC2086
	decode 0 $words <"$good" && cmp out good.out
	result $? "standard input: $words"
done
{ head -c 100 "$good" && tail -c +101 "$good"; } | decode 0 decode && cmp out good.out
result $? 'a pipe'
captures swapped && decode 0 decode capture && cmp out good.out
result $? 'the other byte order'
captures nanoseconds && decode 0 decode capture && cmp out good.out &&
	decode 0 -j decode capture && jq -es 'all(.at_ns % 1000 == 7) and .[0].at_ns == 351329007' out >/dev/null
result $? 'nanoseconds'
captures short && decode 0 decode capture && [[ $(wc -l <out) == $(wc -l <good.out) ]] &&
	! grep -v ': not all of it was captured$' out >err && decode 0 -j decode capture
result $? 'short frames'
captures mixed && decode 0 decode capture && (($(wc -l <out) * 2 == $(wc -l <good.out))) &&
	[[ $(complaints) == 'hcctl: warning: 77 of 154 frames are not of a monitor interface: left out' ]]
result $? 'frames of others between them'
head -c 24 "$good" >capture && decode 0 decode capture && [[ ! -s out && ! $(complaints) ]]
result $? 'a capture of nothing'

# refused PATTERN WORD..: "hcctl decode WORD.." must fail with a one-line error that matches PATTERN. The exit status
# must be 2 for wrong words, and 1 for a wrong file.
refused() {
	local pattern=$1 status=1
	[[ $pattern != missing* && $pattern != what* ]] || status=2
	shift
	decode $status decode "$@" && [[ $(complaints | wc -l) == 1 ]] && complaints | grep -qE "^hcctl: $pattern"
	result $? "refused: $*: $pattern"
}
refused 'cannot read nothing: No such file' nothing
refused 'cannot read /: ' /
printf 'no capture at all, but longer than the head of one' >text
refused 'cannot read text: unknown file format' text
: >empty
refused 'cannot read empty: truncated' empty
head -c 20 "$good" >cut.pcap
refused 'cannot read cut.pcap: truncated' cut.pcap
captures cooked
refused 'cannot read capture: it is not an Ethernet capture' capture
captures other
refused 'capture has no frames of a monitor interface' capture
refused 'what is "more"' "$good" more
decode 1 -j decode text && [[ $(complaints | jq -r .error) == 'cannot read text: unknown file format' ]]
result $? 'a refusal in JSON'
head -c 3000 "$good" >cut.pcap
decode 1 decode cut.pcap && [[ $(complaints | wc -l) == 1 ]] && cmp out <(head -"$(wc -l <out)" good.out) && [[ -s out ]]
result $? 'a capture that ends too soon: what is there is printed'

# Whatever a file contains, decode must end, with the exit status 0 or 1, and print at most one complaint.
python3 "$here/decode_captures.py" "$good" mutated 200
bad=''
for file in mutated.*; do
	timeout 20 "$hcctl" decode "$file" >out 2>err
	status=$?
	((status <= 1)) && (($(wc -l <err) <= 1 && $(wc -l <out) <= 200)) || bad+=" $file: status $status"
	timeout 20 "$hcctl" -j decode "$file" >out 2>err
	(($? == status)) || bad+=" $file: another status in JSON"
	record
done
echo "$bad" >err
[[ ! $bad ]]
result $? '200 captures with bytes changed and cut off'

echo "1..$nr"
((failed == 0))
