// SPDX-License-Identifier: GPL-2.0
/*
 * The table of plan types.
 */
#include <linux/kernel.h>

#include "ops.h"

static const struct hc_plan_ops *const plan_types[] = {
	&hc_plan_tree,
	&hc_plan_bcast,
	&hc_plan_doubling,
};

const struct hc_plan_ops *hc_plan_type(u32 id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(plan_types); i++)
		if (plan_types[i]->id == id)
			return plan_types[i];
	return NULL;
}
