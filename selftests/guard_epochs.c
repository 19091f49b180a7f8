// SPDX-License-Identifier: GPL-2.0
/*
 * Guarded plans: whatever link or node fails at any time, operations go on in the next epoch of
 * their plan. Each operation ends once, in order, and with the same result at all members. The test
 * itself acts as the guard.
 *
 * Scheduling: alone
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TESTS_TOGETHER
#include "cube.h"
#include "ktap.h"
#include "rings.h"

#define PLAN	1
#define OPS	12
#define GUARD_MS 20000
/* Number of elements (u64) of the longest contribution, which is longer than a segment. */
#define LONGEST	1500

/**
 * struct work - a cube, and the operations of its members
 * @c: the cube
 * @p: the processes that take part
 * @node: the node of each entry of @p
 * @n: number of processes
 * @all: set of the members of the first epoch
 * @left: set of the members whose nodes have not failed
 * @restarts: greatest number of times that an operation was begun again
 */
struct work {
	struct cube c;
	struct party p[CUBE_MAX];
	unsigned int node[CUBE_MAX];
	unsigned int n;
	uint64_t all;
	uint64_t left;
	unsigned int restarts;
};

static uint64_t *filled(uint64_t v)
{
	uint64_t *a = malloc(LONGEST * sizeof(*a));
	unsigned int i;

	for (i = 0; a && i < LONGEST; i++)
		a[i] = v;
	return a;
}

static struct hypercube_op op_of(unsigned int k, unsigned int how)
{
	static const unsigned int lengths[] = { 1, 700, 0, LONGEST, 3, 512 };
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLREDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .bytes = lengths[(k + how) % 6] * sizeof(uint64_t),
	};

	if ((k + how) % 3 == 2) {
		op.collective = HYPERCUBE_REDUCE;
		op.flags = HYPERCUBE_F_NOTIFY;
	} else if ((k + how) % 5 == 4) {
		op = (struct hypercube_op){ .plan = PLAN, .collective = HYPERCUBE_BARRIER };
	}
	return op;
}

static int begin(struct work *w, unsigned int dim, unsigned int how)
{
	unsigned int i, k;
	int err;

	memset(w, 0, sizeof(*w));
	ctl_guard(GUARD_MS);
	err = cube_new(&w->c, dim, 4096) ?: cube_plan(&w->c, PLAN) ?: cube_bind_all(&w->c);
	if (err)
		return err;
	w->n = parties(&w->c, w->p, w->node, OPS);
	for (i = 0; i < w->n; i++) {
		uint64_t *in = filled(1ull << w->node[i]);

		w->all |= 1ull << w->node[i];
		for (k = 0; k < OPS; k++) {
			struct job *j = &w->p[i].job[k];

			j->op = op_of(k, how);
			j->in = in;
			j->out = filled(0);
			j->room = LONGEST * sizeof(uint64_t);
			j->waits = true;
		}
	}
	w->left = w->all;
	return 0;
}

static void end(struct work *w)
{
	unsigned int i, k;

	for (i = 0; i < w->n; i++) {
		free((void *)w->p[i].job[0].in);
		for (k = 0; k < OPS; k++)
			free(w->p[i].job[k].out);
	}
	parties_free(w->p, w->n);
	ctl_guard(0);
}

static void steps(struct work *w, unsigned int n)
{
	while (n--)
		drive_some(w->p, w->n, 1);
}

static bool stays(const struct work *w, unsigned int i)
{
	return w->left >> w->node[i] & 1;
}

/* Return: true if the result of @j is complete and all its elements are equal. Each member
 * contributes a different bit, so an element is the set of the members whose contributions are in
 * the result; *@set: set to it.
 */
static bool is_set(const struct job *j, uint64_t *set)
{
	const uint64_t *e = j->out;
	size_t i;

	*set = j->got ? e[0] : 0;
	if (j->got != j->op.bytes || j->res.bytes != j->op.bytes)
		return false;
	for (i = 0; i < j->got / sizeof(*e); i++)
		if (e[i] != *set)
			return false;
	return true;
}

/* Return: number of members at which operation @k has ended in a wrong way. */
static unsigned int op_wrong(struct work *w, unsigned int k)
{
	unsigned int i, wrong = 0, with = 0;
	uint64_t set, first = 0;

	for (i = 0; i < w->n; i++) {
		const struct job *j = &w->p[i].job[k];

		if (!stays(w, i))
			continue;
		if (j->ends != 1 || j->res.status || j->refused || j->res.op != k) {
			printf("# operation %u at %u: %u ends, status %d, refused %d, number %llu\n",
			       k, w->node[i], j->ends, j->res.status, j->refused,
			       (unsigned long long)j->res.op);
			wrong++;
			continue;
		}
		if (j->res.restarts > w->restarts)
			w->restarts = j->res.restarts;
		if (j->op.collective == HYPERCUBE_REDUCE && !j->got)
			continue;
		if (!is_set(j, &set) || (j->got && (set & ~w->all || (set & w->left) != w->left)) ||
		    (with && set != first)) {
			printf("# operation %u at %u: %zu bytes of %llu, set %llx, not %llx\n", k,
			       w->node[i], j->got, (unsigned long long)j->op.bytes,
			       (unsigned long long)set, (unsigned long long)first);
			wrong++;
		}
		first = set;
		with++;
	}
	return wrong;
}

/* Run all operations to their ends, and check these. Return: number of errors. */
static unsigned int finish(struct work *w)
{
	unsigned int k, i, wrong = 0;

	/* A process whose node has failed begins no more operations. */
	for (i = 0; i < w->n; i++)
		if (!stays(w, i))
			w->p[i].next = OPS, w->p[i].settled = OPS, w->p[i].dead = -EHOSTDOWN;
	if (drive(w->p, w->n, 20)) {
		ctl_op_print(w->c.name);
		wrong++;
	}
	for (k = 0; k < OPS; k++)
		wrong += op_wrong(w, k);
	return wrong;
}

static void tree_link(const struct work *w, unsigned int i, unsigned int *node, unsigned int *dim)
{
	const struct hc_tree *t = &w->c.plan.tree;

	/* Each stage has one link that leads to the root. Choose this link of the stage. */
	*dim = t->order[i % t->stages];
	*node = t->sink ^ (1u << *dim);
}

/* Install the next epoch around the faults. The process at the root waits for results of
 * reductions, so its node remains the root unless it has failed.
 */
static int next_epoch(struct work *w)
{
	unsigned int sink = w->c.plan.tree.sink;

	return cube_plan_to(&w->c, PLAN, w->left >> sink & 1 ? sink : HC_ANY_SINK);
}

/* Let a link of the tree fail after @before steps, and install the next epoch @after steps later.
 * Return: number of errors.
 */
static unsigned int cut(unsigned int dim, unsigned int link, unsigned int before,
			unsigned int after)
{
	unsigned int node, d, wrong;
	struct work w;
	int err = begin(&w, dim, before);

	if (err) {
		printf("# begin: %d\n", err);
		return 1;
	}
	steps(&w, before);
	tree_link(&w, link, &node, &d);
	err = cube_fail_link(&w.c, node, d);
	steps(&w, after);
	err = err ?: next_epoch(&w);
	wrong = !!err + finish(&w);
	if (wrong)
		printf("# link %u:%u failed after %u steps, epoch %u steps later: %d\n", node, d,
		       before, after, err);
	end(&w);
	return wrong + !!cube_del(&w.c);
}

TEST(operations_survive_link_fault_at_any_time)
{
	unsigned int link, before, wrong = 0;

	for (link = 0; link < 3; link++)
		for (before = 0; before < 40; before += stride())
			wrong += cut(3, link, before, before % 4);
	EXPECT_EQ(0, wrong);
}

/* Let node @node fail after @before steps. @again: a link fails in the next epoch as well. Return:
 * number of errors.
 */
static unsigned int kill_node(unsigned int dim, unsigned int node, unsigned int before, bool again)
{
	struct work w;
	int err = begin(&w, dim, before);
	unsigned int wrong, u, d;

	if (err) {
		printf("# begin: %d\n", err);
		return 1;
	}
	steps(&w, before);
	u = node == 0 ? w.c.plan.tree.sink : w.c.plan.tree.sink ^ node;
	w.left &= ~(1ull << u);
	err = cube_fail_node(&w.c, u);
	steps(&w, before % 3);
	err = err ?: next_epoch(&w);
	if (again) {
		/* Fail a link in the epoch that has just begun. */
		steps(&w, before % 5);
		tree_link(&w, before, &node, &d);
		err = err ?: cube_fail_link(&w.c, node, d);
		steps(&w, before % 2);
		err = err ?: next_epoch(&w);
	}
	wrong = !!err + finish(&w);
	if (wrong)
		printf("# node %u failed after %u steps%s: %d\n", u, before,
		       again ? ", and a link" : "", err);
	end(&w);
	return wrong + !!cube_del(&w.c);
}

TEST(operations_survive_node_fault_at_any_time)
{
	unsigned int node, before, wrong = 0;

	for (node = 0; node < 8; node++)
		for (before = node; before < 40; before += 4 * stride())
			wrong += kill_node(3, node, before, false);
	EXPECT_EQ(0, wrong);
}

TEST(operations_survive_second_fault_in_next_epoch)
{
	unsigned int node, before, wrong = 0;

	for (node = 0; node < 8; node++)
		for (before = node; before < 40; before += 4 * stride())
			wrong += kill_node(3, node, before, true);
	EXPECT_EQ(0, wrong);
}

TEST(next_epoch_without_fault_fails_no_operation)
{
	unsigned int before, wrong = 0;
	struct work w;

	for (before = 0; before < 40; before += stride()) {
		ASSERT_EQ(0, begin(&w, 3, before));
		steps(&w, before);
		EXPECT_EQ(0, next_epoch(&w));
		wrong += finish(&w);
		end(&w);
		EXPECT_EQ(0, cube_del(&w.c));
	}
	EXPECT_EQ(0, wrong);
}

/* If no guard installs the next epoch, operations that are under way and later ones end with the
 * cause that has broken the plan.
 */
TEST(waiting_member_gets_error_when_guard_time_ends)
{
	unsigned int i, k, node, dim;
	struct work w;

	ASSERT_EQ(0, begin(&w, 3, 1));
	ctl_guard(200);
	ASSERT_EQ(0, cube_plan(&w.c, PLAN));
	steps(&w, 3);
	tree_link(&w, 0, &node, &dim);
	EXPECT_EQ(0, cube_fail_link(&w.c, node, dim));
	EXPECT_EQ(0, drive(w.p, w.n, 20));
	for (i = 0; i < w.n; i++) {
		bool ended = false;

		for (k = 0; k < OPS; k++) {
			const struct job *j = &w.p[i].job[k];
			int status = j->refused ?: j->res.status;

			EXPECT_EQ(1, j->ends + !!j->refused);
			EXPECT_TRUE(status == -ENOLINK || (!status && !ended && j->res.op == k));
			ended |= status;
		}
		EXPECT_TRUE(ended);
	}
	end(&w);
	EXPECT_EQ(0, cube_del(&w.c));
}

#define BLOCK	500	/* elements of a block; each of eight members has one for each */

/* Receive the end of an alltoall at each member. Return: number of members that get no end or an
 * error.
 */
static unsigned int ends_missing(const struct cube *c)
{
	uint64_t out[8 * BLOCK], until = deadline(20);
	struct hypercube_result res = { .status = -1 };
	unsigned int u, missing = 0;
	bool eor;

	for (u = 0; u < 8; u++) {
		for (eor = false; !eor && now_ms() < until;)
			if (shc_recv(c->fd[u], out, sizeof(out), &res, &eor, 0) < 0)
				readable(c->fd[u], 1);
		missing += !eor || res.status;
	}
	return missing;
}

/* While the plan is broken, each member contributes more frames than one poll takes. Four epochs
 * follow, trees and rings in turn. The first of them takes frames of the contributions; meanwhile
 * the others replace it, and the contributions must be cut into frames again for each type.
 */
static unsigned int rest_follows(struct cube *c, unsigned int round)
{
	static const uint64_t in[8 * BLOCK];
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLTOALL, .bytes = sizeof(in),
	};
	int err = cube_fail_link(c, below(8), below(3));
	unsigned int u, wrong = 0;

	for (u = 0; u < 8; u++)
		wrong += shc_send(c->fd[u], &op, in, sizeof(in), 0) != sizeof(in);
	for (u = 0; u < 4 && !err; u++)
		err = u % 2 ? cube_rings_around(c, PLAN, 0) : cube_plan(c, PLAN);
	wrong += ends_missing(c);
	if (err || wrong) {
		printf("# round %u: error %d, %u members\n", round, err, wrong);
		ctl_op_print(c->name);
	}
	return wrong + !!(err ?: cube_heal(c) ?: cube_doubling(c, PLAN, 7, 0));
}

TEST(rest_of_contribution_is_sent_in_epochs_of_other_plan_types)
{
	unsigned int i, wrong = 0;
	/* The send buffer must have space for a contribution in frames of 64 bytes. */
	const int room = 4 << 20;
	struct cube c;

	ctl_guard(GUARD_MS);
	ASSERT_EQ(0, cube_new(&c, 3, 512));
	ASSERT_EQ(0, cube_doubling(&c, PLAN, 7, 0));
	ASSERT_EQ(0, cube_bind_all(&c));
	for (i = 0; i < 8; i++)
		ASSERT_EQ(0, setsockopt(c.fd[i], SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)));
	for (i = 0; i < scaled(40) && !wrong; i++)
		wrong += rest_follows(&c, i);
	EXPECT_EQ(0, wrong);
	ctl_guard(0);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
