# SPDX-License-Identifier: GPL-2.0
# Input: the object that summary.jq makes. Output: text.

def pad($n): tostring | (" " * ([$n - length, 0] | max)) + .;
def us: if . < 100 then . * 10 | round / 10 else round end;
def span: "\(.median | us | pad(9)) [\(.min | us)..\(.max | us)]";
def column($n): . + (" " * ([$n - length, 0] | max));
def bytes: if . >= 1048576 then "\(. / 1048576) MiB" elif . >= 1024 then "\(. / 1024) KiB" else "\(.) B" end;

def rows: .[] | . as $r | .backends | to_entries[] |
	"  \($r.procs | pad(5)) \($r.bytes | bytes | pad(9))  \(.key | column(8))"
	+ "\(.value.latency_us | span | column(28))\(.value.back_to_back_us | span | column(28))"
	+ "\("\(.value.cpu_processes_us.median | us | pad(9)) / \(.value.cpu_kernel_us.median | us)" | column(27))"
	+ (if .key == "fabric" then "" else "\($r.ratio[.key].latency) \($r.ratio[.key].back_to_back)" end);

def operations($title): if . == [] then empty else "", $title,
	"  procs      size  backend   latency                     back to back                cpu of processes/ksoftirqd   ratios",
	rows end;

def plans: if . == [] then empty else "",
	"Allreductions (0 B: barriers) by recursive doubling and by a tree, us: median [min..max] of the rounds; ratios",
	"doubling / tree",
	"  procs      size  plan      latency                     back to back                ratios",
	(.[] | . as $r | ("tree", "doubling") |
		"  \($r.procs | pad(5)) \($r.bytes | bytes | pad(9))  \(. | column(8))"
		+ "\($r.backends[.].latency_us | span | column(28))\($r.backends[.].back_to_back_us | span | column(28))"
		+ (if . == "tree" then "" else "\($r.ratio.latency) \($r.ratio.back_to_back)" end)) end;

# --- allgather, alltoall, reduce_scatter

def ways: if . == [] then "" else join(", ") end;

def exchange_rows: .[] | . as $r | .backends | to_entries[] |
	"  \($r.procs | pad(5)) \($r.bytes | bytes | pad(9))  \(.key + (if .key == $r.plan then "*" else "" end) | column(11))"
	+ "\(.value.latency_us | span | column(28))\(.value.back_to_back_us | span | column(28))"
	+ "\("\(.value.cpu_processes_us.median | us | pad(9)) / \(.value.cpu_kernel_us.median | us)" | column(27))"
	+ "\($r.latency.ours / .value.latency_us.median * 1000 | round / 1000) "
	+ "\($r.back_to_back.ours / .value.back_to_back_us.median * 1000 | round / 1000)  \(.value.ways | ways)";

def two: if . == null then "-" else "\(. * 100 | round / 100)" end;

def faster($of): map(select(.of == $of)) | if . == [] then empty else "",
	"\($of): how many times as fast as the best of Open MPI over shared memory, the plan that hcctl run takes and the best",
	"of ours; over TCP; plain shared memory (the floor) as fast as ours: latency / back to back each",
	"  procs      size  by        shared memory      best of ours               TCP                floor              steps (bound)",
	(.[] | "  \(.procs | pad(5)) \(.bytes | bytes | pad(9))  \(.plan | column(10))"
		+ "\("\(.latency.faster | two) / \(.back_to_back.faster | two)" | column(19))"
		+ "\("\(.latency.best_faster | two) / \(.back_to_back.best_faster | two) \([.latency.best.name, .back_to_back.best.name] | unique | join(", "))" | column(27))"
		+ "\("\(if .latency.tcp then .latency.tcp / .latency.ours else null end | two) / \(if .back_to_back.tcp then .back_to_back.tcp / .back_to_back.ours else null end | two)" | column(19))"
		+ "\("\(.latency.ours / .latency.floor | two) / \(.back_to_back.ours / .back_to_back.floor | two)" | column(19))"
		+ "\(.steps) (\(.optimum))") end;

# Plans that were better than the chosen plan in alternating measurements, in latency and in
# throughput. Differences of up to 5 per cent are ignored.
def methods: map(. as $r | (.backends | keys - ["floor", "one-way", "mpi-shm", "mpi-copies", "mpi-tcp"]) as $ours | select($ours | length > 1) |
	($ours - [$r.plan])[] | . as $other
	| { $r, $other, latency: ($r.backends[$r.plan].latency_us.median / $r.backends[$other].latency_us.median * 100 | round),
	    back_to_back: ($r.backends[$r.plan].back_to_back_us.median / $r.backends[$other].back_to_back_us.median * 100 | round) })
	| if . == [] then empty else "",
	"The plan that hcctl run takes against the other: time in per cent, latency / back to back; ! where the other is better in both",
	(.[] | "  \(.r.of | column(15))\(.r.procs | pad(5)) \(.r.bytes | bytes | pad(9))  \(.r.plan) / \(.other | column(9)) "
		+ "\(.latency | pad(4)) / \(.back_to_back)\(if .latency > 105 and .back_to_back > 105 then " !" else "" end)") end;

def rings: if . == [] then empty else "",
	"Steps of the rings: to deliver (least in rings: N - 1, by all ports at once ceil((N - 1) / ports)), to acknowledge (least: N)",
	(.[] | "  \(.procs | pad(5)) processes: \(.method), deliver \(.deliver) (\(.least_deliver); \(.least_ports) by \(.ports) ports), acknowledge \(.steps) (\(.least_steps))") end;

def ways_of_rings: map(select(.backends | has("ring") and has("one-way"))) | if . == [] then empty else "",
	"Allgathers over a ring: both ways at once against one way, in rings that repair themselves; us and the ratio, latency, back to back",
	(.[] | .backends.ring as $both | .backends["one-way"] as $one
		| "  \(.procs | pad(5)) \(.bytes | bytes | pad(9))  "
		+ "\("\($both.latency_us.median | us) / \($one.latency_us.median | us)" | column(20))"
		+ "\($both.latency_us.median / $one.latency_us.median * 1000 | round / 1000 | tostring | column(8))"
		+ "\("\($both.back_to_back_us.median | us) / \($one.back_to_back_us.median | us)" | column(20))"
		+ "\($both.back_to_back_us.median / $one.back_to_back_us.median * 1000 | round / 1000)") end;

def exchanges: if . == [] then empty else "",
	"Allgather, alltoall, reduce_scatter: * is the plan that hcctl run takes, ratios are its times by those of the row",
	(("allgather", "alltoall", "reduce_scatter") as $of | map(select(.of == $of)) | if . == [] then empty else "", $of,
		"  procs      size  by         latency                     back to back                cpu of processes/ksoftirqd   ratios",
		exchange_rows end),
	faster("allgather", "alltoall", "reduce_scatter"),
	methods,
	ways_of_rings end;

def ether: if . == null then empty else . as $e | "",
	"Ethernet between two namespaces: median [min..max] of the rounds, and ratios to the veth pair. TCP from one",
	"processor to the other; round trip of a byte, and frames of 64 bytes, on one processor",
	"  way      TCP Mbit/s                    ratio   round trip us                 ratio   frames/s                      ratio",
	(["veth", "hops1", "hops2", "hops4"][] as $w | $e.ways[$w] | "  \($w | column(6))"
		+ "\(.mbit_s | span | column(30))\($e.ratio[$w].mbit_s // "" | pad(6))  "
		+ "\(.round_trip_us | span | column(30))\($e.ratio[$w].round_trip // "" | pad(6))  "
		+ "\(.frames_s | span | column(30))\($e.ratio[$w].frames_s // "" | pad(6))"),
	"  A further hop costs, in units of the first: \($e.further_hops.mbit_s.each_of_four) of the TCP time,"
	+ " \($e.further_hops.round_trip.each_of_four) of the round trip, \($e.further_hops.frames_s.each_of_four) of the time for a frame"
	end;

def queues: if . == [] then empty else "",
	"Queues of tasks, median [min..max] of the rounds: tasks a second, and how often as many the queue of a node, and those of",
	"a cube's nodes with rounds between them, do as this one; makespan of unequal tasks, and by how much it exceeds its least",
	"  workers   size  queue     tasks/s                       node / cube     makespan ms                 least ms  exceeds by",
	(.[] | . as $r | ("node", "cube", "unix", "tcp", "shm") | $r.backends[.] as $b |
		"  \($r.procs | pad(7)) \($r.bytes | bytes | pad(7))  \(. | column(8))"
		+ "\($b.per_second | span | column(30))"
		+ "\("\($r.ratio[.].node) / \($r.ratio[.].cube)" | column(16))"
		+ "\($b.makespan_ms | span | column(28))\($b.least_ms | us | pad(8))  \(($r.ratio[.].makespan - 1) * 1000 | round / 10) %") end;

def ms: if . then . / 1000 | if . < 10 then . * 100 | round / 100 else . * 10 | round / 10 end else "-" end;
def quantiles: "\(.median | ms) / \(.p90 | ms) / \(.max | ms)";
def recovery: if . == [] then empty else "",
	"Recovery, ms: median / nine of ten / longest: from a fault to the last return from the allreduce that it hit, of a guarded plan;",
	"or a communicator made anew by Open MPI and its first allreduce (nothing has failed). An allreduce by itself, and how many",
	"times as long recovery takes; rate with one link down by that before",
	"  fault      procs      size  recovered                  samples   by itself                  times   rate",
	(.[] | "  \({ link: "link", node: "node", recreate: "Open MPI" }[.of] | column(10))\(.procs | pad(6)) \(.bytes | bytes | pad(9))  "
		+ "\(.recovered_us | quantiles | column(27))\(.recovered_us.samples | pad(7))   \(.undisturbed_us | quantiles | column(27))"
		+ "\(.times * 10 | round / 10 | tostring | column(8))\(.throughput // "")") end;

def across: if . == [] then empty else "",
	"Collectives of 16 processes on four machines, us: median [min..max] of the rounds; ours against the best of Open MPI over TCP",
	(.[] | . as $r | "\(.of) \(.bytes | bytes): \(.latency.faster | two) times as fast (\(.latency.ours.name), \(.latency.peer.name)); back to back \(.back_to_back.faster | two) (\(.back_to_back.ours.name), \(.back_to_back.peer.name))",
		(.backends | to_entries[] | "    \(.key | column(10))\(.value.latency_us | span | column(30))\(.value.back_to_back_us | span)")) end;

def apart: if . == [] then empty else "",
	"Collectives of 16 processes on two virtual machines, back to back, us: median [min..max] of the rounds; ours against the best of Open MPI over TCP",
	(.[] | "\(.of) \(.bytes | bytes): \(.back_to_back.faster | two) times as fast (\(.back_to_back.ours.name), \(.back_to_back.peer.name))",
		(.backends | to_entries[] | "    \(.key | column(10))\(.value.back_to_back_us | span)")) end;

def hops: if . == null then empty else . as $e | "",
	"Two machines: TCP Mbit/s and round trip of a byte, us: median [min..max] of the rounds",
	(["wire", "memory", "trunk"][] as $w | $e.ways[$w] | "  \($w | column(8))\(.mbit_s | span | column(30))\(.round_trip_us | span)"),
	"  TCP between endpoints on two machines: \($e.tcp) of the bare wire, its round trip \($e.round_trip); a hop over a trunk: \($e.hop.mbit_s) of the rate of one in memory, its round trip \($e.hop.round_trip)" end;

"kernel \(.settings.kernel), \(.settings.processors) processors, emulated; interleaved rounds",
(.settings.peers | to_entries[] | "\(.key): \(.value)"),
(if .fabrics == [] then empty else "", "Fabrics" end),
(.fabrics[] | "  dim \(.dim): created in \(.create_ms) ms, removed in \(.delete_ms) ms; " +
	"\(.bytes_per_node) bytes of memory a node, of which our state \(.node_size), net_device \(.dev_size)"),
(if .reductions + .barriers == [] then empty else "",
"Collectives, us: median [min..max] of the rounds. Latency: from the last call (of a broadcast the source's)",
"to the last return (of a reduction the sink's); back to back: for each of many operations; ratios ours / peer of both" end),
(.reductions | operations("Reductions, u64 sums")),
(.barriers | operations("Barriers")),
(.allreductions | operations("Allreductions, u64 sums")),
(.broadcasts | operations("Broadcasts; back to back with a barrier behind each")),
(.plans | plans),
(.rings | rings),
(.exchanges | exchanges),
(if .traffic == [] then empty else "",
"Memory traffic of a reduction of 1 MiB, in units of the contribution" end),
(.traffic[] | "  \(.procs) processes: copied in \(.copied_in / .bytes), merged \(.merged / .bytes * 1000 | round / 1000)"
	+ " (ideal \(.merged_ideal / .bytes)), copied out \(.copied_out / .bytes)"),
(.ether | ether),
(.queues | queues),
(.recovery | recovery),
(.machines | across),
(.vms | apart),
(.hops | hops),
(.failures[] | "Failed: \(.of) over \(.backend) with \(.procs) processes in round \(.round)")
