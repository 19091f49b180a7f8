// SPDX-License-Identifier: GPL-2.0
/*
 * Chains: a plan type for a line of nodes. A reduction travels along the line to the sink, which is
 * at one end.
 *
 * A plan consists of the sink and a sequence of dimensions, which lead from the sink to all
 * members, one after the other. Each member merges the data of the member behind it into its own
 * data, and sends the result to the member before it. So a chain is a tree in which each member has
 * at most one source.
 */
#include <linux/netlink.h>

#include "coll/coll.h"
#include "fabric/fabric.h"

/**
 * struct chain - the part of a plan that is specific to chains
 * @steps: number of links from the sink to the other end
 * @dim: dimensions of these links, from the sink on
 */
struct chain {
	u32 steps;
	const u8 *dim;
};

static struct chain *plan_chain(const struct hc_plan *plan)
{
	return hc_plan_priv(plan);
}

/* A dimension that the cube does not have adds no member here, so chain_check() refuses the plan:
 * it has too few members.
 */
static bool chain_copy(struct hc_plan *plan, const struct hc_plan_params *p)
{
	struct chain *c = plan_chain(plan);
	u32 u = p->root, i;

	hc_set_add(plan->members, u);
	for (i = 0; i < p->steps; i++) {
		if (p->sequence[i] < plan->fabric->topo.dim)
			u = hc_neigh(u, p->sequence[i]);
		hc_set_add(plan->members, u);
	}
	c->steps = p->steps;
	c->dim = hc_plan_dup(p->sequence, p->steps, sizeof(u8));
	return c->dim;
}

static void chain_shape(const struct hc_plan *plan, struct hc_plan_params *p)
{
	p->steps = plan_chain(plan)->steps;
	p->sequence = plan_chain(plan)->dim;
}

static void chain_release(struct hc_plan *plan)
{
	kvfree(plan_chain(plan)->dim);
}

/* Refuse a line that has a node twice, or a link that is faulty at either end. */
static int chain_check(const struct hc_plan *plan, const u32 *fault,
		       struct netlink_ext_ack *extack)
{
	const struct chain *c = plan_chain(plan);
	u32 u = plan->root, i;

	if (plan->nmembers != c->steps + 1) {
		hc_plan_set_reason(extack, "the line comes to a node twice", HC_REASON_NO_NODE);
		return -EINVAL;
	}
	for (i = 0; i < c->steps; i++) {
		u32 next = hc_neigh(u, c->dim[i]);

		if ((fault[u] | fault[next]) & hc_bit(c->dim[i])) {
			hc_plan_set_reason(extack, "the line uses a faulty link", u);
			return -EINVAL;
		}
		u = next;
	}
	return 0;
}

static struct hc_tree_peer peer_along(u32 u, u8 dim)
{
	return (struct hc_tree_peer){
		.node = hc_neigh(u, dim),
		.dim = dim,
		.how = HC_TREE_DIRECT,
		.parts = 1,
	};
}

static int chain_members_create(struct hc_plan *plan, const u32 *fault,
				struct netlink_ext_ack *extack)
{
	int err = chain_check(plan, fault, extack);
	const struct chain *c = plan_chain(plan);
	u32 u = plan->root, i;

	for (i = 0; !err && i <= c->steps; i++) {
		struct hc_tree_role role = { .nsrc = i < c->steps, .ndst = i > 0 };
		struct hc_tree_peer src = {};

		if (role.ndst)
			role.dst[0] = peer_along(u, c->dim[i - 1]);
		if (role.nsrc)
			src = peer_along(u, c->dim[i]);
		err = hc_member_create(plan, u, &role, &src);
		if (role.nsrc)
			u = src.node;
	}
	return err;
}

/* Return: number of steps of an operation. A chain has no stages to count, but the operation's
 * clock is the number of links that it has crossed one after the other.
 */
static u32 chain_steps(const struct hc_member *m, const struct hc_op *op)
{
	return op->clock;
}

static const struct hc_coll_ops *const chain_colls[] = { &hc_tree_reduce, &hc_merge_reduce, NULL };

const struct hc_plan_ops hc_plan_chain = {
	.id = HYPERCUBE_PLAN_CHAIN,
	.parts = HC_PLAN_ROOT | HC_PLAN_SEQUENCE,
	.plan_size = sizeof(struct chain),
	.copy = chain_copy, .shape = chain_shape, .release = chain_release,
	.members_create = chain_members_create, .colls = chain_colls,
	.ack = &hc_ack_root, .window = HC_OP_WINDOW, .up_window = HC_OP_WINDOW,
	.all_contribute = true, .steps = chain_steps,
};
