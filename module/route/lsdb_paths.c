// SPDX-License-Identifier: GPL-2.0
/*
 * Link-state database: first hops, reachable nodes and spanning trees, computed from the entries
 * that lsdb.c keeps.
 *
 * From its database a node finds the first hop of a shortest path to each destination, by
 * breadth-first search from itself over the links that neither end reports as faulty. The table of
 * first hops is computed when a frame needs it after a change. route.c sends frames over the first
 * hop if it can. When all nodes have converged, each hop reduces the distance to the destination in
 * the faulty cube by one, so the walk of a frame is a shortest path. Until then the walk is no
 * worse than a depth-first search in some order. In a cube that never had a fault there are no
 * entries and no tables, because the depth-first search takes a direct path. In a network other
 * than a cube there are always tables, because node numbers do not determine distances.
 *
 * Flooded frames are sent along a spanning tree (flood.c). In a cube with no known fault each
 * origin has a tree of its own. Otherwise there is one tree for all origins: a breadth-first tree
 * whose root is the lowest node of the component. The parent of each node is the neighbour along
 * the lowest dimension that leads nearer to the root. Nodes that know the same FAULT words compute
 * the same tree. It is computed when a flooded frame needs it after a change.
 */
#include <linux/slab.h>

#include "fabric/fabric.h"
#include "fabric/impair.h"
#include "fabric/limits.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "hc_bfs.h"
#include "hc_topo.h"
#include "route/lsdb.h"

/* Number of nodes that a search visits in the time that processing a frame takes. */
#define NODES_OF_A_FRAME	64

/* ------------------------------------------------------------ shortest paths */

/* Prepare @b, which uses the memory @room, for a search over the links that neither end reports as
 * faulty.
 */
static void search_init(struct hc_bfs *b, const struct hc_node *node, void *room)
{
	unsigned int i;

	hc_bfs_init(b, &node->fabric->topo, room);
	for (i = 0; i < node->lsdb->n; i++)
		if (node->lsdb->list[i].node != node->id)
			hc_bfs_fault(b, node->lsdb->list[i].node, node->lsdb->list[i].word);
	hc_bfs_fault(b, node->id, node->fault);
}

/* Compute the table of first hops. Return: false if there is no memory; the table then stays stale,
 * and is not used.
 */
static bool hops_compute(struct hc_node *node)
{
	size_t size = hc_bfs_room(&node->fabric->topo);
	u32 n = node->fabric->topo.nodes;
	struct hc_bfs b;
	void *room;

	if (!node->lsdb->hops)
		node->lsdb->hops = hc_poll_alloc(node->fabric, n);
	room = node->lsdb->hops ? kmalloc(size, GFP_ATOMIC | __GFP_NOWARN) : NULL;
	if (!room)
		return false;
	search_init(&b, node, room);
	hc_bfs_run(&b, node->id, node->lsdb->hops, NULL);
	kfree(room);
	node->spent += n / NODES_OF_A_FRAME;
	node->lsdb->hops_stale = false;
	return true;
}

int hc_lsdb_hop(struct hc_node *node, u32 dst)
{
	if ((!node->lsdb->n && !node->fabric->topo.peers) ||
	    (node->lsdb->hops_stale && !hops_compute(node)) ||
	    node->lsdb->hops[dst] == HC_BFS_NO_HOP)
		return -1;
	return node->lsdb->hops[dst];
}

bool hc_lsdb_cut(struct hc_node *node, u32 dst)
{
	return dst != node->id && hc_lsdb_hop(node, dst) < 0 && node->lsdb->n &&
	       !node->lsdb->hops_stale;
}

/* Find the nodes that can be reached, as far as @node knows the faults. *@n is set to their number;
 * @b->queue has their numbers. Return: the memory of @b, which the caller must free after use, or
 * NULL if there is no memory.
 */
static void *search(struct hc_bfs *b, struct hc_node *node, u32 *n)
{
	void *room = kmalloc(hc_bfs_room(&node->fabric->topo), GFP_ATOMIC | __GFP_NOWARN);

	if (!room)
		return NULL;
	search_init(b, node, room);
	*n = hc_bfs_run(b, node->id, NULL, NULL);
	node->spent += node->fabric->topo.nodes / NODES_OF_A_FRAME;
	return room;
}

bool hc_lsdb_reach(struct hc_node *node, u32 *set)
{
	struct hc_bfs b;
	u32 n;
	void *room = search(&b, node, &n);

	if (!room)
		return false;
	while (n--)
		hc_set_add(set, b.queue[n]);
	kfree(room);
	return true;
}

/* Return: true if each link of node @u that the FAULT word of a neighbour reports as faulty is
 * faulty in @u's own FAULT word @word, too.
 */
static bool words_agree(const struct hc_bfs *b, u32 u, u32 word)
{
	unsigned int d;

	for (d = 0; d < b->topo.ports; d++)
		if (hc_port_exists(&b->topo, u, d) && !(word & hc_bit(d)) && !hc_bfs_good(b, u, d))
			return false;
	return true;
}

bool hc_lsdb_agrees(struct hc_node *node)
{
	struct hc_bfs b;
	u32 n;
	void *room = search(&b, node, &n);

	if (!room)
		return false;
	while (n && words_agree(&b, b.queue[n - 1], hc_lsdb_word(node, b.queue[n - 1])))
		n--;
	kfree(room);
	return !n;
}

/* ------------------------------------------------------------ spanning trees */

/* Return: the dimension of the link from node @u to its parent in the tree: the lowest dimension
 * that leads nearer to the root. @dist: distances of all nodes from the root.
 */
static unsigned int tree_parent(const struct hc_bfs *b, const u16 *dist, u32 u)
{
	unsigned int d;

	for (d = 0; d < b->topo.ports; d++)
		if (hc_bfs_good(b, u, d) && dist[hc_peer(&b->topo, u, d)] + 1 == dist[u])
			break;
	return d;
}

/* Return: the lowest node of the component of node @self. */
static u32 component_lowest(struct hc_bfs *b, u32 self)
{
	u32 n = hc_bfs_run(b, self, NULL, NULL);

	while (n--)
		self = min_t(u32, self, b->queue[n]);
	return self;
}

/* Set @dist to the distances of all nodes from the tree's root, the lowest node of the component of
 * @self. In most cases the root is node 0, so one search is enough.
 */
static void tree_search(struct hc_bfs *b, u16 *dist, u32 self)
{
	hc_bfs_run(b, 0, NULL, dist);
	if (dist[self] == HC_BFS_FAR)
		hc_bfs_run(b, component_lowest(b, self), NULL, dist);
}

/* Return: mask of the links of node @self that are in the tree. @dist: memory for tree_search(). */
static u32 tree_links(struct hc_bfs *b, u16 *dist, u32 self)
{
	unsigned int d;
	u32 links = 0;

	tree_search(b, dist, self);
	for (d = 0; d < b->topo.ports; d++) {
		u32 v = hc_peer(&b->topo, self, d);

		if (hc_bfs_good(b, self, d) &&
		    (tree_parent(b, dist, self) == d || (dist[v] == dist[self] + 1 &&
							 tree_parent(b, dist, v) == d)))
			links |= hc_bit(d);
	}
	return links;
}

/* Compute the links of @node in the spanning tree. Return: false if there is no memory. */
static bool tree_compute(struct hc_node *node)
{
	u32 n = node->fabric->topo.nodes;
	size_t size = hc_bfs_room(&node->fabric->topo);
	void *room = kmalloc(size + n * sizeof(u16), GFP_ATOMIC | __GFP_NOWARN);
	struct hc_bfs b;

	if (!room)
		return false;
	search_init(&b, node, room);
	node->lsdb->tree_agrees = words_agree(&b, node->id, node->fault);
	if (node->lsdb->tree_agrees)
		node->lsdb->tree = tree_links(&b, room + size, node->id);
	kfree(room);
	node->spent += n / NODES_OF_A_FRAME;
	node->lsdb->tree_stale = false;
	return true;
}

/* Return: mask of the links of @node in the tree of @origin, in a cube with no known fault. In this
 * tree the parent of a node is its neighbour along the lowest dimension in which the node's number
 * differs from @origin.
 */
static u32 tree_of(const struct hc_node *node, u32 origin)
{
	u32 way = node->id ^ origin;

	return way ? way ^ (way - 1) : hc_ports_mask(&node->fabric->topo);
}

u32 hc_lsdb_tree(struct hc_node *node, u32 origin, u32 *edges)
{
	const struct hc_lsdb *s = node->lsdb;
	bool closed = !s->digest && !node->fabric->topo.peers;
	unsigned int d;

	if (s->announced != node->fault)
		return 0;
	if (!closed && ((s->tree_stale && !tree_compute(node)) || !s->tree_agrees))
		return 0;
	*edges = closed ? tree_of(node, origin) : s->tree;
	for (d = 0; d < node->fabric->topo.ports; d++) {
		if (hc_node_peer(node, d) == node->id)
			continue;
		if (hc_link_usable(node, d) == !!(node->fault & hc_bit(d)))
			return 0;
		if (*edges & hc_bit(d) && hc_impair_loses(&node->ports[d]))
			return 0;
	}
	return s->digest ?: 1;
}
