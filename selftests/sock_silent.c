// SPDX-License-Identifier: GPL-2.0
/*
 * A process that never receives: the records for it take no more memory than its receive buffer and
 * a fixed amount. Lost records are counted, and the process gets an error for them.
 *
 * Scheduling: shared
 */
#include <linux/sock_diag.h>
#include <poll.h>
#include <string.h>

#include "cube.h"
#include "ktap.h"

#define RCVBUF	(1 << 16)
#define SEGMENT	1024
/* Memory in bytes that records without data may take in addition to the receive buffer, plus a
 * segment.
 */
#define BEYOND	((1 << 18) + (1 << 16))

static uint32_t meminfo(int fd, unsigned int what)
{
	uint32_t m[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(m);

	getsockopt(fd, SOL_SOCKET, SO_MEMINFO, m, &len);
	return m[what];
}

/* Set the receive buffer of a socket to RCVBUF bytes; the kernel doubles the value. */
static int small(int fd)
{
	int bytes = RCVBUF / 2;

	return setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

/**
 * struct got_news - what a socket has received
 * @right: number of records with status 0
 * @failed: number of other records
 * @lost: number of calls that failed with ENOBUFS
 * @error: any other error of a call, except EAGAIN
 */
struct got_news {
	unsigned int right;
	unsigned int failed;
	unsigned int lost;
	int error;
};

/* Receive all records that have arrived at a socket. */
static void hear(int fd, struct got_news *h)
{
	struct hypercube_result res;
	char buf[64];
	ssize_t n;
	bool eor;

	for (;;) {
		n = shc_recv(fd, buf, sizeof(buf), &res, &eor, MSG_DONTWAIT);
		if (n == -EAGAIN)
			return;
		if (n == -ENOBUFS) {
			h->lost++;
		} else if (n < 0) {
			h->error = n;
			return;
		} else if (eor) {
			h->right += !res.status;
			h->failed += !!res.status;
		}
	}
}

/* The source begins a message and leaves, many times. */
TEST(unread_broadcast_failures_take_bounded_memory)
{
	struct hypercube_op op = { .plan = 1, .collective = HYPERCUBE_BCAST, .bytes = SEGMENT + 1 };
	unsigned int i, n = scaled(20000), most = 0;
	static char message[SEGMENT + 1];
	struct got_news h = { 0 };
	struct pollfd p = { .events = POLLIN };
	struct cube c;
	int fd, r;

	ASSERT_EQ(0, cube_new(&c, 1, SEGMENT));
	ASSERT_EQ(0, cube_bcast_plan(&c, 1, 0, HC_BCAST_GENERAL));
	r = shc_bound(c.name, 1, SOCK_SEQPACKET);
	ASSERT_EQ(0, small(r));
	for (i = 0; i < n; i++) {
		fd = shc_bound(c.name, 0, SOCK_SEQPACKET);
		ASSERT_LE(0, fd);
		ASSERT_EQ(SEGMENT, shc_send(fd, &op, message, SEGMENT, 0));
		close(fd);
		if (meminfo(r, SK_MEMINFO_RMEM_ALLOC) > most)
			most = meminfo(r, SK_MEMINFO_RMEM_ALLOC);
	}
	printf("# %u bytes at most\n", most);
	EXPECT_LE(most, RCVBUF + BEYOND);
	p.fd = r;
	do {
		hear(r, &h);
	} while (h.failed + meminfo(r, SK_MEMINFO_DROPS) < n && poll(&p, 1, 1000) > 0);
	printf("# %u failures heard, %u lost, of %u\n", h.failed,
	       meminfo(r, SK_MEMINFO_DROPS), n);
	/* If the source leaves while a message still waits for the end of the previous message, the
	 * message never begins. So there may be fewer failures than messages.
	 */
	EXPECT_LE(h.failed + meminfo(r, SK_MEMINFO_DROPS), n);
	EXPECT_LE(n - n / 50, h.failed + meminfo(r, SK_MEMINFO_DROPS));
	EXPECT_EQ(0, h.right);
	EXPECT_EQ(0, h.error);
	EXPECT_EQ(!!meminfo(r, SK_MEMINFO_DROPS), !!h.lost);
	EXPECT_GT(h.failed, 0);
	fd = shc_bound(c.name, 0, SOCK_SEQPACKET);
	for (i = 0; i < 100 && !h.right; i++) {
		shc_send(fd, &op, message, SEGMENT + 1, 0);
		poll(&p, 1, 100);
		hear(r, &h);
	}
	EXPECT_GT(h.right, 0);
	close(fd);
	close(r);
	EXPECT_EQ(0, cube_del(&c));
}

/* All contributions fail, because the plan is replaced while each of them is under way. */
TEST(unread_reduction_failures_take_bounded_memory)
{
	struct hypercube_op op = {
		.plan = 1, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U8, .bytes = 0,
	};
	unsigned int i, n = scaled(100), sent = 0, most = 0;
	struct got_news h = { 0 };
	struct cube c;
	ssize_t r;
	int fd;

	ASSERT_EQ(0, cube_new(&c, 1, 0));
	fd = shc_bound(c.name, 1, SOCK_SEQPACKET);
	ASSERT_EQ(0, small(fd));
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, cube_plan_to(&c, 1, 0));
		do {
			r = shc_send(fd, &op, "", 0, 0);
			sent += !r;
		} while (!r);
		EXPECT_TRUE(r == -EAGAIN || r == -ENOBUFS || r == -ECANCELED);
		if (meminfo(fd, SK_MEMINFO_RMEM_ALLOC) > most)
			most = meminfo(fd, SK_MEMINFO_RMEM_ALLOC);
	}
	ASSERT_EQ(0, ctl_plan_del(c.name, 1));
	printf("# %u bytes at most, %u sent\n", most, sent);
	EXPECT_LE(most, RCVBUF + BEYOND);
	/* Some failures may still be on their way to the socket. */
	for (i = 0; i < 1000 && h.failed + meminfo(fd, SK_MEMINFO_DROPS) < sent; i++) {
		hear(fd, &h);
		usleep(50000);
	}
	printf("# %u failures heard, %u lost\n", h.failed, meminfo(fd, SK_MEMINFO_DROPS));
	EXPECT_EQ(sent, h.failed + meminfo(fd, SK_MEMINFO_DROPS));
	EXPECT_EQ(!!meminfo(fd, SK_MEMINFO_DROPS), !!h.lost);
	close(fd);
	EXPECT_EQ(0, cube_del(&c));
}

/* Number of plans; it is so great that records are lost. */
#define PLANS	8
/* Number of contributions to each plan. */
#define BEGUN	64

/* Wait until the poll of node @node has begun all BEGUN contributions to a plan. Return: false if
 * this takes longer than the time limit.
 */
static bool all_begun(const struct cube *c, unsigned int plan, unsigned int node)
{
	struct wait_view v = { 0 };
	uint64_t end = deadline(10);

	while (!ctl_op_get(c->name, plan, node, &v) && v.next < BEGUN && now_ms() < end)
		poll(NULL, 0, 1);
	return v.next >= BEGUN;
}

/* When a process has received all failures that were not lost, and the error for the lost records,
 * it can contribute again. @by_option: it receives the error by SO_ERROR.
 */
TEST_BOTH(process_contributes_again_after_error_for_lost_records, by_option)
{
	struct hypercube_op op = {
		.collective = HYPERCUBE_ALLREDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .bytes = 8,
	};
	/* The first contribution to each plan succeeds. */
	const unsigned int failed = PLANS * (BEGUN - 1);
	const uint64_t one = 1;
	struct got_news h = { 0 };
	struct cube c;
	socklen_t len = sizeof(int);
	unsigned int i;
	int err = 0;

	ASSERT_EQ(0, cube_new(&c, 1, 0));
	ASSERT_EQ(0, cube_bind_all(&c));
	ASSERT_EQ(0, small(c.fd[1]));
	for (op.plan = 1; op.plan <= PLANS; op.plan++) {
		ASSERT_EQ(0, cube_plan_to(&c, op.plan, 0));
		for (i = 0; i < BEGUN; i++)
			ASSERT_EQ(8, shc_send(c.fd[1], &op, &one, 8, 0));
		/* When node 0 leaves after it has taken part in an operation, the contributions of
		 * node 1 fail.
		 */
		ASSERT_EQ(8, shc_send(c.fd[0], &op, &one, 8, 0));
		ASSERT_EQ(0, shc_ended(c.fd[0]));
		/* Wait until all contributions have begun. A contribution that has not begun would
		 * end only after the process has received records, which makes space, so its record
		 * would not be lost.
		 */
		ASSERT_TRUE(all_begun(&c, op.plan, 1));
	}
	cube_close(&c, 0);
	for (i = 0; i < 100 && !meminfo(c.fd[1], SK_MEMINFO_DROPS); i++)
		poll(NULL, 0, 50);
	if (by_option) {
		ASSERT_EQ(0, getsockopt(c.fd[1], SOL_SOCKET, SO_ERROR, &err, &len));
		EXPECT_EQ(ENOBUFS, err);
	}
	for (i = 0; i < 100 && h.failed + meminfo(c.fd[1], SK_MEMINFO_DROPS) < failed; i++) {
		poll(NULL, 0, 50);
		hear(c.fd[1], &h);
	}
	printf("# %u failures heard, %u lost\n", h.failed, meminfo(c.fd[1], SK_MEMINFO_DROPS));
	EXPECT_EQ(failed, h.failed + meminfo(c.fd[1], SK_MEMINFO_DROPS));
	EXPECT_LE(!by_option, h.lost);
	ASSERT_EQ(0, cube_bind(&c, 0));
	for (op.plan = 1; op.plan <= PLANS; op.plan++) {
		for (i = 0; i < 2; i++)
			ASSERT_EQ(8, shc_send(c.fd[i], &op, &one, 8, 0));
		err = shc_ended(c.fd[1]);
		EXPECT_EQ(0, err);
	}
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
