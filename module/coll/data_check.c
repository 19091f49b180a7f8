// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of DATA frames, which may be invalid, since they may be received from another machine.
 *
 * A stream is all data that one member sends to another one in one operation, in one direction. Its
 * frames are numbered (.index). Other fields are checked, too: each frame begins at the offset at
 * which the frame before it ended, no frame extends beyond the total, the total does not change,
 * and LAST is set only in the frame that reaches the total. So when a stream has ended, all its
 * data has been received.
 *
 * The plan determines which frames a peer may send: as a source or as a destination, at which
 * stage, over its link or over a detour, and whether it splits its segments among helpers. Any
 * other frame is dropped and counted, and has no effect on operations.
 */
#include "coll/coll.h"
#include "coll/chunk.h"
#include "hc_coll_desc.h"
#include "reduce/combine.h"

/* ------------------------------------------------------------ parameters */

/* Return: the total that a DATA frame must have, which is that of this member's contribution: all
 * members contribute blocks of the same length. A frame of a result in which blocks are joined has
 * the total of all blocks.
 */
static u64 total_due(const struct hc_op *op, const struct hc_wire_data *w)
{
	bool all = op->coll->joins && w->flags & HC_DATA_F_DOWN;

	return all ? op->total * op->member->plan->nmembers : op->total;
}

static bool params_fit(const struct hc_op *op, const struct hc_wire_data *w)
{
	return op->coll->id == w->collective && op->oper == w->oper &&
	       op->dtype == w->dtype && op->width == be16_to_cpu(w->width) &&
	       (op->coll->own_totals || total_due(op, w) == be64_to_cpu(w->total));
}

/* Return: the number of bytes of an element, or -EINVAL. An element of a message or a block is a
 * byte. A barrier has no elements; its frames have the operator SUM and the type U8.
 */
static int elem_size(const struct hc_coll_desc *desc, const struct hc_wire_data *w)
{
	switch (desc->payload) {
	case HC_PAYLOAD_BYTES:
	case HC_PAYLOAD_BLOCKS:
		return w->oper || w->dtype || w->width ? -EINVAL : 1;
	case HC_PAYLOAD_NONE:
		if (w->oper != HYPERCUBE_SUM || w->total)
			return -EINVAL;
		break;
	case HC_PAYLOAD_ELEMENTS:
		break;
	}
	return hc_combine_size(w->oper, w->dtype, be16_to_cpu(w->width));
}

bool hc_op_params(struct hc_op *op, const struct hc_wire_data *w)
{
	const struct hc_coll_ops *coll;
	int elem;

	if (op->known)
		return params_fit(op, w);
	coll = hc_coll_find(op->member->plan->ops, w->collective, w->oper);
	elem = IS_ERR(coll) ? -EINVAL : elem_size(hc_coll_desc(coll->id), w);
	if (elem < 0)
		return false;
	op->elem = elem;
	op->coll = coll;
	op->oper = w->oper;
	op->dtype = w->dtype;
	op->width = be16_to_cpu(w->width);
	op->total = be64_to_cpu(w->total);
	op->piece = hc_part_piece(op->member->plan, coll, op->total, elem, &op->apart);
	op->known = true;
	return true;
}

static bool whole_elements(const struct hc_op *op, const struct sk_buff *skb)
{
	u64 total = be64_to_cpu(hc_wire_data_of(skb)->total);

	return be32_to_cpu(hc_hdr(skb)->len) % op->elem == 0 && do_div(total, op->elem) == 0;
}

/* Return: the maximum length of a payload. If the segments of the fabric are short, a set of nodes
 * (in a scatter) may be longer than a segment.
 */
static u32 payload_max(const struct hc_op *op)
{
	return max_t(u32, op->member->node->fabric->segment, HC_NODES_MAX / 8);
}

bool hc_payload_whole(struct sk_buff *skb)
{
	if (!skb_is_nonlinear(skb))
		return true;
	if (skb_headlen(skb) == HC_DATA_HEAD && skb_shinfo(skb)->nr_frags == 1 &&
	    !skb_has_frag_list(skb))
		return true;
	return !skb_linearize(skb);
}

int hc_payload_check(const struct hc_op *op, struct sk_buff *skb)
{
	/* The caller checks the length by hc_round_follows(). */
	if (op->apart)
		return 0;
	if (be32_to_cpu(hc_hdr(skb)->len) > payload_max(op))
		return -EPROTO;
	return hc_payload_whole(skb) ? 0 : -ENOMEM;
}

/* ------------------------------------------------------------ frames that are expected */

/* Return: true if the frame was received over the plan's path to this peer, which is a link or a
 * detour, and has the stage of this peer.
 */
static bool route_is_valid(const struct hc_tree_peer *peer, const struct sk_buff *skb)
{
	u8 wanted = peer->how == HC_TREE_DETOUR ? HC_FRAME_F_ROUTED | HC_FRAME_F_FIXED : 0;

	return hc_wire_data_of(skb)->stage == peer->stage &&
	       (hc_hdr(skb)->flags & (HC_FRAME_F_ROUTED | HC_FRAME_F_FIXED)) == wanted;
}

/* Return: true if source @i may send a frame of operation @nr now. In lockstep, a source may be one
 * frame ahead of this member.
 */
static bool up_expected(struct hc_member *m, int i, u64 nr)
{
	const struct hc_op *op = hc_member_op(m, nr);

	if (!m->plan->ops->lockstep)
		return nr < m->done + m->plan->ops->up_window;
	return (nr == m->head || nr == hc_nr_behind(m, m->head)) &&
	       (!op || skb_queue_empty(&op->src[i].q));
}

unsigned int hc_up_refused(struct hc_member *m, int i, const struct sk_buff *skb)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	u64 nr = be64_to_cpu(w->plan.op);
	const struct hc_op *op = hc_member_op(m, nr);
	unsigned int why = hc_gen_refused(m, be32_to_cpu(w->gen), nr);

	if (why)
		return why;
	if (i < 0 || w->flags & HC_DATA_F_DOWN || !route_is_valid(&m->src[i], skb) ||
	    !up_expected(m, i, nr))
		return HYPERCUBE_A_DROP_UNEXPECTED;
	if (!op)
		return 0;
	if (op->nr != nr || op->handed || op->src[i].last)
		return HYPERCUBE_A_DROP_UNEXPECTED;
	if ((s32)(be32_to_cpu(w->index) - op->src[i].came) < 0)
		return HYPERCUBE_A_DROP_DUPLICATE;
	return 0;
}

unsigned int hc_down_refused(struct hc_member *m, const struct sk_buff *skb)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	bool unasked = m->plan->ops->unasked;
	u64 nr = be64_to_cpu(w->plan.op);
	const struct hc_op *op = hc_member_op(m, nr);
	unsigned int why = hc_gen_refused(m, be32_to_cpu(w->gen), nr);

	if (why)
		return why;
	if (!(w->flags & HC_DATA_F_DOWN) || nr >= m->done + HC_OP_WINDOW ||
	    !route_is_valid(&m->role.dst[0], skb))
		return HYPERCUBE_A_DROP_UNEXPECTED;
	if (!op)
		return unasked && nr >= m->head ? 0 : HYPERCUBE_A_DROP_UNEXPECTED;
	if (op->nr != nr || skb_queue_len(&op->down) >= HC_DOWN_WINDOW)
		return HYPERCUBE_A_DROP_UNEXPECTED;
	if (unasked ? op->handed : !op->begun || !op->coll->comes_down)
		return HYPERCUBE_A_DROP_UNEXPECTED;
	/* No blocks are sent to this member before it has sent its request for them. */
	if (op->coll->asks && !op->handed)
		return HYPERCUBE_A_DROP_UNEXPECTED;
	if ((s32)(be32_to_cpu(w->index) - op->down_came) < 0)
		return HYPERCUBE_A_DROP_DUPLICATE;
	return 0;
}

/* ------------------------------------------------------------ the next frame of a stream */

static bool is_last(const struct hc_wire_data *w)
{
	return w->flags & HC_DATA_F_LAST;
}

/* Return: true if @skb is the next piece, at offset *@at, of a message that is sent from its
 * beginning to its end; *@at is moved past it.
 */
static bool piece_follows(u64 *at, const struct sk_buff *skb)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	u64 total = be64_to_cpu(w->total);
	u32 len = be32_to_cpu(hc_hdr(skb)->len);

	if (be64_to_cpu(w->offset) != *at || *at > total || len > total - *at ||
	    (!len && total))
		return false;
	*at += len;
	return *at == total ? is_last(w) : !is_last(w);
}

/* Return: true if @skb is this helper's share of the next segment of a blocked sender, which splits
 * each segment among its helpers. The share may be empty. *@at is moved past it.
 */
static bool part_follows(u64 *at, const struct sk_buff *skb)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	u64 offset = be64_to_cpu(w->offset);
	u64 total = be64_to_cpu(w->total);
	u32 len = be32_to_cpu(hc_hdr(skb)->len);

	if (offset < *at || offset > total || len > total - offset)
		return false;
	*at = offset + len;
	return true;
}

bool hc_round_follows(u64 *at, const struct sk_buff *skb, u32 parts, u32 piece, u32 *len)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	u64 total = be64_to_cpu(w->total);

	if (!piece || be64_to_cpu(w->offset) != *at || *at > total || (total && *at == total))
		return false;
	*len = hc_round_len(total, *at, parts, piece);
	*at += *len;
	return is_last(w) == (*at == total);
}

static bool up_follows(const struct hc_member *m, struct hc_op *op, unsigned int i,
		       const struct sk_buff *skb)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	bool part = w->flags & HC_DATA_F_PART;
	struct hc_stream *st = &op->src[i];

	if (st->came && (be64_to_cpu(w->total) != st->total ||
			 st->want != !!(w->flags & HC_DATA_F_WANT)))
		return false;
	if (op->coll->up_follows)
		return !part && op->coll->up_follows(op, i, skb);
	if (m->src[i].how == HC_TREE_HELP)
		return part && part_follows(&st->at, skb);
	return !part && piece_follows(&st->at, skb);
}

/* Make the checks that frames from below and from above have in common, and make the payload
 * contiguous. The head of @skb may move. Return: the header of the frame, ERR_PTR(-EPROTO) or
 * ERR_PTR(-ENOMEM).
 */
static const struct hc_wire_data *frame_check(struct hc_op *op, struct sk_buff *skb)
{
	int err;

	if (!hc_op_params(op, hc_wire_data_of(skb)) || !whole_elements(op, skb))
		return ERR_PTR(-EPROTO);
	err = hc_payload_check(op, skb);
	return err ? ERR_PTR(err) : hc_wire_data_of(skb);
}

int hc_up_check(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *skb)
{
	struct hc_stream *st = &op->src[i];
	const struct hc_wire_data *w = frame_check(op, skb);

	if (IS_ERR(w))
		return PTR_ERR(w);
	if (be32_to_cpu(w->index) != st->came || !up_follows(m, op, i, skb))
		return -EPROTO;
	st->total = be64_to_cpu(w->total);
	st->want = w->flags & HC_DATA_F_WANT;
	st->came++;
	return 0;
}

/* Return: true if @total is a valid length of a result. The result of a merge has the runs of all
 * members, so it is not shorter than this member's own run.
 */
static bool down_total_is_valid(const struct hc_op *op, u64 total)
{
	if (op->down_came)
		return total == op->result;
	return !op->coll->merges || total >= op->total;
}

int hc_down_check(struct hc_member *m, struct hc_op *op, struct sk_buff *skb)
{
	const struct hc_wire_data *w = frame_check(op, skb);

	if (IS_ERR(w))
		return PTR_ERR(w);
	if (!down_total_is_valid(op, be64_to_cpu(w->total)) ||
	    be32_to_cpu(w->index) != op->down_came)
		return -EPROTO;
	op->result = be64_to_cpu(w->total);
	if (op->coll->down_follows ? !op->coll->down_follows(m, op, skb) :
				     !piece_follows(&op->down_at, skb))
		return -EPROTO;
	op->down_came++;
	return 0;
}
