/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Access to the walk: the dimensions behind the header of a ROUTED frame. Only route.c and way.c,
 * which forward ROUTED frames, include this.
 */
#ifndef _HC_WALK_H
#define _HC_WALK_H

#include <linux/skbuff.h>

#include "wire.h"

struct hc_node;

static inline u8 *hc_walk_of(const struct sk_buff *skb)
{
	return skb->data + sizeof(struct hc_hdr);
}

static inline unsigned int hc_walk_get(const u8 *area, unsigned int i)
{
	return i & 1 ? area[i / 2] & 0xf : area[i / 2] >> 4;
}

static inline void hc_walk_put(u8 *area, unsigned int i, unsigned int dim)
{
	area[i / 2] = i & 1 ? (area[i / 2] & 0xf0) | dim : dim << 4;
}

/**
 * hc_walk_leads() - follow a part of a frame's walk
 * @node: a node of the fabric
 * @skb: the frame
 * @i: index of the first dimension to follow
 * @end: index of the last dimension to follow, plus 1
 * @at: number of the node where that part of the walk begins
 *
 * Return: number of the node where that part ends; if a dimension is invalid, the number of nodes
 *	of the fabric, which is no node's number
 */
u32 hc_walk_leads(const struct hc_node *node, const struct sk_buff *skb, unsigned int i,
		  unsigned int end, u32 at);

/**
 * hc_walk_grow() - lengthen the area of the walk: move the header and the area into the headroom
 * @skb: the frame; the bytes behind the area are not moved
 * @old: present length of the area, bytes
 * @grow: number of zero bytes to add at the end of the area
 *
 * Context: poll
 * Return: 0 or -ENOMEM
 */
int hc_walk_grow(struct sk_buff *skb, unsigned int old, unsigned int grow);

/**
 * hc_route_drop() - drop a frame that cannot be forwarded, after calling undeliverable() of its
 *	type
 * @node: the node
 * @from: dimension of the link over which the frame was received, or HC_DIM_HOST
 * @skb: the frame
 * @why: reason of the drop
 *
 * Context: poll
 * Return: -ENOBUFS if @why is lack of memory or a full queue, else -ENOLINK
 */
int hc_route_drop(struct hc_node *node, unsigned int from, struct sk_buff *skb, unsigned int why);

#endif /* _HC_WALK_H */
