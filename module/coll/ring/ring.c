// SPDX-License-Identifier: GPL-2.0
/*
 * Allgather over rings: an acknowledged all-to-all broadcast. Alltoall is the same, except that
 * each member passes only its own part of each message to its process.
 *
 * A message is forwarded as a hot potato: it travels round the ring in one direction. Each member
 * passes a copy to its process and forwards the message. The origin removes the message when it
 * returns. In a tree of rings, a member of several rings (a convergent point) puts a message that
 * is new to it into all its other rings, and removes it from each of them when it has travelled
 * round that ring. So each message enters each ring once, and crosses each link of a ring once.
 *
 * Chunks. Messages are cut into segments. A chunk is the segments of all members at one offset. A
 * member works on one chunk after another: it sends its own segment, then forwards those of others,
 * from all rings in turn (fair sending). The chunk is complete at a member when it has received a
 * segment of each member from each of its rings; its own segment is the one that returns. In one
 * ring the order is always the same: a member's own segment first, then its predecessor's, then
 * that of the predecessor's predecessor, and so on. A segment takes N - 1 steps to all members and
 * N steps to return.
 *
 * No member waits for ever. Take the first chunk that is not complete at all members. All segments
 * of earlier chunks have been removed from all rings, so a socket is charged for no earlier segment
 * of its message and has room to send its segment of this chunk. All frames ahead of such a segment
 * in a member's queues are of this chunk, too, and need no room anywhere except at the process.
 *
 * Memory. A frame stays charged to the socket of its origin until it is removed, and so do the
 * copies for other rings. So send buffers limit the frames in flight, to one chunk and parts of the
 * next. What waits at the process is charged to its socket. No socket of this machine is charged
 * for frames from another machine. For these, each stream of a waiting member has room for two
 * chunks (hc_stream_push()), as no member is ahead by more.
 *
 * Acknowledgment. In a single ring, a message that has returned to its origin has been at all
 * members. In a tree it has been at the members of its origin's rings only. So a convergent point
 * sends a notice (HC_DATA_F_SEEN) in a ring when all messages that it received from this ring are
 * complete in all rings beyond: that is, when all of them have returned to this member in each of
 * its other rings, and all convergent points there have sent the same notice. A notice travels
 * round once, up to the member before its origin. A notice about a ring waits only for notices
 * about rings further from it, so there is always a notice that waits for no other.
 *
 * In a single ring, messages that need no acknowledgment are sent in both directions: ring_bidir.c.
 *
 * Steps, as the paper counts them: a ring's link carries one segment in each step. If no link
 * closes a ring, the return along it to the first member takes one step, however many links it
 * crosses. The step in which a segment crosses a link follows from the rings alone
 * (hc_ring_tour()), not from the order in which frames arrive. So a chunk takes as many steps as
 * there are links in all rings together, and all members have it in fewer. Where messages are sent
 * in both directions, a member sends a segment in the step after the one in which it received the
 * segment, and after the previous frame on the same link.
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
/* Segments that one call processes; after that other work runs. */
#define BATCH	16

static bool in_ring(const struct hc_member *m, unsigned int i)
{
	const struct hc_ring_way *way = &hc_ring_member(m)->way[i];

	return way->used && !way->relay;
}

/* ------------------------------------------------------------ chunks */

/* Is a segment from source @from (OWN: this member's own) also sent along the ring edge of source
 * @i?
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
 * member received the segment from source @from in step @turn, or the segment is the member's own:
 * then @from is OWN and @turn 0.
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
	/* The steps of the member's own message are counted from the edge on which one of its rings
	 * enters the member.
	 */
	while (from == OWN && !in_ring(m, k))
		k++;
	return turn + hc_ring_tour_way(ring->tour, ring->way[k].came, ring->way[i].leaves);
}

/* Pass a segment that is new at this member to the process, and send it on in all rings: the frame
 * itself in the ring from which it was received, copies in the others. Consumes @skb. Return: false
 * if the operation is gone.
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
		/* The frame of the member's own segment is sent in the first ring, copies in the
		 * others.
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
	/* Clear the set: a failed operation may have left members in it. */
	memset(hc_ring_member(m)->got, 0, hc_topo_words(&m->node->fabric->topo) * sizeof(u32));
	if (hc_ring_member(m)->place)
		hc_both_begin(m, op, w);
	return segment_spread(m, op, OWN, skb, 0);
}

/* Is the frame a valid segment of the current chunk? It may have been sent by another machine. */
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
	/* This member has had the segment before: the segment has travelled round the ring. */
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

/* Has source @i sent everything of the operation? */
static bool stream_ended(const struct hc_member *m, const struct hc_op *op, unsigned int i)
{
	const struct ring_stream *st = &ring_op(op)->src[i];
	const struct hc_ring_way *way = &hc_ring_member(m)->way[i];

	/* Where messages are sent in both directions, no frame follows the last chunk, and this
	 * function is called only after that chunk is complete.
	 */
	return !way->used || hc_ring_member(m)->place ||
	       (st->lasts == hc_ring_member(m)->nmembers && st->seen == way->seen);
}

/* Has source @i sent everything of the current chunk? */
static bool chunk_came(const struct hc_member *m, const struct hc_op *op, unsigned int i)
{
	if (hc_ring_member(m)->place)
		return hc_both_came(m, op, i);
	return !in_ring(m, i) || ring_op(op)->src[i].taken == hc_ring_member(m)->nmembers;
}

/* Return: HC_FINISHED if @came holds for each source; otherwise wait for the first source for which
 * it does not.
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

/* Does the process have room for a segment, or does the operation pass no segments to it any more?
 */
static bool has_room(const struct hc_member *m, const struct hc_op *op)
{
	return !op->begun || op->agrees || hc_process_room(m, op->rec.sock);
}

/* May the next segment from source @i be processed? A segment that has travelled round, or that the
 * process already has, needs no room at the process.
 */
static bool may_take(const struct hc_member *m, const struct hc_op *op, unsigned int i)
{
	u32 block = be16_to_cpu(hc_wire_data_of(skb_peek(&op->src[i].q))->block);

	return has_room(m, op) ||
	       (block < m->node->fabric->topo.nodes &&
		(hc_set_has(hc_ring_member(m)->got, block) || hc_resume_gave_before(m, block)));
}

/* Process at most one queued segment from each source; *taken counts them across passes. Return:
 * HC_FINISHED when the pass is over; HC_BLOCKED if the process's receive buffer is full and nothing
 * was processed; HC_FAILED if the operation is gone.
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

/* Work on the current chunk. Return: HC_FINISHED if it is complete at this member. */
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

/* As many segments have been received from each ring as there are members. Check that there is one
 * of each member: a neighbour may have sent one twice in place of another. Return: false if not,
 * and the operation is gone.
 */
static bool chunk_whole(struct hc_member *m, struct hc_op *op)
{
	const struct hc_ring_member *ring = hc_ring_member(m);
	unsigned int i;

	if ((!ring->place || ring_op(op)->both || ring_op(op)->now.home) &&
	    !memcmp(ring->got, ring->members, hc_topo_words(&m->node->fabric->topo) * sizeof(u32)))
		return true;
	/* All rings have sent one segment twice; or a Byzantine repair coordinator has assigned
	 * this member to no ring.
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

/* Send this member's notice in the ring of source @i: all messages are complete in the rings beyond
 * this member. Return: false if the operation is gone.
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

/* Send the notice in each ring for which all other rings of this member are complete. Return: false
 * if the operation is gone.
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

	/* The plan is being repaired, and not all members have their assignments. */
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

/* ------------------------------------------------------------ arrival */

/* Is @nr an operation whose frames a member may receive: the current one or, except for a notice
 * (@seen), the next? By the argument in plan_doubling.c there are no others.
 */
static bool nr_expected(const struct hc_member *m, u64 nr, bool seen)
{
	return nr == m->head || (nr == hc_nr_behind(m, m->head) && !seen);
}

/* May source @i send frames? */
static bool carries(const struct hc_member *m, unsigned int i)
{
	return hc_ring_member(m)->way[i].used || hc_ring_member(m)->way[i].back;
}

/* Return: 0, or the reason to drop the frame. A dropped frame does not fail the operation. */
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

/* Handle a notice. It overtakes segments that wait at this member, since it does not concern them.
 * Return: false if the operation is gone.
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

/* Common to all collectives over rings. */
#define RING_OP							\
	.op_size = sizeof(struct ring_op),			\
	.src_size = sizeof(struct ring_stream),			\
	.advance = ring_advance

const struct hc_coll_ops hc_ring_allgather = {
	.id = HYPERCUBE_ALLGATHER,
	RING_OP,
};

/* All messages travel round; each process gets its member's part of each. */
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
