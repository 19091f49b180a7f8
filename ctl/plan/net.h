/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Networks of any shape: making their links, and giving the ports at both ends of each link the
 * same number.
 */
#ifndef _HC_PLAN_NET_H
#define _HC_PLAN_NET_H

#include "hc_topo.h"
#include "ring.h"

/* The most lengths that a shape has. */
#define HC_NET_AXES 12

enum hc_net_kind {
	HC_NET_MESH,		/* lines, along each axis */
	HC_NET_TORUS,		/* rings, along each axis */
	HC_NET_KARY,		/* lengths 0 and 1: K nodes along each of N axes, as a torus */
	HC_NET_RING,		/* length 0: number of nodes */
	HC_NET_TREE,		/* lengths 0 and 1: K children of each node, on N levels */
	HC_NET_FULL,		/* length 0: number of nodes; each is linked with all others */
	HC_NET_DRAGONFLY,	/* lengths 0 and 1: A nodes in each group, H links from each node to
				 * other groups
				 */
};

/**
 * struct hc_net_spec - the network that is wanted
 * @kind: enum hc_net_kind
 * @axes: number of entries of @length that are used
 * @length: the lengths, see enum hc_net_kind; the nodes of a mesh or torus are numbered along
 *	the first axis first
 */
struct hc_net_spec {
	enum hc_net_kind kind;
	unsigned int axes;
	uint32_t length[HC_NET_AXES];
};

/**
 * struct hc_net - a network
 * @topo: the network, as a table of peers even if it is a hypercube
 * @peer: the table that @topo points to; release with hc_net_free()
 */
struct hc_net {
	struct hc_topo topo;
	uint16_t *peer;
};

/* Make the links of a network. *nodes: set to the number of its nodes; *links: set to its links, *n
 * of them, all of whose ends are less than *nodes. Return: 0, -ENOMEM, or -ERANGE with *why set:
 * there would be no node or more than @most nodes, or a length is not valid.
 */
int hc_net_links(const struct hc_net_spec *spec, uint32_t most, uint32_t *nodes,
		 struct hc_edge **links, size_t *n, const char **why);

/**
 * hc_net_make() - number the ports of a network
 * @spec: the shape of the network, or NULL if it is not known. Port numbers follow the axes of a
 *	grid if that takes no more ports than the greatest number of links of any node
 * @nodes: number of nodes, at most HC_RING_NODES_MAX
 * @links: the links, each between two different nodes and listed once
 * @n: number of links
 * @net: filled in
 * @why: set to a sentence (static storage) on error
 *
 * In terms of graph theory the numbers are a proper colouring of the edges. The number of colours
 * is the greatest number of links of any node, or one more. One more is never needed if the network
 * is bipartite, and often not in other networks: the function tries without it first, and if that
 * fails uses the algorithm of Misra and Gries, "A constructive proof of Vizing's theorem", 1992.
 *
 * Time O(@nodes * @n).
 *
 * Return: 0, -ENOMEM, or -E2BIG (a node would need more than HC_PORTS_MAX ports).
 */
int hc_net_make(const struct hc_net_spec *spec, uint32_t nodes, const struct hc_edge *links,
		size_t n, struct hc_net *net, const char **why);
void hc_net_free(struct hc_net *net);

/* --- net_colour.c --- */
/* Colour @links by Kempe's method: fill in @at, a table of @colours columns whose entries are all
 * HC_NET_NONE at first. Return: false if more colours are needed; the table is useless then.
 */
#define HC_NET_NONE	0xffff
bool hc_net_colour_kempe(uint16_t *at, unsigned int colours, const struct hc_edge *links,
			 size_t n);
/* Colour @links by the method of Misra and Gries. @colours is greater than the number of links of
 * any node, so it never fails.
 */
void hc_net_colour_vizing(uint16_t *at, unsigned int colours, const struct hc_edge *links,
			  size_t n);

#endif /* _HC_PLAN_NET_H */
