/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Node-disjoint paths in a faulty cube: paths from one node to another that have no other node in
 * common, over links that neither end calls faulty.
 *
 * Shared by the kernel module, the tool and the tests; no allocation, no recursion.
 */
#ifndef _HC_DISJOINT_H
#define _HC_DISJOINT_H

#include "hc_topo.h"

/* No path has more links. */
#define HC_PATH_HOPS_MAX 64

/**
 * struct hc_path_dims - a path
 * @hops: how many links it has
 * @dim: their dimensions, from the source on
 */
struct hc_path_dims {
	__u8 hops;
	__u8 dim[HC_PATH_HOPS_MAX];
};

/**
 * struct hc_disjoint - a faulty cube; what is below @fault is written by a search
 * @dim: dimension of the cube, 1..HC_LIB_DIM_MAX
 * @fault: FAULT word of each node, or NULL: there are no faults
 * @src: source of the paths
 * @dst: where they lead
 * @begin: dimensions of the first links of paths
 * @out: for each node that is on a path, the dimension of the link that leaves it
 * @in: and of the one that enters it; else HC_DISJOINT_NO_DIM
 * @from: see hc_disjoint.c
 * @queue: the same
 */
struct hc_disjoint {
	unsigned int dim;
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

/* Bytes of room that a search needs, aligned as a __u32 is. */
size_t hc_disjoint_room(unsigned int dim);
/* A cube to be searched, without faults (@fault may be set then).  @room: NULL if it stays so. */
void hc_disjoint_init(struct hc_disjoint *g, unsigned int dim, void *room);
/* Fills @path with up to @want paths from @src to another node @dst.  Returns how many there are;
 * fewer than @want: there are no more of at most HC_PATH_HOPS_MAX links that share no node.
 */
unsigned int hc_disjoint_find(struct hc_disjoint *g, __u32 src, __u32 dst, unsigned int want,
			      struct hc_path_dims *path);
/* Do the @n paths lead from @src to @dst, each of them by nodes that are on no other one?  What is
 * in them may be anything.  @room: a set of nodes.
 */
bool hc_disjoint_check(unsigned int dim, __u32 src, __u32 dst, const struct hc_path_dims *path,
		       unsigned int n, __u32 *room);

#endif /* _HC_DISJOINT_H */
