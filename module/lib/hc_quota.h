/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arithmetic of load balancing, the same in planners and nodes: of diffusion, of the cube
 * walking algorithm, and of quotas on a balancing topology. Documentation/errata.rst says where it
 * departs from the papers' formulas, and why.
 */
#ifndef _HC_QUOTA_H
#define _HC_QUOTA_H

#include "hc_topo.h"

/* Distribute @rest, one each to items in order. Return: how many come to the @weight items behind
 * the first @before.
 */
static inline __u64 hc_quota_share(__u64 rest, __u64 before, __u64 weight)
{
	if (rest <= before)
		return 0;
	return rest - before < weight ? rest - before : weight;
}

/**
 * hc_rid_wishes() - compute what a node requests from its neighbours in receiver-initiated
 *	diffusion
 * @own: tasks that the node has
 * @links: dimensions along which it has a neighbour, as a mask
 * @load: tasks of these neighbours, by dimension
 * @wish: set by dimension, HC_LIB_DIM_MAX of them; 0 where there is no neighbour
 *
 * A node lacks the difference between the mean load of itself and its neighbours and its own load,
 * and requests a part of that from each neighbour, in proportion to the neighbour's load. The
 * paper's text includes the own load in the mean, its formula does not, and it does not say how to
 * round. Here the lack is rounded down, and all of that is requested: each part is rounded down,
 * and the tasks that remain are requested one each from the neighbours whose parts have lost most
 * by rounding (largest remainders), the lowest dimension first. No neighbour is asked for more than
 * it has.
 */
void hc_rid_wishes(__u64 own, __u32 links, const __u64 *load, __u64 *wish);

/* What a cube sends its halves send: the upper half sends its surplus, as far as that is wanted,
 * and the lower half the rest (the four cases of line 18 of the paper). Return: the upper half's
 * part.
 */
static inline __u64 hc_cwa_upper(__u64 theta, __s64 upper_delta)
{
	if (upper_delta <= 0)
		return 0;
	return (__u64)upper_delta < theta ? (__u64)upper_delta : theta;
}

/* Find the children of @u in order, where @up has the dimensions of the links to parents. Return:
 * how many there are.
 */
static inline unsigned int hc_balance_children(const __u8 *up, unsigned int dim, __u32 u,
					       __u32 *child)
{
	unsigned int d, n = 0;

	/* First children that lack a bit of @u, the highest bit first; then those that have one
	 * more.
	 */
	for (d = dim; d--;)
		if (u & hc_bit(d) && up[hc_neigh(u, d)] == d)
			child[n++] = hc_neigh(u, d);
	for (d = 0; d < dim; d++)
		if (!(u & hc_bit(d)) && up[hc_neigh(u, d)] == d)
			child[n++] = hc_neigh(u, d);
	return n;
}

#endif /* _HC_QUOTA_H */
