/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of frames that nodes make on their own behalf: see own.c.
 */
#ifndef _HC_OWN_H
#define _HC_OWN_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "fabric/frame.h"

struct hc_node;

/**
 * struct hc_own - frames of one kind that a node has made and sent over one of its links
 * @node: the node; constant
 * @bytes: memory of the frames of this kind that are not freed yet
 * @dim: dimension of the link; constant
 * @owed: the frames carry link states (HC_FT_OWED), so only the neighbour gets them; constant
 */
struct hc_own {
	struct hc_node *node;
	atomic_t bytes;
	u8 dim;
	bool owed;
};

/* Return: true if a node of this machine has made the frame on its own behalf and the frame is not
 * charged yet. The number of all other frames is bounded by sockets, by credits or by other limits.
 */
static inline bool hc_own_is_new(const struct sk_buff *skb)
{
	return !skb->sk && !skb->destructor && !hc_frame_is(skb, HC_FT_SEGMENT | HC_FT_STACK);
}

/**
 * hc_own_init() - prepare the accounts of a node's links
 * @node: the node
 *
 * Context: config
 */
void hc_own_init(struct hc_node *node);

/**
 * hc_own_room() - check that a frame of link states may be made; if not, the poll runs again when
 *	it may
 * @node: sending node
 * @dim: dimension of the link
 *
 * Context: poll
 * Return: true if the frame may be made; false if a limit is reached: the link's bit in
 * hc_node.own_wait is then set
 */
bool hc_own_room(struct hc_node *node, unsigned int dim);

/**
 * hc_own_spare() - check that a reply, or a frame of a round of DETECT, may be made
 * @node: sending node
 * @dim: dimension of the link
 *
 * Context: poll
 * Return: false if the limit is reached
 */
bool hc_own_spare(const struct hc_node *node, unsigned int dim);

/**
 * hc_own_may() - check that a new frame may go over a link
 * @node: sending node
 * @dim: dimension of the link
 * @skb: any frame
 *
 * Context: poll
 * Return: false if the frame is a control message and too many of them are under way
 */
bool hc_own_may(const struct hc_node *node, unsigned int dim, const struct sk_buff *skb);

/**
 * hc_own_charge() - charge a frame that a node has made on its own behalf to the first link that it
 *	crosses, until it is freed
 * @node: sending node
 * @dim: dimension of the link
 * @skb: any frame; nothing happens unless hc_own_is_new() is true of it
 *
 * Context: poll
 */
void hc_own_charge(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

/**
 * hc_own_charge_copy() - charge a copy to the link that its original is charged to, if any
 * @skb: any frame
 * @copy: its copy
 *
 * Context: poll
 */
void hc_own_charge_copy(const struct sk_buff *skb, struct sk_buff *copy);

#endif /* _HC_OWN_H */
