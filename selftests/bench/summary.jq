# SPDX-License-Identifier: GPL-2.0
# Lines of guest.sh -> one object: per size, processes and backend the minimum, median and maximum of
# the rounds, and the ratio ours / peer of the medians.

def stats: sort | { min: .[0], median: ((.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2), max: .[-1] };
def round3: if . == null then null else . * 1000 | round / 1000 end;

def of($metric): map(.[$metric]) | stats;

(map(select(.what == "reduce")) | group_by([.procs, .bytes]) | map({
	procs: .[0].procs,
	bytes: .[0].bytes,
	backends: (group_by(.backend) | map({ key: .[0].backend, value: {
		latency_us: of("latency_us"),
		back_to_back_us: of("back_to_back_us"),
		cpu_processes_us: of("cpu_processes_us"),
		cpu_kernel_us: of("cpu_kernel_us"),
	} }) | from_entries),
} | . as $row | .ratio = ($row.backends | to_entries | map(select(.key != "fabric") | {
	key, value: (.value as $peer | {
		latency: ($row.backends.fabric.latency_us.median / $peer.latency_us.median | round3),
		back_to_back: ($row.backends.fabric.back_to_back_us.median
			/ $peer.back_to_back_us.median | round3),
	})
}) | from_entries))) as $reductions
| {
	mode: $mode,
	settings: (map(select(.what == "settings"))[0] | del(.what)),
	fabrics: map(select(.what == "fabric") | del(.what)),
	reductions: $reductions,
	traffic: map(select(.what == "traffic") | del(.what)),
	failures: map(select(.what == "failure") | del(.what)),
	raw: map(select(.what == "reduce") | del(.what)),
}
