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

test_rings_work_on_table() { on_tables ring; }
test_rings_work_around_faults_on_table() { on_tables ring_faults; }
test_random_rings_work_on_table() { on_tables ring_random; }
test_rings_are_repaired_on_table() {
	on_tables ring_repair operations_go_on_after_random_link_and_node_faults \
		separated_halves_go_on_together_once_reconnected
}
test_datagrams_arrive_on_table() { on_tables sock_dgram; }
test_datagram_copies_take_disjoint_paths_on_table() { on_tables diffusion_paths; }
test_byzantine_nodes_are_found_on_table() { on_tables byz_many; }
test_tasks_migrate_on_table() { on_tables task_moves; }
test_neighbours_balance_tasks_on_table() { on_tables task_rid; }
# After rounds of DEM and RID, the nodes have the numbers of tasks that the planner computes.
test_balancing_rounds_on_table_move_tasks_as_planned() {
	on_tables task_rounds loads_after_a_round_equal_the_planned_loads loads_equal_the_planned_loads_around_each_single_fault loads_equal_the_planned_loads_around_random_faults
}

run_tests
