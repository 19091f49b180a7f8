// SPDX-License-Identifier: GPL-2.0
/*
 * Scheduling of the members of a node that have other work than processing received frames.
 *
 * A member that waits is in one of the node's lists (struct hc_work), so that no code has to walk
 * over all plans. When a process has made room in its receive buffer, the members that wait for it
 * are moved to .ready; once a second, members that wait are moved to .late. The polls take members
 * from these two lists, as many as their budget allows. A waiting member leaves its list only when
 * a poll takes it.
 *
 * When links of a node fail, its poll examines all plans, of which there may be thousands: in each
 * poll as many as the budget allows, in the order of their ids. Links that fail during this pass
 * over the plans are handled in the next pass. Before its plan is examined, a member may try to
 * send over a link that is down. This breaks the plan (hc_peer_xmit()), as it does if the poll has
 * not been notified of the failure yet.
 *
 * Outside of the node's poll, only configuration changes these lists: it sets hc_job.check, and it
 * takes members out of the lists before the grace period after which their memory is freed
 * (hc_job.gone). So code that has taken a member from a list may use it until the end of its RCU
 * read section.
 */
#include "coll/coll.h"
#include "coll/guard.h"
#include "coll/ring/ring_repair.h"
#include "coll/member_sched.h"
#include "fabric/link.h"

void hc_work_init(struct hc_work *w)
{
	spin_lock_init(&w->lock);
	INIT_LIST_HEAD(&w->waiting);
	INIT_LIST_HEAD(&w->readers);
	INIT_LIST_HEAD(&w->ready);
	INIT_LIST_HEAD(&w->late);
}

bool hc_work_waits(const struct hc_node *node)
{
	return !list_empty_careful(&node->work->waiting) ||
	       !list_empty_careful(&node->work->readers);
}

void hc_member_wait(struct hc_member *m)
{
	struct hc_work *w = m->node->work;

	/* If the member is in .late, it stays in this list: a poll will take it in any case. */
	if (!list_empty_careful(&m->job.list) && m->job.with_readers == m->job.blocked)
		return;
	spin_lock(&w->lock);
	if (!m->job.gone && !m->job.again) {
		m->job.with_readers = m->job.blocked;
		list_move_tail(&m->job.list, m->job.blocked ? &w->readers : &w->waiting);
	}
	spin_unlock(&w->lock);
}

static void work_again(struct hc_member *m, bool check)
{
	struct hc_work *w = m->node->work;

	spin_lock_bh(&w->lock);
	if (!m->job.gone) {
		m->job.again = true;
		m->job.check |= check;
		list_move_tail(&m->job.list, &w->ready);
	}
	spin_unlock_bh(&w->lock);
}

void hc_member_again(struct hc_member *m)
{
	work_again(m, false);
}

void hc_member_check(struct hc_member *m)
{
	work_again(m, true);
	hc_node_kick(m->node, HC_EV_PLANS);
}

void hc_member_forget(struct hc_member *m)
{
	struct hc_work *w = m->node->work;

	spin_lock_bh(&w->lock);
	m->job.gone = true;
	list_del_init(&m->job.list);
	spin_unlock_bh(&w->lock);
}

void hc_coll_event(struct hc_node *node, unsigned long events)
{
	struct hc_work *w = node->work;

	spin_lock(&w->lock);
	if (events & BIT(HC_EV_READER))
		list_splice_tail_init(&w->readers, &w->ready);
	if (events & BIT(HC_EV_STALL)) {
		list_splice_tail_init(&w->waiting, &w->late);
		list_splice_tail_init(&w->readers, &w->late);
	}
	spin_unlock(&w->lock);
}

void hc_coll_links_known(struct hc_node *node)
{
	struct hc_plan *plan;
	unsigned long id;
	u32 plans = 0;

	if (!atomic_read(&node->work->repairing))
		return;
	rcu_read_lock();
	xa_for_each(&node->fabric->plans, id, plan) {
		struct hc_member *m = plan->member[node->id];

		plans++;
		if (m && plan->repairs && hc_repair_tends(m))
			hc_member_again(m);
	}
	rcu_read_unlock();
	node->spent += plans / HC_PLANS_OF_A_FRAME;
}

/* Return: true if the last failure of the link at @port affects the plan. It does not if the plan
 * was installed after it: the plan then avoids this link, or the link was up again.
 */
static bool concerns(const struct hc_plan *plan, const struct hc_port *port)
{
	return (s32)(plan->epoch - port->failed_epoch) <= 0;
}

static void plan_faults(struct hc_node *node, struct hc_plan *plan, u32 links)
{
	unsigned int dim;

	for (dim = 0; dim < node->fabric->topo.ports; dim++)
		if (links & hc_bit(dim) && concerns(plan, &node->ports[dim]))
			hc_plan_fault(node, plan, dim);
}

static int faults_work(struct hc_node *node, int budget)
{
	unsigned long *id = &node->work->fault_plan;
	struct hc_plan *plan;
	int work = 0;

	while (work < budget && !hc_faults_over(node)) {
		if (!node->failing.now) {
			WRITE_ONCE(node->failing.now, node->failing.links);
			/* Release: .now is set before. A reader that loads .links first and then
			 * .now finds each failed link in one of the two.
			 */
			smp_store_release(&node->failing.links, 0);
			*id = 0;
		}
		plan = xa_find(&node->fabric->plans, id, ULONG_MAX, XA_PRESENT);
		if (plan) {
			plan_faults(node, plan, node->failing.now);
			work += hc_cost(node);
		}
		/* All plans have been examined if no more is found, or if the increment has
		 * overflowed.
		 */
		if (!plan || !++*id)
			/* Release: clear .now only after all that was to be done has been done. */
			smp_store_release(&node->failing.now, 0);
	}
	return work;
}

/* Check the links of a new member: a link, or another machine, may have failed after the plan was
 * verified and before it was published.
 */
static void member_recheck(struct hc_member *m)
{
	unsigned int dim;

	if (READ_ONCE(m->plan->lost) != HC_CAUSE_NONE)
		hc_plan_lost(m);
	for (dim = 0; dim < m->node->fabric->topo.ports; dim++)
		if (!hc_link_usable(m->node, dim))
			hc_plan_fault(m->node, m->plan, dim);
}

/* Take the next member that has work. Members of .late, for which the stall check must run, are
 * taken only if the receive queue of the node is empty: if the frames for which they wait are in
 * that queue, no PROBE must be sent.
 */
static struct hc_member *work_take(struct hc_node *node, bool *late, bool *check)
{
	struct hc_work *w = node->work;
	struct hc_member *m;

	spin_lock(&w->lock);
	m = list_first_entry_or_null(&w->ready, struct hc_member, job.list);
	*late = !m && skb_queue_empty_lockless(&node->rxq.list);
	if (*late)
		m = list_first_entry_or_null(&w->late, struct hc_member, job.list);
	if (m) {
		list_del_init(&m->job.list);
		*check = m->job.check;
		m->job.check = false;
		m->job.again = false;
	}
	spin_unlock(&w->lock);
	return m;
}

int hc_coll_work(struct hc_node *node, int budget)
{
	struct hc_member *m;
	bool late, check;
	int work;

	rcu_read_lock();
	work = faults_work(node, budget);
	while (work < budget && (m = work_take(node, &late, &check))) {
		m->job.blocked = false;
		if (check)
			member_recheck(m);
		if (late)
			hc_stall_check(m);
		if (m->plan->repairs)
			hc_repair_tend(m, late);
		if (m->guard)
			hc_guard_tend(m, late);
		hc_advance(m);
		hc_results_advance(m);
		hc_end_go_on(m);
		if (hc_member_pending(m))
			hc_member_wait(m);
		work += hc_cost(node);
		/* If this member has more work, let other members and queues of the node run first.
		 */
		if (m->job.again)
			break;
	}
	rcu_read_unlock();
	return min(work, budget);
}
