// SPDX-License-Identifier: GPL-2.0
/*
 * Failure of operations: how it is noted, told to the process, and spread.
 *
 * A failure (ABORT) names the first operation it hits, f.  Operations below f go on; those in
 * [f, f + HC_OP_RANGE) are over, and every member's numbering jumps to f + HC_OP_RANGE.  No
 * member can have begun a higher one.  Let D(v) be the first number that is not done at v; v
 * begins k only if k < D(v) + HC_OP_WINDOW, and the member u that finds the failure has D(u) <=
 * f.  In a tree what is done at v is done at the root, for which all have contributed, and so
 * has u: D(v) <= D(root) <= D(u) + HC_OP_WINDOW, hence k < f + 2 * HC_OP_WINDOW.  Some members
 * may have the result of f while it fails at others, on its way down; that result is right.  In
 * a broadcast D(source) <= D(u).  So after a failure all members agree on the next number again,
 * whatever each of them had contributed.
 *
 * ABORT travels along the edges in both directions.  With helpers the edges have cycles, so a
 * member passes it on only if it brings news.  A member notes the failed range with the highest
 * numbers and the one before that, so it must tell old from new by these.
 *  - A range that ends at or below what is done is old: nobody passes a number
 *    that failed without knowing of the failure.
 *  - Ranges that overlap or touch become one.
 *  - A range behind a gap: the member that found it had begun a number behind the gap, so for
 *    that member all below the first range was complete.  It is complete here, too; the first
 *    range is now the one before.
 *  - A range before a gap was under way while the other overtook it: it fails
 *    what it covers, and is now the one before.
 * So the noted ranges only ever grow or move up, and each ABORT is passed on by
 * each member a bounded number of times.
 *
 * Links lose nothing, so all of this holds as long as ABORT comes before what follows it.  ABORT
 * says all of the range to which a new one was added (hc_abort.to), and ACK counts what failed as
 * done.  A member that lacks memory or room (fabric/own.c) for it says it again to all of its
 * peers, both ranges if there are two, with the next word or a second later; until then it sends
 * them neither data nor ACK (hc_abort_owed()).
 *
 * A fault of a link that the plan uses breaks the plan: ABORT with
 * HC_ABORT_F_BROKEN ends everything pending, and nothing begins until a plan for
 * the new faults is installed.  What a member had handed over may have reached
 * the root before; the root, once it hears of the fault, says which operations
 * were complete, and that word goes down the tree like any ABORT.
 *
 * For plans of recursive doubling, all of whose members are roots, see coll/plan_doubling.c.
 */
#include "coll/anew.h"
#include "coll/coll.h"
#include "coll/detour.h"
#include "coll/ranges.h"
#include "fabric/link.h"
#include "netlink/netlink.h"
#include "sock/result.h"
#include "trace.h"

static void abort_fill(struct hc_wire_abort *w, const struct hc_abort *abort)
{
	u64 least = abort->to - min(abort->to, HC_ABORT_SPAN_MAX);

	w->plan.op = cpu_to_be64(max(abort->from, least));
	w->to = cpu_to_be64(abort->to);
	w->next = cpu_to_be64(abort->next);
	w->failed = cpu_to_be64(abort->failed);
	w->nfailed = cpu_to_be32(abort->nfailed);
	w->status = cpu_to_be32(abort->status);
	w->node = cpu_to_be16(abort->node);
	w->dim = cpu_to_be16(abort->dim);
	w->flags = cpu_to_be32(abort->flags);
}

struct sk_buff *hc_abort_alloc(struct hc_node *node, const struct hc_abort *abort)
{
	struct sk_buff *skb = hc_frame_alloc(node, HC_FRAME_ABORT, 0, GFP_ATOMIC);

	if (skb) {
		abort_fill(hc_wire_abort_of(skb), abort);
		hc_hdr(skb)->step = cpu_to_be32(abort->clock);
	}
	return skb;
}

bool hc_abort_send(struct hc_member *m, const struct hc_tree_peer *peer,
		   const struct hc_abort *abort)
{
	struct sk_buff *skb = hc_abort_alloc(m->node, abort);

	if (!skb)
		return false;
	/* Each hop of another way counts itself (route/). */
	if (peer->how != HC_TREE_DETOUR && hc_link_usable(m->node, peer->dim))
		be32_add_cpu(&hc_hdr(skb)->step, 1);
	return hc_peer_xmit(m, peer, skb) != -ENOBUFS;
}

/* Members of a plan that mends itself ask its master what has broken it. */
static bool abort_is_owed(const struct hc_member *m)
{
	return !(m->broken && m->plan->mends);
}

static void abort_tell(struct hc_member *m, const struct hc_abort *abort, u32 from_peer)
{
	unsigned int i;

	for (i = 0; i < m->role.nsrc + m->role.ndst; i++) {
		const struct hc_tree_peer *peer = i < m->role.nsrc ?
			&m->src[i] : &m->role.dst[i - m->role.nsrc];

		if (peer->node != from_peer && !hc_abort_send(m, peer, abort))
			m->unsaid |= abort_is_owed(m);
	}
}

bool hc_abort_owed(const struct hc_member *m)
{
	return unlikely(m->unsaid) && abort_is_owed(m);
}

/* In frames, to tell the peers. */
#define ABORT_COST	8

void hc_abort_again(struct hc_member *m)
{
	if (!hc_abort_owed(m))
		return;
	m->unsaid = false;
	if (!m->broken && m->passed.from != m->passed.to)
		abort_tell(m, &m->passed, HC_CAUSE_NONE);
	abort_tell(m, &m->abort, HC_CAUSE_NONE);
	m->node->spent += 2 * ABORT_COST;
}

static void abort_xmit(struct hc_member *m, const struct hc_abort *abort, u32 from_peer)
{
	hc_abort_again(m);
	if (!hc_abort_owed(m))
		abort_tell(m, abort, from_peer);
}

void hc_status_end(struct hc_member *m, struct hc_op *op, const struct hc_rec *rec, u64 nr)
{
	struct hypercube_result res = {
		.status = -(s32)m->abort.status,
		.plan = m->plan->id,
		.op = hc_told_nr(m, nr),
		.cookie = op ? op->cookie : 0,
		.collective = (op ? op->coll : m->plan->ops->colls[0])->id,
	};

	hc_cause_tell(&m->abort, &res);
	hc_failure_note(m, rec->sock, hc_sock_status(m->node, &res, rec));
}

void hc_op_forgo(struct hc_member *m, struct hc_op *op)
{
	if (op->begun)
		hc_status_end(m, op, &op->rec, op->nr);
	if (op->begun && m->plan->ops->forgone)
		m->plan->ops->forgone(m, op);
	/* What the next process contributes is not cut off for what this one owed. */
	if (m->cur_open && m->cur == op->nr) {
		m->cur_open = false;
		m->cut = false;
	}
	hc_op_drop(m, op, -(int)m->abort.status);
}

/* The pending operation with the lowest number from @nr on, or NULL: processes hear of
 * ends in the order of their contributions.
 */
static struct hc_op *op_from(struct hc_member *m, u64 nr)
{
	return hc_op_next(m, nr, U64_MAX);
}

/* Operations that were not handed over cannot be complete: a fault fails them for sure. */
static void ops_fail_begun(struct hc_member *m)
{
	struct hc_op *op, *next;

	for (op = op_from(m, 0); op; op = next) {
		next = op_from(m, op->nr + 1);
		if (!op->handed)
			hc_op_forgo(m, op);
	}
}

/* Fail what lies in the failed range.  True if the process was told of any. */
static bool ops_fail_ended(struct hc_member *m)
{
	struct hc_op *op, *next;
	bool told = false;

	for (op = op_from(m, m->abort.from); op && op->nr < m->abort_to; op = next) {
		next = op_from(m, op->nr + 1);
		told |= op->begun;
		hc_op_forgo(m, op);
	}
	return told;
}

/* Make what @abort covers part of the failed range, and fail it; see the top of this file.
 * False: it is nothing new.  @told: set if the process was told of an operation that failed.
 */
static bool abort_note(struct hc_member *m, const struct hc_abort *abort, bool *told)
{
	u64 to = hc_abort_to(abort);
	const struct hc_ack_ops *ack = m->plan->ops->ack;
	const struct hc_abort upper = m->abort;
	const u64 upper_to = m->abort_to, upper_seen_by = m->seen_by;
	const u64 next = m->next;

	if (to <= m->done || hc_range_noted(m, abort->from, to))
		return false;
	if (upper_to && abort->from > upper_to && ack->settle_below)
		ack->settle_below(m);
	hc_range_set(m, abort, to);
	*told |= ops_fail_ended(m);
	hc_numbers_skip(m);
	if (upper_to && to < upper.from) {
		if (ack->settle_passed)
			ack->settle_passed(m);
		hc_range_before(m, &upper, upper_seen_by);
		hc_numbers_skip(m);
	}
	/* What a process that has left owed has failed since one has, which all know. */
	m->unheard &= m->next == next || abort->status != ECONNRESET ||
		      !m->plan->ops->all_contribute;
	return true;
}

/* The root's failed range may be news here, as ABORT may still be under way. */
static void last_range(const struct hc_member *root, struct hc_abort *last)
{
	last->nfailed = hc_failed_below(root, root->done, &last->failed);
}

void hc_abort_last(const struct hc_member *root, struct hc_abort *last)
{
	if (root->broken) {
		*last = root->abort;
		last->next = root->begun;
		return;
	}
	*last = (struct hc_abort){ .from = root->done, .next = root->begun };
	last_range(root, last);
}

/* A result whose end has not come down is not complete here. */
static bool op_complete_below(const struct hc_op *op, const struct hc_abort *last)
{
	if (!op->handed || op->nr >= last->from ||
	    (op->nr >= last->failed && op->nr - last->failed < last->nfailed))
		return false;
	return !op->coll->comes_down;
}

/* The lock is of plans that others remove meanwhile. */
static void doubts_set(struct hc_member *m, bool doubts)
{
	struct hc_work *w = &m->node->work;

	if (m->doubts == doubts)
		return;
	m->doubts = doubts;
	spin_lock_bh(&w->lock);
	WRITE_ONCE(w->doubts, w->doubts + (doubts ? 1 : -1));
	spin_unlock_bh(&w->lock);
}

void hc_abort_settle(struct hc_member *m, const struct hc_abort *last)
{
	struct hc_op *op, *behind;

	m->final = true;
	doubts_set(m, false);
	for (op = op_from(m, 0); op; op = behind) {
		behind = op_from(m, op->nr + 1);
		if (op_complete_below(op, last)) {
			hc_op_complete(m, op, 0, 0, 0);
			continue;
		}
		hc_op_forgo(m, op);
	}
	m->broken = true;
	if (m->plan->ops->settled)
		m->plan->ops->settled(m, last);
	WRITE_ONCE(m->done, m->head);
}

/* In frames, to tell listeners. */
#define EVENT_COST	16

/* A fault breaks the plan.  What this member has handed over may be complete at
 * the root; it stays in doubt until the root says so (HC_ABORT_F_FINAL) or silence
 * lasts too long (coll/stall.c).  Returns whether that was news.
 */
static bool plan_break(struct hc_member *m, struct hc_abort *abort)
{
	const struct hc_plan_ops *ops = m->plan->ops;
	bool news = !m->broken;

	if (news) {
		if (hc_member_is_root(m))
			last_range(m, abort);
		m->broken = true;
		m->abort = *abort;
		if (ops->broke)
			ops->broke(m);
		/* The others go on without a node that has failed, and may have mended the
		 * plan before it hears of its links.
		 */
		if (!(m->plan->mends && READ_ONCE(m->node->failed)) &&
		    !test_and_set_bit(0, &m->plan->breaking)) {
			WRITE_ONCE(m->plan->cause_node, abort->node);
			WRITE_ONCE(m->plan->cause_dim, abort->dim);
			/* Pairs with plan_allows() and hc_fill_plan(): cause before flag. */
			smp_store_release(&m->plan->broken, true);
			trace_hc_plan(m->plan, HYPERCUBE_CMD_PLAN_NTF);
			hc_notify_plan(m->plan, HYPERCUBE_CMD_PLAN_NTF);
			m->node->spent += EVENT_COST;
		}
		/* The root knows all at once: see below. */
		if (!hc_member_is_root(m))
			ops_fail_begun(m);
	}
	if (ops->ack->way == HC_ACK_ALONE) {
		/* There is no word to wait for: nothing that this member had is in doubt. */
		const struct hc_abort own = { .from = m->done };

		if (m->plan->mends)
			ops->mend->stop(m, news);
		else if (news)
			hc_abort_settle(m, &own);
		return news;
	}
	if (hc_member_is_root(m) && news) {
		abort->from = m->done;
		abort->next = m->begun;
		abort->flags |= HC_ABORT_F_FINAL;
	}
	if (abort->flags & HC_ABORT_F_FINAL && !m->final) {
		m->abort = *abort;
		hc_abort_settle(m, abort);
		return true;
	}
	if (news && !m->final) {
		doubts_set(m, true);
		m->asked = 0;
		hc_member_again(m);
	}
	return news || (ops->word_again && ops->word_again(m, abort));
}

/* A failure is reported once: by the first member whose process was told.  A process that leaves
 * when nothing is under way fails nothing, though the numbers jump.
 */
static bool abort_is_news(struct hc_member *m, const struct hc_abort *abort, u64 first,
			  u32 from_peer, bool told)
{
	if (abort->flags & HC_ABORT_F_BROKEN)
		return from_peer == HC_CAUSE_NONE;
	return told && atomic64_xchg(&m->plan->reported, first + 1) != first + 1;
}

void hc_abort_event(struct hc_member *m, const struct hc_abort *abort, u64 first)
{
	struct hc_op_event ev = {
		.node = m->node->id,
		.nr = hc_told_nr(m, first),
		.status = -(int)abort->status,
		.cause_node = abort->node,
		.cause_dim = abort->dim,
	};

	hc_notify_op(m->plan, &ev);
	m->node->spent += EVENT_COST;
}

/* A process that took part and was not told learns of the failure when it goes on: its contribution
 * from there on belongs to what has failed, unless it is the first one of a process that came after
 * another had left.
 */
static void reset_next(struct hc_member *m, const struct hc_abort *abort)
{
	struct sock *sk = hc_sock_serving(m);

	if (!m->engaged && (abort->status == ECONNRESET || !sk))
		return;
	if (!m->sock) {
		m->sock = hc_sock_id(sk);
		m->group = hc_sock_group(sk);
	}
	hc_reset_note(m, abort->from);
}

/* What is noted goes on to the others, not only what was new.  A range before a gap goes on as it
 * came: @m->abort is the other one.
 */
static void abort_whole(const struct hc_member *m, struct hc_abort *abort)
{
	u32 clock = abort->clock;

	if (abort->from < m->abort.from)
		return;
	*abort = m->abort;
	abort->clock = clock;
}

void hc_coll_abort(struct hc_member *m, const struct hc_abort *cause, u32 from_peer)
{
	const struct hc_plan_ops *ops = m->plan->ops;
	struct hc_abort abort = *cause;
	u32 dropped = m->dropped;
	bool news, told = false;
	u64 first;

	if (abort.flags & HC_ABORT_F_BROKEN) {
		if (!plan_break(m, &abort))
			return;
		first = abort.from;
	} else {
		/* What this member owes while the plan is mended: hc_host_resume(). */
		if (m->broken || hc_member_holds(m))
			return;
		first = hc_range_first_new(m, &abort);
		news = abort_note(m, &abort, &told);
		if (ops->abort_note)
			news = ops->abort_note(m, &abort, news);
		if (!news)
			return;
		if (ops->all_contribute && !told)
			reset_next(m, &abort);
	}
	/* What a fault has stopped in a plan that mends itself may go on. */
	if (abort_is_news(m, &abort, first, from_peer, told) &&
	    !(m->plan->mends && abort.flags & HC_ABORT_F_BROKEN))
		hc_abort_event(m, &abort, first);
	if (!m->broken)
		abort_whole(m, &abort);
	/* The root's own word goes back to where the news came from, too. */
	abort_xmit(m, &abort, abort.flags & HC_ABORT_F_FINAL && hc_member_is_root(m) ?
			  HC_CAUSE_NONE : from_peer);
	/* After ABORT, for ACK counts the skipped numbers as done. */
	if (!m->broken)
		hc_ack_tell(m);
	hc_view_idle(m);
	m->node->spent += ABORT_COST + m->dropped - dropped;
}

void hc_coll_abort_go_on(struct hc_member *m, const struct hc_abort *abort)
{
	hc_coll_abort(m, abort, HC_CAUSE_NONE);
	if (!m->broken)
		hc_advance(m);
}

enum hc_progress hc_op_fail(struct hc_member *m, struct hc_op *op, int status, u32 node)
{
	struct hc_abort abort = {
		.from = op->nr,
		.status = -status,
		.node = node,
		.dim = HC_CAUSE_NONE,
	};

	/* An operation in doubt that fails here has lost a part, whatever the root says. */
	if (m->broken)
		hc_op_forgo(m, op);
	else
		hc_coll_abort(m, &abort, HC_CAUSE_NONE);
	return HC_FAILED;
}

/* A failure moves the numbers by one range, though what is done stays where it is.
 * Each member can cause one before it must begin an operation again, for which
 * there is no room until more is done.
 */
bool hc_nr_fits(const struct hc_member *m, u64 nr)
{
	return nr <= m->done + (hc_nodes(m->node->fabric->dim) + 2ULL) * HC_OP_RANGE;
}

static bool abort_range_fits(const struct hc_abort *abort)
{
	u64 span = abort->to - abort->from;

	return !abort->to || (span >= HC_OP_RANGE && span <= HC_ABORT_SPAN_MAX);
}

/* From a peer of the tree; to the root also from a node that is no member, where a detour
 * has failed: see abort_route() in coll/lost.c.
 */
static bool abort_may_come(const struct hc_member *m, const struct hc_hdr *hdr)
{
	u32 src = be16_to_cpu(hdr->src);

	if (hc_peer_find(m, src))
		return true;
	return hc_member_is_root(m) && !hc_set_has(m->plan->members, src) &&
	       hc_ways_cross(m->plan, src) && hdr->flags & HC_FRAME_F_ROUTED;
}

static bool abort_has_sense(const struct hc_member *m, const struct hc_abort *abort)
{
	u32 dim = m->node->fabric->dim;

	return abort->status && abort->status <= MAX_ERRNO && abort_range_fits(abort) &&
	       (abort->node == HC_CAUSE_NONE || abort->node < hc_nodes(dim)) &&
	       (abort->dim == HC_CAUSE_NONE || abort->dim < dim);
}

static void abort_read(const struct hc_wire_abort *w, struct hc_abort *abort)
{
	*abort = (struct hc_abort){
		.from = be64_to_cpu(w->plan.op),
		.to = be64_to_cpu(w->to),
		.next = be64_to_cpu(w->next),
		.failed = be64_to_cpu(w->failed),
		.nfailed = be32_to_cpu(w->nfailed),
		.status = be32_to_cpu(w->status),
		.node = be16_to_cpu(w->node),
		.dim = be16_to_cpu(w->dim),
		.flags = be32_to_cpu(w->flags),
	};
}

unsigned int hc_abort_rx(struct hc_member *m, struct sk_buff *skb)
{
	const struct hc_hdr *hdr = hc_hdr(skb);
	u32 src = be16_to_cpu(hdr->src);
	struct hc_abort abort;

	abort_read(hc_wire_abort_of(skb), &abort);
	abort.clock = be32_to_cpu(hdr->step);
	if (!abort_has_sense(m, &abort))
		return HYPERCUBE_A_DROP_MALFORMED;
	if (!hc_nr_fits(m, abort.from) || !abort_may_come(m, hdr))
		return HYPERCUBE_A_DROP_UNEXPECTED;
	/* What broke the plan before it was mended is no news. */
	if (abort.flags & HC_ABORT_F_BROKEN && abort.from < m->base)
		return HYPERCUBE_A_DROP_ENDED;
	/* Only the root says what was begun, or is complete; its word comes from a destination. */
	if (!hc_peer_find(m, src) || hc_src_index(m, src) >= 0)
		abort.flags &= ~HC_ABORT_F_FINAL;
	if (!(abort.flags & HC_ABORT_F_BROKEN) || !(abort.flags & HC_ABORT_F_FINAL))
		abort.nfailed = 0;
	if (!(abort.flags & HC_ABORT_F_BROKEN) && abort.from >= m->base && m->plan->ops->mend)
		m->plan->ops->mend->heard(m);
	hc_coll_abort(m, &abort, src);
	if (!m->broken)
		hc_advance(m);
	return 0;
}

/* A plan that has taken the place of this one begins anew; what is sent to it before this one's
 * failures have been read waits until they have been told (hc_fabric.retiring).
 */
static void failure_inherit(const struct hc_member *m)
{
	struct hc_plan *heir = xa_load(&m->node->fabric->plans, m->plan->id);

	if (m->failure.nr && heir && heir != m->plan && heir->member[m->node->id])
		heir->member[m->node->id]->failure = m->failure;
}

void hc_member_destroy(struct hc_member *m, int status, const struct hc_abort *last)
{
	hc_member_forget(m);
	m->abort.status = -status;
	m->abort.node = HC_CAUSE_NONE;
	m->abort.dim = HC_CAUSE_NONE;
	hc_abort_settle(m, last);
	hc_host_waiting_refuse(m, status);
	failure_inherit(m);
	kfree(m);
}
