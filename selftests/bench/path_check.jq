# SPDX-License-Identifier: GPL-2.0
# Input: the object that path.jq makes. Output, as TAP: whether each number of instructions differs
# by at most 5 per cent from the number in the table of $text, and whether that table has no further
# rows.

([$text | split("\n")[] | capture("^(?<name>[a-z][A-Za-z0-9, ]*[A-Za-z0-9]) +(?<n>[0-9]+,[0-9,]+)( +[0-9.]+){4,5} *$")]
	| map({ key: .name, value: (.n | gsub(","; "") | tonumber) }) | from_entries) as $written
| (map({ key: .name, value: .instructions }) | from_entries) as $now
| (($now | keys) + ($written | keys) | unique) as $names
| "TAP version 13", "1..\($names | length)",
($names | to_entries[] | .value as $name | $now[$name] as $n | $written[$name] as $w
	| "\(if $n and $w and ($n / $w - 1 | fabs) <= 0.05 then "ok" else "not ok" end) \(.key + 1) \($name): \($n // 0 | round) instructions, written are \($w // 0)")
