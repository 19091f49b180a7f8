// SPDX-License-Identifier: GPL-2.0
/*
 * Messages from node to node, between all pairs of nodes and around faults: each is delivered if
 * and only if a path of healthy links exists. Other tests are about order, lengths, full buffers
 * and wrong use.
 *
 * Scheduling: shared
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cube.h"
#include "ktap.h"

/**
 * struct message - the data of a message
 * @from: the sending node
 * @to: the receiving node
 * @nr: number of the message among all messages of the test
 */
struct message {
	uint32_t from;
	uint32_t to;
	uint32_t nr;
};

/* @got_news: for each message number, how often this message was received. @given: number of
 * messages so far. @first: first message number of the current round. @arrived: number of messages
 * of the current round that have arrived.
 */
static unsigned char got_news[1 << 13];
static unsigned int given, first, arrived;

/* Return: a message with the next number. */
static struct message message(unsigned int from, unsigned int to)
{
	return (struct message){ from, to, given++ };
}

static long post(const struct cube *c, unsigned int from, unsigned int to, const void *buf,
		 size_t len)
{
	struct sockaddr_hypercube a = shc_addr(c->name, to);
	ssize_t n = sendto(c->fd[from], buf, len, MSG_DONTWAIT, (const struct sockaddr *)&a,
			   sizeof(a));

	return n < 0 ? -errno : n;
}

/* Receive the next message for node @to, without waiting. *@from: set to the sending node. Return:
 * length of the message, -EAGAIN, or another error.
 */
static long take(const struct cube *c, unsigned int to, void *buf, size_t len,
		 unsigned int *from)
{
	struct sockaddr_hypercube a;
	socklen_t alen = sizeof(a);
	ssize_t n = recvfrom(c->fd[to], buf, len, MSG_DONTWAIT, (struct sockaddr *)&a, &alen);

	if (n < 0)
		return -errno;
	if (alen != sizeof(a) || a.shc_family != shc_family() || strcmp(a.shc_fabric, c->name))
		return -EBADMSG;
	*from = a.shc_node;
	return n;
}

/* Receive all messages that have arrived at node @u. Return: number of wrong messages and of
 * duplicates.
 */
static unsigned int hear(const struct cube *c, unsigned int u)
{
	unsigned int from, wrong = 0;
	struct message m;
	long n;

	while ((n = take(c, u, &m, sizeof(m), &from)) >= 0) {
		if (n != sizeof(m) || m.from != from || m.to != u || m.nr >= given) {
			wrong++;
			continue;
		}
		arrived += m.nr >= first;
		wrong += got_news[m.nr]++ > 0;
	}
	return wrong + (n != -EAGAIN);
}

/* Receive until @want messages of the current round have arrived, and then until no more arrive.
 * Return: number of wrong messages and of duplicates.
 */
static unsigned int collect(const struct cube *c, unsigned int want)
{
	uint64_t last = now_ms(), end = last + 1000 * (unsigned int)wait_secs(30);
	unsigned int u, before, wrong = 0;

	while ((arrived < want && now_ms() < end) ||
	       now_ms() < last + 150 * (unsigned int)wait_secs(1)) {
		before = arrived;
		for (u = 0; u < c->nodes; u++)
			wrong += hear(c, u);
		if (arrived > before)
			last = now_ms();
		usleep(5000);
	}
	return wrong;
}

/* Return: number of ordered pairs of live nodes that are connected, including each node with
 * itself.
 */
static unsigned int pairs(const struct cube *c)
{
	uint32_t set[CUBE_MAX / 32];
	unsigned int u, n = 0;

	for (u = 0; u < c->nodes; u++)
		n += hc_faults_component(c->faults, u, set);
	return n;
}

/* Send a message between each pair of nodes, which makes a round. A message must arrive once if
 * both nodes are live and connected, otherwise never. On a slow machine a message may still search
 * for a path when its round has ended, and find one when the cube has no faults any more; the
 * message numbers show that it belongs to an earlier round. Return: number of errors.
 */
static unsigned int all_pairs(struct cube *c)
{
	uint32_t set[CUBE_MAX / 32];
	unsigned int u, w, wrong = 0;

	first = given;
	arrived = 0;
	for (u = 0; u < c->nodes; u++)
		for (w = 0; w < c->nodes; w++) {
			struct message m = message(u, w);

			wrong += post(c, u, w, &m, sizeof(m)) != sizeof(m);
		}
	wrong += collect(c, pairs(c));
	for (u = 0; u < c->nodes; u++) {
		hc_faults_component(c->faults, u, set);
		for (w = 0; w < c->nodes; w++) {
			unsigned int want = hc_set_has(set, w);
			unsigned int times = got_news[first + u * c->nodes + w];

			if (times == want)
				continue;
			printf("# node %u heard node %u %u times, not %u\n", w, u, times, want);
			wrong++;
		}
	}
	return wrong;
}

TEST(datagrams_between_all_pairs_of_healthy_cube_arrive_once)
{
	struct cube c;

	ASSERT_EQ(0, cube_dgrams(&c, 4));
	EXPECT_EQ(0, all_pairs(&c));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(datagrams_around_faults_arrive_if_a_healthy_path_exists)
{
	unsigned int round, i, node, dim;
	struct cube c;

	ASSERT_EQ(0, cube_dgrams(&c, 4));
	for (round = 0; round < scaled(20); round++) {
		ASSERT_EQ(0, cube_heal(&c));
		for (i = 0; i < 4 + round; i++) {
			cube_link(&c, below(32), &node, &dim);
			ASSERT_EQ(0, cube_fail_link(&c, node, dim));
		}
		for (i = 0; i < round % 4; i++)
			ASSERT_EQ(0, cube_fail_node(&c, below(16)));
		EXPECT_EQ(0, all_pairs(&c));
	}
	EXPECT_EQ(0, cube_del(&c));
}

TEST(datagrams_of_all_sizes_arrive_in_order)
{
	static const size_t sizes[] = { 0, 1, 39, 40, 512, 4096, 32768 };
	static char out[32769], in[32769];
	unsigned int from, i, n = ARRAY_SIZE(sizes);
	struct cube c;

	ASSERT_EQ(0, cube_dgrams(&c, 3));
	for (i = 0; i < sizeof(out); i++)
		out[i] = (char)(i * 31 + i / 256);
	for (i = 0; i < n; i++)
		EXPECT_EQ(sizes[i], post(&c, 0, 7, out, sizes[i]));
	usleep(200000 * (unsigned int)wait_secs(1));
	for (i = 0; i < n; i++) {
		EXPECT_EQ(sizes[i], take(&c, 7, in, sizeof(in), &from));
		EXPECT_EQ(0, from);
		EXPECT_EQ(0, memcmp(in, out, sizes[i]));
	}
	EXPECT_EQ(-EMSGSIZE, post(&c, 0, 7, out, 32769));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(datagram_longer_than_buffer_is_truncated)
{
	char out[100] = "0123456789", in[100] = { 0 };
	struct iovec iov = { .iov_base = in, .iov_len = 10 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cube c;

	ASSERT_EQ(0, cube_dgrams(&c, 2));
	EXPECT_EQ(100, post(&c, 0, 3, out, 100));
	EXPECT_EQ(100, post(&c, 0, 3, out, 100));
	usleep(100000 * (unsigned int)wait_secs(1));
	EXPECT_EQ(-1, recv(c.fd[3], in, 10, MSG_DONTWAIT | MSG_ERRQUEUE));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_EQ(10, recvmsg(c.fd[3], &msg, MSG_DONTWAIT));
	EXPECT_TRUE(msg.msg_flags & MSG_TRUNC);
	EXPECT_EQ(0, memcmp(in, out, 10));
	EXPECT_EQ(100, recv(c.fd[3], in, 10, MSG_DONTWAIT | MSG_TRUNC));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(full_receive_queue_drops_only_datagrams_to_that_node)
{
	char data[1024] = { 0 };
	unsigned int i, from, got = 0;
	struct cube c;
	long n;

	ASSERT_EQ(0, cube_dgrams(&c, 2));
	for (i = 0; i < 4000; i++) {
		n = post(&c, 0, 3, data, sizeof(data));

		if (n == -EAGAIN)
			usleep(1000);
		else
			ASSERT_EQ(sizeof(data), n);
	}
	usleep(100000 * (unsigned int)wait_secs(1));
	while (take(&c, 3, data, sizeof(data), &from) == sizeof(data))
		got++;
	printf("# %u of %u messages were kept\n", got, i);
	EXPECT_LE(100, got);
	EXPECT_GT(4000, got);
	/* This does not affect messages to other nodes, or the next message to this node. */
	EXPECT_EQ(4, post(&c, 0, 2, data, 4));
	EXPECT_EQ(4, post(&c, 0, 3, data, 4));
	usleep(100000 * (unsigned int)wait_secs(1));
	EXPECT_EQ(4, take(&c, 2, data, sizeof(data), &from));
	/* On a busy machine, some of the earlier messages arrive late, so skip these. */
	do
		n = take(&c, 3, data, sizeof(data), &from);
	while (n == sizeof(data));
	EXPECT_EQ(4, n);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(wrong_addresses_are_refused)
{
	struct sockaddr_hypercube a[2];
	struct message m = { 0 };
	struct cube c;
	int fd;

	ASSERT_EQ(0, cube_dgrams(&c, 2));
	fd = c.fd[0];
	EXPECT_EQ(-1, send(fd, &m, sizeof(m), MSG_DONTWAIT));
	EXPECT_EQ(EDESTADDRREQ, errno);
	EXPECT_EQ(-EADDRNOTAVAIL, post(&c, 0, 4, &m, sizeof(m)));
	EXPECT_EQ(-EADDRNOTAVAIL, post(&c, 0, ~0u, &m, sizeof(m)));
	a[0] = shc_addr("other", 1);
	a[1] = a[0];
	EXPECT_EQ(-1, sendto(fd, &m, sizeof(m), 0, (struct sockaddr *)a, sizeof(a[0])));
	EXPECT_EQ(EADDRNOTAVAIL, errno);
	a[0] = shc_addr(c.name, 1);
	a[1] = a[0];
	EXPECT_EQ(-1, sendto(fd, &m, sizeof(m), 0, (struct sockaddr *)a, sizeof(a[0]) - 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, sendto(fd, &m, sizeof(m), 0, (struct sockaddr *)a, sizeof(a[0]) + 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, sendto(fd, &m, sizeof(m), MSG_OOB, (struct sockaddr *)a, sizeof(a[0])));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_EQ(-1, sendto(fd, (void *)8, 8, 0, (struct sockaddr *)a, sizeof(a[0])));
	EXPECT_EQ(EFAULT, errno);
	a[0].shc_reserved = 1;
	EXPECT_EQ(-1, sendto(fd, &m, sizeof(m), 0, (struct sockaddr *)a, sizeof(a[0])));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, cube_del(&c));
}

static long blocking_take(const struct cube *c, unsigned int u)
{
	char byte;

	return recv(c->fd[u], &byte, 1, 0) < 0 ? -errno : 0;
}

static void *taker(void *arg)
{
	return (void *)blocking_take(arg, 2);
}

/* After the fabric was removed, every call of every process that receives reports this, not only
 * the first call. Messages that arrived before the removal can still be received.
 */
TEST(all_calls_fail_with_enodev_after_fabric_is_removed)
{
	struct message m = { 0, 1, 0 }, got;
	pthread_t readers[2];
	unsigned int i, from;
	struct cube c;
	void *ret;

	ASSERT_EQ(0, cube_dgrams(&c, 2));
	ASSERT_EQ((long)sizeof(m), post(&c, 0, 1, &m, sizeof(m)));
	for (i = 0; i < c.nodes; i++)
		ASSERT_EQ(0, fcntl(c.fd[i], F_SETFL, 0));
	for (i = 0; i < 500 && recv(c.fd[1], &got, 1, MSG_PEEK | MSG_DONTWAIT) < 0; i++)
		usleep(10000);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&readers[i], NULL, taker, &c));
	usleep(200000);
	ASSERT_EQ(0, ctl_fabric_del(c.name));
	for (i = 0; i < 2; i++) {
		pthread_join(readers[i], &ret);
		EXPECT_EQ(-ENODEV, (long)ret);
	}
	EXPECT_EQ(-ENODEV, take(&c, 1, &got, sizeof(got), &from));
	EXPECT_EQ((long)sizeof(m), take(&c, 1, &got, sizeof(got), &from));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(-ENODEV, blocking_take(&c, 1));
		EXPECT_EQ(-ENODEV, post(&c, 0, 1, &m, sizeof(m)));
		EXPECT_EQ(-ENODEV, blocking_take(&c, 0));
		EXPECT_EQ(-ENODEV, take(&c, 0, &got, sizeof(got), &from));
	}
	EXPECT_NE(0, cube_del(&c));
}

/* Links flap while messages are under way. No message may be delivered twice or to a wrong node. */
TEST(datagrams_are_not_duplicated_while_links_flap)
{
	unsigned int round, node, dim, i, sent = 0, wrong = 0;
	struct message m;
	struct cube c;

	ASSERT_EQ(0, cube_dgrams(&c, 4));
	for (round = 0; round < scaled(400); round++) {
		cube_link(&c, below(32), &node, &dim);
		ASSERT_EQ(0, ctl_link_down(c.name, node, dim, below(2)));
		for (i = 0; i < 8; i++) {
			m = message(below(16), below(16));
			sent += post(&c, m.from, m.to, &m, sizeof(m)) == sizeof(m);
		}
		for (i = 0; i < 16; i++)
			wrong += hear(&c, i);
	}
	ASSERT_EQ(0, cube_heal(&c));
	wrong += collect(&c, 0);
	printf("# %u of %u messages arrived\n", arrived, sent);
	EXPECT_EQ(0, wrong);
	EXPECT_GE(sent, arrived);
	EXPECT_LE(sent / 4, arrived);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
