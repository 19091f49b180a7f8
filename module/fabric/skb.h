/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames: making them, notes on them, dropping them.
 */
#ifndef _HC_SKB_H
#define _HC_SKB_H

#include <linux/build_bug.h>
#include <linux/skbuff.h>
#include <linux/hypercube.h>

#include "wire.h"

struct hc_fabric;
struct hc_node;
struct hc_port;

#define HC_DROP_MAX	(HYPERCUBE_A_DROP_MAX + 1)

/* Room for a walk of 64 steps. */
#define HC_WALK_ROOM	32
/* The parts in front of the payload of DATA, the longest there are. */
#define HC_DATA_HEAD	(sizeof(struct hc_hdr) + sizeof(struct hc_wire_data))
/* The same of TASK. */
#define HC_TASK_HEAD	(sizeof(struct hc_hdr) + sizeof(struct hc_wire_task))
#define HC_ROUND_HEAD	(sizeof(struct hc_hdr) + sizeof(struct hc_wire_round))
/* Room in front of a payload, so that it begins where a line of the cache does. */
#define HC_HEADROOM	ALIGN(HC_WALK_ROOM + HC_DATA_HEAD, 64)
/* And if the frame has no part of its type. */
#define HC_BARE_HEADROOM	(HC_WALK_ROOM + sizeof(struct hc_hdr))

static_assert(sizeof(struct hc_wire_flood) <= HC_WALK_ROOM);

/* The poll's notes on a queued frame; in skb->cb from enqueue to dequeue. */
struct hc_cb {
	u8 dim;		/* port it came by, or HC_DIM_HOST */
	bool sealed;	/* the link's frames have a checksum */
	bool loose;	/* while it waits to be sent: counted as charged to nobody */
	u8 stream;	/* that of the trunk that it came by, 0: by none */
};

#define HC_DIM_HOST	0xff

/* What is noted in skb->cb, as a structure for which there is room. */
#define hc_cb_as(type, skb)								\
	((type *)((skb)->cb + BUILD_BUG_ON_ZERO(sizeof(type) > sizeof_field(struct sk_buff, cb))))

static inline struct hc_cb *hc_cb(struct sk_buff *skb)
{
	return hc_cb_as(struct hc_cb, skb);
}

static inline struct hc_hdr *hc_hdr(const struct sk_buff *skb)
{
	return (struct hc_hdr *)skb->data;
}

/* Bytes behind the common part that lead a frame on its way. */
static inline unsigned int hc_way_area(const struct hc_hdr *hdr)
{
	if (hdr->flags & HC_FRAME_F_FLOOD)
		return sizeof(struct hc_wire_flood);
	return hc_walk_area(be16_to_cpu(hdr->walk));
}

/* Bytes in front of the part of the type. */
static inline unsigned int hc_way_end(const struct hc_hdr *hdr)
{
	return sizeof(*hdr) + hc_way_area(hdr);
}

static inline struct hc_wire_flood *hc_wire_flood_of(const struct sk_buff *skb)
{
	return (struct hc_wire_flood *)(skb->data + sizeof(struct hc_hdr));
}

/* The part of its type, of a frame that nothing leads: as it is made, and once it has arrived. */
#define HC_PART_OF(name)								\
static inline struct hc_wire_##name *hc_wire_##name##_of(const struct sk_buff *skb)	\
{											\
	return (struct hc_wire_##name *)(skb->data + sizeof(struct hc_hdr));		\
}

HC_PART_OF(test)
HC_PART_OF(fault)
HC_PART_OF(lsa_head)
HC_PART_OF(plan)
HC_PART_OF(data)
HC_PART_OF(ack)
HC_PART_OF(stop)
HC_PART_OF(credit)
HC_PART_OF(probe)
HC_PART_OF(mend)
HC_PART_OF(copy)
HC_PART_OF(task)
HC_PART_OF(round)

/* Allocate a frame in the name of the fabric: its parts zeroed but for version, type, fabric, src
 * and len; at least HC_WALK_ROOM of headroom in front, @len payload bytes behind them.
 */
struct sk_buff *hc_frame_alloc(const struct hc_node *node, u8 type, u32 len, gfp_t gfp);
/* The same in the name of the caller: a frame of node @src of @fabric. */
struct sk_buff *hc_frame_make(const struct hc_fabric *fabric, u32 src, u8 type, u32 len,
			      gfp_t gfp);
/* Make a payload into a frame: put the parts in front of it; there is headroom for them.
 * @flags: HC_FRAME_F_*
 */
void hc_frame_push(const struct hc_fabric *fabric, u32 src, u8 type, u8 flags,
		   struct sk_buff *skb);
/* A frame that shares nothing with @skb, whose pages others may read, but is charged to the same
 * socket, or link (own.h), or fabric if it came from another machine, all of it in one piece; NULL:
 * no memory.
 */
struct sk_buff *hc_frame_copy(const struct sk_buff *skb);
/* Count a frame that is dropped: on @port if not NULL (poll only), else on the node. */
void hc_drop_count(struct hc_node *node, struct hc_port *port, unsigned int reason);
/* Free @skb and count it: on @port if not NULL (poll only), else on the node. */
void hc_drop(struct hc_node *node, struct hc_port *port, struct sk_buff *skb,
	     unsigned int reason);
/* The same of a frame that the endpoint's own stack has sent.  Any context. */
void hc_drop_sent(struct hc_node *node, struct sk_buff *skb, unsigned int reason);
/* The same for all frames of a queue that nobody else touches any more, at the teardown. */
void hc_drop_all(struct hc_node *node, struct sk_buff_head *queue);
/* How many were dropped, at the node and on its links.  Any context, a snapshot. */
u64 hc_drops(const struct hc_node *node, unsigned int reason);

#endif /* _HC_SKB_H */
