/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ethernet across the cube: see eth.c.
 */
#ifndef _HC_ROUTE_ETH_H
#define _HC_ROUTE_ETH_H

#include <linux/netdevice.h>

struct hc_node;
struct sk_buff;

/* Operations of the endpoints' net_devices. */
extern const struct net_device_ops hc_eth_netdev_ops;

/**
 * hc_eth_host_add() - queue a frame of the module as if the endpoint's own stack had sent it, and
 *	schedule the poll
 * @node: the node
 * @skb: the frame, with its headers
 *
 * Context: process
 */
void hc_eth_host_add(struct hc_node *node, struct sk_buff *skb);

/**
 * hc_eth_host_rx() - process a frame from the queue of the endpoint's own stack; consumes it
 * @node: the node
 * @skb: the frame
 *
 * Context: poll
 */
void hc_eth_host_rx(struct hc_node *node, struct sk_buff *skb);

/**
 * hc_eth_rx() - process an ETH frame that is flooded or for this node; consumes it
 * @node: the receiving node
 * @dim: dimension of the link over which the frame was received
 * @skb: the frame
 *
 * Context: poll
 */
void hc_eth_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

#endif /* _HC_ROUTE_ETH_H */
