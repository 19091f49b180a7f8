// SPDX-License-Identifier: GPL-2.0
/*
 * Plans of all methods for balancing: what must hold of them at random and of small cubes, and the
 * optimum against another way to find it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "balance_bench.h"

/* Is a flow of these moves the cheapest?  A cycle of negative cost in what could be changed
 * says no (Bellman and Ford).  The number N is the pool of those who hold one more.
 */
#define POOL BENCH_NODES

struct change {
	uint32_t from, to;
	int cost;
};

static size_t changes(const struct bench *e, struct change *v)
{
	static int64_t flow[BENCH_NODES][8];
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
	static struct change v[BENCH_NODES * 9];
	int dist[BENCH_NODES + 1] = {};
	size_t n = changes(e, v), i;
	unsigned int round;
	bool changed = true;

	for (round = 0; changed && round <= BENCH_NODES + 1; round++)
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
	static uint64_t final[BENCH_NODES];
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
