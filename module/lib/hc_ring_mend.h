/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mending a tree of rings: what a fault has left of it becomes a tree of rings again.
 *
 * Rings that no fault has touched keep all their nodes in their order.  What is left of the others
 * is cut where a node or a link is missing; each piece, walked along as messages went round in it,
 * hangs where it has a healthy link to whatever is in the new tree already.  (The paper, Fig. 3.10,
 * looks for a node in another ring, which a single ring does not have: Documentation/errata.rst.)
 * The same tree and the same faults always give the same result.
 *
 * Shared by the kernel module and the tests; no allocation, no recursion.
 */
#ifndef _HC_RING_MEND_H
#define _HC_RING_MEND_H

#include "hc_ring.h"

/**
 * struct hc_ring_places - where each node of a tree is: its places in the list of nodes
 * @first: of each node the index of its first place in @place; room for all nodes and one more
 * @place: the places, those of each node together; room for the tree's nodes
 * @ring: of each place its ring; the same room
 * @begin: of each ring its first place; room for the rings
 */
struct hc_ring_places {
	__u32 *first;
	__u32 *place;
	__u16 *ring;
	__u32 *begin;
};

/* Fill in where the nodes of a tree are, of which the verifier has taken the numbers. */
void hc_ring_places_fill(struct hc_ring_places *p, const struct hc_ring_tree *t, __u32 nodes);

/* In how many rings is a node? */
static inline __u32 hc_ring_places_of(const struct hc_ring_places *p, __u32 u)
{
	return p->first[u + 1] - p->first[u];
}

/**
 * hc_ring_tour() - the closed way through all rings of a tree
 * @t: the tree, which the verifier has taken
 * @at: where its nodes are
 * @out: t->nnodes entries, filled in: the position on the way, from 0, of the link by which each
 *	place sends to the next one of its ring
 * @work: as many entries
 *
 * From a node the way goes round the rings that hang there, one after the other, then on in the
 * node's home ring; so it has each link of each ring once.  A message whose source stands at
 * position s of the way crosses the link at position p in step (p - s) mod t->nnodes + 1: no two
 * messages the same link in the same step, as no two sources stand at one position, and each
 * message each link after those that it has come by.  So all is delivered, and back, in t->nnodes
 * steps, and in fewer to all.
 *
 * Time O(t->nnodes).
 */
void hc_ring_tour(const struct hc_ring_tree *t, const struct hc_ring_places *at, __u32 *out,
		  __u32 *work);

/* Positions from one link of the way to another, or once around. */
static inline __u32 hc_ring_tour_way(__u32 nnodes, __u32 from, __u32 to)
{
	return to > from ? to - from : to + nnodes - from;
}

/**
 * struct hc_ring_mending - a tree to be mended, and what becomes of it
 * @dim: dimension of the cube
 * @fault: FAULT words; a link is healthy if neither end's word has its bit
 * @alive: set of the nodes that the new tree is to have, at least one
 * @old: the tree, which the verifier has taken for some faults
 * @places: where the nodes of @old are
 * @ring: the new rings; room for as many as there are nodes in @alive
 * @node: their nodes; room for twice as many
 * @home: of each node the new ring where it is at home, or HC_RING_NONE; room for all nodes
 * @order: nodes in the order in which they came into the new tree; room as @ring
 * @count: room for the rings of @old
 * @queue: the same
 * @t: the new tree: filled in
 */
struct hc_ring_mending {
	unsigned int dim;
	const __u32 *fault;
	const __u32 *alive;
	const struct hc_ring_tree *old;
	const struct hc_ring_places *places;
	struct hc_ring *ring;
	__u16 *node;
	__u16 *home;
	__u16 *order;
	__u16 *count;
	__u16 *queue;
	struct hc_ring_tree t;
};

/**
 * hc_ring_mend() - mend a tree of rings
 * @m: all but .t; nodes of .alive need not be in .old
 *
 * Time O(@m->dim * 2^@m->dim + @m->old->nnodes).
 *
 * Return: 0, the verifier takes @m->t; or -EINVAL: healthy links do not connect all of .alive.
 */
int hc_ring_mend(struct hc_ring_mending *m);

#endif /* _HC_RING_MEND_H */
