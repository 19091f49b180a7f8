# SPDX-License-Identifier: GPL-2.0
# Input: the lines of path_guest.sh, each followed by the output of path.awk for it. For each
# measured operation there are two lines: the second is about a run with twice as many operations as
# the first. Output: for each measured operation, its instructions by group, and its calls: the
# difference of the two counts, divided by the difference of the numbers of operations.

def bytes: if . >= 1024 then " \(. / 1024) KiB" elif . > 0 then " \(.) B" else "" end;
# Differences of the counts of all groups; a group that is missing in an object counts as 0.
def more($once; $twice; $n): ($once + $twice | keys) | map({ key: ., value: ((($twice[.] // 0) - ($once[.] // 0)) / $n) }) | from_entries;
# Add the instructions of small folders to another group.
def whole: .fabric += (.route // 0) + (.trunk // 0) + (.["poll.o"] // 0)
	| .others = ([to_entries[] | select(.key | IN("others", "netlink", "lib", "reduce", "task", "main.o", "notifier.o", "trace.o")).value] | add)
	| del(.route, .trunk, .netlink, .lib, .reduce, .task, .["main.o"], .["notifier.o"], .["poll.o"], .["trace.o"]);

[range(0; length; 2) as $i | .[$i] + .[$i + 1]]
| [range(0; length; 2) as $i | .[$i] as $once | .[$i + 1] as $twice | ($twice.operations - $once.operations) as $n
	| { name: ($once.what + ($once.bytes | bytes)), what: $once.what, bytes: $once.bytes,
	    groups: (more($once.groups; $twice.groups; $n) | whole), events: more($once.events; $twice.events; $n) }
	| .instructions = ([.groups[]] | add)]
