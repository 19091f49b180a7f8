// SPDX-License-Identifier: GPL-2.0
/*
 * Enlarging sets by exchanges: add all processors that fit; then force in one that conflicts with
 * few others, remove those that it conflicts with, and keep them out for some rounds.
 */
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "mfi.h"

#define SAMPLES 12

/* A set that is being changed. @faults: for each environment, its faults. @full: for each
 * processor, number of full environments that it is in. @until: for each processor, the round until
 * which it stays out.
 */
struct local {
	const struct hc_mfi_net *net;
	bool *set;
	uint32_t *faults;
	uint32_t *full;
	uint32_t *until;
	uint32_t size;
	uint32_t seed;
};

/* Return: a random number below @n. */
static uint32_t below(struct local *l, uint32_t n)
{
	l->seed = l->seed * 1664525 + 1013904223;
	return ((uint64_t)l->seed * n) >> 32;
}

/* Add processor @v to the set, or remove it. */
static void change(struct local *l, uint32_t v, bool in)
{
	l->set[v] = in;
	l->size += in ? 1 : -1;
	HC_MFI_EACH(e, &l->net->in, v) {
		bool was = l->faults[*e] >= hc_mfi_tg(l->net, *e), is;

		l->faults[*e] += in ? 1 : -1;
		is = l->faults[*e] >= hc_mfi_tg(l->net, *e);
		if (was != is)
			HC_MFI_EACH(w, &l->net->env, *e)
				l->full[*w] += is ? 1 : -1;
	}
}

/* Add all processors that fit, beginning with a random one. */
static void take_all(struct local *l)
{
	uint32_t start = below(l, l->net->n), i, v;

	for (i = 0; i < l->net->n; i++) {
		v = (start + i) % l->net->n;
		if (!l->set[v] && !l->full[v])
			change(l, v, true);
	}
}

/* Choose the processor to force in: of some random ones, the one with the fewest full environments.
 * Return: n if none of them may be added.
 */
static uint32_t choose(struct local *l, uint32_t round)
{
	uint32_t i, v, best = l->net->n;

	for (i = 0; i < SAMPLES; i++) {
		v = below(l, l->net->n);
		if (l->set[v] || l->until[v] > round)
			continue;
		if (best == l->net->n || l->full[v] < l->full[best])
			best = v;
	}
	return best;
}

/* Return: a random processor of the set, other than @keep, in environment @e, which has too many
 * faults.
 */
static uint32_t victim(struct local *l, uint32_t e, uint32_t keep)
{
	uint32_t nth = below(l, l->faults[e] - 1);

	HC_MFI_EACH(v, &l->net->env, e)
		if (l->set[*v] && *v != keep && !nth--)
			return *v;
	return keep;
}

/* Add @v, and remove other processors as long as an environment of @v has too many faults. */
static void force(struct local *l, uint32_t v, uint32_t round)
{
	uint32_t out;

	change(l, v, true);
	HC_MFI_EACH(e, &l->net->in, v)
		while (l->faults[*e] > hc_mfi_tg(l->net, *e)) {
			out = victim(l, *e, v);
			change(l, out, false);
			l->until[out] = round + 3 + below(l, 8);
		}
}

/* Begin with the processors of @set. */
static void init(struct local *l, const bool *set)
{
	uint32_t v;

	for (v = 0; v < l->net->n; v++)
		if (set[v])
			change(l, v, true);
}

/* Perform the rounds of exchanges. @set: set to the largest set of all rounds. */
static void rounds_of(struct local *l, bool *set, uint32_t rounds, uint32_t target)
{
	uint32_t round, v, best = 0;

	for (round = 0; round < rounds && best < target; round++) {
		take_all(l);
		if (l->size > best) {
			best = l->size;
			memcpy(set, l->set, l->net->n * sizeof(*set));
		}
		v = choose(l, round);
		if (v < l->net->n)
			force(l, v, round);
	}
}

uint32_t hc_mfi_local(const struct hc_mfi_net *net, bool *set, uint32_t rounds, uint32_t target)
{
	struct local l = { .net = net, .seed = 1 };
	uint32_t size = 0;

	l.set = calloc(net->n, sizeof(*l.set));
	l.faults = calloc(net->n, sizeof(*l.faults));
	l.full = calloc(net->n, sizeof(*l.full));
	l.until = calloc(net->n, sizeof(*l.until));
	if (l.set && l.faults && l.full && l.until) {
		init(&l, set);
		rounds_of(&l, set, rounds, target);
		size = hc_mfi_count(net, set);
	}
	hc_free_all(l.set, l.faults, l.full, l.until);
	return size;
}
