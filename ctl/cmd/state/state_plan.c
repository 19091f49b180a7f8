// SPDX-License-Identifier: GPL-2.0
/*
 * Reading plans from a state file. The shape of a plan has the format of "hcctl -j plan show".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

/* The arrays of a plan in the file. An array that the plan does not have is NULL. */
struct shape {
	struct json_object *order, *sequence, *parents, *members, *detours, *rings;
};

/* --- sets and sequences --- */

/* Read an array of at most @most numbers from 0 to @last, which are dimensions or ports, into @to.
 * @key and @wanted are for error messages.
 */
static int dims(struct hcctl *h, const char *key, struct json_object *array, uint64_t last,
		size_t most, const char *wanted, uint8_t *to)
{
	struct hc_where at = { .text = key };
	uint64_t d;
	size_t i;
	int rc;

	hc_enter(h, &at);
	rc = json_length(array) <= most ? 0 : hc_invalid(h, "value", "[..]", wanted);
	for (i = 0; !rc && i < json_length(array); i++) {
		rc = json_number_at(h, array, i, last, &d);
		if (!rc)
			to[i] = d;
	}
	hc_leave(h, &at);
	return rc;
}

static int take_order(struct hcctl *h, struct json_object *array, const struct state *s,
		      struct nl_plan *v)
{
	v->stages = json_length(array);
	return dims(h, "order", array, s->topo.ports - 1, s->topo.ports,
		    "each dimension once at most is wanted", v->order);
}

static int take_sequence(struct hcctl *h, const struct shape *a, const struct state *s,
			 struct nl_plan *v)
{
	struct json_object *array = a->sequence ?: a->parents;

	if (!array)
		return 0;
	v->steps = json_length(array);
	v->sequence = calloc(v->steps ?: 1, 1);
	if (!v->sequence)
		return hc_nomem(h);
	if (a->sequence)
		return dims(h, "sequence", array, s->topo.ports - 1, s->topo.nodes - 1,
			    "fewer steps than the fabric has nodes are wanted", v->sequence);
	/* HC_NO_PORT stands for a node without a parent. */
	return dims(h, "parent_ports", array, HC_NO_PORT, s->topo.nodes,
		    "one port for each node is wanted", v->sequence);
}

static int take_members(struct hcctl *h, struct json_object *array, const struct state *s,
			struct nl_plan *v)
{
	struct hc_where at = { .text = "members" };
	uint64_t u;
	size_t i;
	int rc = 0;

	v->member_words = hc_topo_words(&s->topo);
	v->members = calloc(v->member_words, sizeof(*v->members));
	if (!v->members)
		return hc_nomem(h);
	hc_enter(h, &at);
	for (i = 0; !rc && i < json_length(array); i++) {
		rc = json_number_at(h, array, i, s->topo.nodes - 1, &u);
		if (!rc)
			v->members[u / 32] |= 1U << u % 32;
	}
	hc_leave(h, &at);
	return rc;
}

/* --- detours and rings --- */

/* Arguments of the functions that read a detour or a ring. */
struct part {
	const struct state *s;
	struct nl_plan *v;
};

static int take_detour(struct hcctl *h, struct json_object *o, void *arg)
{
	struct part *p = arg;
	uint32_t last = p->s->topo.nodes - 1, from, to;
	struct json_key keys[] = {
		{ "from", JSON_U32, &from, .max = last, .required = true },
		{ "to", JSON_U32, &to, .max = last, .required = true },
		{}
	};
	int rc = json_keys(h, o, keys);

	if (!rc)
		p->v->detours[p->v->ndetours++] = (struct hc_detour){ from, to };
	return rc;
}

static int ring_nodes(struct hcctl *h, struct part *p, struct json_object *nodes)
{
	size_t n = json_length(nodes), i;
	uint16_t *to = reallocarray(p->v->ring_nodes, p->v->nring_nodes + n + 1, sizeof(*to));
	uint64_t u;

	if (!to)
		return hc_nomem(h);
	p->v->ring_nodes = to;
	for (i = 0; i < n; i++) {
		if (json_number_at(h, nodes, i, p->s->topo.nodes - 1, &u))
			return HC_USAGE;
		to[p->v->nring_nodes++] = u;
	}
	return 0;
}

static int take_ring(struct hcctl *h, struct json_object *o, void *arg)
{
	struct part *p = arg;
	uint32_t level = 0, parent = HC_RING_NONE;
	struct json_object *nodes = NULL;
	struct json_key keys[] = {
		{ "id", JSON_IGNORED },
		{ "level", JSON_U32, &level, .max = UINT16_MAX },
		{ "parent", JSON_U32, &parent, .max = UINT16_MAX },
		{ "nodes", JSON_ARRAY, &nodes, .required = true },
		{}
	};
	int rc = json_keys(h, o, keys);

	if (rc)
		return rc;
	p->v->rings[p->v->nrings++] = (struct hc_ring){ json_length(nodes), level, parent };
	return ring_nodes(h, p, nodes);
}

static int take_shape(struct hcctl *h, const struct shape *a, const struct state *s,
		      struct nl_plan *v)
{
	struct part p = { s, v };

	v->detours = calloc(json_length(a->detours) + 1, sizeof(*v->detours));
	v->rings = calloc(json_length(a->rings) + 1, sizeof(*v->rings));
	if (!v->detours || !v->rings)
		return hc_nomem(h);
	return take_order(h, a->order, s, v) ?: take_sequence(h, a, s, v) ?:
	       take_members(h, a->members, s, v) ?:
	       json_each(h, "detours", a->detours, take_detour, &p) ?:
	       json_each(h, "rings", a->rings, take_ring, &p);
}

/* --- a plan --- */

/* Return: the plan type, which determines the keys of the plan; NULL after printing an error. */
static const struct planner *type_of(struct hcctl *h, struct json_object *o)
{
	char wanted[128] = "";
	const struct planner *p = NULL;
	struct json_object *type;
	const char *name;
	size_t i, len = 0;

	if (!json_object_is_type(o, json_type_object) ||
	    !json_object_object_get_ex(o, "type", &type)) {
		hc_error(h, "a plan with the key \"type\" is wanted");
		return NULL;
	}
	name = json_object_is_type(type, json_type_string) ? json_object_get_string(type) : "";
	p = planner_named(name);
	for (i = 0; !p && planner_at(i); i++)
		len += snprintf(wanted + len, sizeof(wanted) - len, "%s%s",
				!i ? "" : planner_at(i + 1) ? ", " : " or ",
				planner_at(i)->object.name);
	if (!p)
		hc_invalid(h, "type", name, strcat(wanted, " is wanted"));
	return p;
}

/* Append an empty plan to the state, which owns it. */
static struct nl_plan *add_plan(struct hcctl *h, struct state *s)
{
	struct nl_plan *all = reallocarray(s->plan, s->nplans + 1, sizeof(*all));

	if (!all) {
		hc_nomem(h);
		return NULL;
	}
	s->plan = all;
	all[s->nplans] = (struct nl_plan){ .guard_uid = NL_NONE };
	return &all[s->nplans++];
}

int state_read_plan(struct hcctl *h, struct json_object *o, void *arg)
{
	const struct planner *p = type_of(h, o);
	struct nl_plan *v = p ? add_plan(h, arg) : NULL;
	const struct state *s = arg;
	struct shape a = {};
	uint32_t id, root = 0, guard = 0, uid = NL_NONE;
	const char *recipe = NULL;
	bool repair = false;
	struct json_key keys[] = {
		{ "plan", JSON_U32, &id, .min = 1, .required = true },
		{ "type", JSON_IGNORED },
		{ "members", JSON_ARRAY, &a.members, .required = p && !p->members_follow },
		{ "order", JSON_ARRAY, &a.order },
		{ "sequence", JSON_ARRAY, &a.sequence },
		{ "parent_ports", JSON_ARRAY, &a.parents },
		{ "detours", JSON_ARRAY, &a.detours },
		{ "rings", JSON_ARRAY, &a.rings },
		{ "virtual_nodes", JSON_IGNORED },
		{ "repair", JSON_FLAG, &repair },
		{ "guard_ms", JSON_U32, &guard, .min = 1, .max = HYPERCUBE_GUARD_MAX },
		{ "recipe", JSON_TEXT, &recipe },
		{ "guard_uid", JSON_U32, &uid, .max = UINT32_MAX - 1 },
		{ p ? p->root->word : NULL, JSON_U32, &root, .max = s->topo.nodes - 1,
		  .required = true },
		{}
	};
	int rc = v ? json_keys(h, o, keys) : HC_USAGE;

	if (!rc && recipe && (!guard || strlen(recipe) > HYPERCUBE_RECIPE_MAX))
		rc = hc_invalid(h, "recipe", recipe,
				"of a plan with \"guard_ms\", at most 255 bytes are wanted");
	if (!rc && uid != NL_NONE && !guard)
		rc = hc_missing(h, "\"guard_ms\", without which nobody guards the plan");
	if (rc)
		return rc;
	v->id = id;
	v->type = p->type;
	v->repair = repair;
	v->guard = guard;
	v->guard_uid = uid;
	snprintf(v->guard_recipe, sizeof(v->guard_recipe), "%s", recipe ?: "");
	v->sink = root;
	v->source = root;
	v->base = root;
	return take_shape(h, &a, s, v);
}
