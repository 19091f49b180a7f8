/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checked collectives: pairs of trees in which no node relays twice, as far as that is possible, so
 * that one that lies falsifies one of two results only; and who may have lied, from the results.
 *
 * A node relays in a tree if it passes on what others gave: it merges theirs on the way up, hands
 * the result down, helps a blocked neighbour, or lies on the way of a detour.  Without faults these
 * are the nodes that agree with the sink in the first dimension of the order, half of the cube.  So
 * trees of the same first dimension k whose sinks differ in bit k have no relay in common, and no
 * fewer links than those along k: a tree uses every one of them, as all nodes of one half hand
 * what they have to the other, one tree in one direction, the other in the opposite one.
 */
#ifndef _HC_PLAN_CHECKED_H
#define _HC_PLAN_CHECKED_H

#include "plan.h"

/* Up to this dimension all pairs are tried. */
#define HC_CHECKED_EXACT	5

/**
 * struct hc_checked_tree - one tree of a pair
 * @plan: the tree
 * @relays: the nodes that relay in it
 * @links: the links that it uses, link (u, d) with the lower end u as number u * dim + d
 */
struct hc_checked_tree {
	struct hc_tree_plan plan;
	uint32_t *relays;
	uint32_t *links;
};

/* Words of .links. */
static inline uint32_t hc_checked_link_words(unsigned int dim)
{
	return (hc_nodes(dim) * dim + 31) / 32;
}

/**
 * struct hc_checked_pair - two trees with the same members
 * @found: there is one
 * @tree: the trees
 * @unseen: nodes that relay in both, so that each of them can lie unseen
 * @nunseen: how many
 * @nlinks: how many links both use
 */
struct hc_checked_pair {
	bool found;
	struct hc_checked_tree tree[2];
	uint32_t *unseen;
	uint32_t nunseen;
	uint32_t nlinks;
};

/**
 * struct hc_checked - pairs of trees
 * @dim: of the cube
 * @exact: no pair there is has fewer relays in common than @best, of those with as few none fewer
 *	links, of these none takes fewer steps, and so for each dimension; else they are only the
 *	best that were tried
 * @best: the pair to use
 * @pair: the best of each dimension that both trees have as the first, with sinks on both sides of
 *	it; there is none where all members are on one side.  Each tells one bit of a node that lies
 */
struct hc_checked {
	unsigned int dim;
	bool exact;
	struct hc_checked_pair best;
	struct hc_checked_pair pair[HC_LIB_DIM_MAX];
};

/**
 * hc_plan_checked() - find the pairs
 * @f: the faults
 * @sink: of the first tree of each, or HC_ANY_SINK; then the members are those of the largest
 *	component
 * @plan: filled in; release with hc_checked_free()
 * @why: set to a sentence (static storage) on error
 *
 * Return: 0; -ERANGE (bad sink), -ENOLINK (it has failed or is isolated), -EHOSTDOWN (no node is
 * connected with another), -ENOMEM.
 */
int hc_plan_checked(const struct hc_faults *f, uint32_t sink, struct hc_checked *plan,
		    const char **why);
void hc_checked_free(struct hc_checked *plan);

/* The tree of this sink and this order, of all dimensions.  Return: as hc_plan_tree_fixed(). */
int hc_checked_tree(const struct hc_faults *f, uint32_t sink, const uint8_t *order,
		    struct hc_checked_tree *t, const char **why);
void hc_checked_tree_free(struct hc_checked_tree *t);

/* ------------------------------------------------------------ who has lied */

/* No class: its receivers have different results of the tree. */
#define HC_CHECKED_MIXED	UINT32_MAX

/**
 * struct hc_checked_seen - what became of a tree
 * @relays: the nodes that relay in it
 * @result: equal numbers are equal results; HC_CHECKED_MIXED
 */
struct hc_checked_seen {
	const uint32_t *relays;
	uint32_t result;
};

/**
 * struct hc_suspects - the smallest sets of nodes whose lies explain what was seen
 * @liars: nodes in each such set: 0 (all results are the same), 1, 2, or 3: no two nodes explain it
 * @n: how many such sets; of 2 liars at most as many as there is room for are listed
 * @pairs: with one liar: how many sets of two explain it that do without all of those nodes
 * @set: with one liar the nodes, ascending
 */
struct hc_suspects {
	uint32_t liars;
	uint32_t n;
	uint32_t pairs;
	uint32_t *set;
};

/* A set of two. */
struct hc_suspect_pair {
	uint32_t a;
	uint32_t b;
};

/**
 * hc_checked_suspects() - who may have lied
 * @dim: of the cube
 * @seen: what became of the trees, which all reduced the same contributions
 * @n: how many
 * @s: filled in
 * @one: room for the nodes that explain it alone, hc_nodes(@dim) of them
 * @two: room for sets of two
 * @max: how many
 *
 * A set L of nodes explains what was seen if and only if there is a result that all trees have
 * in which no node of L relays: that one was right, and the others may be anything.
 */
void hc_checked_suspects(unsigned int dim, const struct hc_checked_seen *seen, unsigned int n,
			 struct hc_suspects *s, uint32_t *one, struct hc_suspect_pair *two,
			 uint32_t max);

#endif /* _HC_PLAN_CHECKED_H */
