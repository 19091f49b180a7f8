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
 * @told: this member has said that word in the ring
 */
struct ring_stream {
	u32 taken;
	u32 lasts;
	u32 seen;
	u32 turn;
	bool told;
};

/**
 * struct ring_op - an allgather, or an alltoall
 * @at: where the slice at hand lies in each message
 * @len: how long it is
 * @base: steps that the slices before it took
 * @turn: step in which the latest segment that was new here has come
 * @most: the same of all that has come
 * @steps: what is said to the process
 * @blocks: segments of the slice that the process was given
 * @ask: counts answers of peers that did not help: the next question goes to another
 * @own: this member's own segment was sent
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
	u32 turn;
	u32 most;
	u32 steps;
	u32 blocks;
	u32 ask;
	bool own;
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

#endif /* _HC_RING_OP_H */
