// SPDX-License-Identifier: GPL-2.0
/*
 * Breadth-first search from all nodes of a subcube at once, level by level. A set of nodes is moved
 * along dimension d by exchanging its halves: words that are 2^(d - 6) apart or, for d < 6, bits
 * within each word.
 */
#include <stdlib.h>

#include "balance_impl.h"

/* Number of dimensions within a 64-bit word of a set. */
#define WORD_DIM 6

/**
 * struct hc_reach - a cube with faults, and memory for searches in it
 * @dim: its dimension
 * @words: number of words of a set
 * @good: for each dimension, the set of nodes whose link along it is healthy
 * @seen: the set of nodes that have been reached
 * @level: the nodes of the last level
 * @next: the nodes of the next level
 */
struct hc_reach {
	unsigned int dim;
	uint32_t words;
	uint64_t *good;
	uint64_t *seen;
	uint64_t *level;
	uint64_t *next;
};

struct hc_reach *hc_reach_new(const struct hc_faults *f)
{
	uint32_t words = f->dim <= WORD_DIM ? 1 : hc_nodes(f->dim - WORD_DIM), u;
	struct hc_reach *r = calloc(1, sizeof(*r) + (f->dim + 3) * words * sizeof(uint64_t));
	unsigned int d;

	if (!r)
		return NULL;
	*r = (struct hc_reach){ .dim = f->dim, .words = words, .good = (uint64_t *)(r + 1) };
	r->seen = r->good + f->dim * words;
	r->level = r->seen + words;
	r->next = r->level + words;
	for (u = 0; u < hc_nodes(f->dim); u++)
		for (d = 0; d < f->dim; d++)
			if (!((f->fault[u] | f->fault[hc_neigh(u, d)]) & hc_bit(d)))
				r->good[d * words + u / 64] |= 1ULL << (u % 64);
	return r;
}

void hc_reach_free(struct hc_reach *r)
{
	free(r);
}

/* Return: word @i of the set that results when all nodes of @set move along dimension @d. */
static uint64_t moved(const uint64_t *set, uint32_t i, unsigned int d)
{
	/* The nodes whose coordinate along d is 0. */
	static const uint64_t low[WORD_DIM] = {
		0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
		0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff,
	};

	if (d >= WORD_DIM)
		return set[i ^ hc_bit(d - WORD_DIM)];
	return (set[i] & low[d]) << hc_bit(d) | (set[i] >> hc_bit(d) & low[d]);
}

/* Begin a search: the nodes of @c are the first level. */
static void begin(struct hc_reach *r, const struct hc_cube *c)
{
	uint32_t u = c->base;

	memset(r->level, 0, r->words * sizeof(*r->level));
	do {
		r->level[u / 64] |= 1ULL << (u % 64);
		u = c->base | (((u & c->dims) - c->dims) & c->dims);
	} while (u != c->base);
	memcpy(r->seen, r->level, r->words * sizeof(*r->seen));
}

/* Compute the next level and make it the last one. Return: number of its nodes. */
static uint32_t step(struct hc_reach *r)
{
	uint64_t *old = r->level;
	uint32_t i, n = 0;
	unsigned int d;

	for (i = 0; i < r->words; i++) {
		uint64_t v = 0;

		for (d = 0; d < r->dim; d++)
			v |= moved(r->level, i, d) & r->good[d * r->words + i];
		v &= ~r->seen[i];
		r->next[i] = v;
		n += __builtin_popcountll(v);
	}
	for (i = 0; i < r->words; i++)
		r->seen[i] |= r->next[i];
	r->level = r->next;
	r->next = old;
	return n;
}

struct hc_reached hc_reach_from(struct hc_reach *r, const struct hc_cube *c, unsigned int limit)
{
	struct hc_reached all = { .nodes = hc_nodes(hc_weight32(c->dims)) };
	uint32_t n;

	begin(r, c);
	while (all.depth <= limit) {
		n = step(r);
		if (!n)
			break;
		all.nodes += n;
		all.depth++;
	}
	return all;
}
