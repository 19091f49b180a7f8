// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets of AF_HYPERCUBE for tests: binding them, and system calls with control messages.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cube.h"

int shc_family(void)
{
	static int family;
	FILE *f;

	if (family)
		return family;
	family = HYPERCUBE_AF_DEFAULT;
	f = fopen("/sys/module/hypercube/parameters/family", "re");
	if (f && fscanf(f, "%d", &family) != 1)
		family = HYPERCUBE_AF_DEFAULT;
	if (f)
		fclose(f);
	return family;
}

struct sockaddr_hypercube shc_addr(const char *name, unsigned int node)
{
	struct sockaddr_hypercube a = { .shc_family = shc_family(), .shc_node = node };

	snprintf(a.shc_fabric, sizeof(a.shc_fabric), "%s", name);
	return a;
}

int shc_bound(const char *name, unsigned int node, int type)
{
	struct sockaddr_hypercube a = shc_addr(name, node);
	int fd = socket(shc_family(), type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int err;

	if (fd < 0)
		return -errno;
	if (!bind(fd, (const struct sockaddr *)&a, sizeof(a)))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

int shc_connected(const char *name, unsigned int node, unsigned int plan)
{
	struct sockaddr_hypercube a = shc_addr(name, node);
	int fd = socket(shc_family(), SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int err;

	if (fd < 0)
		return -errno;
	a.shc_plan = plan;
	if (!connect(fd, (const struct sockaddr *)&a, sizeof(a)))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

ssize_t shc_send(int fd, const struct hypercube_op *op, const void *buf, size_t len, int flags)
{
	union {
		char buf[CMSG_SPACE(sizeof(struct hypercube_op))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (op) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control.buf);
		control.align.cmsg_level = SOL_HYPERCUBE;
		control.align.cmsg_type = HYPERCUBE_CMSG_OP;
		control.align.cmsg_len = CMSG_LEN(sizeof(*op));
		memcpy(CMSG_DATA(&control.align), op, sizeof(*op));
	}
	n = sendmsg(fd, &msg, flags | MSG_NOSIGNAL);
	return n < 0 ? -errno : n;
}

static void named_take(struct shc_named *named, struct msghdr *msg, struct cmsghdr *c)
{
	size_t set;

	memset(named, 0, sizeof(*named));
	c = CMSG_NXTHDR(msg, c);
	if (!c || c->cmsg_level != SOL_HYPERCUBE || c->cmsg_type != HYPERCUBE_CMSG_MISSING)
		return;
	set = (c->cmsg_len - CMSG_LEN(0)) / 2;
	memcpy(named->places, CMSG_DATA(c), set);
	memcpy(named->missing, CMSG_DATA(c) + set, set);
	named->named = true;
}

ssize_t shc_recv(int fd, void *buf, size_t len, struct hypercube_result *res, bool *eor,
		 int flags)
{
	struct shc_named named;

	return shc_recv_named(fd, buf, len, res, eor, flags, &named);
}

ssize_t shc_recv_named(int fd, void *buf, size_t len, struct hypercube_result *res, bool *eor,
		       int flags, struct shc_named *named)
{
	union {
		char buf[CMSG_SPACE(sizeof(struct hypercube_result)) + CMSG_SPACE(CUBE_MAX / 4)];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = buf, .iov_len = len };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control.buf),
	};
	ssize_t n = recvmsg(fd, &msg, flags);
	struct cmsghdr *c;

	if (n < 0)
		return -errno;
	*eor = msg.msg_flags & MSG_EOR;
	memset(res, 0xee, sizeof(*res));
	c = CMSG_FIRSTHDR(&msg);
	if (!c || c->cmsg_level != SOL_HYPERCUBE || c->cmsg_type != HYPERCUBE_CMSG_RESULT ||
	    c->cmsg_len != CMSG_LEN(sizeof(*res)))
		return -EBADMSG;
	memcpy(res, CMSG_DATA(c), sizeof(*res));
	named_take(named, &msg, c);
	named->truncated = msg.msg_flags & MSG_TRUNC;
	return n;
}

bool readable(int fd, int s)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 1000 * wait_secs(s)) == 1;
}

ssize_t shc_recv_soon(int fd, void *buf, size_t len, struct hypercube_result *res)
{
	bool eor;

	readable(fd, 10);
	return shc_recv(fd, buf, len, res, &eor, 0);
}

void shc_drain(int fd)
{
	static unsigned char all[1 << 16];
	struct hypercube_result res;
	bool eor;

	while (shc_recv(fd, all, sizeof(all), &res, &eor, MSG_DONTWAIT) >= 0)
		;
}

int shc_ended(int fd)
{
	static unsigned char all[1 << 16];
	struct hypercube_result res = { 0 };
	bool eor = false;

	while (!eor) {
		ssize_t n = readable(fd, 15) ?
			    shc_recv(fd, all, sizeof(all), &res, &eor, 0) : -ETIMEDOUT;

		if (n < 0)
			return (int)n;
	}
	return res.status;
}
