// SPDX-License-Identifier: GPL-2.0
/* Sending segments in rings, and passing them to the process: see ring.c. */
#include <net/sock.h>

#include "coll/coll.h"
#include "coll/process.h"
#include "coll/ring/ring.h"
#include "coll/ring/ring_op.h"
#include "coll/ring/ring_resume.h"
#include "fabric/limits.h"
#include "trace.h"

bool hc_ring_starve(struct hc_member *m, struct hc_op *op)
{
	hc_op_fail(m, op, -ENOMEM, m->node->id);
	return false;
}

/* ------------------------------------------------------------ sending */

/* Return: the logical clock for a frame to source @out. If messages are sent in both directions,
 * the two directions do not wait for each other, so each has a clock of its own.
 */
static u32 clock_of(const struct hc_member *m, const struct hc_op *op, unsigned int out)
{
	const struct hc_ring_member *ring = hc_ring_member(m);

	return ring->place ? ring_op(op)->src[ring->way[out].out].clock : op->clock;
}

bool hc_ring_frame_out(struct hc_member *m, struct hc_op *op, unsigned int out,
		       struct sk_buff *skb, u32 turn)
{
	struct hc_wire_data *w = hc_wire_data_of(skb);
	u64 nr = op->nr;

	/* Keep only the flags that belong to the segment; the others were set by the peer for its
	 * own frame.
	 */
	w->flags &= HC_DATA_F_LAST | HC_DATA_F_SEEN | HC_DATA_F_BOTH;
	w->turn = cpu_to_be16(min_t(u32, turn, U16_MAX));
	w->index = cpu_to_be32(op->src[out].sent_down++);
	hc_stage_header(m, op, &m->src[out], &op->out[out].busy, clock_of(m, op, out), skb);
	hc_relay_xmit(m, &m->src[out], skb,
		      be16_to_cpu(w->block) != m->node->id && !op->agrees);
	/* If the link has just failed, hc_relay_xmit() has stopped or ended the operation. */
	return !m->gen.broken && hc_op_lives(m, op, nr);
}

bool hc_ring_frame_next(struct hc_member *m, struct hc_op *op, unsigned int out,
			struct sk_buff *skb, u32 turn)
{
	struct ring_stream *st = &ring_op(op)->src[out];

	st->turn = max(st->turn, turn) + 1;
	return hc_ring_frame_out(m, op, out, skb, st->turn);
}

/* Make a copy of @skb for another ring or the other direction, charged to the same socket or
 * fabric.
 */
static struct sk_buff *frame_copy(struct hc_member *m, struct sk_buff *skb)
{
	struct sk_buff *copy = hc_seg_share(m->node, skb, 0, be32_to_cpu(hc_hdr(skb)->len));

	if (copy)
		hc_wire_data_of(copy)->flags |= hc_wire_data_of(skb)->flags & HC_DATA_F_BOTH;
	if (copy && skb->destructor == sock_wfree) {
		skb_set_owner_w(copy, skb->sk);
	} else if (copy && skb->destructor && !hc_poll_adopt(m->node->fabric, copy)) {
		kfree_skb(copy);
		copy = NULL;
	}
	return copy;
}

bool hc_ring_copy_out(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *skb,
		      u32 turn)
{
	struct sk_buff *copy = frame_copy(m, skb);

	m->node->spent++;
	if (copy)
		return hc_ring_frame_out(m, op, hc_ring_member(m)->way[i].out, copy, turn);
	return hc_ring_starve(m, op);
}

/* ------------------------------------------------------------ the process */

/* Return: true if the process's record ends when the operation is complete, false if it ends with
 * the last block.
 */
static bool ends_late(const struct hc_op *op)
{
	return op->notify_own || ring_op(op)->late;
}

void hc_ring_process_done(struct hc_member *m, struct hc_op *op)
{
	trace_hc_op_end(m->node, m->plan->id, hc_user_nr(m, op->nr), 0);
	op->begun = false;
}

/* Return: the size in bytes of a member's block in the result. */
static u64 block_bytes(const struct hc_member *m, const struct hc_op *op)
{
	return op->coll->own_part ? hc_part_bytes(m, op->total) : op->total;
}

/* Return: the number of bytes of a segment that the process gets, beginning at *@off: in an
 * alltoall those of this member's part of the message, otherwise all. *@place is set to their
 * offset in the block.
 */
static u32 segment_wanted(const struct hc_member *m, const struct hc_op *op, u32 *off, u64 *place)
{
	const struct ring_op *r = ring_op(op);
	u32 len = r->len;

	*off = 0;
	if (op->coll->own_part)
		len = hc_part_within(m, op->total, r->at, r->len, off);
	*place = r->at + *off - (op->coll->own_part ? m->rank * hc_part_bytes(m, op->total) : 0);
	return len;
}

bool hc_ring_wants(const struct hc_member *m, const struct hc_op *op, u32 block)
{
	return op->begun && !hc_resume_gave_before(m, block) &&
	       hc_set_has(ring_op(op)->members, block);
}

/* Return: true if the result has fewer blocks than the plan had members when it was installed. Then
 * the end of the record has the set of the members whose blocks it contains.
 */
static bool has_few_places(const struct hc_member *m, const struct hc_op *op)
{
	return ring_op(op)->nmembers != m->plan->nmembers;
}

bool hc_ring_give(struct hc_member *m, struct hc_op *op, struct sk_buff *skb)
{
	u32 block = be16_to_cpu(hc_wire_data_of(skb)->block), off, len;
	struct ring_op *r = ring_op(op);
	struct sk_buff *copy;
	u64 place;
	bool few;

	if (m->guard)
		return hc_ring_guard_give(m, op, skb);
	len = segment_wanted(m, op, &off, &place);
	r->now.blocks++;
	r->given = r->last && r->now.blocks == r->nmembers && !ends_late(op);
	if (!len && !r->given) {
		hc_resume_gave(m, block);
		return true;
	}
	copy = hc_seg_share(m->node, skb, off, len);
	if (!copy)
		return hc_ring_starve(m, op);
	r->steps = r->base + r->now.turn;
	op->result = op->total * r->nmembers;
	few = r->given && has_few_places(m, op);
	hc_process_result_at(m, op, copy,
			     hc_set_rank(r->members, block) * block_bytes(m, op) + place,
			     r->given && !few);
	hc_resume_gave(m, block);
	if (few && !hc_process_places(m, op, r->members, NULL))
		return hc_ring_starve(m, op);
	if (r->given)
		hc_ring_process_done(m, op);
	return true;
}

/* End the record of a process whose result has all blocks, and which has waited until all members
 * have its message. Return: false if there is no memory.
 */
static bool whole_give(struct hc_member *m, struct hc_op *op)
{
	struct sk_buff *skb = hc_frame_alloc(m->node, HC_FRAME_DATA, 0, GFP_ATOMIC);

	if (skb)
		hc_process_result_at(m, op, skb, 0, true);
	return skb;
}

bool hc_ring_end_give(struct hc_member *m, struct hc_op *op)
{
	const u32 *missing = hc_resume_missing(m, op);
	bool given;

	op->result = op->total * ring_op(op)->nmembers;
	if (missing || has_few_places(m, op))
		given = hc_process_places(m, op, ring_op(op)->members, missing);
	else
		given = whole_give(m, op);
	return given || hc_ring_starve(m, op);
}
