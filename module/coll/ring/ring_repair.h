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
 * struct hc_ring_shape - a repaired tree of rings, at the coordinator that has made it
 * @rcu: frees the object after a grace period
 * @size: bytes of this object
 * @ballot: ballot of the attempt that has made it
 * @t: the tree of rings
 * @ring: the rings of @t; the arrays of their nodes follow
 */
struct hc_ring_shape {
	struct rcu_head rcu;
	size_t size;
	u64 ballot;
	struct hc_ring_tree t;
	struct hc_ring ring[];
};

/* The phase that a member has reached in an attempt. */
enum repair_phase {
	REPAIR_NONE,	/* no ASK was received since the plan was made or repaired */
	REPAIR_ANSWERED,
	REPAIR_ASSIGNED, /* until COMMIT, frames of peers and contributions wait */
};

/**
 * struct hc_ring_chunk - a chunk of which a member may have to send its segment again:
 *	ring_resume.c
 * @used: true if the member has sent its segment
 * @last: true if the chunk is the last one of its operation
 * @len: bytes of each segment
 * @nr: number by which processes refer to the operation
 * @at: offset of the chunk in each message
 * @own: a copy of the member's segment; NULL if there was no memory for it
 * @params: header of the frame with this segment, which has the parameters of the operation
 * @gave: set of the members whose segments have been passed to the process
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

/* Number of sets of members for results: see hc_resume_set_free(). */
#define HC_RESUME_SETS	5
/* Number of sets of nodes for each member: HC_RESUME_SETS, .gave of both entries of
 * hc_ring_resume.chunk, hc_ring_resume.missing, and hc_repair.without.
 */
#define HC_REPAIR_SETS	(HC_RESUME_SETS + 4)

/**
 * struct hc_ring_resume - the data with which a member can resume the operations under way; only
 *	the poll of its node accesses it
 * @chunk: the current chunk, and the one before or after it
 * @cur: index of the current chunk in @chunk
 * @ahead: true if the other chunk is the one after the current chunk, false if it is the one before
 *	it
 * @unfit: true if the operations under way at this member cannot be resumed after a repair
 * @ended: true if all operations that were under way have ended, and the member has had no
 *	assignment since then
 * @line: ballot of the last attempt in whose rings data was sent, as far as the member knows
 * @base: set of the members of the rings of attempt @line
 * @nbase: number of members in @base
 * @placed: ballot of the last attempt in which the member got an assignment
 * @fresh: the first operation of which no member had sent frames before that assignment
 * @before: set of the members whose blocks are in the results of operations below @fresh
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
 * struct hc_repair - state of the ring repair at a member. Only the poll of its node accesses it,
 *	except @shape
 * @ballot: the greatest ballot that the member has received or used
 * @made_at: time at which the plan was made, jiffies; constant
 * @phase: enum repair_phase of attempt @ballot
 * @ran: ballot of the last attempt in which the member has received COMMIT; 0 if there was none
 * @clock: logical clock: length of the longest chain of messages since the fault
 * @silent: number of seconds since the last message of the coordinator
 * @called: true if REQUEST was sent to the coordinator, which reports that the plan is broken at
 *	this member
 * @known: digest of the FAULT words that the node had when it set @called
 * @without: set of members that have answered that they do not have the plan
 * @counted: the node, if this plan is counted in its hc_work.repairing; configuration reads it when
 *	the plan has been removed
 * @resume: data for resuming operations
 * @coord: the attempt of which the member is the coordinator, or NULL
 * @shape: the latest tree that the member has made as the coordinator; read under RCU
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
 * @members: set to the set of the members in the present rings, as of the last COMMIT on this
 *	machine, or to NULL if the plan has not been repaired
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
 * hc_repair_saw_ballot() - record the ballot of an attempt
 * @s: the state
 * @ballot: its ballot
 */
void hc_repair_saw_ballot(struct hc_repair *s, u64 ballot);

/**
 * hc_repair_saw_data() - act as on COMMIT if data is received before it: the sender of the data has
 *	received COMMIT, so all members have their assignments
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

/* The functions below must be called only for members of plans with REPAIR (hc_plan.repairs). */

/**
 * hc_repair_stop() - stop the operations under way, after a fault has broken the plan
 * @m: the member. If its node has failed, its operations end
 * @news: true if the plan was not broken at this member before
 */
void hc_repair_stop(struct hc_member *m, bool news);

/**
 * hc_repair_tend() - advance the repair
 * @m: the member
 * @late: true if a second has passed since the last such call
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
