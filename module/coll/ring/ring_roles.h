/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Computing the ring edges of each member from a tree of rings: ring_roles.c.
 */
#ifndef _HC_RING_ROLES_H
#define _HC_RING_ROLES_H

#include "coll/ring/ring.h"
#include "hc_ring_repair.h"

/**
 * struct hc_ring_maker - a tree of rings, and the data that is computed once for all its members
 * @t: the tree
 * @net: the fabric's healthy links
 * @at: the positions of each node in the rings
 * @joints: for each ring, the number of its nodes that are in other rings, too
 * @tour: for each position in the rings, the position of its link in the tour (hc_ring_tour());
 *	followed by scratch space
 */
struct hc_ring_maker {
	const struct hc_ring_tree *t;
	struct hc_ring_net net;
	struct hc_ring_places at;
	u32 *joints;
	u32 *tour;
};

/**
 * struct hc_ring_making - the ring edges of one member, while they are computed
 * @node: the node
 * @nrings: number of rings that the node is in
 * @n: number of sources
 * @src: the sources
 * @way: the ring edge from each source
 */
struct hc_ring_making {
	u32 node;
	u32 nrings;
	unsigned int n;
	struct hc_tree_peer src[HC_PORTS_MAX];
	struct hc_ring_way way[HC_PORTS_MAX];
};

/**
 * hc_ring_places_alloc() - allocate memory for the positions of the nodes of a tree
 * @p: the positions; the caller must free them even after an error
 * @t: the tree
 * @nodes: number of nodes of the fabric
 * @gfp: flags for the allocation
 *
 * Return: 0 or -ENOMEM.
 */
int hc_ring_places_alloc(struct hc_ring_places *p, const struct hc_ring_tree *t, u32 nodes,
			 gfp_t gfp);

/**
 * hc_ring_places_free() - free the positions
 * @p: the positions
 */
void hc_ring_places_free(struct hc_ring_places *p);

/**
 * hc_ring_maker_init() - allocate memory to compute ring edges of members
 * @k: the state; the caller must free them even after an error
 * @t: the tree
 * @topo: topology of the fabric
 * @fault: FAULT words
 * @gfp: flags for the allocation
 *
 * Return: 0 or -ENOMEM.
 */
int hc_ring_maker_init(struct hc_ring_maker *k, const struct hc_ring_tree *t,
		       const struct hc_topo *topo, const u32 *fault, gfp_t gfp);

/**
 * hc_ring_maker_free() - free the memory of a maker
 * @k: the state
 */
void hc_ring_maker_free(struct hc_ring_maker *k);

/**
 * hc_ring_maker_fill() - compute the data that all members of a tree have in common
 * @k: the state, whose tree the verifier has accepted
 */
void hc_ring_maker_fill(struct hc_ring_maker *k);

/**
 * hc_ring_make() - compute the ring edges of a member
 * @k: the state
 * @u: the node
 * @mk: set to the edges
 */
void hc_ring_make(const struct hc_ring_maker *k, u32 u, struct hc_ring_making *mk);

/**
 * hc_ring_make_both() - add ring edges against the ring's direction, in a plan of one ring whose
 *	last node has a link to the first
 * @mk: the edges of the member
 */
void hc_ring_make_both(struct hc_ring_making *mk);

#endif /* _HC_RING_ROLES_H */
