// SPDX-License-Identifier: GPL-2.0
/*
 * The table of plan types, and the function that finds the collective of a plan type.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/hypercube.h>
#include <linux/kernel.h>

#include "coll/ops.h"

/* tests/ops_kunit.c uses these functions. */
#if IS_ENABLED(CONFIG_KUNIT)
#define EXPORT_TO_KUNIT(symbol)	EXPORT_SYMBOL_GPL(symbol)
#else
#define EXPORT_TO_KUNIT(symbol)
#endif

static const struct hc_plan_ops *const plan_types[] = {
	&hc_plan_tree,
	&hc_plan_bcast,
	&hc_plan_doubling,
	&hc_plan_ring,
	&hc_plan_span,
};

const struct hc_plan_ops *hc_plan_type(u32 id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(plan_types); i++)
		if (plan_types[i]->id == id)
			return plan_types[i];
	return NULL;
}

EXPORT_TO_KUNIT(hc_plan_type);

const struct hc_coll_ops *hc_coll_find(const struct hc_plan_ops *ops, u32 collective, u32 oper)
{
	bool merges = oper == HYPERCUBE_MERGE;
	const struct hc_coll_ops *const *c;
	int err = -EPROTOTYPE;

	for (c = ops->colls; *c; c++) {
		if ((*c)->id != collective)
			continue;
		if ((*c)->merges == merges)
			return *c;
		err = -EOPNOTSUPP;
	}
	return ERR_PTR(err);
}
