// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: the SVG around the drawing: its size and heading.
 */
#include <inttypes.h>
#include <string.h>

#include "plot.h"

void plot_text_print(FILE *f, const char *text)
{
	static const char * const entity[] = {
		['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;",
	};

	for (; *text; text++) {
		unsigned char c = *text;

		/* Leave out control characters, because XML does not allow most of them. */
		if (c < sizeof(entity) / sizeof(*entity) && entity[c])
			fputs(entity[c], f);
		else if (c >= ' ')
			fputc(c, f);
	}
}

const char *plot_bytes(char *buf, uint64_t n)
{
	static const char * const unit[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	double v = n;
	unsigned int i = 0;

	while (v >= 1024 && i < 5) {
		v /= 1024;
		i++;
	}
	snprintf(buf, OUT_BUF, v < 10 && i ? "%.1f %s" : "%.0f %s", v, unit[i]);
	return buf;
}

void plot_heading_print(FILE *f, const struct plot *p)
{
	static const char * const what[] = {
		[PLOT_PLAIN] = "", [PLOT_TREE] = "communication tree, ",
		[PLOT_BCAST] = "broadcast, ", [PLOT_BALANCE] = "balancing topology, ",
		[PLOT_RING] = "rings, ", [PLOT_DOUBLING] = "recursive doubling, ",
		[PLOT_SPAN] = "spanning tree, ",
	};

	plot_text_print(f, p->name);
	fputs(*p->name ? ": " : "", f);
	if (p->plan)
		fprintf(f, "plan %u, ", p->plan);
	if (!p->dim)
		fprintf(f, "%s in a network", p->kind == PLOT_SPAN ? "spanning tree" : "rings");
	else
		fprintf(f, "%s%shypercube of dimension %u", what[p->kind], p->kind ? "" : "a ",
			p->dim);
}

static void add_order(FILE *f, const struct plot *p)
{
	unsigned int i;

	for (i = 0; i < p->phases && i < 24; i++)
		fprintf(f, "%s%u", i ? ", " : " ", p->order[i]);
	fputs(i < p->phases ? ", .." : "", f);
}

void plot_subheading_print(FILE *f, const struct plot *p)
{
	char bits[OUT_BUF];

	switch (p->kind) {
	case PLOT_TREE:
		fprintf(f, "everything goes to node %u (%s); dimensions by stage:", p->root,
			out_bits(bits, p->root, p->dim));
		add_order(f, p);
		break;
	case PLOT_BCAST:
		fprintf(f, "from node %u (%s); dimensions by step:", p->root,
			out_bits(bits, p->root, p->dim));
		add_order(f, p);
		break;
	case PLOT_BALANCE:
		fprintf(f, "trees of depth %u hang on a subcube without faults, which is drawn bold",
			p->phases);
		break;
	case PLOT_RING:
		fprintf(f, "%u of %u nodes in %u rings on %u levels, the longest of %u nodes",
			p->rings.members, p->rings.members + p->rings.nexcluded,
			p->rings.tree.nrings, p->rings.levels, p->rings.longest);
		break;
	case PLOT_SPAN:
		fprintf(f, "everything goes to node %u, from each of %zu nodes to its parent",
			p->root, p->nedges);
		break;
	case PLOT_DOUBLING:
		fprintf(f, "%u nodes exchange all that they have; dimensions by stage:",
			hc_nodes(p->phases));
		add_order(f, p);
		break;
	default:
		fprintf(f, "%u nodes, %u links", hc_nodes(p->dim), hc_nodes(p->dim) / 2 * p->dim);
	}
	if (p->steps)
		fprintf(f, "; %u steps", p->steps);
}

void plot_svg_print(FILE *f, const struct plot *p)
{
	fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n",
		SVG_WIDTH, SVG_HEIGHT, SVG_WIDTH, SVG_HEIGHT);
	fputs("<title>", f);
	plot_heading_print(f, p);
	fputs("</title>\n", f);
	plot_style_print(f, p);
	fprintf(f, "<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n", SVG_WIDTH, SVG_HEIGHT);
	fprintf(f, "<text class=\"ink w\" x=\"%d\" y=\"52\" font-size=\"25\">", SVG_LEFT);
	plot_heading_print(f, p);
	fputs("</text>\n", f);
	fprintf(f, "<text class=\"faint\" x=\"%d\" y=\"80\" font-size=\"15\">", SVG_LEFT);
	plot_subheading_print(f, p);
	if (p->broken)
		fputs(" <tspan class=\"badf w\">broken by a fault</tspan>", f);
	fputs("</text>\n", f);
	if (!p->dim)
		plot_net_print(f, p);
	else if (p->dim <= PLOT_CUBE_DIM)
		plot_cube_print(f, p);
	else
		plot_matrix_print(f, p);
	plot_key_print(f, p);
	fputs("</svg>\n", f);
}
