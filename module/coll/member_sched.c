// SPDX-License-Identifier: GPL-2.0
/*
 * Schedules the members of a node that have other work than handling frames that arrive for them.
 *
 * A member that waits is in one of the node's lists (struct hc_work), so that no code walks over
 * plans that need nothing. Members for which a process has made room are moved to .ready at once,
 * and members that wait are moved to .late once a second. The polls take from these two lists as
 * many members as their budget allows. A waiting member leaves its list only when a poll looks at
 * it again.
 *
 * When links of a node fail, the node examines all plans, of which there may be thousands: in each
 * poll as many as the budget allows, in the order of their ids. Links that fail meanwhile are
 * handled in the next pass. Before its plan is examined, a member may send over a link that is
 * down. That breaks the plan (hc_peer_xmit()), as it does if the poll has not been notified of the
 * failure yet.
 *
 * Outside of the node's poll, only configuration changes these lists: it sets hc_job.check, and it
 * takes members out of the lists before the grace period after which their memory is freed
 * (hc_job.gone). So code that has taken a member from a list may use it until its RCU read section
 * ends.
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

	/* If the member is in .late, it stays there: a poll looks at it in any case. */
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

/* Does the failure of a link affect a plan? It does not affect a plan that was installed later,
 * around this fault or after the link worked again.
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
			/* Order this after setting .now: a reader that loads .links first and then
			 * .now finds each failed link in one of them.
			 */
			smp_store_release(&node->failing.links, 0);
			*id = 0;
		}
		plan = xa_find(&node->fabric->plans, id, ULONG_MAX, XA_PRESENT);
		if (plan) {
			plan_faults(node, plan, node->failing.now);
			work += hc_cost(node);
		}
		/* ++ overflows after the greatest id: all plans have been examined. */
		if (!plan || !++*id)
			/* Publish that no work is left only after the work is done. */
			smp_store_release(&node->failing.now, 0);
	}
	return work;
}

/* Check a new member's links: a link, or a machine, may have failed between the check of a plan and
 * its publication.
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

/* Take the next member that has work. Members of .late, which are to be checked for a stall, are
 * taken only if the receive queue is empty: the frames for which they wait may be in that queue,
 * and then it is too early to probe.
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
		/* Let other members of the node and other queues run first. */
		if (m->job.again)
			break;
	}
	rcu_read_unlock();
	return min(work, budget);
}
