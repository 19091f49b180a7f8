// SPDX-License-Identifier: GPL-2.0
/*
 * Guarded plans in long runs of all collectives, while links flap, nodes fail and recover, and
 * processes leave and are replaced. Each contribution has a tag (lib/tagged.h), so a result shows
 * which contributions it has. The test checks that each contribution is in a result once and in
 * order, that all members get the same result, and that a result names the members whose
 * contributions are missing. Each epoch has a random plan type. The test itself acts as the guard.
 *
 * With HC_SCALE=1000 it runs 100,000 operations.
 *
 * Scheduling: alone
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TESTS_TOGETHER
#include "cube.h"
#include "ktap.h"
#include "rings.h"
#include "tagged.h"

#define PLAN	1
#define NODES	TAG_NODES
#define ALL	((1u << NODES) - 1)
#define GUARD_MS 20000
/* Greatest number of contributions of a process whose end it has not received. */
#define AHEAD	6
#define LONGEST	(6 * TAG_PERIOD)	/* elements of a block */
#define LINKS_MAX 2

/**
 * struct runner - a process that contributes
 * @fd: its socket, or -1
 * @life: the upper half of its tags: a number that is new for each process, and after each failure
 * @count: number of its contributions under this @life
 * @out: number of contributions whose end it has not received
 * @cookie: the cookies of these contributions, from entry @first on
 * @first: see @cookie
 * @voided: number of these contributions that it sent before it received a failure, and that end
 *	with this failure
 * @next: number of the operation whose end it receives next
 * @came: it has replaced another process and has received nothing: @next is a lower bound
 * @data: the latest contribution
 * @bytes: length of @data
 * @sent: bytes of @data that the kernel has taken
 * @got: bytes at @buf
 * @buf: data of a result whose end has not arrived
 */
struct runner {
	int fd;
	uint32_t life;
	uint32_t count;
	unsigned int out;
	uint64_t cookie[AHEAD];
	unsigned int first;
	unsigned int voided;
	uint64_t next;
	bool came;
	uint64_t data[NODES * LONGEST];
	size_t bytes;
	size_t sent;
	size_t got;
	uint64_t buf[NODES * LONGEST];
};

/**
 * struct chaos - the processes, their operations, and the faults
 * @c: the cube
 * @r: the process of each node
 * @b: the collective that they run, and what its results have shown
 * @lives: the last @life of a runner
 * @down: number of links that are down
 * @gone: the node that has failed or whose process has left, or NODES
 * @left: set with the node whose process has left, or 0
 * @excused: operations may fail, since the root has gone or a process was replaced
 * @ends: number of ends of contributions
 * @restarts: number of results of operations that were begun again
 * @named: number of results that named missing members
 * @refused: number of results that failed at a process that requires all or nothing, since a member
 *	was missing
 * @failures: number of operations that failed for another reason
 * @wrong: number of errors found
 */
struct chaos {
	struct cube c;
	struct runner r[NODES];
	struct tag_book b;
	uint32_t lives;
	unsigned int down;
	unsigned int gone;
	uint32_t left;
	bool excused;
	uint64_t ends;
	unsigned int restarts;
	unsigned int named;
	unsigned int refused;
	unsigned int failures;
	unsigned int wrong;
};

static bool is_strict(unsigned int u)
{
	return u % 3 == 1;
}

static uint64_t tag_of(const struct runner *r)
{
	return (uint64_t)r->life << 32 | r->count;
}

/* --- results --- */

static void report(struct chaos *c, unsigned int u, const struct hypercube_result *res,
		   uint32_t set, const char *what)
{
	const struct runner *r = &c->r[u];

	c->wrong++;
	printf("# %s: collective %u, node %u, operation %llu (expected: %llu), status %d, members %x, %zu bytes, root %u\n",
	       what, c->b.kind->id, u, (unsigned long long)res->op, (unsigned long long)r->next,
	       res->status, set, r->got, c->b.root);
}

/* Return: true if a contribution may end with the error @status because the root has gone or a
 * process was replaced.
 */
static bool may_fail(const struct chaos *c, int status)
{
	return c->excused && (status == -EHOSTDOWN || status == -ESTALE ||
			      status == -ECONNRESET || status == -ECANCELED);
}

/* Check the result of node @u, which is complete in the runner's buffer, against the results of the
 * other nodes.
 * Return: NULL, or what is wrong.
 */
static const char *result_wrong(struct chaos *c, unsigned int u, const struct hypercube_result *res,
				uint32_t set, bool named)
{
	const struct runner *r = &c->r[u];
	bool refused = is_strict(u) && named;

	c->restarts += !!res->restarts;
	c->refused += refused;
	if (refused != !!res->status)
		return "not refused";
	/* A notification of the end that has no data does not show which members are in the result.
	 */
	if (c->b.kind->notify && !r->got && !named)
		return NULL;
	return tag_result_wrong(&c->b, u, res->op, r->buf, r->got, set, refused);
}

/* Record that operation @nr has failed at node @u, and with it all contributions that the process
 * has sent since then. The plan continues with operation @nr + 1.
 */
static void failed(struct chaos *c, unsigned int u, uint64_t nr)
{
	struct runner *r = &c->r[u];

	c->failures++;
	r->voided = r->out;
	r->life = ++c->lives;
	r->count = 0;
	r->next = nr + 1;
	r->came = false;
}

/* Return: true if the end @res of a contribution that its process sent before it received a failure
 * is right: an error as well, or a late notification that the operation is complete.
 */
static bool late_fits(const struct chaos *c, unsigned int u, const struct hypercube_result *res)
{
	return res->status ? may_fail(c, res->status) :
			     c->b.kind->notify && !c->r[u].got && res->op < c->r[u].next;
}

/* Return: what is wrong with the end of a contribution, or NULL. */
static const char *end_wrong(struct chaos *c, unsigned int u, const struct hypercube_result *res,
			     uint32_t set, const struct shc_named *named)
{
	const struct runner *r = &c->r[u];

	/* The ends of a process's contributions must arrive in order, one for each operation. */
	if (r->came ? res->op < r->next : res->op != r->next)
		return "out of order";
	if (named->named && (named->places[0] != ALL || set == ALL))
		return "wrong names";
	if (!res->status || (is_strict(u) && named->named && res->status == -EHOSTUNREACH))
		return result_wrong(c, u, res, set, named->named);
	return may_fail(c, res->status) ? NULL : "failed";
}

static void take(struct chaos *c, unsigned int u, const struct hypercube_result *res,
		 const struct shc_named *named)
{
	uint32_t set = named->named ? named->places[0] & ~named->missing[0] : ALL;
	struct runner *r = &c->r[u];
	const char *what = NULL;

	c->named += named->named;
	/* This failure belongs to an operation of an earlier process at this node, so it is not the
	 * end of a contribution.
	 */
	if (!res->cookie && res->status) {
		if (!may_fail(c, res->status))
			report(c, u, res, set, "a failure of no contribution");
		failed(c, u, res->op);
		return;
	}
	if (!r->out || res->cookie != r->cookie[r->first])
		what = "not the end of the oldest contribution";
	r->first = (r->first + 1) % AHEAD;
	r->out--;
	c->ends++;
	if (!what && r->voided) {
		r->voided--;
		what = late_fits(c, u, res) ? NULL : "behind a failure";
	} else {
		what = what ?: end_wrong(c, u, res, set, named);
		if (res->status && (!named->named || res->status != -EHOSTUNREACH))
			failed(c, u, res->op);
		r->next = res->op + 1;
		r->came = false;
	}
	if (what)
		report(c, u, res, set, what);
}

static void receive(struct chaos *c, unsigned int u)
{
	struct runner *r = &c->r[u];
	struct hypercube_result res;
	struct shc_named named;
	bool eor;
	ssize_t n;

	for (;;) {
		size_t at = c->b.kind->placed ? 0 : r->got;

		n = shc_recv_named(r->fd, (char *)r->buf + at, sizeof(r->buf) - at, &res, &eor,
				   MSG_DONTWAIT, &named);
		if (n < 0)
			return;
		r->got += n;
		if (!eor)
			continue;
		take(c, u, &res, &named);
		r->got = 0;
	}
}

/* --- contributions --- */

/* Begin a contribution with the operation @op, or, if @op is NULL, send more of the current one.
 * Return: false if the kernel takes nothing.
 */
static bool send_some(struct chaos *c, unsigned int u, const struct hypercube_op *op)
{
	struct runner *r = &c->r[u];
	ssize_t n = shc_send(r->fd, op, (char *)r->data + r->sent, r->bytes - r->sent,
			     MSG_DONTWAIT);

	if (n >= 0) {
		r->sent += n;
		return true;
	}
	/* The contribution has failed: do not send the rest of it. */
	if (!op && n != -EAGAIN && n != -ENOBUFS)
		r->sent = r->bytes;
	if (n != -EAGAIN && n != -ENOBUFS && n != -ECANCELED && (op || !c->excused)) {
		printf("# node %u contributes: %zd\n", u, n);
		c->wrong++;
	}
	return false;
}

static void contribute(struct chaos *c, unsigned int u)
{
	struct runner *r = &c->r[u];
	struct hypercube_op op = {
		.plan = PLAN, .collective = c->b.kind->id,
		.oper = c->b.kind->sums ? HYPERCUBE_SUM : 0,
		.type = c->b.kind->sums ? HYPERCUBE_U64 : 0,
		.bytes = tag_fill(&c->b, u, tag_of(r) + 1, r->data), .cookie = tag_of(r) + 1,
		.flags = (is_strict(u) ? HYPERCUBE_F_ALL_OR_NOTHING : 0) |
			 (c->b.kind->notify ? HYPERCUBE_F_NOTIFY : 0),
	};

	r->bytes = op.bytes;
	r->sent = 0;
	if (send_some(c, u, &op)) {
		r->cookie[(r->first + r->out++) % AHEAD] = op.cookie;
		r->count++;
	} else {
		r->sent = r->bytes;
	}
}

/* Let node @u receive, and then contribute once if the number of outstanding contributions allows
 * it and the operation is below @end. A process that does not know the number of the next operation
 * (@came of struct runner) has one outstanding contribution at most.
 */
static void run_once(struct chaos *c, unsigned int u, uint64_t end)
{
	struct runner *r = &c->r[u];

	if (r->fd < 0)
		return;
	receive(c, u);
	if (r->sent < r->bytes && (!send_some(c, u, NULL) || r->sent < r->bytes))
		return;
	if (r->came ? !r->out : r->out < 1 + rnd() % AHEAD && r->next + r->out < end)
		contribute(c, u);
}

static void run_some(struct chaos *c, unsigned int n)
{
	while (n-- && !c->wrong)
		run_once(c, rnd() % NODES, UINT64_MAX);
}

/* Return: the number after that of the last operation to which a process has contributed. */
static uint64_t behind_all(const struct chaos *c)
{
	uint64_t end = 0;
	unsigned int u;

	for (u = 0; u < NODES; u++)
		if (c->r[u].next + c->r[u].out > end)
			end = c->r[u].next + c->r[u].out;
	return end;
}

/* --- epochs --- */

/* Install the next epoch, of a random plan type that can run the collective. */
static int epoch(struct chaos *c)
{
	unsigned int type = rnd() % 4;
	int err;

	if (type == 0 && c->b.kind->doubling && !c->down && c->gone == NODES)
		return cube_doubling(&c->c, PLAN, NODES - 1, 0);
	if (type == 1 && c->b.kind->ring)
		return cube_rings_around(&c->c, PLAN, c->left);
	if (!c->b.kind->rooted)
		return cube_plan_without(&c->c, PLAN, HC_ANY_SINK, c->left);
	if (c->gone != c->b.root)
		return cube_plan_without(&c->c, PLAN, c->b.root, c->left);
	err = cube_plan_without(&c->c, PLAN, HC_ANY_SINK, c->left);
	c->b.root = c->c.plan.tree.sink;
	c->excused = true;
	return err;
}

/* --- faults --- */

static int heal(struct chaos *c)
{
	c->down = 0;
	return cube_heal(&c->c);
}

/* Fail a random link. If LINKS_MAX links are down, let them recover first. Two failed links cut off
 * no node.
 */
static int link_flaps(struct chaos *c)
{
	int err = 0;

	if (c->down == LINKS_MAX || (c->down && c->gone < NODES)) {
		if (c->gone < NODES)
			return 0;
		err = heal(c);
		if (rnd() % 3 == 0)
			return err;
	}
	c->down++;
	return err ?: cube_fail_link(&c->c, rnd() % NODES, rnd() % 3);
}

/* Set a process to the state in which it has neither contributed nor received anything. */
static void runner_clear(struct runner *r)
{
	r->out = 0;
	r->voided = 0;
	r->bytes = 0;
	r->sent = 0;
	r->got = 0;
}

static int process_begin(struct chaos *c, unsigned int u)
{
	struct runner *r = &c->r[u];
	int err = cube_bind(&c->c, u);

	r->fd = c->c.fd[u];
	r->life = ++c->lives;
	r->count = 0;
	runner_clear(r);
	return err;
}

/* Forget the process of node @u, which has left or whose node has failed. Operations whose result
 * only this process has received may run again without its contribution.
 */
static void forget(struct chaos *c, unsigned int u)
{
	struct runner *r = &c->r[u];
	uint64_t low = r->next;
	unsigned int i;

	tag_forget(&c->b, u);
	for (i = 0; i < NODES; i++)
		if (c->r[i].next < low)
			low = c->r[i].next;
	r->next = low;
	r->came = true;
	runner_clear(r);
}

/* Let the node that has failed or whose process has left take part again, with a new process. */
static int node_comes(struct chaos *c)
{
	/* Delay frames, so that faults happen while members agree on how to continue. */
	const struct impairments slow = { .delay = 300000 };
	unsigned int u = c->gone;
	int err = c->left ? 0 : heal(c);

	c->gone = NODES;
	c->left = 0;
	if (rnd() % 4 == 0)
		err = err ?: cube_impair(&c->c, &slow);
	return err ?: process_begin(c, u) ?: epoch(c);
}

static int node_fails(struct chaos *c)
{
	unsigned int u = rnd() % NODES;
	int err;

	if (c->down > 1)
		return heal(c);
	err = cube_fail_node(&c->c, u);
	c->gone = u;
	forget(c, u);
	cube_close(&c->c, u);
	c->r[u].fd = -1;
	return err;
}

/* Let a process leave. The others notice when they wait for it, so let them contribute until that
 * breaks the plan.
 */
static int process_leaves(struct chaos *c)
{
	uint64_t until = deadline(20);
	struct plan_cause cause = {};
	unsigned int u = rnd() % NODES;
	int err = 0;

	/* A process that has not contributed yet would not break the plan. */
	if (c->r[u].came || c->down > 1)
		return heal(c);
	forget(c, u);
	cube_close(&c->c, u);
	c->r[u].fd = -1;
	c->gone = u;
	c->left = 1u << u;
	while (!cause.broken && !err && now_ms() < until) {
		run_some(c, 20);
		err = ctl_plan_cause(c->c.name, PLAN, &cause);
	}
	return err ?: cause.broken ? 0 : -ETIMEDOUT;
}

/* Let a process leave, and replace it at once, before or soon after the others notice. */
static int process_is_replaced(struct chaos *c)
{
	unsigned int u = rnd() % NODES;

	if (c->r[u].came)
		return 0;
	c->excused = true;
	forget(c, u);
	cube_close(&c->c, u);
	return process_begin(c, u);
}

static void blow(struct chaos *c, bool nodes)
{
	int err;

	if (nodes && c->gone < NODES && rnd() % 2)
		err = node_comes(c);
	else if (nodes && c->gone == NODES && rnd() % 3 == 0)
		err = rnd() % 2 ? node_fails(c) : process_leaves(c);
	else if (nodes && c->gone == NODES && rnd() % 3 == 0)
		err = process_is_replaced(c);
	else
		err = link_flaps(c);
	run_some(c, rnd() % 40);
	err = err ?: epoch(c);
	if (err) {
		printf("# a fault or an epoch: %d\n", err);
		c->wrong++;
	}
}

/* --- phases --- */

/* Return: true if all nodes have a process, and each knows the number of its next operation. */
static bool all_here(const struct chaos *c)
{
	unsigned int u;

	for (u = 0; u < NODES; u++)
		if (c->r[u].fd < 0 || c->r[u].came)
			return false;
	return true;
}

static bool all_at(const struct chaos *c, uint64_t end)
{
	unsigned int u;

	for (u = 0; u < NODES; u++)
		if (c->r[u].next != end || c->r[u].out)
			return false;
	return true;
}

/* Install the next epoch if the plan is broken, which happens when a process was replaced. */
static int plan_again(struct chaos *c)
{
	struct plan_cause cause = {};

	return ctl_plan_cause(c->c.name, PLAN, &cause) ?: cause.broken ? epoch(c) : 0;
}

static void print_all(const struct chaos *c, uint64_t end)
{
	unsigned int u;

	ctl_op_print(c->c.name);
	for (u = 0; u < NODES; u++)
		printf("# node %u: next %llu of %llu, %u outstanding, %u voided, %zu of %zu bytes sent\n",
		       u, (unsigned long long)c->r[u].next, (unsigned long long)end, c->r[u].out,
		       c->r[u].voided, c->r[u].sent, c->r[u].bytes);
}

/* Cause no further faults, and let all members run to the same operation. Return: 0, or an error if
 * they do not reach it in time.
 */
static int settle(struct chaos *c)
{
	uint64_t until = deadline(30), end = UINT64_MAX;
	unsigned int u, rounds = 0;
	int err = c->gone < NODES ? node_comes(c) : 0;

	while (!err && !c->wrong) {
		for (u = 0; u < NODES; u++)
			run_once(c, u, end);
		if (end == UINT64_MAX && all_here(c))
			end = behind_all(c);
		if (end != UINT64_MAX && all_at(c, end))
			return 0;
		if (++rounds % 64 == 0)
			err = plan_again(c);
		if (now_ms() > until) {
			print_all(c, end);
			err = -ETIMEDOUT;
		}
	}
	return err;
}

/* Cause no further faults until one contribution has ended. If epochs followed each other faster
 * than an operation runs, the operation would be begun again for ever.
 */
static int one_ends(struct chaos *c)
{
	uint64_t until = deadline(30), before = c->ends;
	unsigned int rounds = 0;
	int err = 0;

	while (!err && !c->wrong && c->ends == before) {
		run_some(c, 20);
		if (++rounds % 64 == 0)
			err = plan_again(c);
		if (now_ms() > until) {
			print_all(c, UINT64_MAX);
			err = -ETIMEDOUT;
		}
	}
	return err;
}

/* Run the collective @kind through at least @n operations, with faults. @nodes: with faults of
 * nodes and processes, too.
 */
static void phase(struct chaos *c, const struct tag_kind *kind, unsigned int n, bool nodes)
{
	uint64_t end = behind_all(c) + n;
	unsigned int blows = 0;
	int err;

	c->b.kind = kind;
	c->excused = false;
	c->b.len = kind->none ? 0 : TAG_PERIOD * (1 + below(LONGEST / TAG_PERIOD));
	c->b.root = rnd() % NODES;
	err = epoch(c);
	while (!err && !c->wrong && behind_all(c) < end) {
		run_some(c, rnd() % 120);
		blow(c, nodes);
		/* On a kernel with debugging, the time between faults is shorter than an operation.
		 */
		if (debug_kernel() || ++blows % 8 == 0)
			err = one_ends(c);
	}
	err = err ?: c->wrong ? 0 : settle(c);
	if (err || c->wrong)
		printf("# collective %u of %u elements: %d\n", kind->id, c->b.len, err);
	c->wrong += !!err;
}

static void chaos(struct __test_metadata *_metadata, unsigned int n, bool nodes)
{
	unsigned int nr = nodes ? TAG_KINDS_OF_ANY : TAG_KINDS, ops = scaled(5000), u, i;
	static struct chaos c;

	c.gone = NODES;
	ctl_guard(GUARD_MS);
	ASSERT_EQ(0, cube_new(&c.c, 3, 512));
	ASSERT_EQ(0, cube_plan(&c.c, PLAN));
	for (u = 0; u < NODES; u++)
		ASSERT_EQ(0, process_begin(&c, u));
	for (i = 0; !c.wrong && behind_all(&c) < ops; i++)
		phase(&c, &tag_kinds[i % nr], n, nodes);
	printf("# %llu operations, %u results of those that were begun again, %u of fewer, %u refused, %u failures\n",
	       (unsigned long long)behind_all(&c), c.restarts, c.named, c.refused, c.failures);
	EXPECT_EQ(0, c.wrong);
	EXPECT_TRUE(c.restarts);
	EXPECT_EQ(nodes, c.named && c.refused);
	EXPECT_TRUE(nodes || !c.failures);
	ctl_guard(0);
	EXPECT_EQ(0, cube_del(&c.c));
}

TEST_CALL(guarded_collectives_stay_correct_while_links_flap, chaos, 60, false)
TEST_CALL(guarded_collectives_stay_correct_while_nodes_and_processes_fail, chaos, 100, true)

TEST_HARNESS_MAIN
