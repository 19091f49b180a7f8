/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Repair of a tree of rings: after a fault, a new tree of rings is made of those nodes that healthy
 * links still connect.
 *
 * Rings that no fault has touched keep all their nodes in their order. The other rings are cut
 * where a node or a link is missing. Each piece of a ring becomes part of a new ring, in which its
 * nodes follow each other in the direction of the old ring's messages, and which begins at a node
 * of the new tree with a healthy link to the piece. (The paper, Fig. 3.10, looks for such a node in
 * another ring, but a plan may have only one ring: Documentation/errata.rst.) The result depends
 * only on the old tree and the faults.
 *
 * Shared by the kernel module and the tests; no allocation, no recursion.
 */
#ifndef _HC_RING_REPAIR_H
#define _HC_RING_REPAIR_H

#include "hc_ring.h"

/**
 * struct hc_ring_places - the places of each node of a tree of rings; a place is an index of
 *	hc_ring_tree.node
 * @first: for each node the index of its first place in @place; room for all nodes and one more
 * @place: the places, sorted by node; room for all places
 * @ring: for each place the index of its ring; room for all places
 * @begin: for each ring its first place; room for the rings
 */
struct hc_ring_places {
	__u32 *first;
	__u32 *place;
	__u16 *ring;
	__u32 *begin;
};

/**
 * hc_ring_places_fill() - find the places of the nodes of a tree
 * @p: filled in
 * @t: a tree whose sizes and node numbers have been verified
 * @nodes: number of nodes of the network
 *
 * Context: any
 */
void hc_ring_places_fill(struct hc_ring_places *p, const struct hc_ring_tree *t, __u32 nodes);

/* Return the number of rings that a node is in. */
static inline __u32 hc_ring_places_of(const struct hc_ring_places *p, __u32 u)
{
	return p->first[u + 1] - p->first[u];
}

/**
 * hc_ring_tour() - number the links of a closed tour through all rings of a tree
 * @t: the tree, which the verifier has accepted
 * @at: the places of its nodes
 * @out: t->nnodes entries, set: for each place, the position on the tour, from 0 on, of the link
 *	over which the node at this place sends to the next node of the ring
 * @work: scratch space, t->nnodes entries
 *
 * At a node the tour goes round each ring that is attached to the node, one after another, and then
 * continues in the node's home ring. So it crosses each link of each ring once. A message whose
 * source is at position s of the tour crosses the link at position p in step (p - s) mod t->nnodes
 * + 1. No two sources are at the same position, so no two messages cross the same link in the same
 * step; and each message crosses a link only after the links that lead from its source to that
 * link. So each message is back at its source after t->nnodes steps, and it has been delivered to
 * all nodes before that.
 *
 * Time O(t->nnodes).
 */
void hc_ring_tour(const struct hc_ring_tree *t, const struct hc_ring_places *at, __u32 *out,
		  __u32 *work);

/* Return: the number of positions that the tour advances from link @from to link @to, both given as
 * positions; @nnodes if they are equal.
 */
static inline __u32 hc_ring_tour_way(__u32 nnodes, __u32 from, __u32 to)
{
	return to > from ? to - from : to + nnodes - from;
}

/**
 * struct hc_ring_repair_args - a tree to be repaired, and the result
 * @topo: the network
 * @fault: FAULT words; a link is healthy if neither end's word has its bit
 * @alive: set of the nodes that the new tree is to have, at least one
 * @old: the tree to be repaired, which the verifier has accepted for some set of faults
 * @places: the places of the nodes of @old
 * @ring: the new rings; room for as many as there are nodes in @alive
 * @node: nodes of the new rings; room for twice as many
 * @home: for each node its home ring in the new tree, or HC_RING_NONE; room for all nodes
 * @order: nodes in the order in which they were added to the new tree; room as for @ring
 * @count: scratch space, an entry for each ring of @old
 * @queue: scratch space, an entry for each ring of @old
 * @t: the new tree: set
 */
struct hc_ring_repair_args {
	struct hc_topo topo;
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
 * hc_ring_repair() - repair a tree of rings
 * @m: all members but .t and the arrays to be filled are set; nodes of .alive need not be in .old
 *
 * Time O(@m->topo.ports * @m->topo.nodes + @m->old->nnodes).
 *
 * Return: 0, and the verifier accepts @m->t; or -EINVAL if healthy links do not connect all nodes
 *	of .alive.
 */
int hc_ring_repair(struct hc_ring_repair_args *m);

#endif /* _HC_RING_REPAIR_H */
