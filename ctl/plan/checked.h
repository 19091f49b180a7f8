/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checked collectives: pairs of trees in which, as far as possible, no node relays in both trees,
 * so that a node that falsifies data falsifies one of the two results only. From the results, the
 * functions below find the nodes that may have falsified data.
 *
 * A node relays in a tree if it forwards data of other nodes: it merges contributions on the way
 * up, sends the result down, helps a blocked neighbour, or is on the path of a detour. Without
 * faults the relays are the nodes whose coordinate along the first dimension of the order is that
 * of the sink, half of the cube. So two trees with the same first dimension k, whose sinks differ
 * in bit k, have no relay in common. The links that they have in common are those along k, and
 * fewer are not possible: in each tree all nodes of one half pass their data to the other half
 * over these links, in the two trees in opposite directions.
 */
#ifndef _HC_PLAN_CHECKED_H
#define _HC_PLAN_CHECKED_H

#include "plan.h"

/* Up to this dimension of the cube all pairs are tried. */
#define HC_CHECKED_EXACT	5

/**
 * struct hc_checked_tree - one tree of a pair
 * @plan: the tree
 * @relays: the nodes that relay in it, as a set
 * @links: the links that it uses, as a set; link (u, d) with lower end u has the number u *
 *	dim + d
 */
struct hc_checked_tree {
	struct hc_tree_plan plan;
	uint32_t *relays;
	uint32_t *links;
};

/* Return: number of words of @links of struct hc_checked_tree. */
static inline uint32_t hc_checked_link_words(unsigned int dim)
{
	return (hc_nodes(dim) * dim + 31) / 32;
}

/**
 * struct hc_checked_pair - two trees with the same members
 * @found: there is such a pair
 * @tree: the two trees
 * @unseen: nodes that relay in both trees, as a set: each of them can falsify both results
 *	unnoticed
 * @nunseen: number of these nodes
 * @nlinks: number of links that both trees use
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
 * @dim: dimension of the cube
 * @exact: @best is proved to be the best pair: no pair has fewer relays in common, no pair
 *	with as few has fewer links in common, and of these pairs none takes fewer steps; and each
 *	entry of @pair is the best in the same sense. Else @best and @pair have the best of the
 *	pairs that were tried
 * @best: the pair to use
 * @pair: for each dimension, the best pair of trees that both have it as their first
 *	dimension, with sinks on both sides of it; there is none if all members are on one side.
 *	The results of each pair determine one bit of the number of a node that falsifies data
 */
struct hc_checked {
	unsigned int dim;
	bool exact;
	struct hc_checked_pair best;
	struct hc_checked_pair pair[HC_LIB_DIM_MAX];
};

/**
 * hc_plan_checked() - find pairs of trees
 * @f: the faults
 * @sink: sink of the first tree of each pair. HC_ANY_SINK: any sink; the members are then the
 *	nodes of the largest component
 * @plan: filled in; release with hc_checked_free()
 * @why: set to a sentence (static storage) on error
 *
 * Return: 0; -ERANGE (bad sink), -ENOLINK (it has failed or is isolated), -EHOSTDOWN (no node is
 * connected with another), -ENOMEM.
 */
int hc_plan_checked(const struct hc_faults *f, uint32_t sink, struct hc_checked *plan,
		    const char **why);
void hc_checked_free(struct hc_checked *plan);

/* Make the tree with this sink and this order of all dimensions. Return: as
 * hc_plan_tree_fixed().
 */
int hc_checked_tree(const struct hc_faults *f, uint32_t sink, const uint8_t *order,
		    struct hc_checked_tree *t, const char **why);
void hc_checked_tree_free(struct hc_checked_tree *t);

/* --- which nodes have falsified data --- */

/* A value of @result of struct hc_checked_seen: the receivers have different
 * results of this tree.
 */
#define HC_CHECKED_MIXED	UINT32_MAX

/**
 * struct hc_checked_seen - the result of a tree
 * @relays: the nodes that relay in it, as a set
 * @result: number of the result; equal numbers are equal results. HC_CHECKED_MIXED: the
 *	receivers have different ones
 */
struct hc_checked_seen {
	const uint32_t *relays;
	uint32_t result;
};

/**
 * struct hc_suspects - the smallest sets of Byzantine nodes that explain the results
 * @byzantine: number of nodes in each such set: 0 (all results are the same), 1 or 2; 3: no set of
 *	two nodes explains the results
 * @n: number of such sets; of sets of two nodes only as many are listed as there is room for
 * @pairs: number of sets of two nodes that explain the results and hold no node that explains
 *	them alone
 * @set: if one node explains the results: the nodes that do, ascending
 */
struct hc_suspects {
	uint32_t byzantine;
	uint32_t n;
	uint32_t pairs;
	uint32_t *set;
};

/* A set of two nodes. */
struct hc_suspect_pair {
	uint32_t a;
	uint32_t b;
};

/**
 * hc_checked_suspects() - find the nodes that may have falsified data
 * @dim: dimension of the cube
 * @seen: results of trees that all reduced the same contributions
 * @n: number of trees
 * @s: filled in
 * @one: memory for the nodes that explain the results alone, hc_nodes(@dim) entries
 * @two: memory for sets of two nodes
 * @max: number of sets that @two has room for
 *
 * A set L of nodes explains the results if and only if all trees in which no node of L relays have
 * the same result: this can be the right result then, and the nodes of L can have caused any
 * results of the other trees.
 */
void hc_checked_suspects(unsigned int dim, const struct hc_checked_seen *seen, unsigned int n,
			 struct hc_suspects *s, uint32_t *one, struct hc_suspect_pair *two,
			 uint32_t max);

#endif /* _HC_PLAN_CHECKED_H */
