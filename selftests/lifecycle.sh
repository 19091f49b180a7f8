#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# hcctl creates and removes fabrics: of all dimensions, with all valid names, many times, and
# several at once.
#
# Scheduling: shared long

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

interfaces() { ip -o link show type hypercube | wc -l; }

# of_dimension DIM [COMMAND..]: creates a fabric, runs COMMAND, and removes the fabric
of_dimension() {
	check "dimension $1" hcctl fabric add "life$1" dim "$1"
	equal "interfaces of dimension $1" $((1 << $1)) "$(interfaces)"
	equal "dimension $1" "$1" "$(json '.[0].dim' fabric show "life$1")"
	"${@:2}"
	check "dimension $1" hcctl fabric del "life$1"
	equal "interfaces after dimension $1" 0 "$(interfaces)"
}

test_fabrics_of_all_dimensions_are_created_and_removed() {
	local dim top=9
	[[ ! $debug ]] || top=5
	for ((dim = 1; dim <= top; dim++)); do of_dimension $dim; done
}

reduction() {
	check 'plan' hcctl tree find fabric "$1" apply
	check 'reduce' hcctl run reduce "$1" op sum type u32 count 10 verify
}

test_reduction_succeeds_on_a_thousand_nodes() {
	local dim=10
	[[ ! $debug ]] || dim=6
	of_dimension $dim reduction life$dim
}

test_invalid_and_duplicate_fabric_names_are_refused() {
	local name
	for name in '' 0a -a a/b 'a b' a%d elevenchars "$(printf 'a%.0s' {1..300})"; do
		refused "the name \"$name\"" . hcctl fabric add "$name" dim 2
	done
	for name in a A tencharsok x-_9; do
		check "the name \"$name\"" hcctl fabric add "$name" dim 2
		refused "the name \"$name\" again" 'exists' hcctl fabric add "$name" dim 3
		equal "an endpoint of \"$name\"" "${name}n3" "$(json '.[3].ifname' node show "$name")"
	done
	equal 'fabrics' 4 "$(json length fabric show)"
}

test_fabric_is_refused_if_an_interface_has_an_endpoint_name() {
	ip link add lifen2 type dummy || { skip 'no dummy interfaces'; return; }
	refused 'a fabric with an endpoint of that name' 'interface' hcctl fabric add life dim 2
	equal 'fabrics' '[]' "$(hcctl -j fabric show)"
	equal 'interfaces' 0 "$(interfaces)"
	ip link del lifen2
	check 'once it is free' hcctl fabric add life dim 2
}

test_endpoints_are_made_and_removed_with_their_fabric_only() {
	check 'add' hcctl fabric add life dim 2
	refused 'ip link add' 'hcctl fabric add' ip link add x type hypercube
	refused 'ip link del' 'not supported' ip link del lifen0
	equal 'interfaces' 4 "$(interfaces)"
	check 'an endpoint is renamed' ip link set lifen1 name other
	equal 'its new name' other "$(json '.[1].ifname' node show life)"
	check 'an endpoint goes up' ip link set lifen0 up
	refused 'another address' . ip link set lifen2 address 02:00:00:00:00:01
	check 'del' hcctl fabric del life
	equal 'interfaces' 0 "$(interfaces)"
}

test_endpoint_has_address_driver_and_carrier_of_its_node() {
	check 'add' hcctl fabric add life dim 4
	local id address
	id=$(json '.[0].id' fabric show life)
	address=$(ip -j link show lifen11 | pick '.[0].address')
	equal 'address of node 11' "$(printf '02:68:%02x:%02x:00:0b' $((id / 256)) $((id % 256)))" "$address"
	check 'ethtool' ethtool -S lifen11
	equal 'the driver' hypercube "$(ethtool -i lifen11 | sed -n 's/^driver: //p')"
	check 'a node fails' hcctl node set life 11 fail
	check 'it goes up' ip link set lifen11 up
	equal 'its carrier' 0 "$(cat /sys/class/net/lifen11/carrier)"
	check 'the node is back' hcctl node set life 11 ok
	check 'its carrier is back' busywait 2 grep -q 1 /sys/class/net/lifen11/carrier
}

test_missing_fabric_cannot_be_shown_or_removed() {
	refused 'del' 'no such fabric' hcctl fabric del nosuch
	refused 'show' 'no such fabric' hcctl fabric show nosuch
	check 'add' hcctl fabric add life dim 1
	check 'del' hcctl fabric del life
	refused 'del again' 'no such fabric' hcctl fabric del life
}

# cycles NAME N DIMS: prints hcctl commands that create and remove a fabric N times, one per line
cycles() {
	local i
	for ((i = $2; i > 0; i--)); do
		echo "fabric add $1 dim $((i % $3 + 1))"
		((i % 3)) || echo "tree find fabric $1 apply"
		((i % 6)) || echo "run reduce $1 op max type u8 count 1000 verify"
		echo "fabric del $1"
	done
}

test_fabric_is_created_and_removed_many_times() {
	cycles life "$(scaled 60)" 4 >"$scratch/batch"
	check 'all of them' hcctl -b "$scratch/batch"
	equal 'interfaces' 0 "$(interfaces)"
}

test_fabrics_are_created_and_removed_concurrently() {
	local name pids=()
	for name in lifea lifeb lifec lifed; do
		cycles $name "$(scaled 20)" 3 >"$scratch/batch-$name"
		background hcctl -b "$scratch/batch-$name" >/dev/null
		pids+=("$pid")
	done
	for name in "${pids[@]}"; do
		wait "$name" || fault 'a process that makes and removes fabrics failed'
	done
	jobs=()
	equal 'interfaces' 0 "$(interfaces)"
}

# Several processes create and remove fabrics of the same name: only one at a time succeeds, and
# nothing is left at the end.
test_concurrent_creation_with_one_name_leaves_nothing_behind() {
	local i pids=()
	while ((${#pids[@]} < 3)); do
		(for ((i = 0; i < $(scaled 15); i++)); do
			hcctl fabric add life dim 2
			hcctl fabric del life
		done) >/dev/null 2>&1 &
		pids+=($!)
	done
	wait "${pids[@]}"
	hcctl fabric del life >/dev/null 2>&1
	equal 'fabrics' '[]' "$(hcctl -j fabric show)"
	equal 'interfaces' 0 "$(interfaces)"
}

audit=/sys/kernel/debug/dynamic_debug/control
# audit_begins: makes the module log from now on what it creates and destroys; false if the kernel
# has no dynamic debugging
audit_begins() {
	echo 'module hypercube +p' >$audit || return
	echo 'hypercube-selftests: audit' >/dev/kmsg
} 2>/dev/null

# said WHAT: prints the names of this script's fabrics that the module has logged as WHAT (created
# or destroyed)
said() { dmesg | sed '1,/hypercube-selftests: audit/d' | sed -nE "s/.*(fabric life.*) $1\$/\1/p" | sort; }

# This test covers the fabrics of all tests before it.
test_all_created_fabrics_were_destroyed() {
	if [[ ! -e $audit ]]; then
		skip 'no dynamic debugging here'
		return
	fi
	echo 'module hypercube -p' >$audit
	(($(said created | wc -l) >= $(scaled 60))) || fault 'not all that was created is there'
	equal 'the destroyed' "$(said created)" "$(said destroyed)"
}

audit_begins
# storm: starts processes that try to bind sockets to nodes of fabric "life" as soon as it exists
storm() { background "$here/hc_load" storm life 128 $((60 * slow)) >"$scratch/bound"; }
# storm_ends must not run in a subshell, as "wait" needs the storm as its child.
storm_ends() { kill -TERM "$pid" && wait "$pid" && bound=$(<"$scratch/bound") jobs=(); }

test_sockets_cannot_bind_to_fabric_whose_creation_fails() {
	local i bound dim=8 last
	[[ ! $debug ]] || dim=6
	last=lifen$(((1 << dim) - 1))
	ip link add "$last" type dummy || { skip 'no dummy interfaces'; return; }
	storm
	for ((i = $(scaled 10); i > 0; i--)); do
		refused 'add' 'has the name of one of the endpoints' hcctl fabric add life dim "$dim"
	done
	storm_ends || fault 'the storm failed'
	equal 'sockets that were bound' 0 "$bound"
	ip link del "$last"
	check 'add' hcctl fabric add life dim "$dim"
	storm
	nap "$slow"
	storm_ends || fault 'the storm failed'
	((bound)) || fault 'no socket is bound to a fabric that is finished'
}

test_fabric_can_be_added_again_after_its_creator_is_killed() {
	local i killed=0 bound
	storm
	for ((i = $(scaled 10); i > 0; i--)); do
		timeout -s KILL "0.$((RANDOM % 2 * slow / 6))$((RANDOM % 9 + 1))" hcctl fabric add life dim 9
		(($? != 137)) || ((++killed))
		hcctl fabric del life
	done 2>/dev/null
	storm_ends || fault 'the storm failed'
	log "$killed were killed"
	# The last killed command may have left a fabric whose removal is not complete yet.
	check 'add' busywait 10 hcctl fabric add life dim 4
}

run_tests
