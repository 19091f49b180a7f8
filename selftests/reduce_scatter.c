// SPDX-License-Identifier: GPL-2.0
/*
 * Reduce-scatter over recursive doubling and over trees, also around faults: every member gets its
 * block of the reference result, bit for bit.
 *
 * Scheduling: shared long
 */
#include <stdlib.h>
#include <string.h>

#include "allreduce_types.h"
#include "ktap.h"

#define PLAN 1

/* Make a cube with a tree. @faults: fail some links first, so that, of the members whose link to
 * their destination is faulty, some have effective helpers and one has none.
 */
static int tree_ready(struct cube *c, unsigned int dim, bool faults, unsigned int segment)
{
	static const unsigned int links[][2] = { {0, 0}, {6, 1}, {9, 2}, {12, 3}, {3, 0} };
	int err = cube_new(c, dim, segment);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(links) && !err && faults; i++)
		err = cube_fail_link(c, links[i][0], links[i][1]);
	if (!err)
		err = cube_plan(c, PLAN);
	return err ? err : cube_bind_all(c);
}

static int ready(struct cube *c, bool tree, unsigned int dim, unsigned int segment)
{
	return tree ? tree_ready(c, dim, dim > 3, segment) :
		      cube_doubling_ready(c, PLAN, dim, segment);
}

/* --- one operation, and many --- */

/* Set up an operation of kind @k with blocks of @count elements for @n members. */
static void fill(struct job *j, const struct kind *k, unsigned int n, size_t count)
{
	size_t block = count * plain_size(k->oper, k->type, k->width);

	kind_fill(j, PLAN, k, n * count);
	j->op.collective = HYPERCUBE_REDUCE_SCATTER;
	j->room = block;
}

/* Compute the reference result of job @m: the blocks of all members, one after another. *@base: set
 * to memory that the caller frees. Return: the blocks, or NULL if a member has no role.
 */
static const char *plain(const struct cube *c, const struct party *p, const unsigned int *node,
			 unsigned int n, unsigned int m, char **base)
{
	const struct hypercube_op *op = &p[0].job[m].op;
	void *data[CUBE_MAX] = { NULL };
	unsigned int i;

	*base = malloc(n * op->bytes + 1);
	for (i = 0; i < n; i++) {
		data[node[i]] = *base + i * op->bytes;
		memcpy(data[node[i]], p[i].job[m].in, op->bytes);
	}
	return ref_replay(c, op, data);
}

static bool right(const struct cube *c, const struct party *p, const unsigned int *node,
		  unsigned int n, unsigned int m)
{
	char *base;
	const char *want = plain(c, p, node, n, m, &base);
	bool all = want;
	unsigned int i;

	for (i = 0; i < n && want; i++) {
		const struct job *j = &p[i].job[m];

		if (p[i].fd >= 0 && j->ends == 1 && !j->res.status && j->got == j->room &&
		    j->res.bytes == j->room && !memcmp(want + i * j->room, j->out, j->room))
			continue;
		printf("# operator %u type %u at node %u: %u ends, status %d, %zu of %zu bytes\n",
		       j->op.oper, j->op.type, node[i], j->ends, j->res.status, j->got, j->room);
		all = false;
	}
	free(base);
	return all;
}

/* Set up one operation of each of the @nk kinds at each member of the plan, with blocks of @count
 * elements. Return: number of members.
 */
static unsigned int all_have(const struct cube *c, struct party *p, unsigned int *node,
			     const struct kind *k, unsigned int nk, size_t count)
{
	unsigned int n = parties(c, p, node, nk), i, m;

	for (i = 0; i < n; i++)
		for (m = 0; m < nk; m++)
			fill(&p[i].job[m], &k[m], n, count);
	return n;
}

static void all_done(struct party *p, unsigned int n, unsigned int njobs)
{
	unsigned int m;

	for (m = 0; m < njobs; m++)
		kind_free(p, n, m);
	parties_free(p, n);
}

/* Run one operation of each of the @nk kinds at all members, with blocks of @count elements.
 * Return: steps of the last operation, or -1 if a result is wrong.
 */
static int run(struct cube *c, const struct kind *k, unsigned int nk, size_t count)
{
	unsigned int node[CUBE_MAX], i, m;
	struct party p[CUBE_MAX];
	unsigned int n = all_have(c, p, node, k, nk, count);
	int steps = 0;

	if (drive(p, n, 30)) {
		printf("# not all operations ended\n");
		ctl_op_print(c->name);
		steps = -1;
	}
	for (m = 0; m < nk && steps >= 0; m++)
		steps = right(c, p, node, n, m) ? 0 : -1;
	for (i = 0; i < n && steps >= 0; i++)
		if ((int)p[i].job[nk - 1].res.steps > steps)
			steps = (int)p[i].job[nk - 1].res.steps;
	all_done(p, n, nk);
	return steps;
}

/* --- results --- */

TEST_BOTH(all_operators_and_types_give_the_bits_of_the_reference, tree)
{
	struct kind k[KINDS_MAX];
	unsigned int nk = kinds_all(k);
	struct cube c;

	ASSERT_EQ(0, ready(&c, tree, 3, 256));
	EXPECT_LE(3, run(&c, k, nk, 5));
	EXPECT_EQ(0, cube_del(&c));
	ASSERT_EQ(0, ready(&c, tree, 4, 256));
	EXPECT_LE(4, run(&c, k, nk, 17));
	EXPECT_EQ(0, cube_del(&c));
}

static bool takes_floats(struct cube *c, size_t count, unsigned int steps)
{
	const struct kind k = { HYPERCUBE_SUM, HYPERCUBE_F32, 0 };

	return run(c, &k, 1, count) == (int)steps;
}

TEST_NONE_WRONG(blocks_of_all_sizes_arrive_over_doubling_plans,
		cube_doubling_sizes(PLAN, 256, 10000, takes_floats))

TEST(blocks_of_all_sizes_arrive_over_trees)
{
	static const size_t counts[] = { 0, 1, 7, 15, 16, 17, 32, 100, 1000 };
	const struct kind k = { HYPERCUBE_SUM, HYPERCUBE_F32, 0 };
	unsigned int dim, i;
	struct cube c;

	for (dim = 1; dim <= 4; dim++) {
		ASSERT_EQ(0, tree_ready(&c, dim, dim == 4, 1024));
		for (i = 0; i < ARRAY_SIZE(counts); i++)
			EXPECT_LE(2 * dim, run(&c, &k, 1, counts[i]));
		EXPECT_EQ(0, cube_del(&c));
	}
}

TEST_BOTH(contributions_of_megabytes_are_reduced_and_scattered, tree)
{
	const struct kind k = { HYPERCUBE_SUM, HYPERCUBE_F64, 0 };
	struct cube c;

	ASSERT_EQ(0, ready(&c, tree, 4, 0));
	EXPECT_LE(4, run(&c, &k, 1, scaled(20000) | 1));
	EXPECT_EQ(0, cube_del(&c));
}

static bool takes(struct cube *c, size_t count, unsigned int steps)
{
	const struct kind k = { HYPERCUBE_SUM, HYPERCUBE_U32, 0 };

	return run(c, &k, 1, count) == (int)steps;
}

/* The blocks of a result are in the order of the nodes, whatever the order of the stages. */
TEST_NONE_WRONG(blocks_are_in_node_order_with_any_order_of_stages_and_subcube,
		cube_doubling_orders(PLAN, takes))

/* Make a tree around the current faults, and run a reduce-scatter on it. Return: true if the result
 * is right and, unless the plan has detours, the operation takes twice the steps of a reduction; or
 * if no such plan exists.
 */
static bool around(struct cube *c)
{
	const struct kind k = { HYPERCUBE_SUM, HYPERCUBE_F32, 0 };
	int err = cube_plan(c, PLAN), steps;

	if (err)
		return err == -EHOSTDOWN || err == -ENOLINK;
	steps = run(c, &k, 1, below(3) ? 1 : 40);
	if (steps >= 0 && (c->plan.tree.ndetours || c->plan.nmembers == 1 ||
			   steps == 2 * (int)c->plan.steps))
		return true;
	printf("# %d steps for twice %u\n", steps, c->plan.steps);
	return false;
}

TESTS_AROUND(around, scaled(10))

/* Run reduce-scatters, alltoalls, allreduces and barriers in turn on one plan. */
TEST_BOTH(results_of_many_operations_in_flight_do_not_mix, tree)
{
	const struct kind kind = { HYPERCUBE_SUM, HYPERCUBE_U64, 0 };
	const unsigned int njobs = scaled(150);
	unsigned int node[CUBE_MAX], n, i, m;
	struct party p[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, ready(&c, tree, 4, 0));
	n = parties(&c, p, node, njobs);
	for (i = 0; i < n; i++)
		for (m = 0; m < njobs; m++) {
			struct job *j = &p[i].job[m];

			if (m % 3 == 1)
				kind_fill(j, PLAN, &kind, 3);
			else
				fill(j, &kind, n, 1 + m % 4);
		}
	EXPECT_EQ(0, drive(p, n, 60));
	for (m = 0; m < njobs && !test_failed(_metadata); m++)
		EXPECT_TRUE(m % 3 == 1 ? kind_right(&c, p, node, n, m) :
					 right(&c, p, node, n, m));
	if (test_failed(_metadata))
		ctl_op_print(c.name);
	all_done(p, n, njobs);
	EXPECT_EQ(0, cube_del(&c));
}

/* A member sends half of its data in the first stage, a quarter in the second, and so on. */
TEST(each_stage_sends_half_as_much_as_the_previous_one)
{
	const struct kind k = { HYPERCUBE_SUM, HYPERCUBE_U8, 0 };
	const size_t bytes = 50000;
	struct cube c;
	uint64_t sent;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, 3, 0));
	EXPECT_EQ(3, run(&c, &k, 1, bytes));
	sent = cube_tx_bytes(&c);
	EXPECT_LE(8 * 7 * bytes, sent);
	EXPECT_GT(8 * 7 * bytes * 103 / 100, sent);
	EXPECT_EQ(0, cube_del(&c));
}

/* If one member does not receive while all contribute megabytes, the others must wait, and no data
 * may be lost.
 */
TEST_BOTH(senders_wait_without_loss_for_member_that_does_not_receive, tree)
{
	const struct kind k = { HYPERCUBE_SUM, HYPERCUBE_U64, 0 };
	unsigned int node[CUBE_MAX], n;
	struct party p[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, ready(&c, tree, 2, 0));
	n = all_have(&c, p, node, &k, 1, 150000);
	EXPECT_EQ(0, drive_held_up(p, n, 2));
	EXPECT_TRUE(right(&c, p, node, n, 0));
	all_done(p, n, 1);
	EXPECT_EQ(0, cube_del(&c));
}

/* --- failures --- */

enum blow { LINK, NODE, CLOSES };

/* Fail links of node 10, fail the node, or close its socket, as @how requires. */
static int strike(struct cube *c, struct party *p, bool tree, enum blow how)
{
	unsigned int i;
	int err = 0;

	if (how == NODE)
		return cube_fail_node(c, 10);
	/* Fail several links of the node, since the tree may use only one of them. */
	for (i = 0; how == LINK && !err && i < (tree ? 3 : 1); i++)
		err = cube_fail_link(c, 10, i);
	if (how == CLOSES) {
		cube_close(c, 10);
		p[10].fd = -1;
	}
	return err;
}

/* Return: true if operation @m has ended at member @i with the right sums (element e of each
 * contribution is 1 + e), with an error that the event @b->how may cause, or not at all.
 */
static bool fair(const struct begun *b, unsigned int i, unsigned int m)
{
	const struct job *j = &b->p[i].job[m];
	const uint64_t *out = j->out;
	size_t e;

	if (!j->ends)
		return true;
	if (j->res.status)
		return b->how != CLOSES ||
		       ((j->res.status == -ECONNRESET || j->res.status == -ECANCELED) &&
			j->res.cause_node == 10);
	for (e = 0; e < b->size; e++)
		if (out[e] != b->n * (1 + i * b->size + e))
			return false;
	return j->got == j->room;
}

/* If links or a node fail or a member closes its socket while many operations are under way, every
 * member is notified of every end, and the next operations succeed. Element e of each contribution
 * is 1 + e. @count: elements of a block.
 */
static void blow(struct __test_metadata *_metadata, bool tree, enum blow how, size_t count)
{
	const unsigned int njobs = count > 1 ? 3 : 80;
	unsigned int node[CUBE_MAX], n, i, m;
	const struct kind kind = { HYPERCUBE_SUM, HYPERCUBE_U64, 0 };
	struct party p[CUBE_MAX];
	struct cube c;
	size_t e;

	ASSERT_EQ(0, ready(&c, tree, 4, 0));
	n = parties(&c, p, node, njobs);
	for (i = 0; i < n; i++)
		for (m = 0; m < njobs; m++) {
			fill(&p[i].job[m], &kind, n, count);
			for (e = 0; e < n * count; e++)
				((uint64_t *)p[i].job[m].in)[e] = 1 + e;
		}
	/* Let member 10 begin its last operation only after the event, so that this operation
	 * cannot end before the event.
	 */
	p[10].njobs--;
	for (m = 0; m < 3; m++)
		drive_some(p, n, 5);
	if (how == CLOSES)
		EXPECT_TRUE(cube_all_begun(&c, PLAN));
	ASSERT_EQ(0, strike(&c, p, tree, how));
	p[10].njobs++;
	EXPECT_GT(drive_blown(&c, &(struct begun){ how, p, node, n, count }, fair), 0);
	all_done(p, n, njobs);
	ASSERT_EQ(0, cube_rebind_all(&c));
	if (how != CLOSES)
		ASSERT_EQ(0, tree ? cube_plan(&c, PLAN) : cube_doubling(&c, PLAN, 12, 0));
	EXPECT_LE(2, run(&c, &kind, 1, 100));
	EXPECT_EQ(0, cube_del(&c));
}

/* Run blow() with recursive doubling and with trees, with blocks of one element and of many. */
static void blows(struct __test_metadata *_metadata, enum blow how)
{
	blow(_metadata, false, how, 1);
	blow(_metadata, false, how, 1200);
	blow(_metadata, true, how, 1);
	blow(_metadata, true, how, 1200);
}

TEST_CALL(operations_end_at_every_member_when_links_fail, blows, LINK)
TEST_CALL(operations_end_at_every_member_when_a_node_fails, blows, NODE)
TEST_CALL(operations_end_at_every_member_when_one_closes_its_socket, blows, CLOSES)

/* If members pass different lengths, all of them get an error. */
TEST_BOTH(different_lengths_give_an_error_at_every_member, tree)
{
	const struct kind k = { HYPERCUBE_SUM, HYPERCUBE_U64, 0 };
	unsigned int node[CUBE_MAX], n, i;
	struct party p[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, ready(&c, tree, 3, 0));
	/* Only members that have taken part in an operation are notified of later failures. */
	ASSERT_LE(0, run(&c, &k, 1, 1));
	n = parties(&c, p, node, 1);
	for (i = 0; i < n; i++)
		fill(&p[i].job[0], &k, n, i == 6 ? 2 : 1);
	EXPECT_EQ(0, drive_refused(p, n, -EPROTO));
	all_done(p, n, 1);
	EXPECT_LE(0, run(&c, &k, 1, 1));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_BOTH(wrong_lengths_flags_and_operators_are_refused, tree)
{
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_REDUCE_SCATTER, .bytes = 64,
		.oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64,
	};
	static const struct op_wrong wrong[] = {
		/* 32 bytes are half an element for each of eight members. */
		{ 32, 0, HYPERCUBE_SUM, -EINVAL },
		{ 64, HYPERCUBE_F_NOTIFY, HYPERCUBE_SUM, -EINVAL },
		{ 64, 0, HYPERCUBE_MERGE, -EOPNOTSUPP },
	};
	static const char in[64];
	struct cube c;

	ASSERT_EQ(0, ready(&c, tree, 3, 256));
	EXPECT_EQ(-EMSGSIZE, shc_send(c.fd[0], &op, in, 8, 0));
	EXPECT_EQ(0, cube_not_refused(&c, &op, in, wrong, ARRAY_SIZE(wrong)));
	EXPECT_EQ(0, cube_allreduce(&c, PLAN, NULL));
	EXPECT_EQ(0, cube_del(&c));
}

/* A segment cannot hold one record for each member. Recursive doubling needs segments that can; a
 * tree does not.
 */
TEST(records_too_long_for_doubling_are_accepted_by_a_tree)
{
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_REDUCE_SCATTER, .oper = HYPERCUBE_MAX,
		.type = HYPERCUBE_RECORD, .width = 40, .bytes = 8 * 40,
	};
	static const char in[8 * 40];
	struct cube c;

	ASSERT_EQ(0, ready(&c, false, 3, 256));
	EXPECT_EQ(-EMSGSIZE, shc_send(c.fd[0], &op, in, sizeof(in), 0));
	ASSERT_EQ(0, cube_plan(&c, PLAN));
	EXPECT_EQ(sizeof(in), shc_send(c.fd[0], &op, in, sizeof(in), 0));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
