// SPDX-License-Identifier: GPL-2.0
/*
 * Spanning tree plans: their members. These work like the members of a communication tree, but
 * there are no stages, helpers and detours: all sources and destinations are neighbours.
 */
#include <linux/slab.h>

#include "coll/coll.h"
#include "hc_reason.h"
#include "hc_span.h"

/**
 * struct span_plan - private state of a plan
 * @tree: the tree, which the verifier accepts before members are made
 * @steps: number of steps that data takes up the tree; data down the tree takes the same number
 */
struct span_plan {
	struct hc_span tree;
	u32 steps;
};

/**
 * struct span_member - private state of a member
 * @turns: for each source: number of steps after which the source has received the data that is
 *	sent down to it
 */
struct span_member {
	u16 turns[HC_PORTS_MAX];
};

static struct span_plan *span_plan(const struct hc_plan *plan)
{
	return hc_plan_priv(plan);
}

/* Copy the tree from the parameters @p. Set the members only if the array of ports has an entry for
 * each node; the verifier will refuse other arrays.
 */
static bool span_copy(struct hc_plan *plan, const struct hc_plan_params *p)
{
	struct hc_span *tree = &span_plan(plan)->tree;
	u32 u;

	*tree = (struct hc_span){
		.topo = plan->fabric->topo, .root = p->root, .n = p->steps,
		.parent = hc_plan_dup(p->sequence, p->steps, sizeof(u8)),
	};
	for (u = 0; tree->parent && p->steps == tree->topo.nodes && u < p->steps; u++)
		if (hc_span_has(tree, u))
			hc_set_add(plan->members, u);
	return tree->parent;
}

static void span_shape(const struct hc_plan *plan, struct hc_plan_params *p)
{
	const struct hc_span *tree = &span_plan(plan)->tree;

	p->steps = tree->n;
	p->sequence = tree->parent;
}

static void span_release(struct hc_plan *plan)
{
	kvfree(span_plan(plan)->tree.parent);
}

static int span_member_create(struct hc_plan *plan, u32 u, const u16 *up)
{
	const struct span_plan *sp = span_plan(plan);
	struct hc_tree_peer src[HC_PORTS_MAX];
	struct hc_tree_role role;
	struct span_member *sm;
	unsigned int i;
	int err;

	hc_span_role(&sp->tree, up, u, &role, src);
	err = hc_member_create(plan, u, &role, src);
	if (err)
		return err;
	sm = hc_member_priv(plan->member[u]);
	for (i = 0; i < role.nsrc; i++)
		sm->turns[i] = sp->steps + 1 - up[src[i].node];
	plan->member[u]->turns = sm->turns;
	return 0;
}

static int span_members_create(struct hc_plan *plan, const u32 *fault,
			       struct netlink_ext_ack *extack)
{
	struct span_plan *sp = span_plan(plan);
	u32 nodes = plan->fabric->topo.nodes;
	u16 *up = kvmalloc_array(nodes, 3 * sizeof(*up), GFP_KERNEL_ACCOUNT);
	struct hc_reason reason;
	int err;
	u32 u;

	if (!up)
		return -ENOMEM;
	err = hc_span_check(&sp->tree, fault, up, up + nodes, &reason);
	BUILD_BUG_ON(HC_REASON_NONE != HC_REASON_NO_NODE);
	if (err)
		hc_plan_set_reason(extack, reason.why, reason.node);
	else
		sp->steps = up[sp->tree.root];
	for (u = 0; !err && u < nodes; u++)
		if (hc_plan_member_here(plan, u))
			err = span_member_create(plan, u, up);
	kvfree(up);
	return err;
}

/* Return: the number of steps of an operation: up the tree it is that of the plan, down the tree it
 * was counted in frames (.turn).
 */
static u32 span_steps(const struct hc_member *m, const struct hc_op *op)
{
	return op->turn + span_plan(m->plan)->steps;
}

#define SPAN_PLAN								\
	.id = HYPERCUBE_PLAN_SPAN,						\
	.parts = HC_PLAN_ROOT | HC_PLAN_SEQUENCE,				\
	.plan_size = sizeof(struct span_plan),					\
	.member_size = sizeof(struct span_member),				\
	.copy = span_copy, .shape = span_shape, .release = span_release,	\
	.members_create = span_members_create,					\
	.ack = &hc_ack_root, .window = HC_OP_WINDOW, .up_window = HC_OP_WINDOW,	\
	.all_contribute = true, .results_follow = true, .steps = span_steps

static const struct hc_plan_ops span_guarded = { SPAN_PLAN, .colls = hc_tree_guarded_colls };

const struct hc_plan_ops hc_plan_span = {
	SPAN_PLAN, .colls = hc_tree_colls, .guarded = &span_guarded,
};
