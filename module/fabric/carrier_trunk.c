// SPDX-License-Identifier: GPL-2.0
/*
 * The carrier of links whose other end lives on another machine.  Nothing leads there yet: such
 * links are unusable, and what is sent in the moment before their nodes know that is lost.
 */
#include "fabric/carrier.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/skb.h"

static int trunk_open(struct hc_node *node, unsigned int dim)
{
	set_bit(HC_PORT_NO_CARRIER, &node->ports[dim].flags);
	return 0;
}

static void trunk_close(struct hc_node *node, unsigned int dim)
{
}

static void trunk_xmit(struct hc_node *node, struct hc_port *port, struct sk_buff *skb)
{
	hc_drop(node, port, skb, HYPERCUBE_A_DROP_LINK_DOWN);
}

static u32 trunk_state(const struct hc_node *node, unsigned int dim,
		       const struct hc_link_said *said)
{
	return 0;
}

static u32 trunk_mtu(const struct hc_node *node, unsigned int dim)
{
	return U32_MAX;
}

const struct hc_carrier_ops hc_carrier_trunk = {
	.name	= "trunk",
	.open	= trunk_open,
	.close	= trunk_close,
	.xmit	= trunk_xmit,
	.state	= trunk_state,
	.mtu	= trunk_mtu,
};
