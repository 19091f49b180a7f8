/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames: allocation, struct hc_cb, and drops.
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

/* Headroom for a walk of 64 steps, in bytes. */
#define HC_WALK_ROOM	32
/* The headers in front of the payload of DATA, which are the longest of all types. */
#define HC_DATA_HEAD	(sizeof(struct hc_hdr) + sizeof(struct hc_wire_data))
/* The headers in front of the payload of TASK and of ROUND. */
#define HC_TASK_HEAD	(sizeof(struct hc_hdr) + sizeof(struct hc_wire_task))
#define HC_ROUND_HEAD	(sizeof(struct hc_hdr) + sizeof(struct hc_wire_round))
/* Least headroom in front of a payload: for the walk and the longest headers. */
#define HC_LEAST_HEADROOM	(HC_WALK_ROOM + HC_DATA_HEAD)
/* Headroom in front of a payload that begins at a cache line. */
#define HC_HEADROOM	ALIGN(HC_LEAST_HEADROOM, 64)
/* Headroom in front of a payload, for frame types without a header of their own. */
#define HC_BARE_HEADROOM	(HC_WALK_ROOM + sizeof(struct hc_hdr))

static_assert(sizeof(struct hc_wire_flood) <= HC_WALK_ROOM);

/* State of a queued frame; in skb->cb from enqueue to dequeue. */
struct hc_cb {
	u8 dim;		/* port over which the frame was received, or HC_DIM_HOST */
	bool sealed;	/* the link has set the frame's checksum */
	bool unaccounted;	/* the frame waits to be sent and is charged to no socket */
	u8 stream;	/* identifies the trunk over which the frame was received, 0: none */
};

/* Value of hc_cb.dim: the frame is from the host port. */
#define HC_DIM_HOST	0xff

/* skb->cb as another structure; the build fails if it is too small. */
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

/* Return the bytes of the walk, or of the flood header, which is behind struct hc_hdr. */
static inline unsigned int hc_way_area(const struct hc_hdr *hdr)
{
	if (hdr->flags & HC_FRAME_F_FLOOD)
		return sizeof(struct hc_wire_flood);
	return hc_walk_area(be16_to_cpu(hdr->walk));
}

/* Return the bytes in front of the header of the frame's type. */
static inline unsigned int hc_way_end(const struct hc_hdr *hdr)
{
	return sizeof(*hdr) + hc_way_area(hdr);
}

static inline struct hc_wire_flood *hc_wire_flood_of(const struct sk_buff *skb)
{
	return (struct hc_wire_flood *)(skb->data + sizeof(struct hc_hdr));
}

/* hc_wire_NAME_of(): return the header of frame type NAME in a frame without walk: the frame was
 * just made, or has reached its destination.
 */
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
HC_PART_OF(repair)
HC_PART_OF(copy)
HC_PART_OF(task)
HC_PART_OF(round)

/**
 * hc_frame_alloc() - allocate a frame on behalf of the fabric
 * @node: sending node
 * @type: enum hc_frame_type
 * @len: payload bytes
 * @gfp: flags for the allocation
 *
 * Context: any
 * Return: the frame, with at least HC_WALK_ROOM bytes of headroom; or NULL. Its headers are zero
 * except version, type, fabric, src and len
 */
struct sk_buff *hc_frame_alloc(const struct hc_node *node, u8 type, u32 len, gfp_t gfp);

/**
 * hc_frame_make() - allocate a frame on behalf of the caller
 * @fabric: the fabric
 * @src: sending node
 * @type: enum hc_frame_type
 * @len: payload bytes
 * @gfp: flags for the allocation
 *
 * Context: any
 * Return: as hc_frame_alloc()
 */
struct sk_buff *hc_frame_make(const struct hc_fabric *fabric, u32 src, u8 type, u32 len,
			      gfp_t gfp);

/**
 * hc_frame_push() - put headers in front of a payload that has headroom for them
 * @fabric: the fabric
 * @src: sending node
 * @type: enum hc_frame_type
 * @flags: HC_FRAME_F_*
 * @skb: the payload
 *
 * Context: any
 */
void hc_frame_push(const struct hc_fabric *fabric, u32 src, u8 type, u8 flags,
		   struct sk_buff *skb);

/**
 * hc_frame_copy() - copy a frame, with the data in its pages, into one linear buffer
 * @skb: any frame
 *
 * Context: poll, or timer of an impaired link
 * Return: a copy that is charged to whatever @skb is charged to; NULL if there is no memory, or if
 * charging the copy would exceed a limit
 */
struct sk_buff *hc_frame_copy(const struct sk_buff *skb);

/**
 * hc_drop_count() - count a frame as dropped
 * @node: the node
 * @port: the link that it is counted on (poll only), or NULL: on the node
 * @reason: enum hypercube_a_drop
 *
 * Context: any
 */
void hc_drop_count(struct hc_node *node, struct hc_port *port, unsigned int reason);

/**
 * hc_drop() - free a frame and count it as dropped
 * @node: the node
 * @port: the link that it is counted on (poll only), or NULL: on the node
 * @skb: the frame
 * @reason: enum hypercube_a_drop
 *
 * Context: any
 */
void hc_drop(struct hc_node *node, struct hc_port *port, struct sk_buff *skb,
	     unsigned int reason);

/**
 * hc_drop_sent() - free a frame that the endpoint's own stack has sent, and count it as dropped
 * @node: the node
 * @skb: the frame
 * @reason: enum hypercube_a_drop
 *
 * Context: any
 */
void hc_drop_sent(struct hc_node *node, struct sk_buff *skb, unsigned int reason);

/**
 * hc_drop_all() - drop all frames of a queue at teardown
 * @node: the node
 * @queue: a queue that no other code uses any more
 *
 * Context: process, after the last poll
 */
void hc_drop_all(struct hc_node *node, struct sk_buff_head *queue);

/**
 * hc_drops() - count the frames that a node has dropped for a reason, on its links or not
 * @node: the node
 * @reason: enum hypercube_a_drop
 *
 * Context: any; a snapshot
 * Return: the number of frames
 */
u64 hc_drops(const struct hc_node *node, unsigned int reason);

#endif /* _HC_SKB_H */
