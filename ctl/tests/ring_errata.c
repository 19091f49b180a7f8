// SPDX-License-Identifier: GPL-2.0
/*
 * Sun, Cheung, Lin & Li, all-to-all broadcast: the paper's examples, and each of its claims that is
 * wrong, with the counterexample (Documentation/errata.rst). The paper calls a node that is in
 * several rings a convergent point.
 */
#include <stdlib.h>

#include "net.h"
#include "ring_test.h"

/* Make a star: node 0 has links to @m other nodes. */
static void net_star(struct net *net, unsigned int m)
{
	unsigned int i;

	net_init(net, m + 1);
	for (i = 1; i <= m; i++)
		net_link(net, 0, i);
}

/* Make a path of @n nodes. */
static void net_path(struct net *net, unsigned int n)
{
	unsigned int i;

	net_init(net, n);
	for (i = 1; i < n; i++)
		net_link(net, i - 1, i);
}

/* Make a plan by this method. Return: false if there is none. */
static bool by(enum hc_ring_method method, const struct net *net, uint32_t width,
	       struct hc_ring_plan *p)
{
	struct hc_graph *g = net_graph(net);
	int rc = hc_plan_ring(g, NULL, method, width, p);

	hc_graph_free(g);
	return !rc;
}

/* Make a virtual ring tree with rings of at most @width nodes. Return: as by(). */
static bool vrt(const struct net *net, uint32_t width, struct hc_ring_plan *p)
{
	return by(HC_RING_VRT, net, width, p);
}

/* Compare the nodes of all rings with the list "0 1 2/2 3/", in which each ring ends with a slash.
 */
static bool has_nodes(const struct hc_ring_tree *t, const char *text)
{
	uint32_t r, i, at = 0;
	int len, u;

	for (r = 0; r < t->nrings; r++) {
		for (i = 0; i < t->ring[r].size; i++, at++) {
			if (sscanf(text, "%d%n", &u, &len) != 1 || u != t->node[at])
				return false;
			text += len;
		}
		text += *text == '/';
	}
	return !*text;
}

/* Return: true if the virtual ring tree has exactly the rings in the list @nodes. */
static bool vrt_is(const struct net *net, uint32_t width, const char *nodes)
{
	struct hc_ring_plan p;
	bool is = vrt(net, width, &p) && has_nodes(&p.tree, nodes);

	hc_ring_plan_free(&p);
	return is;
}

/* The rings of figures 3.1 and 3.2. */
TEST(ring_of_four_nodes_delivers_in_3_steps_and_acknowledges_in_4)
{
	struct hc_faults *f = hc_faults_new(2);
	struct hc_graph *g = hc_graph_left(f);
	struct hc_ring_plan p;
	struct trial r;
	unsigned int u;

	ASSERT_TRUE(!hc_plan_ring(g, f, HC_RING_AUTO, 0, &p));
	ASSERT_TRUE(p.tree.nrings == 1 && p.longest == 4);
	ASSERT_TRUE(hc_ring_closes(g, p.tree.ring, p.tree.node));
	tree_try(&p.tree, true, &r);
	ASSERT_TRUE(r.deliver == 3 && r.acknowledge == 4);
	for (u = 0; u < 4; u++)
		ASSERT_TRUE(r.known[u] == 3 && r.back[u] == 4);
	hc_ring_plan_free(&p);
	hc_graph_free(g);
	hc_faults_free(f);
}

/* Figure 3.9: a ring along a path. Messages of its last node to the first one go back along the
 * path.
 */
TEST(virtual_ring_tree_of_path_and_cube_has_expected_rings)
{
	struct hc_ring_plan p;
	struct net net;

	net_path(&net, 4);
	ASSERT_TRUE(vrt(&net, 4, &p) && has_nodes(&p.tree, "0 1 2 3/"));
	ASSERT_TRUE(p.steps.deliver == 3 && p.steps.acknowledge == 4);
	hc_ring_plan_free(&p);
	ASSERT_TRUE(vrt(&net, 3, &p) && has_nodes(&p.tree, "0 1 2/2 3/"));
	ASSERT_TRUE(p.levels == 1 && p.tree.ring[1].parent == 0);
	hc_ring_plan_free(&p);
	/* The ring of level 0 is a diameter. From each of its nodes in turn, depth-first walks make
	 * the further rings.
	 */
	net_cube(&net, 3);
	ASSERT_TRUE(vrt(&net, 8, &p) && has_nodes(&p.tree, "0 1 3 7/0 2 6 4 5/"));
	ASSERT_TRUE(p.levels == 2 && p.tree.ring[1].level == 1);
	hc_ring_plan_free(&p);
}

/* Proposition 2 counts N - 1 steps for an acknowledged broadcast in a ring of N nodes. It takes N.
 */
TEST(proposition_2_acknowledged_takes_one_more)
{
	struct hc_ring_plan p;
	struct trial r;
	struct net net;
	unsigned int n;

	for (n = 3; n <= NET_MAX; n++) {
		net_path(&net, n);
		net_link(&net, 0, n - 1);
		ASSERT_TRUE(by(HC_RING_HAMILTON, &net, 0, &p));
		tree_try(&p.tree, true, &r);
		ASSERT_TRUE(r.deliver == n - 1 && r.acknowledge == n);
		hc_ring_plan_free(&p);
	}
}

/* For a path of four nodes the bound is 2 steps, but its ends are 3 links apart. */
TEST(lemma_1_is_a_bound_only)
{
	struct hc_ring_plan p;
	struct net net;

	net_path(&net, 4);
	ASSERT_TRUE(vrt(&net, 4, &p));
	ASSERT_TRUE((4 - 1 + 2 - 1) / 2 == 2 && p.steps.deliver == 3);
	hc_ring_plan_free(&p);
}

/* Return: the paper's number of steps (definition 3): for two rings, twice the sizes of the rings
 * on the path between them in the tree, without the first ring; the greatest sum of all pairs.
 * @with_root: plus four times the size of the first ring.
 */
static unsigned int formula(const struct hc_ring_tree *t, bool with_root)
{
	unsigned int i, k, up, most = 0, sum, a, b;
	unsigned int depth[2 * NET_MAX] = { 0 };

	for (i = 1; i < t->nrings; i++)
		depth[i] = depth[t->ring[i].parent] + 1;
	for (i = 0; i < t->nrings; i++)
		for (k = 0; k < t->nrings; k++) {
			sum = with_root ? 4 * t->ring[0].size : 0;
			for (up = 0; up < 2; up++)
				for (a = up ? i : k, b = depth[a]; b; a = t->ring[a].parent, b--)
					sum += 2 * t->ring[a].size;
			if (i != k && sum > most)
				most = sum;
		}
	return most;
}

/* Proposition 9: the paper's number of steps does not depend on the number of nodes. In a star with
 * m leaves it is 8, or 20 if the first ring is counted, too. A broadcast takes more steps than that
 * from 6 or 18 leaves on.
 */
TEST(proposition_9_stars_take_longer)
{
	struct hc_ring_plan p;
	struct trial r;
	struct net net;
	unsigned int m;

	for (m = 3; m < NET_MAX; m++) {
		net_star(&net, m);
		ASSERT_TRUE(vrt(&net, 8, &p));
		ASSERT_TRUE(p.tree.ring[0].size == 3 && p.tree.nrings == m - 1);
		tree_try(&p.tree, true, &r);
		ASSERT_TRUE(r.deliver == m + 2 && r.acknowledge == m + 3);
		ASSERT_TRUE(m == 3 || formula(&p.tree, false) == 8);
		ASSERT_TRUE(m == 3 || formula(&p.tree, true) == 20);
		ASSERT_TRUE(m == 3 || (r.acknowledge > 8) == (m >= 6));
		ASSERT_TRUE(m == 3 || (r.acknowledge > 20) == (m >= 18));
		hc_ring_plan_free(&p);
	}
	/* For deep trees the formula gives too many steps. */
	net_path(&net, 40);
	ASSERT_TRUE(vrt(&net, 2, &p));
	tree_try(&p.tree, true, &r);
	ASSERT_TRUE(2 * r.acknowledge < formula(&p.tree, false));
	hc_ring_plan_free(&p);
}

/* Simulate a broadcast in the virtual ring tree with rings of at most @width nodes. */
static bool tried(const struct net *net, unsigned int width, struct trial *r)
{
	struct hc_ring_plan p;

	CHECK(vrt(net, width, &p));
	tree_try(&p.tree, true, r);
	hc_ring_plan_free(&p);
	return true;
}

/* Proposition 12 counts only the N - 1 messages that one node receives. In all rings together, each
 * message crosses each link of each ring: here 8 messages cross 9 links.
 */
TEST(proposition_12_counts_one_receiver)
{
	struct trial r;
	struct net net;

	net_cube(&net, 3);
	ASSERT_TRUE(tried(&net, 8, &r));
	ASSERT_TRUE(r.frames == 8 * 9);
}

/* The centre of a star is in all rings, here eight, not in three. */
TEST(definition_2_a_convergent_point_has_many_rings)
{
	struct hc_ring_plan p;
	struct net net;
	unsigned int i, centre = 0;

	net_star(&net, 9);
	ASSERT_TRUE(vrt(&net, 8, &p));
	for (i = 0; i < p.tree.nnodes; i++)
		centre += !p.tree.node[i];
	ASSERT_TRUE(centre == 8);
	hc_ring_plan_free(&p);
}

/* To repair a ring, figure 3.10 looks for a neighbour in another ring. In a path of three nodes
 * there is no other ring, and yet the two nodes that are left when an end fails are still
 * connected.
 */
TEST(proposition_7_no_other_ring)
{
	struct net net;

	net_path(&net, 3);
	ASSERT_TRUE(vrt_is(&net, 3, "0 1 2/"));
	net_cut(&net, 1, 2);
	ASSERT_TRUE(net_largest(&net) == 2);
	/* The two nodes can form a new ring. */
	ASSERT_TRUE(vrt_is(&net, 3, "0 1/"));
}

/* In a tree of several rings, a message that has come back to its source may have been in one ring
 * only.
 */
TEST(message_back_at_its_source_may_not_have_reached_all_nodes)
{
	struct trial r;
	struct net net;

	net_path(&net, 4);
	ASSERT_TRUE(tried(&net, 2, &r));
	ASSERT_TRUE(r.back[3] == 2 && r.known[3] > 3);
}

/* If messages that circulate go first, a convergent point cannot add any message to a ring for a
 * whole round. If messages go in turn, all of them together take one step more than in a single
 * ring.
 */
TEST(circulating_messages_that_go_first_starve_convergent_points)
{
	struct trial fair, hot;
	struct hc_ring_plan p;
	struct net net;
	unsigned int d, dim;

	for (dim = 4; dim <= 6; dim++) {
		net_cube(&net, dim);
		for (d = 0; d < dim; d++)
			net_cut(&net, 0, 1u << d);
		ASSERT_TRUE(by(HC_RING_HAMILTON, &net, 0, &p) && p.tree.nrings == 2);
		tree_try(&p.tree, false, &fair);
		tree_try(&p.tree, true, &hot);
		ASSERT_TRUE(fair.deliver == p.members && fair.acknowledge == p.members + 1);
		ASSERT_TRUE(p.steps.deliver <= p.members && p.steps.acknowledge == p.members + 1);
		ASSERT_TRUE(hot.acknowledge == 2 * p.members - 2);
		hc_ring_plan_free(&p);
	}
}

/* Make a network of this kind with two lengths. */
static void net_shape(struct net *net, enum hc_net_kind kind, uint32_t a, uint32_t b)
{
	struct hc_net_spec spec = { .kind = kind, .axes = 2, .length = { a, b } };
	struct hc_edge *links = NULL;
	const char *why = "";
	uint32_t nodes = 0;
	size_t n = 0, i;

	net_init(net, 0);
	if (hc_net_links(&spec, NET_MAX, &nodes, &links, &n, &why))
		return;
	net_init(net, nodes);
	for (i = 0; i < n; i++)
		net_link(net, links[i].u, links[i].v);
	free(links);
}

/* Two schedules for one tree of rings. @in_turn: a node forwards messages in the order of their
 * arrival, a convergent point into all its rings at once. @on_a_way: each message follows one path
 * through all rings, which takes as many steps as there are virtual nodes. In grids the former
 * takes more steps, in a tree fewer.
 */
TEST(number_of_steps_of_a_tree_of_rings_depends_on_schedule)
{
	static const struct {
		enum hc_net_kind kind;
		uint32_t a, b;
		unsigned int in_turn, on_a_way;
	} t[] = {
		{ HC_NET_TORUS, 4, 4, 20, 18 }, { HC_NET_MESH, 5, 5, 34, 29 },
		{ HC_NET_DRAGONFLY, 4, 2, 46, 44 }, { HC_NET_TREE, 2, 5, 37, 46 },
	};
	struct hc_ring_plan p;
	struct trial turn;
	struct net net;
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		net_shape(&net, t[i].kind, t[i].a, t[i].b);
		ASSERT_TRUE(by(HC_RING_VRT, &net, 0, &p));
		tree_try(&p.tree, false, &turn);
		ASSERT_TRUE(turn.acknowledge == t[i].in_turn);
		ASSERT_TRUE(turn.deliver == t[i].in_turn - 1);
		ASSERT_TRUE(p.steps.acknowledge == t[i].on_a_way);
		ASSERT_TRUE(p.steps.deliver == t[i].on_a_way - 1);
		ASSERT_TRUE(p.steps.acknowledge == p.members + p.tree.nrings - 1);
		hc_ring_plan_free(&p);
	}
}

/* Propositions 10 and 11 want more channels at convergent points. One channel in each direction of
 * each link is enough for all rings, even for those whose messages go back along the same path.
 */
TEST(propositions_10_and_11_one_channel_is_enough)
{
	unsigned int round, i, r, at, k, n;
	struct hc_ring_plan p;
	struct net net;

	for (round = 0; round < 200; round++) {
		bool used[NET_MAX][NET_MAX] = { { false } };

		n = 8 + rnd(40);
		net_path(&net, n);
		for (i = rnd(2 * n); i; i--)
			net_link(&net, rnd(n), rnd(n));
		for (i = 0; i < n; i++)
			net.link[i][i] = false;
		ASSERT_TRUE(vrt(&net, 2 + rnd(9), &p));
		for (at = 0, r = 0; r < p.tree.nrings; at += p.tree.ring[r++].size) {
			const uint16_t *v = p.tree.node + at;
			unsigned int size = p.tree.ring[r].size;

			for (k = 1; k < size; k++) {
				ASSERT_TRUE(!used[v[k - 1]][v[k]]);
				used[v[k - 1]][v[k]] = true;
			}
			if (net.link[v[size - 1]][v[0]]) {
				ASSERT_TRUE(!used[v[size - 1]][v[0]]);
				used[v[size - 1]][v[0]] = true;
				continue;
			}
			for (k = size - 1; k; k--) {
				ASSERT_TRUE(!used[v[k]][v[k - 1]]);
				used[v[k]][v[k - 1]] = true;
			}
		}
		hc_ring_plan_free(&p);
	}
}

/* Section 3.2.2 takes a diameter for level 0 in order to have the most levels. In fact that makes
 * the fewest: in a path of three nodes a diameter makes one level, and a shorter path makes a
 * second one.
 */
TEST(section_3_2_2_a_diameter_does_not_make_the_most_levels)
{
	static struct hc_ring ring[] = { { 2, 0, HC_RING_NONE }, { 2, 1, 0 } };
	static uint16_t node[] = { 0, 1, 1, 2 };
	const struct hc_ring_tree other = { 2, 4, ring, node };
	struct hc_ring_plan p;
	struct net net;

	net_path(&net, 3);
	ASSERT_TRUE(vrt(&net, 3, &p) && p.levels == 1);
	hc_ring_plan_free(&p);
	ASSERT_TRUE(net_has_tree(&net, &other));
}

/* Section 3.3 maps each link to two or more virtual links; a link of a closed ring has only one. */
TEST(section_3_3_a_link_may_have_one_virtual_link)
{
	unsigned int used[3] = { 0 }, i, u, v;
	struct hc_ring_plan p;
	struct net net;

	net_path(&net, 3);
	net_link(&net, 0, 2);
	ASSERT_TRUE(by(HC_RING_HAMILTON, &net, 0, &p) && p.tree.nrings == 1 && p.tree.nnodes == 3);
	for (i = 0; i < 3; i++) {
		u = p.tree.node[i];
		v = p.tree.node[(i + 1) % 3];
		ASSERT_TRUE(u != v && net.link[u][v]);
		/* Each link of the triangle is counted under the number of the node that is not on
		 * it.
		 */
		used[3 - u - v]++;
	}
	ASSERT_TRUE(used[0] == 1 && used[1] == 1 && used[2] == 1);
	hc_ring_plan_free(&p);
}
