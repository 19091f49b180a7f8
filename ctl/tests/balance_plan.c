// SPDX-License-Identifier: GPL-2.0
/*
 * Plans for balancing: the paper's figures and tables, what must hold of all plans, and
 * the optimum against another way to find it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "balance_test.h"
#include "hc_quota.h"

#define NODES 256

struct bench {
	struct hc_faults *f;
	struct hc_balance_topo t;
	struct hc_balancer *b;
	struct hc_balance_plan p;
	uint64_t load[NODES];
};

static bool bench_init(struct bench *e, struct hc_faults *f)
{
	*e = (struct bench){ .f = f };
	if (hc_balance_topology(f, HC_BALANCE_MCWA, &e->t)) {
		hc_faults_free(f);
		return false;
	}
	e->b = hc_balancer_new(f, &e->t);
	if (!e->b)
		abort();
	return true;
}

static void bench_end(struct bench *e)
{
	hc_balance_plan_free(&e->p);
	hc_balancer_free(e->b);
	hc_balance_topo_free(&e->t);
	hc_faults_free(e->f);
}

static void bench_load(struct bench *e, const uint64_t *load)
{
	memcpy(e->load, load, hc_nodes(e->f->dim) * sizeof(*load));
}

static int bench_plan(struct bench *e, enum hc_balance_method method)
{
	struct hc_balance_req q = {
		.method = method, .load = e->load, .threshold = 5, .hop_cost = .1,
	};

	return hc_balancer_plan(e->b, &q, &e->p);
}

/* Each step's moves, from what there is when it begins, over links that are good. */
static bool plan_holds(const struct bench *e)
{
	const struct hc_balance_plan *p = &e->p;
	uint64_t hold[NODES], begin[NODES] = {}, hops = 0;
	uint32_t u, n = hc_nodes(e->f->dim);
	unsigned int step = 0;
	size_t i;

	memcpy(hold, e->load, n * sizeof(*hold));
	for (i = 0; i < p->nmoves; i++) {
		const struct hc_balance_move *m = &p->moves[i];

		CHECK(m->step >= step && m->step && m->step <= p->move_steps);
		if (m->step > step)
			memcpy(begin, hold, sizeof(begin));
		step = m->step;
		CHECK(__builtin_popcount(m->from ^ m->to) == 1);
		CHECK(!(e->f->fault[m->from] & (m->from ^ m->to)));
		CHECK(m->tasks && m->tasks <= begin[m->from]);
		begin[m->from] -= m->tasks;
		hold[m->from] -= m->tasks;
		hold[m->to] += m->tasks;
		hops += m->tasks;
	}
	CHECK(hops == p->hops && p->migrations <= hops);
	for (u = 0; u < n; u++) {
		CHECK(hold[u] == p->final[u]);
		if (e->t.up[u] == HC_BALANCE_OUT)
			CHECK(hold[u] == e->load[u]);
		else
			CHECK(hold[u] >= p->least && hold[u] <= p->most);
	}
	return true;
}

static bool is_even(const struct bench *e)
{
	uint32_t u;

	CHECK(e->p.most - e->p.least <= 1);
	for (u = 0; u < hc_nodes(e->f->dim); u++)
		CHECK(e->p.quota[u] == e->p.final[u]);
	return true;
}

/* Tasks from a node to another in a step; 0: none. */
static uint64_t moved(const struct bench *e, uint32_t from, uint32_t to, unsigned int step)
{
	size_t i;

	for (i = 0; i < e->p.nmoves; i++)
		if (e->p.moves[i].from == from && e->p.moves[i].to == to &&
		    e->p.moves[i].step == step)
			return e->p.moves[i].tasks;
	return 0;
}

/* A plan of a 3-cube without faults. */
static bool bench_three(struct bench *e, const uint64_t *load, enum hc_balance_method method)
{
	CHECK(bench_init(e, cube_without(3, "")));
	bench_load(e, load);
	CHECK(!bench_plan(e, method));
	return plan_holds(e);
}

/* --- Figures 1 and 2, Tables 2 to 4: all from the same loads --- */

static const uint64_t example_1[] = { 19, 11, 2, 9, 0, 9, 10, 4 };

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

/* A row of a table: l, delta, theta and gamma of the j-cube of a node. */
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

/* What the paper gives of the loads; how the trees of 0001, 0011 and 1001 split theirs it
 * does not say.
 */
static const uint64_t example_2[] = {
	[0xb] = 5, [0xf] = 18, [0xe] = 14,
	[0x3] = 20, [0x2] = 8, [0x7] = 6,
	[0x1] = 4, [0x0] = 5, [0x4] = 3,
	[0x9] = 12, [0xd] = 12, [0xc] = 13,
};

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
	/* 3 log N + T */
	EXPECT_EQ(e.p.info_steps + e.p.move_steps, 3 * 4 + 2);
	bench_end(&e);
}

TEST(balance_tables_5_and_6_mcwa)
{
	/* Places 00, 01, 10, 11 are 0001, 0011, 1001, 1011. */
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

/* Lines 35 and 36: the sum up to i includes i. */
TEST(balance_lines_35_and_36_lose_tasks)
{
	static const uint64_t load[] = { 0, 4, 0, 0 };
	uint64_t printed[3], before = 0, sum = 0;
	struct bench e;
	uint32_t i, u;

	ASSERT_TRUE(bench_init(&e, cube_without(2, "00")));
	bench_load(&e, load);
	/* As printed, by root: 4 tasks on 3 nodes are 1 each, and 1 remains. */
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

/* Lines 43 to 48 as printed, from the root's quota on; fills in what each node keeps. */
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

TEST(balance_lines_47_and_48_are_not_even)
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
		/* The roots' quotas with the sum corrected: 1 for each node, and 3 more. */
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

/* Hops of the plan of a method; -1: it found none. */
static long hops_by(struct bench *e, enum hc_balance_method method)
{
	return bench_plan(e, method) ? -1 : (long)e->p.hops;
}

/* CWA is a heuristic, and "fewer migrations than DEM" is so on average only. */
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

static void random_loads(struct bench *e, unsigned int below)
{
	uint32_t u;

	for (u = 0; u < hc_nodes(e->f->dim); u++)
		e->load[u] = hc_set_has(e->f->dead, u) ? 0 : rnd(4) ? rnd(below + 1) : 0;
}

/* Erratum: without a largest subcube of dimension n - T or less there are more steps than that. */
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

/* The smallest sums of loads that DEM leaves uneven beyond n. */
TEST(balance_dem_with_a_failed_node)
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

/* DEM: at most n without faults; with them the paper's bound does not hold. */
TEST(balance_dem_is_bounded_without_faults_only)
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

/* --- all methods at random --- */

/* Is a flow of these moves the cheapest?  A cycle of negative cost in what could be changed
 * says no (Bellman and Ford).  The number N is the pool of those who hold one more.
 */
#define POOL NODES

struct change {
	uint32_t from, to;
	int cost;
};

static size_t changes(const struct bench *e, struct change *v)
{
	static int64_t flow[NODES][8];
	uint64_t each = e->p.least;
	size_t n = 0, i;
	unsigned int d;
	uint32_t u;

	memset(flow, 0, sizeof(flow));
	for (i = 0; i < e->p.nmoves; i++) {
		d = __builtin_ctz(e->p.moves[i].from ^ e->p.moves[i].to);
		flow[e->p.moves[i].from][d] += e->p.moves[i].tasks;
		flow[e->p.moves[i].to][d] -= e->p.moves[i].tasks;
	}
	for (u = 0; u < hc_nodes(e->f->dim); u++) {
		if (e->t.up[u] == HC_BALANCE_OUT)
			continue;
		for (d = 0; d < e->f->dim; d++)
			if (!(e->f->fault[u] >> d & 1))
				v[n++] = (struct change){ u, u ^ 1u << d, flow[u][d] < 0 ? -1 : 1 };
		/* One more there than here: from or to the pool. */
		if (e->p.final[u] > each)
			v[n++] = (struct change){ POOL, u, 0 };
		else
			v[n++] = (struct change){ u, POOL, 0 };
	}
	return n;
}

static bool is_cheapest(const struct bench *e)
{
	static struct change v[NODES * 9];
	int dist[NODES + 1] = {};
	size_t n = changes(e, v), i;
	unsigned int round;
	bool changed = true;

	for (round = 0; changed && round <= NODES + 1; round++)
		for (changed = false, i = 0; i < n; i++)
			if (dist[v[i].from] + v[i].cost < dist[v[i].to]) {
				dist[v[i].to] = dist[v[i].from] + v[i].cost;
				changed = true;
			}
	return !changed;
}

/* What hops cost: as in the paper, about as much as waiting, much more. */
static const double hop_costs[] = { .1, 2, 12, 500 };

static double least_score(struct bench *e, double hop_cost)
{
	const struct hc_balance_req q = { .load = e->load, .hop_cost = hop_cost };

	return hc_balancer_least(e->b, &q);
}

static bool same_score(double a, double b)
{
	return fabs(a - b) * 1e9 <= 1 + fabs(a);
}

/* The least score is that of the best load for the fullest node, tried one after the other. */
static bool is_least(struct bench *e, double hop_cost)
{
	static uint64_t final[NODES];
	const int64_t *flow;
	uint64_t sum = 0, most = 0, m;
	double best = 1e300;
	uint32_t i, u;

	for (i = 0; i < e->t.members; i++) {
		sum += e->load[e->t.order[i]];
		if (e->load[e->t.order[i]] > most)
			most = e->load[e->t.order[i]];
	}
	for (m = (sum + e->t.members - 1) / e->t.members; m <= most; m++) {
		int64_t hops = 0;

		flow = hc_flow_run(e->b->flow, e->load, m, final);
		for (i = 0; i < hc_nodes(e->f->dim) * e->f->dim; i++)
			hops += flow[i] > 0 ? flow[i] : 0;
		for (i = 0; i < e->t.members; i++) {
			u = e->t.order[i];
			CHECK(final[u] <= m && (int64_t)final[u] >= 0);
		}
		best = fmin(best, (hop_cost * hops + (double)m * e->t.members - sum) /
			    e->t.members);
	}
	CHECK(same_score(best, least_score(e, hop_cost)));
	return true;
}

static bool all_methods(struct bench *e)
{
	static const enum hc_balance_method others[] = {
		HC_BALANCE_RID, HC_BALANCE_DEM, HC_BALANCE_MCW,
	};
	double least = 1e300;
	uint64_t optimum;
	unsigned int i;

	CHECK(!bench_plan(e, HC_BALANCE_OPT));
	CHECK(plan_holds(e) && is_even(e) && is_cheapest(e));
	optimum = e->p.hops;
	least = e->p.score;
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		CHECK(!bench_plan(e, others[i]));
		CHECK(plan_holds(e));
		if (others[i] == HC_BALANCE_MCW)
			CHECK(is_even(e) && e->p.hops >= optimum);
		else if (e->p.most - e->p.least <= 1)
			CHECK(e->p.hops >= optimum);
		if (e->p.score < least)
			least = e->p.score;
	}
	CHECK(!bench_plan(e, HC_BALANCE_AUTO));
	CHECK(plan_holds(e) && e->p.score <= least);
	CHECK(least_score(e, .1) <= least || same_score(least_score(e, .1), least));
	if (e->t.b.dims == hc_ones(e->f->dim))
		CHECK(!bench_plan(e, HC_BALANCE_CWA) && plan_holds(e) && is_even(e));
	else
		CHECK(bench_plan(e, HC_BALANCE_CWA) == -EINVAL);
	return true;
}

TEST(balance_all_methods_at_random)
{
	unsigned int i;
	struct bench e;

	for (i = 0; i < 1500; i++) {
		unsigned int dim = 1 + i % 8;
		bool fine;

		if (!bench_init(&e, cube_random(dim, rnd(dim * 2), rnd(3) ? 0 : rnd(dim))))
			continue;
		random_loads(&e, i % 3 ? 40 : 1 + rnd(3));
		fine = all_methods(&e) && is_least(&e, hop_costs[i / 8 % ARRAY_SIZE(hop_costs)]);
		if (!fine)
			faults_print(e.f);
		ASSERT_TRUE(fine);
		bench_end(&e);
	}
}

/* All loads of up to two tasks, with each set of up to one failed node, of four nodes, and
 * of up to one task of eight.
 */
static bool each_load(struct bench *e, unsigned int below)
{
	uint32_t u, n = hc_nodes(e->f->dim);

	memset(e->load, 0, sizeof(e->load));
	do {
		CHECK(all_methods(e));
		for (u = 0; u < n; u++) {
			if (hc_set_has(e->f->dead, u))
				continue;
			if (++e->load[u] < below)
				break;
			e->load[u] = 0;
		}
	} while (u < n);
	return true;
}

TEST(balance_all_loads_of_small_cubes)
{
	struct hc_faults *f;
	unsigned int dim, i;
	struct bench e;

	for (dim = 2; dim <= 3; dim++)
		for (i = 0; i <= hc_nodes(dim); i++) {
			f = cube_without(dim, "");
			if (i < hc_nodes(dim))
				hc_faults_node(f, i);
			ASSERT_TRUE(bench_init(&e, f));
			ASSERT_TRUE(each_load(&e, dim == 2 ? 5 : 2));
			bench_end(&e);
		}
}

/* Brute force: every flow of up to three tasks over each link of four nodes.  The fewest hops to an
 * even load, and the least score.
 */
static unsigned int brute(const uint64_t *load, double hop_cost, double *score)
{
	static const uint8_t ends[4][2] = { { 0, 1 }, { 1, 3 }, { 3, 2 }, { 2, 0 } };
	uint64_t sum = load[0] + load[1] + load[2] + load[3];
	unsigned int best = UINT32_MAX, code, i, hops;
	int v[4], flow, least, most;

	*score = 1e300;

	for (code = 0; code < 2401; code++) {
		unsigned int rest = code;

		for (i = 0; i < 4; i++)
			v[i] = load[i];
		for (hops = 0, i = 0; i < 4; i++, rest /= 7) {
			flow = (int)(rest % 7) - 3;
			v[ends[i][0]] -= flow;
			v[ends[i][1]] += flow;
			hops += abs(flow);
		}
		least = v[0];
		most = v[0];
		for (i = 1; i < 4; i++) {
			least = v[i] < least ? v[i] : least;
			most = v[i] > most ? v[i] : most;
		}
		if (most - least <= 1 && hops < best)
			best = hops;
		if (least >= 0)
			*score = fmin(*score, (hop_cost * hops + 4. * most - sum) / 4);
	}
	return best;
}

TEST(balance_the_optimum_against_brute_force)
{
	static const unsigned int place[] = { 1, 5, 25, 125 };
	struct bench e;
	unsigned int code, i;
	double score;

	ASSERT_TRUE(bench_init(&e, cube_without(2, "")));
	for (code = 0; code < 625; code++) {
		double hop_cost = hop_costs[code % ARRAY_SIZE(hop_costs)];

		for (i = 0; i < 4; i++)
			e.load[i] = code / place[i] % 5;
		ASSERT_EQ(bench_plan(&e, HC_BALANCE_OPT), 0);
		ASSERT_EQ(e.p.hops, brute(e.load, hop_cost, &score));
		ASSERT_TRUE(same_score(score, least_score(&e, hop_cost)));
	}
	bench_end(&e);
}

/* RID's formula, and the own load that the text wants in the mean. */
TEST(balance_rid_asks_for_its_part_of_the_mean)
{
	static const uint64_t load[] = { 0, 12, 9, 50, 3, 50, 50, 50 };
	struct bench e;

	ASSERT_TRUE(bench_three(&e, load, HC_BALANCE_RID));
	/* Node 0: the mean of four is 6, in parts of 12, 9 and 3 of 24. */
	EXPECT_EQ(moved(&e, 1, 0, 1), 3);
	EXPECT_EQ(moved(&e, 2, 0, 1), 2);
	EXPECT_EQ(moved(&e, 4, 0, 1), 0);
	/* Node 4: has 3, the mean with 50, 50 and 5 is 27. */
	EXPECT_EQ(moved(&e, 5, 4, 2), 11);
	EXPECT_EQ(moved(&e, 6, 4, 2), 11);
	bench_end(&e);
}
