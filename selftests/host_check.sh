#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: host_check.sh BUILD-FOLDER
# Checks of the tests without a VM, as TAP: the lists are complete, and the tally that sums up their results tells good
# from bad.

set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${1:?usage: host_check.sh BUILD-FOLDER}
# shellcheck source=selftests/lib/lib.sh
. "$here/lib/lib.sh"
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

every_program_is_there() {
	local name
	for name in $(listed); do
		[[ -x $here/$name || -x $build/$name ]] || { log "no program $name"; return 1; }
	done
}

every_file_is_listed() { make -s --no-print-directory -C "$here" OUTPUT="$build" listed; }

# tallied LOG WANTED: what the tally says of a log
tallied() {
	local said
	said=$(printf '%b' "$1" | "$here/tally" /dev/stdin | tail -1)
	[[ $said == "$2" ]] || { log "\"$said\", not \"$2\""; return 1; }
}

tally_counts_members_not_groups() {
	tallied '1..1\n    1..2\n    ok 1 a\n    ok 2 b\nok 1 group\n' '2 passed, 0 failed'
}

tally_sees_a_failure_in_a_group() {
	tallied '1..1\n    1..2\n    ok 1 a\n    not ok 2 b\nnot ok 1 group\n' '1 passed, 1 failed'
}

tally_sees_a_group_that_died() {
	tallied '1..1\n    1..3\n    ok 1 a\nnot ok 1 group\n' '1 passed, 2 failed'
}

tally_forgets_what_is_run_again() {
	tallied '1..2\n    1..3\n    not ok 1 a\n# group ended with status 1: once more\n    1..1\n    ok 1 a\nok 1 group\nok 2 b\n' \
		'2 passed, 0 failed' &&
		tallied '1..1\n    1..1\n    not ok 1 a\n# group ended with status 1: once more\n    1..1\n    not ok 1 a\nnot ok 1 group\n' \
			'0 passed, 1 failed'
}

# dissected FILTER FIELD..: the fields of the frames for which the filter is true, a line each
dissected() {
	local fields=()
	for field in "${@:2}"; do fields+=(-e "hypercube.$field"); done
	tshark -X "lua_script:$here/../Documentation/wireshark/hypercube.lua" -r "${recording:-$here/wireshark/reduction.pcap}" \
		-Y "$1" -T fields "${fields[@]}" 2>/dev/null
}

# The recording: a 3-cube without link 3:1 and node 6 adds up 100 u32 in segments of 256 bytes; then
# node 5 fails and breaks the plan.
the_dissector_reads_a_recorded_reduction() {
	command -v tshark >/dev/null || return 4
	local bad=''
	equal 'frames not understood' '' "$(dissected '!hypercube || _ws.malformed || hypercube.bad_length || hypercube.bad_version' seq)"
	equal 'types' '2 3 4 5' "$(dissected hypercube type | sort -n | uniq | paste -sd' ')"
	equal 'operator and type' '1 3 400' "$(dissected hypercube.type==3 oper dtype total | tr '\t' ' ' | sort -u)"
	equal 'bytes to the sink at the last stage' 400 "$(dissected "hypercube.type==3 && hypercube.to==$(sink) && hypercube.stage==2" len | awk '{ n += $1 } END { print n }')"
	equal 'the cause' '1 2' "$(dissected hypercube.end.broken==1 end.node end.dim | tr '\t' ' ' | sort -u)"
	equal 'the longest walk' '0,2,2,1,0,2,2,0,1,0' "$(dissected hypercube.walk==10 walk.dims | sort -u)"
	equal 'ends of links' '' "$(dissected hypercube from to dim rises |
		awk '{ x = $1 > $2 ? $1 - $2 : $2 - $1 } x != 2 ^ $3 || ($2 > $1) != ($4 == "1" || $4 == "True")')"
	equal 'sequences' '' "$(dissected hypercube from dim seq | sort -n -k1,1 -k2,2 -k3,3 |
		awk '$1 == a && $2 == b && $3 != c + 1; { a = $1; b = $2; c = $3 }')"
	[[ ! $bad ]]
}

# word TYPE TOTAL INDEX [PAYLOAD]: a recording of one frame without data; the payload in hexadecimal
word() {
	local hex payload=${4:-}
	local len=$((${#payload} / 2))
	printf -v hex %s d4c3b2a1020004000000000000000000ffff000001000000 0000000000000000 \
		"$(printf '%02x000000%02x000000' $((118 + len)) $((118 + len)))" 02680001000002680001000188b5 0100000000000001 \
		"$(printf '01%02x0000000000010001000000000001000000010000000100000000000000090000000000000000' "$1")" \
		"$(printf '%016x%08x' "$2" $len)" 000000010000000000000000 0000000000000000 0000 \
		000000000000000000000000 0000 00000000 "$(printf %08x "$3")" "$payload"
	printf %b "$(fold -w 2 <<<"$hex" | sed 's/^/\\x/' | tr -d '\n')"
}

# said WORD-ARGUMENT.. -- FIELD..
said() {
	local words=() recording=-
	while [[ $1 != -- ]]; do words+=("$1"); shift; done
	word "${words[@]}" | dissected '!hypercube.bad_length' "${@:2}" | tr '\t' ' '
}

the_dissector_knows_what_words_count() {
	command -v tshark >/dev/null || return 4
	local bad='' cause=000000050001000200000003
	equal 'DATA' '7 3' "$(said 3 7 3 -- total index)"
	equal 'CREDIT' '9 4' "$(said 6 0 4 -- op taken)"
	equal 'TELL' 5 "$(said 8 0 5 -- taken)"
	equal 'DONE' '7 128' "$(said 4 7 128 -- done.failed done.nfailed)"
	equal 'END' '130 5 2 3 66' "$(said 5 130 0 ${cause}000000030000000000000042 -- end.behind end.status end.dim end.nfailed end.failed)"
	equal 'an old END' '5 ' "$(said 5 0 0 $cause -- end.status end.failed)"
	[[ ! $bad ]]
}

# sink: of the recording: who announces completion first
sink() { dissected hypercube.type==4 from | head -1; }

tests=(every_program_is_there every_file_is_listed tally_counts_members_not_groups
	tally_sees_a_failure_in_a_group tally_sees_a_group_that_died tally_forgets_what_is_run_again
	the_dissector_reads_a_recorded_reduction the_dissector_knows_what_words_count)
echo 'TAP version 13'
echo "1..${#tests[@]}"
for name in "${tests[@]}"; do
	"$name"
	result "${name//_/ }"
done
((failed == 0))
