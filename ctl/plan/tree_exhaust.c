// SPDX-License-Identifier: GPL-2.0
/*
 * EXHAUST (Leu & Kuo, figure 4), changed to return the best tree: it tries all orders and all
 * sinks. It is there to check the search; use it for small cubes only.
 *
 * Let last be the last dimension of an order. The sinks s and s ^ (1 << last) with this order make
 * the same tree, except for the direction of the link between them, so the cost of the stages
 * before the last is computed once for both.
 */
#include "tree_impl.h"

/* Return: the cost of stages 0..@stages-1 with this sink. A faulty end (v, d) blocks a sender iff d
 * is the first dimension of the order along which v and the sink differ.
 */
static hc_tree_cost cost_of(const struct hc_tree_scene *s, uint32_t sink,
			    const uint8_t *order, unsigned int stages)
{
	hc_tree_cost cost = 0;
	uint32_t done = 0;
	unsigned int i;

	for (i = 0; i < stages; i++) {
		uint32_t blocked = 0;
		size_t e;

		for (e = 0; e < s->nend; e++) {
			uint32_t away = s->end[e].node ^ sink;

			blocked += s->end[e].dim == order[i] &&
				   !(away & done) && (away & hc_bit(order[i]));
		}
		cost += hc_stage_cost(blocked);
		done |= hc_bit(order[i]);
	}
	return cost;
}

/* Return: the cost of the last stage with this sink. */
static hc_tree_cost last_stage(const struct hc_tree_scene *s, uint32_t sink,
			       unsigned int last)
{
	uint32_t sender = hc_neigh(sink, last);

	return hc_stage_cost(hc_scene_member(s, sender) &&
			     (s->f->fault[sender] & hc_bit(last)));
}

/* The best tree so far. */
struct best {
	uint32_t sink;
	uint8_t order[HC_LIB_DIM_MAX];
	hc_tree_cost cost;
};

/* Record the tree with this sink and order if it is the best so far. @early: cost of all stages but
 * the last.
 */
static void try_sink(const struct hc_tree_scene *s, uint32_t sink,
		     const uint8_t *order, hc_tree_cost early, struct best *best)
{
	hc_tree_cost cost;
	int cmp;

	if (!hc_scene_sink(s, sink))
		return;
	cost = early + last_stage(s, sink, order[s->k - 1]) +
	       hc_sink_cost(s, sink);
	cmp = memcmp(order, best->order, s->k);
	if (cost < best->cost ||
	    (cost == best->cost &&
	     (sink < best->sink || (sink == best->sink && cmp < 0)))) {
		best->sink = sink;
		best->cost = cost;
		memcpy(best->order, order, s->k);
	}
}

/* Try this order with each sink that is allowed. */
static void try_order(const struct hc_tree_scene *s, const uint8_t *order,
		      struct best *best)
{
	uint32_t nodes = hc_nodes(s->f->dim), last = hc_bit(order[s->k - 1]), u;

	for (u = 0; u < nodes; u++) {
		hc_tree_cost early;

		if (((u ^ s->base) & ~s->dims) || (u & last) ||
		    !(hc_scene_sink(s, u) || hc_scene_sink(s, u | last)))
			continue;
		early = cost_of(s, u, order, s->k - 1);
		try_sink(s, u, order, early, best);
		try_sink(s, u | last, order, early, best);
	}
}

/* Make @order the lexicographically next order. Return: false if it was the last one. */
static bool next_order(uint8_t *order, unsigned int k)
{
	unsigned int i = k - 1, j = k - 1;
	uint8_t swap;

	while (i && order[i - 1] >= order[i])
		i--;
	if (!i)
		return false;
	while (order[j] <= order[i - 1])
		j--;
	swap = order[i - 1];
	order[i - 1] = order[j];
	order[j] = swap;
	for (j = k - 1; i < j; i++, j--) {
		swap = order[i];
		order[i] = order[j];
		order[j] = swap;
	}
	return true;
}

void hc_tree_exhaust(const struct hc_tree_scene *s, uint32_t *sink,
		     uint8_t *order, hc_tree_cost *cost)
{
	struct best best = { .cost = HC_COST_MAX };
	uint8_t now[HC_LIB_DIM_MAX];
	unsigned int d, k = 0;

	for (d = 0; d < s->f->dim; d++)
		if (s->dims & hc_bit(d))
			now[k++] = d;
	do {
		try_order(s, now, &best);
	} while (next_order(now, k));

	*sink = best.sink;
	*cost = best.cost;
	memcpy(order, best.order, k);
}
