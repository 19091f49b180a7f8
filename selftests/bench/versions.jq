# SPDX-License-Identifier: GPL-2.0
# Input: the lines of versions.sh. Output: one object with the ratios new / old over the rounds of
# each measurement.

def stats: sort | { min: .[0], median: ((.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2), max: .[-1] };

# The ratios of the two measurements of each round, in which both versions are measured one after
# the other
def ratios($metric): group_by(.round) | map(INDEX(.side) | select(.old and .new) | .new[$metric] / .old[$metric]) | stats;
# The ratio of the least times, as these were disturbed least
def least($metric): group_by(.side) | map({ key: .[0].side, value: (map(.[$metric]) | min) }) | from_entries
	| .ratio = .new / .old;

{
	old: $old,
	settings: (map(select(.what == "settings"))[0] | { kernel, processors }),
	cells: (map(select(has("side"))) | group_by([.what, .backend, .procs, .bytes]) | map({
		what: .[0].what,
		plan: .[0].backend,
		procs: .[0].procs,
		bytes: .[0].bytes,
		rounds: (map(.round) | unique | length),
		latency: ratios("latency_us"),
		back_to_back: ratios("back_to_back_us"),
		least_latency_us: least("latency_us"),
		least_back_to_back_us: least("back_to_back_us"),
	})),
	raw: map(select(has("side"))),
} | .all = {
	latency: (.cells | map(.latency.median | log) | add / length | exp),
	back_to_back: (.cells | map(.back_to_back.median | log) | add / length | exp),
}
