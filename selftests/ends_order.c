// SPDX-License-Identifier: GPL-2.0
/*
 * Plans are replaced and removed while processes contribute: each hears of the ends of its
 * contributions in their order, once each, whichever of the plans they came to.
 */
#include <poll.h>
#include <pthread.h>
#include <string.h>

#include "cube.h"
#include "ktap.h"

#define PLAN 1
#define SOURCE 0
/* Contributions of which a process has not heard yet; more than a plan's window. */
#define AHEAD 200

/* One who replaces the plan again and again. */
struct replacer {
	struct cube *c;
	unsigned int type;
	bool removes;
	bool done;
	int err;
};

/**
 * struct teller - one process
 * @sent: contributions that were taken
 * @heard: those of which it has heard the end
 * @good: with status 0
 * @wrong: records that were not about the next one
 * @err: an error that nothing explains
 */
struct teller {
	uint64_t sent;
	uint64_t heard;
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

static void contribute(const struct cube *c, struct teller *t, unsigned int u, unsigned int type)
{
	bool bcast = type == HYPERCUBE_PLAN_BCAST;
	const struct hypercube_op op = {
		.plan = PLAN, .cookie = t[u].sent + 1, .bytes = bcast ? sizeof(t->sent) : 0,
		.collective = bcast ? HYPERCUBE_BCAST : HYPERCUBE_BARRIER,
		.flags = bcast ? HYPERCUBE_F_NOTIFY : 0,
	};
	ssize_t n;

	if (t[u].sent - t[u].heard >= AHEAD || (bcast && u != SOURCE))
		return;
	n = shc_send(c->fd[u], &op, &op.cookie, op.bytes, MSG_DONTWAIT);
	if (n >= 0)
		t[u].sent++;
	else if (n != -EAGAIN && n != -ENOBUFS && n != -ENOENT)
		t[u].err = (int)n;
}

/* A message says itself which it is; of those that failed only the source knows. */
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
			which = t[u].heard + 1;
		t[u].wrong += !eor || (receives ? which <= t[u].heard : which != t[u].heard + 1);
		t[u].heard = which;
		t[u].good += !res.status;
		if (res.status && res.status != -ESTALE)
			t[u].err = res.status;
	}
}

static bool all_heard(const struct cube *c, const struct teller *t, unsigned int type)
{
	unsigned int u;

	for (u = 0; u < c->nodes; u++)
		if (t[u].heard != t[u].sent && (type != HYPERCUBE_PLAN_BCAST || u == SOURCE))
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

	ASSERT_EQ(0, cube_new(&c, 2, 0));
	ASSERT_EQ(0, cube_bind_all(&c));
	ASSERT_EQ(0, install(&c, type));
	r.c = &c;
	ASSERT_EQ(0, pthread_create(&thread, NULL, replace, &r));
	for (round = 0; !__atomic_load_n(&r.done, __ATOMIC_ACQUIRE); round++)
		for (u = 0; u < c.nodes; u++) {
			/* The first one gets ahead of the others. */
			if (!u || round % 4)
				contribute(&c, t, u, type);
			hear(&c, t, u, type);
		}
	pthread_join(thread, NULL);
	EXPECT_EQ(0, r.err);
	/* Nothing is contributed any more: the rest ends now. */
	EXPECT_EQ(0, install(&c, type));
	for (end = now_ms() + 1000 * patience(5); !all_heard(&c, t, type) && now_ms() < end;) {
		poll(NULL, 0, 1);
		for (u = 0; u < c.nodes; u++)
			hear(&c, t, u, type);
	}
	EXPECT_TRUE(all_heard(&c, t, type));
	for (u = 0; u < c.nodes; u++) {
		EXPECT_EQ(0, t[u].wrong);
		EXPECT_EQ(0, t[u].err);
		EXPECT_GT(t[u].good, 0);
	}
	printf("# %llu contributions of node 0, %llu ended well\n",
	       (unsigned long long)t[0].sent, (unsigned long long)t[0].good);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(a_tree_is_replaced)
{
	replaced_under_load(_metadata, HYPERCUBE_PLAN_TREE, false);
}

TEST(a_tree_is_removed_and_comes_back)
{
	replaced_under_load(_metadata, HYPERCUBE_PLAN_TREE, true);
}

TEST(a_doubling_is_replaced)
{
	replaced_under_load(_metadata, HYPERCUBE_PLAN_DOUBLING, false);
}

TEST(a_doubling_is_removed_and_comes_back)
{
	replaced_under_load(_metadata, HYPERCUBE_PLAN_DOUBLING, true);
}

TEST(a_broadcast_is_replaced)
{
	replaced_under_load(_metadata, HYPERCUBE_PLAN_BCAST, false);
}

TEST(a_broadcast_is_removed_and_comes_back)
{
	replaced_under_load(_metadata, HYPERCUBE_PLAN_BCAST, true);
}

TEST_HARNESS_MAIN
