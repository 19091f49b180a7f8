/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Networks from files, for all commands that take one.
 */
#ifndef _HCCTL_GRAPH_H
#define _HCCTL_GRAPH_H

#include "hcctl.h"
#include "ring.h"

struct graph_pairs {
	struct hc_edge *v;
	size_t n;
	size_t room;
};

/**
 * struct graph - contents of a file
 * @links: the links; one that the file names several times occurs as often
 * @envs: environments (for hcctl mfi): pairs of a node, and a node of its environment
 * @tgs: pairs of the number of faults that an environment may have, and the environment's node
 * @named: the nodes, a set of HC_RING_NODES_MAX
 * @n: number of nodes
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

/* Read a file. Return: 0, or an exit status after printing an error; release with graph_free() in
 * any case.
 */
int graph_read(struct hcctl *h, const char *file, struct graph *g);
void graph_free(struct graph *g);

/* --- graph_xml.c --- */
/* Return: true if the file is GraphML or GXL, according to the end of its name. */
bool graph_is_xml(const char *file);
/* As graph_read(), for GraphML or GXL. @g->named must be allocated. */
int graph_xml(struct hcctl *h, const char *file, struct graph *g);

#endif /* _HCCTL_GRAPH_H */
