// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks at a node: limits and accounting, calls that wait for a task or for space, poll(), and
 * wrong use.
 *
 * Scheduling: shared
 */
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/time.h>

#include "cube.h"
#include "ktap.h"
#include "task_calls.h"

#define REPEAT HYPERCUBE_TASK_IDEMPOTENT

static char big[HYPERCUBE_TASK_MAX + 1], room[HYPERCUBE_TASK_MAX + 1];

TEST(producer_is_charged_for_a_task_until_taken_or_done)
{
	struct hypercube_task id[2];
	struct task_view v;
	unsigned int full;
	struct cube c;
	int p, w;

	ASSERT_EQ(0, task_pair(&c, 1, 0, 0, &p, &w));
	EXPECT_EQ(0, task_charged(p));
	/* An idempotent task is charged until it is done, any other task until it is taken. */
	ASSERT_EQ(0, task_put(p, big, 8000, REPEAT));
	ASSERT_EQ(0, task_put(p, big, 8000, 0));
	full = task_charged(p);
	EXPECT_LE(16000, full);
	EXPECT_EQ(8000, task_take(w, room, sizeof(room), &id[0], 0));
	EXPECT_EQ(full, task_charged(p));
	EXPECT_EQ(8000, task_take(w, room, sizeof(room), &id[1], 0));
	EXPECT_EQ(full / 2, task_charged(p));
	EXPECT_EQ(0, task_done(w, &id[1]));
	EXPECT_EQ(full / 2, task_charged(p));
	EXPECT_EQ(0, task_done(w, &id[0]));
	EXPECT_EQ(0, task_charged(p));
	EXPECT_EQ(0, task_charged(w));
	EXPECT_EQ(0, task_view(c.name, 0, &v));
	EXPECT_EQ(0, v.bytes);
	/* A task remains in the queue when its producer closes its socket. */
	task_fill(big, 60000, 9);
	ASSERT_EQ(0, task_put(p, big, 60000, REPEAT));
	close(p);
	EXPECT_EQ(60000, task_take(w, room, sizeof(room), &id[0], 0));
	EXPECT_EQ(0, memcmp(room, big, 60000));
	close(w);
	w = task_bound(&c, 0);
	EXPECT_EQ(60000, task_take(w, room, sizeof(room), &id[1], 0));
	EXPECT_EQ(0, memcmp(room, big, 60000));
	EXPECT_EQ(REPEAT | HYPERCUBE_TASK_REDELIVERED, id[1].flags);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(a_full_send_buffer_stops_a_producer)
{
	struct hypercube_task id;
	unsigned int n = 0, i;
	struct cube c;
	int p, w, err;

	ASSERT_EQ(0, task_pair(&c, 1, 0, 1 << 17, &p, &w));
	while (!(err = task_put(p, big, 10000, 0)) && n < 1000)
		n++;
	EXPECT_EQ(-EAGAIN, err);
	EXPECT_LE(10, n);
	EXPECT_GE(40, n);
	EXPECT_EQ(POLLIN, task_events(p));
	/* Another socket has space for tasks. */
	EXPECT_EQ(POLLIN | POLLOUT, task_events(w));
	EXPECT_EQ(0, task_put(w, big, 1, 0));
	for (i = 0; i < n; i++)
		EXPECT_EQ(10000, task_take(w, room, sizeof(room), &id, 0));
	EXPECT_EQ(POLLIN | POLLOUT, task_events(p));
	EXPECT_EQ(0, task_charged(p));
	EXPECT_EQ(0, cube_del(&c));
}

/* A call of a thread that blocks: its socket (@fd) and its outcome (@err, @id). */
struct later {
	int fd;
	int err;
	struct hypercube_task id;
};

static void *put_later(void *arg)
{
	struct later *l = arg;

	l->err = task_put(l->fd, big, HYPERCUBE_TASK_MAX, REPEAT);
	return NULL;
}

static void *take_later(void *arg)
{
	struct later *l = arg;

	l->err = (int)task_take(l->fd, room, sizeof(room), &l->id, 0);
	return NULL;
}

/* Return: true if the thread is still blocked in its call after 100 ms. */
static bool asleep(pthread_t t)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_nsec += 100000000;
	at.tv_sec += at.tv_nsec / 1000000000;
	at.tv_nsec %= 1000000000;
	return pthread_timedjoin_np(t, NULL, &at) == ETIMEDOUT;
}

TEST(node_accepts_no_more_tasks_than_its_limit)
{
	struct later l = { 0 };
	struct hypercube_task id;
	struct task_view v;
	unsigned int n = 0;
	struct cube c;
	pthread_t t;
	int p, w, err;

	ASSERT_EQ(0, task_pair(&c, 1, 0, 1 << 28, &p, &w));
	while (!(err = task_put(p, big, HYPERCUBE_TASK_MAX, REPEAT)) && n < 1000)
		n++;
	EXPECT_EQ(-EAGAIN, err);
	EXPECT_LE(64, n);
	EXPECT_GE(256, n);
	EXPECT_EQ(0, task_view(c.name, 0, &v));
	EXPECT_EQ(n, v.queued);
	EXPECT_LE(1 << 24, v.bytes);
	EXPECT_GT((1 << 24) + 2 * HYPERCUBE_TASK_MAX, v.bytes);
	EXPECT_EQ(POLLIN, task_events(p));
	EXPECT_EQ(POLLIN, task_events(w));
	/* Another node has space for tasks. */
	l.fd = task_bound(&c, 1);
	EXPECT_EQ(0, task_put(l.fd, big, 10, 0));
	close(l.fd);
	/* A producer that waits for space is woken when a task is done. */
	l.fd = task_blocking(task_bound(&c, 0));
	ASSERT_EQ(0, pthread_create(&t, NULL, put_later, &l));
	EXPECT_TRUE(asleep(t));
	EXPECT_EQ(HYPERCUBE_TASK_MAX, task_take(w, room, sizeof(room), &id, 0));
	EXPECT_TRUE(asleep(t));
	EXPECT_EQ(0, task_done(w, &id));
	pthread_join(t, NULL);
	EXPECT_EQ(0, l.err);
	EXPECT_EQ(POLLIN, task_events(p));
	/* If the node fails while a producer waits for space, the producer gets an error. */
	ASSERT_EQ(0, pthread_create(&t, NULL, put_later, &l));
	EXPECT_TRUE(asleep(t));
	EXPECT_EQ(0, ctl_node_failed(c.name, 0, true));
	pthread_join(t, NULL);
	EXPECT_EQ(-EHOSTDOWN, l.err);
	EXPECT_EQ(0, task_charged(p));
	EXPECT_EQ(0, task_view(c.name, 0, &v));
	EXPECT_EQ(0, v.bytes);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(worker_cannot_hold_more_tasks_than_the_limit)
{
	struct hypercube_task id, first;
	unsigned int i;
	struct cube c;
	int p, w;

	ASSERT_EQ(0, task_pair(&c, 1, 0, 1 << 24, &p, &w));
	for (i = 0; i <= HYPERCUBE_TASKS_HELD_MAX; i++)
		ASSERT_EQ(0, task_put(p, &i, sizeof(i), 0));
	EXPECT_EQ(sizeof(i), task_take(w, &i, sizeof(i), &first, 0));
	for (i = 1; i < HYPERCUBE_TASKS_HELD_MAX; i++)
		ASSERT_EQ(sizeof(i), task_take(w, room, sizeof(room), &id, 0));
	EXPECT_EQ(POLLOUT, task_events(w));
	EXPECT_EQ(-ENOBUFS, task_take(w, &i, sizeof(i), &id, 0));
	EXPECT_EQ(POLLIN | POLLOUT, task_events(p));
	EXPECT_EQ(0, task_done(w, &first));
	EXPECT_EQ(POLLIN | POLLOUT, task_events(w));
	EXPECT_EQ(sizeof(i), task_take(w, &i, sizeof(i), &id, 0));
	EXPECT_EQ(HYPERCUBE_TASKS_HELD_MAX, i);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(worker_blocks_until_a_task_or_the_removal_of_the_fabric)
{
	struct timeval tv = { .tv_usec = 100000 };
	struct later l[3] = { { 0 } };
	struct hypercube_task id;
	unsigned int i, byte = 0;
	pthread_t t[3];
	struct cube c;
	uint64_t from;
	int p, w;

	ASSERT_EQ(0, task_pair(&c, 1, 0, 0, &p, &w));
	task_blocking(w);
	setsockopt(w, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	from = now_ms();
	EXPECT_EQ(-EAGAIN, task_take(w, room, sizeof(room), &id, 0));
	EXPECT_LE(from + 90, now_ms());
	EXPECT_EQ(-EAGAIN, task_take(w, room, sizeof(room), &id, MSG_DONTWAIT));
	/* If three workers wait, each of two tasks wakes one of them. */
	for (i = 0; i < 3; i++) {
		l[i].fd = task_blocking(task_bound(&c, 0));
		ASSERT_EQ(0, pthread_create(&t[i], NULL, take_later, &l[i]));
		EXPECT_TRUE(asleep(t[i]));
	}
	EXPECT_EQ(0, task_put(p, &byte, 1, 0));
	EXPECT_EQ(0, task_put(p, &byte, 1, 0));
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	EXPECT_EQ(1, l[0].err);
	EXPECT_EQ(1, l[1].err);
	EXPECT_TRUE(asleep(t[2]));
	/* A worker that waits is woken by a task that is put back into the queue, and by the
	 * removal of the fabric.
	 */
	EXPECT_EQ(0, task_put(p, &byte, 1, REPEAT));
	pthread_join(t[2], NULL);
	EXPECT_EQ(1, l[2].err);
	ASSERT_EQ(0, pthread_create(&t[0], NULL, take_later, &l[0]));
	EXPECT_TRUE(asleep(t[0]));
	close(l[2].fd);
	pthread_join(t[0], NULL);
	EXPECT_EQ(1, l[0].err);
	EXPECT_TRUE(l[0].id.flags & HYPERCUBE_TASK_REDELIVERED);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&t[i], NULL, take_later, &l[i]));
	EXPECT_TRUE(asleep(t[0]));
	EXPECT_TRUE(asleep(t[1]));
	EXPECT_EQ(0, ctl_fabric_del(c.name));
	for (i = 0; i < 2; i++) {
		pthread_join(t[i], NULL);
		EXPECT_EQ(-ENODEV, l[i].err);
	}
}

TEST(epoll_reports_tasks_and_the_removal_of_the_fabric)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET }, got;
	struct hypercube_task id;
	struct cube c;
	int p, w, e;

	ASSERT_EQ(0, task_pair(&c, 1, 0, 0, &p, &w));
	e = epoll_create1(0);
	ASSERT_EQ(0, epoll_ctl(e, EPOLL_CTL_ADD, w, &ev));
	EXPECT_EQ(0, epoll_wait(e, &got, 1, 0));
	EXPECT_EQ(0, task_put(p, big, 10, 0));
	EXPECT_EQ(1, epoll_wait(e, &got, 1, 1000 * wait_secs(5)));
	EXPECT_EQ(EPOLLIN, got.events);
	EXPECT_EQ(0, epoll_wait(e, &got, 1, 0));
	EXPECT_EQ(10, task_take(w, room, sizeof(room), &id, 0));
	/* When a socket that an epoll waits for is closed, it is removed from the wait queue. */
	close(w);
	EXPECT_EQ(0, task_put(p, big, 10, 0));
	EXPECT_EQ(0, epoll_wait(e, &got, 1, 0));
	ev.events = EPOLLIN;
	w = task_bound(&c, 0);
	ASSERT_EQ(0, epoll_ctl(e, EPOLL_CTL_ADD, w, &ev));
	EXPECT_EQ(1, epoll_wait(e, &got, 1, 1000 * wait_secs(5)));
	EXPECT_EQ(0, ctl_fabric_del(c.name));
	EXPECT_EQ(1, epoll_wait(e, &got, 1, 1000 * wait_secs(5)));
	EXPECT_TRUE(got.events & EPOLLHUP);
}

TEST(wrong_addresses_are_refused)
{
	struct hypercube_task t = { 0 };
	struct sockaddr_hypercube a;
	struct cube c;
	int fd, un;

	ASSERT_EQ(0, cube_new(&c, 1, 0));
	un = socket(shc_family(), SOCK_RDM, 0);
	ASSERT_LE(0, un);
	EXPECT_EQ(-1, socket(shc_family(), SOCK_RDM, 1));
	EXPECT_EQ(EPROTONOSUPPORT, errno);
	EXPECT_EQ(-ENOTCONN, task_put(un, "x", 1, 0));
	EXPECT_EQ(-ENOTCONN, task_take(un, room, 1, &t, MSG_DONTWAIT));
	EXPECT_EQ(-ENOTCONN, task_done(un, &t));
	EXPECT_EQ(-ENOTCONN, task_last(un, &t));
	EXPECT_EQ(POLLHUP, task_events(un));
	a = shc_addr(c.name, 0);
	a.shc_plan = 1;
	EXPECT_EQ(-1, connect(un, (struct sockaddr *)&a, sizeof(a)));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_EQ(-1, bind(un, (struct sockaddr *)&a, sizeof(a)));
	EXPECT_EQ(EINVAL, errno);
	fd = task_bound(&c, 0);
	ASSERT_LE(0, fd);
	a.shc_plan = 0;
	EXPECT_EQ(-1, bind(fd, (struct sockaddr *)&a, sizeof(a)));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-EADDRNOTAVAIL, task_bound(&c, 2));
	EXPECT_EQ(-1, sendto(fd, "x", 1, 0, (struct sockaddr *)&a, sizeof(a)));
	EXPECT_EQ(EISCONN, errno);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(wrong_messages_and_options_of_task_sockets_are_refused)
{
	struct hypercube_task t = { 0 };
	struct hypercube_op op = { 0 };
	socklen_t len = sizeof(t);
	struct cube c;
	int fd, v = 1;

	ASSERT_EQ(0, cube_new(&c, 1, 0));
	fd = task_bound(&c, 0);
	ASSERT_LE(0, fd);
	/* To put a task, a producer must pass no id, and no flags but IDEMPOTENT, or this with
	 * REPLICATED.
	 */
	EXPECT_EQ(-EINVAL, task_put(fd, "x", 1, 2));
	EXPECT_EQ(-EINVAL, task_put(fd, "x", 1, 4));
	t.nr = 1;
	EXPECT_EQ(-EINVAL, task_say(fd, HYPERCUBE_CMSG_TASK, &t, sizeof(t), "x", 1, 0));
	t = (struct hypercube_task){ .node = 1 };
	EXPECT_EQ(-EINVAL, task_say(fd, HYPERCUBE_CMSG_TASK, &t, sizeof(t), "x", 1, 0));
	t = (struct hypercube_task){ 0 };
	EXPECT_EQ(-EINVAL, task_say(fd, HYPERCUBE_CMSG_TASK, &t, sizeof(t) - 1, "x", 1, 0));
	EXPECT_EQ(-EINVAL, task_say(fd, HYPERCUBE_CMSG_OP, &op, sizeof(op), "x", 1, 0));
	EXPECT_EQ(-EINVAL, task_say(fd, 99, &t, sizeof(t), "x", 1, 0));
	EXPECT_EQ(-EOPNOTSUPP, task_say(fd, HYPERCUBE_CMSG_TASK, &t, sizeof(t), "x", 1, MSG_OOB));
	EXPECT_EQ(-EFAULT, task_put(fd, (void *)8, 8, 0));
	/* A report that a task is done has no data, and is valid only for a task that the socket
	 * holds.
	 */
	EXPECT_EQ(-EINVAL, task_say(fd, HYPERCUBE_CMSG_DONE, &t, sizeof(t), "x", 1, 0));
	EXPECT_EQ(-ENOENT, task_done(fd, &t));
	/* Data that are sent without a control message are a task that is not idempotent. */
	EXPECT_EQ(1, send(fd, "y", 1, 0));
	EXPECT_EQ(-1, recv(fd, room, 1, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-EFAULT, task_take(fd, (void *)8, 1, &t, 0));
	EXPECT_EQ(-EOPNOTSUPP, task_take(fd, room, 1, &t, MSG_PEEK));
	EXPECT_EQ(1, task_take(fd, room, 1, &t, 0));
	EXPECT_EQ('y', room[0]);
	EXPECT_EQ(0, t.flags);
	t.nr++;
	EXPECT_EQ(-ENOENT, task_done(fd, &t));
	EXPECT_EQ(-1, setsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_TASK, &v, sizeof(v)));
	EXPECT_EQ(-1, getsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_COPIES, &t, &len));
	EXPECT_EQ(ENOPROTOOPT, errno);
	len--;
	EXPECT_EQ(-1, getsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_TASK, &t, &len));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
