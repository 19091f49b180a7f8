// SPDX-License-Identifier: GPL-2.0
/* System calls on sockets that all threads of a process share. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <linux/sockios.h>

#include "calls.h"

static int fds[SOCKETS];

static int *any_slot(void)
{
	return &fds[fz_below(SOCKETS)];
}

static struct sockaddr_hypercube any_addr(void)
{
	struct sockaddr_hypercube a = { .shc_family = HYPERCUBE_AF_DEFAULT,
					.shc_node = any_node() };

	strncpy(a.shc_fabric, any_fabric(), sizeof(a.shc_fabric) - 1);
	if (fz_chance(2))
		((unsigned char *)&a)[fz_below(sizeof(a))] ^= 1 << fz_below(8);
	return a;
}

static socklen_t any_len(void)
{
	return fz_chance(97) ? sizeof(struct sockaddr_hypercube) : fz_below(40);
}

/* Open a socket whose calls block for at most 100 ms. A call that never returns is detected when
 * the process is killed and does not end.
 */
static void call_open(void)
{
	struct timeval limit = { .tv_usec = 1000 * fz_below(100) + 1 };
	int fd = socket(HYPERCUBE_AF_DEFAULT, (fz_chance(70) ? SOCK_SEQPACKET : SOCK_DGRAM) |
			SOCK_CLOEXEC | (fz_chance(50) ? SOCK_NONBLOCK : 0), 0);
	struct sockaddr_hypercube a = any_addr();
	int *slot = any_slot(), old;

	if (fd < 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (fz_chance(90))
		bind(fd, (struct sockaddr *)&a, any_len());
	old = __atomic_exchange_n(slot, fd, __ATOMIC_RELAXED);
	if (old > 0)
		close(old);
}

static void call_close(void)
{
	int fd = __atomic_exchange_n(any_slot(), 0, __ATOMIC_RELAXED);

	if (fd > 0)
		close(fd);
}

static void call_bind(int fd)
{
	struct sockaddr_hypercube a = any_addr();

	bind(fd, (struct sockaddr *)&a, any_len());
}

static void call_connect(int fd)
{
	struct sockaddr_hypercube a = any_addr();

	a.shc_plan = fz_chance(95) ? fz_below(5) : (uint32_t)fz_number(4);
	if (fz_chance(5))
		a.shc_family = AF_UNSPEC;
	connect(fd, (struct sockaddr *)&a, any_len());
}

static struct hypercube_op any_op(void)
{
	struct hypercube_op op = {
		.plan = 1 + fz_below(4), .collective = 1 + fz_below(HYPERCUBE_REDUCE_SCATTER),
		.flags = fz_below(2), .bytes = 8u << fz_below(12), .cookie = fz_rnd(),
	};

	if (op.collective == HYPERCUBE_REDUCE || op.collective == HYPERCUBE_ALLREDUCE ||
	    op.collective == HYPERCUBE_REDUCE_SCATTER) {
		op.oper = 1 + fz_below(__HYPERCUBE_OPER_END - 1);
		op.type = 1 + fz_below(__HYPERCUBE_TYPE_END - 1);
		op.width = op.type == HYPERCUBE_RECORD ? 8 : 0;
	}
	if (op.collective == HYPERCUBE_BARRIER || fz_chance(5))
		op.bytes = 0;
	if (fz_chance(5))
		op.bytes = fz_number(8);
	if (fz_chance(5))
		((unsigned char *)&op)[fz_below(sizeof(op))] ^= 1 << fz_below(8);
	return op;
}

static int any_flags(void)
{
	int flags = MSG_NOSIGNAL | (fz_chance(60) ? MSG_DONTWAIT : 0);

	return fz_chance(5) ? (int)fz_number(4) | MSG_NOSIGNAL | MSG_DONTWAIT : flags;
}

static void call_send(int fd)
{
	static char data[1 << 15];
	struct hypercube_op op = any_op();
	struct sockaddr_hypercube a = any_addr();
	union {
		char buf[CMSG_SPACE(sizeof(op))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { .iov_base = fz_chance(97) ? data : (void *)8, .iov_len = op.bytes };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (iov.iov_len > sizeof(data) || fz_chance(20))
		iov.iov_len = fz_below(sizeof(data));
	if (fz_chance(80)) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control.buf);
		control.align.cmsg_level = SOL_HYPERCUBE;
		control.align.cmsg_type = HYPERCUBE_CMSG_OP;
		control.align.cmsg_len = CMSG_LEN(fz_chance(97) ? sizeof(op) : fz_below(60));
		memcpy(CMSG_DATA(&control.align), &op, sizeof(op));
	}
	if (fz_chance(20)) {
		/* struct hypercube_op_short has the same members as struct hypercube_op, up to the
		 * width. So only the type and the length of the control message that was copied
		 * above have to be written again.
		 */
		control.align.cmsg_type = HYPERCUBE_CMSG_OP_SHORT;
		control.align.cmsg_len = CMSG_LEN(sizeof(struct hypercube_op_short));
		memcpy(CMSG_DATA(&control.align) + offsetof(struct hypercube_op_short, bytes),
		       &op.bytes, sizeof(uint32_t));
	}
	if (fz_chance(30)) {
		msg.msg_name = &a;
		msg.msg_namelen = any_len();
	}
	sendmsg(fd, &msg, any_flags());
}

static void call_recv(int fd)
{
	char data[4096], control[200];
	struct sockaddr_hypercube a;
	struct iovec iov = { .iov_base = fz_chance(97) ? data : (void *)8,
			     .iov_len = fz_chance(80) ? sizeof(data) : fz_below(64) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_name = fz_chance(50) ? &a : NULL,
		.msg_namelen = sizeof(a), .msg_control = control,
		.msg_controllen = fz_chance(80) ? sizeof(control) : fz_below(sizeof(control)),
	};

	recvmsg(fd, &msg, any_flags());
}

static void call_option(int fd)
{
	static const int names[] = {
		SO_RCVBUF, SO_SNDBUF, SO_RCVLOWAT, SO_BUSY_POLL, SO_ERROR, SO_TYPE, SO_ZEROCOPY,
		SO_PRIORITY, SO_TIMESTAMP, SO_PEEK_OFF, SO_LINGER, SO_KEEPALIVE, SO_REUSEADDR,
	};
	int v = fz_chance(70) ? (int)fz_below(100000) : (int)fz_number(4);
	int name = fz_chance(95) ? names[fz_below(ARRAY_SIZE(names))] : (int)fz_below(80);
	int level = fz_chance(85) ? SOL_SOCKET : SOL_HYPERCUBE;
	socklen_t len = sizeof(v);

	if (fz_chance(60))
		setsockopt(fd, level, name, &v, fz_chance(95) ? len : fz_below(20));
	else
		getsockopt(fd, level, name, &v, &len);
}

static void call_other(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);
	int v;

	switch (fz_below(6)) {
	case 0:
		poll(&p, 1, (int)fz_below(3));
		break;
	case 1:
		getsockname(fd, (struct sockaddr *)&a, &len);
		break;
	case 2:
		getpeername(fd, (struct sockaddr *)&a, &len);
		break;
	case 3:
		shutdown(fd, (int)fz_below(4));
		break;
	case 4:
		listen(fd, 1);
		break;
	default:
		ioctl(fd, fz_chance(50) ? SIOCOUTQ : SIOCINQ, &v);
	}
}

void socket_any(void)
{
	unsigned int what = fz_below(100);
	int fd = __atomic_load_n(any_slot(), __ATOMIC_RELAXED);

	if (fd <= 0 || what < 8)
		call_open();
	else if (what < 12)
		call_close();
	else if (what < 20)
		call_bind(fd);
	else if (what < 26)
		call_connect(fd);
	else if (what < 60)
		call_send(fd);
	else if (what < 88)
		call_recv(fd);
	else if (what < 94)
		call_option(fd);
	else
		call_other(fd);
}
