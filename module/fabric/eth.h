/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A node's state for Ethernet across the cube (route/eth.c), and MAC addresses.
 */
#ifndef _HC_ETH_H
#define _HC_ETH_H

#include <linux/netdevice.h>
#include <linux/sizes.h>

struct hc_fabric;

/* Most memory that Ethernet frames may take in one queue. */
#define HC_ETH_BYTES	SZ_4M
/* Most memory that flooded frames may take in the queues of all nodes of a fabric together. The
 * limit is needed because a single flooded frame may be queued up to dim times at each node.
 */
#define HC_FLOOD_BYTES	SZ_64M

/**
 * struct hc_eth_stats - counters of an endpoint's Ethernet frames
 * @frames: number of frames
 * @bytes: their bytes, without the headers of the fabric
 */
struct hc_eth_stats {
	u64 frames;
	u64 bytes;
};

/**
 * struct hc_eth - Ethernet state of an endpoint
 * @tx: frames that the endpoint's stack has sent [poll], under hc_node.syncp
 * @rx: frames that were delivered to the endpoint's stack [poll], under hc_node.syncp
 * @dups: further copies of flooded frames that the node had already received [poll], under
 *	hc_node.syncp
 * @deliverer: while the node's poll delivers a frame to the stack: the task in whose context the
 *	poll runs; else NULL. Compared, never dereferenced [poll]
 * @tx_dropped: dropped frames that the endpoint's stack has sent; atomic, any context
 * @rx_dropped: all other frames that the node has dropped, whatever their type; atomic, any context
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
