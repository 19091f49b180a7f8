// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier of balancing topologies; see hc_balance.h.
 */
#include "hc_balance.h"
#include "hc_quota.h"

static int check_shape(const struct hc_balance *b, struct hc_reason *reason)
{
	if (b->dim < 1 || b->dim > HC_LIB_DIM_MAX)
		return hc_refuse(reason, "dimension out of range", HC_REASON_NONE, HC_REASON_NONE);
	if (b->dims >= hc_nodes(b->dim))
		return hc_refuse(reason, "the subcube has a dimension that the cube does not have",
				 HC_REASON_NONE, HC_REASON_NONE);
	if (b->base >= hc_nodes(b->dim))
		return hc_refuse(reason, "base is no node of the cube", b->base, HC_REASON_NONE);
	if (b->base & b->dims)
		return hc_refuse(reason, "base is not the lowest node of the subcube", b->base,
				 HC_REASON_NONE);
	return 0;
}

static bool good(const __u32 *fault, __u32 u, unsigned int d)
{
	return !((fault[u] | fault[hc_neigh(u, d)]) & hc_bit(d));
}

static int check_root(const struct hc_balance *b, const __u32 *fault, __u32 u,
		      struct hc_reason *reason)
{
	unsigned int d;

	if (b->up[u] != HC_BALANCE_ROOT)
		return hc_refuse(reason, "a node of the subcube is no root", u, HC_REASON_NONE);
	/* Check first whether the node has failed: all links of a failed node are faulty, and the
	 * reason would name one of them instead of the node.
	 */
	if (fault[u] == hc_ones(b->dim))
		return hc_refuse(reason, "a node of the subcube has failed or is cut off", u,
				 HC_REASON_NONE);
	for (d = 0; d < b->dim; d++)
		if (b->dims & hc_bit(d) && !good(fault, u, d))
			return hc_refuse(reason, "a link of the subcube is faulty", u, d);
	return 0;
}

/* Check that a node outside the topology has no healthy link to a neighbour in it. */
static int check_out(const struct hc_balance *b, const __u32 *fault, __u32 u,
		     struct hc_reason *reason)
{
	unsigned int d;

	for (d = 0; d < b->dim; d++)
		if (good(fault, u, d) && b->up[hc_neigh(u, d)] != HC_BALANCE_OUT)
			return hc_refuse(reason, "a node that could take part is left out", u, d);
	return 0;
}

static int check_node(const struct hc_balance *b, const __u32 *fault, __u32 u,
		      struct hc_reason *reason)
{
	__u8 up = b->up[u];

	if (hc_balance_inside(b, u))
		return check_root(b, fault, u, reason);
	if (up == HC_BALANCE_OUT)
		return check_out(b, fault, u, reason);
	if (up == HC_BALANCE_ROOT)
		return hc_refuse(reason, "a root is not in the subcube", u, HC_REASON_NONE);
	if (up >= b->dim)
		return hc_refuse(reason, "the cube has no such dimension", u, up);
	if (!good(fault, u, up))
		return hc_refuse(reason, "the link to the parent is faulty", u, up);
	if (b->up[hc_neigh(u, up)] == HC_BALANCE_OUT)
		return hc_refuse(reason, "the parent takes no part", u, up);
	return 0;
}

/* Count the links from @u up to the subcube. The caller has checked all values of @b->up. Return:
 * their number, or a number greater than @b->depth if there are more than @b->depth.
 */
static unsigned int way_up(const struct hc_balance *b, __u32 u)
{
	unsigned int steps = 0;

	for (; b->up[u] != HC_BALANCE_ROOT && steps <= b->depth; steps++)
		u = hc_neigh(u, b->up[u]);
	return steps;
}

int hc_balance_check(const struct hc_balance *b, const __u32 *fault,
		     struct hc_reason *reason)
{
	unsigned int deepest = 0, steps;
	__u32 u;
	int err = check_shape(b, reason);

	for (u = 0; !err && u < hc_nodes(b->dim); u++)
		err = check_node(b, fault, u, reason);
	if (err)
		return err;
	for (u = 0; u < hc_nodes(b->dim); u++) {
		steps = b->up[u] == HC_BALANCE_OUT ? 0 : way_up(b, u);
		if (steps > b->depth)
			return hc_refuse(reason, "the way to the subcube is longer than the depth",
					 u, HC_REASON_NONE);
		if (steps > deepest)
			deepest = steps;
	}
	if (deepest != b->depth)
		return hc_refuse(reason, "no node is as deep as that", HC_REASON_NONE,
				 HC_REASON_NONE);
	return 0;
}

/* Return: the index of the largest entry of @rest; the lowest such index if several entries are the
 * largest.
 */
static unsigned int largest(const __u64 *rest)
{
	unsigned int best = 0, d;

	for (d = 1; d < HC_LIB_DIM_MAX; d++)
		if (rest[d] > rest[best])
			best = d;
	return best;
}

void hc_rid_wishes(__u64 own, __u32 links, const __u64 *load, __u64 *wish)
{
	__u64 rest[HC_LIB_DIM_MAX], sum = 0, lack, all, left;
	unsigned int degree = hc_weight32(links), d;

	for (d = 0; d < HC_LIB_DIM_MAX; d++) {
		wish[d] = 0;
		rest[d] = 0;
		sum += links & hc_bit(d) ? load[d] : 0;
	}
	if (sum <= own * degree)
		return;
	lack = sum - own * degree;
	all = (degree + 1) * sum;
	left = hc_divide64(lack, degree + 1);
	for (d = 0; d < HC_LIB_DIM_MAX; d++) {
		if (!(links & hc_bit(d)))
			continue;
		wish[d] = hc_divide64(lack * load[d], all);
		rest[d] = lack * load[d] - wish[d] * all;
		left -= wish[d];
	}
	/* @left is at most the sum over all d of rest[d] / all. Each of these fractions is less
	 * than 1, so at least @left entries of @rest are not 0.
	 */
	for (; left; left--) {
		d = largest(rest);
		wish[d]++;
		rest[d] = 0;
	}
}
