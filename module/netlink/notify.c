// SPDX-License-Identifier: GPL-2.0
/*
 * Sends events to the multicast group.
 */
#include <linux/srcu.h>

#include "coll/plan.h"
#include "fabric/fabric.h"
#include "fabric/node.h"
#include "netlink/priv.h"
#include "notifier.h"
#include "trunk/trunk.h"

/* When the module is unloaded, the netlink family ends before the fabrics. So sending an event,
 * from a poll or from a work item that may sleep, is an SRCU read section of @sending.
 */
DEFINE_STATIC_SRCU(sending);
static bool enabled;

void hc_notify_enable(bool enable)
{
	WRITE_ONCE(enabled, enable);
	/* After synchronize_srcu() no event is being sent, so the family may be unregistered. */
	if (!enable)
		synchronize_srcu(&sending);
}

/* Return: true if events are enabled and have listeners. This check comes first and must be cheap,
 * since polls end operations by the thousand.
 */
static bool event_wanted(struct net *net)
{
	return READ_ONCE(enabled) && genl_has_listeners(&hc_genl_family, net, HC_MCGRP_EVENTS);
}

/* Begin an event. Return: true if event_end() must follow. */
static bool event_begin(struct hc_msg *msg, const struct hc_fabric *fabric, u8 cmd, size_t size,
			gfp_t gfp)
{
	struct net *net = read_pnet(&fabric->net);

	if (!event_wanted(net))
		return false;
	msg->reader = srcu_read_lock(&sending);
	if (!event_wanted(net))
		goto unlock;
	msg->cmd = cmd;
	msg->user_ns = net->user_ns;
	msg->skb = genlmsg_new(size, gfp);
	if (msg->skb) {
		__release(&sending);	/* sparse: event_end() releases it */
		return true;
	}
	/* Notify listeners that they have missed an event. */
	genl_set_err(&hc_genl_family, net, 0, HC_MCGRP_EVENTS, ENOBUFS);
unlock:
	srcu_read_unlock(&sending, msg->reader);
	return false;
}

static void event_end(struct hc_msg *msg, const struct hc_fabric *fabric, int err, gfp_t gfp)
{
	struct net *net = read_pnet(&fabric->net);

	__acquire(&sending);
	if (WARN_ON_ONCE(err))
		nlmsg_free(msg->skb);
	else
		genlmsg_multicast_netns(&hc_genl_family, net, msg->skb, 0, HC_MCGRP_EVENTS, gfp);
	srcu_read_unlock(&sending, msg->reader);
}

/* Send an event of fabric @of, if there are listeners. @fill is an expression that writes the event
 * to msg; its value is 0 or -errno.
 */
#define notify(of, cmd, size, how, fill)				\
do {									\
	const struct hc_fabric *event_of = of;				\
	const gfp_t gfp = how;						\
	struct hc_msg msg = {};						\
									\
	if (event_begin(&msg, event_of, cmd, size, gfp))		\
		event_end(&msg, event_of, fill, gfp);			\
} while (0)

static void notify_fabric(struct hc_fabric *fabric, u32 cmd)
{
	notify(fabric, cmd, NLMSG_DEFAULT_SIZE, GFP_KERNEL, hc_fill_fabric(&msg, fabric));
}

static void notify_node(struct hc_node *node)
{
	notify(node->fabric, HYPERCUBE_CMD_NODE_NTF, NLMSG_DEFAULT_SIZE, GFP_KERNEL,
	       hc_fill_node(&msg, node));
}

static void notify_trunk(const struct hc_trunk *trunk, u32 cmd)
{
	notify(trunk->fabric, cmd, NLMSG_DEFAULT_SIZE, GFP_KERNEL, hc_fill_trunk(&msg, trunk));
}

static void notify_link(struct hc_node *node, unsigned int dim)
{
	notify(node->fabric, HYPERCUBE_CMD_LINK_NTF, NLMSG_DEFAULT_SIZE, GFP_KERNEL,
	       hc_fill_link(&msg, node, dim));
}

static void notify_plan(struct hc_plan *plan, u32 cmd)
{
	notify(plan->fabric, cmd, hc_plan_msg_size(plan), GFP_ATOMIC, hc_fill_plan(&msg, plan));
}

static void notify_vote(struct hc_node *node, u32 src, const struct hypercube_vote *v,
			const struct hc_path_dims *path)
{
	size_t size = NLMSG_DEFAULT_SIZE / 2 +
		      v->copies * nla_total_size(sizeof(struct hypercube_path));

	notify(node->fabric, HYPERCUBE_CMD_VOTE_NTF, size, GFP_ATOMIC,
	       hc_fill_vote(&msg, node, src, v, path));
}

static void notify_tasks_lost(struct hc_node *node, enum hypercube_task_loss loss,
			      const struct hypercube_task *ids, unsigned int n, u64 count)
{
	const struct hc_tasks_lost lost = { .loss = loss, .ids = ids, .n = n, .count = count };
	size_t size = NLMSG_DEFAULT_SIZE / 4 + n * nla_total_size(sizeof(*ids));

	notify(node->fabric, HYPERCUBE_CMD_TASK_NTF, size, GFP_ATOMIC,
	       hc_fill_tasks_lost(&msg, node, &lost));
}

static void notify_round(struct hc_fabric *fabric, const struct hc_round_record *rec)
{
	notify(fabric, HYPERCUBE_CMD_BALANCE_NTF, NLMSG_DEFAULT_SIZE / 4, GFP_ATOMIC,
	       hc_fill_round(&msg, fabric, rec));
}

static void notify_op(const struct hc_plan *plan, const struct hc_op_event *ev)
{
	notify(plan->fabric, HYPERCUBE_CMD_OP_NTF, NLMSG_DEFAULT_SIZE / 2, GFP_ATOMIC,
	       hc_fill_op_event(&msg, plan, ev));
}

struct hc_notifier hc_nl_notifier = {
	.fabric		= notify_fabric,
	.node		= notify_node,
	.trunk		= notify_trunk,
	.link		= notify_link,
	.plan		= notify_plan,
	.op		= notify_op,
	.disagreement	= notify_vote,
	.tasks_lost	= notify_tasks_lost,
	.round		= notify_round,
};
