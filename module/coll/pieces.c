// SPDX-License-Identifier: GPL-2.0
/*
 * Payloads that consist of pieces in pages of their own.
 *
 * Each piece is a fragment of the skb, in pages of its own. If a frame has pieces of another frame,
 * it refers to the same pages. After the process has filled these pages, they are not written to
 * any more. A page is freed with the last frame that refers to it.
 *
 * An skb has HC_PIECES_PER_SKB fragments at most. Further fragments are in the skbs of its
 * frag_list, all of which except the last are full.
 *
 * A received frame may have another form: frames from a trunk have other pages, a Byzantine node
 * has copied the frame that it has corrupted, and a packet tap may share the frame (skb_cloned()).
 * Such a frame is copied here.
 */
#include <linux/mm.h>

#include "coll/coll.h"
#include "coll/pieces.h"
#include "fabric/fabric.h"
#include "fabric/node.h"
#include "fabric/skb.h"

/* Append @frag, which may be a piece of another frame, to a frame that is being made. */
static void piece_share(struct hc_piece_iter *to, skb_frag_t *frag)
{
	get_page(skb_frag_page(frag));
	*hc_piece_next(to) = *frag;
	skb_shinfo(to->skb)->nr_frags = to->i;
}

/* Allocate a frame that has space for @n fragments and has none yet. */
static struct sk_buff *shell_alloc(const struct hc_fabric *fabric, u32 src, u32 n, gfp_t gfp)
{
	struct sk_buff *head = hc_frame_make(fabric, src, HC_FRAME_DATA, 0, gfp);
	struct sk_buff **end;

	if (!head)
		return NULL;
	for (end = &skb_shinfo(head)->frag_list; n > HC_PIECES_PER_SKB; n -= HC_PIECES_PER_SKB) {
		*end = alloc_skb(0, gfp);
		if (!*end) {
			kfree_skb(head);
			return NULL;
		}
		head->truesize += (*end)->truesize;
		end = &(*end)->next;
	}
	return head;
}

/* Add the lengths of the pieces in @skb, of @len bytes each, to those of @skb and, if @skb is in
 * the frag_list of @head, to those of @head.
 */
static void payload_count(struct sk_buff *head, struct sk_buff *skb, u32 len)
{
	u32 n = skb_shinfo(skb)->nr_frags;

	skb->len += n * len;
	skb->data_len += n * len;
	skb->truesize += n * (PAGE_SIZE << get_order(len));
	if (skb == head)
		return;
	head->len += n * len;
	head->data_len += n * len;
	head->truesize += n * (PAGE_SIZE << get_order(len));
}

/* Set the lengths of a frame to which all pieces have been appended. */
static struct sk_buff *shell_filled(struct sk_buff *head)
{
	u32 len = skb_frag_size(&skb_shinfo(head)->frags[0]);
	struct sk_buff *more;

	payload_count(head, head, len);
	skb_walk_frags(head, more)
		payload_count(head, more, len);
	hc_hdr(head)->len = cpu_to_be32(head->data_len);
	return head;
}

struct sk_buff *hc_pieces_alloc(const struct hc_fabric *fabric, u32 src, u32 len, u32 n, gfp_t gfp)
{
	struct sk_buff *skb = shell_alloc(fabric, src, n, gfp);
	struct hc_piece_iter to;

	if (!skb)
		return NULL;
	for (to = hc_pieces_of(skb); n; n--) {
		struct page *page = alloc_pages(gfp | __GFP_COMP | __GFP_NOWARN, get_order(len));

		if (!page) {
			kfree_skb(skb);
			return NULL;
		}
		hc_piece_next(&to);
		skb_fill_page_desc(to.skb, to.i - 1, page, 0, len);
	}
	return shell_filled(skb);
}

/* Return: true if the frame consists of @n pieces of @len bytes, and no other code refers to its
 * skbs, so that its pieces may be replaced by others. (Its pages may be shared.)
 */
static bool pieces_ours(const struct sk_buff *head, u32 len, u32 n)
{
	struct hc_piece_iter it = hc_pieces_of(head);
	const struct sk_buff *more;
	u32 left = n;

	if (head->data_len != (u64)n * len || skb_cloned(head) ||
	    skb_shinfo(head)->nr_frags != min(left, HC_PIECES_PER_SKB))
		return false;
	left -= skb_shinfo(head)->nr_frags;
	skb_walk_frags(head, more) {
		if (skb_shared(more) || skb_cloned(more) || skb_headlen(more) || !left ||
		    skb_shinfo(more)->nr_frags != min(left, HC_PIECES_PER_SKB))
			return false;
		left -= skb_shinfo(more)->nr_frags;
	}
	while (!left && n && skb_frag_size(hc_piece_next(&it)) == len)
		n--;
	return !n;
}

/* Copy the payload of @skb into the @n pieces of @to, of @len bytes each. */
static void pieces_fill(struct sk_buff *to, const struct sk_buff *skb, u32 len, u32 n)
{
	struct hc_piece_iter it = hc_pieces_of(to);
	u32 k;

	for (k = 0; k < n; k++)
		skb_copy_bits(skb, HC_DATA_HEAD + k * len,
			      skb_frag_address(hc_piece_next(&it)), len);
}

struct sk_buff *hc_pieces_own(struct hc_node *node, struct sk_buff *skb, u32 len, u32 n)
{
	struct sk_buff *copy;

	if (pieces_ours(skb, len, n))
		return skb;
	copy = hc_pieces_alloc(node->fabric, node->id, len, n, GFP_ATOMIC);
	if (copy) {
		memcpy(copy->data, skb->data, HC_DATA_HEAD);
		pieces_fill(copy, skb, len, n);
	}
	consume_skb(skb);
	return copy;
}

struct sk_buff *hc_pieces_share(struct hc_node *node, const struct sk_buff *skb, u32 n)
{
	struct sk_buff *all = shell_alloc(node->fabric, node->id, n, GFP_ATOMIC);
	struct hc_piece_iter from = hc_pieces_of(skb), to;

	if (!all)
		return NULL;
	for (to = hc_pieces_of(all); n; n--)
		piece_share(&to, hc_piece_next(&from));
	return shell_filled(all);
}

/* Return: true if piece @k is in an odd run. @run: number of pieces in a run, a power of two. */
static bool in_odd(u32 k, u32 run)
{
	return k & run;
}

struct sk_buff *hc_pieces_half(struct hc_node *node, const struct sk_buff *skb, u32 n, u32 run,
			       bool odd)
{
	struct sk_buff *half = shell_alloc(node->fabric, node->id, n / 2, GFP_ATOMIC);
	struct hc_piece_iter from = hc_pieces_of(skb), to = hc_pieces_of(half);
	u32 k;

	if (!half)
		return NULL;
	for (k = 0; k < n; k++) {
		skb_frag_t *frag = hc_piece_next(&from);

		if (in_odd(k, run) == odd)
			piece_share(&to, frag);
	}
	return shell_filled(half);
}

struct sk_buff *hc_pieces_join(struct hc_node *node, const struct sk_buff *skb,
			       const struct sk_buff *in, u32 n, u32 run, bool odd)
{
	struct sk_buff *both = shell_alloc(node->fabric, node->id, 2 * n, GFP_ATOMIC);
	struct hc_piece_iter from = hc_pieces_of(skb), from_in = hc_pieces_of(in);
	struct hc_piece_iter to = hc_pieces_of(both);
	u32 k;

	if (!both)
		return NULL;
	for (k = 0; k < 2 * n; k++)
		piece_share(&to, hc_piece_next(in_odd(k, run) == odd ? &from : &from_in));
	return shell_filled(both);
}

void hc_pieces_swap(struct sk_buff *skb, struct sk_buff *in, u32 n, u32 run, bool odd)
{
	struct hc_piece_iter to = hc_pieces_of(skb), from = hc_pieces_of(in);
	u32 k;

	for (k = 0; k < n; k++) {
		skb_frag_t *frag = hc_piece_next(&to), *other;

		if (in_odd(k, run) != odd)
			continue;
		other = hc_piece_next(&from);
		swap(*frag, *other);
	}
}
