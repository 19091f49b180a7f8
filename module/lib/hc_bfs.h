/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Breadth-first search in a faulty network. A level is the set of nodes at one distance from the
 * root. In a cube, a level of many nodes is searched as a set, 64 nodes at a time along each
 * dimension; a level of few nodes is searched node by node. In other networks all levels are
 * searched node by node.
 *
 * Shared by the kernel module and the tests; no allocation, no recursion.
 */
#ifndef _HC_BFS_H
#define _HC_BFS_H

#include "hc_topo.h"

/* Value of hop[] for the root itself, and for a node that cannot be reached. */
#define HC_BFS_NO_HOP	0xff
/* Distance of a node that cannot be reached. */
#define HC_BFS_FAR	0xffff

/**
 * struct hc_bfs - a search of a network with faults; the sets are in the caller's memory
 * @topo: the network, of less than HC_BFS_FAR nodes
 * @words: length of a set of nodes: node u is bit u % 64 of word u / 64
 * @good: for each port the set of nodes whose link at that port is good
 * @left: nodes that have not been reached
 * @level: nodes of the level that the search has reached last
 * @queue: all nodes that have been reached, in ascending distance
 */
struct hc_bfs {
	struct hc_topo topo;
	__u32 words;
	__u64 *good;
	__u64 *left;
	__u64 *level;
	__u16 *queue;
};

/**
 * hc_bfs_room() - compute the size of the memory that a search needs, which must be aligned like a
 *	__u64
 * @topo: the network
 *
 * Context: any
 * Return: bytes
 */
size_t hc_bfs_room(const struct hc_topo *topo);

/**
 * hc_bfs_init() - prepare a search of a network without faults
 * @b: the search
 * @topo: the network
 * @room: hc_bfs_room() bytes
 *
 * Context: any
 */
void hc_bfs_init(struct hc_bfs *b, const struct hc_topo *topo, void *room);

/**
 * hc_bfs_fault() - mark the links in a node's FAULT word as faulty, even those that the FAULT word
 *	of the other end does not have
 * @b: the search
 * @u: the node
 * @fault: its FAULT word
 *
 * Context: any
 */
void hc_bfs_fault(struct hc_bfs *b, __u32 u, __u32 fault);

static inline bool hc_bfs_good(const struct hc_bfs *b, __u32 u, unsigned int d)
{
	return (b->good[d * b->words + u / 64] >> (u % 64)) & 1;
}

/**
 * hc_bfs_run() - search the network
 * @b: the search
 * @root: node at which the search begins
 * @hop: set, if not NULL: for each node, the port of the first link on a shortest path from @root
 *	to it
 * @dist: set, if not NULL: for each node, the length of that path
 *
 * Return: the number of nodes that were reached, @root among them; they are the first entries of
 *	@b->queue
 */
__u32 hc_bfs_run(struct hc_bfs *b, __u32 root, __u8 *hop, __u16 *dist);

#endif /* _HC_BFS_H */
