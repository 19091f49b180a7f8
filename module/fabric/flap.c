// SPDX-License-Identifier: GPL-2.0
/*
 * Links that flap by a schedule: they are down for some time in each period.
 *
 * One work item of the fabric serves all of these links. It takes a link down and up as
 * configuration does, under hc_fabric.lock, and does nothing once the fabric is dead. Unlike a
 * request of configuration it does not wait until other nodes have received the FAULT words. It
 * releases the lock after TURNS_MAX links, so that configuration does not have to wait long.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "fabric/fabric.h"
#include "fabric/flap.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "hc_topo.h"
#include "notifier.h"

/* Most links that flap_work() takes up or down while it holds the lock. */
#define TURNS_MAX	32

/**
 * struct hc_flap - a link that flaps; under hc_fabric.lock
 * @list: in hc_fabric.flaps.list
 * @node: lower end of the link, or the other end if the lower one is remote
 * @dim: dimension of the link
 * @is_down: the schedule has taken the link down
 * @next: when @is_down changes next, jiffies
 */
struct hc_flap {
	struct list_head list;
	struct hc_node *node;
	unsigned int dim;
	bool is_down;
	unsigned long next;
};

/* Take the link down if it is up, else up. The time of the next change is computed from the time
 * when this change was due, so that periods do not drift. Changes that a busy machine has missed
 * are skipped.
 */
static void flap_turn(struct hc_flap *f)
{
	const struct hc_port *port = &f->node->ports[f->dim];
	u32 ms;

	f->is_down = !f->is_down;
	ms = f->is_down ? port->flap_down : port->flap_period - port->flap_down;
	f->next += msecs_to_jiffies(ms);
	if (time_before(f->next, jiffies))
		f->next = jiffies + msecs_to_jiffies(ms);
	hc_link_flip(f->node, f->dim, f->is_down);
	hc_notify_link(f->node, f->dim);
}

static void flap_work(struct work_struct *work)
{
	struct hc_fabric *fabric = container_of(to_delayed_work(work), struct hc_fabric,
						flaps.work);
	unsigned long next = 0;
	struct hc_flap *f, *more;
	unsigned int turns = 0;
	bool any = false;

	mutex_lock(&fabric->lock);
	if (fabric->dead)
		goto unlock;
	list_for_each_entry_safe(f, more, &fabric->flaps.list, list) {
		if (time_after_eq(jiffies, f->next) && turns < TURNS_MAX) {
			flap_turn(f);
			/* Move the link to the end of the list: other links that are due come first
			 * if TURNS_MAX is reached.
			 */
			list_move_tail(&f->list, &fabric->flaps.list);
			turns++;
			cond_resched();
		}
		if (!any || time_before(f->next, next))
			next = f->next;
		any = true;
	}
	if (any)
		mod_delayed_work(system_long_wq, &fabric->flaps.work,
				 time_after(next, jiffies) ? next - jiffies : 0);
unlock:
	mutex_unlock(&fabric->lock);
}

static void flap_remove(struct hc_flap *f)
{
	hc_link_set_flap(f->node, f->dim, 0, 0);
	list_del(&f->list);
	kfree(f);
}

static struct hc_flap *flap_find(struct hc_fabric *fabric, const struct hc_node *node,
				 unsigned int dim)
{
	struct hc_flap *f;

	list_for_each_entry(f, &fabric->flaps.list, list)
		if (f->node == node && f->dim == dim)
			return f;
	return NULL;
}

int hc_flap_set(struct hc_node *node, unsigned int dim, u32 down, u32 period)
{
	struct hc_fabric *fabric = node->fabric;
	struct hc_flap *f;

	lockdep_assert_held(&fabric->lock);
	/* @node may be either end. The schedule is stored at the lower end if that is local, else
	 * at the other end.
	 */
	node = hc_lower_end(node, dim);
	f = flap_find(fabric, node, dim);
	if (!period) {
		if (f && f->is_down)
			hc_link_flip(node, dim, false);
		if (f)
			flap_remove(f);
		return 0;
	}
	if (!f) {
		f = kzalloc(sizeof(*f), GFP_KERNEL_ACCOUNT);
		if (!f)
			return -ENOMEM;
		f->node = node;
		f->dim = dim;
		list_add_tail(&f->list, &fabric->flaps.list);
	}
	hc_link_set_flap(node, dim, down, period);
	f->is_down = false;
	f->next = jiffies;
	mod_delayed_work(system_long_wq, &fabric->flaps.work, 0);
	return 0;
}

void hc_flap_clear(struct hc_fabric *fabric)
{
	struct hc_flap *f, *more;

	lockdep_assert_held(&fabric->lock);
	list_for_each_entry_safe(f, more, &fabric->flaps.list, list)
		flap_remove(f);
}

void hc_flap_init(struct hc_fabric *fabric)
{
	INIT_LIST_HEAD(&fabric->flaps.list);
	INIT_DELAYED_WORK(&fabric->flaps.work, flap_work);
}

/* Stop the work item. It does not queue itself again, because the fabric is dead. */
void hc_flap_exit(struct hc_fabric *fabric)
{
	cancel_delayed_work_sync(&fabric->flaps.work);
	mutex_lock(&fabric->lock);
	hc_flap_clear(fabric);
	mutex_unlock(&fabric->lock);
}
