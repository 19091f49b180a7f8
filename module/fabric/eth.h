/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ethernet across the cube: eth.c.
 */
#ifndef _HC_ETH_H
#define _HC_ETH_H

#include <linux/netdevice.h>
#include <linux/sizes.h>

struct hc_fabric;
struct hc_node;
struct sk_buff;

/* Memory that Ethernet frames may take in a queue. */
#define HC_ETH_BYTES	SZ_4M
/* Memory that flooded frames may take in the queues of all nodes of a fabric together: one frame
 * from an endpoint's stack is queued up to dim times for each node.
 */
#define HC_FLOOD_BYTES	SZ_64M

/**
 * struct hc_eth_stats - Ethernet frames of an endpoint
 * @frames: how many
 * @bytes: their bytes, without our header
 */
struct hc_eth_stats {
	u64 frames;
	u64 bytes;
};

/**
 * struct hc_eth - Ethernet of an endpoint
 * @tx: frames that the own stack sent [poll], hc_node.syncp
 * @rx: frames delivered to it [poll], the same
 * @dups: flooded frames that had been here before [poll], the same
 * @deliverer: task that runs our poll, or on whose processor it runs, while it gives a frame to
 *	the stack, or NULL; compared only [poll]
 * @tx_dropped: frames dropped that the own stack had sent; atomic, any context
 * @rx_dropped: all other frames that the node has dropped, also those of links; atomic, any context
 */
struct hc_eth {
	struct hc_eth_stats tx;
	struct hc_eth_stats rx;
	struct hc_eth_stats dups;
	const struct task_struct *deliverer;
	atomic64_t tx_dropped;
	atomic64_t rx_dropped;
};

/* The MAC address of an endpoint. */
void hc_eth_addr(const struct hc_fabric *fabric, u32 id, u8 *addr);
void hc_eth_get_stats64(struct net_device *dev, struct rtnl_link_stats64 *stats);
netdev_tx_t hc_eth_xmit(struct sk_buff *skb, struct net_device *dev);
/* Queue another frame there and let the poll run.  Process context. */
void hc_eth_host_add(struct hc_node *node, struct sk_buff *skb);
/* A frame from that queue; consumes.  Poll. */
void hc_eth_host_rx(struct hc_node *node, struct sk_buff *skb);
/* An ETH frame that came over link @dim, flooded or for this node; consumes.  Poll. */
void hc_eth_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

#endif /* _HC_ETH_H */
