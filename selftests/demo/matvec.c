// SPDX-License-Identifier: GPL-2.0
/*
 * y = A x on a grid of processors with Gray-code labels (Leu & Kuo, section 2.1): the label of
 * processor (i, j) is the column's label followed by the row's.
 *
 * matvec FABRIC row PLAN SINK NODES ROW N FILE
 *	one row of the grid: sums y_ij = A_ij x_j over its healthy members, which
 *	share the columns of A evenly; the sink saves Y_i to FILE
 * matvec FABRIC column PLAN SINK NODES N FILE,FILE,..
 *	collects the Y_i of the members of a column (files in the order of NODES) at
 *	the sink, and compares y with the product that one processor computes
 * Row r of the grid, which has R rows, has the rows [r N / R, (r + 1) N / R) of A.
 *
 * All entries are integers, and every sum is below 2^53, so additions in any order give the same
 * bits.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"

#define ROWS 4

struct job {
	size_t n;
	unsigned int row;
	char *file[MEMBERS_MAX];
};

/* Return: element (i, j) of matrix A. */
static double a(size_t i, size_t j)
{
	return (double)((i * 131 + j * 71 + i * j % 17) % 2001) - 1000;
}

/* Return: element j of vector x. */
static double x(size_t j)
{
	return (double)(j * 37 % 201) - 100;
}

static void save(const char *name, const double *v, size_t count)
{
	FILE *f = fopen(name, "w");

	if (!f || fwrite(v, sizeof(*v), count, f) != count || fclose(f))
		err(1, "%s", name);
}

/* Compute y for this member's share of the columns of A, and add up the results of all members of
 * this row of the grid.
 */
static int row_share(struct member *me, void *arg)
{
	const struct job *job = arg;
	size_t first = job->n * job->row / ROWS, rows = job->n * (job->row + 1) / ROWS - first;
	double *y = calloc(rows, sizeof(*y));
	double *sum = member_is_sink(me) ? calloc(rows, sizeof(*sum)) : NULL;
	size_t begin, end, i, j;

	if (!y)
		err(1, "memory");
	member_share(me, job->n, &begin, &end);
	for (i = 0; i < rows; i++)
		for (j = begin; j < end; j++)
			y[i] += a(first + i, j) * x(j);
	if (member_reduce(me, HYPERCUBE_SUM, HYPERCUBE_F64, 0, y, rows * sizeof(*y),
			  sum, sum ? rows * sizeof(*sum) : 0, NULL))
		return 1;
	if (sum)
		save(job->file[0], sum, rows);
	return 0;
}

/* Compare @y with the product that this process computes, bit by bit. */
static int verify(const double *y, size_t n)
{
	size_t i, j;

	for (i = 0; i < n; i++) {
		double sum = 0;

		for (j = 0; j < n; j++)
			sum += a(i, j) * x(j);
		if (memcmp(&sum, &y[i], sizeof(sum))) {
			fprintf(stderr, "y[%zu] is %g, should be %g\n", i, y[i], sum);
			return 1;
		}
	}
	return 0;
}

/* Each member contributes its own elements of y, and zeros for all others; so the sum is the whole
 * y.
 */
static int column_share(struct member *me, void *arg)
{
	const struct job *job = arg;
	size_t first, end, bytes;
	double *y = calloc(job->n, sizeof(*y));
	double *all = member_is_sink(me) ? calloc(job->n, sizeof(*all)) : NULL;
	char *part = file_read(job->file[me->index], &bytes);

	member_share(me, job->n, &first, &end);
	if (!y || bytes != (end - first) * sizeof(*y))
		errx(1, "%s has a wrong length", job->file[me->index]);
	memcpy(y + first, part, bytes);
	if (member_reduce(me, HYPERCUBE_SUM, HYPERCUBE_F64, 0, y, job->n * sizeof(*y),
			  all, all ? job->n * sizeof(*all) : 0, NULL))
		return 1;
	return all ? verify(all, job->n) : 0;
}

int main(int argc, char **argv)
{
	bool row = argc == 9 && !strcmp(argv[2], "row");
	struct members m;
	struct job job = { 0 };
	unsigned int i = 0;
	char *word;

	if (!row && (argc != 8 || strcmp(argv[2], "column")))
		errx(2, "usage: %s FABRIC {row|column} PLAN SINK NODES [ROW] N FILES", argv[0]);
	argv[2] = argv[1];
	members_parse(&m, argv + 2);
	job.row = row ? atoi(argv[6]) : 0;
	job.n = atoi(argv[argc - 2]);
	for (word = strtok(argv[argc - 1], ","); word && i < MEMBERS_MAX; word = strtok(NULL, ","))
		job.file[i++] = word;
	if (job.row >= ROWS || !job.n || (!row && i != m.count) || !i || (!row && i != ROWS))
		errx(2, "wrong numbers");
	return members_run(&m, row ? row_share : column_share, &job);
}
