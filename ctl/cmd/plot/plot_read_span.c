// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: reading spanning trees from files. The tree and its steps are verified.
 *
 * For a network that is not a hypercube, the file has only the links of the tree, so the picture
 * shows no other links.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>

#include "memory.h"
#include "net.h"
#include "plot.h"

/* The contents of the file. */
struct parents {
	uint32_t root;
	uint32_t nodes;		/* the highest node number plus 1 */
	uint32_t *parent;	/* the parent of each node; HC_ANY_SINK: none */
	uint16_t *step;		/* the step in which each node sends */
	size_t links;		/* number of links of the tree */
};

/* Update the highest node number: the file names node @u. */
static void seen(struct parents *s, uint32_t u)
{
	if (u >= s->nodes)
		s->nodes = u + 1;
}

static const char *read_links(struct json_object *root, uint32_t most, struct parents *s)
{
	struct json_object *a = plot_json_array(root, "links"), *o;
	size_t i, n = a ? json_object_array_length(a) : 0;
	uint32_t u, v, step;

	s->parent = malloc((most + 1) * sizeof(*s->parent));
	s->step = calloc(most + 1, sizeof(*s->step));
	if (!s->parent || !s->step)
		return "out of memory";
	memset(s->parent, 0xff, (most + 1) * sizeof(*s->parent));
	if (!plot_json_member(root, "sink", most, &s->root))
		return "\"sink\" is no node";
	seen(s, s->root);
	for (i = 0; i < n; i++) {
		o = json_object_array_get_idx(a, i);
		if (!plot_json_member(o, "node", most, &u) ||
		    !plot_json_member(o, "parent", most, &v) ||
		    !plot_json_member(o, "step", UINT16_MAX, &step))
			return "\"links\" is no list of \"node\", \"parent\" and \"step\"";
		if (s->parent[u] != HC_ANY_SINK || u == v || s->parent[v] == u)
			return "\"links\" make no tree";
		s->parent[u] = v;
		s->step[u] = step;
		seen(s, u);
		seen(s, v);
	}
	s->links = n;
	return NULL;
}

/* Make a network from the links of the tree, because the file has no other links. Nodes without a
 * link are marked as failed.
 */
static const char *make_net(const struct parents *s, struct hc_faults **f)
{
	struct hc_edge *edges = calloc(s->links + 1, sizeof(*edges));
	const char *why = "out of memory";
	struct hc_net net;
	uint32_t u;
	size_t n = 0;
	int err;

	for (u = 0; edges && u < s->nodes; u++)
		if (s->parent[u] != HC_ANY_SINK)
			edges[n++] = (struct hc_edge){ u, s->parent[u] };
	err = edges ? hc_net_make(NULL, s->nodes, edges, n, &net, &why) : -ENOMEM;
	free(edges);
	if (err)
		return why;
	*f = hc_faults_of(&net.topo);
	for (u = 0; *f && u < s->nodes; u++)
		if (!hc_ports(&(*f)->topo, u) && u != s->root)
			hc_faults_node(*f, u);
	return *f ? NULL : "out of memory";
}

/* Return: true if node @u sends after all of its children, and no two of its children send in the
 * same step.
 */
static bool in_order(const struct hc_span *t, const uint16_t *step, uint32_t u)
{
	uint16_t child[HC_PORTS_MAX];
	unsigned int d, i, n = 0;

	for (d = 0; d < t->topo.ports; d++)
		if (hc_span_child(t, u, d))
			child[n++] = step[hc_peer(&t->topo, u, d)];
	for (d = 0; d < n; d++) {
		if (!child[d] || (u != t->root && child[d] >= step[u]))
			return false;
		for (i = 0; i < d; i++)
			if (child[i] == child[d])
				return false;
	}
	return true;
}

/* Check the steps of the file, and set the picture of the tree. The root's entry of @step is set to
 * the last step.
 */
static const char *draw(struct hcctl *h, struct plot *p, const struct hc_span *t, uint16_t *step)
{
	uint32_t u;

	step[t->root] = 0;
	for (u = 0; u < t->topo.nodes; u++)
		if (hc_span_has(t, u) && !in_order(t, step, u))
			return "a node has no \"step\" of its own after those of its children";
	for (u = 0; u < t->topo.nodes; u++)
		if (step[u] > step[t->root])
			step[t->root] = step[u];
	return plot_set_span(h, p, t, step) ? "out of memory" : NULL;
}

static const char *set_span(struct hcctl *h, struct plot *p, const struct parents *s)
{
	const struct hc_span_req req = { .root = s->root, .parent = s->parent };
	const char *why = "out of memory";
	struct hc_span_plan plan;

	if (hc_plan_span(p->faults, &req, &plan, &why))
		return why;
	if (!p->dim)
		p->net = hc_graph_left(p->faults);
	if (!p->dim && !p->net)
		why = "out of memory";
	else
		why = draw(h, p, &plan.span, s->step);
	hc_span_plan_free(&plan);
	return why;
}

const char *plot_read_span(struct hcctl *h, struct json_object *root, struct plot *p)
{
	uint32_t most = (p->dim ? hc_nodes(p->dim) : HYPERCUBE_NODES_MAX) - 1;
	struct parents s = {};
	const char *why = read_links(root, most, &s);

	if (!why && !p->faults)
		why = make_net(&s, &p->faults);
	if (!why)
		why = set_span(h, p, &s);
	hc_free_all(s.parent, s.step);
	return why;
}
