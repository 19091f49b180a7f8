/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the tree planners alone.
 */
#ifndef _HC_TREE_IMPL_H
#define _HC_TREE_IMPL_H

#include "plan.h"

/*
 * Cost of a tree: (blocked senders, faulty stages), compared in that order.
 * Both add up over the stages, and there are at most HC_LIB_DIM_MAX stages, so
 * a single number holds the pair.
 */
typedef uint32_t hc_tree_cost;

#define HC_COST_LINK	32u
#define HC_COST_MAX	UINT32_MAX

/* Cost of a stage with @links blocked senders. */
static inline hc_tree_cost hc_stage_cost(uint32_t links)
{
	return links ? links * HC_COST_LINK + 1 : 0;
}

/**
 * struct hc_tree_scene - the subcube and the component in which trees are sought
 * @f: the faults
 * @dims: mask of the free dimensions
 * @k: number of free dimensions
 * @base: coordinates of the subcube along the other dimensions
 * @comp: component number of each node of the cube
 * @id: the component whose nodes are members
 * @only: the sink that was asked for, or HC_ANY_SINK
 * @clean: only nodes without a faulty link inside the subcube may be the sink;
 *	of no effect if @only names one
 * @end: all (member, dimension) such that the member's link along that free
 *	dimension is unusable; these are the senders that a tree may block.  A
 *	link between two members is there twice, one between a member and a node
 *	that is none is there once: only a member has data to send.
 * @nend: their number
 *
 * A member's link is unusable in the tree iff its FAULT bit is set: a node
 * across a usable link is in the same component, hence a member.
 */
struct hc_tree_scene {
	const struct hc_faults *f;
	uint32_t dims;
	unsigned int k;
	uint32_t base;
	const uint32_t *comp;
	uint32_t id;
	uint32_t only;
	bool clean;
	struct hc_faulty_link *end;
	size_t nend;
};

static inline bool hc_scene_member(const struct hc_tree_scene *s, uint32_t u)
{
	return s->comp[u] == s->id && !((u ^ s->base) & ~s->dims);
}

/* The faulty links of a node inside the subcube. */
static inline uint32_t hc_scene_fault(const struct hc_tree_scene *s, uint32_t u)
{
	return s->f->fault[u] & s->dims;
}

static inline bool hc_scene_sink(const struct hc_tree_scene *s, uint32_t u)
{
	if (s->only != HC_ANY_SINK)
		return u == s->only;
	return hc_scene_member(s, u) && !(s->clean && hc_scene_fault(s, u));
}

/* Returns the cost of the choice of a sink by itself: 0 for a clean one. */
static inline hc_tree_cost hc_sink_cost(const struct hc_tree_scene *s, uint32_t u)
{
	return hc_weight32(hc_scene_fault(s, u)) * HC_COST_LINK;
}

/* Is there a fault-free tree with this sink?  Then write its order. */
bool hc_tree_greedy(const struct hc_tree_scene *s, uint32_t sink, uint8_t *order);

/* The best order for a sink, the first such order; 0 or -ENOMEM. */
int hc_tree_best_order(const struct hc_tree_scene *s, uint32_t sink,
		       uint8_t *order, hc_tree_cost *cost);

/* The least cost over all allowed sinks and the lowest sink that has it; 0 or
 * -ENOMEM.  There must be an allowed sink.
 */
int hc_tree_best_sink(const struct hc_tree_scene *s, uint32_t *sink,
		      hc_tree_cost *cost);

/* The same and the order, by trying everything. */
void hc_tree_exhaust(const struct hc_tree_scene *s, uint32_t *sink,
		     uint8_t *order, hc_tree_cost *cost);

/* FIND_TREE's order for a sink; 0 or -ENOMEM. */
int hc_tree_find_order(const struct hc_faults *f, uint32_t sink, uint32_t dims,
		       uint8_t *order);
/* Its COST(j), with the nodes used so far and the dimensions not used yet. */
uint32_t hc_tree_find_cost(const struct hc_faults *f, const uint32_t *used_n,
			   uint32_t nused, uint32_t dims_left, unsigned int j);

#endif /* _HC_TREE_IMPL_H */
