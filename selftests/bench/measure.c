// SPDX-License-Identifier: GPL-2.0
/*
 * The latency of an operation is the time from the call of its last member (in a broadcast: of the
 * source) to the return of the last member that gets a result (in a reduction: of the sink; else of
 * all members). All members start from a barrier, which is not timed. The throughput is measured
 * with operations back to back, from the first call to the last return; contributors to a reduction
 * do not wait for the sink. Each broadcast is followed by a barrier, as otherwise only the speed of
 * the source would be measured.
 *
 * Processes on machines that share no memory and no clock measure only the throughput, with the
 * clock of process 0: from its return from a barrier to its return from the last operation. In
 * broadcasts, the last operation is a barrier, too.
 */
#include <err.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"
#include "../vm/count.h"

#define SAMPLES_MIN	4
#define SAMPLES_MAX	400
#define BATCH_MIN	5
#define BATCH_MAX	2000

/* Latencies of single operations, in ns. */
struct sample {
	uint64_t v[SAMPLES_MAX];
	unsigned int n;
};

static const char *const names[WHATS] = {
	[REDUCE] = "reduce", [ALLREDUCE] = "allreduce", [BARRIER] = "barrier", [BCAST] = "bcast",
	[ALLGATHER] = "allgather", [ALLTOALL] = "alltoall", [REDUCE_SCATTER] = "reduce_scatter",
};

size_t measure_in(enum what op, unsigned int procs, size_t bytes)
{
	return op == ALLTOALL || op == REDUCE_SCATTER ? bytes * procs : bytes;
}

size_t measure_out(enum what op, unsigned int procs, size_t bytes)
{
	return op == ALLGATHER || op == ALLTOALL ? bytes * procs : bytes;
}

static bool too_long(const struct config *c, enum what op, size_t bytes)
{
	return c->limit && measure_in(op, c->procs, bytes) * c->procs > c->limit;
}

static void what_parse(struct config *c, char *list)
{
	char *word, *rest;
	unsigned int i;

	for (word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		for (i = 0; i < WHATS && strcmp(word, names[i]); i++)
			;
		if (i == WHATS || c->whats == WHATS)
			errx(2, "'%s': no operation", word);
		c->what[c->whats++] = i;
	}
}

void config_parse(struct config *c, const char *name, int argc, char **argv)
{
	char *word;
	int opt;

	memset(c, 0, sizeof(*c));
	c->name = name;
	c->budget = 1000;
	while ((opt = getopt(argc, argv, "a:b:l:n:w:")) != -1) {
		if (opt == 'b')
			c->budget = atoi(optarg);
		else if (opt == 'l')
			c->limit = strtoul(optarg, NULL, 0);
		else if (opt == 'n')
			c->counted = atoi(optarg);
		else if (opt == 'w')
			what_parse(c, optarg);
		else if (opt != 'a')
			exit(2);
		else if (sscanf(optarg, "%u,%u", &c->first, &c->here) != 2 || !c->here)
			errx(2, "'%s': not FIRST,COUNT", optarg);
	}
	if (argc < optind + 2)
		errx(2, "usage: %s " MEASURE_OPTIONS " ..", argv[0]);
	c->procs = atoi(argv[optind]);
	for (word = strtok(argv[optind + 1], ","); word; word = strtok(NULL, ",")) {
		size_t bytes = strtoul(word, NULL, 0);

		if (!bytes || bytes % 8 || c->sizes == SIZES_MAX)
			errx(2, "'%s': sizes are multiples of 8", word);
		c->size[c->sizes++] = bytes;
	}
	if (!c->whats)
		c->what[c->whats++] = REDUCE;
	if (!c->here)
		c->here = c->procs;
	if (c->here > c->procs || c->first > c->procs - c->here)
		errx(2, "there are %u processes in all", c->procs);
	if (c->counted && c->here < c->procs)
		errx(2, "what is counted runs on one machine");
	if (!c->procs || c->procs > PROCS_MAX || !c->sizes || !c->budget)
		errx(2, "numbers out of range");
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void measure_barrier(struct shared *s, unsigned int procs)
{
	uint32_t turn = atomic_load(&s->turn);

	if (atomic_fetch_add(&s->arrived, 1) + 1 == procs) {
		atomic_store(&s->arrived, 0);
		atomic_fetch_add(&s->turn, 1);
		syscall(SYS_futex, &s->turn, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
		return;
	}
	while (atomic_load(&s->turn) == turn)
		syscall(SYS_futex, &s->turn, FUTEX_WAIT, turn, NULL, NULL, 0);
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Return: CPU time that this process has used, in ns. */
static uint64_t cpu_own(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000ULL +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000ULL;
}

/* Return: CPU time that the ksoftirqd threads have used, in ns. Softirqs that run in the context of
 * a process are counted as time of that process.
 */
static uint64_t cpu_kernel(void)
{
	uint64_t sum = 0, ns;
	char name[64];
	glob_t g;
	size_t i;

	if (glob("/proc/[0-9]*/comm", 0, NULL, &g))
		return 0;
	for (i = 0; i < g.gl_pathc; i++) {
		FILE *f = fopen(g.gl_pathv[i], "r");

		if (f && fgets(name, sizeof(name), f) && !strncmp(name, "ksoftirqd/", 10)) {
			fclose(f);
			snprintf(name, sizeof(name), "/proc/%d/schedstat",
				 atoi(g.gl_pathv[i] + strlen("/proc/")));
			f = fopen(name, "r");
			if (f && fscanf(f, "%" SCNu64, &ns) == 1)
				sum += ns;
		}
		if (f)
			fclose(f);
	}
	globfree(&g);
	return sum;
}

static void fill(uint64_t *in, size_t count, unsigned int rank, unsigned int round)
{
	size_t i;

	for (i = 0; i < count; i++)
		in[i] = i + rank + round;
}

/**
 * struct task - a measurement
 * @c: the configuration
 * @s: memory that the processes share
 * @rank: rank of this process
 * @what: the operation
 * @how: functions of the backend for each operation
 * @way: name of the algorithm in use, for the output, or NULL
 * @backend: argument for @how
 * @in: contribution
 * @out: result
 * @count: elements of a contribution, or of a block
 */
struct task {
	const struct config *c;
	struct shared *s;
	unsigned int rank;
	enum what what;
	const struct measured *how;
	const char *way;
	void *backend;
	uint64_t *in;
	uint64_t *out;
	size_t count;
};

/* Return: element @i of the result of round @round, if all contributions are those of fill(). */
static uint64_t wanted(const struct task *t, size_t i, unsigned int round)
{
	uint64_t procs = t->c->procs, own = (uint64_t)t->rank * t->count;

	switch (t->what) {
	case BCAST:
		return i + round;
	case ALLGATHER:
		return i % t->count + i / t->count + round;
	case ALLTOALL:
		return own + i % t->count + i / t->count + round;
	case REDUCE_SCATTER:
		return procs * (own + i + round) + procs * (procs - 1) / 2;
	default:
		return procs * (i + round) + procs * (procs - 1) / 2;
	}
}

/* Check the result of round @round, if this process gets a result. */
static void check(const struct task *t, unsigned int round)
{
	size_t i, n = measure_out(t->what, t->c->procs, t->count);

	if (t->what == REDUCE ? t->rank : t->what == BCAST && !t->rank)
		return;
	for (i = 0; i < n; i++) {
		uint64_t want = wanted(t, i, round);

		if (t->out[i] != want)
			errx(1, "%s: element %zu is %" PRIu64 ", not %" PRIu64, names[t->what], i,
			     t->out[i], want);
	}
}

static uint64_t last_of(const uint64_t *v, unsigned int procs)
{
	uint64_t last = 0;
	unsigned int i;

	for (i = 0; i < procs; i++)
		if (v[i] > last)
			last = v[i];
	return last;
}

static uint64_t first_of(const uint64_t *v, unsigned int procs)
{
	uint64_t first = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < procs; i++)
		if (v[i] < first)
			first = v[i];
	return first;
}

static uint64_t last_return(const struct task *t)
{
	return t->what == REDUCE ? t->s->end[0] : last_of(t->s->end, t->c->procs);
}

/* Return: latency of a round in ns. Process 0 calls it when all processes have returned. */
static uint64_t round_took(const struct task *t)
{
	uint64_t begin = t->what == BCAST ? t->s->begin[0] : last_of(t->s->begin, t->c->procs);

	if (t->what != REDUCE && t->what != BCAST &&
	    first_of(t->s->end, t->c->procs) < begin)
		errx(1, "a process came out before the last went in");
	return last_return(t) - begin;
}

/* Measure the latency of single operations, in rounds, and add the latencies to @sample. */
static void latency(const struct task *t, struct sample *sample)
{
	const struct config *c = t->c;
	struct shared *s = t->s;
	uint64_t start = now();
	unsigned int round;

	sample->n = 0;
	/* Round 0 is a warm-up. */
	for (round = 0; ; round++) {
		fill(t->in, measure_in(t->what, c->procs, t->count), t->rank, round);
		measure_barrier(s, c->procs);
		s->begin[t->rank] = now();
		t->how->operation[t->what](t->backend, t->in, t->out, t->count);
		s->end[t->rank] = now();
		measure_barrier(s, c->procs);
		check(t, round);
		if (!t->rank) {
			if (round)
				sample->v[sample->n++] = round_took(t);
			atomic_store(&s->go_on, sample->n < SAMPLES_MIN ||
				     (sample->n < SAMPLES_MAX &&
				      now() - start < c->budget * 1000000ULL));
		}
		measure_barrier(s, c->procs);
		if (!atomic_load(&s->go_on))
			return;
	}
}

static void batch_run(const struct task *t, unsigned int batch)
{
	unsigned int i;

	for (i = 0; i < batch; i++) {
		t->how->operation[t->what](t->backend, t->in, t->out, t->count);
		if (t->what == BCAST)
			t->how->operation[BARRIER](t->backend, NULL, NULL, 0);
	}
}

/* Run a batch of operations back to back. Return: its duration in ns, which process 0 measures. */
static uint64_t back_to_back(const struct task *t)
{
	struct shared *s = t->s;
	uint64_t cpu;

	fill(t->in, measure_in(t->what, t->c->procs, t->count), t->rank, 0);
	measure_barrier(s, t->c->procs);
	cpu = cpu_own();
	s->begin[t->rank] = now();
	batch_run(t, atomic_load(&s->batch));
	s->end[t->rank] = now();
	cpu = cpu_own() - cpu;
	measure_barrier(s, t->c->procs);
	atomic_fetch_add(&s->cpu, cpu);
	check(t, 0);
	measure_barrier(s, t->c->procs);
	return last_return(t) - first_of(s->begin, t->c->procs);
}

static void report(const struct task *t, struct sample *l, uint64_t ns, uint64_t kernel)
{
	double batch = atomic_load(&t->s->batch);

	qsort(l->v, l->n, sizeof(*l->v), ascending);
	printf("{\"what\":\"%s\",\"backend\":\"%s\",\"procs\":%u,\"bytes\":%zu,",
	       names[t->what], t->c->name, t->c->procs, t->count * 8);
	if (t->way)
		printf("\"way\":\"%s\",", t->way);
	printf("\"samples\":%u,\"latency_us\":%.1f,\"latency_min_us\":%.1f,",
	       l->n, l->v[l->n / 2] / 1e3, l->v[0] / 1e3);
	printf("\"latency_max_us\":%.1f,\"batch\":%.0f,\"back_to_back_us\":%.1f,",
	       l->v[l->n - 1] / 1e3, batch, ns / 1e3 / batch);
	printf("\"cpu_processes_us\":%.1f,\"cpu_kernel_us\":%.1f}\n",
	       atomic_load(&t->s->cpu) / 1e3 / batch, kernel / 1e3 / batch);
	fflush(stdout);
}

/* Return: number of operations that fill the time budget, if @n operations have taken @ns. */
static unsigned int batch_fits(const struct config *c, unsigned int n, uint64_t ns)
{
	uint64_t fit = c->budget * 1000000ULL * n / (ns + 1);

	return fit < BATCH_MIN ? BATCH_MIN : fit > BATCH_MAX ? BATCH_MAX : fit;
}

/* Return: number of operations that fill the time budget, if each takes as long as the operations
 * of sample @l.
 */
static unsigned int batch_size(const struct config *c, const struct sample *l)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < l->n; i++)
		sum += l->v[i];
	return batch_fits(c, l->n, sum);
}

/* Run a batch of operations while processes share no memory. Return: its duration in ns, measured
 * with the clock of this process.
 */
static uint64_t apart_batch(const struct task *t, unsigned int batch)
{
	uint64_t begin;

	fill(t->in, measure_in(t->what, t->c->procs, t->count), t->rank, 0);
	t->how->operation[BARRIER](t->backend, NULL, NULL, 0);
	begin = now();
	batch_run(t, batch);
	return now() - begin;
}

/* Return: number of operations that fill the time budget, while processes share no memory. Process
 * 0 determines it and broadcasts it.
 */
static uint64_t apart_batch_size(const struct task *t)
{
	uint64_t n = batch_fits(t->c, BATCH_MIN, apart_batch(t, BATCH_MIN)), said;

	t->how->operation[BCAST](t->backend, &n, &said, 1);
	return t->rank ? said : n;
}

/* Measure an operation with processes that share no memory. */
static void apart(const struct task *t)
{
	unsigned int batch = apart_batch_size(t);
	uint64_t ns = apart_batch(t, batch);

	check(t, 0);
	if (t->rank)
		return;
	printf("{\"what\":\"%s\",\"backend\":\"%s\",\"procs\":%u,\"bytes\":%zu,",
	       names[t->what], t->c->name, t->c->procs, t->count * 8);
	printf("\"batch\":%u,\"back_to_back_us\":%.1f}\n", batch, ns / 1e3 / batch);
	fflush(stdout);
}

/* Measure an operation with processes that share memory. */
static void together(const struct task *t)
{
	static struct sample l;
	uint64_t kernel = 0, ns;

	latency(t, &l);
	if (!t->rank) {
		atomic_store(&t->s->batch, batch_size(t->c, &l));
		atomic_store(&t->s->cpu, 0);
		kernel = cpu_kernel();
	}
	measure_barrier(t->s, t->c->procs);
	ns = back_to_back(t);
	if (!t->rank)
		report(t, &l, ns, cpu_kernel() - kernel);
	measure_barrier(t->s, t->c->procs);
}

/* Let the simulator count the instructions of a batch (vm/run --count), and then those of a batch
 * of twice as many operations. The difference is the cost of the operations alone.
 */
static void counted(const struct task *t)
{
	const struct config *c = t->c;
	unsigned int turn, batch = c->counted;

	/* Turn 0 is a warm-up. */
	for (turn = 0; turn < 3; turn++) {
		if (turn == 2)
			batch *= 2;
		fill(t->in, measure_in(t->what, c->procs, t->count), t->rank, 0);
		measure_barrier(t->s, c->procs);
		if (!t->rank && turn)
			count_begin();
		measure_barrier(t->s, c->procs);
		batch_run(t, batch);
		measure_barrier(t->s, c->procs);
		if (!t->rank && turn) {
			count_end();
			printf("{\"what\":\"%s\",\"bytes\":%zu,\"operations\":%u}\n",
			       names[t->what], t->count * 8, batch);
			fflush(stdout);
		}
		measure_barrier(t->s, c->procs);
		check(t, 0);
	}
}

static void task_run(struct task *t)
{
	/* Allocate one element more than needed, as barriers have none. */
	t->in = calloc(measure_in(t->what, t->c->procs, t->count) + 1, 8);
	t->out = calloc(measure_out(t->what, t->c->procs, t->count) + 1, 8);
	if (!t->in || !t->out)
		err(1, "memory");
	t->way = t->how->choose ?
		 t->how->choose(t->backend, t->what, t->in, t->out, t->count) : NULL;
	if (t->c->counted)
		counted(t);
	else if (t->s)
		together(t);
	else
		apart(t);
	free(t->in);
	free(t->out);
}

void measure(const struct config *c, struct shared *s, unsigned int rank,
	     const struct measured *how, void *backend)
{
	struct task t = { .c = c, .s = s, .rank = rank, .how = how, .backend = backend };
	unsigned int w, i;

	for (w = 0; w < c->whats; w++) {
		t.what = c->what[w];
		if (!how->operation[t.what])
			errx(2, "%s does not do %s", c->name, names[t.what]);
		for (i = 0; i < (t.what == BARRIER ? 1 : c->sizes); i++) {
			t.count = t.what == BARRIER ? 0 : c->size[i] / 8;
			if (!too_long(c, t.what, t.count * 8))
				task_run(&t);
		}
	}
}
