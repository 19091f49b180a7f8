// SPDX-License-Identifier: GPL-2.0
/*
 * The process of a node. It contributes in the order of the era (see soak.h), receives records, and
 * lets the checker check each of them. It sleeps only in rest(), where it waits for all events at
 * once.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "soak.h"

/* --- the ledger --- */

static void waits_add(struct member *m, int plan, int by)
{
	m->waits[plan] += (uint32_t)by;
	m->waiting += (uint32_t)by;
}

void entry_end(struct member *m, struct entry *e, enum fate fate)
{
	e->pending = false;
	atomic_fetch_sub(&m->me->pending[e->row], 1);
	if (!e->silent)
		waits_add(m, e->plan, -1);
	record_fate(m->w, m->node, e->row, fate);
}

/* Handle an error: the member makes no more contributions to the plan until the next era. Return:
 * true if an event explains the error.
 */
bool member_failed(struct member *m, int plan, int row, int error,
		   const struct hypercube_result *r)
{
	/* ECANCELED is explained by an earlier failure on the plan; its record may be lost if
	 * memory is short.
	 */
	bool done = error == ECANCELED ? m->reported[plan] || error_allowed(m->w, plan, ENOMEM) :
					 error_allowed(m->w, plan, error);
	bool fine = done && cause_true(m->w, m->node, error, r);

	if (error > 0 && error < 140)
		atomic_fetch_add(&m->w->errors[row][error], 1);
	if (!fine)
		complain(m->w,
			 "node %u plan %u%s operation %lld (%s): %s at %d:%d, for which nothing was done%s (allowed_errors %x)",
			 m->node, m->w->era.plan[plan].id,
			 m->w->era.plan[plan].detours ? " with detours" : "",
			 r ? (long long)r->op : -1, row_name(row),
			 strerrorname_np(error), r ? (int)r->cause_node : -1,
			 r ? (int)r->cause_dim : -1, done ? " there" : "",
			 atomic_load(&m->w->era.allowed_errors));
	m->dead[plan] = true;
	m->reported[plan] = true;
	atomic_fetch_or(&m->w->era.tainted, 1u << plan);
	return fine;
}

/* --- sockets --- */

static void member_bind(struct member *m)
{
	if (!ports_open(m)) {
		complain(m->w, "node %u: bind or connect: %s", m->node, strerrorname_np(errno));
		record_fate(m->w, m->node, HYPERCUBE_REDUCE, UNFOUNDED);
		return;
	}
	check_forget(m);
	atomic_store(&m->me->bound, 1);
}

static void member_close(struct member *m)
{
	ports_close(m);
	entries_abandon(m);
	m->gen = 0;
	m->last = atomic_load(&m->w->era.gen);
	m->s = 0;
	m->sending = false;
	atomic_store(&m->me->bound, 0);
}

/* --- contributions --- */

/* Record that the member has made progress on a plan. */
static void progress(struct member *m, int plan)
{
	atomic_store(&m->me->plan[plan].progress, m->now);
}

static struct entry *sending_entry(struct member *m)
{
	return &m->entry[(m->op.cookie & 0xfffff) - 1];
}

static ssize_t send_piece(struct member *m)
{
	char control[CMSG_SPACE(sizeof(m->op))] = {};
	size_t left = m->op.bytes - m->sent;
	struct iovec iov = { m->out + m->sent, left };
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (left > 1 && chance(&m->dice, 10))
		iov.iov_len = 1 + below(&m->dice, (uint32_t)left);
	if (!m->begun) {
		h.msg_control = control;
		h.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&h);
		c->cmsg_level = SOL_HYPERCUBE;
		c->cmsg_type = HYPERCUBE_CMSG_OP;
		c->cmsg_len = CMSG_LEN(sizeof(m->op));
		memcpy(CMSG_DATA(c), &m->op, sizeof(m->op));
	}
	if (!left)
		h.msg_iovlen = 0;
	return sendmsg(port_of(m, sending_entry(m)->plan), &h, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Handle the last piece of a contribution, which the kernel has accepted. */
static void sent_all(struct member *m)
{
	m->sending = false;
	sending_entry(m)->handed = true;
	atomic_fetch_add(&m->w->bytes, m->op.bytes);
}

static bool receive(struct member *m, int fd);

/* Handle the error of a sendmsg(). Return: true if the member can do something else at once. */
static bool send_refused(struct member *m, int error)
{
	struct entry *e = sending_entry(m);

	switch (error) {
	case EAGAIN:
	case EINTR:
	case ENOBUFS:
		m->full = true;
		return false;
	case ECANCELED:
		/* The kernel refuses contributions until this process has read the record of a
		 * failure: read all records.
		 */
		while (receive(m, port_of(m, e->plan)))
			;
		if (!m->sending)
			return true;
		break;
	case ENOMEM:
		m->full = true;
		if (error_allowed(m->w, e->plan, ENOMEM))
			return false;
		break;
	}
	m->sending = false;
	if (m->begun && error == ECONNABORTED)
		return true; /* the record of the failure, which follows, has the reason */
	if (m->begun && error_allowed(m->w, e->plan, error)) {
		m->dead[e->plan] = true;
		return true;
	}
	entry_end(m, e, member_failed(m, e->plan, e->row, error, NULL) ? REFUSED : UNFOUNDED);
	return true;
}

static bool send_on(struct member *m)
{
	struct entry *e = sending_entry(m);
	ssize_t n = send_piece(m);

	if (n < 0)
		return send_refused(m, errno);
	progress(m, e->plan);
	if (!m->begun && m->w->era.plan[e->plan].bcast)
		atomic_store(&m->me->plan[e->plan].begun, e->idx + 1);
	m->begun = true;
	m->sent += (uint64_t)n;
	if (m->sent >= m->op.bytes)
		sent_all(m);
	return true;
}

/* Return: true if this contribution requests no notification of its end. Only a member that gets no
 * result may do that.
 */
static bool is_silent(struct member *m, const struct spec *sp, const struct plan *p)
{
	if (sp->collective == HYPERCUBE_BCAST)
		return !chance(&m->dice, m->w->era.notify);
	if (sp->collective == HYPERCUBE_REDUCE || sp->collective == HYPERCUBE_GATHER)
		return m->node != p->root && !chance(&m->dice, m->w->era.notify);
	return false;
}

static void contribution_new(struct member *m, uint32_t s, int plan, uint32_t idx)
{
	const struct plan *p = &m->w->era.plan[plan];
	struct entry *e = &m->entry[s];
	bool silent, asks;
	struct spec sp;

	spec_make(m->w, plan, idx, &sp);
	silent = is_silent(m, &sp, p);
	asks = sp.collective == HYPERCUBE_BCAST || sp.collective == HYPERCUBE_REDUCE ||
	       sp.collective == HYPERCUBE_GATHER;
	*e = (struct entry){
		.idx = idx,
		.plan = (uint8_t)plan,
		.pending = true,
		.silent = silent,
		.row = sp.row,
	};
	m->op = (struct hypercube_op){
		.plan = p->id,
		.collective = sp.collective,
		.oper = sp.oper,
		.type = sp.type,
		.width = sp.width,
		.bytes = give_bytes(&sp, p, m->node),
		.flags = asks && !silent ? HYPERCUBE_F_NOTIFY : 0,
		.cookie = (uint64_t)(m->incarnation & 0xfff) << 52 | (uint64_t)silent << 48 |
			  (uint64_t)(m->gen & 0xffffff) << 20 | (s + 1),
	};
	atomic_store(&m->me->computes, 1);
	give_fill(&sp, p, m->node, m->out);
	atomic_store(&m->me->computes, 0);
	atomic_fetch_add(&m->me->pending[sp.row], 1);
	if (!silent)
		waits_add(m, plan, 1);
	if (p->bcast)
		atomic_store(&m->me->plan[plan].attempted, idx + 1);
	m->sending = true;
	m->begun = false;
	m->sent = 0;
	progress(m, plan);
}

/* Send this node's next contribution in the order of the era. Return: false if no contribution can
 * be sent now.
 */
static bool contribute(struct member *m)
{
	const struct era *e = &m->w->era;

	if (m->sending)
		return send_on(m);
	while (m->s < atomic_load(&e->limit) && m->waiting < e->window) {
		uint32_t s = m->s++, idx;
		int plan = plan_of(e, m->w->seed, s);
		const struct plan *p = &e->plan[plan];

		atomic_store(&m->me->next, m->s);
		idx = m->idx[plan]++;
		m->entry[s].pending = false;
		if (!(p->members >> m->node & 1) || (p->bcast && p->root != m->node) ||
		    m->dead[plan] || m->tainted >> plan & 1)
			continue;
		contribution_new(m, s, plan, idx);
		if (chance(&m->dice, e->datagrams))
			datagram_send(m);
		return send_on(m);
	}
	return false;
}

/* --- results --- */

static bool result_of(struct msghdr *h, struct hypercube_result *r)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c))
		if (c->cmsg_level == SOL_HYPERCUBE && c->cmsg_type == HYPERCUBE_CMSG_RESULT) {
			memcpy(r, CMSG_DATA(c), sizeof(*r));
			return true;
		}
	return false;
}

static void receive_error(struct member *m, int error)
{
	if (error == ENOBUFS && error_allowed(m->w, 0, ENOMEM)) {
		atomic_store(&m->me->deaf, 1);
		m->received = m->now;
		return;
	}
	complain(m->w, "node %u: recvmsg: %s", m->node, strerrorname_np(error));
	record_fate(m->w, m->node, HYPERCUBE_REDUCE, UNFOUNDED);
}

static bool receive(struct member *m, int fd)
{
	char control[256];
	struct hypercube_result r;
	struct iovec iov = { m->in, sizeof(m->in) };
	struct msghdr h = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n;

	if (m->w->era.small_reads && chance(&m->dice, 30))
		iov.iov_len = 1 + below(&m->dice, 3000);
	n = recvmsg(fd, &h, MSG_DONTWAIT);
	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			receive_error(m, errno);
		return false;
	}
	m->received = m->now;
	if (!result_of(&h, &r)) {
		complain(m->w, "node %u: recvmsg: %zd bytes without a control message", m->node, n);
		record_fate(m->w, m->node, HYPERCUBE_REDUCE, WRONG);
		return false;
	}
	/* The record may be a broadcast's message of the next era, which this member has not begun
	 * yet: begin it.
	 */
	if (m->me->takes_part && atomic_load(&m->w->era.gen) != m->last)
		member_begin(m);
	check_piece(m, &r, (size_t)n, h.msg_flags & MSG_EOR);
	return true;
}

static bool receive_some(struct member *m, int fd)
{
	int n = 0;

	while (fd >= 0 && n < 8 && receive(m, fd))
		n++;
	return n;
}

/* --- the process --- */

void member_begin(struct member *m)
{
	m->gen = atomic_load(&m->w->era.gen);
	m->last = m->gen;
	m->s = 0;
	m->sending = false;
	m->waiting = 0;
	m->tainted = 0;
	memset(m->idx, 0, sizeof(m->idx));
	memset(m->waits, 0, sizeof(m->waits));
	memset(m->dead, 0, sizeof(m->dead));
	memset(m->reported, 0, sizeof(m->reported));
	memset(m->next_message, 0, sizeof(m->next_message));
	memset(m->message_failed, 0, sizeof(m->message_failed));
	memset(m->failed_from, 0, sizeof(m->failed_from));
	check_forget(m);
	atomic_store(&m->me->gen, m->gen);
}

/* Return: true if this member has nothing left to do in this era, as far as it knows now. */
static bool is_finished(struct member *m)
{
	int i;

	if (!m->gen)
		return true;
	if (m->s < atomic_load(&m->w->era.limit) || m->sending)
		return false;
	for (i = 0; i < PLANS; i++)
		if (owed(m, i))
			return false;
	return true;
}

/* Publish the state of this process that other processes read. */
static void publish(struct member *m)
{
	uint32_t pending;
	int i;

	for (i = 0; i < PLANS; i++) {
		pending = m->gen ? owed(m, i) : 0;
		if (m->sending && sending_entry(m)->plan == i && sending_entry(m)->silent)
			pending++;
		if (!atomic_load(&m->me->plan[i].pending))
			progress(m, i);
		atomic_store(&m->me->plan[i].pending, pending);
	}
	atomic_store(&m->me->finished, is_finished(m) ? m->gen : 0);
}

/* Carry out the order of the world, if it has given one. */
static void obey(struct member *m)
{
	switch (atomic_load(&m->me->order)) {
	case ORDER_CLOSE:
		member_close(m);
		break;
	case ORDER_BIND:
		member_bind(m);
		break;
	case ORDER_SETTLE:
		if (!is_finished(m))
			return;
		/* fall through */
	case ORDER_SETTLE_NOW:
		entries_settle(m);
		m->gen = 0;
		m->s = 0;
		m->sending = false;
		break;
	default:
		return;
	}
	publish(m);
	atomic_store(&m->me->order, ORDER_NONE);
}

/* Sleep until an event occurs that this process may have to handle. */
static void rest(struct member *m)
{
	struct pollfd p[PLANS + 3] = {
		{ .fd = m->me->wake, .events = POLLIN },
		{ .fd = m->messages, .events = POLLIN },
	};
	uint64_t waste;
	int i;

	for (i = 0; i <= PLANS; i++)
		p[i + 2] = (struct pollfd){
			.fd = m->port[i].fd,
			.events = POLLIN | (m->full ? POLLOUT : 0),
		};
	poll(p, PLANS + 3, m->full ? 20 : 200);
	if (p[0].revents && read(m->me->wake, &waste, sizeof(waste)) < 0)
		return;
}

void member_run(struct world *w, uint32_t node)
{
	struct member *m = calloc(1, sizeof(*m));
	bool busy;
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	signal(SIGINT, SIG_IGN);
	m->w = w;
	m->node = node;
	m->me = &w->seat[node];
	m->incarnation = m->me->incarnation;
	ports_none(m);
	m->last = atomic_load(&w->era.gen);
	m->dice.state = key_of(w->seed, node, m->incarnation, 5, 5);
	while (!atomic_load(&w->quit)) {
		m->now = now_ms();
		m->full = false;
		m->tainted = atomic_load(&w->era.tainted);
		atomic_store(&m->me->seen, m->tainted);
		obey(m);
		if (m->me->takes_part && atomic_load(&w->era.gen) != m->last)
			member_begin(m);
		busy = m->bound && m->gen && contribute(m);
		for (i = 0; i <= PLANS; i++)
			busy |= receive_some(m, m->port[i].fd);
		busy |= datagram_receive(m);
		publish(m);
		if (!busy)
			rest(m);
	}
	_exit(0);
}
