/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A node's state for Ethernet across the cube (route/eth.c), and MAC addresses.
 */
#ifndef _HC_ETH_H
#define _HC_ETH_H

#include <linux/netdevice.h>
#include <linux/sizes.h>

struct hc_fabric;

/* Memory that Ethernet frames may take in one queue. */
#define HC_ETH_BYTES	SZ_4M
/* Memory that flooded frames may take in the queues of all nodes of a fabric together: a single
 * frame that an endpoint's stack sends may be queued up to dim times at each node.
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
 * @tx: frames that the own stack has sent [poll], under hc_node.syncp
 * @rx: frames that were delivered to it [poll], under hc_node.syncp
 * @dups: flooded frames that the node had received before [poll], under hc_node.syncp
 * @deliverer: task in whose context the node's poll runs, while it delivers a frame to the stack,
 *	or NULL; compared, never dereferenced [poll]
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

/* The first two bytes of every MAC address of a fabric: see route/eth.c. */
#define HC_ETH_ADDR_0	0x02
#define HC_ETH_ADDR_1	0x68

/**
 * hc_eth_addr() - write the MAC address of a node's net_device
 * @fabric: the fabric
 * @id: node number
 * @addr: ETH_ALEN bytes to fill in
 *
 * Context: any
 */
void hc_eth_addr(const struct hc_fabric *fabric, u32 id, u8 *addr);

#endif /* _HC_ETH_H */
