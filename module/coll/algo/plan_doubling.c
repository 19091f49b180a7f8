// SPDX-License-Identifier: GPL-2.0
/*
 * Recursive doubling: the plan type, for allreduce, barrier, and collectives with blocks of all
 * members or for all members, without a root. doubling.c has the collectives.
 *
 * How far can a peer be ahead? Let the frames of one stage be numbered over all segments of all
 * operations. At stage i a member sends its frame s, then takes the peer's frame s from the queue
 * of this stage, then continues. So the peer sends frame s + 1 only after it has received this
 * member's frame s. This member takes the peer's frame s in the poll in which it sends its own
 * frame s, if the peer's frame is in the queue by then; otherwise when the frame arrives, since the
 * member waits for nothing else. Hence the queue of the stage is empty when frame s + 1 arrives: it
 * never has more than one frame, and the n queues of a member have at most n frames together. So no
 * credits are needed, and a process is charged only for its own contribution (.lockstep). If frame
 * s is for the last segment of operation k, frame s + 1 belongs to k + 1: a member that works on k
 * receives no frames of operations above k + 1.
 *
 * Completion. An operation is done at a member when its process has the result. So .done and .head
 * move together, and no ACKs are sent. A member that has the result has sent all data that other
 * members need for theirs, so its process may leave then. When the plan breaks, each member fails
 * all its pending operations, and no others.
 *
 * Numbering around END (see coll/end.c). A member sends frames of operation k only when all
 * operations below k are done at this member, and no member has a result of k without these frames.
 * So within a generation
 *
 *	done(v) <= done(u) + 1 for all members u, v.			(1)
 *
 * A member sends END of k if it does not contribute all of k, or if it detects that another member
 * contributes with other parameters to k. So no member has the result of k: done(v) <= k for all v.
 * (A member that lacks memory for k after its process has contributed may have sent all data that
 * others need. It does not send END, but breaks the plan: hc_fail().) All operations below k are
 * complete at all members before the generation ends: each member sends the data that others need
 * for them, unless it sends END of a lower number.
 *
 * A peer that is in the next generation has received END from this member, and operation k - 1 is
 * done at the peer. So by (1) the only operation below k that this member may still have to
 * complete is k - 1. The peer sends no frames of operations above k + 1, since for these it needs
 * this member's frames. A member begins an operation only if its number is less than done +
 * HC_OP_WINDOW - 2 (.window), so all these operations have different slots in ops[].
 */
#include <linux/netlink.h>

#include "coll/coll.h"
#include "compat.h"
#include "hc_doubling.h"

/* Return: the verified plan. */
static struct hc_doubling *plan_doubling(const struct hc_plan *plan)
{
	return hc_plan_priv(plan);
}

/* Copy the plan from its parameters, and make all nodes of the subcube members. */
static bool doubling_copy(struct hc_plan *plan, const struct hc_plan_params *p)
{
	struct hc_doubling *d = plan_doubling(plan);
	u32 u;

	*d = (struct hc_doubling){
		.dim = plan->fabric->topo.dim,
		.stages = p->stages,
		.base = p->root,
	};
	memcpy(d->order, p->order, p->stages);
	plan->stages = p->stages;
	for (u = 0; u < plan->fabric->topo.nodes; u++)
		if (hc_doubling_has(d, u))
			hc_set_add(plan->members, u);
	return true;
}

static void doubling_shape(const struct hc_plan *plan, struct hc_plan_params *p)
{
	const struct hc_doubling *d = plan_doubling(plan);

	p->stages = d->stages;
	memcpy(p->order, d->order, d->stages);
}

static int doubling_member_create(struct hc_plan *plan, u32 u)
{
	const struct hc_doubling *d = plan_doubling(plan);
	struct hc_tree_peer src[HYPERCUBE_DIM_MAX];
	struct hc_tree_role role = { .active = d->stages, .nsrc = d->stages };
	unsigned int i;

	for (i = 0; i < d->stages; i++)
		src[i] = (struct hc_tree_peer){
			.node = hc_neigh(u, d->order[i]),
			.stage = i,
			.dim = d->order[i],
			.how = HC_TREE_DIRECT,
		};
	return hc_member_create(plan, u, &role, src);
}

static void reason_put(const struct hc_reason *reason, struct netlink_ext_ack *extack)
{
	if (!extack)
		return;
	if (reason->dim != HC_REASON_NONE)
		HC_SET_ERR_MSG_FMT(extack, "%s: %u:%u", reason->why, reason->node, reason->dim);
	else if (reason->node != HC_REASON_NONE)
		HC_SET_ERR_MSG_FMT(extack, "%s: node %u", reason->why, reason->node);
	else
		extack->_msg = reason->why;
}

static int doubling_members_create(struct hc_plan *plan, const u32 *fault,
				   struct netlink_ext_ack *extack)
{
	struct hc_reason reason;
	int err = hc_doubling_check(plan_doubling(plan), fault, &reason);
	u32 u;

	if (err)
		reason_put(&reason, extack);
	for (u = 0; !err && u < plan->fabric->topo.nodes; u++)
		if (hc_plan_member_here(plan, u))
			err = doubling_member_create(plan, u);
	return err;
}

#define DOUBLING_PLAN						\
	.id = HYPERCUBE_PLAN_DOUBLING,				\
	.cube = true,						\
	.parts = HC_PLAN_ROOT | HC_PLAN_ORDER,			\
	.plan_size = sizeof(struct hc_doubling),		\
	.copy = doubling_copy, .shape = doubling_shape,		\
	.members_create = doubling_members_create,		\
	.ack = &hc_ack_alone, .window = HC_OP_WINDOW - 2,	\
	.all_contribute = true, .lockstep = true

static const struct hc_plan_ops doubling_guarded = {
	DOUBLING_PLAN, .colls = hc_doubling_guarded_colls,
};

const struct hc_plan_ops hc_plan_doubling = {
	DOUBLING_PLAN, .colls = hc_doubling_colls, .guarded = &doubling_guarded,
};
