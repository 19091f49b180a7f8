// SPDX-License-Identifier: GPL-2.0
/*
 * The monitor interface of a fabric: shows every frame that is sent over a link to all programs
 * that capture on it (tcpdump -i NAMEmon).
 *
 * The interface has the link type of Ethernet, so that every tool can read captures of it. Each
 * frame is preceded by an Ethernet header, whose addresses are those of the endpoints at both ends
 * of the link and whose EtherType is the one for local experiments, and by a struct hc_wire_mon.
 * The frame follows as it is on the link.
 *
 * A capture gets a copy, because a node may merge data into the payload of the frame before the
 * capture is read. The copy is freed when hc_monitor_show() returns; a capturing socket that needs
 * it for longer has cloned it by then, and is charged for the clone. While the interface is down,
 * as it is at first, or no socket captures on it, a frame costs a few instructions.
 *
 * Lifetime: the net_device is made before the fabric can be found and freed after its polls, the
 * only callers of hc_monitor_show(), have been disabled.
 */
#include <linux/etherdevice.h>
#include <linux/inetdevice.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>

#include "compat.h"
#include "fabric/eth.h"
#include "fabric/fabric.h"
#include "fabric/monitor.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "hc_topo.h"

/* Bytes of a copy that are linear; the rest is in pages. */
#define LINEAR	256

/**
 * struct monitor - private part of the net_device
 * @frames: frames that were sent over links while the interface was up
 * @bytes: bytes of these frames, with the headers that a capture has in front of them
 * @dropped: frames for which there was no memory for a copy
 * @fabric: the fabric
 */
struct monitor {
	atomic64_t frames;
	atomic64_t bytes;
	atomic64_t dropped;
	struct hc_fabric *fabric;
};

/* Headers in front of each captured frame. */
struct show_hdr {
	struct ethhdr eth;
	struct hc_wire_mon mon;
} __packed;

/* ------------------------------------------------------------ frames */

/* Return: a copy of a frame that shares no memory with it and has headroom for struct show_hdr, or
 * NULL.
 */
static struct sk_buff *frame_copy(const struct sk_buff *skb)
{
	unsigned int linear = min_t(unsigned int, skb->len, LINEAR), off = linear, i;
	struct sk_buff *copy;
	int err;

	copy = alloc_skb_with_frags(sizeof(struct show_hdr) + linear, skb->len - linear, 0, &err,
				    GFP_ATOMIC | __GFP_NOWARN);
	if (!copy)
		return NULL;
	skb_reserve(copy, sizeof(struct show_hdr));
	if (skb_copy_bits(skb, 0, skb_put(copy, linear), linear))
		goto err_free;
	copy->data_len = skb->len - linear;
	copy->len += copy->data_len;
	for (i = 0; i < skb_shinfo(copy)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(copy)->frags[i];

		if (skb_copy_bits(skb, off, skb_frag_address(frag), skb_frag_size(frag)))
			goto err_free;
		off += skb_frag_size(frag);
	}
	return copy;

err_free:
	kfree_skb(copy);
	return NULL;
}

static void show_push(const struct hc_node *node, unsigned int dim, struct sk_buff *copy,
		      bool replayed)
{
	u32 to = hc_node_peer(node, dim);
	const struct hc_hdr *hdr = hc_hdr(copy);
	__be32 step = hdr->step;
	struct show_hdr *show = skb_push(copy, sizeof(*show));

	hc_eth_addr(node->fabric, to, show->eth.h_dest);
	hc_eth_addr(node->fabric, node->id, show->eth.h_source);
	show->eth.h_proto = htons(HC_MON_ETHERTYPE);
	show->mon.version = HC_MON_VERSION;
	show->mon.dim = dim;
	show->mon.flags = (to > node->id ? HC_MON_F_RISES : 0) |
			  (replayed ? HC_MON_F_REPLAYED : 0);
	show->mon.reserved = 0;
	show->mon.step = step;
}

void hc_monitor_show(const struct hc_node *node, unsigned int dim, const struct sk_buff *skb,
		     bool replayed)
{
	struct net_device *dev = node->fabric->monitor;
	struct monitor *mon = netdev_priv(dev);
	struct sk_buff *copy;

	if (!netif_running(dev))
		return;
	atomic64_inc(&mon->frames);
	atomic64_add(skb->len + sizeof(struct show_hdr), &mon->bytes);
	if (!dev_nit_active(dev))
		return;
	copy = frame_copy(skb);
	if (!copy) {
		atomic64_inc(&mon->dropped);
		return;
	}
	show_push(node, dim, copy, replayed);
	copy->dev = dev;
	copy->protocol = htons(HC_MON_ETHERTYPE);
	skb_reset_mac_header(copy);
	skb_set_network_header(copy, ETH_HLEN);
	dev_queue_xmit_nit(copy, dev);
	consume_skb(copy);
}

/* ------------------------------------------------------------ net_device */

static int monitor_open(struct net_device *dev)
{
	struct monitor *mon = netdev_priv(dev);

	/* Pairs with hc_monitor_tap(). */
	smp_store_release(&mon->fabric->monitored, true);
	return 0;
}

static int monitor_stop(struct net_device *dev)
{
	struct monitor *mon = netdev_priv(dev);

	WRITE_ONCE(mon->fabric->monitored, false);
	return 0;
}

/* Drop frames that the stack sends over the interface, which serves captures only. */
static netdev_tx_t monitor_xmit(struct sk_buff *skb, struct net_device *dev)
{
	kfree_skb(skb);
	return NETDEV_TX_OK;
}

static void monitor_get_stats64(struct net_device *dev, struct rtnl_link_stats64 *stats)
{
	const struct monitor *mon = netdev_priv(dev);

	stats->rx_packets = atomic64_read(&mon->frames);
	stats->rx_bytes = atomic64_read(&mon->bytes);
	stats->rx_dropped = atomic64_read(&mon->dropped);
}

static const struct net_device_ops monitor_netdev_ops = {
	.ndo_open		= monitor_open,
	.ndo_stop		= monitor_stop,
	.ndo_start_xmit		= monitor_xmit,
	.ndo_get_stats64	= monitor_get_stats64,
};

static void monitor_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &monitor_netdev_ops;
	dev->flags = IFF_NOARP;
	dev->mtu = ETH_MAX_MTU;
	dev->min_mtu = ETH_MIN_MTU;
	dev->max_mtu = ETH_MAX_MTU;
	dev->priv_flags |= IFF_NO_QUEUE;
	/* The interface shows frames of the fabric, so it stays in the fabric's namespace. */
	hc_dev_set_netns_local(dev);
}

/* Switch IPv6 off: the frames that it sends when an interface comes up would only appear among the
 * frames of the fabric.
 */
static void no_ipv6(struct net_device *dev)
{
#if IS_ENABLED(CONFIG_IPV6)
	struct inet6_dev *idev = __in6_dev_get(dev);

	if (idev)
		idev->cnf.disable_ipv6 = 1;
#endif
}

int hc_monitor_create(struct hc_fabric *fabric)
{
	struct net_device *dev;
	struct monitor *mon;
	char name[IFNAMSIZ];
	int err;

	snprintf(name, sizeof(name), "%smon", fabric->name);
	dev = alloc_netdev(sizeof(struct monitor), name, NET_NAME_USER, monitor_setup);
	if (!dev)
		return -ENOMEM;
	mon = netdev_priv(dev);
	mon->fabric = fabric;
	dev_net_set(dev, read_pnet(&fabric->net));
	eth_hw_addr_random(dev);
	/* Once the interface is registered it may be opened, and polls then use this pointer. */
	fabric->monitor = dev;
	rtnl_lock();
	err = register_netdevice(dev);
	if (!err)
		no_ipv6(dev);
	rtnl_unlock();
	if (err) {
		fabric->monitor = NULL;
		free_netdev(dev);
	}
	return err;
}

void hc_monitor_destroy(struct hc_fabric *fabric)
{
	if (!fabric->monitor)
		return;
	unregister_netdev(fabric->monitor);
	free_netdev(fabric->monitor);
	fabric->monitor = NULL;
}
