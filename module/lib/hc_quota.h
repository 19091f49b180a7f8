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

/**
 * hc_rid_wishes() - what a node asks its neighbours for in receiver-initiated diffusion
 * @own: tasks that the node has
 * @links: dimensions along which it has a neighbour
 * @load: tasks of these neighbours, by dimension
 * @wish: filled in by dimension, HC_LIB_DIM_MAX of them; 0 where there is no neighbour
 *
 * Of what it lacks to the mean of itself and its neighbours, each is asked for a part in proportion
 * to its load.  The paper's text has the mean with the own load, its formula without, and how to
 * round it does not say.  Here the lack is rounded down, and all of that is asked for: each
 * part is rounded down, and the tasks that remain are asked one each of those whose parts
 * have lost most by that (largest remainders), the lowest dimension first.  No neighbour is asked
 * for more than it has.
 */
void hc_rid_wishes(__u64 own, __u32 links, const __u64 *load, __u64 *wish);

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
