// SPDX-License-Identifier: GPL-2.0
/*
 * The plan of a run: an installed one, or one that is made for it and removed after it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

static uint32_t plan_type(const struct run *r)
{
	return run_is_bcast(r) ? HYPERCUBE_PLAN_BCAST : HYPERCUBE_PLAN_TREE;
}

static const char *type_name(const struct run *r)
{
	return run_is_bcast(r) ? "broadcast" : "tree";
}

static int broken(struct hcctl *h, const struct run *r, uint32_t id)
{
	if (run_is_bcast(r))
		hc_error(h, "plan %u is broken; try: hcctl bcast plan fabric %s source %u apply plan %u",
			 id, r->fabric, r->plan.source, id);
	else
		hc_error(h, "plan %u is broken; try: hcctl tree find fabric %s apply plan %u",
			 id, r->fabric, id);
	return -ENOLINK;
}

static bool fits(const struct run *r, const struct nl_plan *v, uint32_t id, uint32_t root)
{
	if (v->type != plan_type(r) || !v->members)
		return false;
	if (id)
		return v->id == id;
	return !v->broken && (root == NL_NONE || v->source == root);
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
	r->root = run_is_bcast(r) ? r->plan.source : r->plan.sink;
	return r->plan.broken ? broken(h, r, id) : 0;
}

static int install_tree(struct hcctl *h, const struct run *r, uint32_t id,
			const struct hc_faults *f, bool last)
{
	struct hc_tree_req req = { .method = HC_TREE_EXACT, .sink = HC_ANY_SINK };
	const char *why = "not possible";
	struct hc_tree_plan p;
	int rc;

	rc = hc_plan_tree(f, &req, &p, &why);
	if (rc) {
		hc_error(h, "no tree: %s", why);
		return rc;
	}
	rc = nl_plan_add(h, r->fabric, id, &p.tree, f->fault, !last);
	if (!rc)
		cmd_tree_warn(h, &p);
	hc_tree_plan_free(&p);
	return rc;
}

/* The lowest node that can reach anybody; 0 if there is none. */
static uint32_t first_source(const struct hc_faults *f)
{
	uint32_t u;

	for (u = 0; u < hc_nodes(f->dim); u++)
		if (f->fault[u] != hc_ones(f->dim))
			return u;
	return 0;
}

static int install_bcast(struct hcctl *h, const struct run *r, uint32_t id,
			 const struct hc_faults *f, uint32_t root, bool last)
{
	struct hc_bcast_req req = {
		.method = HC_BCAST_GENERAL,
		.source = root == NL_NONE ? first_source(f) : root,
	};
	const char *why = "not possible";
	char list[BCAST_LIST];
	struct hc_bcast_plan p;
	int rc;

	rc = hc_plan_bcast(f, &req, &p, &why);
	if (rc) {
		hc_error(h, "no broadcast from node %u: %s", req.source, why);
		return rc;
	}
	rc = nl_bcast_add(h, r->fabric, id, &p.bcast, f->fault, !last);
	if (!rc && p.nunreachable)
		hc_warn(h, "cut off from source %u%s", req.source,
			cmd_bcast_list(list, p.unreachable, hc_nodes(f->dim)));
	hc_bcast_plan_free(&p);
	return rc;
}

/* Plan for the faults of now and install that as @id. */
static int install_plan(struct hcctl *h, const struct run *r, uint32_t id, uint32_t root,
			bool last)
{
	struct hc_faults *f;
	int rc;

	rc = cmd_live_faults(h, r->fabric, &f);
	if (rc)
		return rc;
	rc = run_is_bcast(r) ? install_bcast(h, r, id, f, root, last) :
			       install_tree(h, r, id, f, last);
	hc_faults_free(f);
	return rc;
}

int run_plan(struct hcctl *h, struct run *r, uint32_t id, uint32_t root)
{
	uint32_t unused;
	int rc, try;

	rc = installed_plan(h, r, id, root, &unused);
	if (!rc && root != NL_NONE && r->root != root) {
		hc_error(h, "the source of plan %u is node %u", id, r->root);
		return -EINVAL;
	}
	if (rc != -ENOENT || id)
		return rc;
	r->temporary = unused;
	for (try = 0; try < STALE_RETRIES; try++) {
		rc = install_plan(h, r, unused, root, try == STALE_RETRIES - 1);
		if (rc != -ESTALE)
			break;
		usleep(1000 << try);
	}
	if (rc)
		r->temporary = 0;
	return rc ?: installed_plan(h, r, unused, NL_NONE, &id);
}
