// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks with a replica at a second node: if a node fails, no task is lost; if no node fails, no
 * task is executed twice; and at the end no replica remains.
 *
 * Scheduling: shared long
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cube.h"
#include "ktap.h"
#include "task_calls.h"
#include "task_fixture.h"

#define REPEAT HYPERCUBE_TASK_IDEMPOTENT
#define COPIED (HYPERCUBE_TASK_IDEMPOTENT | HYPERCUBE_TASK_REPLICATED)

static char out[HYPERCUBE_TASK_MAX], in[HYPERCUBE_TASK_MAX];

/* Wait until all tasks except @others of them have a replica, and until there is no other replica.
 * Return: 0 or -ETIMEDOUT.
 */
static int copies_settle(const struct task_fixture *y, unsigned int others)
{
	uint64_t end = now_ms() + 1000 * (uint64_t)wait_secs(60);
	struct task_view sum;

	do {
		if (now_ms() > end)
			return -ETIMEDOUT;
		usleep(1000);
		sum = fixture_sum(y);
	} while (sum.moving || sum.copied != sum.queued + sum.held - others ||
		 sum.kept != sum.copied);
	return 0;
}

/* Wait until tasks take no more memory. Return: 0, -ETIMEDOUT, or -EBADMSG if replicas remain. */
static int bytes_settle(const struct task_fixture *y)
{
	uint64_t end = now_ms() + 1000 * (uint64_t)wait_secs(60);

	while (fixture_sum(y).bytes)
		if (now_ms() > end)
			return -ETIMEDOUT;
	return fixture_sum(y).kept || fixture_sum(y).copied ? -EBADMSG : 0;
}

/* Take all tasks that are left, and check that no replica remains. Return: number of errors. */
static unsigned int all_wrong(struct task_fixture *y)
{
	return fixture_wrong(y) + !!bytes_settle(y);
}

/* As all_wrong(), after nodes have failed: each task must be taken at least once. If it was taken n
 * times, at least n - 1 times it must have been marked as redelivered.
 */
static unsigned int some_wrong(struct task_fixture *y)
{
	unsigned int wrong = fixture_take(y), i;

	for (i = 0; i < y->n; i++)
		wrong += !y->taken[i] || y->repeated[i] + 1 < y->taken[i];
	return wrong + !!bytes_settle(y);
}

static int copies_fill(struct task_fixture *y, unsigned int n, unsigned int len)
{
	int err = 0;

	while (n-- && !err)
		err = fixture_put(y, below(y->c.nodes), 4 + below(len), COPIED);
	return err;
}

TEST_TASKS(task_is_replicated_if_producer_sets_the_flag, 1, 0)
{
	struct hypercube_task id;
	struct task_view v;

	EXPECT_EQ(-EINVAL, task_put(y->c.fd[0], "a", 1, HYPERCUBE_TASK_REPLICATED));
	EXPECT_EQ(-EINVAL, task_put(y->c.fd[0], "a", 1, COPIED | HYPERCUBE_TASK_REDELIVERED));
	EXPECT_EQ(-EINVAL, task_put(y->c.fd[0], "a", 1, COPIED | 8));
	EXPECT_EQ(0, task_put(y->c.fd[0], "a", 1, REPEAT));
	EXPECT_EQ(0, task_put(y->c.fd[0], "b", 1, COPIED));
	EXPECT_EQ(0, copies_settle(y, 1));
	EXPECT_EQ(0, task_view(y->c.name, 0, &v));
	EXPECT_EQ(1, v.copied);
	EXPECT_EQ(0, v.kept);
	EXPECT_EQ(0, task_view(y->c.name, 1, &v));
	EXPECT_EQ(1, v.kept);
	EXPECT_EQ(0, v.queued);
	/* No worker of node 1 gets the task of which node 1 has the replica. */
	EXPECT_EQ(-EAGAIN, task_take(y->c.fd[1], in, sizeof(in), &id, 0));
	EXPECT_EQ(1, task_take(y->c.fd[0], in, sizeof(in), &id, 0));
	EXPECT_EQ(REPEAT, id.flags);
	EXPECT_EQ(0, task_done(y->c.fd[0], &id));
	EXPECT_EQ(1, task_take(y->c.fd[0], in, sizeof(in), &id, 0));
	EXPECT_EQ(COPIED, id.flags);
	EXPECT_EQ(1, fixture_sum(y).kept);
	EXPECT_EQ(0, task_done(y->c.fd[0], &id));
	EXPECT_EQ(0, bytes_settle(y));
}

TEST(tasks_of_all_sizes_are_recovered_unchanged)
{
	struct hypercube_task id;
	unsigned int i, s;
	struct task_fixture y;

	for (s = 0; s < FIXTURE_SEGMENTS; s++) {
		ASSERT_EQ(0, fixture_new_of_sizes(&y, 2, s, COPIED, COPIED));
		/* The node of this worker fails. The task that the worker holds must be executed
		 * again.
		 */
		EXPECT_EQ(4, task_take(y.c.fd[1], in, sizeof(in), &id, 0));
		EXPECT_EQ(0, copies_settle(&y, 0));
		EXPECT_EQ(0, ctl_node_failed(y.c.name, 1, true));
		EXPECT_EQ(-ENOENT, task_done(y.c.fd[1], &id));
		EXPECT_EQ(0, copies_settle(&y, 0));
		EXPECT_EQ(FIXTURE_SIZES, fixture_sum(&y).recovered);
		EXPECT_EQ(0, fixture_sum(&y).lost + fixture_sum(&y).unresolved);
		EXPECT_EQ(0, all_wrong(&y));
		for (i = 0; i < y.n; i++)
			EXPECT_EQ(1, y.repeated[i]);
		EXPECT_EQ(0, fixture_del(&y));
	}
}

/* If a node fails, its tasks with a replica must be reported as recovered, and only its other tasks
 * as lost.
 */
TEST(tasks_of_failed_node_are_reported_recovered_or_lost)
{
	struct task_losses *l = calloc(1, sizeof(*l));
	unsigned int i, n = 200, kept = 0, wrong = 0;
	struct task_fixture y;
	struct nl nl;

	ASSERT_EQ(0, fixture_new(&y, 2, 0));
	ASSERT_EQ(0, nl_open(&nl));
	ASSERT_EQ(0, nl_subscribe(&nl));
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, fixture_put(&y, 3, 100, i % 3 ? COPIED : i % 2 ? REPEAT : 0));
		kept += !!(i % 3);
	}
	EXPECT_EQ(0, copies_settle(&y, n - kept));
	EXPECT_EQ(0, ctl_node_failed(y.c.name, 3, true));
	ASSERT_EQ(0, task_losses(&nl, l, n));
	EXPECT_EQ(n, l->n);
	for (i = 0; i < l->n; i++)
		if (l->id[i].nr % 3 == 1)
			wrong += l->loss[i] != HYPERCUBE_TASK_LOSS_NODE || l->node[i] != 3;
		else
			wrong += l->loss[i] != HYPERCUBE_TASK_LOSS_RECOVERED || l->node[i] == 3;
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(n - kept, fixture_sum(&y).lost);
	EXPECT_EQ(kept, fixture_sum(&y).recovered);
	EXPECT_EQ(0, fixture_take(&y));
	for (i = 0; i < n; i++)
		wrong += y.taken[i] != !!(i % 3);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, bytes_settle(&y));
	nl_shut(&nl);
	EXPECT_EQ(0, fixture_del(&y));
	free(l);
}

TEST(replicas_of_failed_node_are_made_again_at_another_node)
{
	struct task_losses *l = calloc(1, sizeof(*l));
	struct task_view v;
	struct task_fixture y;
	struct nl nl;

	ASSERT_EQ(0, fixture_new(&y, 2, 0));
	ASSERT_EQ(0, nl_open(&nl));
	ASSERT_EQ(0, nl_subscribe(&nl));
	ASSERT_EQ(0, ctl_link_down(y.c.name, 0, 1, true));
	while (y.n < 50)
		ASSERT_EQ(0, fixture_put(&y, 0, 100, COPIED));
	EXPECT_EQ(0, copies_settle(&y, 0));
	ASSERT_EQ(0, ctl_link_down(y.c.name, 0, 1, false));
	EXPECT_EQ(0, ctl_node_failed(y.c.name, 1, true));
	EXPECT_EQ(0, copies_settle(&y, 0));
	EXPECT_EQ(0, task_view(y.c.name, 2, &v));
	EXPECT_EQ(50, v.kept);
	EXPECT_EQ(0, fixture_sum(&y).lost + fixture_sum(&y).recovered);
	/* Nodes 0 and 2 have the tasks and their replicas. When both have failed, the tasks are
	 * lost.
	 */
	EXPECT_EQ(0, ctl_node_failed(y.c.name, 3, true));
	EXPECT_EQ(0, ctl_node_failed(y.c.name, 0, true));
	EXPECT_EQ(0, ctl_node_failed(y.c.name, 2, true));
	ASSERT_EQ(0, task_losses(&nl, l, 100));
	EXPECT_EQ(100, l->count);
	EXPECT_EQ(50, fixture_sum(&y).lost);
	EXPECT_EQ(0, fixture_take(&y));
	EXPECT_EQ(0, fixture_sum(&y).queued);
	EXPECT_EQ(0, bytes_settle(&y));
	nl_shut(&nl);
	EXPECT_EQ(0, fixture_del(&y));
	free(l);
}

TEST_TASKS(node_without_links_has_no_replica_until_a_link_recovers, 1, 0)
{
	ASSERT_EQ(0, ctl_link_down(y->c.name, 0, 0, true));
	ASSERT_EQ(0, fixture_put(y, 0, 100, COPIED));
	EXPECT_EQ(0, fixture_sum(y).copied);
	ASSERT_EQ(0, ctl_link_down(y->c.name, 0, 0, false));
	EXPECT_EQ(0, copies_settle(y, 0));
	/* A replica behind a failed link is kept as long as no other node can hold a replica. */
	ASSERT_EQ(0, ctl_link_down(y->c.name, 0, 0, true));
	usleep(20000);
	EXPECT_EQ(1, fixture_sum(y).kept);
	EXPECT_EQ(0, ctl_node_failed(y->c.name, 0, true));
	EXPECT_EQ(0, fixture_settle(y, 10));
	EXPECT_EQ(1, fixture_sum(y).recovered);
	EXPECT_EQ(0, all_wrong(y));
}

/* After a link failure another node holds the replicas. The node with the old replicas is notified
 * over a path around the fault that it may drop them.
 */
TEST_TASKS(replicas_move_to_another_node_after_link_failure, 2, 0)
{
	struct task_view v[4];
	unsigned int u;

	ASSERT_EQ(0, ctl_link_down(y->c.name, 0, 1, true));
	while (y->n < 100)
		ASSERT_EQ(0, fixture_put(y, 0, 1000, COPIED));
	EXPECT_EQ(0, copies_settle(y, 0));
	ASSERT_EQ(0, ctl_link_down(y->c.name, 0, 1, false));
	ASSERT_EQ(0, ctl_link_down(y->c.name, 0, 0, true));
	EXPECT_EQ(0, copies_settle(y, 0));
	for (u = 0; u < 4; u++)
		EXPECT_EQ(0, task_view(y->c.name, u, &v[u]));
	EXPECT_EQ(0, v[1].kept + v[3].kept);
	EXPECT_EQ(100, v[2].kept);
	EXPECT_EQ(0, v[1].bytes);
	EXPECT_EQ(0, all_wrong(y));
}

/* When a task has migrated, the node that it has left holds its replica from then on. */
TEST(migrated_tasks_survive_failure_of_either_node)
{
	unsigned int round;
	struct task_fixture y;

	for (round = 0; round < scaled(20); round++) {
		ASSERT_EQ(0, fixture_new(&y, 2, 512));
		while (y.n < 40)
			ASSERT_EQ(0, fixture_put(&y, 0, 4 + below(3000), COPIED));
		EXPECT_EQ(0, copies_settle(&y, 0));
		EXPECT_EQ(0, task_move(y.c.name, 0, 0, 30));
		usleep(below(3000));
		EXPECT_EQ(0, ctl_node_failed(y.c.name, round % 2, true));
		EXPECT_EQ(0, copies_settle(&y, 0));
		EXPECT_EQ(0, fixture_sum(&y).lost + fixture_sum(&y).unresolved);
		EXPECT_EQ(0, some_wrong(&y));
		EXPECT_EQ(0, fixture_del(&y));
	}
}

TEST_TASKS(full_node_holds_no_replicas_until_memory_is_freed, 1, 0)
{
	struct hypercube_task id;
	unsigned int n;

	n = fixture_stuff(y, 1);
	EXPECT_LE(64, n);
	ASSERT_EQ(0, fixture_put(y, 0, 100, COPIED));
	usleep(300000);
	EXPECT_EQ(0, fixture_sum(y).copied + fixture_sum(y).kept);
	while (n--) {
		EXPECT_EQ(sizeof(in), task_take(y->c.fd[1], in, sizeof(in), &id, 0));
		EXPECT_EQ(0, task_done(y->c.fd[1], &id));
	}
	EXPECT_EQ(0, copies_settle(y, 0));
	EXPECT_EQ(0, all_wrong(y));
}

/* Replicas of tasks of other nodes take at most half of a node's memory for tasks, so there is
 * space for tasks of the node itself.
 */
TEST_TASKS(replicas_leave_memory_for_tasks_of_the_node_itself, 1, 0)
{
	uint64_t end = now_ms() + 1000 * (uint64_t)wait_secs(60);
	struct task_view v;

	while (y->n < 200)
		ASSERT_EQ(0, fixture_put(y, 0, sizeof(out), COPIED));
	do {
		ASSERT_EQ(0, task_view(y->c.name, 1, &v));
		ASSERT_LE(now_ms(), end);
	} while (v.bytes < 7 << 20);
	usleep(300000);
	ASSERT_EQ(0, task_view(y->c.name, 1, &v));
	EXPECT_GT(9 << 20, v.bytes);
	EXPECT_GT(200, v.kept);
	ASSERT_EQ(0, fixture_put(y, 1, sizeof(out), 0));
	EXPECT_EQ(0, all_wrong(y));
}

TEST_TASKS(tasks_done_during_replication_leave_no_replicas, 2, 512)
{
	const struct impairments bad = {
		.delay = 2000000, .jitter = 2000000, .loss = 100000, .duplicate = 100000, .seed = 4,
	};
	unsigned int i, round, wrong = 0;
	struct hypercube_task id;

	ASSERT_EQ(0, fixture_impair(y, &bad));
	for (round = 0; round < scaled(30); round++) {
		for (i = 0; i < 10; i++)
			wrong += !!task_put(y->c.fd[i % 4], out, 1500, COPIED);
		usleep(below(8000));
		for (i = 0; i < 10; i++) {
			wrong += task_take(y->c.fd[i % 4], in, sizeof(in), &id, 0) != 1500;
			wrong += !!task_done(y->c.fd[i % 4], &id);
		}
	}
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, bytes_settle(y));
	EXPECT_EQ(0, fixture_sum(y).recovered);
}

TEST_TASKS(flapping_links_cause_no_loss_or_second_execution, 3, 512)
{
	const struct impairments bad = {
		.loss = 20000, .seed = 8, .delay = 100000, .jitter = 100000,
	};
	unsigned int i;

	ASSERT_EQ(0, ctl_stall_timeout(y->c.name, 0));
	ASSERT_EQ(0, copies_fill(y, 200, 3000));
	ASSERT_EQ(0, fixture_impair(y, &bad));
	for (i = 0; i < scaled(300); i++) {
		task_move(y->c.name, below(8), below(3), 1 + below(8));
		fixture_flap(y);
	}
	EXPECT_EQ(0, copies_settle(y, 0));
	EXPECT_EQ(0, fixture_sum(y).lost + fixture_sum(y).unresolved + fixture_sum(y).repeated);
	EXPECT_EQ(0, fixture_sum(y).recovered);
	EXPECT_EQ(0, all_wrong(y));
	for (i = 0; i < y->n; i++)
		EXPECT_EQ(0, y->repeated[i]);
}

/* Nodes fail one after another, and each recovers before the next one fails. When a node fails,
 * workers hold some of its tasks, and other tasks are migrating. No task with a replica is lost.
 */
TEST_TASKS(replicated_tasks_survive_failures_of_single_nodes, 3, 512)
{
	const struct impairments bad = {
		.delay = 200000, .jitter = 200000, .loss = 10000, .seed = 3,
	};
	unsigned int round, i, node;
	struct hypercube_task id;
	struct task_view sum;

	ASSERT_EQ(0, ctl_stall_timeout(y->c.name, 0));
	ASSERT_EQ(0, fixture_impair(y, &bad));
	for (round = 0; round < scaled(60); round++) {
		ASSERT_EQ(0, copies_fill(y, 10, 3000));
		for (i = 0; i < 8; i++)
			task_move(y->c.name, below(8), below(3), 1 + below(4));
		ASSERT_EQ(0, copies_settle(y, 0));
		for (i = 0; i < 4; i++)
			task_move(y->c.name, below(8), below(3), 1 + below(4));
		node = below(8);
		task_take(y->c.fd[node], in, sizeof(in), &id, 0);
		usleep(below(2000));
		EXPECT_EQ(0, ctl_node_failed(y->c.name, node, true));
		if (round % 2)
			ASSERT_EQ(0, copies_settle(y, 0));
		EXPECT_EQ(0, ctl_node_failed(y->c.name, node, false));
		ASSERT_EQ(0, copies_settle(y, 0));
	}
	sum = fixture_sum(y);
	printf("# %u tasks, %llu handovers, %llu revived\n", y->n, (unsigned long long)sum.sent,
	       (unsigned long long)sum.recovered);
	EXPECT_EQ(0, sum.lost + sum.unresolved);
	EXPECT_EQ(0, some_wrong(y));
}

static int copies_some(struct task_fixture *y)
{
	return copies_fill(y, 60, 3000);
}

/* A node fails. Then the node that holds its replicas fails while it puts their tasks into its own
 * queue. Each task is reported as lost once.
 */
TEST(task_is_reported_lost_once_when_replica_node_fails_too)
{
	struct task_losses *l = calloc(1, sizeof(*l));
	unsigned int round, i, n = 0, wrong = 0;
	uint64_t recovered, before = 0;
	unsigned char *lost;
	struct task_fixture y;
	struct nl nl;

	ASSERT_EQ(0, fixture_new(&y, 1, 0));
	ASSERT_EQ(0, nl_open(&nl));
	ASSERT_EQ(0, nl_subscribe(&nl));
	for (round = 0; round < scaled(10); round++) {
		for (i = 0; i < 300; i++)
			ASSERT_EQ(0, fixture_put(&y, 0, 100, COPIED));
		EXPECT_EQ(0, copies_settle(&y, 0));
		EXPECT_EQ(0, ctl_node_failed(y.c.name, 0, true));
		usleep(below(1000));
		EXPECT_EQ(0, ctl_node_failed(y.c.name, 1, true));
		EXPECT_EQ(0, ctl_node_failed(y.c.name, 0, false));
		EXPECT_EQ(0, ctl_node_failed(y.c.name, 1, false));
		EXPECT_EQ(0, bytes_settle(&y));
		n += 300;
		EXPECT_EQ(n, fixture_sum(&y).lost);
		recovered = fixture_sum(&y).recovered - before;
		before += recovered;
		l->n = 0;
		l->count = 0;
		ASSERT_EQ(0, task_losses(&nl, l, 300 + recovered));
		lost = calloc(1, n + 1);
		for (i = 0; i < l->n; i++)
			if (l->loss[i] == HYPERCUBE_TASK_LOSS_NODE)
				wrong += l->id[i].nr > n || lost[l->id[i].nr]++;
		for (i = n - 299; i <= n; i++)
			wrong += lost[i] != 1;
		free(lost);
	}
	EXPECT_EQ(0, wrong);
	printf("# %u tasks, %llu revived before\n", n, (unsigned long long)before);
	nl_shut(&nl);
	EXPECT_EQ(0, fixture_del(&y));
	free(l);
}

TEST(fabric_can_be_removed_during_replication)
{
	unsigned int round;
	struct task_fixture y;

	for (round = 0; round < scaled(20); round++) {
		ASSERT_EQ(0, fixture_bustling(&y, copies_some));
		if (round % 2)
			ctl_node_failed(y.c.name, below(8), true);
		EXPECT_EQ(0, fixture_del(&y));
	}
}

TEST_HARNESS_MAIN
