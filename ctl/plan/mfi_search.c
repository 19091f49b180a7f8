// SPDX-License-Identifier: GPL-2.0
/*
 * Branch and bound for a feasible set of a given size. The next processor to try is one of an
 * environment with few candidates, see next(). Bound: an environment is worth its weight times the
 * number of faults that it can still get. When the worth of all environments, plus the processors
 * that were taken, is less than the wanted size, there is no such set.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "mfi.h"

#define ASK_EVERY 1024

/* A processor is undecided, in the set, or excluded from it. */
enum state { OPEN, IN, OUT };

/**
 * struct search - a partial set
 * @net: the processors
 * @w: weights
 * @room: for each environment, number of faults that it may still get
 * @open: for each environment, number of its undecided processors
 * @state: for each processor, enum state
 * @trail: the decided processors, in the order of decisions
 * @decided: number of decided processors
 * @done: number of these for which follow() has excluded others
 * @taken: number of processors in the set
 * @size: number of processors that are wanted
 * @worth: worth of all environments and undecided processors together
 * @go_on: as for hc_mfi_search()
 * @arg: argument of @go_on
 * @nodes: as for hc_mfi_search()
 * @stopped: @go_on has ended the search
 */
struct search {
	const struct hc_mfi_net *net;
	const struct hc_mfi_weights *w;
	uint32_t *room;
	uint32_t *open;
	uint8_t *state;
	uint32_t *trail;
	uint32_t decided;
	uint32_t done;
	uint32_t taken;
	uint32_t size;
	uint64_t worth;
	bool (*go_on)(void *arg);
	void *arg;
	uint64_t *nodes;
	bool stopped;
};

/* Return: the worth of environment @e. */
static uint64_t worth(const struct search *s, uint32_t e)
{
	uint32_t faults = s->room[e] < s->open[e] ? s->room[e] : s->open[e];

	return s->w->env[e] * faults;
}

/* Decide that processor @v is in the set (IN) or not (OUT). */
static void decide(struct search *s, uint32_t v, enum state to)
{
	s->state[v] = to;
	s->taken += to == IN;
	s->trail[s->decided++] = v;
	s->worth -= s->w->own[v];
	HC_MFI_EACH(e, &s->net->in, v) {
		s->worth -= worth(s, *e);
		s->open[*e]--;
		s->room[*e] -= to == IN;
		s->worth += worth(s, *e);
	}
}

/* Undo all decisions but the first @to. */
static void undo(struct search *s, uint32_t to)
{
	while (s->decided > to) {
		uint32_t v = s->trail[--s->decided];

		s->worth += s->w->own[v];
		HC_MFI_EACH(e, &s->net->in, v) {
			s->worth -= worth(s, *e);
			s->open[*e]++;
			s->room[*e] += s->state[v] == IN;
			s->worth += worth(s, *e);
		}
		s->taken -= s->state[v] == IN;
		s->state[v] = OPEN;
	}
	s->done = to;
}

/* For each processor that was added to the set: exclude the undecided processors of its
 * environments that have no room left.
 */
static void follow(struct search *s)
{
	while (s->done < s->decided) {
		uint32_t v = s->trail[s->done++];

		if (s->state[v] != IN)
			continue;
		HC_MFI_EACH(e, &s->net->in, v) {
			if (s->room[*e])
				continue;
			HC_MFI_EACH(u, &s->net->env, *e)
				if (s->state[*u] == OPEN)
					decide(s, *u, OUT);
		}
	}
}

/* Return: true if the bound allows a set of the wanted size. */
static bool enough(const struct search *s)
{
	return s->taken >= s->size ||
		s->worth / s->w->scale >= s->size - s->taken;
}

/* Return: the processor to try next, or n if all are decided. It is an undecided processor of the
 * environment with the fewest undecided ones among those that have more undecided processors than
 * room; if there is no such environment, of any that has room.
 */
static uint32_t next(const struct search *s)
{
	uint32_t e, best = s->net->n, any = s->net->n;

	for (e = 0; e < s->net->n; e++) {
		if (!s->open[e] || !s->room[e])
			continue;
		any = e;
		if (s->open[e] > s->room[e] && (best == s->net->n || s->open[e] < s->open[best]))
			best = e;
	}
	if (best == s->net->n)
		best = any;
	if (best < s->net->n)
		HC_MFI_EACH(v, &s->net->env, best)
			if (s->state[*v] == OPEN)
				return *v;
	return s->net->n;
}

/* Return: true if adding @v would exclude no other processor. */
static bool free_of_charge(const struct search *s, uint32_t v)
{
	HC_MFI_EACH(e, &s->net->in, v)
		if (s->open[*e] > s->room[*e])
			return false;
	return true;
}

/* Count a node of the search tree. Return: false if the search is to end. */
static bool asked(struct search *s)
{
	if (++*s->nodes % ASK_EVERY == 0 && s->go_on && !s->go_on(s->arg))
		s->stopped = true;
	return !s->stopped;
}

/* Search below the present partial set. Return: true if a set was found. */
static bool descend(struct search *s)
{
	uint32_t mark = s->decided, v;
	bool only_in;

	if (!asked(s) || !enough(s))
		return false;
	v = next(s);
	if (v == s->net->n || s->taken >= s->size)
		return s->taken >= s->size;
	only_in = free_of_charge(s, v);
	decide(s, v, IN);
	follow(s);
	if (descend(s))
		return true;
	undo(s, mark);
	if (only_in || s->stopped)
		return false;
	decide(s, v, OUT);
	follow(s);
	if (descend(s))
		return true;
	undo(s, mark);
	return false;
}

/* Begin with all processors undecided. Return: false without memory. */
static bool begin(struct search *s)
{
	uint32_t i, n = s->net->n;

	s->room = calloc(n, sizeof(*s->room));
	s->open = calloc(n, sizeof(*s->open));
	s->state = calloc(n, sizeof(*s->state));
	s->trail = calloc(n, sizeof(*s->trail));
	if (!s->room || !s->open || !s->state || !s->trail)
		return false;
	for (i = 0; i < n; i++) {
		s->room[i] = hc_mfi_tg(s->net, i);
		s->open[i] = hc_mfi_length(&s->net->env, i);
		s->worth += worth(s, i) + s->w->own[i];
	}
	return true;
}

int hc_mfi_search(const struct hc_mfi_net *net, const struct hc_mfi_weights *w, uint32_t size,
		  bool *set, bool (*go_on)(void *arg), void *arg, uint64_t *nodes)
{
	struct search s = {
		.net = net, .w = w, .size = size, .go_on = go_on, .arg = arg, .nodes = nodes,
	};
	int rc = -ENOMEM;
	uint32_t v;

	if (begin(&s)) {
		/* By symmetry, processor 0 may be assumed to be in the set. */
		if (net->transitive && size) {
			decide(&s, 0, IN);
			follow(&s);
		}
		rc = descend(&s) ? HC_MFI_YES : s.stopped ? HC_MFI_STOPPED : HC_MFI_NO;
		for (v = 0; rc == HC_MFI_YES && v < net->n; v++)
			set[v] = s.state[v] == IN;
	}
	hc_free_all(s.room, s.open, s.state, s.trail);
	return rc;
}
