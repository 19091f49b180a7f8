# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Counts checks of the demonstrations. With passes=1, checks that pass are printed, too.

checks=0 passed=0 passes=''

# check WORDS COMMAND..: runs COMMAND and counts it as the check WORDS, which passes if COMMAND
# succeeds
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
