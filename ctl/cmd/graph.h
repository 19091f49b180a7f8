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
 * @named: the nodes, a set of HC_RING_NODES_MAX
 * @n: how many
 * @end: behind the last of them
 */
struct graph {
	struct graph_pairs links;
	struct graph_pairs envs;
	uint32_t *named;
	uint32_t n;
	uint32_t end;
};

/* 0, or it has complained; release with graph_free() in any case. */
int graph_read(struct hcctl *h, const char *file, struct graph *g);
void graph_free(struct graph *g);

#endif /* _HCCTL_GRAPH_H */
