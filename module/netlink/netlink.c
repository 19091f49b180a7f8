// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family: policies, commands, and the checks and locks around them.
 * Documentation/netlink/specs/hypercube.yaml describes all of it.
 *
 * Commands run in parallel (those of one fabric under its lock). No command sleeps until a fabric
 * has completed an action, and no command creates or removes thousands of endpoints: such requests
 * are deferred (netlink/deferred.c, netlink/fabric.c).
 */
#include "fabric/fabric.h"
#include "fabric/limits.h"
#include "hc_bounds.h"
#include "netlink/netlink.h"
#include "netlink/priv.h"
#include "notifier.h"
#include "route/detect.h"

/* genl_ops.internal_flags, for pre_doit() */
#define FL_PIN		BIT(0)	/* take a reference to the fabric */
#define FL_LOCK		BIT(1)	/* take the fabric's lock; an error if the fabric is dead */
#define FL_TIDY		BIT(2)	/* cleans up: allowed even if users may not configure fabrics */
#define FL_GUARD	BIT(3)	/* for CAP_NET_ADMIN or the plan's guard (netlink/guard.c) */

#define NAME_POLICY	{ .type = NLA_NUL_STRING, .len = HYPERCUBE_NAME_MAX - 1 }
#define NODES_MAX	(1U << HYPERCUBE_DIM_MAX)
#define RINGS_MAX	(NODES_MAX - 1)
#define NODE_POLICY	NLA_POLICY_MAX(NLA_U32, NODES_MAX - 1)
#define BINARY_MAX(bytes)	{ .type = NLA_BINARY, .len = (bytes) }
#define DIM_POLICY	NLA_POLICY_MAX(NLA_U32, HYPERCUBE_DIM_MAX - 1)
#define PORT_POLICY	NLA_POLICY_MAX(NLA_U32, HYPERCUBE_PORTS_MAX - 1)

/* The ranges are not const, since struct nla_policy of older kernels has pointers to non-const. */
static struct netlink_range_validation segment_range = {
	.min = HYPERCUBE_SEGMENT_MIN,
	.max = HYPERCUBE_SEGMENT_MAX,
};

static struct netlink_range_validation ppm_range = {
	.max = HYPERCUBE_PPM_MAX,
};

static struct netlink_range_validation latency_range = {
	.max = HC_LATENCY_MAX,
};

static struct netlink_range_validation delay_range = {
	.max = HC_DELAY_MAX,
};

static struct netlink_range_validation flap_range = {
	.max = HC_FLAP_MAX,
};

static struct netlink_range_validation id_range = {
	.min = 1,
	.max = U32_MAX,
};

static const struct nla_policy name_policy[HC_A_FABRIC + 1] = {
	[HC_A_FABRIC]			= NAME_POLICY,
};

static const struct nla_policy fabric_policy[HYPERCUBE_A_FABRIC_MAX + 1] = {
	[HYPERCUBE_A_FABRIC_NAME]	= NAME_POLICY,
	[HYPERCUBE_A_FABRIC_ID]		= { .type = NLA_U32 },
	[HYPERCUBE_A_FABRIC_DIM]	= NLA_POLICY_RANGE(NLA_U32, 1, HYPERCUBE_DIM_MAX),
	[HYPERCUBE_A_FABRIC_SEGMENT]	= NLA_POLICY_FULL_RANGE(NLA_U32, &segment_range),
	[HYPERCUBE_A_FABRIC_SUBCUBE_MASK]	= { .type = NLA_U32 },
	[HYPERCUBE_A_FABRIC_SUBCUBE_VALUE]	= { .type = NLA_U32 },
	[HYPERCUBE_A_FABRIC_PEERS]	= BINARY_MAX(HYPERCUBE_PORTS_MAX * sizeof(u16)),
	[HYPERCUBE_A_FABRIC_SHAPE]	= { .type = NLA_NUL_STRING, .len = HYPERCUBE_SHAPE_MAX },
};

static struct netlink_range_validation stall_timeout_range = {
	.max = HYPERCUBE_STALL_TIMEOUT_MAX,
};

static const struct nla_policy fabric_set_policy[HYPERCUBE_A_FABRIC_STALL_TIMEOUT + 1] = {
	[HYPERCUBE_A_FABRIC_NAME]	= NAME_POLICY,
	[HYPERCUBE_A_FABRIC_STALL_TIMEOUT] = NLA_POLICY_FULL_RANGE(NLA_U32, &stall_timeout_range),
};

static const struct nla_policy node_get_policy[HYPERCUBE_A_NODE_ID + 1] = {
	[HYPERCUBE_A_NODE_FABRIC]	= NAME_POLICY,
	[HYPERCUBE_A_NODE_ID]		= NODE_POLICY,
};

static const struct nla_policy node_policy[HYPERCUBE_A_NODE_MAX + 1] = {
	[HYPERCUBE_A_NODE_FABRIC]	= NAME_POLICY,
	[HYPERCUBE_A_NODE_ID]		= NODE_POLICY,
	[HYPERCUBE_A_NODE_FAILED]	= NLA_POLICY_MAX(NLA_U8, 1),
	[HYPERCUBE_A_NODE_OWNER]	= { .type = NLA_U32 },
	[HYPERCUBE_A_NODE_NETNS_PID]	= { .type = NLA_U32 },
	[HYPERCUBE_A_NODE_NETNS_FD]	= { .type = NLA_U32 },
	[HYPERCUBE_A_NODE_BYZANTINE]		= NLA_POLICY_FULL_RANGE(NLA_U32, &ppm_range),
	[HYPERCUBE_A_NODE_BYZANTINE_SEED]	= { .type = NLA_U32 },
	[HYPERCUBE_A_NODE_BYZANTINE_AT]	= NLA_POLICY_MIN(NLA_U32, 1),
};

static const struct nla_policy link_get_policy[HYPERCUBE_A_LINK_DIM + 1] = {
	[HYPERCUBE_A_LINK_FABRIC]	= NAME_POLICY,
	[HYPERCUBE_A_LINK_NODE]		= NODE_POLICY,
	[HYPERCUBE_A_LINK_DIM]		= PORT_POLICY,
};

static const struct nla_policy link_policy[HYPERCUBE_A_LINK_MAX + 1] = {
	[HYPERCUBE_A_LINK_FABRIC]	= NAME_POLICY,
	[HYPERCUBE_A_LINK_NODE]		= NODE_POLICY,
	[HYPERCUBE_A_LINK_DIM]		= PORT_POLICY,
	[HYPERCUBE_A_LINK_DOWN]		= NLA_POLICY_MAX(NLA_U8, 1),
	[HYPERCUBE_A_LINK_LOSS]		= NLA_POLICY_FULL_RANGE(NLA_U32, &ppm_range),
	[HYPERCUBE_A_LINK_MODEL_LATENCY]	= NLA_POLICY_FULL_RANGE(NLA_U64, &latency_range),
	[HYPERCUBE_A_LINK_MODEL_BANDWIDTH]	= { .type = NLA_U64 },
	[HYPERCUBE_A_LINK_ONE_WAY]	= { .type = NLA_FLAG },
	[HYPERCUBE_A_LINK_CORRUPT]	= NLA_POLICY_FULL_RANGE(NLA_U32, &ppm_range),
	[HYPERCUBE_A_LINK_DUPLICATE]	= NLA_POLICY_FULL_RANGE(NLA_U32, &ppm_range),
	[HYPERCUBE_A_LINK_DELAY]	= NLA_POLICY_FULL_RANGE(NLA_U64, &delay_range),
	[HYPERCUBE_A_LINK_JITTER]	= NLA_POLICY_FULL_RANGE(NLA_U64, &delay_range),
	[HYPERCUBE_A_LINK_RATE]		= { .type = NLA_U64 },
	[HYPERCUBE_A_LINK_SEED]		= { .type = NLA_U32 },
	[HYPERCUBE_A_LINK_FLAP_DOWN]	= NLA_POLICY_FULL_RANGE(NLA_U32, &flap_range),
	[HYPERCUBE_A_LINK_FLAP_PERIOD]	= NLA_POLICY_FULL_RANGE(NLA_U32, &flap_range),
};

static const struct nla_policy detect_policy[HYPERCUBE_A_DETECT_TIMEOUT + 1] = {
	[HYPERCUBE_A_DETECT_FABRIC]	= NAME_POLICY,
	[HYPERCUBE_A_DETECT_TIMEOUT]	= NLA_POLICY_MAX(NLA_U32, HC_DETECT_TIMEOUT_MAX),
};

static const struct nla_policy plan_get_policy[HYPERCUBE_A_PLAN_ID + 1] = {
	[HYPERCUBE_A_PLAN_FABRIC]	= NAME_POLICY,
	[HYPERCUBE_A_PLAN_ID]		= NLA_POLICY_FULL_RANGE(NLA_U32, &id_range),
};

static const struct nla_policy plan_del_policy[HYPERCUBE_A_PLAN_LOCAL + 1] = {
	[HYPERCUBE_A_PLAN_FABRIC]	= NAME_POLICY,
	[HYPERCUBE_A_PLAN_ID]		= NLA_POLICY_FULL_RANGE(NLA_U32, &id_range),
	[HYPERCUBE_A_PLAN_LOCAL]		= { .type = NLA_FLAG },
};

static struct netlink_range_validation guard_range = {
	.min = 1,
	.max = HYPERCUBE_GUARD_MAX,
};

static const struct nla_policy plan_policy[HYPERCUBE_A_PLAN_MAX + 1] = {
	[HYPERCUBE_A_PLAN_FABRIC]	= NAME_POLICY,
	[HYPERCUBE_A_PLAN_ID]		= NLA_POLICY_FULL_RANGE(NLA_U32, &id_range),
	[HYPERCUBE_A_PLAN_EPOCH]	= NLA_POLICY_FULL_RANGE(NLA_U32, &id_range),
	[HYPERCUBE_A_PLAN_TYPE]		= { .type = NLA_U32 },
	[HYPERCUBE_A_PLAN_SINK]		= NODE_POLICY,
	[HYPERCUBE_A_PLAN_ORDER]	= DIM_POLICY,
	[HYPERCUBE_A_PLAN_MEMBERS]	= BINARY_MAX(NODES_MAX / BITS_PER_BYTE),
	[HYPERCUBE_A_PLAN_DETOUR]	= { .type = NLA_U32 },
	[HYPERCUBE_A_PLAN_FAULT]	= BINARY_MAX(NODES_MAX * sizeof(u32)),
	[HYPERCUBE_A_PLAN_SOURCE]	= NODE_POLICY,
	[HYPERCUBE_A_PLAN_SEQUENCE]	= BINARY_MAX(NODES_MAX - 1),
	[HYPERCUBE_A_PLAN_PARENTS]	= BINARY_MAX(NODES_MAX),
	[HYPERCUBE_A_PLAN_BASE]		= NODE_POLICY,
	[HYPERCUBE_A_PLAN_RINGS]	= BINARY_MAX(RINGS_MAX * sizeof(struct hypercube_ring)),
	[HYPERCUBE_A_PLAN_RING_NODES]	= BINARY_MAX((NODES_MAX + RINGS_MAX) * sizeof(u16)),
	[HYPERCUBE_A_PLAN_REPAIR]	= { .type = NLA_FLAG },
	[HYPERCUBE_A_PLAN_LOCAL]		= { .type = NLA_FLAG },
	[HYPERCUBE_A_PLAN_GUARD]	= NLA_POLICY_FULL_RANGE(NLA_U32, &guard_range),
	[HYPERCUBE_A_PLAN_GUARD_RECIPE]	= { .type = NLA_NUL_STRING, .len = HYPERCUBE_RECIPE_MAX },
	[HYPERCUBE_A_PLAN_PREV]		= NLA_POLICY_FULL_RANGE(NLA_U32, &id_range),
	[HYPERCUBE_A_PLAN_GUARD_UID]	= { .type = NLA_U32 },
};

static const struct nla_policy plan_set_policy[HYPERCUBE_A_PLAN_GUARD_UID + 1] = {
	[HYPERCUBE_A_PLAN_FABRIC]	= NAME_POLICY,
	[HYPERCUBE_A_PLAN_ID]		= NLA_POLICY_FULL_RANGE(NLA_U32, &id_range),
	[HYPERCUBE_A_PLAN_GUARD_UID]	= { .type = NLA_U32 },
};

static const struct nla_policy op_get_policy[HYPERCUBE_A_OP_NODE + 1] = {
	[HYPERCUBE_A_OP_FABRIC]		= NAME_POLICY,
	[HYPERCUBE_A_OP_PLAN]		= NLA_POLICY_FULL_RANGE(NLA_U32, &id_range),
	[HYPERCUBE_A_OP_NODE]		= NODE_POLICY,
};

static const struct nla_policy route_policy[HYPERCUBE_A_ROUTE_DST + 1] = {
	[HYPERCUBE_A_ROUTE_FABRIC]	= NAME_POLICY,
	[HYPERCUBE_A_ROUTE_SRC]		= NODE_POLICY,
	[HYPERCUBE_A_ROUTE_DST]		= NODE_POLICY,
};

static const struct nla_policy task_policy[HYPERCUBE_A_TASK_DIM + 1] = {
	[HYPERCUBE_A_TASK_FABRIC]	= NAME_POLICY,
	[HYPERCUBE_A_TASK_NODE]		= NODE_POLICY,
	[HYPERCUBE_A_TASK_COUNT]	= NLA_POLICY_MIN(NLA_U64, 1),
	[HYPERCUBE_A_TASK_DIM]		= PORT_POLICY,
};

static struct netlink_range_validation period_range = {
	.max = HYPERCUBE_PERIOD_MAX,
};

static const struct nla_policy balance_policy[HYPERCUBE_A_BALANCE_PREV + 1] = {
	[HYPERCUBE_A_BALANCE_FABRIC]	= NAME_POLICY,
	[HYPERCUBE_A_BALANCE_METHOD]	= { .type = NLA_U32 },
	[HYPERCUBE_A_BALANCE_THRESHOLD]	= { .type = NLA_U32 },
	[HYPERCUBE_A_BALANCE_PERIOD]	= NLA_POLICY_FULL_RANGE(NLA_U32, &period_range),
	[HYPERCUBE_A_BALANCE_DIMS]	= NODE_POLICY,
	[HYPERCUBE_A_BALANCE_BASE]	= NODE_POLICY,
	[HYPERCUBE_A_BALANCE_DEPTH]	= NODE_POLICY,
	[HYPERCUBE_A_BALANCE_UP]	= BINARY_MAX(NODES_MAX),
	[HYPERCUBE_A_BALANCE_FAULT]	= BINARY_MAX(NODES_MAX * sizeof(u32)),
	[HYPERCUBE_A_BALANCE_PREV]	= { .type = NLA_U32 },
};

static const struct nla_policy round_policy[HYPERCUBE_A_BALANCE_NODE + 1] = {
	[HYPERCUBE_A_BALANCE_FABRIC]	= NAME_POLICY,
	[HYPERCUBE_A_BALANCE_METHOD]	= { .type = NLA_U32 },
	[HYPERCUBE_A_BALANCE_NODE]	= NODE_POLICY,
};

static struct netlink_range_validation keep_range = {
	.min = HYPERCUBE_TRUNK_KEEPALIVE_MIN,
	.max = HYPERCUBE_TRUNK_KEEPALIVE_MAX,
};

static const struct nla_policy trunk_get_policy[HYPERCUBE_A_TRUNK_ID + 1] = {
	[HYPERCUBE_A_TRUNK_FABRIC]	= NAME_POLICY,
	[HYPERCUBE_A_TRUNK_ID]		= NLA_POLICY_FULL_RANGE(NLA_U32, &id_range),
};

static const struct nla_policy trunk_policy[HYPERCUBE_A_TRUNK_REPLACE + 1] = {
	[HYPERCUBE_A_TRUNK_FABRIC]	= NAME_POLICY,
	[HYPERCUBE_A_TRUNK_DIM]		= DIM_POLICY,
	[HYPERCUBE_A_TRUNK_FD]		= { .type = NLA_U32 },
	[HYPERCUBE_A_TRUNK_SUBCUBE_MASK]	= NODE_POLICY,
	[HYPERCUBE_A_TRUNK_SUBCUBE_VALUE]	= NODE_POLICY,
	[HYPERCUBE_A_TRUNK_KEEPALIVE]	= NLA_POLICY_FULL_RANGE(NLA_U32, &keep_range),
	[HYPERCUBE_A_TRUNK_NO_PLANS]	= { .type = NLA_FLAG },
	[HYPERCUBE_A_TRUNK_DIGEST]	= NLA_POLICY_MAX(NLA_U32, 1),
	[HYPERCUBE_A_TRUNK_REPLACE]	= { .type = NLA_FLAG },
};

/* Designated initializers that many entries of ops[] have in common. */
#define TAKES(name)	.policy = name##_policy, .maxattr = ARRAY_SIZE(name##_policy) - 1
#define DUMPS		.start = hc_nl_dump_start, .dumpit = hc_nl_dump

/* Entries for commands that read, and entries for commands that change a fabric under its lock. */
#define READS(id, fn, takes)							\
	{									\
		.cmd = id, .doit = fn, DUMPS, TAKES(takes),			\
		.internal_flags = FL_PIN | FL_LOCK,				\
	}
#define CHANGES(id, fn, takes)							\
	{									\
		.cmd = id, .doit = fn, TAKES(takes), .flags = GENL_UNS_ADMIN_PERM, \
		.internal_flags = FL_PIN | FL_LOCK,				\
	}

static const struct genl_ops ops[] = {
	READS(HYPERCUBE_CMD_FABRIC_GET, hc_nl_fabric_get, name),
	{
		.cmd = HYPERCUBE_CMD_FABRIC_NEW, .doit = hc_nl_fabric_new,
		TAKES(fabric), .flags = GENL_UNS_ADMIN_PERM,
	}, {
		.cmd = HYPERCUBE_CMD_FABRIC_DEL, .doit = hc_nl_fabric_del,
		TAKES(name), .flags = GENL_UNS_ADMIN_PERM, .internal_flags = FL_TIDY,
	},
	READS(HYPERCUBE_CMD_NODE_GET, hc_nl_node_get, node_get),
	{
		.cmd = HYPERCUBE_CMD_NODE_SET, .doit = hc_nl_node_set,
		TAKES(node), .flags = GENL_UNS_ADMIN_PERM, .internal_flags = FL_PIN,
	},
	READS(HYPERCUBE_CMD_LINK_GET, hc_nl_link_get, link_get),
	CHANGES(HYPERCUBE_CMD_LINK_SET, hc_nl_link_set, link),
	CHANGES(HYPERCUBE_CMD_FAULT_CLEAR, hc_nl_fault_clear, name),
	CHANGES(HYPERCUBE_CMD_DETECT, hc_nl_detect, detect),
	READS(HYPERCUBE_CMD_PLAN_GET, hc_nl_plan_get, plan_get),
	{
		.cmd = HYPERCUBE_CMD_PLAN_NEW, .doit = hc_nl_plan_new,
		TAKES(plan), .internal_flags = FL_PIN | FL_LOCK | FL_GUARD,
	},
	CHANGES(HYPERCUBE_CMD_PLAN_SET, hc_nl_plan_set, plan_set),
	CHANGES(HYPERCUBE_CMD_PLAN_DEL, hc_nl_plan_del, plan_del),
	{ .cmd = HYPERCUBE_CMD_OP_GET, DUMPS, TAKES(op_get) },
	/* ROUTE_GET needs privileges since it sends frames. */
	CHANGES(HYPERCUBE_CMD_ROUTE_GET, hc_nl_route_get, route),
	CHANGES(HYPERCUBE_CMD_FABRIC_SET, hc_nl_fabric_set, fabric_set),
	CHANGES(HYPERCUBE_CMD_TASK_MOVE, hc_nl_task_move, task),
	{
		.cmd = HYPERCUBE_CMD_BALANCE_GET, .doit = hc_nl_balance_get,
		TAKES(name), .internal_flags = FL_PIN | FL_LOCK,
	},
	CHANGES(HYPERCUBE_CMD_BALANCE_SET, hc_nl_balance_set, balance),
	CHANGES(HYPERCUBE_CMD_BALANCE_RUN, hc_nl_balance_run, round),
	READS(HYPERCUBE_CMD_TRUNK_GET, hc_nl_trunk_get, trunk_get),
	CHANGES(HYPERCUBE_CMD_TRUNK_NEW, hc_nl_trunk_new, trunk),
	{
		.cmd = HYPERCUBE_CMD_TRUNK_DEL, .doit = hc_nl_trunk_del,
		TAKES(trunk_get), .flags = GENL_UNS_ADMIN_PERM,
		.internal_flags = FL_PIN | FL_LOCK | FL_TIDY,
	},
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
