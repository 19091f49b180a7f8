// SPDX-License-Identifier: GPL-2.0
/*
 * How operations fail: STOP and END.
 *
 * An operation has one outcome: its result or END. Each outcome is decided only once, and outcomes
 * are decided in the order of the operations. END k is for the first operation, k, that has no
 * result; all operations below k have their results. END uses up the number k: the next generation
 * of operations begins at k + 1, and contributions to k or above fail with the cause in the END. A
 * member's generation is the number of ENDs that it has received. Its frames carry the generation,
 * so receivers drop frames of older generations.
 *
 * In a plan with a root, the root decides. A member that will not contribute all its data to
 * operation n sends STOP n up, after its own data; each member forwards the lowest STOP that it has
 * received. The root completes operations in order. Let k be the first operation that the root has
 * not completed: it sends END k as soon as k >= n.
 *
 * A process that leaves contributes nothing more, so its member sends STOP n for the first
 * operation n to which the process has not contributed completely. There are three cases.
 * - The process has contributed in this generation: the STOP is SOFT. It takes effect when data of
 *   n or above is received from another member, or when another process takes over the member. So
 *   members that contribute after the leave are notified, too.
 * - It has contributed only in earlier generations: the STOP is hard. It ends this generation at
 *   once, with all operations that other members have begun in it. The STOP is hard, too, when the
 *   process at the root, which receives the results, leaves.
 * - It has never contributed to the plan: the STOP is IDLE. It takes effect at a member on its path
 *   to the root if this member has data of n or above from another member. The root discards the
 *   STOP, since a process that has begun nothing is not treated as one that has left.
 *
 * In a guarded plan the STOP is SOFT or IDLE, and breaks the plan when it takes effect. It is IDLE
 * only while other members wait for a program that starts late (hc_guard.idle). In a plan without a
 * root the member does not send a SOFT or IDLE STOP, but sends END when the STOP takes effect.
 *
 * END is sent down after the results. A member forwards it when it has passed on all data of
 * operations below k, downwards and to its process. Then the member enters the next generation, and
 * sends its destinations an ACK that reports this. The destinations wait for it, so no member is
 * more than one generation ahead of a neighbour. A member with several destinations enters the next
 * generation when all of them have sent END.
 *
 * In a plan without a root (recursive doubling, rings) each member receives what all members have
 * contributed. So if a member does not contribute all its data to k, no member can complete k, and
 * this member sends END k. END is flooded, and the lowest number is valid. A member enters the next
 * generation when each of its peers has sent END and all operations below k are complete. A peer
 * may enter the next generation before this member does: frames that the peer sends in it are
 * queued until this member enters it, too.
 *
 * Each contribution ends once, and processes are notified of these ends in order, except that the
 * source of a broadcast is notified of the success of a message when the success is known. A
 * process that has contributed in a generation, but not to k, is notified of END when it
 * contributes next (.resets). A process that has contributed nothing is not notified that another
 * process has left, since no contribution of its own has failed; it is notified of other causes if
 * it serves the member at the time of the END. A process that takes over a member from a process
 * that has left contributes to the next generation.
 *
 * Three failures break the plan (OVER): the fault of a link; a failure, while its result is sent
 * down, of an operation that the root has completed or has sent completely to at least one source;
 * and, in a plan without a root, the failure of an operation that other members may have completed.
 * The root sends END at once. At a failed edge, the member at the upper end sends STOP for the
 * first operation of which it lacks data from below; the member at the lower end sends END to the
 * members below it, for the first operation of which it has no result. So all members that are
 * connected with the root get the same END. The END that members below the failed edge get does not
 * show which operations have succeeded at other members. If another failure has caused an END, the
 * upper end sends its STOP again in the next generation, until the plan is over. A member that is
 * cut off from the root sends its destinations STOP with NO_DATA, so that they do not wait for it
 * to process the data that they have sent.
 *
 * A member that lacks memory or room (fabric/own.c) for a control message sends it a second later,
 * and sends no other frames to its peers before that.
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
		/* This member may have sent all data that other members need to complete the
		 * operation.
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

/* Act on the leave of a process that has never contributed to the plan. The leave ends operations
 * only if other members wait for data of this member.
 */
static void leave_idle(struct hc_member *m, u64 nr)
{
	const struct hc_end stop = left_end(m, nr, HC_STOP_F_IDLE);

	m->user.idles = true;
	hc_stop_note(m, &stop);
	/* If the STOP has taken effect, the next process must wait for END. (In a plan without a
	 * root, it waits because of .gives.)
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
	/* Without a root, the STOP can be soft only if this member has sent no data of operation
	 * @nr: other members do not drop data that they have received.
	 */
	bool waits = hc_has_root(m) || nr == m->next;
	/* The other members of a guarded plan go on without this process, unless only this process
	 * contributes (the source of a broadcast).
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
	/* No process can receive the results, so do not work on these operations. */
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

/* Return: true if a member can be working on operation @nr: no member is ahead of another one by
 * more than this range.
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
		/* This END is for an operation before the last ring repair, in which this member
		 * has handled its failure.
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

/* ------------------------------------------------------------ the plan is removed */

/* Copy the last failure of this member to the node's member in the plan that replaces this one,
 * which has had no failure yet. Contributions that a process sends to the new plan wait until the
 * failures of this plan have been reported (hc_fabric.retiring), so they are refused if the process
 * has not read these failures.
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
	u64 failed, failure;

	hc_member_forget(m);
	if (m->guard && hc_guard_pass(m))
		return;
	failed = m->user.failure.sock;
	failure = m->user.failure.nr;
	if (m->guard && hc_guard_end(m, &status))
		root = NULL;
	hc_end_none(&m->gen.last);
	m->gen.last.status = -status;
	m->gen.last.nr = m->head;
	hc_ends_all(m, root);
	hc_host_waiting_refuse(m, status);
	failure_inherit(m);
	if (m->guard && m->user.failure.sock == failed && m->user.failure.nr == failure)
		hc_guard_left_out(m);
	hc_member_free(m);
}
