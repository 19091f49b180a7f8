// SPDX-License-Identifier: GPL-2.0
/*
 * Operations that do not move.
 *
 * Once a second every member that has waited for a peer that long asks it
 * (ASK).  The peer answers with what the asker has missed (END, DONE), ends the
 * operation if its own process is gone, or says that there is hope (TELL).  So
 * a lost END or DONE heals itself, and a link or a node that died without a
 * word is found out by its silence.
 */
#include <linux/jiffies.h>

#include "coll.h"

static void simple_xmit(struct hc_member *m, u32 node, u8 type, u64 nr)
{
	const struct hc_tree_peer *peer = hc_peer_find(m, node);
	struct sk_buff *skb;

	if (!peer)
		return;
	skb = hc_frame_alloc(m->node, type, 0, GFP_ATOMIC);
	if (!skb)
		return;
	hc_hdr(skb)->op = cpu_to_be64(nr);
	if (type == HC_FRAME_TELL)
		hc_hdr(skb)->offset = cpu_to_be64(m->head);
	if (type == HC_FRAME_TELL && hc_member_is_doubling(m))
		hc_hdr(skb)->step = cpu_to_be32(hc_doubling_offered(m, hc_src_index(m, node), nr));
	hc_peer_xmit(m, peer, skb);
}

/* The process that owes operation @nr, or should receive it, is gone for good.  What
 * it contributed or received before it left goes on without it.
 */
static bool gone(const struct hc_member *m, u64 nr)
{
	return m->left && !rcu_access_pointer(m->node->sk) && nr >= m->next;
}

/* A peer waits for this member and asks whether there is still hope. */
void hc_ask_rx(struct hc_member *m, const struct hc_hdr *hdr)
{
	u64 nr = be64_to_cpu(hdr->op);
	u32 src = be16_to_cpu(hdr->src);
	const struct hc_tree_peer *peer = hc_peer_find(m, src);
	bool above = peer && hc_src_index(m, src) < 0;

	if (!peer)
		return;
	/* Who has missed a failure may wait for an operation before it. */
	if (m->broken || (m->end_to && nr < m->end_to)) {
		struct sk_buff *skb = hc_end_alloc(m->node, &m->end);

		if (skb)
			hc_peer_xmit(m, peer, skb);
	}
	if (m->broken || hc_ended(m, nr))
		return;
	if (nr < m->done && above == hc_member_is_bcast(m) && !hc_member_is_doubling(m)) {
		simple_xmit(m, src, HC_FRAME_DONE, m->done);
	} else if (gone(m, nr)) {
		struct hc_end end = {
			.from = m->next,
			.status = ECONNRESET,
			.node = m->node->id,
			.dim = HC_CAUSE_NONE,
		};

		hc_coll_end_go_on(m, &end);
	} else {
		simple_xmit(m, src, HC_FRAME_TELL, nr);
	}
}

/* Does the peer say that it has sent what we wait for? */
static bool was_sent(const struct hc_member *m, const struct hc_op *op, const struct hc_hdr *hdr)
{
	u64 head = be64_to_cpu(hdr->offset);

	return head > op->nr ||
	       (hc_member_is_doubling(m) && head == op->nr &&
		be64_to_cpu(hdr->op) == op->nr && be32_to_cpu(hdr->step) > op->out_nr);
}

/* There is hope, unless the peer has sent already what we wait for: the paths
 * keep order, so it would have come before this answer.
 */
void hc_tell_rx(struct hc_member *m, const struct hc_hdr *hdr)
{
	struct hc_op *op = hc_member_op(m, m->view_nr);

	m->asked = 0;
	m->silent = 0;
	if (m->view_wait == HYPERCUBE_WAIT_PEER && m->view_peer == be16_to_cpu(hdr->src) &&
	    op && op->nr == m->view_nr && was_sent(m, op, hdr)) {
		hc_op_fail(m, op, -EIO, m->view_peer);
		hc_advance(m);
	}
}

/* Three questions without answer, nor any other word: the link or the peer is dead
 * without one.
 */
#define HC_ASK_MAX	3
/* On a slow link a question, or its answer, waits behind what was sent before; but
 * not for ever.
 */
#define HC_ASK_PATIENCE	240

/* Since the last question: does what this node has sent still wait on its own link,
 * or has the peer's brought anything?
 */
static bool link_busy(struct hc_member *m)
{
	const struct hc_tree_peer *peer = hc_peer_find(m, m->view_peer);
	const struct hc_node *node = m->node;
	bool detour = !peer || peer->how == HC_TREE_DETOUR;
	bool busy = false;
	unsigned int d;
	u32 before;

	for (d = 0; d < node->fabric->dim; d++)
		if (detour || d == peer->dim)
			busy |= hc_impair_pending(&node->ports[d]);
	if (detour)
		return busy;
	before = m->heard;
	m->heard = node->ports[peer->dim].rx_seq;
	return busy || (m->asked && m->heard != before);
}

/* The sink's word on what was complete when the plan broke has not come: it is cut
 * off, and what is in doubt has failed as far as this member can ever know.
 */
static void doubt_check(struct hc_member *m)
{
	if (!m->final && m->asked++ >= HC_ASK_MAX) {
		hc_end_settle(m, 0, U64_MAX);
		hc_view_idle(m);
	}
}

void hc_stall_check(struct hc_member *m)
{
	struct hc_end end = {
		.from = m->view_nr,
		.status = ETIMEDOUT,
		.node = m->view_peer,
		.dim = HC_CAUSE_NONE,
		/* What was handed over may be complete: as after any fault. */
		.flags = m->view_wait == HYPERCUBE_WAIT_DONE && !hc_member_is_bcast(m) ?
			 HC_END_F_BROKEN : 0,
	};

	if (m->broken) {
		doubt_check(m);
		return;
	}
	hc_done_tell(m);
	if (m->view_wait != HYPERCUBE_WAIT_PEER && m->view_wait != HYPERCUBE_WAIT_CREDIT &&
	    m->view_wait != HYPERCUBE_WAIT_DONE)
		return;
	if (time_before(jiffies, m->view_since + HZ))
		return;
	m->silent = link_busy(m) ? 0 : m->silent + 1;
	if (m->silent <= HC_ASK_MAX && m->asked++ < HC_ASK_PATIENCE) {
		simple_xmit(m, m->view_peer, HC_FRAME_ASK, m->view_nr);
		return;
	}
	hc_coll_end_go_on(m, &end);
}

/* A link may have failed between the check of a plan and its publication. */
static void member_recheck(struct hc_member *m)
{
	unsigned int dim;

	for (dim = 0; dim < m->node->fabric->dim; dim++)
		if (!hc_link_usable(m->node, dim) && hc_member_uses(m, dim))
			hc_plan_fault(m->node, m->plan, dim, ENOLINK, HC_END_F_BROKEN);
}

void hc_coll_event(struct hc_node *node, unsigned long events)
{
	struct hc_plan *plan;
	unsigned long id;

	rcu_read_lock();
	xa_for_each(&node->fabric->plans, id, plan) {
		struct hc_member *m = plan->member[node->id];

		if (!m)
			continue;
		if (events & BIT(HC_EV_PLANS))
			member_recheck(m);
		if (events & BIT(HC_EV_STALL))
			hc_stall_check(m);
		if (events & BIT(HC_EV_READER)) {
			hc_advance(m);
			hc_results_advance(m);
		}
	}
	rcu_read_unlock();
}
