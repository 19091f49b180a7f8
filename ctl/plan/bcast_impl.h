/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the broadcast planners: sets of nodes in 64-bit words, the scene in which a
 * sequence is sought, and a sequence under construction.
 */
#ifndef _HC_BCAST_IMPL_H
#define _HC_BCAST_IMPL_H

#include "bcast.h"

/* All dimensions of a set that fit in a word. */
#define HC_WORD_DIMS	6

/**
 * struct hc_bfault - a fault
 * @node: a node that is no member, or the lower end of a link
 * @bit: 0 for a node, else the bit of the link's dimension
 */
struct hc_bfault {
	uint32_t node;
	uint32_t bit;
};

/* Where a fault is as seen from @node: the subcube through @node with the free
 * dimensions D has it inside iff these are a subset of D.
 */
static inline uint32_t hc_bfault_at(const struct hc_bfault *f, uint32_t node)
{
	return (f->node ^ node) | f->bit;
}

/**
 * struct hc_bscene - a component of the cube and its faults
 * @f: the faults
 * @n: dimension
 * @words: 64-bit words of a set
 * @source: the source
 * @members: the nodes that are to be informed
 * @nmembers: their number
 * @over: over[d]: the members that a member can inform along dimension d
 * @fault: nodes that are no members, and faulty links between members
 * @nfaults: their number
 * @nlinks: how many of them are links
 */
struct hc_bscene {
	const struct hc_faults *f;
	unsigned int n;
	size_t words;
	uint32_t source;
	uint64_t *members;
	uint32_t nmembers;
	uint64_t *over[HC_LIB_DIM_MAX];
	struct hc_bfault *fault;
	uint32_t nfaults;
	uint32_t nlinks;
};

/* 0 or -ENOMEM; free in either case. */
int hc_bscene_init(struct hc_bscene *s, const struct hc_faults *f, uint32_t source);
void hc_bscene_free(struct hc_bscene *s);

static inline bool hc_bset_has(const uint64_t *set, uint32_t u)
{
	return set[u / 64] >> (u % 64) & 1;
}

static inline void hc_bset_add(uint64_t *set, uint32_t u)
{
	set[u / 64] |= (uint64_t)1 << (u % 64);
}

uint32_t hc_bset_count(const uint64_t *set, size_t words);

/* The set @x ^ (1 << d), word @w of it. */
static inline uint64_t hc_bset_shifted(const uint64_t *x, size_t w, unsigned int d)
{
	static const uint64_t low[HC_WORD_DIMS] = {
		0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
		0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff,
	};

	if (d >= HC_WORD_DIMS)
		return x[w ^ ((size_t)1 << (d - HC_WORD_DIMS))];
	return (x[w] & low[d]) << (1u << d) | (x[w] >> (1u << d) & low[d]);
}

/* How many nodes a step along @d would inform. */
uint32_t hc_bset_gain(const struct hc_bscene *s, const uint64_t *x, unsigned int d);
/* Take the step: @to may be @x.  Returns the number of nodes informed. */
uint32_t hc_bset_step(const struct hc_bscene *s, const uint64_t *x, unsigned int d,
		      uint64_t *to);

/**
 * struct hc_bseq - a sequence under construction
 * @s: the scene
 * @x: the informed nodes
 * @informed: their number
 * @steps: number of steps so far
 * @seq: the dimensions, room for HC_BSEQ_MAX(n) of them
 * @literal: keep steps that inform nobody
 */
struct hc_bseq {
	const struct hc_bscene *s;
	uint64_t *x;
	uint32_t informed;
	unsigned int steps;
	uint8_t *seq;
	bool literal;
};

#define HC_BSEQ_MAX(n)	(hc_nodes(n) + 2 * HC_LIB_DIM_MAX)

/* Start from the source alone; 0 or -ENOMEM; free in either case. */
int hc_bseq_init(struct hc_bseq *q, const struct hc_bscene *s);
void hc_bseq_free(struct hc_bseq *q);
void hc_bseq_reset(struct hc_bseq *q);
void hc_bseq_copy(struct hc_bseq *to, const struct hc_bseq *from);
void hc_bseq_step(struct hc_bseq *q, unsigned int d);
static inline bool hc_bseq_done(const struct hc_bseq *q)
{
	return q->informed == q->s->nmembers;
}

/* Steps that inform the most, until everybody is informed. */
void hc_bseq_finish(struct hc_bseq *q);
/* Leave out every step that a complete sequence can do without. */
int hc_bseq_prune(struct hc_bseq *q);

/* --- bcast.c --- */
/* Fills the plan with what follows from a sequence; 0 or -ENOMEM. */
int hc_bcast_describe(const struct hc_bscene *s, const uint8_t *sequence, unsigned int steps,
		      struct hc_bcast_plan *p);

/* --- bcast_prime.c --- */

/**
 * struct hc_bcube - a subcube in which a broadcast is made
 * @node: where it starts
 * @dims: mask of the free dimensions
 * @seed: the first steps must fill a subcube with at least these free dimensions
 * @greedy: find a prime subcube by one greedy pass
 */
struct hc_bcube {
	uint32_t node;
	uint32_t dims;
	uint32_t seed;
	bool greedy;
};

/* How many faults are inside. */
uint32_t hc_bcast_faults(const struct hc_bscene *s, uint32_t node, uint32_t dims);
/* The members inside that are not informed. */
uint32_t hc_bcast_missing(const struct hc_bseq *q, const struct hc_bcube *c);
/* The masks D whose subcube through @node has a fault inside. */
void hc_bcast_bad(const struct hc_bscene *s, uint32_t node, uint64_t *bad);
/* Grow a fault-free subcube, lowest dimension first, until it is prime. */
uint32_t hc_bcast_grow(const uint64_t *bad, uint32_t dims, uint32_t free);
/* Broadcast1; 0 or -ENOMEM. */
int hc_bcast_broadcast1(struct hc_bseq *q, const struct hc_bcube *c);

/* --- bcast_general.c --- */
int hc_bcast_general(struct hc_bseq *q, bool greedy);

/* --- bcast_minimal.c --- */
/* No sequence has fewer steps: distance, and doubling.  0 or -ENOMEM. */
int hc_bcast_bound(const struct hc_bscene *s, unsigned int *bound);
/* @q is a complete sequence; make it shorter if possible. */
int hc_bcast_minimal(struct hc_bseq *q, unsigned int *bound);

/* --- bcast_exact.c --- */
/* Search a complete sequence of exactly @len steps.  1: found, in @q; 0: there
 * is none; -EBUSY: the search became too long; -ENOMEM.
 */
int hc_bcast_exact(struct hc_bseq *q, unsigned int len);

#endif /* _HC_BCAST_IMPL_H */
