// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier of plans for recursive doubling; see hc_doubling.h.
 */
#include "hc_doubling.h"

static int check_shape(const struct hc_doubling *d, struct hc_reason *reason)
{
	__u32 seen = 0;
	unsigned int i;

	if (d->dim < 1 || d->dim > HC_LIB_DIM_MAX)
		return hc_refuse(reason, "dimension out of range", HC_REASON_NONE, HC_REASON_NONE);
	if (d->stages > d->dim)
		return hc_refuse(reason, "more stages than dimensions", HC_REASON_NONE,
				 HC_REASON_NONE);
	for (i = 0; i < d->stages; i++) {
		if (d->order[i] >= d->dim)
			return hc_refuse(reason,
					 "order names a dimension that the cube does not have",
					 HC_REASON_NONE, HC_REASON_NONE);
		if (seen & hc_bit(d->order[i]))
			return hc_refuse(reason, "order names a dimension twice", HC_REASON_NONE,
					 HC_REASON_NONE);
		seen |= hc_bit(d->order[i]);
	}
	if (d->base >= hc_nodes(d->dim))
		return hc_refuse(reason, "base is no node of the cube", d->base, HC_REASON_NONE);
	if (d->base & seen)
		return hc_refuse(reason, "base is not the lowest node of the subcube", d->base,
				 HC_REASON_NONE);
	return 0;
}

int hc_doubling_check(const struct hc_doubling *d, const __u32 *fault,
		      struct hc_reason *reason)
{
	int err = check_shape(d, reason);
	__u32 mask, u;
	unsigned int i;

	if (err)
		return err;
	mask = hc_doubling_mask(d);
	/* Look for failed nodes first: all links of a failed node are faulty, and the reason would
	 * name one of them instead of the node.
	 */
	u = d->base;
	do {
		if (fault[u] == hc_ones(d->dim))
			return hc_refuse(reason, "a node of the subcube has failed or is cut off",
					 u, HC_REASON_NONE);
		u = hc_doubling_next(d, mask, u);
	} while (u != d->base);
	do {
		for (i = 0; i < d->stages; i++)
			if ((fault[u] | fault[hc_neigh(u, d->order[i])]) & hc_bit(d->order[i]))
				return hc_refuse(reason, "a link of the subcube is faulty", u,
						 d->order[i]);
		u = hc_doubling_next(d, mask, u);
	} while (u != d->base);
	return 0;
}
