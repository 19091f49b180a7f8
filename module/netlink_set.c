// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration of fabrics, nodes and links.
 */
#include <linux/mm.h>

#include "detect.h"
#include "netlink_priv.h"

int hc_nl_fabric_new(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_fabric_params p = {};

	if (hc_missing(info, HYPERCUBE_A_FABRIC_NAME, "A fabric needs a name") ||
	    hc_missing(info, HYPERCUBE_A_FABRIC_DIM, "A fabric needs a dimension"))
		return -EINVAL;
	p.name = nla_data(info->attrs[HYPERCUBE_A_FABRIC_NAME]);
	p.dim = nla_get_u32(info->attrs[HYPERCUBE_A_FABRIC_DIM]);
	if (info->attrs[HYPERCUBE_A_FABRIC_SEGMENT])
		p.segment = nla_get_u32(info->attrs[HYPERCUBE_A_FABRIC_SEGMENT]);
	return hc_fabric_create(genl_info_net(info), &p, info->extack);
}

int hc_nl_fabric_del(struct sk_buff *skb, struct genl_info *info)
{
	if (hc_missing(info, HYPERCUBE_A_FABRIC_NAME, "The request names no fabric"))
		return -EINVAL;
	return hc_fabric_destroy(genl_info_net(info),
				 nla_data(info->attrs[HYPERCUBE_A_FABRIC_NAME]), info->extack);
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

/* pre_doit() has taken rtnl. */
static int node_move(struct sk_buff *skb, struct genl_info *info, struct hc_node *node)
{
	struct net *net;
	int err;

	if (!info->attrs[HYPERCUBE_A_NODE_NETNS_PID] && !info->attrs[HYPERCUBE_A_NODE_NETNS_FD])
		return 0;
	net = target_net(skb, info);
	if (IS_ERR(net))
		return PTR_ERR(net);
	err = dev_change_net_namespace(node->dev, net, NULL);
	if (err)
		NL_SET_ERR_MSG(info->extack, "The namespace has another interface of this name");
	put_net(net);
	return err;
}

static int owner_get(struct sk_buff *skb, struct genl_info *info, kuid_t *owner)
{
	struct nlattr *attr = info->attrs[HYPERCUBE_A_NODE_OWNER];

	*owner = make_kuid(sk_user_ns(NETLINK_CB(skb).sk), nla_get_u32(attr));
	if (uid_valid(*owner) || nla_get_u32(attr) == (u32)-1)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, attr, "The user does not exist in this user namespace");
	return -EINVAL;
}

/* All or nothing: what can be refused comes first. */
int hc_nl_node_set(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_node *node = hc_nl_node(info, HYPERCUBE_A_NODE_ID);
	struct nlattr *failed = info->attrs[HYPERCUBE_A_NODE_FAILED];
	kuid_t owner;
	int err;

	if (IS_ERR(node))
		return PTR_ERR(node);
	owner = node->owner;
	if (info->attrs[HYPERCUBE_A_NODE_OWNER]) {
		err = owner_get(skb, info, &owner);
		if (err)
			return err;
	}
	err = node_move(skb, info, node);
	if (err)
		return err;
	WRITE_ONCE(node->owner, owner);
	if (failed)
		hc_link_set_failed(node, nla_get_u8(failed));
	hc_notify_node(node);
	return 0;
}

/* ------------------------------------------------------------ links */

static void link_impair(struct hc_port *port, struct nlattr **attrs)
{
	if (attrs[HYPERCUBE_A_LINK_LOSS])
		WRITE_ONCE(port->loss, nla_get_u32(attrs[HYPERCUBE_A_LINK_LOSS]));
	if (attrs[HYPERCUBE_A_LINK_LATENCY])
		WRITE_ONCE(port->latency, nla_get_u64(attrs[HYPERCUBE_A_LINK_LATENCY]));
	if (attrs[HYPERCUBE_A_LINK_RATE])
		WRITE_ONCE(port->rate, nla_get_u64(attrs[HYPERCUBE_A_LINK_RATE]));
}

int hc_nl_link_set(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_node *node = hc_nl_node(info, HYPERCUBE_A_LINK_NODE);
	struct nlattr *down = info->attrs[HYPERCUBE_A_LINK_DOWN];
	struct nlattr *one_way = info->attrs[HYPERCUBE_A_LINK_ONE_WAY];
	struct hc_port *port;
	int dim;

	if (IS_ERR(node))
		return PTR_ERR(node);
	dim = hc_nl_dim(info);
	if (dim < 0)
		return dim;
	if (down && one_way) {
		NL_SET_ERR_MSG_ATTR(info->extack, one_way, "A link is up or down at both ends");
		return -EINVAL;
	}
	port = &node->ports[dim];
	link_impair(port, info->attrs);
	if (!one_way)
		link_impair(&port->peer->ports[dim], info->attrs);
	if (down)
		hc_link_set_down(node, dim, nla_get_u8(down));
	hc_notify_link(node, dim);
	return 0;
}

int hc_nl_fault_clear(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_fabric *fabric = hc_info_fabric(info);

	hc_link_clear(fabric);
	hc_notify_fabric(fabric, HYPERCUBE_CMD_FABRIC_NTF);
	return 0;
}

/* ------------------------------------------------------------ DETECT */

static struct sk_buff *detect_reply(struct genl_info *info, const struct hc_fabric *fabric,
				    const u32 *links)
{
	u32 nodes = hc_nodes(fabric->dim);
	u32 found = 0;
	unsigned int d;
	struct sk_buff *msg;
	void *hdr;
	u32 u;

	for (u = 0; u < nodes; u++)
		found += hweight32(links[u]);
	msg = genlmsg_new(NLMSG_DEFAULT_SIZE + found * nla_total_size(sizeof(u32)), GFP_KERNEL);
	if (!msg)
		return NULL;
	hdr = genlmsg_put_reply(msg, info, &hc_genl_family, 0, HYPERCUBE_CMD_DETECT);
	if (!hdr || nla_put_string(msg, HYPERCUBE_A_DETECT_FABRIC, fabric->name) ||
	    nla_put_u32(msg, HYPERCUBE_A_DETECT_FOUND, found))
		goto err_msg;
	for (u = 0; u < nodes; u++)
		for (d = 0; d < fabric->dim; d++)
			if (links[u] & hc_bit(d) &&
			    nla_put_u32(msg, HYPERCUBE_A_DETECT_LINK, u << 8 | d))
				goto err_msg;
	genlmsg_end(msg, hdr);
	return msg;

err_msg:
	nlmsg_free(msg);
	return NULL;
}

int hc_nl_detect(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_fabric *fabric = hc_info_fabric(info);
	struct nlattr *timeout = info->attrs[HYPERCUBE_A_DETECT_TIMEOUT];
	struct sk_buff *msg;
	unsigned int d;
	u32 *links;
	u32 u;

	links = hc_detect_run(fabric, timeout ? nla_get_u32(timeout) : 0);
	if (IS_ERR(links)) {
		if (PTR_ERR(links) == -EINTR)
			NL_SET_ERR_MSG(info->extack, "Interrupted before anything was judged");
		return PTR_ERR(links);
	}
	for (u = 0; u < hc_nodes(fabric->dim); u++)
		for (d = 0; d < fabric->dim; d++)
			if (links[u] & hc_bit(d))
				hc_notify_link(fabric->nodes[u], d);
	msg = detect_reply(info, fabric, links);
	kvfree(links);
	return msg ? genlmsg_reply(msg, info) : -ENOMEM;
}
