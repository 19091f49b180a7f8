/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The properties of each collective and of each plan type. The common code (the other files of
 * coll/, sock/send.c) knows members, numbers and frames, and calls these functions instead of
 * testing for a type.
 *
 * A collective is a row in lib/hc_coll_desc.c, which the tool reads too, and a struct hc_coll_ops
 * for each algorithm by which plans carry it, in the list of the plan type. A plan type is a file
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

/* Result of work on an operation. */
enum hc_progress {
	HC_BLOCKED,	/* the operation waits; hc_member.view has the reason */
	HC_FINISHED,	/* everything was passed on; at the root: delivered */
	HC_FAILED,	/* hc_fail() was called; no work on the operation follows */
};

/**
 * struct hc_coll_ops - how plans of a type carry a collective, with some operators
 * @id: enum hypercube_collective, with the descriptor hc_coll_desc()
 * @merges: these functions are for the operator MERGE, by which runs get longer; otherwise they are
 *	for all other operators
 * @own_totals: contributions may differ in length, and each member knows only the length of its own
 * @comes_down: a result is sent down after the contributions were sent up
 * @asks: the data that is sent down goes to those members whose contributions request it (scatter)
 * @rounds: contributions are sent in rounds, see coll/chunk.h
 * @apart: pieces of long blocks are in pages of their own (coll/pieces.h), and a frame has up to
 *	HC_FRAME_SEGMENTS segments of them; otherwise a payload is at most a segment, and contiguous
 * @joins: the result has the blocks of all members, in rounds (coll/chunk.h)
 * @piece: return how many bytes of a block of @bytes bytes the process puts into a segment, if
 *	pieces of all blocks are later joined in one segment; NULL: the fabric's segment size
 * @unannounced: no member learns when all others have its block, so NOTIFY is refused
 * @agrees: members of a guarded plan use this collective to agree (coll/guard.c); processes cannot
 *	begin it
 * @own_part: the process gets only its member's part of the result, or of each of the blocks that
 *	are joined in it
 * @op_size: bytes of private state of such an operation (hc_op_priv()), zeroed at first
 * @src_size: bytes of private state for each source, after the @op_size bytes
 * @release: free what the private state owns; NULL: nothing
 * @advance: work on the oldest operation at a member
 * @up_follows: check that DATA is the next frame of source @i. NULL: it must be the next piece of a
 *	message or, from a blocked sender, a share of the sender's next segment
 * @down_follows: check that DATA is the next frame from above. NULL: it must be the next piece of a
 *	message
 * @down_may: check whether @skb may be passed on downwards. If not, the wait is recorded or the
 *	operation has failed. NULL: hc_down_all_may()
 * @down_pass: pass @skb on; @last: nothing follows. Returns HC_FINISHED if that was done;
 *	HC_BLOCKED if there is no memory for it, and @skb stays the caller's; HC_FAILED if the
 *	operation is gone. NULL: hc_down_all_pass()
 */
struct hc_coll_ops {
	u8 id;
	bool merges;
	bool own_totals;
	bool comes_down;
	bool asks;
	bool rounds;
	bool apart;
	bool joins;
	bool unannounced;
	bool agrees;
	bool own_part;
	size_t op_size;
	size_t src_size;
	u32 (*piece)(const struct hc_plan *plan, u64 bytes);
	void (*release)(struct hc_op *op);
	enum hc_progress (*advance)(struct hc_member *m, struct hc_op *op);
	bool (*up_follows)(struct hc_op *op, unsigned int i, const struct sk_buff *skb);
	bool (*down_follows)(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb);
	bool (*down_may)(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb);
	enum hc_progress (*down_pass)(struct hc_member *m, struct hc_op *op, struct sk_buff *skb,
				      bool last);
};

/* How a member learns which operations are done. */
enum hc_ack_way {
	HC_ACK_DOWN,	/* from ACKs of its destinations; the root is the first to know */
	HC_ACK_UP,	/* from ACKs of its sources; the root is the last to know */
	HC_ACK_ALONE,	/* from its own work; there are no ACKs */
};

/**
 * struct hc_ack_ops - how the members of a plan learn which operations are done
 * @way: which peers send ACKs
 * @tell: send ACKs that were delayed, for a member that sends any; NULL: no member does
 * @rx: handle an ACK; NULL: no member sends any
 * @handed: handle that the oldest operation was passed on completely, and .head has moved past it;
 *	the function may free the operation
 * @moved: handle that a generation has ended; .head is where the next one begins
 */
struct hc_ack_ops {
	enum hc_ack_way way;
	void (*tell)(struct hc_member *m);
	void (*rx)(struct hc_member *m, const struct sk_buff *skb);
	void (*handed)(struct hc_member *m, struct hc_op *op);
	void (*moved)(struct hc_member *m);
};

/* Attributes of plans: members of struct hc_plan_params. */
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
 * @plan_size: bytes of private state of such a plan (hc_plan_priv()), zeroed at first
 * @cube: plans of this type need a hypercube; callers of hc_plan_prepare() have checked this
 * @parts: the attributes that such plans have, HC_PLAN_*; others are refused
 * @member_size: bytes of private state of such a member (hc_member_priv()), zeroed at first
 * @copy: copy the shape from @p into the plan, and fill in the set of members where it follows
 *	from the shape. Returns false if there is no memory. Context: configuration
 * @shape: fill in the shape in @p, which borrows the arrays of the plan. Context: configuration
 * @members_create: verify the plan and make its members. Context: configuration
 * @release: free what @copy has allocated, which may have failed midway; or NULL. Context:
 *	configuration
 * @colls: the collectives that such plans carry, up to NULL; an operation counts as the first
 *	of them until its collective is known
 * @window: number of operations that are not done to which a member may have begun to contribute
 * @up_window: number of operations, from the first that is not done, whose frames sources may send;
 *	not used in lockstep
 * @ack: how members learn which operations are done
 * @results_follow: a member receives a result after it has passed the operation on, see
 *	hc_results_advance()
 * @all_contribute: all members contribute, not the root alone
 * @can_repair: such plans can be installed with REPAIR (hc_plan.repairs), see
 *	coll/ring/ring_repair.c
 * @guarded: the type with which such a plan is installed if it is guarded (hc_plan.guard): there
 *	each member gets the whole common result, and contributions have the layout that processes
 *	gave them. NULL: such plans cannot be guarded
 * @unasked: data is sent down to all sources; no source has to request it or to contribute first
 * @lockstep: peers send each other one frame in turn. A received frame may be of a later stage than
 *	this member's; so its clock and costs are recorded only when it is processed. No credits are
 *	needed
 * @data_rx: handle DATA of a peer; consumes it. NULL: the common handler (coll.c)
 * @steps: count the steps of an operation; NULL: the sum over its stages
 * @offered: check whether the process may get a segment that was received from above. If not, the
 *	wait is recorded or the operation has failed. NULL: it may, if its receive buffer has room
 * @close: handle the close of the socket that served the plan; NULL: operations that need its
 *	contributions end
 * @ended: handle the end of a generation with hc_generation.last; @notified: the process was
 *	notified. Returns true if this function notified it. NULL: nothing else to do
 */
struct hc_plan_ops {
	u32 id;
	bool cube;
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
	bool can_repair;
	const struct hc_plan_ops *guarded;
	bool unasked;
	bool lockstep;
	void (*data_rx)(struct hc_member *m, struct sk_buff *skb);
	u32 (*steps)(const struct hc_member *m, const struct hc_op *op);
	bool (*offered)(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb);
	void (*close)(struct hc_member *m);
	bool (*ended)(struct hc_member *m, bool notified);
};

extern const struct hc_plan_ops hc_plan_tree;
extern const struct hc_plan_ops hc_plan_bcast;
extern const struct hc_plan_ops hc_plan_doubling;
extern const struct hc_plan_ops hc_plan_ring;
extern const struct hc_plan_ops hc_plan_span;

/* The collective by which members of a guarded broadcast agree. */
extern const struct hc_coll_ops hc_bcast_agreement;
/* Collectives on tree plans and on spanning trees. */
extern const struct hc_coll_ops *const hc_tree_colls[];
/* Collectives on guarded tree plans and guarded spanning trees. */
extern const struct hc_coll_ops *const hc_tree_guarded_colls[];
/* Collectives over recursive doubling, and over guarded recursive doubling. */
extern const struct hc_coll_ops *const hc_doubling_colls[];
extern const struct hc_coll_ops *const hc_doubling_guarded_colls[];
extern const struct hc_coll_ops hc_tree_reduce;
extern const struct hc_coll_ops hc_tree_allreduce;
extern const struct hc_coll_ops hc_tree_barrier;
extern const struct hc_coll_ops hc_tree_reduce_scatter;
extern const struct hc_coll_ops hc_merge_reduce;
extern const struct hc_coll_ops hc_merge_allreduce;
extern const struct hc_coll_ops hc_tree_gather;
extern const struct hc_coll_ops hc_tree_scatter;
extern const struct hc_coll_ops hc_tree_allgather;
extern const struct hc_coll_ops hc_tree_alltoall;

/* --- ops.c --- */

/**
 * hc_coll_find() - find the functions for a collective on plans of a type
 * @ops: the plan type
 * @collective: enum hypercube_collective
 * @oper: enum hypercube_oper
 *
 * Return: the functions, or an ERR_PTR: -EPROTOTYPE if plans of this type do not carry the
 * collective; -EOPNOTSUPP if they do, but not with this operator.
 */
const struct hc_coll_ops *hc_coll_find(const struct hc_plan_ops *ops, u32 collective, u32 oper);

/**
 * hc_plan_type() - find a plan type
 * @id: enum hypercube_plan_type
 *
 * Return: the type, or NULL.
 */
const struct hc_plan_ops *hc_plan_type(u32 id);

#endif /* _HC_OPS_H */
