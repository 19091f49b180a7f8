/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds by trial which of Open MPI's algorithms is fastest for a collective of a given size.
 */
#ifndef BENCH_MPI_WAYS_H
#define BENCH_MPI_WAYS_H

#include <mpi.h>

#include "measure.h"

#define WAYS_MAX	8

/**
 * struct mpi_ways - the algorithms of a collective
 * @names: name of each algorithm; the first entry is the one that Open MPI chooses itself
 * @comm: for each algorithm, a communicator whose collectives use it
 * @n: number of entries of @names and of @comm
 */
struct mpi_ways {
	const char *names[WAYS_MAX];
	MPI_Comm comm[WAYS_MAX];
	unsigned int n;
};

/* List all algorithms for collective @what, at least the one that Open MPI chooses. All processes
 * must call this.
 */
void mpi_ways_make(struct mpi_ways *w, enum what what);

/* Find the fastest of the algorithms @w, by running the operation with each of them; @run runs it
 * once. Return: the index of the fastest algorithm, the same at all processes. All processes must
 * call this.
 */
unsigned int mpi_ways_try(const struct mpi_ways *w, void (*run)(MPI_Comm comm, void *arg),
			  void *arg);

#endif /* BENCH_MPI_WAYS_H */
