// SPDX-License-Identifier: GPL-2.0
/*
 * The plans of a cluster. The first host makes each plan and installs it on all hosts (see hcctl
 * trunk).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"

#define WORDS_MAX 24

/* Keywords of a plan. @v points into @text, in which the words are separated. */
struct words {
	char *text;
	const char *v[WORDS_MAX + 1];
	size_t n;
};

static int words_of(struct hcctl *h, const struct cluster_plan *p, struct words *w)
{
	char *rest, *word;

	*w = (struct words){ .text = strdup(p->with ?: "") };
	if (!w->text)
		return hc_nomem(h);
	for (rest = w->text; rest && w->n < WORDS_MAX; ) {
		word = strsep(&rest, " ");
		if (*word)
			w->v[w->n++] = word;
	}
	return 0;
}

/* --- existing plans --- */

/* Return: the plan with @id in @all, the list of a host's plans, or NULL. */
static struct json_object *found(struct json_object *all, uint32_t id)
{
	struct json_object *o;
	size_t i;

	for (i = 0; i < cluster_length(all); i++) {
		o = json_object_array_get_idx(all, i);
		if (cluster_number(o, "plan") == id)
			return o;
	}
	return NULL;
}

/* Return: true if the installed plan @o has the attributes that the plan's keywords in the file
 * require, such as "sink 5".
 */
static bool fits(struct json_object *o, const struct words *w)
{
	uint64_t v;
	size_t i;

	for (i = 0; i + 1 < w->n; i++)
		if (cluster_get(o, w->v[i]) && !hc_number(w->v[i + 1], UINT64_MAX, &v) &&
		    cluster_number(o, w->v[i]) != v)
			return false;
	return true;
}

/* Return: true if all hosts have the plan @p of the same epoch, and it is not broken. @said has the
 * list of plans of each host.
 */
static bool is_up(const struct cluster *c, struct json_object **said,
		  const struct cluster_plan *p, const struct words *w)
{
	struct json_object *first = found(said[0], p->id), *o;
	size_t i;

	for (i = 0; i < c->nhosts; i++) {
		o = found(said[i], p->id);
		if (!o || cluster_flag(o, "broken") ||
		    strcmp(cluster_text(o, "type"), p->type->object.name) ||
		    cluster_number(o, "epoch") != cluster_number(first, "epoch") || !fits(o, w))
			return false;
	}
	return true;
}

/* Set cluster_plan.up for each plan of the file. */
static int look_up(struct hcctl *h, struct cluster *c)
{
	struct json_object **said = calloc(c->nhosts, sizeof(*said));
	const struct remote_call show = { .words = { "plan", "show", c->state.name } };
	struct words w;
	int rc;
	size_t i;

	rc = said ? remote_all(h, c, &show, c->there, NULL, said) : hc_nomem(h);
	for (i = 0; !rc && i < c->nplans; i++) {
		rc = words_of(h, &c->plan[i], &w);
		c->plan[i].up = !rc && is_up(c, said, &c->plan[i], &w);
		free(w.text);
	}
	remote_free(c, said);
	return rc;
}

/* --- missing plans --- */

/* Have the first host make the plan and install it. */
static int make(struct hcctl *h, struct cluster *c, const struct cluster_plan *p)
{
	const struct hc_object *object = &p->type->object;
	char id[16];
	struct remote_call call = {
		.words = {
			object->name, object->cmds->name, "fabric", c->state.name,
			"apply", "plan", id,
		},
	};
	struct words w;
	int rc = words_of(h, p, &w);

	snprintf(id, sizeof(id), "%u", p->id);
	memcpy(call.words + 7, w.v, w.n * sizeof(*w.v));
	rc = rc ?: remote_one(h, c, 0, &call, NULL);
	free(w.text);
	return rc;
}

static void put_plan(struct hcctl *h, struct cluster *c, const struct cluster_plan *p)
{
	cluster_change(h, c, NULL, true, "plan");
	out_uint(h, "plan", " %" PRIu64, p->id);
	out_str(h, "what", " %s", p->type->object.name);
	cluster_change_end(h);
}

static bool all_up(const struct cluster *c)
{
	size_t i = 0;

	while (i < c->nplans && c->plan[i].up)
		i++;
	return i == c->nplans;
}

int cluster_plans(struct hcctl *h, struct cluster *c)
{
	struct cluster_plan *p, *end = c->plan + c->nplans;
	int rc;

	if (!c->nplans)
		return 0;
	rc = look_up(h, c);
	/* A planner leaves out nodes that have failed as far as its host knows. So wait until all
	 * hosts have the FAULT words that follow from the file.
	 */
	if (!rc && !c->dry && !all_up(c))
		rc = cluster_settle(h, c);
	for (p = c->plan; !rc && p < end && !cmd_signals_came(); p++) {
		if (p->up)
			continue;
		rc = c->dry ? 0 : make(h, c, p);
		p->up = !rc && !c->dry;
		if (!rc)
			put_plan(h, c, p);
	}
	return rc;
}
