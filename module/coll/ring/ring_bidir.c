// SPDX-License-Identifier: GPL-2.0
/*
 * Allgather in one ring, in both directions at once.
 *
 * A message need not travel round the ring if its origin does not request a notification that all
 * members have it. One copy of it travels in the ring's direction, over N / 2 links, and another
 * copy against that direction, over the other (N - 1) / 2. The last member of each half does not
 * forward it. So all messages are at all members after ceil((N - 1) / 2) steps, and fewer are
 * impossible with two links for each node. A message whose origin waits for the acknowledgment
 * (HYPERCUBE_F_NOTIFY) travels round as in ring.c. Members need not know beforehand in which
 * directions a message travels, since each message carries a flag (HC_DATA_F_BOTH).
 *
 * A chunk (ring.c) is complete at a member when the member has a segment of each member and, if its
 * own segment travels round, that segment has returned. No other segment of the chunk arrives
 * later: a segment that is sent in both directions reaches the member in one of them only, a
 * segment that travels round arrives in the ring's direction, and each arrives once. So members are
 * apart by one chunk at most, as in a ring of one direction: a member at which a chunk is complete
 * has received a segment of all members. Segments of the next chunk wait in their streams until
 * this one is complete.
 *
 * No member waits for ever. Take the first chunk that is not complete at all members. All segments
 * of the chunk before it have been removed from the ring: the member that received a segment last
 * removed it before that chunk was complete there. So each socket is charged for this chunk and the
 * next only. In a stream only segments of this chunk are ahead of a segment of this chunk: a member
 * that sends a segment of the next chunk has already forwarded its segments of this one, since it
 * forwards them as they arrive.
 *
 * A member at which an operation is complete may send frames of the next operation to a peer that
 * still waits for frames of the old one from the peer's other neighbour. So a frame of the next
 * operation does not prove to the peer that a frame of the old one was lost. The sequence numbers
 * of links prove that (fabric/rx.c): a gap takes the link down.
 *
 * This is used only if the plan is one ring whose last node has a link to the first: in such a ring
 * of more than two nodes, both directions of each link are free for it. It is not used in plans
 * with REPAIR, whose operations may continue in trees of any shape (ring_resume.c).
 */
#include "coll/coll.h"
#include "coll/ring/ring.h"
#include "coll/ring/ring_op.h"
#include "hc_coll_desc.h"

/* Return: the number of links from @from to @to in the ring's direction. */
static u32 links(const struct hc_ring_member *ring, u32 from, u32 to)
{
	u32 p = ring->place[from], q = ring->place[to];

	return q < p ? q + ring->nmembers - p : q - p;
}

/* Set *come to the number of links that a segment from source @i has crossed when it arrives at
 * this member, and *all to the number of links that it crosses in all in that direction.
 */
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

	/* Alltoall never sends a message in both directions: each member keeps one part of it, and
	 * counts steps separately.
	 */
	r->both = !op->notify_own && !op->coll->own_part;
	if (r->both)
		w->flags |= HC_DATA_F_BOTH;
	for (i = 0; i < m->role.nsrc; i++)
		r->src[i].clock = op->clock;
}

bool hc_both_is_valid(const struct hc_member *m, const struct ring_op *r, unsigned int i,
		      const struct hc_wire_data *w)
{
	u32 block = be16_to_cpu(w->block), come, all;

	way_of(m, i, w, &come, &all);
	if (come > all)
		return false;
	/* Each segment arrives once; this member's own returns only if it travels round. */
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
