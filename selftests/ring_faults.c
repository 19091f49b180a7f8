// SPDX-License-Identifier: GPL-2.0
/*
 * Faults of plans of rings: failed links and nodes, closed sockets, contributions that do not
 * match, losses and silent members. Operations end with definite errors at every member, and the
 * next operations succeed. Invalid plans are refused by the verifier.
 *
 * Scheduling: shared
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ktap.h"
#include "rings.h"

#define PLAN 1

/* Events that the tests cause while operations are under way: a link fails, a node fails, a socket
 * is closed, or the plan is removed.
 */
enum blow { LINK, NODE, CLOSE, REMOVE };

/* Return: true if the event @how may cause the error that a member got. */
static bool fair_error(const struct job *j, enum blow how)
{
	switch (how) {
	case LINK:
		/* The node at the other end of the link may be the first to notice the fault. */
		return j->res.status == -ENOLINK || j->res.status == -EHOSTUNREACH;
	case NODE:
		return j->res.status < 0;
	case CLOSE:
		return (j->res.status == -ECONNRESET || j->res.status == -ECANCELED) &&
		       j->res.cause_node == 10;
	default:
		return j->res.status == -ESTALE;
	}
}

/* Return: true if operation @k has ended at member @i with the right result, with an error that the
 * event @b->how may cause, or not at all.
 */
static bool fair(const struct begun *b, unsigned int i, unsigned int k)
{
	const struct job *j = &b->p[i].job[k];

	if (j->ends && !j->res.status)
		return gather_right(b->p, b->node, b->n, i, k, b->size);
	return !j->ends || fair_error(j, b->how);
}

/* Cause the event @how at a node of the ring @r. */
static void strike(struct __test_metadata *_metadata, struct cube *c, struct party *p,
		   const unsigned int *node, unsigned int n, enum blow how, const struct rings *r)
{
	unsigned int i, u = r->node[3], d;

	switch (how) {
	case LINK:
		d = (unsigned int)__builtin_ctz(u ^ r->node[4]);
		ASSERT_EQ(0, cube_fail_link(c, u, d));
		break;
	case NODE:
		ASSERT_EQ(0, cube_fail_node(c, 10));
		break;
	case CLOSE:
		cube_close(c, 10);
		for (i = 0; i < n; i++)
			if (node[i] == 10)
				p[i].fd = -1;
		break;
	case REMOVE:
		ASSERT_EQ(0, ctl_plan_del(c->name, PLAN));
		break;
	}
}

/* An event occurs while many operations are under way. Every member is notified of every end,
 * operations that succeed have right results, and a new plan works. @width: greatest number of
 * nodes of a ring; @bytes: length of a block.
 */
static void blow(struct __test_metadata *_metadata, enum blow how, unsigned int width, size_t bytes,
		 bool notify)
{
	const unsigned int njobs = bytes > 8 ? 5 : 100;
	unsigned int node[CUBE_MAX], n, i, k;
	struct party p[CUBE_MAX];
	struct rings_steps s;
	struct rings r;
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, 4, 0));
	if (width)
		rings_random(&r, &c, 5, width);
	else
		rings_gray(&r, 4);
	ASSERT_EQ(0, cube_rings(&c, PLAN, &r));
	n = parties(&c, p, node, njobs);
	for (k = 0; k < njobs; k++)
		gather_fill(p, node, n, k, PLAN, bytes, notify);
	for (k = 0; k < 3; k++)
		drive_some(p, n, 5);
	if (how == CLOSE)
		EXPECT_TRUE(cube_all_begun(&c, PLAN));
	strike(_metadata, &c, p, node, n, how, &r);
	/* If there are few operations, the member whose socket is closed may have contributed to
	 * all of them, so that none fails.
	 */
	EXPECT_LE(how != CLOSE || njobs > 5,
		  drive_blown(&c, &(struct begun){ how, p, node, n, bytes }, fair));
	parties_done(p, n, njobs);
	/* The members have begun different numbers of operations, so bind all sockets again. */
	for (i = 0; i < c.nodes; i++)
		cube_close(&c, i);
	ASSERT_EQ(0, cube_bind_all(&c));
	rings_random(&r, &c, 0, 5);
	ASSERT_EQ(0, cube_rings(&c, PLAN, &r));
	EXPECT_TRUE(gather_run(&c, PLAN, 2, 8, true, &s));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(link_fault_ends_operations_on_one_ring_and_new_plan_works)
{
	blow(_metadata, LINK, 0, 8, false);
	blow(_metadata, LINK, 0, 8, true);
	blow(_metadata, LINK, 0, 1 << 16, false);
}

TEST(link_fault_ends_operations_on_tree_of_rings_and_new_plan_works)
{
	unsigned int w;

	for (w = 5; w <= 8; w++)
		blow(_metadata, LINK, w, w & 1 ? 8 : 1 << 16, w & 2);
}

TEST(node_fault_ends_operations_under_way_and_new_plan_works)
{
	blow(_metadata, NODE, 0, 8, true);
	blow(_metadata, NODE, 0, 1 << 16, false);
	blow(_metadata, NODE, 3, 8, true);
	blow(_metadata, NODE, 4, 1 << 16, false);
}

TEST(closed_socket_ends_operations_under_way_and_new_plan_works)
{
	blow(_metadata, CLOSE, 0, 8, true);
	blow(_metadata, CLOSE, 0, 1 << 16, false);
	blow(_metadata, CLOSE, 3, 8, false);
	blow(_metadata, CLOSE, 4, 1 << 16, true);
}

TEST(plan_removal_ends_operations_under_way_and_new_plan_works)
{
	blow(_metadata, REMOVE, 0, 8, false);
	blow(_metadata, REMOVE, 4, 1 << 16, true);
}

static const struct hypercube_op eight = {
	.plan = PLAN, .collective = HYPERCUBE_ALLGATHER, .bytes = 8,
};

/* A process leaves after it has contributed. Its contribution remains valid, and the other
 * processes get their results.
 */
TEST(contribution_remains_valid_after_its_process_leaves)
{
	uint64_t one = 1;
	struct cube c;
	unsigned int u;

	ASSERT_EQ(0, cube_rings_ready(&c, PLAN, 3, 0));
	for (u = 0; u < 7; u++)
		ASSERT_EQ(8, shc_send(c.fd[u], &eight, &one, 8, 0));
	cube_close(&c, 3);
	ASSERT_EQ(8, shc_send(c.fd[7], &eight, &one, 8, 0));
	for (u = 0; u < 8; u++)
		EXPECT_EQ(0, u == 3 ? 0 : shc_ended(c.fd[u]));
	EXPECT_EQ(0, cube_del(&c));
}

/* If members pass different lengths, all of them get an error. */
TEST(different_lengths_fail_operation_at_all_members)
{
	unsigned int node[CUBE_MAX], n;
	struct party p[CUBE_MAX];
	struct rings_steps s;
	struct cube c;

	ASSERT_EQ(0, cube_rings_ready(&c, PLAN, 3, 0));
	ASSERT_TRUE(gather_run(&c, PLAN, 1, 8, false, &s));
	n = parties(&c, p, node, 1);
	gather_fill(p, node, n, 0, PLAN, 16, false);
	p[5].job[0].op.bytes = 8;
	EXPECT_EQ(0, drive_refused(p, n, -EPROTO));
	parties_done(p, n, 1);
	EXPECT_EQ(0, cube_del(&c));
}

/* If a member does not contribute, all others are blocked, and each of them reports the peer for
 * which it waits ("op show").
 */
TEST(op_show_names_member_that_has_not_contributed)
{
	uint64_t one = 1;
	struct wait_view v;
	struct cube c;
	unsigned int u;

	ASSERT_EQ(0, cube_rings_ready(&c, PLAN, 3, 0));
	for (u = 0; u < 8; u++)
		if (u != 6)
			ASSERT_EQ(8, shc_send(c.fd[u], &eight, &one, 8, 0));
	/* In the order of the Gray code, node 6 follows node 2, and node 7 follows node 6. */
	for (u = 0; u < 1000 * (unsigned int)wait_secs(5); u++) {
		ASSERT_EQ(0, ctl_op_get(c.name, PLAN, 7, &v));
		if (v.wait == HYPERCUBE_WAIT_PEER && v.peer == 6)
			break;
		usleep(1000);
	}
	EXPECT_EQ(HYPERCUBE_WAIT_PEER, v.wait);
	EXPECT_EQ(6, v.peer);
	ASSERT_EQ(0, ctl_op_get(c.name, PLAN, 6, &v));
	EXPECT_EQ(0, v.next);
	ASSERT_EQ(8, shc_send(c.fd[6], &eight, &one, 8, 0));
	for (u = 0; u < 8; u++)
		EXPECT_EQ(0, shc_ended(c.fd[u]));
	EXPECT_EQ(0, cube_del(&c));
}

/* --- plans that must be refused --- */

static int install(const struct cube *c, const struct rings *r)
{
	return ctl_ring_new(c->name, PLAN, &r->tree, c->faults->fault, c->dim);
}

TEST(invalid_ring_plans_are_refused)
{
	static const uint16_t gap[] = { 0, 1, 2, 3 };
	static const uint16_t twice[] = { 0, 1, 3, 1 };
	static const uint16_t strange[] = { 0, 1, 3, 9 };
	struct rings r;
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 3, 0));
	rings_one(&r, gap, 4);
	EXPECT_EQ(-EINVAL, install(&c, &r));
	EXPECT_NE(NULL, strstr(ctl()->extack, "no healthy link"));
	rings_one(&r, twice, 4);
	EXPECT_EQ(-EINVAL, install(&c, &r));
	rings_one(&r, strange, 4);
	EXPECT_EQ(-EINVAL, install(&c, &r));
	rings_gray(&r, 3);
	r.ring[0].size = 9;
	EXPECT_EQ(-EINVAL, install(&c, &r));
	r.ring[0].size = 0;
	EXPECT_EQ(-EINVAL, install(&c, &r));
	r.ring[0].size = ~0U;
	EXPECT_EQ(-EINVAL, install(&c, &r));
	r.ring[0].size = 8;
	r.tree.nnodes = 0;
	EXPECT_EQ(-EINVAL, install(&c, &r));
	r.tree.nnodes = 8;
	r.tree.nrings = 0;
	EXPECT_EQ(-EINVAL, install(&c, &r));
	r.tree.nrings = 1;
	EXPECT_EQ(0, install(&c, &r));
	/* Fail the link between nodes 3 and 2, which the ring uses. */
	ASSERT_EQ(0, cube_fail_link(&c, r.node[2], 0));
	usleep(100000);
	EXPECT_EQ(-EINVAL, install(&c, &r));
	EXPECT_EQ(0, cube_del(&c));
}

/* Change plans at random: either the kernel refuses a plan and gives a reason, or the plan works.
 */
TEST(mutated_plans_are_refused_or_work)
{
	unsigned int i, refused = 0;
	struct rings_steps s;
	struct rings r;
	struct cube c;

	ASSERT_EQ(0, cube_bound(&c, 4, 0));
	for (i = 0; i < scaled(300); i++) {
		rings_random(&r, &c, below(16), 2 + below(8));
		switch (below(4)) {
		case 0:
			r.node[below(r.tree.nnodes)] ^= (uint16_t)(1 << below(4));
			break;
		case 1:
			r.ring[below(r.tree.nrings)].size += below(3) - 1;
			break;
		case 2:
			r.ring[below(r.tree.nrings)].parent = (uint16_t)below(r.tree.nrings + 1);
			break;
		default:
			r.tree.nnodes -= below(2);
		}
		if (install(&c, &r)) {
			refused += !!ctl()->extack[0];
			continue;
		}
		ASSERT_EQ(0, cube_rings(&c, PLAN, &r));
		EXPECT_TRUE(gather_run(&c, PLAN, 1, 8, true, &s));
		refused++;
	}
	EXPECT_EQ(scaled(300), refused);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
