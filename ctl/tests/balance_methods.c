// SPDX-License-Identifier: GPL-2.0
/*
 * Plans of all methods of balancing: properties that hold for random cubes and for all loads of
 * small ones, and the optimum, which is computed in a second, independent manner.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "balance_bench.h"
#include "net.h"
#include "topo_both.h"

/* is_cheapest() checks that a plan has as few hops as any even plan. It has as few if no change
 * along a cycle saves hops, that is, if the graph of the possible changes of the flow has no cycle
 * of negative cost (Bellman and Ford's algorithm). Node POOL of this graph takes one task from each
 * node that holds one more than the others.
 */
#define POOL BENCH_NODES

/* A possible change of the flow: one more task moves from @from to @to, which costs @cost hops. */
struct change {
	uint32_t from, to;
	int cost;
};

/* List the possible changes of the flow of the plan. Return: their number. */
static size_t changes(const struct bench *e, struct change *v)
{
	static int64_t flow[BENCH_NODES][8];
	const struct hc_topo *topo = &e->f->topo;
	uint64_t each = e->p.least;
	size_t n = 0, i;
	unsigned int d;
	uint32_t u;

	memset(flow, 0, sizeof(flow));
	for (i = 0; i < e->p.nmoves; i++) {
		d = hc_port_to(topo, e->p.moves[i].from, e->p.moves[i].to);
		flow[e->p.moves[i].from][d] += e->p.moves[i].tasks;
		flow[e->p.moves[i].to][d] -= e->p.moves[i].tasks;
	}
	for (u = 0; u < topo->nodes; u++) {
		if (e->t.up[u] == HC_BALANCE_OUT)
			continue;
		for (d = 0; d < topo->ports; d++)
			if (hc_peer(topo, u, d) != u && !(e->f->fault[u] >> d & 1))
				v[n++] = (struct change){ u, hc_peer(topo, u, d),
							  flow[u][d] < 0 ? -1 : 1 };
		/* Node @u may get its additional task back from the pool, or move one to the pool.
		 */
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

/* Costs of a hop: that of the paper, the time of two tasks, and two costs that are much higher. */
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

/* Compare hc_balancer_least() with the least score over all values @m of the greatest load that a
 * node may keep.
 */
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
		for (i = 0; i < e->f->topo.nodes * e->f->topo.ports; i++)
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

/* Check the plans of all methods for the loads of @e: no even plan has fewer hops than the optimum,
 * and no plan has a lower score than that of method AUTO.
 */
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
		if (!e->f->dim && others[i] == HC_BALANCE_MCW) {
			CHECK(bench_plan(e, others[i]) == -EOPNOTSUPP);
			continue;
		}
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
	if (!e->f->dim)
		CHECK(bench_plan(e, HC_BALANCE_CWA) == -EOPNOTSUPP);
	else if (e->t.b.dims == hc_ones(e->f->dim))
		CHECK(!bench_plan(e, HC_BALANCE_CWA) && plan_holds(e) && is_even(e));
	else
		CHECK(bench_plan(e, HC_BALANCE_CWA) == -EINVAL);
	return true;
}

TEST(balance_all_methods_meet_their_guarantees_in_random_cubes)
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

/* Check all methods with every combination of loads of less than @below tasks on the live nodes. */
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

/* Try loads of up to four tasks on four nodes, and of up to one task on eight nodes, without faults
 * and with each single failed node.
 */
TEST(balance_all_methods_meet_their_guarantees_for_all_small_loads)
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

/* Try every flow of up to three tasks over each link of a cube of four nodes. *score: set to the
 * least score. Return: the fewest hops that make the load even.
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

TEST(balance_opt_needs_as_few_hops_as_brute_force_search_finds)
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

/* --- networks that are no hypercubes --- */

static const struct hc_net_spec specs[] = {
	{ HC_NET_TORUS, 2, { 5, 5 } }, { HC_NET_MESH, 2, { 5, 4 } }, { HC_NET_RING, 1, { 7 } },
	{ HC_NET_TREE, 2, { 2, 4 } }, { HC_NET_FULL, 1, { 8 } }, { HC_NET_DRAGONFLY, 2, { 3, 2 } },
	{ HC_NET_KARY, 2, { 3, 3 } },
};

/* Make a network, with up to @nodes random failed nodes and up to @links random faulty links. */
static struct hc_faults *net_random(const struct hc_net_spec *spec, unsigned int nodes,
				    unsigned int links)
{
	struct hc_edge *edges;
	struct hc_faults *f;
	struct hc_net net;
	const char *why;
	uint32_t n;
	size_t m;

	if (hc_net_links(spec, BENCH_NODES, &n, &edges, &m, &why) ||
	    hc_net_make(spec, n, edges, m, &net, &why))
		abort();
	free(edges);
	f = hc_faults_of(&net.topo);
	if (!f)
		abort();
	while (nodes--)
		hc_faults_node(f, rnd(f->topo.nodes));
	while (links--)
		hc_faults_link(f, rnd(f->topo.nodes), rnd(f->topo.ports));
	return f;
}

/* Return: true if the tree has all nodes of a largest component, and no such tree has less depth.
 * The distances are computed by Floyd and Warshall's algorithm.
 */
static bool is_middle(const struct bench *e)
{
	static unsigned int far[BENCH_NODES][BENCH_NODES];
	const uint32_t n = e->f->topo.nodes;
	unsigned int best = UINT32_MAX, most = 0;
	uint32_t u, v, w, d;

	memset(far, 0x7f, sizeof(far));
	for (u = 0; u < n; u++) {
		far[u][u] = 0;
		for (d = 0; d < e->f->topo.ports; d++)
			if (hc_link_good(&e->f->topo, e->f->fault, u, d))
				far[u][hc_peer(&e->f->topo, u, d)] = 1;
	}
	for (w = 0; w < n; w++)
		for (u = 0; u < n; u++)
			for (v = 0; v < n; v++)
				if (far[u][w] + far[w][v] < far[u][v])
					far[u][v] = far[u][w] + far[w][v];
	for (u = 0; u < n; u++) {
		unsigned int part = 0, depth = 0;

		for (v = 0; v < n; v++) {
			if (far[u][v] >= n)
				continue;
			part++;
			depth = far[u][v] > depth ? far[u][v] : depth;
		}
		if (part > most || (part == most && depth < best))
			best = depth;
		most = part > most ? part : most;
	}
	CHECK(e->t.members == most && e->t.b.depth == best);
	return true;
}

TEST(balance_all_methods_meet_their_guarantees_in_random_networks)
{
	unsigned int i, planned = 0;
	struct bench e;

	for (i = 0; i < 700; i++) {
		const struct hc_net_spec *spec = &specs[i % ARRAY_SIZE(specs)];
		bool fine;

		if (!bench_init(&e, net_random(spec, rnd(4), rnd(5))))
			continue;
		random_loads(&e, i % 3 ? 40 : 1 + rnd(3));
		fine = all_methods(&e) && is_middle(&e) &&
		       is_least(&e, hop_costs[i / 8 % ARRAY_SIZE(hop_costs)]);
		if (!fine)
			printf("# network %u of kind %u\n", i, spec->kind);
		ASSERT_TRUE(fine);
		bench_end(&e);
		planned++;
	}
	ASSERT_TRUE(planned > 600);
}

/* The plans of RID and DEM, and the number of hops of the optimum, depend only on the links: they
 * are the same if the cube is given as a table of peers.
 */
TEST(balance_plan_of_cube_given_as_table_equals_that_of_cube)
{
	static const enum hc_balance_method methods[] = {
		HC_BALANCE_RID, HC_BALANCE_DEM, HC_BALANCE_OPT,
	};
	struct bench cube, table;
	struct hc_faults *f;
	struct hc_topo topo;
	unsigned int i, k, compared = 0;
	size_t bytes;
	bool same;
	void *peers;

	for (i = 0; i < 300; i++) {
		f = cube_random(1 + i % 6, rnd(4), rnd(3));
		topo = topo_both(f->dim, true);
		bytes = (size_t)topo.nodes * topo.ports * sizeof(*topo.peers);
		peers = malloc(bytes);
		ASSERT_TRUE(peers);
		topo.peers = memcpy(peers, topo.peers, bytes);
		table.f = hc_faults_of(&topo);
		ASSERT_TRUE(table.f);
		memcpy(table.f->fault, f->fault, topo.nodes * sizeof(*f->fault));
		memcpy(table.f->dead, f->dead, hc_topo_words(&topo) * sizeof(*f->dead));
		if (!bench_init(&cube, f)) {
			hc_faults_free(table.f);
			continue;
		}
		ASSERT_TRUE(bench_init(&table, table.f));
		random_loads(&cube, 40);
		bench_load(&table, cube.load);
		/* If several components are the largest, the topologies may have different ones;
		 * such plans are not compared.
		 */
		same = !memcmp(cube.t.excluded, table.t.excluded,
			       hc_topo_words(&topo) * sizeof(uint32_t));
		compared += same;
		for (k = 0; k < ARRAY_SIZE(methods) && same; k++) {
			ASSERT_EQ(bench_plan(&cube, methods[k]), 0);
			ASSERT_EQ(bench_plan(&table, methods[k]), 0);
			EXPECT_EQ(cube.p.hops, table.p.hops);
			/* Several plans may have the fewest hops, so the final loads of method OPT
			 * may differ.
			 */
			if (methods[k] != HC_BALANCE_OPT)
				EXPECT_TRUE(!memcmp(cube.p.final, table.p.final,
						    topo.nodes * sizeof(*cube.p.final)));
		}
		bench_end(&cube);
		bench_end(&table);
	}
	ASSERT_TRUE(compared > 200);
}
