// SPDX-License-Identifier: GPL-2.0
/*
 * Sending STOP, END, and the ACK of a new generation. See coll/end.c.
 */
#include "coll/coll.h"
#include "coll/end.h"
#include "fabric/link.h"

/* Number of frames in the poll's budget as which sending END or STOP to the peers counts. */
#define WORD_COST	8

struct sk_buff *hc_end_word(struct hc_node *node, u8 type, u32 gen, const struct hc_end *end)
{
	struct sk_buff *skb = hc_frame_alloc(node, type, 0, GFP_ATOMIC);
	struct hc_wire_stop *w;

	if (!skb)
		return NULL;
	w = hc_wire_stop_of(skb);
	w->plan.op = cpu_to_be64(end->nr);
	w->gen = cpu_to_be32(gen);
	w->status = cpu_to_be32(end->status);
	w->node = cpu_to_be16(end->node);
	w->dim = cpu_to_be16(end->dim);
	w->flags = cpu_to_be32(end->flags);
	hc_hdr(skb)->step = cpu_to_be32(end->clock);
	return skb;
}

bool hc_end_word_send(struct hc_member *m, const struct hc_tree_peer *peer, u8 type, u32 gen,
		      const struct hc_end *end)
{
	struct sk_buff *skb = hc_end_word(m->node, type, gen, end);

	if (!skb)
		return false;
	/* Add a step for the link. If the frame is sent by unicast or over a detour, each node that
	 * forwards it adds a step (route/).
	 */
	if (peer->how != HC_TREE_DETOUR && hc_link_usable(m->node, peer->dim))
		be32_add_cpu(&hc_hdr(skb)->step, 1);
	return hc_peer_xmit(m, peer, skb) != -ENOBUFS;
}

bool hc_end_down(struct hc_member *m, u32 gen, const struct hc_end *end)
{
	bool said = true;
	unsigned int i;

	for (i = 0; i < m->role.nsrc; i++)
		if (!m->src[i].away || m->src[i].how == HC_TREE_DETOUR)
			said &= hc_end_word_send(m, &m->src[i], HC_FRAME_END, gen, end);
	m->node->spent += WORD_COST;
	return said;
}

static bool moved_up(struct hc_member *m)
{
	const struct hc_ack d = { .nr = m->done };
	bool said = true;
	unsigned int i;

	for (i = 0; i < m->role.ndst; i++)
		said &= hc_ack_xmit(m, &m->role.dst[i], &d);
	return said;
}

static bool stop_up(struct hc_member *m)
{
	bool said = true;
	unsigned int i, kind;

	for (kind = 0; kind < HC_NSTOPS; kind++) {
		const struct hc_end *stop = &m->gen.stop[kind];

		for (i = 0; i < m->role.ndst && stop->nr != HC_NR_NONE; i++)
			said &= hc_end_word_send(m, &m->role.dst[i], HC_FRAME_STOP, m->gen.count,
						 stop);
	}
	/* An IDLE STOP is forwarded once, and then discarded. */
	if (said)
		hc_end_none(&m->gen.stop[HC_STOP_IDLE]);
	m->node->spent += WORD_COST;
	return said;
}

/* Notify the destinations that the plan is over at this member, since they may be waiting for it to
 * process the data that they have sent. Return: false if a message was not sent.
 */
static bool remote_up(struct hc_member *m)
{
	struct hc_end over = m->gen.last;
	bool said = true;
	unsigned int i;

	over.flags |= HC_STOP_F_NO_DATA;
	for (i = 0; i < m->role.ndst; i++)
		said &= hc_end_word_send(m, &m->role.dst[i], HC_FRAME_STOP, m->gen.count - 1,
					 &over);
	return said;
}

/* Record the control messages before sending them: if one of them cannot be sent now, no other
 * frame is sent before it.
 */
void hc_end_say(struct hc_member *m, u8 what)
{
	m->gen.unsaid |= what;
	hc_words_again(m);
	if (m->gen.unsaid)
		hc_member_wait(m);
}

void hc_words_again(struct hc_member *m)
{
	u8 unsaid = m->gen.unsaid;

	/* If hc_peer_xmit() fails, it may set more bits of .unsaid, so begin with 0. */
	m->gen.unsaid = 0;
	if (unsaid & HC_UNSAID_LAST && hc_end_down(m, m->gen.count - 1, &m->gen.last))
		unsaid &= ~HC_UNSAID_LAST;
	if (unsaid == HC_UNSAID_END && hc_end_down(m, m->gen.count, &m->gen.end))
		unsaid = 0;
	if (unsaid & HC_UNSAID_MOVED && !(unsaid & HC_UNSAID_LAST) && moved_up(m))
		unsaid &= ~HC_UNSAID_MOVED;
	if (unsaid & HC_UNSAID_REMOTE && remote_up(m))
		unsaid &= ~HC_UNSAID_REMOTE;
	if (unsaid == HC_UNSAID_STOP && stop_up(m))
		unsaid = 0;
	m->gen.unsaid |= unsaid;
}
