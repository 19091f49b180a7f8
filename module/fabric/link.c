// SPDX-License-Identifier: GPL-2.0
/*
 * Links: state, the time model, and how FAULT words follow the state.
 *
 * Configuration writes the flags of one end and lets the transport notify the other end, which
 * writes its own flags and kicks its own poll; then configuration kicks the poll of the first end.
 * Each poll recomputes its FAULT word and sends it over all its usable links, even if the FAULT
 * word has not changed: a poll that ran between the writes to the two ends may have sent it to a
 * neighbour that still dropped frames of this link. The poll that follows the kick sends it again,
 * and by then both ends accept frames.
 *
 * A request for a change is answered when all this has happened (netlink/deferred.c), so that the
 * requester then reads the new FAULT words, and plans made from them are not stale.
 */
#include <linux/math64.h>
#include <linux/netlink.h>

#include "fabric/byzantine.h"
#include "fabric/fabric.h"
#include "fabric/flap.h"
#include "fabric/frame.h"
#include "fabric/impair.h"
#include "fabric/link.h"
#include "fabric/monitor.h"
#include "fabric/node.h"
#include "fabric/own.h"
#include "fabric/queue.h"
#include "fabric/skb.h"
#include "fabric/spent.h"
#include "fabric/transport.h"
#include "hc_bounds.h"
#include "hc_topo.h"
#include "notifier.h"
#include "trace.h"

/* ------------------------------------------------------------ transports */

const struct hc_transport_ops *hc_transport_trunk __ro_after_init;

/* Return: the bytes of the longest frame of an operation, with the longest walk and headers. */
static u32 frame_max(const struct hc_fabric *fabric)
{
	return HC_WALK_ROOM + HC_DATA_HEAD + HC_FRAME_SEGMENTS * fabric->segment;
}

int hc_link_open(struct hc_node *node, unsigned int dim)
{
	struct hc_port *port = &node->ports[dim];
	const struct hc_transport_ops *ops;
	int err;

	port->latency = HC_LATENCY_DEFAULT;
	port->bandwidth = HC_BANDWIDTH_DEFAULT;
	if (hc_node_peer(node, dim) == node->id)
		ops = &hc_transport_none;
	else
		ops = hc_is_here(node->fabric, hc_node_peer(node, dim)) ? &hc_transport_mem :
									  hc_transport_trunk;
	err = ops->open(node, dim);
	if (err)
		return err;
	port->ops = ops;
	return port->ops->mtu(node, dim) < frame_max(node->fabric) ? -EMSGSIZE : 0;
}

void hc_link_close(struct hc_node *node, unsigned int dim)
{
	struct hc_port *port = &node->ports[dim];

	if (port->ops)
		port->ops->close(node, dim);
	port->ops = NULL;
}

/* Send the configuration of this end to the other end. @forget: the other end must forget which
 * links DETECT has found silent.
 */
static void end_notify(const struct hc_node *node, unsigned int dim, bool forget)
{
	const struct hc_port *port = &node->ports[dim];
	const struct hc_link_said said = {
		.down = test_bit(HC_PORT_DOWN, &port->flags),
		.failed = node->failed,
		.spent = test_bit(HC_PORT_SPENT, &port->flags),
		.forget = forget,
		.cuts = atomic_read(&port->cuts),
		.flap_down = port->flap_down,
		.flap_period = port->flap_period,
	};

	port->ops->state(node, dim, &said);
}

/* ------------------------------------------------------------ sending */

bool hc_link_pending(const struct hc_node *node, unsigned int dim)
{
	const struct hc_port *port = &node->ports[dim];

	return hc_impair_pending(port) || port->ops->state(node, dim, NULL) & HC_TRANSPORT_BUSY;
}

bool hc_link_usable(const struct hc_node *node, unsigned int dim)
{
	return !(READ_ONCE(node->ports[dim].flags) & HC_PORT_UNUSABLE);
}

/* The bandwidth of the time model, or the rate of an impairment if that is lower. */
u64 hc_link_bandwidth(const struct hc_port *port)
{
	u64 bandwidth = READ_ONCE(port->bandwidth);
	struct hc_impairments set;

	if (likely(!READ_ONCE(port->impaired)))
		return bandwidth;
	hc_impair_get(port, &set, NULL);
	return min_not_zero(bandwidth, set.rate);
}

/* Return: the modelled time that a frame needs to cross the link after @vain failed attempts. Each
 * failed attempt costs the latency twice, because the other end reports the failure.
 */
static u64 link_cost(const struct hc_port *port, bool impaired, u32 vain, unsigned int bytes)
{
	u64 latency = READ_ONCE(port->latency);
	u64 bandwidth = READ_ONCE(port->bandwidth);
	u64 wire;

	if (unlikely(impaired)) {
		struct hc_impairments set;

		hc_impair_get(port, &set, NULL);
		latency += set.delay;
		bandwidth = min_not_zero(bandwidth, set.rate);
	}
	wire = bandwidth ? div64_u64((u64)bytes * NSEC_PER_SEC, bandwidth) : 0;
	return latency + wire + vain * (2 * latency + wire);
}

/* Count a frame that is about to be sent after @vain failed attempts, and show it to tracepoints
 * and the monitor interface.
 */
static void link_note(struct hc_node *node, unsigned int dim, struct sk_buff *skb, u32 vain)
{
	struct hc_port *port = &node->ports[dim];

	u64_stats_update_begin(&node->syncp);
	port->tx_frames++;
	port->tx_bytes += skb->len;
	u64_stats_update_end(&node->syncp);
	trace_hc_hop(node, dim, skb);
	if (unlikely(vain))
		trace_hc_replay(node, dim, skb, vain);
	hc_monitor_tap(node, dim, skb, vain);
}

unsigned int hc_link_take(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	bool sure = hc_frame_is(skb, HC_FT_SURE);
	struct hc_port *port = &node->ports[dim];
	struct hc_fate fate = { .vain = 0 };
	struct hc_impair *impaired;
	struct hc_hdr *hdr;
	unsigned int why;

	/* The header is about to be changed, but clones of the frame may share it. */
	if (unlikely(skb_cow_head(skb, 0)))
		return HYPERCUBE_A_DROP_NO_MEMORY;
	/* Pairs with the release in hc_impair_set(). */
	impaired = smp_load_acquire(&port->impaired);
	why = unlikely(impaired) && sure ? hc_impair_admit(impaired, &fate) : 0;
	if (unlikely(why))
		return why;
	hdr = hc_hdr(skb);
	hdr->seq = sure ? cpu_to_be32(++port->tx_seq) : 0;
	be64_add_cpu(&hdr->time, link_cost(port, impaired, fate.vain, skb->len));
	hc_own_charge(node, dim, skb);
	*hc_cb(skb) = (struct hc_cb){
		.sealed = unlikely(impaired) && hc_impair_checksum(impaired, skb),
	};
	link_note(node, dim, skb, fate.vain);
	if (unlikely(impaired))
		hc_impair_xmit(impaired, skb, sure ? &fate : NULL);
	else
		port->ops->xmit(node, port, skb);
	return 0;
}

int hc_link_send(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	unsigned int why = hc_link_take(node, dim, skb);

	if (likely(!why))
		return 0;
	hc_drop(node, &node->ports[dim], skb, why);
	return hc_link_errno(why);
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
		return -ENOBUFS;
	}
	if (unlikely(!hc_own_may(node, dim, skb))) {
		hc_drop(node, &node->ports[dim], skb, HYPERCUBE_A_DROP_QUEUE_FULL);
		return -ENOBUFS;
	}
	hdr = hc_hdr(skb);
	hdr->src = cpu_to_be16(node->id);
	hdr->dst = cpu_to_be16(hc_node_peer(node, dim));
	hdr->flags &= ~(HC_FRAME_F_ROUTED | HC_FRAME_F_BACK | HC_FRAME_F_FIXED);
	hdr->walk = 0;
	hdr->hop = 0;
	return hc_link_send(node, dim, skb);
}

/* ------------------------------------------------------------ FAULT word */

u32 hc_link_fault_word(const struct hc_node *node)
{
	u32 word = 0;
	unsigned int d;

	for (d = 0; d < node->fabric->topo.ports; d++)
		if (!hc_link_usable(node, d))
			word |= hc_bit(d);
	return word & hc_node_ports(node);
}

/* Return: mask of the links that were unusable at some time since the last call. Frames that were
 * in flight over these links are lost, even if the links are usable again.
 */
static u32 cuts_take(struct hc_node *node)
{
	u32 cut = 0;
	unsigned int d;

	for (d = 0; d < node->fabric->topo.ports; d++)
		if (test_bit(HC_PORT_CUT, &node->ports[d].flags) &&
		    test_and_clear_bit(HC_PORT_CUT, &node->ports[d].flags))
			cut |= hc_bit(d);
	return cut & hc_node_ports(node);
}

void hc_link_update(struct hc_node *node)
{
	u32 cut = cuts_take(node);
	u32 word = hc_link_fault_word(node);
	u32 news = (word & ~node->fault) | cut;
	unsigned int d;

	if (word != node->fault)
		trace_hc_fault(node, node->fault, word);
	for (d = 0; d < node->fabric->topo.ports; d++)
		if (news & hc_bit(d))
			node->ports[d].failed_epoch = READ_ONCE(node->fabric->epoch);
	if (news)
		WRITE_ONCE(node->failing.links, node->failing.links | news);
	hc_notify_fault_word(node, news, cut);
	/* A reader of the new FAULT word also reads .failing (plans have to be checked), and that
	 * no neighbour has acknowledged the new FAULT word yet: see hc_detect_is_acked().
	 */
	smp_store_release(&node->fault, word);
}

/* Compare the FAULT words @fault, for which a plan was made, with the present ones of the nodes. */
int hc_link_check_faults(const struct hc_fabric *fabric, const u32 *fault,
			 struct netlink_ext_ack *extack)
{
	const struct hc_node *node;

	hc_each_node(fabric, node) {
		u32 own = READ_ONCE(node->failed) ? hc_node_ports(node) :
						    READ_ONCE(node->fault);

		if (fault[node->id] == own)
			continue;
		NL_SET_ERR_MSG(extack, "the faults have changed: plan again");
		return -ESTALE;
	}
	return 0;
}

/* ------------------------------------------------------------ configuration */

void hc_link_cut(struct hc_port *port)
{
	atomic_inc(&port->cuts);
	set_bit(HC_PORT_CUT, &port->flags);
}

/* @cuts: how often the other end has cut the link, as it has notified. If the number has changed
 * since the last notification, cut this end, too, even if the link is usable again. Return: true if
 * this end was cut.
 */
static bool cuts_received(struct hc_port *port, u16 cuts)
{
	if (cuts == port->cuts_there)
		return false;
	port->cuts_there = cuts;
	set_bit(HC_PORT_CUT, &port->flags);
	return true;
}

/* Let a round of DETECT in progress decide nothing about a link that is about to be taken up: the
 * link was not up for the whole round, so test frames over it may be missing.
 */
static void link_spare(const struct hc_fabric *fabric, struct hc_port *port)
{
	WRITE_ONCE(port->spared, fabric->detect_round);
	/* Pairs with is_spared() of route/detect.c. */
	smp_mb__before_atomic();
}

/* Update an end's flags from the configuration of both ends. Return: true if they have changed. */
static bool end_follow(struct hc_node *node, unsigned int dim, bool down, bool forget)
{
	struct hc_port *port = &node->ports[dim];
	bool failed = node->failed || port->there_failed;
	unsigned long was = READ_ONCE(port->flags);
	bool unmarked;

	lockdep_assert_held(&node->fabric->lock);
	if (forget || (was & BIT(HC_PORT_DOWN) && !down) || (was & BIT(HC_PORT_FAILED) && !failed))
		link_spare(node->fabric, port);
	assign_bit(HC_PORT_DOWN, &port->flags, down);
	assign_bit(HC_PORT_FAILED, &port->flags, failed);
	/* The poll may have set HC_PORT_DETECTED after @was was read, so do not rely on @was. */
	unmarked = forget && test_and_clear_bit(HC_PORT_DETECTED, &port->flags);
	if (forget)
		unmarked |= hc_spent_clear(node, dim);
	return unmarked || (was ^ READ_ONCE(port->flags)) & HC_PORT_UNUSABLE;
}

bool hc_link_received(struct hc_node *node, unsigned int dim, const struct hc_link_said *said)
{
	struct hc_port *port = &node->ports[dim];
	bool news = port->flap_down != said->flap_down || port->flap_period != said->flap_period;
	bool changed;

	lockdep_assert_held(&node->fabric->lock);
	WRITE_ONCE(port->flap_down, said->flap_down);
	WRITE_ONCE(port->flap_period, said->flap_period);
	if (said->failed && !port->there_failed)
		set_bit(HC_PORT_DIED, &port->flags);
	port->there_failed = said->failed;
	changed = end_follow(node, dim, said->down, said->forget);
	changed |= hc_spent_received(node, dim, said->spent);
	changed |= cuts_received(port, said->cuts);
	if (changed) {
		hc_node_kick(node, HC_EV_LINKS);
		news = true;
	}
	return news;
}

void hc_link_set_carrier(struct hc_node *node, unsigned int dim, bool on)
{
	struct hc_port *port = &node->ports[dim];

	lockdep_assert_held(&node->fabric->lock);
	if (on) {
		link_spare(node->fabric, port);
		clear_bit(HC_PORT_DETECTED, &port->flags);
		/* The other end has sent its own state: HC_PORT_SPENT_THERE is not changed. */
		hc_spent_clear_here(node, dim);
	} else if (!test_bit(HC_PORT_NO_CARRIER, &port->flags)) {
		set_bit(HC_PORT_CUT, &port->flags);
	}
	assign_bit(HC_PORT_NO_CARRIER, &port->flags, !on);
	hc_node_kick(node, HC_EV_LINKS);
	hc_notify_link(node, dim);
}

static void link_set(struct hc_node *node, unsigned int dim, bool down, bool forget)
{
	struct hc_port *port = &node->ports[dim];

	/* Let no poll begin on this processor before both ends are marked. Then the nodes at both
	 * ends announce the fault at the same time. Otherwise the poll of the first end, and all
	 * polls that it causes, would run before the other end is marked.
	 */
	local_bh_disable();
	if (down && !test_bit(HC_PORT_DOWN, &port->flags))
		hc_link_cut(port);
	end_follow(node, dim, down, forget);
	end_notify(node, dim, forget);
	hc_node_kick(node, HC_EV_LINKS);
	local_bh_enable();
}

void hc_link_flip(struct hc_node *node, unsigned int dim, bool down)
{
	link_set(node, dim, down, false);
}

void hc_link_set_down(struct hc_node *node, unsigned int dim, bool down)
{
	link_set(node, dim, down, !down);
}

void hc_link_set_flap(struct hc_node *node, unsigned int dim, u32 down, u32 period)
{
	WRITE_ONCE(node->ports[dim].flap_down, down);
	WRITE_ONCE(node->ports[dim].flap_period, period);
	end_notify(node, dim, false);
}

void hc_link_set_spent(struct hc_node *node, unsigned int dim)
{
	lockdep_assert_held(&node->fabric->lock);
	end_notify(node, dim, false);
}

static void carrier_follow(struct hc_node *node)
{
	/* An endpoint in a foreign namespace may have lost its interface for good (netns_move.c).
	 */
	if (node->dev->reg_state != NETREG_REGISTERED)
		return;
	if (node->failed)
		netif_carrier_off(node->dev);
	else
		netif_carrier_on(node->dev);
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
	/* As in link_set(), let no poll begin before the links to all neighbours are marked. */
	local_bh_disable();
	for (d = 0; d < fabric->topo.ports; d++) {
		if (failed)
			hc_link_cut(&node->ports[d]);
		end_follow(node, d, test_bit(HC_PORT_DOWN, &node->ports[d].flags), false);
		end_notify(node, d, false);
	}
	local_bh_enable();
	carrier_follow(node);
	hc_notify_node_failed(node);
	hc_node_kick(node, HC_EV_LINKS);
}

bool hc_link_is_clear(const struct hc_port *port)
{
	return !(READ_ONCE(port->flags) & (BIT(HC_PORT_DOWN) | BIT(HC_PORT_DETECTED) |
					 HC_PORT_GAVE_UP)) &&
	       !port->flap_period && !hc_impair_impairs(port) &&
	       port->latency == HC_LATENCY_DEFAULT && port->bandwidth == HC_BANDWIDTH_DEFAULT;
}

static void faults_clear(struct hc_node *node)
{
	unsigned int d;

	WRITE_ONCE(node->failed, false);
	hc_byzantine_clear(node);
	carrier_follow(node);
	for (d = 0; d < node->fabric->topo.ports; d++) {
		struct hc_port *port = &node->ports[d];

		hc_impair_clear(port);
		end_follow(node, d, false, true);
		WRITE_ONCE(port->latency, HC_LATENCY_DEFAULT);
		WRITE_ONCE(port->bandwidth, HC_BANDWIDTH_DEFAULT);
	}
}

/* Clear all ends before any end notifies its other end. An end that is notified then seldom finds a
 * change: so a node's poll is kicked once, and not once more for each of the node's links.
 */
void hc_link_clear(struct hc_fabric *fabric)
{
	struct hc_node *node;
	unsigned int d;

	lockdep_assert_held(&fabric->lock);
	hc_flap_clear(fabric);
	fabric->nfailed = 0;
	hc_each_node(fabric, node)
		faults_clear(node);
	hc_each_node(fabric, node) {
		for (d = 0; d < fabric->topo.ports; d++)
			end_notify(node, d, true);
		hc_node_kick(node, HC_EV_LINKS);
		hc_node_kicked(fabric, node->id);
	}
}

u32 hc_link_count_unusable(const struct hc_fabric *fabric)
{
	struct hc_node *node, *far;
	unsigned int d;
	u32 n = 0;

	hc_each_node(fabric, node)
		for (d = 0; d < fabric->topo.ports; d++) {
			far = fabric->nodes[hc_node_peer(node, d)];
			if (hc_lower_end(node, d) == node && far != node &&
			    (!hc_link_usable(node, d) || (far && !hc_link_usable(far, d))))
				n++;
		}
	return n;
}
