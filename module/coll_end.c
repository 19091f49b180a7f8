// SPDX-License-Identifier: GPL-2.0
/*
 * Failure of operations: how it is noted, told to the process, and spread.
 *
 * A failure (END) names the first operation it hits, f.  Operations below f go
 * on; those in [f, f + HC_OP_WINDOW) are over, and every member's numbering
 * jumps to f + HC_OP_WINDOW.  No member can have begun a higher one: a member
 * begins operation k only if all below k - HC_OP_WINDOW are done, and f is not.
 * So after a failure all members agree on the next number again, whatever each
 * of them had contributed.  END travels along the tree's edges in both
 * directions and a member passes it on only if it brings news, so it ends.
 *
 * A fault of a link that the plan uses breaks the plan: END with
 * HC_END_F_BROKEN ends everything pending, and nothing begins until a plan for
 * the new faults is installed.  What a member had handed over may have reached
 * the sink before; the sink, once it hears of the fault, says which operations
 * were complete, and that word goes down the tree like any END.
 */
#include "coll.h"
#include "netlink.h"

static void end_fill(struct sk_buff *skb, const struct hc_end *end)
{
	struct hc_wire_end *w = hc_payload(skb);

	hc_hdr(skb)->op = cpu_to_be64(end->from);
	w->status = cpu_to_be32(end->status);
	w->node = cpu_to_be16(end->node);
	w->dim = cpu_to_be16(end->dim);
	w->flags = cpu_to_be32(end->flags);
}

struct sk_buff *hc_end_alloc(struct hc_node *node, const struct hc_end *end)
{
	struct sk_buff *skb = hc_frame_alloc(node, HC_FRAME_END, sizeof(struct hc_wire_end),
					     GFP_ATOMIC);

	if (skb)
		end_fill(skb, end);
	return skb;
}

static void end_xmit(struct hc_member *m, const struct hc_end *end, u32 from_peer)
{
	unsigned int i;

	for (i = 0; i < m->role.nsrc + m->role.ndst; i++) {
		const struct hc_tree_peer *peer = i < m->role.nsrc ?
			&m->src[i] : &m->role.dst[i - m->role.nsrc];
		struct sk_buff *skb;

		if (peer->node == from_peer)
			continue;
		skb = hc_end_alloc(m->node, end);
		/* A peer left out asks after a second: see hc_stall_check(). */
		if (!skb)
			return;
		hc_peer_xmit(m, peer, skb);
	}
}

bool hc_ended(const struct hc_member *m, u64 nr)
{
	return m->end_to && nr >= m->end.from && nr < m->end_to;
}

/* Numbers inside the failed range are skipped. */
void hc_numbers_skip(struct hc_member *m)
{
	if (hc_ended(m, m->next))
		WRITE_ONCE(m->next, m->end_to);
	if (hc_ended(m, m->head))
		m->head = m->end_to;
	if (hc_ended(m, m->done))
		WRITE_ONCE(m->done, m->end_to);
}

/* Make [from, from + HC_OP_WINDOW) part of the failed range; false: nothing new. */
static bool end_note(struct hc_member *m, const struct hc_end *end)
{
	u64 to = end->from + HC_OP_WINDOW;

	if (m->end_to && end->from >= m->end.from && to <= m->end_to)
		return false;
	if (!m->end_to || end->from >= m->end_to || to < m->end.from) {
		m->end = *end;
		m->end_to = to;
	} else {
		u64 from = min(m->end.from, end->from);

		m->end = *end;
		m->end.from = from;
		m->end_to = max(m->end_to, to);
	}
	return true;
}

static void status_end(struct hc_member *m, struct hc_op *op, u32 rec, u64 nr)
{
	struct hypercube_result res = {
		.status = -(s32)m->end.status,
		.plan = m->plan->id,
		.op = nr,
		.cookie = op ? op->cookie : 0,
		.cause_node = m->end.node == HC_CAUSE_NONE ? ~0U : m->end.node,
		.cause_dim = m->end.dim == HC_CAUSE_NONE ? ~0U : m->end.dim,
		.collective = HYPERCUBE_REDUCE,
	};

	hc_sock_status(m->node, &res, rec);
}

static void op_fail(struct hc_member *m, struct hc_op *op)
{
	if (op->begun)
		status_end(m, op, op->rec, op->nr);
	if (m->cur_open && m->cur == op->nr)
		m->cur_open = false;
	hc_op_drop(m, op);
}

/* Fail what is pending from @from on; with @doubt but for what was handed over.
 * True if the process was told of any.
 */
static bool ops_fail(struct hc_member *m, u64 from, bool doubt)
{
	bool told = false;
	unsigned int i;

	for (i = 0; i < HC_OP_WINDOW; i++) {
		struct hc_op *op = m->ops[i];

		if (!op || op->nr < from || (doubt && op->handed))
			continue;
		told |= op->begun;
		op_fail(m, op);
	}
	return told;
}

void hc_end_settle(struct hc_member *m, u64 done)
{
	unsigned int i;

	m->final = true;
	for (i = 0; i < HC_OP_WINDOW; i++) {
		struct hc_op *op = m->ops[i];

		if (op && op->handed && op->nr < done)
			hc_op_complete(m, op, 0, 0, 0);
		else if (op)
			op_fail(m, op);
	}
	WRITE_ONCE(m->done, m->head);
}

/* A fault breaks the plan.  What this member has handed over may be complete at
 * the sink; it stays in doubt until the sink says so (HC_END_F_FINAL) or silence
 * lasts too long (coll_stall.c).  Returns whether that was news.
 */
static bool plan_break(struct hc_member *m, struct hc_end *end)
{
	bool news = !m->broken;

	if (news) {
		m->broken = true;
		m->end = *end;
		if (!m->plan->broken) {
			WRITE_ONCE(m->plan->cause_node, end->node);
			WRITE_ONCE(m->plan->cause_dim, end->dim);
			/* Pairs with the acquire in sock.c and netlink: cause before flag. */
			smp_store_release(&m->plan->broken, true);
			hc_notify_plan(m->plan, HYPERCUBE_CMD_PLAN_NTF);
		}
		ops_fail(m, 0, true);
	}
	if (hc_member_is_sink(m) && news) {
		end->from = m->done;
		end->flags |= HC_END_F_FINAL;
	}
	if (end->flags & HC_END_F_FINAL && !m->final) {
		m->end = *end;
		hc_end_settle(m, end->from);
		news = true;
	}
	return news;
}

static void event_end(struct hc_member *m, const struct hc_end *end)
{
	struct hc_op_event ev = {
		.node = m->node->id,
		.nr = end->from,
		.status = -(int)end->status,
		.cause_node = end->node,
		.cause_dim = end->dim,
	};

	hc_notify_op(m->plan, &ev);
}

void hc_coll_end(struct hc_member *m, const struct hc_end *cause, u32 from_peer)
{
	struct hc_end end = *cause;

	if (end.flags & HC_END_F_BROKEN) {
		if (!plan_break(m, &end))
			return;
	} else {
		if (m->broken || !end_note(m, &end))
			return;
		/* One who took part learns of the failure, now or when he goes on. */
		if (!ops_fail(m, end.from, false) && m->engaged)
			m->reset = true;
		hc_numbers_skip(m);
	}
	if (from_peer == HC_CAUSE_NONE)
		event_end(m, &end);
	/* The sink's own word goes back to where the news came from, too. */
	end_xmit(m, &end, end.flags & HC_END_F_FINAL && hc_member_is_sink(m) ?
			  HC_CAUSE_NONE : from_peer);
	/* Behind END, for it counts the skipped numbers as done. */
	if (!m->broken)
		hc_done_tell(m);
	hc_view_idle(m);
}

enum hc_progress hc_op_fail(struct hc_member *m, struct hc_op *op, int status, u32 node)
{
	struct hc_end end = {
		.from = op->nr,
		.status = -status,
		.node = node,
		.dim = HC_CAUSE_NONE,
	};

	hc_coll_end(m, &end, HC_CAUSE_NONE);
	return HC_FAILED;
}

/* A node that is no member has news for the members: the sink spreads it. */
static void end_route(struct hc_node *node, struct hc_plan *plan, const struct hc_end *end)
{
	struct sk_buff *skb = hc_end_alloc(node, end);

	if (!skb)
		return;
	hc_hdr(skb)->plan = cpu_to_be32(plan->id);
	hc_hdr(skb)->epoch = cpu_to_be32(plan->epoch);
	hc_route_xmit(node, plan->tree.sink, skb);
}

void hc_end_rx(struct hc_member *m, struct sk_buff *skb)
{
	const struct hc_hdr *hdr = hc_hdr(skb);
	const struct hc_wire_end *w;
	struct hc_end end;

	if (be32_to_cpu(hdr->len) < sizeof(*w))
		return;
	w = hc_payload(skb);
	end.from = be64_to_cpu(hdr->op);
	end.status = be32_to_cpu(w->status);
	end.node = be16_to_cpu(w->node);
	end.dim = be16_to_cpu(w->dim);
	end.flags = be32_to_cpu(w->flags);
	if (!end.status || end.status > MAX_ERRNO || end.from > U64_MAX - 2 * HC_OP_WINDOW)
		return;
	hc_coll_end(m, &end, be16_to_cpu(hdr->src));
	if (!m->broken)
		hc_advance(m);
}

/* ------------------------------------------------------------ faults */

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
static bool detour_ends_at(const struct hc_tree *t, u32 node)
{
	unsigned int i;

	for (i = 0; i < t->ndetours; i++)
		if (t->detours[i].from == node || t->detours[i].to == node)
			return true;
	return false;
}

void hc_plan_fault(struct hc_node *node, struct hc_plan *plan, unsigned int dim, u32 status,
		   u32 flags)
{
	struct hc_member *m = plan->member[node->id];
	struct hc_end end = {
		.from = m ? m->head : 0,
		.status = status,
		.node = node->id,
		.dim = dim,
		.flags = flags,
	};

	if (m && hc_member_uses(m, dim))
		hc_coll_end(m, &end, HC_CAUSE_NONE);
	else if (!detour_ends_at(&plan->tree, hc_neigh(node->id, dim)))
		return;
	else if (m)
		hc_coll_end(m, &end, HC_CAUSE_NONE);
	else if (flags & HC_END_F_BROKEN)
		end_route(node, plan, &end);
}

static void plans_fault(struct hc_node *node, unsigned int dim, u32 status, u32 flags)
{
	struct hc_plan *plan;
	unsigned long id;

	rcu_read_lock();
	xa_for_each(&node->fabric->plans, id, plan)
		hc_plan_fault(node, plan, dim, status, flags);
	rcu_read_unlock();
}

void hc_coll_link_fault(struct hc_node *node, unsigned int dim)
{
	plans_fault(node, dim, ENOLINK, HC_END_F_BROKEN);
}

void hc_coll_lost(struct hc_node *node, unsigned int dim)
{
	plans_fault(node, dim, EIO, 0);
}

void hc_coll_undeliverable(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	const struct hc_hdr *hdr = hc_hdr(skb);
	struct hc_end end = {
		.from = be64_to_cpu(hdr->op),
		.status = EHOSTUNREACH,
		.node = node->id,
		.dim = dim < node->fabric->dim ? dim : HC_CAUSE_NONE,
		.flags = HC_END_F_BROKEN,
	};
	struct hc_plan *plan;

	/* END itself is not worth a second END; the others only ever repeat. */
	if (hdr->type != HC_FRAME_DATA)
		return;
	rcu_read_lock();
	plan = xa_load(&node->fabric->plans, be32_to_cpu(hdr->plan));
	if (plan && plan->epoch == be32_to_cpu(hdr->epoch)) {
		if (plan->member[node->id])
			hc_coll_end(plan->member[node->id], &end, HC_CAUSE_NONE);
		else
			end_route(node, plan, &end);
	}
	rcu_read_unlock();
}

void hc_member_destroy(struct hc_member *m, int status, u64 done)
{
	m->end.status = -status;
	m->end.node = HC_CAUSE_NONE;
	m->end.dim = HC_CAUSE_NONE;
	hc_end_settle(m, done);
	kfree(m);
}
