#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Network namespaces: fabrics live in one and go with it, busy or not; endpoints can be moved to
# others, serve the processes there, and come back when these end.
#
#	 namespace A                         namespace B
#	+-------------------------------+   +-----------------+
#	| fabric t: n0 n1 n2 .. n7      |   | tn3: bind(t, 3) |
#	|   links between all of them --+---+-- of n3 too     |
#	+-------------------------------+   +-----------------+

# shellcheck source=selftests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Namespaces end some time after their names.
no_endpoints() { [[ -z $(ip -o link show type hypercube) ]]; }
in_namespace() { ip netns exec "$@"; }

two_namespaces_have_fabrics_of_one_name() {
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

a_namespace_ends_with_its_fabrics() {
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

a_namespace_ends_under_load() {
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

an_endpoint_moves() {
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

sockets_are_bound_where_the_endpoint_is() {
	local b
	namespace b || return
	check 'add' hcctl fabric add t dim 3
	check 'move' hcctl node set t 3 netns "$b"
	check 'from there' in_namespace "$b" "$here/hc_load" bind t 3
	refused 'another node from there' . in_namespace "$b" "$here/hc_load" bind t 2
	check 'another from here' "$here/hc_load" bind t 2
}

a_namespace_ends_and_its_endpoint_comes_back() {
	local i b
	for ((i = $(scaled 5); i > 0; i--)); do
		namespace b || return
		check 'add' hcctl fabric add t dim 3
		check 'plan' hcctl tree find fabric t apply
		check 'move' hcctl node set t 3 netns "$b"
		background "$here/hc_load" run t 1 30
		sleep 0.1
		ip netns del "$b"
		check 'it is back' busywait 10 ip link show tn3
		stop "$pid"
		jobs=()
		check 'a reduction' busywait 5 hcctl run reduce t op sum type u8 count 4 verify
		check 'del' hcctl fabric del t
	done
	namespaces=()
}

a_fabric_is_removed_while_its_endpoints_are_elsewhere() {
	local b node
	namespace b || return
	check 'add' hcctl fabric add t dim 3
	for node in 0 2 5 7; do
		check 'move' hcctl node set t $node netns "$b"
	done
	check 'del' hcctl fabric del t
	equal 'endpoints there' '' "$(ip -n "$b" -o link show type hypercube)"
}

both_namespaces_end_at_once() {
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

a_name_is_taken_where_the_endpoint_goes() {
	local b
	namespace b || return
	ip -n "$b" link add tn1 type dummy || { skip 'no dummy interfaces'; return; }
	check 'add' hcctl fabric add t dim 1
	refused 'move' 'another interface|exists' hcctl node set t 1 netns "$b"
	check 'it is still here' ip link show tn1
}

# megabytes FIELD
megabytes() { sed -nE "s/^Mem$1: *([0-9]+)[0-9]{3} kB/\1/p" /proc/meminfo; }
namespaces_seen() { ip netns list | grep -c "^hc$$e"; }

# There is room for the fabric, and for some of its namespaces.
what_does_not_fit_leaves_nothing() {
	local full=$scratch/full leave fill
	if [[ $debug ]]; then
		skip 'what a debug kernel takes for a fabric cannot be told'
		return
	fi
	mkdir "$full"
	check 'a place to fill' mount -t tmpfs -o size=100% tmpfs "$full"
	leave=$(($(megabytes Total) / 8 + 65))
	fill=$(($(megabytes Available) - leave))
	if ((fill > 0)) && head -c $((fill * 1000000)) /dev/zero >"$full/file"; then
		refused 'namespaces' 'no memory for 1024 network namespaces: [1-9][0-9]* of them' \
			hcctl fabric add t dim 10 netns-each "hc$$e"
	else
		fault 'cannot fill the memory'
	fi
	umount "$full"
	equal 'fabrics' '[]' "$(hcctl -j fabric show)"
	equal 'namespaces' 0 "$(namespaces_seen)"
	check 'no endpoint is left' busywait 10 no_endpoints
	check 'what fits' hcctl fabric add t dim 3 netns-each "hc$$e"
	equal 'namespaces' 8 "$(namespaces_seen)"
	check 'del' hcctl fabric del t
	equal 'namespaces' 0 "$(namespaces_seen)"
}

run_tests two_namespaces_have_fabrics_of_one_name a_namespace_ends_with_its_fabrics \
	a_namespace_ends_under_load an_endpoint_moves sockets_are_bound_where_the_endpoint_is \
	a_namespace_ends_and_its_endpoint_comes_back \
	a_fabric_is_removed_while_its_endpoints_are_elsewhere both_namespaces_end_at_once \
	a_name_is_taken_where_the_endpoint_goes what_does_not_fit_leaves_nothing
