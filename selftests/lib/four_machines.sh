# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Fabrics of two or four machines, which are network namespaces here, for tests of plans that one
# machine installs on all machines. Four machines are joined in a ring:
#
#	a: nodes 00XX ---- b: nodes 01XX
#	     |                  |
#	c: nodes 10XX ---- d: nodes 11XX

# shellcheck source=selftests/lib/machines.sh
. "$(dirname "${BASH_SOURCE[0]}")/machines.sh"

a='' b='' c='' d=''

# joined ONE OTHER NUMBER DIM [OPTION..]: joins two machines by wire NUMBER and a trunk for the
# links of dimension DIM; OPTIONs are those of "hcctl trunk listen"
joined() { wire "$1" "$2" "$3" && tie "$@"; }
# all_up: waits until no link is down at any machine

all_up() {
	local ns
	for ns in "${all[@]}"; do
		busywait 10 is_at 0 "$ns" '.[0].links_down' fabric show t || fault "links are down at $ns"
	done
}

# two [OPTION..]: makes machine a with nodes 0XX and machine b with nodes 1XX, and joins them
two() {
	parameter trunks Y
	namespace a && namespace b || return
	all=("$a" "$b")
	check 'the one part' at "$a" hcctl fabric add t dim 3 nodes 0XX
	check 'the other' at "$b" hcctl fabric add t dim 3 nodes 1XX
	joined "$a" "$b" 1 2 "$@"
	all_up
}

# four: makes the four machines of the picture above, and joins them
four() {
	parameter trunks Y
	namespace a && namespace b && namespace c && namespace d || return
	all=("$a" "$b" "$c" "$d")
	check 'a' at "$a" hcctl fabric add t dim 4 nodes 00XX
	check 'b' at "$b" hcctl fabric add t dim 4 nodes 01XX
	check 'c' at "$c" hcctl fabric add t dim 4 nodes 10XX
	check 'd' at "$d" hcctl fabric add t dim 4 nodes 11XX
	joined "$a" "$b" 1 2
	joined "$c" "$d" 2 2
	joined "$a" "$c" 3 3
	joined "$b" "$d" 4 3
	all_up
}

# same PLAN: checks that all machines have the same plan, with the same epoch
same() {
	local ns first
	first=$(json_at "$a" . plan show t "$1") || fault "no plan $1"
	for ns in "${all[@]}"; do
		equal "plan $1 at $ns" "$first" "$(json_at "$ns" . plan show t "$1")"
	done
}

# nothing_new: checks that no machine has a plan, and that none has an installation under way
nothing_new() {
	local ns
	for ns in "${all[@]}"; do
		equal "plans at $ns" 0 "$(json_at "$ns" length plan show t)"
		check "$ns can plan" at "$ns" hcctl tree find fabric t apply plan 99 local
		check "$ns can remove it" at "$ns" hcctl plan del t 99 local
	done
}
