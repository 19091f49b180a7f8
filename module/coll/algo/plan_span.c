// SPDX-License-Identifier: GPL-2.0
/*
 * Spanning trees: their members. Members of a spanning tree work like those of a communication
 * tree, but without stages, helpers and detours: all their sources and destinations are neighbours.
 */
#include <linux/slab.h>

#include "coll/coll.h"
#include "hc_reason.h"
#include "hc_span.h"

/**
 * struct span_plan - private state of a plan
 * @tree: the tree; the verifier has accepted it when members exist
 * @steps: number of steps that data takes up the tree; it takes as many down
 */
struct span_plan {
	struct hc_span tree;
	u32 steps;
};

/**
 * struct span_member - private state of a member
 * @turns: for each source: number of steps after which it has received what is sent down to it
 */
struct span_member {
	u16 turns[HC_PORTS_MAX];
};

static struct span_plan *span_plan(const struct hc_plan *plan)
{
	return hc_plan_priv(plan);
}

/* Copy the tree. The set of members is filled in only if the array has the right length; the
 * verifier refuses arrays of other lengths.
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

/* The number of steps up is that of the plan; frames count the steps down (.turn). */
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
