// SPDX-License-Identifier: GPL-2.0
/*
 * Scatter: the sink of a tree plan has a block for each member, in the order of the nodes.
 *
 * All members request their blocks. Each member sends up the tree the set of the members that it
 * serves, with a bit for each node: itself and the members in the sets of its sources. A blocked
 * member sends its request to its first effective helper (HC_DATA_F_WANT), as in an allreduce, and
 * sends an empty frame to each other helper, which then expects no further frames of it. So a
 * member gets from received frames which of its sources leads to which members, around the faults.
 * The sets of its sources are disjoint.
 *
 * When all members have requested their blocks, the sink sends the blocks down, in order. A member
 * sends each frame to the source whose set has the node for which the frame is (.block). Credits
 * limit the frames in flight over each edge, as for all data that is sent down (coll/fanout.c). An
 * edge keeps the order of frames, so the last frame for a source is the end of the block for the
 * highest node in its set.
 *
 * The record of a process ends when its node has passed on all blocks of the operation, not with
 * the process's own block. So an operation either succeeds or fails at a member, for all blocks
 * that the member passes on.
 */
#include <net/sock.h>

#include "coll/coll.h"
#include "coll/guard.h"
#include "coll/process.h"
#include "coll/member_mask.h"
#include "fabric/limits.h"
#include "trace.h"

/**
 * struct scatter_op - a scatter
 * @at: at the sink: number of bytes that have been sent down or passed to the process
 * @block: at the sink: the next block is for the lowest member from this node number on
 * @next: all sources with a lower index have sent their requests
 * @down_block: at other members: the node whose block must be received next
 */
struct scatter_op {
	u64 at;
	u32 block;
	unsigned int next;
	u32 down_block;
};

static struct scatter_op *scatter_op(const struct hc_op *op)
{
	return hc_op_priv(op);
}

static u32 set_bytes(const struct hc_member *m)
{
	return hc_bytes_of_set(m->plan);
}

/* Return: the set that source @i has sent. The frame with the set stays in the stream, and charged
 * to the fabric, until the operation ends.
 */
static const u8 *source_set(const struct hc_op *op, unsigned int i)
{
	return hc_payload(skb_peek(&op->src[i].q));
}

/* Add the set of source @i to @set. Return: false if it has a node that is no member, or that is in
 * @set already.
 */
static bool set_add(const struct hc_member *m, const struct hc_op *op, unsigned int i, u8 *set)
{
	return !op->src[i].want || hc_byte_set_join(m->plan, set, source_set(op, i));
}

/* Make a request for the blocks of all members that this member serves. Return: the frame, or NULL
 * if the operation is gone.
 */
static struct sk_buff *set_make(struct hc_member *m, struct hc_op *op)
{
	struct sk_buff *skb = hc_poll_frame(m->node, HC_FRAME_DATA, set_bytes(m));
	u8 *set = skb ? hc_payload(skb) : NULL;
	unsigned int i;

	if (!skb) {
		hc_op_fail(m, op, -ENOMEM, m->node->id);
		return NULL;
	}
	memset(set, 0, set_bytes(m));
	hc_byte_set_add(set, m->node->id);
	for (i = 0; i < m->role.nsrc; i++) {
		op->time = max(op->time, be64_to_cpu(hc_hdr(skb_peek(&op->src[i].q))->time));
		if (set_add(m, op, i, set))
			continue;
		kfree_skb(skb);
		hc_op_fail(m, op, -EPROTO, m->src[i].node);
		return NULL;
	}
	return skb;
}

/* ------------------------------------------------------------ up */

/* Return: true if @skb is a set of members, or the empty frame of a blocked member that sends its
 * request to another helper.
 */
static bool set_follows(struct hc_op *op, unsigned int i, const struct sk_buff *skb)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	u32 len = w->flags & HC_DATA_F_WANT ? set_bytes(op->member) : 0;

	return w->flags & HC_DATA_F_LAST && !w->offset && !w->total &&
	       be32_to_cpu(hc_hdr(skb)->len) == len;
}

/* Return: true if all sources have sent their requests; otherwise false, and the wait is recorded.
 */
static bool sources_came(struct hc_member *m, struct hc_op *op)
{
	struct scatter_op *s = scatter_op(op);

	for (; s->next < m->role.nsrc; s->next++)
		if (skb_queue_empty(&op->src[s->next].q)) {
			hc_wait(m, op, HYPERCUBE_WAIT_PEER, m->src[s->next].node);
			return false;
		}
	return true;
}

static enum hc_progress ask(struct hc_member *m, struct hc_op *op)
{
	/* If set_make() returns NULL, it has ended the operation. */
	struct sk_buff *skb = set_make(m, op);
	unsigned int i;

	for (i = 0; skb && i < m->role.ndst; i++) {
		hc_hdr(skb)->time = cpu_to_be64(op->time);
		if (!hc_last_xmit(m, op, i, skb))
			return HC_FAILED;
		if (i + 1 == m->role.ndst)
			return HC_FINISHED;
		skb = hc_poll_frame(m->node, HC_FRAME_DATA, 0);
		if (!skb)
			hc_op_fail(m, op, -ENOMEM, m->node->id);
	}
	return HC_FAILED;
}

/* Check at the sink that each member has requested its block. If one has not, fail the operation.
 * Return: false if the operation is gone.
 */
static bool all_asked(struct hc_member *m, struct hc_op *op)
{
	struct sk_buff *skb = set_make(m, op);
	u32 named;

	if (!skb)
		return false;
	named = hc_byte_set_count(hc_payload(skb), set_bytes(m));
	kfree_skb(skb);
	if (named == m->plan->nmembers)
		return true;
	hc_op_fail(m, op, -EPROTO, m->node->id);
	return false;
}

/* ------------------------------------------------------------ down */

/* Return: the index of the source whose set has member @u, or -1 if there is none. */
static int way_to(const struct hc_member *m, const struct hc_op *op, u32 u)
{
	unsigned int i;

	for (i = 0; i < m->role.nsrc; i++)
		if (op->src[i].want && hc_byte_set_has(source_set(op, i), u))
			return i;
	return -1;
}

/* Return: the lowest member, from @u on, whose block is for this member or is forwarded by it; the
 * number of nodes if there is none.
 */
static u32 served_from(const struct hc_member *m, const struct hc_op *op, u32 u)
{
	u32 nodes = m->node->fabric->topo.nodes;

	while (u < nodes && u != m->node->id && way_to(m, op, u) < 0)
		u++;
	return u;
}

/* Return: true if @skb is the next piece of the blocks that this member receives for itself or to
 * forward them.
 */
static bool blocks_follow(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	bool last = w->flags & HC_DATA_F_LAST;
	struct scatter_op *s = scatter_op(op);
	u32 len = be32_to_cpu(hc_hdr(skb)->len);
	u64 total = op->result;

	if (!op->down_came)
		s->down_block = total ? served_from(m, op, 0) : m->node->fabric->topo.nodes;
	if (!len)
		return last && !w->offset && s->down_block >= m->node->fabric->topo.nodes;
	if (last || be16_to_cpu(w->block) != s->down_block ||
	    be64_to_cpu(w->offset) != op->down_at || len > total - op->down_at)
		return false;
	op->down_at += len;
	if (op->down_at == total) {
		op->down_at = 0;
		s->down_block = served_from(m, op, s->down_block + 1);
	}
	return true;
}

static u32 frame_for(const struct hc_member *m, const struct sk_buff *skb)
{
	u32 last = m->node->fabric->topo.nodes - 1;

	return min_t(u32, be16_to_cpu(hc_wire_data_of(skb)->block), last);
}

/* Return: true if @skb may be passed on towards the member for which it is. If all blocks are
 * empty, a single empty frame is passed on to all members.
 */
static bool block_may(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb)
{
	u32 u;
	int i;

	if (!hc_hdr(skb)->len)
		return hc_down_all_may(m, op, skb);
	u = frame_for(m, skb);
	i = way_to(m, op, u);
	if (i >= 0) {
		if (hc_down_room(m, op, i))
			return true;
		hc_wait(m, op, HYPERCUBE_WAIT_CREDIT, m->src[i].node);
		return false;
	}
	if (u != m->node->id) {
		hc_op_fail(m, op, -EPROTO, m->role.ndst ? m->role.dst[0].node : m->node->id);
		return false;
	}
	if (hc_process_room(m, op->rec.sock))
		return true;
	hc_wait(m, op, HYPERCUBE_WAIT_READER, 0);
	return false;
}

/* Pass a frame on towards its member. An empty frame ends the operation, and is passed on to all
 * members.
 */
static enum hc_progress block_pass(struct hc_member *m, struct hc_op *op, struct sk_buff *skb,
				   bool last)
{
	int i;

	if (!hc_hdr(skb)->len)
		return hc_down_all_pass(m, op, skb, last);
	i = way_to(m, op, frame_for(m, skb));
	if (i < 0 && m->guard)
		return hc_guard_result(m, op, skb, false) ? HC_FINISHED : HC_FAILED;
	if (i < 0) {
		hc_process_result(m, op, skb, false);
		return HC_FINISHED;
	}
	return hc_down_send(m, op, i, skb);
}

/* Set two fields in the header of the sink's next segment: the member for which it is, and the
 * offset in the block of this member.
 */
static void segment_address(struct hc_member *m, struct hc_op *op, struct sk_buff *skb)
{
	struct hc_wire_data *w = hc_wire_data_of(skb);
	struct scatter_op *s = scatter_op(op);
	struct hc_hdr *hdr = hc_hdr(skb);
	u64 at = 0;

	s->block = hc_member_from(m, s->block);
	if (op->result)
		div64_u64_rem(s->at, op->result, &at);
	w->block = cpu_to_be16(s->block);
	w->offset = cpu_to_be64(at);
	w->total = cpu_to_be64(op->result);
	hdr->time = cpu_to_be64(max(be64_to_cpu(hdr->time), op->time));
}

/* Queue an empty last frame after the last block. Return: false if the operation is gone. */
static bool end_queue(struct hc_member *m, struct hc_op *op, struct sk_buff *skb)
{
	struct sk_buff *end = hc_frame_alloc(m->node, HC_FRAME_DATA, 0, GFP_ATOMIC);

	if (!end) {
		hc_op_fail(m, op, -ENOMEM, m->node->id);
		return false;
	}
	hc_wire_data_of(skb)->flags &= ~HC_DATA_F_LAST;
	hc_wire_data_of(end)->flags = HC_DATA_F_LAST;
	hc_hdr(end)->time = hc_hdr(skb)->time;
	__skb_queue_after(&op->own, skb, end);
	return true;
}

static enum hc_progress hand_out(struct hc_member *m, struct hc_op *op)
{
	struct scatter_op *s = scatter_op(op);
	struct sk_buff *skb;
	u64 nr = op->nr;

	op->result = div_u64(op->total, m->plan->nmembers);
	while ((skb = skb_peek(&op->own))) {
		u32 len = be32_to_cpu(hc_hdr(skb)->len);
		bool last;

		if (len && hc_wire_data_of(skb)->flags & HC_DATA_F_LAST && !end_queue(m, op, skb))
			return HC_FAILED;
		last = hc_wire_data_of(skb)->flags & HC_DATA_F_LAST;
		if (len)
			segment_address(m, op, skb);
		if (!hc_root_may(m, op))
			return hc_op_lives(m, op, nr) ? HC_BLOCKED : HC_FAILED;
		__skb_unlink(skb, &op->own);
		WRITE_ONCE(m->view.wait, HYPERCUBE_WAIT_NOTHING);
		s->at += len;
		if (len && be64_to_cpu(hc_wire_data_of(skb)->offset) + len == op->result)
			s->block++;
		if (!hc_root_out(m, op, skb, last))
			return HC_FAILED;
		if (last)
			return HC_FINISHED;
	}
	return hc_wait(m, op, HYPERCUBE_WAIT_OWN, 0);
}

static enum hc_progress scatter_advance(struct hc_member *m, struct hc_op *op)
{
	bool asked = scatter_op(op)->next == m->role.nsrc;

	if (!sources_came(m, op))
		return HC_BLOCKED;
	if (!hc_member_is_root(m))
		return op->own_last ? ask(m, op) : hc_wait(m, op, HYPERCUBE_WAIT_OWN, 0);
	if (!asked && !all_asked(m, op))
		return HC_FAILED;
	return hand_out(m, op);
}

const struct hc_coll_ops hc_tree_scatter = {
	.id = HYPERCUBE_SCATTER,
	.op_size = sizeof(struct scatter_op),
	.own_totals = true,
	.comes_down = true,
	.asks = true,
	.advance = scatter_advance,
	.up_follows = set_follows,
	.down_follows = blocks_follow,
	.down_may = block_may,
	.down_pass = block_pass,
};
