// SPDX-License-Identifier: GPL-2.0
/*
 * Named networks, the numbers of their ports, and the verifier of tables of peers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "hc_reason.h"
#include "net.h"
#include "ktap.h"

#define NODES	4096

/* For each two nodes, number of links between them. */
static uint8_t linked[NODES][NODES];

/* Fill in linked[][] from a list of links, without any code of the planner. Return: the most links
 * of any node.
 */
static uint32_t matrix_fill(const struct hc_edge *links, size_t n, uint32_t nodes)
{
	uint32_t u, v, degree, most = 0;
	size_t i;

	for (u = 0; u < nodes; u++)
		memset(linked[u], 0, nodes);
	for (i = 0; i < n; i++) {
		linked[links[i].u][links[i].v]++;
		linked[links[i].v][links[i].u]++;
	}
	for (u = 0; u < nodes; u++) {
		for (v = 0, degree = 0; v < nodes; v++)
			degree += linked[u][v];
		if (degree > most)
			most = degree;
	}
	return most;
}

/* Return: true if the nodes can be given two colours such that no link joins nodes of one colour.
 */
static bool bipartite(uint32_t nodes)
{
	static int8_t side[NODES];
	bool more = true;
	uint32_t u, v;

	memset(side, 0, sizeof(side));
	while (more) {
		more = false;
		for (u = 0; u < nodes && side[u]; u++)
			;
		if (u < nodes)
			side[u] = 1;
		for (bool spread = u < nodes; spread; more = true)
			for (spread = false, u = 0; u < nodes; u++)
				for (v = 0; side[u] && v < nodes; v++) {
					if (!linked[u][v])
						continue;
					if (side[v] == side[u])
						return false;
					spread |= !side[v];
					side[v] = (int8_t)-side[u];
				}
	}
	return true;
}

/* Return: true if each link has one number, the same at both ends, and no other link of either end
 * has this number.
 */
static bool table_is(const struct hc_topo *t, const struct hc_edge *links, size_t n)
{
	size_t ends = 0;
	uint32_t u, d, v;

	for (u = 0; u < t->nodes; u++)
		for (d = 0; d < t->ports; d++) {
			v = t->peers[u * t->ports + d];
			CHECK(v < t->nodes && t->peers[v * t->ports + d] == u);
			ends += v != u;
			CHECK(v == u || linked[u][v] == 1);
			CHECK(v == u || hc_port_to(t, u, v) == d);
		}
	CHECK(ends == 2 * n);
	(void)links;
	return true;
}

/* Number the ports of a network. Return: true if the table is right and has no more ports than
 * necessary, plus one unless the network is bipartite.
 */
static bool numbered(const struct hc_net_spec *spec, uint32_t nodes, const struct hc_edge *links,
		     size_t n)
{
	uint32_t most = matrix_fill(links, n, nodes);
	struct hc_net net;
	const char *why;

	CHECK(!hc_net_make(spec, nodes, links, n, &net, &why));
	CHECK(net.topo.nodes == nodes && net.topo.ports >= most && net.topo.ports <= most + 1);
	CHECK(!bipartite(nodes) || net.topo.ports == most);
	CHECK(table_is(&net.topo, links, n));
	hc_net_free(&net);
	return true;
}

/* A named network: its numbers of nodes and links, and the most ports that the table may have. */
struct named {
	struct hc_net_spec spec;
	uint32_t nodes;
	size_t links;
	unsigned int ports;
};

static const struct named named[] = {
	{ { HC_NET_MESH, 2, { 5, 5 } }, 25, 40, 4 },
	{ { HC_NET_MESH, 3, { 2, 3, 4 } }, 24, 46, 5 },
	{ { HC_NET_MESH, 1, { 9 } }, 9, 8, 2 },
	{ { HC_NET_TORUS, 2, { 5, 5 } }, 25, 50, 5 },
	{ { HC_NET_TORUS, 2, { 4, 4 } }, 16, 32, 4 },
	{ { HC_NET_TORUS, 2, { 4, 5 } }, 20, 40, 5 },
	{ { HC_NET_TORUS, 2, { 3, 2 } }, 6, 9, 3 },
	{ { HC_NET_TORUS, 3, { 6, 6, 6 } }, 216, 648, 6 },
	{ { HC_NET_TORUS, 2, { 64, 64 } }, 4096, 8192, 4 },
	{ { HC_NET_KARY, 2, { 7, 3 } }, 343, 1029, 7 },
	{ { HC_NET_KARY, 2, { 2, 12 } }, 4096, 24576, 12 },
	{ { HC_NET_KARY, 2, { 3, 1 } }, 3, 3, 3 },
	{ { HC_NET_RING, 1, { 7 } }, 7, 7, 3 },
	{ { HC_NET_RING, 1, { 8 } }, 8, 8, 2 },
	{ { HC_NET_RING, 1, { 2 } }, 2, 1, 1 },
	{ { HC_NET_TREE, 2, { 2, 5 } }, 31, 30, 3 },
	{ { HC_NET_TREE, 2, { 1, 6 } }, 6, 5, 2 },
	{ { HC_NET_FULL, 1, { 16 } }, 16, 120, 16 },
	{ { HC_NET_FULL, 1, { 5 } }, 5, 10, 5 },
	{ { HC_NET_DRAGONFLY, 2, { 4, 2 } }, 36, 90, 6 },
	{ { HC_NET_DRAGONFLY, 2, { 8, 4 } }, 264, 1452, 12 },
};

TEST(named_network_has_expected_nodes_links_and_at_most_given_ports)
{
	struct hc_edge *links;
	struct hc_net net;
	const char *why;
	uint32_t nodes;
	unsigned int i;
	bool cube;
	size_t n;

	for (i = 0; i < ARRAY_SIZE(named); i++) {
		const struct named *w = &named[i];

		ASSERT_TRUE(!hc_net_links(&w->spec, NODES, &nodes, &links, &n, &why));
		EXPECT_EQ((int)w->nodes, (int)nodes);
		EXPECT_EQ((int)w->links, (int)n);
		ASSERT_TRUE(numbered(&w->spec, nodes, links, n));
		/* The ports of the same network are numbered without knowledge of its axes, too. */
		if (nodes < 500)
			ASSERT_TRUE(numbered(NULL, nodes, links, n));
		ASSERT_TRUE(!hc_net_make(&w->spec, nodes, links, n, &net, &why));
		EXPECT_TRUE(net.topo.ports <= w->ports);
		cube = w->spec.kind == HC_NET_KARY && w->spec.length[0] == 2;
		EXPECT_TRUE(hc_topo_is_cube(&net.topo) == (cube || nodes == 2));
		hc_net_free(&net);
		free(links);
	}
}

/* In a torus two nodes are linked if and only if their coordinates differ by one step. */
TEST(torus_links_nodes_whose_coordinates_differ_by_one_step)
{
	const struct hc_net_spec spec = { HC_NET_TORUS, 3, { 5, 4, 3 } };
	struct hc_edge *links;
	const char *why;
	uint32_t nodes, u, v;
	size_t n;

	ASSERT_TRUE(!hc_net_links(&spec, NODES, &nodes, &links, &n, &why));
	matrix_fill(links, n, nodes);
	for (u = 0; u < nodes; u++)
		for (v = 0; v < nodes; v++) {
			int x = abs((int)(u % 5) - (int)(v % 5)), y, z;

			y = abs((int)(u / 5 % 4) - (int)(v / 5 % 4));
			z = abs((int)(u / 20) - (int)(v / 20));
			x = x > 2 ? 5 - x : x;
			y = y > 2 ? 4 - y : y;
			z = z > 1 ? 3 - z : z;
			EXPECT_TRUE(linked[u][v] == (x + y + z == 1));
		}
	free(links);
}

/* Each pair of groups has one link, and each node of a group has an equal share of these links. */
TEST(dragonfly_joins_each_pair_of_groups_by_one_link)
{
	const struct hc_net_spec spec = { HC_NET_DRAGONFLY, 2, { 4, 2 } };
	unsigned int between[9][9] = {}, out[36] = {}, i, j;
	struct hc_edge *links;
	const char *why;
	uint32_t nodes;
	size_t n, k;

	ASSERT_TRUE(!hc_net_links(&spec, NODES, &nodes, &links, &n, &why));
	for (k = 0; k < n; k++) {
		i = links[k].u / 4;
		j = links[k].v / 4;
		between[i][j]++;
		out[links[k].u] += i != j;
		out[links[k].v] += i != j;
	}
	for (i = 0; i < 9; i++)
		for (j = 0; j < 9; j++)
			EXPECT_EQ(i == j ? 6 : 1,
				  (int)(between[i][j] + (i == j ? 0 : between[j][i])));
	for (i = 0; i < 36; i++)
		EXPECT_EQ(2, (int)out[i]);
	free(links);
}

/* Make random links, at most @most at each node. @sides: each link joins an even node and an odd
 * one. Return: number of links.
 */
static size_t random_links(struct hc_edge *v, uint32_t nodes, unsigned int most, bool sides)
{
	static unsigned int degree[NODES];
	uint32_t try, a, b;
	size_t n = 0;

	memset(degree, 0, sizeof(degree));
	for (a = 0; a < nodes; a++)
		memset(linked[a], 0, nodes);
	for (try = 0; try < nodes * most * 3; try++) {
		a = rnd(nodes);
		b = rnd(nodes);
		if (a == b || linked[a][b] || degree[a] == most || degree[b] == most ||
		    (sides && a % 2 == b % 2))
			continue;
		linked[a][b] = 1;
		linked[b][a] = 1;
		degree[a]++;
		degree[b]++;
		v[n++] = (struct hc_edge){ a, b };
	}
	return n;
}

TEST(random_network_needs_at_most_one_port_more_than_its_degree)
{
	static struct hc_edge links[NODES * HC_PORTS_MAX];
	unsigned int round, nodes, most;
	size_t n;

	for (round = 0; round < 1000; round++) {
		nodes = 2 + rnd(round % 100 ? 30 : 300);
		most = 1 + rnd(HC_PORTS_MAX - 1);
		n = random_links(links, nodes, most, round % 3 == 0);
		if (n)
			ASSERT_TRUE(numbered(NULL, nodes, links, n));
	}
}

/* With one colour more than any node has links, the algorithm of Misra and Gries never fails. */
TEST(misra_gries_colours_any_network_with_degree_plus_one_colours)
{
	static struct hc_edge links[NODES * HC_PORTS_MAX];
	uint16_t *at;
	unsigned int round, nodes, most, d;
	struct hc_topo t;
	uint32_t u;
	size_t n;

	for (round = 0; round < 1000; round++) {
		nodes = 2 + rnd(25);
		n = random_links(links, nodes, 1 + rnd(HC_PORTS_MAX - 1), false);
		most = matrix_fill(links, n, nodes);
		at = malloc(nodes * (most + 1) * sizeof(*at));
		memset(at, 0xff, nodes * (most + 1) * sizeof(*at));
		hc_net_colour_vizing(at, most + 1, links, n);
		for (u = 0; u < nodes; u++)
			for (d = 0; d <= most; d++)
				if (at[u * (most + 1) + d] == HC_NET_NONE)
					at[u * (most + 1) + d] = (uint16_t)u;
		t = (struct hc_topo){ .nodes = nodes, .ports = most + 1, .peers = at };
		ASSERT_TRUE(table_is(&t, links, n));
		free(at);
	}
}

TEST(network_with_too_many_or_too_few_nodes_or_links_is_refused)
{
	static const struct hc_net_spec wrong[] = {
		{ HC_NET_TORUS, 2, { 65, 64 } }, { HC_NET_MESH, 2, { 5, 0 } },
		{ HC_NET_KARY, 2, { 2, 13 } }, { HC_NET_KARY, 2, { 0, 3 } },
		{ HC_NET_RING, 1, { 5000 } }, { HC_NET_RING, 1, { 1 } },
		{ HC_NET_TREE, 2, { 2, 13 } }, { HC_NET_TREE, 2, { 70000, 3 } },
		{ HC_NET_DRAGONFLY, 2, { 20, 20 } }, { HC_NET_DRAGONFLY, 2, { 65536, 65536 } },
		{ HC_NET_KARY, 2, { 1, 4000000000 } }, { HC_NET_FULL, 1, { 1 } },
	};
	const struct hc_net_spec full = { HC_NET_FULL, 1, { 18 } };
	struct hc_edge *links;
	struct hc_net net;
	const char *why;
	uint32_t nodes;
	unsigned int i;
	size_t n;

	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		EXPECT_EQ(-ERANGE, hc_net_links(&wrong[i], NODES, &nodes, &links, &n, &why));
	ASSERT_TRUE(!hc_net_links(&full, NODES, &nodes, &links, &n, &why));
	EXPECT_EQ(-E2BIG, hc_net_make(&full, nodes, links, n, &net, &why));
	free(links);
}

/* --- the kernel's verifier against a simple check --- */

/* Return: true if each port leads to a node whose port of the same number leads back, no two ports
 * of a node lead to the same neighbour, and all nodes are connected.
 */
static bool plainly_sound(const struct hc_topo *t)
{
	uint32_t u, v, d, e;
	uint8_t seen[64] = { 1 };
	bool more = true;

	for (u = 0; u < t->nodes; u++)
		for (d = 0; d < t->ports; d++) {
			v = t->peers[u * t->ports + d];
			if (v >= t->nodes || t->peers[v * t->ports + d] != u)
				return false;
			for (e = 0; e < t->ports; e++)
				if (e != d && v != u && t->peers[u * t->ports + e] == v)
					return false;
		}
	while (more)
		for (more = false, u = 0; u < t->nodes; u++)
			for (d = 0; d < t->ports; d++) {
				v = t->peers[u * t->ports + d];
				more |= seen[u] && !seen[v];
				seen[v] |= seen[u];
			}
	for (u = 0; u < t->nodes; u++)
		if (!seen[u])
			return false;
	return true;
}

TEST(kernel_verifier_agrees_with_simple_check_on_altered_peer_tables)
{
	static struct hc_edge links[64 * HC_PORTS_MAX];
	unsigned int round, i, taken = 0, refused = 0;
	uint32_t work[64 + 2], nodes;
	struct hc_reason reason;
	struct hc_net net;
	const char *why;
	size_t n;

	for (round = 0; round < 30000; round++) {
		nodes = 2 + rnd(12);
		n = random_links(links, nodes, 1 + rnd(5), false);
		if (!n)
			continue;
		ASSERT_TRUE(!hc_net_make(NULL, nodes, links, n, &net, &why));
		for (i = rnd(3); i; i--) {
			uint32_t at = rnd(nodes * net.topo.ports), u = at / net.topo.ports;
			uint32_t v = net.peer[at], d = at % net.topo.ports;

			/* Change a peer, or remove a link at both ends or at one. */
			net.peer[at] = (uint16_t)(rnd(2) ? u : rnd(nodes + 1));
			if (rnd(2) && net.peer[at] == u && v < nodes)
				net.peer[v * net.topo.ports + d] = (uint16_t)v;
		}
		if (plainly_sound(&net.topo)) {
			ASSERT_TRUE(!hc_topo_check(&net.topo, work, &reason));
			taken++;
		} else {
			ASSERT_TRUE(hc_topo_check(&net.topo, work, &reason) == -EINVAL);
			ASSERT_TRUE(reason.why && reason.node < nodes);
			refused++;
		}
		hc_net_free(&net);
	}
	printf("# %u were taken, %u refused\n", taken, refused);
	ASSERT_TRUE(taken > 3000 && refused > 3000);
}

TEST_HARNESS_MAIN
