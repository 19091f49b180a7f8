// SPDX-License-Identifier: GPL-2.0
/*
 * Posted operations: a list in the order of the calls.  The kernel takes
 * contributions one after the other, so only one of them (hcl.sending) is half
 * sent.  Records come back with the operation's number as cookie, in any order.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "handle.h"

/* Look for records of failure at least once in so many operations. */
#define HEAR_EVERY	16
#define SCRATCH		4096

/* From @op on, the first one of which something is to be sent at a socket. */
static struct hcl_op *op_unsent(struct hcl_op *op, const struct hcl_port *port)
{
	while (op && (op->gone || op->port != port))
		op = op->next;
	return op;
}

static void op_link(struct hcl *h, struct hcl_op *op)
{
	op->next = NULL;
	*h->tail = op;
	h->tail = &op->next;
	op->port->posted++;
	if (!op->port->sending)
		op->port->sending = op_unsent(op, op->port);
}

struct hcl_op *hcli_op_find(const struct hcl *h, uint64_t id)
{
	struct hcl_op *op;

	for (op = h->head; op; op = op->next)
		if (op->id == id)
			return op;
	return NULL;
}

void hcli_op_release(struct hcl *h, struct hcl_op *op)
{
	struct hcl_op **p = &h->head;

	while (*p != op)
		p = &(*p)->next;
	*p = op->next;
	if (h->tail == &op->next)
		h->tail = p;
	if (op->port->sending == op)
		op->port->sending = op_unsent(op->next, op->port);
	op->port->posted--;
	op->next = h->free;
	h->free = op;
}

/* Nothing more of it is to be sent. */
static void op_gone(struct hcl *h, struct hcl_op *op)
{
	op->gone = true;
	if (op->port->sending == op)
		op->port->sending = op_unsent(op->next, op->port);
	if (!op->awaited)
		hcli_op_release(h, op);
}

/* The kernel takes no more of it: its record is there, or about to come. */
static void op_aborted(struct hcl *h, struct hcl_op *op)
{
	op->awaited = true;
	op_gone(h, op);
}

static void op_failed(struct hcl *h, struct hcl_op *op, const struct hypercube_result *res)
{
	hcli_failed_as(h, res);
	if (!op || !op->wanted)
		hcli_late(h);
	if (op && !op->gone)
		op_gone(h, op);
	else if (op && !op->wanted)
		hcli_op_release(h, op);
}

/* ---------------------------------------------------------------- sockets */

uint8_t hcli_collective(const struct hcl_params *p)
{
	return p->collective ? p->collective : HYPERCUBE_REDUCE;
}

static void cmsg_op(struct msghdr *msg, const struct hcl_op *op)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	struct hypercube_op hop = {
		.plan = op->p.plan,
		.collective = hcli_collective(&op->p),
		.oper = op->p.oper,
		.type = op->p.type,
		.flags = op->p.flags,
		.width = op->p.width,
		.bytes = op->bytes,
		.cookie = op->id,
	};

	c->cmsg_level = SOL_HYPERCUBE;
	c->cmsg_type = HYPERCUBE_CMSG_OP;
	c->cmsg_len = CMSG_LEN(sizeof(hop));
	memcpy(CMSG_DATA(c), &hop, sizeof(hop));
}

/* Must each call give the kernel all of it, since it takes pieces of all parts? */
static bool whole(const struct hcl_op *op)
{
	return hc_traits(hcli_collective(&op->p))->parts;
}

/* Send of the first unsent operation what the kernel takes.
 * Return: 1, 0 if it takes nothing now, -ENOBUFS if the caller must receive
 * first, or another -errno.
 */
static int send_some(struct hcl *h, struct hcl_port *port, int flags)
{
	union {
		char buf[CMSG_SPACE(sizeof(struct hypercube_op))];
		struct cmsghdr align;
	} control;
	struct hcl_op *op = port->sending;
	const size_t from = whole(op) ? 0 : op->sent;
	struct iovec iov = { .iov_base = (char *)op->in + from, .iov_len = op->bytes - from };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (!op->begun) {
		memset(&control, 0, sizeof(control));
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control.buf);
		cmsg_op(&msg, op);
	}
	do {
		n = sendmsg(port->fd, &msg, flags | MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n < 0 && errno == ECONNABORTED && op->begun) {
		op_aborted(h, op);
		return 1;
	}
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	if (!op->begun)
		op->place = port->begun++;
	op->begun = true;
	port->used = true;
	op->sent += n;
	if (op->sent == op->bytes) {
		port->unheard++;
		op_gone(h, op);
	}
	return 1;
}

static const struct hypercube_result *cmsg_result(struct msghdr *msg)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c))
		if (c->cmsg_level == SOL_HYPERCUBE && c->cmsg_type == HYPERCUBE_CMSG_RESULT &&
		    c->cmsg_len >= CMSG_LEN(sizeof(struct hypercube_result)))
			return (const struct hypercube_result *)CMSG_DATA(c);
	return NULL;
}

/* Do the pieces of its result come to their places, in any order? */
static bool placed(const struct hcl_op *op)
{
	return hc_traits_placed(hc_traits(hcli_collective(&op->p)));
}

/* The operation whose result will probably come next.  One whose pieces come to their places has a
 * socket for itself and others of the kind, of which one begins where another has ended.
 */
static struct hcl_op *op_guess(const struct hcl *h, const struct hcl_port *port)
{
	struct hcl_op *op;

	for (op = port->posted ? h->head : NULL; op; op = op->next)
		if (op->port == port && (op->out || placed(op)) && !op->done)
			return op->out && op->got < op->out_max ? op : NULL;
	return NULL;
}

/* What a call has received: @n bytes; @cut: there was no room for more of them. */
struct got {
	struct hypercube_result res;
	size_t n;
	bool last;
	bool cut;
};

/* A piece of a result has come to @buf. */
static void piece(struct hcl *h, const struct got *got, const char *buf)
{
	const struct hypercube_result *res = &got->res;
	const size_t n = got->n;
	struct hcl_op *op = hcli_is_message(res) ? hcli_listener(h, res) :
						   hcli_op_find(h, res->cookie);

	if (op && placed(op) && n && buf != op->out) {
		if (op->out && op->got < op->out_max)
			op->torn = true;
		else
			op->cut = true;
	}
	if (op && op->out && !placed(op) && op->got < op->out_max && buf != op->out + op->got) {
		size_t room = op->out_max - op->got;

		memmove(op->out + op->got, buf, n < room ? n : room);
	}
	if (op) {
		op->got += n;
		op->cut |= got->cut;
	}
	if (!got->last)
		return;
	if (op && op->awaited && !op->done) {
		op->done = true;
		op->res = *res;
		if (op->torn && !res->status)
			op->res.status = -ENOMEM;
		else if (op->cut)
			/* No call receives what lies beyond 2 GiB. */
			op->got = res->bytes > op->out_max ? res->bytes : op->out_max + 1;
		else if (op->got != res->bytes && !res->status)
			op->res.status = -EIO;
		if (op->res.status != res->status)
			hcli_failed_as(h, &op->res);
	}
	if (res->status)
		op_failed(h, op, res);
}

/* Receive what is next at a socket into @iov.  Return: 1, 0 if there is nothing, or -errno. */
static int recv_piece(struct hcl_port *port, int flags, struct iovec *iov, struct got *got)
{
	union {
		char buf[CMSG_SPACE(sizeof(struct hypercube_result)) + 64];
		struct cmsghdr align;
	} control;
	struct msghdr msg = {
		.msg_iov = iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control.buf),
	};
	const struct hypercube_result *found;
	ssize_t n;

	do {
		n = recvmsg(port->fd, &msg, flags);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	port->unheard = 0;
	found = cmsg_result(&msg);
	if (!found)
		return -ENODEV;
	got->res = *found;
	got->n = n;
	got->last = msg.msg_flags & MSG_EOR;
	got->cut = msg.msg_flags & MSG_TRUNC;
	return 1;
}

/* Messages of other plans, which nobody has asked for, may come at a socket that is not
 * connected: then the owner of the next piece must be known before it gets in between those of a
 * result.
 */
static bool mixed(const struct hcl *h, const struct hcl_port *port)
{
	const struct hcl_op *op = port->plan || h->tied ? NULL : h->head;

	while (op && (op->port != port || !placed(op) || op->done))
		op = op->next;
	return op;
}

/* Receive one piece.  Return: 1, 0 if there is none, or -errno. */
static int recv_some(struct hcl *h, struct hcl_port *port, int flags)
{
	struct hcl_op *op = op_guess(h, port);
	char scratch[SCRATCH];
	struct iovec iov = { .iov_base = scratch };
	struct got got;
	int r;

	if (mixed(h, port)) {
		/* Without room it stays there, but for the end of a record without data. */
		r = recv_piece(port, flags, &iov, &got);
		if (r > 0 && got.last)
			piece(h, &got, scratch);
		if (r <= 0 || got.last)
			return r;
		op = hcli_is_message(&got.res) ? NULL : hcli_op_find(h, got.res.cookie);
		if (op && (!op->out || op->done || op->got >= op->out_max))
			op = NULL;
	}
	if (op) {
		size_t at = placed(op) ? 0 : op->got;

		iov = (struct iovec){ .iov_base = op->out + at, .iov_len = op->out_max - at };
	} else {
		iov.iov_len = sizeof(scratch);
	}
	r = recv_piece(port, flags, &iov, &got);
	if (r > 0)
		piece(h, &got, iov.iov_base);
	return r;
}

/* As send_some(), but a refusal to begin is the operation's end, not the socket's. */
static int send_on(struct hcl *h, struct hcl_port *port, int flags)
{
	struct hcl_op *op = port->sending;
	bool begun = op->begun;
	int r = send_some(h, port, flags);
	const struct got refusal = {
		.res = {
			.status = r,
			.plan = op->p.plan,
			.cookie = op->id,
			.cause_node = UINT32_MAX,
			.cause_dim = UINT32_MAX,
			.collective = hcli_collective(&op->p),
		},
		.last = true,
	};

	if (r == -ENOBUFS) {
		/* With nothing to receive it means that a record was lost. */
		r = recv_some(h, port, MSG_DONTWAIT);
		return r ? r : -ENOBUFS;
	}
	if (r >= 0 || begun)
		return r;
	piece(h, &refusal, "");
	return 1;
}

int hcli_port_move(struct hcl *h, struct hcl_port *port)
{
	int moved = 0;
	int r;

	if (port->sending) {
		moved = send_on(h, port, MSG_DONTWAIT);
		if (moved < 0)
			return moved;
	}
	r = recv_some(h, port, MSG_DONTWAIT);
	return r < 0 ? r : moved | r;
}

int hcli_port_drain(struct hcl *h, struct hcl_port *port)
{
	int r;

	do {
		r = recv_some(h, port, MSG_DONTWAIT);
	} while (r > 0);
	return r;
}

int hcli_move(struct hcl *h)
{
	struct hcl_port *port;
	int moved = 0;

	for (port = &h->port; port; port = port->next) {
		int r = hcli_port_move(h, port);

		if (r < 0)
			return r;
		moved |= r;
	}
	return moved;
}

/* Sending does not wait while there are results to receive and no room for more of them. */
static int port_wait(struct hcl *h, struct hcl_port *port)
{
	return port->sending ? send_on(h, port, 0) : recv_some(h, port, 0);
}

/* The only socket at which something is under way, or NULL. */
static struct hcl_port *port_only(struct hcl *h)
{
	struct hcl_port *port, *only = NULL;

	for (port = &h->port; port; port = port->next) {
		if (port->posted && only)
			return NULL;
		if (port->posted)
			only = port;
	}
	return only;
}

/* Move something, or wait until that is possible: at all sockets, for others may wait for
 * what goes through those that the caller does not wait for.  Return: 0 or -errno.
 */
static int move_wait(struct hcl *h, struct hcl_port *port)
{
	struct hcl_port *only;
	int r;

	if (!hcli_many(h)) {
		r = port_wait(h, port);
		return r < 0 ? r : r ? 0 : -ETIMEDOUT;
	}
	only = port_only(h);
	r = only ? port_wait(h, only) : hcli_move(h);
	if (!r)
		r = hcli_poll(h, h->timeout ? (int)h->timeout : -1);
	else
		return r < 0 ? r : 0;
	if (!r)
		return -ETIMEDOUT;
	r = r < 0 ? r : hcli_move(h);
	return r < 0 ? r : 0;
}

/* ---------------------------------------------------------------- the calls */

/* Why is there no such element? */
static int elem_refuse(struct hcl *h, const struct hcl_params *p)
{
	const char *oper = hcl_oper_name(p->oper), *type = hcl_type_name(p->type);

	if (!oper)
		return hcli_refuse(h, p, -EINVAL, "there is no operator %u", p->oper);
	if (!type)
		return hcli_refuse(h, p, -EINVAL, "there is no type %u", p->type);
	if (hcl_elem_size(p->oper, p->type, p->type == HYPERCUBE_RECORD) < 0)
		return hcli_refuse(h, p, -EINVAL, "operator %s is not for type %s", oper, type);
	return hcli_refuse(h, p, -EINVAL, "type %s has no width of %u", type, p->width);
}

static int params_check(struct hcl *h, const struct hcl_params *p, const void *in, size_t bytes)
{
	const struct hc_traits *t = hc_traits(hcli_collective(p));
	int elem = 1;

	if (!t)
		return hcli_refuse(h, p, -EINVAL, "there is no collective %u", p->collective);
	if (bytes && t->payload == HC_PAYLOAD_NONE)
		return hcli_refuse(h, p, -EINVAL, "a %s has no data, but there are %zu bytes",
				   t->name, bytes);
	if (bytes && !in)
		return hcli_refuse(h, p, -EINVAL, "there are %zu bytes to send, but no buffer",
				   bytes);
	if (t->payload == HC_PAYLOAD_ELEMENTS)
		elem = hcl_elem_size(p->oper, p->type, p->width);
	if (elem < 0)
		return elem_refuse(h, p);
	if (bytes % elem)
		return hcli_refuse(h, p, -EINVAL, "%zu bytes are no multiple of the %d of an element",
				   bytes, elem);
	return 0;
}

/* Has an operation failed for which nobody waits?  Return: 0, its error, or one of the
 * socket.
 */
static int late(struct hcl *h)
{
	struct hcl_port *port;
	int r;

	for (port = &h->port; port; port = port->next)
		while (port->unheard >= HEAR_EVERY) {
			r = recv_some(h, port, MSG_DONTWAIT);
			if (r < 0)
				return hcli_failed(h, NULL, 0, r);
			if (!r)
				port->unheard = 0;
		}
	if (!h->late)
		return 0;
	return hcli_late_tell(h);
}

struct hcl_op *hcli_op_new(struct hcl *h)
{
	struct hcl_op *op = h->free;

	if (op)
		h->free = op->next;
	else
		op = malloc(sizeof(*op));
	if (op)
		memset(op, 0, sizeof(*op));
	return op;
}

/* Choose the socket, and send what it takes at once. */
static int op_begin(struct hcl *h, struct hcl_op *op)
{
	struct hcl_port *port;
	int err = hcli_port_get(h, &op->p, hcli_listens(op), &port);

	if (err)
		return err;
	op->port = port;
	if (hcli_listens(op)) {
		h->moved = hcli_now();
		hcli_listen(h, op);
	}
	op_link(h, op);
	if (op->port->sending != op)
		return 0;
	err = send_some(h, op->port, MSG_DONTWAIT);
	return err < 0 && err != -ENOBUFS ? err : 0;
}

static void op_refused(struct hcl *h, struct hcl_op *op, int err)
{
	struct hcl_port *port = op->port;

	hcli_failed(h, &op->p, op->id, err);
	if (!port) {
		op->next = h->free;
		h->free = op;
		return;
	}
	hcli_op_release(h, op);
	hcli_port_refused(h, port);
}

int hcl_post(struct hcl *h, const struct hcl_params *p, const void *in,
	     size_t bytes, void *out, size_t out_max, uint64_t *id)
{
	int err = h->dead ? hcli_failed(h, p, 0, -ESHUTDOWN) : params_check(h, p, in, bytes);
	struct hcl_op *op;

	err = err ?: late(h);
	if (err)
		return err;
	op = hcli_op_new(h);
	if (!op)
		return hcli_failed(h, p, 0, -ENOMEM);
	op->id = h->next_id;
	op->p = *p;
	op->in = in;
	op->bytes = bytes;
	op->out = out;
	op->out_max = out_max;
	op->wanted = out || p->flags & HYPERCUBE_F_NOTIFY || hc_traits(hcli_collective(p))->told ||
		     hc_traits_shares(hc_traits(hcli_collective(p)));
	op->awaited = op->wanted;
	err = op_begin(h, op);
	if (err) {
		op_refused(h, op, err);
		return err;
	}
	if (id)
		*id = h->next_id;
	h->next_id++;
	hcli_watch(h);
	return 0;
}

/* Wait for @ms, but no longer than until listeners must check whether a message can still come. */
static int poll_doubting(struct hcl *h, int ms)
{
	int doubt = hcli_doubt(h);
	int r;

	if (doubt >= 0 && (ms < 0 || doubt < ms))
		ms = doubt;
	r = hcli_poll(h, ms);
	if (!r && doubt >= 0 && !hcli_doubt(h))
		return hcli_doubt_check(h);
	return r > 0 ? hcli_move(h) : r;
}

int hcl_progress(struct hcl *h, int ms)
{
	uint64_t end = ms > 0 ? hcli_now() + ms : 0;
	int r;

	if (h->dead)
		return hcli_failed(h, NULL, 0, -ESHUTDOWN);
	r = hcli_move(h);
	if (!r && !hcli_doubt(h))
		r = hcli_doubt_check(h);
	while (!r && ms) {
		r = poll_doubting(h, ms);
		if (r || ms < 0)
			continue;
		ms = end > hcli_now() ? end - hcli_now() : 0;
	}
	if (r > 0 && h->moved)
		h->moved = hcli_now();
	hcli_watch(h);
	return r < 0 ? hcli_failed(h, NULL, 0, r) : r;
}

short hcl_events(struct hcl *h)
{
	struct hcl_port *port;

	hcli_watch(h);
	for (port = &h->port; port; port = port->next)
		if (port->sending)
			return POLLIN | POLLOUT;
	return POLLIN;
}

int hcl_done(const struct hcl *h, uint64_t id)
{
	const struct hcl_op *op = hcli_op_find(h, id);

	return !op || op->done;
}

/* The end of an operation that is no longer in the list. */
static int wait_forgotten(struct hcl *h, uint64_t id, struct hypercube_result *res)
{
	if (id >= h->next_id)
		return hcli_refuse(h, NULL, -EINVAL, "no operation has number %llu",
				   (unsigned long long)id);
	if (!h->late || h->late_why.res.cookie != id)
		return 0;
	hcli_late_tell(h);
	if (res)
		*res = h->why.res;
	return h->why.res.status;
}

static int wait_op(struct hcl *h, uint64_t id, struct hypercube_result *res)
{
	struct hcl_op *op;
	int err;

	for (;;) {
		op = hcli_op_find(h, id);
		if (!op)
			return wait_forgotten(h, id, res);
		if (op->done)
			break;
		err = hcli_listens(op) ? hcli_listen_wait(h, op) : move_wait(h, op->port);
		if (!err)
			continue;
		hcli_stuck(h, op, err);
		if (res)
			*res = h->why.res;
		return err;
	}
	err = op->res.status;
	if (!err && op->got > op->out_max) {
		err = -EMSGSIZE;
		op->res.status = err;
		hcli_failed_as(h, &op->res);
		hcli_say(h, "the result has %zu bytes, more than the room for %zu",
			 op->got, op->out_max);
	}
	if (res)
		*res = op->res;
	hcli_op_release(h, op);
	return err;
}

int hcl_wait(struct hcl *h, uint64_t id, struct hypercube_result *res)
{
	int err;

	if (res)
		memset(res, 0, sizeof(*res));
	if (h->dead)
		return hcli_failed(h, NULL, id, -ESHUTDOWN);
	err = wait_op(h, id, res);
	hcli_watch(h);
	return err;
}

int hcli_call(struct hcl *h, const struct hcl_params *p, const void *in, size_t bytes,
	      void *out, size_t out_max, struct hypercube_result *res)
{
	struct hcl_op *op;
	uint64_t id;
	int err;

	if (res)
		memset(res, 0, sizeof(*res));
	err = hcl_post(h, p, in, bytes, out, out_max, &id);
	if (err) {
		if (res)
			*res = h->why.res;
		return err;
	}
	err = hcl_wait(h, id, res);
	/* The caller's buffers go away now. */
	op = hcli_op_find(h, id);
	if (op && hcli_listens(op) && !op->got)
		hcli_op_release(h, op);
	else if (op)
		h->dead = true;
	return err;
}

static struct hcl_port *port_sending(struct hcl *h)
{
	struct hcl_port *port = &h->port;

	while (port && !port->sending)
		port = port->next;
	return port;
}

int hcl_flush(struct hcl *h)
{
	struct hcl_port *port;
	int err;

	if (h->dead)
		return hcli_failed(h, NULL, 0, -ESHUTDOWN);
	while ((port = port_sending(h))) {
		const uint64_t id = port->sending->id;
		const struct hcl_params p = port->sending->p;

		err = move_wait(h, port);
		if (!err)
			continue;
		return port->sending ? hcli_stuck(h, port->sending, err) :
				       hcli_failed(h, &p, id, err);
	}
	for (port = &h->port; port; port = port->next)
		port->unheard = HEAR_EVERY;
	err = late(h);
	hcli_watch(h);
	return err;
}
