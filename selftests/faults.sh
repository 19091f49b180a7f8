#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Faults are set, shown, cleared, made at random, and detected by the nodes; plans avoid them.
#
# Scheduling: shared long

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

# words FILTER COMMAND..: prints the values that FILTER selects from hcctl's JSON, on one line
words() {
	local words
	mapfile -t words < <(json "$@")
	echo "${words[*]}"
}
fault_words() { words '.[].fault' node show t; }
down() { json '.[0].links_down' fabric show t; }
words_are() { [[ $(fault_words) == "$1" ]]; }
# heard_are NODE WORDS: are WORDS the FAULT words that the node has received from its neighbours?
heard_are() { [[ $(words '.[0].nb_fault[]' node show t "$1") == "$2" ]]; }

test_link_down_and_up_change_fault_words_of_both_ends() {
	check 'add' hcctl fabric add t dim 3
	check 'down' hcctl link set t 1:0,6:2 down
	check 'FAULT words' busywait 2 words_are '1 1 4 0 0 0 4 0'
	equal 'links down' 2 "$(down)"
	equal 'state' down "$(json '.[0].state[0]' link show t 0:0)"
	check 'what node 3 heard' busywait 2 heard_are 3 '4 1 0'
	check 'down again' hcctl link set t 0:0 down
	check 'up, from the other end' hcctl link set t 0:0 up
	check 'FAULT words' busywait 2 words_are '0 0 4 0 0 0 4 0'
	check 'clear' hcctl fault clear t
	check 'FAULT words' busywait 2 words_are '0 0 0 0 0 0 0 0'
	equal 'links down' 0 "$(down)"
}

# The request for a change completes once all neighbours have acknowledged it, so it takes a round
# trip.
test_link_change_returns_after_neighbours_acknowledge() {
	local begin ms
	check 'add' hcctl fabric add t dim 2
	check 'a slow link' hcctl link set t 0:1 delay 300ms
	begin=${EPOCHREALTIME/./}
	check 'another one down' hcctl link set t 0:0 down
	ms=$(((${EPOCHREALTIME/./} - begin) / 1000))
	echo "# $ms ms"
	((ms >= 600)) || fault 'nobody waited for the answer'
	equal 'heard' 1 "$(json '.[0].nb_fault[1]' node show t 2)"
}

test_node_failure_and_recovery_change_fault_words() {
	check 'add' hcctl fabric add t dim 3
	check 'fail' hcctl node set t 5 fail
	check 'FAULT words' busywait 2 words_are '0 4 0 0 1 7 0 2'
	equal 'nodes failed' 1 "$(json '.[0].nodes_failed' fabric show t)"
	check 'a neighbour fails' hcctl node set t 7 fail
	check 'FAULT words' busywait 2 words_are '0 4 0 4 1 7 1 7'
	check 'back' hcctl node set t 5 ok
	check 'FAULT words' busywait 2 words_are '0 0 0 4 0 2 1 7'
	check 'a link of the failed one' hcctl link set t 7:0 down
	check 'back' hcctl node set t 7 ok
	check 'its link stays down' busywait 2 words_are '0 0 0 0 0 0 1 1'
}

test_reductions_succeed_on_plans_around_random_faults() {
	local i
	check 'add' hcctl fabric add t dim 4
	for ((i = 1; i <= $(scaled 15); i++)); do
		check "faults of seed $i" hcctl fault random t links $((i % 9)) nodes $((i % 3)) seed "$i"
		check "plan of seed $i" busywait 2 hcctl tree find fabric t apply
		check "reduction of seed $i" hcctl run reduce t op sum type u64 count 50 verify
		check 'clear' hcctl fault clear t
	done
}

# sent LINK: prints the bytes that this end of the link has sent
sent() { json '.[0].tx_bytes' link show t "$1"; }

data_goes_on() { (($(sent 6:1) > 50000)); }
all_have_ended() { (($(grep -c '^node [0-3] round' "$scratch/members") == 4)); }

# All links along dimension 1 between members are down, so the detour leads over nodes that are not
# members.
test_detour_data_takes_the_path_that_the_plan_shows() {
	local before
	check 'add' hcctl fabric add t dim 3
	check 'faults' hcctl link set t 0:1,1:1 down
	check 'plan' busywait 2 hcctl tree find fabric t subcube 0XX sink 0 apply
	equal 'its way' '[2,6,4,0]' "$(json '.[0].detours[0].path' tree show t)"
	before=$(sent 7:1)
	check 'reduction' hcctl run reduce t plan 1 op sum type u64 count 5000 verify
	(($(sent 2:2) > 40000 && $(sent 6:1) > 40000 && $(sent 4:2) > 40000)) || fault 'data did not go that way'
	(($(sent 7:1) - before < 10000)) || fault 'data went another way'
	"$here/hc_member" t 1 4 100000 50 0 1 2 3 >"$scratch/members" &
	check 'sums' busywait 5 data_goes_on
	check 'a link of the way' hcctl link set t 4:1 down
	busywait 3 all_have_ended || fault "not all members have ended: $(<"$scratch/members")"
	check 'broken' busywait 2 json_is true '.[0].broken' tree show t
	[[ $(words '.[0] | .cause_node, .cause_dim' tree show t) == [46]' 1' ]] || fault 'another cause is told'
	refused 'a plan that is broken' 'is broken' hcctl run reduce t plan 1 op sum type u64 count 50
	check 'the next plan' busywait 2 hcctl tree find fabric t subcube 0XX sink 0 apply
	check 'reduction' hcctl run reduce t plan 1 op sum type u64 count 5000 verify
	equal 'its way' '[2,3,7,5,4,0]' "$(json '.[0].detours[0].path' tree show t)"
}

test_plan_is_reported_broken_when_its_link_goes_down() {
	check 'add' hcctl fabric add t dim 3
	check 'plan' hcctl tree find fabric t apply
	equal 'broken' false "$(json '.[0].broken' tree show t)"
	local sink order
	sink=$(json '.[0].sink' tree show t)
	order=$(json '.[0].order[0]' tree show t)
	check 'down' hcctl link set t "$sink:$order" down
	check 'it is broken' busywait 3 json_is true '.[0].broken' tree show t
	equal 'by which dimension' "$order" "$(json '.[0].cause_dim' tree show t)"
	refused 'a reduction' . hcctl run reduce t op sum type u8 count 1 plan 1 timeout 5000
	check 'a new plan' busywait 3 hcctl tree find fabric t apply
	equal 'broken' false "$(json '.[0].broken' tree show t)"
	check 'a reduction' hcctl run reduce t op sum type u8 count 1 verify
}

test_detect_reports_neither_healthy_nor_known_faulty_links() {
	check 'add' hcctl fabric add t dim 4
	equal 'found' 0 "$(json .found detect t)"
	check 'down' hcctl link set t 3:1 down
	equal 'found, where it is known' 0 "$(json .found detect t)"
	equal 'links down' 1 "$(down)"
}

test_detect_finds_links_that_deliver_no_frames() {
	local i
	check 'add' hcctl fabric add t dim 4
	check 'silence' hcctl link set t 2:0,5:1,7:3 loss 100
	equal 'found' '{"found":3,"links":[[2,0],[5,1],[7,3]]}' \
		"$(json '{found, links: [.links[] | [.node, .dim]] | sort}' detect t)"
	equal 'state' detected "$(json '.[0].state[0]' link show t 2:0)"
	equal 'again' 0 "$(json .found detect t)"
	check 'a plan' hcctl tree find fabric t apply
	check 'a reduction' hcctl run reduce t op xor type u32 count 9 verify
	for i in 2:0 5:1 7:3; do
		check 'speech' hcctl link set t $i loss 0
	done
	equal 'nothing new' 0 "$(json .found detect t)"
	check 'healed links are links again' busywait 3 json_is 0 '.[0].links_down' fabric show t
}

# DETECT has marked a link as faulty. Once the link delivers frames, an answer of the neighbour
# clears the mark, although it arrives late.
test_detect_clears_mark_of_slow_link_that_delivers_again() {
	check 'add' hcctl fabric add t dim 2
	check 'silence' hcctl link set t 0:0 loss 100 delay 300ms
	equal 'found' 1 "$(json .found detect t)"
	check 'speech' hcctl link set t 0:0 loss 0
	equal 'nothing new' 0 "$(json .found detect t)"
	equal 'links down' 0 "$(down)"
}

test_detect_finds_links_that_lose_all_frames_in_one_direction() {
	check 'add' hcctl fabric add t dim 3
	check 'silence from node 6 to node 2' "$here/hc_load" deaf t 6 2
	equal 'found' '{"found":1,"links":[[2,2]]}' \
		"$(json '{found, links: [.links[] | [.node, .dim]]}' detect t)"
	check 'both ends know' busywait 2 words_are '0 0 4 0 0 0 4 0'
	check 'silence the other way, at another link' "$here/hc_load" deaf t 0 1
	equal 'found' '{"found":1,"links":[[0,1]]}' \
		"$(json '{found, links: [.links[] | [.node, .dim]]}' detect t)"
	check 'both ends know' busywait 2 words_are '2 0 6 0 0 0 4 0'
	check 'up forgets it' hcctl link set t 2:1 up
	# "up" makes the link usable until a frame fails to cross it: then the link is spent.
	check 'it is spent' busywait 2 words_are '2 0 6 0 0 0 4 0'
	equal 'it is spent' '["spent"]' "$(json '.[0].state' link show t 0:1)"
	equal 'and it is found again' 1 "$(json .found detect t)"
}

test_detect_and_concurrent_reductions_succeed() {
	check 'add' hcctl fabric add t dim 3
	check 'plan' hcctl tree find fabric t apply
	background "$here/hc_load" run t 1 $((3 * slow))
	local i load=$pid
	for ((i = 0; i < $(scaled 10); i++)); do
		equal 'found' 0 "$(json .found detect t)"
	done
	wait "$load" || fault 'a reduction was wrong or hung'
	jobs=()
}

# DETECT's test frames arrive while all nodes notify each other of many changed links. No link may
# be marked as faulty.
test_detect_marks_no_link_while_nodes_are_busy() {
	local i dim=9 links=60
	[[ ! $brief ]] || links=30
	[[ ! $debug ]] || dim=6
	check 'add' hcctl fabric add t dim $dim
	for ((i = $(scaled 1); i > 0; i--)); do
		check 'faults' hcctl fault random t links "$links" seed 1
		background hcctl fault clear t 2>"$scratch/said"
		equal 'found' 0 "$(json .found detect t timeout 1)"
		wait "$pid" || fault 'the faults stay'
		check 'settled' busywait 60 json_is 0 '.[0].links_down' fabric show t
	done
	jobs=()
}

test_random_faults_with_same_seed_are_the_same() {
	local first second
	check 'add' hcctl fabric add t dim 5
	first=$(hcctl -j fault random t links 9 nodes 2 seed 42)
	check 'clear' hcctl fault clear t
	second=$(hcctl -j fault random t links 9 nodes 2 seed 42)
	equal 'the same faults' "$first" "$second"
	equal 'nodes failed' 2 "$(json '.[0].nodes_failed' fabric show t)"
	refused 'more than there are' . hcctl fault random t links 100 seed 1
	refused 'more than there are' . hcctl fault random t nodes 33 seed 1
}

# has_module NAME: is NAME a module file, and not built into the kernel?
has_module() { grep -q "/$1\.ko:" "/lib/modules/$(uname -r)/modules.dep"; }

# at_once WHAT COMMAND..: checks that COMMAND succeeds long before a DETECT round of ten seconds
# could end
at_once() {
	local begin=${EPOCHREALTIME/./} took
	check "$@"
	took=$(((${EPOCHREALTIME/./} - begin) / 1000))
	((took < 4000 * slow)) || fault "$1: it took $took ms"
}

# While a DETECT round of ten seconds is under way, module fou registers a generic netlink family
# (if the kernel has it as a module), and ethtool uses a family. The round must not delay either of
# them.
test_detect_round_does_not_block_other_requests() {
	local round b
	namespace b || return
	check 'add' hcctl fabric add t dim 4
	background hcctl -j detect t timeout 10000 >"$scratch/found"
	round=$pid
	nap 0.3
	background hcctl node set t 1 netns "$b"
	at_once 'somebody else makes an interface' ip link add hc$$ type dummy
	! has_module fou || at_once 'a module with a family' modprobe fou
	at_once 'another family' ethtool lo
	at_once 'link down' hcctl link set t 0:1 down
	at_once 'link up' hcctl link set t 0:1 up
	at_once 'fail' hcctl node set t 5 fail
	at_once 'clear' hcctl fault clear t
	at_once 'show' hcctl node show t
	at_once 'route' hcctl route show t 0 15
	at_once 'a fabric' hcctl fabric add u dim 2
	at_once 'a socket' "$here/hc_load" bind t 2
	check 'moved meanwhile' busywait 1 ip -n "$b" link show tn1
	check 'the round still runs' kill -0 "$round"
	wait "$round" || fault 'the round failed'
	equal 'nothing was silent' 0 "$(pick .found <"$scratch/found")"
	ip link del hc$$
	! has_module fou || rmmod fou
} 2>/dev/null

test_detect_round_ends_with_its_caller_or_its_fabric() {
	check 'add' hcctl fabric add t dim 3
	background hcctl detect t timeout 10000
	nap 0.3
	kill -INT "$pid"
	stop "$pid"
	jobs=()
	at_once 'another one' hcctl detect t
	background hcctl detect t timeout 10000 2>"$scratch/said"
	nap 0.3
	at_once 'del' hcctl fabric del t
	wait "$pid" && fault 'the round of a fabric that was removed succeeded'
	check 'it says so' grep -q 'removed' "$scratch/said"
	jobs=()
}

test_links_that_come_up_during_detect_are_not_marked_faulty() {
	local i
	check 'add' hcctl fabric add t dim 3
	for ((i = $(scaled 5); i > 0; i--)); do
		check 'down' hcctl link set t 0:1,3:2 down
		check 'fail' hcctl node set t 4 fail
		background hcctl -j detect t timeout $((500 * slow)) >"$scratch/found"
		nap 0.2
		check 'up' hcctl link set t 0:1,3:2 up
		check 'ok' hcctl node set t 4 ok
		wait "$pid" || fault 'the round failed'
		equal 'found' 0 "$(pick .found <"$scratch/found")"
		equal 'unusable' 0 "$(json '[.[] | select(.up == false)] | length' link show t)"
	done
	jobs=()
}

alone=(test_detect_round_does_not_block_other_requests)
run_tests
