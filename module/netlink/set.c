// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration of existing fabrics, nodes and links.
 */
#include <linux/mm.h>
#include <linux/rtnetlink.h>

#include "compat.h"
#include "fabric/byzantine.h"
#include "fabric/fabric.h"
#include "fabric/flap.h"
#include "fabric/impair.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "hc_bounds.h"
#include "hc_topo.h"
#include "netlink/priv.h"
#include "route/detect.h"
#include "sock/socks.h"
#include "task/migrate.h"
#include "task/round.h"
#include "trunk/trunk.h"

static void take_u32(u32 *dst, const struct nlattr *attr)
{
	if (attr)
		*dst = nla_get_u32(attr);
}

static void take_u64(u64 *dst, const struct nlattr *attr)
{
	if (attr)
		*dst = nla_get_u64(attr);
}

int hc_nl_fabric_set(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_fabric *fabric = hc_info_fabric(info);

	if (hc_missing(info, HYPERCUBE_A_FABRIC_STALL_TIMEOUT, "The request names nothing to set"))
		return -EINVAL;
	WRITE_ONCE(fabric->stall_timeout,
		   nla_get_u32(info->attrs[HYPERCUBE_A_FABRIC_STALL_TIMEOUT]));
	hc_rounds_set(fabric);
	hc_notify_fabric(fabric, HYPERCUBE_CMD_FABRIC_NTF);
	return 0;
}

/* ------------------------------------------------------------ nodes */

static struct net *target_net(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *pid = info->attrs[HYPERCUBE_A_NODE_NETNS_PID];
	struct nlattr *fd = info->attrs[HYPERCUBE_A_NODE_NETNS_FD];
	struct net *net;

	if (pid && fd) {
		NL_SET_ERR_MSG_ATTR(info->extack, fd,
				    "Name the namespace by task or by descriptor, not both");
		return ERR_PTR(-EINVAL);
	}
	net = pid ? get_net_ns_by_pid(nla_get_u32(pid)) : get_net_ns_by_fd(nla_get_u32(fd));
	if (IS_ERR(net)) {
		NL_SET_ERR_MSG_ATTR(info->extack, pid ?: fd, "No such network namespace");
		return net;
	}
	if (!netlink_ns_capable(skb, net->user_ns, CAP_NET_ADMIN)) {
		NL_SET_ERR_MSG_ATTR(info->extack, pid ?: fd,
				    "Moving an endpoint there needs CAP_NET_ADMIN there");
		put_net(net);
		return ERR_PTR(-EPERM);
	}
	return net;
}

/* Move an endpoint. The endpoints of a fabric that is not dead cannot be unregistered while rtnl is
 * held.
 */
static int endpoint_move(struct hc_fabric *fabric, u32 id, struct net *net,
			 struct netlink_ext_ack *extack)
{
	struct net_device *dev;
	int err;

	if (hc_rtnl_lock_killable())
		return -EINTR;
	err = -ENOENT;
	if (READ_ONCE(fabric->dead)) {
		NL_SET_ERR_MSG(extack, "No such fabric");
		goto unlock;
	}
	dev = fabric->nodes[id]->dev;
	err = dev_change_net_namespace(dev, net, NULL);
	if (dev->reg_state != NETREG_REGISTERED)
		NL_SET_ERR_MSG(extack, "The node has lost its interface");
	else if (err)
		NL_SET_ERR_MSG(extack, "The namespace has another interface of this name");
unlock:
	rtnl_unlock();
	return err;
}

static int node_move(struct sk_buff *skb, struct genl_info *info, u32 id)
{
	struct net *net;
	int err;

	if (!info->attrs[HYPERCUBE_A_NODE_NETNS_PID] && !info->attrs[HYPERCUBE_A_NODE_NETNS_FD])
		return 0;
	net = target_net(skb, info);
	if (IS_ERR(net))
		return PTR_ERR(net);
	err = endpoint_move(hc_info_fabric(info), id, net, info->extack);
	put_net(net);
	return err;
}

int hc_nl_uid(const struct sk_buff *skb, struct genl_info *info, int type, kuid_t *uid)
{
	struct nlattr *attr = info->attrs[type];

	*uid = make_kuid(sk_user_ns(NETLINK_CB(skb).sk), nla_get_u32(attr));
	if (uid_valid(*uid) || nla_get_u32(attr) == (u32)-1)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, attr, "The user does not exist in this user namespace");
	return -EINVAL;
}

static bool has_byzantine_attrs(struct genl_info *info)
{
	return info->attrs[HYPERCUBE_A_NODE_BYZANTINE] ||
	       info->attrs[HYPERCUBE_A_NODE_BYZANTINE_SEED] ||
	       info->attrs[HYPERCUBE_A_NODE_BYZANTINE_AT];
}

/* Fill @set with the probability or the list of frame numbers in the request. */
static int byzantine_conf_get(struct genl_info *info, struct hc_byzantine_conf *set)
{
	struct nlattr *attr = info->attrs[HYPERCUBE_A_NODE_BYZANTINE_AT];
	int rem;

	take_u32(&set->ppm, info->attrs[HYPERCUBE_A_NODE_BYZANTINE]);
	if (attr && info->attrs[HYPERCUBE_A_NODE_BYZANTINE]) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "Frames are corrupted by chance or a list, not both");
		return -EINVAL;
	}
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != HYPERCUBE_A_NODE_BYZANTINE_AT)
			continue;
		if (set->n == HYPERCUBE_BYZANTINE_AT_MAX) {
			NL_SET_ERR_MSG_ATTR(info->extack, attr,
					    "A list of frames to corrupt has 32 numbers at most");
			return -E2BIG;
		}
		if (set->n && nla_get_u32(attr) <= set->at[set->n - 1]) {
			NL_SET_ERR_MSG_ATTR(info->extack, attr,
					    "The numbers of frames must ascend");
			return -EINVAL;
		}
		set->at[set->n++] = nla_get_u32(attr);
	}
	return 0;
}

/* Complete @set from the request and apply it. A request that has only a seed does not change the
 * other settings; a request without a seed does not change the seed.
 */
static int node_set_byzantine(struct genl_info *info, struct hc_node *node,
			      struct hc_byzantine_conf *set)
{
	struct nlattr *seed = info->attrs[HYPERCUBE_A_NODE_BYZANTINE_SEED];
	struct hc_byzantine_conf now;
	int err;

	if (!has_byzantine_attrs(info))
		return 0;
	err = hc_byzantine_prepare(node);
	if (err)
		return err;
	hc_byzantine_get(node, &now);
	if (!info->attrs[HYPERCUBE_A_NODE_BYZANTINE] && !set->n)
		*set = now;
	set->seed = now.seed;
	take_u32(&set->seed, seed);
	hc_byzantine_set(node, set, seed);
	return 0;
}

static int node_change(struct sk_buff *skb, struct genl_info *info, struct hc_node *node,
		       const kuid_t *owner, struct hc_byzantine_conf *conf)
{
	struct nlattr *failed = info->attrs[HYPERCUBE_A_NODE_FAILED];
	u32 all = hc_node_ports(node);
	struct hc_deferred *deferred = hc_deferred_notified(skb, info, node, failed ? all : 0);
	int err;

	if (IS_ERR(deferred))
		return PTR_ERR(deferred);
	err = node_set_byzantine(info, node, conf);
	if (err) {
		hc_deferred_free(deferred);
		return err;
	}
	if (info->attrs[HYPERCUBE_A_NODE_OWNER] && !uid_eq(node->owner, *owner)) {
		WRITE_ONCE(node->owner, *owner);
		hc_sock_owner_changed(node);
	}
	if (failed)
		hc_link_set_failed(node, nla_get_u8(failed));
	return hc_deferred_wait(deferred, info);
}

/* Change a node. All invalid attributes are detected first, so that an invalid request changes
 * nothing. If a later step fails, for lack of memory or because too many requests wait, a moved
 * endpoint is not moved back. The fabric is only referenced, not locked, since moving an endpoint
 * waits for rtnl.
 */
int hc_nl_node_set(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_fabric *fabric = hc_info_fabric(info);
	int id = hc_nl_node_id(info, HYPERCUBE_A_NODE_ID);
	kuid_t owner = INVALID_UID;
	struct hc_byzantine_conf conf = {};
	int err;

	if (id < 0)
		return id;
	if (info->attrs[HYPERCUBE_A_NODE_OWNER]) {
		err = hc_nl_uid(skb, info, HYPERCUBE_A_NODE_OWNER, &owner);
		if (err)
			return err;
	}
	err = byzantine_conf_get(info, &conf) ?: node_move(skb, info, id) ?: hc_nl_lock(info);
	if (err)
		return err;
	err = node_change(skb, info, fabric->nodes[id], &owner, &conf);
	mutex_unlock(&fabric->lock);
	return err;
}

/* ------------------------------------------------------------ links */

static bool has_any(struct nlattr **attrs, const int *list, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (attrs[list[i]])
			return true;
	return false;
}

static bool names_impairment(struct genl_info *info)
{
	static const int list[] = {
		HYPERCUBE_A_LINK_LOSS, HYPERCUBE_A_LINK_CORRUPT, HYPERCUBE_A_LINK_DUPLICATE,
		HYPERCUBE_A_LINK_DELAY, HYPERCUBE_A_LINK_JITTER, HYPERCUBE_A_LINK_RATE,
		HYPERCUBE_A_LINK_SEED,
	};

	return has_any(info->attrs, list, ARRAY_SIZE(list));
}

/* Fill @set with the impairments that the link is to have after the request. */
static int impairments_get(struct genl_info *info, const struct hc_port *port,
			   struct hc_impairments *set)
{
	struct nlattr **attrs = info->attrs;

	hc_impair_get(port, set, NULL);
	take_u32(&set->loss, attrs[HYPERCUBE_A_LINK_LOSS]);
	take_u32(&set->corrupt, attrs[HYPERCUBE_A_LINK_CORRUPT]);
	take_u32(&set->duplicate, attrs[HYPERCUBE_A_LINK_DUPLICATE]);
	take_u32(&set->seed, attrs[HYPERCUBE_A_LINK_SEED]);
	if (attrs[HYPERCUBE_A_LINK_DELAY])
		set->jitter = 0;
	take_u64(&set->delay, attrs[HYPERCUBE_A_LINK_DELAY]);
	take_u64(&set->jitter, attrs[HYPERCUBE_A_LINK_JITTER]);
	take_u64(&set->rate, attrs[HYPERCUBE_A_LINK_RATE]);
	if (set->jitter > set->delay) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[HYPERCUBE_A_LINK_JITTER],
				    "The jitter must not exceed the delay");
		return -EINVAL;
	}
	if (set->rate && set->rate < HC_RATE_MIN) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[HYPERCUBE_A_LINK_RATE],
				    "A link slower than 256 kbit/s would look dead");
		return -EINVAL;
	}
	return 0;
}

/* Return: the node at end @i of the link: 0: @node, 1: its neighbour. Each end has settings of its
 * own; a request without ONE_WAY changes those of both ends.
 */
static struct hc_node *end_of(struct hc_node *node, unsigned int dim, unsigned int i)
{
	return i ? node->fabric->nodes[hc_node_peer(node, dim)] : node;
}

/* Set the impairments of the first @n ends. If there is an error, no impairments are changed. */
static int link_impair(struct genl_info *info, struct hc_node *node, unsigned int dim,
		       unsigned int n)
{
	struct hc_node *ends[] = { node, end_of(node, dim, 1) };
	struct hc_impairments set[ARRAY_SIZE(ends)];
	unsigned int i;
	int err = 0;

	if (!names_impairment(info))
		return 0;
	for (i = 0; i < n && !err; i++) {
		err = hc_impair_prepare(ends[i], dim);
		if (!err)
			err = impairments_get(info, &ends[i]->ports[dim], &set[i]);
	}
	for (i = 0; i < n && !err; i++)
		hc_impair_set(&ends[i]->ports[dim], &set[i],
			      info->attrs[HYPERCUBE_A_LINK_SEED]);
	return err;
}

static bool names_model(struct genl_info *info)
{
	static const int list[] = {
		HYPERCUBE_A_LINK_MODEL_LATENCY, HYPERCUBE_A_LINK_MODEL_BANDWIDTH,
	};

	return has_any(info->attrs, list, ARRAY_SIZE(list));
}

static void link_model(struct hc_port *port, struct nlattr **attrs)
{
	if (attrs[HYPERCUBE_A_LINK_MODEL_LATENCY])
		WRITE_ONCE(port->latency, nla_get_u64(attrs[HYPERCUBE_A_LINK_MODEL_LATENCY]));
	if (attrs[HYPERCUBE_A_LINK_MODEL_BANDWIDTH])
		WRITE_ONCE(port->bandwidth, nla_get_u64(attrs[HYPERCUBE_A_LINK_MODEL_BANDWIDTH]));
}

/* Check the flap schedule in the request, if there is one. */
static int flap_check(struct genl_info *info)
{
	struct nlattr *down = info->attrs[HYPERCUBE_A_LINK_FLAP_DOWN];
	struct nlattr *period = info->attrs[HYPERCUBE_A_LINK_FLAP_PERIOD];

	if (!period && !down)
		return 0;
	if (info->attrs[HYPERCUBE_A_LINK_DOWN]) {
		NL_SET_ERR_MSG_ATTR(info->extack, period ?: down,
				    "A link cannot be set to flap and up or down at once");
		return -EINVAL;
	}
	if (period && !nla_get_u32(period))
		return 0;
	if (!period || !down) {
		NL_SET_ERR_MSG_ATTR(info->extack, period ?: down,
				    "A schedule needs a time to be down and a period");
		return -EINVAL;
	}
	if (nla_get_u32(down) < HC_FLAP_MIN ||
	    nla_get_u32(period) < nla_get_u32(down) + HC_FLAP_MIN) {
		NL_SET_ERR_MSG_ATTR(info->extack, period,
				    "A link that flaps must be down and up for at least 10 ms each");
		return -EINVAL;
	}
	return 0;
}

static int link_flap(struct genl_info *info, struct hc_node *node, unsigned int dim)
{
	struct nlattr *down = info->attrs[HYPERCUBE_A_LINK_FLAP_DOWN];
	struct nlattr *period = info->attrs[HYPERCUBE_A_LINK_FLAP_PERIOD];

	if (!period)
		return 0;
	return hc_flap_set(node, dim, down ? nla_get_u32(down) : 0, nla_get_u32(period));
}

/* Refuse to configure a link's end that is on another machine. The extack has that machine's
 * address, if the trunk knows it. Return: -EREMOTE.
 */
static int remote_refuse(struct genl_info *info, const struct hc_node *node, unsigned int dim)
{
	const struct hc_trunk *trunk;
	int len;

	trunk = rcu_dereference_protected(node->ports[dim].end->trunk,
					  lockdep_is_held(&node->fabric->lock));
	/* Pairs with hc_trunk_sock_begin(). */
	len = trunk ? smp_load_acquire(&trunk->whom_len) : 0;
	if (len && (trunk->whom.ss_family == AF_INET || trunk->whom.ss_family == AF_INET6))
		HC_SET_ERR_MSG_FMT(info->extack, "that end lives on %pISc: set it there",
				   &trunk->whom);
	else
		NL_SET_ERR_MSG(info->extack,
			       "that end lives on another machine: set it there");
	return -EREMOTE;
}

/* Each end of a link has settings of its own. Check that the request changes them only at ends on
 * this machine.
 */
static int remote_check(struct genl_info *info, const struct hc_node *node, unsigned int dim)
{
	if (node->fabric->nodes[hc_node_peer(node, dim)] ||
	    info->attrs[HYPERCUBE_A_LINK_ONE_WAY] ||
	    !(names_impairment(info) || names_model(info)))
		return 0;
	return remote_refuse(info, node, dim);
}

static int one_way_check(struct genl_info *info)
{
	struct nlattr *one_way = info->attrs[HYPERCUBE_A_LINK_ONE_WAY];

	if (!one_way || !(info->attrs[HYPERCUBE_A_LINK_DOWN] ||
			  info->attrs[HYPERCUBE_A_LINK_FLAP_PERIOD]))
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, one_way, "A link goes up or down at both ends");
	return -EINVAL;
}

static void link_change(struct genl_info *info, struct hc_node *node, unsigned int dim,
			unsigned int ends)
{
	struct nlattr *down = info->attrs[HYPERCUBE_A_LINK_DOWN];
	unsigned int i;

	for (i = 0; i < ends && names_model(info); i++)
		link_model(&end_of(node, dim, i)->ports[dim], info->attrs);
	if (down) {
		/* The last request wins: setting the link up or down ends its flapping. */
		hc_flap_set(node, dim, 0, 0);
		hc_link_set_down(node, dim, nla_get_u8(down));
	}
}

static int link_set(struct sk_buff *skb, struct genl_info *info)
{
	unsigned int dim, ends = info->attrs[HYPERCUBE_A_LINK_ONE_WAY] ? 1 : 2;
	struct hc_node *node = hc_nl_link(info, &dim);
	struct hc_deferred *deferred;
	int err;

	if (IS_ERR(node))
		return PTR_ERR(node);
	err = one_way_check(info) ?: flap_check(info) ?: remote_check(info, node, dim);
	if (err)
		return err;
	deferred = hc_deferred_notified(skb, info, node, hc_bit(dim));
	if (IS_ERR(deferred))
		return PTR_ERR(deferred);
	err = link_impair(info, node, dim, ends);
	if (!err)
		err = link_flap(info, node, dim);
	if (err) {
		hc_deferred_free(deferred);
		return err;
	}
	link_change(info, node, dim, ends);
	return hc_deferred_wait(deferred, info);
}

int hc_nl_link_set(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_said said;

	hc_said_begin(&said, info);
	return hc_said_end(&said, skb, info, link_set(skb, info));
}

int hc_nl_fault_clear(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_deferred *deferred = hc_deferred_notified(skb, info, NULL, 0);

	if (IS_ERR(deferred))
		return PTR_ERR(deferred);
	hc_link_clear(hc_info_fabric(info));
	return hc_deferred_wait(deferred, info);
}

/* ------------------------------------------------------------ tasks */

int hc_nl_task_move(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_node *node = hc_nl_node(info, HYPERCUBE_A_TASK_NODE);
	u32 dim;
	int err;

	if (IS_ERR(node))
		return PTR_ERR(node);
	if (hc_missing(info, HYPERCUBE_A_TASK_DIM, "The request names no dimension") ||
	    hc_missing(info, HYPERCUBE_A_TASK_COUNT, "The request names no number of tasks"))
		return -EINVAL;
	dim = nla_get_u32(info->attrs[HYPERCUBE_A_TASK_DIM]);
	if (dim >= node->fabric->topo.ports) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[HYPERCUBE_A_TASK_DIM],
				    "The fabric has no such dimension");
		return -ERANGE;
	}
	err = hc_move_want(node, dim,
			   min_t(u64, nla_get_u64(info->attrs[HYPERCUBE_A_TASK_COUNT]), U32_MAX));
	if (err == -ENOLINK)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[HYPERCUBE_A_TASK_DIM],
				    "The link is not usable");
	else if (err)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[HYPERCUBE_A_TASK_NODE],
				    "No task waits at the node");
	return err;
}

/* ------------------------------------------------------------ DETECT */

static int fill_detect(const struct hc_msg *msg, const struct hc_fabric *fabric, const u32 *links,
		       u32 found)
{
	void *hdr = hc_msg_begin(msg);
	bool overflow = !hdr ||
		   nla_put_string(msg->skb, HYPERCUBE_A_DETECT_FABRIC, fabric->name) ||
		   nla_put_u32(msg->skb, HYPERCUBE_A_DETECT_FOUND, found);
	unsigned int d;
	u32 u;

	for (u = 0; u < fabric->topo.nodes; u++)
		for (d = 0; d < fabric->topo.ports && !overflow; d++)
			overflow = links[u] & hc_bit(d) &&
				   nla_put_u32(msg->skb, HYPERCUBE_A_DETECT_LINK, u << 8 | d);
	return hc_msg_end(msg, hdr, overflow);
}

static int detect_reply(struct genl_info *info, const struct hc_fabric *fabric, const u32 *links)
{
	u32 found = memweight(links, fabric->topo.nodes * sizeof(*links));
	size_t size = NLMSG_DEFAULT_SIZE + found * nla_total_size(sizeof(u32));
	struct hc_msg msg;

	return hc_reply_end(&msg, info, hc_reply_begin(&msg, info, NULL, size) ?:
					fill_detect(&msg, fabric, links, found));
}

/**
 * struct detect - a request for a round of DETECT
 * @deferred: must be first
 * @round: the round
 */
struct detect {
	struct hc_deferred deferred;
	struct hc_detect round;
};

static void detect_notify(const struct hc_detect *round)
{
	const struct hc_fabric *fabric = round->fabric;
	struct hc_node *node;
	unsigned int d;

	hc_each_node(fabric, node) {
		for (d = 0; d < fabric->topo.ports; d++)
			if (round->links[node->id] & hc_bit(d))
				hc_notify_link(node, d);
		cond_resched();
	}
}

static int detect_look(struct hc_deferred *deferred, bool gone)
{
	struct detect *r = container_of(deferred, struct detect, deferred);
	int err;

	if (gone && hc_detect_may_stop(&r->round))
		return -ECANCELED;
	err = hc_detect_step(&r->round);
	deferred->next = r->round.next;
	if (err)
		return err;
	detect_notify(&r->round);
	if (gone)
		return -ECANCELED;
	return detect_reply(&deferred->info, deferred->fabric, r->round.links);
}

static void detect_release(struct hc_deferred *deferred)
{
	hc_detect_free(&container_of(deferred, struct detect, deferred)->round);
}

static const struct hc_deferred_ops detect_ops = {
	.look		= detect_look,
	.release	= detect_release,
};

int hc_nl_detect(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *timeout = info->attrs[HYPERCUBE_A_DETECT_TIMEOUT];
	struct detect *r = hc_deferred_new(skb, info, sizeof(*r), &detect_ops);
	int err;

	if (IS_ERR(r))
		return PTR_ERR(r);
	err = hc_detect_init(&r->round, hc_info_fabric(info), timeout ? nla_get_u32(timeout) : 0);
	if (err) {
		hc_deferred_free(&r->deferred);
		return err;
	}
	return hc_deferred_wait(&r->deferred, info);
}
