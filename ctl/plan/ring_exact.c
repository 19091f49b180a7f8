// SPDX-License-Identifier: GPL-2.0
/*
 * The longest cycle of a network of few nodes, by dynamic programming over its subsets.
 */
#include <errno.h>
#include <stdlib.h>

#include "ring_impl.h"

static unsigned int lowest(uint32_t set)
{
	return hc_first64(set);
}

/* For each set of nodes, compute at which nodes a path can end that begins at the set's lowest node
 * and visits all of the set.
 */
static void fill_ends(const uint32_t *adj, uint32_t n, uint16_t *ends)
{
	uint32_t set, left, e;

	for (e = 0; e < n; e++)
		ends[hc_bit(e)] = (uint16_t)hc_bit(e);
	for (set = 1; set < hc_bit(n); set++)
		for (left = ends[set]; left; left &= left - 1) {
			uint32_t more = adj[lowest(left)] & ~set & ~(hc_bit(lowest(set)) - 1);

			for (; more; more &= more - 1)
				ends[set | (more & -more)] |= (uint16_t)(more & -more);
		}
}

/* Return: the first of the largest sets whose nodes form a cycle; 0 if there is none. */
static uint32_t largest(const uint32_t *adj, uint32_t n, const uint16_t *ends)
{
	uint32_t set, best = 0;

	for (set = 1; set < hc_bit(n); set++)
		if (hc_weight32(set) > 2 && hc_weight32(set) > hc_weight32(best) &&
		    ends[set] & adj[lowest(set)])
			best = set;
	return best;
}

/* Write the cycle of @set to @path, backwards from its end. */
static void trace(const uint32_t *adj, const uint16_t *ends, uint32_t set, const uint16_t *node,
		  uint16_t *path)
{
	uint32_t at = lowest(ends[set] & adj[lowest(set)]), i = hc_weight32(set);

	while (i--) {
		path[i] = node[at];
		set &= ~hc_bit(at);
		if (i)
			at = lowest(ends[set] & adj[at]);
	}
}

int ring_exact(const struct hc_graph *g, const uint16_t *node, uint32_t n, uint32_t best,
	       uint16_t *path)
{
	uint16_t *ends = calloc((size_t)1 << n, sizeof(*ends));
	uint32_t adj[RING_EXACT_MAX] = { 0 }, i, k, set;

	if (!ends)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++)
			if (hc_graph_linked(g, node[i], node[k]))
				adj[i] |= hc_bit(k);
	fill_ends(adj, n, ends);
	set = largest(adj, n, ends);
	if (hc_weight32(set) > best) {
		best = hc_weight32(set);
		trace(adj, ends, set, node, path);
	}
	free(ends);
	return (int)best;
}
