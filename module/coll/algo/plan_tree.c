// SPDX-License-Identifier: GPL-2.0
/*
 * Tree plans: their members. The role of a member follows from the FAULT words of its node and of
 * the neighbours to which the node has usable links (hc_tree_role()). These are the FAULT words
 * with which the plan was verified.
 */
#include <linux/slab.h>

#include "coll/coll.h"
#include "coll/detour.h"

/* Return: the tree that the verifier has accepted. */
static struct hc_tree *plan_tree(const struct hc_plan *plan)
{
	return hc_plan_priv(plan);
}

static bool tree_copy(struct hc_plan *plan, const struct hc_plan_params *p)
{
	struct hc_tree *tree = plan_tree(plan);

	tree->dim = plan->fabric->topo.dim;
	tree->sink = p->root;
	tree->members = plan->members;
	tree->stages = p->stages;
	memcpy(tree->order, p->order, p->stages);
	tree->ndetours = p->ndetours;
	tree->detours = hc_plan_dup(p->detours, p->ndetours, sizeof(*p->detours));
	plan->stages = tree->stages;
	plan->detours = tree->detours;
	plan->ndetours = tree->detours ? tree->ndetours : 0;
	return tree->detours;
}

static void tree_shape(const struct hc_plan *plan, struct hc_plan_params *p)
{
	const struct hc_tree *tree = plan_tree(plan);

	p->stages = tree->stages;
	memcpy(p->order, tree->order, tree->stages);
	p->detours = tree->detours;
	p->ndetours = tree->ndetours;
	p->ways = plan->ways;
}

static void tree_release(struct hc_plan *plan)
{
	hc_ways_free(plan);
	kvfree(plan_tree(plan)->detours);
}

static int tree_check(const struct hc_plan *plan, const u32 *fault,
		      struct netlink_ext_ack *extack)
{
	struct hc_tree_reason reason = { .why = "the plan is not valid" };
	const struct hc_tree *tree = plan_tree(plan);
	u32 *work = kvmalloc_array(HC_TREE_WORK(tree->dim), sizeof(u32), GFP_KERNEL_ACCOUNT);
	int err;

	if (!work)
		return -ENOMEM;
	err = hc_tree_check(tree, fault, work, &reason);
	kvfree(work);
	if (err)
		hc_plan_set_reason(extack, reason.why, HC_REASON_NO_NODE);
	return err;
}

static int tree_member_create(struct hc_plan *plan, u32 u, const u32 *fault)
{
	const struct hc_tree *tree = plan_tree(plan);
	unsigned int max = 2 * tree->stages + tree->ndetours;
	u32 nb[HYPERCUBE_DIM_MAX];
	struct hc_tree_peer *src;
	struct hc_tree_role role;
	unsigned int d;
	int err;

	for (d = 0; d < tree->dim; d++)
		nb[d] = fault[hc_neigh(u, d)];
	src = kvmalloc_array(max_t(unsigned int, max, 1), sizeof(*src), GFP_KERNEL_ACCOUNT);
	if (!src)
		return -ENOMEM;
	err = hc_tree_role(tree, u, fault[u], nb, &role, src, max);
	if (!err)
		err = hc_member_create(plan, u, &role, src);
	kvfree(src);
	return err;
}

static int tree_members_create(struct hc_plan *plan, const u32 *fault,
			       struct netlink_ext_ack *extack)
{
	int err = tree_check(plan, fault, extack) ?: hc_ways_make(plan, fault, extack);
	u32 u;

	for (u = 0; !err && u < plan->fabric->topo.nodes; u++)
		if (hc_plan_member_here(plan, u))
			err = tree_member_create(plan, u, fault);
	return err;
}

const struct hc_coll_ops *const hc_tree_colls[] = {
	&hc_tree_reduce,
	&hc_tree_allreduce,
	&hc_tree_barrier,
	&hc_tree_reduce_scatter,
	&hc_merge_reduce,
	&hc_merge_allreduce,
	&hc_tree_gather,
	&hc_tree_scatter,
	&hc_tree_allgather,
	NULL
};

/* The collectives of guarded trees. Alltoall is one of them, because an epoch of another plan type
 * may have begun an alltoall, which goes on in the next epoch.
 */
const struct hc_coll_ops *const hc_tree_guarded_colls[] = {
	&hc_tree_reduce,
	&hc_tree_allreduce,
	&hc_tree_barrier,
	&hc_tree_reduce_scatter,
	&hc_merge_reduce,
	&hc_merge_allreduce,
	&hc_tree_gather,
	&hc_tree_scatter,
	&hc_tree_allgather,
	&hc_tree_alltoall,
	NULL
};

#define TREE_PLAN								\
	.id = HYPERCUBE_PLAN_TREE,						\
	.cube = true,								\
	.parts = HC_PLAN_ROOT | HC_PLAN_ORDER | HC_PLAN_MEMBERS | HC_PLAN_DETOURS, \
	.plan_size = sizeof(struct hc_tree),					\
	.copy = tree_copy, .shape = tree_shape, .release = tree_release,	\
	.members_create = tree_members_create,					\
	.ack = &hc_ack_root, .window = HC_OP_WINDOW, .up_window = HC_OP_WINDOW,	\
	.all_contribute = true, .results_follow = true

static const struct hc_plan_ops tree_guarded = { TREE_PLAN, .colls = hc_tree_guarded_colls };

const struct hc_plan_ops hc_plan_tree = {
	TREE_PLAN, .colls = hc_tree_colls, .guarded = &tree_guarded,
};
