// SPDX-License-Identifier: GPL-2.0
/*
 * Checked collectives: if a node corrupts what it relays, no member ever takes a wrong result for
 * right. The node is located, and honest nodes are never accused.
 *
 * Scheduling: shared second
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cube.h"
#include "handles.h"
#include "ktap.h"
#include "reference.h"
#include "libhypercube-plan.h"

#define ID	16
#define WORDS	64
#define EVERY	HYPERCUBE_PPM_MAX
#define SINK	0
#define SOURCE	5

enum { REDUCE, ALLREDUCE, BCAST, NARROW, KINDS = NARROW };

/**
 * struct member - a call of a checked collective at one node
 * @thread: the thread that makes the call, since the call blocks
 * @u: the node
 * @kind: the collective: REDUCE, ALLREDUCE, BCAST or NARROW
 * @p: operator and type of a reduction
 * @in: its contribution
 * @out: its result, or NULL
 * @bytes: length of @in and of @out
 * @err: what the call returned
 * @check: result of the comparison of the two trees, which the call fills in
 * @s: the suspected nodes, which the call fills in
 */
struct member {
	pthread_t thread;
	unsigned int u;
	unsigned int kind;
	struct hcl_params p;
	void *in;
	void *out;
	size_t bytes;
	int err;
	struct hcl_check check;
	struct hcl_suspects s;
};

static struct hcl_checked *trees;
static struct member member[NODES];
static uint32_t members = 0xff;

static void *take_part(void *arg)
{
	struct member *m = arg;

	switch (m->kind) {
	case REDUCE:
		m->err = hcl_checked_reduce(h[m->u], &m->p, &trees->best, m->in, m->bytes,
					    m->u == SINK ? m->out : NULL, &m->check);
		break;
	case ALLREDUCE:
		m->err = hcl_checked_allreduce(h[m->u], &m->p, &trees->best, m->in, m->bytes,
					       m->out, &m->check);
		break;
	case BCAST:
		m->err = hcl_checked_bcast(h[m->u], &trees->best, SOURCE,
					   m->u == SOURCE ? m->in : m->out, m->bytes, &m->check);
		break;
	case NARROW:
		m->err = hcl_checked_locate(h[m->u], &m->p, trees->pair, trees->npairs, m->in,
					    m->bytes, &m->s);
	}
	return NULL;
}

/* Make the calls of all members at the same time, and wait for their ends. */
static void start_all(void)
{
	unsigned int u;

	for (u = 0; u < NODES; u++)
		if (members >> u & 1)
			pthread_create(&member[u].thread, NULL, take_part, &member[u]);
	for (u = 0; u < NODES; u++)
		if (members >> u & 1)
			pthread_join(member[u].thread, NULL);
}

/* Set up a call of @kind with a random contribution of @bytes at each node. */
static void fill(unsigned int kind, const struct hcl_params *p, size_t bytes)
{
	unsigned int u;
	size_t i;

	for (u = 0; u < NODES; u++) {
		struct member *m = &member[u];

		m->u = u;
		m->kind = kind;
		m->p = *p;
		m->bytes = bytes;
		m->in = realloc(m->in, bytes + 8);
		m->out = realloc(m->out, bytes + 8);
		memset(m->out, 0xa5, bytes);
		for (i = 0; i < bytes / 8; i++)
			((uint64_t *)m->in)[i] = rnd() >> 4;
		memset((char *)m->in + bytes / 8 * 8, u, bytes % 8);
	}
}

/* Compute the right result of sums or xors of 64-bit elements, or of a broadcast, into @right. */
static void right_result(unsigned int kind, unsigned int oper, uint64_t *right)
{
	unsigned int u;
	size_t i;

	for (i = 0; i < member[SINK].bytes / 8; i++) {
		right[i] = kind == BCAST ? ((uint64_t *)member[SOURCE].in)[i] : 0;
		for (u = 0; u < NODES && kind != BCAST; u++) {
			uint64_t v = members >> u & 1 ? ((uint64_t *)member[u].in)[i] : 0;

			right[i] = oper == HYPERCUBE_XOR ? right[i] ^ v : right[i] + v;
		}
	}
}

/**
 * struct outcome - results of all members
 * @seen: set of nodes whose call returned that the results of the two trees differ
 * @wrong: set of nodes whose call returned success with a wrong result
 * @failed: set of nodes whose call returned another error
 */
struct outcome {
	uint32_t seen;
	uint32_t wrong;
	uint32_t failed;
};

/* Run a checked collective @kind on 64-bit elements, @bytes long. Return: what the calls of all
 * members returned.
 */
static struct outcome outcome_of(unsigned int kind, unsigned int oper, size_t bytes)
{
	const struct hcl_params p = { .oper = oper, .type = HYPERCUBE_U64 };
	uint64_t *right = malloc(bytes + 8);
	struct outcome o = { 0 };
	unsigned int u;

	fill(kind, &p, bytes);
	start_all();
	right_result(kind, oper, right);
	for (u = 0; u < NODES; u++) {
		const struct member *m = &member[u];
		bool gets = kind == REDUCE ? u == SINK : kind != BCAST || u != SOURCE;

		if (!(members >> u & 1))
			continue;
		if (m->err == -EBADMSG)
			o.seen |= 1u << u;
		else if (m->err)
			o.failed |= 1u << u;
		if (m->err && m->err != -EBADMSG)
			printf("# node %u: %s\n", u, strerror(-m->err));
		else if (!m->err && gets && memcmp(m->out, right, bytes / 8 * 8))
			o.wrong |= 1u << u;
	}
	free(right);
	return o;
}

/* Make a fabric whose links check frames by checksums, open a handle at each node, and install the
 * pairs of trees whose first tree has the root @root.
 */
static bool ready(uint32_t root)
{
	struct impairments sealed = { .corrupt = 1, .seed = 1 };
	unsigned int u, d;

	if (!set_up())
		return false;
	for (u = 0; u < NODES; u++) {
		hcl_set_timeout(h[u], wait_secs(20) * 1000);
		for (d = 0; d < 3; d++)
			if (ctl_link_impair(FABRIC, u, d, &sealed))
				return false;
	}
	return !hcl_checked_install(FABRIC, ID, root, &trees);
}

/* Make node @u corrupt @ppm of a million frames. */
static int lie(unsigned int u, unsigned int ppm, unsigned int seed)
{
	return ctl_node_byzantine(FABRIC, u, ppm, NULL, 0, seed);
}

/* Return: true if node @u is a relay of tree @i of the pair @p. */
static bool relays(const struct hcl_pair *p, unsigned int i, unsigned int u)
{
	return p->relays[i][0] >> u & 1;
}

TEST(results_of_both_trees_agree_without_byzantine_nodes)
{
	const size_t sizes[] = { 0, 8, 8 * WORDS, 1 << 16, (1 << 16) + 8, 1 << 20 };
	unsigned int kind, i;

	ASSERT_EQ(true, ready(SINK));
	EXPECT_EQ(0, trees->nunseen);
	EXPECT_EQ(3, trees->npairs);
	EXPECT_EQ(8, trees->members);
	for (kind = 0; kind < KINDS; kind++)
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			struct outcome o = outcome_of(kind, HYPERCUBE_SUM, sizes[i]);

			EXPECT_EQ(0, o.seen);
			EXPECT_EQ(0, o.wrong);
			EXPECT_EQ(0, o.failed);
			EXPECT_EQ(0, member[SINK].check.segments);
		}
	fill(NARROW, &sum64, 8 * WORDS);
	start_all();
	for (i = 0; i < NODES; i++) {
		EXPECT_EQ(0, member[i].err);
		EXPECT_EQ(0, member[i].s.byzantine);
		EXPECT_EQ(7, member[i].s.agreed);
	}
	EXPECT_EQ(0, hcl_checked_remove(FABRIC, trees));
}

TEST(all_operators_and_types_agree_without_byzantine_nodes)
{
	unsigned int oper, type, u;

	ASSERT_EQ(true, ready(SINK));
	for (oper = HYPERCUBE_SUM; oper <= HYPERCUBE_MAXLOC; oper++)
		for (type = HYPERCUBE_U8; type < __HYPERCUBE_TYPE_END; type++) {
			const struct hcl_params p = {
				.oper = oper, .type = type,
				.width = type == HYPERCUBE_RECORD ? 8 : 0,
			};
			bool order = plain_is_float(type) &&
				     (oper == HYPERCUBE_SUM || oper == HYPERCUBE_PROD);

			if (hcl_elem_size(oper, type, p.width) < 0)
				continue;
			fill(ALLREDUCE, &p, 16 * WORDS);
			/* Some elements are NaNs at all nodes, with different bits at each node. */
			for (u = 0; u < NODES && oper <= HYPERCUBE_MAX; u++)
				memset(member[u].in, 0xff, 64);
			for (u = 0; u < NODES && oper <= HYPERCUBE_MAX; u++)
				((char *)member[u].in)[8] = u;
			start_all();
			for (u = 0; u < NODES; u++)
				EXPECT_EQ(order ? -EOPNOTSUPP : 0, member[u].err);
		}
}

/* Make each node in turn Byzantine, and run an operation of @kind. @seen: returns the set of nodes
 * that must notice that node @u is Byzantine.
 */
static void each_byzantine(struct __test_metadata *_metadata, unsigned int kind,
			   uint32_t (*seen)(unsigned int u))
{
	struct link_sums sums;
	struct outcome o;
	unsigned int u;

	ASSERT_EQ(true, ready(SINK));
	for (u = 0; u < NODES; u++) {
		ASSERT_EQ(0, lie(u, EVERY, 11 + u));
		o = outcome_of(kind, HYPERCUBE_SUM, 8 * WORDS);
		EXPECT_EQ(seen(u), o.seen);
		EXPECT_EQ(0, o.wrong);
		EXPECT_EQ(0, o.failed);
		ASSERT_EQ(0, lie(u, 0, 0));
	}
	o = outcome_of(kind, HYPERCUBE_SUM, 8 * WORDS);
	EXPECT_EQ(0, o.seen | o.wrong | o.failed);
	ASSERT_EQ(0, ctl_link_sums(FABRIC, &sums));
	EXPECT_EQ(0, sums.checksum);
}

/* Return: the set of nodes that notice in a reduction that node @u is Byzantine. Only the root,
 * which gets the results of both trees, compares them. If the root itself is Byzantine, both
 * results are right, because a node does not corrupt what it delivers to its own process.
 */
static uint32_t reduce_seen(unsigned int u)
{
	return u == SINK ? 0 : 1u << SINK;
}

TEST(byzantine_node_in_reduction_is_detected_by_root)
{
	each_byzantine(_metadata, REDUCE, reduce_seen);
}

/* Return: the set of nodes that notice in an allreduce or a broadcast that node @u is Byzantine. If
 * @u is no root, it corrupts what the root of a tree gets, so all nodes get a wrong result of that
 * tree. If @u is a root, it corrupts only what it sends down, so its own results are right.
 */
static uint32_t allreduce_seen(unsigned int u)
{
	struct hcl_plan plan[2];

	if (hcl_plan_get(FABRIC, ID, &plan[0]) || hcl_plan_get(FABRIC, ID + 1, &plan[1]))
		return 0;
	return u == plan[0].root || u == plan[1].root ? 0xff & ~(1u << u) : 0xff;
}

TEST(byzantine_node_in_allreduce_is_detected_by_all_other_nodes)
{
	each_byzantine(_metadata, ALLREDUCE, allreduce_seen);
}

TEST(byzantine_node_in_broadcast_is_detected_by_all_other_nodes)
{
	each_byzantine(_metadata, BCAST, allreduce_seen);
}

TEST(broadcast_source_learns_which_tree_was_corrupted)
{
	unsigned int u;

	ASSERT_EQ(true, ready(SINK));
	for (u = 0; u < NODES; u++) {
		ASSERT_EQ(0, lie(u, EVERY, 3));
		outcome_of(BCAST, 0, 8 * WORDS);
		if (member[SOURCE].err)
			EXPECT_EQ(relays(&trees->best, 0, u) ? 1 : 2, member[SOURCE].check.wrong);
		ASSERT_EQ(0, lie(u, 0, 0));
	}
}

TEST(always_byzantine_node_is_located_by_all_other_nodes)
{
	unsigned int u, v;
	char words[512];

	ASSERT_EQ(true, ready(SINK));
	for (u = 0; u < NODES; u++) {
		char expected[64];

		ASSERT_EQ(0, lie(u, EVERY, 5 + u));
		fill(NARROW, &sum64, 8 * WORDS);
		start_all();
		snprintf(expected, sizeof(expected), "node %u lies, if only one node does", u);
		for (v = 0; v < NODES; v++) {
			const struct hcl_suspects *s = &member[v].s;

			EXPECT_EQ(0, member[v].err);
			if (v == u)
				continue;
			EXPECT_EQ(1, s->byzantine);
			EXPECT_EQ(1, s->n);
			EXPECT_EQ(u, s->node[0]);
			EXPECT_EQ(0, s->agreed);
			/* Two other nodes that always corrupt frames in the same manner would cause
			 * the same results, so there is at least one other explanation.
			 */
			EXPECT_LE(1, s->others);
			EXPECT_EQ(0, strcmp(expected, hcl_checked_describe(s, words, 512)));
		}
		ASSERT_EQ(0, lie(u, 0, 0));
	}
}

/* Return: true if node @u is one of the suspected nodes. */
static bool suspected(const struct hcl_suspects *s, unsigned int u)
{
	unsigned int i;

	for (i = 0; i < s->n && i < HCL_SUSPECTS_MAX; i++)
		if (s->node[i] == u)
			return true;
	return false;
}

TEST(sometimes_byzantine_node_is_always_among_suspects)
{
	struct hcl_suspects view[NODES], all;
	unsigned int i, u, v, named = 0;

	ASSERT_EQ(true, ready(SINK));
	for (i = 0; i < scaled(60); i++) {
		struct outcome o;

		u = below(NODES);
		ASSERT_EQ(0, lie(u, EVERY / 3, rnd() >> 40));
		o = outcome_of(i % KINDS, HYPERCUBE_SUM, 8 * WORDS);
		EXPECT_EQ(0, o.wrong | o.failed);
		fill(NARROW, &sum64, 8 * WORDS);
		start_all();
		for (v = 0; v < NODES; v++) {
			view[v] = member[v].s;
			EXPECT_EQ(0, member[v].err);
			EXPECT_LE(view[v].byzantine, 1);
			EXPECT_TRUE(!view[v].byzantine || suspected(&view[v], u));
		}
		EXPECT_EQ(0, hcl_checked_locate_of(trees->pair, trees->npairs, view, NODES, &all));
		EXPECT_TRUE(!all.byzantine || suspected(&all, u));
		named += all.byzantine == 1 && all.n == 1;
		ASSERT_EQ(0, lie(u, 0, 0));
	}
	TH_LOG("named %u of %u times", named, i);
}

/* All relays of one tree are Byzantine. However many they are, the wrong results are noticed. */
TEST(byzantine_relays_of_one_tree_are_detected_however_many)
{
	unsigned int side, u, i;

	ASSERT_EQ(true, ready(SINK));
	for (side = 0; side < 2; side++)
		for (i = 0; i < scaled(10); i++) {
			uint64_t seed = rnd() >> 40;
			struct outcome o;

			for (u = 0; u < NODES; u++)
				if (relays(&trees->best, side, u))
					ASSERT_EQ(0, lie(u, EVERY / 2, seed));
			o = outcome_of(i % KINDS, HYPERCUBE_XOR, 8);
			EXPECT_EQ(0, o.wrong | o.failed);
			ASSERT_EQ(0, ctl_fault_clear(FABRIC));
		}
}

/* One node in each tree is Byzantine, and both corrupt the first frame in the same manner. As the
 * manual says, the result is wrong and no member notices.
 */
TEST(same_corruption_in_both_trees_is_not_detected)
{
	static const unsigned int at[] = { 1 };
	struct outcome o;

	ASSERT_EQ(true, ready(SINK));
	/* The roots of the trees are 0 and 1, which differ in dimension 0. Node 6 relays only in
	 * the first tree, node 7 only in the second; neither is a root.
	 */
	ASSERT_TRUE(relays(&trees->best, 0, 6) && relays(&trees->best, 1, 7));
	ASSERT_EQ(0, ctl_node_byzantine(FABRIC, 6, 0, at, 1, 9));
	ASSERT_EQ(0, ctl_node_byzantine(FABRIC, 7, 0, at, 1, 9));
	o = outcome_of(REDUCE, HYPERCUBE_XOR, 8 * WORDS);
	EXPECT_EQ(0, o.seen);
	EXPECT_EQ(1u << SINK, o.wrong);
	/* If the two nodes corrupt the frame differently, the root notices. */
	ASSERT_EQ(0, ctl_node_byzantine(FABRIC, 6, 0, at, 1, 9));
	ASSERT_EQ(0, ctl_node_byzantine(FABRIC, 7, 0, at, 1, 10));
	o = outcome_of(REDUCE, HYPERCUBE_XOR, 8 * WORDS);
	EXPECT_EQ(1u << SINK, o.seen);
	EXPECT_EQ(0, o.wrong);
}

TEST(check_reports_offset_and_length_of_corrupted_segment)
{
	static const unsigned int at[] = { 2 };
	uint32_t seg;
	struct outcome o;

	ASSERT_EQ(true, ready(SINK));
	seg = trees->best.segment;
	ASSERT_NE(0, seg);
	ASSERT_EQ(0, ctl_node_byzantine(FABRIC, 6, 0, at, 1, 9));
	o = outcome_of(REDUCE, HYPERCUBE_SUM, 3 * seg - 8);
	EXPECT_EQ(1u << SINK, o.seen);
	EXPECT_EQ(1, member[SINK].check.segments);
	EXPECT_EQ(seg, member[SINK].check.offset);
	EXPECT_EQ(seg, member[SINK].check.length);
	/* Corrupt the last frame, which is shorter. */
	ASSERT_EQ(0, ctl_node_byzantine(FABRIC, 6, 0, (unsigned int []){ 3 }, 1, 9));
	o = outcome_of(REDUCE, HYPERCUBE_SUM, 3 * seg - 8);
	EXPECT_EQ(1u << SINK, o.seen);
	EXPECT_EQ(2 * seg, member[SINK].check.offset);
	EXPECT_EQ(seg - 8, member[SINK].check.length);
}

/* Around faults a node may be a relay of both trees. Corruption by such a node may remain
 * unnoticed; corruption by any other node is noticed.
 */
TEST(corruption_around_faults_escapes_only_at_relays_of_both_trees)
{
	static const unsigned int links[][2] = { { 0, 0 }, { 3, 1 }, { 6, 2 }, { 5, 1 } };
	unsigned int n, u, kind, unseen;
	struct outcome o;

	ASSERT_EQ(true, ready(SINK));
	for (n = 0; n < ARRAY_SIZE(links); n++) {
		ASSERT_EQ(0, ctl_link_down(FABRIC, links[n][0], links[n][1], true));
		hcl_checked_free(trees);
		ASSERT_EQ(0, hcl_checked_install(FABRIC, ID, SINK, &trees));
		for (unseen = 0, u = 0; u < trees->nunseen; u++)
			unseen |= 1u << trees->unseen[u];
		TH_LOG("%u faults: unseen %x", n + 1, unseen);
		for (u = 0; u < NODES; u++)
			for (kind = 0; kind < KINDS; kind++) {
				ASSERT_EQ(0, lie(u, EVERY, 20 + u));
				o = outcome_of(kind, HYPERCUBE_SUM, 8 * WORDS);
				EXPECT_EQ(0, o.failed);
				if (!(unseen >> u & 1))
					EXPECT_EQ(0, o.wrong);
				ASSERT_EQ(0, lie(u, 0, 0));
				o = outcome_of(kind, HYPERCUBE_SUM, 8 * WORDS);
				EXPECT_EQ(0, o.seen | o.wrong | o.failed);
			}
	}
}

/* The results lack the contribution of the failed node, and are checked as before: a Byzantine node
 * is detected unless it relays in both trees.
 */
TEST(checked_allreduce_leaves_out_failed_node)
{
	unsigned int u, unseen = 0, detected = 0;
	struct outcome o;

	ASSERT_EQ(true, ready(SINK));
	ASSERT_EQ(0, ctl_node_failed(FABRIC, 7, true));
	hcl_checked_free(trees);
	ASSERT_EQ(0, hcl_checked_install(FABRIC, ID, SINK, &trees));
	EXPECT_EQ(7, trees->members);
	members = 0x7f;
	o = outcome_of(ALLREDUCE, HYPERCUBE_SUM, 8 * WORDS);
	EXPECT_EQ(0, o.seen | o.wrong | o.failed);
	for (u = 0; u < trees->nunseen; u++)
		unseen |= 1u << trees->unseen[u];
	for (u = 0; u < 7; u++) {
		ASSERT_EQ(0, lie(u, EVERY, 2 + u));
		o = outcome_of(ALLREDUCE, HYPERCUBE_SUM, 8 * WORDS);
		EXPECT_EQ(0, o.failed);
		if (!(unseen >> u & 1))
			EXPECT_EQ(0, o.wrong);
		detected += !!o.seen;
		ASSERT_EQ(0, lie(u, 0, 0));
	}
	TH_LOG("unseen %x, %u detected", unseen, detected);
	EXPECT_GT(detected, 0);
}

/* If one of the trees is broken by a fault, all members get an error that names the cause, and none
 * gets a result.
 */
TEST(link_fault_fails_checked_allreduce_at_all_members_with_cause)
{
	struct hcl_checked *seen;
	struct outcome o;

	ASSERT_EQ(true, ready(SINK));
	ASSERT_EQ(0, ctl_link_down(FABRIC, 2, 1, true));
	o = outcome_of(ALLREDUCE, HYPERCUBE_SUM, 8 * WORDS);
	EXPECT_EQ(0, o.seen | o.wrong);
	EXPECT_EQ(0xff, o.failed);
	EXPECT_EQ(-ENOLINK, member[3].err);
	EXPECT_EQ(-ENOLINK, hcl_checked_get(FABRIC, ID, &seen));
	EXPECT_EQ(0, !!seen);
}

TEST(invalid_calls_are_refused_and_change_nothing)
{
	const struct hcl_params sums = { .oper = HYPERCUBE_SUM, .type = HYPERCUBE_F64 };
	const struct hcl_params runs = { .oper = HYPERCUBE_MERGE, .type = HYPERCUBE_U64 };
	const struct hcl_pair none = { .plan = { 90, 91 }, .dim = 3 };
	struct hcl_checked *seen;
	struct hcl_suspects s;
	uint64_t in[2] = { 1, 2 }, out[2];
	char words[256];

	ASSERT_EQ(true, ready(SINK));
	EXPECT_EQ(-EOPNOTSUPP, hcl_checked_allreduce(h[0], &sums, &trees->best, in, 8, out, NULL));
	hcl_explain(h[0], words, sizeof(words));
	EXPECT_EQ(0, strcmp(words, "the sum of floats depends on the order of the trees"));
	EXPECT_EQ(-EOPNOTSUPP, hcl_checked_reduce(h[0], &runs, &trees->best, in, 8, out, NULL));
	EXPECT_EQ(-EINVAL, hcl_checked_allreduce(h[0], &sum64, &trees->best, in, 7, out, NULL));
	EXPECT_EQ(-EINVAL, hcl_checked_locate(h[0], &sum64, trees->pair, 0, in, 8, &s));
	EXPECT_EQ(-EINVAL, hcl_checked_locate(h[0], &sum64, trees->pair, HYPERCUBE_DIM_MAX + 1, in,
					      8, &s));
	EXPECT_EQ(-EINVAL, hcl_checked_locate(h[0], &sum64, &none, 1, in, 8, &s));
	EXPECT_EQ(-EINVAL, hcl_checked_locate_of(trees->pair, 3, &s, 0, &s));
	EXPECT_EQ(-EINVAL, hcl_checked_install(FABRIC, 0, HCL_PLAN_ANY, NULL));
	EXPECT_EQ(-EINVAL, hcl_checked_install(FABRIC, UINT32_MAX, HCL_PLAN_ANY, NULL));
	EXPECT_EQ(-ERANGE, hcl_checked_install(FABRIC, ID, 8, NULL));
	EXPECT_EQ(-ENODEV, hcl_checked_install("nothing", ID, HCL_PLAN_ANY, NULL));
	EXPECT_EQ(-ENOENT, hcl_checked_get(FABRIC, 500, &seen));
	EXPECT_EQ(-ENODEV, hcl_checked_get("nothing", ID, &seen));
	/* The refused calls above must not have changed anything. */
	members = 0xff;
	EXPECT_EQ(0, outcome_of(ALLREDUCE, HYPERCUBE_SUM, 8).failed);
	/* The call with plans that do not exist fails. */
	EXPECT_EQ(-ENOENT, hcl_checked_allreduce(h[0], &sum64, &none, in, 8, out, NULL));
}

TEST_HARNESS_MAIN
