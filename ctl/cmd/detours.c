// SPDX-License-Identifier: GPL-2.0
/*
 * The paths of detours. When a plan is installed, the module computes the paths of its detours.
 * This file computes them before that, with the same code (hc_way.h) and for the same faults, so it
 * finds the same paths.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cmd.h"
#include "detours.h"
#include "hc_way.h"

unsigned int detour_way(unsigned int dim, const uint32_t *fault, const struct hc_detour *d,
			uint8_t **dims)
{
	const struct hc_topo topo = hc_topo_cube(dim);
	uint16_t *dist = calloc(topo.nodes, sizeof(*dist));
	void *room = malloc(hc_bfs_room(&topo));
	unsigned int hops = 0;
	struct hc_bfs b;
	uint32_t u;

	*dims = calloc(hc_nodes(dim), 1);
	if (dist && room && *dims) {
		hc_bfs_init(&b, &topo, room);
		for (u = 0; u < hc_nodes(dim); u++)
			hc_bfs_fault(&b, u, fault[u]);
		hops = hc_way_find(&b, d->from, d->to, *dims, dist);
	}
	free(room);
	free(dist);
	return hops;
}

void detour_out(struct hcctl *h, const char *lead, const struct hc_detour *d, const uint8_t *dims,
		unsigned int hops)
{
	const struct hc_topo cube = hc_topo_cube(HC_LIB_DIM_MAX);

	out_text(h, "%s", lead);
	out_object(h, NULL);
	out_uint(h, "from", "%" PRIu64, d->from);
	out_uint(h, "to", ">%" PRIu64, d->to);
	cmd_out_path(h, &cube, "path", " by %" PRIu64, d->from, dims, hops);
	out_close(h);
}
