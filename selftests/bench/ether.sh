# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Measures Ethernet between two network namespaces: over a veth pair, and over 1, 2 and 4 hops of a
# fabric. Sourced by guest.sh.

flow=$here/../hc_flow
# For each kind of path, the node at the other end
declare -A far=([veth]=veth [hops1]=1 [hops2]=3 [hops4]=15)
ways=(veth hops1 hops2 hops4)

ether_set_up() {
	hcctl fabric add bench dim 4 netns-each bench address 10.16.0.0/16 || die 'no fabric'
	ip netns add here || die 'no namespace'
	ip netns add there || die 'no namespace'
	ip -n here link add veth0 type veth peer name veth1 netns there
	ip -n here addr add 10.17.0.1/24 dev veth0
	ip -n there addr add 10.17.0.2/24 dev veth1
	ip -n here link set veth0 up || die 'no veth pair'
	ip -n there link set veth1 up || die 'no veth pair'
}

ether_tear_down() {
	hcctl fabric del bench
	ip netns del here
	ip netns del there
}

# way NAME: sets near_ns, near_if, far_ns, far_if and address to the namespaces, interfaces and
# remote address of this kind of path
way() {
	local v=${far[$1]}
	if [[ $v == veth ]]; then
		near_ns=here near_if=veth0 far_ns=there far_if=veth1 address=10.17.0.2
	else
		near_ns=bench0 near_if=benchn0 far_ns=bench$v far_if=benchn$v address=10.16.0.$((v + 1))
	fi
}

listens() {
	local _
	for _ in {1..200}; do
		! ip netns exec "$far_ns" grep -q " 0A " /proc/net/tcp /proc/net/tcp6 || return 0
		sleep 0.02
	done
	die 'the other end does not listen'
}

mbits() {
	ip netns exec "$far_ns" taskset -c 1 iperf3 -s -1 >/dev/null &
	listens
	ip netns exec "$near_ns" taskset -c 0 iperf3 -c "$address" -t "$1" -J |
		jq '.end.sum_received.bits_per_second / 1e6 | floor'
	wait $!
}

# Measures the round-trip time. Both ends run on the same processor, as waking an idle processor
# takes longer than the rest of a round trip.
round_trip() {
	ip netns exec "$far_ns" taskset -c 1 "$flow" echo 7000 &
	listens
	ip netns exec "$near_ns" taskset -c 1 "$flow" pingpong "$address" 7000 "$1" | tr -dc 0-9
	wait $!
}

received() { ip netns exec "$far_ns" cat "/sys/class/net/$far_if/statistics/rx_packets"; }
mac() { ip netns exec "$1" cat "/sys/class/net/$2/address"; }

# Sends frames of 64 bytes with a system call for each, and counts the frames that arrive in the
# time that sending takes.
frames() {
	local before ns
	before=$(received)
	ns=$(ip netns exec "$near_ns" taskset -c 1 "$flow" packets "$near_if" "$(mac "$far_ns" "$far_if")" \
		"$(mac "$near_ns" "$near_if")" "$1" 64 | tr -dc 0-9)
	echo $((($(received) - before) * 1000000000 / ns))
}

ether() {
	local rounds=12 seconds=1 trips=1500 packets=20000 round i name
	[[ $mode == full ]] || rounds=5
	ether_set_up
	for ((round = 1; round <= rounds; round++)); do
		say "Ethernet, round $round of $rounds"
		for ((i = 0; i < ${#ways[@]}; i++)); do
			name=${ways[(i + round) % ${#ways[@]}]}
			way "$name"
			jq -nc --arg way "$name" --argjson round $round \
				--argjson mbit "$(mbits $seconds)" --argjson rtt "$(round_trip $trips)" \
				--argjson pps "$(frames $packets)" \
				'{ what: "ether", round: $round, way: $way, mbit_s: $mbit,
				   round_trip_us: ($rtt / 1000), frames_s: $pps }'
		done
	done
	ether_tear_down
}
