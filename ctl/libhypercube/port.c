// SPDX-License-Identifier: GPL-2.0
/*
 * The sockets of a handle. At first one socket serves all plans. When the program contributes to a
 * second plan, that plan gets a socket of its own, which is connected to it; so does each further
 * plan. So a plan that waits does not delay others, in whatever order the program uses them.
 * Messages of broadcasts arrive at the first socket, unless the node contributes to their plan over
 * another one.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "handle.h"

/* With this many sockets poll() needs no allocation. */
#define FEW 8

/* The shortest possible time limit of a socket. A call at one of several sockets may spin
 * (SO_BUSY_POLL), but must not sleep for long.
 */
static const struct timeval brief = { .tv_usec = 1 };

static struct timeval of_ms(unsigned int ms)
{
	return (struct timeval){ .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };
}

int hcli_timeout_set(const struct hcl *h, const struct hcl_port *port)
{
	bool may_be_stale = port->listens && (!h->timeout || h->timeout > STALE_MS);
	struct timeval whole = of_ms(h->timeout), stale = of_ms(STALE_MS);
	const struct timeval *send = hcli_many(h) ? &brief : &whole;
	const struct timeval *recv = !hcli_many(h) && may_be_stale ? &stale : send;

	if (setsockopt(port->fd, SOL_SOCKET, SO_SNDTIMEO, send, sizeof(*send)) ||
	    setsockopt(port->fd, SOL_SOCKET, SO_RCVTIMEO, recv, sizeof(*recv)))
		return -errno;
	return 0;
}

/* Add a socket to the descriptor of hcl_fd(), or change the events for which that watches the
 * socket.
 */
static int watch(const struct hcl *h, struct hcl_port *port, int how)
{
	struct epoll_event ev = { .events = EPOLLIN | (port->sending ? EPOLLOUT : 0) };

	if (how == EPOLL_CTL_MOD && ev.events == port->watched)
		return 0;
	port->watched = ev.events;
	return epoll_ctl(h->epoll, how, port->fd, &ev) ? -errno : 0;
}

void hcli_watch(struct hcl *h)
{
	struct hcl_port *port;

	for (port = &h->port; h->epoll >= 0 && port; port = port->next)
		watch(h, port, EPOLL_CTL_MOD);
}

int hcl_fd(struct hcl *h)
{
	struct hcl_port *port;
	int err = 0;

	if (h->tied || h->epoll >= 0)
		return h->tied ? h->port.fd : h->epoll;
	h->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (h->epoll < 0)
		return hcli_failed(h, NULL, 0, -errno);
	for (port = &h->port; !err && port; port = port->next)
		err = watch(h, port, EPOLL_CTL_ADD);
	if (!err)
		return h->epoll;
	close(h->epoll);
	h->epoll = -1;
	return hcli_failed(h, NULL, 0, err);
}

/* Make the buffers of a socket as large as those of the first one. */
static void buffers_copy(const struct hcl *h, int fd)
{
	static const int option[] = { SO_SNDBUF, SO_RCVBUF };
	socklen_t len = sizeof(int);
	unsigned int i;
	int is, bytes;

	for (i = 0; i < 2; i++) {
		if (getsockopt(h->port.fd, SOL_SOCKET, option[i], &bytes, &len) ||
		    getsockopt(fd, SOL_SOCKET, option[i], &is, &len) || is == bytes)
			continue;
		/* getsockopt() returns twice the value that setsockopt() was given. */
		bytes /= 2;
		setsockopt(fd, SOL_SOCKET, option[i], &bytes, sizeof(bytes));
	}
}

/* Open a further socket for a plan. The kernel checked the permission to use the node when the
 * handle was opened; later sockets inherit it from the first one. Return: the socket or -errno.
 */
static int port_socket(const struct hcl *h, uint32_t plan)
{
	const struct hypercube_sibling sibling = { .fd = h->port.fd, .plan = plan };
	const int lowat = INT32_MAX;
	int fd, err;

	fd = socket(h->addr.shc_family, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &lowat, sizeof(lowat));
	buffers_copy(h, fd);
	do {
		err = setsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_SIBLING, &sibling,
				 sizeof(sibling)) ? -errno : 0;
	} while (err == -EINTR);
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int port_open(struct hcl *h, uint32_t plan, struct hcl_port **out)
{
	struct hcl_port *port = calloc(1, sizeof(*port));
	int err;

	if (!port)
		return -ENOMEM;
	port->plan = plan;
	port->fd = port_socket(h, plan);
	if (port->fd < 0) {
		err = port->fd;
		free(port);
		return err;
	}
	port->next = h->port.next;
	h->port.next = port;
	h->nports++;
	if (h->epoll >= 0)
		watch(h, port, EPOLL_CTL_ADD);
	hcli_timeout_set(h, port);
	if (!port->next)
		hcli_timeout_set(h, &h->port);
	*out = port;
	/* Earlier messages of the plan may be queued at the first socket. They must be received
	 * before messages at the new socket.
	 */
	return hcli_port_drain(h, &h->port);
}

/* Return: true if the error means that the process cannot have another socket. In that case the
 * plan shares the first socket, and may have to wait for another plan.
 */
static bool want_of_room(int err)
{
	return err == -EMFILE || err == -ENFILE || err == -ENOMEM || err == -ENOBUFS;
}

int hcli_port_get(struct hcl *h, const struct hcl_params *p, bool listens,
		  struct hcl_port **out)
{
	struct hcl_port *port;
	int err;

	*out = &h->port;
	for (port = h->port.next; port; port = port->next)
		if (port->plan == p->plan) {
			*out = port;
			return 0;
		}
	if (h->tied || listens || h->first == p->plan)
		return 0;
	/* An operation whose pieces arrive in any order does not share the first socket. */
	if (!h->first && !hc_coll_placed(hc_coll_desc(hcli_collective(p)))) {
		h->first = p->plan;
		return 0;
	}
	err = port_open(h, p->plan, out);
	return want_of_room(err) ? 0 : err;
}

void hcli_port_close(struct hcl *h, struct hcl_port **p)
{
	struct hcl_port *port = *p;

	*p = port->next;
	h->nports--;
	close(port->fd);
	free(port);
	if (!hcli_many(h))
		hcli_timeout_set(h, &h->port);
}

void hcli_port_refused(struct hcl *h, struct hcl_port *port)
{
	struct hcl_port **p = &h->port.next;

	if (port->posted || port->used)
		return;
	if (port == &h->port) {
		h->first = 0;
		return;
	}
	while (*p != port)
		p = &(*p)->next;
	hcli_port_close(h, p);
}

void hcli_ports_close(struct hcl *h)
{
	struct hcl_port *port;

	while ((port = h->port.next)) {
		h->port.next = port->next;
		close(port->fd);
		free(port);
	}
	close(h->port.fd);
	if (h->epoll >= 0)
		close(h->epoll);
}

uint64_t hcli_end(const struct hcl *h)
{
	return h->timeout ? hcli_now() + h->timeout : UINT64_MAX;
}

/* Poll until time @end, in ms; UINT64_MAX: without a time limit. If a signal interrupts poll(),
 * continue until the same time.
 */
static int poll_until(struct pollfd *p, nfds_t n, uint64_t end)
{
	uint64_t now = end == UINT64_MAX ? 0 : hcli_now();
	int r;

	do {
		r = poll(p, n, end == UINT64_MAX ? -1 : end > now ? (int)(end - now) : 0);
		now = end == UINT64_MAX ? 0 : hcli_now();
	} while (r < 0 && errno == EINTR);
	return r;
}

bool hcli_again(struct hcl *h, short events, uint64_t end)
{
	struct pollfd p = { .fd = h->port.fd, .events = events };
	int r;

	if (errno != EINTR && errno != EAGAIN)
		return false;
	r = poll_until(&p, 1, end);
	if (!r)
		errno = EAGAIN;
	return r > 0;
}

int hcli_poll(struct hcl *h, int ms)
{
	return hcli_poll_until(h, ms < 0 ? UINT64_MAX : hcli_now() + ms);
}

int hcli_poll_until(struct hcl *h, uint64_t end)
{
	struct pollfd few[FEW], *p = few;
	struct hcl_port *port;
	unsigned int n = 0;
	int r;

	if (h->nports > FEW)
		p = malloc(h->nports * sizeof(*p));
	if (!p)
		return -ENOMEM;
	for (port = &h->port; port; port = port->next) {
		p[n].fd = port->fd;
		p[n++].events = POLLIN | (port->sending ? POLLOUT : 0);
	}
	r = poll_until(p, n, end);
	r = r < 0 ? -errno : !!r;
	if (p != few)
		free(p);
	return r;
}
