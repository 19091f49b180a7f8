// SPDX-License-Identifier: GPL-2.0
/*
 * A node: its net_device, its queues, and the poll that runs its protocols.
 *
 * The poll is enabled from the creation of the fabric to its removal, whether
 * the net_device is up or not: the fabric works without any IP configuration.
 *
 * No wakeup is lost: code that gives the poll something to do does so first and then calls
 * hc_node_schedule().  If the poll runs at that moment, this sets NAPI_STATE_MISSED, and
 * napi_complete_done() lets it run once more.  The poll finds what came before it began without
 * that.  Contributions that operations do not accept yet wait without keeping the poll busy; the
 * frame or event that makes room brings the next poll.
 */
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/indirect_call_wrapper.h>
#include <net/rtnetlink.h>

#include "coll/host.h"
#include "coll/rx.h"
#include "coll/work.h"
#include "compat.h"
#include "fabric/eth.h"
#include "fabric/ethtool.h"
#include "fabric/fabric.h"
#include "fabric/frame.h"
#include "fabric/gate.h"
#include "fabric/impair.h"
#include "fabric/inject.h"
#include "fabric/lie.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/own.h"
#include "fabric/queue.h"
#include "fabric/skb.h"
#include "fabric/spent.h"
#include "hc_topo.h"
#include "route/detect.h"
#include "route/flood.h"
#include "route/route.h"
#include "route/lsdb.h"
#include "sock/hostq.h"
#include "sock/socks.h"
#include "task/move.h"
#include "task/queue.h"
#include "task/round.h"
#include "trace.h"

/* ------------------------------------------------------------ wakeups */

void hc_node_kick(struct hc_node *node, unsigned int event)
{
	/* A poll that sees the event sees what it is about. */
	smp_mb__before_atomic();
	set_bit(event, &node->events);
	hc_node_run(node);
}

#define KICK_BATCH	32
#define REST_MAX	msecs_to_jiffies(20)
/* Half of what NAPI gives.  A softirq ends after two jiffies, or with the poll that is under way
 * then, so a longer poll is in others' way that much longer.
 */
#define POLL_WEIGHT	(NAPI_POLL_WEIGHT / 2)

/* Callers that change thousands of nodes sleep here, after each KICK_BATCH of them, until their
 * polls have run or REST_MAX is over: so others find room at the gate meanwhile.
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

/* ------------------------------------------------------------ receiving */

/* 0, or the reason to drop a frame that is too short, or cannot be made one piece so far. */
static unsigned int pull_flaw(struct sk_buff *skb, unsigned int len)
{
	if (skb->len < len)
		return HYPERCUBE_A_DROP_MALFORMED;
	return pskb_may_pull(skb, len) ? 0 : HYPERCUBE_A_DROP_NO_MEMORY;
}

/* Operations expect their payload in one piece: see hc_payload(). */
static unsigned int payload_flaw(struct sk_buff *skb, unsigned int head)
{
	if (!skb_is_nonlinear(skb))
		return 0;
	if (skb_headlen(skb) == head && skb_shinfo(skb)->nr_frags == 1 &&
	    !skb_has_frag_list(skb))
		return 0;
	return skb_linearize(skb) ? HYPERCUBE_A_DROP_NO_MEMORY : 0;
}

/* Payloads are bounded in bytes here, for receivers count them in frames.  A set of nodes may
 * be longer than a short segment.
 */
static bool payload_fits(const struct hc_fabric *fabric, const struct hc_frame_ops *type,
			 const struct hc_hdr *hdr)
{
	if (type->flags & HC_FT_BARE)
		return !hdr->len;
	return !(type->flags & HC_FT_SEGMENT) ||
	       be32_to_cpu(hdr->len) <= max_t(u32, fabric->segment, HC_NODES_MAX / 8);
}

/* Is the frame for us, or to be passed on, and may it come this way? 0 or the reason to drop it. */
static unsigned int way_flaw(const struct hc_node *node, unsigned int dim,
			     const struct hc_frame_ops *type, const struct hc_hdr *hdr)
{
	u32 nodes = hc_nodes(node->fabric->dim);
	u32 src = be16_to_cpu(hdr->src);
	u32 dst = be16_to_cpu(hdr->dst);

	if (hdr->flags & HC_FRAME_F_FLOOD) {
		if (!(type->flags & HC_FT_FLOODED) || hdr->flags & ~HC_FRAME_F_FLOOD || hdr->walk)
			return HYPERCUBE_A_DROP_MALFORMED;
		return src >= nodes ? HYPERCUBE_A_DROP_FOREIGN : 0;
	}
	if (type->flags & HC_FT_PATH) {
		if (hdr->walk || hdr->flags)
			return HYPERCUBE_A_DROP_MALFORMED;
		return (src | dst) >= nodes ? HYPERCUBE_A_DROP_FOREIGN : 0;
	}
	/* Members alone send such frames. */
	if (hdr->flags & HC_FRAME_F_FIXED && (!(hdr->flags & HC_FRAME_F_ROUTED) ||
					      !(type->flags & HC_FT_PLAN)))
		return HYPERCUBE_A_DROP_MALFORMED;
	if (!(hdr->flags & HC_FRAME_F_ROUTED)) {
		if (hdr->walk || !(type->flags & HC_FT_DIRECT))
			return HYPERCUBE_A_DROP_MALFORMED;
		if (src != hc_neigh(node->id, dim) || dst != node->id)
			return HYPERCUBE_A_DROP_FOREIGN;
	} else if (!(type->flags & HC_FT_ROUTED)) {
		return HYPERCUBE_A_DROP_MALFORMED;
	} else if ((src | dst) >= nodes) {
		return HYPERCUBE_A_DROP_FOREIGN;
	}
	return 0;
}

/* Is this a frame that our neighbour along @dim may send us?  Its header is in one piece.  0 or the
 * reason to drop it.  Everything that later code relies on is checked here, and all but the payload
 * is in one piece then: frames may come from another machine.
 */
static unsigned int frame_flaw(const struct hc_node *node, unsigned int dim,
			       struct sk_buff *skb, const struct hc_frame_ops **found)
{
	const struct hc_frame_ops *type;
	const struct hc_hdr *hdr;
	unsigned int head, flaw;

	hdr = hc_hdr(skb);
	type = hc_frame_ops(hdr->type);
	*found = type;
	if (hdr->version != HC_WIRE_VERSION || !type)
		return HYPERCUBE_A_DROP_MALFORMED;
	if (be32_to_cpu(hdr->fabric) != node->fabric->id)
		return HYPERCUBE_A_DROP_FOREIGN;
	flaw = way_flaw(node, dim, type, hdr);
	if (flaw)
		return flaw;
	head = hc_way_end(hdr) + type->part;
	if (skb->len != (u64)head + be32_to_cpu(hdr->len))
		return HYPERCUBE_A_DROP_MALFORMED;
	flaw = pull_flaw(skb, head);
	if (!flaw && type->flags & HC_FT_WHOLE)
		flaw = payload_flaw(skb, head);
	if (flaw)
		return flaw;
	return payload_fits(node->fabric, type, hc_hdr(skb)) ? 0 : HYPERCUBE_A_DROP_MALFORMED;
}

/* Test frames and FAULT words travel over detected links too: that is how a
 * link that works again is found.
 */
static unsigned int port_flaw(const struct hc_node *node, const struct hc_port *port,
			      const struct hc_frame_ops *type)
{
	unsigned long flags = READ_ONCE(port->flags);

	if (READ_ONCE(node->failed))
		return HYPERCUBE_A_DROP_NODE_FAILED;
	if (flags & (type->flags & HC_FT_DETECTED ? HC_PORT_CLOSED : HC_PORT_UNUSABLE))
		return HYPERCUBE_A_DROP_LINK_DOWN;
	return 0;
}

static void rx_count(struct hc_node *node, struct hc_port *port, unsigned int len)
{
	u64_stats_update_begin(&node->syncp);
	port->rx_frames++;
	port->rx_bytes += len;
	u64_stats_update_end(&node->syncp);
}

/* Most frames are of operations. */
static void rx_dispatch(struct hc_node *node, unsigned int dim, const struct hc_frame_ops *type,
			struct sk_buff *skb)
{
	if (hc_hdr(skb)->flags & HC_FRAME_F_ROUTED) {
		skb = hc_route_rx(node, dim, skb);
		if (!skb)
			return;
	}
	INDIRECT_CALL_1(type->rx, hc_coll_rx, node, dim, skb);
}

/* By how many frames a second copy may be late. */
#define COPY_LATE	1024

/* Frames that the link has to deliver come once and in order, or it is down.  0, or the reason to
 * drop this one: it has been here before (carriers keep the order, so a copy follows soon), or one
 * before it is missing.  A link that is set up again goes on with the numbers that come.
 */
static unsigned int seq_flaw(struct hc_node *node, unsigned int dim,
			     const struct hc_frame_ops *type, struct sk_buff *skb)
{
	struct hc_port *port = &node->ports[dim];
	u32 seq = be32_to_cpu(hc_hdr(skb)->seq), last = port->rx_seq;

	if (!(type->flags & HC_FT_SURE))
		return 0;
	if (likely(seq == last + 1) || unlikely(hc_cb(skb)->stream != port->rx_stream)) {
		port->rx_seq = seq;
		port->rx_stream = hc_cb(skb)->stream;
		return 0;
	}
	if (last - seq < COPY_LATE)
		return HYPERCUBE_A_DROP_DUPLICATE;
	port->rx_seq = seq;
	hc_spent_set(node, dim);
	return HYPERCUBE_A_DROP_GAP;
}

/* 0, and *@found, or the reason to drop a frame that has come.  Those that make no sense count
 * among the numbers, too: dropping them is no gap.
 */
static unsigned int rx_flaw(struct hc_node *node, unsigned int dim, struct sk_buff *skb,
			    const struct hc_frame_ops **found)
{
	unsigned int why = pull_flaw(skb, sizeof(struct hc_hdr)), again;

	if (why)
		return why;
	if (unlikely(hc_cb(skb)->sealed) && !hc_impair_is_whole(skb))
		return HYPERCUBE_A_DROP_CHECKSUM;
	why = frame_flaw(node, dim, skb, found);
	if (!why)
		trace_hc_arrive(node, dim, skb);
	again = *found ? seq_flaw(node, dim, *found, skb) : 0;
	return why ?: again;
}

/* An operation that is known fails.  Else there was no memory to look at the frame: the link has
 * not delivered it.
 */
static void memory_lacks(struct hc_node *node, unsigned int dim, const struct hc_frame_ops *type,
			 struct sk_buff *skb)
{
	if (type && type->flags & HC_FT_WHOLE && type->undeliverable &&
	    skb_headlen(skb) >= hc_way_end(hc_hdr(skb)) + type->part)
		type->undeliverable(node, dim, skb, HYPERCUBE_A_DROP_NO_MEMORY);
	else if (!type || type->flags & HC_FT_SURE)
		hc_spent_set(node, dim);
}

static void rx_frame(struct hc_node *node, struct sk_buff *skb)
{
	unsigned int dim = hc_cb(skb)->dim;
	struct hc_port *port = &node->ports[dim];
	const struct hc_frame_ops *type = NULL;
	unsigned int why;

	rx_count(node, port, skb->len);
	why = rx_flaw(node, dim, skb, &type);
	if (unlikely(why)) {
		if (why == HYPERCUBE_A_DROP_NO_MEMORY)
			memory_lacks(node, dim, type, skb);
		hc_drop(node, port, skb, why);
		return;
	}
	why = port_flaw(node, port, type);
	if (unlikely(why)) {
		if (type->undeliverable)
			type->undeliverable(node, dim, skb, why);
		hc_drop(node, port, skb, why);
		return;
	}
	rx_dispatch(node, dim, type, skb);
}

/* ------------------------------------------------------------ the poll */

static void poll_events(struct hc_node *node)
{
	unsigned long events;

	if (!(READ_ONCE(node->events) & ~BIT(HC_EV_STALL)))
		return;
	events = xchg(&node->events, 0);
	if (events & BIT(HC_EV_STALL))
		set_bit(HC_EV_STALL, &node->events);
	events &= ~BIT(HC_EV_STALL);
	if (events & BIT(HC_EV_LINKS))
		hc_link_event(node);
	if (events & BIT(HC_EV_TEST))
		hc_detect_test(node);
	if (events & BIT(HC_EV_JUDGE))
		hc_detect_judge_soon(node);
	if (events & (BIT(HC_EV_LINKS) | BIT(HC_EV_TASKS)))
		hc_move_event(node, events & BIT(HC_EV_LINKS));
	if (events & (BIT(HC_EV_LINKS) | BIT(HC_EV_ROUND)))
		hc_round_event(node);
	events &= ~(BIT(HC_EV_LINKS) | BIT(HC_EV_TEST) | BIT(HC_EV_JUDGE) | BIT(HC_EV_TASKS) |
		    BIT(HC_EV_ROUND));
	if (events)
		hc_coll_event(node, events);
}

/* The whole queue is taken at once, so that others meet the lock rarely; what
 * exceeds the budget goes back to the front.
 */
static __always_inline int poll_queue(struct hc_node *node, struct hc_queue *q,
				      void (*take)(struct hc_node *node, struct sk_buff *skb),
				      int budget)
{
	struct sk_buff_head batch;
	u32 bytes, flooded;
	int work = 0;

	if (skb_queue_empty_lockless(&q->list))
		return 0;
	__skb_queue_head_init(&batch);
	spin_lock(&q->list.lock);
	skb_queue_splice_tail_init(&q->list, &batch);
	bytes = q->bytes;
	flooded = q->flooded;
	q->bytes = 0;
	q->flooded = 0;
	spin_unlock(&q->list.lock);
	while (work < budget && !skb_queue_empty(&batch)) {
		struct sk_buff *skb = __skb_dequeue(&batch);

		bytes -= skb->truesize;
		if (unlikely(flooded) && hc_hdr(skb)->flags & HC_FRAME_F_FLOOD)
			flooded -= skb->truesize;
		take(node, skb);
		q->taken++;
		work = min(work + hc_cost(node), budget);
	}
	if (!skb_queue_empty(&batch)) {
		spin_lock(&q->list.lock);
		skb_queue_splice(&batch, &q->list);
		q->bytes += bytes;
		q->flooded += flooded;
		spin_unlock(&q->list.lock);
	}
	return work;
}

/* Returns the cost of what was sent beside the frames of the queues, for this poll to bear. */
static int poll_spent(struct hc_node *node, int most)
{
	return min(hc_cost(node) - 1, most);
}

/* A poll is over; there may be more to do. */
static int poll_end(struct hc_node *node, int work, int budget, bool more)
{
	/* Otherwise NAPI would let the next poll pass by the gate. */
	more |= test_and_clear_bit(NAPI_STATE_MISSED, &node->napi.state);
	if (more && !hc_gate_awaited(node))
		return budget;
	work = min(work, budget - 1);
	/* The place is somebody else's from now on, and then the NAPI. */
	hc_gate_leave(node);
	napi_complete_done(&node->napi, work);
	if (more)
		hc_node_schedule(node);
	return work;
}

static int node_poll(struct napi_struct *napi, int budget)
{
	struct hc_node *node = container_of(napi, struct hc_node, napi);
	/* Busy polling may come with a small budget. */
	int share = max(budget / 4, 1);
	int work;

	/* This is a call for room in a transmit ring; there is none. */
	if (unlikely(!budget))
		return 0;
	/* Work for which NAPI_STATE_MISSED was set is queued already: this poll finds it. */
	clear_bit(NAPI_STATE_MISSED, &napi->state);
	/* Before the queues are looked at. */
	smp_mb__after_atomic();
	node->merge_cost = 0;
	poll_events(node);
	work = poll_spent(node, share);
	/* No kind of traffic keeps others from being served. */
	if (hc_work_ready(node))
		work += hc_coll_work(node, share / 2);
	work += poll_queue(node, &node->rxq, rx_frame, min(share, budget - work));
	if (unlikely(hc_detect_is_judging(&node->detect)))
		hc_detect_judge(node);
	if (unlikely(hc_detect_owes(&node->detect)))
		hc_detect_flush(node);
	if (unlikely(hc_lsdb_owes(&node->lsdb) & ~node->fault))
		hc_lsdb_flush(node);
	work += poll_spent(node, min(share, budget - work));
	work += poll_queue(node, &node->eth_rxq, rx_frame, min(share, budget - work));
	work += poll_queue(node, &node->ethq, hc_eth_host_rx, min(share, budget - work));
	work += hc_hostq_poll(node, budget - work);
	/* Stalls are looked for only with an empty rxq, as a frame that a member waits for may
	 * lie in it.  No member waits for an Ethernet frame.
	 */
	if (work < budget && skb_queue_empty_lockless(&node->rxq.list) &&
	    test_and_clear_bit(HC_EV_STALL, &node->events))
		hc_coll_event(node, BIT(HC_EV_STALL));
	if (work < budget && hc_work_ready(node)) {
		work += hc_coll_work(node, min(share, budget - work));
		/* Operations that have ended here leave room for contributions that wait. */
		work += hc_hostq_poll(node, budget - work);
	}
	return poll_end(node, work, budget, work == budget ||
			!skb_queue_empty_lockless(&node->rxq.list) ||
			!skb_queue_empty_lockless(&node->eth_rxq.list) ||
			!skb_queue_empty_lockless(&node->ethq.list) || hc_work_ready(node));
}

static int node_poll_covered(struct napi_struct *napi, int budget)
{
	int work;

	hc_cover_start();
	work = node_poll(napi, budget);
	hc_cover_stop();
	return work;
}

/* Events stay set and hc_node_schedule() does nothing from here on.  If the last poll had
 * more to do, the node still has its place.
 */
void hc_node_disable(struct hc_node *node)
{
	napi_disable(&node->napi);
	local_bh_disable();
	hc_gate_leave(node);
	local_bh_enable();
}

void hc_node_timers_stop(struct hc_node *node)
{
	unsigned int d;

	for (d = 0; d < node->fabric->dim; d++)
		hc_impair_stop(&node->ports[d]);
	hc_move_stop(node);
	hc_round_stop(node);
}

void hc_node_close(struct hc_node *node)
{
	unsigned int d;

	for (d = 0; d < node->fabric->dim; d++)
		hc_link_close(node, d);
}

/* ------------------------------------------------------------ net_device */

/* Every frame to a group comes anyway, but without this, groups could not be joined. */
static void node_set_rx_mode(struct net_device *dev)
{
}

static const struct net_device_ops node_netdev_ops = {
	.ndo_start_xmit		= hc_eth_xmit,
	.ndo_set_rx_mode	= node_set_rx_mode,
	.ndo_validate_addr	= eth_validate_addr,
	.ndo_features_check	= passthru_features_check,
	.ndo_get_stats64	= hc_eth_get_stats64,
};

static int node_link_validate(struct nlattr *tb[], struct nlattr *data[],
			      struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, "Endpoints come with their fabric: use \"hcctl fabric add NAME dim N\"");
	return -EOPNOTSUPP;
}

/* Without .dellink an endpoint cannot be deleted alone, and without .netns_refund none
 * is given to the initial namespace when the one that it was moved to ends (guest.c).
 */
struct rtnl_link_ops hc_link_ops __read_mostly = {
	.kind		= "hypercube",
	.validate	= node_link_validate,
};

/* Offloads: work that the stack may leave undone, as no node on the way has to do it. */
#define FEATURES (NETIF_F_SG | NETIF_F_FRAGLIST | NETIF_F_HIGHDMA | NETIF_F_HW_CSUM | \
		  NETIF_F_RXCSUM | NETIF_F_SCTP_CRC | NETIF_F_GSO_SOFTWARE | \
		  NETIF_F_GSO_ENCAP_ALL)

static void node_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &node_netdev_ops;
	dev->ethtool_ops = &hc_ethtool_ops;
	dev->min_mtu = ETH_MIN_MTU;
	dev->max_mtu = ETH_MAX_MTU;
	dev->priv_flags &= ~IFF_TX_SKB_SHARING;
	/* No queueing discipline of its own: ours is the queue.  No netpoll: its
	 * interrupts would find the queue's lock taken.
	 */
	dev->priv_flags |= IFF_NO_QUEUE | IFF_DISABLE_NETPOLL;
	dev->needed_headroom = HC_BARE_HEADROOM;
	dev->features |= FEATURES;
	dev->hw_features |= FEATURES;
	dev->hw_enc_features |= FEATURES;
	dev->vlan_features |= FEATURES;
	dev->mpls_features |= NETIF_F_HW_CSUM | NETIF_F_GSO_SOFTWARE;
	/* There is a carrier from the beginning, so no event tells of it. */
	dev->operstate = IF_OPER_UP;
	hc_dev_set_lltx(dev);
}

/* Work that nobody but a node of this machine could do later: trunks carry what virtual machines
 * leave to each other (trunk/send.c).
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

size_t hc_node_size(unsigned int dim)
{
	return struct_size_t(struct hc_node, ports, dim);
}

struct hc_node *hc_node_alloc(struct hc_fabric *fabric, u32 id)
{
	struct net *net = read_pnet(&fabric->net);
	struct net_device *dev;
	struct hc_node *node;
	char name[IFNAMSIZ];

	snprintf(name, sizeof(name), "%sn%u", fabric->name, id);
	dev = alloc_netdev(struct_size(node, ports, fabric->dim), name, NET_NAME_USER, node_setup);
	if (!dev)
		return NULL;
	node = netdev_priv(dev);
	node->dev = dev;
	node->fabric = fabric;
	node->id = id;
	if (hc_flood_init(node)) {
		free_netdev(dev);
		return NULL;
	}
	if (!hc_is_whole(fabric))
		node_set_part(dev);
	dev_net_set(dev, net);
	dev->rtnl_link_ops = &hc_link_ops;
	node->owner = INVALID_UID;
	queue_init(&node->rxq);
	queue_init(&node->eth_rxq);
	queue_init(&node->ethq);
	hc_hostq_init(&node->hostq);
	hc_host_init(&node->host);
	hc_socks_init(&node->socks);
	hc_lsdb_init(&node->lsdb);
	hc_work_init(&node->work);
	hc_own_init(node);
	u64_stats_init(&node->syncp);
	node_set_address(node);
	netif_napi_add_weight(dev, &node->napi, node_poll_covered, POLL_WEIGHT);
	napi_enable(&node->napi);
	return node;
}

/* GRO costs latency and merges what mostly comes in big frames anyway: off, as
 * with veth, unless somebody wants it.
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

	for (d = 0; d < node->fabric->dim; d++)
		hc_impair_free(&node->ports[d]);
	hc_drop_all(node, &node->rxq.list);
	hc_drop_all(node, &node->eth_rxq.list);
	hc_drop_all(node, &node->ethq.list);
	hc_hostq_purge(node);
	hc_host_purge(node);
}

void hc_node_free(struct hc_node *node)
{
	hc_tasks_free(node);
	hc_round_free(node);
	hc_lie_free(node);
	hc_flood_exit(node);
	hc_lsdb_free(node);
	free_netdev(node->dev);
}
