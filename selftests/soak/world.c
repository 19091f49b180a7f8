// SPDX-License-Identifier: GPL-2.0
/*
 * A fabric and its eras (see soak.h). A member that waits for more than ten seconds counts as hung
 * unless that is explained: a process is stopped or missing, or members have contributed to
 * operations to which others will not contribute.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "soak.h"

/* --- waiting --- */

static void say(struct soak *s)
{
	uint64_t now = now_ms();

	if (now < s->said + 5000)
		return;
	s->said = now;
	ledger_progress(s->w, (uint32_t)((now - s->begin) / 1000));
}

static uint64_t waited(const struct soak *s, uint32_t u, int plan, uint64_t now)
{
	const struct seat *seat = &s->w->seat[u];
	uint64_t since = atomic_load(&seat->plan[plan].progress);

	if (!seat->takes_part || seat->stopped || !atomic_load(&seat->plan[plan].pending))
		return 0;
	if (since < s->calm_since)
		since = s->calm_since;
	return now > since ? now - since : 0;
}

static bool any_computes(const struct world *w)
{
	uint32_t u;

	for (u = 0; u < w->nodes; u++)
		if (w->seat[u].takes_part && atomic_load(&w->seat[u].computes))
			return true;
	return false;
}

/* Return: the longest time in ms for which a member has been waiting without an explanation. */
static uint64_t longest_wait(struct soak *s)
{
	uint64_t now = now_ms(), most = 0, t;
	uint32_t u;
	int i;

	/* Waiting is explained if the world itself has not run for some time, as other processes
	 * may not have run either, or if a member is computing a result.
	 */
	if ((s->tick && now > s->tick + 2000) || any_computes(s->w))
		s->calm_since = now;
	s->tick = now;
	for (u = 0; u < s->w->nodes; u++) {
		if (s->w->seat[u].stopped)
			return 0;
		for (i = 0; i < PLANS; i++) {
			t = waited(s, u, i, now);
			if (t > most)
				most = t;
		}
	}
	if (most > s->longest)
		s->longest = most;
	return most;
}

static bool all_finished(const struct soak *s)
{
	const struct world *w = s->w;
	uint32_t u;

	for (u = 0; u < w->nodes; u++)
		if (w->seat[u].takes_part && atomic_load(&w->seat[u].finished) != w->era.gen)
			return false;
	return true;
}

/* Of each member and plan, give the fate @fate to the oldest contribution whose end has not
 * arrived.
 */
static void ledger_waiting(struct soak *s, enum fate fate)
{
	uint32_t u, i, n = 0;

	for (u = 0; u < s->w->nodes; u++)
		for (i = 0; i < PLANS; i++) {
			if (!waited(s, u, (int)i, ~0ull))
				continue;
			if (n++ < 8)
				complain(s->w,
					 "node %u plan %u: %s: %u ends pending, contribution %u of %u is next (tainted %x, allowed_errors %x, deaf %u)",
					 u, s->w->era.plan[i].id, fate_name(fate),
					 atomic_load(&s->w->seat[u].plan[i].pending),
					 atomic_load(&s->w->seat[u].next),
					 atomic_load(&s->w->era.limit),
					 atomic_load(&s->w->era.tainted),
					 atomic_load(&s->w->era.allowed_errors),
					 atomic_load(&s->w->seat[u].deaf));
			record_fate(s->w, u,
				    i == BCAST	     ? HYPERCUBE_BCAST
				    : i == DOUBLING ? ROW_DOUBLED
					     : HYPERCUBE_REDUCE,
				    fate);
		}
}

/* Announce to all members that the plans of the mask @tainted will be replaced, and wait until all
 * know that they must not contribute to these any more. Return: false if this takes longer than the
 * time limit.
 */
static bool all_have_seen(struct soak *s, uint32_t tainted)
{
	uint64_t end = now_ms() + 10000 * s->w->wait_secs;
	uint32_t u, left;

	atomic_fetch_or(&s->w->era.tainted, tainted);

	do {
		members_wake(s->w);
		left = 0;
		for (u = 0; u < s->w->nodes; u++)
			left += s->w->seat[u].takes_part &&
				tainted & ~atomic_load(&s->w->seat[u].seen);
		if (!left)
			return true;
		usleep(2000);
	} while (now_ms() < end);
	return false;
}

/* Stop all contributions to a plan. Return: false if that is not possible, as a stopped process
 * would contribute once it continues.
 */
bool members_stop(struct soak *s, int plan)
{
	uint32_t u;

	for (u = 0; u < s->w->nodes; u++)
		if (s->w->seat[u].stopped)
			return false;
	return all_have_seen(s, 1u << plan);
}

/* Remove all plans. This must end the operations that wait for members which have stopped
 * contributing.
 */
static void release(struct soak *s)
{
	struct world *w = s->w;
	struct plan old[PLANS];
	uint32_t i;

	chaos_end(s);
	if (!all_have_seen(s, (1u << PLANS) - 1))
		complain(w, "members do not run");
	atomic_fetch_or(&w->era.allowed_errors, EX_REPLACE);
	atomic_store(&w->era.deeds.replaced, (1u << PLANS) - 1);
	s->released++;
	memcpy(old, w->era.plan, sizeof(old));
	for (i = 0; i < PLANS; i++)
		if (hcctl(NULL, 0, "tree del %s plan %u", w->fabric, old[i].id) < 0)
			complain(w, "hcctl tree del: %s", hcctl_said());
	s->fresh = false;
	s->calm_since = now_ms();
	while (!all_finished(s) && !interrupted) {
		if (longest_wait(s) > 10000 * w->wait_secs) {
			waiting_show(s);
			ledger_waiting(s, LOST);
			break;
		}
		say(s);
		usleep(3000);
	}
}

/* --- an era --- */

static void sizes_choose(struct soak *s)
{
	struct era *e = &s->w->era;
	uint32_t r = below(&s->dice, 100), i;

	e->sizes = r < 60 ? SMALL : r < 85 ? MIXED : LARGE;
	e->ops = e->sizes == SMALL   ? 500 + below(&s->dice, 3000)
		 : e->sizes == MIXED ? 100 + below(&s->dice, 500)
				     : 20 + below(&s->dice, 60);
	if (s->w->nodes > 16)
		e->ops = e->ops / 3 + 10;
	e->window = 1 + below(&s->dice, chance(&s->dice, 50) ? 8 : 60);
	e->notify = chance(&s->dice, 70) ? below(&s->dice, 101) : 100;
	e->datagrams = chance(&s->dice, 50) ? 0 : below(&s->dice, 20);
	e->small_reads = chance(&s->dice, 25);
	for (i = 0; i < PLANS; i++)
		e->weight[i] = chance(&s->dice, 25) ? 0 : 1 + below(&s->dice, 4);
	e->weight[TREE_A] += !e->weight[TREE_A] && chance(&s->dice, 75);
}

/* Close all sockets and bind new ones, as the manual advises for the case that members no longer
 * agree on operation numbers.
 */
static void rebind(struct soak *s)
{
	uint64_t all = s->w->nodes == 64 ? ~0ull : (1ull << s->w->nodes) - 1;

	members_order(s, all, ORDER_CLOSE);
	usleep(100000 * s->w->wait_secs);
	members_order(s, all, ORDER_BIND);
	usleep(50000 * s->w->wait_secs);
	s->carried |= EX_CLOSE;
	s->rebound++;
}

static bool any_active(const struct era *e)
{
	uint32_t i, n = 0;

	for (i = 0; i < PLANS; i++)
		n += e->plan[i].active ? e->weight[i] : 0;
	return n;
}

/* Choose the plans of this era: after an era with failures or impairments (not @clean), new plans;
 * otherwise new plans or the existing ones.
 */
static bool era_plans(struct soak *s, bool clean)
{
	bool was_impaired = s->unclean;

	s->carried = 0;
	if (clean && !was_impaired && chance(&s->dice, 60)) {
		if (chance(&s->dice, 20))
			rebind(s);
		else
			s->continued++;
	} else {
		chaos_faults(s);
		if (!plans_install(s))
			return false;
	}
	/* The plans avoid the present faults, so these explain no error. */
	deeds_forget(s->w);
	chaos_impair(s);
	sizes_choose(s);
	if (!any_active(&s->w->era))
		s->w->era.weight[TREE_A] = 1;
	return s->w->era.plan[TREE_A].active;
}

static void era_begin(struct soak *s)
{
	struct world *w = s->w;
	struct era *e = &w->era;
	uint32_t u, i;

	if (e->ops > OPS_MAX)
		e->ops = OPS_MAX;
	for (i = 0; i < PLANS; i++)
		memset(w->ledger[i], 0, e->ops * sizeof(w->ledger[i][0]));
	for (u = 0; u < w->nodes; u++) {
		struct seat *seat = &w->seat[u];

		atomic_store(&seat->next, 0);
		atomic_store(&seat->deaf, 0);
		for (i = 0; i < PLANS; i++) {
			atomic_store(&seat->plan[i].begun, 0);
			atomic_store(&seat->plan[i].attempted, 0);
			atomic_store(&seat->plan[i].pending, 0);
		}
		seat->takes_part = true;
	}
	atomic_store(&e->tainted, 0);
	atomic_store(&e->allowed_errors, s->carried);
	if (s->carried & EX_CLOSE)
		atomic_store(&e->deeds.closed, ~0ull);
	atomic_store(&e->limit, e->ops);
	s->absent = false;
	s->eras++;
	s->calm_since = now_ms();
	s->next_event = s->calm_since + below(&s->dice, 400);
	atomic_fetch_add(&e->gen, 1);
	members_wake(w);
}

/* Stop all members at the contribution that the most advanced member has reached. */
static void era_stop(struct soak *s)
{
	uint32_t u, most = 0, next;

	for (u = 0; u < s->w->nodes; u++) {
		next = s->w->seat[u].takes_part ? atomic_load(&s->w->seat[u].next) : 0;
		if (next > most)
			most = next;
	}
	if (most < atomic_load(&s->w->era.limit) || most > atomic_load(&s->w->era.limit)) {
		atomic_store(&s->w->era.limit, most);
		members_wake(s->w);
	}
}

static void era_watch(struct soak *s)
{
	uint64_t stop = now_ms() + 4000 + below(&s->dice, 4000), t, ask = 2500 * s->w->wait_secs;

	while (!all_finished(s) && !interrupted) {
		usleep(3000);
		say(s);
		if (now_ms() < stop)
			chaos_event(s);
		else
			chaos_end(s);
		if (now_ms() >= stop || atomic_load(&s->w->era.tainted) == (1u << PLANS) - 1)
			era_stop(s);
		t = longest_wait(s);
		if (t < 1000 * s->w->wait_secs)
			ask = 2500 * s->w->wait_secs;
		/* Query once more after some time, as an operation that waited at the first query
		 * may have waited for lost frames.
		 */
		if (t > ask && (atomic_load(&s->w->era.tainted) || s->absent)) {
			ask = t + 2500 * s->w->wait_secs;
			if (waiting_explained(s)) {
				release(s);
				return;
			}
		}
		if (t > 10000 * s->w->wait_secs) {
			waiting_show(s);
			ledger_waiting(s, HUNG);
			release(s);
			return;
		}
	}
}

/* End the era. At this time all ends have arrived, or will never arrive. */
static void era_end(struct soak *s)
{
	uint64_t all = s->w->nodes == 64 ? ~0ull : (1ull << s->w->nodes) - 1;
	uint64_t part = 0;
	uint32_t u;

	chaos_end(s);
	for (u = 0; u < s->w->nodes; u++)
		part |= (uint64_t)s->w->seat[u].takes_part << u;
	if (!members_order(s, part & all, ORDER_SETTLE)) {
		ledger_waiting(s, LOST);
		if (!members_order(s, part & all, ORDER_SETTLE_NOW))
			complain(s->w, "members do not settle");
	}
}

/* --- the fabric --- */

static bool fabric_make(struct soak *s)
{
	FILE *f = fopen("/sys/module/hypercube/parameters/family", "r");
	bool known = f && fscanf(f, "%d", &s->w->family) == 1;

	if (f)
		fclose(f);
	if (!known) {
		puts("the module is not loaded");
		return false;
	}
	/* This stall timeout is so short that an operation that a silent link makes fail ends
	 * before it counts as hung.
	 */
	return config(s, "fabric add %s dim %u segment %u", s->w->fabric, s->w->dim,
		      s->w->segment) &&
	       config(s, "fabric set %s stall-timeout 4s", s->w->fabric);
}

/* Run eras until @s->end. Return: 1 if the fabric could not be made, else 0. */
int world_run(struct soak *s)
{
	bool clean = false;

	if (!fabric_make(s))
		return 1;
	while (now_ms() < s->end && !interrupted) {
		if (!members_spawn(s)) {
			complain(s->w, "members do not bind");
			atomic_fetch_add(&s->w->bad, 1);
			break;
		}
		chaos_choose(s);
		if (!era_plans(s, clean))
			break;
		era_begin(s);
		era_watch(s);
		era_end(s);
		clean = !atomic_load(&s->w->era.tainted) && !s->absent &&
			!(atomic_load(&s->w->era.allowed_errors) & ~(uint32_t)EX_CLOSE);
		say(s);
	}
	atomic_store(&s->w->quit, 1);
	members_continue(s);
	members_end(s);
	config(s, "fabric del %s", s->w->fabric);
	return 0;
}
