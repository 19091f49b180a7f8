// SPDX-License-Identifier: GPL-2.0
/*
 * The traits of the collectives: each row makes sense.
 */
#include <string.h>

#include "hc_traits.h"
#include "plan_test.h"

#define LAST HYPERCUBE_SCATTER

static bool rows(void)
{
	const __u32 known = hc_bit(HYPERCUBE_PLAN_TREE) | hc_bit(HYPERCUBE_PLAN_BCAST) |
			    hc_bit(HYPERCUBE_PLAN_DOUBLING);
	const struct hc_traits *t;
	unsigned int i, j;

	CHECK(!hc_traits(0) && !hc_traits(LAST + 1) && !hc_traits(~0u));
	for (i = 1; i <= LAST; i++) {
		t = hc_traits(i);
		CHECK(t && t->name && t->plans && !(t->plans & ~known));
		for (j = 1; j < i; j++)
			CHECK(strcmp(t->name, hc_traits(j)->name));
		/* Without data nobody gives and nobody gets, with data both do somewhere. */
		CHECK((t->gives == HC_WHO_NOBODY) == (t->payload == HC_PAYLOAD_NONE));
		CHECK((t->gets == HC_WHO_NOBODY) == (t->payload == HC_PAYLOAD_NONE));
		CHECK(!hc_traits_unasked(t) || t->gives == HC_WHO_ROOT);
		/* Who calls and gets something waits for it. */
		CHECK(t->told == (t->gets == HC_WHO_ALL || t->gets == HC_WHO_NOBODY));
	}
	return true;
}

static bool who(void)
{
	CHECK(hc_who_has(HC_WHO_ALL, true) && hc_who_has(HC_WHO_ALL, false));
	CHECK(hc_who_has(HC_WHO_ROOT, true) && !hc_who_has(HC_WHO_ROOT, false));
	CHECK(!hc_who_has(HC_WHO_OTHERS, true) && hc_who_has(HC_WHO_OTHERS, false));
	CHECK(!hc_who_has(HC_WHO_NOBODY, true) && !hc_who_has(HC_WHO_NOBODY, false));
	return true;
}

static bool carried(unsigned int collective, unsigned int plan_type, unsigned int oper)
{
	return hc_traits_carried(hc_traits(collective), plan_type, oper);
}

static bool plans(void)
{
	unsigned int i;

	for (i = 1; i <= LAST; i++) {
		CHECK(carried(i, HYPERCUBE_PLAN_BCAST, 0) == (i == HYPERCUBE_BCAST));
		CHECK(carried(i, HYPERCUBE_PLAN_TREE, 0) == (i != HYPERCUBE_BCAST));
		CHECK(carried(i, HYPERCUBE_PLAN_DOUBLING, 0) ==
		      (i == HYPERCUBE_ALLREDUCE || i == HYPERCUBE_BARRIER));
		CHECK(!carried(i, 0, 0) && !carried(i, 31, 0) && !carried(i, 32, 0) &&
		      !carried(i, ~0u, 0));
	}
	CHECK(carried(HYPERCUBE_ALLREDUCE, HYPERCUBE_PLAN_DOUBLING, HYPERCUBE_SUM));
	CHECK(!carried(HYPERCUBE_ALLREDUCE, HYPERCUBE_PLAN_DOUBLING, HYPERCUBE_MERGE));
	CHECK(carried(HYPERCUBE_ALLREDUCE, HYPERCUBE_PLAN_TREE, HYPERCUBE_MERGE));
	return true;
}

const struct tap_case traits_cases[] = {
	{ "traits: each collective has sensible ones", rows },
	{ "traits: who the root and the others are", who },
	{ "traits: which plans carry what", plans },
	{}
};
