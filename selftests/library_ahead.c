// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that post ahead, some of it while the library has read of a failure that no call has
 * told of: no result has parts of different rounds.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "cube.h"
#include "handles.h"
#include "ktap.h"

/* More than the kernel begins at once, so that some wait in the library as well. */
#define AHEAD	128

static const struct hcl_params sum = {
	.plan = PLAN, .oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64,
	.collective = HYPERCUBE_ALLREDUCE,
};

/**
 * struct poster - a program
 * @id: of what it has posted and not waited for, by the round modulo AHEAD
 * @in: what it contributes
 * @out: what it gets
 * @next: the round that it posts next
 * @oldest: the round that it waits for next
 * @from: the first round that it has no result of
 * @failed: a call has told it of a failure
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

static uint64_t part(uint64_t k)
{
	return k * 1000003 + 1;
}

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

/* Waits for what has ended. */
static void take(unsigned int u)
{
	struct poster *p = &poster[u];
	struct hypercube_result res;

	while (p->oldest < p->next && hcl_done(h[u], p->id[p->oldest % AHEAD])) {
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

/* All post at random until a call has told them of a failure, and then wait for the rest. */
static bool until_all_failed(uint64_t spoilt, unsigned int spoiler)
{
	uint64_t end = deadline(20);
	unsigned int u, k;

	while (busy() && !error && now_ms() < end) {
		u = below(NODES);
		for (k = below(40); k; k--)
			give(u, u == spoiler && poster[u].next == spoilt);
		for (u = 0; u < NODES; u++)
			if (hcl_progress(h[u], 0) < 0)
				error = hcl_failure(h[u])->status;
		u = below(NODES);
		take(u);
	}
	return !busy();
}

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

TEST(no_rounds_are_mixed)
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

TEST_HARNESS_MAIN
