// SPDX-License-Identifier: GPL-2.0
/*
 * Words get lost: that operations are done, or that they have failed.  A member that has to hear
 * one hears it later, and the loss causes no further failures.
 */
#include <errno.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define TESTS_TOGETHER
#include "cube.h"
#include "ktap.h"

#define PLAN 1
#define ALL 1000000

static const uint64_t number;

/* The sink completes an operation and the word is lost. What the member it was for has below it has
 * begun the next one, so it waits for its own process, and that for the word.
 */
TEST(a_completion_is_asked_for_by_who_owes_the_next)
{
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .bytes = 8,
	};
	struct hypercube_op told = op;
	unsigned int u, dim, child;
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 2, 4096));
	ASSERT_EQ(0, cube_plan_to(&c, PLAN, 0));
	ASSERT_EQ(0, cube_bind_all(&c));
	dim = c.plan.tree.order[1];
	child = 1u << dim;
	told.flags = HYPERCUBE_F_NOTIFY;
	ASSERT_EQ(0, ctl_link_loss(c.name, 0, dim, ALL, true));
	for (u = 0; u < 4; u++)
		ASSERT_EQ(8, shc_send(c.fd[u], u == child ? &told : &op, &number, 8, 0));
	EXPECT_TRUE(readable(c.fd[0], 10));
	ASSERT_EQ(8, shc_send(c.fd[3], &op, &number, 8, 0));
	usleep(100000);
	ASSERT_EQ(0, ctl_link_loss(c.name, 0, dim, 0, true));
	EXPECT_TRUE(readable(c.fd[child], 10));
	EXPECT_EQ(0, cube_del(&c));
}

/* Nothing of a message has come, so its receiver does not know that there is something to ask for.
 */
TEST(who_knows_nothing_of_a_message_hears_that_it_failed)
{
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_BCAST, .bytes = 8192,
	};
	static const char half[4096];
	struct hypercube_result res = { 0 };
	struct cube c;
	char data[8];
	bool eor;

	ASSERT_EQ(0, cube_new(&c, 1, 4096));
	ASSERT_EQ(0, cube_bcast_plan(&c, PLAN, 0, HC_BCAST_GENERAL));
	ASSERT_EQ(0, cube_bind_all(&c));
	ASSERT_EQ(0, ctl_link_loss(c.name, 0, 0, ALL, true));
	ASSERT_EQ(4096, shc_send(c.fd[0], &op, half, 4096, 0));
	cube_close(&c, 0);
	usleep(100000);
	ASSERT_EQ(0, ctl_link_loss(c.name, 0, 0, 0, true));
	EXPECT_TRUE(readable(c.fd[1], 10));
	EXPECT_EQ(0, shc_recv(c.fd[1], data, sizeof(data), &res, &eor, 0));
	EXPECT_NE(0, res.status);
	EXPECT_EQ(0, cube_del(&c));
}

/* Sends a message, and waits until it has arrived or is lost: a socket is charged until then. */
static bool datagram(const struct cube *c, int fd, unsigned int to)
{
	const struct sockaddr_hypercube at = shc_addr(c->name, to);
	uint32_t held[SK_MEMINFO_VARS];
	socklen_t len = sizeof(held);
	unsigned int i;

	if (sendto(fd, &number, 8, 0, (const void *)&at, sizeof(at)) != 8)
		return false;
	for (i = 0; i < 1000u * patience(10); i++) {
		if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, held, &len))
			return false;
		if (!held[SK_MEMINFO_WMEM_ALLOC])
			return true;
		usleep(1000);
	}
	return false;
}

/* Does a node come to this number in the plan? */
static bool next_is(const struct cube *c, unsigned int node, uint64_t nr)
{
	struct wait_view v = { 0 };
	unsigned int i;

	for (i = 0; i < 1000u * patience(10) && v.next != nr; i++) {
		usleep(1000);
		if (ctl_op_get(c->name, PLAN, node, &v))
			return false;
	}
	return v.next == nr;
}

/* The receiver finds a gap, and so that something has failed, behind the messages that it has.
 * What it says of that is lost, as is the word that it has them: its source finds a failure of its
 * own that begins and ends earlier, and has nothing more to ask for.
 */
TEST(a_failure_that_the_source_has_not_heard_of_is_told_again)
{
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_BCAST, .bytes = 8,
	};
	struct hypercube_result res = { 0 };
	unsigned int i;
	struct cube c;
	char data[8];
	bool eor;
	int fd;

	ASSERT_EQ(0, cube_new(&c, 1, 4096));
	ASSERT_EQ(0, ctl_patience(c.name, 4000 * patience(1)));
	ASSERT_EQ(0, cube_bcast_plan(&c, PLAN, 0, HC_BCAST_GENERAL));
	ASSERT_EQ(0, cube_bind_all(&c));
	fd = shc_bound(c.name, 0, SOCK_DGRAM);
	ASSERT_LE(0, fd);
	ASSERT_TRUE(datagram(&c, fd, 1));
	ASSERT_EQ(0, ctl_link_loss(c.name, 1, 0, ALL, true));
	for (i = 0; i < 7; i++) {
		ASSERT_EQ(8, shc_send(c.fd[0], &op, &number, 8, 0));
		ASSERT_TRUE(readable(c.fd[1], 10));
		ASSERT_EQ(8, shc_recv(c.fd[1], data, sizeof(data), &res, &eor, 0));
		ASSERT_EQ(0, res.status);
	}
	ASSERT_EQ(0, ctl_link_loss(c.name, 0, 0, ALL, true));
	ASSERT_TRUE(datagram(&c, fd, 1));
	ASSERT_EQ(0, ctl_link_loss(c.name, 0, 0, 0, true));
	ASSERT_TRUE(datagram(&c, fd, 1));
	ASSERT_TRUE(next_is(&c, 1, 7 + 128));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(8, shc_send(c.fd[0], &op, &number, 8, 0));
	EXPECT_TRUE(readable(c.fd[0], 10));
	EXPECT_TRUE(next_is(&c, 0, 128));
	ASSERT_EQ(0, ctl_link_loss(c.name, 1, 0, 0, true));
	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(readable(c.fd[1], 10));
		EXPECT_EQ(0, shc_recv(c.fd[1], data, sizeof(data), &res, &eor, 0));
		EXPECT_NE(0, res.status);
	}
	close(fd);
	EXPECT_EQ(0, cube_del(&c));
}

/* The process of a node leaves in the middle of a contribution, and another one comes: operations
 * from there on fail.  False: the node does not come to number @next then.
 */
static bool leaves_halfway(struct cube *c, unsigned int node, const struct hypercube_op *op,
			   uint64_t next)
{
	static const char half[4096];

	if (shc_send(c->fd[node], op, half, sizeof(half), 0) != sizeof(half))
		return false;
	cube_close(c, node);
	return next_is(c, node, next) && !cube_bind(c, node);
}

/* Messages fail twice, and one between them does not; of the first failure, which goes on where
 * the one before it ended, the receiver hears nothing, nor has it anything of that message.
 */
TEST(of_two_failures_the_word_of_the_first_is_lost)
{
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_BCAST, .bytes = 8192,
	};
	struct hypercube_op small = op;
	struct cube c;

	small.bytes = 8;
	ASSERT_EQ(0, cube_new(&c, 1, 4096));
	ASSERT_EQ(0, cube_bcast_plan(&c, PLAN, 0, HC_BCAST_GENERAL));
	ASSERT_EQ(0, cube_bind_all(&c));
	ASSERT_TRUE(leaves_halfway(&c, 0, &op, 128));
	EXPECT_EQ(-ECONNRESET, shc_ended(c.fd[1]));
	ASSERT_TRUE(next_is(&c, 1, 128));
	ASSERT_EQ(0, ctl_link_loss(c.name, 0, 0, ALL, true));
	ASSERT_TRUE(leaves_halfway(&c, 0, &op, 256));
	ASSERT_EQ(8, shc_send(c.fd[0], &small, &number, 8, 0));
	ASSERT_TRUE(next_is(&c, 0, 257));
	ASSERT_EQ(0, ctl_link_loss(c.name, 0, 0, 0, true));
	ASSERT_TRUE(leaves_halfway(&c, 0, &op, 257 + 128));
	EXPECT_GT(0, shc_ended(c.fd[1]));
	EXPECT_GT(0, shc_ended(c.fd[1]));
	EXPECT_GT(0, shc_ended(c.fd[1]));
	ASSERT_EQ(8, shc_send(c.fd[0], &small, &number, 8, 0));
	EXPECT_EQ(0, shc_ended(c.fd[1]));
	EXPECT_EQ(0, cube_del(&c));
}

/* What a member gave to a reduction that has failed is not complete because others have gone on
 * behind it.  It hears nothing of that failure, but of another one, behind an operation that has
 * not failed; that one may grow down to the first, so that there is no gap any more.
 */
TEST_BOTH(what_failed_does_not_pass_for_complete, gap_closes)
{
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .bytes = 8192, .flags = HYPERCUBE_F_NOTIFY,
	};
	static const char zero[8192];
	unsigned int dim, deaf;
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 2, 4096));
	ASSERT_EQ(0, cube_plan_to(&c, PLAN, 0));
	ASSERT_EQ(0, cube_bind_all(&c));
	dim = c.plan.tree.order[0];
	deaf = 1u << dim;
	ASSERT_EQ(0, ctl_link_loss(c.name, 0, dim, ALL, true));
	ASSERT_EQ(8192, shc_send(c.fd[deaf], &op, zero, 8192, 0));
	ASSERT_TRUE(leaves_halfway(&c, 3, &op, 128));
	ASSERT_TRUE(next_is(&c, 0, 128));
	ASSERT_EQ(8192, shc_send(c.fd[3], &op, zero, 8192, 0));
	if (gap_closes) {
		ASSERT_TRUE(leaves_halfway(&c, 3, &op, 129 + 128));
		ASSERT_EQ(0, ctl_link_loss(c.name, 0, dim, 0, true));
		ASSERT_TRUE(leaves_halfway(&c, 3 ^ deaf, &op, 129 + 128));
	} else {
		ASSERT_EQ(0, ctl_link_loss(c.name, 0, dim, 0, true));
		ASSERT_TRUE(leaves_halfway(&c, 3, &op, 129 + 128));
	}
	EXPECT_EQ(gap_closes ? -ECONNRESET : -EIO, shc_ended(c.fd[deaf]));
	EXPECT_EQ(0, cube_del(&c));
}

/* Each failure goes on where the one before it ended; they are more numbers than a word may name.
 */
TEST(a_plan_is_of_use_after_failures_in_a_row)
{
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_BCAST, .bytes = 8192,
	};
	const unsigned int rounds = (1 << 20) / 128 + 10;
	struct hypercube_op small = op;
	unsigned int i, wrong = 0;
	static const char half[4096];
	struct cube c;

	small.bytes = 8;
	ASSERT_EQ(0, cube_new(&c, 1, 4096));
	ASSERT_EQ(0, cube_bcast_plan(&c, PLAN, 0, HC_BCAST_GENERAL));
	ASSERT_EQ(0, cube_bind_all(&c));
	for (i = 0; i < rounds && !wrong; i++) {
		wrong += shc_send(c.fd[0], &op, half, sizeof(half), 0) != sizeof(half);
		cube_close(&c, 0);
		wrong += cube_bind(&c, 0) || shc_ended(c.fd[1]) != -ECONNRESET;
	}
	EXPECT_EQ(0, wrong);
	ASSERT_EQ(8, shc_send(c.fd[0], &small, &number, 8, 0));
	EXPECT_EQ(0, shc_ended(c.fd[1]));
	EXPECT_EQ(0, cube_del(&c));
}

static uint64_t highest_number(const struct cube *c)
{
	struct wait_view v = { 0 };
	uint64_t most = 0;
	unsigned int u;

	for (u = 0; u < c->nodes; u++)
		if (!ctl_op_get(c->name, PLAN, u, &v) && v.next > most)
			most = v.next;
	return most;
}

/* With so many links and such losses each word of a failure is lost on several of them. */
TEST(lost_words_of_failures_make_no_failures)
{
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_BCAST, .bytes = 8,
	};
	const struct impairments bad = { .loss = 200000 };
	uint64_t before;
	unsigned int i;
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 4, 4096));
	ASSERT_EQ(0, cube_bcast_plan(&c, PLAN, 0, HC_BCAST_GENERAL));
	ASSERT_EQ(0, cube_bind_all(&c));
	ASSERT_EQ(0, cube_impair(&c, &bad));
	for (i = 0; i < 20; i++)
		ASSERT_EQ(8, shc_send(c.fd[0], &op, &number, 8, 0));
	usleep(1000 * 1000 * patience(2));
	before = highest_number(&c);
	usleep(1000 * 1000 * patience(2));
	/* Each failure takes 128 numbers; few may still be found. */
	EXPECT_GE(before + 16 * 128, highest_number(&c));
	printf("# next number %llu, then %llu\n", (unsigned long long)before,
	       (unsigned long long)highest_number(&c));
	EXPECT_EQ(0, cube_del(&c));
}

#define PIECE	1024

/* What of an operation comes to or from node 0 by a detour, 0 - 4 - 6 - 2, and the link in the
 * middle of it, of no node that the detour is for.
 */
struct window {
	const char *what;
	unsigned int collective, oper, from, to;
};

/* Who waits for @wait?  All of what there was credit for is on its way, or lost. */
static bool waits_so(const struct cube *c, unsigned int node, unsigned int wait)
{
	struct wait_view v = { .wait = -1 };
	uint64_t end = deadline(10);

	while (v.wait != (int)wait && now_ms() < end) {
		usleep(1000);
		if (ctl_op_get(c->name, PLAN, node, &v))
			return false;
	}
	return v.wait == (int)wait;
}

static void window_lost(struct __test_metadata *_metadata, const struct window *w)
{
	const struct hypercube_op op = {
		.plan = PLAN, .collective = w->collective, .oper = w->oper,
		.type = w->oper ? HYPERCUBE_U64 : 0, .bytes = 32 * PIECE,
		.flags = w->collective == HYPERCUBE_REDUCE ? HYPERCUBE_F_NOTIFY : 0,
	};
	static const char zero[32 * PIECE];
	unsigned int u, dim;
	struct cube c;

	ASSERT_EQ(0, cube_detour(&c, PLAN, PIECE));
	ASSERT_EQ(0, cube_bind_all(&c));
	dim = hc_first64(w->from ^ w->to);
	ASSERT_EQ(0, ctl_link_loss(c.name, w->from, dim, ALL, true));
	for (u = 0; u < c.nodes; u++)
		ASSERT_EQ(op.bytes, shc_send(c.fd[u], &op, zero, op.bytes, 0));
	EXPECT_TRUE(waits_so(&c, w->from == 4 ? 0 : 2, HYPERCUBE_WAIT_CREDIT));
	/* Until the last frame is where it gets lost. */
	usleep(1000 * (unsigned int)patience(300));
	ASSERT_EQ(0, ctl_link_loss(c.name, w->from, dim, 0, true));
	EXPECT_EQ(-EIO, shc_ended(c.fd[0]));
	if (_metadata->failed) {
		printf("# %s\n", w->what);
		ctl_op_print(c.name);
	}
	EXPECT_EQ(0, cube_del(&c));
}

/* No gap shows at either end, and with nothing lossy any more silence would be no sign. */
TEST(all_that_there_was_credit_for_is_lost_on_a_detour)
{
	static const struct window windows[] = {
		{ "a merge, up", HYPERCUBE_REDUCE, HYPERCUBE_MERGE, 4, 6 },
		{ "a result, down", HYPERCUBE_ALLREDUCE, HYPERCUBE_SUM, 6, 4 },
		{ "blocks, up", HYPERCUBE_ALLGATHER, 0, 4, 6 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(windows); i++)
		window_lost(_metadata, &windows[i]);
}

TEST_HARNESS_MAIN
