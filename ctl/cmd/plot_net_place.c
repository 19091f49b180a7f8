// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: the positions of nodes in a network that is no hypercube.
 *
 * The nodes of a ring tree are on a circle, in the order of the first ring; each convergent point
 * is followed by the nodes of the rings that begin at it. So the nodes of a ring are mostly
 * neighbours on an arc.
 *
 * In a spanning tree, the root is in the centre, and the distance of each other member from the
 * centre is its depth. A subtree has a share of the full angle in proportion to its leaves, so its
 * links cross no other links of the tree.
 */
#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "plot.h"

/* --- ring trees --- */

struct circle {
	const struct plot *p;
	struct plot_spot *spot;
	uint32_t *begin;	/* for each ring, index of its first node */
	uint32_t *child;	/* for each node, first ring that joins the tree there, plus 1 */
	uint32_t *next;		/* for each ring, the next one at the same node, plus 1 */
	uint32_t *stack;	/* virtual nodes still to visit */
	uint32_t *order;	/* the members in the order of their positions */
	uint32_t n;
};

/* Return: the node where a ring meets the tree: the only one whose home is another ring. */
static uint32_t meets(const struct circle *c, uint32_t r)
{
	const struct hc_ring_plan *p = &c->p->rings;
	uint32_t i = c->begin[r];

	while (p->home[p->tree.node[i]] == r)
		i++;
	return p->tree.node[i];
}

static void index_rings(struct circle *c)
{
	const struct hc_ring_tree *t = &c->p->rings.tree;
	uint32_t r, u, at = 0;

	for (r = 0; r < t->nrings; at += t->ring[r++].size)
		c->begin[r] = at;
	/* Go from the last ring to the first, so that the first one comes first in each list. */
	for (r = t->nrings; --r;) {
		u = meets(c, r);
		c->next[r] = c->child[u];
		c->child[u] = r + 1;
	}
}

static uint32_t push_ring(struct circle *c, uint32_t r, uint32_t depth)
{
	uint32_t i;

	for (i = c->p->rings.tree.ring[r].size; i--;)
		c->stack[depth++] = c->begin[r] + i;
	return depth;
}

/* Order the members: a node, the nodes of the rings that meet the tree there, the next node. */
static void order_members(struct circle *c)
{
	uint32_t depth = push_ring(c, 0, 0), u, r, hung;

	while (depth) {
		u = c->p->rings.tree.node[c->stack[--depth]];
		if (c->spot[u].there)
			continue;
		c->spot[u].there = true;
		c->spot[u].bold = c->child[u];
		c->order[c->n++] = u;
		hung = c->child[u];
		for (; hung; hung = c->next[r]) {
			r = hung - 1;
			depth = push_ring(c, r, depth);
		}
	}
}

static void turn_to(struct plot_spot *s, double part, double r)
{
	s->x = r * sin(2 * M_PI * part);
	s->y = -r * cos(2 * M_PI * part);
}

static bool place_rings(const struct plot *p, struct plot_spot *spot)
{
	const uint32_t nodes = p->net->nodes, rings = p->rings.tree.nrings;
	struct circle c = {
		.p = p, .spot = spot,
		.begin = calloc(rings, sizeof(*c.begin)), .next = calloc(rings, sizeof(*c.next)),
		.child = calloc(nodes, sizeof(*c.child)), .order = calloc(nodes, sizeof(*c.order)),
		.stack = calloc(p->rings.tree.nnodes, sizeof(*c.stack)),
	};
	bool ok = c.begin && c.next && c.child && c.order && c.stack;
	uint32_t i;

	if (ok) {
		index_rings(&c);
		order_members(&c);
	}
	for (i = 0; ok && i < c.n; i++) {
		turn_to(&spot[c.order[i]], (double)i / c.n, 1);
		spot[c.order[i]].back = p->rings.tree.ring[p->when[c.order[i]]].level;
	}
	hc_free_all(c.begin, c.next, c.child, c.order, c.stack);
	return ok;
}

/* --- spanning trees --- */

struct branch {
	uint32_t parent;
	uint32_t depth;
	uint32_t leaves;
	uint32_t given;		/* number of leaves whose angles its children have so far */
	double begin;
};

/* Set the parents, and count the leaves below each node. Edges are ordered by step, so all edges to
 * a node come before the one from it.
 */
static void measure(const struct plot *p, struct branch *b)
{
	const struct plot_edge *e;
	size_t i;

	for (i = 0; i < p->nedges; i++) {
		e = &p->edges[i];
		b[e->from].parent = e->to;
		if (!b[e->from].leaves)
			b[e->from].leaves = 1;
		b[e->to].leaves += b[e->from].leaves;
	}
}

static bool place_span(const struct plot *p, struct plot_spot *spot)
{
	struct branch *b = calloc(p->net->nodes, sizeof(*b)), *up, *own;
	uint32_t deepest = 1;
	size_t i;

	if (!b)
		return false;
	measure(p, b);
	spot[p->root] = (struct plot_spot){ .there = true, .bold = true };
	/* From the root down. */
	for (i = p->nedges; i--;) {
		own = &b[p->edges[i].from];
		up = &b[own->parent];
		own->depth = up->depth + 1;
		own->begin = up->begin + up->given;
		up->given += own->leaves;
		deepest = own->depth > deepest ? own->depth : deepest;
	}
	for (i = 0; i < p->nedges; i++) {
		own = &b[p->edges[i].from];
		spot[p->edges[i].from] = (struct plot_spot){ .there = true, .back = own->depth };
		turn_to(&spot[p->edges[i].from],
			(own->begin + own->leaves / 2.) / b[p->root].leaves,
			(double)own->depth / deepest);
	}
	free(b);
	return true;
}

struct plot_spot *plot_net_places(const struct plot *p)
{
	struct plot_spot *spot = calloc(p->net->nodes, sizeof(*spot));

	if (spot && !(p->kind == PLOT_SPAN ? place_span : place_rings)(p, spot)) {
		free(spot);
		spot = NULL;
	}
	return spot;
}
