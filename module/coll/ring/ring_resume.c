// SPDX-License-Identifier: GPL-2.0
/*
 * How operations in rings are resumed when their plan has been repaired, and the data that each
 * member stores for this.
 *
 * Chunks. Members work on one chunk after another (ring.c), of one operation after another. Let
 * p(u) be the chunk on which member u works. A chunk is complete at a member when the member has
 * the segments of all members. By then all members have sent their segments of it, so they work on
 * this chunk or a later one: two members are apart by one chunk at most. A member stores its own
 * segments of the current chunk and of the one before it, by references to their pages. Let s be
 * the first chunk that is not complete at all members: each member can send its segment of s again.
 *
 * When a fault has broken the plan, members stop, and drop the frames in their queues. Each member
 * u reports to the coordinator (ANSWER): p(u); the chunk before it, if the member has stored its
 * segment of that chunk; and the first operation of which no member has sent frames, as far as this
 * member knows. If all members work on s or on the chunk after it (ring_decision.c), all go back to
 * s (ASSIGN), and carry it out in the new rings as if none of its segments had been sent. Each
 * member has recorded the members whose segments of s, and of the chunk after s, it has passed to
 * its process (.gave); it forwards these segments again, but does not pass them to the process
 * again. So each process gets each segment once, regardless of how often it is sent. The record of
 * a chunk is dropped with the chunk, since no member can go back to a chunk before it: a member at
 * which s is complete in the new rings has received a segment of s from all members that are in
 * them, so none of them is further behind.
 *
 * If s belongs to an operation that is complete at this member, the member makes the operation
 * again, but without its process (.begun is false): it sends and forwards segments, and completes
 * the operation again.
 *
 * Numbers. Operation numbers in frames change with each repair (ring_repair.c), so all members
 * recognize frames that were sent in the old rings, and control messages about these. Operations
 * keep their order and are numbered from the new base on; for processes, their numbers do not
 * change (hc_user_nr()).
 *
 * Missing members. If a member has sent frames of an operation before the repair, the result has
 * the blocks of all members that were in the old rings, because some processes may have got parts
 * of these blocks. When the operation is complete, a block is complete if its member's segment of
 * the last chunk was passed to the process: a member that has left the rings never enters them
 * again while an operation is pending, so it has sent all its other segments before. If a block is
 * not complete, the result ends with a failure and the set of the missing members. If no member has
 * sent frames of an operation, its result has the blocks of the members in the new rings.
 *
 * There are four cases in which operations cannot be resumed: not all members have been notified of
 * a failure other than a fault (then their numbers differ by more than one); the operations of a
 * member have ended, as those of a failed node do; components of the plan that have worked
 * separately are connected again; or there was no memory for storing a member's segment. Then all
 * pending operations end at all members, with the cause that has broken the plan.
 *
 * A fault during the repair. A member gets to the next chunk only by frames of the new rings. These
 * are sent only by members that have received COMMIT, after all members have got their assignments.
 * Before that, a member that has its assignment has gone back to s and has done nothing else. So it
 * reports s in the next attempt, which fits the reports of members that had no assignment in the
 * last one.
 */
#include "coll/coll.h"
#include "coll/ring/ring.h"
#include "coll/ring/ring_decision.h"
#include "coll/ring/ring_op.h"
#include "coll/ring/ring_repair_impl.h"
#include "coll/ring/ring_resume.h"
#include "fabric/limits.h"

/* ------------------------------------------------------------ chunks */

static size_t set_size(const struct hc_member *m)
{
	return hc_repair_set_size(m->plan);
}

static void chunk_drop(struct hc_ring_chunk *s, size_t size)
{
	kfree_skb(s->own);
	s->own = NULL;
	s->used = false;
	memset(s->gave, 0, size);
}

static void chunks_drop(const struct hc_member *m, struct hc_ring_resume *k)
{
	chunk_drop(&k->chunk[0], set_size(m));
	chunk_drop(&k->chunk[1], set_size(m));
	k->ahead = false;
}

static bool chunk_is(const struct hc_ring_chunk *s, u64 nr, u64 at)
{
	return s->used && s->nr == nr && s->at == at;
}

bool hc_resume_has_own(const struct hc_member *m, const struct hc_op *op)
{
	const struct hc_ring_resume *k = hc_resume_of(m);

	return k && chunk_is(&k->chunk[k->cur], hc_user_nr(m, op->nr), ring_op(op)->at);
}

/* Make a frame that refers to the pages of segment @skb and is charged to the fabric. Return: the
 * frame, or NULL if there is no memory.
 */
static struct sk_buff *part_copy(const struct hc_member *m, struct sk_buff *skb)
{
	struct sk_buff *copy = hc_seg_share(m->node, skb, 0, be32_to_cpu(hc_hdr(skb)->len));

	if (copy && !hc_poll_adopt(m->node->fabric, copy)) {
		kfree_skb(copy);
		copy = NULL;
	}
	return copy;
}

/* Determine the members whose blocks are in the result of an operation, unless this has been done.
 */
static void members_take(const struct hc_member *m, struct hc_op *op)
{
	const struct hc_ring_member *ring = hc_ring_member(m);
	const struct hc_ring_resume *k = hc_resume_of(m);
	struct ring_op *r = ring_op(op);

	if (r->members)
		return;
	r->late = k && hc_user_nr(m, op->nr) < k->fresh;
	r->members = r->late ? k->before : ring->members;
	r->nmembers = r->late ? k->nbefore : ring->nmembers;
}

static struct sk_buff *part_next(struct hc_member *m, struct hc_ring_resume *k, struct hc_op *op)
{
	struct hc_ring_chunk *s = &k->chunk[k->cur];
	struct sk_buff *skb = __skb_dequeue(&op->own);

	/* If this entry is used, it belongs to an operation that has failed. */
	if (s->used) {
		chunks_drop(m, k);
		s = &k->chunk[k->cur];
	}
	s->used = true;
	s->nr = hc_user_nr(m, op->nr);
	s->at = ring_op(op)->at;
	s->len = be32_to_cpu(hc_hdr(skb)->len);
	s->last = hc_wire_data_of(skb)->flags & HC_DATA_F_LAST;
	s->params = *hc_wire_data_of(skb);
	s->own = part_copy(m, skb);
	return skb;
}

struct sk_buff *hc_resume_own(struct hc_member *m, struct hc_op *op)
{
	struct hc_ring_resume *k = hc_resume_of(m);

	members_take(m, op);
	if (!k)
		return __skb_dequeue(&op->own);
	if (!hc_resume_has_own(m, op))
		return part_next(m, k, op);
	return part_copy(m, k->chunk[k->cur].own);
}

void hc_resume_over(struct hc_member *m)
{
	struct hc_ring_resume *k = hc_resume_of(m);

	if (!k)
		return;
	k->cur ^= 1;
	if (!k->ahead)
		chunk_drop(&k->chunk[k->cur], set_size(m));
	k->ahead = false;
}

const u32 *hc_resume_missing(const struct hc_member *m, const struct hc_op *op)
{
	const struct hc_ring_member *ring = hc_ring_member(m);
	struct hc_ring_resume *k = hc_resume_of(m);
	const struct ring_op *r = ring_op(op);
	u32 any = 0, i;

	if (!k)
		return NULL;
	for (i = 0; i < hc_topo_words(&m->node->fabric->topo); i++) {
		u32 there = k->chunk[k->cur].gave[i];

		/* With NOTIFY, treat a member that has left the rings as missing, since it may not
		 * have received this member's block.
		 */
		if (op->notify_own)
			there &= ring->members[i];
		k->missing[i] = r->members[i] & ~there;
		any |= k->missing[i];
	}
	return any ? k->missing : NULL;
}

/* ------------------------------------------------------------ the plan is broken */

void hc_resume_stop(struct hc_member *m)
{
	struct hc_ring_resume *k = hc_resume_of(m);
	unsigned int n, i;

	/* Operations cannot be resumed if there is a failure of which other members, or this
	 * member's process, may not have been notified.
	 */
	k->unfit |= m->user.resets || m->gen.end.nr != HC_NR_NONE;
	for (n = 0; n < HC_OP_WINDOW; n++)
		for (i = 0; m->ops[n] && i < m->nstreams; i++) {
			__skb_queue_purge(&m->ops[n]->src[i].q);
			m->ops[n]->src[i].unaccounted = 0;
		}
}

void hc_resume_end(struct hc_member *m)
{
	struct hc_ring_resume *k = hc_resume_of(m);

	chunks_drop(m, k);
	k->before = NULL;
	k->fresh = 0;
	k->ended = true;
}

/* ------------------------------------------------------------ the answer to the coordinator */

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

/* Return: the previous chunk, if it can be carried out again, or NULL. */
static const struct hc_ring_chunk *prev_of(struct hc_member *m)
{
	const struct hc_ring_resume *k = hc_resume_of(m);
	const struct hc_ring_chunk *s = &k->chunk[k->cur ^ 1];
	u64 nr = hc_user_nr(m, m->head), at = head_at(m);

	if (k->ahead || !s->used || !s->own)
		return NULL;
	if (s->last ? s->nr + 1 != nr || at : s->nr != nr || s->at + s->len != at)
		return NULL;
	return s;
}

/* Return: the first operation of which no member has sent frames, as far as this member knows. */
static u64 fresh_of(struct hc_member *m)
{
	const struct hc_ring_resume *k = hc_resume_of(m);
	u64 nr = hc_user_nr(m, m->head);
	unsigned int i;

	nr = max(k->fresh, nr + !!head_at(m));
	for (i = 0; i < 2; i++)
		if (k->chunk[i].used)
			nr = max(nr, k->chunk[i].nr + 1);
	return nr;
}

/* Return: true if a segment that may have to be sent again was not stored, for lack of memory. */
static bool part_lost(struct hc_member *m)
{
	const struct hc_ring_resume *k = hc_resume_of(m);
	const struct hc_ring_chunk *cur = &k->chunk[k->cur], *other = &k->chunk[k->cur ^ 1];

	return (chunk_is(cur, hc_user_nr(m, m->head), head_at(m)) && !cur->own) ||
	       (k->ahead && other->used && !other->own);
}

static void at_fill(struct hc_wire_repair_at *w, u64 nr, u64 at)
{
	w->nr = cpu_to_be64(nr);
	w->offset = cpu_to_be64(at);
}

void hc_resume_answer(struct hc_member *m, struct hc_wire_repair *head)
{
	const struct hc_ring_chunk *prev = prev_of(m);
	const struct hc_ring_resume *k = hc_resume_of(m);
	struct hc_wire_repair_ops *w = hc_repair_ops_of(head);

	*w = (struct hc_wire_repair_ops){};
	w->ran = cpu_to_be64(k->line);
	w->placed = cpu_to_be64(k->placed);
	w->fresh = cpu_to_be64(fresh_of(m));
	at_fill(&w->at, hc_user_nr(m, m->head), head_at(m));
	if (prev) {
		head->flags |= HC_REPAIR_F_PREV;
		at_fill(&w->prev, prev->nr, prev->at);
	}
	if (k->unfit || k->ended || part_lost(m))
		head->flags |= HC_REPAIR_F_UNFIT;
}

/* ------------------------------------------------------------ resuming after ASSIGN */

static bool at_is(const struct hc_wire_repair_at *w, u64 nr, u64 at)
{
	return be64_to_cpu(w->nr) == nr && be64_to_cpu(w->offset) == at;
}

/* Go back to the previous chunk. Return: false if there is no memory. */
static bool step_back(struct hc_member *m, const struct hc_ring_chunk *prev)
{
	struct hc_ring_resume *k = hc_resume_of(m);
	struct hc_op *op = head_op(m);

	if (prev->nr != hc_user_nr(m, m->head)) {
		op = hc_op_get(m, m->head - 1);
		if (!op)
			return false;
		/* This cannot fail, since these parameters were accepted when the operation was
		 * made the first time.
		 */
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

/* Reset the progress of an operation to a state in which no frame of the current chunk has been
 * sent or received.
 */
static void op_rewind(const struct hc_member *m, struct hc_op *op)
{
	struct ring_op *r = ring_op(op);
	unsigned int i;

	for (i = 0; i < m->nstreams; i++) {
		op->src[i].came = 0;
		op->src[i].sent_down = 0;
		op->src[i].last = false;
	}
	for (i = 0; i < m->nouts; i++)
		op->out[i].busy = 0;
	memset(r->src, 0, m->nstreams * sizeof(r->src[0]));
	r->now = (struct ring_now){};
	r->over = false;
	r->late |= !!r->members;
}

/* Give the oldest operation number @base, and the others the numbers after it. */
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

void hc_resume_ran(struct hc_member *m)
{
	const struct hc_ring_member *ring = hc_ring_member(m);
	struct hc_ring_resume *k = hc_resume_of(m);

	k->line = k->placed;
	k->base = ring->members;
	k->nbase = ring->nmembers;
}

bool hc_resume_apply(struct hc_member *m, const struct hc_wire_repair *head)
{
	const struct hc_wire_repair_ops *w = hc_repair_ops_of(head);
	const struct hc_ring_chunk *prev = prev_of(m);
	struct hc_ring_resume *k = hc_resume_of(m);
	u64 fresh = be64_to_cpu(w->fresh), ran = be64_to_cpu(w->ran);

	/* Only a Byzantine coordinator decides to resume after it has received such an answer from
	 * this member.
	 */
	if (k->ended || k->unfit || part_lost(m) || (ran != k->line && ran != k->placed))
		return false;
	/* One more than in an answer: the chunk from which members resume may belong to the
	 * operation before the one in a member's answer.
	 */
	if (fresh - be64_to_cpu(w->at.nr) > HC_DECISION_SENT_MAX + 1)
		return false;
	if (!at_is(&w->at, hc_user_nr(m, m->head), head_at(m)) &&
	    !(prev && at_is(&w->at, prev->nr, prev->at) && step_back(m, prev)))
		return false;
	/* All members resume from the rings of an attempt in which this member has an assignment,
	 * and has sent and received no data.
	 */
	if (ran != k->line)
		hc_resume_ran(m);
	if (fresh > k->fresh) {
		k->fresh = fresh;
		k->before = k->base;
		k->nbefore = k->nbase;
	}
	ops_renumber(m, be64_to_cpu(head->plan.op));
	return true;
}

u32 *hc_resume_set_free(const struct hc_member *m)
{
	const struct hc_ring_resume *k = hc_resume_of(m);
	unsigned int i, n;

	for (i = 0; i < HC_RESUME_SETS - 1; i++) {
		bool used = k->set[i] == k->before || k->set[i] == k->base;

		for (n = 0; n < HC_OP_WINDOW; n++)
			used |= m->ops[n] && ring_op(m->ops[n])->members == k->set[i];
		if (!used)
			break;
	}
	/* At most two pending operations can have results with other sets. So the last set is free.
	 */
	return k->set[i];
}

void hc_resume_assigned(struct hc_member *m, const struct hc_wire_repair *w)
{
	struct hc_ring_resume *k = hc_resume_of(m);

	k->placed = be64_to_cpu(w->ballot);
	k->unfit = false;
	k->ended = false;
}
