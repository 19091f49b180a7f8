/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A cube, and the same cube given as a table of peers: what holds for one must hold for the other.
 */
#ifndef _TOPO_BOTH_H
#define _TOPO_BOTH_H

#include <stdint.h>

#include "hc_topo.h"

#define TOPO_BOTH_DIM	12

/* Return: the cube of dimension @dim. @as_table: as a table, which is valid until the next call. */
static inline struct hc_topo topo_both(unsigned int dim, bool as_table)
{
	static uint16_t peer[TOPO_BOTH_DIM << TOPO_BOTH_DIM];
	struct hc_topo t = hc_topo_cube(dim);
	uint32_t u, d;

	if (!as_table || !dim)
		return t;
	for (u = 0; u < t.nodes; u++)
		for (d = 0; d < dim; d++)
			peer[u * dim + d] = (uint16_t)hc_neigh(u, d);
	t.dim = 0;
	t.peers = peer;
	return t;
}

#endif /* _TOPO_BOTH_H */
