// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the planners of trees and of recursive doubling, and of the shared library, as KTAP.
 * Usage: plan_test [NAME..]: all cases, or the ones named.
 */
#include <stdlib.h>
#include <string.h>

#include "plan_test.h"

void world_init(struct world *w, unsigned int n)
{
	oracle_init(&w->o, n);
	w->f = hc_faults_new(n);
	if (!w->f)
		abort();
}

void world_free(struct world *w)
{
	hc_faults_free(w->f);
}

void world_link(struct world *w, unsigned int u, unsigned int v)
{
	unsigned int d = (unsigned int)__builtin_ctz(u ^ v);

	if ((u ^ v) != 1u << d || hc_faults_link(w->f, u, d))
		abort();
	oracle_cut(&w->o, u, d);
}

void world_links(struct world *w, unsigned int n, const char *links)
{
	unsigned int u, v;
	int len;

	world_init(w, n);
	for (; sscanf(links, "%x-%x%n", &u, &v, &len) == 2; links += len)
		world_link(w, u, v);
}

void world_end(struct world *w, struct hc_tree_plan *p)
{
	hc_tree_plan_free(p);
	world_free(w);
}

void world_nth_link(struct world *w, unsigned int i)
{
	unsigned int half = 1u << (w->o.n - 1), d = i / half, low = i % half;
	unsigned int u = (low >> d << (d + 1)) | (low & ((1u << d) - 1));

	world_link(w, u, u ^ (1u << d));
}

void world_fail(struct world *w, unsigned int links, unsigned int nodes)
{
	unsigned int n = w->o.n;

	while (links--)
		world_nth_link(w, rnd(n << (n - 1)));
	while (nodes--)
		world_node(w, rnd(1u << n));
}

void world_set(struct world *w, unsigned int n, uint64_t set)
{
	unsigned int i;

	world_init(w, n);
	for (i = 0; i < n << (n - 1); i++)
		if (set >> i & 1)
			world_nth_link(w, i);
}

void world_random(struct world *w, unsigned int n, unsigned int links)
{
	world_init(w, n);
	world_fail(w, links, 0);
}

void world_node(struct world *w, unsigned int u)
{
	if (hc_faults_node(w->f, u))
		abort();
	oracle_kill(&w->o, u);
}

int world_plan(const struct world *w, enum hc_tree_method method, uint32_t sink,
	       struct hc_tree_plan *plan)
{
	struct hc_tree_req req = { .method = method, .sink = sink };
	const char *why = NULL;
	int err = hc_plan_tree(w->f, &req, plan, &why);

	return with_cause(err, why);
}

int world_fixed(const struct world *w, uint32_t sink, const char *order,
		struct hc_tree_plan *plan)
{
	uint8_t dims[HC_LIB_DIM_MAX];
	const char *why;

	return hc_plan_tree_fixed(w->f, sink, dims, dims_of(order, dims), plan, &why);
}

int world_tree(struct world *w, unsigned int n, const char *links, uint32_t sink,
	       const char *order, struct hc_tree_plan *plan)
{
	world_links(w, n, links);
	return world_fixed(w, sink, order, plan);
}

bool has_order(const struct hc_tree *t, const char *order)
{
	return dims_are(order, t->order, t->stages);
}

void to_oracle(const struct hc_tree *t, struct oracle_tree *ot)
{
	unsigned int i;

	ot->k = t->stages;
	ot->sink = t->sink;
	for (i = 0; i < t->stages; i++)
		ot->order[i] = t->order[i];
}

int check_plan(const struct world *w, const struct hc_tree *t)
{
	uint32_t *work = malloc(HC_TREE_WORK(w->f->dim) * sizeof(*work));
	struct hc_tree_reason reason = { 0 };
	int err;

	if (!work)
		abort();
	err = hc_tree_check(t, w->f->fault, work, &reason);
	free(work);
	return with_cause(err, reason.why);
}

/* Compute the role of node @u, which does not know the FAULT words of neighbours behind faulty
 * links: @unknown stands for these.
 */
static int local_role(const struct hc_tree *t, const uint32_t *fault, uint32_t u,
		      uint32_t unknown, struct hc_tree_role *role,
		      struct hc_tree_peer *src)
{
	unsigned int max = 2 * t->stages + t->ndetours, d;
	uint32_t nb[HC_LIB_DIM_MAX];

	for (d = 0; d < t->dim; d++)
		nb[d] = fault[u] & hc_bit(d) ? unknown : fault[hc_neigh(u, d)];
	memset(role, 0, sizeof(*role));
	memset(src, 0, max * sizeof(*src));
	return hc_tree_role(t, u, fault[u], nb, role, src, max);
}

/* Add the operations of a role to the script. */
static void script_node(const struct hc_tree_role *role,
			const struct hc_tree_peer *src, uint32_t u,
			struct oracle_script *s)
{
	static const enum oracle_what what[] = {
		[HC_TREE_DIRECT] = ORACLE_DIRECT,
		[HC_TREE_HELP] = ORACLE_HELP,
		[HC_TREE_DETOUR] = ORACLE_DETOUR,
	};
	unsigned int i;

	for (i = 0; i < role->nsrc; i++)
		oracle_op(s, u, ORACLE_WAIT, src[i].node, src[i].stage, 0, 0);
	for (i = 0; i < role->ndst; i++)
		oracle_op(s, u, what[role->dst[i].how], role->dst[i].node,
			  role->dst[i].stage, role->dst[i].part,
			  role->dst[i].parts);
}

bool role_script(const struct hc_tree *t, const uint32_t *fault,
		 struct oracle_script *s)
{
	size_t room = (2 * t->stages + t->ndetours + 1) * sizeof(struct hc_tree_peer);
	struct hc_tree_peer *src = malloc(room), *src2 = malloc(room);
	struct hc_tree_role role, role2;
	bool fine = src && src2;
	uint32_t u;

	memset(s->nops, 0, sizeof(s->nops));
	for (u = 0; fine && u < hc_nodes(t->dim); u++) {
		if (!hc_set_has(t->members, u))
			continue;
		fine = !local_role(t, fault, u, 0, &role, src) &&
		       !local_role(t, fault, u, ~0u, &role2, src2) &&
		       !memcmp(&role, &role2, sizeof(role)) &&
		       !memcmp(src, src2, role.nsrc * sizeof(*src));
		if (fine)
			script_node(&role, src, u, s);
	}
	free(src);
	free(src2);
	return fine;
}

bool run_roles(const struct world *w, const struct hc_tree *t,
	       struct oracle_result *r)
{
	static struct oracle_script s;
	bool members[ORACLE_NODES];
	struct oracle_tree ot;
	unsigned int u;

	for (u = 0; u < 1u << w->o.n; u++)
		members[u] = hc_set_has(t->members, u);
	to_oracle(t, &ot);
	CHECK(role_script(t, w->f->fault, &s));
	oracle_run(&w->o, &ot, members, &s, r);
	return true;
}

static bool same_script(const struct oracle_script *a,
			const struct oracle_script *b, unsigned int nodes)
{
	unsigned int u;

	for (u = 0; u < nodes; u++) {
		CHECK(a->nops[u] == b->nops[u]);
		CHECK(!memcmp(a->op[u], b->op[u], a->nops[u] * sizeof(a->op[u][0])));
	}
	return true;
}

/* Check the properties of the plan. */
static bool promises_hold(const struct world *w, const struct hc_tree_plan *plan,
			  const bool *members)
{
	struct hc_faulty_link list[ORACLE_NODES];
	struct oracle_score score;
	unsigned int u, i, n, live = 0;
	struct oracle_tree ot;

	to_oracle(&plan->tree, &ot);
	oracle_score(&w->o, &ot, &score);
	CHECK(plan->clean_sink == score.clean);
	CHECK(plan->cost == score.cost);
	CHECK(plan->faulty_stages == score.stages);
	CHECK(plan->nmembers == score.members);
	for (u = 0; u < 1u << w->o.n; u++) {
		bool is_live = oracle_inside(&ot, u) && !w->o.dead[u];

		live += is_live;
		CHECK(hc_set_has(plan->members, u) == members[u]);
		CHECK(hc_set_has(plan->excluded, u) == (is_live && !members[u]));
	}
	CHECK(plan->nexcluded == live - plan->nmembers);

	n = hc_plan_tree_faulty(w->f, plan, list, ORACLE_NODES);
	CHECK(!plan->clean_sink || n == plan->cost);
	for (i = 0; i < n; i++)
		CHECK(w->o.bad[list[i].node][list[i].dim]);
	return true;
}

bool plan_holds(const struct world *w, const struct hc_tree_plan *plan)
{
	static struct oracle_script local, global;
	bool members[ORACLE_NODES];
	struct oracle_result r;
	struct oracle_tree ot;

	CHECK(!check_plan(w, &plan->tree));
	to_oracle(&plan->tree, &ot);
	oracle_members(&w->o, &ot, members);
	CHECK(promises_hold(w, plan, members));

	CHECK(role_script(&plan->tree, w->f->fault, &local));
	oracle_fttc(&w->o, &ot, ORACLE_NEAREST, members, &global);
	CHECK(same_script(&local, &global, 1u << w->o.n));
	oracle_run(&w->o, &ot, members, &local, &r);
	CHECK(r.outcome == ORACLE_DONE);
	CHECK(r.steps == plan->steps);
	CHECK(r.clock <= plan->steps);
	return true;
}

TEST_HARNESS_MAIN
