// SPDX-License-Identifier: GPL-2.0
/*
 * The examples of the paper on broadcasts (Chang and Bhuyan), and its claims that are wrong
 * (Documentation/errata.rst). Broadcast1 is the paper's algorithm for fewer than n faults: see
 * ctl/plan/bcast_prime.c.
 */
#include <string.h>

#include "bcast_test.h"

/* Figure 1, a broadcast in the 4-cube: after the first i steps of the sequence 0, 1, 2, 3, 2^i
 * nodes have the message. If node 1 has failed, the sequence 0, 1, 2, 3 informs 8 nodes, but the
 * sequence 1, 2, 3, 0 informs all 15 live nodes.
 */
TEST(bcast_figure_1)
{
	static const uint32_t sizes[] = { 1, 2, 4, 8, 16 };
	struct hc_bcast_plan p;
	struct bworld w;
	unsigned int i;
	char seq[5];

	bworld_init(&w, 4);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		strcpy(seq, "0123");
		seq[i] = 0;
		ASSERT_TRUE(!bworld_fixed(&w, 0, seq, &p));
		ASSERT_TRUE(p.covered == sizes[i] && bcast_holds(&w, &p));
		hc_bcast_plan_free(&p);
	}
	bworld_node(&w, 1);
	ASSERT_TRUE(!bworld_fixed(&w, 0, "0123", &p));
	ASSERT_TRUE(p.covered == 8 && bcast_holds(&w, &p));
	hc_bcast_plan_free(&p);
	ASSERT_TRUE(!bworld_fixed(&w, 0, "1230", &p));
	ASSERT_TRUE(p.covered == 15 && bcast_complete(&w, &p, 4));
	hc_bcast_plan_free(&p);
	bworld_free(&w);
}

/* Make the 5-cube with the four failed nodes @faults. */
static void figure_2_faults(struct bworld *w, const unsigned int *faults)
{
	unsigned int i;

	bworld_init(w, 5);
	for (i = 0; i < 4; i++)
		bworld_node(w, faults[i]);
}

/* Return: true if dimension @d is free: no two nodes without the message are neighbours along it.
 */
static bool is_free(const struct bworld *w, const struct hc_bcast_plan *p, int d)
{
	bool bad[BORACLE_NODES];
	int u;

	for (u = 0; u < 1 << w->o.n; u++)
		bad[u] = p->first[u] == HC_BCAST_NEVER;
	return !boracle_doubly(w->o.n, bad, d);
}

/* Figure 2, Broadcast1 in the 5-cube with the failed nodes 5, 6, 9 and 17. From a prime subcube of
 * dimension 3, the steps along the external dimensions leave only node 7 without the message, which
 * one more step informs. From the prime subcube of dimensions 0 and 1, they leave 7 nodes.
 */
TEST(bcast_figure_2)
{
	static const unsigned int faults[] = { 5, 6, 9, 17 };
	struct hc_bcast_plan p;
	struct bworld w;

	figure_2_faults(&w, faults);
	ASSERT_TRUE(!bworld_plan(&w, HC_BCAST_BROADCAST1, false, &p));
	ASSERT_TRUE(p.subcube == 0x1c && has_sequence(&p, "234102"));
	ASSERT_TRUE(p.npseudo == 1 && hc_set_has(p.pseudo, 7) && bcast_complete(&w, &p, 6));
	hc_bcast_plan_free(&p);

	ASSERT_TRUE(!bworld_fixed(&w, 0, "23410", &p));
	ASSERT_TRUE(p.covered == 27 && hc_set_has(p.missed, 7));
	ASSERT_TRUE(!is_free(&w, &p, 0) && !is_free(&w, &p, 1));
	ASSERT_TRUE(is_free(&w, &p, 2) && is_free(&w, &p, 3) && is_free(&w, &p, 4));
	hc_bcast_plan_free(&p);

	ASSERT_TRUE(!bworld_fixed(&w, 0, "01234", &p));
	ASSERT_TRUE(p.subcube == 3 && p.npseudo == 7 && is_free(&w, &p, 0) && is_free(&w, &p, 1));
	hc_bcast_plan_free(&p);
	ASSERT_TRUE(!bworld_plan(&w, HC_BCAST_BROADCAST1, true, &p));
	ASSERT_TRUE(p.subcube == 3 && bcast_complete(&w, &p, 6));
	hc_bcast_plan_free(&p);
	bworld_free(&w);
}

/* Return: true if the faults have all properties that the text states of figure 2. */
static bool fits_figure_2(const struct bworld *w)
{
	struct hc_bcast_plan p;
	bool fits;
	int d;

	if (boracle_faulty_cube(&w->o, 0, 0x1c) || boracle_faulty_cube(&w->o, 0, 3) ||
	    !boracle_faulty_cube(&w->o, 0, 7) || !boracle_faulty_cube(&w->o, 0, 11) ||
	    !boracle_faulty_cube(&w->o, 0, 19))
		return false;
	for (d = 0; d < 5; d++)
		if (!boracle_faulty_cube(&w->o, 0, 31 ^ (1 << d)))
			return false;
	bworld_fixed(w, 0, "23410", &p);
	fits = p.covered == 27 && hc_set_has(p.missed, 7) && is_free(w, &p, 2) &&
	       is_free(w, &p, 3) && is_free(w, &p, 4);
	hc_bcast_plan_free(&p);
	if (!fits)
		return false;
	bworld_fixed(w, 0, "01234", &p);
	fits = p.npseudo == 7 && is_free(w, &p, 0) && is_free(w, &p, 1);
	hc_bcast_plan_free(&p);
	return fits;
}

/* Count in *ctx the sets of four faults with the properties of figure 2. A set other than the known
 * ones makes the count 100.
 */
static bool count_figure_2(const unsigned int *set, unsigned int size, void *ctx)
{
	unsigned int faults[4], i, *count = ctx;
	struct bworld w;

	if (size < 4)
		return true;
	for (i = 0; i < 4; i++)
		faults[i] = set[i] + 1;
	figure_2_faults(&w, faults);
	if (fits_figure_2(&w)) {
		++*count;
		if (faults[0] != 5 || faults[1] != 6 ||
		    (faults[2] != 9 && faults[2] != 11) || (faults[3] != 17 && faults[3] != 19))
			*count = 100;
	}
	bworld_free(&w);
	return true;
}

/* The picture of figure 2 is lost. Four sets of faults have the properties that the text states. */
TEST(bcast_figure_2_all_sets)
{
	unsigned int count = 0;

	ASSERT_TRUE(bcast_subsets(31, 4, count_figure_2, &count));
	ASSERT_TRUE(count == 4);
}

/* Lemma 1 claims that with up to 2n faulty nodes there are three dimensions along which at most
 * three edges join two faulty nodes. If all nodes of a 3-subcube of the 4-cube are faulty, there is
 * only one such dimension.
 */
TEST(bcast_lemma_1)
{
	bool bad[BORACLE_NODES] = { false };
	int u, d, n;

	for (u = 0; u < 8; u++)
		bad[u] = true;
	for (d = 0; d < 4; d++)
		ASSERT_TRUE(boracle_doubly(4, bad, d) == (d < 3 ? 4 : 0));
	/* Adding faults elsewhere in larger cubes, up to 2n in all, does not add such dimensions:
	 * along each dimension of the subcube four edges still join two faulty nodes.
	 */
	for (n = 5; n <= 6; n++) {
		int good = 0;

		bad[31] = true;
		bad[n == 6 ? 63 - 8 : 31 - 4] = true;
		for (d = 0; d < n; d++)
			good += boracle_doubly(n, bad, d) <= 3;
		ASSERT_TRUE(good == n - 3);
	}
}

/* The dimension of the cubes that are tried. */
struct lemma {
	unsigned int n;
	bool links;
};

/* Return: true if some dimension has at most three edges between nodes of @set. */
static bool one_dimension(const unsigned int *set, unsigned int size, void *ctx)
{
	const struct lemma *l = ctx;
	bool bad[BORACLE_NODES] = { false };
	unsigned int i, d;

	for (i = 0; i < size; i++)
		bad[set[i]] = true;
	for (d = 0; d < l->n; d++)
		if (boracle_doubly((int)l->n, bad, (int)d) <= 3)
			return true;
	return false;
}

/* The paper uses Lemma 1 only for 2n - 1 bad nodes, and needs only one such dimension; there is
 * one.
 */
TEST(bcast_lemma_1_as_used)
{
	struct lemma l;

	for (l.n = 3; l.n <= 4; l.n++)
		ASSERT_TRUE(bcast_subsets(1u << l.n, 2 * l.n - 1, one_dimension, &l));
}

/* Up to 2n - 3 failed nodes cut off nothing but single nodes. @ctx: the dimension. Return: true if
 * the failed nodes @set cut off a single node, or nothing.
 */
static bool still_connected(const unsigned int *set, unsigned int size, void *ctx)
{
	unsigned int i, d, u, links;
	struct boracle o;

	boracle_init(&o, *(int *)ctx);
	for (i = 0; i < size; i++)
		boracle_kill(&o, (int)set[i]);
	for (u = 0; u < 1u << o.n; u++) {
		links = 0;
		for (d = 0; d < (unsigned int)o.n; d++)
			links += boracle_link(&o, (int)u, (int)d);
		if (!o.dead[u] && !links)
			return true;
	}
	return boracle_connected(&o);
}

/* For all sets of up to 2n - 3 failed nodes in the cubes of dimension 3 and 4. */
TEST(bcast_2n_minus_3_failed_nodes_isolate_only_single_nodes)
{
	int n;

	for (n = 3; n <= 4; n++)
		ASSERT_TRUE(bcast_subsets(1u << n, 2 * (unsigned int)n - 3, still_connected, &n));
}

/* With more than 2n - 3 failed nodes a pair of nodes can be cut off: for n = 4, by 6 nodes, which
 * are fewer than 4n - 9.
 */
TEST(bcast_from_isolated_pair_of_nodes_reaches_only_the_pair)
{
	static const unsigned int faults[] = { 2, 3, 4, 5, 8, 9 };
	struct hc_bcast_plan p;
	struct bworld w;
	unsigned int i, d, u, links;

	bworld_init(&w, 4);
	for (i = 0; i < 6; i++)
		bworld_node(&w, faults[i]);
	for (u = 0; u < 16; u++) {
		links = 0;
		for (d = 0; d < 4; d++)
			links += boracle_link(&w.o, (int)u, (int)d);
		ASSERT_TRUE(w.o.dead[u] || links);
	}
	ASSERT_TRUE(!bworld_plan(&w, HC_BCAST_GENERAL, false, &p));
	ASSERT_TRUE(bcast_complete(&w, &p, 1) && p.reachable == 2 && p.nunreachable == 8);
	hc_bcast_plan_free(&p);
	bworld_free(&w);
}

/* With n or more faults Broadcast1 may miss members: the example of the errata. */
TEST(bcast_broadcast1_around_n_faults_can_miss_members)
{
	static const unsigned int faults[] = { 3, 5, 6, 9 };
	struct hc_bcast_plan p;
	struct bworld w;
	unsigned int i;

	bworld_init(&w, 4);
	for (i = 0; i < 4; i++)
		bworld_node(&w, faults[i]);
	ASSERT_TRUE(!bworld_plan(&w, HC_BCAST_BROADCAST1, true, &p));
	ASSERT_TRUE(bcast_holds(&w, &p) && p.covered == 11 && hc_set_has(p.missed, 7));
	hc_bcast_plan_free(&p);
	ASSERT_TRUE(!bworld_plan(&w, HC_BCAST_GENERAL, true, &p));
	ASSERT_TRUE(bcast_complete(&w, &p, 6));
	hc_bcast_plan_free(&p);
	bworld_free(&w);
}

/*
 * The paper sends the message to "the half with the fewest faults" first. Here the half across
 * dimension 0 has one fault only, but that is the node through which the message would have to
 * enter the half.
 */
TEST(bcast_is_complete_if_entry_node_of_better_half_has_failed)
{
	static const unsigned int faults[] = { 1, 6, 10, 12 };
	struct hc_bcast_plan p;
	unsigned int i, d;
	struct bworld w;

	bworld_init(&w, 4);
	for (i = 0; i < 4; i++)
		bworld_node(&w, faults[i]);
	for (d = 0; d < 4; d++) {
		unsigned int far = 0;

		for (i = 0; i < 4; i++)
			far += faults[i] >> d & 1;
		/* Along dimension 0 the halves have 1 and 3 faults, along each other dimension 2
		 * and 2.
		 */
		ASSERT_TRUE(d ? far == 2 : far == 1);
	}
	ASSERT_TRUE(!boracle_link(&w.o, 0, 0));
	ASSERT_TRUE(!bworld_plan(&w, HC_BCAST_GENERAL, false, &p));
	ASSERT_TRUE(bcast_complete(&w, &p, 6));
	hc_bcast_plan_free(&p);
	bworld_free(&w);
}
