// SPDX-License-Identifier: GPL-2.0
/*
 * How operations over rings go on when their plan is mended: what each member keeps of them.
 *
 * Slices.  Members work on one slice after the other (ring.c), of one operation after the other.
 * Let p(u) be the slice that member u works on.  It is through with a slice when it has had
 * everybody's part of it.  So all have sent theirs, and work on this slice or a later one: as
 * far as two members can be apart, it is one slice.  A member keeps its part of the slice at hand
 * and of the one before, by references to the pages.  With these everybody's part of the first
 * slice s that is not through everywhere can be sent once more.
 *
 * When a fault has broken the plan, members stop, drop what waits in their queues, and tell the
 * master where they are (ASKED): p(u), the slice before that if they have their part of it, and
 * which operations nobody has begun to send, as far as they know.  If all work on s or on the one
 * behind it (ring_verdict.c), all go back to s (PLACE), and carry it out in the new rings as if
 * nothing of it had been sent.  Each member still knows whose parts of s, and of the slice behind
 * s, its process was given (gave), and gives it no other: so each process gets each part once,
 * whoever sends it how often.  What others send again passes by.  A set of parts that were given
 * ends with its slice: nobody goes back behind that any more, for a member that is through with s
 * in the new rings has had a part from all that are in them, none of which can be further behind.
 *
 * An operation that was through here and is not elsewhere comes back without its process (begun is
 * false): it gives and passes on, and is through once more.
 *
 * Numbers.  Those in frames change with each mending (ring_mend.c), so what was sent in the old
 * rings, and words about that, are old everywhere.  Operations keep their order and get the
 * numbers from there on; processes are told the ones that they had (hc_told_nr()).
 *
 * Who is missing.  The result of an operation that anybody has begun to send has places for all
 * that were in the rings then, for some of these may have got theirs.  At the end a block is whole
 * if the member's part of the last slice was given: rings never get a member back while an
 * operation goes on, so it has sent all the others before.  Without such a block the result ends
 * with a failure that names those who are missing.  Operations that nobody has begun to send are
 * of the members that are there.
 *
 * When nothing can go on: a failure that is no fault is not known to all (the numbers then differ
 * by more than one), the member's own operations have ended, as those of a failed node do, or parts
 * meet that went on by themselves; or there was no memory for a part of this member.  Then all
 * that is under way ends with the cause of the break, at all members.
 *
 * A fault while this goes on.  Only frames of the new rings move a member on, and these are sent
 * by members that were told to GO, when all have their places.  Until then a member that has its
 * place has gone back to s and nothing else: it tells the next master so, and that fits what those
 * tell who have not.
 */
#include "coll/coll.h"
#include "coll/ring.h"
#include "coll/ring_keep.h"
#include "coll/ring_mend_impl.h"
#include "coll/ring_op.h"
#include "coll/ring_verdict.h"
#include "fabric/limits.h"

/* ------------------------------------------------------------ slices */

static size_t set_size(const struct hc_member *m)
{
	return hc_mend_set_size(m->plan);
}

static void slice_drop(struct hc_ring_slice *s, size_t size)
{
	kfree_skb(s->own);
	s->own = NULL;
	s->used = false;
	memset(s->gave, 0, size);
}

static void slices_drop(const struct hc_member *m, struct hc_ring_keep *k)
{
	slice_drop(&k->slice[0], set_size(m));
	slice_drop(&k->slice[1], set_size(m));
	k->ahead = false;
}

static bool slice_is(const struct hc_ring_slice *s, u64 nr, u64 at)
{
	return s->used && s->nr == nr && s->at == at;
}

bool hc_keep_has_own(const struct hc_member *m, const struct hc_op *op)
{
	const struct hc_ring_keep *k = hc_keep_of(m);

	return k && slice_is(&k->slice[k->cur], hc_told_nr(m, op->nr), ring_op(op)->at);
}

/* A frame with the same part, that the fabric is charged for. */
static struct sk_buff *part_copy(const struct hc_member *m, struct sk_buff *skb)
{
	struct sk_buff *copy = hc_seg_share(m->node, skb, 0, be32_to_cpu(hc_hdr(skb)->len));

	if (copy && !hc_poll_adopt(m->node->fabric, copy)) {
		kfree_skb(copy);
		copy = NULL;
	}
	return copy;
}

/* Whose blocks is the result of an operation about? */
static void members_take(const struct hc_member *m, struct hc_op *op)
{
	const struct hc_ring_member *ring = hc_ring_member(m);
	const struct hc_ring_keep *k = hc_keep_of(m);
	struct ring_op *r = ring_op(op);

	if (r->members)
		return;
	r->late = k && hc_told_nr(m, op->nr) < k->fresh;
	r->members = r->late ? k->before : ring->members;
	r->nmembers = r->late ? k->nbefore : ring->nmembers;
}

static struct sk_buff *part_next(struct hc_member *m, struct hc_ring_keep *k, struct hc_op *op)
{
	struct hc_ring_slice *s = &k->slice[k->cur];
	struct sk_buff *skb = __skb_dequeue(&op->own);

	/* What is there is of an operation that has failed. */
	if (s->used) {
		slices_drop(m, k);
		s = &k->slice[k->cur];
	}
	s->used = true;
	s->nr = hc_told_nr(m, op->nr);
	s->at = ring_op(op)->at;
	s->len = be32_to_cpu(hc_hdr(skb)->len);
	s->last = hc_wire_data_of(skb)->flags & HC_DATA_F_LAST;
	s->params = *hc_wire_data_of(skb);
	s->own = part_copy(m, skb);
	return skb;
}

struct sk_buff *hc_keep_own(struct hc_member *m, struct hc_op *op)
{
	struct hc_ring_keep *k = hc_keep_of(m);

	members_take(m, op);
	if (!k)
		return __skb_dequeue(&op->own);
	if (!hc_keep_has_own(m, op))
		return part_next(m, k, op);
	return part_copy(m, k->slice[k->cur].own);
}

void hc_keep_over(struct hc_member *m)
{
	struct hc_ring_keep *k = hc_keep_of(m);

	if (!k)
		return;
	k->cur ^= 1;
	if (!k->ahead)
		slice_drop(&k->slice[k->cur], set_size(m));
	k->ahead = false;
}

const u32 *hc_keep_missing(const struct hc_member *m, const struct hc_op *op)
{
	const struct hc_ring_member *ring = hc_ring_member(m);
	struct hc_ring_keep *k = hc_keep_of(m);
	const struct ring_op *r = ring_op(op);
	u32 any = 0, i;

	if (!k)
		return NULL;
	for (i = 0; i < hc_set_words(m->node->fabric->dim); i++) {
		u32 there = k->slice[k->cur].gave[i];

		/* Who has gone may not have had this one's block. */
		if (op->notify_own)
			there &= ring->members[i];
		k->missing[i] = r->members[i] & ~there;
		any |= k->missing[i];
	}
	return any ? k->missing : NULL;
}

/* ------------------------------------------------------------ the plan is broken */

void hc_keep_stop(struct hc_member *m)
{
	struct hc_ring_keep *k = hc_keep_of(m);
	unsigned int n, i;

	/* A failure that others may not have heard of, or that the process has to hear of. */
	k->unfit |= m->user.resets || m->gen.end.nr != HC_NR_NONE;
	for (n = 0; n < HC_OP_WINDOW; n++)
		for (i = 0; m->ops[n] && i < m->nstreams; i++) {
			__skb_queue_purge(&m->ops[n]->src[i].q);
			m->ops[n]->src[i].loose = 0;
		}
}

void hc_keep_end(struct hc_member *m)
{
	struct hc_ring_keep *k = hc_keep_of(m);

	slices_drop(m, k);
	k->before = NULL;
	k->fresh = 0;
	k->ended = true;
}

/* ------------------------------------------------------------ where it is */

static struct hc_op *head_op(struct hc_member *m)
{
	struct hc_op *op = hc_member_op(m, m->head);

	return op && op->nr == m->head ? op : NULL;
}

static u64 head_at(struct hc_member *m)
{
	const struct hc_op *op = head_op(m);

	return op ? ring_op(op)->at : 0;
}

/* The slice before the one at hand, if it can be carried out again, or NULL. */
static const struct hc_ring_slice *prev_of(struct hc_member *m)
{
	const struct hc_ring_keep *k = hc_keep_of(m);
	const struct hc_ring_slice *s = &k->slice[k->cur ^ 1];
	u64 nr = hc_told_nr(m, m->head), at = head_at(m);

	if (k->ahead || !s->used || !s->own)
		return NULL;
	if (s->last ? s->nr + 1 != nr || at : s->nr != nr || s->at + s->len != at)
		return NULL;
	return s;
}

/* The first operation of which nobody has sent anything, as far as this member knows. */
static u64 fresh_of(struct hc_member *m)
{
	const struct hc_ring_keep *k = hc_keep_of(m);
	u64 nr = hc_told_nr(m, m->head);
	unsigned int i;

	nr = max(k->fresh, nr + !!head_at(m));
	for (i = 0; i < 2; i++)
		if (k->slice[i].used)
			nr = max(nr, k->slice[i].nr + 1);
	return nr;
}

/* Is a part gone that may have to be sent again? */
static bool part_lost(struct hc_member *m)
{
	const struct hc_ring_keep *k = hc_keep_of(m);
	const struct hc_ring_slice *cur = &k->slice[k->cur], *other = &k->slice[k->cur ^ 1];

	return (slice_is(cur, hc_told_nr(m, m->head), head_at(m)) && !cur->own) ||
	       (k->ahead && other->used && !other->own);
}

static void at_fill(struct hc_wire_mend_at *w, u64 nr, u64 at)
{
	w->nr = cpu_to_be64(nr);
	w->offset = cpu_to_be64(at);
}

void hc_keep_tell(struct hc_member *m, struct hc_wire_mend *head)
{
	const struct hc_ring_slice *prev = prev_of(m);
	const struct hc_ring_keep *k = hc_keep_of(m);
	struct hc_wire_mend_ops *w = hc_mend_ops_of(head);

	*w = (struct hc_wire_mend_ops){};
	w->ran = cpu_to_be64(k->line);
	w->placed = cpu_to_be64(k->placed);
	w->fresh = cpu_to_be64(fresh_of(m));
	at_fill(&w->at, hc_told_nr(m, m->head), head_at(m));
	if (prev) {
		head->flags |= HC_MEND_F_PREV;
		at_fill(&w->prev, prev->nr, prev->at);
	}
	if (k->unfit || k->ended || part_lost(m))
		head->flags |= HC_MEND_F_UNFIT;
}

/* ------------------------------------------------------------ going on */

static bool at_is(const struct hc_wire_mend_at *w, u64 nr, u64 at)
{
	return be64_to_cpu(w->nr) == nr && be64_to_cpu(w->offset) == at;
}

/* Back to the slice before.  False: no memory. */
static bool step_back(struct hc_member *m, const struct hc_ring_slice *prev)
{
	struct hc_ring_keep *k = hc_keep_of(m);
	struct hc_op *op = head_op(m);

	if (prev->nr != hc_told_nr(m, m->head)) {
		op = hc_op_get(m, m->head - 1);
		if (!op)
			return false;
		/* It was so when it was here before. */
		if (WARN_ON_ONCE(!hc_op_params(op, &prev->params))) {
			hc_op_drop(m, op, -EPROTO);
			return false;
		}
		op->announced = m->tells;
		m->head--;
	}
	ring_op(op)->at = prev->at;
	k->cur ^= 1;
	k->ahead = true;
	return true;
}

/* Nothing of it has come or gone. */
static void op_rewind(const struct hc_member *m, struct hc_op *op)
{
	struct ring_op *r = ring_op(op);
	unsigned int i;

	for (i = 0; i < m->nstreams; i++) {
		op->src[i].came = 0;
		op->src[i].sent_down = 0;
		op->src[i].last = false;
	}
	memset(op->busy, 0, sizeof(op->busy));
	memset(r->src, 0, m->nstreams * sizeof(r->src[0]));
	r->now = (struct ring_now){};
	r->over = false;
	r->late |= !!r->members;
}

/* What is at hand gets number @base. */
static void ops_renumber(struct hc_member *m, u64 base)
{
	u64 more = base - m->head;
	struct hc_op *ops[HC_OP_WINDOW];
	unsigned int i;

	memcpy(ops, m->ops, sizeof(ops));
	memset(m->ops, 0, sizeof(m->ops));
	for (i = 0; i < HC_OP_WINDOW; i++) {
		if (!ops[i])
			continue;
		op_rewind(m, ops[i]);
		ops[i]->nr += more;
		m->ops[ops[i]->nr % HC_OP_WINDOW] = ops[i];
	}
	m->user.cur += more;
	m->head = base;
	WRITE_ONCE(m->renamed, m->renamed + more);
	WRITE_ONCE(m->next, m->next + more);
}

void hc_keep_went(struct hc_member *m)
{
	const struct hc_ring_member *ring = hc_ring_member(m);
	struct hc_ring_keep *k = hc_keep_of(m);

	k->line = k->placed;
	k->base = ring->members;
	k->nbase = ring->nmembers;
}

bool hc_keep_resume(struct hc_member *m, const struct hc_wire_mend *head)
{
	const struct hc_wire_mend_ops *w = hc_mend_ops_of(head);
	const struct hc_ring_slice *prev = prev_of(m);
	struct hc_ring_keep *k = hc_keep_of(m);
	u64 fresh = be64_to_cpu(w->fresh), ran = be64_to_cpu(w->ran);

	/* A master that has heard so, and says that it goes on, lies. */
	if (k->ended || k->unfit || part_lost(m) || (ran != k->line && ran != k->placed))
		return false;
	/* Where members go on may be one operation behind the one of which a member has told it. */
	if (fresh - be64_to_cpu(w->at.nr) > HC_VERDICT_SENT_MAX + 1)
		return false;
	if (!at_is(&w->at, hc_told_nr(m, m->head), head_at(m)) &&
	    !(prev && at_is(&w->at, prev->nr, prev->at) && step_back(m, prev)))
		return false;
	/* They come from rings in which it was placed, and has not heard of data. */
	if (ran != k->line)
		hc_keep_went(m);
	if (fresh > k->fresh) {
		k->fresh = fresh;
		k->before = k->base;
		k->nbefore = k->nbase;
	}
	ops_renumber(m, be64_to_cpu(head->plan.op));
	return true;
}

u32 *hc_keep_set_free(const struct hc_member *m)
{
	const struct hc_ring_keep *k = hc_keep_of(m);
	unsigned int i, n;

	for (i = 0; i < HC_KEEP_SETS - 1; i++) {
		bool used = k->set[i] == k->before || k->set[i] == k->base;

		for (n = 0; n < HC_OP_WINDOW; n++)
			used |= m->ops[n] && ring_op(m->ops[n])->members == k->set[i];
		if (!used)
			break;
	}
	/* Two operations may have been begun, whose results are about others. */
	return k->set[i];
}

void hc_keep_place(struct hc_member *m, const struct hc_wire_mend *w)
{
	struct hc_ring_keep *k = hc_keep_of(m);

	k->placed = be64_to_cpu(w->ballot);
	k->unfit = false;
	k->ended = false;
}
