#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# A fabric that spans two machines, which are network namespaces here. Some members begin or
# continue late, while the other members have more data for them than memory should hold.
#
#	a: nodes 0X.. ---- b: nodes 1X..
#
# Scheduling: shared cluster

# shellcheck source=selftests/lib/machines.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/machines.sh"

a='' b=''

# pair DIM SEGMENT: makes both machines with such a fabric, and a trunk
pair() {
	local ns half
	half=$(printf 'X%.0s' $(seq 2 "$1"))
	parameter trunks Y
	namespace a && namespace b || return
	all=("$a" "$b")
	check 'the one part' at "$a" hcctl fabric add t dim "$1" nodes "0$half" segment "$2"
	check 'the other' at "$b" hcctl fabric add t dim "$1" nodes "1$half" segment "$2"
	wire "$a" "$b" 1 && tie "$a" "$b" 1 $(($1 - 1))
	for ns in "${all[@]}"; do
		busywait 10 is_at 0 "$ns" '.[0].links_down' fabric show t || fault "links are down at $ns"
	done
}

tree() { check 'a tree' at "$a" hcctl tree find fabric t sink 0 apply; }

# one_is_late KIND PLAN ROUNDS COUNT: runs all_do twice: first the members of machine a begin late,
# then those of machine b
one_is_late() {
	for late in 0 1; do
		all_do "$@"
	done
	late=''
}

# Messages have many more segments than fit the window. A member may begin even after the time when
# other members probe for it; the other members may have left by then.
test_long_operations_wait_for_late_members() {
	pair 3 1024
	tree
	one_is_late sums 1 1 2000
	lateness=2.2 one_is_late collect 1 1 2000
	check 'a doubling' at "$b" hcctl doubling plan fabric t apply plan 2
	one_is_late sums 2 1 2000
}

# Segments do not fill their pages, and the plan has helpers and a detour across the trunk.
test_operations_around_faults_wait_for_late_members() {
	pair 3 9000
	check 'a link' at "$a" hcctl link set t 1:0 down
	check 'a link' at "$a" hcctl link set t 0:2 down
	busywait 5 is_at 5 "$b" '.[0].fault' node show t 0 || fault 'it is not known'
	tree
	equal 'detours' '[{"from":4,"to":0}]' "$(json_at "$a" '.[0].detours | map({from, to})' plan show t)"
	one_is_late sums 1 1 15000
	one_is_late collect 1 1 15000
}

# children_of PROCESS: prints the children of PROCESS; false if it has none
children_of() {
	local stat child parent status=1
	for stat in /proc/[0-9]*/stat; do
		{ read -r child _ _ parent _ <"$stat"; } 2>/dev/null && [[ $parent == "$1" ]] && status=0 && echo "$child"
	done
	return $status
}

# The sink has begun and has the contributions of its own machine. Then the processes of this
# machine are stopped, and the other machine begins.
test_operation_completes_after_members_were_stopped_repeatedly() {
	local first children stops who
	pair 3 9000
	tree
	there "$a" "$here/hc_member" -collect t 1 8 20 15000 0 1 2 3 >"$scratch/a"
	first=$pid
	busywait 5 children_of "$first" >/dev/null || fault 'nobody has begun'
	nap 0.5
	mapfile -t children < <(children_of "$first")
	kill -STOP "${children[@]}" || fault 'nobody was stopped'
	there "$b" "$here/hc_member" -collect t 1 8 20 15000 4 5 6 7 >"$scratch/b"
	for stops in {1..5}; do
		nap 0.5
		kill -CONT "${children[@]}" 2>/dev/null
		nap 0.1
		mapfile -t children < <(children_of "$first")
		((${#children[@]})) || break
		((stops == 5)) || kill -STOP "${children[@]}" 2>/dev/null
	done
	for who in a b; do
		busywait 60 grep -q . "$scratch/$who"
		equal "at $who" right "$(<"$scratch/$who")"
	done
}

# A chunk of a ring has a segment of each member, and half of the members are on the other machine.
test_rings_wait_for_late_members() {
	local who
	pair 5 4096
	check 'rings' at "$a" hcctl ring plan fabric t apply plan 3
	# shellcheck disable=SC2046
	there "$b" "$here/hc_member" -exchange t 3 32 1 40 $(seq 16 31) >"$scratch/b"
	# shellcheck disable=SC2046
	there "$a" "$here/hc_member" -exchange t 3 32 1 40 $(seq 1 15) >"$scratch/a"
	nap 1
	there "$a" "$here/hc_member" -exchange t 3 32 1 40 0 >"$scratch/0"
	for who in a b 0; do
		busywait 60 grep -q . "$scratch/$who"
		equal "at $who" right "$(<"$scratch/$who")"
	done
}

run_tests
