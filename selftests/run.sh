#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: run.sh [PROGRAM..]
# Runs all tests of this folder, or the ones named, as root on a machine with the module loaded,
# and looks into the kernel's log after each. KTAP on standard output; status 1 if one failed.
#
# Programs that the Makefile lists as TEST_SHARED run side by side, as many as HC_LANES says (2; 1 on
# one processor), the others alone, behind them. A complaint of the kernel counts for all that ran
# when it came. The output is in the same order in every run.
#
# HC_AGAIN=yes: a program that fails, and neither dies nor makes the kernel complain, is run once more, alone or beside
# another; the second result counts (selftests/tally). HC_DEADLINE=S: none is begun later than S seconds
# after the first; it is skipped.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1
# shellcheck source=selftests/lib.sh
. ./lib.sh

# limit PROGRAM: seconds that it may take; kernels with debugging are several times slower.
limit() {
	local seconds=300
	[[ $1 != failslab.sh ]] || seconds=600
	[[ ! $debug ]] || ((seconds *= 4))
	echo "$seconds"
}

complaints() {
	dmesg | sed "1,/hypercube-selftests: begin $1\$/d" | grep -E "$trouble" |
		grep -vE 'BUG: KCSAN: [^[]*$'
}

# attempt PROGRAM: its output, then a line that says what the kernel complained of, if it did
attempt() {
	local name=$1 status said
	echo "hypercube-selftests: begin $name" >/dev/kmsg
	timeout -k 5 "$(limit "$name")" "./$name" </dev/null 2>&1 |
		while IFS= read -r said; do printf '    %s\n' "$said"; done
	status=${PIPESTATUS[0]}
	said=$(complaints "$name")
	[[ $said ]] || return "$status"
	printf '# the kernel complained:\n%s\n' "$said" | head -20
	return 3
}

# again STATUS: shall a program that ended with it be run once more?
again() { [[ ${HC_AGAIN-} && $1 != [034] ]] && (($1 < 124)) && ! late; }
late() { [[ ${HC_DEADLINE-} ]] && ((SECONDS >= HC_DEADLINE)); }

# run NUMBER PROGRAM: prints the result of a program behind those of its tests
run() {
	local name=$2 begin=$EPOCHREALTIME status
	echo "# $name"
	if late; then
		echo "ok $1 $name # SKIP there is no time left"
		return
	fi
	attempt "$name"
	status=$?
	if again "$status"; then
		echo "# $name ended with status $status: once more"
		attempt "$name"
		status=$?
	fi
	printf '# %s took %d s\n' "$name" $(((${EPOCHREALTIME/./} - ${begin/./}) / 1000000))
	case $status in
	0) echo "ok $1 $name" ;;
	4) echo "ok $1 $name # SKIP" ;;
	124 | 137) echo "not ok $1 $name # it took too long"; return 1 ;;
	*) echo "not ok $1 $name # status $status"; return 1 ;;
	esac
}

# Prints what is finished, as far as all before it is.
show() {
	while [[ -e $work/$((shown + 1)).status ]]; do
		cat "$work/$((++shown)).out"
		((failed += $(<"$work/$shown.status")))
	done
}

# start NUMBER PROGRAM: in a lane, when one is free
start() {
	while (($(jobs -rp | wc -l) >= lanes)); do
		wait -n
		show
	done
	{
		run "$@" >"$work/$1.out"
		echo $? >"$work/$1.new"
		mv "$work/$1.new" "$work/$1.status"
	} &
}

mapfile -t shared < <(words_of TEST_SHARED)
shares() { [[ " ${shared[*]} " == *" $1 "* ]]; }

# arranged PROGRAM..: those that share come first
arranged() {
	local name
	for name; do if shares "$name"; then echo "$name"; fi; done
	for name; do if ! shares "$name"; then echo "$name"; fi; done
}

mapfile -t programs < <(listed)
(($# == 0)) || programs=("$@")
mapfile -t programs < <(arranged "${programs[@]}")
lanes=${HC_LANES:-$(($(nproc) > 1 ? 2 : 1))}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HC_TEST_TIMEOUT=${HC_TEST_TIMEOUT:-$([[ $debug ]] && echo 400 || echo 90)}
echo 'KTAP version 1'
echo "1..${#programs[@]}"
number=0 failed=0 shown=0
for program in "${programs[@]}"; do
	if shares "$program" && ((lanes > 1)); then
		start $((++number)) "$program"
		continue
	fi
	wait
	show
	run $((++number)) "$program" || ((++failed))
	((++shown))
done
wait
show
echo "# $((number - failed)) of $number programs passed"
((failed == 0))
