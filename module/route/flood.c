// SPDX-License-Identifier: GPL-2.0
/*
 * Flooding: Ethernet frames to everybody.
 *
 * Along a tree.  All nodes with the same knowledge of faults compute the same spanning tree
 * (lsdb.c); a frame that goes along it crosses as many links as there are other nodes, instead
 * of n times as many.  It names what its origin knows, by a digest.  A node passes it on along
 * the tree if it knows the same, if what it knows fits what it sees of its own links, and if
 * these lose nothing.
 *
 * Over all links.  Any other node *spreads* the frame: over all its usable links but the one by
 * which it came; and so does every node that gets a frame that is spread.  A node that has
 * passed on a frame along the tree, and gets it once more, spread, spreads it, too.
 *
 * Every reachable node gets it, if nothing is lost and the links stay as they are.  If no node
 * spreads it, all nodes that it reaches know the same and see nothing else at their own links,
 * so they are the whole component, and the tree spans it.  If some node does, then by induction
 * on the distance from there over usable links every node has spread it: a node's predecessor on
 * a shortest path has, and so sent it to the node or got it from there, spread.  Spreading needs
 * no knowledge of faults but that of the own links.  A frame that is on a link of the tree when
 * the link fails is lost to those behind it.
 *
 * No node gets it twice, if each node knows what it has seen.  It keeps, for each origin, the
 * greatest number seen and a window of the WINDOW_BITS numbers up to it; a number below the
 * window counts as seen.  That loses nothing as long as nothing else is lost: links keep the
 * order, so by the same induction each node sees an origin's frames for the first time in
 * ascending order.  (Unless v has sent frame k to u, u sends it to v before u sees k + 1.)  When
 * links fail and frames take longer ways instead, the window makes up for it.  Numbers are
 * compared modulo 2^32, so a copy must not be overtaken by 2^31 later frames of its origin.
 * What was seen is forgotten a minute or two after the origin fell silent here; no copy waits
 * that long in the queues, which polls keep emptying, nor on a slow link (impair.c).  So a frame
 * with a forged number, which a neighbour on a wire may send in the name of anybody behind it,
 * hides that origin for two minutes at most.
 *
 * Memory: 8 bytes for each origin heard of late, in chunks that are made when one of their
 * origins floods.  A node that gets none for a frame drops it: forgotten frames would
 * circle.
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
/* Origins of a chunk. */
#define CHUNK		64

/**
 * struct hc_flood_seen - which frames of an origin were here
 * @nr: the greatest number
 * @seen: bit i: number @nr - i was here; 0: the origin is forgotten
 * @spread: bit i: it was spread from here
 */
struct hc_flood_seen {
	u32 nr;
	u16 seen;
	u16 spread;
};

/**
 * struct hc_flood_chunk - the same for some origins in a row
 * @heard: bit i: origin i was heard since the last sweep
 * @of: the origins; less than CHUNK if there are no more nodes
 */
struct hc_flood_chunk {
	u64 heard;
	struct hc_flood_seen of[];
};

/* Verdicts of origin_note() on a flooded frame. */
enum seen {
	SEEN_FIRST,	/* it is here for the first time */
	SEEN_TO_SPREAD,	/* it went along the tree, and has to be spread now */
	SEEN_DONE,	/* nothing */
};

/* ------------------------------------------------------------ who has seen what */

static unsigned int chunks(const struct hc_node *node)
{
	return DIV_ROUND_UP(hc_nodes(node->fabric->dim), CHUNK);
}

static unsigned int origins(const struct hc_node *node)
{
	return min_t(u32, hc_nodes(node->fabric->dim), CHUNK);
}

static size_t chunk_size(const struct hc_node *node)
{
	return struct_size_t(struct hc_flood_chunk, of, origins(node));
}

static void chunk_free(struct hc_node *node, unsigned int i)
{
	hc_poll_free(node->fabric, node->flood.seen[i], chunk_size(node));
	node->flood.seen[i] = NULL;
}

/* True: none of its origins is remembered any more. */
static bool chunk_sweep(struct hc_flood_chunk *chunk, unsigned int size, bool all)
{
	bool empty = true;
	unsigned int i;

	for (i = 0; i < size; i++) {
		if (all || !(chunk->heard & BIT_ULL(i)))
			chunk->of[i].seen = 0;
		empty &= !chunk->of[i].seen;
	}
	chunk->heard = 0;
	return empty;
}

static void seen_sweep(struct hc_node *node)
{
	unsigned long silence = jiffies - node->flood.swept;
	unsigned int i;

	if (likely(silence < SWEEP_PERIOD))
		return;
	for (i = 0; i < chunks(node); i++)
		if (node->flood.seen[i] && chunk_sweep(node->flood.seen[i], origins(node),
						       silence >= 2 * SWEEP_PERIOD))
			chunk_free(node, i);
	node->flood.swept = jiffies;
}

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

/* Frame @nr of node @src is here, and is to be spread or not.  Notes that it was. */
static enum seen seen_note(struct hc_node *node, u32 src, u32 nr, bool spread)
{
	struct hc_flood_chunk **chunk = &node->flood.seen[src / CHUNK];
	enum seen what;

	if (!*chunk)
		*chunk = hc_poll_alloc(node->fabric, chunk_size(node));
	if (!*chunk) {
		hc_drop_count(node, NULL, HYPERCUBE_A_DROP_NO_MEMORY);
		return SEEN_DONE;
	}
	what = origin_note(&(*chunk)->of[src % CHUNK], nr, spread);
	/* Old numbers do not keep an origin from being forgotten. */
	if (what != SEEN_DONE)
		(*chunk)->heard |= BIT_ULL(src % CHUNK);
	return what;
}

int hc_flood_init(struct hc_node *node)
{
	node->flood.swept = jiffies;
	node->flood.seen = kcalloc(chunks(node), sizeof(*node->flood.seen), GFP_KERNEL_ACCOUNT);
	return node->flood.seen ? 0 : -ENOMEM;
}

void hc_flood_exit(struct hc_node *node)
{
	unsigned int i;

	for (i = 0; node->flood.seen && i < chunks(node); i++)
		chunk_free(node, i);
	kfree(node->flood.seen);
}

/* ------------------------------------------------------------ copies */

/* The header may be changed: clones of the frame have gone their own ways. */
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

/* Copies over the links of @edges but @from; @skb stays the caller's. */
static void pass_on(struct hc_node *node, unsigned int from, u32 edges, struct sk_buff *skb)
{
	unsigned int d;

	for (d = 0; d < node->fabric->dim; d++)
		if (d != from && edges & hc_bit(d) && hc_link_usable(node, d)) {
			copy_send(node, d, skb);
			node->spent++;
		}
}

/* @tree: what the tree is named, see hc_lsdb_tree(); 0: the frame is spread. */
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
	hc_wire_flood_of(skb)->nr = cpu_to_be32(++node->flood.nr);
	if (seen_note(node, node->id, node->flood.nr, !tree) != SEEN_DONE)
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
