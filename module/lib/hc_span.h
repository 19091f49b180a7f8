/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Spanning trees of any network: each member but the root has a port that leads to its parent. This
 * file has the schedule of sends, the members' roles, and the verifier of whole plans.
 *
 * In each step, a node receives from one child at most. It receives from its children in the order
 * in which their data is complete; for a given tree no other order takes fewer steps. Read
 * backwards, the same schedule sends data from the root to all members in the same number of steps.
 *
 * Shared by the kernel module, the tool and the tests; no allocation, no recursion, no floating
 * point.
 */
#ifndef _HC_SPAN_H
#define _HC_SPAN_H

#include "hc_reason.h"
#include "hc_topo.h"
#include "hc_tree.h"

/**
 * struct hc_span - a spanning tree
 * @topo: the network
 * @root: the root
 * @n: number of entries of @parent; the verifier compares it with the number of nodes
 * @parent: for each node the port that leads to its parent; HC_NO_PORT for the root and for a node
 *	that is no member
 */
struct hc_span {
	struct hc_topo topo;
	__u32 root;
	__u32 n;
	const __u8 *parent;
};

/* Return: true if @u is a member. The verifier must have accepted @s->n. */
static inline bool hc_span_has(const struct hc_span *s, __u32 u)
{
	return u == s->root || s->parent[u] != HC_NO_PORT;
}

/* Return: true if the node at port @d of @u is a child of @u. Both ends of a link have the same
 * port number.
 */
static inline bool hc_span_child(const struct hc_span *s, __u32 u, unsigned int d)
{
	return hc_port_exists(&s->topo, u, d) && s->parent[hc_peer(&s->topo, u, d)] == d;
}

/* Return the parent of a member that is not the root. */
static inline __u32 hc_span_parent(const struct hc_span *s, __u32 u)
{
	return hc_peer(&s->topo, u, s->parent[u]);
}

/**
 * hc_span_check() - verify a spanning tree against the faults
 * @s: the tree
 * @fault: FAULT words of all nodes
 * @up: set; for each node the step, from 1 on, in which its parent receives the node's data; for
 *	the root the number of steps that the whole tree takes; for a node that is no member 0
 * @work: scratch space, 2 * nodes entries
 * @reason: set when the plan is refused; may be NULL
 *
 * Accepts a plan only if the port of each member but the root leads over a healthy link to another
 * member, and if these ports lead from each member to the root. A plan may leave out live nodes.
 *
 * Time O(nodes * ports), plus O(number of siblings) for each child.
 *
 * Return: 0, or -EINVAL with @reason set.
 */
int hc_span_check(const struct hc_span *s, const __u32 *fault, __u16 *up, __u16 *work,
		  struct hc_reason *reason);

/**
 * hc_span_role() - compute the role of a member
 * @s: a tree that hc_span_check() accepted
 * @up: the table that hc_span_check() filled in
 * @u: the member
 * @role: set
 * @src: set to the sources of the member, which are its children, in the order in which they send;
 *	room for HC_PORTS_MAX
 */
void hc_span_role(const struct hc_span *s, const __u16 *up, __u32 u, struct hc_tree_role *role,
		  struct hc_tree_peer *src);

#endif /* _HC_SPAN_H */
