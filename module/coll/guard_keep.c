// SPDX-License-Identifier: GPL-2.0
/*
 * Ledgers of guarded plans: storing the contributions and the ends of operations. See coll/guard.c.
 */
#include <linux/slab.h>
#include <net/sock.h>

#include "coll/coll.h"
#include "coll/guard_impl.h"
#include "coll/process.h"
#include "fabric/frame.h"
#include "fabric/limits.h"

/* After this many operations that give some members no result, the root notifies the members that
 * these operations are complete.
 */
#define UNTOLD		4

/* Undo a charge that was made without a frame. Otherwise this does the same as sock_wfree(). */
static void sock_uncharge(struct sock *sk, size_t bytes)
{
	/* One byte stays charged meanwhile, which keeps the socket from being freed. */
	WARN_ON(refcount_sub_and_test(bytes - 1, &sk->sk_wmem_alloc));
	sk->sk_write_space(sk);
	sk_free(sk);
}

void hc_given_drop(struct hc_guard *g, struct hc_given *k)
{
	size_t bytes = k->refs.bytes;

	if (!k->used)
		return;
	k->used = false;
	hc_refs_drop(&k->refs);
	if (!k->sk)
		return;
	g->bytes -= bytes;
	sock_uncharge(k->sk, bytes);
	k->sk = NULL;
}

void hc_had_uncharge(struct hc_guard *g, size_t bytes)
{
	g->held -= bytes;
	hc_poll_uncharge(g->fabric, bytes);
}

/* Record that all operations below @nr have ended. */
void hc_need_move(struct hc_guard *g, u64 nr)
{
	/* The need of a node that has become a member again may be far below @nr, so stop at .next.
	 */
	for (; g->need < nr && g->need < g->next; g->need++) {
		struct hc_given *k = hc_given(g, g->need);
		struct hc_had *h = hc_had(g, g->need);

		/* There is no end in the ledger if the operation has no result for this member, or
		 * if the end of a later operation arrived before the notification that this one is
		 * complete.
		 */
		if (k->used && (!h->used || h->nr != g->need))
			hc_had_begin(g, g->need)->lost = hc_all_keep(k->coll);
		hc_given_drop(g, k);
	}
	g->need = max(g->need, nr);
	g->next = max(g->next, nr);
	g->fed = max(g->fed, nr);
}

/* Notify the process that contribution @k has ended with @end. @nr: number of the operation for the
 * process.
 */
static void given_notify(struct hc_member *m, const struct hc_given *k, u64 nr,
			 const struct hc_end *end)
{
	struct hypercube_result res = hc_op_result(m, NULL, nr);
	u64 failure;

	/* @nr is the number by which the process refers to the operation. */
	res.op = nr;
	res.status = -(s32)end->status;
	res.cookie = k->cookie;
	res.collective = k->coll->id;
	res.restarts = k->restarts;
	hc_cause_notify(end, &res);
	failure = hc_process_status(m->node, &res, &k->rec);
	if (end->status)
		hc_failure_note(m, k->rec.sock, failure);
}

void hc_given_notify(struct hc_member *m, u64 nr, const struct hc_end *end)
{
	const struct hc_given *k = hc_given(m->guard, nr);

	if (k->used)
		given_notify(m, k, nr, end);
}

bool hc_given_fail(struct hc_member *m, u64 end_nr, u64 nr, const struct hc_end *end,
		   struct hc_failed_nrs *nrs)
{
	struct hc_guard *g = m->guard;
	bool notified = nr < g->next;

	for (; nr < g->next; nr++) {
		struct hc_given *k = hc_given(g, nr);

		if (k->used)
			given_notify(m, k, hc_failed_nr(nrs, end_nr, nr, k->rec.sock), end);
		hc_given_drop(g, k);
	}
	return notified;
}

bool hc_given_end(struct hc_member *m, u64 nr, const struct hc_end *end)
{
	struct hc_failed_nrs nrs = {};

	return hc_given_fail(m, nr, nr, end, &nrs);
}

/* ------------------------------------------------------------ contributions */

/* Return: the memory that a contribution takes in the ledger, computed from its first frame @skb.
 * If it has a block for each member, its frames are shorter and more, since no frame has bytes of
 * two blocks. Frames may also be shorter because the contribution was sent to an earlier epoch.
 */
static size_t given_cost(const struct hc_member *m, const struct hc_coll_ops *coll,
			 const struct sk_buff *skb)
{
	u64 total = be64_to_cpu(hc_wire_data_of(skb)->total);
	u32 frame = coll->piece ? coll->piece(m->plan, total) : m->node->fabric->segment;

	/* Such a contribution is longer than any send buffer, and its cost could overflow. */
	if (total > S32_MAX)
		return SIZE_MAX;
	frame = min(frame, be32_to_cpu(hc_hdr(skb)->len));
	return total + (div_u64(total, max(frame, 1U)) +
			(coll->asks && total ? m->plan->nmembers : 1)) * HC_REF_COST;
}

static size_t given_room(const struct sk_buff *skb)
{
	return skb->sk ? READ_ONCE(skb->sk->sk_sndbuf) / 3 * 2 : 0;
}

/* Does a contribution that takes @cost bytes fit into an empty ledger? Some memory is left for
 * earlier contributions whose completion the root has not announced yet.
 */
static bool given_fits(const struct sk_buff *skb, size_t cost)
{
	return cost <= given_room(skb) - given_room(skb) / UNTOLD;
}

bool hc_guard_room(const struct hc_member *m, const struct sk_buff *skb)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	const struct hc_coll_ops *coll = hc_coll_find(m->plan->ops, w->collective, w->oper);
	size_t cost;

	/* The plan does not support the collective, so the operation will fail. */
	if (IS_ERR(coll))
		return true;
	cost = given_cost(m, coll, skb);
	return !given_fits(skb, cost) || m->guard->bytes + cost <= given_room(skb);
}

void hc_given_frame(const struct hc_given *k, struct sk_buff *skb, u64 at, bool last)
{
	struct hc_wire_data *w = hc_wire_data_of(skb);

	/* A kept small contribution is charged to no socket. */
	if (k->sk)
		skb_set_owner_w(skb, k->sk);
	*w = k->head;
	w->offset = cpu_to_be64(at);
	w->flags &= ~HC_DATA_F_LAST;
	if (last)
		w->flags |= HC_DATA_F_LAST;
	*hc_host_cb(skb) = (struct hc_host_cb){
		.cb.dim = HC_DIM_HOST, .first = !at, .rec = k->rec, .cookie = k->cookie,
	};
}

/* Keep the payload of the next frame of a contribution, charged to the same socket. */
static void part_keep(struct hc_member *m, struct hc_given *k, struct sk_buff *skb)
{
	u32 len = be32_to_cpu(hc_hdr(skb)->len);
	size_t cost = hc_refs_cost(&k->refs, len);
	struct hc_guard *g = m->guard;

	k->whole = hc_wire_data_of(skb)->flags & HC_DATA_F_LAST;
	if (k->lost || !hc_refs_add(g->fabric, &k->refs, hc_seg_ref(skb, 0, len))) {
		hc_given_drop(g, k);
		k->used = true;
		k->lost = true;
	} else if (cost) {
		k->sk = skb->sk;
		refcount_add(cost, &k->sk->sk_wmem_alloc);
		g->bytes += cost;
	}
}

/* Keep a contribution that begins with @skb. @fails: its operation fails at once. */
static void given_begin(struct hc_member *m, u64 nr, const struct hc_coll_ops *coll,
			struct sk_buff *skb, bool fails)
{
	const struct hc_host_cb *cb = hc_host_cb(skb);
	struct hc_wire_data *w = hc_wire_data_of(skb);
	struct hc_given *k = hc_given(m->guard, nr);

	if (k->used)
		hc_given_drop(m->guard, k);
	k->coll = coll;
	k->rec = cb->rec;
	k->cookie = cb->cookie;
	k->notify = w->flags & HC_DATA_F_NOTIFY;
	k->strict = w->flags & HC_DATA_F_STRICT;
	/* Remove this flag, which other members do not need. */
	w->flags &= ~HC_DATA_F_STRICT;
	k->head = *w;
	k->change = m->plan->change;
	if (be32_to_cpu(w->plan.epoch) != m->plan->epoch)
		k->change = hc_epoch_change(m->plan, be32_to_cpu(w->plan.epoch));
	k->root = m->plan->root;
	m->guard->idle = false;
	k->restarts = 0;
	k->used = true;
	k->whole = true;
	k->streamed = false;
	k->lost = fails;
	m->guard->next = nr + 1;
	if (fails)
		return;
	if (hc_guard_small(skb)) {
		hc_refs_add_small(&k->refs, hc_payload(skb), be32_to_cpu(hc_hdr(skb)->len));
		return;
	}
	k->lost = !given_fits(skb, given_cost(m, coll, skb));
	part_keep(m, k, skb);
}

/* A member that gets no result cannot detect that the operation is complete. Must it request a
 * notification? It does so after some operations, and when memory in the ledger runs short.
 */
static bool notify_due(const struct hc_member *m, u64 nr, const struct hc_coll_ops *coll,
		       const struct sk_buff *skb)
{
	size_t cost = given_cost(m, coll, skb);

	return nr % UNTOLD == UNTOLD - 1 ||
	       (given_fits(skb, cost) && m->guard->bytes + cost > given_room(skb) / UNTOLD);
}

void hc_guard_keep(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool fails)
{
	u64 nr = hc_user_nr(m, op->nr);

	if (!hc_all_notified(op->coll))
		op->notify |= notify_due(m, nr, op->coll, skb);
	m->guard->fed = nr + 1;
	given_begin(m, nr, op->coll, skb, fails);
}

bool hc_guard_store(struct hc_member *m, struct sk_buff *skb)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	const struct hc_coll_ops *coll = hc_coll_find(m->plan->ops, w->collective, w->oper);
	struct hc_guard *g = m->guard;

	if (!hc_guard_small(skb) && !given_fits(skb, given_cost(m, coll, skb)))
		return false;
	given_begin(m, g->next, coll, skb, false);
	consume_skb(skb);
	hc_guard_phase_set(g, HC_GUARD_FEED);
	hc_member_again(m);
	return true;
}

const struct hc_rec *hc_guard_half(const struct hc_member *m)
{
	struct hc_guard *g = m->guard;
	const struct hc_given *k = hc_given(g, g->next - 1);

	return g->next > g->need && k->used && !k->whole ? &k->rec : NULL;
}

bool hc_guard_more(struct hc_member *m, struct sk_buff *skb)
{
	const struct hc_rec *rec = &hc_host_cb(skb)->rec, *half = hc_guard_half(m);
	struct hc_guard *g = m->guard;

	if (!half || half->sock != rec->sock || half->nr != rec->nr)
		return false;
	part_keep(m, hc_given(g, g->next - 1), skb);
	/* The member may be waiting for this frame. */
	if (g->phase == HC_GUARD_FEED)
		hc_member_again(m);
	return true;
}

/* ------------------------------------------------------------ results */

/* Drop the oldest stored result of an operation before @nr, which is the result that other members
 * are least likely to need. Return: false if there is none.
 */
static bool had_forget(struct hc_guard *g, u64 nr)
{
	struct hc_had *old = NULL;
	unsigned int i;

	for (i = 0; i < HC_GUARD_RESULTS; i++) {
		struct hc_had *h = &g->had[i];

		if (h->refs.bytes && h->nr < nr && (!old || h->nr < old->nr))
			old = h;
	}
	if (!old)
		return false;
	hc_had_drop(g, old);
	old->lost = true;
	return true;
}

/* Charge @cost bytes for a result. Return: false if that exceeds a limit. */
static bool had_charge(struct hc_guard *g, const struct hc_had *h, size_t cost)
{
	while (g->held + cost > HC_GUARD_HELD_MAX && had_forget(g, h->nr))
		;
	if (g->held + cost > HC_GUARD_HELD_MAX || !hc_poll_charge(g->fabric, cost))
		return false;
	g->held += cost;
	return true;
}

/* Keep the next bytes of a result, charged to the fabric. If there is no memory for them, drop the
 * result.
 */
void hc_had_keep(struct hc_guard *g, struct hc_had *h, struct hc_seg_ref ref)
{
	size_t cost = hc_refs_cost(&h->refs, ref.len);

	if (!ref.len || h->lost)
		return;
	if (!cost || had_charge(g, h, cost)) {
		if (hc_refs_add(g->fabric, &h->refs, ref))
			return;
		hc_had_uncharge(g, cost);
	}
	hc_had_drop(g, h);
	h->lost = true;
}

/* Queue a frame of a result until the last frame has been received. Return: false if the fabric has
 * no memory for it.
 */
static bool now_push(struct hc_member *m, struct sk_buff *skb)
{
	skb_orphan(skb);
	if (!hc_poll_adopt(m->node->fabric, skb))
		return false;
	__skb_queue_tail(&m->guard->now, skb);
	return true;
}

struct sk_buff *hc_result_names(struct hc_member *m, struct hc_op *op,
				const struct hc_epoch_sets *sets)
{
	struct hc_given *k = hc_given(m->guard, hc_user_nr(m, op->nr));

	return hc_process_names(m, op, sets->all, sets->members, k->strict);
}

/* Pass to the process the last frame of a result, followed by the set of the members that have not
 * contributed to it. Consumes @skb. Return: false if the operation is gone.
 */
static bool last_give(struct hc_member *m, struct hc_op *op, struct sk_buff *skb)
{
	struct hc_epoch_sets sets;
	struct sk_buff *names;

	/* A broadcast message has one contributor, its source, so no members are missing from it.
	 */
	if (!m->plan->lacks || hc_coll_unasked(hc_coll_desc(op->coll->id)) ||
	    !hc_epoch_sets(m->plan, m->plan->change, &sets))
		return hc_result_pass(m, op, skb, true);
	names = hc_result_names(m, op, &sets);
	if (!names) {
		kfree_skb(skb);
		hc_op_fail(m, op, -ENOMEM, m->node->id);
		return false;
	}
	/* An empty result has no frame, so pass only the set. */
	if (!hc_hdr(skb)->len) {
		consume_skb(skb);
	} else if (!hc_result_pass(m, op, skb, false)) {
		kfree_skb(names);
		return false;
	}
	hc_process_named(m, op, names);
	return true;
}

/* Pass the process the pieces received so far, followed by @skb. Consumes @skb. Return: false if
 * the operation is gone.
 */
static bool now_give(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last)
{
	struct hc_given *k = hc_given(m->guard, hc_user_nr(m, op->nr));
	bool given = true, streamed = k->streamed;
	struct sk_buff *piece;

	while (given && (piece = __skb_dequeue(&m->guard->now))) {
		given = hc_result_pass(m, op, piece, false);
		streamed |= given;
	}
	if (!given)
		kfree_skb(skb);
	else
		given = last ? last_give(m, op, skb) : hc_result_pass(m, op, skb, false);
	/* If the process already has a part of the result, it would get that part twice if the
	 * result were passed again.
	 */
	if (!given)
		k->streamed = streamed;
	return given;
}

/* Pass to the process the frames of the result that have been received, because the result is too
 * long for the ledger. After that, the operation must not be computed again.
 */
static bool result_stream(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last)
{
	u64 nr = hc_user_nr(m, op->nr);
	bool given;

	m->guard->streams = hc_member_receives(m) && !last;
	/* The kept contribution is not dropped here, since hc_guard_tend() may be submitting it
	 * again.
	 */
	hc_given(m->guard, nr)->lost = true;
	hc_given(m->guard, nr)->streamed = true;
	given = now_give(m, op, skb, last);
	if (given && last)
		hc_had_begin(m->guard, nr)->lost = hc_all_keep(op->coll);
	return given;
}

/* Store the result of a scatter. Only the root has all of it, which is its own contribution. */
static void root_had_keep(struct hc_member *m, struct hc_had *h, struct hc_given *k)
{
	u64 total = be64_to_cpu(k->head.total);
	u32 i;

	h->lost = !hc_member_is_root(m) || k->lost || !k->whole || total > HC_GUARD_RESULT_MAX;
	if (h->lost)
		return;
	h->bytes = total;
	h->cut = k->change;
	for (i = 0; i < k->refs.n; i++)
		hc_had_keep(m->guard, h, k->refs.at[i]);
}

/* Keep a result that all members get: the pieces received so far, followed by @last. */
static void now_keep(struct hc_member *m, struct hc_op *op, struct hc_had *h,
		     struct sk_buff *last)
{
	struct hc_guard *g = m->guard;
	struct sk_buff *skb = skb_peek(&g->now) ?: last;
	u32 len = be32_to_cpu(hc_hdr(last)->len);

	h->bytes = op->result;
	if (op->coll->joins)
		h->piece = be32_to_cpu(hc_hdr(skb)->len) / m->plan->nmembers;
	for (; skb != last; skb = skb_peek_next(skb, &g->now) ?: last)
		hc_had_keep(g, h, hc_seg_ref(skb, 0, be32_to_cpu(hc_hdr(skb)->len)));
	/* This avoids calls for a result of one short piece. */
	if (len && !h->lost && hc_refs_small(&h->refs, len))
		hc_refs_add_small(&h->refs, hc_payload(last), len);
	else
		hc_had_keep(g, h, hc_seg_ref(last, 0, len));
}

/* Return: true if the ledger has the entry of a contribution, but not all its frames. It has no
 * entry if the operation has ended, or if the process does not contribute to it.
 */
static bool is_lost(const struct hc_given *k)
{
	return k->used && k->lost;
}

bool hc_guard_result(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last)
{
	u64 nr = hc_user_nr(m, op->nr);
	struct hc_guard *g = m->guard;
	struct hc_had *h;

	if (op->agrees)
		return hc_step_took(m, op, skb, last);
	if (is_lost(hc_given(g, nr)) || op->result > HC_GUARD_RESULT_MAX || g->streams ||
	    (!last && !now_push(m, skb)))
		return result_stream(m, op, skb, last);
	if (!last)
		return true;
	h = hc_had_begin(g, nr);
	h->change = m->plan->change;
	h->cut = h->change;
	/* A result that only the root gets is not kept, since it is not distributed again. */
	if (op->coll->asks)
		root_had_keep(m, h, hc_given(g, nr));
	else if (hc_all_keep(op->coll))
		now_keep(m, op, h, skb);
	/* This avoids calls for a result of one piece. */
	if (skb_queue_empty(&g->now) && !m->plan->lacks)
		return hc_result_pass(m, op, skb, true);
	return now_give(m, op, skb, true);
}
