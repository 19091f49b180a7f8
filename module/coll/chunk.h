/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A contribution that has a part (a block) for each member is sent in rounds: each segment has a
 * piece of every part, all of equal length, in the order of the parts. So a member can split each
 * segment into the pieces for the members on either side of a dimension, without waiting for more
 * segments, however long the parts are. A result that has the blocks of all members is sent in
 * rounds, too: each segment has a piece of every member's block.
 *
 * Long pieces lie apart, that is, each is in pages of its own (coll/pieces.c), if the collective
 * allows that. Such pieces are not copied, so a round can be HC_ROUND_SEGMENTS segments long.
 */
#ifndef _HC_CHUNK_H
#define _HC_CHUNK_H

#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "fabric/frame.h"

/* Length of a round whose pieces lie apart, in segments; a frame has at most half of such a round.
 */
#define HC_ROUND_SEGMENTS	(2 * HC_FRAME_SEGMENTS)
/* The least length in bytes of a part whose pieces lie apart. */
#define HC_APART_MIN		1024U
/* The largest number of parts whose pieces lie apart. */
#define HC_APART_PARTS		64U

/* Return: true if the pieces of @parts parts of @bytes bytes each lie apart, in collectives that
 * allow this. Pieces shorter than @segment / @parts are copied, which costs less.
 */
static inline bool hc_round_apart(u32 segment, u32 parts, u64 bytes)
{
	return parts > 1 && parts <= HC_APART_PARTS && bytes >= HC_APART_MIN &&
	       bytes >= segment / parts && HC_ROUND_SEGMENTS * segment / parts >= HC_APART_MIN;
}

/* Return: the size in bytes of each piece in a full round, if the pieces lie apart. */
static inline u32 hc_round_piece_apart(u32 segment, u32 parts, u32 elem)
{
	return rounddown(min(segment, HC_ROUND_SEGMENTS * segment / parts), elem);
}

/* Return: the size in bytes of each piece in a full segment; 0 if a segment has no room for an
 * element of each part.
 */
static inline u32 hc_round_piece(u32 segment, u32 parts, u32 elem)
{
	return rounddown(segment / parts, elem);
}

/* Return: the size in bytes of the round that begins at offset @at of a contribution of @total
 * bytes.
 */
static inline u32 hc_round_len(u64 total, u64 at, u32 parts, u32 piece)
{
	return min_t(u64, (u64)parts * piece, total - at);
}

struct hc_member;
struct sk_buff;

/**
 * struct hc_deal - contributions that have a part for each member
 * @n: number of members
 * @rank: rank of a member
 * @part: bytes of a part
 */
struct hc_deal {
	u32 n;
	u32 rank;
	u64 part;
};

/**
 * hc_deal_narrow() - cut the pieces for one member out of a round (coll/parts.c)
 * @m: the member
 * @skb: frame of a round: the pieces at offset @at of the contribution of each member; consumed
 * @d: the contributions, and the rank of the member for which the pieces are cut out
 * @at: the offset
 *
 * Return: a frame with the pieces for that member, which may be empty; its .offset is the offset of
 * the pieces in their parts. NULL if there is no memory.
 */
struct sk_buff *hc_deal_narrow(const struct hc_member *m, struct sk_buff *skb,
			       const struct hc_deal *d, u64 at);

#endif /* _HC_CHUNK_H */
