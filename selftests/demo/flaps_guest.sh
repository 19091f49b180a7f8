#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: flaps_guest.sh SECONDS SEED TEXT FOLDER
# Allreduces over a guarded plan, within the VM: links flap at random and two nodes fail, but the
# programs at all other nodes get no error. The exit status is 0 if they really got none. The
# picture is written to FOLDER.

set -u
seconds=$1 seed=$2 text=$3 pictures=$4
here=$(cd "$(dirname "$0")" && pwd)
fabric=flaps
dim=4
victims=(11 6)		# the nodes that fail, after one third and two thirds of the time
scratch=$(mktemp -d)
say() { echo "== $*"; }
stop() { echo "demo-flaps: $*" >&2; exit 1; }

# shellcheck source=selftests/demo/check.sh
. "$here/check.sh"
equal() { [[ $1 == "$2" ]] || { echo "   '$1' is not '$2'"; return 1; }; }

# row NAME: prints the number in the row NAME of the table
row() { sed -n "s/^$1  *\([0-9]*\).*/\1/p" "$scratch/table" | head -1; }

# fault KIND WHERE: writes a fault with its time to the file that the program reads
fault() { echo "${EPOCHREALTIME/[.,]/} $*" >>"$scratch/faults"; }
# pause LEAST GREATEST: sleeps for a random number of milliseconds between these
pause() { sleep "$(printf '0.%03d' $(($1 + RANDOM % ($2 - $1 + 1))))"; }

# pick_link: chooses a random link whose nodes have not failed
pick_link() {
	local victim
	while :; do
		((node = RANDOM % (1 << dim), bit = RANDOM % dim))
		for victim in "${failed[@]}"; do
			((node != victim && (node ^ 1 << bit) != victim)) || continue 2
		done
		return
	done
}

# flap: while the program runs, takes one link after the other down and up again, and lets the two
# nodes fail while a link is down
flap() {
	local begin=${EPOCHREALTIME/[.,]/} node bit failed=()
	RANDOM=$seed
	while ((${EPOCHREALTIME/[.,]/} < begin + seconds * 1000000)); do
		pick_link
		fault down "$node:$bit"
		hcctl link set "$fabric" "$node:$bit" down || return 1
		pause 50 500
		if ((${#failed[@]} < ${#victims[@]} && ${EPOCHREALTIME/[.,]/} >
			begin + (${#failed[@]} + 1) * seconds * 1000000 / 3)); then
			fault fail "${victims[${#failed[@]}]}"
			hcctl node set "$fabric" "${victims[${#failed[@]}]}" fail || return 1
			failed+=("${victims[${#failed[@]}]}")
			pause 50 500
		fi
		hcctl link set "$fabric" "$node:$bit" up || return 1
		fault up "$node:$bit"
		pause 20 200
	done
	((${#failed[@]} == ${#victims[@]}))
}

say "a fabric of dimension $dim, a tree over its $((1 << dim)) nodes, guarded; hcctl guard installs what replaces it"
hcctl fabric add "$fabric" dim "$dim" || stop 'no fabric'
trap 'hcctl fabric del "$fabric"' EXIT
hcctl tree find fabric "$fabric" apply sink 0 guard 10s >/dev/null || stop 'no tree'
hcctl -j guard "$fabric" >"$scratch/guard" &
guard=$!

list=$(seq -s , 0 $(((1 << dim) - 1)))
victim_list=$(IFS=,; echo "${victims[*]}")
say "$((1 << dim)) processes run allreduces for $seconds s; links flap, one at a time (seed $seed); nodes $victim_list fail"
: >"$scratch/faults"
"$here/flaps" "$fabric" 1 0 "$list" "$seconds" "$victim_list" "$text" "$scratch/faults" "$pictures/flaps.svg" \
	>"$scratch/table" &
program=$!
flap
flapped=$?
wait "$program"
status=$?
kill "$guard"
wait "$guard"

cat "$scratch/table"
downs=$(grep -c ' down ' "$scratch/faults")
epochs=$(jq -n '[inputs | select(.event == "renewed")] | length' "$scratch/guard")
printf '%-24s %10s\n' 'links that went down' "$downs" 'nodes that failed' "$(grep -c ' fail ' "$scratch/faults")" \
	'epochs installed' "$epochs"
jq -rn '[inputs | select(.event == "renewed").time_ns / 1e6] | sort | select(length > 0) |
	"planning and installing one took \(.[length / 2 | floor] * 100 | round / 100) ms (median), \(.[-1] * 100 | round / 100) ms at most"' \
	"$scratch/guard"

echo
check 'all faults were set' equal $flapped 0
check 'the programs of all nodes that live have ended well' equal $status 0
check 'they saw no error' equal "$(row errors)" 0
check 'each result was right' equal "$(row 'wrong results')" 0
check 'operations were begun again' test "$(row 'begun again')" -gt 0
check 'the guard installed epochs' test "$epochs" -gt 0
check 'the processes of the failed nodes were told' equal "$(grep -c 'is told that the node has failed' "$scratch/table")" ${#victims[@]}
check 'the last epoch has the nodes that live' \
	equal "$(hcctl -j plan show "$fabric" 1 | jq '.[0].members | length')" $(((1 << dim) - ${#victims[@]}))
check 'the picture is drawn' test -s "$pictures/flaps.svg"

shown='not what it should show'
((passed != checks)) || shown="links went down $downs times and ${#victims[@]} nodes failed;
            of $(row operations) allreduces $(row 'begun again') were begun again, over $epochs new epochs; no program of a node that lives saw an error"
echo "demo-flaps: $passed of $checks checks passed: $shown"
((passed == checks))
