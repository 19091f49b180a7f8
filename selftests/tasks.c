// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks at a node: order and sizes, exactly once with many workers, workers that are killed, nodes
 * that fail, what is told of losses, limits and what is charged, poll(), wrong use.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <linux/sock_diag.h>

#include "cube.h"
#include "ktap.h"
#include "task_calls.h"

#define REPEAT HYPERCUBE_TASK_MAY_REPEAT

static char big[HYPERCUBE_TASK_MAX + 1], room[HYPERCUBE_TASK_MAX + 1];

static int bound(const struct cube *c, unsigned int node)
{
	return shc_bound(c->name, node, SOCK_RDM);
}

static int blocking(int fd)
{
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

static void fill(char *buf, size_t len, unsigned int seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		buf[i] = (char)(i * 7 + i / 251 + seed);
}

/* Bytes that the socket answers for. */
static unsigned int charged(int fd)
{
	uint32_t info[SK_MEMINFO_VARS];
	socklen_t len = sizeof(info);

	if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &len))
		return ~0u;
	return info[SK_MEMINFO_WMEM_ALLOC];
}

static void buffer_set(int fd, int bytes)
{
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes));
}

TEST(tasks_of_all_sizes_come_in_order)
{
	static const size_t sizes[] = { 0, 1, 100, 4096, 16000, 16384, 20000, 40000, 65535, 65536 };
	unsigned int i, n = ARRAY_SIZE(sizes);
	struct hypercube_task id, last;
	struct task_view v;
	struct cube c;
	int p, w;

	ASSERT_EQ(0, cube_new(&c, 2, 0));
	p = bound(&c, 3);
	w = bound(&c, 3);
	ASSERT_LE(0, p);
	ASSERT_LE(0, w);
	buffer_set(p, 1 << 22);
	EXPECT_EQ(-ENOENT, task_last(p, &last));
	for (i = 0; i < n; i++) {
		fill(big, sizes[i], i);
		ASSERT_EQ(0, task_put(p, big, sizes[i], i % 2 ? REPEAT : 0));
		EXPECT_EQ(0, task_last(p, &last));
		EXPECT_EQ(3, last.node);
		EXPECT_EQ(i + 1, last.nr);
	}
	EXPECT_EQ(-EMSGSIZE, task_put(p, big, sizeof(big), 0));
	EXPECT_EQ(0, task_view(c.name, 3, &v));
	EXPECT_EQ(n, v.queued);
	for (i = 0; i < n; i++) {
		fill(big, sizes[i], i);
		if (sizes[i])
			EXPECT_EQ(-EMSGSIZE, task_take(w, room, sizes[i] - 1, &id, 0));
		EXPECT_EQ(sizes[i], task_take(w, room, sizes[i], &id, 0));
		EXPECT_EQ(0, memcmp(room, big, sizes[i]));
		EXPECT_EQ(3, id.node);
		EXPECT_EQ(i + 1, id.nr);
		EXPECT_EQ(i % 2 ? REPEAT : 0, id.flags);
		EXPECT_EQ(0, task_done(w, &id));
		EXPECT_EQ(-ENOENT, task_done(w, &id));
	}
	EXPECT_EQ(-EAGAIN, task_take(w, room, sizeof(room), &id, 0));
	EXPECT_EQ(0, task_view(c.name, 3, &v));
	EXPECT_EQ(0, v.queued | v.held | v.bytes | v.lost | v.repeated);
	EXPECT_EQ(n, v.put);
	EXPECT_EQ(n, v.taken);
	EXPECT_EQ(n, v.done);
	EXPECT_EQ(0, task_view(c.name, 2, &v));
	EXPECT_EQ(0, v.put);
	EXPECT_EQ(0, cube_del(&c));
}

#define PRODUCERS	3
#define WORKERS		4

struct crowd {
	struct cube c;
	unsigned int each;
	unsigned char *seen;
	unsigned int wrong;
	unsigned int left;
};

static struct crowd crowd;

static void *produce(void *arg)
{
	unsigned int me = (unsigned int)(uintptr_t)arg, i, what;
	int fd = blocking(bound(&crowd.c, 1));

	for (i = 0; i < crowd.each; i++) {
		what = me * crowd.each + i;
		if (task_put(fd, &what, sizeof(what), i % 3 ? REPEAT : 0))
			__atomic_add_fetch(&crowd.wrong, 1, __ATOMIC_RELAXED);
	}
	/* What it has put stays. */
	close(fd);
	return NULL;
}

/* Those with odd numbers are in poll() most of the time. */
static void *work(void *arg)
{
	unsigned int me = (unsigned int)(uintptr_t)arg, what;
	int fd = bound(&crowd.c, 1);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct timeval tv = { .tv_usec = 50000 };
	struct hypercube_task id;
	ssize_t n;

	if (me % 2 == 0)
		blocking(fd);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	while (__atomic_load_n(&crowd.left, __ATOMIC_RELAXED)) {
		if (me % 2)
			poll(&p, 1, 50);
		n = task_take(fd, &what, sizeof(what), &id, 0);
		if (n == -EAGAIN)
			continue;
		if (n != sizeof(what) || id.flags & HYPERCUBE_TASK_REPEATED ||
		    what >= PRODUCERS * crowd.each ||
		    __atomic_fetch_add(&crowd.seen[what], 1, __ATOMIC_RELAXED) ||
		    task_done(fd, &id))
			__atomic_add_fetch(&crowd.wrong, 1, __ATOMIC_RELAXED);
		__atomic_sub_fetch(&crowd.left, 1, __ATOMIC_RELAXED);
	}
	close(fd);
	return NULL;
}

TEST(each_task_is_executed_once_by_one_of_many_workers)
{
	pthread_t threads[PRODUCERS + WORKERS];
	unsigned int i, missing = 0;
	struct task_view v;

	ASSERT_EQ(0, cube_new(&crowd.c, 1, 0));
	crowd.each = scaled(4000);
	crowd.left = PRODUCERS * crowd.each;
	crowd.seen = calloc(PRODUCERS, crowd.each);
	ASSERT_TRUE(crowd.seen);
	for (i = 0; i < PRODUCERS + WORKERS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, i < PRODUCERS ? produce : work,
					    (void *)(uintptr_t)(i % PRODUCERS)));
	for (i = 0; i < PRODUCERS + WORKERS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < PRODUCERS * crowd.each; i++)
		missing += crowd.seen[i] != 1;
	EXPECT_EQ(0, missing);
	EXPECT_EQ(0, crowd.wrong);
	EXPECT_EQ(0, task_view(crowd.c.name, 1, &v));
	EXPECT_EQ(PRODUCERS * crowd.each, v.done);
	EXPECT_EQ(0, v.queued | v.held | v.bytes | v.lost | v.repeated);
	EXPECT_EQ(0, cube_del(&crowd.c));
	free(crowd.seen);
}

/* A process that takes @n tasks and says so, and waits to be killed. */
static pid_t worker(const struct cube *c, unsigned int n)
{
	struct hypercube_task id;
	int ends[2], fd;
	char byte = 0;
	pid_t pid;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (pid) {
		close(ends[1]);
		if (read(ends[0], &byte, 1) != 1)
			pid = -1;
		close(ends[0]);
		return pid;
	}
	fd = blocking(bound(c, 2));
	while (n && task_take(fd, room, sizeof(room), &id, 0) >= 0)
		n--;
	if (write(ends[1], &byte, 1) == 1)
		pause();
	exit(1);
}

static void put_down(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST(tasks_of_a_killed_worker_come_back_or_are_lost)
{
	struct task_losses l = { 0 };
	struct hypercube_task id;
	unsigned int i, what;
	struct task_view v;
	struct cube c;
	struct nl nl;
	pid_t pid;
	int fd;

	ASSERT_EQ(0, cube_new(&c, 2, 0));
	ASSERT_EQ(0, nl_open(&nl));
	ASSERT_EQ(0, nl_subscribe(&nl));
	fd = bound(&c, 2);
	ASSERT_LE(0, fd);
	/* Each second one may be repeated; four are taken. */
	for (i = 1; i <= 6; i++)
		ASSERT_EQ(0, task_put(fd, &i, sizeof(i), i % 2 ? 0 : REPEAT));
	pid = worker(&c, 4);
	ASSERT_NE(-1, pid);
	EXPECT_EQ(0, task_view(c.name, 2, &v));
	EXPECT_EQ(2, v.queued);
	EXPECT_EQ(4, v.held);
	put_down(pid);
	ASSERT_EQ(0, task_losses(&nl, &l, 2));
	EXPECT_EQ(2, l.n);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(2 * i + 1, l.id[i].nr);
		EXPECT_EQ(2, l.id[i].node);
		EXPECT_EQ(2, l.node[i]);
		EXPECT_EQ(HYPERCUBE_TASK_LOSS_WORKER, l.loss[i]);
	}
	EXPECT_EQ(0, task_view(c.name, 2, &v));
	EXPECT_EQ(4, v.queued);
	EXPECT_EQ(0, v.held);
	EXPECT_EQ(2, v.repeated);
	EXPECT_EQ(2, v.lost);
	/* Those that come back come first, in their order, and are marked. */
	for (i = 0; i < 4; i++) {
		static const unsigned int order[] = { 2, 4, 5, 6 };

		EXPECT_EQ(sizeof(what), task_take(fd, &what, sizeof(what), &id, 0));
		EXPECT_EQ(order[i], what);
		EXPECT_EQ(order[i], id.nr);
		EXPECT_EQ(i < 2, !!(id.flags & HYPERCUBE_TASK_REPEATED));
		EXPECT_EQ(order[i] % 2 ? 0 : REPEAT, id.flags & REPEAT);
		EXPECT_EQ(0, task_done(fd, &id));
	}
	nl_shut(&nl);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(a_failed_node_loses_what_it_has)
{
	struct task_losses l = { 0 };
	struct hypercube_task id, other;
	struct task_view v;
	unsigned int i;
	struct cube c;
	struct nl nl;
	int fd;

	ASSERT_EQ(0, cube_new(&c, 2, 0));
	ASSERT_EQ(0, nl_open(&nl));
	ASSERT_EQ(0, nl_subscribe(&nl));
	fd = bound(&c, 2);
	ASSERT_LE(0, fd);
	for (i = 0; i < 50; i++)
		ASSERT_EQ(0, task_put(fd, &i, sizeof(i), REPEAT));
	EXPECT_EQ(sizeof(i), task_take(fd, &i, sizeof(i), &id, 0));
	EXPECT_EQ(0, ctl_node_failed(c.name, 2, true));
	ASSERT_EQ(0, task_losses(&nl, &l, 50));
	EXPECT_EQ(50, l.n);
	EXPECT_EQ(50, l.count);
	for (i = 0; i < 50; i++) {
		EXPECT_EQ(i + 1, l.id[i].nr);
		EXPECT_EQ(HYPERCUBE_TASK_LOSS_NODE, l.loss[i]);
	}
	EXPECT_EQ(-ENOENT, task_done(fd, &id));
	EXPECT_EQ(-EHOSTDOWN, task_put(fd, &i, sizeof(i), 0));
	EXPECT_EQ(-EAGAIN, task_take(fd, &i, sizeof(i), &other, 0));
	EXPECT_EQ(POLLOUT, task_events(fd));
	EXPECT_EQ(0, charged(fd));
	EXPECT_EQ(0, ctl_node_failed(c.name, 2, false));
	EXPECT_EQ(0, task_put(fd, &i, sizeof(i), 0));
	EXPECT_EQ(sizeof(i), task_take(fd, &i, sizeof(i), &id, 0));
	EXPECT_EQ(51, id.nr);
	EXPECT_EQ(0, task_done(fd, &id));
	EXPECT_EQ(0, task_view(c.name, 2, &v));
	EXPECT_EQ(50, v.lost);
	EXPECT_EQ(1, v.done);
	EXPECT_EQ(0, v.bytes);
	nl_shut(&nl);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(of_very_many_that_are_lost_some_are_only_counted)
{
	struct task_losses l = { 0 };
	unsigned int i, n = 3000;
	struct cube c;
	struct nl nl;
	int fd;

	ASSERT_EQ(0, cube_new(&c, 1, 0));
	ASSERT_EQ(0, nl_open(&nl));
	ASSERT_EQ(0, nl_subscribe(&nl));
	fd = bound(&c, 0);
	ASSERT_LE(0, fd);
	buffer_set(fd, 1 << 24);
	for (i = 0; i < n; i++)
		ASSERT_EQ(0, task_put(fd, &i, sizeof(i), 0));
	EXPECT_EQ(0, ctl_fabric_del(c.name));
	ASSERT_EQ(0, task_losses(&nl, &l, n));
	EXPECT_EQ(n, l.count);
	EXPECT_EQ(1024, l.n);
	EXPECT_EQ(32, l.events);
	for (i = 0; i < l.n; i++) {
		EXPECT_EQ(i + 1, l.id[i].nr);
		EXPECT_EQ(HYPERCUBE_TASK_LOSS_FABRIC, l.loss[i]);
	}
	EXPECT_EQ(-ENODEV, task_put(fd, &i, sizeof(i), 0));
	EXPECT_EQ(0, charged(fd));
	EXPECT_TRUE(task_events(fd) & POLLHUP);
	close(fd);
	nl_shut(&nl);
}

TEST(a_producer_answers_for_what_nobody_has_taken)
{
	struct hypercube_task id[2];
	struct task_view v;
	unsigned int full;
	struct cube c;
	int p, w;

	ASSERT_EQ(0, cube_new(&c, 1, 0));
	p = bound(&c, 0);
	w = bound(&c, 0);
	EXPECT_EQ(0, charged(p));
	/* One that may be repeated is kept until it is done, the other one until it is taken. */
	ASSERT_EQ(0, task_put(p, big, 8000, REPEAT));
	ASSERT_EQ(0, task_put(p, big, 8000, 0));
	full = charged(p);
	EXPECT_LE(16000, full);
	EXPECT_EQ(8000, task_take(w, room, sizeof(room), &id[0], 0));
	EXPECT_EQ(full, charged(p));
	EXPECT_EQ(8000, task_take(w, room, sizeof(room), &id[1], 0));
	EXPECT_EQ(full / 2, charged(p));
	EXPECT_EQ(0, task_done(w, &id[1]));
	EXPECT_EQ(full / 2, charged(p));
	EXPECT_EQ(0, task_done(w, &id[0]));
	EXPECT_EQ(0, charged(p));
	EXPECT_EQ(0, charged(w));
	EXPECT_EQ(0, task_view(c.name, 0, &v));
	EXPECT_EQ(0, v.bytes);
	/* A task outlives its producer. */
	fill(big, 60000, 9);
	ASSERT_EQ(0, task_put(p, big, 60000, REPEAT));
	close(p);
	EXPECT_EQ(60000, task_take(w, room, sizeof(room), &id[0], 0));
	EXPECT_EQ(0, memcmp(room, big, 60000));
	close(w);
	w = bound(&c, 0);
	EXPECT_EQ(60000, task_take(w, room, sizeof(room), &id[1], 0));
	EXPECT_EQ(0, memcmp(room, big, 60000));
	EXPECT_EQ(REPEAT | HYPERCUBE_TASK_REPEATED, id[1].flags);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(a_full_send_buffer_stops_a_producer)
{
	struct hypercube_task id;
	unsigned int n = 0, i;
	struct cube c;
	int p, w, err;

	ASSERT_EQ(0, cube_new(&c, 1, 0));
	p = bound(&c, 0);
	w = bound(&c, 0);
	buffer_set(p, 1 << 17);
	while (!(err = task_put(p, big, 10000, 0)) && n < 1000)
		n++;
	EXPECT_EQ(-EAGAIN, err);
	EXPECT_LE(10, n);
	EXPECT_GE(40, n);
	EXPECT_EQ(POLLIN, task_events(p));
	/* Others are not in its way. */
	EXPECT_EQ(POLLIN | POLLOUT, task_events(w));
	EXPECT_EQ(0, task_put(w, big, 1, 0));
	for (i = 0; i < n; i++)
		EXPECT_EQ(10000, task_take(w, room, sizeof(room), &id, 0));
	EXPECT_EQ(POLLIN | POLLOUT, task_events(p));
	EXPECT_EQ(0, charged(p));
	EXPECT_EQ(0, cube_del(&c));
}

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

/* Is the thread still asleep in its call? */
static bool asleep(pthread_t t)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_nsec += 100000000;
	at.tv_sec += at.tv_nsec / 1000000000;
	at.tv_nsec %= 1000000000;
	return pthread_timedjoin_np(t, NULL, &at) == ETIMEDOUT;
}

TEST(a_node_takes_no_more_than_its_limit)
{
	struct later l = { 0 };
	struct hypercube_task id;
	struct task_view v;
	unsigned int n = 0;
	struct cube c;
	pthread_t t;
	int p, w, err;

	ASSERT_EQ(0, cube_new(&c, 1, 0));
	p = bound(&c, 0);
	w = bound(&c, 0);
	buffer_set(p, 1 << 28);
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
	/* The other node has room. */
	l.fd = bound(&c, 1);
	EXPECT_EQ(0, task_put(l.fd, big, 10, 0));
	close(l.fd);
	/* One that waits is woken when one is done. */
	l.fd = blocking(bound(&c, 0));
	ASSERT_EQ(0, pthread_create(&t, NULL, put_later, &l));
	EXPECT_TRUE(asleep(t));
	EXPECT_EQ(HYPERCUBE_TASK_MAX, task_take(w, room, sizeof(room), &id, 0));
	EXPECT_TRUE(asleep(t));
	EXPECT_EQ(0, task_done(w, &id));
	pthread_join(t, NULL);
	EXPECT_EQ(0, l.err);
	EXPECT_EQ(POLLIN, task_events(p));
	/* The next one hears of a node that fails. */
	ASSERT_EQ(0, pthread_create(&t, NULL, put_later, &l));
	EXPECT_TRUE(asleep(t));
	EXPECT_EQ(0, ctl_node_failed(c.name, 0, true));
	pthread_join(t, NULL);
	EXPECT_EQ(-EHOSTDOWN, l.err);
	EXPECT_EQ(0, charged(p));
	EXPECT_EQ(0, task_view(c.name, 0, &v));
	EXPECT_EQ(0, v.bytes);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(a_worker_holds_only_so_many)
{
	struct hypercube_task id, first;
	unsigned int i;
	struct cube c;
	int p, w;

	ASSERT_EQ(0, cube_new(&c, 1, 0));
	p = bound(&c, 0);
	w = bound(&c, 0);
	buffer_set(p, 1 << 24);
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

TEST(calls_wait_for_tasks)
{
	struct timeval tv = { .tv_usec = 100000 };
	struct later l[3] = { { 0 } };
	struct hypercube_task id;
	unsigned int i, byte = 0;
	pthread_t t[3];
	struct cube c;
	uint64_t from;
	int p, w;

	ASSERT_EQ(0, cube_new(&c, 1, 0));
	p = bound(&c, 0);
	w = blocking(bound(&c, 0));
	setsockopt(w, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	from = now_ms();
	EXPECT_EQ(-EAGAIN, task_take(w, room, sizeof(room), &id, 0));
	EXPECT_LE(from + 90, now_ms());
	EXPECT_EQ(-EAGAIN, task_take(w, room, sizeof(room), &id, MSG_DONTWAIT));
	/* Each of two tasks wakes one. */
	for (i = 0; i < 3; i++) {
		l[i].fd = blocking(bound(&c, 0));
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
	/* What comes back wakes those who wait; so does the end of the fabric. */
	EXPECT_EQ(0, task_put(p, &byte, 1, REPEAT));
	pthread_join(t[2], NULL);
	EXPECT_EQ(1, l[2].err);
	ASSERT_EQ(0, pthread_create(&t[0], NULL, take_later, &l[0]));
	EXPECT_TRUE(asleep(t[0]));
	close(l[2].fd);
	pthread_join(t[0], NULL);
	EXPECT_EQ(1, l[0].err);
	EXPECT_TRUE(l[0].id.flags & HYPERCUBE_TASK_REPEATED);
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

TEST(a_set_of_descriptors_hears_of_tasks_and_room)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET }, got;
	struct hypercube_task id;
	struct cube c;
	int p, w, e;

	ASSERT_EQ(0, cube_new(&c, 1, 0));
	p = bound(&c, 0);
	w = bound(&c, 0);
	e = epoll_create1(0);
	ASSERT_EQ(0, epoll_ctl(e, EPOLL_CTL_ADD, w, &ev));
	EXPECT_EQ(0, epoll_wait(e, &got, 1, 0));
	EXPECT_EQ(0, task_put(p, big, 10, 0));
	EXPECT_EQ(1, epoll_wait(e, &got, 1, 1000 * patience(5)));
	EXPECT_EQ(EPOLLIN, got.events);
	EXPECT_EQ(0, epoll_wait(e, &got, 1, 0));
	EXPECT_EQ(10, task_take(w, room, sizeof(room), &id, 0));
	/* One that closes meanwhile takes its place along. */
	close(w);
	EXPECT_EQ(0, task_put(p, big, 10, 0));
	EXPECT_EQ(0, epoll_wait(e, &got, 1, 0));
	ev.events = EPOLLIN;
	w = bound(&c, 0);
	ASSERT_EQ(0, epoll_ctl(e, EPOLL_CTL_ADD, w, &ev));
	EXPECT_EQ(1, epoll_wait(e, &got, 1, 1000 * patience(5)));
	EXPECT_EQ(0, ctl_fabric_del(c.name));
	EXPECT_EQ(1, epoll_wait(e, &got, 1, 1000 * patience(5)));
	EXPECT_TRUE(got.events & EPOLLHUP);
}

TEST(another_owner_takes_the_node_away)
{
	struct hypercube_task id;
	struct task_view v;
	struct cube c;
	pid_t pid;
	int w, p, status;

	ASSERT_EQ(0, cube_new(&c, 1, 0));
	w = bound(&c, 0);
	EXPECT_EQ(0, ctl_node_owner(c.name, 0, 1000));
	pid = fork();
	if (!pid) {
		if (setuid(1000))
			_exit(9);
		p = bound(&c, 0);
		if (p < 0 || task_put(p, "x", 1, REPEAT) || task_take(p, room, 9, &id, 0) != 1)
			_exit(8);
		if (kill(getppid(), 0) && errno != EPERM)
			_exit(7);
		while (task_take(p, room, 9, &id, 0) != -EACCES)
			usleep(1000);
		_exit(task_put(p, "x", 1, 0) == -EACCES && task_done(p, &id) == -EACCES ? 0 : 6);
	}
	do {
		ASSERT_EQ(0, task_view(c.name, 0, &v));
	} while (!v.held && !waitpid(pid, &status, WNOHANG));
	EXPECT_EQ(0, ctl_node_owner(c.name, 0, 1001));
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
	/* What it held has come back, to the administrator. */
	EXPECT_EQ(1, task_take(w, room, 9, &id, 0));
	EXPECT_EQ(REPEAT | HYPERCUBE_TASK_REPEATED, id.flags);
	EXPECT_EQ(0, cube_del(&c));
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
	fd = bound(&c, 0);
	ASSERT_LE(0, fd);
	a.shc_plan = 0;
	EXPECT_EQ(-1, bind(fd, (struct sockaddr *)&a, sizeof(a)));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-EADDRNOTAVAIL, bound(&c, 2));
	EXPECT_EQ(-1, sendto(fd, "x", 1, 0, (struct sockaddr *)&a, sizeof(a)));
	EXPECT_EQ(EISCONN, errno);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(wrong_use_is_refused)
{
	struct hypercube_task t = { 0 };
	struct hypercube_op op = { 0 };
	socklen_t len = sizeof(t);
	struct cube c;
	int fd, v = 1;

	ASSERT_EQ(0, cube_new(&c, 1, 0));
	fd = bound(&c, 0);
	ASSERT_LE(0, fd);
	/* To put one: no id, no flag but MAY_REPEAT. */
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
	/* To be done: no data, and one's own. */
	EXPECT_EQ(-EINVAL, task_say(fd, HYPERCUBE_CMSG_DONE, &t, sizeof(t), "x", 1, 0));
	EXPECT_EQ(-ENOENT, task_done(fd, &t));
	/* Without control message it is a task that is not repeated. */
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

TEST(a_namespace_that_ends_takes_tasks_along)
{
	unsigned int i, round;
	struct cube c;
	int status, fd;
	pid_t pid;

	for (round = 0; round < scaled(10); round++) {
		pid = fork();
		if (!pid) {
			if (own_netns() || ctl_fabric_new("gone", 2, 0))
				_exit(2);
			snprintf(c.name, sizeof(c.name), "gone");
			for (i = 0; i < 100; i++) {
				fd = bound(&c, i % 4);
				if (fd < 0 || task_put(fd, big, 1000 * (i % 50), i & 1))
					_exit(3);
				/* Some are closed before. */
				if (i % 3)
					close(fd);
			}
			_exit(0);
		}
		waitpid(pid, &status, 0);
		EXPECT_EQ(0, status);
	}
}

TEST_HARNESS_MAIN
