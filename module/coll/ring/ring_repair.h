/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Repair of plans of rings (REPAIR): ring_repair.c.
 */
#ifndef _HC_RING_REPAIR_KERNEL_H
#define _HC_RING_REPAIR_KERNEL_H

#include <linux/rcupdate.h>
#include <linux/types.h>

#include "hc_ring.h"
#include "wire.h"

struct hc_member;
struct hc_node;
struct hc_op;
struct hc_plan;
struct repair_coord;
struct sk_buff;

/**
 * struct hc_ring_shape - a repaired tree of rings, as its coordinator made it
 * @rcu: for freeing it
 * @size: bytes of this allocation
 * @ballot: the attempt that made it
 * @t: the tree of rings
 * @ring: the rings of @t; room for their nodes follows
 */
struct hc_ring_shape {
	struct rcu_head rcu;
	size_t size;
	u64 ballot;
	struct hc_ring_tree t;
	struct hc_ring ring[];
};

/* How far a member has come in an attempt. */
enum repair_phase {
	REPAIR_NONE,	/* plan works, or is broken and no ASK was received */
	REPAIR_ANSWERED,
	REPAIR_ASSIGNED, /* frames of peers are queued and contributions wait until COMMIT */
};

/**
 * struct hc_ring_chunk - a chunk whose segment a member may have to send again: ring_resume.c
 * @used: the member has sent its segment
 * @last: the chunk is the last one of its operation
 * @len: bytes of each segment
 * @nr: number of the operation, as processes see it
 * @at: offset of the chunk in each message
 * @own: the member's segment; NULL if no memory was available to keep it
 * @params: header of the frame that carried it, with the parameters of the operation
 * @gave: set of the members whose segments the process was given
 */
struct hc_ring_chunk {
	bool used;
	bool last;
	u32 len;
	u64 nr;
	u64 at;
	struct sk_buff *own;
	struct hc_wire_data params;
	u32 *gave;
};

/* Sets of members that results may refer to: see hc_resume_set_free(). */
#define HC_RESUME_SETS	5
/* Sets of nodes for the poll of a member: HC_RESUME_SETS, .gave of both entries of
 * hc_ring_resume.chunk, hc_ring_resume.missing, and hc_repair.without.
 */
#define HC_REPAIR_SETS	(HC_RESUME_SETS + 4)

/**
 * struct hc_ring_resume - what a member keeps of the operations under way [poll]
 * @chunk: the current chunk, and the one before or after it
 * @cur: index of the current chunk in @chunk
 * @ahead: the other chunk is the one after the current chunk, not the one before it
 * @unfit: operations under way here cannot go on after a repair
 * @ended: all operations under way have ended, and the member has had no assignment since
 * @line: the last attempt in whose rings data was sent, as far as the member knows
 * @base: set of the members of the rings of attempt @line
 * @nbase: number of members in @base
 * @placed: the last attempt that gave the member an assignment
 * @fresh: the first operation of which no member had sent anything before that assignment
 * @before: set of the members to which results of operations below @fresh refer
 * @nbefore: number of members in @before
 * @set: memory for sets of members
 * @missing: memory for the set of the members whose blocks a result lacks
 */
struct hc_ring_resume {
	struct hc_ring_chunk chunk[2];
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
	u32 *set[HC_RESUME_SETS];
	u32 *missing;
};

/**
 * struct hc_repair - state of the ring repair at a member; [poll] except @shape
 * @ballot: the greatest ballot that the member knows of
 * @made_at: jiffies when the plan was made; constant
 * @phase: enum repair_phase, in attempt @ballot
 * @ran: ballot of the last attempt in which the member received COMMIT; 0: none
 * @clock: logical clock: length of the longest chain of frames since the fault
 * @silent: seconds since the last frame of the coordinator
 * @called: the coordinator was notified that the plan is broken here (REQUEST)
 * @known: digest of the FAULT words that the node knew when it set @called
 * @without: set of members that have answered that they do not have the plan
 * @counted: the node, if this plan is counted in its hc_work.repairing; read outside the poll
 *	when the plan has been removed
 * @resume: what the member keeps of operations
 * @coord: the attempt that it leads as the coordinator, or NULL
 * @shape: the latest tree that it has made as the coordinator; read under RCU
 */
struct hc_repair {
	u64 ballot;
	u64 made_at;
	u8 phase;
	u64 ran;
	u32 clock;
	u32 silent;
	bool called;
	u32 known;
	u32 *without;
	struct hc_node *counted;
	struct hc_ring_resume resume;
	struct repair_coord *coord;
	struct hc_ring_shape __rcu *shape;
};

/**
 * hc_repair_shape() - find the latest rings of a plan, for dumps
 * @plan: the plan
 * @members: set to the set of members in the rings now, according to the last COMMIT on this
 *	machine; NULL: the plan was not repaired
 *
 * Context: under RCU.
 * Return: the latest tree that a coordinator on this machine has made, or NULL if there is none.
 */
const struct hc_ring_shape *hc_repair_shape(const struct hc_plan *plan, const u32 **members);

/**
 * hc_repair_release() - free the repair state of a member
 * @plan: the plan, which no poll uses any more
 * @s: the state
 *
 * Context: configuration.
 */
void hc_repair_release(struct hc_plan *plan, struct hc_repair *s);

/**
 * hc_repair_init() - initialize the repair state of a member
 * @plan: the plan, which is being made
 * @s: the state
 * @sets: memory for HC_REPAIR_SETS sets of members
 *
 * Context: configuration.
 */
void hc_repair_init(const struct hc_plan *plan, struct hc_repair *s, u32 *sets);

/**
 * hc_repair_saw_ballot() - record that an attempt exists
 * @s: the state
 * @ballot: its ballot
 */
void hc_repair_saw_ballot(struct hc_repair *s, u64 ballot);

/**
 * hc_repair_saw_data() - commit this member if data arrives before COMMIT: since the sender has
 *	received COMMIT, all members have their assignments
 * @m: the member
 */
void hc_repair_saw_data(struct hc_member *m);

/**
 * hc_repair_none() - make the reply to a REPAIR frame at a node that does not have the plan
 * @node: the node
 * @skb: the frame
 *
 * Return: the reply, or NULL if the frame is itself a reply or there is no memory.
 */
struct sk_buff *hc_repair_none(struct hc_node *node, const struct sk_buff *skb);

/* The functions below are for members of plans with REPAIR (hc_plan.repairs). */

/**
 * hc_repair_stop() - stop what is under way, after a fault has broken the plan
 * @m: the member. If its node has failed, its operations end
 * @news: the plan was not broken before
 */
void hc_repair_stop(struct hc_member *m, bool news);

/**
 * hc_repair_tend() - advance the repair
 * @m: the member
 * @late: a second has passed
 */
void hc_repair_tend(struct hc_member *m, bool late);

/**
 * hc_repair_rx() - handle REPAIR
 * @m: the member
 * @skb: the frame; the caller frees it
 *
 * Return: 0, or the reason to drop it.
 */
unsigned int hc_repair_rx(struct hc_member *m, struct sk_buff *skb);

#endif /* _HC_RING_REPAIR_KERNEL_H */
