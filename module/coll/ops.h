/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The properties of each collective and of each plan type. The common code (the other files of
 * coll/, and sock/send.c) handles members, operation numbers and frames, and calls these functions
 * instead of testing for a type.
 *
 * A collective is a row in lib/hc_coll_desc.c, which the tool reads, too, and a struct hc_coll_ops
 * in the list of each plan type that carries it. A plan type is a file that defines its struct
 * hc_plan_ops, a line in ops.c and a row in netlink/plan.c.
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
	HC_FINISHED,	/* all data was passed on; at the root: was delivered */
	HC_FAILED,	/* hc_fail() was called; no work on the operation follows */
};

/**
 * struct hc_coll_ops - how plans of a type carry a collective, for MERGE or for all other operators
 * @id: enum hypercube_collective, with the descriptor hc_coll_desc()
 * @merges: these functions are for the operator MERGE, whose results are as long as both operands
 *	together; otherwise they are for all other operators
 * @own_totals: contributions may differ in length, and each member knows only the length of its own
 *	contribution
 * @comes_down: after the contributions have been sent up, a result is sent down
 * @asks: data is sent down only to members that have requested it by their contributions (scatter)
 * @rounds: contributions are sent in rounds, see coll/chunk.h
 * @apart: each piece of a long block is in pages of its own (coll/pieces.h), and a frame has up to
 *	HC_FRAME_SEGMENTS times the payload of a segment; otherwise a payload is contiguous and at
 *	most a segment long
 * @joins: the result has the blocks of all members, in rounds (coll/chunk.h)
 * @piece: return the number of bytes of a block of @bytes bytes that the process puts into a
 *	segment, if members later join the pieces of all blocks in one segment; NULL: the fabric's
 *	segment size
 * @unannounced: no member can find out when all other members have its block, so NOTIFY is refused
 * @agrees: members of a guarded plan use this collective to agree (coll/guard.c); processes cannot
 *	begin it
 * @own_part: the process gets only the part for its member: of the result or, if the result is
 *	joined from blocks (@joins), of each of these blocks
 * @op_size: bytes of private state of such an operation (hc_op_priv()), which is cleared when the
 *	operation is made
 * @src_size: bytes of private state for each source, after the @op_size bytes
 * @release: free what the private state owns; NULL if it owns nothing
 * @advance: do all work on the oldest operation of a member that can be done now
 * @up_follows: check that DATA is the next frame of source @i. NULL: it must be the next piece of a
 *	message or, from a blocked sender, a share of the sender's next segment
 * @down_follows: check that DATA is the next frame from above. NULL: it must be the next piece of a
 *	message
 * @down_may: check whether @skb may be passed on downwards. If not, the function has recorded the
 *	wait or failed the operation. NULL: hc_down_all_may()
 * @down_pass: pass @skb on; @last: it is the last frame. Returns HC_FINISHED if @skb was passed on;
 *	HC_BLOCKED if there is no memory, and the caller still owns @skb; HC_FAILED if the operation
 *	is gone. NULL: hc_down_all_pass()
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

/* How a member finds out which operations are done. */
enum hc_ack_way {
	HC_ACK_DOWN,	/* from ACKs of its destinations; the root is the first */
	HC_ACK_UP,	/* from ACKs of its sources; the root is the last */
	HC_ACK_ALONE,	/* from its own work; there are no ACKs */
};

/**
 * struct hc_ack_ops - how the members of a plan find out which operations are done
 * @way: which peers send ACKs
 * @tell: send the ACKs of a member that were delayed; NULL if members send no ACKs
 * @rx: handle an ACK; NULL if members send no ACKs
 * @handed: called when the oldest operation has been passed on completely, and .head has moved past
 *	it; may free the operation
 * @moved: called when a generation has ended; .head is the operation with which the next one begins
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
 * @plan_size: bytes of private state of such a plan (hc_plan_priv()), which is cleared when the
 *	plan is made
 * @cube: plans of this type need a hypercube; callers of hc_plan_prepare() have checked this
 * @parts: the attributes that such plans have, HC_PLAN_*; others are refused
 * @member_size: bytes of private state of such a member (hc_member_priv()), which is cleared when
 *	the member is made
 * @copy: copy the attributes that this type has from @p into the plan, and set the members if they
 *	follow from these attributes. Returns false if there is no memory. Context: configuration
 * @shape: the reverse of @copy: set these attributes in @p, which refers to the arrays of the plan.
 *	Context: configuration
 * @members_create: verify the plan and make its members. Context: configuration
 * @release: free what @copy has allocated, even if @copy has failed; or NULL. Context:
 *	configuration
 * @colls: the collectives that such plans carry, terminated by NULL; until the collective of an
 *	operation is known, it is treated as the first of them
 * @window: maximum number of operations to which a member may have begun to contribute and that are
 *	not done
 * @up_window: number of operations, from the first that is not done, of which sources may send
 *	frames; not used in lockstep
 * @ack: how members find out which operations are done
 * @results_follow: a member receives the result of an operation after it has passed on the
 *	contributions; see hc_results_advance()
 * @all_contribute: all members contribute, not only the root
 * @can_repair: such plans can be installed with REPAIR (hc_plan.repairs), see
 *	coll/ring/ring_repair.c
 * @guarded: the variant of the type with which a guarded plan is installed (hc_plan.guard): each
 *	member gets the whole common result, and members send contributions in the layout that their
 *	processes have used. NULL: such plans cannot be guarded
 * @unasked: data is sent down to all sources, even if they have neither requested it nor
 *	contributed
 * @lockstep: two peers alternate in sending each other one frame. A received frame may belong to a
 *	later stage than the one that this member has reached, so its clock and costs are recorded
 *	when it is processed. No credits are needed
 * @data_rx: handle DATA of a peer; consumes it. NULL: the common handler (coll.c)
 * @steps: count the steps of an operation; NULL: their number is the sum over its stages
 * @offered: check whether the process may get a segment that was received from above. If not, the
 *	function has recorded the wait or failed the operation. NULL: the process may get it if its
 *	receive buffer has room
 * @close: called when the socket that served the plan is closed; NULL: operations that need its
 *	contributions end
 * @ended: called when a generation has ended with hc_generation.last; @notified: the process has
 *	been notified of the end. Returns true if this function has notified it. NULL: the plan type
 *	does nothing at the end of a generation
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
 * collective; -EOPNOTSUPP if they do, but not for this operator.
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
