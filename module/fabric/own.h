/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of frames that nodes make in nobody's name: own.c.
 */
#ifndef _HC_OWN_H
#define _HC_OWN_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "fabric/frame.h"

struct hc_node;

/**
 * struct hc_own - of those that a node has sent over one of its links
 * @node: the node; constant
 * @bytes: memory of those that nobody has freed yet
 * @dim: the link; constant
 * @owed: they say what is known of links (HC_FT_OWED), so only the neighbour has them; constant
 */
struct hc_own {
	struct hc_node *node;
	atomic_t bytes;
	u8 dim;
	bool owed;
};

/* Is the frame one of them, and not charged yet?  Sockets and credits bound the others. */
static inline bool hc_own_is_new(const struct sk_buff *skb)
{
	return !skb->sk && !skb->destructor && !hc_frame_is(skb, HC_FT_SEGMENT | HC_FT_STACK);
}

void hc_own_init(struct hc_node *node);
/* May another frame be made for link @dim, that says what is owed there?  False: it may later; the
 * poll runs again then, and the link's bit in hc_node.own_wait is set until then.  Poll.
 */
bool hc_own_room(struct hc_node *node, unsigned int dim);
/* May a frame be made for it that answers another one, or is of a round of DETECT?  Poll. */
bool hc_own_spare(const struct hc_node *node, unsigned int dim);
/* May @skb, which nobody has sent yet, go over link @dim?  Any frame.  Poll. */
bool hc_own_may(const struct hc_node *node, unsigned int dim, const struct sk_buff *skb);
/* Charge it to the link over which it goes first, until it is freed; any frame.  Poll. */
void hc_own_charge(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
/* Charge @copy to what @skb is charged to, if that is a link; any frame and its copy. */
void hc_own_charge_copy(const struct sk_buff *skb, struct sk_buff *copy);

#endif /* _HC_OWN_H */
