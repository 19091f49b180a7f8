// SPDX-License-Identifier: GPL-2.0
/*
 * Trees of rings: choosing the component and the method, and computing the properties of the plan.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "ring_impl.h"

#define NOWHERE UINT32_MAX

bool hc_ring_closes(const struct hc_graph *g, const struct hc_ring *ring, const uint16_t *node)
{
	return ring->size < 2 || hc_graph_linked(g, node[ring->size - 1], node[0]);
}

void hc_ring_plan_free(struct hc_ring_plan *plan)
{
	hc_free_all((void *)plan->tree.ring, (void *)plan->tree.node, plan->excluded, plan->home);
	*plan = (struct hc_ring_plan){};
}

/* --- the largest component --- */

/**
 * struct part - a component of a network
 * @g: the component as a network of its own, with nodes numbered from 0 without gaps
 * @node: for each of its nodes, its number in the whole network
 */
struct part {
	struct hc_graph *g;
	uint16_t *node;
};

static void part_free(struct part *p)
{
	hc_graph_free(p->g);
	free(p->node);
}

/* Set @part to @mark for @u and all nodes that are connected with it. Return: number of these
 * nodes. @queue: memory for all nodes.
 */
static uint32_t flood(const struct hc_graph *g, uint32_t u, uint32_t mark, uint32_t *part,
		      uint16_t *queue)
{
	uint32_t head = 0, tail = 1, i;

	queue[0] = (uint16_t)u;
	part[u] = mark;
	for (; head < tail; head++)
		for (i = g->first[queue[head]]; i < g->first[queue[head] + 1]; i++)
			if (part[g->to[i]] == NOWHERE) {
				part[g->to[i]] = mark;
				queue[tail++] = g->to[i];
			}
	return tail;
}

/* Mark all components, each with its lowest node. Return: the mark of the first of the largest
 * components. *size: number of its nodes.
 */
static uint32_t largest_part(const struct hc_graph *g, uint32_t *part, uint16_t *queue,
			     uint32_t *size)
{
	uint32_t u, n, best = NOWHERE;

	*size = 0;
	memset(part, 0xff, g->nodes * sizeof(*part));
	for (u = 0; u < g->nodes; u++) {
		if (part[u] != NOWHERE || !hc_set_has(g->live, u))
			continue;
		n = flood(g, u, u, part, queue);
		if (n > *size) {
			*size = n;
			best = u;
		}
	}
	return best;
}

/* Make the component with mark @which a network of its own. Return: 0 or -ENOMEM. */
static int part_new(const struct hc_graph *g, const uint32_t *part, uint32_t which, uint32_t size,
		    struct part *p)
{
	uint32_t u, i, n = 0, at = 0, *new = calloc(g->nodes, sizeof(*new));
	struct hc_edge *edges = calloc(g->first[g->nodes] / 2 + 1, sizeof(*edges));

	p->node = calloc(size, sizeof(*p->node));
	for (u = 0; new && p->node && u < g->nodes; u++)
		if (part[u] == which) {
			new[u] = n;
			p->node[n++] = (uint16_t)u;
		}
	for (u = 0; n && edges && u < g->nodes; u++)
		for (i = g->first[u]; part[u] == which && i < g->first[u + 1]; i++)
			if (g->to[i] > u)
				edges[at++] = (struct hc_edge){ new[u], new[g->to[i]] };
	if (n && edges)
		p->g = hc_graph_edges(n, edges, at, NULL);
	free(new);
	free(edges);
	return p->g ? 0 : -ENOMEM;
}

/* Find the largest component. Return: 0, -EHOSTDOWN (no two nodes are connected) or -ENOMEM. */
static int part_find(const struct hc_graph *g, struct part *p)
{
	uint32_t *part = calloc(g->nodes + 1, sizeof(*part)), which, size;
	uint16_t *queue = calloc(g->nodes + 1, sizeof(*queue));
	int rc = -ENOMEM;

	if (part && queue) {
		which = largest_part(g, part, queue, &size);
		rc = size < 2 ? -EHOSTDOWN : part_new(g, part, which, size, p);
	}
	free(part);
	free(queue);
	return rc;
}

/* --- properties of the plan --- */

/* Compute the properties that follow from the rings. */
static void describe(const struct hc_graph *g, struct hc_ring_plan *p)
{
	uint32_t i, u;

	p->ports = NOWHERE;
	for (i = 0; i < p->tree.nrings; i++) {
		if (p->tree.ring[i].level >= p->levels)
			p->levels = p->tree.ring[i].level + 1U;
		if (p->tree.ring[i].size > p->longest)
			p->longest = p->tree.ring[i].size;
	}
	for (u = 0; u < g->nodes; u++) {
		if (p->home[u] == HC_RING_NONE && hc_set_has(g->live, u)) {
			hc_set_add(p->excluded, u);
			p->nexcluded++;
		} else if (p->home[u] != HC_RING_NONE) {
			p->members++;
			if (hc_graph_degree(g, u) < p->ports)
				p->ports = hc_graph_degree(g, u);
		}
	}
}

/* Compute the numbers of steps. */
static int count(const struct hc_graph *g, struct hc_ring_plan *p)
{
	const uint32_t n = p->members;

	if (p->tree.nrings == 1 && n > 2 && hc_ring_closes(g, p->tree.ring, p->tree.node))
		p->both = n / 2;
	return hc_ring_steps(&p->tree, &p->steps);
}

/* Set up the plan @p with a copy of the tree @t. */
static int copy(const struct hc_graph *g, const struct hc_ring_tree *t, struct hc_ring_plan *p)
{
	struct hc_ring *ring = malloc((t->nrings + 1) * sizeof(*ring));
	uint16_t *node = malloc((t->nnodes + 1) * sizeof(*node));

	*p = (struct hc_ring_plan){ .tree = { t->nrings, t->nnodes, ring, node } };
	p->home = calloc(g->nodes + 1, sizeof(*p->home));
	p->excluded = calloc(g->nodes / 32 + 1, sizeof(*p->excluded));
	if (!ring || !node || !p->home || !p->excluded)
		return -ENOMEM;
	if (t->nrings)
		memcpy(ring, t->ring, t->nrings * sizeof(*ring));
	if (t->nnodes)
		memcpy(node, t->node, t->nnodes * sizeof(*node));
	return 0;
}

int hc_plan_ring_fixed(const struct hc_graph *g, const struct hc_ring_tree *t,
		       struct hc_ring_plan *plan, struct hc_ring_reason *reason)
{
	const struct hc_ring_net net = hc_graph_net(g);
	int rc = copy(g, t, plan);

	if (!rc)
		rc = hc_ring_check(t, &net, plan->home, reason);
	if (!rc) {
		describe(g, plan);
		rc = count(g, plan);
	}
	if (rc)
		hc_ring_plan_free(plan);
	return rc;
}

/* --- the methods --- */

/* Make the tree of rings around the longest cycle that is found; if the network has no cycle,
 * around the ring of any link.
 */
static int hamilton(struct ring_build *b, const struct hc_faults *cube)
{
	int n = (int)b->g->nodes;

	if (cube && cube->dim && ring_lace_can(cube))
		ring_lace(cube, b->path);
	else
		n = ring_cycle(b->g, b->path);
	if (n < 0)
		return n;
	if (!n) {
		b->path[1] = b->g->to[0];
		n = 2;
	}
	ring_build_ring(b, (uint32_t)n, 0);
	return ring_build_rest(b);
}

/* Make a plan for component @p by one method. */
static int make(const struct hc_graph *g, const struct part *p, const struct hc_faults *cube,
		enum hc_ring_method method, uint32_t width, struct hc_ring_plan *plan)
{
	struct hc_ring_tree t;
	struct ring_build b;
	uint32_t i;
	int rc = ring_build_init(&b, p->g, width ? width : HC_RING_WIDTH);

	if (!rc)
		rc = method == HC_RING_VRT ? ring_vrt(&b) : hamilton(&b, cube);
	if (!rc) {
		for (i = 0; i < b.nnodes; i++)
			b.node[i] = p->node[b.node[i]];
		t = (struct hc_ring_tree){ b.nrings, b.nnodes, b.ring, b.node };
		rc = hc_plan_ring_fixed(g, &t, plan, NULL);
		plan->method = method;
	}
	ring_build_free(&b);
	return rc;
}

/* Return: true if no other tree of rings is better. In each tree of rings some node is in one ring
 * only. It receives one message in each step: after n - 1 steps it has the messages of all other
 * nodes, and after n steps its own message has come back. So no tree of rings takes fewer than n
 * steps.
 */
static bool optimal(const struct hc_ring_plan *p)
{
	return p->steps.acknowledge == p->members;
}

/* Return: true if plan @a takes fewer steps than plan @b. */
static bool better(const struct hc_ring_plan *a, const struct hc_ring_plan *b)
{
	if (a->steps.acknowledge != b->steps.acknowledge)
		return a->steps.acknowledge < b->steps.acknowledge;
	return a->steps.deliver < b->steps.deliver;
}

/* Make a plan for component @p by the better one of the methods. */
static int choose(const struct hc_graph *g, const struct part *p, const struct hc_faults *cube,
		  uint32_t width, struct hc_ring_plan *plan)
{
	struct hc_ring_plan other;
	int rc = make(g, p, cube, HC_RING_HAMILTON, 0, plan);

	if (rc || (optimal(plan) && (!width || plan->longest <= width)))
		return rc;
	rc = make(g, p, cube, HC_RING_VRT, width, &other);
	if (rc) {
		hc_ring_plan_free(plan);
	} else if ((width && plan->longest > width) || better(&other, plan)) {
		hc_ring_plan_free(plan);
		*plan = other;
	} else {
		hc_ring_plan_free(&other);
	}
	return rc;
}

int hc_plan_ring(const struct hc_graph *g, const struct hc_faults *cube,
		 enum hc_ring_method method, uint32_t width, struct hc_ring_plan *plan)
{
	struct part p = {};
	int rc = part_find(g, &p);

	*plan = (struct hc_ring_plan){};
	if (!rc && method == HC_RING_AUTO)
		rc = choose(g, &p, cube, width, plan);
	else if (!rc)
		rc = make(g, &p, cube, method, method == HC_RING_VRT ? width : 0, plan);
	part_free(&p);
	return rc;
}

/* --- several rings --- */

void hc_rings_free(struct hc_rings *rings)
{
	free(rings->node);
	*rings = (struct hc_rings){};
}

/* Find up to @k edge-disjoint rings of component @p. */
static int rings_of(const struct part *p, uint32_t k, struct hc_rings *r)
{
	uint32_t u, i;
	int rc = -ENOENT;

	r->members = p->g->nodes;
	r->most = NOWHERE;
	for (u = 0; u < p->g->nodes; u++)
		if (hc_graph_degree(p->g, u) / 2 < r->most)
			r->most = hc_graph_degree(p->g, u) / 2;
	/* A ring of two nodes would use their link twice. */
	r->n = p->g->nodes < 3 ? 0 : k < r->most ? k : r->most;
	r->node = calloc((size_t)r->n * r->members + 1, sizeof(*r->node));
	if (!r->node)
		return -ENOMEM;
	for (; r->n && rc == -ENOENT; r->n -= rc == -ENOENT)
		rc = ring_factors(p->g, r->n, r->node);
	for (i = 0; i < r->n * r->members; i++)
		r->node[i] = p->node[r->node[i]];
	return rc == -ENOENT ? 0 : rc;
}

int hc_plan_rings(const struct hc_graph *g, uint32_t k, struct hc_rings *rings)
{
	struct part p = {};
	int rc = part_find(g, &p);

	*rings = (struct hc_rings){};
	if (!rc)
		rc = rings_of(&p, k, rings);
	part_free(&p);
	if (rc)
		hc_rings_free(rings);
	return rc;
}
