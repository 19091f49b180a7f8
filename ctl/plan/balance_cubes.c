// SPDX-License-Identifier: GPL-2.0
/*
 * All subcubes of a size without faults.
 *
 * A table has a word for each subcube with the free dimensions chosen so far: what its
 * nodes' FAULT words say, taken together.  It is healthy if none of its free dimensions is
 * among them.  Making one more dimension free folds the table to half its length, so all
 * masks together cost 3^n words.  Dimensions are decided from the highest one down, free
 * first: masks come in descending order.
 */
#include <errno.h>
#include <stdlib.h>

#include "balance_impl.h"
#include "memory.h"

/* Beside the bits of dimensions: a node has failed. */
#define DEAD hc_bit(31)

/**
 * struct search - subcubes being found
 * @dim: dimension of the cube
 * @least: subcubes of fewer dimensions are not wanted
 * @most: nor are those of more
 * @table: by number of free dimensions
 * @found: the result
 * @room: subcubes that have room in it
 * @err: memory ran out
 */
struct search {
	unsigned int dim;
	unsigned int least;
	unsigned int most;
	uint32_t *table[HC_LIB_DIM_MAX + 1];
	struct hc_cubes *found;
	size_t room;
	int err;
};

static void found(struct search *s, uint32_t dims, uint32_t base)
{
	struct hc_cubes *c = s->found;
	struct hc_cube *v = hc_grow(c->v, c->n, &s->room, sizeof(*v), 64);

	if (!v) {
		s->err = -ENOMEM;
		return;
	}
	c->v = v;
	c->v[c->n++] = (struct hc_cube){ dims, base };
}

static void collect(struct search *s, uint32_t dims, unsigned int k)
{
	uint32_t i, n = hc_nodes(s->dim - k);
	const uint32_t *t = s->table[k];

	for (i = 0; i < n && !s->err; i++) {
		if (t[i] & (dims | DEAD))
			continue;
		if (k > s->least) {
			s->least = k;
			s->found->n = 0;
		}
		found(s, dims, hc_deposit(i, hc_ones(s->dim) & ~dims));
	}
}

/* Takes dimension @d, below which nothing is decided, into a table: is anything healthy? */
static bool fold(const uint32_t *t, uint32_t *out, uint32_t n, unsigned int d, uint32_t bad)
{
	uint32_t half = hc_bit(d), i, j;
	bool any = false;

	for (i = 0; i < n; i += 2 * half)
		for (j = i; j < i + half; j++, out++) {
			*out = t[j] | t[j + half];
			any |= !(*out & bad);
		}
	return any;
}

/* Decides the dimensions below @d. */
static void decide(struct search *s, unsigned int d, uint32_t dims, unsigned int k)
{
	uint32_t more;

	if (k + d < s->least || s->err)
		return;
	if (!d) {
		collect(s, dims, k);
		return;
	}
	d--;
	more = dims | hc_bit(d);
	if (k < s->most && fold(s->table[k], s->table[k + 1], hc_nodes(s->dim - k), d, more | DEAD))
		decide(s, d, more, k + 1);
	decide(s, d, dims, k);
}

/* All tables in one piece. */
static uint32_t *tables(struct search *s, const struct hc_faults *f)
{
	uint32_t *room = malloc(2 * hc_nodes(s->dim) * sizeof(*room)), *next = room, u;
	unsigned int k;

	for (k = 0; room && k <= s->dim; k++) {
		s->table[k] = next;
		next += hc_nodes(s->dim - k);
	}
	for (u = 0; room && u < hc_nodes(s->dim); u++)
		room[u] = f->fault[u] | (hc_set_has(f->dead, u) ? DEAD : 0);
	return room;
}

int hc_cubes_find(const struct hc_faults *f, unsigned int k, struct hc_cubes *c)
{
	struct search s = { .dim = f->dim, .most = f->dim, .found = c };
	uint32_t *room = tables(&s, f);

	*c = (struct hc_cubes){};
	if (!room)
		return -ENOMEM;
	if (k != HC_CUBES_LARGEST) {
		s.least = k;
		s.most = k;
	}
	decide(&s, s.dim, 0, 0);
	free(room);
	c->k = s.least;
	if (s.err) {
		free(c->v);
		*c = (struct hc_cubes){};
		return s.err;
	}
	return c->n || k != HC_CUBES_LARGEST ? 0 : -EHOSTDOWN;
}
