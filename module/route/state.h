/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What nodes know of the links of others: state.c.  All of it is the poll's.
 */
#ifndef _HC_STATE_H
#define _HC_STATE_H

#include <linux/types.h>

struct hc_node;
struct sk_buff;

/**
 * struct hc_state - what a node knows of another one's links (state.c)
 * @node: the other one
 * @word: its FAULT word
 * @version: counts the changes of the word
 */
struct hc_state {
	u16 node;
	u16 word;
	u32 version;
};

/* The own FAULT word may have changed. */
void hc_state_links(struct hc_node *node);
/* A STATE frame came over link @dim; consumes. */
void hc_state_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
/* First hop of a shortest path to @dst as far as known, or -1. */
int hc_state_hop(struct hc_node *node, u32 dst);
/* A spanning tree of the nodes that @origin reaches, as far as known: its links here are
 * @edges.  Return: its name, the same at all who know the same and at no others; 0: what
 * is known does not fit the own links, or some of these may lose frames, or no memory.
 */
u32 hc_state_tree(struct hc_node *node, u32 origin, u32 *edges);
/* Pass on what is news. */
void hc_state_flush(struct hc_node *node);
void hc_state_free(struct hc_node *node);

#endif /* _HC_STATE_H */
