# SPDX-License-Identifier: GPL-2.0
# Input: the object that path.jq makes. Output: two tables, as in Documentation/performance.rst.

def pad($n): tostring | (" " * ([$n - length, 0] | max)) + .;
def column($n): . + (" " * ([$n - length, 0] | max));
def short: if fabs < 0.05 then 0 elif . < 9.95 then (. * 10 | round / 10) else round end;
def thousands: round | tostring | [while(. != ""; .[:-3]) | .[-3:]] | reverse | join(",");

# A table with these rows: the first cell is a name, the others have the widths $wide
def table($wide; $head): ([25] + $wide | map("=" * .) | join(" ")) as $rule
	| $rule, ("\\" | column(25)) + " " + ([$head, $wide] | transpose | map(. as [$text, $n] | $text | pad($n)) | join(" ")),
	$rule, (.[] | (.[0] | column(25)) + " " + ([.[1:], $wide] | transpose | map(. as [$text, $n] | $text | pad($n)) | join(" "))), $rule;

# Number of times that each delivered byte is copied. All copies are made by rep movsq, which copies
# eight bytes per counted instruction.
def copies: if .what == "alltoall" then .groups.copy * 8 / (.bytes * 16 * 16) | short else "" end;

["user", "calls", "scheduler", "softirqs", "skbs", "memory", "copy", "coll", "sock", "fabric", "others"] as $groups
| (map([.name, (.instructions | thousands), (.events["calls", "wakes", "switches", "polls"] | short), copies])
	| table([12, 8, 9, 9, 7, 7]; ["instructions", "calls", "wake-ups", "switches", "polls", "copies"])),
"", "Of the instructions, in per cent:", "",
(map(. as $r | [.name] + ($groups | map((($r.groups[.] // 0) * 1000 / $r.instructions | round | . / 10)
	| if . < 0.05 then "-" else . end)))
	| table([5, 5, 9, 8, 5, 6, 5, 5, 5, 6, 6]; $groups))
