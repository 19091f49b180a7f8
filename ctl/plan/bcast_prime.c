// SPDX-License-Identifier: GPL-2.0
/*
 * Prime subcubes, the broadcasting rule, and Broadcast1, which is made of these two.
 *
 * A prime subcube is a fault-free subcube that no larger fault-free subcube contains. The
 * broadcasting rule is the order of the external dimensions, those along which the prime subcube is
 * fixed; see rule().
 *
 * A subcube through a node has a fault inside iff its free dimensions contain the fault's
 * coordinates relative to the node. So the external dimensions of a fault-free subcube hit all
 * faults: a prime subcube belongs to a minimal hitting set, a largest one to a minimum hitting set.
 * With at most 16 dimensions all subcubes can be checked: in n passes over a bit map, each subcube
 * that contains a bad one is marked as bad, too.
 *
 * In the simulation of a sequence a faulty link blocks exactly that link. Where the rule counts
 * faults, a faulty link along the dimension in question counts as a fault of its far end.
 */
#include <errno.h>
#include <stdlib.h>

#include "bcast_impl.h"

/* How many of the largest subcubes are tried. */
#define TRIES 64

uint32_t hc_bcast_faults(const struct hc_bscene *s, uint32_t node, uint32_t dims)
{
	uint32_t i, n = 0;

	for (i = 0; i < s->nfaults; i++)
		n += !(hc_bfault_at(&s->fault[i], node) & ~dims);
	return n;
}

void hc_bcast_bad(const struct hc_bscene *s, uint32_t node, uint64_t *bad)
{
	static const uint64_t low[HC_WORD_DIMS] = {
		0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
		0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff,
	};
	unsigned int d;
	uint32_t i;
	size_t w;

	memset(bad, 0, s->words * sizeof(*bad));
	for (i = 0; i < s->nfaults; i++)
		hc_bset_add(bad, hc_bfault_at(&s->fault[i], node));
	for (d = 0; d < s->n; d++) {
		for (w = 0; w < s->words; w++) {
			size_t bit = d < HC_WORD_DIMS ? 0 : (size_t)1 << (d - HC_WORD_DIMS);

			if (d < HC_WORD_DIMS)
				bad[w] |= (bad[w] & low[d]) << (1u << d);
			else if (w & bit)
				bad[w] |= bad[w ^ bit];
		}
	}
}

uint32_t hc_bcast_grow(const uint64_t *bad, uint32_t dims, uint32_t free)
{
	uint32_t rest, bit;

	for (rest = dims & ~free; rest; rest ^= bit) {
		bit = rest & -rest;
		if (!hc_bset_has(bad, free | bit))
			free |= bit;
	}
	return free;
}

uint32_t hc_bcast_missing(const struct hc_bseq *q, const struct hc_bcube *c)
{
	uint32_t sub = 0, n = 0, u;

	if (c->dims == hc_ones(q->s->n))
		return q->s->nmembers - q->informed;
	do {
		u = (c->node & ~c->dims) | sub;
		n += hc_bset_has(q->s->members, u) && !hc_bset_has(q->x, u);
		sub = (sub - c->dims) & c->dims;
	} while (sub);
	return n;
}

/* Write the dimensions @external to @order, by ascending number of faults inside @c that the
 * dimension separates from @c->node. Return: number of dimensions.
 */
static unsigned int rule(const struct hc_bscene *s, const struct hc_bcube *c,
			 uint32_t external, uint8_t *order)
{
	uint32_t beyond[HC_LIB_DIM_MAX] = { 0 }, i, at;
	unsigned int n = 0, d, j;

	for (i = 0; i < s->nfaults; i++) {
		at = hc_bfault_at(&s->fault[i], c->node);
		if (at & ~c->dims)
			continue;
		for (d = 0; d < s->n; d++)
			beyond[d] += at >> d & 1;
	}
	for (d = 0; d < s->n; d++) {
		if (!(external & hc_bit(d)))
			continue;
		for (j = n++; j && beyond[order[j - 1]] > beyond[d]; j--)
			order[j] = order[j - 1];
		order[j] = (uint8_t)d;
	}
	return n;
}

/* Add one step for the pseudo-faulty nodes, along the dimension that leaves the fewest members
 * without the message. By Theorem 1 there is an internal dimension along which no two bad nodes
 * (failed ones, or members without the message) are neighbours: a step along it leaves no member
 * without the message. So internal dimensions are tried first. @trial: memory for trying a step.
 * Return: number of members that are left.
 */
static uint32_t extra_step(struct hc_bseq *q, const struct hc_bcube *c, uint32_t internal,
			   struct hc_bseq *trial)
{
	uint32_t fewest = UINT32_MAX, left;
	unsigned int pass, d, best = 0;

	for (pass = 0; pass < 2; pass++) {
		for (d = 0; d < q->s->n; d++) {
			if (!(c->dims & hc_bit(d)) || !!(internal & hc_bit(d)) == pass)
				continue;
			hc_bseq_copy(trial, q);
			hc_bseq_step(trial, d);
			left = hc_bcast_missing(trial, c);
			if (left < fewest) {
				fewest = left;
				best = d;
			}
		}
	}
	hc_bseq_step(q, best);
	return fewest;
}

/* Add the steps of Broadcast1 with the prime subcube whose free dimensions are @internal. Return:
 * number of members that are left without the message.
 */
static uint32_t from_prime(struct hc_bseq *q, const struct hc_bcube *c, uint32_t internal,
			   struct hc_bseq *trial)
{
	uint8_t order[HC_LIB_DIM_MAX];
	unsigned int d, i, n;
	uint32_t left;

	for (d = 0; d < q->s->n; d++)
		if (internal & hc_bit(d))
			hc_bseq_step(q, d);
	n = rule(q->s, c, c->dims & ~internal, order);
	for (i = 0; i < n; i++)
		hc_bseq_step(q, order[i]);
	left = hc_bcast_missing(q, c);
	if (left)
		left = extra_step(q, c, internal, trial);
	/* Theorem 1 is about faulty nodes only. With faulty links, one more step was enough in all
	 * cases that were tried.
	 */
	if (left && q->s->nlinks && q->s->nfaults < q->s->n)
		left = extra_step(q, c, internal, trial);
	return left;
}

/* The prime subcubes tried so far: @best: the best sequence; @missed: number of members that @best
 * does not inform; @any: a prime subcube has been tried. @now, @trial: memory for sequences. @bad:
 * see hc_bcast_bad().
 */
struct search {
	struct hc_bseq best;
	struct hc_bseq now;
	struct hc_bseq trial;
	uint64_t *bad;
	uint32_t missed;
	bool any;
};

/* Try the prime subcube with the free dimensions @internal. */
static void try_prime(struct hc_bseq *q, const struct hc_bcube *c, struct search *t,
		      uint32_t internal)
{
	uint32_t missed;

	hc_bseq_copy(&t->now, q);
	missed = from_prime(&t->now, c, internal, &t->trial);
	if (t->any && (missed > t->missed ||
		       (missed == t->missed && t->now.steps >= t->best.steps)))
		return;
	t->any = true;
	t->missed = missed;
	hc_bseq_copy(&t->best, &t->now);
}

/* Find the largest fault-free subcubes that contain the seed, those of the highest dimensions
 * first, and try them.
 */
static void try_largest(struct hc_bseq *q, const struct hc_bcube *c, struct search *t)
{
	uint32_t rest = c->dims & ~c->seed, sub = rest;
	unsigned int most = 0, tries = 0, weight;

	do {
		weight = hc_weight32(sub);
		if (weight > most && !hc_bset_has(t->bad, c->seed | sub))
			most = weight;
		sub = (sub - 1) & rest;
	} while (sub != rest);
	do {
		if (hc_weight32(sub) == most && !hc_bset_has(t->bad, c->seed | sub)) {
			try_prime(q, c, t, c->seed | sub);
			tries++;
		}
		sub = (sub - 1) & rest;
	} while (sub != rest && tries < TRIES);
}

int hc_bcast_broadcast1(struct hc_bseq *q, const struct hc_bcube *c)
{
	struct search t = { 0 };
	int err;

	t.bad = malloc(q->s->words * sizeof(*t.bad));
	err = hc_bseq_init(&t.best, q->s);
	if (!err)
		err = hc_bseq_init(&t.now, q->s);
	if (!err)
		err = hc_bseq_init(&t.trial, q->s);
	if (!err && !t.bad)
		err = -ENOMEM;
	if (!err) {
		hc_bcast_bad(q->s, c->node, t.bad);
		if (c->greedy)
			try_prime(q, c, &t, hc_bcast_grow(t.bad, c->dims, c->seed));
		else
			try_largest(q, c, &t);
		hc_bseq_copy(q, &t.best);
	}
	free(t.bad);
	hc_bseq_free(&t.best);
	hc_bseq_free(&t.now);
	hc_bseq_free(&t.trial);
	return err;
}
