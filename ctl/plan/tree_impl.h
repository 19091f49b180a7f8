/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that only the planners of trees use.
 */
#ifndef _HC_TREE_IMPL_H
#define _HC_TREE_IMPL_H

#include "plan.h"

/* The cost of a tree: (blocked senders, faulty stages), compared in this order. Both add up over
 * the stages, of which there are at most HC_LIB_DIM_MAX, so one number holds the pair.
 */
typedef uint32_t hc_tree_cost;

#define HC_COST_LINK	32u
#define HC_COST_MAX	UINT32_MAX

/* Return: the cost of a stage at which @links senders are blocked. */
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
 * @only: the requested sink, or HC_ANY_SINK
 * @clean: only nodes without a faulty link inside the subcube may be the sink; ignored if
 *	@only is a node
 * @end: all (member, dimension) such that the member's link along that free dimension is
 *	unusable; these are the senders that a tree may block. A link between two members is listed
 *	twice, a link between a member and another node once: only members have data to send
 * @nend: number of entries of @end
 *
 * A member's link is unusable in the tree iff its FAULT bit is set: the node at the other end of a
 * usable link is in the same component, so it is a member. (If members were requested, @f has the
 * links to all other nodes as faults.)
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

/* Return: true if node @u is a member. */
static inline bool hc_scene_member(const struct hc_tree_scene *s, uint32_t u)
{
	return s->comp[u] == s->id && !((u ^ s->base) & ~s->dims);
}

/* Return: mask of the faulty links of node @u inside the subcube. */
static inline uint32_t hc_scene_fault(const struct hc_tree_scene *s, uint32_t u)
{
	return s->f->fault[u] & s->dims;
}

/* Return: true if node @u may be the sink. */
static inline bool hc_scene_sink(const struct hc_tree_scene *s, uint32_t u)
{
	if (s->only != HC_ANY_SINK)
		return u == s->only;
	return hc_scene_member(s, u) && !(s->clean && hc_scene_fault(s, u));
}

/* Return: the cost of choosing @u as the sink, beside that of the stages: 0 if it is clean. */
static inline hc_tree_cost hc_sink_cost(const struct hc_tree_scene *s, uint32_t u)
{
	return hc_weight32(hc_scene_fault(s, u)) * HC_COST_LINK;
}

/* Find an order for @sink whose tree has no blocked sender. @order: set to it. Return: true if
 * there is one.
 */
bool hc_tree_greedy(const struct hc_tree_scene *s, uint32_t sink, uint8_t *order);

/* Find the best order for @sink, the lexicographically first of several. Return: 0 or -ENOMEM. */
int hc_tree_best_order(const struct hc_tree_scene *s, uint32_t sink,
		       uint8_t *order, hc_tree_cost *cost);

/* Find the least cost over all allowed sinks, and the lowest sink that reaches it. At least one
 * sink must be allowed. Return: 0 or -ENOMEM.
 */
int hc_tree_best_sink(const struct hc_tree_scene *s, uint32_t *sink,
		      hc_tree_cost *cost);

/* Find the least cost, the sink and its order by trying all sinks and orders. */
void hc_tree_exhaust(const struct hc_tree_scene *s, uint32_t *sink,
		     uint8_t *order, hc_tree_cost *cost);

/* As hc_plan_tree_fixed(), but only the nodes of @only become members; NULL: all. */
int hc_tree_complete(const struct hc_faults *f, uint32_t sink, const uint8_t *order,
		     unsigned int stages, const uint32_t *only, struct hc_tree_plan *plan,
		     const char **why);

/* Find the order of FIND_TREE for @sink. Return: 0 or -ENOMEM. */
int hc_tree_find_order(const struct hc_faults *f, uint32_t sink, uint32_t dims,
		       uint8_t *order);
/* Return: COST(j) of FIND_TREE, with the nodes used so far and the dimensions not used yet. */
uint32_t hc_tree_find_cost(const struct hc_faults *f, const uint32_t *used_n,
			   uint32_t nused, uint32_t dims_left, unsigned int j);

#endif /* _HC_TREE_IMPL_H */
