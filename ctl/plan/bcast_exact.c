// SPDX-License-Identifier: GPL-2.0
/*
 * Search for a sequence of a given length, depth first, over the sets of informed nodes.
 *
 * The search gives up a set if the remaining steps cannot be enough: because a step at most doubles
 * the number of informed nodes, because some member is farther away than that many steps, or
 * because the search has given up the same set before with as many or more steps left. It does not
 * take a step whose result is a subset of the result of another step. None of these rules loses a
 * sequence, so a search that was not interrupted is a proof.
 */
#include <errno.h>
#include <stdlib.h>

#include "bcast_impl.h"
#include "memory.h"

/* The most words of sets that the search may read; no limit if a set has a single word. */
#define EXACT_WORK	400000000ull
/* The most bytes of the table of sets that the search has given up. */
#define TABLE_BYTES	(64u << 20)
/* The most bytes of the sets that result from the steps being tried. */
#define SETS_BYTES	(256u << 20)
/* The table has eight times as many entries for each further dimension, up to this one. */
#define TABLE_DIM	6

/**
 * struct exact - the state of the search
 * @q: the sequence so far
 * @work: number of words that the search may still read
 * @sets: for each number of steps left: the n sets that result from a step, and two sets of
 *	scratch memory
 * @table: the sets that were given up
 * @left: for each entry of @table, the number of steps that were left; 0 if the entry is empty
 * @slots: number of entries of @table, a power of two
 */
struct exact {
	struct hc_bseq *q;
	unsigned long long work;
	uint64_t *sets;
	uint64_t *table;
	uint16_t *left;
	size_t slots;
};

/* Return: set @i of the sets for @left steps left. */
static uint64_t *set_at(const struct exact *e, unsigned int left, unsigned int i)
{
	const struct hc_bscene *s = e->q->s;

	return e->sets + ((size_t)left * (s->n + 2) + i) * s->words;
}

static int exact_init(struct exact *e, struct hc_bseq *q, unsigned int len)
{
	const struct hc_bscene *s = q->s;
	size_t bytes = s->words * sizeof(uint64_t);

	if (len > SETS_BYTES / bytes / (s->n + 2))
		return -EBUSY;
	e->q = q;
	e->work = s->words > 1 ? EXACT_WORK : ~0ull;
	e->slots = s->n < TABLE_DIM ? (size_t)8 << 3 * s->n : (size_t)8 << 3 * TABLE_DIM;
	while (e->slots > 1 && e->slots * bytes > TABLE_BYTES)
		e->slots /= 2;
	e->sets = malloc((size_t)(len + 1) * (s->n + 2) * bytes);
	e->table = malloc(e->slots * bytes);
	e->left = calloc(e->slots, sizeof(*e->left));
	return e->sets && e->table && e->left ? 0 : -ENOMEM;
}

static void exact_free(struct exact *e)
{
	hc_free_all(e->sets, e->table, e->left);
}

/* Return: the entry of the table for the set @x. */
static size_t slot_of(const struct exact *e, const uint64_t *x)
{
	uint64_t h = 0;
	size_t w;

	for (w = 0; w < e->q->s->words; w++) {
		h = (h ^ x[w]) * 0x9e3779b97f4a7c15;
		h ^= h >> 29;
	}
	return (h >> 20) & (e->slots - 1);
}

/* Has the search given up the set @x with @left or more steps left? */
static bool given_up(const struct exact *e, size_t slot, const uint64_t *x, unsigned int left)
{
	size_t words = e->q->s->words;

	return e->left[slot] >= left &&
	       !memcmp(e->table + slot * words, x, words * sizeof(*x));
}

/* Record that the search has given up the set @x with @left steps left. */
static void give_up(struct exact *e, size_t slot, const uint64_t *x, unsigned int left)
{
	size_t words = e->q->s->words;

	memcpy(e->table + slot * words, x, words * sizeof(*x));
	e->left[slot] = (uint16_t)left;
}

/* Is every member at most @left hops away from the informed nodes @x? */
static bool near_enough(struct exact *e, const uint64_t *x, unsigned int left)
{
	const struct hc_bscene *s = e->q->s;
	uint64_t *a = set_at(e, left, s->n), *b = set_at(e, left, s->n + 1), *swap;
	unsigned int hop, d;
	size_t w;

	memcpy(a, x, s->words * sizeof(*a));
	for (hop = 0; hop < left; hop++) {
		if (!memcmp(a, s->members, s->words * sizeof(*a)))
			return true;
		memcpy(b, a, s->words * sizeof(*b));
		for (d = 0; d < s->n; d++)
			for (w = 0; w < s->words; w++)
				b[w] |= hc_bset_shifted(a, w, d) & s->over[d][w];
		swap = a;
		a = b;
		b = swap;
	}
	return !memcmp(a, s->members, s->words * sizeof(*a));
}

static bool subset(const uint64_t *a, const uint64_t *b, size_t words)
{
	size_t w;

	for (w = 0; w < words; w++)
		if (a[w] & ~b[w])
			return false;
	return true;
}

/* A step that the search tries: its dimension, and number of nodes that it informs. */
struct child {
	uint32_t gain;
	uint8_t dim;
};

/* List the steps that are worth trying from the set @x, the one that informs the most nodes first.
 * Return: their number.
 */
static unsigned int children(struct exact *e, const uint64_t *x, unsigned int left,
			     struct child *list)
{
	const struct hc_bscene *s = e->q->s;
	unsigned int n = 0, d, j, k;
	struct child one;

	for (d = 0; d < s->n; d++) {
		one.gain = hc_bset_step(s, x, d, set_at(e, left, d));
		one.dim = (uint8_t)d;
		if (!one.gain)
			continue;
		for (j = n++; j && list[j - 1].gain < one.gain; j--)
			list[j] = list[j - 1];
		list[j] = one;
	}
	for (j = 1; j < n; j++) {
		for (k = 0; k < j; k++)
			if (subset(set_at(e, left, list[j].dim),
				   set_at(e, left, list[k].dim), s->words))
				break;
		if (k == j)
			continue;
		memmove(&list[j], &list[j + 1], (n - j - 1) * sizeof(*list));
		n--;
		j--;
	}
	return n;
}

/* Search on from the set @x of @informed members with @left steps left. Return: 1 if a sequence is
 * found, 0 if there is none, -EBUSY if the search became too long.
 */
static int descend(struct exact *e, const uint64_t *x, uint32_t informed, unsigned int left)
{
	const struct hc_bscene *s = e->q->s;
	unsigned long long price = (unsigned long long)s->words * s->n * (left + 2);
	struct child list[HC_LIB_DIM_MAX];
	unsigned int n, i;
	size_t slot;
	int rc;

	if (informed == s->nmembers)
		return 1;
	if (!left || (uint64_t)informed << (left < 20 ? left : 20) < s->nmembers)
		return 0;
	slot = slot_of(e, x);
	if (given_up(e, slot, x, left))
		return 0;
	if (e->work < price)
		return -EBUSY;
	e->work -= price;
	if (near_enough(e, x, left)) {
		n = children(e, x, left, list);
		for (i = 0; i < n; i++) {
			e->q->seq[e->q->steps++] = list[i].dim;
			rc = descend(e, set_at(e, left, list[i].dim),
				     informed + list[i].gain, left - 1);
			if (rc)
				return rc;
			e->q->steps--;
		}
	}
	give_up(e, slot, x, left);
	return 0;
}

int hc_bcast_exact(struct hc_bseq *q, unsigned int len)
{
	unsigned int steps, i;
	struct hc_bseq now;
	struct exact e;
	int rc;

	memset(&e, 0, sizeof(e));
	rc = hc_bseq_init(&now, q->s);
	if (!rc)
		rc = exact_init(&e, &now, len);
	if (!rc)
		rc = descend(&e, now.x, 1, len);
	if (rc == 1) {
		steps = now.steps;
		hc_bseq_reset(q);
		for (i = 0; i < steps; i++)
			hc_bseq_step(q, now.seq[i]);
	}
	exact_free(&e);
	hc_bseq_free(&now);
	return rc;
}
