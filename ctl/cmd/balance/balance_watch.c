// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl balance show --watch: the loads of all nodes as bars, and the results of the last rounds.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "balance_cmd.h"
#include "cmd/watch.h"

/* Number of lines of a picture besides the bars and the rounds: three lines with sums, the key, the
 * number of nodes that are not shown, two lines with settings, and the line with the cursor.
 */
#define LINES_BESIDE	8
#define ROUNDS_FEW	4
#define WIDTH		80
/* LABEL: width of the number and the load of a node, with blanks. BAR_MIN: minimum width that the
 * longest bar gets.
 */
#define LABEL		16
#define BAR_MIN		8

/* The loads of nodes at one time. */
struct sample {
	struct nl_balance b;
	struct nl_node *v;	/* the nodes on this machine */
	size_t n;
	uint64_t at;		/* time of the sample, ns of the monotonic clock */
};

/* The last two samples, and how to show them. */
struct view {
	const char *fabric;
	struct watch watch;
	struct sample before;
	struct sample now;
};

/**
 * struct grid - nodes arranged in columns, with a bar for each node
 * @v: the nodes
 * @n: number of nodes
 * @shown: number of nodes that are shown, because they fit the terminal
 * @lines: number of nodes in a column
 * @bar: length of the longest bar in characters
 * @unit: number of tasks that a character of a bar stands for
 */
struct grid {
	const struct nl_node **v;
	size_t n;
	size_t shown;
	size_t lines;
	uint32_t bar;
	uint64_t unit;
};

/* Return: the counter @attr (HYPERCUBE_A_TASKS_*) of the tasks of node @v. */
static uint64_t tasks(const struct nl_node *v, unsigned int attr)
{
	return v->tasks[attr];
}

static uint64_t waiting(const struct nl_node *v)
{
	return tasks(v, HYPERCUBE_A_TASKS_QUEUED);
}

static uint64_t held(const struct nl_node *v)
{
	return tasks(v, HYPERCUBE_A_TASKS_HELD);
}

/* --- samples --- */

static int sample(struct hcctl *h, void *arg)
{
	struct view *w = arg;
	struct sample *s = &w->now;
	struct timespec now;
	int rc;

	free(w->before.v);
	w->before = w->now;
	*s = (struct sample){};
	rc = balance_get(h, w->fabric, &s->b, &s->v, &s->n);
	clock_gettime(CLOCK_MONOTONIC, &now);
	s->at = now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
	return rc;
}

/* Return: the sum of the counter @attr over all nodes in the sample. */
static uint64_t sum(const struct sample *s, unsigned int attr)
{
	uint64_t all = 0;
	size_t i;

	for (i = 0; i < s->n; i++)
		all += tasks(&s->v[i], attr);
	return all;
}

/* Return: by how much the sum of a counter increases per second. If the sum has become smaller, the
 * two samples are of different fabrics of the same name, and the rate is 0.
 */
static uint64_t per_second(const struct view *w, unsigned int attr)
{
	uint64_t a = sum(&w->before, attr), b = sum(&w->now, attr);
	uint64_t ns = w->now.at - w->before.at;

	return b > a && ns ? (double)(b - a) * 1e9 / ns + .5 : 0;
}

/* --- sums --- */

static void put_loads(struct hcctl *h, const struct sample *s)
{
	uint64_t least = UINT64_MAX, most = 0, all = 0, live = 0;
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (s->v[i].failed)
			continue;
		least = waiting(&s->v[i]) < least ? waiting(&s->v[i]) : least;
		most = waiting(&s->v[i]) > most ? waiting(&s->v[i]) : most;
		all += waiting(&s->v[i]);
		live++;
	}
	out_uint(h, NULL, "waiting %" PRIu64, all);
	if (live) {
		out_uint(h, NULL, ", at a node %" PRIu64, least);
		out_uint(h, NULL, " to %" PRIu64, most);
		out_real(h, NULL, ", mean %.1f", (double)all / live);
	}
	out_uint(h, NULL, "; held by workers %" PRIu64, sum(s, HYPERCUBE_A_TASKS_HELD));
	out_uint(h, NULL, "; moving %" PRIu64 "\n", sum(s, HYPERCUBE_A_TASKS_MOVING));
}

/* Print a count. If it is not 0, its colour is OUT_BAD. */
static void put_bad(struct hcctl *h, const char *fmt, uint64_t v)
{
	if (v)
		out_color(h, OUT_BAD);
	out_uint(h, NULL, fmt, v);
	if (v)
		out_color(h, OUT_PLAIN);
}

static void put_sums(struct hcctl *h, const struct view *w)
{
	const struct sample *s = &w->now;
	uint64_t failed = 0;
	char buf[OUT_BUF];
	size_t i;

	for (i = 0; i < s->n; i++)
		failed += s->v[i].failed;
	out_str(h, NULL, "%s:", w->fabric);
	out_uint(h, NULL, " %" PRIu64 " nodes", s->n);
	out_uint(h, NULL, ", %" PRIu64 " failed", failed);
	out_str(h, NULL, "; in %s ", out_time(buf, s->at - w->before.at));
	out_uint(h, NULL, "put %" PRIu64 "/s", per_second(w, HYPERCUBE_A_TASKS_PUT));
	out_uint(h, NULL, ", done %" PRIu64 "/s", per_second(w, HYPERCUBE_A_TASKS_DONE));
	out_uint(h, NULL, ", handed over %" PRIu64 "/s\n", per_second(w, HYPERCUBE_A_TASKS_SENT));
	put_loads(h, s);
	out_uint(h, NULL, "done %" PRIu64, sum(s, HYPERCUBE_A_TASKS_DONE));
	out_uint(h, NULL, ", redelivered %" PRIu64, sum(s, HYPERCUBE_A_TASKS_REDELIVERED));
	put_bad(h, ", lost %" PRIu64, sum(s, HYPERCUBE_A_TASKS_LOST));
	put_bad(h, ", unresolved %" PRIu64, sum(s, HYPERCUBE_A_TASKS_UNRESOLVED));
	out_uint(h, NULL, "; replicated %" PRIu64, sum(s, HYPERCUBE_A_TASKS_REPLICATED));
	out_uint(h, NULL, ", recovered %" PRIu64 "\n", sum(s, HYPERCUBE_A_TASKS_RECOVERED));
}

/* --- bars --- */

/* Return: the number of characters of a bar that stand for @count tasks, rounded up. */
static uint64_t characters(uint64_t count, uint64_t unit)
{
	return (count + unit - 1) / unit;
}

/* Return: true if no bar is longer than g->bar characters. */
static bool fits(const struct grid *g)
{
	size_t i;

	for (i = 0; i < g->shown; i++)
		if (characters(waiting(g->v[i]), g->unit) + characters(held(g->v[i]), g->unit) >
		    g->bar)
			return false;
	return true;
}

/* Compare the loads of two nodes. Nodes with the highest load come first, because the nodes at the
 * end may not fit the terminal.
 */
static int fuller(const void *a, const void *b)
{
	const struct nl_node *x = *(const struct nl_node * const *)a;
	const struct nl_node *y = *(const struct nl_node * const *)b;
	uint64_t p = waiting(x) + held(x), q = waiting(y) + held(y);

	if (p != q)
		return p > q ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Arrange the nodes in as few columns as @lines allows. On a terminal of @width characters, the
 * number of columns is limited, so not all nodes may fit.
 */
static void arrange(struct grid *g, uint32_t lines, uint32_t width)
{
	uint64_t most = 0;
	size_t columns, i;

	columns = lines ? (g->n + lines - 1) / lines : 1;
	if (columns > width / (LABEL + BAR_MIN))
		columns = width / (LABEL + BAR_MIN);
	columns = columns ?: 1;
	g->bar = width / columns > LABEL + BAR_MIN ? width / columns - LABEL : BAR_MIN;
	g->shown = lines && columns * lines < g->n ? columns * lines : g->n;
	g->lines = (g->shown + columns - 1) / columns;
	if (g->shown < g->n)
		qsort(g->v, g->n, sizeof(*g->v), fuller);
	for (i = 0; i < g->shown; i++)
		if (waiting(g->v[i]) + held(g->v[i]) > most)
			most = waiting(g->v[i]) + held(g->v[i]);
	for (g->unit = most / g->bar ?: 1; !fits(g); g->unit++)
		;
}

static void repeat(struct hcctl *h, char c, uint64_t n)
{
	while (n--)
		out_text(h, "%c", c);
}

/* Print the number, the load and the bar of a node. With @more, another column follows, so the bar
 * is padded with blanks.
 */
static void put_bar(struct hcctl *h, const struct grid *g, const struct nl_node *v, bool more)
{
	uint64_t a = characters(held(v), g->unit), b = characters(waiting(v), g->unit);

	out_uint(h, NULL, "%6" PRIu64, v->id);
	if (v->failed) {
		out_color(h, OUT_BAD);
		out_text(h, "  failed");
		out_color(h, OUT_PLAIN);
		a = 0;
		b = 0;
	} else {
		out_uint(h, NULL, "%8" PRIu64, waiting(v));
	}
	repeat(h, ' ', a + b || more);
	repeat(h, '=', a);
	repeat(h, '#', b);
	if (more)
		repeat(h, ' ', g->bar - a - b + 1);
	else
		out_text(h, "\n");
}

static void put_bars(struct hcctl *h, const struct grid *g)
{
	size_t row, i;

	for (row = 0; row < g->lines; row++)
		for (i = row; i < g->shown; i += g->lines)
			put_bar(h, g, g->v[i], i + g->lines < g->shown);
	if (g->shown < g->n) {
		out_uint(h, NULL, "and %" PRIu64 " nodes more", g->n - g->shown);
		out_uint(h, NULL, ", none of which has more than %" PRIu64 "\n",
			 waiting(g->v[g->shown]) + held(g->v[g->shown]));
	}
	out_uint(h, NULL, "# waits, = is held; a character is up to %" PRIu64, g->unit);
	out_text(h, g->unit == 1 ? " task\n" : " tasks\n");
}

/* --- the whole picture --- */

static void put_rounds(struct hcctl *h, const struct nl_balance *b, unsigned int most)
{
	unsigned int i;

	balance_out_settings(h, b);
	for (i = b->n > most ? b->n - most : 0; i < b->n; i++) {
		cmd_out_round(h, &b->round[i]);
		out_text(h, "\n");
	}
}

static int text(struct hcctl *h, const struct view *w)
{
	uint32_t lines = 0, width = WIDTH, beside, rounds = HYPERCUBE_ROUNDS_KEPT;
	const struct sample *s = &w->now;
	struct grid g = { .v = calloc(s->n + 1, sizeof(*g.v)), .n = s->n };
	size_t i;

	if (!g.v)
		return hc_nomem(h);
	for (i = 0; i < s->n; i++)
		g.v[i] = &s->v[i];
	if (watch_size(&w->watch, &lines, &width)) {
		rounds = ROUNDS_FEW;
		beside = LINES_BESIDE + rounds;
		lines = lines > beside ? lines - beside : 1;
	}
	arrange(&g, lines, width - 1);
	put_sums(h, w);
	put_bars(h, &g);
	put_rounds(h, &s->b, rounds);
	free(g.v);
	return 0;
}

static int picture(struct hcctl *h, void *arg)
{
	const struct view *w = arg;

	if (!h->json)
		return text(h, w);
	balance_out_all(h, &w->now.b, w->now.v, w->now.n);
	return 0;
}

static const struct watch_ops ops = { sample, picture };

int balance_watch(struct hcctl *h, const char *fabric, const struct watch *how)
{
	struct view w = { .fabric = fabric, .watch = *how };
	int rc = watch(h, &w.watch, &ops, &w);

	free(w.before.v);
	free(w.now.v);
	return rc;
}
