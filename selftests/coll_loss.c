// SPDX-License-Identifier: GPL-2.0
/*
 * Many operations of several segments, including merges of sorted runs and reductions of records,
 * over links that lose or corrupt frames. Each operation ends once at every member, with exactly
 * the bytes that the test computes. Members check frames on the way down a plan in the same way as
 * frames on the way up.
 *
 * Scheduling: shared
 */
#include <stdlib.h>
#include <string.h>

#define TESTS_TOGETHER
#include "cube.h"
#include "ktap.h"

#define PLAN 1
#define SEGMENT 1000

/**
 * struct work - an operation that all members run
 * @collective: the collective
 * @oper: its operator
 * @bytes: bytes of each contribution, or of each block of a contribution
 */
struct work {
	unsigned int collective;
	unsigned int oper;
	size_t bytes;
};

static const struct work tree_works[] = {
	{ HYPERCUBE_ALLREDUCE, HYPERCUBE_SUM, 8000 },
	{ HYPERCUBE_SCATTER, 0, 3500 },
	{ HYPERCUBE_REDUCE, HYPERCUBE_SUM, 8000 },
	{ HYPERCUBE_GATHER, 0, 3500 },
	{ HYPERCUBE_ALLREDUCE, HYPERCUBE_MERGE, 2400 },
	{ HYPERCUBE_REDUCE, HYPERCUBE_MERGE, 2400 },
	{ HYPERCUBE_BARRIER, 0, 0 },
	/* Elements are records of 250 bytes, about half a segment. So a helper's share of a segment
	 * may contain no whole element.
	 */
	{ HYPERCUBE_ALLREDUCE, HYPERCUBE_MAX, 2000 },
};

static const struct work doubling_works[] = {
	{ HYPERCUBE_ALLREDUCE, HYPERCUBE_SUM, 8000 },
	{ HYPERCUBE_BARRIER, 0, 0 },
};

/* --- expected results --- */

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x9e3779b97f4a7c15ull;
	return x ^ x >> 29;
}

/* Return: element @i of the contribution of process @who to operation @k. The elements of a run to
 * be merged ascend.
 */
static uint64_t element(const struct work *w, unsigned int k, unsigned int who, size_t i)
{
	if (w->oper == HYPERCUBE_MERGE)
		return (uint64_t)i << 20 | (mix(k * 64 + who + i * 4096) & 0xfffff);
	return mix((uint64_t)k << 40 | (uint64_t)who << 32 | i);
}

static bool has_blocks(const struct work *w)
{
	return w->collective == HYPERCUBE_GATHER || w->collective == HYPERCUBE_SCATTER;
}

static void fill(const struct work *w, unsigned int k, unsigned int who, uint8_t *to)
{
	uint64_t v;
	size_t i;

	for (i = 0; i < w->bytes; i += sizeof(v)) {
		v = element(w, k, who, i / sizeof(v));
		memcpy(to + i, &v, w->bytes - i < sizeof(v) ? w->bytes - i : sizeof(v));
	}
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Compute the result of operation @k of @n processes into @out. Return: its length in bytes. */
static size_t result(const struct work *w, unsigned int k, unsigned int n, uint8_t *out)
{
	uint64_t *sum = (uint64_t *)out;
	unsigned int who;
	size_t i;

	for (who = 0; who < n; who++)
		fill(w, k, who, out + who * w->bytes);
	if (has_blocks(w))
		return n * w->bytes;
	if (w->oper == HYPERCUBE_MERGE) {
		qsort(out, n * w->bytes / sizeof(*sum), sizeof(*sum), ascending);
		return n * w->bytes;
	}
	for (who = 1; who < n && w->oper == HYPERCUBE_SUM; who++)
		for (i = 0; i < w->bytes / sizeof(*sum); i++)
			sum[i] += sum[who * w->bytes / sizeof(*sum) + i];
	/* Records are compared in the order of memcmp(), so MAX is the last of them in this order.
	 */
	for (who = 1; who < n && w->oper == HYPERCUBE_MAX; who++)
		for (i = 0; i < w->bytes; i += 250)
			if (memcmp(out + i, out + who * w->bytes + i, 250) < 0)
				memcpy(out + i, out + who * w->bytes + i, 250);
	return w->bytes;
}

/* --- jobs --- */

/* Return: true if a process gets a result. @sink: the process is that of the root. */
static bool gets(const struct work *w, bool sink)
{
	return sink || (w->collective != HYPERCUBE_REDUCE && w->collective != HYPERCUBE_GATHER);
}

static void job_fill(struct job *j, const struct work *w, unsigned int k, unsigned int who,
		     unsigned int n, bool sink)
{
	bool scatter = w->collective == HYPERCUBE_SCATTER, record = w->oper == HYPERCUBE_MAX;
	uint8_t *in = calloc(n, w->bytes + 1);

	j->op = (struct hypercube_op){
		.plan = PLAN, .collective = w->collective, .oper = w->oper,
		.type = record ? HYPERCUBE_RECORD : w->oper ? HYPERCUBE_U64 : 0,
		.width = record ? 250 : 0, .bytes = !scatter ? w->bytes : sink ? n * w->bytes : 0,
	};
	if (w->collective == HYPERCUBE_REDUCE || w->collective == HYPERCUBE_GATHER)
		j->op.flags = HYPERCUBE_F_NOTIFY;
	if (!scatter)
		fill(w, k, who, in);
	else if (sink)
		result(w, k, n, in);
	j->in = in;
	j->room = gets(w, sink) ? n * w->bytes : 0;
	j->out = calloc(n, w->bytes + 1);
	j->waits = true;
}

/* Number of operations that ended as they must, and of those that did not, at all members. */
struct tally {
	unsigned int right;
	unsigned int wrong;
};

static void job_check(struct tally *t, const struct job *j, const struct work *w, unsigned int k,
		      unsigned int who, unsigned int n, bool sink)
{
	uint8_t *want = calloc(n, w->bytes + 1), *mine = want;
	size_t bytes = result(w, k, n, want);
	int err = j->refused ? j->refused : j->res.status;

	if (w->collective == HYPERCUBE_SCATTER) {
		bytes = w->bytes;
		mine += who * bytes;
	} else if (!gets(w, sink)) {
		bytes = 0;
	}
	if (j->ends != 1 || err || j->got != bytes || memcmp(mine, j->out, bytes)) {
		printf("# collective %u, member %u, operation %u: %u ends, error %d, %zu of %zu bytes\n",
		       w->collective, who, k, j->ends, err, j->got, bytes);
		t->wrong++;
	} else {
		t->right++;
	}
	free(want);
}

/* Run @njobs operations at all members at the same time; their kinds are the @nworks elements of @w
 * in turn. Count their ends in @t.
 */
static void batch(struct cube *c, const struct work *w, unsigned int nworks,
		  unsigned int njobs, struct tally *t)
{
	unsigned int node[CUBE_MAX], i, k;
	struct party p[CUBE_MAX];
	unsigned int n = parties(c, p, node, njobs);

	for (i = 0; i < n; i++)
		for (k = 0; k < njobs; k++)
			job_fill(&p[i].job[k], &w[k % nworks], k, i, n,
				 node[i] == c->plan.tree.sink);
	if (drive(p, n, 30)) {
		printf("# not all operations ended\n");
		ctl_op_print(c->name);
		t->wrong++;
	}
	for (i = 0; i < n; i++) {
		for (k = 0; k < p[i].njobs; k++)
			job_check(t, &p[i].job[k], &w[k % nworks], k, i, n,
				  node[i] == c->plan.tree.sink);
		if (p[i].strays)
			printf("# member %u: %u records of nothing\n", i, p[i].strays);
		t->wrong += p[i].strays;
	}
	for (i = 0; i < n; i++)
		for (k = 0; k < njobs; k++) {
			free((void *)p[i].job[k].in);
			free(p[i].job[k].out);
		}
	parties_free(p, n);
}

/* --- tests --- */

/* Run batches of operations over links with the impairments @bad. */
static void links_bad(struct __test_metadata *_metadata, struct cube *c,
		      const struct work *w, unsigned int nworks, const struct impairments *bad)
{
	struct tally t = { 0 };
	unsigned int round;

	ASSERT_EQ(0, cube_impair(c, bad));
	for (round = 0; round < scaled(12); round++) {
		batch(c, w + round % nworks, 1, 8, &t);
		batch(c, w, nworks, nworks, &t);
	}
	printf("# %u ends well, %u wrong\n", t.right, t.wrong);
	EXPECT_EQ(0, t.wrong);
}

static int start(struct cube *c)
{
	return cube_new(c, 2, SEGMENT) ?: cube_plan_to(c, PLAN, 0) ?: cube_bind_all(c);
}

static const struct impairments lose = { .loss = 20000, .seed = 3 };
static const struct impairments lose_less = { .loss = 3000, .seed = 5 };
static const struct impairments corrupt = { .corrupt = 20000, .seed = 7 };

TEST(tree_collectives_are_right_over_links_that_lose_frames)
{
	struct cube c;

	ASSERT_EQ(0, start(&c));
	links_bad(_metadata, &c, tree_works, ARRAY_SIZE(tree_works), &lose);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(tree_collectives_are_right_over_links_that_corrupt_frames)
{
	struct cube c;

	ASSERT_EQ(0, start(&c));
	links_bad(_metadata, &c, tree_works, ARRAY_SIZE(tree_works), &corrupt);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(helpers_and_detours_give_right_results_over_lossy_links)
{
	static const uint8_t order[] = { 2, 1, 0 };
	struct cube c;

	/* One member has a detour, and another one, at the link that fails in addition, has
	 * helpers: the plan counts both links.
	 */
	ASSERT_EQ(0, cube_detour(&c, PLAN, SEGMENT));
	ASSERT_EQ(0, cube_fail_link(&c, 6, 2));
	ASSERT_EQ(0, cube_plan_fixed(&c, PLAN, 3, order));
	EXPECT_EQ(1, c.plan.tree.ndetours);
	EXPECT_EQ(2, c.plan.cost);
	ASSERT_EQ(0, cube_bind_all(&c));
	links_bad(_metadata, &c, tree_works, ARRAY_SIZE(tree_works), &lose_less);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(recursive_doubling_gives_right_results_over_lossy_links)
{
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 3, SEGMENT));
	ASSERT_EQ(0, cube_doubling(&c, PLAN, hc_ones(3), 0));
	ASSERT_EQ(0, cube_bind_all(&c));
	links_bad(_metadata, &c, doubling_works, ARRAY_SIZE(doubling_works), &lose_less);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
