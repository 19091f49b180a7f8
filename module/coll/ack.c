// SPDX-License-Identifier: GPL-2.0
/*
 * ACKs between members. This file has the functions for plans whose root determines which
 * operations are done, and those for plans in which each member determines this for itself.
 *
 * In a plan with such a root, the root sends ACK to its sources when it has received the
 * contributions of all members to an operation, and each member forwards the ACK to its own
 * sources. An operation is done at a member when two conditions hold: all destinations of the
 * member have acknowledged it, since their windows must move before the window of the member moves;
 * and the member has received its result completely, if it gets one.
 */
#include "coll/coll.h"
#include "notifier.h"

/* Return: the index of the peer whose last ACK has the lowest operation number. */
static unsigned int peer_last(const struct hc_member *m)
{
	unsigned int n = hc_ack_peers(m);
	unsigned int i, last = 0;

	for (i = 1; i < n; i++)
		if (m->peer_acked[i] < m->peer_acked[last])
			last = i;
	return last;
}

u32 hc_ack_peer(const struct hc_member *m)
{
	unsigned int last = peer_last(m);

	return m->plan->ops->ack->way == HC_ACK_UP ? m->src[last].node : m->role.dst[last].node;
}

bool hc_ack_xmit(struct hc_member *m, const struct hc_tree_peer *peer, const struct hc_ack *d)
{
	struct hc_wire_ack *w;
	struct sk_buff *skb;

	/* If a STOP or END must be sent, it must be sent before the ACK. */
	if (hc_word_owed(m))
		return false;
	skb = hc_frame_alloc(m->node, HC_FRAME_ACK, 0, GFP_ATOMIC);
	if (!skb)
		return false;
	hc_hdr(skb)->step = cpu_to_be32(d->clock);
	hc_hdr(skb)->time = cpu_to_be64(d->time);
	w = hc_wire_ack_of(skb);
	w->plan.op = cpu_to_be64(d->nr);
	w->steps = cpu_to_be32(d->steps);
	w->gen = cpu_to_be32(m->gen.count);
	return hc_peer_xmit(m, peer, skb) != -ENOBUFS;
}

void hc_ack_notify(struct hc_member *m)
{
	if (hc_member_acks(m) && m->acked != m->done)
		m->plan->ops->ack->tell(m);
}

/* Return: the contents of the event that reports to user space that an operation is complete. */
static struct hc_op_event completion(const struct hc_member *m, const struct hc_op *op)
{
	return (struct hc_op_event){
		.node = m->node->id,
		.nr = hc_user_nr(m, op->nr),
		.steps = hc_op_steps(m, op),
		.time = op->time,
	};
}

/* ------------------------------------------------------ the root determines what is done */

/* Send ACK to all sources. hc_ack_notify() later sends an ACK that cannot be sent now. */
static void ack_down(struct hc_member *m, const struct hc_ack *d)
{
	bool said = true;
	unsigned int i;

	for (i = 0; i < m->role.nsrc; i++)
		said &= hc_ack_xmit(m, &m->src[i], d);
	if (said)
		WRITE_ONCE(m->acked, d->nr);
}

static void root_notify(struct hc_member *m)
{
	const struct hc_ack d = { .nr = m->done };

	ack_down(m, &d);
}

static void root_complete(struct hc_member *m, struct hc_op *op)
{
	struct hc_op_event ev = completion(m, op);
	bool agrees = op->agrees;
	struct hc_ack d = {
		.nr = op->nr + 1,
		.time = op->time,
		.clock = op->clock,
		.steps = ev.steps,
	};
	bool tell = op->notify || d.nr - m->acked >= HC_ACK_BATCH;

	hc_op_drop(m, op, 0);
	WRITE_ONCE(m->done, d.nr);
	if (!agrees)
		hc_notify_op(m->plan, &ev);
	if (tell) {
		d.nr = m->done;
		ack_down(m, &d);
	}
}

static void root_handed(struct hc_member *m, struct hc_op *op)
{
	if (hc_member_is_root(m))
		root_complete(m, op);
}

bool hc_ack_set(struct hc_member *m, const struct hc_ack *d)
{
	struct hc_ack known = *d;
	u64 nr = m->done;

	while (nr < d->nr) {
		struct hc_op *op = hc_op_next(m, nr, d->nr);

		nr = op ? op->nr : d->nr;
		if (!op || op->coll->comes_down)
			break;
		if (++nr == d->nr)
			hc_op_complete(m, op, d->steps, d->clock, d->time);
		else
			hc_op_complete(m, op, 0, 0, 0);
	}
	if (nr == m->done)
		return false;
	if (nr < d->nr)
		known = (struct hc_ack){ .nr = nr };
	WRITE_ONCE(m->done, nr);
	ack_down(m, &known);
	return true;
}

void hc_ack_review(struct hc_member *m)
{
	struct hc_ack d = { .nr = m->peer_acked[peer_last(m)] };

	if (hc_ack_set(m, &d))
		hc_advance(m);
}

/* Move the window after a generation has ended. No ACK is sent, since the END has informed the
 * sources up to which number operations are done.
 */
static void root_moved(struct hc_member *m)
{
	unsigned int i;

	WRITE_ONCE(m->done, m->head);
	WRITE_ONCE(m->acked, m->head);
	for (i = 0; i < m->role.ndst; i++)
		m->peer_acked[i] = m->head;
}

static void root_rx(struct hc_member *m, const struct sk_buff *skb)
{
	const struct hc_wire_ack *w = hc_wire_ack_of(skb);
	const struct hc_hdr *hdr = hc_hdr(skb);
	struct hc_ack d = {
		.nr = be64_to_cpu(w->plan.op),
		.time = be64_to_cpu(hdr->time),
		.clock = be32_to_cpu(hdr->step),
		.steps = be32_to_cpu(w->steps),
	};
	u32 src = be16_to_cpu(hdr->src);
	unsigned int i;
	u64 k;

	for (i = 0; i < m->role.ndst; i++)
		if (m->role.dst[i].node == src && d.nr <= m->head)
			m->peer_acked[i] = max(m->peer_acked[i], d.nr);
	k = m->peer_acked[peer_last(m)];
	/* The time and the steps in @d are those of the last operation below d.nr. If k is lower,
	 * they do not belong to operation k - 1.
	 */
	if (k != d.nr)
		d = (struct hc_ack){ .nr = k };
	if (k > m->done && hc_ack_set(m, &d))
		hc_advance(m);
	else if (m->view.wait == HYPERCUBE_WAIT_DONE)
		hc_view_idle(m);
}

const struct hc_ack_ops hc_ack_root = {
	.way = HC_ACK_DOWN, .tell = root_notify, .rx = root_rx,
	.handed = root_handed, .moved = root_moved,
};

/* ------------------------------------------------------ each member determines what is done */

static void alone_handed(struct hc_member *m, struct hc_op *op)
{
	struct hc_op_event ev = completion(m, op);

	/* User space gets one event for all members, from the member with .tells. */
	if (m->tells && !op->announced && !op->agrees)
		hc_notify_op(m->plan, &ev);
	hc_op_drop(m, op, 0);
	WRITE_ONCE(m->done, m->head);
}

static void alone_moved(struct hc_member *m)
{
	WRITE_ONCE(m->done, m->head);
}

const struct hc_ack_ops hc_ack_alone = {
	.way = HC_ACK_ALONE, .handed = alone_handed, .moved = alone_moved,
};
