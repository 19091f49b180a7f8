// SPDX-License-Identifier: GPL-2.0
/*
 * The role of a member of a tree, the number of steps that a tree takes, and the smallest possible
 * number of steps.
 */
#include <string.h>

#include "planner.h"

/* Return: true if plan @v has the same members as @p, a plan made for the current faults. */
static bool members_of_now(const struct nl_plan *v, const struct hc_tree_plan *p)
{
	uint32_t words = hc_set_words(p->tree.dim);

	return v->member_words == words &&
	       !memcmp(v->members, p->members, words * sizeof(uint32_t));
}

/* Return: a lower bound of the number of steps, whichever the members are. Each stage takes a step
 * up. With @down, each dimension in which some member differs from the sink also takes a step down.
 */
static uint32_t bound(const struct nl_plan *v, bool down)
{
	uint32_t differ = 0, u;

	for (u = 0; down && u < 32 * v->member_words; u++)
		if (hc_set_has(v->members, u))
			differ |= u ^ v->sink;
	return v->stages + hc_weight32(differ);
}

int tree_truth(const struct nl_plan *v, struct plan_truth *t)
{
	struct hc_tree_least least = {};
	struct hc_tree_plan p;
	const char *why;
	int rc;

	rc = hc_plan_tree_fixed(t->faults, v->sink, v->order, v->stages, &p, &why);
	if (rc)
		return rc;
	t->promise = p.steps + (t->down ? hc_plan_tree_down(&p) : 0);
	t->exact = members_of_now(v, &p);
	t->optimum = bound(v, t->down);
	if (t->search && t->exact) {
		rc = hc_plan_tree_least(t->faults, &p, &least);
		t->optimum = t->down ? least.both : least.up;
		t->exact = least.exact;
	}
	hc_tree_plan_free(&p);
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
