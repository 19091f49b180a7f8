// SPDX-License-Identifier: GPL-2.0
/*
 * Draws the number of tasks at each node over time, in a field for each balancing method.
 *
 * jobs_picture SVG WORDS FAILED {NAME LOADS SECONDS}..
 *	WORDS	title
 *	FAILED	failed nodes, with commas
 *	NAME	name of a run; the text after "; " is in small letters
 *	LOADS	file of this run: each line has the seconds since the run began, and the
 *		number of tasks at each node
 *	SECONDS	duration of the run
 */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "svg.h"

#define LEFT	178.0
#define FIELD	860.0
#define RIGHT	72.0
#define WIDTH	(LEFT + FIELD + RIGHT)
#define TOP	140.0
#define GAP	18.0
#define HEIGHT	112.0	/* height of a field, in pixels */
#define SEAM	.6	/* overlap of the rectangles of a row, as gaps would be visible otherwise */
#define RUNS_MAX 12
#define IDLE	"#fbe3c8"
#define FAILED	"#9aa3ad"

/* A run, with its samples of the numbers of tasks at the times @at. */
struct run {
	const char *name;
	double seconds;
	unsigned int n;		/* number of samples */
	double *at;
	unsigned int *load;	/* number of tasks of each node, for one sample after the other */
};

struct picture {
	FILE *f;
	struct run run[RUNS_MAX];
	unsigned int runs;
	unsigned int nodes;
	bool *failed;
	unsigned int most;	/* greatest number of tasks of a node */
	double seconds;		/* duration of the longest run */
	double row;
};

/* --- input --- */

static void sample(struct picture *p, struct run *r, char *line)
{
	unsigned int n = 0;
	char *word = strtok(line, "\n ");

	r->at = reallocarray(r->at, r->n + 1, sizeof(*r->at));
	r->load = reallocarray(r->load, (r->n + 1) * (size_t)p->nodes, sizeof(*r->load));
	if (!r->at || !r->load)
		err(1, "memory");
	r->at[r->n] = atof(word);
	for (; n < p->nodes && (word = strtok(NULL, "\n ")); n++) {
		unsigned int *load = &r->load[(size_t)r->n * p->nodes + n];

		*load = atoi(word);
		p->most = *load > p->most ? *load : p->most;
	}
	if (n < p->nodes)
		errx(1, "%s: a line is too short", r->name);
	r->n++;
}

/* Return: number of columns after the time in a line, which is the number of nodes. */
static unsigned int columns(const char *line)
{
	unsigned int n = 0;

	for (; *line; line++)
		n += *line == ' ';
	return n;
}

static void run_read(struct picture *p, const char *name, const char *loads, const char *seconds)
{
	struct run *r = &p->run[p->runs++];
	FILE *f = fopen(loads, "r");
	char *line = NULL;
	size_t size = 0;

	if (!f)
		err(1, "%s", loads);
	*r = (struct run){ .name = name, .seconds = atof(seconds) };
	p->seconds = fmax(p->seconds, r->seconds);
	while (getline(&line, &size, f) > 0) {
		if (!p->nodes)
			p->nodes = columns(line);
		sample(p, r, line);
	}
	free(line);
	fclose(f);
	if (!r->n)
		errx(1, "%s is empty", loads);
}

static void failed_read(struct picture *p, char *list)
{
	char *word;

	p->failed = calloc(p->nodes, sizeof(*p->failed));
	if (!p->failed)
		err(1, "memory");
	for (word = strtok(list, ","); word; word = strtok(NULL, ","))
		if ((unsigned int)atoi(word) < p->nodes)
			p->failed[atoi(word)] = true;
}

/* --- drawing --- */

static void rect(FILE *f, double x, double y, double w, double h, const char *rgb)
{
	fprintf(f, "<rect x=\"%.1f\" y=\"%.2f\" width=\"%.1f\" height=\"%.2f\" fill=\"%s\"/>\n",
		x, y, w, h, rgb);
}

static double x_of(const struct picture *p, double at)
{
	return LEFT + FIELD * at / p->seconds;
}

/* Write the colour for @load tasks to @text. The scale is logarithmic, so that small numbers of
 * tasks are as distinct as large numbers.
 */
static void fill(const struct picture *p, unsigned int load, char text[8])
{
	if (load)
		svg_colour(&svg_blues, .15 + .85 * log(load) / log(fmax(p->most, 2)), text);
	else
		strcpy(text, IDLE);
}

/* Draw the row of node @u. Adjacent equal samples become one rectangle. */
static void row(const struct picture *p, const struct run *r, unsigned int u, double y)
{
	unsigned int i, from = 0;
	char rgb[8];

	for (i = 1; i <= r->n; i++) {
		unsigned int load = r->load[(size_t)from * p->nodes + u];
		double end = i < r->n ? fmin(r->at[i], r->seconds) : r->seconds;

		if (i < r->n && r->load[(size_t)i * p->nodes + u] == load)
			continue;
		fill(p, load, rgb);
		if (end > r->at[from])
			rect(p->f, x_of(p, r->at[from]), y,
			     x_of(p, end) - x_of(p, r->at[from]) + SEAM, p->row, rgb);
		from = i;
	}
}

/* Draw the rows of all nodes of a run. */
static void field(const struct picture *p, const struct run *r, double y)
{
	double end = x_of(p, r->seconds);
	unsigned int u;

	fprintf(p->f, "<g shape-rendering=\"crispEdges\">\n");
	for (u = 0; u < p->nodes; u++) {
		double at = y + u * p->row;

		if (p->failed[u])
			rect(p->f, LEFT, at, end - LEFT, p->row, FAILED);
		else
			row(p, r, u, at);
	}
	fprintf(p->f, "</g>\n<path class=\"end\" d=\"M%.1f %.1fv%.1f\"/>\n", end, y - 4,
		HEIGHT + 8);
	svg_words(p->f, "k", end + 8, y + HEIGHT / 2 + 5, "%.1f s", r->seconds);
}

/* Draw a run's name; the text after a semicolon is in small letters. */
static void label(const struct picture *p, const struct run *r, double y)
{
	int name = (int)strcspn(r->name, ";");
	double x = LEFT - 34, at = y + HEIGHT / 2;

	svg_words(p->f, "h e", x, at, "%.*s", name, r->name);
	if (r->name[name])
		svg_words(p->f, "t e", x, at += 18, "%s", r->name + name + 2);
	if (r != p->run)
		svg_words(p->f, "t e", x, at + 18, "%.1f times as fast",
			  p->run[0].seconds / r->seconds);
	svg_words(p->f, "t e", LEFT - 8, y + 10, "0");
	svg_words(p->f, "t e", LEFT - 8, y + HEIGHT, "%u", p->nodes - 1);
}

static void axis(const struct picture *p, double y)
{
	double step = pow(10, floor(log10(p->seconds / 4))), at;

	while (p->seconds / step > 12)
		step *= 2;
	fprintf(p->f, "<path class=\"axis\" d=\"M%.1f %.1fh%.1f\"/>\n", LEFT, y, FIELD);
	for (at = 0; at <= p->seconds + step / 1000; at += step) {
		fprintf(p->f, "<path class=\"axis\" d=\"M%.1f %.1fv5\"/>\n", x_of(p, at), y);
		svg_words(p->f, "t m", x_of(p, at), y + 20, "%g%s", at, at > 0 ? "" : " s");
	}
}

/* Draw the key to the colours of fill(). */
static void key(const struct picture *p)
{
	double x = LEFT, y = 100, w = 24;
	unsigned int load, next;
	char rgb[8];

	svg_words(p->f, "t e", x - 12, y + 12, "tasks of a node");
	for (load = 0; load <= p->most; load = next) {
		next = load < 2 ? load + 1 : load * 2;
		fill(p, load, rgb);
		rect(p->f, x, y, w, 14, rgb);
		svg_words(p->f, "t m", x + w / 2, y + 28, "%u", load);
		x += w + 4;
	}
	rect(p->f, x + 20, y, w, 14, FAILED);
	svg_words(p->f, "t", x + 26 + w, y + 12, "failed from the beginning");
}

static void head(const struct picture *p, double height, const char *about)
{
	svg_begin(p->f, WIDTH, height, ".h{font-size:15px;font-weight:600}\n"
		  ".end{stroke:#18202b;stroke-width:2}\n");
	svg_words(p->f, "title", 36, 44, "Who has how much to do, until all is done");
	svg_words(p->f, "about", 36, 70, "%s; a row is a node, from left to right is time", about);
}

static void draw(struct picture *p, const char *about)
{
	double bottom = TOP + p->runs * (HEIGHT + GAP);
	unsigned int i;

	p->row = HEIGHT / p->nodes;
	head(p, bottom + 44, about);
	key(p);
	for (i = 0; i < p->runs; i++) {
		field(p, &p->run[i], TOP + i * (HEIGHT + GAP));
		label(p, &p->run[i], TOP + i * (HEIGHT + GAP));
	}
	axis(p, bottom);
	fputs("</svg>\n", p->f);
}

int main(int argc, char **argv)
{
	struct picture p = { 0 };
	int i;

	if (argc < 7 || (argc - 4) % 3 || (argc - 4) / 3 > RUNS_MAX) {
		fputs("usage: jobs_picture SVG WORDS FAILED {NAME LOADS SECONDS}..\n", stderr);
		return 2;
	}
	for (i = 4; i < argc; i += 3)
		run_read(&p, argv[i], argv[i + 1], argv[i + 2]);
	if (!p.nodes || !(p.seconds > 0))
		errx(1, "there is nothing to draw");
	failed_read(&p, argv[3]);
	p.f = fopen(argv[1], "w");
	if (!p.f)
		err(1, "%s", argv[1]);
	draw(&p, argv[2]);
	if (fclose(p.f))
		err(1, "%s", argv[1]);
	return 0;
}
