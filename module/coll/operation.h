/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operations of a member, and the streams of frames in them.
 */
#ifndef _HC_OPERATION_H
#define _HC_OPERATION_H

#include "coll/plan.h"
#include "fabric/fabric.h"
#include "fabric/node.h"
#include "fabric/skb.h"

/* Maximum number of pending operations of a member in one plan; a power of two. */
#define HC_OP_WINDOW	64
/* Value of hc_end.nr and of other operation numbers: no operation. */
#define HC_NR_NONE	U64_MAX
/* Maximum number of completed operations for which the root delays an ACK if no process has
 * requested a notification.
 */
#define HC_ACK_BATCH	16
/* Period of the stall check of members that wait, in jiffies. */
#define HC_STALL_TIME	HZ
/* Maximum number of segments in flight from a member down to one of its sources; even. */
#define HC_DOWN_WINDOW	8
/* Maximum number of full segments of one upward stream that wait without being charged to a socket.
 */
#define HC_UP_WINDOW	8
/* Payloads of up to this many bytes are in the linear part of the skb. */
#define HC_INLINE_MAX	512

/**
 * struct hc_rec - id of a record of a socket: a contribution, a message of a broadcast, or a result
 * @sock: hc_sock.id, or 0: no socket
 * @nr: number of the record within the socket
 */
struct hc_rec {
	u64 sock;
	u64 nr;
};

/**
 * struct hc_stream - state of one source in one operation: of the data that it has sent up, and of
 *	the data that is sent down to it
 * @q: segments that have been received and not been merged yet, in order
 * @total: length of the stream in bytes, as its frames carry it; valid if @came is not 0
 * @down_busy: modelled time until which the link down to the source is occupied, ns
 * @unaccounted: bytes of @q that are charged neither to a socket nor to the fabric
 * @came: number of frames received from the source
 * @at: offset in the message, or in the block, that the next frame must have. If the source is a
 *	blocked sender, which sends a share of each segment, this is the least offset that the next
 *	frame may have
 * @sent_down: number of frames sent down to the source
 * @taken_down: number of these frames that the source has acknowledged by CREDIT
 * @last_down: true if the last frame of the operation has been sent down to the source
 * @want: true if the source has requested the data that is sent down (HC_DATA_F_WANT)
 * @last: true if the last frame of the stream has been received
 */
struct hc_stream {
	struct sk_buff_head q;
	u64 total;
	u64 at;
	u64 down_busy;
	u32 unaccounted;
	u32 came;
	u32 sent_down;
	u32 taken_down;
	bool want;
	bool last;
	bool last_down;
};

/**
 * struct hc_out - what a member has sent to a peer in an operation
 * @busy: modelled time until which the link to the peer is occupied, ns
 * @sent: number of frames sent to the peer
 * @taken: number of these frames that the peer has acknowledged by CREDIT
 */
struct hc_out {
	u64 busy;
	u32 sent;
	u32 taken;
};

/**
 * struct hc_op - one operation at one member
 * @fallen: entry in hc_generation.fallen
 * @spare: when the operation has ended, the next entry in hc_member.spares
 * @member: the member
 * @coll: the collective; as long as @known is false, the first one of the plan type
 * @priv: private state of the collective, see hc_coll_ops.op_size; there is space for that of any
 *	collective that the plan type carries
 * @nr: number of the operation within the plan
 * @total: bytes of this member's contribution; valid if @known
 * @cookie: cookie that the process has set for this member's contribution
 * @result: bytes of the result, of a broadcast message, or of a block that is sent down; valid if
 *	@down_came is not 0, and always at the root
 * @time: the latest modelled time of data that this member has sent or received in the operation,
 *	ns
 * @own: this member's segments that have not been processed yet
 * @down: segments that have been received from above and not been passed on yet
 * @down_came: number of frames received from above
 * @down_at: offset that the next frame from above must have, in the message or in a block
 * @down_acked: number of frames that had been passed on when the last CREDIT was sent to the peer
 *	above
 * @turn: number of steps after which this member has received the data that is sent down to it; 0
 *	at the root
 * @clock: logical clock
 * @rec: record of the contribution or, in a broadcast, of the message; valid if @begun
 * @elem: bytes of an element
 * @piece: bytes of each piece in a full round, if the data is sent in rounds (coll/chunk.h)
 * @width: bytes of a RECORD element
 * @oper: enum hypercube_oper
 * @dtype: enum hypercube_type
 * @cost: number of steps that each stage has taken, from the frames that this member has received
 * @known: true if the parameters are known, from the socket or from a frame
 * @apart: true if each piece of more than HC_INLINE_MAX bytes is in pages of its own
 *	(coll/pieces.h)
 * @begun: true if this member's contribution has begun
 * @own_last: true if this member's contribution is complete
 * @agrees: true if members of a guarded plan run this operation without their processes, to agree
 *	(coll/guard.c)
 * @notify: true if a process of any member has requested a notification of the completion
 *	(HYPERCUBE_F_NOTIFY)
 * @notify_own: true if the process of this member has requested a notification
 * @handed: true if the member has passed on all data of the operation
 * @announced: true if listeners have been notified of the completion; set when a completed
 *	operation is carried out again after a ring repair
 * @out: hc_member.nouts entries, after @src in memory: one for each destination or, in plans in
 *	which members send to their sources, one for each source
 * @src: the streams, one for each source
 */
struct hc_op {
	struct list_head fallen;
	struct hc_op *spare;
	struct hc_member *member;
	const struct hc_coll_ops *coll;
	void *priv;
	u64 nr;
	u64 total;
	u64 cookie;
	u64 result;
	u64 time;
	struct sk_buff_head own;
	struct sk_buff_head down;
	u64 down_at;
	u32 down_came;
	u32 down_acked;
	u32 turn;
	u32 clock;
	struct hc_rec rec;
	u32 elem;
	u32 piece;
	u16 width;
	u8 oper;
	u8 dtype;
	u8 cost[HC_STAGES_MAX];
	bool known;
	bool apart;
	bool begun;
	bool own_last;
	bool agrees;
	bool notify;
	bool notify_own;
	bool handed;
	bool announced;
	struct hc_out *out;
	struct hc_stream src[];
};

/* Return: the private state of the collective in @op, .op_size bytes. */
static inline void *hc_op_priv(const struct hc_op *op)
{
	return op->priv;
}

#endif /* _HC_OPERATION_H */
