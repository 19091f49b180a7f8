// SPDX-License-Identifier: GPL-2.0
/*
 * Trees with requested members: the tree has exactly these members and other nodes only relay, or
 * there is no tree.
 */
#include <errno.h>
#include <string.h>

#include "plan_test.h"

/* Return: true if all nodes of @set are live and connected with each other. */
static bool connected(const struct world *w, uint32_t set)
{
	int dist[ORACLE_NODES];
	unsigned int u;

	oracle_distances(&w->o, __builtin_ctz(set), dist);
	for (u = 0; u < 1u << w->o.n; u++)
		if ((set >> u & 1) && (w->o.dead[u] || dist[u] < 0))
			return false;
	return true;
}

/* Return: true if a tree with the members @set exists. A single member needs no link, but must have
 * a healthy one, or it counts as isolated.
 */
static bool is_possible(const struct world *w, uint32_t set)
{
	uint32_t u = __builtin_ctz(set);

	if (set & (set - 1))
		return connected(w, set);
	return !w->o.dead[u] && w->f->fault[u] != (1u << w->o.n) - 1;
}

/* Check a plan whose requested members are @set. */
static bool holds(const struct world *w, const struct hc_tree_plan *p, uint32_t set)
{
	struct oracle_result r;

	CHECK(p->members[0] == set && p->nmembers == (uint32_t)__builtin_popcount(set));
	CHECK(!p->nexcluded);
	CHECK(!check_plan(w, &p->tree));
	CHECK(run_roles(w, &p->tree, &r));
	CHECK(r.outcome == ORACLE_DONE);
	CHECK(r.steps == p->steps);
	return true;
}

TEST(tree_has_exactly_the_requested_members_if_connected)
{
	unsigned int run, found = 0, none = 0;

	for (run = 0; run < 4000; run++) {
		unsigned int n = 1 + rnd(5);
		struct hc_tree_req req = { .sink = HC_ANY_SINK };
		uint32_t set = 1u << rnd(1u << n);
		struct hc_tree_plan p;
		const char *why;
		struct world w;
		int err;

		world_init(&w, n);
		world_fail(&w, rnd(3 * n), rnd(3));
		set |= (rnd(1u << 16) << 16 | rnd(1u << 16)) & (uint32_t)((1ull << (1 << n)) - 1);
		req.members = &set;
		req.method = run & 1 ? HC_TREE_EXACT : HC_TREE_EXHAUST;
		if (run & 2)
			req.sink = __builtin_ctz(set);
		err = hc_plan_tree(w.f, &req, &p, &why);
		ASSERT_TRUE(!err == is_possible(&w, set));
		ASSERT_TRUE(!err || err == -ENOLINK);
		if (!err)
			ASSERT_TRUE(holds(&w, &p, set));
		if (!err && (run & 2))
			ASSERT_TRUE(p.tree.sink == req.sink);
		found += !err;
		none += !!err;
		hc_tree_plan_free(&p);
		world_free(&w);
	}
	ASSERT_TRUE(found > 500 && none > 500);
}

TEST(tree_of_two_neighbours_has_only_one_stage)
{
	uint32_t set = 1u << 4 | 1u << 6, all = 0xff;
	struct hc_tree_req req = { .sink = HC_ANY_SINK, .members = &set };
	struct hc_tree_plan p;
	const char *why;
	struct world w;

	world_init(&w, 3);
	ASSERT_TRUE(!hc_plan_tree(w.f, &req, &p, &why));
	ASSERT_TRUE(p.tree.stages == 1 && p.tree.order[0] == 1 && p.steps == 1);
	hc_tree_plan_free(&p);
	req.members = &all;
	ASSERT_TRUE(!hc_plan_tree(w.f, &req, &p, &why));
	ASSERT_TRUE(p.nmembers == 8 && plan_holds(&w, &p));
	hc_tree_plan_free(&p);
	world_free(&w);
}

TEST(invalid_member_requests_are_refused)
{
	uint32_t set = 1u << 4 | 1u << 6, none = 0;
	struct hc_tree_req req = { .sink = 5, .members = &set };
	struct hc_tree_plan p;
	const char *why;
	struct world w;

	world_init(&w, 3);
	ASSERT_TRUE(hc_plan_tree(w.f, &req, &p, &why) == -ERANGE);
	ASSERT_TRUE(!strcmp(why, "the sink is no member"));
	req.sink = HC_ANY_SINK;
	req.method = HC_TREE_FIND;
	ASSERT_TRUE(hc_plan_tree(w.f, &req, &p, &why) == -EOPNOTSUPP);
	req.method = HC_TREE_EXACT;
	req.members = &none;
	ASSERT_TRUE(hc_plan_tree(w.f, &req, &p, &why) == -EHOSTDOWN);
	world_free(&w);
}
