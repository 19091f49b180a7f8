// SPDX-License-Identifier: GPL-2.0
/*
 * Pairs of trees for checked collectives, compared with all pairs that exist; and the nodes that
 * may have falsified data, compared with all nodes that could have done so.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "checked.h"
#include "ktap.h"

#define NODES_MAX	16
#define TREES_MAX	(NODES_MAX * 24)

/* --------------------------------------------------- an independent computation of relays */

/*
 * A tree: its sink, the first dimension of its order, the nodes that relay in it, and the links
 * that it uses. The data of each member moves by the rules of the paper as corrected in the errata:
 * to the passive neighbour, else in parts to the effective helpers, else over a shortest path. A
 * node that receives data of another node and sends some on is a relay; so is the sink, which sends
 * the result down.
 */
struct oracle_tree {
	uint32_t sink;
	unsigned int first;
	uint32_t relays;
	uint64_t links;
};

static bool usable(const struct hc_faults *f, uint32_t u, unsigned int d)
{
	return !(f->fault[u] >> d & 1);
}

/* Return: the stage at which node @u is active; @n for the sink. */
static unsigned int active(unsigned int n, uint32_t sink, const uint8_t *order, uint32_t u)
{
	unsigned int i = 0;

	while (i < n && !((u ^ sink) >> order[i] & 1))
		i++;
	return i;
}

static uint64_t link_bit(unsigned int n, uint32_t u, unsigned int d)
{
	return 1ull << ((u & ~(1u << d)) * n + d);
}

/* Return: hops from @from to @to over healthy links; 1000 if there is no path. */
static unsigned int hops(const struct hc_faults *f, uint32_t from, uint32_t to)
{
	uint32_t set = 1u << from, next, u;
	unsigned int d, h = 0;

	while (!(set >> to & 1)) {
		next = set;
		for (u = 0; u < 1u << f->dim; u++)
			for (d = 0; d < f->dim && set >> u & 1; d++)
				if (usable(f, u, d))
					next |= 1u << (u ^ 1u << d);
		if (next == set)
			return 1000;
		set = next;
		h++;
	}
	return h;
}

/* Add to @t the nodes and links of all shortest paths of the detour of @u, and the node at which
 * the detour ends to @senders. Return: false if @u has no path to a passive node.
 */
static bool detour(const struct hc_faults *f, uint32_t sink, const uint8_t *order, uint32_t u,
		   struct oracle_tree *t, uint32_t *senders)
{
	unsigned int n = f->dim, d, stage = active(n, sink, order, u), far = 1000;
	uint32_t v, to = 0;

	for (v = 0; v < 1u << n; v++)
		if (active(n, sink, order, v) > stage && hops(f, u, v) < far) {
			far = hops(f, u, v);
			to = v;
		}
	if (far == 1000)
		return false;
	*senders |= 1u << to;
	for (v = 0; v < 1u << n; v++) {
		if (hops(f, u, v) + hops(f, v, to) != far)
			continue;
		if (v != u && v != to)
			t->relays |= 1u << v;
		for (d = 0; d < n; d++)
			if (usable(f, v, d) && hops(f, v ^ 1u << d, to) + 1 == hops(f, v, to))
				t->links |= link_bit(n, v, d);
	}
	return true;
}

/* Compute the relays and links of a tree. Return: false if some member cannot send its data. */
static bool oracle(const struct hc_faults *f, uint32_t members, uint32_t sink,
		   const uint8_t *order, struct oracle_tree *t)
{
	unsigned int n = f->dim, i, j;
	uint32_t u, senders = 0;

	*t = (struct oracle_tree){ .sink = sink, .first = order[0] };
	for (u = 0; u < 1u << n; u++) {
		bool helped = false;

		i = active(n, sink, order, u);
		if (!(members >> u & 1) || u == sink)
			continue;
		if (usable(f, u, order[i])) {
			senders |= 1u << (u ^ 1u << order[i]);
			t->links |= link_bit(n, u, order[i]);
			continue;
		}
		for (j = i + 1; j < n; j++) {
			uint32_t v = u ^ 1u << order[j];

			if (!usable(f, u, order[j]) || !usable(f, v, order[i]))
				continue;
			helped = true;
			senders |= 1u << v;
			t->links |= link_bit(n, u, order[j]);
		}
		if (!helped && !detour(f, sink, order, u, t, &senders))
			return false;
	}
	t->relays |= senders;
	return true;
}

/* ------------------------------------------------------------ all pairs */

static void swap(uint8_t *a, uint8_t *b)
{
	uint8_t t = *a;

	*a = *b;
	*b = t;
}

/* Make @order the lexicographically next order. Return: 0 if it was the last one, else 1. */
static unsigned int next_order(uint8_t *order, unsigned int n)
{
	unsigned int i = n - 1, j = n - 1;

	while (i && order[i - 1] > order[i])
		i--;
	if (!i)
		return 0;
	while (order[j] < order[i - 1])
		j--;
	swap(&order[i - 1], &order[j]);
	for (j = n - 1; i < j; i++, j--)
		swap(&order[i], &order[j]);
	return 1;
}

/* List the trees of all orders, with the sink @sink or, for HC_ANY_SINK, with each member as the
 * sink. Return: number of trees.
 */
static unsigned int all_trees(const struct hc_faults *f, uint32_t members, uint32_t sink,
			      struct oracle_tree *t)
{
	uint8_t order[4] = { 0, 1, 2, 3 };
	unsigned int n = 0;
	uint32_t s;

	do {
		for (s = 0; s < 1u << f->dim; s++)
			if (members >> s & 1 && (sink == HC_ANY_SINK || s == sink) &&
			    oracle(f, members, s, order, &t[n]))
				n++;
	} while (next_order(order, f->dim));
	return n;
}

/* The cost of a pair: number of common relays, then number of common links. */
static uint32_t cost(uint32_t relays, uint64_t links)
{
	return (uint32_t)__builtin_popcount(relays) << 16 | (uint32_t)__builtin_popcountll(links);
}

#define ANY_DIM 99

/* Return: the least cost of all pairs or, unless @k is ANY_DIM, of those whose trees both have @k
 * as their first dimension and sinks on both sides of it.
 */
static uint32_t least(const struct hc_faults *f, uint32_t members, uint32_t sink, unsigned int k)
{
	static struct oracle_tree a[TREES_MAX], b[TREES_MAX];
	unsigned int na = all_trees(f, members, sink, a);
	unsigned int nb = all_trees(f, members, HC_ANY_SINK, b), i, j;
	uint32_t best = UINT32_MAX;

	for (i = 0; i < na; i++)
		for (j = 0; j < nb; j++) {
			uint32_t c = cost(a[i].relays & b[j].relays, a[i].links & b[j].links);

			if (k != ANY_DIM && (a[i].first != k || b[j].first != k ||
					     !((a[i].sink ^ b[j].sink) >> k & 1)))
				continue;
			if (c < best)
				best = c;
		}
	return best;
}

/* Return: true if no pair costs less than the pair @p. @k: as for least(). */
static bool is_least(const struct hc_faults *f, const struct hc_checked_pair *p, uint32_t members,
		     uint32_t sink, unsigned int k)
{
	CHECK((p->nunseen << 16 | p->nlinks) == least(f, members, sink, k));
	return true;
}

/* Return: true if the verifier accepts the tree, and its relays and links are those of oracle(). */
static bool tree_right(const struct hc_faults *f, const struct hc_checked_tree *t,
		       uint32_t members)
{
	const struct hc_tree *tree = &t->plan.tree;
	uint32_t *work = calloc(HC_TREE_WORK(f->dim), sizeof(*work));
	struct oracle_tree o;
	int err = hc_tree_check(tree, f->fault, work, NULL);

	free(work);
	CHECK(!err);
	CHECK(t->plan.members[0] == members);
	CHECK(oracle(f, members, tree->sink, tree->order, &o));
	CHECK(t->relays[0] == o.relays);
	CHECK(t->links[0] == (uint32_t)o.links);
	CHECK(f->dim < 4 || t->links[1] == o.links >> 32);
	return true;
}

/* Return: true if both trees and the set of their common relays are right. */
static bool pair_right(const struct hc_faults *f, const struct hc_checked_pair *p,
		       uint32_t members)
{
	const struct hc_checked_tree *a = &p->tree[0], *b = &p->tree[1];

	CHECK(tree_right(f, a, members) && tree_right(f, b, members));
	CHECK(p->unseen[0] == (a->relays[0] & b->relays[0]));
	CHECK((int)p->nunseen == __builtin_popcount(p->unseen[0]));
	return true;
}

/* Return: true if the pair of dimension @k is right, or if there cannot be such a pair. */
static bool dimension_right(const struct hc_faults *f, const struct hc_checked *plan,
			    unsigned int k, uint32_t members)
{
	const struct hc_checked_pair *p = &plan->pair[k];
	const struct hc_tree *a = &p->tree[0].plan.tree, *b = &p->tree[1].plan.tree;

	if (!p->found) {
		uint32_t upper = 0, u;

		for (u = 0; u < 1u << f->dim; u++)
			upper |= (u >> k & 1) << u;
		CHECK(!(members & upper) || !(members & ~upper));
		return true;
	}
	CHECK(pair_right(f, p, members));
	CHECK(a->order[0] == k && b->order[0] == k && (a->sink ^ b->sink) >> k & 1);
	return true;
}

/* Return: true if the best pair that the planner finds, and the best one of each dimension, cost no
 * more than any other pair.
 */
static bool best_of_all(const struct hc_faults *f, uint32_t sink)
{
	const struct hc_checked_pair *p;
	struct hc_checked plan;
	uint32_t members = 0;
	const char *why;
	unsigned int k;
	int err = hc_plan_checked(f, sink, &plan, &why);
	bool right = true;

	if (err)
		return err == -EHOSTDOWN || err == -ENOLINK;
	p = &plan.best;
	hc_faults_component(f, p->tree[0].plan.tree.sink, &members);
	for (k = 0; k < f->dim && k < 4 && right; k++)
		right = dimension_right(f, &plan, k, members);
	right = right && pair_right(f, p, members) && plan.exact &&
		(sink == HC_ANY_SINK || p->tree[0].plan.tree.sink == sink) &&
		is_least(f, p, members, sink, ANY_DIM);
	for (k = 0; k < f->dim && k < 4 && right; k++)
		if (plan.pair[k].found)
			right = is_least(f, &plan.pair[k], members, sink, k);
	hc_checked_free(&plan);
	return right;
}

/* Make the links in @set faulty: bit i is the i-th link, by lower end and then by dimension. */
static void links_fail(struct hc_faults *f, uint64_t set)
{
	unsigned int i, n = 0;

	for (i = 0; i < f->dim << f->dim; i++) {
		uint32_t u = i / f->dim;

		if (u >> i % f->dim & 1)
			continue;
		if (set >> n++ & 1)
			hc_faults_link(f, u, i % f->dim);
	}
}

/* Return: 1 if the plan around these faults is wrong, else 0. */
static unsigned int wrong_with(unsigned int dim, uint64_t links, uint32_t dead, uint32_t sink)
{
	struct hc_faults *f = hc_faults_new(dim);
	unsigned int u;
	bool right;

	links_fail(f, links);
	for (u = 0; u < 1u << dim; u++)
		if (dead >> u & 1)
			hc_faults_node(f, u);
	right = best_of_all(f, sink);
	if (!right)
		printf("# dim %u links %llx dead %x sink %d\n", dim, (unsigned long long)links,
		       dead, (int)sink);
	hc_faults_free(f);
	return !right;
}

TEST(tree_pair_without_faults_has_no_common_relay)
{
	unsigned int dim, k;

	for (dim = 1; dim <= 10; dim++) {
		struct hc_faults *f = hc_faults_new(dim);
		struct hc_checked plan;
		const char *why;

		ASSERT_EQ(0, hc_plan_checked(f, dim % 3 ? HC_ANY_SINK : 5, &plan, &why));
		EXPECT_TRUE(plan.exact);
		for (k = 0; k < dim; k++) {
			EXPECT_EQ(0, plan.pair[k].nunseen);
			/* The trees have all links along dimension k in common, and no others. */
			EXPECT_EQ(1u << (dim - 1), plan.pair[k].nlinks);
		}
		hc_checked_free(&plan);
		hc_faults_free(f);
	}
	for (dim = 1; dim <= 4; dim++)
		EXPECT_EQ(0, wrong_with(dim, 0, 0, HC_ANY_SINK));
}

TEST(tree_pair_costs_least_for_fault_sets_of_8_nodes)
{
	unsigned int wrong = 0, links, dead;

	for (links = 0; links < 1u << 12 && wrong < 5; links++)
		if (__builtin_popcount(links) <= 8)
			wrong += wrong_with(3, links, 0, HC_ANY_SINK);
	EXPECT_EQ(0, wrong);
	for (dead = 1; dead < 255 && wrong < 5; dead++)
		wrong += wrong_with(3, 0, dead, HC_ANY_SINK);
	EXPECT_EQ(0, wrong);
}

TEST(tree_pair_with_requested_sink_costs_least)
{
	unsigned int wrong = 0, links, sink;

	for (links = 0; links < 1u << 12 && wrong < 5; links++)
		for (sink = 0; sink < 8 && __builtin_popcount(links) <= 3; sink++)
			wrong += wrong_with(3, links, 0, sink);
	EXPECT_EQ(0, wrong);
}

TEST(tree_pair_costs_least_for_fault_samples_of_16_nodes)
{
	unsigned int wrong = 0, i, j;

	for (i = 0; i < 32 && wrong < 5; i++)
		for (j = i; j < 32; j += 5)
			wrong += wrong_with(4, 1ull << i | 1ull << j, 0, HC_ANY_SINK);
	for (i = 0; i < 100 && wrong < 5; i++) {
		uint64_t links = 0;

		for (j = rnd(10); j; j--)
			links |= 1ull << rnd(32);
		wrong += wrong_with(4, links, rnd(2) ? 1u << rnd(16) : 0, HC_ANY_SINK);
	}
	EXPECT_EQ(0, wrong);
}

/* ------------------------------------------------------------ which nodes have falsified data */

#define VIEWS	(2 * 4)

/* Return: true if the set explains the results: for some right result, each tree with another
 * result has a node of the set among its relays.
 */
static bool fits(const struct hc_checked_seen *seen, unsigned int n, uint32_t set)
{
	unsigned int i, j;

	for (j = 0; j <= n; j++) {
		/* The last right result to try is one that no tree has. */
		uint32_t right = j < n ? seen[j].result : 77;
		bool all = true;

		for (i = 0; i < n; i++)
			if (seen[i].result != right || right == HC_CHECKED_MIXED)
				all = all && seen[i].relays[0] & set;
		if (all)
			return true;
	}
	return false;
}

/* Return: true if node @u relays in any of the trees. */
static bool may_lie(const struct hc_checked_seen *seen, unsigned int n, uint32_t u)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (seen[i].relays[0] >> u & 1)
			return true;
	return false;
}

/* Return: true if the suspects are those that a trial of all sets of one and two nodes finds. */
static bool suspects_right(unsigned int dim, const struct hc_checked_seen *seen, unsigned int n,
			   const struct hc_suspects *s, const struct hc_suspect_pair *two)
{
	uint32_t nodes = 1u << dim, one = 0, u, v, pairs = 0;

	for (u = 0; u < nodes; u++)
		one |= (uint32_t)(may_lie(seen, n, u) && fits(seen, n, 1u << u)) << u;
	if (fits(seen, n, 0)) {
		CHECK(!s->byzantine && s->n == 1);
		return true;
	}
	CHECK(!one == (s->byzantine > 1));
	CHECK(!one || (int)s->n == __builtin_popcount(one));
	for (u = 0; one && u < s->n; u++)
		CHECK(one >> s->set[u] & 1);
	for (u = 0; u < nodes; u++)
		for (v = u + 1; v < nodes; v++) {
			if ((1u << u | 1u << v) & one || !may_lie(seen, n, u) ||
			    !may_lie(seen, n, v) || !fits(seen, n, 1u << u | 1u << v))
				continue;
			CHECK(two[pairs].a == u && two[pairs].b == v);
			pairs++;
		}
	CHECK(s->pairs == pairs);
	CHECK(one || (s->byzantine == 2) == !!pairs);
	CHECK(one || s->n == pairs);
	return true;
}

/* What Byzantine nodes do in the trees in which they relay: send a different wrong result in each
 * tree, send the same wrong result in all trees, or falsify some of the results at random.
 */
enum { OTHER, SAME, AT_TIMES, WAYS };

/* Fill in the results of all trees. @byzantine: set of Byzantine nodes. @how: what they do. */
static void lies(struct hc_checked_seen *seen, unsigned int n, uint32_t byzantine, unsigned int how)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		seen[i].result = 0;
		if (!(seen[i].relays[0] & byzantine) || (how == AT_TIMES && rnd(2)))
			continue;
		seen[i].result = how == SAME ? 1 : 1 + i;
		if (how == AT_TIMES && !rnd(3))
			seen[i].result = rnd(2) ? HC_CHECKED_MIXED : 1;
	}
}

/* Let the nodes @byzantine falsify data, and check which nodes are suspected. */
static bool case_right(unsigned int dim, struct hc_checked_seen *seen, unsigned int n,
		       uint32_t byzantine, unsigned int how, bool faults)
{
	static struct hc_suspect_pair two[NODES_MAX * NODES_MAX];
	uint32_t one[NODES_MAX], u, fit = 0;
	struct hc_suspects s;

	lies(seen, n, byzantine, how);
	hc_checked_suspects(dim, seen, n, &s, one, two, ARRAY_SIZE(two));
	CHECK(suspects_right(dim, seen, n, &s, two));
	for (u = 0; u < s.n && s.byzantine == 1; u++)
		fit |= 1u << s.set[u];
	/* The Byzantine nodes explain the results. If single nodes explain them, a Byzantine node
	 * is one of these, or sets of two nodes are listed as well.
	 */
	CHECK(fits(seen, n, byzantine));
	CHECK(!fit || fit & byzantine || s.pairs);
	/* Without faults a single Byzantine node that sends a different wrong result in each tree
	 * is located exactly.
	 */
	if (!faults && dim > 1 && how == OTHER && __builtin_popcount(byzantine) == 1)
		CHECK(fit == byzantine);
	/* If a single Byzantine node sends the same wrong result in all trees, the node with the
	 * complementary number explains the results as well: exactly one of the two is a relay of
	 * each tree.
	 */
	u = (1u << dim) - 1 - (uint32_t)__builtin_ctz(byzantine);
	if (!faults && how == SAME && __builtin_popcount(byzantine) == 1)
		CHECK(fit == (byzantine | 1u << u));
	return true;
}

/* Try all sets of one and of two Byzantine members. Return: number of wrong results. */
static unsigned int cases_wrong(struct hc_faults *f)
{
	struct hc_checked_seen seen[VIEWS];
	uint32_t members = 0, a, b;
	struct hc_checked plan;
	unsigned int k, n = 0, how, wrong = 0;
	bool faults = false;
	const char *why;

	if (hc_plan_checked(f, HC_ANY_SINK, &plan, &why))
		return 0;
	for (k = 0; k < f->dim; k++)
		if (plan.pair[k].found) {
			seen[n++].relays = plan.pair[k].tree[0].relays;
			seen[n++].relays = plan.pair[k].tree[1].relays;
		}
	hc_faults_component(f, plan.best.tree[0].plan.tree.sink, &members);
	for (a = 0; a < 1u << f->dim; a++)
		faults |= f->fault[a] != 0;
	for (a = 0; a < 1u << f->dim && n; a++)
		for (b = a; b < 1u << f->dim; b++)
			for (how = 0; how < WAYS && members >> a & members >> b & 1; how++)
				wrong += !case_right(f->dim, seen, n, 1u << a | 1u << b, how,
						     faults);
	hc_checked_free(&plan);
	return wrong;
}

TEST(suspects_of_one_and_two_byzantine_nodes_match_brute_force)
{
	unsigned int dim, i, j;

	for (dim = 1; dim <= 4; dim++) {
		struct hc_faults *f = hc_faults_new(dim);

		EXPECT_EQ(0, cases_wrong(f));
		hc_faults_free(f);
	}
	for (i = 0; i < 100; i++) {
		struct hc_faults *f = hc_faults_new(3 + i % 2);

		for (j = 1 + rnd(6); j; j--)
			hc_faults_link(f, rnd(1u << f->dim), rnd(f->dim));
		EXPECT_EQ(0, cases_wrong(f));
		hc_faults_free(f);
	}
}

TEST_HARNESS_MAIN
