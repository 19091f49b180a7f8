// SPDX-License-Identifier: GPL-2.0
/*
 * What all plan types have in common: parsing keywords, getting faults, finding, installing and
 * listing plans.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner.h"

#define WORDS (17 + NET_KINDS)
/* Number of the keywords that all planning commands have. */
#define COMMON (10 + NET_KINDS)

static const struct planner * const planners[] = {
	&tree_planner, &bcast_planner, &doubling_planner, &ring_planner, &span_planner,
};

const struct planner *planner_at(size_t i)
{
	return i < sizeof(planners) / sizeof(*planners) ? planners[i] : NULL;
}

const struct planner *planner_of(uint32_t type)
{
	const struct planner *p;
	size_t i = 0;

	while ((p = planner_at(i++)) && p->type != type)
		;
	return p;
}

const struct planner *planner_named(const char *name)
{
	const struct planner *p;
	size_t i = 0;

	while ((p = planner_at(i++)) && strcmp(p->object.name, name))
		;
	return p;
}

/* --- finding and installing --- */

static int install(struct hcctl *h, const struct planner *p, const struct plan_req *q,
		   const struct hc_faults *f, const void *plan, bool last)
{
	struct nl_shape s = p->shape(plan);

	s.repair = q->repair;
	s.epoch = q->epoch;
	s.local = q->local;
	s.guard = q->guard;
	s.recipe = q->recipe;
	s.prev = q->prev;
	return nl_plan_add(h, q->faults.fabric, q->id, p->type, &s, f->topo.nodes, f->fault, !last);
}

/* Install a plan if the request asks for that, and print the plan. */
static int use(struct hcctl *h, const struct planner *p, const struct plan_req *q,
	       const struct hc_faults *f, const void *plan, bool last)
{
	int rc = 0;

	if (q->apply && p->install)
		rc = p->install(h, q, f, plan, last);
	else if (q->apply)
		rc = install(h, p, q, f, plan, last);
	if (rc)
		return rc;
	if (!q->quiet)
		return p->print(h, q, f, plan);
	if (p->warn)
		p->warn(h, plan);
	return 0;
}

/* Arguments of make_once(). */
struct making {
	const struct planner *p;
	const struct plan_req *q;
};

static int make_once(struct hcctl *h, void *arg, bool last)
{
	const struct making *m = arg;
	struct hc_faults *f = NULL;
	void *plan;
	int rc;

	rc = cmd_fault_args_read(h, &m->q->faults, &f);
	if (rc)
		return rc;
	if (!m->p->any_network)
		rc = live_need_cube(h, m->q->faults.fabric, f->dim, planner_title(m->p));
	if (rc) {
		hc_faults_free(f);
		return rc;
	}
	plan = calloc(1, m->p->size);
	rc = plan ? m->p->find(h, m->q, f, plan) : hc_nomem(h);
	if (!rc)
		rc = use(h, m->p, m->q, f, plan, last);
	if (plan && m->p->free)
		m->p->free(plan);
	free(plan);
	hc_faults_free(f);
	return rc;
}

int planner_none(struct hcctl *h, const struct plan_req *q, const char *what, const char *rooted,
		 uint32_t root, int err, const char *why)
{
	if (err == -ENOMEM)
		return hc_nomem(h);
	if (root != NL_NONE)
		hc_error(h, "no %s %s %u: %s", what, rooted, root, why);
	else
		hc_error(h, "no %s: %s", what, why);
	return err == -ERANGE && !q->faults.fabric ? HC_USAGE : HC_NO;
}

int planner_make(struct hcctl *h, const struct planner *p, const struct plan_req *q)
{
	struct making m = { p, q };

	return live_retry(h, make_once, &m);
}

int planner_try(struct hcctl *h, const struct planner *p, const struct plan_req *q)
{
	struct making m = { p, q };

	return make_once(h, &m, false);
}

struct hc_faults *planner_left(struct hcctl *h, const struct plan_req *q,
			       const struct hc_faults *f)
{
	struct hc_faults *left = hc_faults_copy(f);
	size_t i;

	if (!left) {
		hc_nomem(h);
		return NULL;
	}
	for (i = 0; i < q->without.n; i++)
		if (hc_faults_node(left, q->without.v[i])) {
			hc_error(h, "no such node: %u", q->without.v[i]);
			hc_faults_free(left);
			return NULL;
		}
	return left;
}

void planner_req_free(struct plan_req *q)
{
	cmd_fault_args_free(&q->faults);
	free(q->without.v);
}

/* --- keywords --- */

int planner_arg_guard(struct hcctl *h, const char *name, const char *word, void *dst)
{
	uint64_t ns = 0;

	if (arg_time(h, name, word, &ns))
		return HC_USAGE;
	if (!ns || ns % 1000000)
		return hc_invalid(h, name, word, "whole milliseconds are wanted, 1ms at least");
	if (ns > HYPERCUBE_GUARD_MAX * UINT64_C(1000000))
		return hc_invalid(h, name, word, "at most ten minutes are wanted");
	*(uint32_t *)dst = ns / 1000000;
	return 0;
}

/* Return: true if the keyword @word is one that only this plan type has. @word is the name of an
 * entry of @args. *@with_value is set to whether a value follows the keyword.
 */
static bool is_own(const struct arg *args, const char *word, bool *with_value)
{
	unsigned int i = 0;

	while (strcmp(args[i].name, word))
		i++;
	*with_value = args[i].parse;
	return i >= COMMON;
}

/* Write the recipe of a guarded plan, by which a guard makes the next epoch: the command, and those
 * of the arguments whose keywords only this plan type has. @args: the table of keywords, which has
 * parsed the arguments already.
 */
static int write_recipe(struct hcctl *h, const struct arg *args, int argc, char **argv,
			char buf[HYPERCUBE_RECIPE_MAX + 1])
{
	size_t size = HYPERCUBE_RECIPE_MAX + 1, len;
	bool keep, with_value;
	int i, end;

	len = snprintf(buf, size, "%s %s", h->object, h->cmd->name);
	for (i = 0; i < argc; i = end) {
		keep = is_own(args, argv[i], &with_value);
		end = i + 1 + with_value;
		for (; keep && i < end && len < size; i++)
			len += snprintf(buf + len, size - len, " %s", argv[i]);
	}
	if (len < size)
		return 0;
	hc_error(h, "the words are too long for a guarded plan to keep");
	return HC_USAGE;
}

static int check_guard(struct hcctl *h, const struct planner *p, const struct plan_req *q)
{
	if (!q->guard)
		return 0;
	if (!q->apply)
		return hc_missing(h, "\"apply\", without which there is nothing to guard");
	if (!p->install)
		return 0;
	hc_error(h, "plans that belong together cannot be guarded");
	return HC_USAGE;
}

static int check(struct hcctl *h, const struct planner *p, struct plan_req *q)
{
	int rc = p->check ? p->check(h, q) : 0;

	if (rc)
		return rc;
	if (q->apply && !q->faults.fabric)
		return hc_missing(h, "\"fabric\" to apply the plan to");
	if (q->epoch && !q->apply)
		return hc_missing(h, "\"apply\", without which no plan gets an epoch");
	if (q->local && !q->apply)
		return hc_missing(h, "\"apply\", without which no plan goes anywhere");
	if (q->id && !q->apply)
		return hc_missing(h, "\"apply\", without which no plan gets an id");
	if (!q->id)
		q->id = p->id;
	return check_guard(h, p, q) ?: cmd_fault_args_check(h, &q->faults) ?:
	       cmd_fault_args_make(h, &q->faults);
}

int planner_command(struct hcctl *h, const struct planner *p, struct plan_req *q,
		    const struct arg *own, int argc, char **argv)
{
	struct arg args[WORDS] = {
		{ "fabric", arg_fabric, &q->faults.fabric },
		{ "apply", NULL, &q->apply },
		{ "epoch", arg_count, &q->epoch },
		{ "local", NULL, &q->local },
		{ "plan", arg_count, &q->id },
		{ "dim", arg_dim, &q->faults.dim },
		{ "fail-link", arg_links, &q->faults.links, .many = true },
		{ "fail-node", arg_nodes, &q->faults.nodes, .many = true },
		{ "faults", arg_str, &q->faults.file },
		{ "guard", planner_arg_guard, &q->guard },
	};
	char recipe[HYPERCUBE_RECIPE_MAX + 1];
	unsigned int n = COMMON;
	int rc;

	net_args(&args[COMMON - NET_KINDS], &q->faults.net);
	while (own->name && n < WORDS - 1)
		args[n++] = *own++;
	rc = hc_args(h, args, argc, argv) ?: check(h, p, q);
	if (!rc && q->guard) {
		rc = write_recipe(h, args, argc, argv, recipe);
		q->recipe = recipe;
	}
	rc = rc ?: planner_make(h, p, q);
	planner_req_free(q);
	return rc;
}

void planner_out_end(struct hcctl *h, const struct plan_req *q, const struct hc_faults *f,
		     uint32_t members, uint32_t steps)
{
	out_uint(h, "members", "\nmembers %" PRIu64, members);
	if (q->apply)
		out_uint(h, "plan", " installed as plan %" PRIu64, q->id);
	out_uint(h, "steps", " steps %" PRIu64 "\n", steps);
	cmd_out_faults(h, f);
	out_close(h);
}

/* --- installed plans --- */

static uint32_t sink_of(const struct nl_plan *v)
{
	return v->sink;
}

const struct planner_root planner_sink = { "sink", HYPERCUBE_A_PLAN_SINK, sink_of };

struct nl_shape planner_shape(const struct nl_plan *v, struct hc_ring_tree *rings)
{
	const struct planner *p = planner_of(v->type);

	*rings = (struct hc_ring_tree){ v->nrings, v->nring_nodes, v->rings, v->ring_nodes };
	return (struct nl_shape){
		.root_attr = p->root->attr, .root = p->root->word ? p->root->of(v) : 0,
		.order = v->order, .stages = v->stages,
		.sequence = v->sequence, .sequence_attr = p->sequence_attr, .steps = v->steps,
		.members = p->members_follow ? NULL : v->members,
		.detours = v->detours, .ndetours = v->ndetours,
		.rings = v->nrings ? rings : NULL, .repair = v->repair,
		.guard = v->guard, .recipe = v->guard_recipe,
		.guard_uid = v->guard_uid == NL_NONE ? NULL : &v->guard_uid,
	};
}

static bool same_bytes(const void *a, size_t na, const void *b, size_t nb, size_t size)
{
	return na == nb && (!na || !memcmp(a, b, na * size));
}

bool planner_same(const struct nl_plan *a, const struct nl_plan *b)
{
	const struct planner *p = planner_of(a->type);

	return p && a->type == b->type && a->repair == b->repair && a->guard == b->guard &&
	       a->guard_uid == b->guard_uid && !strcmp(a->guard_recipe, b->guard_recipe) &&
	       (!p->root->word || p->root->of(a) == p->root->of(b)) &&
	       same_bytes(a->order, a->stages, b->order, b->stages, 1) &&
	       same_bytes(a->sequence, a->steps, b->sequence, b->steps, 1) &&
	       (p->members_follow || same_bytes(a->members, a->member_words, b->members,
						b->member_words, sizeof(*a->members))) &&
	       same_bytes(a->detours, a->ndetours, b->detours, b->ndetours,
			  sizeof(*a->detours)) &&
	       same_bytes(a->rings, a->nrings, b->rings, b->nrings, sizeof(*a->rings)) &&
	       same_bytes(a->ring_nodes, a->nring_nodes, b->ring_nodes, b->nring_nodes,
			  sizeof(*a->ring_nodes));
}

/* --- listing --- */

void planner_show_order(struct hcctl *h, const struct nl_plan *v)
{
	cmd_out_order(h, "order", " order ", v->order, v->stages);
}

void planner_show_sequence(struct hcctl *h, const struct nl_plan *v)
{
	cmd_out_order(h, "sequence", " sequence ", v->sequence, v->steps);
}

void planner_out_root(struct hcctl *h, const struct nl_plan *v)
{
	const struct planner *p = planner_of(v->type);

	if (!p || !p->root->word)
		return;
	out_text(h, " %s", p->root->word);
	out_uint(h, p->root->word, " %" PRIu64, p->root->of(v));
}

enum { PLAN, TYPE, EPOCH, STATE, SHAPE };

static const struct out_column columns[] = {
	OUT_RIGHT(PLAN),
	OUT_LEFT(TYPE),
	OUT_RIGHT(EPOCH),
	OUT_LEFT(STATE),
	OUT_LEFT(SHAPE),
	{}
};

static void show_broken(struct hcctl *h, const struct nl_plan *v)
{
	out_cell(h, STATE);
	out_color(h, v->broken ? OUT_BAD : OUT_GOOD);
	out_bool(h, "broken", "BROKEN", v->broken);
	out_text(h, "%s", v->broken ? "" : "ok");
	if (v->broken)
		cmd_out_cause(h, v->cause_node, v->cause_dim);
	out_color(h, OUT_PLAIN);
}

void planner_out_shape(struct hcctl *h, const struct nl_plan *v)
{
	const struct planner *p = planner_of(v->type);
	char buf[OUT_BUF];

	planner_out_root(h, v);
	if (p)
		p->show(h, v);
	out_text(h, " members %u", cmd_set_count(v->members, 32 * v->member_words));
	if (h->json)
		cmd_out_set(h, "members", "", v->members, 32 * v->member_words);
	if (p && p->show_more)
		p->show_more(h, v);
	if (!v->guard)
		return;
	out_uint(h, "guard_ms", NULL, v->guard);
	out_text(h, " guard %s", out_exact_time(buf, v->guard * UINT64_C(1000000)));
	if (*v->guard_recipe)
		out_str(h, "recipe", NULL, v->guard_recipe);
	if (v->guard_uid != NL_NONE)
		out_uint(h, "guard_uid", " guard-uid %" PRIu64, v->guard_uid);
}

static void show_plan(struct hcctl *h, const struct nl_plan *v)
{
	const struct planner *p = planner_of(v->type);

	out_object(h, NULL);
	out_number(h, PLAN, "plan", v->id);
	out_cell(h, TYPE);
	out_str(h, "type", "%s", p ? p->object.name : "unknown");
	out_number(h, EPOCH, "epoch", v->epoch);
	out_cell(h, SHAPE);
	planner_out_shape(h, v);
	if (h->json && v->grant)
		cmd_out_set(h, "guard_members", "", v->grant, 32 * v->grant_words);
	if (v->repair)
		out_uint(h, "repairs", " repairs %" PRIu64, v->repairs);
	show_broken(h, v);
	out_close(h);
}

/* Print the installed plans @v. @p: print only plans of this type; NULL: of all types. @id: print
 * only the plan with this id; 0: all plans.
 */
static void show_plans(struct hcctl *h, const struct nl_plan *v, size_t n,
		       const struct planner *p, uint32_t id)
{
	size_t i;

	out_table(h, columns);
	out_array(h, NULL);
	for (i = 0; i < n; i++)
		if (v[i].members && (!id || v[i].id == id) && (!p || v[i].type == p->type))
			show_plan(h, &v[i]);
	out_table_end(h);
	out_close(h);
}

static bool any(const struct nl_plan *v, size_t n, uint32_t id)
{
	size_t i = 0;

	while (i < n && v[i].id != id)
		i++;
	return i < n;
}

int planner_show(struct hcctl *h, const char *fabric, uint32_t id)
{
	struct nl_plan *v;
	size_t n;
	int rc = nl_plans(h, fabric, &v, &n);

	if (rc)
		return rc;
	if (id && !any(v, n, id)) {
		hc_error(h, "fabric %s: no such plan: %u", fabric, id);
		nl_plans_free(v, n);
		return HC_NO;
	}
	show_plans(h, v, n, NULL, id);
	nl_plans_free(v, n);
	return HC_OK;
}

int planner_show_type(struct hcctl *h, const struct planner *p, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);
	struct arg none[] = { {} };
	struct nl_plan *v;
	size_t n;
	int rc;

	if (!fabric)
		return HC_USAGE;
	rc = hc_args(h, none, argc, argv) ?: nl_plans(h, fabric, &v, &n);
	if (rc)
		return rc;
	show_plans(h, v, n, p, 0);
	nl_plans_free(v, n);
	return HC_OK;
}
