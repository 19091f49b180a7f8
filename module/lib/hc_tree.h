/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The communication tree: the role of each node at each stage, which is computed from local
 * knowledge alone, and the verifier of whole plans.
 *
 * Source: Leu & Kuo, "A Fault-Tolerant Tree Communication Scheme for Hypercube
 * Systems", sections 2.2 and 3.2, with the corrections of
 * Documentation/errata.rst.  Shared by the kernel module, the tool and the
 * tests; no allocation, no recursion, no floating point.
 */
#ifndef _HC_TREE_H
#define _HC_TREE_H

#include "hc_topo.h"

/**
 * struct hc_detour - the detour of a sender that has no effective helper
 * @from: the sender, whose tree link is unusable
 * @to: the member that merges its data: a node that is passive at the stage at which @from is
 *	active
 */
struct hc_detour {
	__u32 from;
	__u32 to;
};

/**
 * hc_detour_of() - find the detour of a sender
 * @detours: sorted by sender
 * @n: number of detours
 * @from: the sender
 *
 * Context: any
 * Return: the detour, or NULL
 */
const struct hc_detour *hc_detour_of(const struct hc_detour *detours, unsigned int n, __u32 from);

/**
 * struct hc_tree - a tree plan
 * @dim: dimension n of the cube, 1..HC_LIB_DIM_MAX
 * @stages: number of stages k, 0..n; the tree spans the subcube of 2^k nodes
 *	that contains @sink and whose free dimensions are @order[0..k-1]
 * @sink: the root
 * @order: dimension used at each stage, distinct; the paper's d_0 is order[0]
 * @ndetours: number of entries of @detours
 * @members: the nodes that contribute data (bit set of hc_set_words(dim) words): live nodes of the
 *	subcube that healthy links of the whole cube connect with @sink; the tree treats all other
 *	nodes as failed
 * @detours: one entry for every member whose tree link is unusable and that has no effective
 *	helper, strictly ascending by @from
 */
struct hc_tree {
	unsigned int dim;
	unsigned int stages;
	__u32 sink;
	__u8 order[HC_LIB_DIM_MAX];
	unsigned int ndetours;
	const __u32 *members;
	const struct hc_detour *detours;
};

/* How data is sent from a node to its destination. */
enum hc_tree_how {
	HC_TREE_DIRECT,		/* whole, over the tree link of the stage */
	HC_TREE_HELP,		/* split in m parts, one to each effective helper */
	HC_TREE_DETOUR,		/* whole, over a path of several links (hc_way.h) */
};

/**
 * struct hc_tree_peer - one source or destination of a node
 * @node: the peer
 * @stage: the stage of the transfer
 * @dim: dimension of the link for DIRECT and HELP; 0 for DETOUR
 * @how: enum hc_tree_how
 * @part: in a destination: number of the part that it gets, 0..@parts-1 (0 unless HELP)
 * @parts: in a destination: number m of parts (1 unless HELP)
 * @away: 0 when the role is computed; the user of the role sets it when no healthy path leads to
 *	the peer any more
 * @behind: 0 when the role is computed; the user of the role sets it while the peer has not
 *	reported that it is in this node's generation
 *
 * A source with @how = HELP has @part = @parts = 0. It sends exactly one part of each segment,
 * possibly an empty one; the frame contains the range of the part. The helper cannot compute the
 * number of the part, which depends on the FAULT words of nodes at distance 2: the helper does not
 * have them.
 */
struct hc_tree_peer {
	__u32 node;
	__u8 stage;
	__u8 dim;
	__u8 how;
	__u8 part;
	__u8 parts;
	__u8 away;
	__u8 behind;
};

/**
 * struct hc_tree_role - the role of one member in a tree
 * @active: the stage at which the node is active; k (= stages) for the sink
 * @nsrc: number of sources that hc_tree_role() has written to the caller's array
 * @ndst: number of entries of @dst: 0 for the sink, m with helpers, else 1
 * @dst: the destinations
 *
 * A member merges its own contribution first and then the data of its sources in the order of the
 * array. The array is sorted by stage; the sources of one stage are sorted DIRECT first, then HELP
 * (ascending position of the dimension in the order), then DETOUR (ascending node).
 */
struct hc_tree_role {
	unsigned int active;
	unsigned int nsrc;
	unsigned int ndst;
	struct hc_tree_peer dst[HC_LIB_DIM_MAX];
};

/**
 * hc_tree_contains() - find out whether a node is in the subcube that the tree spans
 * @t: the tree
 * @u: a node of the cube
 *
 * Return: true if @u is in this subcube
 */
bool hc_tree_contains(const struct hc_tree *t, __u32 u);

/**
 * hc_tree_active() - compute the stage at which a node is active
 * @t: the tree
 * @u: a node of the tree's subcube
 *
 * Return: the first stage i at which @u differs from the sink along order[i]; t->stages for the
 * sink. Before that stage the node is passive, after that stage it is idle (equations 1 to 3 of the
 * paper, written relative to the sink).
 */
unsigned int hc_tree_active(const struct hc_tree *t, __u32 u);

/**
 * hc_tree_fault() - add the links to nodes that are not members to a FAULT word
 * @t: the tree
 * @u: the node
 * @fault: FAULT(u): bit d set iff link (u, d) is unusable
 *
 * Return: @fault with the bits towards nodes that are not members added. The comments below call a
 * link good if its bit in this mask is clear.
 */
__u32 hc_tree_fault(const struct hc_tree *t, __u32 u, __u32 fault);

/**
 * hc_tree_role() - compute a member's role from local knowledge
 *
 * Destinations of a node u that is active at stage i: its passive neighbour along order[i] if that
 * link is good (DIRECT). Otherwise its effective helpers: the active neighbours along order[j], j >
 * i, such that the link to the helper is good and the helper's own link along order[i] is good,
 * too; if there are m effective helpers, each gets one of m parts, numbered by ascending j (HELP).
 * If there is no effective helper, the node that the plan's list of detours names (DETOUR).
 *
 * Sources of a node u, which follow from the same rules: for each stage at which u is passive, the
 * active neighbour along the stage's dimension, if the link is good (DIRECT). For the stage i at
 * which u is active, if u's own link along order[i] is good, each active neighbour that a good link
 * joins with u and whose own link along order[i] is not good (HELP). And each node that has a
 * detour to u (DETOUR).
 *
 * @t: the tree
 * @u: the member
 * @own: FAULT(u)
 * @nb: FAULT words of the n neighbours of @u: nb[d] = FAULT(u ^ (1 << d)), as the neighbour has
 *	sent it. The word of a neighbour is not used if the link to it is unusable or it is no
 *	member
 * @role: filled in
 * @src: array for the sources, at least @max entries
 * @max: size of @src; 2 * stages + t->ndetours is always enough
 *
 * Time O(stages + ndetours).
 *
 * Return: 0, -EINVAL if @u is no member of the tree, -ENOSPC if @max is too
 * small, -ENOENT if @u needs a detour and the plan names none.
 */
int hc_tree_role(const struct hc_tree *t, __u32 u, __u32 own, const __u32 *nb,
		 struct hc_tree_role *role, struct hc_tree_peer *src,
		 unsigned int max);

/**
 * struct hc_tree_reason - why a plan was refused
 * @why: a sentence, static storage
 * @node: the node concerned (undefined if @why concerns no node)
 */
struct hc_tree_reason {
	const char *why;
	__u32 node;
};

/**
 * hc_tree_check() - verify a whole plan against the faults
 * @t: the tree
 * @fault: FAULT words of all 2^n nodes; the word of a failed node is 1^n, and the words of its
 *	neighbours have the bit of their link to it set
 * @work: scratch space, at least HC_TREE_WORK(dim) words of 32 bits; must come from an allocator,
 *	since it holds objects of several types in turn
 * @reason: filled in when the plan is refused; may be NULL
 *
 * Accepts a plan only if executing it delivers the contribution of every member exactly once to the
 * sink with no cyclic wait:
 *  - the dimensions are valid and distinct, and the sink is a member;
 *  - every member is inside the subcube and connected with the sink by healthy links (so there is a
 *    path for every detour, and every member is live, unless there is only one);
 *  - every blocked sender without an effective helper has exactly one detour, to a member that is
 *    passive at the sender's active stage, and no other node has a detour;
 *  - every destination in the role of a sender is a source in the role of the receiver, and vice
 *    versa.
 * A plan may leave out a live node. The proof is in hc_tree.c.
 *
 * Time O(2^n * (n + ndetours)).
 *
 * Return: 0 or -EINVAL with @reason set.
 */
int hc_tree_check(const struct hc_tree *t, const __u32 *fault, __u32 *work,
		  struct hc_tree_reason *reason);
#define HC_TREE_WORK(dim) (4 * (1u << (dim)) + 64)

#endif /* _HC_TREE_H */
