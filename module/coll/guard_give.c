// SPDX-License-Identifier: GPL-2.0
/*
 * Guarded plans: passing to a process the result of an operation that its member has stored, or has
 * received from other members (SAY), in the form that results of its collective have: the whole
 * result, a part of it, or pieces of the blocks of all members. The part depends on the members at
 * the time when the result was computed.
 */
#include "coll/coll.h"
#include "coll/guard_impl.h"
#include "coll/process.h"
#include "coll/chunk.h"
#include "fabric/frame.h"

/* Maximum number of rounds in a result. Even the longest result, in the shortest segments, has no
 * more; only a Byzantine member can send a result with more rounds.
 */
#define ROUNDS_MAX	4096

/**
 * struct share - the bytes of a stored result that a process gets, and the frames in which it gets
 *	them
 * @from: offset of the first byte that the process gets
 * @bytes: number of bytes that the process gets, before @deal is applied
 * @frame: bytes of each frame in which the process gets them
 * @blocks: number of members of whose blocks each frame has a piece; 0 if the process gets the
 *	bytes in the order in which they are stored
 * @deal: the part of each block that the process gets; if .n is 0, it gets the whole block
 */
struct share {
	u64 from;
	u64 bytes;
	u32 frame;
	u32 blocks;
	struct hc_deal deal;
};

/* Position in a kept result: offset @pos of reference @i. */
struct had_at {
	const struct hc_refs *refs;
	u32 i;
	u64 pos;
};

static void had_skip(struct had_at *at, u64 bytes)
{
	at->pos += bytes;
	while (at->i < at->refs->n && at->pos >= at->refs->at[at->i].len)
		at->pos -= at->refs->at[at->i++].len;
}

static void had_begin(struct had_at *at, const struct hc_had *h, u64 from)
{
	*at = (struct had_at){ .refs = &h->refs };
	had_skip(at, from);
}

/* Read bytes of the result; bytes that are missing in the ledger read as zeros. */
static void had_read(struct had_at *at, void *to, u32 len)
{
	memset(to, 0, len);
	while (len && at->i < at->refs->n) {
		const struct hc_seg_ref *ref = &at->refs->at[at->i];
		u32 n = min_t(u64, len, ref->len - at->pos);

		memcpy(to, ref->data + at->pos, n);
		had_skip(at, n);
		to += n;
		len -= n;
	}
}

/* Set *@s to the bytes of @h that the process gets. @members: the members when the result was
 * computed. Return: false if @h cannot be a result of this collective.
 */
static bool share_of(const struct hc_member *m, const struct hc_coll_ops *coll,
		     const struct hc_had *h, const u32 *members, struct share *s)
{
	u32 n = memweight(members, hc_topo_words(&m->node->fabric->topo) * sizeof(*members));
	u32 segment = m->node->fabric->segment;

	*s = (struct share){ .bytes = h->bytes, .frame = segment };
	if (!coll->own_part && !coll->asks && !coll->joins)
		return true;
	if (h->bytes % n || !hc_set_has(members, m->node->id))
		return false;
	if (!coll->joins) {
		s->bytes = h->bytes / n;
		s->from = s->bytes * hc_set_rank(members, m->node->id);
		return true;
	}
	s->blocks = n;
	if (coll->own_part)
		s->deal = (struct hc_deal){
			.n = n, .rank = hc_set_rank(members, m->node->id),
			.part = div_u64(h->bytes, n * n),
		};
	if (!h->bytes)
		return true;
	s->frame = n * h->piece;
	return h->piece && h->piece <= segment / n && h->bytes / s->frame <= ROUNDS_MAX;
}

/* Make the frame with the bytes at offset @at of the share. Return: the frame, or NULL if there is
 * no memory.
 */
static struct sk_buff *share_frame(const struct hc_member *m, const struct share *s,
				   struct had_at *from, u64 at)
{
	u32 len = min_t(u64, s->frame, s->bytes - at);
	struct sk_buff *skb = hc_seg_alloc(m->node->fabric, m->node->id, len, GFP_ATOMIC);

	if (!skb)
		return NULL;
	had_read(from, hc_payload(skb), len);
	if (s->blocks)
		at = div_u64(at, s->blocks);
	hc_wire_data_of(skb)->offset = cpu_to_be64(at);
	return s->deal.n ? hc_deal_narrow(m, skb, &s->deal, at) : skb;
}

/* Make all frames of the share. Return: false if there is no memory for them. */
static bool share_frames(const struct hc_member *m, const struct hc_had *h, const struct share *s,
			 struct sk_buff_head *frames)
{
	struct sk_buff *skb;
	struct had_at from;
	u64 at = 0;

	__skb_queue_head_init(frames);
	had_begin(&from, h, s->from);
	do {
		skb = share_frame(m, s, &from, at);
		if (!skb) {
			__skb_queue_purge(frames);
			return false;
		}
		__skb_queue_tail(frames, skb);
		at += min_t(u64, s->frame, s->bytes - at);
	} while (at < s->bytes);
	return true;
}

static void share_give(struct hc_member *m, struct hc_op *op, const struct share *s,
		       struct sk_buff_head *frames, struct sk_buff *names)
{
	u64 stride = s->deal.n ? s->deal.part : s->blocks ? div_u64(s->bytes, s->blocks) : 0;
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(frames))) {
		u32 len = be32_to_cpu(hc_hdr(skb)->len);
		bool last = !names && skb_queue_empty(frames);

		if (!len && !last)
			consume_skb(skb);
		else if (s->blocks)
			hc_process_result_spread(m, op, skb,
						 be64_to_cpu(hc_wire_data_of(skb)->offset),
						 stride, len / s->blocks, last);
		else
			hc_process_result(m, op, skb, last);
	}
	if (names)
		hc_process_named(m, op, names);
}

/* Pass the result to the process. Return: 0, or a negative errno if nothing was passed. */
static int had_give(struct hc_member *m, struct hc_op *op, const struct hc_had *h)
{
	struct sk_buff *names = NULL;
	struct sk_buff_head frames;
	struct hc_epoch_sets sets;
	struct share s;

	if (!hc_epoch_sets(m->plan, h->cut, &sets) ||
	    !share_of(m, op->coll, h, sets.members, &s) ||
	    !hc_epoch_sets(m->plan, h->change, &sets))
		return -EPROTO;
	if (!share_frames(m, h, &s, &frames))
		return -ENOMEM;
	/* hc_part_bytes() divides op->result by the present number of members. So set it to the
	 * length of the process's part when the result was computed, times that number. In an
	 * alltoall (s.deal), the length is one part from each of the s.deal.n members of that time.
	 */
	op->result = s.bytes;
	if (op->coll->own_part)
		op->result = (s.deal.n ? s.deal.part * s.deal.n : s.bytes) * m->plan->nmembers;
	/* To a broadcast message only the source contributes, so no contributions are missing. */
	sets.lacks &= !hc_coll_unasked(hc_coll_desc(op->coll->id));
	if (sets.lacks)
		names = hc_result_names(m, op, &sets);
	if (sets.lacks && !names) {
		__skb_queue_purge(&frames);
		return -ENOMEM;
	}
	share_give(m, op, &s, &frames, names);
	return 0;
}

void hc_had_give(struct hc_member *m, struct hc_op *op, const struct hc_given *k,
		 const struct hc_had *h)
{
	const struct hc_coll_ops *coll = op->coll;
	int err;

	op->coll = k->coll;
	op->rec = k->rec;
	op->cookie = k->cookie;
	err = had_give(m, op, h);
	op->coll = coll;
	op->rec = (struct hc_rec){};
	if (err) {
		const struct hc_end cause = hc_cause(-err, m->node->id);

		hc_given_notify(m, h->nr, &cause);
	}
}

/* ------------------------------------------------------------ processes that only receive */

void hc_receiver_notify(struct hc_member *m, u64 nr, const struct hc_end *end,
			const struct hc_rec *rec)
{
	struct hypercube_result res = hc_op_result(m, NULL, nr);
	const struct hc_rec own = rec ? *rec : hc_process_record(m);

	res.op = nr;
	res.status = -(s32)end->status;
	hc_cause_notify(end, &res);
	if (own.sock)
		hc_process_status(m->node, &res, &own);
}

bool hc_guard_hears(const struct hc_member *m)
{
	return hc_member_receives(m) || (m->user.engaged && m->plan->ops->all_contribute);
}

void hc_guard_miss(struct hc_member *m, u64 nr, const struct hc_end *end)
{
	if (hc_member_receives(m))
		hc_receiver_notify(m, nr, end, NULL);
	else
		hc_end_miss(m, end, nr);
}

/* Pass the message to the process, in a new record. Return: false if there is no memory. */
static bool message_give(struct hc_member *m, struct hc_op *op, const struct hc_had *h)
{
	const struct hc_coll_ops *coll = op->coll;
	bool given = true;

	op->coll = m->plan->ops->colls[0];
	op->rec = hc_process_record(m);
	if (op->rec.sock)
		given = !had_give(m, op, h);
	op->rec = (struct hc_rec){};
	op->coll = coll;
	return given;
}

void hc_had_receive(struct hc_member *m, struct hc_op *op, const struct hc_had *h)
{
	struct hc_end end = h->end;

	/* If no member has all of the message, the message fails with the cause that has broken the
	 * plan. But if the process has been notified that the plan is over, it does not expect this
	 * message.
	 */
	if (!end.status && h->lost && !m->guard->gave_up)
		end = m->guard->cause;
	else if (!end.status && !h->lost && !message_give(m, op, h))
		end = hc_cause(ENOMEM, m->node->id);
	if (end.status)
		hc_receiver_notify(m, h->nr, &end, NULL);
}
