// SPDX-License-Identifier: GPL-2.0
/*
 * Broadcasts of messages of all lengths, of which many are in flight, to receivers that are slow,
 * join late or have left, and with faults during a message.
 *
 * Scheduling: shared
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "cube.h"
#include "ktap.h"

#define PLAN 1

/**
 * struct listener - what a node has received
 * @records: complete records without a status
 * @bytes: bytes of all messages
 * @wrong: bytes that differ from what was sent at the same offset in the message
 * @at: bytes of the current message that were received
 * @ends: records with a status
 * @never: records with a status for a message that has not begun
 * @status: status of the last record that had one
 */
struct listener {
	unsigned int records;
	size_t bytes;
	size_t wrong;
	size_t at;
	unsigned int ends;
	unsigned int never;
	int status;
};

static unsigned char pattern(size_t at)
{
	return (unsigned char)(at ^ at >> 8 ^ at >> 16);
}

/* Receive bytes of a message, or its end, without waiting. Return: true if something has arrived.
 */
static bool listen_some(int fd, struct listener *l)
{
	static unsigned char buf[1 << 16];
	struct hypercube_result res;
	bool eor = false;
	ssize_t n = shc_recv(fd, buf, sizeof(buf), &res, &eor, MSG_DONTWAIT), i;

	if (n < 0)
		return false;
	for (i = 0; i < n; i++)
		l->wrong += buf[i] != pattern(l->at + i);
	l->bytes += n;
	l->at = eor ? 0 : l->at + n;
	if (eor && res.status) {
		l->ends++;
		l->never += res.op == HYPERCUBE_OP_NONE;
		l->status = res.status;
	} else if (eor) {
		l->records++;
	}
	return true;
}

/**
 * struct speaker - the messages that the source sends
 * @size: bytes of each message
 * @count: number of messages
 * @notify: the source requests a notification of the end of each message
 * @begun: messages begun
 * @sent: bytes of the current message that were sent
 * @refused: error of a sendmsg() call that the kernel refused, or 0
 */
struct speaker {
	size_t size;
	unsigned int count;
	bool notify;
	unsigned int begun;
	size_t sent;
	int refused;
};

/* Return: a message of at least @size bytes; the byte at each offset is pattern() of the offset. */
static const void *message(size_t size)
{
	static unsigned char *buf;
	static size_t have;
	size_t i;

	if (size > have) {
		buf = realloc(buf, size);
		for (i = have; i < size; i++)
			buf[i] = pattern(i);
		have = size;
	}
	return buf ? (void *)buf : (void *)"";
}

static bool has_more(const struct speaker *s)
{
	return !s->refused && (s->begun < s->count || s->sent < s->size);
}

/* Let the source make one send call, with all of the current message that is still to be sent.
 * Return: true if the kernel took bytes or refused the message.
 */
static bool speak_some(int fd, struct speaker *s)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_BCAST, .bytes = s->size,
		.flags = s->notify ? HYPERCUBE_F_NOTIFY : 0,
	};
	bool fresh = !s->begun || s->sent == s->size;
	size_t at = fresh ? 0 : s->sent;
	ssize_t n;

	if (!has_more(s))
		return false;
	n = shc_send(fd, fresh ? &op : NULL, (const char *)message(s->size) + at, s->size - at,
		     MSG_DONTWAIT);
	if (n == -EAGAIN || n == -ENOBUFS)
		return false;
	if (n < 0) {
		s->refused = (int)n;
		return true;
	}
	s->begun += fresh;
	s->sent = at + n;
	return true;
}

/* Wait up to 20 ms until a socket is ready, and let each node with a ready socket make one call.
 * @deaf: set of nodes that do not receive. Return: true if a call sent or received something.
 */
static bool run_some(const struct cube *c, struct speaker *s, struct listener *l, uint32_t deaf)
{
	unsigned int source = c->bcast.bcast.source, u;
	struct pollfd fds[CUBE_MAX];
	bool moved = false;

	for (u = 0; u < c->nodes; u++) {
		fds[u].fd = deaf >> u & 1 ? -1 : c->fd[u];
		fds[u].events = u == source && has_more(s) ? POLLIN | POLLOUT : POLLIN;
	}
	if (poll(fds, c->nodes, 20) <= 0)
		return false;
	for (u = 0; u < c->nodes; u++) {
		if (fds[u].revents & POLLOUT)
			moved |= speak_some(c->fd[u], s);
		if (fds[u].revents & ~POLLOUT)
			moved |= listen_some(c->fd[u], &l[u]);
	}
	return moved;
}

/* Let all nodes except those in @deaf send and receive until none has done so for @ms. */
static void run(struct cube *c, struct speaker *s, struct listener *l, uint32_t deaf, int ms)
{
	uint64_t last = now_ms();

	while (now_ms() < last + (uint64_t)ms) {
		if (run_some(c, s, l, deaf))
			last = now_ms();
		else
			usleep(200);
	}
}

/* Let all nodes send and receive until every member has all messages. Return: false if this takes
 * longer than the time limit.
 */
static bool run_all(struct cube *c, struct speaker *s, struct listener *l)
{
	unsigned int source = c->bcast.bcast.source, u, tries;

	for (tries = 0; tries < 200; tries++) {
		bool done = s->begun == s->count && s->sent == s->size &&
			    (!s->notify || l[source].records == s->count);

		for (u = 0; u < c->nodes; u++)
			if (u != source && hc_set_has(c->bcast.members, u))
				done &= l[u].records == s->count;
		if (done)
			return true;
		run(c, s, l, 0, wait_secs(1) * 10);
	}
	return false;
}

static bool all_right(const struct cube *c, const struct speaker *s, const struct listener *l)
{
	unsigned int u;

	for (u = 0; u < c->nodes; u++) {
		bool gets = u != c->bcast.bcast.source && hc_set_has(c->bcast.members, u);

		if (l[u].wrong || l[u].ends || l[u].bytes != gets * s->count * s->size) {
			printf("# node %u: %zu bytes, %zu wrong, %u ends (%d)\n", u, l[u].bytes,
			       l[u].wrong, l[u].ends, l[u].status);
			return false;
		}
	}
	return true;
}

static int start(struct cube *c, unsigned int dim, unsigned int segment, bool bind)
{
	int err = cube_new(c, dim, segment);

	if (!err && dim > 3)
		err = cube_fail_node(c, 5);
	if (!err && dim > 3)
		err = cube_fail_link(c, 0, 1);
	if (!err)
		err = cube_bcast_plan(c, PLAN, 0, HC_BCAST_GENERAL);
	if (!err && bind)
		err = cube_bind_all(c);
	return err;
}

/* Broadcast @count messages of @size bytes, and check that all members receive them. */
static void deliver(struct __test_metadata *_metadata, struct cube *c, size_t size,
		    unsigned int count, bool notify)
{
	struct listener l[CUBE_MAX] = { 0 };
	struct speaker s = { .size = size, .count = count, .notify = notify };

	EXPECT_TRUE(run_all(c, &s, l));
	EXPECT_TRUE(all_right(c, &s, l));
	if (test_failed(_metadata))
		ctl_op_print(c->name);
}

TEST(messages_of_all_sizes_arrive_whole)
{
	static const size_t sizes[] = {
		0, 1, 255, 256, 257, 511, 512, 513, 1499, 1500, 1501, 4096, 32767, 32768, 32769,
		65536, 1 << 20,
	};
	struct cube c;
	unsigned int i;

	ASSERT_EQ(0, start(&c, 4, 0, true));
	for (i = 0; i < ARRAY_SIZE(sizes) && !test_failed(_metadata); i++)
		deliver(_metadata, &c, sizes[i], 1, i & 1);
	EXPECT_EQ(0, cube_del(&c));
	ASSERT_EQ(0, start(&c, 3, 256, true));
	for (i = 0; i < ARRAY_SIZE(sizes) && !test_failed(_metadata); i++)
		deliver(_metadata, &c, sizes[i] % 70000, 2, true);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(sixteen_megabytes_reach_eight_nodes)
{
	struct cube c;

	ASSERT_EQ(0, start(&c, 3, 0, true));
	deliver(_metadata, &c, debug_kernel() ? 2 << 20 : 16 << 20, 1, true);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(thousands_of_messages_in_a_row_all_arrive)
{
	struct cube c;

	ASSERT_EQ(0, start(&c, 4, 0, true));
	deliver(_metadata, &c, 24, scaled(3000), false);
	deliver(_metadata, &c, 24, scaled(1000), true);
	EXPECT_EQ(0, cube_del(&c));
}

/**
 * struct scene - a long message that has stalled because node 7 does not read
 * @c: a cube of eight nodes
 * @s: the messages of the source
 * @l: what each node has received
 */
struct scene {
	struct cube c;
	struct speaker s;
	struct listener l[CUBE_MAX];
};

/* Begin a long message, and let the nodes except node 7 send and receive until it has stalled. */
static void scene_start(struct __test_metadata *_metadata, struct scene *x)
{
	x->s = (struct speaker){ .size = 8 << 20, .count = 1, .notify = true };
	memset(x->l, 0, sizeof(x->l));
	ASSERT_EQ(0, start(&x->c, 3, 0, true));
	run(&x->c, &x->s, x->l, 1 << 7, 300);
	EXPECT_GT(x->s.size, x->s.sent);
}

TEST(receiver_that_does_not_read_stalls_the_root)
{
	struct wait_view v;
	struct scene x;

	scene_start(_metadata, &x);
	EXPECT_EQ(0, ctl_op_get(x.c.name, PLAN, 7, &v));
	EXPECT_EQ(HYPERCUBE_WAIT_READER, v.wait);
	EXPECT_TRUE(run_all(&x.c, &x.s, x.l));
	EXPECT_TRUE(all_right(&x.c, &x.s, x.l));
	EXPECT_EQ(0, cube_del(&x.c));
}

TEST(message_waits_for_members_that_bind_late)
{
	struct speaker s = { .size = 100000, .count = 3, .notify = true };
	struct listener l[CUBE_MAX] = { 0 };
	unsigned int u;
	struct cube c;

	ASSERT_EQ(0, start(&c, 3, 0, false));
	ASSERT_EQ(0, cube_bind(&c, 0));
	run(&c, &s, l, 0, 100);
	EXPECT_EQ(0, l[0].records);
	for (u = 1; u < 8; u++)
		ASSERT_EQ(0, cube_bind(&c, u));
	EXPECT_TRUE(run_all(&c, &s, l));
	EXPECT_TRUE(all_right(&c, &s, l));
	EXPECT_EQ(0, cube_del(&c));
}

/* Return: true if each node with an open socket has received the end of the message: its last
 * bytes, or an error.
 */
static bool all_ended(const struct cube *c, const struct listener *l)
{
	unsigned int u;

	for (u = 0; u < c->nodes; u++)
		if (c->fd[u] >= 0 && (l[u].wrong || (!l[u].ends && !l[u].records))) {
			printf("# node %u: %u records, %u ends\n", u, l[u].records, l[u].ends);
			return false;
		}
	return true;
}

/* After a fault, let all nodes send and receive until none has done so for @ms and some time more.
 * Check that all have been notified of the end of the message, and that node @node gets @status.
 */
static void scene_ends(struct __test_metadata *_metadata, struct scene *x, unsigned int ms,
		       unsigned int node, int status)
{
	run(&x->c, &x->s, x->l, 0, ms + 200 * wait_secs(1));
	EXPECT_TRUE(all_ended(&x->c, x->l));
	EXPECT_EQ(status, x->l[node].status);
}

TEST(receiver_that_closes_during_message_does_not_fail_message)
{
	struct scene x;

	scene_start(_metadata, &x);
	cube_close(&x.c, 7);
	scene_ends(_metadata, &x, 0, 0, 0);
	EXPECT_EQ(1, x.l[0].records);
	/* A new socket at the same node takes part in the next message. */
	ASSERT_EQ(0, cube_bind(&x.c, 7));
	deliver(_metadata, &x.c, 1000, 5, true);
	EXPECT_EQ(0, cube_del(&x.c));
}

TEST(message_completes_after_a_receiver_has_left)
{
	struct speaker s = { .size = 1000, .count = 1, .notify = true };
	struct listener l[CUBE_MAX] = { 0 };
	struct cube c;

	ASSERT_EQ(0, start(&c, 3, 0, true));
	deliver(_metadata, &c, 10, 1, true);
	cube_close(&c, 6);
	run(&c, &s, l, 0, 200 * wait_secs(1));
	EXPECT_EQ(1, l[0].records);
	EXPECT_TRUE(all_ended(&c, l));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(receiver_gets_econnreset_if_root_closes_during_message)
{
	struct scene x;

	scene_start(_metadata, &x);
	cube_close(&x.c, 0);
	x.s = (struct speaker){ 0 };
	scene_ends(_metadata, &x, 0, 7, -ECONNRESET);
	EXPECT_EQ(0, cube_del(&x.c));
}

/* The source leaves after it has sent the whole message. A member that does not begin to receive
 * until then still gets the whole message.
 */
TEST(fully_sent_message_arrives_after_its_root_has_left)
{
	struct speaker s = { .size = 1900000, .count = 1 };
	struct listener l[CUBE_MAX] = { 0 };
	struct cube c;
	unsigned int u;

	ASSERT_EQ(0, start(&c, 3, 0, true));
	run(&c, &s, l, 1 << 7, 100);
	ASSERT_EQ(s.size, s.sent);
	EXPECT_EQ(0, l[7].bytes);
	cube_close(&c, 0);
	run(&c, &(struct speaker){ 0 }, l, 1 << 7, 3500);
	run(&c, &(struct speaker){ 0 }, l, 0, 200 * wait_secs(1));
	for (u = 1; u < 8; u++) {
		EXPECT_EQ(0, l[u].ends);
		EXPECT_EQ(1, l[u].records);
		EXPECT_EQ(s.size, l[u].bytes);
	}
	EXPECT_EQ(0, cube_del(&c));
}

TEST(link_fault_during_message_fails_message_and_new_plan_works)
{
	const uint8_t *sequence;
	struct scene x;

	scene_start(_metadata, &x);
	sequence = x.c.bcast.bcast.sequence;
	/* Fail the link over which node 7 or node 6 gets the message, and a link of the source. */
	ASSERT_EQ(0, cube_fail_link(&x.c, 4, sequence[1]));
	ASSERT_EQ(0, cube_fail_link(&x.c, 0, sequence[0]));
	scene_ends(_metadata, &x, 0, 0, -ENOLINK);
	ASSERT_EQ(0, cube_bcast_plan(&x.c, PLAN, 0, HC_BCAST_GENERAL));
	deliver(_metadata, &x.c, 100000, 3, true);
	EXPECT_EQ(0, cube_del(&x.c));
}

TEST(root_gets_enolink_if_a_node_fails_during_message)
{
	struct scene x;

	scene_start(_metadata, &x);
	ASSERT_EQ(0, cube_fail_node(&x.c, 7));
	scene_ends(_metadata, &x, 5000, 0, -ENOLINK);
	EXPECT_EQ(0, cube_del(&x.c));
}

/* A plan ends between two messages. The receivers must be notified of that, or they would wait for
 * the next message for ever.
 */
TEST(receivers_get_error_if_plan_breaks_between_messages)
{
	struct cube c;
	unsigned int u;

	ASSERT_EQ(0, start(&c, 3, 0, true));
	deliver(_metadata, &c, 1000, 3, true);
	ASSERT_EQ(0, cube_fail_node(&c, 7));
	for (u = 1; u < c.nodes; u++)
		EXPECT_EQ(-ENOLINK, shc_ended(c.fd[u]));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(root_gets_estale_if_plan_is_removed_during_message)
{
	struct scene x;

	scene_start(_metadata, &x);
	ASSERT_EQ(0, ctl_plan_del(x.c.name, PLAN));
	scene_ends(_metadata, &x, 0, 0, -ESTALE);
	EXPECT_EQ(0, cube_del(&x.c));
}

/* The source sends more messages than a plan can have under way, and then the plan is removed.
 * Receivers get a failure for each message that has begun, and none for messages that were still
 * queued.
 */
TEST(queued_messages_fail_only_at_root_when_plan_is_removed)
{
	struct speaker s = { .size = 4000, .count = 100, .notify = true };
	struct listener l[CUBE_MAX] = { 0 };
	const int small = 20000;
	struct cube c;

	ASSERT_EQ(0, start(&c, 1, 0, true));
	ASSERT_EQ(0, setsockopt(c.fd[1], SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)));
	run(&c, &s, l, 1u << 1, 200);
	EXPECT_EQ(s.count, s.begun);
	ASSERT_EQ(0, ctl_plan_del(c.name, PLAN));
	run(&c, &s, l, 0, 200 * wait_secs(1));
	EXPECT_EQ(s.count, l[0].records + l[0].ends);
	EXPECT_EQ(-ESTALE, l[0].status);
	EXPECT_NE(0, l[0].never);
	EXPECT_GT(l[0].ends, l[0].never);
	EXPECT_LE(1, l[1].ends);
	EXPECT_GE(s.count - l[0].never, l[1].records + l[1].ends);
	EXPECT_EQ(0, l[1].never);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(broadcast_by_other_member_or_on_other_plan_type_is_refused)
{
	struct hypercube_op op = { .plan = PLAN, .collective = HYPERCUBE_BCAST, .bytes = 1 };
	struct cube c;

	ASSERT_EQ(0, start(&c, 3, 0, true));
	ASSERT_EQ(0, cube_plan(&c, 2));
	EXPECT_EQ(-EPERM, shc_send(c.fd[3], &op, "", 1, 0));
	op.plan = 2;
	EXPECT_EQ(-EPROTOTYPE, shc_send(c.fd[0], &op, "", 1, 0));
	op = (struct hypercube_op){ .plan = PLAN, .collective = HYPERCUBE_REDUCE, .bytes = 1,
				    .oper = HYPERCUBE_SUM, .type = HYPERCUBE_U8 };
	EXPECT_EQ(-EPROTOTYPE, shc_send(c.fd[0], &op, "", 1, 0));
	op.collective = HYPERCUBE_BCAST;
	EXPECT_EQ(-EINVAL, shc_send(c.fd[0], &op, "", 1, 0));
	op.collective = 77;
	EXPECT_EQ(-EOPNOTSUPP, shc_send(c.fd[0], &op, "", 1, 0));
	EXPECT_EQ(0, cube_del(&c));
}

/* After each of several failures in a row, the next message succeeds. */
TEST(message_succeeds_after_many_failed_messages_in_a_row)
{
	const struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_BCAST, .bytes = 8192,
	};
	const unsigned int rounds = 500;
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
	ASSERT_EQ(8, shc_send(c.fd[0], &small, half, 8, 0));
	EXPECT_EQ(0, shc_ended(c.fd[1]));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
