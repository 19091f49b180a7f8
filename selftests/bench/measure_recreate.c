// SPDX-License-Identifier: GPL-2.0
/*
 * measure_recreate BYTES ROUNDS, run by mpirun: measures how long all ranks of Open MPI take to
 * make a new communicator, as of the ranks that remain after a failure, and to run a first
 * allreduce over it. A program that recovers by itself needs at least this time; here no rank has
 * failed, and so no rank needs to detect a failure. Prints one JSON object with the times in us.
 */
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Make a communicator, and run an allreduce over it. Return: seconds that the slowest rank needed.
 */
static double recreate(MPI_Comm *comm, const uint64_t *in, uint64_t *out, int count)
{
	MPI_Comm fresh;
	double from, took, longest;
	int rank;

	MPI_Comm_rank(*comm, &rank);
	MPI_Barrier(*comm);
	from = MPI_Wtime();
	MPI_Comm_split(*comm, 0, rank, &fresh);
	MPI_Allreduce(in, out, count, MPI_UINT64_T, MPI_SUM, fresh);
	took = MPI_Wtime() - from;
	MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, fresh);
	if (*comm != MPI_COMM_WORLD)
		MPI_Comm_free(comm);
	*comm = fresh;
	return longest * 1e6;
}

/* Run an allreduce. Return: seconds that the slowest rank needed. */
static double undisturbed(MPI_Comm comm, const uint64_t *in, uint64_t *out, int count)
{
	double from, took, longest;

	MPI_Barrier(comm);
	from = MPI_Wtime();
	MPI_Allreduce(in, out, count, MPI_UINT64_T, MPI_SUM, comm);
	took = MPI_Wtime() - from;
	MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
	return longest * 1e6;
}

int main(int argc, char **argv)
{
	int rank, size, i, kind, rounds, count;
	MPI_Comm comm = MPI_COMM_WORLD;
	uint64_t *in, *out;

	MPI_Init(&argc, &argv);
	if (argc != 3) {
		fprintf(stderr, "usage: mpirun .. %s BYTES ROUNDS\n", argv[0]);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	count = atoi(argv[1]) / 8;
	rounds = atoi(argv[2]);
	in = calloc(count, 8);
	out = calloc(count, 8);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	if (!rank)
		printf("{\"what\":\"recovery\",\"of\":\"recreate\",\"procs\":%d,", size);
	for (kind = 0; kind < 2; kind++) {
		if (!rank)
			printf("\"%s_us\":[", kind ? "undisturbed" : "recovered");
		for (i = 0; i < rounds; i++) {
			double us = kind ? undisturbed(comm, in, out, count) :
					   recreate(&comm, in, out, count);

			if (!rank)
				printf("%s%.1f", i ? "," : "", us);
		}
		if (!rank)
			printf("],");
	}
	if (!rank)
		printf("\"bytes\":%d}\n", count * 8);
	MPI_Finalize();
	return 0;
}
