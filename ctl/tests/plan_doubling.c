// SPDX-License-Identifier: GPL-2.0
/*
 * Recursive doubling against brute force: which subcubes have no faults, which of them is the
 * largest, and whose data each node has after each stage.
 */
#include <string.h>

#include "doubling.h"
#include "plan_test.h"

/* Return: true if the subcube has no fault. Each of its nodes and links is checked. */
static bool sound(const struct oracle *o, uint32_t dims, uint32_t base)
{
	unsigned int u, d, links = 0;

	for (u = 0; u < 1u << o->n; u++) {
		if ((u ^ base) & ~dims)
			continue;
		if (o->dead[u])
			return false;
		for (d = 0; d < o->n; d++)
			if (dims >> d & 1 && (o->bad[u][d] || o->dead[u ^ 1u << d]))
				return false;
	}
	/* A single node must have a healthy link to a live neighbour. */
	for (d = 0; d < o->n; d++)
		links += !o->bad[base][d] && !o->dead[base ^ 1u << d];
	return dims || links;
}

static unsigned int weight(uint32_t w)
{
	return (unsigned int)__builtin_popcount(w);
}

/* Check all subcubes: the verifier accepts exactly those without faults, and the planner finds the
 * first of the largest of them.
 */
static bool world_agrees(const struct world *w)
{
	uint32_t nodes = 1u << w->o.n, dims, base, best_dims = 0, best_base = 0;
	struct hc_reason reason;
	struct hc_doubling d;
	bool any = false;

	for (dims = 0; dims < nodes; dims++)
		for (base = 0; base < nodes; base++) {
			bool want = sound(&w->o, dims, base);

			CHECK(!hc_plan_doubling(w->f, dims, base, &d, &reason) == want);
			CHECK(d.base == (base & ~dims) && d.stages == weight(dims));
			if (!want)
				CHECK(reason.why && hc_doubling_has(&d, reason.node));
			if (want && !(base & dims) &&
			    (!any || weight(dims) > weight(best_dims))) {
				best_dims = dims;
				best_base = base;
				any = true;
			}
		}
	CHECK(!hc_plan_doubling_largest(w->f, &d) == any);
	if (any)
		CHECK(hc_doubling_mask(&d) == best_dims && d.base == best_base);
	return true;
}

TEST(doubling_plans_avoid_up_to_two_faulty_links_of_eight_nodes)
{
	unsigned int i, k;

	for (i = 0; i < 12; i++)
		for (k = i; k < 12; k++) {
			struct world w;
			bool fine;

			world_init(&w, 3);
			world_nth_link(&w, i);
			if (k != i)
				world_nth_link(&w, k);
			fine = world_agrees(&w);
			world_free(&w);
			ASSERT_TRUE(fine);
		}
}

TEST(doubling_plans_avoid_random_faults)
{
	unsigned int round, i;

	for (round = 0; round < 400; round++) {
		unsigned int n = 1 + rnd(5), links = n << (n - 1);
		struct world w;
		bool fine;

		world_init(&w, n);
		for (i = rnd(2 * n); i; i--)
			world_nth_link(&w, rnd(links));
		for (i = rnd(n); i; i--)
			world_node(&w, rnd(1u << n));
		fine = world_agrees(&w);
		if (!fine)
			faults_print(w.f);
		world_free(&w);
		ASSERT_TRUE(fine);
	}
}

/* The verifier refuses plans of wrong shapes, which no planner makes. */
TEST(doubling_verifier_refuses_malformed_plans)
{
	const struct hc_doubling good = { .dim = 3, .stages = 2, .base = 1, .order = { 2, 1 } };
	uint32_t fault[8] = { 0 };
	struct hc_doubling d = good;

	ASSERT_TRUE(!hc_doubling_check(&d, fault, NULL));
	d.base = 3;
	ASSERT_TRUE(hc_doubling_check(&d, fault, NULL));
	d.base = 8;
	ASSERT_TRUE(hc_doubling_check(&d, fault, NULL));
	d = good;
	d.order[1] = 2;
	ASSERT_TRUE(hc_doubling_check(&d, fault, NULL));
	d.order[1] = 3;
	ASSERT_TRUE(hc_doubling_check(&d, fault, NULL));
	d = good;
	d.stages = 4;
	ASSERT_TRUE(hc_doubling_check(&d, fault, NULL));
	d = good;
	d.dim = 0;
	ASSERT_TRUE(hc_doubling_check(&d, fault, NULL));
	/* If the ends of a link disagree, the link is faulty. */
	d = good;
	fault[5] = 1 << 1;
	ASSERT_TRUE(hc_doubling_check(&d, fault, NULL));
}

/* hc_doubling_next() leads to each node of the subcube once. With each stage the number of
 * contributions at each node doubles, and in the end each node has all of them.
 */
TEST(doubling_stage_doubles_contributions_until_each_node_has_all)
{
	const struct hc_doubling d = { .dim = 5, .stages = 3, .base = 2, .order = { 4, 0, 3 } };
	uint32_t has[32] = { 0 }, next[32], u = d.base, all = 0;
	unsigned int i, n = 0;

	do {
		ASSERT_TRUE(hc_doubling_has(&d, u));
		has[u] = 1u << u;
		all |= has[u];
		n++;
		u = hc_doubling_next(&d, hc_doubling_mask(&d), u);
	} while (u != d.base);
	ASSERT_TRUE(n == 8 && weight(all) == 8);
	for (i = 0; i < d.stages; i++) {
		for (u = 0; u < 32; u++) {
			next[u] = has[u] | has[u ^ 1u << d.order[i]];
			ASSERT_TRUE(!has[u] || weight(next[u]) == 2u << i);
		}
		memcpy(has, next, sizeof(has));
	}
	for (u = 0; u < 32; u++)
		ASSERT_TRUE(has[u] == (hc_doubling_has(&d, u) ? all : 0));
}

/* Each dimension and length has a row of the table. The row's length is not less than the given
 * one, unless it is the largest of the row's dimension; and the decision follows from the row.
 */
TEST(doubling_choice_follows_table_of_measurements)
{
	const struct hc_doubling_measured *table, *row;
	unsigned int dim;
	uint64_t bytes;
	size_t n, i;

	table = hc_doubling_measured(&n);
	ASSERT_TRUE(n);
	for (i = 0; i < n; i++) {
		ASSERT_TRUE(hc_doubling_pays(table[i].dim, table[i].bytes, &row) ==
			    (table[i].latency <= 90 && table[i].back_to_back <= 90));
		ASSERT_TRUE(row == &table[i]);
		if (i && table[i].dim == table[i - 1].dim)
			ASSERT_TRUE(table[i].bytes > table[i - 1].bytes);
	}
	for (dim = 1; dim <= HC_LIB_DIM_MAX; dim++)
		for (bytes = 0; bytes < 1 << 24; bytes = bytes * 3 + 1) {
			hc_doubling_pays(dim, bytes, &row);
			ASSERT_TRUE(row >= table && row < table + n);
			ASSERT_TRUE(row->bytes >= bytes || row == &table[n - 1] ||
				    row[1].dim != row->dim);
		}
}
