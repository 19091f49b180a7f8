// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: the frame of an SVG: size, colours, heading.
 */
#include <inttypes.h>
#include <string.h>

#include "plot.h"

void plot_text_print(FILE *f, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '&':
			fputs("&amp;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		default:
			/* XML does not know the other control characters at all. */
			if ((unsigned char)*text >= ' ')
				fputc(*text, f);
		}
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

/* The colours of a scheme: of the paper, of what is on it, and two ramps. */
struct scheme {
	const char *paper, *panel, *ink, *faint, *line, *node, *bad, *root, *left, *dead;
	const char *heat[PLOT_HEATS];
	uint8_t ramp[5][3];
};

static const struct scheme light = {
	.paper = "#ffffff", .panel = "#f3f5f8", .ink = "#18202b", .faint = "#5a6675",
	.line = "#ccd3dc", .node = "#ffffff", .bad = "#d11149", .root = "#18202b",
	.left = "#d8dde4", .dead = "#f6ccd8",
	.heat = { "#fde7b0", "#fbcb6b", "#f3a32f", "#dc7416", "#ab4a0b", "#6b2a08" },
	.ramp = { { 91, 44, 163 }, { 38, 103, 206 }, { 8, 148, 155 }, { 66, 158, 48 },
		  { 190, 128, 0 } },
};

static const struct scheme dark = {
	.paper = "#0f141b", .panel = "#19212c", .ink = "#e8edf4", .faint = "#98a5b5",
	.line = "#323d4c", .node = "#19212c", .bad = "#ff5c86", .root = "#e8edf4",
	.left = "#2a3442", .dead = "#5a2236",
	.heat = { "#42310f", "#6b4a0f", "#9c6711", "#d18a1d", "#f7b548", "#ffe7a8" },
	.ramp = { { 171, 139, 255 }, { 98, 165, 255 }, { 48, 205, 205 }, { 134, 218, 98 },
		  { 255, 198, 64 } },
};

static void ramp_print(FILE *f, const struct scheme *s, unsigned int n)
{
	unsigned int i, c;

	for (i = 0; i < n; i++) {
		double at = n > 1 ? 4.0 * i / (n - 1) : 1;
		unsigned int lo = at < 4 ? at : 3;
		int v[3];

		for (c = 0; c < 3; c++)
			v[c] = s->ramp[lo][c] + (at - lo) * (s->ramp[lo + 1][c] - s->ramp[lo][c]);
		fprintf(f, ".c%u{stroke:#%02x%02x%02x}.f%u{fill:#%02x%02x%02x}\n",
			i, v[0], v[1], v[2], i, v[0], v[1], v[2]);
	}
}

static void scheme_print(FILE *f, const struct scheme *s, const struct plot *p)
{
	unsigned int i;

	fprintf(f, ".paper{fill:%s}.panel{fill:%s}.ink{fill:%s}.faint{fill:%s}\n",
		s->paper, s->panel, s->ink, s->faint);
	fprintf(f, ".l{stroke:%s}.n{fill:%s;stroke:%s}.bad{stroke:%s}.badf{fill:%s}\n",
		s->line, s->node, s->faint, s->bad, s->bad);
	fprintf(f, ".off{stroke:%s}.dead{fill:%s}.left{fill:%s}.root{fill:%s}.onroot{fill:%s}\n",
		s->dead, s->dead, s->left, s->root, s->paper);
	fprintf(f, ".k{stroke:%s}.kf{fill:%s}.halo{stroke:%s}\n", s->ink, s->ink, s->paper);
	for (i = 0; p->sent && i < PLOT_HEATS; i++)
		fprintf(f, ".h%u{stroke:%s}.g%u{fill:%s}\n", i + 1, s->heat[i], i + 1, s->heat[i]);
	ramp_print(f, s, plot_colours(p));
}

void plot_style_print(FILE *f, const struct plot *p)
{
	fputs("<style>\n"
	      "text{font-family:system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\",sans-serif}\n"
	      ".b{font-family:ui-monospace,\"DejaVu Sans Mono\",monospace}\n"
	      ".m{text-anchor:middle}.w{font-weight:600}\n"
	      "line,path{fill:none;stroke-linecap:round}\n"
	      ".bad{stroke-dasharray:6 6}.x{stroke-dasharray:none}\n"
	      ".help{stroke-dasharray:1 7}.tour{stroke-dasharray:12 6}\n", f);
	scheme_print(f, &light, p);
	fputs("@media (prefers-color-scheme:dark){\n", f);
	scheme_print(f, &dark, p);
	fputs("}\n</style>\n", f);
}

static void heading(FILE *f, const struct plot *p)
{
	static const char * const what[] = {
		[PLOT_PLAIN] = "", [PLOT_TREE] = "communication tree, ",
		[PLOT_BCAST] = "broadcast, ", [PLOT_BALANCE] = "balancing topology, ",
		[PLOT_RING] = "rings, ",
	};

	plot_text_print(f, p->name);
	fputs(*p->name ? ": " : "", f);
	if (p->plan)
		fprintf(f, "plan %u, ", p->plan);
	if (!p->dim)
		fputs("rings in a network", f);
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

static void subheading(FILE *f, const struct plot *p)
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
	heading(f, p);
	fputs("</title>\n", f);
	plot_style_print(f, p);
	fprintf(f, "<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n", SVG_WIDTH, SVG_HEIGHT);
	fprintf(f, "<text class=\"ink w\" x=\"%d\" y=\"52\" font-size=\"25\">", SVG_LEFT);
	heading(f, p);
	fputs("</text>\n", f);
	fprintf(f, "<text class=\"faint\" x=\"%d\" y=\"80\" font-size=\"15\">", SVG_LEFT);
	subheading(f, p);
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
