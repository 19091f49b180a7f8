/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds by trial which of Open MPI's algorithms is fastest for a collective with a size.
 */
#ifndef BENCH_MPI_WAYS_H
#define BENCH_MPI_WAYS_H

#include <mpi.h>

#include "measure.h"

#define WAYS_MAX	8

/**
 * struct mpi_ways - algorithms to choose from
 * @names: name of each algorithm; the first is what Open MPI chooses itself
 * @comm: for each algorithm a communicator whose collectives use it
 * @n: entries of both
 */
struct mpi_ways {
	const char *names[WAYS_MAX];
	MPI_Comm comm[WAYS_MAX];
	unsigned int n;
};

/* Make all algorithms for @what; there may be none but the first. Collective. */
void mpi_ways_make(struct mpi_ways *w, enum what what);

/* Find the fastest; @run does the operation once. Return: its index, the same at all processes.
 * Collective.
 */
unsigned int mpi_ways_try(const struct mpi_ways *w, void (*run)(MPI_Comm comm, void *arg),
			  void *arg);

#endif /* BENCH_MPI_WAYS_H */
