// SPDX-License-Identifier: GPL-2.0
/*
 * Allgather in one ring, in both directions at once.
 *
 * A message need not go round the ring if its origin has not requested a notification that all
 * members have it. One copy of it is sent in the ring's direction, over N / 2 links, and another
 * copy against this direction, over (N - 1) / 2 links. The last member of each half does not
 * forward it. So all members have all messages after ceil((N - 1) / 2) steps, and with two links
 * for each node no fewer steps are possible. A message whose origin has requested the notification
 * (HYPERCUBE_F_NOTIFY) goes round as in ring.c. The frames of a message have a flag if it is sent
 * in both directions (HC_DATA_F_BOTH), so members need not know this in advance.
 *
 * A chunk (ring.c) is complete at a member when the member has a segment of each member and, if its
 * own segment goes round, this segment has returned. After that, no segment of the chunk arrives:
 * each segment arrives at the member once, in one of the directions if it is sent in both, and in
 * the ring's direction if it goes round. A member at which a chunk is complete has received a
 * segment of each member; so two members are apart by one chunk at most, as in a ring with one
 * direction. Segments of the next chunk wait in their streams until this chunk is complete.
 *
 * No member waits for ever. Consider the first chunk that is not complete at all members. All
 * segments of the chunk before it have been removed from the ring, since the last member that
 * receives a segment removes it before the chunk is complete at this member. So each socket is
 * charged only for segments of this chunk and the next one. In a stream, only segments of this
 * chunk are before a segment of this chunk: a member that sends a segment of the next chunk has
 * forwarded all segments of this chunk, since it forwards them as they arrive.
 *
 * A member at which an operation is complete may send frames of the next operation to a peer that
 * still waits for frames of the present operation from the peer's other neighbour. So if a peer
 * receives a frame of the next operation, this does not mean that a frame of the present one was
 * lost. The sequence numbers of links show such a loss (fabric/rx.c): a gap takes the link down.
 *
 * Messages are sent in both directions only if the plan is one ring of more than two nodes whose
 * last node has a link to the first: then no other frames use the other direction of its links.
 * They are not in plans with REPAIR, whose operations may go on in any tree of rings
 * (ring_resume.c).
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

/* Set *@come to the number of links that a segment from source @i has crossed when it arrives at
 * this member, and *@all to the number of links that it crosses in this direction in total. @w:
 * header of the segment.
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

	/* In an alltoall, no message is sent in both directions, because each member uses only one
	 * part of it, and its steps are counted otherwise.
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
	/* Each segment arrives once; this member's own segment returns only if it goes round. */
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
