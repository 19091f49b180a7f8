// SPDX-License-Identifier: GPL-2.0
/*
 * A simple work queue for comparison: a single-threaded server process, which holds the tasks in
 * its memory, and clients that reach it over AF_UNIX (SOCK_SEQPACKET) or over TCP on the loopback
 * interface. A worker sends one message to report its task as done and to request the next one. As
 * in the fabric, a task goes to another worker if its worker ends without this message.
 */
#include <err.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tasks.h"

#define CLIENTS_MAX	128
#define EVENTS		16
/* NEXT is the message with which a worker requests a task. A stream does not preserve message
 * boundaries, so each task on it follows its length.
 */
#define NEXT		UINT32_MAX

/* A task in the queue. */
struct item {
	struct item *next;
	uint32_t len;		/* bytes of .task */
	char task[];
};

/**
 * struct client - a producer or a worker, as the server sees it
 * @fd: its socket, or 0
 * @has: the task that it executes, or NULL
 * @waits: the next client in the list of waiting workers
 * @got: number of bytes in @buf
 * @buf: the received bytes of an incomplete message of a stream
 */
struct client {
	int fd;
	struct item *has;
	struct client *waits;
	size_t got;
	char *buf;
};

/* The server: its queue (from @first to @last), its clients, and the list of waiting workers
 * (@idle).
 */
struct server {
	bool stream;
	int listens;
	int epoll;
	struct item *first;
	struct item **last;
	struct client *idle;	/* first client in the list of waiting workers */
	struct client client[CLIENTS_MAX];
};

/* The connection of a process to the server. The server's address is determined before the
 * processes are forked.
 */
struct link {
	bool stream;
	pid_t server;
	int listens;
	int fd;
	bool asked;
};

/* --- both ends --- */

/* Send the @len bytes at @what. */
static void say(int fd, const void *what, size_t len)
{
	const char *p = what;
	ssize_t n;

	while (len) {
		n = send(fd, p, len, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			err(1, "send");
		p += n;
		len -= (size_t)n;
	}
}

/* Receive @len bytes from a stream to @what. */
static void receive(int fd, void *what, size_t len)
{
	char *p = what;
	ssize_t n;

	while (len) {
		n = recv(fd, p, len, MSG_WAITALL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			err(1, "recv");
		p += n;
		len -= (size_t)n;
	}
}

static void no_delay(int fd)
{
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* --- the server --- */

/* Send the first task of the queue to worker @c. */
static void give(struct server *s, struct client *c)
{
	struct item *i = s->first;

	s->first = i->next;
	if (!s->first)
		s->last = &s->first;
	c->has = i;
	say(c->fd, s->stream ? (char *)&i->len : i->task,
	    i->len + (s->stream ? sizeof(i->len) : 0));
}

static void put_item(struct server *s, struct item *i)
{
	struct client *c = s->idle;

	i->next = NULL;
	*s->last = i;
	s->last = &i->next;
	if (c) {
		s->idle = c->waits;
		give(s, c);
	}
}

static void put_bytes(struct server *s, const void *task, uint32_t len)
{
	struct item *i = malloc(sizeof(*i) + len);

	if (!i)
		err(1, "memory");
	i->len = len;
	memcpy(i->task, task, len);
	put_item(s, i);
}

/* Worker @c requests a task: its present task, if it has one, is done. */
static void wants(struct server *s, struct client *c)
{
	free(c->has);
	c->has = NULL;
	if (s->first) {
		give(s, c);
		return;
	}
	c->waits = s->idle;
	s->idle = c;
}

/* Client @c has closed its connection: put its task into the queue again. */
static void gone(struct server *s, struct client *c)
{
	struct client **p;
	struct item *had = c->has;

	for (p = &s->idle; *p; p = &(*p)->waits)
		if (*p == c) {
			*p = c->waits;
			break;
		}
	close(c->fd);
	c->fd = 0;
	c->has = NULL;
	c->got = 0;
	if (had)
		put_item(s, had);
}

/* Handle all messages of a stream that are complete. */
static void received_stream(struct server *s, struct client *c)
{
	size_t at = 0;
	uint32_t len;

	while (c->got - at >= sizeof(len)) {
		memcpy(&len, c->buf + at, sizeof(len));
		if (len == NEXT) {
			wants(s, c);
			at += sizeof(len);
			continue;
		}
		if (c->got - at < sizeof(len) + len)
			break;
		put_bytes(s, c->buf + at + sizeof(len), len);
		at += sizeof(len) + len;
	}
	c->got -= at;
	memmove(c->buf, c->buf + at, c->got);
}

static void received(struct server *s, struct client *c)
{
	const size_t room = 4 * TASK_BYTES_MAX;
	uint32_t word;
	ssize_t n;

	if (!c->buf)
		c->buf = malloc(room);
	if (!c->buf)
		err(1, "memory");
	n = recv(c->fd, c->buf + c->got, room - c->got, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		gone(s, c);
		return;
	}
	if (s->stream) {
		c->got += (size_t)n;
		received_stream(s, c);
		return;
	}
	memcpy(&word, c->buf, sizeof(word));
	if (n == sizeof(word) && word == NEXT)
		wants(s, c);
	else
		put_bytes(s, c->buf, (uint32_t)n);
}

/* Accept the connection of a client. */
static void come(struct server *s)
{
	struct epoll_event e = { .events = EPOLLIN };
	struct client *c = s->client;
	int fd = accept(s->listens, NULL, NULL);

	if (fd < 0)
		err(1, "accept");
	while (c < s->client + CLIENTS_MAX && c->fd)
		c++;
	if (c == s->client + CLIENTS_MAX)
		errx(1, "too many clients");
	if (s->stream)
		no_delay(fd);
	c->fd = fd;
	e.data.ptr = c;
	if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &e))
		err(1, "epoll");
}

static void serve(bool stream, int listens)
{
	static struct server s;
	struct epoll_event e[EVENTS] = { { .events = EPOLLIN } };
	int n, i;

	s = (struct server){ .stream = stream, .listens = listens, .epoll = epoll_create1(0) };
	s.last = &s.first;
	if (s.epoll < 0 || epoll_ctl(s.epoll, EPOLL_CTL_ADD, listens, e))
		err(1, "epoll");
	for (;;) {
		n = epoll_wait(s.epoll, e, EVENTS, -1);
		for (i = 0; i < n; i++)
			if (e[i].data.ptr)
				received(&s, e[i].data.ptr);
			else
				come(&s);
	}
}

/* --- clients --- */

static void begin(struct queue *q, int domain, int type)
{
	struct link *l = calloc(1, sizeof(*l));
	struct sockaddr_in any = { .sin_family = AF_INET };
	struct sockaddr_un own = { .sun_family = AF_UNIX };
	pid_t parent;

	if (!l)
		err(1, "memory");
	any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	l->stream = type == SOCK_STREAM;
	l->listens = socket(domain, type, 0);
	/* The kernel chooses the port of AF_INET, or the name of AF_UNIX. */
	if (l->listens < 0 ||
	    (domain == AF_INET ? bind(l->listens, (struct sockaddr *)&any, sizeof(any)) :
				 bind(l->listens, (struct sockaddr *)&own, sizeof(sa_family_t))) ||
	    listen(l->listens, CLIENTS_MAX))
		err(1, "a server's socket");
	parent = getpid();
	l->server = fork();
	if (l->server < 0)
		err(1, "fork");
	if (!l->server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == parent)
			serve(l->stream, l->listens);
		_exit(1);
	}
	q->own = l;
}

static void begin_unix(struct queue *q)
{
	begin(q, AF_UNIX, SOCK_SEQPACKET);
}

static void begin_tcp(struct queue *q)
{
	begin(q, AF_INET, SOCK_STREAM);
}

static void end(struct queue *q)
{
	struct link *l = q->own;

	kill(l->server, SIGKILL);
	waitpid(l->server, NULL, 0);
	close(l->listens);
	free(l);
}

static void join(struct queue *q)
{
	struct sockaddr_storage at;
	socklen_t len = sizeof(at);
	struct link *l = q->own;

	if (getsockname(l->listens, (struct sockaddr *)&at, &len))
		err(1, "the server's address");
	l->fd = socket(at.ss_family, l->stream ? SOCK_STREAM : SOCK_SEQPACKET, 0);
	if (l->fd < 0 || connect(l->fd, (struct sockaddr *)&at, len))
		err(1, "the server");
	if (l->stream)
		no_delay(l->fd);
	close(l->listens);
}

static void put(struct queue *q, const void *task, size_t len)
{
	static struct {
		uint32_t len;
		char task[TASK_BYTES_MAX];
	} whole;
	const struct link *l = q->own;

	if (!l->stream) {
		say(l->fd, task, len);
		return;
	}
	whole.len = (uint32_t)len;
	memcpy(whole.task, task, len);
	say(l->fd, &whole, sizeof(whole.len) + len);
}

/* Send the message that reports a task as done and requests the next one. */
static void ask(struct link *l)
{
	static const uint32_t next = NEXT;

	say(l->fd, &next, sizeof(next));
	l->asked = true;
}

static size_t take(struct queue *q, void *task)
{
	struct link *l = q->own;
	uint32_t len;
	ssize_t n;

	if (!l->asked)
		ask(l);
	l->asked = false;
	if (l->stream) {
		receive(l->fd, &len, sizeof(len));
		receive(l->fd, task, len);
		return len;
	}
	do
		n = recv(l->fd, task, TASK_BYTES_MAX, 0);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		err(1, "recv");
	return (size_t)n;
}

/* The worker's next request, which is sent here, reports the task as done. */
static void done(struct queue *q)
{
	ask(q->own);
}

const struct queue_ops tasks_unix = {
	.name = "unix", .begin = begin_unix, .end = end, .join = join, .put = put, .take = take,
	.done = done,
};

const struct queue_ops tasks_tcp = {
	.name = "tcp", .begin = begin_tcp, .end = end, .join = join, .put = put, .take = take,
	.done = done,
};
