// SPDX-License-Identifier: GPL-2.0
/*
 * What a fault costs: a link that fails, and a frame of an operation that goes no further.  Where a
 * plan takes that way, operations fail (coll/abort.c).
 */
#include "coll/coll.h"
#include "coll/rx.h"
#include "fabric/frame.h"
#include "route/route.h"

/* A node that is no member has news for the members: the root spreads it. */
static void abort_route(struct hc_node *node, struct hc_plan *plan, const struct hc_abort *abort)
{
	struct sk_buff *skb = hc_abort_alloc(node, abort);
	struct hc_wire_plan *of;

	if (!skb)
		return;
	of = hc_wire_plan_of(skb);
	of->plan = cpu_to_be32(plan->id);
	of->epoch = cpu_to_be32(plan->tag);
	hc_route_xmit(node, plan->root, skb);
}

static bool peer_uses(const struct hc_tree_peer *p, unsigned int dim)
{
	return p->how != HC_TREE_DETOUR && p->dim == dim;
}

bool hc_member_uses(const struct hc_member *m, unsigned int dim)
{
	unsigned int i;

	for (i = 0; i < m->role.nsrc; i++)
		if (peer_uses(&m->src[i], dim))
			return true;
	for (i = 0; i < m->role.ndst; i++)
		if (peer_uses(&m->role.dst[i], dim))
			return true;
	return false;
}

/* Does a detour begin or end at a node?  If its link fails, the node may have. */
static bool detour_ends_at(const struct hc_plan *plan, u32 node)
{
	unsigned int i;

	for (i = 0; i < plan->ndetours; i++)
		if (plan->detours[i].from == node || plan->detours[i].to == node)
			return true;
	return false;
}

/* The oldest operation that may miss a frame that a peer or this member has sent: one whose
 * result is still coming down, else the oldest not handed over.
 */
static u64 first_at_risk(struct hc_member *m)
{
	const struct hc_op *op = NULL;

	if (m->plan->ops->results_follow)
		op = hc_op_next(m, m->done, m->head);
	while (op && !op->coll->comes_down)
		op = hc_op_next(m, op->nr + 1, m->head);
	return op ? op->nr : m->head;
}

void hc_plan_fault(struct hc_node *node, struct hc_plan *plan, unsigned int dim)
{
	struct hc_member *m = plan->member[node->id];
	struct hc_abort abort = {
		.from = m ? first_at_risk(m) : 0,
		.status = ENOLINK,
		.node = node->id,
		.dim = dim,
		.flags = HC_ABORT_F_BROKEN,
	};
	bool concerned = (m && hc_member_uses(m, dim)) ||
			 detour_ends_at(plan, hc_neigh(node->id, dim));

	if (concerned && m)
		hc_coll_abort_go_on(m, &abort);
	else if (concerned)
		abort_route(node, plan, &abort);
}

void hc_plan_lost(struct hc_member *m)
{
	const struct hc_abort abort = {
		.from = first_at_risk(m),
		.status = EHOSTUNREACH,
		.node = READ_ONCE(m->plan->lost),
		.dim = HC_CAUSE_NONE,
		.flags = HC_ABORT_F_BROKEN,
	};

	hc_coll_abort_go_on(m, &abort);
}

/* Is the link on a way that the plan takes? On any other nobody misses a frame. */
static bool plan_misses(const struct hc_plan *plan, const struct hc_node *node, unsigned int dim,
			const struct hc_hdr *hdr)
{
	const struct hc_member *m = plan->member[node->id];
	u32 src = be16_to_cpu(hdr->src), dst = be16_to_cpu(hdr->dst);
	unsigned int i;

	if (!(hdr->flags & HC_FRAME_F_ROUTED))
		return m && hc_member_uses(m, dim);
	for (i = 0; i < plan->ndetours; i++) {
		const struct hc_detour *d = &plan->detours[i];

		if ((d->from == src && d->to == dst) || (d->from == dst && d->to == src))
			return true;
	}
	return false;
}

void hc_coll_undeliverable(struct hc_node *node, unsigned int dim, struct sk_buff *skb,
			   unsigned int why)
{
	const struct hc_wire_plan *of = hc_frame_plan(skb);
	bool memory = why == HYPERCUBE_A_DROP_NO_MEMORY, full = why == HYPERCUBE_A_DROP_QUEUE_FULL;
	/* A frame may find a link of the plan down before the node has heard of that. */
	int cut = hc_hdr(skb)->flags & HC_FRAME_F_ROUTED ? EHOSTUNREACH : ENOLINK;
	struct hc_abort abort = {
		.from = be64_to_cpu(of->op),
		.status = memory ? ENOMEM : full ? ENOBUFS : cut,
		.node = node->id,
		.dim = dim < node->fabric->dim && !memory && !full ? dim : HC_CAUSE_NONE,
		.flags = memory || full ? 0 : HC_ABORT_F_BROKEN,
	};
	struct hc_plan *plan;

	/* ABORT itself is not worth a second ABORT; the others repeat. */
	if (!hc_frame_is(skb, HC_FT_NEEDED))
		return;
	rcu_read_lock();
	plan = xa_load(&node->fabric->plans, be32_to_cpu(of->plan));
	if (plan && plan->tag == be32_to_cpu(of->epoch) &&
	    plan_misses(plan, node, dim, hc_hdr(skb))) {
		struct hc_member *m = plan->member[node->id];

		if (!m)
			abort_route(node, plan, &abort);
		/* Else it is of no use to anybody, or says what cannot be. */
		else if (abort.from >= m->base && hc_nr_fits(m, abort.from))
			hc_coll_abort(m, &abort, HC_CAUSE_NONE);
	}
	rcu_read_unlock();
}
