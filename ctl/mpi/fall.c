// SPDX-License-Identifier: GPL-2.0
/*
 * Completes the operations of a communicator without the kernel when its plan is over. component.h
 * explains the terms.
 *
 * A plan is over at a rank when an operation has failed there, because its node has failed or was
 * cut off for longer than the plan is guarded. This rank sends its state to rank 0 of the
 * communicator (WHERE). Rank 0 requests the state of all other ranks (ASK), and then sends to all
 * ranks how to continue (GO):
 *
 *  - If any rank has the result of a chunk, the chunk is complete. The rank with the most results
 *    sends to the others the results that they lack (RESULT). A rank has at most HCM_SLOTS chunks
 *    under way. So if a rank has the result of a chunk, all ranks have contributed to this chunk,
 *    and have the results of all chunks but the last HCM_SLOTS. So each rank keeps its last
 *    HCM_SLOTS results.
 *  - If no rank has the result of a chunk, all ranks still have their contributions to it. If any
 *    rank has begun the operation, rank 0 combines the contributions (GIVE), and sends the result
 *    to all ranks (SUM).
 *  - If no rank has begun an operation, the operation goes below. A rank begins no operation from
 *    the time at which it sends WHERE until it receives GO.
 *
 * So no operation is lost, and none is executed twice. The results are kept even after the
 * communicator was freed: a rank that has all results may free it while others wait for results.
 */
#include <stdlib.h>
#include <string.h>

#include "component.h"

/* Types of messages, with the meaning of the members of struct hcm_message. */
enum kind {
	WHERE,		/* numbers: hcm_fall.results, .calls; data: why the plan is over, or none */
	ASK,		/* requests WHERE */
	GO,		/* numbers: hcm_fall.end, .limit; who: sends RESULT; data: all .results */
	RESULT,		/* number: of the chunk; data: its result */
	GIVE,		/* number: of the chunk; data: the sender's contribution */
	SUM,		/* as RESULT; who: not 0: no result, since contributions differ in length */
};

/* The state of a freed communicator is kept for FREED_S seconds longer than a plan is guarded. If
 * there are more than FREED_MAX freed communicators, or their results have more than FREED_BYTES
 * bytes, the state of the oldest ones is freed.
 */
#define FREED_MAX	256
#define FREED_BYTES	(16 << 20)
#define FREED_S		60
#define WHY_MAX		256

/**
 * struct early - an ASK of rank 0 about a plan that this rank does not know yet
 * @next: next older one
 * @plan: id of the plan
 */
struct early {
	struct early *next;
	uint32_t plan;
};

/* Largest number of entries in @earlies. If there are more ASKs, the oldest ones are dropped, since
 * this rank may never learn of their plans.
 */
#define EARLY_MAX	256

static struct hcm_fall *falls;
static struct early *earlies;
static bool said;

/* Send a message to a rank of the communicator, or process it at once if that is this rank. */
static int send_to(const struct hcm_fall *f, int rank, enum kind kind, uint64_t a, uint64_t b,
		   int who, const void *data, size_t len)
{
	struct hcm_message m = {
		.plan = f->plan, .kind = kind, .from = f->rank, .who = who, .len = len,
		.number = { a, b },
	};

	if (rank == f->rank) {
		hcm_fall_message(&m, data);
		return 0;
	}
	return hcm_message_send(f->node[rank], &m, data);
}

/* Send a message to all other ranks. */
static void send_to_all(struct hcm_fall *f, enum kind kind, uint64_t a, uint64_t b, int who,
			const void *data, size_t len)
{
	int r;

	for (r = 0; r < f->size; r++)
		if (r != f->rank && send_to(f, r, kind, a, b, who, data, len))
			f->failed = true;
}

/* --- ASKs about unknown plans --- */

/* Record an ASK about a plan that this rank does not know. */
static void early_add(uint32_t plan)
{
	struct early *e = malloc(sizeof(*e)), **p = &earlies;
	unsigned int n = 0;

	if (!e)
		return;
	*e = (struct early){ earlies, plan };
	earlies = e;
	while (*p && n++ < EARLY_MAX)
		p = &(*p)->next;
	free(*p);
	*p = NULL;
}

/* Remove the record of an ASK about a plan. Return: true if there was one. */
static bool early_take(uint32_t plan)
{
	struct early **p = &earlies, *e;

	while (*p && (*p)->plan != plan)
		p = &(*p)->next;
	e = *p;
	if (e)
		*p = e->next;
	free(e);
	return e;
}

/* --- kept results --- */

bool hcm_fall_new(struct hcm_comm *m, const uint32_t *node)
{
	struct hcm_fall *f = calloc(1, sizeof(*f));
	int r;

	if (!f)
		return false;
	f->where = calloc(m->size, sizeof(*f->where));
	f->node = malloc(m->size * sizeof(*f->node));
	if (!f->where || !f->node || !hcm_message_listen()) {
		hcm_fall_free(f);
		return false;
	}
	for (r = 0; r < m->size; r++)
		f->node[r] = node[r];
	f->plan = m->plan;
	f->rank = m->rank;
	f->size = m->size;
	f->comm = m;
	f->next = falls;
	falls = f;
	m->fall = f;
	if (early_take(m->plan))
		hcm_fall_begin(f, NULL);
	return true;
}

void hcm_fall_free(struct hcm_fall *f)
{
	struct hcm_fall **p;
	int i;

	for (p = &falls; *p; p = &(*p)->next)
		if (*p == f) {
			*p = f->next;
			break;
		}
	for (i = 0; i < HCM_SLOTS; i++)
		free(f->kept[i].bytes);
	for (i = 0; f->where && i < f->size; i++)
		free(f->where[i].given);
	free(f->where);
	free(f->node);
	free(f->why);
	free(f);
}

/* Free the state of freed communicators that is old, or exceeds the limits. The newest entries are
 * first in the list.
 */
static void forget_old(void)
{
	uint64_t age = (hcm_guard_ms + FREED_S * 1000) * UINT64_C(1000000), now = hcm_now_ns();
	struct hcm_fall *f, *next;
	unsigned int n = 0, i;
	size_t bytes = 0;

	for (f = falls; f; f = next) {
		next = f->next;
		if (f->comm)
			continue;
		for (i = 0; i < HCM_SLOTS; i++)
			bytes += f->kept[i].size;
		if (now - f->since > age || ++n > FREED_MAX || bytes > FREED_BYTES)
			hcm_fall_free(f);
	}
}

void hcm_fall_leave(struct hcm_fall *f)
{
	f->comm = NULL;
	f->since = hcm_now_ns();
	forget_old();
}

void hcm_fall_end(void)
{
	while (falls)
		hcm_fall_free(falls);
	while (earlies)
		early_take(earlies->plan);
}

bool hcm_fall_keep(struct hcm_fall *f, const void *bytes, size_t len)
{
	struct hcm_kept *k = &f->kept[f->results % HCM_SLOTS];
	void *p;

	if (len > k->size) {
		p = realloc(k->bytes, len);
		if (!p)
			return false;
		k->bytes = p;
		k->size = len;
	}
	if (len)
		memcpy(k->bytes, bytes, len);
	k->len = len;
	f->results++;
	return true;
}

/* --- agreement --- */

/* Rank 0 has received WHERE from all ranks: send GO. */
static void conclude(struct hcm_fall *f)
{
	uint64_t results = 0, calls = 0, *have = malloc(f->size * sizeof(*have));
	int r, who = 0;

	f->failed |= !have;
	for (r = 0; have && r < f->size; r++) {
		have[r] = f->where[r].results;
		if (f->where[r].results > results) {
			results = f->where[r].results;
			who = r;
		}
		calls = f->where[r].calls > calls ? f->where[r].calls : calls;
	}
	if (f->comm && !said)
		hcm_say("collectives of %d ranks go on without the kernel after %" PRIu64 ": %s",
			f->size, calls, f->why ? f->why : "it is not known why");
	said = true;
	for (r = 0; have && r < f->size; r++)
		if (send_to(f, r, GO, results, calls, who, have, f->size * sizeof(*have)))
			f->failed = true;
	free(have);
}

/* Process WHERE, at rank 0. */
static void got_where(struct hcm_fall *f, const struct hcm_message *m, const char *why)
{
	struct hcm_where *w = &f->where[m->from];

	if (f->rank || w->known)
		return;
	if (m->len && m->len <= WHY_MAX && !f->why)
		f->why = strndup(why, m->len);
	w->known = true;
	w->results = m->number[0];
	w->calls = m->number[1];
	if (!f->known++)
		send_to_all(f, ASK, 0, 0, 0, NULL, 0);
	/* If this message is from another rank, this call sends rank 0's own WHERE, which calls
	 * got_where() again.
	 */
	hcm_fall_begin(f, NULL);
	if (f->known == f->size && f->phase == HCM_FALL_ASKED)
		conclude(f);
}

void hcm_fall_begin(struct hcm_fall *f, const char *why)
{
	if (f->phase != HCM_FALL_NONE)
		return;
	f->phase = HCM_FALL_ASKED;
	if (f->comm)
		hcm_flow_stop(f->comm);
	if (send_to(f, 0, WHERE, f->results, f->calls, 0, why, why ? strlen(why) : 0))
		f->failed = true;
}

/* Send to each rank the results that it lacks. @have: number of results that each rank has. */
static void send_results(struct hcm_fall *f, const uint64_t *have)
{
	const struct hcm_kept *k;
	uint64_t n;
	int r;

	for (r = 0; r < f->size; r++)
		for (n = have[r]; n < f->end; n++) {
			k = &f->kept[n % HCM_SLOTS];
			if (send_to(f, r, RESULT, n, 0, 0, k->bytes, k->len))
				f->failed = true;
		}
}

/* Process GO. @have: number of results that each rank has. */
static void got_go(struct hcm_fall *f, const struct hcm_message *m, const void *have)
{
	if (f->phase != HCM_FALL_ASKED || m->len != f->size * sizeof(uint64_t))
		return;
	f->phase = HCM_FALL_REPORTED;
	f->end = m->number[0];
	f->limit = m->number[1];
	if (m->who == f->rank)
		send_results(f, have);
	if (f->comm)
		hcm_flow_go(f->comm);
}

/* --- chunks of which no rank has the result --- */

bool hcm_fall_give(struct hcm_fall *f, const void *bytes, size_t len)
{
	return !send_to(f, 0, GIVE, f->results, 0, 0, bytes, len);
}

/* Process GIVE, at rank 0. */
static void got_give(struct hcm_fall *f, const struct hcm_message *m, const void *bytes)
{
	struct hcm_where *w = &f->where[m->from];

	if (f->rank || w->given)
		return;
	w->given = malloc(m->len + 1);
	if (!w->given) {
		f->failed = true;
		return;
	}
	if (m->len)
		memcpy(w->given, bytes, m->len);
	w->len = m->len;
	f->gave++;
}

/* Combine the contributions of all ranks to a chunk of @len bytes, in the order of the ranks. *@fit
 * is set to whether all contributions have this length. Return: the result.
 */
static void *combine(struct hcm_fall *f, const struct hcm_op *op, size_t len, bool *fit)
{
	void *sum = f->where[0].given;
	int r;

	*fit = true;
	for (r = 0; r < f->size; r++) {
		if (f->where[r].len != len)
			*fit = false;
		else if (r)
			hcm_combine(op, len, f->where[r].given, sum);
		if (r)
			free(f->where[r].given);
		f->where[r].given = NULL;
	}
	f->gave = 0;
	return sum;
}

void hcm_fall_progress(struct hcm_fall *f, const struct hcm_op *op, size_t len)
{
	void *sum;
	bool fit;

	if (f->rank || f->gave < f->size)
		return;
	sum = combine(f, op, len, &fit);
	send_to_all(f, SUM, f->results, 0, !fit, sum, fit ? len : 0);
	if (!fit)
		hcm_flow_refuse(f->comm);
	else if (!f->failed)
		hcm_flow_result(f->comm, sum, len);
	free(sum);
}

/* Process RESULT or SUM. */
static void got_result(struct hcm_fall *f, const struct hcm_message *m, const void *bytes)
{
	if (f->phase == HCM_FALL_NONE || !f->comm || m->number[0] != f->results)
		return;
	if (m->kind == SUM && m->who)
		hcm_flow_refuse(f->comm);
	else
		hcm_flow_result(f->comm, bytes, m->len);
}

void hcm_fall_message(const struct hcm_message *m, const void *data)
{
	struct hcm_fall *f = falls;

	while (f && f->plan != m->plan)
		f = f->next;
	if (!f && m->kind == ASK)
		early_add(m->plan);
	if (!f || m->from < 0 || m->from >= f->size)
		return;
	switch ((enum kind)m->kind) {
	case WHERE:
		got_where(f, m, data);
		break;
	case ASK:
		hcm_fall_begin(f, NULL);
		break;
	case GO:
		got_go(f, m, data);
		break;
	case GIVE:
		got_give(f, m, data);
		break;
	case RESULT:
	case SUM:
		got_result(f, m, data);
		break;
	}
}
