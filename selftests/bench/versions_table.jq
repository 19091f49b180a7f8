# SPDX-License-Identifier: GPL-2.0
# Input: the object that versions.jq makes. Output: text.

def pad($n): tostring | (" " * ([$n - length, 0] | max)) + .;
def column($n): . + (" " * ([$n - length, 0] | max));
def bytes: if . >= 1048576 then "\(. / 1048576) MiB" elif . >= 1024 then "\(. / 1024) KiB" else "\(.) B" end;
def two: . * 100 | round / 100;
def span: "\(.median | two) [\(.min | two)..\(.max | two)]";
def least: "\(.new | round) / \(.old | round)";

"kernel \(.settings.kernel), \(.settings.processors) processors, emulated; this version and \(.old) in turns",
"Ratios new / old: median [min..max] of the rounds' ratios; the least times of each, us",
"  what            plan      procs      size  latency               back to back          least latency        least back to back",
(.cells[] | "  \(.what | column(16))\(.plan | column(8))\(.procs | pad(7)) \(.bytes | bytes | pad(9))  "
	+ "\(.latency | span | column(22))\(.back_to_back | span | column(22))"
	+ "\(.least_latency_us | least | column(21))\(.least_back_to_back_us | least)"),
"Of all, the geometric mean of the medians: latency \(.all.latency | two), back to back \(.all.back_to_back | two)"
