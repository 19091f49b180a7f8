// SPDX-License-Identifier: GPL-2.0
/*
 * Collectives over recursive doubling: the exchange with the peer of each stage. plan_doubling.c
 * has the plan type, and the arguments about the order and the numbers of frames.
 *
 * At stage i a member and its peer along the dimension of that stage send each other the data that
 * they have, and each of them combines both; the data of the node whose number has bit 0 in this
 * dimension is the first operand. By induction, after each stage, all nodes whose numbers agree in
 * the dimensions of the remaining stages have data with the same bits, NaN payloads included: both
 * ends of a link compute the same function of the same operands. After the last stage these nodes
 * are all members. The operands of each stage are those of a fault-free tree of the same order
 * whose sink is the lowest node, so the result has the same bits as the result of that tree.
 *
 * Members work on the oldest operation only, segment by segment. They send copies of their data, so
 * each end owns the frame that it has received, and combines in place: the lower end writes the
 * result into its own segment, the upper end into the received frame. The frame without the result
 * is reused for the next copy, of the next stage or segment, so there is one allocation for all
 * frames of the same length.
 *
 * Halves. If there is a part for each member (coll/chunk.h), a member sends one half of its segment
 * at each stage: the pieces for the members on the peer's side. In a reduce-scatter, the half that
 * it has not sent is combined with the half that it receives; the operands, and so the bits of the
 * result, are those of an allreduce. The segment gets shorter at each stage, until only the
 * member's own piece is left (recursive halving). In an alltoall, the half that is received
 * replaces the half that was sent. So each stage moves pieces nearer to their members, and after
 * the last stage the piece at each position is from the member of that position (dimension
 * exchange). A member sends one frame for each segment at each stage, as in an allreduce, so the
 * arguments in plan_doubling.c are valid for these collectives, too.
 *
 * Growth. In an allgather, a member and its peer send each other all pieces that they have, so
 * after each stage a segment has the pieces of twice as many blocks, in the order of the nodes. The
 * process's own segments are so short that the data of the last stage fits into one segment
 * (.piece). Here, too, a member sends one frame for each segment at each stage.
 *
 * Pages. If each piece of a long block is in pages of its own (coll/pieces.h), frames refer to
 * these pages, and no piece is copied. In an alltoall, this member's segment and the frame to the
 * peer both refer to the pieces that are sent at a stage, until the peer's pieces have replaced
 * them in the segment; the member's references are then dropped with the peer's frame. The segment
 * stays charged to the socket of this member's process, with the number of pages that this process
 * has sent, since the pieces that are received are equally long. In an allgather, the pieces of
 * other members are charged to no socket before the process gets them: these are one round for each
 * member, as they are if pieces are copied.
 *
 * Guarded plans (coll/guard.c). Each member stores the common result of all members in its ledger,
 * so that any member can distribute it again. So a reduce-scatter is carried out as an allreduce,
 * and an alltoall as an allgather of what all members contribute for all members; processes get
 * their own parts of the result.
 */
#include "coll/coll.h"
#include "coll/guard.h"
#include "coll/halving.h"
#include "coll/pieces.h"
#include "coll/process.h"
#include "coll/chunk.h"
#include "fabric/limits.h"
#include "hc_doubling.h"

/* ------------------------------------------------------------ exchange */

/**
 * struct doubling_op - private state of an operation
 * @spare: a frame that may be reused for the next copy that is sent, or NULL
 * @nr: number of segments that have passed all stages
 * @next: number of sources whose data has been combined with the head of hc_op.own
 * @offered: true if this member's data has been sent to source @next
 */
struct doubling_op {
	struct sk_buff *spare;
	u64 nr;
	unsigned int next;
	bool offered;
};

static struct doubling_op *doubling_op(const struct hc_op *op)
{
	return hc_op_priv(op);
}

static void doubling_op_release(struct hc_op *op)
{
	kfree_skb(doubling_op(op)->spare);
}

/**
 * struct doubling_coll - a collective of recursive doubling
 * @ops: the functions and properties that the common code uses
 * @halves: true if a member sends at each stage only the half of a segment that is for the peer's
 *	side
 * @swaps: with @halves: true if the peer's half replaces the half that was sent; false if it is
 *	combined with the half that was not sent
 * @grows: true if the peer's pieces are put beside the member's own pieces
 */
struct doubling_coll {
	struct hc_coll_ops ops;
	bool halves;
	bool swaps;
	bool grows;
};

static const struct doubling_coll *doubling_coll(const struct hc_op *op)
{
	return container_of(op->coll, struct doubling_coll, ops);
}

/* Return: true if segments get shorter at each stage. */
static bool shrinks(const struct hc_op *op)
{
	return doubling_coll(op)->halves && !doubling_coll(op)->swaps;
}

/* Return: the length of a run, which is a sequence of pieces for the members on one side of the
 * dimension of stage @i, in a segment of length @len. Both lengths are in bytes or, if pieces are
 * in pages of their own, in pieces.
 */
static u32 half_run(const struct hc_member *m, const struct hc_op *op, unsigned int i, u32 len)
{
	const struct hc_doubling *d = hc_plan_priv(m->plan);
	u32 left = hc_doubling_mask(d);
	unsigned int j;

	/* The segment has no pieces any more for members on the other side of the dimensions of
	 * earlier stages.
	 */
	for (j = 0; j < i && shrinks(op); j++)
		left &= ~hc_bit(d->order[j]);
	return (len >> hweight32(left)) << hweight32(left & (hc_bit(d->order[i]) - 1));
}

/* Return: true if the number of this node has bit 1 in the dimension of stage @i. */
static bool is_upper(const struct hc_member *m, unsigned int i)
{
	return m->node->id & hc_bit(m->src[i].dim);
}

/* Copy the data for source @i from segment @acc into @copy. If segments get shorter at each stage,
 * remove it from @acc, so that the half that is combined with the peer's data is left.
 */
static void part_fill(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *acc,
		      struct sk_buff *copy)
{
	u32 len = be32_to_cpu(hc_hdr(acc)->len);
	u32 run;

	if (!len)
		return;
	if (!doubling_coll(op)->halves) {
		memcpy(hc_payload(copy), hc_payload(acc), len);
		return;
	}
	run = half_run(m, op, i, len);
	hc_half_get(hc_payload(copy), hc_payload(acc), len, run, !is_upper(m, i));
	if (!shrinks(op))
		return;
	hc_half_get(hc_payload(acc), hc_payload(acc), len, run, is_upper(m, i));
	hc_hdr(acc)->len = cpu_to_be32(len / 2);
}

/* Return: a frame with @len bytes of payload, which may be the spare one; NULL if there is no
 * memory.
 */
static struct sk_buff *frame_get(struct hc_member *m, struct hc_op *op, u32 len)
{
	struct doubling_op *d = doubling_op(op);
	struct sk_buff *spare = d->spare;

	d->spare = NULL;
	/* Do not reuse a page to which the ledger of a guarded plan refers. */
	if (spare && be32_to_cpu(hc_hdr(spare)->len) == len &&
	    !(m->guard && hc_page_is_shared(spare)))
		return spare;
	consume_skb(spare);
	return hc_seg_alloc(m->node->fabric, m->node->id, len, GFP_ATOMIC);
}

/* Return: the number of pieces that the current segment has before stage @i. */
static u32 pieces(const struct hc_member *m, const struct hc_op *op, unsigned int i)
{
	return doubling_coll(op)->grows ? BIT(i) : m->plan->nmembers;
}

/* Return: true if, before stage @i, the pieces of a segment of @len bytes are in pages of their
 * own. Then runs are counted in pieces, not in bytes.
 */
static bool is_apart(const struct hc_member *m, const struct hc_op *op, unsigned int i, u32 len)
{
	return op->apart && len / pieces(m, op, i) > HC_INLINE_MAX;
}

static struct sk_buff *part_of_pieces(struct hc_member *m, struct hc_op *op, unsigned int i,
				      const struct sk_buff *acc)
{
	u32 n = pieces(m, op, i);

	if (doubling_coll(op)->halves)
		return hc_pieces_half(m->node, acc, n, half_run(m, op, i, n), !is_upper(m, i));
	return hc_pieces_share(m->node, acc, n);
}

/* Make a frame with the data for source @i from segment @acc, see part_fill(). Return: the frame,
 * or NULL if there is no memory.
 */
static struct sk_buff *part_get(struct hc_member *m, struct hc_op *op, unsigned int i,
				struct sk_buff *acc)
{
	u32 len = be32_to_cpu(hc_hdr(acc)->len);
	struct sk_buff *copy;

	if (is_apart(m, op, i, len))
		return part_of_pieces(m, op, i, acc);
	copy = frame_get(m, op, doubling_coll(op)->halves ? len / 2 : len);
	if (copy)
		part_fill(m, op, i, acc, copy);
	return copy;
}

/* Send to source @i the data that is for it from segment @acc. Return: false if the operation is
 * gone.
 */
static bool offer(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *acc)
{
	const struct hc_wire_data *from = hc_wire_data_of(acc);
	struct sk_buff *copy = part_get(m, op, i, acc);
	struct doubling_op *d = doubling_op(op);
	struct hc_wire_data *w;
	u64 nr = op->nr;

	if (!copy) {
		hc_op_fail(m, op, -ENOMEM, m->node->id);
		return false;
	}
	hc_hdr(copy)->flags = 0;
	hc_hdr(copy)->time = hc_hdr(acc)->time;
	w = hc_wire_data_of(copy);
	w->flags = from->flags & HC_DATA_F_LAST;
	w->offset = from->offset;
	w->total = from->total;
	w->index = cpu_to_be32(d->nr);
	d->offered = true;
	hc_stage_header(m, op, &m->src[i], &op->out[i].busy, op->clock, copy);
	hc_relay_xmit(m, &m->src[i], copy, i && !op->agrees);
	/* If the link has just failed, hc_relay_xmit() has ended the operation. */
	return hc_op_lives(m, op, nr);
}

/* Replace, in the segment, the half that was sent to the peer by the peer's half, which is @in.
 * Consumes @in as take() does. Return: false if the peer's half has another offset or length.
 */
static bool swap_in(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *in)
{
	struct sk_buff *acc = skb_peek(&op->own);
	u32 len = be32_to_cpu(hc_hdr(acc)->len);
	u64 came = be64_to_cpu(hc_hdr(in)->time);

	if (hc_wire_data_of(in)->offset != hc_wire_data_of(acc)->offset ||
	    be32_to_cpu(hc_hdr(in)->len) != len / 2)
		return false;
	hc_hdr(acc)->time = cpu_to_be64(max(be64_to_cpu(hc_hdr(acc)->time), came));
	if (is_apart(m, op, i, len)) {
		u32 n = pieces(m, op, i);

		hc_pieces_swap(acc, in, n, half_run(m, op, i, n), !is_upper(m, i));
		consume_skb(in);
		return true;
	}
	if (len)
		hc_half_put(hc_payload(acc), hc_payload(in), len, half_run(m, op, i, len),
			    !is_upper(m, i));
	doubling_op(op)->spare = in;
	return true;
}

/* Combine the head of op->own with the peer's data @in; the result is the new head. Return: as
 * take().
 */
static int combine_in(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *in)
{
	struct sk_buff *acc = skb_peek(&op->own);
	bool upper = is_upper(m, i);
	struct sk_buff *rest = upper ? acc : in;
	int err = hc_segment_merge(m, op, upper ? in : acc, rest, m->src[i].node);

	if (err)
		return err;
	if (upper) {
		__skb_unlink(acc, &op->own);
		__skb_queue_head(&op->own, in);
	}
	/* If segments get shorter, the other frame is too long for the next stage, so do not reuse
	 * it.
	 */
	if (shrinks(op))
		consume_skb(rest);
	else
		doubling_op(op)->spare = rest;
	return 0;
}

/* Return: the length of a run, which is a sequence of pieces from the members on one side of the
 * dimension of stage @i, in a segment of length @len that has the pieces of both sides. Both
 * lengths are in the same unit.
 */
static u32 grown_run(const struct hc_member *m, unsigned int i, u32 len)
{
	const struct hc_doubling *d = hc_plan_priv(m->plan);
	u32 known = 0;
	unsigned int j;

	for (j = 0; j < i; j++)
		known |= hc_bit(d->order[j]);
	return (len >> i) << hweight32(known & (hc_bit(d->order[i]) - 1));
}

/* Make a frame that refers to the pieces of @acc and of @in. Return: the frame, or NULL if there is
 * no memory.
 */
static struct sk_buff *both_get(struct hc_member *m, const struct hc_op *op, unsigned int i,
				const struct sk_buff *acc, const struct sk_buff *in)
{
	u32 len = be32_to_cpu(hc_hdr(acc)->len), run = grown_run(m, i, len), n = pieces(m, op, i);
	struct sk_buff *both;

	if (is_apart(m, op, i, len))
		return hc_pieces_join(m->node, acc, in, n, grown_run(m, i, n), is_upper(m, i));
	both = hc_seg_alloc(m->node->fabric, m->node->id, 2 * len, GFP_ATOMIC);
	if (both) {
		hc_half_put(hc_payload(both), hc_payload(acc), 2 * len, run, is_upper(m, i));
		hc_half_put(hc_payload(both), hc_payload(in), 2 * len, run, !is_upper(m, i));
	}
	return both;
}

/* Make a segment with the pieces of @acc and those of the peer, which are in @in. Return: the
 * segment, or NULL if there is no memory.
 */
static struct sk_buff *grown(struct hc_member *m, const struct hc_op *op, unsigned int i,
			     const struct sk_buff *acc, const struct sk_buff *in)
{
	struct sk_buff *both = both_get(m, op, i, acc, in);
	const struct hc_wire_data *from = hc_wire_data_of(acc);
	struct hc_wire_data *w;

	/* Contributions are charged to sockets; a frame that a member makes of them is charged to
	 * the fabric.
	 */
	both = hc_poll_owned(m->node->fabric, both);
	if (!both)
		return NULL;
	hc_hdr(both)->time = cpu_to_be64(max(be64_to_cpu(hc_hdr(acc)->time),
					     be64_to_cpu(hc_hdr(in)->time)));
	w = hc_wire_data_of(both);
	w->flags = from->flags & HC_DATA_F_LAST;
	w->offset = from->offset;
	w->total = from->total;
	return both;
}

/* Put the peer's pieces, which are in @in, beside this member's pieces. Return: as take(). */
static int grow_in(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *in)
{
	struct sk_buff *acc = skb_peek(&op->own), *both;

	if (hc_wire_data_of(in)->offset != hc_wire_data_of(acc)->offset ||
	    hc_wire_data_of(in)->total != hc_wire_data_of(acc)->total ||
	    hc_hdr(in)->len != hc_hdr(acc)->len)
		return -EPROTO;
	both = grown(m, op, i, acc, in);
	if (!both)
		return -ENOMEM;
	__skb_unlink(acc, &op->own);
	__skb_queue_head(&op->own, both);
	consume_skb(acc);
	consume_skb(in);
	return 0;
}

/* Convert a frame of a peer to the form that take() needs; consumes @in. Return: the frame, or NULL
 * if there is no memory.
 */
static struct sk_buff *part_own(struct hc_member *m, const struct hc_op *op, unsigned int i,
				struct sk_buff *in)
{
	bool halves = doubling_coll(op)->halves;
	u32 len = be32_to_cpu(hc_hdr(in)->len), n = pieces(m, op, i);

	if (is_apart(m, op, i, halves ? 2 * len : len))
		return hc_pieces_own(m->node, in, halves ? 2 * len / n : len / n,
				     halves ? n / 2 : n);
	if (hc_payload_whole(in))
		return hc_seg_own(m->node, in);
	kfree_skb(in);
	return NULL;
}

/* Combine the data of source @i, in @in, with this member's data. @in is consumed or, after an
 * error, freed. Return: 0; -EPROTO if the data does not fit; or -ENOMEM.
 */
static int take(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *in)
{
	const struct doubling_coll *coll = doubling_coll(op);
	int err;

	/* Record the clock and the costs only now: when the frame arrived, this member may not have
	 * completed the earlier stages.
	 */
	hc_op_note(m, op, in);
	if (coll->grows)
		err = grow_in(m, op, i, in);
	else if (coll->swaps)
		err = swap_in(m, op, i, in) ? 0 : -EPROTO;
	else
		err = combine_in(m, op, i, in);
	if (err)
		kfree_skb(in);
	doubling_op(op)->offered = false;
	return err;
}

/* Copy a segment that got shorter into a frame of its present length, so that the process is not
 * charged for the original length; consumes @skb. Return: the frame, or NULL.
 */
static struct sk_buff *cut_down(struct hc_member *m, struct sk_buff *skb)
{
	u32 len = be32_to_cpu(hc_hdr(skb)->len);
	struct sk_buff *cut = hc_seg_alloc(m->node->fabric, m->node->id, len, GFP_ATOMIC);

	if (cut && len)
		memcpy(hc_payload(cut), hc_payload(skb), len);
	consume_skb(skb);
	return cut;
}

/* Return: the size in bytes of the result at this member. */
static u64 result_bytes(const struct hc_member *m, const struct hc_op *op)
{
	const struct doubling_coll *coll = doubling_coll(op);

	if (coll->grows)
		return op->total * m->plan->nmembers;
	return coll->halves && !coll->swaps ? hc_part_bytes(m, op->total) : op->total;
}

/* Pass a segment of the result to the process and to the ledger of a guarded plan. Return:
 * HC_FINISHED if the segment was the last one; HC_FAILED if the operation is gone.
 */
static enum hc_progress guarded_out(struct hc_member *m, struct hc_op *op, struct sk_buff *skb,
				    bool last)
{
	struct hc_wire_data *w = hc_wire_data_of(skb);

	/* For hc_guard_result(), the offset is in the result, which has the blocks of all members,
	 * not in one block.
	 */
	if (doubling_coll(op)->grows)
		w->offset = cpu_to_be64(be64_to_cpu(w->offset) * m->plan->nmembers);
	if (!hc_guard_result(m, op, skb, last))
		return HC_FAILED;
	return last ? HC_FINISHED : HC_BLOCKED;
}

/* Pass a segment of the result to the process; consumes @skb. Return: false if there is no memory.
 */
static bool hand_out(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last)
{
	u64 at = be64_to_cpu(hc_wire_data_of(skb)->offset);

	if (shrinks(op)) {
		skb = cut_down(m, skb);
		if (!skb)
			return false;
	}
	if (doubling_coll(op)->grows)
		hc_pieces_result(m, op, skb, at, last);
	else if (doubling_coll(op)->swaps)
		hc_pieces_result(m, op, skb, hc_part_bytes(m, at), last);
	else
		hc_process_result(m, op, skb, last);
	return true;
}

/* Pass the oldest segment, which has passed all stages, to the process as a part of the result.
 * Return: HC_FINISHED if it was the last one; HC_FAILED if the operation is gone.
 */
static enum hc_progress segment_out(struct hc_member *m, struct hc_op *op)
{
	struct sk_buff *skb = __skb_dequeue(&op->own);
	struct doubling_op *d = doubling_op(op);
	bool last = hc_wire_data_of(skb)->flags & HC_DATA_F_LAST;

	/* The spare frame may be reused for another segment, so uncharge it now from the socket
	 * whose data it had.
	 */
	if (d->spare)
		skb_orphan(d->spare);
	d->next = 0;
	d->nr++;
	op->time = max(op->time, be64_to_cpu(hc_hdr(skb)->time));
	op->result = result_bytes(m, op);
	WRITE_ONCE(m->view.wait, HYPERCUBE_WAIT_NOTHING);
	if (m->guard)
		return guarded_out(m, op, skb, last);
	if (!hand_out(m, op, skb, last))
		return hc_op_fail(m, op, -ENOMEM, m->node->id);
	return last ? HC_FINISHED : HC_BLOCKED;
}

static enum hc_progress doubling_advance(struct hc_member *m, struct hc_op *op)
{
	struct doubling_op *d = doubling_op(op);
	enum hc_progress p;

	while (!skb_queue_empty(&op->own)) {
		for (; d->next < m->role.nsrc; d->next++) {
			unsigned int i = d->next;
			struct sk_buff *in;
			int err;

			if (!d->offered && !offer(m, op, i, skb_peek(&op->own)))
				return HC_FAILED;
			in = hc_stream_pop(&op->src[i]);
			if (!in)
				return hc_wait(m, op, HYPERCUBE_WAIT_PEER, m->src[i].node);
			in = part_own(m, op, i, in);
			if (!in)
				return hc_op_fail(m, op, -ENOMEM, m->node->id);
			err = take(m, op, i, in);
			if (err)
				return hc_op_fail(m, op, err, err == -ENOMEM ? m->node->id :
							      m->src[i].node);
		}
		if (!op->agrees && !hc_process_room(m, op->rec.sock))
			return hc_wait(m, op, HYPERCUBE_WAIT_READER, 0);
		p = segment_out(m, op);
		if (p != HC_BLOCKED)
			return p;
	}
	return hc_wait(m, op, HYPERCUBE_WAIT_OWN, 0);
}

/* ------------------------------------------------------------ called by the common code */

/* Return: true if @skb is the half of a segment that source @i must send next. */
static bool half_follows(struct hc_op *op, unsigned int i, const struct sk_buff *skb)
{
	u64 total = be64_to_cpu(hc_wire_data_of(skb)->total);
	const struct hc_plan *plan = op->member->plan;
	u32 len, rest;

	div_u64_rem(total, plan->nmembers * op->elem, &rest);
	return !rest && hc_round_follows(&op->src[i].at, skb, plan->nmembers, op->piece, &len) &&
	       be32_to_cpu(hc_hdr(skb)->len) == len >> (doubling_coll(op)->swaps ? 1 : i + 1);
}

/* Return: true if @skb is the frame that source @i must send next. The length of frames doubles at
 * each stage.
 */
static bool growth_follows(struct hc_op *op, unsigned int i, const struct sk_buff *skb)
{
	u32 len;

	return hc_round_follows(&op->src[i].at, skb, 1, op->piece, &len) &&
	       be32_to_cpu(hc_hdr(skb)->len) == len << i;
}

/* Initializers that all collectives of recursive doubling have in common. */
#define DOUBLING_OP(name)					\
	.id = HYPERCUBE_##name,					\
	.op_size = sizeof(struct doubling_op),			\
	.release = doubling_op_release,				\
	.advance = doubling_advance
/* Initializers of collectives whose contributions are sent in rounds. */
#define ROUNDS		.rounds = true, .up_follows = half_follows
/* hc_coll_ops.piece of guarded plans. Their ledgers store the pieces of all members joined in one
 * segment, so pieces are not in pages of their own.
 */
static u32 kept_piece(const struct hc_plan *plan, u64 bytes)
{
	return hc_round_piece(plan->fabric->segment, plan->nmembers, 1);
}

/* Initializers of collectives of guarded plans that join blocks. */
#define GROWS		.joins = true, .piece = kept_piece, .up_follows = growth_follows

static const struct doubling_coll doubling_allreduce = {
	.ops = { DOUBLING_OP(ALLREDUCE) },
};

static const struct doubling_coll doubling_barrier = {
	.ops = { DOUBLING_OP(BARRIER) },
};

static const struct doubling_coll doubling_alltoall = {
	.ops = { DOUBLING_OP(ALLTOALL), ROUNDS, .apart = true },
	.halves = true, .swaps = true,
};

static const struct doubling_coll doubling_reduce_scatter = {
	.ops = { DOUBLING_OP(REDUCE_SCATTER), ROUNDS },
	.halves = true,
};

static u32 spread_piece(const struct hc_plan *plan, u64 bytes);

static const struct doubling_coll doubling_allgather = {
	.ops = {
		DOUBLING_OP(ALLGATHER),
		.piece = spread_piece, .unannounced = true, .up_follows = growth_follows,
		.apart = true,
	},
	.grows = true,
};

/* hc_coll_ops.piece of allgather. Return: the length of a piece with which the pieces of all blocks
 * fill a round.
 */
static u32 spread_piece(const struct hc_plan *plan, u64 bytes)
{
	bool apart;

	return hc_part_piece(plan, &doubling_allgather.ops, bytes, 1, &apart);
}

const struct hc_coll_ops *const hc_doubling_colls[] = {
	&doubling_allreduce.ops,
	&doubling_barrier.ops,
	&doubling_allgather.ops,
	&doubling_alltoall.ops,
	&doubling_reduce_scatter.ops,
	NULL
};

static const struct doubling_coll guarded_allgather = {
	.ops = { DOUBLING_OP(ALLGATHER), GROWS, .unannounced = true },
	.grows = true,
};

static const struct doubling_coll guarded_alltoall = {
	.ops = { DOUBLING_OP(ALLTOALL), GROWS, .own_part = true },
	.grows = true,
};

static const struct doubling_coll guarded_reduce_scatter = {
	.ops = { DOUBLING_OP(REDUCE_SCATTER), .own_part = true },
};

const struct hc_coll_ops *const hc_doubling_guarded_colls[] = {
	&doubling_allreduce.ops,
	&doubling_barrier.ops,
	&guarded_allgather.ops,
	&guarded_alltoall.ops,
	&guarded_reduce_scatter.ops,
	NULL
};
