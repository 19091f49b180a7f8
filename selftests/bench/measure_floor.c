// SPDX-License-Identifier: GPL-2.0
/*
 * measure_floor OPTIONS: measures the cost of shared memory without any message passing, a lower
 * bound. Each process copies its contribution to memory that all processes map, waits for the
 * others at a futex, and copies its result from there: one system call, and two copies of each
 * byte; for a sum, however, a process reads all contributions.
 */
#include <err.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure.h"

/**
 * struct floor - what a process knows of the shared memory
 * @s: memory for the barrier
 * @area: contributions; two halves alternate, so no process writes where another still reads
 * @size: bytes of all contributions to one operation
 * @procs: number of processes
 * @rank: rank of this process
 * @turn: which half of @area this operation uses
 */
struct floor {
	struct shared *s;
	char *area;
	size_t size;
	unsigned int procs;
	unsigned int rank;
	unsigned int turn;
};

/* Write this process's contribution, and wait for the others. Return: all contributions, one after
 * the other.
 */
static const char *gather(struct floor *f, const void *in, size_t bytes)
{
	char *area = f->area + f->turn * f->size;

	memcpy(area + f->rank * bytes, in, bytes);
	f->turn = !f->turn;
	measure_barrier(f->s, f->procs);
	return area;
}

static void barrier(void *arg, const uint64_t *in, uint64_t *out, size_t count)
{
	(void)out;
	gather(arg, in, count);
}

static void allgather(void *arg, const uint64_t *in, uint64_t *out, size_t count)
{
	struct floor *f = arg;

	memcpy(out, gather(f, in, count * 8), f->procs * count * 8);
}

static void alltoall(void *arg, const uint64_t *in, uint64_t *out, size_t count)
{
	struct floor *f = arg;
	const char *all = gather(f, in, f->procs * count * 8);
	unsigned int i;

	for (i = 0; i < f->procs; i++)
		memcpy(out + i * count, all + ((size_t)i * f->procs + f->rank) * count * 8,
		       count * 8);
}

/* Add up @n numbers of each process, from index @at on. */
static void sum(const struct floor *f, const char *all, size_t at, size_t total, uint64_t *out,
		size_t n)
{
	unsigned int i;
	size_t k;

	memcpy(out, all + at * 8, n * 8);
	for (i = 1; i < f->procs; i++) {
		const uint64_t *part = (const uint64_t *)all + i * total + at;

		for (k = 0; k < n; k++)
			out[k] += part[k];
	}
}

static void reduce_scatter(void *arg, const uint64_t *in, uint64_t *out, size_t count)
{
	struct floor *f = arg;
	size_t total = f->procs * count;

	sum(f, gather(f, in, total * 8), f->rank * count, total, out, count);
}

static const struct measured how = {
	.operation = {
		[BARRIER] = barrier, [ALLGATHER] = allgather, [ALLTOALL] = alltoall,
		[REDUCE_SCATTER] = reduce_scatter,
	},
};

static void process(const struct config *c, struct shared *s, unsigned int rank, void *arg)
{
	struct floor f = *(struct floor *)arg;

	f.s = s;
	f.rank = rank;
	measure(c, s, rank, &how, &f);
}

int main(int argc, char **argv)
{
	struct config c;
	struct floor f;
	unsigned int i;

	config_parse(&c, "floor", argc, argv);
	if (argc != optind + 2)
		errx(2, "usage: %s " MEASURE_OPTIONS, argv[0]);
	f = (struct floor){ .procs = c.procs };
	for (i = 0; i < c.sizes; i++) {
		size_t bytes = measure_in(ALLTOALL, c.procs, c.size[i]) * c.procs;

		if (bytes > f.size)
			f.size = bytes;
	}
	/* Pages that are never accessed take no memory. */
	f.area = mmap(NULL, 2 * f.size, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (f.area == MAP_FAILED)
		err(1, "memory");
	return measure_fork(&c, process, &f);
}
