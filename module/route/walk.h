/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The dimensions behind the header of a ROUTED frame, for those that lead such frames: route.c,
 * way.c.
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

/* The area behind the header has @old bytes, and gets @grow more: the header and the area move into
 * the headroom, all behind them stays where it is.  0 or -ENOMEM.
 */
int hc_walk_grow(struct sk_buff *skb, unsigned int old, unsigned int grow);
/* The frame gets no further, and is dropped; -ENOBUFS or -ENOLINK. */
int hc_route_drop(struct hc_node *node, unsigned int from, struct sk_buff *skb, unsigned int why);

#endif /* _HC_WALK_H */
