// SPDX-License-Identifier: GPL-2.0
/*
 * Draws a timeline: the latency of each operation of one process, and the faults.
 */
#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flaps.h"
#include "svg.h"

#define LEFT	96.0
#define FIELD	1000.0
#define WIDTH	(LEFT + FIELD + 40)
#define TOP	132.0
#define HEIGHT	380.0	/* height of the field, in pixels */
#define LANE	34.0	/* height of the strip below the field, which shows links that are down */
#define DOT	2	/* size of a dot, in pixels */
#define COLUMNS	501	/* columns of dots */
#define ROWS	191

struct picture {
	FILE *f;
	const struct flaps *run;
	double us;		/* us that the field shows from its left edge to its right edge */
	int low, high;		/* powers of ten, in us, at the lower and the upper edge */
};

void flaps_faults_read(struct flaps *r, const char *name)
{
	static const char *const kinds[] = { "down", "up", "fail" };
	FILE *f = fopen(name, "r");
	char kind[8];
	uint64_t at;

	if (!f)
		err(1, "%s", name);
	while (r->faults < FLAPS_FAULTS_MAX) {
		struct flaps_fault *e = &r->fault[r->faults];

		if (fscanf(f, "%" SCNu64 " %7s %u:%u", &at, kind, &e->node, &e->dim) < 3)
			break;
		for (e->kind = LINK_DOWN; strcmp(kinds[e->kind], kind); e->kind++)
			if (e->kind == NODE_FAILED)
				errx(1, "%s: '%s'?", name, kind);
		e->at = (int64_t)(at - r->begin);
		r->faults++;
	}
	fclose(f);
}

static double x_of(const struct picture *p, double us)
{
	return LEFT + FIELD * fmin(fmax(us, 0), p->us) / p->us;
}

static double y_of(const struct picture *p, double us)
{
	return TOP + HEIGHT * (p->high - log10(fmax(us, 1))) / (p->high - p->low);
}

static double begin_of(const struct flaps_op *op)
{
	return (double)op->end - op->latency;
}

static void scale(struct picture *p)
{
	const struct flaps_process *first = p->run->process;
	uint32_t least = UINT32_MAX, most = 1, nr;

	p->us = p->run->seconds * 1e6;
	for (nr = 0; nr < p->run->ops; nr++) {
		const struct flaps_op *op = &first->op[nr];

		p->us = fmax(p->us, op->end);
		least = op->latency < least ? op->latency : least;
		most = op->latency > most ? op->latency : most;
	}
	p->low = floor(log10(fmin(fmax(least, 1), most)));
	p->high = fmax(ceil(log10(most)), p->low + 1);
}

/* Draw the operations that were not begun again. Each position is drawn only once, since thousands
 * of dots overlap.
 */
static void undisturbed(const struct picture *p)
{
	static bool drawn[COLUMNS][ROWS];
	uint32_t nr;

	fputs("<path class=\"dots\" d=\"", p->f);
	for (nr = 0; nr < p->run->ops; nr++) {
		const struct flaps_op *op = &p->run->process[0].op[nr];
		int x = (x_of(p, begin_of(op)) - LEFT) / DOT;
		int y = (y_of(p, op->latency) - TOP) / DOT;

		if (p->run->again[nr] || drawn[x][y])
			continue;
		drawn[x][y] = true;
		fprintf(p->f, "M%d %dh%d", (int)LEFT + x * DOT, (int)TOP + y * DOT, DOT);
	}
	fputs("\"/>\n", p->f);
}

/* Draw the operations that were begun again. */
static void again(const struct picture *p)
{
	uint32_t nr;

	for (nr = 0; nr < p->run->ops; nr++) {
		const struct flaps_op *op = &p->run->process[0].op[nr];

		if (p->run->again[nr])
			fprintf(p->f, "<circle class=\"again\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>\n",
				x_of(p, begin_of(op)), y_of(p, op->latency));
	}
}

/* Return: when the link came up after the fault @down. */
static double up_again(const struct flaps *r, const struct flaps_fault *down)
{
	const struct flaps_fault *e;

	for (e = down; e < r->fault + r->faults; e++)
		if (e->kind == LINK_UP && e->node == down->node && e->dim == down->dim)
			return e->at;
	return INFINITY;
}

static void faults(const struct picture *p)
{
	const struct flaps *r = p->run;
	const struct flaps_fault *e;
	double x, y = TOP + HEIGHT + 12;

	for (e = r->fault; e < r->fault + r->faults; e++) {
		x = x_of(p, e->at);
		if (e->kind != LINK_DOWN)
			continue;
		fprintf(p->f, "<path class=\"cut\" d=\"M%.1f %.1fv%.1f\"/>\n", x, TOP, HEIGHT);
		fprintf(p->f, "<rect class=\"down\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
			x, y, fmax(x_of(p, up_again(r, e)) - x, 1), LANE - 20);
	}
	svg_words(p->f, "t e", LEFT - 10, y + 11, "link down");
}

/* Draw failures of nodes, on top of everything else. */
static void failures(const struct picture *p)
{
	const struct flaps_fault *e;

	for (e = p->run->fault; e < p->run->fault + p->run->faults; e++) {
		double x = x_of(p, e->at);

		if (e->kind != NODE_FAILED)
			continue;
		fprintf(p->f, "<path class=\"failed\" d=\"M%.1f %.1fv%.1f\"/>\n", x, TOP - 6,
			HEIGHT + 6 + LANE);
		svg_words(p->f, "k m", x, TOP - 12, "node %u fails", e->node);
	}
}

static void axes(const struct picture *p)
{
	double step = p->us <= 12e6 ? 1e6 : p->us <= 30e6 ? 2e6 : p->us <= 120e6 ? 10e6 : 60e6, at;
	double y = TOP + HEIGHT + LANE;
	int power;

	for (power = p->low; power <= p->high; power++) {
		double us = pow(10, power);

		fprintf(p->f, "<path class=\"grid\" d=\"M%.1f %.1fh%.1f\"/>\n", LEFT, y_of(p, us),
			FIELD);
		svg_words(p->f, "t e", LEFT - 10, y_of(p, us) + 4, "%g ms", us / 1e3);
	}
	fprintf(p->f, "<path class=\"axis\" d=\"M%.1f %.1fh%.1f\"/>\n", LEFT, y, FIELD);
	for (at = 0; at <= p->us; at += step) {
		fprintf(p->f, "<path class=\"axis\" d=\"M%.1f %.1fv5\"/>\n", x_of(p, at), y);
		svg_words(p->f, "t m", x_of(p, at), y + 20, "%g%s", at / 1e6, at > 0 ? "" : " s");
	}
}

static void key(const struct picture *p)
{
	double y = TOP - 46;

	fprintf(p->f, "<path class=\"dots\" style=\"stroke-width:5\" d=\"M%.1f %.1fh5\"/>\n",
		LEFT, y);
	svg_words(p->f, "t", LEFT + 12, y + 4, "undisturbed");
	fprintf(p->f, "<circle class=\"again\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>\n", LEFT + 106,
		y);
	svg_words(p->f, "t", LEFT + 116, y + 4, "begun again in the next epoch of the plan");
	fprintf(p->f, "<path class=\"cut\" style=\"opacity:1\" d=\"M%.1f %.1fv14\"/>\n", LEFT + 392,
		y - 7);
	svg_words(p->f, "t", LEFT + 400, y + 4, "a link goes down");
}

static void head(const struct picture *p, double height)
{
	const struct flaps *r = p->run;
	unsigned int i, links = 0, nodes = 0;

	for (i = 0; i < r->faults; i++) {
		links += r->fault[i].kind == LINK_DOWN;
		nodes += r->fault[i].kind == NODE_FAILED;
	}
	svg_begin(p->f, WIDTH, height,
		  ".grid{stroke:#e3e8ee;fill:none}.cut{stroke:#9aa3ad;opacity:.35;fill:none}\n"
		  ".down{fill:#9aa3ad}.failed{stroke:#18202b;stroke-width:2;fill:none}\n"
		  ".dots{stroke:#548bc4;stroke-width:2;fill:none}\n"
		  ".again{fill:#e8590c;stroke:#fff;stroke-width:.8}\n");
	svg_words(p->f, "title", 36, 42, "%u operations, %u begun again, %u errors", r->ops,
		  r->nr_again, r->errors + r->wrong);
	svg_words(p->f, "about", 36, 66, "%s of %u processes; links went down %u times, %u nodes failed; latency at node %u, by the time of the call",
		  r->what, r->members.count, links, nodes, r->members.node[0]);
}

void flaps_picture(const struct flaps *r, const char *name)
{
	struct picture p = { .f = fopen(name, "w"), .run = r };

	if (!p.f)
		err(1, "%s", name);
	scale(&p);
	head(&p, TOP + HEIGHT + LANE + 40);
	key(&p);
	axes(&p);
	faults(&p);
	undisturbed(&p);
	again(&p);
	failures(&p);
	fputs("</svg>\n", p.f);
	if (fclose(p.f))
		err(1, "%s", name);
}
