/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Payloads that consist of pieces in pages of their own, so that frames can be made of the pieces
 * of other frames without copying them (pieces.c). A run is a group of consecutive pieces; the
 * number of pieces in a run is a power of two.
 */
#ifndef _HC_PIECES_H
#define _HC_PIECES_H

#include <linux/skbuff.h>

struct hc_fabric;
struct hc_node;

/* Return: true if the payload of @skb consists of several pieces in pages of their own. */
static inline bool hc_pieces_apart(const struct sk_buff *skb)
{
	return skb_shinfo(skb)->nr_frags > 1;
}

/* Maximum number of fragments in one skb; further fragments are in the skbs of its frag_list. */
#define HC_PIECES_PER_SKB	16U

static_assert(HC_PIECES_PER_SKB <= MAX_SKB_FRAGS);

/**
 * struct hc_piece_iter - iterator over the pieces of a frame
 * @head: the frame
 * @skb: the skb with the last piece that was returned: @head, or one in its frag_list
 * @i: number of fragments of @skb that have been returned
 */
struct hc_piece_iter {
	struct sk_buff *head;
	struct sk_buff *skb;
	u32 i;
};

static inline struct hc_piece_iter hc_pieces_of(const struct sk_buff *head)
{
	return (struct hc_piece_iter){
		.head = (struct sk_buff *)head, .skb = (struct sk_buff *)head,
	};
}

/* Return: the next piece. The caller knows that there is one. */
static inline skb_frag_t *hc_piece_next(struct hc_piece_iter *it)
{
	if (unlikely(it->i == HC_PIECES_PER_SKB)) {
		it->skb = it->skb == it->head ? skb_shinfo(it->head)->frag_list : it->skb->next;
		it->i = 0;
	}
	return &skb_shinfo(it->skb)->frags[it->i++];
}

/**
 * hc_pieces_alloc() - allocate a DATA frame whose payload is in pieces
 * @fabric: the fabric
 * @src: the node that sends it
 * @len: bytes of each piece
 * @n: number of pieces
 * @gfp: flags for the allocation
 *
 * Return: the frame, or NULL: no memory.
 */
struct sk_buff *hc_pieces_alloc(const struct hc_fabric *fabric, u32 src, u32 len, u32 n, gfp_t gfp);

/**
 * hc_pieces_own() - make a frame with the same payload whose pieces may be exchanged for others
 * @node: the node
 * @skb: DATA; consumed
 * @len: bytes of each piece
 * @n: number of pieces
 *
 * Return: @skb, or a copy of it; NULL: no memory.
 */
struct sk_buff *hc_pieces_own(struct hc_node *node, struct sk_buff *skb, u32 len, u32 n);

/**
 * hc_pieces_share() - make a frame that refers to all pieces of another one
 * @node: the node
 * @skb: the other frame
 * @n: number of its pieces
 *
 * Return: the frame, or NULL: no memory.
 */
struct sk_buff *hc_pieces_share(struct hc_node *node, const struct sk_buff *skb, u32 n);

/**
 * hc_pieces_half() - make a frame that refers to every other run of pieces
 * @node: the node
 * @skb: the frame that has the pieces
 * @n: number of its pieces
 * @run: number of pieces in a run
 * @odd: true for the odd runs, false for the even ones
 *
 * Return: the frame, or NULL: no memory.
 */
struct sk_buff *hc_pieces_half(struct hc_node *node, const struct sk_buff *skb, u32 n, u32 run,
			       bool odd);

/**
 * hc_pieces_join() - make a frame that refers to the pieces of two frames, in alternate runs
 * @node: the node
 * @skb: the first frame
 * @in: the second frame
 * @n: number of pieces in each of them
 * @run: number of pieces in a run
 * @odd: true if the pieces of @skb are to be the odd runs, false if they are to be the even ones
 *
 * Return: the frame, or NULL: no memory.
 */
struct sk_buff *hc_pieces_join(struct hc_node *node, const struct sk_buff *skb,
			       const struct sk_buff *in, u32 n, u32 run, bool odd);

/**
 * hc_pieces_swap() - exchange every other run of pieces of a frame for those of another one
 * @skb: the frame
 * @in: the other frame, which has @n / 2 pieces
 * @n: number of pieces of @skb
 * @run: number of pieces in a run
 * @odd: true to exchange the odd runs, false to exchange the even ones
 */
void hc_pieces_swap(struct sk_buff *skb, struct sk_buff *in, u32 n, u32 run, bool odd);

#endif /* _HC_PIECES_H */
