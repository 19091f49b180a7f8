# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Programs of the kernel's network tests, with a function for each. A program runs between the
# namespaces kn-a and kn-b, which a wire connects. The functions report errors with check and fault.

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"

net=/kernel_net/net
# Time limit of a script or program, in seconds
limit=$((90 * slow))

# end_a COMMAND.., end_b COMMAND..: run COMMAND at one end of the wire
end_a() { (cd "$net" && ip netns exec kn-a timeout -k 5 "$limit" "$@"); }
end_b() { (cd "$net" && ip netns exec kn-b timeout -k 5 "$limit" "$@"); }

wire_up() {
	local name
	ip netns add kn-a
	ip netns add kn-b
	ip link add name wire netns kn-a type veth peer name wire netns kn-b
	for name in a b; do
		ip -n kn-$name link set lo up
		ip -n kn-$name link set wire up
		ip -n kn-$name address add "192.0.2.$((16#$name - 9))/24" dev wire
		ip -n kn-$name address add "2001:db8::$((16#$name - 9))/64" dev wire nodad
	done
	ip netns exec kn-a ping -q -c 1 -W 2 192.0.2.2 >/dev/null &&
		ip netns exec kn-a ping -q -c 1 -W 2 2001:db8::2 >/dev/null
}

# between_ends PROGRAM: sets up the wire, and runs the function PROGRAM
between_ends() {
	if wire_up; then
		"$1"
	else
		fault 'there is no way over the wire'
	fi
}

# listening PORT PROTOCOL..: does a socket of these protocols listen at the other end?
listening() {
	local port protocol
	printf -v port ':%04X ' "$1"
	for protocol in "${@:2}"; do
		ip netns exec kn-b grep -q "$port" /proc/net/"$protocol" || return
	done
}

arrived() { ip netns exec kn-b cat /sys/class/net/wire/statistics/rx_bytes; }

# The cases of udpgso_bench.sh, with the other end as the destination instead of 127.0.0.1. With UDP
# the receiver verifies the data; in all cases a megabyte must arrive.
udpgso_row() {
	local name=$1 protocol=udp receiver=(-v) before
	shift
	if [[ " $* " == *' -t '* ]]; then protocol=tcp receiver=(-t); fi
	: >"$scratch/rx"
	background end_b ./udpgso_bench_rx -p 8000 "${receiver[@]}" >>"$scratch/rx" 2>&1
	check "$name: a receiver" busywait 5 listening 8000 "${protocol}6"
	before=$(arrived)
	check "$name" end_a ./udpgso_bench_tx -p 8000 -l 1 "$@"
	(($(arrived) - before > 1000000)) || fault "$name: $(($(arrived) - before)) bytes came"
	# A TCP receiver ends when the sender does.
	killall -q udpgso_bench_rx
	wait "$pid" 2>/dev/null
	! grep -q '^./udpgso_bench_rx: ' "$scratch/rx" || fault "$name: $(tail -1 "$scratch/rx")"
}

udpgso_bench() {
	local to
	for to in '-4 -D 192.0.2.2' '-6 -D 2001:db8::2'; do
		# shellcheck disable=SC2086
		{
			udpgso_row "tcp $to" $to -t
			udpgso_row "tcp zerocopy $to" $to -t -z
			udpgso_row "udp $to" $to
			udpgso_row "udp gso $to" $to -S 0
			udpgso_row "udp gso zerocopy audit $to" $to -S 0 -z -a
			udpgso_row "udp gso timestamp audit $to" $to -S 0 -T -a
		}
	done
}

# The cases of udpgro.sh. That script needs the address of the other end to be resolved while it
# sends, so that ten datagrams never arrive together; here the address is known before.
udpgro_row() {
	local name=$1 sender=$2
	shift 2
	: >"$scratch/rx"
	background end_b ./udpgso_bench_rx -G -r -C 3000 -R 1000 "$@" >>"$scratch/rx" 2>&1
	check "$name: a receiver" busywait 5 listening 8000 udp6
	# shellcheck disable=SC2086
	check "$name" end_a ./udpgso_bench_tx -l 4 $sender
	wait "$pid" || fault "$name: $(tail -1 "$scratch/rx")"
}

# udpgro_family SENDER-OPTIONS BYTES-OF-TEN-SEGMENTS: runs the cases of one address family
udpgro_family() {
	udpgro_row "no GRO $1" "$1 -M 10 -s 1400" -n 10 -l 1400 -S -1
	udpgro_row "GRO $1" "$1 -M 1 -s $2 -S 0" -n 1 -l "$2" -S $(($2 / 10))
	udpgro_row "GRO, other segments $1" "$1 -M 1 -s $2 -S 500" -n 1 -l "$2" -S 500
}

udpgro() {
	local end
	for end in a b; do
		check 'GRO' ip netns exec kn-$end ethtool -K wire gro on
	done
	udpgro_family '-4 -D 192.0.2.2' 14720
	udpgro_family '-6 -D 2001:db8::2' 14520
}

# The delays of txtimestamp.sh are 1 ms before a frame is sent, and 6 ms until it is acknowledged.
# In an emulated machine events are later than this by more than the 500 us that the script allows.
txtimestamp() {
	local args tolerance=$((20000 * slow))
	check 'delay' ip netns exec kn-a tc qdisc add dev wire root netem delay 1ms
	check 'delay' ip netns exec kn-b tc qdisc add dev wire root netem delay 5ms
	background end_b socat -u TCP6-LISTEN:9000,fork,reuseaddr OPEN:/dev/null
	background end_b socat -u UDP6-RECV:9000 OPEN:/dev/null
	check 'receivers' busywait 5 listening 9000 tcp6 udp6
	for args in '' -u -r -R -C '-u -C' -n '-u -n'; do
		# shellcheck disable=SC2086
		{
			check "IPv4 $args" end_a ./txtimestamp $args -v 1000 -V 6000 -t $tolerance -4 192.0.2.2
			check "IPv6 $args" end_a ./txtimestamp $args -v 1000 -V 6000 -t $tolerance -6 2001:db8::2
		}
	done
}

# The program would send 32 GiB, so it is stopped earlier. With -z the receiver maps the pages of
# the socket's data one after another; it must survive.
tcp_mmap() {
	local options before
	for options in '' -z; do
		: >"$scratch/rx"
		# shellcheck disable=SC2086
		background end_b ./tcp_mmap -s $options >>"$scratch/rx" 2>&1
		check 'a receiver' busywait 5 listening 8787 tcp6
		before=$(arrived)
		# shellcheck disable=SC2086
		(cd "$net" && ip netns exec kn-a timeout 2 ./tcp_mmap -H 2001:db8::2 $options) \
			>/dev/null 2>&1
		(($? == 124)) || fault "tcp_mmap $options ended early"
		(($(arrived) - before > 1000000)) ||
			fault "tcp_mmap $options: $(($(arrived) - before)) bytes came"
		check "the receiver $options" killall tcp_mmap
		wait "$pid" 2>/dev/null
	done
}

# gro.sh sends to addresses that no device has, so the frames would be flooded. Here the frames have
# the endpoint's own address.
gro_rows() {
	local end part from to tries
	for end in a b; do
		ip netns exec kn-$end sh -c 'echo 1000000 >/sys/class/net/wire/gro_flush_timeout'
		ip -n kn-$end link set wire mtu 65535
		check 'GRO' ip netns exec kn-$end ethtool -K wire gro on tso off
	done
	from=$(ip netns exec kn-a cat /sys/class/net/wire/address)
	to=$(ip netns exec kn-b cat /sys/class/net/wire/address)
	for part in data ack flags tcp ip large; do
		for tries in 1 2 3; do
			! gro_once "$1" "$part" "$from" "$to" || continue 2
		done
		fault "$part, $tries times: $(tail -1 "$scratch/rx")"
	done
}

gro_ipv4() { gro_rows ipv4; }
gro_ipv6() { gro_rows ipv6; }

# gro_once PROTOCOL PART FROM TO: runs the program once, and waits half a second for the receiver,
# as gro.sh does
gro_once() {
	local arguments=("--$1" --smac "$3" --dmac "$4" --test "$2" --iface wire) receiver
	end_b ./gro "${arguments[@]}" --rx >"$scratch/rx" 2>&1 &
	receiver=$!
	sleep 0.5
	end_a ./gro "${arguments[@]}" >/dev/null 2>&1
	wait $receiver
}

# netdevice.sh tests each interface that has the name of a real device, and its exit status does not
# depend on the results. An endpoint refuses another address, and has no registers to dump.
netdevice() {
	local failed
	ip -n kn-b link set wire down
	ip -n kn-b address flush dev wire
	ip -n kn-b link set wire name eth0
	end_b ./netdevice.sh >"$scratch/said" 2>&1
	grep -q '^PASS: eth0: set interface up' "$scratch/said" || fault 'the interface was not seen'
	failed=$(grep '^FAIL' "$scratch/said" | grep -vx 'FAIL: eth0: Cannot set MAC address')
	[[ ! $failed ]] || fault "$failed"
}
