// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: nodes and links, as a projection of the cube.
 *
 * Order of painting: links, transfers, crosses at faulty links, numbers of transfers, nodes.
 * Crosses and numbers are called marks.
 */
#include <math.h>
#include <stdlib.h>

#include "plot.h"

/* Distance between the centres of the outer nodes and the edge of the drawing. */
#define MARGIN 35
/* Positions on a line at which a mark may be placed, in per cent of its length, the preferred ones
 * first. A badge is the number of a transfer, a cross marks a faulty link. Positions in the middle
 * come late, because lines cross there.
 */
static const unsigned char badge_at[] = { 36, 44, 29, 52, 60, 22, 68, 16, 76, 0 };
static const unsigned char cross_at[] = { 43, 57, 36, 64, 29, 71, 22, 78, 0 };

struct point {
	double x, y;
};

/* Areas that a new mark should not cover: nodes and earlier marks. Each is a disk of radius @r at
 * @at.
 */
struct marks {
	struct {
		struct point at;
		double r;
	} *v;
	size_t n;
};

static struct point place(const struct plot *p, uint32_t u)
{
	struct point at;

	plot_place(p, u, &at.x, &at.y, SVG_AREA_W - 2 * MARGIN, SVG_AREA_H - 2 * MARGIN);
	at.x += SVG_LEFT + MARGIN;
	at.y += SVG_TOP + MARGIN;
	return at;
}

static double radius(const struct plot *p)
{
	static const double r[] = { 0, 30, 30, 28, 25, 18, 12 };

	return r[p->dim];
}

/* Return: the point at distance @r from @a in the direction of @b. */
static struct point towards(struct point a, struct point b, double r)
{
	double len = hypot(b.x - a.x, b.y - a.y);

	return (struct point){ a.x + (b.x - a.x) * r / len, a.y + (b.y - a.y) * r / len };
}

/* Return: the point on the line from @a to @b that is at the fraction @part of its length. */
static struct point between(struct point a, struct point b, double part)
{
	return (struct point){ a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part };
}

static void line(FILE *f, const char *class, double width, struct point a, struct point b)
{
	fprintf(f, "<line class=\"%s\" stroke-width=\"%g\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
		class, width, a.x, a.y, b.x, b.y);
}

static void cross(FILE *f, struct point at, double r)
{
	fprintf(f, "<path class=\"bad x\" stroke-width=\"3\" d=\"M%.1f %.1fl%g %gm0 %gl%g %g\"/>\n",
		at.x - r, at.y - r, 2 * r, 2 * r, -2 * r, -2 * r, 2 * r);
}

static void link_title(FILE *f, const struct plot *p, uint32_t u, unsigned int d)
{
	uint32_t v = hc_neigh(u, d);
	char bytes[OUT_BUF];

	fprintf(f, "<title>link %u:%u, between %u and %u", u, d, u, v);
	if (plot_link_bad(p, u, d))
		fputs(", faulty", f);
	if (p->sent)
		fprintf(f, ", %s", plot_bytes(bytes, plot_link_bytes(p, u, d)));
	fputs("</title>", f);
}

static void link_print(FILE *f, const struct plot *p, uint32_t u, unsigned int d)
{
	struct point a = place(p, u), b = place(p, hc_neigh(u, d));
	unsigned int heat = plot_heat(plot_link_bytes(p, u, d), p->busiest);
	bool dead = plot_failed(p, u) || plot_failed(p, hc_neigh(u, d));
	bool bad = plot_link_bad(p, u, d);
	double thin = p->dim > 4 ? 1.2 : 2;
	char class[16];

	fprintf(f, "<g id=\"l%u-%u\">", u, d);
	link_title(f, p, u, d);
	fputc('\n', f);
	if (heat) {
		snprintf(class, sizeof(class), "h%u", heat);
		line(f, class, thin + (p->dim > 5 ? 1 : 1.6) * heat, a, b);
	}
	if (bad)
		line(f, "bad", thin + 1, a, b);
	else if (dead)
		line(f, "off", thin, a, b);
	else if (p->core && plot_is_root(p, u) && plot_is_root(p, hc_neigh(u, d)))
		line(f, "k", thin + 2, a, b);
	else if (!heat)
		line(f, "l", thin, a, b);
	fputs("</g>\n", f);
}

static void arrow_head(FILE *f, const char *class, struct point from, struct point tip, double size)
{
	struct point foot = towards(tip, from, size);
	double nx = (foot.y - tip.y) / 2.2, ny = (tip.x - foot.x) / 2.2;

	fprintf(f, "<polygon class=\"%s\" points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n", class,
		tip.x, tip.y, foot.x + nx, foot.y + ny, foot.x - nx, foot.y - ny);
}

/* Write the classes of a transfer's line (@stroke) and of its filled shapes (@fill). If the picture
 * shows traffic, colours stand for traffic, so transfers have the colour of text.
 */
static void edge_classes(const struct plot *p, const struct plot_edge *e, char *stroke,
			 char *fill, size_t size)
{
	static const char * const style[] = {
		[HC_TREE_DIRECT] = "", [HC_TREE_HELP] = " help", [HC_TREE_DETOUR] = " tour",
	};

	if (p->sent) {
		snprintf(stroke, size, "k%s", style[e->how]);
		snprintf(fill, size, "kf");
	} else {
		snprintf(stroke, size, "c%u%s", plot_colour(p, e->when), style[e->how]);
		snprintf(fill, size, "f%u", plot_colour(p, e->when));
	}
}

/* Return: the distance from a point to the edge of the nearest node or mark. It is negative within
 * a node or mark.
 */
static double room_at(const struct marks *m, struct point at)
{
	double room = INFINITY;
	size_t i;

	for (i = 0; i < m->n; i++)
		room = fmin(room, hypot(at.x - m->v[i].at.x, at.y - m->v[i].at.y) - m->v[i].r);
	return room;
}

/* Find a position on the line from @a to @b for a mark of radius @r, at which it covers no node or
 * mark, or as little of them as possible. @parts: the possible positions. The new mark is added to
 * @m. Return: the position.
 */
static struct point free_place(struct marks *m, struct point a, struct point b,
			       const unsigned char *parts, double r)
{
	struct point at, best = between(a, b, *parts / 100.);
	double most = -INFINITY, room;

	for (; m->v && *parts && most < r; parts++) {
		at = between(a, b, *parts / 100.);
		room = room_at(m, at);
		if (room <= most)
			continue;
		most = room;
		best = at;
	}
	if (m->v) {
		m->v[m->n].at = best;
		m->v[m->n++].r = r;
	}
	return best;
}

/* Return: true if @e is the second of the two transfers of an exchange. An exchange is drawn only
 * once, as a line with two arrow heads.
 */
static bool twin(const struct plot *p, const struct plot_edge *e)
{
	return p->kind == PLOT_DOUBLING && e->from > e->to;
}

static double edge_width(const struct plot *p)
{
	return p->dim > 5 ? 2.2 : p->dim > 4 ? 3 : 4;
}

/* Return: the point beside @at, at distance @by from it, at a right angle to the line from @a to
 * @b.
 */
static struct point beside(struct point at, struct point a, struct point b, double by)
{
	double len = hypot(b.x - a.x, b.y - a.y);

	return (struct point){ at.x + by * (b.y - a.y) / len, at.y - by * (b.x - a.x) / len };
}

/* Draw a detour as lines beside its links. The last line has the arrow head. */
static void detour_print(FILE *f, const struct plot *p, const struct plot_edge *e,
			 const char *stroke, const char *fill)
{
	double width = edge_width(p), head = width * 3 + 2, by = radius(p) * .45;
	uint32_t u = e->from;
	unsigned int i;

	for (i = 0; i < e->hops; i++) {
		struct point a = place(p, u), b = place(p, hc_neigh(u, e->dims[i]));
		struct point from = beside(a, a, b, by), to = beside(b, a, b, by);
		struct point tip = towards(to, from, radius(p) + 3);

		u = hc_neigh(u, e->dims[i]);
		from = towards(from, to, radius(p) + 1);
		if (i + 1 < e->hops) {
			line(f, stroke, width, from, towards(to, from, radius(p) + 1));
			continue;
		}
		line(f, stroke, width, from, towards(tip, from, head * .8));
		arrow_head(f, fill, from, tip, head);
	}
}

static void edge_title(FILE *f, const struct plot *p, const struct plot_edge *e)
{
	uint32_t u = e->from;
	unsigned int i;

	fprintf(f, "<title>%s %u: %u %s %u%s", plot_phase_word(p), e->when + p->first, e->from,
		p->kind == PLOT_DOUBLING ? "and" : "to", e->to,
		e->how == HC_TREE_HELP ? ", a part for a helper" :
		e->how == HC_TREE_DETOUR ? ", by a detour: " : "");
	for (i = 0; i < e->hops; i++) {
		fprintf(f, "%u,", u);
		u = hc_neigh(u, e->dims[i]);
	}
	if (e->hops)
		fprintf(f, "%u", u);
	fputs("</title>\n", f);
}

static void edge_print(FILE *f, const struct plot *p, const struct plot_edge *e)
{
	double width = edge_width(p), head = width * 3 + 2;
	struct point a = place(p, e->from), b = place(p, e->to);
	struct point middle = between(a, b, .5);
	struct point tip = towards(b, a, radius(p) + 3);
	char stroke[24], fill[24];

	edge_classes(p, e, stroke, fill, sizeof(stroke));
	fputs("<g class=\"edge\">", f);
	edge_title(f, p, e);
	if (e->how == HC_TREE_DETOUR) {
		detour_print(f, p, e, stroke, fill);
	} else {
		a = towards(a, b, radius(p) + 3);
		line(f, stroke, width, a, towards(tip, a, head * .8));
		if (p->kind == PLOT_DOUBLING)
			arrow_head(f, fill, middle, a, head);
		arrow_head(f, fill, middle, tip, head);
	}
	fputs("</g>\n", f);
}

/* Draw the number of a transfer's phase, on a disk that interrupts the transfer's line. */
static void badge_print(FILE *f, const struct plot *p, const struct plot_edge *e,
			struct marks *m)
{
	double r = p->dim > 5 ? 6.5 : p->dim > 4 ? 8 : 10;
	uint32_t to = e->hops ? hc_neigh(e->from, *e->dims) : e->to;
	struct point a = place(p, e->from), b = place(p, to);
	struct point at = free_place(m, a, b, badge_at, r + 1);
	char stroke[24], fill[24];

	edge_classes(p, e, stroke, fill, sizeof(stroke));
	fprintf(f, "<circle class=\"%s halo\" stroke-width=\"2\" cx=\"%.1f\" cy=\"%.1f\" r=\"%g\"/>",
		fill, at.x, at.y, r);
	fprintf(f, "<text class=\"onroot m w\" x=\"%.1f\" y=\"%.1f\" font-size=\"%g\">%u</text>\n",
		at.x, at.y + r * .42, r * 1.15, e->when + p->first);
}

static void fault_print(FILE *f, const struct plot *p, uint32_t u, unsigned int d,
			struct marks *m)
{
	struct point a = place(p, u), b = place(p, hc_neigh(u, d));
	double r = p->dim > 4 ? 5 : 8;

	fputs("<g class=\"fault\">", f);
	link_title(f, p, u, d);
	cross(f, free_place(m, a, b, cross_at, r + 1), r);
	fputs("</g>\n", f);
}

static void node_title(FILE *f, const struct plot *p, uint32_t u)
{
	char bits[OUT_BUF];

	fprintf(f, "<title>node %u (%s)", u, out_bits(bits, u, p->dim));
	if (plot_failed(p, u))
		fputs(", failed", f);
	else if (plot_left_out(p, u))
		fputs(", takes no part", f);
	else if (p->core && plot_is_root(p, u))
		fputs(", of the subcube", f);
	else if (plot_is_root(p, u))
		fputs(p->kind == PLOT_BCAST ? ", the source" : ", the sink", f);
	else if ((p->core || p->kind == PLOT_SPAN) && p->when[u] != PLOT_NEVER)
		fprintf(f, ", sends up in step %u", p->when[u] + p->first);
	else if (p->kind == PLOT_RING && p->when[u] != PLOT_NEVER)
		fprintf(f, ", at home in ring %u", p->when[u]);
	else if (p->kind && p->when[u] != PLOT_NEVER)
		fprintf(f, p->kind == PLOT_TREE ? ", sends at stage %u" : ", informed in step %u",
			p->when[u] + p->first);
	fputs("</title>", f);
}

static void node_print(FILE *f, const struct plot *p, uint32_t u)
{
	bool root = plot_is_root(p, u), failed = plot_failed(p, u);
	bool phase = p->kind && !p->sent && !root && p->when[u] != PLOT_NEVER;
	struct point at = place(p, u);
	double r = radius(p), size = r * (p->dim > 4 ? .95 : .82);
	char class[32] = "n", bits[OUT_BUF];

	if (phase)
		snprintf(class, sizeof(class), "n c%u", plot_colour(p, p->when[u]));
	else if (root)
		snprintf(class, sizeof(class), "root");
	else if (failed)
		snprintf(class, sizeof(class), "dead bad x");
	else if (plot_left_out(p, u))
		snprintf(class, sizeof(class), "left l");
	fprintf(f, "<g class=\"node\" id=\"n%u\">", u);
	node_title(f, p, u);
	if (root)
		fprintf(f, "<circle class=\"paper k\" stroke-width=\"2\" cx=\"%.1f\" cy=\"%.1f\" r=\"%g\"/>",
			at.x, at.y, r + 4);
	fprintf(f, "<circle class=\"%s\" stroke-width=\"%g\" cx=\"%.1f\" cy=\"%.1f\" r=\"%g\"/>\n",
		class, p->dim > 5 ? 2.0 : 3.0, at.x, at.y, r);
	fprintf(f, "<text class=\"%s m w\" x=\"%.1f\" y=\"%.1f\" font-size=\"%g\">%u</text>",
		root ? "onroot" : failed ? "badf" : "ink", at.x,
		at.y + size * (p->dim > 4 ? .36 : .2), size, u);
	if (p->dim <= 4)
		fprintf(f, "<text class=\"%s b m\" x=\"%.1f\" y=\"%.1f\" font-size=\"%g\">%s</text>",
			root ? "onroot" : failed ? "badf" : "faint", at.x, at.y + r * .62, r * .42,
			out_bits(bits, u, p->dim));
	fputs("</g>\n", f);
}

/* Allocate memory for all nodes and marks, and add the nodes. Each link and each transfer has at
 * most one mark.
 */
static struct marks marks_new(const struct plot *p)
{
	size_t max = hc_nodes(p->dim) * (1 + p->dim) + p->nedges;
	struct marks m = { .v = calloc(max, sizeof(*m.v)) };
	uint32_t u;

	for (u = 0; m.v && u < hc_nodes(p->dim); u++) {
		m.v[m.n].at = place(p, u);
		m.v[m.n++].r = radius(p) + (plot_is_root(p, u) ? 4 : 0);
	}
	return m;
}

static void faults_print(FILE *f, const struct plot *p, struct marks *m)
{
	unsigned int d;
	uint32_t u;

	for (u = 0; u < hc_nodes(p->dim); u++)
		for (d = 0; d < p->dim; d++)
			if (!(u & hc_bit(d)) && plot_link_bad(p, u, d))
				fault_print(f, p, u, d, m);
}

void plot_cube_print(FILE *f, const struct plot *p)
{
	struct marks m = marks_new(p);
	unsigned int d;
	uint32_t u;
	size_t i;

	for (d = p->dim; d--;)
		for (u = 0; u < hc_nodes(p->dim); u++)
			if (!(u & hc_bit(d)))
				link_print(f, p, u, d);
	for (i = 0; i < p->nedges; i++)
		if (!twin(p, &p->edges[i]))
			edge_print(f, p, &p->edges[i]);
	faults_print(f, p, &m);
	for (i = 0; i < p->nedges; i++)
		if (!twin(p, &p->edges[i]))
			badge_print(f, p, &p->edges[i], &m);
	for (u = 0; u < hc_nodes(p->dim); u++)
		node_print(f, p, u);
	free(m.v);
}
