// SPDX-License-Identifier: GPL-2.0
/*
 * Tree reduction, element by element: fault-tolerant tree communication (Leu & Kuo, section 3.2,
 * figure 13, as corrected in Documentation/errata.rst).
 *
 * A member merges the corresponding segments of its sources into its own segment, in place, in the
 * order of the sources in its role: by stage, as in the paper's loop over i. (If the ledger of a
 * guarded plan refers to the same pages, the first merge writes to new pages.) Then the member
 * sends the segment to its passive neighbour; or, if the link to it is faulty, in m parts to its m
 * effective helpers; or, if it has no helpers, over a detour. The sink passes the segment to its
 * socket. The order of arrival does not affect the result.
 */
#include <net/sock.h>

#include "coll/coll.h"
#include "coll/credit_up.h"
#include "fabric/limits.h"
#include "reduce/combine.h"
#include "trace.h"

static struct sk_buff *part_make(struct hc_node *node, struct sk_buff *skb, u32 off, u32 len)
{
	struct sk_buff *part = hc_seg_share(node, skb, off, len);

	if (!part)
		return NULL;
	hc_wire_data_of(part)->flags |= HC_DATA_F_PART;
	/* The pages stay charged to the socket of the process that has filled them, so that this
	 * process must wait in sendmsg() if a reader is slow.
	 */
	if (skb->sk && skb->destructor == sock_wfree)
		skb_set_owner_w(part, skb->sk);
	return part;
}

/* Send a segment of a blocked member to its m effective helpers, in m parts whose sizes differ by
 * at most one element. Return: false if the operation is gone.
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

		/* In an agreement of members (coll/guard_agree.c), frames are charged to the
		 * fabric.
		 */
		if (part && op->agrees && !hc_poll_adopt(m->node->fabric, part)) {
			kfree_skb(part);
			part = NULL;
		}
		if (!part) {
			hc_op_fail(m, op, -ENOMEM, m->node->id);
			return false;
		}
		hc_data_header(m, op, i, part);
		hc_relay_xmit(m, &m->role.dst[i], part, m->role.nsrc && !op->agrees);
		if (!hc_op_lives(m, op, nr))
			return false;
	}
	return true;
}

/* Replace the page with the payload of @skb by a new page, whose contents are not set. Return: the
 * old page, with the reference that @skb has had to it; NULL if there is no memory.
 */
static struct page *page_renew(struct sk_buff *skb)
{
	struct page *old = skb_frag_page(&skb_shinfo(skb)->frags[0]);
	u32 len = skb_frag_size(&skb_shinfo(skb)->frags[0]);
	struct page *page = alloc_pages(GFP_ATOMIC | __GFP_COMP | __GFP_NOWARN, get_order(len));

	if (!page)
		return NULL;
	/* The size of the payload, and so the charge for @skb, does not change. */
	skb_fill_page_desc(skb, 0, page, 0, len);
	return old;
}

/* Combine @len bytes of the payload of @acc, beginning at offset @off, with those at @in; the
 * result is in @acc. Return: false if there is no memory.
 */
static bool payload_combine(const struct hc_member *m, const struct hc_op *op, struct sk_buff *acc,
			    u32 off, const void *in, u32 len)
{
	const void *first = hc_payload(acc);
	struct page *kept = NULL;

	if (m->guard && hc_page_is_shared(acc)) {
		kept = page_renew(acc);
		if (!kept)
			return false;
		/* @in may be only a part of a segment (HC_DATA_F_PART, from a helper). Then only a
		 * part of the new page is written below, so copy the whole payload first.
		 */
		if (len < be32_to_cpu(hc_hdr(acc)->len))
			memcpy(hc_payload(acc), first, be32_to_cpu(hc_hdr(acc)->len));
	}
	hc_combine(op->oper, op->dtype, op->width, hc_payload(acc) + off, first + off, in, len);
	if (kept)
		put_page(kept);
	return true;
}

int hc_segment_merge(struct hc_member *m, struct hc_op *op, struct sk_buff *acc,
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
		return -EPROTO;
	if (!(from->flags & HC_DATA_F_PART) && len != room)
		return -EPROTO;
	if (len && !payload_combine(m, op, acc, off, hc_payload(in), len))
		return -ENOMEM;
	hc_hdr(acc)->time = cpu_to_be64(max(be64_to_cpu(hc_hdr(acc)->time), came));
	u64_stats_update_begin(&m->node->syncp);
	m->node->merged_bytes += len;
	u64_stats_update_end(&m->node->syncp);
	trace_hc_merge(m->node, m->plan->id, op->nr, peer, len, begin);
	return 0;
}

/* Pass on a segment into which those of all sources have been merged; consumes @skb. Return: false
 * if the operation has failed.
 */
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
	hc_relay_xmit(m, &m->role.dst[0], skb, m->role.nsrc && !op->agrees);
	/* If the frame could not be sent, the operation has ended, and @op is gone. */
	return hc_op_lives(m, op, nr);
}

/**
 * struct reduce_op - a reduction
 * @next: number of sources whose data has been merged into the head of hc_op.own
 * @up: true if the whole contribution has been sent up
 */
struct reduce_op {
	unsigned int next;
	bool up;
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
			int err;

			if (!in)
				return hc_wait(m, op, HYPERCUBE_WAIT_PEER, peer);
			err = hc_segment_merge(m, op, acc, in, peer);
			consume_skb(in);
			if (err)
				return hc_op_fail(m, op, err, err == -ENOMEM ? m->node->id : peer);
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

/* Advance an agreement in a guarded broadcast plan: send data up as far as possible, and pass on
 * the result that was received from above. The result of an operation is passed on here, and not by
 * hc_results_advance(), because in a broadcast plan an operation is passed on only after all
 * operations before it.
 */
static enum hc_progress both_advance(struct hc_member *m, struct hc_op *op)
{
	struct reduce_op *r = hc_op_priv(op);
	enum hc_progress p = r->up ? HC_FINISHED : tree_advance(m, op);

	if (p == HC_FAILED || hc_member_is_root(m))
		return p;
	r->up = p == HC_FINISHED;
	p = hc_down_advance(m, op);
	if (p == HC_BLOCKED && m->view.wait == HYPERCUBE_WAIT_NOTHING)
		hc_wait(m, op, HYPERCUBE_WAIT_PEER, m->role.dst[0].node);
	return p;
}

/* ------------------------------------------------------------ the collectives */

/* Initializers that all reductions have in common. */
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

/* All members get the whole result, and each passes its own part to its process. */
const struct hc_coll_ops hc_tree_reduce_scatter = {
	.id = HYPERCUBE_REDUCE_SCATTER,
	REDUCE_OP, .comes_down = true, .own_part = true,
};

const struct hc_coll_ops hc_bcast_agreement = {
	.id = HYPERCUBE_ALLREDUCE,
	.op_size = sizeof(struct reduce_op), .advance = both_advance,
	.comes_down = true, .agrees = true,
};
