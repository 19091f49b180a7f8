// SPDX-License-Identifier: GPL-2.0
/*
 * Steps of a tree: what its members do, what it promises, and what is possible.
 *
 * With a given sink every stage takes a step at least, and a stage at
 * which a member's tree link is unusable two (to a helper and on, or a detour: the
 * nodes that are passive at that stage are more than one link away but for the one
 * across that link).  So k steps for k stages are the optimum if the exact planner
 * finds a tree without such a stage; if there is none, no tree takes fewer than
 * k + 1, and which takes the fewest is found by trying all k! orders.  A result that
 * goes back down takes the same steps again.
 */
#include <string.h>

#include "planner.h"

/* Up to so many stages all orders are tried. */
#define TRY_STAGES 6

/* The best of all orders of order[k..] behind those before. */
static int try_orders(const struct hc_faults *f, const struct nl_plan *v, uint8_t *order,
		      unsigned int k, uint32_t *best)
{
	unsigned int i, stages = v->stages;
	struct hc_tree_plan p;
	const char *why;
	int rc;

	if (k == stages) {
		rc = hc_plan_tree_fixed(f, v->sink, order, stages, &p, &why);
		if (rc)
			return rc;
		if (p.steps < *best)
			*best = p.steps;
		hc_tree_plan_free(&p);
		return 0;
	}
	for (i = k; i < stages; i++) {
		uint8_t d = order[i];

		order[i] = order[k];
		order[k] = d;
		rc = try_orders(f, v, order, k + 1, best);
		order[k] = order[i];
		order[i] = d;
		if (rc)
			return rc;
	}
	return 0;
}

static int tree_optimum(const struct nl_plan *v, struct plan_truth *t)
{
	struct hc_tree_req req = { .method = HC_TREE_EXACT, .sink = v->sink, .base = v->sink };
	unsigned int i, stages = v->stages;
	uint8_t order[HC_LIB_DIM_MAX];
	struct hc_tree_plan p;
	const char *why;
	int rc;

	t->exact = true;
	if (!stages)
		return 0;
	for (i = 0; i < stages; i++)
		req.dims |= hc_bit(v->order[i]);
	rc = hc_plan_tree(t->faults, &req, &p, &why);
	if (rc)
		return rc;
	t->optimum = p.steps;
	memcpy(order, p.tree.order, stages);
	hc_tree_plan_free(&p);
	if (t->optimum <= stages + 1)
		return 0;
	if (stages <= TRY_STAGES)
		return try_orders(t->faults, v, order, 0, &t->optimum);
	t->optimum = stages + 1;
	t->exact = false;
	return 0;
}

int tree_truth(const struct nl_plan *v, struct plan_truth *t)
{
	unsigned int ways = t->down ? 2 : 1;
	struct hc_tree_plan p;
	const char *why;
	int rc;

	rc = hc_plan_tree_fixed(t->faults, v->sink, v->order, v->stages, &p, &why);
	if (rc)
		return rc;
	t->promise = ways * p.steps;
	hc_tree_plan_free(&p);
	if (t->search)
		rc = tree_optimum(v, t);
	t->optimum *= ways;
	return rc;
}

int tree_role(const struct nl_plan *v, const struct hc_faults *f, uint32_t u,
	      struct hc_tree_role *role, struct hc_tree_peer *src, unsigned int max)
{
	struct hc_tree t = {
		.dim = f->dim, .stages = v->stages, .sink = planner_of(v->type)->root->of(v),
		.members = v->members, .detours = v->detours, .ndetours = v->ndetours,
	};
	uint32_t nb[HC_LIB_DIM_MAX];
	unsigned int d;

	memcpy(t.order, v->order, sizeof(t.order));
	for (d = 0; d < f->dim; d++)
		nb[d] = f->fault[hc_neigh(u, d)];
	return hc_tree_role(&t, u, f->fault[u], nb, role, src, max);
}
