// SPDX-License-Identifier: GPL-2.0
/*
 * What a plan promises, and what is possible, in steps.
 *
 * A reduction with a given sink: every stage takes a step at least, and a stage at
 * which a member's tree link is unusable two (to a helper and on, or a detour: the
 * nodes that are passive at that stage are more than one link away but for the one
 * across that link).  So k steps for k stages are the optimum if the exact planner
 * finds a tree without such a stage; if there is none, no tree takes fewer than
 * k + 1, and which takes the fewest is found by trying all k! orders.  A result that
 * goes back down takes the same steps again.
 *
 * Recursive doubling: each stage takes one step.  What a node has can be known to at
 * most twice as many after each step, so no plan takes fewer for 2^k members.
 *
 * A broadcast: the shortest sequence of dimensions for its source, or what the search
 * for it has excluded.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* Up to so many stages all orders are tried. */
#define TRY_STAGES 6

/* The faults as the planners want them, from the words that the run goes by. */
static struct hc_faults *faults(const struct run *r)
{
	struct hc_faults *f = hc_faults_new(r->info.dim);
	uint32_t u;

	if (!f)
		return NULL;
	for (u = 0; u < hc_nodes(f->dim); u++) {
		f->fault[u] = r->fault[u];
		if (f->fault[u] == hc_ones(f->dim))
			hc_set_add(f->dead, u);
	}
	return f;
}

/* The best of all orders of order[k..] behind those before. */
static int try_orders(const struct hc_faults *f, const struct run *r, uint8_t *order,
		      unsigned int k, uint32_t *best)
{
	unsigned int i, stages = r->plan.stages;
	struct hc_tree_plan p;
	const char *why;
	int rc;

	if (k == stages) {
		rc = hc_plan_tree_fixed(f, r->root, order, stages, &p, &why);
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
		rc = try_orders(f, r, order, k + 1, best);
		order[k] = order[i];
		order[i] = d;
		if (rc)
			return rc;
	}
	return 0;
}

static int tree_optimum(const struct hc_faults *f, const struct run *r, struct run_truth *t)
{
	struct hc_tree_req req = { .method = HC_TREE_EXACT, .sink = r->root, .base = r->root };
	unsigned int i, stages = r->plan.stages;
	uint8_t order[HC_LIB_DIM_MAX];
	struct hc_tree_plan p;
	const char *why;
	int rc;

	t->exact = true;
	if (!stages)
		return 0;
	for (i = 0; i < stages; i++)
		req.dims |= hc_bit(r->plan.order[i]);
	rc = hc_plan_tree(f, &req, &p, &why);
	if (rc)
		return rc;
	t->optimum = p.steps;
	memcpy(order, p.tree.order, stages);
	hc_tree_plan_free(&p);
	if (t->optimum <= stages + 1)
		return 0;
	if (stages <= TRY_STAGES)
		return try_orders(f, r, order, 0, &t->optimum);
	t->optimum = stages + 1;
	t->exact = false;
	return 0;
}

static int tree_truth(const struct hc_faults *f, const struct run *r, bool optimum,
		      struct run_truth *t)
{
	bool up = r->p.collective == HYPERCUBE_REDUCE || r->p.collective == HYPERCUBE_GATHER;
	unsigned int ways = up ? 1 : 2;
	struct hc_tree_plan p;
	const char *why;
	int rc;

	rc = hc_plan_tree_fixed(f, r->root, r->plan.order, r->plan.stages, &p, &why);
	if (rc)
		return rc;
	t->promise = ways * p.steps;
	hc_tree_plan_free(&p);
	if (optimum)
		rc = tree_optimum(f, r, t);
	t->optimum *= ways;
	return rc;
}

static int bcast_truth(const struct hc_faults *f, const struct run *r, bool optimum,
		       struct run_truth *t)
{
	struct hc_bcast_req req = { .method = HC_BCAST_MINIMAL, .source = r->root };
	struct hc_bcast_plan p;
	const char *why;
	int rc;

	t->promise = r->plan.steps;
	if (!optimum || r->n == 1) {
		t->exact = true;
		return 0;
	}
	rc = hc_plan_bcast(f, &req, &p, &why);
	if (rc)
		return rc;
	t->optimum = p.lower_bound;
	t->exact = p.lower_bound == p.bcast.steps;
	hc_bcast_plan_free(&p);
	return 0;
}

int run_truth(const struct run *r, bool optimum, struct run_truth *t)
{
	struct hc_faults *f = faults(r);
	int rc;

	if (!f)
		return -ENOMEM;
	if (run_doubles(r)) {
		*t = (struct run_truth){ r->plan.stages, r->plan.stages, true };
		rc = 0;
	} else {
		rc = run_is_bcast(r) ? bcast_truth(f, r, optimum, t) :
				       tree_truth(f, r, optimum, t);
	}
	hc_faults_free(f);
	return rc;
}
