// SPDX-License-Identifier: GPL-2.0
/*
 * What nodes know of faults that are not their own, so that unicast takes shortest
 * ways: link states.
 *
 * A node whose FAULT word changes gives it the next version number and sends {node,
 * word, version} to its neighbours.  Who gets a version that is newer than what it
 * knows of that node adopts it and passes it on over its other usable links; who
 * gets another one does nothing.  When a link comes up its ends send each other all
 * they know (and ask for the same, in case the other end could not hear yet).  A node that
 * hears of itself what is not so, from a time when it could not speak, takes a version
 * beyond that and tells.
 *
 * This ends, for a node adopts each version at most once.  And it settles: once links
 * stay as they are, the last version of each node is the greatest, so by induction on
 * the distance from its origin everybody in the component of healthy links gets it
 * and adopts it; what crossed no link while it was down crosses it when it comes up.
 * (A link that loses frames may lose these; others then bring them, or the next
 * change does.)  What is known of nodes outside the component does not matter: every
 * link that leads out is named faulty by its end inside.
 *
 * With that, breadth-first search from itself over the links that neither end calls
 * faulty gives a node the first hop of a shortest path to each destination, computed
 * when a frame wants it after a change.  route.c goes that way if it can.  When all
 * have settled, each hop leads to a node one nearer to the destination, by distance in
 * the faulty cube: the walk is a shortest path.  Before that it is no worse than a
 * depth-first search in some order; in a cube that never had a fault, where the
 * search goes straight, there are no states and no tables.
 *
 * Costs: 8 bytes at each node for each node that ever had a faulty link, and one byte
 * for each node as table of hops; a change of a word crosses each link at most twice.
 */
#include <linux/slab.h>

#include "hypercube.h"

#define CHUNK		256	/* entries of a frame */
#define NO_HOP		0xff

/* ------------------------------------------------------------ the list */

/* Index of the first entry that is not below @u. */
static unsigned int state_index(const struct hc_node *node, u32 u)
{
	unsigned int low = 0, high = node->nstates;

	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (node->states[mid].node < u)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool state_grow(struct hc_node *node)
{
	u32 room = node->states_room ? 2 * node->states_room : 8;
	struct hc_state *v;

	if (node->nstates < node->states_room)
		return true;
	v = krealloc_array(node->states, room, sizeof(*v), GFP_ATOMIC | __GFP_NOWARN);
	if (!v) {
		hc_drop_count(node, NULL, HYPERCUBE_A_DROP_NO_MEMORY);
		return false;
	}
	node->states = v;
	node->states_room = room;
	return true;
}

/* True if this is news. */
static bool state_adopt(struct hc_node *node, u32 u, u32 word, u32 version)
{
	unsigned int i = state_index(node, u);
	struct hc_state *s;

	if (i == node->nstates || node->states[i].node != u) {
		if (!version || !state_grow(node))
			return false;
		memmove(&node->states[i + 1], &node->states[i],
			(node->nstates - i) * sizeof(*s));
		node->nstates++;
	} else if (version <= node->states[i].version) {
		return false;
	}
	s = &node->states[i];
	*s = (struct hc_state){ .node = u, .word = word, .version = version };
	node->hops_stale = true;
	return true;
}

/* ------------------------------------------------------------ frames */

static void state_send(struct hc_node *node, unsigned int dim, u8 flags,
		       const struct hc_wire_state *v, unsigned int n)
{
	struct sk_buff *skb = hc_frame_alloc(node, HC_FRAME_STATE, n * sizeof(*v), GFP_ATOMIC);

	if (!skb) {
		hc_drop_count(node, NULL, HYPERCUBE_A_DROP_NO_MEMORY);
		return;
	}
	memcpy(skb->data + sizeof(struct hc_hdr), v, n * sizeof(*v));
	hc_hdr(skb)->flags = flags;
	hc_hdr(skb)->dst = cpu_to_be16(hc_neigh(node->id, dim));
	hc_link_send(node, dim, skb);
}

static void state_tell(struct hc_node *node, unsigned int except, const struct hc_wire_state *v,
		       unsigned int n)
{
	unsigned int d;

	for (d = 0; n && d < node->fabric->dim; d++)
		if (d != except && hc_link_usable(node, d))
			state_send(node, d, 0, v, n);
}

static struct hc_wire_state state_wire(const struct hc_state *s)
{
	return (struct hc_wire_state){
		.node = cpu_to_be16(s->node), .word = cpu_to_be16(s->word),
		.version = cpu_to_be32(s->version),
	};
}

/* All that is known; a frame at least, if it is to be answered. */
static void state_send_all(struct hc_node *node, unsigned int dim, u8 flags)
{
	struct hc_wire_state *v = kmalloc_array(CHUNK, sizeof(*v), GFP_ATOMIC);
	unsigned int i = 0, n;

	if (!v) {
		hc_drop_count(node, NULL, HYPERCUBE_A_DROP_NO_MEMORY);
		return;
	}
	do {
		for (n = 0; n < CHUNK && i < node->nstates; n++, i++)
			v[n] = state_wire(&node->states[i]);
		if (n || flags)
			state_send(node, dim, flags, v, n);
		flags = 0;
	} while (i < node->nstates);
	kfree(v);
}

/* ------------------------------------------------------------ events */

static void state_own(struct hc_node *node)
{
	struct hc_state s = { .node = node->id, .word = node->fault };
	struct hc_wire_state wire;

	s.version = ++node->version;
	state_adopt(node, s.node, s.word, s.version);
	wire = state_wire(&s);
	state_tell(node, HC_DIM_HOST, &wire, 1);
}

void hc_state_links(struct hc_node *node)
{
	u32 healed = node->told & ~node->fault;
	unsigned int d;

	if (node->told == node->fault)
		return;
	node->told = node->fault;
	state_own(node);
	for (d = 0; d < node->fabric->dim; d++)
		if (healed & hc_bit(d))
			state_send_all(node, d, HC_FRAME_F_SYNC);
}

static bool state_take(struct hc_node *node, const struct hc_wire_state *w)
{
	u32 u = be16_to_cpu(w->node), word = be16_to_cpu(w->word);
	u32 version = be32_to_cpu(w->version);

	if (u >= hc_nodes(node->fabric->dim))
		return false;
	if (u != node->id)
		return state_adopt(node, u, word, version);
	if (version > node->version || (version == node->version && word != node->told)) {
		node->version = version;
		state_own(node);
	}
	return false;
}

void hc_state_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	u32 len = be32_to_cpu(hc_hdr(skb)->len);
	u8 flags = hc_hdr(skb)->flags;
	struct hc_wire_state *v;
	unsigned int i, n = 0;

	if (len % sizeof(*v) || len > CHUNK * sizeof(*v) || skb_linearize(skb)) {
		hc_drop(node, &node->ports[dim], skb, HYPERCUBE_A_DROP_MALFORMED);
		return;
	}
	/* What is news moves to the front and is passed on from there. */
	v = (struct hc_wire_state *)(skb->data + sizeof(struct hc_hdr));
	for (i = 0; i < len / sizeof(*v); i++)
		if (state_take(node, &v[i]))
			v[n++] = v[i];
	state_tell(node, dim, v, n);
	if (flags & HC_FRAME_F_SYNC)
		state_send_all(node, dim, 0);
	consume_skb(skb);
}

/* ------------------------------------------------------------ shortest paths */

/* @word and @queue have room for one entry for each node.  Return: nodes reached. */
static u32 search_run(struct hc_node *node, u16 *word, u16 *queue)
{
	u32 n = hc_nodes(node->fabric->dim), head = 0, tail = 0;
	unsigned int d, i;

	memset(word, 0, n * sizeof(*word));
	for (i = 0; i < node->nstates; i++)
		word[node->states[i].node] = node->states[i].word;
	word[node->id] = node->fault;
	memset(node->hops, NO_HOP, n);
	queue[tail++] = node->id;
	while (head < tail) {
		u32 u = queue[head++];

		for (d = 0; d < node->fabric->dim; d++) {
			u32 v = hc_neigh(u, d);

			if (v == node->id || node->hops[v] != NO_HOP ||
			    (word[u] | word[v]) & hc_bit(d))
				continue;
			node->hops[v] = u == node->id ? d : node->hops[u];
			queue[tail++] = v;
		}
	}
	return tail;
}

/* Without memory, the table stays stale and nobody uses it. */
static bool hops_compute(struct hc_node *node)
{
	u32 n = hc_nodes(node->fabric->dim);
	u32 reached;
	u16 *room;

	if (!node->hops)
		node->hops = kmalloc(n, GFP_ATOMIC | __GFP_NOWARN);
	room = node->hops ? kmalloc_array(n, 2 * sizeof(*room), GFP_ATOMIC | __GFP_NOWARN) : NULL;
	if (!room)
		return false;
	reached = search_run(node, room, room + n);
	kfree(room);
	node->reachable = reached;
	node->hops_stale = false;
	return true;
}

int hc_state_hop(struct hc_node *node, u32 dst)
{
	if (!node->nstates || (node->hops_stale && !hops_compute(node)) ||
	    node->hops[dst] == NO_HOP)
		return -1;
	return node->hops[dst];
}

u32 hc_state_reachable(struct hc_node *node)
{
	if (!node->nstates)
		return hc_nodes(node->fabric->dim);
	return node->hops_stale && !hops_compute(node) ? 0 : node->reachable;
}

void hc_state_free(struct hc_node *node)
{
	kfree(node->states);
	kfree(node->hops);
}
