#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Saved state: "hcctl fabric restore" makes the same fabric from what "hcctl fabric save" has
# written, and a second restore finds nothing to do. Differences are printed and repaired, an
# invalid file changes nothing, and a failure leaves no incomplete fabric. Faults can be written to
# a file and read again.
#
# Scheduling: shared second

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

# state FILE: saves the fabric to $scratch/FILE, and messages to FILE.err
state() { hcctl fabric save t >"$scratch/$1" 2>"$scratch/$1.err"; }

# restored FILE: checks that the fabric has the state of FILE: a restore and a dry run find no
# difference
restored() {
	equal 'changes of a second restore' '[]' "$(json .changes fabric restore "$1")"
	equal 'its text' 'fabric t: nothing to do' "$(hcctl fabric restore "$1")"
	equal 'differences' '[]' "$(json .changes fabric restore "$1" dry-run)"
}

# busy_fabric: makes a fabric with every kind of state
busy_fabric() {
	check 'add' hcctl fabric add t dim 4 id 77 segment 1024
	check 'stall-timeout' hcctl fabric set t stall-timeout 3s
	check 'down' hcctl link set t 3:0,0:2 down
	check 'impairments' hcctl link set t 5:1 loss 3% delay 5ms jitter 1ms seed 7
	check 'one way' hcctl link set t 6:3 rate 100mbit one-way
	check 'the other way' hcctl link set t 14:3 corrupt 0.5% model-latency 7us one-way
	check 'a model' hcctl link set t 12:0 model-bandwidth 40gbit
	check 'a seed of no use' hcctl link set t 10:0 delay 1ms seed 9
	check 'failed' hcctl node set t 15 fail
	check 'owner' hcctl node set t 2 owner 1000
	check 'a liar' hcctl node set t 9 byzantine 5% seed 3
	check 'another' hcctl node set t 10 byzantine-at 1,5,6 seed 4
}

test_restore_makes_fabric_and_plans_exactly_as_saved() {
	busy_fabric
	check 'a tree' hcctl tree find fabric t apply
	check 'a broadcast' hcctl bcast plan fabric t source 1 apply
	check 'a doubling' hcctl doubling plan fabric t subcube 01XX apply
	check 'rings' hcctl ring plan fabric t apply
	check 'save' state one
	equal 'complaints of save' '' "$(<"$scratch/one.err")"
	equal 'plans' 4 "$(jq '.plans | length' "$scratch/one")"
	hcctl -j plan show t | jq 'map(del(.epoch))' >"$scratch/plans"
	check 'del' hcctl fabric del t
	check 'restore' hcctl fabric restore "$scratch/one"
	check 'save again' state two
	check 'the same state' cmp "$scratch/one" "$scratch/two"
	check 'the very same plans' cmp "$scratch/plans" <(hcctl -j plan show t | jq 'map(del(.epoch))')
	restored "$scratch/one"
	check 'no more lies' hcctl node set t 9 byzantine 0
	check 'nor from the other' hcctl node set t 10 byzantine 0
	check 'a reduction' hcctl run reduce t plan 1 verify
	check 'a broadcast' hcctl run bcast t plan 2 verify
	check 'a restore under another name' hcctl fabric restore "$scratch/one" u
	equal 'its nodes' 1 "$(json '.[0].nodes_failed' fabric show u)"
	equal 'its plans' 4 "$(json length plan show u)"
}

test_restore_prints_and_repairs_differences_from_file() {
	check 'add' hcctl fabric add t dim 3
	check 'down' hcctl link set t 3:0 down
	check 'loss' hcctl link set t 2:2 loss 5% seed 1
	check 'a tree' hcctl tree find fabric t apply plan 4
	check 'save' state one
	check 'up' hcctl link set t 3:0 up
	check 'another down' hcctl link set t 1:1 down
	check 'more loss' hcctl link set t 2:2 loss 6%
	check 'failed' hcctl node set t 7 fail
	check 'lies' hcctl node set t 5 byzantine-at 2,4 seed 9
	check 'another plan' hcctl bcast plan fabric t source 1 apply plan 9
	check 'the same id' hcctl tree find fabric t apply plan 4
	cp "$scratch/one" "$scratch/file"
	hcctl fabric restore "$scratch/file" dry-run >"$scratch/dry"
	check 'nothing was done' test "$(json '.[0].nodes_failed' fabric show t)" = 1
	hcctl fabric restore "$scratch/file" >"$scratch/said" || fault 'restore failed'
	check 'a look says what is done' cmp "$scratch/dry" "$scratch/said"
	diff - <(grep -v '^[-+] plan 4' "$scratch/said") <<-'END' || fault 'the differences are others'
		- plan 9 bcast source 1
		- node 5 byzantine-at 2,4 seed 9
		- link 1:1 down
		+ link 2:0 down
		- link 2:2 loss 6%
		+ link 2:2 loss 5%
		- node 7 failed
	END
	restored "$scratch/file"
	check 'the same state' state two
	check 'as it was' cmp "$scratch/one" "$scratch/two"
}

test_restore_recreates_endpoint_namespaces_and_addresses() {
	check 'add' hcctl fabric add t dim 2 netns-each "fs$$x" address 10.20.0.0/24
	check 'another address' ip -n "fs$$x2" address add fd00:1::2/64 dev tn2
	check 'save' state one
	equal 'where node 3 is' "[3,\"fs$$x3\",true,[\"10.20.0.4/24\"],[\"addresses\",\"netns\",\"node\",\"up\"]]" \
		"$(jq -c '.nodes[] | select(.node == 3) | [.node, .netns, .up, .addresses, keys]' "$scratch/one")"
	check 'del' hcctl fabric del t
	[[ ! -e /var/run/netns/fs$$x3 ]] || fault 'the namespace is still there'
	check 'restore' hcctl fabric restore "$scratch/one"
	restored "$scratch/one"
	check 'ping' ip netns exec "fs$$x0" ping -c 1 -W $((5 * slow)) 10.20.0.4
	check 'an address goes' ip -n "fs$$x1" address del 10.20.0.2/24 dev tn1
	check 'another comes' ip -n "fs$$x1" address add 10.20.0.99/24 dev tn1
	check 'down' ip -n "fs$$x2" link set tn2 down
	hcctl fabric restore "$scratch/one" >"$scratch/said" || fault 'restore failed'
	diff - "$scratch/said" <<-'END' || fault 'the differences are others'
		- node 1 address 10.20.0.99/24
		+ node 2 up
		+ node 1 address 10.20.0.2/24
		+ node 2 address fd00:1::2/64
	END
	restored "$scratch/one"
	check 'del' hcctl fabric del t
	[[ ! -e /var/run/netns/fs$$x3 ]] || fault 'a namespace that restore made has not gone with the fabric'
}

# Properties of an endpoint other than addresses are saved, or "save" prints that they are not.
test_save_keeps_endpoint_properties_or_prints_warning() {
	check 'add' hcctl fabric add t dim 2 netns-each "fs$$v" address 10.23.0.0/24
	check 'MTU' ip -n "fs$$v1" link set tn1 mtu 9000 txqueuelen 77
	check 'save' state one
	equal 'complaints of save' '' "$(<"$scratch/one.err")"
	equal 'what is saved' '[9000,77]' "$(jq -c '.nodes[] | select(.node == 1) | [.mtu, .txqueuelen]' "$scratch/one")"
	equal 'but not what is as in a new one' 1 "$(jq '[.nodes[] | select(.mtu)] | length' "$scratch/one")"
	check 'del' hcctl fabric del t
	check 'restore' hcctl fabric restore "$scratch/one"
	equal 'as it was' '9000 77' \
		"$(ip netns exec "fs$$v1" cat /sys/class/net/tn1/mtu /sys/class/net/tn1/tx_queue_len | xargs)"
	restored "$scratch/one"
	check 'another MTU' ip -n "fs$$v1" link set tn1 mtu 1500
	check 'and elsewhere' ip -n "fs$$v2" link set tn2 mtu 2000 txqueuelen 1
	hcctl fabric restore "$scratch/one" >"$scratch/said" || fault 'restore failed'
	diff - "$scratch/said" <<-'END' || fault 'the differences are others'
		+ node 1 mtu 9000
		- node 2 mtu 2000
		- node 2 txqueuelen 1
	END
	restored "$scratch/one"
	check 'a peer' ip -n "fs$$v3" address add 10.9.0.1 peer 10.9.0.2/32 dev tn3
	check 'a label and a broadcast address' ip -n "fs$$v3" address add 10.8.0.1/24 broadcast + dev tn3 label tn3:x scope link
	check 'a lifetime' ip -n "fs$$v3" address add fd00:2::1/64 dev tn3 valid_lft 9999 preferred_lft 9999
	check 'down' ip -n "fs$$v0" link set tn0 down
	check 'a name' ip -n "fs$$v0" link set tn0 name other
	check 'save' state two
	diff - <(sort "$scratch/two.err") <<-'END' || fault 'the complaints of save are others'
		hcctl: warning: node 0: the name other of its endpoint: that is not saved
		hcctl: warning: node 3, address 10.8.0.1/24: broadcast address, scope, label: that is not saved
		hcctl: warning: node 3, address 10.9.0.1/32: peer: that is not saved
		hcctl: warning: node 3, address fd00:2::1/64: lifetime: that is not saved
	END
	hcctl fabric restore "$scratch/two" >"$scratch/said" 2>"$scratch/err" || fault 'restore failed'
	equal 'a restore does' 'fabric t: nothing to do' "$(<"$scratch/said")"
	equal 'and says what it cannot do' 4 "$(grep -c 'files do not have that, and it stays' "$scratch/err")"
	check 'del' hcctl fabric del t
}

# secondaries PROMOTE: removes the first address of a network from an endpoint. The kernel then
# removes the secondary addresses of this network as well, or, if PROMOTE is 1, makes one of them
# the first address.
secondaries() {
	check 'add' hcctl fabric add t dim 1 netns-each "fs$$w" address 10.21.0.0/24
	check 'secondaries' ip netns exec "fs$$w0" sysctl -qw "net.ipv4.conf.all.promote_secondaries=$1" \
		"net.ipv4.conf.tn0.promote_secondaries=$1"
	check 'the second address' ip -n "fs$$w0" address add 10.21.0.20/24 dev tn0
	check 'the third' ip -n "fs$$w0" address add 10.21.0.30/24 dev tn0
	check 'of another network' ip -n "fs$$w0" address add 10.22.0.20/24 dev tn0
	check 'save' state one
	jq '(.nodes[0].addresses) -= ["10.21.0.1/24", "10.21.0.30/24"]' "$scratch/one" >"$scratch/two"
	check 'restore' hcctl fabric restore "$scratch/two"
	equal 'addresses' '10.21.0.20/24 10.22.0.20/24' \
		"$(ip -n "fs$$w0" -4 -br address show dev tn0 | awk '{print $3, $4}' | xargs -n1 | sort | xargs)"
	restored "$scratch/two"
	check 'del' hcctl fabric del t
}

test_restore_removes_first_address_but_keeps_secondary_one() {
	secondaries 0
	secondaries 1
}

# wrong FILTER PATTERN: changes a valid file by this jq filter, and checks that "restore" refuses it
# with a message that matches PATTERN, and changes nothing
wrong() {
	jq "$1" "$scratch/one" >"$scratch/bad"
	refused "$1" "$2" hcctl fabric restore "$scratch/bad"
	equal 'fabrics' "$fabrics" "$(hcctl -j fabric show)"
}

test_restore_of_invalid_file_is_refused_and_changes_nothing() {
	local fabrics
	busy_fabric
	check 'a tree' hcctl tree find fabric t apply
	check 'save' state one
	check 'mend' hcctl fault clear t
	fabrics=$(hcctl -j fabric show)
	wrong '.dim = 5' 'dim 5 is wanted, but fabric t has 4'
	wrong '.id = 5' 'id 5 is wanted, but fabric t has 77'
	wrong '.segment = 512' 'segment 512 is wanted, but fabric t has 1024'
	wrong '.links[1].dim = 4' 'bad: links\[1\]: invalid dim "4": '
	wrong '.nodes[0].node = 16' 'bad: nodes\[0\]: invalid node "16": a number from 0 to 15'
	wrong '(.nodes[] | select(.node == 9)).byzantine_at = [4]' 'bad: nodes\[1\]: invalid byzantine_at '
	wrong '(.nodes[] | select(.node == 10)).byzantine_at = [4,4]' 'bad: nodes\[2\]: invalid byzantine_at '
	wrong '.plans[0].order = [9]' 'bad: plans\[0\]: order: invalid element \[0\] "9": a number from 0 to 3'
	wrong 'del(.plans[0].sink)' 'bad: plans\[0\]: missing key "sink"'
	wrong '.version = 2' 'invalid version "2"'
	equal 'links down' 0 "$(json '.[0].links_down' fabric show t)"
}

test_failed_restore_leaves_no_new_fabric_or_reports_steps_done() {
	busy_fabric
	check 'a tree' hcctl tree find fabric t apply
	check 'save' state one
	check 'del' hcctl fabric del t
	jq '.nodes += [{"node":1,"netns":"fs'$$'y","up":true}] | .plans[0].sink = 15' "$scratch/one" >"$scratch/bad"
	refused 'a plan that does not fit' 'nothing is left of the new fabric: plan 1: fabric t: ' \
		hcctl fabric restore "$scratch/bad"
	equal 'fabrics' '[]' "$(hcctl -j fabric show)"
	[[ ! -e /var/run/netns/fs$$y ]] || fault 'a namespace is left'
	check 'restore' hcctl fabric restore "$scratch/one"
	check 'up' hcctl link set t 3:0 up
	jq '.plans[0].sink = 15' "$scratch/one" >"$scratch/bad"
	refused 'the same, of what there is' '[0-9] of [0-9]+ steps are done, the others are not: plan 1: ' \
		hcctl fabric restore "$scratch/bad"
	hcctl fabric restore "$scratch/one" >/dev/null || fault 'it cannot be mended'
	jq '.plans[0].sink = 15' "$scratch/one" >"$scratch/bad"
	check 'up' hcctl link set t 3:0 up
	hcctl fabric restore "$scratch/bad" >"$scratch/said" 2>/dev/null && fault 'it was not refused'
	grep -qx '+ link 2:0 down' "$scratch/said" || fault "what is done: $(<"$scratch/said")"
	grep -q '^not done: + plan 1 tree sink 15' "$scratch/said" || fault "what is not: $(<"$scratch/said")"
}

test_restore_ended_by_signal_leaves_no_fabric_or_namespaces() {
	check 'add' hcctl fabric add t dim 5 netns-each "fs$$z"
	check 'save' state one
	check 'del' hcctl fabric del t
	hcctl fabric restore "$scratch/one" >/dev/null 2>"$scratch/err" &
	jobs+=($!)
	busywait 10 test -e "/var/run/netns/fs$$z1" || fault 'no namespace is made'
	check 'a signal' kill -TERM $!
	wait $! && fault 'it did not end'
	grep -q 'nothing is left of the new fabric: a signal came' "$scratch/err" || fault "it said $(<"$scratch/err")"
	equal 'fabrics' '[]' "$(hcctl -j fabric show)"
	equal 'namespaces' '' "$(find /var/run/netns -name "fs$$z*")"
}

# A signal may arrive at any time, even in the last step. If it ends the command, either nothing is
# left or the command has printed that it made the fabric.
test_late_signal_to_restore_leaves_no_unreported_fabric() {
	local pause status ended=0 dim=9
	[[ ! $brief ]] || dim=8
	printf '{"format":"hypercube-fabric","version":1,"name":"t","dim":%d}' $dim >"$scratch/one"
	for pause in 0.05 0.1 0.2 0.4 0.8 1.6; do
		(trap - TERM; exec hcctl fabric restore "$scratch/one") >"$scratch/said" 2>"$scratch/err" &
		jobs+=($!)
		sleep "$pause"
		kill -TERM $! 2>/dev/null
		wait $!
		status=$?
		((status)) && ended=$((ended + 1))
		if grep -q '^+ fabric' "$scratch/said"; then
			check 'del' hcctl fabric del t
		else
			equal "fabrics after $pause s and status $status" '[]' "$(hcctl -j fabric show)"
		fi
	done
	((ended)) || fault 'no signal came in time'
}

test_restore_sets_link_flap_schedules_as_saved() {
	check 'add' hcctl fabric add t dim 3
	check 'flap' hcctl link set t 1:1 flap 100ms/300s
	check 'another flap' hcctl link set t 2:0 flap 20ms/40ms
	check 'save' state one
	equal 'links' '[[1,1,100,300000],[2,0,20,40]]' \
		"$(jq -c '[.links[] | [.node, .dim, .flap_down_ms, .flap_period_ms]]' "$scratch/one")"
	check 'clear' hcctl fault clear t
	check 'another schedule' hcctl link set t 2:0 flap 30ms/60ms
	check 'one more' hcctl link set t 7:2 flap 30ms/60ms
	hcctl fabric restore "$scratch/one" >"$scratch/said" || fault 'restore failed'
	diff - "$scratch/said" <<-'END' || fault 'the differences are others'
		- link 2:0 flap 30ms/60ms
		- link 3:2 flap 30ms/60ms
		+ link 1:1 flap 100ms/300s
		+ link 2:0 flap 20ms/40ms
	END
	restored "$scratch/one"
}

test_save_omits_broken_plan_and_restore_installs_plan_again() {
	check 'add' hcctl fabric add t dim 3
	check 'a doubling' hcctl doubling plan fabric t apply
	check 'save' state one
	check 'down' hcctl link set t 0:0 down
	check 'save' state two
	equal 'plans' 0 "$(jq '.plans | length' "$scratch/two")"
	grep -q 'warning: plan 3 is left out: it is broken' "$scratch/two.err" || fault 'no warning'
	check 'restore' hcctl fabric restore "$scratch/one"
	json_is false '.[0].broken' plan show t || fault 'the plan is still broken'
	restored "$scratch/one"
}

test_restore_ignores_seed_of_link_without_random_impairment() {
	check 'add' hcctl fabric add t dim 4
	check 'delay' hcctl link set t 1:1 delay 1ms
	check 'save' state one
	jq '.links += [{"node":3,"dim":3,"delay_ns":1000,"seed":3}]' "$scratch/one" >"$scratch/two"
	check 'restore' hcctl fabric restore "$scratch/two"
	restored "$scratch/two"
}

test_fault_load_restores_faults_from_fault_show_output() {
	local elsewhere
	check 'add' hcctl fabric add t dim 4
	check 'random' hcctl fault random t links 4 nodes 2 seed 5
	hcctl -j fault show t >"$scratch/faults"
	check 'clear' hcctl fault clear t
	namespace elsewhere || return
	check 'an endpoint elsewhere' hcctl node set t 3 netns "$elsewhere"
	check 'loss stays' hcctl link set t 0:0 loss 1%
	check 'another' hcctl node set t 0 fail
	equal 'what is to be done' 7 "$(json '.changes | length' fault load t "$scratch/faults" dry-run)"
	check 'load' hcctl fault load t "$scratch/faults"
	check 'the same faults' cmp "$scratch/faults" <(hcctl -j fault show t)
	equal 'again' '[]' "$(json .changes fault load t "$scratch/faults")"
	equal 'loss' 10000 "$(json '.[0].loss_ppm' link show t 0:0)"
	check 'a link flaps' hcctl link set t 7:2 flap 20ms/40ms
	check 'load' hcctl fault load t "$scratch/faults"
	equal 'no link flaps' 0 "$(json '[.[] | select(.flap_period_ms > 0)] | length' link show t)"
	check 'the same faults' cmp "$scratch/faults" <(hcctl -j fault show t)
	printf 'link 1:1\nnode 16\n' >"$scratch/text"
	refused 'no such node' 'text: node 16 is not in a cube of dimension 4' hcctl fault load t "$scratch/text"
	check 'nothing was done' cmp "$scratch/faults" <(hcctl -j fault show t)
	printf 'link 1:1\n' >"$scratch/text"
	check 'text, without looking into namespaces' setpriv --bounding-set -sys_admin --inh-caps -sys_admin \
		hcctl fault load t "$scratch/text"
	equal 'faults' '[{"node":1,"dim":1,"state":["down"]}]' "$(json .links fault show t)"
}

run_tests
