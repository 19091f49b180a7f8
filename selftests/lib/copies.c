// SPDX-License-Identifier: GPL-2.0
/*
 * Datagrams in several copies, and what receivers report about them.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "copies.h"
#include "hc_disjoint.h"

int copies_set(int fd, int name, int v)
{
	return setsockopt(fd, SOL_HYPERCUBE, name, &v, sizeof(v)) ? -errno : 0;
}

int copies_again(const struct cube *c, int k, int deliver)
{
	unsigned int u;
	int err = 0;

	for (u = 0; u < c->nodes && !err; u++)
		err = copies_set(c->fd[u], HYPERCUBE_COPIES, k) ?:
		      copies_set(c->fd[u], HYPERCUBE_COPIES_LEAST, k) ?:
		      copies_set(c->fd[u], HYPERCUBE_COPIES_WAIT, HYPERCUBE_COPIES_WAIT_MAX) ?:
		      copies_set(c->fd[u], HYPERCUBE_DELIVER, deliver);
	return err;
}

int copies_start(struct cube *c, unsigned int dim, int k, int deliver)
{
	return cube_dgrams(c, dim) ?: copies_again(c, k, deliver);
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

		if (cmsg->cmsg_type == HYPERCUBE_CMSG_VOTE && size == sizeof(g->v)) {
			memcpy(&g->v, CMSG_DATA(cmsg), size);
			g->checked = true;
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
	if (!readable(c->fd[to], COPIES_SECONDS))
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

bool copies_checked(const struct cube *c, unsigned int node, uint64_t n)
{
	uint64_t end = deadline(COPIES_SECONDS);
	struct node_view v;

	do {
		v = copies_view(c, node);
		if (v.agreed + v.disagreed + v.incomplete >= n)
			return v.agreed + v.disagreed + v.incomplete == n;
		usleep(2000);
	} while (now_ms() < end);
	return false;
}

bool copies_on_path(unsigned int src, const struct hypercube_path *p, unsigned int node)
{
	unsigned int at = src, i;

	for (i = 0; i + 1 < p->hops; i++) {
		at ^= 1u << p->dim[i];
		if (at == node)
			return true;
	}
	return false;
}

unsigned int copies_possible(const struct cube *c, unsigned int src, unsigned int dst)
{
	const struct hc_topo topo = hc_topo_cube(c->dim);
	struct hc_path_dims path[HYPERCUBE_DIM_MAX];
	void *room = malloc(hc_disjoint_room(&topo));
	uint16_t words[CUBE_MAX];
	struct hc_disjoint g;
	unsigned int u, n = 0;

	for (u = 0; u < c->nodes; u++)
		words[u] = c->faults->fault[u];
	if (room) {
		hc_disjoint_init(&g, &topo, room);
		g.fault = words;
		n = hc_disjoint_find(&g, src, dst, c->dim, path);
	}
	free(room);
	return n;
}

unsigned int copies_known(const struct cube *c, unsigned int src, unsigned int dst)
{
	struct hypercube_paths p = { .node = dst };
	socklen_t len = sizeof(p);

	return getsockopt(c->fd[src], SOL_HYPERCUBE, HYPERCUBE_PATHS, &p, &len) ? 0 : p.paths;
}
