#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Standard network tools on endpoints: qdiscs, XDP in generic mode, and the output of ip and
# ethtool.
#
# Scheduling: shared

# shellcheck source=selftests/lib/endpoints.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/endpoints.sh"

ends_alone() { ! reaches "$@"; }
of() { at "$1" cat "/sys/class/net/tn$1/$2"; }
# knows KIND [OPTION..]: adds this qdisc to endpoint 0; skips the test if the kernel does not have
# it
knows() {
	at 0 tc qdisc add dev tn0 root "$@" 2>/dev/null && return
	skip "this kernel has no $1"
	return 1
}

test_netem_delay_and_loss_apply_to_endpoint_traffic() {
	local us
	cube 1
	knows netem delay 20ms || return
	check 'warm' busywait 10 reaches 0 1
	us=$(at 0 ping -q -c 3 -i 0.02 -W 2 "$(address 1)" | sed -nE 's|^r[ot].* ([0-9]+)\.([0-9]{3})/.*/.*|\1\2|p')
	((10#$us >= 20000)) || fault "$us us with a delay of 20 ms"
	check 'loss' at 0 tc qdisc change dev tn0 root netem loss 100%
	check 'nothing comes' ends_alone 0 1
	check 'off' at 0 tc qdisc del dev tn0 root
	check 'it comes' reaches 0 1
}

test_tbf_limits_tcp_rate_of_endpoint() {
	local bytes
	cube 1
	knows tbf rate 8mbit burst 20kb latency 50ms || return
	: >"$scratch/sink"
	start 1 "$flow" sink 7777 >>"$scratch/sink" 2>&1
	local sinker=$pid
	check 'sink' busywait 5 at 1 sh -c 'grep -q :1E61 /proc/net/tcp /proc/net/tcp6'
	check 'source' at 0 "$flow" source "$(address 1)" 7777 2
	wait "$sinker"
	jobs=()
	bytes=$(sed 's/ .*//' "$scratch/sink")
	log "$bytes bytes in 2 seconds"
	((bytes > 200000 && bytes < 1000000 * (2 + 5 * slow))) || fault 'that is not 8 Mbit/s'
	check 'its counters' grep -qE 'Sent [1-9]' <(at 0 tc -s qdisc show dev tn0)
	check 'the endpoint works' reaches 0 1
}

test_generic_xdp_drops_ip_frames_but_not_collectives() {
	local before
	cube 1
	check 'reached' reaches 0 1
	at 1 "$here/hc_xdp" pass tn1 2>/dev/null
	if (($? == 4)); then
		skip 'this kernel has no BPF'
		return
	fi
	check 'ip shows it' grep -q 'xdpgeneric' <(at 1 ip link show tn1)
	check 'still reached' reaches 0 1
	check 'off' at 1 "$here/hc_xdp" off tn1
	check 'drop' at 1 "$here/hc_xdp" drop tn1
	before=$(of 1 statistics/rx_packets)
	check 'nothing passes' ends_alone 0 1
	(($(of 1 statistics/rx_packets) > before)) || fault 'frames did not even come'
	check 'collectives do not care' hcctl tree find fabric t apply
	check 'a reduction' hcctl run reduce t op sum type u8 count 100 verify
	check 'off' at 1 "$here/hc_xdp" off tn1
	check 'reached again' busywait 3 reaches 0 1
	refused 'native mode' 'not supported' at 1 "$here/hc_xdp" native tn1
}

# field NAME: prints this counter of "ethtool -S" at node 0
field() { at 0 ethtool -S tn0 | sed -nE "s/^ *$1: //p"; }

test_ip_and_ethtool_report_right_state_and_counters() {
	local rx tx frames=37 dropped
	cube 2
	check 'IPv6 off' at 0 sh -c 'echo 1 >/proc/sys/net/ipv6/conf/tn0/disable_ipv6'
	equal 'kind' hypercube "$(at 0 ip -d -j link show tn0 | pick '.[0].linkinfo.info_kind')"
	equal 'limits' '[68,65535]' "$(at 0 ip -d -j link show tn0 | jq -c '.[0] | [.min_mtu, .max_mtu]')"
	equal 'address' "$(of 0 address)" "$(at 0 ip -j link show tn0 | pick '.[0].address')"
	equal 'up' 'UP' "$(at 0 ip -j link show tn0 | pick '.[0].operstate')"
	check 'driver' grep -q '^driver: hypercube' <(at 0 ethtool -i tn0)
	check 'bus' grep -q '^bus-info: t/0' <(at 0 ethtool -i tn0)
	check 'statistics' grep -q '^supports-statistics: yes' <(at 0 ethtool -i tn0)
	check 'checksums' grep -q '^tx-checksumming: on' <(at 0 ethtool -k tn0)
	# The frames have EtherType 0x88b5, which no protocol handles, so no stack answers them.
	tx=$(of 0 statistics/tx_packets) rx=$(of 3 statistics/rx_packets)
	check 'send' at 0 "$flow" raw tn0 "$(of 3 address)" "$(of 0 address)" $frames 200
	check 'they come' busywait 3 test "$(of 3 statistics/rx_packets)" -ge $((rx + frames))
	equal 'sent' $((tx + frames)) "$(at 0 ip -s -j link show tn0 | pick '.[0].stats64.tx.packets')"
	dropped=$(at 0 ip -s -j link show tn0 | pick '.[0].stats64.tx.dropped')
	check 'spoofed' at 0 "$flow" raw tn0 "$(of 3 address)" "$(of 1 address)" 5
	equal 'dropped' $((dropped + 5)) "$(at 0 ip -s -j link show tn0 | pick '.[0].stats64.tx.dropped')"
	equal 'why' 5 "$(field drop_spoofed)"
	equal 'the tool says the same' 5 "$(json '.[0].drops.spoofed' node show t 0)"
}

test_failed_node_has_no_carrier_until_set_ok() {
	cube 2
	check 'fail' hcctl node set t 1 fail
	check 'ip says so' busywait 3 at 1 sh -c 'ip -j link show tn1 | jq -e ".[0].flags | index(\"NO-CARRIER\")"'
	check 'ethtool, too' grep -q 'Link detected: no' <(at 1 ethtool tn1)
	check 'a neighbour has one' grep -q 'Link detected: yes' <(at 0 ethtool tn0)
	check 'ok' hcctl node set t 1 ok
	check 'back' busywait 3 at 1 sh -c 'ethtool tn1 | grep -q "Link detected: yes"'
	equal 'operstate' up "$(of 1 operstate)"
}

alone=(test_tbf_limits_tcp_rate_of_endpoint)
run_tests
