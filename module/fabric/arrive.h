/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arrival of frames at a node: transports call this.
 */
#ifndef _HC_ARRIVE_H
#define _HC_ARRIVE_H

#include "fabric/eth.h"
#include "fabric/fabric.h"
#include "fabric/frame.h"
#include "fabric/node.h"
#include "fabric/queue.h"
#include "fabric/skb.h"

/**
 * hc_arrive() - put a frame into a receive queue of a node
 * @node: the receiving node
 * @skb: the frame, with its struct hc_cb
 *
 * Frames of the nodes' protocols are bounded before they are sent, and have a queue of their own,
 * so that they do not wait behind Ethernet frames. Ethernet frames are dropped when their queue is
 * full, as at any NIC. Flooded Ethernet frames have a lower limit, so that they leave memory and
 * space in the queue for other frames.
 *
 * Context: bottom halves are off; the caller schedules the node's poll afterwards
 * Return: true if @skb is in the queue; false if the queue is full: the caller still owns @skb
 */
static inline bool hc_arrive(struct hc_node *node, struct sk_buff *skb)
{
	bool eth = hc_frame_is(skb, HC_FT_STACK);
	bool flooded = eth && hc_hdr(skb)->flags & HC_FRAME_F_FLOOD;
	struct hc_queue *q = eth ? &node->eth_rxq : &node->rxq;
	bool room;

	spin_lock(&q->list.lock);
	room = !eth || q->bytes < HC_ETH_BYTES;
	if (flooded && q->flooded >= HC_FLOOD_BYTES / node->fabric->topo.nodes)
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
