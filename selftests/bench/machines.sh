# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154,SC2054
#
# Measures with 16 processes on four machines, which are network namespaces with a bridge between
# them: collectives of a fabric that spans the machines, and of Open MPI over TCP between the same
# machines; TCP between endpoints and over the bare veth pairs; and a hop over a trunk and a hop in
# memory. Sourced by guest.sh, after collectives.sh and ether.sh.

machine_names=(m1 m2 m3 m4)
cluster=/tmp/bench-cluster.json
machine_sizes=8,512,4096,65536,1048576

# Each machine has four successive ranks, as it has four successive nodes. Open MPI is measured with
# shared memory within a machine, and with its module for several processes on each machine, which
# also uses shared memory within a machine, but at a higher level.
machines_mpi=(ip netns exec m1 mpirun.openmpi --allow-run-as-root --oversubscribe --map-by slot --host m1:4,m2:4,m3:4,m4:4
	--mca plm_rsh_agent /tmp/bench-agent --mca plm_rsh_no_tree_spawn 1 --mca pml ob1 --mca mpi_yield_when_idle 1
	--mca oob_tcp_if_include 10.20.0.0/24 --mca btl_tcp_if_include 10.20.0.0/24)
machines_tcp=("${machines_mpi[@]}" --mca btl 'self,tcp')
machines_both=("${machines_mpi[@]}" --mca btl 'self,vader,tcp' --mca btl_vader_single_copy_mechanism cma)
machines_han=("${machines_both[@]}" --mca coll_han_priority 100)

machines_wires() {
	local i name
	ip netns add hub || die 'no namespace'
	ip -n hub link add bridge type bridge || die 'no bridge'
	ip -n hub link set bridge up
	for i in 1 2 3 4; do
		name=m$i
		ip netns add "$name" || die 'no namespace'
		ip link add wire netns "$name" type veth peer name "$name" netns hub || die 'no wire'
		ip -n "$name" addr add "10.20.0.$i/24" dev wire
		ip -n "$name" link set wire up
		ip -n "$name" link set lo up
		ip -n hub link set "$name" master bridge up
	done
	# Open MPI's launcher passes the name of the machine as the first argument.
	cat >/tmp/bench-agent <<'END'
#!/bin/sh
machine=$1
shift
exec ip netns exec "$machine" unshare -u sh -c "hostname $machine; $*"
END
	chmod 755 /tmp/bench-agent
	cp /etc/hosts /tmp/bench-hosts
	for i in 1 2 3 4; do echo "10.20.0.$i m$i"; done >>/etc/hosts
}

machines_set_up() {
	echo Y >/sys/module/hypercube/parameters/trunks
	machines_wires
	cat >$cluster <<'END'
{ "format": "hypercube-cluster", "version": 1, "name": "bench", "dim": 4,
  "hosts": [
	{ "host": "m1", "netns": "m1", "address": "10.20.0.1" }, { "host": "m2", "netns": "m2", "address": "10.20.0.2" },
	{ "host": "m3", "netns": "m3", "address": "10.20.0.3" }, { "host": "m4", "netns": "m4", "address": "10.20.0.4" }
  ],
  "nodes": [
	{ "node": 0, "netns": "e0", "up": true, "addresses": ["10.21.0.1/24"] },
	{ "node": 1, "netns": "e1", "up": true, "addresses": ["10.21.0.2/24"] },
	{ "node": 4, "netns": "e4", "up": true, "addresses": ["10.21.0.5/24"] }
  ],
  "plans": [
	{ "plan": 1, "type": "tree", "with": "sink 0" }, { "plan": 2, "type": "bcast", "with": "source 0" },
	{ "plan": 3, "type": "doubling" }
  ] }
END
	hcctl cluster up $cluster >&2 || die 'no cluster'
}

machines_tear_down() {
	local name
	hcctl cluster down $cluster >&2
	sleep 2
	for name in hub "${machine_names[@]}"; do ip netns del "$name"; done
	cp /tmp/bench-hosts /etc/hosts
}

# across BACKEND PROCS WHAT,.. MS: measures these operations with all sizes
across() {
	local what=(-b "$4" -w "$3" "$2" "$machine_sizes")
	local peer=(-n "$2" "$here/measure_mpi" "${what[@]}" "$1" /dev/shm/bench)
	rm -f /dev/shm/bench
	case $1 in
	fabric) "$here/measure_fabric" "${what[@]}" bench 1 2 fabric "${machine_names[@]}" ;;
	doubling) "$here/measure_fabric" -b "$4" -w barrier,allreduce "$2" "$machine_sizes" bench 3 2 doubling "${machine_names[@]}" ;;
	mpi-tcp) timeout 600 "${machines_tcp[@]}" "${peer[@]}" ;;
	mpi-both) timeout 600 "${machines_both[@]}" "${peer[@]}" ;;
	mpi-han) timeout 600 "${machines_han[@]}" "${peer[@]}" ;;
	esac
}

# machine_way NAME: as way() of ether.sh, for the bare wire between two machines, and for endpoints
# on one machine or on two
machine_way() {
	case $1 in
	wire) near_ns=m1 near_if=wire far_ns=m2 far_if=wire address=10.20.0.2 ;;
	memory) near_ns=e0 near_if=benchn0 far_ns=e1 far_if=benchn1 address=10.21.0.2 ;;
	trunk) near_ns=e0 near_if=benchn0 far_ns=e4 far_if=benchn4 address=10.21.0.5 ;;
	esac
}

hops() {
	local rounds=$1 round i name all=(wire memory trunk)
	for ((round = 1; round <= rounds; round++)); do
		say "hops, round $round of $rounds"
		for ((i = 0; i < ${#all[@]}; i++)); do
			name=${all[(i + round) % ${#all[@]}]}
			machine_way "$name"
			jq -nc --arg way "$name" --argjson round "$round" --argjson mbit "$(mbits 1)" \
				--argjson rtt "$(round_trip 1500)" \
				'{ what: "machine-hop", round: $round, way: $way, mbit_s: $mbit, round_trip_us: ($rtt / 1000) }'
		done
	done
}

machines() {
	local backends=(fabric doubling mpi-tcp mpi-both mpi-han) procs=(16) rounds=3 ms=300
	if [[ $mode == quick ]]; then machine_sizes=8,65536 rounds=1 ms=30; fi
	machines_set_up
	hops $((rounds * 3))
	peers reduce,allreduce,bcast,barrier $rounds $ms across |
		jq --unbuffered -c 'if .what == "failure" then . else .what = "machines-" + .what end' || die 'not all was measured'
	machines_tear_down
}
