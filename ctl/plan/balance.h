/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Load balancing around faults: the topology (Nam, Seo, Lee and Kim), and which node sends how
 * many tasks where.  Pure computation, as all planners are.
 */
#ifndef _HC_PLAN_BALANCE_H
#define _HC_PLAN_BALANCE_H

#include "hc_balance.h"
#include "plan.h"

/* --- subcubes in which nothing is faulty --- */

/**
 * struct hc_cube - a subcube
 * @dims: mask of its free dimensions
 * @base: its lowest node
 */
struct hc_cube {
	uint32_t dims;
	uint32_t base;
};

/**
 * struct hc_cubes - several of the same dimension
 * @k: dimension of each
 * @n: how many
 * @v: by descending mask, then by ascending base; free() it
 */
struct hc_cubes {
	unsigned int k;
	size_t n;
	struct hc_cube *v;
};

/* For hc_cubes_find(): as large as there are. */
#define HC_CUBES_LARGEST UINT32_MAX

/**
 * hc_cubes_find() - all subcubes of a dimension that have no faulty node and no faulty link
 * @f: the faults
 * @k: the dimension, or HC_CUBES_LARGEST
 * @c: filled in
 *
 * Exact.  Time O(3^n + what is found).
 *
 * Return: 0, -EHOSTDOWN if no node lives, -ENOMEM.
 */
int hc_cubes_find(const struct hc_faults *f, unsigned int k, struct hc_cubes *c);

/* --- the topology --- */

enum hc_balance_shape {
	HC_BALANCE_MCWA,	/* Algorithm 4's choice */
	HC_BALANCE_MINIMAL,	/* least depth, over subcubes of all sizes */
};

/**
 * struct hc_balance_topo - a topology, and what follows from it
 * @b: what the verifier sees; b.up points to @up
 * @up: of each node; see struct hc_balance
 * @level: links up to the subcube, of members
 * @weight: members of its tree at and below it; 0 of others
 * @order: the members, by level, then by number
 * @members: how many
 * @excluded: the live nodes that healthy links do not connect with the subcube, as a set
 * @nexcluded: how many
 * @largest: all healthy subcubes of the largest dimension
 * @chosen: position of the subcube in there, or SIZE_MAX: it is a smaller one
 * @adequate: it passed Algorithm 4's test, by which the depth is at most n - k
 */
struct hc_balance_topo {
	struct hc_balance b;
	uint8_t *up;
	uint16_t *level;
	uint32_t *weight;
	uint32_t *order;
	uint32_t members;
	uint32_t *excluded;
	uint32_t nexcluded;
	struct hc_cubes largest;
	size_t chosen;
	bool adequate;
};

/**
 * hc_balance_adequate() - Algorithm 4's test of a subcube (lines 3 to 7)
 *
 * It looks at faulty nodes only: among those at distance j of the subcube, no more than
 * j may have the same projection on it.
 */
bool hc_balance_adequate(const struct hc_faults *f, const struct hc_cube *c);

/**
 * hc_balance_topology() - choose a subcube and hang the others on it
 * @f: the faults
 * @shape: how to choose
 * @t: filled in; release with hc_balance_topo_free()
 *
 * HC_BALANCE_MCWA takes the first of the largest subcubes that is adequate; with faulty links,
 * which the test knows nothing of, it must reach all live nodes within n - k as well.  If there
 * is none, it does the same as HC_BALANCE_MINIMAL: of all healthy subcubes it takes the one with
 * the most members, then the least depth, then the largest, then the first.
 *
 * Return: 0, -EHOSTDOWN (no node is connected with any other), -ENOMEM.
 */
int hc_balance_topology(const struct hc_faults *f, enum hc_balance_shape shape,
			struct hc_balance_topo *t);
/* The same for a given subcube, which must be healthy: -EINVAL otherwise. */
int hc_balance_hang(const struct hc_faults *f, const struct hc_cube *c,
		    struct hc_balance_topo *t);
void hc_balance_topo_free(struct hc_balance_topo *t);

/* --- who sends how many tasks where --- */

enum hc_balance_method {
	HC_BALANCE_RID,		/* each underloaded node asks its neighbours */
	HC_BALANCE_DEM,		/* pairs along each dimension */
	HC_BALANCE_CWA,		/* cube walking, where nothing is faulty */
	HC_BALANCE_MCW,		/* the same on a topology: MCWA with corrected quotas */
	HC_BALANCE_OPT,		/* the fewest hops to a difference of at most one */
	HC_BALANCE_AUTO,	/* the one of these that costs least */
	HC_BALANCE_METHODS
};

extern const char * const hc_balance_names[HC_BALANCE_METHODS + 1];

/* More tasks than that at a node are refused: products have to fit. */
#define HC_BALANCE_MOST	100000000

/**
 * struct hc_balance_req - what is to be balanced
 * @method: how
 * @load: tasks of each of the 2^n nodes
 * @threshold: HC_BALANCE_RID: a node that has no more than this asks
 * @hop_cost: what a hop of a task costs of the time that a task takes
 */
struct hc_balance_req {
	enum hc_balance_method method;
	const uint64_t *load;
	uint64_t threshold;
	double hop_cost;
};

/**
 * struct hc_balance_move - tasks that go from a node to a neighbour
 * @from: the node
 * @to: the neighbour
 * @tasks: how many
 * @step: in which parallel step of migration, from 1
 */
struct hc_balance_move {
	uint32_t from;
	uint32_t to;
	uint64_t tasks;
	unsigned int step;
};

/**
 * struct hc_balance_plan - what a method does
 * @method: for HC_BALANCE_AUTO the one that it takes
 * @quota: what each node is to have; for methods without quotas (RID, DEM) an even share
 * @final: what it has in the end
 * @moves: by step
 * @nmoves: how many
 * @room: moves that there is room for
 * @info_steps: parallel steps in which loads and quotas are told
 * @move_steps: and those in which tasks migrate
 * @hops: sum of tasks times links
 * @migrations: tasks that end at another node, if a node that forwards passes on what it got
 * @least: tasks of the emptiest member
 * @most: and of the fullest
 * @score: time lost, in units of a task's time: hops per member times their cost, plus what the
 *	fullest member has more than the mean
 */
struct hc_balance_plan {
	enum hc_balance_method method;
	uint64_t *quota;
	uint64_t *final;
	struct hc_balance_move *moves;
	size_t nmoves;
	size_t room;
	unsigned int info_steps;
	unsigned int move_steps;
	uint64_t hops;
	uint64_t migrations;
	uint64_t least;
	uint64_t most;
	double score;
};

struct hc_balancer;

/* Room to plan for a topology, again and again; both stay the caller's.  NULL without memory. */
struct hc_balancer *hc_balancer_new(const struct hc_faults *f, const struct hc_balance_topo *t);
void hc_balancer_free(struct hc_balancer *b);

/**
 * hc_balancer_plan() - plan
 * @b: for this topology
 * @q: what is wanted
 * @p: filled in: zeros, or an earlier plan for the same dimension, whose room it takes;
 *	release with hc_balance_plan_free()
 *
 * Nodes that take no part keep what they have.  In no step does a node send what it does not
 * hold when the step begins.
 *
 * Return: 0, -EINVAL (HC_BALANCE_CWA among faults), -ENOMEM.
 */
int hc_balancer_plan(struct hc_balancer *b, const struct hc_balance_req *q,
		     struct hc_balance_plan *p);
void hc_balance_plan_free(struct hc_balance_plan *p);

/**
 * hc_balancer_least() - the least score that any plan can have
 * @b: for this topology
 * @q: loads and what hops cost; the method does not matter
 *
 * Exact: for loads that the fullest node may have, the fewest hops; a few such flows where hops are
 * cheap, and at worst about as many as the greatest load has bits, twice.
 */
double hc_balancer_least(struct hc_balancer *b, const struct hc_balance_req *q);

/**
 * struct hc_balance_steps - parallel steps of a round, as the paper counts them
 * @info: in which loads and quotas are told
 * @move: and in which tasks migrate
 */
struct hc_balance_steps {
	unsigned int info;
	unsigned int move;
};

/* Of RID (a single node's round), DEM, CWA or MCWA in a cube of dimension @dim, with a topology of
 * that depth around a subcube of dimension @k.
 */
struct hc_balance_steps hc_balance_steps(enum hc_balance_method method, unsigned int dim,
					 unsigned int depth, unsigned int k);

#endif /* _HC_PLAN_BALANCE_H */
