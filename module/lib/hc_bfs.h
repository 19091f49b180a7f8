/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Breadth-first search in a faulty cube.  A level of many nodes moves along a dimension as a
 * set, 64 nodes at a time; one of few nodes goes node by node.
 *
 * Shared by the kernel module and the tests; no allocation, no recursion.
 */
#ifndef _HC_BFS_H
#define _HC_BFS_H

#include "hc_topo.h"

/* Hop to the root itself, and to a node that cannot be reached. */
#define HC_BFS_NO_HOP	0xff
/* Distance of a node that cannot be reached. */
#define HC_BFS_FAR	0xffff

/**
 * struct hc_bfs - a faulty cube to be searched; the sets are in the caller's room
 * @dim: dimension of the cube, 0..HC_LIB_DIM_MAX - 1
 * @words: length of a set of nodes: node u is bit u % 64 of word u / 64
 * @good: for each dimension the set of nodes whose link along it is good
 * @left: nodes that have not been reached
 * @level: those of the last level
 * @queue: all that have been reached, in ascending distance
 */
struct hc_bfs {
	unsigned int dim;
	__u32 words;
	__u64 *good;
	__u64 *left;
	__u64 *level;
	__u16 *queue;
};

/* Bytes of room that a search needs, aligned as a __u64 is. */
size_t hc_bfs_room(unsigned int dim);
/* A cube of which all links are good. */
void hc_bfs_init(struct hc_bfs *b, unsigned int dim, void *room);
/* Node @u calls the links in @fault faulty; then they are, whatever the other ends say. */
void hc_bfs_fault(struct hc_bfs *b, __u32 u, __u32 fault);

static inline bool hc_bfs_good(const struct hc_bfs *b, __u32 u, unsigned int d)
{
	return (b->good[d * b->words + u / 64] >> (u % 64)) & 1;
}

/* From @root on.  Returns how many nodes were reached, itself among them: the first ones of
 * @b->queue.  @hop, if not NULL: for each of the 2^dim nodes, the dimension of the first link on
 * a shortest way there.  @dist, if not NULL: the length of that.
 */
__u32 hc_bfs_run(struct hc_bfs *b, __u32 root, __u8 *hop, __u16 *dist);

#endif /* _HC_BFS_H */
