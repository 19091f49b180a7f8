// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics of calls that went through the kernel, and of those that went to Open MPI's own module
 * (that "went below"). HYPERCUBE_MPI_STATS=1 prints those of rank 0 at the end of the program,
 * HYPERCUBE_MPI_STATS=all those of all ranks. HYPERCUBE_MPI_LOG=FILE writes a line for each
 * operation of rank 0: when it ended (us), its collective, the bytes of its vector, its duration
 * (us), and how often the kernel has restarted it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "component.h"

/**
 * struct row - the calls of one collective
 * @taken: number of calls that went through the kernel
 * @bytes: length of their vectors together
 * @ns: duration of these calls together
 * @again: number of these calls that the kernel has restarted because of faults
 * @again_ns: duration of the restarted calls together, ns
 * @below: number of calls that went below, by reason
 */
struct row {
	uint64_t taken;
	uint64_t bytes;
	uint64_t ns;
	uint64_t again;
	uint64_t again_ns;
	uint64_t below[HCM_REASON_NR];
};

/* Protects the counters, which several threads increment. */
static opal_mutex_t lock = OPAL_MUTEX_STATIC_INIT;
static struct row rows[HCM_WHAT_NR];
static uint64_t setups, setup_ns[HCM_SETUP_NR];
static FILE *log_file;

static const char * const reasons[HCM_REASON_NR] = {
	[HCM_CALL] = "not in the kernel",
	[HCM_OPERATOR] = "operator not in the kernel",
	[HCM_TYPE] = "type not in the kernel",
	[HCM_LONG] = "blocks are too long",
	[HCM_SLOW] = "faster there",
	[HCM_LENGTHS] = "not all ranks know its lengths",
	[HCM_EARLY] = "before the first blocking one",
	[HCM_NO_PLAN] = "no plan",
	[HCM_OVER] = "a fault has ended the plan",
};

static int world_rank(void)
{
	return ompi_mpi_comm_world.comm.c_my_rank;
}

void hcm_stats_begin(void)
{
	const char *name = getenv("HYPERCUBE_MPI_LOG");

	if (!name || world_rank())
		return;
	log_file = fopen(name, "we");
	if (!log_file)
		hcm_say("%s: %s", name, strerror(errno));
}

void hcm_stats_below(enum hcm_what what, enum hcm_reason reason)
{
	OPAL_THREAD_LOCK(&lock);
	rows[what].below[reason]++;
	OPAL_THREAD_UNLOCK(&lock);
}

static void log_write(const struct hcm_op *op, uint64_t ns)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	fprintf(log_file, "%" PRIu64 " %s %zu %" PRIu64 " %" PRIu32 "\n",
		t.tv_sec * UINT64_C(1000000) + t.tv_nsec / 1000, hcm_what_name(op->call.what),
		op->total, ns / 1000, op->restarts);
}

void hcm_stats_taken(const struct hcm_op *op)
{
	uint64_t ns = hcm_now_ns() - op->began;
	struct row *r = &rows[op->call.what];

	OPAL_THREAD_LOCK(&lock);
	r->taken++;
	r->bytes += op->total;
	r->ns += ns;
	if (op->restarts) {
		r->again++;
		r->again_ns += ns;
	}
	if (log_file)
		log_write(op, ns);
	OPAL_THREAD_UNLOCK(&lock);
}

void hcm_stats_setup(const uint64_t ns[HCM_SETUP_NR])
{
	unsigned int i;

	OPAL_THREAD_LOCK(&lock);
	setups++;
	for (i = 0; i < HCM_SETUP_NR; i++)
		setup_ns[i] += ns[i];
	OPAL_THREAD_UNLOCK(&lock);
}

/* Print lines such as "Allreduce 120 in the kernel, 4096 bytes, 12.3 ms" and "Allreduce 3 below: no
 * plan".
 */
static void print_row(const struct row *r, enum hcm_what what)
{
	unsigned int i;

	if (r->taken)
		fprintf(stderr, "hypercube: %-20s %8" PRIu64 " in the kernel, %" PRIu64
			" bytes, %.1f ms", hcm_what_name(what), r->taken, r->bytes, r->ns / 1e6);
	if (r->again)
		fprintf(stderr, "; faults interrupted %" PRIu64 " of them, which took %.1f ms",
			r->again, r->again_ns / 1e6);
	if (r->taken)
		fprintf(stderr, "\n");
	for (i = 0; i < HCM_REASON_NR; i++)
		if (r->below[i])
			fprintf(stderr, "hypercube: %-20s %8" PRIu64 " below: %s\n",
				hcm_what_name(what), r->below[i], reasons[i]);
}

void hcm_stats_end(void)
{
	const char *word = getenv("HYPERCUBE_MPI_STATS");
	unsigned int i;

	if (log_file)
		fclose(log_file);
	log_file = NULL;
	if (!word || !strcmp(word, "0") || (world_rank() && strcmp(word, "all")))
		return;
	fprintf(stderr, "hypercube: fabric %s, rank %d; %" PRIu64 " communicators set up: plans %.1f ms, handles %.1f ms, agreement %.1f ms\n",
		hcm_fabric, world_rank(), setups, setup_ns[HCM_SETUP_PLAN] / 1e6,
		setup_ns[HCM_SETUP_HANDLE] / 1e6, setup_ns[HCM_SETUP_AGREE] / 1e6);
	for (i = 0; i < HCM_WHAT_NR; i++)
		print_row(&rows[i], i);
}
