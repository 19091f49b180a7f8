/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What plans of one type do otherwise than others: the common code (plan.c, coll*.c) knows
 * members, numbers and frames, and asks these instead of the type.
 *
 * A plan type is a file that defines its struct hc_plan_ops, a line in ops.c and a row in
 * netlink_plan.c.
 */
#ifndef _HC_OPS_H
#define _HC_OPS_H

#include <linux/types.h>

struct hc_end;
struct hc_hdr;
struct hc_member;
struct hc_op;
struct hc_plan;
struct hc_plan_params;
struct netlink_ext_ack;
struct sk_buff;

/* How a member learns which operations are done (DONE). */
enum hc_done_way {
	HC_DONE_DOWN,	/* its destinations tell, the root first */
	HC_DONE_UP,	/* its sources tell, the root is last */
	HC_DONE_ALONE,	/* nobody does: from its own work, so nothing is ever in doubt */
};

/**
 * struct hc_plan_ops - a plan type
 * @name: its name
 * @id: enum hypercube_plan_type
 * @copy: take over the shape from what netlink asks for; the plan has its members' set, which
 *	this may fill.  False: no memory.  Config
 * @members_create: verify the plan and make its members.  Config
 * @release: free what @copy allocated, as far as it did, or NULL.  Config
 * @collective: what an operation is said to be of that has failed before it began
 * @window: contributions that a member may have begun and that are not done
 * @up_window: numbers, from the first that is not done, of which frames may come from below;
 *	not in lockstep
 * @done_way: who tells whom what is done
 * @results_follow: results come down behind what was handed over, see hc_results_advance()
 * @all_contribute: all members do, not the root alone
 * @unasked: what goes down goes to all sources, none has to ask for it or to begin first
 * @lockstep: members exchange frame for frame: one may have come that is ahead of this member's
 *	own stage, which is noted when it is taken, and nobody needs credits
 * @turns_planned: the plan says at which step something goes down to a source (.turns)
 * @done_tell: tell what was kept to oneself, of a member that tells; NULL: nobody does
 * @done_rx: others have told; NULL: nobody does
 * @offered: may the process get what has come down?  If not, the wait is noted or the operation
 *	has failed.  NULL: it may, if it has room
 * @handed: the oldest operation was passed on as a whole, and .head has moved behind it; it
 *	may be forgotten
 * @idle: the operation at the head has not begun; NULL: there is nothing else to do
 * @close: the socket that served the plan was closed
 * @frames_told: what a peer that asks for operation @nr is told (TELL): how many of its frames
 *	it need not wait for any more, or how many it was sent
 *
 * What follows is of failures, and NULL where there is nothing to do:
 *
 * @message_lost: has a frame been lost that must have come before the question of the peer
 *	above it?
 * @was_sent: does a peer say (TELL) that it has sent more of the operation than has come?
 * @forgone: an operation has failed that its process had begun, and knows that
 * @settle_below: the failed range is about to be forgotten for one behind a gap: what is
 *	below it is over everywhere else
 * @settle_passed: the same of a range that others have passed already
 * @settled: the plan is broken, and what was in doubt has ended, as @last says
 * @end_note: a failure that is no fault was heard of; @news: it covers numbers that none
 *	did.  True: there is something to pass on
 * @end_known: it was known, as @from_peer does not know
 * @end_owed: is there anybody who may not have heard of it, and does not know that he has
 *	to ask?
 * @end_again: tell them
 * @word_again: the root's word on a plan that broke has come again.  True: it is news
 * @refused: the plan is broken, and a contribution was refused that its process takes for
 *	begun
 */
struct hc_plan_ops {
	const char *name;
	u32 id;
	bool (*copy)(struct hc_plan *plan, const struct hc_plan_params *p);
	int (*members_create)(struct hc_plan *plan, const u32 *fault,
			      struct netlink_ext_ack *extack);
	void (*release)(struct hc_plan *plan);
	u8 collective;
	unsigned int window;
	unsigned int up_window;
	enum hc_done_way done_way;
	bool results_follow;
	bool all_contribute;
	bool unasked;
	bool lockstep;
	bool turns_planned;
	void (*done_tell)(struct hc_member *m);
	void (*done_rx)(struct hc_member *m, const struct hc_hdr *hdr);
	bool (*offered)(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb);
	void (*handed)(struct hc_member *m, struct hc_op *op);
	void (*idle)(struct hc_member *m);
	void (*close)(struct hc_member *m);
	u32 (*frames_told)(struct hc_member *m, u32 node, u64 nr);

	bool (*message_lost)(struct hc_member *m, const struct hc_hdr *hdr);
	bool (*was_sent)(const struct hc_op *op, const struct hc_hdr *hdr);
	void (*forgone)(struct hc_member *m, struct hc_op *op);
	void (*settle_below)(struct hc_member *m);
	void (*settle_passed)(struct hc_member *m);
	void (*settled)(struct hc_member *m, const struct hc_end *last);
	bool (*end_note)(struct hc_member *m, struct hc_end *end, bool news);
	void (*end_known)(struct hc_member *m, u32 from_peer);
	bool (*end_owed)(const struct hc_member *m);
	void (*end_again)(struct hc_member *m);
	bool (*word_again)(struct hc_member *m, const struct hc_end *end);
	void (*refused)(struct hc_member *m);
};

extern const struct hc_plan_ops hc_plan_tree;
extern const struct hc_plan_ops hc_plan_bcast;
extern const struct hc_plan_ops hc_plan_doubling;

/* --- ops.c --- */
/* The plan type of that number, or NULL: there is none. */
const struct hc_plan_ops *hc_plan_type(u32 id);

#endif /* _HC_OPS_H */
