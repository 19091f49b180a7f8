// SPDX-License-Identifier: GPL-2.0
/*
 * The descriptors of the collectives: the fields of each descriptor fit each other.
 */
#include <string.h>

#include "hc_coll_desc.h"
#include "plan_test.h"

#define LAST HYPERCUBE_REDUCE_SCATTER

TEST(collective_descriptor_fields_are_consistent)
{
	const __u32 known = hc_bit(HYPERCUBE_PLAN_TREE) | hc_bit(HYPERCUBE_PLAN_BCAST) |
			    hc_bit(HYPERCUBE_PLAN_DOUBLING) | hc_bit(HYPERCUBE_PLAN_RING) |
			    hc_bit(HYPERCUBE_PLAN_SPAN);
	const struct hc_coll_desc *t;
	unsigned int i, j;

	ASSERT_TRUE(!hc_coll_desc(0) && !hc_coll_desc(LAST + 1) && !hc_coll_desc(~0u));
	for (i = 1; i <= LAST; i++) {
		t = hc_coll_desc(i);
		ASSERT_TRUE(t && t->name && t->plans && !(t->plans & ~known));
		for (j = 1; j < i; j++)
			ASSERT_TRUE(strcmp(t->name, hc_coll_desc(j)->name));
		/* If and only if a collective has data, some members contribute and some get a
		 * result.
		 */
		ASSERT_TRUE((t->gives == HC_WHO_NONE) == (t->payload == HC_PAYLOAD_NONE));
		ASSERT_TRUE((t->gets == HC_WHO_NONE) == (t->payload == HC_PAYLOAD_NONE));
		ASSERT_TRUE(!hc_coll_unasked(t) || t->gives == HC_WHO_ROOT);
		/* If a contribution has a block for each member, all members contribute and all
		 * get a result.
		 */
		ASSERT_TRUE(!t->parts || (t->gives == HC_WHO_ALL && t->gets == HC_WHO_ALL));
		ASSERT_TRUE(!t->parts || !hc_coll_shares(t));
		/* Callers are notified without a request if no member gets a result, or if all
		 * members get one that does not consist of the blocks of all members. (A member
		 * that has all blocks does not know yet which members have its own block.)
		 */
		ASSERT_TRUE(t->notified == ((t->gets == HC_WHO_ALL && !hc_coll_shares(t)) ||
					    t->gets == HC_WHO_NONE));
	}
}

TEST(collective_role_sets_separate_root_from_others)
{
	ASSERT_TRUE(hc_who_has(HC_WHO_ALL, true) && hc_who_has(HC_WHO_ALL, false));
	ASSERT_TRUE(hc_who_has(HC_WHO_ROOT, true) && !hc_who_has(HC_WHO_ROOT, false));
	ASSERT_TRUE(!hc_who_has(HC_WHO_OTHERS, true) && hc_who_has(HC_WHO_OTHERS, false));
	ASSERT_TRUE(!hc_who_has(HC_WHO_NONE, true) && !hc_who_has(HC_WHO_NONE, false));
}

/* Return: true if plans of this type carry the collective with this operator. */
static bool carried(unsigned int collective, unsigned int plan_type, unsigned int oper)
{
	return hc_coll_carried(hc_coll_desc(collective), plan_type, oper);
}

TEST(plan_types_carry_only_the_collectives_listed_for_them)
{
	unsigned int i;

	for (i = 1; i <= LAST; i++) {
		ASSERT_TRUE(carried(i, HYPERCUBE_PLAN_BCAST, 0) == (i == HYPERCUBE_BCAST));
		ASSERT_TRUE(carried(i, HYPERCUBE_PLAN_TREE, 0) ==
			    (i != HYPERCUBE_BCAST && i != HYPERCUBE_ALLTOALL));
		ASSERT_TRUE(carried(i, HYPERCUBE_PLAN_SPAN, 0) ==
			    carried(i, HYPERCUBE_PLAN_TREE, 0));
		ASSERT_TRUE(carried(i, HYPERCUBE_PLAN_RING, 0) ==
			    (i == HYPERCUBE_ALLGATHER || i == HYPERCUBE_ALLTOALL));
		ASSERT_TRUE(carried(i, HYPERCUBE_PLAN_DOUBLING, 0) ==
			    (i == HYPERCUBE_ALLREDUCE || i == HYPERCUBE_BARRIER ||
			     i == HYPERCUBE_ALLGATHER || i == HYPERCUBE_ALLTOALL ||
			     i == HYPERCUBE_REDUCE_SCATTER));
		ASSERT_TRUE(!carried(i, 0, 0) && !carried(i, 31, 0) && !carried(i, 32, 0) &&
			    !carried(i, ~0u, 0));
	}
	ASSERT_TRUE(carried(HYPERCUBE_ALLREDUCE, HYPERCUBE_PLAN_DOUBLING, HYPERCUBE_SUM));
	ASSERT_TRUE(!carried(HYPERCUBE_ALLREDUCE, HYPERCUBE_PLAN_DOUBLING, HYPERCUBE_MERGE));
	ASSERT_TRUE(carried(HYPERCUBE_ALLREDUCE, HYPERCUBE_PLAN_TREE, HYPERCUBE_MERGE));
	ASSERT_TRUE(carried(HYPERCUBE_REDUCE_SCATTER, HYPERCUBE_PLAN_TREE, HYPERCUBE_SUM));
	ASSERT_TRUE(!carried(HYPERCUBE_REDUCE_SCATTER, HYPERCUBE_PLAN_TREE, HYPERCUBE_MERGE));
}
