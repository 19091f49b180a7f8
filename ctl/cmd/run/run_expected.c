// SPDX-License-Identifier: GPL-2.0
/*
 * The number of steps that a plan promises, and that of the optimum. Each plan type computes them.
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
