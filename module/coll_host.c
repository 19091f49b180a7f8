// SPDX-License-Identifier: GPL-2.0
/*
 * The host port: contributions of the bound socket, and its close.
 */
#include "coll.h"
#include "trace.h"

/* The bound socket was closed: what it owed will never come. */
static void member_close(struct hc_member *m)
{
	struct hc_end end = {
		.from = m->cur_open ? m->cur : m->next,
		.status = ECONNRESET,
		.node = m->node->id,
		.dim = HC_CAUSE_NONE,
	};
	bool quiet = !m->cur_open && (!m->engaged || m->reset);
	struct hc_op *op = hc_member_op(m, m->next);

	/* Nobody is left to receive what the sink still assembles. */
	if (hc_member_is_root(m) && m->head < m->next) {
		end.from = min(end.from, m->head);
		quiet = false;
	}
	if (op && op->nr == m->next)
		quiet = false;
	m->engaged = false;
	m->reset = false;
	m->left = true;
	if (!quiet && !m->broken)
		hc_coll_end_go_on(m, &end);
}

static void host_close(struct hc_node *node)
{
	struct hc_plan *plan;
	unsigned long id;

	xa_for_each(&node->fabric->plans, id, plan) {
		struct hc_member *m = plan->member[node->id];

		if (m && hc_member_is_bcast(m))
			hc_bcast_close(m);
		else if (m)
			member_close(m);
	}
}

static void host_refuse(struct hc_node *node, struct sk_buff *skb, int status,
			struct hc_member *m)
{
	const struct hc_host_cb *cb = hc_host_cb(skb);
	bool cause = m && m->end.status;
	struct hypercube_result res = {
		.status = status,
		.plan = be32_to_cpu(hc_hdr(skb)->plan),
		.cookie = cb->cookie,
		.cause_node = cause && m->end.node != HC_CAUSE_NONE ? m->end.node : ~0U,
		.cause_dim = cause && m->end.dim != HC_CAUSE_NONE ? m->end.dim : ~0U,
		.collective = hc_hdr(skb)->collective,
	};

	if (cb->first)
		hc_sock_status(node, &res, cb->rec);
	hc_drop(node, NULL, skb, m ? HYPERCUBE_A_DROP_ENDED : HYPERCUBE_A_DROP_NO_PLAN);
}

static void own_push(struct hc_member *m, struct hc_op *op, struct sk_buff *skb)
{
	if (hc_hdr(skb)->flags & HC_FRAME_F_LAST) {
		op->own_last = true;
		m->cur_open = false;
	}
	__skb_queue_tail(&op->own, skb);
	if (op->nr == m->head)
		hc_advance(m);
}

static void host_begin(struct hc_member *m, struct sk_buff *skb)
{
	const struct hc_host_cb *cb = hc_host_cb(skb);
	const struct hc_hdr *hdr = hc_hdr(skb);
	struct hc_op *op = hc_op_get(m, m->next);

	m->engaged = true;
	m->left = false;
	if (!op) {
		struct hc_end end = {
			.from = m->next,
			.status = ENOMEM,
			.node = m->node->id,
			.dim = HC_CAUSE_NONE,
		};

		host_refuse(m->node, skb, -ENOMEM, NULL);
		hc_coll_end_go_on(m, &end);
		m->reset = false;
		return;
	}
	op->begun = true;
	trace_hc_op_begin(m, op->nr, hdr);
	op->rec = cb->rec;
	op->cookie = cb->cookie;
	op->notify_own = hdr->flags & HC_FRAME_F_NOTIFY;
	op->notify |= op->notify_own;
	op->out_total = be64_to_cpu(hdr->total);
	m->cur = op->nr;
	m->cur_open = true;
	WRITE_ONCE(m->next, m->next + 1);
	hc_numbers_skip(m);
	if (!hc_op_params(op, hdr)) {
		hc_drop(m->node, NULL, skb, HYPERCUBE_A_DROP_MALFORMED);
		hc_op_fail(m, op, -EPROTO, m->node->id);
		hc_advance(m);
		return;
	}
	/* Of a merge, or a scatter, every member knows only its own length. */
	op->total = be64_to_cpu(hdr->total);
	own_push(m, op, skb);
}

/* The rest of a contribution whose beginning was taken. */
static void host_more(struct hc_member *m, struct sk_buff *skb)
{
	struct hc_op *op = m->cur_open ? hc_member_op(m, m->cur) : NULL;

	if (op && op->nr == m->cur && op->rec == hc_host_cb(skb)->rec)
		own_push(m, op, skb);
	else
		hc_drop(m->node, NULL, skb, HYPERCUBE_A_DROP_ENDED);
}

/* Who does not read what its operations tell it begins no more of them. */
static bool may_begin_now(const struct hc_member *m)
{
	return m->next < m->done + HC_OP_WINDOW && hc_sock_room(m->node);
}

static bool host_data(struct hc_node *node, struct hc_member *m, struct sk_buff *skb)
{
	if (!m) {
		host_refuse(node, skb, -ESTALE, NULL);
	} else if (!hc_host_cb(skb)->first) {
		host_more(m, skb);
	} else if (m->broken || m->reset) {
		m->reset = false;
		host_refuse(node, skb, -(int)m->end.status, m);
	} else if (may_begin_now(m)) {
		host_begin(m, skb);
	} else if (!hc_sock_sent(node, hc_host_cb(skb)->rec)) {
		/* Its socket is gone; the close that follows in the queue ends it. */
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_ENDED);
	} else {
		return false;
	}
	return true;
}

bool hc_coll_host_rx(struct hc_node *node, struct sk_buff *skb)
{
	const struct hc_hdr *hdr = hc_hdr(skb);
	struct hc_plan *plan;
	bool taken = true;

	rcu_read_lock();
	if (hdr->type == HC_FRAME_END) {
		host_close(node);
		consume_skb(skb);
	} else {
		plan = xa_load(&node->fabric->plans, be32_to_cpu(hdr->plan));
		if (plan && plan->epoch != be32_to_cpu(hdr->epoch))
			plan = NULL;
		taken = host_data(node, plan ? plan->member[node->id] : NULL, skb);
	}
	rcu_read_unlock();
	return taken;
}
