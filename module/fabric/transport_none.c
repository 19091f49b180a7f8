// SPDX-License-Identifier: GPL-2.0
/*
 * The transport of a port number at a node that has no such port: no frame ever crosses it. Such a
 * port is neither a link nor a fault. With this transport, code that loops over all port numbers
 * needs no special case.
 */
#include <linux/bitops.h>
#include <linux/limits.h>

#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "fabric/transport.h"

static int none_open(struct hc_node *node, unsigned int dim)
{
	set_bit(HC_PORT_ABSENT, &node->ports[dim].flags);
	return 0;
}

static void none_close(struct hc_node *node, unsigned int dim)
{
}

static void none_xmit(struct hc_node *node, struct hc_port *port, struct sk_buff *skb)
{
	hc_drop(node, port, skb, HYPERCUBE_A_DROP_LINK_DOWN);
}

static u32 none_state(const struct hc_node *node, unsigned int dim,
		      const struct hc_link_said *said)
{
	return 0;
}

static u32 none_mtu(const struct hc_node *node, unsigned int dim)
{
	return U32_MAX;
}

const struct hc_transport_ops hc_transport_none = {
	.name	= "none",
	.open	= none_open,
	.close	= none_close,
	.xmit	= none_xmit,
	.state	= none_state,
	.mtu	= none_mtu,
};
