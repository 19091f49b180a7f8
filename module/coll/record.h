/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records (results, and statuses of operations) in the receive queue of a socket: process.c makes
 * them, sock/recv.c copies them to the process.
 */
#ifndef _HC_RECORD_H
#define _HC_RECORD_H

#include <linux/types.h>

#include "fabric/skb.h"

/**
 * struct hc_result_cb - skb->cb of one of the skbs of a record; the data of each begins with struct
 *	hypercube_result
 * @rec: number of the record within the socket
 * @at: offset of the first piece in the result, if @placed
 * @stride: distance from the offset of each piece to that of the next, in bytes
 * @piece: bytes of a piece
 * @sets: bytes of the sets of nodes that follow the result (HYPERCUBE_CMSG_MISSING)
 * @pos: bytes that the process has received
 * @placed: true if the data of this skb belongs at offset @at of the result; false if it follows
 *	the data of the previous skb
 * @last: true if this is the last skb of the record
 * @failure: true if the record reports a failure; such records are counted in hc_sock.unread
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
