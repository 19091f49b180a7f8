// SPDX-License-Identifier: GPL-2.0
/*
 * All-to-all: every member gets the block that each member has for it, once, in the order of the
 * nodes, over recursive doubling and over rings, also around faults.
 *
 * Scheduling: shared long
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "rings.h"

#define PLAN 1

static int ready(struct cube *c, bool ring, unsigned int dim, unsigned int segment)
{
	return ring ? cube_rings_ready(c, PLAN, dim, segment) :
		      cube_doubling_ready(c, PLAN, dim, segment);
}

/* --- one operation, and many --- */

static void fill(struct party *p, const unsigned int *node, unsigned int n, unsigned int k,
		 size_t bytes)
{
	unsigned int i, v;

	for (i = 0; i < n; i++) {
		struct job *j = &p[i].job[k];
		unsigned char *in = malloc(n * bytes + 1);

		for (v = 0; v < n; v++)
			block_fill(in + v * bytes, bytes, k, node[i], node[v]);
		j->op = (struct hypercube_op){
			.plan = PLAN, .collective = HYPERCUBE_ALLTOALL, .bytes = n * bytes,
		};
		j->in = in;
		j->waits = true;
		j->room = n * bytes;
		j->out = calloc(j->room + 1, 1);
	}
}

static const unsigned char *block_for(const struct job *j, unsigned int to, size_t bytes)
{
	return (const unsigned char *)j->in + to * bytes;
}

static bool right(const struct party *p, const unsigned int *node, unsigned int n, unsigned int i,
		  unsigned int k, size_t bytes)
{
	return gathered_right(p, node, n, i, k, bytes, block_for);
}

/* Run @njobs operations with blocks of @bytes at all members of the current plan. Return: the steps
 * of the last operation, or -1 if an operation failed or had a wrong result.
 */
static int run(const struct cube *c, unsigned int njobs, size_t bytes)
{
	unsigned int node[CUBE_MAX], n, i, k;
	struct party p[CUBE_MAX];
	int steps = 0;

	n = parties(c, p, node, njobs);
	for (k = 0; k < njobs; k++)
		fill(p, node, n, k, bytes);
	if (drive(p, n, 30)) {
		printf("# not all operations ended\n");
		ctl_op_print(c->name);
		steps = -1;
	}
	for (i = 0; i < n && steps >= 0; i++)
		for (k = 0; k < njobs && steps >= 0; k++) {
			if (!right(p, node, n, i, k, bytes))
				steps = -1;
			else if ((int)p[i].job[k].res.steps > steps)
				steps = (int)p[i].job[k].res.steps;
		}
	parties_done(p, n, njobs);
	return steps;
}

/* --- which block goes where --- */

/* Return: true if two operations with blocks of @bytes succeed and take @steps steps. */
static bool takes(struct cube *c, size_t bytes, unsigned int steps)
{
	return run(c, 2, bytes) == (int)steps;
}

TEST_NONE_WRONG(blocks_of_all_sizes_arrive_over_recursive_doubling,
		cube_doubling_sizes(PLAN, 1024, 40000, takes))

TEST_NONE_WRONG(blocks_of_lengths_around_chunk_limits_arrive, cube_doubling_apart(PLAN, takes))

TEST(blocks_of_all_sizes_arrive_over_rings)
{
	unsigned int dim, i;
	struct cube c;

	for (dim = 1; dim <= 4; dim++) {
		size_t sizes[BLOCK_SIZES];

		ASSERT_EQ(0, cube_rings_ready(&c, PLAN, dim, 1024));
		block_sizes(sizes, 1024 >> dim, 40000 >> dim);
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			const unsigned int chunks = (unsigned int)(sizes[i] << dim) / 1024 +
						    !!((sizes[i] << dim) % 1024);

			EXPECT_EQ((chunks ? chunks : 1) * c.nodes - 1, run(&c, 2, sizes[i]));
		}
		EXPECT_EQ(0, cube_del(&c));
	}
}

TEST_BOTH(blocks_of_many_segments_arrive, ring)
{
	const size_t bytes = scaled(200000);
	struct cube c;

	ASSERT_EQ(0, ready(&c, ring, 4, 0));
	EXPECT_LE(4, run(&c, 1, bytes));
	EXPECT_EQ(0, cube_del(&c));
}

/* The blocks of a result are in the order of the nodes, whatever the order of the stages. */
TEST_NONE_WRONG(blocks_arrive_in_node_order_for_any_stage_order, cube_doubling_orders(PLAN, takes))

/* Make a random tree of rings around the current faults, and run operations on it. */
static bool around(struct cube *c)
{
	unsigned int start = below(c->nodes);
	struct rings r;

	if (hc_set_has(c->faults->dead, start))
		return true;
	rings_random(&r, c, start, 2 + below(9));
	return !cube_rings(c, PLAN, &r) && run(c, 3, below(3) ? 8 : 300) >= 0;
}

TESTS_AROUND(around, scaled(8))

TEST_BOTH(many_alltoalls_under_way_do_not_mix_data, ring)
{
	struct cube c;

	ASSERT_EQ(0, ready(&c, ring, 4, 0));
	EXPECT_LE(4, run(&c, scaled(200), 8));
	EXPECT_EQ(0, cube_del(&c));
}

/* In each stage a member sends half of the data that it has. */
TEST(member_sends_half_of_its_data_in_each_stage)
{
	const size_t bytes = 50000;
	struct cube c;
	uint64_t sent;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 3, 0));
	EXPECT_EQ(3, run(&c, 1, bytes));
	sent = cube_tx_bytes(&c);
	EXPECT_LE(8 * 3 * 4 * bytes, sent);
	EXPECT_GT(8 * 3 * 4 * bytes * 102 / 100, sent);
	EXPECT_EQ(0, cube_del(&c));
}

/* If one member does not receive while all send blocks of megabytes, the others must wait, and no
 * data may be lost.
 */
TEST_BOTH(member_that_does_not_receive_blocks_others_without_loss, ring)
{
	const size_t bytes = 1 << 20;
	unsigned int node[CUBE_MAX], n, i;
	struct party p[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, ready(&c, ring, 2, 0));
	n = parties(&c, p, node, 1);
	fill(p, node, n, 0, bytes);
	EXPECT_EQ(0, drive_held_up(p, n, 2));
	for (i = 0; i < n; i++)
		EXPECT_TRUE(right(p, node, n, i, 0, bytes));
	parties_done(p, n, 1);
	EXPECT_EQ(0, cube_del(&c));
}

/* --- failures --- */

enum blow { LINK, NODE, CLOSES };

/* Fail a link of node 10, fail the node, or close its socket, as @how requires. */
static int strike(struct cube *c, struct party *p, enum blow how)
{
	switch (how) {
	case LINK:
		return cube_fail_link(c, 10, 2);
	case NODE:
		return cube_fail_node(c, 10);
	case CLOSES:
		cube_close(c, 10);
		p[10].fd = -1;
	}
	return 0;
}

/* Bind all sockets again, since members may have begun different numbers of operations. If @how is
 * a fault, install a plan around it. @ring: a plan of rings.
 */
static int begin_again(struct cube *c, enum blow how, bool ring)
{
	int err = cube_rebind_all(c);
	struct rings r;

	if (err || how == CLOSES)
		return err;
	if (!ring)
		return cube_doubling(c, PLAN, 13, 0);
	rings_random(&r, c, 3, 5);
	return cube_rings(c, PLAN, &r);
}

/* Return: true if operation @k has ended at member @i with the right result, or with an error that
 * the event may cause.
 */
static bool fair(const struct begun *b, unsigned int i, unsigned int k)
{
	static const int status[] = { -ENOLINK, -ENOLINK, -ECONNRESET };
	const struct job *j = &b->p[i].job[k];

	if (j->ends && !j->res.status)
		return right(b->p, b->node, b->n, i, k, b->size);
	if (j->ends && b->how == CLOSES && j->res.cause_node != 10)
		return false;
	return b->how == NODE || (j->ends && j->res.status == -ECANCELED) ||
	       status[b->how] == (j->ends ? j->res.status : j->refused);
}

/* If a link or a node fails or a member closes its socket while many operations are under way,
 * every member is notified of every end with its cause, operations that succeed have right results,
 * and the next operations succeed.
 */
static void blow(struct __test_metadata *_metadata, bool ring, enum blow how, size_t bytes)
{
	const unsigned int njobs = bytes > 1000 ? 2 : 60;
	unsigned int node[CUBE_MAX], n, k;
	struct party p[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, ready(&c, ring, 4, 0));
	n = parties(&c, p, node, njobs);
	for (k = 0; k < njobs; k++)
		fill(p, node, n, k, bytes);
	/* Let member 10 begin its last operation only after the event, so that this operation
	 * cannot end before the event.
	 */
	p[10].njobs--;
	for (k = 0; k < 3; k++)
		drive_some(p, n, 3);
	if (how == CLOSES)
		EXPECT_TRUE(cube_all_begun(&c, PLAN));
	ASSERT_EQ(0, strike(&c, p, how));
	p[10].njobs++;
	EXPECT_GT(drive_blown(&c, &(struct begun){ how, p, node, n, bytes }, fair), 0);
	parties_done(p, n, njobs);
	ASSERT_EQ(0, begin_again(&c, how, ring));
	EXPECT_LE(0, run(&c, 2, 1000));
	EXPECT_EQ(0, cube_del(&c));
}

/* Run blow() with short blocks and with blocks of several segments. */
static void blows(struct __test_metadata *_metadata, bool ring, enum blow how)
{
	blow(_metadata, ring, how, 8);
	blow(_metadata, ring, how, 30000);
}

/* In the order of the Gray code, node 10 follows node 14, so the ring uses the link between them,
 * which fails.
 */
TEST_BOTH(link_fault_ends_operations_under_way_and_next_ones_succeed, ring)
{
	blows(_metadata, ring, LINK);
}

TEST_BOTH(node_fault_ends_operations_under_way_and_next_ones_succeed, ring)
{
	blows(_metadata, ring, NODE);
}

TEST_BOTH(closed_socket_ends_operations_under_way_and_next_ones_succeed, ring)
{
	blows(_metadata, ring, CLOSES);
}

/* If members pass different lengths, all of them get an error. */
TEST_BOTH(different_lengths_fail_operation_at_all_members, ring)
{
	unsigned int node[CUBE_MAX], n;
	struct party p[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, ready(&c, ring, 3, 0));
	/* Only members that have taken part in an operation are notified of later failures. */
	ASSERT_LE(0, run(&c, 1, 8));
	n = parties(&c, p, node, 1);
	fill(p, node, n, 0, 16);
	p[5].job[0].op.bytes = 8;
	EXPECT_EQ(0, drive_refused(p, n, -EPROTO));
	parties_done(p, n, 1);
	EXPECT_LE(0, run(&c, 2, 8));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_BOTH(blocks_arrive_in_spite_of_duplicates_and_jitter, ring)
{
	const struct impairments bad = {
		.duplicate = 500000, .delay = 2000000, .jitter = 2000000, .seed = 9,
	};
	struct cube c;

	ASSERT_EQ(0, ready(&c, ring, 3, 4096));
	ASSERT_EQ(0, cube_impair(&c, &bad));
	EXPECT_LE(3, run(&c, 2, 3000));
	EXPECT_EQ(0, cube_del(&c));
}

/* Links corrupt the pages of frames. A retransmitted frame must have pages of its own, not the
 * corrupted ones.
 */
TEST_BOTH(blocks_arrive_in_spite_of_corruption_and_loss, ring)
{
	const struct impairments bad = { .corrupt = 300000, .loss = 100000, .seed = 5 };
	struct cube c;

	ASSERT_EQ(0, ready(&c, ring, 4, 0));
	ASSERT_EQ(0, cube_impair(&c, &bad));
	EXPECT_LE(4, run(&c, 2, 20000));
	EXPECT_EQ(0, cube_del(&c));
}

/* --- operations that are refused --- */

/* A call that does not pass the whole contribution is refused. The kernel takes from it only the
 * bytes that it still needs.
 */
TEST_BOTH(alltoall_with_invalid_length_flag_or_operator_is_refused, ring)
{
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLTOALL, .bytes = 16,
	};
	static const struct op_wrong wrong[] = {
		{ 12, 0, 0, -EINVAL },
		{ 16, HYPERCUBE_F_NOTIFY, 0, -EINVAL },
		{ 16, 0, HYPERCUBE_SUM, -EINVAL },
	};
	char in[16] = "0123456789abcde";
	struct cube c;

	ASSERT_EQ(0, ready(&c, ring, 3, 0));
	EXPECT_EQ(-EMSGSIZE, shc_send(c.fd[0], &op, in, 8, 0));
	EXPECT_EQ(0, cube_not_refused(&c, &op, in, wrong, ARRAY_SIZE(wrong)));
	EXPECT_LE(0, run(&c, 1, 2));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(alltoall_over_tree_is_refused)
{
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLTOALL, .bytes = 16,
	};
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, 3, 0));
	ASSERT_EQ(0, cube_plan(&c, PLAN));
	EXPECT_EQ(-EPROTOTYPE, shc_send(c.fd[0], &op, "0123456789abcde", 16, 0));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(alltoall_over_broken_plan_fails_with_enolink)
{
	struct hypercube_op op = { .plan = PLAN, .collective = HYPERCUBE_ALLTOALL, .bytes = 8 };
	unsigned int tries;
	struct cube c;
	ssize_t n = 0;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 3, 0));
	ASSERT_EQ(0, cube_fail_link(&c, 0, 0));
	for (tries = 0; tries < 1000; tries++) {
		n = shc_send(c.fd[0], &op, "01234567", 8, 0);
		if (n != 8)
			break;
		usleep(5000);
	}
	EXPECT_EQ(-ENOLINK, n);
	EXPECT_EQ(0, cube_del(&c));
}

/* With 512 members, a segment of 256 bytes has less than one byte for the block of each. */
TEST(alltoall_is_refused_if_segment_has_fewer_bytes_than_members)
{
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLTOALL, .bytes = 512,
	};
	static const char in[512];

	EXPECT_EQ(-EMSGSIZE, cube_send_of_512(&op, in));
}

TEST_HARNESS_MAIN
