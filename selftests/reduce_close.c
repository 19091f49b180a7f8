// SPDX-License-Identifier: GPL-2.0
/*
 * Two members close their sockets at the same moment, while all members have operations under way.
 * The edges of the plan form cycles, in which the notification of a failure could go round for
 * ever: it is either a tree in which a node with a faulty link has three effective helpers, or a
 * plan of recursive doubling, where each edge is in a cycle. Every member gets the end of every
 * operation, no notification goes round for ever, and the next operation has the right result. This
 * happens many times with the same plan.
 *
 * Scheduling: shared
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define TESTS_TOGETHER
#include "cube.h"
#include "ktap.h"

#define PLAN 7
#define JOBS 200

static int tree(struct cube *c)
{
	int err = cube_fail_node(c, 6);

	if (!err)
		err = cube_fail_link(c, 0, 0);
	if (!err)
		err = cube_fail_link(c, 9, 3);
	if (!err)
		err = cube_fail_link(c, 5, 2);
	return err ? err : cube_plan(c, PLAN);
}

/* Bind all members, and let them contribute once, so that each is notified when another member
 * leaves after that. An operation that fails because of a member that left earlier is begun again.
 */
static int begin(struct cube *c, bool doubling)
{
	int err = cube_bind_all(c);

	if (!err)
		err = doubling ? cube_allreduce_again(c, PLAN) : cube_reduce_again(c, PLAN);
	return err;
}

static int start(struct cube *c, bool doubling)
{
	int err = cube_new(c, doubling ? 3 : 4, 0);

	if (!err)
		err = doubling ? cube_doubling(c, PLAN, 7, 0) : tree(c);
	return err ? err : begin(c, doubling);
}

static void jobs_fill(const struct cube *c, struct party *p, const unsigned int *node,
		      unsigned int n, unsigned int collective, uint64_t *in)
{
	unsigned int i, k;

	for (i = 0; i < n; i++) {
		in[i] = 1ull << node[i];
		for (k = 0; k < JOBS; k++) {
			struct job *j = &p[i].job[k];

			j->op = (struct hypercube_op){
				.plan = PLAN, .collective = collective, .bytes = 8,
				.oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64,
			};
			j->in = &in[i];
			j->waits = collective == HYPERCUBE_ALLREDUCE ||
				   node[i] == c->plan.tree.sink;
		}
	}
}

/* Close the sockets of two random members. */
static void blow(struct cube *c, struct party *p, const unsigned int *node, unsigned int n)
{
	unsigned int a = below(n), b = (a + 1 + below(n - 1)) % n;

	cube_close(c, node[a]);
	cube_close(c, node[b]);
	p[a].fd = -1;
	p[b].fd = -1;
}

/* Return: true if no member waits, and all have the same next operation number. This is the case
 * when each member has been notified of every failure.
 */
static bool rests(const struct cube *c)
{
	uint64_t next = UINT64_MAX;
	struct wait_view v;
	unsigned int u;

	for (u = 0; u < c->nodes; u++) {
		if (!cube_member(c, u))
			continue;
		if (ctl_op_get(c->name, PLAN, u, &v) || v.wait != HYPERCUBE_WAIT_NOTHING ||
		    (next != UINT64_MAX && v.next != next))
			return false;
		next = v.next;
	}
	return true;
}

/* Wait until rests() is true. Return: 0 or -ETIMEDOUT. */
static int at_rest(const struct cube *c)
{
	uint64_t end = deadline(10);

	while (!rests(c)) {
		if (now_ms() > end)
			return -ETIMEDOUT;
		usleep(10000);
	}
	return 0;
}

/* Drive all parties until they have the ends of all their operations; then the process of a party
 * leaves. A member that is notified of a failure begins no more operations, since these would wait
 * for members that are bound after this. Return: 0 or -ETIMEDOUT.
 */
static int drive_out(struct cube *c, struct party *p, const unsigned int *node, unsigned int n)
{
	uint64_t end = deadline(20);
	unsigned int i;

	while (!drive_done(p, n)) {
		for (i = 0; i < n; i++)
			if (p[i].fd >= 0 && drive_done(&p[i], 1)) {
				cube_close(c, node[i]);
				p[i].fd = -1;
			}
		if (drive_once(p, n))
			continue;
		if (now_ms() > end)
			return -ETIMEDOUT;
		poll(NULL, 0, 1);
	}
	return 0;
}

static void unreported_print(const struct party *p, const unsigned int *node, unsigned int n)
{
	unsigned int i, k;

	for (i = 0; i < n; i++) {
		unsigned int sent = 0, first = JOBS, ends = 0;

		for (k = 0; k < JOBS; k++) {
			const struct job *j = &p[i].job[k];

			sent += j->sent == j->op.bytes;
			ends += j->ends || j->refused;
			if (j->waits && !j->ends && !j->refused && first == JOBS)
				first = k;
		}
		printf("# node %u: socket %d, %u contributions sent, %u ends, waits for the end of %u\n",
		       node[i], p[i].fd, sent, ends, first);
	}
}

/* Run a round: two members leave while operations are under way. Return: true if all operations end
 * as they must and the members come to rest.
 */
static bool round_right(struct cube *c, unsigned int collective, bool doubling)
{
	unsigned int node[CUBE_MAX], n, i, u;
	struct party p[CUBE_MAX];
	uint64_t in[CUBE_MAX];
	int err;

	n = parties(c, p, node, JOBS);
	jobs_fill(c, p, node, n, collective, in);
	drive_stop_failed(p, n);
	for (i = below(6); i; i--)
		drive_some(p, n, 1 + below(20));
	blow(c, p, node, n);
	if (below(2)) {
		drive_some(p, n, 1 + below(5));
		u = below(n);
		cube_close(c, node[u]);
		p[u].fd = -1;
	}
	err = drive_out(c, p, node, n);
	if (err) {
		printf("# not everybody heard of all ends\n");
		unreported_print(p, node, n);
		ctl_op_print(c->name);
	}
	parties_free(p, n);
	/* The remaining members have begun different numbers of operations, so close all sockets.
	 */
	for (u = 0; u < c->nodes; u++)
		cube_close(c, u);
	/* Contributions that closed sockets have not made are cancelled when other members probe
	 * for them.
	 */
	if (!err && at_rest(c)) {
		printf("# no rest after all have left\n");
		ctl_op_print(c->name);
		err = -ETIMEDOUT;
	}
	if (!err)
		err = begin(c, doubling);
	if (err)
		printf("# error %d\n", err);
	return !err;
}

/* Run @rounds rounds. @variant: number of random numbers to skip, so that tests that run at the
 * same time use different ones.
 */
static void test(struct __test_metadata *_metadata, unsigned int collective, bool doubling,
		 unsigned int rounds, unsigned int variant)
{
	struct cube c;
	unsigned int i;

	while (variant--)
		below(1);
	ASSERT_EQ(0, start(&c, doubling));
	for (i = 0; i < scaled(rounds) && !test_failed(_metadata); i++)
		EXPECT_TRUE(round_right(&c, collective, doubling));
	if (test_failed(_metadata))
		ctl_op_print(c.name);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(reductions_end_at_all_members_when_two_members_close)
{
	test(_metadata, HYPERCUBE_REDUCE, false, 2, 0);
}

TEST(reductions_end_when_members_close_with_second_random_sequence)
{
	test(_metadata, HYPERCUBE_REDUCE, false, 2, 100);
}

TEST(allreduces_end_at_all_members_when_two_members_close)
{
	test(_metadata, HYPERCUBE_ALLREDUCE, false, 2, 200);
}

TEST(allreduces_end_when_members_close_with_second_random_sequence)
{
	test(_metadata, HYPERCUBE_ALLREDUCE, false, 2, 300);
}

TEST(recursive_doubling_ends_at_all_members_when_two_members_close)
{
	test(_metadata, HYPERCUBE_ALLREDUCE, true, 8, 400);
}

TEST_HARNESS_MAIN
