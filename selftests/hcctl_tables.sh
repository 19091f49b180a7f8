#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# The text of lists: a header, columns below it, and the same values as the JSON. On a terminal of
# any width the text is the same, but in colors, unless these are switched off.
#
# Scheduling: shared second

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

# Checks each row: it has as many fields as the header, and each field begins or ends in the same
# column as its header field.
# shellcheck disable=SC2016
aligned='
function take(line, begin, end,  n, at, len) {
	at = 1
	while (match(line, /[^ ]+( [^ ]+)*/)) {
		len = RLENGTH
		n++
		begin[n] = at + RSTART - 1
		end[n] = begin[n] + len - 1
		at = end[n] + 1
		line = substr(line, RSTART + len)
	}
	return n
}
/ $/ { print "blanks at the end of: " $0 }
NR == 1 { columns = take($0, begin, end); if ($0 !~ /^ *[A-Z]/) print "no header: " $0; next }
{
	if (take($0, b, e) != columns) print "not " columns " fields: " $0
	for (i = 1; i <= columns; i++)
		if (b[i] != begin[i] && e[i] != end[i]) print "field " i " is not below its header: " $0
}
END { if (NR < 2) print "no rows" }'

prepare() {
	check 'add' hcctl fabric add t dim 4
	check 'another' hcctl fabric add other dim 1
	check 'a node' hcctl node set t 13 fail
	check 'links' hcctl link set t 3:0,10:1 down
	check 'impairments' hcctl link set t 0:2 delay 5ms jitter 1ms loss 1% seed 3
	check 'plans' hcctl tree find fabric t apply
	check 'plans' hcctl bcast plan fabric t source 5 apply
	check 'a broken one' hcctl tree find fabric t subcube 00XX sink 0 apply plan 7
	check 'break it' hcctl link set t 0:0 down
}

lists=('fabric show' 'fabric list' 'node show t' 'node show t 13,2' 'link show t' 'link show t 0:2,3' 'fault show t' 'plan show t'
	'tree ls t' 'route show t 9' 'route show t 9 13')

test_lists_are_printed_as_aligned_tables() {
	local list said
	prepare
	for list in "${lists[@]}"; do
		# shellcheck disable=SC2086
		said=$(hcctl $list | awk "$aligned")
		[[ ! $said ]] || fault "$list: $said"
	done
}

pending() { [[ $(hcctl -j op show t) != '[]' ]]; }

test_pending_operations_are_printed_as_aligned_tables() {
	local said
	check 'add' hcctl fabric add t dim 2
	check 'plan' hcctl tree find fabric t sink 0 apply
	equal 'at rest' 'no operation is pending' "$(hcctl op show t)"
	background "$here/hc_load" hold t 1 0 1
	check 'two wait' busywait 5 pending
	hcctl op show t >"$scratch/ops"
	said=$(sed '/^$/,$d' "$scratch/ops" | awk "$aligned"; sed '1,/^$/d' "$scratch/ops" | awk "$aligned")
	[[ ! $said ]] || fault "$said"
}

# column NAME LIST..: prints the column with the header NAME of what "hcctl LIST.." prints
column() {
	hcctl "${@:2}" | awk -v name="$1" '
		{ gsub(/^ +/, ""); n = split($0, field, /  +/) }
		NR == 1 { for (i = 1; i <= n; i++) if (field[i] == name) at = i; next }
		{ print field[at] }' | paste -sd' '
}

test_table_cells_equal_json_values() {
	prepare
	equal 'fabrics' "$(json '[.[].name] | join(" ")' fabric show)" "$(column NAME fabric show)"
	equal 'nodes of fabrics' "$(json '[.[].nodes | tostring] | join(" ")' fabric show)" "$(column NODES fabric show)"
	equal 'links' "$(json '[.[] | "\(.node):\(.dim)"] | join(" ")' link show t)" "$(column LINK link show t)"
	equal 'states' "$(json '[.[].state | if . == [] then "up" else join(",") end] | join(" ")' link show t)" \
		"$(column STATE link show t)"
	equal 'impairments' 'loss 1% delay 5ms jitter 1ms seed 3 model-latency' "$(column IMPAIRMENTS link show t 0:2 | grep -o '^loss.* model-latency')"
	equal 'endpoints' "$(json '[.[].ifname] | join(" ")' node show t)" "$(column IFNAME node show t)"
	equal 'the failed node' 'FAILED ok' "$(column STATE node show t 13,2)"
	equal 'faults' "$(json '[(.nodes[] | tostring), (.links[] | "\(.node):\(.dim)")] | join(" ")' fault show t)" \
		"$(column NUMBER fault show t)"
	equal 'plans' "$(json '[.[].plan | tostring] | join(" ")' plan show t)" "$(column PLAN plan show t)"
	equal 'broken ones' "$(json '[.[] | select(.broken).plan | tostring] | join(" ")' plan show t)" \
		"$(hcctl plan show t | awk '/ BROKEN by / { print $1 }' | paste -sd' ')"
	equal 'ways' "$(json '[.[].path | map(tostring) | join(",")] | join(" ")' route show t 9 2)" "$(column PATH route show t 9 2)"
	equal 'no way' 'no healthy path' "$(column PATH route show t 9 13)"
}

test_empty_lists_print_nothing() {
	equal 'fabrics' '' "$(hcctl fabric show)"
	check 'add' hcctl fabric add t dim 2
	equal 'faults' '' "$(hcctl fault show t)"
	equal 'plans' '' "$(hcctl plan show t)"
}

# seen VARIABLE=VALUE.. -- WORD..: runs hcctl WORD.. on a terminal with these environment variables,
# and prints what the terminal gets
seen() {
	local environment=()
	while [[ $1 != -- ]]; do
		environment+=("$1")
		shift
	done
	env -u NO_COLOR TERM=linux "${environment[@]}" "$here/hc_tty" 20000 hcctl "${@:2}" | tr -d '\r'
}
plain() { sed $'s/\e\\[[0-9]*m//g'; }

test_terminal_gets_the_same_text_in_colors() {
	local list
	prepare
	for list in 'fabric show' 'node show t 13,2' 'link show t 3,0:2' 'plan show t' 'fault show t'; do
		# shellcheck disable=SC2086
		hcctl $list >"$scratch/plain"
		# shellcheck disable=SC2086
		check "$list" cmp "$scratch/plain" <(seen COLUMNS=20 -- $list | plain)
		# shellcheck disable=SC2086
		check "$list without colors" cmp "$scratch/plain" <(seen NO_COLOR=1 -- $list)
		# shellcheck disable=SC2086
		check "$list, never" cmp "$scratch/plain" <(seen A=a -- -c=never $list)
		# shellcheck disable=SC2086
		seen A=a -- $list | grep -q $'\e\\[3[126]m' || fault "$list has no colors"
	done
	hcctl -c link show t 3:0,2:2 | grep -q $'\e\\[31mdown\e\\[0m' || fault 'down is not red'
	hcctl -c link show t 3:0,2:2 | grep -q $'\e\\[32mup\e\\[0m' || fault 'up is not green'
	hcctl -c fabric show t | grep -q $'\e\\[36mt\e\\[0m' || fault 'a name is not cyan'
	hcctl -c node show t 13 | grep -q $'\e\\[31mFAILED\e\\[0m' || fault 'a failed node is not red'
	hcctl -c -j node show t | grep -q $'\e' && fault 'JSON has colors'
	return 0
}

run_tests
