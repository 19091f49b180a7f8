// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier of plans for recursive doubling; see hc_doubling.h.
 */
#include "hc_doubling.h"

static int refuse(struct hc_doubling_flaw *flaw, const char *why, __u32 node, __u32 dim)
{
	if (flaw) {
		flaw->why = why;
		flaw->node = node;
		flaw->dim = dim;
	}
	return -EINVAL;
}

static int check_shape(const struct hc_doubling *d, struct hc_doubling_flaw *flaw)
{
	__u32 seen = 0;
	unsigned int i;

	if (d->dim < 1 || d->dim > HC_LIB_DIM_MAX)
		return refuse(flaw, "dimension out of range", HC_DOUBLING_NONE, HC_DOUBLING_NONE);
	if (d->stages > d->dim)
		return refuse(flaw, "more stages than dimensions", HC_DOUBLING_NONE,
			      HC_DOUBLING_NONE);
	for (i = 0; i < d->stages; i++) {
		if (d->order[i] >= d->dim)
			return refuse(flaw, "order names a dimension that the cube does not have",
				      HC_DOUBLING_NONE, HC_DOUBLING_NONE);
		if (seen & hc_bit(d->order[i]))
			return refuse(flaw, "order names a dimension twice", HC_DOUBLING_NONE,
				      HC_DOUBLING_NONE);
		seen |= hc_bit(d->order[i]);
	}
	if (d->base >= hc_nodes(d->dim))
		return refuse(flaw, "base is no node of the cube", d->base, HC_DOUBLING_NONE);
	if (d->base & seen)
		return refuse(flaw, "base is not the lowest node of the subcube", d->base,
			      HC_DOUBLING_NONE);
	return 0;
}

int hc_doubling_check(const struct hc_doubling *d, const __u32 *fault,
		      struct hc_doubling_flaw *flaw)
{
	int err = check_shape(d, flaw);
	__u32 mask, u;
	unsigned int i;

	if (err)
		return err;
	mask = hc_doubling_mask(d);
	/* It is better to name a failed node than its links. */
	u = d->base;
	do {
		if (fault[u] == hc_ones(d->dim))
			return refuse(flaw, "a node of the subcube has failed or is cut off", u,
				      HC_DOUBLING_NONE);
		u = hc_doubling_next(d, mask, u);
	} while (u != d->base);
	do {
		for (i = 0; i < d->stages; i++)
			if ((fault[u] | fault[hc_neigh(u, d->order[i])]) & hc_bit(d->order[i]))
				return refuse(flaw, "a link of the subcube is faulty", u,
					      d->order[i]);
		u = hc_doubling_next(d, mask, u);
	} while (u != d->base);
	return 0;
}
