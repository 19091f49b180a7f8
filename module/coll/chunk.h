/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contributions that have a part for each member are sent in rounds: each segment has a piece of
 * every part, all of one length, in the order of the parts. So no more than a segment is in flight,
 * however long the parts are, and a segment can be halved by the members that its pieces are for. A
 * result that has the blocks of all members is sent in rounds, too: each segment has a piece of
 * every member's block.
 *
 * Long pieces lie apart, that is, in pages of their own (coll/pieces.c), if the collective allows
 * that. A round is then HC_ROUND_SEGMENTS segments long, since no piece is copied.
 */
#ifndef _HC_CHUNK_H
#define _HC_CHUNK_H

#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "fabric/frame.h"

/* Segments in a round whose pieces lie apart; a frame has at most half a round. */
#define HC_ROUND_SEGMENTS	(2 * HC_FRAME_SEGMENTS)
/* The least length in bytes of a part whose pieces lie apart. */
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

/* Return: the size in bytes of a piece that lies apart, in a full round. */
static inline u32 hc_round_piece_apart(u32 segment, u32 parts, u32 elem)
{
	return rounddown(min(segment, HC_ROUND_SEGMENTS * segment / parts), elem);
}

/* Return: the size in bytes of a piece in a full segment; 0 if a segment has no room for an element
 * of each part.
 */
static inline u32 hc_round_piece(u32 segment, u32 parts, u32 elem)
{
	return rounddown(segment / parts, elem);
}

/* Return: the size in bytes of the round at offset @at of @total bytes. */
static inline u32 hc_round_len(u64 total, u64 at, u32 parts, u32 piece)
{
	return min_t(u64, (u64)parts * piece, total - at);
}

struct hc_member;
struct sk_buff;

/**
 * struct hc_deal - contributions that have a part for each member
 * @n: number of members
 * @rank: rank of the member for which the wanted parts are
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
 * @skb: pieces at offset @at of each member's contribution; consumed
 * @d: the contributions, and the member for which the wanted parts are
 * @at: the offset
 *
 * Return: a frame with the pieces, which may be empty; its .offset is the offset in the part. NULL
 * if there is no memory.
 */
struct sk_buff *hc_deal_narrow(const struct hc_member *m, struct sk_buff *skb,
			       const struct hc_deal *d, u64 at);

#endif /* _HC_CHUNK_H */
