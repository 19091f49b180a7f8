// SPDX-License-Identifier: GPL-2.0
/*
 * Spanning trees: the verifier and the planners, compared with all trees of small networks and with
 * known results for large ones.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ktap.h"
#include "named_net.h"
#include "net.h"
#include "span.h"

/* The most nodes of the networks of which all trees are tried. */
#define SMALL	7

/* A small network: its links, and its fault state. */
struct small {
	uint32_t nodes;
	struct hc_edge links[SMALL * SMALL];
	size_t n;
	struct hc_faults *f;
};

/* --- computed without any code of the planners --- */

static uint32_t finish(const struct hc_faults *f, const uint8_t *parent, uint32_t u);

/* Return: the least step after which node @u can have the data of all children at the ports @left,
 * if it receives from one of them in each step after step @step.
 */
static uint32_t best_order(const struct hc_faults *f, const uint8_t *parent, uint32_t u,
			   uint32_t left, uint32_t step)
{
	uint32_t d, best = UINT32_MAX, took, ready;

	if (!left)
		return step;
	for (d = 0; d < f->topo.ports; d++) {
		if (!(left & hc_bit(d)))
			continue;
		ready = finish(f, parent, hc_peer(&f->topo, u, d));
		took = best_order(f, parent, u, left & ~hc_bit(d),
				  (ready > step ? ready : step) + 1);
		if (took < best)
			best = took;
	}
	return best;
}

/* Return: the step after which @u has the data of its whole subtree. */
static uint32_t finish(const struct hc_faults *f, const uint8_t *parent, uint32_t u)
{
	uint32_t d, children = 0;

	for (d = 0; d < f->topo.ports; d++)
		if (hc_peer(&f->topo, u, d) != u && parent[hc_peer(&f->topo, u, d)] == d)
			children |= hc_bit(d);
	return best_order(f, parent, u, children, 0);
}

/* Return: true if the parents of each member lead to the root over healthy links. */
static bool is_tree(const struct hc_faults *f, const uint8_t *parent, uint32_t root)
{
	uint32_t u, v, hops, d;

	if (root >= f->topo.nodes || parent[root] != HC_NO_PORT)
		return false;
	for (u = 0; u < f->topo.nodes; u++) {
		if (parent[u] == HC_NO_PORT)
			continue;
		for (v = u, hops = 0; v != root; v = hc_peer(&f->topo, v, d)) {
			d = parent[v];
			if (d >= f->topo.ports || hc_peer(&f->topo, v, d) == v || hops++ > SMALL ||
			    f->fault[v] & hc_bit(d))
				return false;
		}
	}
	return true;
}

/* Replace @parent by the next choice of a parent's port for each node. Return: false if there is
 * none.
 */
static bool next_parents(uint8_t *parent, uint32_t nodes, uint32_t ports)
{
	uint32_t u;

	for (u = 0; u < nodes; u++) {
		parent[u] = parent[u] == HC_NO_PORT ? 0 : parent[u] + 1;
		if (parent[u] < ports)
			return true;
		parent[u] = HC_NO_PORT;
	}
	return false;
}

/* --- small networks --- */

/* Make a connected network of @nodes nodes: a random tree and up to @more further links. Up to
 * @faults of its links are faulty.
 */
static bool small_make(struct small *s, uint32_t nodes, unsigned int more, unsigned int faults)
{
	uint32_t u, v, k;
	struct hc_net net;
	const char *why;

	*s = (struct small){ .nodes = nodes };
	for (u = 1; u < nodes; u++)
		s->links[s->n++] = (struct hc_edge){ rnd(u), u };
	while (more--) {
		u = rnd(nodes);
		v = rnd(nodes);
		for (k = 0; k < s->n; k++)
			if ((s->links[k].u == u && s->links[k].v == v) ||
			    (s->links[k].u == v && s->links[k].v == u))
				break;
		if (u != v && k == s->n)
			s->links[s->n++] = (struct hc_edge){ u, v };
	}
	if (hc_net_make(NULL, nodes, s->links, s->n, &net, &why))
		return false;
	s->f = hc_faults_of(&net.topo);
	while (s->f && faults--)
		hc_faults_link(s->f, rnd(nodes), rnd(net.topo.ports));
	return s->f;
}

/* Check all choices of parents: the verifier accepts a choice if and only if the parents form a
 * tree, and its steps are those of the best order of children; and no tree of all nodes that can be
 * reached takes fewer steps than the planner's.
 */
static bool all_trees(const struct small *s, uint32_t root)
{
	const struct hc_span_req req = { .root = root };
	struct hc_span_plan plan;
	uint8_t parent[SMALL];
	uint16_t up[SMALL], work[2 * SMALL];
	uint32_t least = UINT32_MAX, trees = 0;
	const char *why;
	bool tree;

	CHECK(!hc_plan_span(s->f, &req, &plan, &why));
	memset(parent, HC_NO_PORT, sizeof(parent));
	do {
		const struct hc_span span = {
			.topo = s->f->topo, .root = root, .n = s->nodes, .parent = parent,
		};
		uint32_t u, members = 0;

		tree = is_tree(s->f, parent, root);
		CHECK(tree == !hc_span_check(&span, s->f->fault, up, work, NULL));
		if (!tree)
			continue;
		trees++;
		CHECK(up[root] == finish(s->f, parent, root));
		for (u = 0; u < s->nodes; u++)
			members += u == root || parent[u] != HC_NO_PORT;
		if (members == plan.nmembers && up[root] < least)
			least = up[root];
		CHECK(members <= plan.nmembers);
	} while (next_parents(parent, s->nodes, s->f->topo.ports));
	CHECK(trees);
	CHECK(plan.steps == least);
	CHECK(plan.lower_bound == least);
	hc_span_plan_free(&plan);
	return true;
}

TEST(no_tree_of_small_networks_takes_fewer_steps_than_planned_tree)
{
	unsigned int i;

	for (i = 0; i < 60; i++) {
		struct small s;

		ASSERT_TRUE(small_make(&s, 2 + rnd(SMALL - 2), rnd(5), rnd(3)));
		ASSERT_TRUE(all_trees(&s, rnd(s.nodes)));
		hc_faults_free(s.f);
	}
}

/* --- roles --- */

/* Return: true if each member but the root sends once, to its parent, which has it as a source; and
 * if each node receives from its children in the order of their steps.
 */
static bool roles_fit(const struct hc_span_plan *p, const struct hc_faults *f)
{
	struct hc_tree_peer src[HC_PORTS_MAX], of_parent[HC_PORTS_MAX];
	struct hc_tree_role role, parent;
	uint32_t u, i, found, members = 0, expected = 0;

	for (u = 0; u < f->topo.nodes; u++) {
		if (!hc_span_has(&p->span, u))
			continue;
		members++;
		hc_span_role(&p->span, p->up, u, &role, src);
		CHECK(role.ndst == (u != p->span.root));
		expected += role.nsrc;
		for (i = 0; i < role.nsrc; i++) {
			CHECK(hc_link_good(&f->topo, f->fault, u, src[i].dim));
			CHECK(!i || p->up[src[i].node] > p->up[src[i - 1].node]);
			CHECK(u == p->span.root || p->up[src[i].node] < p->up[u]);
		}
		if (!role.ndst)
			continue;
		hc_span_role(&p->span, p->up, role.dst->node, &parent, of_parent);
		for (i = 0, found = 0; i < parent.nsrc; i++)
			found += of_parent[i].node == u && of_parent[i].dim == role.dst->dim;
		CHECK(found == 1);
	}
	CHECK(expected == members - 1 && members == p->nmembers);
	return true;
}

/* --- named networks --- */

/* Plan in a named network, and check the steps. @depth: depth of the tree, 0: any. @proved: the
 * steps must be proved to be the fewest.
 */
static bool plan_of(enum hc_net_kind kind, uint32_t a, uint32_t b, uint32_t root,
		    enum hc_span_method method, uint32_t steps, uint32_t depth, bool proved)
{
	const struct hc_span_req req = { .method = method, .root = root };
	struct hc_faults *f = named_net(kind, a, b);
	struct hc_span_plan plan;
	const char *why;

	CHECK(f && !hc_plan_span(f, &req, &plan, &why));
	CHECK(plan.nmembers == f->topo.nodes && roles_fit(&plan, f));
	CHECK(plan.steps == steps);
	CHECK(!depth || plan.depth == depth);
	CHECK(!proved || plan.lower_bound == steps);
	hc_span_plan_free(&plan);
	hc_faults_free(f);
	return true;
}

/* Cubes (with binomial trees), lines, and networks in which the tree meets a bound. */
TEST(spanning_trees_of_known_networks_take_known_numbers_of_steps)
{
	unsigned int dim;

	for (dim = 1; dim <= 12; dim++)
		ASSERT_TRUE(plan_of(HC_NET_KARY, 2, dim, 0, HC_SPAN_STEPS, dim, 0, true));
	ASSERT_TRUE(plan_of(HC_NET_RING, 25, 0, 3, HC_SPAN_STEPS, 13, 0, true));
	ASSERT_TRUE(plan_of(HC_NET_MESH, 1, 64, 0, HC_SPAN_STEPS, 63, 63, true));
	ASSERT_TRUE(plan_of(HC_NET_MESH, 1, 64, HC_ANY_SINK, HC_SPAN_STEPS, 32, 32, true));
	ASSERT_TRUE(plan_of(HC_NET_FULL, 16, 0, 5, HC_SPAN_STEPS, 4, 0, true));
	ASSERT_TRUE(plan_of(HC_NET_FULL, 16, 0, 5, HC_SPAN_DEPTH, 15, 1, false));
	ASSERT_TRUE(plan_of(HC_NET_TORUS, 5, 5, 0, HC_SPAN_STEPS, 5, 0, true));
	ASSERT_TRUE(plan_of(HC_NET_TORUS, 5, 5, 0, HC_SPAN_DEPTH, 6, 4, false));
	ASSERT_TRUE(plan_of(HC_NET_MESH, 5, 5, 0, HC_SPAN_STEPS, 8, 0, true));
	ASSERT_TRUE(plan_of(HC_NET_DRAGONFLY, 4, 2, 0, HC_SPAN_STEPS, 6, 0, true));
	/* A node of a binary tree sends to one child after the other: two steps for each level. */
	ASSERT_TRUE(plan_of(HC_NET_TREE, 2, 5, 0, HC_SPAN_STEPS, 8, 4, true));
	ASSERT_TRUE(plan_of(HC_NET_TORUS, 64, 64, 0, HC_SPAN_STEPS, 64, 0, true));
}

/* --- requests --- */

TEST(requested_root_parents_and_exclusions_are_planned_or_refused)
{
	static const uint32_t parent[] = { HC_ANY_SINK, 0, 0, 1 }, circle[] = {
		HC_ANY_SINK, 3, 0, 1 }, apart[] = { HC_ANY_SINK, 2, 0, 1 };
	struct hc_faults *f = hc_faults_new(2);
	struct hc_span_req req = { .root = 0, .parent = parent };
	const uint32_t without = 1u << 1;
	struct hc_span_plan plan;
	const char *why;

	ASSERT_TRUE(f && !hc_plan_span(f, &req, &plan, &why));
	ASSERT_TRUE(plan.steps == 2 && plan.lower_bound == 2 && plan.parent[3] == 1);
	hc_span_plan_free(&plan);
	req.parent = circle;
	ASSERT_TRUE(hc_plan_span(f, &req, &plan, &why) == -EINVAL && strstr(why, "circle"));
	req.parent = apart;
	ASSERT_TRUE(hc_plan_span(f, &req, &plan, &why) == -EINVAL && strstr(why, "no link"));
	req = (struct hc_span_req){ .root = 4 };
	ASSERT_TRUE(hc_plan_span(f, &req, &plan, &why) == -ERANGE);
	req = (struct hc_span_req){ .root = 0, .without = &without };
	ASSERT_TRUE(!hc_plan_span(f, &req, &plan, &why));
	ASSERT_TRUE(plan.nmembers == 3 && !plan.nexcluded && plan.steps == 2);
	hc_span_plan_free(&plan);
	req.root = 1;
	ASSERT_TRUE(hc_plan_span(f, &req, &plan, &why) == -ENOLINK);
	hc_faults_node(f, 3);
	hc_faults_link(f, 0, 0);
	req = (struct hc_span_req){ .root = HC_ANY_SINK };
	ASSERT_TRUE(!hc_plan_span(f, &req, &plan, &why));
	/* The tree is in the larger component; node 1 is alive, but not connected with it. */
	ASSERT_TRUE(plan.span.root == 0 && plan.nmembers == 2 && plan.excluded[0] == 2);
	hc_span_plan_free(&plan);
	hc_faults_free(f);
}

TEST_HARNESS_MAIN
