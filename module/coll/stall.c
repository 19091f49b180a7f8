// SPDX-License-Identifier: GPL-2.0
/*
 * Operations that do not move.
 *
 * Once a second every member that has waited for a peer that long asks it
 * (PROBE).  The peer answers with what the asker has missed (ABORT, ACK), ends the
 * operation if its own process is gone, or says that there is hope (REPLY), and how many
 * frames it has taken.  So a lost ABORT, ACK or CREDIT heals itself.
 *
 * Links lose nothing, so silence tells nothing: a peer that does not answer waits for a processor,
 * and only the user of an operation decides how long that may take.
 */
#include <linux/jiffies.h>

#include "coll/anew.h"
#include "coll/coll.h"
#include "fabric/link.h"
#include "route/lsdb.h"
#include "sock/result.h"

/* The answer tells what may have got lost. */
static void reply_fill(struct hc_member *m, u32 node, u64 nr, struct hc_wire_reply *w)
{
	const struct hc_plan_ops *ops = m->plan->ops;

	w->head = cpu_to_be64(m->head);
	w->sent = cpu_to_be32((ops->frames_sent ?: hc_sent)(m, node, nr));
	if (!ops->lockstep)
		w->taken = cpu_to_be32(hc_taken(m, node, nr));
}

static void probe_fill(struct hc_member *m, u64 nr, struct hc_wire_probe *w)
{
	w->head = cpu_to_be64(m->head);
	w->flags = cpu_to_be32(hc_is_of_new(m, nr) ? HC_PROBE_F_NEW : 0);
}

/* True: it has left. */
static bool simple_xmit(struct hc_member *m, u32 node, u8 type, u64 nr)
{
	const struct hc_tree_peer *peer = hc_peer_find(m, node);
	struct sk_buff *skb;

	if (!peer)
		return false;
	skb = hc_frame_alloc(m->node, type, 0, GFP_ATOMIC);
	if (!skb)
		return false;
	hc_wire_plan_of(skb)->op = cpu_to_be64(nr);
	if (type == HC_FRAME_ACK)
		hc_ack_mark(m, hc_wire_ack_of(skb));
	else if (type == HC_FRAME_REPLY)
		reply_fill(m, node, nr, hc_wire_reply_of(skb));
	else
		probe_fill(m, nr, hc_wire_probe_of(skb));
	return hc_peer_xmit(m, peer, skb) != -ENOBUFS;
}

/* The process that owes the operation, or should receive it, is gone for good, as far as the one
 * that asks is concerned.  What it contributed or received before it left goes on without it.  Who
 * has come after all have heard of that waits for another one, as at the beginning.
 */
static bool gone(const struct hc_member *m, const struct hc_wire_probe *w)
{
	bool all_new = be32_to_cpu(w->flags) & HC_PROBE_F_NEW && !m->unheard;

	return m->left && !hc_sock_serves(m) && be64_to_cpu(w->plan.op) >= m->next && !all_new;
}

/* Has a message been lost that the peer which asks has passed on? */
static bool message_lost(struct hc_member *m, const struct hc_wire_probe *w)
{
	return m->plan->ops->message_lost && m->plan->ops->message_lost(m, w);
}

static void message_fail(struct hc_member *m, u64 nr, u32 src)
{
	struct hc_abort abort = {
		.from = nr,
		.status = EIO,
		.node = src,
		.dim = HC_CAUSE_NONE,
	};

	hc_coll_abort_go_on(m, &abort);
}

/* Do those above, or those below, hear from this member what is done? */
static bool tells(const struct hc_member *m, bool above)
{
	return m->plan->ops->ack->way == (above ? HC_ACK_UP : HC_ACK_DOWN);
}

/* A peer waits for this member and asks whether there is still hope. */
void hc_probe_rx(struct hc_member *m, const struct sk_buff *skb)
{
	const struct hc_wire_probe *w = hc_wire_probe_of(skb);
	u64 nr = be64_to_cpu(w->plan.op);
	u32 src = be16_to_cpu(hc_hdr(skb)->src);
	const struct hc_tree_peer *peer = hc_peer_find(m, src);
	bool above = peer && hc_src_index(m, src) < 0;

	if (!peer || !hc_nr_fits(m, nr))
		return;
	/* A peer that has missed a failure may wait for an operation before it. */
	if (m->broken || (m->abort_to && nr < m->abort_to))
		hc_abort_send(m, peer, &m->abort);
	if (m->broken || hc_ended(m, nr))
		return;
	hc_new_note(m, peer, above, w);
	if (nr < m->done && tells(m, above)) {
		simple_xmit(m, src, HC_FRAME_ACK, m->done);
	} else if (gone(m, w)) {
		struct hc_abort abort = {
			.from = m->next,
			.status = ECONNRESET,
			.node = m->node->id,
			.dim = HC_CAUSE_NONE,
		};

		hc_coll_abort_go_on(m, &abort);
	} else if (above && message_lost(m, w)) {
		message_fail(m, nr, src);
	} else {
		simple_xmit(m, src, HC_FRAME_REPLY, nr);
	}
}

/* Does the peer say that it has sent what we wait for?  Behind a result that is on its way down
 * waits the word that it is done, which says nothing of how far the peer is.
 */
static bool was_sent(const struct hc_member *m, const struct hc_op *op,
		     const struct hc_wire_reply *w)
{
	const struct hc_plan_ops *ops = m->plan->ops;
	bool data = m->view_wait == HYPERCUBE_WAIT_PEER;

	if (ops->was_sent)
		return data && ops->was_sent(op, w);
	if (data && hc_reply_past(op, w))
		return true;
	return (data || m->view_wait == HYPERCUBE_WAIT_DONE) &&
	       be64_to_cpu(w->plan.op) == op->nr &&
	       (s32)(be32_to_cpu(w->sent) - hc_came(op, m->view_peer)) > 0;
}

/* There is hope, unless the peer has sent already what we wait for: the paths
 * keep order, so it would have come before this answer.  On a detour no link of this node has the
 * gap; and where all that there was credit for is lost, nothing comes behind it.
 */
void hc_reply_rx(struct hc_member *m, const struct sk_buff *skb)
{
	const struct hc_wire_reply *w = hc_wire_reply_of(skb);
	struct hc_op *op = hc_member_op(m, m->view_nr);
	u32 src = be16_to_cpu(hc_hdr(skb)->src);

	/* It may be about what was sent before the plan broke. */
	if (hc_member_holds(m))
		return;
	if (m->view_peer == src)
		m->asked = 0;
	if (m->view_peer == src && op && op->nr == m->view_nr && was_sent(m, op, w)) {
		hc_op_fail(m, op, -EIO, m->view_peer);
		hc_advance(m);
	} else if (!m->plan->ops->lockstep) {
		hc_credit_rx(m, src, be64_to_cpu(w->plan.op), be32_to_cpu(w->taken));
	}
}

/* Looks for the root's word on what was complete when the plan broke. */
#define HC_DOUBT_MAX	3

static bool waits_for_peer(const struct hc_member *m)
{
	return m->view_wait == HYPERCUBE_WAIT_PEER || m->view_wait == HYPERCUBE_WAIT_CREDIT ||
	       m->view_wait == HYPERCUBE_WAIT_DONE;
}

/* Is a frame to the peer still under way, as far as this node can see? */
static bool pending(const struct hc_node *node, const struct hc_tree_peer *peer)
{
	bool detour = peer->how == HC_TREE_DETOUR;
	unsigned int d;

	for (d = 0; d < node->fabric->dim; d++)
		if ((detour || d == peer->dim) && hc_link_pending(node, d))
			return true;
	return false;
}

/* FINAL does not come: what is in doubt has failed as far as this member can ever know. */
static void doubt_end(struct hc_member *m)
{
	static const struct hc_abort unheard = { .next = HC_NEXT_UNKNOWN };

	hc_abort_settle(m, &unheard);
	hc_view_idle(m);
}

/* FINAL may be under way to this member. */
static bool dst_pending(const struct hc_member *m)
{
	unsigned int i;

	for (i = 0; i < m->role.ndst; i++)
		if (pending(m->node, &m->role.dst[i]))
			return true;
	return false;
}

void hc_doubt_check(struct hc_member *m)
{
	if (m->doubts && !dst_pending(m) && hc_lsdb_cut(m->node, m->plan->root))
		doubt_end(m);
}

/* The plan broke and the root's FINAL is overdue: probe for it, a few times. */
static void doubt_check(struct hc_member *m)
{
	unsigned int i;

	if (m->final || dst_pending(m))
		return;
	if (m->asked++ >= HC_DOUBT_MAX) {
		doubt_end(m);
		return;
	}
	/* It may have been lost. */
	for (i = 0; i < m->role.ndst; i++)
		simple_xmit(m, m->role.dst[i].node, HC_FRAME_PROBE, m->done);
}

/* The word that operations are done may be lost while the next one waits for something else, in
 * the end for processes that want to hear that word first.  A member that waits for that word
 * alone asks for it anyhow.
 */
static void ack_check(struct hc_member *m)
{
	bool stuck = m->done < m->head && m->done == m->ack_seen;

	m->ack_seen = m->done;
	if (stuck && m->view_wait != HYPERCUBE_WAIT_DONE)
		simple_xmit(m, hc_ack_peer(m), HC_FRAME_PROBE, m->done);
}

void hc_stall_check(struct hc_member *m)
{
	hc_abort_again(m);
	if (m->broken) {
		doubt_check(m);
		return;
	}
	hc_ack_tell(m);
	if (m->plan->ops->abort_again)
		m->plan->ops->abort_again(m);
	ack_check(m);
	if (!waits_for_peer(m) || time_before(jiffies, m->view_since + HC_STALL_TIME))
		return;
	if (simple_xmit(m, m->view_peer, HC_FRAME_PROBE, m->view_nr))
		m->asked = 1;
}
