/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The host port, by which contributions of sockets reach the poll: submit.c.
 */
#ifndef _HC_SUBMIT_H
#define _HC_SUBMIT_H

#include <linux/skbuff.h>

struct hc_node;

/**
 * struct hc_host - contributions of a node's sockets that cannot begin yet [poll]
 * @parked: contributions that wait until a plan that was removed or replaced has ended its
 *	operations
 * @plan: id of the plan to which all of @parked are sent; 0: to several plans
 * @held: contributions may wait in a member (hc_user.waiting)
 * @held_plan: id of the plan of that member; 0: of several plans; valid if @held
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

/* Are there contributions to retry? */
static inline bool hc_host_waits(const struct hc_host *h)
{
	return h->held || !skb_queue_empty(&h->parked);
}

/* Are contributions parked? Context: any; the answer is a snapshot. */
static inline bool hc_host_parks(const struct hc_host *h)
{
	return !skb_queue_empty_lockless(&h->parked);
}

/**
 * hc_coll_host_rx() - handle a frame from a socket of the node
 * @node: the node
 * @skb: a part of a contribution, or the announcement that a socket leaves
 * @budget: the poll's budget
 *
 * Context: poll.
 * Return: true if @skb was consumed; false if it concerns many plans and the budget is used up:
 * call again with the same frame.
 */
bool hc_coll_host_rx(struct hc_node *node, struct sk_buff *skb, int budget);

/**
 * hc_coll_host_retry() - take waiting contributions that can begin now
 * @node: the node
 * @budget: how many to take at most
 * @plan_id: set to the id of a plan to which contributions still wait
 *
 * Context: poll.
 * Return: how many were taken. hc_host_waits() tells whether others still wait.
 */
int hc_coll_host_retry(struct hc_node *node, int budget, u32 *plan_id);

#endif /* _HC_SUBMIT_H */
