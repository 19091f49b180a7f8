// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that read single objects, and dumps.
 *
 * A dump walks the fabrics by index, and the objects of each fabric by number or id. It holds no
 * lock and no reference between two buffers. If a fabric is created or removed meanwhile, the
 * reader must repeat the dump (NLM_F_DUMP_INTR).
 */
#include <linux/mm.h>

#include "coll/plan.h"
#include "fabric/fabric.h"
#include "fabric/node.h"
#include "hc_topo.h"
#include "netlink/priv.h"
#include "route/remote_nodes.h"
#include "route/route.h"

/* ------------------------------------------------------------ what a request names */

/* Return: the number of the local or remote node that a request names, or -errno. */
static int any_node_id(struct genl_info *info, int attr)
{
	u32 u;

	if (hc_missing(info, attr, "The request names no node"))
		return -EINVAL;
	u = nla_get_u32(info->attrs[attr]);
	if (u >= hc_info_fabric(info)->topo.nodes) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[attr],
				    "The fabric has no such node");
		return -ERANGE;
	}
	return u;
}

int hc_nl_node_id(struct genl_info *info, int attr)
{
	int u = any_node_id(info, attr);

	if (u >= 0 && !hc_is_here(hc_info_fabric(info), u)) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[attr], "The node lives elsewhere");
		return -EREMOTE;
	}
	return u;
}

struct hc_node *hc_nl_node(struct genl_info *info, int attr)
{
	int id = hc_nl_node_id(info, attr);

	return id < 0 ? ERR_PTR(id) : hc_info_fabric(info)->nodes[id];
}

struct hc_node *hc_nl_link(struct genl_info *info, unsigned int *dim)
{
	struct hc_node *node = hc_nl_node(info, HYPERCUBE_A_LINK_NODE);
	struct nlattr *attr = info->attrs[HYPERCUBE_A_LINK_DIM];

	if (IS_ERR(node))
		return node;
	if (hc_missing(info, HYPERCUBE_A_LINK_DIM, "The request names no dimension"))
		return ERR_PTR(-EINVAL);
	*dim = nla_get_u32(attr);
	if (*dim >= hc_info_fabric(info)->topo.ports) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "The fabric has no such dimension");
		return ERR_PTR(-ERANGE);
	}
	if (hc_node_peer(node, *dim) == node->id) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "The node has no such port");
		return ERR_PTR(-ENODEV);
	}
	return node;
}

/* ------------------------------------------------------------ one object */

int hc_reply_begin(struct hc_msg *msg, struct genl_info *info, struct sk_buff *skb, size_t size)
{
	*msg = (struct hc_msg) {
		.skb = genlmsg_new(size, GFP_KERNEL),
		.portid = info->snd_portid,
		.seq = info->snd_seq,
		.cmd = info->genlhdr->cmd,
		.user_ns = skb ? sk_user_ns(NETLINK_CB(skb).sk) : NULL,
	};
	return msg->skb ? 0 : -ENOMEM;
}

int hc_reply_end(struct hc_msg *msg, struct genl_info *info, int err)
{
	if (!err)
		return genlmsg_reply(msg->skb, info);
	nlmsg_free(msg->skb);
	return err;
}

int hc_nl_fabric_get(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_msg msg;

	return hc_reply_end(&msg, info, hc_reply_begin(&msg, info, skb, NLMSG_DEFAULT_SIZE) ?:
					hc_fill_fabric(&msg, hc_info_fabric(info)));
}

static int fill_route(const struct hc_msg *msg, const struct hc_fabric *fabric, const u8 *walk,
		      int n)
{
	void *hdr = hc_msg_begin(msg);
	bool overflow = !hdr || nla_put_string(msg->skb, HYPERCUBE_A_ROUTE_FABRIC, fabric->name);
	int i;

	for (i = 0; i < n && !overflow; i++)
		overflow = nla_put_u32(msg->skb, HYPERCUBE_A_ROUTE_DIM, walk[i]);
	return hc_msg_end(msg, hdr, overflow);
}

#define PATH_WAIT	(2 * HZ)

/**
 * struct route - a request for a route
 * @deferred: must be first
 * @probe: the PATH frame that searches the route
 * @end: when the frame is considered lost, jiffies
 */
struct route {
	struct hc_deferred deferred;
	struct hc_path probe;
	unsigned long end;
};

static int route_reply(struct genl_info *info, const struct hc_fabric *fabric,
		       const struct hc_path *p)
{
	size_t size = NLMSG_DEFAULT_SIZE + p->status * nla_total_size(sizeof(u32));
	struct hc_msg msg;

	return hc_reply_end(&msg, info, hc_reply_begin(&msg, info, NULL, size) ?:
					fill_route(&msg, fabric, p->walk, p->status));
}

static int route_look(struct hc_deferred *deferred, bool gone)
{
	struct route *r = container_of(deferred, struct route, deferred);

	deferred->next = jiffies + 1;
	if (!hc_path_over(deferred->fabric, &r->probe)) {
		if (!gone && time_before(jiffies, r->end))
			return -EAGAIN;
		NL_SET_ERR_MSG(&deferred->extack, "The frame was lost on its way");
		return -ETIMEDOUT;
	}
	if (r->probe.status >= 0)
		return route_reply(&deferred->info, deferred->fabric, &r->probe);
	NL_SET_ERR_MSG(&deferred->extack, "There is no healthy path");
	return r->probe.status;
}

static void route_release(struct hc_deferred *deferred)
{
	struct route *r = container_of(deferred, struct route, deferred);

	hc_path_end(deferred->fabric, &r->probe);
	kvfree(r->probe.walk);
}

static const struct hc_deferred_ops route_ops = {
	.look		= route_look,
	.release	= route_release,
};

int hc_nl_route_get(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_fabric *fabric = hc_info_fabric(info);
	struct hc_node *src = hc_nl_node(info, HYPERCUBE_A_ROUTE_SRC);
	struct hc_node *dst = IS_ERR(src) ? src : hc_nl_node(info, HYPERCUBE_A_ROUTE_DST);
	struct route *r;
	int err = 0;

	if (IS_ERR(dst))
		return PTR_ERR(dst);
	if (src->failed) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[HYPERCUBE_A_ROUTE_SRC],
				    "The node has failed");
		return -EHOSTDOWN;
	}
	r = hc_deferred_new(skb, info, sizeof(*r), &route_ops);
	if (IS_ERR(r))
		return PTR_ERR(r);
	r->end = jiffies + PATH_WAIT;
	INIT_LIST_HEAD(&r->probe.list);
	r->probe.src = src->id;
	r->probe.dst = dst->id;
	r->probe.walk = kvmalloc(2 * fabric->topo.nodes, GFP_KERNEL_ACCOUNT);
	if (!r->probe.walk)
		err = -ENOMEM;
	else if (src != dst)
		err = hc_path_begin(fabric, &r->probe);
	if (err) {
		hc_deferred_free(&r->deferred);
		return err;
	}
	return hc_deferred_wait(&r->deferred, info);
}

/* Write a node. @words: the FAULT words that this machine knows, if the fabric spans machines, or
 * NULL.
 */
static int fill_node(const struct hc_msg *msg, struct hc_fabric *fabric, u32 u, const u32 *words)
{
	if (fabric->nodes[u])
		return hc_fill_node(msg, fabric->nodes[u]);
	return hc_fill_remote(msg, fabric, u, words);
}

int hc_nl_node_get(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_fabric *fabric = hc_info_fabric(info);
	int u = any_node_id(info, HYPERCUBE_A_NODE_ID);
	u32 *words = NULL;
	struct hc_msg msg;
	int err;

	if (u < 0)
		return u;
	if (!hc_is_here(fabric, u)) {
		words = hc_remote_faults(fabric);
		if (!words)
			return -ENOMEM;
	}
	err = hc_reply_end(&msg, info, hc_reply_begin(&msg, info, skb, NLMSG_DEFAULT_SIZE) ?:
				       fill_node(&msg, fabric, u, words));
	kvfree(words);
	return err;
}

int hc_nl_link_get(struct sk_buff *skb, struct genl_info *info)
{
	unsigned int dim;
	struct hc_node *node = hc_nl_link(info, &dim);
	struct hc_msg msg;

	if (IS_ERR(node))
		return PTR_ERR(node);
	return hc_reply_end(&msg, info, hc_reply_begin(&msg, info, skb, NLMSG_DEFAULT_SIZE) ?:
					hc_fill_link(&msg, node, dim));
}

/* pre_doit() holds hc_fabric.lock, under which plans are published and removed. */
int hc_nl_plan_get(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_fabric *fabric = hc_info_fabric(info);
	struct hc_plan *plan;
	struct hc_msg msg;

	if (hc_missing(info, HYPERCUBE_A_PLAN_ID, "The request names no plan"))
		return -EINVAL;
	plan = xa_load(&fabric->plans, nla_get_u32(info->attrs[HYPERCUBE_A_PLAN_ID]));
	if (!plan) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[HYPERCUBE_A_PLAN_ID],
				    "No such plan");
		return -ENOENT;
	}
	return hc_reply_end(&msg, info, hc_reply_begin(&msg, info, skb, hc_plan_msg_size(plan)) ?:
					hc_fill_plan(&msg, plan));
}

/* ------------------------------------------------------------ dumps */

/**
 * struct cursor - where a dump continues; in cb->ctx
 * @fabric: index of the first fabric that has not been sent completely
 * @index: first object of that fabric that has not been sent completely: number of a node, or id of
 *	a plan or trunk
 * @sub: first part of that object that has not been sent: dimension, or node of a plan
 */
struct cursor {
	u32 fabric;
	u32 index;
	u32 sub;
};

/* Write the objects of one fabric, beginning at the cursor. The caller holds the fabric's lock. */
typedef int (*dump_fn)(const struct hc_msg *msg, struct hc_fabric *fabric, struct cursor *c,
		       struct nlattr **attrs);

/* Return: the fabric at the cursor, with a reference, or NULL at the end. */
static struct hc_fabric *cursor_fabric(struct net *net, struct cursor *c, struct nlattr *name)
{
	struct hc_fabric *fabric;

	fabric = name ? hc_fabric_get(net, nla_data(name)) : hc_fabric_get_next(net, c->fabric);
	if (fabric && fabric->index < c->fabric) {
		hc_fabric_put(fabric);
		return NULL;
	}
	if (fabric && fabric->index != c->fabric)
		*c = (struct cursor) { .fabric = fabric->index };
	return fabric;
}

static int dump_fabric(const struct hc_msg *msg, struct hc_fabric *fabric, struct cursor *c,
		       struct nlattr **attrs)
{
	return hc_fill_fabric(msg, fabric);
}

static int dump_nodes(const struct hc_msg *msg, struct hc_fabric *fabric, struct cursor *c,
		      struct nlattr **attrs)
{
	u32 *words = NULL;
	int err = 0;

	if (!hc_is_whole(fabric)) {
		words = hc_remote_faults(fabric);
		if (!words)
			return -ENOMEM;
	}
	for (; c->index < fabric->topo.nodes; c->index++) {
		err = fill_node(msg, fabric, c->index, words);
		if (err)
			break;
	}
	kvfree(words);
	return err;
}

static int dump_links(const struct hc_msg *msg, struct hc_fabric *fabric, struct cursor *c,
		      struct nlattr **attrs)
{
	const struct nlattr *only = attrs[HYPERCUBE_A_LINK_NODE];
	int err;

	for (; c->index < fabric->topo.nodes; c->index++, c->sub = 0) {
		if ((only && nla_get_u32(only) != c->index) || !fabric->nodes[c->index])
			continue;
		for (; c->sub < fabric->topo.ports; c->sub++) {
			if (!hc_port_exists(&fabric->topo, c->index, c->sub))
				continue;
			err = hc_fill_link(msg, fabric->nodes[c->index], c->sub);
			if (err)
				return err;
		}
	}
	return 0;
}

typedef int (*dump_plan_fn)(const struct hc_msg *msg, struct hc_plan *plan, struct cursor *c,
			    struct nlattr **attrs);

static int each_plan(const struct hc_msg *msg, struct hc_fabric *fabric, struct cursor *c,
		     struct nlattr **attrs, dump_plan_fn fn)
{
	struct hc_plan *plan;
	unsigned long id;
	int err;

	xa_for_each_start(&fabric->plans, id, plan, c->index) {
		if (id != c->index)
			c->sub = 0;
		c->index = id;
		err = fn(msg, plan, c, attrs);
		if (err)
			return err;
	}
	return 0;
}

/* Make the next buffer of the dump large enough for a plan. Objects of other kinds fit into any
 * buffer.
 */
static void dump_room(struct netlink_callback *cb, const struct hc_plan *plan)
{
	cb->min_dump_alloc = max_t(size_t, cb->min_dump_alloc, hc_plan_msg_size(plan));
}

static int dump_plan(const struct hc_msg *msg, struct hc_plan *plan, struct cursor *c,
		     struct nlattr **attrs)
{
	int err = hc_fill_plan(msg, plan);

	/* The plan may have been installed after the dump began. */
	if (err)
		dump_room(msg->cb, plan);
	return err;
}

static int dump_plans(const struct hc_msg *msg, struct hc_fabric *fabric, struct cursor *c,
		      struct nlattr **attrs)
{
	return each_plan(msg, fabric, c, attrs, dump_plan);
}

/* Write the members of a plan. Members without a pending operation are included: their next number
 * shows which members have not contributed.
 */
static int dump_plan_ops(const struct hc_msg *msg, struct hc_plan *plan, struct cursor *c,
			 struct nlattr **attrs)
{
	const struct nlattr *only_plan = attrs[HYPERCUBE_A_OP_PLAN];
	const struct nlattr *only = attrs[HYPERCUBE_A_OP_NODE];
	struct hc_op_view view;
	int err;

	if (only_plan && nla_get_u32(only_plan) != plan->id)
		return 0;
	for (; c->sub < plan->fabric->topo.nodes; c->sub++) {
		if (only && nla_get_u32(only) != c->sub)
			continue;
		if (!hc_coll_view(plan, c->sub, &view))
			continue;
		err = hc_fill_op(msg, plan, c->sub, &view);
		if (err)
			return err;
	}
	return 0;
}

static int dump_ops(const struct hc_msg *msg, struct hc_fabric *fabric, struct cursor *c,
		    struct nlattr **attrs)
{
	return each_plan(msg, fabric, c, attrs, dump_plan_ops);
}

static int dump_trunks(const struct hc_msg *msg, struct hc_fabric *fabric, struct cursor *c,
		       struct nlattr **attrs)
{
	return hc_dump_trunks(msg, fabric, &c->index);
}

static int dump_room_all(struct netlink_callback *cb, struct hc_fabric *fabric)
{
	struct hc_plan *plan;
	unsigned long id;

	if (mutex_lock_killable(&fabric->lock))
		return -EINTR;
	xa_for_each(&fabric->plans, id, plan)
		dump_room(cb, plan);
	mutex_unlock(&fabric->lock);
	return 0;
}

int hc_nl_dump_start(struct netlink_callback *cb)
{
	const struct genlmsghdr *request = nlmsg_data(cb->nlh);
	struct nlattr *name = hc_dump_attrs(cb)[HC_A_FABRIC];
	struct hc_fabric *fabric;
	struct cursor c = {};
	int err = 0;

	BUILD_BUG_ON(sizeof(struct cursor) > sizeof(cb->ctx));
	while (!err && (fabric = cursor_fabric(sock_net(cb->skb->sk), &c, name))) {
		if (request->cmd == HYPERCUBE_CMD_PLAN_GET)
			err = dump_room_all(cb, fabric);
		c.fabric = fabric->index + 1;
		hc_fabric_put(fabric);
	}
	if (!name || err || c.fabric)
		return err;
	/* Linux 6.1 does not send an extack that a dump's .start sets. The error code reaches user
	 * space, and every client reports it.
	 */
	NL_SET_ERR_MSG_ATTR(cb->extack, name, "No such fabric");
	return -ENOENT;
}

static const dump_fn dumps[] = {
	[HYPERCUBE_CMD_FABRIC_GET] = dump_fabric,
	[HYPERCUBE_CMD_NODE_GET] = dump_nodes,
	[HYPERCUBE_CMD_LINK_GET] = dump_links,
	[HYPERCUBE_CMD_PLAN_GET] = dump_plans,
	[HYPERCUBE_CMD_OP_GET] = dump_ops,
	[HYPERCUBE_CMD_TRUNK_GET] = dump_trunks,
};

int hc_nl_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct genlmsghdr *request = nlmsg_data(cb->nlh);
	struct cursor *c = (struct cursor *)cb->ctx;
	struct nlattr **attrs = hc_dump_attrs(cb);
	struct net *net = sock_net(skb->sk);
	struct hc_fabric *fabric;
	struct hc_msg msg = {
		.skb = skb,
		.portid = NETLINK_CB(cb->skb).portid,
		.seq = cb->nlh->nlmsg_seq,
		.flags = NLM_F_MULTI,
		.cmd = request->cmd,
		.user_ns = sk_user_ns(NETLINK_CB(cb->skb).sk),
		.cb = cb,
	};
	int err = 0;

	cb->seq = hc_fabric_generation(net) + 1;
	while (!err && (fabric = cursor_fabric(net, c, attrs[HC_A_FABRIC]))) {
		if (mutex_lock_killable(&fabric->lock)) {
			hc_fabric_put(fabric);
			return -EINTR;
		}
		if (!fabric->dead)
			err = dumps[request->cmd](&msg, fabric, c, attrs);
		mutex_unlock(&fabric->lock);
		if (!err)
			*c = (struct cursor) { .fabric = fabric->index + 1 };
		hc_fabric_put(fabric);
	}
	return err && !skb->len ? err : skb->len;
}
