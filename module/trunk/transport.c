// SPDX-License-Identifier: GPL-2.0
/*
 * The transport of links whose other end is on another machine: frames are sent over a trunk
 * (trunk/trunk.h). The link is unusable while it has no trunk, and until the peer has sent the
 * state of its end.
 *
 * Each end sends its configured state to the other end in a STATE record. Whether the link is down
 * is a setting of both ends: the latest change holds. As records of the two ends may cross, each
 * change has a version, which is greater than all versions that its end has received. If two
 * changes have the same version, the change by the node with the higher number holds.
 */
#include <linux/slab.h>

#include "fabric/fabric.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "fabric/transport.h"
#include "hc_bounds.h"
#include "hc_topo.h"
#include "notifier.h"
#include "trunk/trunk.h"

static int trunk_open(struct hc_node *node, unsigned int dim)
{
	struct hc_trunk_end *end = kzalloc(sizeof(*end), GFP_KERNEL_ACCOUNT);

	if (!end)
		return -ENOMEM;
	spin_lock_init(&end->lock);
	node->ports[dim].end = end;
	set_bit(HC_PORT_NO_CARRIER, &node->ports[dim].flags);
	return 0;
}

static void trunk_close(struct hc_node *node, unsigned int dim)
{
	kfree(node->ports[dim].end);
	node->ports[dim].end = NULL;
}

static void trunk_xmit(struct hc_node *node, struct hc_port *port, struct sk_buff *skb)
{
	struct hc_trunk *trunk;

	rcu_read_lock();
	trunk = rcu_dereference(port->end->trunk);
	if (trunk)
		hc_trunk_xmit(trunk, node, port, skb);
	else
		hc_drop(node, port, skb, HYPERCUBE_A_DROP_LINK_DOWN);
	rcu_read_unlock();
}

/* Send the state of this end to the peer again. */
static void end_notify(const struct hc_node *node, unsigned int dim)
{
	struct hc_trunk_end *end = node->ports[dim].end;
	struct hc_trunk *trunk;

	trunk = rcu_dereference_protected(end->trunk, lockdep_is_held(&node->fabric->lock));
	if (trunk)
		hc_trunk_notify(trunk, node->id);
}

/* Record the settings of this end, which are to be sent to the peer. */
static void end_say(struct hc_trunk_end *end, const struct hc_link_said *said)
{
	u8 forget = said->forget ? HC_END_F_FORGET : end->flags & HC_END_F_FORGET;

	spin_lock(&end->lock);
	if (said->down != end->down)
		end->version++;
	end->down = said->down;
	end->flags = (said->down ? HC_END_F_DOWN : 0) | (said->failed ? HC_END_F_FAILED : 0) |
		     forget;
	end->flap_down = said->flap_down;
	end->flap_period = said->flap_period;
	spin_unlock(&end->lock);
}

static u32 trunk_state(const struct hc_node *node, unsigned int dim,
		       const struct hc_link_said *said)
{
	struct hc_trunk_end *end = node->ports[dim].end;
	const struct hc_trunk *trunk;
	u32 state = 0;

	if (said) {
		lockdep_assert_held(&node->fabric->lock);
		end_say(end, said);
		end_notify(node, dim);
	}
	rcu_read_lock();
	trunk = rcu_dereference(end->trunk);
	if (trunk && hc_trunk_tx_busy(trunk))
		state = HC_TRANSPORT_BUSY;
	rcu_read_unlock();
	return state;
}

static u32 trunk_mtu(const struct hc_node *node, unsigned int dim)
{
	return HC_TRUNK_FRAME_MAX;
}

/* ------------------------------------------------------------ the other end */

/* FORGET (the other end is to forget what DETECT has found) is sent only once. SPENT is read from
 * the port, since polls change it without configuration.
 */
void hc_trunk_end_fill(struct hc_node *node, unsigned int dim, struct hc_wire_end *w)
{
	u8 spent = test_bit(HC_PORT_SPENT, &node->ports[dim].flags) ? HC_END_F_SPENT : 0;
	struct hc_trunk_end *end = node->ports[dim].end;

	spin_lock(&end->lock);
	w->version = cpu_to_be32(end->version);
	w->flap_down = cpu_to_be32(end->flap_down);
	w->flap_period = cpu_to_be32(end->flap_period);
	w->flags = end->flags | spent;
	w->cuts = cpu_to_be16(atomic_read(&node->ports[dim].cuts));
	end->flags &= ~HC_END_F_FORGET;
	spin_unlock(&end->lock);
}

/* Return: true if a flap schedule that the peer has sent is one that configuration could have set.
 * This end stores the schedule only to show it to user space.
 */
static bool flap_is_valid(u32 down, u32 period)
{
	return down >= HC_FLAP_MIN && period <= HC_FLAP_MAX && period >= down &&
	       period - down >= HC_FLAP_MIN;
}

/* Apply the peer's setting of DOWN, unless this end has a later one. Return: false if this end has
 * a later setting, which the caller must send to the peer.
 */
static bool down_take(struct hc_node *node, unsigned int dim, u32 version, bool down)
{
	struct hc_trunk_end *end = node->ports[dim].end;
	s32 newer = version - end->version;
	bool higher = hc_node_peer(node, dim) > node->id;

	if (newer < 0 || (!newer && down != end->down && !higher))
		return false;
	spin_lock(&end->lock);
	end->version = version;
	end->down = down;
	end->flags = (end->flags & ~HC_END_F_DOWN) | (down ? HC_END_F_DOWN : 0);
	spin_unlock(&end->lock);
	return true;
}

void hc_trunk_end_received(struct hc_node *node, unsigned int dim, const struct hc_wire_end *w)
{
	struct hc_port *port = &node->ports[dim];
	u32 flap_down = be32_to_cpu(w->flap_down), flap_period = be32_to_cpu(w->flap_period);
	bool flaps = flap_is_valid(flap_down, flap_period);
	bool takes, news, down = w->flags & HC_END_F_DOWN;
	struct hc_link_said said;

	lockdep_assert_held(&node->fabric->lock);
	takes = down_take(node, dim, be32_to_cpu(w->version), down);
	said = (struct hc_link_said){
		.down = port->end->down,
		.failed = w->flags & HC_END_F_FAILED,
		.spent = w->flags & HC_END_F_SPENT,
		.forget = w->flags & HC_END_F_FORGET,
		.cuts = be16_to_cpu(w->cuts),
		.flap_down = flaps ? flap_down : 0,
		.flap_period = flaps ? flap_period : 0,
	};
	news = hc_link_received(node, dim, &said);
	if (test_bit(HC_PORT_NO_CARRIER, &port->flags) && rcu_access_pointer(port->end->trunk))
		hc_link_set_carrier(node, dim, true);
	else if (news)
		hc_notify_link(node, dim);
	if (!takes)
		end_notify(node, dim);
}

/* If the boot id has changed, the machine at the other end has rebooted, and its nodes have lost
 * all data that was sent to them before.
 */
void hc_trunk_end_lives(struct hc_node *node, unsigned int dim, u32 life)
{
	struct hc_port *port = &node->ports[dim];

	lockdep_assert_held(&node->fabric->lock);
	if (life && port->life && life != port->life) {
		set_bit(HC_PORT_REBORN, &port->flags);
		set_bit(HC_PORT_DIED, &port->flags);
		hc_node_kick(node, HC_EV_TASKS);
	}
	if (life)
		WRITE_ONCE(port->life, life);
	/* Write the boot id before the link becomes usable. Pairs with hc_link_life(). */
	smp_wmb();
}

void hc_trunk_end_forget(struct hc_node *node, unsigned int dim)
{
	const struct hc_port *port = &node->ports[dim];
	const struct hc_link_said said = {
		.down = port->end->down,
		.cuts = port->cuts_there,
		.flap_down = port->flap_down,
		.flap_period = port->flap_period,
	};

	if (!test_bit(HC_PORT_NO_CARRIER, &port->flags))
		hc_link_set_carrier(node, dim, false);
	if (hc_link_received(node, dim, &said))
		hc_notify_link(node, dim);
}

const struct hc_transport_ops hc_trunk_transport = {
	.name	= "trunk",
	.open	= trunk_open,
	.close	= trunk_close,
	.xmit	= trunk_xmit,
	.state	= trunk_state,
	.mtu	= trunk_mtu,
};
