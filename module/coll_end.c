// SPDX-License-Identifier: GPL-2.0
/*
 * Failure of operations: how it is noted, told to the process, and spread.
 *
 * A failure (END) names the first operation it hits, f.  Operations below f go
 * on; those in [f, f + HC_OP_WINDOW) are over, and every member's numbering
 * jumps to f + HC_OP_WINDOW.  No member can have begun a higher one: a member
 * begins operation k only if all below k - HC_OP_WINDOW are done, and f is not.
 * So after a failure all members agree on the next number again, whatever each
 * of them had contributed.
 *
 * END travels along the edges in both directions, which with helpers have
 * cycles, and a member passes it on only if it brings news.  A member notes one
 * failed range, so it must tell old from new by that:
 *  - A range that ends at or below what is done is old: nobody passes a number
 *    that failed without knowing of the failure.
 *  - Ranges that overlap or touch become one.
 *  - A range behind a gap: whoever found it had begun a number behind the gap, so
 *    for it all below the first range was complete.  It is here, too, and the
 *    first range can be forgotten as soon as the numbers have passed it.
 *  - A range before a gap was under way while the other overtook it: it fails
 *    what it covers, and the other one is what stays noted.
 * So the noted ranges only ever grow or move up, and each END is passed on by
 * each member a bounded number of times.
 *
 * A fault of a link that the plan uses breaks the plan: END with
 * HC_END_F_BROKEN ends everything pending, and nothing begins until a plan for
 * the new faults is installed.  What a member had handed over may have reached
 * the sink before; the sink, once it hears of the fault, says which operations
 * were complete, and that word goes down the tree like any END.
 *
 * For plans of recursive doubling, which have no sink, see doubling.c.
 */
#include "coll.h"
#include "netlink.h"
#include "trace.h"

static void end_fill(struct sk_buff *skb, const struct hc_end *end)
{
	struct hc_wire_end *w = hc_payload(skb);

	hc_hdr(skb)->op = cpu_to_be64(end->from);
	hc_hdr(skb)->offset = cpu_to_be64(end->next);
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
		if (skb)
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

/* What a member of the plan does, if it has done nothing yet. */
static u32 collective_of(const struct hc_member *m)
{
	switch (m->plan->type) {
	case HYPERCUBE_PLAN_BCAST:
		return HYPERCUBE_BCAST;
	case HYPERCUBE_PLAN_DOUBLING:
		return HYPERCUBE_ALLREDUCE;
	}
	return HYPERCUBE_REDUCE;
}

void hc_status_end(struct hc_member *m, struct hc_op *op, u32 rec, u64 nr)
{
	struct hypercube_result res = {
		.status = -(s32)m->end.status,
		.plan = m->plan->id,
		.op = nr,
		.cookie = op ? op->cookie : 0,
		.cause_node = m->end.node == HC_CAUSE_NONE ? ~0U : m->end.node,
		.cause_dim = m->end.dim == HC_CAUSE_NONE ? ~0U : m->end.dim,
		.collective = op ? op->collective : collective_of(m),
	};

	hc_sock_status(m->node, &res, rec);
}

void hc_op_forgo(struct hc_member *m, struct hc_op *op)
{
	if (op->begun)
		hc_status_end(m, op, op->rec, op->nr);
	if (m->cur_open && m->cur == op->nr)
		m->cur_open = false;
	hc_op_drop(m, op, -(int)m->end.status);
}

/* What a fault leaves without doubt: not handed over, so not complete. */
static void ops_fail_begun(struct hc_member *m)
{
	unsigned int i;

	for (i = 0; i < HC_OP_WINDOW; i++)
		if (m->ops[i] && !m->ops[i]->handed)
			hc_op_forgo(m, m->ops[i]);
}

/* Fail what lies in the failed range.  True if the process was told of any. */
static bool ops_fail_ended(struct hc_member *m)
{
	bool told = false;
	unsigned int i;

	for (i = 0; i < HC_OP_WINDOW; i++) {
		struct hc_op *op = m->ops[i];

		if (!op || !hc_ended(m, op->nr))
			continue;
		told |= op->begun;
		hc_op_forgo(m, op);
	}
	return told;
}

/* All below the failed range is complete, others have gone on behind it.  A result
 * that has not come down yet is the exception: this member goes without it.
 */
static void settle_below(struct hc_member *m)
{
	const struct hc_done d = { .nr = m->end.from };
	u64 nr;

	if (hc_member_is_doubling(m)) {
		hc_doubling_settle_below(m);
		return;
	}
	if (m->done >= d.nr || m->head < d.nr || hc_member_is_root(m) || hc_member_is_bcast(m))
		return;
	for (nr = m->done; nr < d.nr; nr++) {
		struct hc_op *op = hc_member_op(m, nr);

		if (op && op->nr == nr && hc_op_comes_down(op))
			hc_op_forgo(m, op);
	}
	hc_done_set(m, &d);
}

static void range_set(struct hc_member *m, const struct hc_end *end, u64 to)
{
	bool apart = !m->end_to || end->from > m->end_to || to < m->end.from;
	u64 from = apart ? end->from : min(m->end.from, end->from);

	m->end_to = apart ? to : max(m->end_to, to);
	m->end = *end;
	m->end.from = from;
}

/* Make [from, from + HC_OP_WINDOW) part of the failed range and fail what it
 * covers; see the top of this file.  False: nothing new.  @told: the process was
 * told of an operation that failed.
 */
static bool end_note(struct hc_member *m, const struct hc_end *end, bool *told)
{
	u64 to = end->from + HC_OP_WINDOW;
	const struct hc_end upper = m->end;
	const u64 upper_to = m->end_to;

	if (to <= m->done || (upper_to && end->from >= upper.from && to <= upper_to))
		return false;
	if (upper_to && end->from > upper_to)
		settle_below(m);
	range_set(m, end, to);
	*told = ops_fail_ended(m);
	hc_numbers_skip(m);
	if (upper_to && to < upper.from) {
		if (hc_member_is_doubling(m))
			hc_doubling_settle_below(m);
		m->end = upper;
		m->end_to = upper_to;
		hc_numbers_skip(m);
	}
	return true;
}

/* A result of which the end has not come down is not complete here. */
static bool op_complete_below(const struct hc_op *op, u64 done)
{
	if (!op->handed || op->nr >= done)
		return false;
	return !hc_op_comes_down(op) || hc_member_is_bcast(op->member);
}

void hc_end_settle(struct hc_member *m, u64 done, u64 next)
{
	bool told = m->final;
	unsigned int i;

	m->final = true;
	for (i = 0; i < HC_OP_WINDOW; i++) {
		struct hc_op *op = m->ops[i];

		if (!op)
			continue;
		if (op_complete_below(op, done)) {
			hc_op_complete(m, op, 0, 0, 0);
			continue;
		}
		told |= op->begun;
		hc_op_forgo(m, op);
	}
	if (hc_member_is_bcast(m) && !told && next > m->head)
		hc_bcast_end_tell(m, m->head);
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
		if (!test_and_set_bit(0, &m->plan->breaking)) {
			WRITE_ONCE(m->plan->cause_node, end->node);
			WRITE_ONCE(m->plan->cause_dim, end->dim);
			/* Pairs with the acquire in sock.c and netlink: cause before flag. */
			smp_store_release(&m->plan->broken, true);
			trace_hc_plan(m->plan, HYPERCUBE_CMD_PLAN_NTF);
			hc_notify_plan(m->plan, HYPERCUBE_CMD_PLAN_NTF);
		}
		ops_fail_begun(m);
	}
	if (hc_member_is_doubling(m)) {
		/* There is no word to wait for: nothing that this member had is in doubt. */
		if (news)
			hc_end_settle(m, m->done, m->next);
		return news;
	}
	if (hc_member_is_root(m) && news) {
		end->from = m->done;
		end->next = m->next;
		end->flags |= HC_END_F_FINAL;
	}
	if (end->flags & HC_END_F_FINAL && !m->final) {
		m->end = *end;
		hc_end_settle(m, end->from, end->next);
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
	u64 first = max(end.from, m->head);
	bool told;

	if (end.flags & HC_END_F_BROKEN) {
		if (!plan_break(m, &end))
			return;
	} else {
		if (m->broken || !end_note(m, &end, &told))
			return;
		/* One who took part learns of the failure, now or when he goes on. */
		if (!told && hc_member_is_bcast(m))
			hc_bcast_end_tell(m, first);
		else if (!told && m->engaged)
			m->reset = true;
	}
	if (from_peer == HC_CAUSE_NONE)
		event_end(m, &end);
	/* The sink's own word goes back to where the news came from, too. */
	end_xmit(m, &end, end.flags & HC_END_F_FINAL && hc_member_is_root(m) ?
			  HC_CAUSE_NONE : from_peer);
	/* Behind END, for it counts the skipped numbers as done. */
	if (!m->broken)
		hc_done_tell(m);
	hc_view_idle(m);
}

void hc_coll_end_go_on(struct hc_member *m, const struct hc_end *end)
{
	hc_coll_end(m, end, HC_CAUSE_NONE);
	if (!m->broken)
		hc_advance(m);
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
	hc_route_xmit(node, plan->root, skb);
}

/* A failure moves the numbers by one window, though what is done stays where it is.
 * Each member can cause one before it must begin an operation again, for which
 * there is no room until more is done.
 */
static u64 end_limit(const struct hc_member *m)
{
	return m->done + (hc_nodes(m->node->fabric->dim) + 2ULL) * HC_OP_WINDOW;
}

/* From a peer of the tree; to the root also from a node that is no member. */
static bool end_may_come(const struct hc_member *m, const struct hc_hdr *hdr)
{
	return hc_peer_find(m, be16_to_cpu(hdr->src)) ||
	       (hc_member_is_root(m) && hdr->flags & HC_FRAME_F_ROUTED);
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
	end.next = be64_to_cpu(hdr->offset);
	end.status = be32_to_cpu(w->status);
	end.node = be16_to_cpu(w->node);
	end.dim = be16_to_cpu(w->dim);
	end.flags = be32_to_cpu(w->flags);
	if (!end.status || end.status > MAX_ERRNO ||
	    end.from > end_limit(m) || !end_may_come(m, hdr))
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

	bool concerned = (m && hc_member_uses(m, dim)) ||
			 detour_ends_at(&plan->tree, hc_neigh(node->id, dim));

	if (concerned && m)
		hc_coll_end_go_on(m, &end);
	else if (concerned && flags & HC_END_F_BROKEN)
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

void hc_member_destroy(struct hc_member *m, int status, u64 done, u64 next)
{
	m->end.status = -status;
	m->end.node = HC_CAUSE_NONE;
	m->end.dim = HC_CAUSE_NONE;
	hc_end_settle(m, done, next);
	hc_host_waiting_refuse(m, status);
	kfree(m);
}
