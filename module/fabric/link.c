// SPDX-License-Identifier: GPL-2.0
/*
 * Links: state, the time model, and the way FAULT words follow the state.
 *
 * Configuration writes the flags of one end and has the carrier tell the other one, which writes
 * its own and kicks its poll; then it kicks the poll of the first.  Each poll recomputes its own
 * FAULT word and sends it over all its usable links.  It does so even if the word has not
 * changed: a poll that ran between the writes to the two ends may have told a neighbour who was
 * still deaf.  The poll that follows the kick tells it again, and by then both can hear.
 *
 * A request for a change is answered when all this has happened (netlink/later.c), so that its
 * sender then reads the new FAULT words, and plans made from them are not stale.
 */
#include <linux/math64.h>

#include "coll/work.h"
#include "fabric/carrier.h"
#include "fabric/fabric.h"
#include "fabric/flap.h"
#include "fabric/frame.h"
#include "fabric/impair.h"
#include "fabric/lie.h"
#include "fabric/link.h"
#include "fabric/monitor.h"
#include "fabric/node.h"
#include "fabric/own.h"
#include "fabric/queue.h"
#include "fabric/skb.h"
#include "fabric/spent.h"
#include "hc_bounds.h"
#include "hc_topo.h"
#include "netlink/netlink.h"
#include "route/detect.h"
#include "route/lsdb.h"
#include "task/queue.h"
#include "task/round.h"
#include "trace.h"

/* ------------------------------------------------------------ carriers */

/* Bytes of a full frame of an operation, with the longest parts in front. */
static u32 frame_max(const struct hc_fabric *fabric)
{
	return HC_WALK_ROOM + HC_DATA_HEAD + fabric->segment;
}

int hc_link_open(struct hc_node *node, unsigned int dim)
{
	struct hc_port *port = &node->ports[dim];
	const struct hc_carrier_ops *ops;
	int err;

	port->latency = HC_LATENCY_DEFAULT;
	port->bandwidth = HC_BANDWIDTH_DEFAULT;
	ops = hc_is_here(node->fabric, hc_neigh(node->id, dim)) ? &hc_carrier_mem :
								  &hc_carrier_trunk;
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

/* Tell the other end what was said at this one. */
static void end_tell(const struct hc_node *node, unsigned int dim, bool anew)
{
	const struct hc_port *port = &node->ports[dim];
	const struct hc_link_said said = {
		.down = test_bit(HC_PORT_DOWN, &port->flags),
		.failed = node->failed,
		.spent = test_bit(HC_PORT_SPENT, &port->flags),
		.anew = anew,
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

	return hc_impair_pending(port) || port->ops->state(node, dim, NULL) & HC_CARRIER_BUSY;
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
	hc_impair_get(port, &set, NULL);
	return min_not_zero(bandwidth, set.rate);
}

/* Of a frame that arrives after @vain attempts in vain, each of which the other end answers. */
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

/* Count a frame that is about to leave, and show it. */
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

	/* Holders of a clone of the frame must not see the header change. */
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
		.sealed = unlikely(impaired) && hc_impair_seal(impaired, skb),
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
	hdr->dst = cpu_to_be16(hc_neigh(node->id, dim));
	hdr->flags &= ~(HC_FRAME_F_ROUTED | HC_FRAME_F_BACK | HC_FRAME_F_FIXED);
	hdr->walk = 0;
	hdr->hop = 0;
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

/* Links that were unusable since this was asked last. What was under way is lost, even if they are
 * no longer.
 */
static u32 cuts_take(struct hc_node *node)
{
	u32 cut = 0;
	unsigned int d;

	for (d = 0; d < node->fabric->dim; d++)
		if (test_bit(HC_PORT_CUT, &node->ports[d].flags) &&
		    test_and_clear_bit(HC_PORT_CUT, &node->ports[d].flags))
			cut |= hc_bit(d);
	return cut;
}

void hc_link_update(struct hc_node *node)
{
	u32 cut = cuts_take(node);
	u32 word = fault_word(node);
	u32 news = (word & ~node->fault) | cut;
	unsigned int d;

	if (word != node->fault)
		trace_hc_fault(node, node->fault, word);
	for (d = 0; d < node->fabric->dim; d++)
		if (news & hc_bit(d))
			hc_coll_link_fault(node, d);
	hc_lsdb_meet(node, cut);
	hc_round_cut(node, news);
	hc_detect_word(&node->detect);
	/* Readers that see the word see that plans have to be looked at, and that nobody has
	 * heard it: see hc_link_told().
	 */
	smp_store_release(&node->fault, word);
}

void hc_link_event(struct hc_node *node)
{
	u32 round = READ_ONCE(node->detect.tell_round);

	hc_link_update(node);
	hc_detect_tell(node);
	hc_lsdb_links(node);
	/* Pairs with all_have() in detect.c: the word has a new number. */
	smp_store_release(&node->detect.tells, round);
}

/* ------------------------------------------------------------ configuration */

/* The neighbours have answered the node's word then. */
bool hc_link_told(const struct hc_node *node)
{
	/* Pairs with hc_link_update(). */
	u32 word = smp_load_acquire(&node->fault);
	unsigned int d;

	if (word != fault_word(node) || !hc_coll_faults_over(node))
		return false;
	for (d = 0; d < node->fabric->dim; d++)
		if (test_bit(HC_PORT_CUT, &node->ports[d].flags) ||
		    (hc_link_usable(node, d) && !hc_detect_is_heard(&node->detect, d)))
			return false;
	return true;
}

void hc_link_cut(struct hc_port *port)
{
	atomic_inc(&port->cuts);
	set_bit(HC_PORT_CUT, &port->flags);
}

/* What the other end has cut is cut here, too, also if it is over when this end hears of it. */
static bool cuts_heard(struct hc_port *port, u16 cuts)
{
	if (cuts == port->cuts_there)
		return false;
	port->cuts_there = cuts;
	set_bit(HC_PORT_CUT, &port->flags);
	return true;
}

/* Make an end's flags follow what was said at both.  True: they have changed. */
static bool end_follow(struct hc_node *node, unsigned int dim, bool down, bool anew)
{
	struct hc_port *port = &node->ports[dim];
	bool failed = node->failed || port->there_failed;
	unsigned long was = READ_ONCE(port->flags);
	bool unmarked;

	lockdep_assert_held(&node->fabric->lock);
	if (anew || (was & BIT(HC_PORT_DOWN) && !down) || (was & BIT(HC_PORT_FAILED) && !failed))
		hc_detect_spare(node->fabric, port);
	assign_bit(HC_PORT_DOWN, &port->flags, down);
	assign_bit(HC_PORT_FAILED, &port->flags, failed);
	/* The poll may have set it in the meantime. */
	unmarked = anew && test_and_clear_bit(HC_PORT_DETECTED, &port->flags);
	if (anew)
		unmarked |= hc_spent_clear(node, dim);
	return unmarked || (was ^ READ_ONCE(port->flags)) & HC_PORT_UNUSABLE;
}

bool hc_link_heard(struct hc_node *node, unsigned int dim, const struct hc_link_said *said)
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
	changed = end_follow(node, dim, said->down, said->anew);
	changed |= hc_spent_heard(node, dim, said->spent);
	changed |= cuts_heard(port, said->cuts);
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
		hc_detect_spare(node->fabric, port);
		clear_bit(HC_PORT_DETECTED, &port->flags);
		/* What the other end says of its own has been heard. */
		hc_spent_clear_here(node, dim);
	} else if (!test_bit(HC_PORT_NO_CARRIER, &port->flags)) {
		set_bit(HC_PORT_CUT, &port->flags);
	}
	assign_bit(HC_PORT_NO_CARRIER, &port->flags, !on);
	hc_node_kick(node, HC_EV_LINKS);
	hc_notify_link(node, dim);
}

static void link_set(struct hc_node *node, unsigned int dim, bool down, bool anew)
{
	struct hc_port *port = &node->ports[dim];

	if (down && !test_bit(HC_PORT_DOWN, &port->flags))
		hc_link_cut(port);
	end_follow(node, dim, down, anew);
	end_tell(node, dim, anew);
	hc_node_kick(node, HC_EV_LINKS);
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
	end_tell(node, dim, false);
}

void hc_link_set_spent(struct hc_node *node, unsigned int dim)
{
	lockdep_assert_held(&node->fabric->lock);
	end_tell(node, dim, false);
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

void hc_link_set_failed(struct hc_node *node, bool failed)
{
	struct hc_fabric *fabric = node->fabric;
	unsigned int d;

	lockdep_assert_held(&fabric->lock);
	if (node->failed == failed)
		return;
	WRITE_ONCE(node->failed, failed);
	fabric->nfailed += failed ? 1 : -1;
	for (d = 0; d < fabric->dim; d++) {
		if (failed)
			hc_link_cut(&node->ports[d]);
		end_follow(node, d, test_bit(HC_PORT_DOWN, &node->ports[d].flags), false);
		end_tell(node, d, false);
	}
	carrier_follow(node);
	hc_tasks_follow(node);
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
	hc_lie_clear(node);
	carrier_follow(node);
	for (d = 0; d < node->fabric->dim; d++) {
		struct hc_port *port = &node->ports[d];

		hc_impair_clear(port);
		end_follow(node, d, false, true);
		WRITE_ONCE(port->latency, HC_LATENCY_DEFAULT);
		WRITE_ONCE(port->bandwidth, HC_BANDWIDTH_DEFAULT);
	}
}

/* All ends are cleared before the first tells another one. So that one seldom finds that
 * something has changed, and seldom kicks a poll for each of its links.
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
		for (d = 0; d < fabric->dim; d++)
			end_tell(node, d, true);
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
		for (d = 0; d < fabric->dim; d++) {
			far = fabric->nodes[node->id ^ hc_bit(d)];
			if (hc_lower_end(node, d) == node &&
			    (!hc_link_usable(node, d) || (far && !hc_link_usable(far, d))))
				n++;
		}
	return n;
}
