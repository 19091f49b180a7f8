/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that other parts call with frames of operations that a link has delivered, or that
 * could not be delivered.
 * Context: poll.
 */
#ifndef _HC_COLL_RX_H
#define _HC_COLL_RX_H

#include <linux/types.h>

struct hc_node;
struct sk_buff;

/**
 * hc_coll_init() - register the handlers of this folder
 *
 * Context: the module's init.
 */
void hc_coll_init(void);

/**
 * hc_coll_rx() - handle a frame of an operation
 * @node: the node that received it
 * @dim: dimension of the link over which it was received
 * @skb: the frame; consumed
 */
void hc_coll_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

/**
 * hc_coll_undeliverable() - handle a frame of an operation that could not be delivered
 * @node: the node that has the frame: this node or a link has failed, or there was no memory or no
 *	room for the frame
 * @dim: dimension of the link over which the frame was received
 * @skb: the frame; not consumed
 * @why: reason for which the frame is dropped
 */
void hc_coll_undeliverable(struct hc_node *node, unsigned int dim, struct sk_buff *skb,
			   unsigned int why);

#endif /* _HC_COLL_RX_H */
