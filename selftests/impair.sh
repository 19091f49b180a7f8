#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Impaired links: the settings and how the tool shows them, how ordinary programs work over such
# links, and that equal seeds give equal impairments. impaired.c tests operations over such links.
#
# Scheduling: shared long

# shellcheck source=selftests/lib/endpoints.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/endpoints.sh"

link() { json ".[0]$2" link show t "$1"; }
counts_all() { json "[.[] | $1] | add // 0" link show t; }
stat() { json "$1 // 0" stats t; }

test_impairments_are_shown_as_set() {
	local end
	check 'add' hcctl fabric add t dim 2
	equal 'nothing' '[0,0,0,0,0,0,0,0]' "$(link 0:0 '| [.loss_ppm, .corrupt_ppm, .duplicate_ppm,
		.delay_ns, .jitter_ns, .rate, .flap_down_ms, .flap_period_ms]')"
	check 'set' hcctl link set t 0:0 loss 1% corrupt 0.5% duplicate 2% delay 5ms jitter 1ms \
		rate 10mbit seed 7
	for end in 0:0 1:0; do
		equal "at $end" '[10000,5000,20000,5000000,1000000,1250000,7]' "$(link $end '| [.loss_ppm,
			.corrupt_ppm, .duplicate_ppm, .delay_ns, .jitter_ns, .rate, .seed]')"
	done
	equal 'the model is another thing' '[1000,1250000000]' "$(link 0:0 '| [.model_latency_ns, .model_bandwidth]')"
	check 'the model' hcctl link set t 0:1 model-latency 9us model-bandwidth 1gbps
	equal 'set' '[9000,1000000000,0,0]' "$(link 2:1 '| [.model_latency_ns, .model_bandwidth, .delay_ns, .rate]')"
	check 'one at a time' hcctl link set t 0:0 loss 0
	equal 'the others stay' '[0,5000]' "$(link 0:0 '| [.loss_ppm, .corrupt_ppm]')"
	check 'a delay' hcctl link set t 0:0 delay 3ms
	equal 'has its own jitter' '[3000000,0]' "$(link 1:0 '| [.delay_ns, .jitter_ns]')"
	check 'one way' hcctl link set t 3:1 loss 100 one-way
	equal 'one way' '1000000 0' "$(link 3:1 .loss_ppm) $(link 1:1 .loss_ppm)"
	grep -q 'corrupt 0.5% duplicate 2% delay 3ms rate 10mbit seed 7' <(hcctl link show t 0:0) ||
		fault "it says $(hcctl link show t 0:0)"
	refused 'jitter' 'jitter must not exceed' hcctl link set t 0:0 delay 1ms jitter 2ms
	refused 'rate' '256 kbit' hcctl link set t 0:0 rate 100kbit
	refused 'delay' 'range' hcctl link set t 0:0 delay 2s
	refused 'flap' '10 ms' hcctl link set t 0:0 flap 5ms/300ms
	equal 'and nothing changed' '[5000,3000000]' "$(link 0:0 '| [.corrupt_ppm, .delay_ns]')"
	check 'clear' hcctl fault clear t
	equal 'all clear' 0 "$(counts_all '.loss_ppm + .corrupt_ppm + .duplicate_ppm + .delay_ns + .rate')"
	equal 'the model, too' '[1000,1250000000]' "$(link 0:1 '| [.model_latency_ns, .model_bandwidth]')"
}

# fate SEED IMPAIRMENT..: sets the impairment on link 0:0, sends 300 numbered frames from node 0 to
# node 1, and prints the numbers of the frames that arrive
fate() {
	check 'impair' hcctl link set t 0:0 seed "${@}"
	: >"$scratch/heard"
	start 1 "$flow" hear tn1 $((60 * slow)) 1000 list >>"$scratch/heard"
	check 'it listens' busywait 5 hears "$scratch/heard"
	check 'send' at 0 "$flow" raw tn0 "$(at 1 cat /sys/class/net/tn1/address)" \
		"$(at 0 cat /sys/class/net/tn0/address)" 300
	wait "$pid"
	jobs=()
	sed -n 2p "$scratch/heard"
}

# quiet_pair: makes a fabric of two nodes whose IPv6 sends no frames
quiet_pair() {
	check 'add' hcctl fabric add t dim 1 netns-each "$p"
	check 'silence' at 0 sh -c 'echo 1 >/proc/sys/net/ipv6/conf/tn0/disable_ipv6'
	check 'silence' at 1 sh -c 'echo 1 >/proc/sys/net/ipv6/conf/tn1/disable_ipv6'
}

test_equal_seeds_give_equal_impairments() {
	local what first again other
	quiet_pair
	for what in 'loss 20% corrupt 0' 'loss 5% duplicate 20% corrupt 10%'; do
		# shellcheck disable=SC2086
		{
			first=$(fate 5 $what)
			again=$(fate 5 $what)
			other=$(fate 6 $what)
		}
		(($(wc -w <<<"$first") > 150)) || fault "$what: hardly any came: $first"
		equal "$what" "$first" "$again"
		[[ $first != "$other" ]] || fault "$what: another seed, the same fate"
		[[ $first != "$(seq -s ' ' 0 299) " ]] || fault "$what: nothing happened"
		[[ ! $debug ]] || break
	done
}

test_unicast_duplicates_are_delivered_broadcast_ones_are_not() {
	local line
	quiet_pair
	line=$(fate 1 duplicate 100%)
	equal 'each twice, one after the other' "$(for ((i = 0; i < 300; i++)); do printf '%d %d ' $i $i; done)" "$line"
	# A broadcast frame carries a sequence number of its origin, so the receiver recognizes a
	# duplicate.
	: >"$scratch/heard"
	start 1 "$flow" hear tn1 $((60 * slow)) 1000 >>"$scratch/heard"
	check 'it listens' busywait 5 hears "$scratch/heard"
	check 'send' at 0 "$flow" raw tn0 ff:ff:ff:ff:ff:ff "$(at 0 cat /sys/class/net/tn0/address)" 100
	wait "$pid"
	jobs=()
	check 'broadcasts once' grep -q ' 100 frames, 0 twice' "$scratch/heard"
}

test_corrupted_frames_are_dropped() {
	cube 2
	check 'impair' hcctl link set t 0:0,0:1,1:1,2:0 corrupt 10% seed 3
	at 0 ping -q -c 100 -i 0.005 -W 1 "$(address 3)" >"$scratch/ping"
	check 'some are lost' grep -qE '[1-9][0-9.]*% packet loss' "$scratch/ping"
	check 'some come' grep -qE ' [1-9][0-9]* (packets )?received' "$scratch/ping"
	(($(stat .corrupted) > 10)) || fault "$(stat .corrupted) corrupted"
	check 'each is found out' busywait 3 same_counts corrupted checksum
	check 'ethtool has it' grep -q 'drop_checksum: [1-9]' <(at 3 ethtool -S tn3)
	equal 'nothing else was hurt' '0 0' "$(stat .drops.malformed) $(stat .drops.foreign)"
}
same_counts() { [[ $(stat ".$1") == "$(stat ".drops[\"$2\"]")" ]]; }

# tcp_flows: sends TCP data from endpoint 0 to endpoint 3 for some seconds; the receiver's output is
# in $scratch/sink
tcp_flows() {
	local seconds=4
	[[ ! $brief ]] || seconds=2
	: >"$scratch/sink"
	start 3 "$flow" sink 7777 >>"$scratch/sink" 2>&1
	local sinker=$pid
	check 'sink' busywait 5 at 3 sh -c 'grep -q :1E61 /proc/net/tcp /proc/net/tcp6'
	check 'source' at 0 "$flow" source "$(address 3)" 7777 $seconds
	wait "$sinker" || fault "the flow broke: $(<"$scratch/sink")"
	jobs=()
	log "$(<"$scratch/sink")"
}

test_tcp_works_over_loss_corruption_duplication_and_delay() {
	cube 2
	check 'impair' hcctl link set t 0:0,0:1,1:1,2:0 corrupt 1% loss 1% duplicate 5% delay 1ms jitter 1ms seed 4
	tcp_flows
	(($(sed 's/ .*//' "$scratch/sink") > 50000)) || fault 'hardly anything came'
}

# Impairments delay and duplicate frames, but each frame reaches the collective once, and in order.
test_collectives_take_each_duplicated_frame_once() {
	local what links
	check 'add' hcctl fabric add t dim 3
	check 'a tree' hcctl tree find fabric t apply
	links=$(json '[.[] | select(.node < .peer) | "\(.node):\(.dim)"] | join(",")' link show t)
	check 'impair' hcctl link set t "$links" duplicate 40% delay 500us jitter 500us seed 3
	for what in 'reduce t op sum type f64' 'reduce t op merge type u32' 'allreduce t op sum type u64' \
		'bcast t type u8' 'gather t type u32' 'scatter t type u32'; do
		# shellcheck disable=SC2086
		check "$what" hcctl run $what count 9000 verify
	done
	check 'barrier' hcctl run barrier t
	check 'duplicates were dropped' busywait 2 same_or_fewer
}
same_or_fewer() { (($(stat .drops.duplicate) > 100 && $(stat .drops.duplicate) <= $(stat .duplicated))); }

# round_trip FROM TO: prints the shortest of ten round-trip times in microseconds
round_trip() {
	at "$1" ping -q -c 10 -i 0.02 -W 2 "$(address "$2")" | sed -nE 's|^r[ot].* ([0-9]+)\.([0-9]{3})/.*/.*|\1\2|p' |
		sed 's/^0*//'
}

test_delay_of_links_adds_to_round_trip_time() {
	local us
	cube 2
	check 'impair' hcctl link set t 0:0,1:1,0:1,2:0 delay 10ms
	check 'warm' busywait 10 reaches 0 3
	us=$(round_trip 0 3)
	log "$us us over two links and back"
	((us >= 40000 && us < 40000 + 30000 * slow)) || fault "$us us, not 40000"
	us=$(round_trip 0 1)
	((us >= 20000)) || fault "$us us, not 20000"
	check 'off' hcctl fault clear t
	us=$(round_trip 0 3)
	((us < 20000 * slow)) || fault "$us us without delay"
	(($(stat .delayed) > 40)) || fault 'nobody counts'
}

test_rate_of_link_limits_throughput_and_excess_is_dropped() {
	local bytes seconds=2
	cube 1
	check 'impair' hcctl link set t 0:0 rate 8mbit
	: >"$scratch/sink"
	start 1 "$flow" sink 7777 >>"$scratch/sink" 2>&1
	local sinker=$pid
	check 'sink' busywait 5 at 1 sh -c 'grep -q :1E61 /proc/net/tcp /proc/net/tcp6'
	check 'source' at 0 "$flow" source "$(address 1)" 7777 $seconds
	wait "$sinker"
	jobs=()
	bytes=$(sed 's/ .*//' "$scratch/sink")
	log "$bytes bytes in $seconds seconds"
	# Some data arrives after the end: what fills a send buffer, and what is queued at the link.
	((bytes > 500000)) || fault 'too slow'
	((bytes <= 1000000 * (seconds + 5 * slow))) || fault 'too fast'
	# Copies of broadcasts are charged to no socket, so the sender does not block, and the
	# link's queue overflows.
	check 'a flood' at 0 "$flow" raw tn0 ff:ff:ff:ff:ff:ff "$(at 0 cat /sys/class/net/tn0/address)" 2000 1400
	check 'too much is dropped' busywait 5 dropped_full
	check 'the queue empties' busywait 3 json_is 0 .queued_frames stats t
	check 'and it works' busywait 5 reaches 0 1
}
dropped_full() { (($(json '.[0].drops["queue-full"] // 0' link show t 0:0) > 0)); }

# Control frames of an operation, mainly credits, wait in the same queue as the frames of a flood.
# The flood is charged to no socket, so it may use 2 MiB in each direction: about 900 frames, which
# the link's delay keeps in the queue for a second.
test_operations_complete_during_a_flood_of_broadcasts() {
	local i bytes most=0
	cube 1
	check 'plan' hcctl tree find fabric t apply
	check 'impair' hcctl link set t 0:0 delay 1s
	# The flood sends up to 12,000 frames a second. A faster one would only take processor time
	# from the operations.
	for i in 0 1; do
		start $i "$flow" raw tn$i ff:ff:ff:ff:ff:ff "$(at $i cat /sys/class/net/tn$i/address)" 1000000 1400 5
	done
	# A kernel with debugging may be too slow to fill the queue.
	[[ $debug ]] || check 'too much is dropped' busywait 20 dropped_full
	for ((i = 0; i < 8; i++)); do
		bytes=$(json '[.[].queued_bytes] | max' link show t)
		most=$((bytes > most ? bytes : most))
	done
	log "up to $most bytes wait"
	((most < (2 << 20) + 65536)) || fault 'the flood leaves no half of the room'
	for i in merge sum; do
		check "a reduction, $i" hcctl run reduce t op $i type u32 count 60000 verify
	done
}

events() { jq -c 'select(.event == "link" and .node == 0 and .dim == 1) | .state' "$scratch/events" | uniq; }
was() { events | grep -qxF "$1"; }
test_flapping_link_goes_down_and_up_until_switched_off() {
	cube 2
	hcctl -j monitor >"$scratch/events" &
	jobs+=("$!")
	check 'plan' hcctl tree find fabric t apply
	check 'flap' hcctl link set t 2:1 flap 50ms/200ms
	equal 'shown' '[50,200]' "$(link 0:1 '| [.flap_down_ms, .flap_period_ms]')"
	check 'it goes down' busywait 2 was '["down"]'
	check 'and up' busywait 2 was '[]'
	check 'traffic goes around' reaches 0 2
	nap 1
	refused 'a schedule and a state' 'flap and up or down at once' hcctl link set t 0:1 up flap 50ms/200ms
	check 'off' hcctl link set t 0:1 flap off
	nap 0.3
	json_is '[[],0]' '.[0] | [.state, .flap_period_ms]' link show t 0:1 || fault 'it goes on'
	stop "${jobs[0]}"
	jobs=()
	log "$(events | wc -l) changes"
	[[ $debug ]] || (($(events | wc -l) >= 10)) || fault "only $(events | wc -l) changes"
	check 'the plan was broken' grep -q '"broken":true' "$scratch/events"
	check 'again' hcctl link set t 0:1 flap 20ms/40ms
	check 'down ends it' hcctl link set t 0:1 down
	equal 'for good' '[["down"],0]' "$(link 0:1 '| [.state, .flap_period_ms]')"
	check 'up' hcctl link set t 0:1 up
	check 'a plan' busywait 3 hcctl tree find fabric t apply
	check 'a reduction' hcctl run reduce t op sum type u32 count 100 verify
}

test_tcp_continues_around_flapping_links() {
	local stall
	cube 2
	check 'flap' hcctl link set t 0:0,3:1 flap 50ms/300ms
	tcp_flows
	stall=$(sed -nE 's/.*stall ([0-9]+) ms/\1/p' "$scratch/sink")
	((stall < 1000 * slow)) || fault "it stalled for $stall ms"
}

test_fabric_is_removed_while_links_hold_delayed_frames() {
	local i a
	for ((i = $(scaled 3); i > 0; i--)); do
		cube 2
		check 'flap' hcctl link set t 0:0,1:1 flap 10ms/20ms
		check 'slow' hcctl link set t 0:1,2:0 delay 500ms rate 1mbit duplicate 10%
		start 0 "$flow" udp "$(address 3)" 9 5 1400 >/dev/null
		start 2 "$flow" raw tn2 ff:ff:ff:ff:ff:ff "$(at 2 cat /sys/class/net/tn2/address)" 1000000 1400 2>/dev/null
		check 'frames wait' busywait 3 frames_wait
		check 'del' hcctl fabric del t
		for a in "${jobs[@]}"; do stop "$a"; done
		jobs=()
	done
	namespace a || return
	check 'add' hcctl -n "$a" fabric add t dim 3
	check 'flap' hcctl -n "$a" link set t 0:0,1:1 flap 10ms/20ms
	check 'slow' hcctl -n "$a" link set t 0:1,0:2 delay 900ms
	check 'up' ip -n "$a" link set tn0 up
	check 'the namespace goes' ip netns del "$a"
	namespaces=()
}
frames_wait() { (($(stat .queued_frames) > 0)); }

alone=(
	test_tcp_works_over_loss_corruption_duplication_and_delay
	test_delay_of_links_adds_to_round_trip_time
	test_rate_of_link_limits_throughput_and_excess_is_dropped
	test_flapping_link_goes_down_and_up_until_switched_off
	test_tcp_continues_around_flapping_links
)
run_tests
