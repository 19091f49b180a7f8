// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: the model as JSON, for the script of a page. The script only draws the model; it does
 * not compute any part of it.
 */
#include <json-c/json.h>
#include <stdlib.h>

#include "plot.h"

static void add_text(struct json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, json_object_new_string(text));
}

static void add_number(struct json_object *o, const char *key, uint64_t n)
{
	json_object_object_add(o, key, json_object_new_uint64(n));
}

static void push_number(struct json_object *a, uint64_t n)
{
	json_object_array_add(a, json_object_new_uint64(n));
}

static struct json_object *add_array(struct json_object *o, const char *key)
{
	struct json_object *a = json_object_new_array();

	json_object_object_add(o, key, a);
	return a;
}

/* Add an array of the nodes for which @is returns true. */
static void add_nodes(struct json_object *o, const char *key, const struct plot *p,
		      bool (*is)(const struct plot *p, uint32_t u))
{
	struct json_object *a = add_array(o, key);
	uint32_t u;

	for (u = 0; u < hc_nodes(p->dim); u++)
		if (is(p, u))
			push_number(a, u);
}

static struct json_object *push_link(struct json_object *a, uint32_t u, unsigned int d)
{
	struct json_object *o = json_object_new_object();

	add_number(o, "node", u);
	add_number(o, "dim", d);
	json_object_array_add(a, o);
	return o;
}

/* Add the faults under the keys that planners use, and the nodes that are left out or are roots. */
static void add_faults(struct json_object *o, const struct plot *p)
{
	struct json_object *links = add_array(o, "fail_links");
	unsigned int d;
	uint32_t u;

	for (u = 0; u < hc_nodes(p->dim); u++)
		for (d = 0; d < p->dim; d++)
			if (!(u & hc_bit(d)) && plot_link_bad(p, u, d))
				push_link(links, u, d);
	add_nodes(o, "fail_nodes", p, plot_failed);
	add_nodes(o, "left_out", p, plot_left_out);
	add_nodes(o, "roots", p, plot_is_root);
}

static void add_traffic(struct json_object *o, const struct plot *p)
{
	struct json_object *a, *link;
	char text[OUT_BUF];
	unsigned int d;
	uint64_t bytes;
	uint32_t u;

	if (!p->sent)
		return;
	add_number(o, "busiest", p->busiest);
	a = add_array(o, "traffic");
	for (u = 0; u < hc_nodes(p->dim); u++) {
		for (d = 0; d < p->dim; d++) {
			bytes = u & hc_bit(d) ? 0 : plot_link_bytes(p, u, d);
			if (!bytes)
				continue;
			link = push_link(a, u, d);
			add_number(link, "bytes", bytes);
			add_text(link, "says", plot_bytes(text, bytes));
			add_number(link, "heat", plot_heat(bytes, p->busiest));
		}
	}
}

static void add_phases(struct json_object *o, const struct plot *p)
{
	struct json_object *a = add_array(o, "phases"), *phase;
	unsigned int i;

	for (i = 0; i < p->phases; i++) {
		phase = json_object_new_object();
		add_number(phase, "number", i + p->first);
		add_number(phase, "colour", plot_colour(p, i));
		if (p->kind == PLOT_RING) {
			add_number(phase, "level", p->rings.tree.ring[i].level);
			add_number(phase, "nodes", p->rings.tree.ring[i].size);
		} else if (p->kind == PLOT_BALANCE) {
			add_number(phase, "level", p->phases - i);
		} else if (p->kind != PLOT_SPAN) {
			add_number(phase, "dim", p->order[i]);
		}
		json_object_array_add(a, phase);
	}
}

static struct json_object *push_transfer(struct json_object *a, uint32_t from, uint32_t to,
					 unsigned int phase, uint8_t how)
{
	static const char * const hows[] = {
		[HC_TREE_DIRECT] = "direct", [HC_TREE_HELP] = "help", [HC_TREE_DETOUR] = "detour",
	};
	struct json_object *o = json_object_new_object();

	add_number(o, "from", from);
	add_number(o, "to", to);
	add_number(o, "phase", phase);
	add_text(o, "how", hows[how]);
	json_object_array_add(a, o);
	return o;
}

/* Add the nodes on the path of a detour. */
static void add_path(struct json_object *transfer, const struct plot_edge *e)
{
	struct json_object *a;
	uint32_t u = e->from;
	unsigned int i;

	if (!e->hops)
		return;
	a = add_array(transfer, "path");
	push_number(a, u);
	for (i = 0; i < e->hops; i++) {
		u = hc_neigh(u, e->dims[i]);
		push_number(a, u);
	}
}

/* Add an array with the phase of each node, or null for a node without a phase. */
static void add_turns(struct json_object *o, const struct plot *p)
{
	struct json_object *a = add_array(o, "turns");
	uint32_t u;

	for (u = 0; u < hc_nodes(p->dim); u++)
		json_object_array_add(a, p->when[u] == PLOT_NEVER ? NULL :
				      json_object_new_uint64(p->when[u]));
}

static void add_transfers(struct json_object *o, const struct plot *p)
{
	struct json_object *transfers = add_array(o, "transfers");
	size_t i;

	for (i = 0; i < p->nedges; i++)
		add_path(push_transfer(transfers, p->edges[i].from, p->edges[i].to,
				       p->edges[i].when, p->edges[i].how), &p->edges[i]);
}

static void add_cube(struct json_object *o, const struct plot *p)
{
	add_number(o, "dim", p->dim);
	add_faults(o, p);
	add_traffic(o, p);
	add_transfers(o, p);
	if (p->when)
		add_turns(o, p);
}

/* Add an array of the members, each with its number, position and phase. */
static void add_members(struct json_object *o, const struct plot *p)
{
	struct json_object *a = add_array(o, "members"), *node, *when;
	struct plot_spot *spot = plot_net_places(p);
	uint32_t u;

	for (u = 0; spot && u < p->net->nodes; u++) {
		if (!spot[u].there)
			continue;
		node = json_object_new_object();
		add_number(node, "node", u);
		json_object_object_add(node, "x", json_object_new_double(spot[u].x));
		json_object_object_add(node, "y", json_object_new_double(spot[u].y));
		add_number(node, "level", spot[u].back);
		when = p->when[u] == PLOT_NEVER ? NULL : json_object_new_uint64(p->when[u]);
		json_object_object_add(node, "phase", when);
		json_object_array_add(a, node);
	}
	free(spot);
}

static void add_net_links(struct json_object *o, const struct plot *p)
{
	struct json_object *a = add_array(o, "links"), *pair;
	const struct hc_graph *g = p->net;
	uint32_t u, i;

	for (u = 0; u < g->nodes; u++) {
		for (i = g->first[u]; i < g->first[u + 1]; i++) {
			if (u > g->to[i])
				continue;
			pair = json_object_new_array();
			push_number(pair, u);
			push_number(pair, g->to[i]);
			json_object_array_add(a, pair);
		}
	}
}

static void add_net(struct json_object *o, const struct plot *p)
{
	struct json_object *roots;

	add_transfers(o, p);
	add_members(o, p);
	add_net_links(o, p);
	roots = add_array(o, "roots");
	if (p->kind == PLOT_SPAN)
		push_number(roots, p->root);
}

/* Add the hops of a recording. Their times are relative to the first hop. */
static void add_trace(struct json_object *o, const struct plot *p)
{
	struct json_object *a = add_array(o, "hops"), *hop;
	double first = p->hops->begin;
	size_t i;

	for (i = 1; i < p->nhops; i++)
		if (p->hops[i].begin < first)
			first = p->hops[i].begin;
	for (i = 0; i < p->nhops; i++) {
		hop = json_object_new_object();
		add_number(hop, "from", p->hops[i].from);
		add_number(hop, "to", p->hops[i].to);
		add_text(hop, "type", p->hops[i].type);
		/* Convert microseconds to whole nanoseconds. */
		add_number(hop, "begin", (p->hops[i].begin - first) * 1000 + .5);
		add_number(hop, "end", (p->hops[i].end - first) * 1000 + .5);
		json_object_object_add(hop, "lost", json_object_new_boolean(p->hops[i].lost));
		json_object_array_add(a, hop);
	}
}

struct json_object *plot_json(const struct plot *p)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	add_text(o, "kind", plot_kind_name(p));
	if (*p->name)
		add_text(o, "fabric", p->name);
	if (p->plan)
		add_number(o, "plan", p->plan);
	json_object_object_add(o, "broken", json_object_new_boolean(p->broken));
	add_number(o, "nodes", plot_nodes(p));
	if (p->steps)
		add_number(o, "steps", p->steps);
	if (p->kind)
		add_text(o, "phase_word", plot_phase_word(p));
	add_phases(o, p);
	(p->dim ? add_cube : add_net)(o, p);
	if (p->hops)
		add_trace(o, p);
	return o;
}
