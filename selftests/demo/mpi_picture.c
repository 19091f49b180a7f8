// SPDX-License-Identifier: GPL-2.0
/*
 * mpi_picture RANKS LOG FAULTS SVG: draws a timeline of the operations that the MPI component has
 * logged (HYPERCUBE_MPI_LOG), and of the faults.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "flaps.h"

static void log_read(struct flaps *r, const char *name)
{
	struct flaps_process *p = r->process;
	FILE *f = fopen(name, "r");
	uint64_t end, latency;
	unsigned int restarts;

	if (!f)
		err(1, "%s", name);
	while (p->ops < FLAPS_OPS_MAX &&
	       fscanf(f, "%" SCNu64 " %*s %*u %" SCNu64 " %u", &end, &latency, &restarts) == 3) {
		r->begin = r->begin ?: end - latency;
		r->again[p->ops] = restarts;
		r->nr_again += restarts > 0;
		p->op[p->ops++] = (struct flaps_op) {
			.end = end - r->begin, .latency = latency, .restarts = restarts,
		};
	}
	fclose(f);
	r->ops = p->ops;
}

int main(int argc, char **argv)
{
	static struct flaps r;

	if (argc != 5)
		errx(2, "usage: %s RANKS LOG FAULTS SVG", argv[0]);
	r.process = mmap(NULL, sizeof(*r.process), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (r.process == MAP_FAILED)
		err(1, "memory");
	r.members.count = atoi(argv[1]);
	r.what = "collectives of an MPI program";
	log_read(&r, argv[2]);
	flaps_faults_read(&r, argv[3]);
	flaps_picture(&r, argv[4]);
	return 0;
}
