// SPDX-License-Identifier: GPL-2.0
/*
 * Failures in the middle of an operation: every member soon gets exactly one end, with an error
 * that names the cause, and the next operation succeeds.
 *
 * All tests have eight nodes and a long operation that cannot proceed because the root does not
 * receive or a member does not send. All members request a notification of the end.
 *
 * Scheduling: shared
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "cube.h"
#include "ktap.h"

#define PLAN 1
#define BYTES (1ul << 20)

/* A cube, and the operations of its @n members. */
struct scene {
	struct cube cube;
	struct party p[CUBE_MAX];
	unsigned int node[CUBE_MAX];
	unsigned int n;
};

static uint64_t zeros[BYTES / 8];

/* Set up an operation that is too long to end before all members have sent and received. */
static void job_long(struct job *j)
{
	j->op = (struct hypercube_op){
		.plan = PLAN, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .flags = HYPERCUBE_F_NOTIFY, .bytes = BYTES,
	};
	j->in = zeros;
	j->waits = true;
}

/* Make a cube without faults, run an operation in which all nodes take part, and set up the long
 * operation at each member.
 */
static int scene_start(struct scene *s)
{
	struct cube *c = &s->cube;
	unsigned int i;
	int err = cube_new(c, 3, 4096);

	if (!err)
		err = cube_plan(c, PLAN);
	if (!err)
		err = cube_bind_all(c);
	if (!err)
		err = cube_reduce(c, PLAN, NULL);
	s->n = parties(c, s->p, s->node, 1);
	for (i = 0; i < s->n; i++)
		job_long(&s->p[i].job[0]);
	return err;
}

/* Return: index of the member at @node, or the number of members. */
static unsigned int party_of(const struct scene *s, unsigned int node)
{
	unsigned int i;

	for (i = 0; i < s->n; i++)
		if (s->node[i] == node)
			break;
	return i;
}

/* Drive all nodes except @without until nothing has been sent or received for 150 ms. */
static void scene_run(struct scene *s, unsigned int without)
{
	unsigned int i = party_of(s, without);
	int fd = i < s->n ? s->p[i].fd : -1;

	if (i < s->n)
		s->p[i].fd = -1;
	drive_until_quiet(s->p, s->n, 150);
	if (i < s->n)
		s->p[i].fd = fd;
}

/* Close the socket of node @u, in whatever state it is. */
static void scene_close(struct scene *s, unsigned int u)
{
	s->p[party_of(s, u)].fd = -1;
	cube_close(&s->cube, u);
}

/* Return: true if a member's operation has exactly one end, with @status and with the cause @node
 * and @dim (~0: any), or was refused with @status.
 */
static bool end_right(const struct job *j, int status, uint32_t node, uint32_t dim)
{
	if (j->refused)
		return j->refused == status;
	if (j->ends != 1 || j->res.status != status || j->res.plan != PLAN)
		return false;
	return (node == ~0u || j->res.cause_node == node) &&
	       (dim == ~0u || j->res.cause_dim == dim);
}

/* Wait for the ends of the operation. Return: number of members whose operation has not ended with
 * @status and the cause @node and @dim (~0: any).
 */
static unsigned int ends_wrong(struct scene *s, int status, uint32_t node, uint32_t dim)
{
	unsigned int i, wrong = 0;

	if (drive(s->p, s->n, 8)) {
		printf("# not everybody heard of the end\n");
		ctl_op_print(s->cube.name);
	}
	for (i = 0; i < s->n; i++) {
		const struct job *j = &s->p[i].job[0];

		if (s->p[i].fd < 0 || end_right(j, status, node, dim))
			continue;
		printf("# node %u: %u ends, status %d, cause %d:%d, refused %d, socket %d\n",
		       s->node[i], j->ends, j->res.status, (int)j->res.cause_node,
		       (int)j->res.cause_dim, j->refused, s->p[i].dead);
		wrong++;
	}
	return wrong;
}

/* Check that operations succeed after the failure. @new_plan: install a new plan first. */
static void scene_end(struct __test_metadata *_metadata, struct scene *s, bool new_plan)
{
	struct cube *c = &s->cube;
	unsigned int u;

	parties_free(s->p, s->n);
	EXPECT_EQ(0, new_plan ? cube_plan(c, PLAN) : 0);
	for (u = 0; u < c->nodes; u++)
		if (cube_member(c, u) && c->fd[u] < 0)
			EXPECT_EQ(0, cube_bind(c, u));
	EXPECT_EQ(0, cube_reduce(c, PLAN, NULL));
	EXPECT_EQ(0, cube_reduce(c, PLAN, NULL));
	EXPECT_EQ(0, cube_del(c));
}

/* --- members by their role in the tree of a healthy cube --- */
static unsigned int leaf(const struct scene *s)
{
	return s->cube.plan.tree.sink ^ (1u << s->cube.plan.tree.order[0]);
}

static unsigned int middle(const struct scene *s)
{
	return s->cube.plan.tree.sink ^ (1u << s->cube.plan.tree.order[2]);
}

static unsigned int sink(const struct scene *s)
{
	return s->cube.plan.tree.sink;
}

/* Let the member @who close its socket: after all members except @slow have sent and received as
 * much as they can, or, if @slow is NULL, before any member has contributed.
 */
static void test_close(struct __test_metadata *_metadata, unsigned int (*who)(const struct scene *),
		       unsigned int (*slow)(const struct scene *))
{
	struct scene s;
	unsigned int u;

	ASSERT_EQ(0, scene_start(&s));
	u = who(&s);
	if (slow)
		scene_run(&s, slow(&s));
	scene_close(&s, u);
	EXPECT_EQ(0, ends_wrong(&s, -ECONNRESET, u, ~0u));
	scene_end(_metadata, &s, false);
}

TEST_CALL(all_members_get_error_when_leaf_closes_its_socket, test_close, leaf, sink)
TEST_CALL(all_members_get_error_when_inner_node_closes_its_socket, test_close, middle, sink)
TEST_CALL(all_members_get_error_when_root_closes_its_socket, test_close, sink, leaf)

/* Set up two short operations and a long one. A slow member that has not begun the first operation
 * is then two operations behind a member that fails in the third one. The two short operations must
 * succeed, and the slow member gets the failure for the third.
 */
static void jobs_late(struct scene *s)
{
	unsigned int i, k;

	parties_free(s->p, s->n);
	s->n = parties(&s->cube, s->p, s->node, 3);
	for (i = 0; i < s->n; i++)
		for (k = 0; k < 3; k++) {
			job_long(&s->p[i].job[k]);
			if (k < 2)
				s->p[i].job[k].op.bytes = 8;
		}
}

TEST(slow_member_gets_results_before_later_failure)
{
	struct scene s;
	unsigned int i, k, u;

	ASSERT_EQ(0, scene_start(&s));
	jobs_late(&s);
	u = middle(&s);
	scene_run(&s, leaf(&s));
	scene_close(&s, u);
	EXPECT_EQ(0, drive(s.p, s.n, 8));
	for (i = 0; i < s.n; i++)
		for (k = 0; k < 3 && s.p[i].fd >= 0; k++) {
			const struct job *j = &s.p[i].job[k];

			EXPECT_EQ(1, j->ends);
			EXPECT_EQ(k < 2 ? 0 : -ECONNRESET, j->res.status);
			EXPECT_EQ(k < 2 ? k + 1 : j->res.op, j->res.op);
		}
	scene_end(_metadata, &s, false);
}

TEST_CALL(waiting_members_get_error_when_missing_member_closes_socket, test_close, leaf, leaf)
TEST_CALL(later_contributors_get_error_when_member_has_closed_socket, test_close, middle, NULL)

/* Fork a process that has the socket of node @u, begins a contribution and then sleeps; close the
 * socket in this process. Return: the process id.
 */
static pid_t process_start(struct scene *s, unsigned int u)
{
	pid_t pid = fork();
	struct job j = { 0 };

	if (pid) {
		scene_close(s, u);
		return pid;
	}
	job_long(&j);
	shc_send(s->cube.fd[u], &j.op, zeros, 8192, 0);
	for (;;)
		pause();
}

TEST(all_members_get_error_when_process_of_member_is_killed)
{
	struct wait_view v = { 0 };
	struct scene s;
	unsigned int u;
	int status, i;
	pid_t pid;

	ASSERT_EQ(0, scene_start(&s));
	u = middle(&s);
	pid = process_start(&s, u);
	for (i = 0; i < 200 && v.wait != HYPERCUBE_WAIT_PEER; i++) {
		ASSERT_EQ(0, ctl_op_get(s.cube.name, PLAN, u, &v));
		usleep(20000);
	}
	EXPECT_EQ(HYPERCUBE_WAIT_PEER, v.wait);
	scene_run(&s, sink(&s));
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, ends_wrong(&s, -ECONNRESET, u, ~0u));
	scene_end(_metadata, &s, false);
}

/* Start a scene. Return: the job of member @who, which the caller changes such that its
 * contribution does not match those of the other members. This is a protocol error for all members.
 */
static struct job *job_odd(struct __test_metadata *_metadata, struct scene *s,
			   unsigned int (*who)(const struct scene *))
{
	ASSERT_EQ(0, scene_start(s));
	return &s->p[party_of(s, who(s))].job[0];
}

/* Check that the operation ends with a protocol error at all members. */
static void test_odd(struct __test_metadata *_metadata, struct scene *s)
{
	EXPECT_EQ(0, ends_wrong(s, -EPROTO, ~0u, ~0u));
	scene_end(_metadata, s, false);
}

TEST(all_members_get_error_when_one_uses_another_type)
{
	struct scene s;

	job_odd(_metadata, &s, middle)->op.type = HYPERCUBE_F64;
	test_odd(_metadata, &s);
}

TEST(all_members_get_error_when_one_uses_another_operator)
{
	struct scene s;

	job_odd(_metadata, &s, leaf)->op.oper = HYPERCUBE_MAX;
	test_odd(_metadata, &s);
}

TEST(all_members_get_error_when_one_contributes_less)
{
	struct scene s;

	job_odd(_metadata, &s, leaf)->op.bytes = BYTES / 2;
	test_odd(_metadata, &s);
}

/* Return: number of members whose operation has not ended with the failure of the given link. Both
 * ends of the link notice the fault, so either end may be named as the cause.
 */
static unsigned int link_ends_wrong(struct scene *s, unsigned int node, unsigned int dim)
{
	unsigned int i, wrong = ends_wrong(s, -ENOLINK, ~0u, dim);

	for (i = 0; i < s->n; i++) {
		const struct job *j = &s->p[i].job[0];

		if (!j->refused && (j->res.cause_node & ~(1u << dim)) != (node & ~(1u << dim)))
			wrong++;
	}
	return wrong;
}

static void test_link(struct __test_metadata *_metadata, unsigned int stage)
{
	unsigned int node, dim;
	struct scene s;

	ASSERT_EQ(0, scene_start(&s));
	dim = s.cube.plan.tree.order[stage];
	node = sink(&s) ^ (1u << dim);
	scene_run(&s, sink(&s));
	ASSERT_EQ(0, cube_fail_link(&s.cube, node, dim));
	EXPECT_EQ(0, link_ends_wrong(&s, node, dim));
	scene_end(_metadata, &s, true);
}

TEST_CALL(operation_fails_when_first_stage_link_goes_down, test_link, 0)
TEST_CALL(operation_fails_when_last_stage_link_goes_down, test_link, 2)

static void test_node(struct __test_metadata *_metadata, unsigned int (*who)(const struct scene *),
		      unsigned int (*slow)(const struct scene *))
{
	struct scene s;

	ASSERT_EQ(0, scene_start(&s));
	scene_run(&s, slow(&s));
	ASSERT_EQ(0, cube_fail_node(&s.cube, who(&s)));
	EXPECT_EQ(0, ends_wrong(&s, -ENOLINK, ~0u, ~0u));
	scene_end(_metadata, &s, true);
}

TEST_CALL(operation_fails_when_inner_node_fails, test_node, middle, sink)
TEST_CALL(operation_fails_when_root_fails, test_node, sink, leaf)

/* Let node @u begin its contribution, and send no more of it. Return: 0 or -1. */
static int begin_only(struct scene *s, unsigned int u)
{
	struct party *p = &s->p[party_of(s, u)];
	struct job *j = &p->job[0];

	j->op.cookie = p->base;
	if (shc_send(s->cube.fd[u], &j->op, zeros, 8192, MSG_DONTWAIT) != 8192)
		return -1;
	j->begun = true;
	j->sent = 8192;
	return 0;
}

TEST(operation_gets_estale_when_plan_is_replaced)
{
	struct scene s;

	ASSERT_EQ(0, scene_start(&s));
	ASSERT_EQ(0, begin_only(&s, sink(&s)));
	scene_run(&s, sink(&s));
	ASSERT_EQ(0, cube_install(&s.cube, PLAN));
	EXPECT_EQ(0, ends_wrong(&s, -ESTALE, ~0u, ~0u));
	scene_end(_metadata, &s, false);
}

TEST(operation_gets_estale_when_plan_is_removed)
{
	struct scene s;
	unsigned int i;

	ASSERT_EQ(0, scene_start(&s));
	i = party_of(&s, sink(&s));
	scene_run(&s, sink(&s));
	ASSERT_EQ(0, ctl_plan_del(s.cube.name, PLAN));
	drive(s.p, s.n, 5);
	EXPECT_EQ(-ENOENT, s.p[i].job[0].refused);
	s.p[i].fd = -1;
	EXPECT_EQ(0, ends_wrong(&s, -ESTALE, ~0u, ~0u));
	scene_end(_metadata, &s, true);
}

/* A member contributes to more operations than a plan takes at once. If the plan is replaced
 * (@replaced) or removed, the member must get the end of each of its operations.
 */
static void test_waiting(struct __test_metadata *_metadata, bool replaced)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .flags = HYPERCUBE_F_NOTIFY, .bytes = 8,
	};
	const unsigned int count = 100;
	struct hypercube_result res;
	unsigned int stale = 0;
	uint64_t until;
	struct scene s;
	int fd;
	bool eor;

	ASSERT_EQ(0, scene_start(&s));
	fd = s.cube.fd[leaf(&s)];
	for (op.cookie = 0; op.cookie < count; op.cookie++)
		ASSERT_EQ(8, shc_send(fd, &op, zeros, 8, MSG_DONTWAIT));
	ASSERT_EQ(0, replaced ? cube_install(&s.cube, PLAN) : ctl_plan_del(s.cube.name, PLAN));
	for (until = deadline(2); stale < count && now_ms() < until; usleep(1000))
		while (shc_recv(fd, zeros, 8, &res, &eor, MSG_DONTWAIT) == 0)
			stale += res.status == -ESTALE;
	EXPECT_EQ(count, stale);
	scene_end(_metadata, &s, !replaced);
}

TEST_CALL(waiting_contributions_end_when_plan_is_removed, test_waiting, false)
TEST_CALL(waiting_contributions_end_when_plan_is_replaced, test_waiting, true)

TEST(all_sockets_get_enodev_when_fabric_is_removed)
{
	struct scene s;
	unsigned int i;

	ASSERT_EQ(0, scene_start(&s));
	scene_run(&s, sink(&s));
	ASSERT_EQ(0, ctl_fabric_del(s.cube.name));
	EXPECT_EQ(0, drive(s.p, s.n, 5));
	for (i = 0; i < s.n; i++) {
		EXPECT_EQ(-ENODEV, s.p[i].dead);
		close(s.p[i].fd);
	}
}

/* Wait until all members know that their operations so far are complete. Return: false if this
 * takes longer than the time limit.
 */
static bool all_know(const struct scene *s)
{
	uint64_t end = deadline(5);
	struct wait_view v;
	unsigned int i;

	for (i = 0; i < s->n && now_ms() < end; ) {
		if (!ctl_op_get(s->cube.name, PLAN, s->node[i], &v) && v.next && v.done == v.next)
			i++;
		else
			poll(NULL, 0, 10);
	}
	if (i < s->n)
		ctl_op_print(s->cube.name);
	return i == s->n;
}

/* An operation that is complete remains so when a new plan is installed, also if a link of its plan
 * has failed before that (@link). A member that has not requested a notification is not notified of
 * its end.
 */
static void test_quiet(struct __test_metadata *_metadata, bool link)
{
	struct hypercube_result res;
	uint64_t data = 0;
	struct scene s;
	unsigned int i, u;
	bool eor;

	ASSERT_EQ(0, scene_start(&s));
	for (i = 0; i < s.n; i++) {
		s.p[i].job[0].op.flags = 0;
		s.p[i].job[0].waits = s.node[i] == sink(&s);
	}
	EXPECT_EQ(0, drive(s.p, s.n, 8));
	i = party_of(&s, sink(&s));
	EXPECT_EQ(1, s.p[i].job[0].ends);
	EXPECT_EQ(0, s.p[i].job[0].res.status);
	EXPECT_TRUE(all_know(&s));
	if (link)
		ASSERT_EQ(0, cube_fail_link(&s.cube, leaf(&s), s.cube.plan.tree.order[0]));
	ASSERT_EQ(0, cube_plan(&s.cube, PLAN));
	usleep(100000 * (unsigned int)wait_secs(1));
	for (u = 0; u < 8; u++)
		EXPECT_EQ(-EAGAIN, shc_recv(s.cube.fd[u], &data, 8, &res, &eor, MSG_DONTWAIT));
	scene_end(_metadata, &s, false);
}

TEST_CALL(completed_operation_stays_complete_with_new_plan, test_quiet, false)
TEST_CALL(completed_operation_stays_complete_after_link_fault, test_quiet, true)

static ssize_t recv_now(int fd, uint64_t *data, struct hypercube_result *res)
{
	bool eor;

	return shc_recv(fd, data, sizeof(*data), res, &eor, MSG_DONTWAIT);
}

static const uint8_t upwards[] = { 0, 1 };

/* Make a cube of four nodes whose root is 0, and run an operation that succeeds. */
static int four_start(struct cube *c)
{
	int err = cube_new(c, 2, 0);

	if (!err)
		err = cube_plan_fixed(c, PLAN, 0, upwards);
	if (!err)
		err = cube_bind_all(c);
	return err ? err : cube_reduce(c, PLAN, NULL);
}

/* As long as the beginning of a contribution is shorter than a segment, it waits in the socket, so
 * it does not belong to an operation that could fail. The process gets the failure when it has sent
 * the rest.
 */
TEST(partial_contribution_gets_failure_after_its_rest_is_sent)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .flags = HYPERCUBE_F_NOTIFY, .bytes = 16, .cookie = 5,
	};
	struct hypercube_result res;
	uint64_t data = 0;
	struct cube c;

	ASSERT_EQ(0, four_start(&c));
	ASSERT_EQ(8, shc_send(c.fd[1], &op, &data, 8, 0));
	cube_close(&c, 2);
	ASSERT_EQ(16, shc_send(c.fd[0], &op, zeros, 16, 0));
	EXPECT_EQ(0, shc_recv_soon(c.fd[0], &data, 8, &res));
	EXPECT_EQ(-ECONNRESET, res.status);
	ASSERT_EQ(16, shc_send(c.fd[3], &op, zeros, 16, 0));
	EXPECT_EQ(0, shc_recv_soon(c.fd[3], &data, 8, &res));
	usleep(100000 * (unsigned int)wait_secs(1));
	EXPECT_EQ(-EAGAIN, recv_now(c.fd[1], &data, &res));
	EXPECT_EQ(8, shc_send(c.fd[1], NULL, &data, 8, 0));
	EXPECT_EQ(0, shc_recv_soon(c.fd[1], &data, 8, &res));
	EXPECT_EQ(-ECONNRESET, res.status);
	EXPECT_EQ(2, res.cause_node);
	EXPECT_EQ(5, res.cookie);
	ASSERT_EQ(0, cube_bind(&c, 2));
	EXPECT_EQ(0, cube_reduce(&c, PLAN, NULL));
	EXPECT_EQ(0, cube_del(&c));
}

/* A plan is replaced while a failure is on its way to a member over a slow link. The new plan must
 * not make the operation to which this member has contributed count as complete.
 */
TEST(failed_operation_is_not_reported_complete_after_new_plan)
{
	const struct impairments slow = { .delay = 1000000000ull };
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .flags = HYPERCUBE_F_NOTIFY, .bytes = 8,
	};
	struct hypercube_result res;
	uint64_t data = 0;
	unsigned int i;
	struct cube c;

	ASSERT_EQ(0, four_start(&c));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(8, shc_send(c.fd[1], &op, &data, 8, 0));
	usleep(50000);
	ASSERT_EQ(0, ctl_link_impair(c.name, 0, 0, &slow));
	/* Node 2 leaves without contributing to operation 2, which therefore fails. */
	ASSERT_EQ(8, shc_send(c.fd[0], &op, &data, 8, 0));
	ASSERT_EQ(8, shc_send(c.fd[2], &op, &data, 8, 0));
	ASSERT_EQ(8, shc_send(c.fd[3], &op, &data, 8, 0));
	cube_close(&c, 2);
	ASSERT_EQ(8, shc_recv_soon(c.fd[0], &data, 8, &res));
	EXPECT_EQ(0, res.status);
	ASSERT_EQ(8, shc_send(c.fd[0], &op, &data, 8, 0));
	ASSERT_EQ(0, shc_recv_soon(c.fd[0], &data, 8, &res));
	EXPECT_EQ(-ECONNRESET, res.status);
	ASSERT_EQ(0, cube_plan_fixed(&c, PLAN, 0, upwards));
	ASSERT_EQ(0, recv_now(c.fd[1], &data, &res));
	EXPECT_EQ(1, res.op);
	EXPECT_EQ(0, res.status);
	ASSERT_EQ(0, recv_now(c.fd[1], &data, &res));
	EXPECT_EQ(2, res.op);
	/* On a busy machine, the failure may have arrived before the new plan was installed. */
	EXPECT_TRUE(res.status == -ESTALE || res.status == -ECONNRESET);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
