// SPDX-License-Identifier: GPL-2.0
/*
 * Guarded plans: operations survive faults that break their plan.
 *
 * A process in user space, the guard, is notified that a plan is broken, computes a new plan and
 * installs it as the plan's next epoch, under the same id. Members wait for the next epoch as long
 * as the plan allows. A new epoch fails no operation and is no new generation: processes only
 * notice that time has passed.
 *
 * What is kept. The first operation whose end the process of a member has not received is called
 * the member's need. Each member has a ledger: the contributions of its process from its need on,
 * and the ends of the last HC_GUARD_RESULTS operations, each a result or a failure. Contributions
 * share the pages of the frames that were sent, and are charged to the same socket, up to two
 * thirds of its send buffer; results are charged to the fabric.
 *
 * A process may be at most HC_GUARD_WINDOW contributions beyond its need. So a member that has the
 * result of operation j knows that the processes of all other members have received the ends up to
 * j - HC_GUARD_WINDOW, because they have contributed to j. Hence no message has to announce which
 * results may be dropped. An END needs no contributions, but a member receives it only when the
 * member above has entered the next generation. So a chain of members is behind by at most its
 * length, and an end that one of them lacks is in the ledger of the member above it.
 *
 * A new epoch begins with operations of its members, not of their processes. They are allreduces
 * over the new tree:
 *
 *   MEET	the least and the greatest need of all members, low and high;
 *   SAY	for each number from low to high: members that have the end of that operation
 *		contribute it, all others contribute zeros, and the combination is an OR.  So these
 *		results are distributed again and not computed again, since contributions of
 *		members that have gone would be missing;
 *   FEED	from high on contributions are submitted again, as if the processes had sent them
 *		now.
 *
 * A fault that breaks the new epoch meanwhile is handled in the same way: members wait for the
 * epoch after that. A ledger is valid at any time, as it changes only when the process has received
 * the end of an operation. No member queries another member's state, and no frame is about epochs;
 * frames of older epochs are dropped by their tag.
 *
 * On one machine epochs follow each other without a gap, under hc_fabric.lock: the ledger of a
 * member passes to the node's member in the next epoch. If the node is not a member there, its
 * processes get EHOSTDOWN. If the node becomes a member again later, its member is fresh: its need
 * is not counted, it receives the results that are distributed again, and its process takes part
 * from high on. If the epoch breaks before that, the node drops what it has received, because other
 * members may compute these results again.
 *
 * A process that leaves breaks the plan once other members wait for its data (coll/end_root.c). Its
 * node is then treated as one that has failed, unless another process serves the member by the next
 * epoch. A node that becomes a member again without a process is treated as one whose process has
 * left.
 *
 * A process gets a result when the member has received all of it, since the result may have to be
 * computed again before that. An operation whose contribution or result is not kept fails in the
 * next epoch, in the order of the numbers, with the cause that has broken the plan. Two things are
 * not kept: a contribution that takes more than half of the send buffer, and a result longer than
 * HC_GUARD_RESULT_MAX, which the process gets as it arrives. Where each process gets a part of the
 * result, all members keep the whole result; a scatter's is kept only by the root, whose
 * contribution it is. Parts and blocks belong to the members at the time of the operation. When the
 * members change, results are distributed unchanged (coll/guard_sets.c has the members of each),
 * and contributions are cut again (coll/guard_cut.c).
 */
#include <linux/jiffies.h>
#include <linux/netlink.h>
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
	/* System calls may read the phase. */
	kvfree_rcu(g, rcu);
}

bool hc_guard_continues(const struct hc_plan *plan, const struct hc_plan *old)
{
	return plan->guard && old->guard;
}

int hc_guard_check(const struct hc_plan *plan, const struct hc_plan *old,
		   struct netlink_ext_ack *extack)
{
	if (!old || !hc_guard_continues(plan, old) ||
	    plan->ops->all_contribute == old->ops->all_contribute)
		return 0;
	NL_SET_ERR_MSG(extack,
		       "A guarded broadcast goes on as a broadcast, and no other guarded plan does");
	return -EINVAL;
}

void hc_guard_publish(struct hc_plan *plan, const struct hc_plan *old)
{
	u32 u;

	plan->guarded = plan->epoch;
	if (!plan->guard)
		return;
	hc_epochs_publish(plan);
	if (old && hc_guard_continues(plan, old)) {
		plan->guarded = old->guarded;
		return;
	}
	for (u = 0; u < plan->fabric->topo.nodes; u++)
		if (plan->member[u]) {
			plan->member[u]->guard->fresh = false;
			hc_guard_phase_set(plan->member[u]->guard, HC_GUARD_RUN);
		}
}

void hc_guard_open(struct hc_plan *plan)
{
	u32 u;

	if (plan->guarded == plan->epoch)
		return;
	for (u = 0; u < plan->fabric->topo.nodes; u++)
		if (plan->member[u]) {
			/* Pairs with hc_guard_begin(), which must see what hc_guard_pass() has
			 * written.
			 */
			smp_store_release(&plan->member[u]->opened, true);
			hc_member_check(plan->member[u]);
		}
}

/* Return: the next epoch of the plan, or NULL: there is none. */
static struct hc_plan *next_epoch(const struct hc_member *m)
{
	struct hc_plan *plan = xa_load(&m->node->fabric->plans, m->plan->id);

	return plan && plan != m->plan && plan->guard && plan->guarded == m->plan->guarded ?
	       plan : NULL;
}

/* Take over the state of the process from another member, which is not used any more. */
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

/* Take over the ledger of the member of the previous epoch, whose plan is gone. */
static void before_take(struct hc_member *m)
{
	struct hc_member *before = m->before;
	struct hc_guard *g;
	u64 nr;

	if (!before)
		return;
	m->before = NULL;
	user_take(&m->user, &before->user);
	/* A member that is still fresh has not received all results yet. Its ledger is not taken
	 * over, since other members may compute these results again.
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
	const struct hc_plan *plan = next_epoch(m);
	struct hc_member *successor = plan ? plan->member[m->node->id] : NULL;

	if (!m->guard || !successor)
		return false;
	before_take(m);
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
	bool receives = hc_member_receives(m), left_out = next_epoch(m);

	before_take(m);
	if (left_out)
		*status = -EHOSTDOWN;
	end.status = -*status;
	/* If operations run, every contribution in the ledger also has an operation, which the
	 * caller ends.
	 */
	if (!hc_guard_holds(m) && !(left_out && receives))
		return false;
	ops_drop(m);
	hc_given_end(m, m->guard->need, &end);
	if (receives)
		hc_receiver_notify(m, m->guard->need, &end, NULL);
	return receives;
}

/* ------------------------------------------------------------ generations */

/* Fail a message of which a process that only receives has received the beginning: if the message
 * were sent again, the process would get the beginning twice. The message fails with the same cause
 * at all members that have not received all of it.
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

/* Drop an operation. Its process is notified only if the operation is known to be complete. */
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

/* Wait for the next epoch. */
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
	/* A member had no memory for the agreement. The END reports that to all members: they try
	 * again.
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

	/* If the leave has caused this END, or another process serves the member, the leave needs
	 * no further handling (see hc_end_enter()).
	 */
	if (hc_end_of_leaver(m) || hc_process_serves(m))
		m->user.leaves = false;
	__skb_queue_purge(&g->now);
	g->streams = false;
	/* The processes that made the contributions below .fed have been notified. */
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
	/* The socket was closed, and its close was handled before this member took over the ledger:
	 * record the leave here.
	 */
	if (m->user.sock && !hc_process_there(m, m->user.sock)) {
		m->user.leaves = true;
		m->user.engaged = false;
		m->user.resets = false;
		m->user.sock = 0;
	}
	/* A node that is a new member, or a member again, counts as one whose process has left:
	 * otherwise other members would wait for its process.
	 */
	m->user.leaves |= m->guard->fresh;
	/* The leave is cleared if a process serves the member; that process contributes to the next
	 * operation.
	 */
	m->user.leaves &= !hc_process_serves(m);
}

/* ------------------------------------------------------------ going on */

/* Submit a frame again; consumes @part. Return: false if the operation fails or has failed; then
 * all operations after it fail, too.
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
	/* When the last frame is submitted, the operation may end at once, and all kept frames be
	 * freed.
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

/* Submit a contribution again as it is kept. Return: as part_again(). */
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

/* Will the contribution stay incomplete, because its socket is gone? A contribution that fits the
 * present plan does not count: it begins an operation, which then fails.
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
		/* This contribution is the last one in the ledger. */
		hc_given_drop(m->guard, k);
		m->guard->next = nr;
		return true;
	}
	return hc_given_fits(m, k) ? given_as_kept(m, nr, k) : given_cut(m, nr, k);
}

/* Fail the messages that this node has contributed as the source of a broadcast: the plan has
 * another source now, so operations that no receiver has completely count as never begun.
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

/* The next epoch was not installed in time: fail the contributions. */
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
	/* If the next epoch is installed later, these operations end with the same cause at all
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
	/* The plan was published before this member took over the waiting frames, so a retry by the
	 * poll in between found no frames. The rest of a kept contribution may be among them.
	 */
	if (!skb_queue_empty(&m->user.waiting)) {
		hc_host_hold(m);
		hc_node_kick(m->node, HC_EV_HOST);
	}
	/* A fault may have broken the new epoch already. */
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
