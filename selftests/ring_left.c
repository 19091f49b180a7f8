// SPDX-License-Identifier: GPL-2.0
/*
 * Rings that repair themselves. Some processes have left after they have received all blocks, when
 * the other processes need no more data from them. A process that waits for the notification that
 * all members have its block (NOTIFY) must still get it, even if a link fails before that.
 *
 * Scheduling: shared
 */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "ktap.h"
#include "rings.h"

#define PLAN	1
#define NODES	4
/* Delay of the link from node 2 to node 0, the last link of the ring 0, 1, 3, 2. The block of node
 * 0 returns to it over this link.
 */
#define DELAY_MS	900

static bool contribute(const struct cube *c, unsigned int u, unsigned int flags)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLGATHER, .bytes = 8, .flags = flags,
	};
	uint64_t own = 100 + u;

	return shc_send(c->fd[u], &op, &own, 8, 0) == 8;
}

/* Receive a result at node @u. Return: 0 if all blocks are right; else the status of the operation
 * or another error.
 */
static int receive(const struct cube *c, unsigned int u)
{
	struct hypercube_result res = { 0 };
	uint64_t block[NODES] = { 0 };
	unsigned int i, n = 0;
	bool eor = false;
	ssize_t got;

	/* Blocks may arrive in chunks. The kernel writes each chunk at its offset in the buffer. */
	while (!eor) {
		struct pollfd p = { .fd = c->fd[u], .events = POLLIN };

		if (poll(&p, 1, 1000 * wait_secs(10)) != 1)
			return -ETIMEDOUT;
		got = shc_recv(c->fd[u], block, sizeof(block), &res, &eor, 0);
		if (got < 0)
			return got;
		n += got;
	}
	if (!res.status && n != sizeof(block))
		return -EMSGSIZE;
	for (i = 0; !res.status && i < NODES; i++)
		if (block[i] != 100 + i)
			return -EBADMSG;
	return res.status;
}

static int begin(struct cube *c)
{
	const struct impairments slow = { .delay = DELAY_MS * 1000000ULL };
	struct rings r;
	unsigned int u;
	int err = cube_new(c, 2, 0) ?: cube_bind_all(c);

	rings_gray(&r, 2);
	r.repair = true;
	err = err ?: cube_rings(c, PLAN, &r);
	for (u = 0; u < NODES && !err; u++)
		err = !contribute(c, u, 0);
	for (u = 0; u < NODES && !err; u++)
		err = receive(c, u);
	return err ?: ctl_link_impair(c->name, 2, 1, &slow);
}

/* Let the other nodes contribute first, so that their blocks are at node 0 when node 0 contributes.
 * Node 0 then has all blocks at once, and waits only until its own block has gone round the ring.
 * Let the other processes receive their results and leave. Return: 0 or an error.
 */
static int others_leave(struct cube *c)
{
	unsigned int u;
	int err = 0;

	for (u = 1; u < NODES && !err; u++)
		err = !contribute(c, u, 0);
	usleep((DELAY_MS + 300) * 1000);
	err = err ?: !contribute(c, 0, HYPERCUBE_F_NOTIFY);
	for (u = 1; u < NODES && !err; u++)
		err = receive(c, u);
	for (u = 1; u < NODES; u++)
		cube_close(c, u);
	usleep(100000);
	return err;
}

/* Let the other processes leave, fail link @dim of @node (@node < 0: none), and check that node 0
 * still gets its notification.
 */
static void notified_around(struct __test_metadata *_metadata, int node, unsigned int dim)
{
	struct cube c;

	ASSERT_EQ(0, begin(&c));
	ASSERT_EQ(0, others_leave(&c));
	if (node >= 0)
		ASSERT_EQ(0, cube_fail_link(&c, node, dim));
	EXPECT_EQ(0, receive(&c, 0));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(notification_arrives_after_other_members_have_left)
{
	notified_around(_metadata, -1, 0);
}

TEST(notification_arrives_if_link_fails_after_members_have_left)
{
	notified_around(_metadata, 1, 1);
	notified_around(_metadata, 0, 0);
	notified_around(_metadata, 2, 1);
}

TEST_HARNESS_MAIN
