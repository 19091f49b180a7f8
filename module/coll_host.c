// SPDX-License-Identifier: GPL-2.0
/*
 * The host port: contributions of the bound socket, and its close.
 *
 * A contribution begins when its plan's window and the socket have room.  Until then
 * it waits in the member (.waiting), where it keeps back what follows for the same
 * plan and nothing else.
 */
#include "coll.h"
#include "trace.h"

/* Is the next contribution answered with a failure that the process has not heard of?
 * Those below the failed range are still owed to the others.
 */
static bool resets(const struct hc_member *m)
{
	return m->reset && m->next >= m->end.from;
}

/* The bound socket was closed: what it owed will never come. */
static void member_close(struct hc_member *m)
{
	struct hc_end end = {
		.from = m->cur_open ? m->cur : m->next,
		.status = ECONNRESET,
		.node = m->node->id,
		.dim = HC_CAUSE_NONE,
	};
	bool quiet = !m->cur_open && (!m->engaged || resets(m));
	struct hc_op *op = hc_member_op(m, m->next);

	/* Nobody is left to receive what the sink still assembles.  In a doubling others
	 * have a result of their own, for which this member goes on with what it has.
	 */
	if (hc_member_is_root(m) && !hc_member_is_doubling(m) && m->head < m->next) {
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

/* Nobody will hear of it; the close that follows ends the operations. */
static void waiting_drop(struct hc_member *m)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(&m->waiting)))
		hc_drop(m->node, NULL, skb, HYPERCUBE_A_DROP_ENDED);
}

/* All that waits was sent by the socket that was closed: who binds after it queues
 * behind its close.
 */
static void host_close(struct hc_node *node)
{
	struct hc_plan *plan;
	unsigned long id;

	xa_for_each(&node->fabric->plans, id, plan) {
		struct hc_member *m = plan->member[node->id];

		if (!m)
			continue;
		waiting_drop(m);
		if (hc_member_is_bcast(m))
			hc_bcast_close(m);
		else
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

void hc_host_waiting_refuse(struct hc_member *m, int status)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(&m->waiting)))
		host_refuse(m->node, skb, status, NULL);
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

/* Who does not read what its operations tell it begins no more of them.  Of a doubling
 * one less, see doubling.c.
 */
static bool may_begin_now(const struct hc_member *m)
{
	/* See doubling.c. */
	unsigned int window = HC_OP_WINDOW - 2 * hc_member_is_doubling(m);

	return m->next < m->done + window && hc_sock_room(m->node);
}

/* False: it has to wait. */
static bool member_take(struct hc_member *m, struct sk_buff *skb)
{
	if (!hc_host_cb(skb)->first) {
		host_more(m, skb);
	} else if (m->broken || resets(m)) {
		m->reset = false;
		host_refuse(m->node, skb, -(int)m->end.status, m);
	} else if (may_begin_now(m)) {
		host_begin(m, skb);
	} else {
		return false;
	}
	return true;
}

static void host_data(struct hc_node *node, struct hc_member *m, struct sk_buff *skb)
{
	if (!m) {
		host_refuse(node, skb, -ESTALE, NULL);
	} else if (!skb_queue_empty(&m->waiting) || !member_take(m, skb)) {
		__skb_queue_tail(&m->waiting, skb);
		node->waiting = true;
	}
}

void hc_coll_host_rx(struct hc_node *node, struct sk_buff *skb)
{
	const struct hc_hdr *hdr = hc_hdr(skb);
	struct hc_plan *plan;

	rcu_read_lock();
	if (hdr->type == HC_FRAME_END) {
		host_close(node);
		consume_skb(skb);
	} else {
		plan = xa_load(&node->fabric->plans, be32_to_cpu(hdr->plan));
		if (plan && plan->epoch != be32_to_cpu(hdr->epoch))
			plan = NULL;
		host_data(node, plan ? plan->member[node->id] : NULL, skb);
	}
	rcu_read_unlock();
}

static int waiting_take(struct hc_member *m, int budget)
{
	struct sk_buff *skb;
	int work = 0;

	while (work < budget && (skb = __skb_dequeue(&m->waiting))) {
		if (!member_take(m, skb)) {
			__skb_queue_head(&m->waiting, skb);
			break;
		}
		work++;
	}
	return work;
}

int hc_coll_host_retry(struct hc_node *node, int budget, u32 *plan_id)
{
	struct hc_plan *plan;
	unsigned long id;
	int work = 0;

	node->waiting = false;
	rcu_read_lock();
	xa_for_each(&node->fabric->plans, id, plan) {
		struct hc_member *m = plan->member[node->id];

		if (!m || skb_queue_empty(&m->waiting))
			continue;
		work += waiting_take(m, budget - work);
		if (skb_queue_empty(&m->waiting))
			continue;
		node->waiting = true;
		*plan_id = id;
	}
	rcu_read_unlock();
	return work;
}
