/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames on a way that is fixed: way.c.
 */
#ifndef _HC_ROUTE_WAY_H
#define _HC_ROUTE_WAY_H

#include <linux/types.h>

struct hc_node;
struct sk_buff;

/* Send frame number @nr to node @dst over the links of these @n dimensions, or, @back, over the
 * same from the last to the first; sets ROUTED, FIXED, .src, .dst and the walk; consumes @skb.
 * Every hop, the first too, adds one to .step.  Poll.  Return: 0, -ENOLINK (a link is down) or
 * -ENOBUFS (no memory, or no room); then it was dropped and counted.
 */
int hc_way_xmit(struct hc_node *node, u32 dst, const u8 *dims, unsigned int n, bool back, u32 nr,
		struct sk_buff *skb);
/* The number of a frame that has arrived. */
__be32 hc_way_nr(const struct sk_buff *skb);
/* A FIXED frame has come over link @dim.  False: it is for this node; else it was forwarded, or
 * dropped.
 */
bool hc_way_passes(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

#endif /* _HC_ROUTE_WAY_H */
