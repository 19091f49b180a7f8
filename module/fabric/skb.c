// SPDX-License-Identifier: GPL-2.0
/*
 * Frames: allocation, and drops for a named reason.
 */
#include <linux/sched/mm.h>
#include <net/sock.h>

#include "fabric/fabric.h"
#include "fabric/frame.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/own.h"
#include "fabric/remote_skb.h"
#include "fabric/skb.h"
#include "trace.h"

void hc_frame_push(const struct hc_fabric *fabric, u32 src, u8 type, u8 flags,
		   struct sk_buff *skb)
{
	unsigned int head = sizeof(struct hc_hdr) + hc_frame_types[type].part;
	u32 len = skb->len;
	struct hc_hdr *hdr;

	if (flags & HC_FRAME_F_FLOOD)
		head += sizeof(struct hc_wire_flood);
	hdr = skb_push(skb, head);
	memset(hdr, 0, head);
	hdr->version = HC_WIRE_VERSION;
	hdr->type = type;
	hdr->flags = flags;
	hdr->fabric = cpu_to_be32(fabric->id);
	hdr->src = cpu_to_be16(src);
	hdr->len = cpu_to_be32(len);
}

struct sk_buff *hc_frame_make(const struct hc_fabric *fabric, u32 src, u8 type, u32 len,
			      gfp_t gfp)
{
	/* HC_HEADROOM only aligns the payload. A short payload that fits into these additional
	 * bytes is not aligned: the frame then takes half of the memory. A frame without payload
	 * takes no more memory with all of HC_HEADROOM.
	 */
	bool fits = len && len <= HC_HEADROOM - HC_LEAST_HEADROOM;
	unsigned int room = fits ? HC_LEAST_HEADROOM : HC_HEADROOM;
	struct sk_buff *skb = alloc_skb(room + len, gfp);

	if (!skb)
		return NULL;
	skb_reserve(skb, room);
	skb_put(skb, len);
	hc_frame_push(fabric, src, type, 0, skb);
	return skb;
}

struct sk_buff *hc_frame_alloc(const struct hc_node *node, u8 type, u32 len, gfp_t gfp)
{
	struct mem_cgroup *old = set_active_memcg(node->fabric->memcg);
	struct sk_buff *skb = hc_frame_make(node->fabric, node->id, type, len, gfp | __GFP_ACCOUNT);

	set_active_memcg(old);
	return skb;
}

struct sk_buff *hc_frame_copy(const struct sk_buff *skb)
{
	struct sk_buff *copy = skb_copy(skb, GFP_ATOMIC | __GFP_NOWARN);

	if (copy && skb->sk && skb->destructor == sock_wfree) {
		skb_set_owner_w(copy, skb->sk);
	} else if (copy && hc_remote_skb_is(skb) &&
		   !hc_remote_skb_charge(hc_remote_skb_fabric(skb), copy)) {
		kfree_skb(copy);
		return NULL;
	} else if (copy) {
		hc_own_charge_copy(skb, copy);
	}
	return copy;
}

static void drop_count_reason(struct hc_node *node, struct hc_port *port, unsigned int reason)
{
	atomic64_inc(port ? &port->drops[reason] : &node->drops[reason]);
	trace_hc_drop(node, port, reason);
}

void hc_drop_count(struct hc_node *node, struct hc_port *port, unsigned int reason)
{
	atomic64_inc(&node->eth.rx_dropped);
	drop_count_reason(node, port, reason);
}

void hc_drop_sent(struct hc_node *node, struct sk_buff *skb, unsigned int reason)
{
	atomic64_inc(&node->eth.tx_dropped);
	drop_count_reason(node, NULL, reason);
	kfree_skb(skb);
}

void hc_drop(struct hc_node *node, struct hc_port *port, struct sk_buff *skb,
	     unsigned int reason)
{
	hc_drop_count(node, port, reason);
	kfree_skb(skb);
}

void hc_drop_all(struct hc_node *node, struct sk_buff_head *queue)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(queue)))
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_TEARDOWN);
}

u64 hc_drops(const struct hc_node *node, unsigned int reason)
{
	u64 n = atomic64_read(&node->drops[reason]);
	unsigned int d;

	for (d = 0; d < node->fabric->topo.ports; d++)
		n += atomic64_read(&node->ports[d].drops[reason]);
	return n;
}
