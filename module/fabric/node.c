// SPDX-License-Identifier: GPL-2.0
/*
 * A node: its net_device and its queues. Its poll is in poll.c.
 *
 * The poll is enabled from the creation of the fabric to its removal, whether the net_device is up
 * or not: the fabric works without any IP configuration.
 *
 * No wakeup is lost: code that has work for the poll stores this work first and then calls
 * hc_node_schedule(). If the poll is running at that moment, hc_node_schedule() sets
 * NAPI_STATE_MISSED, which makes the poll run once more. A poll finds all work that was stored
 * before the poll began. Contributions that operations do not accept yet wait without keeping the
 * poll busy: the frame or event after which they can be accepted schedules the next poll.
 */
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <net/rtnetlink.h>

#include "compat.h"
#include "fabric/byzantine.h"
#include "fabric/eth.h"
#include "fabric/ethtool.h"
#include "fabric/fabric.h"
#include "fabric/impair.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/own.h"
#include "fabric/poll_limit.h"
#include "fabric/queue.h"
#include "fabric/skb.h"
#include "fabric/spent.h"
#include "hc_topo.h"
#include "notifier.h"

int (*hc_node_poll)(struct napi_struct *napi, int budget) __ro_after_init;
const struct net_device_ops *hc_node_netdev_ops __ro_after_init;

/* ------------------------------------------------------------ wakeups */

void hc_node_kick(struct hc_node *node, unsigned int event)
{
	/* A poll that reads the event also reads what the caller stored before the call. */
	smp_mb__before_atomic();
	set_bit(event, &node->events);
	hc_node_run(node);
}

#define KICK_BATCH	32
#define REST_MAX	msecs_to_jiffies(20)
/* Half of NAPI's usual weight. A softirq ends after two jiffies, but not before the poll that runs
 * at that time has ended. So the longer a poll is, the longer are other devices delayed.
 */
#define POLL_WEIGHT	(NAPI_POLL_WEIGHT / 2)

/* Wait for polls. A caller that kicks thousands of nodes sleeps here after each KICK_BATCH of them,
 * until their polls have run or REST_MAX has passed. Meanwhile nodes of other users can enter the
 * poll lists.
 */
void hc_node_kicked(const struct hc_fabric *fabric, u32 u)
{
	unsigned long end = jiffies + REST_MAX;
	u32 i = u - u % KICK_BATCH;

	cond_resched();
	if (u % KICK_BATCH != KICK_BATCH - 1)
		return;
	while (i <= u && time_before(jiffies, end)) {
		if (fabric->nodes[i] &&
		    READ_ONCE(fabric->nodes[i]->napi.state) & NAPIF_STATE_SCHED)
			usleep_range(100, 200);
		else
			i++;
	}
}

/* ------------------------------------------------------------ end of polls */

/* Disable the poll. Once the NAPI is disabled, events stay set and hc_node_schedule() does nothing.
 * If the last poll had more to do, the node still has its place in the processor's poll list, and
 * must leave the limiter.
 */
void hc_node_disable(struct hc_node *node)
{
	napi_disable(&node->napi);
	local_bh_disable();
	hc_poll_limit_leave(node);
	local_bh_enable();
}

void hc_node_timers_stop(struct hc_node *node)
{
	unsigned int d;

	for (d = 0; d < node->fabric->topo.ports; d++)
		hc_impair_stop(&node->ports[d]);
	hc_notify_node_stop(node);
}

void hc_node_close(struct hc_node *node)
{
	unsigned int d;

	for (d = 0; d < node->fabric->topo.ports; d++)
		hc_link_close(node, d);
}

/* ------------------------------------------------------------ net_device */

static int node_link_validate(struct nlattr *tb[], struct nlattr *data[],
			      struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, "Endpoints come with their fabric: use \"hcctl fabric add NAME dim N\"");
	return -EOPNOTSUPP;
}

/* There is no .dellink, so an endpoint cannot be deleted alone, and no .netns_refund, so the stack
 * does not move an endpoint to the initial namespace when the namespace ends to which the endpoint
 * was moved (netns_move.c).
 */
struct rtnl_link_ops hc_link_ops __read_mostly = {
	.kind		= "hypercube",
	.validate	= node_link_validate,
};

/* Offloads: checksums and segmentation that the sending stack need not do, since frames reach the
 * receiving stack unchanged.
 */
#define FEATURES (NETIF_F_SG | NETIF_F_FRAGLIST | NETIF_F_HIGHDMA | NETIF_F_HW_CSUM | \
		  NETIF_F_RXCSUM | NETIF_F_SCTP_CRC | NETIF_F_GSO_SOFTWARE | \
		  NETIF_F_GSO_ENCAP_ALL)

static void node_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = hc_node_netdev_ops;
	dev->ethtool_ops = &hc_ethtool_ops;
	dev->min_mtu = ETH_MIN_MTU;
	dev->max_mtu = ETH_MAX_MTU;
	dev->priv_flags &= ~IFF_TX_SKB_SHARING;
	/* No queueing discipline: hc_node.ethq is the queue. No netpoll: it may send from an
	 * interrupt that has interrupted a holder of the queue's lock.
	 */
	dev->priv_flags |= IFF_NO_QUEUE | IFF_DISABLE_NETPOLL;
	dev->needed_headroom = HC_BARE_HEADROOM;
	dev->features |= FEATURES;
	dev->hw_features |= FEATURES;
	dev->hw_enc_features |= FEATURES;
	dev->vlan_features |= FEATURES;
	dev->mpls_features |= NETIF_F_HW_CSUM | NETIF_F_GSO_SOFTWARE;
	/* The endpoint has its carrier from the beginning, so no event will set this state. */
	dev->operstate = IF_OPER_UP;
	hc_dev_set_lltx(dev);
}

/* Prepare an endpoint of a fabric that spans machines: switch off the offloads that only a receiver
 * on the same machine can complete. Trunks carry the requests for the other offloads to the other
 * machine, as virtio does between virtual machines (trunk/send.c).
 */
static void node_set_part(struct net_device *dev)
{
	netdev_features_t lacks = NETIF_F_FRAGLIST | NETIF_F_SCTP_CRC | NETIF_F_GSO_ENCAP_ALL |
				  (NETIF_F_GSO_SOFTWARE & ~(NETIF_F_TSO | NETIF_F_TSO6 |
							    NETIF_F_TSO_ECN));

	dev->features &= ~lacks;
	dev->hw_features &= ~lacks;
	dev->hw_enc_features &= ~lacks;
	dev->vlan_features &= ~lacks;
	dev->mpls_features &= ~lacks;
}

void hc_eth_addr(const struct hc_fabric *fabric, u32 id, u8 *addr)
{
	addr[0] = HC_ETH_ADDR_0;
	addr[1] = HC_ETH_ADDR_1;
	put_unaligned_be16(fabric->id, addr + 2);
	put_unaligned_be16(id, addr + 4);
}

static void node_set_address(struct hc_node *node)
{
	u8 addr[ETH_ALEN];

	hc_eth_addr(node->fabric, node->id, addr);
	eth_hw_addr_set(node->dev, addr);
}

static void queue_init(struct hc_queue *q)
{
	skb_queue_head_init(&q->list);
}

/* Return: the bytes of struct hc_node with its ports, aligned: the state that other parts of the
 * module have for a node follows the struct in memory.
 */
static size_t node_size(unsigned int ports)
{
	return ALIGN(struct_size_t(struct hc_node, ports, ports), __alignof__(u64));
}

size_t hc_node_size(unsigned int ports)
{
	return node_size(ports) + hc_notifier_node_size();
}

struct hc_node *hc_node_alloc(struct hc_fabric *fabric, u32 id)
{
	struct net *net = read_pnet(&fabric->net);
	struct net_device *dev;
	struct hc_node *node;
	char name[IFNAMSIZ];
	unsigned int d;

	snprintf(name, sizeof(name), "%sn%u", fabric->name, id);
	dev = alloc_netdev(hc_node_size(fabric->topo.ports), name, NET_NAME_USER, node_setup);
	if (!dev)
		return NULL;
	node = netdev_priv(dev);
	node->dev = dev;
	node->fabric = fabric;
	node->id = id;
	if (!hc_is_whole(fabric))
		node_set_part(dev);
	dev_net_set(dev, net);
	dev->rtnl_link_ops = &hc_link_ops;
	node->owner = INVALID_UID;
	queue_init(&node->rxq);
	queue_init(&node->eth_rxq);
	queue_init(&node->ethq);
	hc_own_init(node);
	for (d = 0; d < fabric->topo.ports; d++)
		node->ports[d].to = hc_peer(&fabric->topo, id, d);
	u64_stats_init(&node->syncp);
	if (hc_notify_node_init(node, (void *)node + node_size(fabric->topo.ports))) {
		free_netdev(dev);
		return NULL;
	}
	node_set_address(node);
	netif_napi_add_weight(dev, &node->napi, hc_node_poll, POLL_WEIGHT);
	napi_enable(&node->napi);
	return node;
}

/* Register the net_device. As with veth, GRO is off until the user switches it on: it costs
 * latency, and most frames are large anyway.
 */
int hc_node_register(struct hc_node *node)
{
	struct net_device *dev = node->dev;
	int err = register_netdevice(dev);

	if (err)
		return err;
	dev->wanted_features &= ~NETIF_F_GRO;
	netdev_update_features(dev);
	return 0;
}

void hc_node_purge(struct hc_node *node)
{
	unsigned int d;

	for (d = 0; d < node->fabric->topo.ports; d++)
		hc_impair_free(&node->ports[d]);
	hc_drop_all(node, &node->rxq.list);
	hc_drop_all(node, &node->eth_rxq.list);
	hc_drop_all(node, &node->ethq.list);
	hc_notify_node_purge(node);
}

void hc_node_free(struct hc_node *node)
{
	hc_notify_node_free(node);
	hc_byzantine_free(node);
	free_netdev(node->dev);
}
