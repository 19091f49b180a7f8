// SPDX-License-Identifier: GPL-2.0
/*
 * Sorted runs of all types and of records are merged to one sorted run at the root, whatever their
 * lengths. The result is compared with that of sorting all elements.
 *
 * Scheduling: shared
 */
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "ref.h"

#define PLAN 1

/* A sorted run. @type: type of the elements; @width: bytes of a record; @elem: bytes of an element.
 */
struct run {
	unsigned int type;
	unsigned int width;
	unsigned int elem;
};

/* Return: number of elements of the run of node @node. @shape: 0: no node has elements; 1: only
 * node 5 has; 2: a few; 3: up to several segments.
 */
static size_t run_length(unsigned int shape, unsigned int node)
{
	switch (shape) {
	case 0:
		return 0;
	case 1:
		return node == 5 ? 300 : 0;
	case 2:
		return node % 3 ? below(20) : 0;
	default:
		return below(400);
	}
}

static void job_fill(struct job *j, const struct run *r, size_t count)
{
	void *in = malloc(count * r->elem + 1);

	ref_fill(HYPERCUBE_MERGE, r->type, r->width, in, count * r->elem, true);
	ref_sort(r->type, r->width, in, count, r->elem);
	j->op = (struct hypercube_op){
		.plan = PLAN, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_MERGE,
		.type = r->type, .flags = HYPERCUBE_F_NOTIFY, .width = r->width,
		.bytes = count * r->elem,
	};
	j->in = in;
	j->waits = true;
}

/* Merge one run of each member. @shape: see run_length(). Return: 0 or an error. */
static int merge_run(struct cube *c, const struct run *r, unsigned int shape)
{
	struct party p[CUBE_MAX];
	unsigned int node[CUBE_MAX], n = parties(c, p, node, 1), i;
	struct job *sink = NULL;
	size_t total = 0;
	char *want;
	int bad;

	for (i = 0; i < n; i++) {
		struct job *j = &p[i].job[0];

		job_fill(j, r, run_length(shape, node[i]));
		if (node[i] == c->plan.tree.sink)
			sink = j;
		total += j->op.bytes;
	}
	want = malloc(total + 1);
	sink->out = malloc(total + 1);
	sink->room = total;
	for (i = 0, total = 0; i < n; total += p[i].job[0].op.bytes, i++)
		memcpy(want + total, p[i].job[0].in, p[i].job[0].op.bytes);
	ref_sort(r->type, r->width, want, total / r->elem, r->elem);
	bad = drive(p, n, 20) || sink->ends != 1 || sink->res.status || sink->got != total ||
	      sink->res.bytes != total || memcmp(want, sink->out, total);
	if (bad)
		ctl_op_print(c->name);
	if (bad)
		printf("# type %u width %u shape %u: status %d, %zu of %zu bytes\n", r->type,
		       r->width, shape, sink->res.status, sink->got, total);
	for (i = 0; i < n; i++)
		free((void *)p[i].job[0].in);
	free(sink->out);
	free(want);
	parties_free(p, n);
	return bad;
}

static void merge_all(struct __test_metadata *_metadata, struct cube *c)
{
	static const unsigned int widths[] = { 1, 7, 64, 256 };
	unsigned int type, w, shape;

	for (shape = 0; shape < 4; shape++) {
		for (type = 1; type < __HYPERCUBE_TYPE_END; type++) {
			struct run r = { type, 0, plain_size(HYPERCUBE_MERGE, type, 0) };

			if (type == HYPERCUBE_RECORD)
				continue;
			EXPECT_EQ(0, merge_run(c, &r, shape));
		}
		for (w = 0; w < 4; w++) {
			struct run r = { HYPERCUBE_RECORD, widths[w], widths[w] };

			EXPECT_EQ(0, merge_run(c, &r, shape));
		}
	}
}

TEST(runs_of_all_types_are_merged_on_eight_nodes)
{
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 3, 512));
	ASSERT_EQ(0, cube_plan(&c, PLAN));
	ASSERT_EQ(0, cube_bind_all(&c));
	merge_all(_metadata, &c);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(runs_are_merged_with_effective_helpers)
{
	struct cube c;
	unsigned int d;

	ASSERT_EQ(0, cube_new(&c, 4, 256));
	/* Fail one link in each dimension. Then the link of some member to its destination is
	 * faulty, whatever the order of the dimensions is.
	 */
	for (d = 0; d < 4; d++)
		ASSERT_EQ(0, cube_fail_link(&c, (5 * d + 1) % 16, d));
	ASSERT_EQ(0, cube_plan(&c, PLAN));
	EXPECT_NE(0, c.plan.cost);
	ASSERT_EQ(0, cube_bind_all(&c));
	merge_all(_metadata, &c);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(runs_are_merged_around_random_faults)
{
	struct run r = { HYPERCUBE_RECORD, 7, 7 };
	unsigned int round, i, node, dim;
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, 4, 300));
	for (round = 0; round < scaled(30); round++) {
		ASSERT_EQ(0, cube_heal(&c));
		for (i = 0; i < 2 + round % 8; i++) {
			cube_link(&c, below(32), &node, &dim);
			ASSERT_EQ(0, cube_fail_link(&c, node, dim));
		}
		ASSERT_EQ(0, cube_plan(&c, PLAN));
		EXPECT_EQ(0, merge_run(&c, &r, 3));
	}
	EXPECT_EQ(0, cube_del(&c));
}

TEST(root_with_small_receive_buffer_gets_whole_merge)
{
	struct run r = { HYPERCUBE_U32, 0, 4 };
	struct cube c;
	int small = 4096;

	ASSERT_EQ(0, cube_new(&c, 3, 256));
	ASSERT_EQ(0, cube_plan(&c, PLAN));
	ASSERT_EQ(0, cube_bind_all(&c));
	ASSERT_EQ(0, setsockopt(c.fd[c.plan.tree.sink], SOL_SOCKET, SO_RCVBUF, &small,
				sizeof(small)));
	EXPECT_EQ(0, merge_run(&c, &r, 3));
	EXPECT_EQ(0, merge_run(&c, &r, 1));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
