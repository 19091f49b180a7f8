// SPDX-License-Identifier: GPL-2.0
/*
 * libhypercube-plan: pairs of trees for checked collectives.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"
#include "plan_impl.h"

_Static_assert(HC_ANY_SINK == HCL_PLAN_ANY, "any sink is any root");

/* ---------------------------------------------------------------- installing */

struct making {
	const char *fabric;
	uint32_t id;
	uint32_t root;
};

static int pairs_add(struct hcctl *h, const struct making *m, const struct hc_faults *f, bool last)
{
	const char *why = "not possible";
	struct hc_checked c;
	int rc = hc_plan_checked(f, m->root, &c, &why);

	if (rc == -ENOMEM)
		return hc_nomem(h);
	if (rc) {
		hc_error(h, "fabric %s: no trees: %s", m->fabric, why);
		return rc;
	}
	rc = live_install_checked(h, m->fabric, f, &c, m->id, &(const struct nl_shape){}, true,
				  last);
	hc_checked_free(&c);
	return rc;
}

static int make_once(struct hcctl *h, void *arg, bool last)
{
	const struct making *m = arg;
	struct hc_faults *f;
	int rc = live_faults(h, m->fabric, &f);

	if (rc)
		return rc;
	rc = live_need_cube(h, m->fabric, f->dim, "a pair of trees");
	rc = rc ? rc : pairs_add(h, m, f, last);
	hc_faults_free(f);
	return rc;
}

static int install(struct hcctl *h, struct making *m)
{
	struct nl_fabric info;
	int rc;

	if (!m->id || m->id > UINT32_MAX - live_pair_id(1, HYPERCUBE_DIM_MAX)) {
		hc_error(h, "fabric %s: no such ids of plans", m->fabric);
		return -EINVAL;
	}
	rc = hcli_plan_fabric(h, m->fabric, &info);
	return rc ? rc : live_retry(h, make_once, m);
}

/* ---------------------------------------------------------------- looking up pairs */

/**
 * struct looking - the search for installed pairs
 * @h: context
 * @info: the fabric
 * @f: its faults
 * @v: its plans
 * @n: number of plans
 */
struct looking {
	struct hcctl *h;
	struct nl_fabric info;
	struct hc_faults *f;
	struct nl_plan *v;
	size_t n;
};

static const struct nl_plan *find(const struct looking *l, uint32_t id)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (l->v[i].id == id && l->v[i].members)
			return &l->v[i];
	return NULL;
}

/* Get the sets of relays and of members of an installed tree, by computing the tree again. */
static int relays_get(const struct looking *l, const struct nl_plan *v, uint32_t **relays,
		      uint32_t *members)
{
	struct hc_checked_tree t;
	const char *why;
	int rc;

	if (v->broken) {
		hc_error(l->h, "fabric %s: plan %u is broken", l->info.name, v->id);
		return -ENOLINK;
	}
	rc = v->type == HYPERCUBE_PLAN_TREE && v->stages == l->info.dim ?
	     hc_checked_tree(l->f, v->sink, v->order, &t, &why) : -EINVAL;
	if (rc) {
		hc_error(l->h, "fabric %s: plan %u is no tree of all dimensions", l->info.name,
			 v->id);
		return rc == -ENOMEM ? rc : -EINVAL;
	}
	*relays = t.relays;
	*members = t.plan.nmembers;
	t.relays = NULL;
	hc_checked_tree_free(&t);
	return 0;
}

/* Get a pair of trees. Return: 1 if there is none, otherwise 0 or -errno. */
static int pair_get(const struct looking *l, uint32_t id, struct hcl_pair *p, uint32_t *members)
{
	unsigned int i;
	int rc = 0;

	if (!find(l, id) || !find(l, id + 1))
		return 1;
	p->dim = l->info.dim;
	p->segment = l->info.segment;
	for (i = 0; i < 2 && !rc; i++) {
		p->plan[i] = id + i;
		rc = relays_get(l, find(l, id + i), &p->relays[i], members);
	}
	return rc;
}

/* Find the nodes that relay in both trees. */
static int unseen_get(struct hcctl *h, struct hcl_checked *c)
{
	uint32_t u;

	c->unseen = malloc(hc_nodes(c->best.dim) * sizeof(*c->unseen));
	if (!c->unseen)
		return hc_nomem(h);
	for (u = 0; u < hc_nodes(c->best.dim); u++)
		if (hc_set_has(c->best.relays[0], u) && hc_set_has(c->best.relays[1], u))
			c->unseen[c->nunseen++] = u;
	return 0;
}

static int pairs_get(const struct looking *l, uint32_t id, struct hcl_checked *c)
{
	uint32_t members;
	unsigned int k;
	int rc = pair_get(l, id, &c->best, &c->members);

	if (rc == 1) {
		hc_error(l->h, "fabric %s: no trees %u and %u", l->info.name, id, id + 1);
		return -ENOENT;
	}
	if (!rc)
		rc = unseen_get(l->h, c);
	for (k = 0; k < l->info.dim && !rc; k++) {
		rc = pair_get(l, live_pair_id(id, k), &c->pair[c->npairs], &members);
		if (!rc)
			c->dimension[c->npairs++] = k;
		rc = rc == 1 ? 0 : rc;
	}
	return rc;
}

static int get(struct hcctl *h, const char *fabric, uint32_t id, struct hcl_checked **c)
{
	struct looking l = { .h = h };
	int rc = hcli_plan_fabric(h, fabric, &l.info);

	rc = rc ? rc : live_need_cube(h, fabric, l.info.dim, "a pair of trees");
	rc = rc ? rc : live_faults(h, fabric, &l.f);
	if (rc)
		return rc;
	rc = nl_plans(h, fabric, &l.v, &l.n);
	if (!rc) {
		*c = calloc(1, sizeof(**c));
		rc = *c ? pairs_get(&l, id, *c) : hc_nomem(h);
		nl_plans_free(l.v, l.n);
	}
	hc_faults_free(l.f);
	if (rc) {
		hcl_checked_free(*c);
		*c = NULL;
	}
	return rc;
}

/* ---------------------------------------------------------------- the calls */

int hcl_checked_install(const char *fabric, uint32_t id, uint32_t root, struct hcl_checked **c)
{
	struct making m = { .fabric = fabric, .id = id, .root = root };
	struct hcctl h = hcli_plan_context();
	int rc = install(&h, &m);

	if (c)
		*c = NULL;
	if (!rc && c)
		rc = get(&h, fabric, id, c);
	nl_leave(&h);
	return rc;
}

int hcl_checked_get(const char *fabric, uint32_t id, struct hcl_checked **c)
{
	struct hcctl h = hcli_plan_context();
	int rc;

	*c = NULL;
	rc = get(&h, fabric, id, c);
	nl_leave(&h);
	return rc;
}

static void pair_free(struct hcl_pair *p)
{
	free(p->relays[0]);
	free(p->relays[1]);
}

void hcl_checked_free(struct hcl_checked *c)
{
	unsigned int k;

	if (!c)
		return;
	for (k = 0; k < HYPERCUBE_DIM_MAX; k++)
		pair_free(&c->pair[k]);
	pair_free(&c->best);
	free(c->unseen);
	free(c);
}

static int pair_remove(struct hcctl *h, const char *fabric, const struct hcl_pair *p)
{
	int rc = nl_plan_del(h, fabric, p->plan[0], false);
	int second = nl_plan_del(h, fabric, p->plan[1], false);

	return rc ? rc : second;
}

int hcl_checked_remove(const char *fabric, const struct hcl_checked *c)
{
	struct hcctl h = hcli_plan_context();
	struct nl_fabric info;
	int rc = hcli_plan_fabric(&h, fabric, &info), one;
	unsigned int k;

	if (!rc)
		rc = pair_remove(&h, fabric, &c->best);
	for (k = 0; k < c->npairs; k++) {
		one = pair_remove(&h, fabric, &c->pair[k]);
		rc = rc ? rc : one;
	}
	nl_leave(&h);
	return rc;
}
