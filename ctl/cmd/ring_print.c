// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl ring: printing plans. The virtual address of a node in a ring consists of the ring's number
 * and the node's position in the ring, as in "2.0".
 */
#include <inttypes.h>
#include <stdlib.h>

#include "ring_cmd.h"

const char * const ring_methods[] = {
	[HC_RING_AUTO] = "auto", [HC_RING_VRT] = "vrt", [HC_RING_HAMILTON] = "hamilton", NULL
};

static uint32_t per_port(const struct hc_ring_plan *p)
{
	return (p->members - 1 + p->ports - 1) / p->ports;
}

static void print_steps(struct hcctl *h, const struct ring_view *v)
{
	const struct hc_ring_plan *p = v->plan;

	out_uint(h, "deliver", "steps %" PRIu64 " to deliver", p->steps.deliver);
	/* Plans with REPAIR send in one direction only. */
	if (p->both && !v->repair)
		out_uint(h, "deliver_both_ways", " one way, %" PRIu64 " both ways", p->both);
	out_uint(h, "steps", ", %" PRIu64 " to acknowledge", p->steps.acknowledge);
	out_uint(h, "least_deliver", "; at least %" PRIu64, p->members - 1);
	out_uint(h, "least_steps", " and %" PRIu64 " in rings", p->members);
	out_uint(h, "least_ports", ", %" PRIu64 " to deliver", per_port(p));
	out_uint(h, "ports", p->ports == 1 ? " by %" PRIu64 " port\n" :
					     " by %" PRIu64 " ports at once\n", p->ports);
}

static void print_ring(struct hcctl *h, const struct ring_view *v, uint32_t id,
		       const uint16_t *node)
{
	const struct hc_ring *r = &v->plan->tree.ring[id];
	bool closed = hc_ring_closes(v->g, r, node);
	uint32_t i;

	out_object(h, NULL);
	out_uint(h, "id", "ring %" PRIu64, id);
	out_uint(h, "level", " level %" PRIu64, r->level);
	if (id)
		out_uint(h, "parent", " on ring %" PRIu64, r->parent);
	out_text(h, ":");
	out_array(h, "nodes");
	for (i = 0; i < r->size; i++)
		out_uint(h, NULL, " %" PRIu64, node[i]);
	out_close(h);
	out_bool(h, "closed", NULL, closed);
	out_text(h, closed ? "\n" : ", and back the same way\n");
	out_close(h);
}

static void print_rings(struct hcctl *h, const struct ring_view *v)
{
	const struct hc_ring_tree *t = &v->plan->tree;
	uint32_t i, begin = 0;

	out_array(h, "rings");
	for (i = 0; i < t->nrings; begin += t->ring[i++].size)
		print_ring(h, v, i, t->node + begin);
	out_close(h);
}

/* A virtual address: the position of a node in a ring. A node has an address for each ring that it
 * belongs to.
 */
struct place {
	uint32_t node;
	uint32_t ring;
	uint32_t position;
};

static int by_node(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->ring < y->ring ? -1 : 1;
}

static struct place *places(const struct hc_ring_tree *t)
{
	struct place *v = calloc(t->nnodes, sizeof(*v));
	uint32_t r, i, at = 0;

	for (r = 0; v && r < t->nrings; r++)
		for (i = 0; i < t->ring[r].size; i++, at++)
			v[at] = (struct place){ t->node[at], r, i };
	if (v)
		qsort(v, t->nnodes, sizeof(*v), by_node);
	return v;
}

static void print_addresses(struct hcctl *h, const struct place *v, uint32_t n)
{
	uint32_t i;

	out_object(h, NULL);
	out_uint(h, "node", "node %" PRIu64 " is", v->node);
	out_array(h, "addresses");
	for (i = 0; i < n; i++) {
		out_object(h, NULL);
		out_uint(h, "ring", " %" PRIu64, v[i].ring);
		out_uint(h, "position", ".%" PRIu64, v[i].position);
		out_close(h);
	}
	out_close(h);
	out_text(h, "\n");
	out_close(h);
}

/* Print the nodes that belong to several rings, with all their virtual addresses. */
static void print_convergent(struct hcctl *h, const struct hc_ring_tree *t)
{
	struct place *v = places(t);
	uint32_t i, n;

	if (!v) {
		hc_nomem(h);
		return;
	}
	out_array(h, "convergent");
	for (i = 0; i < t->nnodes; i += n) {
		for (n = 1; i + n < t->nnodes && v[i + n].node == v[i].node; n++)
			;
		if (n > 1)
			print_addresses(h, v + i, n);
	}
	out_close(h);
	free(v);
}

/* JSON only: print the links and nodes of a network that is not a cube. */
static void print_network(struct hcctl *h, const struct hc_graph *g)
{
	uint32_t u, i;

	if (!h->json)
		return;
	cmd_out_set(h, "nodes", "", g->live, g->nodes);
	out_array(h, "links");
	for (u = 0; u < g->nodes; u++)
		for (i = g->first[u]; i < g->first[u + 1]; i++) {
			if (g->to[i] < u)
				continue;
			out_array(h, NULL);
			out_uint(h, NULL, NULL, u);
			out_uint(h, NULL, NULL, g->to[i]);
			out_close(h);
		}
	out_close(h);
}

void cmd_ring_print(struct hcctl *h, const struct ring_view *v)
{
	const struct hc_ring_plan *p = v->plan;

	out_object(h, NULL);
	if (v->fabric)
		out_str(h, "fabric", "fabric %s ", v->fabric);
	if (v->file)
		out_str(h, "graph", "graph %s ", v->file);
	else if (v->dim)
		out_uint(h, "dim", "dim %" PRIu64 " ", v->dim);
	out_str(h, "method", "method %s", ring_methods[p->method]);
	out_uint(h, "members", " members %" PRIu64, p->members);
	out_text(h, " rings %u", p->tree.nrings);
	out_uint(h, "levels", " levels %" PRIu64, p->levels);
	out_uint(h, "longest", " longest %" PRIu64, p->longest);
	out_uint(h, "virtual_nodes", " virtual nodes %" PRIu64 "\n", p->tree.nnodes);
	print_steps(h, v);
	print_rings(h, v);
	print_convergent(h, &p->tree);
	if (h->json)
		cmd_out_set(h, "excluded", "", p->excluded, v->g->nodes);
	if (v->dim)
		cmd_out_faults(h, v->faults);
	else
		print_network(h, v->g);
	out_close(h);
}

void cmd_ring_warn(struct hcctl *h, const struct hc_graph *g, const struct hc_ring_plan *p)
{
	char list[BCAST_LIST];

	if (p->nexcluded)
		hc_warn(h, "cut off from node %u and left out%s", p->tree.node[0],
			cmd_bcast_list(list, p->excluded, g->nodes));
}
