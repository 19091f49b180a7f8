/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Load balancing around faults (Nam, Seo, Lee and Kim): choosing the topology, and planning which
 * node sends how many tasks to which neighbour. Algorithm 4 is that of their paper. The functions
 * only compute: they read no file and send nothing, like all planners.
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
 * struct hc_cubes - several subcubes of the same dimension
 * @k: dimension of each subcube
 * @n: number of subcubes
 * @v: the subcubes, by descending @dims, then by ascending @base; release with free()
 */
struct hc_cubes {
	unsigned int k;
	size_t n;
	struct hc_cube *v;
};

/* Value of @k for hc_cubes_find(): the largest dimension for which there is a subcube without
 * faults.
 */
#define HC_CUBES_LARGEST UINT32_MAX

/**
 * hc_cubes_find() - find all subcubes of a dimension that have no faulty node and no faulty
 *	link
 * @f: the faults
 * @k: the dimension, or HC_CUBES_LARGEST
 * @c: filled in
 *
 * The result is exact. Time O(3^n + number of subcubes found).
 * Return: 0, -EHOSTDOWN if all nodes have failed, -ENOMEM.
 */
int hc_cubes_find(const struct hc_faults *f, unsigned int k, struct hc_cubes *c);

/* --- the topology --- */

/* How the subcube of a topology is chosen. */
enum hc_balance_shape {
	HC_BALANCE_MCWA,	/* the subcube that Algorithm 4 chooses */
	HC_BALANCE_MINIMAL,	/* the subcube of least depth, of any dimension */
};

/**
 * struct hc_balance_topo - a balancing topology: a subcube, and trees of the other members
 * @b: the topology in the form that the verifier reads; @b.up points to @up
 * @up: parent link of each node; see struct hc_balance
 * @level: for each member, number of links from it to the subcube along its tree
 * @weight: for each member, number of members of its subtree, itself included; 0 for other
 *	nodes
 * @order: the members, by ascending level, then by ascending number
 * @members: number of members
 * @excluded: the live nodes that no path of healthy links connects with the subcube, as a set
 * @nexcluded: number of excluded nodes
 * @largest: all healthy subcubes of the largest dimension for which there is one
 * @chosen: index of the subcube in @largest; SIZE_MAX if the subcube has a smaller dimension
 * @adequate: the subcube has passed Algorithm 4's test, so the depth is at most n - k
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
 * hc_balance_adequate() - check whether a subcube passes Algorithm 4's test (lines 3 to 7)
 *
 * The test considers faulty nodes only: of the faulty nodes at distance j from the subcube, at most
 * j may have the same projection on the subcube.
 * Return: true if @c passes the test; false also without memory.
 */
bool hc_balance_adequate(const struct hc_faults *f, const struct hc_cube *c);

/**
 * hc_balance_topology() - choose a subcube and attach the other nodes to it as trees
 * @f: the faults
 * @shape: how the subcube is chosen
 * @t: filled in; release with hc_balance_topo_free()
 *
 * HC_BALANCE_MCWA takes the first adequate one of the largest subcubes. The test of Algorithm 4
 * ignores faulty links; so if a link is faulty, the subcube must also have a path of at most n - k
 * healthy links to every live node. If no subcube is adequate, HC_BALANCE_MCWA does the same as
 * HC_BALANCE_MINIMAL, which prefers, in this order: the most members of the topology, the least
 * depth, the largest subcube, the first subcube.
 *
 * In a network that is no hypercube the subcube is a single node, in the middle: the distance from
 * it to the farthest node is the least possible. So all nodes are in one tree.
 *
 * Return: 0, -EHOSTDOWN (no two nodes are connected by a healthy link), -ENOMEM.
 */
int hc_balance_topology(const struct hc_faults *f, enum hc_balance_shape shape,
			struct hc_balance_topo *t);
/* Make the topology around the subcube @c, which must be healthy. Return: as hc_balance_topology(),
 * or -EINVAL if @c has a fault.
 */
int hc_balance_hang(const struct hc_faults *f, const struct hc_cube *c,
		    struct hc_balance_topo *t);
void hc_balance_topo_free(struct hc_balance_topo *t);

/* --- which node sends how many tasks to which neighbour --- */

enum hc_balance_method {
	HC_BALANCE_RID,		/* each underloaded node asks its neighbours for tasks */
	HC_BALANCE_DEM,		/* the ends of links even out loads, one dimension at a time */
	HC_BALANCE_CWA,		/* cube walking, only in a cube without faults */
	HC_BALANCE_MCW,		/* cube walking on a topology: MCWA with corrected quotas */
	HC_BALANCE_OPT,		/* the fewest hops after which loads differ by at most one */
	HC_BALANCE_AUTO,	/* of the methods above, the one whose plan has the least score */
	HC_BALANCE_METHODS
};

/* Return: true unless the method needs a hypercube, and this is another network. */
bool hc_balance_possible(const struct hc_faults *f, enum hc_balance_method method);

extern const char * const hc_balance_names[HC_BALANCE_METHODS + 1];

/* The most tasks that a node may have: with more, products of loads would overflow. */
#define HC_BALANCE_MOST	100000000

/**
 * struct hc_balance_req - what is to be planned
 * @method: enum hc_balance_method
 * @load: number of tasks of each node
 * @threshold: for HC_BALANCE_RID: a node with at most this many tasks asks its neighbours
 * @hop_cost: time that one hop of a task takes, in units of the time that a task takes
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
 * @tasks: number of tasks
 * @step: parallel step of the migration in which the tasks move, from 1
 */
struct hc_balance_move {
	uint32_t from;
	uint32_t to;
	uint64_t tasks;
	unsigned int step;
};

/**
 * struct hc_balance_plan - the moves that a method makes, and what follows from them
 * @method: the method; for HC_BALANCE_AUTO the one that was chosen
 * @quota: number of tasks that each node is to have; an even share for methods without quotas
 *	(RID, DEM)
 * @final: number of tasks that each node has in the end
 * @moves: the moves, by ascending step
 * @nmoves: number of moves
 * @room: number of moves that @moves has memory for
 * @info_steps: number of parallel steps in which nodes send each other loads and quotas
 * @move_steps: number of parallel steps in which tasks migrate
 * @hops: sum, over all moves, of their tasks: each task counts once for each link that it
 *	crosses
 * @migrations: number of tasks that end at a node other than the one where they began, if each
 *	node that forwards tasks forwards the tasks that it received before its own
 * @least: number of tasks of the member that has the fewest in the end
 * @most: number of tasks of the member that has the most in the end
 * @score: time lost, in units of a task's time: hops per member times the cost of a hop, plus
 *	the difference between @most and the mean
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

/* Allocate memory for making any number of plans for a topology. @f and @t stay the caller's, and
 * must live as long as the memory is used. Return: NULL without memory.
 */
struct hc_balancer *hc_balancer_new(const struct hc_faults *f, const struct hc_balance_topo *t);
void hc_balancer_free(struct hc_balancer *b);

/**
 * hc_balancer_plan() - make a plan
 * @b: memory from hc_balancer_new() for the topology
 * @q: what is to be planned
 * @p: filled in. On entry either all zeros or an earlier plan for the same dimension, whose
 *	memory is used again; release with hc_balance_plan_free()
 *
 * Nodes that are not members keep their tasks. In each step a node sends only tasks that it holds
 * when the step begins.
 *
 * Return: 0, -EINVAL (HC_BALANCE_CWA in a cube that has faults), -EOPNOTSUPP
 * (hc_balance_possible()), -ENOMEM.
 */
int hc_balancer_plan(struct hc_balancer *b, const struct hc_balance_req *q,
		     struct hc_balance_plan *p);
void hc_balance_plan_free(struct hc_balance_plan *p);

/**
 * hc_balancer_least() - compute the least score that any plan can have
 * @b: memory from hc_balancer_new() for the topology
 * @q: the loads and the cost of a hop; the method is ignored
 *
 * The result is exact. The function computes, for several values of the greatest load that a node
 * may keep, the fewest hops after which no node has more (one minimum-cost flow each): a few flows
 * where hops are cheap, and at worst about twice as many as the greatest load has bits.
 */
double hc_balancer_least(struct hc_balancer *b, const struct hc_balance_req *q);

/**
 * struct hc_balance_steps - number of parallel steps of a round, as the paper counts them
 * @info: steps in which nodes send each other loads and quotas
 * @move: steps in which tasks migrate
 */
struct hc_balance_steps {
	unsigned int info;
	unsigned int move;
};

/* Return: the steps of RID (one node's round), DEM, CWA or MCWA in a network with @ports ports per
 * node and a topology of depth @depth around a subcube of dimension @k.
 */
struct hc_balance_steps hc_balance_steps(enum hc_balance_method method, unsigned int ports,
					 unsigned int depth, unsigned int k);

#endif /* _HC_PLAN_BALANCE_H */
