// SPDX-License-Identifier: GPL-2.0
/*
 * measure_floor OPTIONS: measures a lower bound for collectives, the cost of shared memory without
 * any message passing. Each process copies its contribution to memory that all processes map, waits
 * at a futex for the other processes, and copies its result from there. So an operation takes one
 * system call, and two copies of each byte; for a sum, a process reads all contributions.
 */
#include <err.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure.h"

/**
 * struct floor - a process's view of the shared memory
 * @s: memory for the barrier
 * @area: contributions; operations use its two halves in turn, so no process writes where another
 *	process still reads
 * @size: bytes of all contributions to one operation
 * @procs: number of processes
 * @rank: rank of this process
 * @turn: index of the half of @area that this operation uses
 */
struct floor {
	struct shared *s;
	char *area;
	size_t size;
	unsigned int procs;
	unsigned int rank;
	unsigned int turn;
};

/* Write this process's contribution of @bytes, and wait for the other processes. Return: the
 * contributions of all processes, one after the other.
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

/* Write to @out the sums over all processes of @n elements, from index @at of each contribution on;
 * @all: all contributions, of @total elements each.
 */
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
