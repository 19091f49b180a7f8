// SPDX-License-Identifier: GPL-2.0
/*
 * The number of steps that a tree takes, and the fewest steps of any tree with the same sink and
 * dimensions.
 *
 * On the way up each stage takes at least one step, even a stage without senders, because the sink
 * cannot know that there are none. A stage at which a member's tree link is unusable takes at least
 * two steps (to a helper and on to the receiver, or over a detour: no passive node is nearer than
 * the one at the other end of that link). So k steps for k stages are the fewest if the exact
 * planner finds a tree without such a stage; if there is no such tree, no tree takes fewer than
 * k + 1 steps, and which tree takes the fewest is found by trying all orders.
 *
 * On the way down the last member has the result after the stages from the last one back to the
 * first one at which any member sends, each with as many steps as on the way up. Let a be the
 * number of dimensions along which all members agree with the sink. At a stage along one of these a
 * dimensions no member sends, wherever the stage is in the order, and no other stage depends on it.
 * So such a stage takes one step up, and none down if it comes before the first stage with a
 * sender. If the a stages are the first ones in the order, the next stage has a sender, so all
 * other stages count on the way down. So the fewest steps up and down are 2 U - a, with U the
 * fewest steps up.
 */
#include <string.h>

#include "tree_impl.h"

/* Up to this number of stages all orders are tried. */
#define TRY_STAGES 6

uint32_t hc_plan_tree_down(const struct hc_tree_plan *plan)
{
	unsigned int first = plan->tree.stages, i;
	uint32_t u;

	for (u = 0; u < hc_nodes(plan->tree.dim); u++) {
		if (!hc_set_has(plan->members, u))
			continue;
		i = hc_tree_active(&plan->tree, u);
		if (i < first)
			first = i;
	}
	return plan->steps - first;
}

/* Return: number of stages along dimensions in which all members agree with the sink. */
static uint32_t idle_stages(const struct hc_tree_plan *plan)
{
	uint32_t differ = 0, u;

	for (u = 0; u < hc_nodes(plan->tree.dim); u++)
		if (hc_set_has(plan->members, u))
			differ |= u ^ plan->tree.sink;
	return plan->tree.stages - hc_weight32(differ);
}

/* Try all orders that begin with order[0..@k-1]. If a tree takes fewer than *@best steps, set
 * *@best to its steps.
 */
static int try_orders(const struct hc_faults *f, const struct hc_tree *t, uint8_t *order,
		      unsigned int k, uint32_t *best)
{
	struct hc_tree_plan p;
	const char *why;
	unsigned int i;
	int rc;

	if (k == t->stages) {
		rc = hc_plan_tree_fixed(f, t->sink, order, t->stages, &p, &why);
		if (!rc && p.steps < *best)
			*best = p.steps;
		hc_tree_plan_free(&p);
		return rc;
	}
	for (i = k; i < t->stages; i++) {
		uint8_t d = order[i];

		order[i] = order[k];
		order[k] = d;
		rc = try_orders(f, t, order, k + 1, best);
		order[k] = order[i];
		order[i] = d;
		if (rc)
			return rc;
	}
	return 0;
}

int hc_plan_tree_least(const struct hc_faults *f, const struct hc_tree_plan *plan,
		       struct hc_tree_least *least)
{
	struct hc_tree_req req = {
		.method = HC_TREE_EXACT, .sink = plan->tree.sink, .base = plan->tree.sink,
	};
	unsigned int stages = plan->tree.stages, i;
	uint8_t order[HC_LIB_DIM_MAX];
	struct hc_tree_plan p;
	const char *why;
	int rc;

	*least = (struct hc_tree_least){ .exact = true };
	if (!stages)
		return 0;
	for (i = 0; i < stages; i++)
		req.dims |= hc_bit(plan->tree.order[i]);
	rc = hc_plan_tree(f, &req, &p, &why);
	if (rc)
		return rc;
	least->up = p.steps;
	memcpy(order, p.tree.order, sizeof(order));
	hc_tree_plan_free(&p);
	if (least->up > stages + 1 && stages > TRY_STAGES) {
		least->up = stages + 1;
		least->exact = false;
	} else if (least->up > stages + 1) {
		rc = try_orders(f, &plan->tree, order, 0, &least->up);
	}
	least->both = 2 * least->up - idle_stages(plan);
	return rc;
}
