/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an operation keeps over rings: ring.c works on it, ring_keep.c brings it over a fault.
 */
#ifndef _HC_RING_OP_H
#define _HC_RING_OP_H

#include <linux/types.h>

#include "coll/coll.h"

/**
 * struct ring_stream - what has come from a source, and what has gone to it
 * @taken: segments of the slice at hand that were worked on
 * @lasts: of these, and all before, how many ended a message
 * @seen: words HC_DATA_F_SEEN that have come
 * @turn: step of the slice at hand in which the last one left
 * @clock: logical clock of the latest one that came by it, where messages go both ways
 * @told: this member has said that word in the ring
 */
struct ring_stream {
	u32 taken;
	u32 lasts;
	u32 seen;
	u32 turn;
	u32 clock;
	bool told;
};

/**
 * struct ring_now - what has come and gone of the slice at hand
 * @turn: step in which the latest segment that was new here has come
 * @most: the same of all that has come
 * @blocks: segments that the process was given
 * @here: members whose segment is here; this one's own, too, once it is sent
 * @own: this member's own segment was sent
 * @home: it has come back
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
 * struct ring_op - an allgather, or an alltoall
 * @at: where the slice at hand lies in each message
 * @len: how long it is
 * @base: steps that the slices before it took
 * @now: what has come and gone of it
 * @steps: what is said to the process
 * @both: this member's own segment was sent both ways, so it does not come back
 * @last: the slice is the last one
 * @over: and is through
 * @given: the process has all
 * @late: the process is told the end when the operation is through, not with its last block: rings
 *	were mended meanwhile, or not all that it waits for are there
 * @nmembers: whose blocks it waits for; valid with @members
 * @members: set of them; NULL: nothing was sent yet
 * @src: by source
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
/* It fails, as there is no memory: false. */
bool hc_ring_starve(struct hc_member *m, struct hc_op *op);
/* Consumes @skb.  False: the operation is gone. */
bool hc_ring_frame_out(struct hc_member *m, struct hc_op *op, unsigned int out,
		       struct sk_buff *skb, u32 turn);
/* The same in the step that this member's place in the ring has next. */
bool hc_ring_frame_next(struct hc_member *m, struct hc_op *op, unsigned int out,
			struct sk_buff *skb, u32 turn);
/* A copy goes on in the way of source @i, in step @turn.  False: the operation is gone. */
bool hc_ring_copy_out(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *skb,
		      u32 turn);
/* Does the process wait for the part of @block?  It may have come before the rings were mended. */
bool hc_ring_wants(const struct hc_member *m, const struct hc_op *op, u32 block);
/* A copy goes to the process, to its place in the result.  False: the operation is gone. */
bool hc_ring_give(struct hc_member *m, struct hc_op *op, struct sk_buff *skb);
/* The end of the record, which says whose blocks it has, if these are not all.  Return: false if
 * the operation is gone.
 */
bool hc_ring_end_give(struct hc_member *m, struct hc_op *op);

/* --- ring_both.c: where messages may go both ways (hc_ring_member.place) --- */
/* This member's own segment is about to be sent. */
void hc_both_begin(struct hc_member *m, struct hc_op *op, struct hc_wire_data *w);
/* Can it have come by source @i? */
bool hc_both_fits(const struct hc_member *m, const struct ring_op *r, unsigned int i,
		  const struct hc_wire_data *w);
/* Is this member the last one that it goes to? */
bool hc_both_ends(const struct hc_member *m, unsigned int i, const struct hc_wire_data *w);
/* Is there nothing of the slice to be worked on from source @i, now or later? */
bool hc_both_came(const struct hc_member *m, const struct hc_op *op, unsigned int i);

#endif /* _HC_RING_OP_H */
