// SPDX-License-Identifier: GPL-2.0
/*
 * Long cycles of networks of many nodes, by rotations and extensions (Posa).
 *
 * A path grows at its end. If it cannot grow, all neighbours of its end are on the path. The path
 * can then take the link from its end to one of them, v, and drop the link behind v: the section
 * behind v is reversed, and the path has another end. This change is a rotation. A path whose two
 * ends are neighbours is a cycle. A cycle may be opened anywhere, so it is opened next to a node
 * that is not on it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ring_impl.h"

/* Number of rotations without growth, per node of the path, after which another path is begun. */
#define IDLE_MAX 12
#define OFF UINT32_MAX

/**
 * struct search - a path under construction, and the longest cycle so far
 * @g: the network
 * @in: for each node, whether it may be used
 * @most: no cycle has more nodes
 * @best: length of the longest cycle so far
 * @path: the longest cycle so far, if @found
 * @found: this search has found a cycle of length @best
 * @moves: amount of work that may still be done
 * @p: the path under construction
 * @len: number of its nodes
 * @pos: for each node, its index in @p, or OFF
 * @seed: state of the random number generator, which begins with the same value each time
 */
struct search {
	const struct hc_graph *g;
	const bool *in;
	uint32_t most;
	uint32_t best;
	uint16_t *path;
	bool found;
	uint64_t moves;
	uint16_t *p;
	uint32_t len;
	uint32_t *pos;
	uint64_t seed;
};

/* Return: a random number below @below. */
static uint32_t any(struct search *s, uint32_t below)
{
	s->seed ^= s->seed << 13;
	s->seed ^= s->seed >> 7;
	s->seed ^= s->seed << 17;
	return (uint32_t)(s->seed >> 32) % below;
}

/* Count @n units of work. */
static void work(struct search *s, uint32_t n)
{
	s->moves -= n < s->moves ? n : s->moves;
}

/* Return: true if @u may be used and is not on the path. */
static bool is_free(const struct search *s, uint32_t u)
{
	return s->in[u] && s->pos[u] == OFF;
}

/* Return: number of neighbours of @u that are free, see is_free(). */
static uint32_t free_neighbours(struct search *s, uint32_t u)
{
	uint32_t i, n = 0;

	for (i = s->g->first[u]; i < s->g->first[u + 1]; i++)
		n += is_free(s, s->g->to[i]);
	work(s, hc_graph_degree(s->g, u));
	return n;
}

static void append(struct search *s, uint32_t u)
{
	s->pos[u] = s->len;
	s->p[s->len++] = (uint16_t)u;
}

/* Extend the path to the neighbour of its end that has the fewest free neighbours, because later
 * there might be no path to that node. Return: false if the end has no free neighbour.
 */
static bool extend(struct search *s)
{
	uint32_t end = s->p[s->len - 1], i, n, found = 0, best = 0, ties = 0, least = OFF;

	for (i = s->g->first[end]; s->len < s->most && i < s->g->first[end + 1]; i++) {
		if (!is_free(s, s->g->to[i]))
			continue;
		found++;
		n = free_neighbours(s, s->g->to[i]);
		ties = n < least ? 1 : ties + (n == least);
		if (n < least || (n == least && !any(s, ties)))
			best = s->g->to[i];
		if (n < least)
			least = n;
	}
	if (found)
		append(s, best);
	return found;
}

/* Reverse the path between the indices @from and @to. */
static void reverse(struct search *s, uint32_t from, uint32_t to)
{
	work(s, to - from);
	for (; from < to; from++, to--) {
		uint16_t u = s->p[from];

		s->p[from] = s->p[to];
		s->p[to] = u;
		s->pos[s->p[from]] = from;
		s->pos[s->p[to]] = to;
	}
}

/* Record the path from index @from on, which is a cycle, if that is the longest so far. */
static void keep(struct search *s, uint32_t from)
{
	if (s->len - from <= s->best || s->len - from < 3)
		return;
	s->best = s->len - from;
	s->found = true;
	memcpy(s->path, s->p + from, s->best * sizeof(*s->p));
	work(s, s->best);
}

/* Open the path, which is a cycle, next to a free node: the first one from a random index on. */
static void open_cycle(struct search *s)
{
	uint32_t start = any(s, s->len), i, n;

	for (n = 0; s->len < s->most && n < s->len; n++)
		if (free_neighbours(s, s->p[(start + n) % s->len]))
			break;
	if (s->len == s->most || n == s->len)
		return;
	i = (start + n) % s->len;
	/* Three reversals move the nodes behind index i to the front. */
	reverse(s, 0, s->len - 1);
	i = s->len - 1 - i;
	if (i)
		reverse(s, 0, i - 1);
	reverse(s, i, s->len - 1);
}

/* Choose the neighbour of the path's end at which the path is rotated: preferably one after which
 * the path can grow, else one after which it is a cycle, else any. Return: its index, or OFF if
 * there is none.
 */
static uint32_t choose(struct search *s)
{
	uint32_t end = s->p[s->len - 1], i, at, next, found = OFF, rank = 0, ties = 0, r;

	for (i = s->g->first[end]; i < s->g->first[end + 1]; i++) {
		at = s->in[s->g->to[i]] ? s->pos[s->g->to[i]] : OFF;
		if (at == OFF || at + 2 >= s->len)
			continue;
		keep(s, at);
		next = s->p[at + 1];
		r = s->len < s->most && free_neighbours(s, next) ? 3 :
		    hc_graph_linked(s->g, next, s->p[0]) && at ? 2 : 1;
		ties = r > rank ? 1 : ties + (r == rank);
		if (r > rank || (r == rank && !any(s, ties)))
			found = at;
		if (r > rank)
			rank = r;
	}
	return found;
}

static bool is_cycle(const struct search *s)
{
	return s->len > 2 && hc_graph_linked(s->g, s->p[s->len - 1], s->p[0]);
}

/* Extend and rotate the path until it has not grown for a long time. */
static void grow(struct search *s)
{
	uint32_t idle = 0, at;

	while (s->moves && s->best < s->most && idle < IDLE_MAX * s->len + 64) {
		if (extend(s)) {
			idle = 0;
			continue;
		}
		if (is_cycle(s)) {
			keep(s, 0);
			open_cycle(s);
			if (s->len < s->most && free_neighbours(s, s->p[s->len - 1]))
				continue;
		}
		at = ++idle % 32 ? choose(s) : OFF;
		if (at != OFF)
			reverse(s, at + 1, s->len - 1);
		else
			reverse(s, 0, s->len - 1);
	}
}

/* Make the path empty. */
static void forget(struct search *s)
{
	while (s->len)
		s->pos[s->p[--s->len]] = OFF;
}

/* Begin with a path of one random node. */
static void begin(struct search *s)
{
	uint32_t u;

	do
		u = any(s, s->g->nodes);
	while (!s->in[u]);
	append(s, u);
}

/* Begin with the longest cycle so far, opened at a random place. */
static void begin_again(struct search *s)
{
	uint32_t i;

	for (i = 0; i < s->best; i++)
		append(s, s->path[i]);
	open_cycle(s);
}

/* Try paths until the work is used up, or a cycle of @s->most nodes is found. */
static void search(struct search *s)
{
	uint32_t round;

	for (round = 0; s->moves && s->best < s->most; round++) {
		if (s->found && round % 4)
			begin_again(s);
		else
			begin(s);
		grow(s);
		forget(s);
		work(s, s->most);
	}
}

int ring_search(const struct hc_graph *g, const bool *in, uint32_t n, uint32_t most,
		uint32_t best, uint64_t *moves, uint16_t *path)
{
	struct search s = {
		.g = g, .in = in, .most = most, .best = best, .path = path, .moves = *moves,
		.p = calloc(n, sizeof(*s.p)),
		.pos = malloc(g->nodes * sizeof(*s.pos)),
		.seed = 88172645463325252u,
	};
	int rc = -ENOMEM;

	if (s.p && s.pos) {
		memset(s.pos, 0xff, g->nodes * sizeof(*s.pos));
		search(&s);
		*moves = s.moves;
		rc = (int)s.best;
	}
	free(s.p);
	free(s.pos);
	return rc;
}
