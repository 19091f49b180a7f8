// SPDX-License-Identifier: GPL-2.0
/*
 * Making a tree of rings: paths are cut into rings, and nodes that are in no ring are attached to
 * the existing rings.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "ring_impl.h"

int ring_build_init(struct ring_build *b, const struct hc_graph *g, uint32_t width)
{
	*b = (struct ring_build){ .g = g, .width = width };
	b->ring = calloc(g->nodes, sizeof(*b->ring));
	b->node = calloc(2 * (size_t)g->nodes, sizeof(*b->node));
	b->home = malloc(g->nodes * sizeof(*b->home));
	b->path = calloc(g->nodes, sizeof(*b->path));
	if (!b->ring || !b->node || !b->home || !b->path)
		return -ENOMEM;
	memset(b->home, 0xff, g->nodes * sizeof(*b->home));
	return 0;
}

void ring_build_free(struct ring_build *b)
{
	hc_free_all(b->ring, b->node, b->home, b->path);
}

/* Add a ring. Its first node is in the tree already, unless this is the first ring. */
static void add_ring(struct ring_build *b, const uint16_t *node, uint32_t size, uint32_t level)
{
	struct hc_ring *r = &b->ring[b->nrings];
	uint32_t i;

	r->size = size;
	r->level = (uint16_t)level;
	r->parent = b->home[node[0]];
	for (i = 0; i < size; i++) {
		if (b->home[node[i]] == HC_RING_NONE)
			b->home[node[i]] = (uint16_t)b->nrings;
		b->node[b->nnodes++] = node[i];
	}
	b->nrings++;
}

void ring_build_ring(struct ring_build *b, uint32_t n, uint32_t level)
{
	add_ring(b, b->path, n, level);
}

/* Make rings of b->path, which has @n nodes; consecutive rings have one node in common. */
void ring_build_path(struct ring_build *b, uint32_t n, uint32_t level)
{
	uint32_t at = 0, size;

	do {
		size = b->width < n - at ? b->width : n - at;
		add_ring(b, b->path + at, size, level);
		at += size - 1;
	} while (at + 1 < n);
}

/* Progress of the search. @walked: for each node, whether it has been on a path. @at: for each
 * node, index (in g->to) of its next neighbour to check. Neither goes back, because nodes enter
 * rings but never leave them.
 */
struct walk {
	bool *walked;
	uint32_t *at;
};

/* Return: the lowest neighbour of @u that is neither in a ring nor on the path; -1 if there is
 * none.
 */
static int uncovered(const struct ring_build *b, struct walk *k, uint32_t u)
{
	for (; k->at[u] < b->g->first[u + 1]; k->at[u]++) {
		uint32_t v = b->g->to[k->at[u]];

		if (b->home[v] == HC_RING_NONE && !k->walked[v])
			return (int)v;
	}
	return -1;
}

/* Walk from @u to nodes that are in no ring, as far as possible without turning back. Return:
 * number of nodes of the path, which is b->path.
 */
static uint32_t walk(struct ring_build *b, struct walk *k, uint32_t u)
{
	uint32_t n = 0;
	int next = (int)u;

	for (; next >= 0; next = uncovered(b, k, (uint32_t)next)) {
		b->path[n++] = (uint16_t)next;
		k->walked[next] = true;
	}
	return n;
}

int ring_build_rest(struct ring_build *b)
{
	uint32_t r, i = 0, end = 0, n;
	struct walk k = {
		.walked = calloc(b->g->nodes, sizeof(*k.walked)),
		.at = calloc(b->g->nodes, sizeof(*k.at)),
	};
	int err = k.walked && k.at ? 0 : -ENOMEM;

	if (!err)
		memcpy(k.at, b->g->first, b->g->nodes * sizeof(*k.at));
	for (r = 0; !err && r < b->nrings; r++)
		for (end += b->ring[r].size; i < end; i++)
			while ((n = walk(b, &k, b->node[i])) > 1)
				ring_build_path(b, n, b->ring[r].level + 1U);
	free(k.walked);
	free(k.at);
	return err;
}
