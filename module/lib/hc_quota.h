/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arithmetic of balancing, as planners and nodes do it: of diffusion, of the cube walking
 * algorithm, and of quotas on a balancing topology.  Which of the paper's formulas are not these,
 * and why, is in Documentation/errata.rst.
 */
#ifndef _HC_QUOTA_H
#define _HC_QUOTA_H

#include "hc_topo.h"

/* How much of @rest, given out in order, comes to who has @weight behind @before others. */
static inline __u64 hc_quota_share(__u64 rest, __u64 before, __u64 weight)
{
	if (rest <= before)
		return 0;
	return rest - before < weight ? rest - before : weight;
}

/* Receiver-initiated diffusion: what a node with @own tasks asks one of its @degree neighbours for.
 * That is, of what it lacks to the mean of itself and them, who have @sum, the part that this one
 * with @theirs has of the sum.  The paper's text has the mean with the own load, its formula
 * without.
 */
static inline __u64 hc_rid_wish(__u64 own, unsigned int degree, __u64 sum, __u64 theirs)
{
	own *= degree;
	return sum > own ? hc_divide64((sum - own) * theirs, (degree + 1) * sum) : 0;
}

/* What a cube sends is sent by its halves: the upper one gives what it has too much, as far as that
 * is wanted, and the lower one the rest (the four cases of line 18).  Returns the upper one's part.
 */
static inline __u64 hc_cwa_upper(__u64 theta, __s64 upper_delta)
{
	if (upper_delta <= 0)
		return 0;
	return (__u64)upper_delta < theta ? (__u64)upper_delta : theta;
}

/* The children of @u by number, as @up has the dimensions of the links to parents; returns how
 * many.
 */
static inline unsigned int hc_balance_children(const __u8 *up, unsigned int dim, __u32 u,
					       __u32 *child)
{
	unsigned int d, n = 0;

	/* Those that lack a bit, the highest first; those that have one more. */
	for (d = dim; d--;)
		if (u & hc_bit(d) && up[hc_neigh(u, d)] == d)
			child[n++] = hc_neigh(u, d);
	for (d = 0; d < dim; d++)
		if (!(u & hc_bit(d)) && up[hc_neigh(u, d)] == d)
			child[n++] = hc_neigh(u, d);
	return n;
}

#endif /* _HC_QUOTA_H */
