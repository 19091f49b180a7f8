#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Trunks between machines, which are network namespaces here: a fabric is of one namespace.
#
#	namespace a: nodes 0XX		namespace b: nodes 1XX
#	10.9.0.1 ---- veth ---- 10.9.0.2
#
# Links, their states and what follows from them; datagrams, IP and collectives across; trunks that break, of
# whatever cause; what makes no sense on a stream.

# shellcheck source=selftests/lib/machines.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/machines.sh"

a='' b=''

# machines DIM PART-A PART-B: two of them, and a wire
machines() {
	parameter trunks Y
	namespace a && namespace b || return
	ip link add "w$$" netns "$a" type veth peer name "w$$" netns "$b"
	at "$a" ip addr add 10.9.0.1/24 dev "w$$"
	at "$b" ip addr add 10.9.0.2/24 dev "w$$"
	at "$a" ip link set "w$$" up
	at "$b" ip link set "w$$" up
	at "$a" ip link set lo up
	at "$b" ip link set lo up
	check 'the one part' at "$a" hcctl fabric add t dim "$1" nodes "$2"
	check 'the other' at "$b" hcctl fabric add t dim "$1" nodes "$3"
}

# joined [WORDS..]: with a trunk of TCP; of a wire that $by made, if it did
by=''
joined() {
	there "$a" hcctl trunk listen t 10.9.0.1 "$@"
	busywait 5 at "$b" hcctl trunk connect t 2 "10.9.0.1$by" "$@" || { fault 'no trunk'; return; }
	up_again
}

# wired [WORDS..]: by a wire that hc_relay is; sets $wire, whose end resets it
# shellcheck disable=SC2120
wired() {
	there "$a" "$here/hc_relay" 4000 10.9.0.1 26723 "$@" >"$scratch/relay"
	wire=$pid by=:4000
	joined
	by=''
}

up_again() {
	busywait 10 is_at 0 "$a" '.[0].links_down' fabric show t || fault 'links are down at a'
	busywait 10 is_at 0 "$b" '.[0].links_down' fabric show t || fault 'links are down at b'
}

down() {
	busywait 10 is_at 4 "$a" '.[0].links_down' fabric show t || fault 'links are up at a'
	busywait 10 is_at 4 "$b" '.[0].links_down' fabric show t || fault 'links are up at b'
}

links_come_up() {
	machines 3 0XX 1XX && joined
	equal 'a trunk' '[{"greeted":true,"links":4,"nodes":"1XX"}]' \
		"$(json_at "$a" 'map({greeted,links,nodes})' trunk show t)"
	equal 'its other end' '10.9.0.1:26723' "$(json_at "$b" '.[0].peer' trunk show t)"
	equal 'a state' '[]' "$(json_at "$b" '.[0].state' link show t 7:2)"
	equal 'a node elsewhere' 0 "$(json_at "$a" '.[0].fault' node show t 7)"
	check 'del' at "$a" hcctl trunk del t 1
	equal 'at once' '["carrier"]' "$(json_at "$a" '.[0].state' link show t 1:2)"
	down
	equal 'how many have ended' 1 "$(json_at "$b" '.[0].trunks_ended' fabric show t)"
}

faults_are_known_there() {
	machines 3 0XX 1XX && joined
	there "$b" hcctl -j monitor fabric t >"$scratch/events"
	sleep 0.5
	check 'down' at "$a" hcctl link set t 1:2 down
	busywait 5 is_at '["down"]' "$b" '.[0].state' link show t 5:2 || fault 'the link is not down there'
	busywait 5 grep -q '"node":5,"dim":2.*"down"' "$scratch/events" ||
		fault "nobody is told there: $(<"$scratch/events")"
	check 'up' at "$b" hcctl link set t 5:2 up
	busywait 5 is_at '[]' "$a" '.[0].state' link show t 1:2 || fault 'the link is not up here'
	check 'fail' at "$b" hcctl node set t 6 fail
	busywait 5 is_at '["failed"]' "$a" '.[0].state' link show t 2:2 || fault 'the node is not known to have failed'
	busywait 5 is_at 7 "$a" '.[0].fault' node show t 6 || fault 'it is not known to be lost'
	check 'an inner link' at "$b" hcctl link set t 4:0 down
	busywait 5 is_at 3 "$a" '.[0].fault' node show t 4 || fault 'its fault is not known'
	check 'clear' at "$b" hcctl fault clear t
	busywait 5 is_at 0 "$a" '.[0].fault' node show t 4 || fault 'it is not known to be well'
	up_again
	refused 'the end there' 'that end lives on 10.9.0.2' at "$a" hcctl link set t 1:2 loss 5%
	check 'a loss' at "$b" hcctl link set t 4:2 loss 100% one-way
	equal 'found' 1 "$(json_at "$a" .found detect t)"
	equal 'at this end' '["detected"]' "$(json_at "$a" '.[0].state' link show t 0:2)"
	busywait 5 is_at '["detected"]' "$b" '.[0].state' link show t 4:2 || fault 'not at the other end'
	check 'no loss' at "$b" hcctl link set t 4:2 loss 0 one-way
	equal 'found' 0 "$(json_at "$a" .found detect t)"
	up_again
}

ip_goes_across() {
	local u
	machines 3 0XX 1XX && joined
	for u in 0 3; do
		at "$a" ip addr add "10.77.0.$((u + 1))/24" dev "tn$u"
		at "$a" ip link set "tn$u" up
	done
	at "$b" ip addr add 10.77.0.8/24 dev tn7
	at "$b" ip link set tn7 up
	check 'ping' at "$a" ping -c 3 -i 0.2 -W 5 -I tn0 10.77.0.8
	check 'large' at "$a" ping -c 2 -i 0.2 -W 5 -s 20000 -I tn0 10.77.0.8
	there "$b" "$here/hc_flow" sink 5001 >"$scratch/sink"
	sleep 0.3
	check 'TCP' at "$a" "$here/hc_flow" source 10.77.0.8 5001 1
	busywait 5 grep -q ' bytes' "$scratch/sink" || fault 'nothing came by TCP'
	log "by TCP: $(<"$scratch/sink")"
	at "$b" ethtool -k tn7 | grep -q 'tcp-segmentation-offload: on' || fault 'no segmentation offload'
	equal 'malformed frames' 0 "$(json_at "$b" '[.[].drops.malformed // 0] | add' node show t)"
}

# trees EPOCH: for both
trees() {
	check 'a tree' at "$a" hcctl tree find fabric t apply epoch "$1"
}

collectives_go_across() {
	local first second
	machines 3 0XX 1XX && joined
	trees 5
	first=$(json_at "$a" '.[0] | del(.fault)' plan show t)
	second=$(json_at "$b" '.[0] | del(.fault)' plan show t)
	equal 'the same plan' "$first" "$second"
	members 50 100
	members 20 30000
	log "$(at "$a" hcctl trunk show t)"
}

# members ROUNDS COUNT: of both machines add and check
members() { both sums 1 "$@"; }

# both KIND PLAN ROUNDS COUNT: see hc_member
both() {
	there "$a" "$here/hc_member" "-$1" t "$2" 8 "$3" "$4" 0 1 2 3 >"$scratch/a"
	at "$b" timeout $((20 * slow)) "$here/hc_member" "-$1" t "$2" 8 "$3" "$4" 4 5 6 7 >"$scratch/b"
	busywait 10 grep -q . "$scratch/a"
	equal "$1 of plan $2, $3 times $4 numbers, here" right "$(<"$scratch/a")"
	equal 'there' right "$(<"$scratch/b")"
}

# plan_both PLAN EPOCH WORDS..: the same at both machines, by hand
plan_both() {
	local plan=$1 epoch=$2 ns
	shift 2
	for ns in "$a" "$b"; do
		check "$*" at "$ns" hcctl "$@" apply here plan "$plan" epoch "$epoch"
	done
}

all_kinds_go_across() {
	machines 3 0XX 1XX && joined
	plan_both 1 5 tree find fabric t
	both gather 1 10 3000
	both scatter 1 10 3000
	plan_both 2 7 doubling plan fabric t
	both sums 2 20 3000
	both exchange 2 10 1000
	plan_both 3 9 ring plan fabric t
	both gather 3 10 3000
	both exchange 3 10 1000
	plan_both 4 11 bcast plan fabric t source 0
	both bcast 4 10 10000
	both messages 0 50 1000
	both copies 0 50 1000
}

# begin NAMESPACE NAME ROUNDS NODE..: plans 1 to 4 at once; what members say is in $scratch/NAME.PLAN
begin() {
	local ns=$1 name=$2 rounds=$3 plan kinds=(sums exchange gather bcast)
	shift 3
	began=()
	for plan in 1 2 3 4; do
		there "$ns" "$here/hc_member" "-${kinds[plan - 1]}" t "$plan" 8 "$rounds" 100 "$@" >"$scratch/$name.$plan"
		began+=("$pid")
	done
}

# all_right: what was begun as a and b ends, and is right
all_right() {
	local plan
	for plan in 1 2 3 4; do
		busywait 60 grep -q . "$scratch/a.$plan"
		equal "plan $plan here" right "$(<"$scratch/a.$plan")"
		busywait 60 grep -q . "$scratch/b.$plan"
		equal "plan $plan there" right "$(<"$scratch/b.$plan")"
	done
}

is_file_of() { [[ $(wc -c <"$2") == "$1" ]]; }

# The same plans again, whose members come later at one machine than others take to ask for them; and again after members
# were killed. Who has the message that fails elsewhere waits for one that its source never begins.
runs_follow_each_other() {
	local plan waiting
	machines 3 0XX 1XX && joined
	plan_both 1 5 tree find fabric t sink 0
	plan_both 2 7 doubling plan fabric t
	plan_both 3 9 ring plan fabric t
	plan_both 4 11 bcast plan fabric t source 0
	begin "$a" a 3 0 1 2 3
	begin "$b" b 3 4 5 6 7
	all_right
	begin "$a" a 3 0 1 2 3
	sleep 2.2
	begin "$b" b 3 4 5 6 7
	all_right
	begin "$a" a 1000000 0 1 2 3
	waiting=("${began[3]}")
	begin "$b" b 1000000 4 6 7
	waiting+=("${began[3]}")
	HC_BEGUN=$scratch/begun begin "$b" killed 1000000 5
	busywait 60 is_file_of 4 "$scratch/begun" || fault "only $(wc -c <"$scratch/begun") of 4 have begun"
	for plan in 1 2 3 4; do stop "${began[plan - 1]}"; done
	busywait 40 grep -q 'node 0 round' "$scratch/a.4" || fault 'the source does not hear of it'
	for plan in "${waiting[@]}"; do stop "$plan"; done
	for plan in 1 2 3; do
		busywait 40 ended "$scratch/a.$plan" 4 || fault "plan $plan, here: $(<"$scratch/a.$plan")"
		busywait 40 ended "$scratch/b.$plan" 3 || fault "plan $plan, there: $(<"$scratch/b.$plan")"
	done
	log "$(head -qn1 "$scratch"/a.?)"
	begin "$b" b 3 4 5 6 7
	sleep 2.2
	begin "$a" a 3 0 1 2 3
	all_right
}

tasks_go_across() {
	machines 3 0XX 1XX && joined
	check 'tasks' at "$a" "$here/hc_load" tasks t 0 50
	check 'move' at "$a" hcctl balance move t 0:2 20
	busywait 10 is_at 20 "$b" '[.nodes[] | .received] | add' balance show t || fault "there: $(at "$b" hcctl -j balance show t)"
	equal 'what is left' 30 "$(json_at "$a" '[.nodes[] | .queued] | add' balance show t)"
	check 'back' at "$b" hcctl balance move t 4:2 5
	busywait 10 is_at 35 "$a" '[.nodes[] | .queued] | add' balance show t || fault 'they did not come back'
	equal 'in doubt' 0 "$(json_at "$a" '[.nodes[] | .doubt] | add' balance show t)"
	log "$(at "$b" hcctl -j balance show t)"
	refused 'a round' 'spans machines' at "$a" hcctl balance run t
}

# A member that follows another plan of that epoch would be left out of a sum, or counted twice.
plans_that_differ_do_not_mix() {
	machines 3 0XX 1XX && joined
	check 'a tree here' at "$a" hcctl tree find fabric t apply here epoch 5
	check 'another one there' at "$b" hcctl tree find fabric t sink 4 apply here epoch 5
	there "$a" "$here/hc_member" t 1 8 5 10 0 1 2 3 >"$scratch/a"
	there "$b" "$here/hc_member" t 1 8 5 10 4 5 6 7 >"$scratch/b"
	busywait 5 old_frames_come || fault 'no frames of another plan were dropped'
	equal 'ends' '' "$(cat "$scratch/a" "$scratch/b")"
	trees 7
	busywait 10 ended "$scratch/a" 4 || fault "here: $(<"$scratch/a")"
	busywait 10 ended "$scratch/b" 4 || fault "there: $(<"$scratch/b")"
	! grep wrong "$scratch/a" "$scratch/b" || fault 'a sum is wrong'
}

old_frames_come() {
	[[ $(json_at "$a" '[.[].drops["old-epoch"] // 0] | add > 0' node show t) == true ||
		$(json_at "$b" '[.[].drops["old-epoch"] // 0] | add > 0' node show t) == true ]]
}

operations_end_with_the_cause() {
	machines 3 0XX 1XX && joined
	trees 5
	there "$a" "$here/hc_member" t 1 8 1000000 1000 0 1 2 3 >"$scratch/a"
	there "$b" "$here/hc_member" t 1 8 1000000 1000 4 5 6 7 >"$scratch/b"
	sleep "$((slow / 2)).5"
	check 'del' at "$a" hcctl trunk del t 1
	busywait 10 ended "$scratch/a" 4 || fault "here: $(<"$scratch/a")"
	busywait 10 ended "$scratch/b" 4 || fault "there: $(<"$scratch/b")"
	log "$(head -n1 "$scratch/a")"
	log "$(head -n1 "$scratch/b")"
	joined
	trees 9
	members 50 100
}

ended() { (($(grep -c 'round' "$1") == $2)); }

trunks_break() {
	machines 3 0XX 1XX && joined keepalive "${slow}s"
	there "$a" hcctl -j monitor fabric t >"$scratch/events"
	sleep 0.5
	at "$a" ip link set "w$$" down
	down
	busywait 5 grep -q 'silent for too long' "$scratch/events" || fault "no event tells why: $(<"$scratch/events")"
	at "$a" ip link set "w$$" up
	wired
	stop "$wire"
	down
	joined
	check 'del' at "$b" hcctl fabric del t
	busywait 10 is_at 4 "$a" '.[0].links_down' fabric show t || fault 'links are up'
	check 'the part again' at "$b" hcctl fabric add t dim 3 nodes 1XX
	joined
}

# A machine that is made anew, as after a crash, has other numbers, and remembers nothing.
tasks_go_to_a_machine_that_is_back() {
	local round
	machines 3 0XX 1XX && joined
	for ((round = 1; round <= 6; round++)); do
		check 'tasks' at "$a" "$here/hc_load" tasks t 0 5
		check 'move' at "$a" hcctl balance move t 0:2 5
		busywait 10 is_at 5 "$b" '[.nodes[] | .received] | add' balance show t ||
			fault "there, round $round: $(at "$a" hcctl -j balance show t)"
		check 'back' at "$b" hcctl balance move t 4:2 2
		busywait 10 is_at $((2 * round)) "$a" '.nodes[0].received' balance show t ||
			fault "here, round $round: $(at "$b" hcctl -j balance show t)"
		check 'del' at "$b" hcctl fabric del t
		busywait 10 is_at 4 "$a" '.[0].links_down' fabric show t || fault 'links are up'
		check 'the part again' at "$b" hcctl fabric add t dim 3 nodes 1XX
		joined
	done
}

# each VALUE FILTER COMMAND..: says that, sooner or later, at all three machines
each() {
	local ns
	for ns in "$a" "$b" "$c"; do
		busywait 10 is_at "$1" "$ns" "${@:2}" || fault "at $ns: $(at "$ns" hcctl -j "${@:3}")"
	done
}

# three: a has nodes 0 and 1, c has 2 and 3, b the others; each has a trunk to each
three() {
	machines 3 00X 1XX && namespace c || return
	wire "$a" "$c" 1
	wire "$b" "$c" 2
	check 'a third part' at "$c" hcctl fabric add t dim 3 nodes 01X
	tie "$a" "$b" 0 2
	tie "$a" "$c" 1 1
	tie "$b" "$c" 2 2
	each 0 '.[0].links_down' fabric show t
}

# Two tasks that nodes 4 and 5 have taken, and said so in vain. Their machine is made anew, and does not come back by the
# trunk over which they went: what it is asked then goes around that, and it has never heard of them.
tasks_of_another_life_are_in_doubt() {
	local c='' filter='.nodes | map(select(.node < 2) | [.queued,.moving,.doubt,.repeated])'
	three
	check 'no end of waiting' at "$a" hcctl fabric set t patience forever
	check 'no answers' at "$b" hcctl link set t 4:2,5:2 loss 100% one-way
	check 'a task' at "$a" "$here/hc_load" tasks t 0 1
	check 'one more' at "$a" "$here/hc_load" tasks t 1 1 repeat
	check 'move' at "$a" hcctl balance move t 0:2,1:2 1
	busywait 10 is_at 2 "$b" '[.nodes[] | .received] | add' balance show t || fault 'they do not come'
	equal 'not answered' '[[0,1,0,0],[0,1,0,0]]' "$(json_at "$a" "$filter" balance show t)"
	there "$a" hcctl -j monitor fabric t >"$scratch/events"
	check 'del' at "$b" hcctl fabric del t
	busywait 10 is_at 2 "$a" '.[0].links_down' fabric show t || fault 'links are up'
	check 'the part again' at "$b" hcctl fabric add t dim 3 nodes 1XX
	tie "$b" "$c" 2 2
	busywait 10 is_at '[[0,0,1,0],[1,0,0,1]]' "$a" "$filter" balance show t ||
		fault "here: $(at "$a" hcctl -j balance show t)"
	busywait 5 grep -q in-doubt "$scratch/events" || fault "nobody is told: $(<"$scratch/events")"
	tie "$a" "$b" 0 2
	each 0 '.[0].links_down' fabric show t
	check 'move again' at "$a" hcctl balance move t 1:2 1
	busywait 10 is_at 1 "$b" '[.nodes[] | .received] | add' balance show t || fault 'it does not go again'
}

# Tasks and their copies are on two machines that do not hear of each other when their nodes fail, first the one, then the
# other: nobody has them any more, and somebody has to say so.
copies_out_of_sight_are_in_doubt() {
	machines 3 0XX 1XX && joined
	check 'one way' at "$a" hcctl link set t 0:0,0:1 down
	check 'tasks' at "$a" "$here/hc_load" tasks t 0 3 copied
	busywait 10 is_at 3 "$b" '[.nodes[] | .kept] | add' balance show t || fault "there: $(at "$b" hcctl -j balance show t)"
	check 'del' at "$a" hcctl trunk del t 1
	check 'its node' at "$a" hcctl node set t 0 fail
	equal 'here' '[0,3,0]' "$(json_at "$a" '.nodes[] | select(.node == 0) | [.queued,.doubt,.lost]' balance show t)"
	check 'the keeper' at "$b" hcctl node set t 4 fail
	equal 'there' '[0,3,0]' "$(json_at "$b" '.nodes[] | select(.node == 4) | [.kept,.doubt,.lost]' balance show t)"
}

disagreements_are_refused() {
	machines 3 0XX 1XX
	there "$a" hcctl trunk listen t 10.9.0.1 keep
	busywait 5 at "$b" bash -c 'exec 3<>/dev/tcp/10.9.0.1/26723' || fault 'nobody listens'
	check 'u' at "$b" hcctl fabric add u dim 3 nodes 1XX
	refused 'names' 'the fabrics are u and t' at "$b" hcctl trunk connect u 2 10.9.0.1
	refused 'dimension' 'have no links along dimension 1' at "$b" hcctl trunk connect t 1 10.9.0.1
	check 'del' at "$b" hcctl fabric del t
	check 'segment' at "$b" hcctl fabric add t dim 3 nodes 1XX segment 1024
	refused 'segment' 'the segments are of 1024 and of 32768 bytes' at "$b" hcctl trunk connect t 2 10.9.0.1
	check 'del' at "$b" hcctl fabric del t
	check 'whole' at "$b" hcctl fabric add t dim 3
	refused 'whole' 'have no links along dimension 2' at "$b" hcctl trunk connect t 2 10.9.0.1
	refused 'nobody' 'cannot connect' at "$b" hcctl trunk connect t 2 10.9.0.1:9
}

# A part whose other machine is a program.
alone_here() {
	parameter trunks Y
	namespace a || return
	check 'a part' at "$a" hcctl fabric add t dim 3 nodes "$1"
	there "$a" hcctl -j monitor fabric t >"$scratch/events"
}

still_works() {
	check 'the fabric works' at "$a" hcctl tree find fabric t apply
	check 'a sum' at "$a" hcctl run allreduce t plan 1 verify
}

# A frame in it is dropped for a reason, a record in it ends the trunk for one. HC_FRAMES: how many
noise_is_refused() {
	local frames=${HC_FRAMES:-$(scaled 80000)} dropped
	alone_here 0XX
	check 'noise' at "$a" "$here/hc_garbage" t 2 40 $((frames / 40)) "$RANDOM"
	equal 'trunks that have ended' 40 "$(json_at "$a" '.[0].trunks_ended' fabric show t)"
	busywait 5 grep -q 'unknown kind\|wrong length\|begin with its greeting' "$scratch/events" ||
		fault "no reasons: $(head -n3 "$scratch/events")"
	dropped=$(json_at "$a" '[.[].drops.malformed // 0] | add' link show t)
	log "$dropped malformed frames"
	((dropped > 0)) || fault 'no frame was dropped as malformed'
	still_works
}

# What machines have said once: again, cut off, with changes, while members wait
frames_are_checked() {
	local frames=${HC_FRAMES:-$(scaled 40000)} said=$scratch/recording
	machines 3 0XX 1XX && wired "$said"
	trees 5
	members 20 50
	at "$a" ip addr add 10.77.0.1/24 dev tn0
	at "$a" ip link set tn0 up
	at "$b" ip addr add 10.77.0.8/24 dev tn7
	at "$b" ip link set tn7 up
	check 'ping' at "$b" ping -c 3 -i 0.2 -W 5 -s 3000 -I tn7 10.77.0.1
	check 'DETECT' at "$b" hcctl detect t
	check 'a message' at "$b" hcctl route show t 4 7
	tidy_up
	log "$(wc -c <"$said") bytes were recorded"
	alone_here 0XX
	there "$a" "$here/hc_garbage" t 2 1 "$frames" "$RANDOM" "$said" $((1000 * (1 + slow / 3))) >"$scratch/garbage"
	up_here
	check 'a tree' at "$a" hcctl tree find fabric t apply here epoch 5
	there "$a" "$here/hc_member" t 1 8 1000 50 0 1 2 3 >"$scratch/a"
	busywait 120 is_at 1 "$a" '.[0].trunks_ended' fabric show t || fault 'the trunk has not ended'
	equal 'what was said of it' '' "$(<"$scratch/garbage")"
	busywait 10 ended "$scratch/a" 4 || fault "members: $(<"$scratch/a")"
	log "$(json_at "$a" '[.[].drops | to_entries[]] | group_by(.key) | map({key: .[0].key, value: map(.value) | add}) | from_entries' link show t)"
	still_works
}

up_here() { busywait 10 is_at 0 "$a" '.[0].links_down' fabric show t || fault 'links are down'; }

# 40 MiB for a machine that does not read: 8 wait, the others are dropped, and a sum is told so
floods_are_bounded() {
	local sent
	alone_here 00X
	there "$a" "$here/hc_flood" t 40 >"$scratch/sent"
	busywait 30 test -s "$scratch/sent" || fault 'not all was read'
	sent=$(<"$scratch/sent")
	busywait 10 dropped_most "$sent" || fault "$(json_at "$a" '.[0].drops' node show t 0) of $sent"
	log "of $sent frames: $(json_at "$a" '.[0].drops' node show t 0)"
}

dropped_most() { (($(json_at "$a" '.[0].drops["queue-full"] // 0' node show t 0) > $1 - 300)); }

# Connections that are reset at random, under load: each operation is right or ends with a cause, and links come back.
# HC_RESETS: how many
trunks_are_reset() {
	local times=${HC_RESETS:-$(scaled 6)} epoch=1 tries=0
	machines 3 0XX 1XX
	: >"$scratch/ends"
	there "$a" hcctl trunk listen t 10.9.0.1 keep 2>"$scratch/heard"
	there "$a" "$here/hc_relay" 4000 10.9.0.1 26723 "$times" 1500 "$RANDOM" >"$scratch/relay"
	there "$b" hcctl trunk connect t 2 10.9.0.1:4000 keep 2>"$scratch/said"
	while (($(grep -c . "$scratch/relay") < times && ++tries < 40 + 10 * times)); do
		sums_until_reset $((epoch += 2))
	done
	equal 'resets' "$times" "$(grep -c . "$scratch/relay")"
	log "$times resets, $(json_at "$a" '.[0].trunks_ended' fabric show t) trunks; $(ways "$scratch/ends")"
	! grep 'wrong' "$scratch/ends" || fault 'a sum is wrong'
	up_again
	trees $((epoch + 2))
	members 50 100
	equal 'trunks' 1 "$(json_at "$b" length trunk show t)"
}

# sums_until_reset EPOCH: unless a machine is not reached while it plans, and so gets a plan without the other one
sums_until_reset() {
	local here_pid
	busywait 10 is_at 0 "$a" '.[0].links_down' fabric show t
	at "$a" hcctl tree find fabric t apply epoch "$1" >"$scratch/tree" 2>&1 || return
	is_at 8 "$a" '.[0].members | length' plan show t && is_at 8 "$b" '.[0].members | length' plan show t || return
	there "$a" "$here/hc_member" t 1 8 3000 100 0 1 2 3 >>"$scratch/ends"
	here_pid=$pid
	there "$b" "$here/hc_member" t 1 8 3000 100 4 5 6 7 >>"$scratch/ends"
	busywait 30 over "$here_pid" && busywait 30 over "$pid" && return
	fault "members wait for ever: $(for ns in "$a" "$b"; do echo "$ns"; at "$ns" hcctl op show t; at "$ns" hcctl plan show t; at "$ns" hcctl trunk show t; done)"
}

over() { ! kill -0 "$1"; }
# ways FILE: in which members have ended, and how often
ways() { sed 's/.*round [0-9]*: \([^:]*\).*/\1/' "$1" | sort | uniq -c | tr -s ' \n' ' '; }

# All is as always, but later: loss and order are the transport's business.
wires_are_bad() {
	local ns
	machines 3 0XX 1XX
	for ns in "$a" "$b"; do
		at "$ns" tc qdisc add dev "w$$" root netem delay 50ms 10ms loss 2% reorder 25% 2>/dev/null ||
			{ skip 'this kernel has no netem'; return; }
		check 'MTU' at "$ns" ip link set "w$$" mtu 576
	done
	joined
	check 'a tree' at "$a" hcctl tree find fabric t apply
	check 'a doubling' at "$b" hcctl doubling plan fabric t apply plan 2
	members 1 3000
	both exchange 2 1 1000
	at "$a" ip addr add 10.77.0.1/24 dev tn0
	at "$a" ip link set tn0 up
	at "$b" ip addr add 10.77.0.8/24 dev tn7
	at "$b" ip link set tn7 up
	check 'ping' at "$b" ping -c 2 -i 0.2 -W 5 -s 5000 -I tn7 10.77.0.1
	equal 'trunks that have ended' 0 "$(json_at "$a" '.[0].trunks_ended' fabric show t)"
	log "$(at "$a" tc -s qdisc show dev "w$$" | grep -o 'dropped [0-9]*')"
}

# With frames under way: a trunk, a fabric, a namespace and the wire go, at any moment.
everything_may_go() {
	local i
	for ((i = 0; i < 3; i++)); do
		machines 3 0XX 1XX
		if ((i % 3 == 1)); then wired; else joined; fi
		at "$a" hcctl tree find fabric t apply epoch 5 >"$scratch/said"
		there "$a" "$here/hc_member" t 1 8 1000000 5000 0 1 2 3 >"$scratch/a"
		there "$b" "$here/hc_member" t 1 8 1000000 5000 4 5 6 7 >"$scratch/b"
		sleep "0.$((RANDOM % 5))"
		case $((i % 3)) in
		0) check 'del' at "$a" hcctl fabric del t ;;
		1) stop "$wire" ;;
		2) check 'trunk' at "$b" hcctl trunk del t 1 ;;
		esac
		tidy_up
	done
}

# Signs of life come as often as the less patient end wants them, from the beginning.
one_end_is_less_patient() {
	machines 3 0XX 1XX
	there "$a" hcctl trunk listen t 10.9.0.1 keepalive 60s
	check 'a trunk' busywait 5 at "$b" hcctl trunk connect t 2 10.9.0.1 keepalive "${slow}s"
	up_again
	sleep $((2 * slow))
	equal 'trunks that have ended' 0 "$(json_at "$b" '.[0].trunks_ended' fabric show t)"
}

# A namespace ends with the trunks in it, though their sockets hold it at first. Its end of a wire goes with it.
namespaces_end() {
	machines 3 0XX 1XX && joined keepalive "$((200 * slow))ms"
	check 'a wire' ip link add "x$$" type veth peer name "y$$" netns "$a"
	sleep 0.5
	check 'the one' ip netns del "$a"
	busywait 20 gone "x$$" || fault 'the namespace is still there'
	busywait 10 is_at 4 "$b" '.[0].links_down' fabric show t || fault 'links are up'
}

gone() { [[ ! -e /sys/class/net/$1 ]]; }

they_are_experimental() {
	parameter trunks N
	namespace a || return
	check 'a part' at "$a" hcctl fabric add t dim 3 nodes 0XX
	refused 'without the parameter' 'parameter "trunks"' at "$a" hcctl trunk add t 2 fd 0
	parameter trunks Y
	refused 'with it' 'none of a socket' at "$a" hcctl trunk add t 2 fd 0
	unprivileged Y
	as_user 4321 'hcctl fabric add t dim 3 nodes 0XX && hcctl trunk add t 2 fd 0' >"$scratch/said" 2>&1
	grep -q 'initial user namespace' "$scratch/said" || fault "to a user: $(<"$scratch/said")"
}

# A socket that came from elsewhere would outlive its namespace.
sockets_are_of_the_namespace() {
	machines 3 0XX 1XX
	there "$b" "$here/hc_flow" sink 5001 >"$scratch/sink"
	sleep 0.3
	refused 'of another namespace' 'another network namespace' at "$a" bash -c "
		exec 3<>/dev/tcp/10.9.0.2/5001 &&
		exec nsenter --net=/run/netns/$b hcctl trunk add t 2 fd 3"
}

# Neither is of a network. They keep a namespace until the trunk ends, if only at the other end.
streams_join_namespaces() {
	local where
	for where in "unix:$scratch/wire" vsock:1; do
		machines 3 0XX 1XX
		[[ $where != vsock* ]] || modprobe -q vsock_loopback || { log 'no AF_VSOCK'; return; }
		there "$a" hcctl trunk listen t "$where"
		busywait 5 at "$b" hcctl trunk connect t 2 "$where" || { fault "no trunk by $where"; return; }
		up_again
		log "$where: $(json_at "$a" '.[0].peer' trunk show t)"
		check 'a tree' at "$a" hcctl tree find fabric t apply
		there "$a" "$here/hc_member" t 1 8 5 20000 0 1 2 3 >"$scratch/a"
		equal 'sums' right "$(at "$b" "$here/hc_member" t 1 8 5 20000 4 5 6 7)"
		busywait 10 grep -q right "$scratch/a" || fault "sums: $(<"$scratch/a")"
		check 'a wire' ip link add "x$$" type veth peer name "y$$" netns "$b"
		check 'the one' ip netns del "$b"
		check 'the other' at "$a" hcctl fabric del t
		busywait 20 gone "x$$" || fault 'the namespace is still there'
	done
}

addresses_make_sense() {
	local where
	machines 3 0XX 1XX
	for where in vsock:x vsock:1: vsock:1:x vsock:4294967296 vsock:1:4294967295; do
		refused "$where" 'CID or CID:PORT' at "$b" hcctl trunk connect t 2 "$where"
	done
	refused 'a path' 'it is too long' at "$b" hcctl trunk connect t 2 "unix:/$(printf '%0108d' 0)"
	refused 'nobody' 'cannot connect to unix:' at "$b" hcctl trunk connect t 2 "unix:$scratch/nobody"
}

# Who keeps the socket could read from it, listen with it, or hold its lock.
descriptors_are_given_up() {
	machines 3 0XX 1XX
	there "$a" hcctl -j monitor fabric t >"$scratch/events"
	there "$b" "$here/hc_flow" sink 5001 >"$scratch/sink"
	sleep 0.5
	there "$a" bash -c "exec 3<>/dev/tcp/10.9.0.2/5001 &&
		hcctl trunk add t 2 fd 3 keepalive $((2 * slow))s && exec sleep 100"
	busywait 5 is_at 1 "$a" length trunk show t || fault 'there is no trunk'
	sleep 0.3
	equal 'nothing is said' 0 "$(json_at "$a" '.[0].tx_bytes' trunk show t)"
	busywait 10 grep -q "keeps the socket's descriptor" "$scratch/events" || fault "it goes on: $(<"$scratch/events")"
	equal 'how many have ended' 1 "$(json_at "$a" '.[0].trunks_ended' fabric show t)"
}

run_tests they_are_experimental sockets_are_of_the_namespace streams_join_namespaces addresses_make_sense descriptors_are_given_up links_come_up \
	faults_are_known_there ip_goes_across collectives_go_across all_kinds_go_across runs_follow_each_other \
	tasks_go_across tasks_go_to_a_machine_that_is_back tasks_of_another_life_are_in_doubt \
	copies_out_of_sight_are_in_doubt plans_that_differ_do_not_mix operations_end_with_the_cause trunks_break \
	disagreements_are_refused noise_is_refused frames_are_checked floods_are_bounded trunks_are_reset wires_are_bad \
	everything_may_go namespaces_end one_end_is_less_patient
