/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that only the planners of load balancing and their tests use.
 */
#ifndef _HC_BALANCE_IMPL_H
#define _HC_BALANCE_IMPL_H

#include "balance.h"

/* Return: the bits of @i, moved in order to the positions where @mask has ones. */
static inline uint32_t hc_deposit(uint32_t i, uint32_t mask)
{
	uint32_t u = 0;

	for (; mask; mask &= mask - 1, i >>= 1)
		if (i & 1)
			u |= mask & -mask;
	return u;
}

/* --- balance_reach.c: distances from a subcube, 64 nodes at a time --- */

struct hc_reach;

/**
 * struct hc_reached - what a breadth-first search from a subcube found
 * @nodes: number of nodes that are connected with the subcube, its own included
 * @depth: links from the subcube to the farthest of these
 */
struct hc_reached {
	uint32_t nodes;
	unsigned int depth;
};

/* Allocate memory for searches in a cube with the faults @f. Return: NULL without memory. */
struct hc_reach *hc_reach_new(const struct hc_faults *f);
void hc_reach_free(struct hc_reach *r);
/* Search from all nodes of @c. The search ends at depth @limit; if there are nodes beyond it, the
 * result's depth is greater than @limit.
 */
struct hc_reached hc_reach_from(struct hc_reach *r, const struct hc_cube *c, unsigned int limit);

/* --- balance_choose.c --- */

/* Find the subcube, of any dimension, that has the most members and, of these, the least depth; the
 * first of several. Return: 0 or -ENOMEM.
 */
int hc_balance_minimal(const struct hc_faults *f, const struct hc_cubes *largest,
		       struct hc_cube *best);
/* Find the subcube that Algorithm 4 chooses. *chosen: its index in @c, or SIZE_MAX if there is
 * none. Return: 0 or -ENOMEM.
 */
int hc_balance_choose(const struct hc_faults *f, const struct hc_cubes *c, size_t *chosen);

/* --- planning --- */

/**
 * struct hc_cwa - memory for cube walking over a cube of 2^k nodes
 *
 * Level j has one value for each j-cube whose free dimensions are 0 to j - 1: value i is that of
 * the j-cube that begins at node i << j.
 *
 * @k: dimension of the cube
 * @load: the paper's l: tasks that each j-cube has
 * @quota: the paper's q: tasks that each j-cube is to have
 * @theta: the paper's theta: tasks that leave each j-cube in one phase of the walk
 */
struct hc_cwa {
	unsigned int k;
	uint64_t *load;
	uint64_t *quota;
	uint64_t *theta;
};

/* Return: index of the value of j-cube @i in the arrays of struct hc_cwa. */
static inline size_t hc_cwa_at(const struct hc_cwa *c, unsigned int j, uint32_t i)
{
	return 2 * (hc_nodes(c->k) - hc_nodes(c->k - j)) + i;
}

/* Return: the paper's delta: number of tasks that j-cube @i has beyond its quota; negative if it
 * lacks tasks.
 */
static inline int64_t hc_cwa_delta(const struct hc_cwa *c, unsigned int j, uint32_t i)
{
	size_t at = hc_cwa_at(c, j, i);

	return (int64_t)(c->load[at] - c->quota[at]);
}

/* Compute loads and quotas of levels 1 to k from those of level 0. */
void hc_cwa_sum(struct hc_cwa *c);
/* Compute how many tasks leave each j-cube, and how many of these leave each of the smaller cubes
 * inside it, down to single nodes.
 */
void hc_cwa_theta(struct hc_cwa *c, unsigned int j);
/* Update the loads of the j-cubes: the tasks that hc_cwa_theta() computed have arrived. */
void hc_cwa_move(struct hc_cwa *c, unsigned int j);

/**
 * struct hc_balancer - memory for making plans
 * @f: the faults
 * @t: the topology
 * @load: number of tasks that each node holds now; for MCWA, a node of a tree counts the tasks of
 *	all nodes below it, too
 * @quota: the quota of each node; for MCWA, counted in the same manner as @load
 * @link: for each member, mask of the dimensions along which a healthy link leads to a member
 * @cwa: memory for cube walking over the subcube
 * @clock: for RID: the last step in which each node took part; for HC_BALANCE_OPT: mask of the
 *	ports by which each node has sent its tasks
 * @flow: for HC_BALANCE_OPT: memory for flows
 * @other: for HC_BALANCE_AUTO: the plans that are compared
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

/* Add a move to @p, unless @tasks is 0. Return: 0 or -ENOMEM. */
int hc_balance_move(struct hc_balance_plan *p, uint32_t from, uint32_t to, uint64_t tasks,
		    unsigned int step);
/* Fill in the number of steps that @method takes, see hc_balance_steps(). */
void hc_balance_count(const struct hc_balancer *b, enum hc_balance_method method,
		      struct hc_balance_plan *p);
/* The methods. Each fills in moves, quotas and numbers of steps. Return: 0 or -errno. */
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
/* For @most of hc_flow_run(): the loads of any two members are to differ by at most one. */
#define HC_FLOW_EVEN	UINT64_MAX
/* Compute the fewest hops after which no member has more than @most tasks (which is at least the
 * mean), or, with HC_FLOW_EVEN, after which loads are even. @final: set to the number of tasks that
 * each node has then. Return: at u * ports + d, the number of tasks that leave node u by port d,
 * minus the number that arrive by it.
 */
const int64_t *hc_flow_run(struct hc_flow *fl, const uint64_t *load, uint64_t most,
			   uint64_t *final);

#endif /* _HC_BALANCE_IMPL_H */
