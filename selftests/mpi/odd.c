// SPDX-License-Identifier: GPL-2.0
/*
 * mpirun .. odd WHAT: a program that uses MPI in unusual ways.
 *
 * status N	all ranks end with this exit status
 * forever	runs collectives until a signal ends it
 * dies RANK	this rank dies while the others wait for it
 * nothing	runs no collective except those of MPI_Init and MPI_Finalize
 * churn N	makes N communicators one after another, uses each once, and frees it
 * many N	makes N communicators at once, and uses each twice; rank 0 prints their cost
 * early N	makes N communicators, each freed while operations on it are in flight
 * persistent N	has requests that each rank starts N times, in an order of its own, 10 ms apart
 * differ N	N times ranks pass vectors of different lengths, and then of equal lengths
 * poor RANK	this rank can open no more files when communicators are made
 * neighbors	runs the neighbourhood collectives of all forms on a ring
 * sum N	runs N allreduces, checks each, and waits 10 ms after each
 */
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int rank, size;

/* Return: 1 if the sum is right. */
static int sum(MPI_Comm comm, int ranks)
{
	int one = 1, all = 0;

	MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm);
	return all == ranks;
}

static int churn(int n)
{
	MPI_Comm comm;
	int i, wrong = 0;

	for (i = 0; i < n; i++) {
		MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 ? -rank : rank, &comm);
		wrong += !sum(comm, size);
		MPI_Comm_free(&comm);
	}
	return wrong;
}

/* Return: the time since @since in ms; then set @since to now. */
static double lap(double *since)
{
	double now = MPI_Wtime(), took = 1000 * (now - *since);

	*since = now;
	return took;
}

static int many(int n)
{
	MPI_Comm *comm = malloc(n * sizeof(*comm));
	double since = MPI_Wtime(), made, first, again;
	int i, wrong = 0;

	if (!comm)
		return 1;
	for (i = 0; i < n; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
	made = lap(&since);
	for (i = 0; i < n; i++)
		wrong += !sum(comm[i], size);
	first = lap(&since);
	for (i = 0; i < n; i++)
		wrong += !sum(comm[i], size);
	again = lap(&since);
	if (!rank)
		printf("%d communicators: %.2f ms each by MPI_Comm_dup, %.2f by the first call, %.2f by the second\n",
		       n, made / n, first / n, again / n);
	for (i = 0; i < n; i++)
		MPI_Comm_free(&comm[i]);
	free(comm);
	return wrong;
}

/* Free communicators while a request of each kind and a message between two ranks are in flight. */
static int early(int n)
{
	int i, k, wrong = 0, next = (rank + 1) % size, from = (rank + size - 1) % size;

	for (i = 0; i < n; i++) {
		int in[4] = { rank, rank + i, i, 1 }, out[3] = { -1, -1, -1 }, token = -1;
		MPI_Request request[6];
		MPI_Comm comm;

		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		MPI_Barrier(comm);
		in[2] = rank == i % size ? i : -1;
		MPI_Irecv(&token, 1, MPI_INT, from, i, comm, &request[0]);
		MPI_Iallreduce(&in[3], &out[0], 1, MPI_INT, MPI_SUM, comm, &request[1]);
		MPI_Ibcast(&in[2], 1, MPI_INT, i % size, comm, &request[2]);
		MPI_Iscan(&in[3], &out[1], 1, MPI_INT, MPI_SUM, comm, &request[3]);
		MPI_Iscatter(&in[0], 0, MPI_INT, &out[2], 0, MPI_INT, 0, comm, &request[4]);
		MPI_Isend(&in[1], 1, MPI_INT, next, i, comm, &request[5]);
		MPI_Comm_free(&comm);
		MPI_Waitall(6, request, MPI_STATUSES_IGNORE);
		for (k = 0; k < 6; k++)
			wrong += request[k] != MPI_REQUEST_NULL;
		wrong += out[0] != size || out[1] != rank + 1 || in[2] != i || token != from + i;
	}
	return wrong;
}

#define REQUESTS 6
#define RANKS 64

/* Receive buffers of the requests. */
static int all[4], sent[RANKS], parts[RANKS * RANKS], counts[RANKS], displs[RANKS];

static int parts_wrong(int i)
{
	int r, k, wrong = 0;

	for (r = 0; r < size; r++)
		for (k = 0; k < counts[r]; k++)
			wrong += parts[displs[r] + k] != i + r;
	return wrong;
}

static int persistent(int n)
{
	static int mine[4];
	MPI_Request request[REQUESTS];
	MPI_Datatype own;
	MPI_Comm comm;
	int i, k, r, wrong = 0;

	MPI_Type_dup(MPI_INT, &own);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	for (r = 0; r < size; r++) {
		counts[r] = r;
		displs[r] = r ? displs[r - 1] + counts[r - 1] : 0;
	}
	MPIX_Allreduce_init(&mine[0], &all[0], 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
			    &request[0]);
	MPIX_Bcast_init(&all[1], 1, own, size - 1, comm, MPI_INFO_NULL, &request[1]);
	MPIX_Allgatherv_init(sent, rank, MPI_INT, parts, counts, displs, MPI_INT, comm,
			     MPI_INFO_NULL, &request[2]);
	MPIX_Exscan_init(&mine[2], &all[2], 1, MPI_INT, MPI_MAX, comm, MPI_INFO_NULL, &request[3]);
	MPIX_Barrier_init(comm, MPI_INFO_NULL, &request[4]);
	/* The component has no such operator. */
	MPIX_Allreduce_init(&mine[3], &all[3], 1, MPI_INT, MPI_LOR, comm, MPI_INFO_NULL,
			    &request[5]);
	/* Free the types and operators at once, as the requests must not need them any more. */
	MPI_Type_free(&own);
	for (r = 0; r < size; r++)
		counts[r] = -1;
	for (i = 0; i < n; i++) {
		mine[0] = i;
		all[1] = rank == size - 1 ? i : -1;
		mine[2] = i + rank;
		mine[3] = rank == i % size;
		for (r = 0; r < rank; r++)
			sent[r] = i + rank;
		for (k = 0; k < REQUESTS; k++)
			MPI_Start(&request[(k + rank + i) % REQUESTS]);
		MPI_Waitall(REQUESTS, request, MPI_STATUSES_IGNORE);
		for (r = 0; r < size; r++)
			counts[r] = r;
		wrong += all[0] != i * size || all[1] != i || !all[3] || parts_wrong(i) ||
			 (rank && all[2] != i + rank - 1);
		memset(parts, -1, sizeof(parts));
		memset(all, -1, sizeof(all));
		usleep(10000);
	}
	for (k = 0; k < REQUESTS; k++)
		MPI_Request_free(&request[k]);
	MPI_Comm_free(&comm);
	return wrong;
}

/* If the lengths differ, all ranks must get an MPI error; later calls with equal lengths must work.
 */
static int differ(int n)
{
	int i, wrong = 0, ones[4] = { 1, 1, 1, 1 }, first[4], second = 0, rc[2];
	MPI_Request request[2];
	MPI_Comm comm;

	/* An error of a request calls the error handler of MPI_COMM_WORLD, whichever communicator
	 * the request belongs to.
	 */
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (i = 0; i < n; i++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		MPI_Barrier(comm);
		MPI_Iallreduce(ones, first, rank == i % size ? 4 : 3, MPI_INT, MPI_SUM, comm,
			       &request[0]);
		MPI_Iallreduce(ones, &second, 1, MPI_INT, MPI_SUM, comm, &request[1]);
		rc[0] = MPI_Wait(&request[0], MPI_STATUS_IGNORE);
		rc[1] = MPI_Wait(&request[1], MPI_STATUS_IGNORE);
		wrong += rc[0] != MPI_ERR_TRUNCATE || rc[1] != MPI_SUCCESS || second != size ||
			 !sum(comm, size);
		MPI_Comm_free(&comm);
	}
	return wrong;
}

static int poor(int who)
{
	struct rlimit limit;
	MPI_Comm comm;
	int i, wrong = 0;

	getrlimit(RLIMIT_NOFILE, &limit);
	/* The lowest free descriptor becomes the limit, so no further one can be opened. */
	limit.rlim_cur = dup(0);
	close(limit.rlim_cur);
	if (rank == who)
		setrlimit(RLIMIT_NOFILE, &limit);
	for (i = 0; i < 10; i++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		wrong += !sum(comm, size) + !sum(comm, size) + !sum(MPI_COMM_WORLD, size);
		MPI_Comm_free(&comm);
	}
	return wrong;
}

static int neighbors(void)
{
	int periodic = 1, i, wrong = 0, in[3], out[3][2];
	MPI_Request request[2];
	MPI_Comm ring;

	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
	for (i = 0; i < 3; i++)
		in[i] = rank + 100 * i;
	MPI_Neighbor_allgather(&in[0], 1, MPI_INT, out[0], 1, MPI_INT, ring);
	MPI_Ineighbor_allgather(&in[1], 1, MPI_INT, out[1], 1, MPI_INT, ring, &request[0]);
	MPIX_Neighbor_allgather_init(&in[2], 1, MPI_INT, out[2], 1, MPI_INT, ring, MPI_INFO_NULL,
				     &request[1]);
	MPI_Start(&request[1]);
	MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	MPI_Request_free(&request[1]);
	for (i = 0; i < 3; i++)
		wrong += out[i][0] != (rank + size - 1) % size + 100 * i ||
			 out[i][1] != (rank + 1) % size + 100 * i;
	MPI_Comm_free(&ring);
	return wrong;
}

static int sums(int n)
{
	int i, wrong = 0;

	for (i = 0; i < n; i++) {
		wrong += !sum(MPI_COMM_WORLD, size);
		usleep(10000);
	}
	return wrong;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0, status = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (!strcmp(what, "dies") && rank == n)
		kill(getpid(), SIGKILL);
	if (!strcmp(what, "dies"))
		MPI_Barrier(MPI_COMM_WORLD);
	while (!strcmp(what, "forever"))
		sum(MPI_COMM_WORLD, size);
	if (!strcmp(what, "status"))
		status = n;
	if (!strcmp(what, "churn"))
		status = churn(n) > 0;
	if (!strcmp(what, "many"))
		status = many(n) > 0;
	if (!strcmp(what, "early"))
		status = early(n) > 0;
	if (!strcmp(what, "persistent"))
		status = persistent(n) > 0;
	if (!strcmp(what, "differ"))
		status = differ(n) > 0;
	if (!strcmp(what, "poor"))
		status = poor(n) > 0;
	if (!strcmp(what, "neighbors"))
		status = neighbors() > 0;
	if (!strcmp(what, "sum"))
		status = sums(n) > 0;
	MPI_Finalize();
	return status;
}
