/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations for measuring collectives, which the programs for the fabric and for other
 * implementations share. The same loops and clocks (measure.c) run with each backend, which is one
 * of these implementations.
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
 * @arrived: number of processes that have arrived at the barrier
 * @turn: number of barriers so far; a futex
 * @go_on: after each latency sample, process 0 sets this if it takes another one
 * @begin: time at which each process called the operation, in ns
 * @end: time at which each process returned from it, in ns
 * @batch: number of operations back to back
 * @cpu: CPU time that all processes have used in the batch, in ns
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

/* Parse the options MEASURE_OPTIONS of program @name; exit with status 2 if they are invalid. */
void config_parse(struct config *c, const char *name, int argc, char **argv);

/* Return: number of bytes that a process contributes to operation @op (measure_in()), or gets from
 * it (measure_out()), if a contribution or a block of it has @bytes.
 */
size_t measure_in(enum what op, unsigned int procs, size_t bytes);
size_t measure_out(enum what op, unsigned int procs, size_t bytes);

/* A function that runs an operation in which each process has @count u64. REDUCE writes the sum to
 * @out at process 0, ALLREDUCE at all processes. BCAST writes @in of process 0 to @out of all other
 * processes. ALLGATHER writes the u64 of all processes to @out of all, in the order of the ranks.
 * For ALLTOALL and REDUCE_SCATTER, @in has @count u64 for each process; a process gets those that
 * all processes have for it, or their sum.
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

/* Run all measurements of @c as process @rank; process 0 prints one JSON object for each operation
 * and size. Without shared memory (@s is NULL) only the throughput is measured.
 */
void measure(const struct config *c, struct shared *s, unsigned int rank,
	     const struct measured *how, void *backend);

/* Wait until all processes have called this. */
void measure_barrier(struct shared *s, unsigned int procs);

/* Fork a process for each rank on this machine, and let it run @process with memory that all of
 * them map, or with NULL if there are ranks on other machines. Return: the exit status for main().
 */
int measure_fork(const struct config *c,
		 void (*process)(const struct config *c, struct shared *s, unsigned int rank,
				 void *arg), void *arg);

#endif /* BENCH_MEASURE_H */
