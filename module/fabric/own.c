// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of frames that nodes make on their own behalf, not for a process: link states, and control
 * messages of operations, tasks and rounds.
 *
 * No socket is charged for such a frame. So the link over which the frame is sent first is charged,
 * until the frame is freed, wherever it waits meanwhile; and so is the fabric's accounting owner.
 *
 * Link states are not queued: a bit records that a state is outstanding, and the frame that is
 * finally made gets the newest state (route/detect.c, route/lsdb.c). So it does no harm to make a
 * frame later. These limits apply to bytes in flight:
 *
 *	OWN_MAX		of link states, for each link; the same again of DETECT's test frames,
 *			replies and decisions
 *	STATES_MAX	of link states, for all links of the accounting owner; above it, only a link
 *			that has no frame in flight gets one
 *
 * When frames in flight have been freed, the poll continues. A link that has none in flight may
 * always have one, so nothing is outstanding for ever.
 *
 * The other frames are control messages. They are counted separately: they may be forwarded to
 * other nodes, and a node that does not process them must not keep a link from sending its states.
 * Control messages whose senders repeat them until they are sent are refused when the accounting
 * owner has WORDS_MAX bytes of them in flight, unless the link has less than WORD_MAX bytes of them
 * in flight. They are refused before the link gives them a sequence number, so a refusal costs only
 * the time until they are repeated. Control messages that credits bound (HC_FT_NEEDED) are never
 * refused.
 *
 * No wake-up is lost: hc_own_room() sets the bit in .own_wait before it checks the limits once
 * more, and own_free() uncharges the frame before it reads the bit. The bit stays set only while
 * the link has frames in flight, and it is read at the latest when the last one of them is freed.
 */
#include <linux/sizes.h>

#include "fabric/fabric.h"
#include "fabric/limits.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/own.h"

/* Limit for link states of one link: about 20 short frames, or 4 frames that are full of states. */
#define OWN_MAX	SZ_16K
/* Limits for link states, and for control messages, of all links of an accounting owner. */
#define STATES_MAX	SZ_16M
#define WORDS_MAX	SZ_64M
/* Control messages that a link may always have in flight: two of them reach this limit. */
#define WORD_MAX	SZ_2K

/* Destructor: uncharge a frame. If link states are outstanding, let the poll continue once half of
 * OWN_MAX is free, not after each frame. Runs wherever frames are freed: in polls, timers of links
 * and work items of trunks, and at the teardown, when polls are disabled but the nodes still exist.
 */
static void own_free(struct sk_buff *skb)
{
	struct hc_own *own = skb_shinfo(skb)->destructor_arg;
	struct hc_node *node = own->node;
	int left = atomic_sub_return(skb->mark, &own->bytes);

	hc_own_pay(node->fabric, own->owed, -(s64)skb->mark);
	skb->mark = 0;
	if (own->owed && left <= OWN_MAX / 2 && test_bit(own->dim, &node->own_wait) &&
	    test_and_clear_bit(own->dim, &node->own_wait))
		hc_node_run(node);
}

/* Charge a frame. skb->mark records the charged amount, because skb->truesize may grow in transit.
 */
static void own_charge(struct hc_own *own, struct sk_buff *skb)
{
	skb->mark = skb->truesize;
	skb_shinfo(skb)->destructor_arg = own;
	skb->destructor = own_free;
	atomic_add(skb->mark, &own->bytes);
	hc_own_pay(own->node->fabric, own->owed, skb->mark);
}

static bool has_room(const struct hc_node *node, unsigned int dim)
{
	u32 bytes = atomic_read(&node->ports[dim].owed.bytes);

	return !bytes || (bytes < OWN_MAX && hc_own_paid(node->fabric, true) < STATES_MAX);
}

void hc_own_init(struct hc_node *node)
{
	unsigned int d;

	for (d = 0; d < node->fabric->topo.ports; d++) {
		node->ports[d].owed = (struct hc_own){ .node = node, .dim = d, .owed = true };
		node->ports[d].words = (struct hc_own){ .node = node, .dim = d };
	}
}

bool hc_own_room(struct hc_node *node, unsigned int dim)
{
	if (has_room(node, dim))
		return true;
	set_bit(dim, &node->own_wait);
	/* Pairs with the atomic operations in own_free(). */
	smp_mb__after_atomic();
	if (!has_room(node, dim))
		return false;
	clear_bit(dim, &node->own_wait);
	return true;
}

bool hc_own_spare(const struct hc_node *node, unsigned int dim)
{
	return atomic_read(&node->ports[dim].owed.bytes) < 2 * OWN_MAX;
}

bool hc_own_may(const struct hc_node *node, unsigned int dim, const struct sk_buff *skb)
{
	return !hc_own_is_new(skb) || hc_frame_is(skb, HC_FT_NEEDED | HC_FT_OWED) ||
	       atomic_read(&node->ports[dim].words.bytes) < WORD_MAX ||
	       hc_own_paid(node->fabric, false) < WORDS_MAX;
}

void hc_own_charge(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	struct hc_port *port = &node->ports[dim];

	if (hc_own_is_new(skb))
		own_charge(hc_frame_is(skb, HC_FT_OWED) ? &port->owed : &port->words, skb);
}

void hc_own_charge_copy(const struct sk_buff *skb, struct sk_buff *copy)
{
	if (skb->destructor == own_free)
		own_charge(skb_shinfo(skb)->destructor_arg, copy);
}
