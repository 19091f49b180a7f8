// SPDX-License-Identifier: GPL-2.0
/*
 * Sending and receiving the data of operations at the sockets. The kernel takes contributions one
 * after another, so at each socket at most one contribution (hcl_port.sending) is only partly sent.
 * Result records arrive in any order, with the operation's number as cookie.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "handle.h"

#define SCRATCH		4096

/* Record that the kernel takes no more data of @op, because the operation has failed. Its result
 * record has arrived, or is about to arrive.
 */
static void op_aborted(struct hcl *h, struct hcl_op *op)
{
	op->awaited = true;
	hcli_op_gone(h, op);
}

/* Mark the operations of the plan that are not sent yet as stale: the program posted them before it
 * knew of the failure.
 */
static void others_ahead(struct hcl *h, uint32_t plan)
{
	struct hcl_op *op;

	for (op = h->head; op; op = op->next)
		op->ahead |= op->p.plan == plan && !op->begun;
}

/* Record that @op has failed. If @lacks, all members have its result, but contributions are missing
 * in it, so the operations that were posted after it are not stale.
 */
static void op_failed(struct hcl *h, struct hcl_op *op, const struct hypercube_result *res,
		      bool lacks)
{
	hcli_failed_as(h, res);
	if (!lacks) {
		hcli_unreported(h, res->plan);
		others_ahead(h, res->plan);
	}
	if (!op || !op->wanted)
		hcli_late(h);
	if (op && !op->gone)
		hcli_op_gone(h, op);
	else if (op && !op->wanted)
		hcli_op_release(h, op);
}

/* Add the control message of @msg, in the memory at @control. */
static void cmsg_add(struct msghdr *msg, struct cmsghdr *control, int type, const void *data,
		     size_t len)
{
	control->cmsg_level = SOL_HYPERCUBE;
	control->cmsg_type = type;
	control->cmsg_len = CMSG_LEN(len);
	memcpy(CMSG_DATA(control), data, len);
	msg->msg_control = control;
	msg->msg_controllen = CMSG_LEN(len);
}

/* Add the control message that describes @op, in its short form if the values fit that. */
static void cmsg_op(struct msghdr *msg, struct cmsghdr *control, const struct hcl_op *op)
{
	const struct hypercube_op whole = {
		.plan = op->p.plan,
		.collective = hcli_collective(&op->p),
		.oper = op->p.oper,
		.type = op->p.type,
		.flags = op->p.flags | (op->ahead ? HYPERCUBE_F_STALE : 0),
		.width = op->p.width,
		.bytes = op->bytes,
		.cookie = op->id,
	};
	const struct hypercube_op_short few = {
		.plan = whole.plan, .collective = whole.collective, .oper = whole.oper,
		.type = whole.type, .flags = whole.flags, .bytes = whole.bytes,
		.cookie = whole.cookie,
	};

	if (whole.width || few.bytes != whole.bytes || few.cookie != whole.cookie)
		cmsg_add(msg, control, HYPERCUBE_CMSG_OP, &whole, sizeof(whole));
	else
		cmsg_add(msg, control, HYPERCUBE_CMSG_OP_SHORT, &few, sizeof(few));
}

/* Return: how many of @bytes bytes one call can send or receive. */
static size_t in_call(size_t bytes)
{
	return bytes < HYPERCUBE_WHOLE_MAX ? bytes : HYPERCUBE_WHOLE_MAX;
}

/* Return: true if each call must pass the whole contribution to the kernel, because the kernel
 * takes pieces from several blocks of it in turn.
 */
static bool whole(const struct hcl_op *op)
{
	return hc_coll_desc(hcli_collective(&op->p))->parts;
}

int hcli_port_send(struct hcl *h, struct hcl_port *port, int flags)
{
	union {
		char buf[CMSG_SPACE(sizeof(struct hypercube_op))];
		struct cmsghdr align;
	} control;
	struct hcl_op *op = port->sending;
	const size_t from = whole(op) ? 0 : op->sent;
	struct iovec iov = {
		.iov_base = (char *)op->in + from, .iov_len = in_call(op->bytes - from),
	};
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (!op->begun)
		cmsg_op(&msg, &control.align, op);
	n = sendmsg(port->fd, &msg, flags | MSG_NOSIGNAL);
	if (n < 0 && errno == ECONNABORTED && op->begun) {
		op_aborted(h, op);
		return 1;
	}
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (!op->begun)
		op->place = port->begun++;
	op->begun = true;
	port->used = true;
	op->sent += n;
	if (op->sent == op->bytes) {
		port->sent_since++;
		hcli_op_gone(h, op);
	}
	return 1;
}

/* Return: the control message of type @type with at least @least bytes of data, or NULL. */
static const struct cmsghdr *cmsg_find(struct msghdr *msg, int type, size_t least)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c))
		if (c->cmsg_level == SOL_HYPERCUBE && c->cmsg_type == type &&
		    c->cmsg_len >= CMSG_LEN(least))
			return c;
	return NULL;
}

/* Return: true if the pieces of the result arrive in any order, each at its own offset. */
static bool placed(const struct hcl_op *op)
{
	return hc_coll_placed(hc_coll_desc(hcli_collective(&op->p)));
}

/* Return: the operation whose result will probably arrive next, or NULL. An operation whose pieces
 * arrive in any order shares a socket only with other operations of this kind, and these run one
 * after another.
 */
static struct hcl_op *op_guess(const struct hcl *h, const struct hcl_port *port)
{
	struct hcl_op *op;

	for (op = port->posted ? h->head : NULL; op; op = op->next)
		if (op->port == port && (op->out || placed(op)) && !op->done)
			return op->out && op->got < op->out_max ? op : NULL;
	return NULL;
}

/* Maximum size of a node set in bytes. */
#define SET_MAX	((1 << HYPERCUBE_DIM_MAX) / 8)

/* What one recvmsg() has received: @n bytes. @last: the record ends with them. @cut: the data was
 * truncated, because there was no room for more. @missing: the control message with the two sets of
 * a result that lacks blocks, or NULL.
 */
struct got {
	struct hypercube_result res;
	size_t n;
	bool last;
	bool cut;
	const struct cmsghdr *missing;
	union {
		char buf[CMSG_SPACE(sizeof(struct hypercube_result)) + CMSG_SPACE(2 * SET_MAX)];
		struct cmsghdr align;
	} control;
};

/* Process a piece of a result that was received into @buf. With the last piece, the operation ends.
 */
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
		if (got->missing)
			hcli_lacks_take(op, CMSG_DATA(got->missing),
					got->missing->cmsg_len - CMSG_LEN(0));
		if (op->torn && !res->status)
			op->res.status = -ENOMEM;
		else if (op->cut)
			op->got = res->bytes > op->out_max ? res->bytes : op->out_max + 1;
		else if (op->got != res->bytes && !res->status)
			op->res.status = -EIO;
		if (op->res.status != res->status)
			hcli_failed_as(h, &op->res);
	}
	if (res->status)
		op_failed(h, op, res, got->missing);
}

/* Receive the next piece from a socket into @iov. Return: 1, 0 if there is none, or -errno. */
static int recv_piece(struct hcl_port *port, int flags, struct iovec *iov, struct got *got)
{
	struct msghdr msg = {
		.msg_iov = iov, .msg_iovlen = 1,
		.msg_control = &got->control, .msg_controllen = sizeof(got->control.buf),
	};
	const struct cmsghdr *found;
	ssize_t n;

	n = recvmsg(port->fd, &msg, flags);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	port->sent_since = 0;
	found = cmsg_find(&msg, HYPERCUBE_CMSG_RESULT, sizeof(got->res));
	if (!found)
		return -ENODEV;
	memcpy(&got->res, CMSG_DATA(found), sizeof(got->res));
	got->missing = cmsg_find(&msg, HYPERCUBE_CMSG_MISSING, 1);
	got->n = n;
	got->last = msg.msg_flags & MSG_EOR;
	got->cut = msg.msg_flags & MSG_TRUNC;
	return 1;
}

/* Return: true if broadcast messages of other plans may arrive between the pieces of a result that
 * arrive in any order. That is possible if the socket is not connected to a plan. Then the caller
 * must find the operation of the next piece before it receives the piece.
 */
static bool mixed(const struct hcl *h, const struct hcl_port *port)
{
	const struct hcl_op *op = port->plan || h->tied ? NULL : h->head;

	while (op && (op->port != port || !placed(op) || op->done))
		op = op->next;
	return op;
}

int hcli_port_recv(struct hcl *h, struct hcl_port *port, int flags)
{
	struct hcl_op *op = op_guess(h, port);
	char scratch[SCRATCH];
	struct iovec iov = { .iov_base = scratch };
	struct got got;
	int r;

	if (mixed(h, port)) {
		/* Read without room for data, so that the piece stays in the socket. Such a read
		 * consumes only the end of a record without data.
		 */
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

		iov = (struct iovec){
			.iov_base = op->out + at, .iov_len = in_call(op->out_max - at),
		};
	} else {
		iov.iov_len = sizeof(scratch);
	}
	r = recv_piece(port, flags, &iov, &got);
	if (r > 0)
		piece(h, &got, iov.iov_base);
	return r;
}

/* End an operation that the kernel did not accept, as if a record with error @err had arrived. */
static void refused(struct hcl *h, const struct hcl_op *op, int err)
{
	const struct got refusal = {
		.res = {
			.status = err,
			.plan = op->p.plan,
			.cookie = op->id,
			.cause_node = UINT32_MAX,
			.cause_dim = UINT32_MAX,
			.collective = hcli_collective(&op->p),
		},
		.last = true,
	};

	piece(h, &refusal, "");
}

/* Send as hcli_port_send() does. But if the kernel refuses the first part of an operation, end the
 * operation, and do not report that as an error of the socket.
 */
static int send_on(struct hcl *h, struct hcl_port *port, int flags)
{
	struct hcl_op *op = port->sending;
	bool begun = op->begun;
	int r = hcli_port_send(h, port, flags);

	if (r == -ENOBUFS) {
		/* If there is nothing to receive, -ENOBUFS means that a record was lost. */
		r = hcli_port_recv(h, port, MSG_DONTWAIT);
		return r ? r : -ENOBUFS;
	}
	if (r >= 0 || begun)
		return r;
	refused(h, op, r);
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
	r = hcli_port_recv(h, port, MSG_DONTWAIT);
	return r < 0 ? r : moved | r;
}

int hcli_port_drain(struct hcl *h, struct hcl_port *port)
{
	int r;

	do {
		r = hcli_port_recv(h, port, MSG_DONTWAIT);
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

/* Wait at a socket until data can be sent or received. If results are queued and there is no room
 * for more, the kernel refuses to send instead of blocking.
 */
static int port_wait(struct hcl *h, struct hcl_port *port)
{
	return port->sending ? send_on(h, port, 0) : hcli_port_recv(h, port, 0);
}

/* Return: the only socket with operations under way, or NULL. */
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

int hcli_move_wait(struct hcl *h, struct hcl_port *port)
{
	const uint64_t end = hcli_end(h);
	struct hcl_port *only = hcli_many(h) ? port_only(h) : port;
	int r = only ? port_wait(h, only) : hcli_move(h);

	if (r)
		return r < 0 ? r : 0;
	/* Nothing was sent or received: the socket's time limit has passed, a signal has arrived,
	 * or the socket is non-blocking.
	 */
	r = hcli_poll_until(h, end);
	if (!r)
		return -ETIMEDOUT;
	r = r < 0 ? r : hcli_move(h);
	return r < 0 ? r : 0;
}
