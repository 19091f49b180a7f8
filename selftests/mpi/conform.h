/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MPI_CONFORM_H
#define MPI_CONFORM_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#define CONFORM_RANKS 64

/* Operators that an element type has. */
enum {
	INTEGER = 1, REAL = 2, COMPLEX_REAL = 4, PAIR = 8, MOVED = 16, USER = 32,
	NUMBERS = INTEGER | REAL,
};

struct conform_type {
	const char *name;
	MPI_Datatype dt;
	size_t extent;
	unsigned int kind;
};

struct conform_op {
	const char *name;
	MPI_Op op;
	unsigned int kinds;
};

struct args;

/**
 * struct conform_what - a collective
 * @name: of the call
 * @call: make it
 * @reduces: it has an operator
 * @blocks: it has a block for each rank
 * @square: each rank has a block for each rank; the component takes only short ones
 * @in_place: at which ranks MPI_IN_PLACE is possible
 * @one_buffer: the call has one buffer
 * @counts: these blocks have different lengths
 * @own: in place, the buffer ends with this rank's block of the result; the rest is undefined
 */
struct conform_what {
	const char *name;
	void (*call)(const struct args *a);
	bool reduces;
	bool blocks;
	bool square;
	bool in_place;
	bool one_buffer;
	bool counts;
	bool own;
};

extern const struct conform_what conform_whats[];
extern const unsigned int conform_nwhats;

/**
 * struct conform_job - a call
 * @counts: elements of each rank's block, where the lengths differ
 * @displs: displacements of these blocks
 * @pair_counts: elements that this rank sends to each rank, and gets
 * @pair_displs: displacements of these
 * @pair_bytes: the displacements in bytes
 * @pair_types: type for each rank
 * @reference: data received over the reference communicator
 * @requests: request of the reference call, and, unless @blocking, of the tested call
 */
struct conform_job {
	const struct conform_what *what;
	const struct conform_type *type;
	const struct conform_op *op;
	int rank;
	int size;
	int root;
	size_t count;
	int counts[CONFORM_RANKS];
	int displs[CONFORM_RANKS];
	int pair_counts[CONFORM_RANKS];
	int pair_displs[CONFORM_RANKS];
	int pair_bytes[CONFORM_RANKS];
	MPI_Datatype pair_types[CONFORM_RANKS];
	bool in_place;
	bool blocking;
	char *send;
	char *recv;
	char *reference;
	MPI_Request requests[2];
};

/* Write a value and an index as MPI's pair type @dt. */
void conform_pair(MPI_Datatype dt, char *buf, int value, int index);
/* Make the call; @request NULL: the blocking one. */
void conform_call(struct conform_job *j, MPI_Comm comm, void *recv, MPI_Request *request);

#endif /* MPI_CONFORM_H */
