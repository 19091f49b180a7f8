// SPDX-License-Identifier: GPL-2.0
/*
 * Breadth-first search, see hc_bfs.h.
 *
 * All nodes of a set are moved along dimension d at once. For d >= 6, exchange the 64-bit words
 * whose indices differ in bit d - 6. For d < 6, exchange within each word the bits whose positions
 * differ in bit d.
 */
#include "hc_bfs.h"

/* The nodes of one 64-bit word differ in this many dimensions. */
#define WORD_DIM	6
/* A level with fewer nodes than (words of a set) / FEW is searched node by node. */
#define FEW		2

/* Results of a search up to now. */
struct found {
	__u32 root;
	__u32 tail;
	__u8 *hop;
	__u16 *dist;
};

static __u32 set_words(const struct hc_topo *topo)
{
	return (topo->nodes + 63) / 64;
}

size_t hc_bfs_room(const struct hc_topo *topo)
{
	return (topo->ports + 2) * (size_t)set_words(topo) * sizeof(__u64) +
	       topo->nodes * sizeof(__u16);
}

static void set_del(__u64 *set, __u32 u)
{
	set[u / 64] &= ~(1ULL << (u % 64));
}

void hc_bfs_init(struct hc_bfs *b, const struct hc_topo *topo, void *room)
{
	unsigned int d;
	__u32 u;

	b->topo = *topo;
	b->words = set_words(topo);
	b->good = room;
	b->left = b->good + topo->ports * b->words;
	b->level = b->left + b->words;
	b->queue = (__u16 *)(b->level + b->words);
	memset(b->good, 0xff, topo->ports * b->words * sizeof(__u64));
	for (u = 0; topo->peers && u < topo->nodes; u++)
		for (d = 0; d < topo->ports; d++)
			if (!hc_port_exists(topo, u, d))
				set_del(b->good + d * b->words, u);
}

void hc_bfs_fault(struct hc_bfs *b, __u32 u, __u32 fault)
{
	unsigned int d;

	for (d = 0; d < b->topo.ports; d++)
		if (fault & hc_bit(d)) {
			set_del(b->good + d * b->words, u);
			set_del(b->good + d * b->words, hc_peer(&b->topo, u, d));
		}
}

/* Return: word @i of the set to which @set moves along dimension @d. */
static __u64 moved(const __u64 *set, __u32 i, unsigned int d)
{
	/* low[d]: the nodes whose coordinate along d is 0. */
	static const __u64 low[WORD_DIM] = {
		0x5555555555555555ULL, 0x3333333333333333ULL, 0x0f0f0f0f0f0f0f0fULL,
		0x00ff00ff00ff00ffULL, 0x0000ffff0000ffffULL, 0x00000000ffffffffULL,
	};

	if (d >= WORD_DIM)
		return set[i ^ hc_bit(d - WORD_DIM)];
	return (set[i] & low[d]) << hc_bit(d) | ((set[i] >> hc_bit(d)) & low[d]);
}

/* Record that node @v was reached along dimension @d. */
static void reached(struct hc_bfs *b, struct found *f, __u32 v, unsigned int d)
{
	__u32 from = hc_peer(&b->topo, v, d);

	if (f->hop)
		f->hop[v] = from == f->root ? d : f->hop[from];
	if (f->dist)
		f->dist[v] = f->dist[from] + 1;
	b->queue[f->tail++] = (__u16)v;
}

/* Visit the neighbours of node @u that have not been reached. */
static void node_step(struct hc_bfs *b, struct found *f, __u32 u)
{
	unsigned int d;

	for (d = 0; d < b->topo.ports; d++) {
		__u32 v = hc_peer(&b->topo, u, d);

		if (!((b->left[v / 64] >> (v % 64)) & 1) || !hc_bfs_good(b, u, d))
			continue;
		set_del(b->left, v);
		reached(b, f, v, d);
	}
}

/* In a cube: visit the neighbours of all nodes of the level that have not been reached. */
static void level_step(struct hc_bfs *b, struct found *f)
{
	unsigned int d;
	__u32 i;

	for (d = 0; d < b->topo.dim; d++)
		for (i = 0; i < b->words; i++) {
			__u64 v = moved(b->level, i, d) & b->good[d * b->words + i] & b->left[i];

			b->left[i] &= ~v;
			for (; v; v &= v - 1)
				reached(b, f, 64 * i + hc_first64(v), d);
		}
}

static void level_set(struct hc_bfs *b, __u32 head, __u32 tail)
{
	memset(b->level, 0, b->words * sizeof(__u64));
	for (; head < tail; head++)
		b->level[b->queue[head] / 64] |= 1ULL << (b->queue[head] % 64);
}

__u32 hc_bfs_run(struct hc_bfs *b, __u32 root, __u8 *hop, __u16 *dist)
{
	struct found f = { .root = root, .hop = hop, .dist = dist };
	__u32 head = 0, nodes = b->topo.nodes;

	if (hop)
		memset(hop, HC_BFS_NO_HOP, nodes);
	if (dist) {
		memset(dist, 0xff, nodes * sizeof(*dist));
		dist[root] = 0;
	}
	memset(b->left, 0xff, b->words * sizeof(__u64));
	set_del(b->left, root);
	b->queue[f.tail++] = (__u16)root;
	while (head < f.tail) {
		__u32 tail = f.tail;

		if (b->topo.peers || FEW * (tail - head) < b->words) {
			for (; head < tail; head++)
				node_step(b, &f, b->queue[head]);
		} else {
			level_set(b, head, tail);
			level_step(b, &f);
			head = tail;
		}
	}
	return f.tail;
}
