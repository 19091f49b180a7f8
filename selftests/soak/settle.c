// SPDX-License-Identifier: GPL-2.0
/*
 * Computes which ends of operations a member must still get, and decides the fates of the remaining
 * contributions at the end of an era.
 */
#include "soak.h"

/* Return: number of a broadcast's messages that must still arrive, or fail. */
static uint32_t messages_due(const struct member *m, int plan)
{
	const struct plan *p = &m->w->era.plan[plan];
	uint32_t begun;

	if (!p->bcast || !p->active || p->root == m->node || !(p->members >> m->node & 1) ||
	    m->message_failed[plan])
		return 0;
	begun = atomic_load(&m->w->seat[p->root].plan[plan].begun);
	return begun > m->next_message[plan] ? begun - m->next_message[plan] : 0;
}

/* Return: true if contribution @e, which requested no notification of its end, has failed, as the
 * root of the plan got the failure.
 */
static bool failed_silently(const struct member *m, const struct entry *e)
{
	return e->pending && e->silent && e->handed &&
	       atomic_load(&m->w->ledger[e->plan][e->idx].at_sink) < 0;
}

static uint32_t failures_due(const struct member *m, int plan)
{
	uint32_t i, n = 0;

	if (!(m->tainted >> plan & 1))
		return 0;
	for (i = 0; i < m->s; i++)
		n += m->entry[i].plan == plan && failed_silently(m, &m->entry[i]);
	return n;
}

/* Return: true if the member no longer waits for overdue records. recvmsg() reports that a record
 * was lost, but not which one, so each overdue record may be the lost one.
 */
static bool gave_up(const struct member *m)
{
	return atomic_load(&m->me->deaf) && m->now > m->received + 3000 * m->w->wait_secs;
}

/* Return: number of records of a plan that must still arrive, as far as is known now. */
uint32_t owed(const struct member *m, int plan)
{
	if (gave_up(m))
		return 0;
	return m->waits[plan] + messages_due(m, plan) + failures_due(m, plan);
}

/* Return: the fate of a contribution whose end has not arrived. *@lost is the number of records
 * that the sockets have lost; each explains one missing end, and is then subtracted.
 */
static enum fate missing(struct member *m, const struct entry *e, uint32_t *lost)
{
	const struct ledger *l = &m->w->ledger[e->plan][e->idx];
	const char *what = "never ended";

	if (*lost) {
		(*lost)--;
		return ERROR;
	}
	if (e->silent)
		what = "failed at its root, and this member was not told";
	complain(m->w, "node %u plan %u contribution %u (%s) %s (at the root %d)", m->node,
		 m->w->era.plan[e->plan].id, e->idx, row_name(e->row), what,
		 atomic_load(&l->at_sink));
	return LOST;
}

static void messages_settle(struct member *m, int plan, uint32_t *lost)
{
	uint32_t due = m->gen ? messages_due(m, plan) : 0;

	if (due > *lost)
		complain(m->w, "node %u plan %u: %u messages from number %u on never came", m->node,
			 m->w->era.plan[plan].id, due, m->next_message[plan]);
	for (; due; due--) {
		record_fate(m->w, m->node, HYPERCUBE_BCAST, *lost ? ERROR : LOST);
		*lost -= !!*lost;
	}
}

/* At the end of an era, decide the fates of all contributions that are still pending. */
void entries_settle(struct member *m)
{
	uint32_t lost = ports_lost(m), i;
	int plan;

	for (i = 0; i < m->s; i++) {
		struct entry *e = &m->entry[i];

		if (!e->pending)
			continue;
		if (e->silent && !failed_silently(m, e))
			entry_end(m, e, QUIET);
		else
			entry_end(m, e, missing(m, e, &lost));
	}
	for (plan = 0; plan < PLANS; plan++)
		messages_settle(m, plan, &lost);
}

void entries_abandon(struct member *m)
{
	uint32_t i;

	for (i = 0; i < m->s; i++)
		if (m->entry[i].pending)
			entry_end(m, &m->entry[i], ABANDONED);
}
