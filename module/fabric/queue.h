/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HC_QUEUE_H
#define _HC_QUEUE_H

#include <linux/skbuff.h>

/**
 * struct hc_queue - frames that wait for a poll
 * @list: the frames, and the lock
 * @bytes: memory of the frames; under the lock
 * @flooded: memory of flooded frames that were received over links; under the lock
 * @taken: number of frames that the poll has taken, modulo 2^32 [poll]
 */
struct hc_queue {
	struct sk_buff_head list;
	u32 bytes;
	u32 flooded;
	u32 taken;
};

/* Append a frame. The caller holds the queue's lock. */
static inline void hc_queue_add(struct hc_queue *q, struct sk_buff *skb)
{
	q->bytes += skb->truesize;
	__skb_queue_tail(&q->list, skb);
}

#endif /* _HC_QUEUE_H */
