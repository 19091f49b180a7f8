// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier of trees of rings: each error has its sentence, and a tree that was corrupted at
 * random is accepted if and only if the definition allows it.
 */
#include <stdlib.h>
#include <string.h>

#include "ring_test.h"

#define NONE	HC_RING_NONE
#define NO_NODE	HC_RING_NO_NODE

/* A wrong tree, and the error that the verifier must report. The list of rings ends with a size of
 * 0; @node has the nodes of all rings, one ring after the other.
 */
struct bad {
	const char *why;
	struct hc_ring ring[5];
	uint16_t node[12];
	uint32_t nnodes;
	uint32_t at_ring;
	uint32_t at_node;
	uint32_t peer;
};

/* Trees in the cube of eight nodes without link 000-001 and without node 7. */
static const struct bad bad[] = {
	{ "no ring", { { 0 } }, { 0 }, 0, NONE, NO_NODE, NO_NODE },
	{ "a ring has fewer than two nodes", { { 2, 0, NONE }, { 1, 1, 0 } }, { 0, 2, 2 }, 3, 1,
	  NO_NODE, NO_NODE },
	{ "a ring is longer than the list of nodes", { { 4, 0, NONE } }, { 0, 2, 3 }, 3, 0, NO_NODE,
	  NO_NODE },
	{ "a ring is longer than the list of nodes", { { 2, 0, NONE }, { ~0u, 1, 0 } }, { 0, 2, 3 },
	  3, 1, NO_NODE, NO_NODE },
	{ "nodes that are in no ring", { { 2, 0, NONE } }, { 0, 2, 3 }, 3, NONE, NO_NODE, NO_NODE },
	{ "no such node", { { 2, 0, NONE } }, { 0, 8 }, 2, 0, 8, NO_NODE },
	{ "no such node", { { 2, 0, NONE } }, { 65535, 0 }, 2, 0, 65535, NO_NODE },
	{ "a ring goes through a node twice", { { 3, 0, NONE } }, { 0, 2, 0 }, 3, 0, 0, NO_NODE },
	{ "a ring goes through a node twice", { { 2, 0, NONE }, { 3, 1, 0 } }, { 0, 2, 2, 3, 2 }, 5,
	  1, 2, NO_NODE },
	{ "a ring meets the rings before it in two nodes", { { 2, 0, NONE }, { 4, 1, 0 } },
	  { 0, 2, 2, 6, 4, 0 }, 6, 1, 0, NO_NODE },
	{ "a ring meets the rings before it in two nodes",
	  { { 2, 0, NONE }, { 2, 0, 0 }, { 4, 1, 1 } }, { 0, 2, 2, 3, 3, 1, 5, 0 }, 8, 2, 0,
	  NO_NODE },
	{ "a ring goes where no healthy link is", { { 2, 0, NONE } }, { 0, 1 }, 2, 0, 0, 1 },
	{ "a ring goes where no healthy link is", { { 3, 0, NONE } }, { 2, 3, 7 }, 3, 0, 3, 7 },
	{ "a ring goes where no healthy link is", { { 3, 0, NONE } }, { 2, 3, 5 }, 3, 0, 3, 5 },
	{ "the first ring has a parent", { { 2, 0, 0 } }, { 0, 2 }, 2, 0, NO_NODE, NO_NODE },
	{ "the first ring is not at level 0", { { 2, 1, NONE } }, { 0, 2 }, 2, 0, NO_NODE,
	 NO_NODE },
	{ "a ring meets no ring before it", { { 2, 0, NONE }, { 2, 1, 0 } }, { 0, 2, 5, 1 }, 4, 1,
	  NO_NODE, NO_NODE },
	{ "a ring's parent is not where it meets the tree",
	  { { 2, 0, NONE }, { 2, 0, 0 }, { 2, 1, 0 } }, { 0, 2, 2, 3, 3, 1 }, 6, 2, 3, NO_NODE },
	{ "a ring's parent is not where it meets the tree", { { 2, 0, NONE }, { 2, 1, 1 } },
	  { 0, 2, 2, 3 }, 4, 1, 2, NO_NODE },
	{ "a ring's parent is not where it meets the tree", { { 2, 0, NONE }, { 2, 1, NONE } },
	  { 0, 2, 2, 3 }, 4, 1, 2, NO_NODE },
	{ "a ring's level is neither its parent's nor the next", { { 2, 0, NONE }, { 2, 2, 0 } },
	  { 0, 2, 2, 3 }, 4, 1, NO_NODE, NO_NODE },
	{ "a ring's level is neither its parent's nor the next",
	  { { 2, 0, NONE }, { 2, 1, 0 }, { 2, 0, 1 } }, { 0, 2, 2, 3, 3, 1 }, 6, 2, NO_NODE,
	  NO_NODE },
};

/* Return: the cube of the trees in bad[]. @fault: its FAULT words. */
static struct hc_ring_net corrupted_cube(uint32_t *fault)
{
	memset(fault, 0, 8 * sizeof(*fault));
	/* It is enough that one end reports the link as faulty. */
	fault[0] = 1;
	fault[7] = 7;
	fault[6] = 1;
	fault[5] = 2;
	fault[3] = 4;
	return hc_ring_cube(3, fault);
}

TEST(invalid_tree_of_rings_is_refused_with_exact_reason_and_place)
{
	struct hc_ring_reason reason;
	uint32_t fault[8];
	const struct hc_ring_net net = corrupted_cube(fault);
	uint16_t home[8];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct bad *b = &bad[i];
		struct hc_ring_tree t = { 0, b->nnodes, b->ring, b->node };
		bool fine;

		while (t.ring[t.nrings].size)
			t.nrings++;
		fine = hc_ring_check(&t, &net, home, NULL) == -EINVAL &&
		       hc_ring_check(&t, &net, home, &reason) == -EINVAL &&
		       !strcmp(reason.why, b->why) && reason.ring == b->at_ring &&
		       reason.node == b->at_node && reason.other == b->peer;
		if (!fine)
			printf("# %zu: %s, ring %u node %u peer %u\n", i, reason.why, reason.ring,
			       reason.node, reason.other);
		ASSERT_TRUE(fine);
	}
}

TEST(valid_trees_of_rings_of_all_shapes_are_accepted)
{
	static const struct hc_ring one[] = { { 1, 0, NONE } }, two[] = { { 2, 0, NONE } },
		back[] = { { 6, 0, NONE } },
		many[] = { { 4, 0, NONE }, { 2, 1, 0 }, { 2, 0, 0 }, { 2, 1, 2 } };
	static const uint16_t nodes[] = { 0, 2, 3, 1, 5, 4 }, others[] = { 4 },
		tree[] = { 2, 0, 4, 6, 4, 5, 3, 2, 3, 1 };
	const struct hc_ring_tree good[] = {
		{ 1, 1, one, others }, { 1, 2, two, nodes }, { 1, 6, back, nodes },
		{ 4, 10, many, tree },
	};
	uint32_t fault[8];
	const struct hc_ring_net net = corrupted_cube(fault);
	uint16_t home[8];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++)
		ASSERT_TRUE(!hc_ring_check(&good[i], &net, home, NULL));
	ASSERT_TRUE(home[2] == 0 && home[5] == 1 && home[3] == 2 && home[1] == 3);
	ASSERT_TRUE(home[7] == NONE);
}

TEST(tree_of_rings_with_too_many_rings_or_nodes_is_refused)
{
	static struct hc_ring ring[HC_RING_NONE + 1];
	static uint16_t node[2 * HC_RING_NONE + 2];
	uint16_t home[8] = { 0 };
	uint32_t fault[8] = { 0 };
	struct hc_ring_net net = hc_ring_cube(3, fault);
	struct hc_ring_tree t = { HC_RING_NONE + 1, 2 * HC_RING_NONE + 2, ring, node };
	struct hc_ring_reason reason;

	ASSERT_TRUE(hc_ring_check(&t, &net, home, &reason) &&
		    !strcmp(reason.why, "too many rings"));
	net.nodes = HC_RING_NODES_MAX + 1;
	ASSERT_TRUE(hc_ring_check(&t, &net, home, &reason));
	ASSERT_TRUE(!strcmp(reason.why, "the network has too many nodes"));
}

/* --- at random --- */

/* A tree in arrays of exactly its size, so that sanitizers report accesses beyond their ends. */
struct copy {
	struct hc_ring *ring;
	uint16_t *node;
	struct hc_ring_tree t;
};

static struct copy copy_of(const struct hc_ring_tree *t)
{
	struct copy c = {
		.ring = malloc(t->nrings * sizeof(*c.ring) + 1),
		.node = malloc(t->nnodes * sizeof(*c.node) + 1),
	};

	memcpy(c.ring, t->ring, t->nrings * sizeof(*c.ring));
	memcpy(c.node, t->node, t->nnodes * sizeof(*c.node));
	c.t = (struct hc_ring_tree){ t->nrings, t->nnodes, c.ring, c.node };
	return c;
}

/* Make a random change, which may leave a valid tree. */
static void corrupt(struct copy *c, unsigned int nodes)
{
	struct hc_ring *r = &c->ring[rnd(c->t.nrings)];
	unsigned int i = rnd(c->t.nnodes), k = rnd(c->t.nnodes);
	uint16_t u = c->node[i];

	switch (rnd(8)) {
	case 0:
		c->node[i] = (uint16_t)rnd(nodes + 1);
		break;
	case 1:
		c->node[i] = c->node[k];
		c->node[k] = u;
		break;
	case 2:
		r->level = (uint16_t)rnd(4);
		break;
	case 3:
		r->parent = rnd(6) ? (uint16_t)rnd(c->t.nrings + 1) : NONE;
		break;
	case 4:
		/* One ring gets longer, another one shorter. */
		r->size++;
		c->ring[rnd(c->t.nrings)].size--;
		break;
	case 5:
		r->size += rnd(3) - 1;
		break;
	case 6:
		c->t.nnodes--;
		break;
	default:
		c->t.nrings -= c->t.nrings > 1;
	}
}

/* Compare the verifier with the definition for changed copies of a tree. Counts refusals in
 * *refused.
 */
static bool corrupted_trees_are_reported(const struct net *net, const struct hc_ring_plan *p,
					 unsigned int *refused)
{
	struct hc_graph *g = net_graph(net);
	const struct hc_ring_net as_net = hc_graph_net(g);
	struct hc_ring_reason reason;
	uint16_t home[NET_MAX];
	unsigned int round, i;
	int rc;

	for (round = 0; round < 60; round++) {
		struct copy c = copy_of(&p->tree);

		for (i = 1 + rnd(2); i; i--)
			if (c.t.nnodes > 1)
				corrupt(&c, net->n);
		reason.why = NULL;
		rc = hc_ring_check(&c.t, &as_net, home, &reason);
		CHECK(!rc == net_has_tree(net, &c.t));
		CHECK(!rc || reason.why);
		*refused += rc != 0;
		free(c.ring);
		free(c.node);
	}
	hc_graph_free(g);
	return true;
}

TEST(corrupted_tree_of_rings_is_accepted_only_if_valid_by_definition)
{
	unsigned int round, i, n, refused = 0;
	struct hc_ring_plan p;
	struct hc_graph *g;
	struct net net;
	bool fine;

	for (round = 0; round < 600; round++) {
		n = 3 + rnd(10);
		net_init(&net, n);
		for (i = 2 * n; i; i--)
			net_link(&net, rnd(n), rnd(n));
		for (i = 0; i < n; i++)
			net.link[i][i] = false;
		if (net_largest(&net) < 2)
			continue;
		g = net_graph(&net);
		ASSERT_TRUE(!hc_plan_ring(g, NULL, 1 + round % 2, round % 2 ? 0 : 2 + rnd(3), &p));
		fine = corrupted_trees_are_reported(&net, &p, &refused);
		hc_ring_plan_free(&p);
		hc_graph_free(g);
		ASSERT_TRUE(fine);
	}
	printf("# %u of %u were refused\n", refused, 600 * 60);
	ASSERT_TRUE(refused > 600 * 30);
}

/* The verifier refuses the tree if and only if a link of the tree has failed, whichever end reports
 * it.
 */
TEST(tree_of_rings_is_refused_if_and_only_if_one_of_its_links_failed)
{
	struct hc_faults *f = hc_faults_new(4);
	struct hc_graph *g = hc_graph_left(f);
	struct hc_ring_plan p;
	uint16_t home[16];
	unsigned int u, d, i, at, broken = 0;

	ASSERT_TRUE(!hc_plan_ring(g, f, HC_RING_VRT, 3, &p));
	for (u = 0; u < 16; u++)
		for (d = 0; d < 4; d++) {
			const struct hc_ring_net net = hc_ring_cube(4, f->fault);
			bool used = false;

			for (at = 0, i = 0; i < p.tree.nrings; at += p.tree.ring[i++].size) {
				unsigned int k;

				for (k = at + 1; k < at + p.tree.ring[i].size; k++)
					used |= (p.tree.node[k] == u &&
						 p.tree.node[k - 1] == (u ^ 1u << d)) ||
						(p.tree.node[k - 1] == u &&
						 p.tree.node[k] == (u ^ 1u << d));
			}
			f->fault[u] = hc_bit(d);
			ASSERT_TRUE(!hc_ring_check(&p.tree, &net, home, NULL) == !used);
			f->fault[u] = 0;
			broken += used;
		}
	ASSERT_TRUE(broken == 2 * (p.tree.nnodes - p.tree.nrings));
	hc_ring_plan_free(&p);
	hc_graph_free(g);
	hc_faults_free(f);
}
