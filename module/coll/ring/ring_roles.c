// SPDX-License-Identifier: GPL-2.0
/*
 * Computing the ring edges of each member of a tree of rings: from which neighbour the member
 * receives frames, and to which neighbour it forwards them.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "coll/coll.h"
#include "coll/ring/ring_roles.h"

static void *make_room(size_t n, size_t size, gfp_t gfp)
{
	return kvcalloc(n, size, gfp);
}

int hc_ring_places_alloc(struct hc_ring_places *p, const struct hc_ring_tree *t, u32 nodes,
			 gfp_t gfp)
{
	*p = (struct hc_ring_places){
		.first = make_room(nodes + 1, sizeof(*p->first), gfp),
		.place = make_room(t->nnodes + 1, sizeof(*p->place), gfp),
		.ring = make_room(t->nnodes + 1, sizeof(*p->ring), gfp),
		.begin = make_room(t->nrings + 1, sizeof(*p->begin), gfp),
	};
	return p->first && p->place && p->ring && p->begin ? 0 : -ENOMEM;
}

void hc_ring_places_free(struct hc_ring_places *p)
{
	kvfree(p->first);
	kvfree(p->place);
	kvfree(p->ring);
	kvfree(p->begin);
}

int hc_ring_maker_init(struct hc_ring_maker *k, const struct hc_ring_tree *t,
		       const struct hc_topo *topo, const u32 *fault, gfp_t gfp)
{
	*k = (struct hc_ring_maker){
		.t = t,
		.net = hc_ring_topo(topo, fault),
		.joints = make_room(t->nrings + 1, sizeof(*k->joints), gfp),
		.tour = make_room(2 * (size_t)t->nnodes, sizeof(*k->tour), gfp),
	};
	return hc_ring_places_alloc(&k->at, t, topo->nodes, gfp) ?:
	       k->joints && k->tour ? 0 : -ENOMEM;
}

void hc_ring_maker_free(struct hc_ring_maker *k)
{
	hc_ring_places_free(&k->at);
	kvfree(k->joints);
	kvfree(k->tour);
}

/* The verifier has accepted the tree, so its numbers are not checked here. */
void hc_ring_maker_fill(struct hc_ring_maker *k)
{
	u32 at;

	hc_ring_places_fill(&k->at, k->t, k->net.nodes);
	hc_ring_tour(k->t, &k->at, k->tour, k->tour + k->t->nnodes);
	for (at = 0; at < k->t->nnodes; at++)
		k->joints[k->at.ring[at]] += hc_ring_places_of(&k->at, k->t->node[at]) > 1;
}

/* Return: the index of the source at node @peer. If there is none, add it. */
static unsigned int source(const struct hc_topo *topo, struct hc_ring_making *mk, u32 peer)
{
	unsigned int i;

	for (i = 0; i < mk->n; i++)
		if (mk->src[i].node == peer)
			return i;
	mk->src[mk->n++] = (struct hc_tree_peer){
		.node = peer,
		.dim = hc_port_to(topo, mk->node, peer),
		.how = HC_TREE_DIRECT,
	};
	return i;
}

static void way_add(const struct hc_ring_maker *k, struct hc_ring_making *mk, u32 from, u32 to,
		    const struct hc_ring_way *way)
{
	struct hc_ring_way *w = &mk->way[source(&k->net.topo, mk, from)];

	*w = *way;
	w->used = true;
	w->out = source(&k->net.topo, mk, to);
}

/* Add the ring edges of a node at @at, one of its positions in the rings. */
static void place_add(const struct hc_ring_maker *k, struct hc_ring_making *mk, u32 at)
{
	const struct hc_ring_tree *t = k->t;
	const u32 r = k->at.ring[at], size = t->ring[r].size;
	const u16 *node = &t->node[k->at.begin[r]];
	const u32 pos = at - k->at.begin[r], end = size - 1;
	bool open = !k->net.linked(&k->net, node[end], node[0]);
	u32 next = node[pos == end ? 0 : pos + 1];
	struct hc_ring_way way = {
		.next = next,
		.came = k->tour[pos ? at - 1 : at + end],
		.leaves = k->tour[at],
		.seen = k->joints[r] - (mk->nrings > 1),
	};

	if (size < 2)
		return;
	way_add(k, mk, pos ? node[pos - 1] : open ? node[1] : node[end],
		pos < end ? next : open ? node[end - 1] : next, &way);
	if (!open || !pos || pos == end)
		return;
	way = (struct hc_ring_way){
		.relay = true,
		.seen = k->joints[r] - (hc_ring_places_of(&k->at, node[0]) > 1),
	};
	way_add(k, mk, node[pos + 1], node[pos - 1], &way);
}

void hc_ring_make(const struct hc_ring_maker *k, u32 u, struct hc_ring_making *mk)
{
	u32 i;

	*mk = (struct hc_ring_making){ .node = u, .nrings = hc_ring_places_of(&k->at, u) };
	for (i = k->at.first[u]; i < k->at.first[u + 1]; i++)
		place_add(k, mk, k->at.place[i]);
}

void hc_ring_make_both(struct hc_ring_making *mk)
{
	unsigned int i;

	for (i = 0; i < mk->n; i++)
		if (mk->way[i].used)
			mk->way[mk->way[i].out] = (struct hc_ring_way){ .out = i, .back = true };
}
