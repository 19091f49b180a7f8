# SPDX-License-Identifier: GPL-2.0
# Input: the lines of guest.sh. Output: one object with the minimum, median and maximum over the
# rounds of each measurement, and with ratios of medians: our time divided by the competitor's, or
# our rate divided by the competitor's.

def stats: sort | { min: .[0], median: ((.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2), max: .[-1] };
def round3: if . == null then null else . * 1000 | round / 1000 end;

def of($metric): map(.[$metric]) | stats;

# The results of an operation, for each number of processes and each size
def operations: group_by([.procs, .bytes]) | map({
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
}) | from_entries));

# The results of an allreduce over a plan of recursive doubling and over a tree
def plans: group_by([.procs, .bytes]) | map({
	procs: .[0].procs,
	bytes: .[0].bytes,
	backends: (group_by(.backend) | map({ key: .[0].backend, value: {
		latency_us: of("latency_us"),
		back_to_back_us: of("back_to_back_us"),
	} }) | from_entries),
} | .ratio = {
	latency: (.backends.doubling.latency_us.median / .backends.tree.latency_us.median | round3),
	back_to_back: (.backends.doubling.back_to_back_us.median
		/ .backends.tree.back_to_back_us.median | round3),
});

# The cost of each further hop, divided by the cost of the first hop; "cost" is the cost of a kind
# of path
def further($ways; cost): ($ways.hops1 | cost) as $one
	| { second: ((($ways.hops2 | cost) - $one) / $one | round3),
	    each_of_four: ((($ways.hops4 | cost) - $one) / 3 / $one | round3) };

def ether: group_by(.way) | map({ key: .[0].way, value: {
	mbit_s: of("mbit_s"), round_trip_us: of("round_trip_us"), frames_s: of("frames_s"),
} }) | from_entries | . as $ways | if . == {} then null else {
	ways: .,
	ratio: (del(.veth) | map_values({
		mbit_s: (.mbit_s.median / $ways.veth.mbit_s.median | round3),
		round_trip: (.round_trip_us.median / $ways.veth.round_trip_us.median | round3),
		frames_s: (.frames_s.median / $ways.veth.frames_s.median | round3),
	})),
	further_hops: {
		mbit_s: further($ways; 1 / .mbit_s.median),
		round_trip: further($ways; .round_trip_us.median),
		frames_s: further($ways; 1 / .frames_s.median),
	},
} end;

def only($what): map(select(.what == $what));
def is_plan: .backend == "tree" or .backend == "doubling" or .backend == "ring";
def against_peers($what): only($what) | map(select(is_plan | not)) | operations;

# Of the backends whose names begin with $begin, the one with the least median
def best($metric; $begin): to_entries | map(select(.key | startswith($begin)) | { name: .key, us: .value[$metric].median })
	| min_by(.us);

def times_of($metric): {
	ours: (.backends[.plan][$metric].median),
	best: ((.backends | del(.floor, .["one-way"])) | to_entries | map(select(.key | startswith("mpi-") | not)) | from_entries | best($metric; "")),
	shared: ((.backends | del(.["mpi-tcp"])) | best($metric; "mpi-")),
	tcp: .backends["mpi-tcp"][$metric].median,
	floor: .backends.floor[$metric].median,
};

# Collectives with blocks: over each plan type, over the plan that "hcctl run" chooses ($choices),
# and over the competitors. A ratio is a competitor's time divided by ours.
def exchanges($choices): group_by([.what, .procs, .bytes]) | map({
	of: .[0].what,
	procs: .[0].procs,
	bytes: .[0].bytes,
	backends: (group_by(.backend) | map({ key: .[0].backend, value: {
		latency_us: of("latency_us"),
		back_to_back_us: of("back_to_back_us"),
		cpu_processes_us: of("cpu_processes_us"),
		cpu_kernel_us: of("cpu_kernel_us"),
		ways: (map(.way // empty) | unique),
	} }) | from_entries),
} | . as $row | . + ($choices[] | select(.of == $row.of and .procs == $row.procs and .bytes == $row.bytes)
	| { plan, why, steps, optimum, optimum_is })
| .latency = times_of("latency_us") | .back_to_back = times_of("back_to_back_us")
| (.latency, .back_to_back) |= . + (if .shared then { faster: (.shared.us / .ours | round3), best_faster: (.shared.us / .best.us | round3) }
	else { faster: null, best_faster: null } end));

# Queues of tasks. The ratios are our rate divided by a competitor's, and the makespan divided by
# the least possible one.
def queues: group_by([.procs, .bytes]) | map({
	procs: .[0].procs,
	bytes: .[0].bytes,
	backends: (group_by(.backend) | map({ key: .[0].backend, value: {
		per_second: of("per_second"),
		makespan_ms: of("makespan_ms"),
		least_ms: .[0].least_ms,
	} }) | from_entries),
} | .backends as $all | .ratio = ($all | map_values(. as $peer | {
	node: ($all.node.per_second.median / $peer.per_second.median | round3),
	cube: ($all.cube.per_second.median / $peer.per_second.median | round3),
	makespan: ($peer.makespan_ms.median / $peer.least_ms | round3),
})));

# Collectives across machines: the time of the best competitor divided by the time of our best plan
def faster_of($metric): {
	ours: (.backends | with_entries(select(.key | startswith("mpi-") | not)) | best($metric; "")),
	peer: (.backends | best($metric; "mpi-")),
} | .faster = (if .peer and .ours then .peer.us / .ours.us | round3 else null end);

def across: group_by([.what, .bytes]) | map({
	of: (.[0].what | ltrimstr("machines-")),
	bytes: .[0].bytes,
	backends: (group_by(.backend) | map({ key: .[0].backend, value: {
		latency_us: of("latency_us"),
		back_to_back_us: of("back_to_back_us"),
	} }) | from_entries),
} | .latency = faster_of("latency_us") | .back_to_back = faster_of("back_to_back_us"));

def apart: group_by([.what, .bytes]) | map({
	of: (.[0].what | ltrimstr("vms-")),
	bytes: .[0].bytes,
	backends: (group_by(.backend) | map({ key: .[0].backend, value: { back_to_back_us: of("back_to_back_us") } }) | from_entries),
} | .back_to_back = faster_of("back_to_back_us"));

def hops: group_by(.way) | map({ key: .[0].way, value: { mbit_s: of("mbit_s"), round_trip_us: of("round_trip_us") } })
	| from_entries | if . == {} then null else {
	ways: .,
	tcp: (.trunk.mbit_s.median / .wire.mbit_s.median | round3),
	round_trip: (.trunk.round_trip_us.median / .wire.round_trip_us.median | round3),
	hop: { mbit_s: (.trunk.mbit_s.median / .memory.mbit_s.median | round3),
	       round_trip: (.trunk.round_trip_us.median / .memory.round_trip_us.median | round3) },
} end;

# Of the samples of recovery.sh: the median, the 90th percentile, and the maximum
def quantiles: sort | { samples: length, median: .[length / 2 | floor], p90: .[length * 9 / 10 | floor], max: .[-1] };
def all($metric): map(.[$metric] // empty) | add | if . then quantiles else null end;
def recovery: group_by(.of) | map({
	of: .[0].of, procs: .[0].procs, bytes: .[0].bytes,
	recovered_us: all("recovered_us"), undisturbed_us: all("undisturbed_us"), before_us: all("before_us"), behind_us: all("behind_us"),
} | .throughput = (if .behind_us then .before_us.median / .behind_us.median | round3 else null end)
	| .times = (.recovered_us.median / .undisturbed_us.median | round3));

{
	mode: $mode,
	settings: (only("settings")[0] | del(.what)),
	fabrics: (only("fabric") | map(del(.what))),
	reductions: against_peers("reduce"),
	allreductions: against_peers("allreduce"),
	barriers: against_peers("barrier"),
	broadcasts: against_peers("bcast"),
	plans: (map(select(is_plan and (.what == "allreduce" or .what == "barrier"))) | plans),
	rings: (only("rings") | map(del(.what))),
	exchanges: (only("choice") as $choices | map(select(.what == "allgather" or .what == "alltoall" or .what == "reduce_scatter"))
		| exchanges($choices)),
	traffic: (only("traffic") | map(del(.what))),
	ether: (only("ether") | ether),
	queues: (only("tasks") | queues),
	recovery: (only("recovery") | recovery),
	machines: (map(select(.what | startswith("machines-"))) | across),
	vms: (map(select(.what | startswith("vms-"))) | apart),
	hops: (only("machine-hop") | hops),
	failures: (only("failure") | map(del(.what))),
	raw: map(select(has("round") and .what != "failure")),
}
