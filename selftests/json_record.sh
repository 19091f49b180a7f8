#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: json_record.sh FILE
#
# Runs every command with -j in many states of a fabric, in the VM, and writes a line for each run
# to FILE: the words of the command, a tab, and its output, which may be empty.
# ctl/tests/schema_test.py checks the output against the schemas.

set -uo pipefail
records=${1:?usage: json_record.sh FILE}
# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failed=0
: >"$records"

# put WORDS OUTPUT-FILE: adds the output to the records, a record for each of its lines; the output
# of a batch becomes one record
put() {
	if [[ $1 == -b* ]]; then
		printf '%s\t%s\n' "$1" "$(tr -d '\n' <"$2")" >>"$records"
	elif [[ -s $2 ]]; then
		sed "s|^|$1\t|" "$2" >>"$records"
	else
		printf '%s\t\n' "$1" >>"$records"
	fi
}

# j WORD..: runs hcctl -j WORD.., which must succeed
j() {
	if hcctl -j "$@" >out 2>err; then
		put "$*" out
	else
		echo "hcctl -j $*: $(<err)"
		failed=1
	fi
}

# events COMMAND..: writes the output of hcctl monitor while COMMAND runs
events() {
	hcctl -j monitor >events 2>err &
	local pid=$! tries
	# Change a link until the monitor prints an event: then the monitor listens.
	for ((tries = 0; tries < 300; tries++)); do
		hcctl link set a 0:0 model-latency 2us
		[[ ! -s events ]] || break
		nap 0.1
	done
	"$@"
	hcctl fabric add last dim 1
	for ((tries = 0; tries < 300; tries++)); do
		! grep -q '"fabric":"last"' events || break
		nap 0.1
	done
	kill -INT "$pid"
	wait "$pid" || failed=1
	hcctl fabric del last
	put monitor events
}

lists() {
	j fabric show
	j node show "$1"
	j node show "$1" 0,1
	j link show "$1"
	j link show "$1" 0,1:0
	j fault show "$1"
	j route show "$1" 0
	j plan show "$1"
	for type in tree ring bcast doubling span; do
		! hcctl help "$type" show >out 2>err || j "$type" show "$1"
	done
	j op show "$1"
	j stats "$1"
	j balance show "$1"
	j fabric save "$1"
	j detect "$1"
}

plans() {
	j tree find fabric a apply
	j bcast plan fabric a source 1 apply
	j bcast plan fabric a all
	j doubling plan fabric a apply
	j checked plan fabric a apply rotated
	j doubling rule
	j ring plan fabric a apply
	j ring shortest dim 3
	j span plan fabric a apply
	j balance topology fabric a
	j balance plan fabric a load "$(hcctl -j node show a | jq -r 'map(if .failed then 0 else .node end) | join(",")')"
	j plot a plan 1 -o a.svg
	j plot a -o a.html
	j plan show a 1
}

# networks: records plans of networks that are not hypercubes, as these have other JSON members
networks() {
	j fabric add g torus 3x3
	j bcast plan fabric g source 1 apply
	j span plan fabric g apply
	j ring plan fabric g rings 2 apply
	j plan show g
	j run allreduce g verify
	j run bcast g source 1 verify
	j fabric save g
	j fabric del g
}

# guards: records what "hcctl guard" prints for a plan that is not guarded, and after the sink's
# node has failed, which breaks a guarded plan
guards() {
	j tree find fabric a apply plan 8 sink 3 guard 5s
	j plan set a 8 guard-uid 1000
	j plan show a 8
	j fabric save a
	hcctl tree find fabric a apply plan 7 >out 2>err
	j guard a plan 7 time 1s once
	hcctl balance topology fabric a apply >out 2>err
	hcctl node set a 3 fail
	tried bash -c 'hcctl -j plan show a 8 | jq -e ".[0].broken" >out'
	j guard a once
	hcctl node set a 3 ok
	hcctl plan del a 7
	hcctl plan del a 8
}

runs() {
	local kind
	for kind in reduce allreduce bcast gather scatter allgather barrier alltoall reduce_scatter; do
		! hcctl help run "$kind" >out 2>err || j run "$kind" a verify iterations 2
		[[ $kind == barrier ]] || j run "$kind" a sweep to 16
	done
	head -c 320 /dev/zero >data
	j run reduce a op max type f32 count 5 data data
	j run allreduce a method tree details
	j run allreduce a method doubling
	j run allreduce a checked verify
	hcctl node set a 3 byzantine 100% seed 5
	! hcctl -j run reduce a checked count 8 >out 2>err || failed=1
	put 'run reduce a checked count 8' out
	hcctl node set a 3 byzantine 0
	j run alltoall a method ring count 3 verify
	j run reduce_scatter a method doubling op max type f32 count 5 verify
}

# captures: records what "hcctl decode" prints for captures of tcpdump
captures() {
	j decode "$here/wireshark/reduction.pcap"
	j decode "$here/wireshark/endpoints.pcap"
}

# pending: waits until an operation of fabric a is pending
pending() {
	local tries
	for ((tries = 0; tries < 300; tries++)); do
		[[ $(hcctl -j op show a) == '[]' ]] || return
		nap 0.1
	done
	echo 'no operation is pending'
	failed=1
}

# shellcheck disable=SC2317
change() {
	"$here/hc_load" tasks a 13 3
	hcctl node set a 13 fail
	hcctl node set a 13 ok
	hcctl link set a 0:1 down
	hcctl link set a 0:1 up loss 1% delay 1ms
	hcctl link set a 0:1 loss 0 delay 0
	hcctl tree find fabric a apply plan 9
	hcctl run reduce a plan 9
	hcctl link set a 0,1 down
	hcctl link set a 0,1 up
	hcctl plan del a 9
	hcctl node set a 2 owner 0
} >/dev/null

# tried COMMAND..: repeats COMMAND until it succeeds
tried() {
	local tries
	for ((tries = 0; tries < 300; tries++)); do
		! "$@" >out 2>err || return 0
		nap 0.1
	done
	echo "$*: $(<err)"
	failed=1
}

# clusters NAMESPACE: records commands for a cluster of two machines, this namespace and NAMESPACE
clusters() {
	cat >cluster.json <<-END
		{ "format": "hypercube-cluster", "version": 1, "name": "c", "dim": 2,
		  "hosts": [ { "host": "one", "local": true, "address": "10.9.8.1" }, { "host": "two", "netns": "$1", "address": "10.9.8.2" } ],
		  "nodes": [ { "node": 1, "up": true } ],
		  "links": [ { "node": 1, "dim": 0, "down": true }, { "node": 0, "dim": 1, "delay_ns": 1000, "one_way": true } ],
		  "plans": [ { "plan": 1, "type": "tree" } ] }
	END
	j cluster show cluster.json
	j cluster up cluster.json
	j cluster check cluster.json
	j cluster show cluster.json
	j -a cluster.json plan show c
	j cluster down cluster.json
}

# trunks: records commands for a fabric that spans two machines: this namespace and another one
trunks() {
	local far=far$$
	echo Y >/sys/module/hypercube/parameters/trunks
	ip netns add "$far"
	ip link add w0 type veth peer name w1 netns "$far"
	ip addr add 10.9.8.1/24 dev w0
	ip link set w0 up
	ip -n "$far" addr add 10.9.8.2/24 dev w1
	ip -n "$far" link set w1 up
	j fabric add c dim 2 nodes 0X
	ip netns exec "$far" hcctl fabric add c dim 2 nodes 1X
	ip netns exec "$far" hcctl trunk listen c 10.9.8.2 &
	tried hcctl -j trunk connect c 1 10.9.8.2
	put 'trunk connect' out
	wait $!
	j trunk show c
	j trunk del c 1
	hcctl -j trunk listen c 10.9.8.1 >heard &
	tried ip netns exec "$far" hcctl trunk connect c 1 10.9.8.1
	wait $!
	put 'trunk listen' heard
	hcctl trunk del c 1
	# "trunk add" accepts any connected stream at first, so a connection to the listener of the
	# other machine is sufficient.
	ip netns exec "$far" hcctl trunk listen c 10.9.8.2 persist 2>heard &
	tried bash -c 'exec 3<>/dev/tcp/10.9.8.2/26723 && exec hcctl -j trunk add c 1 fd 3'
	put 'trunk add' out
	hcctl fabric del c
	kill $!
	wait $!
	ip netns exec "$far" hcctl fabric del c
	clusters "$far"
	ip netns del "$far"
	echo N >/sys/module/hypercube/parameters/trunks
}

file_of() { hcctl fabric save "$1" >"$1.json"; }

printf 'fabric show\nfabric show\n' >"$scratch/batch"
j -V
j help
j help fabric
j tree find --help
j fabric show
j fabric add a dim 4
j fabric add b dim 2 netns-each n address 10.9.0.0/24
lists a
lists b
j -b "$scratch/batch"
j fabric set a stall-timeout 5s
plans
networks
guards
runs
lists a
j link set a 3:0,10:1 down
j link set a 0:2 delay 5ms jitter 1ms loss 1% corrupt 1% duplicate 1% seed 3 rate 1gbit
j link set a 13:2 flap 50ms/300ms
j node set a 13 fail
j node set a 2 owner 0
j node set b 1 netns 1
lists a
lists b
plans
file_of a
j fault random a links 1 nodes 1 seed 5
j fault show a
printf 'link 2:0\nnode 7\n' >faults
j fault load a faults dry-run
j fault load a faults
j fabric restore a.json dry-run
j fabric restore a.json
j fabric restore a.json
j link set a 0:2 delay 0 jitter 0 loss 0 corrupt 0 duplicate 0 rate 0
j link set a 1:2 flap off
j fault clear a
plans
events change
one_processor
j trace a -o a.trace duration 10ms
captures
processors_back
j top a interval 50ms
"$here/hc_load" tasks a 5 3
j balance move a 5:0 1
j balance run a node 1
j balance topology fabric a apply
j balance run a method mcwa
j balance set a method dem threshold 3 period 1000
j balance show a
j balance show a --watch interval 50ms count 2
j balance set a method off
hcctl tree find fabric a apply plan 1 >/dev/null
"$here/hc_load" hold a 1 0 1 &
hold=$!
pending
j op show a
j top a interval 50ms count 2
kill "$hold"
wait "$hold" 2>/dev/null
hcctl tree find fabric a apply plan 4 >/dev/null
hcctl run allreduce a plan 4 count 10000 iterations 1000000 >/dev/null 2>&1 &
load=$!
pending
j top a interval 500ms
kill "$load"
wait "$load" 2>/dev/null
for plan in $(hcctl -j plan show a | jq '.[].plan'); do j plan del a "$plan"; done
hcctl tree find fabric a apply plan 3 >/dev/null
j tree del a plan 3
j mfi dim 2 place fabric a mapping random
j fabric del a
j fabric restore a.json
j tree find dim 4 subcube XX01 fail-link 0:0,2:3 fail-node 3
j balance simulate dim 3 faults 0..1 runs 2 seed 1
j mfi dim 3 matrix
j checked plan dim 4 fail-link 0:0,1:1 sink 5
j mfi torus 5x5 pattern square
j mfi kary 3^3
trunks
j fabric del a
j fabric del b
exit $failed
