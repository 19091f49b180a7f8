# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For the demonstrations: counts checks. With passes=1 those that pass are named, too.

checks=0 passed=0 passes=''

# check WORDS COMMAND..: counts COMMAND as a check named WORDS
check() {
	local what=$1
	shift
	checks=$((checks + 1))
	if "$@"; then
		passed=$((passed + 1))
		[[ ! $passes ]] || echo "   ok: $what"
	else
		echo "   NOT OK: $what"
	fi
}
