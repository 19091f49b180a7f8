/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames on a fixed path: see way.c.
 */
#ifndef _HC_ROUTE_WAY_H
#define _HC_ROUTE_WAY_H

#include <linux/types.h>

struct hc_node;
struct sk_buff;

/**
 * hc_way_xmit() - send a frame along a fixed path; consumes it
 * @node: the origin
 * @dst: number of the node at the end of the path
 * @dims: the dimensions of the path's links
 * @n: number of links
 * @back: the path takes the links from the last of @dims to the first
 * @nr: number of the frame among the frames on this path
 * @skb: the frame; ROUTED, FIXED, .src, .dst and the walk are set here. Every hop, including the
 *	first, adds 1 to .step
 *
 * Context: poll
 * Return: 0; -ENOLINK if the first link is down, or -ENOBUFS if there is no memory or a limit is
 *	reached: the frame was dropped and counted
 */
int hc_way_xmit(struct hc_node *node, u32 dst, const u8 *dims, unsigned int n, bool back, u32 nr,
		struct sk_buff *skb);

/**
 * hc_way_nr() - get the number of a FIXED frame on its path
 * @skb: the frame, with its walk
 *
 * Return: @nr of hc_way_xmit()
 */
__be32 hc_way_nr(const struct sk_buff *skb);

/**
 * hc_way_passes() - forward a FIXED frame, unless its path ends at this node
 * @node: the receiving node
 * @dim: dimension of the link over which the frame was received
 * @skb: the frame
 *
 * Context: poll
 * Return: true if @skb was forwarded or dropped; false if its path ends at @node, and the caller
 *	still owns @skb
 */
bool hc_way_passes(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

#endif /* _HC_ROUTE_WAY_H */
