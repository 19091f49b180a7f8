/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that only the planners of spanning trees use.
 */
#ifndef _HC_PLAN_SPAN_IMPL_H
#define _HC_PLAN_SPAN_IMPL_H

#include "span.h"

/* The most members for which the search for a proof is made: a set of them fits in
 * a 64-bit word.
 */
#define SPAN_EXACT_MAX	64

/**
 * struct span_net - the members and their healthy links
 * @topo: the network
 * @fault: the FAULT word of each node
 * @in: the members, as a set
 * @root: the root
 * @nmembers: number of members
 */
struct span_net {
	const struct hc_topo *topo;
	const uint32_t *fault;
	const uint32_t *in;
	uint32_t root;
	uint32_t nmembers;
};

/* Does a healthy link lead from @u along port @d to a member? */
static inline bool span_link(const struct span_net *n, uint32_t u, unsigned int d)
{
	return hc_link_good(n->topo, n->fault, u, d) && hc_set_has(n->in, hc_peer(n->topo, u, d));
}

/* Make a tree in which each node's parent is, of its neighbours nearest to the root, the one with
 * the fewest children. Return: 0 or -ENOMEM.
 */
int span_near(const struct span_net *n, uint8_t *parent);
/* Make several trees step by step and take the best: in each step, of the neighbours of nodes that
 * have the message, those below which the most steps remain get it first. Sets *steps and @parent
 * if the tree takes fewer than *steps steps; ends as soon as a tree takes @enough steps. Return: 0
 * or -ENOMEM.
 */
int span_greedy(const struct span_net *n, uint32_t enough, uint8_t *parent, uint32_t *steps);
/* Search among all trees of at least *bound and fewer than *steps steps. Sets *steps and @parent if
 * it finds one. *bound: set to the number of steps below which it is proved that there is no tree.
 * Return: 0 or -ENOMEM.
 */
int span_exact(const struct span_net *n, uint8_t *parent, uint32_t *steps, uint32_t *bound);

#endif /* _HC_PLAN_SPAN_IMPL_H */
