// SPDX-License-Identifier: GPL-2.0
/*
 * How many steps an all-to-all broadcast over a ring tree takes.
 *
 * In each step each node sends one message in each of its rings, and what the last of a ring sends
 * to the first takes one step, too.  It sends what it knows, in the order in which it learnt
 * it, its own message first.  Or, as the paper has it, what came in the ring in the step
 * before goes on at once, as a hot potato, and only when there is nothing like that the node
 * adds what it knows from elsewhere.
 *
 * What comes and is known has gone round and ends there.  So each message goes over each link of
 * each ring once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "ring_impl.h"

#define NOTHING HC_RING_NONE

/**
 * struct count - messages on their way
 * @t: the tree
 * @hot: hot potatoes first
 * @n: members
 * @rank: of each virtual node, which of the members it is
 * @known: the messages that a member knows, in their order: @n for each
 * @via: in which ring each of them came; HC_RING_NONE: in none, it is its own
 * @nknown: how many
 * @has: the same as a set of bits, @n for each
 * @potato: what a virtual node has to pass on at once, or NOTHING
 * @looked: at how many of those that it knows it has looked in order to send them
 * @sent: what each virtual node sends in this step, or NOTHING
 * @missing: messages that are not known somewhere
 * @open: messages that have not gone over some link of a ring
 */
struct count {
	const struct hc_ring_tree *t;
	bool hot;
	uint32_t n;
	uint16_t *rank;
	uint16_t *known;
	uint16_t *via;
	uint32_t *nknown;
	uint64_t *has;
	uint16_t *potato;
	uint32_t *looked;
	uint16_t *sent;
	uint64_t missing;
	uint64_t open;
};

static bool knows(const struct count *c, uint32_t u, uint32_t m)
{
	const uint64_t bit = (uint64_t)u * c->n + m;

	return c->has[bit / 64] >> (bit % 64) & 1;
}

static void learn(struct count *c, uint32_t u, uint32_t m, uint32_t ring)
{
	const uint64_t bit = (uint64_t)u * c->n + m;
	const size_t at = (size_t)u * c->n + c->nknown[u]++;

	c->has[bit / 64] |= 1ULL << (bit % 64);
	c->known[at] = (uint16_t)m;
	c->via[at] = (uint16_t)ring;
	c->missing--;
}

/* What virtual node @v sends in @ring. */
static uint32_t next_of(struct count *c, uint32_t ring, uint32_t v)
{
	const uint32_t u = c->rank[v];
	const size_t first = (size_t)u * c->n;
	uint32_t m = c->potato[v];

	c->potato[v] = NOTHING;
	while (m == NOTHING && c->looked[v] < c->nknown[u]) {
		if (!c->hot || c->via[first + c->looked[v]] != ring)
			m = c->known[first + c->looked[v]];
		c->looked[v]++;
	}
	return m;
}

/* First all send, so what they send is known from before; then all receive. */
static void send_all(struct count *c)
{
	uint32_t r, i, v = 0;

	for (r = 0; r < c->t->nrings; r++)
		for (i = 0; i < c->t->ring[r].size; i++, v++)
			c->sent[v] = (uint16_t)next_of(c, r, v);
}

static void receive(struct count *c, uint32_t ring, uint32_t v, uint32_t m)
{
	if (m == NOTHING)
		return;
	c->open--;
	if (knows(c, c->rank[v], m))
		return;
	learn(c, c->rank[v], m, ring);
	if (c->hot)
		c->potato[v] = (uint16_t)m;
}

static void receive_all(struct count *c)
{
	uint32_t r, begin = 0, i;

	for (r = 0; r < c->t->nrings; begin += c->t->ring[r].size, r++) {
		const uint32_t last = c->t->ring[r].size - 1;

		for (i = 0; i < last; i++)
			receive(c, r, begin + i + 1, c->sent[begin + i]);
		receive(c, r, begin, c->sent[begin + last]);
	}
}

static void run(struct count *c, struct hc_ring_count *count)
{
	uint32_t step = 0, i;

	for (i = 0; i < c->t->nnodes; i++)
		c->potato[i] = NOTHING;
	for (i = 0; i < c->n; i++)
		learn(c, i, i, HC_RING_NONE);
	while (c->open) {
		send_all(c);
		receive_all(c);
		step++;
		if (!c->missing && !count->deliver)
			count->deliver = step;
	}
	count->acknowledge = step;
}

/* How many numbers of nodes a table by node needs. */
static size_t numbers(const struct hc_ring_tree *t)
{
	uint32_t i, most = 0;

	for (i = 0; i < t->nnodes; i++)
		if (t->node[i] > most)
			most = t->node[i];
	return (size_t)most + 1;
}

/* Number the members as they come. */
static void set_ranks(struct count *c, uint16_t *of)
{
	uint32_t i, n = 0;

	memset(of, 0xff, numbers(c->t) * sizeof(*of));
	for (i = 0; i < c->t->nnodes; i++) {
		if (of[c->t->node[i]] == NOTHING)
			of[c->t->node[i]] = (uint16_t)n++;
		c->rank[i] = of[c->t->node[i]];
	}
}

int hc_ring_steps(const struct hc_ring_tree *t, bool hot, struct hc_ring_count *count)
{
	const size_t n = t->nnodes - (t->nrings - 1), all = n * n;
	struct count c = {
		.t = t, .hot = hot, .n = (uint32_t)n,
		.rank = calloc(t->nnodes, sizeof(*c.rank)),
		.known = malloc(all * sizeof(*c.known)),
		.via = malloc(all * sizeof(*c.via)),
		.nknown = calloc(n, sizeof(*c.nknown)),
		.has = calloc(all / 64 + 1, sizeof(*c.has)),
		.potato = calloc(t->nnodes, sizeof(*c.potato)),
		.looked = calloc(t->nnodes, sizeof(*c.looked)),
		.sent = calloc(t->nnodes, sizeof(*c.sent)),
		.missing = all, .open = (uint64_t)n * t->nnodes,
	};
	uint16_t *of = malloc(numbers(t) * sizeof(*of));
	int rc = -ENOMEM;

	*count = (struct hc_ring_count){};
	if (c.rank && c.known && c.via && c.nknown && c.has && c.potato && c.looked && c.sent &&
	    of) {
		set_ranks(&c, of);
		run(&c, count);
		rc = 0;
	}
	hc_free_all(c.rank, c.known, c.via, c.nknown, c.has, c.potato, c.looked, c.sent, of);
	return rc;
}
