/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the tests of plans for balancing.
 */
#ifndef _BALANCE_BENCH_H
#define _BALANCE_BENCH_H

#include "balance_test.h"

#define BENCH_NODES 256

struct bench {
	struct hc_faults *f;
	struct hc_balance_topo t;
	struct hc_balancer *b;
	struct hc_balance_plan p;
	uint64_t load[BENCH_NODES];
};

/* Takes @f.  False: there is no topology. */
bool bench_init(struct bench *e, struct hc_faults *f);
void bench_end(struct bench *e);
void bench_load(struct bench *e, const uint64_t *load);
/* Up to @below each, many of them 0. */
void random_loads(struct bench *e, unsigned int below);
/* 0 or what hc_balancer_plan() returns. */
int bench_plan(struct bench *e, enum hc_balance_method method);
/* A plan of a 3-cube without faults, which holds. */
bool bench_three(struct bench *e, const uint64_t *load, enum hc_balance_method method);
/* Each step's moves, from what there is when it begins, over links that are good. */
bool plan_holds(const struct bench *e);
bool is_even(const struct bench *e);
/* Tasks from a node to another in a step; 0: none. */
uint64_t moved(const struct bench *e, uint32_t from, uint32_t to, unsigned int step);

#endif /* _BALANCE_BENCH_H */
