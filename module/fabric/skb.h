/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames as the module has them in hand: made, noted on, dropped.
 */
#ifndef _HC_SKB_H
#define _HC_SKB_H

#include <linux/skbuff.h>
#include <linux/hypercube.h>

#include "wire.h"

struct hc_fabric;
struct hc_node;
struct hc_port;

#define HC_DROP_MAX	(HYPERCUBE_A_DROP_MAX + 1)

/* Room in front of a payload: header and a walk of 64 steps. */
#define HC_WALK_ROOM	32
#define HC_HEADROOM	(sizeof(struct hc_hdr) + HC_WALK_ROOM)

/* The poll's notes on a queued frame; in skb->cb from enqueue to dequeue. */
struct hc_cb {
	u8 dim;		/* port it came by, or HC_DIM_HOST */
	bool sealed;	/* the link's frames have a checksum */
};

#define HC_DIM_HOST	0xff

static inline struct hc_cb *hc_cb(struct sk_buff *skb)
{
	return (struct hc_cb *)skb->cb;
}

static inline struct hc_hdr *hc_hdr(const struct sk_buff *skb)
{
	return (struct hc_hdr *)skb->data;
}

/* Allocate a frame: header zeroed but for version, type, fabric, src and len;
 * HC_WALK_ROOM of headroom in front of the header, @len payload bytes behind it.
 */
struct sk_buff *hc_frame_alloc(const struct hc_node *node, u8 type, u32 len, gfp_t gfp);
/* The same where no node is at hand: a frame of node @src of @fabric. */
struct sk_buff *hc_frame_make(const struct hc_fabric *fabric, u32 src, u8 type, u32 len,
			      gfp_t gfp);
/* Make a payload into a frame: put the header in front of it (HC_HEADROOM). */
void hc_frame_push(const struct hc_fabric *fabric, u32 src, u8 type, struct sk_buff *skb);
/* Count a frame that is dropped: on @port if not NULL (poll only), else on the node. */
void hc_drop_count(struct hc_node *node, struct hc_port *port, unsigned int reason);
/* Free @skb and count it: on @port if not NULL (poll only), else on the node. */
void hc_drop(struct hc_node *node, struct hc_port *port, struct sk_buff *skb,
	     unsigned int reason);
/* The same for all frames of a queue that nobody else touches any more, at the teardown. */
void hc_drop_all(struct hc_node *node, struct sk_buff_head *queue);
/* How many were, of the node and of its links.  Any context, a snapshot. */
u64 hc_drops(const struct hc_node *node, unsigned int reason);

#endif /* _HC_SKB_H */
