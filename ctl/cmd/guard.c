// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl guard: when a fault breaks a guarded plan, its members wait for the next epoch. This
 * command makes a new plan by the recipe of the broken one, and installs it as that epoch.
 *
 * A plan is replaced only if it still has the epoch that was seen to be broken. So any number of
 * guards may run: the first one that installs the next epoch wins. Events report a broken plan
 * immediately. As events can get lost, all plans are also checked once a second. guard_topology.c
 * replaces the balancing topology in the same way.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "guard.h"
#include "planner.h"

#define TIME_MS		5000
#define LOOK_NS		UINT64_C(1000000000)
#define QUIET_NS	UINT64_C(100000000)
#define RECIPE_WORDS	64
#define RECIPE_SIZE	(HYPERCUBE_RECIPE_MAX + 1)

/**
 * struct watched - a plan that the command has seen, or that the command line names
 * @id: id of the plan
 * @epoch: the latest epoch that was seen or installed; 0: none
 * @named: the command line names the plan
 * @said: the last message that was printed about why the plan cannot be guarded, or NULL
 * @absent: nodes on other machines that had no process
 */
struct watched {
	uint32_t id;
	uint32_t epoch;
	bool named;
	char *said;
	struct guard_absent absent;
};

/**
 * struct guard - a run of the command
 * @fabric: the fabric whose plans are guarded
 * @dim: dimension of the fabric; 0: it is not a hypercube
 * @nodes: number of nodes of the fabric
 * @time: for plans that this command makes guarded: how long members wait for the next epoch, ms
 * @any: the command line names no plan, so all guarded plans are guarded
 * @once: check all plans once, and then end
 * @looked: time when all plans were last checked, ns
 * @changed: time of the last event about a change of the faults, ns; 0 if the balancing topology
 *	was checked after it
 * @t: state of guarding the balancing topology
 * @failed: at least one plan could not be guarded
 * @own: context for requests that may fail; its error messages go to @text
 * @text: the latest error message of @own, or NULL
 * @v: the plans
 * @n: number of entries of @v
 */
struct guard {
	const char *fabric;
	uint32_t dim;
	uint32_t nodes;
	uint32_t time;
	bool any;
	bool once;
	uint64_t looked;
	uint64_t changed;
	struct guard_topology t;
	bool failed;
	struct hcctl own;
	char *text;
	struct watched *v;
	size_t n;
};

/**
 * struct epoch - the next epoch of a plan
 * @old: the installed plan
 * @absent: the plan's watched.absent
 * @p: the plan type that the recipe names
 * @recipe: how to make the next epoch: the words of a planning command
 * @keep: the next epoch gets @recipe as its recipe
 * @guard: how long members of the next epoch will wait for the one after it, ms
 * @why: why the root of the plan is not the one in the recipe; NULL: it is
 */
struct epoch {
	const struct nl_plan *old;
	struct guard_absent *absent;
	const struct planner *p;
	char recipe[RECIPE_SIZE];
	bool keep;
	uint32_t guard;
	char *why;
};

static volatile int stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

uint64_t guard_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

/* --- which plans --- */

static struct watched *watched_find(struct guard *g, uint32_t id)
{
	size_t i = 0;

	while (i < g->n && g->v[i].id != id)
		i++;
	return i < g->n ? &g->v[i] : NULL;
}

static struct watched *watched_add(struct hcctl *h, struct guard *g, uint32_t id)
{
	struct watched *v = reallocarray(g->v, g->n + 1, sizeof(*v));

	if (!v) {
		hc_nomem(h);
		return NULL;
	}
	g->v = v;
	v += g->n++;
	*v = (struct watched){ .id = id };
	return v;
}

/* Parse "ID[,ID..]", the plans to guard. */
static int arg_plans(struct hcctl *h, const char *name, const char *word, void *dst)
{
	char *copy = strdup(word), *rest = copy, *item;
	struct guard *g = dst;
	struct watched *w;
	uint32_t id;
	int rc = copy ? 0 : hc_nomem(h);

	while (!rc && (item = strsep(&rest, ","))) {
		rc = arg_count(h, name, item, &id);
		w = rc ? NULL : watched_find(g, id) ?: watched_add(h, g, id);
		if (w)
			w->named = true;
		else if (!rc)
			rc = -ENOMEM;
	}
	free(copy);
	g->any = false;
	return rc;
}

/* --- messages --- */

/* The function hcctl.complain of guard.own: store an error message in guard.text, so that
 * report_failure() can print it once.
 */
static void keep_text(struct hcctl *own, const char *kind, const char *text)
{
	struct guard *g = (struct guard *)((char *)own - offsetof(struct guard, own));

	if (strcmp(kind, "error"))
		return;
	free(g->text);
	g->text = strdup(text);
}

/* Print an error: @what cannot be guarded, for the reason in g->text. *@said is the last such
 * message about @what; the same message is not printed twice.
 */
static void report_failure(struct hcctl *h, struct guard *g, const char *what, char **said)
{
	const char *text = g->text ?: "not possible now";

	g->failed = true;
	if (*said && !strcmp(*said, text))
		return;
	free(*said);
	*said = strdup(text);
	(g->once ? hc_error : hc_warn)(h, "%s is not guarded: %s", what, text);
}

static void report_plan(struct hcctl *h, struct guard *g, struct watched *w)
{
	char what[32];

	snprintf(what, sizeof(what), "plan %u", w->id);
	report_failure(h, g, what, &w->said);
}

static void begin_line(struct hcctl *h, const struct guard *g, uint32_t id, const char *event)
{
	out_object(h, NULL);
	out_str(h, "event", NULL, event);
	out_str(h, "fabric", NULL, g->fabric);
	out_uint(h, "plan", "plan %" PRIu64 ": ", id);
}

static void print_any_root(struct hcctl *h, const struct guard *g, const struct epoch *e)
{
	begin_line(h, g, e->old->id, "any-root");
	out_str(h, "reason", "%s; any other is taken\n", e->why);
	out_close(h);
}

static void print_cause(struct hcctl *h, const struct nl_plan *old)
{
	if (old->cause_node == NL_NONE)
		out_text(h, "broken");
	else
		out_text(h, "broken by %s", old->cause_status == ECONNRESET ? "the process at" :
			 old->cause_dim == NL_NONE ? "node" : "link");
	if (old->cause_node != NL_NONE)
		out_uint(h, "cause_node", " %" PRIu64, old->cause_node);
	if (old->cause_dim != NL_NONE)
		out_uint(h, "cause_dim", ":%" PRIu64, old->cause_dim);
}

static void print_epoch(struct hcctl *h, const struct guard *g, const struct epoch *e,
			const struct nl_plan *new, uint64_t ns)
{
	char buf[OUT_BUF];

	begin_line(h, g, new->id, e->old->broken ? "renewed" : "guarded");
	out_uint(h, "prev", NULL, e->old->epoch);
	if (e->old->broken)
		print_cause(h, e->old);
	else
		out_text(h, "guarded for %s", out_exact_time(buf, e->guard * UINT64_C(1000000)));
	out_uint(h, "guard_ms", NULL, e->guard);
	out_uint(h, "epoch", ", epoch %" PRIu64 " installed", new->epoch);
	out_uint(h, "members", ", %" PRIu64 " members",
		 cmd_set_count(new->members, 32 * new->member_words));
	out_uint(h, "time_ns", NULL, ns);
	out_text(h, ", in %s\n", out_time(buf, ns));
	out_close(h);
}

/* --- the next epoch --- */

/* Split @recipe into words, in place. Return: the number of words, or -1 if there are too many. */
static int split(char *recipe, char **argv)
{
	char *rest = recipe, *word;
	int n = 0;

	while ((word = strsep(&rest, " "))) {
		if (!*word)
			continue;
		if (n == RECIPE_WORDS)
			return -1;
		argv[n++] = word;
	}
	return n;
}

/* Read the recipe, which consists of an object, a command and keywords, into the request @q for a
 * plan of type @p. The strings of @q are in @buf.
 */
static int read_recipe(struct guard *g, const struct epoch *e, const struct planner *p,
		       char buf[RECIPE_SIZE], struct plan_req *q)
{
	const struct hc_object *o = &e->p->object;
	char *argv[RECIPE_WORDS];
	int n;

	memcpy(buf, e->recipe, RECIPE_SIZE);
	n = split(buf, argv);
	if (n < 2 || strcmp(argv[0], o->name) || strcmp(argv[1], o->cmds->name)) {
		hc_error(&g->own, "this tool cannot plan by \"%s\"", e->recipe);
		return HC_NO;
	}
	return p->parse(&g->own, q, n - 2, argv + 2);
}

/* Find and install a plan with the root that the recipe names. If the recipe names no root, use
 * that of the old plan, because the process there may wait for results. If there is no plan with
 * this root, find one with any root.
 */
static int try_roots(struct guard *g, struct epoch *e, const struct planner *p,
		     struct plan_req *q)
{
	bool any = q->root == NL_NONE;
	int rc;

	if (any && e->old->type == p->type)
		q->root = p->root->of(e->old);
	rc = planner_try(&g->own, p, q);
	free(e->why);
	e->why = NULL;
	if (rc != HC_NO || q->root == NL_NONE)
		return rc;
	if (!any)
		e->why = strdup(g->text ?: "not possible");
	q->root = NL_NONE;
	return planner_try(&g->own, p, q);
}

/* Make a plan of type @p by the recipe, and install it. */
static int try_type(struct guard *g, struct epoch *e, const struct planner *p)
{
	char buf[RECIPE_SIZE];
	struct plan_req q = {};
	int rc = read_recipe(g, e, p, buf, &q) ?:
		 guard_without(&g->own, g->fabric, g->nodes, e->old, e->absent, &q.without);

	if (!rc) {
		q.faults.fabric = g->fabric;
		q.apply = true;
		q.quiet = true;
		q.id = e->old->id;
		q.guard = e->guard;
		q.recipe = e->keep ? e->recipe : NULL;
		q.prev = e->old->epoch;
		rc = try_roots(g, e, p, &q);
	}
	planner_req_free(&q);
	return rc;
}

/* Make a plan by the recipe, and install it. If there is no plan of the recipe's type, use the
 * alternative type that the planner names.
 */
static int try_plan(struct guard *g, struct epoch *e)
{
	int rc = try_type(g, e, e->p);

	return (rc == -EINVAL || rc == HC_NO) && e->p->otherwise ?
	       try_type(g, e, e->p->otherwise) : rc;
}

/* Install a plan that is not broken, but not guarded, as a guarded plan of the same shape. The
 * kernel refuses a shape that is not valid for the current faults.
 */
static int try_shape(struct guard *g, const struct epoch *e)
{
	struct hc_ring_tree rings;
	struct nl_shape shape = planner_shape(e->old, &rings);
	struct hc_faults *f;
	int rc = live_faults(&g->own, g->fabric, &f);

	if (rc)
		return rc;
	shape.guard = e->guard;
	shape.recipe = e->recipe;
	shape.prev = e->old->epoch;
	rc = nl_plan_add(&g->own, g->fabric, e->old->id, e->old->type, &shape,
			 f->topo.nodes, f->fault, true);
	hc_faults_free(f);
	return rc;
}

/* Install the next epoch: if the plan is not broken, with the same shape if that is possible;
 * otherwise by the recipe.
 */
static int try_once(struct guard *g, struct epoch *e)
{
	int rc = e->old->broken ? -EINVAL : try_shape(g, e);

	return rc == -EINVAL ? try_plan(g, e) : rc;
}

/* Return: true if the installed plan still has the epoch of @old. If not, another guard or the
 * administrator has replaced or removed the plan.
 */
static bool is_as_seen(struct guard *g, const struct nl_plan *old)
{
	struct nl_plan now;
	bool same;

	if (nl_plan(&g->own, g->fabric, old->id, &now))
		return false;
	same = now.epoch == old->epoch;
	nl_plan_clear(&now);
	return same;
}

static int report_epoch(struct hcctl *h, struct guard *g, struct watched *w,
			const struct epoch *e, uint64_t began)
{
	uint64_t ns = guard_now_ns() - began;
	struct nl_plan new;

	free(w->said);
	w->said = NULL;
	/* If the plan was removed in the meantime, there is nothing to report. */
	if (nl_plan(&g->own, g->fabric, w->id, &new))
		return 0;
	w->epoch = new.epoch;
	if (e->why)
		print_any_root(h, g, e);
	print_epoch(h, g, e, &new, ns);
	nl_plan_clear(&new);
	return out_failed() ? -EIO : 0;
}

/* Return: true if the error is temporary: the faults have changed since the plan was made, other
 * machines are busy with another request, or this user has sent another request a moment ago.
 */
static bool is_for_now(int rc)
{
	return rc == -ESTALE || rc == -EBUSY || rc == -EAGAIN;
}

/* Try to install the next epoch. Repeat that while the error is temporary and no other process has
 * replaced the plan.
 */
static int install_next(struct hcctl *h, struct guard *g, struct watched *w, struct epoch *e)
{
	uint64_t began = guard_now_ns();
	int rc = -ESTALE, try;

	for (try = 0; try < NL_TRIES && !stop && is_for_now(rc); try++) {
		if (try)
			nl_pause(try - 1);
		rc = try_once(g, e);
		if (rc && !is_as_seen(g, e->old))
			return 0;
	}
	if (!rc)
		return report_epoch(h, g, w, e, began);
	if (!stop)
		report_plan(h, g, w);
	return 0;
}

/* Return: the plan type that the recipe names; NULL if there is no such type. */
static const struct planner *recipe_planner(const char *recipe)
{
	char name[RECIPE_SIZE];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(recipe, " "), recipe);
	return planner_named(name);
}

/* Fill in e->recipe: with the recipe of the plan, or if it has none, with keywords that are derived
 * from the plan. Only a process with CAP_NET_ADMIN may add a recipe to a plan that has none.
 */
static void find_recipe(const struct guard *g, struct epoch *e)
{
	const struct planner *p = e->p;
	size_t len;

	memcpy(e->recipe, e->old->guard_recipe, RECIPE_SIZE);
	e->keep = *e->recipe || !guard_is_given(e->old);
	if (*e->recipe) {
		/* The installed plan may have another type than its recipe names, because no plan
		 * of the latter type was possible.
		 */
		e->p = recipe_planner(e->recipe) ?: p;
		return;
	}
	len = snprintf(e->recipe, RECIPE_SIZE, "%s %s ", p->object.name, p->object.cmds->name);
	p->words(e->old, g->dim, e->recipe + len, RECIPE_SIZE - len);
}

/* --- looking --- */

/* Return: true if the command has to install an epoch of plan @v: it guards the plan, and the plan
 * is broken or not guarded yet. *@w is set to the entry of the plan.
 */
static bool needs_epoch(struct hcctl *h, struct guard *g, const struct nl_plan *v,
			struct watched **w)
{
	*w = watched_find(g, v->id);
	if (!v->members || (!g->any && !*w) || (g->any && !v->guard))
		return false;
	*w = *w ?: watched_add(h, g, v->id);
	/* Ignore an event that is older than the epoch that was last seen or installed. */
	if (!*w || ((*w)->epoch && (int32_t)(v->epoch - (*w)->epoch) < 0))
		return false;
	(*w)->epoch = v->epoch;
	return v->broken || !v->guard;
}

/* Check a plan, and install its next epoch if it needs one. */
static int look_at(struct hcctl *h, struct guard *g, const struct nl_plan *v)
{
	struct epoch e = { .old = v, .p = planner_of(v->type), .guard = v->guard ?: g->time };
	struct watched *w;
	int rc;

	if (!needs_epoch(h, g, v, &w))
		return 0;
	e.absent = &w->absent;
	free(g->text);
	g->text = NULL;
	if (e.p && (*v->guard_recipe || e.p->words))
		find_recipe(g, &e);
	if (!e.p || !e.p->parse) {
		hc_error(&g->own, "plans of this type cannot be guarded");
		report_plan(h, g, w);
		return 0;
	}
	rc = install_next(h, g, w, &e);
	free(e.why);
	return rc;
}

/* Check the balancing topology, and replace it if necessary. If the faults change during this, try
 * again after all plans were checked and no change was reported for a while, or with "once"
 * immediately.
 */
static int look_at_topology(struct hcctl *h, struct guard *g)
{
	int rc = -ESTALE, try;

	g->changed = 0;
	/* If the command line names plans, only these are guarded. */
	if (!g->any || !g->dim || !guard_is_admin())
		return 0;
	for (try = 0; try < (g->once ? NL_TRIES : 1) && !stop && is_for_now(rc); try++) {
		if (try)
			nl_pause(try - 1);
		free(g->text);
		g->text = NULL;
		rc = guard_topology(h, &g->own, &g->t);
	}
	if (is_for_now(rc) && !g->once)
		g->changed = guard_now_ns();
	else if (rc && !stop)
		report_failure(h, g, "the topology of balancing", &g->t.said);
	return 0;
}

/* Check all plans, and the balancing topology. */
static int look(struct hcctl *h, struct guard *g)
{
	struct nl_plan *v;
	size_t n, i;
	int rc = nl_plans(&g->own, g->fabric, &v, &n);

	g->looked = guard_now_ns();
	if (rc)
		return rc;
	for (i = 0; !rc && i < n && !stop; i++)
		rc = look_at(h, g, &v[i]);
	nl_plans_free(v, n);
	return rc ?: look_at_topology(h, g);
}

/* Check that the plans that the command line names exist when the command begins. */
static int check_named(struct hcctl *h, const struct guard *g)
{
	size_t i;

	for (i = 0; i < g->n; i++)
		if (g->v[i].named && !g->v[i].epoch) {
			hc_error(h, "fabric %s: no such plan: %u", g->fabric, g->v[i].id);
			return HC_NO;
		}
	return 0;
}

static int on_event(struct hcctl *h, const struct nl_event *e, void *arg)
{
	struct guard *g = arg;

	if (e->cmd == HYPERCUBE_CMD_PLAN_NTF && !strcmp(e->plan.fabric, g->fabric))
		return look_at(h, g, &e->plan);
	if ((e->cmd == HYPERCUBE_CMD_LINK_NTF && !strcmp(e->link.fabric, g->fabric)) ||
	    (e->cmd == HYPERCUBE_CMD_NODE_NTF && !strcmp(e->node.fabric, g->fabric)))
		g->changed = guard_now_ns();
	if (e->cmd != HYPERCUBE_CMD_FABRIC_DEL_NTF || strcmp(e->fabric.name, g->fabric))
		return 0;
	hc_error(h, "fabric %s was removed", g->fabric);
	return -ENODEV;
}

static int on_idle(struct hcctl *h, void *arg, bool lost)
{
	struct guard *g = arg;
	int rc = 0;

	if (lost || guard_now_ns() - g->looked >= LOOK_NS)
		rc = look(h, g);
	else if (g->changed && guard_now_ns() - g->changed >= QUIET_NS)
		rc = look_at_topology(h, g);
	/* These errors may be temporary, and the next check follows within a second. */
	if (rc == -ENOMEM || rc == -ENOBUFS || rc == -EAGAIN || rc == -EIO)
		return 0;
	if (rc && g->text)
		hc_error(h, "%s", g->text);
	return rc;
}

/* --- the command --- */

static int guard_run(struct hcctl *h, struct guard *g)
{
	struct nl_fabric info;
	int rc = nl_fabric(h, g->fabric, &info);

	if (rc)
		return rc;
	g->dim = info.dim;
	g->nodes = info.nodes;
	rc = look(h, g);
	if (rc && g->text)
		hc_error(h, "%s", g->text);
	rc = rc ?: check_named(h, g);
	if (rc || g->once)
		return rc ?: g->failed ? HC_NO : HC_OK;
	return nl_events_idle(h, on_event, on_idle, g, &stop);
}

static void release(struct guard *g)
{
	size_t i;

	for (i = 0; i < g->n; i++) {
		free(g->v[i].said);
		guard_absent_free(&g->v[i].absent);
	}
	free(g->v);
	free(g->t.said);
	free(g->text);
	nl_leave(&g->own);
}

static int guard(struct hcctl *h, int argc, char **argv)
{
	struct guard g = { .any = true, .own.complain = keep_text };
	struct sigaction act = { .sa_handler = on_signal };
	struct arg args[] = {
		{ "plan", arg_plans, &g },
		{ "time", planner_arg_guard, &g.time },
		{ "once", NULL, &g.once },
		{}
	};
	int rc;

	g.fabric = hc_take_fabric(h, &argc, &argv);
	rc = g.fabric ? hc_args(h, args, argc, argv) : HC_USAGE;
	if (!rc && g.time && g.any)
		rc = hc_missing(h, "\"plan\": guarded plans have a time already");
	g.time = g.time ?: TIME_MS;
	g.t.fabric = g.fabric;
	if (!rc) {
		stop = 0;
		sigaction(SIGINT, &act, NULL);
		sigaction(SIGTERM, &act, NULL);
		rc = guard_run(h, &g);
	}
	release(&g);
	return rc;
}

const struct hc_cmd guard_cmds[] = {
	{ NULL, guard, "NAME [plan ID[,ID..] [time T]] [once]" },
	{}
};
