/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that only the planners of rings use. They work on one component, whose nodes are
 * numbered from 0 without gaps, in the order of their numbers in the network.
 */
#ifndef _HC_RING_IMPL_H
#define _HC_RING_IMPL_H

#include "ring.h"

/**
 * struct ring_build - a tree of rings under construction
 * @g: the component
 * @width: the most nodes of a ring into which paths are cut
 * @ring: the rings so far; memory for @g->nodes
 * @nrings: number of rings
 * @node: the nodes of the rings; memory for 2 * @g->nodes
 * @nnodes: number of entries of @node
 * @home: for each node, its home ring, or HC_RING_NONE
 * @path: memory for @g->nodes nodes
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
/* Allocate memory for a tree of rings. Return: 0 or -ENOMEM; the caller calls ring_build_free() in
 * either case.
 */
int ring_build_init(struct ring_build *b, const struct hc_graph *g, uint32_t width);
void ring_build_free(struct ring_build *b);
/* Make a ring of b->path, which has @n nodes. Its first node must be in the tree already, unless
 * the tree is empty; the others must not.
 */
void ring_build_ring(struct ring_build *b, uint32_t n, uint32_t level);
/* As ring_build_ring(), but cut the path into several rings if it is too long for one. */
void ring_build_path(struct ring_build *b, uint32_t n, uint32_t level);
/* Attach the nodes that are in no ring to those that are, level by level. Return: 0 or -ENOMEM. */
int ring_build_rest(struct ring_build *b);

/* --- ring_vrt.c --- */
int ring_vrt(struct ring_build *b);

/* --- ring_cycle.c --- */
/* Find a cycle, as long as possible. @path: set to its nodes. Return: its length, 0 if there is
 * none, or -ENOMEM.
 */
int ring_cycle(const struct hc_graph *g, uint16_t *path);

/* ring_exact() and ring_search() look for a cycle longer than @best. Return: the length of the
 * cycle in @path, @best if there is none, or -ENOMEM.
 */
/* --- ring_exact.c: the longest cycle of a block of @n nodes, by trying all --- */
#define RING_EXACT_MAX 16
int ring_exact(const struct hc_graph *g, const uint16_t *node, uint32_t n, uint32_t best,
	       uint16_t *path);

/* --- ring_search.c: a long cycle of a large block --- */
/* Search among the @n nodes that @in marks; end when a cycle of @most nodes is found. @moves:
 * amount of work that may still be done.
 */
int ring_search(const struct hc_graph *g, const bool *in, uint32_t n, uint32_t most,
		uint32_t best, uint64_t *moves, uint16_t *path);

/* --- ring_factors.c --- */
/* Find @k rings of all nodes, no two of which share a link. @node: set to their nodes, one ring
 * after the other. Return: 0, -ENOMEM, or -ENOENT if they were not found.
 */
int ring_factors(const struct hc_graph *g, uint32_t k, uint16_t *node);

/* --- ring_lace.c: cycles of all nodes of cubes with few faulty links --- */
/* Is the method of ring_lace.c possible with the faults @f? */
bool ring_lace_can(const struct hc_faults *f);
void ring_lace(const struct hc_faults *f, uint16_t *path);

#endif /* _HC_RING_IMPL_H */
