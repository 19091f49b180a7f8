// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl balance simulate: two charts, of speedup and of hops against the number of faults, with
 * confidence intervals as bars.
 */
#include <math.h>

#include "balance_sim.h"

#define WIDTH 1200
#define HEIGHT 560
#define PANEL_W 440
#define PANEL_H 380
#define TOP 110

/* A chart that is being drawn. */
struct chart {
	FILE *f;	/* the SVG file */
	const struct sim_study *st;
	bool hops;	/* the values are hops, otherwise speedups */
	double left;	/* position of the chart's left side */
	double low;	/* value at the lower end of the vertical axis */
	double high;	/* value at the upper end of the vertical axis */
	double step;	/* difference of the values at two adjacent labels */
};

static const struct hc_mean *value(const struct chart *c, uint32_t n, size_t m)
{
	const struct sim_point *p = &c->st->point[(n - c->st->first) * c->st->nmethods + m];

	return c->hops ? &p->hops : &p->speedup;
}

/* Choose round numbers for the ends of the vertical axis, and for the step between its labels. */
static void scale(struct chart *c)
{
	double low = INFINITY, high = -INFINITY;
	uint32_t n;
	size_t m;

	for (n = c->st->first; n <= c->st->last; n++)
		for (m = 0; m < c->st->nmethods; m++) {
			const struct hc_mean *v = value(c, n, m);

			low = fmin(low, v->mean - v->ci95);
			high = fmax(high, v->mean + v->ci95);
		}
	if (!(high > low))
		high = low + 1;
	c->step = pow(10, floor(log10((high - low) / 4)));
	while ((high - low) / c->step > 8)
		c->step *= 2;
	c->low = floor(low / c->step) * c->step;
	c->high = ceil(high / c->step) * c->step;
}

static double x_of(const struct chart *c, uint32_t n)
{
	uint32_t span = c->st->last - c->st->first;

	return c->left + (span ? (double)(n - c->st->first) / span : .5) * PANEL_W;
}

static double y_of(const struct chart *c, double v)
{
	return TOP + PANEL_H * (c->high - v) / (c->high - c->low);
}

static void axes(const struct chart *c)
{
	uint32_t n, every = (c->st->last - c->st->first) / 16 + 1;
	double v;

	fprintf(c->f, "<text class=\"w\" x=\"%.0f\" y=\"%d\" font-size=\"16\">%s</text>\n", c->left,
		TOP - 16, c->hops ? "Hops of tasks for each node" : "Speedup");
	for (v = c->low; v < c->high + c->step / 2; v += c->step) {
		fprintf(c->f, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
			c->left, y_of(c, v), c->left + PANEL_W, y_of(c, v));
		fprintf(c->f, "<text class=\"e\" x=\"%.1f\" y=\"%.1f\" font-size=\"12\">%.4g</text>\n",
			c->left - 8, y_of(c, v) + 4, v);
	}
	for (n = c->st->first; n <= c->st->last; n += every)
		fprintf(c->f, "<text class=\"m\" x=\"%.1f\" y=\"%d\" font-size=\"12\">%u</text>\n",
			x_of(c, n), TOP + PANEL_H + 20, n);
	fprintf(c->f, "<text class=\"m\" x=\"%.1f\" y=\"%d\" font-size=\"13\">failed nodes</text>\n",
		c->left + PANEL_W / 2.0, TOP + PANEL_H + 42);
}

static void curve(const struct chart *c, size_t m)
{
	enum hc_balance_method id = c->st->methods[m];
	uint32_t n;

	fprintf(c->f, "<g class=\"curve s%u\"><title>%s</title>\n<polyline points=\"", id,
		hc_balance_names[id]);
	for (n = c->st->first; n <= c->st->last; n++)
		fprintf(c->f, "%.1f,%.1f ", x_of(c, n), y_of(c, value(c, n, m)->mean));
	fputs("\"/>\n", c->f);
	for (n = c->st->first; n <= c->st->last; n++) {
		const struct hc_mean *v = value(c, n, m);
		double x = x_of(c, n), top = y_of(c, v->mean + v->ci95);

		fprintf(c->f, "<path d=\"M%.1f %.1fV%.1fm-3 0h6M%.1f %.1fh6\"/>", x, top,
			y_of(c, v->mean - v->ci95), x - 3, top);
		fprintf(c->f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>%u faults: %.4g +- %.2g</title></circle>\n",
			x, y_of(c, v->mean), n, v->mean, v->ci95);
	}
	fputs("</g>\n", c->f);
}

static void key(FILE *f, const struct sim_study *st)
{
	unsigned int y = TOP + 10;
	size_t m;

	for (m = 0; m < st->nmethods; m++, y += 26) {
		fprintf(f, "<g class=\"s%u\"><polyline points=\"1090,%u 1120,%u\"/><circle cx=\"1105\" cy=\"%u\" r=\"3\"/></g>",
			st->methods[m], y, y, y);
		fprintf(f, "<text x=\"1128\" y=\"%u\" font-size=\"14\">%s</text>\n", y + 5,
			hc_balance_names[st->methods[m]]);
	}
}

static void style(FILE *f)
{
	static const char * const colour[] = {
		[HC_BALANCE_RID] = "#a05a00", [HC_BALANCE_DEM] = "#2667cf",
		[HC_BALANCE_CWA] = "#777777", [HC_BALANCE_MCW] = "#d11149",
		[HC_BALANCE_OPT] = "#2f8a22", [HC_BALANCE_AUTO] = "#7b3fc4",
	};
	unsigned int i;

	fputs("<style>\ntext{font-family:system-ui,\"DejaVu Sans\",sans-serif;fill:#18202b}\n"
	      ".paper{fill:#ffffff}.m{text-anchor:middle}.e{text-anchor:end}.w{font-weight:600}\n"
	      ".grid{stroke:#ccd3dc}polyline{fill:none;stroke-width:2}path{fill:none}\n"
	      "circle{stroke:none}\n", f);
	for (i = 0; i < HC_BALANCE_METHODS; i++)
		fprintf(f, ".s%u polyline,.s%u path{stroke:%s}.s%u circle{fill:%s}\n", i, i,
			colour[i], i, colour[i]);
	fputs("@media (prefers-color-scheme:dark){.paper{fill:#0f141b}text{fill:#e8edf4}.grid{stroke:#323d4c}}\n"
	      "</style>\n", f);
}

void sim_chart_print(FILE *f, const struct sim_study *st)
{
	struct chart c = { .f = f, .st = st, .left = 70 };
	size_t m;

	fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n",
		WIDTH, HEIGHT, WIDTH, HEIGHT);
	style(f);
	fprintf(f, "<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n", WIDTH, HEIGHT);
	fprintf(f, "<text class=\"w\" x=\"50\" y=\"44\" font-size=\"24\">Load balancing in a hypercube of dimension %u</text>\n",
		st->s.dim);
	fprintf(f, "<text x=\"50\" y=\"70\" font-size=\"13\">%u runs, 95 %% intervals; threshold %u, interval %g, hop %g, info %g, charge %s, tau of the %s, seed %lu</text>\n",
		st->runs, st->s.threshold, st->s.interval, st->s.hop, st->s.info,
		sim_charges[st->s.charge], sim_taus[st->s.tau], (unsigned long)st->s.seed);
	for (; c.left < 1000; c.left += PANEL_W + 90, c.hops = true) {
		if (c.left > 70 + PANEL_W + 90)
			break;
		scale(&c);
		axes(&c);
		for (m = 0; m < st->nmethods; m++)
			curve(&c, m);
	}
	key(f, st);
	fputs("</svg>\n", f);
}
