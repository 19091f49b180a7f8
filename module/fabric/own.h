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
 * @bytes: memory of those frames that are not freed yet
 * @dim: dimension of the link; constant
 * @owed: the frames carry link states (HC_FT_OWED), so only the neighbour gets them; constant
 */
struct hc_own {
	struct hc_node *node;
	atomic_t bytes;
	u8 dim;
	bool owed;
};

/* Return: true if a node has made the frame on its own behalf and the frame is not charged yet.
 * Sockets and credits bound all other frames.
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
 * hc_own_room() - check that there is room for a frame of link states; if not, let the poll run
 *	when there is
 * @node: sending node
 * @dim: dimension of the link
 *
 * Context: poll
 * Return: false if there is none; the link's bit in hc_node.own_wait is set then
 */
bool hc_own_room(struct hc_node *node, unsigned int dim);

/**
 * hc_own_spare() - check that there is room for a reply, or for a frame of a round of DETECT
 * @node: sending node
 * @dim: dimension of the link
 *
 * Context: poll
 * Return: false if there is none
 */
bool hc_own_spare(const struct hc_node *node, unsigned int dim);

/**
 * hc_own_may() - check that a new frame may go over a link
 * @node: sending node
 * @dim: dimension of the link
 * @skb: any frame that no node has sent yet
 *
 * Context: poll
 * Return: false if too many frames of this kind are under way
 */
bool hc_own_may(const struct hc_node *node, unsigned int dim, const struct sk_buff *skb);

/**
 * hc_own_charge() - charge a new frame to the first link that it crosses, until it is freed
 * @node: sending node
 * @dim: dimension of the link
 * @skb: any frame
 *
 * Context: poll
 */
void hc_own_charge(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

/**
 * hc_own_charge_copy() - charge a copy to the link that its original is charged to
 * @skb: any frame
 * @copy: its copy
 *
 * Context: poll
 */
void hc_own_charge_copy(const struct sk_buff *skb, struct sk_buff *copy);

#endif /* _HC_OWN_H */
