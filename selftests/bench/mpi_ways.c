// SPDX-License-Identifier: GPL-2.0
/*
 * The algorithms of Open MPI's component coll/tuned. If coll_tuned_use_dynamic_rules is set, the
 * variables of the component select the algorithms of a communicator at the time when it is made.
 * So this file makes a communicator for each algorithm.
 */
#include <err.h>
#include <stddef.h>

#include "mpi_ways.h"

#define TRIALS	3
/* An operation that takes at least this many seconds is tried only once. */
#define LONG	0.1

/* A variable that selects the algorithm of a collective, and the names of its values 1, 2, .. */
struct variable {
	const char *name;
	/* names of the algorithms 1, 2, ..; NULL: not usable with this number of processes */
	const char *algorithms[WAYS_MAX];
};

static const struct variable variables[WHATS] = {
	[ALLGATHER] = {
		"coll_tuned_allgather_algorithm",
		{ "linear", "bruck", "recursive doubling", "ring", "neighbor exchange" },
	},
	[ALLTOALL] = {
		"coll_tuned_alltoall_algorithm",
		{ "linear", "pairwise", "modified bruck", "linear with sync" },
	},
	[REDUCE_SCATTER] = {
		"coll_tuned_reduce_scatter_block_algorithm",
		{ "basic linear", "recursive doubling", "recursive halving", "butterfly" },
	},
};

/* Write @value to the variable @name. Return: false if there is no such variable. */
static bool set(const char *name, int value)
{
	MPI_T_cvar_handle handle;
	int index, count;
	bool ok;

	if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
	    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
		return false;
	ok = count == 1 && MPI_T_cvar_write(handle, &value) == MPI_SUCCESS;
	MPI_T_cvar_handle_free(&handle);
	return ok;
}

void mpi_ways_make(struct mpi_ways *w, enum what what)
{
	const struct variable *v = &variables[what];
	int provided, i;

	w->n = 1;
	w->names[0] = "its own choice";
	w->comm[0] = MPI_COMM_WORLD;
	if (!v->name)
		return;
	if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
		errx(1, "no MPI_T");
	for (i = 0; i < WAYS_MAX - 1 && v->algorithms[i]; i++) {
		if (!set(v->name, i + 1))
			errx(1, "cannot set %s", v->name);
		w->names[w->n] = v->algorithms[i];
		MPI_Comm_dup(MPI_COMM_WORLD, &w->comm[w->n++]);
	}
	set(v->name, 0);
	MPI_T_finalize();
}

/* Run the operation once over @comm. Return: the time of the slowest process in seconds, the same
 * at all processes.
 */
static double once(MPI_Comm comm, void (*run)(MPI_Comm comm, void *arg), void *arg)
{
	double took, most;

	MPI_Barrier(MPI_COMM_WORLD);
	took = MPI_Wtime();
	run(comm, arg);
	took = MPI_Wtime() - took;
	MPI_Allreduce(&took, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return most;
}

unsigned int mpi_ways_try(const struct mpi_ways *w, void (*run)(MPI_Comm comm, void *arg),
			  void *arg)
{
	unsigned int i, k, best = 0;
	double least = 0;

	for (i = 0; i < w->n && w->n > 1; i++) {
		/* The first run of an algorithm sets up its connections, too. */
		double shortest = once(w->comm[i], run, arg);

		/* Run an algorithm only once if it is far slower than another one. */
		for (k = 0; k < TRIALS && shortest < LONG && (!i || shortest < 5 * least);
		     k++) {
			double took = once(w->comm[i], run, arg);

			if (!k || took < shortest)
				shortest = took;
		}
		if (!i || shortest < least) {
			least = shortest;
			best = i;
		}
	}
	return best;
}
