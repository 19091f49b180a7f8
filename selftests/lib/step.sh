# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Steps of a run of tests, whose logs in $logs selftests/tools/tally sums, with the time that each took. To be sourced.

once_more=''
# step NAME COMMAND..: a step that says nothing in TAP is one test.
step() {
	local name=$1 log=$logs/$1.log status TIMEFORMAT="# $1 took %0R s, of a processor %0U, %0S more in the kernel"
	shift
	echo "== $name: $*"
	{ [[ ! $once_more ]] || echo "$once_more"; time "$@"; } </dev/null 2>&1 | tee "$log"
	status=${PIPESTATUS[0]}
	if ((status)); then
		if ((status >= 123)) || ! grep -qE '^[# ]*not ok ' "$log"; then
			echo "not ok 1 $name (status $status)" | tee -a "$log"
		fi
	elif ! grep -qE '^[# ]*(ok|not ok) |^[# ]*1\.\.' "$log"; then
		echo "ok 1 $name" | tee -a "$log"
	fi
	return "$status"
}
