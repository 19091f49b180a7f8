// SPDX-License-Identifier: GPL-2.0
/*
 * Properties of trees of rings, computed without any of the code under test.
 */
#include <stdlib.h>
#include <string.h>

#include "ring_test.h"

void net_init(struct net *net, unsigned int n)
{
	memset(net, 0, sizeof(*net));
	net->n = n;
}

void net_link(struct net *net, unsigned int u, unsigned int v)
{
	net->link[u][v] = true;
	net->link[v][u] = true;
}

void net_cut(struct net *net, unsigned int u, unsigned int v)
{
	net->link[u][v] = false;
	net->link[v][u] = false;
}

void net_cube(struct net *net, unsigned int dim)
{
	unsigned int u, d;

	net_init(net, 1u << dim);
	for (u = 0; u < net->n; u++)
		for (d = 0; d < dim; d++)
			net_link(net, u, u ^ 1u << d);
}

struct hc_graph *net_graph(const struct net *net)
{
	struct hc_edge edges[NET_MAX * NET_MAX / 2];
	uint32_t all[NET_MAX / 32] = { ~0u, ~0u };
	unsigned int u, v, n = 0;
	struct hc_graph *g;

	for (u = 0; u < net->n; u++)
		for (v = 0; v < u; v++)
			if (net->link[u][v])
				edges[n++] = (struct hc_edge){ u, v };
	g = hc_graph_edges(net->n, edges, n, all);
	if (!g)
		abort();
	return g;
}

/* Mark the nodes that are connected with @u in @seen. Return: number of nodes marked. */
static unsigned int reach(const struct net *net, unsigned int u, bool *seen)
{
	unsigned int v, n = 1;

	seen[u] = true;
	for (v = 0; v < net->n; v++)
		if (net->link[u][v] && !seen[v])
			n += reach(net, v, seen);
	return n;
}

unsigned int net_largest(const struct net *net)
{
	bool seen[NET_MAX] = { false };
	unsigned int u, n, most = 0;

	for (u = 0; u < net->n; u++)
		if (!seen[u]) {
			n = reach(net, u, seen);
			if (n > most)
				most = n;
		}
	return most;
}

/* Return: the length of the longest cycle that extends the path from @first to @u and whose lowest
 * node is @first, or 0. @len: number of nodes on the path; @on: the nodes on the path without @u.
 */
static unsigned int longest_from(const struct net *net, unsigned int first, unsigned int u,
				 unsigned int len, bool *on)
{
	unsigned int v, n, most = len > 2 && net->link[u][first] ? len : 0;

	on[u] = true;
	for (v = first + 1; v < net->n; v++)
		if (net->link[u][v] && !on[v]) {
			n = longest_from(net, first, v, len + 1, on);
			if (n > most)
				most = n;
		}
	on[u] = false;
	return most;
}

unsigned int net_longest_cycle(const struct net *net)
{
	bool on[NET_MAX] = { false };
	unsigned int u, n, most = 0;

	for (u = 0; u < net->n; u++) {
		n = longest_from(net, u, u, 1, on);
		if (n > most)
			most = n;
	}
	return most;
}

/* Return: true if the nodes of the ring differ, and a link joins each one with the next. */
static bool ring_is_sound(const struct net *net, const uint16_t *node, uint32_t size)
{
	uint32_t i, k;

	for (i = 0; i < size; i++) {
		if (node[i] >= net->n)
			return false;
		for (k = 0; k < i; k++)
			if (node[i] == node[k])
				return false;
		if (i && !net->link[node[i - 1]][node[i]])
			return false;
	}
	return true;
}

/* Return: number of nodes that ring @r has in common with the rings before it. *first: set to the
 * first ring that has the last such node.
 */
static uint32_t in_common(const struct hc_ring_tree *t, const uint32_t *begin, uint32_t r,
			  uint32_t *first)
{
	uint32_t i, k, q, n = 0;

	for (i = begin[r]; i < begin[r + 1]; i++)
		for (q = 0; q < r; q++) {
			for (k = begin[q]; k < begin[q + 1] && t->node[k] != t->node[i]; k++)
				;
			if (k == begin[q + 1])
				continue;
			n++;
			*first = q;
			break;
		}
	return n;
}

bool net_has_tree(const struct net *net, const struct hc_ring_tree *t)
{
	uint32_t begin[2 * NET_MAX + 1] = { 0 }, r, first = 0;

	if (!t->nrings || t->nrings > 2 * NET_MAX)
		return false;
	for (r = 0; r < t->nrings; r++) {
		if (t->ring[r].size < (t->nrings > 1 ? 2 : 1) ||
		    t->ring[r].size > t->nnodes - begin[r])
			return false;
		begin[r + 1] = begin[r] + t->ring[r].size;
	}
	if (begin[t->nrings] != t->nnodes)
		return false;
	for (r = 0; r < t->nrings; r++)
		if (!ring_is_sound(net, t->node + begin[r], t->ring[r].size))
			return false;
	if (t->ring[0].parent != HC_RING_NONE || t->ring[0].level)
		return false;
	for (r = 1; r < t->nrings; r++) {
		if (in_common(t, begin, r, &first) != 1 || t->ring[r].parent != first)
			return false;
		if (t->ring[r].level != t->ring[first].level &&
		    t->ring[r].level != t->ring[first].level + 1)
			return false;
	}
	return true;
}

/* --- a broadcast with queues at each place --- */

/* A queue of messages; a message is the number of its source. */
struct queue {
	unsigned int m[NET_MAX];
	unsigned int first, end;
};

/* The place of a node in a ring: the next place of the ring, the queue of the messages that
 * circulate in the ring, and the queue of the messages that the node adds to the ring.
 */
struct spot {
	unsigned int node, next;
	struct queue round, added;
};

static void put(struct queue *q, unsigned int m)
{
	q->m[q->end++] = m;
}

/* Queue message @m, which has arrived at place @at and is new to the node there, at all places of
 * this node. @hot: at place @at itself it is one of the circulating messages, which go first.
 */
static void spread(struct spot *s, unsigned int n, unsigned int at, unsigned int m, bool hot)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (s[i].node != s[at].node)
			continue;
		put(hot && i == at ? &s[i].round : &s[i].added, m);
	}
}

/* List the places of all rings; at each place its node adds its own message. Return: number of
 * places.
 */
static unsigned int make_spots(const struct hc_ring_tree *t, struct spot *s)
{
	unsigned int r, i, at = 0, begin;

	memset(s, 0, 2 * NET_MAX * sizeof(*s));
	for (r = 0; r < t->nrings; r++) {
		begin = at;
		for (i = 0; i < t->ring[r].size; i++, at++) {
			s[at].node = t->node[at];
			s[at].next = i + 1 < t->ring[r].size ? at + 1 : begin;
			put(&s[at].added, s[at].node);
		}
	}
	return at;
}

void tree_try(const struct hc_ring_tree *t, bool hot, struct trial *r)
{
	static struct spot s[2 * NET_MAX];
	unsigned int n = make_spots(t, s), i, m, step = 0, moved = 1;
	unsigned int members = n - t->nrings + 1, knows[NET_MAX];
	int out[2 * NET_MAX];
	bool has[NET_MAX][NET_MAX] = { { false } };

	memset(r, 0, sizeof(*r));
	for (i = 0; i < NET_MAX; i++) {
		has[i][i] = true;
		knows[i] = 1;
	}
	while (moved) {
		moved = 0;
		for (i = 0; i < n; i++) {
			struct queue *q = s[i].round.first < s[i].round.end ? &s[i].round :
					  &s[i].added;

			out[i] = q->first < q->end ? (int)q->m[q->first++] : -1;
			moved += out[i] >= 0;
		}
		step += moved > 0;
		for (i = 0; i < n; i++) {
			unsigned int at = s[i].next, u = s[at].node;

			if (out[i] < 0)
				continue;
			m = (unsigned int)out[i];
			if (m == u)
				r->back[u] = step;
			if (has[u][m])
				continue;
			has[u][m] = true;
			spread(s, n, at, m, hot);
			if (++knows[m] == members) {
				r->known[m] = step;
				r->deliver = step;
			}
		}
		r->frames += moved;
	}
	r->acknowledge = step;
}

/* --- a broadcast along one path through all rings --- */

/* The path through all rings: from each node of a ring it goes around the rings attached to the
 * node, and then on. @begin: first place of each ring. @link and @from: for each position on the
 * path, the place at which its link begins, and the node there. @n: length of the path.
 */
struct walk {
	const struct hc_ring_tree *t;
	unsigned int begin[2 * NET_MAX + 1];
	unsigned int link[2 * NET_MAX];
	unsigned int from[2 * NET_MAX];
	unsigned int n;
};

/* Append ring @r, from the node @common on, and the rings attached to its nodes to the path. */
static void walk_ring(struct walk *w, unsigned int r, unsigned int common)
{
	unsigned int size = w->t->ring[r].size, first = 0, i, k, q, at;

	while (r && w->t->node[w->begin[r] + first] != common)
		first++;
	for (i = 0; i < size; i++) {
		at = w->begin[r] + (first + i) % size;
		for (q = r + 1; q < w->t->nrings && (i || !r); q++) {
			for (k = w->begin[q]; k < w->begin[q + 1]; k++)
				if (w->t->ring[q].parent == r && w->t->node[k] == w->t->node[at])
					walk_ring(w, q, w->t->node[at]);
		}
		w->from[w->n] = w->t->node[at];
		w->link[w->n++] = at;
	}
}

/* Return: the position at which the message of node @u begins: behind the link that leads to @u in
 * its home ring.
 */
static unsigned int walk_start(const struct walk *w, unsigned int u)
{
	unsigned int r, i, k;

	for (r = 0; r < w->t->nrings; r++)
		for (i = 0; i < w->t->ring[r].size; i++) {
			if (w->t->node[w->begin[r] + i] != u)
				continue;
			i = w->begin[r] + (i + w->t->ring[r].size - 1) % w->t->ring[r].size;
			for (k = 0; w->link[k] != i; k++)
				;
			return (k + 1) % w->n;
		}
	return 0;
}

/* Send the message of node @u along the whole path, over one link in each step. @used: links that
 * messages use in each step. @when: set to the step after which each node has the message. @last:
 * set to the last step. Return: false if a link is in use already, or a node lacks the message that
 * it has to send.
 */
static bool walk_message(const struct walk *w, unsigned int u, bool used[][2 * NET_MAX],
			 unsigned int *when, unsigned int *last)
{
	unsigned int start = walk_start(w, u), i, p, to;

	for (i = 0; i < w->n; i++) {
		p = (start + i) % w->n;
		to = w->from[(p + 1) % w->n];
		/* In step i + 1 no other message is on the link, and the node before it has the
		 * message already.
		 */
		if (used[p][i] || when[w->from[p]] > i)
			return false;
		used[p][i] = true;
		if (when[to] > i + 1)
			when[to] = i + 1;
		*last = i + 1;
	}
	return true;
}

bool tree_walk(const struct hc_ring_tree *t, struct trial *r)
{
	static bool used[2 * NET_MAX][2 * NET_MAX];
	unsigned int when[NET_MAX], i, k, u, last = 0;
	struct walk w = { .t = t };

	memset(r, 0, sizeof(*r));
	memset(used, 0, sizeof(used));
	for (i = 0; i < t->nrings; i++)
		w.begin[i + 1] = w.begin[i] + t->ring[i].size;
	walk_ring(&w, 0, 0);
	if (w.n != t->nnodes)
		return false;
	for (u = 0; u < NET_MAX; u++) {
		for (i = 0; i < w.n && w.from[i] != u; i++)
			;
		if (i == w.n)
			continue;
		for (k = 0; k < NET_MAX; k++)
			when[k] = k == u ? 0 : ~0u;
		if (!walk_message(&w, u, used, when, &last))
			return false;
		r->frames += w.n;
		for (i = 0; i < w.n; i++)
			if (when[w.from[i]] > r->deliver)
				r->deliver = when[w.from[i]];
	}
	r->acknowledge = last;
	return true;
}
