// SPDX-License-Identifier: GPL-2.0
/*
 * Faults during recursive doubling: failed links and nodes, closed sockets, contributions that do
 * not match, losses and silent members. Operations end with definite errors at every member, and
 * the next operations succeed.
 *
 * Scheduling: shared
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "allreduce_types.h"
#include "ktap.h"

#define PLAN 1
#define MS 1000000ull

static void jobs_fill(struct party *p, unsigned int n, unsigned int njobs, uint64_t *in,
		      uint64_t *out, size_t bytes)
{
	unsigned int i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < njobs; k++) {
			struct job *j = &p[i].job[k];

			j->op = (struct hypercube_op){
				.plan = PLAN, .collective = HYPERCUBE_ALLREDUCE, .bytes = bytes,
				.oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64,
			};
			j->in = &in[i];
			j->period = 8;
			j->out = &out[(size_t)i * njobs + k];
			j->room = 8;
			j->waits = true;
		}
}

static bool any_ended(const struct party *p, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (p[i].njobs && p[i].job[0].ends)
			return true;
	return false;
}

/* Return: true if the failure @res has the right cause: the failed link (@how 0) or the closed
 * socket (2). When a node fails (1), its neighbours report different causes, so any is right.
 */
static bool fair(const struct hypercube_result *res, unsigned int how)
{
	if (how == 1)
		return true;
	return (res->cause_node & ~(how ? 0 : 4)) == 10 &&
	       (res->status == (how ? -ECONNRESET : -ENOLINK) || res->status == -ECANCELED);
}

/* Check the ends of all operations; those that succeeded must have the sum @want. Return: number of
 * ends with an error.
 */
static unsigned int failures(struct __test_metadata *_metadata, const struct party *p,
			     unsigned int n, uint64_t want, unsigned int how)
{
	unsigned int failed = 0, i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < p[i].njobs && p[i].fd >= 0 && !test_failed(_metadata); k++) {
			const struct job *j = &p[i].job[k];

			failed += !j->ends || j->res.status;
			if (j->ends && !j->res.status) {
				EXPECT_EQ(j->op.bytes, j->got);
				EXPECT_EQ(want, *(const uint64_t *)j->out);
			} else if (j->ends) {
				EXPECT_TRUE(fair(&j->res, how));
			}
		}
	return failed;
}

/* A link fails (@how 0), a node fails (1), or a member closes its socket (2) while many operations
 * with contributions of @bytes are under way. Every member is notified of every end, operations
 * that succeed have the right sum, and a new plan works.
 */
static void blow(struct __test_metadata *_metadata, unsigned int how, size_t bytes)
{
	/* Run few operations if they are long: only few of these are under way at a time, and after
	 * a close one of them fails each second.
	 */
	const unsigned int njobs = bytes > 8 ? 5 : 150;
	unsigned int node[CUBE_MAX], n, i, k, good = 0;
	uint64_t in[CUBE_MAX], *out, want = 0;
	struct party p[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 4, 0));
	/* A process that leaves before it has contributed for the first time does not break a plan,
	 * so let all processes take part in one operation first.
	 */
	ASSERT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	n = parties(&c, p, node, njobs);
	out = calloc((size_t)n * njobs, sizeof(*out));
	for (i = 0; i < n; i++)
		want += in[i] = 1ull << node[i];
	jobs_fill(p, n, njobs, in, out, bytes);
	/* Drive the members until some operations have ended. Long operations need not end. */
	for (k = 0; k < 3 || (bytes <= 8 && k < 15 && !any_ended(p, n)); k++) {
		drive_some(p, n, 7);
		usleep(k < 3 ? 0 : 100000);
	}
	switch (how) {
	case 0:
		ASSERT_EQ(0, cube_fail_link(&c, 10, 2));
		break;
	case 1:
		ASSERT_EQ(0, cube_fail_node(&c, 10));
		break;
	default:
		cube_close(&c, 10);
		p[10].fd = -1;
	}
	drive_stop_failed(p, n);
	EXPECT_EQ(0, drive_ended(p, n, 30, &good));
	EXPECT_GT(failures(_metadata, p, n, want, how), 0);
	/* Long operations had only just begun, so perhaps none of them has succeeded. */
	EXPECT_GT(good + (bytes > 8), 0);
	if (test_failed(_metadata))
		ctl_op_print(c.name);
	printf("# %u of %u ended well\n", good, n * njobs);
	free(out);
	parties_free(p, n);
	/* The members have begun different numbers of operations, so bind all sockets again. */
	ASSERT_EQ(0, cube_rebind_all(&c));
	ASSERT_EQ(0, how < 2 ? cube_doubling(&c, PLAN, 13, 0) : 0);
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(many_allreduces_end_with_sum_or_error_when_link_fails)
{
	blow(_metadata, 0, 8);
}

TEST(long_allreduces_end_with_sum_or_error_when_link_fails)
{
	blow(_metadata, 0, 1 << 20);
}

TEST(many_allreduces_end_with_sum_or_error_when_node_fails)
{
	blow(_metadata, 1, 8);
}

TEST(many_allreduces_end_with_sum_or_error_when_member_closes)
{
	blow(_metadata, 2, 8);
}

TEST(long_allreduces_end_with_sum_or_error_when_member_closes)
{
	blow(_metadata, 2, 1 << 20);
}

/* A process leaves after it has contributed. Its contribution remains valid, and the other
 * processes get their results.
 */
TEST(contribution_stays_valid_when_its_process_closes_afterwards)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLREDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .bytes = 8,
	};
	struct hypercube_result res;
	struct cube c;
	uint64_t one = 1, sum;
	struct wait_view v;
	unsigned int u;
	char buf;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 3, 0));
	for (u = 0; u < 7; u++)
		ASSERT_EQ(8, shc_send(c.fd[u], &op, &one, 8, 0));
	cube_close(&c, 3);
	ASSERT_EQ(8, shc_send(c.fd[7], &op, &one, 8, 0));
	for (u = 0; u < 8; u++) {
		if (u == 3)
			continue;
		ASSERT_EQ(8, shc_recv_soon(c.fd[u], &sum, 8, &res));
		EXPECT_EQ(0, res.status);
		EXPECT_EQ(8, sum);
	}
	/* The process that has left is missing only in the next operation: the others get an error
	 * when they contribute to it.
	 */
	EXPECT_EQ(0, ctl_op_get(c.name, PLAN, 0, &v));
	EXPECT_EQ(1, v.next);
	for (u = 0; u < 7; u++)
		if (u != 3)
			ASSERT_EQ(8, shc_send(c.fd[u], &op, &one, 8, 0));
	for (u = 0; u < 7; u++) {
		if (u == 3)
			continue;
		EXPECT_EQ(0, shc_recv_soon(c.fd[u], &buf, 1, &res));
		EXPECT_EQ(-ECONNRESET, res.status);
		EXPECT_EQ(3, res.cause_node);
	}
	ASSERT_EQ(0, cube_rebind_all(&c));
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	EXPECT_EQ(0, cube_del(&c));
}

/* Receive the end of the next operation. Return: 0, the operation's error, or -EBADMSG if its sum
 * is not @want.
 */
static int ends_with(int fd, uint64_t want)
{
	struct hypercube_result res;
	uint64_t sum = 0;
	ssize_t n = shc_recv_soon(fd, &sum, sizeof(sum), &res);

	if (n < 0)
		return n;
	return res.status ? res.status : sum == want ? 0 : -EBADMSG;
}

/* The process at node 2 leaves before any frame of the first operation has arrived at its node. The
 * first operation fails for another reason, and the next one because the process is missing.
 */
TEST(closed_process_fails_next_operation_after_unrelated_failure)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLREDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .bytes = 8,
	}, other = op;
	const uint64_t one = 1;
	unsigned int u;
	struct cube c;

	other.oper = HYPERCUBE_MAX;
	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 2, 0));
	ASSERT_EQ(8, shc_send(c.fd[0], &op, &one, 8, 0));
	cube_close(&c, 2);
	ASSERT_EQ(8, shc_send(c.fd[1], &other, &one, 8, 0));
	for (u = 0; u < 2; u++)
		EXPECT_EQ(-EPROTO, ends_with(c.fd[u], 0));
	for (u = 0; u < 2; u++)
		ASSERT_EQ(8, shc_send(c.fd[u], &op, &one, 8, 0));
	for (u = 0; u < 2; u++)
		EXPECT_EQ(-ECONNRESET, ends_with(c.fd[u], 0));
	EXPECT_EQ(0, cube_del(&c));
}

/* A member skips the numbers of operations that have failed, while a peer still works on earlier
 * operations. The peer receives frames of the operation after the skipped numbers, and must accept
 * them.
 */
TEST(frames_of_member_that_skipped_failed_operations_are_accepted)
{
	const struct impairments late = { .delay = 1000 * MS };
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLREDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .bytes = 8,
	};
	static const unsigned int slow[] = { 0, 2 };
	const uint64_t one = 1;
	unsigned int u, i;
	struct cube c;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 2, 0));
	ASSERT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	/* In the second stage, nodes 0 and 2 wait for each other over the slow link, and nodes 1
	 * and 3 do not wait.
	 */
	ASSERT_EQ(0, ctl_link_impair(c.name, 0, 1, &late));
	for (u = 0; u < 4; u++)
		ASSERT_EQ(8, shc_send(c.fd[u], &op, &one, 8, 0));
	EXPECT_EQ(0, ends_with(c.fd[1], 4));
	EXPECT_EQ(0, ends_with(c.fd[3], 4));
	cube_close(&c, 3);
	ASSERT_EQ(0, cube_bind(&c, 3));
	ASSERT_EQ(8, shc_send(c.fd[1], &op, &one, 8, 0));
	ASSERT_EQ(8, shc_send(c.fd[3], &op, &one, 8, 0));
	EXPECT_EQ(-ECONNRESET, ends_with(c.fd[1], 0));
	ASSERT_EQ(8, shc_send(c.fd[1], &op, &one, 8, 0));
	for (i = 0; i < ARRAY_SIZE(slow); i++) {
		u = slow[i];
		EXPECT_EQ(0, ends_with(c.fd[u], 4));
		ASSERT_EQ(8, shc_send(c.fd[u], &op, &one, 8, 0));
		EXPECT_EQ(-ECONNRESET, ends_with(c.fd[u], 0));
		ASSERT_EQ(8, shc_send(c.fd[u], &op, &one, 8, 0));
	}
	for (u = 0; u < 4; u++)
		EXPECT_EQ(0, ends_with(c.fd[u], 4));
	EXPECT_EQ(0, cube_del(&c));
}

/* If members pass different lengths, all of them get an error. */
TEST(different_contribution_lengths_fail_at_all_members)
{
	unsigned int node[CUBE_MAX], n, i;
	uint64_t in[CUBE_MAX], out[CUBE_MAX];
	struct party p[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 3, 0));
	/* Only members that have taken part in an operation are notified of later failures. */
	ASSERT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	n = parties(&c, p, node, 1);
	memset(in, 0, sizeof(in));
	jobs_fill(p, n, 1, in, out, 8);
	p[6].job[0].op.bytes = 16;
	EXPECT_EQ(0, drive(p, n, 10));
	for (i = 0; i < n; i++) {
		EXPECT_EQ(1, p[i].job[0].ends);
		EXPECT_EQ(-EPROTO, p[i].job[0].res.status);
	}
	parties_free(p, n);
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	EXPECT_EQ(0, cube_del(&c));
}

/* --- bad links --- */

TEST(duplicates_and_jitter_change_neither_results_nor_modelled_time)
{
	const struct impairments bad = {
		.duplicate = 500000, .delay = 2 * MS, .jitter = 2 * MS, .seed = 9,
	};
	struct kind k = { HYPERCUBE_SUM, HYPERCUBE_F64, 0 };
	struct hypercube_result res;
	struct link_sums s;
	struct cube c;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 3, 4096));
	ASSERT_EQ(0, cube_impair(&c, &bad));
	/* The modelled time is that of three stages, each with the delay of one link. */
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, &res));
	EXPECT_GE(res.time, 6 * MS);
	EXPECT_GE(6 * MS + 100000, res.time);
	EXPECT_EQ(0, kinds_run(&c, PLAN, &k, 1, 4000));
	ASSERT_EQ(0, ctl_link_sums(c.name, &s));
	EXPECT_GT(s.duplicate, 0);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(link_that_delivers_no_frames_fails_allreduce_with_enolink)
{
	const struct impairments bad = { .loss = 1000000 };
	const struct hypercube_op op = {
		.collective = HYPERCUBE_ALLREDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .bytes = 8,
	};
	uint64_t in[4] = { 0 }, out[4];
	struct cube c;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 2, 0));
	ASSERT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	ASSERT_EQ(0, ctl_link_impair(c.name, 1, 1, &bad));
	EXPECT_EQ(-ENOLINK, allreduce_once(&c, PLAN, &op, (char *)in, (char *)out));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
