// SPDX-License-Identifier: GPL-2.0
/*
 * Networks of any shape, as lists of the neighbours of each node.
 */
#include <stdlib.h>

#include "memory.h"
#include "ring.h"

static struct hc_graph *alloc(uint32_t nodes, size_t ends)
{
	struct hc_graph *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->nodes = nodes;
	g->live = calloc(nodes / 32 + 1, sizeof(*g->live));
	g->first = calloc(nodes + 1, sizeof(*g->first));
	g->to = calloc(ends + 1, sizeof(*g->to));
	if (g->live && g->first && g->to)
		return g;
	hc_graph_free(g);
	return NULL;
}

void hc_graph_free(struct hc_graph *g)
{
	if (g)
		hc_free_all(g->live, g->first, g->to, g);
}

static int ascending(const void *a, const void *b)
{
	return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

struct hc_graph *hc_graph_left(const struct hc_faults *f)
{
	uint32_t u, n = f->topo.nodes, ends = 0;
	struct hc_graph *g = alloc(n, (size_t)n * f->topo.ports);
	unsigned int d;

	for (u = 0; g && u < n; u++) {
		g->first[u] = ends;
		if (!hc_set_has(f->dead, u))
			hc_set_add(g->live, u);
		for (d = 0; d < f->topo.ports; d++)
			if (hc_link_good(&f->topo, f->fault, u, d))
				g->to[ends++] = (uint16_t)hc_peer(&f->topo, u, d);
		qsort(g->to + g->first[u], ends - g->first[u], sizeof(*g->to), ascending);
	}
	if (g)
		g->first[n] = ends;
	return g;
}

static int by_ends(const void *a, const void *b)
{
	const struct hc_edge *x = a, *y = b;

	if (x->u != y->u)
		return x->u < y->u ? -1 : 1;
	return x->v < y->v ? -1 : x->v > y->v;
}

/* Sort the links, with the lower end of each first, and remove repeated ones. Return: number of
 * links that are left.
 */
static size_t tidy(struct hc_edge *edges, size_t n)
{
	size_t i, kept = 0;

	for (i = 0; i < n; i++)
		if (edges[i].u > edges[i].v)
			edges[i] = (struct hc_edge){ edges[i].v, edges[i].u };
	if (n)
		qsort(edges, n, sizeof(*edges), by_ends);
	for (i = 0; i < n; i++)
		if (edges[i].u != edges[i].v &&
		    (!kept || by_ends(&edges[kept - 1], &edges[i])))
			edges[kept++] = edges[i];
	return kept;
}

struct hc_graph *hc_graph_edges(uint32_t nodes, struct hc_edge *edges, size_t n,
				const uint32_t *more)
{
	struct hc_graph *g;
	uint32_t *fill, u;
	size_t i;

	n = tidy(edges, n);
	g = alloc(nodes, 2 * n);
	fill = calloc(nodes + 1, sizeof(*fill));
	if (!g || !fill) {
		hc_graph_free(g);
		free(fill);
		return NULL;
	}
	for (i = 0; i < n; i++) {
		g->first[edges[i].u + 1]++;
		g->first[edges[i].v + 1]++;
	}
	for (u = 0; u < nodes; u++) {
		if (g->first[u + 1] || (more && hc_set_has(more, u)))
			hc_set_add(g->live, u);
		g->first[u + 1] += g->first[u];
		fill[u] = g->first[u];
	}
	/* Links are sorted by their lower ends. So each node's lower neighbours come first, and its
	 * list is ascending.
	 */
	for (i = 0; i < n; i++)
		g->to[fill[edges[i].v]++] = (uint16_t)edges[i].u;
	for (i = 0; i < n; i++)
		g->to[fill[edges[i].u]++] = (uint16_t)edges[i].v;
	free(fill);
	return g;
}

bool hc_graph_linked(const struct hc_graph *g, uint32_t u, uint32_t v)
{
	uint32_t lo = g->first[u], hi = g->first[u + 1], mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (g->to[mid] == v)
			return true;
		if (g->to[mid] < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

static bool linked(const struct hc_ring_net *net, uint32_t u, uint32_t v)
{
	return hc_graph_linked(net->priv, u, v);
}

struct hc_ring_net hc_graph_net(const struct hc_graph *g)
{
	return (struct hc_ring_net){ .nodes = g->nodes, .linked = linked, .priv = g };
}
