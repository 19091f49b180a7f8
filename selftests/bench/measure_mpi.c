// SPDX-License-Identifier: GPL-2.0
/*
 * mpirun .. measure_mpi OPTIONS NAME FILE [best]: measures collectives of Open MPI. The processes
 * map FILE, except with -a. With "best" each collective uses the algorithm of Open MPI that is
 * fastest for its size.
 */
#include <err.h>
#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure.h"
#include "mpi_ways.h"

/**
 * struct backend - Open MPI
 * @root: this process has rank 0
 * @ways: algorithms of each operation
 * @way: index of the algorithm in use
 */
struct backend {
	bool root;
	struct mpi_ways ways[WHATS];
	unsigned int way[WHATS];
};

static void reduce(void *arg, const uint64_t *in, uint64_t *out, size_t count)
{
	(void)arg;
	MPI_Reduce(in, out, count, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void allreduce(void *arg, const uint64_t *in, uint64_t *out, size_t count)
{
	(void)arg;
	MPI_Allreduce(in, out, count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

static void barrier(void *arg, const uint64_t *in, uint64_t *out, size_t count)
{
	(void)arg;
	(void)in;
	(void)out;
	(void)count;
	MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(void *arg, const uint64_t *in, uint64_t *out, size_t count)
{
	bool root = ((const struct backend *)arg)->root;

	MPI_Bcast(root ? (void *)in : out, count, MPI_UINT64_T, 0, MPI_COMM_WORLD);
}

/* Run an operation over @comm, which determines the algorithm. */
static void exchange(MPI_Comm comm, enum what what, const uint64_t *in, uint64_t *out, size_t count)
{
	if (what == ALLGATHER)
		MPI_Allgather(in, count, MPI_UINT64_T, out, count, MPI_UINT64_T, comm);
	else if (what == ALLTOALL)
		MPI_Alltoall(in, count, MPI_UINT64_T, out, count, MPI_UINT64_T, comm);
	else
		MPI_Reduce_scatter_block(in, out, count, MPI_UINT64_T, MPI_SUM, comm);
}

/* Return: the communicator that uses the present algorithm for @what. */
static MPI_Comm chosen(const struct backend *b, enum what what)
{
	return b->ways[what].comm[b->way[what]];
}

static void allgather(void *arg, const uint64_t *in, uint64_t *out, size_t count)
{
	exchange(chosen(arg, ALLGATHER), ALLGATHER, in, out, count);
}

static void alltoall(void *arg, const uint64_t *in, uint64_t *out, size_t count)
{
	exchange(chosen(arg, ALLTOALL), ALLTOALL, in, out, count);
}

static void reduce_scatter(void *arg, const uint64_t *in, uint64_t *out, size_t count)
{
	exchange(chosen(arg, REDUCE_SCATTER), REDUCE_SCATTER, in, out, count);
}

struct trial {
	enum what what;
	const uint64_t *in;
	uint64_t *out;
	size_t count;
};

/* Run the operation of @arg over @comm; mpi_ways_try() calls this with each algorithm. */
static void trial(MPI_Comm comm, void *arg)
{
	const struct trial *t = arg;

	exchange(comm, t->what, t->in, t->out, t->count);
}

/* Find the fastest algorithm for an operation with @count elements. Return: its name, or NULL. */
static const char *choose(void *arg, enum what what, const uint64_t *in, uint64_t *out,
			  size_t count)
{
	struct trial t = { what, in, out, count };
	struct backend *b = arg;

	if (what != ALLGATHER && what != ALLTOALL && what != REDUCE_SCATTER)
		return NULL;
	b->way[what] = mpi_ways_try(&b->ways[what], trial, &t);
	return b->ways[what].names[b->way[what]];
}

static const struct measured how = {
	.operation = {
		[REDUCE] = reduce, [ALLREDUCE] = allreduce, [BARRIER] = barrier, [BCAST] = bcast,
		[ALLGATHER] = allgather, [ALLTOALL] = alltoall, [REDUCE_SCATTER] = reduce_scatter,
	},
	.choose = choose,
};

/* List the algorithms of each measured operation: all of them with @best, otherwise only the one
 * that Open MPI chooses itself.
 */
static void ways_make(struct backend *b, const struct config *c, bool best)
{
	unsigned int i;

	for (i = 0; i < WHATS; i++)
		b->ways[i] = (struct mpi_ways){
			{ "its own choice" }, { MPI_COMM_WORLD }, 1
		};
	for (i = 0; i < c->whats && best; i++)
		mpi_ways_make(&b->ways[c->what[i]], c->what[i]);
}

static struct shared *map(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT, 0600);
	struct shared *s;

	if (fd < 0 || ftruncate(fd, sizeof(*s)))
		err(1, "%s", name);
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (s == MAP_FAILED)
		err(1, "%s", name);
	close(fd);
	return s;
}

int main(int argc, char **argv)
{
	struct backend b = { 0 };
	struct config c;
	int rank, size;

	MPI_Init(&argc, &argv);
	config_parse(&c, "", argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc < optind + 4 || argc > optind + 5 || (unsigned int)size != c.procs)
		errx(2, "usage: mpirun -n PROCS .. %s " MEASURE_OPTIONS " NAME FILE [best]",
		     argv[0]);
	c.name = argv[optind + 2];
	b.root = !rank;
	ways_make(&b, &c, argc == optind + 5);
	measure(&c, c.here < c.procs ? NULL : map(argv[optind + 3]), rank, &how, &b);
	MPI_Finalize();
	return 0;
}
