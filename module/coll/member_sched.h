/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lists of a node's members that wait or have work to do: member_sched.c.
 */
#ifndef _HC_MEMBER_SCHED_H
#define _HC_MEMBER_SCHED_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "fabric/node.h"

/**
 * struct hc_work - members of a node that wait or have work to do (coll/member_sched.c)
 * @lock: protects the lists
 * @waiting: members that wait; a poll looks at them once a second
 * @readers: members that wait for room in a process's receive buffer
 * @ready: members whose work can go on
 * @late: members that the stall check must examine
 * @repairing: number of members whose ring repair must be notified of link-state updates
 * @fault_plan: the plans with ids below this have been handled for the failed links in
 *	hc_failing.now; only the node's poll accesses it
 */
struct hc_work {
	spinlock_t lock;
	struct list_head waiting;
	struct list_head readers;
	struct list_head ready;
	struct list_head late;
	atomic_t repairing;
	unsigned long fault_plan;
};

/* Number of plans whose examination counts as one frame in the poll's budget. */
#define HC_PLANS_OF_A_FRAME	8

/**
 * hc_work_init() - initialize the lists of a node
 * @w: the lists
 */
void hc_work_init(struct hc_work *w);

/**
 * hc_work_waits() - check whether members of a node wait
 * @node: the node
 *
 * Context: any; a snapshot.
 * Return: true if at least one waits.
 */
bool hc_work_waits(const struct hc_node *node);

/* Return: true if hc_coll_work() has work to do: the work of members can go on, or plans must be
 * examined after a link has failed. Context: any; a snapshot.
 */
static inline bool hc_work_ready(const struct hc_node *node)
{
	const struct hc_work *w = node->work;

	return !list_empty_careful(&w->ready) || !list_empty_careful(&w->late) ||
	       !hc_faults_over(node);
}

/**
 * hc_coll_event() - move waiting members of a node to .ready (READER) or to .late (STALL)
 * @node: the node
 * @events: bits HC_EV_READER, HC_EV_STALL
 *
 * Context: poll.
 */
void hc_coll_event(struct hc_node *node, unsigned long events);

/**
 * hc_coll_work() - advance the members of a node that have work
 * @node: the node
 * @budget: the poll's budget
 *
 * Context: poll.
 * Return: the part of the budget that was used.
 */
int hc_coll_work(struct hc_node *node, int budget);

/**
 * hc_coll_links_known() - schedule ring repairs after this node has received a new FAULT word of
 *	another node
 * @node: the node
 *
 * Context: poll.
 */
void hc_coll_links_known(struct hc_node *node);

#endif /* _HC_MEMBER_SCHED_H */
