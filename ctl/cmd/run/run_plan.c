// SPDX-License-Identifier: GPL-2.0
/*
 * Choosing the plan of a run. It is an installed plan, or one that is installed for the run and
 * removed after it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

const char *run_not_by(const struct run *r, const struct planner *p)
{
	if (!hc_coll_carried(r->desc, p->type, r->p.oper))
		return "sorted runs are merged by a tree";
	if (r->info.nodes && !r->info.dim && !p->any_network)
		return "this needs a hypercube, and the fabric is another network";
	return NULL;
}

const struct planner *run_planner(const struct run *r)
{
	const struct planner *p, *last = NULL;
	size_t i;

	if (r->method)
		return r->method;
	for (i = 0; (p = planner_at(i)); i++) {
		if (run_not_by(r, p))
			continue;
		if (!p->prefer)
			return p;
		last = p;
	}
	return last;
}

/* Print an error: the plan is broken. The message names the command that makes it again. Return:
 * -ENOLINK.
 */
static int broken(struct hcctl *h, const struct run *r, uint32_t id)
{
	const struct planner *p = planner_of(r->plan.type);
	char root[32] = "";

	if (p->rooted)
		snprintf(root, sizeof(root), " %s %u", p->root->word, r->root);
	hc_error(h, "plan %u is broken; try: hcctl %s %s fabric %s%s apply plan %u",
		 id, p->object.name, p->object.cmds->name, r->fabric, root, id);
	return -ENOLINK;
}

/* Return: true if the installed plan @v can be used for the run. @id: the plan that the user has
 * named, or 0. @root: root of a broadcast, or NL_NONE.
 */
static bool fits(const struct run *r, const struct nl_plan *v, uint32_t id, uint32_t root)
{
	const struct planner *p = run_planner(r);

	if (!v->members)
		return false;
	/* If the user names a plan by its id, any plan type that can carry the collective is
	 * suitable; if the user has also named a method, only this type.
	 */
	if (id)
		return v->id == id && (r->method ? v->type == p->type :
				       hc_coll_carried(r->desc, v->type, r->p.oper));
	/* If the user names no plan, a plan that does not span the whole fabric is not used, for
	 * plan types for which that matters.
	 */
	return v->type == p->type && !v->broken && (root == NL_NONE || p->root->of(v) == root) &&
	       (!p->whole || v->stages == r->info.dim);
}

/* Find the installed plan with @id; or if @id is 0, the suitable plan with the lowest id. *@unused
 * is set to an id that no plan has. Return: -ENOENT if there is no such plan.
 */
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
		hc_error(h, "fabric %s has no %s plan %u", r->fabric,
			 planner_title(run_planner(r)), id);
	}
	nl_plans_free(v, n);
	if (!found)
		return -ENOENT;
	r->root = planner_of(r->plan.type)->root->of(&r->plan);
	return r->plan.broken ? broken(h, r, id) : 0;
}

/* Make a plan for the current faults, and install it with @id. */
static int install_plan(struct hcctl *h, const struct run *r, uint32_t id, uint32_t root)
{
	const struct plan_req q = {
		.faults.fabric = r->fabric, .apply = true, .id = id, .root = root,
		.whole = true, .quiet = true,
	};

	return planner_make(h, run_planner(r), &q);
}

static bool may_be_preferred(const struct run *r, const struct planner *p)
{
	return p->prefer && r->desc->plans & hc_bit(p->type);
}

bool run_has_choice(const struct run *r)
{
	const struct planner *p;
	size_t i = 0;

	while ((p = planner_at(i++)) && !may_be_preferred(r, p))
		;
	return p;
}

/* Choose a plan type: the first one that its rule prefers, or if no rule prefers any, the default.
 */
static int choose(struct hcctl *h, struct run *r, uint64_t bytes)
{
	const struct planner *p, *first = run_planner(r);
	const char *why;
	size_t i;
	int rc;

	if (r->method) {
		r->choice.why = "as asked for";
		return 0;
	}
	for (i = 0; (p = planner_at(i)) && !r->method; i++) {
		if (!may_be_preferred(r, p))
			continue;
		why = run_not_by(r, p);
		if (why) {
			r->choice.why = why;
			continue;
		}
		rc = p->prefer(h, &r->info, r->desc, bytes, &r->choice);
		if (rc)
			return rc;
		if (r->choice.preferred)
			r->method = p;
	}
	if (r->method)
		return 0;
	r->method = first;
	if (!r->info.dim)
		r->choice.why = "other methods need a hypercube";
	return 0;
}

int run_plan(struct hcctl *h, struct run *r, uint32_t id, uint32_t root, uint64_t bytes)
{
	uint32_t unused;
	int rc;

	if (!run_planner(r) || run_not_by(r, run_planner(r))) {
		hc_error(h, "fabric %s: this needs a hypercube, and it is another network",
			 r->fabric);
		return -EOPNOTSUPP;
	}
	if (run_has_choice(r) && !id) {
		rc = choose(h, r, bytes);
		if (rc)
			return rc;
	}
	rc = installed_plan(h, r, id, root, &unused);
	if (!rc && root != NL_NONE && r->root != root) {
		hc_error(h, "source %u: the source of plan %u is node %u", root, id, r->root);
		return -EINVAL;
	}
	if (id)
		r->choice.why = "the type of the plan asked for";
	if (rc != -ENOENT || id)
		return rc;
	r->temporary = unused;
	rc = install_plan(h, r, unused, root);
	if (rc)
		r->temporary = 0;
	return rc ?: installed_plan(h, r, unused, NL_NONE, &id);
}
