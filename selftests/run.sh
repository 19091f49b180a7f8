#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: run.sh [PROGRAM..]
#
# Runs all tests of this folder, or the given ones, as root on a machine with the module loaded.
# Checks the kernel's log after each program. Prints KTAP; the exit status is 1 if a test failed.
#
# A program with the line "Scheduling: shared" runs at the same time as others, HC_LANES of them (4;
# 2 on a kernel with debugging, 1 on one processor); a shared script has a network namespace of its
# own. The other programs run alone, after the shared ones. So do the tests that a shared script
# lists in "alone", under the name NAME:alone. A complaint in the kernel's log fails all programs
# that were running. The order of the output is the same in every run.
#
# HC_PART=shared or HC_PART=alone: run only the shared programs or only the others, so that two
# machines can share the work. In this case the programs with the keyword "second" belong to
# "alone".
#
# HC_OF=WORD, HC_WITHOUT=WORD: run only the programs with, or without, this keyword after
# "Scheduling:". HC_EACH=K/N: of the programs that remain, run the K-th and each N-th after it.
#
# HC_AGAIN=yes: run a program that fails once more, alone or beside one other program, unless it has
# crashed or made the kernel complain; then the second result counts (tools/tally).
#    HC_DEADLINE=S: skip programs that would begin later than S seconds after the first one.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1
# shellcheck source=selftests/lib/lib.sh
. ./lib/lib.sh

# limit PROGRAM [shared]: prints the seconds that the program may take; kernels with debugging are
# several times slower
limit() {
	local seconds=300
	[[ ! $2 || $debug ]] || seconds=450
	[[ $1 != failslab.sh ]] || seconds=600
	# Long programs that run at the same time slow each other down.
	[[ ! $debug ]] || ((seconds *= 4, seconds += 100))
	((seconds >= ${HC_TEST_TIMEOUT:-0})) || seconds=$HC_TEST_TIMEOUT
	echo "$seconds"
}

# complaints PROGRAM: prints complaints in the kernel's log since PROGRAM began, or all complaints
# if the log has lost the mark of the beginning
complaints() {
	local log mark="hypercube-selftests: begin $1\$"
	log=$(dmesg)
	grep -q "$mark" <<<"$log" && log=$(sed "1,/$mark/d" <<<"$log")
	grep -E "$trouble" <<<"$log" |
		grep -vE 'BUG: KCSAN: [^[]*$'
}

# Begins each shared script: in its network namespace, /sys must be mounted again to show the
# interfaces of this namespace.
# shellcheck disable=SC2016
apart='mount -t sysfs sysfs /sys && mount -t debugfs debugfs /sys/kernel/debug
	mount -t tracefs tracefs /sys/kernel/tracing
	ip link set lo up
	exec "$0"'

# group_of GROUP: prints the processes of this process group
group_of() {
	local stat fields
	for stat in /proc/[0-9]*/stat; do
		{ stat=$(<"$stat"); } 2>/dev/null || continue
		read -ra fields <<<"${stat##*) }"
		[[ ${fields[0]} == Z || ${fields[2]} != "$1" ]] || echo "${stat%)*})"
	done
}

# left_behind GROUP: prints and kills the processes of the group that still exist a second after the
# program has ended
left_behind() {
	local i left
	for ((i = 0; i < 20; i++)); do
		kill -0 -- "-$1" 2>/dev/null || return 1
		sleep 0.05
	done
	left=$(group_of "$1")
	[[ $left ]] || return 1
	printf '# it has left a process behind: %s\n' "${left//$'\n'/, }"
	kill -KILL -- "-$1"
}

# contained SECONDS COMMAND..: runs COMMAND for at most SECONDS, and ends the processes that it
# leaves behind, which would otherwise keep the output open for ever
contained() {
	local status group=$work/$BASHPID.group
	(
		echo "$BASHPID" >"$group"
		exec timeout -k 5 "$@" </dev/null 2>&1
	)
	status=$?
	! left_behind "$(<"$group")" || ((status)) || status=5
	rm "$group"
	return "$status"
}

# attempt PROGRAM [shared]: runs PROGRAM once, and prints its output, then the complaints of the
# kernel
attempt() {
	local name=$1 status said command=("./${1%:*}")
	[[ ! $2 || $name != *.sh ]] || command=(env HC_TURN=beside unshare -nm bash -c "$apart" "${command[@]}")
	[[ $name != *:alone ]] || command=(env HC_TURN=alone "${command[@]}")
	echo "hypercube-selftests: begin $name" >/dev/kmsg
	contained "$(limit "$name" "$2")" "${command[@]}" |
		while IFS= read -r said; do printf '    %s\n' "$said"; done
	status=${PIPESTATUS[0]}
	said=$(complaints "$name")
	[[ $said ]] || return "$status"
	printf '# the kernel complained:\n%s\n' "$said" | head -20
	return 3
}

# again STATUS: is a program that ended with this status run once more?
# late: has the time of HC_DEADLINE passed?
again() { [[ ${HC_AGAIN-} && $1 != [0345] ]] && (($1 < 124)) && ! late; }
late() { [[ ${HC_DEADLINE-} ]] && ((SECONDS >= HC_DEADLINE)); }

# run NUMBER PROGRAM [shared]: runs PROGRAM, once more if necessary, and prints the results of its
# tests, then its own result
run() {
	local name=$2 begin=$EPOCHREALTIME status before after
	spent before
	echo "# $name"
	if late; then
		echo "ok $1 $name # SKIP there is no time left"
		return
	fi
	attempt "$name" "${3-}"
	status=$?
	if again "$status"; then
		echo "# $name ended with status $status: once more"
		attempt "$name" "${3-}"
		status=$?
	fi
	spent after
	printf '# %s took %d s, of a processor %d\n' "$name" $(((${EPOCHREALTIME/./} - ${begin/./}) / 1000000)) \
		$(((after - before + 500) / 1000))
	case $status in
	0) echo "ok $1 $name" ;;
	4) echo "ok $1 $name # SKIP" ;;
	124 | 137) echo "not ok $1 $name # it took too long"; return 1 ;;
	*) echo "not ok $1 $name # status $status"; return 1 ;;
	esac
}

# show: prints the outputs of programs in the order of their numbers, up to the first program that
# has not ended
show() {
	while [[ -e $work/$((shown + 1)).status ]]; do
		cat "$work/$((++shown)).out"
		((failed += $(<"$work/$shown.status")))
	done
}

# start NUMBER PROGRAM: waits until a lane is free, and runs PROGRAM in it
start() {
	while (($(jobs -rp | wc -l) >= lanes)); do
		wait -n
		show
	done
	{
		run "$@" shared >"$work/$1.out"
		echo $? >"$work/$1.new"
		mv "$work/$1.new" "$work/$1.status"
	} &
}

mapfile -t shared < <(scheduled shared)
shares() { [[ " ${shared[*]} " == *" $1 "* ]]; }

# arranged PROGRAM..: prints the programs in the order in which they run: the shared ones, then the
# tests of shared scripts that run alone, and the other programs
arranged() {
	case ${HC_PART-} in
	shared) sharing "$@" | chosen second -v ;;
	alone) not_sharing "$@"; sharing "$@" | chosen second ;;
	*) sharing "$@"; not_sharing "$@" ;;
	esac
}

sharing() {
	local name
	for name in "${shared[@]}"; do
		[[ " $* " != *" $name "* ]] || echo "$name"
	done
}

not_sharing() {
	local name
	for name; do
		if ! shares "$name"; then
			echo "$name"
		elif grep -qs '^alone=(' "$name"; then
			echo "$name:alone"
		fi
	done
}

# chosen WORD [-v]: filters names of programs on standard input: passes those with this keyword
# after "Scheduling:", or with -v those without it
chosen() { if [[ $1 ]]; then grep -xF ${2+"$2"} -f <(scheduled "$1"); else cat; fi; }

# each K/N: prints every N-th line of standard input from the K-th on, or all lines without an
# argument
each() { if [[ $1 ]]; then awk -v k="${1%/*}" -v n="${1#*/}" '(NR - k) % n == 0'; else cat; fi; }

mapfile -t programs < <(listed | chosen "${HC_OF-}" | chosen "${HC_WITHOUT-}" -v | each "${HC_EACH-}")
(($# == 0)) || programs=("$@")
lanes=${HC_LANES:-$(($(nproc) == 1 ? 1 : ${#debug} ? 2 : 4))}
[[ $lanes == 1 && ! ${HC_PART-} ]] || mapfile -t programs < <(arranged "${programs[@]}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# fell PID: kills the process and all its descendants, as Ctrl-C does not reach them
fell() {
	local child
	for child in $(pgrep -P "$1"); do fell "$child"; done
	kill -TERM "$1" 2>/dev/null
}
# shellcheck disable=SC2317
leave() {
	local lane
	trap - INT TERM
	for lane in $(jobs -rp); do fell "$lane"; done
	wait
	exit 130
}
trap leave INT TERM
# Busybox's modprobe does not wait for a module that another process is loading.
for module in veth dummy bridge macvlan 8021q sch_netem tls; do modprobe -q "$module"; done
export HC_TEST_TIMEOUT=${HC_TEST_TIMEOUT:-$([[ $debug ]] && echo 400 || echo 90)}
echo 'KTAP version 1'
echo "1..${#programs[@]}"
number=0 failed=0 shown=0
for program in "${programs[@]}"; do
	if ((lanes > 1)) && shares "$program"; then
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
