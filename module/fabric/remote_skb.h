/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames that have come from other machines: their memory.
 *
 * No socket is charged for them, and a sender on another machine may ignore credits. So the fabric
 * is charged until they are freed, as for frames of its polls (limits.h). Frames that local nodes
 * keep are bounded where they are kept. Frames in transit to other nodes may wait anywhere on their
 * path, so they have a common limit. It is checked before a link gives a frame a sequence number,
 * so that a frame that is dropped leaves no gap.
 */
#ifndef _HC_REMOTE_SKB_H
#define _HC_REMOTE_SKB_H

#include <linux/skbuff.h>

struct hc_fabric;

/**
 * hc_remote_skb_alloc() - allocate memory for a frame from another machine
 * @fabric: the fabric
 * @head: linear bytes, behind HC_HEADROOM
 * @len: bytes in pages
 * @whole: prefer one block of pages for a segment, and long blocks for more
 * @err: set if there is no frame: -ENOMEM, or -EMSGSIZE if @len needs too many pages
 *
 * Context: process
 * Return: the frame, or NULL
 */
struct sk_buff *hc_remote_skb_alloc(struct hc_fabric *fabric, unsigned int head, unsigned int len,
				    bool whole, int *err);

/**
 * hc_remote_skb_charge() - charge a frame from another machine to a fabric
 * @fabric: the fabric
 * @skb: the frame
 *
 * Context: any
 * Return: false if that would exceed the limit of its accounting owner, or trunk_memory
 */
bool hc_remote_skb_charge(struct hc_fabric *fabric, struct sk_buff *skb);

/**
 * hc_remote_skb_is() - tell whether a frame came from another machine and is charged to its fabric
 * @skb: the frame
 *
 * Context: any
 * Return: true if so; no socket or credit bounds such a frame, so the code that keeps it counts it
 */
bool hc_remote_skb_is(const struct sk_buff *skb);

/**
 * hc_remote_skb_fabric() - the fabric that a frame from another machine is charged to
 * @skb: a frame for which hc_remote_skb_is() is true
 *
 * Context: any
 * Return: the fabric
 */
struct hc_fabric *hc_remote_skb_fabric(const struct sk_buff *skb);

/**
 * hc_remote_skb_goes_on() - account for a frame from another machine that is forwarded to another
 * node
 * @fabric: the fabric
 * @skb: any frame
 *
 * Context: poll
 * Return: false if too many such frames are under way; the caller drops @skb then
 */
bool hc_remote_skb_goes_on(struct hc_fabric *fabric, struct sk_buff *skb);

/**
 * hc_remote_skb_arrived() - record that a frame is no longer in transit: it has reached its
 * destination
 * @skb: any frame
 *
 * Context: poll
 */
void hc_remote_skb_arrived(struct sk_buff *skb);

/**
 * hc_frame_is_unaccounted() - tell whether nothing but the links bounds how many such frames wait
 * on them
 * @skb: any frame
 *
 * Context: any
 * Return: true if neither a socket, credits, the limit for frames in transit nor own.c bounds it;
 * such are flooded Ethernet frames
 */
bool hc_frame_is_unaccounted(const struct sk_buff *skb);

#endif /* _HC_REMOTE_SKB_H */
