# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Tests of trunks use network namespaces as machines, as each fabric belongs to one namespace. A
# script sources this file instead of lib.sh.

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# in_machine NAMESPACE COMMAND..: sets $command to a command that runs COMMAND in the namespace.
# hcctl enters the namespace by itself (-n), as starting ip takes longer than starting hcctl.
in_machine() {
	command=(ip netns exec "$@")
	[[ $2 != hcctl ]] || command=(hcctl -n "$1" "${@:3}")
}
# at NAMESPACE COMMAND..: runs COMMAND in the namespace
at() {
	local command
	in_machine "$@"
	"${command[@]}"
}
# there NAMESPACE COMMAND..: runs COMMAND in the namespace in the background; sets $pid, which is
# the process of COMMAND itself
there() {
	local command
	in_machine "$@"
	background "${command[@]}"
}
# json_at NAMESPACE FILTER COMMAND..: as json, in the namespace
json_at() { json "$2" -n "$1" "${@:3}"; }
# is_at VALUE NAMESPACE FILTER COMMAND..: does json_at print VALUE?
is_at() { [[ $(json_at "$2" "${@:3}") == "$1" ]]; }

# all_do KIND PLAN ROUNDS COUNT: runs hc_member for all nodes of fabric t, and checks that each
# machine's members print "right". The machines are "${all[@]}", in the order of their nodes. If
# $late is set, it is an index of this array: the members of that machine begin $lateness s after
# the others.
late='' lateness=0.5
all_do() {
	# The script that calls this function sets "all".
	# shellcheck disable=SC2154
	local kind=$1 nodes=$((1 << $(json_at "${all[0]}" '.[0].dim' fabric show t))) each i ns order
	shift
	mapfile -t order < <(printf '%s\n' "${!all[@]}" | grep -vx "$late"; [[ ! $late ]] || echo "$late")
	each=$((nodes / ${#all[@]}))
	for i in "${order[@]}"; do
		ns=${all[i]}
		[[ $i != "$late" ]] || sleep "$lateness"
		# shellcheck disable=SC2046
		there "$ns" "$here/hc_member" "-$kind" t "$1" "$nodes" "$2" "$3" \
			$(seq $((i * each)) $((i * each + each - 1))) >"$scratch/member$i"
	done
	for i in "${!all[@]}"; do
		busywait 60 grep -q . "$scratch/member$i"
		equal "$kind of plan $1 at ${all[i]}" right "$(<"$scratch/member$i")"
	done
}

# wire ONE OTHER NUMBER: makes a veth pair between two machines, with the addresses 10.9.NUMBER.1 at
# ONE and 10.9.NUMBER.2 at OTHER
wire() {
	ip link add "w$3" netns "$1" type veth peer name "w$3" netns "$2"
	at "$1" ip addr add "10.9.$3.1/24" dev "w$3"
	at "$2" ip addr add "10.9.$3.2/24" dev "w$3"
	at "$1" ip link set "w$3" up
	at "$2" ip link set "w$3" up
}
# tie ONE OTHER NUMBER DIM [OPTION..]: sets up a trunk for the links of dimension DIM, by TCP over
# wire NUMBER; OTHER connects to ONE, and OPTIONs are those of "hcctl trunk listen"
tie() {
	there "$1" hcctl trunk listen t "10.9.$3.1" "${@:5}"
	busywait 5 at "$2" hcctl trunk connect t "$4" "10.9.$3.1" || fault "no trunk $3"
}
