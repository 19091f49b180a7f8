# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by the test scripts that run commands of hcctl and check what it prints.
# If the variable HC_RECORDS is set, it names a file. To this file json() appends the words of each command and the
# JSON that was printed; schema_test.py reads it.

# shellcheck source=ctl/tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck disable=SC2034
logs=(out err)

# try STATUS STDOUT STDERR WORD..: run "hcctl WORD..". Its exit status must be STATUS. Its standard output and its
# standard error must match the patterns STDOUT and STDERR, which are for grep -E. The pattern - means that nothing
# may be printed there. Besides warnings, the standard error may have one line at most.
try() {
	local status=$1 out=$2 err=$3 got bad=0
	shift 3
	"$hcctl" "$@" >out 2>err </dev/null
	got=$?
	((got == status)) || bad=1
	matches "$out" out || bad=1
	matches "$err" err || bad=1
	(($(grep -vc 'warning' err) <= 1)) || bad=1
	echo "# status $got, wanted $status" >>err
	result $bad "hcctl $*"
}

matches() {
	if [[ $1 == - ]]; then [[ ! -s $2 ]]; else grep -qE -- "$1" "$2"; fi
}

# json FILTER WORD..: run "hcctl -j WORD..". Its exit status must be 0, and FILTER, which is for "jq -e", must be
# true for the JSON that it prints.
json() {
	local filter=$1 bad=0
	shift
	"$hcctl" -j "$@" >out 2>err </dev/null || bad=1
	[[ ! ${HC_RECORDS-} ]] || { printf '%s\t' "$*"; tr -d '\n' <out; echo; } >>"$HC_RECORDS"
	jq -e "$filter" out >/dev/null 2>>err || bad=1
	result $bad "hcctl -j $*: $filter"
}
