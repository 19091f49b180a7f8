// SPDX-License-Identifier: GPL-2.0
/*
 * Allgather over a tree: the root collects the blocks of all members and sends them down to all
 * members, in rounds.
 *
 * A round has a piece of each block. All pieces of a round have the same length and the same offset
 * in their block. A member joins its own piece and the pieces that its sources have sent into one
 * frame, in the order of the nodes, and sends this frame up. The payload begins with the set of the
 * members whose pieces it has, one bit for each node. So a member need not know in advance which
 * source sends the blocks of which members around the faults, and each edge carries one frame for
 * each round. The root has the pieces of all members. It sends them down without a set, as a result
 * (coll/fanout.c), whose pages all receivers share. recvmsg() copies each piece to the piece's
 * offset in its block. In a tree of N members without faults, 2 (N - 1) frames are sent for each
 * round. A process can be woken when it has received many bytes (SO_RCVLOWAT).
 *
 * A blocked member sends its rounds to its first effective helper, from which it requests the
 * result (HC_DATA_F_WANT). With the first round, it sends an empty frame to each other helper,
 * which ends the stream to this helper.
 *
 * Memory. A joined frame is longer than the segment of the member's process to which it is charged.
 * So a member sends at most ROUND_WINDOW rounds more than its destination has acknowledged by
 * credits. For one round, the frames from all sources of a member are together no longer than the
 * round. The data that is sent down is limited as in all collectives (coll/fanout.c).
 *
 * No member waits for ever. Consider the first round that is not complete at all members. Its
 * pieces are first in all queues, because all rounds before it have been processed, so there is
 * credit for this round. By induction from the leaves of the tree, each member receives the pieces
 * of its sources if all processes contribute. Frames that are sent down wait only for processes
 * that do not receive.
 */
#include <net/sock.h>

#include "coll/coll.h"
#include "coll/chunk.h"
#include "coll/member_mask.h"

/* Maximum number of rounds in flight up from a member to another one; even. So many rounds fit into
 * a stream (hc_stream_push()), although the pages of a frame can be twice as long as its data.
 */
#define ROUND_WINDOW	(HC_UP_WINDOW / 2)

/* Return: the number of bytes of a piece. It is so small that a frame with the pieces of all
 * members fits into a segment, and a frame with the set and the pieces of all members but the root
 * does, too.
 */
static u32 round_piece(const struct hc_plan *plan, u64 bytes)
{
	u32 others = plan->nmembers - 1, set = hc_bytes_of_set(plan);
	u32 piece = hc_round_piece(plan->fabric->segment, plan->nmembers, 1);

	if (!others)
		return piece;
	return set < plan->fabric->segment ?
	       min(piece, (plan->fabric->segment - set) / others) : 0;
}

/* ------------------------------------------------------------ joining */

/* Return: the number of nodes in byte @k of set @all that are below bit @bit of this byte. */
static u32 places_below(const u8 *all, u32 k, u32 bit)
{
	return hweight8(all[k] & (BIT(bit) - 1));
}

/* Copy the pieces of a received frame to their positions in @to. @set: the set of @bytes bytes in
 * the frame, which its pieces follow; @all: the set of all members whose pieces are joined in @to;
 * @piece: bytes of a piece.
 */
static void pieces_place(u8 *to, const u8 *all, const u8 *set, u32 bytes, u32 piece)
{
	const u8 *from = set + bytes;
	u32 k, place = 0;

	for (k = 0; k < bytes; k++) {
		unsigned long left;

		for (left = set[k]; left; left &= left - 1) {
			u32 at = place + places_below(all, k, __ffs(left));

			memcpy(to + (size_t)at * piece, from, piece);
			from += piece;
		}
		place += hweight8(all[k]);
	}
}

static const u8 *source_round(const struct hc_op *op, unsigned int i)
{
	return hc_payload(skb_peek(&op->src[i].q));
}

/* Set @all to the members whose pieces of the current round have been received. Return: their
 * number, or -EPROTO with *@node set to the node that is the cause: a source whose set overlaps
 * with another set, or the root if it lacks pieces.
 */
static int round_set(struct hc_member *m, struct hc_op *op, u8 *all, u32 *node)
{
	u32 bytes = hc_bytes_of_set(m->plan), count;
	unsigned int i;

	memset(all, 0, bytes);
	hc_byte_set_add(all, m->node->id);
	/* During the loop, the root is in the set: so the first member that receives a set with the
	 * root, whose piece no source can have, detects the error.
	 */
	hc_byte_set_add(all, m->plan->root);
	for (i = 0; i < m->role.nsrc; i++)
		if (op->src[i].want && !hc_byte_set_join(m->plan, all, source_round(op, i))) {
			*node = m->src[i].node;
			return -EPROTO;
		}
	if (!hc_member_is_root(m))
		all[m->plan->root / 8] &= ~BIT(m->plan->root % 8);
	count = hc_byte_set_count(all, bytes);
	*node = m->node->id;
	return hc_member_is_root(m) && count != m->plan->nmembers ? -EPROTO : (int)count;
}

/* Make the joined frame of a round, with the pieces of @count members, which are the set @all.
 * @own: the frame with the member's own piece. Return: the frame, or NULL if there is no memory.
 */
static struct sk_buff *round_frame(struct hc_member *m, struct hc_op *op, const u8 *all, u32 count,
				   const struct sk_buff *own)
{
	u32 bytes = hc_bytes_of_set(m->plan), piece = be32_to_cpu(hc_hdr(own)->len);
	u32 head = hc_member_is_root(m) ? 0 : bytes;
	const struct hc_wire_data *from = hc_wire_data_of(own);
	u32 me = m->node->id, place;
	struct hc_wire_data *w;
	struct sk_buff *skb;
	unsigned int i;
	u8 *to;

	skb = hc_seg_alloc(m->node->fabric, m->node->id, head + count * piece, GFP_ATOMIC);
	if (!skb)
		return NULL;
	/* Charge the frame to the socket of the member's process, so that this process must wait in
	 * sendmsg() if readers or the root are slow.
	 */
	if (own->sk && own->destructor == sock_wfree)
		skb_set_owner_w(skb, own->sk);
	w = hc_wire_data_of(skb);
	w->flags = from->flags & HC_DATA_F_LAST;
	w->offset = from->offset;
	w->total = from->total;
	if (head)
		memcpy(hc_payload(skb), all, head);
	if (!piece)
		return skb;
	to = hc_payload(skb) + head;
	place = hc_byte_set_count(all, me / 8) + places_below(all, me / 8, me % 8);
	memcpy(to + (size_t)place * piece, hc_payload(own), piece);
	for (i = 0; i < m->role.nsrc; i++)
		if (op->src[i].want)
			pieces_place(to, all, source_round(op, i), bytes, piece);
	return skb;
}

/* Join the pieces of the current round, all of which have been received, into one frame. Return:
 * the frame, or NULL if the operation is gone.
 */
static struct sk_buff *round_join(struct hc_member *m, struct hc_op *op)
{
	struct sk_buff *own = skb_peek(&op->own), *skb = NULL;
	u64 time = be64_to_cpu(hc_hdr(own)->time);
	u8 all[HC_NODES_MAX / 8];
	unsigned int i;
	u32 node;
	int n;

	n = round_set(m, op, all, &node);
	if (n > 0)
		skb = round_frame(m, op, all, n, own);
	if (!skb) {
		hc_op_fail(m, op, n < 0 ? n : -ENOMEM, node);
		return NULL;
	}
	for (i = 0; i < m->role.nsrc; i++) {
		struct sk_buff *in = hc_stream_pop(&op->src[i]);

		/* A source that has no pieces for this member has sent a single frame, which was
		 * removed in the first round.
		 */
		if (in)
			time = max(time, be64_to_cpu(hc_hdr(in)->time));
		consume_skb(in);
	}
	consume_skb(__skb_dequeue(&op->own));
	op->time = max(op->time, time);
	hc_hdr(skb)->time = cpu_to_be64(op->time);
	return skb;
}

/* ------------------------------------------------------------ up */

/* Return: true if @skb is the next frame of source @i: a set with the pieces of its members, or the
 * empty frame of a blocked member that sends its pieces to another helper.
 */
static bool round_follows(struct hc_op *op, unsigned int i, const struct sk_buff *skb)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	const struct hc_plan *plan = op->member->plan;
	u32 len = be32_to_cpu(hc_hdr(skb)->len), set = hc_bytes_of_set(plan), piece;
	u32 round = round_piece(plan, 0);

	if (!(w->flags & HC_DATA_F_WANT))
		return w->flags & HC_DATA_F_LAST && !w->offset && !len;
	return len >= set && hc_round_follows(&op->src[i].at, skb, 1, round, &piece) &&
	       len - set == (u64)piece * hc_byte_set_count(hc_payload(skb), set);
}

/* Return: true if all pieces of the current round have been received; otherwise false, and the wait
 * is recorded.
 */
static bool round_came(struct hc_member *m, struct hc_op *op)
{
	unsigned int i;

	if (skb_queue_empty(&op->own)) {
		hc_wait(m, op, HYPERCUBE_WAIT_OWN, 0);
		return false;
	}
	for (i = 0; i < m->role.nsrc; i++) {
		const struct hc_stream *st = &op->src[i];

		if (st->came && (!st->want || !skb_queue_empty(&st->q)))
			continue;
		hc_wait(m, op, HYPERCUBE_WAIT_PEER, m->src[i].node);
		return false;
	}
	return true;
}

/* Return: true if the receivers of the joined round have room for it; otherwise false, and the wait
 * is recorded.
 */
static bool round_may(struct hc_member *m, struct hc_op *op)
{
	if (hc_member_is_root(m))
		return hc_root_may(m, op);
	if (op->out[0].sent - op->out[0].taken < ROUND_WINDOW)
		return true;
	hc_wait(m, op, HYPERCUBE_WAIT_CREDIT, m->role.dst[0].node);
	return false;
}

/* Send CREDIT to the sources after every second round, which is before a source has to wait for it.
 * Return: false if the operation is gone.
 */
static bool credits_return(struct hc_member *m, struct hc_op *op)
{
	unsigned int i;

	for (i = 0; i < m->role.nsrc; i++)
		if (op->src[i].want && !(hc_taken(m, m->src[i].node, op->nr) % 2) &&
		    !hc_credit_return(m, op, &m->src[i]))
			return false;
	return true;
}

/* Send a joined round to the destination or, at the root, down and to the process; consumes @skb.
 * Return: false if the operation is gone.
 */
static bool round_pass(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last)
{
	struct hc_wire_data *w = hc_wire_data_of(skb);
	bool first = !w->offset;
	u64 nr = op->nr;

	if (hc_member_is_root(m)) {
		op->result = op->total * m->plan->nmembers;
		w->offset = cpu_to_be64(be64_to_cpu(w->offset) * m->plan->nmembers);
		return hc_root_out(m, op, skb, last);
	}
	hc_data_header(m, op, 0, skb);
	hc_relay_xmit(m, &m->role.dst[0], skb, m->role.nsrc);
	return hc_op_lives(m, op, nr) && (!first || hc_others_end(m, op));
}

static enum hc_progress allgather_advance(struct hc_member *m, struct hc_op *op)
{
	while (round_came(m, op) && round_may(m, op)) {
		struct sk_buff *skb = round_join(m, op);
		bool last;

		if (!skb)
			return HC_FAILED;
		last = hc_wire_data_of(skb)->flags & HC_DATA_F_LAST;
		WRITE_ONCE(m->view.wait, HYPERCUBE_WAIT_NOTHING);
		if (!round_pass(m, op, skb, last) || (!last && !credits_return(m, op)))
			return HC_FAILED;
		if (last)
			return HC_FINISHED;
	}
	return HC_BLOCKED;
}

/* ------------------------------------------------------------ down */

static bool result_follows(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb)
{
	u32 piece = round_piece(m->plan, 0), len;

	return hc_round_follows(&op->down_at, skb, m->plan->nmembers, piece, &len) &&
	       be32_to_cpu(hc_hdr(skb)->len) == len;
}

#define JOINS						\
	.comes_down = true, .joins = true,		\
	.piece = round_piece,				\
	.advance = allgather_advance,			\
	.up_follows = round_follows,			\
	.down_follows = result_follows

const struct hc_coll_ops hc_tree_allgather = {
	.id = HYPERCUBE_ALLGATHER,
	JOINS, .unannounced = true,
};

/* Each member receives the blocks of all members for all members, and passes to its process the
 * blocks that are for this process.
 */
const struct hc_coll_ops hc_tree_alltoall = {
	.id = HYPERCUBE_ALLTOALL,
	JOINS, .own_part = true,
};
