// SPDX-License-Identifier: GPL-2.0
/*
 * Events of operations over rings that repair themselves: each operation that is complete is
 * reported once, and so is each operation that a fault ends.
 *
 * Scheduling: shared
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
#define NOTIFIED_MAX 64

/* The events that were received. @n: number of ends of operations; @nr, @status, @node: their
 * numbers, their outcomes, and the nodes that reported them. @broken: the plan is broken.
 * @repaired: number of repairs of the plan.
 */
struct received {
	struct nl nl;
	unsigned int n;
	uint64_t nr[NOTIFIED_MAX];
	int status[NOTIFIED_MAX];
	unsigned int node[NOTIFIED_MAX];
	bool broken;
	unsigned int repaired;
};

/* Record an event in @arg, a struct received. */
static void note(void *arg, const struct nl_attrs *a)
{
	const struct nlattr *broken;
	struct received *h = arg;

	if (a->cmd == HYPERCUBE_CMD_OP_NTF && h->n < NOTIFIED_MAX) {
		h->nr[h->n] = nl_get_u64(a, HYPERCUBE_A_OP_NR, 0);
		h->node[h->n] = nl_get_u32(a, HYPERCUBE_A_OP_NODE, 0);
		h->status[h->n++] = (int)nl_get_u32(a, HYPERCUBE_A_OP_STATUS, 0);
	}
	broken = nl_find(a, HYPERCUBE_A_PLAN_BROKEN, 0);
	if (a->cmd != HYPERCUBE_CMD_PLAN_NTF || !broken)
		return;
	h->repaired += h->broken && !*(const uint8_t *)nl_data(broken);
	h->broken = *(const uint8_t *)nl_data(broken);
}

/* Receive events until @ops operations have ended and the plan was repaired @repaired times.
 * Return: false if this takes longer than the time limit.
 */
static bool receive(struct received *h, unsigned int ops, unsigned int repaired)
{
	uint64_t end = deadline(10);

	while ((h->n < ops || h->repaired < repaired) && now_ms() < end)
		nl_listen(&h->nl, 100, note, h);
	if (h->n >= ops && h->repaired >= repaired)
		return true;
	printf("# %u ends instead of %u, repaired %u times\n", h->n, ops, h->repaired);
	return false;
}

/* Receive events until no more arrive. Return: true if exactly @ops ends were reported. */
static bool quiet(struct received *h, unsigned int ops)
{
	unsigned int i;

	while (!nl_listen(&h->nl, 200, note, h))
		;
	for (i = 0; i < h->n && h->n != ops; i++)
		printf("# operation %llu ends with %d, says %u\n", (unsigned long long)h->nr[i],
		       h->status[i], h->node[i]);
	return h->n == ops;
}

/* As receive(), and return false also if more than @ops ends are reported. */
static bool receive_all(struct received *h, unsigned int ops, unsigned int repaired)
{
	return receive(h, ops, repaired) && quiet(h, ops);
}

static bool begin(struct cube *c, struct received *h)
{
	struct rings r;

	memset(h, 0, sizeof(*h));
	rings_gray(&r, 3);
	r.repair = true;
	return !cube_bound(c, 3, SEGMENT) && !cube_rings(c, PLAN, &r) &&
	       !nl_open_events(&h->nl);
}

static bool end(struct cube *c, struct received *h)
{
	nl_shut(&h->nl);
	return !cube_del(c);
}

/* Contribute at all nodes except those in the set @but. */
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

/* Wait for the end of an operation at all nodes except those in the set @but. Return: true if it
 * succeeds at all of them.
 */
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

/* An operation is complete at node 0, but not at the next node, whose process does not receive.
 * Then a link fails, and all nodes resume the operation. Its end must be reported once.
 */
TEST(operation_end_is_notified_once_when_rings_are_repaired)
{
	/* The kernel doubles this value, so the receive buffer has space for two chunks. */
	static const int little = SEGMENT;
	struct received h;
	struct cube c;

	ASSERT_TRUE(begin(&c, &h));
	ASSERT_EQ(0, setsockopt(c.fd[1], SOL_SOCKET, SO_RCVBUF, &little, sizeof(little)));
	ASSERT_TRUE(contribute(&c, 0));
	ASSERT_TRUE(receive(&h, 1, 0));
	ASSERT_EQ(0, cube_fail_link(&c, 7, 1));
	ASSERT_TRUE(receive(&h, 1, 1));
	EXPECT_TRUE(all_end(&c, 0));
	ASSERT_TRUE(contribute(&c, 0));
	EXPECT_TRUE(all_end(&c, 0));
	EXPECT_TRUE(receive_all(&h, 2, 1));
	EXPECT_EQ(0, h.nr[0]);
	EXPECT_EQ(1, h.nr[1]);
	EXPECT_EQ(0, h.status[0] | h.status[1]);
	EXPECT_TRUE(end(&c, &h));
}

/* Node 0, which has sent all events until now, has failed, so another node must send them. */
TEST(operation_end_is_notified_when_reporting_node_has_failed)
{
	struct received h;
	struct cube c;

	ASSERT_TRUE(begin(&c, &h));
	ASSERT_EQ(0, cube_fail_node(&c, 0));
	ASSERT_TRUE(receive(&h, 0, 1));
	ASSERT_TRUE(contribute(&c, 1));
	EXPECT_TRUE(all_end(&c, 1));
	EXPECT_TRUE(receive_all(&h, 1, 1));
	EXPECT_EQ(1, h.node[0]);
	EXPECT_TRUE(end(&c, &h));
}

/* When a node recovers, this ends the operation that is under way, and the end is reported only
 * once. When the node failed before that, the operation went on, which causes no event.
 */
TEST(operation_ended_by_node_recovery_is_notified_once)
{
	struct received h;
	struct cube c;
	unsigned int u;

	ASSERT_TRUE(begin(&c, &h));
	ASSERT_TRUE(contribute(&c, 1u << 5));
	ASSERT_EQ(0, cube_fail_node(&c, 3));
	ASSERT_TRUE(receive_all(&h, 0, 1));
	ASSERT_EQ(0, ctl_node_failed(c.name, 3, false));
	for (u = 0; u < 8; u++)
		if (u != 5)
			EXPECT_GT(0, shc_ended(c.fd[u]));
	EXPECT_TRUE(receive_all(&h, 1, 2));
	EXPECT_GT(0, h.status[0]);
	EXPECT_TRUE(end(&c, &h));
}

TEST_HARNESS_MAIN
