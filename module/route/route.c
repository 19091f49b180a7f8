// SPDX-License-Identifier: GPL-2.0
/*
 * Fault-tolerant unicast: depth-first search by a single frame.
 *
 * A ROUTED frame carries its walk: the dimensions of the links it has crossed
 * since its origin, those of backtracking included, four bits each, the first
 * in the high half of a byte, in an area of hc_walk_area() bytes behind the
 * header.  A node that gets the frame replays the walk from .src; so it knows
 * which nodes the frame has visited, and its own parent: the node from which the
 * frame came here first.  It decides from that, from its own links, and from
 * its neighbours' FAULT words as hints:
 *
 *  0. to the neighbour, if not visited, on a shortest path as far as known (lsdb.c);
 *  1. to a neighbour not visited that is nearer to the destination, first those
 *     that have, as far as we have heard, a way to go even nearer;
 *  2. to a neighbour not visited that is farther away, in the same order;
 *  3. back to the parent;
 *  4. at the origin, which has none: there is no path.  Drop.
 *
 * Why this is right.  Call a hop of kind 0 to 2 a step forward.  It leads to a
 * node that the walk does not contain, so each node but the origin is entered
 * by at most one step forward, and left by at most one step back, to its parent.
 * Hence the walk ends after at most 2 * (2^n - 1) hops; a longer one is forged
 * and dropped, so no frame can circle for ever, whoever made it.  While links
 * stay as they are the walk is the depth-first traversal of the component of
 * healthy links that holds the origin: step 3 leaves a node only when all its
 * healthy links lead to visited ones, so when step 4 is reached all nodes of the
 * component have been visited.  The destination ends the walk at its first
 * visit.  So the frame is delivered if and only if there is a healthy path; and
 * as there is always just one copy of it, never twice.
 * If links fail meanwhile the frame may be dropped although another path is
 * left (no way back from where it is); who waits for it asks again.
 *
 * The proof does not care in which order neighbours are tried.  So step 0 can only
 * make the walk shorter; when all that nodes know has settled, it makes it shortest.
 *
 * The replay takes time in proportion to the walk, so a search to the bitter end
 * through k nodes takes O(k^2); walks around scattered faults have few hops more
 * than the distance.
 */
#include <linux/bitmap.h>
#include <linux/list.h>

#include "coll/rx.h"
#include "fabric/eth.h"
#include "fabric/fabric.h"
#include "fabric/far.h"
#include "fabric/frame.h"
#include "fabric/lie.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/own.h"
#include "fabric/skb.h"
#include "hc_topo.h"
#include "route/route.h"
#include "route/lsdb.h"
#include "route/walk.h"
#include "route/way.h"

#define NO_DIM		(-1)
#define RANK_BEST	4	/* step 1, and known to lead on */
#define HOPS_OF_A_FRAME	256	/* hops whose replay takes as long as a frame does */

struct walk {
	DECLARE_BITMAP(visited, HC_NODES_MAX);
	int parent;	/* dimension towards the parent, or NO_DIM at the origin */
};

/* Not __test_and_set_bit(): BTS with an index in memory is slow, and this is
 * the one loop whose length grows with the walk.
 */
static bool visit(struct walk *w, u32 u)
{
	unsigned long *word = &w->visited[BIT_WORD(u)];
	unsigned long old = *word;

	*word = old | BIT_MASK(u);
	return !(old & BIT_MASK(u));
}

/* False if the walk is none that leads here. */
static bool walk_replay(const struct hc_node *node, const struct sk_buff *skb, struct walk *w)
{
	const struct hc_hdr *hdr = hc_hdr(skb);
	unsigned int n = be16_to_cpu(hdr->walk);
	unsigned int dim = node->fabric->dim;
	u32 at = be16_to_cpu(hdr->src);
	unsigned int i, d;

	if (n >= 2 * hc_nodes(dim))
		return false;
	bitmap_zero(w->visited, hc_nodes(dim));
	visit(w, at);
	w->parent = NO_DIM;
	for (i = 0; i < n; i++) {
		d = hc_walk_get(hc_walk_of(skb), i);
		if (d >= dim)
			return false;
		at = hc_neigh(at, d);
		if (visit(w, at) && at == node->id)
			w->parent = d;
	}
	return at == node->id;
}

/* As far as we know, can the neighbour along @d go on towards @dst? */
static bool leads_on(const struct hc_node *node, const struct walk *w, unsigned int d, u32 dst)
{
	u32 v = hc_neigh(node->id, d);
	u32 ways = (v ^ dst) & ~READ_ONCE(node->nb_fault[d]);
	unsigned int e;

	if (v == dst)
		return true;
	for (e = 0; e < node->fabric->dim; e++)
		if (ways & hc_bit(e) && !test_bit(hc_neigh(v, e), w->visited))
			return true;
	return false;
}

/* The dimension to go, steps 0 to 3, or NO_DIM. */
static int next_dim(struct hc_node *node, const struct walk *w, u32 dst)
{
	int best = hc_lsdb_hop(node, dst);
	int best_rank = 0;
	unsigned int d;

	if (best >= 0 && hc_link_usable(node, best) &&
	    !test_bit(hc_neigh(node->id, best), w->visited))
		return best;
	best = NO_DIM;

	for (d = 0; d < node->fabric->dim; d++) {
		int rank;

		if (!hc_link_usable(node, d) || test_bit(hc_neigh(node->id, d), w->visited))
			continue;
		rank = (node->id ^ dst) & hc_bit(d) ? RANK_BEST - 1 : 1;
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

int hc_walk_grow(struct sk_buff *skb, unsigned int old, unsigned int grow)
{
	int err;

	/* Room for more than is needed now, lest each growth copies the frame. */
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

/* Append @dim to the walk: once in 32 hops its area grows. */
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

/* Was the link that the frame came over its last hop? Then the neighbour there, or somebody
 * behind it, vouches for the walk.
 */
static bool walk_came_by(const struct sk_buff *skb, unsigned int dim)
{
	unsigned int n = be16_to_cpu(hc_hdr(skb)->walk);

	return n && hc_walk_get(hc_walk_of(skb), n - 1) == dim;
}

/* Does the walk lead here from another node? */
static bool walk_ends_here(const struct hc_node *node, const struct sk_buff *skb)
{
	const struct hc_hdr *hdr = hc_hdr(skb);
	unsigned int n = be16_to_cpu(hdr->walk);
	u32 at = be16_to_cpu(hdr->src);
	unsigned int i;

	if (n >= 2 * hc_nodes(node->fabric->dim) || at == node->id)
		return false;
	for (i = 0; i < n; i++)
		at ^= hc_bit(hc_walk_get(hc_walk_of(skb), i));
	return at == node->id;
}

int hc_route_drop(struct hc_node *node, unsigned int from, struct sk_buff *skb, unsigned int why)
{
	const struct hc_frame_ops *type = hc_frame_ops_of(skb);

	if (type->undeliverable)
		type->undeliverable(node, from, skb, why);
	hc_drop(node, NULL, skb, why);
	return hc_link_errno(why);
}

/* NULL: no memory for a header of its own. */
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

/* Its number on the detour takes the place of that on the link. */
static struct sk_buff *way_strip(struct hc_node *node, unsigned int from, struct sk_buff *skb)
{
	__be32 nr = hc_way_nr(skb);

	hc_far_arrived(skb);
	skb = walk_strip(node, from, skb);
	if (!skb)
		return NULL;
	hc_hdr(skb)->walk = hc_hdr(skb)->hop;
	hc_hdr(skb)->seq = nr;
	return skb;
}

/* @from: the dimension the frame came by, or HC_DIM_HOST */
static int route_forward(struct hc_node *node, unsigned int from, struct sk_buff *skb)
{
	struct hc_hdr *hdr = hc_hdr(skb);
	unsigned int why;
	struct walk w;
	int d;

	node->spent += be16_to_cpu(hdr->walk) / HOPS_OF_A_FRAME;
	if (!walk_replay(node, skb, &w)) {
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_MALFORMED);
		return -ENOLINK;
	}
	d = next_dim(node, &w, be16_to_cpu(hdr->dst));
	if (d == NO_DIM)
		return hc_route_drop(node, from, skb, HYPERCUBE_A_DROP_NO_ROUTE);
	if (!hc_far_goes_on(node->fabric, skb) || !hc_own_may(node, d, skb))
		return hc_route_drop(node, from, skb, HYPERCUBE_A_DROP_QUEUE_FULL);
	if (walk_append(skb, d))
		return hc_route_drop(node, from, skb, HYPERCUBE_A_DROP_NO_MEMORY);
	hdr = hc_hdr(skb);
	if (test_bit(hc_neigh(node->id, d), w.visited))
		hdr->flags |= HC_FRAME_F_BACK;
	else
		hdr->flags &= ~HC_FRAME_F_BACK;
	be32_add_cpu(&hdr->step, 1);
	/* If the link fails behind this, the other end drops the frame and knows what to do about
	 * it.
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
	if (dst == node->id || dst >= hc_nodes(node->fabric->dim)) {
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
			skb = hc_lie(node, skb, hc_way_end(hc_hdr(skb)) +
				     hc_frame_ops_of(skb)->part);
		route_forward(node, dim, skb);
		return NULL;
	}
	hc_far_arrived(skb);
	/* The stack has no use for our header, wherever it ends. */
	return hc_frame_is(skb, HC_FT_WALK) ? skb : walk_strip(node, dim, skb);
}

/* ------------------------------------------------------------ paths */

void hc_paths_init(struct hc_paths *paths)
{
	spin_lock_init(&paths->lock);
	INIT_LIST_HEAD(&paths->list);
}

static struct hc_path *path_find(struct hc_fabric *fabric, const struct hc_hdr *hdr)
{
	struct hc_path *p;

	list_for_each_entry(p, &fabric->paths.list, list)
		if (p->src == be16_to_cpu(hdr->src) && p->dst == be16_to_cpu(hdr->dst))
			return p;
	return NULL;
}

static void path_over(struct hc_node *node, const struct sk_buff *skb, bool arrived)
{
	struct hc_fabric *fabric = node->fabric;
	const struct hc_hdr *hdr = hc_hdr(skb);
	struct hc_path *p;
	unsigned int i;

	spin_lock_bh(&fabric->paths.lock);
	/* One that was given up may arrive late. */
	p = path_find(fabric, hdr);
	if (p && be16_to_cpu(hdr->walk) < 2 * hc_nodes(fabric->dim)) {
		p->status = arrived ? be16_to_cpu(hdr->walk) : -ENOLINK;
		for (i = 0; arrived && i < be16_to_cpu(hdr->walk); i++)
			p->walk[i] = hc_walk_get(hc_walk_of(skb), i);
		list_del_init(&p->list);
	}
	spin_unlock_bh(&fabric->paths.lock);
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
	spin_lock_bh(&fabric->paths.lock);
	list_add_tail(&p->list, &fabric->paths.list);
	spin_unlock_bh(&fabric->paths.lock);
	hc_eth_host_add(node, skb);
	return 0;
}

bool hc_path_over(struct hc_fabric *fabric, const struct hc_path *p)
{
	bool over;

	spin_lock_bh(&fabric->paths.lock);
	over = list_empty(&p->list);
	spin_unlock_bh(&fabric->paths.lock);
	return over;
}

void hc_path_end(struct hc_fabric *fabric, struct hc_path *p)
{
	spin_lock_bh(&fabric->paths.lock);
	list_del_init(&p->list);
	spin_unlock_bh(&fabric->paths.lock);
}
