# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by the scripts that give hcctl commands.
# Words and outputs in JSON go to the file HC_RECORDS as well, if that is set: for schema_test.py.

# shellcheck source=ctl/tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck disable=SC2034
logs=(out err)

# try STATUS STDOUT STDERR WORD..: patterns for grep -E; '-' wants nothing at all.
# An error never has more than one line.
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

# json FILTER WORD..: status 0 and jq -e FILTER holds for the output
json() {
	local filter=$1 bad=0
	shift
	"$hcctl" -j "$@" >out 2>err </dev/null || bad=1
	[[ ! ${HC_RECORDS-} ]] || { printf '%s\t' "$*"; tr -d '\n' <out; echo; } >>"$HC_RECORDS"
	jq -e "$filter" out >/dev/null 2>>err || bad=1
	result $bad "hcctl -j $*: $filter"
}
