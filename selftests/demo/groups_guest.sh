#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: groups_guest.sh [SCENARIO..]
# Within the VM: processes that check each other run on the nodes of networks. Each node in turn is
# Byzantine with all its processes, with each of three behaviours. Prints a table of the nodes whose
# errors are detected, for each mapping of processes to nodes. The exit status is 0 if all checks
# pass.

set -u
here=$(cd "$(dirname "$0")" && pwd)
fabric=groups
stop() { echo "demo-groups: $*" >&2; exit 1; }
scratch=$(mktemp -d) || exit 1
trap 'rm -r "$scratch"; hcctl fabric del "$fabric" 2>/dev/null' EXIT

# shellcheck source=selftests/demo/check.sh
. "$here/check.sh"
# holds FILTER: is the jq filter true for the result?
holds() { [[ $(jq "$1" <<<"$result") == true ]]; }

# The graph of the paper's figure 3.3, with two faults in an environment
cat >"$scratch/figure" <<'END'
env 1 2,3
env 2 1
env 3 1,2
env 4 3,5
env 5 3,7
env 6 3,4,5
env 7 3,5
END

# The scenarios, as "NAME;NETWORK;PROCESSES": NETWORK of the fabric, and arguments of "hcctl mfi"
scenarios=(
	'star on the 3-cube;dim 2;dim 3'
	'star on the 4-cube;dim 3;dim 4'
	'star on the torus 5x5;ring 5;torus 5x5'
	'star on the 7-ary 3-cube;full 7;kary 7^3'
	'square on the torus 6x6;mesh 2x2;torus 6x6 pattern square'
	'box on the torus 6x6;torus 3x3;torus 6x6 pattern box'
	"figure 3.3 with tg 2;ring 3;graph $scratch/figure tg 2"
)

# run WHAT NETWORK PROCESSES MAPPING: runs one scenario with this mapping, and prints its line of
# the table
run() {
	local what=$1 processes=$3 mapping=$4 placed
	# shellcheck disable=SC2086
	placed=$(hcctl -j mfi $processes place fabric "$fabric" mapping "$mapping") || stop "$what: no places"
	result=$(jq -r '.place.processes[] | "\(.process) \(.node) \(.tg) \(.asks | map(tostring) | join(","))"' <<<"$placed" |
		"$here/groups" "$fabric") || stop "$what: groups failed"
	result=$(jq --argjson placed "$placed" '
		($placed.place.nodes | map({"\(.node)": .feasible}) | add) as $feasible | .nodes = $placed.place.nodes |
		.runs |= map(.feasible = $feasible["\(.node)"])' <<<"$result")
	jq -r --arg what "$what" --arg mapping "$mapping" --arg network "$2" '
		def of(vote): [.runs[] | select(.vote == vote)];
		def nodes(list): list | map(.node) | unique | length;
		[$what, $network, $mapping, "\([.nodes[] | select(.feasible)] | length)/\(.nodes | length)",
			(of("noticed") | length), (of("escaped") | length), nodes(of("escaped")),
			((of("escaped") | map(.deviation) | max) // "-"), .sweeps_per_second] | @tsv' <<<"$result" |
		while IFS=$'\t' read -r -a cell; do row "${cell[@]}"; done
	check "$what, $mapping: all is right if all are honest" holds '.honest.vote == "right" and .honest.deviation < .epsilon'
	check "$what, $mapping: what must escape does, far off" \
		holds 'all(.runs[] | select(.must_escape); .vote == "escaped" and .deviation > 1)'
	# The paper's claim must hold for each node.
	check "$what, $mapping: processes that may fail together are noticed" \
		holds 'all(.runs[] | select(.feasible); .vote == "noticed")'
	[[ $mapping != groups ]] ||
		check "$what: nothing escapes groups" holds 'all(.nodes[]; .feasible) and all(.runs[]; .vote == "noticed")'
	[[ $mapping != block ]] ||
		check "$what: blocks escape" holds 'any(.runs[]; .vote == "escaped") and any(.runs[]; .must_escape)'
}

row() { printf '%-26s %-10s %-8s %-9s %8s %8s %6s %10s %9s\n' "$@"; }
row processes fabric mapping feasible noticed escaped nodes deviation sweeps/s
for scenario in "${scenarios[@]}"; do
	IFS=';' read -r what network processes <<<"$scenario"
	[[ $# == 0 || " $* " == *" ${processes%% *}"* ]] || continue
	# shellcheck disable=SC2086
	hcctl fabric add "$fabric" $network >/dev/null || stop "no fabric $network"
	for mapping in groups block random; do run "$what" "$network" "$processes" "$mapping"; done
	hcctl fabric del "$fabric"
done
cat <<'END'

Each node lies three times: it quotes accomplices for what they have not sent (collude), tells all a wrong value (value),
and tells one node another value than the rest (faces). noticed: an honest node says so; escaped: what is sent is wrong
by more than epsilon, and no honest node says so; nodes: so many of them escape in some way; feasible: so many nodes have
processes that may fail together.
END
echo "demo-groups: $passed of $checks checks passed"
((passed == checks))
