# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Runs the steps of a test run. Each step's output goes to a log in $logs, with the time that the
# step took; selftests/tools/tally sums the logs up. This file is sourced.

once_more=''
# step NAME COMMAND..: runs COMMAND as the step NAME. A COMMAND that prints no TAP counts as one
# test, which passes if its exit status is 0.
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
