// SPDX-License-Identifier: GPL-2.0
/*
 * Plans are replaced and removed while processes contribute. Each process gets the ends of its
 * contributions in order, once each, whichever installation of the plan a contribution belonged to.
 * When a fault or a close affects many plans, each process gets all its ends, once each.
 *
 * Scheduling: shared
 */
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cube.h"
#include "ktap.h"

#define PLAN 1
#define SOURCE 0
/* Greatest number of contributions of a process whose end it has not yet received; it is greater
 * than a plan's window.
 */
#define AHEAD 200

/* A thread that replaces a plan of type @type repeatedly. @removes: it also removes the plan before
 * every second installation. @done: it has finished. @err: its first error.
 */
struct replacer {
	struct cube *c;
	unsigned int type;
	bool removes;
	bool done;
	int err;
};

/**
 * struct teller - what one process has sent and received
 * @sent: number of contributions that the kernel accepted
 * @got_news: number of the last contribution whose end the process has received
 * @good: number of ends with status 0
 * @wrong: number of records that were not about the next contribution
 * @err: an unexpected error
 */
struct teller {
	uint64_t sent;
	uint64_t got_news;
	uint64_t good;
	unsigned int wrong;
	int err;
};

static int install(struct cube *c, unsigned int type)
{
	switch (type) {
	case HYPERCUBE_PLAN_BCAST:
		return cube_bcast_plan(c, PLAN, SOURCE, HC_BCAST_GENERAL);
	case HYPERCUBE_PLAN_DOUBLING:
		return cube_doubling(c, PLAN, hc_ones(c->dim), 0);
	}
	return cube_plan_to(c, PLAN, 1);
}

static void *replace(void *arg)
{
	struct replacer *r = arg;
	unsigned int i;

	for (i = 0; i < scaled(60) && !r->err; i++) {
		poll(NULL, 0, 5 + below(20));
		if (r->removes && i % 2)
			r->err = ctl_plan_del(r->c->name, PLAN);
		if (!r->err)
			r->err = install(r->c, r->type);
	}
	__atomic_store_n(&r->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Contribute once at node @u, unless AHEAD of its contributions have not yet ended. */
static void contribute(const struct cube *c, struct teller *t, unsigned int u, unsigned int type)
{
	bool bcast = type == HYPERCUBE_PLAN_BCAST;
	const struct hypercube_op op = {
		.plan = PLAN, .cookie = t[u].sent + 1, .bytes = bcast ? sizeof(t->sent) : 0,
		.collective = bcast ? HYPERCUBE_BCAST : HYPERCUBE_BARRIER,
		.flags = bcast ? HYPERCUBE_F_NOTIFY : 0,
	};
	ssize_t n;

	if (t[u].sent - t[u].got_news >= AHEAD || (bcast && u != SOURCE))
		return;
	n = shc_send(c->fd[u], &op, &op.cookie, op.bytes, MSG_DONTWAIT);
	if (n >= 0)
		t[u].sent++;
	else if (n != -EAGAIN && n != -ENOBUFS && n != -ENOENT && n != -ECANCELED)
		t[u].err = (int)n;
}

/* Receive all ends that have arrived at node @u. The data of a broadcast's message are its number.
 * If a message fails, only the source learns its number.
 */
static void hear(const struct cube *c, struct teller *t, unsigned int u, unsigned int type)
{
	bool receives = type == HYPERCUBE_PLAN_BCAST && u != SOURCE;
	struct hypercube_result res;
	uint64_t which;
	bool eor;

	while (shc_recv(c->fd[u], &which, sizeof(which), &res, &eor, MSG_DONTWAIT) >= 0) {
		if (!receives)
			which = res.cookie;
		else if (res.status)
			which = t[u].got_news + 1;
		t[u].wrong += !eor ||
			      (receives ? which <= t[u].got_news : which != t[u].got_news + 1);
		t[u].got_news = which;
		t[u].good += !res.status;
		if (res.status && res.status != -ESTALE && res.status != -ECANCELED)
			t[u].err = res.status;
	}
}

/* Return: true if each process has received the ends of all its contributions. */
static bool all_received(const struct cube *c, const struct teller *t, unsigned int type)
{
	unsigned int u;

	for (u = 0; u < c->nodes; u++)
		if (t[u].got_news != t[u].sent && (type != HYPERCUBE_PLAN_BCAST || u == SOURCE))
			return false;
	return true;
}

static void replaced_under_load(struct __test_metadata *_metadata, unsigned int type, bool removes)
{
	struct replacer r = { .type = type, .removes = removes };
	struct teller t[4] = { { 0 } };
	unsigned int u, round;
	pthread_t thread;
	struct cube c;
	uint64_t end;

	ASSERT_EQ(0, cube_bound(&c, 2, 0));
	ASSERT_EQ(0, install(&c, type));
	r.c = &c;
	ASSERT_EQ(0, pthread_create(&thread, NULL, replace, &r));
	for (round = 0; !__atomic_load_n(&r.done, __ATOMIC_ACQUIRE); round++)
		for (u = 0; u < c.nodes; u++) {
			/* In each fourth round only node 0 contributes, so it gets ahead of the
			 * others.
			 */
			if (!u || round % 4)
				contribute(&c, t, u, type);
			hear(&c, t, u, type);
		}
	pthread_join(thread, NULL);
	EXPECT_EQ(0, r.err);
	/* No more contributions follow. Installing the plan once more ends all contributions that
	 * have not ended.
	 */
	EXPECT_EQ(0, install(&c, type));
	for (end = deadline(5); !all_received(&c, t, type) && now_ms() < end;) {
		poll(NULL, 0, 1);
		for (u = 0; u < c.nodes; u++)
			hear(&c, t, u, type);
	}
	EXPECT_TRUE(all_received(&c, t, type));
	for (u = 0; u < c.nodes; u++) {
		EXPECT_EQ(0, t[u].wrong);
		EXPECT_EQ(0, t[u].err);
		EXPECT_GT(t[u].good, 0);
	}
	printf("# %llu contributions of node 0, %llu ended well\n",
	       (unsigned long long)t[0].sent, (unsigned long long)t[0].good);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_CALL(completions_are_in_order_while_tree_is_replaced,
	  replaced_under_load, HYPERCUBE_PLAN_TREE, false)
TEST_CALL(completions_are_in_order_while_tree_is_removed_and_reinstalled,
	  replaced_under_load, HYPERCUBE_PLAN_TREE, true)
TEST_CALL(completions_are_in_order_while_doubling_plan_is_replaced,
	  replaced_under_load, HYPERCUBE_PLAN_DOUBLING, false)
TEST_CALL(completions_are_in_order_while_doubling_plan_is_reinstalled,
	  replaced_under_load, HYPERCUBE_PLAN_DOUBLING, true)
TEST_CALL(completions_are_in_order_while_broadcast_is_replaced,
	  replaced_under_load, HYPERCUBE_PLAN_BCAST, false)
TEST_CALL(completions_are_in_order_while_broadcast_plan_is_reinstalled,
	  replaced_under_load, HYPERCUBE_PLAN_BCAST, true)

/* Number of plans; it is greater than the number that one poll of a node handles. */
#define MANY 100

/**
 * struct listener - what a process has received of many plans
 * @got_news: for each plan, bit n is set if the end of contribution n was received
 * @wrong: records about a contribution whose end was already received, or with a wrong status
 */
struct listener {
	unsigned int got_news[MANY + 1];
	unsigned int wrong;
};

/* Make a cube with MANY plans, whose roots are nodes with numbers below @sinks. */
static int many_new(struct cube *c, unsigned int sinks)
{
	int err = cube_new(c, 3, 0);
	unsigned int p;

	if (!err)
		err = cube_bind_all(c);
	for (p = 1; p <= MANY && !err; p++)
		err = cube_plan_to(c, p, p % sinks);
	return err;
}

/* Let each of the nodes @first to @last contribute once to each plan, with the cookie @nr. */
static int many_begin(const struct cube *c, unsigned int first, unsigned int last,
		      unsigned int nr)
{
	unsigned int u, p;
	ssize_t err;

	for (u = first; u <= last; u++)
		for (p = 1; p <= MANY; p++) {
			const struct hypercube_op op = {
				.plan = p, .cookie = nr, .collective = HYPERCUBE_BARRIER,
			};

			err = shc_send(c->fd[u], &op, NULL, 0, 0);
			if (err < 0)
				return (int)err;
		}
	return 0;
}

/* Wait until the members of the last plan at node @first and all following nodes have taken @nr
 * contributions. Return: false if this takes longer than the time limit.
 */
static bool many_taken(const struct cube *c, unsigned int first, unsigned int nr)
{
	uint64_t end = deadline(10);
	struct wait_view v;
	unsigned int u;

	for (u = first; u < c->nodes; u++)
		do {
			if (ctl_op_get(c->name, MANY, u, &v) || now_ms() > end)
				return false;
		} while (v.next < nr);
	return true;
}

static bool is_success(int status)
{
	return !status;
}

static bool is_close(int status)
{
	return status == -ECONNRESET;
}

static bool is_success_or_close(int status)
{
	return is_success(status) || is_close(status);
}

/* Return: true if @status is an error that a link fault or the removal of a plan causes. */
static bool is_fault(int status)
{
	return status == -ENOLINK || status == -EHOSTUNREACH || status == -ESTALE;
}

/* Receive all ends that have arrived at node @u. @right: a function that returns true if the status
 * of an end is right.
 */
static void many_receive(const struct cube *c, struct listener *l, unsigned int u,
			 bool (*right)(int status))
{
	struct hypercube_result res;
	char none;
	bool eor;

	while (shc_recv(c->fd[u], &none, sizeof(none), &res, &eor, MSG_DONTWAIT) >= 0) {
		unsigned int number = 1u << res.cookie;

		if (l->got_news[res.plan % (MANY + 1)] & number || !right(res.status)) {
			if (!l->wrong++)
				printf("# node %u, plan %u: %lld ends with %d\n", u, res.plan,
				       (long long)res.cookie, res.status);
		}
		l->got_news[res.plan % (MANY + 1)] |= number;
	}
}

/* Return: true if each of the nodes @first to @last that has an open socket has received, from each
 * plan, exactly the ends whose numbers are in the set @numbers.
 */
static bool many_received(const struct cube *c, const struct listener *l, unsigned int first,
			  unsigned int last, unsigned int numbers)
{
	unsigned int u, p;

	for (u = first; u <= last; u++)
		for (p = 1; p <= MANY; p++)
			if (c->fd[u] >= 0 && l[u].got_news[p] != numbers)
				return false;
	return true;
}

/* Receive until many_received() returns true. Return: false if this takes longer than the time
 * limit.
 */
static bool many_wait(const struct cube *c, struct listener *l, unsigned int first,
		      unsigned int last, unsigned int numbers, bool (*right)(int status))
{
	uint64_t end = deadline(10);
	unsigned int u;

	while (!many_received(c, l, first, last, numbers) && now_ms() < end) {
		poll(NULL, 0, 1);
		for (u = first; u <= last; u++)
			if (c->fd[u] >= 0)
				many_receive(c, &l[u], u, right);
	}
	return many_received(c, l, first, last, numbers);
}

/* Clear the record of the ends that have been received. */
static void received_clear(struct listener *l)
{
	unsigned int u;

	for (u = 0; u < 8; u++)
		memset(l[u].got_news, 0, sizeof(l[u].got_news));
}

static unsigned int all_wrong(const struct listener *l)
{
	unsigned int u, n = 0;

	for (u = 0; u < 8; u++)
		n += l[u].wrong;
	return n;
}

/* Processes have begun operations, which cannot end, since node 0 does not contribute. Now a link
 * fails, and at the same time some of the plans are removed.
 */
TEST(operations_of_many_plans_end_once_after_a_link_fault)
{
	struct listener l[8] = { 0 };
	struct cube c;
	unsigned int p, i;
	int status;
	pid_t pid;

	ASSERT_EQ(0, many_new(&c, 1));
	for (i = 1; i <= 3; i++)
		ASSERT_EQ(0, many_begin(&c, 1, 7, i));
	ASSERT_TRUE(many_taken(&c, 1, 3));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		for (p = 1, status = 0; p <= MANY && !status; p += 3)
			status = ctl_plan_del(c.name, p);
		_exit(!!status);
	}
	EXPECT_EQ(0, cube_fail_link(&c, 0, 0));
	EXPECT_TRUE(many_wait(&c, l, 1, 7, 1 << 1 | 1 << 2 | 1 << 3, is_fault));
	EXPECT_EQ(0, all_wrong(l));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, cube_del(&c));
}

/* Node 5 leaves after it has contributed to the first of three operations, which completes without
 * it. The second operation fails for all processes, including that of node 0, which begins it later
 * than the others. In each plan, the next socket that is bound to node 5 takes part in the third
 * operation.
 */
TEST(operations_of_many_plans_end_once_after_a_socket_is_closed)
{
	struct listener l[8] = { 0 };
	struct cube c;

	ASSERT_EQ(0, many_new(&c, 4));
	ASSERT_EQ(0, many_begin(&c, 1, 7, 1));
	ASSERT_EQ(0, many_begin(&c, 1, 4, 2));
	ASSERT_EQ(0, many_begin(&c, 6, 7, 2));
	cube_close(&c, 5);
	ASSERT_EQ(0, many_begin(&c, 0, 0, 1));
	EXPECT_TRUE(many_wait(&c, l, 0, 0, 1 << 1, is_success));
	EXPECT_TRUE(many_wait(&c, l, 1, 7, 1 << 1 | 1 << 2, is_success_or_close));
	ASSERT_EQ(0, many_begin(&c, 0, 0, 2));
	received_clear(l);
	EXPECT_TRUE(many_wait(&c, l, 0, 0, 1 << 2, is_close));
	ASSERT_EQ(0, cube_bind(&c, 5));
	received_clear(l);
	ASSERT_EQ(0, many_begin(&c, 0, 7, 2));
	EXPECT_TRUE(many_wait(&c, l, 0, 7, 1 << 2, is_success));
	EXPECT_EQ(0, all_wrong(l));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
