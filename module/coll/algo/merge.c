// SPDX-License-Identifier: GPL-2.0
/*
 * Tree reduction of sorted runs into one sorted run (the parallel sort of Leu & Kuo, section 2.1).
 *
 * A member merges its own run and the runs of its sources into segments of its own. An input is
 * *dry* if it is empty now and has not ended. The last element of an input that was merged is its
 * *bound*: no element that follows in this input is smaller. So a member can merge the least
 * element in its queues as long as it is not greater than the bound of a dry input; otherwise it
 * passes on what it has merged, and waits for this input. Elements that compare equal have equal
 * bits (hc_combine_cmp() is a total order), so their order does not matter. A blocked sender is a
 * *dealer*: it sends each segment to one of its effective helpers, so each helper gets a sorted
 * run. It takes the helpers in turn, but passes over those from which it has no credit.
 *
 * The merged run is longer than the contribution, so charging it to the socket of the member's
 * process would not limit its memory. Instead a member sends at most MERGE_WINDOW segments more
 * than its destination has acknowledged, by credits, as consumed.
 *
 * This cannot deadlock. Suppose that no member can proceed although all processes have contributed.
 * If a member waits for a dry input, it has consumed all segments of this input that it has
 * received, so their sender has credit from it, and does not wait for credit. The sender has not
 * sent the end of its run, and has passed on all that it has merged, so it waits for a dry input
 * itself. The same holds for the sender of that input, and so on: but the last of these members has
 * no sources, and its process has contributed. So no member waits for a dry input. Then every
 * member waits for credit from a destination, which therefore has segments that it has not consumed
 * and waits for credit itself, and so on: but the last of these members is the root, which waits
 * for no credit. (If a dealer waited for credit from the next helper in turn, while another helper
 * is dry, the first step would be wrong: two dealers in one path can then deadlock.)
 */
#include <linux/slab.h>

#include "coll/coll.h"
#include "fabric/limits.h"
#include "reduce/combine.h"
#include "trace.h"

/* Limit of the cost of merging in one poll, for all members of a node together. When it is reached,
 * merging goes on in the next poll, so that other work can run. A copied byte costs 1; a comparison
 * of the heads of all inputs costs LOOK_COST for each input.
 */
#define POLL_COST	SZ_32K
#define LOOK_COST	16

/* Maximum number of segments in flight from one member to another. */
#define MERGE_WINDOW	4

/**
 * struct merge_run - one input
 * @pos: number of bytes of the head segment that have been merged
 * @bounded: true if a segment of this input has been merged, so that the input has a bound
 */
struct merge_run {
	u32 pos;
	bool bounded;
};

/**
 * struct merge_op - a merge
 * @out: segment that is being filled, or NULL
 * @bounds: for each input its bound, the last element that was merged; NULL before it is allocated
 * @total: length of the merged run in bytes; valid if @known
 * @delivered: number of bytes that have been passed on
 * @turn: index of the destination whose turn is next
 * @size: bytes that @out can hold
 * @known: true if @total is valid
 * @run: entry 0 is the member's own run, entry i is the run of source i - 1
 */
struct merge_op {
	struct sk_buff *out;
	void *bounds;
	u64 total;
	u64 delivered;
	u32 turn;
	u32 size;
	bool known;
	struct merge_run run[];
};

static struct merge_op *merge_op(const struct hc_op *op)
{
	return hc_op_priv(op);
}

static size_t bounds_size(const struct hc_op *op)
{
	return array_size(op->member->role.nsrc + 1, op->elem);
}

static void merge_release(struct hc_op *op)
{
	struct merge_op *mo = merge_op(op);

	kfree_skb(mo->out);
	hc_poll_free(op->member->node->fabric, mo->bounds, bounds_size(op));
}

struct merge_input {
	struct sk_buff_head *q;
	struct merge_run *run;
	bool ended;
};

static struct merge_input input_get(struct hc_op *op, unsigned int i)
{
	struct hc_stream *st = i ? &op->src[i - 1] : NULL;
	struct merge_input in = {
		.q = st ? &st->q : &op->own,
		.run = &merge_op(op)->run[i],
	};

	in.ended = (st ? st->last : op->own_last) && skb_queue_empty(in.q);
	return in;
}

static void *input_bound(const struct hc_op *op, unsigned int i)
{
	return merge_op(op)->bounds + i * op->elem;
}

/* Free the head segment of an input, and send CREDIT to its sender. Return: false if the operation
 * is gone.
 */
static bool input_pop(struct hc_member *m, struct hc_op *op, unsigned int i)
{
	struct merge_input in = input_get(op, i);
	struct sk_buff *skb = i ? hc_stream_pop(&op->src[i - 1]) : __skb_dequeue(&op->own);
	u32 len = be32_to_cpu(hc_hdr(skb)->len);
	u64 nr = op->nr;

	op->time = max(op->time, be64_to_cpu(hc_hdr(skb)->time));
	in.run->pos = 0;
	if (len) {
		memcpy(input_bound(op, i), hc_payload(skb) + len - op->elem, op->elem);
		in.run->bounded = true;
		if (i)
			hc_credit_return(m, op, &m->src[i - 1]);
	}
	consume_skb(skb);
	return hc_op_lives(m, op, nr);
}

/* Free the head segments that have been merged completely. An empty segment only marks the end of a
 * run. Return: false if the operation is gone.
 */
static bool inputs_trim(struct hc_member *m, struct hc_op *op)
{
	unsigned int i;

	for (i = 0; i <= m->role.nsrc; i++) {
		for (;;) {
			struct merge_input in = input_get(op, i);
			struct sk_buff *skb = skb_peek(in.q);

			if (!skb || in.run->pos < be32_to_cpu(hc_hdr(skb)->len))
				break;
			if (!input_pop(m, op, i))
				return false;
		}
	}
	return true;
}

/**
 * struct merge_choice - the input from which elements are merged next
 * @best: the input with the least element in the queues, or -1 if the queues are empty
 * @least: this element
 * @limit: elements of @best up to this one may be merged; NULL if all may be
 * @dry: a dry input with a bound less than @least, for which the member must wait; -1 if there is
 *	none
 */
struct merge_choice {
	int best;
	const void *least;
	const void *limit;
	int dry;
};

static void choose(struct hc_member *m, struct hc_op *op, hc_cmp_fn cmp,
		   struct merge_choice *c)
{
	unsigned int i;

	*c = (struct merge_choice){ .best = -1, .dry = -1 };
	for (i = 0; i <= m->role.nsrc; i++) {
		struct merge_input in = input_get(op, i);
		const void *e;

		if (skb_queue_empty(in.q))
			continue;
		e = hc_payload(skb_peek(in.q)) + in.run->pos;
		if (c->best < 0 || cmp(e, c->least, op->elem) < 0) {
			c->limit = c->least;
			c->least = e;
			c->best = i;
		} else if (!c->limit || cmp(e, c->limit, op->elem) < 0) {
			c->limit = e;
		}
	}
	for (i = 0; i <= m->role.nsrc; i++) {
		struct merge_input in = input_get(op, i);
		const void *bound = input_bound(op, i);

		if (in.ended || !skb_queue_empty(in.q))
			continue;
		if (!in.run->bounded || c->best < 0 || cmp(c->least, bound, op->elem) > 0)
			c->dry = i;
		else if (!c->limit || cmp(bound, c->limit, op->elem) < 0)
			c->limit = bound;
	}
}

/* Return: the number of bytes for which the segment that is being filled still has room. */
static u32 out_room(const struct merge_op *mo)
{
	return mo->out ? mo->size - be32_to_cpu(hc_hdr(mo->out)->len) : 0;
}

/* Copy elements from the best input into the segment that is being filled: up to the limit of @c,
 * and as long as there is room. Return: the number of bytes copied.
 */
static u32 input_copy(struct hc_member *m, struct hc_op *op, hc_cmp_fn cmp,
		      const struct merge_choice *c)
{
	struct merge_input in = input_get(op, c->best);
	const struct merge_op *mo = merge_op(op);
	u32 begin_pos = in.run->pos;
	u32 len = be32_to_cpu(hc_hdr(skb_peek(in.q))->len);
	const void *from = hc_payload(skb_peek(in.q));
	struct hc_hdr *hdr = hc_hdr(mo->out);
	u32 pos = in.run->pos;
	u32 end = min(len, pos + out_room(mo));
	void *to = hc_payload(mo->out) + be32_to_cpu(hdr->len);
	u64 begin = hc_trace_clock();

	do {
		pos += op->elem;
	} while (pos < end && (!c->limit || cmp(from + pos, c->limit, op->elem) <= 0));
	memcpy(to, from + in.run->pos, pos - in.run->pos);
	hdr->len = cpu_to_be32(be32_to_cpu(hdr->len) + pos - in.run->pos);
	u64_stats_update_begin(&m->node->syncp);
	m->node->merged_bytes += pos - in.run->pos;
	u64_stats_update_end(&m->node->syncp);
	trace_hc_merge(m->node, m->plan->id, op->nr,
		       c->best ? m->src[c->best - 1].node : m->node->id, pos - in.run->pos, begin);
	in.run->pos = pos;
	return pos - begin_pos;
}

static void run_header(struct hc_member *m, struct hc_op *op, unsigned int i,
		       struct sk_buff *skb, bool last)
{
	struct hc_wire_data *w = hc_wire_data_of(skb);

	/* The sink needs only the sum of all totals, so a dealer reports its whole total to its
	 * first helper, and 0 to the others.
	 */
	w->total = cpu_to_be64(i ? 0 : merge_op(op)->total);
	hc_hdr(skb)->time = cpu_to_be64(op->time);
	if (last)
		w->flags |= HC_DATA_F_LAST;
	hc_data_header(m, op, i, skb);
}

/* Return: the destination of the next segment, the first one in turn that has room for it; -1 if
 * none has.
 */
static int out_next(const struct hc_member *m, const struct hc_op *op)
{
	unsigned int k, i;

	for (k = 0; k < m->role.ndst; k++) {
		i = (merge_op(op)->turn + k) % m->role.ndst;
		if (op->out[i].sent - op->out[i].taken < MERGE_WINDOW)
			return i;
	}
	return -1;
}

/* Return: true if a receiver has room for the next segment; otherwise false, and at the root the
 * wait is recorded.
 */
static bool out_may(struct hc_member *m, struct hc_op *op)
{
	return hc_member_is_root(m) ? hc_root_may(m, op) : out_next(m, op) >= 0;
}

static enum hc_progress out_wait(struct hc_member *m, struct hc_op *op)
{
	/* At the root, hc_root_may() has recorded the wait. */
	if (hc_member_is_root(m))
		return HC_BLOCKED;
	return hc_wait(m, op, HYPERCUBE_WAIT_CREDIT, m->role.dst[merge_op(op)->turn].node);
}

/* Pass a segment on at the root, after checking that the runs do not differ from their announced
 * lengths; consumes @skb. Return: false if the operation is gone.
 */
static bool run_put(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last)
{
	const struct merge_op *mo = merge_op(op);

	op->result = mo->total;
	if (last ? mo->delivered == mo->total : mo->delivered < mo->total)
		return hc_root_out(m, op, skb, last);
	kfree_skb(skb);
	hc_op_fail(m, op, -EPROTO, m->node->id);
	return false;
}

/* Pass on the segment that was filled. The caller has checked that a receiver has room. Return:
 * false if the operation is gone.
 */
static bool out_flush(struct hc_member *m, struct hc_op *op, bool last)
{
	struct merge_op *mo = merge_op(op);
	struct sk_buff *skb = mo->out;
	u64 nr = op->nr;
	unsigned int i;

	mo->out = NULL;
	hc_wire_data_of(skb)->offset = cpu_to_be64(mo->delivered);
	mo->delivered += be32_to_cpu(hc_hdr(skb)->len);
	/* If the segment is longer than its data, trim it. This is possible, since it is in a page
	 * to which no other frame refers.
	 */
	if (pskb_trim(skb, HC_DATA_HEAD + be32_to_cpu(hc_hdr(skb)->len))) {
		kfree_skb(skb);
		hc_op_fail(m, op, -ENOMEM, m->node->id);
		return false;
	}
	if (hc_member_is_root(m))
		return run_put(m, op, skb, last);
	i = out_next(m, op);
	mo->turn = (i + 1) % m->role.ndst;
	run_header(m, op, i, skb, last);
	hc_relay_xmit(m, &m->role.dst[i], skb, m->role.nsrc);
	return hc_op_lives(m, op, nr);
}

/* Begin a new segment, if the receiver has room for it. */
static enum hc_progress out_begin(struct hc_member *m, struct hc_op *op)
{
	struct merge_op *mo = merge_op(op);
	u64 left = mo->total - min(mo->delivered, mo->total);
	u32 size = rounddown(m->node->fabric->segment, op->elem);
	struct sk_buff *skb;

	if (!out_may(m, op))
		return out_wait(m, op);
	/* Allocate no more than the rest of the run needs. A helper of a dealer does not know the
	 * total, so it allocates full segments.
	 */
	if (left >= op->elem && left < size)
		size = rounddown((u32)left, op->elem);
	/* The segments that are merged into this one were charged to the sockets of their senders,
	 * which end when they are freed. So charge this one to the fabric.
	 */
	skb = hc_poll_owned(m->node->fabric, hc_seg_alloc(m->node->fabric, m->node->id, size,
							  GFP_ATOMIC));
	if (!skb)
		return hc_op_fail(m, op, -ENOMEM, m->node->id);
	hc_hdr(skb)->len = 0;
	mo->out = skb;
	mo->size = size;
	return HC_FINISHED;
}

/* When all inputs have ended: pass on the remaining elements, and send the end of the run to all
 * destinations.
 */
static enum hc_progress run_end(struct hc_member *m, struct hc_op *op)
{
	const struct merge_op *mo = merge_op(op);
	bool single = m->role.ndst <= 1;
	u64 nr = op->nr;
	unsigned int i = 0;

	if ((mo->out || hc_member_is_root(m)) && !out_may(m, op))
		return out_wait(m, op);
	if (mo->out) {
		if (!out_flush(m, op, single))
			return HC_FAILED;
		if (single)
			return HC_FINISHED;
	}
	do {
		struct sk_buff *skb = hc_frame_alloc(m->node, HC_FRAME_DATA, 0, GFP_ATOMIC);

		if (!skb)
			return hc_op_fail(m, op, -ENOMEM, m->node->id);
		if (hc_member_is_root(m))
			return run_put(m, op, skb, true) ? HC_FINISHED : HC_FAILED;
		run_header(m, op, i, skb, true);
		hc_peer_xmit(m, &m->role.dst[i], skb);
		if (!hc_op_lives(m, op, nr))
			return HC_FAILED;
	} while (++i < m->role.ndst);
	return HC_FINISHED;
}

/* Wait for dry input @i. Before that, pass on all that has been merged, as the proof at the top of
 * this file requires.
 */
static enum hc_progress dry_wait(struct hc_member *m, struct hc_op *op, unsigned int i)
{
	if (merge_op(op)->out && !hc_member_is_root(m) && out_may(m, op) &&
	    !out_flush(m, op, false))
		return HC_FAILED;
	return i ? hc_wait(m, op, HYPERCUBE_WAIT_PEER, m->src[i - 1].node) :
		   hc_wait(m, op, HYPERCUBE_WAIT_OWN, 0);
}

/* Compute the length of the merged run from the lengths of the inputs, all of which have begun. */
static void total_note(struct hc_member *m, struct hc_op *op)
{
	struct merge_op *mo = merge_op(op);
	unsigned int i;

	if (mo->known)
		return;
	mo->total = op->total;
	for (i = 0; i < m->role.nsrc; i++)
		mo->total += op->src[i].total;
	mo->known = true;
}

static enum hc_progress merge_advance(struct hc_member *m, struct hc_op *op)
{
	hc_cmp_fn cmp = hc_combine_cmp(op->dtype);
	struct merge_op *mo = merge_op(op);
	u32 *cost = &m->node->merge_cost;

	if (!mo->bounds)
		mo->bounds = hc_poll_alloc(m->node->fabric, bounds_size(op));
	if (!mo->bounds)
		return hc_op_fail(m, op, -ENOMEM, m->node->id);
	for (;;) {
		struct merge_choice c;

		if (*cost >= POLL_COST) {
			WRITE_ONCE(m->view.wait, HYPERCUBE_WAIT_NOTHING);
			hc_member_again(m);
			return HC_BLOCKED;
		}
		if (!inputs_trim(m, op))
			return HC_FAILED;
		choose(m, op, cmp, &c);
		if (c.dry >= 0)
			return dry_wait(m, op, c.dry);
		total_note(m, op);
		if (c.best < 0)
			return run_end(m, op);
		if (mo->out && !out_room(mo)) {
			if (!out_may(m, op))
				return out_wait(m, op);
			if (!out_flush(m, op, false))
				return HC_FAILED;
		}
		if (!mo->out) {
			enum hc_progress p = out_begin(m, op);

			if (p != HC_FINISHED)
				return p;
		}
		*cost += input_copy(m, op, cmp, &c) + (m->role.nsrc + 1) * LOOK_COST;
	}
}

/* Accept any segment as the next one: a helper does not know the length of the run that a dealer
 * sends to it before the run ends.
 */
static bool run_follows(struct hc_op *op, unsigned int i, const struct sk_buff *skb)
{
	return hc_hdr(skb)->len || hc_wire_data_of(skb)->flags & HC_DATA_F_LAST;
}

/* Initializers that reduce and allreduce have in common. */
#define MERGE_OP							\
	.merges = true, .own_totals = true,				\
	.op_size = sizeof(struct merge_op) + sizeof(struct merge_run),	\
	.src_size = sizeof(struct merge_run),				\
	.release = merge_release,					\
	.advance = merge_advance,					\
	.up_follows = run_follows

const struct hc_coll_ops hc_merge_reduce = {
	.id = HYPERCUBE_REDUCE,
	MERGE_OP
};

const struct hc_coll_ops hc_merge_allreduce = {
	.id = HYPERCUBE_ALLREDUCE,
	MERGE_OP,
	.comes_down = true,
};
