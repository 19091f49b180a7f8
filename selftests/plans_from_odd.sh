#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of installing a plan on all machines while one of these machines violates the protocol, in
# its answers or in its requests.
#
# Scheduling: shared long cluster

# shellcheck source=selftests/lib/four_machines.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/four_machines.sh"

# odd MODE [WORDS..]: makes machine a with a partition; hc_asker plays the other machine in this
# MODE
odd() {
	parameter trunks Y
	namespace a || return
	all=("$a")
	check 'a part' at "$a" hcctl fabric add t dim 3 nodes 0XX
	there "$a" "$here/hc_asker" t "$@" >"$scratch/asker"
	busywait 10 is_at 0 "$a" '.[0].links_down' fabric show t || fault 'links are down'
}

# An installation ends after a while if the requesting machine never decides, or if another machine
# does not answer.
test_installation_ends_with_any_answers_of_another_machine() {
	local waits still undecided
	asked ask-undecided
	busywait 10 grep -q 'step 2' "$scratch/asker" || fault 'it does not answer'
	undecided=$a
	asked ask-still
	still=$a
	refused 'meanwhile' 'Another request to all machines is under way' at "$a" hcctl tree find fabric t apply local
	equal 'plans' 0 "$(json_at "$a" length plan show t)"
	odd silent
	there "$a" hcctl tree find fabric t apply >"$scratch/silent" 2>&1
	waits=$pid
	odd refuse "no, because $(printf '\a')of me"
	refused 'no' 'nodes 1XX: no, because \?of me' at "$a" hcctl tree find fabric t apply
	nothing_new
	odd twice
	refused 'twice' 'nodes 000: two machines say to hold this node' at "$a" hcctl tree find fabric t apply
	nothing_new
	odd nobody
	refused 'nobody' 'nodes 100: no machine has answered for node 4' at "$a" hcctl tree find fabric t apply
	nothing_new
	odd accept
	check 'accept' at "$a" hcctl tree find fabric t apply
	equal 'the steps' '1 2 3' "$(sed 's/step //' "$scratch/asker" | xargs)"
	equal 'members' 8 "$(json_at "$a" '.[0].members | length' plan show t 1)"
	check 'del' at "$a" hcctl plan del t 1
	equal 'the steps' '1 2 3 1 2' "$(sed 's/step //' "$scratch/asker" | xargs)"
	nothing_new
	! wait "$waits" || fault 'a plan is there without an answer'
	grep -q 'nodes 1XX: they have not answered in time' "$scratch/silent" || fault "$(<"$scratch/silent")"
	busywait 20 at "$still" hcctl tree find fabric t apply local || fault 'it waits for ever'
	busywait 20 at "$undecided" hcctl tree find fabric t apply local plan 2 || fault 'it waits for ever'
	broken "$undecided" 4
}

# One refusal is sufficient: the installation ends without waiting for another machine, which is
# silent.
test_refusal_ends_installation_despite_a_silent_machine() {
	parameter trunks Y
	namespace a || return
	all=("$a")
	check 'a part' at "$a" hcctl fabric add t dim 3 nodes 00X
	HC_HOLDS=10X there "$a" "$here/hc_asker" t silent >"$scratch/silent"
	HC_HOLDS=01X there "$a" "$here/hc_asker" t refuse 'not now' >"$scratch/refuses"
	busywait 10 is_at 0 "$a" '.[0].links_down' fabric show t || fault 'links are down'
	SECONDS=0
	refused 'no' 'nodes 01X: not now' at "$a" hcctl tree find fabric t apply
	((SECONDS < 3 * slow)) || fault "it took $SECONDS s"
	busywait 10 grep -q 'step 4' "$scratch/silent" || fault 'the silent one is told nothing'
	nothing_new
}

# The other machine sends requests without a pause. Requests of this machine must get every second
# turn.
test_constant_requests_of_a_peer_do_not_starve_own_requests() {
	local i
	odd greedy
	sleep 1
	for i in 1 2 3; do
		busywait 20 at "$a" hcctl tree find fabric t apply local plan "$i" || fault "no turn for plan $i"
	done
}

# Another machine must not be able to move the epochs of this machine's plans far beyond the epochs
# in use.
test_peer_cannot_move_epochs_far_ahead() {
	HC_EPOCH=0x7ffffff0 odd accept
	at "$a" hcctl tree find fabric t apply >"$scratch/said" 2>&1
	check 'one here' at "$a" hcctl tree find fabric t apply local plan 2
	(($(json_at "$a" '.[0].epoch' plan show t 2) < 16777216)) || fault "epoch $(json_at "$a" '.[0].epoch' plan show t 2)"
}

# Links were down, and are up again before this machine is notified. Its new plans must not wait for
# operations under way on the old plan.
test_new_plan_works_after_links_were_briefly_down() {
	odd cut
	check 'cut' at "$a" hcctl tree find fabric t apply
	busywait 10 is_at true "$a" '.[0].broken' plan show t 1 || fault "the plan is not broken: $(at "$a" hcctl plan show t)"
	equal 'links that are down' 0 "$(json_at "$a" '.[0].links_down' fabric show t)"
	check 'a new one' at "$a" hcctl tree find fabric t apply plan 2
	equal 'broken' false "$(json_at "$a" '.[0].broken' plan show t 2)"
}

# A machine is lost after all machines have prepared. The plan is installed, but it is broken.
test_plan_is_broken_if_a_machine_is_lost_after_prepare() {
	odd vanish
	refused 'vanish' 'nodes 1XX: the trunk to them has ended; the plan is broken' \
		at "$a" hcctl tree find fabric t apply
	busywait 10 is_at true "$a" '.[0].broken' plan show t 1 || fault "the plan is not broken: $(at "$a" hcctl plan show t)"
	check 'a new one' at "$a" hcctl tree find fabric t apply
	equal 'members' '[0,1,2,3]' "$(json_at "$a" '.[0].members' plan show t 1)"
	asked ask-vanish
	busywait 10 is_at 1 "$a" '.[0].trunks_ended' fabric show t || fault 'there is a trunk'
	nothing_new
}

# broken NAMESPACE NODE: checks that the plan is installed but broken by NODE, and that
# contributions to it fail at once
broken() {
	busywait 10 is_at "[true,$2]" "$1" '.[0] | [.broken, .cause_node]' plan show t 1 ||
		fault "the plan is not broken by $2: $(at "$1" hcctl plan show t)"
	refused 'a contribution' 'a fault has broken the plan' at "$1" "$here/hc_member" t 1 4 1 10 0 1 2 3
}

# A machine does not commit although all machines have prepared. The others do not wait for it.
test_plan_is_broken_if_a_machine_does_not_commit() {
	odd drops 'it is gone here'
	refused 'drops' 'nodes 1XX: it is gone here; the plan is broken' at "$a" hcctl tree find fabric t apply
	equal 'the steps' '1 2 5' "$(sed 's/step //' "$scratch/asker" | xargs)"
	broken "$a" 4
	check 'del' at "$a" hcctl plan del t 1 local
	refused 'one that mends itself' 'the plan is broken' at "$a" hcctl ring plan fabric t apply repair
	equal 'plans' 0 "$(json_at "$a" length plan show t)"
	asked ask-break
	busywait 10 grep -q 'step 5' "$scratch/asker" || fault 'it does not answer'
	equal 'answers' 'step 1: ok step 2: ok step 5: ok' "$(xargs <"$scratch/asker")"
	broken "$a" 5
}

# asked MODE [WORDS..]: as odd, but the other machine sends requests; the answers of this machine
# are written to $scratch/asker
asked() {
	odd "$@"
	refused 'first' 'ask me later' at "$a" hcctl tree find fabric t apply
	[[ $1 == ask-noise ]] || busywait 10 grep -q 'step 1' "$scratch/asker" || fault 'it does not answer'
}

# A plan that was prepared but not committed is not installed.
test_prepared_plan_is_installed_only_if_committed() {
	asked ask-drop
	busywait 10 grep -q 'step 4' "$scratch/asker" || fault 'it does not answer'
	equal 'answers' 'step 1: ok step 4: ok' "$(xargs <"$scratch/asker")"
	nothing_new
	asked ask-switch
	busywait 10 grep -q 'step 3' "$scratch/asker" || fault 'it does not answer'
	equal 'answers' 'step 1: ok step 2: ok step 3: ok' "$(xargs <"$scratch/asker")"
	equal 'its epoch' 77 "$(json_at "$a" '.[0].epoch' plan show t 1)"
	asked ask-late
	busywait 10 grep -q 'step 2' "$scratch/asker" || fault 'it does not answer'
	grep -q 'step 2: the request was given up here' "$scratch/asker" || fault "$(<"$scratch/asker")"
	nothing_new
}

# HC_ASKS: number of random requests
test_fabric_works_after_random_requests_of_a_peer() {
	local asks=${HC_ASKS:-$(scaled 2000)}
	asked ask-noise "$asks" "$RANDOM"
	busywait 100 grep -q ended "$scratch/asker" || fault 'it hangs'
	log "$asks requests: $(<"$scratch/asker"), epoch $(json_at "$a" '[.[].epoch] | max' plan show t)"
	busywait 10 is_at 4 "$a" '.[0].links_down' fabric show t || fault 'there is a trunk'
	busywait 20 at "$a" hcctl tree find fabric t apply plan 1 || fault 'no plan can be made'
	check 'a sum' at "$a" hcctl run allreduce t plan 1 verify
}

# A fabric, or the machine that has sent a request, is removed while the request is processed.
test_fabric_or_requester_may_be_removed_during_a_request() {
	asked ask-still
	check 'fabric' at "$a" hcctl fabric del t
	odd silent
	there "$a" hcctl tree find fabric t apply >"$scratch/said" 2>&1
	sleep 0.3
	check 'fabric' at "$a" hcctl fabric del t
	wait "$pid"
	grep -q 'removed meanwhile' "$scratch/said" || fault "it says: $(<"$scratch/said")"
	odd silent
	there "$a" hcctl tree find fabric t apply >"$scratch/said" 2>&1
	sleep 0.3
	stop "$pid"
	SECONDS=0
	check 'another' at "$a" hcctl tree find fabric t apply local
	((SECONDS < 4 * slow)) || fault "it took $SECONDS s"
}

run_tests
