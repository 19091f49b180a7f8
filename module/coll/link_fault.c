// SPDX-License-Identifier: GPL-2.0
/*
 * The effect of faults on operations: if a link fails, or a frame of an operation cannot be
 * forwarded, operations of plans that use the link fail (coll/end.c).
 */
#include "coll/coll.h"
#include "coll/detour.h"
#include "coll/rx.h"
#include "fabric/frame.h"
#include "route/route.h"

/* Send STOP to the root from a node that is on the path of a failed detour, but no member. If the
 * STOP is lost, the members at the ends of the detour detect the fault (coll/liveness.c).
 */
static void stop_route(struct hc_node *node, struct hc_plan *plan, const struct hc_end *cause)
{
	struct sk_buff *skb = hc_end_word(node, HC_FRAME_STOP, 0, cause);
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

/* Act on the failure of the link along dimension @dim to peers, or of the links along all
 * dimensions if @dim is HC_CAUSE_NONE.
 */
static void peers_cut(struct hc_member *m, unsigned int dim, const struct hc_end *cause)
{
	bool above = false;
	unsigned int i;

	if (m->plan->ops->ack->way == HC_ACK_ALONE) {
		hc_broke(m, cause);
		return;
	}
	hc_plan_breaks(m, cause);
	for (i = 0; i < m->role.nsrc && !m->gen.broken; i++)
		if (dim == HC_CAUSE_NONE || peer_uses(&m->src[i], dim))
			hc_cut_below(m, i, *cause);
	for (i = 0; i < m->role.ndst; i++)
		above |= dim == HC_CAUSE_NONE || peer_uses(&m->role.dst[i], dim);
	if (above)
		hc_cut_above(m, *cause);
}

/* Act on the failure of the link along dimension @dim of the member's node, which is on the path of
 * a detour that ends at the member or passes through its node.
 */
static void way_cut(struct hc_member *m, unsigned int dim, const struct hc_end *cause)
{
	unsigned int i;

	hc_plan_breaks(m, cause);
	for (i = 0; i < m->role.nsrc && !m->gen.broken; i++)
		if (m->src[i].how == HC_TREE_DETOUR && hc_detour_dim(m, m->src[i].node) == dim)
			hc_cut_below(m, i, *cause);
	for (i = 0; i < m->role.ndst && !m->gen.broken; i++)
		if (m->role.dst[i].how == HC_TREE_DETOUR &&
		    hc_detour_dim(m, m->role.dst[i].node) == dim)
			hc_cut_above(m, *cause);
	if (!m->gen.broken)
		hc_over(m, *cause);
}

void hc_plan_cut(struct hc_node *node, struct hc_plan *plan, unsigned int dim)
{
	struct hc_member *m = plan->member[node->id];
	const struct hc_end cause = { .status = ENOLINK, .node = node->id, .dim = dim };

	if (m && hc_member_uses(m, dim))
		peers_cut(m, dim, &cause);
	if (!hc_ways_take(plan, node->id, dim))
		return;
	if (m)
		way_cut(m, dim, &cause);
	else
		stop_route(node, plan, &cause);
}

void hc_plan_fault(struct hc_node *node, struct hc_plan *plan, unsigned int dim)
{
	struct hc_member *m = plan->member[node->id];

	hc_plan_cut(node, plan, dim);
	if (m)
		hc_advance(m);
}

void hc_member_cut(struct hc_member *m, const struct hc_end *cause)
{
	peers_cut(m, HC_CAUSE_NONE, cause);
	/* For a root without peers, peers_cut() does nothing, so break the plan here. */
	if (!m->gen.broken && hc_member_is_root(m))
		hc_over(m, *cause);
	hc_advance(m);
}

void hc_plan_lost(struct hc_member *m)
{
	const struct hc_end cause = hc_cause(EHOSTUNREACH, READ_ONCE(m->plan->lost));

	hc_member_cut(m, &cause);
}

void hc_way_lost(struct hc_member *m, const struct hc_tree_peer *peer, const struct hc_end *cause)
{
	int i = hc_src_index(m, peer->node);

	if (m->plan->ops->ack->way == HC_ACK_ALONE) {
		hc_broke(m, cause);
		return;
	}
	hc_plan_breaks(m, cause);
	if (i >= 0) {
		hc_cut_below(m, i, *cause);
		return;
	}
	for (i = 0; i < (int)m->role.ndst; i++)
		if (m->role.dst[i].node == peer->node)
			m->role.dst[i].away = true;
	hc_cut_above(m, *cause);
}

/* Return: the generation in a frame of an operation, DATA or CREDIT. */
static u32 gen_of(const struct sk_buff *skb)
{
	return be32_to_cpu(hc_hdr(skb)->type == HC_FRAME_DATA ? hc_wire_data_of(skb)->gen :
								 hc_wire_credit_of(skb)->gen);
}

void hc_coll_undeliverable(struct hc_node *node, unsigned int dim, struct sk_buff *skb,
			   unsigned int why)
{
	const struct hc_wire_plan *of = hc_frame_plan(skb);
	bool lacks = hc_link_errno(why) == -ENOBUFS;
	const struct hc_end cause = {
		.status = why == HYPERCUBE_A_DROP_NO_MEMORY ? ENOMEM : ENOBUFS,
		.node = node->id, .dim = HC_CAUSE_NONE,
	};
	u64 nr = be64_to_cpu(of->op);
	struct hc_member *m;
	struct hc_plan *plan;

	/* The loss of a frame on a detour is detected by the ends of the detour; control messages
	 * that were sent by unicast are sent again.
	 */
	if (hc_hdr(skb)->flags & HC_FRAME_F_ROUTED)
		return;
	rcu_read_lock();
	plan = xa_load(&node->fabric->plans, be32_to_cpu(of->plan));
	m = plan && plan->tag == be32_to_cpu(of->epoch) ? plan->member[node->id] : NULL;
	/* The link may have failed before this node's poll has been notified of it. */
	if (m && hc_member_uses(m, dim) && !lacks) {
		hc_plan_cut(node, plan, dim);
		hc_member_again(m);
	} else if (m && hc_member_uses(m, dim) && hc_is_awaited(m, gen_of(skb), nr)) {
		hc_fail(m, nr, cause);
	}
	rcu_read_unlock();
}
