/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames arrive at a node: for carriers.
 */
#ifndef _HC_ARRIVE_H
#define _HC_ARRIVE_H

#include "fabric/eth.h"
#include "fabric/fabric.h"
#include "fabric/frame.h"
#include "fabric/node.h"
#include "fabric/queue.h"
#include "fabric/skb.h"

/* Put a frame with its struct hc_cb into the queue of a node; the caller then lets the poll run.
 * Bottom halves are off.  False: there is no room.
 *
 * Operations have limits of their own, and shall not wait behind the traffic of others. Ethernet
 * frames have the limit of their queue, as at the end of any cable, and flooded ones another
 * limit: however many they are, they leave memory and room to others.
 */
static inline bool hc_arrive(struct hc_node *node, struct sk_buff *skb)
{
	bool eth = hc_frame_is(skb, HC_FT_STACK);
	bool flooded = eth && hc_hdr(skb)->flags & HC_FRAME_F_FLOOD;
	struct hc_queue *q = eth ? &node->eth_rxq : &node->rxq;
	bool room;

	spin_lock(&q->list.lock);
	room = !eth || q->bytes < HC_ETH_BYTES;
	if (flooded && q->flooded >= HC_FLOOD_BYTES >> node->fabric->dim)
		room = false;
	if (likely(room)) {
		hc_queue_add(q, skb);
		if (flooded)
			q->flooded += skb->truesize;
	}
	spin_unlock(&q->list.lock);
	return room;
}

#endif /* _HC_ARRIVE_H */
