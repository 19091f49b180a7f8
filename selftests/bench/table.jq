# SPDX-License-Identifier: GPL-2.0
# The object that summary.jq makes -> text.

def pad($n): tostring | (" " * ([$n - length, 0] | max)) + .;
def us: if . < 100 then . * 10 | round / 10 else round end;
def span: "\(.median | us | pad(9)) [\(.min | us)..\(.max | us)]";
def column($n): . + (" " * ([$n - length, 0] | max));
def bytes: if . >= 1048576 then "\(. / 1048576) MiB" elif . >= 1024 then "\(. / 1024) KiB" else "\(.) B" end;

"kernel \(.settings.kernel), \(.settings.processors) processors, emulated; \(.settings.rounds) interleaved rounds",
(.settings.peers | to_entries[] | "\(.key): \(.value)"),
"",
"Fabrics",
(.fabrics[] | "  dim \(.dim): created in \(.create_ms) ms, removed in \(.delete_ms) ms; " +
	"\(.bytes_per_node) bytes of memory a node, of which our state \(.node_size), net_device \(.dev_size)"),
"",
"Reductions of u64 sums, us: median [min..max] of the rounds. Latency: from the last call to the sink's",
"return; back to back: for each of many operations; ratios ours / peer of both",
("  procs      size  backend   latency                     back to back                cpu of processes/ksoftirqd   ratios" ),
(.reductions[] | . as $r | .backends | to_entries[] |
	"  \($r.procs | pad(5)) \($r.bytes | bytes | pad(9))  \(.key | column(8))"
	+ "\(.value.latency_us | span | column(28))\(.value.back_to_back_us | span | column(28))"
	+ "\("\(.value.cpu_processes_us.median | us | pad(9)) / \(.value.cpu_kernel_us.median | us)" | column(27))"
	+ (if .key == "fabric" then "" else "\($r.ratio[.key].latency) \($r.ratio[.key].back_to_back)" end)),
"",
"Memory traffic of a reduction of 1 MiB, in units of the contribution",
(.traffic[] | "  \(.procs) processes: copied in \(.copied_in / .bytes), merged \(.merged / .bytes * 1000 | round / 1000)"
	+ " (ideal \(.merged_ideal / .bytes)), copied out \(.copied_out / .bytes)"),
(.failures[] | "Failed: \(.backend) with \(.procs) processes in round \(.round)")
