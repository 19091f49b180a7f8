// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier of plans for recursive doubling; see hc_doubling.h.
 */
#include "hc_doubling.h"

static int check_shape(const struct hc_doubling *d, struct hc_flaw *flaw)
{
	__u32 seen = 0;
	unsigned int i;

	if (d->dim < 1 || d->dim > HC_LIB_DIM_MAX)
		return hc_refuse(flaw, "dimension out of range", HC_FLAW_NONE, HC_FLAW_NONE);
	if (d->stages > d->dim)
		return hc_refuse(flaw, "more stages than dimensions", HC_FLAW_NONE,
				 HC_FLAW_NONE);
	for (i = 0; i < d->stages; i++) {
		if (d->order[i] >= d->dim)
			return hc_refuse(flaw, "order names a dimension that the cube does not have",
					 HC_FLAW_NONE, HC_FLAW_NONE);
		if (seen & hc_bit(d->order[i]))
			return hc_refuse(flaw, "order names a dimension twice", HC_FLAW_NONE,
					 HC_FLAW_NONE);
		seen |= hc_bit(d->order[i]);
	}
	if (d->base >= hc_nodes(d->dim))
		return hc_refuse(flaw, "base is no node of the cube", d->base, HC_FLAW_NONE);
	if (d->base & seen)
		return hc_refuse(flaw, "base is not the lowest node of the subcube", d->base,
				 HC_FLAW_NONE);
	return 0;
}

int hc_doubling_check(const struct hc_doubling *d, const __u32 *fault,
		      struct hc_flaw *flaw)
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
			return hc_refuse(flaw, "a node of the subcube has failed or is cut off", u,
					 HC_FLAW_NONE);
		u = hc_doubling_next(d, mask, u);
	} while (u != d->base);
	do {
		for (i = 0; i < d->stages; i++)
			if ((fault[u] | fault[hc_neigh(u, d->order[i])]) & hc_bit(d->order[i]))
				return hc_refuse(flaw, "a link of the subcube is faulty", u,
						 d->order[i]);
		u = hc_doubling_next(d, mask, u);
	} while (u != d->base);
	return 0;
}
