// SPDX-License-Identifier: GPL-2.0
/*
 * Links that deliver nothing, in both directions or in one: an operation ends with ENOLINK at once,
 * and DETECT finds these links. When the links recover, or if a plan avoids them, operations
 * succeed. Over links that lose only some frames, all operations succeed.
 *
 * Scheduling: shared
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define TESTS_TOGETHER
#include "cube.h"
#include "ktap.h"

#define PLAN 1
#define ALL 1000000

static uint64_t zeros[1 << 15];

static int start(struct cube *c)
{
	int err = cube_new(c, 3, 4096);

	if (!err)
		err = cube_plan(c, PLAN);
	if (!err)
		err = cube_bind_all(c);
	return err ? err : cube_reduce(c, PLAN, NULL);
}

/* Run a reduction of @bytes at all members. Return: 0 if all members got the right end; -EBADMSG if
 * an end is missing or wrong; else an error that a member got. If the final control message was
 * lost, some members may get an error although others get the result.
 */
static int reduce(struct cube *c, size_t bytes)
{
	struct party p[CUBE_MAX];
	unsigned int node[CUBE_MAX], n = parties(c, p, node, 1), i;
	int err = 0;

	for (i = 0; i < n; i++) {
		struct job *j = &p[i].job[0];

		j->op = (struct hypercube_op){
			.plan = PLAN, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
			.type = HYPERCUBE_U64, .flags = HYPERCUBE_F_NOTIFY, .bytes = bytes,
		};
		j->in = zeros;
		j->expect = node[i] == c->plan.tree.sink ? zeros : NULL;
		j->waits = true;
	}
	/* If a member hangs, the test fails with -EBADMSG, a status that no member ever gets. */
	if (drive(p, n, 12)) {
		ctl_op_print(c->name);
		err = -EBADMSG;
	}
	for (i = 0; i < n && err != -EBADMSG; i++) {
		const struct job *j = &p[i].job[0];

		if (j->refused)
			err = j->refused;
		else if (j->ends != 1 || j->wrong ||
			 (j->expect && !j->res.status && j->got != bytes))
			err = -EBADMSG;
		else if (j->res.status)
			err = j->res.status;
	}
	parties_free(p, n);
	return err;
}

static void take_found(void *arg, const struct nl_attrs *a)
{
	*(unsigned int *)arg = nl_get_u32(a, HYPERCUBE_A_DETECT_FOUND, 0);
}

static unsigned int detect(const char *name, int *err)
{
	unsigned int found = 0;

	nl_begin(ctl(), HYPERCUBE_CMD_DETECT, NLM_F_ACK);
	nl_str(ctl(), HYPERCUBE_A_DETECT_FABRIC, name);
	*err = nl_talk(ctl(), take_found, &found);
	return found;
}

static void test_silent(struct __test_metadata *_metadata, unsigned int stage, bool up, bool down)
{
	unsigned int dim, child;
	struct cube c;
	uint64_t begin;
	int err;

	ASSERT_EQ(0, start(&c));
	dim = c.plan.tree.order[stage];
	child = c.plan.tree.sink ^ (1u << dim);
	if (up)
		ASSERT_EQ(0, ctl_link_loss(c.name, child, dim, ALL, true));
	if (down)
		ASSERT_EQ(0, ctl_link_loss(c.name, c.plan.tree.sink, dim, ALL, true));
	begin = now_ms();
	err = reduce(&c, sizeof(zeros));
	/* If the link fails only in the direction from the root, perhaps only the control message
	 * that reports the end is lost. In this case the operation succeeds.
	 */
	EXPECT_TRUE(err == -ENOLINK || (!up && !err));
	EXPECT_GE((uint64_t)wait_secs(3) * 1000, now_ms() - begin);
	/* DETECT must mark the link as faulty, so that the new plan avoids it. */
	EXPECT_EQ(1, detect(c.name, &err));
	EXPECT_EQ(0, err);
	hc_faults_link(c.faults, child, dim);
	ASSERT_EQ(0, cube_plan(&c, PLAN));
	EXPECT_EQ(0, cube_reduce(&c, PLAN, NULL));
	/* After cube_heal(), the link must deliver frames. */
	ASSERT_EQ(0, cube_heal(&c));
	EXPECT_EQ(0, detect(c.name, &err));
	ASSERT_EQ(0, cube_plan(&c, PLAN));
	EXPECT_EQ(0, cube_reduce(&c, PLAN, NULL));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(operation_fails_when_first_stage_link_loses_all_frames)
{
	test_silent(_metadata, 0, true, true);
}

TEST(operation_fails_when_last_stage_link_loses_all_frames)
{
	test_silent(_metadata, 2, true, true);
}

TEST(operation_fails_when_link_loses_all_frames_to_the_root)
{
	test_silent(_metadata, 1, true, false);
}

TEST(operation_ends_when_link_loses_all_frames_from_the_root)
{
	test_silent(_metadata, 1, false, true);
}

TEST(operations_succeed_over_links_with_partial_loss)
{
	unsigned int round;
	struct cube c;

	ASSERT_EQ(0, start(&c));
	for (round = 0; round < scaled(12); round++) {
		ASSERT_EQ(0, cube_lossy(&c, round % 2 ? 20000 : 200000, round));
		EXPECT_EQ(0, reduce(&c, below(2) ? 8 : 65536));
	}
	EXPECT_EQ(0, cube_del(&c));
}

/* Let node 2, which is behind a detour, receive in many small steps, between which the other nodes
 * send and receive as much as they can. *@held: set if data arrive before the end of the operation.
 */
static int read_slowly(struct cube *c, struct party *p, unsigned int n, bool *held)
{
	unsigned int i;
	int fd = p[2].fd;

	(void)c;
	for (i = 0; i < 1000 && p[2].job[0].got < sizeof(zeros); i++) {
		*held |= p[2].job[0].got > 0;
		drive_some(&p[2], 1, 1);
		p[2].fd = -1;
		drive_until_quiet(p, n, 5);
		p[2].fd = fd;
	}
	return 0;
}

/* Run an allreduce whose result node 2 does not receive at first; then let the function @read make
 * it receive the result. Return: 0 or the operation's error.
 */
static int behind_detour(struct cube *c, bool *held,
			 int (*read)(struct cube *c, struct party *p, unsigned int n, bool *held))
{
	struct party p[CUBE_MAX];
	unsigned int n = parties(c, p, NULL, 1), i;
	int err = 0, fd = p[2].fd;

	for (i = 0; i < n; i++) {
		struct job *j = &p[i].job[0];

		j->op = (struct hypercube_op){
			.plan = PLAN, .collective = HYPERCUBE_ALLREDUCE, .oper = HYPERCUBE_SUM,
			.type = HYPERCUBE_U64, .bytes = sizeof(zeros), .cookie = p[i].base,
		};
		j->in = zeros;
		j->expect = zeros;
		j->waits = true;
	}
	p[2].job[0].sent = shc_send(fd, &p[2].job[0].op, zeros, sizeof(zeros), MSG_DONTWAIT);
	p[2].job[0].begun = true;
	p[2].job[0].over = true;
	p[2].next = 1;
	p[2].fd = -1;
	drive_until_quiet(p, n, 400);
	p[2].fd = fd;
	err = read(c, p, n, held);
	if (!err && drive(p, n, 12)) {
		ctl_op_print(c->name);
		err = -EBADMSG;
	}
	for (i = 0; i < n && !err; i++) {
		const struct job *j = &p[i].job[0];

		err = j->res.status ? j->res.status :
		      j->ends != 1 || j->wrong || j->got != sizeof(zeros) ? -EBADMSG : 0;
	}
	parties_free(p, n);
	return err;
}

/* Make a plan with a detour from node 2 over 3 and 1 to 0. No other edge of the plan uses the link
 * between 3 and 1.
 */
static int detour_start(struct cube *c)
{
	static const uint8_t order[] = { 0, 1 };
	const int small = 4096;
	int err = cube_new(c, 2, 4096);

	if (!err)
		err = cube_fail_link(c, 2, 1);
	if (!err)
		err = cube_plan_fixed(c, PLAN, 0, order);
	if (!err)
		err = c->plan.tree.ndetours == 1 ? cube_bind_all(c) : -EINVAL;
	return err ? err : setsockopt(c->fd[2], SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
}

/* A slow receiver behind a detour loses no data: credits never allow more data to be under way to
 * it than its receive buffer has space for.
 */
TEST(slow_receiver_behind_detour_loses_no_data)
{
	bool held = false;
	struct cube c;

	ASSERT_EQ(0, detour_start(&c));
	EXPECT_EQ(0, behind_detour(&c, &held, read_slowly));
	EXPECT_TRUE(held);
	EXPECT_EQ(0, cube_del(&c));
}

/* Node 2 waits for the process of node 3, which does not contribute. When the detour fails, the END
 * to node 2 is lost, but node 2 must notice the failure.
 */
TEST(waiting_member_gets_error_when_its_detour_fails)
{
	const struct hypercube_op op = { .plan = PLAN, .collective = HYPERCUBE_BARRIER };
	struct cube c;
	unsigned int u;

	ASSERT_EQ(0, detour_start(&c));
	for (u = 0; u < 3; u++)
		ASSERT_EQ(0, shc_send(c.fd[u], &op, NULL, 0, 0));
	ASSERT_EQ(0, cube_fail_link(&c, 3, 1));
	for (u = 0; u < 3; u++)
		EXPECT_EQ(-ENOLINK, shc_ended(c.fd[u]));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
