// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: the same for graphviz.  Links are edges without direction, transfers
 * edges with one; nodes are pinned where the SVG has them.
 */
#include <inttypes.h>

#include "plot.h"

static void node_print(FILE *f, const struct plot *p, uint32_t u)
{
	unsigned int low = (p->dim + 1) / 2;
	char bits[OUT_BUF];
	double x, y;

	if (p->dim <= PLOT_CUBE_DIM) {
		plot_place(p, u, &x, &y, SVG_AREA_W, SVG_AREA_H);
	} else {
		x = 60.0 * (u & hc_ones(low));
		y = 60.0 * (u >> low);
	}
	fprintf(f, "\tn%u [label=\"%u\", tooltip=\"%s\", pos=\"%.1f,%.1f!\"", u, u,
		out_bits(bits, u, p->dim), x, -y);
	if (plot_failed(p, u))
		fputs(", color=crimson, fontcolor=crimson, style=dashed", f);
	else if (plot_left_out(p, u))
		fputs(", color=gray, fontcolor=gray", f);
	else if (plot_is_root(p, u))
		fputs(", peripheries=2, style=filled, fillcolor=lightgray", f);
	fputs("];\n", f);
}

static void link_print(FILE *f, const struct plot *p, uint32_t u, unsigned int d)
{
	uint32_t v = hc_neigh(u, d);
	uint64_t bytes = plot_link_bytes(p, u, d);

	fprintf(f, "\tn%u -> n%u [dir=none, dim=%u", u, v, d);
	if (plot_link_bad(p, u, d))
		fputs(", color=crimson, style=dashed, fontcolor=crimson, label=\"x\"", f);
	else if (plot_failed(p, u) || plot_failed(p, v))
		fputs(", color=pink, style=dotted", f);
	else if (bytes)
		fprintf(f, ", color=darkorange, penwidth=%u", 1 + plot_heat(bytes, p->busiest));
	else
		fputs(", color=gray80", f);
	if (p->sent)
		fprintf(f, ", bytes=%" PRIu64, bytes);
	fputs("];\n", f);
}

static void edge_print(FILE *f, const struct plot *p, const struct plot_edge *e)
{
	/* From violet to yellow. */
	double hue = p->phases > 1 ? .75 - .6 * e->when / (p->phases - 1) : .75;

	fprintf(f, "\tn%u -> n%u [label=\"%u\", color=\"%.3f 0.9 0.7\", penwidth=2%s];\n", e->from,
		e->to, e->when + p->first, hue,
		e->how == HC_TREE_HELP ? ", style=dotted" :
		e->how == HC_TREE_DETOUR ? ", style=dashed" :
		p->kind == PLOT_DOUBLING ? ", dir=both" : "");
}

void plot_dot_print(FILE *f, const struct plot *p)
{
	unsigned int d;
	uint32_t u;
	size_t i;

	if (!p->dim) {
		plot_net_dot_print(f, p);
		return;
	}
	fprintf(f, "digraph hypercube {\n\tgraph [layout=neato, splines=line, inputscale=72];\n"
		"\tnode [shape=circle, fixedsize=true, width=0.5, fontsize=12];\n"
		"\tedge [fontsize=10];\n");
	for (u = 0; u < hc_nodes(p->dim); u++)
		node_print(f, p, u);
	for (u = 0; u < hc_nodes(p->dim); u++)
		for (d = 0; d < p->dim; d++)
			if (!(u & hc_bit(d)))
				link_print(f, p, u, d);
	/* An exchange is an edge with two heads. */
	for (i = 0; i < p->nedges; i++)
		if (p->kind != PLOT_DOUBLING || p->edges[i].from < p->edges[i].to)
			edge_print(f, p, &p->edges[i]);
	fputs("}\n", f);
}
