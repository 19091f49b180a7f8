/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How operations and plans fail: coll/end*.c and coll/link_fault.c.
 */
#ifndef _HC_FAILURE_H
#define _HC_FAILURE_H

#include "coll/member.h"

/* --- coll/end*.c --- */

/**
 * hc_end_init() - begin a generation
 * @m: the member
 */
void hc_end_init(struct hc_member *m);

/**
 * hc_fail() - fail an operation that cannot be completed at this member
 * @m: the member
 * @nr: number of the operation
 * @cause: cause of the failure, without .nr
 */
void hc_fail(struct hc_member *m, u64 nr, struct hc_end cause);

/**
 * hc_op_fail() - fail an operation on which the caller works
 * @m: the member
 * @op: the operation; may be gone afterwards
 * @status: negative errno
 * @node: the node where the cause is
 *
 * Return: HC_FAILED.
 */
enum hc_progress hc_op_fail(struct hc_member *m, struct hc_op *op, int status, u32 node);

/**
 * hc_fail_go_on() - fail an operation, and work on those that have not failed
 * @m: the member
 * @nr: number of the operation
 * @cause: cause of the failure, without .nr
 *
 * Context: not in functions that work on an operation; these must call hc_fail().
 */
void hc_fail_go_on(struct hc_member *m, u64 nr, struct hc_end cause);

/**
 * hc_leave() - act on the leave of a member's process
 * @m: the member
 * @nr: the first operation to which the process has not contributed completely
 * @kind: kind of the STOP, which depends on what the process has contributed; see coll/end.c
 */
void hc_leave(struct hc_member *m, u64 nr, enum hc_stop kind);

/**
 * hc_over() - break the plan, with a STOP (HC_STOP_F_OVER) for the oldest operation of this member
 * @m: the member
 * @cause: cause of the failure
 */
void hc_over(struct hc_member *m, struct hc_end cause);

/**
 * hc_over_again() - answer a PROBE with STOP or END, since the plan is over
 * @m: the member
 * @peer: the other end of the detour, which sent the PROBE
 */
void hc_over_again(struct hc_member *m, const struct hc_tree_peer *peer);

/**
 * struct hc_failed_nrs - state for numbering the contributions that fail with one END, for their
 *	processes
 * @sock: hc_sock.id of the process that has made the last of these contributions; 0 if there was
 *	none
 * @shift: the number that is subtracted from the operation numbers of this process
 */
struct hc_failed_nrs {
	u64 sock;
	u64 shift;
};

/**
 * hc_failed_nr() - compute the number under which a process is notified that a contribution has
 *	failed
 * @f: the state; all fields are 0 before the first contribution
 * @end: number of the END
 * @nr: number of the contribution's operation
 * @sock: hc_sock.id of the process that has made the contribution
 *
 * The first failure of which a process is notified must have the number of the END, since
 * operations go on with the next number. If the contributions of another process wait before those
 * of this process, they fail first, and the operation numbers of this process are greater than the
 * END's; so they are shifted.
 *
 * Return: the number for the process.
 */
static inline u64 hc_failed_nr(struct hc_failed_nrs *f, u64 end, u64 nr, u64 sock)
{
	if (f->sock != sock) {
		f->shift = f->sock ? nr - end : 0;
		f->sock = sock;
	}
	return nr - f->shift;
}

/**
 * hc_end_miss() - record an END of which the process is notified when it contributes next
 * @m: the member
 * @end: the END
 * @nr: number of the operation, as the process sees it
 */
void hc_end_miss(struct hc_member *m, const struct hc_end *end, u64 nr);

/**
 * hc_came() - let the STOP of a process that has left take effect, because another process begins
 *	to contribute
 * @m: the member
 */
void hc_came(struct hc_member *m);

/**
 * hc_idle_over() - discard the IDLE STOP of a process that has left, because another process begins
 *	to contribute
 * @m: the member
 */
void hc_idle_over(struct hc_member *m);

/**
 * hc_behind() - find the first source for which the member waits at the end of a generation
 * @m: the member
 *
 * Return: its node.
 */
u32 hc_behind(const struct hc_member *m);

/**
 * hc_part_came() - let a STOP take effect if data of an operation that has arrived requires this,
 *	see coll/end.c
 * @m: the member
 * @nr: number of the operation; the process or a peer has sent data of it
 */
void hc_part_came(struct hc_member *m, u64 nr);

/**
 * hc_cut_below() - act on the failure of the link or detour to a source
 * @m: the member
 * @i: index of the source
 * @cause: cause of the failure
 */
void hc_cut_below(struct hc_member *m, unsigned int i, struct hc_end cause);

/**
 * hc_cut_above() - act on the failure of the link or detour to a destination
 * @m: the member
 * @cause: cause of the failure
 */
void hc_cut_above(struct hc_member *m, struct hc_end cause);

/**
 * hc_broke() - act on a fault that has broken a plan without a root
 * @m: the member that found the fault, or was notified of it
 * @cause: cause of the failure
 */
void hc_broke(struct hc_member *m, const struct hc_end *cause);

/**
 * hc_end_rx() - handle STOP or END
 * @m: the member
 * @skb: the frame; the caller frees it
 *
 * Return: 0, or the reason to drop it.
 */
unsigned int hc_end_rx(struct hc_member *m, struct sk_buff *skb);

/**
 * hc_root_stops() - end the generation at the root with its hard STOP, which takes effect now
 * @m: any member; nothing happens except at the root
 */
void hc_root_stops(struct hc_member *m);

/**
 * hc_root_decides() - end the generation at the root if a STOP takes effect now
 * @m: any member; nothing happens except at the root
 */
static inline void hc_root_decides(struct hc_member *m)
{
	const struct hc_end *hard = &m->gen.stop[HC_STOP_HARD];

	/* A STOP that breaks the plan takes effect at once. */
	if (unlikely(hard->nr <= m->head || hard->flags & HC_STOP_F_OVER))
		hc_root_stops(m);
}

/**
 * hc_moved_rx() - record that a source is in the generation in its ACK
 * @m: the member
 * @skb: the ACK
 */
void hc_moved_rx(struct hc_member *m, const struct sk_buff *skb);

/**
 * hc_end_enter() - enter the next generation if all operations below the END have ended at this
 *	member
 * @m: the member, which knows the END of its generation
 *
 * Return: true if the member is in the next generation now.
 */
bool hc_end_enter(struct hc_member *m);

/* Do what hc_end_enter() does, if @m knows the END of its generation. */
static inline bool hc_end_go_on(struct hc_member *m)
{
	return unlikely(m->gen.end.nr != HC_NR_NONE) && hc_end_enter(m);
}

/**
 * hc_end_of_leaver() - check whether the last generation has ended because a process has left
 * @m: the member. In a guarded plan its own process must be the one that left
 */
bool hc_end_of_leaver(const struct hc_member *m);

/* Return: true if @m must send a control message (hc_generation.unsaid) before all other frames. */
static inline bool hc_word_owed(const struct hc_member *m)
{
	return unlikely(m->gen.unsaid);
}

/**
 * hc_words_again() - send the control messages that could not be sent before
 * @m: the member
 */
void hc_words_again(struct hc_member *m);

/**
 * hc_end_word() - make a STOP or END frame
 * @node: the node that sends it, which need not be a member
 * @type: HC_FRAME_STOP or HC_FRAME_END
 * @gen: generation
 * @end: contents
 *
 * Return: the frame, whose plan and epoch the caller sets, or NULL: no memory.
 */
struct sk_buff *hc_end_word(struct hc_node *node, u8 type, u32 gen, const struct hc_end *end);

/**
 * hc_cause_is_valid() - check whether the cause in a frame is valid in this fabric
 * @m: the member
 * @status: positive errno
 * @node: node, or HC_CAUSE_NONE
 * @dim: dimension, or HC_CAUSE_NONE
 */
bool hc_cause_is_valid(const struct hc_member *m, u32 status, u16 node, u16 dim);

/**
 * hc_ends_all() - end all operations of a member, with the cause in @m->gen.last
 * @m: the member
 * @root: progress of the root, or NULL if it is not known. If it is known, the operations that this
 *	member has passed on and the root has completed succeed
 */
void hc_ends_all(struct hc_member *m, const struct hc_root_view *root);

/**
 * hc_end_event() - notify listeners that operations have failed
 * @m: the member
 * @end: cause of the failure
 * @first: the first operation that failed
 */
void hc_end_event(struct hc_member *m, const struct hc_end *end, u64 first);

/**
 * hc_plan_breaks() - record that a fault has broken the plan, and notify listeners once
 * @m: the member that found the fault
 * @cause: the fault
 */
void hc_plan_breaks(struct hc_member *m, const struct hc_end *cause);

/* Set the node and the dimension of the cause in *@res: ~0U if they are unknown, or if nothing has
 * failed.
 */
static inline void hc_cause_notify(const struct hc_end *cause, struct hypercube_result *res)
{
	bool failed = cause->status;

	res->cause_node = failed && cause->node != HC_CAUSE_NONE ? cause->node : ~0U;
	res->cause_dim = failed && cause->dim != HC_CAUSE_NONE ? cause->dim : ~0U;
}

/**
 * hc_status_end() - notify the process that an operation failed with the cause in @m->gen.last
 * @m: the member
 * @op: the operation, or NULL
 * @rec: record of the contribution
 * @nr: number of the operation
 */
void hc_status_end(struct hc_member *m, struct hc_op *op, const struct hc_rec *rec, u64 nr);

/**
 * hc_gen_refused() - check whether a frame of a generation and operation may be received now
 * @m: the member
 * @gen: generation of the frame
 * @nr: number of its operation
 *
 * Return: 0, or the reason to drop the frame.
 */
unsigned int hc_gen_refused(const struct hc_member *m, u32 gen, u64 nr);

/**
 * hc_is_awaited() - check whether an operation fails if a frame of it is lost
 * @m: the member
 * @gen: generation of the frame
 * @nr: number of its operation
 *
 * Return: true if it does; false if this member would drop the frame.
 */
bool hc_is_awaited(const struct hc_member *m, u32 gen, u64 nr);

/**
 * hc_nr_behind() - return the number of the operation after a given one, in lockstep
 * @m: the member
 * @nr: number of the given operation
 *
 * Return: the number. The number of the END is not used for an operation.
 */
u64 hc_nr_behind(const struct hc_member *m, u64 nr);

/* --- coll/link_fault.c --- */

/**
 * hc_member_uses() - check whether the member has a peer at the other end of a link
 * @m: the member
 * @dim: dimension of the link
 */
bool hc_member_uses(const struct hc_member *m, unsigned int dim);

/**
 * hc_plan_cut() - act on the failure of a link in a plan
 * @node: the node
 * @plan: the plan, of which @node need not be a member
 * @dim: dimension of the link
 */
void hc_plan_cut(struct hc_node *node, struct hc_plan *plan, unsigned int dim);

/**
 * hc_plan_fault() - act on the failure of a link in a plan as hc_plan_cut() does, and work on the
 *	operations that have not failed
 * @node: the node
 * @plan: the plan
 * @dim: dimension of the link
 */
void hc_plan_fault(struct hc_node *node, struct hc_plan *plan, unsigned int dim);

/**
 * hc_member_cut() - act on a failure after which a member can neither send to its peers nor receive
 *	from them
 * @m: the member
 * @cause: cause of the failure
 */
void hc_member_cut(struct hc_member *m, const struct hc_end *cause);

/**
 * hc_plan_lost() - act on the report that another machine does not have the plan (hc_plan.lost)
 * @m: the member
 */
void hc_plan_lost(struct hc_member *m);

/**
 * hc_way_lost() - act on the failure of the path to a peer at the other end of a detour, or on
 *	another machine
 * @m: the member
 * @peer: the peer
 * @cause: cause of the failure
 */
void hc_way_lost(struct hc_member *m, const struct hc_tree_peer *peer, const struct hc_end *cause);

#endif /* _HC_FAILURE_H */
