// SPDX-License-Identifier: GPL-2.0
/*
 * Parts: what comes to all members has a part for each, in the order of the nodes, and the
 * process is given its own (hc_coll_ops.own_part).  Or a block of each, a piece of all of them at a
 * time (coll/rounds.h).
 */
#include "coll/coll.h"
#include "sock/result.h"

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
		hc_sock_result(m, op, part, last);
	} else if (len || last) {
		hc_op_fail(m, op, -ENOMEM, m->node->id);
		return false;
	}
	return true;
}

void hc_pieces_result(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, u64 at,
		      bool last)
{
	u32 piece = be32_to_cpu(hc_hdr(skb)->len) / m->plan->nmembers;

	hc_sock_result_spread(m, op, skb, at, hc_part_bytes(m, op->result), piece, last);
}
