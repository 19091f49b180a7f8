// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that wait: blocking calls, time limits, signals, poll(), and a receiver that each kind of
 * end of an operation wakes.
 *
 * Scheduling: alone
 */
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <fcntl.h>

#include "cube.h"
#include "ktap.h"

#define PLAN 1

static uint64_t v = 1;
static char big[1 << 16];

static int start(struct cube *c)
{
	int err = cube_new(c, 2, 0);

	if (!err)
		err = cube_plan(c, PLAN);
	return err ? err : cube_bind_all(c);
}

static struct hypercube_op sum(size_t bytes)
{
	return (struct hypercube_op){
		.plan = PLAN, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .bytes = bytes,
	};
}

static void blocking(int fd)
{
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
}

/* Set a time limit of @ms for a socket; @option: SO_RCVTIMEO or SO_SNDTIMEO. */
static void limit(int fd, int option, int ms)
{
	struct timeval t = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };

	setsockopt(fd, SOL_SOCKET, option, &t, sizeof(t));
}

/* A call of a thread, so that the test can act while the call blocks. @send: a send call, else a
 * receive call. @ret: its result. @slept: how often it has slept. @back: it has returned. @res: the
 * result received.
 */
struct call {
	pthread_t thread;
	int fd;
	bool send;
	long ret;
	long slept;
	volatile bool back;
	struct hypercube_result res;
};

/* Return: number of times that this thread has gone to sleep. */
static long sleeps(void)
{
	struct rusage r;

	getrusage(RUSAGE_THREAD, &r);
	return r.ru_nvcsw;
}

static void *call_run(void *arg)
{
	struct call *k = arg;
	struct hypercube_op op = sum(64ul << 20);
	bool eor;

	if (!k->send) {
		k->slept = sleeps();
		k->ret = shc_recv(k->fd, &v, 8, &k->res, &eor, 0);
		k->slept = sleeps() - k->slept;
		k->back = true;
		return NULL;
	}
	k->ret = shc_send(k->fd, &op, big, sizeof(big), 0);
	while (k->ret > 0)
		k->ret = shc_send(k->fd, NULL, big, sizeof(big), 0);
	return NULL;
}

static void call_start(struct call *k, int fd, bool send)
{
	memset(k, 0, sizeof(*k));
	k->fd = fd;
	k->send = send;
	blocking(fd);
	limit(fd, SO_RCVTIMEO, 1000 * wait_secs(10));
	limit(fd, SO_SNDTIMEO, 1000 * wait_secs(10));
	pthread_create(&k->thread, NULL, call_run, k);
	usleep(100000 * (unsigned int)wait_secs(1));
}

/* Wait for the end of a call. Return: its result. */
static long call_end(struct call *k)
{
	pthread_join(k->thread, NULL);
	return k->ret;
}

TEST(blocking_receive_waits_for_result)
{
	struct hypercube_op op = sum(8);
	unsigned int u;
	struct call k;
	struct cube c;

	ASSERT_EQ(0, start(&c));
	call_start(&k, c.fd[c.plan.tree.sink], false);
	for (u = 0; u < 4; u++)
		EXPECT_EQ(8, shc_send(c.fd[u], &op, &v, 8, 0));
	EXPECT_EQ(8, call_end(&k));
	EXPECT_EQ(0, k.res.status);
	EXPECT_EQ(0, cube_del(&c));
}

/* When the kernel takes the contribution of a process, this does not wake a receive call of the
 * process.
 */
TEST(blocking_receive_is_not_woken_before_result)
{
	struct hypercube_op op = sum(8);
	unsigned int sink, leaf, u;
	struct call k;
	struct cube c;

	ASSERT_EQ(0, start(&c));
	sink = c.plan.tree.sink;
	leaf = sink ^ 3;
	op.flags = HYPERCUBE_F_NOTIFY;
	EXPECT_EQ(8, shc_send(c.fd[leaf], &op, &v, 8, 0));
	call_start(&k, c.fd[leaf], false);
	for (u = 0; u < 4; u++)
		if (u != leaf && u != sink)
			EXPECT_EQ(8, shc_send(c.fd[u], &op, &v, 8, 0));
	usleep(50000 * (unsigned int)wait_secs(1));
	EXPECT_EQ(8, shc_send(c.fd[sink], &op, &v, 8, 0));
	EXPECT_EQ(0, call_end(&k));
	EXPECT_EQ(0, k.res.status);
	EXPECT_LE(k.slept, 1);
	EXPECT_EQ(0, cube_del(&c));
}

/* Send contributions in pieces. @lowat: SO_RCVLOWAT; 1: each piece of the result wakes the receive
 * call at the root; INT_MAX: only the last piece does.
 */
static void pieces(struct __test_metadata *_metadata, int lowat)
{
	const size_t piece = 1 << 15;
	struct hypercube_op op = sum(4 * piece);
	unsigned int u, i;
	struct call k;
	struct cube c;
	int fd;

	ASSERT_EQ(0, start(&c));
	fd = c.fd[c.plan.tree.sink];
	ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &lowat, sizeof(lowat)));
	call_start(&k, fd, false);
	for (i = 0; i < 4; i++) {
		for (u = 0; u < 4; u++)
			EXPECT_EQ((ssize_t)piece, shc_send(c.fd[u], i ? NULL : &op, big, piece, 0));
		usleep(50000 * (unsigned int)wait_secs(1));
		EXPECT_EQ(lowat == 1 || i == 3, k.back);
	}
	EXPECT_EQ(8, call_end(&k));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(receive_with_rcvlowat_1_returns_at_first_data)
{
	pieces(_metadata, 1);
}

TEST(receive_with_large_rcvlowat_returns_at_last_data)
{
	pieces(_metadata, INT_MAX);
}

TEST(blocking_receive_returns_failure_when_plan_is_removed)
{
	struct hypercube_op op = sum(8);
	unsigned int u, sink;
	struct call k;
	struct cube c;

	ASSERT_EQ(0, start(&c));
	EXPECT_EQ(0, cube_reduce(&c, PLAN, NULL));
	sink = c.plan.tree.sink;
	for (u = 0; u < 3; u++)
		EXPECT_EQ(8, shc_send(c.fd[sink ^ u], &op, &v, 8, 0));
	call_start(&k, c.fd[sink], false);
	ASSERT_EQ(0, ctl_plan_del(c.name, PLAN));
	EXPECT_EQ(0, call_end(&k));
	EXPECT_EQ(-ESTALE, k.res.status);
	EXPECT_EQ(0, cube_del(&c));
}

static void fabric_goes(struct __test_metadata *_metadata, bool sends)
{
	struct call k;
	struct cube c;

	ASSERT_EQ(0, start(&c));
	call_start(&k, c.fd[sends ? 3 : 1], sends);
	ASSERT_EQ(0, ctl_fabric_del(c.name));
	EXPECT_EQ(-ENODEV, call_end(&k));
}

TEST(blocking_receive_fails_when_fabric_is_removed)
{
	fabric_goes(_metadata, false);
}

TEST(blocking_send_waits_for_space_until_operation_fails)
{
	struct hypercube_op op = sum(64ul << 20);
	struct call k;
	struct cube c;

	ASSERT_EQ(0, start(&c));
	call_start(&k, c.fd[1], true);
	/* This call blocks until its operation fails, since node 2 leaves. */
	EXPECT_EQ(sizeof(big), shc_send(c.fd[2], &op, big, sizeof(big), 0));
	cube_close(&c, 2);
	EXPECT_EQ(-ECONNABORTED, call_end(&k));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(blocking_send_fails_when_fabric_is_removed)
{
	fabric_goes(_metadata, true);
}

TEST(blocking_calls_end_at_their_time_limit)
{
	struct hypercube_op op = sum(64ul << 20);
	struct hypercube_result res;
	uint64_t begin, took;
	struct cube c;
	long n;
	bool eor;

	ASSERT_EQ(0, start(&c));
	blocking(c.fd[0]);
	limit(c.fd[0], SO_RCVTIMEO, 200);
	limit(c.fd[0], SO_SNDTIMEO, 200);
	begin = now_ms();
	EXPECT_EQ(-EAGAIN, shc_recv(c.fd[0], &v, 8, &res, &eor, 0));
	took = now_ms() - begin;
	EXPECT_LE(190, took);
	EXPECT_GE(190 + 1000 * (unsigned int)wait_secs(3), took);
	begin = now_ms();
	n = shc_send(c.fd[0], &op, big, sizeof(big), 0);
	while (n > 0)
		n = shc_send(c.fd[0], NULL, big, sizeof(big), 0);
	EXPECT_EQ(-EAGAIN, n);
	EXPECT_LE(190, now_ms() - begin);
	EXPECT_EQ(0, cube_del(&c));
}

static void nothing(int sig)
{
	(void)sig;
}

TEST(blocking_calls_fail_with_eintr_on_signal)
{
	struct sigaction act = { .sa_handler = nothing };
	struct hypercube_op op = sum(64ul << 20);
	struct itimerval soon = { .it_value = { .tv_usec = 200000 },
				  .it_interval = { .tv_usec = 200000 } };
	struct itimerval never = { .it_value = { .tv_sec = 0 } };
	struct hypercube_result res;
	struct cube c;
	bool eor;
	long n;

	ASSERT_EQ(0, start(&c));
	blocking(c.fd[0]);
	sigaction(SIGVTALRM, &act, NULL);
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	/* If the socket has a time limit, a call is not restarted after a signal, and fails with
	 * EINTR.
	 */
	limit(c.fd[0], SO_RCVTIMEO, 60000);
	EXPECT_EQ(-EINTR, shc_recv(c.fd[0], &v, 8, &res, &eor, 0));
	limit(c.fd[0], SO_SNDTIMEO, 60000);
	n = shc_send(c.fd[0], &op, big, sizeof(big), 0);
	while (n > 0)
		n = shc_send(c.fd[0], NULL, big, sizeof(big), 0);
	EXPECT_EQ(-EINTR, n);
	/* If the socket has no time limit, a call fails with EINTR as well, because SA_RESTART is
	 * not set.
	 */
	limit(c.fd[0], SO_RCVTIMEO, 0);
	EXPECT_EQ(-EINTR, shc_recv(c.fd[0], &v, 8, &res, &eor, 0));
	setitimer(ITIMER_REAL, &never, NULL);
	alarm(test_timeout());
	EXPECT_EQ(0, cube_del(&c));
}

/* Wait up to @ms for events of the socket. Return: the events that poll() reports. */
static short ready(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };

	poll(&p, 1, ms);
	return p.revents;
}

TEST(poll_reports_readable_writable_and_error_states)
{
	struct hypercube_op op = sum(8), long_op = sum(64ul << 20);
	struct hypercube_result res;
	unsigned int u, sink;
	socklen_t len = sizeof(int);
	struct cube c;
	int i, err;
	bool eor;

	ASSERT_EQ(0, start(&c));
	sink = c.plan.tree.sink;
	EXPECT_EQ(POLLOUT, ready(c.fd[sink], 0));
	for (u = 0; u < 4; u++)
		EXPECT_EQ(8, shc_send(c.fd[u], &op, &v, 8, 0));
	for (i = 0; i < 100 && !(ready(c.fd[sink], 0) & POLLIN); i++)
		usleep(20000);
	EXPECT_EQ(POLLIN | POLLOUT, ready(c.fd[sink], 0));
	EXPECT_EQ(8, shc_recv(c.fd[sink], &v, 8, &res, &eor, 0));
	EXPECT_EQ(POLLOUT, ready(c.fd[sink], 0));
	/* Fill the send buffer. Then the socket is not writable until the operation ends. */
	shc_send(c.fd[sink], &long_op, big, sizeof(big), 0);
	while (shc_send(c.fd[sink], NULL, big, sizeof(big), 0) > 0)
		;
	EXPECT_EQ(0, ready(c.fd[sink], 50));
	ASSERT_EQ(0, ctl_plan_del(c.name, PLAN));
	EXPECT_EQ(POLLIN | POLLOUT, ready(c.fd[sink], 1000 * wait_secs(3)));
	EXPECT_EQ(0, shc_recv(c.fd[sink], &v, 8, &res, &eor, 0));
	EXPECT_EQ(-ESTALE, res.status);
	EXPECT_EQ(-ECONNABORTED, shc_send(c.fd[sink], NULL, big, sizeof(big), 0));
	ASSERT_EQ(0, ctl_fabric_del(c.name));
	EXPECT_TRUE(ready(c.fd[sink], 1000) & POLLERR);
	/* The error is reported once. POLLHUP remains set, because the socket no longer has a node.
	 */
	ASSERT_EQ(0, getsockopt(c.fd[sink], SOL_SOCKET, SO_ERROR, &err, &len));
	EXPECT_EQ(ENODEV, err);
	EXPECT_TRUE(ready(c.fd[sink], 0) & POLLHUP);
}

/* Several threads receive from one socket; each gets one of the results. */
TEST(each_of_several_receiving_threads_gets_one_result)
{
	struct hypercube_op op = sum(8);
	unsigned int u, i, n = 3;
	struct call k[3];
	struct cube c;

	ASSERT_EQ(0, start(&c));
	for (i = 0; i < n; i++)
		call_start(&k[i], c.fd[c.plan.tree.sink], false);
	for (i = 0; i < n; i++)
		for (u = 0; u < 4; u++)
			EXPECT_EQ(8, shc_send(c.fd[u], &op, &v, 8, 0));
	for (i = 0; i < n; i++)
		EXPECT_EQ(8, call_end(&k[i]));
	EXPECT_EQ(3, k[0].res.op + k[1].res.op + k[2].res.op);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
