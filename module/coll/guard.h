/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guarded plans: coll/guard.c. Each member of a guarded plan has a ledger (hc_member.guard).
 */
#ifndef _HC_GUARD_H
#define _HC_GUARD_H

#include <linux/sizes.h>
#include <linux/skbuff.h>
#include <linux/types.h>

#include "coll/coll.h"
#include "coll/fanout.h"

struct hc_plan_params;
struct netlink_ext_ack;

/* Maximum number of operations to which a process has contributed and whose ends it has not
 * received; a power of two.
 */
#define HC_GUARD_WINDOW		16
/* Number of operations, the latest ones, whose ends a ledger stores; a power of two, and greater
 * than the number of ends that another member may lack.
 */
#define HC_GUARD_RESULTS	(2 * HC_GUARD_WINDOW)
/* Contributions and results of up to this many bytes in one frame are stored in the ledger itself.
 */
#define HC_GUARD_SMALL		64
/* Results of more bytes than this are not stored. */
#define HC_GUARD_RESULT_MAX	SZ_256K
/* Maximum number of bytes that all results in a ledger take together; if there are more, the oldest
 * are dropped.
 */
#define HC_GUARD_HELD_MAX	SZ_1M

/**
 * enum hc_guard_phase - the phase of a member of a guarded plan; read outside the poll
 * @HC_GUARD_RUN: operations run
 * @HC_GUARD_WAIT: the plan is broken and has no next epoch yet
 * @HC_GUARD_NEW: the member's epoch is installed, but has not been opened yet (hc_guard_open())
 * @HC_GUARD_MEET: the members agree on the range of operations whose ends some processes have not
 *	received
 * @HC_GUARD_SAY: the members distribute the results that some of them have and others lack
 * @HC_GUARD_FEED: contributions in the ledger are submitted again
 * @HC_GUARD_OVER: no next epoch was installed in time, and the process was notified
 */
enum hc_guard_phase {
	HC_GUARD_RUN,
	HC_GUARD_WAIT,
	HC_GUARD_NEW,
	HC_GUARD_MEET,
	HC_GUARD_SAY,
	HC_GUARD_FEED,
	HC_GUARD_OVER,
};

/* References for which struct hc_refs itself has room: as many as @small needs. */
#define HC_REFS_FEW		(1 + HC_GUARD_SMALL / sizeof(struct hc_seg_ref))

/**
 * struct hc_refs - the bytes of a contribution or of a result, see coll/guard_refs.c
 * @at: references to the payloads of its segments, in order; @few, or memory of kmalloc()
 * @n: number of references
 * @room: number of references for which @at has room
 * @bytes: bytes of memory that the segments take (hc_refs_cost()); 0: @at is @few, and the
 *	reference, if there is one, is @first
 * @few: the references if they are few
 * @first: the first reference, to @small, if that has its bytes
 * @small: bytes of a short first segment
 */
struct hc_refs {
	struct hc_seg_ref *at;
	u32 n;
	u32 room;
	size_t bytes;
	union {
		struct hc_seg_ref few[HC_REFS_FEW];
		struct {
			struct hc_seg_ref first;
			u8 small[HC_GUARD_SMALL];
		};
	};
};

/**
 * struct hc_given - a contribution in the ledger, kept until its operation has ended
 * @refs: its bytes
 * @sk: socket to which @refs is charged; NULL if nothing is charged
 * @head: header of its first frame; frames that are made from the ledger get a copy of it
 * @coll: its collective
 * @rec: its record
 * @cookie: cookie that its process has set
 * @change: number of the last change of the members when its process made the contribution, see
 *	coll/guard_sets.c
 * @root: root of the plan when the process contributed
 * @restarts: how often the contribution was submitted again
 * @used: this entry holds a contribution
 * @whole: its last frame was received
 * @lost: @refs is incomplete: it cannot be submitted again
 * @streamed: the process has received a part of the result
 * @notify: the process asked for a notification of the completion
 * @strict: the operation fails unless all nodes that have been members take part
 */
struct hc_given {
	struct hc_refs refs;
	struct sock *sk;
	struct hc_wire_data head;
	const struct hc_coll_ops *coll;
	struct hc_rec rec;
	u64 cookie;
	u32 change;
	u32 root;
	u32 restarts;
	bool used;
	bool whole;
	bool lost;
	bool streamed;
	bool notify;
	bool strict;
};

/**
 * struct hc_had - a result in the ledger: how an operation ended for the process
 * @refs: the result, charged to the fabric; empty where the process gets none
 * @end: why the operation failed; .status is 0 if it did not
 * @nr: number of the operation, as processes see it
 * @bytes: bytes of the result that all members get; for a scatter, of the root's contribution
 * @piece: bytes of each member's piece in the first round, if the result is in rounds
 *	(coll/chunk.h); otherwise 0
 * @change: number of the last change of the members before the result was computed; 0: there
 *	is none
 * @cut: number of the last change of the members before the contribution that defines the parts of
 *	the result was made
 * @used: this entry holds a result
 * @lost: @refs is incomplete
 */
struct hc_had {
	struct hc_refs refs;
	struct hc_end end;
	u64 nr;
	u64 bytes;
	u32 piece;
	u32 change;
	u32 cut;
	bool used;
	bool lost;
};

/**
 * struct hc_guard - the ledger of a member; operation numbers are those that processes see.
 *	[poll] except @phase
 * @rcu: for freeing it
 * @fabric: the fabric of the plan
 * @phase: enum hc_guard_phase
 * @fresh: true if the node was no member in the previous epoch, and its member has not received yet
 *	the range of operations on which the other members have agreed
 * @begun: true if the member has made its contribution to the current agreement
 * @later: true if the member makes this contribution a second later, because a member had no memory
 * @idle: true if the node has been a member since configuration installed the plan, and no process
 *	has contributed there: other members wait for a program that starts late
 * @gave_up: true if the process has been notified that its contributions have failed, which
 *	processes of other members may not have been
 * @streams: true if the process, which only receives, has received the beginning of message @need,
 *	but not its end
 * @over: errno with which a member has given up, on which all members have agreed (struct
 *	meet.over); 0 if no member has given up
 * @over_need: the greatest need of these members, plus 1 (struct meet.over_need)
 * @since: time at which the plan has broken, or the epoch has begun, jiffies
 * @cause: the cause that has broken the plan
 * @need: the first operation whose end the process has not received
 * @fed: contributions below this number have been submitted in this epoch
 * @next: number of the next contribution
 * @at: the operation whose result is being distributed
 * @high: the greatest @need of all members
 * @longest: bytes of the longest result that a member has stored
 * @bytes: bytes of memory that the stored contributions take
 * @held: bytes of memory that the stored results take
 * @now: frames of the current result that have been received
 * @give: contributions, indexed by operation number modulo HC_GUARD_WINDOW
 * @had: ends of operations, indexed by operation number modulo HC_GUARD_RESULTS
 */
struct hc_guard {
	struct rcu_head rcu;
	struct hc_fabric *fabric;
	u8 phase;
	bool fresh;
	bool idle;
	bool begun;
	bool later;
	bool gave_up;
	bool streams;
	u64 over;
	u64 over_need;
	unsigned long since;
	struct hc_end cause;
	u64 need;
	u64 fed;
	u64 next;
	u64 at;
	u64 high;
	u64 longest;
	size_t bytes;
	size_t held;
	struct sk_buff_head now;
	struct hc_given give[HC_GUARD_WINDOW];
	struct hc_had had[HC_GUARD_RESULTS];
};

static inline struct hc_given *hc_given(struct hc_guard *g, u64 nr)
{
	return &g->give[nr % HC_GUARD_WINDOW];
}

/**
 * hc_guard_create() - make the ledger of a member
 * @m: the member, of a plan that is being made
 *
 * Context: configuration.
 * Return: 0 or a negative errno.
 */
int hc_guard_create(struct hc_member *m);

/**
 * hc_guard_free() - free the ledger of a member
 * @m: the member
 */
void hc_guard_free(struct hc_member *m);

/**
 * hc_guard_continues() - check whether a plan is the next epoch of an older one
 * @plan: the plan
 * @old: the plan that it replaces
 *
 * Return: true if it is; then both are guarded.
 */
bool hc_guard_continues(const struct hc_plan *plan, const struct hc_plan *old);

/**
 * hc_guard_params_check() - check that a plan as requested may be guarded, if it is
 * @p: parameters of the plan
 * @extack: set to the reason if it may not
 *
 * Context: configuration.
 * Return: 0 or -EINVAL.
 */
int hc_guard_params_check(const struct hc_plan_params *p, struct netlink_ext_ack *extack);

/**
 * hc_guard_check() - determine which plan a guarded plan continues, and check that it may do so
 * @plan: the plan; .from and .joins are set
 * @p: parameters of the plan as requested
 * @old: the plan that it replaces on this machine, or NULL
 * @extack: set to the reason of a refusal
 *
 * Context: configuration.
 * Return: 0; -EINVAL if one of the plans is a broadcast and the other is not; -ESTALE if another
 * machine continues an earlier epoch than this machine has.
 */
int hc_guard_check(struct hc_plan *plan, const struct hc_plan_params *p,
		   const struct hc_plan *old, struct netlink_ext_ack *extack);

/**
 * hc_guard_from() - describe the plan that a plan continues, for other machines
 * @plan: the plan, which is prepared, but not published yet
 * @from: filled in; .former is valid as long as @plan
 *
 * Context: configuration.
 */
void hc_guard_from(const struct hc_plan *plan, struct hc_continued *from);

/**
 * hc_grant_make() - compute the set of nodes that the user who guards a plan may make members
 * @plan: the plan, whose .members is set
 * @p: parameters of the plan as requested
 * @old: the plan that it replaces, or NULL
 * @extack: set to the reason of a refusal
 *
 * These are the nodes that an administrator has made members: in the last plan that was not
 * installed as a next epoch (hc_plan_params.prev), and in the epochs after it, up to the first one
 * whose parameters have this user as guard. So if an administrator's guard makes a node a member
 * again after that, the node is not granted to the user.
 *
 * Context: configuration.
 * Return: 0; -EPERM if that user requests other members; -ENOMEM; -EDQUOT.
 */
int hc_grant_make(struct hc_plan *plan, const struct hc_plan_params *p, const struct hc_plan *old,
		  struct netlink_ext_ack *extack);

/* Start the members of a published plan. They continue plan @old if it is guarded; if it is not, or
 * is NULL, their operations run at once. Context: configuration.
 */
void hc_guard_publish(struct hc_plan *plan, const struct hc_plan *old);

/**
 * hc_guard_open() - let the members of a plan take over the ledgers that the previous epoch has
 *	passed on
 * @plan: the plan
 *
 * Context: configuration.
 */
void hc_guard_open(struct hc_plan *plan);

/**
 * hc_guard_pass() - pass the ledger of a member on to the next epoch
 * @m: the member, whose plan is being removed. The node's member in the next epoch frees it, if the
 *	function returns true. The member also takes over what its own predecessor has passed on
 *
 * Context: configuration, after a grace period.
 * Return: false if the node has no member in a next epoch.
 */
bool hc_guard_pass(struct hc_member *m);
/* End all contributions in the ledger with *@status, a negative errno, which the function may
 * change. Context: configuration. Return: true if the process only receives, and has been notified.
 */
bool hc_guard_end(struct hc_member *m, int *status);

/**
 * hc_guard_left_out() - have the process refused when it contributes to a later epoch, if the next
 *	epoch has left out its node
 * @m: the member, whose process was not notified of a failure when the member's operations ended
 *
 * Context: configuration.
 */
void hc_guard_left_out(struct hc_member *m);

/**
 * hc_guard_old_fits() - check that a contribution to an earlier epoch fits the present plan and its
 *	members
 * @m: the member
 * @skb: first frame of the contribution
 *
 * Return: true if it fits.
 */
bool hc_guard_old_fits(const struct hc_member *m, const struct sk_buff *skb);

/**
 * hc_guard_fits() - check that a contribution fits the present plan and its members
 * @m: the member
 * @skb: first frame of the contribution, which may have been sent to an earlier epoch
 *
 * Return: true if it can.
 */
static inline bool hc_guard_fits(const struct hc_member *m, const struct sk_buff *skb)
{
	return be32_to_cpu(hc_wire_data_of(skb)->plan.epoch) == m->plan->epoch ||
	       hc_guard_old_fits(m, skb);
}

/**
 * hc_guard_store() - store a contribution that was made for other members, so that it can be cut
 *	for the present members
 * @m: the member
 * @skb: its first frame
 *
 * Return: false if it is too long.
 */
bool hc_guard_store(struct hc_member *m, struct sk_buff *skb);

/**
 * hc_guard_half() - find the contribution of which a part has been stored and the rest is still
 *	being sent
 * @m: the member
 *
 * Return: its record, or NULL.
 */
const struct hc_rec *hc_guard_half(const struct hc_member *m);

/* Does the ledger itself have room for the contribution @skb, so that it takes no other memory? */
static inline bool hc_guard_small(const struct sk_buff *skb)
{
	return be32_to_cpu(hc_hdr(skb)->len) <= HC_GUARD_SMALL &&
	       hc_wire_data_of(skb)->flags & HC_DATA_F_LAST;
}

/**
 * hc_guard_room() - tell whether there is memory to keep a contribution now
 * @m: the member
 * @skb: its first frame
 *
 * Return: false if there will be memory later.
 */
bool hc_guard_room(const struct hc_member *m, const struct sk_buff *skb);

/**
 * hc_guard_may() - check whether a contribution may begin now
 * @m: the member
 * @skb: its first frame
 *
 * Return: true if it may begin.
 */
static inline bool hc_guard_may(const struct hc_member *m, const struct sk_buff *skb)
{
	return m->guard->next < m->guard->need + HC_GUARD_WINDOW &&
	       (hc_guard_small(skb) || hc_guard_room(m, skb));
}

/**
 * hc_guard_keep() - record a contribution that has begun in the ledger
 * @m: the member
 * @op: its operation
 * @skb: its first frame
 * @fails: true if the operation fails at once
 */
void hc_guard_keep(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool fails);

/**
 * hc_guard_more() - record another frame of a contribution in the ledger
 * @m: the member
 * @skb: the frame
 *
 * Return: true if it was recorded.
 */
bool hc_guard_more(struct hc_member *m, struct sk_buff *skb);

/**
 * hc_guard_result() - record the next frame of the result of the oldest operation, and pass it to
 *	the process
 * @m: the member
 * @op: the operation
 * @skb: the frame; consumed
 * @last: the frame is the last one
 *
 * Return: false if the operation is gone.
 */
bool hc_guard_result(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last);

/**
 * hc_guard_restarts() - return the number of times that the contribution to an operation was
 *	submitted again
 * @m: the member
 * @nr: number of the operation
 *
 * Return: this number.
 */
static inline u32 hc_guard_restarts(const struct hc_member *m, u64 nr)
{
	const struct hc_given *k = hc_given(m->guard, nr);

	return k->used ? k->restarts : 0;
}

/**
 * hc_need_move() - record that all operations below a number have ended
 * @g: the ledger
 * @nr: the number
 */
void hc_need_move(struct hc_guard *g, u64 nr);

/**
 * hc_guard_ended() - record that an operation is complete and its process has been notified
 * @m: the member
 * @op: the operation
 */
static inline void hc_guard_ended(struct hc_member *m, const struct hc_op *op)
{
	if (!op->agrees)
		hc_need_move(m->guard, hc_user_nr(m, op->nr) + 1);
}

/**
 * hc_guard_quiet() - check whether the process is not notified of the end of a generation
 * @m: the member; hc_generation.last is the end
 *
 * Return: true if it is not: either the plan is broken and waits for its next epoch, or the members
 * are still agreeing at the beginning of this epoch.
 */
bool hc_guard_quiet(struct hc_member *m);

/**
 * hc_guard_moved() - fail the contributions in the ledger that fail with the END of a generation
 * @m: the member; its process has been notified for operations that had begun
 * @nrs: state of the numbers under which it was notified
 *
 * Return: true if the function has notified the process of the failure of other contributions.
 */
bool hc_guard_moved(struct hc_member *m, struct hc_failed_nrs *nrs);

/**
 * hc_guard_opened() - take over the ledger, since the epoch has been opened
 * @m: the member
 */
void hc_guard_opened(struct hc_member *m);

/**
 * hc_guard_begin() - take over the ledger if the epoch has been opened
 * @m: the member. The function must be called before the member does anything else
 */
static inline void hc_guard_begin(struct hc_member *m)
{
	/* Pairs with hc_guard_open(). */
	if (smp_load_acquire(&m->opened))
		hc_guard_opened(m);
}

/**
 * hc_guard_tend() - continue the member's current phase
 * @m: the member
 * @late: true if a second has passed since the last such call
 */
void hc_guard_tend(struct hc_member *m, bool late);

/* --- guard_sets.c --- */

/**
 * hc_epochs_make() - record the members of a guarded plan that is being made
 * @plan: the plan
 * @p: parameters of the plan as requested
 * @old: the plan that it replaces, or NULL
 * @extack: set to the reason of a refusal
 *
 * Context: configuration.
 * Return: 0; -ENOMEM; -EDQUOT; -ESTALE if another machine numbers the changes of the members
 * differently.
 */
int hc_epochs_make(struct hc_plan *plan, const struct hc_plan_params *p,
		   const struct hc_plan *old, struct netlink_ext_ack *extack);

/**
 * hc_epochs_publish() - record the epoch of a plan that is being published
 * @plan: the plan
 *
 * Context: configuration.
 */
void hc_epochs_publish(struct hc_plan *plan);

#endif /* _HC_GUARD_H */
