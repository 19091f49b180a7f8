/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of frames that were received from other machines.
 *
 * Such a frame is charged to no socket of this machine, and its sender may ignore credits. So it is
 * charged to the fabric until it is freed, as frames of the fabric's polls are (limits.h). The code
 * that stores such frames at their destination bounds their number. Frames in transit to other
 * nodes may wait anywhere on their path, so they have a common limit. This limit is checked before
 * a link gives a frame a sequence number, so that a frame that is dropped leaves no gap.
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
 * @whole: prefer few long blocks of pages, and one block for up to a segment
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
 * hc_remote_skb_is() - tell whether a frame is from another machine and charged to its fabric
 * @skb: the frame
 *
 * Context: any
 * Return: true if so. No socket or credit bounds the number of such frames, so code that stores
 * them must count them
 */
bool hc_remote_skb_is(const struct sk_buff *skb);

/**
 * hc_remote_skb_fabric() - get the fabric that a frame from another machine is charged to
 * @skb: a frame for which hc_remote_skb_is() is true
 *
 * Context: any
 * Return: the fabric
 */
struct hc_fabric *hc_remote_skb_fabric(const struct sk_buff *skb);

/**
 * hc_remote_skb_goes_on() - count a frame as in transit, if it is from another machine, before it
 *	is forwarded to another node
 * @fabric: the fabric
 * @skb: any frame
 *
 * Context: poll
 * Return: false if too many frames from other machines are in transit; the caller must drop @skb
 */
bool hc_remote_skb_goes_on(struct hc_fabric *fabric, struct sk_buff *skb);

/**
 * hc_remote_skb_arrived() - stop counting a frame as in transit: it has reached its destination
 * @skb: any frame
 *
 * Context: poll
 */
void hc_remote_skb_arrived(struct sk_buff *skb);

/**
 * hc_frame_is_unaccounted() - tell whether only the links themselves can bound how many frames like
 *	this one wait on them
 * @skb: any frame
 *
 * Context: any
 * Return: true if the number of such frames is bounded neither by a socket, nor by credits, the
 * limit for frames in transit, or own.c; flooded Ethernet frames are an example
 */
bool hc_frame_is_unaccounted(const struct sk_buff *skb);

#endif /* _HC_REMOTE_SKB_H */
