// SPDX-License-Identifier: GPL-2.0
/*
 * Links that are spent.  A link delivers each frame of the nodes' protocols once and in order, or
 * it is down.  So it goes down, at both ends, when a frame is given up after so many attempts
 * (impair.c), and when one is missing that has a number: fail-stop.
 *
 * A poll that finds that takes its own end down at once (HC_PORT_SPENT).  A work item tells the
 * other end, under the same lock as configuration: what it tells is the state then, so that a later
 * one only has to be told again.  The link is up again when it is set up by configuration, when its
 * impairments are changed, or when a round of DETECT that began later hears both directions.
 */
#include "fabric/fabric.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/spent.h"
#include "netlink/netlink.h"

static void spent_news(struct hc_node *node, unsigned int dim)
{
	struct hc_spents *s = &node->fabric->spents;

	set_bit(HC_PORT_SPENT_NEWS, &node->ports[dim].flags);
	/* The work that finds the node finds the link. */
	smp_mb__after_atomic();
	set_bit(node->id, s->nodes);
	queue_work(system_long_wq, &s->work);
}

/* The round comes before the mark: see hc_spent_found(). */
static void spent_mark(struct hc_node *node, unsigned int dim, unsigned int bit)
{
	struct hc_port *port = &node->ports[dim];

	WRITE_ONCE(port->spent_in, READ_ONCE(node->detect.round));
	/* Pairs with hc_spent_found(). */
	smp_mb__before_atomic();
	set_bit(bit, &port->flags);
}

void hc_spent_set(struct hc_node *node, unsigned int dim)
{
	/* It is down already, be it by DETECT, whose verdict goes over it nonetheless. */
	if (!hc_link_usable(node, dim))
		return;
	spent_mark(node, dim, HC_PORT_SPENT);
	/* Operations hear of it at both ends even if it is over soon. */
	hc_link_cut(&node->ports[dim]);
	hc_node_kick(node, HC_EV_LINKS);
	spent_news(node, dim);
}

bool hc_spent_clear_here(struct hc_node *node, unsigned int dim)
{
	if (!test_and_clear_bit(HC_PORT_SPENT, &node->ports[dim].flags))
		return false;
	/* The other end may have heard that it was after it had asked for this. */
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
	/* Rounds of another machine are not counted here. */
	if (READ_ONCE(port->spent_in) == READ_ONCE(node->detect.round) && !asked) {
		/* The other end may have found it good. */
		if (test_bit(HC_PORT_SPENT, &port->flags))
			spent_news(node, dim);
		return false;
	}
	hc_spent_clear(node, dim);
	spent_news(node, dim);
	return true;
}

bool hc_spent_heard(struct hc_node *node, unsigned int dim, bool spent)
{
	struct hc_port *port = &node->ports[dim];

	if (test_bit(HC_PORT_SPENT_THERE, &port->flags) == spent) {
		/* Said again: it is so in this round, too. */
		if (spent)
			WRITE_ONCE(port->spent_in, READ_ONCE(node->detect.round));
		return false;
	}
	if (spent)
		spent_mark(node, dim, HC_PORT_SPENT_THERE);
	else
		clear_bit(HC_PORT_SPENT_THERE, &port->flags);
	return true;
}

static void spent_tell(struct hc_node *node)
{
	unsigned int d;

	for (d = 0; d < node->fabric->dim; d++)
		if (test_and_clear_bit(HC_PORT_SPENT_NEWS, &node->ports[d].flags)) {
			hc_link_set_spent(node, d);
			hc_notify_link(node, d);
		}
}

static void spents_work(struct work_struct *work)
{
	struct hc_fabric *fabric = container_of(work, struct hc_fabric, spents.work);
	u32 u;

	for_each_set_bit(u, fabric->spents.nodes, hc_nodes(fabric->dim)) {
		mutex_lock(&fabric->lock);
		clear_bit(u, fabric->spents.nodes);
		/* News that comes from now on sets it again. */
		smp_mb__after_atomic();
		if (!fabric->dead)
			spent_tell(fabric->nodes[u]);
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
