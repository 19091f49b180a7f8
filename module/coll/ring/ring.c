// SPDX-License-Identifier: GPL-2.0
/*
 * Allgather over rings: an acknowledged all-to-all broadcast. In an alltoall, each member passes
 * only its own part of each message to its process; all else is equal.
 *
 * A message goes round the ring in one direction: each member passes a copy to its process and
 * forwards the message, and the origin removes it when it returns. In a tree of rings, a member of
 * several rings (a convergent point) sends a message that it has not had before in all its other
 * rings, too, and removes it from each of them when it returns there. So each message enters each
 * ring once, and crosses each link of a ring once.
 *
 * Chunks. Messages are cut into segments. A chunk consists of the segments of all members at one
 * offset. A member works on one chunk after another: it sends its own segment, then forwards those
 * of other members, taking one from each ring in turn (fair sending). A chunk is complete at a
 * member when the member has received a segment of each member from each of its rings, including
 * its own, which returns. In a single ring of N members the order is always the same: a member's
 * own segment, that of its predecessor, that of the predecessor's predecessor, and so on. A segment
 * reaches all members in N - 1 steps, and returns in step N.
 *
 * No member waits for ever. Consider the first chunk that is not complete at all members. All
 * segments of earlier chunks have been removed from all rings, so a socket is charged for none of
 * them, and has room to send its segment of this chunk. In a member's queues, all frames before a
 * segment of this chunk belong to this chunk, too, and wait only for room in the process's receive
 * buffer.
 *
 * Memory. A frame, and each copy of it for another ring, stays charged to the socket of its origin
 * until it is removed. So send buffers limit the frames in flight to one chunk and parts of the
 * next. Data in the receive queue of a process is charged to its socket. Frames from another
 * machine are charged to no socket of this machine; each stream of a member has room for two chunks
 * of them (hc_stream_push()), since no member is ahead of another one by more.
 *
 * Acknowledgment. In a single ring, a message that has returned to its origin has been received by
 * all members; in a tree, by the members of its origin's rings only. So a convergent point sends a
 * notice (HC_DATA_F_SEEN) in a ring when all messages that it has received from this ring have been
 * received by all members of the rings beyond it: that is, when all of them have returned to this
 * member in each of its other rings, and it has received the notices of all other convergent points
 * of these rings. A notice goes round its ring once, up to the member before its origin. The notice
 * in a ring waits only for notices in rings that are further from this ring, so there is always a
 * notice that waits for no other one.
 *
 * In a single ring, messages that need no acknowledgment are sent in both directions: ring_bidir.c.
 *
 * Steps, as the paper counts them: in each step, a link of a ring carries one segment. If the last
 * member of a ring has no link to the first, the way back along the ring takes one step, however
 * many links it crosses. The step in which a segment crosses a link follows from the rings alone
 * (hc_ring_tour()), not from the order in which frames arrive. So a chunk takes as many steps as
 * there are links in all rings together, and all members have the chunk in fewer steps. If messages
 * are sent in both directions, a member sends a segment one step after it has received it, but
 * after the previous frame on the same link.
 */
#include "coll/coll.h"
#include "coll/process.h"
#include "coll/ring/ring.h"
#include "coll/ring/ring_op.h"
#include "coll/ring/ring_repair.h"
#include "coll/ring/ring_resume.h"
#include "hc_ring_repair.h"
#include "hc_topo.h"

#define OWN	(-1)
/* Maximum number of segments that one call processes, so that other work can run. */
#define BATCH	16

static bool in_ring(const struct hc_member *m, unsigned int i)
{
	const struct hc_ring_way *way = &hc_ring_member(m)->way[i];

	return way->used && !way->relay;
}

/* ------------------------------------------------------------ chunks */

/* Return: true if a segment from source @from (OWN: this member's own segment) is sent along the
 * ring edge of source @i.
 */
static bool goes_on(const struct hc_member *m, const struct hc_op *op, int from, unsigned int i)
{
	const struct hc_ring_member *ring = hc_ring_member(m);

	if ((int)i == from)
		return false;
	if (!ring->place)
		return in_ring(m, i);
	return from == OWN && (!ring->way[i].back || ring_op(op)->both);
}

/* Return: the step of the chunk in which a segment is sent along the ring edge of source @i. This
 * member has received the segment from source @from in step @turn; if it is the member's own
 * segment, @from is OWN and @turn is 0.
 */
static u32 segment_turn(const struct hc_member *m, struct hc_op *op, int from, unsigned int i,
			u32 turn)
{
	const struct hc_ring_member *ring = hc_ring_member(m);
	struct ring_stream *st = &ring_op(op)->src[ring->way[i].out];
	unsigned int k = from == OWN ? 0 : from;

	if (ring->place) {
		st->turn = max(st->turn, turn) + 1;
		return st->turn;
	}
	/* The steps of the member's own segment are counted from the position in the tour of the
	 * link over which frames of one of its rings arrive.
	 */
	while (from == OWN && !in_ring(m, k))
		k++;
	return turn + hc_ring_tour_way(ring->tour, ring->way[k].came, ring->way[i].leaves);
}

/* Pass to the process a segment that this member has not had before, and send it in all rings: the
 * frame itself in the ring from which it was received, copies in the other rings. Consumes @skb.
 * Return: false if the operation is gone.
 */
static bool segment_spread(struct hc_member *m, struct hc_op *op, int from, struct sk_buff *skb,
			   u32 turn)
{
	u32 block = be16_to_cpu(hc_wire_data_of(skb)->block);
	bool ends = hc_ring_member(m)->place && from != OWN &&
		    hc_both_ends(m, from, hc_wire_data_of(skb));
	int on = from;
	unsigned int i;

	hc_set_add(hc_ring_member(m)->got, block);
	ring_op(op)->now.here++;
	if (hc_ring_wants(m, op, block) && !hc_ring_give(m, op, skb))
		goto gone;
	for (i = 0; i < m->role.nsrc; i++) {
		if (!goes_on(m, op, from, i))
			continue;
		/* If it is the member's own segment, the frame itself is sent in the first ring,
		 * copies in the others.
		 */
		if (on == OWN)
			on = i;
		else if (!hc_ring_copy_out(m, op, i, skb, segment_turn(m, op, from, i, turn)))
			goto gone;
	}
	if (on != OWN && !ends)
		return hc_ring_frame_out(m, op, hc_ring_member(m)->way[on].out, skb,
					 segment_turn(m, op, from, on, turn));
	consume_skb(skb);
	return true;
gone:
	kfree_skb(skb);
	return false;
}

/* Send the member's own segment of the current chunk. Return: false if the operation is gone. */
static bool own_send(struct hc_member *m, struct hc_op *op)
{
	struct sk_buff *skb = hc_resume_own(m, op);
	struct ring_op *r = ring_op(op);
	struct hc_wire_data *w;

	if (!skb)
		return hc_ring_starve(m, op);
	w = hc_wire_data_of(skb);
	r->now.own = true;
	r->last = w->flags & HC_DATA_F_LAST;
	r->len = be32_to_cpu(hc_hdr(skb)->len);
	w->block = cpu_to_be16(m->node->id);
	hc_hdr(skb)->time = cpu_to_be64(op->time);
	/* Clear the set: it may have members of an operation that has failed. */
	memset(hc_ring_member(m)->got, 0, hc_topo_words(&m->node->fabric->topo) * sizeof(u32));
	if (hc_ring_member(m)->place)
		hc_both_begin(m, op, w);
	return segment_spread(m, op, OWN, skb, 0);
}

/* Return: true if @skb is a valid segment of the current chunk. It may be invalid, since it may be
 * from another machine.
 */
static bool segment_is_valid(const struct hc_member *m, const struct ring_op *r, unsigned int i,
			     const struct sk_buff *skb)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	u32 block = be16_to_cpu(w->block);

	return block < m->node->fabric->topo.nodes &&
	       hc_set_has(hc_ring_member(m)->members, block) &&
	       be64_to_cpu(w->offset) == r->at && be32_to_cpu(hc_hdr(skb)->len) == r->len &&
	       !(w->flags & HC_DATA_F_LAST) == !r->last &&
	       (!hc_ring_member(m)->place || hc_both_is_valid(m, r, i, w));
}

/* Process the next segment from source @i. Return: false if the operation is gone. */
static bool segment_take(struct hc_member *m, struct hc_op *op, unsigned int i)
{
	struct sk_buff *skb = hc_stream_pop(&op->src[i]);
	u32 turn = be16_to_cpu(hc_wire_data_of(skb)->turn);
	struct ring_op *r = ring_op(op);

	if (!segment_is_valid(m, r, i, skb)) {
		kfree_skb(skb);
		hc_op_fail(m, op, -EPROTO, m->src[i].node);
		return false;
	}
	WRITE_ONCE(m->view.wait, HYPERCUBE_WAIT_NOTHING);
	r->src[i].taken++;
	r->src[i].lasts += r->last;
	r->now.most = max(r->now.most, turn);
	r->src[i].clock = max(r->src[i].clock, be32_to_cpu(hc_hdr(skb)->step));
	hc_op_note(m, op, skb);
	op->time = max(op->time, be64_to_cpu(hc_hdr(skb)->time));
	/* If this member has had the segment before, the segment has gone round the ring. */
	if (hc_set_has(hc_ring_member(m)->got, be16_to_cpu(hc_wire_data_of(skb)->block))) {
		r->now.home = true;
		consume_skb(skb);
		return true;
	}
	r->now.turn = max(r->now.turn, turn);
	return segment_spread(m, op, i, skb, turn);
}

/* Forward the frames for which this member is a relay. Return: false if the operation is gone. */
static bool relays_pass(struct hc_member *m, struct hc_op *op)
{
	unsigned int i;

	for (i = 0; i < m->role.nsrc; i++) {
		const struct hc_ring_way *way = &hc_ring_member(m)->way[i];
		struct sk_buff *skb;

		while (way->relay && (skb = hc_stream_pop(&op->src[i]))) {
			const struct hc_wire_data *w = hc_wire_data_of(skb);

			ring_op(op)->src[i].lasts += !!(w->flags & HC_DATA_F_LAST);
			hc_op_note(m, op, skb);
			op->time = max(op->time, be64_to_cpu(hc_hdr(skb)->time));
			if (!hc_ring_frame_out(m, op, way->out, skb, be16_to_cpu(w->turn)))
				return false;
		}
	}
	return true;
}

/* Return: true if source @i has sent all frames of the operation. */
static bool stream_ended(const struct hc_member *m, const struct hc_op *op, unsigned int i)
{
	const struct ring_stream *st = &ring_op(op)->src[i];
	const struct hc_ring_way *way = &hc_ring_member(m)->way[i];

	/* If messages are sent in both directions, no frame follows the last chunk, which is
	 * complete when this function is called.
	 */
	return !way->used || hc_ring_member(m)->place ||
	       (st->lasts == hc_ring_member(m)->nmembers && st->seen == way->seen);
}

/* Return: true if source @i has sent all segments of the current chunk. */
static bool chunk_came(const struct hc_member *m, const struct hc_op *op, unsigned int i)
{
	if (hc_ring_member(m)->place)
		return hc_both_came(m, op, i);
	return !in_ring(m, i) || ring_op(op)->src[i].taken == hc_ring_member(m)->nmembers;
}

/* Return: HC_FINISHED if @came() returns true for each source; otherwise record that the operation
 * waits for the first source for which it does not.
 */
static enum hc_progress all_wait(struct hc_member *m, struct hc_op *op,
				 bool (*came)(const struct hc_member *m, const struct hc_op *op,
					      unsigned int i))
{
	unsigned int i;

	for (i = 0; i < m->role.nsrc; i++)
		if (!came(m, op, i))
			return hc_wait(m, op, HYPERCUBE_WAIT_PEER, m->src[i].node);
	return HC_FINISHED;
}

/* Return: true if the process has room for a segment, or if the operation passes no segments to it
 * any more.
 */
static bool has_room(const struct hc_member *m, const struct hc_op *op)
{
	return !op->begun || op->agrees || hc_process_room(m, op->rec.sock);
}

/* Return: true if the next segment from source @i may be processed. A segment that has gone round
 * the ring, or that the process has, needs no room in the receive buffer.
 */
static bool may_take(const struct hc_member *m, const struct hc_op *op, unsigned int i)
{
	u32 block = be16_to_cpu(hc_wire_data_of(skb_peek(&op->src[i].q))->block);

	return has_room(m, op) ||
	       (block < m->node->fabric->topo.nodes &&
		(hc_set_has(hc_ring_member(m)->got, block) || hc_resume_gave_before(m, block)));
}

/* Process at most one queued segment from each source; *@taken counts the segments of all passes.
 * Return: HC_FINISHED when the pass is over; HC_BLOCKED if the process's receive buffer is full and
 * nothing was processed; HC_FAILED if the operation is gone.
 */
static enum hc_progress round_take(struct hc_member *m, struct hc_op *op, unsigned int *taken)
{
	unsigned int before = *taken, i;
	bool full = false;

	for (i = 0; i < m->role.nsrc; i++) {
		if (skb_queue_empty(&op->src[i].q) || chunk_came(m, op, i))
			continue;
		if (!may_take(m, op, i)) {
			full = true;
			continue;
		}
		if (!segment_take(m, op, i))
			return HC_FAILED;
		++*taken;
	}
	return full && *taken == before ? hc_wait(m, op, HYPERCUBE_WAIT_READER, 0) : HC_FINISHED;
}

/* Do all work on the current chunk that can be done now. Return: HC_FINISHED if it is complete at
 * this member.
 */
static enum hc_progress chunk_advance(struct hc_member *m, struct hc_op *op, unsigned int *taken)
{
	unsigned int before;
	enum hc_progress p;

	if (!ring_op(op)->now.own) {
		if (skb_queue_empty(&op->own) && !hc_resume_has_own(m, op))
			return hc_wait(m, op, HYPERCUBE_WAIT_OWN, 0);
		if (!has_room(m, op))
			return hc_wait(m, op, HYPERCUBE_WAIT_READER, 0);
		if (!own_send(m, op))
			return HC_FAILED;
	}
	do {
		if (*taken >= BATCH) {
			hc_member_again(m);
			return HC_BLOCKED;
		}
		before = *taken;
		p = round_take(m, op, taken);
		if (p != HC_FINISHED)
			return p;
	} while (*taken > before);
	return all_wait(m, op, chunk_came);
}

/* When as many segments have been received from each ring as there are members, check that there is
 * one of each member: a neighbour may have sent one twice, in place of another one. If one is
 * missing, fail the operation. Return: false if the operation is gone.
 */
static bool chunk_whole(struct hc_member *m, struct hc_op *op)
{
	const struct hc_ring_member *ring = hc_ring_member(m);
	unsigned int i;

	if ((!ring->place || ring_op(op)->both || ring_op(op)->now.home) &&
	    !memcmp(ring->got, ring->members, hc_topo_words(&m->node->fabric->topo) * sizeof(u32)))
		return true;
	/* All rings have sent one segment twice, so the cause is the first source of a ring. There
	 * is none if a Byzantine repair coordinator has assigned this member to no ring.
	 */
	for (i = 0; i < m->role.nsrc && !in_ring(m, i); i++)
		;
	hc_op_fail(m, op, -EPROTO, i < m->role.nsrc ? m->src[i].node : m->node->id);
	return false;
}

static void chunk_over(struct hc_member *m, struct hc_op *op)
{
	struct ring_op *r = ring_op(op);
	unsigned int i;

	r->over = r->last;
	if (r->over)
		return;
	hc_resume_over(m);
	r->at += r->len;
	r->base += r->now.most;
	r->now = (struct ring_now){};
	for (i = 0; i < m->role.nsrc; i++) {
		r->src[i].taken = 0;
		r->src[i].turn = 0;
	}
}

/* ------------------------------------------------------------ notices (HC_DATA_F_SEEN) */

/* Send this member's notice in the ring of source @i, which reports that the members of the rings
 * beyond this member have received all messages. Return: false if the operation is gone.
 */
static bool seen_say(struct hc_member *m, struct hc_op *op, unsigned int i)
{
	struct sk_buff *skb = hc_frame_alloc(m->node, HC_FRAME_DATA, 0, GFP_ATOMIC);
	struct hc_wire_data *w;

	if (!skb)
		return hc_ring_starve(m, op);
	w = hc_wire_data_of(skb);
	w->flags = HC_DATA_F_SEEN;
	w->total = cpu_to_be64(op->total);
	w->block = cpu_to_be16(m->node->id);
	hc_hdr(skb)->time = cpu_to_be64(op->time);
	ring_op(op)->src[i].notified = true;
	return hc_ring_frame_next(m, op, hc_ring_member(m)->way[i].out, skb, ring_op(op)->now.most);
}

/* Send the notice in each ring if all other rings of this member are complete. Return: false if the
 * operation is gone.
 */
static bool seen_notify(struct hc_member *m, struct hc_op *op)
{
	unsigned int i, open = 0, last = 0;

	if (hc_ring_member(m)->nrings < 2)
		return true;
	for (i = 0; i < m->role.nsrc; i++)
		if (in_ring(m, i) && !stream_ended(m, op, i)) {
			open++;
			last = i;
		}
	for (i = 0; i < m->role.nsrc && open < 2; i++)
		if (in_ring(m, i) && (!open || i == last) && !ring_op(op)->src[i].notified &&
		    !seen_say(m, op, i))
			return false;
	return true;
}

static enum hc_progress end_advance(struct hc_member *m, struct hc_op *op)
{
	struct ring_op *r = ring_op(op);
	enum hc_progress p;

	if (!seen_notify(m, op))
		return HC_FAILED;
	p = all_wait(m, op, stream_ended);
	if (p != HC_FINISHED)
		return p;
	r->steps = r->base + r->now.most;
	if (!op->begun)
		return HC_FINISHED;
	if (!hc_process_room(m, op->rec.sock))
		return hc_wait(m, op, HYPERCUBE_WAIT_READER, 0);
	return hc_ring_end_give(m, op) ? HC_FINISHED : HC_FAILED;
}

static enum hc_progress ring_advance(struct hc_member *m, struct hc_op *op)
{
	unsigned int taken = 0;
	enum hc_progress p;

	/* Wait: the plan is being repaired, and some members may not have their assignments. */
	if (hc_resume_holds(m))
		return HC_BLOCKED;
	if (!relays_pass(m, op))
		return HC_FAILED;
	while (!ring_op(op)->over) {
		p = chunk_advance(m, op, &taken);
		if (p != HC_FINISHED)
			return p;
		if (!chunk_whole(m, op))
			return HC_FAILED;
		chunk_over(m, op);
	}
	p = end_advance(m, op);
	if (p == HC_FINISHED) {
		hc_resume_over(m);
		WRITE_ONCE(m->view.wait, HYPERCUBE_WAIT_NOTHING);
	}
	return p;
}

/* ------------------------------------------------------------ received frames */

/* Return: true if frames of operation @nr can be received: it must be the current one or, except
 * for a notice (@seen), the next one. By the argument in plan_doubling.c, there are no others.
 */
static bool nr_expected(const struct hc_member *m, u64 nr, bool seen)
{
	return nr == m->head || (nr == hc_nr_behind(m, m->head) && !seen);
}

/* Return: true if source @i may send frames. */
static bool carries(const struct hc_member *m, unsigned int i)
{
	return hc_ring_member(m)->way[i].used || hc_ring_member(m)->way[i].back;
}

/* Check a received frame. Return: 0, or the reason for which it must be dropped, which does not
 * fail the operation.
 */
static unsigned int refused(struct hc_member *m, int i, const struct sk_buff *skb)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	u64 nr = be64_to_cpu(w->plan.op);
	unsigned int why = hc_gen_refused(m, be32_to_cpu(w->gen), nr);
	const struct hc_op *op = hc_member_op(m, nr);

	if (why)
		return why;
	if (i < 0 || hc_hdr(skb)->flags & HC_FRAME_F_ROUTED || !carries(m, i) ||
	    w->flags & ~(HC_DATA_F_LAST | HC_DATA_F_NOTIFY | HC_DATA_F_SEEN |
			 (hc_ring_member(m)->place ? HC_DATA_F_BOTH : 0)) ||
	    !nr_expected(m, nr, w->flags & HC_DATA_F_SEEN))
		return HYPERCUBE_A_DROP_UNEXPECTED;
	if (op && op->nr != nr)
		return HYPERCUBE_A_DROP_UNEXPECTED;
	if (op && (s32)(be32_to_cpu(w->index) - op->src[i].came) < 0)
		return HYPERCUBE_A_DROP_DUPLICATE;
	return 0;
}

static int check(struct hc_op *op, unsigned int i, struct sk_buff *skb)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);

	if (!hc_op_params(op, w) || be32_to_cpu(w->index) != op->src[i].came)
		return -EPROTO;
	op->src[i].came++;
	return hc_payload_check(op, skb);
}

/* Process a notice at once, before segments that wait at this member, since it does not refer to
 * them. Return: false if the operation is gone.
 */
static bool seen_rx(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *skb)
{
	const struct hc_ring_way *way = &hc_ring_member(m)->way[i];
	u32 turn = be16_to_cpu(hc_wire_data_of(skb)->turn);
	struct ring_op *r = ring_op(op);

	r->src[i].seen++;
	hc_op_note(m, op, skb);
	if (way->relay)
		return hc_ring_frame_out(m, op, way->out, skb, turn);
	r->now.most = max(r->now.most, turn);
	op->time = max(op->time, be64_to_cpu(hc_hdr(skb)->time));
	if (be16_to_cpu(hc_wire_data_of(skb)->block) != way->next)
		return hc_ring_frame_next(m, op, way->out, skb, turn);
	consume_skb(skb);
	return true;
}

void hc_ring_data_rx(struct hc_member *m, struct sk_buff *skb)
{
	u64 nr = be64_to_cpu(hc_wire_plan_of(skb)->op);
	int i = hc_src_index(m, be16_to_cpu(hc_hdr(skb)->src));
	unsigned int why = refused(m, i, skb);
	struct hc_op *op;
	bool seen;
	int err;

	if (why) {
		hc_drop(m->node, NULL, skb, why);
		return;
	}
	hc_repair_saw_data(m);
	op = hc_op_get(m, nr);
	err = op ? check(op, i, skb) : -ENOMEM;
	seen = hc_wire_data_of(skb)->flags & HC_DATA_F_SEEN;
	if (!err && seen && ring_op(op)->src[i].seen == hc_ring_member(m)->way[i].seen)
		err = -EPROTO;
	if (!err && !seen && !hc_stream_push(m, &op->src[i], 2 * m->plan->nmembers, skb))
		err = -ENOBUFS;
	if (err) {
		hc_data_fail(m, skb, err);
		return;
	}
	if (!hc_op_lives(m, op, nr))
		return;
	if (seen)
		seen_rx(m, op, i, skb);
	hc_part_came(m, nr);
	if (!m->gen.broken && (seen || nr == m->head))
		hc_advance(m);
}

/* ------------------------------------------------------------ operations of the plan type */

u32 hc_ring_steps(const struct hc_member *m, const struct hc_op *op)
{
	return ring_op(op)->steps;
}

/* Initializers that all collectives of rings have in common. */
#define RING_OP							\
	.op_size = sizeof(struct ring_op),			\
	.src_size = sizeof(struct ring_stream),			\
	.advance = ring_advance

const struct hc_coll_ops hc_ring_allgather = {
	.id = HYPERCUBE_ALLGATHER,
	RING_OP,
};

/* All messages go round the rings; each process gets its member's part of each message. */
const struct hc_coll_ops hc_ring_alltoall = {
	.id = HYPERCUBE_ALLTOALL,
	RING_OP, .own_part = true,
};

const struct hc_coll_ops hc_ring_guarded_allgather = {
	.id = HYPERCUBE_ALLGATHER,
	RING_OP, .joins = true, .piece = hc_ring_piece, .unannounced = true,
};

const struct hc_coll_ops hc_ring_guarded_alltoall = {
	.id = HYPERCUBE_ALLTOALL,
	RING_OP, .joins = true, .piece = hc_ring_piece, .own_part = true,
};

const struct hc_coll_ops hc_ring_agreement = {
	.id = HYPERCUBE_ALLREDUCE,
	RING_OP, .agrees = true,
};
