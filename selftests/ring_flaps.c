// SPDX-License-Identifier: GPL-2.0
/*
 * Plans of rings that repair themselves while operations are under way, while processes leave or
 * have little buffer space, and while links fail repeatedly.
 *
 * Scheduling: shared
 */
#include <errno.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "ktap.h"
#include "rings.h"

#define PLAN	1
#define SEGMENT	4096

static bool begin(struct cube *c, unsigned int width)
{
	struct rings r;

	if (cube_bound(c, 3, SEGMENT))
		return false;
	if (width)
		rings_random(&r, c, below(8), width);
	else
		rings_gray(&r, 3);
	r.repair = true;
	return !cube_rings(c, PLAN, &r);
}

/* --- processes that leave --- */

/* Let all members contribute until each has received a result. A member that had no operation under
 * way when a fault occurred gets the failure of its next operation first. Return: false if this
 * takes longer than the time limit, or on another error.
 */
static bool all_agree_again(struct cube *c, const struct hypercube_op *op, const void *own)
{
	uint64_t end = deadline(15);
	static unsigned char all[8 * 2 * SEGMENT];
	bool sent[8] = { false }, good[8] = { false };
	unsigned int u, ngood = 0;

	while (ngood < 8 && now_ms() < end)
		for (u = 0; u < 8; u++) {
			struct hypercube_result res = { 0 };
			bool eor = false;
			ssize_t n;

			if (!sent[u])
				sent[u] = shc_send(c->fd[u], op, own, 2 * SEGMENT, 0) > 0;
			n = shc_recv(c->fd[u], all, sizeof(all), &res, &eor, MSG_DONTWAIT);
			if (n < 0 && n != -EAGAIN)
				return false;
			if (n < 0 || !eor)
				continue;
			sent[u] = false;
			if (res.status && res.status != -ECONNRESET && res.status != -ENOLINK)
				return false;
			ngood += !res.status && !good[u];
			good[u] |= !res.status;
		}
	if (ngood < 8) {
		printf("# %u of 8 go on\n", ngood);
		ctl_op_print(c->name);
	}
	return ngood == 8;
}

/* A link fails after a process has sent half of its contribution. The process closes its socket
 * before (@before) or after the fault. All other members get the failure, and continue with the
 * next process at this node. @wait: time in us between the fault and the next call. Return: true if
 * all members get a failure that this may cause, and then a result.
 */
static bool goes_in_the_middle(bool before, unsigned int wait)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLGATHER, .bytes = 2 * SEGMENT,
	};
	static unsigned char own[2 * SEGMENT];
	unsigned int u, d, x = below(8);
	struct cube c;
	bool fine = begin(&c, below(2) ? 4 : 0);
	int status;

	for (u = 0; u < 8; u++)
		fine &= shc_send(c.fd[u], &op, own, u == x ? SEGMENT : 2 * SEGMENT, 0) > 0;
	usleep(below(2000));
	if (before)
		cube_close(&c, x);
	cube_link(&c, below(12), &u, &d);
	cube_fail_link(&c, u, d);
	usleep(wait);
	if (!before)
		cube_close(&c, x);
	for (u = 0; u < 8; u++) {
		status = u == x ? -ECONNRESET : shc_ended(c.fd[u]);
		/* If the notifications of the close and of the fault cross each other, all
		 * operations end with the fault as the cause.
		 */
		if (status != -ECONNRESET && !(before && status == -ENOLINK)) {
			printf("# node %u: %d, %u has gone %s after %u us\n", u, status, x,
			       before ? "before" : "after", wait);
			fine = false;
		}
	}
	c.fd[x] = shc_bound(c.name, x, SOCK_SEQPACKET);
	fine = fine && c.fd[x] >= 0 && all_agree_again(&c, &op, own);
	return !cube_del(&c) && fine;
}

TEST(operation_fails_at_all_members_if_process_closes_during_repair)
{
	unsigned int i;

	for (i = 0; i < scaled(20); i++) {
		ASSERT_TRUE(goes_in_the_middle(false, below(6000)));
		ASSERT_TRUE(goes_in_the_middle(true, below(6000)));
	}
}

/* --- a reader with little buffer space --- */

/* Make one receive call. *@bytes: set to the bytes received, or the error of the call. Return: true
 * if an end has arrived that names a missing member.
 */
static bool named_end(int fd, ssize_t *bytes)
{
	union {
		char buf[CMSG_SPACE(sizeof(struct hypercube_result)) + CMSG_SPACE(8)];
		struct cmsghdr align;
	} control;
	unsigned char all[8 * 8];
	struct iovec iov = { all, sizeof(all) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control.buf),
	};
	bool named = false;
	struct cmsghdr *c;

	*bytes = recvmsg(fd, &msg, MSG_DONTWAIT);
	if (*bytes < 0)
		return false;
	for (c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c))
		named |= c->cmsg_type == HYPERCUBE_CMSG_MISSING;
	return named;
}

/* Return: bytes that are charged to the receive buffer of a socket, or -1. */
static int buffered(int fd)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(info);

	return getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &len) ? -1 :
	       (int)info[SK_MEMINFO_RMEM_ALLOC];
}

/* Wait until @bytes are charged to the receive buffer of node @u and, if @more, the node waits for
 * its process to receive. Return: false if this takes longer than the time limit.
 */
static bool buffers(const struct cube *c, unsigned int u, int bytes, bool more)
{
	uint64_t end = deadline(5);
	struct wait_view v = { .wait = -1 };

	while (now_ms() < end) {
		if (buffered(c->fd[u]) >= bytes && (!more || v.wait == HYPERCUBE_WAIT_READER))
			return true;
		if (ctl_op_get(c->name, PLAN, u, &v))
			return false;
	}
	printf("# %d bytes are there, not %d\n", buffered(c->fd[u]), bytes);
	return false;
}

/* Receive at node 0: in one call the chunks of seven members, and in a second call the end alone.
 * The node is notified of buffer space while the chunks are received, so it may be so fast that the
 * first call gets the end, too, which is right as well. Return: false if anything else is received.
 */
static bool reads_end(const struct cube *c, int room)
{
	ssize_t bytes;

	if (named_end(c->fd[0], &bytes) || bytes != 7 * 8)
		return bytes == 7 * 8;
	return buffers(c, 0, 2 * room, true) && named_end(c->fd[0], &bytes) && !bytes;
}

/* Return: bytes that one chunk takes in the receive buffer of node @u. The first chunk that arrives
 * there is that of the node's own process.
 */
static int first_piece(const struct cube *c, unsigned int u)
{
	uint64_t end = deadline(5);
	int bytes = 0;

	while (bytes <= 0 && now_ms() < end)
		bytes = buffered(c->fd[u]);
	return bytes;
}

/* Node 1, the next node in the ring, fails before it has contributed. The receive buffer of node 0
 * has space for the chunks of the other seven members, for the end of the first operation, which
 * names the missing member, and for six chunks of the next operation. When the process of node 0
 * has received this end alone, there is space for one more chunk. Return: time in ms until this
 * chunk arrives, or -1 if anything is not as described.
 */
static int more_comes_after(struct cube *c)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLGATHER, .bytes = 8,
	};
	uint64_t own = 0, from;
	int piece, room;
	unsigned int i;

	if (shc_send(c->fd[0], &op, &own, 8, 0) != 8)
		return -1;
	piece = first_piece(c, 0);
	/* The kernel doubles this value. */
	room = piece * 13 / 4;
	if (setsockopt(c->fd[0], SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)))
		return -1;
	for (i = 1; i < 8 * 4; i++)
		if (i % 8 != 1 && shc_send(c->fd[i % 8], &op, &own, 8, 0) != 8)
			return -1;
	if (!buffers(c, 0, 7 * piece, false))
		return -1;
	cube_fail_node(c, 1);
	if (!buffers(c, 0, 2 * room, true) || !reads_end(c, room))
		return -1;
	from = now_ms();
	while (buffered(c->fd[0]) < 7 * piece && now_ms() - from < 5000)
		usleep(500);
	return (int)(now_ms() - from);
}

TEST(reading_end_that_names_missing_member_frees_buffer_space_at_once)
{
	int ms, sum = 0;
	unsigned int i;
	struct cube c;

	for (i = 0; i < 4; i++) {
		ASSERT_TRUE(begin(&c, 0));
		ms = more_comes_after(&c);
		EXPECT_LE(0, ms);
		EXPECT_EQ(0, cube_del(&c));
		sum += ms;
	}
	/* A node that is not notified of buffer space checks for space only once a second. */
	printf("# more came after %d ms, four times\n", sum);
	EXPECT_LE(sum, 1000);
}

/* --- links that flap --- */

/* A cube with a ring plan. @sent, @received: for each node, the number of operations that it has
 * begun, and that have ended there. @down: the link that fails from time to time. @is_down: it is
 * down now.
 */
struct flapping {
	struct cube c;
	unsigned int sent[CUBE_MAX];
	unsigned int received[CUBE_MAX];
	unsigned int down;
	bool is_down;
};

static bool flap_send(struct flapping *f, unsigned int u)
{
	struct hypercube_op op = {
		.plan = PLAN, .collective = HYPERCUBE_ALLGATHER, .bytes = 8, .cookie = f->sent[u],
	};
	uint64_t own = u | (uint64_t)f->sent[u]++ << 32;

	return shc_send(f->c.fd[u], &op, &own, 8, 0) == 8;
}

/* Receive at node @u. Return: false if an operation has failed, is delivered twice or out of order,
 * or lacks the block of a member.
 */
static bool flap_receive(struct flapping *f, unsigned int u)
{
	struct hypercube_result res = { 0 };
	static uint64_t at[CUBE_MAX][CUBE_MAX];
	static size_t got[CUBE_MAX];
	bool eor = false;
	unsigned int v;
	ssize_t n = shc_recv(f->c.fd[u], at[u], sizeof(at[u]), &res, &eor, MSG_DONTWAIT);

	if (n < 0)
		return n == -EAGAIN;
	got[u] += (size_t)n;
	if (!eor)
		return true;
	if (res.status || res.cookie != f->received[u] || got[u] != 8 * f->c.nodes) {
		printf("# node %u: status %d of operation %llu, %u expected, %zu bytes\n", u,
		       res.status, (unsigned long long)res.cookie, f->received[u], got[u]);
		return false;
	}
	for (v = 0; v < f->c.nodes; v++)
		if (at[u][v] != (v | (uint64_t)f->received[u] << 32))
			return false;
	got[u] = 0;
	f->received[u]++;
	return true;
}

/* If no link is down, fail a random one; otherwise bring it up. */
static void flap(struct flapping *f)
{
	unsigned int u, d;

	if (!f->is_down)
		f->down = below(f->c.dim * f->c.nodes / 2);
	f->is_down = !f->is_down;
	cube_link(&f->c, f->down, &u, &d);
	ctl_link_down(f->c.name, u, d, f->is_down);
}

TEST(ten_thousand_allgathers_succeed_while_links_flap)
{
	unsigned int u, least = 0, want = scaled(10000), flaps = 0;
	uint64_t next = 0, end = deadline(50);
	struct flapping f = { .is_down = false };
	struct pollfd fds[CUBE_MAX];
	bool fine = true;

	ASSERT_TRUE(begin(&f.c, 0));
	while (fine && least < want && now_ms() < end) {
		for (u = 0, least = want; u < 8; u++) {
			while (fine && f.sent[u] < f.received[u] + 8)
				fine = flap_send(&f, u);
			fds[u] = (struct pollfd){ f.c.fd[u], POLLIN, 0 };
			least = f.received[u] < least ? f.received[u] : least;
		}
		poll(fds, 8, 10);
		for (u = 0; fine && u < 8; u++)
			if (fds[u].revents)
				fine = flap_receive(&f, u);
		if (now_ms() >= next) {
			flap(&f);
			flaps++;
			/* Leave some time for operations before the link changes its state the next
			 * time.
			 */
			next = now_ms() + (uint64_t)wait_secs(5 + (int)below(40));
		}
	}
	printf("# %u operations while links changed %u times\n", least, flaps);
	EXPECT_TRUE(fine);
	EXPECT_GE(least, want / 4);
	if (test_failed(_metadata))
		ctl_op_print(f.c.name);
	EXPECT_EQ(0, cube_del(&f.c));
}

TEST_HARNESS_MAIN
