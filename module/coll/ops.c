// SPDX-License-Identifier: GPL-2.0
/*
 * The table of plan types, and which of their collectives is meant.
 */
#include <linux/err.h>
#include <linux/hypercube.h>
#include <linux/kernel.h>

#include "coll/ops.h"
#include "hc_traits.h"

static const struct hc_plan_ops *const plan_types[] = {
	&hc_plan_tree,
	&hc_plan_bcast,
	&hc_plan_doubling,
	&hc_plan_ring,
};

const struct hc_plan_ops *hc_plan_type(u32 id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(plan_types); i++)
		if (plan_types[i]->id == id)
			return plan_types[i];
	return NULL;
}

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

static bool carries(const struct hc_plan_ops *ops, u32 collective, u32 oper)
{
	return !IS_ERR(hc_coll_find(ops, collective, oper));
}

static bool traits_fit(const struct hc_plan_ops *ops, u32 collective)
{
	static const u32 opers[] = { HYPERCUBE_SUM, HYPERCUBE_MERGE };
	const struct hc_traits *t = hc_traits(collective);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(opers); i++) {
		if (opers[i] == HYPERCUBE_MERGE && t && t->payload != HC_PAYLOAD_ELEMENTS)
			continue;
		if (carries(ops, collective, opers[i]) !=
		    (t && hc_traits_carried(t, ops->id, opers[i])))
			return false;
	}
	return true;
}

int hc_ops_check(void)
{
	unsigned int i;
	u32 c;

	for (i = 0; i < ARRAY_SIZE(plan_types); i++)
		for (c = 0; c <= U8_MAX; c++)
			if (!traits_fit(plan_types[i], c)) {
				pr_err("traits of collective %u and plans of type %u differ\n",
				       c, plan_types[i]->id);
				return -EINVAL;
			}
	return 0;
}
