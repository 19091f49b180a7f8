// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: a matrix of nodes and dimensions, for cubes that are too large to be drawn.
 *
 * It has a panel for the nodes, and a panel for each dimension, which shows how each node uses its
 * link along this dimension. In all panels, the cell of node u is in column u % columns of row u /
 * columns.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"

/* The arrangement of the panels and their cells. */
struct grid {
	FILE *f;
	const struct plot *p;
	const struct plot_edge **out;	/* for each node, the first transfer that it sends, or in a
					 * broadcast the transfer that it receives
					 */
	uint32_t columns;		/* number of columns of a panel's cells */
	uint32_t rows;			/* number of rows of a panel's cells */
	unsigned int across;		/* number of panels beside each other */
	double cell;			/* size of a cell in a dimension's panel */
};

/* SEPARATE: cells of this size or larger have gaps between them. NUMBERED: cells of this size or
 * larger show the numbers of their nodes.
 */
#define SEPARATE 5
#define NUMBERED 15

#define TITLE 22
#define GAP 18
/* The panel of the nodes is as large as NODES times NODES panels of dimensions. */
#define NODES 2

static double cell_size(const struct grid *g, unsigned int across, unsigned int down)
{
	double w = ((double)SVG_AREA_W - (across - 1) * GAP) / across / g->columns;
	double h = ((double)SVG_AREA_H - (down - 1) * GAP - down * TITLE) / down / g->rows;

	return fmin(w, h);
}

static void arrange(struct grid *g)
{
	unsigned int dim = g->p->dim, across, down;

	g->columns = hc_nodes((dim + 1) / 2);
	g->rows = hc_nodes(dim / 2);
	for (across = NODES; across <= dim; across++) {
		down = (dim + NODES * NODES + across - 1) / across;
		if (down < NODES)
			down = NODES;
		if (cell_size(g, across, down) <= g->cell)
			continue;
		g->cell = cell_size(g, across, down);
		g->across = across;
	}
}

/* Return: the slot of a dimension's panel. Slots are counted row by row, and each is large enough
 * for the panel of a dimension. The panel of the nodes covers the slots in the first corner, so
 * these are skipped.
 */
static unsigned int slot_of(const struct grid *g, unsigned int d)
{
	unsigned int slot = 0;

	for (;; slot++) {
		if (slot % g->across < NODES && slot / g->across < NODES)
			continue;
		if (!d--)
			return slot;
	}
}

static void phase_class(const struct plot *p, unsigned int when, char *class, size_t size)
{
	snprintf(class, size, "f%u", plot_colour(p, when));
}

/* Write the class of a node's cell into @class. "" means the colour of the panel. */
static void node_class(const struct plot *p, uint32_t u, char *class, size_t size)
{
	*class = 0;
	if (plot_failed(p, u))
		snprintf(class, size, "badf");
	else if (plot_is_root(p, u))
		snprintf(class, size, "root");
	else if (plot_left_out(p, u))
		snprintf(class, size, "left");
	else if (p->kind && p->when[u] != PLOT_NEVER)
		phase_class(p, p->when[u], class, size);
}

static void link_class(const struct grid *g, uint32_t u, unsigned int d, char *class, size_t size)
{
	const struct plot *p = g->p;
	const struct plot_edge *e = g->out ? g->out[u] : NULL;
	unsigned int heat = p->sent ?
		plot_heat(2 * p->sent[(size_t)u * p->dim + d], p->busiest) : 0;

	*class = 0;
	if (plot_link_bad(p, u, d))
		snprintf(class, size, "badf");
	else if (p->sent && heat)
		snprintf(class, size, "g%u", heat);
	else if (!p->sent && e && e->how == HC_TREE_DIRECT && e->dim == d)
		phase_class(p, e->when, class, size);
	else if (plot_failed(p, u) || plot_failed(p, hc_neigh(u, d)))
		snprintf(class, size, "dead");
}

/* Write the class of the cell of node @u in the panel of dimension @d, if the node has a transfer
 * along @d. link_class() has regarded only the first transfer of the node. A node has several if it
 * has helpers, or exchanges data at each stage.
 */
static void more_class(const struct grid *g, uint32_t u, unsigned int d, char *class, size_t size)
{
	const struct plot *p = g->p;
	const struct plot_edge *e = g->out && p->kind != PLOT_BCAST ? g->out[u] : NULL;

	for (; e && e < p->edges + p->nedges && e->from == u; e++)
		if (e->how != HC_TREE_DETOUR && e->dim == d && !p->sent)
			phase_class(p, e->when, class, size);
}

static void class_of(const struct grid *g, uint32_t u, unsigned int panel, char *class, size_t size)
{
	if (!panel) {
		node_class(g->p, u, class, size);
	} else {
		link_class(g, u, panel - 1, class, size);
		more_class(g, u, panel - 1, class, size);
	}
}

/* A panel and its position. */
struct panel {
	unsigned int nr;	/* 0: the panel of the nodes; d + 1: the panel of dimension d */
	double x;
	double y;
	double cell;
};

static struct panel panel_place(const struct grid *g, unsigned int nr)
{
	struct panel at = { .nr = nr, .x = SVG_LEFT, .y = SVG_TOP + TITLE, .cell = g->cell };
	unsigned int slot;

	if (!nr) {
		at.cell = NODES * g->cell + (NODES - 1) * fmin((double)GAP / g->columns,
							       (double)(GAP + TITLE) / g->rows);
		return at;
	}
	slot = slot_of(g, nr - 1);
	at.x += slot % g->across * (g->cell * g->columns + GAP);
	at.y += slot / g->across * (g->cell * g->rows + GAP + TITLE);
	return at;
}

/* Draw the cells of the @n nodes from @u on, which have the same class. Small cells have no gaps
 * between them, so one rectangle can cover several cells.
 */
static void cells(const struct grid *g, const struct panel *at, uint32_t u, uint32_t n,
		  const char *class)
{
	double gap = at->cell >= SEPARATE ? 1 : 0;
	double x = at->x + u % g->columns * at->cell, y = at->y + u / g->columns * at->cell;

	if (*class)
		fprintf(g->f, "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
			class, x, y, n * at->cell - gap, at->cell - gap);
	if (!at->nr && at->cell >= NUMBERED)
		fprintf(g->f, "<text class=\"%s m\" x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\">%u</text>\n",
			*class && strcmp(class, "left") ? "onroot" : "faint", x + at->cell / 2 - .5,
			y + at->cell * .63, at->cell * .42, u);
}

static void panel_cells(const struct grid *g, const struct panel *at)
{
	uint32_t u, begin = 0, n = hc_nodes(g->p->dim);
	char class[16] = "", next[16];

	for (u = 0; u <= n; u++) {
		if (u < n)
			class_of(g, u, at->nr, next, sizeof(next));
		if (u && u < n && u % g->columns && at->cell < SEPARATE && !strcmp(class, next))
			continue;
		if (u)
			cells(g, at, begin, u - begin, class);
		begin = u;
		memcpy(class, next, sizeof(class));
	}
}

static void panel_print(const struct grid *g, unsigned int nr)
{
	struct panel at = panel_place(g, nr);

	fprintf(g->f, "<g class=\"%s\">\n<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" font-size=\"13\">",
		nr ? "dimension" : "nodes", nr ? "faint" : "ink w", at.x, at.y - 7);
	if (nr)
		fprintf(g->f, "dimension %u</text>\n", nr - 1);
	else
		fputs("nodes</text>\n", g->f);
	fprintf(g->f, "<rect class=\"panel\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
		at.x - 1, at.y - 1, g->columns * at.cell + 1, g->rows * at.cell + 1);
	panel_cells(g, &at);
	fputs("</g>\n", g->f);
}

void plot_matrix_print(FILE *f, const struct plot *p)
{
	struct grid g = { .f = f, .p = p };
	unsigned int nr;
	size_t i;

	g.out = calloc(hc_nodes(p->dim), sizeof(*g.out));
	/* Find the first transfer of each node. The transfers that a node sends are consecutive. */
	for (i = p->nedges; g.out && i--;)
		g.out[p->kind == PLOT_BCAST ? p->edges[i].to : p->edges[i].from] = &p->edges[i];
	arrange(&g);
	for (nr = 0; nr <= p->dim; nr++)
		panel_print(&g, nr);
	free(g.out);
}
