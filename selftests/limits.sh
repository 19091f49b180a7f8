#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Commands that run as another user are expanded in that user's shell:
# shellcheck disable=SC2016
#
# Limits to the resources that a user may make the kernel hold: there is one limit for all
# namespaces of a user, memory is charged to the user's memory cgroup, and if the machine has too
# little memory there is a clear error.
#
# Scheduling: alone

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

test_user_cannot_exceed_max_fabrics() {
	parameter max_fabrics 3
	unprivileged Y
	refused 'the fourth fabric' 'max_fabrics' as_user 1101 \
		'for i in 1 2 3; do hcctl fabric add f$i dim 1 || exit 0; done; hcctl fabric add f4 dim 1'
	check 'one goes, another one comes' as_user 1102 \
		'for i in 1 2 3 4 5 6; do hcctl fabric add f$i dim 1 && hcctl fabric del f$i || exit 1; done'
	# The shell that made the three fabrics must go on, as they are removed with its namespace.
	refused 'a fourth in a namespace below' 'max_fabrics' as_user 1103 \
		'for i in 1 2 3; do hcctl fabric add f$i dim 1 || exit 0; done
		unshare -Urn hcctl fabric add f4 dim 1; exit $?'
	parameters_back
}

# A socket that stays open after its fabric is removed no longer counts for any user.
test_removed_fabric_with_open_socket_counts_for_no_user() {
	parameter max_fabrics 2
	unprivileged Y
	check 'one goes, another one comes' as_user 1108 \
		"trap 'kill \${pids[*]}' EXIT
		for i in 1 2 3 4 5; do hcctl fabric add f\$i dim 1 && hcctl tree find fabric f\$i apply >/dev/null || exit 1
			exec 5< <(exec $here/hc_load hold f\$i 1 0); pids+=(\$!); read -r -u 5 said
			[[ \$said == ready ]] && hcctl fabric del f\$i || exit 1; done"
	parameters_back
}

# Two namespaces that one user has made share a limit; namespaces of two users have a limit each.
test_namespaces_of_one_user_share_the_fabric_limit() {
	parameter max_fabrics 2
	unprivileged Y
	mkfifo -m 666 "$scratch/go" "$scratch/end"
	chmod 755 "$scratch"
	as_user 1010 "hcctl fabric add f1 dim 1 && hcctl fabric add f2 dim 1 && echo >$scratch/go
		cat $scratch/end" &
	read -r <"$scratch/go"
	refused 'a third fabric beside' 'max_fabrics' as_user 1010 'hcctl fabric add f3 dim 1'
	check 'one of somebody else' as_user 1011 'hcctl fabric add f3 dim 1'
	check 'one of the administrator' hcctl fabric add f3 dim 1
	check 'one in a container of his' unshare -Urn hcctl fabric add f3 dim 1
	echo >"$scratch/end"
	wait $!
	parameters_back
}

test_user_cannot_exceed_max_nodes() {
	parameter max_nodes 20
	unprivileged Y
	refused 'more nodes' 'max_nodes' as_user 1020 \
		'hcctl fabric add a dim 4 && hcctl fabric add b dim 2 && hcctl fabric add c dim 1'
	check 'another fabric, later' busywait 10 as_user 1020 'hcctl fabric add a dim 4'
	parameters_back
}

# rounds FABRIC: prints shell code that runs 100 rounds of operations of the fabric's two nodes and
# prints how many ms they take
rounds() {
	echo 'start=${EPOCHREALTIME/./}'
	echo "$here/hc_member $1 1 2 100 10 0 1 >&2"
	echo 'echo $(((${EPOCHREALTIME/./} - start) / 1000))'
}

# beside ALONE: broadcasts in a fabric of one user keep 256 nodes busy. Sets $his to the ms that the
# operations of rounds() take meanwhile in another fabric of that user, and $mine to the ms that
# they take in a fabric of another user; ALONE is the time that they take without broadcasts.
beside() {
	local flood
	as_user 1130 "taskset -p 1 \$\$ >/dev/null; hcctl fabric add t dim 8 && hcctl fabric add u dim 1 &&
		hcctl tree find fabric u apply >/dev/null && ip link set tn0 up || exit
		exec $here/hc_flow raw tn0 ff:ff:ff:ff:ff:ff 02:00:00:00:00:01 100000000 & flood=\$!
		sleep 0.5; ($(rounds u)) >$scratch/his; read -r <$scratch/over; kill \$flood" &
	flood=$!
	read -r his <"$scratch/his"
	mine=$(taskset 1 bash -c "$(rounds m)")
	echo >"$scratch/over"
	wait "$flood"
	log "100 rounds take $1 ms, beside 256 busy nodes of one user $his ms of his, $mine ms of another"
}

# In each round, a node of the busy user waits for all busy nodes of the same user; a node of
# another user waits for only one of them, as users take turns. If the scheduler lets the busy nodes
# finish before the flood sends more, the test proves nothing.
test_busy_nodes_of_one_user_hardly_delay_another_user() {
	local alone his mine busy=false tries=3
	unprivileged Y
	mkfifo -m 666 "$scratch/his" "$scratch/over"
	chmod 755 "$scratch"
	check 'a fabric' hcctl fabric add m dim 1
	check 'a plan' hcctl tree find fabric m apply
	alone=$(taskset 1 bash -c "$(rounds m)")
	while ((tries--)) && beside "$alone" && ((mine * 2 >= his)); do
		((his < 8 * alone)) || busy=true
	done
	if ((mine * 2 >= his)); then
		if $busy; then
			fault 'users do not take turns'
		else
			skip 'the nodes are never busy for long'
		fi
	fi
	parameters_back
}

plan() { echo "hcctl -j tree find fabric $1 apply plan $2 >/dev/null"; }

test_user_cannot_exceed_max_plans_or_plan_memory() {
	parameter max_plans 3
	unprivileged Y
	refused 'the fourth plan' 'max_plans' as_user 1104 "hcctl fabric add a dim 2 && hcctl fabric add b dim 2
		$(plan a 1); $(plan a 2); $(plan b 1); $(plan b 1); hcctl tree del b plan 1
		$(plan b 1) || exit 0; $(plan b 2)"
	parameter max_plans 100
	parameter plan_memory 6000
	refused 'the memory of plans' 'plan_memory' as_user 1105 "hcctl fabric add a dim 2
		for i in {1..9}; do $(plan a '$i') || exit 1; done"
	parameters_back
}

test_fabric_cannot_exceed_max_fabric_plans() {
	parameter max_fabric_plans 2
	check 'add' hcctl fabric add t dim 2
	check 'a plan' hcctl tree find fabric t apply plan 1
	check 'another' hcctl tree find fabric t apply plan 2
	refused 'a third' 'max_fabric_plans' hcctl tree find fabric t apply plan 3
	check 'in its place' hcctl tree find fabric t apply plan 2
	check 'one goes' hcctl tree del t plan 1
	check 'a third' hcctl tree find fabric t apply plan 3
	parameters_back
}

# An operation fails at a limit just as it does if the machine has no memory, and the next operation
# succeeds.
test_operation_beyond_poll_memory_fails() {
	unprivileged Y
	parameter poll_memory 100
	# The member that has no memory leaves, and another member may be the first to report that.
	refused 'an operation' 'memory|left' as_user 1106 \
		'hcctl fabric add t dim 3 && hcctl tree find fabric t apply >/dev/null && hcctl run barrier t'
	parameters_back
	unprivileged Y
	check 'an operation' as_user 1107 \
		'hcctl fabric add t dim 3 && hcctl tree find fabric t apply && hcctl run barrier t'
	parameters_back
}

# pending UID COLLECTIVE: as this user, runs 60 operations of COLLECTIVE that wait for their sink,
# and then completes them
pending() {
	as_user "$1" "hcctl fabric add t dim 6 && hcctl tree find fabric t apply >/dev/null &&
		$here/hc_load ends t 64 60 $2"
}

# Scatters also keep sets of members. So with a limit that is just sufficient for barriers, scatters
# fail.
test_member_sets_of_scatters_count_for_poll_memory() {
	local memory=1000000 uid=1110 said
	unprivileged Y
	parameter poll_memory $memory
	until pending $uid barrier >/dev/null; do
		((uid++ < 1130)) || { fault "no barrier with $memory bytes"; break; }
		parameter poll_memory $((memory = memory * 4 / 3))
	done
	log "barriers have enough with $memory bytes"
	# An attempt may fail as earlier contributions have not been processed yet on a busy
	# machine: try again.
	for uid in {1131..1140}; do
		said=$(pending "$uid" scatter 2>&1) && { fault 'scatters have enough, too'; break; }
		[[ $said == *'temporarily unavailable'* ]] || break
	done
	[[ $said == *memory* ]] || fault "scatters: $said"
	parameter poll_memory $((4 * memory))
	check 'scatters with more' pending 1150 scatter
	parameters_back
}

# Sockets are charged for contributions only; data that members compute from contributions is
# charged to the fabric. Without this charge these operations would hold 360, 240 and 140 MiB. A
# debug kernel needs more memory for each object, and frees it later.
test_data_computed_by_members_is_charged_to_the_fabric() {
	local uid=1160 most=60 what held
	[[ ! $debug ]] || most=100
	unprivileged Y
	parameter poll_memory 16777216
	for what in merge bcast allgather; do
		held=$(as_user $((uid++)) "$here/hc_hoard $what") || fault "$what: it does not run"
		log "$what: $held MiB"
		((held < most)) || fault "$what: $held MiB are charged to nobody"
	done
	parameters_back
}

# charged CGROUP: prints the kB charged to the cgroup
charged() { echo $(($(<"$1/memory.current") / 1024)); }

test_plan_memory_is_charged_to_cgroup_of_its_creator() {
	local group=/sys/fs/cgroup/hc-limits none plans i
	grep -q memory /sys/fs/cgroup/cgroup.controllers 2>/dev/null ||
		mount -t cgroup2 none /sys/fs/cgroup 2>/dev/null
	grep -q memory /sys/fs/cgroup/cgroup.controllers 2>/dev/null ||
		{ skip 'no memory cgroups'; return; }
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	mkdir "$group"
	check 'add' hcctl fabric add t dim 8
	none=$(charged "$group")
	for i in {1..20}; do
		(echo $BASHPID >"$group/cgroup.procs"; hcctl tree find fabric t apply plan "$i" >/dev/null)
	done
	plans=$(charged "$group")
	log "20 plans of dimension 8: $((plans - none)) kB charged"
	((plans - none >= 20 * 256)) || fault 'the memory of plans is not charged to who made them'
	check 'del' hcctl fabric del t
	busywait 5 rmdir "$group" || fault 'the group stays'
}

# The kernel's log has a complaint if the OOM killer runs, and then the test fails.
test_fabric_larger_than_free_memory_is_refused() {
	local free fill
	[[ ! $debug ]] || { skip 'endpoints are bigger on this kernel'; return; }
	mkdir "$scratch/fill"
	mount -t tmpfs -o size=100% none "$scratch/fill"
	free=$(awk '/MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)
	fill=$((free - 180))
	((fill <= 0)) || fallocate -l "${fill}M" "$scratch/fill/full"
	refused 'a fabric too big' 'needs about [0-9]* MiB' hcctl fabric add t dim 12
	equal 'fabrics' '[]' "$(hcctl -j fabric show)"
	check 'a small one' hcctl fabric add t dim 6
	umount "$scratch/fill"
}

# no_detours NODE: is each path from the node as short as the faults permit?
no_detours() { json_is 0 '[.[] | select(.hops != .optimum)] | length' route show t "$1"; }

# storm WHAT DIM COUNT MIB: runs a storm of COUNT events of the kind WHAT (hc_storm), and checks
# that the kernel's slabs grow by at most MIB; after flaps, also that nodes know that all links are
# up
storm() {
	local said part=() u
	[[ $1 == flaps ]] || part=(nodes "$(printf "0%*s" $(($2 - 1)) '' | tr ' ' X)")
	check 'add' hcctl fabric add t dim "$2" "${part[@]}"
	said=$("$here/hc_storm" "$1" t "$2" "$3")
	log "$3 $1, dimension $2: $said"
	if [[ ! $said =~ ^([0-9]+)\ ([0-9-]+)\ [0-9]+$ ]]; then
		fault "$1: '$said'"
	elif ((BASH_REMATCH[2] > $4 * 1024)); then
		fault "$1: ${BASH_REMATCH[1]} frames, slabs have grown by $((BASH_REMATCH[2] / 1024)) MiB, not $4"
	fi
	if [[ $1 == flaps ]]; then
		# Thousands of link-state changes are not acknowledged yet, so wait.
		for u in 0 77 255; do
			busywait 20 no_detours "$u" || fault "node $u does not know its ways"
		done
	fi
	check 'del' hcctl fabric del t
}

# Link-state frames, with which nodes notify each other, are charged to no socket, but bounded.
test_link_state_storm_from_trunk_takes_bounded_memory() {
	[[ ! $debug ]] || { skip 'frames are bigger on this kernel'; return; }
	parameter trunks Y
	storm words 8 256 12
	[[ $brief ]] || storm states 8 256 8
	[[ $brief ]] || storm trunks 8 10 8
	parameters_back
}

# Link-state frames are bounded, too, when links go down and up faster than polls can send
# notifications.
test_link_state_storm_of_flapping_links_takes_bounded_memory() {
	[[ ! $debug ]] || { skip 'frames are bigger on this kernel'; return; }
	storm flaps 8 50 16
	[[ $brief ]] || storm flaps 10 20 48
}

run_tests
