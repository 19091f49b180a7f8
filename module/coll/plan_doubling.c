// SPDX-License-Identifier: GPL-2.0
/*
 * Recursive doubling: allreduce, barrier, and what has blocks of all or for all, without a root.
 *
 * At stage i a member and its peer along the dimension of that stage send each other
 * what they have, and each of them combines the two, the part of the peer whose bit
 * is clear first.  By induction all nodes that agree in the dimensions still to come
 * have the same bits after each stage, NaN payloads included: both ends of a link
 * compute the same from the same operands.  After the last stage that is everybody.
 * The operands of each stage are those of a tree of the same order without faults
 * whose sink is the lowest node, so the result has the bits that it would have there.
 *
 * Only the oldest operation is worked on, segment by segment.  What is sent is a
 * copy: each end owns the frame that it got, and combines in place, the lower one
 * into its own segment, the upper one into what came.  The other of the two frames
 * takes the copy for the next stage or segment, so there is one allocation for all that
 * have the same length.
 *
 * Halves.  If there is a part for each member (coll/rounds.h), a stage exchanges one half: that
 * for the members on the peer's side.  In a reduce-scatter the halves that stay and that come
 * are combined, with the operands, and so the bits, of an allreduce, and the segment gets
 * shorter until the member's own piece is left (recursive halving).  In an alltoall what comes
 * takes the place of what went, so each dimension brings pieces nearer to their members, and in
 * the end the piece at each place is the one that the member of that place has sent (dimension
 * exchange).  There is one frame for each segment and stage, as in an allreduce, so what follows
 * holds for them, too.
 *
 * Growth.  In an allgather a stage exchanges all that both have, so a segment has the pieces of
 * twice as many blocks after it, in the order of the nodes.  The process's segments are so short
 * that the last one is a full one (.piece).  There is one frame for each segment and stage here,
 * too.
 *
 * How far can a peer be ahead?  Take the frames of one stage over all segments of all operations
 * in turn.  A member sends its frame number s of stage i, then takes the peer's number s, then
 * goes on.  So frame s + 1 comes only after this member has sent its s; it takes the peer's s in
 * that same poll if it is there, else when it comes, and waits for nothing else meanwhile.
 * Hence the queue is empty when s + 1 comes: there is never more than one frame in it, n frames
 * at a member in all, which is why nobody needs credits, and nothing is charged to a sender but
 * its own contribution (.lockstep).  If s is the last segment of operation k, s + 1 belongs to k
 * + 1: a member hears of no operation beyond the next one.
 *
 * Completion.  An operation is done at a member when its process has the result: .done and .head
 * move together, no operation is in the state of having been handed over, nobody sends ACK.  A
 * member that has the result has sent all that others need for theirs, so its process may leave
 * then.  When the plan breaks, each member fails all that it has pending, and no more.
 *
 * Numbering around END (see coll/end.c).  A member sends frames of operation k only when all
 * below k are done here, and nobody has a result of k without them; so within a generation
 *
 *	done(v) <= done(u) + 1 for all members u, v.			(1)
 *
 * END of k is said by a member that does not give all of k, or that finds that another contributes
 * something else to it: so nobody has its result, done(v) <= k for all v.  A member that lacks
 * memory for k when its process has contributed may have sent all that others need: it breaks the
 * plan (hc_fail()).  What is below k is complete everywhere before the generation ends: nobody
 * keeps back what it owes to that, unless it says END of a lower number.
 *
 * A peer that is in the next generation has heard END from this member, and k - 1 is done there.
 * So by (1) this member has only k - 1 to complete, and the peer sends nothing above k + 1, for
 * which it needs this member.  A member begins k only if k < done + HC_OP_WINDOW - 2 (.window), so
 * all these have slots of their own in ops[].
 */
#include <linux/netlink.h>

#include "coll/coll.h"
#include "coll/halves.h"
#include "coll/rounds.h"
#include "compat.h"
#include "hc_doubling.h"
#include "netlink/netlink.h"
#include "sock/result.h"

/* ------------------------------------------------------------ members */

/* The verified doubling. */
static struct hc_doubling *plan_doubling(const struct hc_plan *plan)
{
	return hc_plan_priv(plan);
}

/* All nodes of the subcube are members. */
static bool doubling_copy(struct hc_plan *plan, const struct hc_plan_params *p)
{
	struct hc_doubling *d = plan_doubling(plan);
	u32 u;

	*d = (struct hc_doubling){
		.dim = plan->fabric->dim,
		.stages = p->stages,
		.base = p->root,
	};
	memcpy(d->order, p->order, p->stages);
	plan->stages = p->stages;
	for (u = 0; u < hc_nodes(plan->fabric->dim); u++)
		if (hc_doubling_has(d, u))
			hc_set_add(plan->members, u);
	return true;
}

static void doubling_shape(const struct hc_plan *plan, struct hc_plan_params *p)
{
	const struct hc_doubling *d = plan_doubling(plan);

	p->stages = d->stages;
	memcpy(p->order, d->order, d->stages);
}

static int doubling_member_create(struct hc_plan *plan, u32 u)
{
	const struct hc_doubling *d = plan_doubling(plan);
	struct hc_tree_peer src[HYPERCUBE_DIM_MAX];
	struct hc_tree_role role = { .active = d->stages, .nsrc = d->stages };
	unsigned int i;

	for (i = 0; i < d->stages; i++)
		src[i] = (struct hc_tree_peer){
			.node = hc_neigh(u, d->order[i]),
			.stage = i,
			.dim = d->order[i],
			.how = HC_TREE_DIRECT,
		};
	return hc_member_create(plan, u, &role, src);
}

static void flaw_tell(const struct hc_flaw *flaw, struct netlink_ext_ack *extack)
{
	if (!extack)
		return;
	if (flaw->dim != HC_FLAW_NONE)
		HC_SET_ERR_MSG_FMT(extack, "%s: %u:%u", flaw->why, flaw->node, flaw->dim);
	else if (flaw->node != HC_FLAW_NONE)
		HC_SET_ERR_MSG_FMT(extack, "%s: node %u", flaw->why, flaw->node);
	else
		extack->_msg = flaw->why;
}

static int doubling_members_create(struct hc_plan *plan, const u32 *fault,
				   struct netlink_ext_ack *extack)
{
	struct hc_flaw flaw;
	int err = hc_doubling_check(plan_doubling(plan), fault, &flaw);
	u32 u;

	if (err)
		flaw_tell(&flaw, extack);
	for (u = 0; !err && u < hc_nodes(plan->fabric->dim); u++)
		if (hc_plan_member_here(plan, u))
			err = doubling_member_create(plan, u);
	return err;
}

/* ------------------------------------------------------------ exchange */

/**
 * struct doubling_op - an operation of a doubling
 * @spare: a frame for the next offer, or NULL
 * @nr: segments that are results
 * @next: sources that the head of hc_op.own has been combined with
 * @offered: that was sent to source @next
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
 * struct doubling_coll - a collective, as doublings carry it
 * @ops: what the common code sees
 * @halves: a stage sends the peer's half of a segment, not all of it
 * @swaps: the peer's half takes its place; otherwise both are combined
 * @grows: the peer's pieces come beside the member's own
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

/* Do segments get shorter from stage to stage? */
static bool shrinks(const struct hc_op *op)
{
	return doubling_coll(op)->halves && !doubling_coll(op)->swaps;
}

/* Bytes that are for the same side of stage @i, one after the other, of a segment of @len. */
static u32 half_run(const struct hc_member *m, const struct hc_op *op, unsigned int i, u32 len)
{
	const struct hc_doubling *d = plan_doubling(m->plan);
	u32 left = hc_doubling_mask(d);
	unsigned int j;

	/* Pieces for members on the other side of the stages before are gone. */
	for (j = 0; j < i && shrinks(op); j++)
		left &= ~hc_bit(d->order[j]);
	return (len >> hweight32(left)) << hweight32(left & (hc_bit(d->order[i]) - 1));
}

/* Is this member the end of stage @i whose bit is set? */
static bool is_upper(const struct hc_member *m, unsigned int i)
{
	return m->node->id & hc_bit(m->src[i].dim);
}

/* Fill in what source @i is sent of the segment @acc; what stays is what the peer's part is
 * combined with.
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

/* A frame for @len bytes, or NULL: no memory. */
static struct sk_buff *frame_get(struct hc_member *m, struct hc_op *op, u32 len)
{
	struct doubling_op *d = doubling_op(op);
	struct sk_buff *spare = d->spare;

	d->spare = NULL;
	if (spare && be32_to_cpu(hc_hdr(spare)->len) == len)
		return spare;
	consume_skb(spare);
	return hc_seg_alloc(m->node->fabric, m->node->id, len, GFP_ATOMIC);
}

/* Send source @i its part of what this member has.  False: the operation is gone. */
static bool offer(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *acc)
{
	const struct hc_wire_data *from = hc_wire_data_of(acc);
	u32 len = be32_to_cpu(hc_hdr(acc)->len);
	struct doubling_op *d = doubling_op(op);
	struct hc_wire_data *w;
	struct sk_buff *copy;
	u64 nr = op->nr;

	copy = frame_get(m, op, doubling_coll(op)->halves ? len / 2 : len);
	if (!copy) {
		hc_op_fail(m, op, -ENOMEM, m->node->id);
		return false;
	}
	part_fill(m, op, i, acc, copy);
	hc_hdr(copy)->flags = 0;
	hc_hdr(copy)->time = hc_hdr(acc)->time;
	w = hc_wire_data_of(copy);
	w->flags = from->flags & HC_DATA_F_LAST;
	w->offset = from->offset;
	w->total = from->total;
	w->index = cpu_to_be32(d->nr);
	d->offered = true;
	hc_stage_header(m, op, &m->src[i], &op->busy[i], op->clock, copy);
	hc_relay_xmit(m, &m->src[i], copy, i);
	/* A link that has just failed ends the operation from below this call. */
	return hc_op_lives(m, op, nr);
}

/* The peer's half takes the place of that which went there; consumes @in, as the rest of take(). */
static bool swap_in(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *in)
{
	struct sk_buff *acc = skb_peek(&op->own);
	u32 len = be32_to_cpu(hc_hdr(acc)->len);
	u64 came = be64_to_cpu(hc_hdr(in)->time);

	if (hc_wire_data_of(in)->offset != hc_wire_data_of(acc)->offset ||
	    be32_to_cpu(hc_hdr(in)->len) != len / 2)
		return false;
	if (len)
		hc_half_put(hc_payload(acc), hc_payload(in), len, half_run(m, op, i, len),
			    !is_upper(m, i));
	hc_hdr(acc)->time = cpu_to_be64(max(be64_to_cpu(hc_hdr(acc)->time), came));
	doubling_op(op)->spare = in;
	return true;
}

/* Combine the head of op->own with a peer's part, and leave the result there. */
static bool combine_in(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *in)
{
	struct sk_buff *acc = skb_peek(&op->own);
	bool upper = is_upper(m, i);
	struct sk_buff *rest = upper ? acc : in;

	if (!hc_segment_merge(m, op, upper ? in : acc, rest, m->src[i].node))
		return false;
	if (upper) {
		__skb_unlink(acc, &op->own);
		__skb_queue_head(&op->own, in);
	}
	/* A frame that has become shorter is of no use for the next stage. */
	if (shrinks(op))
		consume_skb(rest);
	else
		doubling_op(op)->spare = rest;
	return true;
}

/* Bytes of one side of stage @i that stay together as a segment of @len grows. */
static u32 grown_run(const struct hc_member *m, unsigned int i, u32 len)
{
	const struct hc_doubling *d = plan_doubling(m->plan);
	u32 known = 0;
	unsigned int j;

	for (j = 0; j < i; j++)
		known |= hc_bit(d->order[j]);
	return (len >> i) << hweight32(known & (hc_bit(d->order[i]) - 1));
}

/* The peer's pieces come beside those that are there.  NULL: no memory. */
static struct sk_buff *grown(struct hc_member *m, unsigned int i, struct sk_buff *acc,
			     struct sk_buff *in)
{
	u32 len = be32_to_cpu(hc_hdr(acc)->len), run = grown_run(m, i, len);
	struct sk_buff *both = hc_seg_alloc(m->node->fabric, m->node->id, 2 * len, GFP_ATOMIC);
	const struct hc_wire_data *from = hc_wire_data_of(acc);
	struct hc_wire_data *w;

	if (!both)
		return NULL;
	hc_half_put(hc_payload(both), hc_payload(acc), 2 * len, run, is_upper(m, i));
	hc_half_put(hc_payload(both), hc_payload(in), 2 * len, run, !is_upper(m, i));
	hc_hdr(both)->time = cpu_to_be64(max(be64_to_cpu(hc_hdr(acc)->time),
					     be64_to_cpu(hc_hdr(in)->time)));
	w = hc_wire_data_of(both);
	w->flags = from->flags & HC_DATA_F_LAST;
	w->offset = from->offset;
	w->total = from->total;
	return both;
}

/* As take(). */
static int grow_in(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *in)
{
	struct sk_buff *acc = skb_peek(&op->own), *both;

	if (hc_wire_data_of(in)->offset != hc_wire_data_of(acc)->offset ||
	    hc_wire_data_of(in)->total != hc_wire_data_of(acc)->total ||
	    hc_hdr(in)->len != hc_hdr(acc)->len)
		return -EPROTO;
	both = grown(m, i, acc, in);
	if (!both)
		return -ENOMEM;
	__skb_unlink(acc, &op->own);
	__skb_queue_head(&op->own, both);
	consume_skb(acc);
	consume_skb(in);
	return 0;
}

/* Consumes a peer's part.  -EPROTO: it does not fit. */
static int take(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *in)
{
	const struct doubling_coll *coll = doubling_coll(op);
	int err;

	/* Not when it came: this member had other stages to do before. */
	hc_op_note(m, op, in);
	if (coll->grows)
		err = grow_in(m, op, i, in);
	else if (coll->swaps)
		err = swap_in(m, op, i, in) ? 0 : -EPROTO;
	else
		err = combine_in(m, op, i, in) ? 0 : -EPROTO;
	if (err)
		kfree_skb(in);
	doubling_op(op)->offered = false;
	return err;
}

/* The process is charged for a frame of the size of what is left; consumes @skb. */
static struct sk_buff *cut_down(struct hc_member *m, struct sk_buff *skb)
{
	u32 len = be32_to_cpu(hc_hdr(skb)->len);
	struct sk_buff *cut = hc_seg_alloc(m->node->fabric, m->node->id, len, GFP_ATOMIC);

	if (cut && len)
		memcpy(hc_payload(cut), hc_payload(skb), len);
	consume_skb(skb);
	return cut;
}

/* Bytes of the result at this member. */
static u64 result_bytes(const struct hc_member *m, const struct hc_op *op)
{
	const struct doubling_coll *coll = doubling_coll(op);

	if (coll->grows)
		return op->total * m->plan->nmembers;
	return coll->halves && !coll->swaps ? hc_part_bytes(m, op->total) : op->total;
}

/* The process gets a segment of the result; consumes @skb.  False: no memory. */
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
		hc_sock_result(m, op, skb, last);
	return true;
}

/* All stages are behind a segment: it is the result.  HC_FINISHED: the last of it. */
static enum hc_progress segment_out(struct hc_member *m, struct hc_op *op)
{
	struct sk_buff *skb = __skb_dequeue(&op->own);
	struct doubling_op *d = doubling_op(op);
	bool last = hc_wire_data_of(skb)->flags & HC_DATA_F_LAST;

	/* It is for the next segment; nobody's send buffer shall wait for it. */
	if (d->spare)
		skb_orphan(d->spare);
	d->next = 0;
	d->nr++;
	op->time = max(op->time, be64_to_cpu(hc_hdr(skb)->time));
	op->result = result_bytes(m, op);
	WRITE_ONCE(m->view.wait, HYPERCUBE_WAIT_NOTHING);
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
			in = hc_seg_own(m->node, in);
			if (!in)
				return hc_op_fail(m, op, -ENOMEM, m->node->id);
			err = take(m, op, i, in);
			if (err)
				return hc_op_fail(m, op, err, err == -ENOMEM ? m->node->id :
							      m->src[i].node);
		}
		if (!hc_sock_room(m, op->rec.sock))
			return hc_wait(m, op, HYPERCUBE_WAIT_READER, 0);
		p = segment_out(m, op);
		if (p != HC_BLOCKED)
			return p;
	}
	return hc_wait(m, op, HYPERCUBE_WAIT_OWN, 0);
}

/* ------------------------------------------------------------ what the common code asks */

/* One frame of each round. */
static bool half_follows(struct hc_op *op, unsigned int i, const struct sk_buff *skb)
{
	u64 total = be64_to_cpu(hc_wire_data_of(skb)->total);
	const struct hc_plan *plan = op->member->plan;
	u32 piece = hc_round_piece(plan->fabric->segment, plan->nmembers, op->elem);
	u32 len, rest;

	div_u64_rem(total, plan->nmembers * op->elem, &rest);
	return !rest && hc_round_follows(&op->src[i].at, skb, plan->nmembers, piece, &len) &&
	       be32_to_cpu(hc_hdr(skb)->len) == len >> (doubling_coll(op)->swaps ? 1 : i + 1);
}

/* Of blocks: so many that all of them fill a segment. */
static u32 spread_piece(const struct hc_plan *plan)
{
	return hc_round_piece(plan->fabric->segment, plan->nmembers, 1);
}

/* Twice as long at each stage. */
static bool growth_follows(struct hc_op *op, unsigned int i, const struct sk_buff *skb)
{
	u32 len;

	return hc_round_follows(&op->src[i].at, skb, 1, spread_piece(op->member->plan), &len) &&
	       be32_to_cpu(hc_hdr(skb)->len) == len << i;
}

/* What all have in common. */
#define DOUBLING_OP(name)					\
	.id = HYPERCUBE_##name,					\
	.op_size = sizeof(struct doubling_op),			\
	.release = doubling_op_release,				\
	.advance = doubling_advance
/* Of those that work in rounds. */
#define ROUNDS		.rounds = true, .up_follows = half_follows

static const struct doubling_coll doubling_allreduce = {
	.ops = { DOUBLING_OP(ALLREDUCE) },
};

static const struct doubling_coll doubling_barrier = {
	.ops = { DOUBLING_OP(BARRIER) },
};

static const struct doubling_coll doubling_alltoall = {
	.ops = { DOUBLING_OP(ALLTOALL), ROUNDS },
	.halves = true, .swaps = true,
};

static const struct doubling_coll doubling_reduce_scatter = {
	.ops = { DOUBLING_OP(REDUCE_SCATTER), ROUNDS },
	.halves = true,
};

static const struct doubling_coll doubling_allgather = {
	.ops = {
		DOUBLING_OP(ALLGATHER),
		.piece = spread_piece, .untold = true, .up_follows = growth_follows,
	},
	.grows = true,
};

static const struct hc_coll_ops *const doubling_colls[] = {
	&doubling_allreduce.ops,
	&doubling_barrier.ops,
	&doubling_allgather.ops,
	&doubling_alltoall.ops,
	&doubling_reduce_scatter.ops,
	NULL
};

const struct hc_plan_ops hc_plan_doubling = {
	.id = HYPERCUBE_PLAN_DOUBLING,
	.parts = HC_PLAN_ROOT | HC_PLAN_ORDER,
	.plan_size = sizeof(struct hc_doubling),
	.copy = doubling_copy, .shape = doubling_shape,
	.members_create = doubling_members_create, .colls = doubling_colls,
	.ack = &hc_ack_alone, .window = HC_OP_WINDOW - 2,
	.all_contribute = true, .lockstep = true,
};
