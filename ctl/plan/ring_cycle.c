// SPDX-License-Identifier: GPL-2.0
/*
 * Long cycles. They are searched for in each block (a biconnected component: it stays connected if
 * any one of its nodes fails), because a cycle never leaves a block.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "ring_impl.h"

/* The most work for a cycle, in nodes of paths that are moved: per node of the network, and in all.
 */
#define MOVES_EACH 50000ULL
#define MOVES_MOST 400000000ULL

/* The blocks. @node: their nodes, one block after the other. @first: for each block, index of its
 * first node; and the end of the last block. @n: number of blocks.
 */
struct blocks {
	uint16_t *node;
	uint32_t *first;
	uint32_t n;
};

/**
 * struct dfs - a depth-first search without recursion
 * @g: the network
 * @nr: for each node, its number in the order in which nodes are found, from 1
 * @low: for each node, the least @nr of the nodes to which it, or a node found after it, has a
 *	link
 * @up: for each node, the node from which it was found
 * @next: for each node, index of its next link to follow
 * @stack: the nodes that are in no block yet
 * @depth: number of nodes on the stack
 */
struct dfs {
	const struct hc_graph *g;
	uint32_t *nr;
	uint32_t *low;
	uint32_t *up;
	uint32_t *next;
	uint16_t *stack;
	uint32_t depth;
};

/* Make a block of @u and of the nodes on the stack from @v on, which were found from @v. */
static void take_block(struct dfs *s, struct blocks *b, uint32_t u, uint32_t v)
{
	uint32_t at = b->first[b->n];

	do
		b->node[at++] = s->stack[--s->depth];
	while (s->stack[s->depth] != v);
	b->node[at++] = (uint16_t)u;
	b->first[++b->n] = at;
}

/* Set up node @u, number @nr, which was found from node @up. */
static void discover(struct dfs *s, uint32_t u, uint32_t up, uint32_t nr)
{
	s->nr[u] = nr;
	s->low[u] = nr;
	s->up[u] = up;
	s->next[u] = s->g->first[u];
	s->stack[s->depth++] = (uint16_t)u;
}

/* Find the blocks of the network, all of whose nodes are connected. */
static void find_blocks(struct dfs *s, struct blocks *b)
{
	uint32_t u = 0, v, found = 1;

	discover(s, 0, 0, found);
	for (;;) {
		if (s->next[u] < s->g->first[u + 1]) {
			v = s->g->to[s->next[u]++];
			if (!s->nr[v]) {
				discover(s, v, u, ++found);
				u = v;
			} else if (s->nr[v] < s->low[u]) {
				s->low[u] = s->nr[v];
			}
			continue;
		}
		if (!u)
			return;
		v = u;
		u = s->up[v];
		if (s->low[v] >= s->nr[u])
			take_block(s, b, u, v);
		else if (s->low[v] < s->low[u])
			s->low[u] = s->low[v];
	}
}

/* Find all blocks. Return: 0 or -ENOMEM; the caller releases @b in any case. */
static int blocks_of(const struct hc_graph *g, struct blocks *b)
{
	struct dfs s = {
		.g = g,
		.nr = calloc(4 * (size_t)g->nodes, sizeof(*s.nr)),
		.stack = calloc(g->nodes, sizeof(*s.stack)),
	};
	int rc = -ENOMEM;

	b->node = calloc(2 * (size_t)g->nodes, sizeof(*b->node));
	b->first = calloc(g->nodes + 1, sizeof(*b->first));
	b->n = 0;
	if (s.nr && s.stack && b->node && b->first) {
		s.low = s.nr + g->nodes;
		s.up = s.low + g->nodes;
		s.next = s.up + g->nodes;
		find_blocks(&s, b);
		rc = 0;
	}
	free(s.nr);
	free(s.stack);
	return rc;
}

/**
 * struct cycle - the state of the search for the longest cycle
 * @g: the network
 * @in: for each node, whether it is in the block
 * @side: for each node of a bipartite block, its side, 1 or 2; 0: not visited yet
 * @queue: memory for all nodes
 * @best: length of the longest cycle so far
 * @path: the longest cycle so far
 * @moves: amount of work that may still be done
 */
struct cycle {
	const struct hc_graph *g;
	bool *in;
	uint8_t *side;
	uint16_t *queue;
	uint32_t best;
	uint16_t *path;
	uint64_t moves;
};

/* Return: an upper bound of the length of a cycle in a block of @n nodes: @n or, if the block is
 * bipartite, twice the size of its smaller side.
 */
static uint32_t bound(struct cycle *c, const uint16_t *node, uint32_t n)
{
	uint32_t head = 0, tail = 1, i, count[2] = { 1, 0 };

	c->queue[0] = node[0];
	c->side[node[0]] = 1;
	for (; head < tail; head++) {
		const uint32_t u = c->queue[head];

		for (i = c->g->first[u]; i < c->g->first[u + 1]; i++) {
			const uint32_t v = c->g->to[i];

			if (!c->in[v])
				continue;
			if (c->side[v] == c->side[u])
				return n;
			if (c->side[v])
				continue;
			c->side[v] = 3 - c->side[u];
			count[c->side[v] - 1]++;
			c->queue[tail++] = (uint16_t)v;
		}
	}
	return 2 * (count[0] < count[1] ? count[0] : count[1]);
}

/* Search one block for a cycle that is longer than the longest so far. */
static int try_block(struct cycle *c, const uint16_t *node, uint32_t n)
{
	uint32_t i, most;
	int len = 0;

	for (i = 0; i < n; i++) {
		c->in[node[i]] = true;
		c->side[node[i]] = 0;
	}
	most = bound(c, node, n);
	if (most <= c->best)
		len = (int)c->best;
	else if (n > RING_EXACT_MAX)
		len = ring_search(c->g, c->in, n, most, c->best, &c->moves, c->path);
	else
		len = ring_exact(c->g, node, n, c->best, c->path);
	for (i = 0; i < n; i++)
		c->in[node[i]] = false;
	if (len < 0)
		return len;
	c->best = (uint32_t)len;
	return 0;
}

/* Search the blocks, the largest first: a long cycle found there leaves few blocks that can have a
 * longer one.
 */
static int try_blocks(struct cycle *c, const struct blocks *b)
{
	uint32_t i, size, most = c->g->nodes + 1, next;
	int rc = 0;

	for (; !rc && most > 2; most = next) {
		next = 0;
		for (i = 0; !rc && i < b->n; i++) {
			size = b->first[i + 1] - b->first[i];
			if (size == most && size > 2)
				rc = try_block(c, b->node + b->first[i], size);
			else if (size < most && size > next)
				next = size;
		}
	}
	return rc;
}

int ring_cycle(const struct hc_graph *g, uint16_t *path)
{
	struct cycle c = {
		.g = g, .path = path,
		.in = calloc(g->nodes, sizeof(*c.in)),
		.side = calloc(g->nodes, sizeof(*c.side)),
		.queue = calloc(g->nodes, sizeof(*c.queue)),
		.moves = MOVES_EACH * g->nodes < MOVES_MOST ? MOVES_EACH * g->nodes : MOVES_MOST,
	};
	struct blocks b;
	int rc = blocks_of(g, &b);

	if (!c.in || !c.side || !c.queue)
		rc = -ENOMEM;
	if (!rc)
		rc = try_blocks(&c, &b);
	hc_free_all(c.in, c.side, c.queue, b.node, b.first);
	return rc ?: (int)c.best;
}
