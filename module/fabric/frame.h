/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types of frames: each has a line in frame.c with what is different.  Code that handles
 * frames of all types asks that line, and looks it up once.
 */
#ifndef _HC_FRAME_H
#define _HC_FRAME_H

#include <linux/bits.h>
#include <linux/kernel.h>

#include "fabric/skb.h"

struct hc_node;

/* hc_frame_ops.flags */
#define HC_FT_SURE	BIT(0)	/* a link delivers each once and in order, or is down: they
				 * have numbers; others see the raw wire
				 */
#define HC_FT_DETECTED	BIT(1)	/* they pass links that DETECT has found silent, too */
#define HC_FT_DIRECT	BIT(2)	/* they may go from neighbour to neighbour */
#define HC_FT_ROUTED	BIT(3)	/* they may go by fault-tolerant unicast */
#define HC_FT_FLOODED	BIT(4)	/* they may go to everybody */
#define HC_FT_WALK	BIT(5)	/* at its destination a ROUTED one still has its walk */
#define HC_FT_WHOLE	BIT(6)	/* the payload lies in one place, see hc_payload() */
#define HC_FT_SEGMENT	BIT(7)	/* it is at most a segment long, and credits or a socket
				 * bound how many there are
				 */
#define HC_FT_NEEDED	BIT(8)	/* if one is not sent, somebody waits for it for ever, or at
				 * least a second
				 */
#define HC_FT_STACK	BIT(9)	/* traffic of the endpoints' stacks, which has queues of its own */
#define HC_FT_PLAN	BIT(10)	/* their part begins with struct hc_wire_plan */
#define HC_FT_BARE	BIT(11)	/* they have no payload */
#define HC_FT_SAYS	BIT(12)	/* the payload is what a program or a stack says: nodes may lie */
#define HC_FT_OWED	BIT(14)	/* what is known of links: made when there is room, see own.c */
#define HC_FT_PATH	BIT(13)	/* they name their path, and .rx is for those in transit, too */

/**
 * struct hc_frame_ops - a type of frames
 * @flags: HC_FT_*
 * @part: size of the part of the type; 0: it has none
 * @rx: one came over link @dim, maybe the last of many, and is for this node, or flooded, or names
 *	its path; its parts have been checked, and are in one piece; consumes.  Poll
 * @undeliverable: one in transit could not be delivered, for the reason @why; @dim: the link it
 *	came by.  Does not consume.  NULL: nobody needs to know.  Poll
 */
struct hc_frame_ops {
	u32 flags;
	u32 part;
	void (*rx)(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
	void (*undeliverable)(struct hc_node *node, unsigned int dim, struct sk_buff *skb,
			      unsigned int why);
};

extern const struct hc_frame_ops hc_frame_types[__HC_FRAME_TYPE_END];

/* Returns the line of @type, which may be any number that a frame says; NULL: there is none. */
static inline const struct hc_frame_ops *hc_frame_ops(u8 type)
{
	if (type >= ARRAY_SIZE(hc_frame_types) || !hc_frame_types[type].rx)
		return NULL;
	return &hc_frame_types[type];
}

/* Returns the line of a frame that was made or checked here, so there is one. */
static inline const struct hc_frame_ops *hc_frame_ops_of(const struct sk_buff *skb)
{
	return &hc_frame_types[hc_hdr(skb)->type];
}

/* This works for any frame: a link that corrupts may have made the type a number without a line. */
static inline bool hc_frame_is(const struct sk_buff *skb, u32 flag)
{
	const struct hc_frame_ops *type = hc_frame_ops(hc_hdr(skb)->type);

	return type && type->flags & flag;
}

/* Returns the plan of a frame that was made or checked here and still has its walk, if it came with
 * one (hc_wire_plan_of() is for one that lost it); NULL: its type is of no plan.
 */
static inline const struct hc_wire_plan *hc_frame_plan(const struct sk_buff *skb)
{
	if (!hc_frame_is(skb, HC_FT_PLAN))
		return NULL;
	return (const void *)(skb->data + hc_way_end(hc_hdr(skb)));
}

/* Its number among those that its origin has flooded; 0: it is not flooded. */
static inline u32 hc_frame_flood_nr(const struct sk_buff *skb)
{
	if (!(hc_hdr(skb)->flags & HC_FRAME_F_FLOOD))
		return 0;
	return be32_to_cpu(hc_wire_flood_of(skb)->nr);
}

#endif /* _HC_FRAME_H */
