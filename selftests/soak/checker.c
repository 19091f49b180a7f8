// SPDX-License-Identifier: GPL-2.0
/*
 * Checks each record that a member receives: whether it is right, and whether it may arrive at this
 * time.
 */
#include <stdio.h>
#include <string.h>

#include "soak.h"

static int slot_of(const struct world *w, uint32_t id)
{
	int i;

	for (i = 0; i < PLANS; i++)
		if (w->era.plan[i].id == id)
			return i;
	return -1;
}

/* Report that the record @r of operation @idx is wrong. */
static void wrong(struct member *m, uint32_t idx, const struct spec *sp,
		  const struct hypercube_result *r, const char *what)
{
	complain(m->w,
		 "node %u plan %u operation %llu (%u of the era) %s oper %u type %u width %u count %u: %s (tainted %x, allowed_errors %x)",
		 m->node, r->plan, (unsigned long long)r->op, idx, row_name(sp->row), sp->oper,
		 sp->type, sp->width, sp->count, what, atomic_load(&m->w->era.tainted),
		 atomic_load(&m->w->era.allowed_errors));
}

/* Check that the kernel reports the same operation number @op to all members. Return: what is
 * wrong, or NULL.
 */
static const char *number_fault(const struct member *m, struct ledger *l, uint64_t op)
{
	static char said[80];
	uint64_t known = 0;

	if (atomic_compare_exchange_strong(&l->op, &known, op + 1)) {
		l->first = m->node;
		return NULL;
	}
	if (known == op + 1)
		return NULL;
	snprintf(said, sizeof(said), "node %u knows it by number %llu", l->first,
		 (unsigned long long)known - 1);
	return said;
}

static void operation_counted(struct world *w, struct ledger *l)
{
	if (!atomic_exchange(&l->recorded, 1))
		atomic_fetch_add(&w->operations, 1);
}

/* Record the operation number @op with which an operation has failed, if it is the least one. */
static void failed_at(struct ledger *l, uint64_t op)
{
	uint64_t least = atomic_load(&l->failed);

	while ((!least || least > op + 1) &&
	       !atomic_compare_exchange_weak(&l->failed, &least, op + 1))
		;
}

static enum fate check_success(struct member *m, struct entry *e, const struct hypercube_result *r,
			       const void *data, uint64_t len)
{
	const struct plan *p = &m->w->era.plan[e->plan];
	struct ledger *l = &m->w->ledger[e->plan][e->idx];
	const char *fault = NULL;
	struct spec sp;

	spec_make(m->w, e->plan, e->idx, &sp);
	if (e->silent)
		fault = "an end that was not asked for";
	else if (!e->handed)
		fault = "complete before its contribution was";
	else if (r->collective != sp.collective)
		fault = "the record of another collective";
	else if (r->bytes != len)
		fault = "the length in the record is not what came";
	else
		fault = number_fault(m, l, r->op);
	if (!fault)
		fault = result_fault(m->w, &sp, p, m->node, l, data, len);
	if (!fault)
		return RIGHT;
	wrong(m, e->idx, &sp, r, fault);
	return e->silent ? DOUBLED : WRONG;
}

/* Count a failure that arrives after the failure of a later contribution. This is rare, but it is
 * not an error.
 */
static void order_note(struct member *m, int plan, const struct entry *e)
{
	if (e->idx < m->failed_from[plan])
		atomic_fetch_add(&m->w->disorder, 1);
	else
		m->failed_from[plan] = e->idx;
}

/* The plan was removed before this message began: so no later message has begun either. Record
 * that.
 */
static void message_unsent(struct member *m, int plan, const struct entry *e)
{
	_Atomic uint32_t *begun = &m->me->plan[plan].begun;

	if (m->w->era.plan[plan].bcast && e->idx < atomic_load(begun))
		atomic_store(begun, e->idx);
}

/* Check the record @r with the end of this member's own contribution @e. */
static void check_own(struct member *m, int plan, struct entry *e, const struct hypercube_result *r,
		      const void *data, uint64_t len)
{
	struct ledger *l = &m->w->ledger[plan][e->idx];
	enum fate fate;

	if (r->status) {
		if (r->op == HYPERCUBE_OP_NONE)
			message_unsent(m, plan, e);
		else
			failed_at(l, r->op);
		fate = member_failed(m, plan, e->row, -r->status, r) ? ERROR : UNFOUNDED;
		order_note(m, plan, e);
	} else {
		fate = check_success(m, e, r, data, len);
	}
	if (m->node == m->w->era.plan[plan].root)
		atomic_store(&l->at_sink, r->status ? r->status : 1);
	operation_counted(m->w, l);
	entry_end(m, e, fate);
}

/* A message of at least this number of bytes is unique; shorter messages may be equal by chance. */
#define MESSAGE_ONE_OF_A_KIND	8

/* Find the first of this era's messages from @from to @to that has this data. Return: its index, or
 * ~0.
 */
static uint32_t message_find(struct member *m, int plan, uint32_t from, uint32_t to,
			     const void *data, uint64_t len)
{
	struct spec sp;
	uint32_t i;

	for (i = from; i < to && i < OPS_MAX; i++) {
		spec_make(m->w, plan, i, &sp);
		if (bcast_matches(&sp, data, len))
			return i;
	}
	return ~0u;
}

/* Check a broadcast's message that has arrived completely. */
static void message_came(struct member *m, int plan, const struct hypercube_result *r,
			 const void *data, uint64_t len)
{
	struct seat *source = &m->w->seat[m->w->era.plan[plan].root];
	uint32_t due = m->next_message[plan], is;
	struct ledger *l = &m->w->ledger[plan][due];
	const char *fault;
	struct spec sp;
	enum fate fate = RIGHT;

	spec_make(m->w, plan, due, &sp);
	is = message_find(m, plan, due, atomic_load(&source->plan[plan].attempted), data, len);
	if (r->bytes != len) {
		wrong(m, due, &sp, r, "the length in the record is not what came");
		fate = WRONG;
	} else if (is == ~0u) {
		is = message_find(m, plan, 0, due, data, len);
		wrong(m, due, &sp, r,
		      is == ~0u ? "no message of this era" : "a message for the second time");
		fate = is == ~0u ? WRONG : DOUBLED;
	} else if (is != due && !m->message_failed[plan]) {
		wrong(m, due, &sp, r, "messages before this one are missing");
		fate = LOST;
	}
	if (fate == RIGHT) {
		l = &m->w->ledger[plan][is];
		fault = len < MESSAGE_ONE_OF_A_KIND ? NULL : number_fault(m, l, r->op);
		if (fault) {
			spec_make(m->w, plan, is, &sp);
			wrong(m, is, &sp, r, fault);
			fate = WRONG;
		}
		operation_counted(m->w, l);
		m->next_message[plan] = is + 1;
	} else if (fate != DOUBLED) {
		m->next_message[plan]++;
	}
	record_fate(m->w, m->node, HYPERCUBE_BCAST, fate);
}

/* Check the end of a broadcast's message at a receiver, which has no contribution of its own. */
static void check_message(struct member *m, int plan, const struct hypercube_result *r,
			  const void *data, uint64_t len)
{
	uint64_t before = m->message_failed[plan];
	struct spec sp;

	spec_make(m->w, plan, m->next_message[plan], &sp);
	if (m->node == m->w->era.plan[plan].root || !m->w->era.plan[plan].bcast) {
		wrong(m, m->next_message[plan], &sp, r, "a record with cookie 0");
		record_fate(m->w, m->node, sp.row, DOUBLED);
	} else if (!r->status) {
		message_came(m, plan, r, data, len);
	} else if (before && r->op + 1 <= before) {
		/* Each message ends once, and failures of messages arrive in the order of the
		 * messages.
		 */
		wrong(m, m->next_message[plan], &sp, r, "a second end");
		record_fate(m->w, m->node, HYPERCUBE_BCAST, DOUBLED);
	} else {
		m->message_failed[plan] = r->op + 1;
		record_fate(m->w, m->node, HYPERCUBE_BCAST,
			    member_failed(m, plan, HYPERCUBE_BCAST, -r->status,
					  r) ? ERROR : UNFOUNDED);
	}
}

/* Find the contribution that has this cookie. Return: NULL unless the cookie belongs to this
 * process, this era, and a contribution whose end has not arrived.
 */
static struct entry *entry_of(struct member *m, uint64_t cookie)
{
	uint32_t s = (uint32_t)(cookie & 0xfffff);

	if (cookie >> 52 != (m->incarnation & 0xfff) || (cookie >> 20 & 0xffffff) != m->gen || !s ||
	    s > OPS_MAX || !m->entry[s - 1].pending)
		return NULL;
	return &m->entry[s - 1];
}

/* Return: true if @r is the failure of a contribution that requested no notification of its end.
 * Such a record may arrive in a later era.
 */
static bool late_news(struct member *m, const struct hypercube_result *r)
{
	return r->status && r->cookie >> 48 & 1 && r->cookie >> 52 == (m->incarnation & 0xfff) &&
	       (r->cookie >> 20 & 0xffffff) != m->gen;
}

/* Check a record that has been received completely, with its data. */
static void check_record(struct member *m, int plan, const struct hypercube_result *r,
			 const void *data, uint64_t len)
{
	struct entry *e;

	if (!r->cookie && (!m->gen || plan < 0))
		return;	/* The record is of a broadcast in which this member does not take part. */
	if (plan >= 0 && !r->cookie) {
		check_message(m, plan, r, data, len);
		return;
	}
	e = entry_of(m, r->cookie);
	if (e && e->plan == plan) {
		check_own(m, plan, e, r, data, len);
	} else if (late_news(m, r)) {
		if (plan >= 0)
			m->reported[plan] = true;
	} else {
		complain(m->w,
			 "node %u plan %u operation %llu status %d: an end of cookie %llx, which has ended or is nobody's",
			 m->node, r->plan, (unsigned long long)r->op, r->status,
			 (unsigned long long)r->cookie);
		record_fate(m->w, m->node, r->collective < ROW_DATAGRAM ? (int)r->collective : 0,
			    DOUBLED);
	}
}

/* Return: true if the record @r may arrive between the pieces @p of another record of the same
 * plan. Such a record has no data. It is the failure of a later operation; the failure of a
 * contribution that was refused and so has no number; or the completion of an earlier operation,
 * which other members report than those that send the current result.
 */
static bool comes_between(const struct pieces *p, const struct hypercube_result *r, size_t n,
			  bool last)
{
	if (!p->open || r->plan != p->head.plan || !last || n)
		return false;
	if (!r->status)
		return r->op < p->head.op && !r->bytes;
	return r->op > p->head.op || (!r->op && r->cookie != p->head.cookie);
}

/* Process a piece of a record. Pieces of records of several plans may alternate. */
void check_piece(struct member *m, const struct hypercube_result *r, size_t n, bool last)
{
	int plan = slot_of(m->w, r->plan);
	struct pieces *p = &m->pieces[plan < 0 ? 0 : plan];

	if (comes_between(p, r, n, last)) {
		check_record(m, plan, r, NULL, 0);
		return;
	}
	if (p->open &&
	    (r->plan != p->head.plan || r->op != p->head.op || r->cookie != p->head.cookie)) {
		complain(m->w,
			 "node %u: a record of plan %u operation %llu within that of plan %u operation %llu",
			 m->node, r->plan, (unsigned long long)r->op, p->head.plan,
			 (unsigned long long)p->head.op);
		record_fate(m->w, m->node, HYPERCUBE_REDUCE, WRONG);
		p->open = false;
	}
	if (!p->open) {
		p->head = *r;
		p->got = 0;
	}
	if (n > sizeof(p->data) - p->got)
		n = sizeof(p->data) - p->got;
	memcpy(p->data + p->got, m->in, n);
	p->got += n;
	p->open = !last;
	if (!last)
		return;
	atomic_store(&m->me->computes, 1);
	check_record(m, plan, r, p->data, p->got);
	atomic_store(&m->me->computes, 0);
}

void check_forget(struct member *m)
{
	int i;

	for (i = 0; i < PLANS; i++)
		m->pieces[i].open = false;
}
