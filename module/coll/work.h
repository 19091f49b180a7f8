/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lists of a node's members that wait or have work to do: work.c.
 */
#ifndef _HC_WORK_H
#define _HC_WORK_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "fabric/node.h"

/**
 * struct hc_work - members of a node that wait or have something to do (coll/work.c)
 * @lock: protects the lists
 * @waiting: members that wait; looked at once a second
 * @readers: members that wait for room in a process's receive buffer
 * @ready: members that can go on
 * @late: members that the stall check is to look at
 * @repairing: number of members whose ring repair is under way
 * @fault_plan: plans with ids below this have been handled for the failed links in
 *	hc_failing.now [poll]
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

/* Plans that are looked at in the time that a frame takes; for the budget. */
#define HC_PLANS_OF_A_FRAME	8

/**
 * hc_work_init() - initialize the lists of a node
 * @w: the lists
 */
void hc_work_init(struct hc_work *w);

/**
 * hc_work_waits() - tell whether members of a node wait
 * @node: the node
 *
 * Context: any; a snapshot.
 * Return: true if so.
 */
bool hc_work_waits(const struct hc_node *node);

/* Return: true if hc_coll_work() has work to do: members can go on, or plans are to be looked at
 * for a link that has failed. Any context; a snapshot.
 */
static inline bool hc_work_ready(const struct hc_node *node)
{
	const struct hc_work *w = node->work;

	return !list_empty_careful(&w->ready) || !list_empty_careful(&w->late) ||
	       !hc_faults_over(node);
}

/**
 * hc_coll_event() - move members of a node to the lists of those that are looked at next
 * @node: the node
 * @events: bits HC_EV_READER, HC_EV_STALL
 *
 * Context: poll.
 */
void hc_coll_event(struct hc_node *node, unsigned long events);

/**
 * hc_coll_work() - go on with the members of a node that can go on
 * @node: the node
 * @budget: the poll's budget
 *
 * Context: poll.
 * Return: how much of the budget was used.
 */
int hc_coll_work(struct hc_node *node, int budget);

/**
 * hc_coll_links_known() - the node has learnt FAULT words of other nodes
 * @node: the node. Ring repairs that wait for such news go on
 *
 * Context: poll.
 */
void hc_coll_links_known(struct hc_node *node);

#endif /* _HC_WORK_H */
