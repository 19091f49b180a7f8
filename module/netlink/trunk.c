// SPDX-License-Identifier: GPL-2.0
/*
 * Trunks: creating, removing and reading them.
 */
#include <linux/net.h>
#include <net/sock.h>

#include "fabric/fabric.h"
#include "hc_topo.h"
#include "netlink/priv.h"
#include "trunk/trunk.h"

static bool put_u64(struct sk_buff *skb, int attr, const atomic64_t *v)
{
	return nla_put_u64_64bit(skb, attr, atomic64_read(v), HYPERCUBE_A_TRUNK_PAD);
}

/* Write the address of the other end, if the socket knows it. */
static bool put_peer(struct sk_buff *skb, const struct hc_trunk *trunk)
{
	/* Pairs with hc_trunk_sock_begin(). */
	int len = smp_load_acquire(&trunk->whom_len);

	if (nla_put_u32(skb, HYPERCUBE_A_TRUNK_FAMILY, trunk->sock->sk->sk_family))
		return true;
	return len && nla_put(skb, HYPERCUBE_A_TRUNK_PEER, len, &trunk->whom);
}

static bool put_counters(struct sk_buff *skb, const struct hc_trunk *trunk)
{
	return put_u64(skb, HYPERCUBE_A_TRUNK_TX_FRAMES, &trunk->tx_frames) ||
	       put_u64(skb, HYPERCUBE_A_TRUNK_TX_BYTES, &trunk->tx_bytes) ||
	       put_u64(skb, HYPERCUBE_A_TRUNK_RX_FRAMES, &trunk->rx_frames) ||
	       put_u64(skb, HYPERCUBE_A_TRUNK_RX_BYTES, &trunk->rx_bytes) ||
	       put_u64(skb, HYPERCUBE_A_TRUNK_DROPPED, &trunk->dropped);
}

/* Write what this machine knows about the machine at the other end. */
static bool put_machine(struct sk_buff *skb, const struct hc_trunk *trunk)
{
	unsigned long last_rx = READ_ONCE(trunk->last_rx);
	/* The reads of jiffies and @last_rx are not ordered: @last_rx may lie in the future. */
	long quiet = jiffies - last_rx;
	u32 silence = jiffies_to_msecs(max(quiet, 0L));

	return nla_put_u32(skb, HYPERCUBE_A_TRUNK_LIFE, READ_ONCE(trunk->life)) ||
	       nla_put_u32(skb, HYPERCUBE_A_TRUNK_SILENCE, silence);
}

static bool put_end(struct sk_buff *skb, const struct hc_trunk *trunk)
{
	return nla_put_u32(skb, HYPERCUBE_A_TRUNK_ERROR, -trunk->error) ||
	       (trunk->why && nla_put_string(skb, HYPERCUBE_A_TRUNK_REASON, trunk->why));
}

int hc_fill_trunk(const struct hc_msg *msg, const struct hc_trunk *trunk)
{
	struct sk_buff *skb = msg->skb;
	void *hdr = hc_msg_begin(msg);
	bool overflow = !hdr ||
		   nla_put_string(skb, HYPERCUBE_A_TRUNK_FABRIC, trunk->fabric->name) ||
		   nla_put_u32(skb, HYPERCUBE_A_TRUNK_ID, trunk->id) ||
		   nla_put_u32(skb, HYPERCUBE_A_TRUNK_DIM, trunk->dim) ||
		   nla_put_u32(skb, HYPERCUBE_A_TRUNK_SUBCUBE_MASK, trunk->fixed) ||
		   nla_put_u32(skb, HYPERCUBE_A_TRUNK_SUBCUBE_VALUE, trunk->base) ||
		   nla_put_u32(skb, HYPERCUBE_A_TRUNK_KEEPALIVE, trunk->keep) ||
		   nla_put_u32(skb, HYPERCUBE_A_TRUNK_LINKS, trunk->nlinks) ||
		   (test_bit(HC_TRUNK_ESTABLISHED, &trunk->flags) &&
		    nla_put_flag(skb, HYPERCUBE_A_TRUNK_ESTABLISHED)) ||
		   (test_bit(HC_TRUNK_NO_PLANS, &trunk->flags) &&
		    nla_put_flag(skb, HYPERCUBE_A_TRUNK_NO_PLANS)) ||
		   nla_put_u32(skb, HYPERCUBE_A_TRUNK_DIGEST,
			       test_bit(HC_TRUNK_DIGEST, &trunk->flags)) ||
		   put_machine(skb, trunk) || put_peer(skb, trunk) || put_counters(skb, trunk) ||
		   (msg->cmd == HYPERCUBE_CMD_TRUNK_DEL_NTF && put_end(skb, trunk)) ||
		   (msg->cmd != HYPERCUBE_CMD_TRUNK_DEL_NTF &&
		    test_bit(HC_TRUNK_TWICE, &trunk->flags) &&
		    nla_put_string(skb, HYPERCUBE_A_TRUNK_REASON, trunk->text));
	return hc_msg_end(msg, hdr, overflow);
}

int hc_dump_trunks(const struct hc_msg *msg, struct hc_fabric *fabric, u32 *from)
{
	struct hc_trunk *trunk;
	int err;

	list_for_each_entry(trunk, &fabric->trunks->list, list) {
		if (trunk->id < *from || test_bit(HC_TRUNK_BROKEN, &trunk->flags))
			continue;
		err = hc_fill_trunk(msg, trunk);
		if (err) {
			*from = trunk->id;
			return err;
		}
	}
	return 0;
}

static struct hc_trunk *trunk_of(struct genl_info *info)
{
	struct nlattr *id = info->attrs[HYPERCUBE_A_TRUNK_ID];
	struct hc_trunk *trunk;

	if (hc_missing(info, HYPERCUBE_A_TRUNK_ID, "The request names no trunk"))
		return ERR_PTR(-EINVAL);
	trunk = hc_trunk_find(hc_info_fabric(info), nla_get_u32(id));
	if (trunk)
		return trunk;
	NL_SET_ERR_MSG_ATTR(info->extack, id, "No such trunk");
	return ERR_PTR(-ENOENT);
}

int hc_nl_trunk_get(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_trunk *trunk = trunk_of(info);
	struct hc_msg msg;

	if (IS_ERR(trunk))
		return PTR_ERR(trunk);
	return hc_reply_end(&msg, info, hc_reply_begin(&msg, info, NULL, NLMSG_DEFAULT_SIZE) ?:
					hc_fill_trunk(&msg, trunk));
}

static int far_get(struct genl_info *info, struct hc_trunk_params *p)
{
	struct nlattr *fixed = info->attrs[HYPERCUBE_A_TRUNK_SUBCUBE_MASK];
	struct nlattr *base = info->attrs[HYPERCUBE_A_TRUNK_SUBCUBE_VALUE];
	const struct hc_fabric *fabric = hc_info_fabric(info);

	if (!fixed != !base) {
		NL_SET_ERR_MSG_ATTR(info->extack, fixed ?: base,
				    "The nodes at the other end are named by the bits that are fixed and what they are");
		return -EINVAL;
	}
	if (!fixed)
		return 0;
	p->far = true;
	p->fixed = nla_get_u32(fixed);
	p->base = nla_get_u32(base);
	if (p->fixed < fabric->topo.nodes && !(p->base & ~p->fixed))
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, fixed,
			    "The nodes at the other end are no subcube of the fabric");
	return -EINVAL;
}

/* Trunks are experimental. They need the module's parameter, which the administrator of the machine
 * sets, and CAP_NET_ADMIN in the initial user namespace.
 */
int hc_nl_trunk_may(const struct sk_buff *skb, struct netlink_ext_ack *extack)
{
	if (!hc_trunks_wanted()) {
		NL_SET_ERR_MSG(extack, "Trunks are experimental: only with the module's parameter \"trunks\"");
		return -EOPNOTSUPP;
	}
	if (netlink_capable(skb, CAP_NET_ADMIN))
		return 0;
	NL_SET_ERR_MSG(extack, "Trunks, and what goes over them, need CAP_NET_ADMIN in the initial user namespace");
	return -EPERM;
}

int hc_nl_trunk_new(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_fabric *fabric = hc_info_fabric(info);
	struct nlattr *keep = info->attrs[HYPERCUBE_A_TRUNK_KEEPALIVE];
	struct nlattr *digest = info->attrs[HYPERCUBE_A_TRUNK_DIGEST];
	struct hc_trunk_params p = {};
	int err = hc_nl_trunk_may(skb, info->extack);

	if (err)
		return err;
	if (hc_missing(info, HYPERCUBE_A_TRUNK_DIM, "A trunk needs a dimension") ||
	    hc_missing(info, HYPERCUBE_A_TRUNK_FD, "A trunk needs a socket"))
		return -EINVAL;
	p.dim = nla_get_u32(info->attrs[HYPERCUBE_A_TRUNK_DIM]);
	p.fd = nla_get_u32(info->attrs[HYPERCUBE_A_TRUNK_FD]);
	p.keep = keep ? nla_get_u32(keep) : 0;
	p.no_plans = nla_get_flag(info->attrs[HYPERCUBE_A_TRUNK_NO_PLANS]);
	p.replace = nla_get_flag(info->attrs[HYPERCUBE_A_TRUNK_REPLACE]);
	if (digest)
		p.digest = nla_get_u32(digest) ? HC_TRUNK_DIGEST_ON : HC_TRUNK_DIGEST_OFF;
	if (p.dim >= fabric->topo.ports) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[HYPERCUBE_A_TRUNK_DIM],
				    "The fabric has no such dimension");
		return -ERANGE;
	}
	err = far_get(info, &p);
	return err ?: hc_trunk_add(fabric, &p, info->extack);
}

int hc_nl_trunk_del(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_trunk *trunk = trunk_of(info);

	if (IS_ERR(trunk))
		return PTR_ERR(trunk);
	hc_trunk_del(trunk);
	return 0;
}
