// SPDX-License-Identifier: GPL-2.0
/*
 * The planners, compared with trying everything: for all small sets of faults, and for random
 * larger ones.
 */
#include <errno.h>
#include <string.h>
#include <stdlib.h>
#include <time.h>

#include "plan_test.h"

/* Return: true if the planner's tree is the oracle's tree @t with the score @s. */
static bool same_tree(const struct hc_tree_plan *p, const struct oracle_tree *t,
		      const struct oracle_score *s)
{
	unsigned int i;

	CHECK(p->clean_sink == s->clean && p->nmembers == s->members);
	CHECK(p->cost == s->cost && p->faulty_stages == s->stages);
	CHECK(p->tree.sink == t->sink && p->tree.stages == t->k);
	for (i = 0; i < t->k; i++)
		CHECK(p->tree.order[i] == t->order[i]);
	return true;
}

static bool any_live(const struct world *w)
{
	unsigned int u;

	for (u = 0; u < 1u << w->o.n; u++)
		if (!w->o.dead[u])
			return true;
	return false;
}

/* Return: true if the methods EXACT and EXHAUST find the oracle's tree, or fail if it has none, and
 * the plan of EXACT passes plan_holds().
 */
static bool optimal(const struct world *w, const struct oracle_tree *best,
		    const struct oracle_score *score, bool found)
{
	static const enum hc_tree_method methods[] = { HC_TREE_EXACT, HC_TREE_EXHAUST };
	struct hc_tree_plan p;
	unsigned int i;
	int err;

	for (i = 0; i < 2; i++) {
		err = world_plan(w, methods[i], HC_ANY_SINK, &p);
		if (!found) {
			CHECK(err == (any_live(w) ? -ENOLINK : -EHOSTDOWN));
			continue;
		}
		CHECK(!err && same_tree(&p, best, score));
		CHECK(i || plan_holds(w, &p));
		hc_tree_plan_free(&p);
	}
	return true;
}

/* Return: true if FIND_TREE fails if and only if no node is clean, and its tree is no better than
 * the optimum.
 */
static bool find_tree_fair(const struct world *w, const struct oracle_score *best,
			   bool found)
{
	struct hc_tree_plan p;
	int err = world_plan(w, HC_TREE_FIND, HC_ANY_SINK, &p);

	if (!found || !best->clean) {
		CHECK(err == -ENOENT);
		return true;
	}
	CHECK(!err && p.clean_sink);
	CHECK(p.nmembers < best->members || p.cost >= best->cost);
	CHECK(plan_holds(w, &p));
	hc_tree_plan_free(&p);
	return true;
}

/* Check all methods with the faults of @w. */
static bool all_right(const struct world *w)
{
	struct oracle_score score = { 0 };
	struct oracle_tree best = { 0 };
	bool found = oracle_best(&w->o, (1u << w->o.n) - 1, 0, &best, &score);

	if (optimal(w, &best, &score, found) && find_tree_fair(w, &score, found))
		return true;
	faults_print(w->f);
	return false;
}

/* Check all methods with the faulty links @links (bit i is link number i) and the failed nodes
 * @nodes.
 */
static bool all_right_with(unsigned int n, uint64_t links, unsigned int nodes)
{
	struct world w;
	unsigned int i;
	bool fine;

	world_set(&w, n, links);
	for (i = 0; i < 1u << n; i++)
		if (nodes >> i & 1)
			world_node(&w, i);
	fine = all_right(&w);
	world_free(&w);
	return fine;
}

TEST(tree_is_optimal_with_any_link_faults_to_dimension_3)
{
	unsigned int n;
	uint64_t set;

	for (n = 1; n <= 3; n++)
		for (set = 0; set < 1ull << (n << (n - 1)); set++)
			ASSERT_TRUE(all_right_with(n, set, 0));
}

TEST(tree_is_optimal_with_any_node_faults_in_dimension_3)
{
	unsigned int nodes, i, j;

	for (nodes = 0; nodes < 256; nodes++)
		for (i = 0; i < 12; i++)
			for (j = 0; j <= i; j++)
				ASSERT_TRUE(all_right_with(3, 1ull << i | 1ull << j, nodes));
}

TEST(tree_is_optimal_with_any_3_link_faults_in_dimension_4)
{
	unsigned int i, j, k;
	uint64_t set;

	for (i = 0; i < 32; i++)
		for (j = 0; j <= i; j++)
			for (k = 0; k <= j; k++) {
				set = 1ull << i | 1ull << j | 1ull << k;
				ASSERT_TRUE(all_right_with(4, set, 0));
			}
}

TEST(tree_is_optimal_with_random_faults_in_dimension_4)
{
	unsigned int run, f, nodes, i;
	uint64_t set;

	for (run = 0; run < 2500; run++) {
		f = 4 + rnd(run % 5 ? 5 : 20);
		for (set = 0, i = 0; i < f; i++)
			set |= 1ull << rnd(32);
		nodes = run & 1 ? 1u << rnd(16) | 1u << rnd(16) | 1u << rnd(16) : 0;
		ASSERT_TRUE(all_right_with(4, set, nodes));
	}
}

/* Compare trees of a subcube, some with a requested sink, with the oracle's. */
TEST(tree_of_subcube_or_to_requested_sink_is_optimal)
{
	unsigned int run;

	for (run = 0; run < 3000; run++) {
		struct hc_tree_req req = { .sink = HC_ANY_SINK };
		struct oracle_score score = { 0 };
		struct oracle_tree best = { 0 };
		unsigned int n = 1 + rnd(5);
		struct hc_tree_plan p;
		const char *why;
		struct world w;
		bool found;
		int err;

		world_init(&w, n);
		world_fail(&w, rnd(3 * n), rnd(3));
		do {
			req.dims = 1 + rnd((1u << n) - 1);
		} while (__builtin_popcount(req.dims) > 4);
		req.base = rnd(1u << n);
		req.method = run & 1 ? HC_TREE_EXACT : HC_TREE_EXHAUST;
		if (run & 2) {
			req.sink = req.base;
			found = oracle_best_at(&w.o, req.dims, req.sink, &best, &score);
		} else {
			found = oracle_best(&w.o, req.dims, req.base, &best, &score);
		}
		err = hc_plan_tree(w.f, &req, &p, &why);
		ASSERT_TRUE(err == 0 || err == -ENOLINK || err == -EHOSTDOWN);
		ASSERT_TRUE(found == !err);
		if (!err)
			ASSERT_TRUE(same_tree(&p, &best, &score) && plan_holds(&w, &p));
		hc_tree_plan_free(&p);
		if (req.sink == HC_ANY_SINK || found) {
			req.method = HC_TREE_FIND;
			if (!hc_plan_tree(w.f, &req, &p, &why))
				ASSERT_TRUE(plan_holds(&w, &p));
			hc_tree_plan_free(&p);
		}
		world_free(&w);
	}
}

static bool same_plan(const struct hc_tree_plan *a, const struct hc_tree_plan *b)
{
	CHECK(a->tree.sink == b->tree.sink);
	CHECK(!memcmp(a->tree.order, b->tree.order, a->tree.stages));
	CHECK(a->cost == b->cost && a->faulty_stages == b->faulty_stages);
	return true;
}

/* In larger cubes the oracle takes too long, so EXACT is compared with EXHAUST. */
TEST(exact_and_exhaust_find_same_tree_in_dimensions_5_and_6)
{
	struct hc_tree_plan exact, exhaust;
	unsigned int run, n, links;
	struct world w;

	for (run = 0; run < 250; run++) {
		n = 5 + (run % 10 == 0);
		world_init(&w, n);
		links = rnd(run & 1 ? 3 * n : 12 * n);
		world_fail(&w, links, rnd(4));
		if (world_plan(&w, HC_TREE_EXACT, HC_ANY_SINK, &exact)) {
			world_free(&w);
			continue;
		}
		ASSERT_TRUE(!world_plan(&w, HC_TREE_EXHAUST, HC_ANY_SINK, &exhaust));
		ASSERT_TRUE(same_plan(&exact, &exhaust) && plan_holds(&w, &exact));
		hc_tree_plan_free(&exact);
		hc_tree_plan_free(&exhaust);
		world_free(&w);
	}
}

/* Any order and any sink make a plan whose properties are right. */
TEST(tree_of_random_order_and_sink_has_computed_properties)
{
	unsigned int run, i, j, n, ran = 0;

	for (run = 0; run < 600; run++) {
		uint8_t order[ORACLE_DIMS];
		struct hc_tree_plan p;
		struct world w;
		const char *why;

		n = run % 20 ? 2 + rnd(5) : 7 + rnd(2);
		world_init(&w, n);
		world_fail(&w, rnd((n << (n - 1)) * 2 / 3), rnd(n));
		for (i = 0; i < n; i++) {
			j = rnd(i + 1);
			order[i] = order[j];
			order[j] = (uint8_t)i;
		}
		if (!hc_plan_tree_fixed(w.f, rnd(1u << n), order, n - (rnd(4) == 0),
					&p, &why)) {
			ASSERT_TRUE(plan_holds(&w, &p));
			ran++;
		}
		hc_tree_plan_free(&p);
		world_free(&w);
	}
	ASSERT_TRUE(ran > 300);
}

/* Make a plan in less than @limit seconds of processor time, and verify it. */
static bool timed_plan(const struct hc_faults *f, double limit, struct hc_tree_plan *p)
{
	struct hc_tree_req req = { .sink = HC_ANY_SINK };
	clock_t start = clock();
	struct hc_tree_reason reason;
	const char *why;
	uint32_t *work;
	int err;

	CHECK(!hc_plan_tree(f, &req, p, &why));
	CHECK((double)(clock() - start) / CLOCKS_PER_SEC < limit);
	work = malloc(HC_TREE_WORK(f->dim) * sizeof(*work));
	CHECK(work);
	err = hc_tree_check(&p->tree, f->fault, work, &reason);
	free(work);
	CHECK(!err);
	return true;
}

TEST(trees_of_large_cubes_are_found_within_time_limit)
{
	static const struct {
		unsigned int dim, links, nodes;
		double limit;
	} runs[] = {
		{ 10, 20, 0, 1 }, { 10, 400, 9, 1 }, { 12, 900, 30, 2 },
		{ 16, 0, 0, 10 }, { 16, 64, 0, 10 }, { 16, 64, 0, 10 },
		{ 16, 300, 20, 10 },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(runs); i++) {
		struct hc_faults *f = hc_faults_new(runs[i].dim);
		struct hc_tree_plan p;

		ASSERT_TRUE(f);
		for (j = 0; j < runs[i].links; j++)
			hc_faults_link(f, rnd(1u << f->dim), rnd(f->dim));
		for (j = 0; j < runs[i].nodes; j++)
			hc_faults_node(f, rnd(1u << f->dim));
		ASSERT_TRUE(timed_plan(f, runs[i].limit, &p));
		hc_tree_plan_free(&p);
		hc_faults_free(f);
	}
}

/*
 * A case that is hard for the search: the cube has dimension 16, and the 64 faulty links are in one
 * small subcube, so no dimension is clearly better than another.
 */
TEST(tree_with_clustered_faults_in_dimension_16_takes_under_10_s)
{
	unsigned int run, j;

	for (run = 0; run < 3; run++) {
		struct hc_faults *f = hc_faults_new(16);
		struct hc_tree_plan p;

		ASSERT_TRUE(f);
		for (j = 0; j < 64; j++)
			hc_faults_link(f, rnd(1u << (4 + 3 * run)), j % 16);
		ASSERT_TRUE(timed_plan(f, 10, &p));
		hc_tree_plan_free(&p);
		hc_faults_free(f);
	}
}
