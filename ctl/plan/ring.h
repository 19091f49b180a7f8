/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ring trees (hc_ring.h) of faulty cubes and of any other network.
 */
#ifndef _HC_PLAN_RING_H
#define _HC_PLAN_RING_H

#include "hc_ring.h"
#include "plan.h"

/**
 * struct hc_edge - a link between two nodes of a network
 * @u: one end
 * @v: the other
 */
struct hc_edge {
	uint32_t u;
	uint32_t v;
};

/**
 * struct hc_graph - a network: live nodes, and their healthy links
 * @nodes: they are numbered from 0 to here
 * @live: those that exist and work, as a set
 * @first: @nodes + 1 entries: where in @to the neighbours of each node begin
 * @to: the neighbours, ascending
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

/* What is left of a cube; NULL: no memory. */
struct hc_graph *hc_graph_cube(const struct hc_faults *f);
/* All that @edges name, which may be repeated and is put in order, and the set @more (or NULL)
 * of nodes that need no link.  All are below @nodes, which is at most HC_RING_NODES_MAX.
 */
struct hc_graph *hc_graph_edges(uint32_t nodes, struct hc_edge *edges, size_t n,
				const uint32_t *more);
void hc_graph_free(struct hc_graph *g);
bool hc_graph_linked(const struct hc_graph *g, uint32_t u, uint32_t v);
/* For the verifier. */
struct hc_ring_net hc_graph_net(const struct hc_graph *g);

enum hc_ring_method {
	HC_RING_AUTO,		/* the one that takes fewer steps */
	HC_RING_VRT,		/* the virtual ring tree: Sun, Cheung, Lin & Li, figure 3.6 */
	HC_RING_HAMILTON,	/* the longest cycle, and small rings on it for the others */
};

/**
 * struct hc_ring_count - how long an all-to-all broadcast takes
 * @deliver: after so many steps all members have all messages
 * @acknowledge: after so many all messages have come back to where they entered each ring: the
 *	links of all rings together
 */
struct hc_ring_count {
	uint32_t deliver;
	uint32_t acknowledge;
};

/**
 * struct hc_ring_plan - a ring tree and what is promised of it
 * @tree: the plan itself; points into memory that hc_ring_plan_free() releases
 * @method: the one that made it
 * @members: how many nodes it has
 * @levels: how many levels
 * @longest: nodes of its longest ring
 * @ports: the fewest healthy links that a member has
 * @steps: how long it takes
 * @both: steps to deliver in both directions at once, without acknowledgements, if it is one ring
 *	that is closed; else 0
 * @excluded: live nodes that are not connected with the members, as a set
 * @nexcluded: how many
 * @home: of each node of the network, see hc_ring_check()
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

/* Rings have at most this many nodes unless something else is asked for, except the longest
 * cycle: the shorter they are, the sooner a broken one is noticed.
 */
#define HC_RING_WIDTH 8

/**
 * hc_plan_ring() - find a ring tree of the largest connected part of a network
 * @g: the network; of several parts that are the largest the one with the lowest node
 * @cube: the same as a cube, or NULL: what is known of cubes helps to find Hamilton cycles
 * @method: how
 * @width: rings have at most so many nodes, 2 or more; 0: HC_RING_WIDTH, but for the longest
 *	cycle.  Not with HC_RING_HAMILTON
 * @plan: filled in; release with hc_ring_plan_free()
 *
 * HC_RING_HAMILTON finds one ring of all members if there are fewer than dim - 1 faulty links
 * and no other fault, and the longest cycle that is there if no block of the network has
 * more than 16 nodes.  Otherwise it finds what it finds.
 *
 * HC_RING_AUTO takes a ring of all members, since no ring tree is better, and else the tree
 * that takes fewer steps; with a width, among those of which no ring is longer.
 *
 * Return: 0, -EHOSTDOWN (no node is connected with any other) or -ENOMEM.
 */
int hc_plan_ring(const struct hc_graph *g, const struct hc_faults *cube,
		 enum hc_ring_method method, uint32_t width, struct hc_ring_plan *plan);
void hc_ring_plan_free(struct hc_ring_plan *plan);

/* Complete a plan for rings that are given, which the verifier must accept: copies them.
 * Return: 0, -ENOMEM, or -EINVAL with @flaw filled in.
 */
int hc_plan_ring_fixed(const struct hc_graph *g, const struct hc_ring_tree *t,
		       struct hc_ring_plan *plan, struct hc_ring_flaw *flaw);

/**
 * hc_ring_steps() - how many steps an all-to-all broadcast over a ring tree takes
 * @t: the tree, which the verifier has accepted
 * @count: filled in
 *
 * In each step each node sends one message in each of its rings; what the last node of a ring sends
 * to the first takes one step, wherever it goes.  The kernel's nodes take as many for each segment.
 *
 * Time nearly O(members).
 *
 * Return: 0 or -ENOMEM.
 */
int hc_ring_steps(const struct hc_ring_tree *t, struct hc_ring_count *count);

/* Does the last node of ring @i, which begins at @node, have a link to the first? */
bool hc_ring_closes(const struct hc_graph *g, const struct hc_ring *ring, const uint16_t *node);

#endif /* _HC_PLAN_RING_H */
