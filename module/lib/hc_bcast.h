/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Broadcast by a sequence of dimensions: who is informed when and by whom, and
 * the verifier of whole plans.
 *
 * At step i every informed member sends along dimension sequence[i], over
 * healthy links, to members.  Of these sends only one per member brings news;
 * the others need not be made.
 *
 * Source: Chang & Bhuyan, "Fault Tolerant Broadcasting in SIMD Hypercubes", with
 * the corrections of Documentation/errata.rst.  Shared by the kernel module, the
 * tool and the tests; no allocation, no recursion, no floating point.
 */
#ifndef _HC_BCAST_H
#define _HC_BCAST_H

#include "hc_topo.h"

/* In a table of first steps: not informed. */
#define HC_BCAST_NEVER	0xffff

/**
 * struct hc_bcast - a broadcast plan
 * @dim: dimension n of the cube, 1..HC_LIB_DIM_MAX
 * @steps: length of @sequence, at most hc_bcast_max_steps()
 * @source: the node that has the message
 * @sequence: the dimension of each step
 * @members: the nodes that are to get the message and pass it on, the source
 *	among them (bit set of hc_set_words(dim) words)
 */
struct hc_bcast {
	unsigned int dim;
	unsigned int steps;
	__u32 source;
	const __u8 *sequence;
	const __u32 *members;
};

/* More steps are never needed: each one can inform a node. */
static inline unsigned int hc_bcast_max_steps(unsigned int dim)
{
	return hc_nodes(dim) - 1;
}

/**
 * hc_bcast_run() - find out when each member is informed
 * @b: the plan, which must have the shape that hc_bcast_check() asks for
 * @fault: FAULT words of all 2^n nodes; a link is used if neither end's word
 *	has its bit
 * @first: 2^n entries, filled in: after how many steps the node has the
 *	message; 0 for the source, HC_BCAST_NEVER for a node that does not get it
 *
 * A node with @first = i > 0 gets the message at step i - 1 along dimension
 * sequence[i - 1], and so from exactly one neighbour, which has a smaller @first.
 *
 * Time O(steps * 2^n).
 *
 * Return: number of informed members, the source included.
 */
__u32 hc_bcast_run(const struct hc_bcast *b, const __u32 *fault, __u16 *first);

/* In a flaw: the sentence is about no node. */
#define HC_BCAST_NO_NODE	0xffffffff

/**
 * struct hc_bcast_flaw - why a plan was refused
 * @why: a sentence, static storage
 * @node: the node concerned, or HC_BCAST_NO_NODE
 */
struct hc_bcast_flaw {
	const char *why;
	__u32 node;
};

/**
 * hc_bcast_check() - verify a whole plan against the faults
 * @b: the plan
 * @fault: FAULT words of all 2^n nodes; a failed node's word is 1^n and its
 *	neighbours' words have the bit towards it set
 * @first: as for hc_bcast_run(); also filled in when a member is not informed
 * @flaw: filled in when the plan is refused, with the lowest such member; may
 *	be NULL
 *
 * Accepts a plan only if executing it informs every member.  That implies that
 * every member is live and connected with the source, unless it is the only
 * one.  A live node that the plan leaves out is no flaw, nor is a step that
 * informs nobody.
 *
 * Return: 0 or -EINVAL with @flaw set.
 */
int hc_bcast_check(const struct hc_bcast *b, const __u32 *fault, __u16 *first,
		   struct hc_bcast_flaw *flaw);

/**
 * struct hc_bcast_send - one send
 * @step: at which step, counted from 0
 * @dim: along which dimension
 */
struct hc_bcast_send {
	__u16 step;
	__u8 dim;
};

/**
 * struct hc_bcast_role - what one member does in a broadcast
 * @first: steps after which it has the message; 0 for the source
 * @from: dimension along which it gets the message (0 for the source)
 * @nto: number of sends
 * @to: the sends, by ascending step; each one informs the neighbour
 */
struct hc_bcast_role {
	__u16 first;
	__u8 from;
	__u8 nto;
	struct hc_bcast_send to[HC_LIB_DIM_MAX];
};

/**
 * hc_bcast_role() - what a member has to do
 * @b: a plan that hc_bcast_check() accepted
 * @first: the table that it filled in
 * @u: the member
 * @role: filled in
 *
 * The sends of all members make a tree: every member but the source is sent the
 * message exactly once, by a member that had it before.
 *
 * Time O(n).
 *
 * Return: 0, or -EINVAL if @u is not informed or is no node.
 */
int hc_bcast_role(const struct hc_bcast *b, const __u16 *first, __u32 u,
		  struct hc_bcast_role *role);

#endif /* _HC_BCAST_H */
