/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Node-disjoint paths in a faulty network: paths from one node to another that have only these two
 * nodes in common. A link is good if the FAULT word of neither end has it.
 *
 * Shared by the kernel module, the tool and the tests; no allocation, no recursion.
 */
#ifndef _HC_DISJOINT_H
#define _HC_DISJOINT_H

#include "hc_topo.h"

/* Largest number of links of a path. */
#define HC_PATH_HOPS_MAX 64

/**
 * struct hc_path_dims - a path
 * @hops: number of links of the path
 * @dim: ports of the links, in order from the source
 */
struct hc_path_dims {
	__u8 hops;
	__u8 dim[HC_PATH_HOPS_MAX];
};

/**
 * struct hc_disjoint - a network with faults and the state of a search; the search writes the
 *	fields below @fault
 * @topo: the network
 * @fault: FAULT word of each node, or NULL: there are no faults
 * @src: first node of the paths
 * @dst: last node of the paths
 * @begin: ports of the first links of all paths, as a mask
 * @out: for each node that is on a path, the port of the link that leaves it
 * @in: for each node that is on a path, the port of the link that enters it; for other nodes
 *	HC_DISJOINT_NO_DIM
 * @from: for each state, the state from which the search has reached it: see hc_disjoint.c
 * @queue: states that the search has reached, in this order
 */
struct hc_disjoint {
	struct hc_topo topo;
	const __u16 *fault;
	__u32 src;
	__u32 dst;
	__u32 begin;
	__u8 *out;
	__u8 *in;
	__u32 *from;
	__u32 *queue;
};

#define HC_DISJOINT_NO_DIM 0xff

/**
 * hc_disjoint_room() - compute the size of the memory that a search needs, which must be aligned
 *	like a __u32
 * @topo: the network
 *
 * Context: any
 * Return: bytes
 */
size_t hc_disjoint_room(const struct hc_topo *topo);

/**
 * hc_disjoint_init() - prepare a search of a network without faults; the caller may set .fault
 *	after this
 * @g: the search
 * @topo: the network
 * @room: hc_disjoint_room() bytes, or NULL if the network is a cube and will be searched without
 *	faults
 *
 * Context: any
 */
void hc_disjoint_init(struct hc_disjoint *g, const struct hc_topo *topo, void *room);

/**
 * hc_disjoint_find() - find paths that share no node but their ends
 * @g: the search
 * @src: first node
 * @dst: last node, not equal to @src
 * @want: maximum number of paths
 * @path: filled in
 *
 * Context: any
 * Return: the number of paths that were found; fewer than @want if there are no more paths of at
 * most HC_PATH_HOPS_MAX links
 */
unsigned int hc_disjoint_find(struct hc_disjoint *g, __u32 src, __u32 dst, unsigned int want,
			      struct hc_path_dims *path);

/**
 * hc_disjoint_check() - verify paths, which may have any contents
 * @topo: the network
 * @src: first node
 * @dst: last node
 * @path: the paths
 * @n: number of paths
 * @room: scratch space, a set of nodes
 *
 * Context: any
 * Return: true if each path leads from @src to @dst and no two paths share another node
 */
bool hc_disjoint_check(const struct hc_topo *topo, __u32 src, __u32 dst,
		       const struct hc_path_dims *path, unsigned int n, __u32 *room);

#endif /* _HC_DISJOINT_H */
