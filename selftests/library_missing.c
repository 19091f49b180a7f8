// SPDX-License-Identifier: GPL-2.0
/*
 * Members that an operation lacks: hcl_pending_members() and the cause of a timeout name members
 * for which a hanging operation waits, and members whose blocks a result does not have.
 *
 * Scheduling: shared
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "handles.h"
#include "ktap.h"

static const struct hcl_params allsum = {
	.plan = PLAN, .oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64,
	.collective = HYPERCUBE_ALLREDUCE,
};

/* Wait until hcl_pending_members() names exactly the nodes in @mask for operation @id at node @u.
 * It takes some time until a contribution reaches its node. Return: false if this takes longer than
 * the time limit.
 */
static bool missing(unsigned int u, uint64_t id, uint32_t mask)
{
	uint32_t node[NODES], seen = 0;
	int n = 0, i, try;

	for (try = 0; try < 2000; try++, usleep(1000)) {
		n = hcl_pending_members(h[u], id, node, NODES);
		for (i = 0, seen = 0; i < n; i++)
			seen |= 1u << node[i];
		if (n >= 0 && seen == mask)
			return true;
	}
	printf("# node %u, operation %llu: %d are missing: %#x\n", u, (unsigned long long)id, n,
	       seen);
	return false;
}

TEST(pending_members_are_those_without_contribution)
{
	uint32_t node[NODES] = { 0 };
	uint64_t in = 1, out, id;

	ASSERT_EQ(true, set_up());
	ASSERT_EQ(0, post(0, &sum64, &in, 8, &out, 8, &id));
	EXPECT_EQ(true, missing(0, id, 0xfe));
	ASSERT_EQ(0, post(1, &sum64, &in, 8, NULL, 0, NULL));
	ASSERT_EQ(0, post(2, &sum64, &in, 8, NULL, 0, NULL));
	ASSERT_EQ(0, post(4, &sum64, &in, 8, NULL, 0, NULL));
	EXPECT_EQ(true, missing(0, id, 0xe8));
	EXPECT_EQ(4, hcl_pending_members(h[0], id, node, 2));
	EXPECT_EQ(3, node[0]);
	EXPECT_EQ(5, node[1]);
	EXPECT_EQ(0, node[2]);
	EXPECT_EQ(4, hcl_pending_members(h[0], id, NULL, 0));
	/* Users without privileges may call hcl_pending_members(). */
	ASSERT_EQ(0, setuid(65534));
	EXPECT_EQ(true, missing(0, id, 0xe8));
	ASSERT_EQ(0, post(3, &sum64, &in, 8, NULL, 0, NULL));
	ASSERT_EQ(0, post(5, &sum64, &in, 8, NULL, 0, NULL));
	ASSERT_EQ(0, post(6, &sum64, &in, 8, NULL, 0, NULL));
	EXPECT_EQ(true, missing(0, id, 0x80));
	ASSERT_EQ(0, post(7, &sum64, &in, 8, NULL, 0, NULL));
	EXPECT_EQ(true, missing(0, id, 0));
	EXPECT_EQ(0, hcl_wait(h[0], id, NULL));
	EXPECT_EQ(0, hcl_pending_members(h[0], id, node, NODES));
}

/* hcl_pending_members() distinguishes several operations of one plan that are under way. The
 * library has no record of operations that have been sent completely and have no result at their
 * node.
 */
TEST(pending_members_are_listed_per_operation)
{
	static uint64_t big[1 << 20], out[1 << 20];
	uint64_t in = 1, sum[3], first, second, third;
	unsigned int i;

	ASSERT_EQ(true, set_up());
	for (i = 0; i < NODES; i++)
		if (i != 5)
			ASSERT_EQ(0, hcl_post(h[i], &allsum, &in, 8, &sum[0], 8,
					      i == 3 ? &first : NULL));
	ASSERT_EQ(0, post(3, &sum64, &in, 8, NULL, 0, NULL));
	ASSERT_EQ(0, post(3, &sum64, &in, 8, NULL, 0, NULL));
	ASSERT_EQ(0, hcl_post(h[3], &allsum, big, sizeof(big), out, sizeof(out), &second));
	ASSERT_EQ(0, hcl_post(h[3], &allsum, &in, 8, &sum[2], 8, &third));
	ASSERT_EQ(0, post(6, &sum64, &in, 8, NULL, 0, NULL));
	ASSERT_EQ(0, post(6, &sum64, &in, 8, NULL, 0, NULL));
	EXPECT_EQ(true, missing(3, first, 1 << 5));
	/* The second operation has filled the buffers, so the third one has not begun. */
	EXPECT_EQ(4, hcl_events(h[3]) & 4);
	EXPECT_EQ(true, missing(3, second, 0xf7));
	EXPECT_EQ(true, missing(3, third, 0xff));
	EXPECT_EQ(-EINVAL, hcl_pending_members(h[3], third + 1, NULL, 0));
	EXPECT_EQ(-EINVAL, hcl_pending_members(h[3], 0, NULL, 0));
}

TEST(pending_member_of_unsent_broadcast_is_its_root)
{
	struct hcl_params p = { .plan = 2, .collective = HYPERCUBE_BCAST };
	uint64_t a, b, one = 1, sum;
	char buf[2][8];

	ASSERT_EQ(true, set_up_bcast());
	ASSERT_EQ(0, hcl_post(h[1], &p, NULL, 0, buf[0], 8, &a));
	ASSERT_EQ(0, hcl_post(h[1], &p, NULL, 0, buf[1], 8, &b));
	/* The operations of each plan are numbered separately, so this operation, on another plan,
	 * does not change the answers below.
	 */
	ASSERT_EQ(0, hcl_post(h[1], &allsum, &one, 8, &sum, 8, NULL));
	EXPECT_EQ(true, missing(1, a, 1 << 5));
	EXPECT_EQ(true, missing(1, b, 1 << 5));
	ASSERT_EQ(0, hcl_bcast(h[5], 2, 5, "one", 4, 0, NULL));
	EXPECT_EQ(true, missing(1, a, 0));
	EXPECT_EQ(true, missing(1, b, 1 << 5));
	ASSERT_EQ(0, hcl_wait(h[1], a, NULL));
	EXPECT_EQ(true, missing(1, b, 1 << 5));
	p.flags = HYPERCUBE_F_NOTIFY;
	ASSERT_EQ(0, hcl_post(h[5], &p, "two", 4, NULL, 0, &a));
	EXPECT_EQ(0, hcl_pending_members(h[5], a, NULL, 0));
	EXPECT_EQ(true, missing(1, b, 0));
}

TEST(pending_members_fails_without_plan_or_fabric)
{
	struct hcl_params p = { .plan = 2, .collective = HYPERCUBE_BCAST };
	uint64_t in = 1, out, id, message;
	char text[256];
	int own;

	ASSERT_EQ(true, set_up_bcast());
	ASSERT_EQ(0, post(0, &sum64, &in, 8, &out, 8, &id));
	ASSERT_EQ(0, hcl_post(h[0], &p, NULL, 0, text, 8, &message));
	ASSERT_EQ(0, tool("tree del " FABRIC " plan 2"));
	EXPECT_EQ(-ENOENT, hcl_pending_members(h[0], message, NULL, 0));
	EXPECT_EQ(-ENOENT, hcl_failure(h[0])->status);
	EXPECT_EQ(0, strcmp("there is no such plan", hcl_explain(h[0], text, sizeof(text))));
	own = open("/proc/self/ns/net", O_RDONLY);
	ASSERT_EQ(0, unshare(CLONE_NEWNET));
	EXPECT_EQ(-ENODEV, hcl_pending_members(h[0], id, NULL, 0));
	EXPECT_EQ(-ENODEV, hcl_failure(h[0])->status);
	if (!strstr(hcl_explain(h[0], text, sizeof(text)), "fabric lib: No such fabric"))
		EXPECT_EQ(0, strcmp(text, "fabric lib: No such fabric"));
	/* An operation whose failure has arrived has ended, even if no call has reported the
	 * failure.
	 */
	ASSERT_EQ(0, setns(own, CLONE_NEWNET));
	EXPECT_EQ(true, missing(0, id, 0xfe));
	ASSERT_EQ(0, tool("tree del " FABRIC " plan 1"));
	EXPECT_EQ(0, hcl_pending_members(h[0], id, NULL, 0));
	EXPECT_EQ(-ESTALE, hcl_wait(h[0], id, NULL));
}

/* Return: true if the result @out has the right blocks of the @n nodes @node, in this order. The
 * blocks of nodes in the mask @but are missing, and are not checked.
 */
static bool blocks_right(const uint64_t *out, const uint32_t *node, int n, uint32_t but)
{
	int i;

	for (i = 0; i < n; i++)
		if (!(but >> node[i] & 1) && out[i] != 100 + node[i])
			return false;
	return true;
}

/* Plans of rings that repair themselves go on without node 3, which has not contributed. */
TEST(allgather_result_names_members_whose_blocks_are_missing)
{
	struct hcl_params p = { .plan = 2, .collective = HYPERCUBE_ALLGATHER };
	uint64_t in[NODES], out[NODES][NODES] = { 0 }, id[NODES], next[NODES];
	struct hypercube_result res;
	uint32_t node[NODES];
	unsigned int i;

	ASSERT_EQ(true, set_up());
	ASSERT_EQ(0, tool("ring plan fabric " FABRIC " apply plan 2 repair"));
	for (i = 0; i < NODES; i++) {
		in[i] = 100 + i;
		ASSERT_EQ(0, hcl_post(h[i], &p, &in[i], 8, out[i], 64, &id[i]));
	}
	for (i = 0; i < NODES; i++) {
		ASSERT_EQ(0, hcl_wait(h[i], id[i], &res));
		EXPECT_EQ(64, res.bytes);
		EXPECT_EQ(0, hcl_result_members(h[i], id[i], node, NODES));
	}
	memset(out, 0, sizeof(out));
	for (i = 0; i < NODES; i++) {
		if (i != 3)
			ASSERT_EQ(0, hcl_post(h[i], &p, &in[i], 8, out[i], 64, &id[i]));
	}
	EXPECT_EQ(true, missing(5, id[5], 1 << 3));
	EXPECT_EQ(0, hcl_result_members(h[5], id[5], node, NODES));
	ASSERT_EQ(0, tool("node set " FABRIC " 3 fail"));
	for (i = 0; i < NODES; i++) {
		if (i == 3)
			continue;
		ASSERT_EQ(-EHOSTUNREACH, hcl_wait(h[i], id[i], &res));
		EXPECT_EQ(3, res.cause_node);
		EXPECT_EQ(1, hcl_pending_members(h[i], id[i], node, NODES));
		EXPECT_EQ(3, node[0]);
		EXPECT_EQ(8, hcl_result_members(h[i], id[i], node, NODES));
		EXPECT_EQ(true, blocks_right(out[i], node, 8, 1 << 3));
		EXPECT_EQ(8, hcl_result_members(h[i], id[i], NULL, 0));
	}
	/* Later operations of the other members have the blocks of these seven members, and lack
	 * none.
	 */
	for (i = 0; i < NODES; i++)
		if (i != 3)
			ASSERT_EQ(0, hcl_post(h[i], &p, &in[i], 8, out[i], 64, &next[i]));
	for (i = 0; i < NODES; i++) {
		if (i == 3)
			continue;
		ASSERT_EQ(0, hcl_wait(h[i], next[i], &res));
		EXPECT_EQ(56, res.bytes);
		EXPECT_EQ(0, hcl_pending_members(h[i], next[i], node, NODES));
		EXPECT_EQ(7, hcl_result_members(h[i], next[i], node, NODES));
		EXPECT_EQ(true, blocks_right(out[i], node, 7, 0));
	}
	EXPECT_EQ(-EINVAL, hcl_result_members(h[0], next[0] + 1, NULL, 0));
	for (i = 0; i < NODES; i++)
		hcl_close(h[i]);
}

/* Return: true if a call at node @u has failed because its time limit expired, with the cause @node
 * and @dim, and the explanation is that of the time limit followed by @words.
 */
static bool stuck(unsigned int u, const struct hypercube_result *res, uint32_t node, uint32_t dim,
		  const char *words)
{
	char text[256], want[256] = "nothing moved within 1000 ms";

	if (*words)
		snprintf(want, sizeof(want), "nothing moved within 1000 ms: %s", words);
	hcl_explain(h[u], text, sizeof(text));
	if (res->status == -ETIMEDOUT && res->cause_node == node && res->cause_dim == dim &&
	    !strcmp(text, want))
		return true;
	printf("# status %d, cause %d:%d: %s\n", res->status, res->cause_node, res->cause_dim,
	       text);
	return false;
}

/* Wait for operation @id at node @u with a time limit of one second. */
static int wait_for(unsigned int u, uint64_t id, struct hypercube_result *res)
{
	hcl_set_timeout(h[u], 1000);
	return hcl_wait(h[u], id, res);
}

TEST(timeout_names_member_that_has_not_contributed)
{
	struct hypercube_result res;
	uint64_t in = 1, out[NODES], id[NODES];
	uint32_t node;
	unsigned int i;
	char text[256];

	ASSERT_EQ(true, set_up());
	for (i = 0; i < NODES; i++)
		if (i != 6)
			ASSERT_EQ(0, hcl_post(h[i], &allsum, &in, 8, &out[i], 8, &id[i]));
	for (i = 0; i < NODES; i++) {
		if (i == 6)
			continue;
		EXPECT_EQ(-ETIMEDOUT, wait_for(i, id[i], &res));
		EXPECT_EQ(true, stuck(i, &res, 6, UINT32_MAX, "node 6 has not contributed"));
		EXPECT_EQ(id[i], res.cookie);
		EXPECT_EQ(0, hcl_test(h[i], res.cookie));
	}
	EXPECT_EQ(0, strcmp("node 6 does not answer", hcl_describe(&res, text, sizeof(text))));
	/* After a blocking call has failed, hcl_pending_members() can still be called for its
	 * operation.
	 */
	hcl_set_timeout(h[6], 1000);
	EXPECT_EQ(0, hcl_set_timeout(h[2], 1000));
	EXPECT_EQ(-ETIMEDOUT, hcl_allreduce(h[2], &allsum, &in, 8, &out[0], 8, &res));
	EXPECT_EQ(true, stuck(2, &res, 6, UINT32_MAX, "node 6 has not contributed"));
	EXPECT_LE(2, hcl_pending_members(h[2], res.cookie, &node, 1));
	EXPECT_EQ(-ESHUTDOWN, hcl_flush(h[2]));
}

/* Members that have sent all their data wait for the root, so a timeout names the root. */
TEST(timeout_names_root_that_has_not_contributed)
{
	struct hcl_params p = sum64;
	struct hypercube_result res;
	uint64_t in = 1, id[NODES];
	unsigned int i;

	ASSERT_EQ(true, set_up());
	p.flags = HYPERCUBE_F_NOTIFY;
	for (i = 1; i < NODES; i++)
		ASSERT_EQ(0, hcl_post(h[i], &p, &in, 8, NULL, 0, &id[i]));
	EXPECT_EQ(-ETIMEDOUT, wait_for(7, id[7], &res));
	EXPECT_EQ(true, stuck(7, &res, 0, UINT32_MAX, "node 0 has not contributed"));
}

TEST(link_that_loses_all_frames_is_reported_before_timeout)
{
	struct hypercube_result res;
	uint64_t in = 1, out, id;
	char text[256];
	unsigned int i;

	ASSERT_EQ(true, set_up());
	ASSERT_EQ(0, tool("link set " FABRIC " 4:2 loss 100%"));
	for (i = 0; i < NODES; i++)
		ASSERT_EQ(0, post(i, &sum64, &in, 8, &out, 8, i ? NULL : &id));
	EXPECT_EQ(-ENOLINK, wait_for(0, id, &res));
	EXPECT_EQ(2, res.cause_dim);
	EXPECT_EQ(true, res.cause_node == 0 || res.cause_node == 4);
	hcl_describe(&res, text, sizeof(text));
	EXPECT_EQ(0, strcmp(":2 went down", text + strlen("link 0")));
}

TEST(timeout_names_silent_root_or_member_that_does_not_receive)
{
	static char buf[8 << 20];
	struct hcl_params p = { .plan = 2, .collective = HYPERCUBE_BCAST };
	struct hypercube_result res;
	char text[256];
	int rc;

	ASSERT_EQ(true, set_up_bcast());
	hcl_set_timeout(h[1], 1000);
	EXPECT_EQ(-ETIMEDOUT, hcl_bcast(h[1], 2, 5, buf, sizeof(buf), 0, &res));
	EXPECT_EQ(true, stuck(1, &res, 5, UINT32_MAX, "node 5 has not sent"));
	/* The source waits for the members that do not receive: all but node 1. */
	ASSERT_EQ(0, hcl_post(h[5], &p, buf, sizeof(buf), NULL, 0, NULL));
	/* Make progress until not only the buffer of the source is full, but also the windows to
	 * these members.
	 */
	while ((rc = hcl_progress(h[5], 1000)) > 0)
		;
	EXPECT_EQ(0, rc);
	hcl_set_timeout(h[1], 3000);
	EXPECT_EQ(-ETIMEDOUT, hcl_bcast(h[1], 2, 5, buf, sizeof(buf), 0, &res));
	EXPECT_EQ(-ETIMEDOUT, res.status);
	EXPECT_NE(1, res.cause_node);
	EXPECT_GT(NODES, res.cause_node);
	hcl_explain(h[1], text, sizeof(text));
	printf("# %s\n", text);
	EXPECT_NE(NULL, strstr(text, "does not receive"));
}

TEST(timeout_names_no_cause_in_namespace_without_fabric)
{
	struct hypercube_result res;
	uint64_t in = 1, out, id;

	ASSERT_EQ(true, set_up());
	ASSERT_EQ(0, post(0, &sum64, &in, 8, &out, 8, &id));
	ASSERT_EQ(0, unshare(CLONE_NEWNET));
	EXPECT_EQ(-ETIMEDOUT, wait_for(0, id, &res));
	EXPECT_EQ(true, stuck(0, &res, UINT32_MAX, UINT32_MAX, ""));
}

TEST_HARNESS_MAIN
