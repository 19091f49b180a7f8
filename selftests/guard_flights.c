// SPDX-License-Identifier: GPL-2.0
/*
 * Guarded plans in long runs: processes sum their bits while links flap, nodes fail and recover,
 * and processes leave. Each result is checked: which members are in it, which members it names as
 * missing, and that it is the same at all members. The test itself acts as the guard.
 *
 * Scheduling: alone
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TESTS_TOGETHER
#include "cube.h"
#include "ktap.h"

#define PLAN	1
#define GUARD_MS 20000
#define NUMBERS	4096
#define AHEAD	6

/**
 * struct runner - a process that contributes to sums of one element, one after another
 * @fd: its socket, or -1
 * @out: contributions whose end it has not received
 * @next: number of the next operation; no earlier one may still end
 * @ok: operations of which it has received a result
 * @set: the sets in these results
 * @part: data of a result whose end it has not received yet
 * @strict: it requires results with the contributions of all members, or none
 * @came: the process has replaced another one, and has received nothing yet
 * @other: operations whose results went to the process before it
 */
struct runner {
	int fd;
	unsigned int out;
	uint64_t next;
	bool ok[NUMBERS];
	uint64_t set[NUMBERS];
	uint64_t part;
	bool strict;
	bool came;
	bool other[NUMBERS];
};

/**
 * struct flight - runners, and the faults that are injected
 * @c: the cube
 * @r: a runner for each node
 * @fails: operations may fail
 * @nodes: nodes fail and recover
 * @gone: the node that has failed, or 8
 * @cuts: links that have failed
 * @quit_at: the first operation that no node had begun when a process left
 * @failures: operations that failed
 * @restarts: results of operations that were begun again
 * @named: results that named missing members
 * @refused: results that failed for a strict runner because a member was missing
 * @wrong: errors found
 */
struct flight {
	struct cube c;
	struct runner r[8];
	bool fails;
	bool nodes;
	unsigned int gone;
	unsigned int cuts;
	uint64_t quit_at;
	unsigned int failures;
	unsigned int restarts;
	unsigned int named;
	unsigned int refused;
	unsigned int wrong;
};

/* Does a result name exactly the members that are not in @set? All nodes have been members. */
static bool names_fit(const struct flight *f, const struct shc_named *named, uint64_t set)
{
	if (!named->named)
		return set == 0xff;
	return named->places[0] == 0xff && named->missing[0] == (~set & 0xff) &&
	       named->missing[0] && f->c.nodes == 8;
}

static void take(struct flight *f, unsigned int u, const struct hypercube_result *res,
		 uint64_t set, const struct shc_named *named)
{
	struct runner *r = &f->r[u];
	bool refused = r->strict && named->named;

	r->out--;
	f->named += named->named;
	f->refused += refused;
	if (res->status && !(refused && res->status == -EHOSTUNREACH)) {
		f->failures++;
		if (!f->fails) {
			printf("# node %u, operation %llu: %d\n", u, (unsigned long long)res->op,
			       res->status);
			f->wrong++;
		}
		return;
	}
	f->restarts += !!res->restarts;
	if (res->op < r->next || res->op >= NUMBERS || !(set >> u & 1) ||
	    !names_fit(f, named, set) || refused != !!res->status) {
		printf("# node %u, operation %llu behind %llu: set %llx, missing %x, status %d\n",
		       u, (unsigned long long)res->op, (unsigned long long)r->next,
		       (unsigned long long)set, named->named ? named->missing[0] : 0,
		       res->status);
		f->wrong++;
		return;
	}
	for (; r->came && r->next < res->op; r->next++)
		r->other[r->next] = true;
	r->came = false;
	r->next = res->op + 1;
	r->ok[res->op] = true;
	r->set[res->op] = set;
}

/* Receive all that has arrived; the end of a result may come in a later record than its data. */
static void hear(struct flight *f, unsigned int u)
{
	struct runner *r = &f->r[u];
	struct hypercube_result res;
	struct shc_named named;
	uint64_t set = 0;
	bool eor;
	ssize_t n;

	while ((n = shc_recv_named(r->fd, &set, sizeof(set), &res, &eor, MSG_DONTWAIT,
				   &named)) >= 0) {
		if (n)
			r->part = set;
		if (!eor)
			continue;
		take(f, u, &res, r->part, &named);
		r->part = 0;
	}
}

static void run_once(struct flight *f, unsigned int u)
{
	struct runner *r = &f->r[u];
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLREDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .bytes = 8,
		.flags = r->strict ? HYPERCUBE_F_ALL_OR_NOTHING : 0,
	};
	uint64_t own = 1ull << u;
	ssize_t n;

	if (r->fd < 0)
		return;
	hear(f, u);
	if (r->out >= 1 + rnd() % AHEAD)
		return;
	n = shc_send(r->fd, &op, &own, sizeof(own), MSG_DONTWAIT);
	if (n == 8) {
		r->out++;
	} else if (n != -EAGAIN && n != -ENOBUFS && n != -ECANCELED) {
		printf("# node %u sends: %zd\n", u, n);
		f->wrong++;
	}
}

static void run_some(struct flight *f, unsigned int n)
{
	while (n--)
		run_once(f, rnd() % 8);
}

/* Plan again if a process left while others waited, and was then replaced. */
static void guard_again(struct flight *f)
{
	struct plan_cause cause;

	f->wrong += !!ctl_plan_cause(f->c.name, PLAN, &cause);
	if (cause.broken)
		f->wrong += cause.status != ECONNRESET || cube_plan(&f->c, PLAN);
}

/* Run until all processes have received the result of operation @nr. */
static void run_to(struct flight *f, uint64_t nr, int seconds)
{
	uint64_t until = deadline(seconds);
	unsigned int u, rounds = 0;
	bool all = false;

	while (!all && !f->wrong) {
		if (f->fails && ++rounds % 64 == 0)
			guard_again(f);
		all = true;
		for (u = 0; u < f->c.nodes; u++) {
			run_once(f, u);
			all &= f->r[u].fd < 0 || f->r[u].next > nr;
		}
		if (now_ms() > until) {
			printf("# operation %llu does not end\n", (unsigned long long)nr);
			ctl_op_print(f->c.name);
			f->wrong++;
		}
	}
}

/* A result that one process has received must have come to all, and be the same. */
static void compare(struct flight *f, uint64_t below)
{
	unsigned int u, v;
	uint64_t nr;

	for (nr = 0; nr < below; nr++)
		for (u = 0; u < f->c.nodes; u++)
			for (v = 0; v < u; v++) {
				const struct runner *a = &f->r[u], *b = &f->r[v];

				if (a->other[nr] || b->other[nr])
					continue;
				if (a->ok[nr] == b->ok[nr] && a->set[nr] == b->set[nr])
					continue;
				printf("# operation %llu: %llx at %u, %llx at %u\n",
				       (unsigned long long)nr, (unsigned long long)a->set[nr], u,
				       (unsigned long long)b->set[nr], v);
				f->wrong++;
				return;
			}
}

static int flight_begin(struct flight *f)
{
	unsigned int u;
	int err;

	memset(f, 0, sizeof(*f));
	ctl_guard(GUARD_MS);
	err = cube_new(&f->c, 3, 0) ?: cube_plan(&f->c, PLAN) ?: cube_bind_all(&f->c);
	for (u = 0; u < 8; u++) {
		f->r[u].fd = f->c.fd[u];
		f->r[u].strict = u % 3 == 1;
	}
	return err;
}

/* Let the process at node @u leave, and bind another one there. */
static void replace(struct flight *f, unsigned int u)
{
	cube_close(&f->c, u);
	f->r[u].out = 0;
	f->r[u].came = true;
	f->wrong += !!cube_bind(&f->c, u);
	f->r[u].fd = f->c.fd[u];
}

/* Fail a node; or, if one has failed, let it recover, with a new process. */
static int node_blow(struct flight *f, unsigned int node)
{
	/* A delay, so that faults occur while members agree on how to go on. */
	const struct impairments slow = { .delay = 300000 };
	uint64_t low, nr;
	unsigned int n;
	int err;

	if (f->gone < 8) {
		node = f->gone;
		f->gone = 8;
		err = cube_heal(&f->c) ?: cube_impair(&f->c, &slow) ?: cube_bind(&f->c, node) ?:
		      cube_plan(&f->c, PLAN);
		f->r[node].fd = f->c.fd[node];
		/* A fault may occur before the new member has received all that it needs. */
		run_some(f, rnd() % 40);
		if (err || rnd() % 2)
			return err ?: cube_fail_link(&f->c, rnd() % 8, rnd() % 3);
		node = rnd() % 8;
	}
	f->gone = node;
	/* Operations whose result only this node has received may be computed again without it. */
	low = f->r[node].next;
	for (n = 0; n < 8; n++)
		if (f->r[n].next < low)
			low = f->r[n].next;
	for (nr = low; nr < f->r[node].next; nr++)
		f->r[node].other[nr] = true;
	f->r[node].next = low;
	f->r[node].fd = -1;
	f->r[node].out = 0;
	f->r[node].came = true;
	err = cube_fail_node(&f->c, node);
	cube_close(&f->c, node);
	return err;
}

static void random_blow(struct flight *f)
{
	unsigned int node = rnd() % 8, dim = rnd() % 3;
	int err = 0;

	switch (f->nodes ? 4 : rnd() % 4) {
	case 4:
		err = node_blow(f, node);
		break;
	case 0:
		err = cube_heal(&f->c);
		break;
	case 1:
		if (f->fails)
			replace(f, node);
		break;
	default:
		/* With two links down all nodes remain members. */
		err = f->cuts++ % 2 ? 0 : cube_heal(&f->c);
		err = err ?: cube_fail_link(&f->c, node, dim);
	}
	run_some(f, rnd() % 40);
	err = err ?: cube_plan(&f->c, PLAN);
	if (err) {
		printf("# blow: %d\n", err);
		f->wrong++;
	}
}

static void fly(struct __test_metadata *_metadata, bool fails, bool nodes)
{
	unsigned int blows = scaled(400), i;
	struct flight f;
	uint64_t to = 0;

	ASSERT_EQ(0, flight_begin(&f));
	f.fails = fails;
	f.nodes = nodes;
	f.gone = 8;
	for (i = 0; i < blows && !f.wrong; i++) {
		unsigned int n;

		run_some(&f, rnd() % 60);
		random_blow(&f);
		if (i % 16)
			continue;
		for (n = 0; n < 8; n++)
			if (f.r[n].fd >= 0 && f.r[n].next > to)
				to = f.r[n].next;
		to += 3;
		run_to(&f, to, 20);
	}
	run_to(&f, to + 3, 20);
	compare(&f, to);
	printf("# %llu operations, %u results of those that were begun again, %u of fewer, %u failures told\n",
	       (unsigned long long)to, f.restarts, f.named, f.failures);
	EXPECT_EQ(0, f.wrong);
	EXPECT_TRUE(f.restarts);
	EXPECT_TRUE(fails || !f.failures);
	EXPECT_EQ(nodes, f.named && f.refused);
	ctl_guard(0);
	EXPECT_EQ(0, cube_del(&f.c));
}

/* Let a process leave while its node stays up, and the others go on without it; then bind another
 * process there.
 */
static int quit(struct flight *f, unsigned int u)
{
	struct plan_cause cause = {};
	uint64_t until = deadline(20);
	unsigned int n;
	int err;

	/* Wait until the process has contributed: if it left before that, nothing would break. */
	run_to(f, f->quit_at, 20);
	run_some(f, rnd() % 60);
	cube_close(&f->c, u);
	f->r[u].fd = -1;
	f->r[u].out = 0;
	f->r[u].came = true;
	while (!cause.broken && now_ms() < until) {
		run_some(f, 20);
		err = ctl_plan_cause(f->c.name, PLAN, &cause);
		if (err)
			return err;
	}
	if (cause.status != ECONNRESET || cause.node != u) {
		printf("# broken %d by %d at %u, not at %u\n", cause.broken, cause.status,
		       cause.node, u);
		return -EBADMSG;
	}
	run_some(f, rnd() % 40);
	err = cube_plan_without(&f->c, PLAN, HC_ANY_SINK, 1ull << u);
	for (n = 0; n < 8; n++)
		if (f->r[n].next > f->quit_at)
			f->quit_at = f->r[n].next;
	f->quit_at += 3;
	run_to(f, f->quit_at, 20);
	f->quit_at += 3;
	err = err ?: cube_bind(&f->c, u) ?: cube_plan(&f->c, PLAN);
	f->r[u].fd = f->c.fd[u];
	return err;
}

TEST(processes_quit_and_the_others_go_on)
{
	unsigned int i, n = scaled(100), u;
	struct flight f;
	uint64_t to;
	int err;

	ASSERT_EQ(0, flight_begin(&f));
	for (i = 0; i < n && !f.wrong; i++) {
		u = rnd() % 8;
		err = quit(&f, u);
		if (err) {
			printf("# process %u of node %u quits: %d\n", i, u, err);
			f.wrong++;
		}
	}
	to = f.quit_at + 10;
	run_to(&f, to, 20);
	compare(&f, to);
	printf("# %llu operations, %u results of those that were begun again, %u of fewer\n",
	       (unsigned long long)to, f.restarts, f.named);
	EXPECT_EQ(0, f.wrong);
	EXPECT_TRUE(f.named && f.refused && f.refused < f.named);
	EXPECT_TRUE(f.restarts);
	EXPECT_EQ(0, f.failures);
	ctl_guard(0);
	EXPECT_EQ(0, cube_del(&f.c));
}

TEST(links_flap_and_programs_notice_nothing)
{
	fly(_metadata, false, false);
}

TEST(processes_come_and_go_while_links_flap)
{
	fly(_metadata, true, false);
}

TEST(nodes_fail_and_come_back)
{
	fly(_metadata, false, true);
}

TEST_HARNESS_MAIN
