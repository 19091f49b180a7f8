// SPDX-License-Identifier: GPL-2.0
/*
 * Ways around faults that are fixed: see hc_way.h.
 */
#include "hc_way.h"

#define NEVER	(~0U)

/* How far is each node from @to?  Ends when @from is known. */
static void distances(unsigned int dim, const __u32 *fault, __u32 from, __u32 to, __u32 *far,
		      __u32 *queue)
{
	__u32 head = 0, tail = 0, u;
	unsigned int d;

	for (u = 0; u < hc_nodes(dim); u++)
		far[u] = NEVER;
	far[to] = 0;
	queue[tail++] = to;
	while (head < tail && far[from] == NEVER) {
		u = queue[head++];
		for (d = 0; d < dim; d++) {
			__u32 v = hc_neigh(u, d);

			if (fault[u] & hc_bit(d) || fault[v] & hc_bit(d) || far[v] != NEVER)
				continue;
			far[v] = far[u] + 1;
			queue[tail++] = v;
		}
	}
}

/* The first link from @u that leads nearer. */
static unsigned int nearer(unsigned int dim, const __u32 *fault, const __u32 *far, __u32 u)
{
	unsigned int d;

	for (d = 0; d < dim; d++) {
		__u32 v = hc_neigh(u, d);

		if (!(fault[u] & hc_bit(d)) && !(fault[v] & hc_bit(d)) && far[v] < far[u])
			break;
	}
	return d;
}

unsigned int hc_way_find(unsigned int dim, const __u32 *fault, __u32 from, __u32 to, __u8 *way,
			 unsigned int max, __u32 *work)
{
	__u32 *far = work, u = from;
	unsigned int n;

	distances(dim, fault, from, to, far, work + hc_nodes(dim));
	if (far[from] == NEVER || far[from] > max)
		return 0;
	for (n = 0; u != to; n++) {
		way[n] = nearer(dim, fault, far, u);
		u = hc_neigh(u, way[n]);
	}
	return n;
}
