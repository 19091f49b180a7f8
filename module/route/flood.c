// SPDX-License-Identifier: GPL-2.0
/*
 * Flooding: Ethernet frames to all reachable nodes.
 *
 * Along a tree. All nodes with the same knowledge of faults compute the same spanning tree
 * (lsdb.c). A frame that is sent along the tree crosses one link for each node except its origin,
 * instead of up to n links for each node. It carries a digest of the faults that its origin knows.
 * A node forwards it along the tree if three conditions hold: the node knows the same faults, these
 * agree with the state of the node's own links, and the node's links in the tree lose no frames.
 *
 * Over all links. Any other node *spreads* the frame: it sends the frame, marked as spread, over
 * all its usable links except the one over which it received the frame. Every node that receives a
 * frame with this mark spreads it, too, even if it has forwarded that frame along the tree before.
 *
 * Every reachable node receives the frame, if no frame is lost and the links do not change. If no
 * node spreads the frame, all nodes that the frame reaches know the same faults, and their own
 * links agree with these faults. So these nodes are the whole component, and the tree spans it. If
 * some node v spreads the frame, then every node spreads it, by induction on the distance from v
 * over usable links: the predecessor of node u on a shortest path from v has spread the frame. So
 * the predecessor has either sent the frame to u, marked as spread, or received it from u with this
 * mark. To spread a frame, a node needs to know only the state of its own links. If a link of the
 * tree fails while a frame is on it, the frame is lost to the nodes behind the link.
 *
 * No node delivers the frame twice, because each node records which frames it has received. For
 * each origin it records the greatest number received, and for each of the WINDOW_BITS numbers up
 * to that whether it was received; all numbers below this window count as received. If no frame is
 * lost, this drops no frame by mistake: links keep the order, so by the same induction each node
 * receives an origin's frames for the first time in ascending order. (Unless v has sent frame k to
 * u, u sends it to v before u receives k + 1.) If links fail, and frames take longer paths and
 * arrive out of order, the window still accepts them.
 *
 * Numbers are compared modulo 2^32, so 2^31 frames of an origin must not overtake a copy of an
 * earlier frame. The numbers of an origin are forgotten a minute or two after its last frame at
 * this node. No copy waits that long in the queues, which polls keep emptying, nor on a slow link
 * (impair.c). If a neighbour on another machine sends a frame with a forged number, and names as
 * its origin a node behind that neighbour, frames of this origin are dropped for two minutes at
 * most.
 *
 * Memory: 8 bytes for each origin with a recent frame, in chunks of CHUNK origins, which are
 * allocated when one of their origins floods. A node that cannot allocate a chunk drops the frame:
 * if nodes forwarded frames without recording them, frames would circle.
 */
#include <linux/jiffies.h>

#include "fabric/fabric.h"
#include "fabric/limits.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "hc_topo.h"
#include "route/flood.h"
#include "route/lsdb.h"

#define WINDOW_BITS	16
#define SWEEP_PERIOD	(60 * HZ)
/* Number of origins in one struct hc_flood_chunk. */
#define CHUNK		64

/**
 * struct hc_flood_seen - which frames of an origin the node has received
 * @nr: the greatest number of a frame received
 * @seen: bit i: frame @nr - i was received; 0: the origin is forgotten
 * @spread: bit i: the node has spread frame @nr - i
 */
struct hc_flood_seen {
	u32 nr;
	u16 seen;
	u16 spread;
};

/**
 * struct hc_flood_chunk - which frames of CHUNK consecutive origins the node has received
 * @received: bit i: a new frame of origin i of the chunk was received since the last sweep
 * @of: an entry for each origin; fewer than CHUNK entries if the fabric has fewer nodes
 */
struct hc_flood_chunk {
	u64 received;
	struct hc_flood_seen of[];
};

/* Results of origin_note(): what the node must do with a flooded frame. */
enum seen {
	SEEN_FIRST,	/* the frame is received for the first time: deliver and forward it */
	SEEN_TO_SPREAD,	/* the node has forwarded the frame along the tree: now spread it */
	SEEN_DONE,	/* there is nothing to do */
};

/* ------------------------------------------------------------ received numbers */

static unsigned int chunks(const struct hc_node *node)
{
	return DIV_ROUND_UP(node->fabric->topo.nodes, CHUNK);
}

static unsigned int origins(const struct hc_node *node)
{
	return min_t(u32, node->fabric->topo.nodes, CHUNK);
}

static size_t chunk_size(const struct hc_node *node)
{
	return struct_size_t(struct hc_flood_chunk, of, origins(node));
}

static void chunk_free(struct hc_node *node, unsigned int i)
{
	hc_poll_free(node->fabric, node->flood->seen[i], chunk_size(node));
	node->flood->seen[i] = NULL;
}

/* Forget the origins of @chunk from which no new frame was received since the last sweep; if @all,
 * forget all origins. @size: number of origins in the chunk. Return: true if no origin is left.
 */
static bool chunk_sweep(struct hc_flood_chunk *chunk, unsigned int size, bool all)
{
	bool empty = true;
	unsigned int i;

	for (i = 0; i < size; i++) {
		if (all || !(chunk->received & BIT_ULL(i)))
			chunk->of[i].seen = 0;
		empty &= !chunk->of[i].seen;
	}
	chunk->received = 0;
	return empty;
}

static void seen_sweep(struct hc_node *node)
{
	unsigned long silence = jiffies - node->flood->swept;
	unsigned int i;

	if (likely(silence < SWEEP_PERIOD))
		return;
	for (i = 0; i < chunks(node); i++)
		if (node->flood->seen[i] && chunk_sweep(node->flood->seen[i], origins(node),
							silence >= 2 * SWEEP_PERIOD))
			chunk_free(node, i);
	node->flood->swept = jiffies;
}

/* Record frame @nr of an origin, which was received or is this node's own. @spread: the frame is to
 * be spread. Return: what the node must do with the frame.
 */
static enum seen origin_note(struct hc_flood_seen *s, u32 nr, bool spread)
{
	u32 ahead = nr - s->nr, behind = -ahead;

	if (!s->seen || (s32)ahead > 0) {
		bool known = s->seen && ahead < WINDOW_BITS;

		s->seen = (known ? s->seen << ahead : 0) | BIT(0);
		s->spread = (known ? s->spread << ahead : 0) | (spread ? BIT(0) : 0);
		s->nr = nr;
		return SEEN_FIRST;
	}
	if (behind >= WINDOW_BITS)
		return SEEN_DONE;
	if (s->seen & BIT(behind) && (!spread || s->spread & BIT(behind)))
		return SEEN_DONE;
	s->spread |= spread ? BIT(behind) : 0;
	if (s->seen & BIT(behind))
		return SEEN_TO_SPREAD;
	s->seen |= BIT(behind);
	return SEEN_FIRST;
}

/* Do origin_note() for frame @nr of node @src. Without memory the result is SEEN_DONE. */
static enum seen seen_note(struct hc_node *node, u32 src, u32 nr, bool spread)
{
	struct hc_flood_chunk **chunk = &node->flood->seen[src / CHUNK];
	enum seen what;

	if (!*chunk)
		*chunk = hc_poll_alloc(node->fabric, chunk_size(node));
	if (!*chunk) {
		hc_drop_count(node, NULL, HYPERCUBE_A_DROP_NO_MEMORY);
		return SEEN_DONE;
	}
	what = origin_note(&(*chunk)->of[src % CHUNK], nr, spread);
	/* A frame with which there is nothing to do does not keep its origin from being forgotten.
	 */
	if (what != SEEN_DONE)
		(*chunk)->received |= BIT_ULL(src % CHUNK);
	return what;
}

int hc_flood_init(struct hc_node *node)
{
	node->flood->swept = jiffies;
	node->flood->seen = kcalloc(chunks(node), sizeof(*node->flood->seen), GFP_KERNEL_ACCOUNT);
	return node->flood->seen ? 0 : -ENOMEM;
}

void hc_flood_exit(struct hc_node *node)
{
	unsigned int i;

	for (i = 0; node->flood->seen && i < chunks(node); i++)
		chunk_free(node, i);
	kfree(node->flood->seen);
}

/* ------------------------------------------------------------ copies */

/* Make the header writable, since clones of the frame may be in flight. Return: false if there is
 * no memory.
 */
static bool own_header(struct hc_node *node, struct sk_buff *skb)
{
	if (!skb_cow_head(skb, 0))
		return true;
	hc_drop_count(node, NULL, HYPERCUBE_A_DROP_NO_MEMORY);
	return false;
}

static void copy_send(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	struct sk_buff *copy = skb_clone(skb, GFP_ATOMIC);

	if (copy)
		hc_link_send(node, dim, copy);
	else
		hc_drop_count(node, NULL, HYPERCUBE_A_DROP_NO_MEMORY);
}

/* Send copies over the usable links in mask @edges, except @from. The caller still owns @skb. */
static void pass_on(struct hc_node *node, unsigned int from, u32 edges, struct sk_buff *skb)
{
	unsigned int d;

	for (d = 0; d < node->fabric->topo.ports; d++)
		if (d != from && edges & hc_bit(d) && hc_link_usable(node, d)) {
			copy_send(node, d, skb);
			node->spent++;
		}
}

/* Send copies of the frame along the tree with digest @tree: over the links in mask @edges, see
 * hc_lsdb_tree(). If @tree is 0, spread the frame. No copy is sent over link @from.
 */
static void flood(struct hc_node *node, unsigned int from, u32 tree, u32 edges,
		  struct sk_buff *skb)
{
	if (!own_header(node, skb))
		return;
	be32_add_cpu(&hc_hdr(skb)->step, 1);
	hc_wire_flood_of(skb)->tree = cpu_to_be32(tree);
	pass_on(node, from, tree ? edges : ~0U, skb);
}

/* ------------------------------------------------------------ poll */

void hc_flood_start(struct hc_node *node, struct sk_buff *skb)
{
	u32 edges, tree = hc_lsdb_tree(node, node->id, &edges);

	seen_sweep(node);
	hc_wire_flood_of(skb)->nr = cpu_to_be32(++node->flood->nr);
	if (seen_note(node, node->id, node->flood->nr, !tree) != SEEN_DONE)
		flood(node, HC_DIM_HOST, tree, edges, skb);
	consume_skb(skb);
}

bool hc_flood_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	const struct hc_wire_flood *w = hc_wire_flood_of(skb);
	u32 src = be16_to_cpu(hc_hdr(skb)->src), tree = be32_to_cpu(w->tree), edges = 0;
	enum seen what;

	seen_sweep(node);
	if (tree && tree != hc_lsdb_tree(node, src, &edges))
		tree = 0;
	what = seen_note(node, src, be32_to_cpu(w->nr), !tree);
	if (what != SEEN_DONE)
		flood(node, dim, tree, edges, skb);
	return what == SEEN_FIRST;
}
