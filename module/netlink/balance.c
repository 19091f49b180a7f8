// SPDX-License-Identifier: GPL-2.0
/*
 * Load balancing rounds: settings, rounds by command, and the history.
 */
#include "fabric/fabric.h"
#include "fabric/node.h"
#include "hc_balance.h"
#include "hc_topo.h"
#include "netlink/priv.h"
#include "task/round.h"
#include "wire.h"

/* ------------------------------------------------------------ messages */

static bool put_round_end(struct sk_buff *skb, const struct hc_round_record *rec)
{
	if (!rec->status)
		return nla_put_u32(skb, HYPERCUBE_A_ROUND_MEMBERS, rec->members) ||
		       nla_put_u64_64bit(skb, HYPERCUBE_A_ROUND_MOVED, rec->moved,
					 HYPERCUBE_A_ROUND_PAD);
	return (rec->cause_node != HC_CAUSE_NONE &&
		nla_put_u32(skb, HYPERCUBE_A_ROUND_CAUSE_NODE, rec->cause_node)) ||
	       (rec->cause_dim != HC_CAUSE_NONE &&
		nla_put_u32(skb, HYPERCUBE_A_ROUND_CAUSE_DIM, rec->cause_dim));
}

static bool put_round(struct sk_buff *skb, const struct hc_round_record *rec)
{
	struct nlattr *nest = nla_nest_start(skb, HYPERCUBE_A_BALANCE_ROUND);
	const int pad = HYPERCUBE_A_ROUND_PAD;

	if (!nest || nla_put_u64_64bit(skb, HYPERCUBE_A_ROUND_NR, rec->nr, pad) ||
	    nla_put_u32(skb, HYPERCUBE_A_ROUND_NODE, rec->node) ||
	    nla_put_u32(skb, HYPERCUBE_A_ROUND_METHOD, rec->method) ||
	    nla_put_u32(skb, HYPERCUBE_A_ROUND_TRIGGER, rec->trigger) ||
	    nla_put_s32(skb, HYPERCUBE_A_ROUND_STATUS, rec->status) ||
	    put_round_end(skb, rec) ||
	    nla_put_u64_64bit(skb, HYPERCUBE_A_ROUND_BEGAN, rec->began, pad) ||
	    nla_put_u64_64bit(skb, HYPERCUBE_A_ROUND_TOOK, rec->took, pad))
		return true;
	nla_nest_end(skb, nest);
	return false;
}

static bool put_history(struct sk_buff *skb, struct hc_rounds *rounds)
{
	const int pad = HYPERCUBE_A_BALANCE_PAD;
	struct hc_rounds_stats stats;
	bool overflow = false;
	u64 i, n;

	/* No code sleeps under the lock: the message was allocated before. */
	spin_lock_bh(&rounds->lock);
	stats = rounds->stats;
	n = min_t(u64, rounds->kept, HYPERCUBE_ROUNDS_KEPT);
	for (i = rounds->kept - n; i < rounds->kept && !overflow; i++)
		overflow = put_round(skb, &rounds->record[i % HYPERCUBE_ROUNDS_KEPT]);
	spin_unlock_bh(&rounds->lock);
	return overflow || nla_put_u64_64bit(skb, HYPERCUBE_A_BALANCE_DONE, stats.done, pad) ||
	       nla_put_u64_64bit(skb, HYPERCUBE_A_BALANCE_FAILED, stats.failed, pad) ||
	       nla_put_u64_64bit(skb, HYPERCUBE_A_BALANCE_SUPERSEDED, stats.superseded, pad) ||
	       nla_put_u64_64bit(skb, HYPERCUBE_A_BALANCE_MOVED, stats.moved, pad);
}

static bool put_topology(struct sk_buff *skb, const struct hc_fabric *fabric)
{
	const struct hc_balance *b;
	u32 epoch;

	b = hc_rounds_topology_get(fabric, &epoch);
	return nla_put_u32(skb, HYPERCUBE_A_BALANCE_EPOCH, epoch) ||
	       (b && (nla_put_u32(skb, HYPERCUBE_A_BALANCE_DIMS, b->dims) ||
		      nla_put_u32(skb, HYPERCUBE_A_BALANCE_BASE, b->base) ||
		      nla_put_u32(skb, HYPERCUBE_A_BALANCE_DEPTH, b->depth) ||
		      nla_put(skb, HYPERCUBE_A_BALANCE_UP, hc_nodes(b->dim), b->up)));
}

static bool put_settings(struct sk_buff *skb, const struct hc_rounds *rounds)
{
	return nla_put_u32(skb, HYPERCUBE_A_BALANCE_METHOD, rounds->method) ||
	       nla_put_u32(skb, HYPERCUBE_A_BALANCE_THRESHOLD, rounds->threshold) ||
	       nla_put_u32(skb, HYPERCUBE_A_BALANCE_PERIOD, rounds->period);
}

int hc_fill_round(const struct hc_msg *msg, const struct hc_fabric *fabric,
		  const struct hc_round_record *rec)
{
	void *hdr = hc_msg_begin(msg);
	bool overflow = !hdr ||
		   nla_put_string(msg->skb, HYPERCUBE_A_BALANCE_FABRIC, fabric->name) ||
		   put_round(msg->skb, rec);
	return hc_msg_end(msg, hdr, overflow);
}

static int fill_balance(const struct hc_msg *msg, struct hc_fabric *fabric)
{
	void *hdr = hc_msg_begin(msg);
	bool overflow = !hdr ||
		   nla_put_string(msg->skb, HYPERCUBE_A_BALANCE_FABRIC, fabric->name) ||
		   put_settings(msg->skb, fabric->rounds) || put_topology(msg->skb, fabric) ||
		   put_history(msg->skb, fabric->rounds);
	return hc_msg_end(msg, hdr, overflow);
}

/* ------------------------------------------------------------ requests */

int hc_nl_balance_get(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_fabric *fabric = hc_info_fabric(info);
	size_t size = NLMSG_DEFAULT_SIZE + nla_total_size(fabric->topo.nodes);
	struct hc_msg msg;

	return hc_reply_end(&msg, info, hc_reply_begin(&msg, info, NULL, size) ?:
					fill_balance(&msg, fabric));
}

/* Return: the method that the request names, @otherwise if it names none, or -errno. @none:
 * HYPERCUBE_BALANCE_NONE is allowed, too.
 */
static int method_get(struct genl_info *info, u32 otherwise, bool none)
{
	struct nlattr *attr = info->attrs[HYPERCUBE_A_BALANCE_METHOD];
	u32 method = attr ? nla_get_u32(attr) : otherwise;

	if (hc_round_knows(method) || (none && method == HYPERCUBE_BALANCE_NONE))
		return method;
	NL_SET_ERR_MSG_ATTR(info->extack, attr, "This kernel has no such method of balancing");
	return -EOPNOTSUPP;
}

static int period_check(struct genl_info *info)
{
	struct nlattr *attr = info->attrs[HYPERCUBE_A_BALANCE_PERIOD];

	if (!attr || !nla_get_u32(attr) || nla_get_u32(attr) >= HYPERCUBE_PERIOD_MIN)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, attr, "A period is at least 10 ms");
	return -ERANGE;
}

static u32 attr_u32(struct genl_info *info, int attr)
{
	return info->attrs[attr] ? nla_get_u32(info->attrs[attr]) : 0;
}

/* If the request names an epoch, check that the present topology has it. So of two requests that
 * would replace the same topology, one fails.
 */
static int prev_check(struct genl_info *info)
{
	struct nlattr *prev = info->attrs[HYPERCUBE_A_BALANCE_PREV];
	u32 epoch;

	hc_rounds_topology_get(hc_info_fabric(info), &epoch);
	if (!prev || nla_get_u32(prev) == epoch)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, prev, "The topology has another epoch by now");
	return -ESTALE;
}

/* Install the topology that the request has, if it has one. This function checks the sizes of the
 * topology's attributes; the verifier checks the rest.
 */
static int topology_set(struct genl_info *info, u32 method)
{
	struct nlattr *up = info->attrs[HYPERCUBE_A_BALANCE_UP];
	struct hc_fabric *fabric = hc_info_fabric(info);
	struct nlattr *fault = info->attrs[HYPERCUBE_A_BALANCE_FAULT];
	const struct hc_balance b = {
		.dim = fabric->topo.dim, .dims = attr_u32(info, HYPERCUBE_A_BALANCE_DIMS),
		.base = attr_u32(info, HYPERCUBE_A_BALANCE_BASE),
		.depth = attr_u32(info, HYPERCUBE_A_BALANCE_DEPTH), .up = up ? nla_data(up) : NULL,
	};

	if (!up)
		return 0;
	if (hc_missing(info, HYPERCUBE_A_BALANCE_FAULT,
		       "A topology needs the faults it was made for"))
		return -EINVAL;
	if (nla_len(up) != fabric->topo.nodes ||
	    nla_len(fault) != fabric->topo.nodes * sizeof(u32)) {
		NL_SET_ERR_MSG_ATTR(info->extack, up,
				    "A topology and its faults are about all nodes of the fabric");
		return -EINVAL;
	}
	return hc_rounds_topology(fabric, method, &b, nla_data(fault), info->extack);
}

static bool names_settings(struct genl_info *info)
{
	return info->attrs[HYPERCUBE_A_BALANCE_METHOD] ||
	       info->attrs[HYPERCUBE_A_BALANCE_THRESHOLD] ||
	       info->attrs[HYPERCUBE_A_BALANCE_PERIOD] || info->attrs[HYPERCUBE_A_BALANCE_UP];
}

static void settings_set(struct genl_info *info, u32 method)
{
	struct nlattr *threshold = info->attrs[HYPERCUBE_A_BALANCE_THRESHOLD];
	struct nlattr *period = info->attrs[HYPERCUBE_A_BALANCE_PERIOD];
	struct hc_fabric *fabric = hc_info_fabric(info);
	struct hc_rounds *rounds = fabric->rounds;

	if (threshold)
		WRITE_ONCE(rounds->threshold, nla_get_u32(threshold));
	if (period)
		WRITE_ONCE(rounds->period, nla_get_u32(period));
	WRITE_ONCE(rounds->method, method);
	hc_rounds_set(fabric);
}

/* Apply the request. The topology is set first, because the method may need it. */
static int balance_set(struct genl_info *info)
{
	struct hc_fabric *fabric = hc_info_fabric(info);
	int method = method_get(info, fabric->rounds->method, true);
	int err;

	if (method < 0)
		return method;
	if (!names_settings(info)) {
		NL_SET_ERR_MSG(info->extack, "The request names nothing to set");
		return -EINVAL;
	}
	err = period_check(info) ?: hc_rounds_open(fabric, info->extack) ?: prev_check(info) ?:
	      topology_set(info, method);
	if (!err && info->attrs[HYPERCUBE_A_BALANCE_METHOD])
		err = hc_round_check(fabric, method, info->extack);
	if (!err)
		settings_set(info, method);
	return err;
}

int hc_nl_balance_set(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_said said;

	hc_said_begin(&said, info);
	return hc_said_end(&said, skb, info, balance_set(info));
}

/**
 * struct run - a request for a load balancing round
 * @deferred: must be first
 * @node: the node that begins the round
 * @nr: the return value of hc_round_ask()
 */
struct run {
	struct hc_deferred deferred;
	struct hc_node *node;
	u32 nr;
};

static int run_reply(struct run *run, const struct hc_round_record *rec)
{
	struct genl_info *info = &run->deferred.info;
	struct hc_msg msg;

	return hc_reply_end(&msg, info, hc_reply_begin(&msg, info, NULL, NLMSG_DEFAULT_SIZE) ?:
					hc_fill_round(&msg, run->deferred.fabric, rec));
}

/* A round that has failed is also answered with a reply, not with an error. */
static int run_look(struct hc_deferred *deferred, bool gone)
{
	struct run *run = container_of(deferred, struct run, deferred);
	struct hc_round_record rec;
	int err = hc_round_asked(run->node, run->nr, &rec);

	deferred->next = jiffies + 1;
	if (gone)
		return -ECANCELED;
	return err ?: run_reply(run, &rec);
}

static void run_release(struct hc_deferred *deferred)
{
	struct run *run = container_of(deferred, struct run, deferred);

	hc_round_notified(run->node);
}

static const struct hc_deferred_ops run_ops = {
	.look		= run_look,
	.release	= run_release,
};

/* Return: the node that is to begin the round. It is the node that the request names, or otherwise
 * the first one that has not failed.
 */
static struct hc_node *initiator(struct genl_info *info)
{
	struct hc_fabric *fabric = hc_info_fabric(info);
	struct hc_node *node;

	if (info->attrs[HYPERCUBE_A_BALANCE_NODE]) {
		node = hc_nl_node(info, HYPERCUBE_A_BALANCE_NODE);
		if (IS_ERR(node) || !node->failed)
			return node;
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[HYPERCUBE_A_BALANCE_NODE],
				    "The node has failed");
		return ERR_PTR(-EHOSTDOWN);
	}
	hc_each_node(fabric, node)
		if (!node->failed)
			return node;
	NL_SET_ERR_MSG(info->extack, "All nodes have failed");
	return ERR_PTR(-EHOSTDOWN);
}

int hc_nl_balance_run(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_fabric *fabric = hc_info_fabric(info);
	int err, method = method_get(info, fabric->rounds->method ?: HYPERCUBE_BALANCE_DEM, false);
	struct hc_node *node;
	struct run *run;

	if (method < 0)
		return method;
	node = initiator(info);
	if (IS_ERR(node))
		return PTR_ERR(node);
	err = hc_rounds_open(fabric, info->extack) ?: hc_round_check(fabric, method, info->extack);
	if (err)
		return err;
	if (!hc_round_may_ask(node, method)) {
		NL_SET_ERR_MSG(info->extack, "A round of another method is asked for at this node");
		return -EBUSY;
	}
	run = hc_deferred_new(skb, info, sizeof(*run), &run_ops);
	if (IS_ERR(run))
		return PTR_ERR(run);
	run->node = node;
	run->nr = hc_round_ask(node, method);
	return hc_deferred_wait(&run->deferred, info);
}
