// SPDX-License-Identifier: GPL-2.0
/*
 * The in-memory carrier: a frame goes straight into the queue of the node at the other end.
 *
 * It alone knows that node (hc_port.peer), from the creation of the fabric until all polls and
 * timers of its nodes have ended for good; nodes are freed after that.
 */
#include "fabric/carrier.h"
#include "fabric/eth.h"
#include "fabric/fabric.h"
#include "fabric/frame.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/queue.h"
#include "fabric/skb.h"
#include "hc_topo.h"

static int mem_open(struct hc_node *node, unsigned int dim)
{
	node->ports[dim].peer = node->fabric->nodes[hc_neigh(node->id, dim)];
	return 0;
}

static void mem_close(struct hc_node *node, unsigned int dim)
{
	node->ports[dim].peer = NULL;
}

/* Operations have limits of their own, and shall not wait behind the traffic of others. Ethernet
 * frames have the limit of their queue, as at the end of any cable, and flooded ones another
 * limit: however many they are, they leave memory and room to others.
 */
static bool peer_queue(struct hc_node *peer, struct sk_buff *skb)
{
	bool eth = hc_frame_is(skb, HC_FT_STACK);
	bool flooded = eth && hc_hdr(skb)->flags & HC_FRAME_F_FLOOD;
	struct hc_queue *q = eth ? &peer->eth_rxq : &peer->rxq;
	bool room;

	spin_lock(&q->list.lock);
	room = !eth || q->bytes < HC_ETH_BYTES;
	if (flooded && q->flooded >= HC_FLOOD_BYTES >> peer->fabric->dim)
		room = false;
	if (likely(room)) {
		hc_queue_add(q, skb);
		if (flooded)
			q->flooded += skb->truesize;
	}
	spin_unlock(&q->list.lock);
	return room;
}

/* The frame is handed over as it is: neither copied nor orphaned, so that it
 * stays charged to the socket that sent it until somebody consumes it.  The
 * peer's poll follows on this processor when this one ends: no recursion.
 */
static void mem_xmit(struct hc_node *node, struct hc_port *port, struct sk_buff *skb)
{
	struct hc_node *peer = port->peer;

	hc_cb(skb)->dim = port - node->ports;
	if (peer_queue(peer, skb))
		hc_node_schedule(peer);
	else
		hc_drop(node, port, skb, HYPERCUBE_A_DROP_QUEUE_FULL);
}

/* A peer whose poll gets no processor has not taken what was sent. */
static u32 mem_state(const struct hc_node *node, unsigned int dim,
		     const struct hc_link_said *said)
{
	struct hc_node *peer = node->ports[dim].peer;

	if (said)
		hc_link_heard(peer, dim, said);
	return skb_queue_empty_lockless(&peer->rxq.list) ? 0 : HC_CARRIER_BUSY;
}

static u32 mem_mtu(const struct hc_node *node, unsigned int dim)
{
	return U32_MAX;
}

const struct hc_carrier_ops hc_carrier_mem = {
	.name	= "memory",
	.open	= mem_open,
	.close	= mem_close,
	.xmit	= mem_xmit,
	.state	= mem_state,
	.mtu	= mem_mtu,
};
