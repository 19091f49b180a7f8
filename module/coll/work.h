/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Members of a node that have something to do, as its poll sees them: work.c.
 */
#ifndef _HC_WORK_H
#define _HC_WORK_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct hc_node;

/**
 * struct hc_work - members of a node that wait or have something to do (coll/work.c)
 * @lock: of the lists
 * @waiting: they wait; looked at once a second
 * @readers: they wait for room at the process
 * @ready: they can go on
 * @late: they are looked at for what does not move
 * @mending: members whose plan is being mended
 */
struct hc_work {
	spinlock_t lock;
	struct list_head waiting;
	struct list_head readers;
	struct list_head ready;
	struct list_head late;
	atomic_t mending;
};

/**
 * struct hc_failing - links of a node that have failed [poll]
 * @links: those for which no plan has been looked at
 * @now: those for which plans are being looked at
 * @plan: ids below this have been
 */
struct hc_failing {
	u32 links;
	u32 now;
	unsigned long plan;
};

/* Plans that are looked at in the time that a frame takes. */
#define HC_PLANS_OF_A_FRAME	8

void hc_work_init(struct hc_work *w);
/* Has the node members that wait?  A snapshot. */
bool hc_work_waits(const struct hc_node *node);
/* Has it members that can go on, or plans to look at for a link that has failed? */
bool hc_work_ready(const struct hc_node *node);
/* HC_EV_PLANS, HC_EV_READER, HC_EV_STALL: see who can go on. */
void hc_coll_event(struct hc_node *node, unsigned long events);
/* Go on with them for @budget; returns how much of it was used. */
int hc_coll_work(struct hc_node *node, int budget);
/* The node knows more of the links of others than before.  Poll. */
void hc_coll_links_known(struct hc_node *node);
/* Link @dim of the node became unusable. hc_coll_work() finds which plans that has broken. */
void hc_coll_link_fault(struct hc_node *node, unsigned int dim);
/* Has it found all of them?  Any context. */
bool hc_coll_faults_over(const struct hc_node *node);

#endif /* _HC_WORK_H */
