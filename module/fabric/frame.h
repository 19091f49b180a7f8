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
#define HC_FT_SURE	BIT(0)	/* sequence numbers: a link delivers each frame once and in order,
				 * or is down; frames of other types may be lost
				 */
#define HC_FT_DETECTED	BIT(1)	/* they also cross links that DETECT has found silent */
#define HC_FT_DIRECT	BIT(2)	/* they may go from neighbour to neighbour */
#define HC_FT_ROUTED	BIT(3)	/* they may go by fault-tolerant unicast */
#define HC_FT_FLOODED	BIT(4)	/* they may be flooded to all nodes */
#define HC_FT_WALK	BIT(5)	/* a ROUTED frame keeps its walk at its destination */
#define HC_FT_WHOLE	BIT(6)	/* the payload is best contiguous, see hc_payload() */
#define HC_FT_SEGMENT	BIT(7)	/* the payload is at most HC_FRAME_SEGMENTS long, and credits
				 * or a socket bound how many there are
				 */
#define HC_FT_NEEDED	BIT(8)	/* if a frame is not sent, a member waits for it for ever, or for a
				 * second at least
				 */
#define HC_FT_STACK	BIT(9)	/* traffic of the endpoints' stacks, which has queues of its own */
#define HC_FT_PLAN	BIT(10)	/* their part begins with struct hc_wire_plan */
#define HC_FT_BARE	BIT(11)	/* they have no payload */
#define HC_FT_SAYS	BIT(12)	/* payload of a program or a stack; Byzantine nodes corrupt it */
#define HC_FT_OWED	BIT(14)	/* link states: made only when there is room, see own.c */
#define HC_FT_PATH	BIT(13)	/* they contain their path; .rx also gets frames in transit */

/* Most segments of a payload of HC_FT_SEGMENT, which may be pieces of blocks, in pages of their own
 * (coll/pieces.h).
 */
#define HC_FRAME_SEGMENTS	4U

typedef void hc_frame_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
typedef void hc_frame_undeliverable(struct hc_node *node, unsigned int dim, struct sk_buff *skb,
				    unsigned int why);

/**
 * struct hc_frame_ops - a frame type
 * @flags: HC_FT_*
 * @part: bytes of the part of the type; 0: it has none
 * @rx: process a frame that came over link @dim, perhaps after other links. The frame is for this
 *	node, is flooded, or contains its path. All of it but the payload was checked and is
 *	contiguous. Consumes the frame. Context: poll
 * @undeliverable: notify the part that a frame in transit, which came over link @dim, is dropped
 *	for the reason @why. Does not consume the frame. May be NULL. Context: poll
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

/* Return the entry of a frame that was made or checked here, so that its type has an entry. */
static inline const struct hc_frame_ops *hc_frame_ops_of(const struct sk_buff *skb)
{
	return &hc_frame_types[hc_hdr(skb)->type];
}

/* Return: true if the frame's type has any of these flags. Works for any frame: a link that
 * corrupts may have changed the type to a number without an entry.
 */
static inline bool hc_frame_is(const struct sk_buff *skb, u32 flag)
{
	const struct hc_frame_ops *type = hc_frame_ops(hc_hdr(skb)->type);

	return type && type->flags & flag;
}

/* Return the plan of a frame that was made or checked here and still has its walk, if it came with
 * one (hc_wire_plan_of() is for a frame without walk); NULL if frames of its type belong to no
 * plan.
 */
static inline const struct hc_wire_plan *hc_frame_plan(const struct sk_buff *skb)
{
	if (!hc_frame_is(skb, HC_FT_PLAN))
		return NULL;
	return (const void *)(skb->data + hc_way_end(hc_hdr(skb)));
}

/* Return the frame's number among those that its origin has flooded; 0 if it is not flooded. */
static inline u32 hc_frame_flood_nr(const struct sk_buff *skb)
{
	if (!(hc_hdr(skb)->flags & HC_FRAME_F_FLOOD))
		return 0;
	return be32_to_cpu(hc_wire_flood_of(skb)->nr);
}

#endif /* _HC_FRAME_H */
