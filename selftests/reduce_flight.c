// SPDX-License-Identifier: GPL-2.0
/*
 * Many operations are under way at a time, on one plan or on several plans of one fabric. They end
 * in order, each with its own cookie and values.
 *
 * Scheduling: shared
 */
#include <stdlib.h>
#include <string.h>

#include "cube.h"
#include "ktap.h"

static void job_sum(struct job *j, unsigned int plan, const uint64_t *in, size_t bytes)
{
	j->op = (struct hypercube_op){
		.plan = plan, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .bytes = bytes,
	};
	j->in = in;
}

/* Write to @v the contribution of node @u to operation @k: 1 << u, k, k * u. */
static void values(uint64_t *v, unsigned int u, unsigned int k)
{
	v[0] = 1ull << u;
	v[1] = k;
	v[2] = (uint64_t)k * u;
}

static bool result_right(const struct cube *c, const uint64_t *out, unsigned int k)
{
	uint64_t want[3] = { 0 }, v[3];
	unsigned int u;

	for (u = 0; u < c->nodes; u++)
		if (cube_member(c, u)) {
			values(v, u, k);
			want[0] += v[0];
			want[1] += v[1];
			want[2] += v[2];
		}
	return !memcmp(want, out, sizeof(want));
}

/* Run @njobs operations on plan @plan at the same time, and check their results. @notify: all
 * members request a notification of the end.
 */
static void pipeline(struct __test_metadata *_metadata, struct cube *c, unsigned int plan,
		     unsigned int njobs, bool notify)
{
	unsigned int node[CUBE_MAX], i, k;
	struct party p[CUBE_MAX];
	unsigned int n = parties(c, p, node, njobs);
	uint64_t (*in)[3] = calloc((size_t)n * njobs, sizeof(*in));
	uint64_t (*out)[3] = calloc(njobs, sizeof(*out));

	for (i = 0; i < n; i++)
		for (k = 0; k < njobs; k++) {
			struct job *j = &p[i].job[k];

			values(in[i * njobs + k], node[i], k);
			job_sum(j, plan, in[i * njobs + k], sizeof(*in));
			j->waits = notify;
			j->op.flags = notify ? HYPERCUBE_F_NOTIFY : 0;
			if (node[i] == c->plan.tree.sink) {
				j->waits = true;
				j->out = out[k];
				j->room = sizeof(out[k]);
			}
		}
	EXPECT_EQ(0, drive_well(p, n, 60));
	if (test_failed(_metadata))
		ctl_op_print(c->name);
	for (k = 0; k < njobs && !test_failed(_metadata); k++)
		EXPECT_TRUE(result_right(c, out[k], k));
	free(in);
	free(out);
	parties_free(p, n);
}

static void in_health(struct __test_metadata *_metadata, unsigned int njobs, bool notify)
{
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 3, 0));
	ASSERT_EQ(0, cube_plan(&c, 1));
	ASSERT_EQ(0, cube_bind_all(&c));
	pipeline(_metadata, &c, 1, njobs, notify);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(thousands_of_concurrent_reductions_give_right_results)
{
	in_health(_metadata, scaled(4000), false);
}

TEST(all_members_are_notified_of_every_completion)
{
	in_health(_metadata, scaled(1500), true);
}

TEST(many_concurrent_reductions_give_right_results_around_faults)
{
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 4, 0));
	ASSERT_EQ(0, cube_fail_node(&c, 6));
	ASSERT_EQ(0, cube_fail_link(&c, 0, 0));
	ASSERT_EQ(0, cube_fail_link(&c, 9, 3));
	ASSERT_EQ(0, cube_fail_link(&c, 5, 2));
	ASSERT_EQ(0, cube_plan(&c, 7));
	ASSERT_EQ(0, cube_bind_all(&c));
	pipeline(_metadata, &c, 7, scaled(800), true);
	EXPECT_EQ(0, cube_del(&c));
}

/* Number of plans of a grid. The grid has sixteen nodes in four rows (dimensions 0 and 1) and four
 * columns; there is a plan for each row and for each column, and one for all nodes.
 */
#define GRID 9

/* A cube with the plans of a grid, and the root of each plan. */
struct grid {
	struct cube cube;
	uint32_t sink[GRID];
};

static int grid_start(struct grid *g)
{
	struct cube *c = &g->cube;
	unsigned int i;
	int err = cube_new(c, 4, 0);

	for (i = 0; i < GRID && !err; i++) {
		if (i < 4)
			err = cube_plan_sub(c, i + 1, 0x3, i << 2);
		else if (i < 8)
			err = cube_plan_sub(c, i + 1, 0xc, i - 4);
		else
			err = cube_plan(c, i + 1);
		if (!err)
			g->sink[i] = c->plan.tree.sink;
	}
	return err ? err : cube_bind_all(c);
}

/* Return: the plan of operation @k of node @u: in turn that of its row, that of its column, and
 * that of all nodes.
 */
static unsigned int grid_plan(unsigned int u, unsigned int k)
{
	return k % 3 == 0 ? u >> 2 : k % 3 == 1 ? 4 + (u & 3) : 8;
}

/* Return: the right sum of the first elements of the contributions to a plan. */
static uint64_t grid_want(unsigned int plan)
{
	uint64_t sum = 0;
	unsigned int u;

	for (u = 0; u < 16; u++)
		if (plan == 8 || grid_plan(u, plan >= 4) == plan)
			sum += 1ull << u;
	return sum;
}

TEST(concurrent_reductions_on_nine_plans_of_grid_give_right_sums)
{
	const unsigned int njobs = 3 * scaled(200);
	unsigned int node[CUBE_MAX], n, i, k;
	struct party p[CUBE_MAX];
	uint64_t in[16], (*out)[16];
	struct grid g;

	ASSERT_EQ(0, grid_start(&g));
	out = calloc(njobs, sizeof(*out));
	n = parties(&g.cube, p, node, njobs);
	ASSERT_EQ(16, n);
	for (i = 0; i < n; i++)
		for (k = 0; k < njobs; k++) {
			struct job *j = &p[i].job[k];
			unsigned int plan = grid_plan(node[i], k);

			in[i] = 1ull << node[i];
			job_sum(j, plan + 1, &in[i], sizeof(in[i]));
			if (g.sink[plan] == node[i]) {
				j->waits = true;
				j->out = &out[k][i];
				j->room = sizeof(out[k][i]);
			}
		}
	EXPECT_EQ(0, drive_well(p, n, 60));
	for (i = 0; i < n; i++)
		for (k = 0; k < njobs; k++)
			if (p[i].job[k].waits)
				EXPECT_EQ(grid_want(grid_plan(node[i], k)), out[k][i]);
	free(out);
	parties_free(p, n);
	EXPECT_EQ(0, cube_del(&g.cube));
}

/* Long and short operations are run in turn. The short ones must not overtake the long ones. */
TEST(short_operations_do_not_overtake_long_ones)
{
	const unsigned int njobs = scaled(40);
	const size_t big = 1 << 18;
	static uint64_t in[1 << 15];
	unsigned int node[CUBE_MAX], n, i, k;
	struct party p[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 3, 0));
	ASSERT_EQ(0, cube_plan(&c, 1));
	ASSERT_EQ(0, cube_bind_all(&c));
	n = parties(&c, p, node, njobs);
	for (i = 0; i < n; i++)
		for (k = 0; k < njobs; k++) {
			job_sum(&p[i].job[k], 1, in, k % 2 ? 8 : big);
			p[i].job[k].waits = node[i] == c.plan.tree.sink;
		}
	EXPECT_EQ(0, drive(p, n, 60));
	for (i = 0; i < n; i++)
		for (k = 0; k < njobs; k++) {
			const struct job *j = &p[i].job[k];

			EXPECT_EQ(j->waits, j->ends);
			EXPECT_EQ(0, j->res.status);
			if (j->waits)
				EXPECT_EQ(k, j->res.op);
			if (j->waits)
				EXPECT_EQ(j->op.bytes, j->got);
		}
	parties_free(p, n);
	EXPECT_EQ(0, cube_del(&c));
}

/* Two plans have the same root. Half of the members begin with the first plan, the others with the
 * second plan, so that the results of both arrive at the same time.
 */
TEST(long_results_of_two_plans_do_not_mix)
{
	const size_t bytes = 1 << 18;
	static uint64_t in[2][1 << 15], expect[2][1 << 15];
	unsigned int node[CUBE_MAX], n, i, k, round;
	struct party p[CUBE_MAX];
	struct cube c;

	for (i = 0; i < 1 << 15; i++) {
		in[0][i] = i;
		in[1][i] = (uint64_t)i << 32;
		expect[0][i] = 8 * in[0][i];
		expect[1][i] = 8 * in[1][i];
	}
	ASSERT_EQ(0, cube_new(&c, 3, 0));
	ASSERT_EQ(0, cube_plan_to(&c, 1, 5));
	ASSERT_EQ(0, cube_plan_to(&c, 2, 5));
	ASSERT_EQ(0, cube_bind_all(&c));
	for (round = 0; round < scaled(10); round++) {
		n = parties(&c, p, node, 2);
		for (i = 0; i < n; i++)
			for (k = 0; k < 2; k++) {
				unsigned int plan = k ^ (node[i] & 1);
				struct job *j = &p[i].job[k];

				job_sum(j, plan + 1, in[plan], bytes);
				j->expect = expect[plan];
				j->waits = node[i] == 5;
			}
		EXPECT_EQ(0, drive(p, n, 20));
		for (i = 0; i < n; i++)
			for (k = 0; k < 2; k++) {
				const struct job *j = &p[i].job[k];

				EXPECT_EQ(j->waits, j->ends);
				EXPECT_EQ(0, j->wrong);
				EXPECT_EQ(j->waits ? bytes : 0, j->got);
			}
		parties_free(p, n);
	}
	EXPECT_EQ(0, cube_del(&c));
}

/* If a member has made more contributions to a plan than the plan takes at once, it can still
 * contribute to another plan. Half of the members fill the first plan, the others the second plan.
 */
TEST(member_with_full_plan_can_contribute_to_another_plan)
{
	const unsigned int each = 100, njobs = 2 * each;
	unsigned int node[CUBE_MAX], n, i, k;
	struct party p[CUBE_MAX];
	uint64_t in[8], want = 0xff;
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 3, 0));
	ASSERT_EQ(0, cube_plan_to(&c, 1, 5));
	ASSERT_EQ(0, cube_plan_to(&c, 2, 2));
	ASSERT_EQ(0, cube_bind_all(&c));
	n = parties(&c, p, node, njobs);
	for (i = 0; i < n; i++)
		for (k = 0; k < njobs; k++) {
			unsigned int plan = 1 + ((k >= each) ^ (node[i] & 1));
			struct job *j = &p[i].job[k];

			in[i] = 1ull << node[i];
			job_sum(j, plan, &in[i], sizeof(in[i]));
			j->waits = node[i] == (plan == 1 ? 5 : 2);
			j->expect = &want;
		}
	EXPECT_EQ(0, drive(p, n, 20));
	for (i = 0; i < n; i++)
		for (k = 0; k < njobs; k++) {
			EXPECT_EQ(p[i].job[k].waits, p[i].job[k].ends);
			EXPECT_EQ(0, p[i].job[k].wrong);
			EXPECT_EQ(0, p[i].job[k].res.status);
		}
	parties_free(p, n);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
