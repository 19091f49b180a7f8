/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the tests of plans for balancing.
 */
#ifndef _BALANCE_BENCH_H
#define _BALANCE_BENCH_H

#include "balance_test.h"

#define BENCH_NODES 256

/* A network (@f) with its balancing topology (@t), the memory for planning (@b), the number of
 * tasks of each node (@load), and the last plan that bench_plan() made (@p).
 */
struct bench {
	struct hc_faults *f;
	struct hc_balance_topo t;
	struct hc_balancer *b;
	struct hc_balance_plan p;
	uint64_t load[BENCH_NODES];
};

/* Set up @e for the faults @f, which @e owns from then on. Return: true; or false, with @f freed,
 * if there is no topology.
 */
bool bench_init(struct bench *e, struct hc_faults *f);
void bench_end(struct bench *e);
void bench_load(struct bench *e, const uint64_t *load);
/* Give each live node a random load of at most @below tasks; many nodes get none. */
void random_loads(struct bench *e, unsigned int below);
/* Make a plan. Return: what hc_balancer_plan() returns. */
int bench_plan(struct bench *e, enum hc_balance_method method);
/* Set up a 3-cube without faults, and make a plan. Return: what plan_holds() returns. */
bool bench_three(struct bench *e, const uint64_t *load, enum hc_balance_method method);
/* Return: true if all moves of the plan go over healthy links, no node sends more tasks in a step
 * than it holds when the step begins, and the properties of the plan are right.
 */
bool plan_holds(const struct bench *e);
/* Return: true if the loads after the plan differ by at most one, and are the quotas. */
bool is_even(const struct bench *e);
/* Return: the number of tasks that node @from sends to node @to in step @step. */
uint64_t moved(const struct bench *e, uint32_t from, uint32_t to, unsigned int step);

#endif /* _BALANCE_BENCH_H */
