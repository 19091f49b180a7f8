// SPDX-License-Identifier: GPL-2.0
/*
 * libhypercube-plan finds plans of all types around faults, installs them, waits for them and
 * removes them.
 *
 * Scheduling: shared
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "handles.h"
#include "ktap.h"
#include "libhypercube-plan.h"

#define ID 9

/* Return: true if hcl_plan_explain() returns @words for the last call that failed. */
static bool explained(const char *words)
{
	char text[256];

	hcl_plan_explain(text, sizeof(text));
	if (!strcmp(text, words))
		return true;
	printf("# %s\n", text);
	return false;
}

#define EXPLAINED(err, call, words) do {		\
	EXPECT_EQ(err, call);				\
	EXPECT_EQ(true, explained(words));		\
} while (0)

/* Run an allreduce over plan @id to which each member contributes 1 << node. Return: the sum, which
 * is the set of the plan's members as a mask.
 */
static uint32_t mask_of_sum(uint32_t id)
{
	struct hcl_params p = {
		.plan = id, .oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64,
		.collective = HYPERCUBE_ALLREDUCE,
	};
	uint64_t in[NODES], out[NODES] = { 0 }, op[NODES];
	uint32_t node[NODES], i, mask = 0;
	int n = hcl_plan_members(FABRIC, id, node, NODES);

	for (i = 0; (int)i < n; i++) {
		in[i] = 1u << node[i];
		mask |= in[i];
		if (hcl_post(h[node[i]], &p, &in[i], 8, &out[i], 8, &op[i]))
			return 0;
	}
	for (i = 0; (int)i < n; i++)
		if (hcl_wait(h[node[i]], op[i], NULL) || out[i] != mask)
			return 0;
	return mask;
}

TEST(tree_installed_after_node_failure_avoids_that_node)
{
	struct hcl_plan plan, seen;
	uint32_t node[3];

	ASSERT_EQ(true, set_up());
	ASSERT_EQ(0, hcl_plan_install(FABRIC, ID, HYPERCUBE_PLAN_TREE, HCL_PLAN_ANY, &plan));
	EXPECT_EQ(ID, plan.id);
	EXPECT_EQ(HYPERCUBE_PLAN_TREE, plan.type);
	EXPECT_EQ(3, plan.dim);
	EXPECT_EQ(NODES, plan.members);
	EXPECT_EQ(0, plan.broken);
	EXPECT_EQ(0xff, mask_of_sum(ID));
	ASSERT_EQ(0, tool("node set " FABRIC " 2 fail"));
	ASSERT_EQ(0, hcl_plan_get(FABRIC, ID, &seen));
	EXPECT_EQ(plan.epoch, seen.epoch);
	EXPECT_NE(0, seen.broken);
	EXPECT_NE(UINT32_MAX, seen.cause_node);
	ASSERT_EQ(0, hcl_plan_install(FABRIC, ID, HYPERCUBE_PLAN_TREE, 5, &seen));
	EXPECT_NE(plan.epoch, seen.epoch);
	EXPECT_EQ(5, seen.root);
	EXPECT_EQ(NODES - 1, seen.members);
	EXPECT_EQ(0, seen.broken);
	EXPECT_EQ(NODES - 1, hcl_plan_members(FABRIC, ID, node, 3));
	EXPECT_EQ(true, node[0] == 0 && node[1] == 1 && node[2] == 3);
	EXPECT_EQ(0xfb, mask_of_sum(ID));
}

TEST(tree_of_named_members_has_exactly_those_members)
{
	const uint32_t three[] = { 6, 0, 3 }, beyond[] = { 0, 8 };
	struct hcl_plan plan;

	ASSERT_EQ(true, set_up());
	ASSERT_EQ(0, hcl_plan_install_members(FABRIC, ID, three, 3, 0, &plan));
	EXPECT_EQ(3, plan.members);
	EXPECT_EQ(0x49, mask_of_sum(ID));
	EXPLAINED(-ERANGE, hcl_plan_install_members(FABRIC, ID, beyond, 2, 0, NULL),
		  "fabric lib: there is no node 8");
	ASSERT_EQ(0, tool("node set " FABRIC " 3 fail"));
	EXPLAINED(-ENOLINK, hcl_plan_install_members(FABRIC, ID, three, 3, 0, NULL),
		  "fabric lib: no tree: a member has failed or is cut off");
}

/* The guard installs the next epoch with the same members, but not before all of them are connected
 * again.
 */
TEST(guarded_tree_keeps_its_members_in_next_epoch)
{
	const uint32_t three[] = { 6, 0, 3 };
	struct hcl_plan plan, next;

	ASSERT_EQ(true, set_up());
	ASSERT_EQ(0, hcl_plan_install_members(FABRIC, ID, three, 3, 5000, &plan));
	ASSERT_EQ(0, tool("link set " FABRIC " 3 down"));
	EXPECT_NE(0, tool("guard " FABRIC " once"));
	ASSERT_EQ(0, tool("link set " FABRIC " 3:0 up"));
	ASSERT_EQ(0, tool("guard " FABRIC " once"));
	ASSERT_EQ(0, hcl_plan_get(FABRIC, ID, &next));
	EXPECT_NE(plan.epoch, next.epoch);
	EXPECT_EQ(3, next.members);
	EXPECT_EQ(0x49, mask_of_sum(ID));
}

TEST(doubling_plan_uses_largest_healthy_subcube)
{
	struct hcl_plan plan;

	ASSERT_EQ(true, set_up());
	ASSERT_EQ(0, tool("link set " FABRIC " 6:0 down"));
	ASSERT_EQ(0, hcl_plan_install(FABRIC, ID, HYPERCUBE_PLAN_DOUBLING, HCL_PLAN_ANY, &plan));
	EXPECT_EQ(HYPERCUBE_PLAN_DOUBLING, plan.type);
	EXPECT_EQ(4, plan.members);
	EXPECT_EQ(4, __builtin_popcount(mask_of_sum(ID)));
}

TEST(broadcast_around_faults_reaches_all_members)
{
	struct hcl_plan plan;
	char buf[8] = "";
	uint32_t u;

	ASSERT_EQ(true, set_up());
	ASSERT_EQ(0, tool("link set " FABRIC " 6:0,6:1 down"));
	ASSERT_EQ(0, hcl_plan_install(FABRIC, ID, HYPERCUBE_PLAN_BCAST, 6, &plan));
	EXPECT_EQ(6, plan.root);
	EXPECT_EQ(NODES, plan.members);
	ASSERT_EQ(0, hcl_bcast(h[6], ID, 6, "hello", 6, 0, NULL));
	for (u = 0; u < NODES; u++) {
		if (u == 6)
			continue;
		memset(buf, 0, sizeof(buf));
		EXPECT_EQ(0, hcl_bcast(h[u], ID, 6, buf, sizeof(buf), 0, NULL));
		EXPECT_EQ(0, strcmp("hello", buf));
	}
}

TEST(rings_include_all_connected_nodes)
{
	struct hcl_params p = { .plan = ID, .collective = HYPERCUBE_ALLGATHER };
	uint32_t node[NODES], in[NODES], out[NODES][NODES] = { 0 }, i, k;
	struct hcl_plan plan;
	uint64_t id[NODES];
	int n;

	ASSERT_EQ(true, set_up());
	ASSERT_EQ(0, tool("link set " FABRIC " 3:0,3:1,3:2 down"));
	ASSERT_EQ(0, hcl_plan_install(FABRIC, ID, HYPERCUBE_PLAN_RING, HCL_PLAN_ANY, &plan));
	n = hcl_plan_members(FABRIC, ID, node, NODES);
	ASSERT_EQ(NODES - 1, n);
	EXPECT_EQ(n, plan.members);
	EXPECT_GT(NODES, plan.root);
	for (i = 0; (int)i < n; i++) {
		in[i] = 1000 + node[i];
		ASSERT_EQ(0, hcl_post(h[node[i]], &p, &in[i], 4, out[i], 4 * n, &id[i]));
	}
	for (i = 0; (int)i < n; i++) {
		EXPECT_EQ(0, hcl_wait(h[node[i]], id[i], NULL));
		for (k = 0; (int)k < n; k++)
			EXPECT_EQ(1000 + node[k], out[i][k]);
	}
}

TEST(plan_await_returns_next_epoch_or_times_out)
{
	struct hcl_plan plan, next;
	int status;

	ASSERT_EQ(true, set_up());
	EXPLAINED(-ETIMEDOUT, hcl_plan_await(FABRIC, ID, 0, 0, &plan),
		  "fabric lib: no new plan 9 within 0 ms");
	ASSERT_EQ(0, hcl_plan_install(FABRIC, ID, HYPERCUBE_PLAN_TREE, HCL_PLAN_ANY, NULL));
	EXPECT_EQ(0, hcl_plan_await(FABRIC, ID, 0, 0, &plan));
	EXPLAINED(-ETIMEDOUT, hcl_plan_await(FABRIC, ID, plan.epoch, 20, &next),
		  "fabric lib: no new plan 9 within 20 ms");
	ASSERT_EQ(0, tool("link set " FABRIC " 0:0,0:1 down"));
	EXPECT_EQ(-ETIMEDOUT, hcl_plan_await(FABRIC, ID, 0, 20, &next));
	if (!fork()) {
		usleep(50000);
		_exit(!!hcl_plan_install(FABRIC, ID, HYPERCUBE_PLAN_TREE, 0, NULL));
	}
	EXPECT_EQ(0, hcl_plan_await(FABRIC, ID, plan.epoch, 20000, &next));
	EXPECT_NE(plan.epoch, next.epoch);
	EXPECT_EQ(0, next.broken);
	EXPECT_EQ(0, next.root);
	wait(&status);
	EXPECT_EQ(0, status);
}

TEST(removed_plan_no_longer_exists)
{
	struct hcl_plan plan;

	ASSERT_EQ(true, set_up());
	EXPECT_EQ(0, hcl_plan_get(FABRIC, PLAN, &plan));
	EXPECT_EQ(0, hcl_plan_remove(FABRIC, PLAN));
	EXPECT_EQ(-ENOENT, hcl_plan_get(FABRIC, PLAN, &plan));
	EXPECT_EQ(-ENOENT, hcl_plan_remove(FABRIC, PLAN));
	EXPECT_EQ(-ENOENT, hcl_plan_members(FABRIC, PLAN, NULL, 0));
	EXPECT_EQ(-ENOENT, hcl_plan_get(FABRIC, 0, &plan));
}

TEST(invalid_plan_requests_are_refused_and_explained)
{
	const uint32_t any = HCL_PLAN_ANY, tree = HYPERCUBE_PLAN_TREE;
	struct hcl_plan plan;
	char text[256];

	EXPECT_EQ(true, explained(""));
	ASSERT_EQ(true, set_up());
	EXPLAINED(-EINVAL, hcl_plan_install(FABRIC, 0, tree, any, NULL),
		  "fabric lib: a plan's id is not 0");
	EXPLAINED(-EINVAL, hcl_plan_install(FABRIC, ID, 0, any, NULL),
		  "fabric lib: there is no such type of plan");
	EXPLAINED(-EINVAL, hcl_plan_install(FABRIC, ID, 77, any, NULL),
		  "fabric lib: there is no such type of plan");
	EXPLAINED(-EINVAL, hcl_plan_install(FABRIC, ID, HYPERCUBE_PLAN_BCAST, any, NULL),
		  "fabric lib: a broadcast needs a source");
	EXPLAINED(-EINVAL, hcl_plan_install(FABRIC, ID, HYPERCUBE_PLAN_RING, 0, NULL),
		  "fabric lib: such a plan has no root to choose");
	EXPLAINED(-EINVAL, hcl_plan_install(FABRIC, ID, HYPERCUBE_PLAN_DOUBLING, 0, NULL),
		  "fabric lib: such a plan has no root to choose");
	EXPECT_EQ(-ERANGE, hcl_plan_install(FABRIC, ID, tree, NODES, NULL));
	EXPECT_EQ(-ERANGE, hcl_plan_install(FABRIC, ID, HYPERCUBE_PLAN_BCAST, NODES, NULL));
	EXPECT_EQ(-ENODEV, hcl_plan_install("nosuch", ID, tree, any, NULL));
	hcl_plan_explain(text, sizeof(text));
	EXPECT_EQ(0, strncmp("fabric nosuch: No such fabric", text, 29));
	EXPECT_EQ(-ENODEV, hcl_plan_get("nosuch", ID, &plan));
	EXPLAINED(-ENODEV, hcl_plan_get("a-name-that-is-too-long", ID, &plan),
		  "fabric a-name-that-is-too-long: the name is too long");
	EXPECT_EQ(-ENODEV, hcl_plan_members("nosuch", ID, NULL, 0));
	EXPECT_EQ(-ENODEV, hcl_plan_remove("nosuch", ID));
	EXPECT_EQ(-ENODEV, hcl_plan_await("nosuch", ID, 0, 0, &plan));
	EXPECT_EQ(-ENOENT, hcl_plan_get(FABRIC, ID, &plan));
	ASSERT_EQ(0, tool("node set " FABRIC " 4 fail"));
	EXPECT_EQ(-ENOLINK, hcl_plan_install(FABRIC, ID, tree, 4, NULL));
	EXPECT_EQ(-ENOLINK, hcl_plan_install(FABRIC, ID, HYPERCUBE_PLAN_BCAST, 4, NULL));
	/* Users without privileges may query plans, but not install or remove them. */
	ASSERT_EQ(0, setuid(65534));
	EXPECT_EQ(-EPERM, hcl_plan_install(FABRIC, ID, tree, any, NULL));
	EXPECT_EQ(-EPERM, hcl_plan_remove(FABRIC, PLAN));
	EXPECT_EQ(0, hcl_plan_get(FABRIC, PLAN, &plan));
	EXPECT_EQ(NODES, hcl_plan_members(FABRIC, PLAN, NULL, 0));
}

TEST(plan_is_refused_when_all_nodes_have_failed)
{
	char command[64];
	unsigned int u;

	ASSERT_EQ(true, set_up());
	for (u = 0; u < NODES; u++) {
		snprintf(command, sizeof(command), "node set " FABRIC " %u fail", u);
		ASSERT_EQ(0, tool(command));
	}
	EXPLAINED(-EHOSTDOWN, hcl_plan_install(FABRIC, ID, HYPERCUBE_PLAN_RING, HCL_PLAN_ANY, NULL),
		  "fabric lib: no ring: no node is connected with any other");
	EXPLAINED(-EHOSTDOWN,
		  hcl_plan_install(FABRIC, ID, HYPERCUBE_PLAN_DOUBLING, HCL_PLAN_ANY, NULL),
		  "fabric lib: no doubling: no node is connected with any other");
	EXPECT_EQ(-EHOSTDOWN,
		  hcl_plan_install(FABRIC, ID, HYPERCUBE_PLAN_TREE, HCL_PLAN_ANY, NULL));
}

TEST_HARNESS_MAIN
