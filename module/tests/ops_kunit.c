// SPDX-License-Identifier: GPL-2.0
/*
 * Tests that plans carry exactly those collectives that the descriptors list for their type; the
 * library and the tool rely on this.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "coll/ops.h"

#include "../lib/hc_coll_desc.c"

static bool carries(const struct hc_plan_ops *ops, u32 collective, bool merges)
{
	const struct hc_coll_ops *const *c;

	for (c = ops->colls; *c; c++)
		if ((*c)->id == collective && (*c)->merges == merges)
			return true;
	return false;
}

static void collective_fits(struct kunit *test, const struct hc_plan_ops *ops, u32 collective)
{
	const struct hc_coll_desc *t = hc_coll_desc(collective);

	KUNIT_EXPECT_EQ_MSG(test, carries(ops, collective, false),
			    t && hc_coll_carried(t, ops->id, HYPERCUBE_SUM),
			    "collective %u, plans of type %u", collective, ops->id);
	/* MERGE exists only for elements: for another payload, no code depends on what
	 * hc_coll_carried() returns for MERGE.
	 */
	if (t && t->payload != HC_PAYLOAD_ELEMENTS)
		return;
	KUNIT_EXPECT_EQ_MSG(test, carries(ops, collective, true),
			    t && hc_coll_carried(t, ops->id, HYPERCUBE_MERGE),
			    "merging collective %u, plans of type %u", collective, ops->id);
}

static void plan_types_carry_exactly_the_described_collectives(struct kunit *test)
{
	const struct hc_plan_ops *ops;
	u32 type, c;

	for (type = 1; type <= U8_MAX; type++) {
		ops = hc_plan_type(type);
		for (c = 0; ops && c <= U8_MAX; c++)
			collective_fits(test, ops, c);
	}
	KUNIT_EXPECT_NOT_NULL(test, hc_plan_type(1));
}

static struct kunit_case ops_cases[] = {
	KUNIT_CASE(plan_types_carry_exactly_the_described_collectives),
	{}
};

static struct kunit_suite ops_suite = {
	.name = "hypercube_ops",
	.test_cases = ops_cases,
};

kunit_test_suite(ops_suite);

MODULE_DESCRIPTION("hypercube: tests of the tables of plan types");
MODULE_LICENSE("GPL");
