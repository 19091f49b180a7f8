/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames that have come from other machines: their memory.
 *
 * No socket is charged for them, and whoever has sent them need not play by credits.  So the fabric
 * is charged until they are freed, as for frames of its polls (limits.h).  Those that nodes here
 * keep are bounded where they are kept.  Those that go on to other nodes could wait anywhere on
 * their way: together they have a limit, looked at before a link gives them a number, so that
 * one that is dropped is no gap.
 */
#ifndef _HC_FAR_H
#define _HC_FAR_H

#include <linux/skbuff.h>

struct hc_fabric;

/* Memory for a frame: @head bytes behind HC_HEADROOM, and @len in pages, in one block if they are
 * @whole and there is one.  NULL: *@err says why, -EMSGSIZE: there are too many.
 */
struct sk_buff *hc_far_alloc(struct hc_fabric *fabric, unsigned int head, unsigned int len,
			     bool whole, int *err);
/* It is charged to the fabric from now on.  False: that exceeds the limit of its owner. */
bool hc_far_charge(struct hc_fabric *fabric, struct sk_buff *skb);
/* Is it one of them?  It counts where frames are bounded that nobody bounds. */
bool hc_far_is(const struct sk_buff *skb);
/* The fabric that is charged. */
struct hc_fabric *hc_far_fabric(const struct sk_buff *skb);
/* It goes on to another node, or has arrived at its own; any frame.  False: there are too many. */
bool hc_far_goes_on(struct hc_fabric *fabric, struct sk_buff *skb);
void hc_far_arrived(struct sk_buff *skb);
/* Does it wait on links without anything that bounds it: a socket, credits, the limit of these
 * frames, or that of the link by which it went first (own.h)?  Flooded Ethernet frames do.
 */
bool hc_frame_is_loose(const struct sk_buff *skb);

#endif /* _HC_FAR_H */
