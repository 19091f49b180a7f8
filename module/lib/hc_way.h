/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ways around faults that are fixed: those of a plan's detours.
 */
#ifndef _HC_WAY_H
#define _HC_WAY_H

#include "hc_bfs.h"

/**
 * hc_way_find() - a shortest way over good links
 * @b: the cube with its faults (hc_bfs_fault())
 * @from: where it begins
 * @to: where it ends, another node
 * @way: filled in: the dimensions of its links, in order; room for 2^n - 1.  Of the shortest ways
 *	the first in lexicographic order, so all who know the same faults find the same one
 * @dist: scratch space, 2^n entries
 *
 * Return: how many links it has; 0: there is none.
 */
unsigned int hc_way_find(struct hc_bfs *b, __u32 from, __u32 to, __u8 *way, __u16 *dist);

#endif /* _HC_WAY_H */
