#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# selftests/machines/run runs this in each of several machines. The first machine sets up a fabric
# that spans all machines by "hcctl cluster", lets members on all machines run collectives, and
# kills the last machine while they do. The other machines execute the commands of the first one.
# Prints TAP.

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"

n=${HC_MACHINES:?} me=${HC_MACHINE:?} file=/tmp/cluster.json
export HCCTL_SSH=$here/machines/ask
dim=4 each=$((16 / n))
echo Y >/sys/module/hypercube/parameters/trunks

if ((me > 1)); then
	busybox nc -ll -p 2222 -e "$here/machines/answer" &
	until [[ -e /tmp/end ]]; do sleep 0.2; done
	kill %1
	exit
fi

ask() { "$HCCTL_SSH" "10.8.0.$1" "$2" </dev/null; }
# asked NUMBER COMMAND: runs COMMAND on machine NUMBER, which may be this one
# shellcheck disable=SC2317
asked() { if (($1 == 1)); then sh -c "$2"; else ask "$@"; fi; }

hosts() {
	local i
	printf '{ "host": "m1", "local": true, "address": "10.8.0.1" }'
	for ((i = 2; i <= n; i++)); do
		printf ',\n{ "host": "m%d", "ssh": "10.8.0.%d" }' $i $i
	done
}

cat >$file <<END
{ "format": "hypercube-cluster", "version": 1, "name": "t", "dim": $dim, "keepalive_ms": 8000,
  "hosts": [ $(hosts) ],
  "plans": [ { "plan": 1, "type": "tree" }, { "plan": 2, "type": "doubling" }, { "plan": 3, "type": "ring" },
	{ "plan": 4, "type": "bcast", "with": "source 0" } ] }
END

nodes_of() { seq -s ' ' $((($1 - 1) * each)) $(($1 * each - 1)); }

# members KIND PLAN ROUNDS COUNT: runs hc_member for the nodes of all machines; the output for
# machine N goes to /tmp/saidN
members() {
	local i asked=()
	for ((i = 2; i <= n; i++)); do
		ask "$i" "timeout 100 $here/hc_member -$1 t $2 16 $3 $4 $(nodes_of "$i")" >"/tmp/said$i" &
		asked+=($!)
	done
	# shellcheck disable=SC2046
	timeout 100 "$here/hc_member" "-$1" t "$2" 16 "$3" "$4" $(nodes_of 1) >/tmp/said1
	wait "${asked[@]}"
}

nr=0 failed=0
# result STATUS NAME: prints the result of a test, which has passed if STATUS is 0
result() {
	local bad=''
	(($1 == 0)) || { bad='not '; failed=1; }
	echo "${bad}ok $((++nr)) - $2"
}

all_right() {
	local i bad=0 watch
	(sleep 60; hcctl --all-hosts $file op show t | sed 's/^/# waits: /') &
	watch=$!
	members "$@"
	kill $watch
	wait
	for ((i = 1; i <= n; i++)); do
		[[ $(<"/tmp/said$i") == right ]] || { log "m$i: $(head -n1 "/tmp/said$i")"; bad=1; }
	done
	return $bad
}

echo 'TAP version 13'
for ((i = 2; i <= n; i++)); do
	busywait 120 ask "$i" true
	result $? "machine $i answers"
done
hcctl cluster up $file
result $? "$n machines come up from one file"
hcctl cluster check $file
result $? 'and are as it says'
hcctl cluster show $file | sed 's/^/# /'
all_right sums 1 20 1000
result $? 'allreduce and barrier over a tree'
all_right sums 2 20 3000
result $? 'allreduce over a doubling'
all_right bcast 4 10 10000
result $? 'broadcast'
all_right gather 3 5 1000
result $? 'allgather over rings'
all_right scatter 1 5 1000
result $? 'scatter'

# stand_still SECONDS: asks the host to stop this machine for this time, and waits until the
# machine's clock jumps. False if the clock does not jump.
stand_still() {
	local last=$SECONDS i
	echo "# all stand still for $1 s"
	for ((i = 0; i < 100; i++)); do
		sleep 0.1
		((SECONDS - last < $1)) || return 0
		last=$SECONDS
	done
	return 1
}

# The machines are stopped for longer than the keepalive time. But no peer was silent, as all
# machines were stopped at the same time, so no trunk may end.
stand_still 10
result $? 'machines stand still'
sleep 3
[[ $(hcctl -j fabric show t | jq '.[0].trunks_ended') == 0 ]]
result $? 'machines that have stood still are together'
all_right sums 1 3 1000
result $? 'and go on'

# shellcheck disable=SC2317
stands_still() { echo "# machine $n stands still for 12 s"; }
# shellcheck disable=SC2016,SC2317
loses_its_network() {
	ask "$n" 'i=$(ip -o -4 addr show to 10.8.0.0/24 | cut -d " " -f 2)
		(sleep 0.5; ip link set "$i" down; sleep 12; ip link set "$i" up) >/dev/null 2>&1 &'
}
# shellcheck disable=SC2317
dies() {
	ask "$n" 'echo b >/proc/sysrq-trigger' &
	killed=$!
}

# ends_by WHAT COMMAND..: runs sums on all machines; COMMAND does something to the last machine.
# Checks that the operation ends, with its cause.
ends_by() {
	: >/tmp/said1
	members sums 1 1000000 1000 &
	members=$!
	sleep 2
	"${@:2}"
	busywait 60 grep -q round /tmp/said1
	result $? "$1: the operation ends"
	log "$(head -n1 /tmp/said1)"
	grep -qE 'round [0-9]+: .*(link|fault|broken)' /tmp/said1 && ! grep -q wrong /tmp/said1
	result $? 'with its cause'
}

neighbour=$((n / 2))
# of_machine NUMBER WHAT: prints the JSON member WHAT of the fabric on that machine
of_machine() { asked "$1" 'hcctl -j fabric show t' | jq ".[0].$2"; }
# shellcheck disable=SC2317
together() {
	local i
	for ((i = 1; i <= n; i++)); do [[ $(of_machine "$i" links_down) == 0 ]] || return; done
}

# parted WHAT COMMAND..: COMMAND separates a machine for some time. Checks that an operation ends,
# and that everything works again afterwards, over new trunks.
parted() {
	local before
	before=$(of_machine "$neighbour" trunks_ended)
	ends_by "$@"
	wait "$members"
	busywait 60 together
	result $? 'links come up again'
	(($(of_machine "$neighbour" trunks_ended) > before))
	result $? 'with another trunk'
	hcctl cluster up $file
	result $? 'plans are made anew'
	all_right sums 1 3 1000
	result $? 'and it goes on'
}

# Both interruptions last longer than the keepalive time.
parted 'a machine stands still' stands_still
parted 'a machine loses its network' loses_its_network

# Operations over a guarded plan run meanwhile: they go on, and the results lack the nodes of the
# machine that dies.
hcctl tree find fabric t sink 0 apply plan 5 guard 60s >/dev/null
result $? 'a guarded plan is installed on all machines'
hcctl guard t plan 5 >/tmp/guard 2>&1 &
guarded=($!)
for ((i = 1; i <= n; i++)); do
	asked "$i" "timeout 200 $here/hc_member -sets t 5 16 100000000 1 $(nodes_of "$i")" >"/tmp/guarded$i" 2>&1 &
	guarded+=($!)
done
busywait 20 grep -q 'set 0xffff' /tmp/guarded1
result $? 'operations over it have all nodes'
ends_by 'a machine dies' dies
kill "$killed" 2>/dev/null
busywait 60 grep -qx "set $(printf '%#x' $(((1 << 16 - each) - 1)))" /tmp/guarded1
result $? 'operations over the guarded plan go on without its nodes'
sed 's/^/# /' /tmp/guard
((n == 2)) || sleep 3
! for ((i = 1; i < n; i++)); do cat "/tmp/guarded$i"; done | grep -v '^set '
result $? 'and none of them has failed'
kill "${guarded[@]}"
# shellcheck disable=SC2317
carriers() { [[ $(asked "$neighbour" 'hcctl -j link show t' | jq '[.[] | select(.state | index("carrier"))] | length') == "$each" ]]; }
busywait 30 carriers
result $? 'its links are without carrier'
for ((i = 2; i < n; i++)); do ask "$i" 'touch /tmp/end'; done
hcctl fabric del t
sleep 1.5
echo "1..$nr"
exit $failed
