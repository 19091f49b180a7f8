/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arithmetic of load balancing, which planners and nodes share: diffusion, the cube walking
 * algorithm, and quotas on a balancing topology. Documentation/errata.rst explains where it departs
 * from the papers' formulas, and why.
 */
#ifndef _HC_QUOTA_H
#define _HC_QUOTA_H

#include "hc_topo.h"

/* @rest units are given to the items of a list in order, one unit to each, until no unit is left.
 * Return: how many units the @weight items that follow the first @before items get.
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
 * @links: mask of the dimensions along which the node has a neighbour
 * @load: tasks of these neighbours, by dimension
 * @wish: set to the number of tasks requested along each of HC_LIB_DIM_MAX dimensions; 0 where
 *	there is no neighbour
 *
 * A node's lack is the mean load of the node and its neighbours minus the node's own load. The node
 * requests from each neighbour a share of its lack that is proportional to the neighbour's load.
 * The paper's text includes the node's own load in the mean, the paper's formula does not, and
 * neither specifies how to round. Here the lack is rounded down, and all of it is requested: each
 * share is rounded down, and the tasks that are missing to the lack are requested, one from each
 * neighbour, where the rounding has taken most from the share (largest remainders); of equal
 * neighbours, the one along the lowest dimension is first. No request exceeds the neighbour's load.
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

/* Set @child to the children of @u; @up has for each node of the cube of dimension @dim the
 * dimension of the link to its parent. Return: the number of children.
 */
static inline unsigned int hc_balance_children(const __u8 *up, unsigned int dim, __u32 u,
					       __u32 *child)
{
	unsigned int d, n = 0;

	/* List the children in ascending order. A child with a number below @u lacks a bit of @u:
	 * the child that lacks the highest bit is the lowest. A child above @u has one more bit:
	 * the child with the lowest additional bit is the lowest.
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
