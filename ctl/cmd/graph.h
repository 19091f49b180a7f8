/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Networks from files, for all commands that take one.
 */
#ifndef _HCCTL_GRAPH_H
#define _HCCTL_GRAPH_H

#include "hcctl.h"
#include "ring.h"

/* Pairs of nodes. */
struct graph_pairs {
	struct hc_edge *v;
	size_t n;
	size_t room;
};

/**
 * struct graph - contents of a file
 * @links: the links; a link that the file names several times has several entries
 * @envs: environments (for hcctl mfi), as pairs: a node, and a node of its environment
 * @tgs: pairs: a number of faults, and the node whose environment may have so many faults
 * @named: the nodes that the file names, a set of HC_RING_NODES_MAX
 * @n: number of these nodes
 * @end: the highest node number plus 1
 */
struct graph {
	struct graph_pairs links;
	struct graph_pairs envs;
	struct graph_pairs tgs;
	uint32_t *named;
	uint32_t n;
	uint32_t end;
};

/* Read the network in a file. Return: 0, or an exit status after printing an error. Release @g with
 * graph_free() in any case.
 */
int graph_read(struct hcctl *h, const char *file, struct graph *g);
void graph_free(struct graph *g);

/* --- graph_xml.c --- */
/* Return: true if the end of the file's name is that of GraphML or GXL. */
bool graph_is_xml(const char *file);
/* As graph_read(), for GraphML or GXL. The caller has allocated @g->named. */
int graph_xml(struct hcctl *h, const char *file, struct graph *g);

#endif /* _HCCTL_GRAPH_H */
