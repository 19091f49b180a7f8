// SPDX-License-Identifier: GPL-2.0
/*
 * Recursive doubling: every member gets exactly the bits of the reference computation, which are
 * the same in every run, and the same as from a tree whose root is the lowest node. Such plans
 * exist only for subcubes without faults. doubling_faults.c tests faults during operations.
 *
 * Scheduling: shared
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "allreduce_types.h"
#include "ktap.h"

#define PLAN 1
#define TREE 2

TEST(all_operators_and_types_give_same_bits_at_every_member)
{
	struct kind k[KINDS_MAX];
	unsigned int nk = kinds_all(k);
	struct cube c;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 3, 256));
	EXPECT_EQ(0, kinds_run(&c, PLAN, k, nk, 37));
	EXPECT_EQ(0, cube_del(&c));
	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 4, 256));
	EXPECT_EQ(0, kinds_run(&c, PLAN, k, nk, 1));
	EXPECT_EQ(0, kinds_run(&c, PLAN, k, nk, 137));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(allreduce_is_right_for_lengths_from_zero_to_one_megabyte)
{
	struct kind k = { HYPERCUBE_SUM, HYPERCUBE_F64, 0 };
	size_t seg, counts[] = { 0, 1, 63, 64, 65, 0, 0, 0, 0, 0, 1 << 17 };
	struct cube c;
	unsigned int i;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 3, 0));
	seg = c.segment / 8;
	for (i = 0; i < 3; i++)
		counts[5 + i] = seg - 1 + i;
	counts[8] = 2 * seg;
	counts[9] = 2 * seg + 1;
	for (i = 0; i < ARRAY_SIZE(counts) && !test_failed(_metadata); i++)
		EXPECT_EQ(0, kinds_run(&c, PLAN, &k, 1, counts[i]));
	EXPECT_EQ(0, cube_del(&c));
}

/* Return: true if all members have the same result. @out: the results, @bytes each. */
static bool all_alike(const struct cube *c, const char *out, size_t bytes)
{
	unsigned int u;

	for (u = 1; u < c->nodes; u++)
		if (memcmp(out, out + u * bytes, bytes))
			return false;
	return true;
}

TEST(floating_point_results_equal_those_of_a_tree_in_every_run)
{
	static const unsigned int opers[] = { HYPERCUBE_SUM, HYPERCUBE_PROD, HYPERCUBE_MAX };
	const size_t count = 1500;
	char *in, *out, *again;
	unsigned int i, round;
	struct cube c;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 4, 4096));
	/* Install a tree whose root is the lowest node, with the same order of dimensions. */
	ASSERT_EQ(0, cube_install(&c, TREE));
	in = malloc(16 * count * 8);
	out = calloc(16 * count, 8);
	again = calloc(16 * count, 8);
	for (i = 0; i < ARRAY_SIZE(opers); i++) {
		struct hypercube_op op = {
			.collective = HYPERCUBE_ALLREDUCE, .oper = opers[i],
			.type = i == 1 ? HYPERCUBE_F32 : HYPERCUBE_F64,
			.bytes = i == 1 ? count * 4 : count * 8,
		};

		ref_fill(op.oper, op.type, 0, in, 16 * op.bytes, i == 2);
		ASSERT_EQ(0, allreduce_once(&c, TREE, &op, in, out));
		EXPECT_TRUE(all_alike(&c, out, op.bytes));
		for (round = 0; round < 5; round++) {
			memset(again, 0, 16 * op.bytes);
			ASSERT_EQ(0, allreduce_once(&c, PLAN, &op, in, again));
			EXPECT_EQ(0, memcmp(out, again, 16 * op.bytes));
		}
	}
	free(in);
	free(out);
	free(again);
	EXPECT_EQ(0, cube_del(&c));
}

/* Contributions are NaNs with different payloads, and infinities of both signs. Which NaN is the
 * result depends on the order of the operands, so all members must combine them in the same order.
 */
TEST(nans_have_the_same_payload_at_every_member)
{
	const unsigned int count = 64;
	struct hypercube_op op = {
		.collective = HYPERCUBE_ALLREDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_F64, .bytes = 8 * count,
	};
	uint64_t in[8 * 64], out[8 * 64], tree[8 * 64];
	unsigned int i, nans = 0;
	struct cube c;

	for (i = 0; i < 8 * count; i++)
		in[i] = below(3) ? 0x7ff8000000000000ull | (uint64_t)below(2) << 63 | rnd() >> 20 :
				   0x7ff0000000000000ull | (uint64_t)below(2) << 63;
	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 3, 256));
	ASSERT_EQ(0, allreduce_once(&c, PLAN, &op, (char *)in, (char *)out));
	EXPECT_TRUE(all_alike(&c, (char *)out, op.bytes));
	ASSERT_EQ(0, cube_install(&c, TREE));
	ASSERT_EQ(0, allreduce_once(&c, TREE, &op, (char *)in, (char *)tree));
	EXPECT_EQ(0, memcmp(tree, out, op.bytes));
	for (i = 0; i < count; i++)
		nans += (out[i] << 1) > 0xffe0000000000000ull;
	EXPECT_EQ(count, nans);
	EXPECT_EQ(0, cube_del(&c));
}

/* Set up operation @k of one of 16 members; node u contributes u + 1. */
static void mixed_fill(struct job *j, unsigned int k, const uint64_t *in)
{
	static const uint64_t sum = 136, least = 1;
	bool barrier = k % 5 == 2;

	j->op = (struct hypercube_op){
		.plan = PLAN, .bytes = barrier ? 0 : 8,
		.collective = barrier ? HYPERCUBE_BARRIER : HYPERCUBE_ALLREDUCE,
		.oper = barrier ? 0 : k % 3 ? HYPERCUBE_SUM : HYPERCUBE_MIN,
		.type = barrier ? 0 : HYPERCUBE_U64,
	};
	j->in = in;
	j->waits = true;
	j->expect = barrier ? NULL : k % 3 ? &sum : &least;
}

/* Run sums, minima and barriers in turn on one plan, without waiting between them. */
TEST(results_of_many_operations_in_flight_do_not_mix)
{
	const unsigned int njobs = 200;
	unsigned int node[CUBE_MAX], n, i, k;
	struct party p[CUBE_MAX];
	uint64_t in[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 4, 0));
	n = parties(&c, p, node, njobs);
	for (i = 0; i < n; i++) {
		in[i] = node[i] + 1;
		for (k = 0; k < njobs; k++)
			mixed_fill(&p[i].job[k], k, &in[i]);
	}
	EXPECT_EQ(0, drive_well(p, n, 60));
	for (i = 0; i < n; i++)
		for (k = 0; k < njobs; k++) {
			const struct hypercube_result *res = &p[i].job[k].res;

			EXPECT_EQ(k, res->op);
			/* Each stage is one step, and adds one frame to the longest chain of
			 * frames, which the clock counts.
			 */
			EXPECT_EQ(4, res->steps);
			EXPECT_EQ(4, res->clock);
		}
	if (test_failed(_metadata))
		ctl_op_print(c.name);
	parties_free(p, n);
	EXPECT_EQ(0, cube_del(&c));
}

/* Return: true if node @missing waits for its own process, and all other nodes wait for a peer,
 * three of them for node @missing.
 */
static bool all_wait(const struct cube *c, unsigned int missing)
{
	unsigned int u, direct = 0;
	struct wait_view v;

	for (u = 0; u < 8; u++) {
		if (ctl_op_get(c->name, PLAN, u, &v) ||
		    v.wait != (u == missing ? HYPERCUBE_WAIT_OWN : HYPERCUBE_WAIT_PEER))
			return false;
		direct += v.wait == HYPERCUBE_WAIT_PEER && v.peer == missing;
	}
	return direct == 3;
}

TEST(barrier_blocks_all_members_and_names_the_missing_one)
{
	struct hypercube_op op = { .plan = PLAN, .collective = HYPERCUBE_BARRIER };
	struct hypercube_result res;
	unsigned int u, round, tries;
	struct cube c;
	char buf;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 3, 0));
	for (round = 0; round < 8; round++) {
		ASSERT_EQ(0, barrier_without(&c, &op, round));
		/* Wait for frames that are still under way because the polls of their receivers
		 * were delayed.
		 */
		for (tries = 0; tries < 200 && !all_wait(&c, round); tries++)
			usleep(50 * 1000);
		EXPECT_TRUE(all_wait(&c, round));
		ASSERT_EQ(0, shc_send(c.fd[round], &op, "", 0, 0));
		for (u = 0; u < 8; u++) {
			EXPECT_EQ(0, shc_recv_soon(c.fd[u], &buf, 1, &res));
			EXPECT_EQ(0, res.status);
			EXPECT_EQ(round, res.op);
		}
	}
	EXPECT_EQ(0, cube_del(&c));
}

/* Send as much of the contribution @j as the kernel takes, without receiving. @base: cookie of the
 * operation. Return: number of bytes that the kernel took.
 */
static size_t send_only(int fd, uint64_t base, struct job *j)
{
	size_t before = j->sent;
	ssize_t n;

	j->op.cookie = base;
	while (j->sent < j->op.bytes) {
		n = shc_send(fd, j->begun ? NULL : &j->op, (const char *)j->in + j->sent,
			     j->op.bytes - j->sent, MSG_DONTWAIT);
		if (n <= 0)
			break;
		j->begun = true;
		j->sent += n;
	}
	return j->sent - before;
}

/* If one member does not receive while all contribute megabytes, the others must wait, and no data
 * may be lost.
 */
TEST(senders_wait_without_loss_for_member_that_does_not_receive)
{
	struct kind k = { HYPERCUBE_SUM, HYPERCUBE_U64, 0 };
	unsigned int node[CUBE_MAX], n, i;
	struct party p[CUBE_MAX];
	struct cube c;
	int fd;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 2, 0));
	n = parties(&c, p, node, 1);
	for (i = 0; i < n; i++)
		kind_fill(&p[i].job[0], PLAN, &k, 1 << 19);
	fd = p[2].fd;
	p[2].fd = -1;
	while (send_only(fd, p[2].base, &p[2].job[0]))
		drive_until_quiet(p, n, 200);
	for (i = 0; i < n; i++) {
		EXPECT_GT(p[i].job[0].op.bytes, p[i].job[0].got);
		EXPECT_TRUE(i == 2 || p[i].job[0].got > 0);
	}
	p[2].fd = fd;
	EXPECT_EQ(0, drive(p, n, 60));
	EXPECT_TRUE(kind_right(&c, p, node, n, 0));
	kind_free(p, n, 0);
	parties_free(p, n);
	EXPECT_EQ(0, cube_del(&c));
}

/* ------------------------------------------------------------ plans */

TEST(plans_of_several_subcubes_run_beside_faults)
{
	struct kind k = { HYPERCUBE_SUM, HYPERCUBE_F32, 0 };
	struct hypercube_result res;
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, 4, 0));
	ASSERT_EQ(0, cube_fail_node(&c, 15));
	ASSERT_EQ(0, cube_fail_link(&c, 0, 0));
	/* This plan is for the subcube X0X1: nodes 1, 3, 9, 11. The next one is for 1X0X. */
	ASSERT_EQ(0, cube_doubling(&c, PLAN, 0xa, 1));
	EXPECT_EQ(0, kinds_run(&c, PLAN, &k, 1, 3000));
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, &res));
	EXPECT_EQ(2, res.steps);
	ASSERT_EQ(0, cube_doubling(&c, TREE, 0x5, 8));
	EXPECT_EQ(0, kinds_run(&c, TREE, &k, 1, 3000));
	/* Install a plan of one node. */
	ASSERT_EQ(0, cube_doubling(&c, TREE, 0, 6));
	EXPECT_EQ(0, cube_allreduce(&c, TREE, &res));
	EXPECT_EQ(0, res.steps);
	EXPECT_EQ(0, cube_del(&c));
}

/* Return: true if a plan for the subcube with the free dimensions @dims around node @base is
 * refused with an extack that contains @words.
 */
static bool refused_for(struct cube *c, uint32_t dims, uint32_t base, const char *words)
{
	int err = cube_doubling(c, PLAN, dims, base);

	if (err == -EINVAL && strstr(ctl()->extack, words))
		return true;
	printf("# error %d, \"%s\"\n", err, ctl()->extack);
	return false;
}

TEST(plan_of_faulty_subcube_is_refused_with_the_fault_named)
{
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, 3, 0));
	ASSERT_EQ(0, cube_fail_link(&c, 4, 1));
	EXPECT_TRUE(refused_for(&c, 7, 0, "link of the subcube is faulty: 4:1"));
	EXPECT_TRUE(refused_for(&c, 6, 0, "link of the subcube is faulty: 4:1"));
	/* The fault is outside of these subcubes. */
	ASSERT_EQ(0, cube_doubling(&c, PLAN, 3, 0));
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	ASSERT_EQ(0, cube_doubling(&c, PLAN, 5, 4));
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	ASSERT_EQ(0, cube_fail_node(&c, 7));
	EXPECT_TRUE(refused_for(&c, 5, 6, "failed or is cut off: node 7"));
	/* When there are no more faults, a plan of all nodes can replace the other plans. */
	EXPECT_EQ(0, cube_heal(&c));
	ASSERT_EQ(0, cube_doubling(&c, PLAN, 7, 0));
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(collectives_that_doubling_cannot_run_are_refused)
{
	struct hypercube_op op = { .plan = PLAN, .bytes = 8 };
	uint64_t in = 1;
	struct cube c;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 2, 0));
	op.collective = HYPERCUBE_GATHER;
	EXPECT_EQ(-EPROTOTYPE, shc_send(c.fd[0], &op, &in, 8, 0));
	op.collective = HYPERCUBE_SCATTER;
	EXPECT_EQ(-EPROTOTYPE, shc_send(c.fd[0], &op, &in, 8, 0));
	op.collective = HYPERCUBE_BCAST;
	EXPECT_EQ(-EPROTOTYPE, shc_send(c.fd[0], &op, &in, 8, 0));
	op.oper = HYPERCUBE_SUM;
	op.type = HYPERCUBE_U64;
	op.collective = HYPERCUBE_REDUCE;
	EXPECT_EQ(-EPROTOTYPE, shc_send(c.fd[0], &op, &in, 8, 0));
	op.collective = HYPERCUBE_ALLREDUCE;
	op.oper = HYPERCUBE_MERGE;
	EXPECT_EQ(-EOPNOTSUPP, shc_send(c.fd[0], &op, &in, 8, 0));
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
