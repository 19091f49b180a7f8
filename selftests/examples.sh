#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# The commands of README and of the manual are executed as if typed line by line. Each must succeed,
# the files that it writes must exist at the end, and a recording must not be empty.
#
# Scheduling: shared long

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

list=$here/examples.list
[[ -e $list ]] || skip_all 'there is no list of commands'

# written COMMAND: adds the files that COMMAND writes, with options -o and -w and with redirections,
# to $files; "-" is not a file
written() {
	local rest=$1
	while [[ $rest =~ (-o|-w|>)' '?([^' >|&;']+) ]]; do
		[[ ${BASH_REMATCH[2]} == - ]] || files+=("${BASH_REMATCH[2]}")
		rest=${rest#*"${BASH_REMATCH[0]}"}
	done
}

# recorded FILE: is a JSON file valid, and does a trace have frames, or a capture packets? True for
# other files.
recorded() {
	case $1 in
	*.json)
		"$here/hc_json" . <"$1" >/dev/null || return
		! grep -q '"traceEvents"' "$1" || grep -qE '"ph": ?"b"' "$1"
		;;
	*.pcap) [[ $(tcpdump -r "$1" -c 1 2>/dev/null) ]] ;;
	esac
}

# begins COMMAND HEARERS: waits until the background COMMAND has begun. If it is a tcpdump, it waits
# until more than HEARERS tcpdumps have printed that they listen; for other commands it waits a
# fixed time.
begins() {
	local end=$((SECONDS + 10 * slow))
	if [[ $1 != tcpdump* ]]; then
		sleep "$slow"
		return
	fi
	until (($(hearers) > $2 || SECONDS > end)); do sleep 0.05; done
}
hearers() { grep -c listening "$scratch/said"; }

# type_in: executes the commands of one text in one shell, as when they are typed, and prints
# errors. After a command in the background the shell waits until the command has begun, as a user
# would.
type_in() {
	local who command files=() file before=0
	set -m -o pipefail
	while IFS=$'\t' read -r who command; do
		echo "\$ $command" >>"$scratch/said"
		written "$command"
		[[ $command != tcpdump* ]] || before=$(hearers)
		case $who in
		'#') eval "$command" ;;
		'$') setpriv --reuid 65534 --regid 65534 --clear-groups bash -o pipefail -c "$command" ;;
		esac </dev/null >>"$scratch/said" 2>&1 || echo "\"$command\" failed: $(tail -n 1 "$scratch/said")"
		[[ $command != *'&' ]] || begins "$command" "$before"
	done
	kill %% >/dev/null 2>&1
	for file in "${files[@]}"; do
		[[ -s $file ]] || { echo "nothing was written to $file"; continue; }
		recorded "$file" || echo "nothing was recorded in $file"
	done
	return 0
}

# play TEXT LINES: makes the state that TEXT needs, and types LINES in it; sets $said to the errors
play() {
	export -f type_in written recorded begins hearers
	export scratch slow here
	graphviz
	: >"$scratch/said"
	rm -rf "$scratch/here"
	mkdir -m 777 "$scratch/here"
	[[ -d /out ]] || mkdir /out
	[[ $2 != *'hcctl trace '* ]] || one_processor
	if [[ $2 != *'hcctl fabric add hc0 '* ]]; then
		check 'a fabric' hcctl fabric add hc0 dim 4
		check 'a plan' hcctl tree find fabric hc0 apply
	fi
	said=$(cd "$scratch/here" && PATH=$scratch/bin:$PATH timeout $((40 * slow)) bash -c type_in <<<"$2" 2>>"$scratch/said") ||
		said="it hangs after: $(tail -n 1 "$scratch/said")"
}

# dot(1) is not in the virtual machine. A script replaces it, which copies its input if that is a
# graph.
graphviz() {
	[[ ! -d $scratch/bin ]] || return
	mkdir "$scratch/bin"
	# shellcheck disable=SC2016
	printf '#!/bin/sh\ngrep -q "^\\(di\\)\\?graph" "$2" && cat "$2"\n' >"$scratch/bin/dot"
	chmod 755 "$scratch" "$scratch/bin" "$scratch/bin/dot"
}

# commands_of: maps a text's name to its commands, one per line; texts: the names in order
declare -A commands_of=()
texts=()
while IFS=$'\t' read -r text who command; do
	[[ ${commands_of[$text]+set} ]] || texts+=("$text")
	[[ $who != host ]] || command=''
	commands_of[$text]+=${command:+$who$'\t'$command$'\n'}
done <"$list"

# try TEXT: types the commands of TEXT
try() {
	local said
	[[ ${commands_of[$1]} ]] || fault "no commands of $1"
	play "$1" "${commands_of[$1]%$'\n'}"
	[[ ! $said ]] || fault "$said; all that was said: $(cat "$scratch/said")"
}

test_commands_of_README_succeed() { try README; }

# seen WHAT LINE..: types these lines, which are wrong, and checks that the error message has WHAT
seen() {
	local said what=$1
	play wrong "$(printf '%s\n' "${@:2}")"
	[[ $said == *"$what"* ]] || fault "\"${*:2}\" passed: \"$said\", not \"$what\""
	tidy_up
}

test_wrong_command_in_examples_is_detected() {
	seen failed $'#\thcctl link show nope'
	seen failed $'#\thcctl run reduce hc0 op sume'
	seen failed $'$\thcctl link set hc0 0:0 down'
	seen failed $'#\thcctl -j fabric del hc1 | jq .'
	seen failed $'#\thcctl monitor fabric nope &' $'#\twait %hcctl'
	seen 'nothing was written to never.svg' $'#\ttrue -o never.svg'
	seen 'nothing was recorded in idle.json' $'#\thcctl trace hc0 -o idle.json duration 10ms'
	seen '' $'#\thcctl fabric show'
	equal 'of a good command' '' "$said"
}

# Tracing needs the machine for itself.
alone=(test_wrong_command_in_examples_is_detected)
for text in "${texts[@]}"; do
	name=test_commands_of_${text//[.-]/_}_succeed
	[[ ${commands_of[$text]} != *'hcctl trace '* ]] || alone+=("$name")
	[[ $text != README ]] || continue
	eval "$name() { try $text; }"
done
run_tests
