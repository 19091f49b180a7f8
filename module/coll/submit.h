/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contributions of the node's sockets, which the poll takes from the host port (sock/hostq.c):
 * submit.c.
 */
#ifndef _HC_SUBMIT_H
#define _HC_SUBMIT_H

#include <linux/skbuff.h>

struct hc_node;

/**
 * struct hc_host - contributions of a node's sockets that cannot begin yet; only the node's poll
 *	accesses it
 * @parked: contributions to plans whose previous installation, which was removed or replaced, has
 *	not ended its operations yet
 * @plan: id of the plan to which all contributions in @parked belong; 0 if they belong to several
 *	plans
 * @held: true if contributions may wait in a member (hc_user.waiting)
 * @held_plan: id of the plan of that member; 0 if there may be members of several plans; valid if
 *	@held
 */
struct hc_host {
	struct sk_buff_head parked;
	u32 plan;
	bool held;
	u32 held_plan;
};

/**
 * hc_host_init() - initialize the state of a host port
 * @h: the state
 */
void hc_host_init(struct hc_host *h);

/**
 * hc_host_purge() - drop the parked contributions of a node
 * @node: the node, whose poll does not run any more
 */
void hc_host_purge(struct hc_node *node);

/* Return: true if there are contributions to retry. */
static inline bool hc_host_waits(const struct hc_host *h)
{
	return h->held || !skb_queue_empty(&h->parked);
}

/* Return: true if contributions are parked. Context: any; this is a snapshot. */
static inline bool hc_host_parks(const struct hc_host *h)
{
	return !skb_queue_empty_lockless(&h->parked);
}

/**
 * hc_coll_host_rx() - handle a frame from a socket of the node
 * @node: the node
 * @skb: a frame of a contribution, or the frame that announces that a socket does not serve plans
 *	any more
 * @budget: the poll's budget
 *
 * Context: poll.
 * Return: true if @skb was consumed. False if it concerns many plans and the budget is used up;
 * then the caller must call this function with the same frame again.
 */
bool hc_coll_host_rx(struct hc_node *node, struct sk_buff *skb, int budget);

/**
 * hc_coll_host_retry() - take contributions that have waited and can begin now
 * @node: the node
 * @budget: maximum number of contributions to take
 * @plan_id: set to the id of a plan for which contributions still wait
 *
 * Context: poll.
 * Return: the number of contributions that were taken. If hc_host_waits() is true after that,
 * others still wait.
 */
int hc_coll_host_retry(struct hc_node *node, int budget, u32 *plan_id);

#endif /* _HC_SUBMIT_H */
