// SPDX-License-Identifier: GPL-2.0
/*
 * The number of steps that a plan promises, and the optimum. Each plan type has a function that
 * computes both.
 */
#include "run.h"

int run_truth(const struct run *r, bool optimum, struct plan_truth *t)
{
	*t = (struct plan_truth){
		.faults = r->faults, .down = r->desc->gets != HC_WHO_ROOT, .search = optimum,
		.parts = r->desc->parts,
	};
	return planner_of(r->plan.type)->truth(&r->plan, t);
}
