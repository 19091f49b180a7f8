// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: pictures for graphviz. Links are undirected edges, and transfers are directed edges.
 * Nodes are pinned to the positions that they have in the SVG.
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

/* Return: the hue of phase @when. The hues go from violet for the first phase to yellow for the
 * last.
 */
static double hue(const struct plot *p, unsigned int when)
{
	return p->phases > 1 ? .75 - .6 * when / (p->phases - 1) : .75;
}

static void edge_print(FILE *f, const struct plot *p, const struct plot_edge *e)
{
	uint32_t u = e->from;
	unsigned int i;

	fprintf(f, "\tn%u -> n%u [label=\"%u\", color=\"%.3f 0.9 0.7\", penwidth=2%s", e->from,
		e->to, e->when + p->first, hue(p, e->when),
		e->how == HC_TREE_HELP ? ", style=dotted" :
		e->how == HC_TREE_DETOUR ? ", style=dashed" :
		p->kind == PLOT_DOUBLING ? ", dir=both" : "");
	for (i = 0; i < e->hops; i++) {
		fprintf(f, "%s%u", i ? "," : ", path=\"", u);
		u = hc_neigh(u, e->dims[i]);
	}
	if (e->hops)
		fprintf(f, ",%u\"", u);
	fputs("];\n", f);
}

/* --- the key: it is in the label of the graph, so that it is not counted as a node --- */

static void key_row(FILE *f, bool there, const char *colour, const char *text)
{
	if (there)
		fprintf(f, "<TR><TD ALIGN=\"LEFT\"><FONT COLOR=\"%s\">%s</FONT></TD></TR>\n",
			colour, text);
}

static void key_phases(FILE *f, const struct plot *p)
{
	char text[PLOT_PHASE + 16], phase[PLOT_PHASE], colour[24];
	unsigned int i;

	for (i = 0; i < p->phases; i++) {
		snprintf(text, sizeof(text), "%s %s", plot_phase_word(p), plot_phase(phase, p, i));
		snprintf(colour, sizeof(colour), "%.3f 0.9 0.7", hue(p, i));
		key_row(f, true, colour, text);
	}
}

static void key_print(FILE *f, const struct plot *p)
{
	struct plot_found n = plot_look(p);

	fputs("\tgraph [labelloc=b, labeljust=l, label=<<TABLE BORDER=\"0\" CELLSPACING=\"0\">\n<TR><TD ALIGN=\"LEFT\"><B>",
	      f);
	plot_heading_print(f, p);
	fputs("</B></TD></TR>\n<TR><TD ALIGN=\"LEFT\">", f);
	plot_subheading_print(f, p);
	fputs("</TD></TR>\n", f);
	key_row(f, p->kind == PLOT_TREE || p->kind == PLOT_SPAN, "black", "filled, two circles: the sink");
	key_row(f, p->kind == PLOT_BCAST, "black", "filled, two circles: the source");
	key_row(f, p->core, "black", "filled, two circles: of the subcube");
	key_row(f, n.failed, "crimson", "dashed circle: failed");
	key_row(f, n.left, "gray", "gray circle: takes no part");
	key_row(f, n.bad, "crimson", "dashed line with an x: faulty");
	key_row(f, n.failed, "pink", "dotted line: at a failed node");
	key_row(f, p->busiest, "darkorange",
		"the thicker the line, the more traffic: each step is twice as much");
	key_row(f, p->nedges, "black", "arrow: its number is that of");
	key_phases(f, p);
	key_row(f, n.help, "black", "dotted arrow: a part, to a helper");
	key_row(f, n.tour, "black", "dashed arrow: a detour");
	fputs("</TABLE>>];\n", f);
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
	key_print(f, p);
	for (u = 0; u < hc_nodes(p->dim); u++)
		node_print(f, p, u);
	for (u = 0; u < hc_nodes(p->dim); u++)
		for (d = 0; d < p->dim; d++)
			if (!(u & hc_bit(d)))
				link_print(f, p, u, d);
	/* An exchange has two transfers, but is drawn as one edge with two arrow heads. */
	for (i = 0; i < p->nedges; i++)
		if (p->kind != PLOT_DOUBLING || p->edges[i].from < p->edges[i].to)
			edge_print(f, p, &p->edges[i]);
	fputs("}\n", f);
}
