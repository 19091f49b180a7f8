// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family: commands, and the checks and locks around them.
 * Documentation/netlink/specs/hypercube.yaml describes them; policy.h is made from it.
 *
 * Commands run in parallel (those of one fabric under its lock). No command sleeps until a fabric
 * has completed an action, and no command creates or removes thousands of endpoints: such requests
 * are deferred (netlink/deferred.c, netlink/fabric.c).
 */
#include "fabric/fabric.h"
#include "fabric/limits.h"
#include "netlink/netlink.h"
#include "netlink/policy.h"
#include "netlink/priv.h"
#include "notifier.h"

/* genl_ops.internal_flags, for pre_doit() */
#define FL_PIN		BIT(0)	/* take a reference to the fabric */
#define FL_LOCK		BIT(1)	/* take the fabric's lock; an error if the fabric is dead */
#define FL_TIDY		BIT(2)	/* cleans up: allowed even if users may not configure fabrics */
#define FL_GUARD	BIT(3)	/* for CAP_NET_ADMIN or the plan's guard (netlink/guard.c) */

/* What the commands need beside what policy.h has for them. */
static const struct genl_ops ops[] = {
	{ HC_OP_FABRIC_GET, .internal_flags = FL_PIN | FL_LOCK },
	{ HC_OP_FABRIC_NEW },
	{ HC_OP_FABRIC_DEL, .internal_flags = FL_TIDY },
	{ HC_OP_NODE_GET, .internal_flags = FL_PIN | FL_LOCK },
	{ HC_OP_NODE_SET, .internal_flags = FL_PIN },
	{ HC_OP_LINK_GET, .internal_flags = FL_PIN | FL_LOCK },
	{ HC_OP_LINK_SET, .internal_flags = FL_PIN | FL_LOCK },
	{ HC_OP_FAULT_CLEAR, .internal_flags = FL_PIN | FL_LOCK },
	{ HC_OP_DETECT, .internal_flags = FL_PIN | FL_LOCK },
	{ HC_OP_PLAN_GET, .internal_flags = FL_PIN | FL_LOCK },
	{ HC_OP_PLAN_NEW, .internal_flags = FL_PIN | FL_LOCK | FL_GUARD },
	{ HC_OP_PLAN_SET, .internal_flags = FL_PIN | FL_LOCK },
	{ HC_OP_PLAN_DEL, .internal_flags = FL_PIN | FL_LOCK },
	{ HC_OP_OP_GET },
	/* ROUTE_GET needs privileges since it sends frames. */
	{ HC_OP_ROUTE_GET, .internal_flags = FL_PIN | FL_LOCK },
	{ HC_OP_FABRIC_SET, .internal_flags = FL_PIN | FL_LOCK },
	{ HC_OP_TASK_MOVE, .internal_flags = FL_PIN | FL_LOCK },
	{ HC_OP_BALANCE_GET, .internal_flags = FL_PIN | FL_LOCK },
	{ HC_OP_BALANCE_SET, .internal_flags = FL_PIN | FL_LOCK },
	{ HC_OP_BALANCE_RUN, .internal_flags = FL_PIN | FL_LOCK },
	{ HC_OP_TRUNK_GET, .internal_flags = FL_PIN | FL_LOCK },
	{ HC_OP_TRUNK_NEW, .internal_flags = FL_PIN | FL_LOCK },
	{ HC_OP_TRUNK_DEL, .internal_flags = FL_PIN | FL_LOCK | FL_TIDY },
};

bool hc_missing(struct genl_info *info, int attr, const char *sentence)
{
	if (!GENL_REQ_ATTR_CHECK(info, attr))
		return false;
	info->extack->_msg = sentence;
	return true;
}

static void no_fabric(struct genl_info *info)
{
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[HC_A_FABRIC], "No such fabric");
}

/* Lock the fabric. On -EINTR netlink sends no answer, which the task could not read anyway, because
 * it is being killed.
 */
int hc_nl_lock(struct genl_info *info)
{
	struct hc_fabric *fabric = hc_info_fabric(info);

	if (mutex_lock_killable(&fabric->lock))
		return -EINTR;
	if (!fabric->dead)
		return 0;
	mutex_unlock(&fabric->lock);
	no_fabric(info);
	return -ENOENT;
}

/* Does the command need CAP_NET_ADMIN in the user namespace that owns the network namespace? */
static bool is_privileged(const struct genl_split_ops *op)
{
	return op->flags & GENL_UNS_ADMIN_PERM || op->internal_flags & FL_GUARD;
}

/* Refuse a command that needs privileges in a user namespace where the administrator does not allow
 * fabrics, unless the command only cleans up (FL_TIDY).
 */
static int users_check(const struct genl_split_ops *op, struct genl_info *info)
{
	if (!is_privileged(op) || op->internal_flags & FL_TIDY ||
	    hc_users_allowed(genl_info_net(info)))
		return 0;
	NL_SET_ERR_MSG(info->extack,
		       "User namespaces have fabrics only with the module's parameter \"unprivileged\"");
	return -EPERM;
}

/* Check whether the requester may install the plan. On error the fabric is unlocked. */
static int guard_check(const struct sk_buff *skb, struct genl_info *info)
{
	int err = hc_nl_guard_may(skb, info);

	if (err)
		mutex_unlock(&hc_info_fabric(info)->lock);
	return err;
}

static int pre_doit(const struct genl_split_ops *op, struct sk_buff *skb, struct genl_info *info)
{
	struct hc_fabric *fabric;
	int err = users_check(op, info);

	if (err || !(op->internal_flags & FL_PIN))
		return err;
	if (hc_missing(info, HC_A_FABRIC, "The request names no fabric"))
		return -EINVAL;
	fabric = hc_fabric_get(genl_info_net(info), nla_data(info->attrs[HC_A_FABRIC]));
	if (!fabric) {
		no_fabric(info);
		return -ENOENT;
	}
	info->user_ptr[0] = fabric;
	if (op->internal_flags & FL_LOCK)
		err = hc_nl_lock(info);
	if (!err && op->internal_flags & FL_GUARD)
		err = guard_check(skb, info);
	if (err)
		hc_fabric_put(fabric);
	return err;
}

static void post_doit(const struct genl_split_ops *op, struct sk_buff *skb,
		      struct genl_info *info)
{
	struct hc_fabric *fabric = hc_info_fabric(info);

	if (!(op->internal_flags & FL_PIN))
		return;
	if (op->internal_flags & FL_LOCK)
		mutex_unlock(&fabric->lock);
	hc_fabric_put(fabric);
}

static const struct genl_multicast_group groups[] = {
	[HC_MCGRP_EVENTS] = { .name = HYPERCUBE_MCGRP_EVENTS },
};

struct genl_family hc_genl_family __ro_after_init = {
	.name = HYPERCUBE_FAMILY_NAME, .version = HYPERCUBE_FAMILY_VERSION,
	.netnsok = true, .parallel_ops = true,
	.ops = ops, .n_ops = ARRAY_SIZE(ops),
	.mcgrps = groups, .n_mcgrps = ARRAY_SIZE(groups),
	.pre_doit = pre_doit, .post_doit = post_doit,
	.module = THIS_MODULE,
};

int __init hc_netlink_init(void)
{
	int err = hc_nl_fabrics_init();

	if (err)
		return err;
	hc_notifier_add(&hc_deferred_notifier);
	hc_notifier_add(&hc_nl_notifier);
	err = genl_register_family(&hc_genl_family);
	if (err)
		hc_nl_fabrics_exit();
	else
		hc_notify_enable(true);
	return err;
}

void hc_netlink_exit(void)
{
	hc_notify_enable(false);
	genl_unregister_family(&hc_genl_family);
	hc_nl_fabrics_exit();
}
