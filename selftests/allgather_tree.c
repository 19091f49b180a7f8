// SPDX-License-Identifier: GPL-2.0
/*
 * Allgathers over trees: every member gets the block of each member, once, in the order of the
 * nodes. An allgather takes twice the steps of a reduction. The plans also go around faults.
 *
 * Scheduling: shared long
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "rings.h"

#define PLAN 1

/* Run two allgathers, with blocks of @bytes, in a row. Return: true if all blocks are right and,
 * unless the plan has detours, the number of steps is twice that of a reduction; detours may add
 * steps.
 */
static bool takes(struct cube *c, size_t bytes)
{
	unsigned int least = c->plan.nmembers > 1 ? 2 * c->plan.steps : 0;
	struct rings_steps s;

	if (!gather_run(c, PLAN, 2, bytes, false, &s))
		return false;
	if (c->plan.tree.ndetours || c->plan.nmembers == 1 || s.steps == least)
		return true;
	printf("# %zu bytes: %u steps instead of %u\n", bytes, s.steps, least);
	return false;
}

static int start(struct cube *c, unsigned int dim, unsigned int segment)
{
	return cube_bound(c, dim, segment) ?: cube_plan(c, PLAN);
}

TEST(blocks_of_all_sizes_reach_all_members)
{
	size_t sizes[BLOCK_SIZES];
	unsigned int dim, i;
	struct cube c;

	for (dim = 1; dim <= 6; dim++) {
		ASSERT_EQ(0, start(&c, dim, 1024));
		block_sizes(sizes, 1024 >> dim, scaled(200000) >> dim);
		for (i = 0; i < BLOCK_SIZES; i++)
			EXPECT_TRUE(takes(&c, sizes[i]));
		EXPECT_EQ(0, cube_del(&c));
	}
}

TEST(blocks_of_many_segments_reach_all_members)
{
	struct cube c;

	ASSERT_EQ(0, start(&c, 4, 0));
	EXPECT_TRUE(takes(&c, scaled(500000)));
	EXPECT_EQ(0, cube_del(&c));
}

/* Make a plan around the current faults, and run allgathers on it. Return: true if all results are
 * right, or if no such plan exists.
 */
static bool around(struct cube *c)
{
	int err = cube_plan(c, PLAN);

	if (err)
		return err == -EHOSTDOWN || err == -ENOLINK;
	return takes(c, below(3) ? 8 : 5000);
}

TESTS_AROUND(around, scaled(20))

/* Run allgathers of many chunks over a plan with several effective helpers, and over a plan with a
 * detour. If a member whose link to its destination is faulty has no data for a helper, it must
 * notify the helper of that in time.
 */
TEST(allgather_of_many_chunks_succeeds_with_helpers_and_detours)
{
	static const uint8_t order[] = { 0, 1, 2, 3 };
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, 4, 256));
	ASSERT_EQ(0, cube_fail_link(&c, 15, 0));
	ASSERT_EQ(0, cube_plan_fixed(&c, PLAN, 0, order));
	EXPECT_TRUE(takes(&c, 10000));
	EXPECT_EQ(0, cube_del(&c));
	ASSERT_EQ(0, cube_detour(&c, PLAN, 256));
	ASSERT_EQ(0, cube_bind_all(&c));
	EXPECT_TRUE(takes(&c, 10000));
	EXPECT_EQ(0, cube_del(&c));
}

/* With these orders and roots the blocks of a subtree are not contiguous in the result. */
TEST(result_is_in_node_order_for_any_dimension_order_and_root)
{
	static const uint8_t order[][4] = {
		{ 0, 1, 2, 3 }, { 3, 2, 1, 0 }, { 2, 0, 3, 1 }, { 1, 3, 0, 2 },
	};
	struct cube c;
	unsigned int i;

	ASSERT_EQ(0, start(&c, 4, 0));
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		ASSERT_EQ(0, cube_plan_fixed(&c, PLAN, below(16), order[i]));
		EXPECT_TRUE(takes(&c, 5000));
	}
	EXPECT_EQ(0, cube_del(&c));
}

TEST(results_of_many_concurrent_allgathers_do_not_mix)
{
	struct rings_steps s;
	struct cube c;

	ASSERT_EQ(0, start(&c, 4, 0));
	ASSERT_EQ(0, cube_fail_link(&c, 0, 0));
	ASSERT_EQ(0, cube_fail_link(&c, 6, 1));
	ASSERT_EQ(0, cube_plan(&c, PLAN));
	EXPECT_TRUE(gather_run(&c, PLAN, scaled(200), 40, false, &s));
	EXPECT_EQ(0, cube_del(&c));
}

/* On the way up, a block crosses as many links as there are bits in which the numbers of its node
 * and of the root differ: 32 in total for 16 nodes. On the way down, each of the 16 blocks crosses
 * each of the 15 edges once. There are two operations.
 */
TEST(allgather_sends_no_more_bytes_than_tree_needs)
{
	static const uint8_t order[] = { 0, 1, 2, 3 };
	const size_t bytes = 50000;
	uint64_t least = 2 * (32 + 16 * 15) * bytes;
	struct cube c;

	ASSERT_EQ(0, start(&c, 4, 0));
	ASSERT_EQ(0, cube_plan_fixed(&c, PLAN, 0, order));
	EXPECT_TRUE(takes(&c, bytes));
	EXPECT_LE(least, cube_tx_bytes(&c));
	EXPECT_GT(least * 102 / 100, cube_tx_bytes(&c));
	EXPECT_EQ(0, cube_del(&c));
}

/* The short blocks of all members fit one frame, so an operation sends one frame over each edge in
 * each direction.
 */
TEST(short_blocks_need_one_frame_per_tree_edge_and_direction)
{
	const unsigned int njobs = 10;
	struct link_sums before, after;
	struct rings_steps s;
	struct cube c;

	ASSERT_EQ(0, start(&c, 4, 0));
	ASSERT_EQ(0, ctl_link_sums(c.name, &before));
	EXPECT_TRUE(gather_run(&c, PLAN, njobs, 8, false, &s));
	ASSERT_EQ(0, ctl_link_sums(c.name, &after));
	EXPECT_LE(njobs * 2 * 15, after.tx_frames - before.tx_frames);
	/* ACK frames are sent in addition, but one ACK acknowledges many operations. */
	EXPECT_GE(njobs * 2 * 15 + 2 * 15, after.tx_frames - before.tx_frames);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(member_that_does_not_receive_holds_back_all_contributions)
{
	const size_t bytes = 1 << 20;
	unsigned int node[CUBE_MAX], n, i;
	struct party p[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, start(&c, 3, 0));
	n = parties(&c, p, node, 1);
	gather_fill(p, node, n, 0, PLAN, bytes, false);
	EXPECT_EQ(0, drive_held_up(p, n, 6));
	for (i = 0; i < n; i++)
		EXPECT_TRUE(gather_right(p, node, n, i, 0, bytes));
	parties_done(p, n, 1);
	EXPECT_EQ(0, cube_del(&c));
}

enum { LINKS_FAIL, NODE_FAILS, CLOSES };

/* Return: true if member @i has the right result of operation @k, or an error that the event (a
 * fault or a close, see @how of struct begun) may cause.
 */
static bool fair(const struct begun *b, unsigned int i, unsigned int k)
{
	const struct job *j = &b->p[i].job[k];

	if (j->ends && !j->res.status)
		return gather_right(b->p, b->node, b->n, i, k, b->size);
	if (b->how == CLOSES)
		return j->ends && j->res.cause_node == 6 &&
		       (j->res.status == -ECONNRESET || j->res.status == -ECANCELED);
	return j->ends || j->refused;
}

static void blow(struct __test_metadata *_metadata, int how, unsigned int njobs, size_t bytes)
{
	const unsigned int victim = 6;
	unsigned int node[CUBE_MAX], k;
	struct party p[CUBE_MAX];
	struct begun b = { .how = how, .p = p, .node = node, .size = bytes };
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 4, 512));
	ASSERT_EQ(0, cube_fail_link(&c, 0, 0));
	ASSERT_EQ(0, cube_bind_all(&c));
	ASSERT_EQ(0, cube_plan_to(&c, PLAN, 0));
	b.n = parties(&c, p, node, njobs);
	for (k = 0; k < njobs; k++)
		gather_fill(p, node, b.n, k, PLAN, bytes, false);
	for (k = 0; k < 4; k++)
		drive_some(p, b.n, 7);
	for (k = 0; k < 3 && how == LINKS_FAIL; k++)
		ASSERT_EQ(0, cube_fail_link(&c, victim, k));
	if (how == NODE_FAILS)
		ASSERT_EQ(0, cube_fail_node(&c, victim));
	if (how == CLOSES) {
		cube_close(&c, victim);
		p[victim].fd = -1;
	}
	EXPECT_LE(1, drive_blown(&c, &b, fair));
	parties_done(p, b.n, njobs);
	ASSERT_EQ(0, cube_rebind_all(&c));
	ASSERT_EQ(0, cube_plan(&c, PLAN));
	EXPECT_TRUE(takes(&c, 1000));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_CALL(many_allgathers_end_with_result_or_error_when_links_fail, blow, LINKS_FAIL, 100, 300)
TEST_CALL(many_allgathers_end_with_result_or_error_when_node_fails, blow, NODE_FAILS, 100, 300)
TEST_CALL(long_allgather_ends_with_result_or_error_when_node_fails, blow, NODE_FAILS, 1, 300000)
TEST_CALL(long_allgather_ends_with_result_or_error_when_member_closes, blow, CLOSES, 1, 300000)

/* If members pass different lengths, all of them get an error, and the next operation succeeds. */
TEST(different_block_lengths_fail_allgather_at_all_members)
{
	unsigned int node[CUBE_MAX], n;
	struct party p[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, start(&c, 3, 0));
	/* Only members that have taken part in an operation are notified of later failures. */
	ASSERT_TRUE(takes(&c, 8));
	n = parties(&c, p, node, 1);
	gather_fill(p, node, n, 0, PLAN, 16, false);
	p[5].job[0].op.bytes = 8;
	EXPECT_EQ(0, drive_refused(p, n, -EPROTO));
	parties_done(p, n, 1);
	EXPECT_TRUE(takes(&c, 8));
	EXPECT_EQ(0, cube_del(&c));
}

/* Allreduces and allgathers alternate on the same plan. */
TEST(allgathers_and_allreduces_alternate_on_one_plan)
{
	struct rings_steps s;
	unsigned int i;
	struct cube c;

	ASSERT_EQ(0, start(&c, 3, 0));
	for (i = 0; i < 10; i++) {
		EXPECT_EQ(0, cube_allreduce(&c, PLAN, NULL));
		EXPECT_TRUE(gather_run(&c, PLAN, 1, 3 * i, false, &s));
	}
	EXPECT_EQ(0, cube_del(&c));
}

TEST(duplicates_and_jitter_change_neither_results_nor_steps)
{
	const struct impairments bad = {
		.duplicate = 500000, .delay = 2000000, .jitter = 2000000, .seed = 9,
	};
	struct cube c;

	ASSERT_EQ(0, start(&c, 3, 4096));
	ASSERT_EQ(0, cube_impair(&c, &bad));
	EXPECT_TRUE(takes(&c, 3000));
	EXPECT_EQ(0, cube_del(&c));
}

/* A block is refused if the result would be longer than 64-bit offsets can express: the offsets of
 * the last blocks would wrap around to those of the first.
 */
TEST(block_is_refused_if_result_length_exceeds_64_bits)
{
	static const uint64_t bytes[] = { INT64_MAX / 8 + 1, 1ULL << 61, UINT64_MAX };
	struct hypercube_op op = { .collective = HYPERCUBE_ALLGATHER };
	struct rings r;
	unsigned int i;
	struct cube c;

	ASSERT_EQ(0, start(&c, 3, 0));
	for (op.plan = PLAN; op.plan <= PLAN + 1; op.plan++) {
		for (i = 0; i < ARRAY_SIZE(bytes); i++) {
			op.bytes = bytes[i];
			EXPECT_EQ(-EMSGSIZE, shc_send(c.fd[0], &op, "01234567", 8, 0));
		}
		if (op.plan == PLAN)
			EXPECT_TRUE(takes(&c, 8));
		rings_gray(&r, 3);
		ASSERT_EQ(0, cube_rings(&c, PLAN + 1, &r));
	}
	EXPECT_EQ(0, cube_del(&c));
}

/* The members of a tree learn that the blocks of all members have reached the root. They cannot
 * learn which members have received the result, so a request to be notified of that is refused.
 */
TEST(allgather_over_tree_refuses_notify_flag_and_reduce_operator)
{
	const struct hypercube_op op = { .plan = PLAN, .collective = HYPERCUBE_ALLGATHER };
	static const struct op_wrong wrong[] = {
		{ .bytes = 8, .flags = HYPERCUBE_F_NOTIFY, .err = -EOPNOTSUPP },
		{ .bytes = 8, .oper = HYPERCUBE_SUM, .err = -EINVAL },
	};
	struct cube c;

	ASSERT_EQ(0, start(&c, 3, 0));
	EXPECT_EQ(0, cube_not_refused(&c, &op, "01234567", wrong, ARRAY_SIZE(wrong)));
	EXPECT_TRUE(takes(&c, 8));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
