// SPDX-License-Identifier: GPL-2.0
/*
 * Plans of rings: a tree of rings; any two rings have at most one node in common.
 *
 * ring.c has the collectives; lib/hc_ring.h describes and verifies trees of rings. If the last node
 * of a ring has no healthy link to the first node, its frames for the first node are sent back
 * along the ring, and the nodes between them forward these frames. No other ring uses the links of
 * such a ring. So a member has at most one source over each of its links, and the link determines
 * to which ring a frame belongs.
 *
 * All members contribute, and each is treated as a root. An operation is done at a member when
 * three conditions hold: its process has the result, its own message has returned, and no other
 * member needs this member to get its result. The member begins no other operation before that. So
 * the argument about operation numbers in coll/algo/plan_doubling.c is valid here, too: a member
 * cannot have the result of an operation without a frame from each member, so within a generation
 * done(v) <= done(u) + 1 for all members u, v, and a member receives frames only of its current
 * operation and the next one. END changes the numbers as described in that file. When a fault
 * breaks the plan, each member fails all operations of whose result or end its process has not been
 * notified. If the plan has REPAIR, the operations are resumed instead (ring_resume.c).
 *
 * When a frame is on its way back to its origin, all processes may have the result. So if a member
 * lacks memory at that time, the plan breaks or is repaired (hc_fail()). If another failure ends
 * the operation, a member that has completed it breaks or repairs the plan when it receives the END
 * (hc_end_note()).
 */
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/slab.h>

#include "coll/coll.h"
#include "coll/ring/ring.h"
#include "coll/ring/ring_repair.h"
#include "coll/ring/ring_roles.h"
#include "compat.h"
#include "hc_ring.h"

/**
 * struct ring_plan - private state of a plan
 * @tree: the tree of rings
 * @ring: the array of rings of @tree
 * @node: the array of nodes of @tree
 * @got: for each member, memory for hc_ring_member.got
 * @place: for each node its position in the ring, if messages may be sent in both directions;
 *	otherwise NULL
 * @repair: for each member the state of its ring repair; NULL if the plan has no REPAIR
 * @sets: for each member, memory for HC_REPAIR_SETS sets of members; NULL if the plan has no REPAIR
 * @places: positions of the nodes in the rings; used only with REPAIR
 */
struct ring_plan {
	struct hc_ring_tree tree;
	struct hc_ring *ring;
	u16 *node;
	u32 *got;
	u16 *place;
	struct hc_repair *repair;
	u32 *sets;
	struct hc_ring_places places;
};

static struct ring_plan *ring_plan(const struct hc_plan *plan)
{
	return hc_plan_priv(plan);
}

const struct hc_ring_tree *hc_ring_tree_of(const struct hc_plan *plan,
					   const struct hc_ring_places **places)
{
	*places = &ring_plan(plan)->places;
	return &ring_plan(plan)->tree;
}

/* ------------------------------------------------------------ the shape */

/* Copy the rings from the parameters @p. They have not been verified yet, so skip nodes that do not
 * exist.
 */
static bool ring_copy(struct hc_plan *plan, const struct hc_plan_params *p)
{
	struct ring_plan *rp = ring_plan(plan);
	u32 nodes = plan->fabric->topo.nodes;
	u32 i;

	BUILD_BUG_ON(sizeof(struct hc_ring) != sizeof(struct hypercube_ring) ||
		     offsetof(struct hc_ring, size) != offsetof(struct hypercube_ring, size) ||
		     offsetof(struct hc_ring, level) != offsetof(struct hypercube_ring, level) ||
		     offsetof(struct hc_ring, parent) != offsetof(struct hypercube_ring, parent) ||
		     HC_RING_NONE != HYPERCUBE_RING_NONE);
	rp->ring = hc_plan_dup(p->rings, p->nrings, sizeof(*p->rings));
	rp->node = hc_plan_dup(p->ring_nodes, p->nring_nodes, sizeof(*p->ring_nodes));
	if (!rp->ring || !rp->node)
		return false;
	rp->tree = (struct hc_ring_tree){
		.nrings = p->nrings,
		.nnodes = p->nring_nodes,
		.ring = rp->ring,
		.node = rp->node,
	};
	for (i = 0; i < p->nring_nodes; i++)
		if (rp->node[i] < nodes)
			hc_set_add(plan->members, rp->node[i]);
	plan->root = p->nring_nodes && rp->node[0] < nodes ? rp->node[0] : 0;
	return true;
}

static void ring_shape(const struct hc_plan *plan, struct hc_plan_params *p)
{
	const struct hc_ring_tree *t = &ring_plan(plan)->tree;
	const struct hc_ring_shape *repaired = hc_repair_shape(plan, &p->members);

	if (repaired)
		t = &repaired->t;
	p->nrings = t->nrings;
	p->rings = (const void *)t->ring;
	p->nring_nodes = t->nnodes;
	p->ring_nodes = t->node;
}

static void ring_release(struct hc_plan *plan)
{
	struct ring_plan *rp = ring_plan(plan);
	u32 i;

	for (i = 0; rp->repair && i < plan->nmembers; i++)
		hc_repair_release(plan, &rp->repair[i]);
	kvfree(rp->repair);
	kvfree(rp->sets);
	hc_ring_places_free(&rp->places);
	kvfree(rp->ring);
	kvfree(rp->node);
	kvfree(rp->got);
	kvfree(rp->place);
}

/* ------------------------------------------------------------ members */

static int member_create(struct hc_plan *plan, const struct hc_ring_maker *k, u32 u)
{
	struct ring_plan *rp = ring_plan(plan);
	size_t words = hc_topo_words(&plan->fabric->topo);
	struct hc_tree_role role = {};
	struct hc_ring_member *ring;
	struct hc_ring_making mk;
	u32 rank;
	int err;

	hc_ring_make(k, u, &mk);
	if (rp->place)
		hc_ring_make_both(&mk);
	/* Reserve sources for all links of the node: a repair may use any of them. */
	role.nsrc = plan->repairs ? plan->fabric->topo.ports : mk.n;
	err = hc_member_create(plan, u, &role, mk.src);
	if (err)
		return err;
	rank = plan->member[u]->rank;
	plan->member[u]->role.nsrc = mk.n;
	ring = hc_ring_member(plan->member[u]);
	ring->nrings = mk.nrings;
	memcpy(ring->way, mk.way, sizeof(ring->way));
	ring->nmembers = plan->nmembers;
	ring->tour = k->t->nnodes;
	ring->members = plan->members;
	ring->got = &rp->got[rank * words];
	ring->place = rp->place;
	if (plan->repairs) {
		ring->repair = &rp->repair[rank];
		hc_repair_init(plan, ring->repair, &rp->sets[rank * words * HC_REPAIR_SETS]);
	}
	return 0;
}

static void reason_put(const struct hc_ring_reason *reason, struct netlink_ext_ack *extack)
{
	if (!extack)
		return;
	if (reason->other != HC_RING_NO_NODE)
		HC_SET_ERR_MSG_FMT(extack, "%s: ring %u: %u-%u", reason->why, reason->ring,
				   reason->node, reason->other);
	else if (reason->node != HC_RING_NO_NODE)
		HC_SET_ERR_MSG_FMT(extack, "%s: ring %u: node %u", reason->why, reason->ring,
				   reason->node);
	else if (reason->ring != HC_RING_NONE)
		HC_SET_ERR_MSG_FMT(extack, "%s: ring %u", reason->why, reason->ring);
	else
		extack->_msg = reason->why;
}

static int members_make(struct hc_plan *plan, struct hc_ring_maker *k)
{
	u32 nodes = plan->fabric->topo.nodes;
	int err = 0;
	u32 u;

	hc_ring_maker_fill(k);
	for (u = 0; !err && u < nodes; u++)
		if (hc_plan_member_here(plan, u))
			err = member_create(plan, k, u);
	return err;
}

/* Allocate the memory for repairs in advance, so that polls need little memory for a repair. */
static int repair_alloc(struct hc_plan *plan)
{
	struct ring_plan *rp = ring_plan(plan);
	size_t words = (size_t)plan->nmembers * hc_topo_words(&plan->fabric->topo) * HC_REPAIR_SETS;
	u32 nodes = plan->fabric->topo.nodes;
	int err;

	err = hc_plan_charge(plan, plan->nmembers * sizeof(*rp->repair) +
				   words * sizeof(*rp->sets) + (nodes + 1) * sizeof(u32) +
				   rp->tree.nnodes * (sizeof(u32) + sizeof(u16)) +
				   rp->tree.nrings * sizeof(u32));
	if (err)
		return err;
	rp->repair = kvcalloc(plan->nmembers, sizeof(*rp->repair), GFP_KERNEL_ACCOUNT);
	rp->sets = kvcalloc(words, sizeof(*rp->sets), GFP_KERNEL_ACCOUNT);
	err = hc_ring_places_alloc(&rp->places, &rp->tree, nodes, GFP_KERNEL_ACCOUNT);
	if (err || !rp->repair || !rp->sets)
		return -ENOMEM;
	hc_ring_places_fill(&rp->places, &rp->tree, nodes);
	return 0;
}

/* Return: true if messages can be sent in both directions: in a single ring whose last node has a
 * link to the first, no other ring uses the other direction of its links.
 */
static bool goes_both(const struct hc_plan *plan, const struct hc_ring_net *net)
{
	const struct hc_ring_tree *t = &ring_plan(plan)->tree;

	return !plan->repairs && t->nrings == 1 && t->nnodes > 2 &&
	       net->linked(net, t->node[t->nnodes - 1], t->node[0]);
}

static int place_alloc(struct hc_plan *plan)
{
	struct ring_plan *rp = ring_plan(plan);
	size_t size = plan->fabric->topo.nodes * sizeof(*rp->place);
	int err = hc_plan_charge(plan, size);
	u32 i;

	if (err)
		return err;
	rp->place = kvzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!rp->place)
		return -ENOMEM;
	for (i = 0; i < rp->tree.nnodes; i++)
		rp->place[rp->node[i]] = i;
	return 0;
}

static int ring_charge(struct hc_plan *plan, const struct hc_ring_net *net)
{
	struct ring_plan *rp = ring_plan(plan);
	size_t words = (size_t)plan->nmembers * hc_topo_words(&plan->fabric->topo);
	int err;

	err = hc_plan_charge(plan, rp->tree.nrings * sizeof(*rp->ring) +
				   rp->tree.nnodes * sizeof(*rp->node) +
				   words * sizeof(*rp->got));
	if (err)
		return err;
	rp->got = kvcalloc(words, sizeof(*rp->got), GFP_KERNEL_ACCOUNT);
	if (!rp->got)
		return -ENOMEM;
	if (goes_both(plan, net))
		return place_alloc(plan);
	return plan->repairs ? repair_alloc(plan) : 0;
}

static int tree_check(struct hc_plan *plan, const struct hc_ring_net *net,
		      struct netlink_ext_ack *extack)
{
	u16 *home = kvcalloc(plan->fabric->topo.nodes, sizeof(*home), GFP_KERNEL_ACCOUNT);
	struct hc_ring_reason reason;
	int err = -ENOMEM;

	if (home) {
		err = hc_ring_check(&ring_plan(plan)->tree, net, home, &reason);
		if (err)
			reason_put(&reason, extack);
	}
	kvfree(home);
	return err;
}

static int ring_members_create(struct hc_plan *plan, const u32 *fault,
			       struct netlink_ext_ack *extack)
{
	struct hc_ring_maker k;
	int err;

	err = hc_ring_maker_init(&k, &ring_plan(plan)->tree, &plan->fabric->topo, fault,
				 GFP_KERNEL_ACCOUNT);
	if (!err)
		err = tree_check(plan, &k.net, extack);
	if (!err)
		err = ring_charge(plan, &k.net);
	if (!err)
		err = members_make(plan, &k);
	hc_ring_maker_free(&k);
	return err;
}

/* ------------------------------------------------------------ called by the common code */

static const struct hc_coll_ops *const ring_colls[] = {
	&hc_ring_allgather, &hc_ring_alltoall, NULL
};

static const struct hc_coll_ops *const ring_guarded_colls[] = {
	&hc_ring_guarded_allgather, &hc_ring_guarded_alltoall, &hc_ring_agreement, NULL
};

#define RING_PLAN							\
	.id = HYPERCUBE_PLAN_RING,					\
	.parts = HC_PLAN_RINGS,						\
	.plan_size = sizeof(struct ring_plan),				\
	.member_size = sizeof(struct hc_ring_member),			\
	.copy = ring_copy, .shape = ring_shape, .release = ring_release, \
	.members_create = ring_members_create,				\
	.ack = &hc_ack_alone, .window = HC_OP_WINDOW - 2,		\
	.all_contribute = true, .lockstep = true, .can_repair = true,	\
	.data_rx = hc_ring_data_rx, .steps = hc_ring_steps

static const struct hc_plan_ops ring_guarded = { RING_PLAN, .colls = ring_guarded_colls };

const struct hc_plan_ops hc_plan_ring = {
	RING_PLAN, .colls = ring_colls, .guarded = &ring_guarded,
};
