// SPDX-License-Identifier: GPL-2.0
/*
 * Task migration from node to node. Whatever happens during a migration, each task is in exactly
 * one queue: every task has a different number, and at the end the task with each number was either
 * taken once or lost.
 *
 * Scheduling: shared
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cube.h"
#include "ktap.h"
#include "task_calls.h"
#include "task_fixture.h"

#define REPEAT HYPERCUBE_TASK_IDEMPOTENT

static char in[HYPERCUBE_TASK_MAX];

/* Migrate tasks at random until the number of migrations is at least @target; call @meanwhile, if
 * not NULL, after each series of requests. Return: 0 or -ETIMEDOUT.
 */
static int fixture_stir(struct task_fixture *y, uint64_t target,
			void (*meanwhile)(struct task_fixture *y))
{
	uint64_t end = deadline(40 + target / 100);
	unsigned int i;

	while (fixture_sum(y).sent < target) {
		if (now_ms() > end)
			return -ETIMEDOUT;
		for (i = 0; i < 2 * y->c.nodes; i++)
			task_move(y->c.name, below(y->c.nodes), below(y->c.dim), 1 + below(8));
		if (meanwhile)
			meanwhile(y);
		/* Wait some time for the requested migrations to finish. */
		usleep(1000);
	}
	return 0;
}

TEST(migrated_tasks_of_all_sizes_arrive_unchanged)
{
	struct task_view v;
	struct task_fixture y;
	unsigned int s;

	for (s = 0; s < FIXTURE_SEGMENTS; s++) {
		ASSERT_EQ(0, fixture_new_of_sizes(&y, 2, s, 0, REPEAT));
		EXPECT_EQ(0, fixture_move(&y, 1, 1, 5));
		EXPECT_EQ(0, task_view(y.c.name, 3, &v));
		EXPECT_EQ(5, v.queued);
		EXPECT_EQ(5, v.received);
		EXPECT_EQ(0, task_view(y.c.name, 1, &v));
		EXPECT_EQ(FIXTURE_SIZES - 5, v.queued);
		EXPECT_EQ(5, v.sent);
		/* Let some of the tasks migrate farther, and some back. */
		EXPECT_EQ(0, fixture_move(&y, 3, 0, 100));
		EXPECT_EQ(0, fixture_move(&y, 2, 0, 2));
		EXPECT_EQ(0, task_view(y.c.name, 2, &v));
		EXPECT_EQ(3, v.queued);
		EXPECT_EQ(0, fixture_wrong(&y));
		EXPECT_EQ(0, fixture_sum(&y).bytes);
		EXPECT_EQ(0, fixture_sum(&y).lost + fixture_sum(&y).unresolved);
		EXPECT_EQ(0, fixture_del(&y));
	}
}

TEST_TASKS(empty_task_migrates_and_is_redelivered_if_worker_closes, 1, 0)
{
	struct hypercube_task id;

	ASSERT_EQ(0, task_put(y->c.fd[0], "", 0, REPEAT));
	EXPECT_EQ(0, fixture_move(y, 0, 0, 1));
	EXPECT_EQ(0, task_take(y->c.fd[1], in, sizeof(in), &id, 0));
	EXPECT_EQ(0, id.node);
	EXPECT_EQ(1, id.nr);
	EXPECT_EQ(REPEAT, id.flags);
	/* When the worker closes its socket, the task is put back into the queue, although it has
	 * migrated there.
	 */
	close(y->c.fd[1]);
	y->c.fd[1] = task_bound(&y->c, 1);
	EXPECT_EQ(0, task_take(y->c.fd[1], in, sizeof(in), &id, 0));
	EXPECT_EQ(REPEAT | HYPERCUBE_TASK_REDELIVERED, id.flags);
	EXPECT_EQ(0, task_done(y->c.fd[1], &id));
}

TEST(neighbour_with_full_queue_accepts_no_tasks)
{
	struct task_view v;
	unsigned int n;
	struct task_fixture y;

	ASSERT_EQ(0, fixture_new(&y, 1, 0));
	n = fixture_stuff(&y, 1);
	EXPECT_LE(64, n);
	ASSERT_EQ(0, fixture_put(&y, 0, 100, 0));
	ASSERT_EQ(0, fixture_put(&y, 0, 100, 0));
	EXPECT_EQ(0, fixture_move(&y, 0, 0, 2));
	EXPECT_EQ(0, task_view(y.c.name, 0, &v));
	EXPECT_EQ(2, v.queued);
	EXPECT_EQ(0, v.sent);
	/* When the neighbour has space, it takes the tasks. */
	EXPECT_EQ(0, ctl_node_failed(y.c.name, 1, true));
	EXPECT_EQ(0, ctl_node_failed(y.c.name, 1, false));
	EXPECT_EQ(0, fixture_move(&y, 0, 0, 2));
	EXPECT_EQ(0, task_view(y.c.name, 1, &v));
	EXPECT_EQ(2, v.queued);
	EXPECT_EQ(0, fixture_end(&y));
}

TEST(invalid_task_migration_requests_are_refused)
{
	struct task_fixture y;

	ASSERT_EQ(0, fixture_new(&y, 2, 0));
	EXPECT_EQ(-ENOENT, task_move(y.c.name, 0, 0, 1));
	EXPECT_EQ(0, strcmp("No task waits at the node", ctl()->extack));
	ASSERT_EQ(0, fixture_put(&y, 0, 10, 0));
	EXPECT_EQ(-ERANGE, task_move(y.c.name, 0, 0, 0));
	EXPECT_EQ(-ERANGE, task_move(y.c.name, 0, 12, 1));
	EXPECT_EQ(-ERANGE, task_move(y.c.name, 0, 2, 1));
	EXPECT_EQ(0, strcmp("The fabric has no such dimension", ctl()->extack));
	EXPECT_NE(0, task_move(y.c.name, 4, 0, 1));
	EXPECT_EQ(-ENOENT, task_move("none", 0, 0, 1));
	EXPECT_EQ(0, ctl_link_down(y.c.name, 0, 1, true));
	EXPECT_EQ(-ENOLINK, task_move(y.c.name, 0, 1, 1));
	EXPECT_EQ(0, strcmp("The link is not usable", ctl()->extack));
	nl_begin(ctl(), HYPERCUBE_CMD_TASK_MOVE, NLM_F_ACK);
	nl_str(ctl(), HYPERCUBE_A_TASK_FABRIC, y.c.name);
	nl_u32(ctl(), HYPERCUBE_A_TASK_NODE, 0);
	EXPECT_EQ(-EINVAL, nl_talk(ctl(), NULL, NULL));
	EXPECT_EQ(0, strcmp("The request names no dimension", ctl()->extack));
	nl_begin(ctl(), HYPERCUBE_CMD_TASK_MOVE, NLM_F_ACK);
	nl_str(ctl(), HYPERCUBE_A_TASK_FABRIC, y.c.name);
	nl_u32(ctl(), HYPERCUBE_A_TASK_NODE, 0);
	nl_u32(ctl(), HYPERCUBE_A_TASK_DIM, 0);
	EXPECT_EQ(-EINVAL, nl_talk(ctl(), NULL, NULL));
	EXPECT_EQ(0, strcmp("The request names no number of tasks", ctl()->extack));
	EXPECT_EQ(0, fixture_end(&y));
}

/* Migrate @tasks tasks at random over links with the impairments @bad, @migrations times;
 * @meanwhile: see fixture_stir().
 */
static void stirs(struct __test_metadata *_metadata, unsigned int tasks, unsigned int migrations,
		  const struct impairments *bad, void (*meanwhile)(struct task_fixture *y))
{
	struct task_view sum;
	struct task_fixture y;

	ASSERT_EQ(0, fixture_new(&y, 3, 512));
	ASSERT_EQ(0, ctl_stall_timeout(y.c.name, 0));
	fixture_fill(&y, tasks);
	ASSERT_EQ(0, fixture_impair(&y, bad));
	EXPECT_EQ(0, fixture_stir(&y, scaled(migrations), meanwhile));
	EXPECT_EQ(0, fixture_settle(&y, 30));
	sum = fixture_sum(&y);
	printf("# %llu handovers of %u tasks\n", (unsigned long long)sum.sent, y.n);
	EXPECT_EQ(sum.sent, sum.received);
	EXPECT_EQ(y.n, sum.queued);
	EXPECT_EQ(0, sum.lost + sum.unresolved + sum.repeated);
	EXPECT_EQ(0, fixture_wrong(&y));
	EXPECT_EQ(0, fixture_sum(&y).bytes);
	EXPECT_EQ(0, fixture_del(&y));
}

TEST(impaired_links_neither_lose_nor_duplicate_tasks)
{
	const struct impairments bad = {
		.loss = 100000, .corrupt = 50000, .duplicate = 100000, .seed = 5,
		.delay = 300000, .jitter = 300000,
	};

	stirs(_metadata, 200, 3000, &bad, NULL);
}

/* Let a random link fail while tasks migrate, and let it recover. */
static void flap(struct task_fixture *y)
{
	unsigned int node = below(y->c.nodes), dim = below(y->c.dim);

	ctl_link_down(y->c.name, node, dim, true);
	task_move(y->c.name, below(y->c.nodes), below(y->c.dim), 8);
	ctl_link_down(y->c.name, node, dim, false);
}

TEST(flapping_links_neither_lose_nor_duplicate_tasks)
{
	const struct impairments bad = {
		.loss = 20000, .seed = 8, .delay = 100000, .jitter = 100000,
	};

	stirs(_metadata, 300, 10000, &bad, flap);
}

/* In a new fixture of dimension @dim and with the stall timeout @ms, migrate a task from node 0 to
 * node 1 while all frames from node 1 to node 0 are lost, so that the answer of node 1 does not
 * arrive. Then fail this link. Return: number of errors.
 */
static unsigned int begin_unresolved(struct task_fixture *y, unsigned int dim, unsigned int ms)
{
	struct task_view v = { 0 };
	uint64_t end = deadline(10);
	unsigned int failed;

	if (fixture_new(y, dim, 0) || ctl_stall_timeout(y->c.name, ms) ||
	    fixture_put(y, 0, 5000, 0))
		return 1;
	failed = !!ctl_link_loss(y->c.name, 1, 0, HYPERCUBE_PPM_MAX, true);
	failed += !!task_move(y->c.name, 0, 0, 1);
	while (!v.received && now_ms() < end)
		task_view(y->c.name, 1, &v);
	failed += !v.received;
	task_view(y->c.name, 0, &v);
	/* With more than one dimension the answer may arrive over another path. */
	failed += dim == 1 && v.moving != 1;
	return failed + !!ctl_link_down(y->c.name, 0, 0, true);
}

/* Wait until no task is migrating, and get the counters of node 0. */
static int settled(const struct task_fixture *y, struct task_view *v)
{
	return fixture_settle(y, 10) ?: task_view(y->c.name, 0, v);
}

TEST(unanswered_migration_is_settled_when_link_recovers)
{
	struct task_view v;
	struct task_fixture y;

	ASSERT_EQ(0, begin_unresolved(&y, 1, 0));
	EXPECT_EQ(0, ctl_link_loss(y.c.name, 1, 0, 0, true));
	EXPECT_EQ(0, ctl_link_down(y.c.name, 0, 0, false));
	EXPECT_EQ(0, settled(&y, &v));
	EXPECT_EQ(1, v.sent);
	EXPECT_EQ(0, fixture_end(&y));
}

TEST(unanswered_migration_is_settled_over_path_around_fault)
{
	struct task_view v;
	struct task_fixture y;

	ASSERT_EQ(0, begin_unresolved(&y, 2, 0));
	EXPECT_EQ(0, settled(&y, &v));
	EXPECT_EQ(1, v.sent);
	/* If the task has not arrived at node 1 when the link fails, it remains at node 0. */
	ASSERT_EQ(0, ctl_link_loss(y.c.name, 1, 0, 0, true));
	ASSERT_EQ(0, ctl_link_down(y.c.name, 0, 0, false));
	ASSERT_EQ(0, ctl_link_loss(y.c.name, 0, 0, HYPERCUBE_PPM_MAX, true));
	ASSERT_EQ(0, fixture_put(&y, 0, 5000, 0));
	EXPECT_EQ(0, task_move(y.c.name, 0, 0, 1));
	ASSERT_EQ(0, ctl_link_down(y.c.name, 0, 0, true));
	EXPECT_EQ(0, settled(&y, &v));
	EXPECT_EQ(1, v.queued);
	EXPECT_EQ(0, fixture_end(&y));
}

TEST(migration_unanswered_until_stall_timeout_leaves_task_unresolved)
{
	struct task_losses l = { 0 };
	struct task_view v;
	struct task_fixture y;
	struct nl nl;

	ASSERT_EQ(0, own_netns());
	ASSERT_EQ(0, nl_open_events(&nl));
	ASSERT_EQ(0, begin_unresolved(&y, 1, 300));
	ASSERT_EQ(0, task_losses(&nl, &l, 1));
	EXPECT_EQ(1, l.n);
	EXPECT_EQ(HYPERCUBE_TASK_LOSS_UNRESOLVED, l.loss[0]);
	EXPECT_EQ(y.id[0].nr, l.id[0].nr);
	EXPECT_EQ(0, l.node[0]);
	EXPECT_EQ(0, task_view(y.c.name, 0, &v));
	EXPECT_EQ(1, v.unresolved);
	EXPECT_EQ(0, v.queued | v.moving | v.bytes);
	/* Node 1 has the task. It is executed only once. */
	EXPECT_EQ(0, fixture_wrong(&y));
	/* If the task is idempotent, it remains at node 0 as well, and is marked as redelivered. */
	EXPECT_EQ(0, ctl_link_loss(y.c.name, 1, 0, 0, true));
	EXPECT_EQ(0, ctl_link_down(y.c.name, 0, 0, false));
	ASSERT_EQ(0, fixture_put(&y, 0, 5000, REPEAT));
	EXPECT_EQ(0, ctl_link_loss(y.c.name, 1, 0, HYPERCUBE_PPM_MAX, true));
	EXPECT_EQ(0, fixture_move(&y, 0, 0, 1));
	EXPECT_EQ(0, task_view(y.c.name, 0, &v));
	EXPECT_EQ(1, v.queued);
	EXPECT_EQ(0, fixture_take(&y));
	EXPECT_EQ(2, y.taken[1]);
	EXPECT_EQ(1, y.repeated[1]);
	nl_shut(&nl);
	EXPECT_EQ(0, fixture_del(&y));
}

/* Let a random node fail while tasks migrate, and let it recover; in one of four calls only. */
static void die(struct task_fixture *y)
{
	unsigned int node = below(y->c.nodes);

	if (below(4))
		return;
	ctl_node_failed(y->c.name, node, true);
	task_move(y->c.name, below(y->c.nodes), below(y->c.dim), 8);
	ctl_node_failed(y->c.name, node, false);
}

/* A task that is not idempotent is taken, or reported as lost, or reported as unresolved. It is
 * never both taken and lost, and never taken twice.
 */
TEST(tasks_of_failed_nodes_are_taken_once_or_reported)
{
	const struct impairments bad = {
		.delay = 200000, .jitter = 200000, .loss = 10000, .seed = 3,
	};
	struct task_losses *l = calloc(1, sizeof(*l));
	unsigned int i, k, wrong = 0, open, lost;
	struct task_view sum;
	unsigned int round;
	struct task_fixture y;
	struct nl nl;

	ASSERT_EQ(0, fixture_new(&y, 3, 512));
	ASSERT_EQ(0, nl_open_events(&nl));
	ASSERT_EQ(0, ctl_stall_timeout(y.c.name, 0));
	ASSERT_EQ(0, fixture_impair(&y, &bad));
	for (round = 1; round <= scaled(10); round++) {
		for (i = 0; i < 60; i++)
			ASSERT_EQ(0, fixture_put(&y, below(8), 4 + below(3000), 0));
		EXPECT_EQ(0, fixture_stir(&y, fixture_sum(&y).sent + 60, die));
	}
	EXPECT_EQ(0, fixture_settle(&y, 30));
	sum = fixture_sum(&y);
	EXPECT_EQ(0, task_losses(&nl, l, sum.lost + sum.unresolved));
	EXPECT_EQ(sum.lost + sum.unresolved, l->n);
	EXPECT_EQ(0, fixture_take(&y));
	for (i = 0; i < y.n; i++) {
		open = 0;
		lost = 0;
		for (k = 0; k < l->n; k++)
			if (l->id[k].node == y.id[i].node && l->id[k].nr == y.id[i].nr)
				l->loss[k] == HYPERCUBE_TASK_LOSS_UNRESOLVED ? open++ : lost++;
		wrong += y.taken[i] + lost > 1 || y.taken[i] + lost + open < 1;
	}
	EXPECT_EQ(0, wrong);
	printf("# %u tasks, %llu handovers, %llu lost, %llu in doubt\n", y.n,
	       (unsigned long long)sum.sent, (unsigned long long)sum.lost,
	       (unsigned long long)sum.unresolved);
	nl_shut(&nl);
	EXPECT_EQ(0, fixture_del(&y));
	free(l);
}

static int fill_some(struct task_fixture *y)
{
	fixture_fill(y, 60);
	return 0;
}

TEST(fabric_is_removed_while_tasks_migrate)
{
	unsigned int round;
	struct task_fixture y;

	for (round = 0; round < scaled(20); round++) {
		ASSERT_EQ(0, fixture_bustling(&y, fill_some));
		EXPECT_EQ(0, fixture_del(&y));
	}
}

TEST_HARNESS_MAIN
