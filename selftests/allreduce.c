// SPDX-License-Identifier: GPL-2.0
/*
 * Allreduce and barrier: every member gets the result of the reference computation, bit for bit,
 * also around faults. A barrier blocks all members until the last one has entered it.
 *
 * Scheduling: shared
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "allreduce_types.h"
#include "ktap.h"

#define PLAN 1

/* Make a cube with a plan. @faults: fail some links first, so that, of the members whose link to
 * their destination is faulty, some have effective helpers and one has none.
 */
static int cube_ready(struct cube *c, unsigned int dim, bool faults, unsigned int segment)
{
	static const unsigned int links[][2] = { {0, 0}, {6, 1}, {9, 2}, {12, 3}, {3, 0} };
	int err = cube_new(c, dim, segment);
	unsigned int i;

	for (i = 0; i < 5 && !err && faults; i++)
		err = cube_fail_link(c, links[i][0], links[i][1]);
	if (!err)
		err = cube_plan(c, PLAN);
	return err ? err : cube_bind_all(c);
}

TEST(every_member_gets_bit_exact_result_for_all_operators_and_types)
{
	struct kind k[KINDS_MAX];
	unsigned int nk = kinds_all(k);
	struct cube c;

	ASSERT_EQ(0, cube_ready(&c, 3, false, 256));
	EXPECT_EQ(0, kinds_run(&c, PLAN, k, nk, 37));
	EXPECT_EQ(0, cube_del(&c));
	ASSERT_EQ(0, cube_ready(&c, 4, true, 256));
	EXPECT_EQ(0, kinds_run(&c, PLAN, k, nk, 1));
	EXPECT_EQ(0, kinds_run(&c, PLAN, k, nk, 137));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(allreduce_of_zero_bytes_to_a_megabyte_gives_right_result)
{
	static const size_t counts[] = { 0, 1, 63, 64, 65, 2047, 2048, 2049, 8192, 1 << 17 };
	struct kind k = { HYPERCUBE_SUM, HYPERCUBE_F64, 0 };
	struct cube c;
	unsigned int i;

	ASSERT_EQ(0, cube_ready(&c, 4, true, 0));
	for (i = 0; i < ARRAY_SIZE(counts) && !test_failed(_metadata); i++)
		EXPECT_EQ(0, kinds_run(&c, PLAN, &k, 1, counts[i]));
	EXPECT_EQ(0, cube_del(&c));
}

static void sum_fill(struct job *j, const uint64_t *in, uint64_t *out)
{
	j->op = (struct hypercube_op){
		.plan = PLAN, .collective = HYPERCUBE_ALLREDUCE, .bytes = sizeof(*in),
		.oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64,
	};
	j->in = in;
	j->out = out;
	j->room = sizeof(*out);
	j->waits = true;
}

/* Run one allreduce of eight bytes on a plan around the current faults, and check the result and
 * the number of steps.
 */
static bool around(struct cube *c)
{
	unsigned int node[CUBE_MAX], n, i, steps = 0;
	uint64_t in[CUBE_MAX], out[CUBE_MAX], want = 0;
	struct party p[CUBE_MAX];
	int err = cube_plan(c, PLAN);
	bool right = true;

	if (err)
		return err == -EHOSTDOWN || err == -ENOLINK;
	n = parties(c, p, node, 1);
	for (i = 0; i < n; i++) {
		in[i] = 1 + rnd() % 1000 + ((uint64_t)node[i] << 40);
		want += in[i];
		sum_fill(&p[i].job[0], &in[i], &out[i]);
	}
	err = drive(p, n, 20);
	for (i = 0; i < n; i++) {
		right &= !err && p[i].job[0].ends == 1 && !p[i].job[0].res.status &&
			 out[i] == want;
		if (p[i].job[0].res.steps > steps)
			steps = p[i].job[0].res.steps;
	}
	if (c->plan.tree.ndetours ? steps < 2 * c->plan.steps : steps != 2 * c->plan.steps) {
		printf("# %u steps for twice %u\n", steps, c->plan.steps);
		right = n == 1 && !steps;
	}
	if (!right)
		printf("# error %d\n", err);
	parties_free(p, n);
	return right;
}

TESTS_AROUND(around, scaled(40))

/* Run reductions, allreduces and barriers in turn on one plan. */
TEST(reduces_allreduces_and_barriers_in_flight_do_not_mix)
{
	const unsigned int njobs = scaled(1500);
	unsigned int node[CUBE_MAX], n, i, k;
	struct party p[CUBE_MAX];
	uint64_t in[CUBE_MAX], want = 136;
	struct cube c;

	ASSERT_EQ(0, cube_ready(&c, 4, true, 0));
	n = parties(&c, p, node, njobs);
	for (i = 0; i < n; i++)
		for (k = 0; k < njobs; k++) {
			struct job *j = &p[i].job[k];
			bool barrier = k % 5 == 2, all = k % 3;

			in[i] = node[i] + 1;
			j->op = (struct hypercube_op){
				.plan = PLAN, .bytes = barrier ? 0 : 8,
				.collective = barrier ? HYPERCUBE_BARRIER :
					      all ? HYPERCUBE_ALLREDUCE : HYPERCUBE_REDUCE,
				.oper = barrier ? 0 : HYPERCUBE_SUM,
				.type = barrier ? 0 : HYPERCUBE_U64,
			};
			j->in = &in[i];
			j->waits = barrier || all || node[i] == c.plan.tree.sink;
			j->expect = barrier ? NULL : &want;
		}
	EXPECT_EQ(0, drive_well(p, n, 60));
	for (i = 0; i < n; i++)
		for (k = 0; k < njobs; k++)
			EXPECT_EQ(p[i].job[k].waits ? k : 0, p[i].job[k].res.op);
	if (test_failed(_metadata))
		ctl_op_print(c.name);
	parties_free(p, n);
	EXPECT_EQ(0, cube_del(&c));
}

/* Wait until the socket is readable, then receive from it. The result may arrive after the sender's
 * call has returned, because a NAPI poll with much work continues in the background.
 */
static ssize_t recv_soon(int fd, void *buf, size_t len, struct hypercube_result *res, bool *eor)
{
	readable(fd, 5);
	return shc_recv(fd, buf, len, res, eor, 0);
}

TEST(barrier_blocks_all_members_until_the_last_one_enters)
{
	struct hypercube_op op = { .plan = PLAN, .collective = HYPERCUBE_BARRIER };
	unsigned int u, round, last;
	struct hypercube_result res;
	struct cube c;
	bool eor;
	char buf;

	ASSERT_EQ(0, cube_ready(&c, 4, true, 0));
	for (round = 0; round < 16; round++) {
		last = round;
		ASSERT_EQ(0, barrier_without(&c, &op, last));
		ASSERT_EQ(0, shc_send(c.fd[last], &op, "", 0, 0));
		for (u = 0; u < 16; u++) {
			EXPECT_EQ(0, recv_soon(c.fd[u], &buf, 1, &res, &eor));
			EXPECT_TRUE(eor);
			EXPECT_EQ(0, res.status);
			EXPECT_EQ(round, res.op);
		}
	}
	EXPECT_EQ(0, cube_del(&c));
}

/* If one member does not receive while all contribute megabytes, the others must wait, and no data
 * may be lost.
 */
TEST(member_that_does_not_receive_stalls_the_others_without_loss)
{
	struct kind k = { HYPERCUBE_SUM, HYPERCUBE_U64, 0 };
	unsigned int node[CUBE_MAX], n, i;
	struct party p[CUBE_MAX];
	size_t least = ~0ul;
	struct cube c;

	ASSERT_EQ(0, cube_ready(&c, 3, false, 0));
	n = parties(&c, p, node, 1);
	for (i = 0; i < n; i++)
		kind_fill(&p[i].job[0], PLAN, &k, 3 << 17);
	p[5].fd = -1;
	drive_until_quiet(p, n, 200);
	p[5].fd = c.fd[5];
	/* Member 5 contributes all that the kernel takes, and receives nothing. */
	p[5].job[0].op.cookie = p[5].base;
	while (p[5].job[0].sent < p[5].job[0].op.bytes) {
		struct job *j = &p[5].job[0];
		ssize_t got = shc_send(p[5].fd, j->begun ? NULL : &j->op,
				       (const char *)j->in + j->sent, j->op.bytes - j->sent,
				       MSG_DONTWAIT);

		if (got < 0)
			drive_until_quiet(p, 5, 200);
		if (got < 0 && (least == j->sent || got == -ENOBUFS))
			break;
		least = j->sent;
		j->begun = true;
		j->sent += got > 0 ? (size_t)got : 0;
	}
	EXPECT_GT(p[5].job[0].op.bytes, p[5].job[0].sent);
	EXPECT_EQ(0, drive(p, n, 60));
	EXPECT_TRUE(kind_right(&c, p, node, n, 0));
	kind_free(p, n, 0);
	parties_free(p, n);
	EXPECT_EQ(0, cube_del(&c));
}

/* While many operations are under way, fail three links of node 10 (@how is 0), fail node 10 (1),
 * or close its socket (2). Every member must be notified of every end, and each operation that
 * succeeds must have a result.
 */
static void broken(struct __test_metadata *_metadata, unsigned int how)
{
	const unsigned int njobs = debug_kernel() ? 100 : 300;
	unsigned int node[CUBE_MAX], n, i, k, good = 0;
	uint64_t in = 1, out[CUBE_MAX] = { 0 };
	struct party p[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, cube_ready(&c, 4, true, 0));
	n = parties(&c, p, node, njobs);
	for (i = 0; i < n; i++)
		for (k = 0; k < njobs; k++)
			sum_fill(&p[i].job[k], &in, &out[i]);
	for (k = 0; k < 3; k++)
		drive_some(p, n, 7);
	if (how == 0) {
		ASSERT_EQ(0, cube_fail_link(&c, 10, 0));
		ASSERT_EQ(0, cube_fail_link(&c, 10, 1));
		ASSERT_EQ(0, cube_fail_link(&c, 10, 2));
	} else if (how == 1) {
		ASSERT_EQ(0, cube_fail_node(&c, 10));
	} else {
		close(c.fd[10]);
		c.fd[10] = -1;
		for (i = 0; i < n; i++)
			if (node[i] == 10)
				p[i].fd = -1;
	}
	drive_stop_failed(p, n);
	EXPECT_EQ(0, drive_ended(p, n, 30, &good));
	for (i = 0; i < n; i++)
		for (k = 0; k < p[i].njobs && p[i].fd >= 0; k++)
			EXPECT_TRUE(!p[i].job[k].ends || p[i].job[k].res.status ||
				    p[i].job[k].got == 8);
	if (test_failed(_metadata))
		ctl_op_print(c.name);
	printf("# %u of %u ended well\n", good, n * njobs);
	parties_free(p, n);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_CALL(operations_in_flight_all_end_when_links_fail, broken, 0)
TEST_CALL(operations_in_flight_all_end_when_a_node_fails, broken, 1)
TEST_CALL(operations_in_flight_all_end_when_a_member_closes, broken, 2)

/* Each member contributes a sorted run; all members get one sorted run of all elements. */
TEST(merge_of_sorted_runs_reaches_every_member)
{
	struct kind k = { HYPERCUBE_MERGE, HYPERCUBE_U32, 0 };
	unsigned int node[CUBE_MAX], n, i;
	const size_t count = 5000;
	struct party p[CUBE_MAX];
	uint32_t *want;
	struct cube c;

	ASSERT_EQ(0, cube_ready(&c, 4, true, 1024));
	n = parties(&c, p, node, 1);
	want = malloc(n * count * 4);
	for (i = 0; i < n; i++) {
		struct job *j = &p[i].job[0];

		k.oper = HYPERCUBE_MIN;
		kind_fill(j, PLAN, &k, count);
		ref_sort(HYPERCUBE_U32, 0, (void *)j->in, count, 4);
		memcpy(want + i * count, j->in, count * 4);
		j->op.oper = HYPERCUBE_MERGE;
		free(j->out);
		j->room = n * count * 4;
		j->out = malloc(j->room);
	}
	ref_sort(HYPERCUBE_U32, 0, want, n * count, 4);
	EXPECT_EQ(0, drive(p, n, 30));
	for (i = 0; i < n; i++) {
		const struct job *j = &p[i].job[0];

		EXPECT_EQ(1, j->ends);
		EXPECT_EQ(0, j->res.status);
		EXPECT_EQ(j->room, j->got);
		EXPECT_EQ(0, memcmp(want, j->out, j->room));
		free((void *)j->in);
		free(j->out);
	}
	free(want);
	parties_free(p, n);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
