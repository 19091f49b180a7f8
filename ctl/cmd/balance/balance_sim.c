// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl balance simulate: running the simulation on all processors, and the command's keywords.
 *
 * Each run has its own random numbers and its own entry in the array of results, so the results do
 * not depend on the number of threads.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "balance_sim.h"
#include "file.h"
#include "memory.h"

#define DIM_MAX 10
#define PROGRESS_US 100000

static volatile sig_atomic_t interrupted;

/**
 * struct crew - the threads of a simulation
 * @st: the simulation
 * @next: number of the next run that a thread takes
 * @done: number of runs that have ended
 * @total: number of all runs
 * @err: -ENOMEM if memory ran out
 */
struct crew {
	struct sim_study *st;
	atomic_uint next;
	atomic_uint done;
	unsigned int total;
	atomic_int err;
};

static void on_signal(int sig __attribute__((unused)))
{
	interrupted = 1;
}

/* The function of a thread: take one run after another, until none is left or an error occurs. */
static void *worker(void *arg)
{
	struct crew *c = arg;
	struct sim_study *st = c->st;
	struct hc_sim_room *r = hc_sim_new(&st->s);
	unsigned int i;

	if (!r)
		atomic_store(&c->err, -ENOMEM);
	while (r && !interrupted && !atomic_load(&c->err)) {
		i = atomic_fetch_add(&c->next, 1);
		if (i >= c->total)
			break;
		if (hc_sim_run(r, st->first + i / st->runs, i % st->runs, st->methods,
			       st->nmethods, &st->raw[(size_t)i * st->nmethods]))
			atomic_store(&c->err, -ENOMEM);
		atomic_fetch_add(&c->done, 1);
	}
	hc_sim_free(r);
	return NULL;
}

static void progress(const struct crew *c)
{
	unsigned int done = atomic_load(&c->done), bar = done * 40ULL / c->total;

	fprintf(stderr, "\r[%.*s%*s] %u of %u runs", bar,
		"########################################", 40 - bar, "", done, c->total);
	fflush(stderr);
}

static void watch(struct crew *c)
{
	bool shown = isatty(STDERR_FILENO);

	while (shown && !interrupted && !atomic_load(&c->err) && atomic_load(&c->done) < c->total) {
		progress(c);
		usleep(PROGRESS_US);
	}
	if (shown)
		fputs("\r\033[K", stderr);
}

static int run_crew(struct crew *c)
{
	pthread_t *thread = calloc(c->st->jobs, sizeof(*thread));
	unsigned int i, n = 0;

	if (!thread)
		return -ENOMEM;
	while (n < c->st->jobs && !pthread_create(&thread[n], NULL, worker, c))
		n++;
	if (n)
		watch(c);
	for (i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	free(thread);
	return n ? atomic_load(&c->err) : -ENOMEM;
}

/* Run the simulation. A signal from Ctrl-C ends it, and its results so far are discarded. */
static int run_all(struct hcctl *h, struct sim_study *st)
{
	struct crew c = { .st = st, .total = (st->last - st->first + 1) * st->runs };
	struct sigaction act = { .sa_handler = on_signal }, old_int, old_term;
	int err;

	interrupted = 0;
	sigaction(SIGINT, &act, &old_int);
	sigaction(SIGTERM, &act, &old_term);
	err = run_crew(&c);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGTERM, &old_term, NULL);
	if (err)
		return hc_nomem(h);
	if (!interrupted)
		return 0;
	hc_error(h, "interrupted after %u of %u runs: nothing is written and nothing is left behind",
		 atomic_load(&c.done), c.total);
	return HC_NO;
}

/* --- results --- */

static void sum_up_point(struct sim_study *st, uint32_t f, size_t m, double *v)
{
	const struct hc_sim_result *raw = &st->raw[(size_t)f * st->runs * st->nmethods + m];
	struct sim_point *p = &st->point[f * st->nmethods + m];
	uint32_t i;

	for (i = 0; i < st->runs; i++)
		v[i] = raw[i * st->nmethods].speedup;
	p->speedup = hc_mean(v, st->runs);
	for (i = 0; i < st->runs; i++)
		v[i] = raw[i * st->nmethods].hops;
	p->hops = hc_mean(v, st->runs);
	for (i = 0; i < st->runs; i++)
		v[i] = raw[i * st->nmethods].rounds;
	p->rounds = hc_mean(v, st->runs);
	for (i = 0; i < st->runs; i++)
		v[i] = raw[i * st->nmethods].bound;
	st->bound[f] = hc_mean(v, st->runs);
}

static int sum_up(struct hcctl *h, struct sim_study *st)
{
	double *v = calloc(st->runs, sizeof(*v));
	uint32_t f;
	size_t m;

	if (!v)
		return hc_nomem(h);
	for (f = 0; f <= st->last - st->first; f++)
		for (m = 0; m < st->nmethods; m++)
			sum_up_point(st, f, m, v);
	free(v);
	return 0;
}

/* --- files --- */

static bool ends(const char *file, const char *suffix)
{
	const char *dot = strrchr(file, '.');

	return dot && !strcmp(dot, suffix);
}

/* Create the file @file, if the user wants it. This happens before the simulation, so that an error
 * is reported before hours of work.
 */
static int open_file(struct hcctl *h, const char *file, struct file_new **f)
{
	if (file)
		*f = file_create(h, file);
	return !file || *f ? 0 : HC_NO;
}

static int close_file(struct hcctl *h, struct file_new *f, int rc)
{
	int closed = f ? file_finish(h, f, !rc) : 0;

	return rc ?: closed;
}

/* --- keywords --- */

/* The files that the user wants, or NULL. */
struct files {
	const char *svg;
	const char *csv;
};

static int arg_file(struct hcctl *h, const char *name, const char *word, void *dst)
{
	struct files *f = dst;
	const char **which = ends(word, ".svg") ? &f->svg : ends(word, ".csv") ? &f->csv : NULL;

	if (!which)
		return hc_invalid(h, name, word, "a name that ends in .svg or .csv is wanted");
	if (*which)
		return hc_duplicate(h, name);
	*which = word;
	return 0;
}

/* Parse a number of faults, "3", or a range of numbers, "0..7". */
static int arg_range(struct hcctl *h, const char *name, const char *word, void *dst)
{
	struct sim_study *st = dst;
	const char *dots = strstr(word, "..");
	char first[24];
	uint64_t a, b;

	snprintf(first, sizeof(first), "%.*s", dots ? (int)(dots - word) : 23, word);
	if (hc_number(first, UINT16_MAX, &a) ||
	    hc_number(dots ? dots + 2 : first, UINT16_MAX, &b) || a > b)
		return hc_invalid(h, name, word, "a number, or a range as 0..7, is wanted");
	st->first = a;
	st->last = b;
	return 0;
}

static int method_of(const char *word)
{
	int i;

	for (i = 0; i < HC_BALANCE_METHODS; i++)
		if (i != HC_BALANCE_CWA && !strcmp(word, hc_balance_names[i]))
			return i;
	return -1;
}

static int arg_methods(struct hcctl *h, const char *name, const char *word, void *dst)
{
	struct sim_study *st = dst;
	char *copy = strdup(word), *rest = copy, *one;
	unsigned int seen = 0;
	int m, rc = copy ? 0 : hc_nomem(h);

	while (!rc && (one = strsep(&rest, ","))) {
		m = method_of(one);
		if (m < 0 || seen & 1u << m)
			rc = hc_invalid(h, name, one,
					"each of rid, dem, mcwa, optimal and auto once is wanted");
		if (rc)
			break;
		seen |= 1u << m;
		st->methods[st->nmethods++] = m;
	}
	free(copy);
	return rc;
}

static int at_most(struct hcctl *h, const char *what, uint32_t v, uint32_t max)
{
	if (v <= max)
		return 0;
	hc_error(h, "%s %u: at most %u is wanted", what, v, max);
	return HC_USAGE;
}

static int check(struct hcctl *h, struct sim_study *st)
{
	static const enum hc_balance_method all[] = {
		HC_BALANCE_RID, HC_BALANCE_DEM, HC_BALANCE_MCW, HC_BALANCE_OPT, HC_BALANCE_AUTO,
	};
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	if (st->s.dim > DIM_MAX) {
		hc_error(h, "dim %u: nothing beyond dimension %u is simulated", st->s.dim, DIM_MAX);
		return HC_USAGE;
	}
	if (st->last > hc_nodes(st->s.dim) / 2) {
		hc_error(h, "%u faults of %u nodes: at most half of them may fail", st->last,
			 hc_nodes(st->s.dim));
		return HC_USAGE;
	}
	if (!st->nmethods) {
		st->nmethods = sizeof(all) / sizeof(*all);
		memcpy(st->methods, all, sizeof(all));
	}
	if (!st->jobs)
		st->jobs = n > 0 ? n : 1;
	return at_most(h, "runs", st->runs, 1000000) ?: at_most(h, "jobs", st->jobs, 1024) ?:
	       at_most(h, "tasks", st->s.tasks, 10000);
}

static int study(struct hcctl *h, struct sim_study *st)
{
	size_t points = st->last - st->first + 1;

	st->raw = calloc(points * st->runs * st->nmethods, sizeof(*st->raw));
	st->point = calloc(points * st->nmethods, sizeof(*st->point));
	st->bound = calloc(points, sizeof(*st->bound));
	if (!st->raw || !st->point || !st->bound)
		return hc_nomem(h);
	return run_all(h, st) ?: sum_up(h, st);
}

/* Run the simulation and write the results to the files that the user wants: to all of them, or
 * after an error to none.
 */
static int written(struct hcctl *h, struct sim_study *st, const struct files *to)
{
	struct file_new *svg = NULL, *csv = NULL;
	int rc = open_file(h, to->svg, &svg) ?: open_file(h, to->csv, &csv) ?: study(h, st);

	if (!rc && svg)
		sim_chart_print(file_stream(svg), st);
	if (!rc && csv)
		sim_csv_print(file_stream(csv), st);
	rc = close_file(h, csv, close_file(h, svg, rc));
	if (!rc)
		sim_out(h, st);
	return rc;
}

int balance_simulate(struct hcctl *h, int argc, char **argv)
{
	struct arg_choice charge = { .words = sim_charges }, tau = { .words = sim_taus };
	struct arg_choice pick = { .words = sim_picks }, shape = { .words = balance_shapes };
	struct sim_study st = {
		.s = { .tasks = 100, .threshold = 1, .interval = 1, .hop = .1, .info = .01 },
		.runs = 300,
	};
	struct files to = {};
	struct arg args[] = {
		{ "dim", arg_dim, &st.s.dim, .required = true },
		{ "faults", arg_range, &st, .required = true },
		{ "runs", arg_count, &st.runs },
		{ "seed", arg_u64, &st.s.seed, .required = true },
		{ "methods", arg_methods, &st },
		{ "tasks", arg_count, &st.s.tasks },
		{ "threshold", arg_u32, &st.s.threshold },
		{ "interval", balance_arg_cost, &st.s.interval },
		{ "hop-cost", balance_arg_cost, &st.s.hop },
		{ "info-cost", balance_arg_cost, &st.s.info },
		{ "charge", arg_choice, &charge },
		{ "tau", arg_choice, &tau },
		{ "pick", arg_choice, &pick },
		{ "topology", arg_choice, &shape },
		{ "jobs", arg_count, &st.jobs },
		{ "-o", arg_file, &to, .many = true },
		{}
	};
	int rc = hc_args(h, args, argc, argv) ?: check(h, &st);

	st.s.charge = charge.v;
	st.s.tau = tau.v;
	st.s.pick = pick.v;
	st.s.shape = shape.v;
	rc = rc ?: written(h, &st, &to);
	hc_free_all(st.raw, st.point, st.bound);
	return rc;
}
