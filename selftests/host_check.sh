#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: host_check.sh BUILD-FOLDER
# What can be said of the tests without a VM, as TAP: the lists are complete, and the tally that
# sums up their results tells good from bad.

set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${1:?usage: host_check.sh BUILD-FOLDER}
# shellcheck source=selftests/lib.sh
. "$here/lib.sh"
number=0 failed=0

result() {
	local status=$? said=ok
	if ((status)); then
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

tests=(every_program_is_there every_file_is_listed tally_counts_members_not_groups
	tally_sees_a_failure_in_a_group tally_sees_a_group_that_died)
echo 'TAP version 13'
echo "1..${#tests[@]}"
for name in "${tests[@]}"; do
	"$name"
	result "${name//_/ }"
done
((failed == 0))
