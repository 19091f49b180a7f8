// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the planners of trees of rings, as KTAP.
 * Usage: ring_test [NAME..]: all cases, or the ones named.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ring_test.h"

/* Return: true if the verifier and the definition accept the tree, and all properties of the plan
 * are right.
 */
bool plan_holds(const struct net *net, const struct hc_ring_plan *p)
{
	struct hc_graph *g = net_graph(net);
	const struct hc_ring_net as_net = hc_graph_net(g);
	struct hc_ring_reason reason;
	uint16_t home[NET_MAX];
	struct trial r;
	unsigned int i, levels = 0, longest = 0;

	CHECK(!hc_ring_check(&p->tree, &as_net, home, &reason));
	CHECK(net_has_tree(net, &p->tree));
	CHECK(p->members == net_largest(net));
	CHECK(p->tree.nnodes == p->members + p->tree.nrings - 1);
	for (i = 0; i < p->tree.nrings; i++) {
		if (p->tree.ring[i].level + 1u > levels)
			levels = p->tree.ring[i].level + 1u;
		if (p->tree.ring[i].size > longest)
			longest = p->tree.ring[i].size;
	}
	CHECK(p->levels == levels && p->longest == longest);
	CHECK(p->members + p->nexcluded == net->n);
	for (i = 0; i < net->n; i++)
		CHECK(hc_set_has(p->excluded, i) == (home[i] == HC_RING_NONE));
	CHECK(tree_walk(&p->tree, &r));
	CHECK(r.deliver == p->steps.deliver && r.acknowledge == p->steps.acknowledge);
	CHECK(r.frames == (unsigned long)p->members * p->tree.nnodes);
	/* No tree of rings takes fewer steps than these. */
	CHECK(r.deliver >= p->members - 1 && r.acknowledge >= p->members);
	hc_graph_free(g);
	return true;
}

/* Return: true if method AUTO takes the tree of one of the other methods, and none of these trees
 * takes fewer steps.
 */
static bool compare(const struct hc_ring_plan *p)
{
	const struct hc_ring_plan *a = &p[HC_RING_AUTO], *v = &p[HC_RING_VRT];
	const struct hc_ring_plan *c = &p[HC_RING_HAMILTON];

	CHECK(a->method == HC_RING_VRT || a->method == HC_RING_HAMILTON);
	CHECK(a->steps.acknowledge <= v->steps.acknowledge);
	CHECK(a->steps.acknowledge <= c->steps.acknowledge);
	return true;
}

bool net_plans(const struct net *net, uint32_t width)
{
	struct hc_ring_plan p[3];
	struct hc_graph *g = net_graph(net);
	enum hc_ring_method m;
	unsigned int i;

	for (m = HC_RING_AUTO; m <= HC_RING_HAMILTON; m++) {
		if (net_largest(net) < 2) {
			CHECK(hc_plan_ring(g, NULL, m, 0, p) == -EHOSTDOWN);
			continue;
		}
		CHECK(!hc_plan_ring(g, NULL, m, m == HC_RING_HAMILTON ? 0 : width, &p[m]));
		CHECK(plan_holds(net, &p[m]));
		if (m != HC_RING_HAMILTON && width)
			CHECK(p[m].longest <= width);
	}
	if (net_largest(net) > 1) {
		if (!width)
			CHECK(compare(p));
		for (i = 0; i < 3; i++)
			hc_ring_plan_free(&p[i]);
	}
	hc_graph_free(g);
	return true;
}

/* Return: true if method HAMILTON makes a first ring of @want nodes. */
static bool longest_is(const struct net *net, const struct hc_faults *cube, unsigned int want)
{
	struct hc_graph *g = net_graph(net);
	struct hc_ring_plan p;

	CHECK(!hc_plan_ring(g, cube, HC_RING_HAMILTON, 0, &p));
	CHECK(plan_holds(net, &p));
	CHECK(p.tree.ring[0].size == want);
	CHECK(want == 2 || hc_ring_closes(g, p.tree.ring, p.tree.node));
	hc_ring_plan_free(&p);
	hc_graph_free(g);
	return true;
}

/* --- small networks, all of them --- */

/* Make network number @nr of @n nodes: each bit of the number stands for a pair of nodes. */
static void nth_net(struct net *net, unsigned int n, unsigned int nr)
{
	unsigned int u, v;

	net_init(net, n);
	for (u = 0; u < n; u++)
		for (v = 0; v < u; v++, nr >>= 1)
			if (nr & 1)
				net_link(net, u, v);
}

TEST(ring_plans_of_all_networks_up_to_five_nodes_are_valid)
{
	unsigned int n, nr, width;
	struct net net;

	for (n = 1; n <= 5; n++)
		for (nr = 0; nr < 1u << n * (n - 1) / 2; nr++) {
			nth_net(&net, n, nr);
			for (width = 0; width <= n; width += width ? 1 : 2)
				ASSERT_TRUE(net_plans(&net, width));
		}
}

/* Return: true if method HAMILTON finds the longest cycle of the network, which is connected. */
static bool longest_cycle_is_found(const struct net *net)
{
	unsigned int want = net_longest_cycle(net);

	return longest_is(net, NULL, want ? want : 2);
}

TEST(hamilton_finds_longest_cycle_of_all_six_node_networks)
{
	struct net net;
	unsigned int nr;

	for (nr = 0; nr < 1u << 15; nr++) {
		nth_net(&net, 6, nr);
		if (net_largest(&net) == 6)
			ASSERT_TRUE(longest_cycle_is_found(&net));
	}
}

TEST(hamilton_finds_longest_cycle_of_random_networks)
{
	unsigned int round, n, i;
	struct net net;

	for (round = 0; round < 300; round++) {
		n = 7 + rnd(4);
		net_init(&net, n);
		for (i = n + rnd(n); i; i--)
			net_link(&net, rnd(n), rnd(n));
		for (i = 0; i < n; i++)
			net.link[i][i] = false;
		if (net_largest(&net) == n)
			ASSERT_TRUE(longest_cycle_is_found(&net));
	}
}

TEST(ring_plans_of_random_networks_are_valid)
{
	unsigned int round, n, i;
	struct net net;

	for (round = 0; round < 400; round++) {
		n = 6 + rnd(NET_MAX - 5);
		net_init(&net, n);
		for (i = n / 2 + rnd(3 * n); i; i--)
			net_link(&net, rnd(n), rnd(n));
		for (i = 0; i < n; i++)
			net.link[i][i] = false;
		ASSERT_TRUE(net_plans(&net, round % 2 ? 2 + rnd(9) : 0));
	}
}

/* Paths have no cycle. In a chain of cycles the longest one may be anywhere. */
TEST(hamilton_finds_longest_ring_of_paths_and_chains_of_cycles)
{
	unsigned int n, i;
	struct net net;

	for (n = 2; n <= NET_MAX; n += 5) {
		net_init(&net, n);
		for (i = 1; i < n; i++)
			net_link(&net, i - 1, i);
		ASSERT_TRUE(longest_is(&net, NULL, 2));
		ASSERT_TRUE(net_plans(&net, 0) && net_plans(&net, 2) && net_plans(&net, 64));
	}
	/* A chain of cycles of 5, 25 and 7 nodes, with a link between each and the next. */
	net_init(&net, 37);
	for (i = 0; i < 37; i++)
		if (i)
			net_link(&net, i - 1, i);
	net_link(&net, 0, 4);
	net_link(&net, 5, 29);
	net_link(&net, 30, 36);
	ASSERT_TRUE(longest_is(&net, NULL, 25));
	ASSERT_TRUE(net_plans(&net, 0) && net_plans(&net, 4));
}

/* --- cubes --- */

/* Make link (@u, @d) faulty in the network and in the fault state. */
static void cut(struct net *net, struct hc_faults *f, unsigned int u, unsigned int d)
{
	net_cut(net, u, u ^ 1u << d);
	if (hc_faults_link(f, u, d))
		abort();
}

/* Make link number @i of the cube faulty, as cut() does. */
static void cut_nth(struct net *net, struct hc_faults *f, unsigned int i)
{
	unsigned int half = net->n / 2, d = i / half, low = i % half;

	cut(net, f, (low >> d << (d + 1)) | (low & ((1u << d) - 1)), d);
}

/* Check that there is a ring of all nodes with each set of @f faulty links of the cube. The first
 * @n links of @set are chosen; the others have numbers from @next on.
 */
static bool all_sets(unsigned int dim, unsigned int f, unsigned int next, unsigned int *set,
		     unsigned int n)
{
	unsigned int links = dim << (dim - 1), i;

	if (n == f) {
		struct hc_faults *faults = hc_faults_new(dim);
		struct net net;
		bool fine;

		net_cube(&net, dim);
		for (i = 0; i < f; i++)
			cut_nth(&net, faults, set[i]);
		fine = longest_is(&net, faults, 1u << dim) && longest_is(&net, NULL, 1u << dim);
		hc_faults_free(faults);
		return fine;
	}
	for (i = next; i < links; i++) {
		set[n] = i;
		if (!all_sets(dim, f, i + 1, set, n + 1))
			return false;
	}
	return true;
}

TEST(hamilton_ring_is_found_around_any_n_minus_2_faulty_links)
{
	unsigned int dim, f, set[4];

	for (dim = 2; dim <= 4; dim++)
		for (f = 0; f + 2 <= dim; f++)
			ASSERT_TRUE(all_sets(dim, f, 0, set, 0));
}

TEST(hamilton_ring_is_found_around_n_minus_2_random_faulty_links)
{
	unsigned int dim, round, f;
	struct hc_faults *faults;
	struct net net;
	bool fine;

	for (round = 0; round < 200; round++) {
		dim = 5 + round % 2;
		net_cube(&net, dim);
		faults = hc_faults_new(dim);
		/* In the worst case all faulty links are at one node, which then has two healthy
		 * links.
		 */
		for (f = 0; f + 2 < dim; f++)
			if (round % 3)
				cut_nth(&net, faults, rnd(dim << (dim - 1)));
			else
				cut(&net, faults, round % 32, f);
		fine = longest_is(&net, faults, 1u << dim) && longest_is(&net, NULL, 1u << dim);
		hc_faults_free(faults);
		ASSERT_TRUE(fine);
	}
}

/* Try all sets of faulty links of the cube of eight nodes. */
TEST(hamilton_finds_longest_cycle_around_any_link_faults_of_eight)
{
	unsigned int set, i;
	struct hc_faults *f;
	struct net net;

	for (set = 0; set < 1u << 12; set++) {
		net_cube(&net, 3);
		f = hc_faults_new(3);
		for (i = 0; i < 12; i++)
			if (set >> i & 1)
				cut_nth(&net, f, i);
		if (net_largest(&net) == 8) {
			unsigned int want = net_longest_cycle(&net);

			ASSERT_TRUE(longest_is(&net, f, want ? want : 2));
		}
		hc_faults_free(f);
	}
}

/* If a node has failed, the longest cycle leaves out one node of the other parity, which a small
 * ring attaches to the cycle.
 */
TEST(hamilton_ring_beside_failed_node_omits_node_of_other_parity)
{
	unsigned int dim, u, v, d;
	struct net net;

	for (dim = 2; dim <= 6; dim++)
		for (u = 0; u < 1u << dim; u++) {
			net_cube(&net, dim);
			for (d = 0; d < dim; d++)
				net_cut(&net, u, u ^ 1u << d);
			ASSERT_TRUE(longest_is(&net, NULL, dim == 2 ? 2 : (1u << dim) - 2));
			v = (u + 1) % (1u << dim);
			for (d = 0; dim > 4 && d < dim; d++)
				net_cut(&net, v, v ^ 1u << d);
			if (dim > 4)
				ASSERT_TRUE(longest_is(&net, NULL, (1u << dim) -
						       (hc_weight32(u ^ v) & 1 ? 2 : 4)));
		}
}

TEST(ring_plans_of_cubes_with_random_faults_are_valid)
{
	unsigned int round, i, dim, u, d;
	struct net net;

	for (round = 0; round < 300; round++) {
		dim = 1 + rnd(6);
		net_cube(&net, dim);
		for (i = rnd(2 * dim); i; i--) {
			u = rnd(1u << dim);
			net_cut(&net, u, u ^ 1u << rnd(dim));
		}
		for (i = rnd(dim); i; i--) {
			u = rnd(1u << dim);
			for (d = 0; d < dim; d++)
				net_cut(&net, u, u ^ 1u << d);
		}
		ASSERT_TRUE(net_plans(&net, round % 2 ? 2 + rnd(9) : 0));
	}
}

/* --- large ones --- */

#ifdef __SANITIZE_ADDRESS__
#define LARGE 800
#else
#define LARGE 5000
#endif

/* Return: true if planning took less than @seconds of processor time; the limits hold with the
 * address sanitizer, too.
 */
static bool took_less(clock_t from, unsigned int seconds)
{
	double took = (double)(clock() - from) / CLOCKS_PER_SEC;

	printf("# %.3f s of processor time\n", took);
	return took < seconds;
}

/* Check those properties of a plan that can be checked in a large network. */
static bool large_holds(const struct hc_graph *g, const struct hc_ring_plan *p, uint32_t members)
{
	const struct hc_ring_net net = hc_graph_net(g);
	uint16_t *home = malloc(g->nodes * sizeof(*home));
	int rc = hc_ring_check(&p->tree, &net, home, NULL);

	free(home);
	CHECK(!rc && p->members == members);
	CHECK(p->tree.nnodes == members + p->tree.nrings - 1);
	CHECK(p->steps.acknowledge == p->tree.nnodes && p->steps.deliver < p->tree.nnodes);
	return true;
}

TEST(ring_plans_of_cubes_of_1024_and_65536_nodes_are_valid)
{
	struct hc_faults *f = hc_faults_new(10);
	struct hc_ring_plan p;
	struct hc_graph *g;
	unsigned int i;
	clock_t from;

	for (i = 0; i < 20; i++)
		ASSERT_TRUE(!hc_faults_link(f, rnd(1024), rnd(10)));
	g = hc_graph_left(f);
	from = clock();
	ASSERT_TRUE(!hc_plan_ring(g, f, HC_RING_AUTO, 0, &p));
	ASSERT_TRUE(took_less(from, 5) && large_holds(g, &p, 1024));
	ASSERT_TRUE(p.tree.nrings == 1 && p.steps.deliver == 1023 && p.steps.acknowledge == 1024);
	hc_ring_plan_free(&p);
	from = clock();
	ASSERT_TRUE(!hc_plan_ring(g, f, HC_RING_VRT, 8, &p));
	ASSERT_TRUE(took_less(from, 5) && large_holds(g, &p, 1024));
	hc_ring_plan_free(&p);
	hc_graph_free(g);
	hc_faults_free(f);
	/* In a cube of the largest dimension, n - 2 links of one node are faulty. */
	f = hc_faults_new(HC_LIB_DIM_MAX);
	for (i = 0; i + 2 < HC_LIB_DIM_MAX; i++)
		ASSERT_TRUE(!hc_faults_link(f, 12345, i));
	g = hc_graph_left(f);
	ASSERT_TRUE(!hc_plan_ring(g, f, HC_RING_AUTO, 0, &p) && large_holds(g, &p, 65536));
	ASSERT_TRUE(p.tree.nrings == 1 && p.longest == 65536);
	hc_ring_plan_free(&p);
	hc_graph_free(g);
	hc_faults_free(f);
}

TEST(ring_plans_of_large_random_network_are_valid)
{
	struct hc_edge *e = calloc(4 * LARGE, sizeof(*e));
	struct hc_ring_plan p;
	struct hc_graph *g;
	unsigned int i;
	clock_t from;

	for (i = 0; i < 4 * LARGE; i++)
		e[i] = i + 1 < LARGE ? (struct hc_edge){ i, i + 1 } :
		       (struct hc_edge){ rnd(LARGE), rnd(LARGE) };
	g = hc_graph_edges(LARGE, e, 4 * LARGE, NULL);
	from = clock();
	ASSERT_TRUE(g && !hc_plan_ring(g, NULL, HC_RING_AUTO, 0, &p));
	ASSERT_TRUE(took_less(from, 10) && large_holds(g, &p, LARGE));
	ASSERT_TRUE(p.longest > LARGE * 9 / 10);
	hc_ring_plan_free(&p);
	from = clock();
	ASSERT_TRUE(!hc_plan_ring(g, NULL, HC_RING_VRT, 16, &p));
	ASSERT_TRUE(took_less(from, 10) && large_holds(g, &p, LARGE) && p.longest <= 16);
	hc_ring_plan_free(&p);
	hc_graph_free(g);
	free(e);
}

/* A star with the most nodes has the greatest number of rings. */
TEST(star_of_most_nodes_has_greatest_number_of_rings)
{
	struct hc_edge *e = calloc(HC_RING_NODES_MAX, sizeof(*e));
	struct hc_ring_plan p;
	struct hc_graph *g;
	unsigned int i;

	for (i = 1; i < HC_RING_NODES_MAX; i++)
		e[i - 1] = (struct hc_edge){ 0, i };
	g = hc_graph_edges(HC_RING_NODES_MAX, e, HC_RING_NODES_MAX - 1, NULL);
	ASSERT_TRUE(g && !hc_plan_ring(g, NULL, HC_RING_HAMILTON, 0, &p));
	ASSERT_TRUE(large_holds(g, &p, HC_RING_NODES_MAX) && p.tree.nrings == HC_RING_NONE);
	hc_ring_plan_free(&p);
	hc_graph_free(g);
	free(e);
}

/* The planner makes the same plan each time. */
TEST(planner_makes_same_ring_plan_each_time)
{
	struct hc_faults *f = hc_faults_new(7);
	struct hc_ring_plan a, b;
	struct hc_graph *g;

	ASSERT_TRUE(!hc_faults_node(f, 5) && !hc_faults_node(f, 77) && !hc_faults_link(f, 3, 2));
	g = hc_graph_left(f);
	ASSERT_TRUE(!hc_plan_ring(g, f, HC_RING_AUTO, 0, &a));
	ASSERT_TRUE(!hc_plan_ring(g, f, HC_RING_AUTO, 0, &b));
	ASSERT_TRUE(a.tree.nrings == b.tree.nrings && a.tree.nnodes == b.tree.nnodes);
	ASSERT_TRUE(!memcmp(a.tree.node, b.tree.node, a.tree.nnodes * sizeof(*a.tree.node)));
	hc_ring_plan_free(&a);
	hc_ring_plan_free(&b);
	hc_graph_free(g);
	hc_faults_free(f);
}

TEST_HARNESS_MAIN
