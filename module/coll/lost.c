// SPDX-License-Identifier: GPL-2.0
/*
 * What a fault costs: a link that fails, and a frame of an operation that goes no further.  Where a
 * plan takes that way, operations fail (coll/abort.c).
 */
#include "coll/coll.h"
#include "coll/detour.h"
#include "coll/rx.h"
#include "fabric/frame.h"
#include "route/route.h"

/* A node that is no member has news for the members: the root spreads it.  If that gets lost, the
 * ends of the detour find out (coll/stall.c).
 */
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

/* The oldest operation that may miss a frame that a peer or this member has sent: one whose
 * result is still coming down, else the oldest not handed over.
 */
u64 hc_first_at_risk(const struct hc_member *m)
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
		.from = m ? hc_first_at_risk(m) : 0,
		.status = ENOLINK,
		.node = node->id,
		.dim = dim,
		.flags = HC_ABORT_F_BROKEN,
	};
	bool concerned = (m && hc_member_uses(m, dim)) ||
			 hc_ways_take(plan, node->id, dim);

	if (concerned && m)
		hc_coll_abort_go_on(m, &abort);
	else if (concerned)
		abort_route(node, plan, &abort);
}

void hc_plan_lost(struct hc_member *m)
{
	const struct hc_abort abort = {
		.from = hc_first_at_risk(m),
		.status = EHOSTUNREACH,
		.node = READ_ONCE(m->plan->lost),
		.dim = HC_CAUSE_NONE,
		.flags = HC_ABORT_F_BROKEN,
	};

	hc_coll_abort_go_on(m, &abort);
}

void hc_coll_undeliverable(struct hc_node *node, unsigned int dim, struct sk_buff *skb,
			   unsigned int why)
{
	const struct hc_wire_plan *of = hc_frame_plan(skb);
	bool lacks = hc_link_errno(why) == -ENOBUFS;
	struct hc_abort abort = {
		.from = be64_to_cpu(of->op),
		/* A frame may find a link of the plan down before the node has heard of that. */
		.status = why == HYPERCUBE_A_DROP_NO_MEMORY ? ENOMEM : lacks ? ENOBUFS : ENOLINK,
		.node = node->id,
		.dim = lacks ? HC_CAUSE_NONE : dim,
		.flags = lacks ? 0 : HC_ABORT_F_BROKEN,
	};
	struct hc_member *m;
	struct hc_plan *plan;

	/* ABORT itself is not worth a second ABORT; the ends of a detour find what is missing. */
	if (!hc_frame_is(skb, HC_FT_NEEDED) || hc_hdr(skb)->flags & HC_FRAME_F_ROUTED)
		return;
	rcu_read_lock();
	plan = xa_load(&node->fabric->plans, be32_to_cpu(of->plan));
	m = plan && plan->tag == be32_to_cpu(of->epoch) ? plan->member[node->id] : NULL;
	/* Else it is of no use to anybody, or says what cannot be. */
	if (m && hc_member_uses(m, dim) && abort.from >= m->base && hc_nr_fits(m, abort.from))
		hc_coll_abort(m, &abort, HC_CAUSE_NONE);
	rcu_read_unlock();
}
