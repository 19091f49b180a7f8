/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of an operation over rings: ring.c works on it, ring_resume.c carries it across a repair.
 */
#ifndef _HC_RING_OP_H
#define _HC_RING_OP_H

#include <linux/types.h>

#include "coll/coll.h"

/**
 * struct ring_stream - frames from a source, and to it, in one operation
 * @taken: segments of the current chunk from this source that were processed
 * @lasts: number of segments processed, of all chunks, that were the last of a message
 * @seen: number of notices (HC_DATA_F_SEEN) received
 * @turn: step of the current chunk in which the last segment was sent to this source
 * @clock: logical clock of the latest segment from this source, if messages may be sent in both
 *	directions
 * @notified: this member has sent its own notice (HC_DATA_F_SEEN) in the ring
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
 * @turn: greatest step in which a segment arrived that this member did not have yet
 * @most: greatest step in which any segment arrived
 * @blocks: number of segments that were passed to the process
 * @here: number of members whose segments this member has, its own included once it was sent
 * @own: this member's own segment was sent
 * @home: this member's own segment has returned
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
 * struct ring_op - private state of an allgather or alltoall over rings
 * @at: offset of the current chunk in each message, in bytes
 * @len: bytes of each segment of the current chunk
 * @base: steps that all earlier chunks took
 * @now: progress of the current chunk
 * @steps: steps that the result reports to the process
 * @both: this member's own segment was sent in both directions, so it does not come back
 * @last: the current chunk is the last one
 * @over: the last chunk is complete here
 * @given: the process has all blocks
 * @late: the process's record ends when the operation is complete, not with the last block: rings
 *	were repaired meanwhile, or members whose blocks the process waits for have left the rings
 * @nmembers: number of members in @members; valid if @members is not NULL
 * @members: set of the members whose blocks the process waits for; NULL: nothing was sent yet
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
 * @out: index of the source to which it goes
 * @skb: the segment; consumed
 * @turn: step in which it leaves
 *
 * Return: false if the operation is gone.
 */
bool hc_ring_frame_out(struct hc_member *m, struct hc_op *op, unsigned int out,
		       struct sk_buff *skb, u32 turn);

/**
 * hc_ring_frame_next() - send a segment in the next free step of its link
 * @m: the member
 * @op: the operation
 * @out: index of the source to which it goes
 * @skb: the segment; consumed
 * @turn: step after which it leaves
 *
 * Return: false if the operation is gone.
 */
bool hc_ring_frame_next(struct hc_member *m, struct hc_op *op, unsigned int out,
			struct sk_buff *skb, u32 turn);

/**
 * hc_ring_copy_out() - send a copy of a segment along the ring edge of a source
 * @m: the member
 * @op: the operation
 * @i: index of the source along whose ring edge the copy goes on
 * @skb: the segment
 * @turn: step in which it leaves
 *
 * Return: false if the operation is gone.
 */
bool hc_ring_copy_out(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *skb,
		      u32 turn);

/**
 * hc_ring_wants() - tell whether the process is still to be given a member's segment
 * @m: the member
 * @op: the operation
 * @block: the member whose segment of the current chunk it is
 *
 * Return: false if the process wants no block of that member, or got this segment before a repair.
 */
bool hc_ring_wants(const struct hc_member *m, const struct hc_op *op, u32 block);

/**
 * hc_ring_give() - give the process a copy of a segment, at its offset in the result
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
 * @op: the operation. If blocks are missing, the end names the members whose blocks are there
 *
 * Return: false if the operation is gone.
 */
bool hc_ring_end_give(struct hc_member *m, struct hc_op *op);
/* Detach the process from the operation: it has all blocks, and a later failure is not reported. */
void hc_ring_process_done(struct hc_member *m, struct hc_op *op);

/* --- ring_guard.c: for guarded plans --- */
/* Return: the size in bytes of the process's segments, see hc_coll_ops.piece. */
u32 hc_ring_piece(const struct hc_plan *plan, u64 bytes);
/* hc_ring_give() for guarded plans. */
bool hc_ring_guard_give(struct hc_member *m, struct hc_op *op, struct sk_buff *skb);

/* --- ring_bidir.c: where messages may go in both directions (hc_ring_member.place) --- */

/**
 * hc_both_begin() - decide whether this member's own segment goes in both directions
 * @m: the member
 * @op: the operation
 * @w: header of the segment, which is about to be sent
 */
void hc_both_begin(struct hc_member *m, struct hc_op *op, struct hc_wire_data *w);

/**
 * hc_both_is_valid() - check that a source may have sent a segment
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
 * hc_both_ends() - tell whether a segment goes no further than this member
 * @m: the member
 * @i: index of the source that has sent it
 * @w: header of the segment
 *
 * Return: true if so.
 */
bool hc_both_ends(const struct hc_member *m, unsigned int i, const struct hc_wire_data *w);

/**
 * hc_both_came() - tell whether a source has sent everything of the current chunk
 * @m: the member
 * @op: the operation
 * @i: index of the source
 *
 * Return: true if the chunk is complete, or if the source's next segment is of the next chunk.
 */
bool hc_both_came(const struct hc_member *m, const struct hc_op *op, unsigned int i);

#endif /* _HC_RING_OP_H */
