// SPDX-License-Identifier: GPL-2.0
/*
 * Guarded plans: processes leave at any time while their nodes stay up, and nodes recover without a
 * process. The other processes go on, and none waits for ever. The test itself acts as the guard.
 *
 * Scheduling: alone
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define TESTS_TOGETHER
#include "cube.h"
#include "ktap.h"

#define PLAN	1
#define NODES	8
#define GUARD_MS 20000

/**
 * struct work - a cube, and processes that sum: node u contributes 1 << u
 * @c: the cube
 * @without: nodes that the plan leaves out
 * @epochs: number of times that the plan was installed again
 * @out: for each process, the number of contributions whose end it has not received
 * @status: for each process, the status of the last end
 * @op: for each process, the number of the operation of the last end
 * @set: for each process, the set of members whose contributions are in the last result
 * @named: for each process, the members that the last result names as missing
 */
struct work {
	struct cube c;
	uint64_t without;
	unsigned int epochs;
	unsigned int out[NODES];
	int status[NODES];
	uint64_t op[NODES];
	uint64_t set[NODES];
	struct shc_named named[NODES];
};

/* Install the first plan, of recursive doubling or a tree; later epochs are trees. */
static int plan_first(struct cube *c, bool doubling)
{
	return doubling ? cube_doubling(c, PLAN, NODES - 1, 0) : cube_plan_to(c, PLAN, 0);
}

static int begin(struct work *w, bool doubling, unsigned int guard)
{
	memset(w, 0, sizeof(*w));
	ctl_guard(guard);
	return cube_new(&w->c, 3, 4096) ?: plan_first(&w->c, doubling) ?: cube_bind_all(&w->c);
}

static int end(struct work *w)
{
	ctl_guard(0);
	return cube_del(&w->c);
}

static const struct hypercube_op sum = {
	.plan = PLAN, .collective = HYPERCUBE_ALLREDUCE, .oper = HYPERCUBE_SUM,
	.type = HYPERCUBE_U64, .bytes = 8,
};

/* Contribute 1 << @u at node @u. */
static void give(struct work *w, unsigned int u)
{
	uint64_t own = 1ull << u;

	w->out[u] += shc_send(w->c.fd[u], &sum, &own, sizeof(own), MSG_DONTWAIT) == 8;
}

static void give_all(struct work *w, uint64_t set)
{
	unsigned int u;

	for (u = 0; u < NODES; u++)
		if (set >> u & 1)
			give(w, u);
}

/* Receive the ends of all contributions of node @u that have arrived. */
static void hear(struct work *w, unsigned int u)
{
	struct hypercube_result res;
	struct shc_named named;
	bool eor = false;
	uint64_t v;
	ssize_t n;

	while (w->out[u] && (n = shc_recv_named(w->c.fd[u], &v, sizeof(v), &res, &eor,
						MSG_DONTWAIT, &named)) >= 0) {
		if (n)
			w->set[u] = v;
		if (!eor)
			continue;
		w->out[u]--;
		w->status[u] = res.status;
		w->op[u] = res.op;
		w->named[u] = named;
	}
}

static void plan_again(struct work *w)
{
	int err = cube_plan_without(&w->c, PLAN, HC_ANY_SINK, w->without);

	if (err)
		printf("# plan: %d\n", err);
	w->epochs++;
}

/* Act as the guard: if the plan is broken, install the next epoch, without any node whose process
 * has left.
 */
static void tend(struct work *w)
{
	struct plan_cause cause;

	if (ctl_plan_cause(w->c.name, PLAN, &cause) || !cause.broken)
		return;
	if (cause.status == ECONNRESET)
		w->without |= 1ull << cause.node;
	plan_again(w);
}

/* Wait until all processes of the set @set have received the ends of all their contributions.
 * @guard: act as the guard meanwhile. Return: false if this takes longer than the time limit.
 */
static bool all_hear(struct work *w, uint64_t set, bool guard)
{
	uint64_t until = deadline(10);
	bool waits = true;
	unsigned int u;

	while (waits && now_ms() < until) {
		waits = false;
		for (u = 0; u < NODES; u++) {
			if (!(set >> u & 1))
				continue;
			hear(w, u);
			waits |= w->out[u];
		}
		if (guard)
			tend(w);
		usleep(1000);
	}
	if (waits)
		ctl_op_print(w->c.name);
	return !waits;
}

/* Let all processes of the set @set contribute, several times if necessary, until all get a result
 * with exactly their contributions. Return: false if they do not.
 */
static bool go_on(struct work *w, uint64_t set)
{
	unsigned int u, tries;
	bool right = false;

	for (tries = 0; tries < 8 && !right; tries++) {
		give_all(w, set);
		if (!all_hear(w, set, true))
			return false;
		right = true;
		for (u = 0; u < NODES; u++)
			right &= !(set >> u & 1) || (!w->status[u] && w->set[u] == set);
	}
	return right;
}

/* Let the process at node @u leave. */
static void quit(struct work *w, unsigned int u)
{
	cube_close(&w->c, u);
	w->out[u] = 0;
	usleep(20000);
}

/* Fail the link of the root in the last stage of the tree. */
static int break_by_link(struct work *w)
{
	const struct hc_tree *t = &w->c.plan.tree;
	unsigned int dim = t->order[t->stages - 1];
	int err = cube_fail_link(&w->c, t->sink, dim);

	usleep(20000);
	return err;
}

TEST_BOTH(others_go_on_when_process_leaves_after_guard_timeout, doubling)
{
	struct work w;

	ASSERT_EQ(0, begin(&w, doubling, 200));
	EXPECT_TRUE(go_on(&w, 0xff));
	give_all(&w, 0xfe);
	EXPECT_EQ(0, break_by_link(&w));
	give(&w, 0);
	EXPECT_TRUE(all_hear(&w, 0xff, false));
	EXPECT_EQ(-ENOLINK, w.status[3]);
	quit(&w, 5);
	ctl_guard(GUARD_MS);
	plan_again(&w);
	EXPECT_TRUE(go_on(&w, 0xdf));
	EXPECT_EQ(0, end(&w));
}

TEST_BOTH(operation_fails_once_when_two_leave_and_one_is_replaced, doubling)
{
	struct work w;

	ASSERT_EQ(0, begin(&w, doubling, GUARD_MS));
	EXPECT_TRUE(go_on(&w, 0xff));
	quit(&w, 5);
	quit(&w, 6);
	EXPECT_EQ(0, cube_bind(&w.c, 6));
	give(&w, 6);
	usleep(50000);
	/* All processes must get the end of this operation, and only once. */
	give_all(&w, 0x9f);
	EXPECT_TRUE(all_hear(&w, 0x9f, true));
	EXPECT_EQ(-ECONNRESET, w.status[0]);
	give_all(&w, 0x9f);
	EXPECT_TRUE(all_hear(&w, 0xdf, true));
	EXPECT_EQ(0xdf, w.set[0]);
	EXPECT_EQ(0xdf, w.set[6]);
	EXPECT_EQ(0, end(&w));
}

/* The contributions of a process that has left wait before those of the process that has replaced
 * it. All of them fail with operation 1, to which node 6 contributes too much, so all processes
 * must continue with operation 2.
 */
TEST_BOTH(failure_tells_replacing_process_where_operations_continue, doubling)
{
	static const uint64_t both[2];
	struct hypercube_op longer = sum;
	unsigned int u;
	struct work w;

	longer.bytes = sizeof(both);
	ASSERT_EQ(0, begin(&w, doubling, GUARD_MS));
	EXPECT_TRUE(go_on(&w, 0xff));
	for (u = 0; u < 3; u++)
		give(&w, 3);
	EXPECT_EQ(0, break_by_link(&w));
	quit(&w, 3);
	EXPECT_EQ(0, cube_bind(&w.c, 3));
	give_all(&w, 0xbf);
	EXPECT_EQ(16, shc_send(w.c.fd[6], &longer, both, sizeof(both), MSG_DONTWAIT));
	w.out[6]++;
	plan_again(&w);
	EXPECT_TRUE(all_hear(&w, 0xff, true));
	for (u = 0; u < NODES; u++) {
		EXPECT_EQ(-EPROTO, w.status[u]);
		EXPECT_EQ(1, w.op[u]);
	}
	EXPECT_TRUE(go_on(&w, 0xff));
	for (u = 1; u < NODES; u++)
		EXPECT_EQ(w.op[0], w.op[u]);
	EXPECT_EQ(0, end(&w));
}

TEST_BOTH(result_names_two_processes_that_left_without_contributing, doubling)
{
	struct work w;

	ASSERT_EQ(0, begin(&w, doubling, GUARD_MS));
	give_all(&w, 0x9f);
	usleep(20000);
	quit(&w, 5);
	quit(&w, 6);
	EXPECT_TRUE(all_hear(&w, 0x9f, true));
	EXPECT_EQ(0x9f, w.set[0]);
	EXPECT_EQ(0x60, w.named[0].missing[0]);
	EXPECT_EQ(0, end(&w));
}

TEST_BOTH(operation_succeeds_when_process_leaves_awaiting_next_epoch, doubling)
{
	bool gives;

	for (gives = false;; gives = true) {
		struct work w;

		ASSERT_EQ(0, begin(&w, doubling, GUARD_MS));
		EXPECT_TRUE(!gives || go_on(&w, 0xff));
		give_all(&w, 0xdf);
		EXPECT_EQ(0, break_by_link(&w));
		quit(&w, 5);
		plan_again(&w);
		EXPECT_TRUE(all_hear(&w, 0xdf, true));
		EXPECT_EQ(0xdf, w.set[0]);
		EXPECT_EQ(0, end(&w));
		if (gives)
			break;
	}
}

TEST_BOTH(recovered_node_without_process_does_not_block_operations, doubling)
{
	struct work w;

	ASSERT_EQ(0, begin(&w, doubling, GUARD_MS));
	EXPECT_TRUE(go_on(&w, 0xff));
	EXPECT_EQ(0, cube_fail_node(&w.c, 5));
	quit(&w, 5);
	tend(&w);
	EXPECT_TRUE(go_on(&w, 0xdf));
	EXPECT_EQ(0, cube_heal(&w.c));
	EXPECT_EQ(0, break_by_link(&w));
	plan_again(&w);
	EXPECT_TRUE(cube_member(&w.c, 5));
	EXPECT_TRUE(go_on(&w, 0xdf));
	/* Now the node recovers, and a process is bound to it. */
	EXPECT_EQ(0, cube_heal(&w.c));
	EXPECT_EQ(0, cube_bind(&w.c, 5));
	w.without = 0;
	EXPECT_EQ(0, break_by_link(&w));
	plan_again(&w);
	EXPECT_TRUE(go_on(&w, 0xff));
	EXPECT_EQ(0, end(&w));
}

/* Wait until the members run operations again. */
static void quiet(void)
{
	usleep(100000);
}

/* The process has not contributed to the plan when it leaves. */
TEST_BOTH(leave_at_recovered_node_before_contributing_does_not_block_others, doubling)
{
	struct work w;

	ASSERT_EQ(0, begin(&w, doubling, GUARD_MS));
	EXPECT_TRUE(go_on(&w, 0xff));
	EXPECT_EQ(0, cube_fail_node(&w.c, 5));
	quit(&w, 5);
	tend(&w);
	EXPECT_TRUE(go_on(&w, 0xdf));
	EXPECT_EQ(0, cube_heal(&w.c));
	EXPECT_EQ(0, cube_bind(&w.c, 5));
	EXPECT_EQ(0, break_by_link(&w));
	plan_again(&w);
	EXPECT_TRUE(cube_member(&w.c, 5));
	quiet();
	quit(&w, 5);
	EXPECT_TRUE(go_on(&w, 0xdf));
	EXPECT_EQ(0, end(&w));
}

/* The process has replaced one that has contributed and left. */
TEST_BOTH(leave_of_replacement_before_contributing_does_not_block_others, doubling)
{
	struct work w;

	ASSERT_EQ(0, begin(&w, doubling, GUARD_MS));
	EXPECT_TRUE(go_on(&w, 0xff));
	EXPECT_EQ(0, break_by_link(&w));
	quit(&w, 5);
	EXPECT_EQ(0, cube_bind(&w.c, 5));
	plan_again(&w);
	quiet();
	quit(&w, 5);
	EXPECT_TRUE(go_on(&w, 0xdf));
	EXPECT_EQ(0, end(&w));
}

/* No process of node 5 has contributed to the plan: the program may start late there. */
TEST(others_wait_for_late_process_although_one_came_and_left)
{
	struct plan_cause cause;
	struct work w;
	bool came;

	for (came = false;; came = true) {
		ASSERT_EQ(0, begin(&w, false, GUARD_MS));
		cube_close(&w.c, 5);
		if (came) {
			EXPECT_EQ(0, cube_bind(&w.c, 5));
			quit(&w, 5);
		}
		give_all(&w, 0xdf);
		usleep(100000);
		EXPECT_EQ(0, ctl_plan_cause(w.c.name, PLAN, &cause));
		EXPECT_FALSE(cause.broken);
		EXPECT_EQ(0, cube_bind(&w.c, 5));
		give(&w, 5);
		EXPECT_TRUE(all_hear(&w, 0xff, false));
		EXPECT_EQ(0, w.status[0]);
		EXPECT_EQ(0xff, w.set[0]);
		EXPECT_EQ(0, end(&w));
		if (came)
			break;
	}
}

/* The process of node 5 does something else while its node is left out and taken in again. The
 * others have run operations without it, so its next contribution would belong to a wrong one.
 */
TEST_BOTH(idle_process_is_notified_that_its_node_was_left_out, doubling)
{
	const unsigned int u = 5;
	struct work w;

	EXPECT_EQ(0, begin(&w, doubling, GUARD_MS));
	EXPECT_TRUE(go_on(&w, 0xff));
	w.without = 1 << u;
	plan_again(&w);
	EXPECT_TRUE(go_on(&w, 0xff & ~(1 << u)));
	plan_again(&w);
	EXPECT_TRUE(go_on(&w, 0xff & ~(1 << u)));
	w.without = 0;
	plan_again(&w);
	give(&w, u);
	EXPECT_TRUE(all_hear(&w, 1 << u, false));
	EXPECT_EQ(-EHOSTDOWN, w.status[u]);
	EXPECT_TRUE(go_on(&w, 0xff));
	EXPECT_EQ(w.op[0], w.op[u]);
	EXPECT_EQ(0, end(&w));
}

/* A process leaves after it has sent half of a contribution to an operation that no other process
 * has begun.
 */
TEST_BOTH(partial_contribution_of_left_process_does_not_block_others, doubling)
{
	static const unsigned char half[100000];
	struct hypercube_op op = sum;
	struct plan_cause cause;
	struct work w;

	ASSERT_EQ(0, begin(&w, doubling, GUARD_MS));
	op.bytes = 2 * sizeof(half);
	EXPECT_GT(shc_send(w.c.fd[5], &op, half, sizeof(half), MSG_DONTWAIT), 0);
	quit(&w, 5);
	usleep(100000);
	EXPECT_EQ(0, ctl_plan_cause(w.c.name, PLAN, &cause));
	EXPECT_FALSE(cause.broken);
	EXPECT_TRUE(go_on(&w, 0xdf));
	EXPECT_EQ(0, end(&w));
}

/* Each process gets one end of the barrier, which names the missing member. */
TEST_BOTH(barrier_without_member_fails_only_with_all_or_nothing, doubling)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_BARRIER,
		.flags = HYPERCUBE_F_ALL_OR_NOTHING,
	};
	struct hypercube_result res;
	struct shc_named named;
	unsigned int u;
	struct work w;
	bool eor;

	ASSERT_EQ(0, begin(&w, doubling, GUARD_MS));
	EXPECT_TRUE(go_on(&w, 0xff));
	quit(&w, 5);
	EXPECT_TRUE(go_on(&w, 0xdf));
	for (u = 0; u < NODES; u++) {
		if (u != 5)
			EXPECT_EQ(0, shc_send(w.c.fd[u], &op, NULL, 0, 0));
		/* Only the process at node 0 requires all or nothing. */
		op.flags = 0;
	}
	EXPECT_TRUE(readable(w.c.fd[0], 10));
	EXPECT_EQ(0, shc_recv_named(w.c.fd[0], NULL, 0, &res, &eor, MSG_DONTWAIT, &named));
	EXPECT_TRUE(eor);
	EXPECT_EQ(-EHOSTUNREACH, res.status);
	EXPECT_EQ(5, res.cause_node);
	EXPECT_EQ(0x20, named.missing[0]);
	EXPECT_TRUE(readable(w.c.fd[1], 10));
	EXPECT_EQ(0, shc_recv_named(w.c.fd[1], NULL, 0, &res, &eor, MSG_DONTWAIT, &named));
	EXPECT_TRUE(eor && !res.status && named.missing[0] == 0x20);
	EXPECT_EQ(0, end(&w));
}

TEST_HARNESS_MAIN
