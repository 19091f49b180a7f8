/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recursive doubling: at each stage all nodes of a subcube exchange what they have along one
 * dimension, so that in the end each node has the data of all nodes.
 *
 * Unlike a tree, recursive doubling needs every node and every link of the subcube: without a node,
 * no result has the data of this node, and nearly half of the results also lack data that this node
 * would have forwarded. Shared by the kernel module, the tool and the tests; no allocation, no
 * recursion, no floating point.
 */
#ifndef _HC_DOUBLING_H
#define _HC_DOUBLING_H

#include "hc_reason.h"
#include "hc_topo.h"

/**
 * struct hc_doubling - a plan for recursive doubling
 * @dim: dimension n of the cube, 1..HC_LIB_DIM_MAX
 * @stages: number of stages k, 0..n
 * @base: the lowest node of the subcube
 * @order: dimension of each stage; these are the dimensions in which the subcube extends, each once
 */
struct hc_doubling {
	unsigned int dim;
	unsigned int stages;
	__u32 base;
	__u8 order[HC_LIB_DIM_MAX];
};

/* Return the dimensions in which the subcube extends, as a mask. */
static inline __u32 hc_doubling_mask(const struct hc_doubling *d)
{
	__u32 mask = 0;
	unsigned int i;

	for (i = 0; i < d->stages; i++)
		mask |= hc_bit(d->order[i]);
	return mask;
}

static inline bool hc_doubling_has(const struct hc_doubling *d, __u32 u)
{
	return u < hc_nodes(d->dim) && !((u ^ d->base) & ~hc_doubling_mask(d));
}

/* Return: the next higher node of the subcube after @u; after the highest node, the lowest. @mask:
 * hc_doubling_mask().
 */
static inline __u32 hc_doubling_next(const struct hc_doubling *d, __u32 mask, __u32 u)
{
	return d->base | (((u & mask) - mask) & mask);
}

/**
 * hc_doubling_check() - verify a plan against the faults
 * @d: the plan
 * @fault: FAULT words of all 2^n nodes; the word of a failed node is 1^n, and the words of its
 *	neighbours have the bit of their link to it set
 * @reason: set to the reason when the plan is refused; may be NULL
 *
 * Accepts a plan only if no link within the subcube is faulty at either end. That implies that no
 * node of the subcube has failed. If the subcube has a single node, the check refuses the plan if
 * the FAULT word of that node is 1^n.
 *
 * Time O(2^k * k).
 *
 * Return: 0, or -EINVAL with @reason set to the lowest faulty node or link.
 */
int hc_doubling_check(const struct hc_doubling *d, const __u32 *fault,
		      struct hc_reason *reason);

#endif /* _HC_DOUBLING_H */
