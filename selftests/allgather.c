// SPDX-License-Identifier: GPL-2.0
/*
 * Allgathers over recursive doubling: every member gets the block of each member, once, in the
 * order of the nodes, in as many steps as there are dimensions. ring.c tests allgathers over rings.
 *
 * Scheduling: shared
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "rings.h"

#define PLAN 1

/* Run two allgathers, with blocks of @bytes, in a row. Return: true if all blocks are right and the
 * second one takes @steps steps.
 */
static bool takes(struct cube *c, size_t bytes, unsigned int steps)
{
	struct rings_steps s;

	if (!gather_run(c, PLAN, 2, bytes, false, &s))
		return false;
	if (s.steps == steps)
		return true;
	printf("# %zu bytes: %u steps instead of %u\n", bytes, s.steps, steps);
	return false;
}

TEST(blocks_of_all_sizes_arrive)
{
	unsigned int dim, i;
	struct cube c;

	for (dim = 0; dim <= 6; dim++) {
		/* If blocks have this length, one full segment holds the blocks of all members. */
		const size_t full = 1024 >> dim;
		const size_t sizes[] = { 0, 1, 8, full - 1, full, full + 1, 2 * full,
					 5 * full + 13 };

		ASSERT_EQ(0, cube_bound(&c, dim ? dim : 1, 1024));
		ASSERT_EQ(0, cube_doubling(&c, PLAN, hc_ones(dim), 0));
		for (i = 0; i < ARRAY_SIZE(sizes); i++)
			EXPECT_TRUE(takes(&c, sizes[i], dim));
		EXPECT_EQ(0, cube_del(&c));
	}
}

TEST(blocks_of_many_segments_arrive)
{
	struct cube c;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 3, 0));
	EXPECT_TRUE(takes(&c, scaled(200000), 3));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_NONE_WRONG(blocks_of_lengths_around_chunk_limits_arrive, cube_doubling_apart(PLAN, takes))

/* The blocks of a result are in the order of the nodes, whatever the order of the stages. */
TEST_NONE_WRONG(blocks_arrive_in_node_order_for_any_stage_order, cube_doubling_orders(PLAN, takes))

TEST(many_allgathers_under_way_do_not_mix_data)
{
	struct rings_steps s;
	struct cube c;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 4, 0));
	EXPECT_TRUE(gather_run(&c, PLAN, scaled(200), 8, false, &s));
	EXPECT_EQ(0, cube_del(&c));
}

/* In each stage a member sends all blocks that it has, so each member receives each block once. */
TEST(member_receives_each_block_only_once)
{
	const size_t bytes = 50000;
	uint64_t sent = 0;
	char line[96];
	struct cube c;
	FILE *f;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 3, 0));
	EXPECT_TRUE(takes(&c, bytes, 3));
	snprintf(line, sizeof(line), "hcctl -j link show %s | jq '[.[].tx_bytes] | add'", c.name);
	f = popen(line, "r");
	ASSERT_TRUE(f && fscanf(f, "%llu", (unsigned long long *)&sent) == 1);
	pclose(f);
	/* In each of two operations, each of 8 members sends (1 + 2 + 4) blocks. */
	EXPECT_LE(2 * 8 * 7 * bytes, sent);
	EXPECT_GT(2 * 8 * 7 * bytes * 103 / 100, sent);
	EXPECT_EQ(0, cube_del(&c));
}

/* If a link fails while many operations are under way, each operation ends with the right result or
 * with the error of the link, and a new plan works.
 */
TEST(link_fault_ends_operations_under_way_and_new_plan_works)
{
	const unsigned int njobs = 60;
	unsigned int node[CUBE_MAX], n, i, k, good, failed = 0;
	struct party p[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 4, 0));
	n = parties(&c, p, node, njobs);
	for (k = 0; k < njobs; k++)
		gather_fill(p, node, n, k, PLAN, 3000, false);
	/* Let member 10 begin its last operation only after the fault, so that this operation
	 * cannot end before the fault.
	 */
	p[10].njobs--;
	for (k = 0; k < 3; k++)
		drive_some(p, n, 3);
	ASSERT_EQ(0, cube_fail_link(&c, 10, 2));
	p[10].njobs++;
	EXPECT_EQ(0, drive_ended(p, n, 30, &good));
	for (i = 0; i < n; i++)
		for (k = 0; k < njobs && !test_failed(_metadata); k++) {
			const struct job *j = &p[i].job[k];

			failed += !j->ends || j->res.status;
			if (j->ends && !j->res.status) {
				EXPECT_TRUE(gather_right(p, node, n, i, k, 3000));
				continue;
			}
			EXPECT_EQ(-ENOLINK, j->ends ? j->res.status : j->refused);
		}
	EXPECT_GT(failed, 0);
	printf("# %u of %u ended well\n", good, n * njobs);
	parties_done(p, n, njobs);
	ASSERT_EQ(0, cube_rebind_all(&c));
	/* Install a plan for the subcube XX0X, which does not contain the failed link. */
	ASSERT_EQ(0, cube_doubling(&c, PLAN, 13, 0));
	EXPECT_TRUE(takes(&c, 1000, 3));
	EXPECT_EQ(0, cube_del(&c));
}

/* If members pass different lengths, all of them get an error for the operation. */
TEST(different_lengths_fail_operation_at_all_members)
{
	unsigned int node[CUBE_MAX], n, i, good;
	struct party p[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 3, 0));
	/* Only members that have taken part in an operation are notified of later failures. */
	ASSERT_TRUE(takes(&c, 8, 3));
	n = parties(&c, p, node, 1);
	gather_fill(p, node, n, 0, PLAN, 16, false);
	p[5].job[0].op.bytes = 8;
	EXPECT_EQ(0, drive_ended(p, n, 30, &good));
	EXPECT_EQ(0, good);
	for (i = 0; i < n; i++)
		EXPECT_EQ(-EPROTO, p[i].job[0].res.status);
	parties_done(p, n, 1);
	EXPECT_TRUE(takes(&c, 8, 3));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(blocks_arrive_in_spite_of_duplicates_and_jitter)
{
	const struct impairments bad = {
		.duplicate = 500000, .delay = 2000000, .jitter = 2000000, .seed = 9,
	};
	struct cube c;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 3, 4096));
	ASSERT_EQ(0, cube_impair(&c, &bad));
	EXPECT_TRUE(takes(&c, 3000, 3));
	EXPECT_EQ(0, cube_del(&c));
}

/* A member of a plan of recursive doubling cannot learn when all others have its block, so a
 * request to be notified of that is refused. A member of a plan of rings can learn it.
 */
TEST(notify_flag_is_refused_over_recursive_doubling)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLGATHER, .bytes = 8,
		.flags = HYPERCUBE_F_NOTIFY,
	};
	struct cube c;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 3, 0));
	EXPECT_EQ(-EOPNOTSUPP, shc_send(c.fd[0], &op, "01234567", 8, 0));
	EXPECT_TRUE(takes(&c, 8, 3));
	EXPECT_EQ(0, cube_del(&c));
}

/* With 512 members, a segment of 256 bytes has less than one byte for the block of each. */
TEST(allgather_is_refused_if_segment_has_fewer_bytes_than_members)
{
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLGATHER, .bytes = 8,
	};

	EXPECT_EQ(-EMSGSIZE, cube_send_of_512(&op, "01234567"));
}

TEST_HARNESS_MAIN
