/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans of rings that mend themselves: ring_mend.c.
 */
#ifndef _HC_RING_MEND_KERNEL_H
#define _HC_RING_MEND_KERNEL_H

#include <linux/rcupdate.h>
#include <linux/types.h>

#include "hc_ring.h"
#include "wire.h"

struct hc_member;
struct hc_node;
struct hc_op;
struct hc_plan;
struct mend_desk;
struct sk_buff;

/**
 * struct hc_ring_shape - a mended tree of rings
 * @rcu: frees it
 * @size: its bytes
 * @ballot: the attempt that made it
 * @t: the rings
 * @ring: those of @t, with room for the nodes behind
 */
struct hc_ring_shape {
	struct rcu_head rcu;
	size_t size;
	u64 ballot;
	struct hc_ring_tree t;
	struct hc_ring ring[];
};

/* How far a member has come. */
enum mend_phase {
	MEND_NONE,	/* it works, or is broken and was not asked yet */
	MEND_ASKED,
	MEND_PLACED,	/* frames of others are taken, contributions wait */
};

/**
 * struct hc_ring_slice - a slice that a member may have to send its part of again: ring_keep.c
 * @used: the member has sent its part
 * @last: it is the last one of its operation
 * @len: bytes of each part
 * @nr: the operation, as processes are told it
 * @at: where it lies in each message
 * @own: the member's part; NULL: there was no memory
 * @params: what its frame said of the operation
 * @gave: set of the members whose part the process was given
 */
struct hc_ring_slice {
	bool used;
	bool last;
	u32 len;
	u64 nr;
	u64 at;
	struct sk_buff *own;
	struct hc_wire_data params;
	u32 *gave;
};

/* Sets of members that results may be about: see hc_keep_set_free(). */
#define HC_KEEP_SETS	5
/* What the polls of a member need as sets: these, one for each slice, one of the missing, one of
 * those without the plan.
 */
#define HC_MEND_SETS	(HC_KEEP_SETS + 4)

/**
 * struct hc_ring_keep - what a member keeps of the operations under way; [poll]
 * @slice: the one at hand, and another one
 * @cur: which is at hand
 * @ahead: the other one comes after it, not before
 * @unfit: what is under way here cannot go on
 * @ended: it has ended since the member was placed
 * @line: the last attempt in which data went
 * @base: set of the members of its rings
 * @nbase: how many
 * @placed: the last attempt that gave the member a place
 * @fresh: first operation of which nobody had sent anything then
 * @before: set of those whose blocks belong to operations before that
 * @nbefore: how many
 * @set: room for sets of members
 * @missing: whose blocks a result lacks
 */
struct hc_ring_keep {
	struct hc_ring_slice slice[2];
	u8 cur;
	bool ahead;
	bool unfit;
	bool ended;
	u64 line;
	const u32 *base;
	u32 nbase;
	u64 placed;
	u64 fresh;
	const u32 *before;
	u32 nbefore;
	u32 *set[HC_KEEP_SETS];
	u32 *missing;
};

/**
 * struct hc_mend - what a member knows of the mending of its plan; [poll] but for @shape
 * @heard: the greatest ballot heard of
 * @made_at: when the plan was made, jiffies; constant
 * @phase: enum mend_phase, in the attempt @heard
 * @ran: the last attempt in which it was told to go, 0: none
 * @clock: logical clock: the longest chain of frames since the fault, of those that mend the plan
 * @silent: seconds since the master was heard
 * @called: the master was told that the plan is broken here
 * @known: and what this node knew of links then
 * @without: set of members that have said that they do not have the plan
 * @counted: the node, if it counts this plan as one that is not ready; others read it when the
 *	plan has gone
 * @keep: what it keeps of operations
 * @desk: what it works on as a master, or NULL
 * @shape: what it has made as a master; others read it under RCU
 */
struct hc_mend {
	u64 heard;
	u64 made_at;
	u8 phase;
	u64 ran;
	u32 clock;
	u32 silent;
	bool called;
	u32 known;
	u32 *without;
	struct hc_node *counted;
	struct hc_ring_keep keep;
	struct mend_desk *desk;
	struct hc_ring_shape __rcu *shape;
};

/* The latest tree that a member on this machine has made as a master, or NULL: none has.  @members:
 * those that are in the rings now, as the members on this machine were told, or NULL: the plan was
 * not mended.  Under RCU.
 */
const struct hc_ring_shape *hc_mend_shape(const struct hc_plan *plan, const u32 **members);
/* Config; no poll sees the plan any more. */
void hc_mend_release(struct hc_plan *plan, struct hc_mend *s);

/* A member of a plan that is made; @sets: room for HC_MEND_SETS sets of members.  Config. */
void hc_mend_init(const struct hc_plan *plan, struct hc_mend *s, u32 *sets);
/* Somebody has named an attempt. */
void hc_mend_hear(struct hc_mend *s, u64 ballot);
/* Data has come: whoever sends some was told to go, so all have their places. */
void hc_mend_heard(struct hc_member *m);

/* What a node that does not have the plan says to MEND, or NULL: nothing. */
struct sk_buff *hc_mend_none(struct hc_node *node, const struct sk_buff *skb);

/* The rest is for members of plans that mend themselves (hc_plan.mends). */

/* A fault has broken the plan; @news: it was not broken before.  What is under way waits, or ends
 * if the member's node has failed.
 */
void hc_mend_stop(struct hc_member *m, bool news);
/* Go on with mending; @late: a second has passed. */
void hc_mend_tend(struct hc_member *m, bool late);
/* MEND has come: 0, or why it is not believed. */
unsigned int hc_mend_rx(struct hc_member *m, struct sk_buff *skb);

#endif /* _HC_RING_MEND_KERNEL_H */
