#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: guest.sh DIM [STEP..]
# Prints a line for each step, with times in milliseconds: its duration, the longest poll of a node,
# the longest receive softirq (in which polls run one after another), and the longest ping over lo.
# If HC_HIGH_FRACTION is not empty, it is the value of vm.percpu_pagelist_high_fraction.

set -uo pipefail
dim=${1:?usage: guest.sh DIM [STEP..]}
nodes=$((1 << dim))
shift
tracing=/sys/kernel/tracing
scratch=$(mktemp -d)

die() { echo "latency: $*" >&2; exit 1; }
now() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }

# watch_functions: traces the polls and softirqs that take longer than 200 us
watch_functions() {
	local poll
	poll=$(grep -m 1 -oE '^node_poll\w*' $tracing/available_filter_functions) || die 'no poll to be traced'
	echo 200 >$tracing/tracing_thresh
	printf '%s\n' "$poll" net_rx_action >$tracing/set_ftrace_filter
	echo 20000 >$tracing/buffer_size_kb
	echo function_graph >$tracing/current_tracer
}

# longest FUNCTION: prints the longest duration of this function in milliseconds
longest() {
	awk -v name="$1" '$0 ~ "/\\* " name {
		for (i = 2; i <= NF; i++) if ($i == "us" && $(i - 1) + 0 > max) max = $(i - 1)
	} END { printf "%.1f", max / 1000 }' $tracing/trace
}

# measure NAME COMMAND..: runs COMMAND while another process pings itself, and prints the line for
# it
measure() {
	local name=$1 begin took ping stall
	shift
	echo >$tracing/trace
	ping -q -n -i 0.002 127.0.0.1 >"$scratch/ping" &
	ping=$!
	sleep 0.1
	begin=$(now)
	"$@" >"$scratch/said" 2>&1 || die "$name: $(head -3 "$scratch/said")"
	took=$(($(now) - begin))
	sleep 0.3
	kill -INT $ping
	wait $ping
	# Some versions of ping print a deviation after the longest time.
	stall=$(sed -nE 's|^r[ot][^=]*= [0-9.]+/[0-9.]+/([0-9.]+).*|\1|p' "$scratch/ping")
	printf '%-52s %8d %8s %8s %8s\n' "$name" "$took" "$(longest node_poll)" "$(longest net_rx_action)" "$stall"
}

have() { hcctl fabric show a >/dev/null 2>&1 || hcctl fabric add a dim "$dim"; }

add() { measure 'a fabric is made' hcctl fabric add a dim "$dim"; }

second() {
	have
	measure 'a second fabric is made' hcctl fabric add b dim "$dim"
	measure 'and removed' hcctl fabric del b
}

detect() { have; measure 'detect' hcctl detect a; }

plans() {
	have
	measure 'a tree is applied' hcctl tree find fabric a apply plan 1 sink 0
	measure 'a broadcast is applied' hcctl bcast plan fabric a apply plan 2 source 0
	measure 'a tree is replaced' hcctl tree find fabric a apply plan 1 sink 0
	hcctl tree del a plan 1 || die 'no plan to be removed'
	measure 'a broadcast is removed' hcctl tree del a plan 2
}

link() {
	have
	measure 'a link goes down' hcctl link set a 0:0 down
	measure 'and up' hcctl link set a 0:0 up
}

node() {
	have
	measure 'a node fails' hcctl node set a 5 fail
	measure 'and is back' hcctl node set a 5 ok
}

faults() {
	have
	measure '20 links go down, one after another' hcctl fault random a links 20 seed 1
	measure 'detect among them' hcctl detect a
}

clear() { have; measure 'all faults are cleared' hcctl fault clear a; }

# broadcasts N: sends N broadcast frames from an endpoint
broadcasts() {
	/selftests/hc_flow packets an0 ff:ff:ff:ff:ff:ff "$(cat /sys/class/net/an0/address)" "$1" 1000 &&
		sleep 2
}

endpoint() {
	have
	ip link set an0 up
	ip addr replace 10.200.0.1/16 brd 10.200.255.255 dev an0
	sleep 0.5
}

flood() {
	endpoint
	measure '100 frames are flooded' broadcasts 100
}

# Nodes of a link that may lose frames build no broadcast tree, so all nodes send each broadcast
# frame over all links.
spread() {
	endpoint
	hcctl link set a 1:1 loss 50 || die 'no loss'
	measure '20 frames are spread over all links' broadcasts 20
	hcctl link set a 1:1 loss 0
}

plan() {
	have
	hcctl tree find fabric a apply plan "${1:-1}" sink 0 >/dev/null || die 'no tree'
}

# A reduction by "hcctl run", which starts a process for each member
reduce() {
	hcctl fabric add r dim 6
	hcctl tree find fabric r apply >/dev/null
	measure '100 reductions of 256 KiB by 64 processes' \
		hcctl run reduce r op sum type u64 count 32768 iterations 100 verify
	hcctl fabric del r
}

merge() {
	hcctl fabric add r dim 6
	hcctl tree find fabric r apply >/dev/null
	measure '64 runs of 256 KiB are merged' hcctl run reduce r op merge type u32 count 65536 verify
	hcctl fabric del r
}

# crowd FABRIC NODES PLANS OPS: starts a process that contributes, at each node but node 0, to OPS
# operations of each plan; all these operations wait for the contributions of node 0
crowd() {
	local said
	: >"$scratch/crowd"
	/selftests/hc_load crowd "$@" >"$scratch/crowd" &
	load=$!
	until said=$(<"$scratch/crowd") && [[ $said ]]; do sleep 0.05; done
	[[ $said == ready ]] || { echo "$said"; return 1; }
}

leave() { kill -KILL "$load" && wait "$load"; true; } 2>/dev/null

pending() {
	local i
	for ((i = 1; i <= 4; i++)); do plan $i; done
	measure "$((nodes - 1)) nodes begin 8 operations of 4 plans" crowd a "$nodes" 4 8
	measure 'they wait for 3 s' sleep 3
	measure 'a link of theirs goes down' hcctl link set a 1:0 down
	measure 'the process is killed' leave
	hcctl link set a 1:0 up
}

close() {
	plan
	crowd a "$nodes" 1 8 || die 'no crowd'
	measure 'a process with 8 operations at each node is killed' leave
	# All contributions wait for node 0, and all nodes probe for node 0's contribution once a
	# second.
	hcctl plan del a 1 || die 'no plan to be removed'
}

# many: measures with 1000 plans of a small fabric
many() {
	local i
	hcctl fabric add s dim 3
	for ((i = 1; i <= 1000; i++)); do echo "tree find fabric s apply plan $i sink 0"; done >"$scratch/batch"
	hcctl -b "$scratch/batch" >/dev/null || die 'no plans'
	measure '7 nodes begin 4 operations of 1000 plans' crowd s 8 1000 4
	measure 'they wait for 3 s' sleep 3
	measure 'a process with all of them is killed' leave
	crowd s 8 1000 4 || die 'no crowd'
	measure 'a link that 1000 plans use goes down' hcctl link set s 1:0 down
	leave
	measure 'their fabric is removed' hcctl fabric del s
}

# All links of the last node are down. A frame to this node searches all other nodes for a path.
route() {
	local d links='' fabric
	have
	for ((d = 0; d < dim; d++)); do links+=,$((nodes - 1)):$d; done
	hcctl link set a "${links#,}" down
	endpoint
	fabric=$(cut -d: -f3,4 /sys/class/net/an0/address)
	ip neigh replace 10.200.0.2 dev an0 \
		lladdr "$(printf '02:68:%s:%02x:%02x' "$fabric" $((nodes - 1 >> 8)) $((nodes - 1 & 255)))"
	measure '200 frames look for a way that is not there' eval \
		'ping -q -n -i 0.002 -c 200 -W 1 10.200.0.2 || true'
	hcctl fault clear a
}

# Measures the total work of some operations: the clock counts instructions, so the column "took"
# shows it.
speed() {
	hcctl fabric add q dim 4
	hcctl tree find fabric q apply >/dev/null
	measure '1000 reductions of 8 bytes by 16 processes' \
		hcctl run reduce q op sum type u64 count 1 iterations 1000
	measure '200 barriers by 16 processes' hcctl run barrier q iterations 200
	measure '200 reductions of 128 KiB by 16 processes' \
		hcctl run reduce q op sum type u64 count 16384 iterations 200
	ip netns add far
	hcctl node set q 15 netns far
	ip addr add 10.201.0.1/24 dev qn0
	ip link set qn0 up
	ip -n far addr add 10.201.0.2/24 dev qn15
	ip -n far link set qn15 up
	ping -q -c 1 10.201.0.2 >/dev/null
	measure '5000 pings over 4 hops' ping -q -n -A -c 5000 10.201.0.2
	hcctl fabric del q
	ip netns del far
}

remove() { have; measure 'a fabric is removed' hcctl fabric del a; }

(($#)) || set -- add second detect plans link node faults clear flood spread reduce merge pending \
	close many route remove
[[ ! ${HC_HIGH_FRACTION-} ]] || sysctl -q vm.percpu_pagelist_high_fraction="$HC_HIGH_FRACTION"
watch_functions
printf '%-52s %8s %8s %8s %8s\n' 'ms' took poll softirq ping
measure 'nothing' sleep 2
for step in "$@"; do
	"$step"
done
