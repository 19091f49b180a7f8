/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans of rings that mend themselves: ring_mend.c.
 */
#ifndef _HC_RING_MEND_KERNEL_H
#define _HC_RING_MEND_KERNEL_H

#include <linux/rcupdate.h>
#include <linux/types.h>

#include "hc_ring.h"

struct hc_abort;
struct hc_member;
struct hc_node;
struct hc_plan;
struct mend_desk;
struct sk_buff;

/**
 * struct hc_ring_shape - a mended tree of rings
 * @rcu: frees it
 * @size: its bytes
 * @ballot: the attempt that made it
 * @t: the rings
 * @members: set of their nodes
 * @ring: those of @t, with room for the nodes and the set behind
 */
struct hc_ring_shape {
	struct rcu_head rcu;
	size_t size;
	u64 ballot;
	struct hc_ring_tree t;
	u32 *members;
	struct hc_ring ring[];
};

/* How far a member has come. */
enum mend_phase {
	MEND_NONE,	/* it works, or is broken and was not asked yet */
	MEND_ASKED,
	MEND_PLACED,	/* frames of others are taken, contributions wait */
};

/**
 * struct hc_mend - what a member knows of the mending of its plan; [poll] but for @shape
 * @heard: the greatest ballot heard of
 * @phase: enum mend_phase, in the attempt @heard
 * @ran: the last attempt in which it was told to go, 0: none
 * @silent: seconds since the master was heard
 * @called: the master was told that the plan is broken here
 * @known: and what this node knew of links then
 * @counted: the node, if it counts this plan as one that is not ready; others read it when the
 *	plan has gone
 * @set: members since the plan was mended
 * @desk: what it works on as a master, or NULL
 * @shape: what it has made as a master; others read it under RCU
 */
struct hc_mend {
	u64 heard;
	u8 phase;
	u64 ran;
	u32 silent;
	bool called;
	u32 known;
	struct hc_node *counted;
	u32 *set;
	struct mend_desk *desk;
	struct hc_ring_shape __rcu *shape;
};

/* The latest tree that a member of the plan has made, or NULL: it was never mended.  Under RCU. */
const struct hc_ring_shape *hc_mend_shape(const struct hc_plan *plan);
/* Config; no poll sees the plan any more. */
void hc_mend_release(struct hc_plan *plan, struct hc_mend *s);

/* See struct hc_plan_ops. */
void hc_mend_broke(struct hc_member *m);
void hc_mend_settled(struct hc_member *m, const struct hc_abort *last);
extern const struct hc_mend_ops hc_mend_rings;

#endif /* _HC_RING_MEND_KERNEL_H */
