// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl top: the activity in a fabric, shown repeatedly.
 */
#include <stdlib.h>
#include <time.h>

#include "top.h"
#include "watch.h"

#define ROWS		10
/* Number of lines of a picture besides the rows of its four tables. It includes the line with the
 * cursor, and one more line in case that one of the lines is too long for the terminal.
 */
#define LINES_BESIDE	7

/* A run of the command. */
struct top {
	const char *fabric;
	struct watch watch;
	uint32_t rows;			/* maximum number of rows of each table */
	bool rows_given;		/* the user has named the number of rows */
	struct top_sample before;	/* the previous sample */
	struct top_sample now;		/* the latest sample */
};

static void sample_free(struct top_sample *s)
{
	cmd_state_free(&s->state);
	free(s->ops);
	*s = (struct top_sample){};
}

static int sample(struct hcctl *h, void *arg)
{
	struct top *t = arg;
	struct top_sample *s = &t->now;
	struct timespec now;
	int rc;

	sample_free(&t->before);
	t->before = t->now;
	*s = (struct top_sample){};
	rc = cmd_state(h, t->fabric, &s->state);
	clock_gettime(CLOCK_MONOTONIC, &now);
	s->at = now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
	return rc ?: nl_ops(h, t->fabric, &s->ops, &s->nops);
}

/* Return: the number of rows that each table may have, so that the picture fits the terminal. */
static uint32_t rows_that_fit(const struct top *t)
{
	uint32_t lines, columns, fit;

	if (t->rows_given || !watch_size(&t->watch, &lines, &columns))
		return t->rows;
	fit = lines > LINES_BESIDE + 4 ? (lines - LINES_BESIDE) / 4 : 1;
	return fit < t->rows ? fit : t->rows;
}

static int picture(struct hcctl *h, void *arg)
{
	const struct top *t = arg;
	const struct top_view v = { &t->before, &t->now, rows_that_fit(t) };

	return top_print(h, &v);
}

static const struct watch_ops ops = { sample, picture };

static int top(struct hcctl *h, int argc, char **argv)
{
	struct top t = { .fabric = hc_take_fabric(h, &argc, &argv), .rows = ROWS };
	struct arg args[] = {
		{ "interval", watch_arg_interval, &t.watch.interval },
		{ "count", arg_count, &t.watch.count },
		{ "rows", arg_count, &t.rows },
		{}
	};
	int rc;

	watch_init(h, &t.watch);
	rc = t.fabric ? hc_args(h, args, argc, argv) : HC_USAGE;
	if (rc)
		return rc;
	t.rows_given = args[2].given;
	rc = watch(h, &t.watch, &ops, &t);
	sample_free(&t.before);
	sample_free(&t.now);
	return rc;
}

const struct hc_cmd top_cmds[] = {
	{ NULL, top, "NAME [interval TIME] [count N] [rows N]" },
	{}
};
