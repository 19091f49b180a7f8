// SPDX-License-Identifier: GPL-2.0
/*
 * How operations fail: STOP and END.
 *
 * An operation has one outcome, its result or END. Outcomes are decided once, and in the order of
 * the operations. END names k, the first operation that has no result. All operations below k have
 * their results. END takes the number k: the next generation of operations begins at k + 1, and
 * contributions to k or above fail with the cause that END names. A member's generation is the
 * number of ENDs that it has received. Its frames carry the generation, so receivers drop the
 * remaining frames of an older generation.
 *
 * In a plan with a root, the root decides. A member that will not contribute all of operation n
 * sends STOP n up, behind its own data; each member forwards the lowest STOP. The root completes
 * operations in order. Let k be the first operation that the root has not completed: it sends END k
 * as soon as k >= n.
 *
 * When a process leaves, it contributes nothing more, so its member sends STOP. There are three
 * cases.
 * - The process has contributed in this generation: the STOP is SOFT. It takes effect once data of
 *   n or above has been received from another member, or once another process takes over the
 *   member. So a member that contributes late is notified.
 * - It has contributed in an earlier generation only: the STOP is hard. It ends the generation at
 *   once, with all operations that other members have begun since. The STOP is hard, too, when the
 *   process at the root, which receives the results, leaves.
 * - It has never contributed to the plan: the STOP is IDLE. It takes effect at a member on its path
 *   that has data of n or above which another member has contributed. The root discards the STOP,
 *   since a process that has begun nothing does not count as one that has left.
 *
 * In a guarded plan the STOP is SOFT or IDLE, and breaks the plan when it takes effect. In a plan
 * without a root the member does not send a SOFT or IDLE STOP, but sends END when the STOP takes
 * effect.
 *
 * END is sent down behind the results. A member forwards it when it has passed on everything below
 * k, downwards and to its process. The member then enters the next generation, and announces that
 * to its destinations (ACK), so no member is more than one generation ahead of a neighbour. A
 * member with several destinations enters the next generation when all of them have sent END.
 *
 * In a plan without a root (recursive doubling, rings) each member receives what all members have
 * contributed. A member that does not contribute all of k sends END, so no member can have
 * completed k. END is flooded, the lowest number wins, and a member enters the next generation when
 * each of its peers has sent END and all operations below k are complete. A peer may enter it
 * before this member does: frames that the peer then sends in the next generation are queued until
 * this member enters it, too.
 *
 * Each contribution ends once, and processes are notified of these ends in order, except for
 * messages of a broadcast, whose success is reported when it is known. A process that has
 * contributed in a generation, but not to k, is notified of END when it contributes next (.resets).
 * A process that has contributed nothing is not notified that another one left, since no
 * contribution of its own has failed; it is notified of other causes if it serves the member at
 * that time. A process that takes over from one that left belongs to the next generation.
 *
 * Three failures break the plan (OVER): the fault of a link; a failure, on the way down, of an
 * operation that the root has completed or has sent completely to at least one source; and, in a
 * plan without a root, the failure of an operation that other members may have completed. The root
 * sends END at once. At the failed edge, the upper end sends STOP for the first operation that
 * lacks data from below, and the lower end sends END, for the first operation that has no result
 * there, to the members below. So all members that are connected to the root get the same END. At
 * members that are cut off, the error says nothing about the results of the other members. After an
 * END that another failure has caused, the upper end sends STOP again, until the plan is over. A
 * member that is cut off notifies its destinations (STOP with NO_DATA), so that they do not wait
 * for it to take what they have sent.
 *
 * A member that lacks memory or room (fabric/own.c) for a control message sends it a second later.
 * It sends its peers nothing else before.
 */
#include "coll/coll.h"
#include "coll/end.h"
#include "coll/guard.h"

void hc_end_none(struct hc_end *end)
{
	*end = (struct hc_end){
		.nr = HC_NR_NONE, .node = HC_CAUSE_NONE, .dim = HC_CAUSE_NONE,
	};
}

void hc_end_init(struct hc_member *m)
{
	unsigned int kind;

	hc_end_none(&m->gen.end);
	for (kind = 0; kind < HC_NSTOPS; kind++)
		hc_end_none(&m->gen.stop[kind]);
	m->gen.gives = HC_NR_NONE;
	m->gen.ended = 0;
	m->user.left = false;
	m->user.idles = false;
}

bool hc_has_root(const struct hc_member *m)
{
	return m->plan->ops->ack->way != HC_ACK_ALONE;
}

bool hc_end_join(struct hc_end *end, const struct hc_end *more)
{
	bool over = more->flags & ~end->flags & HC_STOP_F_OVER;
	u64 nr = min(end->nr, more->nr);
	u32 flags = end->flags | more->flags;

	if (more->nr >= end->nr && !over)
		return false;
	if (over || !(end->flags & HC_STOP_F_OVER))
		*end = *more;
	end->nr = nr;
	end->flags = flags;
	return true;
}

/* ------------------------------------------------------------ causes */

void hc_fail(struct hc_member *m, u64 nr, struct hc_end cause)
{
	cause.nr = nr;
	if (m->gen.broken || hc_member_holds(m))
		return;
	if (hc_has_root(m) && hc_on_way_down(m, nr)) {
		hc_plan_breaks(m, &cause);
		if (hc_member_is_root(m))
			hc_over(m, cause);
		else
			hc_cut_above(m, cause);
		return;
	}
	if (nr > m->gen.end.nr) {
		/* The failed operation belongs to the next generation. */
		hc_end_join(&m->gen.early, &cause);
		return;
	}
	if (!hc_has_root(m)) {
		/* Other members may have completed the operation with data that this member has
		 * sent.
		 */
		if (nr == m->head && cause.status == ENOMEM && nr < m->next)
			cause.flags |= HC_STOP_F_OVER;
		hc_end_note(m, &cause);
		hc_end_go_on(m);
		return;
	}
	m->gen.gives = min(m->gen.gives, nr);
	hc_stop_note(m, &cause);
}

void hc_fail_go_on(struct hc_member *m, u64 nr, struct hc_end cause)
{
	hc_fail(m, nr, cause);
	if (!m->gen.broken)
		hc_advance(m);
}

enum hc_progress hc_op_fail(struct hc_member *m, struct hc_op *op, int status, u32 node)
{
	hc_fail(m, op->nr, hc_cause(-status, node));
	return HC_FAILED;
}

static struct hc_end left_end(const struct hc_member *m, u64 nr, u32 flags)
{
	struct hc_end end = hc_cause(ECONNRESET, m->node->id);

	end.nr = nr;
	end.flags = flags;
	return end;
}

/* Handle the leave of a process that has never contributed to the plan. The leave ends no operation
 * unless other members wait for data of this member.
 */
static void leave_idle(struct hc_member *m, u64 nr)
{
	const struct hc_end stop = left_end(m, nr, HC_STOP_F_IDLE);

	m->user.idles = true;
	hc_stop_note(m, &stop);
	/* If the STOP takes effect already, the next process must wait for END. In a plan without a
	 * root .gives ensures that.
	 */
	if (m->gen.stop[HC_STOP_HARD].nr <= nr &&
	    m->gen.stop[HC_STOP_HARD].status == ECONNRESET) {
		m->user.left = true;
		m->user.left_nr = nr;
	}
	if (!m->gen.broken)
		hc_advance(m);
}

void hc_leave(struct hc_member *m, u64 nr, enum hc_stop kind)
{
	bool root = hc_has_root(m) && hc_member_is_root(m);
	/* Without a root the STOP is soft only if this member has sent no data of @nr, since the
	 * other members keep the data that they have received.
	 */
	bool waits = hc_has_root(m) || nr == m->next;
	/* The other members of a guarded plan continue without the process, unless it is the only
	 * one that contributes (the source of a broadcast).
	 */
	bool soft = (m->guard && m->plan->ops->all_contribute) ||
		    (kind == HC_STOP_SOFT && !root && waits);
	const struct hc_end stop = left_end(m, nr, soft ? HC_STOP_F_SOFT : 0);

	if (m->gen.broken)
		return;
	if (kind == HC_STOP_IDLE) {
		leave_idle(m, nr);
		return;
	}
	m->user.left = true;
	m->user.left_nr = nr;
	/* There is no process that could receive the results. */
	if (root && !soft)
		m->gen.gives = min(m->gen.gives, nr);
	hc_stop_note(m, &stop);
	hc_end_go_on(m);
	if (!m->gen.broken)
		hc_advance(m);
}

void hc_came(struct hc_member *m)
{
	const struct hc_end stop = left_end(m, m->user.left_nr, 0);

	hc_stop_note(m, &stop);
}

/* ------------------------------------------------------------ frames */

unsigned int hc_gen_refused(const struct hc_member *m, u32 gen, u64 nr)
{
	s32 ahead = gen - m->gen.count;

	if (nr < m->done || m->gen.broken || ahead < 0 || (!ahead && nr >= m->gen.gives))
		return HYPERCUBE_A_DROP_ENDED;
	if (!ahead || (ahead == 1 && m->gen.end.nr < nr))
		return 0;
	return HYPERCUBE_A_DROP_UNEXPECTED;
}

bool hc_is_awaited(const struct hc_member *m, u32 gen, u64 nr)
{
	return nr < m->done + 2 * HC_OP_WINDOW && !hc_gen_refused(m, gen, nr);
}

u64 hc_nr_behind(const struct hc_member *m, u64 nr)
{
	return nr + 1 == m->gen.end.nr ? nr + 2 : nr + 1;
}

static void end_read(const struct sk_buff *skb, struct hc_end *end)
{
	const struct hc_wire_stop *w = hc_wire_stop_of(skb);

	*end = (struct hc_end){
		.nr = be64_to_cpu(w->plan.op),
		.status = be32_to_cpu(w->status),
		.flags = be32_to_cpu(w->flags),
		.clock = be32_to_cpu(hc_hdr(skb)->step),
		.node = be16_to_cpu(w->node),
		.dim = be16_to_cpu(w->dim),
	};
}

bool hc_cause_is_valid(const struct hc_member *m, u32 status, u16 node, u16 dim)
{
	const struct hc_topo *topo = &m->node->fabric->topo;

	return status && status <= MAX_ERRNO && (node == HC_CAUSE_NONE || node < topo->nodes) &&
	       (dim == HC_CAUSE_NONE || dim < topo->ports);
}

/* Is @nr in the range of operations that any member can be working on? No member is further ahead
 * of another member than this range.
 */
static bool nr_is_valid(const struct hc_member *m, u64 nr)
{
	return nr >= m->base && nr <= m->done + 2 * HC_OP_WINDOW;
}

unsigned int hc_end_rx(struct hc_member *m, struct sk_buff *skb)
{
	u32 src = be16_to_cpu(hc_hdr(skb)->src);
	s32 ahead = be32_to_cpu(hc_wire_stop_of(skb)->gen) - m->gen.count;
	struct hc_end end;
	unsigned int why;

	end_read(skb, &end);
	if (!hc_cause_is_valid(m, end.status, end.node, end.dim))
		return HYPERCUBE_A_DROP_MALFORMED;
	if (hc_hdr(skb)->type == HC_FRAME_STOP) {
		why = hc_stop_rx(m, skb, &end);
	} else {
		/* END of an operation from before the ring repair: this member has already handled
		 * the failure that it reports.
		 */
		if (end.nr < m->base)
			return HYPERCUBE_A_DROP_ENDED;
		if (!nr_is_valid(m, end.nr))
			return HYPERCUBE_A_DROP_UNEXPECTED;
		why = hc_has_root(m) ? hc_end_rx_down(m, src, ahead, &end) :
				   hc_end_rx_peer(m, src, ahead, &end);
	}
	if (!m->gen.broken)
		hc_advance(m);
	return why;
}

/* ------------------------------------------------------------ the plan goes away */

/* Copy the last failure to the plan that replaces this one, which has had no failure of its own
 * yet. Contributions that a process sends to that plan before it has read this plan's failures wait
 * until the failures were reported (hc_fabric.retiring).
 */
static void failure_inherit(const struct hc_member *m)
{
	struct hc_plan *successor = xa_load(&m->node->fabric->plans, m->plan->id);

	if (m->user.failure.nr && successor && successor != m->plan &&
	    successor->member[m->node->id])
		successor->member[m->node->id]->user.failure = m->user.failure;
}

void hc_member_destroy(struct hc_member *m, int status, const struct hc_root_view *root)
{
	hc_member_forget(m);
	if (m->guard && hc_guard_pass(m))
		return;
	if (m->guard && hc_guard_end(m, &status))
		root = NULL;
	hc_end_none(&m->gen.last);
	m->gen.last.status = -status;
	m->gen.last.nr = m->head;
	hc_ends_all(m, root);
	hc_host_waiting_refuse(m, status);
	failure_inherit(m);
	hc_member_free(m);
}
