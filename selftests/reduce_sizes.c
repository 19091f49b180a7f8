// SPDX-License-Identifier: GPL-2.0
/*
 * Contributions of all lengths: of no byte, one element, about a segment, and up to many megabytes;
 * with random lengths of records and segments. Also tested is how much memory is in use while the
 * root does not receive.
 *
 * Scheduling: alone
 */
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "ref.h"

#define PLAN 1
#define MIB (1024ul * 1024)

static int start(struct cube *c, unsigned int dim, unsigned int segment)
{
	int err = cube_new(c, dim, segment);

	if (!err)
		err = cube_plan(c, PLAN);
	return err ? err : cube_bind_all(c);
}

/* Run a reduction in which every member contributes @op.bytes bytes: the first @period bytes of
 * @in, repeated. The result must be those of @expect, repeated. Return: 0 or an error.
 */
static int reduce(struct cube *c, struct hypercube_op op, const void *in, const void *expect,
		  size_t period)
{
	struct party p[CUBE_MAX];
	unsigned int node[CUBE_MAX], n = parties(c, p, node, 1), i;
	int err;

	op.plan = PLAN;
	op.collective = HYPERCUBE_REDUCE;
	for (i = 0; i < n; i++) {
		struct job *j = &p[i].job[0];

		j->op = op;
		j->in = in;
		j->period = period;
		if (node[i] == c->plan.tree.sink) {
			j->expect = expect;
			j->waits = true;
		}
	}
	err = drive(p, n, 60);
	for (i = 0; i < n; i++) {
		const struct job *j = &p[i].job[0];

		if (!err && j->waits && (j->ends != 1 || j->res.status || j->wrong ||
					 j->got != op.bytes || j->res.bytes != op.bytes))
			err = j->res.status ? j->res.status : -EBADMSG;
		if (!err && j->refused)
			err = j->refused;
	}
	parties_free(p, n);
	return err;
}

/* Run a sum of u8. Each byte of the result is the byte of the contributions, which are all alike,
 * times the number of members. Return: 0 or an error.
 */
static int sum_bytes(struct cube *c, size_t bytes)
{
	struct hypercube_op op = {
		.oper = HYPERCUBE_SUM, .type = HYPERCUBE_U8, .bytes = bytes,
	};
	static unsigned char in[1 << 16], expect[1 << 16];
	size_t i;

	for (i = 0; i < sizeof(in); i++) {
		in[i] = (unsigned char)(i * 7 + i / 256);
		expect[i] = (unsigned char)(in[i] * c->nodes);
	}
	return reduce(c, op, in, expect, sizeof(in));
}

static void each_size(struct __test_metadata *_metadata, unsigned int segment,
		      const size_t *sizes, unsigned int n)
{
	struct cube c;
	unsigned int i;

	ASSERT_EQ(0, start(&c, 3, segment));
	for (i = 0; i < n; i++)
		EXPECT_EQ(0, sum_bytes(&c, sizes[i]));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(lengths_around_segment_limits_are_reduced)
{
	static const size_t sizes[] = { 0, 1, 2, 511, 512, 513, 514, 1023, 1024, 1025, 5000 };

	each_size(_metadata, 512, sizes, ARRAY_SIZE(sizes));
}

TEST(lengths_around_default_segment_limits_are_reduced)
{
	static const size_t sizes[] = { 16384, 32767, 32768, 32769, 65536, 65537 };

	each_size(_metadata, 0, sizes, ARRAY_SIZE(sizes));
}

TEST(megabyte_is_reduced_with_helpers_and_detours)
{
	struct cube c;

	ASSERT_EQ(0, cube_detour(&c, PLAN, 0));
	ASSERT_EQ(0, cube_bind_all(&c));
	EXPECT_EQ(0, sum_bytes(&c, 1 * MIB + 13));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(sixteen_megabytes_are_reduced_on_eight_nodes)
{
	struct cube c;

	ASSERT_EQ(0, start(&c, 3, 0));
	EXPECT_EQ(0, sum_bytes(&c, (debug_kernel() ? 2 : 16) * MIB));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(quarter_of_a_gigabyte_is_reduced_on_two_nodes)
{
	struct cube c;

	if (debug_kernel())
		SKIP(return, "too slow for a kernel with debugging");
	ASSERT_EQ(0, start(&c, 1, 32768));
	EXPECT_EQ(0, sum_bytes(&c, 256 * MIB));
	EXPECT_EQ(0, cube_del(&c));
}

/* Records have random lengths, and so have segments. */
TEST(records_of_random_length_are_reduced_in_random_segments)
{
	static unsigned char in[256 * 333];
	unsigned int round;

	for (round = 0; round < scaled(12); round++) {
		struct hypercube_op op = {
			.oper = HYPERCUBE_MAX, .type = HYPERCUBE_RECORD,
			.width = 1 + below(HYPERCUBE_RECORD_MAX),
		};
		struct cube c;
		size_t i;

		for (i = 0; i < sizeof(in); i++)
			in[i] = (unsigned char)rnd();
		op.bytes = (size_t)op.width * below(334);
		ASSERT_EQ(0, start(&c, 2 + below(2), 256 + below(HYPERCUBE_SEGMENT_MAX - 256)));
		EXPECT_EQ(0, reduce(&c, op, in, in, 0));
		EXPECT_EQ(0, cube_del(&c));
	}
}

static long mem_free_kb(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	char line[128];
	long kb = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemFree: %ld", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

/* Set up a reduction of @bytes at all members, with these buffer sizes. Return: number of members.
 */
static unsigned int fill(struct cube *c, struct party *p, size_t bytes, int sndbuf, int rcvbuf)
{
	static char zeros[1 << 16];
	unsigned int node[CUBE_MAX], n = parties(c, p, node, 1), i;

	for (i = 0; i < n; i++) {
		struct job *j = &p[i].job[0];

		setsockopt(p[i].fd, SOL_SOCKET, SO_SNDBUF, &sndbuf, sizeof(sndbuf));
		setsockopt(p[i].fd, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf));
		j->op = (struct hypercube_op){
			.plan = PLAN, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
			.type = HYPERCUBE_U64, .bytes = bytes,
		};
		j->in = zeros;
		j->expect = zeros;
		j->period = sizeof(zeros);
		j->waits = node[i] == c->plan.tree.sink;
	}
	return n;
}

/* Let all members send as much as the kernel takes, without receiving, until nothing more was taken
 * for 300 ms. Return: number of bytes taken.
 */
static size_t push_all(struct party *p, unsigned int n)
{
	uint64_t last = now_ms();
	size_t total = 0;
	unsigned int i;

	while (now_ms() < last + 300) {
		for (i = 0; i < n; i++) {
			struct job *j = &p[i].job[0];
			ssize_t k;

			j->op.cookie = p[i].base;
			do {
				k = shc_send(p[i].fd, j->begun ? NULL : &j->op, j->in, 1 << 16,
					     MSG_DONTWAIT);
				if (k <= 0)
					break;
				j->begun = true;
				j->sent += (size_t)k;
				total += (size_t)k;
				last = now_ms();
			} while (j->sent < j->op.bytes);
		}
		usleep(2000);
	}
	return total;
}

TEST(senders_wait_in_bounded_memory_for_root_that_does_not_receive)
{
	const size_t bytes = (debug_kernel() ? 4 : 32) * MIB;
	const int sndbuf = 1 << 17, rcvbuf = 1 << 17;
	struct party p[CUBE_MAX];
	unsigned int n, i;
	struct cube c;
	size_t taken;
	long before, grown;

	ASSERT_EQ(0, start(&c, 3, 0));
	n = fill(&c, p, bytes, sndbuf, rcvbuf);
	before = mem_free_kb();
	taken = push_all(p, n);
	grown = before - mem_free_kb();
	/* The kernel doubles SO_SNDBUF, and takes up to one segment more. In addition, there are
	 * the bytes in the receive buffer of the root and, at each level of the tree, the bytes
	 * that upstream peers could send before they were stopped.
	 */
	printf("# %zu KiB taken, %ld KiB in use\n", taken / 1024, grown);
	EXPECT_GT(n * ((c.dim + 1) * 2 * sndbuf + 2 * rcvbuf + 8 * 32768ul), taken);
	EXPECT_GT(debug_kernel() ? 65536 : 16384, grown);
	for (i = 0; i < n; i++)
		if (p[i].job[0].waits)
			EXPECT_EQ(0, p[i].job[0].got);
	/* When the root receives, all data must arrive. */
	ASSERT_EQ(0, drive(p, n, 60));
	for (i = 0; i < n; i++) {
		const struct job *j = &p[i].job[0];

		if (!j->waits)
			continue;
		EXPECT_EQ(1, j->ends);
		EXPECT_EQ(0, j->res.status);
		EXPECT_EQ(bytes, j->got);
		EXPECT_EQ(0, j->wrong);
	}
	parties_free(p, n);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
