/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of an operation in rings. ring.c carries out operations; ring_resume.c resumes them after a
 * repair.
 */
#ifndef _HC_RING_OP_H
#define _HC_RING_OP_H

#include <linux/types.h>

#include "coll/coll.h"

/**
 * struct ring_stream - state of the frames that are received from a source, and sent to it, in one
 *	operation
 * @taken: number of segments of the current chunk from this source that have been processed
 * @lasts: number of segments from this source, of all chunks, that have been processed and were the
 *	last of their message
 * @seen: number of notices (HC_DATA_F_SEEN) that have been received from this source
 * @turn: step of the current chunk in which the last segment was sent to this source
 * @clock: logical clock of the latest segment from this source, if messages may be sent in both
 *	directions
 * @notified: true if this member has sent its own notice (HC_DATA_F_SEEN) in the ring
 */
struct ring_stream {
	u32 taken;
	u32 lasts;
	u32 seen;
	u32 turn;
	u32 clock;
	bool notified;
};

/**
 * struct ring_now - progress of the current chunk
 * @turn: greatest step in which a segment has arrived that this member did not have
 * @most: greatest step in which any segment has arrived
 * @blocks: number of segments that have been passed to the process
 * @here: number of members whose segments this member has; its own is included when it has been
 *	sent
 * @own: true if this member's own segment has been sent
 * @home: true if this member's own segment has returned
 */
struct ring_now {
	u32 turn;
	u32 most;
	u32 blocks;
	u32 here;
	bool own;
	bool home;
};

/**
 * struct ring_op - private state of an allgather or alltoall in rings
 * @at: offset of the current chunk in each message, in bytes
 * @len: bytes of each segment of the current chunk
 * @base: number of steps that all earlier chunks have taken
 * @now: progress of the current chunk
 * @steps: number of steps in the result's record
 * @both: true if this member's own segment is sent in both directions, so that it does not return
 * @last: true if the current chunk is the last one
 * @over: true if the last chunk is complete at this member
 * @given: true if the process has all blocks
 * @late: true if the process's record ends when the operation is complete, not with the last block,
 *	because the rings have been repaired during the operation, or members whose blocks the
 *	process waits for have left the rings
 * @nmembers: number of members in @members; valid if @members is not NULL
 * @members: set of the members whose blocks are in the result; NULL before the member has sent its
 *	first segment
 * @src: an entry for each source
 */
struct ring_op {
	u64 at;
	u32 len;
	u32 base;
	struct ring_now now;
	u32 steps;
	bool both;
	bool last;
	bool over;
	bool given;
	bool late;
	u32 nmembers;
	const u32 *members;
	struct ring_stream src[];
};

static inline struct ring_op *ring_op(const struct hc_op *op)
{
	return hc_op_priv(op);
}

/* --- ring_xmit.c --- */

/**
 * hc_ring_starve() - fail an operation for lack of memory
 * @m: the member
 * @op: the operation
 *
 * Return: false.
 */
bool hc_ring_starve(struct hc_member *m, struct hc_op *op);

/**
 * hc_ring_frame_out() - send a segment in a ring
 * @m: the member
 * @op: the operation
 * @out: index of the source to which it is sent
 * @skb: the segment; consumed
 * @turn: step in which it is sent
 *
 * Return: false if the operation is gone.
 */
bool hc_ring_frame_out(struct hc_member *m, struct hc_op *op, unsigned int out,
		       struct sk_buff *skb, u32 turn);

/**
 * hc_ring_frame_next() - send a segment in the next free step of its link
 * @m: the member
 * @op: the operation
 * @out: index of the source to which it is sent
 * @skb: the segment; consumed
 * @turn: the step after which it is sent
 *
 * Return: false if the operation is gone.
 */
bool hc_ring_frame_next(struct hc_member *m, struct hc_op *op, unsigned int out,
			struct sk_buff *skb, u32 turn);

/**
 * hc_ring_copy_out() - send a copy of a segment in the direction of the ring edge of a source
 * @m: the member
 * @op: the operation
 * @i: index of the source of the ring edge along which the copy is sent
 * @skb: the segment
 * @turn: step in which it is sent
 *
 * Return: false if the operation is gone.
 */
bool hc_ring_copy_out(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *skb,
		      u32 turn);

/**
 * hc_ring_wants() - check whether a member's segment must be passed to the process
 * @m: the member
 * @op: the operation
 * @block: the member that has contributed the segment, which is of the current chunk
 *
 * Return: true if it must; false if the result has no block of that member, or if the process has
 * got this segment before a repair.
 */
bool hc_ring_wants(const struct hc_member *m, const struct hc_op *op, u32 block);

/**
 * hc_ring_give() - pass a copy of a segment to the process, at its offset in the result
 * @m: the member
 * @op: the operation
 * @skb: the segment
 *
 * Return: false if the operation is gone.
 */
bool hc_ring_give(struct hc_member *m, struct hc_op *op, struct sk_buff *skb);

/**
 * hc_ring_end_give() - end the process's record
 * @m: the member
 * @op: the operation. If blocks are missing, the end of the record has the set of the members whose
 *	blocks it contains
 *
 * Return: false if the operation is gone.
 */
bool hc_ring_end_give(struct hc_member *m, struct hc_op *op);
/* Detach the process, which has all blocks, from the operation, so that it is not notified of a
 * later failure.
 */
void hc_ring_process_done(struct hc_member *m, struct hc_op *op);

/* --- ring_guard.c: for guarded plans --- */
/* Return: the number of bytes of a block of @bytes bytes that the process puts into a segment, see
 * hc_coll_ops.piece.
 */
u32 hc_ring_piece(const struct hc_plan *plan, u64 bytes);
/* Carries out hc_ring_give() in guarded plans. */
bool hc_ring_guard_give(struct hc_member *m, struct hc_op *op, struct sk_buff *skb);

/* --- ring_bidir.c: where messages may go in both directions (hc_ring_member.place) --- */

/**
 * hc_both_begin() - determine whether this member's own segment is sent in both directions
 * @m: the member
 * @op: the operation
 * @w: header of the segment, which is sent after this; its flag is set
 */
void hc_both_begin(struct hc_member *m, struct hc_op *op, struct hc_wire_data *w);

/**
 * hc_both_is_valid() - check that a segment may be received from a source
 * @m: the member
 * @r: the operation
 * @i: index of the source
 * @w: header of the segment
 *
 * Return: true if it may.
 */
bool hc_both_is_valid(const struct hc_member *m, const struct ring_op *r, unsigned int i,
		      const struct hc_wire_data *w);

/**
 * hc_both_ends() - check whether this member is the last one that receives a segment
 * @m: the member
 * @i: index of the source that has sent the segment
 * @w: header of the segment
 *
 * Return: true if it is, so that it does not forward the segment.
 */
bool hc_both_ends(const struct hc_member *m, unsigned int i, const struct hc_wire_data *w);

/**
 * hc_both_came() - check whether a source has sent all segments of the current chunk
 * @m: the member
 * @op: the operation
 * @i: index of the source
 *
 * Return: true if the chunk is complete, or if the source's next segment is of the next chunk.
 */
bool hc_both_came(const struct hc_member *m, const struct hc_op *op, unsigned int i);

#endif /* _HC_RING_OP_H */
