// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: the positions of nodes in a network that is not a hypercube.
 *
 * The nodes of a tree of rings are on a circle, in the order of the first ring. A convergent point,
 * where further rings begin, is followed by the nodes of these rings. So the nodes of a ring are
 * mostly neighbours on the circle.
 *
 * In a spanning tree, the root is in the centre, and the distance of each other member from the
 * centre is in proportion to its depth. Each subtree has a sector of the circle, in proportion to
 * its leaves, so the links of the tree do not cross.
 */
#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "plot.h"

/* --- trees of rings --- */

/* The nodes of a tree of rings, as they are placed on a circle. */
struct circle {
	const struct plot *p;
	struct plot_spot *spot;
	uint32_t *begin;	/* for each ring, the index of its first node */
	uint32_t *child;	/* for each node, the first of the rings that begin there, plus 1;
				 * 0: none
				 */
	uint32_t *next;		/* for each ring, the next ring that begins at the same node, plus
				 * 1; 0: none
				 */
	uint32_t *stack;	/* nodes of rings that are still to be visited, as indices */
	uint32_t *order;	/* the members, in the order of their positions */
	uint32_t n;		/* number of entries of @order */
};

/* Return: the convergent point where ring @r begins: the only node of the ring whose home is
 * another ring.
 */
static uint32_t meets(const struct circle *c, uint32_t r)
{
	const struct hc_ring_plan *p = &c->p->rings;
	uint32_t i = c->begin[r];

	while (p->home[p->tree.node[i]] == r)
		i++;
	return p->tree.node[i];
}

/* For each node, make the list of the rings that begin there. */
static void index_rings(struct circle *c)
{
	const struct hc_ring_tree *t = &c->p->rings.tree;
	uint32_t r, u, at = 0;

	for (r = 0; r < t->nrings; at += t->ring[r++].size)
		c->begin[r] = at;
	/* A ring is added at the head of a list, so begin with the last ring. */
	for (r = t->nrings; --r;) {
		u = meets(c, r);
		c->next[r] = c->child[u];
		c->child[u] = r + 1;
	}
}

/* Push the nodes of ring @r on the stack, so that its first node is on top. Return: the new depth
 * of the stack.
 */
static uint32_t push_ring(struct circle *c, uint32_t r, uint32_t depth)
{
	uint32_t i;

	for (i = c->p->rings.tree.ring[r].size; i--;)
		c->stack[depth++] = c->begin[r] + i;
	return depth;
}

/* Fill c->order: each node is followed by the nodes of the rings that begin there, and then by the
 * next node of its own ring.
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

/* Place a node at distance @r from the centre, at the fraction @part of a full turn. */
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

/* A member of a spanning tree, and its subtree. */
struct branch {
	uint32_t parent;
	uint32_t depth;		/* distance from the root */
	uint32_t leaves;	/* number of leaves in the subtree */
	uint32_t given;		/* number of leaves below those children that already have a sector
				 */
	double begin;		/* number of leaves in the sectors before that of this subtree */
};

/* Set the parent of each node, and count the leaves in each subtree. Transfers are sorted by step,
 * so all transfers to a node come before the one that the node sends.
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
	/* Assign sectors, from the root down. */
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
