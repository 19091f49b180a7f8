// SPDX-License-Identifier: GPL-2.0
/*
 * Byzantine nodes in a collective corrupt data of other members that they relay, merged or not;
 * they do so after the checksums were checked. They never corrupt data that only their own process
 * has contributed, or what they deliver to their own process.
 *
 * Scheduling: shared
 */
#include <stdlib.h>
#include <string.h>

#include "cube.h"
#include "ktap.h"

#define DIM	3
#define NODES	(1u << DIM)
#define PLAN	1
#define WORDS	5
#define EVERY	HYPERCUBE_PPM_MAX
#define FAILED	(~0u)
#define ROOT	5
/* Dimension 2 is the first stage on the way up, and so the last stage on the way down. */
static const uint8_t order[DIM] = { 2, 0, 1 };

/* Return: element @i of the contribution of member @u. Each element uses different bits, so the
 * result shows which element was corrupted.
 */
static uint64_t word(unsigned int u, unsigned int i)
{
	return (u + 1) * 0x10001ull << 4 * i;
}

static void expected(unsigned int collective, uint64_t *out)
{
	unsigned int u, i;

	for (i = 0; i < WORDS; i++)
		out[i] = 0;
	for (u = 0; u < NODES; u++)
		for (i = 0; i < WORDS; i++)
			if (collective == HYPERCUBE_GATHER || collective == HYPERCUBE_ALLGATHER)
				out[u * WORDS + i] = word(u, i);
			else
				out[i] += word(u, i);
}

static void job_fill(struct job *j, unsigned int collective, unsigned int u)
{
	bool blocks = collective == HYPERCUBE_GATHER || collective == HYPERCUBE_ALLGATHER;
	bool all = collective == HYPERCUBE_ALLREDUCE || collective == HYPERCUBE_ALLGATHER;
	uint64_t *in = calloc(WORDS, sizeof(*in));
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		in[i] = word(u, i);
	j->op = (struct hypercube_op){
		.plan = PLAN, .collective = collective,
		.flags = !all ? HYPERCUBE_F_NOTIFY : 0,
		.oper = blocks ? 0 : HYPERCUBE_SUM,
		.type = blocks ? 0 : HYPERCUBE_U64,
		.bytes = WORDS * sizeof(*in),
	};
	j->in = in;
	j->waits = true;
	if (all || u == ROOT) {
		j->room = WORDS * sizeof(*in) * (blocks ? NODES : 1);
		j->out = calloc(1, j->room);
	}
}

/* Broadcast a message from the root. Return: the set of nodes that get a wrong message, or FAILED.
 */
static uint32_t message_wrong_at(const struct cube *c)
{
	struct hypercube_op op = { .plan = PLAN, .collective = HYPERCUBE_BCAST };
	uint64_t message[WORDS], got[WORDS];
	struct hypercube_result res;
	uint32_t wrong = 0;
	unsigned int u;

	for (u = 0; u < WORDS; u++)
		message[u] = word(ROOT, u);
	op.bytes = sizeof(message);
	if (shc_send(c->fd[ROOT], &op, message, sizeof(message), 0) != sizeof(message))
		return FAILED;
	for (u = 0; u < NODES; u++) {
		if (u == ROOT)
			continue;
		if (shc_recv_soon(c->fd[u], got, sizeof(got), &res) != sizeof(got) || res.status)
			return FAILED;
		if (memcmp(got, message, sizeof(got)))
			wrong |= 1u << u;
	}
	return wrong;
}

/* Run one operation of @collective. Return: the set of nodes that get a wrong result, or FAILED. */
static uint32_t wrong_at(struct cube *c, unsigned int collective)
{
	uint64_t right[NODES * WORDS];
	unsigned int node[CUBE_MAX], n, i;
	struct party p[CUBE_MAX];
	uint32_t wrong = 0;

	if (collective == HYPERCUBE_BCAST)
		return message_wrong_at(c);
	expected(collective, right);
	n = parties(c, p, node, 1);
	for (i = 0; i < n; i++)
		job_fill(&p[i].job[0], collective, node[i]);
	if (drive(p, n, wait_secs(20)))
		wrong = FAILED;
	for (i = 0; i < n && wrong != FAILED; i++) {
		const struct job *j = &p[i].job[0];

		if (p[i].dead || j->refused || j->res.status || j->got != j->room)
			wrong = FAILED;
		else if (j->out && memcmp(j->out, right, j->room))
			wrong |= 1u << node[i];
	}
	parties_done(p, n, 1);
	return wrong;
}

/* Return: number of frames that node @u has corrupted. */
static uint64_t notified(const struct cube *c, unsigned int u)
{
	struct node_view v;

	return ctl_node_get(c->name, u, &v) ? ~0ull : v.lies;
}

/* Make a tree in a cube of eight nodes whose links check frames by checksums. */
static int ready(struct cube *c)
{
	struct impairments sealed = { .corrupt = 1, .seed = 1 };
	int err = cube_new(c, DIM, 0);

	err = err ?: cube_bind_all(c);
	err = err ?: cube_impair(c, &sealed);
	return err ?: cube_plan_fixed(c, PLAN, ROOT, order);
}

static unsigned int descendants_of(unsigned int u)
{
	uint32_t set = 0, v;
	unsigned int active = 0, d;

	while (active < DIM && !((u ^ ROOT) >> order[active] & 1))
		active++;
	for (v = 0; v < NODES; v++) {
		bool below = v != u;

		for (d = active; d < DIM; d++)
			below &= !((u ^ v) >> order[d] & 1);
		set |= (uint32_t)below << v;
	}
	return set;
}

/* Return: true if node @u relays data of other members in the tree. */
static bool relays(unsigned int u)
{
	return !((u ^ ROOT) >> order[0] & 1);
}

/* Make each node in turn corrupt all frames that it relays, and run an operation. @seen: returns
 * the set of nodes that must get a wrong result if node @u is Byzantine.
 */
static void each_byzantine(struct __test_metadata *_metadata, struct cube *c,
			   unsigned int collective, uint32_t (*seen)(unsigned int u))
{
	struct link_sums sums;
	unsigned int u;

	EXPECT_EQ(0, wrong_at(c, collective));
	for (u = 0; u < NODES; u++) {
		ASSERT_EQ(0, ctl_node_byzantine(c->name, u, EVERY, NULL, 0, 7 + u));
		EXPECT_EQ(seen(u), wrong_at(c, collective));
		EXPECT_EQ(!!seen(u), !!notified(c, u));
		ASSERT_EQ(0, ctl_node_byzantine(c->name, u, 0, NULL, 0, -1));
	}
	EXPECT_EQ(0, wrong_at(c, collective));
	ASSERT_EQ(0, ctl_link_sums(c->name, &sums));
	EXPECT_EQ(0, sums.corrupted);
	EXPECT_EQ(0, sums.checksum);
}

/* Return: the set of nodes that get a wrong result of a reduction or a gather if node @u is
 * Byzantine.
 */
static uint32_t reduce_seen(unsigned int u)
{
	return relays(u) && u != ROOT ? 1u << ROOT : 0;
}

TEST(reduction_and_gather_are_corrupted_only_by_relays)
{
	struct cube c;

	ASSERT_EQ(0, ready(&c));
	each_byzantine(_metadata, &c, HYPERCUBE_REDUCE, reduce_seen);
	each_byzantine(_metadata, &c, HYPERCUBE_GATHER, reduce_seen);
	EXPECT_EQ(0, cube_del(&c));
}

/* Return: the set of nodes that get a wrong result of an allreduce if node @u is Byzantine. If the
 * root is Byzantine, its own result is right, and the results of its descendants are wrong. If
 * another relay is Byzantine, all results are wrong.
 */
static uint32_t allreduce_seen(unsigned int u)
{
	return u == ROOT ? descendants_of(u) : relays(u) ? (1u << NODES) - 1 : 0;
}

TEST(allreduce_is_corrupted_on_way_up_and_on_way_down)
{
	struct cube c;

	ASSERT_EQ(0, ready(&c));
	each_byzantine(_metadata, &c, HYPERCUBE_ALLREDUCE, allreduce_seen);
	EXPECT_EQ(0, cube_del(&c));
}

/* Return: the set of nodes that get a wrong message if node @u is Byzantine. */
static uint32_t bcast_seen(unsigned int u)
{
	return u == ROOT ? 0 : descendants_of(u);
}

TEST(broadcast_is_corrupted_only_below_byzantine_node)
{
	uint8_t reverse[DIM] = { order[2], order[1], order[0] };
	struct hc_bcast_plan b;
	const char *why;
	struct cube c;

	ASSERT_EQ(0, ready(&c));
	ASSERT_EQ(0, ctl_plan_del(c.name, PLAN));
	ASSERT_EQ(0, hc_plan_bcast_fixed(c.faults, ROOT, reverse, DIM, &b, &why));
	ASSERT_EQ(0, ctl_bcast_new(c.name, PLAN, &b.bcast, c.faults->fault));
	hc_bcast_plan_free(&b);
	each_byzantine(_metadata, &c, HYPERCUBE_BCAST, bcast_seen);
	EXPECT_EQ(0, cube_del(&c));
}

/* In the first stage the Byzantine node sends only its own contribution; in the later stages it
 * also sends what it received in the first stage.
 */
TEST(recursive_doubling_is_corrupted_in_all_stages_but_first)
{
	unsigned int u, v;
	struct cube c;

	ASSERT_EQ(0, cube_doubling_ready(&c, PLAN, DIM, 0));
	for (u = 0; u < NODES; u++) {
		uint32_t seen = 0;

		for (v = 0; v < NODES; v++)
			if (v != u && !((u ^ v) >> c.doubling.order[0] & 1))
				seen |= 1u << v;
		ASSERT_EQ(0, ctl_node_byzantine(c.name, u, EVERY, NULL, 0, 7 + u));
		EXPECT_EQ(seen, wrong_at(&c, HYPERCUBE_ALLREDUCE));
		EXPECT_EQ(DIM - 1, notified(&c, u));
		ASSERT_EQ(0, ctl_node_byzantine(c.name, u, 0, NULL, 0, -1));
	}
	EXPECT_EQ(0, cube_del(&c));
}

TEST(byzantine_list_counts_only_relayed_frames)
{
	static const unsigned int at[] = { 2 };
	unsigned int u = ROOT ^ 1u << order[2];
	struct cube c;

	ASSERT_EQ(0, ready(&c));
	ASSERT_EQ(0, ctl_node_byzantine(c.name, u, 0, at, 1, 3));
	EXPECT_EQ(0, wrong_at(&c, HYPERCUBE_REDUCE));
	EXPECT_EQ(1u << ROOT, wrong_at(&c, HYPERCUBE_REDUCE));
	EXPECT_EQ(0, wrong_at(&c, HYPERCUBE_REDUCE));
	EXPECT_EQ(1, notified(&c, u));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
