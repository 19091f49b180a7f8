#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Plans that are installed on all machines that hold a part of a fabric, from one of them. Machines are network
# namespaces here; four of them are joined in a ring:
#
#	a: nodes 00XX ---- b: nodes 01XX
#	     |                  |
#	c: nodes 10XX ---- d: nodes 11XX
#
# The same plan with one epoch everywhere or nowhere; who refuses, and why; machines that are lost meanwhile, that ask at
# the same time, and that do not keep to the rules.

# shellcheck source=selftests/lib/machines.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/machines.sh"

a='' b='' c='' d=''

# joined ONE OTHER NUMBER DIM [WORDS..]: by a trunk
joined() { wire "$1" "$2" "$3" && tie "$@"; }

all_up() {
	local ns
	for ns in "${all[@]}"; do
		busywait 10 is_at 0 "$ns" '.[0].links_down' fabric show t || fault "links are down at $ns"
	done
}

# two [WORDS..]: a with 0XX, b with 1XX
two() {
	parameter trunks Y
	namespace a && namespace b || return
	all=("$a" "$b")
	check 'the one part' at "$a" hcctl fabric add t dim 3 nodes 0XX
	check 'the other' at "$b" hcctl fabric add t dim 3 nodes 1XX
	joined "$a" "$b" 1 2 "$@"
	all_up
}

four() {
	parameter trunks Y
	namespace a && namespace b && namespace c && namespace d || return
	all=("$a" "$b" "$c" "$d")
	check 'a' at "$a" hcctl fabric add t dim 4 nodes 00XX
	check 'b' at "$b" hcctl fabric add t dim 4 nodes 01XX
	check 'c' at "$c" hcctl fabric add t dim 4 nodes 10XX
	check 'd' at "$d" hcctl fabric add t dim 4 nodes 11XX
	joined "$a" "$b" 1 2
	joined "$c" "$d" 2 2
	joined "$a" "$c" 3 3
	joined "$b" "$d" 4 3
	all_up
}

# same PLAN: it is the same everywhere, the epoch included
same() {
	local ns first
	first=$(json_at "$a" . plan show t "$1") || fault "no plan $1"
	for ns in "${all[@]}"; do
		equal "plan $1 at $ns" "$first" "$(json_at "$ns" . plan show t "$1")"
	done
}

# nothing_new: there are no plans, and none is under way
nothing_new() {
	local ns
	for ns in "${all[@]}"; do
		equal "plans at $ns" 0 "$(json_at "$ns" length plan show t)"
		check "$ns can plan" at "$ns" hcctl tree find fabric t apply plan 99 here
		check "$ns can remove it" at "$ns" hcctl plan del t 99 here
	done
}

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

two_machines() {
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
	check 'del here' at "$a" hcctl plan del t 2 here
	equal 'what is left there' '[2,3,4]' "$(json_at "$b" 'map(.plan)' plan show t)"
	check 'del of what only one has' at "$b" hcctl plan del t 2
	equal 'what is left there' '[3,4]' "$(json_at "$b" 'map(.plan)' plan show t)"
	check 'here' at "$a" hcctl tree find fabric t apply here
	equal 'not there' '[3,4]' "$(json_at "$b" 'map(.plan)' plan show t)"
	check 'the greatest epoch of all counts' at "$b" hcctl tree find fabric t apply plan 7
	same 7
	equal 'epoch' "$(($(json_at "$a" '.[0].epoch' plan show t 1) + 1))" "$(json_at "$b" '.[0].epoch' plan show t 7)"
}

four_machines() {
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

# Members that have something outstanding while plans are replaced are told so, and never wait for one who has none yet.
# If all operations are complete at that moment, which happens, they go on with the new plan.
plans_are_replaced_under_load() {
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
			busywait 10 ended_or_on || break
			! ended || break
		done
		ended || fault "not told, here: $(<"$scratch/a") there: $(<"$scratch/b")"
		((tries == 1)) || log "told with plan $tries"
		! grep wrong "$scratch/a" "$scratch/b" || fault 'a sum is wrong'
	done
}

# One that begins only with the new plan would wait for all that have ended.
working() { (($(json_at "$1" '.[0].op' op show t) > 3)); }

ended() { (($(grep -c 'round' "$scratch/a") == 4 && $(grep -c 'round' "$scratch/b") == 4)); }

# ended_or_on: nobody has ended, and operations of the present plan complete
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

# shown MEMBERS NAMESPACE..: the rings go on, as each of these machines shows
shown() {
	local ns
	for ns in "${@:2}"; do
		busywait 10 is_at "[false,$1]" "$ns" '.[0] | [.broken, .members]' plan show t 3 ||
			fault "at $ns: $(json_at "$ns" '.[0] | [.broken, .members]' plan show t 3)"
	done
}

# One of both has the master when they meet again.
each_machine_shows_repaired_rings() {
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

# here_end KIND PLAN MEMBERS: what the members of the first machine do comes to an end; $said is how
here_end() {
	there "$a" "$here/hc_member" "-$1" t "$2" "$3" 3 100 0 1 2 3 >"$scratch/a"
	busywait 10 grep -q . "$scratch/a" || fault "$1 over plan $2 hangs: $(at "$a" hcctl op show t)"
	said=$(tr -d '\0' <"$scratch/a")
}

# A machine comes back without its plans, as after a reboot: the others go on without its nodes.
repaired_rings_leave_out_nodes_without_the_plan() {
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

# A plan that only the first machine has: its members are told of a node that does not know it.
operation_names_node_without_the_plan() {
	local words plan kind
	two
	while read -r plan kind words; do
		# shellcheck disable=SC2086
		check "$words" at "$a" hcctl $words fabric t apply plan "$plan" here
		here_end "$kind" "$plan" 8
		[[ $said == *'node '[4-7]* ]] || fault "$words: $said"
	done <<<'1 sums tree find
2 sums doubling plan
3 gather ring plan'
}

# A fault that one machine cannot tell the others, and a limit that it alone has reached
one_refuses() {
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
	for i in 11 12 13; do check 'a plan there' at "$b" hcctl tree find fabric t apply here plan "$i"; done
	refused 'the limit' 'nodes 1XX: .*plans' at "$a" hcctl tree find fabric t apply
	equal 'plans here' 0 "$(json_at "$a" length plan show t)"
	equal 'plans there' '[11,12,13]' "$(json_at "$b" 'map(.plan)' plan show t)"
}

who_may_ask() {
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
	check 'here' at "$a" hcctl tree find fabric t apply here
}

# Both are answered, in an order that is the same everywhere: the plan that is there is one of the two.
two_ask_at_once() {
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

# With plans that come and go from all sides: each time all have the same in the end.
trunks_end_meanwhile() {
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

# When nothing is left that leads to the others, the answer comes before the request has begun to wait: its sentence is
# whole. Few of the trunks end just then; what a wrong one reads is seen by a kernel with checkers.
trunks_end_while_a_plan_is_verified() {
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

# That with the greatest number is the one between b and d.
wire_again() {
	there "$b" hcctl trunk listen t 10.9.4.1
	busywait 5 at "$d" hcctl trunk connect t 3 10.9.4.1 || fault 'no trunk'
}

# The other machine is a program: see hc_asker.
odd() {
	parameter trunks Y
	namespace a || return
	all=("$a")
	check 'a part' at "$a" hcctl fabric add t dim 3 nodes 0XX
	there "$a" "$here/hc_asker" t "$@" >"$scratch/asker"
	busywait 10 is_at 0 "$a" '.[0].links_down' fabric show t || fault 'links are down'
}

# One that asks and does not decide is not waited for for ever, nor one that does not answer.
others_do_as_they_like() {
	local waits still undecided
	asked ask-undecided
	busywait 10 grep -q 'step 2' "$scratch/asker" || fault 'it does not answer'
	undecided=$a
	asked ask-still
	still=$a
	refused 'meanwhile' 'Another request to all machines is under way' at "$a" hcctl tree find fabric t apply here
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
	busywait 20 at "$still" hcctl tree find fabric t apply here || fault 'it waits for ever'
	busywait 20 at "$undecided" hcctl tree find fabric t apply here plan 2 || fault 'it waits for ever'
	broken "$undecided" 4
}

# One that refuses is enough: nobody waits for another one that is silent.
one_refuses_one_is_silent() {
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

# Links that were down and are up again, before this machine hears of it: plans here do not wait for
# what was under way.
links_were_down() {
	odd cut
	check 'cut' at "$a" hcctl tree find fabric t apply
	busywait 10 is_at true "$a" '.[0].broken' plan show t 1 || fault "the plan is not broken: $(at "$a" hcctl plan show t)"
	equal 'links that are down' 0 "$(json_at "$a" '.[0].links_down' fabric show t)"
	check 'a new one' at "$a" hcctl tree find fabric t apply plan 2
	equal 'broken' false "$(json_at "$a" '.[0].broken' plan show t 2)"
}

# A machine that is lost when all have prepared: the plan is there, and broken.
lost_between_the_phases() {
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

# broken NAMESPACE NODE: the plan is there, and contributions to it end at once
broken() {
	busywait 10 is_at "[true,$2]" "$1" '.[0] | [.broken, .cause_node]' plan show t 1 ||
		fault "the plan is not broken by $2: $(at "$1" hcctl plan show t)"
	refused 'a contribution' 'a fault has broken the plan' at "$1" "$here/hc_member" t 1 4 1 10 0 1 2 3
}

# One that has not switched although all could: nobody waits for it.
not_all_have_switched() {
	odd drops 'it is gone here'
	refused 'drops' 'nodes 1XX: it is gone here; the plan is broken' at "$a" hcctl tree find fabric t apply
	equal 'the steps' '1 2 5' "$(sed 's/step //' "$scratch/asker" | xargs)"
	broken "$a" 4
	check 'del' at "$a" hcctl plan del t 1 here
	refused 'one that mends itself' 'the plan is broken' at "$a" hcctl ring plan fabric t apply repair
	equal 'plans' 0 "$(json_at "$a" length plan show t)"
	asked ask-break
	busywait 10 grep -q 'step 5' "$scratch/asker" || fault 'it does not answer'
	equal 'answers' 'step 1: ok step 2: ok step 5: ok' "$(xargs <"$scratch/asker")"
	broken "$a" 5
}

# asked MODE [WORDS..]: what the machine here has answered is in $scratch/asker
asked() {
	odd "$@"
	refused 'first' 'ask me later' at "$a" hcctl tree find fabric t apply
	[[ $1 == ask-noise ]] || busywait 10 grep -q 'step 1' "$scratch/asker" || fault 'it does not answer'
}

# What it has prepared is nobody's plan.
others_ask_as_they_like() {
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

# HC_ASKS: how many
noise_is_refused() {
	local asks=${HC_ASKS:-$(scaled 2000)}
	asked ask-noise "$asks" "$RANDOM"
	busywait 100 grep -q ended "$scratch/asker" || fault 'it hangs'
	log "$asks requests: $(<"$scratch/asker"), epoch $(json_at "$a" '[.[].epoch] | max' plan show t)"
	busywait 10 is_at 4 "$a" '.[0].links_down' fabric show t || fault 'there is a trunk'
	busywait 20 at "$a" hcctl tree find fabric t apply plan 1 || fault 'no plan can be made'
	check 'a sum' at "$a" hcctl run allreduce t plan 1 verify
}

# A fabric, or who has asked, goes while it works on a request.
everything_may_go() {
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
	check 'another' at "$a" hcctl tree find fabric t apply here
	((SECONDS < 4 * slow)) || fault "it took $SECONDS s"
}

run_tests two_machines four_machines each_machine_shows_repaired_rings repaired_rings_leave_out_nodes_without_the_plan \
	operation_names_node_without_the_plan plans_are_replaced_under_load one_refuses who_may_ask two_ask_at_once \
	trunks_end_meanwhile trunks_end_while_a_plan_is_verified others_do_as_they_like one_refuses_one_is_silent \
	links_were_down lost_between_the_phases not_all_have_switched others_ask_as_they_like noise_is_refused everything_may_go
