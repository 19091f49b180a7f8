// SPDX-License-Identifier: GPL-2.0
/*
 * The virtual ring tree (the paper's name of a tree of rings around a path): a diameter, a longest
 * shortest path, of the network is cut into rings, and the other nodes are attached to these.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "ring_impl.h"

/* If finding a diameter exactly takes more work than this, in links visited, the diameter is
 * guessed.
 */
#define EXACT_WORK 1000000000ULL
#define FAR UINT16_MAX

/* A breadth-first search: distances from its root, and the nodes in ascending order of distance. */
struct bfs {
	const struct hc_graph *g;
	uint16_t *dist;
	uint16_t *queue;
};

/* Search breadth-first from @root. Return: distance of the farthest node, which is the last in the
 * queue.
 */
static uint32_t bfs_run(const struct bfs *s, uint32_t root)
{
	const struct hc_graph *g = s->g;
	uint32_t head = 0, tail = 1, i;

	memset(s->dist, 0xff, g->nodes * sizeof(*s->dist));
	s->queue[0] = (uint16_t)root;
	s->dist[root] = 0;
	for (; head < tail; head++)
		for (i = g->first[s->queue[head]]; i < g->first[s->queue[head] + 1]; i++)
			if (s->dist[g->to[i]] == FAR) {
				s->dist[g->to[i]] = s->dist[s->queue[head]] + 1;
				s->queue[tail++] = g->to[i];
			}
	return s->dist[s->queue[tail - 1]];
}

/* Return: the lowest node at which a diameter begins. */
static uint32_t exact_end(const struct bfs *s)
{
	uint32_t u, end = 0, far, most = 0;

	for (u = 0; u < s->g->nodes; u++) {
		far = bfs_run(s, u);
		if (far > most) {
			most = far;
			end = u;
		}
	}
	return end;
}

/* Return: an end of a path that may be a diameter: go to the farthest node, from there to the
 * farthest node, and so on as long as the distance grows.
 */
static uint32_t guessed_end(const struct bfs *s)
{
	uint32_t end = 0, far = bfs_run(s, 0), before;

	do {
		before = far;
		end = s->queue[s->g->nodes - 1];
		far = bfs_run(s, end);
	} while (far > before);
	return end;
}

/* Mark the nodes from which a shortest path leads on to a node at the greatest distance @far. The
 * search goes backwards from these nodes.
 */
static void mark_leading(const struct bfs *s, uint32_t far, bool *leads)
{
	uint32_t i, k, u, v;

	for (k = s->g->nodes; k--;) {
		u = s->queue[k];
		leads[u] |= s->dist[u] == far;
		for (i = s->g->first[u]; leads[u] && i < s->g->first[u + 1]; i++) {
			v = s->g->to[i];
			leads[v] |= s->dist[v] + 1U == s->dist[u];
		}
	}
}

/* Write to b->path a diameter, that is a shortest path between two nodes that are as far apart as
 * possible (in a large network, as far as guessed_end() finds). Of several diameters with the same
 * first node, take the first in the order of the nodes' numbers. Return: number of its nodes.
 */
static uint32_t diameter(struct ring_build *b, const struct bfs *s, bool *leads)
{
	const struct hc_graph *g = b->g;
	uint32_t u, far, n = 1, i;

	u = (uint64_t)g->nodes * g->first[g->nodes] <= EXACT_WORK ? exact_end(s) : guessed_end(s);
	far = bfs_run(s, u);
	mark_leading(s, far, leads);
	for (b->path[0] = (uint16_t)u; n <= far; b->path[n++] = (uint16_t)u) {
		for (i = g->first[u]; !leads[g->to[i]] || s->dist[g->to[i]] != n; i++)
			;
		u = g->to[i];
	}
	return n;
}

int ring_vrt(struct ring_build *b)
{
	struct bfs s = {
		.g = b->g,
		.dist = calloc(b->g->nodes, sizeof(*s.dist)),
		.queue = calloc(b->g->nodes, sizeof(*s.queue)),
	};
	bool *leads = calloc(b->g->nodes, 1);
	int rc = s.dist && s.queue && leads ? 0 : -ENOMEM;

	if (!rc) {
		ring_build_path(b, diameter(b, &s, leads), 0);
		rc = ring_build_rest(b);
	}
	hc_free_all(s.dist, s.queue, leads);
	return rc;
}
