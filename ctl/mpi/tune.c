// SPDX-License-Identifier: GPL-2.0
/*
 * mpirun .. hypercube-mpi-tune FILE [MILLISECONDS]: measure which collectives of which sizes are
 * faster through the kernel on this machine, and which in Open MPI's own modules. limits.c
 * describes the rows of the file.
 *
 * Each call is made over two communicators of the same ranks, alternately; one of them does not use
 * the component. The call is made many times in succession. A barrier through the kernel follows
 * each call, so that no rank runs ahead: ranks that wait in it sleep. In a barrier of Open MPI they
 * poll, and with more ranks than processors that takes longer than most calls. The medians are
 * compared.
 */
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VECTOR_MIN	8
#define VECTOR_MAX	(1 << 20)
#define STEP		8
/* Longest vector of calls whose vector goes to all ranks although each rank needs only a part of
 * it.
 */
#define WIDE_MAX	65536
#define TURNS		5
#define MS		20

/**
 * struct pair - two communicators of the same ranks
 * @kernel: uses the component, and so the fabric
 * @below: does not use the component
 * @size: number of ranks
 */
struct pair {
	MPI_Comm kernel;
	MPI_Comm below;
	int size;
};

static char *in, *out;
static int *counts, *places;

/* Functions that make one call. n: elements of a block */
#define DT	MPI_INT
static void allreduce(int n, MPI_Comm c) { MPI_Allreduce(in, out, n, DT, MPI_SUM, c); }
static void reduce(int n, MPI_Comm c) { MPI_Reduce(in, out, n, DT, MPI_SUM, 0, c); }
static void bcast(int n, MPI_Comm c) { MPI_Bcast(in, n, DT, 0, c); }
static void barrier(int n, MPI_Comm c) { (void)n; MPI_Barrier(c); }
static void gather(int n, MPI_Comm c) { MPI_Gather(in, n, DT, out, n, DT, 0, c); }
static void gatherv(int n, MPI_Comm c) { MPI_Gatherv(in, n, DT, out, counts, places, DT, 0, c); }
static void scatter(int n, MPI_Comm c) { MPI_Scatter(in, n, DT, out, n, DT, 0, c); }
static void scatterv(int n, MPI_Comm c) { MPI_Scatterv(in, counts, places, DT, out, n, DT, 0, c); }
static void allgather(int n, MPI_Comm c) { MPI_Allgather(in, n, DT, out, n, DT, c); }
static void alltoall(int n, MPI_Comm c) { MPI_Alltoall(in, n, DT, out, n, DT, c); }
static void scan(int n, MPI_Comm c) { MPI_Scan(in, out, n, DT, MPI_SUM, c); }
static void exscan(int n, MPI_Comm c) { MPI_Exscan(in, out, n, DT, MPI_SUM, c); }

static void reduce_scatter(int n, MPI_Comm c)
{
	(void)n;
	MPI_Reduce_scatter(in, out, counts, DT, MPI_SUM, c);
}

static void reduce_scatter_block(int n, MPI_Comm c)
{
	MPI_Reduce_scatter_block(in, out, n, DT, MPI_SUM, c);
}

static void allgatherv(int n, MPI_Comm c)
{
	MPI_Allgatherv(in, n, DT, out, counts, places, DT, c);
}

static void alltoallv(int n, MPI_Comm c)
{
	(void)n;
	MPI_Alltoallv(in, counts, places, DT, out, counts, places, DT, c);
}

/**
 * struct call - a collective
 * @name: its name in the rows
 * @alike: name of another collective that gets the same rows, since it is implemented alike, or
 *	NULL
 * @call: makes one call
 * @power: the number of blocks of the vector is the number of ranks to this power; -1: there is no
 *	vector
 * @most: length of the longest vector, bytes
 */
static const struct call {
	const char *name;
	const char *alike;
	void (*call)(int n, MPI_Comm c);
	int power;
	size_t most;
} calls[] = {
	{ "allreduce", NULL, allreduce, 0, VECTOR_MAX },
	{ "reduce", NULL, reduce, 0, VECTOR_MAX },
	{ "bcast", NULL, bcast, 0, VECTOR_MAX },
	{ "barrier", NULL, barrier, -1, 0 },
	{ "gather", NULL, gather, 1, VECTOR_MAX },
	{ "gatherv", NULL, gatherv, 1, VECTOR_MAX },
	{ "scatter", NULL, scatter, 1, VECTOR_MAX },
	{ "scatterv", NULL, scatterv, 1, VECTOR_MAX },
	{ "allgather", NULL, allgather, 1, VECTOR_MAX },
	{ "allgatherv", NULL, allgatherv, 1, VECTOR_MAX },
	{ "alltoall", NULL, alltoall, 2, WIDE_MAX },
	{ "alltoallv", "alltoallw", alltoallv, 2, WIDE_MAX },
	{ "reduce_scatter", NULL, reduce_scatter, 1, VECTOR_MAX },
	{ "reduce_scatter_block", NULL, reduce_scatter_block, 1, VECTOR_MAX },
	{ "scan", NULL, scan, 1, WIDE_MAX },
	{ "exscan", NULL, exscan, 1, WIDE_MAX },
};

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* Make a call @times times over @comm. Return: the mean duration of a call and a barrier, s. */
static double seconds(const struct call *c, int n, MPI_Comm comm, MPI_Comm barriers, int times)
{
	double began;
	int i;

	MPI_Barrier(barriers);
	began = MPI_Wtime();
	for (i = 0; i < times; i++) {
		c->call(n, comm);
		MPI_Barrier(barriers);
	}
	return (MPI_Wtime() - began) / times;
}

/* Measure a call over both communicators, alternately. @took: the median durations, s, over each of
 * them. Only those at rank 0 are used.
 */
static void measure(const struct call *c, int n, const struct pair *p, double limit, double took[2])
{
	double each[2][TURNS], first;
	int times, turn, i;

	first = seconds(c, n, p->kernel, p->kernel, 2);
	times = limit / TURNS / (first > 0.0000001 ? first : 0.0000001);
	times = times < 2 ? 2 : times > 1000 ? 1000 : times;
	MPI_Bcast(&times, 1, MPI_INT, 0, p->below);
	for (turn = 0; turn < TURNS; turn++) {
		each[0][turn] = seconds(c, n, p->kernel, p->kernel, times);
		each[1][turn] = seconds(c, n, p->below, p->kernel, times);
	}
	for (i = 0; i < 2; i++) {
		qsort(each[i], TURNS, sizeof(double), by_value);
		took[i] = each[i][TURNS / 2];
	}
}

/* --- the file --- */

/**
 * struct table - the rows of a call and a number of ranks
 * @file: the file to write
 * @call: the call
 * @ranks: number of ranks
 * @from: length of the vectors, bytes, from which on the call goes below; SIZE_MAX: it does not
 * @rows: number of rows that were written
 */
struct table {
	FILE *file;
	const struct call *call;
	int ranks;
	size_t from;
	int rows;
};

/* Write a row: vectors of @from bytes to fewer than @to bytes go below. */
static void row_write(struct table *t, size_t from, size_t to)
{
	fprintf(t->file, "%s:%d:%zu-%zu\n", t->call->name, t->ranks, from, to);
	if (t->call->alike)
		fprintf(t->file, "%s:%d:%zu-%zu\n", t->call->alike, t->ranks, from, to);
	t->rows++;
}

/* Record that the module below is faster at @bytes bytes (@below), or the kernel. @before: the
 * length that was measured before, or 0. If the kernel is faster at only one of two lengths, the
 * lengths between them go below, so that no call takes longer than without a fabric.
 */
static void row_turn(struct table *t, size_t before, size_t bytes, bool below)
{
	if (below && t->from == SIZE_MAX) {
		t->from = before ? before + 1 : 0;
	} else if (!below && t->from != SIZE_MAX) {
		row_write(t, t->from, bytes);
		t->from = SIZE_MAX;
	}
}

/* Write the last row of a call and a number of ranks. */
static void row_end(struct table *t)
{
	/* Longer vectors are assumed to behave as the longest one that was measured. */
	if (t->from != SIZE_MAX)
		row_write(t, t->from, SIZE_MAX);
	else if (!t->rows)
		row_write(t, 0, 0);
}

/* --- */

/* Return: the number of blocks of a vector. */
static size_t blocks(const struct call *c, int ranks)
{
	return c->power <= 0 ? 1 : c->power == 1 ? (size_t)ranks : (size_t)ranks * ranks;
}

/* Measure a call with vectors of all sizes, and write its rows to @file, if not NULL. */
static void measure_call(const struct call *c, const struct pair *p, double limit, FILE *file)
{
	struct table t = { file, c, p->size, SIZE_MAX, 0 };
	size_t vector, bytes, before = 0;
	double took[2];
	int i, n;

	for (vector = VECTOR_MIN; vector <= VECTOR_MAX; vector *= STEP) {
		n = vector / blocks(c, p->size) / sizeof(int);
		bytes = c->power < 0 ? 0 : n * sizeof(int) * blocks(c, p->size);
		if ((!n && c->power >= 0) || bytes > c->most)
			continue;
		for (i = 0; i < p->size; i++) {
			counts[i] = n;
			places[i] = i * n;
		}
		measure(c, n, p, limit, took);
		if (file) {
			fprintf(file, "# %s, %d ranks, %zu bytes: %.0f us through the kernel, %.0f below\n",
				c->name, p->size, bytes, 1e6 * took[0], 1e6 * took[1]);
			fflush(file);
			row_turn(&t, before, bytes, took[1] < took[0]);
		}
		before = bytes;
		if (c->power < 0)
			break;
	}
	if (file)
		row_end(&t);
}

/* Make communicators of the first @size ranks. Return: false if this rank is not among them. */
static bool pair_make(struct pair *p, int size, int rank)
{
	MPI_Info info;

	p->size = size;
	MPI_Comm_split(MPI_COMM_WORLD, rank < size ? 0 : MPI_UNDEFINED, rank, &p->kernel);
	if (p->kernel == MPI_COMM_NULL)
		return false;
	MPI_Info_create(&info);
	MPI_Info_set(info, "ompi_comm_coll_preference", "^hypercube");
	MPI_Comm_dup_with_info(p->kernel, info, &p->below);
	MPI_Info_free(&info);
	return true;
}

static void pair_free(struct pair *p)
{
	MPI_Comm_free(&p->kernel);
	MPI_Comm_free(&p->below);
}

/* Measure all calls over communicators of the first @size ranks. */
static void measure_ranks(int size, int rank, double limit, FILE *file)
{
	struct pair p;
	size_t i;

	if (pair_make(&p, size, rank)) {
		for (i = 0; i < sizeof(calls) / sizeof(*calls); i++)
			measure_call(&calls[i], &p, limit, file);
		pair_free(&p);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

static FILE *file_open(const char *name, char *temporary, size_t size)
{
	FILE *file;

	snprintf(temporary, size, "%s.new", name);
	file = fopen(temporary, "w");
	if (!file) {
		fprintf(stderr, "%s: %s\n", temporary, strerror(errno));
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	fputs("# CALL:RANKS:FROM-TO, in bytes: what hcctl mpirun leaves to Open MPI\n", file);
	return file;
}

int main(int argc, char **argv)
{
	char temporary[PATH_MAX];
	int rank, size, ranks;
	FILE *file = NULL;
	double limit;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc < 2 || size < 2) {
		if (!rank)
			fprintf(stderr, "Usage: mpirun -n RANKS %s FILE [MILLISECONDS]\n", argv[0]);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	limit = (argc > 2 ? atoi(argv[2]) : MS) / 1000.0;
	in = calloc(1, VECTOR_MAX);
	out = calloc(1, VECTOR_MAX);
	counts = calloc(size, sizeof(*counts));
	places = calloc(size, sizeof(*places));
	if (!in || !out || !counts || !places)
		MPI_Abort(MPI_COMM_WORLD, 1);
	if (!rank)
		file = file_open(argv[1], temporary, sizeof(temporary));
	for (ranks = 2; ranks < size; ranks *= 2)
		measure_ranks(ranks, rank, limit, file);
	measure_ranks(size, rank, limit, file);
	if (file && (fclose(file) || rename(temporary, argv[1]))) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	MPI_Finalize();
	return 0;
}
