#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Views of a fabric: pictures, tracepoints, the monitor interface, timelines.
#
# Scheduling: shared second

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

# a_fabric DIM: makes fabric t with some faults, and a tree around them
a_fabric() {
	check 'add' hcctl fabric add t dim "$1"
	check 'down' hcctl link set t 3:1 down
	check 'fail' hcctl node set t 6 fail
	check 'plan' hcctl tree find fabric t apply
}

# a_reduction [COUNT]: runs a reduction
a_reduction() { check 'reduce' hcctl run reduce t op sum type i64 count "${1:-1000}" verify; }

# dot_sum ATTRIBUTE: prints the sum of ATTRIBUTE over all edges of the picture
dot_sum() { grep -oE "$1=[0-9]+" "$scratch/t.dot" | awk -F= "{ n += \$2 } END { print n }"; }

test_plot_as_svg_and_dot_shows_faults_and_traffic() {
	a_fabric 3
	a_reduction 1000
	check 'svg' hcctl plot t -o "$scratch/t.svg"
	equal 'faults' '[1,1,"tree"]' \
		"$(json '[.faulty_links, .failed_nodes, .kind]' plot t -o "$scratch/t.dot")"
	equal 'bytes' "$(json .tx_bytes stats t)" "$(dot_sum bytes)"
	equal 'links' 12 "$(grep -c 'dir=none' "$scratch/t.dot")"
	grep -q '</svg>' "$scratch/t.svg" || fault 'the picture has no end'
	grep -q '>Arrows, by stage<' "$scratch/t.svg" || fault 'the key does not tell what the numbers are'
	grep -q 'the more traffic' "$scratch/t.dot" || fault 'the key does not tell how much traffic'
	refused 'another plan' 'no tree, doubling or spanning tree is installed as plan 9' hcctl plot t plan 9 -o "$scratch/t.svg"
	refused 'another fabric' 'fabric' hcctl plot none -o "$scratch/t.svg"
	check 'doubling' hcctl doubling plan fabric t apply
	equal 'a doubling' doubling "$(json .kind plot t plan 3 -o "$scratch/t.svg")"
	check 'a matrix' hcctl fabric add u dim 8
	equal 'a matrix' fabric "$(json .kind plot u -o "$scratch/u.svg")"
}

# model FILTER: prints what the jq filter selects from the data in the page
model() { sed -n '/id="model">/{n;p}' "$scratch/t.html" | pick "$1"; }

test_plot_as_html_shows_faults_and_traffic() {
	a_fabric 3
	a_reduction 1000
	check 'page' hcctl plot t plan 1 -o "$scratch/t.html"
	equal 'fabric' '["t",1,false,"tree"]' "$(model '[.fabric, .plan, .broken, .kind]')"
	equal 'faults' '[[[1,1]],[6]]' "$(model '[[.fail_links[] | [.node, .dim]], .fail_nodes]')"
	equal 'bytes' "$(json .tx_bytes stats t)" "$(model '[.traffic[].bytes] | add')"
	equal 'the busiest link' "$(model .busiest)" "$(model '[.traffic[].bytes] | max')"
	equal 'transfers' "$(json .transfers plot t -o "$scratch/t.dot")" "$(model '.transfers | length')"
	check 'another fault' hcctl link set t 0:0 down
	check 'page' hcctl plot t plan 1 -o "$scratch/t.html"
	equal 'a broken plan' true "$(model .broken)"
}

tracing=/sys/kernel/tracing

# stat FILTER: prints what the jq filter selects from the counters of fabric t
stat() { json "$1" stats t; }

trace_on() {
	echo 0 >$tracing/tracing_on
	echo 8192 >$tracing/buffer_size_kb
	echo >$tracing/trace
	echo 1 >$tracing/events/hypercube/enable
	echo 1 >$tracing/tracing_on
}

# trace_off [FABRIC]: stops tracing, and writes the trace lines of fabric t, or of the fabrics whose
# names match FABRIC, to $scratch/trace
trace_off() {
	echo 0 >$tracing/tracing_on
	echo 0 >$tracing/events/hypercube/enable
	grep " fabric=${1:-t} " $tracing/trace >"$scratch/trace"
	equal 'events lost' 0 "$(awk '/^overrun/ { n += $2 } END { print n + 0 }' $tracing/per_cpu/cpu*/stats)"
	echo >$tracing/trace
}

# events EVENT: prints the trace lines of a tracepoint. Busybox's grep finds a fixed string in a
# tenth of the time that a pattern takes.
events() { grep -F " $1: " "$scratch/trace"; }

# traced EVENT [WORDS]: prints the number of trace lines of EVENT that contain WORDS
traced() { events "$1" | grep -c -- "${2-}"; }

# traced_sum EVENT FIELD: prints the sum of a field over the trace lines of EVENT
traced_sum() { events "$1" | sed -n "s/.* $2=\([0-9]*\).*/\1/p" | awk '{ n += $1 } END { print n + 0 }'; }

wants_tracing() {
	one_processor
	[[ -e $tracing/events/hypercube ]] && return
	skip 'no tracing in this kernel'
	return 1
}

test_tracepoints_agree_with_counters() {
	local sent received merged dropped
	wants_tracing || return
	check 'add' hcctl fabric add t dim 3
	sent=$(stat .tx_frames) received=$(stat .rx_frames) merged=$(stat .merged_bytes)
	dropped=$(stat '[.drops[]] | add // 0')
	trace_on
	check 'down' hcctl link set t 3:1 down
	check 'fail' hcctl node set t 6 fail
	check 'plan' hcctl tree find fabric t apply
	a_reduction 1000
	check 'merge' hcctl run reduce t op merge type u32 count 600 verify
	check 'loss' hcctl link set t 0:2 loss 100
	check 'detect' hcctl detect t
	check 'removal' hcctl tree del t
	trace_off
	equal 'hops' $(($(stat .tx_frames) - sent)) "$(traced hc_hop)"
	equal 'arrivals' $(($(stat .rx_frames) - received)) "$(traced hc_arrive)"
	equal 'merged' $(($(stat .merged_bytes) - merged)) "$(traced_sum hc_merge len)"
	equal 'drops' $(($(stat '[.drops[]] | add // 0') - dropped)) "$(traced hc_drop)"
	equal 'lost' "$(stat .drops.loss)" "$(traced hc_drop 'reason=loss')"
	equal 'begun' 14 "$(traced hc_op_begin)"
	equal 'ended' 14 "$(traced hc_op_end 'status=0')"
	equal 'installed' 1 "$(traced hc_plan 'event=installed')"
	equal 'broken' 1 "$(traced hc_plan 'event=broken')"
	equal 'removed' 1 "$(traced hc_plan 'event=removed')"
	(($(traced hc_stage 'how=direct') > 0)) || fault 'no stage'
	equal 'the failed node' 1 "$(traced hc_fault 'node=6 .*fault=0x7')"
	! grep -qF -e type=0x -e reason=0x "$scratch/trace" || fault 'something has no name'
}

test_trace_has_end_of_each_failed_operation() {
	wants_tracing || return
	check 'add' hcctl fabric add t dim 3
	check 'plan' hcctl tree find fabric t apply
	trace_on
	background "$here/hc_load" hold t 1 1 2 3
	check 'members wait' busywait 5 json_is true '.[0].waiting | length > 0' op show t
	check 'a fault' hcctl link set t 1:0,1:1,1:2 down
	check 'all is over' busywait 5 json_is true 'length == 0 or (.[0].waiting | length == 0)' op show t
	trace_off
	(($(traced hc_op_begin) > 0)) || fault 'nothing began'
	equal 'ended' "$(traced hc_op_begin)" "$(traced hc_op_end 'status=-')"
}

# numbers EVENT: prints the operation numbers in the trace lines of EVENT
numbers() { events "$1" | sed -n 's/.* op=\([0-9]*\).*/\1/p' | sort -un | xargs; }

# In the second and later epochs of a guarded plan, the operation numbers that processes see differ
# from those of the nodes. Trace lines have the numbers that processes see.
test_trace_of_later_epoch_has_operation_numbers_of_processes() {
	wants_tracing || return
	check 'add' hcctl fabric add t dim 3
	check 'apply' hcctl tree find fabric t sink 0 apply guard 5s
	check 'run' hcctl run allreduce t plan 1 count 100 iterations 20 verify
	check 'down' hcctl link set t 0:"$(json '.[0].order[-1]' plan show t 1)" down
	check 'broken' busywait 5 json_is true '.[0].broken' plan show t 1
	check 'renew' hcctl guard t once
	check 'run' hcctl run allreduce t plan 1 count 100 verify
	trace_on
	check 'run' hcctl run allreduce t plan 1 count 100 iterations 3 verify
	trace_off
	[[ $(numbers hc_op_begin) ]] || fault 'nothing began'
	equal 'ends' "$(numbers hc_op_begin)" "$(numbers hc_op_end)"
	equal 'stages' "$(numbers hc_op_begin)" "$(numbers hc_stage)"
}

# traced_most EVENT WORDS FIELD: prints the greatest value of a field in the trace lines of EVENT
# that contain WORDS
traced_most() { events "$1" | sed -n "s/.*$2.* $3=\([0-9]*\).*/\1/p" | sort -n | tail -1; }

# traced_news: prints the greatest step at which a member receives the END that breaks the plan.
# ENDs after the repair are not counted, as they come from processes that leave.
traced_news() { sed '/event=repaired/q' "$scratch/trace" | sed -n 's/.*hc_arrive.*type=end.* step=\([0-9]*\).*/\1/p' | sort -n | tail -1; }

# repair DIM LINK[,LINK..] WORD..: in plans of rings, one link after another fails. Checks that, by
# the logical clock, all N members are notified within N - 1 steps, and that the repair takes 7
# traversals of the cube, of DIM steps each, after that, unless another event restarts it.
repair() {
	local dim=$1 what link step n=$((1 << $1)) links bound=$(((1 << $1) - 1 + 7 * $1))
	IFS=, read -ra links <<<"$2"
	shift 2
	for link in "${links[@]}"; do
		check 'add' hcctl fabric add t dim "$dim"
		check 'plan' hcctl ring plan fabric t apply repair "$@"
		check 'allgather' hcctl run allgather t plan 5 count 10 verify
		trace_on
		check 'down' hcctl link set t "$link" down
		busywait 10 json_is false '.[0].broken' plan show t || fault 'the plan stays broken'
		check 'allgather' hcctl run allgather t plan 5 count 10 verify
		trace_off
		step=$(traced_news)
		((step > 0 && step < n)) || fault "the news took ${step:-no} steps"
		equal 'repaired' "$(traced hc_plan 'event=broken')" "$(traced hc_plan 'event=repaired')"
		for what in ask answer assign assigned commit committed; do
			(($(traced hc_repair "what=$what ") >= n)) || fault "not all said or heard $what"
		done
		(($(traced hc_repair 'what=assign .*resumes=1') >= n)) || fault 'what is under way does not go on'
		# If another notification of the link's fault has restarted the repair, try the next
		# link.
		(($(traced hc_repair 'what=ask ') > n)) || break
		check 'removal' hcctl fabric del t
	done
	step=$(traced_most hc_repair 'what=committed ' step)
	((step > 0 && step <= bound)) || fault "all went on after ${step:-no} steps"
	log "the news took $(traced_news) steps, the repair $step, of $bound"
}

# For a plan of a single ring this bound is less than the paper's bound, 4w + 2 steps in rings of w
# nodes; for short rings it is more.
test_ring_repair_is_traced_and_takes_bounded_steps() {
	wants_tracing || return
	repair 3 0:0,5:1,3:2,6:0,1:1
	check 'removal' hcctl fabric del t
	repair 4 0:0,0:1,3:2,5:1,9:3 method vrt width 3
}

# Some operations succeed and others fail, and in some collectives members only receive.
test_trace_has_end_of_each_operation_that_begins() {
	local collective
	wants_tracing || return
	trace_on
	echo 0 >$tracing/events/hypercube/enable
	echo 1 >$tracing/events/hypercube/hc_op_begin/enable
	echo 1 >$tracing/events/hypercube/hc_op_end/enable
	"$here/bcast_flow" messages_of_all_sizes_arrive_whole \
		link_fault_during_message_fails_message_and_new_plan_works \
		receiver_that_closes_during_message_does_not_fail_message \
		>"$scratch/out" || fault "$(<"$scratch/out")"
	"$here/allreduce" barrier_blocks_all_members_until_the_last_one_enters \
		operations_in_flight_all_end_when_a_node_fails \
		>"$scratch/out" || fault "$(<"$scratch/out")"
	trace_off 't[0-9]*'
	for collective in bcast allreduce barrier; do
		(($(traced hc_op_begin "collective=$collective ") > 0)) || fault "no $collective"
	done
	(($(traced hc_op_end 'status=-') > 0)) || fault 'nothing failed'
	operations hc_op_begin >"$scratch/begun"
	operations hc_op_end >"$scratch/ended"
	check 'the same have begun and ended' diff -q "$scratch/begun" "$scratch/ended"
}

# operations EVENT: prints fabric, member, plan and number of each operation, sorted
operations() {
	events "$1" | sed -n "s/.* $1: \(fabric=[^ ]* node=[^ ]* plan=[^ ]* op=[^ ]*\).*/\1/p" | LC_ALL=C sort
}

# pcap FILE [OPTION..]: prints what tcpdump reads from FILE, one line for each frame, without the
# hex dumps of frames of unknown types
pcap() { tcpdump -Z root -n -r "$@" 2>/dev/null | grep -v $'^\t'; }

# capture INTERFACE FILE: starts a tcpdump that writes to FILE; sets $pid
capture() {
	tcpdump -Z root -i "$1" -n -U -B 16384 -w "$2" 2>"$scratch/tcpdump" &
	pid=$!
	jobs+=("$pid")
	check 'it listens' busywait 10 grep -q listening "$scratch/tcpdump"
}

# shown INTERFACE: prints the number of frames that the monitor interface has received
shown() { ip -j -s link show "$1" | pick '.[0].stats64.rx.packets'; }

# captured FILE: prints the number of frames in FILE
captured() { tcpdump -Z root -r "$1" --count 2>/dev/null | sed 's/ .*//'; }

# captured_all INTERFACE FILE: has tcpdump written all frames to FILE? The kernel passes frames to
# it in blocks.
captured_all() { [[ $(captured "$2") == $(shown "$1") ]]; }

# capture_end INTERFACE FILE: waits until tcpdump has written all frames to FILE, and ends it
capture_end() {
	check 'all is captured' busywait 10 captured_all "$1" "$2"
	kill -INT "$pid"
	wait "$pid"
	grep -q '^0 packets dropped by kernel' "$scratch/tcpdump" || fault "$(<"$scratch/tcpdump")"
}

# frames_by_link: prints "SENDER DIM FRAMES" for each link end that has sent, from the counters
frames_by_link() { json '.[] | "\(.node) \(.dim) \(.tx_frames)"' link show t; }

# captured_by_link FILE: prints the same table as frames_by_link, from a capture
captured_by_link() {
	pcap "$1" -e | sed -n 's/.* 02:68:..:..:..:\(..\) > 02:68:..:..:..:\(..\), .*0x88b5.*/\1 \2/p' | LC_ALL=C sort | uniq -c |
		while read -r frames from to; do
			dim=0
			for ((x = 0x$from ^ 0x$to; x > 1; x /= 2)); do ((++dim)); done
			echo "$((0x$from)) $dim $frames"
		done | LC_ALL=C sort
}

# decoded_by_link FILE: prints the same table as frames_by_link, from what hcctl decodes of a
# capture
decoded_by_link() {
	hcctl -j decode "$1" | jq -r '"\(.from) \(.dim)"' | LC_ALL=C sort | uniq -c | awk '{ print $2, $3, $1 }'
}

test_monitor_interface_shows_every_frame_of_all_links() {
	a_fabric 3
	check 'it is there, down' grep -q 'state DOWN' <(ip -o link show tmon)
	a_reduction 1000
	equal 'nothing seen' 0 "$(shown tmon)"
	check 'up' ip link set tmon up
	capture tmon "$scratch/pcap"
	frames_by_link >"$scratch/before"
	a_reduction 8000
	check 'a sort' hcctl run reduce t op merge type u32 count 2000 verify
	check 'detect' hcctl detect t
	frames_by_link >"$scratch/after"
	capture_end tmon "$scratch/pcap"
	paste -d' ' "$scratch/before" "$scratch/after" |
		awk '$6 > $3 { print $1, $2, $6 - $3 }' | LC_ALL=C sort >"$scratch/wanted"
	captured_by_link "$scratch/pcap" >"$scratch/seen"
	(($(wc -l <"$scratch/wanted") > 15)) || fault 'the links were idle'
	check 'each link' diff "$scratch/wanted" "$scratch/seen"
	decoded_by_link "$scratch/pcap" >"$scratch/seen"
	check 'each link, decoded' diff "$scratch/wanted" "$scratch/seen"
	hcctl -j decode "$scratch/pcap" >"$scratch/decoded"
	equal 'frames not understood' '' "$(jq -c 'select(.wrong)' "$scratch/decoded")"
	equal 'types' 'ack data test' "$(jq -r .type "$scratch/decoded" | grep -E '^(ack|data|test)$' | sort -u | paste -sd' ')"
	equal 'nothing else' "$(awk '{ n += $3 } END { print n }' "$scratch/wanted")" \
		"$(captured "$scratch/pcap")"
	equal 'its counters' "$(awk '{ n += $3 } END { print n }' "$scratch/wanted")" \
		"$(shown tmon)"
	check 'down' ip link set tmon down
	a_reduction 1000
	equal 'it stands still' "$(awk '{ n += $3 } END { print n }' "$scratch/wanted")" \
		"$(shown tmon)"
}

test_monitor_interface_is_removed_with_its_fabric() {
	local there
	a_fabric 3
	refused 'its removal alone' . ip link del tmon
	check 'up' ip link set tmon up
	capture tmon "$scratch/pcap"
	a_reduction 1000
	check 'del' hcctl fabric del t
	check 'tcpdump ends' busywait 5 eval "! kill -0 $pid"
	[[ ! -e /sys/class/net/tmon ]] || fault 'it is still there'
	namespace there || return
	check 'add there' hcctl -n "$there" fabric add t dim 2
	check 'up there' ip -n "$there" link set tmon up
	check 'the namespace ends' ip netns del "$there"
	check 'its fabric is gone' busywait 10 hcctl fabric add t dim 2
	namespace there || return
	refused 'it stays where it was made' . ip link set tmon netns "$there"
	check 'del' hcctl fabric del t
	refused 'it is gone' . ip link show tmon
}

test_fabric_add_is_refused_if_monitor_name_is_taken() {
	check 'another of that name' ip link add tmon type dummy
	refused 'the fabric' 'name of the fabric.s monitor' hcctl fabric add t dim 2
	check 'del' ip link del tmon
	check 'add' hcctl fabric add t dim 2
}

test_timeline_has_an_event_for_each_hop_and_merge() {
	local sent said before='<'
	wants_tracing || return
	a_fabric 3
	sent=$(stat .tx_frames)
	# Members that do not wait are notified of the completion a little later: trace for a second
	# longer.
	said=$(hcctl -j trace t -o "$scratch/t.json" -- \
		sh -c 'hcctl run reduce t op sum type u32 count 9000 verify && sleep 1' 2>&1 >"$scratch/out" | tail -1)
	equal 'complaints' '' "$said"
	sed -n '/"hops"/p' "$scratch/out" >"$scratch/said"
	equal 'missed' 0 "$(pick .missed_events <"$scratch/said")"
	equal 'hops' $(($(stat .tx_frames) - sent)) "$(pick .hops <"$scratch/said")"
	equal 'slices of hops' "$(jq -c '[.hops, .hops]' "$scratch/said")" "$(jq -c '[.traceEvents[] |
		select(.cat == "hop") | .ph] | [map(select(. == "b")), map(select(. == "e"))] | map(length)' "$scratch/t.json")"
	equal 'none is lost' 0 "$(pick .lost_hops <"$scratch/said")"
	equal 'merges' "$(pick .merges <"$scratch/said")" \
		"$(jq '[.traceEvents[] | select(.cat == "merge" and .ph == "X")] | length' "$scratch/t.json")"
	equal 'merged' "$(stat .merged_bytes)" \
		"$(jq '[.traceEvents[] | select(.cat == "merge") | .args.len] | add' "$scratch/t.json")"
	equal 'operations' 7 "$(pick .operations <"$scratch/said")"
	equal 'tracks' 8 "$(jq '[.traceEvents[] | select(.name == "process_name")] | length' "$scratch/t.json")"
	check 'no time runs backwards' jq -e '[.traceEvents[] | select(.cat == "hop")] | group_by(.id) |
		all(length == 2 and .[0].pid == .[1].pid and .[0].ts <= .[1].ts)' "$scratch/t.json"
	equal 'a duration' t "$(hcctl trace t -o "$scratch/u.json" duration 10ms >/dev/null && echo t)"
	refused 'another fabric' fabric hcctl trace none -o "$scratch/u.json" duration 1ms
	refused 'a command that fails' 'false ended with status 1' hcctl trace t -o "$scratch/u.json" -- false
	check 'a page that plays it' hcctl plot t trace "$scratch/t.json" -o "$scratch/t.html"
	equal 'hops that it plays' "$(jq '[.traceEvents[] | select(.cat == "hop" and .ph == "b")] | length' "$scratch/t.json")" \
		"$(model '.hops | length')"
	# The clock of a kernel with debugging may count in ticks, and most hops begin and end in
	# one tick.
	[[ ! $debug ]] || before='<='
	equal 'hops that took time' true "$(model ".hops | all(.begin $before .end) and any(.begin == 0)")"
	refused 'a file' 'cannot write' hcctl trace t -o /no/t.json duration 1ms
	[[ ! $(ls $tracing/instances) ]] || fault 'an instance of tracing was left'
}

instances() { ls $tracing/instances; }
is_recorded() { grep -qx 1 $tracing/instances/hcctl-*/tracing_on; }
no_instance() { [[ ! $(instances) ]]; }

# is_another INSTANCE: is there a trace instance other than INSTANCE? Whatever ends a recording, its
# trace instance must be removed; if a signal ends it, the file has what was recorded until then.
is_another() { [[ $(instances) && $(instances) != *"$1"* ]]; }

test_recording_ended_by_signal_leaves_no_trace_instance() {
	local signal dead
	wants_tracing || return
	check 'add' hcctl fabric add t dim 3
	# Background jobs of a script would ignore INT and QUIT.
	for signal in HUP INT QUIT TERM USR1 PIPE; do
		env --default-signal=INT,QUIT hcctl trace t -o "$scratch/$signal.json" duration 60s >"$scratch/out" 2>&1 &
		jobs+=($!)
		busywait 10 is_recorded || fault "nothing is recorded before $signal"
		check 'the signal' kill "-$signal" $!
		wait $! || fault "$signal: status $?: $(<"$scratch/out")"
		no_instance || fault "$signal leaves $(instances)"
		check "a file after $signal" jq -e '.traceEvents | length > 0' "$scratch/$signal.json"
	done
	hcctl trace t -o "$scratch/k.json" -- sleep 60 >"$scratch/out" 2>&1 &
	jobs+=($!)
	busywait 10 is_recorded || fault 'nothing is recorded while the command runs'
	check 'TERM' kill -TERM $!
	wait $! && fault 'a command that a signal has ended is a success'
	grep -q 'sleep: Terminated' "$scratch/out" || fault "the command has not got the signal: $(<"$scratch/out")"
	no_instance || fault "TERM leaves $(instances)"
	hcctl trace t -o "$scratch/killed.json" duration 60s >"$scratch/out" 2>&1 &
	jobs+=($!)
	busywait 10 is_recorded || fault 'nothing is recorded before KILL'
	check 'KILL' kill -KILL $!
	wait $!
	[[ ! -e $scratch/killed.json && ! $(find "$scratch" -name '.hcctl*') ]] || fault 'something of a file is left'
	dead=$(instances)
	[[ $dead ]] || fault 'the instance has gone by itself'
	hcctl trace t -o "$scratch/a.json" duration 60s >"$scratch/out" 2>&1 &
	jobs+=($!)
	busywait 10 is_another "$dead" || fault "that of the dead one stays: $(instances)"
	busywait 10 is_recorded || fault 'nothing is recorded after KILL'
	equal 'instances' 1 "$(instances | wc -l)"
	check 'beside another' hcctl trace t -o "$scratch/b.json" duration 1ms
	equal 'instances: that of the living one stays' 1 "$(instances | wc -l)"
	check 'TERM' kill -TERM $!
	wait $! || fault "the other has not ended well: $(<"$scratch/out")"
	no_instance || fault "left at last: $(instances)"
}

test_failed_output_leaves_existing_files_and_devices() {
	wants_tracing || return
	check 'add' hcctl fabric add t dim 2
	refused 'a full device' 'cannot write /dev/full: No space' hcctl trace t -o /dev/full duration 1ms
	[[ -c /dev/full ]] || fault 'the device has gone'
	echo old >"$scratch/old.json"
	refused 'a failed command' 'cannot start' hcctl trace t -o "$scratch/old.json" -- /no/command
	equal 'the old file' old "$(<"$scratch/old.json")"
	mkdir "$scratch/small"
	check 'a small disk' mount -t tmpfs -o size=16k none "$scratch/small"
	echo old >"$scratch/small/t.svg"
	check 'a larger fabric' hcctl fabric add u dim 6
	refused 'a full disk' 'cannot write .*No space' hcctl plot u -o "$scratch/small/t.svg"
	equal 'the old picture' old "$(<"$scratch/small/t.svg")"
	equal 'what is on the disk' t.svg "$(ls -A "$scratch/small")"
	check 'umount' umount "$scratch/small"
	hcctl trace t -o "$scratch/c.json" duration 1ms >&- 2>"$scratch/err" && fault 'a closed output is a success'
	check 'only the trace is in the file' jq -e '.traceEvents' "$scratch/c.json"
	hcctl fabric save t >&- 2>"$scratch/err" && fault 'saved to a closed output'
}

# Interfaces may have any bytes in their names, also bytes that are not valid in UTF-8, such as
# 0xff.
test_interface_names_with_odd_bytes_give_valid_json() {
	local name
	wants_tracing || return
	for name in $'o\xff' 'q"x'; do
		check 'add' hcctl fabric add t dim 1
		check "$name: rename" ip link set tn0 name "$name"
		hcctl -j node show t >"$scratch/nodes.json"
		jq -e '.[0].ifname' "$scratch/nodes.json" >/dev/null || fault "$name: node show"
		check "$name: trace" hcctl trace t -o "$scratch/t.json" duration 1ms
		jq -e '.traceEvents' "$scratch/t.json" >/dev/null || fault "$name: the trace is no JSON"
		check "$name: picture" hcctl plot t -o "$scratch/t.svg"
		! LC_ALL=C grep -q $'\xff' "$scratch"/{nodes.json,t.json,t.svg} || fault "$name: what is written is not UTF-8"
		check 'del' hcctl fabric del t
	done
}

# one_of_two COMMAND..: records a timeline of fabric t of this namespace while COMMAND runs, and
# prints its operations
one_of_two() { hcctl -j trace t -o "$scratch/t.json" -- "$@" 2>/dev/null | sed -n '/"hops"/p' | jq .operations; }

test_timeline_excludes_fabric_of_same_name_in_other_namespace() {
	local a
	wants_tracing || return
	namespace a || return
	check 'add' hcctl fabric add t dim 3
	check 'a plan' hcctl tree find fabric t apply
	check 'one elsewhere' hcctl -n "$a" fabric add t dim 3
	check 'a plan there' hcctl -n "$a" tree find fabric t apply
	equal 'operations' 8 "$(one_of_two hcctl run reduce t op sum type u32 count 100 verify)"
	equal 'operations of the other' 0 "$(one_of_two hcctl -n "$a" run reduce t op sum type u32 count 100 verify)"
}

# These tests trace the whole machine.
alone=(test_trace_of_later_epoch_has_operation_numbers_of_processes
	test_tracepoints_agree_with_counters
	test_trace_has_end_of_each_failed_operation
	test_ring_repair_is_traced_and_takes_bounded_steps
	test_trace_has_end_of_each_operation_that_begins
	test_timeline_has_an_event_for_each_hop_and_merge
	test_timeline_excludes_fabric_of_same_name_in_other_namespace
	test_recording_ended_by_signal_leaves_no_trace_instance
	test_failed_output_leaves_existing_files_and_devices
	test_interface_names_with_odd_bytes_give_valid_json)
run_tests
