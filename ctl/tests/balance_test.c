// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of load balancing, as KTAP.
 * Usage: balance_test [NAME..]: all cases, or the ones named.
 */
#include <stdlib.h>
#include <string.h>

#include "balance_test.h"

struct hc_faults *cube_without(unsigned int dim, const char *nodes)
{
	struct hc_faults *f = hc_faults_new(dim);
	char *end;

	if (!f)
		abort();
	for (; *nodes; nodes = end) {
		if (hc_faults_node(f, strtoul(nodes, &end, 2)))
			abort();
		end += strspn(end, " ");
	}
	return f;
}

struct hc_faults *cube_random(unsigned int dim, unsigned int nodes, unsigned int links)
{
	struct hc_faults *f = cube_without(dim, "");

	for (; nodes; nodes--)
		hc_faults_node(f, rnd(hc_nodes(dim)));
	for (; links; links--)
		hc_faults_link(f, rnd(hc_nodes(dim)), rnd(dim));
	return f;
}

struct hc_cube cube_of(const char *word)
{
	struct hc_cube c = {};

	for (; *word; word++) {
		c.dims = c.dims << 1 | (*word == 'X');
		c.base = c.base << 1 | (*word == '1');
	}
	return c;
}

bool cube_is(unsigned int dim, const struct hc_cube *c, const char *word)
{
	struct hc_cube wanted = cube_of(word);

	return strlen(word) == dim && c->dims == wanted.dims && c->base == wanted.base;
}

bool cube_sound(const struct hc_faults *f, const struct hc_cube *c)
{
	unsigned int d;
	uint32_t u;

	for (u = 0; u < hc_nodes(f->dim); u++) {
		if ((u ^ c->base) & ~c->dims)
			continue;
		if (hc_set_has(f->dead, u))
			return false;
		for (d = 0; d < f->dim; d++)
			if (c->dims >> d & 1 && f->fault[u] >> d & 1)
				return false;
	}
	return true;
}

/* Compute the distance of each node from the subcube @c: relax all links until nothing changes. */
static void distances(const struct hc_faults *f, const struct hc_cube *c, unsigned int *dist)
{
	bool changed = true;
	unsigned int d;
	uint32_t u, v;

	for (u = 0; u < hc_nodes(f->dim); u++)
		dist[u] = (u ^ c->base) & ~c->dims ? UINT32_MAX : 0;
	while (changed) {
		changed = false;
		for (u = 0; u < hc_nodes(f->dim); u++)
			for (d = 0; d < f->dim; d++) {
				v = u ^ (1u << d);
				if (f->fault[u] >> d & 1 || dist[v] == UINT32_MAX ||
				    dist[u] <= dist[v] + 1)
					continue;
				dist[u] = dist[v] + 1;
				changed = true;
			}
	}
}

/* Check node @u of the topology against @dist, its distance from the subcube. */
static bool node_holds(const struct hc_faults *f, const struct hc_balance_topo *t,
		       const unsigned int *dist, uint32_t u)
{
	uint32_t v;

	CHECK(hc_set_has(t->excluded, u) ==
	      (dist[u] == UINT32_MAX && !hc_set_has(f->dead, u)));
	CHECK((t->up[u] == HC_BALANCE_OUT) == (dist[u] == UINT32_MAX));
	if (dist[u] == UINT32_MAX) {
		CHECK(!t->weight[u]);
		return true;
	}
	CHECK(t->level[u] == dist[u] && dist[u] <= t->b.depth);
	CHECK((t->up[u] == HC_BALANCE_ROOT) == !dist[u]);
	if (!dist[u])
		return true;
	/* The parent of node @u is the lowest neighbour of the level above to which a healthy link
	 * leads.
	 */
	for (v = 0; v < hc_nodes(f->dim); v++)
		if (__builtin_popcount(u ^ v) == 1 && dist[v] == dist[u] - 1 &&
		    !(f->fault[u] & (u ^ v)))
			break;
	CHECK(v == (u ^ 1u << t->up[u]));
	return true;
}

bool topo_holds(const struct hc_faults *f, const struct hc_balance_topo *t)
{
	static unsigned int dist[1 << 10];
	struct hc_cube c = { t->b.dims, t->b.base };
	uint32_t u, roots = 0, out = 0, deepest = 0;

	CHECK(cube_sound(f, &c));
	CHECK(!hc_balance_check(&t->b, f->fault, NULL));
	distances(f, &c, dist);
	for (u = 0; u < hc_nodes(f->dim); u++) {
		CHECK(node_holds(f, t, dist, u));
		out += hc_set_has(t->excluded, u);
		if (dist[u] != UINT32_MAX && dist[u] > deepest)
			deepest = dist[u];
		if (t->up[u] == HC_BALANCE_ROOT)
			roots += t->weight[u];
	}
	CHECK(roots == t->members && out == t->nexcluded && deepest == t->b.depth);
	return true;
}

TEST_HARNESS_MAIN
