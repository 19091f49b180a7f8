/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Properties of each collective, and of each type of plan: the common code (the other files
 * of coll/, sock/send.c) knows members, numbers and frames, and asks these instead of a
 * type.
 *
 * A collective is a row in lib/hc_traits.c, which the tool reads, too, and a struct hc_coll_ops for
 * each way in which plans carry it, a line in the list of the plan type.  A plan type is a file
 * that defines its struct hc_plan_ops, a line in ops.c and a row in netlink/plan.c.
 */
#ifndef _HC_OPS_H
#define _HC_OPS_H

#include <linux/types.h>

struct hc_member;
struct hc_op;
struct hc_plan;
struct hc_plan_params;
struct netlink_ext_ack;
struct sk_buff;

/* How far an operation got. */
enum hc_progress {
	HC_BLOCKED,	/* waits; hc_member.view says for what */
	HC_FINISHED,	/* everything was passed on (the root: delivered) */
	HC_FAILED,	/* hc_fail() was called; nothing is done for the operation any more */
};

/**
 * struct hc_coll_ops - how plans of a type carry a collective, with some operators
 * @id: enum hypercube_collective, whose traits are those of hc_traits()
 * @merges: with the operator MERGE, else with all others; runs get longer as they are merged
 * @own_totals: each member knows only its own length
 * @comes_down: a result comes down behind what was handed over
 * @asks: and only to members that have asked for it by what they handed over
 * @rounds: contributions go in rounds, see coll/rounds.h; the process has parts in both cases
 * @joins: what comes down are the blocks of all, in rounds (coll/rounds.h)
 * @piece: bytes of a process's segment in a plan, where pieces of all blocks meet in one; NULL: as
 *	long as segments are
 * @untold: no member learns when all others have its block, so NOTIFY is refused
 * @own_part: of what comes to a member, the process gets only that member's part
 * @op_size: bytes that such an operation has of its own (hc_op_priv()); all 0 at first
 * @src_size: and behind these for each source
 * @release: free what its own bytes own; NULL: nothing
 * @advance: work on the oldest operation at a member
 * @up_follows: is DATA what comes next from source @i?  NULL: pieces of a message, or one part
 *	of each segment from a blocked sender
 * @down_follows: the same for what comes from above.  NULL: pieces of a message
 * @down_may: may @skb be passed on downwards?  If not, the wait is noted or the operation has
 *	failed.  NULL: hc_down_all_may()
 * @down_pass: pass it on, @last: nothing follows.  HC_FINISHED: it is; HC_BLOCKED: there is no
 *	memory for that, and @skb stays the caller's; HC_FAILED: the operation is gone.
 *	NULL: hc_down_all_pass()
 */
struct hc_coll_ops {
	u8 id;
	bool merges;
	bool own_totals;
	bool comes_down;
	bool asks;
	bool rounds;
	bool joins;
	bool untold;
	bool own_part;
	size_t op_size;
	size_t src_size;
	u32 (*piece)(const struct hc_plan *plan);
	void (*release)(struct hc_op *op);
	enum hc_progress (*advance)(struct hc_member *m, struct hc_op *op);
	bool (*up_follows)(struct hc_op *op, unsigned int i, const struct sk_buff *skb);
	bool (*down_follows)(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb);
	bool (*down_may)(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb);
	enum hc_progress (*down_pass)(struct hc_member *m, struct hc_op *op, struct sk_buff *skb,
				      bool last);
};

/* How a member learns which operations are done (ACK). */
enum hc_ack_way {
	HC_ACK_DOWN,	/* its destinations tell, the root first */
	HC_ACK_UP,	/* its sources tell, the root is last */
	HC_ACK_ALONE,	/* nobody: each member knows from its own work */
};

/**
 * struct hc_ack_ops - which operations are done, at the members of a plan
 * @way: who tells whom
 * @tell: tell what was kept back so far, for a member that tells; NULL: nobody does
 * @rx: others have told; NULL: nobody does
 * @handed: the oldest operation was passed on as a whole, and .head has moved behind it; it
 *	may be forgotten
 * @moved: a generation has ended, and .head is where the next one begins
 */
struct hc_ack_ops {
	enum hc_ack_way way;
	void (*tell)(struct hc_member *m);
	void (*rx)(struct hc_member *m, const struct sk_buff *skb);
	void (*handed)(struct hc_member *m, struct hc_op *op);
	void (*moved)(struct hc_member *m);
};

/* Parts of plans as others tell them: struct hc_plan_params. */
enum {
	HC_PLAN_ROOT	= BIT(0),
	HC_PLAN_ORDER	= BIT(1),
	HC_PLAN_MEMBERS	= BIT(2),
	HC_PLAN_DETOURS	= BIT(3),
	HC_PLAN_SEQUENCE = BIT(4),
	HC_PLAN_RINGS	= BIT(5),
};

/**
 * struct hc_plan_ops - a plan type
 * @id: enum hypercube_plan_type
 * @plan_size: bytes that such a plan has for its type (hc_plan_priv()); all 0 at first
 * @parts: what such plans have, HC_PLAN_*; they have no others
 * @member_size: the same of its members (hc_member_priv())
 * @copy: take over the shape from what netlink asks for; the plan has its members' set, which
 *	this may fill.  False: no memory.  Config
 * @shape: the other way round, except what the plan itself says; borrowed from the plan
 * @members_create: verify the plan and make its members.  Config
 * @release: free what @copy allocated, as far as it did, or NULL.  Config
 * @colls: how they carry collectives, ends with NULL; an operation counts as one of the first as
 *	long as nothing else is known of it
 * @window: contributions that a member may have begun and that are not done
 * @up_window: numbers, from the first that is not done, of which frames may come from below;
 *	not in lockstep
 * @ack: how members learn which operations are done
 * @results_follow: results come down behind what was handed over, see hc_results_advance()
 * @all_contribute: all members do, not the root alone
 * @can_mend: they mend themselves if they were asked to (hc_plan.mends), see coll/ring_mend.c
 * @unasked: what goes down goes to all sources, none has to ask for it or to begin first
 * @lockstep: members exchange frame for frame: one may have come that is ahead of this member's
 *	own stage, which is noted when it is taken, and nobody needs credits
 * @data_rx: DATA has come from a peer; consumes.  NULL: it is that of a tree, source by source
 * @steps: how many an operation took; NULL: as many as its stages
 * @offered: may the process get what has come down?  If not, the wait is noted or the operation
 *	has failed.  NULL: it may, if it has room
 * @close: the socket that served the plan was closed; NULL: what it owed ends
 * @ended: a generation has ended, as .last says; @told: the process has heard of it.  True: it was
 *	told now.  NULL: there is nothing else to do
 */
struct hc_plan_ops {
	u32 id;
	u32 parts;
	size_t plan_size;
	size_t member_size;
	bool (*copy)(struct hc_plan *plan, const struct hc_plan_params *p);
	void (*shape)(const struct hc_plan *plan, struct hc_plan_params *p);
	int (*members_create)(struct hc_plan *plan, const u32 *fault,
			      struct netlink_ext_ack *extack);
	void (*release)(struct hc_plan *plan);
	const struct hc_coll_ops *const *colls;
	unsigned int window;
	unsigned int up_window;
	const struct hc_ack_ops *ack;
	bool results_follow;
	bool all_contribute;
	bool can_mend;
	bool unasked;
	bool lockstep;
	void (*data_rx)(struct hc_member *m, struct sk_buff *skb);
	u32 (*steps)(const struct hc_member *m, const struct hc_op *op);
	bool (*offered)(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb);
	void (*close)(struct hc_member *m);
	bool (*ended)(struct hc_member *m, bool told);
};

extern const struct hc_plan_ops hc_plan_tree;
extern const struct hc_plan_ops hc_plan_bcast;
extern const struct hc_plan_ops hc_plan_doubling;
extern const struct hc_plan_ops hc_plan_ring;

/* Collectives on tree plans. */
extern const struct hc_coll_ops hc_tree_reduce;
extern const struct hc_coll_ops hc_tree_allreduce;
extern const struct hc_coll_ops hc_tree_barrier;
extern const struct hc_coll_ops hc_tree_reduce_scatter;
extern const struct hc_coll_ops hc_merge_reduce;
extern const struct hc_coll_ops hc_merge_allreduce;
extern const struct hc_coll_ops hc_tree_gather;
extern const struct hc_coll_ops hc_tree_scatter;
extern const struct hc_coll_ops hc_tree_allgather;

/* --- ops.c --- */
/* How plans of a type carry a collective, or an ERR_PTR: -EPROTOTYPE, not at all;
 * -EOPNOTSUPP, not with this operator.
 */
const struct hc_coll_ops *hc_coll_find(const struct hc_plan_ops *ops, u32 collective, u32 oper);
/* The plan type of that number, or NULL: there is none. */
const struct hc_plan_ops *hc_plan_type(u32 id);

#endif /* _HC_OPS_H */
