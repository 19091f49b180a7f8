// SPDX-License-Identifier: GPL-2.0
/*
 * Datagrams sent as several copies over node-disjoint paths, and the vote on the copies that
 * arrived.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "handle.h"

/* Set a socket option. @what: name of the value in error messages. */
static int set(struct hcl *h, int option, unsigned int v, const char *what)
{
	const int value = v > INT_MAX ? INT_MAX : (int)v;
	int err = hcli_is(h, SOCK_DGRAM);

	if (err)
		return err;
	if (!setsockopt(h->port.fd, SOL_HYPERCUBE, option, &value, sizeof(value)))
		return 0;
	if (errno == EINVAL)
		return hcli_refuse(h, NULL, -EINVAL, "%u is no %s", v, what);
	return hcli_failed(h, NULL, 0, -errno);
}

int hcl_set_copies(struct hcl *h, unsigned int copies, unsigned int least)
{
	static const char number[] = "number of copies: 1 to 12 are possible";

	return set(h, HYPERCUBE_COPIES, copies, number) ?:
	       set(h, HYPERCUBE_COPIES_LEAST, least, number);
}

int hcl_set_deliver(struct hcl *h, unsigned int deliver, unsigned int ms)
{
	int err = set(h, HYPERCUBE_DELIVER, deliver, "way to deliver messages in copies");

	return err || !ms ? err : set(h, HYPERCUBE_COPIES_WAIT, ms,
				      "time to wait for copies: 1 to 60000 ms are possible");
}

int hcl_paths(struct hcl *h, uint32_t to)
{
	struct hypercube_paths paths = { .node = to };
	socklen_t len = sizeof(paths);
	int err = hcli_is(h, SOCK_DGRAM);

	if (err)
		return err;
	if (!getsockopt(h->port.fd, SOL_HYPERCUBE, HYPERCUBE_PATHS, &paths, &len))
		return (int)paths.paths;
	if (errno == EADDRNOTAVAIL)
		return hcli_refuse(h, NULL, -errno, "fabric %.*s has no node %u",
				   (int)sizeof(h->addr.shc_fabric), h->addr.shc_fabric, to);
	if (errno == EINVAL)
		return hcli_refuse(h, NULL, -errno, "no path leads from node %u to itself", to);
	return hcli_failed(h, NULL, 0, -errno);
}

/* Read the control messages. The kernel sends at most one of each type. */
static void take_control(struct msghdr *msg, struct hcl_vote *v)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		size_t size = c->cmsg_len - CMSG_LEN(0);

		if (c->cmsg_level != SOL_HYPERCUBE)
			continue;
		if (c->cmsg_type == HYPERCUBE_CMSG_VOTE && size == sizeof(v->vote)) {
			memcpy(&v->vote, CMSG_DATA(c), size);
		} else if (c->cmsg_type == HYPERCUBE_CMSG_PATHS && size <= sizeof(v->path)) {
			memcpy(v->path, CMSG_DATA(c), size);
			v->npaths = (unsigned int)(size / sizeof(*v->path));
		}
	}
}

long hcl_recv_vote(struct hcl *h, uint32_t *from, void *buf, size_t max,
		   struct hcl_vote *vote)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(struct hypercube_vote)) +
			  CMSG_SPACE(sizeof(vote->path))];
	} control;
	struct sockaddr_hypercube addr = { 0 };
	struct iovec iov = { .iov_base = buf, .iov_len = max };
	struct msghdr msg = {
		.msg_name = &addr, .msg_namelen = sizeof(addr), .msg_iov = &iov, .msg_iovlen = 1,
	};
	const uint64_t end = hcli_end(h);
	int err = hcli_is(h, SOCK_DGRAM), flags = MSG_TRUNC;
	ssize_t n;

	if (err)
		return err;
	if (vote) {
		memset(vote, 0, sizeof(*vote));
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
	}
	do {
		n = recvmsg(h->port.fd, &msg, flags);
		flags |= MSG_DONTWAIT;
	} while (n < 0 && hcli_again(h, POLLIN, end));
	if (n < 0 && errno == EAGAIN)
		return hcli_refuse(h, NULL, -ETIMEDOUT, "no message came within %u ms", h->timeout);
	if (n < 0)
		return hcli_failed(h, NULL, 0, -errno);
	if (from)
		*from = addr.shc_node;
	if (vote)
		take_control(&msg, vote);
	return n;
}
