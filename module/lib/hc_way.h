/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ways around faults that are fixed: those of a plan's detours.
 */
#ifndef _HC_WAY_H
#define _HC_WAY_H

#include "hc_topo.h"

/**
 * hc_way_find() - a shortest way over healthy links
 * @dim: dimension n of the cube, 1..HC_LIB_DIM_MAX
 * @fault: FAULT words of all 2^n nodes, both ends of a link agree
 * @from: where it begins
 * @to: where it ends, another node
 * @way: filled in: the dimensions of its links, in order; room for @max.  Of the shortest ways the
 *	first in lexicographic order, so all who know the same faults find the same one
 * @max: size of @way; 2^n - 1 is always enough
 * @work: scratch space, HC_WAY_WORK(dim) words of 32 bits
 *
 * Breadth first, from @to.  Time O(2^n * n).
 *
 * Return: how many links it has; 0: there is no way of at most @max.
 */
unsigned int hc_way_find(unsigned int dim, const __u32 *fault, __u32 from, __u32 to, __u8 *way,
			 unsigned int max, __u32 *work);
#define HC_WAY_WORK(dim) (2u << (dim))

#endif /* _HC_WAY_H */
