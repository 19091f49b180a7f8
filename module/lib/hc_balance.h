/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The topology on which load is balanced in a faulty cube: a subcube without faults, and trees that
 * attach all other nodes to it.
 *
 * Shared by the kernel module, the tool and the tests; no allocation, no recursion, no
 * floating point.
 */
#ifndef _HC_BALANCE_H
#define _HC_BALANCE_H

#include "hc_reason.h"
#include "hc_topo.h"

/* Values of hc_balance.up: the node is in the subcube; the node is not in the topology. */
#define HC_BALANCE_ROOT	0xfe
#define HC_BALANCE_OUT	0xff

/**
 * struct hc_balance - a balancing topology
 * @dim: dimension n of the cube, 1..HC_LIB_DIM_MAX
 * @depth: number of links from the deepest node up to the subcube
 * @dims: mask of the dimensions in which the subcube extends
 * @base: the lowest node of the subcube
 * @up: for each of the 2^n nodes, the dimension of the link to its parent, or HC_BALANCE_ROOT or
 *	HC_BALANCE_OUT
 */
struct hc_balance {
	unsigned int dim;
	unsigned int depth;
	__u32 dims;
	__u32 base;
	const __u8 *up;
};

static inline bool hc_balance_inside(const struct hc_balance *b, __u32 u)
{
	return !((u ^ b->base) & ~b->dims);
}

/**
 * hc_balance_check() - verify a topology against the faults
 * @b: the topology
 * @fault: FAULT words of all 2^n nodes; the word of a failed node is 1^n, and the words of its
 *	neighbours have the bit of their link to it set
 * @reason: set to the reason when the topology is refused; may be NULL
 *
 * The topology is accepted if
 * - no link within the subcube is faulty at either end;
 * - from each node that has a parent, the links to its parent, that node's parent and so on are
 *   healthy and lead to the subcube, and the longest of these paths has @b->depth links;
 * - no healthy link joins a node that is in the topology (in the subcube or with a parent) and a
 *   node that is not, so that no node is left out that could be attached.
 *
 * Time O(2^n * (n + depth)).
 *
 * Return: 0, or -EINVAL with @reason set.
 */
int hc_balance_check(const struct hc_balance *b, const __u32 *fault,
		     struct hc_reason *reason);

#endif /* _HC_BALANCE_H */
