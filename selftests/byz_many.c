// SPDX-License-Identifier: GPL-2.0
/*
 * Ten thousand datagrams, sent in copies over cubes with failed links and nodes, of which some
 * nodes are Byzantine. As long as there are no more Byzantine nodes than the number of copies
 * allows for, no corrupted datagram is delivered, every datagram that the manual promises to
 * deliver is delivered, and no path without a Byzantine relay is accused. With more Byzantine nodes
 * the test counts the corrupted datagrams that are delivered.
 *
 * Scheduling: shared
 */
#include <string.h>

#include "copies.h"
#include "ktap.h"

#define EVERY		HYPERCUBE_PPM_MAX
#define OPERATIONS	10000
#define SCENES		6	/* sets of faults to try for each dimension */
#define BATCH		40	/* datagrams sent with the same Byzantine nodes */
#define PAIRS		48	/* pairs of a sender and a receiver in each scene */

/* The data of a datagram. @nr: its index in the batch. @words: random numbers. */
struct letter {
	unsigned int from, to, nr, words[6];
};

/**
 * struct scene - faults, Byzantine nodes, and pairs that send datagrams
 * @c: the cube
 * @k: number of copies of each datagram
 * @from: sender of each pair
 * @to: receiver of each pair
 * @byz: numbers of the Byzantine nodes
 * @nbyz: number of Byzantine nodes
 * @deliver: which datagrams the receivers request (HYPERCUBE_DELIVER_*)
 * @sent: number of datagrams sent
 * @came: number of datagrams delivered
 * @lies: number of frames that relays have corrupted
 * @checked: for each node, the number of datagrams on which it has voted
 */
struct scene {
	struct cube c;
	unsigned int k;
	unsigned int from[PAIRS], to[PAIRS];
	unsigned int byz[HYPERCUBE_DIM_MAX], nbyz;
	int deliver;
	unsigned int sent, came, lies;
	uint64_t checked[CUBE_MAX];
};

static bool healthy(const struct cube *c, unsigned int node)
{
	return c->faults->fault[node] != (1u << c->dim) - 1;
}

/* Return: number of frames that the Byzantine nodes have corrupted. */
static uint64_t notified(const struct scene *s)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < s->nbyz; i++)
		sum += copies_view(&s->c, s->byz[i]).lies;
	return sum;
}

/* --- the scene --- */

/* Send datagrams until all copies of one arrive: the sender may not yet know of the faults. No node
 * is Byzantine at this time.
 */
static bool pair_ready(struct scene *s, unsigned int from, unsigned int to)
{
	uint64_t end = deadline(COPIES_SECONDS);
	struct copies_got g;
	unsigned int nr = 0;

	while (now_ms() < end) {
		unsigned int said;

		if (copies_known(&s->c, from, to) != copies_possible(&s->c, from, to)) {
			usleep(1000);
			continue;
		}
		if (copies_post(&s->c, from, to, &nr, sizeof(nr)) != sizeof(nr) ||
		    copies_take(&s->c, to, &said, sizeof(said), &g) != sizeof(said))
			return false;
		s->checked[to]++;
		if (g.v.outcome == HYPERCUBE_VOTE_OUTCOME_AGREED && g.v.copies == s->k)
			return true;
		nr++;
	}
	return false;
}

/* Set up to dim - 2 random faults, which leave at least two paths, and choose pairs between which
 * all copies arrive.
 */
static bool scene_set(struct scene *s)
{
	unsigned int faults = below(s->c.dim - 1), i, node, dim;
	bool ready = !cube_heal(&s->c);

	for (i = 0; i < faults && ready; i++) {
		cube_link(&s->c, below(s->c.dim * s->c.nodes / 2), &node, &dim);
		if (i == 1)
			ready = !cube_fail_node(&s->c, node);
		else
			ready = !cube_fail_link(&s->c, node, dim);
	}
	/* With f faults, at least dim - f paths are left. */
	s->k = s->c.dim - faults;
	if (!below(4))
		s->k = 2 + below(s->k - 1);
	ready = ready && !copies_again(&s->c, (int)s->k, HYPERCUBE_DELIVER_REPORT);
	/* Wait for at most 1 s for a copy that was lost at a fault. */
	for (i = 0; i < s->c.nodes && ready; i++)
		ready = !copies_set(s->c.fd[i], HYPERCUBE_COPIES_WAIT, 1000);
	for (i = 0; i < PAIRS && ready; i++) {
		do {
			s->from[i] = below(s->c.nodes);
			s->to[i] = below(s->c.nodes);
		} while (s->from[i] == s->to[i] || !healthy(&s->c, s->from[i]) ||
			 !healthy(&s->c, s->to[i]));
		ready = pair_ready(s, s->from[i], s->to[i]);
	}
	return ready && !copies_again(&s->c, (int)s->k, s->deliver);
}

/* Make @nbyz random nodes Byzantine, and all others honest. At random, the Byzantine nodes all flip
 * the same bits or different ones, and each corrupts every frame or only some.
 */
static bool byzantine_set(struct scene *s, unsigned int nbyz)
{
	bool alike = below(2), ready = true;
	unsigned int i, seed = rnd();

	for (i = 0; i < s->nbyz && ready; i++)
		ready = !ctl_node_byzantine(s->c.name, s->byz[i], 0, NULL, 0, -1);
	s->nbyz = nbyz;
	for (i = 0; i < nbyz && ready; i++) {
		unsigned int j;

		do {
			s->byz[i] = below(s->c.nodes);
			for (j = 0; s->byz[j] != s->byz[i]; j++)
				;
		} while (j < i);
		ready = !ctl_node_byzantine(s->c.name, s->byz[i],
					    below(2) ? EVERY : 1 + below(EVERY), NULL, 0,
					    alike ? seed : (unsigned int)rnd());
	}
	return ready && !copies_again(&s->c, (int)s->k, s->deliver);
}

/* --- datagrams --- */

/* Return: true if each path that the vote reports for a missing or mismatched copy has a Byzantine
 * relay.
 */
static bool justly_accused(const struct scene *s, const struct copies_got *g)
{
	unsigned int i, j;

	for (i = 0; i < g->npaths; i++) {
		for (j = 0; j < s->nbyz; j++)
			if (copies_on_path(g->from, &g->path[i], s->byz[j]))
				break;
		if (j == s->nbyz)
			return false;
	}
	return true;
}

/* Return: true if the datagram @in, @n bytes long, that node @node has received is one of the batch
 * @out and unchanged.
 */
static bool is_true(const struct letter *in, long n, unsigned int node, const struct copies_got *g,
		    const struct letter *out)
{
	return n == sizeof(*in) && in->to == node && in->from == g->from && in->nr < BATCH &&
	       !memcmp(in, &out[in->nr], sizeof(*in));
}

/* Send a batch of @n datagrams. @want: counts how many of them go to each node. */
static bool letters_post(struct scene *s, struct letter *out, unsigned int *want, unsigned int n)
{
	unsigned int i, j;

	memset(out, 0, BATCH * sizeof(*out));
	for (i = 0; i < n; i++) {
		unsigned int pair = below(PAIRS);

		out[i].from = s->from[pair];
		out[i].to = s->to[pair];
		out[i].nr = i;
		for (j = 0; j < ARRAY_SIZE(out[i].words); j++)
			out[i].words[j] = rnd();
		want[out[i].to]++;
		if (copies_post(&s->c, out[i].from, out[i].to, &out[i], sizeof(out[i])) !=
		    sizeof(out[i]))
			return false;
	}
	return true;
}

/* Receive a batch. Return: number of wrong datagrams that were delivered, or -1 if a datagram is
 * missing or an honest path is accused.
 */
static int letters_take(struct scene *s, const struct letter *out, const unsigned int *want)
{
	bool all = s->deliver != HYPERCUBE_DELIVER_AGREED;
	bool whole = s->deliver != HYPERCUBE_DELIVER_MAJORITY;
	unsigned int u, i, wrong = 0;

	for (u = 0; u < s->c.nodes; u++) {
		/* The kernel delivers a datagram before it counts the vote. So once the votes are
		 * counted, all datagrams are in the receive queue.
		 */
		s->checked[u] += want[u];
		if (want[u] && !copies_checked(&s->c, u, s->checked[u]))
			return -1;
		for (i = 0; i < want[u]; i++) {
			struct copies_got g;
			struct letter in;
			long n = copies_take_now(&s->c, u, &in, sizeof(in), &g);

			if (n == -EAGAIN && !all)
				break;
			if (n < 0 || (whole && g.v.missing) || !justly_accused(s, &g))
				return -1;
			s->came++;
			wrong += !is_true(&in, n, u, &g, out);
		}
	}
	return wrong;
}

/* Send and receive a batch of datagrams. Return: as letters_take(). */
static int letters(struct scene *s, unsigned int n)
{
	unsigned int want[CUBE_MAX] = { 0 }, came = s->came, lies = notified(s);
	struct letter out[BATCH];
	int wrong;

	if (!letters_post(s, out, want, n))
		return -1;
	wrong = letters_take(s, out, want);
	lies = notified(s) - lies;
	s->sent += n;
	s->lies += lies;
	/* For each datagram that was not delivered, at least one frame must have been corrupted. */
	return n - (s->came - came) > lies ? -1 : wrong;
}

/* --- within the bound --- */

static void within_the_bound(struct __test_metadata *_metadata, unsigned int dim)
{
	static const int ways[] = {
		HYPERCUBE_DELIVER_MAJORITY, HYPERCUBE_DELIVER_AGREED, HYPERCUBE_DELIVER_REPORT,
	};
	unsigned int all = scaled(OPERATIONS / 3 + 1), scene, most;
	static struct scene s;

	ASSERT_EQ(0, copies_start(&s.c, dim, 2, HYPERCUBE_DELIVER_REPORT));
	for (scene = 0; s.sent < all; scene++) {
		unsigned int until = s.sent + (all + SCENES - 1) / SCENES;

		s.nbyz = 0;
		ASSERT_TRUE(scene_set(&s));
		while (s.sent < until && s.sent < all) {
			s.deliver = ways[below(ARRAY_SIZE(ways))];
			/* If all copies must agree, up to k - 1 of the k copies may be corrupted;
			 * otherwise fewer than half of them.
			 */
			most = s.deliver == HYPERCUBE_DELIVER_AGREED ? s.k - 1 : (s.k - 1) / 2;
			ASSERT_TRUE(byzantine_set(&s, below(4) ? most : below(most + 1)));
			ASSERT_EQ(0, letters(&s, all - s.sent < BATCH ? all - s.sent : BATCH));
		}
	}
	printf("# %u datagrams in %u scenes, %u lies, %u were not delivered, none was false\n",
	       s.sent, scene, s.lies, s.sent - s.came);
	EXPECT_EQ(all, s.sent);
	EXPECT_LE(1, s.lies);
	EXPECT_EQ(0, cube_del(&s.c));
}

TEST(no_corrupted_datagram_is_delivered_within_bound_in_cube_of_8)
{
	within_the_bound(_metadata, 3);
}

TEST(no_corrupted_datagram_is_delivered_within_bound_in_cube_of_16)
{
	within_the_bound(_metadata, 4);
}

TEST(no_corrupted_datagram_is_delivered_within_bound_in_cube_of_32)
{
	within_the_bound(_metadata, 5);
}

/* --- beyond the bound --- */

/* Make all nodes except @from and @to Byzantine, with the same seed, so that all flip the same
 * bits, and send a datagram. If the vote has no majority, its data are not delivered. Return: 1 if
 * wrong data were delivered, 0 if not, -1 on errors.
 */
static int one_among_byzantine(struct scene *s, unsigned int from, unsigned int to)
{
	unsigned int u, said, seed = rnd(), truth = rnd();
	struct copies_got g;
	long n;

	for (u = 0; u < s->c.nodes; u++)
		if (ctl_node_byzantine(s->c.name, u, u == from || u == to ? 0 : EVERY, NULL, 0,
				       seed))
			return -1;
	if (copies_post(&s->c, from, to, &truth, sizeof(truth)) != sizeof(truth))
		return -1;
	n = copies_take(&s->c, to, &said, sizeof(said), &g);
	if (n == 0)
		return 0;
	if (n != sizeof(said))
		return -1;
	return said != truth;
}

TEST(byzantine_relays_beyond_bound_get_corrupted_datagrams_delivered)
{
	static const char *const outcome[] = { "majorities", "agreements" };
	unsigned int rounds = scaled(150), escaped[2] = { 0 }, round, i;
	static struct scene s;

	ASSERT_EQ(0, copies_start(&s.c, 4, 3, HYPERCUBE_DELIVER_REPORT));
	for (round = 0; round < rounds; round++) {
		unsigned int from = below(16), to = from ^ (3u << below(3));
		int wrong;

		/* In even rounds there are three copies, one of which takes a path with more than
		 * one relay; in odd rounds there are two copies, over paths of one relay each.
		 */
		i = round % 2;
		ASSERT_EQ(0, copies_again(&s.c, i ? 2 : 3, HYPERCUBE_DELIVER_REPORT));
		wrong = one_among_byzantine(&s, from, to);
		ASSERT_LE(0, wrong);
		escaped[i] += wrong;
	}
	for (i = 0; i < 2; i++)
		printf("# %u of %u false %s with all relays lying alike\n", escaped[i],
		       (rounds + 1 - i) / 2, outcome[i]);
	/* Some wrong datagrams must be delivered here. Otherwise the tests above would prove
	 * nothing.
	 */
	EXPECT_LE(1, escaped[0]);
	EXPECT_EQ(0, cube_del(&s.c));
}

TEST_HARNESS_MAIN
