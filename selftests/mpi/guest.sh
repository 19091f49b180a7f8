#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests "hcctl mpirun" and the MPI component, within the VM. Prints TAP.
# Usage: guest.sh quick | full [REGEX of the tests]

set -uo pipefail
mode=$1 only=${2:-}
scratch=$(mktemp -d)
number=0 failed=0

# Open MPI's AVX operators are not tested: they saturate where C wraps around.
export OMPI_MCA_op=^avx HYPERCUBE_MPI_STATS=1

check() {
	local sentence=$1 status
	shift
	if [[ ! $sentence =~ $only ]]; then
		echo "ok $((++number)) $sentence # SKIP not asked for"
		return
	fi
	"$@" >"$scratch/log" 2>&1
	status=$?
	if ((status == 0)); then
		echo "ok $((++number)) $sentence"
	else
		# Print the beginning and the end of the output.
		sed 's/^/# /' "$scratch/log" | awk 'NR <= 30 { print; next } { line[NR] = $0 } END {
			for (i = NR > 70 ? NR - 40 : 31; i <= NR; i++) print line[i] }'
		echo "not ok $((++number)) $sentence (status $status)"
		((++failed))
	fi
}

flapper=''
# flap NAME DIM: waits until fabric NAME has a tree, and then takes one link after the other down
# and up again
flap() {
	local name=$1 dim=$2 link
	until hcctl plan show "$name" 2>/dev/null | grep -q tree; do sleep 0.05; done
	while :; do
		link=$((RANDOM % (1 << dim))):$((RANDOM % dim))
		hcctl link set "$name" "$link" down || return
		sleep 0.1
		hcctl link set "$name" "$link" up || return
		sleep 0.1
	done
}
flaps_begin() { flap "$@" 2>/dev/null & flapper=$!; }
flaps_end() { kill "$flapper" 2>/dev/null; wait "$flapper" 2>/dev/null; flapper=''; }

# mpi_gone: is no fabric, no process and no shared memory of a run left?
mpi_gone() {
	local i
	for ((i = 0; i < 50; i++)); do
		[[ $(hcctl -j fabric show) == '[]' ]] && ! pgrep -f 'mpirun|orted|conform|odd' >/dev/null && return 0
		sleep 0.1
	done
	hcctl fabric show
	pgrep -af 'mpirun|orted|conform|odd'
	return 1
}

every_call='Allreduce Reduce Bcast Barrier Gather Scatter Allgather Allgatherv Alltoall Reduce_scatter Reduce_scatter_block Scan Exscan'
every_call+=' Gatherv Scatterv Alltoallv Alltoallw'
# right RANKS OPTION..: runs conform, and checks that no result is wrong
right() {
	timeout 200 hcctl mpirun -n "$1" --fabric mpi conform "${@:2}" 2>&1 | tee "$scratch/out" || return
	grep -q '^conform: [0-9]* calls, 0 of [1-9][0-9]* results wrong' "$scratch/out"
}

# conform RANKS OPTION..: as right, and checks that some calls of each kind went through the kernel
conform() {
	local call
	right "$@" || return
	for call in $every_call; do
		grep -q "^hypercube: $call  *[1-9][0-9]* in the kernel" "$scratch/out" || { echo "no $call"; return 1; }
	done
}

dim_of() { local dim=1; while ((1 << dim < $1)); do ((dim++)); done; echo "$dim"; }

# with_faults RANKS OPTION..: as conform, while links flap; checks that faults have interrupted
# operations
with_faults() {
	local status
	flaps_begin mpi "$(dim_of "$1")"
	conform "$@"
	status=$?
	flaps_end
	((status == 0)) && grep -q 'faults interrupted' "$scratch/out"
}

# over: does the output show that a fault has ended the plan, and that some calls then went to the
# next component of Open MPI?
over() {
	grep -q 'below: a fault has ended the plan' "$scratch/out" &&
		grep -q 'go on without the kernel after [0-9]*: ' "$scratch/out"
}

# with_failure NODE COMMAND..: runs COMMAND; NODE fails while COMMAND runs, but its process continues
with_failure() {
	local node=$1 failer status
	(
		until hcctl plan show mpi 2>/dev/null | grep -q tree; do sleep 0.05; done
		sleep 2.5
		hcctl node set mpi "$node" fail
	) &
	failer=$!
	"${@:2}"
	status=$?
	wait "$failer"
	return "$status"
}
node_fails() { with_failure "$2" right "$1" "${@:3}" && over; }

# Ranks that have their result free the communicator while other ranks still wait because of a
# fault.
churn_with_faults() {
	local status
	flaps_begin mpi 2
	timeout 200 hcctl mpirun -n 4 --fabric mpi odd churn 120
	status=$?
	flaps_end
	return "$status"
}

status_is() {
	local want=$1 status
	shift
	timeout 60 "$@"
	status=$?
	((status == want)) || { echo "status $status"; return 1; }
}

# interrupted SECONDS SIGNAL: sends the signal to the whole process group, as a terminal does for
# Ctrl-C, and checks that nothing is left
interrupted() {
	local job status
	set -m
	hcctl mpirun -n 4 odd forever &
	job=$!
	set +m
	until hcctl fabric show 2>/dev/null | grep -q mpi; do sleep 0.1; done
	sleep "$1"
	kill "-$2" -- "-$job"
	wait "$job"
	status=$?
	((status)) && mpi_gone
}

# A fabric that existed before the program stays, but the program's plans are removed.
fabric_stays() {
	hcctl fabric add mine dim 3 && timeout 60 hcctl mpirun -n 5 --fabric mine odd sum 3 2>&1 | tee "$scratch/out" &&
		grep -q 'Allreduce  *[1-9]' "$scratch/out" && [[ $(hcctl -j plan show mine) == '[]' ]]
	local status=$?
	hcctl fabric del mine
	return "$status"
}

# The program's plans are removed even if a process had no time to do so.
killed_leaves_no_plan() {
	hcctl fabric add mine dim 2
	timeout 60 hcctl mpirun -n 4 --fabric mine odd dies 2
	local status=$?
	hcctl plan show mine
	[[ $(hcctl -j plan show mine) == '[]' ]] && ((status))
	status=$?
	hcctl fabric del mine
	return "$status"
}

# The fabric is too small, so the program runs without the kernel, and prints one line with the
# reason.
too_small() {
	hcctl fabric add mine dim 1
	timeout 60 hcctl mpirun -n 4 --fabric mine odd sum 3 2>&1 | tee "$scratch/out"
	local status=$?
	hcctl fabric del mine
	((status == 0)) && (($(grep -c 'do not go through the kernel: ' "$scratch/out") == 1)) &&
		grep -q 'there is no node' "$scratch/out" && grep -q 'Allreduce  *[0-9]* below: no plan' "$scratch/out"
}

# runs_without WORDS COMMAND..: checks that the program runs, but not through the kernel, and that
# it prints one line with the reason, which has WORDS
runs_without() {
	HYPERCUBE_MPI_STATS=0 timeout 60 "${@:2}" >"$scratch/out" 2>&1
	local status=$?
	cat "$scratch/out"
	((status == 0)) && (($(wc -l <"$scratch/out") == 1)) && grep -q -- "$1" "$scratch/out"
}

without_module() {
	local status
	rmmod hypercube || return
	runs_without 'without a fabric: .*module not loaded' hcctl mpirun -n 3 odd sum 2
	status=$?
	modprobe hypercube && return "$status"
}

# The user has the right neither to make a fabric, nor to install a plan in an existing one.
without_rights() {
	local status user=(setpriv --reuid 1234 --regid 1234 --clear-groups env TMPDIR="$scratch/user" HOME="$scratch/user")
	mkdir -p "$scratch/user"
	chmod 711 "$scratch"
	chown 1234:1234 "$scratch/user"
	hcctl fabric add mine dim 2
	runs_without 'without a fabric: ' "${user[@]}" hcctl mpirun -n 3 odd sum 2 &&
		runs_without 'do not go through the kernel: ' "${user[@]}" hcctl mpirun -n 3 --fabric mine odd sum 2
	status=$?
	hcctl fabric del mine
	return "$status"
}

# poor RANK: this rank cannot become a member of new plans; communicators that were made before
# still use the kernel
poor() {
	timeout 60 hcctl mpirun -n 5 odd poor "$1" 2>&1 | tee "$scratch/out" || return
	local lines='(go on without the kernel after [01]|do not go through the kernel): '
	(($(grep -cE "$lines" "$scratch/out") == 1)) && grep -qE "$lines.*([Tt]oo many open files|netlink socket)" "$scratch/out" &&
		grep -qE '^hypercube: Allreduce +[1-9][0-9] in the kernel' "$scratch/out"
}

# many RANKS N: N communicators exist, and all of them have a plan at the same time
many() {
	timeout 300 hcctl mpirun -n "$1" odd many "$2" 2>&1 | tee "$scratch/out" || return
	grep -q " $(($2 + 1)) communicators set up" "$scratch/out" && ! grep -q ' below: ' "$scratch/out"
}

# Calls for which the limits say that the next component is faster go to that component, and only
# these.
limits_hold() {
	local all=18446744073709551615 status
	mkdir -p /var/lib/hypercube
	printf '%s\n' '# a comment' "barrier:2:0-$all" allreduce:2:1000-50000 "gatherv:2:0-$all" "scatterv:2:200-$all" \
		allreduce:6:0-0 >/var/lib/hypercube/mpi-limits
	right 5 -r 150 -s 3
	status=$?
	cp "$scratch/out" "$scratch/out.5"
	((status == 0)) && right 8 -r 20 -s 4 && cp "$scratch/out" "$scratch/out.8"
	((status += $?))
	rm -r /var/lib/hypercube
	((status == 0)) && ! grep -qE '(Barrier|Gatherv) .* in the kernel' "$scratch/out.5" &&
		(($(grep -cE '(Barrier|Gatherv|Scatterv|Allreduce) .* below: faster there' "$scratch/out.5") == 4)) &&
		(($(grep -cE '(Scatterv|Allreduce) .* in the kernel, ' "$scratch/out.5") == 2)) &&
		grep -q 'Scatterv .* below: not all ranks know' "$scratch/out.5" && ! grep -q 'not known:' "$scratch/out.5"
}

# Invalid limits are refused with one line.
limits_refused() {
	OMPI_MCA_coll_hypercube_limits="barrier:2:0-9,$1" timeout 60 hcctl mpirun -n 2 odd sum 2 2>&1 | tee "$scratch/out" &&
		(($(grep -c "is not known: \"$1\" is no CALL" "$scratch/out") == 1))
}

# Measuring writes a file with rows for each call, and the program runs with that file.
tuned() {
	local call
	timeout 300 hcctl mpirun -n 4 --tune "$scratch/limits" || return
	cat "$scratch/limits"
	for call in ${every_call,,}; do
		if ! grep -q "^$call:2:[0-9]*-[0-9]*$" "$scratch/limits" || ! grep -q "^$call:4:" "$scratch/limits"; then
			echo "no $call"
			return 1
		fi
	done
	OMPI_MCA_coll_hypercube_limits=$(grep -v '^#' "$scratch/limits" | tr '\n' ,) right 4 -r 60 &&
		! grep 'not known:' "$scratch/out"
}

# Without the kernel nothing can be measured, and no file is written.
tuned_needs_a_fabric() {
	hcctl fabric add mine dim 1
	! timeout 60 hcctl mpirun -n 4 --fabric mine --tune "$scratch/none" 2>&1 | tee "$scratch/out" || return
	local status=$?
	hcctl fabric del mine
	((status == 0)) && grep -q 'do not go through the kernel: ' "$scratch/out" && [[ ! -e $scratch/none ]]
}

# Ranks start persistent requests in different orders. These go through the kernel if possible.
persistent() {
	timeout 100 hcctl mpirun -n 5 --fabric mpi odd persistent 200 2>&1 | tee "$scratch/out" || return
	local call
	for call in Allreduce Bcast Allgatherv Exscan Barrier; do
		grep -q "^hypercube: $call  *[1-9][0-9]* in the kernel" "$scratch/out" || { echo "no $call"; return 1; }
	done
	grep -q 'Allreduce  *1 below: operator not in the kernel' "$scratch/out"
}
neighbors() {
	timeout 60 hcctl mpirun -n 5 --fabric mpi odd neighbors 2>&1 | tee "$scratch/out" || return
	grep -q 'Neighbor_allgather  *3 below: not in the kernel' "$scratch/out"
}
persistent_with_failure() { with_failure 2 persistent && over; }

# cut_off LIMIT SECONDS: cuts a rank off for SECONDS seconds; the other ranks wait for it for at most
# LIMIT ms
cut_off() {
	local program status
	OMPI_MCA_coll_hypercube_guard=$1 timeout 60 hcctl mpirun -n 4 --fabric mpi odd sum 100 >"$scratch/out" 2>&1 &
	program=$!
	until hcctl plan show mpi 2>/dev/null | grep -q tree; do sleep 0.05; done
	sleep 0.3
	hcctl link set mpi 3:0,3:1 down
	sleep "$2"
	hcctl link set mpi 3:0,3:1 up 2>/dev/null
	wait "$program"
	status=$?
	cat "$scratch/out"
	return "$status"
}
cut_off_for_good() { cut_off 1000 4 && over && mpi_gone; }

mkdir -p /dev/shm /dev/pts
grep -q ' /dev/shm ' /proc/mounts || mount -t tmpfs -o size=1g tmpfs /dev/shm
grep -q ' /dev/pts ' /proc/mounts || mount -t devpts devpts /dev/pts
ip link set lo up

echo 'TAP version 13'
if [[ $mode == quick ]]; then
	echo '1..4'
	check 'collectives of 5 ranks are those of the MPI below' conform 5 -r 25
	check 'so they are at 8 ranks while links flap' with_faults 8 -r 25 -s 2 -m 2500
	check 'the status of the program is passed on' status_is 7 hcctl mpirun -n 2 odd status 7
	check 'nothing stays behind' mpi_gone
else
	echo '1..44'
	seed=0
	for ranks in 4 5 8 16; do
		check "collectives of $ranks ranks are those of the MPI below" conform "$ranks" -r $((600 / ranks)) -s $((++seed))
		check "so they are while links flap" with_faults "$ranks" -r 50 -s $((++seed)) -m 10000
	done
	check 'so they are of three threads at once' conform 5 -r 40 -t 3 -s $((++seed))
	check 'so they are of three threads at once while links flap' with_faults 8 -r 20 -t 3 -m 8000 -s $((++seed))
	check 'long ones are right' conform 5 -r 40 -n 400000 -s $((++seed))
	check '300 communicators come and go' timeout 100 hcctl mpirun -n 4 odd churn 300
	check 'so they do while links flap' churn_with_faults
	check 'some are freed while operations are in flight' timeout 100 hcctl mpirun -n 5 odd early 60
	check 'the status of the program is passed on' status_is 7 hcctl mpirun -n 2 odd status 7
	check 'nothing stays behind' mpi_gone
	check 'nor after Ctrl-C' interrupted 2 INT
	check 'nor after SIGTERM, early' interrupted 0.3 TERM
	check 'a fabric that was there stays, without plans' fabric_stays
	check 'a process that dies ends the program, and leaves no plan' killed_leaves_no_plan
	check 'in a fabric that is too small the program runs without it' too_small
	check 'so it does without the module' without_module
	check 'and without rights' without_rights
	check 'so it does if a rank can have no part in a plan' poor 3
	check 'or if rank 0 can have none' poor 0
	check '320 communicators are there at once' many 8 320
	check 'ranks whose lengths differ get errors' timeout 100 hcctl mpirun -n 5 odd differ 20
	check 'persistent requests are started in any order' persistent
	check 'so they are if a node fails' persistent_with_failure
	check 'collectives of neighbours go below, and are counted' neighbors
	check 'calls that are faster below go there' limits_hold
	check 'a limit of no call is refused' limits_refused "bariere:2:0-9"
	check 'so is one that is too short' limits_refused "barrier:2:0"
	check 'what is faster below is measured' tuned
	check 'but not without a fabric' tuned_needs_a_fabric
	check 'a rank that is cut off for a second is waited for' cut_off 60000 1
	check 'of one that is cut off for good collectives go on below' cut_off_for_good
	for ranks in 4 5 8 16; do
		check "so they do of $ranks ranks if a node fails" node_fails "$ranks" $((ranks / 3)) -m 6000 -s $((++seed))
	done
	check 'if that of rank 0 fails' node_fails 8 0 -m 6000 -s $((++seed))
	check 'if communicators come and go meanwhile' with_failure 1 timeout 200 hcctl mpirun -n 4 --fabric mpi odd churn 200
	check 'and of three threads' node_fails 5 3 -m 8000 -t 3 -s $((++seed))
fi
((failed == 0))
