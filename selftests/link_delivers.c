// SPDX-License-Identifier: GPL-2.0
/*
 * Links that lose, corrupt, duplicate and delay frames cost time, but fail no operation. Each
 * collective succeeds on each plan type that can run it, also around faults and with many
 * operations at a time: every member gets exactly the bytes that the test computes. If a link
 * delivers nothing, it is spent: it goes down at both ends, and operations end with ENOLINK.
 *
 * Scheduling: shared
 */
#include <stdlib.h>
#include <string.h>

#include "hc_coll_desc.h"
#include "ktap.h"
#include "rings.h"
#include "span.h"

#define PLAN 1
#define ALL 1000000
#define US 1000ull
/* Greatest number of operations in a batch; it is enough for many operations of each collective. */
#define JOBS_MAX 64
/* Upper bound of the number of frames that all members together send in an operation. */
#define FRAMES_MAX 1000

/* --- expected results --- */

/**
 * struct work - an operation of a batch
 * @desc: descriptor of its collective
 * @collective: enum hypercube_collective
 * @bytes: length of a member's contribution, or of a block if the collective has blocks
 */
struct work {
	const struct hc_coll_desc *desc;
	unsigned int collective;
	size_t bytes;
};

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x9e3779b97f4a7c15ull;
	return x ^ x >> 29;
}

/* Write to @to the block of @len bytes that party @who has for party @whom in operation @k. If the
 * block is for all parties, @whom is 0.
 */
static void block(uint8_t *to, size_t len, unsigned int k, unsigned int who, unsigned int whom)
{
	size_t i;
	uint64_t v;

	for (i = 0; i < len; i += sizeof(v)) {
		v = mix((uint64_t)k << 48 | (uint64_t)who << 40 | (uint64_t)whom << 32 | i);
		memcpy(to + i, &v, len - i < sizeof(v) ? len - i : sizeof(v));
	}
}

/* Return: true if the collective reduces elements. */
static bool sums(const struct work *w)
{
	return w->desc->payload == HC_PAYLOAD_ELEMENTS;
}

/* Return: number of blocks that a party contributes. @n: number of parties; @root: this party is
 * the root.
 */
static unsigned int gives(const struct work *w, unsigned int n, bool root)
{
	if (!hc_who_has(w->desc->gives, root))
		return 0;
	return w->desc->parts || hc_coll_deals(w->desc) ? n : 1;
}

/* Return: number of blocks that a party gets. @n: number of parties; @root: this party is the root.
 */
static unsigned int gets(const struct work *w, unsigned int n, bool root)
{
	if (!hc_who_has(w->desc->gets, root))
		return 0;
	if (sums(w) || w->desc->gives == HC_WHO_ROOT)
		return 1;
	return n;
}

/* Compute the result of party @who in operation @k into @to. @n: number of parties; @root: the
 * party that is the root.
 */
static void expected(uint8_t *to, const struct work *w, unsigned int k, unsigned int n,
		     unsigned int who, unsigned int root)
{
	unsigned int from, whom = w->desc->parts || hc_coll_deals(w->desc) ? who : 0;
	uint8_t *one = malloc(w->bytes + 8);
	size_t i;

	if (w->desc->gives == HC_WHO_ROOT) {
		block(to, w->bytes, k, root, whom);
	} else if (!sums(w)) {
		for (from = 0; from < n; from++)
			block(to + from * w->bytes, w->bytes, k, from, whom);
	} else {
		memset(to, 0, w->bytes);
		for (from = 0; from < n; from++) {
			block(one, w->bytes, k, from, whom);
			for (i = 0; i < w->bytes / sizeof(uint64_t); i++)
				((uint64_t *)to)[i] += ((uint64_t *)one)[i];
		}
	}
	free(one);
}

static void job_fill(struct job *j, const struct work *w, unsigned int k, unsigned int n,
		     unsigned int who, bool root)
{
	unsigned int ngives = gives(w, n, root), i;
	uint8_t *in = malloc(ngives * w->bytes + 8);

	for (i = 0; i < ngives; i++)
		block(in + i * w->bytes, w->bytes, k, who, i);
	j->op = (struct hypercube_op){
		.plan = PLAN, .collective = w->collective,
		.oper = sums(w) ? HYPERCUBE_SUM : 0, .type = sums(w) ? HYPERCUBE_U64 : 0,
		.flags = w->desc->gets == HC_WHO_ALL || w->desc->notified ? 0 :
			 HYPERCUBE_F_NOTIFY,
		.bytes = ngives * w->bytes,
	};
	j->in = in;
	j->room = gets(w, n, root) * w->bytes;
	j->out = calloc(j->room + 8, 1);
	j->waits = true;
}

/* Return: true if job @j, operation @k of party @who, has ended once with the right result. */
static bool right(const struct job *j, const struct work *w, unsigned int k, unsigned int n,
		  unsigned int who, unsigned int root)
{
	uint8_t *want = malloc(j->room + 8);
	bool ok;

	if (j->room)
		expected(want, w, k, n, who, root);
	ok = j->ends == 1 && !j->refused && !j->res.status && j->got == j->room &&
	     !memcmp(want, j->out, j->room);
	if (!ok)
		printf("# %s of %zu bytes, number %u, member %u: %u ends, refused %d, status %d, cause %d:%d, %zu of %zu bytes\n",
		       w->desc->name, w->bytes, k, who, j->ends, j->refused, j->res.status,
		       (int)j->res.cause_node, (int)j->res.cause_dim, j->got, j->room);
	free(want);
	return ok;
}

/* --- plans --- */

/* Fail some links, so that a tree needs effective helpers and, with three or more dimensions, a
 * detour.
 */
static int faults_set(struct cube *c)
{
	static const unsigned int links[][2] = { {0, 0}, {6, 1}, {9, 2}, {12, 3}, {17, 4}, {3, 0} };
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(links) && !err; i++)
		if (c->dim > 2 && links[i][0] < c->nodes && links[i][1] < c->dim)
			err = cube_fail_link(c, links[i][0], links[i][1]);
	return err;
}

static int tree_plan(struct cube *c)
{
	return faults_set(c) ?: cube_plan(c, PLAN);
}

static int detour_plan(struct cube *c)
{
	static const uint8_t order[] = { 2, 1, 0 };

	return cube_fail_link(c, 0, 0) ?: cube_fail_link(c, 0, 1) ?: cube_fail_link(c, 5, 1) ?:
	       cube_plan_fixed(c, PLAN, 3, order);
}

/* Install a broadcast around the faults. The tree plan before it is made only because the test
 * takes the set of members from it; no operation runs on it.
 */
static int bcast_plan(struct cube *c)
{
	return faults_set(c) ?: cube_plan_to(c, PLAN + 1, 1) ?:
	       cube_bcast_plan(c, PLAN, 1, HC_BCAST_GENERAL);
}

static int doubling_plan(struct cube *c)
{
	return cube_doubling(c, PLAN, c->nodes - 1, 0);
}

/* Install a spanning tree around the faults. The tree plan PLAN + 1 is made only because the test
 * takes the root and the set of members from it; no operation runs on it.
 */
static int span_plan(struct cube *c)
{
	int err = faults_set(c) ?: cube_plan(c, PLAN + 1);
	const struct hc_span_req req = { .root = c->plan.tree.sink };
	struct hc_span_plan p;
	const char *why;

	err = err ?: hc_plan_span(c->faults, &req, &p, &why);
	if (err)
		return err;
	err = ctl_span_new(c->name, PLAN, &p.span, c->faults->fault);
	hc_span_plan_free(&p);
	return err;
}

static int ring_plan(struct cube *c)
{
	struct rings r;

	if (faults_set(c))
		return -EINVAL;
	rings_random(&r, c, 1, 2 + below(9));
	return cube_rings(c, PLAN, &r);
}

/**
 * struct shape - a plan to be tested
 * @name: its name in messages
 * @type: enum hypercube_plan_type
 * @dim: dimension of the cube; 0: the test chooses one
 * @plan: installs the plan
 */
struct shape {
	const char *name;
	unsigned int type;
	unsigned int dim;
	int (*plan)(struct cube *c);
};

static const struct shape shapes[] = {
	{ "tree with helpers", HYPERCUBE_PLAN_TREE, 0, tree_plan },
	{ "tree with a detour", HYPERCUBE_PLAN_TREE, 3, detour_plan },
	{ "broadcast", HYPERCUBE_PLAN_BCAST, 0, bcast_plan },
	{ "doubling", HYPERCUBE_PLAN_DOUBLING, 0, doubling_plan },
	{ "trees of rings", HYPERCUBE_PLAN_RING, 0, ring_plan },
	{ "spanning tree", HYPERCUBE_PLAN_SPAN, 0, span_plan },
};

static int shape_start(struct cube *c, const struct shape *s, unsigned int dim)
{
	static const unsigned int segment[] = { 256, 1000, 4096, 32768 };

	return cube_new(c, s->dim ? s->dim : dim, segment[below(ARRAY_SIZE(segment))]) ?:
	       s->plan(c) ?: cube_bind_all(c);
}

static unsigned int root_node(const struct cube *c, const struct shape *s)
{
	return s->type == HYPERCUBE_PLAN_BCAST ? 1 :
	       s->type == HYPERCUBE_PLAN_TREE || s->type == HYPERCUBE_PLAN_SPAN ?
	       c->plan.tree.sink : CUBE_MAX;
}

/* --- a batch --- */

/* Return: a random length for operation @w of @n members, such that they send no more than
 * FRAMES_MAX frames.
 */
static size_t size_choose(const struct work *w, unsigned int n, unsigned int segment)
{
	unsigned int blocks = gives(w, n, false) + gets(w, n, false);
	static const size_t sizes[] = { 0, 8, 248, 1000, 4104, 20000 };
	size_t size = sizes[below(ARRAY_SIZE(sizes))];

	if (w->desc->payload == HC_PAYLOAD_NONE)
		return 0;
	/* In rings, each block goes to all members. */
	if (w->desc->gets == HC_WHO_ALL && !sums(w))
		blocks *= n / 2;
	while (n * blocks * size / segment > FRAMES_MAX)
		size /= 2;
	return size & ~7ul;
}

/* Fill @w with @many operations: all collectives that the plan can run, in turn. */
static void works_make(struct work *w, const struct shape *s, const struct cube *cube,
		       unsigned int many)
{
	unsigned int c = 0, i = 0;

	for (; i < many; c = (c + 1) % 16) {
		const struct hc_coll_desc *t = hc_coll_desc(c);

		if (!t || !hc_coll_carried(t, s->type, 0))
			continue;
		w[i] = (struct work){ t, c, 0 };
		w[i].bytes = size_choose(&w[i], cube->nodes, cube->segment);
		i++;
	}
}

/* Return: true if a party only receives. A receiver of a broadcast begins no operation, so the
 * records that it receives do not have a cookie that it has chosen.
 */
static bool receives_only(const struct shape *s, unsigned int node, unsigned int root)
{
	return s->type == HYPERCUBE_PLAN_BCAST && node != root;
}

/* Make one receive call at a party that only receives, for its next operation. */
static void take_next(struct party *p)
{
	struct job *j = &p->job[p->settled];
	struct hypercube_result res;
	bool eor = false;
	ssize_t n = shc_recv(p->fd, (char *)j->out + j->got, j->room - j->got + 8, &res, &eor,
			     MSG_DONTWAIT);

	if (n < 0)
		return;
	j->got += n;
	j->res = res;
	j->ends += eor;
	p->settled += eor;
}

/* As drive(). @mute: for each party, true if it only receives. */
static int drive_all(struct party *p, unsigned int n, const bool *mute, int seconds)
{
	uint64_t end = deadline(seconds);
	unsigned int i;
	bool over;

	do {
		bool moved = false;

		over = true;
		for (i = 0; i < n; i++) {
			unsigned int before = p[i].settled;

			if (!mute[i]) {
				moved |= drive_once(&p[i], 1);
				over &= drive_done(&p[i], 1);
				continue;
			}
			if (p[i].settled < p[i].njobs)
				take_next(&p[i]);
			moved |= p[i].settled != before;
			over &= p[i].settled == p[i].njobs;
		}
		if (!moved && !over)
			usleep(200);
	} while (!over && now_ms() < end);
	return over ? 0 : -ETIMEDOUT;
}

/* Run all @many operations of @w at the same time. @status: the error with which operations may
 * fail, or 0 if none may fail. Return: number of wrong ends.
 */
static unsigned int batch(struct cube *c, const struct shape *s, const struct work *w,
			  unsigned int many, int status)
{
	unsigned int node[CUBE_MAX], root = root_node(c, s), at = 0, i, k, wrong = 0;
	struct party p[CUBE_MAX];
	unsigned int n = parties(c, p, node, many);
	bool mute[CUBE_MAX];

	for (i = 0; i < n; i++) {
		at = node[i] == root ? i : at;
		mute[i] = receives_only(s, node[i], root);
		for (k = 0; k < many; k++)
			job_fill(&p[i].job[k], &w[k], k, n, i, node[i] == root);
		p[i].stops = status;
	}
	if (drive_all(p, n, mute, status ? 10 : 60)) {
		printf("# not all operations of a %s ended\n", s->name);
		ctl_op_print(c->name);
		wrong++;
	}
	for (i = 0; i < n; i++)
		for (k = 0; k < (status ? p[i].njobs : many); k++) {
			const struct job *j = &p[i].job[k];

			if (status && (j->refused || (j->ends == 1 && j->res.status == status)))
				continue;
			wrong += !right(j, &w[k], k, n, i, at);
		}
	for (i = 0; i < n; i++)
		wrong += p[i].strays;
	parties_done(p, n, many);
	return wrong;
}

/* --- tests --- */

static const struct impairments bads[] = {
	{ 0 },
	{ .loss = 10000, .seed = 1 },
	{ .loss = 50000, .seed = 2 },
	{ .loss = 200000, .seed = 3 },
	{ .corrupt = 10000, .seed = 4 },
	{ .corrupt = 50000, .seed = 5 },
	{ .corrupt = 200000, .seed = 6 },
	{ .loss = 50000, .corrupt = 50000, .duplicate = 100000, .delay = 300 * US,
	  .jitter = 300 * US, .seed = 7 },
};

static void table_line(const struct shape *s, const struct impairments *bad, unsigned int ops,
		       uint64_t ms, const struct link_sums *sums)
{
	printf("# %-18s loss %2u %%, corrupt %2u %%%s: %6.2f ms per operation, %5llu replays of %6llu frames\n",
	       s->name, bad->loss / 10000, bad->corrupt / 10000,
	       bad->delay ? ", duplicates, delay" : "", (double)ms / ops,
	       (unsigned long long)sums->replays, (unsigned long long)sums->tx_frames);
}

static void shape_delivers(struct __test_metadata *_metadata, const struct shape *s)
{
	struct work w[JOBS_MAX];
	unsigned int i, many = scaled(12);
	struct link_sums ls;
	uint64_t begin;
	struct cube c;

	for (i = 0; i < ARRAY_SIZE(bads); i++) {
		unsigned int dim = 2 + (i + (unsigned int)s->type) % 4;

		ASSERT_EQ(0, shape_start(&c, s, dim));
		works_make(w, s, &c, many);
		ASSERT_EQ(0, cube_impair(&c, &bads[i]));
		begin = now_ms();
		EXPECT_EQ(0, batch(&c, s, w, many, 0));
		begin = now_ms() - begin;
		ASSERT_EQ(0, ctl_link_sums(c.name, &ls));
		table_line(s, &bads[i], many, begin, &ls);
		EXPECT_EQ(0, ls.gap);
		EXPECT_EQ(0, ls.spent);
		if (!bads[i].loss && !bads[i].corrupt)
			EXPECT_EQ(0, ls.replays);
		if ((bads[i].loss || bads[i].corrupt) && ls.tx_frames > 2000)
			EXPECT_GT(ls.replays, 0);
		EXPECT_EQ(0, cube_del(&c));
	}
}

TEST_CALL(tree_with_helpers_delivers_over_lossy_links, shape_delivers, &shapes[0])
TEST_CALL(tree_with_detour_delivers_over_lossy_links, shape_delivers, &shapes[1])
TEST_CALL(broadcast_delivers_over_lossy_links, shape_delivers, &shapes[2])
TEST_CALL(recursive_doubling_delivers_over_lossy_links, shape_delivers, &shapes[3])
TEST_CALL(trees_of_rings_deliver_over_lossy_links, shape_delivers, &shapes[4])
TEST_CALL(spanning_tree_delivers_over_lossy_links, shape_delivers, &shapes[5])

/* Run long operations on plans of all types, with few nodes. */
TEST(megabytes_are_delivered_over_lossy_links_on_all_plan_types)
{
	static const struct impairments bad = { .loss = 50000, .corrupt = 50000, .seed = 9 };
	struct work w[JOBS_MAX];
	unsigned int i, k, many = 7;
	struct cube c;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		if (shapes[i].dim)
			continue;
		ASSERT_EQ(0, cube_new(&c, 2, 0) ?: shapes[i].plan(&c) ?: cube_bind_all(&c));
		ASSERT_EQ(0, cube_impair(&c, &bad));
		works_make(w, &shapes[i], &c, many);
		for (k = 0; k < many; k++)
			if (w[k].desc->payload != HC_PAYLOAD_NONE)
				w[k].bytes = sums(&w[k]) && !w[k].desc->parts ? 1 << 20 :
										  1 << 18;
		EXPECT_EQ(0, batch(&c, &shapes[i], w, many, 0));
		EXPECT_EQ(0, cube_del(&c));
	}
}

/* Return: true if both ends of the link report within about 1 s that it is spent. */
static bool spent_soon(const struct cube *c, unsigned int node, unsigned int dim)
{
	uint64_t end = now_ms() + 1000ull * wait_secs(1);
	unsigned int both = 0;

	while (!both && now_ms() < end) {
		both = ctl_link_state(c->name, node, dim) &
		       ctl_link_state(c->name, node ^ 1u << dim, dim) & HYPERCUBE_LINK_F_SPENT;
		usleep(1000);
	}
	return both;
}

/* Find a link between two members that the plan uses. */
static void link_of_plan(const struct cube *c, unsigned int root, unsigned int *node,
			 unsigned int *dim)
{
	*node = root < CUBE_MAX ? root : 0;
	*dim = c->planned && root < CUBE_MAX ? c->plan.tree.order[c->dim - 1] : 0;
}

/* Let a link of the plan deliver no frames: set the impairments @bad in one direction (@one_way) or
 * in both. The link must go down at both ends, and operations must end with ENOLINK.
 */
static void spent_tries(struct __test_metadata *_metadata, const struct shape *s,
			const struct impairments *bad, bool one_way)
{
	/* Send only one broadcast message: a receiver does not know how many messages follow, so it
	 * gets no failure for messages that have not begun.
	 */
	unsigned int many = s->type == HYPERCUBE_PLAN_BCAST ? 1 : 8, node, dim;
	struct work w[JOBS_MAX];
	struct link_sums ls;
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 2, 4096) ?: s->plan(&c) ?: cube_bind_all(&c));
	link_of_plan(&c, root_node(&c, s), &node, &dim);
	works_make(w, s, &c, many);
	ASSERT_EQ(0, ctl_link_impair(c.name, node, dim, bad));
	if (one_way)
		ASSERT_EQ(0, ctl_link_loss(c.name, node, dim, 0, true));
	EXPECT_EQ(0, batch(&c, s, w, many, -ENOLINK));
	EXPECT_TRUE(spent_soon(&c, node, dim));
	ASSERT_EQ(0, ctl_link_sums(c.name, &ls));
	EXPECT_EQ(2, ls.spent);
	EXPECT_EQ(0, ls.gap);
	EXPECT_GE(ls.replays, 64);
	/* New impairments bring the link up at both ends. */
	ASSERT_EQ(0, ctl_link_impair(c.name, node, dim, &bads[0]));
	EXPECT_EQ(0, ctl_link_state(c.name, node, dim));
	EXPECT_EQ(0, ctl_link_state(c.name, node ^ 1u << dim, dim));
	EXPECT_EQ(0, cube_del(&c));
}

static void shape_is_spent(struct __test_metadata *_metadata, const struct shape *s)
{
	static const struct impairments lost = { .loss = ALL }, corrupted = { .corrupt = ALL };

	spent_tries(_metadata, s, &lost, false);
	spent_tries(_metadata, s, &lost, true);
	spent_tries(_metadata, s, &corrupted, false);
}

TEST_CALL(link_of_tree_that_delivers_no_frames_is_spent, shape_is_spent, &shapes[0])
TEST_CALL(link_of_broadcast_that_delivers_no_frames_is_spent, shape_is_spent, &shapes[2])
TEST_CALL(link_of_recursive_doubling_that_delivers_no_frames_is_spent, shape_is_spent, &shapes[3])
TEST_CALL(link_of_rings_that_delivers_no_frames_is_spent, shape_is_spent, &shapes[4])

TEST_HARNESS_MAIN
