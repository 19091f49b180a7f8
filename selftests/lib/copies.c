// SPDX-License-Identifier: GPL-2.0
/* Datagrams in copies, sent and taken by one process at all nodes. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "copies.h"

int copies_set(int fd, int name, int v)
{
	return setsockopt(fd, SOL_HYPERCUBE, name, &v, sizeof(v)) ? -errno : 0;
}

int copies_start(struct cube *c, unsigned int dim, int k, int deliver)
{
	int err = cube_dgrams(c, dim);
	unsigned int u;

	for (u = 0; u < c->nodes && !err; u++)
		err = copies_set(c->fd[u], HYPERCUBE_COPIES, k) ?:
		      copies_set(c->fd[u], HYPERCUBE_COPIES_LEAST, k) ?:
		      copies_set(c->fd[u], HYPERCUBE_COPIES_WAIT, HYPERCUBE_COPIES_WAIT_MAX) ?:
		      copies_set(c->fd[u], HYPERCUBE_DELIVER, deliver);
	return err;
}

long copies_post(const struct cube *c, unsigned int from, unsigned int to, const void *buf,
		 size_t len)
{
	struct sockaddr_hypercube a = shc_addr(c->name, to);
	struct pollfd p = { .fd = c->fd[from], .events = POLLOUT };
	ssize_t n;

	while ((n = sendto(c->fd[from], buf, len, MSG_DONTWAIT, (const struct sockaddr *)&a,
			   sizeof(a))) < 0 && errno == EAGAIN)
		poll(&p, 1, 1000);
	return n < 0 ? -errno : n;
}

long copies_take_now(const struct cube *c, unsigned int to, void *buf, size_t len,
		     struct copies_got *g)
{
	char control[CMSG_SPACE(sizeof(g->v)) + CMSG_SPACE(sizeof(g->path))];
	struct sockaddr_hypercube a;
	struct iovec iov = { .iov_base = buf, .iov_len = len };
	struct msghdr msg = {
		.msg_name = &a, .msg_namelen = sizeof(a), .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;
	ssize_t n = recvmsg(c->fd[to], &msg, MSG_DONTWAIT);

	if (n < 0)
		return -errno;
	memset(g, 0, sizeof(*g));
	g->from = a.shc_node;
	g->flags = msg.msg_flags;
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
		size_t size = cmsg->cmsg_len - CMSG_LEN(0);

		if (cmsg->cmsg_type == HYPERCUBE_CMSG_VERDICT && size == sizeof(g->v)) {
			memcpy(&g->v, CMSG_DATA(cmsg), size);
			g->judged = true;
		} else if (cmsg->cmsg_type == HYPERCUBE_CMSG_PATHS) {
			memcpy(g->path, CMSG_DATA(cmsg), size);
			g->npaths = size / sizeof(*g->path);
		}
	}
	return n;
}

long copies_take(const struct cube *c, unsigned int to, void *buf, size_t len,
		 struct copies_got *g)
{
	struct pollfd p = { .fd = c->fd[to], .events = POLLIN };

	if (poll(&p, 1, patience(SECONDS) * 1000) != 1)
		return -ETIMEDOUT;
	return copies_take_now(c, to, buf, len, g);
}

struct node_view copies_view(const struct cube *c, unsigned int node)
{
	struct node_view v;

	if (ctl_node_get(c->name, node, &v))
		memset(&v, 0xff, sizeof(v));
	return v;
}

bool copies_judged(const struct cube *c, unsigned int node, uint64_t n)
{
	uint64_t end = now_ms() + patience(SECONDS) * 1000;
	struct node_view v;

	do {
		v = copies_view(c, node);
		if (v.agreed + v.disagreed + v.incomplete >= n)
			return v.agreed + v.disagreed + v.incomplete == n;
		usleep(2000);
	} while (now_ms() < end);
	return false;
}
