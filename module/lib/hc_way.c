// SPDX-License-Identifier: GPL-2.0
/*
 * Fixed paths around faults: see hc_way.h.
 */
#include "hc_way.h"

unsigned int hc_way_find(struct hc_bfs *b, __u32 from, __u32 to, __u8 *way, __u16 *dist)
{
	unsigned int n = 0, d;
	__u32 u = from;

	hc_bfs_run(b, to, NULL, dist);
	if (dist[from] == HC_BFS_FAR)
		return 0;
	while (u != to) {
		for (d = 0; !hc_bfs_good(b, u, d) || dist[hc_peer(&b->topo, u, d)] >= dist[u]; d++)
			;
		way[n++] = d;
		u = hc_peer(&b->topo, u, d);
	}
	return n;
}
