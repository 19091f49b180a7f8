#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# The demonstration of load balancing (demo/jobs.c) at a small size: the nodes of a cube with faults
# hash files of the tests, once with each balancing method, and once more while a node fails. No job
# is lost or done twice unless the kernel reports it, and the hashes are those of sha256sum. This
# test shares the machine, so it does not check the speed; "make demo-balance" does.
#
# Scheduling: shared long

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

# files COUNT: writes the names of COUNT small scripts to $scratch/list, and their sha256sum output
# to $scratch/sums
files() {
	(cd "$here" && find . -maxdepth 1 -name '*.sh' -size -13k | sort | head -n "$1") >"$scratch/list"
	(cd "$here" && xargs sha256sum <"$scratch/list") >"$scratch/sums"
}

test_balance_demo_loses_no_job_despite_failed_node() {
	local said
	files 28
	said=$(DIM=3 FAILED=5 BROKEN=0:0 KILLED=6 KILLED_AFTER=500 SPEED=12288 MIN_SPEEDUP=0 \
		"$here/demo/balance_guest.sh" "$here" "$scratch/list" "$scratch/sums" "$scratch") ||
		fault "the demonstration fails: $(grep 'NOT OK' <<<"$said")"
	grep -vE '^$|^==' <<<"$said" | while IFS= read -r line; do log "$line"; done
	equal 'fields of the picture' 6 "$(grep -c 'class="end"' "$scratch/balance.svg")"
}

# Files of 0 to 130 bytes: this includes all lengths around one block and two blocks of the hash, of
# 64 bytes each.
test_hashes_of_all_lengths_match_sha256sum() {
	local len
	mkdir "$scratch/files"
	for ((len = 0; len <= 130; len++)); do
		head -c $len /dev/urandom >"$scratch/files/$len"
	done
	seq 0 130 >"$scratch/list"
	(cd "$scratch/files" && xargs sha256sum <"$scratch/list") >"$scratch/sums"
	check 'add' hcctl fabric add t dim 2
	check 'jobs' "$here/demo/jobs" -v 1e9 t 2 0,1,2,3 "$scratch/files" "$scratch/list" "$scratch/out"
	check 'as sha256sum has them' cmp "$scratch/sums" "$scratch/out.sums"
}

test_jobs_program_refuses_invalid_arguments() {
	local hash=$here/demo/jobs
	files 3
	refused 'nothing' 'usage: jobs' "$hash"
	refused 'no speed' 'usage: jobs' "$hash" -v 0 t 2 0 "$here" "$scratch/list" "$scratch/out"
	refused 'no nodes' 'usage: jobs' "$hash" t 2 '' "$here" "$scratch/list" "$scratch/out"
	refused 'no fabric' 'No such device' "$hash" t 2 0 "$here" "$scratch/list" "$scratch/out"
	check 'add' hcctl fabric add t dim 2
	check 'a failed node' hcctl node set t 1 fail
	refused 'no list' 'No such file' "$hash" t 2 0 "$here" "$scratch/nothing" "$scratch/out"
	refused 'no file' 'No such file' "$hash" t 2 0 "$scratch/nowhere" "$scratch/list" "$scratch/out"
	refused 'a failed node' 'cannot be put' "$hash" t 2 1 "$here" "$scratch/list" "$scratch/out"
	head -c 70000 /dev/zero >"$scratch/long"
	echo long >"$scratch/list"
	refused 'a long file' 'too long for a task' "$hash" t 2 0 "$scratch" "$scratch/list" "$scratch/out"
	refused 'a picture of nothing' 'usage: jobs_picture' "$here/demo/jobs_picture" x.svg words 1
}

run_tests
