/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the planners of load balancing alone, and by their tests.
 */
#ifndef _HC_BALANCE_IMPL_H
#define _HC_BALANCE_IMPL_H

#include "balance.h"

/* Puts the bits of @i where @mask has ones. */
static inline uint32_t hc_deposit(uint32_t i, uint32_t mask)
{
	uint32_t u = 0;

	for (; mask; mask &= mask - 1, i >>= 1)
		if (i & 1)
			u |= mask & -mask;
	return u;
}

/* --- balance_reach.c: how far all nodes are from a subcube, 64 nodes at a time --- */

struct hc_reach;

/**
 * struct hc_reached - what a subcube is connected with
 * @nodes: how many nodes, its own among them
 * @depth: links to the farthest of them
 */
struct hc_reached {
	uint32_t nodes;
	unsigned int depth;
};

/* NULL without memory. */
struct hc_reach *hc_reach_new(const struct hc_faults *f);
void hc_reach_free(struct hc_reach *r);
/* Gives up behind a depth of @limit; then the result's depth is greater than that. */
struct hc_reached hc_reach_from(struct hc_reach *r, const struct hc_cube *c, unsigned int limit);

/* --- balance_choose.c --- */

/* The first subcube of the most members, and then of the least depth, of all sizes; 0 or
 * -ENOMEM.
 */
int hc_balance_minimal(const struct hc_faults *f, const struct hc_cubes *largest,
		       struct hc_cube *best);
/* Algorithm 4's choice: a position in @c, or SIZE_MAX; 0 or -ENOMEM. */
int hc_balance_choose(const struct hc_faults *f, const struct hc_cubes *c, size_t *chosen);

/* --- planning --- */

/**
 * struct hc_cwa - a walk over a cube of 2^k places
 *
 * Level j has a value for each j-cube of dimensions 0 to j - 1: number i holds the places
 * i << j and up.
 *
 * @k: dimension
 * @load: l of the paper
 * @quota: q
 * @theta: what leaves each cube in a phase
 */
struct hc_cwa {
	unsigned int k;
	uint64_t *load;
	uint64_t *quota;
	uint64_t *theta;
};

/* Where the value of j-cube @i is. */
static inline size_t hc_cwa_at(const struct hc_cwa *c, unsigned int j, uint32_t i)
{
	return 2 * (hc_nodes(c->k) - hc_nodes(c->k - j)) + i;
}

static inline int64_t hc_cwa_delta(const struct hc_cwa *c, unsigned int j, uint32_t i)
{
	size_t at = hc_cwa_at(c, j, i);

	return (int64_t)(c->load[at] - c->quota[at]);
}

/* Adds up loads and quotas of level 0. */
void hc_cwa_sum(struct hc_cwa *c);
/* What leaves each j-cube, and how that is split among its parts. */
void hc_cwa_theta(struct hc_cwa *c, unsigned int j);
/* It has arrived. */
void hc_cwa_move(struct hc_cwa *c, unsigned int j);

/**
 * struct hc_balancer - room to plan in
 * @f: the faults
 * @t: the topology
 * @load: what each node holds now; of nodes of trees with all that hangs on them (MCWA)
 * @quota: of those the quota
 * @link: for each member, the dimensions of good links to others
 * @cwa: the walk over the subcube
 * @clock: RID: the last step in which a node had a part
 * @flow: HC_BALANCE_OPT
 * @other: plans that HC_BALANCE_AUTO compares
 */
struct hc_balancer {
	const struct hc_faults *f;
	const struct hc_balance_topo *t;
	uint64_t *load;
	uint64_t *quota;
	uint32_t *link;
	struct hc_cwa cwa;
	unsigned int *clock;
	struct hc_flow *flow;
	struct hc_balance_plan other;
};

/* Adds a move, unless it is of no tasks; 0 or -ENOMEM. */
int hc_balance_move(struct hc_balance_plan *p, uint32_t from, uint32_t to, uint64_t tasks,
		    unsigned int step);
/* One for each method: moves, quotas and steps; 0 or -errno. */
/* The steps of a method, see hc_balance_steps(). */
void hc_balance_count(const struct hc_balancer *b, enum hc_balance_method method,
		      struct hc_balance_plan *p);
int hc_balance_rid(struct hc_balancer *b, const struct hc_balance_req *q,
		   struct hc_balance_plan *p);
int hc_balance_dem(struct hc_balancer *b, const struct hc_balance_req *q,
		   struct hc_balance_plan *p);
int hc_balance_mcwa(struct hc_balancer *b, const struct hc_balance_req *q,
		    struct hc_balance_plan *p);
int hc_balance_opt(struct hc_balancer *b, const struct hc_balance_req *q,
		   struct hc_balance_plan *p);

/* --- balance_flow.c: minimum-cost flow --- */
struct hc_flow *hc_flow_new(const struct hc_balancer *b);
void hc_flow_free(struct hc_flow *fl);
/* For hc_flow_run(): nobody is to have more than one task more than another. */
#define HC_FLOW_EVEN	UINT64_MAX
/* The fewest hops after which nobody has more than @most, which is no less than the mean, or to an
 * even load.  Returns the tasks that leave each node along each dimension, at u * dim + d, less
 * those that come; @final is what nodes have in the end.
 */
const int64_t *hc_flow_run(struct hc_flow *fl, const uint64_t *load, uint64_t most,
			   uint64_t *final);

#endif /* _HC_BALANCE_IMPL_H */
