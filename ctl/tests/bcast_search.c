// SPDX-License-Identifier: GPL-2.0
/*
 * The shortest sequences, plans for any number of faults, and plans for all sources.
 */
#include <errno.h>
#include <string.h>

#include "bcast_impl.h"
#include "bcast_test.h"

/* Return: the length of the minimal plan of a small cube, or -1 if the plan is wrong or not proved
 * to be minimal.
 */
static int minimum(const struct bworld *w)
{
	struct hc_bcast_plan p;
	int steps;

	if (bworld_plan(w, HC_BCAST_MINIMAL, false, &p))
		return -1;
	steps = (int)p.bcast.steps;
	if (!bcast_complete(w, &p, p.lower_bound)) {
		faults_print(w->f);
		steps = -1;
	}
	hc_bcast_plan_free(&p);
	return steps;
}

/* The sets of faults of a cube of dimension @n, of which one in @skip is tried, and the results. */
struct family {
	unsigned int n;
	unsigned int skip;
	unsigned int tried;
	unsigned int sets[17];		/* sets whose live nodes are connected, by size */
	unsigned int more[17];		/* of these, sets that need more than n steps */
	int worst[17];			/* the most steps that any set needs, by size */
	unsigned int broadcast1;	/* sets of n - 1 faults with n + 1 steps by Broadcast1 */
};

/* Count the result of a set of faults, unless it disconnects live nodes. */
static void tally(struct family *c, const struct bworld *w, unsigned int size, int steps)
{
	struct hc_bcast_plan p;

	if (!boracle_connected(&w->o))
		return;
	c->sets[size]++;
	c->more[size] += steps > (int)c->n;
	if (steps > c->worst[size])
		c->worst[size] = steps;
	if (size != c->n - 1 || bworld_plan(w, HC_BCAST_BROADCAST1, true, &p))
		return;
	c->broadcast1 += p.bcast.steps > c->n;
	hc_bcast_plan_free(&p);
}

/* Make the cube with the faults @set. Return: false if this set is skipped. */
static bool family_world(const struct family *c, const unsigned int *set, unsigned int size,
			 struct bworld *w)
{
	unsigned int i;

	if (c->skip > 1 && rnd(c->skip))
		return false;
	bworld_init(w, c->n);
	for (i = 0; i < size; i++)
		bworld_fault(w, set[i]);
	return true;
}

/* Compare the minimal plan for a set of faults with the oracle's shortest sequence. */
static bool minimum_set(const unsigned int *set, unsigned int size, void *ctx)
{
	struct family *c = ctx;
	bool reach[BORACLE_NODES];
	struct bworld w;
	bool fine = true;

	if (!family_world(c, set, size, &w))
		return true;
	if (boracle_reach(&w.o, 0, reach) > 1) {
		int steps = minimum(&w);

		fine = steps == boracle_shortest(&w.o, 0);
		tally(c, &w, size, steps);
		c->tried++;
	}
	bworld_free(&w);
	return fine;
}

TEST(bcast_minimal_plan_is_shortest_with_failed_nodes)
{
	struct family c;

	for (c.n = 1; c.n <= 4; c.n++) {
		unsigned int n = c.n;

		memset(&c, 0, sizeof(c));
		c.n = n;
		c.skip = n == 4 ? 4 : 1;
		ASSERT_TRUE(bcast_subsets((1u << n) - 1, (1u << n) - 1, minimum_set, &c));
	}
	ASSERT_TRUE(c.tried > 1000);
}

TEST(bcast_minimal_plan_is_shortest_with_failed_nodes_and_links)
{
	struct family c = { .n = 3, .skip = 1 };

	ASSERT_TRUE(bcast_subsets(7 + 12, 4, minimum_set, &c));
	c.n = 4;
	c.skip = 200;
	ASSERT_TRUE(bcast_subsets(15 + 32, 4, minimum_set, &c));
	ASSERT_TRUE(c.tried > 500);
}

/* The exact search alone finds a sequence of a given length if and only if the length is at least
 * @shortest.
 */
static bool search_from(const struct bworld *w, int shortest)
{
	int when[BORACLE_NODES], len, want, got;
	struct hc_bscene s;
	struct hc_bseq q;
	bool fine = true;

	if (hc_bscene_init(&s, w->f, 0) || hc_bseq_init(&q, &s))
		return false;
	for (len = shortest - 1; fine && len <= shortest + 1; len++) {
		want = len >= shortest;
		got = hc_bcast_exact(&q, (unsigned int)len);
		fine = got == want &&
		       (!got || (hc_bseq_done(&q) && (int)q.steps <= len &&
				 boracle_run(&w->o, 0, q.seq, (int)q.steps, when) ==
				 (int)s.nmembers));
	}
	hc_bseq_free(&q);
	hc_bscene_free(&s);
	return fine;
}

/* Check the exact search for a set of faults, see search_from(). */
static bool search_set(const unsigned int *set, unsigned int size, void *ctx)
{
	const struct family *c = ctx;
	bool reach[BORACLE_NODES];
	struct bworld w;
	bool fine = true;

	if (!family_world(c, set, size, &w))
		return true;
	if (boracle_reach(&w.o, 0, reach) > 1)
		fine = search_from(&w, boracle_shortest(&w.o, 0));
	bworld_free(&w);
	return fine;
}

TEST(bcast_exact_search_succeeds_from_shortest_length_on)
{
	struct family c = { .n = 3, .skip = 1 };

	ASSERT_TRUE(bcast_subsets(7, 6, search_set, &c));
	c.skip = 4;
	ASSERT_TRUE(bcast_subsets(7 + 12, 6, search_set, &c));
	c.n = 4;
	c.skip = 20;
	ASSERT_TRUE(bcast_subsets(15, 14, search_set, &c));
	c.skip = 5000;
	ASSERT_TRUE(bcast_subsets(15 + 32, 5, search_set, &c));
}

/* Count the sets of n - 1 faults that need n + 1 steps, and find the most steps for each size of
 * set.
 */
TEST(bcast_number_of_fault_sets_that_need_more_steps_is_as_documented)
{
	static const int worst_3[] = { 3, 3, 4, 4, 3 };
	static const int worst_4[] = { 4, 4, 5, 5, 6 };
	struct family c = { .n = 3, .skip = 1 };
	unsigned int i;

	ASSERT_TRUE(bcast_subsets(7, 4, minimum_set, &c));
	ASSERT_TRUE(c.sets[2] == 21 && c.more[2] == 6 && c.broadcast1 == 7);
	for (i = 0; i < ARRAY_SIZE(worst_3); i++)
		ASSERT_TRUE(c.worst[i] == worst_3[i]);
	memset(&c, 0, sizeof(c));
	c.n = 4;
	ASSERT_TRUE(bcast_subsets(15, 4, minimum_set, &c));
	ASSERT_TRUE(c.sets[3] == 455 && c.more[3] == 185 && c.broadcast1 == 255);
	for (i = 0; i < ARRAY_SIZE(worst_4); i++)
		ASSERT_TRUE(c.worst[i] == worst_4[i]);
}

/* Up to dimension 6 the search always ends with a proof. */
TEST(bcast_minimal_plan_is_proven_minimal_up_to_dimension_6)
{
	unsigned int run, n;
	struct bworld w;

	for (run = 0; run < 120; run++) {
		n = 5 + run % 2;
		bworld_init(&w, n);
		bworld_random(&w, rnd(1u << (n - 1)), rnd(2) ? rnd(n << (n - 2)) : 0, run & 1);
		if (w.f->fault[0] != hc_ones(n))
			ASSERT_TRUE(minimum(&w) >= 0);
		bworld_free(&w);
	}
}

/* Check the plan of method GENERAL for a set of faults. */
static bool general_set(const unsigned int *set, unsigned int size, void *ctx)
{
	struct family *c = ctx;
	struct hc_bcast_plan p;
	struct bworld w;
	bool fine = true;

	if (!family_world(c, set, size, &w))
		return true;
	if (!bworld_plan(&w, HC_BCAST_GENERAL, size & 1, &p)) {
		fine = bcast_complete(&w, &p, hc_nodes(c->n) - 1);
		hc_bcast_plan_free(&p);
	}
	bworld_free(&w);
	return fine;
}

TEST(bcast_general_plan_is_complete_in_small_cubes)
{
	struct family c = { .skip = 1 };

	for (c.n = 1; c.n <= 4; c.n++) {
		c.skip = c.n == 4 ? 4 : 1;
		ASSERT_TRUE(bcast_subsets((1u << c.n) - 1, (1u << c.n) - 1, general_set, &c));
	}
	c.n = 3;
	c.skip = 4;
	ASSERT_TRUE(bcast_subsets(7 + 12, 7, general_set, &c));
}

TEST(bcast_general_plan_is_complete_with_random_faults)
{
	struct hc_bcast_plan p;
	unsigned int run, n;
	struct bworld w;
	bool fine;

	for (run = 0; run < 400; run++) {
		n = 4 + run % 5;
		bworld_init(&w, n);
		bworld_random(&w, rnd(1u << (n - 1)), rnd(2) ? rnd(n << (n - 2)) : 0, run & 1);
		if (!bworld_plan(&w, HC_BCAST_GENERAL, run & 2, &p)) {
			fine = bcast_complete(&w, &p, hc_nodes(n) - 1);
			hc_bcast_plan_free(&p);
			ASSERT_TRUE(fine);
		}
		bworld_free(&w);
	}
}

/* The pieces so far: the nodes in them, their number, and the most steps of their sequences. */
struct pieces {
	const struct bworld *w;
	bool seen[BORACLE_NODES];
	unsigned int count;
	unsigned int steps;
};

/* Check that a piece has no fault and no node of an earlier piece, and that its sequence informs
 * all members from every source in the piece. Return: 0 if the piece is right, else 1.
 */
static int serve_piece(void *ctx, const struct hc_bcast_piece *piece)
{
	const struct hc_bcast_plan *p = &piece->plan;
	struct pieces *all = ctx;
	const struct bworld *w = all->w;
	bool reach[BORACLE_NODES];
	int when[BORACLE_NODES], u;

	if (!bcast_complete(w, p, hc_bcast_max_steps(&p->bcast.topo)) ||
	    p->bcast.source != piece->base || (piece->dims & ~p->subcube) ||
	    boracle_faulty_cube(&w->o, (int)piece->base, (int)piece->dims))
		return 1;
	for (u = 0; u < 1 << w->o.n; u++) {
		if ((u ^ piece->base) & ~piece->dims)
			continue;
		if (all->seen[u] ||
		    boracle_run(&w->o, u, p->sequence, (int)p->bcast.steps, when) !=
		    boracle_reach(&w->o, u, reach))
			return 1;
		all->seen[u] = true;
	}
	all->count++;
	if (p->bcast.steps > all->steps)
		all->steps = p->bcast.steps;
	return 0;
}

/* Check the pieces for all sources: together they hold all live nodes. */
static bool serves_all(const struct bworld *w, unsigned int faults, unsigned int links)
{
	struct hc_bcast_req req = { .method = HC_BCAST_GENERAL, .greedy = rnd(2) };
	unsigned int n = (unsigned int)w->o.n;
	struct pieces all = { .w = w };
	const char *why;
	int u;

	CHECK(!hc_plan_bcast_all(w->f, &req, serve_piece, &all, &why));
	for (u = 0; u < 1 << n; u++)
		CHECK(all.seen[u] != w->o.dead[u]);
	if (!links && faults)
		CHECK(all.count <= faults * n);
	if (faults + links < n)
		CHECK(all.steps <= n + 1);
	return true;
}

TEST(bcast_plans_for_all_sources_cover_all_live_nodes)
{
	unsigned int run, n, nodes, links;
	struct bworld w;
	bool fine;

	for (run = 0; run < 400; run++) {
		n = 2 + run % 5;
		nodes = rnd(3) ? rnd(n) : rnd(1u << (n - 1));
		links = rnd(2) ? 0 : rnd(n);
		bworld_init(&w, n);
		bworld_random(&w, nodes, links, run & 1);
		fine = serves_all(&w, nodes, links);
		if (!fine)
			faults_print(w.f);
		bworld_free(&w);
		ASSERT_TRUE(fine);
	}
}

TEST(bcast_all_sources_needs_general_method_and_a_live_node)
{
	struct hc_bcast_req req = { .method = HC_BCAST_MINIMAL };
	const char *why = NULL;
	struct bworld w;

	bworld_init(&w, 1);
	ASSERT_TRUE(hc_plan_bcast_all(w.f, &req, serve_piece, NULL, &why) == -EOPNOTSUPP && why);
	req.method = HC_BCAST_GENERAL;
	bworld_node(&w, 0);
	bworld_node(&w, 1);
	ASSERT_TRUE(hc_plan_bcast_all(w.f, &req, serve_piece, NULL, &why) == -EHOSTDOWN);
	bworld_free(&w);
}
