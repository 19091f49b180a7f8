#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Trunks that break for all kinds of causes, networks that lose or corrupt data, and frames that no
# node would send.
#
# Scheduling: shared long cluster

# shellcheck source=selftests/lib/pair.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/pair.sh"

# Members that are cut off from the root receive no message from it any more. They fail as soon as
# they are notified of the fault.
test_operations_fail_soon_after_trunk_is_removed() {
	local t
	machines 3 0XX 1XX && joined
	trees 5
	there "$a" "$here/hc_member" t 1 8 1000000 1000 0 1 2 3 >"$scratch/a"
	there "$b" "$here/hc_member" t 1 8 1000000 1000 4 5 6 7 >"$scratch/b"
	sleep "$((slow / 2)).5"
	t=${EPOCHREALTIME/./}
	check 'del' at "$a" hcctl trunk del t 1
	busywait 10 ended "$scratch/a" 4 || fault "here: $(<"$scratch/a")"
	busywait 10 ended "$scratch/b" 4 || fault "there: $(<"$scratch/b")"
	t=$(((${EPOCHREALTIME/./} - t) / 1000))
	log "all have ended after $t ms"
	((t < 2000 * slow)) || fault "the last ended after $t ms"
	log "$(head -n1 "$scratch/a")"
	log "$(head -n1 "$scratch/b")"
	joined
	trees 9
	members 50 100
}

test_broken_trunk_takes_links_down_until_connected_again() {
	machines 3 0XX 1XX && joined keepalive "${slow}s"
	there "$a" hcctl -j monitor fabric t >"$scratch/events"
	sleep 0.5
	at "$a" ip link set "w$$" down
	down
	busywait 5 grep -q 'silent for too long' "$scratch/events" || fault "no event tells why: $(<"$scratch/events")"
	at "$a" ip link set "w$$" up
	wired
	stop "$wire"
	down
	joined
	check 'del' at "$b" hcctl fabric del t
	busywait 10 is_at 4 "$a" '.[0].links_down' fabric show t || fault 'links are up'
	check 'the part again' at "$b" hcctl fabric add t dim 3 nodes 1XX
	joined
}

# alone_here PART: makes a machine with the partition PART; a program plays the other machine
alone_here() {
	parameter trunks Y
	namespace a || return
	check 'a part' at "$a" hcctl fabric add t dim 3 nodes "$1"
	there "$a" hcctl -j monitor fabric t >"$scratch/events"
}

still_works() {
	check 'the fabric works' at "$a" hcctl tree find fabric t apply
	check 'a sum' at "$a" hcctl run allreduce t plan 1 verify
}

# A bad frame is dropped with a reason; a bad record ends the trunk with a reason. HC_FRAMES: number
# of frames.
test_malformed_trunk_records_are_refused_with_reason() {
	local frames=${HC_FRAMES:-$(scaled 80000)} dropped
	alone_here 0XX
	check 'noise' at "$a" "$here/hc_garbage" t 2 40 $((frames / 40)) "$RANDOM"
	equal 'trunks that have ended' 40 "$(json_at "$a" '.[0].trunks_ended' fabric show t)"
	busywait 5 grep -q 'unknown kind\|wrong length\|begin with its greeting' "$scratch/events" ||
		fault "no reasons: $(head -n3 "$scratch/events")"
	dropped=$(json_at "$a" '[.[].drops.malformed // 0] | add' link show t)
	log "$dropped malformed frames"
	((dropped > 0)) || fault 'no frame was dropped as malformed'
	still_works
}

# Frames that the machines have sent before are replayed, truncated or changed, while members wait.
test_replayed_and_altered_frames_leave_the_fabric_working() {
	local frames=${HC_FRAMES:-$(scaled 40000)} said=$scratch/recording
	machines 3 0XX 1XX && wired "$said"
	trees 5
	members 20 50
	at "$a" ip addr add 10.77.0.1/24 dev tn0
	at "$a" ip link set tn0 up
	at "$b" ip addr add 10.77.0.8/24 dev tn7
	at "$b" ip link set tn7 up
	check 'ping' at "$b" ping -c 3 -i 0.2 -W 5 -s 3000 -I tn7 10.77.0.1
	check 'DETECT' at "$b" hcctl detect t
	check 'a message' at "$b" hcctl route show t 4 7
	tidy_up
	log "$(wc -c <"$said") bytes were recorded"
	alone_here 0XX
	there "$a" "$here/hc_garbage" t 2 1 "$frames" "$RANDOM" "$said" $((3100 + 1000 * (slow / 3))) >"$scratch/garbage"
	up_here
	check 'a tree' at "$a" hcctl tree find fabric t apply local epoch 5
	there "$a" "$here/hc_member" t 1 8 1000 50 0 1 2 3 >"$scratch/a"
	busywait 120 is_at 1 "$a" '.[0].trunks_ended' fabric show t || fault 'the trunk has not ended'
	equal 'what was said of it' '' "$(<"$scratch/garbage")"
	busywait 10 all_ended || fault "members: $(<"$scratch/a")"
	log "$(json_at "$a" '[.[].drops | to_entries[]] | group_by(.key) | map({key: .[0].key, value: map(.value) | add}) | from_entries' link show t)"
	still_works
}

# all_ended: has each member of a reported that its operation has ended? A neighbour may send wrong
# data as its own contribution, so a wrong sum is allowed.
all_ended() { (($(grep -o '^node [0-3] round' "$scratch/a" | sort -u | wc -l) == 4)); }

up_here() { busywait 10 is_at 0 "$a" '.[0].links_down' fabric show t || fault 'links are down'; }

# A node sends 40 MiB to a machine that does not read: 8 MiB are queued, the rest is dropped, and a
# sum fails because of the drops.
test_trunk_queue_drops_frames_when_peer_does_not_read() {
	local sent
	alone_here 00X
	there "$a" "$here/hc_flood" t 40 >"$scratch/sent"
	busywait 30 test -s "$scratch/sent" || fault 'not all was read'
	sent=$(<"$scratch/sent")
	busywait 10 dropped_most "$sent" || fault "$(json_at "$a" '.[0].drops' node show t 0) of $sent"
	log "of $sent frames: $(json_at "$a" '.[0].drops' node show t 0)"
}

# The memory limit trunk_memory also holds for fabrics of root.
test_trunk_ends_when_trunk_memory_is_exceeded() {
	parameter trunk_memory 1048576
	alone_here 00X
	there "$a" "$here/hc_flood" t 40 >"$scratch/sent"
	busywait 30 is_at true "$a" '.[0].trunks_ended > 0' fabric show t || fault 'the trunk has not ended'
	parameters_back
}

dropped_most() { (($(json_at "$a" '.[0].drops["queue-full"] // 0' node show t 0) > $1 - 300)); }

# Connections are reset at random while operations run. Each operation has a right result or fails
# with a cause, and links come up again. HC_RESETS: number of resets.
test_trunks_recover_from_random_connection_resets() {
	local times=${HC_RESETS:-$(scaled 6)} epoch=1 tries=0
	machines 3 0XX 1XX
	: >"$scratch/ends"
	there "$a" hcctl trunk listen t 10.9.0.1 persist 2>"$scratch/heard"
	there "$a" "$here/hc_relay" 4000 10.9.0.1 26723 "$times" 1500 "$RANDOM" >"$scratch/relay"
	there "$b" hcctl trunk connect t 2 10.9.0.1:4000 persist 2>"$scratch/said"
	while (($(grep -c . "$scratch/relay") < times && ++tries < 40 + 10 * times)); do
		sums_until_reset $((epoch += 2))
	done
	equal 'resets' "$times" "$(grep -c . "$scratch/relay")"
	log "$times resets, $(json_at "$a" '.[0].trunks_ended' fabric show t) trunks; $(ways "$scratch/ends")"
	! grep 'wrong' "$scratch/ends" || fault 'a sum is wrong'
	up_again
	trees $((epoch + 2))
	members 50 100
	equal 'trunks' 1 "$(json_at "$b" length trunk show t)"
}

# A relay flips one bit in every 300 KB, where TCP's checksum cannot detect it. No sum is wrong, and
# each flipped bit ends the trunk.
test_flipped_bits_end_the_trunk() {
	local here_pid
	machines 3 0XX 1XX
	there "$a" hcctl -j monitor fabric t >"$scratch/events"
	there "$a" hcctl trunk listen t 10.9.0.1 persist 2>"$scratch/heard"
	there "$a" "$here/hc_relay" 4000 10.9.0.1 26723 flip 300000 >"$scratch/relay"
	there "$b" hcctl trunk connect t 2 10.9.0.1:4000 persist 2>"$scratch/said"
	up_again
	equal 'digests' '[true,true]' "[$(json_at "$a" '.[0].digest' trunk show t),$(json_at "$b" '.[0].digest' trunk show t)]"
	trees 5
	there "$a" "$here/hc_member" t 1 8 1000 20000 0 1 2 3 >"$scratch/ends"
	here_pid=$pid
	there "$b" "$here/hc_member" t 1 8 1000 20000 4 5 6 7 >>"$scratch/ends"
	{ busywait 30 over "$here_pid" && busywait 30 over "$pid"; } || fault 'members wait for ever'
	! grep 'wrong' "$scratch/ends" || fault 'a sum is wrong'
	grep -q flip "$scratch/relay" || fault 'no bit was flipped'
	busywait 5 grep -q '"trunk-del".*A digest is wrong' "$scratch/events" || fault "another reason: $(<"$scratch/events")"
}

# A trunk omits digests only if both ends are configured to omit them.
test_digests_are_omitted_only_if_both_ends_agree() {
	local words one other digest ns
	machines 3 0XX 1XX
	for words in 'on on true' 'on off true' 'off on true' 'off off false'; do
		read -r one other digest <<<"$words"
		there "$a" hcctl trunk listen t 10.9.0.1 digest "$one"
		check 'a trunk' busywait 5 at "$b" hcctl trunk connect t 2 10.9.0.1 digest "$other"
		up_again
		for ns in "$a" "$b"; do equal "$one, $other" "$digest" "$(json_at "$ns" '.[0].digest' trunk show t)"; done
	done
}

# sums_until_reset EPOCH: installs a plan and runs sums until a connection is reset. Returns at once
# if the plan has no members of the other machine, as that was not reachable.
sums_until_reset() {
	local here_pid
	busywait 10 is_at 0 "$a" '.[0].links_down' fabric show t
	at "$a" hcctl tree find fabric t apply epoch "$1" >"$scratch/tree" 2>&1 || return
	is_at 8 "$a" '.[0].members | length' plan show t && is_at 8 "$b" '.[0].members | length' plan show t || return
	there "$a" "$here/hc_member" t 1 8 $((3000 / slow)) 100 0 1 2 3 >>"$scratch/ends"
	here_pid=$pid
	there "$b" "$here/hc_member" t 1 8 $((3000 / slow)) 100 4 5 6 7 >>"$scratch/ends"
	busywait 30 over "$here_pid" && busywait 30 over "$pid" && return
	fault "members wait for ever: $(for ns in "$a" "$b"; do echo "$ns"; at "$ns" hcctl op show t; at "$ns" hcctl plan show t; at "$ns" hcctl trunk show t; done)"
}

over() { ! kill -0 "$1"; }
# ways FILE: prints each kind of end that members have reported, with the number of these members
ways() { sed 's/.*round [0-9]*: \([^:]*\).*/\1/' "$1" | sort | uniq -c | tr -s ' \n' ' '; }

# The network loses and reorders packets. All works, only later, as TCP retransmits and reorders.
test_trunk_works_over_lossy_and_reordering_network() {
	local ns
	machines 3 0XX 1XX
	for ns in "$a" "$b"; do
		at "$ns" tc qdisc add dev "w$$" root netem delay 50ms 10ms loss 2% reorder 25% 2>/dev/null ||
			{ skip 'this kernel has no netem'; return; }
		check 'MTU' at "$ns" ip link set "w$$" mtu 576
	done
	joined
	check 'a tree' at "$a" hcctl tree find fabric t apply
	check 'a doubling' at "$b" hcctl doubling plan fabric t apply plan 2
	members 1 3000
	both exchange 2 1 1000
	at "$a" ip addr add 10.77.0.1/24 dev tn0
	at "$a" ip link set tn0 up
	at "$b" ip addr add 10.77.0.8/24 dev tn7
	at "$b" ip link set tn7 up
	check 'ping' at "$b" ping -c 2 -i 0.2 -W 5 -s 5000 -I tn7 10.77.0.1
	equal 'trunks that have ended' 0 "$(json_at "$a" '.[0].trunks_ended' fabric show t)"
	log "$(at "$a" tc -s qdisc show dev "w$$" | grep -o 'dropped [0-9]*')"
}

# A trunk, a fabric, a namespace or the wire is removed at some moment while frames are under way.
test_removal_of_trunk_or_fabric_during_operations_is_safe() {
	local i
	for ((i = 0; i < 3; i++)); do
		machines 3 0XX 1XX
		if ((i % 3 == 1)); then wired; else joined; fi
		at "$a" hcctl tree find fabric t apply epoch 5 >"$scratch/said"
		there "$a" "$here/hc_member" t 1 8 1000000 5000 0 1 2 3 >"$scratch/a"
		there "$b" "$here/hc_member" t 1 8 1000000 5000 4 5 6 7 >"$scratch/b"
		sleep "0.$((RANDOM % 5))"
		case $((i % 3)) in
		0) check 'del' at "$a" hcctl fabric del t ;;
		1) stop "$wire" ;;
		2) check 'trunk' at "$b" hcctl trunk del t 1 ;;
		esac
		tidy_up
	done
}

# From the beginning, both ends send keepalives as often as the end with the shorter keepalive time
# requires.
test_both_ends_use_the_shorter_keepalive_time() {
	machines 3 0XX 1XX
	there "$a" hcctl trunk listen t 10.9.0.1 keepalive 60s
	check 'a trunk' busywait 5 at "$b" hcctl trunk connect t 2 10.9.0.1 keepalive "${slow}s"
	up_again
	sleep $((2 * slow))
	equal 'trunks that have ended' 0 "$(json_at "$b" '.[0].trunks_ended' fabric show t)"
}

# A namespace ends although its trunks' sockets hold it at first, and so do the trunks in it. The
# veth interface in it is removed with it, and so is its peer.
test_namespace_with_trunks_ends_when_deleted() {
	machines 3 0XX 1XX && joined keepalive "$((200 * slow))ms"
	check 'a wire' ip link add "x$$" type veth peer name "y$$" netns "$a"
	sleep 0.5
	check 'the one' ip netns del "$a"
	busywait 20 gone "x$$" || fault 'the namespace is still there'
	busywait 10 is_at 4 "$b" '.[0].links_down' fabric show t || fault 'links are up'
}

run_tests
