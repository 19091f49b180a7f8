// SPDX-License-Identifier: GPL-2.0
/*
 * Gather: the root collects the block of each member, in the order of the nodes.
 *
 * A member forwards its own block and those of its sources frame by frame, unchanged. Of all frames
 * that wait, the one whose block belongs to the lowest node is sent first (.block). So a member
 * sends frames in the order of the nodes if it receives them in that order, and the root can pass
 * frames to the socket as they arrive. A frame is charged to the socket of the process that has
 * contributed it until the root's process has read it, so the send buffer of this socket limits the
 * frames in flight; between machines, credits limit them (coll/credit_up.c).
 *
 * Unlike in a reduction, a blocked member does not split its data: it sends all of it to its first
 * effective helper, and an empty last frame to each other helper. If the blocks of one member were
 * sent over several paths, a member could wait for a frame of one helper that this helper cannot
 * send before the frames of another helper have been processed. Since they are sent over one path,
 * all frames move along a tree, and no member waits for ever: it waits for a stream only if its
 * queue for this stream is empty, so all frames that it has received have been processed, and the
 * sender has credit if it needs credit. By induction from the leaves of the tree, the next frame of
 * each stream, or its end, arrives if all processes contribute.
 *
 * The last frame of each stream has HC_DATA_F_LAST; it is empty if the stream has no data.
 */
#include <net/sock.h>

#include "coll/coll.h"
#include "coll/credit_up.h"
#include "trace.h"

#define OWN	(-1)

/**
 * struct gather_op - a gather
 * @at: at the root: number of bytes of the current block that have been passed to the process
 * @block: at the root: the current block is that of the lowest member from this node number on
 * @came: for each source: the node of the last block that was received from it
 */
struct gather_op {
	u64 at;
	u32 block;
	u32 came[];
};

static struct sk_buff_head *stream_queue(struct hc_op *op, int i)
{
	return i == OWN ? &op->own : &op->src[i].q;
}

static bool stream_last(const struct hc_op *op, int i)
{
	return i == OWN ? op->own_last : op->src[i].last;
}

static u32 frame_len(const struct sk_buff *skb)
{
	return be32_to_cpu(hc_hdr(skb)->len);
}

static u32 frame_block(const struct hc_member *m, const struct sk_buff *skb, int i)
{
	return i == OWN ? m->node->id : be16_to_cpu(hc_wire_data_of(skb)->block);
}

/* Set *@chosen to the stream whose first frame is forwarded next; one whose first frame is empty is
 * chosen at once. Return: false if the member must wait for a stream; the wait is recorded.
 */
static bool stream_choose(struct hc_member *m, struct hc_op *op, int *chosen)
{
	int i, missing = INT_MAX, best = INT_MAX;
	u32 lowest = U32_MAX;

	for (i = OWN; i < (int)m->role.nsrc; i++) {
		const struct sk_buff *skb = skb_peek(stream_queue(op, i));

		if (skb && !frame_len(skb)) {
			*chosen = i;
			return true;
		}
		if (!skb && !stream_last(op, i) && missing == INT_MAX)
			missing = i;
		if (skb && frame_block(m, skb, i) < lowest) {
			lowest = frame_block(m, skb, i);
			best = i;
		}
	}
	*chosen = best;
	if (missing == OWN)
		hc_wait(m, op, HYPERCUBE_WAIT_OWN, 0);
	else if (missing != INT_MAX)
		hc_wait(m, op, HYPERCUBE_WAIT_PEER, m->src[missing].node);
	return missing == INT_MAX && best != INT_MAX;
}

static bool all_ended(const struct hc_member *m, struct hc_op *op)
{
	int i;

	for (i = OWN; i < (int)m->role.nsrc; i++)
		if (!stream_last(op, i) || !skb_queue_empty(stream_queue(op, i)))
			return false;
	return true;
}

bool hc_others_end(struct hc_member *m, struct hc_op *op)
{
	unsigned int i;

	for (i = 1; i < m->role.ndst; i++) {
		struct sk_buff *skb = hc_frame_alloc(m->node, HC_FRAME_DATA, 0, GFP_ATOMIC);

		if (!skb) {
			hc_op_fail(m, op, -ENOMEM, m->node->id);
			return false;
		}
		hc_wire_data_of(skb)->total = cpu_to_be64(op->total);
		if (!hc_last_xmit(m, op, i, skb))
			return false;
	}
	return true;
}

/* Forward a frame; consumes @skb. @last: it is the last frame of the operation; @others: another
 * member has contributed it. Return: false if the operation is gone.
 */
static bool frame_forward(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last,
			  bool others)
{
	struct hc_wire_data *w = hc_wire_data_of(skb);
	struct hc_hdr *hdr = hc_hdr(skb);
	u64 nr = op->nr;

	/* If the frame was received over a detour, remove the flags and the walk. */
	hdr->flags = 0;
	hdr->walk = 0;
	hdr->hop = 0;
	/* Of the flags, only LAST depends on what this member sends; the others were those of the
	 * frame's sender.
	 */
	w->flags = last ? HC_DATA_F_LAST : 0;
	if (!frame_len(skb))
		hdr->time = cpu_to_be64(op->time);
	hc_data_header(m, op, 0, skb);
	hc_relay_xmit(m, &m->role.dst[0], skb, others);
	if (!hc_op_lives(m, op, nr))
		return false;
	return !last || hc_others_end(m, op);
}

/* Return: true if @skb is the frame that the root must output next. This must be checked, since the
 * frame may be from another machine.
 */
static bool block_is_valid(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb,
			   bool last)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	struct gather_op *g = hc_op_priv(op);
	u32 len = frame_len(skb);

	g->block = hc_member_from(m, g->block);
	if (len) {
		if (be16_to_cpu(w->block) != g->block ||
		    be64_to_cpu(w->offset) != g->at || len > op->total - g->at)
			return false;
		g->at += len;
	}
	if (op->total && g->at == op->total) {
		g->at = 0;
		g->block = hc_member_from(m, g->block + 1);
	}
	return !last || !op->total || g->block == m->node->fabric->topo.nodes;
}

static bool sink_out(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last)
{
	if (!block_is_valid(m, op, skb, last)) {
		kfree_skb(skb);
		hc_op_fail(m, op, -EPROTO, m->node->id);
		return false;
	}
	op->result = op->total * m->plan->nmembers;
	return hc_root_out(m, op, skb, last);
}

static enum hc_progress gather_advance(struct hc_member *m, struct hc_op *op)
{
	bool sink = hc_member_is_root(m);
	int i;

	while (stream_choose(m, op, &i)) {
		struct sk_buff *skb;
		bool last;

		if (sink ? !hc_root_may(m, op) : !hc_up_may(m, op))
			return HC_BLOCKED;
		skb = i == OWN ? __skb_dequeue(&op->own) : hc_stream_pop(&op->src[i]);
		if (i == OWN)
			hc_wire_data_of(skb)->block = cpu_to_be16(m->node->id);
		WRITE_ONCE(m->view.wait, HYPERCUBE_WAIT_NOTHING);
		last = all_ended(m, op);
		op->time = max(op->time, be64_to_cpu(hc_hdr(skb)->time));
		if (i != OWN && !hc_up_took(m, op, i)) {
			kfree_skb(skb);
			return HC_FAILED;
		}
		if (!frame_len(skb) && !last) {
			consume_skb(skb);
			continue;
		}
		if (sink ? !sink_out(m, op, skb, last) :
			   !frame_forward(m, op, skb, last, i != OWN))
			return HC_FAILED;
		if (last)
			return HC_FINISHED;
	}
	return HC_BLOCKED;
}

/* Return: true if @skb is the next frame of source @i, which sends the blocks of members one after
 * another, each from its beginning to its end.
 */
static bool block_follows(struct hc_op *op, unsigned int i, const struct sk_buff *skb)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	struct gather_op *g = hc_op_priv(op);
	struct hc_stream *st = &op->src[i];
	u64 offset = be64_to_cpu(w->offset);
	u64 total = be64_to_cpu(w->total);
	u32 block = be16_to_cpu(w->block);
	u32 len = frame_len(skb);
	bool last = w->flags & HC_DATA_F_LAST;

	if (!len)
		return last && !st->at;
	if (block >= op->member->node->fabric->topo.nodes ||
	    !hc_set_has(op->member->plan->members, block) || offset != st->at ||
	    offset > total || len > total - offset)
		return false;
	if (st->at ? block != g->came[i] : st->came && block <= g->came[i])
		return false;
	g->came[i] = block;
	st->at = offset + len == total ? 0 : offset + len;
	return !last || !st->at;
}

const struct hc_coll_ops hc_tree_gather = {
	.id = HYPERCUBE_GATHER,
	.op_size = sizeof(struct gather_op),
	.src_size = sizeof_field(struct gather_op, came[0]),
	.advance = gather_advance,
	.up_follows = block_follows,
};
