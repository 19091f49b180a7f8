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

/* From @op on, the first one of which something is to be sent. */
static struct hcl_op *op_unsent(struct hcl_op *op)
{
	while (op && op->gone)
		op = op->next;
	return op;
}

static void op_link(struct hcl *h, struct hcl_op *op)
{
	op->next = NULL;
	*h->tail = op;
	h->tail = &op->next;
	if (!h->sending)
		h->sending = op_unsent(op);
}

static struct hcl_op *op_find(const struct hcl *h, uint64_t id)
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
	if (h->sending == op)
		h->sending = op_unsent(op->next);
	op->next = h->free;
	h->free = op;
}

/* Nothing more of it is to be sent. */
static void op_gone(struct hcl *h, struct hcl_op *op)
{
	op->gone = true;
	if (h->sending == op)
		h->sending = op_unsent(op->next);
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
	h->failure = *res;
	if (!op || !op->wanted)
		h->late = true;
	if (op && !op->gone)
		op_gone(h, op);
	else if (op && !op->wanted)
		hcli_op_release(h, op);
}

/* ---------------------------------------------------------------- sockets */

static uint8_t collective(const struct hcl_params *p)
{
	return p->collective ? p->collective : HYPERCUBE_REDUCE;
}

static void cmsg_op(struct msghdr *msg, const struct hcl_op *op)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	struct hypercube_op hop = {
		.plan = op->p.plan,
		.collective = collective(&op->p),
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

/* Send of the first unsent operation what the kernel takes.
 * Return: 1, 0 if it takes nothing now, -ENOBUFS if the caller must receive
 * first, or another -errno.
 */
static int send_some(struct hcl *h, int flags)
{
	union {
		char buf[CMSG_SPACE(sizeof(struct hypercube_op))];
		struct cmsghdr align;
	} control;
	struct hcl_op *op = h->sending;
	struct iovec iov = {
		.iov_base = (char *)op->in + op->sent,
		.iov_len = op->bytes - op->sent,
	};
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (!op->begun) {
		memset(&control, 0, sizeof(control));
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control.buf);
		cmsg_op(&msg, op);
	}
	do {
		n = sendmsg(h->fd, &msg, flags | MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n < 0 && errno == ECONNABORTED && op->begun) {
		op_aborted(h, op);
		return 1;
	}
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	op->begun = true;
	op->sent += n;
	if (op->sent == op->bytes) {
		h->unheard++;
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

/* The operation whose result will probably come next. */
static struct hcl_op *op_guess(const struct hcl *h)
{
	struct hcl_op *op;

	for (op = h->head; op; op = op->next)
		if (op->out && !op->done)
			return op->got < op->out_max ? op : NULL;
	return NULL;
}

/* A piece of a result has come to @buf. */
static void piece(struct hcl *h, const struct hypercube_result *res, const char *buf,
		  size_t n, bool last)
{
	struct hcl_op *op = hcli_is_message(res) ? hcli_listener(h, res) :
						   op_find(h, res->cookie);

	if (op && op->out && op->got < op->out_max && buf != op->out + op->got) {
		size_t room = op->out_max - op->got;

		memmove(op->out + op->got, buf, n < room ? n : room);
	}
	if (op)
		op->got += n;
	if (!last)
		return;
	if (op && op->awaited && !op->done) {
		op->done = true;
		op->res = *res;
	}
	if (res->status)
		op_failed(h, op, res);
}

/* Receive one piece.  Return: 1, 0 if there is none, or -errno. */
static int recv_some(struct hcl *h, int flags)
{
	union {
		char buf[CMSG_SPACE(sizeof(struct hypercube_result)) + 64];
		struct cmsghdr align;
	} control;
	struct hypercube_result res;
	const struct hypercube_result *found;
	struct hcl_op *guess = op_guess(h);
	char scratch[SCRATCH];
	struct iovec iov = {
		.iov_base = guess ? guess->out + guess->got : scratch,
		.iov_len = guess ? guess->out_max - guess->got : sizeof(scratch),
	};
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control.buf),
	};
	ssize_t n;

	do {
		n = recvmsg(h->fd, &msg, flags);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	h->unheard = 0;
	found = cmsg_result(&msg);
	if (!found)
		return -ENODEV;
	memcpy(&res, found, sizeof(res));
	piece(h, &res, iov.iov_base, n, msg.msg_flags & MSG_EOR);
	return 1;
}

/* As send_some(), but a refusal to begin is the operation's end, not the socket's. */
static int send_on(struct hcl *h, int flags)
{
	struct hcl_op *op = h->sending;
	bool begun = op->begun;
	int r = send_some(h, flags);
	struct hypercube_result res = {
		.status = r,
		.plan = op->p.plan,
		.cookie = op->id,
		.cause_node = UINT32_MAX,
		.cause_dim = UINT32_MAX,
		.collective = collective(&op->p),
	};

	if (r == -ENOBUFS) {
		/* With nothing to receive it means that a record was lost. */
		r = recv_some(h, MSG_DONTWAIT);
		return r ? r : -ENOBUFS;
	}
	if (r >= 0 || begun)
		return r;
	piece(h, &res, "", 0, true);
	return 1;
}

int hcli_move(struct hcl *h)
{
	int moved = 0;
	int r;

	if (h->sending) {
		moved = send_on(h, MSG_DONTWAIT);
		if (moved < 0)
			return moved;
	}
	r = recv_some(h, MSG_DONTWAIT);
	return r < 0 ? r : moved | r;
}

/* Move something, or wait until that is possible.  Sending does not wait while
 * there are results to receive and no room for more of them.
 * Return: 0 or -errno.
 */
static int move_wait(struct hcl *h)
{
	int r = h->sending ? send_on(h, 0) : recv_some(h, 0);

	if (r < 0)
		return r;
	return r ? 0 : -ETIMEDOUT;
}

/* ---------------------------------------------------------------- the calls */

static int params_check(const struct hcl_params *p, const void *in, size_t bytes)
{
	int elem = hcl_elem_size(p->oper, p->type, p->width);

	if (p->collective == HYPERCUBE_BARRIER)
		return bytes ? -EINVAL : 0;
	if (p->collective == HYPERCUBE_BCAST || p->collective == HYPERCUBE_GATHER ||
	    p->collective == HYPERCUBE_SCATTER)
		return bytes && !in ? -EINVAL : 0;
	if (collective(p) != HYPERCUBE_REDUCE && p->collective != HYPERCUBE_ALLREDUCE)
		return -EINVAL;
	return elem < 0 || bytes % elem || (bytes && !in) ? -EINVAL : 0;
}

/* Has an operation failed for which nobody waits? */
static int late(struct hcl *h)
{
	int r;

	while (h->unheard >= HEAR_EVERY) {
		r = recv_some(h, MSG_DONTWAIT);
		if (r < 0)
			return r;
		if (!r)
			h->unheard = 0;
	}
	if (!h->late)
		return 0;
	h->late = false;
	return h->failure.status;
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

int hcl_post(struct hcl *h, const struct hcl_params *p, const void *in,
	     size_t bytes, void *out, size_t out_max, uint64_t *id)
{
	int err = h->dead ? -ESHUTDOWN : params_check(p, in, bytes);
	struct hcl_op *op;

	if (!err)
		err = late(h);
	if (err)
		return err;
	op = hcli_op_new(h);
	if (!op)
		return -ENOMEM;
	op->id = h->next_id;
	op->p = *p;
	op->in = in;
	op->bytes = bytes;
	op->out = out;
	op->out_max = out_max;
	op->wanted = out || p->flags & HYPERCUBE_F_NOTIFY ||
		     p->collective == HYPERCUBE_ALLREDUCE ||
		     p->collective == HYPERCUBE_BARRIER || p->collective == HYPERCUBE_SCATTER;
	op->awaited = op->wanted;
	if (hcli_listens(op))
		hcli_listen(h, op);
	op_link(h, op);
	if (h->sending == op) {
		err = send_some(h, MSG_DONTWAIT);
		if (err < 0 && err != -ENOBUFS) {
			hcli_op_release(h, op);
			return err;
		}
	}
	if (id)
		*id = h->next_id;
	h->next_id++;
	return 0;
}

int hcli_poll(const struct hcl *h, int ms)
{
	struct pollfd p = { .fd = h->fd, .events = hcl_events(h) };
	int r;

	do {
		r = poll(&p, 1, ms);
	} while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r;
}

int hcl_progress(struct hcl *h, int ms)
{
	int r;

	if (h->dead)
		return -ESHUTDOWN;
	r = hcli_move(h);
	if (r || !ms)
		return r;
	r = hcli_poll(h, ms);
	return r > 0 ? hcli_move(h) : r;
}

short hcl_events(const struct hcl *h)
{
	return h->sending ? POLLIN | POLLOUT : POLLIN;
}

int hcl_done(const struct hcl *h, uint64_t id)
{
	const struct hcl_op *op = op_find(h, id);

	return !op || op->done;
}

/* How an operation of which the list knows nothing more ended. */
static int wait_forgotten(struct hcl *h, uint64_t id, struct hypercube_result *res)
{
	if (id >= h->next_id)
		return -EINVAL;
	if (!h->late || h->failure.cookie != id)
		return 0;
	h->late = false;
	if (res)
		*res = h->failure;
	return h->failure.status;
}

int hcl_wait(struct hcl *h, uint64_t id, struct hypercube_result *res)
{
	struct hcl_op *op;
	int err;

	if (res)
		memset(res, 0, sizeof(*res));
	if (h->dead)
		return -ESHUTDOWN;
	for (;;) {
		op = op_find(h, id);
		if (!op)
			return wait_forgotten(h, id, res);
		if (op->done)
			break;
		err = hcli_listens(op) ? hcli_listen_wait(h, op) : move_wait(h);
		if (err)
			return err;
	}
	err = op->res.status;
	if (!err && op->got > op->out_max)
		err = -EMSGSIZE;
	if (res)
		*res = op->res;
	hcli_op_release(h, op);
	return err;
}

int hcl_reduce(struct hcl *h, const struct hcl_params *p, const void *in,
	       size_t bytes, void *out, size_t out_max,
	       struct hypercube_result *res)
{
	struct hcl_op *op;
	uint64_t id;
	int err;

	if (res)
		memset(res, 0, sizeof(*res));
	err = hcl_post(h, p, in, bytes, out, out_max, &id);
	if (err)
		return err;
	err = hcl_wait(h, id, res);
	/* The caller's buffers go away now. */
	op = op_find(h, id);
	if (op && hcli_listens(op) && !op->got)
		hcli_op_release(h, op);
	else if (op)
		h->dead = true;
	return err;
}

int hcl_allreduce(struct hcl *h, const struct hcl_params *p, const void *in,
		  size_t bytes, void *out, size_t out_max,
		  struct hypercube_result *res)
{
	struct hcl_params all = *p;

	all.collective = HYPERCUBE_ALLREDUCE;
	all.flags = 0;
	return hcl_reduce(h, &all, in, bytes, out, out_max, res);
}

int hcl_barrier(struct hcl *h, uint32_t plan, struct hypercube_result *res)
{
	const struct hcl_params p = { .plan = plan, .collective = HYPERCUBE_BARRIER };

	return hcl_reduce(h, &p, NULL, 0, NULL, 0, res);
}

int hcl_gather(struct hcl *h, uint32_t plan, const void *in, size_t bytes, void *out,
	       size_t out_max, struct hypercube_result *res)
{
	const struct hcl_params p = { .plan = plan, .collective = HYPERCUBE_GATHER };

	return hcl_reduce(h, &p, in, bytes, out, out_max, res);
}

int hcl_scatter(struct hcl *h, uint32_t plan, const void *in, size_t bytes, void *out,
		size_t out_max, struct hypercube_result *res)
{
	const struct hcl_params p = { .plan = plan, .collective = HYPERCUBE_SCATTER };

	return hcl_reduce(h, &p, in, bytes, out, out_max, res);
}

int hcl_flush(struct hcl *h)
{
	int err;

	if (h->dead)
		return -ESHUTDOWN;
	while (h->sending) {
		err = move_wait(h);
		if (err)
			return err;
	}
	h->unheard = HEAR_EVERY;
	return late(h);
}

const struct hypercube_result *hcl_failure(const struct hcl *h)
{
	return &h->failure;
}
