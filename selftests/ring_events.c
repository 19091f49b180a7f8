// SPDX-License-Identifier: GPL-2.0
/*
 * What listeners hear of operations over rings that repair themselves: of each that is complete,
 * once, and of what a fault ends.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "hc_nl.h"
#include "ktap.h"
#include "rings.h"

#define PLAN	1
#define SEGMENT	4096
#define TOLD_MAX 64

/* What was heard: numbers of operations and how they ended, how often the plan was mended. */
struct heard {
	struct nl nl;
	unsigned int n;
	uint64_t nr[TOLD_MAX];
	int status[TOLD_MAX];
	unsigned int node[TOLD_MAX];
	bool broken;
	unsigned int mended;
};

static void note(void *arg, const struct nl_attrs *a)
{
	const struct nlattr *broken;
	struct heard *h = arg;

	if (a->cmd == HYPERCUBE_CMD_OP_NTF && h->n < TOLD_MAX) {
		h->nr[h->n] = nl_get_u64(a, HYPERCUBE_A_OP_NR, 0);
		h->node[h->n] = nl_get_u32(a, HYPERCUBE_A_OP_NODE, 0);
		h->status[h->n++] = (int)nl_get_u32(a, HYPERCUBE_A_OP_STATUS, 0);
	}
	broken = nl_find(a, HYPERCUBE_A_PLAN_BROKEN, 0);
	if (a->cmd != HYPERCUBE_CMD_PLAN_NTF || !broken)
		return;
	h->mended += h->broken && !*(const uint8_t *)nl_data(broken);
	h->broken = *(const uint8_t *)nl_data(broken);
}

/* Hear until so many were complete or failed, or the plan was mended so often.  False: never. */
static bool hear(struct heard *h, unsigned int ops, unsigned int mended)
{
	uint64_t end = deadline(10);

	while ((h->n < ops || h->mended < mended) && now_ms() < end)
		nl_listen(&h->nl, 100, note, h);
	if (h->n >= ops && h->mended >= mended)
		return true;
	printf("# %u ends instead of %u, mended %u times\n", h->n, ops, h->mended);
	return false;
}

/* Nothing more comes of what was before. */
static bool quiet(struct heard *h, unsigned int ops)
{
	unsigned int i;

	while (!nl_listen(&h->nl, 200, note, h))
		;
	for (i = 0; i < h->n && h->n != ops; i++)
		printf("# operation %llu ends with %d, says %u\n", (unsigned long long)h->nr[i],
		       h->status[i], h->node[i]);
	return h->n == ops;
}

/* Hear so many ends, and no more. */
static bool hear_all(struct heard *h, unsigned int ops, unsigned int mended)
{
	return hear(h, ops, mended) && quiet(h, ops);
}

static bool begin(struct cube *c, struct heard *h)
{
	struct rings r;

	memset(h, 0, sizeof(*h));
	rings_gray(&r, 3);
	r.repair = true;
	return !cube_bound(c, 3, SEGMENT) && !cube_rings(c, PLAN, &r) &&
	       !nl_open_events(&h->nl);
}

static bool end(struct cube *c, struct heard *h)
{
	nl_shut(&h->nl);
	return !cube_del(c);
}

static bool contribute(struct cube *c, unsigned int but)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLGATHER, .bytes = SEGMENT,
	};
	static unsigned char own[SEGMENT];
	unsigned int u;

	for (u = 0; u < 8; u++)
		if (!(but >> u & 1) &&
		    shc_send(c->fd[u], &op, own, sizeof(own), 0) != (ssize_t)sizeof(own))
			return false;
	return true;
}

/* The next one ends well at all nodes, apart from those in @but. */
static bool all_end(struct cube *c, unsigned int but)
{
	unsigned int u;
	int err = 0;

	for (u = 0; u < 8 && !err; u++)
		err = but >> u & 1 ? 0 : shc_ended(c->fd[u]);
	if (err)
		printf("# it ends with %d at node %u\n", err, u - 1);
	return !err;
}

/* It is through at node 0, and not at the next one, whose process does not read; then a link fails,
 * and all nodes go back to it.
 */
TEST(an_end_is_told_once)
{
	/* The kernel doubles it: for two pieces. */
	static const int little = SEGMENT;
	struct heard h;
	struct cube c;

	ASSERT_TRUE(begin(&c, &h));
	ASSERT_EQ(0, setsockopt(c.fd[1], SOL_SOCKET, SO_RCVBUF, &little, sizeof(little)));
	ASSERT_TRUE(contribute(&c, 0));
	ASSERT_TRUE(hear(&h, 1, 0));
	ASSERT_EQ(0, cube_fail_link(&c, 7, 1));
	ASSERT_TRUE(hear(&h, 1, 1));
	EXPECT_TRUE(all_end(&c, 0));
	ASSERT_TRUE(contribute(&c, 0));
	EXPECT_TRUE(all_end(&c, 0));
	EXPECT_TRUE(hear_all(&h, 2, 1));
	EXPECT_EQ(0, h.nr[0]);
	EXPECT_EQ(1, h.nr[1]);
	EXPECT_EQ(0, h.status[0] | h.status[1]);
	EXPECT_TRUE(end(&c, &h));
}

/* The node that has told the ends is not there any more. */
TEST(ends_are_told_when_the_root_is_dead)
{
	struct heard h;
	struct cube c;

	ASSERT_TRUE(begin(&c, &h));
	ASSERT_EQ(0, cube_fail_node(&c, 0));
	ASSERT_TRUE(hear(&h, 0, 1));
	ASSERT_TRUE(contribute(&c, 1));
	EXPECT_TRUE(all_end(&c, 1));
	EXPECT_TRUE(hear_all(&h, 1, 1));
	EXPECT_EQ(1, h.node[0]);
	EXPECT_TRUE(end(&c, &h));
}

/* A node that comes back ends what is under way: nothing is told of what goes on, and one word of
 * what has ended.
 */
TEST(an_operation_that_a_node_ends_is_told)
{
	struct heard h;
	struct cube c;
	unsigned int u;

	ASSERT_TRUE(begin(&c, &h));
	ASSERT_TRUE(contribute(&c, 1u << 5));
	ASSERT_EQ(0, cube_fail_node(&c, 3));
	ASSERT_TRUE(hear_all(&h, 0, 1));
	ASSERT_EQ(0, ctl_node_failed(c.name, 3, false));
	for (u = 0; u < 8; u++)
		if (u != 5)
			EXPECT_GT(0, shc_ended(c.fd[u]));
	EXPECT_TRUE(hear_all(&h, 1, 2));
	EXPECT_GT(0, h.status[0]);
	EXPECT_TRUE(end(&c, &h));
}

TEST_HARNESS_MAIN
