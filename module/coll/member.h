/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Members of plans: their operations and generation, the process that contributes, and what they
 * wait for.
 */
#ifndef _HC_MEMBER_H
#define _HC_MEMBER_H

#include "coll/operation.h"

/**
 * struct hc_end - the contents of an END or STOP: the first operation that fails, and the cause
 * @nr: the first operation that fails; HC_NR_NONE if none does
 * @status: positive errno
 * @flags: HC_STOP_F_*
 * @clock: logical clock: number of links that the message has crossed since the cause was found
 * @node: the node where the cause is, or HC_CAUSE_NONE
 * @dim: dimension of the faulty link, or HC_CAUSE_NONE
 */
struct hc_end {
	u64 nr;
	u32 status;
	u32 flags;
	u32 clock;
	u16 node;
	u16 dim;
};

/* Return: a cause at @node, or at no node (HC_CAUSE_NONE); the caller sets .nr. */
static inline struct hc_end hc_cause(u32 status, u32 node)
{
	return (struct hc_end){ .status = status, .node = node, .dim = HC_CAUSE_NONE };
}

/* Kinds of STOP, see coll/end.c. */
enum hc_stop { HC_STOP_HARD, HC_STOP_SOFT, HC_STOP_IDLE, HC_NSTOPS };

/**
 * struct hc_root_view - progress of the root of a plan that is removed
 * @gen: generation of the root
 * @done: operations of generation @gen below this number are complete
 * @ended: operations of the generation before @gen below this number are complete
 * @next: number of the root's next contribution
 */
struct hc_root_view {
	u32 gen;
	u64 done;
	u64 ended;
	u64 next;
};

/* Control messages that a member could not send for lack of memory or room: bits of
 * hc_generation.unsaid.
 */
#define HC_UNSAID_STOP	BIT(0)
#define HC_UNSAID_END	BIT(1)	/* END of this generation */
#define HC_UNSAID_LAST	BIT(2)	/* END of the previous generation */
#define HC_UNSAID_MOVED	BIT(3)	/* ACK to destinations: the member is in this generation */
#define HC_UNSAID_REMOTE	BIT(4)	/* STOP to destinations: no more data is taken from above */

/**
 * struct hc_job - a member in its node's lists of members that have work; see coll/member_sched.c
 * @list: entry in one of the lists of hc_node.work, under its lock
 * @with_readers: true if @list is in hc_work.readers, false if it is in hc_work.waiting
 * @blocked: true if the member waits for room in a process's receive buffer
 * @again: true if @list is in hc_work.ready; under the lock
 * @check: true if the poll must check whether the member's links are usable; under the lock
 * @gone: true if the plan has been unpublished, so that the member must not be added to a list;
 *	under the lock
 */
struct hc_job {
	struct list_head list;
	bool with_readers;
	bool blocked;
	bool again;
	bool check;
	bool gone;
};

/**
 * struct hc_generation - the generation that a member is in, and how it ends; see coll/end.c
 * @count: number of generations that have ended at this member; read outside the poll
 * @end: the lowest END of this generation that this member has received or determined; .nr is
 *	HC_NR_NONE if there is none
 * @last: END of the previous generation; .status is 0 if there was none
 * @early: END of the next generation, received before this generation has ended; .nr is HC_NR_NONE
 *	if there is none
 * @stop: for each kind, the lowest STOP that this member has received or determined; .nr is
 *	HC_NR_NONE if there is none
 * @cut: the cause that has broken the plan below this member; .status is 0 if there is none
 * @ended: mask of the peers that have sent @end
 * @early_ended: mask of the peers that have sent @early
 * @gives: number of the first operation on which this member does not work any more
 * @fallen: operations that have begun and that will fail with @end when all operations below
 *	@end.nr have ended
 * @nbehind: number of sources that have not announced that they are in this generation
 * @unsaid: mask of the control messages that must still be sent: HC_UNSAID_*
 * @broken: true if the plan is broken. Then there is no further generation, unless a plan with
 *	REPAIR is repaired
 */
struct hc_generation {
	u32 count;
	struct hc_end end;
	struct hc_end last;
	struct hc_end early;
	struct hc_end stop[HC_NSTOPS];
	struct hc_end cut;
	u64 ended;
	u64 early_ended;
	u64 gives;
	struct list_head fallen;
	u32 nbehind;
	u8 unsaid;
	bool broken;
};

/**
 * struct hc_user - the process from which a member takes contributions; see coll/submit.c
 * @sock: hc_sock.id of the last socket that has contributed or received, or 0 if it was closed
 * @group: hc_sock.group of that socket
 * @waiting: contributions of the node's sockets that cannot begin yet, oldest first
 * @cur: number of the operation to which the socket is contributing; valid if @cur_open
 * @cur_open: true if the contribution to @cur is incomplete
 * @halved: true if the contribution to @cur will stay incomplete, because its socket was closed
 *	during a ring repair
 * @engaged: true if the process has begun to contribute to an operation of this generation
 * @left: true if the process has left, so that operations that need its contributions end
 * @idles: true if a process that had contributed nothing has left in this generation
 * @leaves: true if the process has left while the plan was being repaired, or was waiting for its
 *	next epoch
 * @absent: true if the process that received the messages of a broadcast has left, and since then
 *	neither has another process received at this member nor has the process of the source left
 * @left_nr: the first operation to which the process that has left had not contributed completely
 * @resets: true if a generation has ended while the process served the member, and the process has
 *	not been notified of this
 * @missed: END of that generation, with the number that processes see; valid if @resets
 * @failure: the last failure of which a process has been notified
 * @failure.sock: hc_sock.id of the socket of that process
 * @failure.nr: number of the failure at that socket, see sock/unread.h; U64_MAX if the socket was
 *	closed
 */
struct hc_user {
	u64 sock;
	u64 group;
	struct sk_buff_head waiting;
	u64 cur;
	bool cur_open;
	bool halved;
	bool engaged;
	bool left;
	bool idles;
	bool leaves;
	bool absent;
	bool resets;
	struct hc_end missed;
	u64 left_nr;
	struct {
		u64 sock;
		u64 nr;
	} failure;
};

/**
 * struct hc_wait_view - what a member waits for; read outside the poll
 * @wait: enum hypercube_wait
 * @peer: the node for which it waits, if @wait is of a kind that has one
 * @nr: the operation that waits
 * @since: time at which the wait began, jiffies
 */
struct hc_wait_view {
	u8 wait;
	u32 peer;
	u64 nr;
	unsigned long since;
};

/**
 * struct hc_member - the state of one node in one plan
 * @plan: the plan
 * @node: the node
 * @role: the member's stage, sources and destinations
 * @rank: index of the node in the sorted set of members
 * @turns: for each source: number of steps after which the source has received the data that is
 *	sent down to it; NULL if this follows from the steps that the stages have taken (hc_op.cost)
 * @nstreams: number of sources for which an operation has space; greater than role.nsrc in a plan
 *	with REPAIR, since repairs can change the number of sources
 * @nouts: number of entries in hc_op.out
 * @op_size: bytes of an operation of this member
 * @spares: list of operations that have ended, whose memory is reused; has at most one entry if no
 *	operation is pending; only the poll accesses it
 * @nspares: number of entries in @spares
 * @nops: number of pending operations, including those in hc_generation.fallen; only the poll
 *	accesses it
 * @priv: private state of the plan type, see hc_plan_ops.member_size
 * @guard: the ledger, or NULL if the plan is not guarded
 * @before: the node's member of the previous epoch, whose ledger this member takes over, or NULL
 * @opened: true if the member may take over this ledger; configuration sets @opened after @before
 * @detour: frame counts of detours: an entry for each source, followed by one for each destination;
 *	NULL if the plan has no detours
 * @job: entry in the node's lists of members that have work
 * @next: number of the next contribution
 * @head: oldest operation that has not been passed on completely or, at the root, is not complete
 * @done: this member knows that all operations below this number are complete
 * @peer_acked: for each destination (in a broadcast: each source) the number below which all
 *	operations are done, from the ACKs of this peer. The window of this member is moved as far
 *	as the lowest of these numbers
 * @acked: the value of @done in the last ACK that this member has sent
 * @tells: true if, in a plan without a root, this member notifies listeners of completed operations
 *	on behalf of all
 * @base: operation numbers below this were used before the last ring repair
 * @renamed: operation numbers in frames minus those that processes see, see hc_user_nr(); ring
 *	repairs and new epochs change it; read outside the poll
 * @gen: the generation of the member, and how it ends
 * @user: the process that contributes
 * @view: what the member waits for
 * @dropped: number of operations that have ended, with or without a result
 * @ops: pending operations by number modulo HC_OP_WINDOW
 * @src: role.nsrc sources, in merge order
 */
struct hc_member {
	struct hc_plan *plan;
	struct hc_node *node;
	struct hc_tree_role role;
	u32 rank;
	const u16 *turns;
	unsigned int nstreams;
	unsigned int nouts;
	size_t op_size;
	struct hc_op *spares;
	unsigned int nspares;
	unsigned int nops;
	void *priv;
	struct hc_guard *guard;
	struct hc_member *before;
	bool opened;
	struct hc_detour_end *detour;
	struct hc_job job;
	u64 next;
	u64 head;
	u64 done;
	u64 peer_acked[HC_PORTS_MAX];
	u64 acked;
	bool tells;
	u64 base;
	u64 renamed;
	struct hc_generation gen;
	struct hc_user user;
	struct hc_wait_view view;
	u32 dropped;
	struct hc_op *ops[HC_OP_WINDOW];
	struct hc_tree_peer src[];
};

/* Return: the private state of the plan type in @m, .member_size bytes. */
static inline void *hc_member_priv(const struct hc_member *m)
{
	return m->priv;
}

static inline bool hc_member_is_root(const struct hc_member *m)
{
	return m->role.ndst == 0;
}

/* Does the process of @m only receive messages of a broadcast, without contributing? */
static inline bool hc_member_receives(const struct hc_member *m)
{
	return !m->plan->ops->all_contribute && !hc_member_is_root(m);
}

/* Return: true if the plan refuses a contribution that a process has sent before it has read the
 * record of a failure (sock/unread.h). A broadcast need not refuse it, since only the source
 * determines the next operation. A plan with REPAIR must not refuse it, since repaired operations
 * go on with the contributions that were sent.
 */
static inline bool hc_plan_bars_ahead(const struct hc_plan *plan)
{
	return plan->ops->all_contribute && !plan->repairs;
}

/* Record that the process of socket @sock was notified of failure @nr. If @nr is 0, the socket was
 * closed; contributions that it had sent before may be taken until the member handles the close.
 */
static inline void hc_failure_note(struct hc_member *m, u64 sock, u64 nr)
{
	if (!nr && m->user.sock && m->user.sock != sock)
		return;
	/* Ignore @sock if it has served the plan before the socket that serves it now. */
	if (m->user.failure.sock && m->user.failure.sock == m->user.sock && m->user.sock != sock)
		return;
	m->user.failure.sock = sock;
	m->user.failure.nr = nr ?: U64_MAX;
}

/* Return: the number of peers that send ACKs to @m: its destinations, or its sources. */
static inline unsigned int hc_ack_peers(const struct hc_member *m)
{
	return m->plan->ops->ack->way == HC_ACK_UP ? m->role.nsrc : m->role.ndst;
}

/* Does @m send ACKs? */
static inline bool hc_member_acks(const struct hc_member *m)
{
	enum hc_ack_way way = m->plan->ops->ack->way;

	return way == HC_ACK_DOWN ? m->role.nsrc : way == HC_ACK_UP && m->role.ndst;
}

/**
 * hc_repair_tends() - check whether the repair of @m's plan has work to do
 * @m: member of a plan with REPAIR
 */
bool hc_repair_tends(const struct hc_member *m);

/**
 * hc_repair_holds() - check whether contributions to @m wait until its plan is repaired
 * @m: member of a plan with REPAIR
 */
bool hc_repair_holds(const struct hc_member *m);

/**
 * hc_guard_holds() - check whether contributions to @m wait for the next epoch of its plan
 * @m: any member
 *
 * Return: true if they wait; false if they do not or the plan is not guarded.
 */
bool hc_guard_holds(const struct hc_member *m);

/* Return: true if @m waits, or has a control message to send. */
static inline bool hc_member_pending(const struct hc_member *m)
{
	return m->view.wait != HYPERCUBE_WAIT_NOTHING || m->gen.unsaid ||
	       (hc_member_acks(m) && m->acked != m->done) ||
	       (m->plan->repairs && hc_repair_tends(m)) || hc_guard_holds(m);
}

/* Return: true if contributions to @m wait until its plan is repaired. */
static inline bool hc_member_holds(const struct hc_member *m)
{
	return m->plan->repairs && hc_repair_holds(m);
}

/* Return: true if contributions to @m wait for a repair or for the next epoch. */
static inline bool hc_contributions_wait(const struct hc_member *m)
{
	return hc_member_holds(m) || hc_guard_holds(m);
}

/* Return: the lowest member from node @u on, or the number of nodes if there is none. */
static inline u32 hc_member_from(const struct hc_member *m, u32 u)
{
	u32 nodes = m->node->fabric->topo.nodes;

	while (u < nodes && !hc_set_has(m->plan->members, u))
		u++;
	return u;
}

/* Return: the number by which processes, events and dumps refer to operation @nr
 * (hc_member.renamed).
 */
static inline u64 hc_user_nr(const struct hc_member *m, u64 nr)
{
	return nr - READ_ONCE(m->renamed);
}

static inline struct hc_op *hc_member_op(struct hc_member *m, u64 nr)
{
	return m->ops[nr % HC_OP_WINDOW];
}

/* Return: true if @op is still operation @nr of @m, and @m still works on it. */
static inline bool hc_op_lives(struct hc_member *m, const struct hc_op *op, u64 nr)
{
	return hc_member_op(m, nr) == op && nr < m->gen.gives;
}

/**
 * hc_op_next() - find the lowest pending operation in a range of numbers
 * @m: the member
 * @nr: first number of the range
 * @end: number after the range
 *
 * Return: the operation, or NULL.
 */
struct hc_op *hc_op_next(const struct hc_member *m, u64 nr, u64 end);

/* Return: the payload of DATA frame @skb, which is contiguous in the linear part or in the only
 * fragment. The pieces of the payload must not be in pages of their own (coll/pieces.h).
 */
static inline void *hc_payload(const struct sk_buff *skb)
{
	if (skb_is_nonlinear(skb))
		return skb_frag_address(&skb_shinfo(skb)->frags[0]);
	return skb->data + HC_DATA_HEAD;
}

/* Return: true if other frames refer to the page with the payload of @skb. */
static inline bool hc_page_is_shared(const struct sk_buff *skb)
{
	return skb_is_nonlinear(skb) && page_count(skb_frag_page(&skb_shinfo(skb)->frags[0])) > 1;
}

/* State of a frame between sock/send.c and the host port, in skb->cb. */
struct hc_host_cb {
	struct hc_cb cb;
	bool first;	/* true for the first frame of a contribution */
	struct hc_rec rec;
	u64 group;	/* hc_sock.group */
	u64 cookie;
	u64 seen;	/* hc_unread.reported when the process had read all failures of the plan */
};

static inline struct hc_host_cb *hc_host_cb(struct sk_buff *skb)
{
	return hc_cb_as(struct hc_host_cb, skb);
}

/* State of the frame that announces that a socket does not serve plans any more, in skb->cb. */
struct hc_leave_cb {
	struct hc_cb cb;
	u64 sock;			/* hc_sock.id */
	u32 plan;			/* id of the plan to which it was connected, or 0 */
	u32 keeps;			/* id of the plan that it still serves, or 0 */
	unsigned long next;		/* the plans with ids below this have been handled */
	struct completion *handled;	/* completed when the node has handled all plans; or NULL */
};

static inline struct hc_leave_cb *hc_leave_cb(struct sk_buff *skb)
{
	return hc_cb_as(struct hc_leave_cb, skb);
}

/* Contents of an ACK: all operations below @nr are complete; the other fields describe the last of
 * these operations.
 */
struct hc_ack {
	u64 nr;
	u64 time;
	u32 clock;
	u32 steps;
};

#endif /* _HC_MEMBER_H */
