// SPDX-License-Identifier: GPL-2.0
/*
 * Receiver-initiated diffusion: nodes with too few tasks request some from their neighbours, many
 * nodes at the same time, and while rounds of other methods run. Every wait ends, and every task is
 * in exactly one queue. task_rounds.c tests that nodes get as many tasks as the planner computes.
 *
 * Scheduling: shared
 */
#include <errno.h>
#include <string.h>

#include "cube.h"
#include "ktap.h"
#include "round_calls.h"
#include "task_fixture.h"

#define RID	HYPERCUBE_BALANCE_RID

/* All nodes request tasks from all their neighbours at the same time. */
TEST_TASKS(no_task_is_lost_when_all_nodes_request_tasks_at_once, 4, 0)
{
	struct task_view sum;
	unsigned int u, k;
	struct nl nl[16];

	ASSERT_EQ(0, nl_open_all(nl, 16));
	for (k = 0; k < scaled(10); k++) {
		for (u = 0; u < 100; u++)
			ASSERT_EQ(0, fixture_put(y, k % 16, 8, 0));
		EXPECT_EQ(0, rounds_at_once(nl, 16, y->c.name, RID, 5));
	}
	EXPECT_EQ(0, fixture_settle(y, 10));
	sum = fixture_sum(y);
	EXPECT_LE(1, sum.sent);
	EXPECT_EQ(sum.sent, sum.received);
	EXPECT_EQ(0, fixture_wrong(y));
	nl_shut_all(nl, 16);
}

/* Put @had[u] tasks at each node u, and run a round of node 0, after which each node must have
 * @has[u] tasks.
 */
static void share(struct __test_metadata *_metadata, struct task_fixture *y,
		  const unsigned int *had, const unsigned int *has, struct round_view *v)
{
	struct task_view view;
	unsigned int u, i;

	for (u = 0; u < y->c.nodes; u++)
		for (i = 0; i < had[u]; i++)
			ASSERT_EQ(0, fixture_put(y, u, 8, 0));
	EXPECT_EQ(0, round_run(y->c.name, RID, 0, v));
	EXPECT_EQ(0, v->status);
	for (u = 0; u < y->c.nodes; u++) {
		EXPECT_EQ(0, task_view(y->c.name, u, &view));
		EXPECT_EQ(has[u], view.queued);
	}
	EXPECT_EQ(0, fixture_wrong(y));
}

/* Neighbours 1, 2 and 4 have 5, 3 and 10 tasks, so node 0 has 4.5 fewer than the average of itself
 * and these. It requests 4 tasks; the neighbours' shares are 1.25, 0.75 and 2.5.
 */
TEST_TASKS(node_requests_tasks_in_proportion_to_loads_of_neighbours, 3, 0)
{
	static const unsigned int had[8] = { 0, 5, 3, 7, 10, 7, 7, 7 };
	static const unsigned int has[8] = { 4, 4, 2, 7, 8, 7, 7, 7 };
	struct round_view v;

	share(_metadata, y, had, has, &v);
	EXPECT_EQ(4, v.members);
	EXPECT_EQ(4, v.moved);
}

/* The share of each neighbour is less than one task, but the requesting node gets a task
 * nevertheless.
 */
TEST_TASKS(idle_node_gets_one_task_when_each_share_is_below_one_task, 2, 0)
{
	static const unsigned int had[4] = { 0, 1, 2, 2 }, has[4] = { 1, 1, 1, 2 };
	struct round_view v;

	share(_metadata, y, had, has, &v);
	EXPECT_EQ(1, v.moved);
}

/* A node sends requests only over usable links. A node without usable links sends none. */
TEST_TASKS(task_requests_are_sent_over_usable_links_only, 3, 0)
{
	struct round_view v;

	EXPECT_EQ(0, ctl_link_down(y->c.name, 0, 0, true));
	EXPECT_EQ(0, round_run(y->c.name, RID, 0, &v));
	EXPECT_EQ(0, v.status);
	EXPECT_EQ(3, v.members);
	EXPECT_EQ(0, ctl_node_failed(y->c.name, 2, true));
	EXPECT_EQ(0, ctl_node_failed(y->c.name, 4, true));
	EXPECT_EQ(0, round_run(y->c.name, RID, 0, &v));
	EXPECT_EQ(0, v.status);
	EXPECT_EQ(1, v.members);
}

/* Return: true if a round has failed with an error that no fault causes. */
static bool odd(const struct round_view *v)
{
	return v->status && v->status != -ENOLINK && v->status != -EHOSTDOWN;
}

TEST_TASKS(no_task_is_lost_when_links_fail_during_concurrent_rounds, 4, 512)
{
	unsigned int failed = 0, rounds = 0, u, k, wrong = 0;
	struct round_view v;
	struct task_view sum;
	struct nl nl[16];

	ASSERT_EQ(0, ctl_stall_timeout(y->c.name, 0));
	ASSERT_EQ(0, nl_open_all(nl, 16));
	fixture_fill(y, 600);
	/* Continue until a round has failed because of a link fault. The faults are random. */
	for (k = 0; k < 2000 && (fixture_sum(y).sent < scaled(10000) || !failed); k++) {
		/* Make the loads uneven for the next rounds. */
		for (u = 0; u < 4; u++)
			task_move(y->c.name, below(16), below(4), 50 + below(100));
		for (u = 0; u < 16; u++)
			wrong += !!round_begin(&nl[u], y->c.name,
					       u % 8 ? RID : HYPERCUBE_BALANCE_DEM, u);
		fixture_flap(y);
		for (u = 0; u < 16; u++, rounds++) {
			wrong += !!round_end(&nl[u], &v) || odd(&v);
			failed += !!v.status;
		}
	}
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, fixture_settle(y, 30));
	sum = fixture_sum(y);
	printf("# %llu handovers of %u tasks, %u of %u rounds failed\n",
	       (unsigned long long)sum.sent, y->n, failed, rounds);
	EXPECT_LE(scaled(10000), sum.sent);
	EXPECT_LE(1, failed);
	EXPECT_EQ(sum.sent, sum.received);
	EXPECT_EQ(y->n, sum.queued);
	EXPECT_EQ(0, sum.lost + sum.unresolved + sum.repeated);
	EXPECT_EQ(0, fixture_wrong(y));
	nl_shut_all(nl, 16);
}

/* All frames from node 1 to node 0 are lost, so the link goes down. This does not affect a round of
 * node 7.
 */
TEST(link_that_delivers_no_frames_ends_round_with_enolink)
{
	struct round_view v;
	struct task_fixture y;

	ASSERT_EQ(0, round_new_deaf(&y, RID, 0, &v));
	EXPECT_EQ(-ENOLINK, v.status);
	EXPECT_EQ(0, v.cause_node);
	EXPECT_EQ(0, v.cause_dim);
	EXPECT_EQ(0, round_run_deaf(y.c.name, RID, 7, &v));
	EXPECT_EQ(0, v.status);
	EXPECT_EQ(0, round_run(y.c.name, RID, 0, &v));
	EXPECT_EQ(0, v.status);
	EXPECT_EQ(0, fixture_settle(&y, 10));
	EXPECT_EQ(0, fixture_wrong(&y));
	EXPECT_EQ(0, fixture_del(&y));
}

/* The node that requests tasks, or one of the neighbours that it has asked, fails, before or after
 * tasks have migrated.
 */
TEST_TASKS(round_ends_and_no_task_is_taken_twice_when_node_fails, 3, 512)
{
	const struct impairments slow = { .delay = 500000, .seed = 1 };
	unsigned int i, node, failed = 0, wrong = 0;
	struct task_view sum;
	struct round_view v;
	struct nl nl;
	int err;

	ASSERT_EQ(0, fixture_impair(y, &slow));
	ASSERT_EQ(0, nl_open(&nl));
	for (i = 0; i < scaled(60); i++) {
		fixture_fill(y, 40);
		task_move(y->c.name, 0, i % 3, 100);
		wrong += !!round_begin(&nl, y->c.name, RID, 0);
		usleep(below(4000));
		/* node 0, 1, 2 or 4 */
		node = 1u << i % 4 & 7;
		ctl_node_failed(y->c.name, node, true);
		err = round_end(&nl, &v);
		if (err || odd(&v)) {
			printf("# error %d, status %d by %u:%u, while %u died\n", err, v.status,
			       v.cause_node, v.cause_dim, node);
			wrong++;
		}
		failed += !err && v.status;
		ctl_node_failed(y->c.name, node, false);
	}
	EXPECT_EQ(0, fixture_settle(y, 30));
	sum = fixture_sum(y);
	printf("# %u of %u rounds failed, %llu tasks lost, %llu in doubt\n", failed, i,
	       (unsigned long long)sum.lost, (unsigned long long)sum.unresolved);
	EXPECT_EQ(0, wrong);
	EXPECT_LE(1, failed);
	EXPECT_EQ(0, fixture_take(y));
	for (i = 0, wrong = 0; i < y->n; i++)
		wrong += y->taken[i] > 1;
	EXPECT_EQ(0, wrong);
	nl_shut(&nl);
}

/* If nodes find no tasks at their neighbours, they begin rounds less and less often, and these
 * rounds do not fill the history of rounds.
 */
TEST_TASKS(rounds_become_rare_when_neighbours_have_no_tasks, 3, 0)
{
	struct balance_view b;

	ASSERT_EQ(0, balance_set(y->c.name, RID, 0, ROUND_ANY));
	EXPECT_LE(8 * 2, rounds_in(y->c.name, 3));
	EXPECT_GE(8 * 3, rounds_in(y->c.name, 2));
	EXPECT_EQ(0, balance_view(y->c.name, &b));
	EXPECT_EQ(0, b.n);
	EXPECT_EQ(0, b.failed);
}

TEST_HARNESS_MAIN
