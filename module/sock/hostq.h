/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The host port: the queue of frames from a node's sockets to its poll.
 */
#ifndef _HC_HOSTQ_H
#define _HC_HOSTQ_H

#include <linux/skbuff.h>

#include "coll/submit.h"
#include "fabric/node.h"

/**
 * struct hc_hostq - the host port of a node
 * @q: the frames; the lock of this queue protects both members
 * @held_plan: id of a plan whose queued contributions cannot begin yet, or 0. hc_hostq_xmit() of
 *	another contribution to this plan does not schedule the poll; the event after which the
 *	contributions can begin schedules it
 */
struct hc_hostq {
	struct sk_buff_head q;
	u32 held_plan;
};

/**
 * hc_hostq_init() - initialize a host port
 * @h: the host port
 */
void hc_hostq_init(struct hc_hostq *h);

/**
 * hc_hostq_xmit() - queue a frame from a socket and schedule the node's poll
 * @node: the node
 * @skb: the frame; consumed
 *
 * Context: a system call on the bound socket, under RCU.
 */
void hc_hostq_xmit(struct hc_node *node, struct sk_buff *skb);

/**
 * hc_hostq_poll() - handle frames from the sockets of a node
 * @node: the node
 * @budget: the poll's budget
 *
 * Context: poll.
 * Return: how much of the budget was used.
 */
int hc_hostq_poll(struct hc_node *node, int budget);

/* Return: true if hc_hostq_poll() has nothing to do. Context: poll. */
static inline bool hc_hostq_idle(const struct hc_node *node)
{
	return skb_queue_empty_lockless(&node->hostq->q) && !node->hostq->held_plan &&
	       !hc_host_waits(node->host);
}

/**
 * hc_hostq_purge() - drop all queued frames
 * @node: the node, whose poll does not run any more
 */
void hc_hostq_purge(struct hc_node *node);

#endif /* _HC_HOSTQ_H */
