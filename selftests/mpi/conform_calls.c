// SPDX-License-Identifier: GPL-2.0
/* MPI's collectives, for conform.c. */
#include <string.h>

#include "conform.h"

/**
 * struct args - arguments of an MPI function
 * @j: the call
 * @comm: the communicator
 * @send: the data to send, or MPI_IN_PLACE
 * @root_send: the same, if only the root may have MPI_IN_PLACE as its send buffer
 * @recv: memory for the result
 * @root_recv: the same, if only the root may have MPI_IN_PLACE as its receive buffer
 * @request: for the request of a nonblocking call, or NULL to make the blocking call
 */
struct args {
	const struct conform_job *j;
	MPI_Comm comm;
	const void *send;
	const void *root_send;
	void *recv;
	void *root_recv;
	MPI_Request *request;
};

void conform_pair(MPI_Datatype dt, char *buf, int value, int index)
{
	struct { double v; int i; } d = { value, index };
	struct { short v; int i; } s = { value, index };
	int i[2] = { value, index };

	/* Write the members only, and not the gap between them, which a call may change. */
	if (dt == MPI_DOUBLE_INT) {
		memcpy(buf, &d.v, sizeof(d.v));
		memcpy(buf + 8, &d.i, sizeof(int));
	} else if (dt == MPI_SHORT_INT) {
		memcpy(buf, &s.v, sizeof(s.v));
		memcpy(buf + 4, &s.i, sizeof(int));
	} else {
		memcpy(buf, i, sizeof(i));
	}
}

/* Set the lengths and displacements of what this rank exchanges with each rank. Two ranks send each
 * other the same number of elements, as MPI_IN_PLACE requires.
 */
static void pairs_make(struct conform_job *j)
{
	int k, at = 0;

	for (k = 0; k < j->size; k++) {
		j->pair_counts[k] = j->counts[(j->rank + k) % j->size];
		j->pair_displs[k] = at;
		j->pair_bytes[k] = at * (int)j->type->extent;
		j->pair_types[k] = j->type->dt;
		at += j->pair_counts[k] + (j->count & 1);
	}
}

/* Define @small: it makes the blocking call MPI_@big, or with a request the nonblocking call
 * MPI_I@small.
 */
#define CALL(big, small, ...)						\
static void small(const struct args *a)					\
{									\
	if (a->request)							\
		MPI_I##small(__VA_ARGS__ a->comm, a->request);		\
	else								\
		MPI_##big(__VA_ARGS__ a->comm);				\
}

/* The arguments of a call that precede the communicator. */
#define ARGS(...) __VA_ARGS__,
#define N	((int)a->j->count)
#define DT	(a->j->type->dt)
#define OP	(a->j->op->op)
#define ROOT	(a->j->root)
/* For each rank, the number and the displacement of its elements; and this rank's number. */
#define COUNTS	(a->j->counts)
#define DISPLS	(a->j->displs)
#define MINE	(a->j->counts[a->j->rank])
/* For each rank, the number and the displacement of the elements exchanged with it. */
#define PAIRS	(a->j->pair_counts)
#define STARTS	(a->j->pair_displs)
#define BYTES	(a->j->pair_bytes)
#define TYPES	(a->j->pair_types)

CALL(Allreduce, allreduce, ARGS(a->send, a->recv, N, DT, OP))
CALL(Reduce, reduce, ARGS(a->root_send, a->recv, N, DT, OP, ROOT))
CALL(Bcast, bcast, ARGS(a->recv, N, DT, ROOT))
CALL(Barrier, barrier)
CALL(Gather, gather, ARGS(a->root_send, N, DT, a->recv, N, DT, ROOT))
CALL(Scatter, scatter, ARGS(a->j->send, N, DT, a->root_recv, N, DT, ROOT))
CALL(Allgather, allgather, ARGS(a->send, N, DT, a->recv, N, DT))
CALL(Allgatherv, allgatherv, ARGS(a->send, MINE, DT, a->recv, COUNTS, DISPLS, DT))
CALL(Alltoall, alltoall, ARGS(a->send, N, DT, a->recv, N, DT))
CALL(Reduce_scatter, reduce_scatter, ARGS(a->send, a->recv, a->j->counts, DT, OP))
CALL(Reduce_scatter_block, reduce_scatter_block, ARGS(a->send, a->recv, N, DT, OP))
CALL(Scan, scan, ARGS(a->send, a->recv, N, DT, OP))
CALL(Exscan, exscan, ARGS(a->send, a->recv, N, DT, OP))
CALL(Gatherv, gatherv, ARGS(a->root_send, MINE, DT, a->recv, COUNTS, DISPLS, DT, ROOT))
CALL(Scatterv, scatterv, ARGS(a->j->send, COUNTS, DISPLS, DT, a->root_recv, MINE, DT, ROOT))
CALL(Alltoallv, alltoallv, ARGS(a->send, PAIRS, STARTS, DT, a->recv, PAIRS, STARTS, DT))
CALL(Alltoallw, alltoallw, ARGS(a->send, PAIRS, BYTES, TYPES, a->recv, PAIRS, BYTES, TYPES))

const struct conform_what conform_whats[] = {
	{ "allreduce", allreduce, .reduces = true, .in_place = true },
	{ "reduce", reduce, .reduces = true, .in_place = true },
	{ "bcast", bcast, .one_buffer = true },
	{ "barrier", .call = barrier },
	{ "gather", gather, .blocks = true, .in_place = true },
	{ "scatter", scatter, .blocks = true, .in_place = true },
	{ "allgather", allgather, .blocks = true, .in_place = true },
	{ "allgatherv", allgatherv, .blocks = true, .counts = true, .in_place = true },
	{ "alltoall", alltoall, .blocks = true, .square = true, .in_place = true },
	{ "reduce_scatter", reduce_scatter, .reduces = true, .blocks = true, .counts = true,
	  .in_place = true, .own = true },
	{ "reduce_scatter_block", reduce_scatter_block, .reduces = true, .blocks = true,
	  .in_place = true, .own = true },
	{ "scan", scan, .reduces = true, .in_place = true },
	{ "exscan", exscan, .reduces = true, .in_place = true },
	{ "gatherv", gatherv, .blocks = true, .counts = true, .in_place = true },
	{ "scatterv", scatterv, .blocks = true, .counts = true, .in_place = true },
	{ "alltoallv", alltoallv, .blocks = true, .square = true, .in_place = true },
	{ "alltoallw", alltoallw, .blocks = true, .square = true, .in_place = true },
};

const unsigned int conform_nwhats = sizeof(conform_whats) / sizeof(*conform_whats);

void conform_call(struct conform_job *j, MPI_Comm comm, void *recv, MPI_Request *request)
{
	bool root_in_place = j->in_place && j->rank == j->root;
	const struct args a = {
		.j = j, .comm = comm, .recv = recv, .request = request,
		.send = j->in_place ? MPI_IN_PLACE : j->send,
		.root_send = root_in_place ? MPI_IN_PLACE : j->send,
		.root_recv = root_in_place ? MPI_IN_PLACE : recv,
	};

	pairs_make(j);
	j->what->call(&a);
}
