#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: balance_guest.sh FOLDER LIST SUMS [OUT]
# Real work on a faulty cube, within the VM: the healthy nodes of a cube hash the files of LIST in
# FOLDER; SUMS is the output of sha256sum for these files. Prints a table with the time that each
# balancing method needs, and with what happens if a node fails. The picture is written to OUT.
# DIM=, FAILED=, BROKEN=, KILLED=, SPEED= and MIN_SPEEDUP= change the settings. The exit status is 0
# if all checks pass.

set -u
folder=$1 list=$2 sums=$3 pictures=${4-}
here=$(cd "$(dirname "$0")" && pwd)
dim=${DIM:-5}
failed=${FAILED:-3,12,22}	# nodes
broken=${BROKEN:-0:0,5:1,25:2}	# links
killed=${KILLED:-16}		# the node that fails meanwhile, and after how many ms
after=${KILLED_AFTER:-1500}
speed=${SPEED:-49152}		# bytes that a node hashes in a second
least=${MIN_SPEEDUP:-2}
fabric=work

scratch=$(mktemp -d)
trap 'hcctl fabric del "$fabric" 2>/dev/null; rm -rf "$scratch"' EXIT
say() { echo "== $*"; }
stop() { echo "demo-balance: $*" >&2; exit 1; }
# shellcheck source=selftests/demo/check.sh
. "$here/check.sh"
# told FILTER: is the jq filter true for the last result?
told() { [[ $(jq "$1" <<<"$result") == true ]]; }
same_sums() { sort "$1.sums" | cmp -s - "$scratch/sums"; }
sort "$sums" >"$scratch/sums"

# fabric: makes a fabric with the faults, and a topology for load balancing
fabric() {
	hcctl fabric del "$fabric" 2>/dev/null
	if ! { hcctl fabric add "$fabric" dim "$dim" && hcctl node set "$fabric" "$failed" fail &&
		hcctl link set "$fabric" "$broken" down && hcctl balance topology fabric "$fabric" apply >/dev/null; }; then
		stop 'no fabric with these faults'
	fi
	workers=$(hcctl -j node show "$fabric" | jq -r '[.[] | select(.failed | not) | .node | tostring] | join(",")')
}

# work NAME COMMAND: hashes all files, after COMMAND has configured load balancing. Sets $result,
# and $makespan to the duration in seconds.
work() {
	fabric
	result=$("$here/jobs" -v "$speed" -c "$2" "$fabric" "$dim" "$workers" "$folder" "$list" "$scratch/$1") ||
		stop "$1: the jobs failed"
	{ read -r result && read -r makespan; } < <(hcctl -j balance show "$fabric" | jq -c --argjson r "$result" \
		'$r + {rounds: .done, rounds_failed: .failed, hops: ([.nodes[].sent] | add)} | ., .seconds')
	check "$1: the hashes are those of sha256sum" same_sums "$scratch/$1"
}

line() {
	jq -r --argjson none "${none:-$result}" --arg name "$1" '[$name, .seconds, $none.seconds / .seconds, .rounds, .hops]
		| @tsv' <<<"$result" | while IFS=$'\t' read -r name seconds speedup rounds hops; do
		printf '%-10s %8.2f s %8.2f %8s %8s\n' "$name" "$seconds" "$speedup" "$rounds" "$hops"
	done
}

# manager_ends: ends the program that balances from user space, which must not use the next fabric
manager=''
manager_ends() {
	rm -f "$scratch/go"
	[[ ! $manager ]] || wait "$manager"
	manager=''
}

fabric
say "a cube of $((1 << dim)) nodes; nodes $failed have failed, links $broken are down; a worker at each of $(wc -w <<<"${workers//,/ }") nodes"
echo "   topology: $(hcctl balance topology fabric "$fabric" | head -1)"
cat <<END
   Each task is a file, which is hashed where it is. The nodes got unequally many: the k-th 1/k of what the first has.
   There are fewer processors than nodes, so a worker is really busy for the time of the hash, and then waits until a
   node that hashes $speed bytes in a second would be through. Methods know how many tasks there are, not how long they are.
   A node with no more than one task that waits begins a round; optimal is a planner's plan, carried out from outside.
END
refusal=$(hcctl -j balance run "$fabric" method cwa 2>&1)
printf '\n%-10s %10s %8s %8s %8s\n' balancing makespan speedup rounds hops

for method in none rid dem mcwa optimal; do
	[[ $method != mcwa ]] || echo "cwa           refused"
	case $method in
	none) command=true ;;
	optimal)
		"$here/optimal" "$fabric" "$dim" "$failed" "$broken" "$scratch/go" &
		manager=$! command="touch $scratch/go"
		;;
	*) command="hcctl balance set $fabric method $method threshold 1" ;;
	esac
	work "$method" "$command"
	manager_ends
	[[ $method != none ]] || none=$result alone=$makespan
	line "$method"
	check "$method: each file once, nothing lost" told '.doubled == 0 and .lost == 0'
	[[ $method == none ]] || check "$method: at least $least times as fast as without" \
		told "$alone / .seconds >= $least"
	drawn+=("$method" "$scratch/$method.loads" "$makespan")
done
jq -r '"\nAt best, if all nodes were busy all the time: \(.bytes / .workers / ('"$speed"') * 100 | round / 100) s for \(.jobs) files of
\(.bytes) bytes, and the longest alone takes \(.longest / ('"$speed"') * 100 | round / 100) s. Hops: how often a task went over a link."' <<<"$none"
echo "cwa: $(jq -r '.error // .' <<<"$refusal")"
check 'cwa is refused where a node has failed' grep -q '"error".*needs a topology without trees' <<<"$refusal"

echo
say "the same with mcwa, and node $killed fails after $after ms; a new topology is applied at once"
work killed "hcctl balance set $fabric method mcwa threshold 1
	{ sleep $(jq -n "$after / 1000"); hcctl node set $fabric $killed fail; hcctl balance topology fabric $fabric apply; } >/dev/null &"
line 'mcwa'
jq -r '"   the kernel says by their ids that \(.lost) tasks are lost, \(.doubt) of them perhaps not; their producer puts \(.put_again) again;
   \(.repeated) came back marked as repeated; \(.doubled) files were hashed twice"' <<<"$result"
check 'tasks were lost with the node, and all were put again' told '.lost > 0 and .put_again == .lost'
check 'no file was hashed twice but those that the kernel had told of' told '.untold == 0 and .differ == 0'
check "the rest took no longer than without balancing: $alone s" told "$alone > .seconds or $least == 0"
drawn+=("mcwa; node $killed fails" "$scratch/killed.loads" "$makespan")

if [[ $pictures ]]; then
	"$here/jobs_picture" "$pictures/balance.svg" "$(jq -r "\"\\(.jobs) files, \\(.workers) of $((1 << dim)) nodes\"" <<<"$none")" "$failed" "${drawn[@]}"
	check 'the picture is drawn' test -s "$pictures/balance.svg"
fi
echo
echo "demo-balance: $passed of $checks checks passed"
((passed == checks))
