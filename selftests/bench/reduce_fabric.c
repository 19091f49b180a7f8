// SPDX-License-Identifier: GPL-2.0
/* reduce_fabric [-b MS] PROCS SIZES FABRIC PLAN: processes at nodes 0, 1, .. */
#include <err.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libhypercube.h"
#include "reduce.h"

struct backend {
	struct hcl *h;
	struct hcl_params p;
	bool sink;
};

static void reduce(void *arg, const uint64_t *in, uint64_t *out, size_t count)
{
	struct backend *b = arg;
	int ret = hcl_reduce(b->h, &b->p, in, count * 8, b->sink ? out : NULL,
			     b->sink ? count * 8 : 0, NULL);
	char text[160];

	if (ret)
		errx(1, "reduce: %s (%s)", strerror(-ret),
		     hcl_describe(hcl_failure(b->h), text, sizeof(text)));
}

static void process(const struct config *c, struct shared *s, unsigned int rank,
		    const char *fabric, uint32_t plan)
{
	struct backend b = {
		.p = { .plan = plan, .oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64 },
		.sink = !rank,
	};
	int ret = hcl_open(&b.h, fabric, rank);

	if (ret)
		errx(1, "node %u: %s", rank, strerror(-ret));
	hcl_set_timeout(b.h, 60000);
	measure(c, s, rank, reduce, &b);
	hcl_close(b.h);
}

int main(int argc, char **argv)
{
	struct config c;
	struct shared *s;
	unsigned int i;
	int status;

	config_parse(&c, "fabric", argc, argv);
	if (argc != optind + 4)
		errx(2, "usage: %s [-b MS] PROCS SIZES FABRIC PLAN", argv[0]);
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		err(1, "memory");
	for (i = 0; i < c.procs; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			process(&c, s, i, argv[optind + 2], atoi(argv[optind + 3]));
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
