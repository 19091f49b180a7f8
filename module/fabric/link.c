// SPDX-License-Identifier: GPL-2.0
/*
 * Links: state, the in-memory carrier, the time model, and the way FAULT words follow the state.
 *
 * Configuration writes the flags of both ends and kicks both polls after that;
 * each poll computes its own FAULT word anew and sends it over all its usable
 * links.  It does so even if the word has not changed: a poll that ran between
 * the writes to the two ends may have told a neighbour who was still deaf.  The
 * poll that follows the kick tells it again, and by then both can hear.
 *
 * Who asks for a change is answered when all this has happened (netlink/later.c), so that
 * he reads the new FAULT words then, and plans made from them are not stale.
 */
#include <linux/math64.h>

#include "coll/work.h"
#include "fabric/eth.h"
#include "fabric/fabric.h"
#include "fabric/flap.h"
#include "fabric/frame.h"
#include "fabric/impair.h"
#include "fabric/link.h"
#include "fabric/monitor.h"
#include "fabric/node.h"
#include "fabric/queue.h"
#include "fabric/skb.h"
#include "hc_topo.h"
#include "route/detect.h"
#include "route/lsdb.h"
#include "trace.h"

/* ------------------------------------------------------------ in-memory carrier */

/* Operations have limits of their own, and shall not wait behind the traffic of
 * others; Ethernet frames have that of their queue, as at the end of any cable, and
 * flooded ones another: however many they are, they leave memory and room to others.
 */
static bool peer_queue(struct hc_node *peer, struct sk_buff *skb)
{
	bool eth = hc_frame_is(skb, HC_FT_STACK);
	bool flooded = eth && hc_hdr(skb)->flags & HC_FRAME_F_FLOOD;
	struct hc_queue *q = eth ? &peer->eth_rxq : &peer->rxq;
	bool room;

	spin_lock(&q->list.lock);
	room = !eth || q->bytes < HC_ETH_BYTES;
	if (flooded && q->flooded >= HC_FLOOD_BYTES >> peer->fabric->dim)
		room = false;
	if (likely(room)) {
		hc_queue_add(q, skb);
		if (flooded)
			q->flooded += skb->truesize;
	}
	spin_unlock(&q->list.lock);
	return room;
}

/* The frame is handed over as it is: neither copied nor orphaned, so that it
 * stays charged to the socket that sent it until somebody consumes it.  The
 * peer's poll follows on this processor when this one ends: no recursion.
 */
static void memory_xmit(struct hc_node *node, struct hc_port *port, struct sk_buff *skb)
{
	struct hc_node *peer = port->peer;

	hc_cb(skb)->dim = port - node->ports;
	if (peer_queue(peer, skb))
		hc_node_schedule(peer);
	else
		hc_drop(node, port, skb, HYPERCUBE_A_DROP_QUEUE_FULL);
}

/* A peer whose poll does not get a processor has not taken them. */
static bool memory_pending(const struct hc_port *port)
{
	return !skb_queue_empty_lockless(&port->peer->rxq.list);
}

static const struct hc_carrier_ops memory_carrier = {
	.name		= "memory",
	.xmit		= memory_xmit,
	.pending	= memory_pending,
};

void hc_link_init(struct hc_node *node, unsigned int dim)
{
	struct hc_port *port = &node->ports[dim];

	port->ops = &memory_carrier;
	port->peer = node->fabric->nodes[hc_neigh(node->id, dim)];
	port->latency = HC_LATENCY_DEFAULT;
	port->bandwidth = HC_BANDWIDTH_DEFAULT;
}

/* ------------------------------------------------------------ sending */

bool hc_link_pending(const struct hc_port *port)
{
	return hc_impair_pending(port) || port->ops->pending(port);
}

bool hc_link_usable(const struct hc_node *node, unsigned int dim)
{
	return !(READ_ONCE(node->ports[dim].flags) & HC_PORT_UNUSABLE);
}

/* Returns the bandwidth by which the model counts time: the link's own, or what the rate of an
 * impairment really leaves of it.
 */
u64 hc_link_bandwidth(const struct hc_port *port)
{
	u64 bandwidth = READ_ONCE(port->bandwidth);
	struct hc_impairments set;

	if (likely(!READ_ONCE(port->impaired)))
		return bandwidth;
	hc_impair_get(port, &set);
	return min_not_zero(bandwidth, set.rate);
}

static u64 link_cost(const struct hc_port *port, bool impaired, unsigned int bytes)
{
	u64 latency = READ_ONCE(port->latency);
	u64 bandwidth = READ_ONCE(port->bandwidth);

	if (unlikely(impaired)) {
		struct hc_impairments set;

		hc_impair_get(port, &set);
		latency += set.delay;
		bandwidth = min_not_zero(bandwidth, set.rate);
	}
	return latency + (bandwidth ? div64_u64((u64)bytes * NSEC_PER_SEC, bandwidth) : 0);
}

int hc_link_send(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	struct hc_port *port = &node->ports[dim];
	struct hc_impair *impaired;
	struct hc_hdr *hdr;

	/* Others that keep a clone of the frame must not see the header change. */
	if (unlikely(skb_cow_head(skb, 0))) {
		hc_drop(node, port, skb, HYPERCUBE_A_DROP_NO_MEMORY);
		return -ENOLINK;
	}
	/* Pairs with the release in hc_impair_set(). */
	impaired = smp_load_acquire(&port->impaired);
	hdr = hc_hdr(skb);
	hdr->seq = hc_frame_is(skb, HC_FT_NUMBERED) ? cpu_to_be32(++port->tx_seq) : 0;
	be64_add_cpu(&hdr->time, link_cost(port, impaired, skb->len));
	u64_stats_update_begin(&node->syncp);
	port->tx_frames++;
	port->tx_bytes += skb->len;
	u64_stats_update_end(&node->syncp);
	hc_cb(skb)->sealed = unlikely(impaired) && hc_impair_seal(impaired, skb);
	trace_hc_hop(node, dim, skb);
	hc_monitor_tap(node, dim, skb);
	if (unlikely(impaired))
		hc_impair_xmit(impaired, skb);
	else
		port->ops->xmit(node, port, skb);
	return 0;
}

int hc_link_xmit(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	struct hc_hdr *hdr;

	if (!hc_link_usable(node, dim)) {
		hc_drop(node, &node->ports[dim], skb, HYPERCUBE_A_DROP_LINK_DOWN);
		return -ENOLINK;
	}
	if (unlikely(skb_cow_head(skb, 0))) {
		hc_drop(node, &node->ports[dim], skb, HYPERCUBE_A_DROP_NO_MEMORY);
		return -ENOLINK;
	}
	hdr = hc_hdr(skb);
	hdr->src = cpu_to_be16(node->id);
	hdr->dst = cpu_to_be16(hc_neigh(node->id, dim));
	hdr->flags &= ~(HC_FRAME_F_ROUTED | HC_FRAME_F_BACK);
	hdr->walk = 0;
	return hc_link_send(node, dim, skb);
}

/* ------------------------------------------------------------ FAULT word */

static u32 fault_word(const struct hc_node *node)
{
	u32 word = 0;
	unsigned int d;

	for (d = 0; d < node->fabric->dim; d++)
		if (!hc_link_usable(node, d))
			word |= hc_bit(d);
	return word;
}

void hc_link_update(struct hc_node *node)
{
	u32 word = fault_word(node);
	u32 news = word & ~node->fault;
	unsigned int d;

	if (word != node->fault)
		trace_hc_fault(node, node->fault, word);
	for (d = 0; d < node->fabric->dim; d++)
		if (news & hc_bit(d))
			hc_coll_link_fault(node, d);
	/* Readers that see the word see that plans have to be looked at: see node_told(). */
	smp_store_release(&node->fault, word);
}

void hc_link_event(struct hc_node *node)
{
	hc_link_update(node);
	hc_detect_tell(node, node->fault, HC_PORT_UNUSABLE);
	hc_lsdb_links(node);
}

/* ------------------------------------------------------------ configuration */

/* Does the node know of the state of its links, and do its plans and its neighbours? */
static bool node_told(const struct hc_node *node)
{
	/* Pairs with hc_link_update(). */
	u32 word = smp_load_acquire(&node->fault);
	unsigned int d;

	if (word != fault_word(node) || !hc_coll_faults_over(node))
		return false;
	for (d = 0; d < node->fabric->dim; d++) {
		const struct hc_port *port = &node->ports[d];

		if (hc_link_usable(node, d) && !hc_impair_loses(port) &&
		    READ_ONCE(port->peer->nb_fault[d]) != word)
			return false;
	}
	return true;
}

bool hc_link_told(const struct hc_fabric *fabric, const struct hc_node *node, u32 dims)
{
	unsigned int d;
	u32 u;

	for (u = 0; !node && u < hc_nodes(fabric->dim); u++)
		if (!node_told(fabric->nodes[u]))
			return false;
	if (!node)
		return true;
	for (d = 0; d < fabric->dim; d++)
		if (dims & hc_bit(d) && !node_told(node->ports[d].peer))
			return false;
	return node_told(node);
}

static struct hc_port *other_end(const struct hc_node *node, unsigned int dim)
{
	return &node->ports[dim].peer->ports[dim];
}

static void port_clear(const struct hc_fabric *fabric, struct hc_port *port)
{
	hc_detect_spare(fabric, port);
	clear_bit(HC_PORT_DOWN, &port->flags);
	clear_bit(HC_PORT_DETECTED, &port->flags);
}

void hc_link_flip(struct hc_node *node, unsigned int dim, bool down)
{
	struct hc_port *here = &node->ports[dim];

	lockdep_assert_held(&node->fabric->lock);
	if (down) {
		set_bit(HC_PORT_DOWN, &here->flags);
		set_bit(HC_PORT_DOWN, &other_end(node, dim)->flags);
	} else {
		hc_detect_spare(node->fabric, here);
		hc_detect_spare(node->fabric, other_end(node, dim));
		clear_bit(HC_PORT_DOWN, &here->flags);
		clear_bit(HC_PORT_DOWN, &other_end(node, dim)->flags);
	}
	hc_node_kick(node, HC_EV_LINKS);
	hc_node_kick(here->peer, HC_EV_LINKS);
}

void hc_link_set_down(struct hc_node *node, unsigned int dim, bool down)
{
	if (!down) {
		port_clear(node->fabric, &node->ports[dim]);
		port_clear(node->fabric, other_end(node, dim));
	}
	hc_link_flip(node, dim, down);
}

static void carrier_follow(struct hc_node *node)
{
	/* A guest may have lost its interface for good (guest.c). */
	if (node->dev->reg_state != NETREG_REGISTERED)
		return;
	if (node->failed)
		netif_carrier_off(node->dev);
	else
		netif_carrier_on(node->dev);
}

static void link_set_failed(struct hc_node *node, unsigned int dim)
{
	struct hc_port *here = &node->ports[dim];
	struct hc_port *there = other_end(node, dim);

	if (node->failed || here->peer->failed) {
		set_bit(HC_PORT_FAILED, &here->flags);
		set_bit(HC_PORT_FAILED, &there->flags);
	} else {
		hc_detect_spare(node->fabric, here);
		hc_detect_spare(node->fabric, there);
		clear_bit(HC_PORT_FAILED, &here->flags);
		clear_bit(HC_PORT_FAILED, &there->flags);
	}
}

void hc_link_set_failed(struct hc_node *node, bool failed)
{
	struct hc_fabric *fabric = node->fabric;
	unsigned int d;

	lockdep_assert_held(&fabric->lock);
	if (node->failed == failed)
		return;
	WRITE_ONCE(node->failed, failed);
	fabric->nfailed += failed ? 1 : -1;
	for (d = 0; d < fabric->dim; d++)
		link_set_failed(node, d);
	carrier_follow(node);
	hc_node_kick(node, HC_EV_LINKS);
	for (d = 0; d < fabric->dim; d++)
		hc_node_kick(node->ports[d].peer, HC_EV_LINKS);
}

bool hc_link_is_clear(const struct hc_port *port)
{
	return !(READ_ONCE(port->flags) & (BIT(HC_PORT_DOWN) | BIT(HC_PORT_DETECTED))) &&
	       !port->flap_period && !hc_impair_impairs(port) &&
	       port->latency == HC_LATENCY_DEFAULT && port->bandwidth == HC_BANDWIDTH_DEFAULT;
}

void hc_link_clear(struct hc_fabric *fabric)
{
	unsigned int d;
	u32 u;

	lockdep_assert_held(&fabric->lock);
	hc_flap_clear(fabric);
	fabric->nfailed = 0;
	for (u = 0; u < hc_nodes(fabric->dim); u++) {
		struct hc_node *node = fabric->nodes[u];

		WRITE_ONCE(node->failed, false);
		carrier_follow(node);
		for (d = 0; d < fabric->dim; d++) {
			struct hc_port *port = &node->ports[d];

			port_clear(fabric, port);
			clear_bit(HC_PORT_FAILED, &port->flags);
			hc_impair_clear(port);
			WRITE_ONCE(port->latency, HC_LATENCY_DEFAULT);
			WRITE_ONCE(port->bandwidth, HC_BANDWIDTH_DEFAULT);
		}
	}
	for (u = 0; u < hc_nodes(fabric->dim); u++) {
		hc_node_kick(fabric->nodes[u], HC_EV_LINKS);
		hc_node_kicked(fabric, u);
	}
}

u32 hc_link_count_unusable(const struct hc_fabric *fabric)
{
	u32 u, n = 0;
	unsigned int d;

	for (u = 0; u < hc_nodes(fabric->dim); u++)
		for (d = 0; d < fabric->dim; d++)
			if (!(u & hc_bit(d)) && (!hc_link_usable(fabric->nodes[u], d) ||
						 !hc_link_usable(fabric->nodes[u ^ hc_bit(d)], d)))
				n++;
	return n;
}
