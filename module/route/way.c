// SPDX-License-Identifier: GPL-2.0
/*
 * Frames on a fixed path.
 *
 * A frame that is ROUTED and FIXED carries its whole path from the beginning, in place of the walk
 * (route.c), and the number of links that it has crossed. Each node sends the frame over the next
 * link of the path. If that link is down, or there is no memory, or a limit is reached, the node
 * drops the frame: no node looks for another path. So frames on one path keep their order, as
 * frames on a link do, and the time for a hop does not depend on the length of the path. If the
 * origin cannot send such a frame, it knows that at once. If a frame is dropped after that, the
 * receiver finds a gap in the numbers of the frames (coll/detour.c).
 *
 * A frame with a forged path does not circle for ever: it crosses no more links than its path has.
 */
#include "compat.h"
#include "fabric/byzantine.h"
#include "fabric/fabric.h"
#include "fabric/frame.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/own.h"
#include "fabric/remote_skb.h"
#include "fabric/skb.h"
#include "hc_topo.h"
#include "route/walk.h"
#include "route/way.h"

/* Return: the number of links of the frame's path. */
static unsigned int way_links(const struct sk_buff *skb)
{
	return be16_to_cpu(hc_hdr(skb)->walk) - HC_WAY_NR_DIMS;
}

/* Return: the dimension of link @i of the frame's path. */
static unsigned int way_dim(const struct sk_buff *skb, unsigned int i)
{
	return hc_walk_get(hc_walk_of(skb), HC_WAY_NR_DIMS + i);
}

/* Send the frame over the next link of its path. Return: 0; -ENOLINK or -ENOBUFS if the frame was
 * dropped.
 */
static int way_forward(struct hc_node *node, unsigned int from, struct sk_buff *skb)
{
	unsigned int hop = be16_to_cpu(hc_hdr(skb)->hop), why;
	unsigned int d = way_dim(skb, hop);

	if (!hc_link_usable(node, d))
		return hc_route_drop(node, from, skb, HYPERCUBE_A_DROP_LINK_DOWN);
	if (!hc_remote_skb_goes_on(node->fabric, skb) || !hc_own_may(node, d, skb))
		return hc_route_drop(node, from, skb, HYPERCUBE_A_DROP_QUEUE_FULL);
	if (skb_cow_head(skb, 0))
		return hc_route_drop(node, from, skb, HYPERCUBE_A_DROP_NO_MEMORY);
	hc_hdr(skb)->hop = cpu_to_be16(hop + 1);
	be32_add_cpu(&hc_hdr(skb)->step, 1);
	why = hc_link_take(node, d, skb);
	return why ? hc_route_drop(node, from, skb, why) : 0;
}

int hc_way_xmit(struct hc_node *node, u32 dst, const u8 *dims, unsigned int n, bool back, u32 nr,
		struct sk_buff *skb)
{
	struct hc_hdr *hdr;
	unsigned int i;

	if (hc_walk_grow(skb, 0, hc_walk_area(HC_WAY_NR_DIMS + n))) {
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_NO_MEMORY);
		return -ENOBUFS;
	}
	put_unaligned_be32(nr, hc_walk_of(skb));
	for (i = 0; i < n; i++)
		hc_walk_put(hc_walk_of(skb), HC_WAY_NR_DIMS + i, dims[back ? n - 1 - i : i]);
	hdr = hc_hdr(skb);
	hdr->src = cpu_to_be16(node->id);
	hdr->dst = cpu_to_be16(dst);
	hdr->flags |= HC_FRAME_F_ROUTED | HC_FRAME_F_FIXED;
	hdr->walk = cpu_to_be16(HC_WAY_NR_DIMS + n);
	hdr->hop = 0;
	return way_forward(node, HC_DIM_HOST, skb);
}

/* Return: true if the path leads from .src to this node, and .dst is this node. */
static bool way_ends_here(const struct hc_node *node, const struct sk_buff *skb)
{
	u32 at = hc_walk_leads(node, skb, HC_WAY_NR_DIMS, be16_to_cpu(hc_hdr(skb)->walk),
			       be16_to_cpu(hc_hdr(skb)->src));

	return at == node->id && at == be16_to_cpu(hc_hdr(skb)->dst);
}

/* Return: true if the frame was received over the link that its path names for this hop, and the
 * path ends at this node or names a valid next link.
 */
static bool route_is_valid(const struct hc_node *node, unsigned int dim, const struct sk_buff *skb)
{
	unsigned int hop = be16_to_cpu(hc_hdr(skb)->hop), n;

	if (be16_to_cpu(hc_hdr(skb)->walk) <= HC_WAY_NR_DIMS)
		return false;
	n = way_links(skb);
	if (n >= node->fabric->topo.nodes || !hop || hop > n || way_dim(skb, hop - 1) != dim)
		return false;
	return hop == n ? way_ends_here(node, skb) : way_dim(skb, hop) < node->fabric->topo.ports;
}

__be32 hc_way_nr(const struct sk_buff *skb)
{
	return cpu_to_be32(get_unaligned_be32(hc_walk_of(skb)));
}

bool hc_way_passes(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	if (!route_is_valid(node, dim, skb)) {
		hc_drop(node, &node->ports[dim], skb, HYPERCUBE_A_DROP_MALFORMED);
		return true;
	}
	if (be16_to_cpu(hc_hdr(skb)->hop) == way_links(skb))
		return false;
	if (hc_frame_is(skb, HC_FT_SAYS))
		skb = hc_byzantine_relay(node, skb, hc_way_end(hc_hdr(skb)) +
					 hc_frame_ops_of(skb)->part);
	way_forward(node, dim, skb);
	return true;
}
