// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl mfi: a picture of the faults and of the groups.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "mfi.h"
#include "cmd/plot/plot.h"

#define MARGIN 45
#define ROW 26
/* Maximum number of groups that the key lists one by one. */
#define KEY_GROUPS 17
/* Maximum number of processors for which links are drawn. Among more processors, the links would
 * hide the processors.
 */
#define LINKS 300

struct point {
	double x, y;
};

/**
 * struct picture - a picture that is being drawn
 * @f: the file
 * @v: the results that are drawn
 * @plot: a model of which two members are used: its dimension, for the positions of the nodes of a
 *	cube, and its phases, one for each group, for the colours
 * @r: radius of a processor's disk
 * @row: the row of the fault matrix for the set v->found.set
 */
struct picture {
	FILE *f;
	const struct mfi_view *v;
	struct plot plot;
	double r;
	const char *row;
};

/* Return: the row or column for the bits @word of a processor's number. It is the inverse Gray
 * code, so the numbers of adjacent rows or columns differ in one bit.
 */
static uint32_t gray(uint32_t word)
{
	uint32_t at = 0;

	for (; word; word >>= 1)
		at ^= word;
	return at;
}

/* Compute the row and the column of a processor, and the numbers of rows and columns. In a cube,
 * the lower half of the bits of a processor's number determines its column, the upper half its row.
 */
static void cell(const struct hc_mfi_net *net, uint32_t u, uint32_t *row, uint32_t *col,
		 uint32_t *rows, uint32_t *cols)
{
	unsigned int half = net->dim - net->dim / 2;

	*rows = net->rows;
	*cols = net->cols;
	if (net->kind == HC_MFI_CUBE) {
		*rows = hc_nodes(net->dim / 2);
		*cols = hc_nodes(half);
		*row = gray(u >> half);
		*col = gray(u & (hc_nodes(half) - 1));
	} else {
		*row = u / net->cols;
		*col = u % net->cols;
	}
}

/* Return: true if the picture is a projection of a cube; larger cubes are drawn as a matrix. */
static bool projected(const struct hc_mfi_net *net)
{
	return net->kind == HC_MFI_CUBE && net->dim <= PLOT_CUBE_DIM;
}

/* Return: true if the processors are drawn on a circle. */
static bool circle(const struct hc_mfi_net *net)
{
	return net->kind == HC_MFI_GRAPH || net->kind == HC_MFI_KARY;
}

/* Return: the distance between the centres of adjacent cells. */
static double pitch(const struct hc_mfi_net *net)
{
	uint32_t row, col, rows, cols;

	cell(net, 0, &row, &col, &rows, &cols);
	return fmin(110, fmin((double)SVG_AREA_W / cols, (double)SVG_AREA_H / rows));
}

static struct point place(const struct picture *p, uint32_t u)
{
	const struct hc_mfi_net *net = p->v->net;
	double w = SVG_AREA_W, h = SVG_AREA_H, by;
	struct point at = { SVG_LEFT, SVG_TOP };
	uint32_t row, col, rows, cols;

	if (circle(net)) {
		by = 2 * M_PI * u / net->n - M_PI / 2;
		at.x += w / 2 + (h / 2 - MARGIN) * cos(by);
		at.y += h / 2 + (h / 2 - MARGIN) * sin(by);
	} else if (projected(net)) {
		plot_place(&p->plot, u, &at.x, &at.y, w - 2 * MARGIN, h - 2 * MARGIN);
		at.x += SVG_LEFT + MARGIN;
		at.y += SVG_TOP + MARGIN;
	} else {
		by = pitch(net);
		cell(net, u, &row, &col, &rows, &cols);
		at.x += w / 2 + (col - (cols - 1) / 2.) * by;
		at.y += h / 2 + (row - (rows - 1) / 2.) * by;
	}
	return at;
}

static double radius(const struct hc_mfi_net *net)
{
	static const double cube[] = { 0, 30, 30, 28, 25, 18, 12 };

	if (circle(net))
		return fmin(26, M_PI * (SVG_AREA_H / 2 - MARGIN) / net->n * .8);
	return projected(net) ? cube[net->dim] : pitch(net) * .33;
}

static void line(const struct picture *p, uint32_t u, uint32_t v)
{
	struct point a = place(p, u), b = place(p, v);

	fprintf(p->f, "<line class=\"l\" stroke-width=\"2\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
		a.x, a.y, b.x, b.y);
}

static void grid_links(const struct picture *p)
{
	const struct hc_mfi_net *net = p->v->net;
	uint32_t u;

	for (u = 0; u < net->n; u++) {
		if (u % net->cols + 1 < net->cols)
			line(p, u, u + 1);
		if (u + net->cols < net->n)
			line(p, u, u + net->cols);
	}
}

static void links(const struct picture *p)
{
	const struct hc_mfi_net *net = p->v->net;
	unsigned int d;
	uint32_t u;

	fputs("<g class=\"links\">\n", p->f);
	if (net->rows)
		grid_links(p);
	for (u = 0; !net->rows && u < net->n; u++) {
		for (d = 0; projected(net) && d < net->dim; d++)
			if (!(u & hc_bit(d)))
				line(p, u, hc_neigh(u, d));
		if (circle(net) && net->n <= LINKS)
			HC_MFI_EACH(v, &net->env, u)
				if (*v != u)
					line(p, u, *v);
	}
	fputs("</g>\n", p->f);
}

/* Draw a processor as a disk in the colour of its group. A ring marks a faulty processor. A
 * processor that may or may not be faulty is pale.
 */
static void disk(const struct picture *p, struct point at, double r, uint32_t group, char what)
{
	char fill[16] = "n";

	if (group != UINT32_MAX)
		snprintf(fill, sizeof(fill), "f%u", plot_colour(&p->plot, group));
	if (what == 'T')
		fprintf(p->f, "<circle class=\"paper bad x\" stroke-width=\"%.1f\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>",
			fmax(1, r * .17), at.x, at.y, r * 1.35);
	fprintf(p->f, "<circle class=\"%s\"%s cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", fill,
		what == '-' ? " fill-opacity=\".45\"" : "", at.x, at.y, r);
}

static const char *meaning(char what)
{
	return what == 'T' ? "faulty" : what == 'F' ? "must not be faulty" : "may be either";
}

static void processor(const struct picture *p, uint32_t u)
{
	uint32_t group = p->v->given ? UINT32_MAX : p->v->groups.of[u];
	struct point at = place(p, u);

	fprintf(p->f, "<g class=\"processor\"><title>processor %u: %s", mfi_name(p->v, u),
		meaning(p->row[u]));
	if (group != UINT32_MAX)
		fprintf(p->f, ", group %u", group);
	fputs("</title>", p->f);
	disk(p, at, p->r, group, p->row[u]);
	if (p->r > 6)
		fprintf(p->f, "<text class=\"%s m w\" x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\">%u</text>",
			group == UINT32_MAX ? "ink" : "onroot", at.x, at.y + p->r * .27,
			p->r * (p->v->net->n > 1000 ? .6 : .75), mfi_name(p->v, u));
	fputs("</g>\n", p->f);
}

static void label(const struct picture *p, double y, const char *class, const char *text)
{
	fprintf(p->f, "<text class=\"ink%s\" x=\"%d\" y=\"%.0f\" font-size=\"14\">%s</text>\n",
		class, *class ? SVG_KEY : SVG_KEY + 46, y + 5, text);
}

static double key_states(const struct picture *p, double y)
{
	static const char states[] = "TF-";
	uint32_t u, count, i;
	char text[OUT_BUF];

	label(p, y, " w", "Processors");
	for (i = 0; i < 3; i++) {
		for (u = 0, count = 0; u < p->v->net->n; u++)
			count += p->row[u] == states[i];
		if (!count)
			continue;
		y += ROW;
		disk(p, (struct point){ SVG_KEY + 17, y }, 8, p->v->given ? UINT32_MAX : 0,
		     states[i]);
		snprintf(text, sizeof(text), "%s: %u", meaning(states[i]), count);
		label(p, y, "", text);
	}
	return y + 1.6 * ROW;
}

static void key_groups(const struct picture *p, double y)
{
	const struct hc_mfi_groups *g = &p->v->groups;
	char text[OUT_BUF];
	uint32_t i, u, count;

	if (p->v->given)
		return;
	snprintf(text, sizeof(text), "%u groups: %s", g->count, g->why);
	label(p, y, " w", text);
	for (i = 0; i < g->count && i < KEY_GROUPS; i++) {
		y += ROW;
		for (u = 0, count = 0; u < p->v->net->n; u++)
			count += g->of[u] == i;
		disk(p, (struct point){ SVG_KEY + 17, y }, 8, i, 'F');
		snprintf(text, sizeof(text), "group %u: %u processes", i, count);
		label(p, y, "", text);
	}
	if (i < g->count)
		label(p, y + ROW, "", "..");
}

static void heading(const struct picture *p)
{
	const struct hc_mfi_net *net = p->v->net;
	const struct hc_mfi_found *r = &p->v->found;
	char what[OUT_BUF];

	fprintf(p->f, "<text class=\"ink w\" x=\"%d\" y=\"52\" font-size=\"25\">", SVG_LEFT);
	fprintf(p->f, "%s, pattern %s</text>\n", mfi_what(what, net), p->v->pattern);
	fprintf(p->f, "<text class=\"faint\" x=\"%d\" y=\"80\" font-size=\"15\">", SVG_LEFT);
	if (p->v->given)
		fprintf(p->f, "%u faults, %sfeasible", hc_mfi_count(net, r->set),
			hc_mfi_feasible(net, r->set) ? "" : "not ");
	else if (r->size == r->upper)
		fprintf(p->f, "maximal fault index %u: %s", r->size, r->why);
	else
		fprintf(p->f, "maximal fault index %u to %u", r->size, r->upper);
	fprintf(p->f, "; at most %u in %s environment</text>\n", net->tg,
		net->tg_of ? "some" : "an");
}

static void print(const struct picture *p)
{
	uint32_t u;

	fprintf(p->f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n",
		SVG_WIDTH, SVG_HEIGHT, SVG_WIDTH, SVG_HEIGHT);
	fputs("<title>maximal fault index</title>\n", p->f);
	plot_style_print(p->f, &p->plot);
	fprintf(p->f, "<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n",
		SVG_WIDTH, SVG_HEIGHT);
	heading(p);
	links(p);
	for (u = 0; u < p->v->net->n; u++)
		processor(p, u);
	fputs("<g id=\"key\">\n", p->f);
	key_groups(p, key_states(p, SVG_TOP + 10));
	fputs("</g>\n</svg>\n", p->f);
}

static int write_file(struct hcctl *h, const char *file, struct picture *p)
{
	struct file_new *f = file_create(h, file);

	if (!f)
		return HC_NO;
	p->f = file_stream(f);
	print(p);
	return file_finish(h, f, true);
}

int mfi_plot(struct hcctl *h, const char *file, const struct mfi_view *v)
{
	char *row = malloc(v->net->n + 1);
	struct picture p = {
		.v = v, .row = row, .r = radius(v->net),
		.plot = { .dim = v->net->dim, .phases = v->given ? 0 : v->groups.count },
	};
	int rc;

	if (!row)
		return hc_nomem(h);
	hc_mfi_row(v->net, v->found.set, row);
	rc = write_file(h, file, &p);
	free(row);
	return rc;
}
