// SPDX-License-Identifier: GPL-2.0
/*
 * The parts of the module that are notified of events, in the order in which main.c starts them.
 * The list needs no lock: it is complete before the first fabric is created, and does not change
 * until the module is removed.
 */
#include <linux/align.h>
#include <linux/cache.h>
#include <linux/init.h>

#include "notifier.h"

static LIST_HEAD(notifiers);
static size_t fabric_size __ro_after_init, node_size __ro_after_init;

void __init hc_notifier_add(struct hc_notifier *notifier)
{
	notifier->fabric_at = fabric_size;
	notifier->node_at = node_size;
	fabric_size += ALIGN(notifier->fabric_size, __alignof__(u64));
	node_size += ALIGN(notifier->node_size, __alignof__(u64));
	list_add_tail(&notifier->list, &notifiers);
}

size_t hc_notifier_fabric_size(void)
{
	return fabric_size;
}

size_t hc_notifier_node_size(void)
{
	return node_size;
}

void hc_notify_fabric_init(struct hc_fabric *fabric, void *state)
{
	const struct hc_notifier *n;

	list_for_each_entry(n, &notifiers, list)
		if (n->fabric_init)
			n->fabric_init(fabric, state + n->fabric_at);
}

void hc_notify_fabric_stop(struct hc_fabric *fabric)
{
	const struct hc_notifier *n;

	list_for_each_entry_reverse(n, &notifiers, list)
		if (n->fabric_stop)
			n->fabric_stop(fabric);
}

void hc_notify_fabric_exit(struct hc_fabric *fabric)
{
	const struct hc_notifier *n;

	list_for_each_entry_reverse(n, &notifiers, list)
		if (n->fabric_exit)
			n->fabric_exit(fabric);
}

/* Let all parts of the module initialise their state at a node. If a part fails, call .node_free of
 * this part and of the parts before it in the list; the parts after it have not been called.
 */
int hc_notify_node_init(struct hc_node *node, void *state)
{
	const struct hc_notifier *n;
	int err;

	list_for_each_entry(n, &notifiers, list) {
		err = n->node_init ? n->node_init(node, state + n->node_at) : 0;
		if (err)
			goto undo;
	}
	return 0;

undo:
	list_for_each_entry_from_reverse(n, &notifiers, list)
		if (n->node_free)
			n->node_free(node);
	return err;
}

void hc_notify_node_gone(struct hc_node *node)
{
	const struct hc_notifier *n;

	list_for_each_entry_reverse(n, &notifiers, list)
		if (n->node_gone)
			n->node_gone(node);
}

void hc_notify_node_stop(struct hc_node *node)
{
	const struct hc_notifier *n;

	list_for_each_entry_reverse(n, &notifiers, list)
		if (n->node_stop)
			n->node_stop(node);
}

void hc_notify_node_purge(struct hc_node *node)
{
	const struct hc_notifier *n;

	list_for_each_entry_reverse(n, &notifiers, list)
		if (n->node_purge)
			n->node_purge(node);
}

void hc_notify_node_free(struct hc_node *node)
{
	const struct hc_notifier *n;

	list_for_each_entry_reverse(n, &notifiers, list)
		if (n->node_free)
			n->node_free(node);
}

void hc_notify_node_failed(struct hc_node *node)
{
	const struct hc_notifier *n;

	list_for_each_entry(n, &notifiers, list)
		if (n->node_failed)
			n->node_failed(node);
}

void hc_notify_fault_word(struct hc_node *node, u32 lost, u32 cut)
{
	const struct hc_notifier *n;

	list_for_each_entry(n, &notifiers, list)
		if (n->fault_word)
			n->fault_word(node, lost, cut);
}

void hc_notify_fault_rx(struct hc_node *node, unsigned int dim)
{
	const struct hc_notifier *n;

	list_for_each_entry(n, &notifiers, list)
		if (n->fault_rx)
			n->fault_rx(node, dim);
}

void hc_notify_faults_known(struct hc_node *node)
{
	const struct hc_notifier *n;

	list_for_each_entry(n, &notifiers, list)
		if (n->faults_known)
			n->faults_known(node);
}

void hc_notify_fabric(struct hc_fabric *fabric, u32 cmd)
{
	const struct hc_notifier *n;

	list_for_each_entry(n, &notifiers, list)
		if (n->fabric)
			n->fabric(fabric, cmd);
}

void hc_notify_node(struct hc_node *node)
{
	const struct hc_notifier *n;

	list_for_each_entry(n, &notifiers, list)
		if (n->node)
			n->node(node);
}

void hc_notify_trunk(const struct hc_trunk *trunk, u32 cmd)
{
	const struct hc_notifier *n;

	list_for_each_entry(n, &notifiers, list)
		if (n->trunk)
			n->trunk(trunk, cmd);
}

void hc_notify_link(struct hc_node *node, unsigned int dim)
{
	const struct hc_notifier *n;

	list_for_each_entry(n, &notifiers, list)
		if (n->link)
			n->link(node, dim);
}

void hc_notify_plan(struct hc_plan *plan, u32 cmd)
{
	const struct hc_notifier *n;

	list_for_each_entry(n, &notifiers, list)
		if (n->plan)
			n->plan(plan, cmd);
}

void hc_notify_op(const struct hc_plan *plan, const struct hc_op_event *ev)
{
	const struct hc_notifier *n;

	list_for_each_entry(n, &notifiers, list)
		if (n->op)
			n->op(plan, ev);
}

void hc_notify_disagreement(struct hc_node *node, u32 src, const struct hypercube_vote *v,
			    const struct hc_path_dims *path)
{
	const struct hc_notifier *n;

	list_for_each_entry(n, &notifiers, list)
		if (n->disagreement)
			n->disagreement(node, src, v, path);
}

void hc_notify_tasks_lost(struct hc_node *node, enum hypercube_task_loss loss,
			  const struct hypercube_task *ids, unsigned int nids, u64 count)
{
	const struct hc_notifier *n;

	list_for_each_entry(n, &notifiers, list)
		if (n->tasks_lost)
			n->tasks_lost(node, loss, ids, nids, count);
}

void hc_notify_round(struct hc_fabric *fabric, const struct hc_round_record *rec)
{
	const struct hc_notifier *n;

	list_for_each_entry(n, &notifiers, list)
		if (n->round)
			n->round(fabric, rec);
}
