/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that only the broadcast planners use: sets of nodes in 64-bit words, the scene (a
 * component with its faults) in which a sequence is sought, and a sequence under construction.
 */
#ifndef _HC_BCAST_IMPL_H
#define _HC_BCAST_IMPL_H

#include "bcast.h"

/* Number of dimensions for which a set of nodes fits in one word. */
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

/* Return: the coordinates of a fault relative to @node, as a mask of dimensions: the subcube
 * through @node with the free dimensions D has the fault inside if and only if the mask is a subset
 * of D.
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
 * @members: the nodes that are to have the message, as a set
 * @nmembers: number of members
 * @over: over[d]: the members that get the message if all members send it along dimension d
 * @fault: nodes that are no members, and faulty links between members
 * @nfaults: number of entries of @fault
 * @nlinks: number of links among these
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

/* Find the component of @source. Return: 0 or -ENOMEM; release the scene in either case. */
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

/* Return: word @w of the set of the neighbours of @x along dimension @d. */
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

/* Return: number of nodes that a step along @d would inform if the nodes @x are informed. */
uint32_t hc_bset_gain(const struct hc_bscene *s, const uint64_t *x, unsigned int d);
/* Take a step along @d from the informed nodes @x: *to becomes the set of nodes informed after the
 * step; @to may be @x. Return: number of nodes that the step informs.
 */
uint32_t hc_bset_step(const struct hc_bscene *s, const uint64_t *x, unsigned int d,
		      uint64_t *to);

/**
 * struct hc_bseq - a sequence under construction
 * @s: the scene
 * @x: the nodes informed so far, as a set
 * @informed: their number
 * @steps: number of steps so far
 * @seq: dimensions of the steps; memory for HC_BSEQ_MAX(n) of them
 * @literal: keep steps that inform no node
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

/* Begin a sequence: the source alone is informed. Return: 0 or -ENOMEM; release the sequence in
 * either case.
 */
int hc_bseq_init(struct hc_bseq *q, const struct hc_bscene *s);
void hc_bseq_free(struct hc_bseq *q);
void hc_bseq_reset(struct hc_bseq *q);
void hc_bseq_copy(struct hc_bseq *to, const struct hc_bseq *from);
void hc_bseq_step(struct hc_bseq *q, unsigned int d);
static inline bool hc_bseq_done(const struct hc_bseq *q)
{
	return q->informed == q->s->nmembers;
}

/* Add steps, each time the one that informs the most nodes, until all members are informed. */
void hc_bseq_finish(struct hc_bseq *q);
/* Remove every step without which the sequence still informs all members. Return: 0 or -ENOMEM. */
int hc_bseq_prune(struct hc_bseq *q);

/* --- bcast.c --- */
/* Fill in the plan from a sequence. Return: 0 or -ENOMEM. */
int hc_bcast_describe(const struct hc_bscene *s, const uint8_t *sequence, unsigned int steps,
		      struct hc_bcast_plan *p);

/* --- bcast_prime.c --- */

/**
 * struct hc_bcube - a subcube inside which a message is broadcast
 * @node: the node that has the message first
 * @dims: mask of the free dimensions
 * @seed: the first steps must fill a subcube that has at least these free dimensions
 * @greedy: take a prime subcube that one greedy pass finds
 */
struct hc_bcube {
	uint32_t node;
	uint32_t dims;
	uint32_t seed;
	bool greedy;
};

/* Return: number of faults inside the subcube through @node with the free dimensions @dims. */
uint32_t hc_bcast_faults(const struct hc_bscene *s, uint32_t node, uint32_t dims);
/* Return: number of members inside @c that are not informed. */
uint32_t hc_bcast_missing(const struct hc_bseq *q, const struct hc_bcube *c);
/* Fill in @bad, which has a bit for each mask D of dimensions: bit D is set if the subcube through
 * @node with the free dimensions D has a fault inside.
 */
void hc_bcast_bad(const struct hc_bscene *s, uint32_t node, uint64_t *bad);
/* Add dimensions of @dims to the fault-free subcube with the free dimensions @free, lowest first,
 * until it is prime. Return: its free dimensions.
 */
uint32_t hc_bcast_grow(const uint64_t *bad, uint32_t dims, uint32_t free);
/* Add the steps of Broadcast1 for the subcube @c. Return: 0 or -ENOMEM. */
int hc_bcast_broadcast1(struct hc_bseq *q, const struct hc_bcube *c);

/* --- bcast_ports.c --- */
/* Find a sequence for any network, from @source to all members of @p. @sequence: memory for one
 * step per node. *steps: set to the number of steps. Return: 0 or -ENOMEM.
 */
int hc_bcast_ports(const struct hc_faults *f, uint32_t source, const struct hc_bcast_plan *p,
		   uint8_t *sequence, unsigned int *steps);

/* --- bcast_general.c --- */
int hc_bcast_general(struct hc_bseq *q, bool greedy);

/* --- bcast_minimal.c --- */
/* Compute a lower bound of the steps of any sequence, from the distance of the farthest member and
 * from the number of members: a step at most doubles the number of informed nodes. Return: 0 or
 * -ENOMEM.
 */
int hc_bcast_bound(const struct hc_bscene *s, unsigned int *bound);
/* Make the complete sequence @q shorter if possible. *bound: set to the lower bound that was
 * proved.
 */
int hc_bcast_minimal(struct hc_bseq *q, unsigned int *bound);

/* --- bcast_exact.c --- */
/* Search for a complete sequence of exactly @len steps. Return: 1 if @q is one now, 0 if there is
 * none, -EBUSY if the search became too long, -ENOMEM.
 */
int hc_bcast_exact(struct hc_bseq *q, unsigned int len);

#endif /* _HC_BCAST_IMPL_H */
