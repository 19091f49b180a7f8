// SPDX-License-Identifier: GPL-2.0
/*
 * The best order of dimensions for one sink.
 *
 * After some stages the data is in a subcube Q that contains the sink. A stage along dimension j of
 * Q halves Q and blocks w(Q, j) senders: the members in the half without the sink whose link along
 * j is unusable. The cost of a tree is the sum of the costs of its stages, and a stage's cost
 * depends on Q and j only, not on how Q was reached. So with best(Q), the least cost from Q on,
 *
 *	best(Q) = min over j of  cost(w(Q, j)) + best(half of Q with the sink).
 *
 * Written relative to the sink, Q is its set R of free dimensions, and a faulty
 * link end (v, j) counts in w(Q, j) iff v differs from the sink along j and
 * v ^ sink is a subset of R.
 *
 * Monotonicity: if Q' is a subcube of Q that contains the sink, then best(Q') <= best(Q): leave the
 * dimensions that Q' lacks out of an order for Q; every remaining stage then blocks a subset of the
 * senders that it blocked before. In particular a dimension whose stage costs nothing may be taken
 * at once, whatever comes later: that is why the greedy choice below misses no optimum.
 */
#include <errno.h>
#include <stdlib.h>

#include "tree_impl.h"

bool hc_tree_greedy(const struct hc_tree_scene *s, uint32_t sink, uint8_t *order)
{
	uint32_t left = s->dims;
	unsigned int i;

	for (i = 0; i < s->k; i++) {
		uint32_t bad = 0, good;
		size_t e;

		for (e = 0; e < s->nend; e++) {
			uint32_t away = s->end[e].node ^ sink;

			if (!(away & ~left))
				bad |= away & hc_bit(s->end[e].dim);
		}
		good = left & ~bad;
		if (!good)
			return false;
		order[i] = __builtin_ctz(good);
		left &= ~hc_bit(order[i]);
	}
	return true;
}

/* Return: the bits of @x that are in @dims, moved together to the low end in their order. */
static uint32_t squeeze(uint32_t x, uint32_t dims)
{
	uint32_t out = 0;
	unsigned int n = 0;

	for (; dims; dims &= dims - 1, n++)
		if (x & dims & -dims)
			out |= hc_bit(n);
	return out;
}

/* Compute, for each set R of free dimensions, w[R]: the number of faulty ends (v, j), for the given
 * dimension j, with v ^ sink a subset of R. R is written in squeezed form.
 */
static void count_blocked(const struct hc_tree_scene *s, uint32_t sink,
			  unsigned int j, uint32_t *w)
{
	uint32_t sets = hc_nodes(s->k), r;
	unsigned int b;
	size_t e;

	memset(w, 0, sets * sizeof(*w));
	for (e = 0; e < s->nend; e++) {
		uint32_t away = s->end[e].node ^ sink;

		if (s->end[e].dim == j && (away & hc_bit(j)))
			w[squeeze(away, s->dims)]++;
	}
	for (b = 0; b < s->k; b++)
		for (r = 0; r < sets; r++)
			if (r & hc_bit(b))
				w[r] += w[r ^ hc_bit(b)];
}

/* Write the order of the optimum, from the whole subcube down; of several dimensions the lowest. */
static void read_order(unsigned int k, const uint8_t *dim, const uint32_t *w,
		       const hc_tree_cost *best, uint8_t *order)
{
	uint32_t r = hc_nodes(k) - 1;
	unsigned int i, p;

	for (i = 0; i < k; i++) {
		for (p = 0; p < k; p++) {
			if ((r & hc_bit(p)) &&
			    best[r] == hc_stage_cost(w[((size_t)p << k) + r]) +
				       best[r ^ hc_bit(p)])
				break;
		}
		order[i] = dim[p];
		r ^= hc_bit(p);
	}
}

int hc_tree_best_order(const struct hc_tree_scene *s, uint32_t sink,
		       uint8_t *order, hc_tree_cost *cost)
{
	uint32_t sets = hc_nodes(s->k), r;
	uint8_t dim[HC_LIB_DIM_MAX];
	unsigned int p, d;
	hc_tree_cost *best;
	uint32_t *w;

	w = malloc(((size_t)s->k + 1) * sets * sizeof(*w));
	if (!w)
		return -ENOMEM;
	best = w + (size_t)s->k * sets;

	for (p = 0, d = 0; d < s->f->dim; d++) {
		if (!(s->dims & hc_bit(d)))
			continue;
		dim[p] = d;
		count_blocked(s, sink, d, w + ((size_t)p << s->k));
		p++;
	}
	best[0] = 0;
	for (r = 1; r < sets; r++) {
		best[r] = HC_COST_MAX;
		for (p = 0; p < s->k; p++) {
			hc_tree_cost c;

			if (!(r & hc_bit(p)))
				continue;
			c = hc_stage_cost(w[((size_t)p << s->k) + r]) +
			    best[r ^ hc_bit(p)];
			if (c < best[r])
				best[r] = c;
		}
	}
	read_order(s->k, dim, w, best, order);
	*cost = best[sets - 1] + hc_sink_cost(s, sink);
	free(w);
	return 0;
}
