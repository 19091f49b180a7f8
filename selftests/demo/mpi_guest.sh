#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: mpi_guest.sh STEPS SEED FOLDER PROGRAM..
# Runs MPI programs that Debian ships, within the VM: without a fabric, and with their collectives
# through a fabric while links flap, one link stays down, and frames are lost. The exit status is 0
# if their outputs are equal. The picture is written to FOLDER.

set -u
steps=$1 seed=$2 pictures=$3
programs=("${@:4}")
here=$(cd "$(dirname "$0")" && pwd)
fabric=demo
dim=4 ranks=16
scratch=$(mktemp -d)
say() { echo "== $*"; }

# shellcheck source=selftests/demo/check.sh
. "$here/check.sh"

# Settings for this machine: Open MPI runs as root, and with more ranks than processors. Its
# operators for AVX are off, as they give other results on other processors.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_op=^avx

# Processes that poll for their neighbours rarely yield the processor. So they run with round-robin
# scheduling, and so do the guard and the function that makes the faults.
turns=(chrt -r 1)

# fault KIND WHERE: writes a fault with its time to the file from which the picture is drawn
fault() { echo "${EPOCHREALTIME/[.,]/} $*" >>"$scratch/faults"; }
pause() { sleep "$(printf '0.%03d' $(($1 + RANDOM % ($2 - $1 + 1))))"; }

# flap: takes one link down for the rest of the run; all links lose frames, and the other links go
# down and up again, one after the other
flap() {
	local node bit
	RANDOM=$seed
	chrt -r -p 1 "$BASHPID"
	until hcctl plan show "$fabric" 2>/dev/null | grep -q tree; do sleep 0.05; done
	hcctl link set "$fabric" all loss 1% || return
	sleep 0.5
	hcctl link set "$fabric" 5:1 down || return
	fault down 5:1
	while :; do
		((node = RANDOM % (1 << dim), bit = RANDOM % dim))
		((bit == 1 && (node == 5 || node == 7))) && continue
		hcctl link set "$fabric" "$node:$bit" down || return
		fault down "$node:$bit"
		pause 50 500
		hcctl link set "$fabric" "$node:$bit" up || return
		fault up "$node:$bit"
		pause 50 300
	done
}

# measured FILE COMMAND..: runs COMMAND with its output in FILE; sets $took to its duration in ms
measured() {
	local out=$1 begin=${EPOCHREALTIME/[.,]/} status
	shift
	"$@" >"$out" 2>"$out.err"
	status=$?
	took=$(((${EPOCHREALTIME/[.,]/} - begin) / 1000))
	((status == 0)) || tail -5 "$out.err"
	return "$status"
}

count() { grep -cF "$1" "$scratch/faults"; }
# calls FILE WORDS: prints the sum of the component's counters whose lines in FILE have WORDS
calls() { awk -v words=" $2" '/^hypercube: [A-Z]/ && index($0, words) { sum += $3 } END { print sum + 0 }' "$1"; }
interrupted() { awk '/faults interrupted/ { sub(/.*interrupted /, ""); sum += $1 } END { print sum + 0 }' "$1"; }

# walk_result, hpcc_result: print the output that must be equal in all runs: for walk everything,
# for hpcc the results of its tests without the speeds
walk_result() { cat "$1"; }
hpcc_result() { grep -oE 'PASSED|FAILED|\(passed\)|\(failed\)|Node\(s\) with error [0-9]*|Success=[0-9]' hpccoutf.txt; }

# once HOW NAME COMMAND..: runs COMMAND; writes the result of program NAME to $scratch/HOW
once() {
	local how=$1 name=$2
	shift 2
	rm -f hpccoutf.txt
	measured "$scratch/out" "$@" || return
	"${name}_result" "$scratch/out" >"$scratch/$how"
	cp "$scratch/out.err" "$scratch/$how.err"
	[[ ! -e hpccoutf.txt ]] || cp hpccoutf.txt "$pictures/$name-$how.txt"
	[[ -s $scratch/$how ]]
}

# compare NAME COMMAND..: runs COMMAND without a fabric, on a fabric, and on a fabric with faults,
# and checks that the results are equal
compare() {
	local name=$1 times=() flapper
	shift
	say "$name: $*"
	: >"$scratch/faults"
	check "$name runs without a fabric" once plain "$name" "${turns[@]}" mpirun.openmpi -n "$ranks" "$@"
	times+=("$took")
	check "$name runs on a fabric" once clean "$name" "${turns[@]}" hcctl mpirun -n "$ranks" --fabric "$fabric" "$@"
	times+=("$took")
	flap 2>/dev/null &
	flapper=$!
	check "$name runs on a fabric with faults" once faulty "$name" env HYPERCUBE_MPI_STATS=1 \
		HYPERCUBE_MPI_LOG="$scratch/$name.log" "${turns[@]}" hcctl mpirun -n "$ranks" --fabric "$fabric" "$@"
	times+=("$took")
	kill "$flapper" 2>/dev/null
	wait "$flapper" 2>/dev/null
	check "the result of $name on a fabric is the same" diff "$scratch/plain" "$scratch/clean"
	check "so it is with faults" diff "$scratch/plain" "$scratch/faulty"
	check "nothing in it has failed" test "$(grep -ciE 'failed|Success=0' "$scratch/plain")" -eq 0
	check "collectives of $name went through the kernel" test "$(calls "$scratch/faulty.err" 'in the kernel')" -gt 0
	printf '%-6s %7s %7s %7s %9d %7d %12d %6d %6d\n' "$name" "${times[@]}" "$(calls "$scratch/faulty.err" 'in the kernel')" \
		"$(calls "$scratch/faulty.err" below)" "$(interrupted "$scratch/faulty.err")" "$(count ' down ')" \
		"$(wc -l <"$scratch/plain")" >>"$scratch/table"
	cp "$scratch/faults" "$scratch/$name.faults"
	cp "$scratch/faulty.err" "$scratch/$name.err"
}

mkdir -p /dev/shm /dev/pts
grep -q ' /dev/shm ' /proc/mounts || mount -t tmpfs -o size=1g tmpfs /dev/shm
grep -q ' /dev/pts ' /proc/mounts || mount -t devpts devpts /dev/pts
ip link set lo up
cd "$scratch" || exit
cp "$here/hpccinf.txt" .

: >table
for program in "${programs[@]}"; do
	case $program in
	walk) compare walk python3 "$here/mpi_walk.py" "$steps" ;;
	hpcc) compare hpcc hpcc ;;
	esac
	"$here/mpi_picture" "$ranks" "$program.log" "$program.faults" "$pictures/$program.svg"
	check "the picture of $program is drawn" test -s "$pictures/$program.svg"
	check "faults interrupted operations of $program" test "$(interrupted "$program.err")" -gt 0
	grep -h '^hypercube: ' "$program.err" | sed 's/^hypercube: /   /'
done

echo
printf '%-6s %23s %17s %12s %6s %6s\n' '' 'time in ms' 'calls of rank 0' '' 'links' 'lines'
printf '%-6s %7s %7s %7s %9s %7s %12s %6s %6s\n' program plain fabric faults kernel below interrupted down equal
cat table
echo
check 'nothing stays behind' test "$(hcctl -j fabric show)" = '[]'
shown='not what it should show'
((passed != checks)) || shown="programs that know of no fabric ran on one while links flapped, one was cut, and frames got lost; their results are those without"
echo "demo-mpi: $passed of $checks checks passed: $shown"
((passed == checks))
