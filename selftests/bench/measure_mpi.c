// SPDX-License-Identifier: GPL-2.0
/* mpirun .. measure_mpi [-b MS] [-w WHAT,..] PROCS SIZES NAME FILE: the processes map FILE. */
#include <err.h>
#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure.h"

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
	bool root = *(const bool *)arg;

	MPI_Bcast(root ? (void *)in : out, count, MPI_UINT64_T, 0, MPI_COMM_WORLD);
}

static const operation_fn operation[WHATS] = {
	[REDUCE] = reduce, [ALLREDUCE] = allreduce, [BARRIER] = barrier, [BCAST] = bcast,
};

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
	struct config c;
	int rank, size;
	bool root;

	MPI_Init(&argc, &argv);
	config_parse(&c, "", argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != optind + 4 || (unsigned int)size != c.procs)
		errx(2, "usage: mpirun -n PROCS .. %s [-b MS] [-w WHAT,..] PROCS SIZES NAME FILE",
		     argv[0]);
	c.name = argv[optind + 2];
	root = !rank;
	measure(&c, map(argv[optind + 3]), rank, operation, &root);
	MPI_Finalize();
	return 0;
}
