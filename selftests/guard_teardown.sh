#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# A fabric is removed, its namespace ends, or the module is unloaded, while a guarded plan recovers
# from a fault: its members wait for the next epoch, agree on what each of them needs, or submit
# their recorded contributions again.
#
# Scheduling: alone

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

is_broken() { json_is true '.[0].broken' -n "$1" plan show t 1; }
# ends: have the processes of the members, $pid, ended by themselves?
ends() { ! kill -0 "$pid" 2>/dev/null; }

# recovering NAMESPACE ROUND: makes a fabric in which eight members run allreduces over slow links;
# a link of their tree fails, and (except in every fourth round) the next epoch is installed. Then
# it sleeps for a time that depends on ROUND: the caller removes something at that moment of the
# recovery. Sets $pid.
recovering() {
	check 'add' hcctl -n "$1" fabric add t dim 3
	check 'apply' hcctl -n "$1" tree find fabric t sink 3 apply guard 4s
	rm -f "$scratch/begun"
	HC_BEGUN=$scratch/begun background ip netns exec "$1" "$here/hc_member" -sets t 1 8 1000000 100 0 1 2 3 4 5 6 7 \
		>"$scratch/members" 2>&1
	check 'they run' busywait 10 test -s "$scratch/begun"
	check 'slow' hcctl -n "$1" link set t all delay 3ms
	check 'down' hcctl -n "$1" link set t 3:"$(json '.[0].order[-1]' -n "$1" plan show t 1)" down
	check 'broken' busywait 10 is_broken "$1"
	(($2 % 4 == 3)) || check 'next epoch' hcctl -n "$1" guard t once
	nap "0.0$(($2 * 7 % 10))"
}

test_members_end_if_fabric_is_removed_during_recovery() {
	local a i
	namespace a || return
	for ((i = $(scaled 12); i > 0; i--)); do
		recovering "$a" "$i"
		check 'del' hcctl -n "$a" fabric del t
		busywait 10 ends || fault 'members do not end'
		wait "$pid" && fault 'members that saw no error'
		[[ -s $scratch/members ]] || fault 'members that say nothing'
		jobs=()
	done
}

test_no_endpoint_remains_if_namespace_ends_during_recovery() {
	local a i
	for ((i = $(scaled 8); i > 0; i--)); do
		namespace a || return
		recovering "$a" "$i"
		check 'end' ip netns del "$a"
		stop "$pid"
		jobs=()
	done
	namespaces=()
	check 'no endpoint falls out' busywait 10 no_endpoints
}

# Contributions of killed members may wait for others as long as their fabric exists. They hold the
# module.
test_module_can_be_unloaded_during_recovery() {
	local a i
	for ((i = $(scaled 8); i > 0; i--)); do
		namespace a || return
		recovering "$a" "$i"
		stop "$pid"
		jobs=()
		if ! rmmod hypercube 2>/dev/null; then
			check 'end' ip netns del "$a"
			check 'unload' unload_module
		fi
		check 'load' load_module
	done
}

run_tests
