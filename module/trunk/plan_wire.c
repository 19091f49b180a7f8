// SPDX-License-Identifier: GPL-2.0
/*
 * Encoding of plans that are sent to other machines. A received plan is checked as one in netlink
 * attributes is (netlink/plan.c): this file checks sizes and ranges, and the verifier checks
 * whether the plan is valid.
 */
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/slab.h>

#include "coll/guard.h"
#include "coll/ops.h"
#include "coll/plan.h"
#include "trunk/plan_wire.h"
#include "fabric/fabric.h"
#include "hc_topo.h"
#include "wire_trunk.h"

/* Number of entries of each array behind struct hc_wire_shape. */
struct sizes {
	size_t members;
	size_t former;
	size_t fault;
	size_t detours;
	size_t rings;
	size_t ring_nodes;
	size_t steps;
	size_t recipe;
};

static size_t bytes_of(const struct sizes *n)
{
	return sizeof(struct hc_wire_shape) + (n->members + n->former + n->fault) * sizeof(__be32) +
	       (2 * n->detours + 3 * n->rings + n->ring_nodes) * sizeof(__be16) + n->steps +
	       n->recipe;
}

static struct sizes sizes_of(const struct hc_fabric *fabric, const struct hc_plan_params *p)
{
	return (struct sizes){
		.members = p->members ? hc_topo_words(&fabric->topo) : 0,
		.former = p->from.tag ? hc_topo_words(&fabric->topo) : 0,
		.recipe = p->recipe ? strlen(p->recipe) : 0,
		.fault = fabric->topo.nodes, .detours = p->ndetours, .rings = p->nrings,
		.ring_nodes = p->nring_nodes, .steps = p->steps,
	};
}

size_t hc_plan_wire_size(const struct hc_fabric *fabric, const struct hc_plan_params *p)
{
	const struct sizes n = sizes_of(fabric, p);

	return bytes_of(&n);
}

/* Return: the largest sizes that plans of any type may have. */
static struct sizes sizes_max(const struct hc_fabric *fabric)
{
	u32 nodes = fabric->topo.nodes;

	return (struct sizes){
		.members = hc_topo_words(&fabric->topo), .fault = nodes, .detours = nodes,
		.former = hc_topo_words(&fabric->topo), .recipe = HYPERCUBE_RECIPE_MAX,
		.rings = nodes, .ring_nodes = 2 * nodes,
		.steps = nodes,
	};
}

/* A plan has either the arrays of a tree or those of rings, so the maximum is that of the larger
 * ones.
 */
size_t hc_plan_wire_max(const struct hc_fabric *fabric)
{
	struct sizes tree = sizes_max(fabric), rings = tree;

	tree.rings = 0;
	tree.ring_nodes = 0;
	rings.members = 0;
	rings.detours = 0;
	rings.steps = 0;
	return max(bytes_of(&tree), bytes_of(&rings));
}

/* ------------------------------------------------------------ writing */

static __be16 *put_detours(__be16 *to, const struct hc_plan_params *p)
{
	u32 i;

	for (i = 0; i < p->ndetours; i++) {
		*to++ = cpu_to_be16(p->detours[i].from);
		*to++ = cpu_to_be16(p->detours[i].to);
	}
	return to;
}

static __be16 *put_rings(__be16 *to, const struct hc_plan_params *p)
{
	u32 i;

	for (i = 0; i < p->nrings; i++) {
		*to++ = cpu_to_be16(p->rings[i].size);
		*to++ = cpu_to_be16(p->rings[i].level);
		*to++ = cpu_to_be16(p->rings[i].parent);
	}
	for (i = 0; i < p->nring_nodes; i++)
		*to++ = cpu_to_be16(p->ring_nodes[i]);
	return to;
}

void hc_plan_wire_put(const struct hc_fabric *fabric, const struct hc_plan_params *p, void *to)
{
	const struct sizes n = sizes_of(fabric, p);
	struct hc_wire_shape *w = to;
	__be32 *words = (__be32 *)(w + 1);
	__be16 *halves;

	BUILD_BUG_ON(sizeof(w->order) != sizeof(p->order));
	*w = (struct hc_wire_shape){
		.type = cpu_to_be32(p->ops->id), .root = cpu_to_be32(p->root),
		.flags = (p->repairs ? HC_SHAPE_F_REPAIRS : 0) |
			 (p->members ? HC_SHAPE_F_MEMBERS : 0) |
			 (p->from.tag ? HC_SHAPE_F_CONTINUES : 0),
		.stages = p->stages, .steps = cpu_to_be32(p->steps),
		.detours = cpu_to_be32(p->ndetours), .rings = cpu_to_be32(p->nrings),
		.ring_nodes = cpu_to_be32(p->nring_nodes), .recipe = cpu_to_be16(n.recipe),
		.guard = cpu_to_be32(p->guard), .from = cpu_to_be32(p->from.tag),
		.from_epoch = cpu_to_be32(p->from.epoch), .change = cpu_to_be32(p->from.change),
	};
	memcpy(w->order, p->order, p->stages);
	cpu_to_be32_array(words, p->members, n.members);
	words += n.members;
	cpu_to_be32_array(words, p->from.former, n.former);
	words += n.former;
	cpu_to_be32_array(words, p->fault, n.fault);
	halves = put_rings(put_detours((__be16 *)(words + n.fault), p), p);
	if (p->steps)
		memcpy(halves, p->sequence, p->steps);
	memcpy((u8 *)halves + p->steps, p->recipe, n.recipe);
}

/* ------------------------------------------------------------ reading */

/* Return: true if the plan has attributes that plans of its type do not have, lacks attributes, or
 * has too many entries. @has: HC_PLAN_* attributes that plans of its type have.
 */
static bool sizes_wrong(const struct hc_fabric *fabric, const struct hc_wire_shape *w,
			const struct sizes *n, u32 has)
{
	const struct sizes max = sizes_max(fabric);

	return n->detours > (has & HC_PLAN_DETOURS ? max.detours : 0) ||
	       n->rings > (has & HC_PLAN_RINGS ? max.rings : 0) ||
	       n->ring_nodes > (has & HC_PLAN_RINGS ? max.rings + n->rings : 0) ||
	       n->steps > (has & HC_PLAN_SEQUENCE ? max.steps : 0) ||
	       w->stages > (has & HC_PLAN_ORDER ? fabric->topo.ports : 0) ||
	       be32_to_cpu(w->root) > (has & HC_PLAN_ROOT ? fabric->topo.nodes - 1 : 0) ||
	       !(has & HC_PLAN_MEMBERS) != !n->members || (has & HC_PLAN_RINGS && !n->ring_nodes) ||
	       (has & HC_PLAN_RINGS && !n->rings);
}

static const __be16 *get_detours(const __be16 *from, struct hc_detour *to, size_t n)
{
	for (; n--; to++) {
		to->from = be16_to_cpu(*from++);
		to->to = be16_to_cpu(*from++);
	}
	return from;
}

static const __be16 *get_rings(const __be16 *from, struct hypercube_ring *to, size_t n)
{
	for (; n--; to++) {
		to->size = be16_to_cpu(*from++);
		to->level = be16_to_cpu(*from++);
		to->parent = be16_to_cpu(*from++);
	}
	return from;
}

static bool order_wrong(const struct hc_fabric *fabric, const struct hc_plan_params *p)
{
	unsigned int i;

	for (i = 0; i < p->stages; i++)
		if (p->order[i] >= fabric->topo.ports)
			return true;
	return false;
}

static bool detours_wrong(const struct hc_fabric *fabric, const struct hc_plan_params *p)
{
	u32 nodes = fabric->topo.nodes, i;

	for (i = 0; i < p->ndetours; i++)
		if (p->detours[i].from >= nodes || p->detours[i].to >= nodes ||
		    (i && p->detours[i].from <= p->detours[i - 1].from))
			return true;
	return false;
}

/* Copy the arrays, which follow one another in the message @from, to memory of their own in @p. */
static int arrays_get(const struct sizes *n, const void *from, struct hc_plan_params *p)
{
	/* @members stays NULL if the set of members follows from the other attributes. */
	u32 *members = n->members ? kvcalloc(n->members, sizeof(*members), GFP_KERNEL_ACCOUNT) :
				    NULL;
	u32 *fault = kvcalloc(n->fault, sizeof(*fault), GFP_KERNEL_ACCOUNT);
	struct hc_detour *detours = kvcalloc(n->detours + 1, sizeof(*detours), GFP_KERNEL_ACCOUNT);
	struct hypercube_ring *rings = kvcalloc(n->rings + 1, sizeof(*rings), GFP_KERNEL_ACCOUNT);
	u16 *nodes = kvcalloc(n->ring_nodes + 1, sizeof(*nodes), GFP_KERNEL_ACCOUNT);
	u8 *sequence = kvcalloc(n->steps + 1, sizeof(*sequence), GFP_KERNEL_ACCOUNT);
	u32 *former = kvcalloc(n->former + 1, sizeof(*former), GFP_KERNEL_ACCOUNT);
	char *recipe = kvcalloc(n->recipe + 1, sizeof(*recipe), GFP_KERNEL_ACCOUNT);
	const __be32 *words = from;
	const __be16 *halves;
	size_t i;

	p->members = members;
	p->fault = fault;
	p->detours = detours;
	p->rings = rings;
	p->ring_nodes = nodes;
	p->sequence = sequence;
	p->from.former = former;
	p->recipe = recipe;
	if ((n->members && !members) || !fault || !detours || !rings || !nodes || !sequence ||
	    !former || !recipe)
		return -ENOMEM;
	be32_to_cpu_array(members, words, n->members);
	words += n->members;
	be32_to_cpu_array(former, words, n->former);
	words += n->former;
	be32_to_cpu_array(fault, words, n->fault);
	halves = get_detours((const __be16 *)(words + n->fault), detours, n->detours);
	halves = get_rings(halves, rings, n->rings);
	for (i = 0; i < n->ring_nodes; i++)
		nodes[i] = be16_to_cpu(*halves++);
	memcpy(sequence, halves, n->steps);
	memcpy(recipe, (const u8 *)halves + n->steps, n->recipe);
	return 0;
}

static int refuse(struct netlink_ext_ack *extack, const char *why)
{
	extack->_msg = why;
	return -EINVAL;
}

/* Read what a guarded plan has. */
static int guard_get(const struct hc_wire_shape *w, const struct sizes *n,
		     struct hc_plan_params *p, struct netlink_ext_ack *extack)
{
	bool continues = w->flags & HC_SHAPE_F_CONTINUES;

	p->remote = true;
	p->guard_uid = INVALID_UID;
	p->guard = be32_to_cpu(w->guard);
	p->from.tag = be32_to_cpu(w->from);
	p->from.epoch = be32_to_cpu(w->from_epoch);
	p->from.change = be32_to_cpu(w->change);
	if (p->guard > HYPERCUBE_GUARD_MAX || n->recipe > HYPERCUBE_RECIPE_MAX ||
	    (!p->guard && (continues || n->recipe)) || continues != !!p->from.tag ||
	    continues != !!p->from.change || p->from.change > S32_MAX)
		return refuse(extack, "The plan is guarded in a way that makes no sense");
	return hc_guard_params_check(p, extack);
}

/* Check the arrays, which have been copied from the message. */
static int arrays_check(const struct hc_fabric *fabric, const struct sizes *n,
			const struct hc_plan_params *p, struct netlink_ext_ack *extack)
{
	u32 nodes = fabric->topo.nodes;

	if (order_wrong(fabric, p) || detours_wrong(fabric, p))
		return refuse(extack, "The plan names what the fabric does not have");
	if (nodes < 32 && ((p->members && p->members[0] >> nodes) || p->from.former[0] >> nodes))
		return refuse(extack, "A member is no node of the fabric");
	if (strlen(p->recipe) != n->recipe)
		return refuse(extack, "The recipe has a 0");
	return 0;
}

static int shape_get(const struct hc_fabric *fabric, const struct hc_wire_shape *w,
		     const struct sizes *n, struct hc_plan_params *p,
		     struct netlink_ext_ack *extack)
{
	int err;

	p->ops = hc_plan_type(be32_to_cpu(w->type));
	if (!p->ops)
		return refuse(extack, "This kernel knows no plans of this type");
	p->repairs = w->flags & HC_SHAPE_F_REPAIRS;
	if (p->repairs && !p->ops->can_repair)
		return refuse(extack, "Plans of this type cannot repair themselves");
	if (sizes_wrong(fabric, w, n, p->ops->parts))
		return refuse(extack, "The plan has what plans of its type do not have, or too much of it");
	p->root = be32_to_cpu(w->root);
	p->stages = w->stages;
	memcpy(p->order, w->order, p->stages);
	p->steps = n->steps;
	p->ndetours = n->detours;
	p->nrings = n->rings;
	p->nring_nodes = n->ring_nodes;
	err = guard_get(w, n, p, extack) ?: arrays_get(n, w + 1, p) ?:
	      arrays_check(fabric, n, p, extack);
	if (!err && !n->recipe) {
		kvfree(p->recipe);
		p->recipe = NULL;
	}
	return err;
}

int hc_plan_wire_get(const struct hc_fabric *fabric, const void *from, size_t len,
		     struct hc_plan_params *p, struct netlink_ext_ack *extack)
{
	const struct hc_wire_shape *w = from;
	struct sizes n;

	if (len < sizeof(*w) || len > hc_plan_wire_max(fabric))
		return refuse(extack, "The plan has a wrong length");
	n = (struct sizes){
		.members = w->flags & HC_SHAPE_F_MEMBERS ? hc_topo_words(&fabric->topo) : 0,
		.former = w->flags & HC_SHAPE_F_CONTINUES ? hc_topo_words(&fabric->topo) : 0,
		.recipe = be16_to_cpu(w->recipe),
		.fault = fabric->topo.nodes, .detours = be32_to_cpu(w->detours),
		.rings = be32_to_cpu(w->rings), .ring_nodes = be32_to_cpu(w->ring_nodes),
		.steps = be32_to_cpu(w->steps),
	};
	/* Check that each of these counts is at most @len first, so that their sum cannot overflow.
	 */
	if (n.detours > len || n.rings > len || n.ring_nodes > len || n.steps > len ||
	    bytes_of(&n) != len)
		return refuse(extack, "The plan has a wrong length");
	return shape_get(fabric, w, &n, p, extack);
}

void hc_plan_wire_free(struct hc_plan_params *p)
{
	kvfree(p->members);
	kvfree(p->fault);
	kvfree(p->detours);
	kvfree(p->rings);
	kvfree(p->ring_nodes);
	kvfree(p->sequence);
	kvfree(p->from.former);
	kvfree(p->recipe);
}
