// SPDX-License-Identifier: GPL-2.0
/*
 * Guarded plans: operations survive faults that break their plan.
 *
 * A process in user space, the guard, is notified that a plan is broken, computes a new plan and
 * installs it as the plan's next epoch, under the same id. Members wait for the next epoch for at
 * most the time that the plan allows. A new epoch does not fail operations and is not a new
 * generation: the only effect for processes is a delay.
 *
 * The ledger. The need of a member is the first operation whose end its process has not received.
 * The ledger of a member has the contributions of its process from its need on, and the ends of the
 * last HC_GUARD_RESULTS operations; an end is a result or a failure. Contributions in the ledger
 * refer to the pages of the frames that were sent, and are charged to the same socket, up to two
 * thirds of its send buffer; results are charged to the fabric.
 *
 * A process may contribute to at most HC_GUARD_WINDOW operations from its need on. So if a member
 * has the result of operation j, the processes of all members have received the ends up to j -
 * HC_GUARD_WINDOW, because they have contributed to j. Hence members need not announce which
 * results may be dropped. An END needs no contributions, but a member receives it only after the
 * member above has entered the next generation. So along a chain of members, each is behind the one
 * above it by one END at most, and an end that a member lacks is in the ledger of the member above
 * it.
 *
 * A new epoch begins with operations of the members themselves, to which their processes do not
 * contribute. These are allreduces over the new tree:
 *
 *   MEET	the least and the greatest need of all members, low and high;
 *   SAY	for each number from low to high - 1: members that have the end of that operation
 *		contribute it, all others contribute zeros, and the combination is an OR.  So these
 *		results are distributed again and not computed again, since contributions of
 *		members that have gone would be missing;
 *   FEED	from high on contributions are submitted again, as if the processes had sent them
 *		now.
 *
 * A fault that breaks the new epoch during these operations is handled likewise: members wait for
 * the epoch after it. A ledger is valid at any time, since it changes only when the process has
 * received the end of an operation. No other control messages are needed for a change of the epoch;
 * frames of older epochs are dropped because of their tag.
 *
 * On one machine epochs follow each other without a gap, under hc_fabric.lock: the ledger of a
 * member passes to the node's member in the next epoch. If the node is not a member there, its
 * processes get EHOSTDOWN. In a fabric that spans machines, an epoch is published on all machines
 * before a member of any machine opens it (trunk/commit.h). A machine that does not have the plan
 * that the epoch continues (hc_plan.from) was cut off meanwhile: all its members count as not
 * having been members in the previous epoch (hc_plan.joins). If the node becomes a member again
 * later, its member is fresh: its need is not counted, it receives the results that are
 * distributed again, and its process takes part from high on. If the epoch breaks before that, the
 * node drops what it has received, because other members may compute these results again.
 *
 * If a process leaves, the plan breaks when other members wait for its data (coll/end_root.c). Its
 * node is then treated like one that has failed, unless another process serves the member when the
 * next epoch is installed. A process that has not contributed leaves in the same way, with one
 * exception: while no process of a node has contributed that has been a member from the first epoch
 * on, other members wait, because a program may start late (hc_guard.idle). A node that becomes a
 * member again and has no process is treated like one whose process has left.
 *
 * A process gets a result only when its member has received all of it, since the result may have to
 * be computed again before that. The ledger does not store a contribution that takes more than half
 * of the send buffer, nor a result longer than HC_GUARD_RESULT_MAX, which the process gets as it
 * arrives. In the next epoch, an operation whose contribution or result is needed and not stored
 * fails, in the order of the numbers, with the cause that has broken the plan. If each process gets
 * only a part of a result, all members store the whole result; but that of a scatter, which is the
 * contribution of the root, is stored only by the root. Parts and blocks belong to the members at
 * the time of the operation. When the members change, results are distributed unchanged
 * (coll/guard_sets.c has the members of each), and contributions are cut for the present members
 * (coll/guard_cut.c).
 */
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "coll/coll.h"
#include "coll/guard_impl.h"
#include "coll/submit.h"
#include "coll/process.h"
#include "fabric/frame.h"

bool hc_guard_holds(const struct hc_member *m)
{
	const struct hc_guard *g = READ_ONCE(m->guard);
	u8 phase = g ? READ_ONCE(g->phase) : HC_GUARD_RUN;

	return phase != HC_GUARD_RUN && phase != HC_GUARD_OVER;
}

/* ------------------------------------------------------------ config */

int hc_guard_create(struct hc_member *m)
{
	int err = hc_plan_charge(m->plan, sizeof(*m->guard));
	struct hc_guard *g;
	unsigned int i;

	if (err)
		return err;
	g = kvzalloc(sizeof(*g), GFP_KERNEL_ACCOUNT);
	if (!g)
		return -ENOMEM;
	for (i = 0; i < HC_GUARD_WINDOW; i++)
		hc_refs_init(&g->give[i].refs);
	for (i = 0; i < HC_GUARD_RESULTS; i++)
		hc_refs_init(&g->had[i].refs);
	__skb_queue_head_init(&g->now);
	g->fabric = m->node->fabric;
	g->phase = HC_GUARD_NEW;
	g->fresh = true;
	m->guard = g;
	return 0;
}

void hc_guard_free(struct hc_member *m)
{
	struct hc_guard *g = m->guard;
	unsigned int i;

	if (!g)
		return;
	for (i = 0; i < HC_GUARD_WINDOW; i++)
		hc_given_drop(g, &g->give[i]);
	for (i = 0; i < HC_GUARD_RESULTS; i++)
		hc_had_drop(g, &g->had[i]);
	__skb_queue_purge(&g->now);
	/* System calls may read the phase without a lock, so free the ledger after a grace period.
	 */
	kvfree_rcu(g, rcu);
}

/* Return: the plan that has replaced the member's, or NULL: there is none. */
static struct hc_plan *plan_after(const struct hc_member *m)
{
	struct hc_plan *plan = xa_load(&m->node->fabric->plans, m->plan->id);

	return plan != m->plan ? plan : NULL;
}

/* Has the plan continued, but without this member? */
static bool is_left_out(const struct hc_member *m)
{
	const struct hc_plan *plan = plan_after(m);

	return plan && (plan->joins || hc_guard_continues(plan, m->plan));
}

/* Move the state of the process from another member, which is not used any more, to @to. */
static void user_take(struct hc_user *to, struct hc_user *from)
{
	to->sock = from->sock;
	to->group = from->group;
	to->engaged = from->engaged;
	to->resets = from->resets;
	to->missed = from->missed;
	to->leaves |= from->leaves || from->left || from->idles;
	to->absent = from->absent;
	to->failure = from->failure;
	skb_queue_splice_init(&from->waiting, &to->waiting);
}

static void ops_drop(struct hc_member *m);

/* If the node was left out of an epoch and still has the process that took part before, refuse the
 * next contribution of the process, since the other members have gone on without it.
 */
static void left_out_take(struct hc_member *m)
{
	const struct hc_end end = hc_cause(EHOSTDOWN, m->node->id);
	u64 *group = &m->plan->left_out[m->node->id];

	if (!*group)
		return;
	m->user.group = *group;
	hc_end_miss(m, &end, HYPERCUBE_OP_NONE);
	*group = 0;
}

/* Take over the ledger of the member of the previous epoch, whose plan is gone. */
static void before_take(struct hc_member *m)
{
	struct hc_member *before = m->before;
	struct hc_guard *g;
	u64 nr;

	left_out_take(m);
	if (!before)
		return;
	m->before = NULL;
	user_take(&m->user, &before->user);
	/* Do not take over the ledger of a member that is still fresh: it does not have all
	 * results, and other members may compute these results again.
	 */
	if (!before->guard->fresh) {
		g = before->guard;
		before->guard = m->guard;
		WRITE_ONCE(m->guard, g);
		for (nr = g->need; nr < g->next; nr++)
			hc_given(g, nr)->restarts++;
	}
	hc_member_free(before);
}

bool hc_guard_pass(struct hc_member *m)
{
	const struct hc_plan *plan = plan_after(m);
	struct hc_member *successor = plan ? plan->member[m->node->id] : NULL;

	before_take(m);
	if (!successor || !hc_guard_continues(plan, m->plan))
		return false;
	/* The plan was replaced although it was not broken. */
	if (m->guard->phase == HC_GUARD_RUN) {
		m->guard->cause = hc_cause(ESTALE, HC_CAUSE_NONE);
		hc_guard_phase_set(m->guard, HC_GUARD_WAIT);
	}
	ops_drop(m);
	successor->before = m;
	return true;
}

bool hc_guard_end(struct hc_member *m, int *status)
{
	struct hc_end end = { .node = HC_CAUSE_NONE, .dim = HC_CAUSE_NONE };
	bool receives = hc_member_receives(m), left_out = is_left_out(m);

	if (left_out)
		*status = -EHOSTDOWN;
	end.status = -*status;
	/* If operations run, the caller ends them, and so all contributions in the ledger, each of
	 * which belongs to an operation.
	 */
	if (!hc_guard_holds(m) && !(left_out && receives))
		return false;
	ops_drop(m);
	hc_given_end(m, m->guard->need, &end);
	if (receives)
		hc_receiver_notify(m, m->guard->need, &end, NULL);
	return receives;
}

void hc_guard_left_out(struct hc_member *m)
{
	struct hc_plan *plan = is_left_out(m) ? plan_after(m) : NULL;

	if (!plan || !m->plan->ops->all_contribute)
		return;
	/* The process may have bound its socket and contributed nothing yet. */
	hc_process_serving(m, &m->user.group);
	plan->left_out[m->node->id] = m->user.group;
}

/* ------------------------------------------------------------ generations */

/* If the process, which only receives, has received the beginning of message @op, fail the message:
 * if the message were sent again, the process would get the beginning twice. The message fails with
 * the same cause at all members that have not received all of it.
 */
static void stream_end(struct hc_member *m, const struct hc_op *op)
{
	const struct hc_end end = hc_cause(ENOLINK, HC_CAUSE_NONE);
	struct hc_guard *g = m->guard;

	if (!g->streams || !op->begun || op->agrees)
		return;
	g->streams = false;
	hc_receiver_notify(m, g->need, &end, &op->rec);
	hc_had_begin(g, g->need)->end = end;
	hc_need_move(g, g->need + 1);
}

/* Drop an operation. Its process is notified only if this member knows that the operation is
 * complete.
 */
static void op_drop(struct hc_member *m, struct hc_op *op)
{
	stream_end(m, op);
	if (op->begun && !op->agrees && op->notify_own && !hc_all_notified(op->coll) &&
	    hc_user_nr(m, op->nr) < m->guard->need) {
		hc_op_complete(m, op, 0, 0, 0);
		return;
	}
	m->ops[op->nr % HC_OP_WINDOW] = NULL;
	m->dropped++;
	hc_op_free(op);
}

static void fallen_drop(struct hc_member *m)
{
	struct hc_op *op, *next;

	list_for_each_entry_safe(op, next, &m->gen.fallen, fallen) {
		stream_end(m, op);
		m->dropped++;
		hc_op_free(op);
	}
	INIT_LIST_HEAD(&m->gen.fallen);
}

static void ops_drop(struct hc_member *m)
{
	struct hc_op *op;
	u64 at = 0;

	while ((op = hc_op_next(m, at, HC_NR_NONE))) {
		at = op->nr + 1;
		op_drop(m, op);
	}
	fallen_drop(m);
	__skb_queue_purge(&m->guard->now);
	m->user.cur_open = false;
}

/* Begin to wait for the next epoch. */
static void epoch_wait(struct hc_member *m)
{
	struct hc_guard *g = m->guard;

	g->cause = m->gen.last;
	g->cause.flags = 0;
	g->since = jiffies;
	hc_guard_phase_set(g, HC_GUARD_WAIT);
}

bool hc_guard_quiet(struct hc_member *m)
{
	struct hc_guard *g = m->guard;

	if (m->gen.last.flags & HC_STOP_F_OVER) {
		m->user.leaves |= m->user.left || m->user.idles;
		ops_drop(m);
		if (g->phase != HC_GUARD_NEW)
			epoch_wait(m);
		return true;
	}
	if (g->phase != HC_GUARD_NEW && g->phase != HC_GUARD_MEET && g->phase != HC_GUARD_SAY)
		return false;
	/* A member had no memory for the agreement; by this END all members know it, and try again.
	 */
	fallen_drop(m);
	__skb_queue_purge(&g->now);
	if (g->phase != HC_GUARD_NEW)
		hc_guard_phase_set(g, HC_GUARD_MEET);
	g->later = true;
	return true;
}

bool hc_guard_moved(struct hc_member *m, struct hc_failed_nrs *nrs)
{
	u64 nr = hc_user_nr(m, m->gen.last.nr);
	struct hc_guard *g = m->guard;
	bool notified;

	/* If the leave has caused this END, or another process serves the member, nothing more has
	 * to be done for the leave (see hc_end_enter()).
	 */
	if (hc_end_of_leaver(m) || hc_process_serves(m))
		m->user.leaves = false;
	__skb_queue_purge(&g->now);
	g->streams = false;
	/* The processes have been notified of the failure of their contributions below .fed. */
	notified = hc_given_fail(m, nr, max(nr, g->fed), &m->gen.last, nrs);
	for (; g->need < g->next; g->need++)
		hc_given_drop(g, hc_given(g, g->need));
	hc_had_begin(g, nr)->end = m->gen.last;
	g->need = nr + 1;
	g->next = nr + 1;
	g->fed = nr + 1;
	return notified;
}

/* ------------------------------------------------------------ a new epoch */

static void waiting_check(struct hc_member *m)
{
	struct sk_buff *skb, *next;

	skb_queue_walk_safe(&m->user.waiting, skb, next)
		if (!hc_process_there(m, hc_host_cb(skb)->rec.sock)) {
			__skb_unlink(skb, &m->user.waiting);
			hc_drop(m->node, NULL, skb, HYPERCUBE_A_DROP_ENDED);
		}
	/* If the socket was closed, and the close was handled before this member took over the
	 * ledger, record the leave here.
	 */
	if (m->user.sock && !hc_process_there(m, m->user.sock)) {
		m->user.leaves = true;
		m->user.engaged = false;
		m->user.resets = false;
		m->user.sock = 0;
	}
	/* Treat a fresh member like one whose process has left; otherwise the other members would
	 * wait for its process.
	 */
	m->user.leaves |= m->guard->fresh;
	/* If a process serves the member, clear the leave: this process contributes to the next
	 * operation.
	 */
	m->user.leaves &= !hc_process_serves(m);
}

/* ------------------------------------------------------------ after the agreement */

/* Submit a frame of the contribution to operation @nr again; consumes @part. Return: false if the
 * operation fails or has failed; then all operations after it fail, too.
 */
static bool part_again(struct hc_member *m, u64 nr, struct sk_buff *part)
{
	u32 gen = m->gen.count;

	if (!hc_host_again(m, part) || m->gen.count != gen)
		return false;
	m->guard->fed = max(m->guard->fed, nr + 1);
	return true;
}

static bool part_lacks(struct hc_member *m, bool first)
{
	hc_fail_go_on(m, m->next - !first, hc_cause(ENOMEM, m->node->id));
	return false;
}

/* Submit a contribution again, cut for the present members. Return: as part_again(). */
static bool given_cut(struct hc_member *m, u64 nr, const struct hc_given *k)
{
	struct sk_buff *part;
	struct hc_cut c;
	bool last;
	int err;

	/* Only a complete contribution can be cut. */
	if (!k->whole)
		return false;
	err = hc_cut_begin(m, k, &c);
	if (err) {
		hc_fail_go_on(m, m->next, hc_cause(-err, HC_CAUSE_NONE));
		return false;
	}
	/* When the last frame has been submitted, the operation may have ended, which frees all
	 * stored frames.
	 */
	do {
		bool first = !c.at;

		part = hc_cut_next(m, &c);
		last = c.at == c.total;
		if (!part)
			return part_lacks(m, first);
		if (!part_again(m, nr, part))
			return false;
	} while (!last);
	return true;
}

/* Submit a contribution again as it is stored. Return: as part_again(). */
static bool given_as_kept(struct hc_member *m, u64 nr, const struct hc_given *k)
{
	u32 i, n = k->refs.n;
	struct sk_buff *part;
	u64 at = 0;

	/* When the last frame is submitted, the operation may end at once, and the contribution be
	 * dropped.
	 */
	for (i = 0; i < n; i++) {
		u32 len = k->refs.at[i].len;

		part = hc_ref_frame(m->node, k->refs.at[i]);
		if (!part)
			return part_lacks(m, !i);
		hc_given_frame(k, part, at, k->whole && i + 1 == n);
		if (!part_again(m, nr, part))
			return false;
		at += len;
	}
	return true;
}

/* Return: true if the contribution will stay incomplete, because its socket was closed, and cannot
 * be submitted as it is. (If it can be submitted, it begins an operation, which then fails.)
 */
static bool is_forsaken(const struct hc_member *m, const struct hc_given *k)
{
	return !k->whole && !hc_given_fits(m, k) && !hc_process_there(m, k->rec.sock);
}

/* Submit a contribution again, or end it. Return: as part_again(). */
static bool given_again(struct hc_member *m, u64 nr)
{
	struct hc_given *k = hc_given(m->guard, nr);
	struct hc_end end;

	if (!hc_given_may(m, k, &end)) {
		hc_fail_go_on(m, m->next, end);
		return false;
	}
	if (is_forsaken(m, k)) {
		/* Drop this contribution, which is the last one in the ledger. */
		hc_given_drop(m->guard, k);
		m->guard->next = nr;
		return true;
	}
	return hc_given_fits(m, k) ? given_as_kept(m, nr, k) : given_cut(m, nr, k);
}

/* Fail the messages that this node has contributed as the source of a broadcast whose plan has
 * another source now. Operations that no receiver has completely are treated as if they had not
 * begun.
 */
static void given_void(struct hc_member *m)
{
	const struct hc_end end = hc_cause(ESTALE, HC_CAUSE_NONE);

	hc_given_end(m, m->guard->fed, &end);
	m->guard->next = m->guard->fed;
}

static void feed(struct hc_member *m)
{
	struct hc_guard *g = m->guard;

	if (hc_member_receives(m))
		given_void(m);
	while (g->fed < g->next && m->next < m->gen.gives && !m->gen.broken)
		if (!given_again(m, g->fed))
			return;
	if (g->fed < g->next || m->gen.broken)
		return;
	hc_guard_phase_set(g, HC_GUARD_RUN);
	m->user.halved = m->user.cur_open && !m->user.sock;
	hc_host_resume(m);
	hc_view_idle(m);
	hc_host_hold(m);
	hc_node_kick(m->node, HC_EV_HOST);
}

/* Fail all contributions, because the next epoch was not installed in time. */
static void give_up(struct hc_member *m)
{
	struct hc_guard *g = m->guard;

	hc_guard_phase_set(g, HC_GUARD_OVER);
	if (hc_guard_hears(m) && g->need == g->next)
		hc_guard_miss(m, g->need, &g->cause);
	m->user.engaged = false;
	hc_given_end(m, g->need, &g->cause);
	g->next = g->need;
	g->fed = g->need;
	/* If a next epoch is installed after this, these operations end with the same cause at all
	 * members (struct meet, .over).
	 */
	g->gave_up = true;
	hc_view_idle(m);
	hc_host_hold(m);
	hc_node_kick(m->node, HC_EV_HOST);
}

void hc_guard_opened(struct hc_member *m)
{
	struct hc_guard *g;

	WRITE_ONCE(m->opened, false);
	before_take(m);
	g = m->guard;
	hc_guard_phase_set(g, HC_GUARD_MEET);
	g->since = jiffies;
	waiting_check(m);
	/* The poll may have retried waiting contributions after the plan was published and before
	 * this member took over the frames in .waiting, so make it retry them. The rest of a
	 * contribution in the ledger may be among these frames.
	 */
	if (!skb_queue_empty(&m->user.waiting)) {
		hc_host_hold(m);
		hc_node_kick(m->node, HC_EV_HOST);
	}
	/* A fault may have broken the new epoch by now. */
	if (m->gen.broken) {
		epoch_wait(m);
		return;
	}
	hc_step_begin(m);
}

static bool waited(const struct hc_member *m)
{
	return time_after(jiffies, m->guard->since + msecs_to_jiffies(m->plan->guard));
}

void hc_guard_tend(struct hc_member *m, bool late)
{
	const struct hc_end timeout = hc_cause(ETIMEDOUT, m->node->id);
	struct hc_guard *g;

	hc_guard_begin(m);
	g = m->guard;
	switch (g->phase) {
	case HC_GUARD_WAIT:
		if (late && waited(m))
			give_up(m);
		break;
	case HC_GUARD_MEET:
	case HC_GUARD_SAY:
		if (late && waited(m)) {
			hc_member_cut(m, &timeout);
			break;
		}
		if (!g->begun && (!g->later || late)) {
			g->later = false;
			hc_step_begin(m);
		}
		break;
	case HC_GUARD_FEED:
		feed(m);
		break;
	}
}
