// SPDX-License-Identifier: GPL-2.0
/*
 * Steps that a plan promises, and that are possible: each type of plan knows.
 */
#include <errno.h>

#include "run.h"

/* The faults as the planners want them, from the words that the run goes by. */
static struct hc_faults *faults(const struct run *r)
{
	struct hc_faults *f = hc_faults_new(r->info.dim);
	uint32_t u;

	if (!f)
		return NULL;
	for (u = 0; u < hc_nodes(f->dim); u++) {
		f->fault[u] = r->fault[u];
		if (f->fault[u] == hc_ones(f->dim))
			hc_set_add(f->dead, u);
	}
	return f;
}

int run_truth(const struct run *r, bool optimum, struct plan_truth *t)
{
	struct hc_faults *f = faults(r);
	int rc;

	if (!f)
		return -ENOMEM;
	*t = (struct plan_truth){
		.faults = f, .down = r->traits->gets != HC_WHO_ROOT, .search = optimum,
		.parts = r->traits->parts,
	};
	rc = planner_of(r->plan.type)->truth(&r->plan, t);
	hc_faults_free(f);
	return rc;
}
