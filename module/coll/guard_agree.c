// SPDX-License-Identifier: GPL-2.0
/*
 * The agreement of the members of a guarded plan at the beginning of an epoch: they compute the
 * range of the operations whose ends some of them have not received (MEET), and distribute these
 * ends (SAY). See coll/guard.c.
 */
#include "coll/coll.h"
#include "coll/guard_impl.h"
#include "fabric/frame.h"
#include "fabric/limits.h"

/**
 * struct meet - the data of MEET, which is combined by the maximum over all members, field by field
 * @lacks: bitwise complement of the member's need (hc_guard.need), so that the maximum is that of
 *	the least need; 0 if the need of this member is ignored (hc_guard.fresh)
 * @need: the member's need
 * @longest: bytes of the longest result that the member has stored
 * @over: status << 32 | cause_node << 16 | cause_dim of a member that has given up, or 0
 * @over_need: the need of a member that has given up, plus 1; 0 if the member has not
 */
struct meet {
	u64 lacks;
	u64 need;
	u64 longest;
	u64 over;
	u64 over_need;
};

/**
 * struct say - the data of SAY: how an operation has ended; the bytes of its result follow
 * @known: 1; 0 if no member has stored the end
 * @status: positive errno, or 0
 * @where: cause_node << 16 | cause_dim of the failure
 * @bytes: bytes of the result
 * @change: struct hc_had.change
 * @cut: struct hc_had.cut
 * @piece: struct hc_had.piece
 */
struct say {
	u64 known;
	u64 status;
	u64 where;
	u64 bytes;
	u64 change;
	u64 cut;
	u64 piece;
};

/* Allocate a frame of the member's own contribution to an agreement. The contribution has @total
 * bytes, of which the frame has @len, at offset @at, all of them 0.
 */
static struct sk_buff *step_frame(struct hc_member *m, u8 oper, u64 total, u64 at, u32 len)
{
	struct sk_buff *skb = hc_seg_alloc(m->node->fabric, m->node->id, len, GFP_ATOMIC);
	struct hc_wire_data *w;

	if (!skb)
		return NULL;
	if (!hc_poll_adopt(m->node->fabric, skb)) {
		kfree_skb(skb);
		return NULL;
	}
	w = hc_wire_data_of(skb);
	w->plan.plan = cpu_to_be32(m->plan->id);
	w->offset = cpu_to_be64(at);
	w->total = cpu_to_be64(total);
	w->collective = hc_tree_allreduce.id;
	w->oper = oper;
	w->dtype = HYPERCUBE_U64;
	if (at + len == total)
		w->flags |= HC_DATA_F_LAST;
	memset(hc_payload(skb), 0, len);
	memset(hc_host_cb(skb), 0, sizeof(*hc_host_cb(skb)));
	hc_host_cb(skb)->first = !at;
	return skb;
}

static bool step_frames(struct hc_member *m, u8 oper, u64 total, struct sk_buff_head *frames)
{
	u32 most = rounddown(m->node->fabric->segment, sizeof(u64)), len;
	struct sk_buff *skb;
	u64 at;

	for (at = 0; at < total; at += len) {
		len = min_t(u64, most, total - at);
		skb = step_frame(m, oper, total, at, len);
		if (!skb) {
			__skb_queue_purge(frames);
			return false;
		}
		__skb_queue_tail(frames, skb);
	}
	return true;
}

/* Return: the number of bytes of the longest result in the ledger, rounded up. All results are
 * considered, since another member may lack any of them (see meet_is_valid()).
 */
static u64 longest(const struct hc_guard *g)
{
	u64 most = 0;
	unsigned int i;

	for (i = 0; i < HC_GUARD_RESULTS; i++)
		if (g->had[i].used && !g->had[i].lost)
			most = max(most, g->had[i].bytes);
	return round_up(most, sizeof(u64));
}

static bool meet_begin(struct hc_member *m, struct sk_buff_head *frames)
{
	const struct hc_guard *g = m->guard;
	struct meet *meet;

	if (!step_frames(m, HYPERCUBE_MAX, sizeof(*meet), frames))
		return false;
	meet = hc_payload(skb_peek(frames));
	if (g->fresh)
		return true;
	*meet = (struct meet){ .lacks = ~g->need, .need = g->need, .longest = longest(g) };
	if (g->gave_up) {
		meet->over = (u64)g->cause.status << 32 | (u32)g->cause.node << 16 | g->cause.dim;
		meet->over_need = g->need + 1;
	}
	return true;
}

/* Position in the frames of a contribution at which the next bytes are written. */
struct say_at {
	struct sk_buff_head *frames;
	struct sk_buff *skb;
	u32 pos;
};

static void say_put(struct say_at *at, const void *from, u32 len)
{
	while (len) {
		u32 room = be32_to_cpu(hc_hdr(at->skb)->len) - at->pos, n = min(len, room);

		memcpy(hc_payload(at->skb) + at->pos, from, n);
		from += n;
		len -= n;
		at->pos += n;
		if (n < room || skb_queue_is_last(at->frames, at->skb))
			continue;
		at->skb = skb_queue_next(at->frames, at->skb);
		at->pos = 0;
	}
}

/* Copy the stored result @h into the frames, after struct say. The caller has checked that there is
 * room for it.
 */
static void say_fill(const struct hc_had *h, struct sk_buff_head *frames)
{
	struct say_at at = {
		.frames = frames, .skb = skb_peek(frames), .pos = sizeof(struct say),
	};
	u64 rest = h->bytes;
	u32 i, len;

	for (i = 0; i < h->refs.n; i++, rest -= len) {
		len = min_t(u64, h->refs.at[i].len, rest);
		say_put(&at, h->refs.at[i].data, len);
	}
}

static bool say_begin(struct hc_member *m, struct sk_buff_head *frames)
{
	struct hc_guard *g = m->guard;
	const struct hc_had *h = hc_had(g, g->at);
	struct say *say;

	if (!step_frames(m, HYPERCUBE_OR, sizeof(*say) + g->longest, frames))
		return false;
	if (!h->used || h->nr != g->at || h->lost || h->bytes > g->longest)
		return true;
	say = hc_payload(skb_peek(frames));
	say->known = 1;
	say->status = h->end.status;
	say->where = (u32)h->end.node << 16 | h->end.dim;
	say->bytes = h->bytes;
	say->change = h->change;
	say->cut = h->cut;
	say->piece = h->piece;
	say_fill(h, frames);
	return true;
}

/* Begin the next operation of the agreement, which is the same one at all members. */
void hc_step_begin(struct hc_member *m)
{
	bool meets = m->guard->phase == HC_GUARD_MEET;
	struct sk_buff_head frames;
	struct sk_buff *skb;

	__skb_queue_head_init(&frames);
	if (!(meets ? meet_begin(m, &frames) : say_begin(m, &frames)))
		return;
	m->guard->begun = true;
	if (!meets)
		WRITE_ONCE(m->renamed, m->next - m->guard->at);
	while ((skb = __skb_dequeue(&frames))) {
		m->node->spent++;
		hc_host_again(m, skb);
	}
}

static struct hc_end over_end(u64 over)
{
	return (struct hc_end){ .status = over >> 32, .node = over >> 16, .dim = over };
}

/* If a member has given up, its process has been notified that its contributions have failed, and
 * other processes may have contributed to other operations than this process expects. So end
 * operation hc_guard.high and all contributions from this number on, with the same cause at all
 * members. All processes go on with the operation after it.
 */
static void all_end(struct hc_member *m)
{
	struct hc_guard *g = m->guard;
	const struct hc_end end = over_end(g->over);

	if (hc_guard_hears(m) && g->next == g->high && !g->gave_up)
		hc_guard_miss(m, g->high, &end);
	m->user.engaged = false;
	hc_given_end(m, g->high, &end);
	hc_had_begin(g, g->high)->end = end;
	g->need = ++g->high;
	g->next = g->need;
	g->gave_up = false;
}

/* Go on to the next result that not all members have received. After the last one, operations of
 * the processes go on; .renamed is set such that their numbers do not change for the processes.
 */
static void say_next(struct hc_member *m)
{
	struct hc_guard *g = m->guard;

	hc_guard_phase_set(g, g->at < g->high ? HC_GUARD_SAY : HC_GUARD_FEED);
	hc_member_again(m);
	if (g->phase != HC_GUARD_FEED)
		return;
	g->fresh = false;
	hc_need_move(g, g->high);
	if (g->over)
		all_end(m);
	WRITE_ONCE(m->renamed, m->next - g->high);
	g->fed = g->high;
}

/* Return: true if the values in @meet are valid. A Byzantine neighbour may have sent invalid ones.
 */
static bool meet_is_valid(const struct hc_member *m, const struct meet *meet)
{
	u64 low = meet->lacks ? ~meet->lacks : meet->need;
	struct hc_end over = over_end(meet->over);

	if (meet->over && !hc_cause_is_valid(m, over.status, over.node, over.dim))
		return false;
	if (meet->over_need > meet->need + 1)
		return false;
	return meet->longest <= HC_GUARD_RESULT_MAX && low <= meet->need &&
	       meet->need - low <= HC_GUARD_RESULTS;
}

static bool meet_took(struct hc_member *m)
{
	const struct meet *meet = hc_payload(skb_peek(&m->guard->now));
	struct hc_guard *g = m->guard;

	if (!meet_is_valid(m, meet))
		return false;
	g->high = meet->need;
	g->at = meet->lacks ? ~meet->lacks : g->high;
	g->longest = meet->longest;
	g->over = meet->over;
	g->over_need = meet->over_need;
	say_next(m);
	return true;
}

/* Store the bytes of a result that another member has distributed. */
static void said_keep(struct hc_member *m, struct hc_had *h, u64 bytes)
{
	u32 off = sizeof(struct say);
	struct sk_buff *skb;

	skb_queue_walk(&m->guard->now, skb) {
		u32 len = min_t(u64, be32_to_cpu(hc_hdr(skb)->len) - off, bytes);

		hc_had_keep(m->guard, h, hc_seg_ref(skb, off, len));
		bytes -= len;
		off = 0;
	}
	h->lost |= !!bytes;
}

static void said_end(struct hc_member *m, struct hc_op *op, const struct hc_had *h)
{
	struct hc_guard *g = m->guard;
	struct hc_given *k = hc_given(g, h->nr);
	bool mine = g->need == h->nr && !g->fresh;

	if (mine && !k->used && hc_member_receives(m)) {
		hc_had_receive(m, op, h);
	} else if (mine && h->end.status) {
		if (hc_guard_hears(m) && !k->used)
			hc_guard_miss(m, h->nr, &h->end);
		m->user.engaged = false;
		hc_given_end(m, h->nr, &h->end);
		g->next = h->nr + 1;
	} else if (mine && !k->used && h->lost && !g->gave_up) {
		hc_end_miss(m, &g->cause, h->nr);
	} else if (mine && k->used && (h->lost || k->streamed)) {
		hc_given_notify(m, h->nr, &g->cause);
	} else if (mine && k->used && hc_all_notified(k->coll)) {
		hc_had_give(m, op, k, h);
	} else if (mine && k->used && k->notify) {
		hc_given_notify(m, h->nr, &h->end);
	}
	if (g->need == h->nr)
		hc_need_move(g, h->nr + 1);
}

static bool say_took(struct hc_member *m, struct hc_op *op)
{
	struct say say = *(struct say *)hc_payload(skb_peek(&m->guard->now));
	struct hc_epoch_sets sets;
	struct hc_guard *g = m->guard;
	struct hc_had *h = hc_had(g, g->at);

	if (say.bytes > g->longest || say.status > MAX_ERRNO)
		return false;
	if (!h->used || h->nr != g->at) {
		h = hc_had_begin(g, g->at);
		h->lost = !say.known;
		h->end.status = say.status;
		if (say.status) {
			h->end.node = say.where >> 16;
			h->end.dim = say.where;
		}
		h->bytes = say.bytes;
		h->change = say.change;
		h->cut = say.cut;
		h->piece = say.piece;
		said_keep(m, h, say.bytes);
	}
	/* If the change of the members before the result is not recorded any more, it is not known
	 * which members have contributed to it, so the result is lost.
	 */
	h->lost |= h->change && !hc_epoch_sets(m->plan, h->change, &sets);
	said_end(m, op, h);
	/* If this operation has failed and is the one before .over_need or a later one, it has the
	 * cause of the member that has given up: other members have run all_end() in an epoch that
	 * broke before that member had. So no other operation has to end for this member.
	 */
	if (h->end.status && g->at + 1 >= g->over_need) {
		g->over = 0;
		g->gave_up = false;
	}
	g->at++;
	say_next(m);
	return true;
}

/* Return: true if the first frame has all of struct meet or struct say. */
static bool head_is_valid(const struct hc_guard *g)
{
	size_t head = g->phase == HC_GUARD_MEET ? sizeof(struct meet) : sizeof(struct say);

	return be32_to_cpu(hc_hdr(skb_peek(&g->now))->len) >= head;
}

bool hc_step_took(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last)
{
	struct hc_guard *g = m->guard;
	bool fits = true;

	/* These frames need not be charged: together they are not longer than the member's own
	 * contribution, whose frames were charged.
	 */
	__skb_queue_tail(&g->now, skb);
	if (!last)
		return true;
	if (g->phase == HC_GUARD_MEET)
		fits = head_is_valid(g) && meet_took(m);
	else if (g->phase == HC_GUARD_SAY)
		fits = head_is_valid(g) && say_took(m, op);
	__skb_queue_purge(&g->now);
	if (!fits)
		hc_op_fail(m, op, -EPROTO, m->node->id);
	return fits;
}
