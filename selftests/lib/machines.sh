# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Machines of tests of trunks, which are network namespaces: a fabric is of one namespace. In place of lib.sh.

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# in_machine NAMESPACE COMMAND..: sets $command; hcctl goes there by itself, and ip takes longer to begin than hcctl does
in_machine() {
	command=(ip netns exec "$@")
	[[ $2 != hcctl ]] || command=(hcctl -n "$1" "${@:3}")
}
# at NAMESPACE COMMAND..
at() {
	local command
	in_machine "$@"
	"${command[@]}"
}
# there NAMESPACE COMMAND..: in the background; the command itself is what the end of the test kills
there() {
	local command
	in_machine "$@"
	background "${command[@]}"
}
# json_at NAMESPACE FILTER COMMAND..
json_at() { json "$2" -n "$1" "${@:3}"; }
# is_at VALUE NAMESPACE FILTER COMMAND..
is_at() { [[ $(json_at "$2" "${@:3}") == "$1" ]]; }

# all_do KIND PLAN ROUNDS COUNT: what hc_member does, by all nodes of all machines, which are "${all[@]}" in the order of
# their nodes; those of machine $late, if it is set, begin $lateness s behind the others
late='' lateness=0.5
all_do() {
	# The script's own
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

# wire ONE OTHER NUMBER: between two machines, which are 10.9.NUMBER.1 and 10.9.NUMBER.2 at it
wire() {
	ip link add "w$3" netns "$1" type veth peer name "w$3" netns "$2"
	at "$1" ip addr add "10.9.$3.1/24" dev "w$3"
	at "$2" ip addr add "10.9.$3.2/24" dev "w$3"
	at "$1" ip link set "w$3" up
	at "$2" ip link set "w$3" up
}
# tie ONE OTHER NUMBER DIM [WORDS..]: a trunk by TCP, over that wire; WORDS for who listens
tie() {
	there "$1" hcctl trunk listen t "10.9.$3.1" "${@:5}"
	busywait 5 at "$2" hcctl trunk connect t "$4" "10.9.$3.1" || fault "no trunk $3"
}
