// SPDX-License-Identifier: GPL-2.0
/*
 * The best sink, by a search over subcubes in ascending order of cost.
 *
 * A state is a subcube Q that still has to be reduced to the sink, which may be any of its nodes.
 * From Q the search goes to the half H of Q on side b of dimension j. This move costs one for each
 * member of the other half whose link along j is unusable: exactly the cost of the stage along j
 * for each sink in H whose next dimension is j. If the members of a state have no faulty link
 * inside it, no stage from there on costs anything; only the choice of the cheapest sink may (0 if
 * it is clean): the state is a goal. So the least cost over all sinks and orders is the length of
 * the shortest path from the whole subcube to a goal, and Dijkstra's algorithm finds it.
 *
 * What keeps the search small, and why its result is exact nevertheless:
 *
 * - Only subcubes with a faulty link inside are expanded. A link is in 2^(k-1) subcubes, so f
 *   faulty links make at most f * 2^(k-1) states (and never more than 3^k).
 * - If no member of Q has a faulty link along j inside Q, then by monotonicity (tree_exact.c) each
 *   sink of Q loses nothing if its next dimension is j: only the two halves along j have to be
 *   expanded, at no cost.
 * - A state is dropped if the distance to it, plus the least cost of its next stage, exceeds the
 *   cost of a tree that has been found.
 *
 * All states at the optimal distance are expanded, so every sink that reaches the optimum is in
 * some goal, and the lowest of these sinks is found.
 */
#include <errno.h>
#include <stdlib.h>

#include "memory.h"
#include "tree_impl.h"

/* A subcube: its free dimensions in the high half, its coordinates along the others in the low
 * half.
 */
typedef uint32_t cube_key;

static cube_key make_key(uint32_t dims, uint32_t base)
{
	return dims << 16 | (base & ~dims);
}

/* A subcube, and the cost of reaching it from the whole subcube. */
struct state {
	hc_tree_cost cost;
	cube_key key;
};

/* The distances, a hash table with open addressing whose key is the subcube; and a heap of states.
 * @bound: states that cost more are dropped. @best: least cost of a tree so far, with sink @sink.
 */
struct search {
	const struct hc_tree_scene *s;
	struct state *table;
	bool *taken;
	uint32_t slots;
	uint32_t used;
	struct state *heap;
	size_t nheap;
	size_t room;
	hc_tree_cost bound;
	hc_tree_cost best;
	uint32_t sink;
};

/* Return: the entry for the subcube @key, or the empty entry where it belongs. */
static struct state *lookup(struct state *table, bool *taken, uint32_t slots,
			    cube_key key)
{
	uint32_t at = ((uint64_t)key * 0x9e3779b97f4a7c15u) >> 32;

	for (;; at++) {
		at &= slots - 1;
		if (!taken[at] || table[at].key == key)
			return &table[at];
	}
}

static int grow_table(struct search *x)
{
	uint32_t slots = x->slots ? 2 * x->slots : 1024, i;
	struct state *table = malloc(slots * sizeof(*table));
	bool *taken = calloc(slots, sizeof(*taken));

	if (!table || !taken) {
		free(table);
		free(taken);
		return -ENOMEM;
	}
	for (i = 0; i < x->slots; i++) {
		struct state *to;

		if (!x->taken[i])
			continue;
		to = lookup(table, taken, slots, x->table[i].key);
		*to = x->table[i];
		taken[to - table] = true;
	}
	free(x->table);
	free(x->taken);
	x->table = table;
	x->taken = taken;
	x->slots = slots;
	return 0;
}

/* Return: true if state @a is expanded before state @b. */
static bool before(const struct state *a, const struct state *b)
{
	return a->cost < b->cost || (a->cost == b->cost && a->key < b->key);
}

static int heap_push(struct search *x, struct state st)
{
	struct state *heap = hc_grow(x->heap, x->nheap, &x->room, sizeof(*heap), 1024);
	size_t at = x->nheap;

	if (!heap)
		return -ENOMEM;
	x->heap = heap;
	x->nheap++;
	while (at && before(&st, &x->heap[(at - 1) / 2])) {
		x->heap[at] = x->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	x->heap[at] = st;
	return 0;
}

static struct state heap_pop(struct search *x)
{
	struct state top = x->heap[0], last = x->heap[--x->nheap];
	size_t at = 0, kid;

	while ((kid = 2 * at + 1) < x->nheap) {
		if (kid + 1 < x->nheap && before(&x->heap[kid + 1], &x->heap[kid]))
			kid++;
		if (!before(&x->heap[kid], &last))
			break;
		x->heap[at] = x->heap[kid];
		at = kid;
	}
	if (x->nheap)
		x->heap[at] = last;
	return top;
}

/* Push the subcube with the distance @cost onto the heap, unless it is known at the same or at less
 * cost.
 */
static int reach(struct search *x, uint32_t dims, uint32_t base, hc_tree_cost cost)
{
	struct state st = { .cost = cost, .key = make_key(dims, base) };
	struct state *known;

	if (cost > x->bound)
		return 0;
	if (2 * x->used >= x->slots && grow_table(x))
		return -ENOMEM;
	known = lookup(x->table, x->taken, x->slots, st.key);
	if (x->taken[known - x->table]) {
		if (known->cost <= cost)
			return 0;
	} else {
		x->taken[known - x->table] = true;
		x->used++;
	}
	*known = st;
	return heap_push(x, st);
}

/* blocked[j][b]: number of members of Q on side b of dimension j whose link along j is faulty. */
struct tally {
	uint32_t blocked[HC_LIB_DIM_MAX][2];
	uint32_t dims;	/* mask of the dimensions j for which blocked[j][0] or [1] is not 0 */
};

/* Count the faulty links of member @u, which are along the dimensions @bad. */
static void tally_node(struct tally *y, uint32_t u, uint32_t bad)
{
	for (; bad; bad &= bad - 1) {
		unsigned int j = __builtin_ctz(bad);

		y->blocked[j][(u >> j) & 1]++;
		y->dims |= hc_bit(j);
	}
}

/* Fill in @y for the subcube of @dims and @base, from the list of faulty ends or from the nodes of
 * the subcube, whichever are fewer.
 */
static void tally_cube(const struct hc_tree_scene *s, uint32_t dims,
		       uint32_t base, struct tally *y)
{
	uint32_t rest = s->dims & ~dims, sub = 0;
	size_t e;

	memset(y, 0, sizeof(*y));
	if (s->nend < hc_nodes(hc_weight32(dims))) {
		for (e = 0; e < s->nend; e++) {
			uint32_t u = s->end[e].node;

			if (!((u ^ base) & rest))
				tally_node(y, u, hc_bit(s->end[e].dim) & dims);
		}
		return;
	}
	do {
		if (hc_scene_member(s, base | sub))
			tally_node(y, base | sub, s->f->fault[base | sub] & dims);
		sub = (sub - dims) & dims;
	} while (sub);
}

/* Find the cheapest allowed sink in the subcube, the lowest of several. Return: false if none is
 * allowed.
 */
static bool cheapest_sink(const struct hc_tree_scene *s, uint32_t dims,
			  uint32_t base, uint32_t *sink, hc_tree_cost *cost)
{
	uint32_t sub = 0;
	bool found = false;

	do {
		uint32_t u = base | sub;

		if (hc_scene_sink(s, u) &&
		    (!found || hc_sink_cost(s, u) < *cost)) {
			found = true;
			*sink = u;
			*cost = hc_sink_cost(s, u);
			if (!*cost)
				break;
		}
		sub = (sub - dims) & dims;
	} while (sub);
	return found;
}

/* Record a tree of cost @cost with sink @sink if it is the best so far. */
static void note_goal(struct search *x, hc_tree_cost cost, uint32_t sink)
{
	if (cost < x->best || (cost == x->best && sink < x->sink)) {
		x->best = cost;
		x->sink = sink;
	}
	if (cost < x->bound)
		x->bound = cost;
}

/* Go from state @st to the halves of its subcube, unless it is a goal or cannot improve the result.
 */
static int expand(struct search *x, struct state st)
{
	uint32_t dims = st.key >> 16, base = st.key & 0xffff, unused, todo;
	hc_tree_cost least = HC_COST_MAX, extra = 0;
	unsigned int j, b;
	uint32_t sink = 0;
	struct tally y;

	base |= x->s->base & ~x->s->dims;
	if (!cheapest_sink(x->s, dims, base, &sink, &extra) ||
	    st.cost + extra > x->bound)
		return 0;
	tally_cube(x->s, dims, base, &y);
	if (!y.dims) {
		note_goal(x, st.cost + extra, sink);
		return 0;
	}

	unused = dims & ~y.dims;
	todo = unused ? unused & -unused : dims;
	for (j = 0; j < HC_LIB_DIM_MAX; j++)
		for (b = 0; b < 2 && (todo & hc_bit(j)); b++)
			if (hc_stage_cost(y.blocked[j][!b]) < least)
				least = hc_stage_cost(y.blocked[j][!b]);
	if (st.cost + least + extra > x->bound)
		return 0;

	for (j = 0; j < HC_LIB_DIM_MAX; j++) {
		for (b = 0; b < 2 && (todo & hc_bit(j)); b++) {
			uint32_t half = base & ~hc_bit(j);

			if (b)
				half |= hc_bit(j);
			if (reach(x, dims & ~hc_bit(j), half,
				  st.cost + hc_stage_cost(y.blocked[j][!b])))
				return -ENOMEM;
		}
	}
	return 0;
}

/* Expand states in the order of their cost, until no state is left that can improve the result. */
static int run(struct search *x)
{
	int err = reach(x, x->s->dims, x->s->base, 0);

	while (!err && x->nheap) {
		struct state st = heap_pop(x);
		const struct state *known;

		if (st.cost > x->bound)
			break;
		known = lookup(x->table, x->taken, x->slots, st.key);
		if (known->cost == st.cost)
			err = expand(x, st);
	}
	return err;
}

/*
 * Find a tree whose cost bounds the search. If there are clean sinks, the greedy order first tries
 * the frequent case that a tree without blocked senders exists.
 */
static int first_bound(const struct hc_tree_scene *s, uint32_t *sink,
		       hc_tree_cost *bound)
{
	uint32_t nodes = hc_nodes(s->f->dim), first = nodes, u;
	uint8_t order[HC_LIB_DIM_MAX];

	for (u = 0; u < nodes; u++) {
		if (!hc_scene_sink(s, u))
			continue;
		if (first == nodes)
			first = u;
		if (s->clean && hc_tree_greedy(s, u, order)) {
			*sink = u;
			*bound = 0;
			return 0;
		}
	}
	*sink = first;
	return hc_tree_best_order(s, first, order, bound);
}

int hc_tree_best_sink(const struct hc_tree_scene *s, uint32_t *sink,
		      hc_tree_cost *cost)
{
	struct search x = { .s = s };
	int err;

	err = first_bound(s, &x.sink, &x.bound);
	x.best = x.bound;
	if (!err && x.bound)
		err = run(&x);
	*sink = x.sink;
	*cost = x.best;
	hc_free_all(x.table, x.taken, x.heap);
	return err;
}
