// SPDX-License-Identifier: GPL-2.0
/*
 * Plans from attributes.  Here sizes and ranges are checked; whether the plan
 * makes sense is the verifier's business.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "netlink_priv.h"

static int plan_refuse(struct genl_info *info, int attr)
{
	NL_SET_BAD_ATTR(info->extack, info->attrs[attr]);
	return -EINVAL;
}

static int parse_root(struct genl_info *info, const struct hc_fabric *fabric,
		      struct hc_plan_params *p)
{
	static const struct {
		int attr;
		const char *missing;
	} roots[] = {
		[HYPERCUBE_PLAN_TREE] = { HYPERCUBE_A_PLAN_SINK, "A tree plan needs a sink" },
		[HYPERCUBE_PLAN_BCAST] = { HYPERCUBE_A_PLAN_SOURCE,
					   "A broadcast plan needs a source" },
		[HYPERCUBE_PLAN_DOUBLING] = { HYPERCUBE_A_PLAN_BASE,
					      "A plan for doubling needs a base" },
	};
	int attr = roots[p->ops->id].attr;

	if (hc_missing(info, attr, roots[p->ops->id].missing))
		return -EINVAL;
	p->root = nla_get_u32(info->attrs[attr]);
	if (p->root < hc_nodes(fabric->dim))
		return 0;
	NL_SET_ERR_MSG(info->extack, "The sink, source or base is no node of the fabric");
	return plan_refuse(info, attr);
}

static int parse_scalars(struct genl_info *info, struct hc_plan_params *p)
{
	if (hc_missing(info, HYPERCUBE_A_PLAN_ID, "A plan needs an id") ||
	    hc_missing(info, HYPERCUBE_A_PLAN_TYPE, "A plan needs a type"))
		return -EINVAL;
	p->id = nla_get_u32(info->attrs[HYPERCUBE_A_PLAN_ID]);
	p->ops = hc_plan_type(nla_get_u32(info->attrs[HYPERCUBE_A_PLAN_TYPE]));
	if (p->ops)
		return 0;
	NL_SET_ERR_MSG(info->extack, "This kernel knows no plans of this type");
	return plan_refuse(info, HYPERCUBE_A_PLAN_TYPE);
}

/* The verifier looks at the dimensions; the bytes can be used where they are. */
static int parse_sequence(struct genl_info *info, const struct hc_fabric *fabric,
			  struct hc_plan_params *p)
{
	struct nlattr *attr = info->attrs[HYPERCUBE_A_PLAN_SEQUENCE];

	if (hc_missing(info, HYPERCUBE_A_PLAN_SEQUENCE, "A broadcast plan needs a sequence"))
		return -EINVAL;
	if (nla_len(attr) > hc_bcast_max_steps(fabric->dim)) {
		NL_SET_ERR_MSG(info->extack,
			       "The sequence has more steps than there are nodes to inform");
		return plan_refuse(info, HYPERCUBE_A_PLAN_SEQUENCE);
	}
	p->steps = nla_len(attr);
	p->sequence = nla_data(attr);
	return 0;
}

static int parse_order(struct genl_info *info, const struct hc_fabric *fabric,
		       struct hc_plan_params *p)
{
	struct nlattr *attr;
	int rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != HYPERCUBE_A_PLAN_ORDER)
			continue;
		if (p->stages == fabric->dim || nla_get_u32(attr) >= fabric->dim) {
			NL_SET_ERR_MSG_ATTR(info->extack, attr,
					    "The order names a dimension that the fabric does not have, or one too many");
			return -EINVAL;
		}
		p->order[p->stages++] = nla_get_u32(attr);
	}
	return 0;
}

static int parse_members(struct genl_info *info, const struct hc_fabric *fabric,
			 struct hc_plan_params *p)
{
	struct nlattr *attr = info->attrs[HYPERCUBE_A_PLAN_MEMBERS];
	u32 nodes = hc_nodes(fabric->dim);
	const u8 *bytes;
	u32 *members;
	u32 i;

	if (p->ops->id == HYPERCUBE_PLAN_DOUBLING)
		return 0;
	if (hc_missing(info, HYPERCUBE_A_PLAN_MEMBERS, "A plan needs a set of members"))
		return -EINVAL;
	if (nla_len(attr) != DIV_ROUND_UP(nodes, BITS_PER_BYTE)) {
		NL_SET_ERR_MSG(info->extack, "The set of members has the wrong size for the fabric");
		return plan_refuse(info, HYPERCUBE_A_PLAN_MEMBERS);
	}
	members = kcalloc(hc_set_words(fabric->dim), sizeof(u32), GFP_KERNEL_ACCOUNT);
	if (!members)
		return -ENOMEM;
	p->members = members;
	bytes = nla_data(attr);
	for (i = 0; i < nla_len(attr); i++)
		members[i / 4] |= (u32)bytes[i] << (i % 4 * BITS_PER_BYTE);
	if (nodes < 32 && members[0] >> nodes) {
		NL_SET_ERR_MSG(info->extack, "A member is no node of the fabric");
		return plan_refuse(info, HYPERCUBE_A_PLAN_MEMBERS);
	}
	return 0;
}

static u32 count_attrs(struct genl_info *info, int type)
{
	struct nlattr *attr;
	u32 n = 0;
	int rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem)
		n += nla_type(attr) == type;
	return n;
}

static int parse_detours(struct genl_info *info, const struct hc_fabric *fabric,
			 struct hc_plan_params *p)
{
	u32 max = count_attrs(info, HYPERCUBE_A_PLAN_DETOUR);
	u32 nodes = hc_nodes(fabric->dim);
	struct hc_detour *detours;
	struct nlattr *attr;
	int rem;

	if (max > nodes) {
		NL_SET_ERR_MSG(info->extack, "There are more detours than nodes");
		return plan_refuse(info, HYPERCUBE_A_PLAN_DETOUR);
	}
	detours = kvcalloc(max_t(u32, max, 1), sizeof(*detours), GFP_KERNEL_ACCOUNT);
	if (!detours)
		return -ENOMEM;
	p->detours = detours;
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		struct hc_detour *d = &detours[p->ndetours];

		if (nla_type(attr) != HYPERCUBE_A_PLAN_DETOUR)
			continue;
		d->from = nla_get_u32(attr) >> 16;
		d->to = nla_get_u32(attr) & U16_MAX;
		if (d->from >= nodes || d->to >= nodes) {
			NL_SET_ERR_MSG_ATTR(info->extack, attr,
					    "An end of a detour is no node of the fabric");
			return -EINVAL;
		}
		if (p->ndetours && d->from <= d[-1].from) {
			NL_SET_ERR_MSG_ATTR(info->extack, attr, "The detours must be ascending");
			return -EINVAL;
		}
		p->ndetours++;
	}
	return 0;
}

/* Attributes are aligned to four bytes: the words can be used where they are. */
static int parse_fault(struct genl_info *info, const struct hc_fabric *fabric,
		       struct hc_plan_params *p)
{
	struct nlattr *attr = info->attrs[HYPERCUBE_A_PLAN_FAULT];

	if (hc_missing(info, HYPERCUBE_A_PLAN_FAULT, "A plan needs the faults it was made for"))
		return -EINVAL;
	if (nla_len(attr) != hc_nodes(fabric->dim) * sizeof(u32)) {
		NL_SET_ERR_MSG(info->extack, "The fabric has another number of FAULT words");
		return plan_refuse(info, HYPERCUBE_A_PLAN_FAULT);
	}
	p->fault = nla_data(attr);
	return 0;
}

/* What says something about plans of another type is a mistake. */
static int parse_strange(struct genl_info *info, const struct hc_plan_params *p)
{
	static const u8 strange[] = {
		HYPERCUBE_A_PLAN_SINK, HYPERCUBE_A_PLAN_SOURCE, HYPERCUBE_A_PLAN_SEQUENCE,
		HYPERCUBE_A_PLAN_MEMBERS, HYPERCUBE_A_PLAN_DETOUR,
	};
	unsigned int i;

	for (i = 0; p->ops->id == HYPERCUBE_PLAN_DOUBLING && i < ARRAY_SIZE(strange); i++)
		if (info->attrs[strange[i]]) {
			NL_SET_ERR_MSG(info->extack, "A doubling is a base and an order, nothing else");
			return plan_refuse(info, strange[i]);
		}
	return 0;
}

static int parse_shape(struct genl_info *info, const struct hc_fabric *fabric,
		       struct hc_plan_params *p)
{
	int err;

	if (p->ops->id == HYPERCUBE_PLAN_BCAST)
		return parse_sequence(info, fabric, p);
	err = parse_order(info, fabric, p);
	if (p->ops->id == HYPERCUBE_PLAN_DOUBLING)
		return err;
	return err ?: parse_detours(info, fabric, p);
}

static int plan_new(struct genl_info *info)
{
	struct hc_fabric *fabric = hc_info_fabric(info);
	struct hc_plan_params p = {};
	int err;

	err = parse_scalars(info, &p);
	if (!err)
		err = parse_strange(info, &p);
	if (!err)
		err = parse_root(info, fabric, &p);
	if (!err)
		err = parse_shape(info, fabric, &p);
	if (!err)
		err = parse_members(info, fabric, &p);
	if (!err)
		err = parse_fault(info, fabric, &p);
	if (!err)
		err = hc_plan_install(fabric, &p, info->extack);
	kfree(p.members);
	kvfree(p.detours);
	return err;
}

int hc_nl_plan_new(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_said said;

	hc_said_begin(&said, info);
	return hc_said_end(&said, skb, info, plan_new(info));
}

int hc_nl_plan_del(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *id = info->attrs[HYPERCUBE_A_PLAN_ID];

	if (hc_missing(info, HYPERCUBE_A_PLAN_ID, "The request names no plan"))
		return -EINVAL;
	NL_SET_BAD_ATTR(info->extack, id);
	return hc_plan_remove(hc_info_fabric(info), nla_get_u32(id), info->extack);
}
