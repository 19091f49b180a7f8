// SPDX-License-Identifier: GPL-2.0
/*
 * Steps up and down a tree, and the fewest steps of all trees with a sink, compared with all orders
 * by the oracle.
 */
#include "plan_test.h"

/* Number of steps up, and of steps up and down. */
struct steps {
	unsigned int up;
	unsigned int both;
};

/* Compute the steps of a tree by the oracle. On the way down the stages run from the last one to
 * the first one at which a member sends; then the last member has the result.
 */
static bool oracle_steps(const struct world *w, const struct oracle_tree *t, struct steps *s)
{
	static struct oracle_script script;
	bool members[ORACLE_NODES] = {};
	struct oracle_result r;
	unsigned int i, u;

	oracle_members(&w->o, t, members);
	oracle_fttc(&w->o, t, ORACLE_NEAREST, members, &script);
	oracle_run(&w->o, t, members, &script, &r);
	CHECK(r.outcome == ORACLE_DONE);
	*s = (struct steps){ r.steps, 2 * r.steps };
	for (i = 0; i < t->k; i++) {
		for (u = 0; u < 1u << w->o.n; u++)
			if (members[u] && oracle_state(t, u, i) == ORACLE_ACTIVE)
				return true;
		s->both -= r.cost[i];
	}
	return true;
}

/* Compare the steps of one order by the planner with those by the oracle. @least: updated. */
static bool order_right(const struct world *w, const struct oracle_tree *t, struct steps *least)
{
	uint8_t order[ORACLE_DIMS];
	struct hc_tree_plan p;
	struct steps s;
	const char *why;
	unsigned int i;

	for (i = 0; i < t->k; i++)
		order[i] = (uint8_t)t->order[i];
	CHECK(oracle_steps(w, t, &s));
	CHECK(!hc_plan_tree_fixed(w->f, t->sink, order, t->k, &p, &why));
	CHECK(p.steps == s.up && p.steps + hc_plan_tree_down(&p) == s.both);
	hc_tree_plan_free(&p);
	if (s.up < least->up)
		least->up = s.up;
	if (s.both < least->both)
		least->both = s.both;
	return true;
}

/* Check all orders that permute t->order from index @k on. */
static bool each_order(const struct world *w, struct oracle_tree *t, unsigned int k,
		       struct steps *least)
{
	unsigned int i, d;

	if (k == t->k)
		return order_right(w, t, least);
	for (i = k; i < t->k; i++) {
		d = t->order[i];
		t->order[i] = t->order[k];
		t->order[k] = d;
		CHECK(each_order(w, t, k + 1, least));
		t->order[k] = t->order[i];
		t->order[i] = d;
	}
	return true;
}

/* Compare hc_plan_tree_least() for the first @k dimensions, in ascending order, with the fewest
 * steps of all orders of these dimensions.
 */
static bool sink_right(const struct world *w, unsigned int sink, unsigned int k)
{
	struct oracle_tree t = { .k = k, .sink = sink, .order = { 0, 1, 2, 3 } };
	const uint8_t order[] = { 0, 1, 2, 3 };
	struct steps least = { ~0u, ~0u };
	struct hc_tree_least got;
	struct hc_tree_plan p;
	const char *why;

	if (hc_plan_tree_fixed(w->f, sink, order, k, &p, &why))
		return true;
	CHECK(each_order(w, &t, 0, &least));
	CHECK(!hc_plan_tree_least(w->f, &p, &got));
	CHECK(got.exact && got.up == least.up && got.both == least.both);
	hc_tree_plan_free(&p);
	return true;
}

/* Check the steps for all sinks in a cube with these faults. */
static bool steps_right(unsigned int n, uint64_t links, unsigned int nodes)
{
	bool right = true;
	unsigned int u, k;
	struct world w;

	world_set(&w, n, links);
	for (u = 0; u < 1u << n; u++)
		if (nodes >> u & 1)
			world_node(&w, u);
	for (u = 0; right && u < 1u << n; u++)
		for (k = n - (n > 1); right && k <= n && !w.o.dead[u]; k++)
			right = sink_right(&w, u, k);
	if (!right)
		faults_print(w.f);
	world_free(&w);
	return right;
}

TEST(steps_of_trees_match_oracle_for_all_faults_in_dimension_2)
{
	unsigned int links, nodes;

	for (links = 0; links < 16; links++)
		for (nodes = 0; nodes < 16; nodes++)
			ASSERT_TRUE(steps_right(2, links, nodes));
}

TEST(steps_of_trees_match_oracle_for_all_link_faults_in_dimension_3)
{
	unsigned int links;

	for (links = 0; links < 4096; links++)
		ASSERT_TRUE(steps_right(3, links, 0));
}

TEST(steps_of_trees_match_oracle_for_all_node_faults_in_dimension_3)
{
	unsigned int nodes, i;

	for (nodes = 0; nodes < 256; nodes++)
		for (i = 0; i < 12; i++)
			ASSERT_TRUE(steps_right(3, 1 << i, nodes));
}

TEST(steps_of_trees_match_oracle_for_random_faults_in_dimension_4)
{
	unsigned int run;

	for (run = 0; run < 300; run++)
		ASSERT_TRUE(steps_right(4, 1ull << rnd(32) | 1ull << rnd(32) | 1ull << rnd(32),
					rnd(1 << 16) & rnd(1 << 16)));
}
