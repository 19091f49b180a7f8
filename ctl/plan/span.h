/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The planners of spanning trees (hc_span.h), in any network.
 *
 * The fewest steps in which a node can receive the data of all others, if each node receives from
 * one other node per step, are hard to find (it is the broadcast time problem, in reverse). So
 * there is a search that ends with a proof if the network is small or the bounds meet; else the
 * result is the best tree that was found, and the best bound.
 */
#ifndef _HC_PLAN_SPAN_H
#define _HC_PLAN_SPAN_H

#include "hc_span.h"
#include "plan.h"

enum hc_span_method {
	HC_SPAN_STEPS,		/* as few steps as a search of bounded time finds */
	HC_SPAN_DEPTH,		/* each node is as few links from the root as possible */
};

/**
 * struct hc_span_req - what plan is wanted
 * @method: enum hc_span_method
 * @root: the root. HC_ANY_SINK: the lowest node in the middle of the largest component, from which
 *	the distance to the farthest node is the least
 * @parent: for each node its parent, HC_ANY_SINK if it has none. NULL: the planner searches.
 *	Only with a given root
 * @without: nodes that are to be left out, as a set; NULL: none
 */
struct hc_span_req {
	enum hc_span_method method;
	uint32_t root;
	const uint32_t *parent;
	const uint32_t *without;
};

/**
 * struct hc_span_plan - a spanning tree and the properties that the planner computed
 * @span: the plan itself; span.parent points to memory that hc_span_plan_free() releases,
 *	span.topo to memory of the faults
 * @parent: memory that span.parent points to
 * @up: see hc_span_check()
 * @steps: number of steps until the root has all data; what the root sends down reaches all
 *	members after the same number of steps
 * @depth: number of links from the root to the farthest member
 * @nmembers: number of members
 * @lower_bound: no tree with this root and these members takes fewer steps
 * @excluded: live nodes that are neither members nor left out on request, as a set
 * @nexcluded: number of excluded nodes
 */
struct hc_span_plan {
	struct hc_span span;
	uint8_t *parent;
	uint16_t *up;
	uint32_t steps;
	uint32_t depth;
	uint32_t nmembers;
	uint32_t lower_bound;
	uint32_t *excluded;
	uint32_t nexcluded;
};

/**
 * hc_plan_span() - find a spanning tree of all nodes that can be reached from its root
 * @f: the faults; must live as long as the plan
 * @req: what plan is wanted
 * @plan: filled in; release with hc_span_plan_free()
 * @why: set to a sentence (static storage) on error
 *
 * Return: 0; -ERANGE (the root or a parent is no node), -ENOLINK (the root has failed or is to
 *	be left out), -EINVAL (the verifier refuses the given parents), -EHOSTDOWN (all nodes have
 *	failed), -ENOMEM.
 */
int hc_plan_span(const struct hc_faults *f, const struct hc_span_req *req,
		 struct hc_span_plan *plan, const char **why);
void hc_span_plan_free(struct hc_span_plan *plan);
/* Return: the fewest steps that a tree of @members members can take in any network. */
uint32_t hc_span_least(uint32_t members);

#endif /* _HC_PLAN_SPAN_H */
