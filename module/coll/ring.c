// SPDX-License-Identifier: GPL-2.0
/*
 * Allgather over rings: acknowledged all-to-all broadcast; and alltoall, in which each member
 * gives its process no more than its own part of each message.
 *
 * A message is a hot potato: it goes round in one direction, each member gives its process a
 * copy and passes it on, and its source, which is the first that it comes to again, takes it out.
 * In a tree of rings a member of several (a convergent point) puts what is new to it into all
 * its other rings, and takes it out of each when it has come round there.  So each message
 * enters each ring once, and each link of a ring carries each message once.
 *
 * Slices.  Messages are cut into segments, and a member works on one slice, the segments of all
 * members that lie at the same offset, after the other: it sends its own, then passes on
 * those of others, from all rings in turn (fair sending), and is through when every one of its
 * rings has brought a segment of each member, its own being the one that it gets back.  In
 * one ring the order is always the same: a member's own first, then those of the member
 * before, of the one before that, and so on.  A segment takes N - 1 steps to all and N back.
 *
 * No member waits for ever.  Take the first slice that is not everywhere.  All before it has been
 * taken out of all rings, so each socket is charged for nothing of its message but that
 * slice, and has room to send it.  Whatever waits in a member's queues in front of a
 * segment of this slice is of the same one, and needs no room anywhere but at the process.
 *
 * Memory.  A frame stays charged to the socket of its source until it is taken out, and so do the
 * copies for other rings: there are as many under way as the send buffers allow, one
 * slice of them and parts of the next.  What waits at the process is charged to that one.
 * No socket here is charged for frames of another machine, so a member that waits has room for two
 * slices of them in each stream (hc_stream_push()): nobody is ahead by more.
 *
 * Who has a message.  In a single ring, one that is back has been everywhere.  In a tree it has
 * been in its source's rings, and convergent points say when what they have taken from a ring is
 * through in all beyond (HC_DATA_F_SEEN): once all of a message has come back to them in each of
 * their other rings, and the same word from all convergent points there.  That word goes round
 * in the ring once, as far as the member before its origin.  Since a word about a ring waits
 * only for words about rings further away, there is always a first one.
 *
 * Where there is one ring, messages that need no acknowledgment go both ways: ring_both.c.
 *
 * Steps, as the paper counts them: a ring's link carries one segment in each, and what goes back
 * along a ring to its first member takes one step, however many links.  In which step a segment
 * crosses which link follows from the rings alone, not from the order in which frames come here
 * (hc_ring_tour()): so a slice takes as many steps as there are links in all rings together, and
 * all members have it in fewer.  Where messages go both ways what a member sends leaves in the step
 * after that in which it has come, and after the frame before it on the same link.
 */
#include "coll/coll.h"
#include "coll/ring.h"
#include "coll/ring_keep.h"
#include "coll/ring_mend.h"
#include "coll/ring_op.h"
#include "hc_ring_mend.h"
#include "hc_topo.h"
#include "sock/result.h"

#define OWN	(-1)
/* Segments that are worked on before others have their turn. */
#define BATCH	16

static bool in_ring(const struct hc_member *m, unsigned int i)
{
	const struct hc_ring_way *way = &hc_ring_member(m)->way[i];

	return way->used && !way->relay;
}

/* ------------------------------------------------------------ slices */

/* Does what came by source @from (OWN: this member's own segment) go on in the way of source @i,
 * too?
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

/* In which step of the slice does a segment leave in the way of source @i?  It has come by source
 * @from in step @turn, or is the member's own (OWN, 0).
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
	/* The source of its own message stands where one of its rings comes in. */
	while (from == OWN && !in_ring(m, k))
		k++;
	return turn + hc_ring_tour_way(ring->tour, ring->way[k].came, ring->way[i].leaves);
}

/* What is new here goes to the process and on in all rings; in the ring that it came by, as it is;
 * consumes @skb.  False: the operation is gone.
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
		/* The member's own segment goes into the first ring as it is. */
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

/* False: the operation is gone. */
static bool own_send(struct hc_member *m, struct hc_op *op)
{
	struct sk_buff *skb = hc_keep_own(m, op);
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
	/* An operation that failed may have left something there. */
	memset(hc_ring_member(m)->got, 0, hc_set_words(m->node->fabric->dim) * sizeof(u32));
	if (hc_ring_member(m)->place)
		hc_both_begin(m, op, w);
	return segment_spread(m, op, OWN, skb, 0);
}

/* Is it a part of the slice?  Frames may come from another machine. */
static bool segment_fits(const struct hc_member *m, const struct ring_op *r, unsigned int i,
			 const struct sk_buff *skb)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	u32 block = be16_to_cpu(w->block);

	return block < hc_nodes(m->node->fabric->dim) &&
	       hc_set_has(hc_ring_member(m)->members, block) &&
	       be64_to_cpu(w->offset) == r->at && be32_to_cpu(hc_hdr(skb)->len) == r->len &&
	       !(w->flags & HC_DATA_F_LAST) == !r->last &&
	       (!hc_ring_member(m)->place || hc_both_fits(m, r, i, w));
}

/* False: the operation is gone. */
static bool segment_take(struct hc_member *m, struct hc_op *op, unsigned int i)
{
	struct sk_buff *skb = hc_stream_pop(&op->src[i]);
	u32 turn = be16_to_cpu(hc_wire_data_of(skb)->turn);
	struct ring_op *r = ring_op(op);

	if (!segment_fits(m, r, i, skb)) {
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
	/* It has gone round. */
	if (hc_set_has(hc_ring_member(m)->got, be16_to_cpu(hc_wire_data_of(skb)->block))) {
		r->now.home = true;
		consume_skb(skb);
		return true;
	}
	r->now.turn = max(r->now.turn, turn);
	return segment_spread(m, op, i, skb, turn);
}

/* What only passes by. False: the operation is gone. */
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

/* Has a source brought all of it? */
static bool stream_ended(const struct hc_member *m, const struct hc_op *op, unsigned int i)
{
	const struct ring_stream *st = &ring_op(op)->src[i];
	const struct hc_ring_way *way = &hc_ring_member(m)->way[i];

	/* What is here when all slices are through is all. */
	return !way->used || hc_ring_member(m)->place ||
	       (st->lasts == hc_ring_member(m)->nmembers && st->seen == way->seen);
}

/* Has it brought all of the slice? */
static bool slice_came(const struct hc_member *m, const struct hc_op *op, unsigned int i)
{
	if (hc_ring_member(m)->place)
		return hc_both_came(m, op, i);
	return !in_ring(m, i) || ring_op(op)->src[i].taken == hc_ring_member(m)->nmembers;
}

/* Wait for the first of those that have not brought what they must. */
static enum hc_progress peers_wait(struct hc_member *m, struct hc_op *op,
				   bool (*came)(const struct hc_member *m, const struct hc_op *op,
						unsigned int i))
{
	unsigned int i;

	for (i = 0; came(m, op, i); i++)
		;
	return hc_wait(m, op, HYPERCUBE_WAIT_PEER, m->src[i].node);
}

static bool all_came(const struct hc_member *m, const struct hc_op *op,
		     bool (*came)(const struct hc_member *m, const struct hc_op *op,
				  unsigned int i))
{
	unsigned int i;

	for (i = 0; i < m->role.nsrc; i++)
		if (!came(m, op, i))
			return false;
	return true;
}

/* Is there room for the next segment of a ring?  What has gone round needs none, nor does anything
 * when the process has all.
 */
static bool may_take(const struct hc_member *m, const struct hc_op *op, unsigned int i)
{
	u32 block = be16_to_cpu(hc_wire_data_of(skb_peek(&op->src[i].q))->block);

	return !op->begun || hc_sock_room(m, op->rec.sock) ||
	       (block < hc_nodes(m->node->fabric->dim) &&
		(hc_set_has(hc_ring_member(m)->got, block) || hc_keep_gave_before(m, block)));
}

/* One segment of each ring that has brought one, of which *taken are counted.  HC_FINISHED: that
 * is all, for now.
 */
static enum hc_progress round_take(struct hc_member *m, struct hc_op *op, unsigned int *taken)
{
	unsigned int before = *taken, i;
	bool full = false;

	for (i = 0; i < m->role.nsrc; i++) {
		if (slice_came(m, op, i) || skb_queue_empty(&op->src[i].q))
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

/* HC_FINISHED: the slice is through. */
static enum hc_progress slice_advance(struct hc_member *m, struct hc_op *op, unsigned int *taken)
{
	unsigned int before;
	enum hc_progress p;

	if (!ring_op(op)->now.own) {
		if (skb_queue_empty(&op->own) && !hc_keep_has_own(m, op))
			return hc_wait(m, op, HYPERCUBE_WAIT_OWN, 0);
		if (op->begun && !hc_sock_room(m, op->rec.sock))
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
	return all_came(m, op, slice_came) ? HC_FINISHED : peers_wait(m, op, slice_came);
}

/* As many segments as there are members have come by each ring: is one of each among them?  Then a
 * neighbour has not sent one twice in place of another.  False: the operation is gone.
 */
static bool slice_whole(struct hc_member *m, struct hc_op *op)
{
	const struct hc_ring_member *ring = hc_ring_member(m);
	unsigned int i;

	if ((!ring->place || ring_op(op)->both || ring_op(op)->now.home) &&
	    !memcmp(ring->got, ring->members, hc_set_words(m->node->fabric->dim) * sizeof(u32)))
		return true;
	/* All rings have brought one twice; or it is in none, as a master said that lies. */
	for (i = 0; i < m->role.nsrc && !in_ring(m, i); i++)
		;
	hc_op_fail(m, op, -EPROTO, i < m->role.nsrc ? m->src[i].node : m->node->id);
	return false;
}

static void slice_over(struct hc_member *m, struct hc_op *op)
{
	struct ring_op *r = ring_op(op);
	unsigned int i;

	r->over = r->last;
	if (r->over)
		return;
	hc_keep_over(m);
	r->at += r->len;
	r->base += r->now.most;
	r->now = (struct ring_now){};
	for (i = 0; i < m->role.nsrc; i++) {
		r->src[i].taken = 0;
		r->src[i].turn = 0;
	}
}

/* ------------------------------------------------------------ seen */

/* Say in the ring of source @i that all is through beyond.  False: the operation is gone. */
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
	ring_op(op)->src[i].told = true;
	return hc_ring_frame_next(m, op, hc_ring_member(m)->way[i].out, skb, ring_op(op)->now.most);
}

/* In each ring of which all others are through.  False: the operation is gone. */
static bool seen_tell(struct hc_member *m, struct hc_op *op)
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
		if (in_ring(m, i) && (!open || i == last) && !ring_op(op)->src[i].told &&
		    !seen_say(m, op, i))
			return false;
	return true;
}

static enum hc_progress end_advance(struct hc_member *m, struct hc_op *op)
{
	struct ring_op *r = ring_op(op);

	if (!seen_tell(m, op))
		return HC_FAILED;
	if (!all_came(m, op, stream_ended))
		return peers_wait(m, op, stream_ended);
	r->steps = r->base + r->now.most;
	if (!op->begun)
		return HC_FINISHED;
	if (!hc_sock_room(m, op->rec.sock))
		return hc_wait(m, op, HYPERCUBE_WAIT_READER, 0);
	return hc_ring_end_give(m, op) ? HC_FINISHED : HC_FAILED;
}

static enum hc_progress ring_advance(struct hc_member *m, struct hc_op *op)
{
	unsigned int taken = 0;
	enum hc_progress p;

	/* Until its plan is mended, and all have their places. */
	if (hc_keep_holds(m))
		return HC_BLOCKED;
	if (!relays_pass(m, op))
		return HC_FAILED;
	while (!ring_op(op)->over) {
		p = slice_advance(m, op, &taken);
		if (p != HC_FINISHED)
			return p;
		if (!slice_whole(m, op))
			return HC_FAILED;
		slice_over(m, op);
	}
	p = end_advance(m, op);
	if (p == HC_FINISHED) {
		hc_keep_over(m);
		WRITE_ONCE(m->view.wait, HYPERCUBE_WAIT_NOTHING);
	}
	return p;
}

/* ------------------------------------------------------------ arrival */

/* By the reasoning of coll/plan_doubling.c a member hears of no operation beyond the next one. */
static bool nr_expected(const struct hc_member *m, u64 nr, bool seen)
{
	return nr == m->head || (nr == hc_nr_behind(m, m->head) && !seen);
}

/* Does anything come from source @i? */
static bool carries(const struct hc_member *m, unsigned int i)
{
	return hc_ring_member(m)->way[i].used || hc_ring_member(m)->way[i].back;
}

/* Is it to be dropped without a word?  0 or the reason. */
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

static int check(struct hc_op *op, unsigned int i, const struct sk_buff *skb)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);

	if (!hc_op_params(op, w) || be32_to_cpu(w->index) != op->src[i].came)
		return -EPROTO;
	op->src[i].came++;
	return 0;
}

/* A word goes on at once, whatever waits in front of it, for it is not about that.  False: the
 * operation is gone.
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
	hc_mend_heard(m);
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

/* ------------------------------------------------------------ what the common code asks */

u32 hc_ring_steps(const struct hc_member *m, const struct hc_op *op)
{
	return ring_op(op)->steps;
}

const struct hc_coll_ops hc_ring_allgather = {
	.id = HYPERCUBE_ALLGATHER,
	.op_size = sizeof(struct ring_op),
	.src_size = sizeof(struct ring_stream),
	.advance = ring_advance,
};

/* All messages go round, and the process is given its part of each. */
const struct hc_coll_ops hc_ring_alltoall = {
	.id = HYPERCUBE_ALLTOALL,
	.own_part = true,
	.op_size = sizeof(struct ring_op),
	.src_size = sizeof(struct ring_stream),
	.advance = ring_advance,
};
