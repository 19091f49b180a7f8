// SPDX-License-Identifier: GPL-2.0
/*
 * Fault-tolerant unicast: depth-first search by a single frame.
 *
 * A ROUTED frame carries its walk: the dimensions of the links that it has crossed since its
 * origin, steps back included, in an area of hc_walk_area() bytes behind the header. A dimension
 * takes four bits; the first of two dimensions is in the high half of a byte. A node that receives
 * the frame replays the walk from .src. So it knows which nodes the frame has visited, and its own
 * parent: the node from which it has received the frame for the first time. From that, from the
 * state of its own links, and from its neighbours' FAULT words as hints, it decides what to do with
 * the frame. It takes the first of these steps that is possible:
 *
 *  0. send it to the next node of a shortest path, as far as known (lsdb.c), if it is not visited;
 *  1. send it to a neighbour not visited that is nearer to the destination; prefer neighbours
 *     that have, as far as this node knows, a link that leads even nearer;
 *  2. send it to a neighbour not visited that is farther from the destination, with the same
 *     preference;
 *  3. send it back to the parent;
 *  4. drop it: this is the origin, which has no parent, and there is no path.
 *
 * Why this is right. Call a hop of step 0 to 2 a step forward. It leads to a node that the walk
 * does not contain, so each node but the origin is entered by at most one step forward, and left by
 * at most one step back, to its parent. Hence the walk ends after at most 2 * (2^n - 1) hops. A
 * longer walk is forged, and its frame is dropped: so not even a forged frame can circle for ever.
 * As long as links do not change, the walk is the depth-first traversal of the component of healthy
 * links that contains the origin: step 3 leaves a node only when all its healthy links lead to
 * visited nodes, so when step 4 is reached all nodes of the component have been visited. The walk
 * ends when it first visits the destination. So the frame is delivered if and only if there is a
 * healthy path; and as there is always just one copy of the frame, it is never delivered twice. If
 * links fail during the walk, the frame may be dropped although another path exists, because the
 * link to the parent may be down. A sender that waits for an answer then sends the frame again.
 *
 * The proof does not depend on the order in which neighbours are tried. So step 0 affects only the
 * length of the walk: when the databases of all nodes have converged, it makes the walk a shortest
 * one.
 *
 * The replay takes time in proportion to the length of the walk, so an exhaustive search through k
 * nodes takes O(k^2). Walks around scattered faults have few hops more than the distance.
 *
 * A walk need not be replayed if each of its hops has changed a different one of the bits in which
 * the origin and the destination differ. Such a walk is recognised by its length: it has as many
 * hops as there are bits in which the origin and this node differ, and in each of these bits this
 * node agrees with the destination. The nodes of the walk are at distances 0, 1, .. from the
 * origin, and this node has the greatest distance. A neighbour that is nearer to the destination
 * has a still greater distance from the origin, so the walk has not visited it: step 0 and the
 * preferred case of step 1 need not check that. A forged walk may have the length of such a walk
 * without being one. Its frame then gets nearer to the destination by one with each hop, so at most
 * n nodes forward it without a replay, and it is dropped at a node that replays the walk, or at the
 * destination.
 */
#include <linux/bitmap.h>
#include <linux/list.h>

#include "fabric/byzantine.h"
#include "fabric/fabric.h"
#include "fabric/frame.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/own.h"
#include "fabric/remote_skb.h"
#include "fabric/skb.h"
#include "hc_topo.h"
#include "route/eth.h"
#include "route/lsdb.h"
#include "route/route.h"
#include "route/walk.h"
#include "route/way.h"

#define NO_DIM		(-1)
#define RANK_BEST	4	/* rank of the neighbours that step 1 prefers */
#define HOPS_OF_A_FRAME	256	/* replaying this many hops takes as long as processing a frame */

struct walk {
	DECLARE_BITMAP(visited, HC_NODES_MAX);	/* nodes that the walk contains */
	int parent;	/* dimension towards the parent, or NO_DIM at the origin */
};

/* Record that the walk contains node @u. Return: true if @u was not recorded before. This does not
 * use __test_and_set_bit(), because the instruction BTS is slow on a bitmap in memory, and the loop
 * of the only caller is as long as the walk.
 */
static bool visit(struct walk *w, u32 u)
{
	unsigned long *word = &w->visited[BIT_WORD(u)];
	unsigned long old = *word;

	*word = old | BIT_MASK(u);
	return !(old & BIT_MASK(u));
}

/* Replay the walk. Return: false if the walk is invalid, or does not lead to this node. */
static bool walk_replay(const struct hc_node *node, const struct sk_buff *skb, struct walk *w)
{
	const struct hc_hdr *hdr = hc_hdr(skb);
	unsigned int n = be16_to_cpu(hdr->walk);
	const struct hc_topo *topo = &node->fabric->topo;
	u32 at = be16_to_cpu(hdr->src);
	unsigned int i, d;

	if (n >= 2 * topo->nodes)
		return false;
	bitmap_zero(w->visited, topo->nodes);
	visit(w, at);
	w->parent = NO_DIM;
	for (i = 0; i < n; i++) {
		d = hc_walk_get(hc_walk_of(skb), i);
		if (d >= topo->ports)
			return false;
		at = hc_peer(topo, at, d);
		if (visit(w, at) && at == node->id)
			w->parent = d;
	}
	return at == node->id;
}

/* Return: mask of the ports of node @u that lead nearer to node @dst. In a network other than a
 * cube distances are not known, so all ports are included.
 */
static u32 nearer(const struct hc_topo *topo, u32 u, u32 dst)
{
	return topo->peers ? hc_ports(topo, u) : u ^ dst;
}

/* Return: true if the neighbour along @d is @dst, or if, as far as this node knows, the neighbour
 * has a usable link that leads nearer to @dst, to a node that is not visited.
 */
static bool leads_on(const struct hc_node *node, const struct walk *w, unsigned int d, u32 dst)
{
	const struct hc_topo *topo = &node->fabric->topo;
	u32 v = hc_node_peer(node, d);
	u32 ways = nearer(topo, v, dst) & ~READ_ONCE(node->nb_fault[d]);
	unsigned int e;

	if (v == dst)
		return true;
	for (e = 0; e < node->fabric->topo.ports; e++)
		if (ways & hc_bit(e) && !test_bit(hc_peer(topo, v, e), w->visited))
			return true;
	return false;
}

/* Return: the dimension along which steps 0 to 3 send the frame, or NO_DIM. */
static int next_dim(struct hc_node *node, const struct walk *w, u32 dst)
{
	int best = hc_lsdb_hop(node, dst);
	u32 near = nearer(&node->fabric->topo, node->id, dst);
	int best_rank = 0;
	unsigned int d;

	if (best >= 0 && hc_link_usable(node, best) &&
	    !test_bit(hc_node_peer(node, best), w->visited))
		return best;
	best = NO_DIM;

	for (d = 0; d < node->fabric->topo.ports; d++) {
		int rank;

		if (!hc_link_usable(node, d) || test_bit(hc_node_peer(node, d), w->visited))
			continue;
		rank = near & hc_bit(d) ? RANK_BEST - 1 : 1;
		if (leads_on(node, w, d, dst))
			rank++;
		if (rank == RANK_BEST)
			return d;
		if (rank > best_rank) {
			best = d;
			best_rank = rank;
		}
	}
	if (best == NO_DIM && w->parent != NO_DIM && hc_link_usable(node, w->parent))
		return w->parent;
	return best;
}

u32 hc_walk_leads(const struct hc_node *node, const struct sk_buff *skb, unsigned int i,
		  unsigned int end, u32 at)
{
	const struct hc_topo *topo = &node->fabric->topo;

	for (; i < end; i++) {
		unsigned int d = hc_walk_get(hc_walk_of(skb), i);

		if (d >= topo->ports)
			return topo->nodes;
		at = hc_peer(topo, at, d);
	}
	return at;
}

int hc_walk_grow(struct sk_buff *skb, unsigned int old, unsigned int grow)
{
	int err;

	/* Allocate more headroom than is needed now, so that the next growths need not copy the
	 * frame.
	 */
	if (grow && skb_headroom(skb) < grow)
		err = pskb_expand_head(skb, ALIGN(grow + old, 64), 0, GFP_ATOMIC);
	else
		err = skb_cow_head(skb, 0);
	if (!err && grow) {
		u8 *head = skb_push(skb, grow);

		memmove(head, head + grow, sizeof(struct hc_hdr) + old);
		memset(hc_walk_of(skb) + old, 0, grow);
	}
	return err;
}

/* Append @dim to the walk, whose area grows once in 32 hops. Return: 0 or -ENOMEM. */
static int walk_append(struct sk_buff *skb, unsigned int dim)
{
	unsigned int n = be16_to_cpu(hc_hdr(skb)->walk), old = hc_walk_area(n);
	int err = hc_walk_grow(skb, old, hc_walk_area(n + 1) - old);

	if (err)
		return err;
	hc_walk_put(hc_walk_of(skb), n, dim);
	hc_hdr(skb)->walk = cpu_to_be16(n + 1);
	return 0;
}

/* Return: true if the last hop of the walk is the link over which the frame was received. If the
 * walk is forged nevertheless, the neighbour along @dim has forged it, or a node behind that
 * neighbour.
 */
static bool walk_came_by(const struct sk_buff *skb, unsigned int dim)
{
	unsigned int n = be16_to_cpu(hc_hdr(skb)->walk);

	return n && hc_walk_get(hc_walk_of(skb), n - 1) == dim;
}

/* Return: true if the walk leads from another node to this node. */
static bool walk_ends_here(const struct hc_node *node, const struct sk_buff *skb)
{
	const struct hc_hdr *hdr = hc_hdr(skb);
	unsigned int n = be16_to_cpu(hdr->walk);
	u32 at = be16_to_cpu(hdr->src);

	return n < 2 * node->fabric->topo.nodes && at != node->id &&
	       hc_walk_leads(node, skb, 0, n, at) == node->id;
}

int hc_route_drop(struct hc_node *node, unsigned int from, struct sk_buff *skb, unsigned int why)
{
	const struct hc_frame_ops *type = hc_frame_ops_of(skb);

	if (type->undeliverable)
		type->undeliverable(node, from, skb, why);
	hc_drop(node, NULL, skb, why);
	return hc_link_errno(why);
}

/* Remove the walk from between the header and the type's header. Return: the frame, or NULL if
 * there was no memory to make its header writable; the frame was then dropped.
 */
static struct sk_buff *walk_strip(struct hc_node *node, unsigned int from, struct sk_buff *skb)
{
	unsigned int area = hc_walk_area(be16_to_cpu(hc_hdr(skb)->walk));

	if (skb_cow_head(skb, 0)) {
		hc_route_drop(node, from, skb, HYPERCUBE_A_DROP_NO_MEMORY);
		return NULL;
	}
	memmove(skb->data + area, skb->data, sizeof(struct hc_hdr));
	__skb_pull(skb, area);
	return skb;
}

/* Do walk_strip() for a FIXED frame. In .seq, the frame's number on its path replaces its number on
 * the link.
 */
static struct sk_buff *way_strip(struct hc_node *node, unsigned int from, struct sk_buff *skb)
{
	__be32 nr = hc_way_nr(skb);

	hc_remote_skb_arrived(skb);
	skb = walk_strip(node, from, skb);
	if (!skb)
		return NULL;
	hc_hdr(skb)->walk = hc_hdr(skb)->hop;
	hc_hdr(skb)->seq = nr;
	return skb;
}

/* Find the next dimension without a replay of the walk: see the top of this file. Return: a
 * dimension that leads nearer to the destination, if each hop of the walk has done so, too, and if
 * the neighbour there is the destination or has a link that leads further. Otherwise, and in any
 * network other than a cube, NO_DIM: the walk must be replayed.
 */
static int nearer_dim(struct hc_node *node, const struct hc_hdr *hdr)
{
	u32 come = be16_to_cpu(hdr->src) ^ node->id;
	u32 dst = be16_to_cpu(hdr->dst);
	u32 left = node->id ^ dst, rest;
	int d;

	if (node->fabric->topo.peers || come & left || be16_to_cpu(hdr->walk) != hweight32(come))
		return NO_DIM;
	d = hc_lsdb_hop(node, dst);
	if (d >= 0)
		return left & hc_bit(d) && hc_link_usable(node, d) ? d : NO_DIM;
	for (rest = left; rest; rest &= rest - 1) {
		d = __ffs(rest);
		if (hc_link_usable(node, d) &&
		    (left == hc_bit(d) || left & ~hc_bit(d) & ~READ_ONCE(node->nb_fault[d])))
			return d;
	}
	return NO_DIM;
}

/* Set *@dim to the dimension along which the frame is to be sent, or to NO_DIM if there is none.
 * Set *@back if this dimension leads to a node that the walk has visited. Return: false if the
 * frame's walk is invalid.
 */
static bool dim_find(struct hc_node *node, const struct sk_buff *skb, int *dim, bool *back)
{
	const struct hc_hdr *hdr = hc_hdr(skb);
	struct walk w;

	*back = false;
	*dim = nearer_dim(node, hdr);
	if (*dim != NO_DIM)
		return true;
	if (!walk_replay(node, skb, &w))
		return false;
	*dim = next_dim(node, &w, be16_to_cpu(hdr->dst));
	*back = *dim != NO_DIM && test_bit(hc_node_peer(node, *dim), w.visited);
	return true;
}

/* Send the frame over its next link. @from: dimension of the link over which it was received, or
 * HC_DIM_HOST. Return: 0; -ENOLINK or -ENOBUFS if the frame was dropped.
 */
static int route_forward(struct hc_node *node, unsigned int from, struct sk_buff *skb)
{
	struct hc_hdr *hdr = hc_hdr(skb);
	unsigned int why;
	bool back;
	int d;

	node->spent += be16_to_cpu(hdr->walk) / HOPS_OF_A_FRAME;
	if (!dim_find(node, skb, &d, &back)) {
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_MALFORMED);
		return -ENOLINK;
	}
	if (d == NO_DIM)
		return hc_route_drop(node, from, skb, HYPERCUBE_A_DROP_NO_ROUTE);
	if (!hc_remote_skb_goes_on(node->fabric, skb) || !hc_own_may(node, d, skb))
		return hc_route_drop(node, from, skb, HYPERCUBE_A_DROP_QUEUE_FULL);
	if (walk_append(skb, d))
		return hc_route_drop(node, from, skb, HYPERCUBE_A_DROP_NO_MEMORY);
	hdr = hc_hdr(skb);
	if (back)
		hdr->flags |= HC_FRAME_F_BACK;
	else
		hdr->flags &= ~HC_FRAME_F_BACK;
	be32_add_cpu(&hdr->step, 1);
	/* dim_find() has found the link usable. If the link has failed since then, the other end
	 * drops the frame and handles it as undeliverable.
	 */
	why = hc_link_take(node, d, skb);
	return why ? hc_route_drop(node, from, skb, why) : 0;
}

int hc_route_xmit(struct hc_node *node, u32 dst, struct sk_buff *skb)
{
	struct hc_hdr *hdr;

	if (skb_cow_head(skb, 0)) {
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_NO_MEMORY);
		return -ENOBUFS;
	}
	if (dst == node->id || dst >= node->fabric->topo.nodes) {
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_MALFORMED);
		return -ENOLINK;
	}
	hdr = hc_hdr(skb);
	hdr->src = cpu_to_be16(node->id);
	hdr->dst = cpu_to_be16(dst);
	hdr->flags |= HC_FRAME_F_ROUTED;
	hdr->flags &= ~HC_FRAME_F_FIXED;
	hdr->walk = 0;
	return route_forward(node, HC_DIM_HOST, skb);
}

struct sk_buff *hc_route_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	bool here = be16_to_cpu(hc_hdr(skb)->dst) == node->id;

	if (hc_hdr(skb)->flags & HC_FRAME_F_FIXED)
		return hc_way_passes(node, dim, skb) ? NULL : way_strip(node, dim, skb);
	if (!walk_came_by(skb, dim) || (here && !walk_ends_here(node, skb))) {
		hc_drop(node, &node->ports[dim], skb, HYPERCUBE_A_DROP_MALFORMED);
		return NULL;
	}
	if (!here) {
		if (hc_frame_is(skb, HC_FT_SAYS))
			skb = hc_byzantine_relay(node, skb, hc_way_end(hc_hdr(skb)) +
						 hc_frame_ops_of(skb)->part);
		route_forward(node, dim, skb);
		return NULL;
	}
	hc_remote_skb_arrived(skb);
	/* Frames for the IP stack keep the walk: deliver() removes all headers at once, so nothing
	 * is gained by removing the walk here.
	 */
	return hc_frame_is(skb, HC_FT_WALK) ? skb : walk_strip(node, dim, skb);
}

/* ------------------------------------------------------------ paths */

void hc_paths_init(struct hc_paths *paths)
{
	spin_lock_init(&paths->lock);
	INIT_LIST_HEAD(&paths->list);
}

/* Return: the request that waits for a PATH frame with header @hdr, or NULL. */
static struct hc_path *path_find(struct hc_fabric *fabric, const struct hc_hdr *hdr)
{
	struct hc_path *p;

	list_for_each_entry(p, &fabric->paths->list, list)
		if (p->src == be16_to_cpu(hdr->src) && p->dst == be16_to_cpu(hdr->dst))
			return p;
	return NULL;
}

/* Complete the request that waits for PATH frame @skb, if there is one. @arrived: the frame has
 * reached its destination; else it has found no path.
 */
static void path_over(struct hc_node *node, const struct sk_buff *skb, bool arrived)
{
	struct hc_fabric *fabric = node->fabric;
	const struct hc_hdr *hdr = hc_hdr(skb);
	struct hc_path *p;
	unsigned int i;

	spin_lock_bh(&fabric->paths->lock);
	/* A request that was cancelled while its frame was under way is not found. */
	p = path_find(fabric, hdr);
	if (p && be16_to_cpu(hdr->walk) < 2 * fabric->topo.nodes) {
		p->status = arrived ? be16_to_cpu(hdr->walk) : -ENOLINK;
		for (i = 0; arrived && i < be16_to_cpu(hdr->walk); i++)
			p->walk[i] = hc_walk_get(hc_walk_of(skb), i);
		list_del_init(&p->list);
	}
	spin_unlock_bh(&fabric->paths->lock);
}

void hc_path_arrived(struct hc_node *node, const struct sk_buff *skb)
{
	path_over(node, skb, true);
}

void hc_path_lost(struct hc_node *node, const struct sk_buff *skb)
{
	path_over(node, skb, false);
}

int hc_path_begin(struct hc_fabric *fabric, struct hc_path *p)
{
	struct hc_node *node = fabric->nodes[p->src];
	struct sk_buff *skb;

	lockdep_assert_held(&fabric->lock);
	skb = hc_frame_alloc(node, HC_FRAME_PATH, 0, GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	hc_hdr(skb)->dst = cpu_to_be16(p->dst);
	spin_lock_bh(&fabric->paths->lock);
	list_add_tail(&p->list, &fabric->paths->list);
	spin_unlock_bh(&fabric->paths->lock);
	hc_eth_host_add(node, skb);
	return 0;
}

bool hc_path_over(struct hc_fabric *fabric, const struct hc_path *p)
{
	bool over;

	spin_lock_bh(&fabric->paths->lock);
	over = list_empty(&p->list);
	spin_unlock_bh(&fabric->paths->lock);
	return over;
}

void hc_path_end(struct hc_fabric *fabric, struct hc_path *p)
{
	spin_lock_bh(&fabric->paths->lock);
	list_del_init(&p->list);
	spin_unlock_bh(&fabric->paths->lock);
}
