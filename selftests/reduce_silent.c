// SPDX-License-Identifier: GPL-2.0
/*
 * Links that lose frames without a word, a part of them or all, in both directions
 * or in one: an operation ends with the right result or with an error at every
 * member, after seconds at most; DETECT finds the links that are silent; and once
 * they heal, or a plan goes around them, operations work again.
 */
#include <stdlib.h>
#include <string.h>

#define TESTS_TOGETHER
#include "cube.h"
#include "ktap.h"

#define PLAN 1
#define ALL 1000000

static uint64_t zeros[1 << 15];

static int start(struct cube *c)
{
	int err = cube_new(c, 3, 4096);

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
	if (drive(p, n, 6)) {
		ctl_op_print(c->name);
		err = -ETIMEDOUT;
	}
	for (i = 0; i < n && err != -ETIMEDOUT && err != -EBADMSG; i++) {
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
	return err == -EIO || err == -ETIMEDOUT || err == -ENOLINK || err == -EHOSTUNREACH;
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
 * installation of the plan is where all begin anew.
 */
static int settle(struct cube *c)
{
	int err = cube_install(c, PLAN);

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

TEST_HARNESS_MAIN
