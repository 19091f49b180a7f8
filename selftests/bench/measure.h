/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Measuring collectives: the code that the fabric and the other implementations share. The same
 * loops and clocks (measure.c) run with each backend.
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
 * @go_on: process 0's decision after each latency sample whether to take another one
 * @begin: when each process entered the operation, ns
 * @end: when each process returned from it, ns
 * @batch: number of operations back to back
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
 * @whats: number of entries of @what
 * @name: name of the backend, for the output
 * @procs: number of processes
 * @size: bytes of each contribution, or of each block if contributions have one for each process;
 *	barriers have none
 * @sizes: number of entries of @size
 * @budget: ms for each measurement
 * @counted: instead of measuring time, have the simulator count the instructions of this many
 *	operations, and then of twice as many (vm/count.h); 0: measure time
 * @limit: leave out sizes with which all contributions together are longer than this; 0: none
 * @first: the first rank on this machine
 * @here: number of ranks on this machine; if not @procs, the processes share no memory
 */
struct config {
	enum what what[WHATS];
	unsigned int whats;
	const char *name;
	unsigned int procs;
	size_t size[SIZES_MAX];
	unsigned int sizes;
	unsigned int budget;
	unsigned int counted;
	size_t limit;
	unsigned int first;
	unsigned int here;
};

/* Options of all programs. */
#define MEASURE_OPTIONS	"[-a FIRST,COUNT] [-b MS | -n COUNT] [-l BYTES] [-w WHAT,..] PROCS SIZE,SIZE,.."

/* Parse these options; exit with status 2 if they are invalid. */
void config_parse(struct config *c, const char *name, int argc, char **argv);

/* Return: bytes that a process contributes to an operation (measure_in()) or gets (measure_out()),
 * with blocks of @bytes.
 */
size_t measure_in(enum what op, unsigned int procs, size_t bytes);
size_t measure_out(enum what op, unsigned int procs, size_t bytes);

/* Run an operation with @count u64 of each process. REDUCE writes the sum to @out at process 0,
 * ALLREDUCE at all. BCAST writes @in of process 0 to @out at all others. ALLGATHER writes the u64
 * of all processes to @out at all, in the order of the ranks. With ALLTOALL and REDUCE_SCATTER, @in
 * has @count u64 for each process; a process gets those of all processes for it, or their sum.
 */
typedef void (*operation_fn)(void *backend, const uint64_t *in, uint64_t *out, size_t count);

/**
 * struct measured - how a backend runs operations
 * @operation: function for each operation
 * @choose: called by all processes before an operation is measured with a size. Returns the
 *	algorithm in use, for the output, or NULL; may be NULL
 */
struct measured {
	operation_fn operation[WHATS];
	const char *(*choose)(void *backend, enum what what, const uint64_t *in, uint64_t *out,
			      size_t count);
};

/* Measure; process 0 prints one JSON object for each operation and size. Without shared memory (@s
 * is NULL) only operations back to back are measured.
 */
void measure(const struct config *c, struct shared *s, unsigned int rank,
	     const struct measured *how, void *backend);

/* Wait until all processes have called this. */
void measure_barrier(struct shared *s, unsigned int procs);

/* Fork a process for each rank on this machine, which runs @process, with memory that all of them
 * map, or NULL if there are other machines. Return: the exit status.
 */
int measure_fork(const struct config *c,
		 void (*process)(const struct config *c, struct shared *s, unsigned int rank,
				 void *arg), void *arg);

#endif /* BENCH_MEASURE_H */
