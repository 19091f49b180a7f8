// SPDX-License-Identifier: GPL-2.0
/*
 * Long cycles of networks of many nodes, by rotations and extensions (Posa).
 *
 * A path grows at its end.  Where it cannot, its end has neighbours on the path only; taking
 * the link to one of them, and giving up the one behind that, turns the rest of the path
 * around and makes another end.  A path whose ends are neighbours is a cycle: that may be
 * opened anywhere, so next to a node that it does not have.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ring_impl.h"

/* Rotations in vain, for each node of the path, until another path is begun. */
#define PATIENCE 12
#define OFF UINT32_MAX

/**
 * struct search - a path, and the longest cycle so far
 * @g: the network
 * @in: nodes that may be taken
 * @most: no cycle has more
 * @best: length of the longest
 * @path: of it, if @found
 * @found: it is one of this search
 * @moves: work that may still be done
 * @p: the path that grows
 * @len: its length
 * @pos: of each node its place in @p, or OFF
 * @seed: of random numbers, the same each time
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

static uint32_t any(struct search *s, uint32_t below)
{
	s->seed ^= s->seed << 13;
	s->seed ^= s->seed >> 7;
	s->seed ^= s->seed << 17;
	return (uint32_t)(s->seed >> 32) % below;
}

static void work(struct search *s, uint32_t n)
{
	s->moves -= n < s->moves ? n : s->moves;
}

static bool is_free(const struct search *s, uint32_t u)
{
	return s->in[u] && s->pos[u] == OFF;
}

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

/* To the neighbour that has the fewest ways on: later none might lead there. */
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

/* From @from on the path is a cycle: keep it if it is the longest. */
static void keep(struct search *s, uint32_t from)
{
	if (s->len - from <= s->best || s->len - from < 3)
		return;
	s->best = s->len - from;
	s->found = true;
	memcpy(s->path, s->p + from, s->best * sizeof(*s->p));
	work(s, s->best);
}

/* The path is a cycle: open it next to a free node, the first one from a random place on. */
static void open_cycle(struct search *s)
{
	uint32_t start = any(s, s->len), i, n;

	for (n = 0; s->len < s->most && n < s->len; n++)
		if (free_neighbours(s, s->p[(start + n) % s->len]))
			break;
	if (s->len == s->most || n == s->len)
		return;
	i = (start + n) % s->len;
	/* Three turns bring what is behind it to the front. */
	reverse(s, 0, s->len - 1);
	i = s->len - 1 - i;
	if (i)
		reverse(s, 0, i - 1);
	reverse(s, i, s->len - 1);
}

/* The place of the neighbour to turn at: best so that the path can grow then, or else that
 * it is a cycle, or else any; OFF: there is none.
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

/* Until nothing moves for long. */
static void grow(struct search *s)
{
	uint32_t idle = 0, at;

	while (s->moves && s->best < s->most && idle < PATIENCE * s->len + 64) {
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

static void forget(struct search *s)
{
	while (s->len)
		s->pos[s->p[--s->len]] = OFF;
}

/* A path of any one node. */
static void begin(struct search *s)
{
	uint32_t u;

	do
		u = any(s, s->g->nodes);
	while (!s->in[u]);
	append(s, u);
}

/* The longest cycle so far, opened somewhere. */
static void begin_again(struct search *s)
{
	uint32_t i;

	for (i = 0; i < s->best; i++)
		append(s, s->path[i]);
	open_cycle(s);
}

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
