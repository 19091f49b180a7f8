// SPDX-License-Identifier: GPL-2.0
/*
 * Reductions around every pattern of up to two faulty links of a cube of eight nodes, and around
 * random and heavy faults of larger cubes. The sum includes every connected node exactly once, in
 * as many steps as the plan has.
 *
 * Scheduling: shared
 */
#include <string.h>

#include "cube.h"
#include "ktap.h"

#define PLAN 1

/* Numbers of patterns of faults that a test has tried: all with a plan, those with effective
 * helpers, those with detours, and those without a plan.
 */
struct tally {
	unsigned int reduced;
	unsigned int helped;
	unsigned int detoured;
	unsigned int hopeless;
};

/* Return: true if the members of the plan are exactly the live nodes that are connected with the
 * root.
 */
static bool members_right(const struct cube *c)
{
	uint32_t set[CUBE_MAX / 32];
	unsigned int u;

	hc_faults_component(c->faults, c->plan.tree.sink, set);
	for (u = 0; u < c->nodes; u++)
		if (hc_set_has(set, u) != cube_member(c, u))
			return false;
	return true;
}

/* Return: true if the reduction took as many steps as the plan has. These include the steps of
 * detours, each of which takes a shortest path around the faults.
 */
static bool steps_right(const struct cube *c, unsigned int steps)
{
	const struct hc_tree_plan *p = &c->plan;

	return steps == p->steps &&
	       (p->tree.ndetours || steps == p->tree.stages + p->faulty_stages);
}

/* Return: true if every node that is no member gets the right error when it contributes. */
static bool others_refused(const struct cube *c)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .bytes = 8,
	};
	uint64_t v = 0;
	unsigned int u;

	for (u = 0; u < c->nodes; u++) {
		bool dead = hc_set_has(c->faults->dead, u);

		if (!cube_member(c, u) &&
		    shc_send(c->fd[u], &op, &v, 8, 0) != (dead ? -EHOSTDOWN : -ENOTCONN))
			return false;
	}
	return true;
}

/* Make a plan around the current faults, and run one reduction on it. Count the pattern in @t.
 * Return: true if the result is right.
 */
static bool reduce(struct cube *c, struct tally *t)
{
	struct hypercube_result res;
	int err = cube_plan(c, PLAN);
	unsigned int u;

	if (err == -EHOSTDOWN || err == -ENOLINK) {
		t->hopeless++;
		return true;
	}
	if (!err)
		err = cube_reduce(c, PLAN, &res);
	if (!err && members_right(c) && others_refused(c) && steps_right(c, res.steps)) {
		t->reduced++;
		t->helped += c->plan.cost && !c->plan.tree.ndetours;
		t->detoured += !!c->plan.tree.ndetours;
		return true;
	}
	printf("# error %d, %u steps for %u promised, %u detours, FAULT words:", err,
	       err ? 0 : res.steps, c->plan.steps, c->plan.tree.ndetours);
	for (u = 0; u < c->nodes; u++)
		printf(" %x", c->faults->fault[u]);
	printf("\n");
	return false;
}

static bool fail_links(struct cube *c, const unsigned int *links, unsigned int n)
{
	unsigned int i, node, dim;

	if (cube_heal(c))
		return false;
	for (i = 0; i < n; i++) {
		cube_link(c, links[i], &node, &dim);
		if (cube_fail_link(c, node, dim))
			return false;
	}
	return true;
}

TEST(reduction_is_complete_with_no_or_any_single_link_fault)
{
	struct tally t = { 0 };
	struct cube c;
	unsigned int i;

	ASSERT_EQ(0, cube_bound(&c, 3, 0));
	EXPECT_TRUE(reduce(&c, &t));
	for (i = 0; i < 12; i++) {
		ASSERT_TRUE(fail_links(&c, &i, 1));
		EXPECT_TRUE(reduce(&c, &t));
	}
	EXPECT_EQ(13, t.reduced);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(reduction_is_complete_with_any_two_link_faults)
{
	struct tally t = { 0 };
	unsigned int pair[2], pairs = 0;
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, 3, 0));
	for (pair[0] = 0; pair[0] < 12; pair[0]++)
		for (pair[1] = pair[0] + 1; pair[1] < 12; pair[1]++) {
			if (pairs++ % stride())
				continue;
			ASSERT_TRUE(fail_links(&c, pair, 2));
			EXPECT_TRUE(reduce(&c, &t));
		}
	EXPECT_EQ((66 + stride() - 1) / stride(), t.reduced);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(reduction_is_complete_with_any_single_failed_node)
{
	struct tally t = { 0 };
	struct cube c;
	unsigned int u;

	ASSERT_EQ(0, cube_bound(&c, 3, 0));
	for (u = 0; u < 8; u++) {
		ASSERT_EQ(0, cube_heal(&c));
		ASSERT_EQ(0, cube_fail_node(&c, u));
		EXPECT_TRUE(reduce(&c, &t));
	}
	EXPECT_EQ(8, t.reduced);
	EXPECT_EQ(0, cube_del(&c));
}

/* Try @rounds random patterns of up to @links faulty links and up to @nodes failed nodes. */
static void random_faults(struct __test_metadata *_metadata, struct cube *c,
			  unsigned int rounds, unsigned int links, unsigned int nodes,
			  struct tally *t)
{
	unsigned int round, i, n, node, dim;

	for (round = 0; round < rounds; round++) {
		ASSERT_EQ(0, cube_heal(c));
		for (i = 0, n = below(links + 1); i < n; i++) {
			cube_link(c, below(c->dim * c->nodes / 2), &node, &dim);
			ASSERT_EQ(0, cube_fail_link(c, node, dim));
		}
		for (i = 0, n = below(nodes + 1); i < n; i++)
			ASSERT_EQ(0, cube_fail_node(c, below(c->nodes)));
		EXPECT_TRUE(reduce(c, t));
	}
}

static void test_random(struct __test_metadata *_metadata, unsigned int dim,
			unsigned int rounds, unsigned int links, unsigned int nodes)
{
	struct tally t = { 0 };
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, dim, 0));
	random_faults(_metadata, &c, scaled(rounds), links, nodes, &t);
	printf("# %u reductions, %u with help, %u with detours, %u hopeless\n", t.reduced,
	       t.helped, t.detoured, t.hopeless);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(reduction_is_complete_with_random_faults_of_sixteen_nodes)
{
	test_random(_metadata, 4, 80, 6, 2);
}

TEST(reduction_is_complete_with_random_faults_of_thirty_two_nodes)
{
	test_random(_metadata, 5, 40, 10, 3);
}

TEST(reduction_is_complete_with_random_faults_of_sixty_four_nodes)
{
	test_random(_metadata, 6, 25, 20, 4);
}

TEST(reduction_is_complete_with_faults_that_require_detours)
{
	struct tally t = { 0 };
	struct cube c;
	unsigned int dim;

	for (dim = 3; dim <= 5; dim++) {
		ASSERT_EQ(0, cube_bound(&c, dim, 0));
		random_faults(_metadata, &c, scaled(60), c.dim * c.nodes / 3, dim, &t);
		EXPECT_EQ(0, cube_del(&c));
	}
	printf("# %u reductions, %u with help, %u with detours, %u hopeless\n", t.reduced,
	       t.helped, t.detoured, t.hopeless);
	EXPECT_NE(0, t.detoured);
}

/* Example 4 of Leu & Kuo: with two faulty links at one node, the reduction takes four steps. */
TEST(the_fourth_example_of_the_paper_takes_four_steps)
{
	static const uint8_t order[] = { 2, 1, 0 };
	struct hypercube_result res;
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, 3, 0));
	ASSERT_EQ(0, cube_fail_link(&c, 4, 1));
	ASSERT_EQ(0, cube_fail_link(&c, 4, 2));
	ASSERT_EQ(0, cube_fail_node(&c, 7));
	ASSERT_EQ(0, cube_plan_fixed(&c, PLAN, 1, order));
	EXPECT_EQ(0, cube_reduce(&c, PLAN, &res));
	EXPECT_EQ(4, res.steps);
	EXPECT_EQ(0, cube_del(&c));
}

/* Theorem 5 of the paper does not hold here: only one of three stages has a fault, but the
 * reduction takes five steps.
 */
TEST(a_stage_with_a_detour_takes_three_steps)
{
	struct hypercube_result res;
	struct cube c;

	ASSERT_EQ(0, cube_detour(&c, PLAN, 0));
	ASSERT_EQ(0, cube_bind_all(&c));
	EXPECT_EQ(5, c.plan.steps);
	EXPECT_EQ(0, cube_reduce(&c, PLAN, &res));
	EXPECT_LE(5, res.steps);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
