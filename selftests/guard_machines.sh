#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Guarded plans of a fabric that spans machines: trunks are cut, and machines die, are cut off and
# come back, while processes run allreduces in a loop. The processes on the other machines notice
# nothing but time: each of their sums is right and names its members.
#
# Scheduling: shared cluster

# shellcheck source=selftests/lib/four_machines.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/four_machines.sh"

# starts KIND ROUNDS INDEX..: runs the members of the machines with these indexes of "${all[@]}"
starts() {
	local i kind=$1 rounds=$2
	shift 2
	for i; do
		: >"$scratch/member$i"
		# shellcheck disable=SC2046
		HC_BEGUN=$scratch/begun there "${all[i]}" "$here/hc_member" "-$kind" t 1 16 "$rounds" 1 \
			$(seq $((4 * i)) $((4 * i + 3))) >"$scratch/member$i" 2>&1
	done
}
# begun COUNT: have COUNT processes finished their first round?
begun() { (($(wc -c <"$scratch/begun") >= $1)); }
# guarded SECONDS [NAMESPACE..]: installs a guarded tree on all machines, and starts a guard at each
# NAMESPACE
guarded() {
	local ns
	: >"$scratch/begun"
	check 'a tree' at "$a" hcctl tree find fabric t sink 0 apply guard "$1"
	same 1
	for ns in "${@:2}"; do
		there "$ns" hcctl guard t >"$scratch/guard.$ns" 2>&1
	done
}
# untie NAMESPACE WIRE: removes the trunk over a wire
untie() {
	local trunk
	trunk=$(json_at "$1" "[.[] | select(.peer | startswith(\"10.9.$2.\"))][0].trunk" trunk show t)
	check "trunk over wire $2" at "$1" hcctl trunk del t "$trunk"
}
# running KIND ROUNDS: members on all machines run KIND, and have begun; sets $was to the epoch
running() {
	was=$(epoch "$a")
	starts "$1" "$2" 0 1 2 3
	busywait 60 begun 16 || fault 'they do not begin'
}
# ends INDEX..: waits until the members of these machines have finished all rounds, and checks them
ends() {
	local i
	for i; do
		busywait 120 grep -q right "$scratch/member$i" || fault "${all[i]}: $(tail -3 "$scratch/member$i")"
		equal "errors at ${all[i]}" '' "$(grep -v '^set \|^right' "$scratch/member$i")"
	done
}
# epoch NAMESPACE: prints the epoch of plan 1
epoch() { json_at "$1" '.[0].epoch' plan show t 1; }
# is_later EPOCH NAMESPACE..: is the plan not broken at these machines, with an epoch above EPOCH?
is_later() {
	local ns
	for ns in "${@:2}"; do
		is_at true "$ns" ".[0] | .epoch > $1 and .broken == false" plan show t 1 || return
	done
}
# have COUNT NAMESPACE..: is the plan not broken at these machines, with COUNT members?
have() {
	local ns
	for ns in "${@:2}"; do
		is_at true "$ns" ".[0] | (.members | length) == $1 and .broken == false" plan show t 1 || return
	done
}
# What a process of a node that was left out reports: it gets EHOSTDOWN for the operation that it
# has under way, ESTALE if its contribution had not begun one yet, or ENOTCONN if it contributes
# later.
left_out='^node .* round .*: (Host is down|Stale file handle|Transport endpoint is not connected)'
# stopped NAMESPACE: a machine dies: its fabric disappears with all its nodes
stopped() { check 'the machine dies' at "$1" hcctl fabric del t; }

test_sums_name_all_members_while_a_trunk_is_cut() {
	local was
	four
	guarded 20s "$a"
	running sets 1500
	untie "$a" 1
	busywait 20 is_later "$was" "$a" "$b" "$c" "$d" || fault "no epoch: $(cat "$scratch"/guard.*)"
	ends 0 1 2 3
	equal 'the sums' 'set 0xffff' "$(grep set "$scratch/member0")"
}

test_other_machines_go_on_when_a_machine_dies() {
	local was
	four
	guarded 20s "$a"
	running sets 1500
	stopped "$d"
	busywait 20 is_later "$was" "$a" "$b" "$c" || fault "no epoch: $(cat "$scratch"/guard.*)"
	ends 0 1 2
	equal 'the sums' 'set 0xffff set 0xfff' "$(grep set "$scratch/member0" | xargs)"
	for i in 12 13 14 15; do
		grep -q "^node $i round " "$scratch/member3" || fault "node $i was not told: $(<"$scratch/member3")"
	done
}

# refuse_epochs COMMAND..: COMMAND installs a plan with an epoch that is far above those of the other
# machines. They refuse, so no machine installs the plan, and all drop the members that they have
# prepared.
refuse_epochs() {
	local i
	for i in 1 2 3; do refused "refusal $i" 'epoch is too far' at "$a" "$@" guard 20s epoch 2000000000; done
}

# Receivers of a broadcast are not notified of refused epochs.
test_refused_epochs_do_not_concern_receivers_of_a_broadcast() {
	local i plan=(hcctl bcast plan fabric t source 0 apply plan 1)
	four
	: >"$scratch/begun"
	for i in 1 2; do check "epoch $i" at "$a" "${plan[@]}" guard 20s; done
	running bcast 3000
	refuse_epochs "${plan[@]}"
	ends 0 1 2 3
}

# After the refusals a process leaves: that still concerns its member. (The debug kernel would report
# members that are not freed.)
test_refused_epochs_change_nothing_for_members() {
	local one
	four
	guarded 20s "$a"
	starts sets 1500 0 2 3
	there "$b" "$here/hc_member" -sets t 1 16 1500 1 4 6 7 >"$scratch/member1" 2>&1
	there "$b" "$here/hc_member" -sets t 1 16 1000000 1 5 >"$scratch/one" 2>&1
	one=$pid
	busywait 60 begun 12 || fault 'they do not begin'
	refuse_epochs hcctl tree find fabric t sink 0 apply
	check 'the next epoch' at "$a" hcctl tree find fabric t sink 0 apply guard 20s
	kill -KILL "$one"
	ends 0 1 2 3
	equal 'the sums' 'set 0xffff set 0xffdf' "$(grep set "$scratch/member0" | xargs)"
}

# The root is on the machine that dies, so another node becomes the root.
test_other_machines_go_on_when_the_root_dies() {
	local was
	four
	guarded 20s "$c" "$d"
	running sets 1500
	stopped "$a"
	busywait 20 is_later "$was" "$b" "$c" "$d" || fault "no epoch: $(cat "$scratch"/guard.*)"
	ends 1 2 3
	equal 'epochs' "$(epoch "$b")" "$(epoch "$d")"
}

# A machine that is cut off has no guard, so its processes get an error after the plan's time. When
# it is connected again, the next epoch takes its nodes in, and other processes take part there. The
# machine has an older epoch of the plan then, which counts as none.
test_machine_that_was_cut_off_joins_a_later_epoch() {
	local was
	four
	guarded 3s "$a"
	running returns 100000
	untie "$c" 2
	untie "$b" 4
	busywait 20 is_later "$was" "$a" "$b" "$c" || fault "no epoch: $(cat "$scratch"/guard.*)"
	busywait 20 eval "((\$(grep -c '^node 1[2-5] ' $scratch/member3) == 4))" ||
		fault "no error at d: $(<"$scratch/member3")"
	was=$(epoch "$d")
	check 'the epoch at d is older' is_later "$was" "$a" "$b" "$c"
	tie "$c" "$d" 2 2
	tie "$b" "$d" 4 3
	all_up
	equal 'epoch at d' "$was" "$(epoch "$d")"
	was=$(epoch "$a")
	starts returns 100000 3
	busywait 20 is_at 4 "$d" 'map(select(.bound)) | length' node show t || fault 'no processes at d'
	check 'a link fails' at "$a" hcctl link set t 0:0 down
	busywait 20 is_later "$was" "$a" "$b" "$c" "$d" || fault "no epoch: $(cat "$scratch"/guard.*)"
	busywait 20 eval "[[ \$(tail -1 $scratch/member0) == 'set 0xffff' ]]" ||
		fault "not again: $(xargs <"$scratch/member0"), d: $(<"$scratch/member3")"
	equal 'errors' '' "$(grep -hv '^set ' "$scratch"/member[0-3])"
}

# While no trunk connects them, both halves go on with guards of their own. Connected again, the half
# with the later epoch takes in the other one, whose processes get an error.
test_halves_that_went_on_apart_are_joined_without_mixing() {
	local was half
	four
	guarded 20s "$a" "$d"
	running returns 100000
	untie "$a" 3
	untie "$b" 4
	busywait 20 have 8 "${all[@]}" || fault "no epoch: $(cat "$scratch"/guard.*)"
	check 'a link fails' at "$a" hcctl link set t 0:0 down
	was=$(epoch "$a")
	busywait 20 is_later "$was" "$a" "$b"
	tie "$a" "$c" 3 3
	tie "$b" "$d" 4 3
	busywait 10 is_at 2 "$a" '.[0].links_down' fabric show t
	was=$(epoch "$a")
	check 'another link fails' at "$b" hcctl link set t 4:1 down
	busywait 20 is_later "$was" "${all[@]}" || fault "no epoch: $(cat "$scratch"/guard.*)"
	for half in 2 3; do
		busywait 20 eval "((\$(grep -Ec '$left_out' $scratch/member$half) == 4))" ||
			fault "machine $half: $(<"$scratch/member$half")"
	done
	equal 'errors' '' "$(grep -hv '^set ' "$scratch"/member[01])"
	busywait 20 have 8 "${all[@]}" || fault "no epoch without the processes that have ended"
	same 1
}

# Trunks are cut and joined at random, with a guard at each machine: no sum is wrong, and no process
# of the machines that stay connected gets an error. A ring of four machines with one trunk less is
# still connected.
test_no_sum_is_wrong_while_trunks_flap_and_all_machines_guard() {
	local ends times i
	four
	ends=('' "$a $b 1 2" "$c $d 2 2" "$a $c 3 3" "$b $d 4 3")
	guarded 30s "${all[@]}"
	running sets 4000
	for ((times = 0; times < 6; times++)); do
		i=$((1 + RANDOM % 4))
		# shellcheck disable=SC2086
		set -- ${ends[i]}
		untie "$1" "$3"
		nap 0.5
		tie "$@"
		nap 0.5
	done
	ends 0 1 2 3
	equal 'the sums' 'set 0xffff' "$(grep set "$scratch/member0")"
	log "epoch $(epoch "$a")"
}

run_tests
