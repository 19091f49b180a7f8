/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arithmetic of load balancing, which planners and nodes share: diffusion, the cube walking
 * algorithm, and quotas on a balancing topology. Documentation/errata.rst explains where it departs
 * from the papers' formulas, and why.
 */
#ifndef _HC_QUOTA_H
#define _HC_QUOTA_H

#include "hc_topo.h"

/* Distribute @rest units, one to each item in order, until no unit is left. Return: how many units
 * the @weight items after the first @before items get.
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
 * @wish: set to the number of tasks requested along each of HC_LIB_DIM_MAX dimensions; 0 where
 *	there is no neighbour
 *
 * A node's lack is the mean load of the node and its neighbours minus the node's own load. The node
 * requests a part of its lack from each neighbour, in proportion to the neighbour's load. The
 * paper's text includes the node's own load in the mean, the paper's formula does not, and neither
 * specifies how to round. Here the lack is rounded down, and all of it is requested: each part is
 * rounded down, and the tasks that remain are requested one each from the neighbours whose parts
 * have lost most by rounding (largest remainders), the lowest dimension first. No request exceeds
 * the neighbour's load.
 */
void hc_rid_wishes(__u64 own, __u32 links, const __u64 *load, __u64 *wish);

/* A cube sends @theta tasks. Return: how many of them its upper half sends: its surplus
 * @upper_delta, but at least 0 and at most @theta. The lower half sends the rest. (These are the
 * four cases of line 18 of the paper's CWA.)
 */
static inline __u64 hc_cwa_upper(__u64 theta, __s64 upper_delta)
{
	if (upper_delta <= 0)
		return 0;
	return (__u64)upper_delta < theta ? (__u64)upper_delta : theta;
}

/* Find the children of @u in order; @up has for each node the dimension of the link to its parent.
 * Return: the number of children.
 */
static inline unsigned int hc_balance_children(const __u8 *up, unsigned int dim, __u32 u,
					       __u32 *child)
{
	unsigned int d, n = 0;

	/* First the children that lack a bit of @u, the highest bit first; then those that have one
	 * more bit, the lowest bit first.
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
