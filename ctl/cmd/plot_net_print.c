// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: ring trees of networks that are no cubes.
 *
 * The nodes are on a circle: those of the first ring in its order, and behind each convergent
 * point what hangs on it.  So rings are arcs of neighbours, but for where they end.
 */
#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "plot.h"

#define CENTRE_X (SVG_LEFT + SVG_AREA_W / 2.)
#define CENTRE_Y (SVG_TOP + SVG_AREA_H / 2.)
#define RADIUS (SVG_AREA_H / 2. - 40)

struct point {
	double x, y;
};

struct circle {
	FILE *f;
	const struct plot *p;
	uint32_t *begin;	/* of each ring the first of its nodes */
	uint32_t *child;	/* of each node the first ring that hangs on it, plus 1 */
	uint32_t *next;		/* of each ring the next on the same node, plus 1 */
	uint32_t *place;	/* of each node its place on the circle, from 1; 0: none */
	uint32_t *stack;	/* virtual nodes to go to */
	uint32_t n;
	double r;		/* of a node */
};

/* Where a ring meets the tree: its one node that is at home elsewhere. */
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
	/* From the last on, so that the first comes first. */
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

/* Go around: a node, what hangs on it, the next one. */
static void place_members(struct circle *c)
{
	uint32_t depth = push_ring(c, 0, 0), u, r, hung;

	while (depth) {
		u = c->p->rings.tree.node[c->stack[--depth]];
		if (c->place[u])
			continue;
		c->place[u] = ++c->n;
		hung = c->child[u];
		for (; hung; hung = c->next[r]) {
			r = hung - 1;
			depth = push_ring(c, r, depth);
		}
	}
}

static struct point at(const struct circle *c, uint32_t u, double r)
{
	double angle = 2 * M_PI * (c->place[u] - 1) / c->n - M_PI / 2;

	return (struct point){ CENTRE_X + r * cos(angle),
			       CENTRE_Y + r * sin(angle) };
}

static void link_print(const struct circle *c, uint32_t u, uint32_t v)
{
	struct point a = at(c, u, RADIUS), b = at(c, v, RADIUS);

	fprintf(c->f, "<line class=\"l\" stroke-width=\"1\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"><title>link %u - %u</title></line>\n",
		a.x, a.y, b.x, b.y, u, v);
}

static void links_print(const struct circle *c)
{
	const struct hc_graph *g = c->p->net;
	uint32_t u, i;

	fputs("<g id=\"links\">\n", c->f);
	for (u = 0; u < g->nodes; u++)
		for (i = g->first[u]; i < g->first[u + 1]; i++)
			if (u < g->to[i] && c->place[u] && c->place[g->to[i]])
				link_print(c, u, g->to[i]);
	fputs("</g>\n", c->f);
}

/* From a node to the next, bent towards the middle, with an arrow's head. */
static void hop_print(const struct circle *c, uint32_t r, uint32_t u, uint32_t v)
{
	unsigned int colour = plot_colour(c->p, r);
	struct point a = at(c, u, RADIUS), b = at(c, v, RADIUS), to, bend, foot;
	/* The farther they are apart. */
	double len, part = 1 - .12 * hypot(a.x - b.x, a.y - b.y) / RADIUS;

	bend = (struct point){ CENTRE_X + ((a.x + b.x) / 2 - CENTRE_X) * part,
			       CENTRE_Y + ((a.y + b.y) / 2 - CENTRE_Y) * part };
	len = hypot(bend.x - b.x, bend.y - b.y);
	to = (struct point){ b.x + (bend.x - b.x) / len * (c->r + 1),
			     b.y + (bend.y - b.y) / len * (c->r + 1) };
	foot = (struct point){ to.x + (bend.x - b.x) / len * 8, to.y + (bend.y - b.y) / len * 8 };
	fprintf(c->f, "<g class=\"edge\"><title>ring %u: %u to %u</title><path class=\"c%u\" stroke-width=\"2.4\" d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\"/>",
		r, u, v, colour, a.x, a.y, bend.x, bend.y, foot.x, foot.y);
	fprintf(c->f, "<polygon class=\"f%u\" points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/></g>\n",
		colour, to.x, to.y, foot.x + (foot.y - to.y) * .5, foot.y - (foot.x - to.x) * .5,
		foot.x - (foot.y - to.y) * .5, foot.y + (foot.x - to.x) * .5);
}

static void ring_print(const struct circle *c, uint32_t r)
{
	const struct hc_ring *ring = &c->p->rings.tree.ring[r];
	const uint16_t *node = c->p->rings.tree.node + c->begin[r];
	uint32_t i;

	for (i = 1; i < ring->size; i++)
		hop_print(c, r, node[i - 1], node[i]);
	if (ring->size > 1 && hc_ring_closes(c->p->net, ring, node))
		hop_print(c, r, node[i - 1], node[0]);
}

static void node_print(const struct circle *c, uint32_t u)
{
	struct point p = at(c, u, RADIUS), text = at(c, u, RADIUS + c->r + 12);

	fprintf(c->f, "<g class=\"node\" id=\"n%u\"><title>node %u, at home in ring %u</title><circle class=\"n c%u\" stroke-width=\"%g\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>",
		u, u, c->p->rings.home[u], plot_colour(c->p, c->p->rings.home[u]),
		c->child[u] ? 4. : 2., p.x, p.y, c->r);
	if (c->n <= 160)
		fprintf(c->f, "<text class=\"ink m\" x=\"%.1f\" y=\"%.1f\" font-size=\"11\">%u</text>",
			text.x, text.y + 4, u);
	fputs("</g>\n", c->f);
}

static bool circle_init(struct circle *c)
{
	const uint32_t nodes = c->p->net->nodes, rings = c->p->rings.tree.nrings;

	c->begin = calloc(rings, sizeof(*c->begin));
	c->next = calloc(rings, sizeof(*c->next));
	c->child = calloc(nodes, sizeof(*c->child));
	c->place = calloc(nodes, sizeof(*c->place));
	c->stack = calloc(c->p->rings.tree.nnodes, sizeof(*c->stack));
	if (!c->begin || !c->next || !c->child || !c->place || !c->stack)
		return false;
	index_rings(c);
	place_members(c);
	c->r = fmax(2, fmin(9, 2.2 * RADIUS / c->n));
	return true;
}

static void circle_free(struct circle *c)
{
	hc_free_all(c->begin, c->next, c->child, c->place, c->stack);
}

uint32_t *plot_net_places(const struct plot *p, uint32_t *n)
{
	struct circle c = { .p = p };
	uint32_t *place = NULL;

	if (circle_init(&c)) {
		place = c.place;
		c.place = NULL;
	}
	*n = c.n;
	circle_free(&c);
	return place;
}

void plot_net_print(FILE *f, const struct plot *p)
{
	struct circle c = { .f = f, .p = p };
	uint32_t u, r;

	if (circle_init(&c)) {
		links_print(&c);
		for (r = 0; r < p->rings.tree.nrings; r++)
			ring_print(&c, r);
		for (u = 0; u < p->net->nodes; u++)
			if (c.place[u])
				node_print(&c, u);
	}
	circle_free(&c);
}

/* --- the same for graphviz, which finds the places --- */

static void dot_ring_print(FILE *f, const struct plot *p, uint32_t r, const uint16_t *node)
{
	const struct hc_ring *ring = &p->rings.tree.ring[r];
	uint32_t i, v;

	for (i = 0; i < ring->size; i++) {
		v = node[i + 1 < ring->size ? i + 1 : 0];
		if (hc_graph_linked(p->net, node[i], v))
			fprintf(f, "\tn%u -> n%u [label=\"%u\", color=\"%.3f 0.9 0.7\", penwidth=2];\n",
				node[i], v, r, fmod(r * .618, 1));
	}
}

void plot_net_dot_print(FILE *f, const struct plot *p)
{
	const struct hc_graph *g = p->net;
	uint32_t u, i, r, begin = 0;

	fputs("digraph rings {\n\tgraph [layout=neato, overlap=false];\n"
	      "\tnode [shape=circle, fontsize=12];\n", f);
	for (u = 0; u < g->nodes; u++)
		if (hc_set_has(g->live, u))
			fprintf(f, "\tn%u [label=\"%u\", tooltip=\"%u\"%s];\n", u, u, u,
				p->rings.home[u] == HC_RING_NONE ? ", color=gray" : "");
	for (u = 0; u < g->nodes; u++)
		for (i = g->first[u]; i < g->first[u + 1]; i++)
			if (u < g->to[i])
				fprintf(f, "\tn%u -> n%u [dir=none, color=gray80];\n", u, g->to[i]);
	for (r = 0; r < p->rings.tree.nrings; begin += p->rings.tree.ring[r++].size)
		dot_ring_print(f, p, r, p->rings.tree.node + begin);
	fputs("}\n", f);
}
