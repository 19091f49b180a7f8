// SPDX-License-Identifier: GPL-2.0
/*
 * Rings of guarded plans (coll/guard.c): how a member makes a result of the segments that ring.c
 * receives.
 *
 * The form of a result in a ledger does not depend on the plan type, since the next epoch may be of
 * another type: it consists of rounds (coll/chunk.h), each with a piece of every member's block.
 * Segments arrive in any order. Each is copied into the rounds at its offset, and when the segments
 * of all members have arrived, these rounds are the next ones of the result. The length of a
 * segment is a multiple of that of a piece, so all rounds of a result except the last have the same
 * length. In an alltoall, the member receives and stores the parts of all members for all members,
 * and its process gets its own parts.
 *
 * In the agreements at the beginning of an epoch, the result is a combination of the members'
 * contributions (coll/guard_agree.c). In rings, each member receives all contributions and combines
 * them itself, in the order of arrival, which does not matter for the operators of agreements.
 *
 * The record of a process ends with the last segment of the result, even with NOTIFY: in the next
 * epoch, members that lack the result receive it from a member that has it.
 */
#include "coll/coll.h"
#include "coll/guard.h"
#include "coll/ring/ring.h"
#include "coll/ring/ring_op.h"
#include "coll/chunk.h"
#include "fabric/frame.h"
#include "fabric/limits.h"

static u32 round_piece(const struct hc_plan *plan)
{
	return hc_round_piece(plan->fabric->segment, plan->nmembers, 1);
}

u32 hc_ring_piece(const struct hc_plan *plan, u64 bytes)
{
	return plan->nmembers * round_piece(plan);
}

/* Return: a DATA frame with @len bytes of payload, charged to the fabric, or NULL. */
static struct sk_buff *frame_alloc(const struct hc_member *m, u32 len)
{
	struct hc_fabric *fabric = m->node->fabric;

	return hc_poll_owned(fabric, hc_seg_alloc(fabric, m->node->id, len, GFP_ATOMIC));
}

/* Allocate the frames of the rounds of the current chunk. Return: false if there is no memory. */
static bool rounds_alloc(const struct hc_member *m, struct hc_op *op)
{
	const struct ring_op *r = ring_op(op);
	u32 n = r->nmembers, piece = round_piece(m->plan), at = 0;

	do {
		u32 len = min(piece, r->len - at);
		struct sk_buff *skb = frame_alloc(m, n * len);

		if (!skb)
			return false;
		hc_wire_data_of(skb)->offset = cpu_to_be64((r->at + at) * n);
		__skb_queue_tail(&op->down, skb);
		at += len;
	} while (at < r->len);
	return true;
}

/* Copy a member's segment into the rounds; allocate them before the first segment. Return: false if
 * there is no memory.
 */
static bool rounds_fill(const struct hc_member *m, struct hc_op *op, struct sk_buff *skb)
{
	const struct ring_op *r = ring_op(op);
	u32 rank = hc_set_rank(r->members, be16_to_cpu(hc_wire_data_of(skb)->block)), at = 0;
	struct sk_buff *round;

	if (!r->now.blocks && !rounds_alloc(m, op))
		return false;
	skb_queue_walk(&op->down, round) {
		u32 len = be32_to_cpu(hc_hdr(round)->len) / r->nmembers;

		if (len)
			memcpy(hc_payload(round) + (size_t)rank * len, hc_payload(skb) + at, len);
		at += len;
	}
	return true;
}

/* Combine a contribution to an agreement with those that have arrived before. Return: false if
 * there is no memory or the merge has failed.
 */
static bool segment_combine(struct hc_member *m, struct hc_op *op, struct sk_buff *skb)
{
	u32 len = be32_to_cpu(hc_hdr(skb)->len);
	struct sk_buff *acc = skb_peek(&op->down);

	if (acc)
		return !hc_segment_merge(m, op, acc, skb,
					 be16_to_cpu(hc_wire_data_of(skb)->block));
	acc = frame_alloc(m, len);
	if (!acc)
		return false;
	memcpy(hc_payload(acc), hc_payload(skb), len);
	hc_wire_data_of(acc)->offset = hc_wire_data_of(skb)->offset;
	hc_wire_data_of(acc)->flags = hc_wire_data_of(skb)->flags & HC_DATA_F_LAST;
	__skb_queue_tail(&op->down, acc);
	return true;
}

/* Pass the rounds of the current chunk, of which the segments of all members have arrived, to the
 * ledger and the process. Return: false if the operation is gone.
 */
static bool chunk_out(struct hc_member *m, struct hc_op *op)
{
	struct ring_op *r = ring_op(op);
	struct sk_buff *skb;
	bool last = false;

	r->steps = r->base + r->now.turn;
	op->result = op->agrees ? op->total : op->total * r->nmembers;
	while (!last && (skb = __skb_dequeue(&op->down))) {
		last = r->last && skb_queue_empty(&op->down);
		if (!hc_guard_result(m, op, skb, last))
			return false;
	}
	if (!last)
		return true;
	r->given = true;
	hc_guard_ended(m, op);
	hc_ring_process_done(m, op);
	return true;
}

bool hc_ring_guard_give(struct hc_member *m, struct hc_op *op, struct sk_buff *skb)
{
	struct ring_op *r = ring_op(op);

	if (!(op->agrees ? segment_combine(m, op, skb) : rounds_fill(m, op, skb)))
		return hc_ring_starve(m, op);
	r->now.blocks++;
	return r->now.blocks < r->nmembers || chunk_out(m, op);
}
