// SPDX-License-Identifier: GPL-2.0
/*
 * Edge-disjoint rings: several cycles through all nodes, no two of which share a link.
 *
 * Links get directions such that for each node the numbers of outgoing and incoming links differ by
 * at most one (an Euler tour does this). A choice of one outgoing link of each node, no two of
 * which lead to the same node, is a set of cycles through all nodes, a 2-factor. As many 2-factors
 * as rings are wanted are found by matchings (by Petersen's theorem they exist if all nodes have
 * the same even number of links).
 *
 * Then the cycles of each 2-factor are joined. If the sides of a square belong alternately to two
 * factors, or alternately to a factor and to none, these sides can be exchanged: the factors stay
 * 2-factors, and the number of their cycles falls, grows or stays the same. Random exchanges that
 * do not raise the number of cycles lead to one cycle in each factor; in cubes and tori this takes
 * little time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "ring_impl.h"

/* The most squares that are tried for each choice of factors, per node and ring; and the most nodes
 * that get new numbers.
 */
#define SQUARES_EACH	3000
#define NUMBERED_MOST	150000000ull
/* Of the exchanges that raise the number of cycles, one in this many is made anyway. */
#define UPHILL		500
/* The most directions of the links that are tried until factors are found, and the most choices of
 * factors that are tried until rings are found.
 */
#define TRIES		32
#define CHOICES		8
/* The most rounds of the search for a mate for each node with an odd number of links. */
#define MATE_ROUNDS	64

/**
 * struct factors - the 2-factors of a network
 * @g: the network, all of whose nodes are connected
 * @k: number of factors
 * @in: for each end of a link (index as in g->to), number of the factor that has the link,
 *	from 1; 0: none
 * @near: for each factor and node, the node's two neighbours in the factor
 * @place: for each factor and node, the node's place in its cycle
 * @cycle: for each factor and node, number of the node's cycle
 * @size: for each factor and cycle, number of nodes of the cycle
 * @cycles: for each factor, number of its cycles
 * @numbered: number of nodes that have got new numbers during this choice of factors
 * @random: state of the random number generator
 */
struct factors {
	const struct hc_graph *g;
	uint32_t k;
	uint8_t *in;
	uint16_t (*near)[2];
	uint16_t *place;
	uint16_t *cycle;
	uint16_t *size;
	uint32_t *cycles;
	uint64_t numbered;
	uint64_t random;
};

static uint32_t random_below(struct factors *f, uint32_t n)
{
	f->random = f->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((f->random >> 33) % n);
}

/* Return: index in g->to of the link from @u to @v; UINT32_MAX if there is none. */
static uint32_t slot_of(const struct hc_graph *g, uint32_t u, uint32_t v)
{
	uint32_t lo = g->first[u], hi = g->first[u + 1], mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (g->to[mid] < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < g->first[u + 1] && g->to[lo] == v ? lo : UINT32_MAX;
}

/* --- 2-factors --- */

/**
 * struct arcs - the directions of the links, and the matching that is being sought
 * @out: for each end of a link, whether the link leaves that end
 * @mate: for each node with an odd number of links, the node to which its link is left out;
 *	the number of nodes if there is none
 * @free: for each node, index of the next of its links to try
 * @match: for each node, the node from which the factor being sought leads to it; the number
 *	of nodes if there is none
 * @seen: for each node, the node (from 1) whose search has tried it last
 * @stack: memory for all nodes
 */
struct arcs {
	bool *out;
	uint32_t *mate;
	uint32_t *free;
	uint32_t *match;
	uint32_t *seen;
	uint32_t *stack;
};

static int arcs_alloc(struct arcs *a, const struct hc_graph *g)
{
	*a = (struct arcs){
		.out = calloc(g->first[g->nodes] + 1, sizeof(*a->out)),
		.mate = calloc(g->nodes, sizeof(*a->mate)),
		.free = calloc(g->nodes, sizeof(*a->free)),
		.match = calloc(g->nodes, sizeof(*a->match)),
		.seen = calloc(g->nodes, sizeof(*a->seen)),
		.stack = calloc(g->nodes, sizeof(*a->stack)),
	};
	return a->out && a->mate && a->free && a->match && a->seen && a->stack ? 0 : -ENOMEM;
}

static void arcs_free(struct arcs *a)
{
	hc_free_all(a->out, a->mate, a->free, a->match, a->seen, a->stack);
}

/* Return: a link of @u that has no direction yet, the first from a random place on; UINT32_MAX if
 * there is none. @marked: for both ends of each link, whether it has a direction.
 */
static uint32_t unmarked(struct factors *f, const bool *marked, uint32_t u)
{
	uint32_t n = hc_graph_degree(f->g, u), i, at = n ? random_below(f, n) : 0;

	for (i = 0; i < n; i++, at = at + 1 == n ? 0 : at + 1)
		if (!marked[f->g->first[u] + at])
			return f->g->first[u] + at;
	return UINT32_MAX;
}

/* Does @u have an odd number of links and no mate? */
static bool is_single(const struct factors *f, const struct arcs *a, uint32_t u)
{
	return hc_graph_degree(f->g, u) & 1 && a->mate[u] == f->g->nodes;
}

/* Make @u and @v mates. */
static void marry(struct arcs *a, uint32_t u, uint32_t v)
{
	a->mate[u] = v;
	a->mate[v] = u;
}

/* Find a mate for @u: a neighbour that has no mate, or whose mate can take another one. Return:
 * true if one was found.
 */
static bool find_mate(struct factors *f, struct arcs *a, uint32_t u)
{
	const struct hc_graph *g = f->g;
	uint32_t i, k, v, w;

	for (i = g->first[u]; i < g->first[u + 1]; i++)
		if (is_single(f, a, g->to[i])) {
			marry(a, u, g->to[i]);
			return true;
		}
	for (i = g->first[u]; i < g->first[u + 1]; i++) {
		v = g->to[i];
		w = a->mate[v];
		for (k = w < g->nodes ? g->first[w] : 0; w < g->nodes && k < g->first[w + 1]; k++)
			if (g->to[k] != u && is_single(f, a, g->to[k])) {
				marry(a, w, g->to[k]);
				marry(a, u, v);
				return true;
			}
		/* At random, take a neighbour that has a mate already; the former mate then has
		 * none.
		 */
		if (w < g->nodes && !random_below(f, 4)) {
			a->mate[w] = g->nodes;
			marry(a, u, v);
			return false;
		}
	}
	return false;
}

/* Leave out links between nodes that have an odd number of links, as many such pairs as are found.
 * The nodes of these pairs then have an even number of links.
 */
static void leave_out(struct factors *f, struct arcs *a, bool *marked)
{
	const struct hc_graph *g = f->g;
	uint32_t u, round;

	for (u = 0; u < g->nodes; u++)
		a->mate[u] = g->nodes;
	for (round = 0; round < MATE_ROUNDS; round++)
		for (u = 0; u < g->nodes; u++)
			if (is_single(f, a, u))
				find_mate(f, a, u);
	for (u = 0; u < g->nodes; u++)
		if (a->mate[u] < g->nodes)
			marked[slot_of(g, u, a->mate[u])] = true;
}

/* Give each link a direction: walk from node to node, until the present node has no link without a
 * direction. First walk from each node that has an odd number of links left, since a walk has to
 * begin or end there; then along closed tours.
 */
static void direct(struct factors *f, struct arcs *a, bool *marked)
{
	uint32_t u, at, slot, left, i, odd;

	memset(marked, 0, f->g->first[f->g->nodes]);
	memset(a->out, 0, f->g->first[f->g->nodes]);
	leave_out(f, a, marked);
	for (odd = 0; odd < 2; odd++)
		for (u = 0; u < f->g->nodes; u++) {
			for (i = f->g->first[u], left = 0; i < f->g->first[u + 1]; i++)
				left += !marked[i];
			if (!odd && !(left & 1))
				continue;
			for (at = u; (slot = unmarked(f, marked, at)) != UINT32_MAX;
			     at = f->g->to[slot]) {
				a->out[slot] = true;
				marked[slot] = true;
				marked[slot_of(f->g, f->g->to[slot], at)] = true;
			}
			/* If links of the node are left, another walk begins there. */
			u -= odd && unmarked(f, marked, u) != UINT32_MAX;
		}
}

/* Search for a link of @u that is in no factor and leads to a node without a match, or to a node
 * whose match can take another link. Depth-first, without recursion. @round: number of the search,
 * from 1. Return: true if the matching has grown.
 */
static bool augment(struct factors *f, struct arcs *a, uint32_t u, uint32_t round)
{
	const struct hc_graph *g = f->g;
	uint32_t depth = 0, v, slot;

	a->stack[depth++] = u;
	a->free[u] = g->first[u];
	while (depth) {
		u = a->stack[depth - 1];
		if (a->free[u] == g->first[u + 1]) {
			depth--;
			continue;
		}
		slot = a->free[u]++;
		v = g->to[slot];
		if (!a->out[slot] || f->in[slot] || a->seen[v] == round)
			continue;
		a->seen[v] = round;
		if (a->match[v] < g->nodes) {
			a->stack[depth++] = a->match[v];
			a->free[a->match[v]] = g->first[a->match[v]];
			continue;
		}
		/* Match each node on the stack with the node that it has tried last. */
		while (depth) {
			u = a->stack[--depth];
			a->match[g->to[a->free[u] - 1]] = u;
		}
		return true;
	}
	return false;
}

/* Find factor @i among the links that are in no factor. Return: false if there is none. */
static bool factor(struct factors *f, struct arcs *a, uint32_t i)
{
	const struct hc_graph *g = f->g;
	uint32_t u, from;

	memset(a->seen, 0, g->nodes * sizeof(*a->seen));
	for (u = 0; u < g->nodes; u++)
		a->match[u] = g->nodes;
	for (u = 0; u < g->nodes; u++)
		if (!augment(f, a, u, u + 1))
			return false;
	for (u = 0; u < g->nodes; u++) {
		from = a->match[u];
		f->in[slot_of(g, from, u)] = (uint8_t)i;
		f->in[slot_of(g, u, from)] = (uint8_t)i;
		f->near[(i - 1) * g->nodes + u][0] = (uint16_t)from;
		f->near[(i - 1) * g->nodes + from][1] = (uint16_t)u;
	}
	return true;
}

/* Find all factors. Return: 0, -ENOMEM, or -ENOENT if fewer than @f->k were found. */
static int factors_find(struct factors *f)
{
	bool *marked = calloc(f->g->first[f->g->nodes] + 1, sizeof(*marked));
	struct arcs a;
	int rc = arcs_alloc(&a, f->g);
	uint32_t try, i = 0;

	if (!marked)
		rc = -ENOMEM;
	for (try = 0; !rc && try < TRIES && i <= f->k; try++) {
		direct(f, &a, marked);
		memset(f->in, 0, f->g->first[f->g->nodes]);
		for (i = 1; i <= f->k && factor(f, &a, i); i++)
			;
	}
	arcs_free(&a);
	free(marked);
	return rc ?: i > f->k ? 0 : -ENOENT;
}

/* --- joining the cycles of the factors --- */

/* Number the nodes of each cycle of factor @i. */
static void number(struct factors *f, uint32_t i)
{
	uint32_t n = f->g->nodes, at = i * n, u, v, next, place;

	f->cycles[i] = 0;
	f->numbered += n;
	for (u = 0; u < n; u++)
		f->cycle[at + u] = UINT16_MAX;
	for (u = 0; u < n; u++) {
		if (f->cycle[at + u] != UINT16_MAX)
			continue;
		for (v = u, next = f->near[at + u][0], place = 0; f->cycle[at + v] == UINT16_MAX;
		     place++) {
			uint32_t before = v;

			f->cycle[at + v] = (uint16_t)f->cycles[i];
			f->place[at + v] = (uint16_t)place;
			v = next;
			next = f->near[at + v][f->near[at + v][0] == before];
		}
		f->size[at + f->cycles[i]++] = (uint16_t)place;
	}
}

/* Does @v follow @u in its cycle of factor @i? The two are neighbours there. */
static bool follows(const struct factors *f, uint32_t i, uint32_t u, uint32_t v)
{
	uint32_t at = i * f->g->nodes, size = f->size[at + f->cycle[at + u]];
	uint32_t next = f->place[at + u] + 1u;

	return f->place[at + v] == (next == size ? 0 : next);
}

/* Return: by how much the number of cycles of factor @i grows if links p-q and r-s are replaced by
 * q-r and s-p.
 */
static int more_cycles(const struct factors *f, uint32_t i, uint32_t p, uint32_t q, uint32_t r,
		       uint32_t s)
{
	uint32_t at = i * f->g->nodes;

	if (f->cycle[at + p] != f->cycle[at + r])
		return -1;
	return follows(f, i, p, q) == follows(f, i, r, s);
}

/* Replace the neighbour @old of @u in factor @i (from 0) by @new. */
static void near_replace(struct factors *f, uint32_t i, uint32_t u, uint32_t old, uint32_t new)
{
	uint16_t *near = f->near[i * f->g->nodes + u];

	near[near[0] != old] = (uint16_t)new;
}

/* Replace links p-q and r-s of factor @i (from 0) by q-r and s-p. */
static void exchange(struct factors *f, uint32_t i, uint32_t p, uint32_t q, uint32_t r, uint32_t s)
{
	near_replace(f, i, p, q, s);
	near_replace(f, i, q, p, r);
	near_replace(f, i, r, s, q);
	near_replace(f, i, s, r, p);
	number(f, i);
}

/* Put the link between @u and @v into factor @i (from 1), or into none (0). */
static void put_in(struct factors *f, uint32_t u, uint32_t v, uint32_t i)
{
	f->in[slot_of(f->g, u, v)] = (uint8_t)i;
	f->in[slot_of(f->g, v, u)] = (uint8_t)i;
}

/* Try a random square a, b, c, d whose links a-b and c-d are in factor @i (from 1), and whose links
 * b-c and d-a are both in another factor or both in none. Exchange the two pairs of links if that
 * does not raise the number of cycles, and at random in a few other cases (UPHILL). Return: by how
 * much the number of cycles has fallen.
 */
static int square(struct factors *f, uint32_t i)
{
	const struct hc_graph *g = f->g;
	uint32_t a = random_below(f, g->nodes), at = (i - 1) * g->nodes, b, c, d, slot, j;
	int more;

	b = f->near[at + a][random_below(f, 2)];
	slot = g->first[a] + random_below(f, hc_graph_degree(g, a));
	d = g->to[slot];
	j = f->in[slot];
	if (j == i)
		return 0;
	c = f->near[at + d][random_below(f, 2)];
	slot = c == b ? UINT32_MAX : slot_of(g, b, c);
	if (slot == UINT32_MAX || f->in[slot] != j)
		return 0;
	more = more_cycles(f, i - 1, a, b, c, d) + (j ? more_cycles(f, j - 1, b, c, d, a) : 0);
	if (more > 0 && random_below(f, UPHILL))
		return 0;
	put_in(f, a, b, j);
	put_in(f, c, d, j);
	put_in(f, b, c, i);
	put_in(f, d, a, i);
	exchange(f, i - 1, a, b, c, d);
	if (j)
		exchange(f, j - 1, b, c, d, a);
	return -more;
}

/* Join the cycles of all factors. Return: true if each factor is one cycle now. */
static bool join(struct factors *f)
{
	uint64_t squares = (uint64_t)SQUARES_EACH * f->g->nodes * f->k;
	uint32_t all = 0, i;

	f->numbered = 0;
	for (i = 0; i < f->k; i++) {
		number(f, i);
		all += f->cycles[i];
	}
	for (; all > f->k && squares && f->numbered < NUMBERED_MOST; squares--)
		all -= square(f, 1 + random_below(f, f->k));
	return all == f->k;
}

/* --- the whole search --- */

static void factors_free(struct factors *f)
{
	hc_free_all(f->in, f->near, f->place, f->cycle, f->size, f->cycles);
}

static int factors_alloc(struct factors *f, const struct hc_graph *g, uint32_t k)
{
	size_t all = (size_t)g->nodes * k;

	*f = (struct factors){
		.g = g, .k = k, .random = 1,
		.in = calloc(g->first[g->nodes] + 1, sizeof(*f->in)),
		.near = calloc(all, sizeof(*f->near)),
		.place = calloc(all, sizeof(*f->place)),
		.cycle = calloc(all, sizeof(*f->cycle)),
		.size = calloc(all, sizeof(*f->size)),
		.cycles = calloc(k, sizeof(*f->cycles)),
	};
	return f->in && f->near && f->place && f->cycle && f->size && f->cycles ? 0 : -ENOMEM;
}

/* Write the cycles of all factors to @node. */
static void take_rings(const struct factors *f, uint16_t *node)
{
	uint32_t n = f->g->nodes, i, u;

	for (i = 0; i < f->k; i++)
		for (u = 0; u < n; u++)
			node[i * n + f->place[i * n + u]] = (uint16_t)u;
}

int ring_factors(const struct hc_graph *g, uint32_t k, uint16_t *node)
{
	struct factors f;
	int rc = factors_alloc(&f, g, k);
	uint32_t choice;
	bool joined = false;

	for (choice = 0; !rc && !joined && choice < CHOICES; choice++) {
		rc = factors_find(&f);
		joined = !rc && join(&f);
	}
	if (joined)
		take_rings(&f, node);
	factors_free(&f);
	return rc ?: joined ? 0 : -ENOENT;
}
