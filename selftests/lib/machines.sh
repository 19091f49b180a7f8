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
# their nodes
all_do() {
	local kind=$1 nodes=$((1 << $(json_at "${all[0]}" '.[0].dim' fabric show t))) each i ns
	shift
	each=$((nodes / ${#all[@]}))
	for i in "${!all[@]}"; do
		ns=${all[i]}
		# shellcheck disable=SC2046
		there "$ns" "$here/hc_member" "-$kind" t "$1" "$nodes" "$2" "$3" \
			$(seq $((i * each)) $((i * each + each - 1))) >"$scratch/member$i"
	done
	for i in "${!all[@]}"; do
		busywait 20 grep -q . "$scratch/member$i"
		equal "$kind of plan $1 at ${all[i]}" right "$(<"$scratch/member$i")"
	done
}
