// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the verifiers of plans. Each plan, valid or not, is executed step by step on a cube of
 * eight nodes with faults, by test code that calls no function of the verifiers. A verifier must
 * accept the plan if and only if the execution succeeds (for trees: only if). Plans are drawn at
 * random, and many of them are valid plans in which one thing has been made wrong, so that both
 * results are frequent.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/prandom.h>

/* Several of the files that are included below have functions with the same names, so these are
 * renamed for each file.
 */
#define check_shape	balance_check_shape
#define check_symmetric	balance_check_symmetric
#include "../lib/hc_balance.c"
#undef check_shape
#define check_shape	bcast_check_shape
#include "../lib/hc_bcast.c"
#undef check_shape
#define check_shape	doubling_check_shape
#include "../lib/hc_doubling.c"
#undef check_shape
#define check_shape	ring_check_shape
#define refuse		ring_refuse
#include "../lib/hc_ring.c"
#undef check_shape
#undef refuse
#undef check_symmetric
#define refuse		tree_refuse
#include "../lib/hc_tree.c"

#define DIM	3U
#define NODES	8U
#define ONES	(NODES - 1)
#define PLANS	20000

/* Minimum number of plans that a verifier must accept, and that it must refuse, in one test. */
#define OFTEN	100

/**
 * struct world - a cube with faults
 * @rnd: state of the random numbers, which are the same in each run
 * @fault: FAULT words: a bit is set at both ends of each faulty link, and of each link of a failed
 *         node
 * @good: true if there is a healthy link between the two nodes
 * @accepted: number of plans that the verifier has accepted
 * @refused: number of plans that it has refused
 */
struct world {
	struct rnd_state rnd;
	u32 fault[NODES];
	bool good[NODES][NODES];
	unsigned int accepted;
	unsigned int refused;
};

static u32 below(struct world *w, u32 n)
{
	return prandom_u32_state(&w->rnd) % n;
}

static struct world *world_new(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, w);
	prandom_seed_state(&w->rnd, 1);
	return w;
}

static void link_fails(struct world *w, u32 u, unsigned int d)
{
	u32 v = u ^ (1U << d);

	w->fault[u] |= 1U << d;
	w->fault[v] |= 1U << d;
	w->good[u][v] = false;
	w->good[v][u] = false;
}

/* Draw up to two faulty links, and sometimes a failed node. */
static void faults_draw(struct world *w)
{
	u32 u, v, n;

	memset(w->fault, 0, sizeof(w->fault));
	for (u = 0; u < NODES; u++)
		for (v = 0; v < NODES; v++)
			w->good[u][v] = hweight32(u ^ v) == 1;
	for (n = below(w, 3); n; n--)
		link_fails(w, below(w, NODES), below(w, DIM));
	if (below(w, 4))
		return;
	u = below(w, NODES);
	for (n = 0; n < DIM; n++)
		link_fails(w, u, n);
}

/* Return: the nodes that healthy links connect with @u, as a mask. */
static u32 reached_from(const struct world *w, u32 u)
{
	u32 set = 1U << u, old, a, b;

	do {
		old = set;
		for (a = 0; a < NODES; a++)
			for (b = 0; b < NODES; b++)
				if (set & 1U << a && w->good[a][b])
					set |= 1U << b;
	} while (set != old);
	return set;
}

static void permutation_draw(struct world *w, u8 *order, u32 n)
{
	u32 i, j;

	for (i = 0; i < n; i++) {
		j = below(w, i + 1);
		order[i] = order[j];
		order[j] = i;
	}
}

static void count(struct world *w, int err)
{
	if (err)
		w->refused++;
	else
		w->accepted++;
}

static void both_are_frequent(struct kunit *test, const struct world *w)
{
	KUNIT_EXPECT_GE(test, w->accepted, OFTEN);
	KUNIT_EXPECT_GE(test, w->refused, OFTEN);
}

/* ------------------------------------------------------------ broadcast */

/* Execute a broadcast. Return: true if each member has the message at the end. */
static bool bcast_plays(const struct world *w, const struct hc_bcast *b)
{
	u32 have = 1U << b->source, next, u;
	unsigned int s;

	for (s = 0; s < b->steps; s++, have = next)
		for (next = have, u = 0; u < NODES; u++) {
			u32 v = u ^ (1U << b->sequence[s]);

			if (have & 1U << u && w->good[u][v] && *b->members & 1U << v)
				next |= 1U << v;
		}
	return (have & *b->members) == *b->members;
}

static void broadcast_is_accepted_iff_all_members_get_message(struct kunit *test)
{
	struct world *w = world_new(test);
	u16 first[NODES];
	u8 sequence[ONES];
	unsigned int i, s;
	u32 members;

	for (i = 0; i < PLANS; i++) {
		struct hc_bcast b = {
			.topo = hc_topo_cube(DIM), .steps = below(w, ONES + 1),
			.source = below(w, NODES), .sequence = sequence, .members = &members,
		};
		int err;

		faults_draw(w);
		for (s = 0; s < b.steps; s++)
			sequence[s] = below(w, DIM);
		members = reached_from(w, b.source);
		if (!below(w, 3))
			members ^= 1U << ((b.source + 1 + below(w, ONES)) % NODES);
		/* Skip the plan if its source has failed, for then only the source has the message.
		 */
		if (w->fault[b.source] == ONES)
			continue;
		err = hc_bcast_check(&b, w->fault, first, NULL);
		count(w, err);
		KUNIT_EXPECT_EQ_MSG(test, !err, bcast_plays(w, &b), "plan %u", i);
	}
	both_are_frequent(test, w);
}

/* ------------------------------------------------------------ recursive doubling */

/* Execute recursive doubling on the nodes in the mask @sub, which are a subcube. Return: true if
 * each node of the subcube has the contributions of all its nodes at the end.
 */
static bool doubling_plays(const struct world *w, const struct hc_doubling *d, u32 sub)
{
	u8 has[NODES], next[NODES];
	unsigned int s;
	u32 u;

	for (u = 0; u < NODES; u++)
		has[u] = 1U << u;
	for (s = 0; s < d->stages; s++) {
		for (u = 0; u < NODES; u++) {
			u32 v = u ^ (1U << d->order[s]);

			next[u] = has[u] | (w->good[u][v] ? has[v] : 0);
		}
		memcpy(has, next, sizeof(has));
	}
	for (u = 0; u < NODES; u++)
		if (sub & 1U << u && ((has[u] & sub) != sub || w->fault[u] == ONES))
			return false;
	return true;
}

static void recursive_doubling_is_accepted_iff_all_nodes_get_all_data(struct kunit *test)
{
	struct world *w = world_new(test);
	unsigned int i, s;

	for (i = 0; i < PLANS; i++) {
		struct hc_doubling d = { .dim = DIM, .stages = below(w, DIM + 1) };
		u32 dims = 0, sub = 0, u;
		int err;

		faults_draw(w);
		permutation_draw(w, d.order, DIM);
		for (s = 0; s < d.stages; s++)
			dims |= 1U << d.order[s];
		d.base = below(w, NODES) & ~dims;
		for (u = 0; u < NODES; u++)
			if (!((u ^ d.base) & ~dims))
				sub |= 1U << u;
		err = hc_doubling_check(&d, w->fault, NULL);
		count(w, err);
		KUNIT_EXPECT_EQ_MSG(test, !err, doubling_plays(w, &d, sub), "plan %u", i);
	}
	both_are_frequent(test, w);
}

/* ------------------------------------------------------------ rings */

/* Check a plan with one ring, or with two, of which the second has one node in common with the
 * first. Return: true if a message that a node of a ring sends along this ring reaches all its
 * nodes.
 */
static bool rings_play(const struct world *w, const struct hc_ring_tree *t)
{
	u32 r, i, at = 0, before = 0;

	for (r = 0; r < t->nrings; r++) {
		u32 seen = 0, size = t->ring[r].size;

		if (size < 2 && t->nrings > 1)
			return false;
		for (i = 0; i < size; i++) {
			u32 u = t->node[at + i];

			if (u >= NODES || seen & 1U << u)
				return false;
			seen |= 1U << u;
			if (i && !w->good[t->node[at + i - 1]][u])
				return false;
		}
		if (r && hweight32(seen & before) != 1)
			return false;
		before |= seen;
		at += size;
	}
	return true;
}

/* Draw a path of @size nodes that begins at @from; set @node to its nodes. Most of its links are
 * healthy, and it seldom visits a node twice.
 */
static void walk_draw(struct world *w, u16 *node, u32 from, u32 size)
{
	u32 i, u = from, v, tries;

	for (i = 0; i < size; i++, u = v) {
		u32 seen = 0, k;

		node[i] = u;
		for (k = 0; k <= i; k++)
			seen |= 1U << node[k];
		for (tries = 0, v = u ^ 1; tries < 8; tries++) {
			v = u ^ (1U << below(w, DIM));
			if (w->good[u][v] && !(seen & 1U << v))
				break;
		}
	}
}

static void tree_of_rings_is_accepted_iff_messages_reach_all_nodes_of_rings(struct kunit *test)
{
	struct world *w = world_new(test);
	u16 node[2 * NODES], home[NODES];
	unsigned int i;

	for (i = 0; i < PLANS; i++) {
		struct hc_ring ring[2] = {
			{ .size = 1 + below(w, NODES), .parent = HC_RING_NONE },
			{ .size = 1 + below(w, 4), .level = 1 },
		};
		struct hc_ring_tree t = { .nrings = 1 + below(w, 2), .ring = ring, .node = node };
		struct hc_ring_net net;
		int err;

		faults_draw(w);
		net = hc_ring_cube(DIM, w->fault);
		walk_draw(w, node, below(w, NODES), ring[0].size);
		walk_draw(w, node + ring[0].size, node[below(w, ring[0].size)], ring[1].size);
		t.nnodes = ring[0].size + (t.nrings > 1 ? ring[1].size : 0);
		if (!below(w, 8))
			node[below(w, t.nnodes)] = below(w, NODES + 1);
		err = hc_ring_check(&t, &net, home, NULL);
		count(w, err);
		KUNIT_EXPECT_EQ_MSG(test, !err, rings_play(w, &t), "plan %u", i);
	}
	both_are_frequent(test, w);
}

/* ------------------------------------------------------------ load balancing */

/* Go from @u to its parent, to the parent of its parent, and so on. Return: the number of links up
 * to the subcube @sub (a mask of nodes), or NODES if these links do not lead to it or one of them
 * is not healthy.
 */
static u32 steps_up(const struct world *w, const struct hc_balance *b, u32 sub, u32 u)
{
	u32 n;

	for (n = 0; n < NODES && !(sub & 1U << u); n++) {
		u32 v = b->up[u] < DIM ? u ^ (1U << b->up[u]) : u;

		if (!w->good[u][v])
			return NODES;
		u = v;
	}
	return n;
}

static bool balance_plays(const struct world *w, const struct hc_balance *b, u32 sub)
{
	u32 u, v, n, in = 0, deepest = 0;

	for (u = 0; u < NODES; u++) {
		bool root = b->up[u] == HC_BALANCE_ROOT;

		if (root != !!(sub & 1U << u))
			return false;
		if (b->up[u] == HC_BALANCE_OUT)
			continue;
		n = steps_up(w, b, sub, u);
		if (n == NODES)
			return false;
		deepest = max(deepest, n);
		in |= 1U << u;
	}
	for (u = 0; u < NODES; u++)
		for (v = 0; v < NODES; v++) {
			bool inside = sub & 1U << u && sub & 1U << v;

			if (inside && hweight32(u ^ v) == 1 && !w->good[u][v])
				return false;
			if (w->good[u][v] && in & 1U << u && !(in & 1U << v))
				return false;
		}
	return deepest == b->depth;
}

/* For each node outside the subcube @sub (a mask of nodes), set its entry in @up to the dimension
 * of the first link of a shortest path to the subcube. Return: the length of the longest of these
 * paths.
 */
static u32 parents_find(const struct world *w, u32 sub, u8 *up)
{
	u32 in = sub, next, depth, u, d;

	for (u = 0; u < NODES; u++)
		up[u] = sub & 1U << u ? HC_BALANCE_ROOT : HC_BALANCE_OUT;
	for (depth = 0;; depth++, in = next) {
		for (next = in, u = 0; u < NODES; u++)
			for (d = 0; d < DIM && !(next & 1U << u); d++)
				if (in & 1U << (u ^ 1U << d) && w->good[u][u ^ 1U << d]) {
					up[u] = d;
					next |= 1U << u;
				}
		if (next == in)
			return depth;
	}
}

static void balance_plan_is_accepted_iff_parents_lead_to_healthy_subcube(struct kunit *test)
{
	static const u8 parent[] = { 0, 1, 2, HC_BALANCE_OUT };
	struct world *w = world_new(test);
	unsigned int i;
	u8 up[NODES];

	for (i = 0; i < PLANS; i++) {
		u32 dims = below(w, NODES), base = below(w, NODES) & ~dims, sub = 0, u;
		struct hc_balance b = { .dim = DIM, .dims = dims, .base = base, .up = up };
		int err;

		faults_draw(w);
		for (u = 0; u < NODES; u++)
			if (!((u ^ base) & ~dims))
				sub |= 1U << u;
		/* Skip a subcube whose lowest node has failed: if this is the only node of the
		 * subcube, the verifier refuses the plan although the plan can be executed.
		 */
		if (w->fault[base] == ONES)
			continue;
		b.depth = parents_find(w, sub, up);
		if (!below(w, 3))
			up[below(w, NODES)] = parent[below(w, ARRAY_SIZE(parent))];
		if (!below(w, 8))
			b.depth = below(w, 4);
		err = hc_balance_check(&b, w->fault, NULL);
		count(w, err);
		KUNIT_EXPECT_EQ_MSG(test, !err, balance_plays(w, &b, sub), "plan %u", i);
	}
	both_are_frequent(test, w);
}

/* ------------------------------------------------------------ communication trees */

/* Units in a contribution: 6^3 can be divided DIM times in succession by any of 1 .. DIM without a
 * remainder.
 */
#define UNITS	216

/**
 * struct tree_play - an execution of a tree
 * @w: the cube
 * @t: the plan
 * @role: the role of each member in the plan
 * @has: @has[u][c]: units of the contribution of c that are at u
 */
struct tree_play {
	const struct world *w;
	const struct hc_tree *t;
	struct hc_tree_role role[NODES];
	u32 has[NODES][NODES];
};

static bool roles_get(struct tree_play *p)
{
	struct hc_tree_peer src[2 * DIM + NODES];
	u32 nb[DIM], u, d;

	for (u = 0; u < NODES; u++) {
		if (!(*p->t->members & 1U << u))
			continue;
		for (d = 0; d < DIM; d++)
			nb[d] = p->w->fault[u ^ 1U << d];
		if (hc_tree_role(p->t, u, p->w->fault[u], nb, &p->role[u], src, ARRAY_SIZE(src)))
			return false;
	}
	return true;
}

/* Move the data that is at node @u to the destinations in the role of @u. Return: false if faults
 * prevent that.
 */
static bool node_gives(struct tree_play *p, u32 u)
{
	const struct hc_tree_role *r = &p->role[u];
	u32 c, i;

	for (i = 0; i < r->ndst; i++) {
		u32 to = r->dst[i].node;

		if (r->dst[i].how != HC_TREE_DETOUR && !p->w->good[u][to])
			return false;
		if (r->dst[i].how == HC_TREE_DETOUR && !(reached_from(p->w, u) & 1U << to))
			return false;
		for (c = 0; c < NODES; c++)
			p->has[to][c] += p->has[u][c] / r->ndst;
	}
	memset(p->has[u], 0, sizeof(p->has[u]));
	return true;
}

static bool is_helped(const struct tree_play *p, u32 u)
{
	return p->role[u].dst[0].how == HC_TREE_HELP;
}

/* Execute a tree: in each stage, the nodes that send to effective helpers send before the others.
 * Return: true if the sink has all of each member's contribution at the end.
 */
static bool tree_plays(struct tree_play *p)
{
	u32 members = *p->t->members, stage, helped, u;

	memset(p->has, 0, sizeof(p->has));
	if (!roles_get(p))
		return false;
	for (u = 0; u < NODES; u++)
		p->has[u][u] = members & 1U << u ? UNITS : 0;
	for (stage = 0; stage < p->t->stages; stage++)
		for (helped = 2; helped--;)
			for (u = 0; u < NODES; u++)
				if (members & 1U << u && p->role[u].active == stage &&
				    is_helped(p, u) == helped && !node_gives(p, u))
					return false;
	for (u = 0; u < NODES; u++)
		if (p->has[p->t->sink][u] != (members & 1U << u ? UNITS : 0))
			return false;
	return true;
}

/* Draw up to two detours, in ascending order of their senders. Each is either random or the detour
 * that is needed if the link of @sink along @dim, the last dimension of the order, is faulty.
 * Return: their number.
 */
static u32 detours_draw(struct world *w, u32 sink, unsigned int dim, struct hc_detour *detour)
{
	u32 n = below(w, 3), i;

	for (i = 0; i < n; i++)
		detour[i] = below(w, 2) ? (struct hc_detour){ sink ^ 1U << dim, sink } :
					  (struct hc_detour){ below(w, NODES), below(w, NODES) };
	if (n == 2 && detour[0].from > detour[1].from)
		swap(detour[0], detour[1]);
	return n;
}

static void tree_is_accepted_only_if_each_contribution_arrives_once(struct kunit *test)
{
	struct tree_play *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	u32 *work = kunit_kzalloc(test, HC_TREE_WORK(DIM) * sizeof(*work), GFP_KERNEL);
	struct world *w = world_new(test);
	struct hc_detour detour[2];
	unsigned int i, detoured = 0;
	u32 members;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, work);
	for (i = 0; i < PLANS; i++) {
		struct hc_tree t = {
			.dim = DIM, .stages = DIM, .sink = below(w, NODES), .members = &members,
			.detours = detour,
		};
		int err;

		faults_draw(w);
		permutation_draw(w, t.order, DIM);
		members = reached_from(w, t.sink);
		if (!below(w, 4))
			members ^= 1U << ((t.sink + 1 + below(w, ONES)) % NODES);
		t.ndetours = detours_draw(w, t.sink, t.order[DIM - 1], detour);
		err = hc_tree_check(&t, w->fault, work, NULL);
		count(w, err);
		*p = (struct tree_play){ .w = w, .t = &t };
		if (err)
			continue;
		KUNIT_EXPECT_TRUE_MSG(test, tree_plays(p), "plan %u", i);
		detoured += t.ndetours;
	}
	both_are_frequent(test, w);
	KUNIT_EXPECT_GE(test, detoured, OFTEN);
}

/* ------------------------------------------------------------ invalid plans */

/* Check that @plan, which is valid, is refused with the reason @said if its @field is @value. */
#define WRONG(check, plan, field, value, said) do {				\
	__typeof__(plan) wrong = plan;						\
										\
	wrong.field = value;							\
	reason.why = "";							\
	KUNIT_EXPECT_EQ(test, check, -EINVAL);					\
	KUNIT_EXPECT_STREQ(test, reason.why, said);				\
} while (0)

static const u32 no_fault[NODES];
/* The link of node 0 along dimension 1 is faulty in the FAULT word of node 0, but not in that of
 * node 2, at its other end.
 */
static const u32 one_sided[NODES] = { 2 };

static void broadcast_with_one_wrong_field_is_refused_with_reason(struct kunit *test)
{
	static const u8 dims[] = { 0, 1, 2, 3 };
	const u32 all = 0xff, few = 0xfe;
	struct hc_bcast b = {
		.topo = hc_topo_cube(DIM), .steps = DIM, .sequence = dims, .members = &all,
	};
	struct hc_bcast_reason reason;
	u16 first[NODES];

	KUNIT_EXPECT_EQ(test, hc_bcast_check(&b, no_fault, first, NULL), 0);
	KUNIT_EXPECT_EQ(test, hc_bcast_check(&b, one_sided, first, NULL), -EINVAL);
#define BAD(field, value, said) \
	WRONG(hc_bcast_check(&wrong, no_fault, first, &reason), b, field, value, said)
	BAD(topo.ports, 0, "dimension out of range");
	BAD(topo.ports, HC_LIB_DIM_MAX + 1, "dimension out of range");
	BAD(steps, NODES, "more steps than there are nodes to inform");
	BAD(steps, DIM + 1, "sequence names a dimension that the network does not have");
	BAD(source, NODES, "source is no node of the network");
	BAD(members, &few, "source is no member");
#undef BAD
}

static void recursive_doubling_with_one_wrong_field_is_refused_with_reason(struct kunit *test)
{
	struct hc_doubling d = { .dim = DIM, .stages = 2, .order = { 0, 2, 0 } };
	struct hc_reason reason;

	KUNIT_EXPECT_EQ(test, hc_doubling_check(&d, no_fault, NULL), 0);
#define BAD(field, value, said) \
	WRONG(hc_doubling_check(&wrong, no_fault, &reason), d, field, value, said)
	BAD(dim, 0, "dimension out of range");
	BAD(dim, HC_LIB_DIM_MAX + 1, "dimension out of range");
	BAD(stages, DIM + 1, "more stages than dimensions");
	BAD(stages, DIM, "order names a dimension twice");
	BAD(order[1], DIM, "order names a dimension that the cube does not have");
	BAD(base, NODES, "base is no node of the cube");
	BAD(base, 1, "base is not the lowest node of the subcube");
#undef BAD
}

static void balance_plan_with_one_wrong_field_is_refused_with_reason(struct kunit *test)
{
	static const u8 up[NODES] = {
		HC_BALANCE_ROOT, HC_BALANCE_ROOT, HC_BALANCE_ROOT, HC_BALANCE_ROOT, 2, 2, 2, 2,
	};
	struct hc_balance b = { .dim = DIM, .depth = 1, .dims = 3, .up = up };
	struct hc_reason reason;

	KUNIT_EXPECT_EQ(test, hc_balance_check(&b, no_fault, NULL), 0);
#define BAD(field, value, said) \
	WRONG(hc_balance_check(&wrong, no_fault, &reason), b, field, value, said)
	BAD(dim, 0, "dimension out of range");
	BAD(dim, HC_LIB_DIM_MAX + 1, "dimension out of range");
	BAD(dims, NODES, "the subcube has a dimension that the cube does not have");
	BAD(base, NODES, "base is no node of the cube");
	BAD(base, 1, "base is not the lowest node of the subcube");
#undef BAD
}

static void tree_with_one_wrong_field_is_refused_with_reason(struct kunit *test)
{
	u32 *work = kunit_kzalloc(test, HC_TREE_WORK(DIM) * sizeof(*work), GFP_KERNEL);
	const u32 all = 0xff, few = 0xfe;
	struct hc_tree t = { .dim = DIM, .stages = DIM, .order = { 0, 1, 2 },
			     .members = &all };
	struct hc_tree_reason reason;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, work);
	KUNIT_EXPECT_EQ(test, hc_tree_check(&t, no_fault, work, NULL), 0);
	KUNIT_EXPECT_EQ(test, hc_tree_check(&t, one_sided, work, NULL), -EINVAL);
#define BAD(field, value, said) \
	WRONG(hc_tree_check(&wrong, no_fault, work, &reason), t, field, value, said)
	BAD(dim, 0, "dimension out of range");
	BAD(dim, HC_LIB_DIM_MAX + 1, "dimension out of range");
	BAD(stages, DIM + 1, "more stages than dimensions");
	BAD(stages, DIM - 1, "member outside the tree's subcube");
	BAD(order[1], DIM, "order names a dimension that the cube does not have");
	BAD(order[1], 0, "order names a dimension twice");
	BAD(sink, NODES, "sink is no node of the cube");
	BAD(members, &few, "sink is no member");
	BAD(ndetours, NODES, "more detours than senders");
#undef BAD
}

static struct kunit_case verify_cases[] = {
	KUNIT_CASE(broadcast_is_accepted_iff_all_members_get_message),
	KUNIT_CASE(recursive_doubling_is_accepted_iff_all_nodes_get_all_data),
	KUNIT_CASE(tree_of_rings_is_accepted_iff_messages_reach_all_nodes_of_rings),
	KUNIT_CASE(balance_plan_is_accepted_iff_parents_lead_to_healthy_subcube),
	KUNIT_CASE(tree_is_accepted_only_if_each_contribution_arrives_once),
	KUNIT_CASE(broadcast_with_one_wrong_field_is_refused_with_reason),
	KUNIT_CASE(recursive_doubling_with_one_wrong_field_is_refused_with_reason),
	KUNIT_CASE(balance_plan_with_one_wrong_field_is_refused_with_reason),
	KUNIT_CASE(tree_with_one_wrong_field_is_refused_with_reason),
	{}
};

static struct kunit_suite verify_suite = {
	.name = "hypercube_verify",
	.test_cases = verify_cases,
};

kunit_test_suite(verify_suite);

MODULE_DESCRIPTION("hypercube: tests of the verifiers of plans");
MODULE_LICENSE("GPL");
