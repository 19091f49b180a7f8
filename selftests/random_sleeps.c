// SPDX-License-Identifier: GPL-2.0
/*
 * Processes sleep for random times between collectives, so that contributions, results and wake-ups
 * coincide in any order. Each operation must continue as soon as the frame or contribution that it
 * waits for has arrived.
 *
 * If the kernel fails to wake a poll or a process, the check of waiting members, which runs once a
 * second, wakes it. So an operation has failed if it lasts longer than a fraction of a second. Time
 * in which an emulated processor did not run does not count: on each processor a ticker, a process
 * of high priority, counts ticks, and the time of an operation is the least count among the
 * processors.
 *
 * With HC_SCALE=25000 it runs 10^6 operations.
 *
 * Scheduling: alone
 */
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>

#include "cube.h"
#include "handles.h"
#include "ktap.h"
#include "splitmix.h"

#define CPUS_MAX	8
#define TICK_US		10000
/* Greatest number of ticks that an operation may last. */
#define TICKS_MAX	25
#define ELEMS		8

enum { BCAST = PLAN + 1, DOUBLING };

/**
 * struct shared - memory that the processes share
 * @ticks: for each processor, the number of ticks that its ticker has counted
 * @ncpus: number of processors
 * @slowest: time of the operation that took longest, in ticks
 * @stop: the tickers must exit
 */
struct shared {
	volatile uint64_t ticks[CPUS_MAX];
	unsigned int ncpus;
	volatile uint64_t slowest;
	volatile bool stop;
};

struct process {
	struct shared *shared;
	struct hcl *h;
	unsigned int node;
	uint64_t random;
};

/* Return: the output of the random number generator splitmix64 for the state @x. */
static uint64_t mix(uint64_t x)
{
	return hc_splitmix(&x);
}

/* Return: element @elem of the contribution of @node to operation @op. */
static uint64_t given(unsigned int op, unsigned int node, unsigned int elem)
{
	return mix((uint64_t)op << 20 | node << 8 | elem);
}

static uint64_t sum(unsigned int op, unsigned int elem)
{
	uint64_t s = 0;
	unsigned int u;

	for (u = 0; u < NODES; u++)
		s += given(op, u, elem);
	return s;
}

/* The ticker of processor @cpu: count ticks until it must stop. */
static void tick(struct shared *s, unsigned int cpu)
{
	const struct sched_param first = { .sched_priority = 1 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) ||
	    sched_setscheduler(0, SCHED_FIFO, &first))
		_exit(1);
	while (!s->stop) {
		usleep(TICK_US);
		s->ticks[cpu]++;
	}
	_exit(0);
}

/* Copy the current tick counts of all processors to @ticks. */
static void ticks_take(const struct shared *s, uint64_t *ticks)
{
	unsigned int i;

	for (i = 0; i < s->ncpus; i++)
		ticks[i] = s->ticks[i];
}

/* Record the time of an operation that has just ended. @since: the tick counts at its beginning. */
static void ticks_note(struct shared *s, const uint64_t *since)
{
	uint64_t least = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < s->ncpus; i++)
		if (s->ticks[i] - since[i] < least)
			least = s->ticks[i] - since[i];
	if (least > s->slowest)
		s->slowest = least;
}

/* Sleep for a random time: often 0, at most 1 ms, which is about as long as an operation takes. */
static void sleep_some(struct process *p)
{
	static const unsigned int longest[] = { 0, 0, 1, 50, 200, 1000 };
	unsigned int us;

	p->random = mix(p->random);
	us = longest[p->random % ARRAY_SIZE(longest)];
	if (us)
		usleep((p->random >> 32) % us);
}

static int sums_check(unsigned int op, const uint64_t *out)
{
	unsigned int i;

	for (i = 0; i < ELEMS; i++)
		if (out[i] != sum(op, i))
			return -EBADMSG;
	return 0;
}

static int from_root_check(unsigned int op, const uint64_t *out)
{
	unsigned int i;

	for (i = 0; i < ELEMS; i++)
		if (out[i] != given(op, 5, i))
			return -EBADMSG;
	return 0;
}

/* Run operation @op. All processes derive the same collective from its number. Return: 0 or -errno.
 */
static int one(struct process *p, unsigned int op)
{
	uint64_t in[ELEMS], out[ELEMS] = { 0 };
	struct hcl_params params = sum64;
	unsigned int i;
	int err;

	for (i = 0; i < ELEMS; i++)
		in[i] = given(op, p->node, i);
	switch (mix(op) % 6) {
	case 0:
		return hcl_barrier(p->h, PLAN, NULL);
	case 1:
		err = hcl_reduce(p->h, &sum64, in, sizeof(in), p->node ? NULL : out,
				 p->node ? 0 : sizeof(out), NULL);
		return err || p->node ? err : sums_check(op, out);
	case 2:
		err = hcl_bcast(p->h, BCAST, 5, p->node == 5 ? in : out, sizeof(in), 0, NULL);
		return err || p->node == 5 ? err : from_root_check(op, out);
	case 3:
		params.plan = DOUBLING;
		break;
	}
	err = hcl_allreduce(p->h, &params, in, sizeof(in), out, sizeof(out), NULL);
	return err ? err : sums_check(op, out);
}

static void run(struct process *p, unsigned int ops)
{
	uint64_t since[CPUS_MAX];
	unsigned int op;
	int err = hcl_open(&p->h, FABRIC, p->node);

	if (!err)
		hcl_set_timeout(p->h, (unsigned int)wait_secs(20) * 1000);
	for (op = 0; !err && op < ops; op++) {
		sleep_some(p);
		ticks_take(p->shared, since);
		err = one(p, op);
		ticks_note(p->shared, since);
		if (err)
			printf("# node %u, operation %u: %s\n", p->node, op, strerror(-err));
	}
	fflush(stdout);
	_exit(!!err);
}

/* Run @ops operations, with a process for each node and a ticker on each processor. */
static void sleepers(struct __test_metadata *_metadata, unsigned int ops)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t clock[CPUS_MAX], pid[NODES];
	unsigned int i;
	int status;

	ASSERT_TRUE(s != MAP_FAILED);
	ASSERT_TRUE(set_up_bcast());
	ASSERT_EQ(0, tool("doubling plan fabric " FABRIC " apply plan 3"));
	for (i = 0; i < NODES; i++)
		hcl_close(h[i]);
	s->ncpus = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	ASSERT_LE(s->ncpus, CPUS_MAX);
	for (i = 0; i < s->ncpus; i++) {
		clock[i] = fork();
		if (!clock[i])
			tick(s, i);
	}
	for (i = 0; i < NODES; i++) {
		struct process p = { .shared = s, .node = i, .random = mix(i) };

		pid[i] = fork();
		if (!pid[i])
			run(&p, ops);
	}
	for (i = 0; i < NODES; i++) {
		ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	s->stop = true;
	for (i = 0; i < s->ncpus; i++) {
		ASSERT_EQ(clock[i], waitpid(clock[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	printf("# %u operations, %u processors: the slowest took %u ms\n", ops, s->ncpus,
	       (unsigned int)s->slowest * TICK_US / 1000);
	/* On a kernel with debugging the module's code takes several times as long. */
	EXPECT_LE(s->slowest, (uint64_t)wait_secs(TICKS_MAX));
}

TEST(operations_continue_without_delay_despite_random_sleeps)
{
	sleepers(_metadata, scaled(4000));
}

TEST_HARNESS_MAIN
