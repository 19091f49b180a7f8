#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: relax_guest.sh [RxC [FOLDER]]
# Error-detecting relaxation, within the VM. Prints a table: for each set of Byzantine processes,
# the greatest error of the result, and the processes that have detected an error. The exit status
# is 0 if all checks pass. Pictures are written to FOLDER.

set -u
mesh=${1:-8x8} pictures=${2-}
here=$(cd "$(dirname "$0")" && pwd)
fabric=relax
rows=${mesh%x*} cols=${mesh#*x}
say() { echo "== $*"; }
stop() { echo "demo-relax: $*" >&2; exit 1; }

# bits N: prints the number of dimensions that N rows need
bits() {
	local b=0
	while ((1 << b < $1)); do ((++b)); done
	echo $b
}
((col_bits = $(bits "$cols"), dim = $(bits "$rows") + col_bits))
# node ROW COL: prints the node of a cell; the nodes of neighbouring cells differ in one bit
node() { echo $((($1 ^ $1 >> 1) << col_bits | ($2 ^ $2 >> 1))); }

# shellcheck source=selftests/demo/check.sh
. "$here/check.sh"
# told FILTER: is the jq filter true for the result?
told() { [[ $(jq "$1" <<<"$result") == true ]]; }

# run SCENARIO VERDICT OPTION..: runs the program with these options, and prints a line of the table
run() {
	local what=$1 vote=$2 picture=()
	shift 2
	[[ ! $pictures ]] || picture=(-p "$pictures/relax-$((++drawn)).svg" -t "${what^}")
	result=$("$here/relax" "$fabric" "$mesh" "$@" "${picture[@]}") || stop "$what: relax failed"
	jq -r --arg what "$what" '
		def words: map("\(.[0]),\(.[1])") | join(" ");
		[$what, (if .deviation < .epsilon then "below \(.epsilon)" else "\(.deviation)" end),
			(.flagged_by | if length > 6 then "\(length) processes" elif length > 0 then words else "nobody" end),
			.vote] | @tsv' <<<"$result" |
		while IFS=$'\t' read -r scenario deviation by found; do
			printf '%-52s %-12s %-24s %s\n' "$scenario" "$deviation" "$by" "$found"
		done
	check "$what: $vote" told ".vote == \"$vote\""
}
drawn=0

say "a mesh of $mesh processes in a cube of $((1 << dim)) nodes; each knows its neighbors, and checks what they claim"
hcctl fabric add "$fabric" dim "$dim" || stop 'no fabric'
trap 'hcctl fabric del "$fabric"' EXIT
((row = rows / 2, col = (cols - 1) / 2))

printf '\n%-52s %-12s %-24s %s\n' 'scenario' 'result is off' 'noticed by (row,column)' vote
run 'nobody lies' right

# The greatest number of Byzantine cells that the planner considers feasible, at the cells that it
# selects
liars=() ways=(value blame faces late)
for cell in $(hcctl -j mfi mesh "$mesh" pattern box | jq '.set[]'); do
	liars+=(-l "$((cell / cols)),$((cell % cols)):${ways[${#liars[@]} / 2 % 4]}:$((20 + 25 * ${#liars[@]} % 60))")
done
run "one liar in each environment, $((${#liars[@]} / 2)) in all" noticed "${liars[@]}"
check 'each of them is accused' told '.liars - .accused == []'
run 'one liar, who tells all the same' noticed -l "$row,$col:value:80"
check 'by all its neighbors, and nobody else is accused' told '.accused == .liars and (.flagged_by | length) == 4'
run 'one liar, who tells one something else' noticed -l "$row,$col:faces:35"
check 'as its claims differ' told '(.reasons | index("versions")) != null and .accused == .liars'
run 'one liar, who says that it was a neighbor' noticed -l "$row,$col:blame:$((rows < 5 ? 60 : 50))"
check 'which that one knows better' told '(.reasons | index("quoted")) != null'
run 'one liar; each process checks its own row only' escaped -o -l "$row,$col:value:80"
run 'two liars in one environment, who work together' escaped -l "$((rows - 2)),$((cols / 2)):blame:$((rows < 5 ? 55 : 40))" \
	-l "$((rows - 2)),$((cols / 2 + 1)):cover"

# The link between two neighbours is down, and the node that relays between them is Byzantine.
a=$(node "$row" "$col") b=$(node "$row" $((col + 1)))
for ((bit = 0; (a ^ b) >> bit != 1; bit++)); do :; done
hcctl link set "$fabric" "$a:$bit" down || stop 'cannot set the fault'
relay=$(hcctl -j route show "$fabric" "$a" "$b" | jq '[.. | objects | .path? // empty][0][1]')
[[ $relay =~ ^[0-9]+$ ]] || stop "no way from node $a to $b"
hcctl node set "$fabric" "$relay" byzantine 100% seed 7 || stop 'the node does not lie'
run "a lying relay, node $relay; values are sent once" noticed
run 'a lying relay; values are sent in 3 copies always' right -w 3
check 'copies are outvoted, and their paths lead to the liar' \
	told ".outvoted > 0 and (.on_all_paths | index($relay)) != null"
echo "   of $(jq .outvoted <<<"$result") messages a copy was false, each on a path by node $(jq -r '.on_all_paths | join(", ")' <<<"$result")"

cat <<'END'

right: at the end nobody is off by more than epsilon, and nobody says otherwise; noticed: an honest process says so;
escaped: the result is wrong, and nobody says so. With one fault in an environment nothing escapes; two may.
END
echo "demo-relax: $passed of $checks checks passed"
((passed == checks))
