#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# How trunks begin: which sockets may be passed and by which users, connections and addresses, and
# machines whose fabrics do not match.
#
# Scheduling: shared long cluster

# shellcheck disable=SC2119
# shellcheck source=selftests/lib/pair.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/pair.sh"

test_trunks_need_module_parameter_and_initial_user_namespace() {
	parameter trunks N
	namespace a || return
	check 'a part' at "$a" hcctl fabric add t dim 3 nodes 0XX
	refused 'without the parameter' 'parameter "trunks"' at "$a" hcctl trunk add t 2 fd 0
	parameter trunks Y
	refused 'with it' 'none of a socket' at "$a" hcctl trunk add t 2 fd 0
	unprivileged Y
	as_user 4321 'hcctl fabric add t dim 3 nodes 0XX && hcctl trunk add t 2 fd 0' >"$scratch/said" 2>&1
	grep -q 'initial user namespace' "$scratch/said" || fault "to a user: $(<"$scratch/said")"
}

# A TCP socket gives up its reference to its network namespace when a trunk takes it
# (module/trunk/sock.c). A socket of a namespace other than the fabric's could outlive that
# namespace, so it is refused.
test_socket_of_another_network_namespace_is_refused() {
	machines 3 0XX 1XX
	sink
	refused 'of another namespace' 'another network namespace' at "$a" bash -c "
		exec 3<>/dev/tcp/10.9.0.2/5001 &&
		exec nsenter --net=/run/netns/$b hcctl trunk add t 2 fd 3"
}

# AF_UNIX and AF_VSOCK sockets are not bound to a network. They hold a namespace until the trunk
# ends; the trunk also ends if only its other end does.
test_trunks_run_over_unix_and_vsock_sockets() {
	local where
	for where in "unix:$scratch/wire" vsock:1; do
		machines 3 0XX 1XX
		[[ $where != vsock* ]] || modprobe -q vsock_loopback || { log 'no AF_VSOCK'; return; }
		there "$a" hcctl trunk listen t "$where"
		busywait 5 at "$b" hcctl trunk connect t 2 "$where" || { fault "no trunk by $where"; return; }
		up_again
		log "$where: $(json_at "$a" '.[0].peer' trunk show t)"
		check 'a tree' at "$a" hcctl tree find fabric t apply
		there "$a" "$here/hc_member" t 1 8 5 20000 0 1 2 3 >"$scratch/a"
		equal 'sums' right "$(at "$b" "$here/hc_member" t 1 8 5 20000 4 5 6 7)"
		busywait 10 grep -q right "$scratch/a" || fault "sums: $(<"$scratch/a")"
		check 'a wire' ip link add "x$$" type veth peer name "y$$" netns "$b"
		check 'the one' ip netns del "$b"
		check 'the other' at "$a" hcctl fabric del t
		busywait 20 gone "x$$" || fault 'the namespace is still there'
	done
}

test_invalid_trunk_addresses_are_refused() {
	local where
	machines 3 0XX 1XX
	for where in vsock:x vsock:1: vsock:1:x vsock:4294967296 vsock:1:4294967295; do
		refused "$where" 'CID or CID:PORT' at "$b" hcctl trunk connect t 2 "$where"
		equal "lines about $where" 1 "$(at "$b" hcctl trunk connect t 2 "$where" 2>&1 | wc -l)"
	done
	where=unix:/$(printf '%0108d' 0)
	refused 'a path' 'it is too long' at "$b" hcctl trunk connect t 2 "$where"
	equal 'lines about a path' 1 "$(at "$b" hcctl trunk connect t 2 "$where" 2>&1 | wc -l)"
	refused 'nobody' 'cannot connect to unix:' at "$b" hcctl trunk connect t 2 "unix:$scratch/nobody"
}

# A process that still has a descriptor of the socket could read from the socket, listen on it, or
# hold its lock. So the trunk begins only when no process has a descriptor, and ends if one keeps
# it.
test_trunk_ends_if_a_process_keeps_the_socket_descriptor() {
	machines 3 0XX 1XX
	there "$a" hcctl -j monitor fabric t >"$scratch/events"
	sink
	there "$a" bash -c "exec 3<>/dev/tcp/10.9.0.2/5001 &&
		hcctl trunk add t 2 fd 3 keepalive $((2 * slow))s && exec sleep 100"
	busywait 5 is_at 1 "$a" length trunk show t || fault 'there is no trunk'
	sleep 0.3
	equal 'nothing is said' 0 "$(json_at "$a" '.[0].tx_bytes' trunk show t)"
	busywait 10 grep -q "keeps the socket's descriptor" "$scratch/events" || fault "it goes on: $(<"$scratch/events")"
	equal 'how many have ended' 1 "$(json_at "$a" '.[0].trunks_ended' fabric show t)"
}

# An epoll instance takes temporary references to the files that it watches, so it could drop the
# last reference to the socket's file.
test_trunk_does_not_begin_while_an_epoll_watches_its_socket() {
	parameter trunks Y
	namespace a || return
	check 'a part' at "$a" hcctl fabric add t dim 3 nodes 0XX
	equal 'when it begins' 'not begun begun' "$(at "$a" "$here/hc_asker" t watched | xargs)"
}

test_trunk_between_mismatched_fabrics_is_refused() {
	machines 3 0XX 1XX
	there "$a" hcctl trunk listen t 10.9.0.1 persist
	busywait 5 at "$b" bash -c 'exec 3<>/dev/tcp/10.9.0.1/26723' || fault 'nobody listens'
	check 'u' at "$b" hcctl fabric add u dim 3 nodes 1XX
	refused 'names' 'the fabrics are u and t' at "$b" hcctl trunk connect u 2 10.9.0.1
	refused 'dimension' 'have no links along dimension 1' at "$b" hcctl trunk connect t 1 10.9.0.1
	check 'del' at "$b" hcctl fabric del t
	check 'segment' at "$b" hcctl fabric add t dim 3 nodes 1XX segment 1024
	refused 'segment' 'the segments are of 1024 and of 32768 bytes' at "$b" hcctl trunk connect t 2 10.9.0.1
	check 'del' at "$b" hcctl fabric del t
	check 'whole' at "$b" hcctl fabric add t dim 3
	refused 'whole' 'have no links along dimension 2' at "$b" hcctl trunk connect t 2 10.9.0.1
	refused 'nobody' 'cannot connect' at "$b" hcctl trunk connect t 2 10.9.0.1:9
}

# A second machine with the same partition is refused at a trunk, and the error at both ends names
# the address of the machine that has these nodes. That first machine may connect again.
test_second_machine_with_the_same_partition_is_refused() {
	local c='' filter='.[0].trunks_ended' peer
	machines 3 0XX 1XX && namespace c || return
	wire "$a" "$c" 1
	check 'the same part' at "$c" hcctl fabric add t dim 3 nodes 1XX
	there "$a" hcctl -j monitor fabric t >"$scratch/events"
	there "$a" hcctl trunk listen t persist 2>"$scratch/heard"
	check 'a trunk' busywait 5 at "$b" hcctl trunk connect t 2 10.9.0.1
	up_again
	peer=$(json_at "$a" '.[0].peer' trunk show t)
	refused 'the second' "nodes 1XX are held by another machine, $peer" at "$c" hcctl trunk connect t 2 10.9.1.1
	busywait 5 grep -q "10.9.1.2:.*nodes 1XX are held by another machine, $peer" "$scratch/heard" ||
		fault "the listener says: $(<"$scratch/heard")"
	equal 'trunks that have ended' 0 "$(json_at "$a" "$filter" fabric show t)"
	there "$b" hcctl -j monitor fabric t >"$scratch/b"
	check 'the first again' at "$b" hcctl trunk connect t 2 10.9.0.1
	up_again
	# If one end completes the new handshake first, it ends the old connection in favour of the
	# new one.
	busywait 5 grep -qs '"trunk-del".*A connection with 10.9.0.[12]:[0-9]* has replaced it' "$scratch"/{events,b} ||
		fault "events: $(<"$scratch/events")"
	check 'the first goes' at "$b" hcctl fabric del t
	check 'then the second' busywait 5 at "$c" hcctl trunk connect t 2 10.9.1.1
}

frames() { json_at "$a" '[.[] | .rx_frames + .tx_frames] | add' trunk show t; }

# b and d both have the partition 1XX; b is connected to a, and d joins later, at c. d leaves again,
# b reports that, and the notifications end.
test_partition_on_two_machines_is_reported() {
	local c='' d='' before
	machines 3 00X 1XX && namespace c && namespace d || return
	wire "$a" "$c" 1
	wire "$c" "$d" 2
	check 'a third part' at "$c" hcctl fabric add t dim 3 nodes 01X
	check 'the same part' at "$d" hcctl fabric add t dim 3 nodes 1XX
	there "$b" hcctl -j monitor fabric t >"$scratch/b"
	there "$d" hcctl -j monitor fabric t >"$scratch/d"
	tie "$a" "$b" 0 2
	tie "$a" "$c" 1 1
	sleep 3.1
	tie "$c" "$d" 2 2
	busywait 10 grep -q '"trunk-del".*another machine that holds nodes 1XX, too' "$scratch/d" ||
		fault "it stays: $(<"$scratch/d")"
	busywait 10 grep -q '"trunk",.*another machine that holds nodes 1XX, too' "$scratch/b" ||
		fault "the first one is not told: $(<"$scratch/b")"
	before=$(frames)
	sleep 1
	log "$(($(frames) - before)) frames in the second after that"
	(($(frames) - before < 500)) || fault "news goes on: $(($(frames) - before)) frames in a second"
	check 'a plan for all' busywait 5 at "$a" hcctl tree find fabric t apply
	equal 'a trunk of the first' 1 "$(json_at "$b" length trunk show t)"
}

# The program hc_rival, a neighbour of machine a for a while, sends FAULT words in the name of node 0,
# which is on a. Machine b, whose trunk is new, floods them back to a. The event on a must name the
# trunk of hc_rival, not that of b.
test_forged_fault_words_are_attributed_to_trunk_of_the_forger() {
	machines 3 00X 1XX || return
	check 'another way' at "$a" hcctl link set t 0:0 down
	there "$a" "$here/hc_rival" t >"$scratch/rival"
	busywait 5 is_at '[true]' "$a" 'map(.established)' trunk show t || fault 'no neighbour'
	sleep 3.1
	there "$a" hcctl -j monitor fabric t >"$scratch/a"
	there "$b" hcctl -j monitor fabric t >"$scratch/b"
	tie "$a" "$b" 0 2
	busywait 20 grep -q '"dim":1,.*another machine that holds nodes 00X, too' "$scratch/a" ||
		fault "nobody is told: $(<"$scratch/a") $(<"$scratch/rival")"
	log "$(wc -l <"$scratch/rival") contradictions"
	sleep 1.5
	! grep -h '"trunk-del"' "$scratch/a" "$scratch/b" || fault 'a trunk has ended'
	equal 'trunks of which that is told' 1 "$(cat "$scratch/a" "$scratch/b" | grep -c 'another machine')"
	equal 'trunks' 2 "$(json_at "$a" length trunk show t)"
}

# strays N: opens N connections from b to the listener, half of them silent and half with random
# data; the connections stay open until the process $pid ends
strays() {
	there "$b" bash -c "for ((i = 0; i < $1; i++)); do
		exec {fd}<>/dev/tcp/10.9.0.1/26723 && ((i % 2)) && head -c 40 /dev/urandom >&\$fd
	done; echo done; exec sleep 100" >"$scratch/strays" 2>&1
	busywait 20 grep -q "done" "$scratch/strays" || fault "strays: $(<"$scratch/strays")"
}

# Without "persist", the listener waits until one trunk is established, not only for one connection.
# It gets more stray connections than it can serve at a time, both before the peer's connection and
# together with it.
test_stray_connections_do_not_keep_the_peer_out() {
	local listener t
	machines 3 0XX 1XX
	there "$a" hcctl trunk listen t 2>"$scratch/heard"
	listener=$pid
	busywait 5 port_open || fault 'nobody listens'
	strays 150
	kill -0 "$listener" || { fault "the listener has ended: $(<"$scratch/heard")"; return; }
	t=$SECONDS
	check 'a trunk' timeout 10 ip netns exec "$b" hcctl trunk connect t 2 10.9.0.1
	((SECONDS - t < 3 + slow)) || fault "it took $((SECONDS - t)) s"
	up_again
	busywait 5 over "$listener" || fault 'the listener goes on'
	! port_open || fault 'the port is still open'
	grep -q '10.9.0.2:.*is no hcctl trunk' "$scratch/heard" || fault "no stray is named: $(<"$scratch/heard")"
}
port_open() { at "$a" ss -Hltn | grep -q :26723; }
over() { ! kill -0 "$1"; } 2>/dev/null

test_listener_accepts_ipv4_and_ipv6_connections() {
	machines 3 0XX 1XX
	at "$a" ip addr add fd09::1/64 dev "w$$" nodad || { skip 'there is no IPv6'; return; }
	at "$b" ip addr add fd09::2/64 dev "w$$" nodad
	there "$a" hcctl trunk listen t persist
	check 'by IPv6' busywait 5 at "$b" hcctl trunk connect t 2 '[fd09::1]'
	up_again
	equal 'the peer' '[fd09::1]:26723' "$(json_at "$b" '.[0].peer' trunk show t)"
	check 'by IPv4' at "$b" hcctl trunk connect t 2 10.9.0.1
	up_again
	equal 'the peer' '10.9.0.1:26723' "$(json_at "$b" '.[0].peer' trunk show t)"
}

run_tests
