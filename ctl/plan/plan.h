/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The planners: pure search, no netlink, no input or output.
 */
#ifndef _HC_PLAN_H
#define _HC_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "hc_tree.h"

/**
 * struct hc_faults - the fault state of a cube, as the host collects it
 * @dim: dimension n, 1..HC_LIB_DIM_MAX
 * @fault: FAULT words of all 2^n nodes
 * @dead: set of failed nodes (hc_set_words(dim) words)
 */
struct hc_faults {
	unsigned int dim;
	uint32_t *fault;
	uint32_t *dead;
};

/* Allocate a fault-free state; NULL with errno EINVAL or ENOMEM. */
struct hc_faults *hc_faults_new(unsigned int dim);
void hc_faults_free(struct hc_faults *f);
/* Mark link (node, d) unusable at both ends.  0 or -ERANGE. */
int hc_faults_link(struct hc_faults *f, uint32_t node, unsigned int d);
/* Fail a node: all its links unusable at both ends.  0 or -ERANGE. */
int hc_faults_node(struct hc_faults *f, uint32_t node);
/* The live nodes connected to @u, as a set; returns how many (0 if @u failed or
 * is no node, or memory ran out).
 */
uint32_t hc_faults_component(const struct hc_faults *f, uint32_t u, uint32_t *set);

enum hc_tree_method {
	HC_TREE_EXACT,		/* the optimum, by search over subcubes */
	HC_TREE_FIND,		/* FIND_TREE: Leu & Kuo, figure 10 */
	HC_TREE_EXHAUST,	/* the optimum, by trying all sinks and orders */
};

#define HC_ANY_SINK UINT32_MAX

/**
 * struct hc_tree_req - what tree is wanted
 * @method: enum hc_tree_method
 * @sink: the sink, or HC_ANY_SINK
 * @dims: mask of the free dimensions of the subcube to span; 0 means all
 * @base: any node of the subcube (ignored when all dimensions are free)
 */
struct hc_tree_req {
	enum hc_tree_method method;
	uint32_t sink;
	uint32_t dims;
	uint32_t base;
};

/**
 * struct hc_tree_plan - a tree plan and what is promised of it
 * @tree: the plan itself; tree.members and tree.detours point into memory that
 *	hc_tree_plan_free() releases
 * @clean_sink: the sink has no faulty link inside the subcube
 * @cost: members whose own tree link is unusable (it is faulty, or leads to a
 *	failed node), plus the sink's faulty links inside the subcube; these
 *	are 0 unless @clean_sink is false
 * @faulty_stages: stages at which at least one member's tree link is unusable
 * @steps: parallel steps that FTTC takes: stages + faulty_stages when every
 *	blocked sender has a helper; a stage whose longest detour has L hops costs L
 * @nmembers: number of members: the live nodes of the subcube that healthy
 *	links, inside or outside the subcube, connect with the sink
 * @nexcluded: number of live nodes of the subcube that are no members
 * @members: the members, as a set
 * @excluded: the live nodes of the subcube that are no members, as a set
 * @detours: what tree.detours points to
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
 * @req: what is wanted
 * @plan: filled in; release with hc_tree_plan_free()
 * @why: set to a sentence (static storage) on error
 *
 * Without a requested sink, exact and exhaust choose among the clean sinks, or
 * among all live nodes if there is no clean one; of these the ones with the most
 * members, of these the tree with the least @cost, of these the one with the
 * fewest @faulty_stages, of these the lowest sink, of these the order that comes
 * first.  find-tree takes the lowest clean sink, as the paper does.  A requested
 * sink need not be clean.
 *
 * Return: 0; -ERANGE (bad sink, subcube or dimension), -ENOLINK (the requested
 * sink, or every live node, is isolated, or the requested sink failed), -ENOENT
 * (find-tree: no node without faulty links), -EHOSTDOWN (no live node), -E2BIG
 * (exhaust beyond dimension 6), -ENOMEM.
 */
int hc_plan_tree(const struct hc_faults *f, const struct hc_tree_req *req,
		 struct hc_tree_plan *plan, const char **why);
void hc_tree_plan_free(struct hc_tree_plan *plan);

/* Complete a plan (members, detours, costs, steps) for a given sink and order.
 * Return: as hc_plan_tree().
 */
int hc_plan_tree_fixed(const struct hc_faults *f, uint32_t sink,
		       const uint8_t *order, unsigned int stages,
		       struct hc_tree_plan *plan, const char **why);

/**
 * hc_plan_tree_down() - steps of a result from the sink down to all members
 * @plan: the plan
 *
 * Return: at most @plan->steps: stages before the first at which a member sends have nobody
 * to bring the result to.
 */
uint32_t hc_plan_tree_down(const struct hc_tree_plan *plan);

/**
 * struct hc_tree_least - the fewest steps of all trees with one sink and the same dimensions
 * @up: until the sink has all
 * @both: until all have what the sink sends them then
 * @exact: a tree takes as many; else no tree takes fewer
 */
struct hc_tree_least {
	uint32_t up;
	uint32_t both;
	bool exact;
};

/**
 * hc_plan_tree_least() - the fewest steps of all trees with a plan's sink and dimensions
 * @f: the faults
 * @plan: the plan
 * @least: filled in
 *
 * Exact up to 6 stages, and beyond if one faulty stage or none is needed.
 *
 * Return: as hc_plan_tree().
 */
int hc_plan_tree_least(const struct hc_faults *f, const struct hc_tree_plan *plan,
		       struct hc_tree_least *least);

/**
 * struct hc_faulty_link - a faulty tree link of a plan
 * @node: the active (sending) end
 * @dim: the dimension
 */
struct hc_faulty_link {
	uint32_t node;
	uint32_t dim;
};

/* List the faulty tree links of a plan by ascending node; returns their number
 * (== cost with a clean sink), writes at most @max of them.
 */
uint32_t hc_plan_tree_faulty(const struct hc_faults *f, const struct hc_tree_plan *plan,
			     struct hc_faulty_link *out, uint32_t max);

#endif /* _HC_PLAN_H */
