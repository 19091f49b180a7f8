// SPDX-License-Identifier: GPL-2.0
/*
 * The in-memory transport: it puts a frame directly into the queue of the node at the other end.
 *
 * No other code uses the pointer to that node (hc_port.peer). It is valid from the creation of the
 * fabric until all polls and timers of its nodes have ended for good; nodes are freed after that.
 */
#include "fabric/arrive.h"
#include "fabric/fabric.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "fabric/transport.h"

static int mem_open(struct hc_node *node, unsigned int dim)
{
	node->ports[dim].peer = node->fabric->nodes[hc_node_peer(node, dim)];
	return 0;
}

static void mem_close(struct hc_node *node, unsigned int dim)
{
	node->ports[dim].peer = NULL;
}

/* Put the frame into the peer's queue unchanged. It is neither copied nor orphaned, so that it
 * stays charged to the socket that sent it until it is consumed. The peer's poll is only scheduled:
 * it runs on this processor after the sender's poll has ended, so polls never nest.
 */
static void mem_xmit(struct hc_node *node, struct hc_port *port, struct sk_buff *skb)
{
	struct hc_node *peer = port->peer;

	hc_cb(skb)->dim = port - node->ports;
	if (hc_arrive(peer, skb))
		hc_node_schedule(peer);
	else
		hc_drop(node, port, skb, HYPERCUBE_A_DROP_QUEUE_FULL);
}

/* If @said is not NULL, apply this configuration at the other end. Return: HC_TRANSPORT_BUSY if the
 * peer's poll has not yet taken all frames from the peer's queue.
 */
static u32 mem_state(const struct hc_node *node, unsigned int dim,
		     const struct hc_link_said *said)
{
	struct hc_node *peer = node->ports[dim].peer;

	if (said)
		hc_link_received(peer, dim, said);
	return skb_queue_empty_lockless(&peer->rxq.list) ? 0 : HC_TRANSPORT_BUSY;
}

static u32 mem_mtu(const struct hc_node *node, unsigned int dim)
{
	return U32_MAX;
}

const struct hc_transport_ops hc_transport_mem = {
	.name	= "memory",
	.open	= mem_open,
	.close	= mem_close,
	.xmit	= mem_xmit,
	.state	= mem_state,
	.mtu	= mem_mtu,
};
