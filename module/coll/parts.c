// SPDX-License-Identifier: GPL-2.0
/*
 * Parts and pieces of results. A result that all members receive may have a part for each of them,
 * in the order of the nodes, of which each process gets its own (hc_coll_ops.own_part). Or it may
 * have a block of each member; then a frame has a piece of each block (coll/chunk.h).
 */
#include "coll/coll.h"
#include "coll/process.h"
#include "coll/chunk.h"

u64 hc_part_bytes(const struct hc_member *m, u64 total)
{
	return div_u64(total, m->plan->nmembers);
}

u32 hc_part_within(const struct hc_member *m, u64 total, u64 at, u32 len, u32 *off)
{
	u64 bytes = hc_part_bytes(m, total);
	u64 begin = max(bytes * m->rank, at);
	u64 end = min(bytes * (m->rank + 1), at + len);

	*off = begin < end ? begin - at : 0;
	return begin < end ? end - begin : 0;
}

bool hc_part_result(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last)
{
	const struct hc_wire_data *w = hc_wire_data_of(skb);
	struct sk_buff *part;
	u32 off, len;

	len = hc_part_within(m, op->result, be64_to_cpu(w->offset),
			     be32_to_cpu(hc_hdr(skb)->len), &off);
	part = len || last ? hc_seg_share(m->node, skb, off, len) : NULL;
	consume_skb(skb);
	if (part) {
		hc_process_result(m, op, part, last);
	} else if (len || last) {
		hc_op_fail(m, op, -ENOMEM, m->node->id);
		return false;
	}
	return true;
}

/* Find those bytes of a range at offset @at that belong to the part for the member of rank
 * @d->rank. Return: their number; *@off is set to their offset within the range.
 */
static u32 deal_within(const struct hc_deal *d, u64 at, u32 len, u32 *off)
{
	u64 begin = max(d->part * d->rank, at), end = min(d->part * (d->rank + 1), at + len);

	*off = begin < end ? begin - at : 0;
	return begin < end ? end - begin : 0;
}

struct sk_buff *hc_deal_narrow(const struct hc_member *m, struct sk_buff *skb,
			       const struct hc_deal *d, u64 at)
{
	u32 piece = be32_to_cpu(hc_hdr(skb)->len) / d->n, off, i;
	u32 len = deal_within(d, at, piece, &off);
	u64 within = len ? at + off - d->part * d->rank : 0;
	struct sk_buff *part = skb;

	if (len < piece) {
		part = hc_seg_alloc(m->node->fabric, m->node->id, d->n * len, GFP_ATOMIC);
		for (i = 0; part && i < d->n; i++)
			memcpy(hc_payload(part) + (size_t)i * len,
			       hc_payload(skb) + (size_t)i * piece + off, len);
		consume_skb(skb);
	}
	if (part)
		hc_wire_data_of(part)->offset = cpu_to_be64(within);
	return part;
}

static bool deal_result(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last)
{
	const struct hc_deal d = {
		.n = m->plan->nmembers, .rank = m->rank, .part = hc_part_bytes(m, op->total),
	};
	u32 len;

	skb = hc_deal_narrow(m, skb, &d,
			     hc_part_bytes(m, be64_to_cpu(hc_wire_data_of(skb)->offset)));
	if (!skb) {
		hc_op_fail(m, op, -ENOMEM, m->node->id);
		return false;
	}
	len = be32_to_cpu(hc_hdr(skb)->len);
	if (!len && !last)
		consume_skb(skb);
	else
		hc_process_result_spread(m, op, skb,
					 be64_to_cpu(hc_wire_data_of(skb)->offset), d.part,
					 len / d.n, last);
	return true;
}

bool hc_result_pass(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last)
{
	if (op->coll->own_part)
		return op->coll->joins ? deal_result(m, op, skb, last) :
					 hc_part_result(m, op, skb, last);
	if (op->coll->joins)
		hc_pieces_result(m, op, skb,
				 hc_part_bytes(m, be64_to_cpu(hc_wire_data_of(skb)->offset)), last);
	else
		hc_process_result(m, op, skb, last);
	return true;
}

void hc_pieces_result(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, u64 at,
		      bool last)
{
	u32 piece = be32_to_cpu(hc_hdr(skb)->len) / m->plan->nmembers;

	hc_process_result_spread(m, op, skb, at, hc_part_bytes(m, op->result), piece, last);
}

u32 hc_part_piece(const struct hc_plan *plan, const struct hc_coll_ops *coll, u64 bytes, u32 elem,
		  bool *apart)
{
	u32 segment = plan->fabric->segment, n = plan->nmembers;

	*apart = coll->apart &&
		 hc_round_apart(segment, n, coll->rounds ? div_u64(bytes, n) : bytes);
	return *apart ? hc_round_piece_apart(segment, n, elem) : hc_round_piece(segment, n, elem);
}
