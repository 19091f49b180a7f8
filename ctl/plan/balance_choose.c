// SPDX-License-Identifier: GPL-2.0
/*
 * Choosing the subcube of a balancing topology.
 */
#include <errno.h>
#include <stdlib.h>

#include "balance_impl.h"

/* --- Algorithm 4 --- */

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Compute, for each failed node, the key (distance from the subcube @c, projection on @c) in @key,
 * and sort the keys.
 */
static void groups(const uint32_t *dead, size_t n, const struct hc_cube *c, uint64_t *key)
{
	size_t i;

	for (i = 0; i < n; i++)
		key[i] = (uint64_t)hc_weight32((dead[i] ^ c->base) & ~c->dims) << 32 |
			 (dead[i] & c->dims);
	qsort(key, n, sizeof(*key), by_value);
}

/* Algorithm 4's test: return true if no more than j failed nodes at distance j have the same
 * projection. @key: memory for @n keys.
 */
static bool adequate(const uint32_t *dead, size_t n, const struct hc_cube *c, uint64_t *key)
{
	size_t i, same = 0;

	groups(dead, n, c, key);
	for (i = 0; i < n; i++) {
		same = i && key[i] == key[i - 1] ? same + 1 : 1;
		if (same > key[i] >> 32)
			return false;
	}
	return true;
}

/* List the failed nodes. *dead: the list; *n: its length. Return: memory for @n keys, followed by
 * the list, to be released with free(); NULL without memory.
 */
static uint64_t *dead_list(const struct hc_faults *f, size_t *n, uint32_t **dead)
{
	uint32_t u, nodes = hc_nodes(f->dim);
	uint64_t *key;

	*n = 0;
	for (u = 0; u < nodes; u++)
		*n += hc_set_has(f->dead, u);
	key = malloc((*n + 1) * (sizeof(*key) + sizeof(**dead)));
	if (!key)
		return NULL;
	*dead = (uint32_t *)(key + *n);
	*n = 0;
	for (u = 0; u < nodes; u++)
		if (hc_set_has(f->dead, u))
			(*dead)[(*n)++] = u;
	return key;
}

bool hc_balance_adequate(const struct hc_faults *f, const struct hc_cube *c)
{
	uint32_t *dead;
	size_t n;
	uint64_t *key = dead_list(f, &n, &dead);
	bool is = key && adequate(dead, n, c, key);

	free(key);
	return is;
}

/* Return: true if a link between two live nodes is faulty. */
static bool any_link(const struct hc_faults *f)
{
	unsigned int d;
	uint32_t u;

	for (u = 0; u < hc_nodes(f->dim); u++)
		for (d = 0; d < f->dim; d++)
			if (f->fault[u] & hc_bit(d) && !hc_set_has(f->dead, u) &&
			    !hc_set_has(f->dead, hc_neigh(u, d)))
				return true;
	return false;
}

/* Return: true if every live node is within the distance from @c that Algorithm 4's test promises.
 * The test ignores faulty links, so if there are any, a search is necessary.
 */
static bool reaches(struct hc_reach *r, const struct hc_cube *c, unsigned int dim, uint32_t live)
{
	unsigned int most = dim - hc_weight32(c->dims);
	struct hc_reached all = hc_reach_from(r, c, most);

	return all.depth <= most && all.nodes == live;
}

int hc_balance_choose(const struct hc_faults *f, const struct hc_cubes *c, size_t *chosen)
{
	struct hc_reach *r = any_link(f) ? hc_reach_new(f) : NULL;
	uint32_t *dead, live;
	size_t n, i;
	uint64_t *key = dead_list(f, &n, &dead);

	if (!key || (any_link(f) && !r)) {
		hc_reach_free(r);
		free(key);
		return -ENOMEM;
	}
	live = hc_nodes(f->dim) - n;
	for (i = 0; i < c->n; i++)
		if (adequate(dead, n, &c->v[i], key) &&
		    (!r || reaches(r, &c->v[i], f->dim, live)))
			break;
	*chosen = i < c->n ? i : SIZE_MAX;
	hc_reach_free(r);
	free(key);
	return 0;
}

/* --- the least depth --- */

#define NOWHERE UINT32_MAX

/**
 * struct best - the state of the search for the subcube of least depth
 * @f: the faults
 * @reach: memory for breadth-first searches
 * @part: for each node, the lowest node of its component; NOWHERE if it has failed
 * @most: number of nodes of the largest component
 * @size: number of nodes of each component, indexed by its lowest node
 * @cube: the best subcube so far
 * @depth: depth of the topology around @cube
 */
struct best {
	const struct hc_faults *f;
	struct hc_reach *reach;
	uint32_t *part;
	uint32_t *size;
	uint32_t most;
	struct hc_cube *cube;
	unsigned int depth;
};

/* Set @b->part to @u for node @u and all nodes that are connected with it. Return: number of these
 * nodes. @queue: memory for all nodes.
 */
static uint32_t flood(struct best *b, uint32_t u, uint32_t *queue)
{
	uint32_t head = 0, tail = 0, v, w;
	unsigned int d;

	b->part[u] = u;
	queue[tail++] = u;
	while (head < tail) {
		v = queue[head++];
		for (d = 0; d < b->f->dim; d++) {
			w = hc_neigh(v, d);
			if (b->f->fault[v] & hc_bit(d) || b->part[w] != NOWHERE)
				continue;
			b->part[w] = u;
			queue[tail++] = w;
		}
	}
	return tail;
}

/* Find all components. Return: 0 or -ENOMEM. */
static int label(struct best *b)
{
	uint32_t nodes = hc_nodes(b->f->dim), u;
	uint32_t *queue = malloc(nodes * sizeof(*queue));

	for (u = 0; queue && u < nodes; u++) {
		if (hc_set_has(b->f->dead, u) || b->part[u] != NOWHERE)
			continue;
		b->size[u] = flood(b, u, queue);
		if (b->size[u] > b->most)
			b->most = b->size[u];
	}
	if (!queue)
		return -ENOMEM;
	free(queue);
	return 0;
}

static int best_init(struct best *b)
{
	uint32_t nodes = hc_nodes(b->f->dim);

	b->reach = hc_reach_new(b->f);
	b->part = malloc(nodes * sizeof(*b->part));
	b->size = calloc(nodes, sizeof(*b->size));
	if (!b->reach || !b->part || !b->size)
		return -ENOMEM;
	memset(b->part, 0xff, nodes * sizeof(*b->part));
	return label(b);
}

static void best_free(struct best *b)
{
	hc_reach_free(b->reach);
	free(b->part);
	free(b->size);
}

/* Return: true if any node at distance @depth or more from @c is in the component of @c. Usually
 * the first node at such a distance is in it, so the loop ends early.
 */
static bool member_beyond(const struct best *b, const struct hc_cube *c, unsigned int depth)
{
	uint32_t fixed = hc_ones(b->f->dim) & ~c->dims, away = fixed, u;
	uint32_t part = b->part[c->base];

	do {
		if (hc_weight32(away) < depth)
			continue;
		u = c->base ^ away;
		do {
			if (b->part[u] == part)
				return true;
			u = (u & fixed) | (((u & c->dims) - c->dims) & c->dims);
		} while (u & c->dims);
	} while ((away = (away - 1) & fixed) != fixed);
	return false;
}

/* Return: a lower bound of the depth of every topology around a @k-cube. @others: the number of
 * nodes that the topology may leave out. With less depth than the bound, more than @others nodes
 * would be farther from the subcube than the depth.
 */
static unsigned int least_depth(unsigned int dim, unsigned int k, uint32_t others)
{
	uint64_t shell = hc_nodes(k), far = 0;
	unsigned int free = dim - k, t;

	/* The shell at distance t has 2^k * binomial(n - k, t) nodes. */
	for (t = free; t; t--) {
		far += shell;
		if (far > others)
			break;
		shell = shell * t / (free - t + 1);
	}
	return t;
}

/* Replace the best subcube if one of the subcubes @c is in a largest component and has less depth.
 */
static void try_all(struct best *b, const struct hc_cubes *c)
{
	struct hc_reached all;
	size_t i;

	for (i = 0; i < c->n && b->depth; i++) {
		if (b->size[b->part[c->v[i].base]] < b->most ||
		    member_beyond(b, &c->v[i], b->depth))
			continue;
		all = hc_reach_from(b->reach, &c->v[i], b->depth);
		if (all.depth >= b->depth)
			continue;
		b->depth = all.depth;
		*b->cube = c->v[i];
	}
}

int hc_balance_minimal(const struct hc_faults *f, const struct hc_cubes *largest,
		       struct hc_cube *best)
{
	struct best b = { .f = f, .cube = best, .depth = hc_nodes(f->dim) };
	unsigned int k = largest->k;
	struct hc_cubes c;
	int err = best_init(&b);

	if (!err)
		try_all(&b, largest);
	while (!err && k--) {
		if (b.depth <= least_depth(f->dim, k, hc_nodes(f->dim) - b.most))
			continue;
		err = hc_cubes_find(f, k, &c);
		if (err)
			break;
		try_all(&b, &c);
		free(c.v);
	}
	best_free(&b);
	return err;
}
