/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frame types: each has an entry in frame.c with its properties. Code that handles frames of all
 * types looks the entry up once and then uses only the entry. The part of the module that receives
 * frames of a type registers its handlers at init (hc_frame_handle()).
 */
#ifndef _HC_FRAME_H
#define _HC_FRAME_H

#include <linux/bits.h>
#include <linux/kernel.h>

#include "fabric/skb.h"

struct hc_node;

/* hc_frame_ops.flags: properties of the frames of a type */
#define HC_FT_SURE	BIT(0)	/* frames have sequence numbers: a link delivers each of them once
				 * and in order, or is down. Without this flag frames may be lost
				 */
#define HC_FT_DETECTED	BIT(1)	/* frames also cross links that DETECT has found silent */
#define HC_FT_DIRECT	BIT(2)	/* frames may be sent to a neighbour without being routed */
#define HC_FT_ROUTED	BIT(3)	/* frames may be sent by fault-tolerant unicast */
#define HC_FT_FLOODED	BIT(4)	/* frames may be flooded to all nodes */
#define HC_FT_WALK	BIT(5)	/* a routed frame still has its walk when .rx gets it */
#define HC_FT_WHOLE	BIT(6)	/* the payload should be contiguous, see hc_payload() */
#define HC_FT_SEGMENT	BIT(7)	/* the payload is at most HC_FRAME_SEGMENTS segments of
				 * hc_fabric.segment bytes long, and credits or a socket
				 * bound the number of frames
				 */
#define HC_FT_NEEDED	BIT(8)	/* if such a frame is not sent, a member waits for it in vain: for
				 * a second at least, or for ever
				 */
#define HC_FT_STACK	BIT(9)	/* frames of endpoints' stacks, which have queues of their own */
#define HC_FT_PLAN	BIT(10)	/* the header of the type begins with struct hc_wire_plan */
#define HC_FT_BARE	BIT(11)	/* frames have no payload */
#define HC_FT_SAYS	BIT(12)	/* the payload is data of a program or of an endpoint's stack:
				 * Byzantine nodes corrupt it
				 */
#define HC_FT_OWED	BIT(14)	/* frames carry link states; they are made within limits (own.c) */
#define HC_FT_PATH	BIT(13)	/* frames contain their path; .rx also gets frames in transit */

/* Longest payload of a frame with HC_FT_SEGMENT, as a multiple of hc_fabric.segment. Such a payload
 * may consist of pieces of several blocks, each in pages of its own (coll/pieces.h).
 */
#define HC_FRAME_SEGMENTS	4U

typedef void hc_frame_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
typedef void hc_frame_undeliverable(struct hc_node *node, unsigned int dim, struct sk_buff *skb,
				    unsigned int why);

/**
 * struct hc_frame_ops - a frame type
 * @flags: HC_FT_*
 * @part: bytes of the header of this frame type; 0: the type has no header of its own
 * @rx: process a frame that was received over link @dim; if it was routed, this is the last link
 *	that it has crossed. The frame is for this node, is flooded, or contains its path.
 *	Everything before its payload was checked and is contiguous. Consumes the frame. Context:
 *	poll
 * @undeliverable: notify the part of the module that handles this type that a frame which was
 *	received over link @dim is dropped for the reason @why. Does not consume the frame. May be
 *	NULL. Context: poll
 */
struct hc_frame_ops {
	u32 flags;
	u32 part;
	hc_frame_rx *rx;
	hc_frame_undeliverable *undeliverable;
};

extern struct hc_frame_ops hc_frame_types[__HC_FRAME_TYPE_END];

/**
 * hc_frame_handle() - register the handlers of a frame type
 * @type: enum hc_frame_type
 * @rx: see struct hc_frame_ops
 * @undeliverable: see struct hc_frame_ops, or NULL
 *
 * Context: the module's init; each type once
 */
void hc_frame_handle(u8 type, hc_frame_rx *rx, hc_frame_undeliverable *undeliverable);

/**
 * hc_frames_handled() - check that each frame type has a handler
 *
 * Context: the module's init
 * Return: true if so
 */
bool hc_frames_handled(void);

/* Return the entry of @type, which may be any number from a frame, or NULL if there is none. */
static inline const struct hc_frame_ops *hc_frame_ops(u8 type)
{
	if (type >= ARRAY_SIZE(hc_frame_types) || !hc_frame_types[type].rx)
		return NULL;
	return &hc_frame_types[type];
}

/* Return the entry of a frame's type. The frame was made or checked on this machine, so its type
 * has an entry.
 */
static inline const struct hc_frame_ops *hc_frame_ops_of(const struct sk_buff *skb)
{
	return &hc_frame_types[hc_hdr(skb)->type];
}

/* Return: true if the frame's type has any of the flags in @flag. The frame need not be valid: a
 * link that corrupts frames may have changed the type to a number without an entry.
 */
static inline bool hc_frame_is(const struct sk_buff *skb, u32 flag)
{
	const struct hc_frame_ops *type = hc_frame_ops(hc_hdr(skb)->type);

	return type && type->flags & flag;
}

/* Return the header that names a frame's plan, or NULL if frames of its type belong to no plan. The
 * frame was made or checked on this machine, and may still have a walk; hc_wire_plan_of() is for
 * frames without walk.
 */
static inline const struct hc_wire_plan *hc_frame_plan(const struct sk_buff *skb)
{
	if (!hc_frame_is(skb, HC_FT_PLAN))
		return NULL;
	return (const void *)(skb->data + hc_way_end(hc_hdr(skb)));
}

/* Return the number that the frame has among all frames that its origin has flooded, or 0 if it is
 * not flooded.
 */
static inline u32 hc_frame_flood_nr(const struct sk_buff *skb)
{
	if (!(hc_hdr(skb)->flags & HC_FRAME_F_FLOOD))
		return 0;
	return be32_to_cpu(hc_wire_flood_of(skb)->nr);
}

#endif /* _HC_FRAME_H */
