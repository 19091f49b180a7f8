// SPDX-License-Identifier: GPL-2.0
/*
 * Edge-disjoint rings: in cubes and tori as many as there can be, also around faults, and in other
 * networks as many as are known to exist.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "net.h"
#include "ring_test.h"

#define NODES	4096

/* For each two nodes, whether a ring uses the link between them. */
static uint8_t used[NODES][NODES];

/* Return: true if each ring has all members once, uses healthy links only, and shares no link with
 * another ring.
 */
static bool rings_are_right(const struct hc_faults *f, const struct hc_rings *r)
{
	uint32_t i, k, u, v, d;

	for (u = 0; u < f->topo.nodes; u++)
		memset(used[u], 0, f->topo.nodes);
	for (i = 0; i < r->n; i++) {
		const uint16_t *node = r->node + (size_t)i * r->members;
		static bool seen[NODES];

		memset(seen, 0, sizeof(seen));
		for (k = 0; k < r->members; k++) {
			u = node[k];
			v = node[k + 1 == r->members ? 0 : k + 1];
			CHECK(u < f->topo.nodes && !seen[u]);
			seen[u] = true;
			d = hc_port_to(&f->topo, u, v);
			CHECK(d != HC_NO_PORT && !(f->fault[u] & hc_bit(d)));
			CHECK(!used[u][v]);
			used[u][v] = 1;
			used[v][u] = 1;
		}
	}
	return true;
}

/* Return: true if a request for @k rings finds @n of them, and the bound is @most. Frees @f. */
static bool found(struct hc_faults *f, uint32_t k, uint32_t n, uint32_t most)
{
	struct hc_graph *g = hc_graph_left(f);
	struct hc_rings r;

	CHECK(g && !hc_plan_rings(g, k, &r));
	if (r.n != n || r.most != most)
		printf("# %u rings of at most %u\n", r.n, r.most);
	CHECK(rings_are_right(f, &r));
	CHECK(r.n == n && r.most == most);
	hc_rings_free(&r);
	hc_graph_free(g);
	hc_faults_free(f);
	return true;
}

/* Make a network of this kind with up to three lengths. */
static struct hc_faults *net_of(enum hc_net_kind kind, uint32_t a, uint32_t b, uint32_t c)
{
	const struct hc_net_spec spec = {
		.kind = kind, .axes = c ? 3 : b ? 2 : 1, .length = { a, b, c },
	};
	struct hc_edge *links;
	struct hc_net net;
	uint32_t nodes;
	const char *why;
	size_t n;
	int rc = hc_net_links(&spec, NODES, &nodes, &links, &n, &why);

	rc = rc ?: hc_net_make(&spec, nodes, links, n, &net, &why);
	free(links);
	return rc ? NULL : hc_faults_of(&net.topo);
}

/* A cube of dimension n has floor(n / 2) edge-disjoint rings (Alspach, Bermond and Sotteau). */
TEST(cube_of_dimension_n_has_half_n_edge_disjoint_rings)
{
	unsigned int dim;

	for (dim = 2; dim <= 12; dim++)
		ASSERT_TRUE(found(hc_faults_new(dim), 16, dim / 2, dim / 2));
	ASSERT_TRUE(found(hc_faults_new(8), 2, 2, 4));
}

/* A torus has one ring for each axis (Kotzig; Foregger). */
TEST(tori_and_other_networks_have_most_possible_edge_disjoint_rings)
{
	uint32_t a, b;

	for (a = 3; a <= 12; a++)
		for (b = a; b <= 12; b++)
			ASSERT_TRUE(found(net_of(HC_NET_TORUS, a, b, 0), 2, 2, 2));
	ASSERT_TRUE(found(net_of(HC_NET_TORUS, 3, 3, 3), 3, 3, 3));
	ASSERT_TRUE(found(net_of(HC_NET_TORUS, 6, 6, 6), 3, 3, 3));
	ASSERT_TRUE(found(net_of(HC_NET_TORUS, 16, 16, 16), 3, 3, 3));
	/* In a complete network with an odd number of nodes the rings use all links (Walecki). */
	for (a = 3; a <= 15; a += 2)
		ASSERT_TRUE(found(net_of(HC_NET_FULL, a, 0, 0), 9, a / 2, a / 2));
	ASSERT_TRUE(found(net_of(HC_NET_RING, 9, 0, 0), 4, 1, 1));
	/* A bipartite network that has more nodes on one side has no ring of all nodes. */
	ASSERT_TRUE(found(net_of(HC_NET_MESH, 3, 5, 0), 1, 0, 1));
	ASSERT_TRUE(found(net_of(HC_NET_MESH, 4, 5, 0), 2, 1, 1));
	ASSERT_TRUE(found(net_of(HC_NET_TREE, 2, 3, 0), 1, 0, 0));
}

TEST(edge_disjoint_rings_around_faults_reach_nine_tenths_of_bound)
{
	unsigned int round, dim, i, all = 0, most = 0;

	for (round = 0; round < 300; round++) {
		struct hc_faults *f;
		struct hc_graph *g;
		struct hc_rings r;

		dim = 3 + rnd(5);
		f = hc_faults_new(dim);
		for (i = rnd(dim); f && i; i--)
			hc_faults_link(f, rnd(hc_nodes(dim)), rnd(dim));
		if (f && !rnd(3))
			hc_faults_node(f, rnd(hc_nodes(dim)));
		g = f ? hc_graph_left(f) : NULL;
		ASSERT_TRUE(g && !hc_plan_rings(g, 16, &r));
		ASSERT_TRUE(rings_are_right(f, &r) && r.n <= r.most);
		/* If a node has failed, the numbers of even and odd nodes of the cube differ, so
		 * there is no ring of all members.
		 */
		if (r.members == hc_nodes(dim)) {
			all += r.n;
			most += r.most;
		}
		hc_rings_free(&r);
		hc_graph_free(g);
		hc_faults_free(f);
	}
	printf("# %u rings of at most %u\n", all, most);
	ASSERT_TRUE(all * 10 >= most * 9);
}
