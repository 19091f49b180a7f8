// SPDX-License-Identifier: GPL-2.0
/*
 * Posted operations, a list in the order of the calls; and the calls that post operations and wait
 * for them.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "handle.h"

/* Maximum number of operations that are sent before the socket is checked for records of failures.
 */
#define RECEIVE_EVERY	16

/* Return: the first operation in the list, from @op on, that has something to send at socket @port.
 */
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
	hcli_lacks_keep(h, op);
	op->next = h->free;
	h->free = op;
}

void hcli_op_gone(struct hcl *h, struct hcl_op *op)
{
	op->gone = true;
	if (op->port->sending == op)
		op->port->sending = op_unsent(op->next, op->port);
	if (!op->awaited)
		hcli_op_release(h, op);
}

uint8_t hcli_collective(const struct hcl_params *p)
{
	return p->collective ? p->collective : HYPERCUBE_REDUCE;
}

/* Refuse an invalid combination of operator, type and width, and explain why. */
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

int hcli_apart(struct hcl *h, const struct hcl_params *p, const void *in, size_t bytes,
	       const void *out, size_t room)
{
	const uintptr_t a = (uintptr_t)in, b = (uintptr_t)out;

	if (!in || !out || (a < b ? b - a >= bytes : a - b >= room) || !bytes || !room)
		return 0;
	return hcli_refuse(h, p, -EINVAL,
			   "the contribution overlaps the room for the result: they are to be apart");
}

int hcli_whole(struct hcl *h, const struct hcl_params *p, size_t blocks, size_t bytes)
{
	size_t all;

	if (!__builtin_mul_overflow(blocks, bytes, &all) && all <= HYPERCUBE_WHOLE_MAX)
		return 0;
	return hcli_refuse(h, p, -EMSGSIZE,
			   "%s: the blocks have more than %u bytes in all, the most in one call",
			   hc_coll_desc(hcli_collective(p))->name, HYPERCUBE_WHOLE_MAX);
}

static int params_check(struct hcl *h, const struct hcl_params *p, const void *in, size_t bytes)
{
	const struct hc_coll_desc *t = hc_coll_desc(hcli_collective(p));
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
	return t->parts || hc_coll_shares(t) ? hcli_whole(h, p, 1, bytes) : 0;
}

/* Check the sockets for failures, and report the failure of an operation that no call waits for.
 * Return: 0 if there is none, the error of that operation, or an error of the socket.
 */
static int late(struct hcl *h)
{
	struct hcl_port *port;
	int r;

	for (port = &h->port; port; port = port->next)
		while (port->sent_since >= RECEIVE_EVERY) {
			r = hcli_port_recv(h, port, MSG_DONTWAIT);
			if (r < 0)
				return hcli_failed(h, NULL, 0, r);
			if (!r)
				port->sent_since = 0;
		}
	return h->late ? hcli_late_tell(h) : 0;
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

/* Choose the socket of @op, and send as much as the kernel takes at once. Return: 0 or -errno. */
static int op_begin(struct hcl *h, struct hcl_op *op)
{
	struct hcl_port *port;
	int err = hcli_port_get(h, &op->p, hcli_listens(op), &port);

	if (err)
		return err;
	op->port = port;
	op->ahead = hcli_is_unreported(h, op->p.plan);
	if (hcli_listens(op)) {
		h->moved = hcli_now();
		hcli_listen(h, op);
	}
	op_link(h, op);
	if (op->port->sending != op)
		return 0;
	err = hcli_port_send(h, op->port, MSG_DONTWAIT);
	return err < 0 && err != -ENOBUFS ? err : 0;
}

/* Handle that the kernel has refused @op with error @err: release @op. */
static void op_refused(struct hcl *h, struct hcl_op *op, int err)
{
	struct hcl_port *port = op->port;

	hcli_failed(h, &op->p, op->id, err);
	/* Only the kernel knows how many blocks the result has, so explain the limit here. */
	if (err == -EMSGSIZE && hc_coll_shares(hc_coll_desc(hcli_collective(&op->p))))
		hcli_whole(h, &op->p, 1, op->out_max);
	if (!port) {
		op->next = h->free;
		h->free = op;
		return;
	}
	hcli_op_release(h, op);
	hcli_port_refused(h, port);
}

/* Report a failure of the plan that no call has reported yet. An operation may be posted to a plan
 * only after the caller knows of all failures of the plan. Return: 0 if there is no such failure,
 * otherwise its error.
 */
static int tell_first(struct hcl *h, struct hcl_port *port, const struct hcl_params *p)
{
	int err = hcli_port_drain(h, port);

	if (err < 0)
		return hcli_failed(h, p, 0, err);
	if (h->late)
		return hcli_late_tell(h);
	if (!hcli_is_unreported(h, p->plan))
		return 0;
	hcli_reported(h, p->plan);
	return hcli_failed(h, p, 0, -ECANCELED);
}

int hcli_tell_first(struct hcl *h, const struct hcl_params *p)
{
	struct hcl_port *port;
	int err = hcli_port_get(h, p, false, &port);

	return err ? hcli_failed(h, p, 0, err) : tell_first(h, port, p);
}

/* Handle that the kernel refuses @op because the socket holds a record of a failure that was not
 * read. So keep the socket open, read the record, and report the failure. Return: the error.
 */
static int op_ahead(struct hcl *h, struct hcl_op *op)
{
	const struct hcl_params p = op->p;
	struct hcl_port *port = op->port;

	port->used = true;
	op_refused(h, op, -ECANCELED);
	return tell_first(h, port, &p) ?: hcli_failed(h, &p, 0, -ECANCELED);
}

int hcl_post(struct hcl *h, const struct hcl_params *p, const void *in,
	     size_t bytes, void *out, size_t out_max, uint64_t *id)
{
	int err = h->dead ? hcli_failed(h, p, 0, -ESHUTDOWN) : hcli_is(h, SOCK_SEQPACKET);
	struct hcl_op *op;

	err = err ?: params_check(h, p, in, bytes);
	err = err ?: hcli_apart(h, p, in, bytes, out, out_max);
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
	op->wanted = out || p->flags & HYPERCUBE_F_NOTIFY ||
		     hc_coll_desc(hcli_collective(p))->notified ||
		     hc_coll_shares(hc_coll_desc(hcli_collective(p)));
	op->awaited = op->wanted;
	err = op_begin(h, op);
	if (err == -ECANCELED && op->port)
		return op_ahead(h, op);
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

/* Wait for up to @ms milliseconds, but no longer than until the next check whether broadcast
 * messages can still arrive. Return: 1 if data was sent or received or an operation has ended, 0 if
 * not, or -errno.
 */
static int poll_cautious(struct hcl *h, int ms)
{
	int stale = hcli_set_stale(h);
	int r;

	if (stale >= 0 && (ms < 0 || stale < ms))
		ms = stale;
	r = hcli_poll(h, ms);
	if (!r && stale >= 0 && !hcli_set_stale(h))
		return hcli_stale_check(h);
	return r > 0 ? hcli_move(h) : r;
}

int hcl_progress(struct hcl *h, int ms)
{
	uint64_t end = ms > 0 ? hcli_now() + ms : 0;
	int r;

	if (h->dead)
		return hcli_failed(h, NULL, 0, -ESHUTDOWN);
	r = hcli_is(h, SOCK_SEQPACKET);
	if (r)
		return r;
	r = hcli_move(h);
	if (!r && !hcli_set_stale(h))
		r = hcli_stale_check(h);
	while (!r && ms) {
		r = poll_cautious(h, ms);
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

int hcl_test(const struct hcl *h, uint64_t id)
{
	const struct hcl_op *op = hcli_op_find(h, id);

	return !op || op->done;
}

/* Report how an operation that is no longer in the list ended. Return: 0 or its error; -EINVAL if
 * it never existed.
 */
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
		err = hcli_listens(op) ? hcli_listen_wait(h, op) : hcli_move_wait(h, op->port);
		if (!err)
			continue;
		hcli_stuck(h, op, err);
		if (res)
			*res = h->why.res;
		return err;
	}
	err = op->res.status;
	if (err)
		hcli_reported(h, op->p.plan);
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
	/* The caller may free its buffers now, so no operation may use them any more. */
	op = hcli_op_find(h, id);
	if (op && hcli_listens(op) && !op->got)
		hcli_op_release(h, op);
	else if (op)
		h->dead = true;
	return err;
}

/* Return: the first socket with an operation that is not sent completely, or NULL. */
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
	err = hcli_is(h, SOCK_SEQPACKET);
	if (err)
		return err;
	while ((port = port_sending(h))) {
		const uint64_t id = port->sending->id;
		const struct hcl_params p = port->sending->p;

		err = hcli_move_wait(h, port);
		if (!err)
			continue;
		return port->sending ? hcli_stuck(h, port->sending, err) :
				       hcli_failed(h, &p, id, err);
	}
	for (port = &h->port; port; port = port->next)
		port->sent_since = RECEIVE_EVERY;
	err = late(h);
	hcli_watch(h);
	return err;
}
