/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ethernet frames to everybody: flood.c.
 */
#ifndef _HC_FLOOD_H
#define _HC_FLOOD_H

#include <linux/types.h>

struct hc_node;
struct sk_buff;

/* Send a frame of this node to everybody; consumes.  Poll. */
void hc_flood_start(struct hc_node *node, struct sk_buff *skb);
/* A flooded frame came over link @dim: pass it on, @skb stays the caller's.  False: it has
 * been here before.  Poll.
 */
bool hc_flood_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
int hc_flood_init(struct hc_node *node);
void hc_flood_exit(struct hc_node *node);

#endif /* _HC_FLOOD_H */
