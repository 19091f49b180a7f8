// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl trunk listen: accepting connections.
 *
 * A connection waits in a table until its peer sends something. Then a child process does the rest:
 * TLS, the negotiation, and passing the connection to the kernel. So a peer that sends nothing,
 * little or garbage does not delay other peers.
 *
 * The size of the table is limited. When it is full and a connection is accepted, another
 * connection is closed: one of the host that has the most connections in the table. Of these, it is
 * the oldest silent one, or if none is silent, the oldest. So an attacker who floods the port from
 * some hosts does not keep out peers on other hosts. An attacker who floods it from the host of a
 * peer has to be faster than the first message of that peer.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trunk.h"

/* CONNS: maximum number of connections in the table, which were not passed to the kernel yet.
 * ACCEPT_AT_ONCE: maximum number of connections that are accepted before the events of other
 * connections are handled.
 */
#define CONNS		64
#define ACCEPT_AT_ONCE	16
/* LEAVE_MS: time in which a process that listens for a removed fabric must end, in milliseconds.
 * LISTEN_MS: time between two checks whether the fabric still exists, in milliseconds.
 */
#define LEAVE_MS	3000
#define LISTEN_MS	1000
/* Time for which this process sleeps if the system lacks resources for a connection, in
 * microseconds.
 */
#define LACK_PAUSE	100000

/**
 * struct conn - a connection that was not passed to the kernel yet
 * @fd: the connection, as long as the peer is silent; after that, the reading end of a pipe, whose
 *	writing end is open in the process @pid until that process ends
 * @pid: the process that serves the connection; 0: the peer is silent
 * @end: time at which the connection is closed if the peer is still silent, ms
 * @peer: address of the peer
 * @len: length of @peer in bytes
 */
struct conn {
	int fd;
	pid_t pid;
	int64_t end;
	struct sockaddr_storage peer;
	socklen_t len;
};

/**
 * struct listener - the listening sockets, and the connections that they have accepted
 * @h: context
 * @ends: attributes of the trunk that is wanted
 * @fd: the listening sockets
 * @nfds: number of entries of @fd
 * @conn: the connections, oldest first
 * @n: number of entries of @conn
 */
struct listener {
	struct hcctl *h;
	const struct trunk_ends *ends;
	int fd[TRUNK_ADDRESSES];
	int nfds;
	struct conn conn[CONNS];
	size_t n;
};

/* --- the table --- */

static void conn_remove(struct listener *l, size_t i)
{
	l->n--;
	memmove(&l->conn[i], &l->conn[i + 1], (l->n - i) * sizeof(*l->conn));
}

/* Close a connection, and kill the process that serves it, if there is one. */
static void conn_end(struct listener *l, size_t i)
{
	const struct conn *c = &l->conn[i];

	close(c->fd);
	if (c->pid) {
		kill(c->pid, SIGKILL);
		waitpid(c->pid, NULL, 0);
	}
	conn_remove(l, i);
}

/* Return: the number of connections in the table that are from the host of @peer. */
static size_t conns_of(const struct listener *l, const struct sockaddr_storage *peer)
{
	size_t i, n = 0;

	/* A host may use all addresses of its IPv6 /64 network, so compare only the prefix. */
	for (i = 0; i < l->n; i++)
		n += trunk_same_host(&l->conn[i].peer, peer, 8);
	return n;
}

/* Return: the index of the connection that is closed when the table is full. */
static size_t conn_victim(const struct listener *l)
{
	size_t i, of, most = 0, victim = 0;

	for (i = 0; i < l->n; i++) {
		of = conns_of(l, &l->conn[i].peer);
		if (of > most || (of == most && l->conn[victim].pid && !l->conn[i].pid)) {
			most = of;
			victim = i;
		}
	}
	return victim;
}

/* --- a process for each peer that sends something --- */

/* Make a trunk of the connection @fd. This function runs in the child process. @c: the entry of the
 * connection.
 */
static int conn_serve(struct listener *l, int fd, const struct conn *c)
{
	struct hcctl *h = l->h;
	struct trunk_ends e = *l->ends;
	char text[TRUNK_PEER_TEXT];
	struct hc_where at = {
		.text = trunk_peer_text(text, (const struct sockaddr *)&c->peer, c->len),
	};
	int i, rc;
	size_t k;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Close the inherited descriptors of other sockets and connections. The kernel can take
	 * over a connection only if no other process has its socket open.
	 */
	for (i = 0; i < l->nfds; i++)
		close(l->fd[i]);
	for (k = 0; k < l->n; k++)
		if (l->conn[k].fd != fd)
			close(l->conn[k].fd);
	nl_leave(h);
	hc_enter(h, &at);
	rc = nl_fabric(h, l->ends->fabric.name, &e.fabric) ?: trunk_join(h, fd, &e, true);
	hc_leave(h, &at);
	return rc;
}

/* Start a process that serves connection @i, because its peer has sent something. */
static void conn_speaks(struct listener *l, size_t i)
{
	struct conn *c = &l->conn[i];
	int ends[2] = { -1, -1 };
	pid_t pid = -1;

	fflush(stdout);
	if (!pipe2(ends, O_CLOEXEC))
		pid = fork();
	if (!pid) {
		close(ends[0]);
		_exit(conn_serve(l, c->fd, c) ? HC_NO : HC_OK);
	}
	if (pid < 0)
		hc_error(l->h, "cannot serve a connection: %s", strerror(errno));
	close(ends[1]);
	close(c->fd);
	c->fd = ends[0];
	c->pid = pid;
	if (pid > 0)
		return;
	close(ends[0]);
	conn_remove(l, i);
}

/* Handle the end of the process that served connection @i. Return: true if the process has made a
 * trunk.
 */
static bool conn_served(struct listener *l, size_t i)
{
	int status = -1;

	waitpid(l->conn[i].pid, &status, 0);
	close(l->conn[i].fd);
	conn_remove(l, i);
	return !status;
}

/* --- all of them --- */

/* Return: true if the error of accept() is neither temporary nor caused by a single connection, see
 * accept(2).
 */
static bool is_fatal(int err)
{
	return err == EBADF || err == EFAULT || err == EINVAL || err == ENOTSOCK;
}

static int accept_some(struct listener *l, int fd)
{
	struct conn c;
	int i, err;

	for (i = 0; i < ACCEPT_AT_ONCE; i++) {
		c = (struct conn){ .len = sizeof(c.peer), .end = trunk_now() + TRUNK_TIMEOUT };
		c.fd = accept4(fd, (struct sockaddr *)&c.peer, &c.len, SOCK_CLOEXEC);
		if (c.fd < 0)
			break;
		if (l->n == CONNS)
			conn_end(l, conn_victim(l));
		l->conn[l->n++] = c;
	}
	err = i < ACCEPT_AT_ONCE ? errno : 0;
	if (err == EMFILE || err == ENFILE || err == ENOBUFS || err == ENOMEM)
		usleep(LACK_PAUSE);
	if (!is_fatal(err))
		return 0;
	hc_error(l->h, "cannot accept a connection: %s", strerror(err));
	return -EIO;
}

static int fabric_check(struct listener *l)
{
	const struct nl_fabric *first = &l->ends->fabric;
	struct nl_fabric now;
	int rc = nl_fabric(l->h, first->name, &now);

	if (!rc && now.index != first->index) {
		hc_error(l->h, "fabric %s is another one now", first->name);
		rc = HC_NO;
	}
	return rc ? (rc < 0 ? rc : -ENOENT) : 0;
}

/* Handle the events of the connections: @p has an entry for each connection. Begin with the last
 * connection, because an entry may be removed from the table. Return: 1 if a trunk was made.
 */
static int conns_look(struct listener *l, const struct pollfd *p)
{
	int64_t now = trunk_now();
	bool trunk = false;
	size_t i;

	for (i = l->n; i--; ) {
		struct conn *c = &l->conn[i];

		if (p[i].revents && c->pid) {
			trunk |= conn_served(l, i);
		} else if (p[i].revents) {
			conn_speaks(l, i);
		} else if (!c->pid && now >= c->end) {
			hc_error(l->h, "the other end does not answer");
			conn_end(l, i);
		}
	}
	return trunk;
}

static int listen_once(struct listener *l)
{
	struct pollfd p[TRUNK_ADDRESSES + CONNS];
	size_t i, n = 0;
	int rc;

	for (i = 0; i < (size_t)l->nfds; i++)
		p[n++] = (struct pollfd){ .fd = l->fd[i], .events = POLLIN };
	for (i = 0; i < l->n; i++)
		p[n++] = (struct pollfd){ .fd = l->conn[i].fd, .events = POLLIN };
	if (poll(p, n, LISTEN_MS) < 0)
		return 0;
	rc = conns_look(l, p + l->nfds);
	for (i = 0; !rc && i < (size_t)l->nfds; i++)
		if (p[i].revents)
			rc = accept_some(l, l->fd[i]);
	return rc;
}

/* Listen until a trunk was made, or with @keep until the fabric is removed. */
static int listen_at(struct listener *l, bool keep)
{
	int64_t look = trunk_now() + LISTEN_MS;
	int rc = 0;

	while (rc >= 0 && (keep || !rc)) {
		rc = listen_once(l);
		if (rc >= 0 && trunk_now() >= look) {
			rc = fabric_check(l) ?: rc;
			look = trunk_now() + LISTEN_MS;
		}
	}
	while (l->n)
		conn_end(l, 0);
	return rc < 0 ? rc : 0;
}

int trunk_serve(struct hcctl *h, const char *where, const struct trunk_ends *e, bool keep,
		bool background)
{
	struct listener l = { .h = h, .ends = e };
	char purpose[320];
	bool taken = false;
	int rc = 0;

	snprintf(purpose, sizeof(purpose), "listen-%s", where);
	if (background)
		rc = trunk_claim(h, &e->fabric, purpose, &taken);
	if (rc || taken)
		return rc;
	l.nfds = trunk_listen(h, where, background ? LEAVE_MS : 0, l.fd);
	if (l.nfds < 0)
		return l.nfds;
	rc = background ? trunk_detach(h) : 0;
	rc = rc ?: listen_at(&l, keep);
	while (l.nfds)
		close(l.fd[--l.nfds]);
	return rc;
}
