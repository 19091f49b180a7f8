// SPDX-License-Identifier: GPL-2.0
/*
 * Ethernet across the cube: frames that the endpoints' network stacks send and receive.
 *
 * Addresses: 02:68:FF:FF:NN:NN is node NN:NN of the fabric with id FF:FF; 02 makes it locally
 * administered, 68 is 'h'. An endpoint's address cannot be changed, so addresses of nodes need not
 * be learned or looked up. A frame
 *
 *  - to a node of this fabric is sent by fault-tolerant unicast (route.c);
 *  - to a group, or to an address that belongs to no fabric, is flooded. Flooding to addresses of
 *    no fabric makes bridges, macvlans and the like on top of endpoints work: the addresses behind
 *    them are not known here. An endpoint that has no use for such a frame drops it, as on a hub;
 *  - to another fabric, or to a node that does not exist, is dropped. Fabrics are joined by
 *    routing, not by bridging.
 *
 * An endpoint may not send a frame whose source is the address of another node of a fabric.
 *
 * Transmission. eth_xmit(), in the sender's context, checks the addresses and puts the fabric's
 * header in front of the frame. If the node's NAPI is not scheduled, eth_xmit() takes the NAPI and
 * sends the frame as the node's poll would. Otherwise it queues the frame for the poll. So a hop
 * costs as many polls as a crossing of a veth pair: one, that of the receiver. Segmentation and
 * checksums that the stack leaves to the device are not done: the skb carries the request up to the
 * receiving stack, as with veth, so that 64 KiB of TCP cross each link as one frame.
 *
 * Memory. A frame stays charged to the socket that sent it until the receiving stack has it: a
 * sender that is faster than the cube waits as at a slow NIC. Kernel sockets do not keep their
 * namespace alive, so their frames are not charged to them. Copies of a flooded frame are charged
 * to no socket either. For such frames the queues have limits in bytes: the queue of an endpoint,
 * and that of a link, drop Ethernet frames beyond HC_ETH_BYTES.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <net/sock.h>

#include "compat.h"
#include "fabric/eth.h"
#include "fabric/fabric.h"
#include "fabric/frame.h"
#include "fabric/node.h"
#include "fabric/poll_limit.h"
#include "fabric/queue.h"
#include "fabric/skb.h"
#include "hc_topo.h"
#include "route/eth.h"
#include "route/flood.h"
#include "route/route.h"

/* ------------------------------------------------------------ addresses */

/* Return: true if the address has the form of an address of a fabric's node. */
static bool of_a_fabric(const u8 *addr)
{
	return addr[0] == HC_ETH_ADDR_0 && addr[1] == HC_ETH_ADDR_1;
}

/* Check the addresses of a frame that the endpoint sends. Return: 0 or the reason to drop it. */
static unsigned int addr_reason(const struct hc_node *node, const struct ethhdr *eth)
{
	const struct hc_fabric *fabric = node->fabric;
	u32 dst;

	if (is_multicast_ether_addr(eth->h_source) ||
	    (of_a_fabric(eth->h_source) &&
	     !ether_addr_equal(eth->h_source, node->dev->dev_addr)))
		return HYPERCUBE_A_DROP_SPOOFED;
	if (!of_a_fabric(eth->h_dest))
		return 0;
	if (get_unaligned_be16(eth->h_dest + 2) != fabric->id)
		return HYPERCUBE_A_DROP_FOREIGN;
	dst = get_unaligned_be16(eth->h_dest + 4);
	return dst >= fabric->topo.nodes || dst == node->id ? HYPERCUBE_A_DROP_NO_NODE : 0;
}

/* ------------------------------------------------------------ from the stack */

/* Detach the frame from pages, metadata and kernel sockets of the sender, so that it may wait in
 * queues for any time. Return: 0 or the reason to drop it.
 */
static unsigned int tx_detach(struct sk_buff *skb)
{
	if (skb_orphan_frags(skb, GFP_ATOMIC))
		return HYPERCUBE_A_DROP_NO_MEMORY;
	if (skb->sk && !skb->sk->sk_net_refcnt)
		skb_orphan(skb);
	skb_scrub_packet(skb, false);
	return 0;
}

/* Check a frame of the endpoint's stack, and make it a frame of the fabric. Return: 0 or the reason
 * to drop it.
 */
static unsigned int tx_frame(struct hc_node *node, struct sk_buff *skb)
{
	const struct ethhdr *eth;
	bool flooded;
	unsigned int why;
	u32 dst;

	if (!pskb_may_pull(skb, ETH_HLEN))
		return HYPERCUBE_A_DROP_MALFORMED;
	eth = (const struct ethhdr *)skb->data;
	why = addr_reason(node, eth);
	if (why)
		return why;
	flooded = !of_a_fabric(eth->h_dest);
	dst = flooded ? HC_DST_ALL : get_unaligned_be16(eth->h_dest + 4);
	why = tx_detach(skb);
	if (why)
		return why;
	if (skb_cow_head(skb, HC_BARE_HEADROOM))
		return HYPERCUBE_A_DROP_NO_MEMORY;
	hc_frame_push(node->fabric, node->id, HC_FRAME_ETH, flooded ? HC_FRAME_F_FLOOD : 0, skb);
	hc_hdr(skb)->dst = cpu_to_be16(dst);
	return 0;
}

static unsigned int tx_queue(struct hc_node *node, struct sk_buff *skb)
{
	u32 limit = READ_ONCE(node->dev->tx_queue_len);
	struct hc_queue *q = &node->ethq;
	unsigned int why = 0;

	spin_lock(&q->list.lock);
	if (q->bytes >= HC_ETH_BYTES || (limit && skb_queue_len(&q->list) >= limit))
		why = HYPERCUBE_A_DROP_QUEUE_FULL;
	else
		hc_queue_add(q, skb);
	spin_unlock(&q->list.lock);
	return why;
}

/* Frames that the module itself sends use the Ethernet queue, because frames of operations may wait
 * long in the host port.
 */
void hc_eth_host_add(struct hc_node *node, struct sk_buff *skb)
{
	local_bh_disable();
	spin_lock(&node->ethq.list.lock);
	hc_queue_add(&node->ethq, skb);
	spin_unlock(&node->ethq.list.lock);
	hc_node_schedule(node);
	local_bh_enable();
}

/* Send the frame in the caller's context. Return: false if the caller must queue it and schedule
 * the poll instead.
 *
 * The context that sets NAPI_STATE_SCHED owns all [poll] state of the node until napi_complete(),
 * which schedules the poll if another context has requested that meanwhile. The sender may hold the
 * lock of a socket, so this function must not pass any frame to the stack. It passes none: the
 * frame itself comes from the endpoint's stack and is only sent; and if GRO holds packets in the
 * NAPI, which napi_complete() would deliver, this function returns false.
 */
static bool tx_direct(struct hc_node *node, struct sk_buff *skb)
{
	/* If the condition is true, the poll of this node is an outer caller of this function: it
	 * is delivering a frame to the stack, and the stack replies. The poll does not use its
	 * frame afterwards, so this function may use the [poll] state. No other sender takes this
	 * branch, because everything else that the current task does continues only after the poll.
	 * Comparing processors instead of tasks would be wrong where polls can be preempted.
	 */
	if (READ_ONCE(node->eth.deliverer) == current &&
	    skb_queue_empty_lockless(&node->ethq.list)) {
		hc_eth_host_rx(node, skb);
		return true;
	}
	if (!hc_napi_holds_nothing(&node->napi) || !napi_schedule_prep(&node->napi))
		return false;
	/* Check again, as the owner of the NAPI. If another sender has queued a frame and has not
	 * scheduled the poll yet, this frame must not overtake it.
	 */
	if (unlikely(!hc_napi_holds_nothing(&node->napi) ||
		     !skb_queue_empty_lockless(&node->ethq.list))) {
		hc_poll_limit_enter(node);
		return false;
	}
	hc_eth_host_rx(node, skb);
	napi_complete(&node->napi);
	return true;
}

static netdev_tx_t eth_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct hc_node *node = netdev_priv(dev);
	unsigned int why;

	skb_tx_timestamp(skb);
	why = tx_frame(node, skb);
	if (likely(!why) && tx_direct(node, skb))
		return NETDEV_TX_OK;
	why = why ?: tx_queue(node, skb);
	if (unlikely(why))
		hc_drop_sent(node, skb, why);
	else
		hc_node_schedule(node);
	return NETDEV_TX_OK;
}

/* ------------------------------------------------------------ poll */

static void count(struct hc_node *node, struct hc_eth_stats *stats, unsigned int len)
{
	u64_stats_update_begin(&node->syncp);
	stats->frames++;
	stats->bytes += len;
	u64_stats_update_end(&node->syncp);
}

void hc_eth_host_rx(struct hc_node *node, struct sk_buff *skb)
{
	if (READ_ONCE(node->failed)) {
		hc_drop_sent(node, skb, HYPERCUBE_A_DROP_NODE_FAILED);
		return;
	}
	if (!hc_frame_is(skb, HC_FT_STACK)) {
		hc_route_xmit(node, be16_to_cpu(hc_hdr(skb)->dst), skb);
		return;
	}
	count(node, &node->eth.tx, skb->len - hc_way_end(hc_hdr(skb)));
	if (hc_hdr(skb)->flags & HC_FRAME_F_FLOOD)
		hc_flood_start(node, skb);
	else
		hc_route_xmit(node, be16_to_cpu(hc_hdr(skb)->dst), skb);
}

/* Check a frame that is to be delivered to the endpoint's stack. Return: 0 or the reason to drop
 * it. A GSO frame may exceed the MTU, because it is not segmented yet.
 */
static unsigned int deliver_reason(const struct hc_node *node, struct sk_buff *skb)
{
	const struct net_device *dev = node->dev;

	if (!netif_running(dev))
		return HYPERCUBE_A_DROP_ENDPOINT_DOWN;
	if (!pskb_may_pull(skb, ETH_HLEN))
		return HYPERCUBE_A_DROP_MALFORMED;
	if (skb->len > READ_ONCE(dev->mtu) + ETH_HLEN + VLAN_HLEN && !skb_is_gso(skb))
		return HYPERCUBE_A_DROP_TOO_BIG;
	/* GRO changes the frame that it gets, so the frame's data must not be shared. */
	if (dev->features & NETIF_F_GRO && skb_unclone(skb, GFP_ATOMIC))
		return HYPERCUBE_A_DROP_NO_MEMORY;
	return 0;
}

static void deliver(struct hc_node *node, struct sk_buff *skb)
{
	struct net_device *dev = node->dev;
	unsigned int why;
	bool elsewhere;

	__skb_pull(skb, hc_way_end(hc_hdr(skb)));
	why = deliver_reason(node, skb);
	if (why) {
		hc_drop(node, NULL, skb, why);
		return;
	}
	count(node, &node->eth.rx, skb->len);
	skb_orphan(skb);
	/* Let skb_scrub_packet() remove all metadata if the frame's sender is in another namespace,
	 * or on another machine: then skb->dev is NULL.
	 */
	elsewhere = !skb->dev || !net_eq(dev_net(skb->dev), dev_net(dev));
	skb_scrub_packet(skb, elsewhere);
	skb->protocol = eth_type_trans(skb, dev);
	skb_postpull_rcsum(skb, eth_hdr(skb), ETH_HLEN);
	if (dev->features & NETIF_F_GRO) {
		napi_gro_receive(&node->napi, skb);
		return;
	}
	WRITE_ONCE(node->eth.deliverer, current);
	netif_receive_skb(skb);
	WRITE_ONCE(node->eth.deliverer, NULL);
}

void hc_eth_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	if (hc_hdr(skb)->flags & HC_FRAME_F_FLOOD && !hc_flood_rx(node, dim, skb)) {
		count(node, &node->eth.dups, skb->len);
		consume_skb(skb);
		return;
	}
	deliver(node, skb);
}

/* ------------------------------------------------------------ counters */

/* Fill in the endpoint's counters. The packets are those that the endpoint's stack sends and
 * receives. The drops are all drops of the node. Frames that the node forwards are counted at its
 * links.
 */
static void eth_get_stats64(struct net_device *dev, struct rtnl_link_stats64 *stats)
{
	const struct hc_node *node = netdev_priv(dev);
	unsigned int start;

	do {
		start = u64_stats_fetch_begin(&node->syncp);
		stats->rx_packets = node->eth.rx.frames;
		stats->rx_bytes = node->eth.rx.bytes;
		stats->tx_packets = node->eth.tx.frames;
		stats->tx_bytes = node->eth.tx.bytes;
	} while (u64_stats_fetch_retry(&node->syncp, start));
	stats->rx_dropped = atomic64_read(&node->eth.rx_dropped);
	stats->tx_dropped = atomic64_read(&node->eth.tx_dropped);
}

/* ------------------------------------------------------------ net_device */

/* There is nothing to do, because the endpoint receives all frames to groups anyway. But without
 * this function the stack could not join groups.
 */
static void set_rx_mode(struct net_device *dev)
{
}

const struct net_device_ops hc_eth_netdev_ops = {
	.ndo_start_xmit		= eth_xmit,
	.ndo_set_rx_mode	= set_rx_mode,
	.ndo_validate_addr	= eth_validate_addr,
	.ndo_features_check	= passthru_features_check,
	.ndo_get_stats64	= eth_get_stats64,
};
