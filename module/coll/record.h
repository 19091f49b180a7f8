/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records that wait to be received by a process: process.c makes them, sock/recv.c takes them.
 */
#ifndef _HC_RECORD_H
#define _HC_RECORD_H

#include <linux/types.h>

#include "fabric/skb.h"

/**
 * struct hc_result_cb - skb->cb of a piece of a record, whose data begins with struct
 *	hypercube_result
 * @rec: number of the record within the socket
 * @at: offset of the first piece in the result, if @placed
 * @stride: distance from the offset of each piece to that of the next, in bytes
 * @piece: bytes of a piece
 * @sets: bytes of the sets of nodes that follow the result (HYPERCUBE_CMSG_MISSING)
 * @pos: bytes that the process has received
 * @placed: the data goes to offset @at of the result; otherwise behind the data of the previous
 *	piece
 * @last: this skb ends the record
 * @failure: the record reports a failure, and is counted in hc_sock.unread
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

#endif /* _HC_RECORD_H */
