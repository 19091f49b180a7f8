// SPDX-License-Identifier: GPL-2.0
/*
 * Latency: from the call of the last contributor to the return of the sink, all
 * aligned by a barrier that is not timed.  Throughput: operations back to back,
 * from the first call to the sink's last return, without anything between them;
 * contributors do not wait for the sink.
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

#include "reduce.h"

#define SAMPLES_MIN	4
#define SAMPLES_MAX	400
#define BATCH_MIN	5
#define BATCH_MAX	2000

struct sample {
	uint64_t v[SAMPLES_MAX];
	unsigned int n;
};

void config_parse(struct config *c, const char *name, int argc, char **argv)
{
	char *word;
	int opt;

	memset(c, 0, sizeof(*c));
	c->name = name;
	c->budget = 1000;
	while ((opt = getopt(argc, argv, "b:")) != -1) {
		if (opt != 'b')
			exit(2);
		c->budget = atoi(optarg);
	}
	if (argc < optind + 2)
		errx(2, "usage: %s [-b MS] PROCS SIZE,SIZE,.. ..", argv[0]);
	c->procs = atoi(argv[optind]);
	for (word = strtok(argv[optind + 1], ","); word; word = strtok(NULL, ",")) {
		size_t bytes = strtoul(word, NULL, 0);

		if (!bytes || bytes % 8 || c->sizes == SIZES_MAX)
			errx(2, "'%s': sizes are multiples of 8", word);
		c->size[c->sizes++] = bytes;
	}
	if (!c->procs || c->procs > PROCS_MAX || !c->sizes || !c->budget)
		errx(2, "numbers out of range");
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void barrier(struct shared *s, unsigned int procs)
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

/* CPU time of this process, ns. */
static uint64_t cpu_own(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000ULL +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000ULL;
}

/* CPU time of the kernel's threads for soft interrupts, ns; what they do in the
 * context of a process is that process's.
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

static void check(const uint64_t *out, size_t count, unsigned int procs, unsigned int round)
{
	size_t i;

	for (i = 0; i < count; i++) {
		uint64_t want = procs * (i + round) + procs * (procs - 1) / 2;

		if (out[i] != want)
			errx(1, "element %zu is %" PRIu64 ", not %" PRIu64, i, out[i], want);
	}
}

static uint64_t last_begin(const struct shared *s, unsigned int procs)
{
	uint64_t last = 0;
	unsigned int i;

	for (i = 0; i < procs; i++)
		if (s->begin[i] > last)
			last = s->begin[i];
	return last;
}

static void latency(const struct config *c, struct shared *s, unsigned int rank,
		    reduce_fn reduce, void *backend, uint64_t *in, uint64_t *out,
		    size_t count, struct sample *sample)
{
	uint64_t start = now(), end;
	unsigned int round;

	sample->n = 0;
	/* Round 0 warms up. */
	for (round = 0; ; round++) {
		fill(in, count, rank, round);
		barrier(s, c->procs);
		s->begin[rank] = now();
		reduce(backend, in, out, count);
		end = now();
		barrier(s, c->procs);
		if (!rank) {
			check(out, count, c->procs, round);
			if (round)
				sample->v[sample->n++] = end - last_begin(s, c->procs);
			atomic_store(&s->go_on, sample->n < SAMPLES_MIN ||
				     (sample->n < SAMPLES_MAX &&
				      now() - start < c->budget * 1000000ULL));
		}
		barrier(s, c->procs);
		if (!atomic_load(&s->go_on))
			return;
	}
}

/* Returns ns of the whole batch, at process 0. */
static uint64_t back_to_back(const struct config *c, struct shared *s, unsigned int rank,
			     reduce_fn reduce, void *backend, uint64_t *in,
			     uint64_t *out, size_t count)
{
	unsigned int batch = atomic_load(&s->batch), i;
	uint64_t cpu, begin, end;

	fill(in, count, rank, 0);
	barrier(s, c->procs);
	cpu = cpu_own();
	begin = now();
	s->begin[rank] = begin;
	for (i = 0; i < batch; i++)
		reduce(backend, in, out, count);
	end = now();
	cpu = cpu_own() - cpu;
	barrier(s, c->procs);
	atomic_fetch_add(&s->cpu, cpu);
	barrier(s, c->procs);
	if (rank)
		return 0;
	check(out, count, c->procs, 0);
	for (i = 0; i < c->procs; i++)
		if (s->begin[i] < begin)
			begin = s->begin[i];
	return end - begin;
}

static void report(const struct config *c, const struct shared *s, size_t bytes,
		   struct sample *l, uint64_t ns, uint64_t kernel)
{
	double batch = atomic_load(&s->batch);

	qsort(l->v, l->n, sizeof(*l->v), ascending);
	printf("{\"what\":\"reduce\",\"backend\":\"%s\",\"procs\":%u,\"bytes\":%zu,",
	       c->name, c->procs, bytes);
	printf("\"samples\":%u,\"latency_us\":%.1f,\"latency_min_us\":%.1f,",
	       l->n, l->v[l->n / 2] / 1e3, l->v[0] / 1e3);
	printf("\"latency_max_us\":%.1f,\"batch\":%.0f,\"back_to_back_us\":%.1f,",
	       l->v[l->n - 1] / 1e3, batch, ns / 1e3 / batch);
	printf("\"cpu_processes_us\":%.1f,\"cpu_kernel_us\":%.1f}\n",
	       atomic_load(&s->cpu) / 1e3 / batch, kernel / 1e3 / batch);
	fflush(stdout);
}

/* How many operations fill the time, going by their latency. */
static unsigned int batch_size(const struct config *c, const struct sample *l)
{
	uint64_t sum = 0, n;
	unsigned int i;

	for (i = 0; i < l->n; i++)
		sum += l->v[i];
	n = c->budget * 1000000ULL * l->n / (sum + 1);
	return n < BATCH_MIN ? BATCH_MIN : n > BATCH_MAX ? BATCH_MAX : n;
}

void measure(const struct config *c, struct shared *s, unsigned int rank,
	     reduce_fn reduce, void *backend)
{
	static struct sample l;
	unsigned int i;

	for (i = 0; i < c->sizes; i++) {
		size_t bytes = c->size[i];
		uint64_t *in = calloc(1, bytes), *out = calloc(1, bytes);
		uint64_t kernel = 0, ns;

		if (!in || !out)
			err(1, "memory");
		latency(c, s, rank, reduce, backend, in, out, bytes / 8, &l);
		if (!rank) {
			atomic_store(&s->batch, batch_size(c, &l));
			atomic_store(&s->cpu, 0);
			kernel = cpu_kernel();
		}
		barrier(s, c->procs);
		ns = back_to_back(c, s, rank, reduce, backend, in, out, bytes / 8);
		if (!rank)
			report(c, s, bytes, &l, ns, cpu_kernel() - kernel);
		barrier(s, c->procs);
		free(in);
		free(out);
	}
}
