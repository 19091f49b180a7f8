// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: the positions of nodes in a network that is not a hypercube.
 *
 * The nodes of a ring tree are on a circle, in the order of the first ring. Each convergent point,
 * where further rings begin, is followed by the nodes of these rings. So the nodes of a ring are
 * mostly neighbours on an arc.
 *
 * In a spanning tree, the root is in the centre, and the distance of each other member from the
 * centre is its depth. A subtree has a share of the full angle in proportion to its leaves, so its
 * links do not cross other links of the tree.
 */
#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "plot.h"

/* --- ring trees --- */

struct circle {
	const struct plot *p;
	struct plot_spot *spot;
	uint32_t *begin;	/* for each ring, the index of its first node */
	uint32_t *child;	/* for each node, the first ring that meets the tree there, plus 1;
				 * 0: none
				 */
	uint32_t *next;		/* for each ring, the next one that meets the tree at the same node,
				 * plus 1
				 */
	uint32_t *stack;	/* virtual nodes still to visit */
	uint32_t *order;	/* the members in the order of their positions */
	uint32_t n;
};

/* Return: the node where a ring meets the tree: the only node of the ring whose home is another
 * ring.
 */
static uint32_t meets(const struct circle *c, uint32_t r)
{
	const struct hc_ring_plan *p = &c->p->rings;
	uint32_t i = c->begin[r];

	while (p->home[p->tree.node[i]] == r)
		i++;
	return p->tree.node[i];
}

/* Make the list of the rings that meet the tree at each node. */
static void index_rings(struct circle *c)
{
	const struct hc_ring_tree *t = &c->p->rings.tree;
	uint32_t r, u, at = 0;

	for (r = 0; r < t->nrings; at += t->ring[r++].size)
		c->begin[r] = at;
	/* Rings are added at the head of a list, so begin with the last one. */
	for (r = t->nrings; --r;) {
		u = meets(c, r);
		c->next[r] = c->child[u];
		c->child[u] = r + 1;
	}
}

/* Push the nodes of a ring on the stack, the first one on top. Return: the new depth of the stack.
 */
static uint32_t push_ring(struct circle *c, uint32_t r, uint32_t depth)
{
	uint32_t i;

	for (i = c->p->rings.tree.ring[r].size; i--;)
		c->stack[depth++] = c->begin[r] + i;
	return depth;
}

/* Order the members: after each node come the nodes of the rings that meet the tree there, and then
 * the next node.
 */
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

/* Place a node at distance @r from the centre, at a fraction @part of the full angle. */
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
	uint32_t given;		/* number of leaves below those children that already have their
				 * angles
				 */
	double begin;		/* leaves before the first one of this subtree, in the order of the
				 * angles
				 */
};

/* Set the parents, and count the leaves below each node. Transfers are sorted by step, so all
 * transfers to a node are before the one that it sends.
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
	/* Go from the root down, to assign angles. */
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
