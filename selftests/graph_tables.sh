#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# A hypercube that is given as a table. With the parameter keep_tables the module treats it as a
# network of any shape; it behaves as the hypercube. The programs that test rings, tasks and
# datagrams on hypercubes run on such tables (HC_TABLE in lib/control.c).
#
# Scheduling: shared long

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

# on_tables PROGRAM [OPTION..]: checks that PROGRAM passes on tables, with a quarter of its rounds
on_tables() {
	parameter keep_tables Y
	HC_TABLE=1 HC_SCALE=$(((${HC_SCALE:-100} + 3) / 4)) "$here/$1" "${@:2}" >"$scratch/said" 2>&1 ||
		fault "$1: $(grep -E '^(not ok|# .*: )' "$scratch/said" | head -5)"
	log "$1: $(grep -c '^ok' "$scratch/said") tests"
	(($(grep -c '^ok' "$scratch/said") > 0)) || fault "$1: nothing was tested"
}

test_rings() { on_tables ring; }
test_rings_around_faults() { on_tables ring_faults; }
test_rings_at_random() { on_tables ring_random; }
test_rings_that_repair_themselves() { on_tables ring_repair many_fail_at_random parts_become_one_again; }
test_datagrams() { on_tables sock_dgram; }
test_copies_over_disjoint_paths() { on_tables diffusion_paths; }
test_liars_are_found() { on_tables byz_many; }
test_tasks_move() { on_tables task_moves; }
test_tasks_balanced_by_neighbours() { on_tables task_rid; }
# After rounds of DEM and RID, the nodes have the numbers of tasks that the planner computes.
test_tasks_balanced_in_rounds() {
	on_tables task_rounds loads_become_what_is_planned around_each_single_fault around_random_faults
}

run_tests
