/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trees of rings: rings of nodes over healthy links, any two of which have at most one node in
 * common. Messages go round in each ring, and a node that is in several rings forwards them from
 * one to another, so that each message enters each ring once: all-to-all broadcast.
 *
 * A ring need not be a cycle of the network. If its last node has no healthy link to its first
 * node, the messages from the last to the first go back along the ring, against the direction of
 * the other messages. So each direction of a link carries only what one node of one ring sends to
 * the next one, in the whole tree.
 *
 * Source: Sun, Cheung, Lin & Li, "Fault Tolerant All-to-All Broadcast in General
 * Interconnection Networks", with the corrections of Documentation/errata.rst.  Shared by the
 * kernel module, the tool and the tests; no allocation, no recursion, no floating point.
 */
#ifndef _HC_RING_H
#define _HC_RING_H

#include "hc_topo.h"

/* Node numbers are less than this, in a cube as in any other network. */
#define HC_RING_NODES_MAX 65536
/* No ring: the parent of the first ring, or the home of a node that is in no ring. */
#define HC_RING_NONE	0xffff
/* hc_ring_reason.node and .other if the reason concerns no node. */
#define HC_RING_NO_NODE	0xffffffff

/**
 * struct hc_ring - one ring of a tree
 * @size: number of its nodes
 * @level: 0 for the first ring; for any other ring the level of its parent, or one more
 * @parent: index of the ring to which it is attached, HC_RING_NONE for the first ring
 */
struct hc_ring {
	__u32 size;
	__u16 level;
	__u16 parent;
};

/**
 * struct hc_ring_tree - a plan: rings, and their nodes
 * @nrings: number of rings, at least 1
 * @nnodes: sum of the rings' sizes (the paper's number of virtual nodes)
 * @ring: the rings, each after its parent
 * @node: the nodes of the rings, one ring after the other, in the order in which messages go round
 *
 * All nodes of a ring but one are at home there: no earlier ring contains them. The exception is
 * the node where the ring meets the tree, a convergent point; the home of that node is the ring's
 * parent. The first ring has no exception. So members + nrings - 1 == nnodes.
 */
struct hc_ring_tree {
	__u32 nrings;
	__u32 nnodes;
	const struct hc_ring *ring;
	const __u16 *node;
};

/**
 * struct hc_ring_net - a network, as far as rings depend on it
 * @nodes: number of nodes, at most HC_RING_NODES_MAX
 * @linked: return true if a healthy link joins two nodes
 * @priv: private data of @linked
 * @topo: the network, if hc_ring_topo() has made this; only its @linked uses it
 */
struct hc_ring_net {
	__u32 nodes;
	bool (*linked)(const struct hc_ring_net *net, __u32 u, __u32 v);
	const void *priv;
	struct hc_topo topo;
};

/**
 * hc_ring_topo() - describe a network with faults for hc_ring_check()
 * @topo: the network
 * @fault: FAULT words of all nodes
 *
 * Context: any
 * Return: the network; a link is healthy if neither end's word has its bit
 */
struct hc_ring_net hc_ring_topo(const struct hc_topo *topo, const __u32 *fault);

/**
 * hc_ring_cube() - describe a hypercube with faults for hc_ring_check()
 * @dim: its dimension
 * @fault: FAULT words of all nodes
 *
 * Context: any
 * Return: the network
 */
struct hc_ring_net hc_ring_cube(unsigned int dim, const __u32 *fault);

/**
 * struct hc_ring_reason - why a plan was refused
 * @why: a sentence, static storage
 * @ring: index of the ring concerned, or HC_RING_NONE
 * @node: the node concerned, or HC_RING_NO_NODE
 * @other: the node to which it has no healthy link, or HC_RING_NO_NODE
 */
struct hc_ring_reason {
	const char *why;
	__u32 ring;
	__u32 node;
	__u32 other;
};

/**
 * hc_ring_check() - verify a plan against a network
 * @t: the plan, of which only the lengths of the arrays are trusted
 * @net: the network
 * @home: @net->nodes entries, filled in: the ring where the node is at home, or
 *	HC_RING_NONE if it is no member
 * @reason: filled in when the plan is refused; may be NULL
 *
 * Accepts a plan only if its rings are a tree as described at struct hc_ring_tree, and if a healthy
 * link joins any two consecutive nodes of a ring; the last node and the first need no link. A ring
 * has at least two nodes, unless it is the only ring. If the check accepts a plan, all members are
 * live and connected by healthy links, unless there is only one member. A live node that the plan
 * leaves out is no error.
 *
 * Time O(@net->nodes + @t->nnodes), and at most that many calls of @net->linked().
 *
 * Return: 0, or -EINVAL with @reason set.
 */
int hc_ring_check(const struct hc_ring_tree *t, const struct hc_ring_net *net, __u16 *home,
		  struct hc_ring_reason *reason);

#endif /* _HC_RING_H */
