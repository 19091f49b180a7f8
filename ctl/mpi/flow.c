// SPDX-License-Identifier: GPL-2.0
/*
 * Operations under way. Vectors are cut into chunks, which the kernel combines one after another,
 * in the order in which the ranks have made their calls. component.h explains the terms.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "component.h"
#include "opal/runtime/opal_progress.h"

/* Longest sleeps, us, before a process calls opal_progress() again: in a blocking call; and in a
 * process that may have other work, if other processes need its processor.
 */
#define SLEEP_US	1000
#define YIELD_US	200
#define SLEEP_FDS	16	/* most communicators that a sleep waits for */

opal_mutex_t hcm_lock = OPAL_MUTEX_STATIC_INIT;
static struct hcm_comm *busy;
/* Operations that have ended, and whose callers have not been notified. */
static struct hcm_op *ended_first, **ended_last = &ended_first;
static bool within;

static const char zeros[HCM_CHUNK];

uint64_t hcm_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

/* Add a communicator to the list of communicators with operations. */
static void busy_add(struct hcm_comm *m)
{
	if (m->active)
		return;
	m->active = true;
	m->next = busy;
	busy = m;
}

static void busy_del(struct hcm_comm *m)
{
	struct hcm_comm **p = &busy;

	while (*p != m)
		p = &(*p)->next;
	*p = m->next;
	m->active = false;
}

/* --- chunks --- */

/* Allocate memory for a chunk, unless *@p has it. Return: false if there is no memory. */
static bool slot_memory(char **p)
{
	*p = *p ?: malloc(HCM_CHUNK);
	return *p;
}

/* Return: this rank's contribution to chunk @s, or NULL if there is no memory. */
static const char *chunk_in(const struct hcm_op *op, struct hcm_slot *s)
{
	size_t from = op->give_at > s->at ? op->give_at : s->at;
	size_t to = op->give_at + op->give_len;

	to = to < s->at + s->len ? to : s->at + s->len;
	if (!op->give_len || from >= to)
		return zeros;
	if (from == s->at && to == s->at + s->len)
		return op->give + (from - op->give_at);
	if (!slot_memory(&s->in))
		return NULL;
	memset(s->in, 0, s->len);
	memcpy(s->in + (from - s->at), op->give + (from - op->give_at), to - from);
	return s->in;
}

/* Return: memory for the result of chunk @s, or NULL if there is none. It is the chunk's position
 * in @op->take if this rank takes the whole chunk, and if the contribution @in does not overlap it.
 */
static char *chunk_out(const struct hcm_op *op, struct hcm_slot *s, const char *in)
{
	const struct hcm_piece *p = op->piece;
	char *out = NULL;

	s->direct = op->take && op->pieces == 1 && s->at >= p->at &&
		    s->at + s->len <= p->at + p->len;
	if (s->direct)
		out = op->take + p->to + (s->at - p->at);
	s->direct = s->direct && (out + s->len <= in || in + s->len <= out);
	if (!s->direct)
		return slot_memory(&s->out) ? s->out : NULL;
	return out;
}

/* Copy the pieces of chunk @s that this rank takes to @op->take, unless they were received there.
 */
static void chunk_take(const struct hcm_op *op, const struct hcm_slot *s)
{
	size_t i, from, to, end = s->at + s->len;
	const struct hcm_piece *p;

	for (i = 0; op->take && !s->direct && i < op->pieces; i++) {
		p = &op->piece[i];
		from = p->at > s->at ? p->at : s->at;
		to = p->at + p->len < end ? p->at + p->len : end;
		if (from < to)
			memcpy(op->take + p->to + (from - p->at), s->out + (from - s->at),
			       to - from);
	}
}

/* Return: the next chunk of @op, in the slot after the chunks that are under way. */
static struct hcm_slot *chunk_next(struct hcm_comm *m, struct hcm_op *op)
{
	struct hcm_slot *s = &m->slot[(m->head + m->slots) % HCM_SLOTS];

	s->op = op;
	s->at = op->posted;
	s->len = op->total - op->posted < HCM_CHUNK ? op->total - op->posted : HCM_CHUNK;
	return s;
}

/* Record that chunk @s is under way. */
static void chunk_begun(struct hcm_comm *m, const struct hcm_slot *s)
{
	s->op->posted += s->len;
	m->slots++;
	/* An operation with a vector of lengths posts a second vector, so it stays @m->posting. */
	if (s->op->posted == s->op->total && !s->op->asks)
		m->posting = s->op->next;
}

/* Post the next chunk of @op. Return: 0, or a negative errno. */
static int chunk_post(struct hcm_comm *m, struct hcm_op *op)
{
	struct hcm_slot *s = chunk_next(m, op);
	struct hcl_params p = {
		.plan = m->plan, .collective = op->collective,
		.oper = op->type.oper ?: HYPERCUBE_OR, .type = op->type.type ?: HYPERCUBE_U8,
		/* Fail if members are missing, which is so only if another tool has planned the
		 * epoch.
		 */
		.flags = HYPERCUBE_F_ALL_OR_NOTHING,
	};
	const char *in = chunk_in(op, s);
	char *out = in ? chunk_out(op, s, in) : NULL;
	int rc;

	if (!out)
		return -ENOMEM;
	if (op->collective == HYPERCUBE_BARRIER) {
		p.oper = 0;
		p.type = 0;
	}
	if (s->len)
		rc = hcl_post(m->h, &p, in, s->len, out, s->len, &s->id);
	else
		rc = hcl_post(m->h, &p, NULL, 0, NULL, 0, &s->id);
	if (!rc)
		chunk_begun(m, s);
	return rc;
}

/* --- operations --- */

/* Move the oldest operation to the end of the list of ended operations. Callers are notified later,
 * without the lock.
 */
static void op_end(struct hcm_comm *m)
{
	struct hcm_op *op = m->first;

	m->first = op->next;
	if (!m->first)
		m->last = NULL;
	op->next = NULL;
	*ended_last = op;
	ended_last = &op->next;
}

/* Fail all operations, because they cannot be completed without the kernel either. */
static void comm_fail(struct hcm_comm *m)
{
	hcm_say("MPI_%s failed: out of memory", hcm_what_name(m->first->call.what));
	m->slots = 0;
	m->posting = NULL;
	while (m->first) {
		m->first->error = MPI_ERR_OTHER;
		op_end(m);
	}
}

/* Return: true if a chunk may be posted. All ranks post the same chunks in the same order, so
 * operations after one that waits for lengths wait, too.
 */
static bool may_post(const struct hcm_comm *m)
{
	const struct hcm_op *op = m->posting;

	return op && m->slots < HCM_SLOTS && (!op->asks || op->posted < op->total);
}

/* Post chunks as long as that is possible. Return: 0, or a negative errno. */
static int post_more(struct hcm_comm *m)
{
	int rc = 0;

	while (!rc && may_post(m))
		rc = chunk_post(m, m->posting);
	return rc;
}

/* When the vector of lengths has been received, prepare the vector of the blocks. If no blocks
 * follow here, because all are empty or the call goes below, go on to the next operation.
 */
static void lengths_end(struct hcm_comm *m, struct hcm_op *op)
{
	if (hcm_shape_lengths(op) != MPI_SUCCESS)
		m->fall->failed = true;
	if (op->below || !op->total)
		m->posting = op->next;
}

/* Process the result of the oldest chunk, which has been received. */
static void slot_end(struct hcm_comm *m, struct hcm_slot *s)
{
	struct hcm_op *op = s->op;

	chunk_take(op, s);
	op->finished += s->len;
	m->head = (m->head + 1) % HCM_SLOTS;
	m->slots--;
	if (op->finished == op->total && op->asks)
		lengths_end(m, op);
	if (op->below || op->finished == op->total)
		op_end(m);
}

/* Return: the result of a chunk, which the kernel has written. */
static const char *slot_result(const struct hcm_slot *s)
{
	const struct hcm_piece *p = s->op->piece;

	return s->direct ? s->op->take + p->to + (s->at - p->at) : s->out;
}

/* Take the result of the oldest chunk from the library. Return: 0, or a negative errno. */
static int take_next(struct hcm_comm *m)
{
	struct hcm_slot *s = &m->slot[m->head];
	struct hypercube_result res;
	int rc = hcl_wait(m->h, s->id, &res);

	if (rc)
		return rc;
	s->op->restarts += res.restarts;
	if (!hcm_fall_keep(m->fall, slot_result(s), s->len))
		return -ENOMEM;
	slot_end(m, s);
	return m->fall->failed ? -ENOMEM : 0;
}

/* Advance the operations of a communicator in state HCM_UP. */
static void kernel_progress(struct hcm_comm *m)
{
	char text[256];
	int rc = post_more(m);

	if (rc >= 0)
		rc = hcl_progress(m->h, 0);
	rc = rc < 0 ? rc : 0;
	while (!rc && m->slots && hcl_test(m->h, m->slot[m->head].id)) {
		rc = take_next(m);
		rc = rc ?: post_more(m);
	}
	if (rc)
		hcm_fall_begin(m->fall, hcl_explain(m->h, text, sizeof(text)));
}

/* --- a plan that is over: fall.c has the rules --- */

/* Advance the operations of a communicator whose plan is over, one chunk at a time. */
static void fallen_progress(struct hcm_comm *m)
{
	struct hcm_slot *s = &m->slot[m->head];
	const char *in;

	if (m->fall->failed) {
		comm_fail(m);
		return;
	}
	if (m->state != HCM_FALLEN || m->fall->results < m->fall->end)
		return;
	if (!m->slots && m->posting)
		chunk_begun(m, chunk_next(m, m->posting));
	if (!m->slots)
		return;
	if (!m->given) {
		m->given = true;
		in = chunk_in(s->op, s);
		m->fall->failed |= !in || !hcm_fall_give(m->fall, in, s->len);
	}
	hcm_fall_progress(m->fall, s->op, s->len);
}

void hcm_flow_result(struct hcm_comm *m, const void *bytes, size_t len)
{
	struct hcm_slot *s = &m->slot[m->head];
	const char *in = m->slots && s->len == len ? chunk_in(s->op, s) : NULL;
	char *out = in ? chunk_out(s->op, s, in) : NULL;

	if (!out) {
		m->fall->failed = true;
		return;
	}
	if (len)
		memcpy(out, bytes, len);
	m->fall->results++;
	m->given = false;
	slot_end(m, s);
}

void hcm_flow_refuse(struct hcm_comm *m)
{
	struct hcm_op *op = m->first;

	if (!op || !m->slots)
		return;
	op->error = MPI_ERR_TRUNCATE;
	if (m->posting == op)
		m->posting = op->next;
	while (m->slots && m->slot[m->head].op == op) {
		m->head = (m->head + 1) % HCM_SLOTS;
		m->slots--;
	}
	m->given = false;
	m->fall->results++;
	op_end(m);
}

void hcm_flow_stop(struct hcm_comm *m)
{
	m->state = HCM_FALLING;
	hcl_close(m->h);
	m->h = NULL;
}

void hcm_flow_go(struct hcm_comm *m)
{
	m->state = HCM_FALLEN;
}

bool hcm_flow_admit(struct hcm_comm *m)
{
	bool yes;

	OPAL_THREAD_LOCK(&hcm_lock);
	while (m->state == HCM_FALLING) {
		OPAL_THREAD_UNLOCK(&hcm_lock);
		opal_progress();
		OPAL_THREAD_LOCK(&hcm_lock);
	}
	yes = m->state != HCM_FALLEN || m->fall->calls < m->fall->limit;
	m->fall->calls += yes;
	OPAL_THREAD_UNLOCK(&hcm_lock);
	return yes;
}

/* Report the end of @op. Once that is reported, the caller may free @op, so @op is not read
 * afterwards. The user may have freed the communicator already: the reference of the request to it
 * is dropped last.
 */
static void op_tell(struct hcm_op *op)
{
	ompi_communicator_t *comm = op->comm->comm;

	hcm_shape_end(op);
	if (!op->below)
		hcm_stats_taken(op);
	op->base.super.req_status.MPI_ERROR = op->error;
	if (op->request) {
		ompi_request_complete(&op->base.super, true);
		OBJ_RELEASE(comm);
		return;
	}
	opal_atomic_wmb();
	op->done = true;
}

/* Advance the operations of all communicators. */
static void comms_progress(void)
{
	struct hcm_comm *m, *next;

	for (m = busy; m; m = next) {
		next = m->next;
		if (m->state == HCM_UP)
			kernel_progress(m);
		else
			fallen_progress(m);
		if (!m->first)
			busy_del(m);
	}
}

/* Sleep for @us microseconds, or until data can be sent or received for a communicator that has
 * operations, or for the first SLEEP_FDS of these. There is no sleep if none of them has a handle.
 */
static void sleep_for(unsigned int us)
{
	const struct timespec limit = { .tv_nsec = us * 1000 };
	struct pollfd p[SLEEP_FDS];
	const struct hcm_comm *m;
	unsigned int n = 0;

	OPAL_THREAD_LOCK(&hcm_lock);
	for (m = busy; m && n < SLEEP_FDS; m = m->next)
		if (m->h)
			p[n++] = (struct pollfd){
				.fd = hcl_fd(m->h), .events = hcl_events(m->h),
			};
	OPAL_THREAD_UNLOCK(&hcm_lock);
	if (n)
		ppoll(p, n, &limit, NULL);
}

/* MPI only yields the processor while it waits for a request. If there are more processes than
 * processors, the waiting processes then take turns at polling in vain, which delays the results
 * that they wait for. So sleep after polling in vain for some time. @found: how many operations
 * have ended.
 */
static void yield(int found)
{
	static _Thread_local int idle;

	idle = found ? 0 : idle + (idle <= hcm_spin);
	if (idle > hcm_spin && opal_progress_yield_when_idle)
		sleep_for(YIELD_US);
}

int hcm_flow_progress(void)
{
	struct hcm_op *ended, *op;
	int n;

	/* Sending a message may call this function again, and in a program of one thread the lock
	 * does not exclude that: @within does.
	 */
	n = hcm_persist_progress();
	if ((!busy && !hcm_message_waits()) || within || OPAL_THREAD_TRYLOCK(&hcm_lock))
		return n;
	within = true;
	hcm_message_progress();
	comms_progress();
	ended = ended_first;
	ended_first = NULL;
	ended_last = &ended_first;
	within = false;
	OPAL_THREAD_UNLOCK(&hcm_lock);
	for (; ended; n++) {
		op = ended;
		ended = op->next;
		op_tell(op);
	}
	yield(n);
	return n;
}

void hcm_flow_begin(struct hcm_comm *m, struct hcm_op *op)
{
	op->comm = m;
	op->began = hcm_now_ns();
	/* A caller that has a request may free the communicator before the operation ends. */
	if (op->request)
		OBJ_RETAIN(m->comm);
	OPAL_THREAD_LOCK(&hcm_lock);
	if (m->last)
		m->last->next = op;
	else
		m->first = op;
	m->last = op;
	m->posting = m->posting ?: op;
	busy_add(m);
	OPAL_THREAD_UNLOCK(&hcm_lock);
	hcm_flow_progress();
}

int hcm_flow_spin(void)
{
	return opal_progress_yield_when_idle ? 0 : hcm_spin;
}

void hcm_flow_wait(struct hcm_op *op)
{
	int idle = 0;

	while (!op->done) {
		opal_progress();
		if (++idle > hcm_flow_spin() && !op->done)
			sleep_for(SLEEP_US);
	}
	opal_atomic_rmb();
}
