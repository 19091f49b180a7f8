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

enum what { REDUCE, ALLREDUCE, BARRIER, BCAST, WHATS };

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
 * @size: bytes of each contribution; barriers have none
 * @sizes: entries of @size
 * @budget: ms for each measurement
 */
struct config {
	enum what what[WHATS];
	unsigned int whats;
	const char *name;
	unsigned int procs;
	size_t size[SIZES_MAX];
	unsigned int sizes;
	unsigned int budget;
};

/* Read [-b MS] [-w WHAT,..] PROCS SIZE,SIZE,..; exits with status 2 if it is wrong. */
void config_parse(struct config *c, const char *name, int argc, char **argv);

/* The sum of @count u64 of all processes goes to @out at process 0, with ALLREDUCE at
 * all; with BCAST, what process 0 has in @in goes to @out at all others.
 */
typedef void (*operation_fn)(void *backend, const uint64_t *in, uint64_t *out, size_t count);

/* Measure; prints one JSON object for each operation and size, from process 0. */
void measure(const struct config *c, struct shared *s, unsigned int rank,
	     const operation_fn operation[WHATS], void *backend);

#endif /* BENCH_MEASURE_H */
