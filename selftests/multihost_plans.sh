#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# One machine installs a plan on all machines that have a partition of the fabric: all machines get
# the plan with the same epoch, or none gets it. If a machine refuses, the error names it and the
# reason. The tests also cover machines that are lost during an installation, and machines that
# install at the same time.
#
# Scheduling: shared cluster

# shellcheck source=selftests/lib/four_machines.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/four_machines.sh"

all_kinds() {
	check 'a tree' at "$a" hcctl tree find fabric t apply
	check 'a doubling' at "$b" hcctl doubling plan fabric t apply plan 2
	check 'rings' at "${all[-1]}" hcctl ring plan fabric t apply plan 3 epoch 9
	check 'a broadcast' at "$a" hcctl bcast plan fabric t source 0 apply plan 4
	for plan in 1 2 3 4; do same "$plan"; done
	equal 'the epochs' '[1,2,9,10]' "$(json_at "$b" 'map(.epoch)' plan show t)"
	all_do sums 1 5 1000
	all_do sums 2 5 1000
	all_do gather 3 3 1000
	all_do bcast 4 3 10000
	all_do bcast 4 3 100
	all_do sums 2 3 100
}

test_plans_are_installed_and_removed_on_two_machines() {
	two
	all_kinds
	refused 'an epoch' "above that of the fabric's last plan" at "$b" hcctl tree find fabric t apply epoch 10
	check 'another tree' at "$b" hcctl tree find fabric t sink 5 apply
	same 1
	equal 'its sink' 5 "$(json_at "$a" '.[0].sink' plan show t 1)"
	all_do sums 1 20 100
	check 'del' at "$b" hcctl plan del t 1
	equal 'what is left' '[2,3,4]' "$(json_at "$a" 'map(.plan)' plan show t)"
	refused 'once more' 'no such plan' at "$a" hcctl plan del t 1
	check 'del here' at "$a" hcctl plan del t 2 local
	equal 'what is left there' '[2,3,4]' "$(json_at "$b" 'map(.plan)' plan show t)"
	check 'del of what only one has' at "$b" hcctl plan del t 2
	equal 'what is left there' '[3,4]' "$(json_at "$b" 'map(.plan)' plan show t)"
	check 'here' at "$a" hcctl tree find fabric t apply local
	equal 'not there' '[3,4]' "$(json_at "$b" 'map(.plan)' plan show t)"
	check 'the greatest epoch of all counts' at "$b" hcctl tree find fabric t apply plan 7
	same 7
	equal 'epoch' "$(($(json_at "$a" '.[0].epoch' plan show t 1) + 1))" "$(json_at "$b" '.[0].epoch' plan show t 7)"
}

test_plans_are_installed_and_removed_on_four_machines() {
	local ns
	four
	all_kinds
	check 'del' at "$d" hcctl plan del t 4
	for ns in "${all[@]}"; do
		equal "what is left at $ns" '[1,2,3]' "$(json_at "$ns" 'map(.plan)' plan show t)"
	done
	check 'a trunk less' at "$a" hcctl trunk del t 1
	busywait 10 is_at 4 "$d" '.[0].fault' node show t 0 || fault 'd does not know'
	check 'a tree' at "$a" hcctl tree find fabric t apply
	same 1
	all_do sums 1 20 1000
}

# Plans are replaced while members run operations. A member whose operation is under way gets an
# error; it never waits for a member that has not begun that operation. If no operation is under way
# at that moment, the members go on with the new plan.
test_plan_replaced_under_load_leaves_no_member_waiting() {
	local i tries
	two
	for i in 1 2; do
		check 'a tree' at "${all[i % 2]}" hcctl tree find fabric t apply
		same 1
		: >"$scratch/a"
		: >"$scratch/b"
		there "$a" "$here/hc_member" t 1 8 1000000 100 0 1 2 3 >"$scratch/a"
		there "$b" "$here/hc_member" t 1 8 1000000 100 4 5 6 7 >"$scratch/b"
		busywait 10 working "$a" || fault 'they do not begin here'
		busywait 10 working "$b" || fault 'they do not begin there'
		sleep "0.$((RANDOM % 3))"
		for ((tries = 1; tries <= 10; tries++)); do
			check 'another' at "${all[i % 2]}" hcctl tree find fabric t apply
			# A process that had no operation under way when the plan was replaced has
			# begun one on the new plan, and waits for processes that have ended. The
			# next plan ends this operation.
			busywait 10 ended_or_on || [[ -s $scratch/a || -s $scratch/b ]] || break
			! ended || break
		done
		ended || fault "not told, here: $(<"$scratch/a") there: $(<"$scratch/b")"
		((tries == 1)) || log "told with plan $tries"
		! grep wrong "$scratch/a" "$scratch/b" || fault 'a sum is wrong'
	done
}

# A member that begins only after the new plan is installed would wait for members that have already
# ended. So wait until all members run operations.
working() { (($(json_at "$1" '.[0].op' op show t) > 3)); }

ended() { (($(grep -c 'round' "$scratch/a") == 4 && $(grep -c 'round' "$scratch/b") == 4)); }

# ended_or_on: have all members ended, or has no member ended and do operations complete on the
# present plan?
ended_or_on() {
	local was epoch
	ended && return
	[[ ! -s $scratch/a && ! -s $scratch/b ]] || return
	epoch=$(json_at "$a" '.[0].epoch' plan show t)
	was=$(json_at "$a" '.[0].op' op show t)
	nap 0.3
	[[ ! -s $scratch/a && ! -s $scratch/b ]] && (($(json_at "$a" '.[0].op' op show t) > was)) &&
		is_at "$epoch" "$b" '.[0].epoch' op show t
}

# shown MEMBERS NAMESPACE..: checks that each of these machines shows rings that are not broken and
# have the members MEMBERS
shown() {
	local ns
	for ns in "${@:2}"; do
		busywait 10 is_at "[false,$1]" "$ns" '.[0] | [.broken, .members]' plan show t 3 ||
			fault "at $ns: $(json_at "$ns" '.[0] | [.broken, .members]' plan show t 3)"
	done
}

# Two partitions are connected again; the repair coordinator is on only one of the two machines, but
# both show the repaired rings.
test_each_machine_shows_repaired_rings() {
	two
	check 'rings' at "$a" hcctl ring plan fabric t apply plan 3 repair
	all_do gather 3 3 100
	check 'a trunk less' at "$a" hcctl trunk del t 1
	shown '[0,1,2,3]' "$a"
	shown '[4,5,6,7]' "$b"
	tie "$a" "$b" 1 2
	shown '[0,1,2,3,4,5,6,7]' "$a" "$b"
	all_do gather 3 3 100
}

# here_end KIND PLAN MEMBERS: runs KIND with the members of the first machine only, and checks that
# the operation ends; sets $said to what they report
here_end() {
	there "$a" "$here/hc_member" "-$1" t "$2" "$3" 3 100 0 1 2 3 >"$scratch/a"
	busywait 10 grep -q . "$scratch/a" || fault "$1 over plan $2 hangs: $(at "$a" hcctl op show t)"
	said=$(tr -d '\0' <"$scratch/a")
}

# A machine loses its plans, as by a reboot, and is connected again. The members of the other
# machine repair the rings without its nodes.
test_repaired_rings_leave_out_nodes_without_the_plan() {
	two
	check 'rings' at "$a" hcctl ring plan fabric t apply plan 3 repair
	all_do gather 3 3 100
	check 'the other goes' at "$b" hcctl fabric del t
	shown '[0,1,2,3]' "$a"
	here_end gather 3 4
	equal 'without it' right "$said"
	check 'it comes back' at "$b" hcctl fabric add t dim 3 nodes 1XX
	tie "$a" "$b" 1 2
	nap 1
	here_end gather 3 4
	equal 'it has no plan' right "$said"
}

# Only the first machine has the plan. Its members get an error that names a node of the other
# machine.
test_operation_names_node_without_the_plan() {
	local words plan kind
	two
	while read -r plan kind words; do
		# shellcheck disable=SC2086
		check "$words" at "$a" hcctl $words fabric t apply plan "$plan" local
		here_end "$kind" "$plan" 8
		[[ $said == *'node '[4-7]* ]] || fault "$words: $said"
	done <<<'1 sums tree find
2 sums doubling plan
3 gather ring plan'
}

# The machine that refuses knows a fault of which it cannot notify the other machines, or has
# reached a limit.
test_plan_refused_by_one_machine_is_installed_on_none() {
	local i u
	parameters_alone
	two
	for u in 4 5 6 7; do check 'silence' at "$b" hcctl link set t "$u:2" loss 100% one-way; done
	check 'an inner link' at "$b" hcctl link set t 4:0 down
	refused 'a fault' 'nodes 1XX: the faults have changed' at "$a" hcctl tree find fabric t apply
	nothing_new
	check 'clear' at "$b" hcctl fault clear t
	for u in 4 5 6 7; do check 'no silence' at "$b" hcctl link set t "$u:2" loss 0 one-way; done
	parameter max_fabric_plans 3
	for i in 11 12 13; do check 'a plan there' at "$b" hcctl tree find fabric t apply local plan "$i"; done
	refused 'the limit' 'nodes 1XX: .*plans' at "$a" hcctl tree find fabric t apply
	equal 'plans here' 0 "$(json_at "$a" length plan show t)"
	equal 'plans there' '[11,12,13]' "$(json_at "$b" 'map(.plan)' plan show t)"
}

test_trunk_with_no_plans_refuses_requests_of_peer() {
	parameters_alone
	two no-plans
	equal 'no plans' true "$(json_at "$a" '.[0].no_plans' trunk show t)"
	refused 'from b' 'nodes 0XX: plans are not accepted' at "$b" hcctl tree find fabric t apply
	nothing_new
	check 'from a' at "$a" hcctl tree find fabric t apply
	same 1
	refused 'del' 'nodes 0XX: plans are not accepted' at "$b" hcctl plan del t 1
	parameter trunks N
	refused 'without the parameter' 'parameter "trunks"' at "$a" hcctl tree find fabric t apply
	check 'here' at "$a" hcctl tree find fabric t apply local
}

# Two machines install plans at the same time. Both get an answer, all machines install the plans in
# the same order, and the last plan is one of the two.
test_concurrent_installations_leave_same_plan_everywhere() {
	local i one
	four
	for ((i = 0; i < 2; i++)); do
		there "$a" hcctl tree find fabric t sink 0 apply >"$scratch/a" 2>&1
		one=$pid
		there "$d" hcctl tree find fabric t sink 15 apply >"$scratch/d" 2>&1
		wait "$one" "$pid"
		grep -q 'installed' "$scratch/a" || grep -q 'installed' "$scratch/d" ||
			fault "none was installed: $(cat "$scratch/a" "$scratch/d")"
		same 1
	done
	log "at last the sink is $(json_at "$b" '.[0].sink' plan show t 1), epoch $(json_at "$b" '.[0].epoch' plan show t 1)"
	all_do sums 1 10 100
}

# wire_again: makes the trunk between b and d again, after it was removed; it is the trunk with the
# greatest number
wire_again() {
	there "$b" hcctl trunk listen t 10.9.4.1
	busywait 5 at "$d" hcctl trunk connect t 3 10.9.4.1 || fault 'no trunk'
}

# All machines install plans while trunks end. Each time all machines must have the same plan at the
# end.
test_trunk_removed_during_installation_leaves_same_plan() {
	local i id
	four
	for ((i = 0; i < 2; i++)); do
		id=$(json_at "$d" '.[-1].trunk' trunk show t)
		there "$a" hcctl tree find fabric t apply >"$scratch/said" 2>&1
		sleep "0.0$((RANDOM % 4))"
		check 'a trunk goes' at "$d" hcctl trunk del t "$id"
		wait "$pid"
		log "$(head -n1 "$scratch/said")"
		wire_again
		all_up
		check 'a tree' at "$c" hcctl tree find fabric t apply
		same 1
	done
	check 'del' at "$b" hcctl plan del t 1
	nothing_new
}

# If no trunk to another machine is left, the failure of the installation is known before its
# request begins to wait; the error message must still be complete. Few trunks end at just that
# moment. A kernel with checkers detects a read of freed memory.
test_error_is_complete_if_trunk_ends_during_verification() {
	local i said
	parameter trunks Y
	namespace a && namespace b || return
	all=("$a" "$b")
	check 'the one part' at "$a" hcctl fabric add t dim 8 nodes 0XXXXXXX
	check 'the other' at "$b" hcctl fabric add t dim 8 nodes 1XXXXXXX
	wire "$a" "$b" 1
	for ((i = 0; i < (slow > 1 ? 30 : 1); i += 3)); do
		tie "$a" "$b" 1 7
		all_up
		there "$a" hcctl -j tree find fabric t apply 2>"$scratch/said" >/dev/null
		sleep "$(printf '0.%03d' $((i * slow * 5)))"
		check 'a trunk goes' at "$b" hcctl trunk del t "$(json_at "$b" '.[-1].trunk' trunk show t)"
		wait "$pid"
		said=$(<"$scratch/said")
		log "${said:-installed}"
		[[ $said != *[![:print:]]* && ${#said} -lt 200 ]] || fault "it says ${#said} bytes"
		busywait 10 is_at 0 "$a" length trunk show t || fault 'there is a trunk'
	done
}

run_tests
