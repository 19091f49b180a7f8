/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Broadcast by a sequence of dimensions: when each node is informed and by which neighbour, and the
 * verifier of whole plans. In a network that is no hypercube, a "dimension" is a port number.
 *
 * At step i every member that has the message sends it along dimension sequence[i], if the link is
 * healthy and leads to a member. A member is informed by the first send that it receives; other
 * sends to it need not be made.
 *
 * Source: Chang & Bhuyan, "Fault Tolerant Broadcasting in SIMD Hypercubes", with the corrections of
 * Documentation/errata.rst. Shared by the kernel module, the tool and the tests; no allocation, no
 * recursion, no floating point.
 */
#ifndef _HC_BCAST_H
#define _HC_BCAST_H

#include "hc_topo.h"

/* Entry in a table of first steps: the node does not get the message. */
#define HC_BCAST_NEVER	0xffff

/**
 * struct hc_bcast - a broadcast plan
 * @topo: the network
 * @steps: length of @sequence, at most hc_bcast_max_steps()
 * @source: the node that has the message
 * @sequence: the dimension of each step
 * @members: the nodes that are to get the message and to send it on, including the source (bit set
 *	of hc_topo_words() words)
 */
struct hc_bcast {
	struct hc_topo topo;
	unsigned int steps;
	__u32 source;
	const __u8 *sequence;
	const __u32 *members;
};

/* Return: the greatest number of steps that a plan may have. No plan needs more, since a step that
 * informs no node can be left out.
 */
static inline unsigned int hc_bcast_max_steps(const struct hc_topo *t)
{
	return t->nodes - 1;
}

/**
 * hc_bcast_run() - compute when each member is informed
 * @b: the plan, which must have the shape that hc_bcast_check() requires
 * @fault: FAULT words of all nodes; a link is used if neither end's word
 *	has its bit
 * @first: filled in; for each node the number of steps after which it has the message; 0 for the
 *	source, HC_BCAST_NEVER for a node that does not get it
 *
 * A node with @first = i > 0 gets the message at step i - 1 along dimension
 * sequence[i - 1], and so from exactly one neighbour, which has a smaller @first.
 *
 * Time O(steps * nodes).
 *
 * Return: number of informed members, the source included.
 */
__u32 hc_bcast_run(const struct hc_bcast *b, const __u32 *fault, __u16 *first);

/* Value of hc_bcast_reason.node if the reason concerns no node. */
#define HC_BCAST_NO_NODE	0xffffffff

/**
 * struct hc_bcast_reason - why a plan was refused
 * @why: a sentence, static storage
 * @node: the node concerned, or HC_BCAST_NO_NODE
 */
struct hc_bcast_reason {
	const char *why;
	__u32 node;
};

/**
 * hc_bcast_check() - verify a whole plan against the faults
 * @b: the plan
 * @fault: FAULT words of all nodes; the word of a failed node has all its ports, and the words of
 *	its neighbours have the port that leads to it
 * @first: as for hc_bcast_run(); filled in even if a member does not get the message
 * @reason: set when the plan is refused; if members do not get the message, @reason->node is the
 *	lowest of them; may be NULL
 *
 * Accepts a plan only if executing it informs every member. That implies that every member is live
 * and connected with the source, unless the source is the only member. A plan may leave out a live
 * node, and may have a step that informs no node.
 *
 * Return: 0 or -EINVAL with @reason set.
 */
int hc_bcast_check(const struct hc_bcast *b, const __u32 *fault, __u16 *first,
		   struct hc_bcast_reason *reason);

/**
 * struct hc_bcast_send - one send
 * @step: step of the send, counted from 0
 * @dim: dimension along which the member sends
 */
struct hc_bcast_send {
	__u16 step;
	__u8 dim;
};

/**
 * struct hc_bcast_role - the role of one member in a broadcast
 * @first: number of steps after which the member has the message; 0 for the source
 * @from: dimension along which the member gets the message (0 for the source)
 * @nto: number of sends
 * @to: the sends, by ascending step; each is the one that informs the neighbour
 */
struct hc_bcast_role {
	__u16 first;
	__u8 from;
	__u8 nto;
	struct hc_bcast_send to[HC_LIB_DIM_MAX];
};

/**
 * hc_bcast_role() - compute the role of a member
 * @b: a plan that hc_bcast_check() accepted
 * @first: the table that hc_bcast_check() filled in
 * @u: the member
 * @role: filled in
 *
 * The sends of all members make a tree: every member but the source is sent the
 * message exactly once, by a member that had it before.
 *
 * Time O(ports).
 *
 * Return: 0, or -EINVAL if @u is not informed or is no node.
 */
int hc_bcast_role(const struct hc_bcast *b, const __u16 *first, __u32 u,
		  struct hc_bcast_role *role);

#endif /* _HC_BCAST_H */
