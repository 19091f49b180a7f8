// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of plan types and collectives.
 */
#include <linux/err.h>
#include <linux/hypercube.h>
#include <linux/kernel.h>

#include "coll/ops.h"

static const struct hc_plan_ops *const plan_types[] = {
	&hc_plan_tree,
	&hc_plan_bcast,
	&hc_plan_doubling,
};

static const struct hc_collective *const collectives[] = {
	&hc_kind_reduce,
	&hc_kind_bcast,
	&hc_kind_allreduce,
	&hc_kind_barrier,
	&hc_kind_gather,
	&hc_kind_scatter,
};

const struct hc_plan_ops *hc_plan_type(u32 id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(plan_types); i++)
		if (plan_types[i]->id == id)
			return plan_types[i];
	return NULL;
}

const struct hc_collective *hc_collective(u32 id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(collectives); i++)
		if (collectives[i]->id == id)
			return collectives[i];
	return NULL;
}

const struct hc_coll_ops *hc_coll_find(const struct hc_plan_ops *ops, u32 collective, u32 oper)
{
	bool merges = oper == HYPERCUBE_MERGE;
	const struct hc_coll_ops *const *c;
	int err = -EPROTOTYPE;

	for (c = ops->colls; *c; c++) {
		if ((*c)->kind->id != collective)
			continue;
		if ((*c)->merges == merges)
			return *c;
		err = -EOPNOTSUPP;
	}
	return ERR_PTR(err);
}
