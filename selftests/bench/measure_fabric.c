// SPDX-License-Identifier: GPL-2.0
/*
 * measure_fabric OPTIONS FABRIC TREE BCAST [NAME [NETNS..]]: measures collectives of the fabric,
 * with processes at nodes 0, 1, .. Node 0 is the sink of plan TREE and the source of plan BCAST.
 * For the operations that such plans carry, TREE may also be a plan of recursive doubling or of
 * rings. If partitions of the fabric are in several network namespaces, each of these has the same
 * number of processes, in order.
 */
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libhypercube.h"
#include "measure.h"

/* A process's handle, the parameters of its operations, and its plan for broadcasts (@bcast). */
struct backend {
	struct hcl *h;
	struct hcl_params p;
	uint32_t bcast;
	unsigned int procs;
	bool root;
};

/* Exit with an error that names @what if @ret is negative. */
static void must(struct backend *b, const char *what, int ret)
{
	char text[160];

	if (ret)
		errx(1, "%s: %s (%s)", what, strerror(-ret),
		     hcl_describe(hcl_failure(b->h), text, sizeof(text)));
}

static void reduce(void *arg, const uint64_t *in, uint64_t *out, size_t count)
{
	struct backend *b = arg;

	must(b, "reduce", hcl_reduce(b->h, &b->p, in, count * 8, b->root ? out : NULL,
				     b->root ? count * 8 : 0, NULL));
}

static void allreduce(void *arg, const uint64_t *in, uint64_t *out, size_t count)
{
	struct backend *b = arg;

	must(b, "allreduce", hcl_allreduce(b->h, &b->p, in, count * 8, out, count * 8, NULL));
}

static void barrier(void *arg, const uint64_t *in, uint64_t *out, size_t count)
{
	struct backend *b = arg;

	(void)in;
	(void)out;
	(void)count;
	must(b, "barrier", hcl_barrier(b->h, b->p.plan, NULL));
}

static void bcast(void *arg, const uint64_t *in, uint64_t *out, size_t count)
{
	struct backend *b = arg;

	must(b, "bcast", hcl_bcast(b->h, b->bcast, 0, b->root ? (void *)in : out, count * 8, 0,
				   NULL));
}

static void allgather(void *arg, const uint64_t *in, uint64_t *out, size_t count)
{
	struct backend *b = arg;

	must(b, "allgather", hcl_allgather(b->h, b->p.plan, in, count * 8, out,
					   measure_out(ALLGATHER, b->procs, count * 8), 0, NULL));
}

static void alltoall(void *arg, const uint64_t *in, uint64_t *out, size_t count)
{
	struct backend *b = arg;
	size_t bytes = measure_in(ALLTOALL, b->procs, count * 8);

	must(b, "alltoall", hcl_alltoall(b->h, b->p.plan, in, bytes, out, bytes, NULL));
}

static void reduce_scatter(void *arg, const uint64_t *in, uint64_t *out, size_t count)
{
	struct backend *b = arg;
	size_t bytes = measure_in(REDUCE_SCATTER, b->procs, count * 8);

	must(b, "reduce_scatter", hcl_reduce_scatter_block(b->h, &b->p, in, bytes, out, count * 8,
							   NULL));
}

static const struct measured how = {
	.operation = {
		[REDUCE] = reduce, [ALLREDUCE] = allreduce, [BARRIER] = barrier, [BCAST] = bcast,
		[ALLGATHER] = allgather, [ALLTOALL] = alltoall, [REDUCE_SCATTER] = reduce_scatter,
	},
};

/* Enter the network namespace that has the node of rank @rank. */
static void enter(const struct config *c, unsigned int rank, char **netns)
{
	unsigned int n = 0;
	char path[256];
	int fd;

	while (netns[n])
		n++;
	if (!n)
		return;
	snprintf(path, sizeof(path), "/run/netns/%s", netns[rank * n / c->procs]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		err(1, "%s", path);
	close(fd);
}

static void process(const struct config *c, struct shared *s, unsigned int rank, void *arg)
{
	char **words = arg;
	struct backend b = {
		.p = {
			.plan = atoi(words[1]), .oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64,
		},
		.bcast = atoi(words[2]),
		.procs = c->procs,
		.root = !rank,
	};
	int ret;

	if (words[3])
		enter(c, rank, words + 4);
	ret = hcl_open(&b.h, words[0], rank);
	if (ret)
		errx(1, "node %u: %s", rank, strerror(-ret));
	hcl_set_timeout(b.h, 60000);
	measure(c, s, rank, &how, &b);
	hcl_close(b.h);
}

int main(int argc, char **argv)
{
	struct config c;

	config_parse(&c, "fabric", argc, argv);
	if (argc < optind + 5)
		errx(2, "usage: %s " MEASURE_OPTIONS " FABRIC TREE BCAST [NAME [NETNS..]]",
		     argv[0]);
	if (argc > optind + 5)
		c.name = argv[optind + 5];
	return measure_fork(&c, process, argv + optind + 2);
}
