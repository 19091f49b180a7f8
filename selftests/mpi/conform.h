/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MPI_CONFORM_H
#define MPI_CONFORM_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#define CONFORM_RANKS 64

/* Kinds of element types, as a mask: a type has the operators of its kind. */
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
 * @name: name of the MPI function
 * @call: function that makes the call
 * @reduces: the call has a reduction operator
 * @blocks: the call has a block for each rank
 * @square: each rank has a block for each rank; the component handles only short blocks of these
 * @in_place: MPI_IN_PLACE is possible
 * @one_buffer: the call has only one buffer
 * @counts: the blocks have different lengths
 * @own: with MPI_IN_PLACE, this rank's block of the result is at the end of the buffer, and the
 *	rest of the buffer is undefined
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
 * @counts: elements of each rank's block, if the blocks have different lengths
 * @displs: displacements of these blocks
 * @pair_counts: elements that this rank sends to each rank, and receives from it
 * @pair_displs: displacements of these elements
 * @pair_bytes: these displacements in bytes
 * @pair_types: element type for each rank
 * @reference: the result of the reference call
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

/* Write a value and an index to @buf, as an element of MPI's pair type @dt. */
void conform_pair(MPI_Datatype dt, char *buf, int value, int index);
/* Make the call over @comm. @request: for its request, or NULL to make the blocking call. */
void conform_call(struct conform_job *j, MPI_Comm comm, void *recv, MPI_Request *request);

#endif /* MPI_CONFORM_H */
