// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: building the model of a picture, and the positions of its nodes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/detours.h"
#include "memory.h"
#include "plot.h"

const char *plot_kind_name(const struct plot *p)
{
	static const char * const names[] = {
		[PLOT_PLAIN] = "fabric", [PLOT_TREE] = "tree", [PLOT_BCAST] = "broadcast",
		[PLOT_BALANCE] = "topology", [PLOT_RING] = "rings", [PLOT_DOUBLING] = "doubling",
		[PLOT_SPAN] = "span",
	};

	return names[p->kind];
}

const char *plot_phase_word(const struct plot *p)
{
	if (p->kind == PLOT_RING)
		return "ring";
	return p->kind == PLOT_TREE || p->kind == PLOT_DOUBLING ? "stage" : "step";
}

/* Return: the number of transfers in a phase. */
static size_t transfers_in(const struct plot *p, unsigned int phase)
{
	size_t i, n = 0;

	for (i = 0; i < p->nedges; i++)
		n += p->edges[i].when == phase;
	return n;
}

const char *plot_phase(char *buf, const struct plot *p, unsigned int i)
{
	if (p->core)
		snprintf(buf, PLOT_PHASE, "%u: from level %u", i + 1, p->phases - i);
	else if (p->kind == PLOT_RING)
		snprintf(buf, PLOT_PHASE, "%u: level %u, %u nodes", i,
			 p->rings.tree.ring[i].level, p->rings.tree.ring[i].size);
	else if (p->kind == PLOT_SPAN)
		snprintf(buf, PLOT_PHASE, "%u: %zu send", i + p->first, transfers_in(p, i));
	else
		snprintf(buf, PLOT_PHASE, "%u: dimension %u", i + p->first, p->order[i]);
	return buf;
}

uint32_t plot_nodes(const struct plot *p)
{
	uint32_t u, live = 0;

	for (u = 0; !p->dim && u < p->net->nodes; u++)
		live += hc_set_has(p->net->live, u);
	return p->dim ? hc_nodes(p->dim) : live;
}

uint64_t plot_links(const struct plot *p)
{
	return p->dim ? (uint64_t)hc_nodes(p->dim) / 2 * p->dim : p->net->first[p->net->nodes] / 2;
}

bool plot_link_bad(const struct plot *p, uint32_t u, unsigned int d)
{
	uint32_t v = hc_neigh(u, d);

	return (p->faults->fault[u] | p->faults->fault[v]) & hc_bit(d) &&
	       !plot_failed(p, u) && !plot_failed(p, v);
}

bool plot_left_out(const struct plot *p, uint32_t u)
{
	return p->members && !hc_set_has(p->members, u) && !plot_failed(p, u);
}

uint64_t plot_link_bytes(const struct plot *p, uint32_t u, unsigned int d)
{
	if (!p->sent)
		return 0;
	return p->sent[(size_t)u * p->dim + d] + p->sent[(size_t)hc_neigh(u, d) * p->dim + d];
}

struct plot_found plot_look(const struct plot *p)
{
	struct plot_found n = {};
	unsigned int d;
	uint32_t u;
	size_t i;

	for (u = 0; u < hc_nodes(p->dim); u++) {
		n.failed |= plot_failed(p, u);
		n.left |= plot_left_out(p, u);
		for (d = 0; d < p->dim; d++)
			n.bad |= plot_link_bad(p, u, d);
	}
	for (i = 0; i < p->nedges; i++) {
		n.help |= p->edges[i].how == HC_TREE_HELP;
		n.tour |= p->edges[i].how == HC_TREE_DETOUR;
	}
	return n;
}

/* A link of the highest class has more than half the traffic of the busiest link. For each lower
 * class this limit is half as high.
 */
unsigned int plot_heat(uint64_t bytes, uint64_t busiest)
{
	unsigned int heat = PLOT_HEATS;

	if (!bytes)
		return 0;
	for (; heat > 1 && bytes <= busiest / 2; heat--)
		busiest /= 2;
	return heat;
}

unsigned int plot_colours(const struct plot *p)
{
	return p->phases < PLOT_COLOURS ? p->phases : PLOT_COLOURS;
}

unsigned int plot_colour(const struct plot *p, unsigned int when)
{
	if (p->phases <= PLOT_COLOURS)
		return when;
	return (uint64_t)when * (PLOT_COLOURS - 1) / (p->phases - 1);
}

/* For each dimension of the cube, its projection: the vector of a step along each of the cube's
 * axes. The projections were found by a search with these conditions: no node is near a link that
 * does not end at it, links of different dimensions have different directions, and inner cubes can
 * be distinguished from outer ones.
 */
static const struct {
	double x, y;
} axes[PLOT_CUBE_DIM + 1][PLOT_CUBE_DIM] = {
	[1] = { { 520, 0 } },
	[2] = { { 460, 0 }, { 0, -460 } },
	[3] = { { 480, 0 }, { 0, -430 }, { 250, -200 } },
	[4] = { { 230, -35 }, { 48, -355 }, { 130, -170 }, { 385, 75 } },
	[5] = { { 206, -38 }, { -34, -177 }, { 78, -86 }, { 379, 11 }, { 124, -348 } },
	[6] = { { 159, 35 }, { -1, -75 }, { 69, -43 }, { 363, -52 }, { -92, -286 },
		{ 135, -169 } },
};

void plot_place(const struct plot *p, uint32_t u, double *x, double *y, double w, double h)
{
	double min_x = 0, max_x = 0, min_y = 0, max_y = 0, scale;
	unsigned int d;

	*x = 0;
	*y = 0;
	for (d = 0; d < p->dim; d++) {
		double ax = axes[p->dim][d].x, ay = axes[p->dim][d].y;

		*(ax < 0 ? &min_x : &max_x) += ax;
		*(ay < 0 ? &min_y : &max_y) += ay;
		if (u & hc_bit(d)) {
			*x += ax;
			*y += ay;
		}
	}
	scale = fmin(1, fmin(w / (max_x - min_x), h / fmax(max_y - min_y, 1)));
	*x = w / 2 + scale * (*x - (min_x + max_x) / 2);
	*y = h / 2 + scale * (*y - (min_y + max_y) / 2);
}

static int alloc(struct hcctl *h, struct plot *p, unsigned int phases, size_t max_edges)
{
	uint32_t u, n = p->dim ? hc_nodes(p->dim) : p->net->nodes;

	p->phases = phases;
	p->order = calloc(phases + 1, 1);
	p->when = calloc(n, sizeof(*p->when));
	p->members = calloc(n / 32 + 1, sizeof(*p->members));
	p->edges = calloc(max_edges + 1, sizeof(*p->edges));
	if (!p->order || !p->when || !p->members || !p->edges)
		return hc_nomem(h);
	for (u = 0; u < n; u++)
		p->when[u] = PLOT_NEVER;
	return 0;
}

/* Add the transfers that member @u of the tree @t sends. @src is memory for @max peers. The plan
 * was checked, so hc_tree_role() does not fail.
 */
static void add_role(struct plot *p, const struct hc_tree *t, const uint32_t *fault,
		     uint32_t u, struct hc_tree_peer *src, unsigned int max)
{
	uint32_t nb[HC_LIB_DIM_MAX];
	struct hc_tree_role role;
	unsigned int d, i;

	for (d = 0; d < t->dim; d++)
		nb[d] = fault[hc_neigh(u, d)];
	if (hc_tree_role(t, u, fault[u], nb, &role, src, max))
		return;
	if (role.ndst)
		p->when[u] = role.active;
	for (i = 0; i < role.ndst; i++) {
		struct plot_edge *e = &p->edges[p->nedges++];

		*e = (struct plot_edge){
			.from = u, .to = role.dst[i].node, .dim = role.dst[i].dim,
			.when = role.dst[i].stage, .how = role.dst[i].how,
		};
		if (e->how == HC_TREE_DETOUR)
			e->hops = detour_way(t->dim, fault,
					     &(struct hc_detour){ u, e->to }, &e->dims);
	}
}

int plot_set_tree(struct hcctl *h, struct plot *p, const struct hc_tree *t,
		  const uint32_t *fault)
{
	unsigned int max = 2 * t->stages + t->ndetours + 1;
	uint32_t n = hc_nodes(t->dim), u;
	struct hc_tree_peer *src;
	int rc;

	rc = alloc(h, p, t->stages, (size_t)n * t->dim);
	if (rc)
		return rc;
	src = calloc(max, sizeof(*src));
	if (!src)
		return hc_nomem(h);
	p->kind = PLOT_TREE;
	p->root = t->sink;
	memcpy(p->order, t->order, t->stages);
	memcpy(p->members, t->members, hc_set_words(t->dim) * sizeof(*t->members));
	for (u = 0; u < n; u++)
		if (hc_set_has(t->members, u))
			add_role(p, t, fault, u, src, max);
	free(src);
	return 0;
}

int plot_set_bcast(struct hcctl *h, struct plot *p, const struct hc_bcast_plan *b)
{
	uint32_t n = hc_nodes(p->dim), u;
	int rc;

	rc = alloc(h, p, b->bcast.steps, n);
	if (rc)
		return rc;
	p->kind = PLOT_BCAST;
	p->first = 1;
	p->root = b->bcast.source;
	p->steps = b->bcast.steps;
	memcpy(p->order, b->bcast.sequence, p->steps);
	for (u = 0; u < n; u++) {
		unsigned int step = b->first[u];

		if (step == HC_BCAST_NEVER)
			continue;
		hc_set_add(p->members, u);
		if (!step)
			continue;
		p->when[u] = step - 1;
		p->edges[p->nedges++] = (struct plot_edge){
			.from = hc_neigh(u, p->order[step - 1]), .to = u,
			.dim = p->order[step - 1], .when = step - 1, .how = HC_TREE_DIRECT,
		};
	}
	return 0;
}

/* The phase of a node follows from its level: the deepest nodes send first. */
int plot_set_balance(struct hcctl *h, struct plot *p, const struct hc_balance *b)
{
	uint32_t n = hc_nodes(p->dim), u, v;
	unsigned int level;
	int rc = alloc(h, p, b->depth, n);

	if (rc)
		return rc;
	p->core = calloc(hc_set_words(p->dim), sizeof(*p->core));
	if (!p->core)
		return hc_nomem(h);
	p->kind = PLOT_BALANCE;
	p->first = 1;
	p->root = b->base;
	for (u = 0; u < n; u++) {
		if (b->up[u] == HC_BALANCE_OUT)
			continue;
		hc_set_add(p->members, u);
		if (b->up[u] == HC_BALANCE_ROOT) {
			hc_set_add(p->core, u);
			continue;
		}
		for (v = u, level = 0; b->up[v] != HC_BALANCE_ROOT; level++)
			v = hc_neigh(v, b->up[v]);
		p->when[u] = b->depth - level;
		p->edges[p->nedges++] = (struct plot_edge){
			.from = u, .to = hc_neigh(u, b->up[u]), .dim = b->up[u],
			.when = p->when[u], .how = HC_TREE_DIRECT,
		};
	}
	return 0;
}

/* Each exchange has two transfers, one in each direction. The transfers of a node are consecutive.
 */
int plot_set_doubling(struct hcctl *h, struct plot *p, const struct hc_doubling *d)
{
	uint32_t mask = hc_doubling_mask(d), u = d->base;
	int rc = alloc(h, p, d->stages, (size_t)hc_nodes(d->stages) * d->stages);
	unsigned int i;

	if (rc)
		return rc;
	p->kind = PLOT_DOUBLING;
	p->root = NL_NONE;
	p->steps = d->stages;
	memcpy(p->order, d->order, d->stages);
	do {
		hc_set_add(p->members, u);
		for (i = 0; i < d->stages; i++)
			p->edges[p->nedges++] = (struct plot_edge){
				.from = u, .to = hc_neigh(u, d->order[i]), .dim = d->order[i],
				.when = i, .how = HC_TREE_DIRECT,
			};
		u = hc_doubling_next(d, mask, u);
	} while (u != d->base);
	return 0;
}

/* The transfers are added in the order of their steps, because plot_net_places() depends on that.
 */
int plot_set_span(struct hcctl *h, struct plot *p, const struct hc_span *s, const uint16_t *up)
{
	uint32_t nodes = s->topo.nodes, u;
	unsigned int step;
	int rc = alloc(h, p, up[s->root], nodes);

	if (rc)
		return rc;
	p->kind = PLOT_SPAN;
	p->first = 1;
	p->root = s->root;
	p->steps = up[s->root];
	hc_set_add(p->members, s->root);
	for (step = 1; step <= p->steps; step++) {
		for (u = 0; u < nodes; u++) {
			if (u == s->root || up[u] != step)
				continue;
			hc_set_add(p->members, u);
			p->when[u] = step - 1;
			p->edges[p->nedges++] = (struct plot_edge){
				.from = u, .to = hc_span_parent(s, u), .dim = s->parent[u],
				.when = step - 1, .how = HC_TREE_DIRECT,
			};
		}
	}
	return 0;
}

/* Add the transfers of a ring: one for each two consecutive nodes of the ring that a link joins. */
static void add_ring(struct plot *p, const struct hc_ring *r, const uint16_t *node, uint32_t nr)
{
	uint32_t i, u, v;

	for (i = 0; i < r->size; i++) {
		u = node[i];
		v = node[i + 1 < r->size ? i + 1 : 0];
		hc_set_add(p->members, u);
		p->when[u] = p->rings.home[u];
		if (hc_graph_linked(p->net, u, v))
			p->edges[p->nedges++] = (struct plot_edge){
				.from = u, .to = v, .dim = hc_first64(u ^ v), .when = nr,
				.how = HC_TREE_DIRECT,
			};
	}
}

int plot_set_ring(struct hcctl *h, struct plot *p)
{
	const struct hc_ring_tree *t = &p->rings.tree;
	uint32_t r, at = 0;
	int rc = alloc(h, p, t->nrings, t->nnodes);

	if (rc)
		return rc;
	p->kind = PLOT_RING;
	p->root = NL_NONE;
	p->steps = p->rings.steps.acknowledge;
	for (r = 0; r < t->nrings; at += t->ring[r++].size)
		add_ring(p, &t->ring[r], t->node + at, r);
	return 0;
}

void plot_clear(struct plot *p)
{
	size_t i;

	for (i = 0; i < p->nedges; i++)
		free(p->edges[i].dims);
	free(p->core);
	hc_graph_free(p->net);
	hc_ring_plan_free(&p->rings);
	hc_faults_free(p->faults);
	hc_free_all(p->members, p->order, p->when, p->edges, p->sent, p->hops);
}
