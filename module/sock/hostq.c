// SPDX-License-Identifier: GPL-2.0
/*
 * The host port: the queue in which frames from a node's sockets wait for the node's poll.
 */
#include "coll/submit.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "route/copy.h"
#include "route/route.h"
#include "sock/hostq.h"
#include "sock/socks.h"

void hc_hostq_init(struct hc_hostq *h)
{
	skb_queue_head_init(&h->q);
}

void hc_hostq_purge(struct hc_node *node)
{
	hc_drop_all(node, &node->hostq->q);
}

/* ------------------------------------------------------------ sockets */

void hc_hostq_xmit(struct hc_node *node, struct sk_buff *skb)
{
	bool held = hc_hdr(skb)->type == HC_FRAME_DATA;

	spin_lock_bh(&node->hostq->q.lock);
	held = held && be32_to_cpu(hc_wire_plan_of(skb)->plan) == node->hostq->held_plan;
	__skb_queue_tail(&node->hostq->q, skb);
	spin_unlock_bh(&node->hostq->q.lock);
	if (!held)
		hc_node_run(node);
}

/* ------------------------------------------------------------ poll */

/* Handle a frame from a socket. If the node has failed, its links carry no frames, but
 * contributions are passed to their operations all the same, so that the processes are notified of
 * the failure. Return: as hc_coll_host_rx().
 */
static bool host_frame(struct hc_node *node, struct sk_buff *skb, int budget)
{
	u32 dst;

	if (hc_hdr(skb)->type != HC_FRAME_DGRAM && hc_hdr(skb)->type != HC_FRAME_COPY)
		return hc_coll_host_rx(node, skb, budget);
	dst = be16_to_cpu(hc_hdr(skb)->dst);
	if (READ_ONCE(node->failed))
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_NODE_FAILED);
	else if (hc_hdr(skb)->type == HC_FRAME_COPY)
		hc_copy_xmit(node, skb);
	else if (dst == node->id)
		hc_sock_dgram_rx(node, skb, true);
	else
		hc_route_xmit(node, dst, skb);
	return true;
}

/* Set .held_plan to @plan_id: contributions to this plan cannot begin yet, so a socket that queues
 * one need not schedule the poll. Return: true if the caller must handle the queue again, because
 * frames were queued without scheduling the poll while .held_plan had its previous value.
 */
static bool host_hold(struct hc_node *node, u32 plan_id)
{
	bool changed, again;

	if (node->hostq->held_plan == plan_id)
		return false;
	spin_lock(&node->hostq->q.lock);
	changed = node->hostq->held_plan;
	node->hostq->held_plan = plan_id;
	again = changed && !skb_queue_empty(&node->hostq->q);
	spin_unlock(&node->hostq->q.lock);
	return again;
}

int hc_hostq_poll(struct hc_node *node, int budget)
{
	struct sk_buff *skb;
	u32 plan_id;
	int frames = 0;
	int work = 0;

	do {
		plan_id = 0;
		while (work < budget && !skb_queue_empty_lockless(&node->hostq->q)) {
			skb = skb_dequeue(&node->hostq->q);
			if (host_frame(node, skb, budget - work))
				frames++;
			else
				skb_queue_head(&node->hostq->q, skb);
			work = min(work + hc_cost(node), budget);
		}
		if (hc_host_waits(node->host))
			work += hc_coll_host_retry(node, budget - work, &plan_id);
	} while (host_hold(node, plan_id) && work < budget);
	if (frames) {
		u64_stats_update_begin(&node->syncp);
		node->host_frames += frames;
		u64_stats_update_end(&node->syncp);
	}
	return work;
}
