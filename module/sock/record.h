/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records as they wait to be received: what result.c queues and recv.c takes.
 */
#ifndef _HC_SOCK_RECORD_H
#define _HC_SOCK_RECORD_H

#include <linux/types.h>

#include "fabric/skb.h"

/**
 * struct hc_result_cb - a piece of a record; starts with struct hypercube_result
 * @rec: number of the record within the socket
 * @at: its place in the result, if @placed
 * @stride: from the place of each piece to that of the next
 * @piece: bytes of a piece
 * @sets: bytes of the sets behind the result, of HYPERCUBE_CMSG_MISSING
 * @pos: bytes already received
 * @placed: it has a place of its own
 * @last: it ends the record
 * @failure: counted in hc_sock.unread
 */
struct hc_result_cb {
	u64 rec;
	u64 at;
	u64 stride;
	u32 piece;
	u16 sets;
	u32 pos;
	bool placed;
	bool last;
	bool failure;
};

static inline struct hc_result_cb *hc_result_cb(struct sk_buff *skb)
{
	return hc_cb_as(struct hc_result_cb, skb);
}

#endif /* _HC_SOCK_RECORD_H */
