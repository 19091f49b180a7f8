// SPDX-License-Identifier: GPL-2.0
/*
 * Faults during load balancing rounds: a round succeeds, or fails with the fault as its cause. No
 * task is duplicated, and only the tasks of a failed node are lost.
 *
 * Scheduling: shared
 */
#include <stdlib.h>

#include "cube.h"
#include "ktap.h"
#include "round_calls.h"
#include "round_plan.h"
#include "task_fixture.h"

/**
 * struct trouble - rounds during which faults occur
 * @y: the fabric and its tasks
 * @t: its topology
 * @nl: netlink connection with which the rounds are begun
 * @rounds: number of rounds
 * @failed: number of rounds that failed
 */
struct trouble {
	struct task_fixture y;
	struct hc_balance_topo t;
	struct nl nl;
	unsigned int rounds;
	unsigned int failed;
};

/* Links delay frames, so that a round lasts some ms, and faults occur while it runs also on a fast
 * machine.
 */
static int trouble_begin(struct trouble *x, unsigned int dim)
{
	const struct impairments slow = { .delay = 100000 };

	*x = (struct trouble){ 0 };
	return fixture_new(&x->y, dim, 512) ?: fixture_impair(&x->y, &slow) ?:
	       rounds_install(&x->y, &x->t) ?: ctl_stall_timeout(x->y.c.name, 0) ?: nl_open(&x->nl);
}

static int trouble_end(struct trouble *x)
{
	hc_balance_topo_free(&x->t);
	nl_shut(&x->nl);
	return fixture_del(&x->y);
}

/* Begin a round, and call @disturb while it runs. The round must succeed, or fail with a fault as
 * its cause. Return: number of errors.
 */
static unsigned int disturbed(struct trouble *x, void (*disturb)(struct task_fixture *y))
{
	unsigned int method = round_methods[below(ROUND_METHODS)].id;
	struct task_fixture *y = &x->y;
	struct round_view v;
	int err;

	if (round_begin(&x->nl, y->c.name, method, below(y->c.nodes)))
		return 1;
	x->rounds++;
	disturb(y);
	err = round_end(&x->nl, &v);
	if (err == -EHOSTDOWN)
		return 0;
	if (err) {
		printf("# error %d\n", err);
		return 1;
	}
	if (!v.status)
		return 0;
	x->failed++;
	if (v.status != -ENOLINK && v.status != -EHOSTDOWN)
		printf("# status %d by %u:%u\n", v.status, v.cause_node, v.cause_dim);
	return (v.status != -ENOLINK && v.status != -EHOSTDOWN) || v.cause_node >= y->c.nodes;
}

/* Wait until no task is migrating, and run a round. Return: true if it succeeds with all nodes as
 * members.
 */
static bool recovers(const struct trouble *x)
{
	int err = fixture_settle(&x->y, 30);
	struct round_view v = { 0 };

	if (!err)
		err = round_run(x->y.c.name, ROUND_ANY, ROUND_ANY, &v);
	if (!err && !v.status && v.members == x->y.c.nodes)
		return true;
	printf("# error %d, status %d, %u members\n", err, v.status, v.members);
	return false;
}

TEST(link_faults_during_rounds_neither_lose_nor_duplicate_tasks)
{
	struct task_view sum;
	struct balance_view b;
	struct trouble x;
	unsigned int i;

	ASSERT_EQ(0, trouble_begin(&x, 4));
	fixture_fill(&x.y, 600);
	for (i = 0; i < 4000 && fixture_sum(&x.y).sent < scaled(10000); i++) {
		/* Make the loads uneven for the next round. */
		task_move(x.y.c.name, below(16), below(4), 50 + below(100));
		EXPECT_EQ(0, disturbed(&x, fixture_flap));
	}
	EXPECT_TRUE(recovers(&x));
	sum = fixture_sum(&x.y);
	EXPECT_EQ(0, balance_view(x.y.c.name, &b));
	printf("# %llu handovers of %u tasks, %u of %u rounds failed\n",
	       (unsigned long long)sum.sent, x.y.n, x.failed, x.rounds);
	EXPECT_LE(scaled(10000), sum.sent);
	EXPECT_LE(1, x.failed);
	EXPECT_LE(1, b.done);
	EXPECT_EQ(sum.sent, sum.received);
	EXPECT_EQ(x.y.n, sum.queued);
	EXPECT_EQ(0, sum.lost + sum.unresolved + sum.repeated);
	EXPECT_EQ(0, fixture_wrong(&x.y));
	EXPECT_EQ(0, trouble_end(&x));
}

/* Let a random node fail, and recover after up to 3 ms. */
static void die(struct task_fixture *y)
{
	unsigned int node = below(y->c.nodes);

	usleep(below(3000));
	ctl_node_failed(y->c.name, node, true);
	usleep(below(3000));
	ctl_node_failed(y->c.name, node, false);
}

TEST(node_failure_during_a_round_loses_only_the_tasks_of_that_node)
{
	unsigned int i, twice = 0, gone = 0;
	struct task_view sum;
	struct trouble x;

	ASSERT_EQ(0, trouble_begin(&x, 3));
	for (i = 0; i < scaled(150); i++) {
		fixture_fill(&x.y, 40);
		task_move(x.y.c.name, below(8), below(3), 50);
		EXPECT_EQ(0, disturbed(&x, die));
	}
	EXPECT_TRUE(recovers(&x));
	sum = fixture_sum(&x.y);
	printf("# %llu handovers of %u tasks, %u of %u rounds failed, %llu tasks lost, %llu in doubt\n",
	       (unsigned long long)sum.sent, x.y.n, x.failed, x.rounds,
	       (unsigned long long)sum.lost, (unsigned long long)sum.unresolved);
	EXPECT_LE(1, x.failed);
	EXPECT_EQ(0, fixture_take(&x.y));
	for (i = 0; i < x.y.n; i++) {
		twice += x.y.taken[i] > 1;
		gone += !x.y.taken[i];
	}
	EXPECT_EQ(0, twice);
	EXPECT_LE(gone, sum.lost + sum.unresolved);
	EXPECT_LE(sum.lost, gone);
	EXPECT_EQ(0, trouble_end(&x));
}

/* All frames from node 1 to node 0 are lost, so the link goes down, and the round fails. */
TEST(link_that_delivers_no_frames_fails_the_round)
{
	struct balance_view b;
	struct round_view v;
	struct task_fixture y;

	ASSERT_EQ(0, round_new_deaf(&y, ROUND_ANY, 6, &v));
	EXPECT_EQ(-ENOLINK, v.status);
	EXPECT_EQ(0, v.cause_dim);
	EXPECT_EQ(0, round_run(y.c.name, ROUND_ANY, 3, &v));
	EXPECT_EQ(0, v.status);
	EXPECT_EQ(0, balance_view(y.c.name, &b));
	EXPECT_EQ(1, b.done);
	EXPECT_EQ(1, b.failed);
	EXPECT_EQ(0, fixture_settle(&y, 10));
	EXPECT_EQ(0, fixture_wrong(&y));
	EXPECT_EQ(0, fixture_del(&y));
}

/* The neighbours of node 7 take part in a round and wait for node 7, to which the beginning of this
 * round is still on its way. Then node 7 begins a round that supersedes the first round and fails
 * at once. All nodes are notified of the failure, and the first round begins a second time.
 */
TEST_TASKS(round_that_fails_at_once_leaves_no_node_waiting, 3, 0)
{
	const struct impairments slow = { .delay = 500000000 };
	struct hc_balance_topo t;
	struct round_view v;
	struct nl nl[2];

	ASSERT_EQ(0, rounds_install(y, &t));
	ASSERT_EQ(0, ctl_link_down(y->c.name, 7, 2, true));
	ASSERT_EQ(0, ctl_link_impair(y->c.name, 5, 1, &slow));
	ASSERT_EQ(0, ctl_link_impair(y->c.name, 6, 0, &slow));
	ASSERT_EQ(0, nl_open_all(nl, 2));
	ASSERT_EQ(0, round_begin(&nl[0], y->c.name, HYPERCUBE_BALANCE_DEM, 0));
	usleep(100000);
	ASSERT_EQ(0, round_begin(&nl[1], y->c.name, HYPERCUBE_BALANCE_MCWA, 7));
	EXPECT_EQ(0, round_end(&nl[1], &v));
	EXPECT_EQ(-ENOLINK, v.status);
	EXPECT_EQ(0, round_end(&nl[0], &v));
	EXPECT_EQ(0, v.status);
	EXPECT_EQ(8, v.members);
	nl_shut_all(nl, 2);
	hc_balance_topo_free(&t);
}

TEST_HARNESS_MAIN
