// SPDX-License-Identifier: GPL-2.0
/*
 * Running a collective: a thread for each member, whose socket is bound to the member's node.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "run.h"

#define STACK (128 * 1024)

struct team;

/* The thread of a member. */
struct worker {
	struct team *team;
	struct hcl *hcl;		/* the member's library handle; NULL: closed after a failure
					 */
	pthread_t thread;
	uint32_t rank;
	uint8_t *in;			/* the member's contribution, or NULL */
	int err;			/* outcome of the last call: 0 or a negative errno */
	struct hypercube_result res;	/* result record of the last call */
	uint64_t begin, end;		/* times at which the last call began and returned, ns */
};

/**
 * struct team - the threads of all members
 * @h: context; only the main thread uses it
 * @r: the run
 * @out: results and times of the run
 * @start: barrier at which all workers meet before and after each iteration
 * @broken: the call of a member has failed, so this is the last iteration
 * @timed: at least one iteration was timed
 * @worker: the thread of each member, by rank
 */
struct team {
	struct hcctl *h;
	const struct run *r;
	struct run_result *out;
	pthread_barrier_t start;
	volatile bool broken;
	bool timed;
	struct worker *worker;
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool is_root(const struct worker *w)
{
	return run_is_root(w->team->r, w->rank);
}

static int take_part(struct worker *w)
{
	const struct run *r = w->team->r;
	uint8_t *out = w->team->out->out[w->rank];
	const struct run_part part = {
		.rank = w->rank,
		.in = w->in, .bytes = run_in_bytes(r, w->rank),
		.out = out, .room = out ? w->team->out->bytes : 0,
		.res = &w->res,
	};

	return r->kind->take_part(w->hcl, r, &part);
}

static void one_iteration(struct worker *w)
{
	w->begin = now();
	w->err = take_part(w);
	w->end = now();
	if (!w->err)
		return;
	w->team->broken = true;
	if (!w->res.status)
		w->res = *hcl_failure(w->hcl);
	/* Close the handle of this member, so that the other members do not wait for its
	 * contributions.
	 */
	hcl_close(w->hcl);
	w->hcl = NULL;
	w->team->r->hcl[w->rank] = NULL;
}

/* Account the calls of all members in an iteration: extend the time from *@begin to *@end so that
 * it includes all calls, take the maxima of the members' results, and check whether a member left a
 * barrier before another one entered it.
 */
static void account_all(struct team *t, uint64_t *begin, uint64_t *end)
{
	uint64_t last_come = 0, first_left = UINT64_MAX;
	struct hypercube_result *res = &t->out->res;
	const struct worker *w;

	for (w = t->worker; w < t->worker + t->r->n; w++) {
		if (w->begin < *begin)
			*begin = w->begin;
		if (w->end > *end)
			*end = w->end;
		if (w->begin > last_come)
			last_come = w->begin;
		if (w->end < first_left)
			first_left = w->end;
		if (w->res.steps > res->steps)
			res->steps = w->res.steps;
		if (w->res.clock > res->clock)
			res->clock = w->res.clock;
		if (w->res.time > res->time)
			res->time = w->res.time;
	}
	t->out->early |= first_left < last_come;
}

/* Account an iteration. Its time is that from the first call to the last return if all members wait
 * for the result, otherwise that of the root's call.
 */
static void account(struct team *t, const struct worker *root)
{
	uint64_t begin = root->begin, end = root->end;

	t->out->res = root->res;
	if (t->r->desc->notified || t->r->desc->gets == HC_WHO_ALL)
		account_all(t, &begin, &end);
	t->out->mean += end - begin;
	/* The time of an iteration may be 0 if the clock is coarse. So use @timed, and not a @best
	 * of 0, to recognize the first iteration that is timed.
	 */
	if (!t->timed || end - begin < t->out->best)
		t->out->best = end - begin;
	t->timed = true;
	if (end - begin > t->out->worst)
		t->out->worst = end - begin;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct team *t = w->team;
	uint8_t *out = t->out->out[w->rank];
	uint32_t i;

	for (i = 0; i < t->r->iterations; i++) {
		/* Clear the result of the previous iteration, so that it cannot be mistaken for the
		 * result of this one.
		 */
		if (out)
			memset(out, 0, t->out->bytes);
		pthread_barrier_wait(&t->start);
		one_iteration(w);
		/* After this barrier, no member sets @broken before all members are at the first
		 * barrier of the next iteration. So all members read the same value here. For the
		 * same reason, no member begins its next call before the root has accounted this
		 * iteration.
		 */
		pthread_barrier_wait(&t->start);
		if (t->broken)
			break;
		if (is_root(w) && i >= t->r->warmup)
			account(t, w);
	}
	if (w->hcl && !w->err)
		w->err = hcl_flush(w->hcl);
	return NULL;
}

/* Raise the limit of open files, so that each of @n members can have a socket. */
static void more_descriptors(uint32_t n)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) || l.rlim_cur >= n + 64)
		return;
	if (l.rlim_max < n + 64)
		l.rlim_max = n + 64;
	l.rlim_cur = l.rlim_max;
	setrlimit(RLIMIT_NOFILE, &l);
}

static int buffers(struct team *t, struct worker *w)
{
	const struct run *r = t->r;

	if (run_gives(r, w->rank)) {
		w->in = malloc(run_in_bytes(r, w->rank) ?: 1);
		if (!w->in)
			return hc_nomem(t->h);
		run_contribution(r, w->rank, w->in);
	}
	if (run_gets(r, w->rank)) {
		t->out->out[w->rank] = malloc(t->out->bytes ?: 1);
		if (!t->out->out[w->rank])
			return hc_nomem(t->h);
	}
	return 0;
}

/* Open a handle for each member, and make its contribution. */
static int prepare(struct team *t)
{
	const struct run *r = t->r;
	char words[256];
	struct worker *w;
	uint32_t i;
	int rc;

	more_descriptors(r->n);
	for (i = 0; i < r->n; i++) {
		w = &t->worker[i];
		w->team = t;
		w->rank = i;
		/* A member uses the same handle for all operations of the command. If it closed the
		 * handle, it would end operations that other members have already begun.
		 */
		rc = r->hcl[i] ? 0 : hcl_open(&r->hcl[i], r->fabric, r->node[i]);
		w->hcl = r->hcl[i];
		if (rc) {
			hc_error(t->h, "%s", hcl_explain(NULL, words, sizeof(words)));
			return rc;
		}
		hcl_set_timeout(w->hcl, r->timeout);
		rc = buffers(t, w);
		if (rc)
			return rc;
	}
	return 0;
}

static int start_threads(struct team *t)
{
	pthread_attr_t attr;
	uint32_t i;
	int rc = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	for (i = 0; i < t->r->n && !rc; i++)
		rc = pthread_create(&t->worker[i].thread, &attr, work, &t->worker[i]);
	pthread_attr_destroy(&attr);
	if (!rc)
		return 0;
	/* The threads that were started wait at the barrier for ever, so only the end of the
	 * process ends them.
	 */
	hc_error(t->h, "cannot start %u threads: %s", t->r->n, strerror(rc));
	run_plans_del(t->h, t->r);
	_exit(HC_NO);
}

/* Return: true if the result record of the member names the cause of a failure. */
static bool has_cause(const struct worker *w)
{
	return w->res.status && w->res.cause_node != UINT32_MAX;
}

/* Return: a rank of how informative the failure of a member is. A failure with a cause is more
 * informative than one without; of two that are equal in this, that of the root is more
 * informative. 0: the member has not failed.
 */
static unsigned int telling(const struct worker *w)
{
	return w->err ? 1 + is_root(w) + 2 * has_cause(w) : 0;
}

/* The fault that has broken a plan: a node, or a link. */
struct cause {
	uint32_t node;	/* NL_NONE: unknown */
	uint32_t dim;	/* NL_NONE: the node itself, or unknown */
};

/* Write into @words which fault has broken the plan, and set *@cause, as the kernel reports them
 * for the plan. This is necessary if the plan broke between two operations, because then no result
 * record names the fault.
 */
static void plan_words(struct team *t, char *words, size_t size, struct cause *cause)
{
	struct nl_plan *v;
	size_t n, i;

	if (nl_plans(t->h, t->r->fabric, &v, &n))
		return;
	for (i = 0; i < n; i++) {
		if (v[i].id != t->r->plan.id || !v[i].broken || v[i].cause_node == NL_NONE)
			continue;
		*cause = (struct cause){ v[i].cause_node, v[i].cause_dim };
		if (v[i].cause_dim == NL_NONE)
			snprintf(words, size, "node %u broke the plan", v[i].cause_node);
		else
			snprintf(words, size, "link %u:%u broke the plan", v[i].cause_node,
				 v[i].cause_dim);
	}
	nl_plans_free(v, n);
}

/* Return: why the link that @cause names is down, or "" if that is not known. */
static const char *link_words(struct team *t, const struct cause *cause)
{
	struct nl_link v;

	if (cause->dim == NL_NONE || nl_link(t->h, t->r->fabric, cause->node, cause->dim, &v))
		return "";
	return v.state & HYPERCUBE_LINK_F_SPENT ?
	       ": it is spent, for too many attempts to deliver a frame were in vain" : "";
}

static int team_check(struct team *t)
{
	const struct worker *w = &t->worker[0];
	struct cause cause = { NL_NONE, NL_NONE };
	const char *why = "";
	char words[192];
	uint32_t i;

	for (i = 1; i < t->r->n; i++)
		if (telling(&t->worker[i]) > telling(w))
			w = &t->worker[i];
	if (!w->err)
		return 0;
	snprintf(words, sizeof(words), "%s", strerror(-w->err));
	if (w->res.status)
		hcl_describe(&w->res, words, sizeof(words));
	if (w->err == -ENOLINK && !has_cause(w))
		plan_words(t, words, sizeof(words), &cause);
	else
		cause = (struct cause){ w->res.cause_node, w->res.cause_dim };
	if (w->err == -ENOLINK)
		why = link_words(t, &cause);
	hc_error(t->h, "the operation failed at node %u: %s%s", t->r->node[w->rank], words, why);
	return w->err;
}

static int perform(struct team *t)
{
	uint32_t i;

	pthread_barrier_init(&t->start, NULL, t->r->n);
	start_threads(t);
	for (i = 0; i < t->r->n; i++)
		pthread_join(t->worker[i].thread, NULL);
	pthread_barrier_destroy(&t->start);
	t->out->mean /= t->r->iterations - t->r->warmup;
	return team_check(t);
}

int run_work(struct hcctl *h, const struct run *r, struct run_result *out)
{
	struct team t = { .h = h, .r = r, .out = out };
	uint32_t i;
	int rc;

	t.worker = calloc(r->n, sizeof(*t.worker));
	out->out = calloc(r->n, sizeof(*out->out));
	out->bytes = run_out_bytes(r);
	if (!t.worker || !out->out) {
		free(t.worker);
		return hc_nomem(h);
	}
	rc = prepare(&t);
	if (!rc)
		rc = perform(&t);
	for (i = 0; i < r->n; i++) {
		/* An operation that has not ended may still use the buffers of a member. Close the
		 * handle before they are freed.
		 */
		if (rc) {
			hcl_close(r->hcl[i]);
			r->hcl[i] = NULL;
		}
		free(t.worker[i].in);
	}
	free(t.worker);
	return rc;
}

void run_result_free(const struct run *r, struct run_result *out)
{
	uint32_t i;

	for (i = 0; out->out && i < r->n; i++)
		free(out->out[i]);
	free(out->out);
}
