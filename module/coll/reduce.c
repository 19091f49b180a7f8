// SPDX-License-Identifier: GPL-2.0
/*
 * Tree reduction, element by element: fault-tolerant tree communication (Leu &
 * Kuo, section 3.2, figure 13, as corrected in Documentation/errata.rst).
 *
 * A member merges into its own segment, in place, the same segment of each of
 * its sources in the order of its role: by stage, as the paper's loop over i.
 * Then it passes the segment on: to its passive neighbour, in m parts to the
 * effective helpers if that link is faulty, or by a detour if there are none;
 * the sink gives it to the socket.  No arrival order enters into the result.
 */
#include <net/sock.h>

#include "coll/coll.h"
#include "coll/up.h"
#include "reduce/combine.h"
#include "trace.h"

static struct sk_buff *part_make(struct hc_node *node, struct sk_buff *skb, u32 off, u32 len)
{
	struct sk_buff *part = hc_seg_share(node, skb, off, len);

	if (!part)
		return NULL;
	hc_wire_data_of(part)->flags |= HC_DATA_F_PART;
	/* The pages stay charged to the socket that filled them: a slow reader pushes back. */
	if (skb->sk && skb->destructor == sock_wfree)
		skb_set_owner_w(part, skb->sk);
	return part;
}

/* The data of a blocked sender in m parts, sizes differing by one element at most.
 * False: the operation is gone.
 */
static bool parts_xmit(struct hc_member *m, struct hc_op *op, struct sk_buff *skb)
{
	u32 elems = be32_to_cpu(hc_hdr(skb)->len) / op->elem;
	unsigned int parts = m->role.ndst;
	u64 nr = op->nr;
	unsigned int i;

	for (i = 0; i < parts; i++) {
		u32 from = (u64)elems * i / parts * op->elem;
		u32 to = (u64)elems * (i + 1) / parts * op->elem;
		struct sk_buff *part = part_make(m->node, skb, from, to - from);

		if (!part) {
			hc_op_fail(m, op, -ENOMEM, m->node->id);
			return false;
		}
		hc_data_header(m, op, i, part);
		hc_relay_xmit(m, &m->role.dst[i], part, m->role.nsrc);
		if (!hc_op_lives(m, op, nr))
			return false;
	}
	return true;
}

bool hc_segment_merge(struct hc_member *m, struct hc_op *op, struct sk_buff *acc,
		      const struct sk_buff *in, u32 peer)
{
	const struct hc_wire_data *to = hc_wire_data_of(acc);
	const struct hc_wire_data *from = hc_wire_data_of(in);
	u64 off = be64_to_cpu(from->offset) - be64_to_cpu(to->offset);
	u64 came = be64_to_cpu(hc_hdr(in)->time);
	u32 len = be32_to_cpu(hc_hdr(in)->len);
	u32 room = be32_to_cpu(hc_hdr(acc)->len);
	u64 begin = hc_trace_clock();

	if (off > room || len > room - off || off % op->elem ||
	    (to->flags ^ from->flags) & HC_DATA_F_LAST)
		return false;
	if (!(from->flags & HC_DATA_F_PART) && len != room)
		return false;
	if (len)
		hc_combine(op->oper, op->dtype, op->width, hc_payload(acc) + off,
			   hc_payload(in), len);
	hc_hdr(acc)->time = cpu_to_be64(max(be64_to_cpu(hc_hdr(acc)->time), came));
	u64_stats_update_begin(&m->node->syncp);
	m->node->merged_bytes += len;
	u64_stats_update_end(&m->node->syncp);
	trace_hc_merge(m->node, m->plan->id, op->nr, peer, len, begin);
	return true;
}

/* Pass a complete segment on; consumes @skb.  False: the operation has failed. */
static bool segment_forward(struct hc_member *m, struct hc_op *op, struct sk_buff *skb)
{
	u64 nr = op->nr;

	if (hc_member_is_root(m)) {
		bool last = hc_wire_data_of(skb)->flags & HC_DATA_F_LAST;

		op->time = max(op->time, be64_to_cpu(hc_hdr(skb)->time));
		op->result = op->total;
		return hc_root_out(m, op, skb, last);
	}
	if (m->role.dst[0].how == HC_TREE_HELP) {
		bool sent = parts_xmit(m, op, skb);

		consume_skb(skb);
		return sent;
	}
	hc_data_header(m, op, 0, skb);
	hc_relay_xmit(m, &m->role.dst[0], skb, m->role.nsrc);
	/* If it cannot be sent, hc_peer_xmit() has ended the operation, and @op is gone. */
	return hc_op_lives(m, op, nr);
}

/**
 * struct reduce_op - a reduction
 * @next: sources already merged into the head of hc_op.own
 */
struct reduce_op {
	unsigned int next;
};

static enum hc_progress tree_advance(struct hc_member *m, struct hc_op *op)
{
	struct reduce_op *r = hc_op_priv(op);
	struct sk_buff *acc;

	while ((acc = skb_peek(&op->own))) {
		bool last = hc_wire_data_of(acc)->flags & HC_DATA_F_LAST;

		for (; r->next < m->role.nsrc; r->next++) {
			u32 peer = m->src[r->next].node;
			struct sk_buff *in = hc_stream_pop(&op->src[r->next]);
			bool fits;

			if (!in)
				return hc_wait(m, op, HYPERCUBE_WAIT_PEER, peer);
			fits = hc_segment_merge(m, op, acc, in, peer);
			consume_skb(in);
			if (!fits)
				return hc_op_fail(m, op, -EPROTO, peer);
			if (!hc_up_took(m, op, r->next))
				return HC_FAILED;
		}
		if (hc_member_is_root(m) ? !hc_root_may(m, op) : !hc_up_may(m, op))
			return HC_BLOCKED;
		__skb_unlink(acc, &op->own);
		r->next = 0;
		WRITE_ONCE(m->view.wait, HYPERCUBE_WAIT_NOTHING);
		if (!segment_forward(m, op, acc))
			return HC_FAILED;
		if (last)
			return HC_FINISHED;
	}
	return hc_wait(m, op, HYPERCUBE_WAIT_OWN, 0);
}

/* ------------------------------------------------------------ the collectives */

/* What all have in common. */
#define REDUCE_OP	.op_size = sizeof(struct reduce_op), .advance = tree_advance

const struct hc_coll_ops hc_tree_reduce = {
	.id = HYPERCUBE_REDUCE,
	REDUCE_OP
};

const struct hc_coll_ops hc_tree_allreduce = {
	.id = HYPERCUBE_ALLREDUCE,
	REDUCE_OP, .comes_down = true,
};

const struct hc_coll_ops hc_tree_barrier = {
	.id = HYPERCUBE_BARRIER,
	REDUCE_OP, .comes_down = true,
};

/* All members get the whole result, and give the process its part of it. */
const struct hc_coll_ops hc_tree_reduce_scatter = {
	.id = HYPERCUBE_REDUCE_SCATTER,
	REDUCE_OP, .comes_down = true, .own_part = true,
};
