// SPDX-License-Identifier: GPL-2.0
/*
 * Conversion of plans from and to attributes. This file checks sizes and ranges; the verifier
 * checks whether the plan is valid.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "coll/detour.h"
#include "coll/guard.h"
#include "coll/plan.h"
#include "fabric/fabric.h"
#include "hc_bcast.h"
#include "netlink/priv.h"
#include "trunk/commit.h"

static int plan_refuse(struct genl_info *info, int attr)
{
	NL_SET_BAD_ATTR(info->extack, info->attrs[attr]);
	return -EINVAL;
}

/* Parse the sequence. It is not copied: @p points into the message. The verifier checks its
 * dimensions.
 */
static int parse_sequence(struct genl_info *info, const struct hc_fabric *fabric,
			  struct hc_plan_params *p)
{
	struct nlattr *attr = info->attrs[HYPERCUBE_A_PLAN_SEQUENCE];

	if (hc_missing(info, HYPERCUBE_A_PLAN_SEQUENCE, "A broadcast plan needs a sequence"))
		return -EINVAL;
	if (nla_len(attr) > hc_bcast_max_steps(&fabric->topo)) {
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
		if (p->stages == fabric->topo.ports || nla_get_u32(attr) >= fabric->topo.ports) {
			NL_SET_ERR_MSG_ATTR(info->extack, attr,
					    "The order names a dimension that the fabric does not have, or has one too many");
			return -EINVAL;
		}
		p->order[p->stages++] = nla_get_u32(attr);
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
	u32 nodes = fabric->topo.nodes;
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

static int parse_tree(struct genl_info *info, const struct hc_fabric *fabric,
		      struct hc_plan_params *p)
{
	return parse_order(info, fabric, p) ?: parse_detours(info, fabric, p);
}

static bool put_order(struct sk_buff *skb, const struct hc_plan_params *p)
{
	unsigned int i;

	for (i = 0; i < p->stages; i++)
		if (nla_put_u32(skb, HYPERCUBE_A_PLAN_ORDER, p->order[i]))
			return true;
	return false;
}

static bool put_tree(struct sk_buff *skb, const struct hc_plan_params *p)
{
	unsigned int i;

	if (put_order(skb, p))
		return true;
	for (i = 0; i < p->ndetours; i++)
		if (nla_put_u32(skb, HYPERCUBE_A_PLAN_DETOUR,
				p->detours[i].from << 16 | p->detours[i].to) ||
		    (p->ways && nla_put(skb, HYPERCUBE_A_PLAN_WAY, p->ways->of[i]->n,
					p->ways->of[i]->dims)))
			return true;
	return false;
}

static bool put_sequence(struct sk_buff *skb, const struct hc_plan_params *p)
{
	return nla_put(skb, HYPERCUBE_A_PLAN_SEQUENCE, p->steps, p->sequence);
}

static int parse_parents(struct genl_info *info, const struct hc_fabric *fabric,
			 struct hc_plan_params *p)
{
	struct nlattr *attr = info->attrs[HYPERCUBE_A_PLAN_PARENTS];

	if (hc_missing(info, HYPERCUBE_A_PLAN_PARENTS, "A spanning tree needs parents"))
		return -EINVAL;
	if (nla_len(attr) != fabric->topo.nodes) {
		NL_SET_ERR_MSG(info->extack, "The number of parents is not that of the fabric's nodes");
		return plan_refuse(info, HYPERCUBE_A_PLAN_PARENTS);
	}
	p->steps = nla_len(attr);
	p->sequence = nla_data(attr);
	return 0;
}

static bool put_parents(struct sk_buff *skb, const struct hc_plan_params *p)
{
	return nla_put(skb, HYPERCUBE_A_PLAN_PARENTS, p->steps, p->sequence);
}

/* Parse the rings. The entries are not copied: @p points into the message, where attributes are
 * aligned to four bytes.
 */
static int parse_rings(struct genl_info *info, const struct hc_fabric *fabric,
		       struct hc_plan_params *p)
{
	struct nlattr *rings = info->attrs[HYPERCUBE_A_PLAN_RINGS];
	struct nlattr *nodes = info->attrs[HYPERCUBE_A_PLAN_RING_NODES];

	if (hc_missing(info, HYPERCUBE_A_PLAN_RINGS, "A plan of rings needs rings") ||
	    hc_missing(info, HYPERCUBE_A_PLAN_RING_NODES, "A plan of rings needs their nodes"))
		return -EINVAL;
	p->nrings = nla_len(rings) / sizeof(*p->rings);
	p->rings = nla_data(rings);
	if (!p->nrings || nla_len(rings) % sizeof(*p->rings) ||
	    p->nrings > fabric->topo.nodes) {
		NL_SET_ERR_MSG(info->extack, "There are no rings, or more rings than nodes");
		return plan_refuse(info, HYPERCUBE_A_PLAN_RINGS);
	}
	p->nring_nodes = nla_len(nodes) / sizeof(*p->ring_nodes);
	p->ring_nodes = nla_data(nodes);
	if (!p->nring_nodes || nla_len(nodes) % sizeof(*p->ring_nodes) ||
	    p->nring_nodes > fabric->topo.nodes + p->nrings) {
		NL_SET_ERR_MSG(info->extack, "The rings have no nodes, or more than a tree of rings can have");
		return plan_refuse(info, HYPERCUBE_A_PLAN_RING_NODES);
	}
	return 0;
}

static bool put_rings(struct sk_buff *skb, const struct hc_plan_params *p)
{
	return nla_put(skb, HYPERCUBE_A_PLAN_RINGS, p->nrings * sizeof(*p->rings), p->rings) ||
	       nla_put(skb, HYPERCUBE_A_PLAN_RING_NODES, p->nring_nodes * sizeof(*p->ring_nodes),
		       p->ring_nodes);
}

/* ------------------------------------------------------------ plan types */

/**
 * struct plan_row - the attributes of one plan type
 * @root: attribute of the root; 0: the root follows from the shape
 * @no_root: error message for a plan without that attribute
 * @unsupported: attributes that such a plan must not have, ends with 0; NULL: attributes of other
 *	types are ignored
 * @only: error message for a plan that has an attribute in @unsupported
 * @parse: parse the shape. Return: 0 or -errno
 * @put: write the shape. Return: true if there is no room
 */
struct plan_row {
	int root;
	const char *no_root;
	const u8 *unsupported;
	const char *only;
	int (*parse)(struct genl_info *info, const struct hc_fabric *fabric,
		     struct hc_plan_params *p);
	bool (*put)(struct sk_buff *skb, const struct hc_plan_params *p);
};

static const u8 doubling_unsupported[] = {
	HYPERCUBE_A_PLAN_SINK, HYPERCUBE_A_PLAN_SOURCE, HYPERCUBE_A_PLAN_SEQUENCE,
	HYPERCUBE_A_PLAN_MEMBERS, HYPERCUBE_A_PLAN_DETOUR, 0
};

static const u8 ring_unsupported[] = {
	HYPERCUBE_A_PLAN_SINK, HYPERCUBE_A_PLAN_SOURCE, HYPERCUBE_A_PLAN_BASE,
	HYPERCUBE_A_PLAN_ORDER, HYPERCUBE_A_PLAN_SEQUENCE, HYPERCUBE_A_PLAN_MEMBERS,
	HYPERCUBE_A_PLAN_DETOUR, 0
};

static const u8 span_unsupported[] = {
	HYPERCUBE_A_PLAN_SOURCE, HYPERCUBE_A_PLAN_BASE, HYPERCUBE_A_PLAN_ORDER,
	HYPERCUBE_A_PLAN_SEQUENCE, HYPERCUBE_A_PLAN_MEMBERS, HYPERCUBE_A_PLAN_DETOUR, 0
};

static const struct plan_row plan_rows[] = {
	[HYPERCUBE_PLAN_TREE] = {
		.root = HYPERCUBE_A_PLAN_SINK,
		.no_root = "A tree plan needs a sink",
		.parse = parse_tree, .put = put_tree,
	},
	[HYPERCUBE_PLAN_BCAST] = {
		.root = HYPERCUBE_A_PLAN_SOURCE,
		.no_root = "A broadcast plan needs a source",
		.parse = parse_sequence, .put = put_sequence,
	},
	[HYPERCUBE_PLAN_DOUBLING] = {
		.root = HYPERCUBE_A_PLAN_BASE,
		.no_root = "A plan for doubling needs a base",
		.unsupported = doubling_unsupported,
		.only = "A doubling is a base and an order, nothing else",
		.parse = parse_order, .put = put_order,
	},
	[HYPERCUBE_PLAN_RING] = {
		.unsupported = ring_unsupported,
		.only = "A plan of rings is rings and their nodes, nothing else",
		.parse = parse_rings, .put = put_rings,
	},
	[HYPERCUBE_PLAN_SPAN] = {
		.root = HYPERCUBE_A_PLAN_SINK,
		.no_root = "A spanning tree needs a sink",
		.unsupported = span_unsupported,
		.only = "A spanning tree is a sink and parents, nothing else",
		.parse = parse_parents, .put = put_parents,
	},
};

bool hc_put_plan_shape(struct sk_buff *skb, const struct hc_plan *plan,
		       const struct hc_plan_params *shape)
{
	const struct plan_row *row = &plan_rows[plan->ops->id];

	return (row->root && nla_put_u32(skb, row->root, plan->root)) || row->put(skb, shape);
}

/* ------------------------------------------------------------ all of a plan */

static int parse_scalars(struct genl_info *info, struct hc_plan_params *p)
{
	if (hc_missing(info, HYPERCUBE_A_PLAN_ID, "A plan needs an id") ||
	    hc_missing(info, HYPERCUBE_A_PLAN_TYPE, "A plan needs a type"))
		return -EINVAL;
	p->id = nla_get_u32(info->attrs[HYPERCUBE_A_PLAN_ID]);
	if (info->attrs[HYPERCUBE_A_PLAN_EPOCH])
		p->epoch = nla_get_u32(info->attrs[HYPERCUBE_A_PLAN_EPOCH]);
	p->ops = hc_plan_type(nla_get_u32(info->attrs[HYPERCUBE_A_PLAN_TYPE]));
	if (p->ops)
		return 0;
	NL_SET_ERR_MSG(info->extack, "This kernel knows no plans of this type");
	return plan_refuse(info, HYPERCUBE_A_PLAN_TYPE);
}

/* Refuse attributes that only plans of another type have: the requester has made a mistake. */
static int parse_unsupported(struct genl_info *info, const struct hc_plan_params *p)
{
	const struct plan_row *row = &plan_rows[p->ops->id];
	const u8 *attr;

	for (attr = row->unsupported; attr && *attr; attr++)
		if (info->attrs[*attr]) {
			info->extack->_msg = row->only;
			return plan_refuse(info, *attr);
		}
	return 0;
}

static int parse_root(struct genl_info *info, const struct hc_fabric *fabric,
		      struct hc_plan_params *p)
{
	const struct plan_row *row = &plan_rows[p->ops->id];

	if (!row->root)
		return 0;
	if (hc_missing(info, row->root, row->no_root))
		return -EINVAL;
	p->root = nla_get_u32(info->attrs[row->root]);
	if (p->root < fabric->topo.nodes)
		return 0;
	NL_SET_ERR_MSG(info->extack, "The sink, source or base is no node of the fabric");
	return plan_refuse(info, row->root);
}

static int parse_members(struct genl_info *info, const struct hc_fabric *fabric,
			 struct hc_plan_params *p)
{
	struct nlattr *attr = info->attrs[HYPERCUBE_A_PLAN_MEMBERS];
	u32 nodes = fabric->topo.nodes;
	const u8 *bytes;
	u32 *members;
	u32 i;

	if (!(p->ops->parts & HC_PLAN_MEMBERS))
		return 0;
	if (hc_missing(info, HYPERCUBE_A_PLAN_MEMBERS, "A plan needs a set of members"))
		return -EINVAL;
	if (nla_len(attr) != DIV_ROUND_UP(nodes, BITS_PER_BYTE)) {
		NL_SET_ERR_MSG(info->extack, "The set of members has the wrong size for the fabric");
		return plan_refuse(info, HYPERCUBE_A_PLAN_MEMBERS);
	}
	members = kcalloc(hc_topo_words(&fabric->topo), sizeof(u32), GFP_KERNEL_ACCOUNT);
	if (!members)
		return -ENOMEM;
	p->members = members;
	bytes = nla_data(attr);
	for (i = 0; i < nla_len(attr); i++)
		members[i / 4] |= (u32)bytes[i] << (i % 4 * BITS_PER_BYTE);
	if (nodes % 32 && members[nodes / 32] >> nodes % 32) {
		NL_SET_ERR_MSG(info->extack, "A member is no node of the fabric");
		return plan_refuse(info, HYPERCUBE_A_PLAN_MEMBERS);
	}
	return 0;
}

/* Parse the FAULT words. They are not copied: @p points into the message, where attributes are
 * aligned to four bytes.
 */
static int parse_fault(struct genl_info *info, const struct hc_fabric *fabric,
		       struct hc_plan_params *p)
{
	struct nlattr *attr = info->attrs[HYPERCUBE_A_PLAN_FAULT];

	if (hc_missing(info, HYPERCUBE_A_PLAN_FAULT, "A plan needs the faults it was made for"))
		return -EINVAL;
	if (nla_len(attr) != fabric->topo.nodes * sizeof(u32)) {
		NL_SET_ERR_MSG(info->extack, "The number of FAULT words is not that of the fabric's nodes");
		return plan_refuse(info, HYPERCUBE_A_PLAN_FAULT);
	}
	p->fault = nla_data(attr);
	return 0;
}

static int parse_repair(struct genl_info *info, struct hc_plan_params *p)
{
	p->repairs = nla_get_flag(info->attrs[HYPERCUBE_A_PLAN_REPAIR]);
	if (!p->repairs || p->ops->can_repair)
		return 0;
	NL_SET_ERR_MSG(info->extack, "Plans of this type cannot repair themselves");
	return plan_refuse(info, HYPERCUBE_A_PLAN_REPAIR);
}

int hc_guard_uid_check(struct genl_info *info, const struct hc_fabric *fabric)
{
	struct nlattr *attr = info->attrs[HYPERCUBE_A_PLAN_GUARD_UID];

	if (!attr || hc_is_whole(fabric))
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, attr,
			    "In a fabric that spans machines no user is entrusted with a plan");
	return -EOPNOTSUPP;
}

/* Check that a plan of this type may be guarded in this fabric. */
static int check_guard(struct genl_info *info, const struct hc_fabric *fabric,
		       const struct hc_plan_params *p)
{
	if (hc_guard_params_check(p, info->extack))
		return plan_refuse(info, HYPERCUBE_A_PLAN_GUARD);
	return hc_guard_uid_check(info, fabric);
}

/* Parse the user who may guard the plan in addition to users with CAP_NET_ADMIN. A next epoch
 * without the attribute inherits the user.
 */
static int parse_guard_uid(const struct sk_buff *skb, struct genl_info *info,
			   struct hc_plan_params *p)
{
	struct xarray *plans = &hc_info_fabric(info)->plans;
	const struct hc_plan *old = p->prev ? xa_load(plans, p->id) : NULL;

	p->by_guard = hc_info_guarded(info);
	p->guard_uid = old ? old->guard_uid : INVALID_UID;
	return info->attrs[HYPERCUBE_A_PLAN_GUARD_UID] ?
	       hc_nl_uid(skb, info, HYPERCUBE_A_PLAN_GUARD_UID, &p->guard_uid) : 0;
}

/* Attributes that only guarded plans have. */
static const struct {
	int attr;
	const char *text;
} guard_only[] = {
	{ HYPERCUBE_A_PLAN_GUARD_RECIPE, "Only a guarded plan has a recipe" },
	{ HYPERCUBE_A_PLAN_GUARD_UID, "Only a guarded plan has a user who may guard it" },
};

static int check_no_guard(struct genl_info *info)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(guard_only); i++)
		if (info->attrs[guard_only[i].attr]) {
			info->extack->_msg = guard_only[i].text;
			return plan_refuse(info, guard_only[i].attr);
		}
	return 0;
}

/* Parse the attributes that make a plan guarded. The recipe is not copied: @p points into the
 * message.
 */
static int parse_guard(const struct sk_buff *skb, struct genl_info *info,
		       const struct hc_fabric *fabric, struct hc_plan_params *p)
{
	struct nlattr *guard = info->attrs[HYPERCUBE_A_PLAN_GUARD];
	struct nlattr *recipe = info->attrs[HYPERCUBE_A_PLAN_GUARD_RECIPE];

	if (info->attrs[HYPERCUBE_A_PLAN_PREV])
		p->prev = nla_get_u32(info->attrs[HYPERCUBE_A_PLAN_PREV]);
	if (!guard)
		return check_no_guard(info);
	p->guard = nla_get_u32(guard);
	if (recipe)
		p->recipe = nla_data(recipe);
	return check_guard(info, fabric, p) ?: parse_guard_uid(skb, info, p);
}

/* ------------------------------------------------------------ this machine, all machines */

/**
 * struct everywhere - a deferred request to all machines
 * @deferred: must be first
 * @outcome: the request's outcome
 */
struct everywhere {
	struct hc_deferred deferred;
	struct hc_commit_outcome outcome;
};

static int everywhere_look(struct hc_deferred *deferred, bool gone)
{
	struct everywhere *e = container_of(deferred, struct everywhere, deferred);

	deferred->next = jiffies + 1;
	if (gone)
		return -ECANCELED;
	if (!e->outcome.over)
		return -EAGAIN;
	if (e->outcome.error)
		deferred->extack._msg = e->outcome.text;
	return e->outcome.error;
}

static void everywhere_release(struct hc_deferred *deferred)
{
	struct everywhere *e = container_of(deferred, struct everywhere, deferred);

	hc_commit_forget(deferred->fabric, &e->outcome);
}

static const struct hc_deferred_ops everywhere_ops = {
	.look		= everywhere_look,
	.release	= everywhere_release,
	.brief		= true,
};

/* Begin to install plan @p on all machines or, if @p is NULL, to remove plan @id from them. */
static int everywhere(struct sk_buff *skb, struct genl_info *info, const struct hc_plan_params *p,
		      u32 id)
{
	struct hc_fabric *fabric = hc_info_fabric(info);
	struct everywhere *e;
	int err = hc_nl_trunk_may(skb, info->extack);

	if (err)
		return err;
	e = hc_deferred_new(skb, info, sizeof(*e), &everywhere_ops);
	if (IS_ERR(e))
		return PTR_ERR(e);
	err = p ? hc_commit_new(fabric, p, &e->outcome, info->extack) :
		  hc_commit_del(fabric, id, &e->outcome, info->extack);
	if (!err)
		return hc_deferred_wait(&e->deferred, info);
	hc_deferred_free(&e->deferred);
	return err;
}

static bool is_for_all(const struct genl_info *info)
{
	return !info->attrs[HYPERCUBE_A_PLAN_LOCAL] && hc_commit_reaches(hc_info_fabric(info));
}

static int plan_use(struct sk_buff *skb, struct genl_info *info, const struct hc_plan_params *p)
{
	struct hc_fabric *fabric = hc_info_fabric(info);

	if (is_for_all(info))
		return everywhere(skb, info, p, p->id);
	return hc_commit_idle(fabric, info->extack) ?: hc_plan_install(fabric, p, info->extack);
}

static int plan_new(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_fabric *fabric = hc_info_fabric(info);
	struct hc_plan_params p = {};
	int err;

	err = parse_scalars(info, &p);
	if (!err && p.ops->cube)
		err = hc_fabric_need_cube(fabric, info->extack);
	if (!err)
		err = parse_unsupported(info, &p);
	if (!err)
		err = parse_repair(info, &p);
	if (!err)
		err = parse_guard(skb, info, fabric, &p);
	if (!err)
		err = parse_root(info, fabric, &p);
	if (!err)
		err = plan_rows[p.ops->id].parse(info, fabric, &p);
	if (!err)
		err = parse_members(info, fabric, &p);
	if (!err)
		err = parse_fault(info, fabric, &p);
	if (!err)
		err = plan_use(skb, info, &p);
	kfree(p.members);
	kvfree(p.detours);
	return err;
}

int hc_nl_plan_new(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_said said;

	hc_said_begin(&said, info);
	return hc_said_end(&said, skb, info, plan_new(skb, info));
}

static int plan_del(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *id = info->attrs[HYPERCUBE_A_PLAN_ID];
	struct hc_fabric *fabric = hc_info_fabric(info);

	if (is_for_all(info))
		return everywhere(skb, info, NULL, nla_get_u32(id));
	return hc_commit_idle(fabric, info->extack) ?:
	       hc_plan_remove(fabric, nla_get_u32(id), info->extack);
}

int hc_nl_plan_del(struct sk_buff *skb, struct genl_info *info)
{
	if (hc_missing(info, HYPERCUBE_A_PLAN_ID, "The request names no plan"))
		return -EINVAL;
	NL_SET_BAD_ATTR(info->extack, info->attrs[HYPERCUBE_A_PLAN_ID]);
	return plan_del(skb, info);
}
