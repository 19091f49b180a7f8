/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The planners: they only compute; they use no netlink, and no input or output.
 */
#ifndef _HC_PLAN_H
#define _HC_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "hc_tree.h"

/**
 * struct hc_faults - the fault state of a network, as the host collects it
 * @dim: dimension n of a hypercube, 1..HC_LIB_DIM_MAX; 0 for any other network
 * @topo: the network
 * @fault: the FAULT word of each node
 * @dead: the failed nodes, as a set (hc_topo_words() words)
 */
struct hc_faults {
	unsigned int dim;
	struct hc_topo topo;
	uint32_t *fault;
	uint32_t *dead;
};

/* Allocate the fault state of a hypercube without faults. Return: NULL with errno
 * EINVAL or ENOMEM.
 */
struct hc_faults *hc_faults_new(unsigned int dim);
/* Allocate the fault state of any network. It takes over the network's table of peers, which must
 * be from malloc() and is freed even if the function fails. Return: NULL without memory.
 */
struct hc_faults *hc_faults_of(const struct hc_topo *topo);
/* Copy a fault state. Return: NULL without memory. */
struct hc_faults *hc_faults_copy(const struct hc_faults *f);
void hc_faults_free(struct hc_faults *f);
/* Mark link (@node, @d) as faulty at both ends. Return: 0 or -ERANGE. */
int hc_faults_link(struct hc_faults *f, uint32_t node, unsigned int d);
/* Mark a node as failed, and all its links as faulty at both ends. Return: 0 or -ERANGE. */
int hc_faults_node(struct hc_faults *f, uint32_t node);
/* Find the live nodes that are connected with @u, as a set. Return: number of these; 0 if @u has
 * failed or is no node, or without memory.
 */
uint32_t hc_faults_component(const struct hc_faults *f, uint32_t u, uint32_t *set);

enum hc_tree_method {
	HC_TREE_EXACT,		/* the optimum, by search over subcubes */
	HC_TREE_FIND,		/* FIND_TREE: Leu & Kuo, figure 10 */
	HC_TREE_EXHAUST,	/* the optimum, by trying all sinks and orders */
};

#define HC_ANY_SINK UINT32_MAX

/**
 * struct hc_tree_req - what plan is wanted
 * @method: enum hc_tree_method
 * @sink: the sink, or HC_ANY_SINK: the planner chooses
 * @dims: mask of the free dimensions of the subcube that the tree spans; 0: all
 * @base: any node of the subcube (ignored when all dimensions are free)
 * @members: the members, as a set: other nodes only relay. NULL: all nodes of the subcube that
 *	can be reached. If given, the tree spans the smallest subcube that holds them, and @dims
 *	and @base are ignored
 */
struct hc_tree_req {
	enum hc_tree_method method;
	uint32_t sink;
	uint32_t dims;
	uint32_t base;
	const uint32_t *members;
};

/**
 * struct hc_tree_plan - a tree plan and the properties that the planner computed
 * @tree: the plan itself; tree.members and tree.detours point into memory that
 *	hc_tree_plan_free() releases
 * @clean_sink: the sink has no faulty link inside the subcube
 * @cost: number of members whose own tree link is unusable (it is faulty, or leads to a failed
 *	node), plus number of the sink's faulty links inside the subcube; the latter is 0 if
 *	@clean_sink
 * @faulty_stages: number of stages at which at least one member's tree link is unusable
 * @steps: number of parallel steps that the paper's algorithm FTTC takes: stages + faulty_stages
 *	if every blocked sender has a helper; a stage whose longest detour has L hops takes L steps
 * @nmembers: number of members: the live nodes of the subcube that healthy
 *	links, inside or outside the subcube, connect with the sink
 * @nexcluded: number of live nodes of the subcube that are no members
 * @members: the members, as a set
 * @excluded: the live nodes of the subcube that are no members, as a set
 * @detours: memory that tree.detours points to
 */
struct hc_tree_plan {
	struct hc_tree tree;
	bool clean_sink;
	uint32_t cost;
	uint32_t faulty_stages;
	uint32_t steps;
	uint32_t nmembers;
	uint32_t nexcluded;
	uint32_t *members;
	uint32_t *excluded;
	struct hc_detour *detours;
};

/**
 * hc_plan_tree() - find a tree and derive the whole plan from it
 * @f: the faults
 * @req: what plan is wanted
 * @plan: filled in; release with hc_tree_plan_free()
 * @why: set to a sentence (static storage) on error
 *
 * If no sink is requested, the methods exact and exhaust choose among the trees of all clean sinks,
 * or of all live nodes if no sink is clean. They prefer, in this order: the most members, the least
 * @cost, the fewest @faulty_stages, the lowest sink, the lexicographically first order. The method
 * find-tree takes the lowest clean sink, as the paper does. A requested sink need not be clean.
 *
 * Return: 0; -ERANGE (bad sink, subcube or dimension), -ENOLINK (the requested
 * sink, or every live node, is isolated, the requested sink failed, or not all requested members
 * are connected), -ENOENT (find-tree: no node without faulty links), -EHOSTDOWN (no live node),
 * -E2BIG (exhaust beyond dimension 6), -EOPNOTSUPP (find-tree with requested members), -ENOMEM.
 */
int hc_plan_tree(const struct hc_faults *f, const struct hc_tree_req *req,
		 struct hc_tree_plan *plan, const char **why);
void hc_tree_plan_free(struct hc_tree_plan *plan);

/* Derive a whole plan (members, detours, costs, steps) from a given sink and order. Return: as
 * hc_plan_tree().
 */
int hc_plan_tree_fixed(const struct hc_faults *f, uint32_t sink,
		       const uint8_t *order, unsigned int stages,
		       struct hc_tree_plan *plan, const char **why);

/**
 * hc_plan_tree_down() - compute how many steps a result takes from the sink down to all
 *	members
 * @plan: the plan
 *
 * Return: at most @plan->steps. It can be less: the stages before the first one at which a
 *	member sends have no receiver on the way down.
 */
uint32_t hc_plan_tree_down(const struct hc_tree_plan *plan);

/**
 * struct hc_tree_least - the fewest steps of all trees with one sink and the same dimensions
 * @up: number of steps until the sink has all contributions
 * @both: number of steps until all members have the result
 * @exact: some tree takes as few steps; else it is only known that no tree takes fewer
 */
struct hc_tree_least {
	uint32_t up;
	uint32_t both;
	bool exact;
};

/**
 * hc_plan_tree_least() - compute the fewest steps of all trees with a plan's sink and
 *	dimensions
 * @f: the faults
 * @plan: the plan
 * @least: filled in
 *
 * The result is exact up to 6 stages, and beyond if some tree takes at most one step more than it
 * has stages.
 *
 * Return: as hc_plan_tree().
 */
int hc_plan_tree_least(const struct hc_faults *f, const struct hc_tree_plan *plan,
		       struct hc_tree_least *least);

/**
 * struct hc_faulty_link - a faulty tree link of a plan
 * @node: the active end, which sends over the link
 * @dim: the dimension of the link
 */
struct hc_faulty_link {
	uint32_t node;
	uint32_t dim;
};

/* List the faulty tree links of a plan by ascending node, at most @max of them. Return: number of
 * all of them, which is @cost of the plan if the sink is clean.
 */
uint32_t hc_plan_tree_faulty(const struct hc_faults *f, const struct hc_tree_plan *plan,
			     struct hc_faulty_link *out, uint32_t max);

#endif /* _HC_PLAN_H */
