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

/* Operations that a member may have pending in one plan; a power of two. */
#define HC_OP_WINDOW	64
/* Value of hc_end.nr and of other operation numbers: no operation. */
#define HC_NR_NONE	U64_MAX
/* Completed operations that the root may leave unacknowledged if no member asked for a
 * notification.
 */
#define HC_ACK_BATCH	16
/* Period of the stall check of members that wait, in jiffies. */
#define HC_STALL_TIME	HZ
/* Segments that may be in flight from a member to one of its sources (downwards); even. */
#define HC_DOWN_WINDOW	8
/* Full segments in one upward stream that may wait without being charged to a socket. */
#define HC_UP_WINDOW	8
/* Payloads up to this size travel in the linear part of the skb. */
#define HC_INLINE_MAX	512

/**
 * struct hc_rec - a record of a socket: one contribution, or one message or result
 * @sock: hc_sock.id, or 0: no socket
 * @nr: number of the record within the socket
 */
struct hc_rec {
	u64 sock;
	u64 nr;
};

/**
 * struct hc_stream - one source in one operation: what it has sent up, and what is sent
 *	down to it
 * @q: segments not yet merged, in order
 * @total: announced length of the stream in bytes; valid once @came is not 0
 * @down_busy: modelled time until which the link down to the source is occupied, ns
 * @unaccounted: bytes of @q that are charged neither to a socket nor to the fabric
 * @came: number of frames received from the source
 * @at: offset in the message, or in the block, that the next frame must have; the least offset that
 *	it may have if the source is a blocked sender, which sends a share of each segment
 * @sent_down: frames sent down to the source
 * @taken_down: how many of @sent_down the source has acknowledged by CREDIT
 * @last_down: the last frame of the operation was sent down to the source
 * @want: the source wants the data that is sent down (HC_DATA_F_WANT)
 * @last: the last frame of the stream has been received
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
 * @sent: frames sent to the peer
 * @taken: how many of @sent the peer has acknowledged by CREDIT
 */
struct hc_out {
	u64 busy;
	u32 sent;
	u32 taken;
};

/**
 * struct hc_op - one operation at one member
 * @fallen: entry in hc_generation.fallen
 * @spare: next entry in hc_member.spares, once the operation has ended
 * @member: the member
 * @coll: the collective; the first one of the plan type until @known
 * @priv: private state of the collective, see hc_coll_ops.op_size; there is room for the
 *	largest that the plan type carries
 * @nr: number of the operation within the plan
 * @total: bytes of this member's contribution; valid once @known
 * @cookie: cookie of this member's contribution, as its process gave it
 * @result: bytes of the result, of a broadcast message, or of a block that is sent down; valid once
 *	@down_came is not 0, at the root always
 * @time: modelled time of the latest data seen, ns
 * @own: this member's segments that still wait to be processed
 * @down: segments that were received from above and are not yet passed on
 * @down_came: number of frames received from above
 * @down_at: offset that the next frame from above must have, in the message or in a block
 * @down_acked: frames passed on, as reported in the last CREDIT to the sender above
 * @turn: number of steps after which this member has received what is sent down to it; 0 at the
 *	root
 * @clock: logical clock
 * @rec: record of the contribution; of a broadcast: of the message, valid once @begun
 * @elem: bytes of an element
 * @piece: bytes of a piece in a full round, if the data is sent in rounds (coll/chunk.h)
 * @width: bytes of a RECORD element
 * @oper: enum hypercube_oper
 * @dtype: enum hypercube_type
 * @cost: steps that each stage took, as far as this member knows
 * @known: the parameters are known, from the socket or from a frame
 * @apart: pieces of more than HC_INLINE_MAX bytes lie in pages of their own (coll/pieces.h)
 * @begun: this member has begun its contribution
 * @own_last: the contribution of this member is complete
 * @agrees: the members themselves run this operation, to agree on something; no process takes
 *	part (coll/guard.c)
 * @notify: a process asked for a notification of the completion (HYPERCUBE_F_NOTIFY)
 * @notify_own: the process of this member asked for a notification
 * @handed: the member has passed on all of the operation
 * @announced: listeners have been notified of the completion; set when a completed operation
 *	is carried out again after a ring repair
 * @out: hc_member.nouts entries behind @src: one for each destination or, where a member sends
 *	to its sources, for each source
 * @src: one stream for each source
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

/* Return: the private state that the collective of @op has, .op_size bytes. */
static inline void *hc_op_priv(const struct hc_op *op)
{
	return op->priv;
}

#endif /* _HC_OPERATION_H */
