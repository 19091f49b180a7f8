// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: the colours of pictures and pages.
 */
#include "plot.h"

/* A colour scheme: colours of elements; of classes of traffic, ascending; and between which the
 * colours of phases are interpolated, as red, green and blue.
 */
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

/* Print a scheme for HTML, which uses its variables, and for drawings, which use its classes. */
static void scheme_print(FILE *f, const struct scheme *s, const struct plot *p)
{
	unsigned int i;

	fprintf(f, ":root{--paper:%s;--panel:%s;--ink:%s;--faint:%s;--line:%s;--bad:%s}\n",
		s->paper, s->panel, s->ink, s->faint, s->line, s->bad);
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

void plot_colours_print(FILE *f, const struct plot *p)
{
	scheme_print(f, &light, p);
	fputs("@media (prefers-color-scheme:dark){\n", f);
	scheme_print(f, &dark, p);
	fputs("}\n", f);
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
	plot_colours_print(f, p);
	fputs("</style>\n", f);
}
