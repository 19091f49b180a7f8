// SPDX-License-Identifier: GPL-2.0
/*
 * Gather and scatter: every block arrives complete, once, and in the order of the nodes, also
 * around faults.
 *
 * Scheduling: shared
 */
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "cube.h"

#define PLAN 1

/* Return: byte @i of the block of node @u in operation @k. */
static unsigned char byte_of(unsigned int k, unsigned int u, size_t i)
{
	uint32_t z = (uint32_t)i * 2654435761u ^ u * 40503u ^ k * 97u;

	return z >> 16 ^ z >> 5;
}

static void block_fill(unsigned char *to, unsigned int k, unsigned int u, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		to[i] = byte_of(k, u, i);
}

static bool block_is(const unsigned char *buf, unsigned int k, unsigned int u, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		if (buf[i] != byte_of(k, u, i)) {
			printf("# operation %u, node %u: byte %zu of %zu is wrong\n", k, u, i,
			       bytes);
			return false;
		}
	return true;
}

/* Operations with an even number are gathers, the others are scatters. */
static bool scatters(unsigned int k)
{
	return k & 1;
}

static void job_fill(struct job *j, const unsigned int *node, unsigned int n, unsigned int me,
		     bool sink, unsigned int k, size_t bytes)
{
	size_t all = n * bytes;
	unsigned char *in = malloc(all + 1);
	unsigned int i;

	j->op = (struct hypercube_op){ .plan = PLAN };
	j->op.collective = scatters(k) ? HYPERCUBE_SCATTER : HYPERCUBE_GATHER;
	j->op.bytes = !scatters(k) ? bytes : sink ? all : 0;
	for (i = 0; scatters(k) && sink && i < n; i++)
		block_fill(in + i * bytes, k, node[i], bytes);
	if (!scatters(k))
		block_fill(in, k, node[me], bytes);
	j->in = in;
	j->waits = sink || scatters(k);
	j->room = scatters(k) ? bytes : sink ? all : 0;
	j->out = malloc(j->room + 1);
}

static bool job_right(const struct job *j, const unsigned int *node, unsigned int n,
		      unsigned int me, unsigned int k, size_t bytes)
{
	const unsigned char *out = j->out;
	unsigned int i;

	if (!j->waits)
		return !j->ends;
	if (j->ends != 1 || j->res.status || j->got != j->room || j->res.bytes != j->room ||
	    j->res.op < k) {
		printf("# operation %u at node %u: %u ends, status %d, %zu of %zu bytes\n", k,
		       node[me], j->ends, j->res.status, j->got, j->room);
		return false;
	}
	if (scatters(k))
		return block_is(out, k, node[me], bytes);
	for (i = 0; i < n; i++)
		if (!block_is(out + i * bytes, k, node[i], bytes))
			return false;
	return true;
}

static unsigned int ready(const struct cube *c, struct party *p, unsigned int *node,
			  unsigned int njobs, size_t bytes)
{
	unsigned int n = parties(c, p, node, njobs), i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < njobs; k++)
			job_fill(&p[i].job[k], node, n, i, node[i] == c->plan.tree.sink, k, bytes);
	return n;
}

/* Run gathers and scatters in turn on the current plan, with blocks of @bytes. @steps: set to the
 * steps of the first gather and of the first scatter. Return: true if all blocks are right.
 */
static bool blocks_run(const struct cube *c, unsigned int njobs, size_t bytes, unsigned int *steps)
{
	unsigned int node[CUBE_MAX], n, i, k;
	struct party p[CUBE_MAX];
	bool right = true;

	n = ready(c, p, node, njobs, bytes);
	if (drive(p, n, 30)) {
		printf("# not all operations ended\n");
		ctl_op_print(c->name);
		right = false;
	}
	for (k = 0; k < 2 && k < njobs; k++)
		steps[k] = 0;
	for (i = 0; i < n && right; i++)
		for (k = 0; k < njobs && right; k++) {
			right = job_right(&p[i].job[k], node, n, i, k, bytes);
			if (k < 2 && p[i].job[k].res.steps > steps[k])
				steps[k] = p[i].job[k].res.steps;
		}
	parties_done(p, n, njobs);
	return right;
}

TEST(blocks_from_empty_to_one_megabyte_arrive)
{
	static const size_t sizes[] = { 0, 1, 511, 512, 513, 1023, 1024, 1025, 70000, 1048577 };
	static const unsigned int links[][2] = { {0, 0}, {6, 1}, {9, 2}, {12, 3}, {3, 0} };
	unsigned int i, steps[2];
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, 3, 1024));
	ASSERT_EQ(0, cube_plan(&c, PLAN));
	for (i = 0; i < ARRAY_SIZE(sizes) && sizes[i] < 1 << (debug_kernel() ? 18 : 30); i++)
		EXPECT_TRUE(blocks_run(&c, 2, sizes[i], steps));
	EXPECT_EQ(0, cube_del(&c));
	ASSERT_EQ(0, cube_new(&c, 4, 0));
	for (i = 0; i < ARRAY_SIZE(links); i++)
		ASSERT_EQ(0, cube_fail_link(&c, links[i][0], links[i][1]));
	ASSERT_EQ(0, cube_bind_all(&c));
	ASSERT_EQ(0, cube_plan(&c, PLAN));
	for (i = 0; i < ARRAY_SIZE(sizes) - 1; i++)
		EXPECT_TRUE(blocks_run(&c, 2, sizes[i], steps));
	EXPECT_EQ(0, cube_del(&c));
}

/* Make a plan around the current faults, and run gathers and scatters on it. Return: true if all
 * blocks are right and, unless the plan has detours, a gather takes as many steps as a reduction
 * and a scatter twice as many; or if no such plan exists.
 */
static bool around(struct cube *c)
{
	unsigned int steps[2] = { 0, 0 }, least;
	int err = cube_plan(c, PLAN);

	if (err)
		return err == -EHOSTDOWN || err == -ENOLINK;
	least = c->plan.nmembers > 1 ? c->plan.steps : 0;
	if (blocks_run(c, 4, below(3) ? 8 : 600, steps) &&
	    (c->plan.tree.ndetours || c->plan.nmembers == 1 ||
	     (steps[0] == least && steps[1] == 2 * least)))
		return true;
	printf("# %u and %u steps for %u\n", steps[0], steps[1], least);
	return false;
}

TESTS_AROUND(around, scaled(20))

/* With these orders of the dimensions and roots, the blocks of a subtree are not contiguous. */
TEST(blocks_arrive_with_any_order_of_dimensions_and_any_root)
{
	static const uint8_t order[][4] = {
		{ 0, 1, 2, 3 }, { 3, 2, 1, 0 }, { 2, 0, 3, 1 }, { 1, 3, 0, 2 },
	};
	unsigned int i, steps[2];
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, 4, 0));
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		ASSERT_EQ(0, cube_plan_fixed(&c, PLAN, below(16), order[i]));
		EXPECT_TRUE(blocks_run(&c, 2, 20000, steps));
	}
	EXPECT_EQ(0, cube_del(&c));
}

TEST(blocks_of_many_operations_in_flight_do_not_mix)
{
	unsigned int steps[2];
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 4, 0));
	ASSERT_EQ(0, cube_fail_link(&c, 0, 0));
	ASSERT_EQ(0, cube_fail_link(&c, 6, 1));
	ASSERT_EQ(0, cube_bind_all(&c));
	ASSERT_EQ(0, cube_plan(&c, PLAN));
	EXPECT_TRUE(blocks_run(&c, scaled(600), 40, steps));
	EXPECT_EQ(0, cube_del(&c));
}

/* Each byte crosses as many links as there are bits in which the numbers of its node and of the
 * root differ.
 */
TEST(link_traffic_equals_block_length_times_distance_to_root)
{
	static const uint8_t order[] = { 0, 1, 2, 3 };
	const size_t bytes = 100000;
	unsigned int u, d, steps[2];
	uint64_t sent = 0;
	char line[96];
	struct cube c;
	FILE *f;

	ASSERT_EQ(0, cube_bound(&c, 4, 0));
	ASSERT_EQ(0, cube_plan_fixed(&c, PLAN, 0, order));
	EXPECT_TRUE(blocks_run(&c, 2, bytes, steps));
	snprintf(line, sizeof(line), "hcctl -j link show %s | jq '[.[].tx_bytes] | add'", c.name);
	f = popen(line, "r");
	ASSERT_TRUE(f && fscanf(f, "%llu", (unsigned long long *)&sent) == 1);
	pclose(f);
	/* The blocks of 16 nodes cross 32 links in each direction. Frames of some thousand bytes
	 * have 104 bytes of headers, less than 2 %.
	 */
	for (u = d = 0; u < 16; u++)
		d += __builtin_popcount(u);
	EXPECT_LE(2 * d * bytes, sent);
	EXPECT_GT(2 * d * bytes * 102 / 100, sent);
	EXPECT_EQ(0, cube_del(&c));
}

/* If the root of a gather or a member of a scatter does not receive, the others must wait. */
TEST(senders_wait_for_root_or_member_that_does_not_receive)
{
	const size_t bytes = 1 << 20;
	unsigned int node[CUBE_MAX], n, i, k;
	struct party p[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, 3, 0));
	ASSERT_EQ(0, cube_plan_to(&c, PLAN, 0));
	n = ready(&c, p, node, 2, bytes);
	p[0].fd = -1;
	drive_until_quiet(p, n, 200);
	for (i = 1; i < n; i++)
		EXPECT_GT(2 * bytes, p[i].job[0].sent + p[i].job[1].sent);
	p[0].fd = c.fd[0];
	p[6].fd = -1;
	drive_until_quiet(p, n, 200);
	EXPECT_GT(p[0].job[1].op.bytes, p[0].job[1].sent);
	p[6].fd = c.fd[6];
	EXPECT_EQ(0, drive(p, n, 60));
	for (i = 0; i < n; i++)
		for (k = 0; k < 2; k++)
			EXPECT_TRUE(job_right(&p[i].job[k], node, n, i, k, bytes));
	parties_done(p, n, 2);
	EXPECT_EQ(0, cube_del(&c));
}

/* Make a cube with all sockets bound, fail link 0 of @node, and install a plan with root 0. */
static int hurt_start(struct cube *c, unsigned int dim, unsigned int segment, unsigned int node)
{
	int err = cube_new(c, dim, segment);

	if (!err)
		err = cube_fail_link(c, node, 0);
	if (!err)
		err = cube_bind_all(c);
	return err ? err : cube_plan_to(c, PLAN, 0);
}

/* A link of node 6 fails, or, with @node_fails, the node itself, while many operations are under
 * way. Every member is notified of every end, and operations that succeed have right results.
 */
static void broken(struct __test_metadata *_metadata, bool node_fails)
{
	const unsigned int njobs = 100, victim = 6;
	const size_t bytes = 3000;
	unsigned int node[CUBE_MAX], n, i, k, good = 0;
	struct party p[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, hurt_start(&c, 4, 512, 0));
	n = ready(&c, p, node, njobs, bytes);
	for (k = 0; k < 4; k++)
		drive_some(p, n, 7);
	for (k = 0; k < 3 && !node_fails; k++)
		ASSERT_EQ(0, cube_fail_link(&c, victim, k));
	if (node_fails)
		ASSERT_EQ(0, cube_fail_node(&c, victim));
	EXPECT_EQ(0, drive(p, n, 30));
	for (i = 0; i < n; i++)
		for (k = 0; k < njobs && !test_failed(_metadata); k++) {
			const struct job *j = &p[i].job[k];

			EXPECT_GE(1, j->ends + !!j->refused);
			EXPECT_TRUE(!j->waits || j->ends || j->refused);
			if (!j->ends || j->res.status || !j->waits)
				continue;
			good++;
			EXPECT_TRUE(job_right(j, node, n, i, k, bytes));
		}
	if (test_failed(_metadata))
		ctl_op_print(c.name);
	printf("# %u of %u ended well\n", good, n * njobs);
	parties_done(p, n, njobs);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(operations_end_at_every_member_when_links_fail)
{
	broken(_metadata, false);
}

TEST(operations_end_at_every_member_when_a_node_fails)
{
	broken(_metadata, true);
}

/* The process at node @victim leaves in the middle of operation @k (0: a gather, 1: a scatter).
 * Every member gets an error that names this node, and with a new socket there the next operation
 * succeeds.
 */
static void closing(struct __test_metadata *_metadata, unsigned int k, unsigned int victim)
{
	const size_t bytes = 1 << 20;
	unsigned int node[CUBE_MAX], n, i, steps[2];
	struct party p[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, hurt_start(&c, 3, 1024, 1));
	n = parties(&c, p, node, 1);
	for (i = 0; i < n; i++) {
		job_fill(&p[i].job[0], node, n, i, !node[i], k, bytes);
		p[i].job[0].waits = true;
		if (!scatters(k))
			p[i].job[0].op.flags = HYPERCUBE_F_NOTIFY;
	}
	drive_some(p, n, 5);
	cube_close(&c, victim);
	p[victim].fd = -1;
	EXPECT_EQ(0, drive(p, n, 20));
	for (i = 0; i < n && !test_failed(_metadata); i++)
		if (i != victim) {
			EXPECT_EQ(1, p[i].job[0].ends);
			EXPECT_EQ(-ECONNRESET, p[i].job[0].res.status);
			EXPECT_EQ(victim, p[i].job[0].res.cause_node);
		}
	parties_done(p, n, 1);
	ASSERT_EQ(0, cube_bind(&c, victim));
	EXPECT_TRUE(blocks_run(&c, 4, 5000, steps));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(gather_fails_at_all_members_when_a_member_closes_its_socket)
{
	closing(_metadata, 0, 6);
}

TEST(gather_fails_at_all_members_when_the_root_closes_its_socket)
{
	closing(_metadata, 0, 0);
}

/* The process at the root does not receive any more, so it cannot have sent the whole block of node
 * 6 before its socket is closed.
 */
TEST(scatter_fails_at_all_members_when_the_root_closes_its_socket)
{
	closing(_metadata, 1, 0);
}

TEST(wrong_lengths_flags_and_operators_are_refused)
{
	struct hypercube_op op = { .plan = PLAN, .collective = HYPERCUBE_GATHER, .bytes = 8 };
	struct hypercube_result res;
	unsigned int u, tries;
	struct cube c;
	char buf[64];
	ssize_t got;
	bool eor;

	ASSERT_EQ(0, cube_bound(&c, 3, 0));
	ASSERT_EQ(0, cube_plan_to(&c, PLAN, 0));
	op.oper = HYPERCUBE_SUM;
	EXPECT_EQ(-EINVAL, shc_send(c.fd[1], &op, "12345678", 8, 0));
	op.oper = 0;
	op.collective = HYPERCUBE_SCATTER;
	EXPECT_EQ(-EINVAL, shc_send(c.fd[1], &op, "12345678", 8, 0));
	op.bytes = 9;
	EXPECT_EQ(-EINVAL, shc_send(c.fd[0], &op, "123456789", 9, 0));
	op.bytes = 0;
	op.flags = HYPERCUBE_F_NOTIFY;
	EXPECT_EQ(-EINVAL, shc_send(c.fd[1], &op, "", 0, 0));
	/* If blocks have different lengths, all members get a protocol error. */
	op.flags = 0;
	op.collective = HYPERCUBE_GATHER;
	for (u = 0; u < 8; u++) {
		op.bytes = u == 5 ? 4 : 8;
		ASSERT_EQ((long long)op.bytes, shc_send(c.fd[u], &op, "12345678", op.bytes, 0));
	}
	for (tries = 0, eor = false; !eor && tries < 1000; tries++) {
		got = shc_recv(c.fd[0], buf, sizeof(buf), &res, &eor, MSG_DONTWAIT);
		if (got == -EAGAIN)
			usleep(5000);
	}
	EXPECT_TRUE(eor);
	EXPECT_EQ(-EPROTO, res.status);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
