// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks at a node: order and lengths, exactly one execution if there are many workers, workers that
 * are killed, nodes that fail, and reports of losses. task_waits.c tests limits, waiting and wrong
 * use.
 *
 * Scheduling: shared
 */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "cube.h"
#include "ktap.h"
#include "task_calls.h"

#define REPEAT HYPERCUBE_TASK_IDEMPOTENT

static char big[HYPERCUBE_TASK_MAX + 1], room[HYPERCUBE_TASK_MAX + 1];

TEST(tasks_of_all_sizes_are_taken_in_order)
{
	static const size_t sizes[] = { 0, 1, 100, 4096, 16000, 16384, 20000, 40000, 65535, 65536 };
	unsigned int i, n = ARRAY_SIZE(sizes);
	struct hypercube_task id, last;
	struct task_view v;
	struct cube c;
	int p, w;

	ASSERT_EQ(0, task_pair(&c, 2, 3, 1 << 22, &p, &w));
	EXPECT_EQ(-ENOENT, task_last(p, &last));
	for (i = 0; i < n; i++) {
		task_fill(big, sizes[i], i);
		ASSERT_EQ(0, task_put(p, big, sizes[i], i % 2 ? REPEAT : 0));
		EXPECT_EQ(0, task_last(p, &last));
		EXPECT_EQ(3, last.node);
		EXPECT_EQ(i + 1, last.nr);
	}
	EXPECT_EQ(-EMSGSIZE, task_put(p, big, sizeof(big), 0));
	EXPECT_EQ(0, task_view(c.name, 3, &v));
	EXPECT_EQ(n, v.queued);
	for (i = 0; i < n; i++) {
		task_fill(big, sizes[i], i);
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

/* The producers and workers of many tasks. @each: number of tasks of a producer. @seen: for each
 * task, how often it was taken. @wrong: number of errors. @left: number of tasks that have not been
 * taken.
 */
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
	int fd = task_blocking(task_bound(&crowd.c, 1));

	for (i = 0; i < crowd.each; i++) {
		what = me * crowd.each + i;
		if (task_put(fd, &what, sizeof(what), i % 3 ? REPEAT : 0))
			__atomic_add_fetch(&crowd.wrong, 1, __ATOMIC_RELAXED);
	}
	/* The tasks that were put through this socket remain in the queue. */
	close(fd);
	return NULL;
}

/* A worker thread. Workers with odd numbers wait in poll() most of the time, the others in recv().
 */
static void *work(void *arg)
{
	unsigned int me = (unsigned int)(uintptr_t)arg, what;
	int fd = task_bound(&crowd.c, 1);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct timeval tv = { .tv_usec = 50000 };
	struct hypercube_task id;
	ssize_t n;

	if (me % 2 == 0)
		task_blocking(fd);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	while (__atomic_load_n(&crowd.left, __ATOMIC_RELAXED)) {
		if (me % 2)
			poll(&p, 1, 50);
		n = task_take(fd, &what, sizeof(what), &id, 0);
		if (n == -EAGAIN)
			continue;
		if (n != sizeof(what) || id.flags & HYPERCUBE_TASK_REDELIVERED ||
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
	ASSERT_NE(NULL, crowd.seen);
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

/* Fork a process that takes @n tasks and waits to be killed; wait until it has taken them. Return:
 * its process id.
 */
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
	fd = task_blocking(task_bound(c, 2));
	while (n && task_take(fd, room, sizeof(room), &id, 0) >= 0)
		n--;
	if (write(ends[1], &byte, 1) == 1)
		pause();
	exit(1);
}

/* Kill a process, and wait for its end. */
static void put_down(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST(idempotent_tasks_of_killed_worker_are_redelivered_others_lost)
{
	struct task_losses l = { 0 };
	struct hypercube_task id;
	unsigned int i, what;
	struct task_view v;
	struct cube c;
	struct nl nl;
	pid_t pid;
	int fd;

	fd = task_received(&c, 2, 2, &nl);
	ASSERT_LE(0, fd);
	/* Every second task is idempotent. The worker takes four tasks. */
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
	/* Tasks that were put back into the queue are taken before the others, in the order in
	 * which they were put, and are marked as redelivered.
	 */
	for (i = 0; i < 4; i++) {
		static const unsigned int order[] = { 2, 4, 5, 6 };

		EXPECT_EQ(sizeof(what), task_take(fd, &what, sizeof(what), &id, 0));
		EXPECT_EQ(order[i], what);
		EXPECT_EQ(order[i], id.nr);
		EXPECT_EQ(i < 2, !!(id.flags & HYPERCUBE_TASK_REDELIVERED));
		EXPECT_EQ(order[i] % 2 ? 0 : REPEAT, id.flags & REPEAT);
		EXPECT_EQ(0, task_done(fd, &id));
	}
	nl_shut(&nl);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(failed_node_loses_all_its_tasks)
{
	struct task_losses l = { 0 };
	struct hypercube_task id, other;
	struct task_view v;
	unsigned int i;
	struct cube c;
	struct nl nl;
	int fd;

	fd = task_received(&c, 2, 2, &nl);
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
	EXPECT_EQ(0, task_charged(fd));
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

TEST(loss_reports_beyond_1024_tasks_are_only_counted)
{
	struct task_losses l = { 0 };
	unsigned int i, n = 3000;
	struct cube c;
	struct nl nl;
	int fd;

	fd = task_received(&c, 1, 0, &nl);
	ASSERT_LE(0, fd);
	task_buffer(fd, 1 << 24);
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
	EXPECT_EQ(0, task_charged(fd));
	EXPECT_TRUE(task_events(fd) & POLLHUP);
	close(fd);
	nl_shut(&nl);
}

TEST(change_of_node_owner_ends_access_and_requeues_held_tasks)
{
	struct hypercube_task id;
	struct task_view v;
	struct cube c;
	pid_t pid;
	int w, p, status;

	ASSERT_EQ(0, cube_new(&c, 1, 0));
	w = task_bound(&c, 0);
	EXPECT_EQ(0, ctl_node_owner(c.name, 0, 1000));
	pid = fork();
	if (!pid) {
		if (setuid(1000))
			_exit(9);
		p = task_bound(&c, 0);
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
	/* The task that the other process held was put back into the queue, from which the
	 * administrator can take it.
	 */
	EXPECT_EQ(1, task_take(w, room, 9, &id, 0));
	EXPECT_EQ(REPEAT | HYPERCUBE_TASK_REDELIVERED, id.flags);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(network_namespace_with_queued_tasks_can_end)
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
				fd = task_bound(&c, i % 4);
				if (fd < 0 || task_put(fd, big, 1000 * (i % 50), i & 1))
					_exit(3);
				/* Close some sockets before the process exits. */
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
