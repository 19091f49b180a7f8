// SPDX-License-Identifier: GPL-2.0
/*
 * The stall check: the messages that waiting members send once a second.
 *
 * Once a second, a member sends the control messages (STOP, END, ACK) that it could not send before
 * for lack of memory or room. A member that has waited for a second sends PROBE to its peers at the
 * other ends of detours, and to its peers on other machines. Frames over a detour are numbered, so
 * if one was lost, its receiver detects this when it receives the PROBE or the reply to its own
 * PROBE; if neither arrives, the FAULT words of the nodes show the reason (coll/detour.c). A peer
 * on another machine that does not have the plan replies that it does not have it.
 *
 * Links lose no frames. So if a neighbour sends nothing, this is no failure: its poll may be
 * waiting for a processor, or its process may not have contributed yet, and only the user of the
 * operation can decide how long this may take.
 */
#include <linux/jiffies.h>

#include "coll/coll.h"
#include "coll/detour.h"

static struct sk_buff *probe_make(struct hc_node *node, u64 nr, u32 flags)
{
	struct sk_buff *skb = hc_frame_alloc(node, HC_FRAME_PROBE, 0, GFP_ATOMIC);

	if (skb) {
		hc_wire_plan_of(skb)->op = cpu_to_be64(nr);
		hc_wire_probe_of(skb)->flags = cpu_to_be32(flags);
	}
	return skb;
}

static void probe(struct hc_member *m, const struct hc_tree_peer *peer, u64 nr, u32 flags)
{
	struct sk_buff *skb = probe_make(m->node, nr, flags);

	if (skb)
		hc_peer_xmit(m, peer, skb);
}

struct sk_buff *hc_probe_none(struct hc_node *node, const struct sk_buff *skb)
{
	const struct hc_wire_probe *w = hc_wire_probe_of(skb);

	if (w->flags & cpu_to_be32(HC_PROBE_F_ANSWER))
		return NULL;
	return probe_make(node, be64_to_cpu(w->plan.op), HC_PROBE_F_ANSWER | HC_PROBE_F_NO_PLAN);
}

static void no_plan(struct hc_member *m, const struct hc_tree_peer *peer)
{
	const struct hc_end cause = hc_cause(EHOSTUNREACH, peer->node);

	if (!m->gen.broken)
		hc_way_lost(m, peer, &cause);
	hc_member_again(m);
}

/* Process a PROBE or a reply to one. The contents of a reply over a detour do not matter, only its
 * arrival.
 */
void hc_probe_rx(struct hc_member *m, const struct sk_buff *skb)
{
	const struct hc_wire_probe *w = hc_wire_probe_of(skb);
	const struct hc_tree_peer *peer = hc_peer_find(m, be16_to_cpu(hc_hdr(skb)->src));

	if (!peer || m->plan->repairs)
		return;
	if (be32_to_cpu(w->flags) & HC_PROBE_F_NO_PLAN &&
	    !hc_plan_member_here(m->plan, peer->node))
		no_plan(m, peer);
	else if (peer->how != HC_TREE_DETOUR || be32_to_cpu(w->flags) & HC_PROBE_F_ANSWER)
		return;
	else if (m->gen.broken)
		hc_over_again(m, peer);
	else
		probe(m, peer, be64_to_cpu(w->plan.op), HC_PROBE_F_ANSWER);
}

static void ask(struct hc_member *m, const struct hc_tree_peer *peer)
{
	if (m->gen.broken || peer->away)
		return;
	if (peer->how == HC_TREE_DETOUR ? !hc_detour_silent(m, peer) :
					  !hc_plan_member_here(m->plan, peer->node))
		probe(m, peer, m->done, 0);
}

/* Send PROBE to all peers at the other ends of detours and on other machines, since each of them
 * may be the cause of the wait.
 */
static void ask_all(struct hc_member *m)
{
	unsigned int i;

	for (i = 0; i < m->role.nsrc; i++)
		ask(m, &m->src[i]);
	for (i = 0; i < m->role.ndst; i++)
		ask(m, &m->role.dst[i]);
}

void hc_stall_check(struct hc_member *m)
{
	hc_words_again(m);
	if (m->gen.broken || hc_word_owed(m))
		return;
	hc_ack_notify(m);
	if (!m->plan->repairs && m->view.wait != HYPERCUBE_WAIT_NOTHING &&
	    !time_before(jiffies, m->view.since + HC_STALL_TIME))
		ask_all(m);
}
