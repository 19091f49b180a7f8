// SPDX-License-Identifier: GPL-2.0
/*
 * A communicator whose plan is over goes on without the kernel.
 *
 * A plan is over at a rank when an operation has failed there: its node has failed, or was cut off
 * for longer than the plan is guarded.  Rank 0 of the communicator asks all ranks how far they are
 * (WHERE), and tells them what follows (GO):
 *
 *  - A chunk of which any rank has the result is over: who has the most of them sends the others
 *    what they lack (RESULT).  A rank has HCM_SLOTS chunks on their way at most.  So who has the
 *    result of one knows that all have contributed to it, and have the results of all but the last
 *    HCM_SLOTS: these it keeps.
 *  - No rank has the result of another chunk, so all still have what they give to it.  Those of
 *    operations that any rank has begun are combined by rank 0 (GIVE, SUM).
 *  - Operations that no rank has begun are those of the module below.  A rank begins none from when
 *    it has been asked until it gets GO.
 *
 * So nothing is lost and nothing is done twice.  What is kept outlives the communicator: a rank
 * that has all results may free it while others wait for theirs.
 */
#include <stdlib.h>
#include <string.h>

#include "component.h"

enum kind {
	WHERE,		/* numbers: results, operations begun; data: why, or nothing */
	ASK,
	GO,		/* numbers: results, operations; who sends; data: how many each has */
	RESULT,		/* number: of the chunk; data: its result */
	GIVE,		/* number: of the chunk; data: what a rank gives */
	SUM,		/* as RESULT; who: not 0 if there is none, since lengths differ */
};

/* Communicators that were freed, whose results are kept for so many seconds beyond what a plan is
 * guarded; of more, or of more bytes, the oldest ones are forgotten.
 */
#define FREED_MAX	256
#define FREED_BYTES	(16 << 20)
#define FREED_S		60
#define WHY_MAX		256

/**
 * struct early - rank 0 has asked about a plan of which this rank does not know yet
 * @next: one that came before
 * @plan: its id
 */
struct early {
	struct early *next;
	uint32_t plan;
};

/* Those of a rank that never comes to know are forgotten, the oldest first. */
#define EARLY_MAX	256

static struct hcm_fall *falls;
static struct early *earlies;
static bool said;

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

static void send_to_all(struct hcm_fall *f, enum kind kind, uint64_t a, uint64_t b, int who,
			const void *data, size_t len)
{
	int r;

	for (r = 0; r < f->size; r++)
		if (r != f->rank && send_to(f, r, kind, a, b, who, data, len))
			f->failed = true;
}

/* --- who asks early --- */

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

/* --- what is kept --- */

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

/* Of what was freed: what is old, and what is too much.  The list has the newest ones first. */
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

/* Rank 0 knows of all. */
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
	/* Which has rank 0 come to here for itself, if this was not for itself. */
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

/* To each what it lacks. */
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

/* What all have given, in the order of the ranks; @fit: all have given as much. */
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
