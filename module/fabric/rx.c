// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of frames that are received over links: that the frame is valid and for this node, that
 * the link is up, and that no frame is missing.
 */
#include "fabric/fabric.h"
#include "fabric/frame.h"
#include "fabric/impair.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/rx.h"
#include "fabric/skb.h"
#include "fabric/spent.h"
#include "hc_topo.h"
#include "trace.h"

/* Make the first @len bytes of a frame linear. Return: 0, or the reason to drop the frame: it is
 * too short, or there is no memory.
 */
static unsigned int pull_reason(struct sk_buff *skb, unsigned int len)
{
	if (skb->len < len)
		return HYPERCUBE_A_DROP_MALFORMED;
	return pskb_may_pull(skb, len) ? 0 : HYPERCUBE_A_DROP_NO_MEMORY;
}

/* Check the length of the payload, because receivers limit only the number of frames, not their
 * bytes. A payload that is a bitmap of nodes may be longer than a short segment. The collective
 * checks payloads that are longer than a segment (coll/data_check.c).
 */
static bool payload_is_valid(const struct hc_fabric *fabric, const struct hc_frame_ops *type,
			     const struct hc_hdr *hdr)
{
	if (type->flags & HC_FT_BARE)
		return !hdr->len;
	if (!(type->flags & HC_FT_SEGMENT))
		return true;
	return be32_to_cpu(hdr->len) <=
	       max_t(u32, HC_FRAME_SEGMENTS * fabric->segment, HC_NODES_MAX / 8);
}

/* Check the frame's addresses and flags: that it is for this node or to be forwarded, and that a
 * frame of its type may be sent over this link with these flags. Return: 0 or the reason to drop
 * it.
 */
static unsigned int way_reason(const struct hc_node *node, unsigned int dim,
			       const struct hc_frame_ops *type, const struct hc_hdr *hdr)
{
	u32 nodes = node->fabric->topo.nodes;
	u32 src = be16_to_cpu(hdr->src);
	u32 dst = be16_to_cpu(hdr->dst);

	if (hdr->flags & HC_FRAME_F_FLOOD) {
		if (!(type->flags & HC_FT_FLOODED) || hdr->flags & ~HC_FRAME_F_FLOOD || hdr->walk)
			return HYPERCUBE_A_DROP_MALFORMED;
		return src >= nodes ? HYPERCUBE_A_DROP_FOREIGN : 0;
	}
	if (type->flags & HC_FT_PATH) {
		if (hdr->walk || hdr->flags)
			return HYPERCUBE_A_DROP_MALFORMED;
		return max(src, dst) >= nodes ? HYPERCUBE_A_DROP_FOREIGN : 0;
	}
	/* Only members of plans send frames over a fixed path. */
	if (hdr->flags & HC_FRAME_F_FIXED && (!(hdr->flags & HC_FRAME_F_ROUTED) ||
					      !(type->flags & HC_FT_PLAN)))
		return HYPERCUBE_A_DROP_MALFORMED;
	if (!(hdr->flags & HC_FRAME_F_ROUTED)) {
		if (hdr->walk || !(type->flags & HC_FT_DIRECT))
			return HYPERCUBE_A_DROP_MALFORMED;
		if (src != hc_node_peer(node, dim) || dst != node->id)
			return HYPERCUBE_A_DROP_FOREIGN;
	} else if (!(type->flags & HC_FT_ROUTED)) {
		return HYPERCUBE_A_DROP_MALFORMED;
	} else if (max(src, dst) >= nodes) {
		return HYPERCUBE_A_DROP_FOREIGN;
	}
	return 0;
}

/* Check that the neighbour along @dim may send this frame, whose struct hc_hdr is linear. Another
 * machine may have made the frame, so everything on which the handlers rely is checked here.
 * Return: 0, with *@found set and everything before the payload linear, or the reason to drop the
 * frame.
 */
static unsigned int frame_reason(const struct hc_node *node, unsigned int dim,
				 struct sk_buff *skb, const struct hc_frame_ops **found)
{
	const struct hc_frame_ops *type;
	const struct hc_hdr *hdr;
	unsigned int head, reason;

	hdr = hc_hdr(skb);
	type = hc_frame_ops(hdr->type);
	*found = type;
	if (hdr->version != HC_WIRE_VERSION || !type)
		return HYPERCUBE_A_DROP_MALFORMED;
	if (be32_to_cpu(hdr->fabric) != node->fabric->id)
		return HYPERCUBE_A_DROP_FOREIGN;
	reason = way_reason(node, dim, type, hdr);
	if (reason)
		return reason;
	head = hc_way_end(hdr) + type->part;
	if (skb->len != (u64)head + be32_to_cpu(hdr->len))
		return HYPERCUBE_A_DROP_MALFORMED;
	reason = pull_reason(skb, head);
	if (reason)
		return reason;
	return payload_is_valid(node->fabric, type, hc_hdr(skb)) ? 0 : HYPERCUBE_A_DROP_MALFORMED;
}

/* Check that the node is in service and the link is up. Return: 0 or the reason to drop the frame.
 * Test frames and FAULT words also cross links that DETECT has found silent: DETECT needs them to
 * find that a link works again.
 */
static unsigned int port_reason(const struct hc_node *node, const struct hc_port *port,
				const struct hc_frame_ops *type)
{
	unsigned long flags = READ_ONCE(port->flags);

	if (READ_ONCE(node->failed))
		return HYPERCUBE_A_DROP_NODE_FAILED;
	if (flags & (type->flags & HC_FT_DETECTED ? HC_PORT_CLOSED : HC_PORT_UNUSABLE))
		return HYPERCUBE_A_DROP_LINK_DOWN;
	return 0;
}

static void rx_count(struct hc_node *node, struct hc_port *port, unsigned int len)
{
	u64_stats_update_begin(&node->syncp);
	port->rx_frames++;
	port->rx_bytes += len;
	u64_stats_update_end(&node->syncp);
}

/* A frame is taken for a duplicate if fewer than this number of frames were sent after it. */
#define COPY_LATE	1024

/* Check the frame's sequence number. Frames that the link must deliver are received once and in
 * order, or the link is down. Return: 0, or the reason to drop the frame: it is a duplicate
 * (transports keep the order, so a duplicate is received soon), or a frame before it is missing.
 * After a gap, and over another trunk, the numbers continue from the one of the received frame.
 */
static unsigned int seq_reason(struct hc_node *node, unsigned int dim,
			       const struct hc_frame_ops *type, struct sk_buff *skb)
{
	struct hc_port *port = &node->ports[dim];
	u32 seq = be32_to_cpu(hc_hdr(skb)->seq), last = port->rx_seq;

	if (!(type->flags & HC_FT_SURE))
		return 0;
	if (likely(seq == last + 1) || unlikely(hc_cb(skb)->stream != port->rx_stream)) {
		port->rx_seq = seq;
		port->rx_stream = hc_cb(skb)->stream;
		return 0;
	}
	if (last - seq < COPY_LATE)
		return HYPERCUBE_A_DROP_DUPLICATE;
	port->rx_seq = seq;
	hc_spent_set(node, dim);
	return HYPERCUBE_A_DROP_GAP;
}

/* Check a received frame. Return: 0 with *@found set, or the reason to drop the frame. The sequence
 * number of an invalid frame is recorded, too, so that dropping the frame leaves no gap.
 */
static unsigned int rx_reason(struct hc_node *node, unsigned int dim, struct sk_buff *skb,
			      const struct hc_frame_ops **found)
{
	unsigned int why = pull_reason(skb, sizeof(struct hc_hdr)), again;

	if (why)
		return why;
	if (unlikely(hc_cb(skb)->sealed) && !hc_impair_is_whole(skb))
		return HYPERCUBE_A_DROP_CHECKSUM;
	why = frame_reason(node, dim, skb, found);
	if (!why)
		trace_hc_arrive(node, dim, skb);
	again = *found ? seq_reason(node, dim, *found, skb) : 0;
	return why ?: again;
}

/* Handle a frame that is dropped for lack of memory. If the frame's operation is known, the
 * operation fails. Otherwise there was no memory to read the frame's headers: the link counts as
 * not having delivered the frame, and goes down.
 */
static void memory_lacks(struct hc_node *node, unsigned int dim, const struct hc_frame_ops *type,
			 struct sk_buff *skb)
{
	if (type && type->flags & HC_FT_WHOLE && type->undeliverable &&
	    skb_headlen(skb) >= hc_way_end(hc_hdr(skb)) + type->part)
		type->undeliverable(node, dim, skb, HYPERCUBE_A_DROP_NO_MEMORY);
	else if (!type || type->flags & HC_FT_SURE)
		hc_spent_set(node, dim);
}

const struct hc_frame_ops *hc_rx_check(struct hc_node *node, unsigned int dim,
				       struct sk_buff *skb)
{
	struct hc_port *port = &node->ports[dim];
	const struct hc_frame_ops *type = NULL;
	unsigned int why;

	rx_count(node, port, skb->len);
	why = rx_reason(node, dim, skb, &type);
	if (unlikely(why)) {
		if (why == HYPERCUBE_A_DROP_NO_MEMORY)
			memory_lacks(node, dim, type, skb);
		hc_drop(node, port, skb, why);
		return NULL;
	}
	why = port_reason(node, port, type);
	if (unlikely(why)) {
		if (type->undeliverable)
			type->undeliverable(node, dim, skb, why);
		hc_drop(node, port, skb, why);
		return NULL;
	}
	return type;
}
