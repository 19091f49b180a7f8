// SPDX-License-Identifier: GPL-2.0
/*
 * Load balancing rounds: when a round ends, each node has as many tasks as the planner computes,
 * unless a worker interferes. In any case every task is in exactly one queue. task_round_faults.c
 * has the tests with faults during a round.
 *
 * Scheduling: shared long
 */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cube.h"
#include "ktap.h"
#include "round_calls.h"
#include "round_plan.h"
#include "task_fixture.h"

TEST(loads_after_a_round_equal_the_planned_loads)
{
	unsigned int dim, i;
	struct task_fixture y;

	for (dim = 1; dim <= 6; dim++) {
		ASSERT_EQ(0, fixture_new(&y, dim, 0));
		for (i = 0; i < scaled(4); i++)
			EXPECT_EQ(0, rounds_as_planned(&y));
		EXPECT_EQ(0, fixture_del(&y));
	}
}

TEST_TASKS(loads_equal_the_planned_loads_around_each_single_fault, 3, 0)
{
	unsigned int u, d;

	for (u = 0; u < y->c.nodes; u++) {
		EXPECT_EQ(0, cube_fail_node(&y->c, u));
		EXPECT_EQ(0, rounds_as_planned(y));
		EXPECT_EQ(0, cube_heal(&y->c));
		for (d = 0; d < y->c.dim; d++) {
			if (u >> d & 1)
				continue;
			EXPECT_EQ(0, cube_fail_link(&y->c, u, d));
			EXPECT_EQ(0, rounds_as_planned(y));
			EXPECT_EQ(0, cube_heal(&y->c));
		}
	}
}

TEST(loads_equal_the_planned_loads_around_random_faults)
{
	unsigned int dim, i, k;
	struct task_fixture y;

	for (dim = 4; dim <= 6; dim++) {
		ASSERT_EQ(0, fixture_new(&y, dim, 0));
		for (i = 0; i < scaled(8); i++) {
			for (k = below(dim); k--;)
				cube_fail_node(&y.c, below(y.c.nodes));
			for (k = below(dim); k--;)
				cube_fail_link(&y.c, below(y.c.nodes), below(dim));
			EXPECT_EQ(0, rounds_as_planned(&y));
			EXPECT_EQ(0, cube_heal(&y.c));
		}
		EXPECT_EQ(0, fixture_del(&y));
	}
}

TEST_TASKS(loads_equal_the_planned_loads_over_links_that_lose_frames, 3, 0)
{
	const struct impairments bad = {
		.loss = 50000, .corrupt = 20000, .duplicate = 50000, .seed = 5,
		.delay = 100000, .jitter = 100000,
	};
	unsigned int i;

	ASSERT_EQ(0, ctl_stall_timeout(y->c.name, 0));
	ASSERT_EQ(0, fixture_impair(y, &bad));
	for (i = 0; i < scaled(6); i++)
		EXPECT_EQ(0, rounds_as_planned(y));
}

/* Begin a round at every node at the same time: the rounds run one after another, and each request
 * gets a reply.
 */
TEST_TASKS(rounds_begun_at_all_nodes_at_the_same_time_all_end, 3, 0)
{
	struct nl nl[8];
	struct balance_view b;
	unsigned int k;

	fixture_fill(y, 100);
	ASSERT_EQ(0, nl_open_all(nl, 8));
	for (k = 0; k < scaled(5); k++)
		EXPECT_EQ(0, rounds_at_once(nl, 8, y->c.name, ROUND_ANY, 8));
	EXPECT_EQ(0, balance_view(y->c.name, &b));
	EXPECT_EQ(8 * scaled(5), b.done);
	EXPECT_EQ(0, b.failed);
	k = 8 * scaled(5);
	EXPECT_EQ(k < HYPERCUBE_ROUNDS_KEPT ? k : HYPERCUBE_ROUNDS_KEPT, b.n);
	for (k = 1; k < b.n; k++)
		EXPECT_GT(b.round[k].nr, b.round[k - 1].nr);
	printf("# %llu rounds, %llu beaten\n", (unsigned long long)b.done,
	       (unsigned long long)b.superseded);
	EXPECT_EQ(0, fixture_wrong(y));
	nl_shut_all(nl, 8);
}

/* On a slow link all frames arrive, but late. A node that waits for a frame must not repeat its own
 * frames.
 */
TEST(node_that_waits_for_a_slow_link_does_not_resend)
{
	const struct impairments slow = { .delay = 500000000 };
	struct link_sums before, after;
	struct round_view v;
	struct task_fixture y;

	ASSERT_EQ(0, fixture_new(&y, 4, 0));
	ASSERT_EQ(0, fixture_put(&y, 0, 8, 0));
	ASSERT_EQ(0, fixture_put(&y, 0, 8, 0));
	ASSERT_EQ(0, round_run(y.c.name, ROUND_ANY, 5, &v));
	ASSERT_EQ(0, fixture_put(&y, 0, 8, 0));
	ASSERT_EQ(0, fixture_put(&y, 0, 8, 0));
	ASSERT_EQ(0, ctl_link_impair(y.c.name, 0, 0, &slow));
	ASSERT_EQ(0, ctl_link_sums(y.c.name, &before));
	EXPECT_EQ(0, round_run(y.c.name, ROUND_ANY, 5, &v));
	EXPECT_EQ(0, v.status);
	ASSERT_EQ(0, ctl_link_sums(y.c.name, &after));
	printf("# %llu frames\n", (unsigned long long)(after.tx_frames - before.tx_frames));
	/* Over the 64 link ends nodes send the beginning of a round, loads, tasks, reports, and the
	 * end of the round. These must be fewer than three frames for each link end on average.
	 */
	EXPECT_GT(64 * 3, after.tx_frames - before.tx_frames);
	EXPECT_EQ(0, fixture_end(&y));
}

TEST(round_of_many_nodes_sends_few_frames_per_link)
{
	/* @most: how many frames a round may send over each link in each direction: the beginning
	 * of the round, the loads that the node knows, and, with MCWA, how many tasks leave each
	 * cube.
	 */
	static const struct { unsigned int method, most; } cases[] = {
		{ HYPERCUBE_BALANCE_DEM, 3 }, { HYPERCUBE_BALANCE_MCWA, 4 },
	};
	/* The request for a new fabric is answered when all nodes of the fabric exist, which takes
	 * long on a kernel with debugging.
	 */
	const unsigned int dim = debug_kernel() ? 7 : 10, nodes = 1u << dim;
	static const uint32_t fault[1 << 10];
	static uint8_t up[1 << 10];
	struct hc_balance whole = { .dim = dim, .dims = nodes - 1, .up = up };
	struct link_sums before, after;
	struct round_view v;
	unsigned int i;

	memset(up, HC_BALANCE_ROOT, sizeof(up));
	ASSERT_EQ(0, ctl_fabric_new("large", dim, 0));
	ASSERT_EQ(0, balance_topology("large", &whole, fault));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ASSERT_EQ(0, ctl_link_sums("large", &before));
		EXPECT_EQ(0, round_run("large", cases[i].method, ROUND_ANY, &v));
		EXPECT_EQ(0, v.status);
		EXPECT_EQ(nodes, v.members);
		ASSERT_EQ(0, ctl_link_sums("large", &after));
		printf("# method %u: %llu frames over %u links\n", cases[i].method,
		       (unsigned long long)(after.tx_frames - before.tx_frames), nodes / 2 * dim);
		EXPECT_GT(cases[i].most * nodes * dim, after.tx_frames - before.tx_frames);
	}
	EXPECT_EQ(0, ctl_fabric_del("large"));
}

/* The neighbour has no space when a command migrates a task to it, but has space when the round
 * does. The refused command must not reduce the number of tasks that the round moves.
 */
TEST(refused_migration_does_not_reduce_the_tasks_moved_by_the_round)
{
	const struct impairments slow = { .delay = 400000000 };
	struct hypercube_task id;
	struct round_view v;
	static char buf[HYPERCUBE_TASK_MAX];
	unsigned int n, i;
	struct task_fixture y;
	struct nl nl;

	ASSERT_EQ(0, fixture_new(&y, 1, 0));
	ASSERT_EQ(0, nl_open(&nl));
	n = fixture_stuff(&y, 1);
	for (i = 0; i < n + 4; i++)
		ASSERT_EQ(0, fixture_put(&y, 0, 8, 0));
	ASSERT_EQ(0, ctl_link_impair(y.c.name, 0, 0, &slow));
	ASSERT_EQ(0, round_begin(&nl, y.c.name, HYPERCUBE_BALANCE_DEM, 0));
	usleep(50000);
	ASSERT_EQ(0, task_move(y.c.name, 0, 0, 1));
	usleep(600000);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(sizeof(buf), task_take(y.c.fd[1], buf, sizeof(buf), &id, 0));
		EXPECT_EQ(0, task_done(y.c.fd[1], &id));
	}
	EXPECT_EQ(0, round_end(&nl, &v));
	EXPECT_EQ(0, v.status);
	EXPECT_EQ(2, v.moved);
	nl_shut(&nl);
	EXPECT_EQ(0, fixture_del(&y));
}

/* A worker waits at a node without tasks. The node begins a round, and the worker gets a task. */
TEST_TASKS(node_without_tasks_begins_a_round_for_a_waiting_worker, 2, 0)
{
	struct hypercube_task id;
	struct balance_view b;
	unsigned int i;
	char buf[64];

	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, fixture_put(y, 0, 8, 0));
	ASSERT_EQ(0, balance_set(y->c.name, HYPERCUBE_BALANCE_DEM, 2, ROUND_ANY));
	for (i = 0; i < 40; i++) {
		ASSERT_TRUE(readable(y->c.fd[3], 10));
		ASSERT_EQ(8, task_take(y->c.fd[3], buf, sizeof(buf), &id, 0));
		ASSERT_EQ(0, task_done(y->c.fd[3], &id));
	}
	EXPECT_EQ(0, balance_view(y->c.name, &b));
	EXPECT_EQ(HYPERCUBE_BALANCE_DEM, b.method);
	EXPECT_EQ(2, b.threshold);
	EXPECT_EQ(0, b.period);
	EXPECT_LE(1, b.done);
	EXPECT_EQ(HYPERCUBE_TRIGGER_THRESHOLD, b.round[0].trigger);
	ASSERT_EQ(0, balance_set(y->c.name, HYPERCUBE_BALANCE_NONE, ROUND_ANY, ROUND_ANY));
}

/* If rounds find no tasks to move, they become rare. */
TEST_TASKS(rounds_that_move_nothing_become_rare, 3, 0)
{
	ASSERT_EQ(0, balance_set(y->c.name, HYPERCUBE_BALANCE_DEM, 0, ROUND_ANY));
	EXPECT_LE(4, rounds_in(y->c.name, 4));
	EXPECT_GE(6, rounds_in(y->c.name, 4));
	ASSERT_EQ(0, balance_set(y->c.name, HYPERCUBE_BALANCE_NONE, ROUND_ANY, ROUND_ANY));
	usleep(100000);
	EXPECT_EQ(0, rounds_in(y->c.name, 2));
}

static int put_small(struct task_fixture *y, unsigned int n)
{
	int err = 0;

	while (n-- && !err)
		err = fixture_put(y, 0, 8, 0);
	return err;
}

/* All tasks are put at one node. Workers at all nodes take tasks until there are none, and a node
 * that has few tasks begins a round. All tasks must be taken, and workers at several nodes must get
 * some.
 */
static void workers(struct __test_metadata *_metadata, const struct round_method *method)
{
	/* The nodes whose workers must get tasks: all nodes. But if each node requests tasks from
	 * its neighbours, only the nodes of 0x17 are sure to get some.
	 */
	const unsigned int work = method->own ? 0x17 : 0xff;
	unsigned int u, seen = 0, busy = 0, pause = 1000 * wait_secs(1);
	struct hc_balance_topo t;
	struct hypercube_task id;
	struct balance_view b;
	uint64_t end;
	struct task_fixture y;
	char buf[64];

	ASSERT_EQ(0, fixture_new(&y, 3, 0));
	ASSERT_EQ(0, rounds_install(&y, &t));
	ASSERT_EQ(0, put_small(&y, 400));
	ASSERT_EQ(0, balance_set(y.c.name, method->id, 1, ROUND_ANY));
	for (end = deadline(20); seen < y.n && now_ms() < end; usleep(pause)) {
		for (u = 0; u < 8; u++)
			if (task_take(y.c.fd[u], buf, sizeof(buf), &id, 0) == 8) {
				seen++;
				busy |= 1u << u;
				EXPECT_EQ(0, task_done(y.c.fd[u], &id));
			}
		if (seen < y.n || (busy & work) == work)
			continue;
		/* On a slow machine all tasks may be done before every node has got one. In this
		 * case put more tasks, and let the workers wait longer between two tasks.
		 */
		pause *= 2;
		ASSERT_EQ(0, put_small(&y, 100));
	}
	EXPECT_EQ(y.n, seen);
	EXPECT_EQ(work, busy & work);
	EXPECT_EQ(0, balance_set(y.c.name, HYPERCUBE_BALANCE_NONE, ROUND_ANY, ROUND_ANY));
	/* The last round may still be under way. */
	do {
		EXPECT_EQ(0, balance_view(y.c.name, &b));
	} while (!b.done && now_ms() < end);
	printf("# method %u: %u tasks, %llu rounds, %llu beaten, %llu failed, %llu moved\n",
	       method->id, y.n, (unsigned long long)b.done, (unsigned long long)b.superseded,
	       (unsigned long long)b.failed, (unsigned long long)b.moved);
	EXPECT_EQ(0, b.failed);
	EXPECT_LE(1, b.done);
	hc_balance_topo_free(&t);
	EXPECT_EQ(0, fixture_del(&y));
}

TEST(workers_at_several_nodes_get_tasks_with_each_method)
{
	unsigned int m;

	for (m = 0; m < ROUND_METHODS; m++)
		workers(_metadata, &round_methods[m]);
}

TEST_TASKS(rounds_begin_periodically, 3, 0)
{
	struct balance_view b = { 0 };
	uint64_t end = deadline(10);

	fixture_fill(y, 50);
	ASSERT_EQ(0, balance_set(y->c.name, HYPERCUBE_BALANCE_DEM, ROUND_ANY, 50));
	while (b.done < 10 && now_ms() < end) {
		usleep(10000);
		EXPECT_EQ(0, balance_view(y->c.name, &b));
	}
	EXPECT_LE(10, b.done);
	EXPECT_EQ(HYPERCUBE_TRIGGER_PERIOD, b.round[b.n - 1].trigger);
}

TEST_TASKS(invalid_requests_for_rounds_are_refused, 2, 0)
{
	struct round_view v;

	EXPECT_EQ(-EOPNOTSUPP, round_run(y->c.name, 77, ROUND_ANY, &v));
	EXPECT_EQ(0, strcmp("This kernel has no such method of balancing", ctl()->extack));
	EXPECT_EQ(-EOPNOTSUPP, round_run(y->c.name, HYPERCUBE_BALANCE_NONE, ROUND_ANY, &v));
	EXPECT_EQ(-EOPNOTSUPP, balance_set(y->c.name, 77, ROUND_ANY, ROUND_ANY));
	EXPECT_EQ(-EINVAL, balance_set(y->c.name, ROUND_ANY, ROUND_ANY, ROUND_ANY));
	EXPECT_EQ(0, strcmp("The request names nothing to set", ctl()->extack));
	EXPECT_EQ(-ERANGE, balance_set(y->c.name, ROUND_ANY, ROUND_ANY, 9));
	EXPECT_EQ(0, strcmp("A period is at least 10 ms", ctl()->extack));
	EXPECT_NE(0, balance_set(y->c.name, ROUND_ANY, ROUND_ANY, HYPERCUBE_PERIOD_MAX + 1));
	EXPECT_EQ(-ERANGE, round_run(y->c.name, ROUND_ANY, 4, &v));
	EXPECT_EQ(-ENOENT, round_run("none", ROUND_ANY, 0, &v));
	EXPECT_EQ(0, ctl_node_failed(y->c.name, 1, true));
	EXPECT_EQ(-EHOSTDOWN, round_run(y->c.name, ROUND_ANY, 1, &v));
	EXPECT_EQ(0, strcmp("The node has failed", ctl()->extack));
	EXPECT_EQ(0, round_run(y->c.name, ROUND_ANY, ROUND_ANY, &v));
	EXPECT_EQ(3, v.members);
	/* A round of a node without usable links has one member. */
	EXPECT_EQ(0, ctl_node_failed(y->c.name, 2, true));
	EXPECT_EQ(0, round_run(y->c.name, ROUND_ANY, ROUND_ANY, &v));
	EXPECT_EQ(0, v.status);
	EXPECT_EQ(1, v.members);
	EXPECT_EQ(0, ctl_node_failed(y->c.name, 0, true));
	EXPECT_EQ(0, ctl_node_failed(y->c.name, 3, true));
	EXPECT_EQ(-EHOSTDOWN, round_run(y->c.name, ROUND_ANY, ROUND_ANY, &v));
	EXPECT_EQ(0, strcmp("All nodes have failed", ctl()->extack));
}

/* Of two requests that would replace the same topology, the second one is refused. */
TEST_TASKS(topology_is_replaced_only_in_the_epoch_that_was_seen, 3, 0)
{
	uint8_t up[8] = { 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe };
	const struct hc_balance b = { .dim = 3, .dims = 7, .up = up };
	const uint32_t *fault = y->c.faults->fault;
	struct balance_view v;
	unsigned int epoch;

	EXPECT_EQ(-ESTALE, balance_topology_after(y->c.name, &b, fault, 1));
	for (epoch = 0; epoch < 2; epoch++) {
		EXPECT_EQ(0, balance_topology_after(y->c.name, &b, fault, epoch));
		EXPECT_EQ(-ESTALE, balance_topology_after(y->c.name, &b, fault, epoch));
		EXPECT_EQ(0, strcmp("The topology has another epoch by now", ctl()->extack));
	}
	EXPECT_EQ(0, balance_view(y->c.name, &v));
	EXPECT_EQ(2, v.epoch);
}

/* Topologies of a cube of eight nodes with one error each are refused. */
TEST_TASKS(wrong_topologies_are_refused, 3, 0)
{
	uint8_t up[8] = { 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe };
	struct hc_balance b = { .dim = 3, .dims = 7, .up = up };
	struct balance_view before, after;
	struct round_view v;

	EXPECT_EQ(-ENOENT, round_run(y->c.name, HYPERCUBE_BALANCE_MCWA, ROUND_ANY, &v));
	EXPECT_EQ(-ENOENT, balance_set(y->c.name, HYPERCUBE_BALANCE_MCWA, ROUND_ANY, ROUND_ANY));
	EXPECT_EQ(0, balance_topology(y->c.name, &b, y->c.faults->fault));
	EXPECT_EQ(0, balance_view(y->c.name, &before));
	EXPECT_EQ(1, before.epoch);
	up[5] = 0;
	EXPECT_EQ(-EINVAL, balance_topology(y->c.name, &b, y->c.faults->fault));
	EXPECT_EQ(0, strcmp("a node of the subcube is no root: node 5", ctl()->extack));
	up[5] = 0xfe;
	b.depth = 1;
	EXPECT_EQ(-EINVAL, balance_topology(y->c.name, &b, y->c.faults->fault));
	EXPECT_EQ(0, strcmp("no node is as deep as that", ctl()->extack));
	b.depth = 0;
	b.base = 1;
	EXPECT_EQ(-EINVAL, balance_topology(y->c.name, &b, y->c.faults->fault));
	b.base = 0;
	b.dims = 15;
	EXPECT_EQ(-EINVAL, balance_topology(y->c.name, &b, y->c.faults->fault));
	b.dims = 7;
	b.dim = 2;
	EXPECT_EQ(-EINVAL, balance_topology(y->c.name, &b, y->c.faults->fault));
	b.dim = 3;
	EXPECT_EQ(0, ctl_link_down(y->c.name, 4, 1, true));
	EXPECT_EQ(-ESTALE, balance_topology(y->c.name, &b, y->c.faults->fault));
	/* The installed topology uses a link that has failed since it was installed. */
	EXPECT_EQ(0, round_run(y->c.name, HYPERCUBE_BALANCE_MCWA, ROUND_ANY, &v));
	EXPECT_EQ(-ENOLINK, v.status);
	EXPECT_EQ(1, v.cause_dim);
	EXPECT_EQ(4, v.cause_node & 5);
	EXPECT_EQ(0, round_run(y->c.name, HYPERCUBE_BALANCE_DEM, ROUND_ANY, &v));
	EXPECT_EQ(0, v.status);
	EXPECT_EQ(0, balance_view(y->c.name, &after));
	EXPECT_EQ(1, after.epoch);
}

/* Node 6 was down when the topology was made, and has recovered. It is not a member of rounds. */
TEST_TASKS(node_outside_the_topology_is_not_a_member_of_rounds, 3, 0)
{
	struct hc_balance_topo t;
	struct round_view v;
	unsigned int u;

	ASSERT_EQ(0, cube_fail_node(&y->c, 6));
	ASSERT_EQ(0, rounds_install(y, &t));
	ASSERT_EQ(0, cube_heal(&y->c));
	for (u = 5; u < 8; u++) {
		EXPECT_EQ(0, round_run(y->c.name, HYPERCUBE_BALANCE_MCWA, u, &v));
		EXPECT_EQ(0, v.status);
		EXPECT_EQ(7, v.members);
	}
	hc_balance_topo_free(&t);
}

/* A topology that the current method cannot use is refused, and changes nothing. */
TEST_TASKS(a_topology_that_the_method_cannot_use_is_refused, 3, 0)
{
	uint8_t up[8] = { 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe };
	uint8_t half[8] = { 0xfe, 0xfe, 0xfe, 0xfe, 2, 2, 2, 2 };
	struct hc_balance whole = { .dim = 3, .dims = 7, .up = up };
	struct hc_balance trees = { .dim = 3, .dims = 3, .depth = 1, .up = half };
	struct balance_view b;

	EXPECT_EQ(0, balance_topology(y->c.name, &whole, y->c.faults->fault));
	EXPECT_EQ(0, balance_set(y->c.name, HYPERCUBE_BALANCE_CWA, ROUND_ANY, ROUND_ANY));
	EXPECT_EQ(-EINVAL, balance_topology(y->c.name, &trees, y->c.faults->fault));
	EXPECT_EQ(0, balance_view(y->c.name, &b));
	EXPECT_EQ(1, b.epoch);
	EXPECT_EQ(0, balance_set(y->c.name, ROUND_ANY, ROUND_ANY, 1000));
	EXPECT_EQ(0, balance_set(y->c.name, HYPERCUBE_BALANCE_MCWA, ROUND_ANY, ROUND_ANY));
	EXPECT_EQ(0, balance_topology(y->c.name, &trees, y->c.faults->fault));
}

/* Rounds of two methods are requested at the same time. Each request gets the reply of a round of
 * its own method, or is refused.
 */
TEST_TASKS(requests_of_two_methods_get_replies_of_their_own_method, 3, 0)
{
	static const unsigned int method[2] = { HYPERCUBE_BALANCE_DEM, HYPERCUBE_BALANCE_CWA };
	uint8_t up[8] = { 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe };
	struct hc_balance whole = { .dim = 3, .dims = 7, .up = up };
	unsigned int i, k, refused = 0;
	struct round_view v;
	struct nl nl[8];
	int err;

	EXPECT_EQ(0, balance_topology(y->c.name, &whole, y->c.faults->fault));
	fixture_fill(y, 20);
	for (i = 0; i < 8; i++)
		ASSERT_EQ(0, nl_open(&nl[i]));
	for (k = 0; k < scaled(10); k++) {
		for (i = 0; i < 8; i++)
			EXPECT_EQ(0, round_begin(&nl[i], y->c.name, method[i % 2], 0));
		for (i = 0; i < 8; i++) {
			err = round_end(&nl[i], &v);
			refused += err == -EBUSY;
			if (err != -EBUSY)
				EXPECT_EQ(0, err);
			if (!err)
				EXPECT_EQ(method[i % 2], v.method);
		}
	}
	printf("# %u of %u refused\n", refused, 8 * scaled(10));
	for (i = 0; i < 8; i++)
		nl_shut(&nl[i]);
	EXPECT_EQ(0, fixture_wrong(y));
}

/* Worker thread: take tasks that a round has already counted, so that fewer tasks than counted are
 * left to migrate. Return: number of tasks taken.
 */
static void *work(void *arg)
{
	struct task_fixture *y = arg;
	struct hypercube_task id;
	char buf[64];
	long n = 0;

	while (task_take(y->c.fd[0], buf, sizeof(buf), &id, 0) >= 0) {
		task_done(y->c.fd[0], &id);
		n++;
	}
	return (void *)n;
}

TEST_TASKS(no_task_is_lost_if_a_worker_takes_tasks_during_rounds, 3, 0)
{
	static const unsigned int method[3] = {
		HYPERCUBE_BALANCE_DEM, HYPERCUBE_BALANCE_MCWA, HYPERCUBE_BALANCE_RID,
	};
	struct hc_balance_topo t;
	struct task_view sum;
	struct round_view v;
	unsigned int i, k;
	pthread_t worker;
	long taken = 0;
	void *n;

	ASSERT_EQ(0, cube_fail_node(&y->c, 6));
	ASSERT_EQ(0, rounds_install(y, &t));
	for (k = 0; k < scaled(10); k++) {
		for (i = 0; i < 200; i++)
			ASSERT_EQ(0, fixture_put(y, i % 3 ? 0 : 7, 8, 0));
		ASSERT_EQ(0, pthread_create(&worker, NULL, work, y));
		EXPECT_EQ(0, round_run(y->c.name, method[k % 3], ROUND_ANY, &v));
		EXPECT_EQ(0, v.status);
		pthread_join(worker, &n);
		taken += (long)n;
	}
	EXPECT_EQ(0, fixture_settle(y, 10));
	sum = fixture_sum(y);
	EXPECT_EQ(y->n, sum.queued + taken);
	EXPECT_EQ(0, sum.lost + sum.unresolved);
	EXPECT_EQ(0, fixture_take(y));
	hc_balance_topo_free(&t);
}

TEST_HARNESS_MAIN
