// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl top: what goes on in a fabric, again and again.
 *
 * On a terminal each picture takes the place of the one before, by two escape sequences; all that
 * is to be given back is the cursor.  Signals that end or stop us wait while a picture is made.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "top.h"

#define INTERVAL_NS	UINT64_C(1000000000)
#define INTERVAL_MIN	UINT64_C(10000000)
#define ROWS		10
/* Lines of a picture beside the rows of its four tables, of which one may be too long for the
 * terminal, and the one that the cursor is in.
 */
#define LINES_BESIDE	7

struct top {
	const char *fabric;
	uint64_t interval;
	uint32_t count;		/* 0: for ever */
	uint32_t rows;
	bool rows_given;
	bool terminal;
	sigset_t signals;	/* that wait for us */
};

/* --- samples --- */

static void sample_free(struct top_sample *s)
{
	cmd_state_free(&s->state);
	free(s->ops);
	*s = (struct top_sample){};
}

static int sample(struct hcctl *h, const struct top *t, struct top_sample *s)
{
	struct timespec now;
	int rc;

	*s = (struct top_sample){};
	rc = cmd_state(h, t->fabric, &s->state);
	clock_gettime(CLOCK_MONOTONIC, &now);
	s->at = now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
	rc = rc ?: nl_ops(h, t->fabric, &s->ops, &s->nops);
	if (rc)
		sample_free(s);
	return rc;
}

/* --- the terminal --- */

/* So many as fit, of each table. */
static uint32_t rows_that_fit(const struct top *t)
{
	struct winsize size;
	uint32_t fit;

	if (!t->terminal || t->rows_given || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ||
	    !size.ws_row)
		return t->rows;
	fit = size.ws_row > LINES_BESIDE + 4 ? (size.ws_row - LINES_BESIDE) / 4 : 1;
	return fit < t->rows ? fit : t->rows;
}

static void screen(struct hcctl *h, const struct top *t, const char *sequence)
{
	if (!t->terminal)
		return;
	out_text(h, "%s", sequence);
	out_now(h);
}

#define CURSOR_OFF	"\033[?25l"
#define CURSOR_ON	"\033[?25h"
#define FROM_THE_TOP	"\033[H\033[J"

/* --- again and again --- */

/* Those that were ignored stay so, as with nohup(1). */
static void signals_wait(struct top *t, sigset_t *before)
{
	static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };
	struct sigaction old;
	size_t i;

	sigemptyset(&t->signals);
	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!sigaction(all[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaddset(&t->signals, all[i]);
	sigprocmask(SIG_BLOCK, &t->signals, before);
}

/* A signal has come: that is how it ends, unless it is to go on later. */
static bool ended(struct hcctl *h, const struct top *t)
{
	const struct timespec wait = {
		t->interval / 1000000000, t->interval % 1000000000,
	};
	int sig;

	do
		sig = sigtimedwait(&t->signals, NULL, &wait);
	while (sig < 0 && errno == EINTR);
	if (sig == SIGTSTP) {
		screen(h, t, CURSOR_ON);
		raise(SIGSTOP);
		screen(h, t, CURSOR_OFF);
	}
	return sig > 0 && sig != SIGTSTP;
}

static int picture(struct hcctl *h, const struct top *t, struct top_sample *before)
{
	struct top_sample now;
	struct top_view v = { before, &now, rows_that_fit(t) };
	int rc = sample(h, t, &now);

	if (rc)
		return rc;
	screen(h, t, FROM_THE_TOP);
	rc = top_print(h, &v);
	sample_free(before);
	*before = now;
	return rc;
}

static int watch(struct hcctl *h, const struct top *t)
{
	struct top_sample before;
	uint32_t n = 0;
	int rc;

	rc = sample(h, t, &before);
	if (rc)
		return rc;
	screen(h, t, CURSOR_OFF);
	while (!rc && (!t->count || n++ < t->count) && !ended(h, t))
		rc = picture(h, t, &before);
	screen(h, t, CURSOR_ON);
	sample_free(&before);
	return rc;
}

static int arg_interval(struct hcctl *h, const char *name, const char *word, void *dst)
{
	if (arg_time(h, name, word, dst))
		return HC_USAGE;
	if (*(uint64_t *)dst < INTERVAL_MIN || *(uint64_t *)dst > 86400 * INTERVAL_NS)
		return hc_invalid(h, name, word, "10ms to a day is wanted");
	return 0;
}

static int top(struct hcctl *h, int argc, char **argv)
{
	struct top t = {
		.fabric = hc_take_fabric(h, &argc, &argv), .interval = INTERVAL_NS, .rows = ROWS,
		.terminal = !h->json && isatty(STDOUT_FILENO),
	};
	struct arg args[] = {
		{ "interval", arg_interval, &t.interval },
		{ "count", arg_count, &t.count },
		{ "rows", arg_count, &t.rows },
		{}
	};
	sigset_t before;
	int rc;

	rc = t.fabric ? hc_args(h, args, argc, argv) : HC_USAGE;
	if (rc)
		return rc;
	t.rows_given = args[2].given;
	if (!t.terminal && !args[1].given)
		t.count = 1;
	signals_wait(&t, &before);
	rc = watch(h, &t);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

const struct hc_cmd top_cmds[] = {
	{ NULL, top, "NAME [interval TIME] [count N] [rows N]" },
	{}
};
