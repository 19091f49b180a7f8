// SPDX-License-Identifier: GPL-2.0
/*
 * Runs of a program, one after another over the same plan. In each run there is a process at each
 * node, which contributes once and leaves; the processes do so in any order. The others wait for a
 * process that has not started, even if some processes of their run have left. A process that
 * leaves without having contributed ends the run that others have begun, and only this run. No sum
 * includes a contribution of another run.
 *
 * Scheduling: shared long
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define TESTS_TOGETHER
#include "cube.h"
#include "ktap.h"

#define PLAN 3
#define SINK 0
/* In this time, waiting members check twice whether they still have to wait (HC_STALL_TIME). */
#define LATE_MS 2200

/* Make a plan without node 6, in which members whose link is faulty have effective helpers. */
static int start(struct cube *c)
{
	int err = cube_new(c, 3, 0);

	if (!err)
		err = cube_fail_node(c, 6);
	if (!err)
		err = cube_fail_link(c, 1, 1);
	return err ? err : cube_plan_to(c, PLAN, SINK);
}

/* Return: true if node @u is a member of the plan. */
static bool takes_part(unsigned int u)
{
	return u != 6;
}

/* Contribute the number of the run and, in the lower 16 bits, 1 << @u, at node @u. */
static int give(struct cube *c, unsigned int u, unsigned int run)
{
	uint64_t v = (uint64_t)run << 16 | 1u << u;
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .bytes = 8,
	};
	ssize_t n = shc_send(c->fd[u], &op, &v, 8, 0);

	return n == 8 ? 0 : n < 0 ? (int)n : -EIO;
}

/* Start a process at node @u: it contributes and, unless it is the root's process, leaves. */
static int come(struct cube *c, unsigned int u, unsigned int run)
{
	int err = cube_bind(c, u);

	if (!err)
		err = give(c, u, run);
	if (u != SINK)
		cube_close(c, u);
	return err;
}

/* Call come() for each of the members @from to @to - 1. */
static int come_all(struct cube *c, unsigned int from, unsigned int to, unsigned int run)
{
	int err = 0;

	for (; from < to && !err; from++)
		if (takes_part(from))
			err = come(c, from, run);
	return err;
}

/* What result() has learnt: the node that caused the last failure, and the number of the last
 * operation.
 */
static unsigned int cause;
static uint64_t number;

/* Receive the result of a run at the root. Return: 0 if it is the right sum of the run, else an
 * error.
 */
static int result(struct cube *c, unsigned int run)
{
	uint64_t want = ((uint64_t)run << 16) * 7 + 0xbf, got = 0;
	struct hypercube_result res;
	ssize_t n = shc_recv_soon(c->fd[SINK], &got, 8, &res);

	if (n < 0)
		return (int)n;
	cause = res.cause_node;
	number = res.op;
	if (res.status)
		return res.status;
	if (n == 8 && got == want)
		return 0;
	printf("# run %u: %zd bytes, %llx, not %llx\n", run, n, (unsigned long long)got,
	       (unsigned long long)want);
	return -EBADMSG;
}

/* Wait until frames that are under way have arrived at their nodes. */
static void rest(void)
{
	poll(NULL, 0, debug_kernel() ? 500 : 100);
}

/* Close the sockets of all processes that have not left, which ends the run. */
static void leave_all(struct cube *c)
{
	unsigned int u;

	for (u = 0; u < c->nodes; u++)
		cube_close(c, u);
	rest();
}

static int whole_run(struct cube *c, unsigned int run)
{
	int err = come_all(c, 0, c->nodes, run);

	if (!err)
		err = result(c, run);
	leave_all(c);
	return err;
}

TEST_BOTH(run_waits_for_members_that_start_late, sink_is_late)
{
	unsigned int run, half;
	struct cube c;

	ASSERT_EQ(0, start(&c));
	half = c.nodes / 2;
	for (run = 1; run < 4; run++) {
		ASSERT_EQ(0, sink_is_late ? come_all(&c, half, c.nodes, run) :
					    come_all(&c, 0, half, run));
		poll(NULL, 0, LATE_MS);
		ASSERT_EQ(0, sink_is_late ? come_all(&c, 0, half, run) :
					    come_all(&c, half, c.nodes, run));
		EXPECT_EQ(0, result(&c, run));
		leave_all(&c);
	}
	EXPECT_EQ(0, cube_del(&c));
}

TEST_BOTH(run_fails_if_a_member_leaves_without_contributing, came_first)
{
	unsigned int run;
	struct cube c;

	ASSERT_EQ(0, start(&c));
	for (run = 1; run < 6; run += 2) {
		ASSERT_EQ(0, whole_run(&c, run));
		if (came_first)
			ASSERT_EQ(0, cube_bind(&c, 4));
		ASSERT_EQ(0, come_all(&c, 0, 4, run + 1));
		rest();
		if (!came_first)
			ASSERT_EQ(0, cube_bind(&c, 4));
		cube_close(&c, 4);
		EXPECT_EQ(-ECONNRESET, result(&c, run + 1));
		EXPECT_EQ(4, cause);
		leave_all(&c);
	}
	EXPECT_EQ(0, whole_run(&c, run));
	EXPECT_EQ(0, cube_del(&c));
}

/* All processes of a run leave before the run is complete, one of them before the operation of the
 * run has begun. This does not affect the next run.
 */
TEST(incomplete_run_whose_members_left_does_not_affect_the_next)
{
	unsigned int run;
	struct cube c;

	ASSERT_EQ(0, start(&c));
	for (run = 1; run < 6; run += 2) {
		ASSERT_EQ(0, cube_bind(&c, 4));
		ASSERT_EQ(0, cube_bind(&c, 5));
		cube_close(&c, 4);
		ASSERT_EQ(0, come_all(&c, 0, 3, run));
		rest();
		leave_all(&c);
		ASSERT_EQ(0, come_all(&c, 0, 4, run + 1));
		poll(NULL, 0, LATE_MS);
		ASSERT_EQ(0, come_all(&c, 4, c.nodes, run + 1));
		EXPECT_EQ(0, result(&c, run + 1));
		leave_all(&c);
	}
	EXPECT_EQ(0, cube_del(&c));
}

/* Return: number of operation numbers that one run takes if, @strangers times before it, processes
 * at all nodes have started and left without contributing; 0 on an error.
 */
static uint64_t numbers_taken(struct cube *c, unsigned int *run, unsigned int strangers)
{
	uint64_t before;
	unsigned int u;

	if (whole_run(c, (*run)++))
		return 0;
	before = number;
	while (strangers--) {
		for (u = 0; u < c->nodes; u++)
			if (takes_part(u) && cube_bind(c, u))
				return 0;
		for (u = 0; u < c->nodes; u++)
			cube_close(c, u);
	}
	/* Wait until the members have been notified that the processes have left. */
	rest();
	return whole_run(c, (*run)++) ? 0 : number - before;
}

/* Processes that leave without having contributed do not affect later runs. */
TEST(processes_that_contribute_nothing_do_not_affect_later_runs)
{
	unsigned int run = 1, i;
	uint64_t taken;
	struct cube c;

	ASSERT_EQ(0, start(&c));
	taken = numbers_taken(&c, &run, 0);
	ASSERT_LE(1, taken);
	for (i = 1; i < 8; i++)
		EXPECT_EQ(taken, numbers_taken(&c, &run, i));
	EXPECT_EQ(0, cube_del(&c));
}

/* A process that has not received the end of its run contributes again (@goes_on), or leaves, after
 * other processes have begun the next run, to which it does not belong. Its node cannot know to
 * which run a second contribution would belong, so the next run fails.
 */
TEST_BOTH(process_left_over_from_a_run_makes_the_next_run_fail, goes_on)
{
	struct hypercube_result res;
	unsigned int run;
	uint64_t none;
	struct cube c;

	ASSERT_EQ(0, start(&c));
	for (run = 1; run < 6; run += 2) {
		ASSERT_EQ(0, cube_bind(&c, 5));
		ASSERT_EQ(0, give(&c, 5, run));
		ASSERT_EQ(0, come_all(&c, 0, 5, run));
		ASSERT_EQ(0, come(&c, 7, run));
		EXPECT_EQ(0, result(&c, run));
		cube_close(&c, SINK);
		rest();
		ASSERT_EQ(0, come_all(&c, 0, 5, run + 1));
		rest();
		if (goes_on) {
			ASSERT_EQ(0, give(&c, 5, run));
			ASSERT_EQ(0, shc_recv_soon(c.fd[5], &none, 8, &res));
			EXPECT_EQ(-ECONNRESET, res.status);
		}
		cube_close(&c, 5);
		EXPECT_EQ(-ECONNRESET, result(&c, run + 1));
		EXPECT_EQ(5, cause);
		leave_all(&c);
	}
	EXPECT_EQ(0, whole_run(&c, run));
	EXPECT_EQ(0, cube_del(&c));
}

/* A late process contributes a second time in its run. This operation fails, since the processes
 * that have left will not contribute to it.
 */
TEST(second_contribution_of_late_process_fails_after_others_left)
{
	struct hypercube_result res;
	unsigned int run;
	uint64_t none;
	struct cube c;

	ASSERT_EQ(0, start(&c));
	for (run = 1; run < 4; run++) {
		ASSERT_EQ(0, come_all(&c, 0, 5, run));
		rest();
		ASSERT_EQ(0, cube_bind(&c, 5));
		ASSERT_EQ(0, give(&c, 5, run));
		ASSERT_EQ(0, give(&c, 5, run));
		ASSERT_EQ(0, come(&c, 7, run));
		EXPECT_EQ(0, result(&c, run));
		ASSERT_EQ(0, shc_recv_soon(c.fd[5], &none, 8, &res));
		EXPECT_EQ(-ECONNRESET, res.status);
		leave_all(&c);
	}
	EXPECT_EQ(0, whole_run(&c, run));
	EXPECT_EQ(0, cube_del(&c));
}

/* Write the members to @order in a random order. Return: number of members. */
static unsigned int order_draw(const struct cube *c, unsigned int *order)
{
	unsigned int n = 0, u, i, t;

	for (u = 0; u < c->nodes; u++)
		if (takes_part(u))
			order[n++] = u;
	for (i = n; i > 1; i--) {
		u = below(i);
		t = order[i - 1];
		order[i - 1] = order[u];
		order[u] = t;
	}
	return n;
}

/* Run with all @n members in the order @order. The process with index @dies in this order leaves
 * without having contributed; if @dies is @n, every process contributes. If a process is to leave,
 * the root's process contributes first; otherwise the process that leaves would not belong to a
 * run.
 */
static int drawn_run(struct cube *c, const unsigned int *order, unsigned int n, unsigned int dies,
		     unsigned int run)
{
	unsigned int i, u;
	int err = dies < n ? come(c, SINK, run) : 0;

	for (i = 0; i < n && !err; i++) {
		u = order[i];
		if (dies < n && u == SINK)
			continue;
		if (c->fd[u] < 0)
			err = cube_bind(c, u);
		if (!err && i != dies)
			err = give(c, u, run);
		if (i == dies || (u != SINK && below(2)))
			cube_close(c, u);
		if (!below(4))
			poll(NULL, 0, below(10));
	}
	/* Let the processes that have not left wait. If one of them contributes after the failure,
	 * its contribution ends when the process leaves, but only if it has reached the node by
	 * then; otherwise it would belong to the next run.
	 */
	if (dies < n)
		poll(NULL, 0, debug_kernel() ? 150 : 30);
	for (i = 0; i < n && dies < n; i++)
		if (order[i] != SINK)
			cube_close(c, order[i]);
	return err;
}

TEST(members_may_start_and_leave_a_run_in_any_order)
{
	unsigned int order[CUBE_MAX], run, n, dies, ended = 0, count = scaled(200) / stride() + 20;
	uint64_t took;
	struct cube c;
	int err;

	ASSERT_EQ(0, start(&c));
	for (run = 1; run <= count; run++) {
		n = order_draw(&c, order);
		dies = below(4) ? n : below(n);
		while (dies < n && order[dies] == SINK)
			dies = below(n);
		took = now_ms();
		ASSERT_EQ(0, drawn_run(&c, order, n, dies, run));
		took = now_ms() - took;
		err = result(&c, run);
		EXPECT_EQ(dies < n ? -ECONNRESET : 0, err);
		ended += !!err;
		leave_all(&c);
		/* On a very slow machine, contributions may have reached their nodes after the
		 * failure. They would belong to the next run if no new plan were installed.
		 */
		if (dies < n && took > 700)
			ASSERT_EQ(0, cube_install(&c, PLAN));
	}
	printf("# %u runs, of which %u were ended by a process that left\n", count, ended);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
