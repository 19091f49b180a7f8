// SPDX-License-Identifier: GPL-2.0
/*
 * Finding all subcubes of a dimension that have no faults.
 *
 * A table has one mask for each subcube whose free dimensions are those chosen so far: the bitwise
 * OR of the FAULT words of its nodes. The subcube is healthy if none of its free dimensions is set
 * in the mask. Making one more dimension free combines the two halves of a table into one table of
 * half the length, so the tables of all choices of free dimensions have 3^n masks together. The
 * search decides about dimensions from the highest one down, and tries "free" first, so it finds
 * the subcubes in descending order of their masks of free dimensions.
 */
#include <errno.h>
#include <stdlib.h>

#include "balance_impl.h"
#include "memory.h"

/* A bit of the masks in a table, in addition to those of the dimensions: a node has failed. */
#define DEAD hc_bit(31)

/**
 * struct search - the state of the search for subcubes
 * @dim: dimension of the cube
 * @least: the least number of free dimensions that is wanted
 * @most: the greatest number of free dimensions that is wanted
 * @table: the table for each number of free dimensions chosen so far
 * @found: the subcubes found so far
 * @room: number of subcubes that @found has memory for
 * @err: -ENOMEM if memory ran out, else 0
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

/* Add a subcube to the result. */
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

/* Add the healthy subcubes of the table for the @k free dimensions @dims to the result. If the
 * largest dimension is wanted, they replace smaller subcubes.
 */
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

/* Make dimension @d free: combine the halves of table @t into @out. No dimension below @d has been
 * decided yet. @bad: the bits that make a mask faulty. Return: true if some subcube in @out is
 * healthy.
 */
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

/* Try both choices, free and fixed, for each dimension below @d. @dims: the @k free dimensions so
 * far.
 */
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

/* Allocate all tables in one piece of memory, and fill in the first one from the faults. */
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
