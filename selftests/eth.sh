#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Ethernet frames across the cube, sent by ordinary programs, each in a namespace with one endpoint:
#
#	+---------------+                                +---------------+
#	| $p0           |    fabric t, dimension 3       | $p7           |
#	| tn0           +--- 12 links, up to 3 hops -----+ tn7           |
#	| 10.16.0.1     |                                | 10.16.0.8     |
#	+---------------+    ..                          +---------------+
#
# Scheduling: shared long

# shellcheck source=selftests/lib/endpoints.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/endpoints.sh"

ends_alone() { ! reaches "$@" -W "$slow"; }
# drops NODE REASON: prints the node's own drop counter for this reason, without the counters of its
# links
drops() { json ".[0].drops[\"$2\"] // 0" node show t "$1"; }
more_drops() { (($(drops "$2" "$3") > $1)); }

# ping_all FROM STEP: pings each STEP-th node from node FROM, and prints each node that does not
# answer
ping_all() {
	# shellcheck disable=SC2016
	at "$1" bash -c 'for ((v = 0; v < 8; v += $1)); do
		ping -q -c 1 -W "$2" "10.16.0.$((v + 1))" >/dev/null || echo $v
	done' - "$2" $((2 * slow))
}

test_all_pairs_of_endpoints_can_ping() {
	local u step=1 pids=()
	[[ ! $debug ]] || step=3
	cube 3
	for ((u = 0; u < 8; u++)); do
		ping_all $u $step >"$scratch/silent$u" &
		pids+=($!)
	done
	wait "${pids[@]}"
	for ((u = 0; u < 8; u++)); do
		equal "who does not answer $u" '' "$(<"$scratch/silent$u")"
	done
	check 'del' hcctl fabric del t
	equal 'namespaces left' '' "$(ip netns list | grep "^$p")"
}

test_ipv6_link_local_works_without_configuration() {
	local target
	check 'add' hcctl fabric add t dim 2 netns-each "$p"
	target=$(at 3 ip -6 -o addr show dev tn3 scope link | sed -nE 's/.*inet6 ([^/]+).*/\1/p')
	equal 'address' 'fe80::68:' "${target:0:9}"
	check 'link-local' busywait 10 at 0 ping -6 -q -c 1 -W $((2 * slow)) "$target%tn0"
	check 'everybody' busywait 5 at 0 ping -6 -q -c 1 -W $((2 * slow)) ff02::1%tn0
}

test_big_datagrams_are_fragmented() {
	cube 3
	check 'in 14 fragments' reaches 1 6 -s 20000
	check 'the biggest' reaches 1 6 -s 65507
}

test_mtu_is_accepted_from_68_to_65535_bytes() {
	local frames
	cube 2
	refused 'too small' 'invalid argument|less than|minimum' at 0 ip link set tn0 mtu 67
	refused 'too big' 'invalid argument|greater than|maximum' at 0 ip link set tn0 mtu 65536
	check 'the smallest' at 0 ip link set tn0 mtu 68
	check 'there, too' at 3 ip link set tn3 mtu 68
	check 'IPv4 at 68' reaches 0 3 -s 1000
	check 'the biggest, here' at 0 ip link set tn0 mtu 65535
	check 'and there' at 3 ip link set tn3 mtu 65535
	frames=$(at 0 cat /sys/class/net/tn0/statistics/tx_packets)
	check 'one frame' reaches 0 3 -s 65000
	frames=$(($(at 0 cat /sys/class/net/tn0/statistics/tx_packets) - frames))
	# IPv6 may send a few frames when the MTU becomes large enough for it; with an MTU of 1500
	# there would be 45 fragments.
	((frames <= 20)) || fault "$frames frames, not one"
	check 'not everywhere' ends_alone 0 1 -s 30000
	check 'the receiver drops it' more_drops 0 1 too-big
}

test_frames_with_invalid_addresses_are_dropped_and_counted() {
	local own id
	cube 2
	own=$(mac 0)
	id=${own:6:5}
	check 'of a neighbour' at 0 "$flow" raw tn0 ff:ff:ff:ff:ff:ff "$(mac 1)" 3
	check 'of a group' at 0 "$flow" raw tn0 "$(mac 1)" 03:00:00:00:00:01 1
	check 'of another fabric' at 0 "$flow" raw tn0 "$(mac 1)" 02:68:ff:fe:00:01 1
	check 'spoofed' busywait 1 json_is 5 '.[0].drops.spoofed' node show t 0
	check 'to another fabric' at 0 "$flow" raw tn0 02:68:ff:fe:00:01 "$own" 2
	check 'foreign' busywait 1 json_is 2 '.[0].drops.foreign' node show t 0
	check 'to nobody' at 0 "$flow" raw tn0 "02:68:$id:00:04" "$own" 2
	check 'to itself' at 0 "$flow" raw tn0 "$own" "$own" 1
	check 'no such node' busywait 1 json_is 3 '.[0].drops["no-node"]' node show t 0
	equal 'dropped of what was sent' 10 "$(at 0 cat /sys/class/net/tn0/statistics/tx_dropped)"
	check 'to one that is down' at 3 ip link set tn3 down
	check 'to a sleeper' at 0 "$flow" raw tn0 "02:68:$id:00:03" "$own" 1
	check 'down' busywait 1 more_drops 0 3 endpoint-down
	refused 'another address' 'not supported' at 0 ip link set tn0 address 02:00:00:00:00:01
}

# Frames that the node's own stack sends and that are dropped never count as drops of received
# frames, not even temporarily.
test_dropped_sent_frames_never_count_as_rx_drops() {
	cube 2
	start 0 "$flow" raw tn0 "$(mac 1)" 03:00:00:00:00:01 1000000 2>/dev/null
	# shellcheck disable=SC2016
	equal 'drops of frames that came' '' "$(at 0 bash -c 'cd /sys/class/net/tn0/statistics
		end=$((SECONDS + 2))
		while ((SECONDS < end)); do
			read -r n <rx_dropped
			((${#n} < 4)) || { echo "$n"; exit; }
		done')"
	(($(at 0 cat /sys/class/net/tn0/statistics/tx_dropped) > 1000)) || fault 'nothing was sent'
	stop "${jobs[0]}"
	jobs=()
}

# at_rest: has no frame crossed a link in the last moment?
at_rest() {
	local before
	before=$(json .tx_frames stats t)
	nap 0.2
	json_is "$before" .tx_frames stats t
}

# everybody_heard WHAT WANTED: waits until no more frames cross links, then ends the receivers
# $hearers, and checks that each has printed WANTED
everybody_heard() {
	local v heard=()
	check 'the fabric comes to rest' busywait 60 at_rest
	kill "${hearers[@]}"
	wait "${hearers[@]}"
	jobs=()
	for v in "${!hearers[@]}"; do
		mapfile -t heard <"$scratch/heard$v"
		equal "$1, at $v" "$2" "${heard[*]:1}"
	done
}
hearers=()
# listen NODE..: starts a receiver at each of these nodes; sets $hearers
listen() {
	local v
	hearers=()
	for v; do
		: >"$scratch/heard$v"
		start "$v" "$flow" hear "tn$v" 300 >>"$scratch/heard$v"
		hearers[v]=$pid
	done
	for v; do
		check 'it listens' busywait 5 hears "$scratch/heard$v"
	done
}

test_broadcast_arrives_exactly_once_around_faults() {
	local own
	cube 4
	own=$(mac 5)
	check 'faults' hcctl link set t 5:0,5:1,3:2,9:3,0:1,12:0 down
	check 'a failed node' hcctl node set t 10 fail
	listen 0 1 2 3 4 6 7 8 9 11 12 13 14 15
	check 'send' at 5 "$flow" raw tn5 ff:ff:ff:ff:ff:ff "$own" 500
	everybody_heard 'broadcasts' "$own 500 frames, 0 twice"
}

crossings() { json .tx_frames stats t; }
# heard_by_all FROM WHAT NODE..: sends 200 broadcasts from node FROM, and checks that each of these
# nodes receives each broadcast once; sets $crossed to the number of frames on all links
heard_by_all() {
	local own
	own=$(mac "$1")
	listen "${@:3}"
	crossed=$(crossings)
	check 'send' at "$1" "$flow" raw "tn$1" ff:ff:ff:ff:ff:ff "$own" 200
	everybody_heard "$2" "$own 200 frames, 0 twice"
	crossed=$(($(crossings) - crossed))
}

# duplicates: prints the number of duplicates that the nodes of a cube of 8 have dropped
duplicates() {
	local u
	for ((u = 0; u < 8; u++)); do
		at "$u" ethtool -S "tn$u"
	done | awk '/flood_duplicates/ { n += $2 } END { print n }'
}

test_broadcast_crosses_tree_links_only_unless_frames_are_lost() {
	local u
	cube 3
	for ((u = 0; u < 8; u++)); do
		check 'silence' at $u sh -c "echo 1 >/proc/sys/net/ipv6/conf/tn$u/disable_ipv6"
	done
	heard_by_all 5 'without faults' 0 1 2 3 4 6 7
	equal 'links crossed' $((200 * 7)) "$crossed"
	check 'a fault' hcctl link set t 5:0,2:0 down
	check 'a failed node' hcctl node set t 6 fail
	nap 0.3
	check 'the news has spread' busywait 60 at_rest
	heard_by_all 5 'around faults' 0 1 2 3 4 7
	equal 'links crossed' $((200 * 6)) "$crossed"
	heard_by_all 3 'around faults, from elsewhere' 0 1 2 4 5 7
	equal 'links crossed' $((200 * 6)) "$crossed"
	equal 'duplicates' 0 "$(duplicates)"
	check 'ok' hcctl fault clear t
	nap 0.3
	check 'the news has spread' busywait 60 at_rest
	heard_by_all 5 'without faults again' 0 1 2 3 4 6 7
	equal 'links crossed' $((200 * 7)) "$crossed"
	# Broadcasts reach all nodes although these links lose all frames, as they cross other
	# links, too.
	check 'loss' hcctl link set t 5:1,7:2,4:2 loss 100%
	heard_by_all 5 'in spite of losses' 0 1 2 3 4 6 7
	((crossed > 200 * 7)) || fault 'they took one way only'
	(($(duplicates) > 0)) || fault 'no duplicates were met'
}

# While a link fails, broadcasts may be lost. None may arrive twice, and all must arrive once no
# link is faulty any more.
test_broadcast_never_arrives_twice_while_links_fail() {
	local u heard n
	n=$(scaled 5000)
	cube 4
	check 'links flap' hcctl link set t 5:0,5:1,1:1,3:2,12:3,9:1 flap 30ms/70ms
	listen 0 1 2 3 4 6 7 8 9 10 11 12 13 14 15
	check 'send' at 5 "$flow" raw tn5 ff:ff:ff:ff:ff:ff "$(mac 5)" "$n"
	check 'they do not' hcctl fault clear t
	check 'the fabric comes to rest' busywait 60 at_rest
	kill "${hearers[@]}"
	wait "${hearers[@]}"
	jobs=()
	for u in "${!hearers[@]}"; do
		heard=$(sed 1d "$scratch/heard$u")
		[[ $heard == *', 0 twice' ]] || fault "node $u: $heard"
	done
	log "of $n: $heard"
	heard_by_all 5 'afterwards' 0 1 2 3 4 6 7 8 9 10 11 12 13 14 15
}

test_frames_to_unknown_addresses_are_flooded() {
	local inner
	cube 3
	# A device behind a bridge on endpoint 6
	check 'bridge' at 6 ip link add br0 type bridge
	check 'bridge up' at 6 ip link set br0 up
	check 'port' at 6 ip link set tn6 master br0
	namespace inner || return
	check 'veth' at 6 ip link add v0 type veth peer name v1 netns "$inner"
	check 'port' at 6 ip link set v0 master br0 up
	check 'guest' ip -n "$inner" addr add 10.16.1.1/16 dev v1
	check 'guest up' ip -n "$inner" link set v1 up
	check 'ping the guest' busywait 10 at 1 ping -q -c 1 -W 1 10.16.1.1
	check 'from the guest' busywait 5 ip netns exec "$inner" ping -q -c 1 -W 1 "$(address 3)"
	equal 'spoofed' 0 "$(drops 6 spoofed)"
}

test_vlan_devices_on_endpoints_pass_traffic() {
	local u
	cube 2
	for u in 0 3; do
		at $u ip link add link tn$u name vlan7 type vlan id 7 2>/dev/null ||
			{ skip 'no VLANs in this kernel'; return; }
		check 'address' at $u ip addr add 10.17.0.$((u + 1))/24 dev vlan7
		check 'up' at $u ip link set vlan7 up
	done
	check 'full frames' at 0 ping -q -c 1 -W $((2 * slow)) -s 1472 10.17.0.4
	check 'fragments' at 0 ping -q -c 1 -W $((2 * slow)) -s 5000 10.17.0.4
}

test_macvlan_devices_on_endpoints_pass_traffic() {
	local u
	cube 2
	for u in 0 3; do
		at $u ip link add link tn$u name mv0 type macvlan mode bridge 2>/dev/null ||
			{ skip 'no macvlans in this kernel'; return; }
		check 'address' at $u ip addr add 10.18.0.$((u + 1))/24 dev mv0
		check 'up' at $u ip link set mv0 up
	done
	check 'ping' busywait 5 at 0 ping -q -c 1 -W 1 10.18.0.4
}

# received: prints the bytes received at node 7; more_received BEFORE: have at least 200 kB more
# than BEFORE arrived?
received() { at 7 cat /sys/class/net/tn7/statistics/rx_bytes; }
more_received() { (($(received) > $1 + 200000)); }
# flow_begins: starts TCP from node 0 to node 7
flow_begins() {
	: >"$scratch/sink"
	start 7 "$flow" sink 7777 >>"$scratch/sink" 2>&1
	sinker=$pid
	check 'sink' busywait 5 at 7 sh -c 'grep -q :1E61 /proc/net/tcp /proc/net/tcp6'
	start 0 "$flow" source "$(address 7)" 7777 600 >/dev/null
	sender=$pid
	check 'it flows' busywait 5 more_received "$(received)"
}

flow_ends() {
	stop "$sender"
	wait "$sinker" || fault "the flow broke: $(<"$scratch/sink")"
	jobs=()
	log "$(<"$scratch/sink")"
}

test_tcp_flow_continues_while_links_fail() {
	local d i stall
	cube 3
	flow_begins
	for ((i = 0; i < 2; i++)); do
		for d in 0 1 2; do
			check 'down' hcctl link set t 0:$d,7:$(((d + 1) % 3)) down
			check "it goes on without dimension $d" busywait 5 more_received "$(received)"
			check 'up' hcctl link set t 0:$d,7:$(((d + 1) % 3)) up
		done
		[[ ! $debug ]] || break
	done
	flow_ends
	stall=$(sed -nE 's/.*stall ([0-9]+) ms/\1/p' "$scratch/sink")
	((stall < 1000 * slow)) || fault "it stalled for $stall ms"
}

test_a_failed_node_has_no_carrier() {
	local end
	cube 3
	equal 'state' UP "$(at 2 cat /sys/class/net/tn2/operstate | tr '[:lower:]' '[:upper:]')"
	check 'fail' hcctl node set t 2 fail
	equal 'carrier' 0 "$(at 2 cat /sys/class/net/tn2/carrier)"
	check 'state' busywait 3 at 2 grep -q -i down /sys/class/net/tn2/operstate
	equal 'of a neighbour' 1 "$(at 3 cat /sys/class/net/tn3/carrier)"
	check 'nobody reaches it' ends_alone 0 2
	check 'others do reach others' reaches 0 6
	check 'back' hcctl node set t 2 ok
	check 'carrier' busywait 3 at 2 grep -q 1 /sys/class/net/tn2/carrier
	check 'it is reached' busywait 5 reaches 0 2
}

test_halves_without_usable_link_cannot_reach_each_other() {
	cube 3
	check 'cut' hcctl link set t 0:2,1:2,2:2,3:2 down
	check 'this side' reaches 0 3
	check 'that side' reaches 4 7
	check 'not across' ends_alone 0 7
	check 'one link' hcctl link set t 2:2 up
	check 'across' busywait 5 reaches 0 7
}

test_endpoint_works_after_netns_moves_under_traffic() {
	local i b
	cube 2
	namespace b || return
	start 0 "$flow" udp "$(address 3)" 9 $((20 * slow)) 1000 >/dev/null
	start 0 "$flow" raw tn0 ff:ff:ff:ff:ff:ff "$(mac 0)" 1000000 >/dev/null
	for ((i = 0; i < $(scaled 5); i++)); do
		check 'away' hcctl node set t 3 netns "$b"
		check 'up' ip -n "$b" link set tn3 up
		check 'home' hcctl node set t 3 netns "${p}3"
		check 'up' at 3 ip link set tn3 up
	done
	check 'address' at 3 ip addr add "$(address 3)/16" dev tn3
	stop "${jobs[0]}"
	stop "${jobs[1]}"
	jobs=()
	check 'it is reached' busywait 5 reaches 0 3
}

memory_free() { awk '/^MemAvailable/ { print $2 }' /proc/meminfo; }

test_flood_of_frames_takes_limited_memory() {
	local before now least u flooders='0 1 2 3 4 5'
	# After the floods stop, a kernel with debugging would need minutes for the queued frames of
	# all floods, so it has fewer of them.
	[[ ! $debug ]] || flooders='0 5'
	cube 4
	before=$(memory_free) least=$before
	for u in $flooders; do
		start "$u" "$flow" udp "$(address 15)" 9 $((3 * slow)) 60000 >/dev/null
		start "$u" "$flow" raw "tn$u" ff:ff:ff:ff:ff:ff "$(mac "$u")" 100000 1400 2>/dev/null
	done
	for ((u = 0; u < 12; u++)); do
		now=$(memory_free)
		((least < now)) || least=$now
		nap 0.1
	done
	log "$((before - least)) KiB less were free"
	((before - least < 300000)) || fault 'too much memory'
	for u in "${jobs[@]}"; do stop "$u"; done
	jobs=()
	check 'it works afterwards' busywait 30 reaches 0 15
	log "$(hcctl stats t | grep dropped)"
}

test_ethtool_reports_driver_link_and_offloads() {
	cube 2
	check 'driver' grep -q 'driver: hypercube' <(at 0 ethtool -i tn0)
	check 'where' grep -q 'bus-info: t/0' <(at 0 ethtool -i tn0)
	check 'segmentation' grep -q 'tcp-segmentation-offload: on' <(at 0 ethtool -k tn0)
	check 'GRO' grep -q 'generic-receive-offload: off' <(at 0 ethtool -k tn0)
	check 'GRO on' at 3 ethtool -K tn3 gro on
	check 'offloads off' at 0 ethtool -K tn0 tso off gso off tx off sg off
	check 'ping' reaches 0 3 -s 20000
	check 'link' grep -q 'Link detected: yes' <(at 0 ethtool tn0)
	check 'kind' grep -q 'hypercube' <(at 0 ip -d link show tn0)
}

# With busy polling, NAPI itself completes a poll whose node had more to do. This node must not lose
# its turn in the poll limiter.
test_busy_polling_node_does_not_block_other_polls() {
	local i bursts=$((1 + $(scaled 4))) burst=1 all
	all=$(((bursts + 1) * slow))
	[[ ! $brief ]] || burst=0.5 all=$((bursts / 2 + 1))
	cube 3
	check 'GRO' at 7 ethtool -K tn7 gro on
	check 'softirqs deferred' at 7 bash -c \
		'cd /sys/class/net/tn7 && echo 2 >napi_defer_hard_irqs && echo 200000 >gro_flush_timeout'
	background ip netns exec "${p}7" "$flow" count 9 "$all" busy >"$scratch/count"
	for ((i = 0; i < bursts; i++)); do
		at 0 "$flow" udp "$(address 7)" 9 "$burst" 1400 >/dev/null &
		at 5 "$flow" udp "$(address 7)" 9 "$burst" 64 >/dev/null
	done
	wait "$pid" || fault 'no busy polling'
	log "$(<"$scratch/count")"
	[[ $(<"$scratch/count") != '0 '* ]] || fault 'nothing came'
	jobs=()
	check 'plan' hcctl tree find fabric t apply
	check 'reduction' hcctl run reduce t op sum type u64 count 20000 verify
	equal 'found' 0 "$(json .found detect t)"
	check 'they answer' reaches 0 7
	check 'del' hcctl fabric del t
}

test_reductions_succeed_under_traffic() {
	local i
	cube 3
	check 'plan' hcctl tree find fabric t apply
	start 0 "$flow" udp "$(address 7)" 9 $((4 * slow)) 1400 >/dev/null
	start 5 "$flow" raw tn5 ff:ff:ff:ff:ff:ff "$(mac 5)" 1000000 1400
	for ((i = 0; i <= $(scaled 4); i++)); do
		check 'reduction' hcctl run reduce t op sum type u64 count 20000 verify
	done
}

test_module_and_fabric_are_removed_under_traffic() {
	local i
	for ((i = $(scaled 4); i > 0; i--)); do
		cube 3
		start 0 "$flow" udp "$(address 7)" 9 30 1400 >/dev/null
		start 5 "$flow" raw tn5 ff:ff:ff:ff:ff:ff "$(mac 5)" 1000000 1400 2>/dev/null
		start 7 "$flow" sink 7777 >/dev/null
		start 1 "$flow" source "$(address 7)" 7777 30 >/dev/null 2>&1
		nap 0.3
		if ((i % 2)); then
			check 'unload' busywait 10 rmmod hypercube
			check 'load' modprobe hypercube
			ip netns list | sed -nE "s/^(${p}[0-9]*).*/\1/p" | xargs -n 1 ip netns del
		else
			check 'del' hcctl fabric del t
		fi
		for u in "${jobs[@]}"; do stop "$u"; done
		jobs=()
	done
}

test_endpoints_in_many_namespaces_reach_each_other() {
	local dim=7
	((HC_SCALE >= 100)) || dim=6
	[[ ! $debug ]] || dim=5
	check 'add' hcctl fabric add t dim $dim netns-each "$p" address 10.16.0.0/16
	check 'far' busywait 10 at 0 ping -q -c 1 -W 3 10.16.0.$((1 << dim))
	check 'del' hcctl fabric del t
	equal 'namespaces left' '' "$(ip netns list | grep "^$p")"
}

# Each namespace takes about 800 KiB, and IPv6 sends several multicasts in each. So all endpoints
# share one namespace without IPv6.
test_broadcasts_reach_all_of_many_endpoints() {
	local a u own=() dim=10 n
	((HC_SCALE >= 100)) || dim=9
	[[ ! $debug ]] || dim=7
	n=$((1 << dim))
	namespace a || return
	check 'no IPv6' ip netns exec "$a" sh -c 'echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6'
	check 'add' hcctl -n "$a" fabric add t dim $dim
	for ((u = 0; u < n; u++)); do echo "link set tn$u up"; done | ip -n "$a" -b -
	for u in 0 $((n / 2)) $((n - 1)); do
		own[u]=$(ip netns exec "$a" cat /sys/class/net/tn$u/address)
	done
	background ip netns exec "$a" "$flow" raw tn$((n / 2)) "${own[n - 1]}" "${own[n / 2]}" 20000
	check 'broadcasts' ip netns exec "$a" "$flow" raw tn0 ff:ff:ff:ff:ff:ff "${own[0]}" 10
	wait "$pid" || fault 'unicast failed'
	jobs=()
	check 'everybody has them' busywait 30 everybody_got "$a" 10 $((n - 1))
	log "$(hcctl -n "$a" stats t)"
}

# everybody_got NAMESPACE FRAMES ENDPOINTS: have all endpoints received FRAMES frames? One endpoint
# may have another number, as it sends or receives other frames.
everybody_got() {
	(($(ip netns exec "$1" sh -c 'cat /sys/class/net/tn*/statistics/rx_packets' |
		grep -c "^$2$") >= $3 - 1))
}

alone=(test_tcp_flow_continues_while_links_fail
	test_flood_of_frames_takes_limited_memory
	test_module_and_fabric_are_removed_under_traffic)
run_tests
