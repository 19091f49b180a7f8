// SPDX-License-Identifier: GPL-2.0
/*
 * Finding subcubes that have no faults.
 */
#include <errno.h>

#include "doubling.h"

int hc_plan_doubling(const struct hc_faults *f, uint32_t dims, uint32_t base,
		     struct hc_doubling *d, struct hc_reason *reason)
{
	unsigned int i;

	*d = (struct hc_doubling){ .dim = f->dim, .base = base & ~dims };
	for (i = 0; i < f->dim; i++)
		if (dims & hc_bit(i))
			d->order[d->stages++] = i;
	return hc_doubling_check(d, f->fault, reason);
}

/* Find a healthy subcube with the free dimensions @dims, at any base. */
static int any_base(const struct hc_faults *f, uint32_t dims, struct hc_doubling *d)
{
	uint32_t u;

	for (u = 0; u < hc_nodes(f->dim); u++)
		if (!(u & dims) && !hc_plan_doubling(f, dims, u, d, NULL))
			return 0;
	return -EHOSTDOWN;
}

int hc_plan_doubling_largest(const struct hc_faults *f, struct hc_doubling *d)
{
	unsigned int stages;
	uint32_t dims;

	for (stages = f->dim; stages; stages--)
		for (dims = 0; dims < hc_nodes(f->dim); dims++)
			if (hc_weight32(dims) == stages && !any_base(f, dims, d))
				return 0;
	return any_base(f, 0, d);
}
