/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Measuring collectives: what the fabric and its peers have in common.  The same
 * loops and clocks (measure.c) run over either backend.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROCS_MAX 256
#define SIZES_MAX 16

enum what { REDUCE, ALLREDUCE, BARRIER, BCAST, ALLGATHER, ALLTOALL, REDUCE_SCATTER, WHATS };

/**
 * struct shared - memory that all processes map
 * @arrived: processes in the barrier
 * @turn: counts barriers, a futex
 * @go_on: the leader's word after each latency sample
 * @begin: when each process entered the operation, ns
 * @end: when each came out of it, ns
 * @batch: operations back to back
 * @cpu: CPU time of all processes in the batch, ns
 */
struct shared {
	_Atomic uint32_t arrived;
	_Atomic uint32_t turn;
	_Atomic bool go_on;
	uint64_t begin[PROCS_MAX];
	uint64_t end[PROCS_MAX];
	_Atomic uint32_t batch;
	_Atomic uint64_t cpu;
};

/**
 * struct config - what to measure
 * @what: the operations
 * @whats: entries of @what
 * @name: of the backend, for the output
 * @procs: processes
 * @size: bytes of each contribution, or of each block of those that have one for each process;
 *	barriers have none
 * @sizes: entries of @size
 * @budget: ms for each measurement
 * @limit: sizes with which all contributions are longer than this together are left out; 0: none
 * @first: the first of the processes that are on this machine
 * @here: how many they are; if not @procs, no memory is shared by all
 */
struct config {
	enum what what[WHATS];
	unsigned int whats;
	const char *name;
	unsigned int procs;
	size_t size[SIZES_MAX];
	unsigned int sizes;
	unsigned int budget;
	size_t limit;
	unsigned int first;
	unsigned int here;
};

/* Options of all programs. */
#define MEASURE_OPTIONS	"[-a FIRST,COUNT] [-b MS] [-l BYTES] [-w WHAT,..] PROCS SIZE,SIZE,.."

/* Read them; exits with status 2 if they are wrong. */
void config_parse(struct config *c, const char *name, int argc, char **argv);

/* Bytes of what a process brings to an operation, and of what it gets, with blocks of @bytes. */
size_t measure_in(enum what op, unsigned int procs, size_t bytes);
size_t measure_out(enum what op, unsigned int procs, size_t bytes);

/* The sum of @count u64 of all processes goes to @out at process 0, with ALLREDUCE at
 * all; with BCAST, what process 0 has in @in goes to @out at all others.  With ALLGATHER the
 * @count u64 of each process go to @out at all, in the order of the processes.  With ALLTOALL
 * and REDUCE_SCATTER @in has @count for each process, who gets those of all, or their sum.
 */
typedef void (*operation_fn)(void *backend, const uint64_t *in, uint64_t *out, size_t count);

/**
 * struct measured - how operations are done here
 * @operation: each of them
 * @choose: called by all processes before an operation is measured with a size: the way it goes,
 *	for the output, or NULL; may be NULL
 */
struct measured {
	operation_fn operation[WHATS];
	const char *(*choose)(void *backend, enum what what, const uint64_t *in, uint64_t *out,
			      size_t count);
};

/* Measure; prints one JSON object for each operation and size, from process 0.  Without shared
 * memory (@s NULL) only what operations take back to back.
 */
void measure(const struct config *c, struct shared *s, unsigned int rank,
	     const struct measured *how, void *backend);

/* Wait until all processes are here. */
void measure_barrier(struct shared *s, unsigned int procs);

/* Run @process for each rank that is here in a process of its own, with memory that all of them
 * map, or NULL if there are others; the status to exit with.
 */
int measure_fork(const struct config *c,
		 void (*process)(const struct config *c, struct shared *s, unsigned int rank,
				 void *arg), void *arg);

#endif /* BENCH_MEASURE_H */
