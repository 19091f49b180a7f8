// SPDX-License-Identifier: GPL-2.0
/*
 * The plan of a run: an installed one, or one that is made for it and removed after it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "planner.h"
#include "run.h"

static uint32_t plan_type(const struct run *r)
{
	if (run_is_bcast(r))
		return HYPERCUBE_PLAN_BCAST;
	return r->method == RUN_DOUBLING ? HYPERCUBE_PLAN_DOUBLING : HYPERCUBE_PLAN_TREE;
}

static const char *type_name(const struct run *r)
{
	return run_is_bcast(r) ? "broadcast" : r->method == RUN_DOUBLING ? "doubling" : "tree";
}

static int broken(struct hcctl *h, const struct run *r, uint32_t id)
{
	if (run_is_bcast(r))
		hc_error(h, "plan %u is broken; try: hcctl bcast plan fabric %s source %u apply plan %u",
			 id, r->fabric, r->plan.source, id);
	else if (run_doubles(r))
		hc_error(h, "plan %u is broken; try: hcctl doubling plan fabric %s apply plan %u",
			 id, r->fabric, id);
	else
		hc_error(h, "plan %u is broken; try: hcctl tree find fabric %s apply plan %u",
			 id, r->fabric, id);
	return -ENOLINK;
}

static bool fits(const struct run *r, const struct nl_plan *v, uint32_t id, uint32_t root)
{
	bool whole = v->stages == r->info.dim;

	/* With an id, its type is the method unless one was asked for. */
	if (id && r->method == RUN_AUTO && run_may_double(r) && r->p.oper != HYPERCUBE_MERGE &&
	    v->type == HYPERCUBE_PLAN_DOUBLING)
		return v->id == id;
	if (v->type != plan_type(r) || !v->members)
		return false;
	if (id)
		return v->id == id;
	/* Who wants a part of the nodes says of which plan. */
	return !v->broken && (root == NL_NONE || v->source == root) &&
	       (r->method != RUN_DOUBLING || whole);
}

/* The plan asked for, or else the first that is of use; -ENOENT: none. */
static int installed_plan(struct hcctl *h, struct run *r, uint32_t id, uint32_t root,
			  uint32_t *unused)
{
	struct nl_plan *v, *found = NULL;
	size_t n, i;
	int rc;

	rc = nl_plans(h, r->fabric, &v, &n);
	if (rc)
		return rc;
	*unused = 1;
	for (i = 0; i < n; i++) {
		if (v[i].id >= *unused && v[i].id < UINT32_MAX)
			*unused = v[i].id + 1;
		if (fits(r, &v[i], id, root) && (!found || v[i].id < found->id))
			found = &v[i];
	}
	if (found) {
		r->plan = *found;
		memset(found, 0, sizeof(*found));
	} else if (id) {
		hc_error(h, "%s has no %s plan %u", r->fabric, type_name(r), id);
	}
	nl_plans_free(v, n);
	if (!found)
		return -ENOENT;
	r->root = run_is_bcast(r) ? r->plan.source :
		  run_doubles(r) ? r->plan.base : r->plan.sink;
	return r->plan.broken ? broken(h, r, id) : 0;
}

/* Plan for the faults of now and install that as @id. */
static int install_plan(struct hcctl *h, const struct run *r, uint32_t id, uint32_t root)
{
	const struct plan_req q = {
		.faults.fabric = r->fabric, .apply = true, .id = id, .root = root,
		.whole = true, .quiet = true,
	};

	return planner_make(h, planner_of(plan_type(r)), &q);
}

/* Of a whole fabric without faults, that which the rule says. */
static int choose(struct hcctl *h, struct run *r, uint64_t bytes)
{
	struct hc_doubling_flaw flaw;
	struct hc_faults *f;
	struct hc_doubling d;
	bool pays;
	int rc;

	if (r->method != RUN_AUTO) {
		r->why = "as asked for";
		return 0;
	}
	r->method = RUN_TREE;
	if (r->p.oper == HYPERCUBE_MERGE) {
		r->why = "sorted runs are merged by a tree";
		return 0;
	}
	pays = hc_doubling_pays(r->info.dim, bytes, &r->rule);
	r->why = pays ? "the rule, doubling pays" : "the rule, doubling does not pay";
	if (!pays)
		return 0;
	rc = cmd_live_faults(h, r->fabric, &f);
	if (rc)
		return rc;
	if (hc_plan_doubling(f, hc_ones(f->dim), 0, &d, &flaw)) {
		r->why = "faults in the fabric, which only a tree goes around";
		r->rule = NULL;
	} else {
		r->method = RUN_DOUBLING;
	}
	hc_faults_free(f);
	return 0;
}

static void plan_given(struct run *r)
{
	if (r->method == RUN_AUTO)
		r->method = run_doubles(r) ? RUN_DOUBLING : RUN_TREE;
	r->why = "the type of the plan asked for";
}

int run_plan(struct hcctl *h, struct run *r, uint32_t id, uint32_t root, uint64_t bytes)
{
	uint32_t unused;
	int rc;

	if (run_may_double(r) && !id) {
		rc = choose(h, r, bytes);
		if (rc)
			return rc;
	}
	rc = installed_plan(h, r, id, root, &unused);
	if (!rc && root != NL_NONE && r->root != root) {
		hc_error(h, "the source of plan %u is node %u", id, r->root);
		return -EINVAL;
	}
	if (id)
		plan_given(r);
	if (rc != -ENOENT || id)
		return rc;
	r->temporary = unused;
	rc = install_plan(h, r, unused, root);
	if (rc)
		r->temporary = 0;
	return rc ?: installed_plan(h, r, unused, NL_NONE, &id);
}
