// SPDX-License-Identifier: GPL-2.0
/*
 * Links that silently lose frames, a part of them or all, in both directions or in one: an
 * operation ends with the right result or with an error at every member, after seconds at most;
 * DETECT finds the links that are silent; and once they heal, or a plan goes around them,
 * operations work again.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define TESTS_TOGETHER
#include "cube.h"
#include "ktap.h"

#define PLAN 1
#define ALL 1000000
#define PATIENCE_MS 2000

static uint64_t zeros[1 << 15];

static int start(struct cube *c)
{
	int err = cube_new(c, 3, 4096);

	if (!err)
		err = ctl_patience(c->name, PATIENCE_MS);
	if (!err)
		err = cube_plan(c, PLAN);
	if (!err)
		err = cube_bind_all(c);
	return err ? err : cube_reduce(c, PLAN, NULL);
}

/* Everybody contributes @bytes and hears of the end: all the same, or -EBADMSG.  An
 * error may be told to some and the result to others if the last word was lost.
 */
static int reduce(struct cube *c, size_t bytes)
{
	struct party p[CUBE_MAX];
	unsigned int node[CUBE_MAX], n = parties(c, p, node, 1), i;
	int err = 0;

	for (i = 0; i < n; i++) {
		struct job *j = &p[i].job[0];

		j->op = (struct hypercube_op){
			.plan = PLAN, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
			.type = HYPERCUBE_U64, .flags = HYPERCUBE_F_NOTIFY, .bytes = bytes,
		};
		j->in = zeros;
		j->expect = node[i] == c->plan.tree.sink ? zeros : NULL;
		j->waits = true;
	}
	/* Nobody hangs: that is none of the errors that members may hear of. */
	if (drive(p, n, 12)) {
		ctl_op_print(c->name);
		err = -EBADMSG;
	}
	for (i = 0; i < n && err != -EBADMSG; i++) {
		const struct job *j = &p[i].job[0];

		if (j->refused)
			err = j->refused;
		else if (j->ends != 1 || j->wrong ||
			 (j->expect && !j->res.status && j->got != bytes))
			err = -EBADMSG;
		else if (j->res.status)
			err = j->res.status;
	}
	parties_free(p, n);
	return err;
}

/* Errors that silence may lead to. */
static bool excused(int err)
{
	return err == -EIO || err == -ETIMEDOUT || err == -ENOLINK || err == -EHOSTUNREACH ||
	       err == -ECANCELED;
}

static void take_found(void *arg, const struct nl_attrs *a)
{
	*(unsigned int *)arg = nl_get_u32(a, HYPERCUBE_A_DETECT_FOUND, 0);
}

static unsigned int detect(const char *name, int *err)
{
	unsigned int found = 0;

	nl_begin(ctl(), HYPERCUBE_CMD_DETECT, NLM_F_ACK);
	nl_str(ctl(), HYPERCUBE_A_DETECT_FABRIC, name);
	*err = nl_talk(ctl(), take_found, &found);
	return found;
}

/* After a failure some members have begun one operation more than others: a new
 * installation of the plan is where all begin anew, once they have read what failed.
 */
static int settle(struct cube *c)
{
	int err = cube_install(c, PLAN);
	unsigned int u;

	for (u = 0; u < c->nodes; u++)
		shc_drain(c->fd[u]);
	return err ? err : reduce(c, 8);
}

static void test_silent(struct __test_metadata *_metadata, unsigned int stage, bool up, bool down)
{
	unsigned int dim, child;
	struct cube c;
	uint64_t begin;
	int err;

	ASSERT_EQ(0, start(&c));
	dim = c.plan.tree.order[stage];
	child = c.plan.tree.sink ^ (1u << dim);
	if (up)
		ASSERT_EQ(0, ctl_link_loss(c.name, child, dim, ALL, true));
	if (down)
		ASSERT_EQ(0, ctl_link_loss(c.name, c.plan.tree.sink, dim, ALL, true));
	begin = now_ms();
	err = reduce(&c, sizeof(zeros));
	EXPECT_TRUE(excused(err));
	EXPECT_GE((uint64_t)patience(10) * 1000, now_ms() - begin);
	/* DETECT marks it, the plan goes around. */
	EXPECT_EQ(1, detect(c.name, &err));
	EXPECT_EQ(0, err);
	hc_faults_link(c.faults, child, dim);
	ASSERT_EQ(0, cube_plan(&c, PLAN));
	EXPECT_EQ(0, cube_reduce(&c, PLAN, NULL));
	/* Healed, everything is as before. */
	ASSERT_EQ(0, cube_heal(&c));
	EXPECT_EQ(0, detect(c.name, &err));
	ASSERT_EQ(0, cube_plan(&c, PLAN));
	EXPECT_EQ(0, cube_reduce(&c, PLAN, NULL));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(a_link_of_the_first_stage_is_silent)
{
	test_silent(_metadata, 0, true, true);
}

TEST(a_link_of_the_last_stage_is_silent)
{
	test_silent(_metadata, 2, true, true);
}

TEST(a_link_loses_all_that_goes_up)
{
	test_silent(_metadata, 1, true, false);
}

TEST(a_link_loses_all_that_comes_down)
{
	test_silent(_metadata, 1, false, true);
}

static void jobs_make(struct party *p, unsigned int n, size_t bytes)
{
	unsigned int i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < p[i].njobs; k++) {
			struct job *j = &p[i].job[k];

			j->op = (struct hypercube_op){
				.plan = PLAN, .collective = HYPERCUBE_REDUCE,
				.oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64,
				.flags = HYPERCUBE_F_NOTIFY, .bytes = bytes,
			};
			j->in = zeros;
			j->waits = true;
		}
}

/* Silence ends operations, and breaks no plan: when the link is healthy again, members that went
 * on with other numbers meet the others, without anybody's help.
 */
static void test_agreed(struct __test_metadata *_metadata, unsigned int stage, bool up, bool down,
			unsigned int bytes)
{
	unsigned int node[CUBE_MAX], dim, child, n, i, k, good = 0;
	struct party p[CUBE_MAX];
	struct cube c;

	ASSERT_EQ(0, start(&c));
	ASSERT_EQ(0, ctl_patience(c.name, 1000));
	dim = c.plan.tree.order[stage];
	child = c.plan.tree.sink ^ (1u << dim);
	/* Some are complete before, or under way. */
	n = parties(&c, p, node, 40);
	jobs_make(p, n, bytes);
	for (i = 0; i < 20; i++)
		drive_some(p, n, 1);
	if (up)
		ASSERT_EQ(0, ctl_link_loss(c.name, child, dim, ALL, true));
	if (down)
		ASSERT_EQ(0, ctl_link_loss(c.name, c.plan.tree.sink, dim, ALL, true));
	drive_until_quiet(p, n, 4000);
	ASSERT_EQ(0, ctl_link_loss(c.name, child, dim, 0, false));
	drive_until_quiet(p, n, 3500);
	for (i = 0; i < n; i++)
		for (k = 0; k < p[i].njobs; k++) {
			const struct job *j = &p[i].job[k];

			EXPECT_FALSE(j->refused);
			EXPECT_TRUE(!j->res.status || excused(j->res.status));
			EXPECT_NE(-ENOLINK, j->res.status);
		}
	parties_free(p, n);
	/* Members told of more failures began fewer operations; now all begin alike. */
	n = parties(&c, p, node, 100);
	jobs_make(p, n, bytes);
	drive_until_quiet(p, n, 3500);
	for (i = 0; i < n; i++)
		for (k = 0; k < p[i].njobs && node[i] == c.plan.tree.sink; k++)
			good += p[i].job[k].ends && !p[i].job[k].res.status;
	if (good < 30) {
		TH_LOG("%u operations of 100 went well", good);
		ctl_op_print(c.name);
	}
	EXPECT_LE(30, good);
	parties_free(p, n);
	EXPECT_EQ(0, settle(&c));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(a_plan_outlives_the_silence_of_its_last_stage)
{
	test_agreed(_metadata, 2, true, true, 8);
}

TEST(a_plan_outlives_the_silence_of_its_first_stage)
{
	test_agreed(_metadata, 0, true, true, 8);
}

TEST(a_plan_outlives_silence_that_goes_up)
{
	test_agreed(_metadata, 1, true, false, 8192);
}

TEST(a_plan_outlives_silence_that_comes_down)
{
	test_agreed(_metadata, 2, false, true, 8192);
}

/* With all the patience there is, nothing ends until the link is heard again. */
TEST(silence_that_nobody_minds)
{
	struct party p[CUBE_MAX];
	unsigned int n, i, dim;
	struct cube c;

	ASSERT_EQ(0, start(&c));
	ASSERT_EQ(0, ctl_patience(c.name, 0));
	n = parties(&c, p, NULL, 1);
	jobs_make(p, n, 65536);
	dim = c.plan.tree.order[2];
	ASSERT_EQ(0, ctl_link_loss(c.name, c.plan.tree.sink, dim, ALL, false));
	drive_until_quiet(p, n, 5000);
	for (i = 0; i < n; i++)
		EXPECT_EQ(0, p[i].job[0].ends);
	ASSERT_EQ(0, ctl_link_loss(c.name, c.plan.tree.sink, dim, 0, false));
	EXPECT_EQ(0, drive(p, n, 6));
	for (i = 0; i < n; i++)
		EXPECT_TRUE(excused(p[i].job[0].res.status));
	parties_free(p, n);
	EXPECT_EQ(0, settle(&c));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(links_that_lose_some_frames)
{
	unsigned int round, i, node, dim, good = 0, bad = 0;
	struct cube c;

	ASSERT_EQ(0, start(&c));
	for (round = 0; round < scaled(6); round++) {
		for (i = 0; i < 12; i++) {
			cube_link(&c, i, &node, &dim);
			ASSERT_EQ(0, ctl_link_loss(c.name, node, dim, round % 2 ? 20000 : 2000,
						   false));
		}
		/* News of a failure may be lost, too: then some begin the next operation and
		 * others hear of the failure instead.  So each reduction begins anew.
		 */
		for (i = 0; i < 3; i++) {
			int err = cube_install(&c, PLAN);

			ASSERT_EQ(0, err);
			err = reduce(&c, below(2) ? 8 : 65536);

			if (err && !excused(err))
				TH_LOG("error %d", err);
			EXPECT_TRUE(!err || excused(err));
			good += !err;
			bad += !!err;
		}
		ASSERT_EQ(0, cube_heal(&c));
		EXPECT_EQ(0, settle(&c));
	}
	printf("# %u operations ended well, %u with an error\n", good, bad);
	EXPECT_EQ(0, cube_del(&c));
}

/* Only the words that follow a result are lost: it has been delivered, and the
 * members learn of that when they ask again.
 */
TEST(a_completion_that_is_lost_is_told_again)
{
	struct party p[CUBE_MAX];
	unsigned int node[CUBE_MAX], n, i, dim;
	struct cube c;

	ASSERT_EQ(0, start(&c));
	n = parties(&c, p, node, 1);
	for (i = 0; i < n; i++) {
		p[i].job[0].op = (struct hypercube_op){
			.plan = PLAN, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
			.type = HYPERCUBE_U64, .flags = HYPERCUBE_F_NOTIFY, .bytes = 8,
		};
		p[i].job[0].in = zeros;
		p[i].job[0].waits = true;
	}
	dim = c.plan.tree.order[2];
	ASSERT_EQ(0, ctl_link_loss(c.name, c.plan.tree.sink, dim, ALL, true));
	drive_until_quiet(p, n, 100);
	ASSERT_EQ(0, ctl_link_loss(c.name, c.plan.tree.sink, dim, 0, true));
	EXPECT_EQ(0, drive(p, n, 6));
	for (i = 0; i < n; i++) {
		EXPECT_EQ(1, p[i].job[0].ends);
		if (node[i] == c.plan.tree.sink)
			EXPECT_EQ(0, p[i].job[0].res.status);
		else
			EXPECT_TRUE(!p[i].job[0].res.status || excused(p[i].job[0].res.status));
	}
	parties_free(p, n);
	EXPECT_EQ(0, settle(&c));
	EXPECT_EQ(0, cube_del(&c));
}

/* A member that has not heard of a failure must not take what counts the operation as over for
 * its completion: the sink's next word, or, if a link fails, its last one.
 */
static void lose_failure(struct __test_metadata *_metadata, bool link)
{
	static const uint8_t order[] = { 0, 1 };
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .flags = HYPERCUBE_F_NOTIFY, .bytes = 8,
	};
	struct hypercube_result res;
	unsigned int i;
	uint64_t sum;
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 2, 4096));
	ASSERT_EQ(0, cube_plan_fixed(&c, PLAN, 0, order));
	ASSERT_EQ(0, cube_bind_all(&c));
	ASSERT_EQ(0, cube_reduce(&c, PLAN, NULL));
	/* Operation 1 lacks the contribution of node 3; node 2 has no part in the next one. */
	for (i = 0; i < 2; i++)
		ASSERT_EQ(8, shc_send(c.fd[1], &op, zeros, 8, 0));
	ASSERT_EQ(8, shc_send(c.fd[2], &op, zeros, 8, 0));
	ASSERT_EQ(8, shc_send(c.fd[0], &op, zeros, 8, 0));
	ASSERT_EQ(0, ctl_link_loss(c.name, 0, 0, ALL, true));
	cube_close(&c, 2);
	ASSERT_EQ(8, shc_send(c.fd[0], &op, zeros, 8, 0));
	EXPECT_EQ(0, shc_recv_soon(c.fd[0], &sum, sizeof(sum), &res));
	EXPECT_EQ(-ECONNRESET, res.status);
	ASSERT_EQ(0, ctl_link_loss(c.name, 0, 0, 0, true));
	ASSERT_EQ(8, shc_send(c.fd[3], &op, zeros, 8, 0));
	EXPECT_EQ(8, shc_recv_soon(c.fd[0], &sum, sizeof(sum), &res));
	EXPECT_EQ(0, res.status);
	if (link)
		ASSERT_EQ(0, cube_fail_link(&c, 0, 1));
	for (i = 1; i <= 2; i++) {
		EXPECT_EQ(0, shc_recv_soon(c.fd[1], &sum, sizeof(sum), &res));
		EXPECT_TRUE(res.op == 1 || res.op == 2);
		EXPECT_TRUE(res.status ? excused(res.status) || res.status == -ECONNRESET :
					 res.op == 1);
	}
	EXPECT_EQ(0, cube_del(&c));
}

TEST(a_failure_that_is_lost_is_no_completion)
{
	lose_failure(_metadata, false);
}

TEST(a_failure_that_is_lost_before_a_fault_is_no_completion)
{
	lose_failure(_metadata, true);
}

/* Node 2, behind a detour, reads little by little, the others what comes. */
static int read_slowly(struct cube *c, struct party *p, unsigned int n, bool *held)
{
	unsigned int i;
	int fd = p[2].fd;

	(void)c;
	for (i = 0; i < 1000 && p[2].job[0].got < sizeof(zeros); i++) {
		*held |= p[2].job[0].got > 0;
		drive_some(&p[2], 1, 1);
		p[2].fd = -1;
		drive_until_quiet(p, n, 5);
		p[2].fd = fd;
	}
	return 0;
}

/* It reads only while what it says to the sink gets lost on its way.  *held: the rest did not
 * come then.
 */
static int read_unheard(struct cube *c, struct party *p, unsigned int n, bool *held)
{
	int err = ctl_link_loss(c->name, 3, 1, ALL, true);

	(void)n;
	drive_until_quiet(&p[2], 1, 200);
	*held = p[2].job[0].got < sizeof(zeros);
	return err ? err : ctl_link_loss(c->name, 3, 1, 0, true);
}

/* An allreduce of which node 2 reads nothing at first.  0 or the operation's error. */
static int behind_detour(struct cube *c, bool *held,
			 int (*read)(struct cube *c, struct party *p, unsigned int n, bool *held))
{
	struct party p[CUBE_MAX];
	unsigned int n = parties(c, p, NULL, 1), i;
	int err = 0, fd = p[2].fd;

	for (i = 0; i < n; i++) {
		struct job *j = &p[i].job[0];

		j->op = (struct hypercube_op){
			.plan = PLAN, .collective = HYPERCUBE_ALLREDUCE, .oper = HYPERCUBE_SUM,
			.type = HYPERCUBE_U64, .bytes = sizeof(zeros), .cookie = p[i].base,
		};
		j->in = zeros;
		j->expect = zeros;
		j->waits = true;
	}
	p[2].job[0].sent = shc_send(fd, &p[2].job[0].op, zeros, sizeof(zeros), MSG_DONTWAIT);
	p[2].job[0].begun = true;
	p[2].job[0].over = true;
	p[2].next = 1;
	p[2].fd = -1;
	drive_until_quiet(p, n, 400);
	p[2].fd = fd;
	err = read(c, p, n, held);
	if (!err && drive(p, n, 12)) {
		ctl_op_print(c->name);
		err = -EBADMSG;
	}
	for (i = 0; i < n && !err; i++) {
		const struct job *j = &p[i].job[0];

		err = j->res.status ? j->res.status :
		      j->ends != 1 || j->wrong || j->got != sizeof(zeros) ? -EBADMSG : 0;
	}
	parties_free(p, n);
	return err;
}

/* From 2 to 0 by way of 3 and 1, between which the plan uses no link. */
static int detour_start(struct cube *c)
{
	static const uint8_t order[] = { 0, 1 };
	const int small = 4096;
	int err = cube_new(c, 2, 4096);

	if (!err)
		err = cube_fail_link(c, 2, 1);
	if (!err)
		err = cube_plan_fixed(c, PLAN, 0, order);
	if (!err)
		err = c->plan.tree.ndetours == 1 ? cube_bind_all(c) : -EINVAL;
	return err ? err : setsockopt(c->fd[2], SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
}

/* Nothing is lost, so there is no more on the way to a slow reader than it has room for. */
TEST(a_slow_reader_behind_a_detour_misses_nothing)
{
	bool held = false;
	struct cube c;

	ASSERT_EQ(0, detour_start(&c));
	EXPECT_EQ(0, behind_detour(&c, &held, read_slowly));
	EXPECT_TRUE(held);
	EXPECT_EQ(0, cube_del(&c));
}

/* A loss in the middle of a detour leaves a gap, and nobody can tell whom it is about. */
TEST(a_credit_that_is_lost_on_a_detour_is_told_again)
{
	unsigned int round;
	bool held = false;
	int err = -EIO;
	struct cube c;

	ASSERT_EQ(0, detour_start(&c));
	/* On a busy machine it may be a contribution that is lost: that is EIO. */
	for (round = 0; round < 5 && err == -EIO; round++)
		err = behind_detour(&c, &held, read_unheard);
	EXPECT_EQ(0, err);
	EXPECT_TRUE(held);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
