// SPDX-License-Identifier: GPL-2.0
/*
 * Plans for balancing: the figures and tables of the paper (Nam, Seo, Lee and Kim), and its errors
 * (Documentation/errata.rst). enum hc_balance_method lists the methods.
 */
#include <stdlib.h>
#include <string.h>

#include "balance_bench.h"
#include "hc_quota.h"

/* --- Figures 1 and 2, Tables 2 to 4: all from the same loads --- */

static const uint64_t example_1[] = { 19, 11, 2, 9, 0, 9, 10, 4 };

/* Figure 1: the loads after DEM, in which the two ends of each link even out their loads, one
 * dimension after another; and the moves that the figure shows for the first dimension.
 */
TEST(balance_figure_1_dem)
{
	static const uint64_t final[] = { 8, 9, 8, 8, 7, 8, 8, 8 };
	struct bench e;

	ASSERT_TRUE(bench_three(&e, example_1, HC_BALANCE_DEM));
	EXPECT_TRUE(!memcmp(e.p.final, final, sizeof(final)));
	EXPECT_EQ(e.p.hops, 33);
	EXPECT_EQ(moved(&e, 0, 1, 1), 4);
	EXPECT_EQ(moved(&e, 3, 2, 1), 3);
	EXPECT_EQ(moved(&e, 5, 4, 1), 4);
	EXPECT_EQ(moved(&e, 6, 7, 1), 3);
	EXPECT_EQ(e.p.info_steps, 6);
	EXPECT_EQ(e.p.move_steps, 3);
	bench_end(&e);
}

/* Figure 2: the moves of CWA for the same loads. It takes 21 hops, the fewest possible, in 9 steps.
 */
TEST(balance_figure_2_cwa)
{
	struct bench e;
	unsigned int u;

	ASSERT_TRUE(bench_init(&e, cube_without(3, "")));
	bench_load(&e, example_1);
	ASSERT_EQ(bench_plan(&e, HC_BALANCE_CWA), 0);
	EXPECT_TRUE(plan_holds(&e) && is_even(&e));
	for (u = 0; u < 8; u++)
		EXPECT_EQ(e.p.final[u], 8);
	EXPECT_EQ(e.p.hops, 21);
	EXPECT_EQ(e.p.nmoves, 7);
	EXPECT_EQ(moved(&e, 0, 4, 1), 6);
	EXPECT_EQ(moved(&e, 1, 5, 1), 3);
	EXPECT_EQ(moved(&e, 0, 2, 2), 5);
	EXPECT_EQ(moved(&e, 5, 7, 2), 2);
	EXPECT_EQ(moved(&e, 3, 2, 3), 1);
	EXPECT_EQ(moved(&e, 5, 4, 3), 2);
	EXPECT_EQ(moved(&e, 6, 7, 3), 2);
	EXPECT_EQ(e.p.info_steps + e.p.move_steps, 9);
	ASSERT_EQ(bench_plan(&e, HC_BALANCE_OPT), 0);
	EXPECT_EQ(e.p.hops, 21);
	bench_end(&e);
}

/* Compare the values of the j-cube that holds node @u with l, delta, theta and gamma in a row of
 * the paper's table.
 */
static bool row(const struct hc_cwa *c, uint32_t u, unsigned int j, int l, int delta, int theta,
		int gamma)
{
	size_t at = hc_cwa_at(c, j, u >> j);

	CHECK((int)c->load[at] == l);
	CHECK(hc_cwa_delta(c, j, u >> j) == delta);
	CHECK((int)c->theta[at] == theta);
	CHECK(delta - theta == gamma);
	return true;
}

/* Tables 2 to 4: the values that CWA computes for the subcubes before its three steps. */
TEST(balance_tables_2_to_4_cwa)
{
	static uint64_t load[16], quota[16], theta[16];
	struct hc_cwa c = { .k = 3, .load = load, .quota = quota, .theta = theta };
	unsigned int u;

	for (u = 0; u < 8; u++) {
		load[u] = example_1[u];
		quota[u] = 8;
	}
	hc_cwa_sum(&c);
	hc_cwa_theta(&c, 2);
	for (u = 0; u < 4; u++)
		EXPECT_TRUE(row(&c, u, 2, 41, 9, 9, 0));
	EXPECT_TRUE(row(&c, 0, 0, 19, 11, 6, 5) && row(&c, 0, 1, 30, 14, 9, 5));
	EXPECT_TRUE(row(&c, 1, 0, 11, 3, 3, 0) && row(&c, 1, 1, 30, 14, 9, 5));
	EXPECT_TRUE(row(&c, 2, 0, 2, -6, 0, -6) && row(&c, 2, 1, 11, -5, 0, -5));
	EXPECT_TRUE(row(&c, 3, 0, 9, 1, 0, 1) && row(&c, 3, 1, 11, -5, 0, -5));
	hc_cwa_move(&c, 2);
	hc_cwa_theta(&c, 1);
	EXPECT_TRUE(row(&c, 0, 0, 13, 5, 5, 0) && row(&c, 0, 1, 21, 5, 5, 0));
	EXPECT_TRUE(row(&c, 1, 0, 8, 0, 0, 0) && row(&c, 1, 1, 21, 5, 5, 0));
	EXPECT_TRUE(row(&c, 4, 0, 6, -2, 0, -2) && row(&c, 4, 1, 18, 2, 2, 0));
	EXPECT_TRUE(row(&c, 5, 0, 12, 4, 2, 2) && row(&c, 5, 1, 18, 2, 2, 0));
	hc_cwa_move(&c, 1);
	hc_cwa_theta(&c, 0);
	EXPECT_TRUE(row(&c, 3, 0, 9, 1, 1, 0));
	EXPECT_TRUE(row(&c, 5, 0, 10, 2, 2, 0));
	EXPECT_TRUE(row(&c, 6, 0, 10, 2, 2, 0));
	hc_cwa_move(&c, 0);
	for (u = 0; u < 8; u++)
		EXPECT_EQ(load[u], 8);
}

/* --- Figure 4, Tables 5 and 6 --- */

/* The loads that the paper states. The paper does not state how the loads of the trees of 0001,
 * 0011 and 1001 are divided among the nodes of these trees.
 */
static const uint64_t example_2[] = {
	[0xb] = 5, [0xf] = 18, [0xe] = 14,
	[0x3] = 20, [0x2] = 8, [0x7] = 6,
	[0x1] = 4, [0x0] = 5, [0x4] = 3,
	[0x9] = 12, [0xd] = 12, [0xc] = 13,
};

/* Figure 4: MCWA in a 4-cube with four failed nodes leaves 10 tasks at each node. */
TEST(balance_figure_4_mcwa)
{
	unsigned int step[] = { 1, 2, 3, 4 };
	struct bench e;
	uint32_t u;

	ASSERT_TRUE(bench_init(&e, cube_without(4, "0101 0110 1000 1010")));
	bench_load(&e, example_2);
	ASSERT_EQ(bench_plan(&e, HC_BALANCE_MCW), 0);
	EXPECT_TRUE(plan_holds(&e) && is_even(&e));
	for (u = 0; u < 16; u++)
		EXPECT_EQ(e.p.final[u], hc_set_has(e.f->dead, u) ? 0 : 10);
	EXPECT_EQ(moved(&e, 0xe, 0xf, step[0]), 4);
	EXPECT_EQ(moved(&e, 0xf, 0xb, step[1]), 12);
	EXPECT_EQ(moved(&e, 0x9, 0x1, step[2]), 7);
	EXPECT_EQ(moved(&e, 0xb, 0x3, step[2]), 7);
	EXPECT_EQ(moved(&e, 0x3, 0x1, step[3]), 11);
	EXPECT_EQ(e.p.info_steps, 2 * 2 + 2 * 2);
	EXPECT_EQ(e.p.move_steps, 2 + 2 + 2);
	/* The paper's number of steps is 3 log N + T. */
	EXPECT_EQ(e.p.info_steps + e.p.move_steps, 3 * 4 + 2);
	bench_end(&e);
}

/* Tables 5 and 6: the values that MCWA computes for the four nodes of the subcube, with the tasks
 * of the trees below them.
 */
TEST(balance_tables_5_and_6_mcwa)
{
	/* Indices 0 to 3 stand for the nodes 0001, 0011, 1001 and 1011. */
	static uint64_t load[8] = { 12, 34, 37, 37 }, quota[8] = { 30, 30, 30, 30 }, theta[8];
	struct hc_cwa c = { .k = 2, .load = load, .quota = quota, .theta = theta };

	hc_cwa_sum(&c);
	hc_cwa_theta(&c, 1);
	EXPECT_TRUE(row(&c, 2, 0, 37, 7, 7, 0) && row(&c, 2, 1, 74, 14, 14, 0));
	EXPECT_TRUE(row(&c, 3, 0, 37, 7, 7, 0) && row(&c, 3, 1, 74, 14, 14, 0));
	hc_cwa_move(&c, 1);
	hc_cwa_theta(&c, 0);
	EXPECT_TRUE(row(&c, 1, 0, 41, 11, 11, 0));
	hc_cwa_move(&c, 0);
	EXPECT_TRUE(load[0] == 30 && load[1] == 30 && load[2] == 30 && load[3] == 30);
}

/* --- errata --- */

/* Erratum: as printed, the sums up to tree i in lines 35 and 36 include tree i, so tasks are lost.
 */
TEST(balance_lines_35_and_36_as_printed_lose_tasks)
{
	static const uint64_t load[] = { 0, 4, 0, 0 };
	uint64_t printed[3], before = 0, sum = 0;
	struct bench e;
	uint32_t i, u;

	ASSERT_TRUE(bench_init(&e, cube_without(2, "00")));
	bench_load(&e, load);
	/* Compute the quotas of the roots as printed. 4 tasks on 3 nodes are 1 for each node, and 1
	 * remains.
	 */
	for (i = 0; i < hc_nodes(hc_weight32(e.t.b.dims)); i++) {
		uint64_t w = e.t.weight[e.t.order[i]];

		before += w;
		printed[i] = w + (before < 1 ? (w < 1 - before ? w : 1 - before) : 0);
		sum += printed[i];
	}
	EXPECT_EQ(sum, 3);
	ASSERT_EQ(bench_plan(&e, HC_BALANCE_MCW), 0);
	EXPECT_TRUE(plan_holds(&e) && is_even(&e));
	for (sum = 0, u = 0; u < 4; u++)
		sum += e.p.final[u];
	EXPECT_EQ(sum, 4);
	bench_end(&e);
}

/* Divide the quota of @u's tree as the paper prints it in lines 43 to 48. @own: set to the number
 * of tasks that each node of the tree keeps.
 */
static void printed_quotas(const struct hc_balance_topo *t, uint32_t u, int64_t quota,
			   int64_t *own)
{
	int64_t weight = t->weight[u], rest = quota % weight, before = 0, given = 0;
	uint32_t child[HC_LIB_DIM_MAX];
	unsigned int i, n = hc_balance_children(t->up, t->b.dim, u, child);

	if (rest >= 1)
		rest--;
	for (i = 0; i < n; i++) {
		int64_t w = t->weight[child[i]], q = quota * w / weight;

		if (rest - before > 0)
			q += w < rest - before ? w : rest - before;
		before += w;
		given += q;
		printed_quotas(t, child[i], q, own);
	}
	own[u] = quota - given;
}

/* Erratum: as printed, lines 47 and 48 give a child a share of the remainder twice. */
TEST(balance_lines_47_and_48_as_printed_leave_uneven_loads)
{
	struct hc_faults *f = cube_without(4, "0111 1000");
	int64_t own[16] = {}, least = INT64_MAX, most = 0;
	static const uint64_t load[16] = { 17 };
	uint64_t total = 17, members;
	struct bench e;
	uint32_t i, u;

	ASSERT_TRUE(bench_init(&e, f));
	members = e.t.members;
	EXPECT_EQ(members, 14);
	for (i = 0; i < hc_nodes(hc_weight32(e.t.b.dims)); i++) {
		/* The quotas of the roots, with the sums corrected: 1 task for each node of the
		 * tree, and a share of the 3 tasks that remain.
		 */
		uint64_t w = e.t.weight[e.t.order[i]], before = 0, j, rest = total % members;

		for (j = 0; j < i; j++)
			before += e.t.weight[e.t.order[j]];
		rest = rest > before ? rest - before : 0;
		printed_quotas(&e.t, e.t.order[i], w * (total / members) + (rest < w ? rest : w),
			       own);
	}
	for (u = 0; u < 16; u++)
		if (e.t.weight[u]) {
			least = own[u] < least ? own[u] : least;
			most = own[u] > most ? own[u] : most;
		}
	EXPECT_TRUE(most - least > 1);
	printf("# as printed: from %ld to %ld\n", (long)least, (long)most);
	bench_load(&e, load);
	ASSERT_EQ(bench_plan(&e, HC_BALANCE_MCW), 0);
	EXPECT_TRUE(plan_holds(&e) && is_even(&e));
	bench_end(&e);
}

/* Return: number of hops of the plan that @method makes, or -1 if it makes none. */
static long hops_by(struct bench *e, enum hc_balance_method method)
{
	return bench_plan(e, method) ? -1 : (long)e->p.hops;
}

/* CWA is a heuristic, so its plans do not always have the fewest hops. The paper's claim "fewer
 * migrations than DEM" holds on average only.
 */
TEST(balance_cwa_is_not_optimal)
{
	static const uint64_t eight[] = { 5, 3, 0, 3, 3, 0, 1, 1 }, four[] = { 0, 1, 0, 0 };
	struct bench e;

	ASSERT_TRUE(bench_init(&e, cube_without(3, "")));
	bench_load(&e, eight);
	EXPECT_EQ(9, hops_by(&e, HC_BALANCE_CWA));
	EXPECT_EQ(7, hops_by(&e, HC_BALANCE_OPT));
	bench_end(&e);
	ASSERT_TRUE(bench_init(&e, cube_without(2, "")));
	bench_load(&e, four);
	EXPECT_EQ(1, hops_by(&e, HC_BALANCE_CWA));
	EXPECT_EQ(0, hops_by(&e, HC_BALANCE_DEM));
	EXPECT_EQ(0, hops_by(&e, HC_BALANCE_OPT));
	bench_end(&e);
}

/* Erratum: if the dimension of the subcube is greater than n - T, with T the depth of the topology,
 * there are more steps than 3 log N + T.
 */
TEST(balance_steps_are_more_than_3_log_n_plus_t)
{
	unsigned int dim, depth, k;
	uint32_t set, u;
	struct bench e;

	for (dim = 1; dim < 4; dim++)
		for (set = 0; set < (1u << (1u << dim)) - 1; set++) {
			struct hc_faults *f = cube_without(dim, "");

			for (u = 0; u < hc_nodes(dim); u++)
				if (set >> u & 1)
					hc_faults_node(f, u);
			if (!bench_init(&e, f))
				continue;
			EXPECT_LE(e.t.b.depth + hc_weight32(e.t.b.dims), dim);
			bench_end(&e);
		}
	ASSERT_TRUE(bench_init(&e, cube_without(4, "0000 0011 1100 1111")));
	ASSERT_EQ(bench_plan(&e, HC_BALANCE_MCW), 0);
	depth = e.t.b.depth;
	k = hc_weight32(e.t.b.dims);
	EXPECT_EQ(3, depth);
	EXPECT_EQ(2, k);
	EXPECT_EQ(2 * depth + 2 * k, e.p.info_steps);
	EXPECT_EQ(2 * depth + k, e.p.move_steps);
	EXPECT_GT(e.p.info_steps + e.p.move_steps, 3 * 4 + depth);
	bench_end(&e);
}

/* The smallest total load for which DEM, with a failed node, leaves loads that differ by more than
 * n.
 */
TEST(balance_dem_with_failed_node_leaves_difference_above_n)
{
	static const uint64_t load[] = { 0, 0, 0, 9 };
	struct bench e;

	ASSERT_TRUE(bench_init(&e, cube_without(2, "01")));
	bench_load(&e, load);
	ASSERT_EQ(bench_plan(&e, HC_BALANCE_DEM), 0);
	EXPECT_EQ(2, e.p.final[0]);
	EXPECT_EQ(2, e.p.final[2]);
	EXPECT_EQ(5, e.p.final[3]);
	bench_end(&e);
}

/* Without faults the loads that DEM leaves differ by at most n. With faults this bound of the paper
 * does not hold.
 */
TEST(balance_dem_bound_n_holds_only_without_faults)
{
	unsigned int i, worst = 0, beyond = 0;
	struct bench e;

	for (i = 0; i < 2000; i++) {
		unsigned int dim = 1 + i % 6, faults = i % 2 ? rnd(dim + 1) : 0;

		if (!bench_init(&e, cube_random(dim, faults, 0)))
			continue;
		random_loads(&e, 40);
		ASSERT_EQ(bench_plan(&e, HC_BALANCE_DEM), 0);
		ASSERT_TRUE(plan_holds(&e));
		if (!faults)
			EXPECT_LE(e.p.most - e.p.least, dim);
		else if (e.p.most - e.p.least > dim)
			beyond++;
		if (e.p.most - e.p.least > worst)
			worst = e.p.most - e.p.least;
		bench_end(&e);
	}
	printf("# with faults beyond n in %u of 1000, up to %u\n", beyond, worst);
	EXPECT_GT(beyond, 0);
}

/* Check RID's formula. The mean includes the load of the asking node, as in the paper's text. */
TEST(balance_rid_requests_deficit_to_mean_in_proportion_to_loads)
{
	static const uint64_t load[] = { 0, 12, 9, 50, 3, 50, 50, 50 };
	struct bench e;

	ASSERT_TRUE(bench_three(&e, load, HC_BALANCE_RID));
	/* Node 0 has no task, and the mean of its own load and the loads 12, 9 and 3 of its
	 * neighbours is 6. So it asks them for 6 tasks in proportion to their loads: 3, 2 1/4 and
	 * 3/4, which are rounded.
	 */
	EXPECT_EQ(moved(&e, 1, 0, 1), 3);
	EXPECT_EQ(moved(&e, 2, 0, 1), 2);
	EXPECT_EQ(moved(&e, 4, 0, 1), 1);
	bench_end(&e);
}

/* Rounded down, each of node 0's requests would be 0, and the node would stay without any task. So
 * the requests are rounded such that their sum is right.
 */
TEST(balance_rid_rounded_requests_add_up_to_the_deficit)
{
	static const uint64_t load[] = { 0, 1, 2, 2 };
	struct bench e;

	ASSERT_TRUE(bench_init(&e, cube_without(2, "")));
	bench_load(&e, load);
	ASSERT_TRUE(!bench_plan(&e, HC_BALANCE_RID));
	ASSERT_TRUE(plan_holds(&e));
	EXPECT_EQ(moved(&e, 2, 0, 1), 1);
	EXPECT_EQ(moved(&e, 1, 0, 1), 0);
	bench_end(&e);
}

/* Return: true if @wish rounds the exact requests best: of all tuples with the same sum that round
 * each request up or down, it has the least sum of squared distances to the exact requests, and of
 * several such tuples it is the first. Distances are in units of 1 / (degree + 1) / sum.
 */
static bool wish_nearest(const __u64 *load, uint32_t links, uint64_t own, const __u64 *wish)
{
	unsigned int degree = (unsigned int)__builtin_popcount(links), d, up;
	int64_t sum = 0, lack, all, give, got, dist, best = INT64_MAX, off;
	uint64_t want[4] = {};

	for (d = 0; d < 4; d++)
		sum += links >> d & 1 ? (int64_t)load[d] : 0;
	lack = sum - (int64_t)own * degree;
	all = (degree + 1) * sum;
	give = lack > 0 ? lack / (degree + 1) : 0;
	for (up = 0; up < 16 && give; up++) {
		for (d = 0, got = 0, dist = 0; d < 4; d++) {
			int64_t part = links >> d & 1 ? lack * (int64_t)load[d] : 0;
			int64_t n = part / all + (up >> (3 - d) & 1);

			got += n;
			off = n * all - part;
			dist += off * off;
		}
		/* Of tuples at the same distance the one with the greatest @up is taken: it rounds
		 * up the lowest dimensions.
		 */
		if (got != give || dist > best)
			continue;
		best = dist;
		for (d = 0; d < 4; d++)
			want[d] = (links >> d & 1 ? (uint64_t)(lack * (int64_t)load[d] / all) : 0) +
				  (up >> (3 - d) & 1);
	}
	for (d = 0; d < 4; d++)
		CHECK(wish[d] == want[d] && (!wish[d] || wish[d] <= load[d]));
	return true;
}

TEST(balance_rid_rounds_by_largest_remainders)
{
	__u64 load[HC_LIB_DIM_MAX] = {}, wish[HC_LIB_DIM_MAX], own;
	uint32_t links, i;

	for (links = 0; links < 16; links++)
		for (own = 0; own < 4; own++)
			for (i = 0; i < 7 * 7 * 7 * 7; i++) {
				load[0] = i % 7;
				load[1] = i / 7 % 7;
				load[2] = i / 49 % 7;
				load[3] = i / 343;
				hc_rid_wishes(own, links, load, wish);
				ASSERT_TRUE(wish_nearest(load, links, own, wish));
			}
}
