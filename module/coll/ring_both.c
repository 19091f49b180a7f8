// SPDX-License-Identifier: GPL-2.0
/*
 * Allgather in one ring, in both directions at once.
 *
 * A message whose source does not want to know that all have it need not go round: one copy of it
 * goes half of the way in the ring's direction, N / 2 links, and another copy against it, over the
 * other (N - 1) / 2; the last member of each way passes it on no more. So all messages are at all
 * members after ceil((N - 1) / 2) steps, and fewer are impossible with two links for each node. A
 * message whose source waits for the acknowledgment (HYPERCUBE_F_NOTIFY) goes round as in ring.c;
 * members need not agree about that, since each message says how it goes (HC_DATA_F_BOTH).
 *
 * A chunk (ring.c) is complete at a member when it has a segment of each member, and its own is
 * back if it went round. Nothing else of the chunk comes then: a segment that goes both ways comes
 * by one of the two directions, one that goes round comes in the ring's direction, and each comes
 * once. So members are apart by one chunk at most, as in a ring of one direction: a member for
 * which a chunk is complete has had a segment of all members. What has come of the next chunk waits
 * in its stream until this one is complete.
 *
 * No member waits for ever. Take the first chunk that is not complete at all members. Everything of
 * the chunk before it was taken out of the ring, since the member that took it last did so before
 * that chunk was complete there; so each socket is charged for nothing except this chunk and the
 * next. What stands in a stream in front of a segment of this chunk is of the same chunk: a member
 * that sends a segment of the next has passed on all that it has to pass on of this one, since that
 * is done as it comes.
 *
 * A member for which an operation is complete may have nothing more to send to a peer that waits
 * for the other neighbour, so the fact that it has gone on does not prove a loss: peers are told
 * how many frames went to them, also of the latest operation that is complete.
 *
 * This is used only where the plan is one ring whose last node has a link to the first, since rings
 * of more than two nodes then have both directions of their links for themselves; and not in plans
 * with REPAIR, whose operations go on in trees of any shape (ring_resume.c).
 */
#include "coll/coll.h"
#include "coll/ring.h"
#include "coll/ring_op.h"
#include "hc_traits.h"

/* Return: the number of links from @from to @to in the ring's direction. */
static u32 links(const struct hc_ring_member *ring, u32 from, u32 to)
{
	u32 p = ring->place[from], q = ring->place[to];

	return q < p ? q + ring->nmembers - p : q - p;
}

/* By how many links has a segment come, or will it have come, and how many links does it go? */
static void way_of(const struct hc_member *m, unsigned int i, const struct hc_wire_data *w,
		   u32 *come, u32 *all)
{
	const struct hc_ring_member *ring = hc_ring_member(m);
	u32 block = be16_to_cpu(w->block), n = ring->nmembers, me = m->node->id;
	bool back = ring->way[i].back;

	*come = (back ? links(ring, me, block) : links(ring, block, me)) ?: n;
	if (w->flags & HC_DATA_F_BOTH)
		*all = back ? (n - 1) / 2 : n / 2;
	else
		*all = back ? 0 : n;
}

void hc_both_begin(struct hc_member *m, struct hc_op *op, struct hc_wire_data *w)
{
	struct ring_op *r = ring_op(op);
	unsigned int i;

	/* Of an alltoall message each member keeps one part; its steps are counted separately. */
	r->both = !op->notify_own && !op->coll->own_part;
	if (r->both)
		w->flags |= HC_DATA_F_BOTH;
	for (i = 0; i < m->role.nsrc; i++)
		r->src[i].clock = op->clock;
}

bool hc_both_fits(const struct hc_member *m, const struct ring_op *r, unsigned int i,
		  const struct hc_wire_data *w)
{
	u32 block = be16_to_cpu(w->block), come, all;

	way_of(m, i, w, &come, &all);
	if (come > all)
		return false;
	/* A segment comes once only; this member's own comes back if it went round. */
	return block == m->node->id ? !r->both && !r->now.home :
	       !hc_set_has(hc_ring_member(m)->got, block);
}

bool hc_both_ends(const struct hc_member *m, unsigned int i, const struct hc_wire_data *w)
{
	u32 come, all;

	way_of(m, i, w, &come, &all);
	return come == all;
}

bool hc_both_came(const struct hc_member *m, const struct hc_op *op, unsigned int i)
{
	const struct sk_buff *skb = skb_peek(&op->src[i].q);
	const struct ring_op *r = ring_op(op);

	if (r->now.here == hc_ring_member(m)->nmembers && (r->both || r->now.home))
		return true;
	return skb && !r->last && be64_to_cpu(hc_wire_data_of(skb)->offset) == r->at + r->len;
}
