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
 * struct graph - what a file says
 * @links: each once for each time that it is named
 * @envs: a node and one of its environment
 * @tgs: how many faults an environment may have, and whose that is
 * @named: the nodes, a set of HC_RING_NODES_MAX
 * @n: how many
 * @end: behind the last of them
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
/* Is the file GraphML or GXL, by the end of its name? */
bool graph_is_xml(const char *file);
/* As graph_read(), for such a file; @g has room for names of nodes. */
int graph_xml(struct hcctl *h, const char *file, struct graph *g);

#endif /* _HCCTL_GRAPH_H */
