/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ethernet frames to everybody: flood.c.
 */
#ifndef _HC_FLOOD_H
#define _HC_FLOOD_H

#include <linux/types.h>

struct hc_flood_chunk;
struct hc_node;
struct sk_buff;

/**
 * struct hc_flood - frames that a node floods or passes on; [poll]
 * @nr: number of the last frame that was flooded from here
 * @seen: which flooded frames were here, by chunks of origins
 * @swept: when silent origins were last forgotten, jiffies
 */
struct hc_flood {
	u32 nr;
	struct hc_flood_chunk **seen;
	unsigned long swept;
};

/* Send a frame of this node to everybody; consumes.  Poll. */
void hc_flood_start(struct hc_node *node, struct sk_buff *skb);
/* A flooded frame came over link @dim: pass it on, @skb stays the caller's.  False: it has
 * been here before.  Poll.
 */
bool hc_flood_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
int hc_flood_init(struct hc_node *node);
void hc_flood_exit(struct hc_node *node);

#endif /* _HC_FLOOD_H */
