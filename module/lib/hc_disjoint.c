// SPDX-License-Identifier: GPL-2.0
/*
 * Node-disjoint paths.
 *
 * Rotations, in a cube. Let H be the dimensions in which source and destination differ, in some
 * order. For each i < |H| there is a path that crosses the dimensions of H in that order,
 * cyclically, beginning with the i-th. After m links it is at the node where exactly the dimensions
 * i .. i + m - 1 of the cycle are crossed: no other rotation visits this node, because it has
 * crossed another set of dimensions after each m. For each dimension e that is not in H there is a
 * path that crosses e, then H, then e: exactly its nodes, the ends excepted, have crossed e, so
 * they are on no other path. So these n paths share no node. A faulty link or node is on at most
 * one of them, so with f faults at least n - f of them are left.
 *
 * Flow. If more paths are wanted than these, or if the network is no cube, there may be other
 * paths. In a maximum flow, in which each node but source and destination lets one unit pass, the
 * units take as many disjoint paths as exist (Menger). The flow begins with the rotations that have
 * no fault, and is increased by augmenting paths, of which the shortest is chosen each time. A
 * search for an augmenting path has two states for each node u: u has been entered (2 * u), and u
 * can be left (2 * u + 1). If the search enters a node that is on no path of the flow, it can leave
 * the node over any link. If it enters a node v that is on a path of the flow, it can only go back
 * along this path, to the node u before v on it, and reaches the state 2 * u + 1: from u, the
 * search goes to other nodes, or further back along the path.
 */
#include "hc_disjoint.h"

#define NO_DIM	HC_DISJOINT_NO_DIM
#define NOWHERE	(~(__u32)0)

size_t hc_disjoint_room(const struct hc_topo *topo)
{
	/* .from and .queue have an entry for each of the two states of a node, .out and .in one
	 * byte a node.
	 */
	return (size_t)topo->nodes * (2 * 2 * sizeof(__u32) + 2);
}

void hc_disjoint_init(struct hc_disjoint *g, const struct hc_topo *topo, void *room)
{
	memset(g, 0, sizeof(*g));
	g->topo = *topo;
	if (!room)
		return;
	g->from = room;
	g->queue = g->from + 2 * topo->nodes;
	g->out = (__u8 *)(g->queue + 2 * topo->nodes);
	g->in = g->out + topo->nodes;
}

static bool good(const struct hc_disjoint *g, __u32 u, unsigned int d)
{
	__u32 v = hc_peer(&g->topo, u, d);

	return v != u && (!g->fault || !((g->fault[u] | g->fault[v]) & hc_bit(d)));
}

/* ------------------------------------------------------------ rotations */

/* Append the dimensions of @set to the path @p, in cyclic order beginning with the @i-th. */
static void rotate(struct hc_path_dims *p, __u32 set, unsigned int i)
{
	__u8 order[HC_LIB_DIM_MAX];
	unsigned int d, n = 0, m;

	for (d = 0; d < HC_LIB_DIM_MAX; d++)
		if (set & hc_bit(d))
			order[n++] = d;
	for (m = 0; m < n; m++)
		p->dim[p->hops++] = order[(i + m) % n];
}

static bool path_good(const struct hc_disjoint *g, const struct hc_path_dims *p)
{
	__u32 u = g->src;
	unsigned int i;

	for (i = 0; i < p->hops; i++) {
		if (!good(g, u, p->dim[i]))
			return false;
		u = hc_neigh(u, p->dim[i]);
	}
	return true;
}

/* In a cube: find up to @want rotations without faults, short ones first. Return: how many. */
static unsigned int rotations(const struct hc_disjoint *g, unsigned int want,
			      struct hc_path_dims *path)
{
	__u32 way = g->src ^ g->dst;
	unsigned int n = 0, i, d;

	for (i = 0; i < hc_weight32(way) && n < want; i++) {
		path[n].hops = 0;
		rotate(&path[n], way, i);
		n += path_good(g, &path[n]);
	}
	for (d = 0; d < g->topo.dim && n < want; d++) {
		if (way & hc_bit(d))
			continue;
		path[n].hops = 0;
		path[n].dim[path[n].hops++] = d;
		rotate(&path[n], way, 0);
		path[n].dim[path[n].hops++] = d;
		n += path_good(g, &path[n]);
	}
	return n;
}

/* ------------------------------------------------------------ flow */

static bool on_path(const struct hc_disjoint *g, __u32 u)
{
	return g->in[u] != NO_DIM;
}

static void flow_add(struct hc_disjoint *g, __u32 u, unsigned int d)
{
	__u32 v = hc_peer(&g->topo, u, d);

	if (u == g->src)
		g->begin |= hc_bit(d);
	else
		g->out[u] = d;
	if (v != g->dst)
		g->in[v] = d;
}

static void flow_begin(struct hc_disjoint *g, const struct hc_path_dims *path, unsigned int n)
{
	unsigned int i;

	memset(g->out, NO_DIM, g->topo.nodes);
	memset(g->in, NO_DIM, g->topo.nodes);
	g->begin = 0;
	while (n--) {
		__u32 u = g->src;

		for (i = 0; i < path[n].hops; i++) {
			flow_add(g, u, path[n].dim[i]);
			u = hc_peer(&g->topo, u, path[n].dim[i]);
		}
	}
}

/* Record that the search has reached @state from state @at, and append @state to the queue, which
 * ends at *@tail. Do nothing if the search has reached @state before.
 */
static void reach(struct hc_disjoint *g, __u32 at, __u32 state, __u32 *tail)
{
	if (g->from[state] != NOWHERE)
		return;
	g->from[state] = at;
	g->queue[(*tail)++] = state;
}

/* Continue the search from node @u, which it can leave, over all good links that are on no path.
 * Return: true if one of these links leads to the destination.
 */
static bool search_out(struct hc_disjoint *g, __u32 u, __u32 *tail)
{
	unsigned int d;

	for (d = 0; d < g->topo.ports; d++) {
		__u32 v = hc_peer(&g->topo, u, d);

		if (!good(g, u, d) || v == g->src)
			continue;
		if (u == g->src ? g->begin & hc_bit(d) : g->out[u] == d)
			continue;
		if (v == g->dst) {
			g->from[2 * v] = 2 * u + 1;
			return true;
		}
		reach(g, 2 * u + 1, 2 * v, tail);
	}
	return false;
}

/* Search for an augmenting path. Return: true if there is one; then .from leads from the
 * destination back along this path.
 */
static bool search(struct hc_disjoint *g)
{
	__u32 head = 0, tail = 0;

	memset(g->from, 0xff, 2 * g->topo.nodes * sizeof(*g->from));
	reach(g, 2 * g->src + 1, 2 * g->src + 1, &tail);
	while (head < tail) {
		__u32 state = g->queue[head++], u = state / 2;

		if (state & 1) {
			if (search_out(g, u, &tail))
				return true;
			/* Go further back on the path of the flow through this node: the state in
			 * which the node has been entered goes on to the node before it.
			 */
			if (u != g->src && on_path(g, u))
				reach(g, state, 2 * u, &tail);
		} else if (!on_path(g, u)) {
			reach(g, state, 2 * u + 1, &tail);
		} else if (hc_peer(&g->topo, u, g->in[u]) != g->src) {
			reach(g, state, 2 * hc_peer(&g->topo, u, g->in[u]) + 1, &tail);
		}
	}
	return false;
}

/* Send one more unit along the augmenting path that search() has found. A forward step from node to
 * node overwrites .out and .in of their old paths. If the augmenting path goes back through a node,
 * into it and out of it against an old path, the node is on no path after this; no forward step of
 * this augmenting path begins or ends at such a node.
 */
static void augment(struct hc_disjoint *g)
{
	__u32 state = 2 * g->dst, before;

	for (; state != 2 * g->src + 1; state = before) {
		__u32 v = state / 2, u;

		before = g->from[state];
		u = before / 2;
		if (!(before & 1))
			continue;
		if (u != v) {
			flow_add(g, u, hc_port_to(&g->topo, u, v));
		} else {
			g->in[u] = NO_DIM;
			g->out[u] = NO_DIM;
		}
	}
}

/* Read up to @want paths from the flow, except those of more than HC_PATH_HOPS_MAX links. Return:
 * how many.
 */
static unsigned int flow_paths(const struct hc_disjoint *g, unsigned int want,
			       struct hc_path_dims *path)
{
	unsigned int d, n = 0;

	for (d = 0; d < g->topo.ports && n < want; d++) {
		struct hc_path_dims *p = &path[n];
		__u32 u = g->src;
		unsigned int next = d;

		if (!(g->begin & hc_bit(d)))
			continue;
		p->hops = 0;
		do {
			p->dim[p->hops++] = next;
			u = hc_peer(&g->topo, u, next);
			next = g->out[u];
		} while (u != g->dst && p->hops < HC_PATH_HOPS_MAX);
		n += u == g->dst;
	}
	return n;
}

unsigned int hc_disjoint_find(struct hc_disjoint *g, __u32 src, __u32 dst, unsigned int want,
			      struct hc_path_dims *path)
{
	unsigned int n;

	g->src = src;
	g->dst = dst;
	if (want > g->topo.ports)
		want = g->topo.ports;
	n = g->topo.peers ? 0 : rotations(g, want, path);
	if (n == want || (!g->topo.peers && !g->fault))
		return n;
	flow_begin(g, path, n);
	while (n < want && search(g)) {
		augment(g);
		n++;
	}
	return flow_paths(g, want, path);
}

/* ------------------------------------------------------------ verifying */

/* Add the nodes of path @p to @set, except its ends. Return: false if the path does not lead from
 * @src to @dst, or visits a node that is in @set already.
 */
static bool path_take(const struct hc_topo *topo, __u32 src, __u32 dst,
		      const struct hc_path_dims *p, __u32 *set)
{
	__u32 u = src;
	unsigned int i;

	if (!p->hops || p->hops > HC_PATH_HOPS_MAX)
		return false;
	for (i = 0; i < p->hops; i++) {
		if (p->dim[i] >= topo->ports || !hc_port_exists(topo, u, p->dim[i]))
			return false;
		u = hc_peer(topo, u, p->dim[i]);
		if (i + 1 == p->hops)
			break;
		if (u == dst || hc_set_has(set, u))
			return false;
		hc_set_add(set, u);
	}
	return u == dst;
}

bool hc_disjoint_check(const struct hc_topo *topo, __u32 src, __u32 dst,
		       const struct hc_path_dims *path, unsigned int n, __u32 *room)
{
	bool direct = false;

	if (src == dst)
		return false;
	memset(room, 0, hc_topo_words(topo) * sizeof(*room));
	hc_set_add(room, src);
	while (n--) {
		/* Only one path may consist of nothing but the link from source to destination. */
		if (path[n].hops == 1 && direct)
			return false;
		direct |= path[n].hops == 1;
		if (!path_take(topo, src, dst, &path[n], room))
			return false;
	}
	return true;
}
