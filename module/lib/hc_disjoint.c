// SPDX-License-Identifier: GPL-2.0
/*
 * Node-disjoint paths.
 *
 * Rotations.  Let H be the dimensions in which source and destination differ, in some order.  A
 * path for each i < |H| crosses them in that order, but from the i-th on and round.  After m links
 * it is where the dimensions i .. i + m - 1 of the ring are crossed: no other rotation is ever
 * there.  A path for each dimension e that is not in H crosses e, then H, then e: but for its
 * ends it is where e is crossed, and no other path is.  So these n paths share no node, and as a
 * faulty link or node is on at most one of them, f faults leave n - f of them.
 *
 * Flow.  If more are wanted than faults leave of these, the faulty cube may still have them.  A
 * maximum flow in which each node but source and destination lets one unit pass has as many paths
 * as there are (Menger); it grows from the rotations that are left by augmenting paths, shortest
 * first.  A search looks at states: a node as it is entered (2 * u), and as it is left (2 * u + 1).
 * A node on no path is both; one on a path that a search enters is left only against the path, to
 * the node before it as that is left, from where the search goes elsewhere, or back further.
 */
#include "hc_disjoint.h"

#define NO_DIM	HC_DISJOINT_NO_DIM
#define NOWHERE	(~(__u32)0)

size_t hc_disjoint_room(unsigned int dim)
{
	/* .from and .queue have two states a node, .out and .in one byte. */
	return (size_t)hc_nodes(dim) * (2 * 2 * sizeof(__u32) + 2);
}

void hc_disjoint_init(struct hc_disjoint *g, unsigned int dim, void *room)
{
	memset(g, 0, sizeof(*g));
	g->dim = dim;
	if (!room)
		return;
	g->from = room;
	g->queue = g->from + 2 * hc_nodes(dim);
	g->out = (__u8 *)(g->queue + 2 * hc_nodes(dim));
	g->in = g->out + hc_nodes(dim);
}

static bool good(const struct hc_disjoint *g, __u32 u, unsigned int d)
{
	return !g->fault || !((g->fault[u] | g->fault[hc_neigh(u, d)]) & hc_bit(d));
}

/* ------------------------------------------------------------ rotations */

/* The dimensions of @set from the @i-th on and round. */
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

/* The rotations that no fault is on, the short ones first. */
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
	for (d = 0; d < g->dim && n < want; d++) {
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
	__u32 v = hc_neigh(u, d);

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

	memset(g->out, NO_DIM, hc_nodes(g->dim));
	memset(g->in, NO_DIM, hc_nodes(g->dim));
	g->begin = 0;
	while (n--) {
		__u32 u = g->src;

		for (i = 0; i < path[n].hops; i++) {
			flow_add(g, u, path[n].dim[i]);
			u = hc_neigh(u, path[n].dim[i]);
		}
	}
}

/* A search gets from state @at to @state for the first time. */
static void reach(struct hc_disjoint *g, __u32 at, __u32 state, __u32 *tail)
{
	if (g->from[state] != NOWHERE)
		return;
	g->from[state] = at;
	g->queue[(*tail)++] = state;
}

/* From a node as it is left: over all good links that no path goes over.  True: the destination. */
static bool search_out(struct hc_disjoint *g, __u32 u, __u32 *tail)
{
	unsigned int d;

	for (d = 0; d < g->dim; d++) {
		__u32 v = hc_neigh(u, d);

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

/* Find a way for one more unit; .from leads back from the destination. */
static bool search(struct hc_disjoint *g)
{
	__u32 head = 0, tail = 0;

	memset(g->from, 0xff, 2 * hc_nodes(g->dim) * sizeof(*g->from));
	reach(g, 2 * g->src + 1, 2 * g->src + 1, &tail);
	while (head < tail) {
		__u32 state = g->queue[head++], u = state / 2;

		if (state & 1) {
			if (search_out(g, u, &tail))
				return true;
			/* Against the flow through the node itself. */
			if (u != g->src && on_path(g, u))
				reach(g, state, 2 * u, &tail);
		} else if (!on_path(g, u)) {
			reach(g, state, 2 * u + 1, &tail);
		} else if (hc_neigh(u, g->in[u]) != g->src) {
			reach(g, state, 2 * hc_neigh(u, g->in[u]) + 1, &tail);
		}
	}
	return false;
}

static unsigned int dim_between(__u32 u, __u32 v)
{
	return hc_first64(u ^ v);
}

/* Send one more unit along what search() has found.  Its forward steps overwrite what they take the
 * place of; nodes that it goes back through are on no path any more, and no forward step is at one.
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
			flow_add(g, u, dim_between(u, v));
		} else {
			g->in[u] = NO_DIM;
			g->out[u] = NO_DIM;
		}
	}
}

/* Paths too long to be used are left out. */
static unsigned int flow_paths(const struct hc_disjoint *g, unsigned int want,
			       struct hc_path_dims *path)
{
	unsigned int d, n = 0;

	for (d = 0; d < g->dim && n < want; d++) {
		struct hc_path_dims *p = &path[n];
		__u32 u = g->src;
		unsigned int next = d;

		if (!(g->begin & hc_bit(d)))
			continue;
		p->hops = 0;
		do {
			p->dim[p->hops++] = next;
			u = hc_neigh(u, next);
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
	if (want > g->dim)
		want = g->dim;
	n = rotations(g, want, path);
	if (n == want || !g->fault)
		return n;
	flow_begin(g, path, n);
	while (n < want && search(g)) {
		augment(g);
		n++;
	}
	return flow_paths(g, want, path);
}

/* ------------------------------------------------------------ verifying */

/* Does it lead from @src to @dst over nodes that are not in the set yet? */
static bool path_take(unsigned int dim, __u32 src, __u32 dst, const struct hc_path_dims *p,
		      __u32 *set)
{
	__u32 u = src;
	unsigned int i;

	if (!p->hops || p->hops > HC_PATH_HOPS_MAX)
		return false;
	for (i = 0; i < p->hops; i++) {
		if (p->dim[i] >= dim)
			return false;
		u = hc_neigh(u, p->dim[i]);
		if (i + 1 == p->hops)
			break;
		if (u == dst || hc_set_has(set, u))
			return false;
		hc_set_add(set, u);
	}
	return u == dst;
}

bool hc_disjoint_check(unsigned int dim, __u32 src, __u32 dst, const struct hc_path_dims *path,
		       unsigned int n, __u32 *room)
{
	bool direct = false;

	if (src == dst)
		return false;
	memset(room, 0, hc_set_words(dim) * sizeof(*room));
	hc_set_add(room, src);
	while (n--) {
		/* A link is not two paths. */
		if (path[n].hops == 1 && direct)
			return false;
		direct |= path[n].hops == 1;
		if (!path_take(dim, src, dst, &path[n], room))
			return false;
	}
	return true;
}
