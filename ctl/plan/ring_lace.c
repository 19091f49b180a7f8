// SPDX-License-Identifier: GPL-2.0
/*
 * Cycles through all nodes of a cube of dimension n with at most n - 2 faulty links.
 *
 * In such a cube any two nodes of different parity are joined by a path through all nodes
 * (Tsai, Tan, Liang & Hsu, "Fault-tolerant hamiltonian laceability of hypercubes").  The
 * proof is the algorithm: halve the cube along the dimension with the most faults, so that both
 * halves have at most n - 3.
 */
#include <string.h>

#include "ring_impl.h"

/* The faults, and memory for the path. */
struct lace {
	const struct hc_faults *f;
	uint16_t *path;
};

/* Return: true if the link of @u along the dimension with the bit @bit is healthy. */
static bool healthy(const struct hc_faults *f, uint32_t u, uint32_t bit)
{
	return !((f->fault[u] | f->fault[u ^ bit]) & bit);
}

bool ring_lace_can(const struct hc_faults *f)
{
	unsigned int d, faulty = 0;
	uint32_t u;

	for (u = 0; u < hc_nodes(f->dim); u++) {
		if (hc_set_has(f->dead, u))
			return false;
		for (d = 0; d < f->dim; d++)
			faulty += !(u & hc_bit(d)) && !healthy(f, u, hc_bit(d));
		if (faulty + 2 > f->dim)
			return false;
	}
	return f->dim >= 2;
}

/* A subcube has the nodes that agree with @base outside the dimensions @dims. Return: the node
 * after @u in the subcube.
 */
static uint32_t next(uint32_t u, uint32_t dims, uint32_t base)
{
	return base | (((u & dims) - dims) & dims);
}

/* Return: the bit of the dimension along which the subcube has the most faulty links. */
static uint32_t worst(const struct hc_faults *f, uint32_t dims, uint32_t base)
{
	uint32_t best = dims & -dims, left = dims, bit, u, n, most = 0;

	for (; left; left &= left - 1) {
		bit = left & -left;
		n = 0;
		u = base;
		do {
			n += !healthy(f, u, bit);
			u = next(u, dims, base);
		} while (u != base);
		if (n > most) {
			most = n;
			best = bit;
		}
	}
	return best;
}

/* Return: a node in the half of the subcube that holds @s, of other parity than @s, whose link to
 * the other half (dimension @bit) is healthy.
 */
static uint32_t crossing(const struct hc_faults *f, uint32_t s, uint32_t dims, uint32_t bit)
{
	uint32_t base = s & ~dims, u = base;

	while (!(hc_weight32(u ^ s) & 1) || !healthy(f, u, bit))
		u = next(u, dims, base);
	return u;
}

/* Write the path from @s to @t through all nodes of the subcube to the path, from index @at on.
 * Depth of the recursion: at most one call per dimension.
 */
static void lace(const struct lace *l, uint32_t dims, uint32_t s, uint32_t t, uint32_t at)
{
	uint32_t bit, half, u, i;

	if (hc_weight32(dims) == 2) {
		bit = dims & ~(s ^ t);
		l->path[at] = (uint16_t)s;
		l->path[at + 1] = (uint16_t)(s ^ bit);
		l->path[at + 2] = (uint16_t)(t ^ bit);
		l->path[at + 3] = (uint16_t)t;
		return;
	}
	bit = worst(l->f, dims, s & ~dims);
	dims &= ~bit;
	half = hc_nodes(hc_weight32(dims));
	if ((s ^ t) & bit) {
		u = crossing(l->f, s, dims, bit);
		lace(l, dims, s, u, at);
		lace(l, dims, u ^ bit, t, at + half);
		return;
	}
	lace(l, dims, s, t, at);
	for (i = at; !healthy(l->f, l->path[i], bit) || !healthy(l->f, l->path[i + 1], bit); i++)
		;
	memmove(l->path + i + 1 + half, l->path + i + 1, (at + half - i - 1) * sizeof(*l->path));
	lace(l, dims, l->path[i] ^ bit, l->path[i + 1 + half] ^ bit, i + 1);
}

void ring_lace(const struct hc_faults *f, uint16_t *path)
{
	const struct lace l = { .f = f, .path = path };
	unsigned int d = 0;

	while (!healthy(f, 0, hc_bit(d)))
		d++;
	lace(&l, hc_ones(f->dim), 0, hc_bit(d), 0);
}
