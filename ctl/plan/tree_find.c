// SPDX-License-Identifier: GPL-2.0
/*
 * FIND_TREE (Leu & Kuo, figure 10): it chooses the dimensions from the last stage to the first,
 * each time the one along which the neighbours of the nodes used so far have the fewest faulty
 * links.
 *
 * Equation (7) of the paper sums over k in USED_D; the text, figure 11 and example 2 need k not in
 * USED_D, so that is what this file does.
 */
#include <errno.h>
#include <stdlib.h>

#include "tree_impl.h"

uint32_t hc_tree_find_cost(const struct hc_faults *f, const uint32_t *used_n,
			   uint32_t nused, uint32_t dims_left, unsigned int j)
{
	uint32_t cost = 0, i;

	for (i = 0; i < nused; i++)
		cost += hc_weight32(f->fault[hc_neigh(used_n[i], j)] & dims_left);
	return cost;
}

int hc_tree_find_order(const struct hc_faults *f, uint32_t sink, uint32_t dims,
		       uint8_t *order)
{
	unsigned int left = hc_weight32(dims), j;
	uint32_t nused = 1, i;
	uint32_t *used;

	used = malloc(sizeof(*used) << left);
	if (!used)
		return -ENOMEM;
	used[0] = sink;

	while (left--) {
		uint32_t least = UINT32_MAX;

		for (j = 0; j < f->dim; j++) {
			uint32_t cost;

			if (!(dims & hc_bit(j)))
				continue;
			cost = hc_tree_find_cost(f, used, nused, dims, j);
			if (cost < least) {
				least = cost;
				order[left] = j;
			}
		}
		j = order[left];
		dims &= ~hc_bit(j);
		for (i = 0; i < nused; i++)
			used[nused + i] = hc_neigh(used[i], j);
		nused *= 2;
	}
	free(used);
	return 0;
}
