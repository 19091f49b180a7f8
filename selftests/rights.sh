#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Commands that run as another user are expanded in that user's shell:
# shellcheck disable=SC2016
#
# Rights: one test for each row of the table of capabilities in hypercube(7).
#
# Scheduling: shared long

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

owner=1201 somebody=1202 not_permitted='not permitted|permission denied|no permission|needs CAP_NET_ADMIN'

# shared_scratch: lets other users write to $scratch, and makes the FIFO "go" for which they wait
shared_scratch() {
	chmod 777 "$scratch"
	rm -f "$scratch/go"
	mkfifo -m 666 "$scratch/go"
}

# in_namespace PATTERN COMMANDS: runs COMMANDS as root of a user namespace, and checks that the
# output matches PATTERN; after commands that succeed, "done" is printed
in_namespace() {
	local said
	said=$(as_user "$owner" "$2" 2>&1)
	grep -qiE -- "$1" <<<"$said" || fault "in a user namespace: \"$said\", not \"$1\""
}

# nobody_else COMMAND..: checks that COMMAND is refused to other users in the fabric's namespace,
# even to the owner of all its nodes
nobody_else() {
	refused 'by somebody' "$not_permitted" as "$somebody" "$@"
	refused 'by the owner of the nodes' "$not_permitted" as "$owner" "$@"
}

# a_fabric: makes fabric t, of dimension 2 with a tree; all its nodes have $owner as their owner
a_fabric() {
	local node
	check 'add' hcctl fabric add t dim 2
	check 'a plan' hcctl tree find fabric t apply
	for node in 0 1 2 3; do
		check 'an owner' hcctl node set t $node owner "$owner"
	done
}

test_adding_and_removing_fabrics_needs_cap_net_admin() {
	a_fabric
	nobody_else hcctl fabric add u dim 1
	nobody_else hcctl fabric del t
	unprivileged N
	in_namespace 'unprivileged' 'hcctl fabric add t dim 1 && echo done'
	unprivileged Y
	in_namespace '^done$' 'hcctl fabric add t dim 1 && hcctl fabric del t && echo done'
	nobody_else hcctl fabric add u dim 1
	check 'by the administrator' hcctl fabric del t
}

# Commands that change the configuration of fabric t, which only the administrator may do
configuration=('fabric set t stall-timeout 5s' 'link set t 0:0 down' 'link set t 0:0 up' 'link set t 0:1 loss 1'
	'link set t 0:1 loss 0 delay 1us' 'node set t 3 fail' 'node set t 3 ok' 'node set t 1 owner 0' 'fault clear t'
	'detect t timeout 100' 'tree find fabric t apply' 'bcast plan fabric t source 1 apply plan 2'
	'doubling plan fabric t apply plan 3' 'tree del t plan 2' 'route show t 0 3')

test_configuring_a_fabric_needs_cap_net_admin() {
	local command
	a_fabric
	for command in "${configuration[@]}"; do
		# shellcheck disable=SC2086
		nobody_else hcctl $command
		# shellcheck disable=SC2086
		check 'by the administrator' hcctl $command
	done
	unprivileged Y
	in_namespace '^done$' "hcctl fabric add t dim 2
		$(printf 'hcctl %s >/dev/null || exit\n' "${configuration[@]}")
		echo done"
}

# The user to whom the plan was granted may install its next epoch; others may not.
test_next_epoch_is_installed_only_by_user_with_the_grant() {
	a_fabric
	check 'a guarded plan' hcctl tree find fabric t sink 0 apply plan 2 guard 20s
	check 'down' hcctl link set t 0:0 down
	check 'broken' busywait 5 broken 2
	nobody_else hcctl plan set t 2 guard-uid "$owner"
	nobody_else hcctl guard t plan 2 once
	check 'give' hcctl plan set t 2 guard-uid "$owner"
	refused 'by somebody' "$not_permitted" as "$somebody" hcctl guard t plan 2 once
	check 'by whom it was given to' as "$owner" hcctl guard t plan 2 once
	! broken 2 || fault 'it is still broken'
	check 'by the administrator' hcctl plan del t 2
	unprivileged Y
	in_namespace '^done$' 'hcctl fabric add t dim 2 && hcctl tree find fabric t apply guard 9s >/dev/null &&
		hcctl plan set t 1 guard-uid 0 && hcctl plan show t 1 | grep -q "guard-uid 0" &&
		! hcctl plan set t 1 guard-uid 1 2>/dev/null && echo done'
}
broken() { json_is true '.[0].broken' plan show t "$1"; }

# Commands that make two processes in one user namespace, each in a network namespace of its own
two_namespaces='
	hcctl fabric add t dim 1 || exit
	unshare -n sleep 60 &
	while [ "$(readlink /proc/$!/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do :; done'

test_moving_an_endpoint_needs_cap_net_admin_in_both_netns() {
	local there
	a_fabric
	namespace there || return
	nobody_else hcctl node set t 1 netns $$
	check 'by the administrator' hcctl node set t 1 netns "$there"
	unprivileged Y
	in_namespace '^done$' "$two_namespaces
		hcctl node set t 1 netns \$! && echo done
		kill \$!"
	in_namespace 'CAP_NET_ADMIN there' "hcctl fabric add t dim 1; hcctl node set t 1 netns $$"
}

test_only_owner_and_administrator_can_bind_a_node() {
	local there
	a_fabric
	check 'node 2 is of another one' hcctl node set t 2 owner 0
	check 'the owner' as "$owner" "$here/hc_load" bind t 1
	refused 'somebody' "$not_permitted" as "$somebody" "$here/hc_load" bind t 1
	refused 'a node of another one' "$not_permitted" as "$owner" "$here/hc_load" bind t 2
	check 'the administrator' "$here/hc_load" bind t 2
	unprivileged Y
	in_namespace '^bound$' "hcctl fabric add t dim 1; '$here/hc_load' bind t 1"
	shared_scratch
	# The administrator moves an endpoint into a container; this does not need the parameter
	# "unprivileged".
	unprivileged N
	as "$owner" unshare -Urn sh -c "echo \$\$ >$scratch/pid; cat $scratch/go; '$here/hc_load' bind t 1" >"$scratch/bound" &
	check 'the container begins' busywait 10 test -s "$scratch/pid"
	check 'lend' hcctl node set t 1 netns "$(<"$scratch/pid")"
	echo >"$scratch/go"
	wait $!
	equal 'in the container' bound "$(sed '/^$/d' "$scratch/bound")"
}

# A socket that was bound before may be used, but no other one is bound with its rights.
test_no_sibling_is_bound_after_unprivileged_is_off() {
	unprivileged Y
	shared_scratch
	as "$owner" unshare -Urn sh -c "hcctl fabric add t dim 1 &&
		'$here/hc_load' sibling t 1 1 <$scratch/go" >"$scratch/bound" &
	exec 7>"$scratch/go"
	check 'the first one' busywait 10 grep -q bound "$scratch/bound"
	unprivileged N
	echo >&7
	exec 7>&-
	wait $!
	equal 'refused' 'bound Operation not permitted' "$(tr '\n' ' ' <"$scratch/bound" | sed 's/ *$//')"
}

# The right to contribute is checked for the process that binds the socket. Any process may use the
# socket afterwards.
test_right_to_contribute_is_checked_when_socket_is_bound() {
	a_fabric
	check 'members' as "$owner" "$here/hc_load" once t 1
	refused 'somebody' "^0 members" as "$somebody" "$here/hc_load" once t 1
	check 'with the sockets of another one' "$here/hc_load" once t 1 "$somebody"
}

test_any_user_of_the_namespace_can_read_state_and_events() {
	local command
	a_fabric
	for command in 'fabric show t' 'node show t' 'link show t' 'fault show t' 'op show t' 'stats t' 'tree show t'; do
		# shellcheck disable=SC2086
		check 'somebody looks' as "$somebody" hcctl $command
	done
	background setpriv --reuid "$somebody" --regid "$somebody" --clear-groups \
		hcctl -j monitor >"$scratch/events" 2>&1
	check 'somebody hears of events' busywait 10 event_comes
	refused 'in another namespace' 'no such fabric' unshare -n hcctl fabric show t
}

event_comes() {
	hcctl link set t 0:0 down
	hcctl link set t 0:0 up
	[[ -s $scratch/events ]]
}

# with_capability NAME COMMAND..: runs COMMAND as an ordinary user with only this capability
with_capability() {
	setpriv --reuid "$somebody" --regid "$somebody" --clear-groups \
		--inh-caps "+$1" --ambient-caps "+$1" "${@:2}"
}

# captured PROGRAM..: does PROGRAM, which starts tcpdump as some user, capture a frame of a
# reduction?
captured() {
	local seen
	"$@" timeout $((30 * slow)) tcpdump -i tmon -n -c 1 >"$scratch/captured" 2>"$scratch/tcpdump" &
	seen=$!
	busywait 10 listening_or_ended || { wait $seen; return 1; }
	for _ in {1..20}; do
		if reduced_until_seen || ! kill -0 "$seen"; then break; fi
		nap 0.2
	done
	kill $seen 2>/dev/null
	wait $seen
	[[ -s $scratch/captured ]]
} 2>/dev/null

listening_or_ended() { grep -q listening "$scratch/tcpdump" || ! kill -0 "$seen"; }

reduced_until_seen() {
	hcctl run reduce t op sum type u8 count 1
	[[ -s $scratch/captured ]]
}

test_capturing_on_links_needs_cap_net_raw() {
	command -v tcpdump >/dev/null || { skip 'no tcpdump'; return; }
	a_fabric
	nobody_else ip link set tmon up
	refused 'raising it with CAP_NET_RAW' "$not_permitted" with_capability net_raw ip link set tmon up
	check 'raising it with CAP_NET_ADMIN' with_capability net_admin ip link set tmon up
	captured with_capability net_raw || fault "nothing captured with CAP_NET_RAW: $(<"$scratch/tcpdump")"
	if captured as "$owner"; then fault 'captured without any capability'; fi
	check 'down' ip link set tmon down
	if captured env; then fault 'captured while it is down'; fi
	unprivileged Y
	in_namespace '^done$' 'hcctl fabric add t dim 1 && ip link set tmon up && echo done'
}

# ethernet DESTINATION SOURCE TYPE BYTES: prints an Ethernet frame in hexadecimal digits
ethernet() {
	local digits="$*"
	digits=${digits//[: ]/}
	for (( ; ${#digits}; )); do
		printf '%b' "\\x${digits:0:2}"
		digits=${digits:2}
	done
}
mac() { cat "/sys/class/net/$1/address"; }

# end_frame: prints, in hexadecimal digits, a frame with an END of all operations of plan 1, as node
# 1 would send it to its neighbour 0
end_frame() {
	printf '01050000 %08x 0001 0000 00000001 00000001 00000001 %048x' "$(json '.[0].id' fabric show t)" 0
	printf '0000000c 00000000 %080x 00000005 0001 ffff 00000003' 0
}

# Nodes must not accept frames that a user sends as frames of a neighbour, whichever interface the
# user sends them to.
test_frames_forged_by_a_user_are_not_accepted() {
	a_fabric
	check 'up' ip link set tmon up
	check 'up' ip link set tn1 up
	check 'up' ip link set tn0 up
	ethernet "$(mac tn0)" "$(mac tn1)" 88b5 01000000 00000000 "$(end_frame)" >"$scratch/frame"
	refused 'by the owner of the nodes' "$not_permitted" as "$owner" "$here/hc_load" raw tn1 <"$scratch/frame"
	check 'on an endpoint' "$here/hc_load" raw tn1 <"$scratch/frame"
	check 'on the monitor' "$here/hc_load" raw tmon <"$scratch/frame"
	equal 'the plan' false "$(json '.[0].broken' tree show t)"
	check 'it works' hcctl run reduce t op sum type u8 count 1 verify
	equal 'on its first operation' 0 "$(json '[.[].drops | to_entries[] | .value] | add // 0' link show t)"
}

test_setting_up_an_endpoint_needs_cap_net_admin() {
	a_fabric
	nobody_else ip link set tn1 up
	check 'by the administrator' ip link set tn1 up
	unprivileged Y
	in_namespace '^done$' 'hcctl fabric add t dim 1 && ip link set tn1 up && echo done'
}

test_tracing_is_refused_to_all_but_the_administrator() {
	[[ -d /sys/kernel/tracing/events/hypercube ]] || { skip 'no tracepoints'; return; }
	one_processor
	a_fabric
	nobody_else hcctl trace t -o "$scratch/t.json" duration 1ms
	nobody_else cat /sys/kernel/tracing/trace
	check 'by the administrator' hcctl trace t -o "$scratch/t.json" duration 1ms
	unprivileged Y
	in_namespace 'permission' "hcctl fabric add t dim 1; hcctl trace t -o $scratch/t.json duration 1ms"
}

test_only_administrator_can_write_module_parameters() {
	local name
	for name in "$parameters"/*; do
		check 'anybody reads it' as "$somebody" cat "$name"
		refused 'somebody writes it' "$not_permitted" as "$somebody" sh -c "echo 1 >$name"
		in_namespace "$not_permitted" "echo 1 >$name"
	done
	check 'by the administrator' test -w "$parameters/unprivileged"
}

test_only_administrator_can_use_netns_each() {
	unprivileged Y
	refused 'by somebody' "$not_permitted" as "$somebody" hcctl fabric add t dim 1 netns-each "hc$$e"
	in_namespace 'ermission|not permitted|cannot' "hcctl fabric add t dim 1 netns-each hc$$e"
	equal 'namespaces' '' "$(ip netns list | grep "hc$$e")"
	check 'by the administrator' hcctl fabric add t dim 1 netns-each "hc$$e"
	check 'and gone' hcctl fabric del t
}

alone=(test_tracing_is_refused_to_all_but_the_administrator)
run_tests
