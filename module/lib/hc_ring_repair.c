// SPDX-License-Identifier: GPL-2.0
/*
 * Repair of trees of rings; see hc_ring_repair.h.
 *
 * An old ring is whole if no fault affects it. While a whole ring is not in the new tree, its entry
 * in .count is the number of its nodes that are in the new tree; the entry of any other old ring is
 * BROKEN. When a node of a whole ring is added to the new tree, and no other node of this ring is
 * in it, the ring is put into the queue. A ring from the queue is added to the new tree unchanged,
 * unless two of its nodes are in the tree by then, since two rings may have only one node in
 * common.
 */
#include "hc_ring_repair.h"

#define BROKEN	0xffff

void hc_ring_places_fill(struct hc_ring_places *p, const struct hc_ring_tree *t, __u32 nodes)
{
	__u32 i, r, at = 0;

	for (i = 0; i <= nodes; i++)
		p->first[i] = 0;
	for (r = 0; r < t->nrings; r++) {
		p->begin[r] = at;
		for (i = 0; i < t->ring[r].size; i++, at++) {
			p->ring[at] = (__u16)r;
			p->first[t->node[at]]++;
		}
	}
	/* Prefix sums: each entry becomes the index after the last place of its node. The next loop
	 * fills in the places of each node from the last to the first, and makes the entry the
	 * index of the first.
	 */
	for (i = 1; i <= nodes; i++)
		p->first[i] += p->first[i - 1];
	for (at = t->nnodes; at--;)
		p->place[--p->first[t->node[at]]] = at;
}

static __u32 home_place(const struct hc_ring_tree *t, const struct hc_ring_places *at, __u32 i)
{
	return at->place[at->first[t->node[i]]];
}

/* Return: the place in ring @r of the node that the ring has in common with its parent; of the
 * first ring, which has no parent, its first place.
 */
static __u32 joint(const struct hc_ring_tree *t, const struct hc_ring_places *at, __u32 r)
{
	__u32 i = at->begin[r];

	while (r && home_place(t, at, i) == i)
		i++;
	return i;
}

void hc_ring_tour(const struct hc_ring_tree *t, const struct hc_ring_places *at, __u32 *out,
		  __u32 *work)
{
	__u32 r, i, k, pos, all;

	/* First count, for each place, the links of all rings that are attached at the place,
	 * directly or through other rings. Go from the last ring to the first, since a ring is
	 * after its parent.
	 */
	for (i = 0; i < t->nnodes; i++)
		out[i] = 0;
	for (r = t->nrings; r-- > 1;) {
		for (i = 0, all = t->ring[r].size; i < t->ring[r].size; i++)
			all += out[at->begin[r] + i];
		out[home_place(t, at, joint(t, at, r))] += all;
	}
	/* Set work[i] to the position on the tour at which the next ring that is attached at place
	 * i begins.
	 */
	for (r = 0; r < t->nrings; r++) {
		__u32 first = joint(t, at, r), home = home_place(t, at, first);

		pos = r ? work[home] : 0;
		for (k = 0; k < t->ring[r].size; k++) {
			i = at->begin[r] + (first - at->begin[r] + k) % t->ring[r].size;
			work[i] = pos;
			pos += out[i];
			out[i] = pos++;
		}
		if (r)
			work[home] = pos;
	}
}

static bool joined(const struct hc_ring_repair_args *m, __u32 u, __u32 v)
{
	unsigned int d = hc_port_to(&m->topo, u, v);

	return d != HC_NO_PORT && hc_set_has(m->alive, u) && hc_set_has(m->alive, v) &&
	       hc_link_good(&m->topo, m->fault, u, d);
}

/* Return: true if @v is not in the new tree, and a healthy link from @u leads to it. */
static bool fresh(const struct hc_ring_repair_args *m, __u32 u, __u32 v)
{
	return m->home[v] == HC_RING_NONE && joined(m, u, v);
}

/* Return: the next node after @place in its old ring if @behind is set, else the node before
 * @place.
 */
static __u32 beside(const struct hc_ring_repair_args *m, __u32 place, bool behind)
{
	__u32 r = m->places->ring[place], begin = m->places->begin[r];
	__u32 size = m->old->ring[r].size, pos = place - begin;

	return m->old->node[begin + (pos + (behind ? 1 : size - 1)) % size];
}

static bool is_whole(const struct hc_ring_repair_args *m, __u32 r)
{
	const __u16 *node = &m->old->node[m->places->begin[r]];
	__u32 i;

	if (!hc_set_has(m->alive, node[0]))
		return false;
	for (i = 1; i < m->old->ring[r].size; i++)
		if (!joined(m, node[i - 1], node[i]))
			return false;
	return true;
}

/* State of a repair. @width: size of the longest old ring, at least 2. The queue of rings is
 * m->queue[@nhead .. @ntail - 1]; @norder: number of nodes in the new tree.
 */
struct repairer {
	struct hc_ring_repair_args *m;
	__u32 width;
	__u32 ntail;
	__u32 nhead;
	__u32 norder;
};

static void cover(struct repairer *k, __u32 u)
{
	struct hc_ring_repair_args *m = k->m;
	__u32 i;

	m->home[u] = (__u16)m->t.nrings;
	m->order[k->norder++] = (__u16)u;
	for (i = m->places->first[u]; i < m->places->first[u + 1]; i++) {
		__u16 r = m->places->ring[m->places->place[i]];

		if (m->count[r] != BROKEN && !m->count[r]++)
			m->queue[k->ntail++] = r;
	}
}

static bool in_whole_ring(const struct repairer *k, __u32 u)
{
	const struct hc_ring_places *p = k->m->places;
	__u32 i;

	for (i = p->first[u]; i < p->first[u + 1]; i++)
		if (k->m->count[p->ring[p->place[i]]] != BROKEN)
			return true;
	return false;
}

static void node_add(struct repairer *k, __u32 u)
{
	struct hc_ring_repair_args *m = k->m;

	m->node[m->t.nnodes++] = (__u16)u;
	m->ring[m->t.nrings].size++;
	if (m->home[u] == HC_RING_NONE)
		cover(k, u);
	else
		m->ring[m->t.nrings].parent = m->home[u];
}

static void ring_begin(struct repairer *k)
{
	k->m->ring[k->m->t.nrings] = (struct hc_ring){ .parent = HC_RING_NONE };
}

static void ring_end(struct repairer *k)
{
	struct hc_ring *ring = &k->m->ring[k->m->t.nrings++];

	if (ring->parent != HC_RING_NONE)
		ring->level = (__u16)(k->m->ring[ring->parent].level + 1);
}

static void ring_keep(struct repairer *k, __u32 r)
{
	const __u16 *node = &k->m->old->node[k->m->places->begin[r]];
	__u32 i;

	k->m->count[r] = BROKEN;
	ring_begin(k);
	for (i = 0; i < k->m->old->ring[r].size; i++)
		node_add(k, node[i]);
	ring_end(k);
}

/* Return: the node that follows @u in a new ring, of those that are not in the new tree and to
 * which @u has a healthy link: the node after @u in an old ring, else the node before @u in an old
 * ring, else the lowest neighbour; HC_RING_NO_NODE if there is none.
 */
static __u32 step(const struct repairer *k, __u32 u)
{
	const struct hc_ring_repair_args *m = k->m;
	unsigned int way, d;
	__u32 i, v, low = HC_RING_NO_NODE;

	for (way = 0; way < 2; way++)
		for (i = m->places->first[u]; i < m->places->first[u + 1]; i++) {
			v = beside(m, m->places->place[i], !way);
			if (fresh(m, u, v))
				return v;
		}
	for (d = 0; d < m->topo.ports; d++) {
		v = hc_peer(&m->topo, u, d);
		if (v < low && fresh(m, u, v))
			low = v;
	}
	return low;
}

/* Return: true if @u is the first node of a piece of an old ring: the node before @u in its old
 * ring is in the new tree, or has no healthy link to @u.
 */
static bool leads(const struct repairer *k, __u32 u)
{
	const struct hc_ring_repair_args *m = k->m;
	__u32 i;

	for (i = m->places->first[u]; i < m->places->first[u + 1]; i++)
		if (fresh(m, u, beside(m, m->places->place[i], false)))
			return false;
	return true;
}

/* Return: the second node of a new ring that begins at @u, of the neighbours that are not in the
 * new tree and to which @u has a healthy link: the lowest that is the first node of a piece of an
 * old ring, else the lowest; HC_RING_NO_NODE if there is none.
 */
static __u32 branch(const struct repairer *k, __u32 u)
{
	__u32 best = HC_RING_NO_NODE, v;
	bool led = false, leader;
	unsigned int d;

	for (d = 0; d < k->m->topo.ports; d++) {
		v = hc_peer(&k->m->topo, u, d);
		if (!fresh(k->m, u, v))
			continue;
		leader = leads(k, v);
		if (leader > led || (leader == led && v < best)) {
			best = v;
			led = leader;
		}
	}
	return best;
}

/* Make a new ring: from @u to @v, and then over nodes that are not in the new tree, until the ring
 * reaches a node of a whole ring, or has the size of the longest old ring, or cannot be continued.
 */
static void ring_grow(struct repairer *k, __u32 u, __u32 v)
{
	ring_begin(k);
	node_add(k, u);
	while (v != HC_RING_NO_NODE) {
		bool stop = in_whole_ring(k, v);

		node_add(k, v);
		if (stop || k->m->ring[k->m->t.nrings].size >= k->width)
			break;
		v = step(k, v);
	}
	ring_end(k);
}

/* Make the first ring of the new tree if no old ring is whole. It begins at the first node of a
 * piece of an old ring or, if there is none, at the lowest node of .alive.
 */
static void first_grow(struct repairer *k)
{
	const struct hc_ring_repair_args *m = k->m;
	__u32 u = HC_RING_NO_NODE, at;

	for (at = 0; at < m->old->nnodes && u == HC_RING_NO_NODE; at++)
		if (hc_set_has(m->alive, m->old->node[at]) &&
		    !joined(m, m->old->node[at], beside(m, at, false)))
			u = m->old->node[at];
	for (at = 0; u == HC_RING_NO_NODE; at++)
		if (hc_set_has(m->alive, at))
			u = at;
	ring_grow(k, u, step(k, u));
}

static void repair_begin(struct repairer *k)
{
	struct hc_ring_repair_args *m = k->m;
	__u32 i;

	for (i = 0; i < m->topo.nodes; i++)
		m->home[i] = HC_RING_NONE;
	k->width = 2;
	for (i = 0; i < m->old->nrings; i++) {
		if (m->old->ring[i].size > k->width)
			k->width = m->old->ring[i].size;
		m->count[i] = is_whole(m, i) ? 0 : BROKEN;
	}
	m->t = (struct hc_ring_tree){ .ring = m->ring, .node = m->node };
	for (i = 0; i < m->old->nrings && m->count[i] == BROKEN; i++)
		;
	if (i < m->old->nrings)
		ring_keep(k, i);
	else
		first_grow(k);
}

int hc_ring_repair(struct hc_ring_repair_args *m)
{
	struct repairer k = { .m = m };
	__u32 u, v, i = 0, left = 0;

	repair_begin(&k);
	while (k.nhead < k.ntail || i < k.norder) {
		if (k.nhead < k.ntail) {
			__u32 r = m->queue[k.nhead++];

			if (m->count[r] == 1)
				ring_keep(&k, r);
			m->count[r] = BROKEN;
			continue;
		}
		u = m->order[i];
		v = branch(&k, u);
		if (v == HC_RING_NO_NODE)
			i++;
		else
			ring_grow(&k, u, v);
	}
	for (u = 0; u < m->topo.nodes; u++)
		left += hc_set_has(m->alive, u) && m->home[u] == HC_RING_NONE;
	return left ? -EINVAL : 0;
}
