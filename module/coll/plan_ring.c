// SPDX-License-Identifier: GPL-2.0
/*
 * Plans of rings: a tree of rings of which any two meet in one node at most.
 *
 * What is done in them is in ring.c; the shape and its verifier in lib/hc_ring.h.  Where the last
 * node of a ring has no healthy link to the first, what it sends there goes back along the ring,
 * over the nodes between as relays.  All links of a ring are its own then, so a member
 * has one source at most over each of its links, and knows a frame's ring by the link.
 *
 * All members contribute, each is the root of what it receives, and an operation is done at a
 * member when its process has the result, its message has come back, and nobody needs this member
 * for theirs any more; it begins no other before.  So what coll/plan_doubling.c says of
 * numbers holds here, too: nobody has the result of an operation without a frame of each
 * member, so but for ranges that failed done(v) <= done(u) + 1 for all members u, v, and
 * a member hears of no operation behind the next one.  A failure does with the numbers what
 * it does there.  When a fault breaks the plan each member fails all that its process has no result
 * of, or no word of its end that it waits for.
 *
 * A frame that is lost on its way home, when all processes have the result already, fails the
 * operation where nobody is told of that any more: it is their next one then that is refused.
 */
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/slab.h>

#include "coll/coll.h"
#include "coll/ring.h"
#include "compat.h"
#include "hc_ring.h"
#include "netlink/netlink.h"

/**
 * struct ring_plan - a verified plan
 * @tree: its rings
 * @ring: those of @tree
 * @node: those of @tree
 * @rank: of each node its place among the members
 * @got: a set of members for each member
 */
struct ring_plan {
	struct hc_ring_tree tree;
	struct hc_ring *ring;
	u16 *node;
	u16 *rank;
	u32 *got;
};

static struct ring_plan *ring_plan(const struct hc_plan *plan)
{
	return hc_plan_priv(plan);
}

u32 hc_ring_rank(const struct hc_plan *plan, u32 node)
{
	return ring_plan(plan)->rank[node];
}

/* ------------------------------------------------------------ the shape */

/* Nothing is verified yet; nodes that there are not are no members. */
static bool ring_copy(struct hc_plan *plan, const struct hc_plan_params *p)
{
	struct ring_plan *rp = ring_plan(plan);
	u32 nodes = hc_nodes(plan->fabric->dim);
	u32 i;

	BUILD_BUG_ON(sizeof(struct hc_ring) != sizeof(struct hypercube_ring) ||
		     offsetof(struct hc_ring, size) != offsetof(struct hypercube_ring, size) ||
		     offsetof(struct hc_ring, level) != offsetof(struct hypercube_ring, level) ||
		     offsetof(struct hc_ring, parent) != offsetof(struct hypercube_ring, parent) ||
		     HC_RING_NONE != HYPERCUBE_RING_NONE);
	rp->ring = hc_plan_dup(p->rings, p->nrings, sizeof(*p->rings));
	rp->node = hc_plan_dup(p->ring_nodes, p->nring_nodes, sizeof(*p->ring_nodes));
	rp->rank = kvcalloc(nodes, sizeof(*rp->rank), GFP_KERNEL_ACCOUNT);
	if (!rp->ring || !rp->node || !rp->rank)
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

	p->nrings = t->nrings;
	p->rings = (const void *)t->ring;
	p->nring_nodes = t->nnodes;
	p->ring_nodes = t->node;
}

static void ring_release(struct hc_plan *plan)
{
	struct ring_plan *rp = ring_plan(plan);

	kvfree(rp->ring);
	kvfree(rp->node);
	kvfree(rp->rank);
	kvfree(rp->got);
}

/* ------------------------------------------------------------ members */

/**
 * struct maker - what it takes to make the members of a verified plan
 * @plan: the plan
 * @net: the healthy links
 * @home: of each node, for the verifier
 * @nrings: in how many rings each node is
 * @first: of each node, the index of its first place in @place
 * @place: places in the list of nodes, those of each node together
 * @ring: of each place its ring
 * @begin: of each ring the first place
 * @joints: of each ring, how many of its nodes are in others
 */
struct maker {
	struct hc_plan *plan;
	struct hc_ring_net net;
	u16 *home;
	u16 *nrings;
	u32 *first;
	u32 *place;
	u16 *ring;
	u32 *begin;
	u32 *joints;
};

static void maker_free(struct maker *k)
{
	kvfree(k->home);
	kvfree(k->nrings);
	kvfree(k->first);
	kvfree(k->place);
	kvfree(k->ring);
	kvfree(k->begin);
	kvfree(k->joints);
}

static void *make_room(size_t n, size_t size)
{
	return kvcalloc(n, size, GFP_KERNEL_ACCOUNT);
}

static int maker_alloc(struct maker *k, struct hc_plan *plan, const u32 *fault)
{
	const struct hc_ring_tree *t = &ring_plan(plan)->tree;
	u32 nodes = hc_nodes(plan->fabric->dim);

	*k = (struct maker){
		.plan = plan,
		.net = hc_ring_cube(plan->fabric->dim, fault),
		.home = make_room(nodes, sizeof(*k->home)),
		.nrings = make_room(nodes, sizeof(*k->nrings)),
		.first = make_room(nodes + 1, sizeof(*k->first)),
		.place = make_room(t->nnodes + 1, sizeof(*k->place)),
		.ring = make_room(t->nnodes + 1, sizeof(*k->ring)),
		.begin = make_room(t->nrings + 1, sizeof(*k->begin)),
		.joints = make_room(t->nrings + 1, sizeof(*k->joints)),
	};
	return k->home && k->nrings && k->first && k->place && k->ring && k->begin && k->joints ?
	       0 : -ENOMEM;
}

/* Behind the verifier: all numbers are in their ranges. */
static void maker_fill(struct maker *k)
{
	const struct hc_ring_tree *t = &ring_plan(k->plan)->tree;
	u32 nodes = hc_nodes(k->plan->fabric->dim);
	u32 i, r, at = 0;

	for (r = 0; r < t->nrings; r++) {
		k->begin[r] = at;
		for (i = 0; i < t->ring[r].size; i++, at++) {
			k->ring[at] = r;
			k->nrings[t->node[at]]++;
		}
	}
	for (i = 0; i < nodes; i++)
		k->first[i + 1] = k->first[i] + k->nrings[i];
	/* From behind, .first being moved back to where it was. */
	for (i = 0; i < nodes; i++)
		k->first[i] += k->nrings[i];
	for (at = t->nnodes; at--;) {
		k->place[--k->first[t->node[at]]] = at;
		k->joints[k->ring[at]] += k->nrings[t->node[at]] > 1;
	}
}

/* A member that is being made. */
struct making {
	u32 node;
	struct hc_ring_member ring;
	unsigned int n;
	struct hc_tree_peer src[HYPERCUBE_DIM_MAX];
};

/* The index of a neighbour among the sources. */
static unsigned int source(struct making *mk, u32 peer)
{
	unsigned int i;

	for (i = 0; i < mk->n; i++)
		if (mk->src[i].node == peer)
			return i;
	mk->src[mk->n++] = (struct hc_tree_peer){
		.node = peer,
		.dim = hc_first64(peer ^ mk->node),
		.how = HC_TREE_DIRECT,
	};
	return i;
}

static void way_add(struct making *mk, u32 from, u32 to, const struct hc_ring_way *way)
{
	struct hc_ring_way *w = &mk->ring.way[source(mk, from)];

	*w = *way;
	w->used = true;
	w->out = source(mk, to);
}

/* What a node does at one of its places. */
static void place_add(const struct maker *k, struct making *mk, u32 at)
{
	const struct hc_ring_tree *t = &ring_plan(k->plan)->tree;
	const u32 r = k->ring[at], size = t->ring[r].size;
	const u16 *node = &t->node[k->begin[r]];
	const u32 pos = at - k->begin[r], end = size - 1;
	bool open = !k->net.linked(&k->net, node[end], node[0]);
	u32 next = node[pos == end ? 0 : pos + 1];
	struct hc_ring_way way = {
		.next = next,
		.seen = k->joints[r] - (k->nrings[mk->node] > 1),
	};

	if (size < 2)
		return;
	way_add(mk, pos ? node[pos - 1] : open ? node[1] : node[end],
		pos < end ? next : open ? node[end - 1] : next, &way);
	if (!open || !pos || pos == end)
		return;
	way = (struct hc_ring_way){
		.relay = true,
		.seen = k->joints[r] - (k->nrings[node[0]] > 1),
	};
	way_add(mk, node[pos + 1], node[pos - 1], &way);
}

static int member_create(const struct maker *k, u32 u, u32 rank)
{
	struct ring_plan *rp = ring_plan(k->plan);
	struct making mk = { .node = u };
	struct hc_tree_role role = {};
	u32 i;
	int err;

	for (i = 0; i < k->nrings[u]; i++)
		place_add(k, &mk, k->place[k->first[u] + i]);
	role.nsrc = mk.n;
	err = hc_member_create(k->plan, u, &role, mk.src);
	if (err)
		return err;
	mk.ring.nrings = k->nrings[u];
	mk.ring.got = &rp->got[rank * hc_set_words(k->plan->fabric->dim)];
	*hc_ring_member(k->plan->member[u]) = mk.ring;
	rp->rank[u] = rank;
	return 0;
}

static void flaw_tell(const struct hc_ring_flaw *flaw, struct netlink_ext_ack *extack)
{
	if (!extack)
		return;
	if (flaw->other != HC_RING_NO_NODE)
		HC_SET_ERR_MSG_FMT(extack, "%s: ring %u: %u-%u", flaw->why, flaw->ring, flaw->node,
				   flaw->other);
	else if (flaw->node != HC_RING_NO_NODE)
		HC_SET_ERR_MSG_FMT(extack, "%s: ring %u: node %u", flaw->why, flaw->ring,
				   flaw->node);
	else if (flaw->ring != HC_RING_NONE)
		HC_SET_ERR_MSG_FMT(extack, "%s: ring %u", flaw->why, flaw->ring);
	else
		extack->_msg = flaw->why;
}

static int members_make(struct maker *k)
{
	u32 nodes = hc_nodes(k->plan->fabric->dim);
	u32 u, rank = 0;
	int err = 0;

	for (u = 0; !err && u < nodes; u++)
		if (hc_set_has(k->plan->members, u))
			err = member_create(k, u, rank++);
	return err;
}

static int ring_charge(struct hc_plan *plan)
{
	struct ring_plan *rp = ring_plan(plan);
	size_t words = (size_t)plan->nmembers * hc_set_words(plan->fabric->dim);
	int err;

	err = hc_plan_charge(plan, rp->tree.nrings * sizeof(*rp->ring) +
				   rp->tree.nnodes * sizeof(*rp->node) +
				   hc_nodes(plan->fabric->dim) * sizeof(*rp->rank) +
				   words * sizeof(*rp->got));
	if (err)
		return err;
	rp->got = kvcalloc(words, sizeof(*rp->got), GFP_KERNEL_ACCOUNT);
	return rp->got ? 0 : -ENOMEM;
}

static int ring_members_create(struct hc_plan *plan, const u32 *fault,
			       struct netlink_ext_ack *extack)
{
	struct hc_ring_flaw flaw;
	struct maker k;
	int err;

	err = maker_alloc(&k, plan, fault);
	if (!err) {
		err = hc_ring_check(&ring_plan(plan)->tree, &k.net, k.home, &flaw);
		if (err)
			flaw_tell(&flaw, extack);
	}
	if (!err)
		err = ring_charge(plan);
	if (!err) {
		maker_fill(&k);
		err = members_make(&k);
	}
	maker_free(&k);
	return err;
}

/* ------------------------------------------------------------ what the common code asks */

static const struct hc_coll_ops *const ring_colls[] = {
	&hc_ring_allgather,
	&hc_ring_alltoall,
	NULL
};

const struct hc_plan_ops hc_plan_ring = {
	.id = HYPERCUBE_PLAN_RING,
	.plan_size = sizeof(struct ring_plan),
	.member_size = sizeof(struct hc_ring_member),
	.copy = ring_copy,
	.shape = ring_shape,
	.members_create = ring_members_create,
	.release = ring_release,
	.colls = ring_colls,
	.window = HC_OP_WINDOW - 2,
	.ack_way = HC_ACK_ALONE,
	.all_contribute = true,
	.lockstep = true,
	.data_rx = hc_ring_data_rx,
	.steps = hc_ring_steps,
	.handed = hc_alone_handed,
	.close = hc_member_close,
	.frames_told = hc_ring_frames_told,
	.was_sent = hc_ring_was_sent,
	.settle_below = hc_alone_settle_below,
	.settle_passed = hc_alone_settle_below,
};
