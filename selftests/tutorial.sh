#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Types the commands of Documentation/tutorial.rst and compares their output with the page; runs the
# program of the page; and checks that the virtual machine has what the page says.
#
# Scheduling: alone

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"
# shellcheck source=selftests/lib/session.sh
. "$here/lib/session.sh"

list=$here/tutorial.list
[[ -e $list ]] || skip_all 'there is no list of commands'

# played LIST: types the commands of LIST; sets $said to the errors
played() {
	mkdir -p /out "$scratch/session"
	said=$(export scratch; timeout $((100 * slow)) bash -c \
		". '$here/lib/session.sh'; cd '$scratch/session'; play '#' ." <"$1" 2>&1) || said+='it takes too long'
}

test_tutorial_commands_print_what_the_page_shows() {
	local said
	one_processor
	played "$list"
	equal 'faults' '' "$said"
}

# shown_of_the_program: prints what the page shows below the command that runs the program
shown_of_the_program() { awk -F '\t' '$1 != "=" { on = /sh try\.sh$/; next } on { print $2 }' "$list"; }

test_tutorial_program_survives_a_failed_link() {
	local shown
	shown=$(shown_of_the_program)
	[[ $shown == *'fault'* ]] || fault "the page shows: $shown"
	mkdir -p "$scratch/bin"
	ln -sf "$here/tutorial_sums" "$scratch/bin/sums"
	PATH=$scratch/bin:$PATH timeout $((60 * slow)) sh "$here/tutorial.try" >"$scratch/said" 2>&1 ||
		fault "status $?"
	as_shown "$shown"$'\n' "$scratch/said" || fault "it printed $(<"$scratch/said")"
}

# page NAME PATTERN: checks that man shows the manual page, and that a line of it matches PATTERN
page() { man "$1" 2>"$scratch/said" | sed $'s/.\b//g' | grep -q -- "$2" || fault "man $1: $(<"$scratch/said")"; }

test_virtual_machine_has_tools_the_tutorial_names() {
	local name
	[[ -e /etc/hypercube-vm/settings ]] || { skip 'this is another machine'; return; }
	page hcctl '^NAME'
	page hcctl-tree 'communication trees'
	page hypercube 'AF_HYPERCUBE\|sockets'
	page libhypercube-plan hcl_plan_install
	equal 'complaints of man' '' "$(<"$scratch/said")"
	check 'a search' grep -q '^hcctl-tree(8)' <(apropos tree)
	equal pager less "$(bash -c '. ~/.bashrc; echo $PAGER')"
	equal 'completion' 'tree trace trunk' "$(complete_as hcctl tr)"
	equal 'completion' find "$(complete_as hcctl tree f)"
	for name in hcctl ip bridge tc ss ethtool ping tcpdump jq strace less; do
		command -v $name >/dev/null || fault "no $name"
	done
	[[ -d /out ]] || fault 'no /out'
}

# complete_as WORD..: prints the words with which the shell of the machine completes the last WORD
complete_as() {
	bash -c '. ~/.bashrc; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _hcctl; echo "${COMPREPLY[*]}"' - "$@"
}

# wrong WHAT LINE..: plays LINEs, whose expected output differs from the real output, and checks
# that the report has WHAT
wrong() {
	local what=$1 said
	printf '%b\n' "${@:2}" >"$scratch/list"
	played "$scratch/list"
	[[ $said == *"$what"* ]] || fault "\"${*:2}\": \"$said\", not \"$what\""
}

test_session_that_differs_from_page_is_detected() {
	local said
	wrong 'page shows' '#\techo a' '=\tb'
	wrong 'page shows' '#\techo a'
	wrong 'page shows' '#\ttrue' '=\ta'
	wrong 'page shows' '#\tprintf "a\\nb\\nc\\n"' '=\ta' '=\t..' '=\td'
	wrong 'page shows' '#\techo axc' '=\ta.c'
	wrong 'page shows' '#\tprintf "a b\\nc\\n"' '=\ta ..c'
	wrong 'ended with status 1' '#\tfalse'
	wrong 'ended with status 1' '#\thcctl link show nope' '=\t..'
	wrong 'no commands' '$\techo a'
	printf '%b\n' '#\tprintf "a (x) d\\nb\\nc\\n"' '=\ta ..) d' '=\t..' '=\tc' '=\t..' '#\ttrue' >"$scratch/list"
	played "$scratch/list"
	equal 'of a good session' '' "$said"
}

run_tests
