// SPDX-License-Identifier: GPL-2.0
/*
 * measure_fabric [-b MS] [-w WHAT,..] PROCS SIZES FABRIC TREE BCAST [NAME]: processes at
 * nodes 0, 1, .., which are the sink of the one plan and the source of the other.  For
 * what such a plan can do, TREE may be one for recursive doubling.
 */
#include <err.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libhypercube.h"
#include "measure.h"

struct backend {
	struct hcl *h;
	struct hcl_params p;
	uint32_t bcast;
	bool root;
};

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

static const operation_fn operation[WHATS] = {
	[REDUCE] = reduce, [ALLREDUCE] = allreduce, [BARRIER] = barrier, [BCAST] = bcast,
};

static void process(const struct config *c, struct shared *s, unsigned int rank,
		    const char *fabric, uint32_t plan, uint32_t bcast)
{
	struct backend b = {
		.p = { .plan = plan, .oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64 },
		.bcast = bcast,
		.root = !rank,
	};
	int ret = hcl_open(&b.h, fabric, rank);

	if (ret)
		errx(1, "node %u: %s", rank, strerror(-ret));
	hcl_set_timeout(b.h, 60000);
	measure(c, s, rank, operation, &b);
	hcl_close(b.h);
}

int main(int argc, char **argv)
{
	struct config c;
	struct shared *s;
	unsigned int i;
	int status;

	config_parse(&c, "fabric", argc, argv);
	if (argc != optind + 5 && argc != optind + 6)
		errx(2, "usage: %s [-b MS] [-w WHAT,..] PROCS SIZES FABRIC TREE BCAST [NAME]",
		     argv[0]);
	if (argc == optind + 6)
		c.name = argv[optind + 5];
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		err(1, "memory");
	for (i = 0; i < c.procs; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			process(&c, s, i, argv[optind + 2], atoi(argv[optind + 3]),
				atoi(argv[optind + 4]));
			exit(0);
		}
	}
	/* The others would wait in the barrier for one that is gone. */
	for (i = 0; i < c.procs; i++) {
		if (wait(&status) < 0 || status) {
			signal(SIGTERM, SIG_IGN);
			kill(0, SIGTERM);
			return 1;
		}
	}
	return 0;
}
