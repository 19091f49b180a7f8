#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# The module is unloaded and loaded again while fabrics exist, reductions run, sockets are open,
# listeners receive events, or dumps are under way. Only open sockets hold the module.
#
# Scheduling: alone

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

prepare() {
	loaded || check 'load' load_module
	check 'add' hcctl fabric add t dim 3
	check 'plan' hcctl tree find fabric t apply
}

test_fabrics_are_removed_with_the_module() {
	local i
	for ((i = $(scaled 6); i > 0; i--)); do
		prepare
		check 'another' hcctl fabric add u dim 5
		check 'faults' hcctl fault random u links 5 nodes 2 seed $i
		check 'unload' unload_module
		equal 'endpoints left' '' "$(ip -o link show type hypercube)"
		check 'load' load_module
		equal 'fabrics' '[]' "$(hcctl -j fabric show)"
	done
}

test_queued_tasks_do_not_hold_the_module() {
	local i
	for ((i = $(scaled 3); i > 0; i--)); do
		prepare
		check 'tasks' "$here/hc_load" tasks t 3 20
		equal 'queued' 20 "$(hcctl -j balance show t | jq '.nodes[3].queued')"
		check 'unload' unload_module
		check 'load' load_module
	done
}

test_open_sockets_pin_the_module() {
	prepare
	background "$here/hc_load" hold t 1 0 1 2
	check 'they wait' busywait 5 json_is 2 '.[0].waiting[0].peer' op show t
	refused 'unload' 'in use|temporarily unavailable' rmmod hypercube
	stop "$pid"
	jobs=()
	check 'unload' unload_module
	check 'load' load_module
}

# unload_after_kill ROUNDS COMMAND..: kills COMMAND once an operation runs, and then unloads the
# module
unload_after_kill() {
	local i
	for ((i = $(scaled "$1"); i > 0; i--)); do
		prepare
		background "${@:2}" >/dev/null
		check 'it runs' busywait 20 json_is true 'any(.[]; .op > 3)' op show t
		kill -KILL "$pid"
		check 'unload' unload_module
		wait "$pid" 2>/dev/null
		jobs=()
		check 'load' load_module
	done
}

test_module_unloads_after_kill_during_operations() { unload_after_kill 5 "$here/hc_load" run t 1 60; }
test_module_unloads_after_kill_during_doubling_allreduce() {
	unload_after_kill 3 hcctl run allreduce t method doubling count 9000 iterations 1000000
}

test_listeners_and_dumps_do_not_hold_the_module() {
	prepare
	background hcctl -j monitor >/dev/null
	background sh -c 'while :; do hcctl -j link show t; hcctl -j op show t; done' >/dev/null 2>&1
	sleep 0.3
	check 'unload' unload_module
	check 'load' load_module
	stop "${jobs[0]}"
	stop "${jobs[1]}"
	jobs=()
}

test_namespaces_with_fabrics_do_not_hold_the_module() {
	local a b
	loaded || check 'load' load_module
	namespace a && namespace b || return
	check 'add' hcctl -n "$a" fabric add t dim 3
	check 'move' hcctl -n "$a" node set t 3 netns "$b"
	check 'unload' unload_module
	check 'load' load_module
	equal 'endpoints left' '' "$(ip -n "$b" -o link show type hypercube)"
}

# The module itself holds the socket at each end of a trunk, and frames that cross trunks are
# charged to no process, so they do not hold the module.
test_trunks_do_not_hold_the_module() {
	local a b i
	for ((i = $(scaled 3); i > 0; i--)); do
		loaded || check 'load' load_module
		parameter trunks Y
		namespace a && namespace b || return
		check 'the one part' hcctl -n "$a" fabric add t dim 3 nodes 0XX
		check 'the other' hcctl -n "$b" fabric add t dim 3 nodes 1XX
		background hcctl -n "$a" trunk listen t "unix:$scratch/wire$i"
		check 'a trunk' busywait 5 hcctl -n "$b" trunk connect t 2 "unix:$scratch/wire$i"
		check 'its links' busywait 5 json_is 0 '.[0].links_down' -n "$a" fabric show t
		ip -n "$a" addr add 10.78.0.1/24 dev tn0
		ip -n "$a" link set tn0 up
		ip -n "$b" addr add 10.78.0.8/24 dev tn7
		ip -n "$b" link set tn7 up
		background ip netns exec "$a" ping -q -i 0.01 -s 20000 10.78.0.8 >/dev/null 2>&1
		busywait 5 json_is true '.[0].rx_frames > 30' -n "$a" trunk show t || fault 'nothing goes across'
		check 'unload' unload_module
		stop "$pid"
		jobs=()
		check 'load' load_module
	done
}

# A complete contribution stays when its socket is closed. Here it waits for a member that never
# contributes, and does not hold the module.
test_contribution_of_closed_socket_does_not_hold_the_module() {
	local a
	loaded || check 'load' load_module
	namespace a || return
	check 'add' hcctl -n "$a" fabric add t dim 1
	check 'plan' hcctl -n "$a" tree find fabric t sink 0 apply
	background ip netns exec "$a" "$here/hc_load" hold t 1 1 >"$scratch/said"
	check 'it waits' busywait 5 grep ready "$scratch/said"
	stop "$pid"
	jobs=()
	check 'end' ip netns del "$a"
	namespaces=()
	check 'unload' unload_module
	check 'load' load_module
}

test_module_loads_with_another_address_family_number() {
	loaded && check 'unload' unload_module
	refused 'a number that is taken' '' load_module family=2
	refused 'no number of a family' '' load_module family=99
	check 'another number' load_module family=11
	prepare
	equal 'the number' 11 "$(json '.[0].family' fabric show)"
	check 'a reduction' hcctl run reduce t op sum type u8 count 4 verify
	check 'del' hcctl fabric del t
	check 'unload' unload_module
	check 'load' load_module
}

run_tests
