#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Allocations of the module fail at random: requests then succeed or are refused with a message,
# operations end, and nothing is left behind. This needs a kernel with fault injection by stack
# trace.
#
# Scheduling: alone

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

injectors=(/sys/kernel/debug/failslab /sys/kernel/debug/fail_page_alloc)

each() {
	local dir
	for dir in "${injectors[@]}"; do
		[[ ! -e $dir/$1 ]] || echo "$2" >"$dir/$1"
	done
}

# confine: lets only allocations fail that have a function of the module in their stack
confine() {
	local start size
	start=$(</sys/module/hypercube/sections/.text)
	size=$(awk '$1 == "hypercube" { print $2 }' /proc/modules)
	each verbose 0
	each probability 0
	each interval 1
	each times -1
	each space 0
	each task-filter N
	each ignore-gfp-wait N
	each ignore-gfp-highmem N
	each min-order 0
	each stacktrace-depth 32
	each require-start "$start"
	each require-end "$(printf '0x%x' $((start + size)))"
}

begin() { each probability "$1"; }
end() { each probability 0; }

# only FUNCTION: lets only allocations fail that have the module's function FUNCTION in their stack
only() {
	local start end
	read -r start end < <(grep -F '[hypercube]' /proc/kallsyms | sort | awk -v wanted="$1" '
		start && $1 != start { print "0x" start, "0x" $1; exit }
		$3 == wanted { start = $1 }')
	[[ $end ]] || fault "there is no function $1"
	each require-start "$start"
	each require-end "$end"
}

# meagre WHAT COMMAND..: runs COMMAND while allocations fail; checks that it succeeds or prints an
# error
meagre() {
	local what=$1 said status
	shift
	said=$(timeout $((20 * slow)) "$@" 2>&1)
	status=$?
	case $status in
	0) ((++succeeded)) ;;
	1)
		((++refused))
		[[ $said == *[a-z]* && $said != *'Input/output error'* ]] || fault "$what: refused as \"$said\""
		;;
	*) end; fault "$what: status $status: $said" ;;
	esac
}

# tally: checks that at least one command was refused, as otherwise the test proves nothing
tally() {
	log "$succeeded succeeded, $refused were refused"
	((refused > 0)) || fault 'nothing was refused'
}

test_fabric_add_succeeds_or_leaves_nothing_without_memory() {
	local i
	succeeded=0 refused=0
	each interval 20
	for ((i = 0; i < $(scaled 200); i++)); do
		begin $((i % 4 * 3 + 1))
		meagre 'add' hcctl fabric add t dim $((i % 4 + 1))
		end
		hcctl fabric del t 2>/dev/null
		equal 'fabrics left' '[]' "$(hcctl -j fabric show)"
	done
	each interval 1
	tally
}

test_config_requests_succeed_or_are_refused_without_memory() {
	local i
	succeeded=0 refused=0
	check 'add' hcctl fabric add t dim 4
	for ((i = 0; i < $(scaled 100); i++)); do
		begin $((i % 5 * 4 + 2))
		meagre 'link' hcctl link set t 0:$((i % 4)) down
		meagre 'node' hcctl node set t 9 fail
		meagre 'detect' hcctl detect t
		meagre 'plan' hcctl tree find fabric t apply plan $((i % 3 + 1))
		meagre 'show' hcctl node show t
		meagre 'clear' hcctl fault clear t
		end
		check 'clear for good' hcctl fault clear t
	done
	check 'plan for good' hcctl tree find fabric t apply plan 1
	check 'reduce for good' hcctl run reduce t count 10 plan 1 verify
	tally
}

# all_is_known: are all routes as short as possible? Then all nodes know of all faults.
all_is_known() {
	local said
	said=$(hcctl -j route show t) &&
		jq -e '[.. | objects | select(has("reached"))] | length > 0 and all(.reached and .hops == .optimum)' <<<"$said"
}

# Only allocations in polls fail. Once memory is available again, polls send or store what they
# could not send or store before.
test_link_states_reach_all_nodes_once_memory_is_available() {
	local i link state links=(0:2 1:1 6:0)
	check 'add' hcctl fabric add t dim 3
	for i in {1..4}; do
		state=$( ((i % 2)) && echo down || echo up)
		each ignore-gfp-wait Y
		begin $((100 - i % 3 * 30))
		for link in "${links[@]}"; do
			# The command would wait until the neighbours acknowledge the change, but
			# the nodes have had no memory to notify them.
			timeout 1 hcctl link set t "$link" "$state" >/dev/null 2>&1
		done
		end
		each ignore-gfp-wait N
		busywait 10 all_is_known || { fault "round $i: not all know of all links"; break; }
	done
}

# planned OBJECT VERB OPTION..: takes the links in $faults down, and installs a plan around them
planned() {
	check 'clear' hcctl fault clear t
	[[ ! ${faults-} ]] || check 'faults' hcctl link set t "$faults" down
	check 'plan' busywait 5 hcctl "$1" "$2" fabric t apply "${@:3}"
}

# each_ends ROUNDS 'OBJECT VERB OPTION..' COLLECTIVE OPTION..: runs COLLECTIVE on plans made by
# "hcctl OBJECT VERB" while allocations fail, and checks that each operation ends. It runs a scaled
# number of ROUNDS, and further rounds, ROUNDS at most, until some operation was refused.
each_ends() {
	local i rounds=$1 planner
	read -ra planner <<<"$2"
	shift 2
	succeeded=0 refused=0
	check 'add' hcctl fabric add t dim 3
	for ((i = 0; i < $(scaled "$rounds") || (refused == 0 && i < rounds); i++)); do
		planned "${planner[@]}"
		begin $((i % 3 * 2 + 1))
		meagre "$1" hcctl run "$1" t "${@:2}" count $((1 + i % 7 * 3000)) timeout 20000
		end
	done
	planned "${planner[@]}"
	check "$1 for good" hcctl run "$1" t "${@:2}" count 10 verify
	tally
}

test_reduce_ends_without_memory() { each_ends 80 'tree find' reduce op sum type u64; }
test_reduce_by_merge_ends_without_memory() { each_ends 15 'tree find' reduce op merge type u64; }
test_allreduce_over_tree_ends_without_memory() { each_ends 15 'tree find' allreduce plan 1; }
test_gather_ends_without_memory() { each_ends 15 'tree find' gather; }
test_scatter_ends_without_memory() { each_ends 15 'tree find' scatter; }
test_allreduce_over_detours_ends_without_memory() {
	faults=0:1,1:1 each_ends 40 'tree find subcube 0XX sink 0' allreduce plan 1
}
test_broadcast_ends_without_memory() { each_ends 15 'bcast plan source 0' bcast; }
test_allreduce_by_recursive_doubling_ends_without_memory() {
	each_ends 50 'doubling plan' allreduce plan 3
}
test_alltoall_by_recursive_doubling_ends_without_memory() {
	each_ends 15 'doubling plan' alltoall plan 3
}
test_reduce_scatter_by_recursive_doubling_ends_without_memory() {
	each_ends 15 'doubling plan' reduce_scatter plan 3
}
test_allgather_over_rings_ends_without_memory() { each_ends 15 'ring plan' allgather plan 5; }
test_allgather_over_tree_ends_without_memory() { each_ends 15 'tree find' allgather plan 1; }

# rings_are_whole WHAT: checks that the plan of rings gets repaired, and then has all nodes
rings_are_whole() {
	busywait 20 json_is false '.[0].broken' plan show t || fault "$1: the plan stays broken"
	equal "$1: members" '[0,1,2,3,4,5,6,7]' "$(json '.[0].members' plan show t)"
	# The first allgather may fail: its processes get the error that earlier processes left in
	# the middle of an operation, or contributed other lengths.
	hcctl run allgather t plan 5 count 10 timeout 5000 >/dev/null 2>&1
	check "$1: allgather" hcctl run allgather t plan 5 count 10 verify
}

# fail_meanwhile LINK PERCENT: takes LINK down while operations are under way; from the time just
# before that, PERCENT of the allocations fail
fail_meanwhile() {
	sleep 0.3
	begin "$2"
	timeout "$slow" hcctl link set t "$1" down
} >/dev/null 2>&1

# All rounds use one plan of rings with REPAIR. In each round a link fails while allgathers are
# under way.
test_rings_are_repaired_after_link_failure_without_memory() {
	local i rounds=20 links=(0:0 5:1 3:2 6:0 1:1) link
	succeeded=0 refused=0
	check 'add' hcctl fabric add t dim 3
	check 'plan' hcctl ring plan fabric t apply repair
	for ((i = 0; i < $(scaled "$rounds") || (refused == 0 && i < rounds); i++)); do
		link=${links[i % ${#links[@]}]}
		fail_meanwhile "$link" $((i % 3 * 2 + 1)) &
		meagre 'allgather' hcctl run allgather t plan 5 count $((1 + i % 7 * 500)) iterations $((300 / slow)) timeout 20000
		wait
		end
		# Notifications that could not be sent are sent again after a second.
		sleep 2
		rings_are_whole "round $i"
		check "round $i: up" hcctl link set t "$link" up
	done
	tally
}

# While allocations fail, members record contributions as far as they have memory. The guard
# installs the next epoch once it has memory for that, and the members submit the recorded
# contributions again.
test_guarded_allreduce_ends_and_plan_recovers_without_memory() {
	local i rounds=20 links=(0:0 5:1 3:2 6:0 1:1) link
	succeeded=0 refused=0
	check 'add' hcctl fabric add t dim 3
	check 'plan' hcctl tree find fabric t apply guard 30s
	background hcctl guard t >"$scratch/guard" 2>&1
	for ((i = 0; i < $(scaled "$rounds") || (refused == 0 && i < rounds); i++)); do
		link=${links[i % ${#links[@]}]}
		fail_meanwhile "$link" $((i % 3 * 2 + 1)) &
		meagre 'allreduce' hcctl run allreduce t plan 1 count $((1 + i % 7 * 500)) iterations $((300 / slow)) timeout 20000
		wait %%
		end
		# The guard checks the plan each second.
		sleep 2
		busywait 20 json_is false '.[0].broken' plan show t || { fault "round $i: broken: $(<"$scratch/guard")"; break; }
		# Processes of earlier operations left in the middle, so the next processes get an
		# error.
		hcctl run allreduce t plan 1 count 10 timeout 5000 >/dev/null 2>&1
		check 'allreduce for good' hcctl run allreduce t plan 1 count 10 verify
		check "round $i: up" hcctl link set t "$link" up
	done
	tally
}

# Members have no memory for the resume state of the current chunk. So the operation under way fails
# when a link fails, with the link as its cause, and the next operation succeeds.
test_operation_without_resume_state_fails_with_link_as_cause() {
	check 'add' hcctl fabric add t dim 3
	check 'plan' hcctl ring plan fabric t apply repair
	only hc_resume_own
	begin 100
	background "$here/hc_member" -gather t 5 8 1 10 3 >"$scratch/said"
	busywait 10 is_under_way || fault 'nothing is under way'
	end
	check 'down' hcctl link set t 0:0 down
	confine
	wait "$pid" && fault 'it went on'
	grep -qi link "$scratch/said" || fault "$(<"$scratch/said")"
	rings_are_whole 'around the fault'
}

# Node 0 is the repair coordinator. Links of node 1 come up again, but nodes have no memory to
# forward this to node 0. Then the link between nodes 0 and 1 fails. The neighbours of node 1 at its
# other links know that these links are up, so the coordinator must wait for their reports.
test_repair_includes_node_whose_link_reports_are_delayed() {
	local link
	check 'add' hcctl fabric add t dim 3
	check 'plan' hcctl ring plan fabric t apply repair
	for link in 1:1 1:2; do check 'down' hcctl link set t "$link" down; done
	busywait 10 all_is_known || fault 'not all know of all links'
	rings_are_whole 'around faults'
	only hc_lsdb_flush
	begin 100
	for link in 1:1 1:2; do check 'up' hcctl link set t "$link" up; done
	check 'the last one' hcctl link set t 0:0 down
	{ sleep 2; end; } &
	rings_are_whole 'as soon as there is memory'
	wait
	confine
}

is_under_way() { [[ $(hcctl -j op show t) != '[]' ]]; }

# A process leaves in the middle of its contribution, and its node has no memory to notify the other
# members. Later processes must neither wait for the rest of this contribution, nor take part in its
# operation.
test_allgather_succeeds_after_late_notice_of_closed_process() {
	check 'add' hcctl fabric add t dim 3
	check 'plan' hcctl ring plan fabric t apply
	only hc_end_word
	begin 100
	background "$here/hc_member" -gather t 5 8 1 1000000 3 >/dev/null
	busywait 10 is_under_way || fault 'nothing is under way'
	stop "$pid"
	sleep 0.5
	end
	sleep 2
	check 'allgather' hcctl run allgather t plan 5 count 10 verify
	confine
}

# ended NODES COUNT: have at least COUNT of the members at NODES (a class of a regular expression)
# reported that their operation has ended?
ended() { (($(grep -o "^node [$1] round" "$scratch/said" | sort -u | wc -l) >= $2)); }

# ends_of_a_detour_find COUNT COMMAND..: COMMAND makes a link of a detour fail, which leads over
# nodes that are not members. These nodes have no memory to notify others. Checks that at least
# COUNT of the two nodes at the detour's ends detect the failure nevertheless.
ends_of_a_detour_find() {
	check 'add' hcctl fabric add t dim 3
	faults=0:1,1:1 planned tree find subcube 0XX sink 0
	background "$here/hc_member" t 1 4 1000000 50 0 1 2 3 >"$scratch/said"
	busywait 10 is_under_way || fault 'nothing is under way'
	only hc_end_word
	begin 100
	"${@:2}"
	busywait $((10 * slow)) ended 02 "$1" || fault "the ends wait: $(<"$scratch/said")"
	end
	busywait $((10 * slow)) ended 0-3 4 || fault "others wait: $(<"$scratch/said")"
	confine
}

a_link_fails() { check 'down' hcctl link set t 6:1 down; }
a_link_fails_for_a_moment() {
	a_link_fails
	sleep 0.2
	check 'up' hcctl link set t 6:1 up
}
test_both_detour_ends_detect_failed_link_without_notification() {
	ends_of_a_detour_find 2 a_link_fails
}
test_detour_end_detects_brief_link_failure_without_notification() {
	ends_of_a_detour_find 1 a_link_fails_for_a_moment
}

test_alltoall_over_rings_ends_without_memory() { each_ends 15 'ring plan' alltoall plan 5; }

[[ -e ${injectors[0]}/require-start ]] || skip_all 'the kernel has no fault injection by stack trace'
confine
run_tests
