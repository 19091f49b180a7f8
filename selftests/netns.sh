#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Network namespaces: a fabric belongs to one namespace and is removed with it, even while it is
# used. Endpoints can be moved to other namespaces, are usable by processes there, and return when
# such a namespace ends.
#
#	 namespace A                         namespace B
#	+-------------------------------+   +-----------------+
#	| fabric t: n0 n1 n2 .. n7      |   | tn3: bind(t, 3) |
#	|   links between all of them --+---+-- of n3 too     |
#	+-------------------------------+   +-----------------+
#
# Scheduling: shared long

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

in_namespace() { ip netns exec "$@"; }

test_two_namespaces_can_have_fabrics_of_the_same_name() {
	local a b
	namespace a && namespace b || return
	check 'in A' hcctl -n "$a" fabric add t dim 3
	check 'in B' hcctl -n "$b" fabric add t dim 2
	equal 'fabrics here' '[]' "$(hcctl -j fabric show)"
	equal 'in A' 3 "$(json '.[0].dim' -n "$a" fabric show)"
	equal 'in B' 2 "$(json '.[0].dim' -n "$b" fabric show)"
	check 'plan in B' hcctl -n "$b" tree find fabric t apply
	check 'reduce in B' hcctl -n "$b" run reduce t op sum type u16 count 3 verify
	refused 'a socket here' 'no such device' "$here/hc_load" bind t 0
	check 'a socket in A' in_namespace "$a" "$here/hc_load" bind t 7
	refused 'a socket in B' 'assign requested' in_namespace "$b" "$here/hc_load" bind t 7
}

# name_id NAME: prints the fabric id that is computed from the name
name_id() {
	local i hash=2166136261 c
	for ((i = 0; i < ${#1}; i++)); do
		printf -v c %d "'${1:i:1}"
		hash=$((((hash ^ c) * 16777619) & 0xffffffff))
	done
	echo $((hash % 65535 + 1))
}

# mac NAMESPACE INTERFACE: prints the MAC address
mac() { ip netns exec "$1" cat "/sys/class/net/$2/address"; }

# shows NAMESPACE ID: checks that frames of a reduction in NAMESPACE carry the fabric id ID
shows() {
	local seen
	ip netns exec "$1" timeout $((30 * slow)) tcpdump -Z root -i tmon -n -c 20 -x \
		ether proto 0x88b5 >"$scratch/$1" 2>"$scratch/$1.err" &
	seen=$!
	busywait 10 grep -q listening "$scratch/$1.err"
	check "a reduction in $1" hcctl -n "$1" run reduce t op sum type u64 count 100 verify
	wait "$seen"
	# A captured frame begins with eight bytes of the monitor's header; the id begins at the
	# fifth byte of the hypercube header.
	equal "ids in $1" "$(printf %08x "$2")" \
		"$(sed -nE 's/^\s*0x0000:\s+(\S+ ){6}(\S+) (\S+).*/\2\3/p' "$scratch/$1" | sort -u)"
}

test_fabrics_of_same_name_have_same_id_but_are_independent() {
	local a b hex
	namespace a && namespace b || return
	check 'in A' hcctl -n "$a" fabric add t dim 3
	check 'in B' hcctl -n "$b" fabric add t dim 3
	equal 'the id in A' "$(name_id t)" "$(json '.[0].id' -n "$a" fabric show t)"
	equal 'the id in B' "$(name_id t)" "$(json '.[0].id' -n "$b" fabric show t)"
	hex=$(printf %04x "$(name_id t)")
	equal 'an address in A' "02:68:${hex:0:2}:${hex:2}:00:05" "$(mac "$a" tn5)"
	equal 'the same in B' "$(mac "$a" tn5)" "$(mac "$b" tn5)"
	[[ $(json '.[0].index' -n "$a" fabric show t) != "$(json '.[0].index' -n "$b" fabric show t)" ]] ||
		fault 'they have one index'
	check 'a fault in A' hcctl -n "$a" link set t 0:0 down
	equal 'links down in B' 0 "$(json '.[0].links_down' -n "$b" fabric show t)"
	check 'plan in A' hcctl -n "$a" tree find fabric t apply
	check 'plan in B' hcctl -n "$b" tree find fabric t apply
	background ip netns exec "$a" "$here/hc_load" run t 1 30
	check 'it runs' busywait 5 frames_in "$a"
	check 'a reduction in B' hcctl -n "$b" run reduce t op sum type u64 count 1000 verify
	check 'del in B' hcctl -n "$b" fabric del t
	check 'A is there' hcctl -n "$a" fabric show t
	equal 'dropped in A as of others' 0 "$(json '[.[].drops.foreign // 0] | add' -n "$a" node show t)"
	stop "$pid"
	jobs=()
}

test_fabric_id_can_be_chosen() {
	local a
	namespace a || return
	refused 'no id' '1 to 65535' hcctl -n "$a" fabric add t dim 3 id 0
	refused 'too great' '1 to 65535' hcctl -n "$a" fabric add t dim 3 id 65536
	check 'add' hcctl -n "$a" fabric add t dim 3 id 0x1234
	equal 'id' 4660 "$(json '.[0].id' -n "$a" fabric show t)"
	equal 'an address' 02:68:12:34:00:03 "$(mac "$a" tn3)"
	check 'another with the same' hcctl -n "$a" fabric add u dim 2 id 0x1234
	check 'one between' hcctl -n "$a" fabric add v dim 1 id 7
	equal 'all are listed' '["t","u","v"]' "$(json 'map(.name) | sort' -n "$a" fabric show)"
	check 'a plan' hcctl -n "$a" tree find fabric t apply
	check 'of the other' hcctl -n "$a" tree find fabric u apply
	check 'a reduction in the other' hcctl -n "$a" run reduce u op sum type u64 count 100 verify
	command -v tcpdump >/dev/null || { skip 'no tcpdump'; return; }
	check 'monitor' ip -n "$a" link set tmon up
	shows "$a" 4660
}

test_namespace_removal_removes_its_fabrics() {
	local i a fabric
	for ((i = $(scaled 8); i > 0; i--)); do
		namespace a || return
		for fabric in t u v; do
			check 'add' hcctl -n "$a" fabric add $fabric dim $((i % 5 + 1))
			check 'plan' hcctl -n "$a" tree find fabric $fabric apply
		done
		check 'end' ip netns del "$a"
	done
	namespaces=()
	check 'no endpoint falls out' busywait 10 no_endpoints
}

test_namespace_is_removed_while_operations_run() {
	local i a
	for ((i = $(scaled 6); i > 0; i--)); do
		namespace a || return
		check 'add' hcctl -n "$a" fabric add t dim 3
		check 'plan' hcctl -n "$a" tree find fabric t apply
		background ip netns exec "$a" "$here/hc_load" run t 1 60
		check 'it runs' busywait 5 frames_in "$a"
		ip netns del "$a"
		stop "$pid"
		jobs=()
	done
	namespaces=()
	check 'no endpoint falls out' busywait 10 no_endpoints
}

frames_in() { (($(json '.[0].host_frames' -n "$1" node show t) > 3)); }

test_endpoint_moves_to_another_namespace() {
	local b
	namespace b || return
	check 'add' hcctl fabric add t dim 3
	check 'move' hcctl node set t 3 netns "$b"
	refused 'it is not here' 'does not exist|cannot find' ip link show tn3
	check 'it is there' ip -n "$b" link show tn3
	equal 'it is known to be elsewhere' true "$(json '.[3] | has("netnsid")' node show t)"
	check 'plan' hcctl tree find fabric t apply
	check 'a reduction' hcctl run reduce t op sum type u8 count 4 verify
	refused 'a fabric there has not that name' 'no such fabric' hcctl -n "$b" fabric show t
	check 'del' hcctl fabric del t
	refused 'it has gone' 'does not exist|cannot find' ip -n "$b" link show tn3
}

# In the fabric's own namespace sockets bind to all nodes.
test_socket_binds_in_another_namespace_only_to_endpoints_there() {
	local b
	namespace b || return
	check 'add' hcctl fabric add t dim 3
	refused 'not there yet' 'No such device' in_namespace "$b" "$here/hc_load" bind t 3
	check 'move' hcctl node set t 3 netns "$b"
	check 'from there' in_namespace "$b" "$here/hc_load" bind t 3
	refused 'another node from there' 'No such device' in_namespace "$b" "$here/hc_load" bind t 2
	check 'from here' "$here/hc_load" bind t 3
	check 'another from here' "$here/hc_load" bind t 2
	check 'move back' hcctl node set t 3 netns "$BASHPID"
	refused 'not there any more' 'No such device' in_namespace "$b" "$here/hc_load" bind t 3
}

test_endpoint_returns_when_its_namespace_is_removed() {
	local i b
	for ((i = $(scaled 5); i > 0; i--)); do
		namespace b || return
		check 'add' hcctl fabric add t dim 3
		check 'plan' hcctl tree find fabric t apply
		check 'move' hcctl node set t 3 netns "$b"
		background "$here/hc_load" run t 1 30
		nap 0.1
		ip netns del "$b"
		check 'it is back' busywait 10 ip link show tn3
		stop "$pid"
		jobs=()
		check 'a reduction' busywait 5 hcctl run reduce t op sum type u8 count 4 verify
		check 'del' hcctl fabric del t
	done
	namespaces=()
}

# guest NAME: sets $b to a new namespace, into which endpoint 1 of a new fabric t was moved
guest() {
	namespace b || return
	check 'add' hcctl fabric add t dim 1
	check 'move' hcctl node set t 1 netns "$b"
}

# guest_leaves: removes the namespace $b, so the endpoint returns
guest_leaves() {
	ip netns del "$b"
	namespaces=()
	busywait 10 gone_from "$b"
}

# A fabric is removed while a namespace ends, and the endpoint that is in this namespace cannot
# return.
test_fabric_is_removed_while_endpoint_namespace_is_removed() {
	local b round
	for ((round = $(scaled 8); round > 0; round--)); do
		guest || return
		if ! ip -n "$b" link property add dev tn1 altname lo0 || ! ip link add lo0 type dummy; then
			skip 'no other names of interfaces, or no dummy interfaces'
			return
		fi
		ip netns del "$b"
		namespaces=()
		sleep "0.0$((RANDOM % 10))"
		check 'del' hcctl fabric del t
		ip link del lo0
	done
}

gone_from() { json_is false '.[1] | has("netnsid")' node show t; }

test_returning_endpoint_is_renamed_if_its_name_is_taken() {
	local b
	guest || return
	ip link add tn1 type dummy || { skip 'no dummy interfaces'; return; }
	check 'it leaves' guest_leaves
	[[ $(json '.[1].ifname' node show t) == hc* ]] || fault "$(hcctl node show t)"
	ip link del tn1
}

# In the other namespace the endpoint gets an alternative name that an interface of the fabric's
# namespace already has, so the endpoint cannot return.
test_endpoint_that_cannot_return_leaves_fabric_working() {
	local b
	guest || return
	if ! ip -n "$b" link property add dev tn1 altname lo0 || ! ip link add lo0 type dummy; then
		skip 'no other names of interfaces, or no dummy interfaces'
		return
	fi
	check 'plan' hcctl tree find fabric t apply
	check 'it leaves' guest_leaves
	if [[ $(uname -r) != 6.1.* ]] && ip link show tn1 >/dev/null 2>&1; then
		check 'del' hcctl fabric del t
		ip link del lo0
		skip 'here an interface comes back whatever its other names'
		return
	fi
	check 'no endpoint but 0' [ "$(ip -o link show type hypercube | wc -l)" = 1 ]
	equal 'an interface' false "$(json '.[1] | has("ifname")' node show t)"
	check 'a reduction' hcctl run reduce t op sum type u8 count 4 verify
	check 'fail' hcctl node set t 1 fail
	check 'ok' hcctl node set t 1 ok
	refused 'move' 'has lost its interface' hcctl node set t 1 netns $$
	check 'a socket' "$here/hc_load" bind t 1
	check 'del' hcctl fabric del t
	ip link del lo0
}

test_monitor_device_cannot_move_to_another_namespace() {
	local b
	namespace b || return
	check 'add' hcctl fabric add t dim 1
	refused 'move' 'invalid|immutable' ip link set tmon netns "$b"
	check 'it is here' ip link show tmon
}

# Commands for the user nobody, in a user namespace: an endpoint of a new fabric is moved to a
# namespace that ends after 4 s. Writes "back" to descriptor 3 once the endpoint has returned, and
# "end" at the end.
# shellcheck disable=SC2016
lend_and_lose='
	hcctl fabric add enx dim 1 && ip link set enxmon up || exit
	unshare -n sleep 4 &
	while [ "$(readlink /proc/$!/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do :; done
	hcctl node set enx 1 netns $! && ! ip link show enxn1 && wait
	for i in $(seq 100); do
		ip link show enxn1 && echo back >&3 && break
		sleep 0.1
	done
	sleep 0.5
	echo end >&3'

test_unprivileged_user_adds_no_interface_to_initial_netns() {
	local before
	unprivileged Y
	before=$(ip -o link show | wc -l)
	setpriv --reuid 65534 --clear-groups unshare -Urn bash -c "$lend_and_lose" \
		3>"$scratch/said" >"$scratch/log" 2>&1
	if ! [[ -s $scratch/said ]]; then
		fault "no fabric in a user namespace: $(tail -n 3 "$scratch/log")"
		return
	fi
	equal 'the endpoint is back' 'back end' "$(tr '\n' ' ' <"$scratch/said" | sed 's/ $//')"
	sleep $((slow / 3 + 1))
	equal 'interfaces here' "$before" "$(ip -o link show | wc -l)"
}

test_fabric_removal_removes_endpoints_in_other_namespaces() {
	local b node
	namespace b || return
	check 'add' hcctl fabric add t dim 3
	for node in 0 2 5 7; do
		check 'move' hcctl node set t $node netns "$b"
	done
	check 'del' hcctl fabric del t
	equal 'endpoints there' '' "$(ip -n "$b" -o link show type hypercube)"
}

test_namespaces_of_fabric_and_endpoint_are_removed_at_once() {
	local i a b
	for ((i = $(scaled 6); i > 0; i--)); do
		namespace a && namespace b || return
		check 'add' hcctl -n "$a" fabric add t dim 2
		check 'move' hcctl -n "$a" node set t 1 netns "$b"
		ip netns del "$a" &
		ip netns del "$b"
		wait $!
	done
	namespaces=()
	check 'no endpoint falls out' busywait 10 no_endpoints
}

test_endpoint_move_is_refused_if_its_name_is_taken() {
	local b
	namespace b || return
	ip -n "$b" link add tn1 type dummy || { skip 'no dummy interfaces'; return; }
	check 'add' hcctl fabric add t dim 1
	refused 'move' 'another interface|exists' hcctl node set t 1 netns "$b"
	check 'it is still here' ip link show tn1
}

# megabytes FIELD: prints this field of /proc/meminfo in MB
megabytes() { sed -nE "s/^Mem$1: *([0-9]+)[0-9]{3} kB/\1/p" /proc/meminfo; }
namespaces_seen() { find /var/run/netns -name "hc$$e*" | wc -l; }

# fill FILE LEAVE: extends FILE, which is in memory, until only LEAVE MB of memory are available
fill() {
	local more=$(($(megabytes Available) - $2))
	((more <= 0)) || fallocate -o "$(stat -c %s "$1" 2>/dev/null || echo 0)" -l $(((more * 95 / 100 + 1) << 20)) "$1" 2>/dev/null
}

# keep_full FILE LEAVE: repeats fill, as a kernel whose memory is full frees some more
keep_full() {
	while :; do
		fill "$@"
		nap 0.1
	done
}

# There is memory for the fabric and for some of its namespaces. The command requests many more
# namespaces, as the kernel finds memory beyond what it reports as available.
test_fabric_that_exceeds_memory_leaves_no_namespaces() {
	local full=$scratch/full leave
	if [[ $debug ]]; then
		skip 'what a debug kernel takes for a fabric cannot be told'
		return
	fi
	mkdir "$full"
	check 'a place to fill' mount -t tmpfs -o size=100% tmpfs "$full"
	leave=$(($(megabytes Total) / 8 + 10))
	if fill "$full/file" "$leave"; then
		background keep_full "$full/file" "$leave"
		refused 'namespaces' 'no memory for 512 network namespaces: after [1-9][0-9]* of them' \
			hcctl fabric add t dim 9 netns-each "hc$$e"
		stop "$pid"
		jobs=()
	else
		fault 'cannot fill the memory'
	fi
	check 'umount' busywait 10 umount "$full"
	equal 'fabrics' '[]' "$(hcctl -j fabric show)"
	equal 'namespaces' 0 "$(namespaces_seen)"
	check 'no endpoint is left' busywait 10 no_endpoints
	check 'what fits' hcctl fabric add t dim 3 netns-each "hc$$e"
	equal 'namespaces' 8 "$(namespaces_seen)"
	check 'del' hcctl fabric del t
	equal 'namespaces' 0 "$(namespaces_seen)"
}

# begin COUNT: starts the making of a fabric with 64 namespaces in the background, and returns when
# COUNT of them exist; sets $pid
begin() {
	local more=$1
	# A shell makes its background jobs ignore SIGINT.
	background env --default-signal hcctl fabric add t dim 6 netns-each "hc$$e"
	check 'it begins' busywait 60 enough "$more"
}

enough() { (($(find /var/run/netns -name "hc$$e*" 2>/dev/null | wc -l) >= $1)); }
nothing_of_it() { [[ $(hcctl -j fabric show) == '[]' ]] && ! enough 1; }

test_signal_during_fabric_add_leaves_no_fabric_or_namespaces() {
	local signal seen
	for signal in TERM HUP INT; do
		begin $((RANDOM % (40 / stride) + 1))
		kill -$signal "$pid"
		seen=0
		wait "$pid" || seen=$?
		equal "how SIG$signal ends it" $signal "$(kill -l "$seen")"
		equal "fabrics after SIG$signal" '[]' "$(hcctl -j fabric show)"
		equal "namespaces after SIG$signal" 0 "$(namespaces_seen)"
		jobs=()
	done
	check 'no endpoint is left' busywait 10 no_endpoints
}

# A command that is killed cannot clean up. Each namespace has a mark with the name of its fabric, so
# the next "fabric del" finds the remaining namespaces. It removes no other namespace, even if its
# name has the same prefix.
test_namespaces_left_by_killed_add_are_removed_with_fabric() {
	local i mine
	namespace mine || return
	ip netns add "hc$$e200"
	namespaces+=("hc$$e200")
	for ((i = $(scaled 5); i > 0; i--)); do
		begin $((RANDOM % (60 / stride) + 2))
		sleep 0.0$((RANDOM % 10))
		stop "$pid"
		check 'del' hcctl fabric del t
		equal 'names left' "hc$$e200" "$(find /var/run/netns -name "hc$$e*" -printf '%f\n')"
		equal 'fabrics left' '[]' "$(hcctl -j fabric show)"
		jobs=()
	done
	refused 'a removal of nothing' 'no such fabric' hcctl fabric del t
	check 'a namespace of somebody else' ip netns exec "$mine" true
	check 'one of a name that fits' ip netns exec "hc$$e200" true
	check 'no endpoint is left' busywait 10 no_endpoints
}

test_namespaces_left_by_killed_del_are_removed_by_next_del() {
	local i
	for ((i = $(scaled 3); i > 0; i--)); do
		# The removal of the previous fabric may not be complete yet.
		check 'add' busywait 10 hcctl fabric add t dim 5 netns-each "hc$$e"
		background hcctl fabric del t
		busywait 20 fewer 32
		stop "$pid"
		hcctl fabric del t >/dev/null 2>&1
		check 'nothing is left' nothing_of_it
		jobs=()
	done
}

fewer() { ! enough "$1" || [[ $(hcctl -j fabric show) == '[]' ]]; }

test_namespace_whose_endpoint_moved_on_is_not_removed() {
	local mine
	namespace mine || return
	check 'add' hcctl fabric add t dim 2 netns-each "hc$$e"
	check 'move' hcctl node set t 2 netns "$mine"
	check 'del' hcctl fabric del t
	equal 'namespaces' "hc$$e2" "$(ip netns list | sed -n "s/^\(hc$$e[0-9]*\).*/\1/p")"
	namespaces+=("hc$$e2")
}

alone=(test_fabric_that_exceeds_memory_leaves_no_namespaces
	test_unprivileged_user_adds_no_interface_to_initial_netns
	test_endpoint_that_cannot_return_leaves_fabric_working)
run_tests
