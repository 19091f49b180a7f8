/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fixed paths around faults, for the detours of plans.
 */
#ifndef _HC_WAY_H
#define _HC_WAY_H

#include "hc_bfs.h"

/**
 * hc_way_find() - find a shortest path over good links
 * @b: the network with its faults (hc_bfs_fault())
 * @from: first node of the path
 * @to: last node of the path, not equal to @from
 * @way: set to the ports of the path's links, in order; room for one entry per node of the network.
 *	The path is the first of all shortest paths in lexicographic order, so all nodes that know
 *	the same faults find the same path
 * @dist: scratch space, an entry for each node
 *
 * Return: the number of links of the path; 0 if there is no path.
 */
unsigned int hc_way_find(struct hc_bfs *b, __u32 from, __u32 to, __u8 *way, __u16 *dist);

#endif /* _HC_WAY_H */
