// SPDX-License-Identifier: GPL-2.0
/*
 * The receiving side of broadcasts. The kernel delivers each message, with cookie 0, to every
 * member of a plan except its source, whether a call waits for the message or not. The messages of
 * a plan arrive one after another. The oldest operation that listens to the plan takes the next
 * message. If no operation listens, the message is stored until one does.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "handle.h"

/* Store a message for which no operation listens yet: as an operation in the list h->early. Return:
 * NULL if there is no memory, which is recorded as a failure.
 */
static struct hcl_op *early_new(struct hcl *h, const struct hypercube_result *res)
{
	struct hcl_op **p = &h->early;
	struct hcl_op *op = hcli_op_new(h);

	if (!op) {
		hcli_failed_as(h, res);
		h->why.res.status = -ENOMEM;
		hcli_late(h);
		return NULL;
	}
	op->p.plan = res->plan;
	op->p.collective = HYPERCUBE_BCAST;
	op->gone = true;
	op->wanted = true;
	op->awaited = true;
	op->out = malloc(res->bytes ? res->bytes : 1);
	if (op->out)
		op->out_max = res->bytes;
	while (*p)
		p = &(*p)->next;
	*p = op;
	op->next = NULL;
	return op;
}

struct hcl_op *hcli_listener(struct hcl *h, const struct hypercube_result *res)
{
	struct hcl_op *op;

	for (op = h->early; op; op = op->next)
		if (op->p.plan == res->plan && !op->done)
			return op;
	for (op = h->head; op; op = op->next)
		if (hcli_listens(op) && op->p.plan == res->plan && !op->done)
			return op;
	return early_new(h, res);
}

void hcli_listen(struct hcl *h, struct hcl_op *op)
{
	struct hcl_op **p = &h->early, *early;

	op->gone = true;
	while (*p && (*p)->p.plan != op->p.plan)
		p = &(*p)->next;
	early = *p;
	if (!early)
		return;
	*p = early->next;
	op->got = early->got;
	op->done = early->done;
	op->res = early->res;
	op->torn = !early->out && early->got;
	if (op->torn && op->done && !op->res.status) {
		op->res.status = -ENOMEM;
		hcli_failed_as(h, &op->res);
	} else if (early->out) {
		memcpy(op->out, early->out, op->got < op->out_max ? op->got : op->out_max);
	}
	free(early->out);
	early->next = h->free;
	h->free = early;
}

/* Check whether a message of the plan can still arrive. To find out, try to send a broadcast. The
 * kernel refuses that with -EPERM to a member that is not the source; if it refuses for another
 * reason, no message can arrive. The call passes more data than it announces, so the kernel refuses
 * it to the source as well. Return: 0 if a message can arrive, otherwise -errno.
 */
static int plan_error(const struct hcl_port *port, uint32_t plan)
{
	union {
		char buf[CMSG_SPACE(sizeof(struct hypercube_op))];
		struct cmsghdr align;
	} control = { .buf = "" };
	struct hypercube_op op = { .plan = plan, .collective = HYPERCUBE_BCAST };
	struct iovec iov = { .iov_base = "", .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control.buf),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_HYPERCUBE;
	c->cmsg_type = HYPERCUBE_CMSG_OP;
	c->cmsg_len = CMSG_LEN(sizeof(op));
	memcpy(CMSG_DATA(c), &op, sizeof(op));
	sendmsg(port->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	switch (errno) {
	case EPERM:
	case EINTR:
	case EAGAIN:
	case EBUSY:	/* only a part of a contribution to another operation was sent */
		return 0;
	case EMSGSIZE:
		return -EINVAL;
	}
	return -errno;
}

uint64_t hcli_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

/* Return: the oldest operation that waits for a message, or NULL. */
static struct hcl_op *listener(const struct hcl *h)
{
	struct hcl_op *op = h->head;

	while (op && (!hcli_listens(op) || op->done))
		op = op->next;
	return op;
}

int hcli_set_stale(const struct hcl *h)
{
	uint64_t now;

	if (!listener(h))
		return -1;
	now = hcli_now();
	return now >= h->moved + STALE_MS ? 0 : (int)(h->moved + STALE_MS - now);
}

/* End @op with error @err, because no message can arrive for it. Return: 1. */
static int listen_end(struct hcl *h, struct hcl_op *op, int err)
{
	op->done = true;
	hcli_failed(h, &op->p, op->id, err);
	op->res = h->why.res;
	return 1;
}

int hcli_stale_check(struct hcl *h)
{
	struct hcl_op *op;
	int ended = 0, r;

	h->moved = hcli_now();
	for (op = h->head; op; op = op->next) {
		int err = hcli_listens(op) && !op->done ? plan_error(op->port, op->p.plan) : 0;

		if (!err)
			continue;
		/* If a record reports why the plan has ended, it is queued at the socket by now:
		 * receive it.
		 */
		r = hcli_move(h);
		if (r)
			return r;
		ended = listen_end(h, op, err);
	}
	return ended;
}

/* Wait for the message of @op. When no data has been received for STALE_MS, check whether a message
 * of the plan can still arrive. A time limit shorter than STALE_MS ends the wait first.
 */
int hcli_listen_wait(struct hcl *h, struct hcl_op *op)
{
	const uint64_t end = hcli_end(h);
	uint64_t stale = hcli_now() + STALE_MS;
	/* One recvmsg() that sleeps costs less than a non-blocking one, a poll(), and another
	 * recvmsg().
	 */
	const bool sleeps = !hcli_many(h) && !op->port->sending;
	int r, err;

	if (sleeps && !op->port->listens) {
		op->port->listens = true;
		hcli_timeout_set(h, op->port);
	}
	for (;;) {
		r = sleeps ? hcli_port_recv(h, op->port, 0) : hcli_move(h);
		if (r)
			return r < 0 ? r : 0;
		r = hcli_poll_until(h, stale < end ? stale : end);
		if (r < 0)
			return r;
		if (r)
			continue;
		err = plan_error(op->port, op->p.plan);
		/* If a record reports why the plan has ended, it is queued at the socket by now:
		 * receive it.
		 */
		r = err ? hcli_move(h) : 0;
		if (r)
			return r < 0 ? r : 0;
		if (err) {
			listen_end(h, op, err);
			return 0;
		}
		if (hcli_now() >= end)
			return -ETIMEDOUT;
		stale = hcli_now() + STALE_MS;
	}
}

void hcli_early_free(struct hcl *h)
{
	struct hcl_op *op;

	while ((op = h->early)) {
		h->early = op->next;
		free(op->out);
		free(op);
	}
}

static int bcast(struct hcl *h, struct hcl_params *p, uint32_t source, void *buf, size_t bytes,
		 unsigned int flags, struct hypercube_result *res)
{
	char nothing;

	if (h->addr.shc_node != source)
		return hcli_call(h, p, NULL, 0, buf ? buf : &nothing, bytes, res);
	p->flags = flags;
	return hcli_call(h, p, buf, bytes, NULL, 0, res);
}

int hcl_bcast(struct hcl *h, uint32_t plan, uint32_t source, void *buf, size_t bytes,
	      unsigned int flags, struct hypercube_result *res)
{
	struct hcl_params p = { .plan = plan, .collective = HYPERCUBE_BCAST };

	if (res)
		memset(res, 0, sizeof(*res));
	if (flags & ~HYPERCUBE_F_NOTIFY)
		hcli_refuse(h, &p, -EINVAL, "a broadcast has no flags 0x%x", flags);
	else if (bytes && !buf)
		hcli_refuse(h, &p, -EINVAL, "there are %zu bytes, but no buffer", bytes);
	else
		return bcast(h, &p, source, buf, bytes, flags, res);
	if (res)
		*res = h->why.res;
	return -EINVAL;
}
