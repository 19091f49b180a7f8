/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contributions that have a part for each member go in rounds: each segment has a piece of every
 * part, all of one length, in the order of the parts. So never more than a segment is in flight,
 * however long the parts are, and a segment can be halved by the members that its pieces are for.
 * In the other direction a segment has a piece of each member's block.
 *
 * Long pieces lie in pages of their own (coll/pieces.c) if the collective allows that. A round is
 * then HC_ROUND_SEGMENTS segments long, since none of it is copied.
 */
#ifndef _HC_ROUNDS_H
#define _HC_ROUNDS_H

#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "fabric/frame.h"

/* Segments of a round whose pieces lie apart; a frame has half of a round at most. */
#define HC_ROUND_SEGMENTS	(2 * HC_FRAME_SEGMENTS)
/* The least length of a part whose pieces lie apart, bytes. */
#define HC_APART_MIN		1024U
/* The largest number of parts whose pieces lie apart. */
#define HC_APART_PARTS		64U

/* Do pieces of parts of @bytes bytes lie apart, if the collective allows that? Pieces shorter than
 * @segment / @parts are copied, which costs less.
 */
static inline bool hc_round_apart(u32 segment, u32 parts, u64 bytes)
{
	return parts > 1 && parts <= HC_APART_PARTS && bytes >= HC_APART_MIN &&
	       bytes >= segment / parts && HC_ROUND_SEGMENTS * segment / parts >= HC_APART_MIN;
}

/* Return: the bytes of a piece that lies apart, in a full round. */
static inline u32 hc_round_piece_apart(u32 segment, u32 parts, u32 elem)
{
	return rounddown(min(segment, HC_ROUND_SEGMENTS * segment / parts), elem);
}

/* Return: the bytes of a piece in a full segment; 0: a segment has no room for an element of each
 * part.
 */
static inline u32 hc_round_piece(u32 segment, u32 parts, u32 elem)
{
	return rounddown(segment / parts, elem);
}

/* Return: the bytes of the round at offset @at of @total bytes. */
static inline u32 hc_round_len(u64 total, u64 at, u32 parts, u32 piece)
{
	return min_t(u64, (u64)parts * piece, total - at);
}

struct hc_member;
struct sk_buff;

/**
 * struct hc_deal - the parts that members have for each other: each member has one for each
 * @n: number of members
 * @rank: rank of the member whose parts the process gets
 * @part: bytes of a part
 */
struct hc_deal {
	u32 n;
	u32 rank;
	u64 part;
};

/**
 * hc_deal_narrow() - cut out of a round the pieces of one member's parts (coll/parts.c)
 * @m: the member
 * @skb: pieces that lie at offset @at of what each member has given; consumed
 * @d: the parts, and whose are wanted
 * @at: the offset
 *
 * Return: a frame with the pieces, which may be empty, whose .offset is that in the part; NULL: no
 * memory.
 */
struct sk_buff *hc_deal_narrow(const struct hc_member *m, struct sk_buff *skb,
			       const struct hc_deal *d, u64 at);

#endif /* _HC_ROUNDS_H */
