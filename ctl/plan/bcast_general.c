// SPDX-License-Identifier: GPL-2.0
/*
 * Any number of faults: divide and conquer.
 *
 * Broadcast1 handles a cube with fewer faults than dimensions. Any other cube is halved along a
 * dimension: the message is broadcast in one half, crosses over to the other half, and a few more
 * steps inform the members that are left. The paper takes the half with fewer faults and first
 * sends the message there, which is impossible if the source's neighbour in that half has failed.
 * So a dimension may be chosen only if the half with fewer faults holds the source, or the source's
 * link along the dimension can be used.
 *
 * At the outermost level every dimension that may be chosen is tried, with and without the
 * additional steps inside the halves. The paper's choice is tried first; another one replaces it
 * only if its sequence is shorter.
 */
#include <errno.h>
#include <stdlib.h>

#include "bcast_impl.h"

/**
 * struct trial - the choices of one attempt
 * @skip: number of dimensions to pass over when the outermost halves are chosen
 * @inner: before any step outside of a half, add steps inside the half as long as they inform
 *	members
 * @greedy: take prime subcubes that one greedy pass finds
 */
struct trial {
	unsigned int skip;
	bool inner;
	bool greedy;
};

/* Return: number of members inside @c that would still lack the message after a step along @d.
 * @now: memory for the step.
 */
static uint32_t left_after(const struct hc_bseq *q, const struct hc_bcube *c, unsigned int d,
			   struct hc_bseq *now)
{
	hc_bseq_copy(now, q);
	hc_bseq_step(now, d);
	return hc_bcast_missing(now, c);
}

/* Add steps inside the cube @c as long as they inform members, each along the dimension that leaves
 * the fewest members without the message. Without faulty links that is the dimension with the
 * fewest links between two bad nodes (failed ones, or members without the message); a faulty link
 * counts as one more such link.
 */
static int finish_inside(struct hc_bseq *q, const struct hc_bcube *c)
{
	uint32_t left = hc_bcast_missing(q, c), fewest, now;
	unsigned int d, best = 0;
	struct hc_bseq trial;
	int err;

	err = hc_bseq_init(&trial, q->s);
	while (!err && left) {
		fewest = left;
		for (d = 0; d < q->s->n; d++) {
			if (!(c->dims & hc_bit(d)))
				continue;
			now = left_after(q, c, d, &trial);
			if (now < fewest) {
				fewest = now;
				best = d;
			}
		}
		if (fewest == left)
			break;
		hc_bseq_step(q, best);
		left = fewest;
	}
	hc_bseq_free(&trial);
	return err;
}

/* A dimension along which a cube is halved: number of faults in the half with fewer faults, and
 * whether the message has to cross the dimension to enter this half.
 */
struct split {
	uint32_t faults;
	unsigned int dim;
	bool cross;
};

/* Choose the dimension along which @c is halved. @skip: number of choices to pass over. Return:
 * false if there is no further choice.
 */
static bool choose_split(const struct hc_bseq *q, const struct hc_bcube *c, unsigned int skip,
			 struct split *best)
{
	struct split list[HC_LIB_DIM_MAX], one;
	unsigned int n = 0, d, j;
	uint32_t far;

	for (d = 0; d < q->s->n; d++) {
		if (!(c->dims & hc_bit(d)))
			continue;
		one.dim = d;
		one.faults = hc_bcast_faults(q->s, c->node, c->dims ^ hc_bit(d));
		far = hc_bcast_faults(q->s, hc_neigh(c->node, d), c->dims ^ hc_bit(d));
		one.cross = far < one.faults;
		if (one.cross && !hc_bset_has(q->s->over[d], c->node))
			continue;
		if (one.cross)
			one.faults = far;
		for (j = n++; j && list[j - 1].faults > one.faults; j--)
			list[j] = list[j - 1];
		list[j] = one;
	}
	if (skip >= n)
		return false;
	*best = list[skip];
	return true;
}

/* Add the steps for the cube @c to the sequence. The recursion is at most as deep as the number of
 * dimensions. Return: 0, 1 (the choices of @t do not exist), or -ENOMEM.
 */
static int conquer(struct hc_bseq *q, const struct hc_bcube *c, const struct trial *t,
		   bool outermost)
{
	unsigned int k = hc_weight32(c->dims);
	struct hc_bcube half = *c;
	struct split split;
	int err;

	if (!k)
		return 0;
	if (hc_bcast_faults(q->s, c->node, c->dims) < k) {
		err = outermost && t->skip ? 1 : hc_bcast_broadcast1(q, c);
	} else if (choose_split(q, c, outermost ? t->skip : 0, &split)) {
		half.dims ^= hc_bit(split.dim);
		if (split.cross) {
			half.node ^= hc_bit(split.dim);
			hc_bseq_step(q, split.dim);
		}
		err = conquer(q, &half, t, false);
		hc_bseq_step(q, split.dim);
	} else {
		/* Members are cut off inside this cube; the steps outside of it
		 * will inform them.
		 */
		return outermost;
	}
	if (!err && (outermost || t->inner))
		err = finish_inside(q, c);
	return err;
}

/* Use Broadcast1 in the whole cube, whatever the number of faults. */
static int without_halves(struct hc_bseq *q, const struct hc_bcube *c)
{
	int err = hc_bcast_broadcast1(q, c);

	return err ?: finish_inside(q, c);
}

/* Replace @q by @now if that is shorter. */
static int keep_shorter(struct hc_bseq *q, struct hc_bseq *now)
{
	int err = hc_bseq_prune(now);

	if (!err && (!q->steps || now->steps < q->steps))
		hc_bseq_copy(q, now);
	return err;
}

/* Try all choices at the outermost level, and leave the shortest sequence in @q. */
static int all_trials(struct hc_bseq *q, struct hc_bseq *now, const struct hc_bcube *c)
{
	struct trial t = { .greedy = c->greedy };
	int err = 0;

	/* Further attempts with very long sequences would take more time than they are worth. */
	for (t.skip = 0; !err && t.skip < q->s->n; t.skip++) {
		if (q->steps > 4 * q->s->n)
			break;
		t.inner = true;
		do {
			hc_bseq_reset(now);
			err = conquer(now, c, &t, true);
			if (!err)
				err = keep_shorter(q, now);
			t.inner = !t.inner;
		} while (!err && !t.inner);
	}
	if (err < 0)
		return err;
	hc_bseq_reset(now);
	return without_halves(now, c) ?: keep_shorter(q, now);
}

int hc_bcast_general(struct hc_bseq *q, bool greedy)
{
	struct hc_bcube c = {
		.node = q->s->source, .dims = hc_ones(q->s->n), .greedy = greedy,
	};
	struct hc_bseq now;
	int err;

	err = hc_bseq_init(&now, q->s);
	if (!err)
		err = all_trials(q, &now, &c);
	hc_bseq_free(&now);
	return err;
}
