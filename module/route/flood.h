/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ethernet frames to all reachable nodes: see flood.c.
 */
#ifndef _HC_FLOOD_H
#define _HC_FLOOD_H

#include <linux/types.h>

struct hc_flood_chunk;
struct hc_node;
struct sk_buff;

/**
 * struct hc_flood - frames that a node floods or forwards; [poll]
 * @nr: number of the last frame that this node has flooded
 * @seen: for each chunk of origins, which of their flooded frames the node has received
 * @swept: when origins without recent frames were last forgotten, jiffies
 */
struct hc_flood {
	u32 nr;
	struct hc_flood_chunk **seen;
	unsigned long swept;
};

/**
 * hc_flood_start() - flood a frame of this node; consumes it
 * @node: the origin
 * @skb: the frame
 *
 * Context: poll
 */
void hc_flood_start(struct hc_node *node, struct sk_buff *skb);

/**
 * hc_flood_rx() - forward a flooded frame; the caller still owns it
 * @node: the receiving node
 * @dim: dimension of the link over which the frame was received
 * @skb: the frame
 *
 * Context: poll
 * Return: true if the node receives the frame for the first time, so that the caller must deliver
 *	it
 */
bool hc_flood_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

/**
 * hc_flood_init() - set up a node's record of flooded frames
 * @node: the node
 *
 * Return: 0 or -ENOMEM
 */
int hc_flood_init(struct hc_node *node);

/**
 * hc_flood_exit() - free a node's record of flooded frames, as far as hc_flood_init() has set it up
 * @node: the node
 *
 * Context: process, after the node's last poll
 */
void hc_flood_exit(struct hc_node *node);

#endif /* _HC_FLOOD_H */
