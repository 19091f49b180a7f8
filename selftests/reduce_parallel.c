// SPDX-License-Identifier: GPL-2.0
/*
 * Each member has a process of its own, so that the polls of the nodes run on all processors at the
 * same time. Without faults, every sum must be right and in order. In other tests another process
 * fails links and nodes and changes plans at the same time: each contribution must end once, and
 * each sum must include every member of one plan exactly once.
 *
 * Scheduling: shared
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cube.h"
#include "ktap.h"

#define PLAN 1
#define MASKS_MAX 4096
/* Number of operations that a member has under way. */
#define WINDOW 24

/**
 * struct shared - memory that the processes share
 * @masks: member masks of all plans so far
 * @nmasks: number of entries of @masks
 * @stop: the members must begin no more operations
 * @sums: number of right sums that members have received
 */
struct shared {
	volatile uint64_t masks[MASKS_MAX];
	volatile unsigned int nmasks;
	volatile bool stop;
	volatile unsigned int sums;
};

/* The task of a member's process: to run operations of @bytes for @rounds rounds; 0: until the test
 * ends.
 */
struct member {
	struct cube *cube;
	struct shared *shared;
	unsigned int node;
	size_t bytes;
	unsigned int rounds;
};

static bool mask_known(const struct shared *s, uint64_t mask)
{
	unsigned int i;

	for (i = 0; i < s->nmasks; i++)
		if (s->masks[i] == mask)
			return true;
	return false;
}

/* Return: true if a settled job has at most one end, and no wrong sum. In a test without faults the
 * job must also have succeeded, as operation @nr.
 */
static bool job_right(const struct member *m, const struct job *j, uint64_t nr)
{
	const uint64_t *out = j->out;

	if (j->ends > 1 || (m->rounds && (j->refused || j->res.status || j->res.op != nr)))
		return false;
	if (!j->got || j->res.status)
		return true;
	__sync_fetch_and_add(&m->shared->sums, 1);
	return j->got == m->bytes && mask_known(m->shared, out[0]);
}

static void job_make(const struct member *m, struct job *j, const uint64_t *in, uint64_t *out)
{
	*j = (struct job){
		.op = {
			.plan = PLAN, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
			.type = HYPERCUBE_U64, .flags = HYPERCUBE_F_NOTIFY, .bytes = m->bytes,
		},
		.in = in, .out = out, .room = sizeof(*out), .waits = true,
	};
}

/* Run rounds of WINDOW operations: @m->rounds of them or, if this is 0, until the test ends.
 * Return: the exit status of the process.
 */
static int member_run(const struct member *m, uint64_t *in)
{
	uint64_t out[WINDOW], nr = 0;
	struct job job[WINDOW];
	unsigned int k, round;

	for (round = 0; m->rounds ? round < m->rounds : !m->shared->stop; round++) {
		struct party p = {
			.fd = m->cube->fd[m->node], .job = job, .njobs = WINDOW,
			.base = (uint64_t)round * WINDOW,
		};

		for (k = 0; k < WINDOW; k++)
			job_make(m, &job[k], in, &out[k]);
		while (!drive_done(&p, 1)) {
			/* When the test ends, it removes the plan, which ends all pending
			 * operations, so that all jobs settle.
			 */
			if (drive(&p, 1, 2) && m->shared->stop && drive(&p, 1, 10)) {
				printf("# node %u: %u of %u settled\n", m->node, p.settled, WINDOW);
				return 2;
			}
		}
		for (k = 0; k < WINDOW; k++)
			if (!job_right(m, &job[k], nr++)) {
				printf("# node %u round %u: %u ends, status %d, refused %d, sum %llx, %zu bytes\n",
				       m->node, round, job[k].ends, job[k].res.status,
				       job[k].refused, (unsigned long long)out[k], job[k].got);
				return 1;
			}
		if (p.strays)
			return 3;
		/* There is no plan, or the node is no member: wait some time before the next round.
		 */
		if (job[WINDOW - 1].refused)
			usleep(5000);
	}
	return 0;
}

static pid_t member_start(struct member *m)
{
	uint64_t *in = calloc(1, m->bytes);
	pid_t pid = fork();
	size_t i;

	if (pid) {
		free(in);
		return pid;
	}
	for (i = 0; i < m->bytes / sizeof(*in); i++)
		in[i] = 1ull << m->node;
	/* Close all sockets except that of this member. */
	for (i = 0; i < m->cube->nodes; i++)
		if (i != m->node)
			cube_close(m->cube, (unsigned int)i);
	i = (size_t)member_run(m, in);
	fflush(stdout);
	_exit((int)i);
}

/* Add the set @mask of members to those of plans so far, unless it is one of them. */
static void mask_note(struct shared *s, uint64_t mask)
{
	if (!mask_known(s, mask) && s->nmasks < MASKS_MAX) {
		s->masks[s->nmasks] = mask;
		__sync_synchronize();
		s->nmasks++;
	}
}

/* Install a plan around the faults. Add its members to @s->masks before it is installed, since
 * members may use the plan before the call returns.
 */
static int replan(struct cube *c, struct shared *s)
{
	struct hc_tree_req req = { .method = HC_TREE_EXACT, .sink = HC_ANY_SINK };
	struct hc_tree_plan plan;
	const char *why;
	unsigned int u;
	uint64_t mask = 0;

	if (hc_plan_tree(c->faults, &req, &plan, &why))
		return 0;
	for (u = 0; u < c->nodes; u++)
		if (hc_set_has(plan.tree.members, u))
			mask |= 1ull << u;
	hc_tree_plan_free(&plan);
	mask_note(s, mask);
	return cube_plan(c, PLAN);
}

/* Fail a random link or a random node, let all faults recover, or replace or remove the plan. */
static int trouble(struct cube *c, struct shared *s)
{
	unsigned int node, dim;
	int err = 0;

	cube_link(c, below(c->dim * c->nodes / 2), &node, &dim);
	switch (below(6)) {
	case 0:
		err = cube_fail_link(c, node, dim);
		break;
	case 1:
		err = cube_fail_node(c, node);
		break;
	case 2:
		err = cube_heal(c);
		break;
	case 3:
		ctl_plan_del(c->name, PLAN);
		break;
	}
	usleep(below(20000));
	return err ? err : replan(c, s);
}

/* Run @rounds rounds without faults, or, if @rounds is 0, for some seconds while faults occur. */
static void parallel(struct __test_metadata *_metadata, unsigned int dim, size_t bytes,
		     unsigned int rounds)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t end, last;
	struct cube c;
	pid_t pid[64];
	unsigned int u, plans = 1;
	int status;

	ASSERT_EQ(0, cube_bound(&c, dim, 0));
	ASSERT_EQ(0, replan(&c, s));
	for (u = 0; u < c.nodes; u++) {
		struct member m = {
			.cube = &c, .shared = s, .node = u, .bytes = bytes, .rounds = rounds,
		};

		pid[u] = member_start(&m);
	}
	end = deadline(debug_kernel() || scaled(2) > 1 ? 3 : 1);
	last = deadline(10);
	for (; !rounds && (now_ms() < end || (!s->sums && now_ms() < last)); plans++)
		ASSERT_EQ(0, trouble(&c, s));
	s->stop = true;
	if (!rounds) {
		/* Some processes wait for processes that have ended. Remove the plan to end their
		 * operations.
		 */
		usleep(100000);
		ctl_plan_del(c.name, PLAN);
	}
	for (u = 0; u < c.nodes; u++) {
		ASSERT_EQ(pid[u], waitpid(pid[u], &status, 0));
		EXPECT_EQ(0, status);
	}
	printf("# %u sums, %u plans\n", s->sums, plans);
	EXPECT_LE(1, s->sums);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(sums_of_eight_processes_are_right_without_faults)
{
	parallel(_metadata, 3, 8, scaled(100));
}

TEST(long_sums_of_eight_processes_are_right_without_faults)
{
	parallel(_metadata, 3, 100000, scaled(40));
}

TEST(sums_of_eight_processes_are_right_while_faults_occur)
{
	parallel(_metadata, 3, 8, 0);
}

TEST(sums_of_sixteen_processes_are_right_while_faults_occur)
{
	parallel(_metadata, 4, 24, 0);
}

TEST(long_sums_of_eight_processes_are_right_while_faults_occur)
{
	parallel(_metadata, 3, 100000, 0);
}

TEST_HARNESS_MAIN
