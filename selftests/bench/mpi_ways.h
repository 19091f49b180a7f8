/* SPDX-License-Identifier: GPL-2.0 */
/* Which of Open MPI's algorithms is fastest for a collective with a size: by trial. */
#ifndef BENCH_MPI_WAYS_H
#define BENCH_MPI_WAYS_H

#include <mpi.h>

#include "measure.h"

#define WAYS_MAX	8

/**
 * struct mpi_ways - algorithms to choose from
 * @names: of each; the first is what Open MPI takes by itself
 * @comm: a communicator whose collectives go by it
 * @n: entries of both
 */
struct mpi_ways {
	const char *names[WAYS_MAX];
	MPI_Comm comm[WAYS_MAX];
	unsigned int n;
};

/* All that there are for @what, of which this may be none but the first.  Collective. */
void mpi_ways_make(struct mpi_ways *w, enum what what);

/* The fastest: @run does the operation once.  All processes get the same.  Collective. */
unsigned int mpi_ways_try(const struct mpi_ways *w, void (*run)(MPI_Comm comm, void *arg),
			  void *arg);

#endif /* BENCH_MPI_WAYS_H */
