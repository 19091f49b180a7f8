// SPDX-License-Identifier: GPL-2.0
/*
 * Draws the values of all cells, and beside them the deviations. Marks show which processes are
 * Byzantine, and at which cells an error was detected.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "relax.h"
#include "svg.h"

#define FIELD	448.0	/* length of the longer side of a field, in pixels */
#define BAND	16.0	/* width of the border around a field, in pixels */
#define LEFT	36.0
#define TOP	128.0
#define APART	(FIELD + 2 * BAND + 72)
#define WIDTH	(LEFT + 2 * APART - 36)

static const struct ramp heat = {
	8, { { 33, 17, 78 }, { 87, 16, 110 }, { 136, 34, 106 }, { 186, 54, 85 },
	     { 227, 89, 51 }, { 249, 140, 10 }, { 249, 201, 50 }, { 252, 245, 170 } },
};

/* A field of the picture: its position, the size of its cells, and its colours. @most is the value
 * with the darkest colour.
 */
struct view {
	FILE *f;
	const struct relax *run;
	double x, y, size;
	const struct ramp *ramp;
	double most;
};

/* Draw a pennant of size @s whose pole is at @x, @y. */
static void pennant(FILE *f, double x, double y, double s)
{
	static const char *const class[] = { "under", "flag" };
	unsigned int i;

	for (i = 0; i < 2; i++)
		fprintf(f, "<path class=\"%s\" d=\"M%.1f %.1fv%.1fv%.1fl%.1f %.1fl%.1f %.1f\"/>\n",
			class[i], x, y, s, -s, 0.75 * s, 0.3 * s, -0.75 * s, 0.3 * s);
}

/* Draw a ring around the cell of a Byzantine process; a dashed ring if the process is an accomplice
 * (LIE_COVER).
 */
static void ring(FILE *f, double x, double y, double s, bool covers)
{
	const char *dash = covers ? " stroke-dasharray=\"7 5\"" : "";

	fprintf(f, "<rect class=\"halo\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"6\"/>\n",
		x, y, s, s);
	fprintf(f, "<rect class=\"liar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"6\"%s/>\n",
		x, y, s, s, dash);
}

static void cell(const struct view *v, unsigned int i, double value)
{
	const struct mesh *m = &v->run->mesh;
	double x = v->x + i % m->cols * v->size, y = v->y + i / m->cols * v->size;
	char rgb[8];
	bool dark = svg_colour(v->ramp, value / v->most, rgb);

	fprintf(v->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\" fill=\"%s\"/>\n",
		x + 1, y + 1, v->size - 2, v->size - 2, rgb);
	if (v->size < 24)
		return;
	fprintf(v->f, "<text class=\"m\" x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" style=\"fill:%s\">%.*f</text>\n",
		x + v->size / 2, y + v->size * 0.66, v->size * 0.27, dark ? "#ffffff" : "#18202b",
		value < 9.95 && v->most <= 20 ? 2 : 1, value);
}

/* Draw marks at the cells of Byzantine processes and, if @flags, at those of processes that have
 * detected an error.
 */
static void marks(const struct view *v, bool flags)
{
	const struct mesh *m = &v->run->mesh;
	unsigned int i;

	for (i = 0; i < mesh_cells(m); i++) {
		double x = v->x + i % m->cols * v->size, y = v->y + i / m->cols * v->size;

		if (v->run->byz[i].lie != HONEST)
			ring(v->f, x + 3, y + 3, v->size - 6, v->run->byz[i].lie == LIE_COVER);
		if (flags && v->run->report[i].flagged)
			pennant(v->f, x + v->size * 0.14, y + v->size * 0.1, v->size * 0.34);
	}
}

/* Draw the border: a rectangle beside each cell at the border. */
static void border(const struct view *v)
{
	const struct mesh *m = &v->run->mesh;
	unsigned int i;
	enum way way;

	for (i = 0; i < mesh_cells(m); i++)
		for (way = 0; way < WAYS; way++) {
			double x = v->x + i % m->cols * v->size, y = v->y + i / m->cols * v->size;
			bool side = way == EAST || way == WEST;
			char rgb[8];

			if (mesh_neighbour(m, i, way) >= 0)
				continue;
			svg_colour(v->ramp, mesh_border(m, i, way) / v->most, rgb);
			x += way == EAST ? v->size + 4 : way == WEST ? -BAND : 0;
			y += way == SOUTH ? v->size + 4 : way == NORTH ? -BAND : 0;
			fprintf(v->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
				x, y, side ? BAND - 4 : v->size, side ? v->size : BAND - 4, rgb);
		}
}

static void scale(const struct view *v, double y, const char *id, const char *unit)
{
	double width = v->size * v->run->mesh.cols;
	unsigned int i;

	svg_gradient(v->f, v->ramp, id);
	fprintf(v->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"10\" rx=\"5\" fill=\"url(#%s)\" stroke=\"#ccd3dc\"/>\n",
		v->x, y, width, id);
	for (i = 0; i <= 4; i++)
		fprintf(v->f, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%.*f%s</text>\n",
			i == 0 ? "t" : i == 4 ? "t e" : "t m", v->x + width * i / 4, y + 25,
			v->most <= 1 ? 2 : v->most < 40 ? 1 : 0, v->most * i / 4,
			i == 4 ? unit : "");
}

static void legend(FILE *f, double y)
{
	ring(f, LEFT + BAND, y, 18, false);
	fprintf(f, "<text class=\"k\" x=\"%.1f\" y=\"%.1f\">lies</text>\n",
		LEFT + BAND + 28, y + 14);
	ring(f, LEFT + BAND + 84, y, 18, true);
	fprintf(f, "<text class=\"k\" x=\"%.1f\" y=\"%.1f\">covers a liar</text>\n",
		LEFT + BAND + 112, y + 14);
	pennant(f, LEFT + BAND + 232, y - 1, 20);
	fprintf(f, "<text class=\"k\" x=\"%.1f\" y=\"%.1f\">has noticed, and says so</text>\n",
		LEFT + BAND + 256, y + 14);
}

static void summary(FILE *f, const struct relax *run, double most)
{
	unsigned int i, seen = 0, nbyz = 0, n = mesh_cells(&run->mesh);

	for (i = 0; i < n; i++) {
		seen += run->report[i].flagged;
		nbyz += run->byz[i].lie != HONEST;
	}
	fprintf(f, "%u \xc3\x97 %u processes, ", run->mesh.rows, run->mesh.cols);
	if (nbyz)
		fprintf(f, "%u liar%s.  ", nbyz, nbyz == 1 ? "" : "s");
	else
		fputs("no liars.  ", f);
	if (most > run->epsilon)
		fprintf(f, "The result is wrong by up to %.3g.  ", most);
	else
		fputs("The result is right.  ", f);
	if (seen)
		fprintf(f, "%u notice%s it.", seen, seen == 1 ? "s" : "");
	else
		fputs("Nobody notices anything.", f);
}

static void head(FILE *f, double height, const char *title, const struct relax *run, double most)
{
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n",
		WIDTH, height, WIDTH, height);
	fputs("<style>\n"
	      "text{font-family:system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\",sans-serif;fill:#18202b}\n"
	      ".m{text-anchor:middle}.e{text-anchor:end}.t{font-size:12px;fill:#5a6675}\n"
	      ".k{font-size:14px}.h{font-size:15px;font-weight:600}\n"
	      ".liar{fill:none;stroke:#18202b;stroke-width:3.5}.halo{fill:none;stroke:#fff;stroke-width:7}\n"
	      ".flag{fill:#19e3b1;stroke:#0b3d31;stroke-width:1.8}\n"
	      ".flag,.under{stroke-linejoin:round;stroke-linecap:round}\n"
	      ".under{fill:#fff;stroke:#fff;stroke-width:4.5}\n</style>\n", f);
	fprintf(f, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n<text x=\"%.1f\" y=\"42\" font-size=\"23\" font-weight=\"600\">",
		WIDTH, height, LEFT);
	svg_escape(f, title);
	fprintf(f, "</text>\n<text x=\"%.1f\" y=\"68\" font-size=\"15\" style=\"fill:#5a6675\">",
		LEFT);
	summary(f, run, most);
	fputs("</text>\n", f);
}

int picture_write(const char *name, const char *title, const struct relax *run)
{
	const struct mesh *m = &run->mesh;
	double size = FIELD / (m->rows > m->cols ? m->rows : m->cols), most = 0, bottom;
	struct view v = { .run = run, .x = LEFT + BAND, .y = TOP, .size = size };
	unsigned int i;

	v.f = fopen(name, "w");
	if (!v.f) {
		perror(name);
		return 1;
	}
	for (i = 0; i < mesh_cells(m); i++)
		most = fmax(most, run->report[i].off);
	bottom = TOP + m->rows * size + BAND + 20;
	head(v.f, bottom + 84, title, run, most);
	v.ramp = &heat;
	v.most = HOTTEST;
	fprintf(v.f, "<text class=\"h\" x=\"%.1f\" y=\"%.1f\">What the processes say</text>\n",
		LEFT, TOP - BAND - 12);
	border(&v);
	for (i = 0; i < mesh_cells(m); i++)
		cell(&v, i, run->report[i].value);
	marks(&v, true);
	scale(&v, bottom, "heat", "\xc2\xb0");
	v.x += APART;
	v.ramp = &svg_blues;
	v.most = most > run->epsilon ? most : 1;
	fprintf(v.f, "<text class=\"h\" x=\"%.1f\" y=\"%.1f\">How far that is from the exact solution</text>\n",
		LEFT + BAND + APART, TOP - BAND - 12);
	for (i = 0; i < mesh_cells(m); i++)
		cell(&v, i, run->report[i].off);
	marks(&v, false);
	scale(&v, bottom, "wrong", "\xc2\xb0");
	legend(v.f, bottom + 50);
	fputs("</svg>\n", v.f);
	if (fclose(v.f)) {
		perror(name);
		return 1;
	}
	return 0;
}
