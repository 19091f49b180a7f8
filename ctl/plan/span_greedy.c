// SPDX-License-Identifier: GPL-2.0
/*
 * Spanning trees that are made without search: by nearest parents, and step by step.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "span_impl.h"

/* The most trees that are made, and the most work for them: nodes times ports times steps. */
#define TRIES		64
#define WORK_MAX	200000000

/* The distance of a node that is not reached. */
#define FAR		UINT16_MAX

/**
 * struct greedy - a tree that is made step by step
 * @n: the network
 * @parent: for each node that has the message, its port to its parent; for other nodes the
 *	port to their parent in the tree of nearest parents
 * @dist: for each node, number of links from the nearest node that has the message; 0: it has
 *	the message
 * @queue: the members, by ascending @dist
 * @ready: for each node without the message, number of steps that the nodes below it take in
 *	the tree of nearest parents
 * @kids: for each node, number of its children in that tree
 * @busy: for each node, whether it sends in this step already
 * @random: state of the random numbers that decide between equal choices
 */
struct greedy {
	const struct span_net *n;
	uint8_t *parent;
	uint16_t *dist;
	uint32_t *queue;
	uint16_t *ready;
	uint8_t *kids;
	uint8_t *busy;
	uint32_t random;
};

static void release(struct greedy *g)
{
	hc_free_all(g->parent, g->dist, g->queue, g->ready, g->kids, g->busy);
}

static int prepare(struct greedy *g, const struct span_net *n)
{
	uint32_t nodes = n->topo->nodes;

	*g = (struct greedy){
		.n = n, .parent = malloc(nodes), .dist = calloc(nodes, sizeof(*g->dist)),
		.queue = calloc(nodes, sizeof(*g->queue)),
		.ready = calloc(nodes, sizeof(*g->ready)), .kids = calloc(nodes, 1),
		.busy = calloc(nodes, 1),
	};
	if (g->parent && g->dist && g->queue && g->ready && g->kids && g->busy)
		return 0;
	release(g);
	return -ENOMEM;
}

static uint32_t random_next(struct greedy *g)
{
	g->random = g->random * 1664525 + 1013904223;
	return g->random >> 16;
}

/* Begin a tree: only the root has the message. */
static void begin(struct greedy *g, uint32_t seed)
{
	uint32_t u;

	g->random = seed;
	memset(g->parent, HC_NO_PORT, g->n->topo->nodes);
	for (u = 0; u < g->n->topo->nodes; u++)
		g->dist[u] = u == g->n->root ? 0 : FAR;
}

/* Make the tree of nearest parents: compute the distances of all nodes that do not have the
 * message, and attach each to the neighbour with less distance that has the fewest children so far;
 * of several to the first one, counted from port 0 or from a random port on. Return: number of
 * members in the queue.
 */
static uint32_t nearest(struct greedy *g)
{
	uint32_t tail = 0, head, nodes = g->n->topo->nodes, u;
	unsigned int d, at;

	for (u = 0; u < nodes; u++) {
		g->kids[u] = 0;
		if (g->dist[u])
			g->dist[u] = FAR;
		else
			g->queue[tail++] = u;
	}
	for (head = 0; head < tail; head++) {
		u = g->queue[head];
		for (d = 0; d < g->n->topo->ports; d++) {
			uint32_t v = hc_peer(g->n->topo, u, d);

			if (!span_link(g->n, u, d) || g->dist[v] != FAR)
				continue;
			g->dist[v] = g->dist[u] + 1;
			g->queue[tail++] = v;
		}
	}
	for (head = 0; head < tail; head++) {
		uint32_t turn = g->random ? random_next(g) : 0, best = UINT32_MAX;

		u = g->queue[head];
		for (d = 0; g->dist[u] && d < g->n->topo->ports; d++) {
			uint32_t v;

			at = (d + turn) % g->n->topo->ports;
			v = hc_peer(g->n->topo, u, at);
			if (!span_link(g->n, u, at) || g->dist[v] + 1 != g->dist[u])
				continue;
			if (best != UINT32_MAX && g->kids[v] >= g->kids[best])
				continue;
			best = v;
			g->parent[u] = at;
		}
		if (best != UINT32_MAX)
			g->kids[best]++;
	}
	return tail;
}

/* Sort @v in descending order. */
static void sort_down(uint16_t *v, unsigned int n)
{
	unsigned int i, at;

	for (i = 1; i < n; i++) {
		uint16_t x = v[i];

		for (at = i; at && v[at - 1] < x; at--)
			v[at] = v[at - 1];
		v[at] = x;
	}
}

/* Compute, for each node without the message, how many steps the nodes below it take. */
static void weigh(struct greedy *g, uint32_t n)
{
	uint16_t below[HC_PORTS_MAX], most;
	unsigned int d, i, k;
	uint32_t u, v;

	while (n--) {
		u = g->queue[n];
		for (d = 0, k = 0; d < g->n->topo->ports; d++) {
			v = hc_peer(g->n->topo, u, d);
			if (v != u && g->dist[v] && g->parent[v] == d)
				below[k++] = g->ready[v];
		}
		sort_down(below, k);
		for (i = 0, most = 0; i < k; i++)
			if (below[i] + i + 1 > most)
				most = below[i] + i + 1;
		g->ready[u] = most;
	}
}

/* Return: the port of @u to a neighbour that has the message and does not send in this step yet; of
 * several the one with the fewest neighbours without the message. HC_NO_PORT if there is none.
 */
static unsigned int sender(struct greedy *g, uint32_t u)
{
	unsigned int d, at, best = HC_NO_PORT, least = UINT32_MAX, e, rest;
	uint32_t turn = random_next(g), v;

	for (d = 0; d < g->n->topo->ports; d++) {
		at = (d + turn) % g->n->topo->ports;
		v = hc_peer(g->n->topo, u, at);
		if (!span_link(g->n, u, at) || g->dist[v] || g->busy[v])
			continue;
		for (e = 0, rest = 0; e < g->n->topo->ports; e++)
			rest += span_link(g->n, v, e) && g->dist[hc_peer(g->n->topo, v, e)];
		if (rest >= least)
			continue;
		least = rest;
		best = at;
	}
	return best;
}

/* List in @next the neighbours of nodes that have the message; the node below which the most steps
 * remain comes first. @n: number of nodes in the queue. Return: number of nodes in the list.
 */
static uint32_t step_order(struct greedy *g, uint32_t n, uint32_t *next)
{
	uint32_t i, at, count = 0;

	for (i = 0; i < n; i++) {
		uint32_t u = g->queue[i];

		if (g->dist[u] != 1)
			continue;
		for (at = count++; at && g->ready[next[at - 1]] < g->ready[u]; at--)
			next[at] = next[at - 1];
		next[at] = u;
	}
	return count;
}

/* Make one step. Return: false if all members have the message already. */
static bool step(struct greedy *g, uint32_t *next)
{
	uint32_t n = nearest(g), count, i;
	unsigned int d;

	weigh(g, n);
	count = step_order(g, n, next);
	memset(g->busy, 0, g->n->topo->nodes);
	for (i = 0; i < count; i++) {
		d = sender(g, next[i]);
		if (d == HC_NO_PORT)
			continue;
		g->busy[hc_peer(g->n->topo, next[i], d)] = 1;
		g->parent[next[i]] = d;
		/* The node has the message only after this step, so it sends nothing in it. */
		g->busy[next[i]] = 1;
		g->dist[next[i]] = 0;
	}
	return count;
}

int span_near(const struct span_net *n, uint8_t *parent)
{
	struct greedy g;
	int rc = prepare(&g, n);

	if (rc)
		return rc;
	begin(&g, 0);
	nearest(&g);
	memcpy(parent, g.parent, n->topo->nodes);
	release(&g);
	return 0;
}

int span_greedy(const struct span_net *n, uint32_t enough, uint8_t *parent, uint32_t *steps)
{
	uint32_t *next = calloc(n->topo->nodes, sizeof(*next)), taken, try;
	uint64_t work = 0;
	struct greedy g;
	int rc = next ? prepare(&g, n) : -ENOMEM;

	for (try = 1; !rc && try <= TRIES && work < WORK_MAX && *steps > enough; try++) {
		begin(&g, try);
		for (taken = 0; step(&g, next) && taken < *steps; taken++)
			work += (uint64_t)n->topo->nodes * n->topo->ports;
		if (taken >= *steps)
			continue;
		*steps = taken;
		memcpy(parent, g.parent, n->topo->nodes);
	}
	if (!rc)
		release(&g);
	free(next);
	return rc;
}
