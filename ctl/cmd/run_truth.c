// SPDX-License-Identifier: GPL-2.0
/*
 * The steps that a plan promises, and those of the optimum: each plan type knows them.
 */
#include "run.h"

int run_truth(const struct run *r, bool optimum, struct plan_truth *t)
{
	*t = (struct plan_truth){
		.faults = r->faults, .down = r->traits->gets != HC_WHO_ROOT, .search = optimum,
		.parts = r->traits->parts,
	};
	return planner_of(r->plan.type)->truth(&r->plan, t);
}
