// SPDX-License-Identifier: GPL-2.0
/*
 * Effects that a handle of the user library has on the operations of other handles: by calls that
 * are refused, by being closed, and by failures before other handles use the plan for the first
 * time.
 *
 * Scheduling: shared
 */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "handles.h"
#include "ktap.h"

#define BLOCK	64

enum { TREE = PLAN, BCAST, DOUBLING, RINGS, REPAIR };

static unsigned char in[NODES][2 * BLOCK], out[NODES][NODES * BLOCK];
static uint64_t id[NODES];

/* Close all handles and open new ones, so that no handle has used a plan. */
static bool handles_reopen(void)
{
	unsigned int u;

	for (u = 0; u < NODES; u++)
		hcl_close(h[u]);
	/* Wait until the members have been notified that the handles were closed. */
	usleep(100 * 1000);
	for (u = 0; u < NODES; u++) {
		if (hcl_open(&h[u], FABRIC, u))
			return false;
		hcl_set_timeout(h[u], 5000);
	}
	return true;
}

static bool set_up_all(void)
{
	return set_up_bcast() && !tool("doubling plan fabric " FABRIC " apply plan 3") &&
	       !tool("ring plan fabric " FABRIC " apply plan 4") &&
	       !tool("ring plan fabric " FABRIC " apply plan 5 repair");
}

static int block_post(unsigned int u, unsigned int plan, size_t bytes)
{
	const struct hcl_params p = { .plan = plan, .collective = HYPERCUBE_ALLGATHER };

	memset(in[u], u + 1, sizeof(in[u]));
	memset(out[u], 0, sizeof(out[u]));
	return hcl_post(h[u], &p, in[u], bytes, out[u], sizeof(out[u]), &id[u]);
}

static bool blocks_right(unsigned int u)
{
	unsigned int v, i;

	for (v = 0; v < NODES; v++)
		for (i = 0; i < BLOCK; i++)
			if (out[u][v * BLOCK + i] != v + 1)
				return false;
	return true;
}

/* Wait for the operations of all nodes. Return: 0, the first status other than 0, or -EBADMSG if a
 * result is wrong.
 */
static int all_ended(void)
{
	unsigned int u;
	int err = 0;

	for (u = 0; u < NODES && !err; u++) {
		err = move_until(u, id[u]) ? hcl_wait(h[u], id[u], NULL) : -ETIME;
		if (!err && !blocks_right(u))
			err = -EBADMSG;
	}
	return err;
}

/* Run an allgather over @plan at all nodes. */
static int allgather(unsigned int plan)
{
	unsigned int u;
	int err = 0;

	for (u = 0; u < NODES; u++)
		err = err ?: block_post(u, plan, BLOCK);
	return err ?: all_ended();
}

/* Wait until data that the handles send have reached the other nodes. */
static void settle(void)
{
	unsigned int u, i;

	for (i = 0; i < 20; i++) {
		for (u = 0; u < NODES; u++)
			hcl_progress(h[u], 0);
		usleep(1000);
	}
}

static const struct hcl_params refused[] = {
	{ .collective = HYPERCUBE_GATHER },
	{ .collective = HYPERCUBE_ALLTOALL },
	{ .collective = HYPERCUBE_ALLREDUCE, .oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64 },
	{ .collective = HYPERCUBE_ALLREDUCE, .oper = 99, .type = HYPERCUBE_U64 },
};

/* Post an operation at all nodes but the last one. At the last node post @of, which the kernel must
 * refuse, and then the operation for which the others wait. Return: 0 if this operation succeeds,
 * -EALREADY if @of was not refused, or another error.
 */
static int refuse_late(unsigned int plan, const struct hcl_params *of)
{
	struct hcl_params p = *of;
	unsigned int u;
	int err = 0;

	p.plan = plan;
	if (!handles_reopen())
		return -ENOTSUP;
	for (u = 0; u < NODES - 1; u++)
		err = err ?: block_post(u, plan, BLOCK);
	settle();
	/* The kernel must refuse this operation, either because its length is not a multiple of the
	 * element's length, or because the plan cannot run its collective.
	 */
	if (!hcl_post(h[u], &p, in[u], BLOCK - 1, NULL, 0, NULL))
		return -EALREADY;
	settle();
	return err ?: block_post(u, plan, BLOCK) ?: all_ended();
}

TEST(refused_call_fails_no_operation_of_others)
{
	static const unsigned int plans[] = { TREE, DOUBLING, RINGS, REPAIR };
	unsigned int i, k, good = 0;

	ASSERT_TRUE(set_up_all());
	for (i = 0; i < 4; i++)
		for (k = 0; k < sizeof(refused) / sizeof(*refused); k++) {
			int err = refuse_late(plans[i], &refused[k]);

			/* This plan can run the operation, so the kernel did not refuse it. */
			if (err == -EALREADY)
				continue;
			printf("# plan %u, call %u: %s\n", plans[i], k, strerror(-err));
			ASSERT_EQ(0, err);
			good++;
		}
	EXPECT_LE(8, good);
}

TEST(closed_handle_without_contribution_fails_no_operation_of_others)
{
	static const unsigned int plans[] = { TREE, DOUBLING, RINGS, REPAIR };
	struct hcl *second;
	unsigned int i, u;

	ASSERT_TRUE(set_up_all());
	for (i = 0; i < 4; i++) {
		ASSERT_TRUE(handles_reopen());
		ASSERT_EQ(0, hcl_open_plan(&second, FABRIC, NODES - 1, plans[i]));
		for (u = 0; u < NODES - 1; u++)
			ASSERT_EQ(0, block_post(u, plans[i], BLOCK));
		settle();
		hcl_close(second);
		settle();
		EXPECT_EQ(0, block_post(u, plans[i], BLOCK));
		EXPECT_EQ(0, all_ended());
	}
}

TEST(refused_broadcast_of_a_receiver_fails_no_message)
{
	struct hcl_params p = { .plan = BCAST, .collective = HYPERCUBE_BCAST };
	struct hypercube_result res;
	unsigned int u;

	ASSERT_TRUE(set_up_all());
	for (u = 0; u < NODES; u++)
		if (u != 5)
			EXPECT_EQ(-EPERM, hcl_post(h[u], &p, in[u], BLOCK, NULL, 0, NULL));
	memset(in[5], 6, BLOCK);
	p.flags = HYPERCUBE_F_NOTIFY;
	ASSERT_EQ(0, hcl_post(h[5], &p, in[5], BLOCK, NULL, 0, &id[5]));
	for (u = 0; u < NODES; u++) {
		if (u == 5)
			continue;
		EXPECT_EQ(0, hcl_bcast(h[u], BCAST, 5, out[u], BLOCK, 0, &res));
		EXPECT_EQ(0, memcmp(in[5], out[u], BLOCK));
	}
	EXPECT_EQ(0, hcl_wait(h[5], id[5], NULL));
}

/* Nodes 0 and 1 pass different lengths before the other nodes have used the plan. Each of the other
 * nodes gets the error at its first use of the plan, and the next operation succeeds at all
 * members.
 */
static int fail_before_use(unsigned int plan)
{
	unsigned int u, failed = 0;
	int err;

	if (!handles_reopen())
		return -ENOTSUP;
	err = block_post(0, plan, BLOCK) ?: block_post(1, plan, BLOCK / 2);
	if (err)
		return err;
	settle();
	for (u = 2; u < NODES; u++) {
		err = block_post(u, plan, BLOCK);
		if (err)
			return err;
		settle();
	}
	for (u = 0; u < NODES; u++) {
		if (!move_until(u, id[u]))
			return -ETIME;
		failed += hcl_wait(h[u], id[u], NULL) == -EPROTO;
	}
	return failed == NODES ? allgather(plan) : -ECHILD;
}

TEST(failure_before_first_use_of_plan_reaches_all_handles)
{
	ASSERT_TRUE(set_up_all());
	EXPECT_EQ(0, fail_before_use(TREE));
	EXPECT_EQ(0, fail_before_use(DOUBLING));
	EXPECT_EQ(0, fail_before_use(RINGS));
	EXPECT_EQ(0, fail_before_use(REPAIR));
}

TEST(handle_keeps_its_rights_after_setresuid)
{
	ASSERT_TRUE(set_up_all());
	ASSERT_EQ(0, allgather(TREE));
	ASSERT_EQ(0, setresuid(65534, 65534, 65534));
	EXPECT_EQ(0, allgather(DOUBLING));
	EXPECT_EQ(0, allgather(RINGS));
}

TEST(handle_keeps_its_fabric_after_setns)
{
	ASSERT_TRUE(set_up_all());
	ASSERT_EQ(0, allgather(TREE));
	ASSERT_EQ(0, unshare(CLONE_NEWNET));
	EXPECT_EQ(0, allgather(DOUBLING));
	EXPECT_EQ(0, allgather(RINGS));
}

TEST_HARNESS_MAIN
