/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The host port: frames on their way from a node's sockets to its poll.
 */
#ifndef _HC_HOSTQ_H
#define _HC_HOSTQ_H

#include <linux/skbuff.h>

struct hc_node;

/**
 * struct hc_hostq - frames from the node's sockets
 * @q: the frames, and the lock
 * @held_plan: contributions for this plan need no poll, they would have to wait: what
 *	brings them room brings a poll; 0: none; under the lock
 */
struct hc_hostq {
	struct sk_buff_head q;
	u32 held_plan;
};

void hc_hostq_init(struct hc_hostq *h);
/* Queue a frame from the bound socket and let the node's poll run.
 * Caller: socket, under RCU.
 */
void hc_hostq_xmit(struct hc_node *node, struct sk_buff *skb);
/* Take what the sockets have sent, for @budget; how much of it that took.  Poll. */
int hc_hostq_poll(struct hc_node *node, int budget);
/* No poll runs any more: drop what is left. */
void hc_hostq_purge(struct hc_node *node);

#endif /* _HC_HOSTQ_H */
