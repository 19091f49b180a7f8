// SPDX-License-Identifier: GPL-2.0
/*
 * Programs post operations before earlier ones have ended, some of them after the library has read
 * a failure that no call has reported yet. No result mixes contributions of different rounds. (In
 * round k, each process posts one operation.)
 *
 * Scheduling: shared
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "cube.h"
#include "handles.h"
#include "ktap.h"

/* Greatest number of operations posted ahead: more than the kernel begins at once, so that some
 * wait in the library.
 */
#define AHEAD	128

static const struct hcl_params sum = {
	.plan = PLAN, .oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64,
	.collective = HYPERCUBE_ALLREDUCE,
};

/**
 * struct poster - one process of the program
 * @id: ids of the operations that it has posted and not waited for; that of round k is at k % AHEAD
 * @in: contributions to these operations
 * @out: results of these operations
 * @next: the next round for which it posts an operation
 * @oldest: the next round whose operation it waits for
 * @from: the first round of which it has no result
 * @failed: a call has reported a failure to it
 */
struct poster {
	uint64_t id[AHEAD];
	uint64_t in[AHEAD][2];
	uint64_t out[AHEAD][2];
	uint64_t next;
	uint64_t oldest;
	uint64_t from;
	bool failed;
};

static struct poster poster[NODES];
static unsigned int good, wrong, refused;
static int error;

/* Return: the element that each process contributes to round @k. */
static uint64_t part(uint64_t k)
{
	return k * 1000003 + 1;
}

/* Let process @u post the operation of its next round, unless AHEAD operations are posted. If the
 * last argument is true, the contribution has another length than those of the other processes.
 */
static void give(unsigned int u, bool spoils)
{
	struct poster *p = &poster[u];
	unsigned int at = p->next % AHEAD;
	int err;

	if (p->failed || p->next - p->oldest == AHEAD)
		return;
	p->in[at][0] = part(p->next);
	err = hcl_post(h[u], &sum, p->in[at], spoils ? 16 : 8, p->out[at], 16, &p->id[at]);
	p->failed |= err;
	refused += err == -ECANCELED;
	if (!err)
		p->next++;
	else if (err != -ECANCELED)
		error = err;
}

/* Call hcl_wait() for the operations of process @u that have ended, and check their results. */
static void take(unsigned int u)
{
	struct poster *p = &poster[u];
	struct hypercube_result res;

	while (p->oldest < p->next && hcl_test(h[u], p->id[p->oldest % AHEAD])) {
		unsigned int at = p->oldest % AHEAD;
		int err = hcl_wait(h[u], p->id[at], &res);

		p->failed |= err;
		refused += err == -ECANCELED;
		if (err && err != -EPROTO && err != -ECANCELED)
			error = err;
		if (!err) {
			good++;
			p->from = p->oldest + 1;
		}
		if (!err && p->out[at][0] != NODES * part(p->oldest) && !wrong++)
			printf("# node %u, round %llu: %llu instead of %llu\n", u,
			       (unsigned long long)p->oldest, (unsigned long long)p->out[at][0],
			       (unsigned long long)(NODES * part(p->oldest)));
		p->oldest++;
	}
}

static unsigned int busy(void)
{
	unsigned int u, n = 0;

	for (u = 0; u < NODES; u++)
		n += !poster[u].failed || poster[u].oldest < poster[u].next;
	return n;
}

/* Let all processes post operations at random until a call has reported a failure to each of them.
 * In round @corrupted, the contribution of process @spoiler has another length than the others.
 * Return: false if this takes longer than the time limit, or on an unexpected error.
 */
static bool until_all_failed(uint64_t corrupted, unsigned int spoiler)
{
	uint64_t end = deadline(20);
	unsigned int u, k;

	while (busy() && !error && now_ms() < end) {
		u = below(NODES);
		for (k = below(40); k; k--)
			give(u, u == spoiler && poster[u].next == corrupted);
		for (u = 0; u < NODES; u++)
			if (hcl_progress(h[u], 0) < 0)
				error = hcl_failure(h[u])->status;
		u = below(NODES);
		take(u);
	}
	return !busy();
}

/* Let all processes continue with the first round of which one of them has no result. Return: this
 * round.
 */
static uint64_t together(void)
{
	uint64_t from = UINT64_MAX;
	unsigned int u;

	for (u = 0; u < NODES; u++)
		from = poster[u].from < from ? poster[u].from : from;
	for (u = 0; u < NODES; u++) {
		poster[u].next = from;
		poster[u].oldest = from;
		poster[u].from = from;
		poster[u].failed = false;
	}
	return from;
}

TEST(result_never_mixes_contributions_of_different_rounds)
{
	unsigned int i;

	ASSERT_TRUE(set_up());
	for (i = 0; i < scaled(60); i++) {
		uint64_t from = together();

		ASSERT_TRUE(until_all_failed(from + below(AHEAD), below(NODES)));
		ASSERT_EQ(0, error);
	}
	printf("# %u ended well, %u were refused\n", good, refused);
	EXPECT_EQ(0, wrong);
	EXPECT_GT(good, 0);
	EXPECT_GT(refused, 0);
}

/* If a result lacks the contribution of a member, this is an error only for a process that requires
 * all or nothing. Later operations of this process, whether posted before or after it gets the
 * error, still belong to the same rounds as those of the other processes.
 */
TEST(missing_member_fails_only_all_or_nothing_operations)
{
	struct hcl_params sum = {
		.plan = PLAN, .oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64,
		.collective = HYPERCUBE_ALLREDUCE,
	};
	uint64_t in[3] = { 1, 2, 3 }, out[7][3] = { { 0 } }, id[7][3];
	struct hypercube_result res;
	unsigned int u, r;

	ASSERT_TRUE(set_up());
	ASSERT_EQ(0, tool("tree find fabric lib apply guard 20s"));
	ASSERT_EQ(0, tool("tree find fabric lib apply guard 20s without 7"));
	for (u = 1; u < 7; u++)
		for (r = 0; r < 3; r++)
			ASSERT_EQ(0, hcl_post(h[u], &sum, &in[r], 8, &out[u][r], 8, &id[u][r]));
	sum.flags = HYPERCUBE_F_ALL_OR_NOTHING;
	ASSERT_EQ(0, hcl_post(h[0], &sum, &in[0], 8, &out[0][0], 8, &id[0][0]));
	while (!hcl_test(h[0], id[0][0]))
		for (u = 0; u < 7; u++)
			hcl_progress(h[u], 0);
	ASSERT_EQ(0, hcl_post(h[0], &sum, &in[1], 8, &out[0][1], 8, &id[0][1]));
	EXPECT_EQ(-EHOSTUNREACH, hcl_wait(h[0], id[0][0], &res));
	ASSERT_EQ(0, hcl_post(h[0], &sum, &in[2], 8, &out[0][2], 8, &id[0][2]));
	for (r = 1; r < 3; r++)
		EXPECT_EQ(-EHOSTUNREACH, hcl_wait(h[0], id[0][r], &res));
	for (u = 1; u < 7; u++)
		for (r = 0; r < 3; r++)
			EXPECT_EQ(0, hcl_wait(h[u], id[u][r], &res));
	for (u = 0; u < 7; u++)
		for (r = 0; r < 3; r++)
			EXPECT_EQ(7 * in[r], out[u][r]);
}

static bool memory_is_short;

void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);

/* The linker replaces the library's calls of realloc() by this function. */
void *__wrap_realloc(void *p, size_t size)
{
	return memory_is_short ? NULL : __real_realloc(p, size);
}

/* Post an operation of plan @plan at all nodes, with one contribution of another length than the
 * others, so that it fails. *@id: set to the operation of node 0.
 */
static bool post_failing(uint32_t plan, uint64_t *id)
{
	static uint64_t in[2], out[NODES][2];
	struct hcl_params p = sum;
	uint64_t others;
	unsigned int u;

	p.plan = plan;
	for (u = 0; u < NODES; u++)
		if (hcl_post(h[u], &p, in, u == 3 ? 16 : 8, out[u], 16, u ? &others : id))
			return false;
	return true;
}

/* Post an operation of plan @plan at node 0. Return: the error of the call. */
static int post_one(uint32_t plan)
{
	static uint64_t in, out;
	struct hcl_params p = sum;
	uint64_t id;

	p.plan = plan;
	return hcl_post(h[0], &p, &in, 8, &out, 8, &id);
}

/* The library has no memory to record that two plans have failed. It then refuses one operation of
 * each plan, also of one that has not failed.
 */
TEST(failures_without_memory_are_reported_for_each_plan)
{
	uint64_t id[2];
	uint32_t plan;

	ASSERT_TRUE(set_up());
	ASSERT_EQ(0, tool("tree find fabric " FABRIC " apply plan 2 sink 1"));
	ASSERT_EQ(0, tool("tree find fabric " FABRIC " apply plan 3 sink 2"));
	for (plan = 1; plan < 3; plan++)
		ASSERT_TRUE(post_failing(plan, &id[plan - 1]));
	memory_is_short = true;
	for (plan = 1; plan < 3; plan++)
		ASSERT_TRUE(move_until(0, id[plan - 1]));
	memory_is_short = false;
	EXPECT_EQ(-EPROTO, hcl_wait(h[0], id[0], NULL));
	EXPECT_EQ(0, post_one(1));
	EXPECT_EQ(-ECANCELED, post_one(2));
	EXPECT_EQ(-ECANCELED, post_one(3));
	for (plan = 1; plan < 4; plan++)
		EXPECT_EQ(0, post_one(plan));
	EXPECT_EQ(-EPROTO, hcl_wait(h[0], id[1], NULL));
}

TEST_HARNESS_MAIN
