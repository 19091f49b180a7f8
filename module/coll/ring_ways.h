/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a tree of rings to what each member has to do: ring_ways.c.
 */
#ifndef _HC_RING_WAYS_H
#define _HC_RING_WAYS_H

#include "coll/ring.h"
#include "hc_ring_mend.h"

/**
 * struct hc_ring_maker - what it takes to make the members of a verified tree
 * @t: the tree
 * @net: the healthy links
 * @at: where each node is
 * @joints: of each ring, how many of its nodes are in others
 * @tour: of each place, where its link is on the way through all rings, hc_ring_tour(); and room
 */
struct hc_ring_maker {
	const struct hc_ring_tree *t;
	struct hc_ring_net net;
	struct hc_ring_places at;
	u32 *joints;
	u32 *tour;
};

/**
 * struct hc_ring_making - a member that is being made
 * @node: the node
 * @nrings: how many rings it is in
 * @n: how many sources it has
 * @src: these
 * @way: what comes from each
 */
struct hc_ring_making {
	u32 node;
	u32 nrings;
	unsigned int n;
	struct hc_tree_peer src[HYPERCUBE_DIM_MAX];
	struct hc_ring_way way[HYPERCUBE_DIM_MAX];
};

/* Room for the places of a tree; to be freed in any case.  0 or -ENOMEM. */
int hc_ring_places_alloc(struct hc_ring_places *p, const struct hc_ring_tree *t, u32 nodes,
			 gfp_t gfp);
void hc_ring_places_free(struct hc_ring_places *p);

/* Room only; to be freed in any case.  0 or -ENOMEM. */
int hc_ring_maker_init(struct hc_ring_maker *k, const struct hc_ring_tree *t, unsigned int dim,
		       const u32 *fault, gfp_t gfp);
void hc_ring_maker_free(struct hc_ring_maker *k);
/* The verifier has taken the tree: now members can be made. */
void hc_ring_maker_fill(struct hc_ring_maker *k);
void hc_ring_make(const struct hc_ring_maker *k, u32 u, struct hc_ring_making *mk);
/* In one ring that is closed: messages come from the node behind, too, for the one before. */
void hc_ring_make_both(struct hc_ring_making *mk);

#endif /* _HC_RING_WAYS_H */
