// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: drawing of trees of rings and spanning trees of networks that are not hypercubes.
 */
#include <math.h>
#include <stdlib.h>

#include "plot.h"

#define CENTRE_X (SVG_LEFT + SVG_AREA_W / 2.)
#define CENTRE_Y (SVG_TOP + SVG_AREA_H / 2.)
#define RADIUS (SVG_AREA_H / 2. - 40)
/* Up to this number of nodes, the picture shows the numbers of the nodes. */
#define NUMBERED 160
/* R_MAX_*: maximum radius of a node. R_WITHIN: if the radius of nodes is at least this, a node's
 * number is inside the node.
 */
#define R_MAX_RING 9.
#define R_MAX_SPAN 13.
#define R_WITHIN 11.

struct point {
	double x, y;
};

struct drawing {
	FILE *f;
	const struct plot *p;
	const struct plot_spot *spot;	/* position of each node */
	uint32_t n;		/* number of nodes that are drawn */
	double r;		/* radius of a node */
};

/* Return: the position of a node, moved away from the centre by @out. */
static struct point at(const struct drawing *d, uint32_t u, double out)
{
	const struct plot_spot *s = &d->spot[u];
	double r = hypot(s->x, s->y);

	return (struct point){ CENTRE_X + s->x * RADIUS + (r > 0 ? s->x / r * out : 0),
			       CENTRE_Y + s->y * RADIUS + (r > 0 ? s->y / r : -1) * out };
}

static void link_print(const struct drawing *d, uint32_t u, uint32_t v)
{
	struct point a = at(d, u, 0), b = at(d, v, 0);

	fprintf(d->f, "<line class=\"l\" stroke-width=\"1\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"><title>link %u - %u</title></line>\n",
		a.x, a.y, b.x, b.y, u, v);
}

static void links_print(const struct drawing *d)
{
	const struct hc_graph *g = d->p->net;
	uint32_t u, i;

	fputs("<g id=\"links\">\n", d->f);
	for (u = 0; u < g->nodes; u++)
		for (i = g->first[u]; i < g->first[u + 1]; i++)
			if (u < g->to[i] && d->spot[u].there && d->spot[g->to[i]].there)
				link_print(d, u, g->to[i]);
	fputs("</g>\n", d->f);
}

/* Draw a transfer as a line with an arrow head. The line of a ring's transfer is bent towards the
 * centre, the more the farther apart its two nodes are.
 */
static void edge_print(const struct drawing *d, const struct plot_edge *e)
{
	unsigned int colour = plot_colour(d->p, e->when);
	struct point a = at(d, e->from, 0), b = at(d, e->to, 0), to, bend, foot;
	double part = 1, len;

	if (d->p->kind == PLOT_RING)
		part -= .12 * hypot(a.x - b.x, a.y - b.y) / RADIUS;
	bend = (struct point){ CENTRE_X + ((a.x + b.x) / 2 - CENTRE_X) * part,
			       CENTRE_Y + ((a.y + b.y) / 2 - CENTRE_Y) * part };
	len = hypot(bend.x - b.x, bend.y - b.y);
	to = (struct point){ b.x + (bend.x - b.x) / len * (d->r + 1),
			     b.y + (bend.y - b.y) / len * (d->r + 1) };
	foot = (struct point){ to.x + (bend.x - b.x) / len * 8, to.y + (bend.y - b.y) / len * 8 };
	fprintf(d->f, "<g class=\"edge\"><title>%s %u: %u to %u</title><path class=\"c%u\" stroke-width=\"2.4\" d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\"/>",
		plot_phase_word(d->p), e->when + d->p->first, e->from, e->to, colour, a.x, a.y,
		bend.x, bend.y, foot.x, foot.y);
	fprintf(d->f, "<polygon class=\"f%u\" points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/></g>\n",
		colour, to.x, to.y, foot.x + (foot.y - to.y) * .5, foot.y - (foot.x - to.x) * .5,
		foot.x - (foot.y - to.y) * .5, foot.y + (foot.x - to.x) * .5);
}

/* Print the number of a node: inside the node if that is large enough, otherwise beside it. In a
 * spanning tree, arrows lead inwards, so the number is at the side of the node, where no arrow is.
 */
static void number_print(const struct drawing *d, uint32_t u)
{
	struct point p = at(d, u, 0), out = at(d, u, d->r + 12);
	bool within = d->r >= R_WITHIN, root = plot_is_root(d->p, u);

	if (within)
		out = p;
	else if (d->p->kind == PLOT_SPAN)
		out = (struct point){ p.x - (out.y - p.y), p.y + (out.x - p.x) };
	fprintf(d->f, "<text class=\"%s m\" x=\"%.1f\" y=\"%.1f\" font-size=\"11\">%u</text>",
		within && root ? "onroot" : "ink", out.x, out.y + 4, u);
}

static void node_print(const struct drawing *d, uint32_t u)
{
	struct point p = at(d, u, 0);
	bool root = plot_is_root(d->p, u);
	unsigned int when = d->p->when[u];

	fprintf(d->f, "<g class=\"node\" id=\"n%u\"><title>node %u", u, u);
	if (root)
		fputs(", the sink", d->f);
	else
		fprintf(d->f, d->p->kind == PLOT_SPAN ? ", sends in step %u" : ", at home in ring %u",
			when + d->p->first);
	fputs("</title><circle class=\"", d->f);
	if (root)
		fputs("root", d->f);
	else
		fprintf(d->f, "n c%u", plot_colour(d->p, when));
	fprintf(d->f, "\" stroke-width=\"%g\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>",
		d->spot[u].bold ? 4. : 2., p.x, p.y, d->r);
	if (d->n <= NUMBERED)
		number_print(d, u);
	fputs("</g>\n", d->f);
}

void plot_net_print(FILE *f, const struct plot *p)
{
	struct plot_spot *spot = plot_net_places(p);
	struct drawing d = { .f = f, .p = p, .spot = spot };
	uint32_t u;
	size_t i;

	for (u = 0; spot && u < p->net->nodes; u++)
		d.n += spot[u].there;
	d.r = fmax(2, fmin(p->kind == PLOT_SPAN ? R_MAX_SPAN : R_MAX_RING,
			   2.2 * RADIUS / (d.n + 1)));
	if (spot)
		links_print(&d);
	for (i = 0; spot && i < p->nedges; i++)
		edge_print(&d, &p->edges[i]);
	for (u = 0; spot && u < p->net->nodes; u++)
		if (spot[u].there)
			node_print(&d, u);
	free(spot);
}

/* --- the same for graphviz, which computes the positions --- */

void plot_net_dot_print(FILE *f, const struct plot *p)
{
	const struct hc_graph *g = p->net;
	uint32_t u, i;
	size_t e;

	fprintf(f, "digraph %s {\n\tgraph [layout=neato, overlap=false];\n"
		"\tnode [shape=circle, fontsize=12];\n", plot_kind_name(p));
	for (u = 0; u < g->nodes; u++)
		if (hc_set_has(g->live, u))
			fprintf(f, "\tn%u [label=\"%u\", tooltip=\"%u\"%s];\n", u, u, u,
				plot_is_root(p, u) ? ", peripheries=2" :
				p->when[u] == PLOT_NEVER ? ", color=gray" : "");
	for (u = 0; u < g->nodes; u++)
		for (i = g->first[u]; i < g->first[u + 1]; i++)
			if (u < g->to[i])
				fprintf(f, "\tn%u -> n%u [dir=none, color=gray80];\n", u, g->to[i]);
	for (e = 0; e < p->nedges; e++)
		fprintf(f, "\tn%u -> n%u [label=\"%u\", color=\"%.3f 0.9 0.7\", penwidth=2];\n",
			p->edges[e].from, p->edges[e].to, p->edges[e].when + p->first,
			fmod(p->edges[e].when * .618, 1));
	fputs("}\n", f);
}
