// SPDX-License-Identifier: GPL-2.0
/*
 * Links that are spent. A link delivers each frame of the nodes' protocols once and in order, or it
 * is down. So it goes down, at both ends, when a frame is given up after too many attempts
 * (impair.c), and when a frame with a number is missing: fail-stop.
 *
 * The poll that detects such a loss takes its own end down at once (HC_PORT_SPENT). A work item
 * notifies the other end, under hc_fabric.lock. It always sends the present state, so a change
 * after that only has to queue the work item again. The link is up again when configuration takes
 * it up, when its impairments are changed, or when a round of DETECT that began after the loss
 * finds that both directions work.
 */
#include "fabric/fabric.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/spent.h"
#include "notifier.h"

/* Let the work item notify the other end of the link and listeners. */
static void spent_news(struct hc_node *node, unsigned int dim)
{
	struct hc_spents *s = &node->fabric->spents;

	set_bit(HC_PORT_SPENT_NEWS, &node->ports[dim].flags);
	/* If the work item reads the node's bit as set, it also reads the link's bit as set. */
	smp_mb__after_atomic();
	set_bit(node->id, s->nodes);
	queue_work(system_long_wq, &s->work);
}

/* Mark the link as spent: set @bit. Before the mark, store the number of the present round of
 * DETECT in .spent_in. hc_spent_found() reads the mark first, and then .spent_in.
 */
static void spent_mark(struct hc_node *node, unsigned int dim, unsigned int bit)
{
	struct hc_port *port = &node->ports[dim];

	WRITE_ONCE(port->spent_in, READ_ONCE(node->detect_round));
	/* Pairs with hc_spent_found(). */
	smp_mb__before_atomic();
	set_bit(bit, &port->flags);
}

void hc_spent_set(struct hc_node *node, unsigned int dim)
{
	/* If the link is down already, there is nothing to do. A frame may be lost on such a link,
	 * too: over a link that DETECT has taken down, decisions of DETECT are still sent.
	 */
	if (!hc_link_usable(node, dim))
		return;
	spent_mark(node, dim, HC_PORT_SPENT);
	/* Operations at both ends fail even if the link is up again soon. */
	hc_link_cut(&node->ports[dim]);
	hc_node_kick(node, HC_EV_LINKS);
	spent_news(node, dim);
}

bool hc_spent_clear_here(struct hc_node *node, unsigned int dim)
{
	if (!test_and_clear_bit(HC_PORT_SPENT, &node->ports[dim].flags))
		return false;
	/* If the other end has requested this, an earlier notification that the link is spent may
	 * have reached it after it sent the request. So notify it that the mark is clear now.
	 */
	spent_news(node, dim);
	return true;
}

bool hc_spent_clear(struct hc_node *node, unsigned int dim)
{
	bool there = test_and_clear_bit(HC_PORT_SPENT_THERE, &node->ports[dim].flags);

	return hc_spent_clear_here(node, dim) || there;
}

bool hc_spent_found(struct hc_node *node, unsigned int dim, bool asked)
{
	struct hc_port *port = &node->ports[dim];

	if (!(READ_ONCE(port->flags) & HC_PORT_GAVE_UP))
		return false;
	/* Pairs with spent_mark(). */
	smp_rmb();
	/* A round during which the link was marked does not prove that the link works. Only rounds
	 * of this machine are compared: .spent_in is a number of such a round, and says nothing
	 * about a round that another machine has started.
	 */
	if (READ_ONCE(port->spent_in) == READ_ONCE(node->detect_round) && !asked) {
		/* The other end may have cleared HC_PORT_SPENT_THERE in this round: notify it that
		 * the mark of this end is still set.
		 */
		if (test_bit(HC_PORT_SPENT, &port->flags))
			spent_news(node, dim);
		return false;
	}
	hc_spent_clear(node, dim);
	spent_news(node, dim);
	return true;
}

bool hc_spent_received(struct hc_node *node, unsigned int dim, bool spent)
{
	struct hc_port *port = &node->ports[dim];

	if (test_bit(HC_PORT_SPENT_THERE, &port->flags) == spent) {
		/* The other end has repeated its notification, so the present round proves nothing
		 * about the link.
		 */
		if (spent)
			WRITE_ONCE(port->spent_in, READ_ONCE(node->detect_round));
		return false;
	}
	if (spent)
		spent_mark(node, dim, HC_PORT_SPENT_THERE);
	else
		clear_bit(HC_PORT_SPENT_THERE, &port->flags);
	return true;
}

static void spent_notify(struct hc_node *node)
{
	unsigned int d;

	for (d = 0; d < node->fabric->topo.ports; d++)
		if (test_and_clear_bit(HC_PORT_SPENT_NEWS, &node->ports[d].flags)) {
			hc_link_set_spent(node, d);
			hc_notify_link(node, d);
		}
}

static void spents_work(struct work_struct *work)
{
	struct hc_fabric *fabric = container_of(work, struct hc_fabric, spents.work);
	u32 u;

	for_each_set_bit(u, fabric->spents.nodes, fabric->topo.nodes) {
		mutex_lock(&fabric->lock);
		clear_bit(u, fabric->spents.nodes);
		/* A poll that changes a mark from here on sets the node's bit again. */
		smp_mb__after_atomic();
		if (!fabric->dead)
			spent_notify(fabric->nodes[u]);
		mutex_unlock(&fabric->lock);
		cond_resched();
	}
}

void hc_spents_init(struct hc_fabric *fabric)
{
	INIT_WORK(&fabric->spents.work, spents_work);
}

void hc_spents_exit(struct hc_fabric *fabric)
{
	cancel_work_sync(&fabric->spents.work);
}
