// SPDX-License-Identifier: GPL-2.0
/*
 * The examples of the paper on tree communication (Leu and Kuo), and those of its theorems that
 * hold. FIND_TREE is the paper's heuristic that chooses a tree.
 */
#include <errno.h>
#include <string.h>

#include "plan_test.h"
#include "tree_impl.h"

/* Example 1: the stage at which nodes send, in a tree of the 3-cube, and whether node 6 is passive,
 * active or idle at each stage.
 */
TEST(example_1)
{
	uint32_t members[1] = { 0xff };
	struct hc_tree t = {
		.dim = 3, .stages = 3, .sink = 2, .order = { 1, 2, 0 },
		.members = members,
	};
	struct oracle_tree ot;

	to_oracle(&t, &ot);
	ASSERT_TRUE(hc_tree_active(&t, 6) == 1);
	ASSERT_TRUE(hc_tree_active(&t, 2) == 3);
	ASSERT_TRUE(oracle_state(&ot, 6, 0) == ORACLE_PASSIVE);
	ASSERT_TRUE(oracle_state(&ot, 6, 1) == ORACLE_ACTIVE);
	ASSERT_TRUE(oracle_state(&ot, 6, 2) == ORACLE_IDLE);
}

/* Example 2: the FAULT words of a 3-cube with three faulty links, the costs that FIND_TREE
 * computes, and the tree that it finds.
 */
TEST(example_2)
{
	static const uint32_t words[8] = { 0, 2, 0, 2, 1, 3, 0, 2 };
	static const uint32_t used[2] = { 0, 2 };
	struct hc_tree_plan p;
	struct world w;

	world_links(&w, 3, "1-3 4-5 5-7");
	ASSERT_TRUE(!memcmp(w.f->fault, words, sizeof(words)));
	ASSERT_TRUE(hc_tree_find_cost(w.f, used, 1, 7, 0) == 1);
	ASSERT_TRUE(hc_tree_find_cost(w.f, used, 1, 7, 1) == 0);
	ASSERT_TRUE(hc_tree_find_cost(w.f, used, 1, 7, 2) == 1);
	ASSERT_TRUE(hc_tree_find_cost(w.f, used, 2, 5, 0) == 0);
	ASSERT_TRUE(hc_tree_find_cost(w.f, used, 2, 5, 2) == 1);

	ASSERT_TRUE(!world_plan(&w, HC_TREE_FIND, HC_ANY_SINK, &p));
	ASSERT_TRUE(p.tree.sink == 0 && has_order(&p.tree, "201") && !p.cost);
	ASSERT_TRUE(plan_holds(&w, &p));
	world_end(&w, &p);
}

/* Compute the role of @u, which knows the FAULT words of its neighbours. It has at most 8 sources.
 */
static int role_of(const struct world *w, const struct hc_tree *t, uint32_t u,
		   struct hc_tree_role *role)
{
	static struct hc_tree_peer src[8];
	uint32_t nb[4], d;

	for (d = 0; d < t->dim; d++)
		nb[d] = w->f->fault[hc_neigh(u, d)];
	return hc_tree_role(t, u, w->f->fault[u], nb, role, src, 8);
}

/* Example 3: node b, whose links to a and 9 are faulty, sends half of its data to each of two
 * helpers.
 */
TEST(example_3)
{
	struct hc_tree_role role;
	struct hc_tree_plan p;
	struct world w;

	ASSERT_TRUE(!world_tree(&w, 4, "b-a b-9", 0, "0123", &p));
	ASSERT_TRUE(p.cost == 1 && p.faulty_stages == 1 && p.steps == 5);
	ASSERT_TRUE(plan_holds(&w, &p));
	ASSERT_TRUE(!role_of(&w, &p.tree, 0xb, &role));
	ASSERT_TRUE(role.active == 0 && role.ndst == 2 && role.nsrc == 0);
	ASSERT_TRUE(role.dst[0].node == 0xf && role.dst[0].how == HC_TREE_HELP);
	ASSERT_TRUE(role.dst[0].part == 0 && role.dst[0].parts == 2);
	ASSERT_TRUE(role.dst[1].node == 0x3 && role.dst[1].how == HC_TREE_HELP);
	ASSERT_TRUE(role.dst[1].part == 1 && role.dst[1].parts == 2);
	world_end(&w, &p);
}

/* Example 4: FIND_TREE in a 3-cube with two faulty links and a failed node. Node 4 sends its data
 * to its helper, node 5.
 */
TEST(example_4)
{
	struct hc_faulty_link faulty[4];
	struct hc_tree_role role;
	struct hc_tree_plan p;
	struct world w;

	world_links(&w, 3, "4-6 4-0");
	world_node(&w, 7);
	ASSERT_TRUE(!world_plan(&w, HC_TREE_FIND, HC_ANY_SINK, &p));
	ASSERT_TRUE(p.tree.sink == 1 && has_order(&p.tree, "210"));
	ASSERT_TRUE(p.nmembers == 7 && p.cost == 1 && p.faulty_stages == 1 && p.steps == 4);
	ASSERT_TRUE(plan_holds(&w, &p));
	ASSERT_TRUE(hc_plan_tree_faulty(w.f, &p, faulty, 4) == 1);
	ASSERT_TRUE(faulty[0].node == 4 && faulty[0].dim == 2);
	ASSERT_TRUE(!role_of(&w, &p.tree, 4, &role));
	ASSERT_TRUE(role.ndst == 1 && role.dst[0].how == HC_TREE_HELP);
	ASSERT_TRUE(role.dst[0].node == 5 && role.dst[0].parts == 1);
	world_end(&w, &p);
}

/* Theorems 1 and 2, proposition 2, and which nodes are active at a stage, for random small trees.
 */
TEST(active_sets_of_stages_match_theorems_1_and_2)
{
	uint32_t members[1] = { ~0u };
	unsigned int i, j, u, v, run;

	for (run = 0; run < 200; run++) {
		struct hc_tree t = { .dim = 1 + rnd(5), .members = members };
		unsigned int links = 0;
		struct oracle_tree ot;

		t.stages = t.dim;
		t.sink = rnd(1u << t.dim);
		for (i = 0; i < t.dim; i++) {
			j = rnd(i + 1);
			t.order[i] = t.order[j];
			t.order[j] = (uint8_t)i;
		}
		to_oracle(&t, &ot);
		for (i = 0; i < t.dim; i++) {
			unsigned int active = 0;

			for (u = 0; u < 1u << t.dim; u++) {
				unsigned int near = 0;

				ASSERT_TRUE((oracle_state(&ot, u, i) == ORACLE_ACTIVE) ==
					    (hc_tree_active(&t, u) == i));
				ASSERT_TRUE((oracle_state(&ot, u, i) == ORACLE_PASSIVE) ==
					    (hc_tree_active(&t, u) > i));
				if (hc_tree_active(&t, u) != i)
					continue;
				active++;
				for (v = 0; v < t.dim; v++)
					near += hc_tree_active(&t, hc_neigh(u, v)) == i;
				ASSERT_TRUE(near == t.dim - i - 1);
			}
			ASSERT_TRUE(active == 1u << (t.dim - i - 1));
			links += active;
		}
		ASSERT_TRUE(links == (1u << t.dim) - 1);
	}
}

/*
 * With a clean sink and link faults only, the costs that FIND_TREE minimises add up to twice the
 * number of faulty links of its tree: each of these links is counted once when its end nearer to
 * the sink joins the used nodes, while the link's dimension is still unused, and once when that
 * dimension is chosen (k = j).
 */
TEST(find_tree_costs_add_up_to_twice_the_faulty_links)
{
	unsigned int run, i, n;

	for (run = 0; run < 500; run++) {
		uint32_t used[64], nused = 1, dims, sum = 0, u;
		struct hc_tree_plan p;
		struct world w;

		n = 2 + rnd(5);
		world_random(&w, n, rnd(2 * n));
		if (!world_plan(&w, HC_TREE_FIND, HC_ANY_SINK, &p)) {
			dims = hc_ones(n);
			used[0] = p.tree.sink;
			for (i = n; i--; nused *= 2) {
				unsigned int d = p.tree.order[i];

				sum += hc_tree_find_cost(w.f, used, nused, dims, d);
				for (u = 0; u < nused; u++)
					used[nused + u] = hc_neigh(used[u], d);
				dims &= ~hc_bit(d);
			}
			/* The sums differ if nodes are cut off from the sink, so such plans are not
			 * compared.
			 */
			ASSERT_TRUE(p.nexcluded || sum == 2 * p.cost);
			ASSERT_TRUE(plan_holds(&w, &p));
			hc_tree_plan_free(&p);
		}
		world_free(&w);
	}
}

/* Return: true if the planner refuses the request with @err, and leaves no memory in the plan. */
static bool refuses(const struct world *w, enum hc_tree_method method,
		    uint32_t sink, uint32_t dims, uint32_t base, int err)
{
	struct hc_tree_req req = {
		.method = method, .sink = sink, .dims = dims, .base = base,
	};
	const char *why = NULL;
	struct hc_tree_plan p;

	CHECK(hc_plan_tree(w->f, &req, &p, &why) == err);
	CHECK(why);
	CHECK(!p.members && !p.excluded && !p.detours);
	return true;
}

TEST(planner_refuses_invalid_and_impossible_requests)
{
	uint32_t set[4];
	struct hc_tree_plan p;
	struct world w;
	unsigned int u;

	ASSERT_TRUE(!hc_faults_new(0) && errno == EINVAL);
	ASSERT_TRUE(!hc_faults_new(HC_LIB_DIM_MAX + 1) && errno == EINVAL);
	world_init(&w, 7);
	ASSERT_TRUE(hc_faults_link(w.f, 128, 0) == -ERANGE);
	ASSERT_TRUE(hc_faults_link(w.f, 0, 7) == -ERANGE);
	ASSERT_TRUE(hc_faults_node(w.f, 128) == -ERANGE);
	ASSERT_TRUE(hc_faults_component(w.f, 128, set) == 0);
	ASSERT_TRUE(refuses(&w, HC_TREE_EXACT, 128, 0, 0, -ERANGE));
	ASSERT_TRUE(refuses(&w, HC_TREE_EXACT, HC_ANY_SINK, 0x80, 0, -ERANGE));
	ASSERT_TRUE(refuses(&w, HC_TREE_EXACT, HC_ANY_SINK, 3, 0x80, -ERANGE));
	ASSERT_TRUE(refuses(&w, HC_TREE_FIND, 4, 3, 0, -ERANGE));
	ASSERT_TRUE(refuses(&w, HC_TREE_EXHAUST, HC_ANY_SINK, 0, 0, -E2BIG));
	ASSERT_TRUE(world_fixed(&w, 200, "0", &p) == -ERANGE);
	ASSERT_TRUE(world_fixed(&w, 0, "00", &p) == -ERANGE);
	ASSERT_TRUE(world_fixed(&w, 0, "7", &p) == -ERANGE);

	world_node(&w, 5);
	ASSERT_TRUE(hc_faults_component(w.f, 5, set) == 0);
	ASSERT_TRUE(hc_faults_component(w.f, 0, set) == 127 && !hc_set_has(set, 5));
	ASSERT_TRUE(refuses(&w, HC_TREE_EXACT, 5, 0, 0, -ENOLINK));
	ASSERT_TRUE(refuses(&w, HC_TREE_FIND, 5, 0, 0, -ENOLINK));
	ASSERT_TRUE(world_fixed(&w, 5, "0", &p) == -ENOLINK);
	for (u = 0; u < 7; u++)
		world_link(&w, 9, 9 ^ (1u << u));
	ASSERT_TRUE(refuses(&w, HC_TREE_EXACT, 9, 0, 0, -ENOLINK));
	for (u = 0; u < 128; u++)
		if (u != 9)
			world_node(&w, u);
	ASSERT_TRUE(refuses(&w, HC_TREE_EXACT, HC_ANY_SINK, 0, 0, -ENOLINK));
	ASSERT_TRUE(refuses(&w, HC_TREE_FIND, HC_ANY_SINK, 0, 0, -ENOENT));
	world_node(&w, 9);
	ASSERT_TRUE(refuses(&w, HC_TREE_EXACT, HC_ANY_SINK, 0, 0, -EHOSTDOWN));
	world_free(&w);
}

TEST(role_of_nonmember_or_without_detour_is_refused)
{
	struct hc_tree_peer src[8];
	struct hc_tree_role role;
	uint32_t nb[3] = { 0 };
	struct hc_tree_plan p;
	struct world w;

	world_init(&w, 3);
	world_node(&w, 7);
	world_link(&w, 4, 5);
	ASSERT_TRUE(!world_fixed(&w, 0, "012", &p));
	ASSERT_TRUE(hc_tree_role(&p.tree, 7, 7, nb, &role, src, 8) == -EINVAL);
	ASSERT_TRUE(hc_tree_role(&p.tree, 8, 0, nb, &role, src, 8) == -EINVAL);
	ASSERT_TRUE(hc_tree_role(&p.tree, 0, 0, nb, &role, src, 2) == -ENOSPC);
	ASSERT_TRUE(!hc_tree_role(&p.tree, 0, 0, nb, &role, src, 3) && role.nsrc == 3);
	/* Node 4 sends at the last stage, so it has no active neighbour, and the plan has no detour
	 * for it.
	 */
	ASSERT_TRUE(hc_tree_role(&p.tree, 4, 4, nb, &role, src, 8) == -ENOENT);
	hc_tree_plan_free(&p);

	ASSERT_TRUE(!world_fixed(&w, 0, "", &p));
	ASSERT_TRUE(p.nmembers == 1 && p.steps == 0 && !check_plan(&w, &p.tree));
	ASSERT_TRUE(!hc_tree_role(&p.tree, 0, 0, nb, &role, NULL, 0));
	ASSERT_TRUE(!role.nsrc && !role.ndst && !role.active);
	ASSERT_TRUE(hc_tree_role(&p.tree, 1, 0, nb, &role, src, 8) == -EINVAL);
	world_end(&w, &p);
}
