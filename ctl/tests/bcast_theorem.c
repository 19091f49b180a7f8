// SPDX-License-Identifier: GPL-2.0
/*
 * Theorem 1 of the paper, and its bounds for more faults. The theorem: with fewer than n failed
 * nodes in the n-cube, Broadcast1 informs all live nodes in at most n + 1 steps. These are a step
 * along each dimension, first the internal ones (those of a prime subcube, see is_prime()) and then
 * the external ones, and one more step along an internal dimension.
 */
#include <stdlib.h>
#include <string.h>

#include "bcast_test.h"

/* Check two plans of Broadcast1, one with the largest prime subcube (see is_prime()), one with the
 * prime subcube that the greedy pass finds: each informs all members within @steps steps.
 */
static bool both_primes(const struct bworld *w, unsigned int steps)
{
	struct hc_bcast_plan p;
	int greedy;
	bool fine;

	for (greedy = 0; greedy < 2; greedy++) {
		if (bworld_plan(w, HC_BCAST_BROADCAST1, greedy, &p))
			continue;
		fine = bcast_complete(w, &p, steps) &&
		       p.ninternal + p.nexternal == p.bcast.topo.dim &&
		       (p.faults >= p.bcast.topo.dim || p.nextra <= steps - p.bcast.topo.dim);
		hc_bcast_plan_free(&p);
		if (!fine) {
			faults_print(w->f);
			return false;
		}
	}
	return true;
}

/* Return: true if the subcube around node 0 with the free dimensions @dims is prime: it has no
 * fault inside, but each larger subcube has one.
 */
static bool is_prime(const struct bworld *w, int dims)
{
	int d;

	if (boracle_faulty_cube(&w->o, 0, dims))
		return false;
	for (d = 0; d < w->o.n; d++)
		if (!(dims >> d & 1) && !boracle_faulty_cube(&w->o, 0, dims | 1 << d))
			return false;
	return true;
}

/* Return: true if the first n steps of @seq inform all members, or do so with one more step along
 * one of the first @internal dimensions.
 */
static bool one_more_suffices(const struct bworld *w, unsigned char *seq, int internal)
{
	bool reach[BORACLE_NODES];
	int when[BORACLE_NODES], n = w->o.n, all = boracle_reach(&w->o, 0, reach), i;

	if (boracle_run(&w->o, 0, seq, n, when) == all)
		return true;
	for (i = 0; i < internal; i++) {
		seq[n] = seq[i];
		if (boracle_run(&w->o, 0, seq, n + 1, when) == all)
			return true;
	}
	return false;
}

/* Check Theorem 1 without the planner, for every prime subcube and every order of the external
 * dimensions: try all orders of the dimensions from index @at on.
 */
static bool every_order(const struct bworld *w, unsigned char *seq, int at)
{
	int i, dims = 0;

	if (at == w->o.n) {
		for (i = 0; i < w->o.n; i++) {
			dims |= 1 << seq[i];
			if (is_prime(w, dims))
				return one_more_suffices(w, seq, i + 1);
		}
		return true;
	}
	for (i = at; i < w->o.n; i++) {
		unsigned char was = seq[at];

		seq[at] = seq[i];
		seq[i] = was;
		if (!every_order(w, seq, at + 1))
			return false;
		seq[i] = seq[at];
		seq[at] = was;
	}
	return true;
}

/* The sets of faults of a cube of dimension @n that are tested, and how. */
struct family {
	unsigned int n;
	unsigned int more;	/* steps beyond n that a plan may take */
	unsigned int skip;	/* one in @skip sets is tested, at random */
	bool orders;		/* call every_order(), too */
};

/* Check the plans for a set of faults. */
static bool theorem_set(const unsigned int *set, unsigned int size, void *ctx)
{
	const struct family *c = ctx;
	unsigned char seq[BORACLE_DIMS];
	struct bworld w;
	unsigned int i;
	bool fine;

	if (c->skip > 1 && rnd(c->skip))
		return true;
	bworld_init(&w, c->n);
	for (i = 0; i < size; i++)
		bworld_fault(&w, set[i]);
	for (i = 0; i < c->n; i++)
		seq[i] = (unsigned char)i;
	fine = both_primes(&w, c->n + c->more) && (!c->orders || every_order(&w, seq, 0));
	bworld_free(&w);
	return fine;
}

/* Theorem 1 for all sets of fewer than n failed nodes, all prime subcubes, and all orders of the
 * external dimensions.
 */
TEST(bcast_theorem_1_to_dimension_4)
{
	struct family c = { .more = 1, .orders = true };

	for (c.n = 1; c.n <= 4; c.n++)
		ASSERT_TRUE(bcast_subsets((1u << c.n) - 1, c.n - 1, theorem_set, &c));
}

/* Theorem 1 for all sets of fewer than n failed nodes, only with the planner's two prime subcubes.
 */
TEST(bcast_theorem_1_dimension_5)
{
	struct family c = { .n = 5, .more = 1 };

	ASSERT_TRUE(bcast_subsets(31, 4, theorem_set, &c));
}

/* The same in larger cubes, for random sets of failed nodes. */
TEST(bcast_theorem_1_random_to_dimension_8)
{
	struct bworld w;
	unsigned int run, n;

	for (run = 0; run < 300; run++) {
		n = 6 + run % 3;
		bworld_init(&w, n);
		bworld_random(&w, rnd(2) ? n - 1 : rnd(n), 0, run & 1);
		ASSERT_TRUE(both_primes(&w, n + 1));
		bworld_free(&w);
	}
}

/* If fewer than n nodes and links are faulty, n + 1 steps are enough, as with faulty nodes only.
 * There is no proof of that, so the planner can add a step after step n + 1; it never does here.
 */
TEST(bcast_fewer_than_n_node_and_link_faults_take_n_plus_1_steps)
{
	struct family c = { .more = 1, .skip = 1 };

	for (c.n = 1; c.n <= 4; c.n++)
		ASSERT_TRUE(bcast_subsets((1u << c.n) - 1 + c.n * (1u << c.n) / 2, c.n - 1,
					  theorem_set, &c));
	c.n = 5;
	c.skip = 2000;
	ASSERT_TRUE(bcast_subsets(31 + 80, 4, theorem_set, &c));
}

/* The same in larger cubes, for random sets of failed nodes and faulty links. */
TEST(bcast_fewer_than_n_random_faults_take_n_plus_1_steps)
{
	unsigned int run, n, nodes;
	struct bworld w;

	for (run = 0; run < 300; run++) {
		n = 6 + run % 3;
		nodes = rnd(n);
		bworld_init(&w, n);
		bworld_random(&w, nodes, n - 1 - nodes, run & 1);
		ASSERT_TRUE(both_primes(&w, n + 1));
		bworld_free(&w);
	}
}

/* Make a random cube. Return: false if its live nodes are not all connected. */
static bool connected_world(struct bworld *w, unsigned int n, unsigned int faults, bool near)
{
	bworld_init(w, n);
	bworld_random(w, faults, 0, near);
	if (boracle_connected(&w->o))
		return true;
	bworld_free(w);
	return false;
}

/* Check in up to @runs random cubes that method GENERAL takes at most @n + @more steps. */
static bool bounded(unsigned int n, unsigned int faults, unsigned int more, unsigned int runs)
{
	struct hc_bcast_plan p;
	struct bworld w;
	unsigned int run;
	bool fine;

	for (run = 0; run < runs; run++) {
		if (!connected_world(&w, n, faults, run & 1))
			continue;
		CHECK(!bworld_plan(&w, HC_BCAST_GENERAL, run & 2, &p));
		fine = bcast_complete(&w, &p, n + more);
		hc_bcast_plan_free(&p);
		if (!fine)
			faults_print(w.f);
		bworld_free(&w);
		CHECK(fine);
	}
	return true;
}

/* The paper's bound for 2n - 3 failed nodes. */
TEST(bcast_2n_minus_3_faults_take_at_most_n_plus_7_steps)
{
	unsigned int n;

	for (n = 3; n <= 8; n++)
		ASSERT_TRUE(bounded(n, 2 * n - 3, 7, 150));
}

/* The paper's bound for 4n - 9 failed nodes. */
TEST(bcast_4n_minus_9_faults_take_at_most_n_plus_22_steps)
{
	unsigned int n;

	for (n = 4; n <= 8; n++)
		ASSERT_TRUE(bounded(n, 4 * n - 9, 22, 150));
}

/* The numbers of steps that were measured are far below the paper's bounds: at most n + 3 and n + 4
 * (errata). This test allows n + 3 and n + 8.
 */
TEST(bcast_steps_are_far_below_bounds_of_paper)
{
	unsigned int n;

	for (n = 5; n <= 8; n++) {
		ASSERT_TRUE(bounded(n, 2 * n - 3, 3, 150));
		ASSERT_TRUE(bounded(n, 4 * n - 9, 8, 150));
	}
}
