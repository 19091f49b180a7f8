/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of an operation over rings: ring.c works on it, ring_resume.c brings it over a fault.
 */
#ifndef _HC_RING_OP_H
#define _HC_RING_OP_H

#include <linux/types.h>

#include "coll/coll.h"

/**
 * struct ring_stream - frames from a source, and to it, in one operation
 * @taken: segments of the current chunk from this source that were processed
 * @lasts: how many of the segments processed, of all chunks, ended a message
 * @seen: notices (HC_DATA_F_SEEN) that have come
 * @turn: step of the current chunk in which the last segment left for this source
 * @clock: logical clock of the latest segment from this source, where messages go both ways
 * @notified: this member has sent its notice (HC_DATA_F_SEEN) in the ring
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
 * @turn: step in which the latest segment came that was new here
 * @most: step in which the latest segment came at all
 * @blocks: segments that the process was given
 * @here: number of members whose segments are here; includes this member's own once it is sent
 * @own: this member's own segment was sent
 * @home: this member's own segment has come back
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
 * @at: offset of the current chunk in each message
 * @len: bytes of its segments
 * @base: steps that the chunks before it took
 * @now: progress of the current chunk
 * @steps: steps that the result reports to the process
 * @both: this member's own segment was sent both ways, so it does not come back
 * @last: the current chunk is the last one
 * @over: the last chunk is complete here
 * @given: the process has all blocks
 * @late: the record ends when the operation is complete, not with the last block: rings were
 *	repaired meanwhile, or members whose blocks it waits for are gone
 * @nmembers: number of members in @members; valid with that
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

/* --- ring_give.c --- */

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
 * hc_ring_copy_out() - send a copy of a segment on along the ring edge of a source
 * @m: the member
 * @op: the operation
 * @i: index of the source from whose edge it goes on
 * @skb: the segment
 * @turn: step in which it leaves
 *
 * Return: false if the operation is gone.
 */
bool hc_ring_copy_out(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *skb,
		      u32 turn);

/**
 * hc_ring_wants() - tell whether the process waits for a member's part
 * @m: the member
 * @op: the operation
 * @block: the member whose part it is; it may have come before a repair
 *
 * Return: true if so.
 */
bool hc_ring_wants(const struct hc_member *m, const struct hc_op *op, u32 block);

/**
 * hc_ring_give() - give the process a copy of a segment, at its place in the result
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
 * @op: the operation. If blocks are missing, the record says whose it has
 *
 * Return: false if the operation is gone.
 */
bool hc_ring_end_give(struct hc_member *m, struct hc_op *op);
/* The process has all that it waits for: what becomes of the operation now does not concern it. */
void hc_ring_process_done(struct hc_member *m, struct hc_op *op);

/* --- ring_guard.c: where the plan is guarded --- */
/* Bytes of a process's segment, see hc_coll_ops.piece. */
u32 hc_ring_piece(const struct hc_plan *plan, u64 bytes);
/* As hc_ring_give(). */
bool hc_ring_guard_give(struct hc_member *m, struct hc_op *op, struct sk_buff *skb);

/* --- ring_both.c: where messages may go both ways (hc_ring_member.place) --- */

/**
 * hc_both_begin() - decide whether this member's own segment goes both ways
 * @m: the member
 * @op: the operation
 * @w: header of the segment, which is about to be sent
 */
void hc_both_begin(struct hc_member *m, struct hc_op *op, struct hc_wire_data *w);

/**
 * hc_both_fits() - check that a segment may have come from a source
 * @m: the member
 * @r: the operation
 * @i: index of the source
 * @w: header of the segment
 *
 * Return: true if it may.
 */
bool hc_both_fits(const struct hc_member *m, const struct ring_op *r, unsigned int i,
		  const struct hc_wire_data *w);

/**
 * hc_both_ends() - tell whether a segment goes no further than this member
 * @m: the member
 * @i: index of the source that it came from
 * @w: header of the segment
 *
 * Return: true if so.
 */
bool hc_both_ends(const struct hc_member *m, unsigned int i, const struct hc_wire_data *w);

/**
 * hc_both_came() - tell whether nothing more of the current chunk is to come from a source
 * @m: the member
 * @op: the operation
 * @i: index of the source
 *
 * Return: true if so.
 */
bool hc_both_came(const struct hc_member *m, const struct hc_op *op, unsigned int i);

#endif /* _HC_RING_OP_H */
