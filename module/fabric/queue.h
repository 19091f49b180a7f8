/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HC_QUEUE_H
#define _HC_QUEUE_H

#include <linux/skbuff.h>

/**
 * struct hc_queue - frames that wait for a poll
 * @list: the frames, and the lock
 * @bytes: memory they take; under the lock
 * @flooded: what flooded frames from the links take of that; under the lock
 * @taken: frames that the poll has taken, modulo 2^32 [poll]
 */
struct hc_queue {
	struct sk_buff_head list;
	u32 bytes;
	u32 flooded;
	u32 taken;
};

/* Caller: holds the queue's lock. */
static inline void hc_queue_add(struct hc_queue *q, struct sk_buff *skb)
{
	q->bytes += skb->truesize;
	__skb_queue_tail(&q->list, skb);
}

#endif /* _HC_QUEUE_H */
