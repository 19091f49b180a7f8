/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contributions with a part for each member that go in rounds: each segment has a piece of every
 * part, all of one length, in the order of the parts.  So what is under way is never more than a
 * segment, however long the parts are, and each segment can be halved by the members that its
 * pieces are for.  The other way round, a segment of pieces of all members' blocks.
 */
#ifndef _HC_ROUNDS_H
#define _HC_ROUNDS_H

#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* Bytes of a piece in a full segment; 0: a segment has no room for an element of each part. */
static inline u32 hc_round_piece(u32 segment, u32 parts, u32 elem)
{
	return rounddown(segment / parts, elem);
}

/* Bytes of the round that begins behind @at bytes of @total. */
static inline u32 hc_round_len(u64 total, u64 at, u32 parts, u32 piece)
{
	return min_t(u64, (u64)parts * piece, total - at);
}

#endif /* _HC_ROUNDS_H */
