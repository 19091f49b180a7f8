#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The demonstration, within the VM. /demo has a text and the expected results.
#
# A cube of 16 nodes has a failed node and six broken links, one of which is silent, so that DETECT
# has to find it. Each communication tree of this cube has a faulty link. A process on each healthy
# node sorts, counts and multiplies, and the kernel reduces the results around the faults.

set -u
here=$(cd "$(dirname "$0")" && pwd)
dim=4
failed=13
broken=2:3,3:2,10:2,2:0,1:1
silent=8:1,10:1		# a link, in both directions
found=8:1
healthy=0,1,2,3,4,5,6,7,8,9,10,11,12,14,15
size=512		# rows and columns of the matrix

out=$(mktemp -d)

say() { echo "== $*"; }
stop() { echo "demo: $*" >&2; echo "demo: $passed of $((checks + 1)) checks passed"; exit 1; }

# shellcheck source=selftests/demo/check.sh
. "$here/check.sh"
passes=1
equal() {
	[[ $1 == "$2" ]] || { echo "   '$1' is not '$2'"; return 1; }
}

# run NAME COMMAND..: runs COMMAND and keeps its statistics; sets $spent to its duration
run() {
	local name=$1 begin=${EPOCHREALTIME/[.,]/}
	shift
	"$@" >"$out/$name.stat" || return 1
	spent=$(((${EPOCHREALTIME/[.,]/} - begin) / 1000))
	read -r _ steps _ clock _ time _ bytes <"$out/$name.stat" || return 1
	echo "   $bytes bytes at the sink after $steps steps," \
		"longest chain of frames $clock, modelled time $((time / 1000)) us, real time of all $spent ms"
}

break_it() {
	hcctl link set demo "$broken" down &&
		hcctl node set demo $failed fail &&
		hcctl link set demo "$silent" loss 100
}

# picture NAME: sends the file NAME to the host
picture() { cp "$out/$1" /out; }

offline() { hcctl -j tree find dim $dim fail-link "$broken" fail-link "$found" fail-node $failed "$@"; }

say "a fabric of dimension $dim: $((1 << dim)) nodes, each a network interface"
hcctl fabric add demo dim $dim || stop 'no fabric'
hcctl fabric show demo

say "node $failed fails, links $broken go down, link $found loses every frame without a word"
break_it || stop 'cannot set the faults'

say 'DETECT: every node tests its links'
detected=$(hcctl -j detect demo) || stop 'DETECT failed'
echo "   $detected"
check "it found the silent link $found and no other" \
	equal "$(jq -r '[.. | objects | select(has("node") and has("dim")) | "\(.node):\(.dim)"] | join(",")' <<<"$detected")" "$found"

say 'is there a communication tree without a faulty link?'
exhaust=$(offline method exhaust) || stop 'the planner failed'
check "none among all 4! * 2^4 = 384 trees; the best has $(jq .cost <<<"$exhaust") faulty links" \
	test "$(jq .cost <<<"$exhaust")" -gt 0

say 'a tree for the faults that the kernel reports, by dynamic programming; the kernel checks and takes it'
hcctl tree find fabric demo apply plan 1 method exact || stop 'no tree'
plan=$(hcctl -j tree find fabric demo method exact)
field() { jq -c ".$1" <<<"$plan"; }
sink=$(field sink)
check 'it is as good as the best of all' equal "$(field cost)" "$(jq .cost <<<"$exhaust")"
check 'its members are the healthy nodes' equal "$(field 'members | join(",")')" "\"$healthy\""
stages=$(field faulty_stages)
planned=$(field steps)
cat <<END
   n = $dim steps without faults. $stages stages have a faulty link: n + k = $((dim + stages)), if each blocked
   sender has a helper; $(field 'detours | length') has none, its data takes a detour. That makes $planned.
END

say "parallel sort: each of the 15 processes sorts its share of the words, the reduction merges the runs"
run sort "$here/sort_words" demo 1 "$sink" $healthy /demo/text "$out/words" || stop 'sort_words failed'
check 'the result is what LC_ALL=C sort makes of the words' cmp "$out/words" /demo/words
check "it took the $planned steps of the plan" equal "$steps" "$planned"

say 'letter pairs: each counts in its share, the reduction adds 27 x 27 counters'
run pairs "$here/letter_pairs" demo 1 "$sink" $healthy /demo/text "$out/pairs" || stop 'letter_pairs failed'
check 'the counts are those of uniq -c' cmp "$out/pairs" /demo/pairs
check "it took the $planned steps of the plan" equal "$steps" "$planned"

say 'pictures: the tree, and what the links have carried'
hcctl plot - <<<"$plan" -o "$out/tree.svg" | sed 's/^/   /'
hcctl plot demo plan 1 -o "$out/traffic.svg" | sed 's/^/   /'
check 'both are drawn' test -s "$out/tree.svg" -a -s "$out/traffic.svg"
picture tree.svg
picture traffic.svg

say "y = A x, $size x $size doubles, on a 4 x 4 grid of Gray-code labels"
# In the label of a node, bits 0 and 1 are the row, and bits 2 and 3 are the column.
rows=(00 01 11 10)
columns=(0 4 12 8)
files=()
sinks=()
exact=yes
# tree PLAN SUBCUBE SINK: installs a tree for the nodes of a subcube; sets $want to its number of
# steps
tree() {
	hcctl tree find fabric demo apply plan "$1" subcube "$2" sink "$3" >"$out/tree" || stop "no tree in $2"
	sed -n '1,2s/^/      /p' "$out/tree"
	want=$(sed -n 's/.* steps \([0-9]*\) = .*/\1/p' "$out/tree")
}
for i in 0 1 2 3; do
	label=${rows[i]}
	row=$((2#$label))
	nodes=()
	for column in "${columns[@]}"; do
		((column + row == failed)) || nodes+=($((column + row)))
	done
	list=$(IFS=,; echo "${nodes[*]}")
	echo "   row $label: nodes $list share the columns of its part of A"
	tree $((10 + i)) "XX$label" $row
	files+=("$out/y$i")
	sinks+=("$row")
	run "row$i" "$here/matvec" demo row $((10 + i)) $row "$list" $i $size "$out/y$i" ||
		stop 'matvec failed'
	((steps == want)) || exact=no
done
list=$(IFS=,; echo "${sinks[*]}")
echo "   the first column, nodes $list, collects the parts of y at node 0"
tree 20 00XX 0
# All sums are integers below 2^53, so the program can compare with the reference product bit by
# bit.
check 'y has the bits of the plain product' run column "$here/matvec" demo column 20 0 "$list" $size \
	"$(IFS=,; echo "${files[*]}")"
((steps == want)) || exact=no
check 'all five reductions took the steps of their plans' equal $exact yes

say 'what the nodes did'
hcctl -j node show demo | jq -r '"   \(map(.merged_bytes // 0) | add) bytes merged in the kernel by \(map(select((.merged_bytes // 0) > 0)) | length) nodes"'
hcctl fabric del demo || stop 'the fabric does not go'

echo
echo "demo: $passed of $checks checks passed"
((passed == checks))
