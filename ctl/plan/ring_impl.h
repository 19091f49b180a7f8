/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files that plan rings.  They work on the connected part alone, whose nodes are
 * numbered without gaps, in the order of the network's numbers.
 */
#ifndef _HC_RING_IMPL_H
#define _HC_RING_IMPL_H

#include "ring.h"

/**
 * struct ring_build - a ring tree that is being made
 * @g: the connected part
 * @width: paths are cut into rings of at most so many nodes
 * @ring: the rings so far, room for @g->nodes
 * @nrings: how many
 * @node: their nodes, room for 2 * @g->nodes
 * @nnodes: how many
 * @home: of each node the ring where it is at home, or HC_RING_NONE
 * @path: room for @g->nodes nodes
 */
struct ring_build {
	const struct hc_graph *g;
	uint32_t width;
	struct hc_ring *ring;
	uint32_t nrings;
	uint16_t *node;
	uint32_t nnodes;
	uint16_t *home;
	uint16_t *path;
};

/* --- ring_build.c --- */
/* 0 or -ENOMEM; release with ring_build_free(), in any case. */
int ring_build_init(struct ring_build *b, const struct hc_graph *g, uint32_t width);
void ring_build_free(struct ring_build *b);
/* b->path, which has @n nodes, becomes a ring.  The first node is in the tree unless that is
 * empty, the others are not.
 */
void ring_build_ring(struct ring_build *b, uint32_t n, uint32_t level);
/* The same with several rings, if it is too long for one. */
void ring_build_path(struct ring_build *b, uint32_t n, uint32_t level);
/* Hang the nodes that are in no ring yet on those that are, level by level; 0 or -ENOMEM. */
int ring_build_rest(struct ring_build *b);

/* --- ring_vrt.c --- */
int ring_vrt(struct ring_build *b);

/* --- ring_cycle.c --- */
/* A cycle, as long as can be found, in b->path; its length, 0: there is none; or -ENOMEM. */
int ring_cycle(const struct hc_graph *g, uint16_t *path);

/* Of both of these: cycles no longer than @best do not count.  The length of the one in
 * @path, @best if there is none, or -ENOMEM.
 */
/* --- ring_exact.c: the longest cycle of @n nodes --- */
#define RING_EXACT_MAX 16
int ring_exact(const struct hc_graph *g, const uint16_t *node, uint32_t n, uint32_t best,
	       uint16_t *path);

/* --- ring_search.c: a long cycle of a large one --- */
/* Through nodes of those that @in marks, of which there are @n; at best through @most.
 * @moves: how much work may still be done.
 */
int ring_search(const struct hc_graph *g, const bool *in, uint32_t n, uint32_t most,
		uint32_t best, uint64_t *moves, uint16_t *path);

/* --- ring_lace.c: cycles of all nodes of cubes with few faulty links --- */
/* Can it be done so? */
bool ring_lace_can(const struct hc_faults *f);
void ring_lace(const struct hc_faults *f, uint16_t *path);

#endif /* _HC_RING_IMPL_H */
