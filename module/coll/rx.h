/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entries of operations for frames that come over links, or do not; run by the poll.
 */
#ifndef _HC_COLL_RX_H
#define _HC_COLL_RX_H

#include <linux/types.h>

struct hc_node;
struct sk_buff;

void hc_coll_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
/* A frame of an operation could not be delivered: its link or this node failed under way, or there
 * was no memory or no room.  @dim: the link it came by.  Does not consume.
 */
void hc_coll_undeliverable(struct hc_node *node, unsigned int dim, struct sk_buff *skb,
			   unsigned int why);

#endif /* _HC_COLL_RX_H */
