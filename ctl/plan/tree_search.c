// SPDX-License-Identifier: GPL-2.0
/*
 * The best sink: a least-cost-first search over subcubes.
 *
 * A state is a subcube Q that still has to be reduced, whatever its sink will
 * be.  From Q one goes to the half H of Q on side b of dimension j, at the cost
 * of the members of the other half whose j-link is unusable: the sinks of H
 * pay exactly that if they use j next.  A state whose members have no faulty
 * link inside it costs nothing more than its cheapest sink does (0 if that is
 * clean).  So the least cost over all sinks and orders is the shortest distance
 * from the whole subcube to such a goal, and Dijkstra's algorithm finds it.
 *
 * What keeps this small, and why the result stays exact:
 *
 * - Only subcubes with a faulty link inside are ever expanded.  A link lies in
 *   2^(k-1) subcubes, so f faulty links make at most f * 2^(k-1) states (and
 *   never more than 3^k).
 * - If no member of Q has a faulty j-link inside Q, then by monotonicity
 *   (tree_exact.c) each sink of Q loses nothing by taking j next: only the two
 *   halves along j need be looked at, at no cost.
 * - A state is dropped if the distance to it plus the least that its next stage
 *   must cost exceeds a cost that is known to be reached.
 *
 * States at the optimal distance are all expanded, so every sink that reaches
 * the optimum lies in some goal, and the lowest of them is found.
 */
#include <errno.h>
#include <stdlib.h>

#include "memory.h"
#include "tree_impl.h"

/* A subcube: free dimensions in the high half, coordinates along the others in
 * the low half.
 */
typedef uint32_t cube_key;

static cube_key make_key(uint32_t dims, uint32_t base)
{
	return dims << 16 | (base & ~dims);
}

struct state {
	hc_tree_cost cost;
	cube_key key;
};

/* Distances by subcube, open addressing; and a binary heap of states. */
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

/* blocked[j][b]: members of Q on side b of dimension j whose j-link is bad. */
struct tally {
	uint32_t blocked[HC_LIB_DIM_MAX][2];
	uint32_t dims;	/* the dimensions that have any */
};

static void tally_node(struct tally *y, uint32_t u, uint32_t bad)
{
	for (; bad; bad &= bad - 1) {
		unsigned int j = __builtin_ctz(bad);

		y->blocked[j][(u >> j) & 1]++;
		y->dims |= hc_bit(j);
	}
}

/* By a pass over the faulty ends, or over the nodes of Q if they are fewer. */
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

/* The lowest of the cheapest allowed sinks in Q. */
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

static void note_goal(struct search *x, hc_tree_cost cost, uint32_t sink)
{
	if (cost < x->best || (cost == x->best && sink < x->sink)) {
		x->best = cost;
		x->sink = sink;
	}
	if (cost < x->bound)
		x->bound = cost;
}

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
 * With clean sinks the greedy order settles the frequent case that a fault-free
 * tree exists; the cost of any tree bounds the search otherwise.
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
