/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Planning of trees of rings (hc_ring.h) in hypercubes with faults and in any other network.
 */
#ifndef _HC_PLAN_RING_H
#define _HC_PLAN_RING_H

#include "hc_ring.h"
#include "plan.h"

/**
 * struct hc_edge - a link between two nodes of a network
 * @u: the node at one end
 * @v: the node at the other end
 */
struct hc_edge {
	uint32_t u;
	uint32_t v;
};

/**
 * struct hc_graph - a network: its live nodes and healthy links
 * @nodes: nodes have numbers less than this
 * @live: the nodes that exist and have not failed, as a set
 * @first: @nodes + 1 entries: at which index in @to the neighbours of each node begin
 * @to: the neighbours of all nodes, ascending for each node
 */
struct hc_graph {
	uint32_t nodes;
	uint32_t *live;
	uint32_t *first;
	uint16_t *to;
};

static inline uint32_t hc_graph_degree(const struct hc_graph *g, uint32_t u)
{
	return g->first[u + 1] - g->first[u];
}

/* Make the network of the live nodes and healthy links of @f. Return: NULL without memory. */
struct hc_graph *hc_graph_left(const struct hc_faults *f);
/* Make a network of the links @edges, which the function sorts and which may have repetitions, and
 * of the nodes in the set @more, which need no link (NULL: none). All nodes are less than @nodes,
 * which is at most HC_RING_NODES_MAX.
 */
struct hc_graph *hc_graph_edges(uint32_t nodes, struct hc_edge *edges, size_t n,
				const uint32_t *more);
void hc_graph_free(struct hc_graph *g);
bool hc_graph_linked(const struct hc_graph *g, uint32_t u, uint32_t v);
/* Return: the network in the form that the verifier reads. */
struct hc_ring_net hc_graph_net(const struct hc_graph *g);

enum hc_ring_method {
	HC_RING_AUTO,		/* of the other two, the method that takes fewer steps */
	HC_RING_VRT,		/* the virtual ring tree: Sun, Cheung, Lin & Li, figure 3.6 */
	HC_RING_HAMILTON,	/* the longest cycle, and small rings on it for the other nodes */
};

/**
 * struct hc_ring_count - number of steps that an all-to-all broadcast takes
 * @deliver: steps until all members have all messages
 * @acknowledge: steps until each message has come back to the node where it entered each ring;
 *	this is the number of links of all rings together
 */
struct hc_ring_count {
	uint32_t deliver;
	uint32_t acknowledge;
};

/**
 * struct hc_ring_plan - a tree of rings and the properties that the planner computed
 * @tree: the plan itself; points to memory that hc_ring_plan_free() releases
 * @method: the method that found it
 * @members: number of members
 * @levels: number of levels
 * @longest: number of nodes of the tree's longest ring
 * @ports: the least number of healthy links that a member has
 * @steps: number of steps that an all-to-all broadcast takes
 * @both: number of steps to deliver all messages if they go in both directions at once,
 *	without acknowledgements, if the tree is a single closed ring; else 0
 * @excluded: live nodes that are not connected with the members, as a set
 * @nexcluded: number of excluded nodes
 * @home: home ring of each node of the network, see hc_ring_check()
 */
struct hc_ring_plan {
	struct hc_ring_tree tree;
	enum hc_ring_method method;
	uint32_t members;
	uint32_t levels;
	uint32_t longest;
	uint32_t ports;
	struct hc_ring_count steps;
	uint32_t both;
	uint32_t *excluded;
	uint32_t nexcluded;
	uint16_t *home;
};

/* The most nodes of a ring, unless the caller gives another limit; the longest cycle is not
 * limited. The shorter the rings, the sooner a broken ring is noticed.
 */
#define HC_RING_WIDTH 8

/**
 * hc_plan_ring() - find a tree of rings of the largest component of a network
 * @g: the network; if several components are the largest, the one with the lowest node is taken
 * @cube: if the network is a hypercube, its faults: the planner then uses what is known about
 *	Hamilton cycles of hypercubes. Else NULL
 * @method: enum hc_ring_method
 * @width: the most nodes of a ring, at least 2; 0: HC_RING_WIDTH, but the longest cycle is not
 *	limited. Ignored by HC_RING_HAMILTON
 * @plan: filled in; release with hc_ring_plan_free()
 *
 * HC_RING_HAMILTON finds one ring of all members if there are fewer than dim - 1 faulty links and
 * no other faults, and finds the longest cycle of the network if no block of it (biconnected
 * component) has more than 16 nodes. In other cases the cycle that it finds may not be the longest.
 *
 * HC_RING_AUTO takes a ring of all members if one is found, since no tree of rings is better, and
 * else the tree that takes fewer steps. With a width, it considers only trees without longer rings.
 *
 * Return: 0, -EHOSTDOWN (no two nodes are connected) or -ENOMEM.
 */
int hc_plan_ring(const struct hc_graph *g, const struct hc_faults *cube,
		 enum hc_ring_method method, uint32_t width, struct hc_ring_plan *plan);
void hc_ring_plan_free(struct hc_ring_plan *plan);

/**
 * struct hc_rings - edge-disjoint rings of all members
 * @n: number of rings
 * @most: an upper bound of @n: each ring uses two links of each member, and some member has
 *	fewer than 2 * (@most + 1)
 * @members: number of nodes of each ring
 * @node: nodes of the rings, one ring after the other
 */
struct hc_rings {
	uint32_t n;
	uint32_t most;
	uint32_t members;
	uint16_t *node;
};

/**
 * hc_plan_rings() - find edge-disjoint rings of the largest component of a network
 * @g: the network
 * @k: number of rings that are wanted, at least 1; there may be fewer in the result
 * @rings: filled in; release with hc_rings_free()
 *
 * In hypercubes without faults, and in tori of up to some thousand nodes, @rings->most rings are
 * found if @k asks for as many.
 *
 * Return: 0 (even if no ring was found), -EHOSTDOWN (no two nodes are connected) or -ENOMEM.
 */
int hc_plan_rings(const struct hc_graph *g, uint32_t k, struct hc_rings *rings);
void hc_rings_free(struct hc_rings *rings);

/* Derive a plan from given rings, which are copied. Return: 0, -ENOMEM, or -EINVAL if the verifier
 * refuses them, with @reason filled in.
 */
int hc_plan_ring_fixed(const struct hc_graph *g, const struct hc_ring_tree *t,
		       struct hc_ring_plan *plan, struct hc_ring_reason *reason);

/**
 * hc_ring_steps() - compute how many steps an all-to-all broadcast over a tree of rings takes
 * @t: the tree, which the verifier has accepted
 * @count: filled in
 *
 * In each step each node sends one message in each of its rings. A message that the last node of a
 * ring sends to the first takes one step, whatever path it takes. The kernel's nodes take this
 * number of steps for each segment.
 *
 * Time almost O(members).
 *
 * Return: 0 or -ENOMEM.
 */
int hc_ring_steps(const struct hc_ring_tree *t, struct hc_ring_count *count);

/* Does a link join the last node of @ring with its first? @node: nodes of all rings. */
bool hc_ring_closes(const struct hc_graph *g, const struct hc_ring *ring, const uint16_t *node);

#endif /* _HC_PLAN_RING_H */
