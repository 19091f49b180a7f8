/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sending data down from a member, and results of which each member gets a part.
 */
#ifndef _HC_FANOUT_H
#define _HC_FANOUT_H

#include "coll/member.h"

/* --- coll/fanout.c --- */

/**
 * enum hc_ref_kind - where the bytes of a struct hc_seg_ref are
 * @HC_REF_BORROWED: in memory of another owner, which is only read
 * @HC_REF_COPY: in memory of kmalloc() that the reference owns
 * @HC_REF_PAGE: in a page to which the reference owns a reference; other frames may share the page,
 *	so it is not written to any more
 */
enum hc_ref_kind {
	HC_REF_BORROWED,
	HC_REF_COPY,
	HC_REF_PAGE,
};

/**
 * struct hc_seg_ref - a reference to bytes of the payload of a segment
 * @data: the bytes
 * @len: number of bytes
 * @kind: enum hc_ref_kind
 */
struct hc_seg_ref {
	void *data;
	u32 len;
	u8 kind;
};

/**
 * hc_seg_ref() - find where a part of a segment is
 * @skb: the segment
 * @off: offset of the part in the payload
 * @len: bytes of the part
 *
 * Return: the place: HC_REF_PAGE, but without a reference of its own, if the page is to be shared;
 * HC_REF_BORROWED if the bytes are to be copied. If @len is small, the bytes are copied, since the
 * reader is charged for @len bytes only, but would keep the whole page in use.
 */
static inline struct hc_seg_ref hc_seg_ref(const struct sk_buff *skb, u32 off, u32 len)
{
	bool shared = skb_is_nonlinear(skb) &&
		      len > page_size(skb_frag_page(&skb_shinfo(skb)->frags[0])) / 8;

	return (struct hc_seg_ref){
		.data = hc_payload(skb) + off, .len = len,
		.kind = shared ? HC_REF_PAGE : HC_REF_BORROWED,
	};
}

/**
 * hc_ref_frame() - make a DATA frame with the bytes of a reference
 * @node: the node
 * @ref: the reference
 *
 * Return: a frame that shares the page of @ref, or has a copy of its bytes; NULL: no memory.
 */
struct sk_buff *hc_ref_frame(const struct hc_node *node, struct hc_seg_ref ref);

/**
 * hc_seg_share() - make a frame with a part of a segment
 * @node: the node
 * @skb: the segment
 * @off: offset of the part in the payload
 * @len: bytes of the part
 *
 * Return: a frame that refers to the pages of @skb or, if the part is short, has a copy of it; NULL
 * if there is no memory.
 */
struct sk_buff *hc_seg_share(struct hc_node *node, struct sk_buff *skb, u32 off, u32 len);

/**
 * hc_root_may() - check whether the root may pass on the next segment of the result
 * @m: the root
 * @op: the operation
 *
 * Return: false if it must wait (the function has recorded the wait), or if the operation has
 * failed.
 */
bool hc_root_may(struct hc_member *m, struct hc_op *op);

/**
 * hc_root_out() - send a segment of the result down, and pass it to the root's process
 * @m: the root
 * @op: the operation
 * @skb: the segment; consumed
 * @last: the segment is the last one
 *
 * Return: false if the operation is gone.
 */
bool hc_root_out(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last);

/**
 * hc_down_room() - check whether another segment may be sent down to a source
 * @m: the member
 * @op: the operation
 * @i: index of the source
 *
 * Return: true if it may. Also true if no path leads to the source, since nothing is sent to it.
 */
bool hc_down_room(const struct hc_member *m, const struct hc_op *op, unsigned int i);

/**
 * hc_down_send() - send a segment down to one source
 * @m: the member
 * @op: the operation
 * @i: index of the source
 * @skb: the segment, to whose pages the frame refers; consumed unless HC_BLOCKED is returned
 *
 * Return: as hc_coll_ops.down_pass().
 */
enum hc_progress hc_down_send(struct hc_member *m, struct hc_op *op, unsigned int i,
			      struct sk_buff *skb);

/**
 * hc_down_all_may() - check whether all sources that have requested a segment, and the process,
 *	have room for it
 * @m: the member
 * @op: the operation
 * @skb: the segment
 *
 * Return: false if the segment must wait (the function has recorded the wait), or if the operation
 * has failed.
 */
bool hc_down_all_may(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb);

/**
 * hc_down_all_pass() - pass a segment on to all sources that have requested it, and to the process
 * @m: the member
 * @op: the operation
 * @skb: the segment, for which there is room; consumed unless HC_BLOCKED is returned
 * @last: the segment is the last one
 *
 * Return: as hc_coll_ops.down_pass().
 */
enum hc_progress hc_down_all_pass(struct hc_member *m, struct hc_op *op, struct sk_buff *skb,
				  bool last);

/**
 * hc_credit_return() - send CREDIT to a peer, for those of its frames that this member has
 *	processed
 * @m: the member
 * @op: the operation
 * @peer: the peer
 *
 * Return: false if the operation is gone.
 */
bool hc_credit_return(struct hc_member *m, struct hc_op *op, const struct hc_tree_peer *peer);

/**
 * hc_down_advance() - pass on the data of one operation that was received from above
 * @m: the member. At the root of a broadcast the function passes on what the process contributes
 * @op: the operation
 *
 * Return: HC_FINISHED; HC_FAILED; or HC_BLOCKED if the member must wait, or if there is no data to
 * pass on. This function does not record a wait for data.
 */
enum hc_progress hc_down_advance(struct hc_member *m, struct hc_op *op);

/**
 * hc_results_advance() - pass on the results that were received from above, in order of operations
 * @m: the member
 */
void hc_results_advance(struct hc_member *m);

/* --- coll/parts.c --- */

/**
 * hc_part_bytes() - compute the length of one member's part
 * @m: any member
 * @total: bytes of all parts
 *
 * Return: the bytes.
 */
u64 hc_part_bytes(const struct hc_member *m, u64 total);

/**
 * hc_part_within() - find those bytes of a range that belong to the member's part
 * @m: the member
 * @total: bytes of all parts
 * @at: offset of the range
 * @len: length of the range
 * @off: set to the offset of these bytes within the range
 *
 * Return: the number of these bytes.
 */
u32 hc_part_within(const struct hc_member *m, u64 total, u64 at, u32 len, u32 *off);

/**
 * hc_part_result() - pass to the process those bytes of the next segment of the result that belong
 *	to its part
 * @m: the member
 * @op: the operation
 * @skb: the segment; consumed
 * @last: the segment is the last one
 *
 * Return: false if the operation is gone.
 */
bool hc_part_result(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last);

/**
 * hc_result_pass() - pass the next segment of the result to the process, in the form that the
 *	collective's results have
 * @m: the member
 * @op: the operation
 * @skb: the segment; consumed
 * @last: the segment is the last one
 *
 * Return: false if the operation is gone.
 */
bool hc_result_pass(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last);

/**
 * hc_part_piece() - compute the length of each piece in a full round (coll/chunk.h)
 * @plan: the plan
 * @coll: the collective
 * @bytes: bytes that a member contributes to the operation
 * @elem: bytes of an element
 * @apart: set to true if each long piece is in pages of its own
 *
 * Return: the length in bytes; 0 if a segment has no room for an element of each part.
 */
u32 hc_part_piece(const struct hc_plan *plan, const struct hc_coll_ops *coll, u64 bytes, u32 elem,
		  bool *apart);

/**
 * hc_pieces_result() - pass a piece of the block of each member to the process
 * @m: the member
 * @op: the operation
 * @skb: the pieces; consumed
 * @at: offset of the pieces in their blocks
 * @last: the pieces are the last ones
 */
void hc_pieces_result(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, u64 at,
		      bool last);

#endif /* _HC_FANOUT_H */
