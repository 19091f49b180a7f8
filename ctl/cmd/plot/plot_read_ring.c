// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: reading trees of rings from files. The rings are verified, and their steps are
 * computed.
 */
#include <errno.h>
#include <stdlib.h>
#include <json-c/json.h>

#include "memory.h"
#include "plot.h"

/* The contents of the file: a tree of rings, and if the network is not a cube, its links. */
struct parts {
	struct hc_ring *ring;
	uint16_t *node;		/* the nodes of all rings, ring after ring */
	struct hc_ring_tree t;	/* the tree of rings; points to @ring and @node */
	struct hc_edge *edges;
	size_t nedges;
	uint32_t *live;		/* set of the nodes of the network */
	uint32_t nodes;		/* the highest node number plus 1 */
};

/* Read one ring. Its nodes are appended to s->node. */
static bool read_ring(struct json_object *o, struct parts *s)
{
	struct json_object *nodes = plot_json_array(o, "nodes");
	size_t i, n = nodes ? json_object_array_length(nodes) : 0;
	struct hc_ring *r = &s->ring[s->t.nrings];
	uint32_t level, parent = HC_RING_NONE, u;

	if (!plot_json_member(o, "level", UINT16_MAX, &level))
		return false;
	if (s->t.nrings && !plot_json_member(o, "parent", UINT16_MAX - 1, &parent))
		return false;
	s->node = reallocarray(s->node, s->t.nnodes + n + 1, sizeof(*s->node));
	for (i = 0; s->node && i < n; i++) {
		struct json_object *node = json_object_array_get_idx(nodes, i);

		if (!plot_json_number(node, HC_RING_NODES_MAX - 1, &u))
			return false;
		s->node[s->t.nnodes++] = u;
	}
	*r = (struct hc_ring){ n, level, parent };
	s->t.nrings++;
	return s->node;
}

static const char *read_tree(struct json_object *root, struct parts *s)
{
	struct json_object *a = plot_json_array(root, "rings");
	size_t i, n = a ? json_object_array_length(a) : 0;

	if (n > HC_RING_NONE)
		return "too many rings";
	s->ring = calloc(n + 1, sizeof(*s->ring));
	for (i = 0; s->ring && i < n; i++)
		if (!read_ring(json_object_array_get_idx(a, i), s))
			return "\"rings\" is no list of \"level\", \"parent\" and \"nodes\"";
	s->t.ring = s->ring;
	s->t.node = s->node;
	return s->ring ? NULL : "out of memory";
}

static bool add_node(struct json_object *v, struct parts *s, uint32_t *u)
{
	if (!plot_json_number(v, HC_RING_NODES_MAX - 1, u))
		return false;
	hc_set_add(s->live, *u);
	if (*u >= s->nodes)
		s->nodes = *u + 1;
	return true;
}

static bool add_link(struct json_object *o, struct parts *s)
{
	struct hc_edge *e = &s->edges[s->nedges];

	if (!json_object_is_type(o, json_type_array) || json_object_array_length(o) != 2)
		return false;
	s->nedges++;
	return add_node(json_object_array_get_idx(o, 0), s, &e->u) &&
	       add_node(json_object_array_get_idx(o, 1), s, &e->v);
}

static const char *read_net(struct json_object *root, struct parts *s, struct hc_graph **g)
{
	struct json_object *links = plot_json_array(root, "links"), *nodes = plot_json_array(root, "nodes");
	size_t i, n = json_object_array_length(links), m;
	uint32_t u;

	m = nodes ? json_object_array_length(nodes) : 0;
	s->edges = calloc(n + 1, sizeof(*s->edges));
	s->live = calloc(HC_RING_NODES_MAX / 32, sizeof(*s->live));
	if (!s->edges || !s->live)
		return "out of memory";
	for (i = 0; i < n; i++)
		if (!add_link(json_object_array_get_idx(links, i), s))
			return "\"links\" is no list of pairs of nodes";
	for (i = 0; i < m; i++)
		if (!add_node(json_object_array_get_idx(nodes, i), s, &u))
			return "\"nodes\" is no list of nodes";
	*g = hc_graph_edges(s->nodes, s->edges, s->nedges, s->live);
	return *g ? NULL : "out of memory";
}

const char *plot_read_ring(struct json_object *root, struct plot *p)
{
	struct hc_ring_reason reason = { .why = "out of memory" };
	struct parts s = {};
	const char *why = read_tree(root, &s);

	if (!why && p->faults) {
		p->net = hc_graph_left(p->faults);
		why = p->net ? NULL : "out of memory";
	} else if (!why) {
		why = read_net(root, &s, &p->net);
	}
	if (!why && hc_plan_ring_fixed(p->net, &s.t, &p->rings, &reason))
		why = reason.why;
	hc_free_all(s.ring, s.node, s.edges, s.live);
	return why;
}
