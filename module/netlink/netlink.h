/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HC_NETLINK_H
#define _HC_NETLINK_H

#include <linux/types.h>
#include <linux/hypercube.h>

struct hc_fabric;
struct hc_node;
struct hc_path_dims;
struct hc_plan;
struct hc_round_record;
struct hypercube_verdict;

int hc_netlink_init(void);
void hc_netlink_exit(void);

/* Events to the multicast group.  All are harmless without listeners. */
void hc_notify_fabric(struct hc_fabric *fabric, u32 cmd);		/* config */
void hc_notify_node(struct hc_node *node);				/* config */
struct hc_trunk;
void hc_notify_trunk(const struct hc_trunk *trunk, u32 cmd);
void hc_notify_link(struct hc_node *node, unsigned int dim);		/* any context */
void hc_notify_plan(struct hc_plan *plan, u32 cmd);			/* any context */

/**
 * struct hc_op_event - an operation ended, as its sink or the finder of a fault saw it
 * @node: the node that says so
 * @nr: number of the operation
 * @status: 0 or -errno
 * @cause_node: with a status: where the cause lies, or HC_CAUSE_NONE
 * @cause_dim: with a status: dimension, or HC_CAUSE_NONE
 * @steps: without a status: parallel steps
 * @time: without a status: modelled time, ns
 */
struct hc_op_event {
	u32 node;
	u64 nr;
	int status;
	u32 cause_node;
	u32 cause_dim;
	u32 steps;
	u64 time;
};

void hc_notify_op(const struct hc_plan *plan, const struct hc_op_event *ev);	/* any context */

/* Copies of a datagram disagree, that came to @node in the name of @src by these paths. */
void hc_notify_verdict(struct hc_node *node, u32 src, const struct hypercube_verdict *v,
		       const struct hc_path_dims *path);		/* any context */

/* @count tasks were lost at @node, @n of them with these ids. */
void hc_notify_tasks_lost(struct hc_node *node, enum hypercube_task_loss loss,
			  const struct hypercube_task *ids, unsigned int n,
			  u64 count);						/* any context */

/* A round of balancing has ended. */
void hc_notify_round(struct hc_fabric *fabric, const struct hc_round_record *rec);
									/* any context */

#endif /* _HC_NETLINK_H */
