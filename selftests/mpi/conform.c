// SPDX-License-Identifier: GPL-2.0
/*
 * mpirun .. conform [-r ROUNDS] [-s SEED] [-t THREADS] [-m MILLISECONDS] [-n ELEMENTS]: runs random
 * collectives over random groups of ranks, several at a time, and compares each result with that of
 * the same call over a reference communicator.
 *
 * The reference is a communicator of the same ranks on which no blocking collective is ever called.
 * The tested component does not handle such communicators, so the next component of Open MPI does.
 * All ranks draw the same calls from the same seed, but different data. With -m the rounds go on
 * for at least that time.
 */
#include <err.h>
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conform.h"

#define FLIGHT		5
#define THREADS_MAX	4
#define EDGE		64	/* bytes before and behind each buffer, which no call may change */

static int world_rank, world_size;

static uint32_t draw(uint64_t *state, uint32_t n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % n;
}

/* --- types --- */

/* A user-defined operator: the result has the bits that are equal in both operands. */
static void user_op(void *in, void *inout, int *n, MPI_Datatype *dt)
{
	int i;

	(void)dt;
	for (i = 0; i < *n; i++)
		((int *)inout)[i] = ~(((int *)inout)[i] ^ ((int *)in)[i]);
}

static struct conform_type types[] = {
	{ "int", MPI_INT, 4, INTEGER }, { "double", MPI_DOUBLE, 8, REAL },
	{ "float", MPI_FLOAT, 4, REAL }, { "unsigned char", MPI_UNSIGNED_CHAR, 1, INTEGER },
	{ "short", MPI_SHORT, 2, INTEGER }, { "long", MPI_LONG, 8, INTEGER },
	{ "uint16_t", MPI_UINT16_T, 2, INTEGER }, { "uint32_t", MPI_UINT32_T, 4, INTEGER },
	{ "uint64_t", MPI_UINT64_T, 8, INTEGER }, { "int8_t", MPI_INT8_T, 1, INTEGER },
	{ "double complex", MPI_C_DOUBLE_COMPLEX, 16, COMPLEX_REAL },
	{ "double, int", MPI_DOUBLE_INT, 16, PAIR }, { "int, int", MPI_2INT, 8, PAIR },
	{ "short, int", MPI_SHORT_INT, 8, PAIR },
	{ "a vector of int", MPI_DATATYPE_NULL, 20, MOVED },
	{ "a struct", MPI_DATATYPE_NULL, 16, MOVED },
	{ "bytes", MPI_BYTE, 1, MOVED },
};

#define TYPES (sizeof(types) / sizeof(*types))

static struct conform_op ops[] = {
	{ "sum", MPI_SUM, NUMBERS | COMPLEX_REAL }, { "prod", MPI_PROD, NUMBERS },
	{ "min", MPI_MIN, NUMBERS }, { "max", MPI_MAX, NUMBERS }, { "band", MPI_BAND, INTEGER },
	{ "bor", MPI_BOR, INTEGER }, { "bxor", MPI_BXOR, INTEGER }, { "land", MPI_LAND, INTEGER },
	{ "minloc", MPI_MINLOC, PAIR }, { "maxloc", MPI_MAXLOC, PAIR },
	{ "the user's", MPI_OP_NULL, USER },
};

#define OPS (sizeof(ops) / sizeof(*ops))

static void types_make(void)
{
	int lengths[] = { 1, 2 };
	MPI_Aint places[] = { 8, 0 };
	MPI_Datatype parts[] = { MPI_FLOAT, MPI_SHORT };

	/* Two types with gaps: two ints of five; and two shorts, followed by a float. */
	MPI_Type_vector(2, 1, 3, MPI_INT, &types[TYPES - 3].dt);
	MPI_Type_create_resized(types[TYPES - 3].dt, 0, 20, &types[TYPES - 3].dt);
	MPI_Type_create_struct(2, lengths, places, parts, &types[TYPES - 2].dt);
	MPI_Type_create_resized(types[TYPES - 2].dt, 0, 16, &types[TYPES - 2].dt);
	MPI_Type_commit(&types[TYPES - 3].dt);
	MPI_Type_commit(&types[TYPES - 2].dt);
	MPI_Op_create(user_op, true, &ops[OPS - 1].op);
}

/* Fill @buf with numbers such that any sum or product of 16 of them is exact. */
static void fill(uint64_t *state, const struct conform_type *t, char *buf, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++, buf += t->extent) {
		double real[2] = { (int)draw(state, 4) - 1, draw(state, 3) };
		float single = real[0];
		int value = draw(state, 7) - 3, index = draw(state, 100) - 10;
		unsigned int byte;

		if (t->kind == REAL && t->extent == 8)
			memcpy(buf, &real[0], 8);
		else if (t->kind == REAL)
			memcpy(buf, &single, 4);
		else if (t->kind == COMPLEX_REAL)
			memcpy(buf, real, 16);
		else if (t->kind == PAIR)
			conform_pair(t->dt, buf, value, index);
		else
			for (byte = 0; byte < t->extent; byte++)
				buf[byte] = draw(state, 256);
	}
}

/* --- groups --- */

/**
 * struct group - a random group of ranks
 * @comm: the tested communicator
 * @reference: a communicator of the same ranks, on which no blocking collective is called
 */
struct group {
	MPI_Comm comm;
	MPI_Comm reference;
	int rank;
	int size;
};

#define GROUPS 4

/* Make groups: one of all ranks, and others of random ranks. On some of them no blocking call has
 * been made yet, so the component has not set them up.
 */
static void groups_make(struct group *g, MPI_Comm all, uint64_t *state)
{
	unsigned int i;
	int r, color = 0;

	for (i = 0; i < GROUPS; i++) {
		for (r = 0; r < world_size; r++) {
			int c = i ? (int)draw(state, i + 1) : 0;

			color = r == world_rank ? c : color;
		}
		MPI_Comm_split(all, color, i == 2 ? -world_rank : world_rank, &g[i].comm);
		MPI_Comm_dup(g[i].comm, &g[i].reference);
		MPI_Comm_rank(g[i].comm, &g[i].rank);
		MPI_Comm_size(g[i].comm, &g[i].size);
		if (i != 3)
			MPI_Barrier(g[i].comm);
	}
}

static void groups_free(struct group *g)
{
	unsigned int i;

	for (i = 0; i < GROUPS; i++) {
		MPI_Comm_free(&g[i].comm);
		MPI_Comm_free(&g[i].reference);
	}
}

/* --- calls --- */

static size_t draw_count(uint64_t *state, const struct conform_what *w, unsigned int most)
{
	size_t count;

	switch (draw(state, 8)) {
	case 0:
		count = draw(state, 2);
		break;
	case 1:
	case 2:
		count = draw(state, most);
		break;
	case 3:
		/* A number of elements whose length is near that of a chunk. */
		count = 65536 / 8 - 2 + draw(state, 4);
		break;
	default:
		count = draw(state, 100);
	}
	if (w->square)
		return count % 40;
	return w->blocks && count > most / 8 ? most / 8 : count;
}

static bool has_op(const struct conform_type *t, const struct conform_op *op)
{
	return op->kinds & t->kind || (op->kinds == USER && t->dt == MPI_INT);
}

static void job_draw(struct conform_job *j, const struct group *g, uint64_t *state,
		     unsigned int most)
{
	int i;

	*j = (struct conform_job){ .what = &conform_whats[draw(state, conform_nwhats)] };
	j->rank = g->rank;
	j->size = g->size;
	j->root = draw(state, 4096) % g->size;
	do {
		j->type = &types[draw(state, TYPES)];
		j->op = &ops[draw(state, OPS)];
	} while (j->what->reduces && !has_op(j->type, j->op));
	j->count = draw_count(state, j->what, most);
	j->in_place = j->what->in_place && !draw(state, 3);
	/* The component handles some collectives with square data only as blocking calls, so these
	 * are more often blocking.
	 */
	j->blocking = j->what->square ? draw(state, 3) : !draw(state, 3);
	for (i = 0; i < CONFORM_RANKS; i++) {
		j->counts[i] = draw(state, j->count + 1);
		if (i < j->size - 1)
			j->displs[i + 1] = j->displs[i] + j->counts[i] + (j->count & 1);
	}
}

/* Return: number of elements that the buffers of the call need space for. */
static size_t job_room(const struct conform_job *j)
{
	return (j->count + 1) * (j->what->blocks ? j->size : 1);
}

static char *buffer(size_t bytes)
{
	char *p = malloc(bytes + 2 * EDGE);

	if (!p)
		err(1, "memory");
	memset(p, 0x5a, bytes + 2 * EDGE);
	return p + EDGE;
}

/* Fill the buffers of the tested call and of the reference call with the same data: what is sent,
 * and, with MPI_IN_PLACE, what the result replaces.
 */
static void job_begin(struct conform_job *j, const struct group *g, uint64_t *own)
{
	size_t bytes = job_room(j) * j->type->extent;

	j->send = buffer(bytes);
	fill(own, j->type, j->send, job_room(j));
	j->recv = buffer(bytes);
	j->reference = buffer(bytes);
	if (j->in_place || j->what->one_buffer) {
		memcpy(j->recv, j->send, bytes);
		memcpy(j->reference, j->send, bytes);
	}
	conform_call(j, g->reference, j->reference, &j->requests[0]);
	if (j->blocking)
		conform_call(j, g->comm, j->recv, NULL);
	else
		conform_call(j, g->comm, j->recv, &j->requests[1]);
}

static bool job_end(struct conform_job *j)
{
	size_t bytes = job_room(j) * j->type->extent + EDGE;
	bool right;

	MPI_Waitall(j->blocking ? 1 : 2, j->requests, MPI_STATUSES_IGNORE);
	if (j->in_place && j->what->own)
		bytes = (j->what->counts ? j->counts[j->rank] : (int)j->count) * j->type->extent;
	right = !memcmp(j->recv - EDGE, j->reference - EDGE, EDGE + bytes);
	if (!right)
		printf("rank %d of %d: %s%s of %zu %s, %s, root %d%s is wrong\n", j->rank, j->size,
		       j->blocking ? "" : "I", j->what->name, j->count, j->type->name,
		       j->what->reduces ? j->op->name : "-", j->root,
		       j->in_place ? ", in place" : "");
	free(j->send - EDGE);
	free(j->recv - EDGE);
	free(j->reference - EDGE);
	return right;
}

/* --- rounds --- */

/**
 * struct run - the work of a thread
 * @all: its own communicator of all ranks
 * @rounds: least number of rounds; further rounds follow until @until
 * @seed: seed of the calls
 * @most: greatest number of elements of a call
 * @calls: number of calls whose results were compared
 * @wrong: number of calls whose results differed
 */
struct run {
	MPI_Comm all;
	unsigned int rounds;
	double until;
	uint64_t seed;
	unsigned int most;
	unsigned int calls;
	unsigned int wrong;
};

/* Return: true if any rank has rounds left. All ranks get the same answer. */
static bool goes_on(const struct run *r, unsigned int round)
{
	int mine = round < r->rounds || MPI_Wtime() < r->until, any;

	MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, r->all);
	return any;
}

static void *rounds(void *arg)
{
	struct conform_job jobs[FLIGHT];
	struct run *r = arg;
	uint64_t state = r->seed, own = r->seed * 1000 + world_rank;
	unsigned int round, i, n, where[FLIGHT];
	struct group g[GROUPS];

	groups_make(g, r->all, &state);
	for (round = 0; goes_on(r, round); round++) {
		n = 1 + draw(&state, FLIGHT);
		for (i = 0; i < n; i++) {
			/* Draw the same numbers on all ranks, also on ranks of different groups. */
			where[i] = draw(&state, GROUPS);
			job_draw(&jobs[i], &g[where[i]], &state, r->most);
		}
		for (i = 0; i < n; i++)
			job_begin(&jobs[i], &g[where[i]], &own);
		for (i = 0; i < n; i++)
			r->wrong += !job_end(&jobs[i]);
		r->calls += n;
		if (round % 64 == 63) {
			groups_free(g);
			groups_make(g, r->all, &state);
		}
	}
	groups_free(g);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned int nthreads = 1, i, sums[2] = { 0 }, all[2];
	struct run run[THREADS_MAX], base = { .rounds = 50, .seed = 1, .most = 40000 };
	pthread_t thread[THREADS_MAX];
	int opt, provided, ms = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	while ((opt = getopt(argc, argv, "r:s:t:m:n:")) >= 0)
		switch (opt) {
		case 'r':
			base.rounds = atoi(optarg);
			break;
		case 's':
			base.seed = atoi(optarg);
			break;
		case 't':
			nthreads = atoi(optarg);
			break;
		case 'm':
			ms = atoi(optarg);
			break;
		case 'n':
			base.most = atoi(optarg);
			break;
		default:
			return 2;
		}
	MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &world_size);
	if (nthreads < 1 || nthreads > THREADS_MAX || world_size > CONFORM_RANKS ||
	    (nthreads > 1 && provided < MPI_THREAD_MULTIPLE))
		errx(2, "not so many threads or ranks");
	types_make();
	base.until = MPI_Wtime() + ms / 1000.0;
	for (i = 0; i < nthreads; i++) {
		run[i] = base;
		run[i].seed += 100 * i;
		MPI_Comm_dup(MPI_COMM_WORLD, &run[i].all);
	}
	for (i = 1; i < nthreads; i++)
		pthread_create(&thread[i], NULL, rounds, &run[i]);
	rounds(&run[0]);
	for (i = 0; i < nthreads; i++) {
		if (i)
			pthread_join(thread[i], NULL);
		sums[0] += run[i].calls;
		sums[1] += run[i].wrong;
	}
	MPI_Reduce(sums, all, 2, MPI_UNSIGNED, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!world_rank)
		printf("conform: %u calls, %u of %u results wrong\n", sums[0], all[1], all[0]);
	MPI_Finalize();
	return sums[1] > 0;
}
